//! Results that a process keeps from one reading of a repository to the next, each of which then costs what changed.

#[cfg(feature = "mcp")]
use super::Repository;
#[cfg(feature = "mcp")]
use crate::cache::Inputs;
use crate::cache::{Cache, InputCaches, SessionMemo, TextCache};
use crate::model::Digest;
#[cfg(feature = "mcp")]
use crate::store::CacheFolder;
use std::time::Duration;

/// The results that the readings under one configuration and one cache share.
pub(super) struct WarmResults {
    /// The digest of the key of the cache and of the text of the configuration.
    key: Digest,
    pub(super) texts: TextCache,
    pub(super) memo: SessionMemo,
}

impl WarmResults {
    /// Returns the results of `earlier` readings, unless they are of another cache or configuration. `rest` is how long a
    /// file must have been unchanged for its state to identify its content.
    pub(super) fn resume(earlier: Option<Self>, cache: &Cache, config: &str, rest: Option<Duration>) -> Self {
        let key = cache.base_digester().part(config).digest();
        earlier.filter(|earlier| earlier.key == key).unwrap_or_else(|| Self {
            key,
            texts: cache.texts(config, &mut Vec::new()),
            memo: SessionMemo::new(rest),
        })
    }

    /// Returns the results as the next reading needs them.
    pub(super) fn for_next(self) -> Self {
        Self { texts: self.texts.for_next_build(), ..self }
    }

    /// Returns the caches for a reading.
    pub(super) fn caches(&self) -> InputCaches<'_> {
        InputCaches { texts: Some(&self.texts), adds_texts: true, documents: None, memo: Some(&self.memo) }
    }
}

/// What the readings of one repository share by a process that answers questions about it and writes nothing.
#[cfg(feature = "mcp")]
#[derive(Default)]
pub struct WarmReadings {
    /// A cache in memory, for a repository that has none on disk.
    fallback: Option<Cache>,
    results: Option<WarmResults>,
}

#[cfg(feature = "mcp")]
impl WarmReadings {
    /// Prepares a reading of `repository`, and drops what no longer holds.
    pub fn begin(&mut self, repository: &Repository) {
        if repository.cache.is_none() && self.fallback.is_none() {
            let environment = repository.environment.digest();
            self.fallback = CacheFolder::in_memory().map(|folder| Cache::new(folder, environment, &mut Vec::new()));
        }
        let config = repository.configuration.text.as_deref().unwrap_or_default();
        let earlier = self.results.take();
        let cache = repository.cache.as_ref().or(self.fallback.as_ref());
        self.results = cache.map(|cache| WarmResults::resume(earlier, cache, config, None));
    }

    /// Returns the files of `repository`, for which the reading was prepared.
    ///
    /// What was made of documents is recognized by the states of their files, as in commands that run once, and is cached
    /// on disk by [`Repository::save_documents`]; all else is kept for the next reading.
    pub(super) fn inputs<'a>(&'a self, repository: &'a Repository) -> Inputs<'a> {
        let caches = self.results.as_ref().map(WarmResults::caches).unwrap_or_default();
        Inputs::new(repository.files(), InputCaches { documents: repository.documents(), ..caches })
    }

    /// Ends a reading: what it did not use is dropped.
    pub fn end(&mut self) {
        self.results = self.results.take().map(|mut results| {
            results.memo.evict_unused();
            results.for_next()
        });
    }
}
