//! Commits what a command wrote, and pushes it: the push is the transaction between clones.
//!
//! The commit is made with an index of its own, so that changes in the work tree and in the user's index do not matter.
//! If the push is rejected, the commit and its files are taken back, the branch follows the remote, and the command
//! decides again on what is there now. A command that is killed is taken back, or completed, by the next one ([`journal`]).

mod journal;
mod remote;

use crate::console::{self, Failure, PathFailure, printable};
use crate::git::{Git, git, git_folder, patient, wait};
use crate::store::StoreError;
use journal::{Journal, head, move_back};
use remote::Next;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The beginning of the names of indexes of commits, in git's folder.
const INDEX: &str = "contextpack-index";

/// The files that a command wrote, from the repo's root.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Each with whether it was not there before.
    files: Vec<(String, bool)>,
}

impl Written {
    /// Records a file before it is written.
    pub(crate) fn add(&mut self, root: &Path, path: String) {
        let is_new = root.join(&path).symlink_metadata().is_err();
        self.add_created(path, is_new);
    }

    /// Records a file; `is_new` says whether it was not there before.
    pub(crate) fn add_created(&mut self, path: String, is_new: bool) {
        if !self.files.iter().any(|(known, _)| *known == path) {
            self.files.push((path, is_new));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the files that were not there before.
    fn created(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, is_new)| *is_new).map(|(path, _)| path.as_str())
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// Removes the files that were not there before, none of which was published.
    pub(crate) fn remove_new(&self, root: &Path) -> io::Result<()> {
        for path in self.created() {
            match fs::remove_file(root.join(path)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A push of which it is not known whether the remote has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnknownPush(pub(crate) String);

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Published {
    /// It is there.
    Done,
    /// The remote had other commits: everything was taken back, and the command decides again.
    Again,
}

/// Commits and pushes for one command.
pub(crate) struct Publisher {
    root: PathBuf,
    /// The folder of cards, boxes, logs and packs.
    context: String,
    /// Whether commits are pushed.
    push: bool,
    begun: Instant,
    refusals: u32,
    /// How often the command decided again.
    retries: u32,
    /// Its lock is held until the command ends: of the processes in one clone, one at a time moves its branch.
    journal: Journal,
}

/// Takes back what killed commands left in the work tree at `root`, before a command that does not commit decides on what is there.
pub(crate) fn heal(root: &Path) {
    let journal = git_folder(root).ok().flatten().map(|folder| folder.join(journal::NAME));
    if journal.is_some_and(|file| file.metadata().is_ok_and(|it| it.len() > 0)) {
        // A command that commits reports what fails here.
        let _ = Journal::open(root, false)
            .map(|journal| journal.map(|mut journal| journal.heal(None).and_then(|()| Ok(journal.clear()?))));
    }
}

impl Publisher {
    /// Prepares to commit in the work tree at `root`, and waits until no other command of this program does.
    pub(crate) fn open(root: &Path, context: &str, push: bool) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::Outside(Box::new(error));
        let journal = Journal::open(root, true)?.ok_or_else(|| failed(io::ErrorKind::WouldBlock.into()))?;
        if push && git(root, &["symbolic-ref", "-q", "HEAD"]).is_err() {
            return Err(Failure::usage("`--push` needs a branch, and none is checked out"));
        }
        let (root, context) = (root.to_owned(), context.to_owned());
        let mut publisher = Self { root, context, push, begun: Instant::now(), refusals: 0, retries: 0, journal };
        publisher.sweep()?;
        if push {
            publisher.catch_up()?;
        } else {
            publisher.journal.heal(None)?;
        }
        Ok(publisher)
    }

    /// Removes the indexes of killed commands.
    fn sweep(&self) -> Result<(), Failure> {
        let folder = self.git_path("")?;
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(INDEX)) {
                let _later = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Returns the path of a file in git's folder.
    fn git_path(&self, name: &str) -> Result<PathBuf, Failure> {
        Ok(self.root.join(self.git(&["rev-parse", "--git-path", name])?))
    }

    /// Announces a file that the command is about to create, so that it is taken back if the command is killed.
    ///
    /// # Errors
    /// If that cannot be written down.
    pub(crate) fn announce(&mut self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let failed = |source| StoreError::Write { path: self.root.join(path), source };
        self.journal.will_create(path, bytes).map_err(failed)
    }

    /// Returns whether a killed command wrote the file at `path` and told nobody.
    pub(crate) fn has_left(&self, path: &str) -> bool {
        self.journal.has_left(path)
    }

    /// Says that what the command did is published and reported, or taken back.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.journal.clear()?)
    }

    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        patient(&self.root, arguments, None).map_err(failed)
    }

    /// Commits exactly these files, and pushes the commit.
    ///
    /// # Errors
    /// If git fails; what was written and not published is then removed again.
    pub(crate) fn publish(&mut self, written: &Written, message: &str, quiet: bool) -> Result<Published, Failure> {
        let base = head(&self.root);
        let commit = match self.commit(written, base.as_deref(), message) {
            Ok(Some(commit)) => commit,
            Ok(None) => return Ok(Published::Done),
            Err(failure) => {
                written.remove_new(&self.root)?;
                self.finish()?;
                return Err(failure);
            }
        };
        if !self.push {
            self.report(&commit, "committed {}", quiet)?;
            return Ok(Published::Done);
        }
        let (remote, target) = self.target()?;
        let lacking = self.lacking(&commit, written);
        if !matches!(&lacking, Ok(lacking) if lacking.is_empty()) {
            self.take_back(written, &commit, base.as_deref())?;
            return Err(incomplete(&lacking?));
        }
        loop {
            let refs = format!("{commit}:{target}");
            let push = Git::as_user(&self.root, &["push", "-q", "--", &remote, &refs]).within(self.remaining());
            let Err(error) = push.text() else {
                self.report(&commit, &pushed(&remote, &target), quiet)?;
                return Ok(Published::Done);
            };
            // First the wait, then a look at the remote, so that the next push is based on what is there just before it.
            wait();
            match self.after_refusal(&remote, &target, &commit, base.as_deref(), &error) {
                Ok(Next::Arrived) => {
                    self.report(&commit, &pushed(&remote, &target), quiet)?;
                    return Ok(Published::Done);
                }
                Ok(Next::PushAgain) => {}
                Ok(Next::DecideAgain) => {
                    self.take_back(written, &commit, base.as_deref())?;
                    self.fast_forward()?;
                    self.retries += 1;
                    return Ok(Published::Again);
                }
                Err(failure) => {
                    self.take_back(written, &commit, base.as_deref())?;
                    return Err(failure);
                }
            }
        }
    }

    /// Returns the cards, boxes and packs in this clone that the written files need and the commit lacks.
    fn lacking(&self, commit: &str, written: &Written) -> Result<BTreeSet<String>, Failure> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--name-only", commit, "--", &self.context])?;
        let there: BTreeSet<&str> = listed.split('\0').collect();
        let text_of = |path: &str| {
            let bytes = fs::read(self.root.join(path));
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| unread(path, error))
        };
        let is_here = |path: &str| match self.root.join(path).metadata() {
            Ok(there) => Ok(there.is_file()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unread(path, error)),
        };
        let mut pending = Vec::new();
        for path in written.paths() {
            pending.extend(content_ids(&text_of(path)?));
        }
        let (mut seen, mut lacking) = (BTreeSet::new(), BTreeSet::new());
        while let Some(id) = pending.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            for kind in ["cards", "boxes"] {
                let path = format!("{}/{kind}/{}/{id}.json", self.context, id.get(..2).unwrap_or_default());
                if !is_here(&path)? {
                    continue;
                }
                if kind == "boxes" {
                    pending.extend(content_ids(&text_of(&path)?));
                }
                if !there.contains(path.as_str()) {
                    lacking.insert(path);
                }
            }
        }
        // The pack of a handover is named like its context box; whoever claims the turn reads it.
        for path in written.paths().filter(|path| path.contains("/inbox/")) {
            for id in content_ids(&text_of(path)?) {
                let pack = format!("{}/packs/{}.json", self.context, id.get(..12).unwrap_or_default());
                if !there.contains(pack.as_str()) && is_here(&pack)? {
                    lacking.insert(pack);
                }
            }
        }
        Ok(lacking)
    }

    fn report(&self, commit: &str, done: &str, quiet: bool) -> Result<(), Failure> {
        if !quiet {
            let retries = match self.retries {
                0 => String::new(),
                1 => " after 1 retry".to_owned(),
                count => format!(" after {count} retries"),
            };
            let line = done.replacen("{}", commit.get(..12).unwrap_or(commit), 1);
            writeln!(console::stderr(), "note: {}{retries}", printable(&line))?;
        }
        Ok(())
    }

    /// Commits the files on `base` and moves the branch; `None` if it has them already.
    fn commit(&mut self, written: &Written, base: Option<&str>, message: &str) -> Result<Option<String>, Failure> {
        let index = self.git_path(INDEX)?;
        let made = self.commit_with(&index, written, base, message);
        // It is not there if git failed before.
        let _ = fs::remove_file(&index);
        let Some(commit) = made? else { return Ok(None) };
        self.journal.will_move(base, &commit, self.push)?;
        let old = base.map_or_else(|| "0".repeat(commit.len()), str::to_owned);
        self.git(&["update-ref", "-m", message, "HEAD", &commit, &old])?;
        if let Err(failure) = self.index(None, written.paths(), "--add") {
            move_back(&self.root, &commit, base).map_err(failed)?;
            return Err(failure);
        }
        Ok(Some(commit))
    }

    fn commit_with(
        &self,
        index: &Path,
        written: &Written,
        base: Option<&str>,
        message: &str,
    ) -> Result<Option<String>, Failure> {
        let with_index = |arguments: &[&str]| {
            let git = Git::as_user(&self.root, arguments).env("GIT_INDEX_FILE", index);
            git.text().map_err(|error| failed(error.why))
        };
        with_index(&["read-tree", base.unwrap_or("--empty")])?;
        self.index(Some(index), written.paths(), "--add")?;
        let tree = with_index(&["write-tree"])?;
        if let Some(base) = base
            && self.git(&["rev-parse", &format!("{base}^{{tree}}")])? == tree
        {
            return Ok(None);
        }
        let mut arguments = vec!["commit-tree", &tree, "-m", message];
        if let Some(base) = base {
            arguments.extend(["-p", base]);
        }
        self.git(&arguments).map(Some)
    }

    /// Adds files to an index, or removes them from it.
    fn index<'p>(&self, index: Option<&Path>, paths: impl Iterator<Item = &'p str>, how: &str) -> Result<(), Failure> {
        let listed: String = paths.flat_map(|path| [path, "\0"]).collect();
        let arguments = ["update-index", how, "-z", "--stdin"];
        let added = match index {
            None => patient(&self.root, &arguments, Some(&listed)),
            Some(index) => {
                let git = Git::as_user(&self.root, &arguments).env("GIT_INDEX_FILE", index);
                git.input(Some(&listed)).text().map_err(|error| error.why)
            }
        };
        added.map(drop).map_err(failed)
    }

    /// Removes the commit from the branch, and the files that are new.
    fn take_back(&mut self, written: &Written, commit: &str, base: Option<&str>) -> Result<(), Failure> {
        move_back(&self.root, commit, base).map_err(failed)?;
        // What was there before and was not committed stays, and is no part of the index.
        let listed = base
            .map(|base| self.git(&["ls-tree", "-r", "-z", "--name-only", base, "--", &self.context]))
            .transpose()?;
        let committed: BTreeSet<&str> = listed.iter().flat_map(|listed| listed.split('\0')).collect();
        self.index(None, written.paths().filter(|path| !committed.contains(path)), "--force-remove")?;
        written.remove_new(&self.root)?;
        self.finish()
    }
}

/// Returns the hexadecimal digits of the ids of cards and boxes in a text.
fn content_ids(text: &str) -> Vec<String> {
    let is_id = |rest: &&str| rest.len() >= 64 && rest.bytes().take(64).all(|byte| byte.is_ascii_hexdigit());
    text.split("sha256:").skip(1).filter(is_id).map(|rest| rest.chars().take(64).collect()).collect()
}

/// Returns what was done with a commit, whose place is `{}`.
fn pushed(remote: &str, target: &str) -> String {
    format!("pushed {{}} to {remote}/{}", target.strip_prefix("refs/heads/").unwrap_or(target))
}

/// Returns the failure of a push that others could not read without these files.
fn incomplete(lacking: &BTreeSet<String>) -> Failure {
    let first: Vec<String> = lacking.iter().take(3).map(|path| format!("`{path}`")).collect();
    let more = if lacking.len() > 3 { format!(" and {} more", lacking.len() - 3) } else { String::new() };
    Failure::Input(format!(
        "nothing was pushed: others would lack {}{more} (help: `git add` and commit them, `git push`, then try again)",
        first.join(", ")
    ))
}

fn unread(path: &str, error: io::Error) -> Failure {
    PathFailure::failure("read", path, error)
}

fn failed(why: String) -> Failure {
    Failure::Outside(why.into())
}
