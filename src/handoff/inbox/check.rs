//! Checks of the files of inboxes, for `verify`.

use super::ledger::Inbox;
use super::path::{InboxPath, TurnId};
use super::store::InboxStore;
use crate::handoff::batches::{DAMAGED, canonical_fault};
use crate::handoff::cards::{CardError, CardStore, ContentId, FileKind, LogName, missing, without_line_end};
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
        let bytes = without_line_end(bytes);
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
            self.read.insert(agent.clone(), self.inboxes.read_or(agent, DAMAGED)?);
        }
        let nothing = Inbox::default();
        let inbox = self.read.get(agent).unwrap_or(&nothing);
        let mut faults: Vec<String> = canonical.into_iter().collect();
        let shown = path.to_string();
        let first = inbox.faults.partition_point(|fault| fault.path < shown);
        let own = inbox.faults.iter().skip(first).take_while(|fault| fault.path == shown);
        faults.extend(own.map(|fault| fault.message.clone()));
        if faults.is_empty() {
            let named: Vec<ContentId> = named_box(inbox, path).into_iter().collect();
            faults.extend(missing(FileKind::Box, &named, &self.cards));
        }
        Ok(faults)
    }
}

/// Returns the box that a file names.
fn named_box(inbox: &Inbox, path: &InboxPath) -> Option<ContentId> {
    match path {
        InboxPath::Request(entry) => {
            let request = TurnId::parse(&entry.hash).and_then(|turn| inbox.request(&turn))?;
            Some(request.context_box_id.clone())
        }
        InboxPath::Response(attempt) => inbox.responses.get(attempt)?.as_ref()?.output_box_id.clone(),
        InboxPath::Claim(_) | InboxPath::Event { .. } => None,
    }
}
