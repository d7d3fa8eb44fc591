//! The in-memory results of the last build of a long-running process.

use super::inputs::{FilePurpose, FileResult, InputKey};
use crate::graph::ItemReferences;
use crate::model::{Digest, FileState, REST, RepoPath};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Results for files whose state has not changed, so that a repeated build need not read them again.
#[derive(Debug, Default)]
pub struct SessionMemo {
    /// How long a file must have been unchanged before its state identifies its content, in nanoseconds.
    pub(super) rest: u128,
    results: Mutex<HashMap<(FilePurpose, RepoPath), CachedFileResult>>,
    references: Mutex<CachedReferences>,
}

/// Resolved references by the items' identities, valid for one listing of names.
#[derive(Debug, Default)]
struct CachedReferences {
    names: Option<Digest>,
    found: HashMap<Digest, (Arc<ItemReferences>, bool)>,
}

/// The inputs of a result.
pub(super) type ObservedInputs = Vec<(InputKey, ObservedInput)>;

/// A file's result with the inputs that it depends on.
#[derive(Debug)]
struct CachedFileResult {
    result: Arc<FileResult>,
    inputs: ObservedInputs,
    /// Whether the present build used or computed it.
    used: bool,
}

/// The content of an input at the time of a build.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObservedInput {
    /// The file's state before it was read, if it identifies the content.
    pub(super) state: Option<FileState>,
    pub(super) digest: Digest,
    /// Whether another read in the same build gave another content.
    pub(super) inconsistent: bool,
}

impl SessionMemo {
    /// Creates an empty memo; `rest` is how long a file must have been unchanged before its state identifies its content.
    pub fn new(rest: Option<Duration>) -> Self {
        Self { rest: rest.map_or(REST, |rest| rest.as_nanos()), ..Self::default() }
    }

    /// Returns a file's result and its inputs, if all of them have the same state as before.
    pub(super) fn get(
        &self,
        purpose: FilePurpose,
        path: &RepoPath,
        state: &dyn Fn(&RepoPath) -> Option<FileState>,
    ) -> Option<(Arc<FileResult>, ObservedInputs)> {
        let key = (purpose, path.clone());
        let (result, inputs) = {
            let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            let known = results.get(&key)?;
            (Arc::clone(&known.result), known.inputs.clone())
        };
        if !inputs.iter().all(|(key, seen)| state(&key.path) == seen.state) {
            return None;
        }
        self.results.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&key)?.used = true;
        Some((result, inputs))
    }

    /// Stores a file's result; each of `inputs` must have a state.
    pub(super) fn put(&self, purpose: FilePurpose, path: &RepoPath, inputs: ObservedInputs, result: FileResult) {
        let known = CachedFileResult { result: Arc::new(result), inputs, used: true };
        self.results.lock().unwrap_or_else(PoisonError::into_inner).insert((purpose, path.clone()), known);
    }

    /// Drops the references, unless they were resolved in the listing with the digest `names`.
    pub fn begin_references(&self, names: Digest) {
        let mut references = self.lock_references();
        if references.names != Some(names) {
            *references = CachedReferences { names: Some(names), found: HashMap::new() };
        }
    }

    /// Returns the references of the item with this identity, if they are cached.
    pub fn references(&self, item: &Digest) -> Option<Arc<ItemReferences>> {
        let mut references = self.lock_references();
        let (found, used) = references.found.get_mut(item)?;
        *used = true;
        Some(Arc::clone(found))
    }

    /// Caches the references of an item.
    pub fn put_references(&self, item: Digest, found: &Arc<ItemReferences>) {
        self.lock_references().found.insert(item, (Arc::clone(found), true));
    }

    fn lock_references(&self) -> MutexGuard<'_, CachedReferences> {
        self.references.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the results that the last build did not use.
    pub fn evict_unused(&mut self) {
        let results = self.results.get_mut().unwrap_or_else(PoisonError::into_inner);
        results.retain(|_, known| std::mem::take(&mut known.used));
        let references = self.references.get_mut().unwrap_or_else(PoisonError::into_inner);
        references.found.retain(|_, (_, used)| std::mem::take(used));
    }
}
