//! A look every so often, where the system gives no notice: some network and container file systems.

use super::events::{Event, Events, FollowError};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Says every so often that it is time to look.
#[derive(Debug)]
pub struct Poll {
    every: Duration,
    events: Receiver<Event>,
}

impl Poll {
    /// A look `every` so often; what comes through `events` is passed on.
    pub fn new(every: Duration, events: Receiver<Event>) -> Self {
        Self { every, events }
    }
}

impl Events for Poll {
    fn follow(&mut self, _: &Path) -> Result<(), FollowError> {
        Ok(())
    }

    fn forget(&mut self, _: &Path) {}

    fn next(&mut self, within: Option<Duration>) -> Event {
        let wait = within.map_or(self.every, |within| within.min(self.every));
        self.events.recv_timeout(wait).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout if within.is_none() => Event::Look,
            RecvTimeoutError::Timeout => Event::Quiet,
            RecvTimeoutError::Disconnected => Event::Stop,
        })
    }
}
