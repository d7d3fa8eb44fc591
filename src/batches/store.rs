//! The files of batches on disk.

use super::decide::NewFile;
use super::ledger::Ledger;
use super::path::{BatchId, LedgerPath};
use crate::cards::CardError;
use crate::model::RepoPath;
use crate::store::{Folder, StoreError};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The folder of batches of a repo.
#[derive(Debug)]
pub struct BatchStore {
    root: PathBuf,
    dir: RepoPath,
}

impl BatchStore {
    /// Opens the folder of batches below `dir` of the repo at `root`, which need not exist.
    pub fn new(root: &Path, dir: RepoPath) -> Self {
        Self { root: root.to_owned(), dir }
    }

    fn folder(&self, below: &str) -> Result<Folder, StoreError> {
        let dir = self.dir.as_str();
        let separator = if dir.is_empty() { "" } else { "/" };
        let path = format!("{dir}{separator}batches{below}");
        let path = RepoPath::new(&path).map_err(|_| StoreError::Name { path: self.root.join(&path) })?;
        Folder::open(&self.root, &path)
    }

    fn folder_of(&self, id: &BatchId, folder: &str) -> Result<Folder, StoreError> {
        self.folder(&if folder.is_empty() { format!("/{id}") } else { format!("/{id}/{folder}") })
    }

    /// Returns the path of a file from the repo's root.
    pub fn shown(&self, id: &BatchId, path: &str) -> String {
        let dir = self.dir.as_str();
        let separator = if dir.is_empty() { "" } else { "/" };
        format!("{dir}{separator}batches/{id}/{path}")
    }

    /// Lists the batches, sorted by id. A folder without `batch.json` is none: its fork was not finished.
    ///
    /// # Errors
    /// If a folder cannot be listed.
    pub fn ids(&self) -> Result<Vec<BatchId>, CardError> {
        let mut ids = Vec::new();
        for id in self.folder("")?.folders()?.iter().filter_map(|name| BatchId::parse(name)) {
            if self.exists(&id)? {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// Returns whether there is a batch with this id.
    ///
    /// # Errors
    /// If its folder cannot be listed.
    pub fn exists(&self, id: &BatchId) -> Result<bool, CardError> {
        Ok(self.folder_of(id, "")?.list()?.iter().any(|file| file == "batch.json"))
    }

    /// Finds the batch that an id, or the beginning of one, names.
    ///
    /// # Errors
    /// [`CardError::BadRequest`] if it is no id or names several, [`CardError::NotFound`] if it names none.
    pub fn find(&self, typed: &str) -> Result<BatchId, CardError> {
        let prefix = BatchId::prefix(typed)?;
        let missing = || CardError::NotFound(format!("batch not found: {typed}"));
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
        let mut files = Vec::new();
        for below in std::iter::once("").chain(LedgerPath::FOLDERS) {
            let folder = self.folder_of(id, below)?;
            let names = folder.list()?;
            let read = names.into_par_iter().map(|name| {
                let bytes = folder.read(&name)?;
                let path = if below.is_empty() { name } else { format!("{below}/{name}") };
                Ok(bytes.map(|bytes| (path, bytes)))
            });
            // A file that is gone since it was listed was removed by git, with a checkout for example.
            let read = read.collect::<Result<Vec<_>, StoreError>>()?;
            files.extend(read.into_iter().flatten());
        }
        Ledger::of(id, files).map_err(|error| match error {
            CardError::Invalid(message) => CardError::Invalid(self.in_place(&message)),
            error => error,
        })
    }

    /// Completes the path with which a message begins.
    fn in_place(&self, message: &str) -> String {
        let dir = self.dir.as_str();
        let separator = if dir.is_empty() { "" } else { "/" };
        message.replacen('`', &format!("`{dir}{separator}batches/"), 1)
    }

    /// Creates a file, and returns whether it did: of several processes that create one file, one does.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(&self, id: &BatchId, file: &NewFile) -> Result<bool, CardError> {
        let (folder, name) = file.path.parts();
        Ok(self.folder_of(id, folder)?.create(&name, &file.bytes)?)
    }
}
