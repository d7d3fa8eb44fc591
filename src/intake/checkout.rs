//! Whether git changed the files of a work tree while they were read.
//!
//! A command that updates the work tree creates an empty `index.lock`, changes the files, and then writes the index
//! and puts it in place of the old one. So files that were read while there was no such lock, and the index stayed
//! the same, are of one state.

use super::error::IntakeError;
use super::git;
use super::walk::is_gone;
use crate::model::{Digest, FileState};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// How long a build waits for git to finish.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it looks meanwhile.
const EVERY: Duration = Duration::from_millis(10);

/// A lock of this age belongs to a git command that crashed.
const STALE: Duration = Duration::from_secs(60);

/// How far the times of files may lag behind the clock: systems take them from their last tick.
const TICK: Duration = Duration::from_millis(20);

/// The work tree of a git repository, observed from when a build began.
#[derive(Debug)]
pub(super) struct Checkout {
    git: PathBuf,
    began: SystemTime,
    index: Option<CheckoutStamp>,
    /// A lock that was there when the build began, and that nobody seems to hold.
    stale: Option<CheckoutStamp>,
    /// A digest of the index's entries for the listed files.
    entries: Option<Digest>,
}

/// What tells two states of a file apart without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CheckoutStamp {
    size: u64,
    modified: Option<SystemTime>,
    state: Option<FileState>,
}

impl Checkout {
    /// Observes the work tree that begins at `top` from now on, once git does not change it.
    ///
    /// # Errors
    /// If git goes on, or its files cannot be looked at.
    pub(super) fn observe(top: &Path) -> Result<Option<Self>, IntakeError> {
        let git = git::folder(top).map_err(|source| failed(&top.join(".git"), source))?;
        let Some(git) = git else { return Ok(None) };
        let mut checkout = Self { git, began: SystemTime::now(), index: None, stale: None, entries: None };
        checkout.begin()?;
        Ok(Some(checkout))
    }

    /// Observes it again, with the same entries.
    ///
    /// # Errors
    /// As [`Checkout::observe`]. The value is `false` if the index changed meanwhile.
    pub(super) fn resume(&mut self) -> Result<bool, IntakeError> {
        let index = self.index.clone();
        self.begin()?;
        Ok(index == self.index)
    }

    fn begin(&mut self) -> Result<(), IntakeError> {
        self.stale = self.wait()?;
        self.began = SystemTime::now();
        self.index = self.stamp("index")?;
        Ok(())
    }

    /// Waits until no git command updates the work tree. Returns the lock that a crashed one left behind, if any.
    fn wait(&self) -> Result<Option<CheckoutStamp>, IntakeError> {
        let end = SystemTime::now() + PATIENCE;
        loop {
            let Some(lock) = self.lock()? else { return Ok(None) };
            if lock.is_stale() {
                return Ok(Some(lock));
            }
            if SystemTime::now() > end {
                return Err(IntakeError::Locked { path: self.git.join(LOCK) });
            }
            sleep(EVERY);
        }
    }

    /// Whether a git command crashed here, or takes very long.
    pub(super) fn is_stale(&self) -> bool {
        self.stale.is_some()
    }

    /// Takes down what `ls-files --stage` printed.
    pub(super) fn list(&mut self, entries: &[u8]) {
        self.entries = Some(Digest::of(entries));
    }

    /// Whether git changed none of the files below `root` since the observation began; `made` tells when the last of
    /// them was made, or something in their folders came or went.
    ///
    /// The index alone says too little: `git status` writes it anew, and `git stash` changes files and leaves its
    /// entries as they are.
    pub(super) fn is_same(&self, root: &Path, made: &dyn Fn() -> Option<SystemTime>) -> bool {
        let (Ok(lock), Ok(index)) = (self.lock(), self.stamp("index")) else { return false };
        if lock.is_some() && lock != self.stale {
            return false;
        }
        if index == self.index {
            return true;
        }
        let entries = git::entries(root).ok().map(|entries| Digest::of(&entries));
        let since = self.began.checked_sub(TICK);
        entries.is_some() && entries == self.entries && made().zip(since).is_some_and(|(last, since)| last < since)
    }

    /// The lock of a command that may be changing files. One that is written already is done with them: `git commit -a`
    /// holds it while its hooks run.
    fn lock(&self) -> Result<Option<CheckoutStamp>, IntakeError> {
        Ok(self.stamp(LOCK)?.filter(|lock| lock.size == 0))
    }

    fn stamp(&self, name: &str) -> Result<Option<CheckoutStamp>, IntakeError> {
        let path = self.git.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) => Ok(Some(CheckoutStamp {
                size: metadata.len(),
                modified: metadata.modified().ok(),
                state: super::text::state_of(&metadata),
            })),
            Err(error) if is_gone(&error) => Ok(None),
            Err(source) => Err(failed(&path, source)),
        }
    }
}

/// The file by which git keeps other commands from the index.
const LOCK: &str = "index.lock";

impl CheckoutStamp {
    /// Whether the file is older than any git command should take. Where the clocks disagree nobody can tell.
    fn is_stale(&self) -> bool {
        let age = |modified: SystemTime| match modified.elapsed() {
            Ok(age) => age,
            Err(ahead) => ahead.duration(),
        };
        self.modified.is_none_or(|modified| age(modified) >= STALE)
    }
}

fn failed(path: &Path, source: io::Error) -> IntakeError {
    IntakeError::Read { path: path.to_owned(), source }
}
