//! Periodic checks for file systems without change notifications: some network and container file systems.

use super::events::{Event, Events, FollowError};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// A source of events that asks for a check at regular intervals.
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
        self.events.recv_timeout(wait).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout if within.is_none() => Event::Tick,
            RecvTimeoutError::Timeout => Event::Quiet,
            RecvTimeoutError::Disconnected => Event::Stop,
        })
    }
}
