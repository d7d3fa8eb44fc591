//! Where git's files are: the work tree, its git folder, and what decides which files and commits there are.

use crate::model::if_present;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Something that may be a git folder and cannot be examined.
#[derive(Debug, thiserror::Error)]
#[error("cannot read `{}`", path.display())]
pub struct UnreadableGit {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Finds the nearest folder upwards with `.git`, which is a file in linked work trees and submodules.
pub fn work_tree(root: &Path) -> Result<Option<&Path>, UnreadableGit> {
    for dir in root.ancestors() {
        let path = dir.join(".git");
        match if_present(path.symlink_metadata()) {
            Ok(Some(_)) => return Ok(Some(dir)),
            Ok(None) => {}
            Err(source) => return Err(UnreadableGit { path, source }),
        }
    }
    Ok(None)
}

/// Returns whether a folder is in a git repository, as far as that can be found out.
pub fn is_in_git(root: &Path) -> bool {
    !matches!(work_tree(root), Ok(None))
}

/// Finds the git folder of the work tree around `root`, which holds the index; `None` if there is none.
pub fn git_folder(root: &Path) -> Result<Option<PathBuf>, UnreadableGit> {
    let Some(top) = work_tree(root)? else { return Ok(None) };
    folder_at(top).map_err(|source| UnreadableGit { path: top.join(".git"), source })
}

fn folder_at(top: &Path) -> io::Result<Option<PathBuf>> {
    let git = top.join(".git");
    let Some(metadata) = if_present(git.metadata())? else { return Ok(None) };
    if !metadata.is_file() {
        return Ok(metadata.is_dir().then_some(git));
    }
    // In a linked work tree and in a submodule it is a file that names the folder.
    let text = String::from_utf8(fs::read(git)?).unwrap_or_default();
    let Some(folder) = text.trim().strip_prefix("gitdir:").map(|folder| top.join(folder.trim())) else {
        return Ok(None);
    };
    Ok(if_present(folder.metadata())?.map(|_| folder))
}

/// Returns the git folder around `root`, if there is one that can be examined.
fn readable_folder(root: &Path) -> Option<PathBuf> {
    git_folder(root).ok().flatten()
}

/// Returns whether there is a repository where `.git` says it is, judged by the files that each one has.
pub(super) fn is_repository(root: &Path) -> io::Result<bool> {
    let Some(git) = git_folder(root).map_err(|error| error.source)? else { return Ok(false) };
    let has = |name: &str| Ok::<bool, io::Error>(if_present(git.join(name).metadata())?.is_some());
    // A linked work tree has a file that names the folder with the rest.
    Ok(has("HEAD")? && (has("commondir")? || has("objects")? && has("refs")?))
}

/// Returns whether nothing was ever added to the repository around `root`, so that git says nothing about any file.
/// Removing the last tracked file leaves an empty index, which is not the same.
pub fn is_without_index(root: &Path) -> bool {
    readable_folder(root).is_some_and(|git| matches!(if_present(git.join("index").symlink_metadata()), Ok(None)))
}

/// Returns whether only a part of the work tree around `root` may be checked out.
pub fn is_sparse(root: &Path) -> bool {
    readable_folder(root).is_some_and(|git| git.join("info/sparse-checkout").is_file())
}

/// Returns whether files may be missing below `root` because they are not checked out, as the settings of its repository say.
pub(super) fn may_be_sparse(root: &Path) -> bool {
    let Some(git) = readable_folder(root) else { return false };
    ["config", "config.worktree"].iter().any(|name| {
        let text = fs::read_to_string(git.join(name)).unwrap_or_default().to_lowercase();
        text.lines().any(|line| line.replace(char::is_whitespace, "") == "sparsecheckout=true")
    })
}

/// Returns the files outside the folders below `root` that decide what is tracked and ignored there.
pub fn outside_inputs(root: &Path) -> Vec<PathBuf> {
    // If they cannot be examined there is nothing to watch; the build reports why.
    let Ok(Some(top)) = work_tree(root) else { return Vec::new() };
    let mut files: Vec<PathBuf> = vec![top.join(".git")];
    let above = root.ancestors().skip(1).take_while(|dir| dir.starts_with(top));
    files.extend(above.map(|dir| dir.join(".gitignore")));
    files.extend(readable_folder(top).into_iter().flat_map(|git| [git.join("HEAD"), git.join("index")]));
    files
}

/// Returns the files that change when the history of `HEAD` does: the branch, packed and stacked references, and the
/// boundary of a shallow clone; for each also the folders of the git repository above it, which may be new.
pub fn history_inputs(root: &Path) -> Vec<PathBuf> {
    let Some(git) = readable_folder(root) else { return Vec::new() };
    // A linked work tree has its own `HEAD` and shares the branches.
    let shared = fs::read_to_string(git.join("commondir")).map(|folder| git.join(folder.trim_end()));
    let shared = shared.and_then(|folder| folder.canonicalize()).unwrap_or_else(|_| git.clone());
    let mut files = vec![git.join("HEAD"), git.join("reftable/tables.list")];
    files.extend(["packed-refs", "shallow", "reftable/tables.list"].map(|name| shared.join(name)));
    let head = fs::read_to_string(git.join("HEAD")).unwrap_or_default();
    let branch = head.strip_prefix("ref: ").map(str::trim_end).filter(|branch| {
        branch.starts_with("refs/") && branch.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
    });
    let branch = branch.map(|branch| shared.join(branch));
    let above = branch.iter().flat_map(|file| file.ancestors().take_while(|part| *part != shared));
    files.extend(above.map(Path::to_owned));
    files
}
