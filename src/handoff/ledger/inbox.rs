//! The inboxes of agents: turns that are dispatched to them.

use super::files::TurnRequest;
use super::names::{Attempt, INBOXES, LedgerPath, NewFile, ShortId, Status, WorkId};
use super::state::Ledger;
use crate::handoff::cards::{CardError, LogEntry, canonical_bytes};
use serde_json::json;
use std::collections::BTreeMap;

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dispatched {
    /// It is a new turn.
    New(NewFile),
    /// The same request was dispatched before.
    Known,
    /// The agent works on another turn.
    Busy(WorkId),
    /// The inbox is closed.
    Closed,
}

impl Ledger {
    /// Reads the files of an inbox: pairs of a path in its folder and its bytes, in any order.
    pub fn of_inbox(files: Vec<(String, Vec<u8>)>) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let mut inbox = Self { kind: &INBOXES, name: "AGENT".to_owned(), ..Self::default() };
        // What happened to a turn is read once all turns are known.
        let requests = files.iter().filter_map(|(path, bytes)| match LedgerPath::parse(&INBOXES, path) {
            Some(LedgerPath::Request(entry)) => Some((entry, bytes)),
            _ => None,
        });
        let requests: Vec<(LogEntry, &Vec<u8>)> = requests.collect();
        inbox.clock = LogEntry::highest(requests.iter().map(|(entry, _)| entry));
        for (entry, bytes) in requests {
            let path = LedgerPath::Request(entry.clone());
            if let Some(message) = entry.jump(inbox.clock) {
                inbox.fault(&path, message);
            }
            match TurnRequest::read(&entry, bytes) {
                Err(message) => inbox.fault(&path, message),
                Ok(request) if !inbox.requests.contains_key(&ShortId::of(bytes)) => {
                    inbox.order.push(WorkId::Turn(ShortId::of(bytes)));
                    inbox.requests.insert(ShortId::of(bytes), (entry, request));
                }
                Ok(_) => {}
            }
        }
        inbox.with_files(&files)
    }

    /// Takes out the requests for which `fault` returns one: they are no turns.
    #[must_use]
    pub fn without(mut self, fault: &dyn Fn(&TurnRequest) -> Option<String>) -> Self {
        for (id, (entry, request)) in std::mem::take(&mut self.requests) {
            if let Some(message) = fault(&request) {
                self.fault(&LedgerPath::Request(entry), message);
                self.order.retain(|known| *known != WorkId::Turn(id.clone()));
            } else {
                self.requests.insert(id, (entry, request));
            }
        }
        self.faults.sort();
        self
    }

    /// Returns whether the inbox takes no turns; those that are there can still be done.
    pub fn is_closed(&self) -> bool {
        self.last_number("close", None) > self.last_number("open", None)
    }

    pub(crate) fn requests(&self) -> impl Iterator<Item = &TurnRequest> {
        self.requests.values().map(|(_, request)| request)
    }

    pub(crate) fn request_path(&self, id: &ShortId) -> Option<LedgerPath> {
        self.requests.get(id).map(|(entry, _)| LedgerPath::Request(entry.clone()))
    }

    pub(crate) fn find_turn(&self, typed: &str) -> Result<WorkId, CardError> {
        let found = ShortId::find(typed, INBOXES.id_field, self.requests.keys().cloned())?;
        found.map(WorkId::Turn).ok_or_else(|| {
            CardError::NotFound(format!(
                "turn not found: {typed} (help: `contextpack inbox list AGENT` lists them; `git pull` if another clone made it)"
            ))
        })
    }

    /// Returns the attempt at a turn or task that a report is for. Its epoch may be left out as long as it was never given up:
    /// after that it decides whether the report counts.
    pub fn attempt(&self, of: &WorkId, epoch: Option<u32>) -> Result<Attempt, CardError> {
        let now = self.epoch(of);
        match epoch.or((now == 1).then_some(1)) {
            Some(epoch) => Ok(Attempt { of: of.clone(), epoch }),
            None => Err(CardError::bad(format!(
                "{} was given up, and is at epoch {now} now (help: name the epoch that the claim gave with `--epoch`)",
                of.words()
            ))),
        }
    }

    /// Decides on a request; a request that is known is accepted again, whatever the agent does now.
    pub fn dispatch(&self, request: &TurnRequest) -> Result<Dispatched, CardError> {
        request.check_ids().map_err(CardError::BadRequest)?;
        if self.requests.contains_key(&request.id()) {
            return Ok(Dispatched::Known);
        }
        if self.is_closed() {
            return Ok(Dispatched::Closed);
        }
        if let Some(busy) = self.states().into_iter().find(|turn| turn.status == Status::Dispatched) {
            return Ok(Dispatched::Busy(busy.id));
        }
        let entry = LogEntry::after(self.clock, &canonical_bytes(request));
        let path = LedgerPath::Request(entry.ok_or_else(|| CardError::bad("the inbox is full"))?);
        Ok(Dispatched::New(NewFile::new(path, request)))
    }

    /// Closes the inbox, or opens it again; `None` if it is so already.
    pub fn set_closed(&self, closed: bool) -> Option<NewFile> {
        let number = |kind| self.last_number(kind, None);
        let (kind, number) = if closed { ("close", number("open") + 1) } else { ("open", number("close")) };
        (closed != self.is_closed()).then(|| NewFile::event(self.kind, kind, json!({"number": number})))
    }
}
