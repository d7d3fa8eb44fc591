//! Detects that git changed the files of a work tree while they were read.
//!
//! A command that updates the work tree creates an empty `index.lock`, changes the files, and then writes the index
//! and puts it in place of the old one. So files that were read while there was no such lock, and the index stayed
//! the same, are of one state.

use super::error::IntakeError;
use super::text;
use crate::git;
use crate::model::{Digest, FileState, RepoPath, if_present};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

const LOCK_POLL: Duration = Duration::from_millis(10);

/// The age from which a lock is taken to belong to a git command that crashed.
const STALE_LOCK_AGE: Duration = Duration::from_secs(60);

/// How far the times of files may lag behind the clock: systems take them from their last tick.
pub(super) const CLOCK_TICK: Duration = Duration::from_millis(20);

/// The work tree of a git repository, observed from the beginning of a build.
#[derive(Debug)]
pub(super) struct Checkout {
    git: PathBuf,
    began: SystemTime,
    index: Option<CheckoutStamp>,
    /// A lock that existed when the build began, and that no command seems to hold.
    stale_lock: Option<CheckoutStamp>,
    /// A digest of the index's entries for the listed files.
    entries: Option<Digest>,
    excluded: Vec<RepoPath>,
}

/// The metadata that differs between two states of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CheckoutStamp {
    size: u64,
    modified: Option<SystemTime>,
    state: Option<FileState>,
}

impl Checkout {
    /// Waits until git does not change the work tree at `top`, and begins to observe it.
    pub(super) fn observe(top: &Path) -> Result<Option<Self>, IntakeError> {
        let Some(git) = git::git_folder(top)? else { return Ok(None) };
        let mut checkout =
            Self { git, began: SystemTime::now(), index: None, stale_lock: None, entries: None, excluded: Vec::new() };
        checkout.begin()?;
        Ok(Some(checkout))
    }

    /// Begins again, with the same entries.
    pub(super) fn resume(&mut self) -> Result<bool, IntakeError> {
        let index = self.index.clone();
        self.begin()?;
        Ok(index == self.index)
    }

    fn begin(&mut self) -> Result<(), IntakeError> {
        self.stale_lock = self.wait_for_lock()?;
        self.began = SystemTime::now();
        self.index = self.stamp("index")?;
        Ok(())
    }

    /// Waits until no git command updates the work tree. Returns the lock that a crashed one left behind, if any.
    fn wait_for_lock(&self) -> Result<Option<CheckoutStamp>, IntakeError> {
        let end = SystemTime::now() + LOCK_TIMEOUT;
        loop {
            let Some(lock) = self.lock()? else { return Ok(None) };
            if lock.is_stale() {
                return Ok(Some(lock));
            }
            if SystemTime::now() > end {
                return Err(IntakeError::Locked { path: self.git.join(LOCK) });
            }
            sleep(LOCK_POLL);
        }
    }

    /// Whether a git command left its lock behind, or takes very long.
    pub(super) fn has_stale_lock(&self) -> bool {
        self.stale_lock.is_some()
    }

    /// Stores what `ls-files --stage` printed outside `excluded` folders.
    pub(super) fn set_entries(&mut self, entries: &[u8], excluded: Vec<RepoPath>) {
        self.entries = Some(Digest::of(entries));
        self.excluded = excluded;
    }

    /// Whether git changed none of the files below `root` since the observation began. `last_created` returns when the
    /// last of them was created, or an entry of their folders came or went.
    ///
    /// The index alone does not show it: `git status` rewrites it, and `git stash` changes files and leaves its entries
    /// as they are.
    pub(super) fn is_unchanged(&self, root: &Path, last_created: &dyn Fn() -> Option<SystemTime>) -> bool {
        let (Ok(lock), Ok(index)) = (self.stamp(LOCK), self.stamp("index")) else { return false };
        let is_free = lock.is_none() || lock == self.stale_lock;
        if !is_free && lock.as_ref().is_some_and(CheckoutStamp::is_empty) {
            return false;
        }
        // A written lock belongs to a command that is done with the files, and may have changed them since the beginning.
        if is_free && index == self.index {
            return true;
        }
        let entries = git::entries(root, &self.excluded).ok().map(|entries| Digest::of(&entries));
        let since = self.began.checked_sub(CLOCK_TICK);
        entries.is_some()
            && entries == self.entries
            && last_created().zip(since).is_some_and(|(last, since)| last < since)
    }

    /// Returns the lock of a command that may be changing files. Once a command has written its lock it is done with
    /// them: `git commit -a` holds it while its hooks run.
    fn lock(&self) -> Result<Option<CheckoutStamp>, IntakeError> {
        Ok(self.stamp(LOCK)?.filter(CheckoutStamp::is_empty))
    }

    fn stamp(&self, name: &str) -> Result<Option<CheckoutStamp>, IntakeError> {
        let path = self.git.join(name);
        let metadata = if_present(fs::symlink_metadata(&path)).map_err(|source| IntakeError::Read { path, source })?;
        Ok(metadata.map(|metadata| CheckoutStamp {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            state: text::state_of(&metadata),
        }))
    }
}

/// The file that keeps other git commands from the index.
const LOCK: &str = "index.lock";

impl CheckoutStamp {
    fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Whether a lock is older than any git command should take. A time far in the future counts as old.
    fn is_stale(&self) -> bool {
        let age = |modified: SystemTime| match modified.elapsed() {
            Ok(age) => age,
            Err(ahead) => ahead.duration(),
        };
        self.modified.is_none_or(|modified| age(modified) >= STALE_LOCK_AGE)
    }
}
