//! The inboxes of agents: turns that are dispatched to them, and everything that happens to these.

use super::decide::NewFile;
use super::fields::{TRACE_DIGITS, check_each, check_epoch, check_id, check_key, check_trace, read_json, same};
use super::names::{Attempt, Claimable, IdKind, Layout, LedgerPath, ShortId, misplaced};
use super::state::{EpochFiles, Ledger, TaskState};
use super::status::{LateReason, TaskStatus};
use crate::handoff::cards::{CardError, ContentId, LogEntry, LogName, canonical_bytes, check_hash};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const REQUEST_VERSION: &str = "inbox_request/v1";

/// The id of a turn: the first 12 hex digits of the SHA-256 of its request.
pub type TurnId = ShortId<TurnIdKind>;

/// The kind of [`TurnId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TurnIdKind;

impl IdKind for TurnIdKind {
    const FIELD: &'static str = "agent_turn_id";
}

/// The files of an inbox.
pub type Inbox = Ledger<TurnId>;

pub type InboxPath = LedgerPath<TurnId>;

impl Claimable for TurnId {
    const LAYOUT: Layout = Layout {
        folder: "inbox",
        command: "inbox",
        files: &[],
        folders: &["requests", "claims", "responses", "events"],
        reports: "responses",
        events: &["reclaim", "late", "close", "open"],
        versions: ["inbox_claim/v1", "inbox_response/v1", "inbox_event/v1"],
        noun: "turn",
        article: "the ",
        title: "",
        acknowledges: "Acknowledge",
        fields: ["agent_turn_id", "turn_epoch"],
        attempt: "attempt",
        report: "response",
        late: &[LateReason::StaleEpoch, LateReason::Second],
    };

    type Content = InboxContent;

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn repeated(&self, inbox: &Inbox, is_report: bool) -> Option<(&'static str, Value)> {
        let request = inbox.request(self).filter(|_| is_report)?;
        Some(("correlation_id", request.correlation().into()))
    }

    fn missing(&self, _: &Inbox) -> String {
        format!("turn not found: {self}")
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxContent {
    /// The turns, each with the place of its request in the list: the first one, if branches dispatched it at once.
    requests: BTreeMap<TurnId, (LogEntry, TurnRequest)>,
    /// The number of the last closing; 0 if there is none.
    closed: u32,
    /// The number of the last closing that is over; 0 if there is none.
    opened: u32,
    /// The highest clock of a request before any jump, also of one that cannot be used; 0 if there is none.
    clock: u32,
}

/// A turn that was dispatched to an agent. It never changes, and its hash is the turn's id, so that the same request is the
/// same turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    /// Always `inbox_request/v1`.
    pub schema_version: String,
    /// The key of the agent.
    pub agent: String,
    /// The box that the agent reads.
    pub context_box_id: ContentId,
    /// The log that the agent appends to.
    pub output_box: String,
    /// The work item or issue that the turn is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The key of the agent that dispatched it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_agent: Option<String>,
    /// What joins request and response; the id of the turn if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The trace that the turn belongs to, as in W3C Trace Context; if absent, it follows from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// What makes it another turn than an equal request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl TurnRequest {
    /// Creates a request that names nothing that may be left out.
    pub fn new(agent: String, context_box_id: ContentId, output_box: String) -> Self {
        Self {
            schema_version: REQUEST_VERSION.to_owned(),
            agent,
            context_box_id,
            output_box,
            root: None,
            from_agent: None,
            correlation_id: None,
            trace_id: None,
            key: None,
        }
    }

    /// Returns the id of the turn.
    pub fn id(&self) -> TurnId {
        TurnId::of(&canonical_bytes(self))
    }

    /// Returns what joins the request and its response.
    pub fn correlation(&self) -> String {
        self.correlation_id.clone().unwrap_or_else(|| self.id().to_string())
    }

    /// Returns the trace that it belongs to.
    pub fn trace(&self) -> String {
        let own = || ContentId::of(&canonical_bytes(self)).hex()[..TRACE_DIGITS].to_owned();
        self.trace_id.clone().unwrap_or_else(own)
    }

    fn read(entry: &LogEntry, bytes: &[u8]) -> Result<Self, String> {
        check_hash(bytes, &entry.hash, "hash", |bytes| TurnId::of(bytes).to_string())?;
        let request: Self = read_json(bytes)?;
        same("schema_version", &request.schema_version.as_str(), &REQUEST_VERSION)?;
        LogName::new(&request.output_box).map_err(|error| error.to_string())?;
        check_key("agent", &request.agent)?;
        check_each(&[("root", &request.root), ("from_agent", &request.from_agent)], check_key)?;
        request.check_ids()?;
        Ok(request)
    }

    fn check_ids(&self) -> Result<(), String> {
        check_each(&[("correlation_id", &self.correlation_id), ("key", &self.key)], check_id)?;
        check_each(&[("trace_id", &self.trace_id)], check_trace)
    }
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dispatched {
    /// It is a new turn.
    New(NewFile<TurnId>),
    /// The same request was dispatched before.
    Known,
    /// The agent works on another turn.
    Busy(TurnId),
    /// The inbox is closed.
    Closed,
}

impl Inbox {
    /// Reads the files of an inbox: pairs of a path in its folder and its bytes, in any order.
    pub fn of(files: Vec<(String, Vec<u8>)>) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let mut inbox = Self::new("AGENT".to_owned(), InboxContent::default());
        // What happened to a turn is read once all turns are known.
        let (requests, others): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| path.starts_with("requests/"));
        let entries: Vec<LogEntry> = (requests.iter())
            .filter_map(|(path, _)| match InboxPath::parse(path) {
                Some(InboxPath::Request(entry)) => Some(entry),
                _ => None,
            })
            .collect();
        inbox.content.clock = LogEntry::highest(&entries);
        for entry in entries {
            if let Some(message) = entry.jump(inbox.content.clock) {
                inbox.fault(&InboxPath::Request(entry), message);
            }
        }
        let [mut closed, mut opened] = [EpochFiles::default(), EpochFiles::default()];
        for (path, bytes) in requests.into_iter().chain(others) {
            if let Err(message) = inbox.add_file(path, bytes, &mut closed, &mut opened) {
                inbox.fault(path, message);
            }
        }
        inbox.content.closed = closed.last("number", &mut inbox.faults);
        inbox.content.opened = opened.last("number", &mut inbox.faults);
        inbox.finish();
        inbox
    }

    fn add_file(
        &mut self,
        path: &str,
        bytes: &[u8],
        closed: &mut EpochFiles,
        opened: &mut EpochFiles,
    ) -> Result<(), String> {
        let parsed = InboxPath::parse(path).ok_or_else(|| misplaced::<TurnId>(path))?;
        match &parsed {
            InboxPath::Request(entry) => {
                let request = TurnRequest::read(entry, bytes)?;
                let id = TurnId::of(bytes);
                if !self.known.contains(&id) {
                    self.add_key(id.clone());
                    self.content.requests.insert(id, (entry.clone(), request));
                }
            }
            InboxPath::Event { kind, .. } if ["close", "open"].contains(&kind.as_str()) => {
                let (kind, mut fields) = self.read_event(&parsed, bytes)?;
                let number = fields.take("number")?;
                fields.end()?;
                check_epoch("number", number, true)?;
                if kind == "close" { closed } else { opened }.add(number, &parsed);
            }
            _ => self.add(&parsed, bytes)?,
        }
        Ok(())
    }

    /// Redacts the texts of claims and responses, which may have been written by hand.
    #[must_use]
    pub fn redacted(self, redact: &dyn Fn(&str) -> String) -> Self {
        self.with_redacted_reports(redact)
    }

    /// Takes out the requests for which `fault` returns one: they are no turns.
    #[must_use]
    pub fn without(mut self, fault: &dyn Fn(&TurnRequest) -> Option<String>) -> Self {
        let requests = std::mem::take(&mut self.content.requests);
        for (id, (entry, request)) in requests {
            if let Some(message) = fault(&request) {
                self.fault(&InboxPath::Request(entry), message);
                self.order.retain(|known| *known != id);
            } else {
                self.content.requests.insert(id, (entry, request));
            }
        }
        self.faults.sort();
        self
    }

    /// Returns whether the inbox takes no turns; those that are there can still be done.
    pub fn is_closed(&self) -> bool {
        self.content.closed > self.content.opened
    }

    pub fn request(&self, turn: &TurnId) -> Option<&TurnRequest> {
        self.content.requests.get(turn).map(|(_, request)| request)
    }

    /// Returns the turns with their requests, in the order in which they were dispatched, as far as clones saw each other.
    pub fn turns(&self) -> Vec<(&TurnRequest, TaskState<TurnId>)> {
        self.states().into_iter().filter_map(|turn| Some((self.request(&turn.id)?, turn))).collect()
    }

    pub fn path_of(&self, turn: &TurnId) -> Option<InboxPath> {
        self.content.requests.get(turn).map(|(entry, _)| InboxPath::Request(entry.clone()))
    }

    pub fn find(&self, typed: &str) -> Result<TurnId, CardError> {
        TurnId::find(typed, self.content.requests.keys().cloned())?.ok_or_else(|| {
            CardError::NotFound(format!(
                "turn not found: {typed} (help: `contextpack inbox list AGENT` lists them; `git pull` if another clone made it)"
            ))
        })
    }

    /// Returns the attempt at a turn that a response is for. Its epoch may be left out as long as the turn was never given
    /// up: after that it decides whether the response counts.
    pub fn attempt(&self, turn: &TurnId, epoch: Option<u32>) -> Result<Attempt<TurnId>, CardError> {
        let now = self.epoch(turn);
        let epoch = epoch.or((now == 1).then_some(1)).ok_or_else(|| {
            CardError::bad(format!(
                "the turn {turn} was given up, and is at epoch {now} now (help: name the epoch that the claim gave with `--epoch`)"
            ))
        })?;
        Ok(Attempt { of: turn.clone(), epoch })
    }

    /// Decides on a request; a request that is known is accepted again, whatever the agent does now.
    pub fn dispatch(&self, request: &TurnRequest) -> Result<Dispatched, CardError> {
        request.check_ids().map_err(CardError::BadRequest)?;
        if self.request(&request.id()).is_some() {
            return Ok(Dispatched::Known);
        }
        if self.is_closed() {
            return Ok(Dispatched::Closed);
        }
        if let Some(busy) = self.states().into_iter().find(|turn| turn.status == TaskStatus::Dispatched) {
            return Ok(Dispatched::Busy(busy.id));
        }
        let entry = LogEntry::after(self.content.clock, &canonical_bytes(request));
        let path = InboxPath::Request(entry.ok_or_else(|| CardError::bad("the inbox is full"))?);
        Ok(Dispatched::New(NewFile::new(path, request)))
    }

    /// Closes the inbox, or opens it again; `None` if it is so already.
    pub fn set_closed(&self, closed: bool) -> Option<NewFile<TurnId>> {
        let InboxContent { closed: last, opened, .. } = self.content;
        let (kind, number) = if closed { ("close", opened + 1) } else { ("open", last) };
        (closed != self.is_closed()).then(|| NewFile::event(kind, json!({"number": number})))
    }
}
