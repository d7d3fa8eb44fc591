//! The files of the snapshot.

use super::IssueKey;
use crate::model::{RepoPath, SNAPSHOT_VERSION, SnapshotIssue, is_repo_name};
use crate::store::{Folder, StoreError, WriteResult};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The folder of the snapshot: `<owner>/<repo>/<number>.json` below it.
pub(super) struct SnapshotDir {
    pub(super) root: PathBuf,
    pub(super) dir: RepoPath,
    folders: BTreeMap<String, Folder>,
    /// The changes of this run, `written` or `removed`, by the file's path from the root.
    pub(super) changed: BTreeMap<String, &'static str>,
    pub(super) unchanged: BTreeSet<String>,
    /// The files written or removed since the last [`SnapshotDir::flush`]: names by repo.
    unflushed: BTreeMap<String, BTreeSet<String>>,
}

impl SnapshotDir {
    pub(super) fn new(root: PathBuf, dir: RepoPath) -> Self {
        let (folders, changed, unchanged, unflushed) = Default::default();
        Self { root, dir, folders, changed, unchanged, unflushed }
    }

    fn folder(&mut self, repo: &str) -> Result<&Folder, StoreError> {
        let wrong = || StoreError::Name { path: self.root.join(repo) };
        if !is_repo_name(repo) {
            return Err(wrong());
        }
        if !self.folders.contains_key(repo) {
            let dir = RepoPath::new(&format!("{}/{repo}", self.dir)).map_err(|_| wrong())?;
            let folder = Folder::open(&self.root, &dir)?;
            self.folders.insert(repo.to_owned(), folder);
        }
        self.folders.get(repo).ok_or_else(wrong)
    }

    /// Reads the record of an issue; a file that cannot be parsed counts as absent and is replaced.
    pub(super) fn read(&mut self, key: &IssueKey) -> Result<Option<SnapshotIssue>, StoreError> {
        let bytes = self.folder(&key.repo)?.read(&name(key.number))?;
        let issue: Option<SnapshotIssue> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(issue.filter(|issue| {
            issue.schema_version == SNAPSHOT_VERSION && issue.number == key.number && issue.repo == key.repo
        }))
    }

    /// Writes a record, unless its file is up to date.
    pub(super) fn write(&mut self, issue: &SnapshotIssue) -> Result<(), StoreError> {
        let path = format!("{}/{}/{}", self.dir, issue.repo, name(issue.number));
        let text = serde_json::to_string_pretty(issue)
            .map_err(|error| StoreError::Write { path: self.root.join(&path), source: error.into() })?;
        match self.folder(&issue.repo)?.write(&name(issue.number), format!("{text}\n").as_bytes())? {
            WriteResult::Written => {
                self.unflushed.entry(issue.repo.clone()).or_default().insert(name(issue.number));
                self.unchanged.remove(&path);
                self.changed.insert(path, "written");
            }
            WriteResult::Unchanged if self.changed.contains_key(&path) => {}
            WriteResult::Unchanged => {
                self.unchanged.insert(path);
            }
        }
        Ok(())
    }

    /// The saved state says what need not be fetched again, so it must not survive a power cut without the files.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        for (repo, names) in std::mem::take(&mut self.unflushed) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.folder(&repo)?.sync(&names)?;
        }
        Ok(())
    }

    /// Removes the record of an issue, and returns whether there was one.
    pub(super) fn remove(&mut self, key: &IssueKey) -> Result<bool, StoreError> {
        let removed = self.folder(&key.repo)?.remove(&name(key.number))?;
        if removed {
            self.unflushed.entry(key.repo.clone()).or_default().insert(name(key.number));
            self.changed.insert(format!("{}/{}/{}", self.dir, key.repo, name(key.number)), "removed");
        }
        Ok(removed)
    }

    /// Lists the numbers of a repo's issues in the snapshot, in ascending order.
    pub(super) fn numbers(&mut self, repo: &str) -> Result<Vec<u64>, StoreError> {
        let names = self.folder(repo)?.list()?;
        let number = |file: &String| file.strip_suffix(".json")?.parse().ok().filter(|number| name(*number) == *file);
        let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn name(number: u64) -> String {
    format!("{number}.json")
}
