//! The files of the GitHub snapshot.

use super::walk::UnlistedEntry;
use super::{links, text};
use crate::git::{IndexEntry, StoredObjects};
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, describe};
use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::io;

/// The largest file of an issue, in bytes: long discussions are larger than other texts may be.
const MAX_BYTES: u64 = 32 << 20;

/// The files of the snapshot when the repo was opened.
#[derive(Debug, Default)]
pub(super) struct SnapshotFiles {
    /// Sorted.
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
    pub(super) fn list(root: &Dir, folder: &RepoPath) -> Self {
        let mut snapshot = Self::default();
        let parts: Vec<&str> = folder.as_str().split('/').filter(|part| !part.is_empty()).collect();
        match parts.iter().try_fold(None, |dir: Option<Dir>, part| open(dir.as_ref().unwrap_or(root), part).map(Some)) {
            Ok(dir) => snapshot.list_folder(dir.as_ref().unwrap_or(root), folder.as_str(), 0),
            Err(fault) => snapshot.report_fault(folder.as_str(), &fault),
        }
        snapshot.files.sort_unstable();
        snapshot
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

    fn list_folder(&mut self, dir: &Dir, path: &str, depth: u8) {
        let entries = match dir.entries() {
            Ok(entries) => entries,
            Err(error) => return self.report_fault(path, &SnapshotFault::Refused(error)),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                // The rest is unknown; it is reported once.
                Err(error) => return self.report_fault(path, &SnapshotFault::Refused(error)),
            };
            let Ok(name) = entry.file_name().into_string() else { continue };
            let below = format!("{path}/{name}");
            // Owners have no name with a full stop in front; repos may: `owner/.github`.
            let expected = if depth == 2 { is_numbered(&name) } else { depth == 1 || !name.starts_with('.') };
            if !expected {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < 2 => match open(dir, &name) {
                    Ok(dir) => self.list_folder(&dir, &below, depth + 1),
                    Err(fault) => self.report_fault(&below, &fault),
                },
                Ok(kind) if kind.is_file() && depth == 2 => self.files.extend(links::repo_path(&below)),
                Ok(kind) if kind.is_symlink() => self.report_unexpected(&below, "it is a link, which is not followed"),
                Ok(_) if depth == 2 => self.report_unexpected(&below, "it is no file"),
                // A file beside the folders is no issue.
                Ok(_) => {}
                Err(error) => self.report_fault(&below, &SnapshotFault::Refused(error)),
            }
        }
    }

    /// Reports something else in place of a folder or file of the snapshot.
    fn report_unexpected(&mut self, path: &str, what: &str) {
        let at = links::repo_path(path).map(Place::file);
        let help = "remove it, and run `contextpack sync` again";
        self.diagnostics.push(Diagnostic::new(Code::InvalidSnapshot, at, what).help(help));
    }

    /// Reports a folder that cannot be listed. Absence is no fault: nothing was synced yet.
    fn report_fault(&mut self, path: &str, fault: &SnapshotFault) {
        match fault {
            SnapshotFault::Refused(error) if error.kind() == io::ErrorKind::NotFound => {}
            SnapshotFault::Refused(error) => {
                let what = format!("`{path}` of the snapshot cannot be listed: {}", describe(error));
                self.unlisted.push(UnlistedEntry::new(path, path, &what));
            }
            SnapshotFault::NotAFolder => {
                let at = links::repo_path(path).map(Place::file);
                let help = "put a folder in its place, or name another one with `github.snapshot`";
                let message = "it is a link or no folder, so that no issue can be read there";
                self.diagnostics.push(Diagnostic::new(Code::InvalidSnapshot, at, message).help(help));
            }
        }
    }

    /// Whether a file is not checked out.
    pub(super) fn is_stored(&self, path: &RepoPath) -> bool {
        self.stored.contains_key(path)
    }

    /// Reads one of the files.
    pub(super) fn read(&self, root: &Dir, objects: &StoredObjects, path: &RepoPath) -> Result<String, Refusal> {
        self.files.binary_search(path).map_err(|_| Refusal::NotInRepo)?;
        match self.stored.get(path) {
            Some(id) => objects.read(id, MAX_BYTES).and_then(text::decode),
            None => text::read(root, path.as_str(), MAX_BYTES),
        }
    }
}

/// Why a folder of the snapshot cannot be opened.
enum SnapshotFault {
    /// It is a link or a file.
    NotAFolder,
    /// The system refused.
    Refused(io::Error),
}

fn open(dir: &Dir, name: &str) -> Result<Dir, SnapshotFault> {
    let refused = match dir.open_dir_nofollow(name) {
        Ok(dir) => return Ok(dir),
        Err(error) => error,
    };
    match dir.symlink_metadata(name) {
        Ok(metadata) if !metadata.is_dir() => Err(SnapshotFault::NotAFolder),
        _ => Err(SnapshotFault::Refused(refused)),
    }
}

fn is_numbered(name: &str) -> bool {
    name.strip_suffix(".json")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
