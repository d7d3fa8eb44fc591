//! What the last build of this process made of each file.

use super::trace::Look;
use crate::model::{Digest, FileState, RepoPath};
use crate::pipeline::{Taken, Work};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What was made of files that stand as they stood, so that they need not be read again.
///
/// It is for whoever builds a repo again and again: whether a file is as it was is told by its state.
#[derive(Debug, Default)]
pub struct Recent(Mutex<HashMap<(Taken, RepoPath), Remembered>>);

/// What was made of a file.
#[derive(Debug)]
struct Remembered {
    work: Arc<Work>,
    read: Vec<(Look, Seen)>,
    /// Whether the build at hand asked for it, or made it.
    used: bool,
}

/// What was found where a build looked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// How the file was before it was read, where that stands for its bytes.
    pub(super) state: Option<FileState>,
    pub(super) digest: Digest,
}

impl Recent {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// What was made of a file, and what was found where it was looked for that.
    pub(super) fn get(
        &self,
        taken: Taken,
        path: &RepoPath,
        state: &dyn Fn(&RepoPath) -> Option<FileState>,
    ) -> Option<(Arc<Work>, Vec<(Look, Seen)>)> {
        let key = (taken, path.clone());
        let (work, read) = {
            let works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = works.get(&key)?;
            (Arc::clone(&known.work), known.read.clone())
        };
        if !read.iter().all(|(look, seen)| state(&look.path) == seen.state) {
            return None;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&key)?.used = true;
        Some((work, read))
    }

    /// Remembers what was made; each of `read` has a state.
    pub(super) fn keep(&self, taken: Taken, path: &RepoPath, read: Vec<(Look, Seen)>, work: Work) {
        let known = Remembered { work: Arc::new(work), read, used: true };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((taken, path.clone()), known);
    }

    /// After a build: what it did not ask for is forgotten.
    pub fn renew(&mut self) {
        let works = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        works.retain(|_, known| std::mem::take(&mut known.used));
    }
}
