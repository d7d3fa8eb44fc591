//! Checks of the files of inboxes, for `verify`.

use super::ledger::{Inbox, read_request};
use super::path::InboxPath;
use super::store::InboxStore;
use crate::batches::canonical_fault;
use crate::cards::{CardError, CardStore, FileKind, LogName};
use crate::model::{Digest, RepoPath};
use std::collections::BTreeMap;
use std::path::Path;

/// Checks files of inboxes below one folder of cards.
#[derive(Debug)]
pub struct InboxChecker {
    inboxes: InboxStore,
    cards: CardStore,
    /// The inboxes that were read.
    read: BTreeMap<LogName, Inbox>,
}

impl InboxChecker {
    /// Prepares to check files below the folder of cards `root`.
    pub fn new(root: &Path) -> Self {
        Self {
            inboxes: InboxStore::new(root, &RepoPath::root()),
            cards: CardStore::new(root, RepoPath::root()),
            read: BTreeMap::new(),
        }
    }

    /// Checks the file at `path`, relative to the folder of cards; `None` if it is in no folder of inboxes.
    ///
    /// # Errors
    /// If the requests beside it cannot be read.
    pub fn check(&mut self, path: &str, bytes: &[u8]) -> Result<Option<(Digest, Vec<String>)>, CardError> {
        let Some(below) = path.strip_prefix("inbox/") else { return Ok(None) };
        let parsed =
            below.split_once('/').and_then(|(agent, rest)| Some((LogName::new(agent).ok()?, InboxPath::parse(rest)?)));
        let faults = match parsed {
            Some((agent, path)) => self.faults(&agent, &path, bytes)?,
            None => vec!["no file of this program is here".to_owned()],
        };
        Ok(Some((Digest::of(bytes), faults)))
    }

    fn faults(&mut self, agent: &LogName, path: &InboxPath, bytes: &[u8]) -> Result<Vec<String>, CardError> {
        let canonical = match canonical_fault(bytes) {
            Ok(fault) => fault,
            Err(why) => return Ok(vec![why]),
        };
        if !self.read.contains_key(agent) {
            self.read.insert(agent.clone(), self.inboxes.read(agent)?);
        }
        let nothing = Inbox::default();
        let inbox = self.read.get(agent).unwrap_or(&nothing);
        let (read, named) = match path {
            InboxPath::Request(entry) => match read_request(entry, bytes) {
                Ok(request) => (None, Some(request.context_box_id)),
                Err(why) => (Some(why), None),
            },
            InboxPath::Claim(attempt) => (inbox.read_claim(attempt, bytes).err(), None),
            InboxPath::Response(attempt) => match inbox.read_response(attempt, bytes) {
                Ok(response) => (None, response.output_box_id),
                Err(why) => (Some(why), None),
            },
            InboxPath::Event { .. } => (inbox.read_event(path, bytes).err(), None),
        };
        let missing = match named {
            Some(id) if !self.cards.has(FileKind::Box, &id)? => Some(format!("box not found: {id}")),
            _ => None,
        };
        Ok(canonical.into_iter().chain(read).chain(missing).collect())
    }
}
