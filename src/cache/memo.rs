//! The in-memory results of the last build of a long-running process.

use super::inputs::{FilePurpose, InputKey};
use crate::model::{Digest, FileState, REST, RepoPath};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Results that a repeated build need not compute again.
#[derive(Debug, Default)]
pub struct SessionMemo {
    /// How long a file must have been unchanged before its state identifies its content, in nanoseconds.
    pub(super) rest: u128,
    results: Mutex<HashMap<MemoKey, MemoEntry>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum MemoKey {
    /// The file that it was made of. It holds while its inputs have the same states.
    File(FilePurpose, RepoPath),
    Digest(Digest),
}

pub(super) type ObservedInputs = Vec<(InputKey, ObservedInput)>;

#[derive(Debug)]
struct MemoEntry {
    result: Arc<dyn Any + Send + Sync>,
    inputs: ObservedInputs,
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

    /// Returns a result and its inputs, if all of them have the same state as before.
    pub(super) fn get<T: Send + Sync + 'static>(
        &self,
        key: &MemoKey,
        state: &dyn Fn(&RepoPath) -> Option<FileState>,
    ) -> Option<(Arc<T>, ObservedInputs)> {
        let results = || self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let known = results().get(key).map(|known| (Arc::clone(&known.result), known.inputs.clone()));
        let (result, inputs) = known?;
        if !inputs.iter().all(|(key, seen)| state(&key.path) == seen.state) {
            return None;
        }
        results().get_mut(key)?.used = true;
        Some((result.downcast().ok()?, inputs))
    }

    /// Stores a result; each of `inputs` must have a state.
    pub(super) fn put(&self, key: MemoKey, inputs: ObservedInputs, result: Arc<dyn Any + Send + Sync>) {
        let known = MemoEntry { result, inputs, used: true };
        self.results.lock().unwrap_or_else(PoisonError::into_inner).insert(key, known);
    }

    pub fn evict_unused(&mut self) {
        let results = self.results.get_mut().unwrap_or_else(PoisonError::into_inner);
        results.retain(|_, known| std::mem::take(&mut known.used));
    }
}
