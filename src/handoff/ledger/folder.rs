//! The files of ledgers on disk: folders to which files are only ever added.

use super::names::{BATCHES, LedgerKind, NewFile, ShortId};
use super::state::Ledger;
use crate::handoff::cards::{CardError, LogName, without_line_end};
use crate::handoff::handover::TaskLog;
use crate::model::RepoPath;
use crate::store::{Folder, StoreError};
use rayon::prelude::*;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A folder of ledgers of one kind below the folder of cards. Each ledger is a folder with files, and folders of files.
#[derive(Debug)]
pub struct LedgerFolder {
    root: PathBuf,
    path: String,
    pub kind: &'static LedgerKind,
}

impl LedgerFolder {
    /// Opens the folder below `dir` of the repo at `root`, which need not exist.
    pub fn new(kind: &'static LedgerKind, root: &Path, dir: &RepoPath) -> Self {
        let separator = if dir.as_str().is_empty() { "" } else { "/" };
        Self { root: root.to_owned(), path: format!("{dir}{separator}{}", kind.folder), kind }
    }

    fn folder(&self, below: &[&str]) -> Result<Folder, StoreError> {
        let mut path = self.path.clone();
        for name in below.iter().filter(|name| !name.is_empty()) {
            path.push('/');
            path.push_str(name);
        }
        let path = RepoPath::new(&path).map_err(|_| StoreError::Name { path: self.root.join(&path) })?;
        Folder::open(&self.root, &path)
    }

    pub fn shown(&self, ledger: &dyn Display, file: &dyn Display) -> String {
        format!("{}/{ledger}/{file}", self.path)
    }

    /// Reads the files of a ledger: pairs of a path in the ledger and its content.
    ///
    /// What is no plain file, such as a link, a pipe, a folder or a huge file, has no bytes, so that it counts as damaged: it takes
    /// its place in the ledger and stops no other file. So does what is in the place of a folder, and what has a name that is no
    /// text. So does, if `skips_unreadable`, what the system refuses to read: then each
    /// file is checked by itself.
    pub fn files(&self, ledger: &str, skips_unreadable: bool) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut files = Vec::new();
        for below in std::iter::once(&"").chain(self.kind.folders) {
            let folder = match self.folder(&[ledger, below]) {
                Err(StoreError::Link { .. } | StoreError::NotAFolder { .. }) if !below.is_empty() => {
                    files.push(((*below).to_owned(), Vec::new()));
                    continue;
                }
                folder => folder?,
            };
            let path = |name: String| if below.is_empty() { name } else { format!("{below}/{name}") };
            let read = folder.list()?.into_par_iter().map(|name| {
                let bytes = match folder.read(&name) {
                    Err(error) if skips_unreadable || error.is_too_large() => Some(Vec::new()),
                    Err(error) => return Err(error),
                    // A file that is gone since it was listed was removed by git, with a checkout for example.
                    Ok(bytes) => bytes,
                };
                Ok(bytes.map(|bytes| (path(name), without_line_end(&bytes).to_vec())))
            });
            let read: Vec<Option<(String, Vec<u8>)>> = read.collect::<Result<_, StoreError>>()?;
            files.extend(read.into_iter().flatten());
            let odd = folder.odd_names(&|_, _| true)?;
            files.extend(folder.irregular()?.into_iter().chain(odd).map(|name| (path(name), Vec::new())));
        }
        Ok(files)
    }

    /// Creates a file of a ledger, and returns whether it did: of several processes that create one file, one does.
    pub fn create(&self, ledger: &str, file: &NewFile) -> Result<bool, StoreError> {
        let (folder, name) = file.path.parts();
        self.folder(&[ledger, folder])?.create(&name, &file.bytes)
    }

    pub fn has_inbox(&self, agent: &LogName) -> Result<bool, CardError> {
        Ok(self.folder(&[])?.folders()?.iter().any(|name| name == agent.as_str()))
    }

    /// Lists the inboxes, sorted by the names of their agents.
    pub fn inboxes(&self) -> Result<Vec<LogName>, CardError> {
        Ok(self.folder(&[])?.folders()?.iter().filter_map(|name| LogName::new(name).ok()).collect())
    }

    /// Reads a batch, or an inbox, which is empty if there is none.
    pub fn read(&self, name: &str) -> Result<Ledger, CardError> {
        let files = self.files(name, false)?;
        if !std::ptr::eq(self.kind, &BATCHES) {
            return Ok(Ledger::of_inbox(files));
        }
        let id = ShortId::parse(name).ok_or_else(|| CardError::NotFound(format!("batch not found: {name}")))?;
        Ledger::of_batch(&id, files).map_err(|error| match error {
            // The message begins with the path in the folder of batches.
            CardError::Invalid(message) => {
                CardError::Invalid(message.replacen(&format!("`{id}/"), &format!("`{}/{id}/", self.path), 1))
            }
            error => error,
        })
    }

    /// Lists the batches, sorted by id. A folder without `batch.json` is none: its fork was not finished.
    pub fn batches(&self) -> Result<Vec<ShortId>, CardError> {
        Ok(self.with_and_without_plan()?.0)
    }

    /// Lists the batches, and the folders of batches without `batch.json`, each sorted by id.
    pub fn with_and_without_plan(&self) -> Result<(Vec<ShortId>, Vec<ShortId>), CardError> {
        let names = self.folder(&[])?.folders()?;
        let ids = names.iter().filter_map(|name| ShortId::parse(name));
        // Reading it says what is wrong with it.
        Ok(ids.partition(|id| self.has_batch(id).unwrap_or(true)))
    }

    /// Returns the logs of the tasks of all batches. A batch that cannot be read has none: its commands say so.
    pub fn task_logs(&self) -> Result<Vec<TaskLog>, CardError> {
        let read = self.batches()?.into_iter().filter_map(|id| self.read(&id.to_string()).ok());
        Ok(read.flat_map(|batch| batch.task_logs()).collect())
    }

    /// Returns the paths, from the repo's root, of what is in the folder of batches and is none.
    pub fn odd_paths(&self) -> Result<Vec<String>, CardError> {
        let is_batch = |name: &str, is_folder: bool| is_folder && ShortId::parse(name).is_some();
        let names = self.folder(&[])?.odd_names(&is_batch)?;
        Ok(names.iter().map(|name| format!("{}/{name}", self.path)).collect())
    }

    pub fn has_batch(&self, id: &ShortId) -> Result<bool, CardError> {
        let folder = self.folder(&[&id.to_string()])?;
        if folder.is_irregular("batch.json")? {
            let path = self.shown(id, &"batch.json");
            let message = format!("`{path}`: it is no regular file; remove it, and restore it from git");
            return Err(CardError::Invalid(message));
        }
        Ok(folder.list()?.iter().any(|file| file == "batch.json"))
    }

    pub fn find_batch(&self, typed: &str) -> Result<ShortId, CardError> {
        let found = match ShortId::parse(&ShortId::prefix(typed, "batch_id")?) {
            Some(id) => self.has_batch(&id)?.then_some(id),
            None => ShortId::find(typed, "batch_id", self.batches()?)?,
        };
        found.ok_or_else(|| {
            CardError::NotFound(format!(
                "batch not found: {typed} (help: `contextpack batch list` lists them; `git pull` if another clone made it)"
            ))
        })
    }
}
