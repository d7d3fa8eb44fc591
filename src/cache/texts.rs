//! What is known of texts: a [`BuildCache`] that lasts.

use super::{BuildCache, CachedReading};
use crate::model::{Digest, Digester, RepoPath};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Readings of earlier builds and of this one.
///
/// In its file each has its key, its length and its bytes; they are decoded as they are asked for.
#[derive(Debug, Default)]
pub struct ScrubCache {
    begun: Digester,
    /// What digests of texts begin with.
    plain: Digester,
    bytes: Vec<u8>,
    old: HashMap<Digest, Range<usize>>,
    used: Mutex<HashSet<Digest>>,
    new: Mutex<HashMap<Digest, Vec<u8>>>,
    /// Whether what nobody asked for may be of use all the same.
    spared: AtomicBool,
}

/// The bytes of a digest and of a length before each reading.
const HEAD: usize = 36;

impl ScrubCache {
    /// What `bytes` hold, which [`ScrubCache::changed`] gave, under this configuration; nothing where they hold nothing
    /// sensible. Digests begin with `plain`.
    pub(super) fn new(plain: Digester, config: &str, bytes: Vec<u8>) -> Option<Self> {
        Self::empty(plain, config).with(bytes)
    }

    /// The same with what `bytes` hold in place of all that is known.
    fn with(self, bytes: Vec<u8>) -> Option<Self> {
        let mut old = HashMap::with_capacity(bytes.len() / 1024);
        let mut at = 0;
        while at < bytes.len() {
            let (key, range) = entry(&bytes, at)?;
            at = range.end;
            old.insert(key, range);
        }
        Some(Self { bytes, old, begun: self.begun, plain: self.plain, ..Self::default() })
    }

    /// Nothing is known yet.
    pub(super) fn empty(plain: Digester, config: &str) -> Self {
        let begun = plain.clone().part(config);
        Self { begun, plain, ..Self::default() }
    }

    /// What is known after a build, for the next one.
    #[must_use]
    pub fn renewed(self) -> Self {
        match self.changed() {
            Some(bytes) => {
                let (begun, plain) = (self.begun.clone(), self.plain.clone());
                self.with(bytes).unwrap_or(Self { begun, plain, ..Self::default() })
            }
            None => Self { used: Mutex::default(), spared: AtomicBool::default(), ..self },
        }
    }

    /// Notes that a build could do without asking for all that it needs.
    pub(super) fn spare(&self) {
        self.spared.store(true, Ordering::Relaxed);
    }

    /// The bytes to write, where something new is known or most of what was known is no longer used:
    /// what this build asked for, and nothing else unless it did not ask for all.
    pub(super) fn changed(&self) -> Option<Vec<u8>> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        let spared = self.spared.load(Ordering::Relaxed);
        if new.is_empty() && (spared || used.len() * 2 >= self.old.len()) {
            return None;
        }
        let mut keys: Vec<(&Digest, &[u8])> = Vec::with_capacity(used.len() + new.len());
        let old = self.old.iter().filter(|(key, _)| (spared || used.contains(key)) && !new.contains_key(key));
        keys.extend(old.filter_map(|(key, place)| Some((key, self.bytes.get(place.clone())?))));
        keys.extend(new.iter().map(|(key, bytes)| (key, bytes.as_slice())));
        keys.sort_unstable_by_key(|(key, _)| **key);
        let mut out = Vec::with_capacity(keys.iter().map(|(_, bytes)| HEAD + bytes.len()).sum());
        for (key, bytes) in keys {
            let Ok(length) = u32::try_from(bytes.len()) else { continue };
            out.extend_from_slice(&key.bytes());
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(bytes);
        }
        Some(out)
    }
}

/// Of a text, as it was read.
pub(super) fn content(begun: &Digester, text: &str) -> Digest {
    begun.clone().part("text").part(text).digest()
}

/// The key at a place, and where its reading stands.
fn entry(bytes: &[u8], at: usize) -> Option<(Digest, Range<usize>)> {
    let key = <[u8; 32]>::try_from(bytes.get(at..at + 32)?).ok()?;
    let length = u32::from_le_bytes(bytes.get(at + 32..at + HEAD)?.try_into().ok()?);
    let end = (at + HEAD).checked_add(usize::try_from(length).ok()?)?;
    (end <= bytes.len()).then(|| (Digest::from_bytes(key), at + HEAD..end))
}

impl BuildCache for ScrubCache {
    fn begun(&self) -> Option<Digester> {
        Some(self.begun.clone())
    }

    fn content(&self, _: &RepoPath, text: &str) -> Digest {
        content(&self.plain, text)
    }

    fn recall(&self, key: &Digest) -> Option<CachedReading> {
        let bytes = self.bytes.get(self.old.get(key)?.clone())?;
        let reading = postcard::from_bytes(bytes).ok()?;
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(*key);
        Some(reading)
    }

    fn keep(&self, key: &Digest, reading: &CachedReading) {
        if let Ok(bytes) = postcard::to_allocvec(reading) {
            self.new.lock().unwrap_or_else(PoisonError::into_inner).insert(*key, bytes);
        }
    }
}
