//! Questions to git: which files it tracks, and the remote.

use super::error::{describe, exists, is_absent};
use super::root::work_tree;
use crate::model::RepoPath;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the entries of the index below `root` outside `excluded` folders, for [`index_entries`] to read.
///
/// # Errors
/// Why git could not say.
pub(super) fn entries(root: &Path, excluded: &[RepoPath]) -> Result<Vec<u8>, GitUnavailable> {
    let excluded: Vec<String> = excluded.iter().map(|folder| format!(":(exclude,literal){folder}")).collect();
    let mut arguments = vec!["-c", "protocol.allow=never", "ls-files", "-z", "-t", "--stage", "--", "."];
    arguments.extend(excluded.iter().map(String::as_str));
    let mut command = command(root, &arguments);
    // A partial clone would ask its remote for the folders of a sparse index.
    command.env("GIT_NO_LAZY_FETCH", "1");
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => {
            let why = not_started(&error);
            let absent = error.kind() == io::ErrorKind::NotFound && !may_be_sparse(root);
            return Err(GitUnavailable { why, absent });
        }
    };
    output_of(root, output).map_err(|why| GitUnavailable { why, absent: !is_repository(root).unwrap_or(true) })
}

/// Whether files may be missing below `root` because they are not checked out, as the settings of its repository say.
fn may_be_sparse(root: &Path) -> bool {
    let Ok(Some(git)) = work_tree(root).map(|top| top.and_then(|top| folder(top).ok().flatten())) else { return false };
    ["config", "config.worktree"].iter().any(|name| {
        let text = std::fs::read_to_string(git.join(name)).unwrap_or_default().to_lowercase();
        text.lines().any(|line| line.replace(char::is_whitespace, "") == "sparsecheckout=true")
    })
}

/// Whether there is a repository where `.git` says it is, judged by the files that each one has.
fn is_repository(root: &Path) -> io::Result<bool> {
    let top = work_tree(root).map_err(io::Error::other)?;
    let Some(git) = top.map(folder).transpose()?.flatten() else { return Ok(false) };
    let has = |name: &str| exists(git.join(name).metadata());
    // A linked work tree has a file that names the folder with the rest.
    Ok(has("HEAD")? && (has("commondir")? || has("objects")? && has("refs")?))
}

/// Why git does not say which files it tracks.
#[derive(Debug)]
pub(super) struct GitUnavailable {
    /// The reason: a sentence without a secret.
    pub(super) why: String,
    /// Whether git is not installed for a whole checkout, or there is no repository where `.git` says it is. Other reasons may be temporary.
    pub(super) absent: bool,
}

/// A tracked file, link or submodule.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexEntry<'a> {
    /// The path as git writes it: bytes, `/` between parts, relative to the root.
    pub(super) path: &'a [u8],
    /// The id of its content.
    pub(super) id: &'a str,
    mode: &'a str,
    /// Whether git leaves the path on disk alone, as outside a sparse checkout.
    pub(super) skips_worktree: bool,
}

impl IndexEntry<'_> {
    /// Whether it is a symbolic link, whatever lies on disk.
    pub(super) fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    /// Whether it is a regular file.
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

/// Iterates over `entries`.
pub(super) fn index_entries(entries: &[u8]) -> impl Iterator<Item = IndexEntry<'_>> {
    // `<tag> <mode> <id> <stage>\t<path>`
    entries.split(|byte| *byte == 0).filter_map(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let mut words = std::str::from_utf8(entry.get(..tab)?).ok()?.split(' ');
        let (tag, mode, id) = (words.next()?, words.next()?, words.next()?);
        Some(IndexEntry { path: entry.get(tab + 1..)?, id, mode, skips_worktree: tag == "S" })
    })
}

/// Whether the clone stores links as plain files that hold their targets, as on Windows.
pub(super) fn is_without_links(root: &Path) -> bool {
    run(root, &["config", "--local", "--type=bool", "core.symlinks"]).is_ok_and(|value| value.starts_with(b"false"))
}

/// Whether only a part of the work tree at `top` may be checked out.
pub(super) fn is_sparse(top: &Path) -> bool {
    folder(top).is_ok_and(|git| git.is_some_and(|git| git.join("info/sparse-checkout").is_file()))
}

/// Finds the git folder of the work tree at `top`, which holds the index. In a linked work tree and in a submodule `.git`
/// is a file that names it.
///
/// # Errors
/// If `.git` exists and cannot be examined.
pub(super) fn folder(top: &Path) -> io::Result<Option<PathBuf>> {
    let git = top.join(".git");
    let there = |path: PathBuf| match path.metadata() {
        Ok(metadata) => Ok(Some((path, metadata))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    };
    let Some((git, metadata)) = there(git)? else { return Ok(None) };
    if metadata.is_dir() {
        return Ok(Some(git));
    }
    if !metadata.is_file() {
        return Ok(None);
    }
    let text = String::from_utf8(fs::read(git)?).unwrap_or_default();
    let named = text.trim().strip_prefix("gitdir:").map(|folder| top.join(folder.trim()));
    let folder = named.map(there).transpose()?.flatten();
    Ok(folder.map(|(folder, _)| folder))
}

/// Returns git's folder of the work tree that `root` lies in, if there is one that can be examined.
pub fn git_folder(root: &Path) -> Option<PathBuf> {
    folder(work_tree(root).ok()??).ok()?
}

/// Whether nothing was ever added to the repository of the work tree at `top`, so that git says nothing about any file.
/// Removing the last tracked file leaves an empty index, which is not the same.
pub(super) fn is_without_index(top: &Path) -> bool {
    folder(top)
        .is_ok_and(|git| git.is_some_and(|git| exists(git.join("index").symlink_metadata()).is_ok_and(|there| !there)))
}

/// Whether git tracks the file at `path`. `true` if git cannot say so.
pub(super) fn is_tracked(path: &Path) -> bool {
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
    run(folder, &["ls-files", "-z", "--cached", "--", &name]).map_or(true, |listed| !listed.is_empty())
}

/// Returns the files outside the folders below `root` that decide what is tracked and ignored there.
pub(super) fn outside_inputs(root: &Path) -> Vec<PathBuf> {
    // If they cannot be examined there is nothing to watch; the build reports why.
    let Ok(Some(top)) = work_tree(root) else { return Vec::new() };
    let mut files: Vec<PathBuf> = vec![top.join(".git")];
    let above = root.ancestors().skip(1).take_while(|dir| dir.starts_with(top));
    files.extend(above.map(|dir| dir.join(".gitignore")));
    let git = folder(top).unwrap_or_default();
    files.extend(git.into_iter().flat_map(|git| [git.join("HEAD"), git.join("index")]));
    files
}

/// Returns the files that change when the history of `HEAD` does: the branch, packed and stacked references, and the
/// boundary of a shallow clone; for each also the folders of the git repository above it, which may be new.
pub(super) fn history_inputs(root: &Path) -> Vec<PathBuf> {
    // If they cannot be examined there is nothing to watch; the build reports why.
    let git = work_tree(root).ok().flatten().and_then(|top| folder(top).ok().flatten());
    let Some(git) = git else { return Vec::new() };
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
    files
        .extend(branch.iter().flat_map(|file| file.ancestors().take_while(|part| *part != shared)).map(Path::to_owned));
    files
}

/// Returns the URL of the remote `origin` without user name and password, if there is one.
///
/// # Errors
/// Why git could not say: a sentence without a secret.
pub(super) fn remote(root: &Path) -> Result<Option<String>, String> {
    if work_tree(root).map_err(|error| error.to_string())?.is_none() {
        return Ok(None);
    }
    let names = run(root, &["remote"])?;
    if !names.split(|byte| *byte == b'\n').any(|name| name == b"origin") {
        return Ok(None);
    }
    let url = run(root, &["remote", "get-url", "origin"])?;
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
///
/// # Errors
/// Why git refused: a sentence.
pub fn configure(root: &Path, values: &[(&str, &str)]) -> Result<(), String> {
    values.iter().try_for_each(|(name, value)| run(root, &["config", "--local", name, value]).map(drop))
}

/// Returns why git could not be started.
pub(super) fn not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "git is not installed, or not on the `PATH`".to_owned(),
        _ => format!("git cannot be started: {}", describe(error)),
    }
}

/// Runs git and returns its output.
///
/// # Errors
/// Why it failed: a sentence.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = command(root, arguments).stdin(Stdio::null()).output().map_err(|error| not_started(&error))?;
    output_of(root, output)
}

fn output_of(root: &Path, output: Output) -> Result<Vec<u8>, String> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let first = stderr.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
    // git names the folder in full, and a place on one machine tells others nothing.
    let first = first.replace(&*root.to_string_lossy(), ".");
    Err(format!("git failed: {}", if first.is_empty() { "it does not say why" } else { &first }))
}

/// A file that is empty on every machine.
pub const NO_FILE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Prepares a git command. Neither the environment nor the user's settings change its answer, and it starts no program
/// that the repo's own settings name.
pub(super) fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if is_git_variable(&name) {
            git.env_remove(name);
        }
    }
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", NO_FILE)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // Replacements and grafts of one clone change what a commit is, and no other clone has them.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", NO_FILE)
        .env("LC_ALL", "C")
        .args(["-c", "safe.directory=*", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(root);
    git
}

fn is_git_variable(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"GIT_")
}
