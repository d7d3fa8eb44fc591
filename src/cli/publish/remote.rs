//! What a remote has: the branch follows it, and a push that failed is looked for there.

use super::journal::head;
use super::{Publisher, UnknownPush, failed};
use crate::console::Failure;
use crate::git::{Git, GitError, MAX_DURATION, git, patient, wait};
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// How often a remote may reject what is based on its own head, as it does while another push holds a lock.
const MAX_REFUSALS: u32 = 8;

/// How often a remote is asked what it has after a push of unknown end, and the longest time for each answer.
const MAX_QUESTIONS: u32 = 3;
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// What to do after a push was refused.
pub(super) enum Next {
    /// The commit is there all the same.
    Arrived,
    PushAgain,
    DecideAgain,
}

impl Publisher {
    /// Follows the remote, so that the command decides on what is there.
    pub(super) fn catch_up(&mut self) -> Result<(), Failure> {
        let (remote, target) = self.target()?;
        let is_there = match git(&self.root, &["fetch", "-q", "--", &remote, &target]) {
            Ok(_) => true,
            // The first push creates the branch.
            Err(why) if why.contains("couldn't find remote ref") => false,
            Err(why) => return Err(failed(format!("nothing was pushed to `{remote}`: {why}"))),
        };
        let root = self.root.clone();
        let contains = |head: &str, older: &str| git(&root, &["merge-base", "--is-ancestor", older, head]).is_ok();
        self.journal.heal(Some(&|commit| is_there && contains("FETCH_HEAD", commit)))?;
        if !is_there {
            return Ok(());
        }
        if contains("HEAD", "FETCH_HEAD") {
            // Commits that nobody asked to publish would go with it.
            return if contains("FETCH_HEAD", "HEAD") { Ok(()) } else { Err(diverged(&remote)) };
        }
        if head(&self.root).is_some() && !contains("FETCH_HEAD", "HEAD") {
            return Err(diverged(&remote));
        }
        self.fast_forward()
    }

    /// Moves the branch and the work tree to what was fetched.
    pub(super) fn fast_forward(&self) -> Result<(), Failure> {
        let merge = || self.git(&["merge", "-q", "--ff-only", "FETCH_HEAD"]).map(drop);
        if merge().is_ok() {
            return Ok(());
        }
        // Git refuses to write over files that it does not track, also if they would stay the same.
        let same = self.known_to_the_remote()?;
        same.keys().try_for_each(|path| fs::remove_file(self.root.join(path)))?;
        merge().inspect_err(|_| {
            // The error that git gave is the one to report.
            same.iter().for_each(|(path, bytes)| drop(fs::write(self.root.join(path), bytes)));
        })
    }

    /// Returns the files in the folder of cards that git does not track, and that are the same in what was fetched.
    fn known_to_the_remote(&self) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
        let there = self.git(&["ls-tree", "-r", "-z", "FETCH_HEAD", "--", &self.context])?;
        // `<mode> blob <id>\t<path>`
        let there: BTreeMap<&str, &str> = there
            .split('\0')
            .filter_map(|entry| entry.split_once('\t'))
            .filter_map(|(entry, path)| Some((path, entry.rsplit(' ').next()?)))
            .collect();
        let untracked = self.git(&["ls-files", "-z", "--others", "--", &self.context])?;
        let common = untracked.split('\0').filter(|path| !path.contains('\n'));
        let common: Vec<&str> = common.filter(|path| there.contains_key(path)).collect();
        if common.is_empty() {
            return Ok(BTreeMap::new());
        }
        let input: String = common.iter().flat_map(|path| [path, "\n"]).collect();
        let ids =
            patient(&self.root, &["hash-object", "--no-filters", "--stdin-paths"], Some(&input)).map_err(failed)?;
        let same = common.iter().zip(ids.lines()).filter(|(path, id)| there.get(**path) == Some(id));
        same.map(|(path, _)| Ok(((*path).to_owned(), fs::read(self.root.join(path))?))).collect()
    }

    /// Returns the branch at the remote, if it has this file as it is here.
    ///
    /// # Errors
    /// If the remote cannot be asked, or has no such file.
    pub(crate) fn branch_with(&self, path: &str) -> Result<String, Failure> {
        let (remote, target) = self.target()?;
        self.git(&["fetch", "-q", "--", &remote, &target])?;
        let here = self.git(&["hash-object", "--no-filters", "--", path])?;
        match git(&self.root, &["rev-parse", "-q", "--verify", &format!("FETCH_HEAD:./{path}")]) {
            Ok(there) if there == here => Ok(target),
            _ => Err(failed(format!("`{path}` is not at `{remote}` (help: commit and push it)"))),
        }
    }

    /// Returns the remote and the branch there.
    pub(super) fn target(&self) -> Result<(String, String), Failure> {
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
    pub(super) fn remaining(&self) -> Duration {
        // In whole seconds, for messages.
        let remaining = MAX_DURATION.saturating_sub(self.begun.elapsed()).as_secs() + 1;
        Duration::from_secs(remaining).clamp(LONGEST_ANSWER, MAX_DURATION)
    }

    /// Finds out what the remote has after a push that failed, which may have arrived all the same.
    pub(super) fn after_refusal(
        &mut self,
        remote: &str,
        target: &str,
        commit: &str,
        base: Option<&str>,
        error: &GitError,
    ) -> Result<Next, Failure> {
        let refused = || {
            let late = if self.begun.elapsed() > MAX_DURATION { "after two minutes, " } else { "" };
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
        if self.begun.elapsed() > MAX_DURATION || self.refusals >= MAX_REFUSALS {
            return Err(refused());
        }
        Ok(if moved { Next::DecideAgain } else { Next::PushAgain })
    }

    /// Asks a remote for the head of a branch, several times if it does not answer; `None` if it has no such branch.
    fn head_at(&self, remote: &str, target: &str) -> Result<Option<String>, String> {
        let mut tries = 1;
        loop {
            let fetch = Git::as_user(&self.root, &["fetch", "-q", "--", remote, target]).within(LONGEST_ANSWER);
            match fetch.text() {
                Ok(_) => return git(&self.root, &["rev-parse", "FETCH_HEAD"]).map(Some),
                Err(error) if error.why.contains("couldn't find remote ref") => return Ok(None),
                Err(error) if tries == MAX_QUESTIONS => return Err(error.why),
                Err(_) => wait(),
            }
            tries += 1;
        }
    }
}

fn diverged(remote: &str) -> Failure {
    failed(format!(
        "nothing was pushed to `{remote}`: the branch has commits that the remote lacks (help: push or rebase them first)"
    ))
}
