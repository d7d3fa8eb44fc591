//! The snapshot's files.

use super::IssueKey;
use super::place::is_repo;
use crate::model::{RepoPath, SNAPSHOT_VERSION, SnapshotIssue};
use crate::store::{Folder, StoreError, Wrote};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The folder of the snapshot: `<owner>/<repo>/<number>.json` below it.
pub(super) struct Files {
    pub(super) root: PathBuf,
    pub(super) dir: RepoPath,
    folders: BTreeMap<String, Folder>,
    /// What was done to each file in this run, by its path from the root.
    pub(super) changed: BTreeMap<String, &'static str>,
    /// Files that were as they should be.
    pub(super) unchanged: std::collections::BTreeSet<String>,
}

impl Files {
    pub(super) fn new(root: PathBuf, dir: RepoPath) -> Self {
        Self { root, dir, folders: BTreeMap::new(), changed: BTreeMap::new(), unchanged: Default::default() }
    }

    fn folder(&mut self, repo: &str) -> Result<&Folder, StoreError> {
        let wrong = || StoreError::Name { path: self.root.join(repo) };
        if !is_repo(repo) {
            return Err(wrong());
        }
        if !self.folders.contains_key(repo) {
            let dir = RepoPath::new(&format!("{}/{repo}", self.dir)).map_err(|_| wrong())?;
            let folder = Folder::open(&self.root, &dir)?;
            self.folders.insert(repo.to_owned(), folder);
        }
        self.folders.get(repo).ok_or_else(|| StoreError::Name { path: self.root.join(repo) })
    }

    /// The record of an issue; one that cannot be read as such counts as absent and is written anew.
    pub(super) fn read(&mut self, key: &IssueKey) -> Result<Option<SnapshotIssue>, StoreError> {
        let bytes = self.folder(&key.repo)?.read(&name(key.number))?;
        let issue: Option<SnapshotIssue> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(issue.filter(|issue| {
            issue.schema_version == SNAPSHOT_VERSION && issue.number == key.number && issue.repo == key.repo
        }))
    }

    /// Writes a record, unless its file is as it should be.
    pub(super) fn write(&mut self, issue: &SnapshotIssue) -> Result<(), StoreError> {
        let path = format!("{}/{}/{}", self.dir, issue.repo, name(issue.number));
        let text = serde_json::to_string_pretty(issue)
            .map_err(|error| StoreError::Write { path: self.root.join(&path), source: error.into() })?;
        match self.folder(&issue.repo)?.write(&name(issue.number), format!("{text}\n").as_bytes())? {
            Wrote::Written => {
                self.unchanged.remove(&path);
                self.changed.insert(path, "written");
            }
            Wrote::Unchanged if self.changed.contains_key(&path) => {}
            Wrote::Unchanged => {
                self.unchanged.insert(path);
            }
        }
        Ok(())
    }

    /// Removes the record of an issue that is gone.
    pub(super) fn remove(&mut self, key: &IssueKey) -> Result<bool, StoreError> {
        let removed = self.folder(&key.repo)?.remove(&name(key.number))?;
        if removed {
            self.changed.insert(format!("{}/{}/{}", self.dir, key.repo, name(key.number)), "removed");
        }
        Ok(removed)
    }

    /// The numbers of a repo's issues in the snapshot, rising.
    pub(super) fn numbers(&mut self, repo: &str) -> Result<Vec<u64>, StoreError> {
        let names = self.folder(repo)?.list()?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok()).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn name(number: u64) -> String {
    format!("{number}.json")
}
