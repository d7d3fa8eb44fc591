//! Follows the inputs of a repository for a process that reads it again and again and writes nothing.

use super::events::{Event, Events, FollowError};
use super::watched_folders::WatchedFolders;
use crate::config::Settings;
use crate::engine::SessionRequest;
use crate::intake::Repo;
use std::time::Duration;

/// What a follower noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// An input may have changed since the repository was opened.
    Changed,
    /// Somebody sent [`Event::Tick`].
    Tick,
    /// Nothing within the given time.
    Quiet,
    /// The process is to stop.
    Stop,
}

/// Follows every folder in which an input of a repository is or may appear.
pub struct Follower {
    request: SessionRequest,
    events: Box<dyn Events>,
    folders: WatchedFolders,
}

impl Follower {
    /// Creates a follower of the repository of `request`, of which only the root and the configuration count.
    pub fn new(request: SessionRequest, events: Box<dyn Events>) -> Self {
        Self { request, events, folders: WatchedFolders::default() }
    }

    /// Follows the folders that show when a repository appears or becomes readable.
    pub fn follow_base(&mut self) -> Result<(), FollowError> {
        self.folders.follow_base(&self.request, &mut *self.events)
    }

    /// Follows the folders of an opened repository. Returns whether any of them is newly followed, so that the repository
    /// may have changed between its opening and now.
    pub fn follow(&mut self, repo: &Repo, settings: &Settings) -> Result<bool, FollowError> {
        self.folders.follow_repo(&self.request, repo, settings, &mut *self.events)
    }

    /// Waits until every change that was made before this call is reported by [`Follower::next`].
    pub fn flush(&mut self) {
        self.events.flush();
    }

    /// Waits for something to notice; changes of files that are no inputs do not count.
    pub fn next(&mut self, within: Option<Duration>) -> Notice {
        loop {
            match self.events.next(within) {
                Event::Stop => return Notice::Stop,
                Event::Tick => return Notice::Tick,
                Event::Quiet => return Notice::Quiet,
                Event::Overflow => {
                    self.folders.unfollow_all(&mut *self.events);
                    return Notice::Changed;
                }
                Event::Touched(paths) => {
                    let relevant = self.folders.touched(&paths, &mut *self.events);
                    if relevant.is_none_or(|relevant| !relevant.is_empty()) {
                        return Notice::Changed;
                    }
                }
            }
        }
    }
}
