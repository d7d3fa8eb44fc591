//! Commits what a command wrote, and pushes it: the push is the transaction between clones.
//!
//! The commit is made with an index of its own, so that changes in the work tree and in the user's index do not matter.
//! If the push is rejected, the commit and its files are taken back, the branch follows the remote, and the command
//! decides again on what is there now.

mod git;

use super::console::{self, printable};
use super::failure::Failure;
use crate::store::random_name;
use git::{GitError, LONGEST, command, git, output, run};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How often a remote may reject what is based on its own head, as it does while another push holds a lock.
const MAX_REFUSALS: u32 = 8;

/// How often a remote is asked what it has after a push of unknown end, and the longest time for each answer.
const MAX_QUESTIONS: u32 = 3;
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// How often a locked index is tried.
const LOCK_TRIES: u32 = 10;

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
    /// Held until the command ends: of the processes in one clone, one at a time moves its branch.
    _lock: File,
}

impl Publisher {
    /// Prepares to commit in the work tree at `root`, and waits until no other command of this program does.
    pub(crate) fn open(root: &Path, context: &str, push: bool) -> Result<Self, Failure> {
        let lock = git(root, &["rev-parse", "--git-path", "contextpack-publish.lock"])
            .map_err(|why| Failure::Usage(format!("nothing can be committed here: {why}")))?;
        let outside = |error: io::Error| Failure::Outside(Box::new(error));
        let lock = File::options().create(true).append(true).open(root.join(lock)).map_err(outside)?;
        lock.lock().map_err(outside)?;
        if push && git(root, &["symbolic-ref", "-q", "HEAD"]).is_err() {
            return Err(Failure::usage("`--push` needs a branch, and none is checked out"));
        }
        let (root, context) = (root.to_owned(), context.to_owned());
        let publisher = Self { root, context, push, begun: Instant::now(), refusals: 0, retries: 0, _lock: lock };
        if push {
            publisher.catch_up()?;
        }
        Ok(publisher)
    }

    /// Follows the remote, so that the command decides on what is there.
    fn catch_up(&self) -> Result<(), Failure> {
        let (remote, target) = self.target()?;
        match git(&self.root, &["fetch", "-q", &remote, &target]) {
            Ok(_) => {}
            // The first push creates the branch.
            Err(why) if why.contains("couldn't find remote ref") => return Ok(()),
            Err(why) => return Err(failed(format!("nothing was pushed to `{remote}`: {why}"))),
        }
        let contains = |head: &str, older: &str| git(&self.root, &["merge-base", "--is-ancestor", older, head]).is_ok();
        if contains("HEAD", "FETCH_HEAD") {
            // Commits that nobody asked to publish would go with it.
            return if contains("FETCH_HEAD", "HEAD") { Ok(()) } else { Err(diverged(&remote)) };
        }
        if git(&self.root, &["rev-parse", "-q", "--verify", "HEAD"]).is_ok() && !contains("FETCH_HEAD", "HEAD") {
            return Err(diverged(&remote));
        }
        self.git(&["merge", "-q", "--ff-only", "FETCH_HEAD"]).map(drop)
    }

    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        git(&self.root, arguments).map_err(failed)
    }

    /// Commits exactly these files, and pushes the commit.
    ///
    /// # Errors
    /// If git fails; what was written and not published is then removed again.
    pub(crate) fn publish(&mut self, written: &Written, message: &str, quiet: bool) -> Result<Published, Failure> {
        let base = git(&self.root, &["rev-parse", "-q", "--verify", "HEAD"]).ok();
        let commit = match self.commit(written, base.as_deref(), message) {
            Ok(Some(commit)) => commit,
            Ok(None) => return Ok(Published::Done),
            Err(failure) => {
                written.remove_new(&self.root)?;
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
            let push = command(&self.root, &["push", "-q", &remote, &format!("{commit}:{target}")]);
            let Err(error) = run(push, None, self.remaining()) else {
                self.report(&commit, &pushed(&remote, &target), quiet)?;
                return Ok(Published::Done);
            };
            // First the wait, then a look at the remote, so that the next push is based on what is there just before it.
            self.wait();
            match self.after_refusal(&remote, &target, &commit, base.as_deref(), &error) {
                Ok(Next::Arrived) => {
                    self.report(&commit, &pushed(&remote, &target), quiet)?;
                    return Ok(Published::Done);
                }
                Ok(Next::PushAgain) => {}
                Ok(Next::DecideAgain) => {
                    self.take_back(written, &commit, base.as_deref())?;
                    self.git(&["merge", "-q", "--ff-only", "FETCH_HEAD"])?;
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

    /// Returns the branch at the remote, if it has this file as it is here.
    ///
    /// # Errors
    /// If the remote cannot be asked, or has no such file.
    pub(crate) fn branch_with(&self, path: &str) -> Result<String, Failure> {
        let (remote, target) = self.target()?;
        self.git(&["fetch", "-q", &remote, &target])?;
        let here = self.git(&["hash-object", "--no-filters", "--", path])?;
        match git(&self.root, &["rev-parse", "-q", "--verify", &format!("FETCH_HEAD:./{path}")]) {
            Ok(there) if there == here => Ok(target),
            _ => Err(failed(format!("`{path}` is not at `{remote}` (help: commit and push it)"))),
        }
    }

    /// Returns the cards, boxes and packs in this clone that the written files need and the commit lacks.
    fn lacking(&self, commit: &str, written: &Written) -> Result<BTreeSet<String>, Failure> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--name-only", commit, "--", &self.context])?;
        let there: BTreeSet<&str> = listed.split('\0').collect();
        let text_of = |path: &str| fs::read_to_string(self.root.join(path)).unwrap_or_default();
        let mut pending: Vec<String> = written.paths().flat_map(|path| content_ids(&text_of(path))).collect();
        let (mut seen, mut lacking) = (BTreeSet::new(), BTreeSet::new());
        while let Some(id) = pending.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            for kind in ["cards", "boxes"] {
                let path = format!("{}/{kind}/{}/{id}.json", self.context, id.get(..2).unwrap_or_default());
                if !self.root.join(&path).is_file() {
                    continue;
                }
                if kind == "boxes" {
                    pending.extend(content_ids(&text_of(&path)));
                }
                if !there.contains(path.as_str()) {
                    lacking.insert(path);
                }
            }
        }
        // The pack of a handover is named like its context box; whoever claims the turn reads it.
        for path in written.paths().filter(|path| path.contains("/inbox/")) {
            let packs = content_ids(&text_of(path)).into_iter();
            let packs = packs.map(|id| format!("{}/packs/{}.json", self.context, id.get(..12).unwrap_or_default()));
            lacking.extend(packs.filter(|pack| !there.contains(pack.as_str()) && self.root.join(pack).is_file()));
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
    fn commit(&self, written: &Written, base: Option<&str>, message: &str) -> Result<Option<String>, Failure> {
        let index = self.git(&["rev-parse", "--git-path", &format!("contextpack-index-{}", random_name())])?;
        let index = self.root.join(index);
        let made = self.commit_with(&index, written, base, message);
        // It is not there if git failed before.
        let _ = fs::remove_file(&index);
        let Some(commit) = made? else { return Ok(None) };
        let old = base.map_or_else(|| "0".repeat(commit.len()), str::to_owned);
        self.git(&["update-ref", "-m", message, "HEAD", &commit, &old])?;
        if let Err(failure) = self.index(None, written.paths(), "--add") {
            match base {
                Some(base) => self.git(&["update-ref", "HEAD", base, &commit])?,
                None => self.git(&["update-ref", "-d", "HEAD", &commit])?,
            };
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
            let mut git = command(&self.root, arguments);
            git.env("GIT_INDEX_FILE", index);
            output(git, None, LONGEST).map_err(failed)
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
        for _ in 0..LOCK_TRIES {
            let mut git = command(&self.root, &["update-index", how, "-z", "--stdin"]);
            if let Some(index) = index {
                git.env("GIT_INDEX_FILE", index);
            }
            match output(git, Some(&listed), LONGEST) {
                // The user's own git holds it for a moment.
                Err(why) if why.contains(".lock") => self.wait(),
                result => return result.map(drop).map_err(failed),
            }
        }
        Err(failed("git failed: its index stays locked".to_owned()))
    }

    /// Returns the remote and the branch there.
    fn target(&self) -> Result<(String, String), Failure> {
        let branch = self.git(&["symbolic-ref", "-q", "HEAD"])?;
        let name = branch.strip_prefix("refs/heads/").unwrap_or(&branch);
        let setting = |key: &str| git(&self.root, &["config", &format!("branch.{name}.{key}")]).ok();
        // A branch that follows one of the same clone has no remote.
        match setting("remote").filter(|remote| remote != ".") {
            Some(remote) => Ok((remote, setting("merge").unwrap_or(branch))),
            None => Ok(("origin".to_owned(), branch)),
        }
    }

    /// Returns how long the next push may take.
    fn remaining(&self) -> Duration {
        // In whole seconds, for messages.
        let remaining = LONGEST.saturating_sub(self.begun.elapsed()).as_secs() + 1;
        Duration::from_secs(remaining).clamp(LONGEST_ANSWER, LONGEST)
    }

    /// Finds out what the remote has after a push that failed, which may have arrived all the same.
    fn after_refusal(
        &mut self,
        remote: &str,
        target: &str,
        commit: &str,
        base: Option<&str>,
        error: &GitError,
    ) -> Result<Next, Failure> {
        let refused = || {
            let late = if self.begun.elapsed() > LONGEST { "after two minutes, " } else { "" };
            failed(format!("nothing was pushed to `{remote}`: {late}{}", error.why))
        };
        let unknown = |why: &str| {
            let branch = target.strip_prefix("refs/heads/").unwrap_or(target);
            let short = commit.get(..12).unwrap_or(commit);
            Failure::Outside(Box::new(UnknownPush(format!(
                "it is not known whether the push to `{remote}` arrived: {why} (help: `git fetch {remote} {branch} && git merge-base --is-ancestor {short} FETCH_HEAD` succeeds if it did; the same command again finds what arrived, and writes nothing twice)"
            ))))
        };
        let head = match self.head_at(remote, target) {
            Ok(head) => head,
            Err(_) if error.is_rejection => return Err(refused()),
            Err(why) => return Err(unknown(&format!("{}, then {why}", error.why))),
        };
        let contains = |older: &str| {
            let is_ancestor = |head: &String| git(&self.root, &["merge-base", "--is-ancestor", older, head]).is_ok();
            head.as_ref().is_some_and(is_ancestor)
        };
        if contains(commit) {
            return Ok(Next::Arrived);
        }
        let moved = head.is_some() && base != head.as_deref();
        if moved && !base.is_some_and(contains) {
            return Err(diverged(remote));
        }
        // A push that is based on an older head cannot arrive any more; another one may, if the remote still works on it.
        if !moved && error.is_timeout {
            return Err(unknown(&error.why));
        }
        self.refusals += u32::from(!moved);
        if self.begun.elapsed() > LONGEST || self.refusals >= MAX_REFUSALS {
            return Err(refused());
        }
        Ok(if moved { Next::DecideAgain } else { Next::PushAgain })
    }

    /// Asks a remote for the head of a branch, several times if it does not answer; `None` if it has no such branch.
    fn head_at(&self, remote: &str, target: &str) -> Result<Option<String>, String> {
        let mut tries = 1;
        loop {
            let fetch = command(&self.root, &["fetch", "-q", remote, target]);
            match run(fetch, None, LONGEST_ANSWER) {
                Ok(_) => return git(&self.root, &["rev-parse", "FETCH_HEAD"]).map(Some),
                Err(error) if error.why.contains("couldn't find remote ref") => return Ok(None),
                Err(error) if tries == MAX_QUESTIONS => return Err(error.why),
                Err(_) => self.wait(),
            }
            tries += 1;
        }
    }

    /// Removes the commit from the branch, and the files that are new.
    fn take_back(&self, written: &Written, commit: &str, base: Option<&str>) -> Result<(), Failure> {
        match base {
            Some(base) => self.git(&["update-ref", "HEAD", base, commit])?,
            None => self.git(&["update-ref", "-d", "HEAD", commit])?,
        };
        // What was there before and was not committed stays, and is no part of the index.
        let listed = base
            .map(|base| self.git(&["ls-tree", "-r", "-z", "--name-only", base, "--", &self.context]))
            .transpose()?;
        let committed: BTreeSet<&str> = listed.iter().flat_map(|listed| listed.split('\0')).collect();
        self.index(None, written.paths().filter(|path| !committed.contains(path)), "--force-remove")?;
        Ok(written.remove_new(&self.root)?)
    }

    /// Waits between 0.1 and 1 second, by chance, so that clones do not collide again.
    fn wait(&self) {
        let random = u64::from_str_radix(random_name().get(..8).unwrap_or_default(), 16).unwrap_or_default();
        thread::sleep(Duration::from_millis(100 + random % 900));
    }
}

/// What to do after a push was refused.
enum Next {
    /// The commit is there all the same.
    Arrived,
    PushAgain,
    DecideAgain,
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

fn diverged(remote: &str) -> Failure {
    failed(format!(
        "nothing was pushed to `{remote}`: the branch has commits that the remote lacks (help: push or rebase them first; `git reset --keep @{{u}}` drops those of a command that was killed)"
    ))
}

fn failed(why: String) -> Failure {
    Failure::Outside(why.into())
}
