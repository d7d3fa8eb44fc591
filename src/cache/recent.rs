//! What the last build of this process made of each file.

use super::trace::InputKey;
use super::{FilePurpose, FileResult, ReferenceCache};
use crate::graph::ItemReferences;
use crate::model::{Digest, FileState, REST, RepoPath};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What was made of files that stand as they stood, so that they need not be read again.
///
/// It is for whoever builds a repo again and again: whether a file is as it was is told by its state.
#[derive(Debug, Default)]
pub struct SessionMemo {
    /// How long a file must have rested before its state stands for its text, in nanoseconds.
    pub(super) rest: u128,
    works: Mutex<HashMap<(FilePurpose, RepoPath), CachedFileResult>>,
    references: Mutex<CachedReferences>,
}

/// References by the items' identities, and the digest of the names among which they were found.
#[derive(Debug, Default)]
struct CachedReferences {
    names: Option<Digest>,
    found: HashMap<Digest, (Arc<ItemReferences>, bool)>,
}

/// What was found in which places.
pub(super) type ObservedInputs = Vec<(InputKey, ObservedInput)>;

/// What was made of a file.
#[derive(Debug)]
struct CachedFileResult {
    work: Arc<FileResult>,
    read: ObservedInputs,
    /// Whether the build at hand asked for it, or made it.
    used: bool,
}

/// What was found where a build looked.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObservedInput {
    /// How the file was before it was read, where that stands for its bytes.
    pub(super) state: Option<FileState>,
    pub(super) digest: Digest,
    /// Whether another look in the same build found something else, so that nothing can be said of the file.
    pub(super) torn: bool,
}

impl SessionMemo {
    /// Nothing is known yet. `rest` is how long a file must have rested before its state stands for its text.
    pub fn new(rest: Option<Duration>) -> Self {
        Self { rest: rest.map_or(REST, |rest| rest.as_nanos()), ..Self::default() }
    }

    /// What was made of a file, and what was found where it was looked for that.
    pub(super) fn get(
        &self,
        purpose: FilePurpose,
        path: &RepoPath,
        state: &dyn Fn(&RepoPath) -> Option<FileState>,
    ) -> Option<(Arc<FileResult>, ObservedInputs)> {
        let key = (purpose, path.clone());
        let (work, read) = {
            let works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
            let known = works.get(&key)?;
            (Arc::clone(&known.work), known.read.clone())
        };
        if !read.iter().all(|(look, seen)| state(&look.path) == seen.state) {
            return None;
        }
        self.works.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&key)?.used = true;
        Some((work, read))
    }

    /// Remembers what was made; each of `read` has a state.
    pub(super) fn keep(&self, purpose: FilePurpose, path: &RepoPath, read: ObservedInputs, work: FileResult) {
        let known = CachedFileResult { work: Arc::new(work), read, used: true };
        self.works.lock().unwrap_or_else(PoisonError::into_inner).insert((purpose, path.clone()), known);
    }

    /// References that were found among the same names.
    pub(super) fn resolved(&self, names: Digest) -> Box<dyn ReferenceCache + '_> {
        let mut references = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        if references.names != Some(names) {
            *references = CachedReferences { names: Some(names), found: HashMap::new() };
        }
        Box::new(&self.references)
    }

    /// After a build: what it did not ask for is forgotten.
    pub fn renew(&mut self) {
        let works = self.works.get_mut().unwrap_or_else(PoisonError::into_inner);
        works.retain(|_, known| std::mem::take(&mut known.used));
        let references = self.references.get_mut().unwrap_or_else(PoisonError::into_inner);
        references.found.retain(|_, (_, used)| std::mem::take(used));
    }
}

impl ReferenceCache for &Mutex<CachedReferences> {
    fn get(&self, item: &Digest) -> Option<Arc<ItemReferences>> {
        let mut references = self.lock().unwrap_or_else(PoisonError::into_inner);
        let (found, used) = references.found.get_mut(item)?;
        *used = true;
        Some(Arc::clone(found))
    }

    fn keep(&self, item: Digest, found: &Arc<ItemReferences>) {
        let mut references = self.lock().unwrap_or_else(PoisonError::into_inner);
        references.found.insert(item, (Arc::clone(found), true));
    }
}
