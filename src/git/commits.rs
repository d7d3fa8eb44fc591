//! What commits hold: authors, subjects, trailers, changed files, and every version of a folder's files that git still has.

use super::folder::{is_in_git, work_tree};
use super::index::outside;
use super::objects::HistoryError;
use super::run::{Git, GitError};
use crate::model::RepoPath;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// A commit that is no merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// When it was committed, in seconds since 1970, if it says so.
    pub at: Option<i64>,
    pub author: String,
    pub subject: String,
}

/// The last commits, and whether there may be more than the clone holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitLog {
    /// The newest first.
    pub commits: Vec<Commit>,
    /// Whether the clone is shallow, so that older commits are missing.
    pub shallow: bool,
    /// Whether the folder is in no repository, so that there are none.
    pub no_repository: bool,
}

/// A commit with the values of one of its trailers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitTrailers {
    pub id: String,
    pub subject: String,
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
    pub blob: String,
    pub commit: String,
    /// The file's path, from the folder that git was asked in.
    pub path: String,
}

/// Asks git with further arguments, such as pathspecs.
fn ask(root: &Path, arguments: &[&str], more: &[String]) -> Result<String, GitError> {
    let arguments: Vec<&str> = arguments.iter().copied().chain(more.iter().map(String::as_str)).collect();
    Git::isolated(root, &arguments).text()
}

fn commit_id(root: &Path, revision: &str) -> Option<String> {
    ask(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")], &[]).ok()
}

/// Confirms that git answers at all, so that what it does not know is not there.
fn confirm_git(root: &Path) -> Result<(), HistoryError> {
    if !is_in_git(root) {
        return Err(HistoryError::NoRepository);
    }
    ask(root, &["rev-parse", "--git-dir"], &[])?;
    Ok(())
}

/// Returns whether a clone is shallow, so that older commits are missing; `false` if git does not say.
pub fn is_shallow(root: &Path) -> bool {
    ask(root, &["rev-parse", "--is-shallow-repository"], &[]).is_ok_and(|answer| answer == "true")
}

/// Returns whether a revision is the commit that is checked out.
pub fn is_head(root: &Path, revision: &str) -> Result<bool, HistoryError> {
    confirm_git(root)?;
    let commit = |revision: &str| commit_id(root, revision).ok_or_else(|| HistoryError::Unknown(revision.to_owned()));
    Ok(commit(revision)? == commit("HEAD")?)
}

/// Finds the merge base of two revisions.
pub fn merge_base(root: &Path, one: &str, other: &str) -> Result<String, HistoryError> {
    confirm_git(root)?;
    ask(root, &["merge-base", "--end-of-options", one, other], &[])
        .map_err(|_| HistoryError::Unknown(format!("common ancestor of {one} and {other}")))
}

/// Reads the last `most` commits of `HEAD` that touch anything but `excluded` folders; none where there is no git or no commit.
///
/// Names are those of the commits themselves, whatever the user's settings say.
pub fn last_commits(root: &Path, most: usize, excluded: &[RepoPath]) -> Result<CommitLog, String> {
    if most == 0 {
        return Ok(CommitLog::default());
    }
    if work_tree(root).map_err(|error| error.to_string())?.is_none() {
        return Ok(CommitLog { no_repository: true, ..CommitLog::default() });
    }
    let shallow = ask(root, &["rev-parse", "--is-shallow-repository"], &[])? == "true";
    if commit_id(root, "HEAD").is_none() {
        return Ok(CommitLog::default());
    }
    let count = format!("--max-count={most}");
    let log = ["log", "-z", "--no-merges", "--full-history", "--encoding=UTF-8", "--format=%ct%x00%an%x00%s", &count];
    let excluded: Vec<String> = excluded.iter().map(|folder| outside(folder.as_str())).collect();
    let text = ask(root, &[&log[..], &["HEAD", "--", "."]].concat(), &excluded)?;
    // No part of a commit holds a NUL.
    let fields: Vec<&str> = text.split('\0').collect();
    let commit = |fields: &[&str; 3]| {
        let [at, author, subject] = *fields;
        Commit { at: at.trim().parse().ok(), author: author.to_owned(), subject: subject.to_owned() }
    };
    Ok(CommitLog { commits: fields.as_chunks().0.iter().map(commit).collect(), shallow, no_repository: false })
}

/// Returns the commit of `HEAD`, and whether the files differ from it outside the `excluded` folders, also by one that git does
/// not track; `None` where there is no commit.
pub fn head_commit(root: &Path, excluded: &[RepoPath]) -> Option<(String, bool)> {
    let commit = commit_id(root, "HEAD")?;
    let excluded: Vec<String> = excluded.iter().map(|folder| outside(folder.as_str())).collect();
    let changed = ask(root, &["status", "--porcelain", "--untracked-files=normal", "--", "."], &excluded).ok()?;
    Some((commit, !changed.is_empty()))
}

/// Returns when git first had each file below `folder`, by its path from there, in seconds since 1970; empty if git does not
/// say.
pub fn first_commits(folder: &Path) -> BTreeMap<String, i64> {
    let log = ["log", "-z", "--no-renames", "--no-ext-diff", "--diff-filter=A", "--relative", "--name-only"];
    let output = ask(folder, &[&log[..], &["--format=%x1f%ct%x1f", "--", "."]].concat(), &[]).unwrap_or_default();
    let mut times = BTreeMap::new();
    // `\x1f<time>\x1f\0<path>\0<path>\0`, the newest commit first: an older one replaces it.
    let mut parts = output.split('\u{1f}').skip(1);
    while let (Some(time), Some(paths)) = (parts.next(), parts.next()) {
        let Ok(time) = time.parse::<i64>() else { continue };
        times.extend(names(paths).map(|path| (path, time)));
    }
    times
}

/// Iterates over the names that git ends with NUL, the first of a commit after a line end.
fn names(text: &str) -> impl Iterator<Item = String> {
    text.split('\0').map(|path| path.trim_start_matches('\n').to_owned()).filter(|path| !path.is_empty())
}

/// Reads the trailer `key` of the commits of a range such as `main..HEAD`, or of one commit, the oldest first. Commits without it are
/// left out, and so are those that only `HEAD` of a range of one revision would reach.
pub fn trailers(root: &Path, range: &str, key: &str) -> Result<Vec<CommitTrailers>, HistoryError> {
    confirm_git(root)?;
    let unknown = || HistoryError::Unknown(range.to_owned());
    if range.contains(|c: char| c.is_control()) {
        return Err(unknown());
    }
    let format = format!("--format=%H%x00%s%x00%(trailers:key={key},valueonly=true,unfold=true,separator=%x01)");
    // One revision means its commit, and not all before it.
    let walk = if range.contains("..") { "--do-walk" } else { "--no-walk" };
    let text = ask(root, &["log", "-z", "--reverse", walk, &format, "--end-of-options", range, "--"], &[])
        .map_err(|_| if commit_id(root, "HEAD").is_some() { unknown() } else { HistoryError::NoCommit })?;
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
pub fn changed_files(root: &Path, commits: &[&str]) -> Result<BTreeSet<String>, HistoryError> {
    if commits.is_empty() {
        return Ok(BTreeSet::new());
    }
    let show = ["show", "-z", "--format=", "--name-only", "--no-renames", "--no-ext-diff", "--relative"];
    let text = ask(root, &[&show[..], &["--end-of-options"], commits, &["--"]].concat(), &[])?;
    Ok(names(&text).collect())
}

/// Lists the files that differ from those of a revision, and those that git does not track, as paths from `root`.
pub fn changed_since(root: &Path, revision: &str) -> Result<BTreeSet<String>, HistoryError> {
    confirm_git(root)?;
    let commit = commit_id(root, revision).ok_or_else(|| HistoryError::Unknown(revision.to_owned()))?;
    // Unlike `diff` it runs no filter that the repository's settings name.
    let changed = ask(root, &["diff-index", "-z", "--name-only", "--no-renames", "--relative", &commit, "--"], &[])?;
    let untracked = ask(root, &["ls-files", "-z", "--others", "--exclude-standard"], &[])?;
    Ok(names(&changed).chain(names(&untracked)).collect())
}

/// Counts the last commits of `HEAD` that are no merges, at most `most`, and those of them that changed one of `paths` below
/// `root`; `None` where there is no git or no commit.
pub fn commits_touching(root: &Path, most: usize, paths: &BTreeSet<String>) -> Option<(usize, usize)> {
    let count = format!("--max-count={most}");
    let log =
        ["log", "-z", "--no-merges", "--name-only", "--no-renames", "--no-ext-diff", "--relative", "--format=%x02"];
    let text = ask(root, &[&log[..], &[&count, "HEAD", "--"]].concat(), &[]).ok()?;
    let touches: Vec<bool> =
        text.split('\u{2}').skip(1).map(|changed| names(changed).any(|path| paths.contains(&path))).collect();
    Some((touches.len(), touches.iter().filter(|touches| **touches).count()))
}

/// Lists the versions of the `.json` files below `folders` in the commits of all branches and tags, the newest commit first and each
/// content once; none where there is no git. In a shallow clone these are the versions that it has.
pub fn file_versions(root: &Path, folders: &[&str]) -> Result<Vec<FileVersion>, HistoryError> {
    if !is_in_git(root) || folders.is_empty() {
        return Ok(Vec::new());
    }
    let folders: Vec<String> = folders.iter().map(|folder| format!(":(literal){folder}")).collect();
    // A pack that a merge driver built is in the merge alone.
    let log = ["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--full-history", "-m"];
    let what = ["--diff-filter=AMT", "--relative", "--format=%x02%H", "--all", "--"];
    let text = ask(root, &[&log[..], &what].concat(), &folders)?;
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
