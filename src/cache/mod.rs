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
mod texts;

pub use inputs::{FilePurpose, InputCaches, Inputs};
pub use manifest::{
    CachedPack, CompletedBuild, FailedPack, FileFingerprint, FreshnessPolicy, Manifest, PackSummary, rendering_name,
};

use crate::model::{Digest, Digester};
use crate::store::{CacheFolder, SealedContent, StoreError};
use inputs::SessionMemo;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use texts::TextCache;

const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CONTEXTPACK_SOURCE"));

const PACKS: &str = "packs";
const TEXTS: &str = "texts";
const DOCUMENTS: &str = "documents";

/// The cache of one repo, as read when it was opened, with the results of this process.
#[derive(Debug)]
pub struct Cache {
    folder: CacheFolder,
    /// The digest of the environment's secrets, which no pack may hold.
    environment: Digest,
    /// The cached facts about packs.
    pub manifest: Manifest,
    /// The text of the configuration, under which the following holds.
    config: String,
    /// The scrubbed texts, read when first needed.
    texts: OnceLock<TextCache>,
    /// The documents by the states of their files, read when first needed.
    documents: OnceLock<TextCache>,
    /// The results for files that did not change since the last reading by this process, if it reads several times.
    memo: Option<SessionMemo>,
    /// The reasons why something could not be used, since they were last asked for.
    notes: Mutex<Vec<String>>,
}

impl Cache {
    /// Reads the cache in `folder` for a configuration with this text and an environment with these secrets.
    pub fn new(folder: CacheFolder, environment: Digest, config: &str) -> Self {
        let environment = folder.digester().part(environment.hex()).digest();
        let (texts, documents, memo, notes) = Default::default();
        let (manifest, config) = (Manifest::default(), config.to_owned());
        let mut cache = Self { folder, environment, manifest, config, texts, documents, memo, notes };
        if let Some(bytes) = cache.read(PACKS) {
            match postcard::from_bytes::<Manifest>(&bytes).ok() {
                Some(manifest) if manifest.environment == Some(cache.environment) => cache.manifest = manifest,
                Some(_) => {
                    cache.note("the environment has other secrets, so what was known of packs is not used".to_owned())
                }
                None => cache.note(dropped(PACKS)),
            }
        }
        cache
    }

    /// Prepares the next reading by the same process, which finds the results of this one under the same configuration.
    pub fn resume(&mut self, config: &str, rest: Option<Duration>) {
        if self.memo.is_none() || self.config != config {
            (self.texts, self.documents) = Default::default();
            (self.memo, self.config) = (Some(SessionMemo::new(rest)), config.to_owned());
        }
    }

    /// Returns whether no text was looked up yet.
    pub fn is_cold(&self) -> bool {
        self.texts.get().is_none()
    }

    /// Returns the caches for one reading; `is_recorded` says whether its results are to be saved.
    pub fn for_reading(&self, is_recorded: bool) -> InputCaches<'_> {
        InputCaches {
            texts: Some(self.texts.get_or_init(|| self.entries(TEXTS))),
            adds_texts: is_recorded || self.memo.is_some(),
            // A build that is recorded has to know the contents of its inputs.
            documents: (!is_recorded).then(|| self.documents.get_or_init(|| self.entries(DOCUMENTS))),
            memo: self.memo.as_ref(),
        }
    }

    /// Makes the results of the last reading available to the next one.
    pub fn end_reading(&mut self) {
        for entries in [&mut self.texts, &mut self.documents] {
            if let Some(read) = entries.take() {
                let _ = entries.set(read.for_next_build());
            }
        }
    }

    /// Drops the results for files that the last reading did not use.
    pub fn evict_unused(&mut self) {
        self.memo.iter_mut().for_each(SessionMemo::evict_unused);
    }

    fn entries(&self, name: &str) -> TextCache {
        let bytes = self.read(name).unwrap_or_default();
        TextCache::new(self.base_digester(), &self.config, bytes).unwrap_or_else(|| {
            self.note(dropped(name));
            TextCache::empty(self.base_digester(), &self.config)
        })
    }

    /// Returns a digester that has been fed the key and the program's identity.
    pub fn base_digester(&self) -> Digester {
        self.folder.digester().part(PROGRAM)
    }

    /// Writes the cached documents, if they changed.
    pub fn save_documents(&self) -> Result<(), StoreError> {
        self.save_entries(DOCUMENTS, &self.documents)
    }

    /// Writes the manifest and, if they changed, the cached texts.
    pub fn save(&self, manifest: &Manifest) -> Result<(), StoreError> {
        self.save_entries(TEXTS, &self.texts)?;
        let manifest = Manifest { environment: Some(self.environment), ..manifest.clone() };
        postcard::to_allocvec(&manifest).map_or(Ok(()), |bytes| self.folder.write(PACKS, PROGRAM, &bytes))
    }

    fn save_entries(&self, name: &str, entries: &OnceLock<TextCache>) -> Result<(), StoreError> {
        let changed = entries.get().and_then(TextCache::encode_changes);
        changed.map_or(Ok(()), |bytes| self.folder.write(name, PROGRAM, &bytes))
    }

    fn note(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Returns the reasons why something could not be used, since the last call.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        match self.folder.read(name, PROGRAM) {
            SealedContent::Missing => return None,
            SealedContent::Whole(payload) => return Some(payload),
            SealedContent::Foreign => {
                self.note(format!("`.contextpack/cache/{name}` is of another program, and is made again"));
            }
            SealedContent::Forged => self.note(dropped(name)),
        }
        None
    }
}

fn dropped(name: &str) -> String {
    format!("`.contextpack/cache/{name}` is damaged or was not written here, and is made again")
}

fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
#[path = "../../tests/cases/cache.rs"]
mod cases;
