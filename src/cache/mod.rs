//! The cache of a repo's earlier builds, in `.contextpack/cache`.
//!
//! A cache is never the truth: without it a build gives the same packs, only slower. Its files are replaced atomically,
//! one by one, and each can be validated alone, so that processes share them without locks: the last writer wins, and
//! what was lost is computed again. A file that this user did not write in this working copy, or that another program
//! wrote, is dropped with a note.
//!
//! It holds no raw text. Digests of raw text are keyed with a key outside the repo, so that an outsider cannot test
//! guesses of secrets against them.

mod inputs;
mod manifest;
mod memo;
mod texts;

pub use inputs::{CachedReading, FilePurpose, FileResult, InputCaches, Inputs, LoadedDocument};
pub use manifest::{
    CachedPack, CompletedBuild, FileFingerprint, FreshnessPolicy, Manifest, PackSummary, rendering_name,
};
pub use memo::SessionMemo;
pub use texts::TextCache;

use crate::model::{Digest, Digester};
use crate::store::{CacheFolder, SealedContent, StoreError};
use std::time::SystemTime;

/// The identity of this program: its version and a digest of its source code.
const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CONTEXTPACK_SOURCE"));

const PACKS: &str = "packs";
const TEXTS: &str = "texts";
const DOCUMENTS: &str = "documents";

/// The cache of one repo, as read when it was opened.
#[derive(Debug)]
pub struct Cache {
    folder: CacheFolder,
    /// The digest of the environment's secrets, which no pack may hold.
    environment: Digest,
    /// The cached facts about packs.
    pub manifest: Manifest,
}

impl Cache {
    /// Reads the cache in `folder`, without writing to it.
    ///
    /// `environment` is a digest of the process's secrets. Reasons why something cannot be used are added to `notes`.
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

    /// Returns the cache of texts for a configuration with this text.
    pub fn texts(&self, config: &str, notes: &mut Vec<String>) -> TextCache {
        self.entries(TEXTS, config, notes)
    }

    /// Returns the cache of documents, by the states of their files, for a configuration with this text.
    pub fn documents(&self, config: &str, notes: &mut Vec<String>) -> TextCache {
        self.entries(DOCUMENTS, config, notes)
    }

    fn entries(&self, name: &str, config: &str, notes: &mut Vec<String>) -> TextCache {
        let bytes = self.read(name, notes).unwrap_or_default();
        TextCache::new(self.base_digester(), config, bytes).unwrap_or_else(|| {
            notes.push(dropped(name));
            TextCache::empty(self.base_digester(), config)
        })
    }

    /// Writes the cached documents, if they changed.
    ///
    /// # Errors
    /// If the system refuses to write; the old file is then unchanged.
    pub fn save_documents(&self, documents: &TextCache) -> Result<(), StoreError> {
        documents.encode_changes().map_or(Ok(()), |bytes| self.folder.write(DOCUMENTS, PROGRAM, &bytes))
    }

    /// Returns a digester that has been fed the key and the program's identity.
    pub fn base_digester(&self) -> Digester {
        self.folder.digester().part(PROGRAM)
    }

    /// Writes the manifest and, if they changed, the cached texts.
    ///
    /// # Errors
    /// If the system refuses to write; the old files are then unchanged.
    pub fn save(&self, manifest: &Manifest, texts: Option<&TextCache>) -> Result<(), StoreError> {
        if let Some(bytes) = texts.and_then(TextCache::encode_changes) {
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

/// Returns the time in nanoseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests;
