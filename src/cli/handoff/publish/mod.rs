//! Commits what a command wrote, and pushes it: the push is the transaction between clones.
//!
//! The commit is made with an index of its own, so that changes in the work tree and in the user's index do not matter, and
//! the branch is moved to it once it has arrived. If the push is rejected, its files are removed, the branch follows the
//! remote, and the command decides again on what is there now. A command that is killed is taken back, or completed, by the
//! next one ([`journal`]).

mod journal;
mod remote;

use crate::console::{self, Failure, PathFailure, printable};
use crate::git::{Git, git, git_folder, patient};
use crate::handoff::cards::WrittenFiles;
use crate::store::StoreError;
use journal::Journal;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

const INDEX: &str = "contextpack-index";

/// A push of which it is not known whether the remote has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnknownPush(pub(crate) String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Published {
    /// It is there.
    Done,
    /// The remote had other commits: everything was taken back, and the command decides again.
    Again,
}

pub(crate) struct Publisher {
    root: PathBuf,
    context: String,
    /// The remote and the branch there that commits are pushed to, if they are.
    target: Option<(String, String)>,
    begun: Instant,
    refusals: u32,
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
        let journal = Journal::open(root, true)?.ok_or_else(|| failed("the journal is locked".to_owned()))?;
        let target = if push { Some(remote::target(root)?) } else { None };
        let (root, context) = (root.to_owned(), context.to_owned());
        let mut publisher = Self { root, context, target, begun: Instant::now(), refusals: 0, retries: 0, journal };
        if push {
            publisher.catch_up()?
        } else {
            publisher.journal.heal(None)?
        }
        Ok(publisher)
    }

    pub(crate) fn announce(&mut self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let failed = |source| StoreError::Write { path: self.root.join(path), source };
        self.journal.will_create(path, bytes).map_err(failed)
    }

    pub(crate) fn has_left(&self, path: &str) -> bool {
        self.journal.has_left(path)
    }

    /// Records that what the command did is published and reported, or taken back.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.journal.clear()?)
    }

    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        patient(&self.root, arguments, None).map_err(failed)
    }

    /// Commits exactly these files, and pushes the commit. If that fails, those that are new are removed again.
    pub(crate) fn publish(&mut self, written: &WrittenFiles, message: &str, quiet: bool) -> Result<Published, Failure> {
        let base = head(&self.root);
        let base = base.as_deref();
        let commit = self.commit(written, base, message).transpose();
        let Some(commit) = commit else { return Ok(Published::Done) };
        let published = commit.and_then(|commit| {
            self.journal.will_publish(&commit, self.target.is_some())?;
            let published = match self.target {
                Some(_) => self.push(written, &commit, base)?,
                None => self.follow(written, &commit, base, message).map(|()| Published::Done)?,
            };
            Ok((commit, published))
        });
        if let Ok((commit, Published::Done)) = &published {
            if self.target.is_some() {
                let behind =
                    |why: Failure| failed(format!("it was pushed, and is not in this branch: {}", why.message()));
                self.follow(written, commit, base, message).map_err(behind)?;
            }
            self.report(commit, quiet)?;
            return Ok(Published::Done);
        }
        written.remove_new(&self.root)?;
        self.finish()?;
        published?;
        self.fast_forward()?;
        self.retries += 1;
        Ok(Published::Again)
    }

    /// Makes a commit of the files on `base`; `None` if that has them already.
    fn commit(&self, written: &WrittenFiles, base: Option<&str>, message: &str) -> Result<Option<String>, Failure> {
        let index = self.root.join(self.git(&["rev-parse", "--git-path", INDEX])?);
        let with_index = |arguments: &[&str], input: Option<&str>| {
            let git = Git::as_user(&self.root, arguments).env("GIT_INDEX_FILE", &index).input(input);
            git.text().map_err(|error| failed(error.why))
        };
        let tree = with_index(&["read-tree", base.unwrap_or("--empty")], None)
            .and_then(|_| with_index(&ADD, Some(&listed(written))))
            .and_then(|_| with_index(&["write-tree"], None));
        // It is not there if git failed before.
        let _ = fs::remove_file(&index);
        let tree = tree?;
        let mut arguments = vec!["commit-tree", &tree, "-m", message];
        if let Some(base) = base {
            if self.git(&["rev-parse", &format!("{base}^{{tree}}")])? == tree {
                return Ok(None);
            }
            arguments.extend(["-p", base]);
        }
        self.git(&arguments).map(Some)
    }

    /// Moves the branch from `base` to a commit, and adds its files to the user's index.
    fn follow(&self, written: &WrittenFiles, commit: &str, base: Option<&str>, message: &str) -> Result<(), Failure> {
        let none = "0".repeat(commit.len());
        self.git(&["update-ref", "-m", message, "HEAD", commit, base.unwrap_or(&none)])?;
        let added = patient(&self.root, &ADD, Some(&listed(written))).map(drop).map_err(failed);
        if added.is_err() && self.target.is_none() {
            match base {
                Some(base) => self.git(&["update-ref", "HEAD", base, commit])?,
                None => self.git(&["update-ref", "-d", "HEAD", commit])?,
            };
        }
        added
    }

    /// Returns the cards, boxes and packs in this clone that the written files need and the commit lacks.
    fn lacking(&self, commit: &str, written: &WrittenFiles) -> Result<BTreeSet<String>, Failure> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--name-only", commit, "--", &self.context])?;
        let there: BTreeSet<&str> = listed.split('\0').collect();
        let ids_of = |path: &str| match fs::read(self.root.join(path)) {
            Ok(bytes) => Ok(content_ids(&String::from_utf8_lossy(&bytes))),
            Err(error) => Err(PathFailure::failure("read", path, error)),
        };
        let is_here = |path: &str| match self.root.join(path).metadata() {
            Ok(there) => Ok(there.is_file()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(PathFailure::failure("read", path, error)),
        };
        let (mut needed, mut pending) = (BTreeSet::new(), Vec::new());
        for path in written.files.keys() {
            let ids = ids_of(path)?;
            // The pack of a handover is named like its context box; whoever claims the turn reads it.
            let packs =
                ids.iter().map(|id| format!("{}/packs/{}.json", self.context, id.get(..12).unwrap_or_default()));
            needed.extend(packs.filter(|_| path.contains("/inbox/")));
            pending.extend(ids);
        }
        while let Some(id) = pending.pop() {
            let folder = id.get(..2).unwrap_or_default();
            let [card, content_box] =
                ["cards", "boxes"].map(|kind| format!("{}/{kind}/{folder}/{id}.json", self.context));
            if needed.insert(card) {
                pending.extend(if is_here(&content_box)? { ids_of(&content_box)? } else { Vec::new() });
                needed.insert(content_box);
            }
        }
        let absent = needed.into_iter().filter(|path| !there.contains(path.as_str()));
        absent.filter_map(|path| is_here(&path).map(|is_here| is_here.then_some(path)).transpose()).collect()
    }

    fn report(&self, commit: &str, quiet: bool) -> Result<(), Failure> {
        if !quiet {
            let short = commit.get(..12).unwrap_or(commit);
            let retries = match self.retries {
                0 => String::new(),
                1 => " after 1 retry".to_owned(),
                count => format!(" after {count} retries"),
            };
            let done = match &self.target {
                None => format!("committed {short}"),
                Some((remote, branch)) => format!("pushed {short} to {remote}/{}", remote::short(branch)),
            };
            writeln!(console::stderr(), "note: {}{retries}", printable(&done))?;
        }
        Ok(())
    }
}

const ADD: [&str; 4] = ["update-index", "--add", "-z", "--stdin"];
const RESET: [&str; 5] = ["--literal-pathspecs", "reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"];

fn head(root: &Path) -> Option<String> {
    git(root, &["rev-parse", "-q", "--verify", "HEAD"]).ok()
}

fn listed(written: &WrittenFiles) -> String {
    written.files.keys().flat_map(|path| [path, "\0"]).collect()
}

fn content_ids(text: &str) -> Vec<String> {
    let is_id = |rest: &&str| rest.len() >= 64 && rest.bytes().take(64).all(|byte| byte.is_ascii_hexdigit());
    text.split("sha256:").skip(1).filter(is_id).map(|rest| rest.chars().take(64).collect()).collect()
}

fn incomplete(lacking: &BTreeSet<String>) -> Failure {
    let first: Vec<String> = lacking.iter().take(3).map(|path| format!("`{path}`")).collect();
    let more = if lacking.len() > 3 { format!(" and {} more", lacking.len() - 3) } else { String::new() };
    Failure::Input(format!(
        "nothing was pushed: others would lack {}{more} (help: `git add` and commit them, `git push`, then try again)",
        first.join(", ")
    ))
}

fn failed(why: String) -> Failure {
    Failure::Outside(why.into())
}
