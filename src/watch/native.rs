//! The system's notifications of changed files.

use super::events::{Event, Events, FollowError, receive};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

/// How long a notification usually takes on systems whose notifications cannot be waited for.
const USUAL_DELAY: Duration = Duration::from_millis(20);

/// A source of events from the system's notifications.
pub struct Native {
    watcher: RecommendedWatcher,
    events: Receiver<Event>,
    /// The folder that holds most of the folders to follow.
    root: PathBuf,
    /// The tree that one call follows as a whole, on systems where that is as cheap as one folder.
    tree: Option<PathBuf>,
}

impl Native {
    /// Creates a source that follows nothing yet. Notifications are sent through `sender` and received, with everything
    /// else sent to it, from `events`. `root` is the folder that holds most of the folders to follow.
    pub fn new(root: &Path, sender: Sender<Event>, events: Receiver<Event>) -> Result<Self, FollowError> {
        let notice = move |notice: notify::Result<notify::Event>| {
            if let Some(event) = translated(notice) {
                // Sending fails once the watch is over.
                let _ = sender.send(event);
            }
        };
        // `notify` does not report that its thread could not be started, so a thread is tried first.
        let thread = std::thread::Builder::new().spawn(|| ());
        thread.map_err(|error| FollowError::Refused(error.into()))?;
        let watcher = notify::recommended_watcher(notice).map_err(|error| FollowError::Refused(error.into()))?;
        // Linux follows a tree folder by folder anyway, including folders without inputs.
        let tree = (!cfg!(target_os = "linux")).then(|| root.to_owned());
        Ok(Self { watcher, events, root: root.to_owned(), tree })
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
            ErrorKind::Io(cause) if is_gone(cause) => FollowError::Gone,
            ErrorKind::MaxFilesWatch => FollowError::Limit,
            _ => FollowError::Refused(error.into()),
        })
    }

    fn unfollow(&mut self, folder: &Path) {
        if !self.in_tree(folder) {
            // The system unfollows removed folders by itself.
            let _ = self.watcher.unwatch(folder);
        }
    }

    fn flush(&mut self) {
        if !cfg!(target_os = "linux") {
            std::thread::sleep(USUAL_DELAY);
            return;
        }
        // The thread that reads notifications also answers these calls. What was there to be read when it answers the
        // second one, it has read after it answered the first.
        for _ in 0..2 {
            let _ = self.watcher.watch(&self.root, RecursiveMode::NonRecursive);
        }
    }

    fn next(&mut self, within: Option<Duration>) -> Event {
        match within {
            None => self.events.recv().unwrap_or(Event::Stop),
            Some(within) => receive(&self.events, within),
        }
    }
}

/// Returns whether a folder is gone, or unreadable, so that no build reads it either.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied)
}

/// Translates a notification; `None` if it reports reading only.
fn translated(notice: notify::Result<notify::Event>) -> Option<Event> {
    match notice {
        Ok(notice) if notice.need_rescan() => Some(Event::Overflow),
        Ok(notice) => match notice.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Event::Touched(notice.paths)),
            EventKind::Access(_) => None,
            _ => Some(Event::Touched(notice.paths)),
        },
        // After an error, any number of changes may be missing.
        Err(_) => Some(Event::Overflow),
    }
}
