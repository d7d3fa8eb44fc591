//! The texts of tracked files that are not checked out, from git's objects.

use super::history::{History, HistoryError};
use crate::model::Refusal;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The objects of the repository of a root. One process of git, started for the first of them, reads all.
#[derive(Debug)]
pub(super) struct StoredObjects {
    root: PathBuf,
    git: Mutex<Option<History>>,
}

impl StoredObjects {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), git: Mutex::default() }
    }

    /// Reads a content of at most `limit` bytes. Nothing is fetched: what a partial clone lacks is unreadable.
    pub(super) fn read(&self, id: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        let mut git = self.git.lock().unwrap_or_else(PoisonError::into_inner);
        let unreadable = |error: HistoryError| Refusal::Unreadable(format!("it is not checked out, and {error}"));
        let mut history = match git.take() {
            Some(history) => history,
            None => History::open(&self.root).map_err(unreadable)?,
        };
        let read = match history.blob(id) {
            Ok(Some(bytes)) if bytes.len() as u64 <= limit => Ok(bytes),
            Ok(Some(_)) | Err(HistoryError::TooLarge(_)) => Err(Refusal::TooLarge(limit)),
            Ok(None) => {
                let why = "it is not checked out, and this partial clone lacks its text, which `git checkout` fetches";
                Err(Refusal::Unreadable(why.to_owned()))
            }
            // What git says next may be the rest of this answer.
            Err(error) => return Err(unreadable(error)),
        };
        *git = Some(history);
        read
    }

    /// Ends the process.
    pub(super) fn close(&self) {
        *self.git.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
