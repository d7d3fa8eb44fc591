//! The system's own notices of changed files.

use super::events::{Event, Events, FollowError};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// Events as the system tells them.
pub struct Native {
    watcher: RecommendedWatcher,
    events: Receiver<Event>,
    /// Where one call follows a whole tree as cheaply as one folder: the tree.
    tree: Option<PathBuf>,
}

impl Native {
    /// Follows nothing yet. What comes through `events` besides notices is passed on; notices come through `sender`,
    /// the other end of it. `root` is the folder that most of what is followed lies in.
    ///
    /// # Errors
    /// Where the system has no notices to give.
    pub fn new(root: &Path, sender: Sender<Event>, events: Receiver<Event>) -> Result<Self, FollowError> {
        let notice = move |notice: notify::Result<notify::Event>| {
            if let Some(event) = translated(notice) {
                // Nobody listens any more: the watch is over.
                let _ = sender.send(event);
            }
        };
        // `notify` starts a thread, and does not say where that fails: then no notice would ever come.
        let thread = std::thread::Builder::new().spawn(|| ());
        thread.map_err(|error| FollowError::Refused(error.into()))?;
        let watcher = notify::recommended_watcher(notice).map_err(|error| FollowError::Refused(error.into()))?;
        // On Linux a tree is followed folder by folder anyway, and so are folders that hold no inputs.
        let tree = (!cfg!(target_os = "linux")).then(|| root.to_owned());
        Ok(Self { watcher, events, tree })
    }

    fn in_tree(&self, folder: &Path) -> bool {
        self.tree.as_deref().is_some_and(|tree| folder != tree && folder.starts_with(tree))
    }
}

impl Events for Native {
    fn follow(&mut self, folder: &Path) -> Result<(), FollowError> {
        if self.in_tree(folder) {
            return Ok(());
        }
        let mode = match self.tree.as_deref() == Some(folder) {
            true => RecursiveMode::Recursive,
            false => RecursiveMode::NonRecursive,
        };
        self.watcher.watch(folder, mode).map_err(|error| match &error.kind {
            ErrorKind::PathNotFound => FollowError::Gone,
            ErrorKind::Io(cause) if gone(cause) => FollowError::Gone,
            ErrorKind::MaxFilesWatch => FollowError::Limit,
            _ => FollowError::Refused(error.into()),
        })
    }

    fn forget(&mut self, folder: &Path) {
        if !self.in_tree(folder) {
            // Of a folder that is gone the system forgot everything by itself.
            let _ = self.watcher.unwatch(folder);
        }
    }

    fn next(&mut self, within: Option<Duration>) -> Event {
        match within {
            None => self.events.recv().unwrap_or(Event::Stop),
            Some(within) => self.events.recv_timeout(within).unwrap_or_else(|error| match error {
                RecvTimeoutError::Timeout => Event::Quiet,
                RecvTimeoutError::Disconnected => Event::Stop,
            }),
        }
    }
}

/// What may not be looked at is as good as gone: no build sees it either.
fn gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied)
}

/// What a notice says; nothing where it says only that somebody read.
fn translated(notice: notify::Result<notify::Event>) -> Option<Event> {
    match notice {
        Ok(notice) if notice.need_rescan() => Some(Event::Lost),
        Ok(notice) => match notice.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Event::Touched(notice.paths)),
            EventKind::Access(_) => None,
            _ => Some(Event::Touched(notice.paths)),
        },
        // Whatever it was, it is not known what happened.
        Err(_) => Some(Event::Lost),
    }
}
