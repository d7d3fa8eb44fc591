//! The references of items that earlier builds found, under a digest of all that they depend on.

use super::Project;
use super::document_cache::NOTHING;
use crate::graph::ItemReferences;
use crate::model::{Digest, Digester, RepoPath};
use crate::redact::Scrubbed;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct KnownReferences<'p, 's> {
    project: &'p Project<'s>,
    /// A digester that has been fed the program, the configuration and the environment; `None` without a cache.
    base: Option<Digester>,
    /// The keys of what was not known, with the items.
    new: Mutex<Vec<(usize, Digest)>>,
}

impl<'p, 's> KnownReferences<'p, 's> {
    pub(super) fn new(project: &'p Project<'s>) -> Self {
        let base = project.reader.inputs.base_key();
        let base = base.map(|base| base.part("references").part(project.reader.environment.digest().bytes()));
        Self { project, base, new: Mutex::default() }
    }

    /// Returns the references of an item that are known under `key`, else those that `find` gives.
    pub(super) fn find(&self, key: &Digest, item: usize, find: impl FnOnce() -> ItemReferences) -> ItemReferences {
        self.known(key).unwrap_or_else(|| {
            self.new.lock().unwrap_or_else(PoisonError::into_inner).push((item, *key));
            find()
        })
    }

    fn known(&self, key: &Digest) -> Option<ItemReferences> {
        let proof = self.base.clone()?.part(key.bytes());
        let pieces = |found: &mut ItemReferences| vec![NOTHING; found.missing.len()];
        let (mut found, scrubbed) = self.project.reader.cached(false, &proof.clone().digest(), &proof, pieces)?;
        found.missing.iter_mut().zip(scrubbed.texts).for_each(|(missing, text)| missing.written = text);
        Some(found)
    }

    /// Caches what was not known; `is_plain` says whether redaction leaves the path of a file as it is.
    pub(super) fn keep(
        self,
        found: &BTreeMap<usize, Arc<ItemReferences>>,
        is_plain: &(dyn Fn(&RepoPath) -> bool + Sync),
    ) {
        let Some(base) = &self.base else { return };
        let new = self.new.into_inner().unwrap_or_else(PoisonError::into_inner);
        new.par_iter().for_each(|(item, key)| {
            let found = found.get(item).filter(|found| self.project.holds_clean_text(*item, found, is_plain));
            let proof = base.clone().part(key.bytes());
            found.and_then(|found| {
                let texts = found.missing.iter().map(|missing| missing.written.clone()).collect();
                let scrubbed = Scrubbed { texts, removals: Vec::new(), removed_lines: Vec::new() };
                let pieces = vec![NOTHING; found.missing.len()];
                self.project.reader.cache(false, &proof.clone().digest(), &proof, &**found, &scrubbed, &pieces)
            });
        });
    }
}

impl Project<'_> {
    /// Returns whether what a cache would hold of references besides their texts needs no redaction: their paths, and messages.
    fn holds_clean_text(&self, item: usize, found: &ItemReferences, is_plain: &dyn Fn(&RepoPath) -> bool) -> bool {
        let is_own_plain =
            self.corpus.entries[item].origins().all(|origin| origin.path.as_str() == origin.shown.as_str());
        let mut paths = found.files.iter().map(|file| &file.path);
        let has_secret = |text: &str| self.reader.environment.find(text).is_some();
        let mut anchors = found.files.iter().filter_map(|file| file.anchor.as_deref());
        is_own_plain
            && found.files.iter().all(|file| file.commit.is_none())
            && !self.corpus.entries[item].origins().any(|origin| has_secret(origin.path.as_str()))
            && paths.all(|path| is_plain(path) && !has_secret(path.as_str()))
            && !anchors.any(has_secret)
            && found.diagnostics.iter().all(|fault| self.redacted_for_output(fault.clone()) == *fault)
    }
}
