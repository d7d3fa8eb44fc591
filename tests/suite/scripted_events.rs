//! A source of scripted events for a watch.

use contextpack::internals::watch::{Event, Events, FollowError};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A source of scripted events that records which folders are followed.
#[derive(Clone, Default)]
pub struct ScriptedEvents {
    events: Arc<Mutex<VecDeque<Event>>>,
    pub followed: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl ScriptedEvents {
    pub fn feed(&self, events: impl IntoIterator<Item = Event>) {
        self.events.lock().unwrap().extend(events);
    }
}

impl Events for ScriptedEvents {
    fn follow(&mut self, folder: &Path) -> Result<(), FollowError> {
        if !folder.is_dir() {
            return Err(FollowError::Gone);
        }
        self.followed.lock().unwrap().insert(folder.to_owned());
        Ok(())
    }

    fn unfollow(&mut self, folder: &Path) {
        self.followed.lock().unwrap().remove(folder);
    }

    fn next(&mut self, within: Option<Duration>) -> Event {
        let end = if within.is_some() { Event::Quiet } else { Event::Stop };
        self.events.lock().unwrap().pop_front().unwrap_or(end)
    }
}
