//! Sources of file events: the system's notifications, and one for file systems without any.

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// An event of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// These files or folders may have changed.
    Touched(Vec<PathBuf>),
    /// Events were lost.
    Overflow,
    /// It is time for a periodic check.
    Tick,
    /// No event came within the given time.
    Quiet,
    /// The watch is to stop.
    Stop,
}

/// A source of events. It reports every change in a followed folder, or [`Event::Overflow`]. It may report a change
/// several times, and changes that are none.
pub trait Events: Send {
    /// Follows changes of a folder and of its entries, but not in the folders below it.
    fn follow(&mut self, folder: &Path) -> Result<(), FollowError>;

    /// Unfollows a folder, whether or not it still exists.
    fn unfollow(&mut self, folder: &Path);

    /// Waits for the next event; [`Event::Quiet`] if none comes `within` this time.
    fn next(&mut self, within: Option<Duration>) -> Event;
}

/// The reason why a folder cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The folder does not exist, which is not a fault: folders come and go.
    #[error("there is no such folder")]
    Gone,
    /// The system's limit of followed folders is reached.
    #[error(
        "the system follows no more folders: raise its limit (on Linux `fs.inotify.max_user_watches`), or use `--poll`"
    )]
    Limit,
    /// The system gives no notifications.
    #[error("the system gives no change notifications: use `--poll`")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A source of events that asks for a check at regular intervals, as some network and container file systems need it.
#[derive(Debug)]
pub struct Poll {
    every: Duration,
    events: Receiver<Event>,
}

impl Poll {
    /// Creates a source with the interval `every`; what comes through `events` is passed on.
    pub fn new(every: Duration, events: Receiver<Event>) -> Self {
        Self { every, events }
    }
}

impl Events for Poll {
    fn follow(&mut self, _: &Path) -> Result<(), FollowError> {
        Ok(())
    }

    fn unfollow(&mut self, _: &Path) {}

    fn next(&mut self, within: Option<Duration>) -> Event {
        let wait = within.map_or(self.every, |within| within.min(self.every));
        match receive(&self.events, wait) {
            Event::Quiet if within.is_none() => Event::Tick,
            event => event,
        }
    }
}

/// Waits for an event; [`Event::Quiet`] if none comes `within` this time, [`Event::Stop`] if none can come.
fn receive(events: &Receiver<Event>, within: Duration) -> Event {
    events.recv_timeout(within).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Event::Quiet,
        RecvTimeoutError::Disconnected => Event::Stop,
    })
}

/// A source of events from the system's notifications.
pub struct Native {
    watcher: RecommendedWatcher,
    events: Receiver<Event>,
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
