//! The files of inboxes on disk.

use super::decide::NewFile;
use super::ledger::Inbox;
use super::path::InboxPath;
use crate::handoff::batches::{LedgerFolder, REFUSED, Unread};
use crate::handoff::cards::{CardError, LogName};
use crate::model::RepoPath;
use std::path::Path;

/// The folder of inboxes of a repo.
#[derive(Debug)]
pub struct InboxStore(LedgerFolder);

impl InboxStore {
    /// Opens the folder of inboxes below `dir` of the repo at `root`, which need not exist.
    pub fn new(root: &Path, dir: &RepoPath) -> Self {
        Self(LedgerFolder::new(root, dir, "inbox"))
    }

    /// Returns the path of a file from the repo's root.
    pub fn shown(&self, agent: &LogName, path: &str) -> String {
        self.0.shown(agent.as_str(), path)
    }

    /// Returns whether the agent with this log has an inbox.
    ///
    /// # Errors
    /// If the folder of inboxes cannot be listed.
    pub fn exists(&self, agent: &LogName) -> Result<bool, CardError> {
        Ok(self.0.names()?.iter().any(|name| name == agent.as_str()))
    }

    /// Reads the inbox of the agent with this log; it is empty if there is none.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read(&self, agent: &LogName) -> Result<Inbox, CardError> {
        self.read_or(agent, REFUSED)
    }

    pub(super) fn read_or(&self, agent: &LogName, unread: Unread) -> Result<Inbox, CardError> {
        Ok(Inbox::of(self.0.read(agent.as_str(), &InboxPath::FOLDERS, unread)?))
    }

    /// Creates a file, and returns whether it did: of several processes that create one file, one does.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(&self, agent: &LogName, file: &NewFile) -> Result<bool, CardError> {
        let (folder, name) = file.path.parts();
        Ok(self.0.create(agent.as_str(), folder, &name, &file.bytes)?)
    }
}
