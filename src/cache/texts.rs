//! The persistent cache of redacted and parsed texts, and of what was derived from files.

use crate::model::{Digest, Digester};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The redacted and parsed texts of earlier builds and of the present one. In the file each entry has its key, its
/// length and its bytes, which are decoded on demand.
#[derive(Debug, Default)]
pub struct TextCache {
    base: Digester,
    pub(super) text_base: Digester,
    bytes: Vec<u8>,
    old: HashMap<Digest, Range<usize>>,
    used: Mutex<HashSet<Digest>>,
    new: Mutex<HashMap<Digest, Vec<u8>>>,
    /// Whether the build could skip texts that it needs, so that unused entries must be kept.
    incomplete: AtomicBool,
}

const HEAD: usize = 36;

impl TextCache {
    /// Decodes `bytes` from [`TextCache::encode_changes`] for a configuration; `None` if they are malformed.
    pub(super) fn new(text_base: Digester, config: &str, bytes: Vec<u8>) -> Option<Self> {
        Self::empty(text_base, config).with_entries(bytes)
    }

    /// Replaces all entries with those of `bytes`; `None` if they are malformed.
    fn with_entries(&self, bytes: Vec<u8>) -> Option<Self> {
        let mut old = HashMap::with_capacity(bytes.len() / 1024);
        let mut at = 0;
        while at < bytes.len() {
            let (key, range) = entry(&bytes, at)?;
            at = range.end;
            old.insert(key, range);
        }
        Some(Self { bytes, old, base: self.base.clone(), text_base: self.text_base.clone(), ..Self::default() })
    }

    pub(super) fn empty(text_base: Digester, config: &str) -> Self {
        let base = text_base.clone().part(config);
        Self { base, text_base, ..Self::default() }
    }

    /// Returns the cache as the next build of this process needs it.
    #[must_use]
    pub fn for_next_build(self) -> Self {
        match self.encode_changes().map(|bytes| self.with_entries(bytes)) {
            Some(Some(next)) => next,
            Some(None) => Self { base: self.base, text_base: self.text_base, ..Self::default() },
            None => Self { used: Mutex::default(), incomplete: AtomicBool::default(), ..self },
        }
    }

    /// Returns a digester fed with everything that entries depend on besides the texts: the program and the configuration.
    pub fn base_key(&self) -> Digester {
        self.base.clone()
    }

    pub(super) fn get(&self, key: &Digest) -> Option<&[u8]> {
        let bytes = self.bytes.get(self.old.get(key)?.clone())?;
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(*key);
        Some(bytes)
    }

    pub(super) fn put(&self, key: &Digest, bytes: Vec<u8>) {
        self.new.lock().unwrap_or_else(PoisonError::into_inner).insert(*key, bytes);
    }

    /// Records that the build did not look up all texts that it needs.
    pub(super) fn mark_incomplete(&self) {
        self.incomplete.store(true, Ordering::Relaxed);
    }

    /// Encodes the cache if there are new entries or most of the old ones are unused; else `None`. Unused entries are
    /// dropped when they are most of the old ones, unless the build skipped some: the next may need others.
    pub(super) fn encode_changes(&self) -> Option<Vec<u8>> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        let keeps_all = self.incomplete.load(Ordering::Relaxed) || used.len() * 2 >= self.old.len();
        if new.is_empty() && keeps_all {
            return None;
        }
        let mut keys: Vec<(&Digest, &[u8])> = Vec::with_capacity(used.len() + new.len());
        let old = self.old.iter().filter(|(key, _)| (keeps_all || used.contains(key)) && !new.contains_key(key));
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

pub(super) fn content(base: &Digester, text: &str) -> Digest {
    base.clone().part("text").part(text).digest()
}

fn entry(bytes: &[u8], at: usize) -> Option<(Digest, Range<usize>)> {
    let key = <[u8; 32]>::try_from(bytes.get(at..at + 32)?).ok()?;
    let length = u32::from_le_bytes(bytes.get(at + 32..at + HEAD)?.try_into().ok()?);
    let end = (at + HEAD).checked_add(usize::try_from(length).ok()?)?;
    (end <= bytes.len()).then(|| (Digest::from_bytes(key), at + HEAD..end))
}
