//! What earlier builds of a repo found out, below `.contextpack/cache`.
//!
//! A cache is never the truth: without it everything is the same but the time. Its files are replaced
//! whole, one by one, and each says for itself whether it can be used, so that processes share them
//! without locks: whoever writes last wins, and what a loser found out is found out again. A file that
//! this user did not write in this working copy, or that is of another program, is dropped with a note.
//!
//! Nothing in it is raw text. Digests of raw text begin with a key that lies outside the repo: without it
//! nobody can try secrets against them.

mod build_cache;
mod fresh;
mod manifest;
mod recent;
mod texts;
mod trace;

pub use build_cache::{BuildCache, CachedReading, FilePurpose, FileResult, LoadedDocument, NoCache, ReferenceCache};
pub use fresh::FreshnessPolicy;
pub use manifest::{CachedPack, CompletedBuild, FileFingerprint, Manifest, PackSummary};
pub use recent::SessionMemo;
pub use texts::ScrubCache;
pub use trace::TracedTree;

use crate::model::{Digest, Digester};
use crate::store::{CacheFolder, SealedContent, StoreError};
use std::time::SystemTime;

/// This program: its version and its source code.
const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CONTEXTPACK_SOURCE"));

const PACKS: &str = "packs";
const TEXTS: &str = "texts";

/// The cache of one repo, as it was when it was opened.
#[derive(Debug)]
pub struct Cache {
    folder: CacheFolder,
    /// Of the secrets that no pack may hold.
    environment: Digest,
    /// What is known of packs.
    pub manifest: Manifest,
}

impl Cache {
    /// Reads the cache in `folder`. Nothing is written yet.
    ///
    /// `environment` tells the secrets of the building process apart. What could not be used goes to `notes`,
    /// for people who ask.
    pub fn new(folder: CacheFolder, environment: Digest, notes: &mut Vec<String>) -> Self {
        let environment = folder.digester().part(environment.hex()).digest();
        let mut cache = Self { folder, environment, manifest: Manifest::default() };
        if let Some(bytes) = cache.read(PACKS, notes) {
            match Manifest::decode(&bytes) {
                Some(manifest) if manifest.environment == Some(cache.environment) => cache.manifest = manifest,
                Some(_) => {
                    notes.push("the environment has other secrets, so what was known of packs is not used".to_owned())
                }
                None => notes.push(dropped(PACKS)),
            }
        }
        cache
    }

    /// What is known of texts, under a configuration with this text.
    pub fn texts(&self, config: &str, notes: &mut Vec<String>) -> ScrubCache {
        let bytes = self.read(TEXTS, notes).unwrap_or_default();
        ScrubCache::new(self.begun(), config, bytes).unwrap_or_else(|| {
            notes.push(dropped(TEXTS));
            ScrubCache::empty(self.begun(), config)
        })
    }

    /// A digest that has begun with the key and the program.
    pub fn begun(&self) -> Digester {
        self.folder.digester().part(PROGRAM)
    }

    /// Remembers what became of packs, and what is known of texts.
    ///
    /// # Errors
    /// Where the system refuses to write; what was there before is as it was.
    pub fn save(&self, manifest: &Manifest, texts: Option<&ScrubCache>) -> Result<(), StoreError> {
        if let Some(bytes) = texts.and_then(ScrubCache::changed) {
            self.folder.write(TEXTS, PROGRAM, &bytes)?;
        }
        match manifest.encode(self.environment, now()) {
            Some(bytes) => self.folder.write(PACKS, PROGRAM, &bytes),
            None => Ok(()),
        }
    }

    fn read(&self, name: &str, notes: &mut Vec<String>) -> Option<Vec<u8>> {
        match self.folder.read(name, PROGRAM) {
            SealedContent::Missing => None,
            SealedContent::Whole(payload) => Some(payload),
            SealedContent::Foreign => {
                notes.push(format!("`.contextpack/cache/{name}` is of another program, and is made again"));
                None
            }
            SealedContent::Forged => {
                notes.push(dropped(name));
                None
            }
        }
    }
}

fn dropped(name: &str) -> String {
    format!("`.contextpack/cache/{name}` is damaged or was not written here, and is made again")
}

/// Nanoseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests;
