//! What commits say in trailers, and every version of a folder's files that git still has.

use super::git;
use super::history::{HistoryError, confirm_git, is_in_git};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// A commit with the values of one of its trailers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitTrailers {
    /// The commit's id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// The values, in order.
    pub values: Vec<String>,
    /// How many more there are, beyond the most that are read.
    pub left_out: usize,
}

/// The most values of one commit that are read. Anyone who may open a pull request writes them.
const MAX_VALUES: usize = 100;
/// The most characters of one value that are read; a pack's name and hash have fewer.
const MAX_LENGTH: usize = 400;

/// A version of a file, as a commit added or changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The id of its bytes.
    pub blob: String,
    /// The commit's id.
    pub commit: String,
    /// The file's path, from the folder that git was asked in.
    pub path: String,
}

/// Returns whether a clone is shallow, so that older commits are missing; `false` if git does not say.
pub fn is_shallow(root: &Path) -> bool {
    git::run(root, &["rev-parse", "--is-shallow-repository"]).is_ok_and(|out| out.starts_with(b"true"))
}

/// Reads the trailer `key` of the commits of a range such as `main..HEAD`, or of one commit, the oldest first. Commits without it are
/// left out, and so are those that only `HEAD` of a range of one revision would reach.
///
/// # Errors
/// If there is no such range.
pub fn trailers(root: &Path, range: &str, key: &str) -> Result<Vec<CommitTrailers>, HistoryError> {
    if !is_in_git(root) {
        return Err(HistoryError::NoRepository);
    }
    confirm_git(root)?;
    let unknown = || HistoryError::Unknown(range.to_owned());
    if range.contains(|c: char| c.is_control()) {
        return Err(unknown());
    }
    let format = format!("--format=%H%x00%s%x00%(trailers:key={key},valueonly=true,unfold=true,separator=%x01)");
    // One revision stands for its commit, and not for all before it.
    let walk = if range.contains("..") { "--do-walk" } else { "--no-walk" };
    let arguments =
        ["-c", "log.showSignature=false", "log", "-z", "--reverse", walk, &format, "--end-of-options", range, "--"];
    let out = git::run(root, &arguments).map_err(|_| {
        let has_commit = git::run(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_ok();
        if has_commit { unknown() } else { HistoryError::NoCommit }
    })?;
    let text = String::from_utf8_lossy(&out);
    let fields: Vec<&str> = text.split('\0').collect();
    let commit = |fields: &[&str; 3]| {
        let [id, subject, values] = *fields;
        let mut values = values.split('\u{1}').map(str::trim).filter(|value| !value.is_empty());
        let read = values.by_ref().take(MAX_VALUES).map(|value| value.chars().take(MAX_LENGTH).collect()).collect();
        CommitTrailers { id: id.to_owned(), subject: subject.to_owned(), values: read, left_out: values.count() }
    };
    Ok(fields.as_chunks().0.iter().map(commit).filter(|commit| !commit.values.is_empty()).collect())
}

/// Lists the files that commits changed, as paths from `root`; those outside of it are left out.
///
/// # Errors
/// Why git could not say.
pub fn changed_files(root: &Path, commits: &[&str]) -> Result<BTreeSet<String>, HistoryError> {
    if commits.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut arguments = vec!["-c", "log.showSignature=false", "show", "-z", "--format=", "--name-only", "--no-renames"];
    arguments.extend(["--no-ext-diff", "--relative", "--end-of-options"]);
    arguments.extend(commits);
    arguments.push("--");
    let out = git::run(root, &arguments).map_err(HistoryError::Git)?;
    let text = String::from_utf8_lossy(&out);
    Ok(text.split('\0').map(|path| path.trim_start_matches('\n').to_owned()).filter(|path| !path.is_empty()).collect())
}

/// Lists the versions of the `.json` files below `folders` in the commits of all branches and tags, the newest commit first and each
/// content once; none where there is no git. In a shallow clone these are the versions that it has.
///
/// # Errors
/// Why git could not say.
pub fn file_versions(root: &Path, folders: &[&str]) -> Result<Vec<FileVersion>, HistoryError> {
    if !is_in_git(root) || folders.is_empty() {
        return Ok(Vec::new());
    }
    let folders: Vec<String> = folders.iter().map(|folder| format!(":(literal){folder}")).collect();
    let mut arguments = vec!["-c", "log.showSignature=false", "log", "-z", "--raw", "--no-abbrev", "--no-renames"];
    // A pack that a merge driver built is in the merge alone.
    arguments.extend(["--no-ext-diff", "--full-history", "-m", "--diff-filter=AMT", "--relative"]);
    arguments.extend(["--format=%x02%H", "--all", "--"]);
    arguments.extend(folders.iter().map(String::as_str));
    let out = git::run(root, &arguments).map_err(HistoryError::Git)?;
    let text = String::from_utf8_lossy(&out);
    let (mut seen, mut versions, mut commit) = (HashSet::new(), Vec::new(), "");
    // `\x02<commit>\0`, then for each file `:<mode> <mode> <old> <new> <status>\0<path>\0`; the first of a commit after a line end.
    let mut parts = text.split('\0').map(|part| part.trim_start_matches('\n'));
    while let Some(part) = parts.next() {
        if let Some(id) = part.strip_prefix('\u{2}') {
            commit = id.trim();
        } else if let Some(change) = part.strip_prefix(':') {
            let Some(path) = parts.next() else { break };
            let blob = change.split(' ').nth(3).unwrap_or_default();
            if path.ends_with(".json") && seen.insert(blob.to_owned()) {
                versions.push(FileVersion { blob: blob.to_owned(), commit: commit.to_owned(), path: path.to_owned() });
            }
        }
    }
    Ok(versions)
}

/// Returns the folder of hooks of the clone around `root` as its git finds it, also by the user's own settings; `None` if git does not
/// say.
pub fn hooks_folder(root: &Path) -> Option<std::path::PathBuf> {
    // Without the settings of the user this would not be the folder whose hooks run.
    let mut command = std::process::Command::new("git");
    command.args(["rev-parse", "--git-path", "hooks"]).current_dir(root).stdin(std::process::Stdio::null());
    let out = command.output().ok().filter(|out| out.status.success())?;
    let path = String::from_utf8(out.stdout).ok()?;
    let path = path.trim_end_matches(['\n', '\r']);
    (!path.is_empty()).then(|| root.join(path))
}
