//! The files of ledgers on disk: folders to which files are only ever added.

use crate::handoff::cards::without_line_end;
use crate::model::RepoPath;
use crate::store::{Folder, StoreError};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Returns what counts instead of a file that the system refuses to read.
pub type Unread = fn(StoreError) -> Result<Vec<u8>, StoreError>;

/// Nothing does: what a ledger says is not known without all of its files.
pub const REFUSED: Unread = Err;

/// An empty file, which is damaged, where each file is checked by itself.
pub const DAMAGED: Unread = |_| Ok(Vec::new());

/// A folder of ledgers below the folder of cards. Each ledger is a folder with files, and folders of files.
#[derive(Debug)]
pub struct LedgerFolder {
    root: PathBuf,
    /// The folder, from the root.
    path: String,
}

impl LedgerFolder {
    /// Opens the folder `name` below `dir` of the repo at `root`, which need not exist.
    pub fn new(root: &Path, dir: &RepoPath, name: &str) -> Self {
        let separator = if dir.as_str().is_empty() { "" } else { "/" };
        Self { root: root.to_owned(), path: format!("{dir}{separator}{name}") }
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

    /// Returns the path of a file of a ledger from the repo's root.
    pub fn shown(&self, ledger: &str, file: &str) -> String {
        format!("{}/{ledger}/{file}", self.path)
    }

    /// Lists the names of the ledgers, sorted.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        self.folder(&[])?.folders()
    }

    /// Lists the names in the folder that are no ledgers, hidden ones left out: files, links, and folders whose names are none that
    /// `is_ledger` accepts.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn odd_names(&self, is_ledger: &dyn Fn(&str) -> bool) -> Result<Vec<String>, StoreError> {
        self.folder(&[])?.odd_names(&|name, is_folder| is_folder && is_ledger(name))
    }

    /// Returns whether a ledger has a file of this name, outside its folders; `None` if something else is in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn has(&self, ledger: &str, name: &str) -> Result<Option<bool>, StoreError> {
        let folder = self.folder(&[ledger])?;
        Ok((!folder.is_irregular(name)?).then_some(folder.list()?.iter().any(|file| file == name)))
    }

    /// Reads the files of a ledger, and those in these folders of it: pairs of a path in the ledger and its content.
    ///
    /// What is no plain file, such as a link, a pipe, a folder or a huge file, has no bytes, so that it counts as damaged: it takes
    /// its place in the ledger and stops no other file. So does what is in the place of a folder, and what has a name that is no
    /// text. `unread` says what counts instead of a file that the system refuses to read, or that nothing does.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read(&self, ledger: &str, folders: &[&str], unread: Unread) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut files = Vec::new();
        for below in std::iter::once(&"").chain(folders) {
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
                    Err(error) if error.is_too_large() => Some(Vec::new()),
                    Err(error) => Some(unread(error)?),
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
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(&self, ledger: &str, folder: &str, name: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        self.folder(&[ledger, folder])?.create(name, bytes)
    }
}
