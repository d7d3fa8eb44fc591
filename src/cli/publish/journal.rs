//! The journal of a command that commits: what it is about to do, so that the next command mends what a killed one left.
//!
//! It is the content of the file that the command locks. If the lock is free and there is content, the writer is gone. A line is
//! there before what it announces, and all of them are removed when the command has said how it ended.

use crate::console::Failure;
use crate::git::{git, patient};
use crate::model::{Digest, RepoPath};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The file in git's folder.
pub(super) const NAME: &str = "contextpack-publish.lock";

/// The journal of the running command, which holds its lock.
pub(super) struct Journal {
    file: File,
    /// The folder of the work tree, which paths in it start from.
    top: PathBuf,
    /// The path from there to the repo's root: empty, or with a final `/`.
    prefix: String,
    /// The files that killed commands created.
    files: Vec<LeftFile>,
    /// The commits that killed commands moved the branch to.
    commits: Vec<LeftCommit>,
    /// What stays in the journal for a command that pushes.
    kept: String,
}

/// A file that is created once, by the first process that wants its name.
struct LeftFile {
    path: String,
    digest: String,
}

/// A commit that a branch was about to be moved to.
struct LeftCommit {
    id: String,
    /// The commit before, if the branch had one.
    base: Option<String>,
    /// Whether it was to be pushed.
    push: bool,
}

impl Journal {
    /// Opens and locks the journal of the work tree around `root`, and waits for the lock if `waits`; `None` if a command holds it.
    ///
    /// # Errors
    /// If there is no repository, or the system refuses.
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
        let (files, commits) = (text.lines().filter_map(left_file), text.lines().filter_map(left_commit));
        let (files, commits) = (files.collect(), commits.collect());
        let (top, prefix) = (root.join(up), prefix.to_owned());
        Ok(Some(Self { file, top, prefix, files, commits, kept: String::new() }))
    }

    /// Announces that a file is created at `path`, from the repo's root.
    ///
    /// # Errors
    /// If it cannot be written down; then the file must not be created.
    pub(super) fn will_create(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let file = LeftFile { path: format!("{}{path}", self.prefix), digest: Digest::of(bytes).hex() };
        self.file.write_all(file.line().as_bytes())
    }

    /// Announces that the branch is moved from `base` to a commit.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub(super) fn will_move(&mut self, base: Option<&str>, commit: &str, push: bool) -> io::Result<()> {
        let commit = LeftCommit { id: commit.to_owned(), base: base.map(str::to_owned), push };
        self.file.write_all(commit.line().as_bytes())
    }

    /// Removes what was announced: all of it was done, or taken back.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(self.kept.as_bytes())
    }

    /// Returns whether a killed command created the file that is at `path`, from the repo's root.
    pub(super) fn has_left(&self, path: &str) -> bool {
        let path = format!("{}{path}", self.prefix);
        self.files.iter().any(|file| file.path == path && self.is_as_written(file))
    }

    fn is_as_written(&self, file: &LeftFile) -> bool {
        let path = self.top.join(&file.path);
        path.symlink_metadata().is_ok_and(|it| it.is_file())
            && fs::read(path).is_ok_and(|bytes| Digest::of(bytes).hex() == file.digest)
    }

    /// Takes back what killed commands did and did not publish, and completes what they published. `arrived` says whether the
    /// remote has a commit; it is `None` for a command that does not push.
    ///
    /// Only files that are created once are removed, such as claims. Others are named by their content, so that they do no harm,
    /// and other commands may have come to need them.
    ///
    /// # Errors
    /// If git or the system fails.
    pub(super) fn heal(&mut self, arrived: Option<&dyn Fn(&str) -> bool>) -> Result<(), Failure> {
        let failed = |why: String| Failure::Outside(why.into());
        let mut kept = String::new();
        for left in std::mem::take(&mut self.commits) {
            let changed = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", &left.id];
            // It may be gone, once nothing refers to it.
            let Ok(changed) = git(&self.top, &changed) else { continue };
            let is_head = head(&self.top).as_ref() == Some(&left.id);
            match arrived {
                Some(arrived) if is_head && left.push && !arrived(&left.id) => {
                    move_back(&self.top, &left.id, left.base.as_deref()).map_err(failed)?;
                }
                None if is_head && left.push => kept += &left.line(),
                _ => {}
            }
            if !changed.is_empty() {
                let reset = ["--literal-pathspecs", "reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"];
                patient(&self.top, &reset, Some(&changed)).map_err(failed)?;
            }
        }
        if self.files.is_empty() {
            self.kept = kept;
            return Ok(());
        }
        let listed = match head(&self.top) {
            Some(_) => git(&self.top, &["ls-tree", "-r", "-z", "--name-only", "HEAD"]),
            // A git that cannot be run knows no commit either.
            None => git(&self.top, &["rev-parse", "--git-dir"]).map(|_| String::new()),
        };
        let listed = listed.map_err(failed)?;
        let committed: BTreeSet<&str> = listed.split('\0').collect();
        for file in &self.files {
            match committed.contains(file.path.as_str()) {
                true if kept.is_empty() => {}
                true => kept += &file.line(),
                false if self.is_as_written(file) => fs::remove_file(self.top.join(&file.path))?,
                false => {}
            }
        }
        self.kept = kept;
        Ok(())
    }
}

impl LeftFile {
    fn line(&self) -> String {
        format!("file {} {}\n", self.digest, self.path)
    }
}

impl LeftCommit {
    fn line(&self) -> String {
        let Self { id, base, push } = self;
        let how = if *push { "push" } else { "commit" };
        format!("commit {id} {} {how}\n", base.as_deref().unwrap_or("none"))
    }
}

fn left_file(line: &str) -> Option<LeftFile> {
    let (digest, path) = line.strip_prefix("file ")?.split_once(' ')?;
    // Nothing else is ever removed.
    let is_plain = RepoPath::new(path).is_ok_and(|plain| plain.as_str() == path);
    is_plain.then(|| LeftFile { path: path.to_owned(), digest: digest.to_owned() })
}

fn left_commit(line: &str) -> Option<LeftCommit> {
    let is_id = |id: &&str| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut words = line.strip_prefix("commit ")?.split(' ');
    let (id, base, how) = (words.next().filter(is_id)?, words.next()?, words.next()?);
    Some(LeftCommit { id: id.to_owned(), base: Some(base).filter(is_id).map(str::to_owned), push: how == "push" })
}

/// Returns the commit that is checked out; `None` if the branch has none.
pub(super) fn head(root: &Path) -> Option<String> {
    git(root, &["rev-parse", "-q", "--verify", "HEAD"]).ok()
}

/// Moves the branch from a commit to the one before.
pub(super) fn move_back(root: &Path, commit: &str, base: Option<&str>) -> Result<(), String> {
    let arguments = match base {
        Some(base) => ["update-ref", "HEAD", base, commit],
        None => ["update-ref", "-d", "HEAD", commit],
    };
    patient(root, &arguments, None).map(drop)
}
