//! Readings of one repository by a process that answers questions about it, each of which costs what changed since the
//! one before. Nothing is written.
//!
//! A [`Session`](super::Session) builds the same packs again and again; here nobody knows which pack will be asked for.

use super::Repository;
use crate::cache::{
    BuildCache, Cache, CachedReading, FilePurpose, FileResult, ReferenceCache, ScrubCache, SessionMemo, TracedTree,
};
use crate::config::Tokenizer;
use crate::fit::Counter;
use crate::intake::Repo;
use crate::model::{Digest, Digester, RepoPath};
use crate::store::CacheFolder;
use std::sync::{Arc, OnceLock};

/// What the readings of one repository share: the results of files that did not change.
#[derive(Default)]
pub struct WarmReadings {
    /// A cache in memory, for a repository that has none on disk.
    fallback: Option<Cache>,
    results: Option<Results>,
}

/// The results that the readings under one configuration share.
struct Results {
    /// The text of the configuration.
    config: Option<String>,
    /// The base of all digests, which the key of the cache decides.
    base: Digester,
    texts: ScrubCache,
    memo: SessionMemo,
}

/// The files of one reading, with the results of earlier ones.
pub struct WarmSource<'a> {
    trace: TracedTree<'a, Repo>,
    repository: &'a Repository,
}

impl WarmReadings {
    /// Prepares a reading of `repository`, and drops what no longer holds.
    pub fn begin(&mut self, repository: &Repository) {
        let cache = match repository.cache() {
            Some(cache) => Some(cache),
            None => {
                let environment = repository.environment().digest();
                let folder = || CacheFolder::in_memory().map(|folder| Cache::new(folder, environment, &mut Vec::new()));
                self.fallback = self.fallback.take().or_else(folder);
                self.fallback.as_ref()
            }
        };
        let Some(cache) = cache else {
            self.results = None;
            return;
        };
        let (base, config) = (cache.base_digester(), &repository.configuration().text);
        let holds = |known: &Results| known.config == *config && known.base.clone().digest() == base.clone().digest();
        self.results = self.results.take().filter(holds).or_else(|| {
            let texts = cache.texts(config.as_deref().unwrap_or_default(), &mut Vec::new());
            Some(Results { config: config.clone(), base, texts, memo: SessionMemo::new(None) })
        });
    }

    /// Returns the files of `repository`, for which the reading was prepared; `None` if nothing can be kept.
    pub fn source<'a>(&'a self, repository: &'a Repository) -> Option<WarmSource<'a>> {
        let Results { base, texts, memo, .. } = self.results.as_ref()?;
        let trace = TracedTree::new(repository.files(), base.clone(), Some(texts), Some(memo));
        Some(WarmSource { trace, repository })
    }

    /// Ends a reading: what it did not use is dropped.
    pub fn end(&mut self) {
        self.results = self.results.take().map(|mut results| {
            results.memo.evict_unused();
            Results { texts: results.texts.for_next_build(), ..results }
        });
    }
}

impl<'a> WarmSource<'a> {
    /// Returns the files, which record what is read of them.
    pub(super) fn files(&self) -> &TracedTree<'a, Repo> {
        &self.trace
    }
}

/// What was made of documents is recognized by the states of their files, as in commands that run once, and is cached on disk
/// by [`Repository::save_documents`]; all else is kept for the next reading.
impl BuildCache for WarmSource<'_> {
    fn base_key(&self) -> Option<Digester> {
        self.trace.base_key()
    }

    fn content(&self, path: &RepoPath, text: &str) -> Digest {
        self.trace.content(path, text)
    }

    fn get(&self, key: &Digest) -> Option<CachedReading> {
        self.trace.get(key)
    }

    fn put(&self, key: &Digest, reading: &CachedReading) {
        self.trace.put(key, reading);
    }

    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        self.repository.identity(files)
    }

    fn get_derived(&self, key: &Digest) -> Option<&[u8]> {
        self.repository.get_derived(key)
    }

    fn put_derived(&self, key: &Digest, derived: Vec<u8>) {
        self.repository.put_derived(key, derived);
    }

    fn get_file(&self, purpose: FilePurpose, path: &RepoPath) -> Option<Arc<FileResult>> {
        self.trace.get_file(purpose, path)
    }

    fn references(&self, names: &dyn Fn() -> Digest) -> Option<Box<dyn ReferenceCache + '_>> {
        self.trace.references(names)
    }

    fn put_file(&self, purpose: FilePurpose, path: &RepoPath, read: &[RepoPath], work: &dyn Fn() -> FileResult) {
        self.trace.put_file(purpose, path, read, work);
    }
}

/// Counts the tokens of a text by `o200k_base`, for packs whose limits are others.
pub fn count_tokens(text: &str) -> u64 {
    static COUNTER: OnceLock<Counter> = OnceLock::new();
    COUNTER.get_or_init(|| Counter::new(Some(Tokenizer::O200kBase))).measure(text).tokens
}
