//! The files of batches on disk.

use super::decide::NewFile;
use super::files::{LedgerFolder, REFUSED, Unread};
use super::ledger::Ledger;
use super::path::{BatchId, LedgerPath};
use crate::handoff::cards::CardError;
use crate::model::RepoPath;
use std::path::Path;

/// The folder of batches of a repo.
#[derive(Debug)]
pub struct BatchStore(LedgerFolder);

impl BatchStore {
    /// Opens the folder of batches below `dir` of the repo at `root`, which need not exist.
    pub fn new(root: &Path, dir: &RepoPath) -> Self {
        Self(LedgerFolder::new(root, dir, "batches"))
    }

    /// Returns the path of a file from the repo's root.
    pub fn shown(&self, id: &BatchId, path: &str) -> String {
        self.0.shown(id.as_str(), path)
    }

    /// Lists the batches, sorted by id. A folder without `batch.json` is none: its fork was not finished.
    ///
    /// # Errors
    /// If a folder cannot be listed.
    pub fn ids(&self) -> Result<Vec<BatchId>, CardError> {
        let mut ids = Vec::new();
        for id in self.0.names()?.iter().filter_map(|name| BatchId::parse(name)) {
            // Reading it says what is wrong with it.
            if self.exists(&id).unwrap_or(true) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// Returns the paths, from the repo's root, of what is in the folder of batches and is none.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn odd_paths(&self) -> Result<Vec<String>, CardError> {
        let mut paths: Vec<String> = self.0.odd_names(&|name| BatchId::parse(name).is_some())?;
        paths.iter_mut().for_each(|name| *name = self.0.shown(name, "").trim_end_matches('/').to_owned());
        Ok(paths)
    }

    /// Returns whether there is a batch with this id.
    ///
    /// # Errors
    /// If its folder cannot be listed, [`CardError::Invalid`] if something else is in the place of its plan.
    pub fn exists(&self, id: &BatchId) -> Result<bool, CardError> {
        self.0.has(id.as_str(), "batch.json")?.ok_or_else(|| {
            let path = self.shown(id, "batch.json");
            CardError::Invalid(format!("`{path}`: it is no regular file; remove it, and restore it from git"))
        })
    }

    /// Finds the batch that an id, or the beginning of one, names.
    ///
    /// # Errors
    /// [`CardError::BadRequest`] if it is no id or names several, [`CardError::NotFound`] if it names none.
    pub fn find(&self, typed: &str) -> Result<BatchId, CardError> {
        let prefix = BatchId::prefix(typed)?;
        let missing = || {
            CardError::NotFound(format!(
                "batch not found: {typed} (help: `contextpack batch list` lists them; `git pull` if another clone made it)"
            ))
        };
        if let Some(id) = BatchId::parse(&prefix) {
            return if self.exists(&id)? { Ok(id) } else { Err(missing()) };
        }
        let mut found = self.ids()?.into_iter().filter(|id| id.as_str().starts_with(&prefix));
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => Err(CardError::BadRequest(format!(
                "`{typed}` is the beginning of {first} and {second}; give more digits"
            ))),
            (found, _) => found.ok_or_else(missing),
        }
    }

    /// Reads a batch.
    ///
    /// # Errors
    /// As [`Ledger::of`], or if the system refuses.
    pub fn read(&self, id: &BatchId) -> Result<Ledger, CardError> {
        Ledger::of(id, self.files(id, REFUSED)?).map_err(|error| match error {
            // The message begins with the path in the folder of batches.
            CardError::Invalid(message) => {
                let path = self.shown(id, "");
                CardError::Invalid(message.replacen(&format!("`{id}/"), &format!("`{path}"), 1))
            }
            error => error,
        })
    }

    /// Reads the files of a batch.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn files(&self, id: &BatchId, unread: Unread) -> Result<Vec<(String, Vec<u8>)>, CardError> {
        Ok(self.0.read(id.as_str(), &LedgerPath::FOLDERS, unread)?)
    }

    /// Creates a file, and returns whether it did: of several processes that create one file, one does.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(&self, id: &BatchId, file: &NewFile) -> Result<bool, CardError> {
        let (folder, name) = file.path.parts();
        Ok(self.0.create(id.as_str(), folder, &name, &file.bytes)?)
    }
}
