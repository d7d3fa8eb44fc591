//! Follows symbolic links, one by one, without leaving the root.

use crate::model::{RepoPath, describe, if_present, is_absent};
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The most links in one path; more count as a cycle, as for the system itself.
const MAX_LINKS: usize = 40;

/// The end of a path once every link is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkEnd {
    /// A regular file; the path to it has no link.
    File(RepoPath),
    Folder(RepoPath),
    Missing(RepoPath),
    /// A name that exists and cannot be examined, or a part of its path; with the system's error.
    Unreadable(RepoPath, String),
    /// A place outside the root. An absolute link is outside wherever it leads: on another machine it leads elsewhere.
    Outside,
    /// A special file, or no end because the links form a cycle.
    Special,
}

/// What git tracks and the disk does not show: files that are not checked out, as outside a sparse checkout, and links that
/// lie there as plain files, or not at all.
#[derive(Debug, Default)]
pub(super) struct IndexOnly {
    /// The ids of the contents of files.
    pub(super) files: BTreeMap<String, Box<str>>,
    pub(super) links: BTreeMap<String, PathBuf>,
}

pub(super) enum Found {
    File,
    Folder,
    Link(PathBuf),
    Special,
}

impl IndexOnly {
    fn look(&self, root: &Dir, path: &str) -> io::Result<Found> {
        if let Some(target) = self.links.get(path) {
            return Ok(Found::Link(target.clone()));
        }
        match look(root, path) {
            Err(error) if is_absent(&error) && self.files.contains_key(path) => Ok(Found::File),
            Err(error) if is_absent(&error) && self.has_folder(path) => Ok(Found::Folder),
            found => found,
        }
    }

    fn has_folder(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let is_below = |path: Option<&String>| path.is_some_and(|path| path.starts_with(&folder));
        let (mut files, mut links) = (self.files.range(folder.clone()..), self.links.range(folder.clone()..));
        is_below(files.next().map(|(path, _)| path)) || is_below(links.next().map(|(path, _)| path))
    }
}

fn look(root: &Dir, path: &str) -> io::Result<Found> {
    let metadata = root.symlink_metadata(path)?;
    match metadata.file_type() {
        kind if kind.is_symlink() => root.read_link_contents(path).map(Found::Link),
        kind if kind.is_file() => Ok(Found::File),
        kind if kind.is_dir() => Ok(Found::Folder),
        _ => Ok(Found::Special),
    }
}

/// Looks at a path that git tracks; `None` for nothing, a folder, or something below a link.
pub(super) fn tracked(root: &Dir, path: &RepoPath) -> Result<Option<Found>, String> {
    if let Some(dir) = Some(path.dir()).filter(|dir| !dir.is_empty()).and_then(repo_path) {
        match follow(root, &IndexOnly::default(), &dir) {
            LinkEnd::Folder(real) if real == dir => {}
            LinkEnd::Unreadable(_, why) => return Err(why),
            _ => return Ok(None),
        }
    }
    let found = if_present(look(root, path.as_str())).map_err(|error| describe(&error))?;
    Ok(found.filter(|found| !matches!(found, Found::Folder)))
}

pub(super) fn follow(root: &Dir, index: &IndexOnly, path: &RepoPath) -> LinkEnd {
    let mut rest: Vec<String> = parts(path.as_str());
    let mut real: Vec<String> = Vec::new();
    let mut is_file = false;
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                if real.pop().is_none() {
                    return LinkEnd::Outside;
                }
                is_file = false;
                continue;
            }
            _ => real.push(part),
        }
        let here = real.join("/");
        is_file = false;
        match index.look(root, &here) {
            Err(error) => return stopped_at(here, rest, &error),
            Ok(Found::Special) => return LinkEnd::Special,
            Ok(Found::Folder) => {}
            Ok(Found::File) => is_file = true,
            Ok(Found::Link(target)) if is_outside(&target) => return LinkEnd::Outside,
            Ok(Found::Link(target)) => {
                links += 1;
                let Some(target) = target.to_str().filter(|_| links <= MAX_LINKS) else {
                    return LinkEnd::Special;
                };
                real.pop();
                rest.extend(parts(&with_slashes(target)));
            }
        }
    }
    match (repo_path(&real.join("/")), is_file) {
        (Some(path), true) => LinkEnd::File(path),
        (Some(path), false) => LinkEnd::Folder(path),
        (None, _) => LinkEnd::Outside,
    }
}

fn parts(path: &str) -> Vec<String> {
    path.split('/').rev().map(str::to_owned).collect()
}

/// Returns the end of a path that could be followed only as far as `here`.
fn stopped_at(mut here: String, rest: Vec<String>, error: &io::Error) -> LinkEnd {
    for part in rest.into_iter().rev() {
        here.push('/');
        here.push_str(&part);
    }
    match repo_path(&here) {
        None => LinkEnd::Outside,
        // No file can have a name that is too long.
        Some(path) if is_absent(error) || error.kind() == io::ErrorKind::InvalidFilename => LinkEnd::Missing(path),
        Some(path) => LinkEnd::Unreadable(path, describe(error)),
    }
}

/// Makes a repo path of names on disk: `~x` and `c:x` are plain names here.
pub(super) fn repo_path(path: &str) -> Option<RepoPath> {
    RepoPath::new(&format!("./{path}")).ok()
}

fn is_outside(target: &Path) -> bool {
    target.has_root()
        || target.is_absolute()
        || target.components().any(|part| matches!(part, std::path::Component::Prefix(_)))
}

#[cfg(windows)]
fn with_slashes(target: &str) -> String {
    target.replace('\\', "/")
}

#[cfg(not(windows))]
fn with_slashes(target: &str) -> String {
    target.to_owned()
}
