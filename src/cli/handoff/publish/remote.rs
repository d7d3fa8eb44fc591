//! What a remote has: the branch follows it, and a push that failed is looked for there.

use super::journal::contains;
use super::{ADD, Published, Publisher, RESET, UnknownPush, failed, head, incomplete};
use crate::console::Failure;
use crate::git::{Git, GitError, MAX_DURATION, git, patient, wait};
use crate::handoff::cards::WrittenFiles;
use std::path::Path;
use std::time::Duration;

/// How often a remote may reject what is based on its own head, as it does while another push holds a lock.
const MAX_REFUSALS: u32 = 8;

/// How often a remote is asked what it has after a push of unknown end, and the longest time for each answer.
const MAX_QUESTIONS: u32 = 3;
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// Returns the remote of the branch that is checked out, and the branch there.
pub(super) fn target(root: &Path) -> Result<(String, String), Failure> {
    let branch = git(root, &["symbolic-ref", "-q", "HEAD"])
        .map_err(|_| Failure::usage("`--push` needs a branch, and none is checked out"))?;
    let setting = |key: &str| git(root, &["config", &format!("branch.{}.{key}", short(&branch))]).ok();
    // A branch that follows one of the same clone has no remote.
    Ok(match setting("remote").filter(|remote| remote != ".") {
        Some(remote) => (remote, setting("merge").unwrap_or(branch)),
        None => ("origin".to_owned(), branch),
    })
}

pub(super) fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}

impl Publisher {
    fn remote(&self) -> (&str, &str) {
        self.target.as_ref().map(|(remote, branch)| (remote.as_str(), branch.as_str())).unwrap_or_default()
    }

    pub(super) fn catch_up(&mut self) -> Result<(), Failure> {
        let not_pushed = |why| failed(format!("nothing was pushed to `{}`: {why}", self.remote().0));
        let is_there = self.fetched(MAX_DURATION).map_err(not_pushed)?;
        let root = self.root.clone();
        self.journal.heal(Some(&|commit| is_there && contains(&root, "FETCH_HEAD", commit)))?;
        let is_known = || contains(&root, "FETCH_HEAD", "HEAD");
        match is_there {
            false => Ok(()),
            // Commits that nobody asked to publish would go with it.
            true if head(&root).is_some() && !is_known() => Err(self.diverged()),
            true if contains(&root, "HEAD", "FETCH_HEAD") => Ok(()),
            true => self.fast_forward(),
        }
    }

    /// Fetches the branch, and returns whether the remote has it: the first push creates it.
    fn fetched(&self, limit: Duration) -> Result<bool, String> {
        let (remote, branch) = self.remote();
        match Git::as_user(&self.root, &["fetch", "-q", "--", remote, branch]).within(limit).text() {
            Err(error) if error.why.contains("couldn't find remote ref") => Ok(false),
            fetched => fetched.map(|_| true).map_err(|error| error.why),
        }
    }

    /// Pushes a commit until it arrives or the remote has other commits.
    pub(super) fn push(
        &mut self,
        written: &WrittenFiles,
        commit: &str,
        base: Option<&str>,
    ) -> Result<Published, Failure> {
        let lacking = self.lacking(commit, written)?;
        if !lacking.is_empty() {
            return Err(incomplete(&lacking));
        }
        loop {
            let (remote, branch) = self.remote();
            let refs = format!("{commit}:{branch}");
            let push = Git::as_user(&self.root, &["push", "-q", "--", remote, &refs]).within(self.remaining());
            let Err(error) = push.text() else { return Ok(Published::Done) };
            // First the wait, then a look at the remote, so that the next push is based on what is there just before it.
            wait();
            if let Some(published) = self.after_refusal(commit, base, &error)? {
                return Ok(published);
            }
        }
    }

    pub(super) fn fast_forward(&self) -> Result<(), Failure> {
        let merge = || self.git(&["merge", "-q", "--ff-only", "FETCH_HEAD"]).map(drop);
        if merge().is_ok() {
            return Ok(());
        }
        // Git refuses to write over files that it does not track, also if they would stay the same, unless its index has them.
        let untracked = self.git(&["ls-files", "-z", "--others", "--", &self.context])?;
        let with_untracked = |arguments: &[&str]| patient(&self.root, arguments, Some(&untracked)).map_err(failed);
        with_untracked(&ADD)?;
        let merged = merge();
        if !untracked.is_empty() {
            with_untracked(&RESET)?;
        }
        merged
    }

    /// Returns the branch at the remote, if it has this file as it is here.
    pub(crate) fn branch_with(&self, path: &str) -> Result<String, Failure> {
        let (remote, branch) = self.remote();
        self.git(&["fetch", "-q", "--", remote, branch])?;
        let here = self.git(&["hash-object", "--no-filters", "--", path])?;
        match git(&self.root, &["rev-parse", "-q", "--verify", &format!("FETCH_HEAD:./{path}")]) {
            Ok(there) if there == here => Ok(branch.to_owned()),
            _ => Err(failed(format!("`{path}` is not at `{remote}` (help: commit and push it)"))),
        }
    }

    fn remaining(&self) -> Duration {
        // In whole seconds, for messages.
        let remaining = MAX_DURATION.saturating_sub(self.begun.elapsed()).as_secs() + 1;
        Duration::from_secs(remaining).clamp(LONGEST_ANSWER, MAX_DURATION)
    }

    /// Finds out what became of a push that failed, which may have arrived all the same; `None` if it can be tried again.
    fn after_refusal(
        &mut self,
        commit: &str,
        base: Option<&str>,
        error: &GitError,
    ) -> Result<Option<Published>, Failure> {
        let head = match self.head_at_remote() {
            Ok(head) => head,
            Err(_) if error.is_rejection => return Err(self.refused(error)),
            Err(why) => return Err(self.unknown(commit, &format!("{}, then {why}", error.why))),
        };
        let has = |older: &str| head.as_ref().is_some_and(|head| contains(&self.root, head, older));
        if has(commit) {
            return Ok(Some(Published::Done));
        }
        let moved = head.is_some() && base != head.as_deref();
        if moved && !base.is_some_and(has) {
            return Err(self.diverged());
        }
        // A push that is based on an older head cannot arrive any more; another one may, if the remote still works on it.
        if !moved && error.is_timeout {
            return Err(self.unknown(commit, &error.why));
        }
        self.refusals += u32::from(!moved);
        if self.begun.elapsed() > MAX_DURATION || self.refusals >= MAX_REFUSALS {
            return Err(self.refused(error));
        }
        Ok(moved.then_some(Published::Again))
    }

    /// Asks the remote for the head of the branch, several times if it does not answer; `None` if it has no such branch.
    fn head_at_remote(&self) -> Result<Option<String>, String> {
        let mut tries = 1;
        loop {
            match self.fetched(LONGEST_ANSWER) {
                Ok(true) => return git(&self.root, &["rev-parse", "FETCH_HEAD"]).map(Some),
                Ok(false) => return Ok(None),
                Err(why) if tries == MAX_QUESTIONS => return Err(why),
                Err(_) => wait(),
            }
            tries += 1;
        }
    }

    fn refused(&self, error: &GitError) -> Failure {
        let late = if self.begun.elapsed() > MAX_DURATION { "after two minutes, " } else { "" };
        failed(format!("nothing was pushed to `{}`: {late}{}", self.remote().0, error.why))
    }

    fn unknown(&self, commit: &str, why: &str) -> Failure {
        let (remote, branch) = self.remote();
        let (branch, commit) = (short(branch), commit.get(..12).unwrap_or(commit));
        Failure::Outside(Box::new(UnknownPush(format!(
            "it is not known whether the push to `{remote}` arrived: {why} (help: `git fetch {remote} {branch} && git merge-base --is-ancestor {commit} FETCH_HEAD` succeeds if it did; the same command again finds what arrived, and writes nothing twice)"
        ))))
    }

    fn diverged(&self) -> Failure {
        failed(format!(
            "nothing was pushed to `{}`: the branch has commits that the remote lacks (help: push or rebase them first)",
            self.remote().0
        ))
    }
}
