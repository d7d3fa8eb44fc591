//! The interface to sources of file events, and a source for file systems without change notifications.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
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

    /// Waits until every change that was made before this call can be received with [`Events::next`]. A source that
    /// cannot tell waits for as long as such a change usually takes.
    fn flush(&mut self) {}

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
pub(super) fn receive(events: &Receiver<Event>, within: Duration) -> Event {
    events.recv_timeout(within).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Event::Quiet,
        RecvTimeoutError::Disconnected => Event::Stop,
    })
}
