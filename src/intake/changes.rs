//! The last commits of a repository.

use super::git;
use super::root::work_tree;
use std::collections::BTreeMap;
use std::path::Path;

/// A commit that is no merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// When it was committed, in seconds since 1970, if it says so.
    pub at: Option<i64>,
    /// Its author's name, as in the commit.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// The last commits, and whether there may be more than the clone holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitLog {
    /// The newest first.
    pub commits: Vec<Commit>,
    /// Whether the clone is shallow, so that older commits are missing.
    pub shallow: bool,
}

/// Reads the last `most` commits of `HEAD` that touch anything but `excluded` folders; none where there is no git or no commit.
///
/// Names are those of the commits themselves, whatever the user's settings say.
///
/// # Errors
/// Why git could not say: a sentence without a secret.
pub fn last_commits(root: &Path, most: usize, excluded: &[&str]) -> Result<CommitLog, String> {
    if most == 0 || work_tree(root).map_err(|error| error.to_string())?.is_none() {
        return Ok(CommitLog::default());
    }
    let state = git::run(root, &["rev-parse", "--is-shallow-repository"])?;
    if git::run(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_err() {
        // No commit yet.
        return Ok(CommitLog::default());
    }
    let count = format!("--max-count={most}");
    let excluded: Vec<String> = excluded.iter().map(|folder| format!(":(exclude,literal){folder}")).collect();
    let mut arguments = vec![
        "-c",
        "log.showSignature=false",
        "log",
        "-z",
        "--no-merges",
        "--full-history",
        "--encoding=UTF-8",
        "--format=%ct%x00%an%x00%s",
        &count,
        "HEAD",
        "--",
        ".",
    ];
    arguments.extend(excluded.iter().map(String::as_str));
    let out = git::run(root, &arguments)?;
    let text = String::from_utf8_lossy(&out);
    // No part of a commit holds a NUL.
    let fields: Vec<&str> = text.split('\0').collect();
    let commit = |fields: &[&str; 3]| {
        let [at, author, subject] = *fields;
        Commit { at: at.trim().parse().ok(), author: author.to_owned(), subject: subject.to_owned() }
    };
    let commits = fields.as_chunks().0.iter().map(commit).collect();
    Ok(CommitLog { commits, shallow: state.starts_with(b"true") })
}

/// Returns the commit of `HEAD`, and whether the files differ from it outside the `excluded` folders, also by one that git does
/// not track; `None` where there is no commit.
pub fn head_commit(root: &Path, excluded: &[&str]) -> Option<(String, bool)> {
    let head = git::run(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?;
    let commit = String::from_utf8(head).ok()?.trim().to_owned();
    let excluded: Vec<String> = excluded.iter().map(|folder| format!(":(exclude,literal){folder}")).collect();
    let mut arguments = vec!["status", "--porcelain", "--untracked-files=normal", "--", "."];
    arguments.extend(excluded.iter().map(String::as_str));
    let changed = git::run(root, &arguments).ok()?;
    (!commit.is_empty()).then_some((commit, !changed.is_empty()))
}
/// Returns when git first had each file below `folder`, by its path from there, in seconds since 1970; empty if git does not
/// say.
pub fn first_commits(folder: &Path) -> BTreeMap<String, i64> {
    let arguments = [
        "-c",
        "log.showSignature=false",
        "log",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--diff-filter=A",
        "--relative",
        "--name-only",
        "--format=%x1f%ct%x1f",
        "--",
        ".",
    ];
    let output = git::run(folder, &arguments).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    let mut times = BTreeMap::new();
    // `\x1f<time>\x1f\0<path>\0<path>\0`, the newest commit first: an older one replaces it.
    let mut parts = output.split('\u{1f}').skip(1);
    while let (Some(time), Some(paths)) = (parts.next(), parts.next()) {
        let Ok(time) = time.parse::<i64>() else { continue };
        for path in paths.split('\0').map(|path| path.trim_start_matches('\n')).filter(|path| !path.is_empty()) {
            times.insert(path.to_owned(), time);
        }
    }
    times
}
