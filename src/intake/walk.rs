//! The names in a repo that git does not ignore.

use super::links::repo_path;
use super::text;
use crate::config::IgnorePatterns;
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, Severity, describe, is_absent};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry};
use rayon::Scope;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Default)]
pub(super) struct WalkResult {
    pub(super) files: Vec<RepoPath>,
    pub(super) links: Vec<RepoPath>,
    /// Special files: neither files nor folders nor links.
    pub(super) special: Vec<RepoPath>,
    /// Folders that were listed, as paths from the root; the root's is empty.
    pub(super) folders: Vec<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) unlisted: Vec<UnlistedEntry>,
}

/// A file or folder that exists and could not be listed or examined.
#[derive(Debug)]
pub(super) struct UnlistedEntry {
    /// Its path from the root, whose own is empty. Anything may exist there and below it.
    pub(super) path: String,
    /// Reports it, as an error.
    pub(super) diagnostic: Diagnostic,
}

impl UnlistedEntry {
    /// An entry for `path`, reported at the file `at` with the message `what`.
    pub(super) fn new(path: &str, at: &str, what: &str) -> Self {
        let help = "make it readable, or let git ignore it; until then no pack is built or removed";
        Self { path: path.to_owned(), diagnostic: unreadable(at, what).with_severity(Severity::Error).help(help) }
    }
}

/// A walk through a repo, shared by the tasks that list its folders.
struct RepoWalk<'a> {
    root: &'a Path,
    handle: &'a Dir,
    excluded: &'a ExcludedFolders,
    /// The repositories that are entered.
    entered: &'a [RepoPath],
    /// The root's path from the work tree's top, with a `/` at its end; empty if they are the same.
    prefix: &'a [u8],
    found: Mutex<WalkResult>,
}

/// Lists what git does not ignore below `root`, whose own folder is open as `handle`; folders in parallel. Fails if the root itself
/// cannot be listed.
pub(super) fn list(
    root: &Path,
    handle: &Dir,
    (excluded, entered): (&ExcludedFolders, &[RepoPath]),
    inherited: &InheritedRules,
) -> io::Result<WalkResult> {
    let walk = RepoWalk { root, handle, excluded, entered, prefix: &inherited.prefix, found: Mutex::default() };
    let entries = walk.entries("")?;
    rayon::scope(|scope| walk.add(walk.listed(scope, "", inherited.rules.clone(), &entries)));
    Ok(walk.found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Folders that are never inputs, as paths from the root.
#[derive(Debug)]
pub(super) struct ExcludedFolders(Vec<RepoPath>);

impl ExcludedFolders {
    /// The root itself cannot be excluded.
    pub(super) fn new(folders: impl Iterator<Item = RepoPath>) -> Self {
        Self(folders.filter(|folder| !folder.as_str().is_empty()).collect())
    }

    /// Whether `path` is one of the folders or lies below one. Case is ignored: on some systems `Packs` is the folder
    /// `packs`.
    pub(super) fn contains(&self, path: &str) -> bool {
        self.0.iter().any(|folder| {
            let folder = folder.as_str();
            path.get(..folder.len()).is_some_and(|start| start.eq_ignore_ascii_case(folder))
                && matches!(path.as_bytes().get(folder.len()), None | Some(b'/'))
        })
    }
}

/// The rules that hold at the root because of folders above it.
#[derive(Debug, Default)]
pub(super) struct InheritedRules {
    /// The root's path from the work tree's top, with a `/` at its end; empty if they are the same.
    prefix: Vec<u8>,
    rules: Option<Arc<IgnoreRules>>,
}

/// Reads the ignore files between a work tree's `top` and the `root` below it.
///
/// `None` if one of them ignores the root itself: such a folder is a repo of its own.
pub(super) fn inherited_rules(top: &Path, root: &Path) -> io::Result<Option<InheritedRules>> {
    let mut inherited = InheritedRules::default();
    let Ok(below) = root.strip_prefix(top) else {
        return Ok(None);
    };
    let mut dir = top.to_owned();
    for part in below.components() {
        let handle = Dir::open_ambient_dir(&dir, ambient_authority())?;
        let refusal;
        (inherited.rules, refusal) = IgnoreRules::extend(inherited.rules.take(), &handle, "", inherited.prefix.len());
        if refusal.is_some() {
            return Err(io::Error::other(format!("`{}` cannot be used", dir.join(".gitignore").display())));
        }
        inherited.prefix.extend_from_slice(part.as_os_str().as_encoded_bytes());
        if IgnoreRules::ignore(inherited.rules.as_ref(), &inherited.prefix, true) {
            return Ok(None);
        }
        inherited.prefix.push(b'/');
        dir.push(part);
    }
    Ok(Some(inherited))
}

impl RepoWalk<'_> {
    /// Lists one folder; `folder` is its path from the root, with a `/` at its end unless it is the root.
    fn list_folder<'s>(&'s self, scope: &Scope<'s>, folder: String, above: Option<Arc<IgnoreRules>>) {
        let here = match self.entries(&folder) {
            Ok(entries) => self.listed(scope, &folder, above, &entries),
            // Removed since its name was read.
            Err(error) if is_absent(&error) => return,
            Err(error) => {
                let path = folder.trim_end_matches('/');
                let what = format!("`{path}` cannot be listed: {}", describe(&error));
                WalkResult { unlisted: vec![UnlistedEntry::new(path, path, &what)], ..WalkResult::default() }
            }
        };
        self.add(here);
    }

    fn add(&self, here: WalkResult) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.files.extend(here.files);
        found.links.extend(here.links);
        found.special.extend(here.special);
        found.folders.extend(here.folders);
        found.diagnostics.extend(here.diagnostics);
        found.unlisted.extend(here.unlisted);
    }

    fn entries(&self, folder: &str) -> io::Result<Vec<DirEntry>> {
        // Not with the standard library, which panics if the system cannot close a folder.
        Dir::open_ambient_dir(self.root.join(folder), ambient_authority())?.entries()?.collect()
    }

    /// Returns one folder's entries, and starts tasks for the folders among them.
    fn listed<'s>(
        &'s self,
        scope: &Scope<'s>,
        folder: &str,
        above: Option<Arc<IgnoreRules>>,
        entries: &[DirEntry],
    ) -> WalkResult {
        let mut here = WalkResult::default();
        let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
        let is_repo = !folder.is_empty() && has(".git");
        if is_repo && !self.entered.iter().any(|entered| entered.as_str() == folder.trim_end_matches('/')) {
            return here;
        }
        here.folders.push(folder.trim_end_matches('/').to_owned());
        let mut rules = above.filter(|_| !is_repo);
        if has(".gitignore") {
            let refusal;
            (rules, refusal) = IgnoreRules::extend(rules, self.handle, folder, self.prefix.len() + folder.len());
            let file = format!("{folder}.gitignore");
            match refusal {
                None => {}
                Some(Refusal::Unreadable(why)) => {
                    let what = format!("`{file}` cannot be read, so which files count is unknown: {why}");
                    here.unlisted.push(UnlistedEntry::new(folder.trim_end_matches('/'), &file, &what));
                }
                Some(_) => {
                    let what = "the ignore file cannot be used, so everything below counts as ignored";
                    here.diagnostics.push(unreadable(&file, what));
                }
            }
        }
        for entry in entries {
            let name = entry.file_name();
            if name.eq_ignore_ascii_case(".git") {
                continue;
            }
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) if is_absent(&error) => continue,
                Err(error) => {
                    let path = format!("{folder}{}", name.to_string_lossy());
                    let what = format!("`{path}` cannot be looked at: {}", describe(&error));
                    here.unlisted.push(UnlistedEntry::new(&path, &path, &what));
                    continue;
                }
            };
            let full = [self.prefix, folder.as_bytes(), name.as_encoded_bytes()].concat();
            if IgnoreRules::ignore(rules.as_ref(), &full, kind.is_dir()) {
                continue;
            }
            let Some(name) = name.to_str() else {
                here.diagnostics.push(unusable_name(folder, &name.to_string_lossy()));
                continue;
            };
            let path = format!("{folder}{name}");
            if self.excluded.contains(&path) {
                continue;
            }
            if kind.is_dir() {
                let rules = rules.clone();
                scope.spawn(move |scope| self.list_folder(scope, path + "/", rules));
            } else if let Some(path) = repo_path(&path) {
                if kind.is_symlink() {
                    here.links.push(path);
                } else if kind.is_file() {
                    here.files.push(path);
                } else {
                    if is_text_name(path.name()) {
                        let what = "it is no file but a pipe, a socket or a device, and was left out";
                        here.diagnostics.push(unreadable(path.as_str(), what).help("put a file in its place"));
                    }
                    here.special.push(path);
                }
            }
        }
        here
    }
}

/// The patterns of one folder, on top of those of the folders above it.
#[derive(Debug)]
struct IgnoreRules {
    /// The length of this folder's path with its final `/`, in bytes from the work tree's top.
    folder_len: usize,
    patterns: IgnorePatterns,
    above: Option<Arc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Whether git ignores a path, provided that it ignores no folder above it.
    ///
    /// `path` begins at the work tree's top. The deepest file with a pattern that matches decides.
    fn ignore(rules: Option<&Arc<Self>>, path: &[u8], is_dir: bool) -> bool {
        let mut next = rules;
        while let Some(rules) = next {
            if let Some(verdict) = path.get(rules.folder_len..).and_then(|path| rules.patterns.verdict(path, is_dir)) {
                return verdict;
            }
            next = rules.above.as_ref();
        }
        false
    }

    /// Adds the patterns of a folder's own `.gitignore`.
    ///
    /// `folder` is the folder's path below `root`, with a `/` at its end unless it is empty; `folder_len` its length from
    /// the work tree's top. A file that cannot be used ignores everything, so that what the user meant to hide stays
    /// hidden; the second value is the reason.
    fn extend(
        above: Option<Arc<Self>>,
        root: &Dir,
        folder: &str,
        folder_len: usize,
    ) -> (Option<Arc<Self>>, Option<Refusal>) {
        let read = text::read_bytes(root, &format!("{folder}.gitignore"), text::size_limit(""));
        let (patterns, refusal) = match read {
            Ok(bytes) => (IgnorePatterns::gitignore(&bytes), None),
            // git, too, follows no link here and reads no folder.
            Err(Refusal::NotInRepo | Refusal::Binary) => return (above, None),
            Err(refusal) => (IgnorePatterns::gitignore(b"*"), Some(refusal)),
        };
        if patterns.is_empty() {
            return (above, refusal);
        }
        (Some(Arc::new(Self { folder_len, patterns, above })), refusal)
    }
}

/// Whether a work item, an ADR or a document may have this name.
fn is_text_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "yml", "yaml", "json", "jsonl", "rst", "adoc", "txt"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(extension))
}

fn unreadable(path: &str, what: &str) -> Diagnostic {
    Diagnostic::new(Code::UnreadableFile, repo_path(path).map(Place::file), what)
}

/// Reports a file name that is not UTF-8; `shown` is its readable part.
pub(super) fn unusable_name(folder: &str, shown: &str) -> Diagnostic {
    let place = repo_path(folder).filter(|path| !path.as_str().is_empty()).map(Place::file);
    let message = format!("the file name `{shown}` is not UTF-8, so the file is left out");
    Diagnostic::new(Code::UnreadableFile, place, message).help("rename the file")
}
