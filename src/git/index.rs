//! What git tracks, and the settings of a clone.

use super::folder::{is_repository, may_be_sparse, work_tree};
use super::run::{Git, GitError};
use crate::model::{RepoPath, is_absent};
use std::ffi::OsStr;
use std::path::Path;

/// Why git does not say which files it tracks.
#[derive(Debug)]
pub struct GitUnavailable {
    /// The reason: a sentence without a secret.
    pub why: String,
    /// Whether git is not installed for a whole checkout, or there is no repository where `.git` says it is. Other reasons may be temporary.
    pub absent: bool,
}

/// Returns the entries of the index below `root` outside `excluded` folders, for [`index_entries`] to read.
pub fn entries(root: &Path, excluded: &[RepoPath]) -> Result<Vec<u8>, GitUnavailable> {
    let mut arguments: Vec<String> = ["ls-files", "-z", "-t", "--stage", "--", "."].map(str::to_owned).into();
    arguments.extend(excluded.iter().map(|folder| outside(folder.as_str())));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // A partial clone would ask its remote for the folders of a sparse index.
    Git::isolated(root, &arguments).offline().bytes().map_err(|GitError { why, is_missing, .. }| {
        let absent = if is_missing { !may_be_sparse(root) } else { !is_repository(root).unwrap_or(true) };
        GitUnavailable { why, absent }
    })
}

/// Returns the entries of the index of another repository in a `folder` below `root`, with their paths from `root`.
pub fn entries_in(root: &Path, folder: &RepoPath) -> Result<Vec<u8>, GitUnavailable> {
    let mut all = Vec::new();
    for entry in entries(&root.join(folder.as_str()), &[])?.split_inclusive(|byte| *byte == 0) {
        let path = entry.iter().position(|byte| *byte == b'\t').map_or(0, |tab| tab + 1);
        let (head, path) = entry.split_at(path);
        all.extend([head, folder.as_str().as_bytes(), b"/", path].concat());
    }
    Ok(all)
}

/// Returns the pathspec that leaves out a folder.
pub(super) fn outside(folder: &str) -> String {
    format!(":(exclude,literal){folder}")
}

/// A tracked file, link or submodule.
#[derive(Debug, Clone, Copy)]
pub struct IndexEntry<'a> {
    /// The path as git writes it: bytes, `/` between parts, relative to the root.
    pub path: &'a [u8],
    pub id: &'a str,
    mode: &'a str,
    /// Whether git leaves the path on disk alone, as outside a sparse checkout.
    pub skips_worktree: bool,
}

impl IndexEntry<'_> {
    /// Returns whether it is a symbolic link, whatever is on disk.
    pub fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    pub fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

pub fn index_entries(entries: &[u8]) -> impl Iterator<Item = IndexEntry<'_>> {
    // `<tag> <mode> <id> <stage>\t<path>`
    entries.split(|byte| *byte == 0).filter_map(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let mut words = std::str::from_utf8(entry.get(..tab)?).ok()?.split(' ');
        let (tag, mode, id) = (words.next()?, words.next()?, words.next()?);
        Some(IndexEntry { path: entry.get(tab + 1..)?, id, mode, skips_worktree: tag == "S" })
    })
}

/// Returns whether the clone stores links as plain files that hold their targets, as on Windows.
pub fn is_without_links(root: &Path) -> bool {
    let value = Git::isolated(root, &["config", "--local", "--type=bool", "core.symlinks"]).text();
    value.is_ok_and(|value| value == "false")
}

/// Returns whether git tracks the file at `path`. `true` if git cannot say so: such a file is not removed.
pub fn is_tracked(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else { return true };
    match folder.canonicalize() {
        Err(error) if is_absent(&error) => return false,
        Err(_) => return true,
        Ok(real) => match work_tree(&real) {
            Ok(None) => return false,
            Ok(Some(_)) => {}
            Err(_) => return true,
        },
    }
    let name = format!(":(literal){name}");
    let listed = Git::isolated(folder, &["ls-files", "-z", "--cached", "--", &name]).bytes();
    listed.map_or(true, |listed| !listed.is_empty())
}

/// Returns the URL of the remote `origin` without user name and password, if there is one.
pub fn remote(root: &Path) -> Result<Option<String>, String> {
    if work_tree(root).map_err(|error| error.to_string())?.is_none() {
        return Ok(None);
    }
    let names = Git::isolated(root, &["remote"]).text()?;
    if !names.lines().any(|name| name == "origin") {
        return Ok(None);
    }
    let url = Git::isolated(root, &["remote", "get-url", "origin"]).bytes()?;
    let url = String::from_utf8(url).map_err(|_| "the URL of the remote `origin` is not UTF-8".to_owned())?;
    let url = url.trim();
    Ok(match url.split_once("://") {
        _ if url.is_empty() => None,
        None => Some(url.to_owned()),
        Some((scheme, rest)) => {
            let host_end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
            Some(format!("{scheme}://{}", &rest[host..]))
        }
    })
}

/// Sets values in the git configuration of this clone.
pub fn configure(root: &Path, values: &[(&str, &str)]) -> Result<(), String> {
    values.iter().try_for_each(|(name, value)| {
        Git::isolated(root, &["config", "--local", name, value]).bytes()?;
        Ok(())
    })
}
