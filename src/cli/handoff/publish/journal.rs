//! The journal of a command that commits: what it is about to do, so that the next command mends what a killed one left.
//!
//! It is the content of the file that the command locks. If the lock is free and there is content, the writer is gone. An entry
//! is there before what it announces, and all of them are removed when the command has reported how it ended.

use super::{RESET, failed, head};
use crate::console::Failure;
use crate::git::{git, patient};
use crate::model::{Digest, RepoPath};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "contextpack-publish.lock";

/// The journal of the running command, which holds its lock.
pub(super) struct Journal {
    file: File,
    /// The folder of the work tree, which paths in it start from.
    top: PathBuf,
    /// The path from there to the repo's root: empty, or with a final `/`.
    prefix: String,
    entries: Vec<JournalEntry>,
    /// The entries that stay for a command that pushes.
    pending: String,
}

/// A line of the journal. The files of a commit are announced before it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalEntry {
    /// A file that is created once, by the first process that wants its name.
    File { path: String, digest: String },
    /// A commit that is pushed, or that the branch is moved to.
    Commit { id: String, push: bool },
}

impl JournalEntry {
    fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

impl Journal {
    /// Opens and locks the journal of the work tree around `root`, and waits for the lock if `waits`; `None` if a command holds it.
    pub(super) fn open(root: &Path, waits: bool) -> Result<Option<Self>, Failure> {
        let places = git(root, &["rev-parse", "--git-path", NAME, "--show-cdup", "--show-prefix"])
            .map_err(|why| Failure::Usage(format!("nothing can be committed here: {why}")))?;
        let mut places = places.lines();
        let [path, up, prefix] = std::array::from_fn(|_| places.next().unwrap_or_default());
        let mut file = File::options().create(true).truncate(false).read(true).write(true).open(root.join(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if !waits => return Ok(None),
            Err(_) => file.lock()?,
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            // What the last line would have announced was not done.
            writeln!(file)?;
        }
        let entries = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Some(Self { file, top: root.join(up), prefix: prefix.to_owned(), entries, pending: String::new() }))
    }

    pub(super) fn will_create(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let entry = JournalEntry::File { path: format!("{}{path}", self.prefix), digest: Digest::of(bytes).hex() };
        self.file.write_all(entry.line().as_bytes())
    }

    pub(super) fn will_publish(&mut self, commit: &str, push: bool) -> io::Result<()> {
        self.file.write_all(JournalEntry::Commit { id: commit.to_owned(), push }.line().as_bytes())
    }

    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(self.pending.as_bytes())
    }

    /// Returns whether a killed command created the file that is at `path`, from the repo's root.
    pub(super) fn has_left(&self, path: &str) -> bool {
        let full = format!("{}{path}", self.prefix);
        let is_it = |entry: &&JournalEntry| matches!(entry, JournalEntry::File { path, .. } if *path == full);
        self.entries.iter().filter(is_it).any(|entry| self.left_file(entry).is_some())
    }

    fn left_file(&self, entry: &JournalEntry) -> Option<PathBuf> {
        let JournalEntry::File { path, digest } = entry else { return None };
        // Nothing else is ever removed.
        let file = RepoPath::new(path).is_ok_and(|plain| plain.as_str() == path).then(|| self.top.join(path))?;
        let is_file = file.symlink_metadata().is_ok_and(|it| it.is_file());
        (is_file && Digest::of(fs::read(&file).ok()?).hex() == *digest).then_some(file)
    }

    /// Takes back what killed commands did and did not publish, and completes what they published. `arrived` says whether the
    /// remote has a commit; without it the files of a push stay for a command that can ask.
    ///
    /// Only files that are created once are removed, such as claims. Others are named by their content, so that they do no harm,
    /// and other commands may have come to need them.
    pub(super) fn heal(&mut self, arrived: Option<&dyn Fn(&str) -> bool>) -> Result<(), Failure> {
        let (mut files, mut unpublished) = (Vec::new(), Vec::new());
        self.pending.clear();
        for entry in &self.entries {
            let JournalEntry::Commit { id, push } = entry else {
                files.push(entry);
                continue;
            };
            let of_commit = std::mem::take(&mut files);
            match arrived {
                _ if contains(&self.top, "HEAD", id) => self.refresh_index(id)?,
                None if *push => self.pending.extend(of_commit.into_iter().chain([entry]).map(JournalEntry::line)),
                Some(arrived) if *push && arrived(id) => {}
                _ => unpublished.extend(of_commit),
            }
        }
        unpublished.extend(files);
        if unpublished.is_empty() {
            return Ok(());
        }
        let listed = match head(&self.top) {
            Some(_) => git(&self.top, &["ls-tree", "-r", "-z", "--name-only", "HEAD"]),
            // A git that cannot be run knows no commit either.
            None => git(&self.top, &["rev-parse", "--git-dir"]).map(|_| String::new()),
        };
        let listed = listed.map_err(failed)?;
        let committed: BTreeSet<&str> = listed.split('\0').collect();
        for entry in unpublished {
            let is_committed = matches!(entry, JournalEntry::File { path, .. } if committed.contains(path.as_str()));
            if !is_committed && let Some(file) = self.left_file(entry) {
                fs::remove_file(file)?;
            }
        }
        Ok(())
    }

    fn refresh_index(&self, commit: &str) -> Result<(), Failure> {
        let changed = git(&self.top, &["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", commit]);
        let changed = changed.map_err(failed)?;
        if changed.is_empty() { Ok(()) } else { patient(&self.top, &RESET, Some(&changed)).map(drop).map_err(failed) }
    }
}

pub(super) fn contains(root: &Path, head: &str, commit: &str) -> bool {
    git(root, &["merge-base", "--is-ancestor", commit, head]).is_ok()
}
