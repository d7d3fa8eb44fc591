//! The files of the GitHub snapshot.

use super::walk::UnlistedEntry;
use super::{links, text};
use crate::git::{IndexEntry, StoredObjects};
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, describe, if_present};
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::fs::FileType;
use std::io;
use std::path::Path;
use walkdir::WalkDir;

/// The largest file of an issue, in bytes: long discussions are larger than other texts may be.
const MAX_BYTES: u64 = 32 << 20;

#[derive(Debug, Default)]
pub(super) struct SnapshotFiles {
    pub(super) files: Vec<RepoPath>,
    /// The ids of the contents of those that git tracks and has not checked out.
    stored: BTreeMap<RepoPath, Box<str>>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) unlisted: Vec<UnlistedEntry>,
}

impl SnapshotFiles {
    /// Lists `<owner>/<repo>/<number>.json` below `folder`; none if there is no such folder.
    ///
    /// No link is followed, and git is not asked: what `sync` wrote counts whether or not it is committed.
    pub(super) fn list(root: &Path, folder: &RepoPath) -> Self {
        let mut snapshot = Self::default();
        let mut top = root.to_owned();
        for part in folder.as_str().split('/').filter(|part| !part.is_empty()) {
            top.push(part);
            match if_present(top.symlink_metadata()) {
                Ok(Some(metadata)) if metadata.is_dir() => {}
                // Nothing was synced yet.
                Ok(None) => return snapshot,
                Ok(Some(_)) => {
                    let help = "put a folder in its place, or name another one with `github.snapshot`";
                    let message = "it is a link or no folder, so that no issue can be read there";
                    snapshot.report(folder.as_str(), message, help);
                    return snapshot;
                }
                Err(error) => {
                    snapshot.report_unlisted(folder.as_str(), &error);
                    return snapshot;
                }
            }
        }
        let is_expected = |entry: &walkdir::DirEntry| match (entry.depth(), entry.file_name().to_str()) {
            // Owners have no name with a full stop in front; repos may: `owner/.github`.
            (1, Some(name)) => !name.starts_with('.'),
            (3, Some(name)) => is_numbered(name),
            (_, name) => name.is_some(),
        };
        let path_of = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        for entry in WalkDir::new(&top).min_depth(1).max_depth(3).into_iter().filter_entry(is_expected) {
            match entry {
                Ok(entry) => snapshot.add(&path_of(entry.path()), entry.file_type(), entry.depth()),
                Err(error) => {
                    let path = error.path().map_or_else(|| folder.to_string(), path_of);
                    snapshot.report_unlisted(&path, &error.into());
                }
            }
        }
        snapshot.files.sort_unstable();
        snapshot
    }

    fn add(&mut self, path: &str, kind: FileType, depth: usize) {
        let help = "remove it, and run `contextpack sync` again";
        if kind.is_symlink() {
            self.report(path, "it is a link, which is not followed", help);
        } else if kind.is_file() && depth == 3 {
            self.files.extend(links::repo_path(path));
        } else if depth == 3 {
            self.report(path, "it is no file", help);
        }
    }

    /// Adds the files below `folder` that git tracks and has not checked out.
    pub(super) fn add_stored<'a>(&mut self, folder: &RepoPath, entries: impl Iterator<Item = IndexEntry<'a>>) {
        for entry in entries.filter(|entry| entry.skips_worktree && entry.is_file()) {
            let path = std::str::from_utf8(entry.path).ok().and_then(links::repo_path);
            let Some(path) = path.filter(|path| path.is_under(folder.as_str())) else { continue };
            let below = path.as_str()[folder.as_str().len()..].trim_start_matches('/');
            let is_issue = matches!(below.split('/').collect::<Vec<_>>()[..], [owner, _, name] if !owner.starts_with('.') && is_numbered(name));
            if is_issue && let Err(at) = self.files.binary_search(&path) {
                self.stored.insert(path.clone(), entry.id.into());
                self.files.insert(at, path);
            }
        }
    }

    /// Reports something else in place of a folder or file of the snapshot.
    fn report(&mut self, path: &str, what: &str, help: &str) {
        let at = links::repo_path(path).map(Place::file);
        self.diagnostics.push(Diagnostic::new(Code::InvalidSnapshot, at, what).help(help));
    }

    /// Reports a folder that cannot be listed, unless it is gone by now.
    fn report_unlisted(&mut self, path: &str, error: &io::Error) {
        if error.kind() != io::ErrorKind::NotFound {
            let what = format!("`{path}` of the snapshot cannot be listed: {}", describe(error));
            self.unlisted.push(UnlistedEntry::new(path, path, &what));
        }
    }

    pub(super) fn is_stored(&self, path: &RepoPath) -> bool {
        self.stored.contains_key(path)
    }

    pub(super) fn read(&self, root: &Dir, objects: &StoredObjects, path: &RepoPath) -> Result<String, Refusal> {
        self.files.binary_search(path).map_err(|_| Refusal::NotInRepo)?;
        match self.stored.get(path) {
            Some(id) => objects.read(id, MAX_BYTES).and_then(text::decode),
            None => text::read(root, path.as_str(), MAX_BYTES),
        }
    }
}

fn is_numbered(name: &str) -> bool {
    name.strip_suffix(".json")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
