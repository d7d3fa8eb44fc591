//! The files of an inbox, read and checked one by one.

use super::entries::{
    CLAIM_VERSION, EVENT_VERSION, InboxEvent, REQUEST_VERSION, RESPONSE_VERSION, TRACE_DIGITS, TurnClaim, TurnRequest,
    TurnResponse,
};
use super::path::{Attempt, InboxPath, TurnId};
use crate::handoff::batches::{
    EpochFiles, LAST_EPOCH, LateReason, LedgerFault, TaskStatus, check_epoch, check_key, check_last, check_origin,
    check_outcome, check_time, misplaced, read_json, same,
};
use crate::handoff::cards::{LogEntry, LogName, check_hash};
use std::collections::{BTreeMap, BTreeSet};

/// The files of an inbox.
///
/// A file that cannot be used is a [`LedgerFault`] and stops no other. If it is a claim or a response, its attempt is taken
/// all the same, since no other file can be created in its place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inbox {
    /// The turns, each with the place of its request in the list: the first one, if branches dispatched it at once.
    pub(super) requests: BTreeMap<TurnId, (LogEntry, TurnRequest)>,
    /// The claims; `None` if the file cannot be used.
    pub(super) claims: BTreeMap<Attempt, Option<TurnClaim>>,
    /// The responses; `None` if the file cannot be used.
    pub(super) responses: BTreeMap<Attempt, Option<TurnResponse>>,
    /// The highest epoch of each turn that is over.
    pub(super) fenced: BTreeMap<TurnId, u32>,
    /// Responses that came too late, in the order of their files' names.
    pub(super) late: Vec<(LateReason, TurnResponse)>,
    /// The number of the last closing; 0 if there is none.
    pub(super) closed: u32,
    /// The number of the last closing that is over; 0 if there is none.
    pub(super) opened: u32,
    /// The highest clock of a request before any jump, also of one that cannot be used; 0 if there is none.
    pub(super) clock: u32,
    /// The files that cannot be used, by path.
    pub faults: Vec<LedgerFault>,
}

impl Inbox {
    /// Redacts the texts of claims and responses, which may have been written by hand.
    #[must_use]
    pub fn redacted(mut self, redact: &dyn Fn(&str) -> String) -> Self {
        let text = |text: &mut Option<String>| text.iter_mut().for_each(|text| *text = redact(text));
        for claim in self.claims.values_mut().flatten() {
            text(&mut claim.author_id);
        }
        let late = self.late.iter_mut().map(|(_, response)| response);
        for response in self.responses.values_mut().flatten().chain(late) {
            response.status = redact(&response.status);
            text(&mut response.author_id);
            text(&mut response.summary);
            response.error.iter_mut().for_each(|error| error.redact(redact));
        }
        self
    }

    /// Reads the files of an inbox: pairs of a path in its folder and its bytes, in any order.
    pub fn of(files: Vec<(String, Vec<u8>)>) -> Self {
        let mut files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let mut inbox = Self::default();
        // What happened to a turn is read once all turns are known.
        let requests: Vec<String> = files.keys().filter(|path| path.starts_with("requests/")).cloned().collect();
        let requests: Vec<(String, Vec<u8>)> =
            requests.into_iter().filter_map(|path| files.remove_entry(&path)).collect();
        let entries: Vec<LogEntry> = (requests.iter())
            .filter_map(|(path, _)| match InboxPath::parse(path) {
                Some(InboxPath::Request(entry)) => Some(entry),
                _ => None,
            })
            .collect();
        inbox.clock = LogEntry::highest(&entries);
        for entry in &entries {
            let path = || InboxPath::Request(entry.clone()).to_string();
            inbox.faults.extend(entry.jump(inbox.clock).map(|message| LedgerFault { path: path(), message }));
        }
        let mut events = EpochEvents::default();
        for (path, bytes) in requests.into_iter().chain(files) {
            if let Err(message) = inbox.add(&path, &bytes, &mut events) {
                inbox.faults.push(LedgerFault { path, message });
            }
        }
        for (turn, epochs) in events.reclaimed {
            let (last, faults) = epochs.last("epoch");
            inbox.fenced.insert(turn, last);
            inbox.faults.extend(faults);
        }
        for (events, last) in [(events.closed, &mut inbox.closed), (events.opened, &mut inbox.opened)] {
            let (number, faults) = events.last("number");
            *last = number;
            inbox.faults.extend(faults);
        }
        inbox.faults.sort();
        inbox.name_way_on();
        inbox
    }

    /// Says at a damaged claim or response that blocks its turn how the turn goes on.
    fn name_way_on(&mut self) {
        if self.faults.is_empty() {
            return;
        }
        let open: BTreeSet<Attempt> = (self.turns().into_iter())
            .filter(|turn| turn.status == TaskStatus::Dispatched && turn.epoch < LAST_EPOCH)
            .map(|turn| Attempt { turn: turn.id, epoch: turn.epoch })
            .collect();
        for fault in &mut self.faults {
            if let Some(InboxPath::Claim(attempt) | InboxPath::Response(attempt)) = InboxPath::parse(&fault.path)
                && open.contains(&attempt)
            {
                let help = format!("`contextpack inbox reclaim AGENT {}` begins the next epoch", attempt.turn);
                fault.message += &format!(" (help: {help}; or restore the file from git)");
            }
        }
    }

    fn add(&mut self, path: &str, bytes: &[u8], events: &mut EpochEvents) -> Result<(), String> {
        let parsed = InboxPath::parse(path).ok_or_else(|| misplaced(path, &InboxPath::FOLDERS))?;
        match parsed {
            InboxPath::Request(entry) => {
                let request = read_request(&entry, bytes)?;
                // They are read in their order.
                self.requests.entry(TurnId::of(bytes)).or_insert((entry, request));
            }
            InboxPath::Claim(attempt) => {
                let claim = self.read_claim(&attempt, bytes);
                self.take(attempt, claim, |inbox| &mut inbox.claims)?;
            }
            InboxPath::Response(attempt) => {
                let response = self.read_response(&attempt, bytes);
                self.take(attempt, response, |inbox| &mut inbox.responses)?;
            }
            InboxPath::Event { .. } => match self.read_event(&parsed, bytes)? {
                InboxEvent::Reclaim { agent_turn_id, turn_epoch, .. } => {
                    events.reclaimed.entry(agent_turn_id).or_default().add(turn_epoch, &parsed);
                }
                InboxEvent::Late { reason, response, .. } => self.late.push((reason, *response)),
                InboxEvent::Close { number, .. } => events.closed.add(number, &parsed),
                InboxEvent::Open { number, .. } => events.opened.add(number, &parsed),
            },
        }
        Ok(())
    }

    fn take<T>(
        &mut self,
        attempt: Attempt,
        read: Result<T, String>,
        map: impl Fn(&mut Self) -> &mut BTreeMap<Attempt, Option<T>>,
    ) -> Result<(), String> {
        let (entry, fault) = match read {
            Ok(entry) => (Some(entry), Ok(())),
            Err(why) => (None, Err(why)),
        };
        if self.requests.contains_key(&attempt.turn) {
            map(self).insert(attempt, entry);
        }
        fault
    }

    /// Takes out the requests for which `fault` returns one: they are no turns.
    #[must_use]
    pub fn without(mut self, fault: &dyn Fn(&TurnRequest) -> Option<String>) -> Self {
        let faults = &mut self.faults;
        self.requests.retain(|_, (entry, request)| match fault(request) {
            None => true,
            Some(message) => {
                faults.push(LedgerFault { path: InboxPath::Request(entry.clone()).to_string(), message });
                false
            }
        });
        self.faults.sort();
        self
    }

    /// Returns whether the inbox takes no turns.
    pub fn is_closed(&self) -> bool {
        self.closed > self.opened
    }

    /// Returns the request of a turn.
    pub fn request(&self, turn: &TurnId) -> Option<&TurnRequest> {
        self.requests.get(turn).map(|(_, request)| request)
    }

    /// Returns the path of the request of a turn.
    pub fn path_of(&self, turn: &TurnId) -> Option<InboxPath> {
        self.requests.get(turn).map(|(entry, _)| InboxPath::Request(entry.clone()))
    }

    /// Returns the epoch that a turn is at.
    pub(super) fn epoch(&self, turn: &TurnId) -> u32 {
        1 + self.fenced.get(turn).copied().unwrap_or_default()
    }

    fn known(&self, turn: &TurnId) -> Result<&TurnRequest, String> {
        self.request(turn).ok_or_else(|| format!("there is no turn {turn}"))
    }

    /// Reads a claim.
    pub(super) fn read_claim(&self, attempt: &Attempt, bytes: &[u8]) -> Result<TurnClaim, String> {
        let claim: TurnClaim = read_json(bytes)?;
        same("schema_version", &claim.schema_version.as_str(), &CLAIM_VERSION)?;
        self.known(&claim.agent_turn_id)?;
        let found = Attempt { turn: claim.agent_turn_id.clone(), epoch: claim.turn_epoch };
        same("attempt", &found, attempt)?;
        check_origin(claim.author_id.as_ref(), &claim.at, &claim.nonce)?;
        Ok(claim)
    }

    /// Reads a response.
    pub(super) fn read_response(&self, attempt: &Attempt, bytes: &[u8]) -> Result<TurnResponse, String> {
        let response: TurnResponse = read_json(bytes)?;
        self.check_response(&response)?;
        let found = Attempt { turn: response.agent_turn_id.clone(), epoch: response.turn_epoch };
        same("attempt", &found, attempt)?;
        Ok(response)
    }

    fn check_response(&self, response: &TurnResponse) -> Result<(), String> {
        same("schema_version", &response.schema_version.as_str(), &RESPONSE_VERSION)?;
        let request = self.known(&response.agent_turn_id)?;
        same("correlation_id", &response.correlation_id, &request.correlation())?;
        check_epoch(response.turn_epoch)?;
        check_outcome("response", &response.status, response.error.as_ref())?;
        check_origin(response.author_id.as_ref(), &response.at, &response.nonce)
    }

    /// Reads an event.
    pub(super) fn read_event(&self, path: &InboxPath, bytes: &[u8]) -> Result<InboxEvent, String> {
        let event: InboxEvent = read_json(bytes)?;
        check_hash(bytes, path, "name", |bytes| InboxPath::event(event.kind(), bytes))?;
        let (InboxEvent::Reclaim { schema_version, .. }
        | InboxEvent::Late { schema_version, .. }
        | InboxEvent::Close { schema_version, .. }
        | InboxEvent::Open { schema_version, .. }) = &event;
        same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
        match &event {
            InboxEvent::Reclaim { agent_turn_id, turn_epoch, at, .. } => {
                self.known(agent_turn_id)?;
                check_last("epoch", *turn_epoch)?;
                check_time(at)?;
            }
            InboxEvent::Late { reason: LateReason::StaleEpoch | LateReason::Second, response, .. } => {
                self.check_response(response)?;
            }
            InboxEvent::Late { reason, .. } => return Err(format!("a response is never late as `{}`", reason.name())),
            InboxEvent::Close { number, .. } | InboxEvent::Open { number, .. } => check_last("number", *number)?,
        }
        Ok(event)
    }
}

/// The events that end epochs, which are read once all of them are known.
#[derive(Debug, Default)]
struct EpochEvents {
    reclaimed: BTreeMap<TurnId, EpochFiles>,
    closed: EpochFiles,
    opened: EpochFiles,
}

/// Reads a request.
pub(super) fn read_request(entry: &LogEntry, bytes: &[u8]) -> Result<TurnRequest, String> {
    check_hash(bytes, &entry.hash, "hash", |bytes| TurnId::of(bytes).as_str().to_owned())?;
    let request: TurnRequest = read_json(bytes)?;
    same("schema_version", &request.schema_version.as_str(), &REQUEST_VERSION)?;
    LogName::new(&request.output_box).map_err(|error| error.to_string())?;
    check_key("agent", &request.agent)?;
    let named = [("root", &request.root), ("from_agent", &request.from_agent)];
    named.iter().try_for_each(|(field, text)| text.as_ref().map_or(Ok(()), |text| check_key(field, text)))?;
    check_ids(&request)?;
    Ok(request)
}

/// Checks the ids that a request was given.
pub(super) fn check_ids(request: &TurnRequest) -> Result<(), String> {
    const LONGEST: usize = 200;
    let fits =
        |text: &str| !text.is_empty() && text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic());
    for (name, id) in [("correlation_id", &request.correlation_id), ("key", &request.key)] {
        if id.as_ref().is_some_and(|id| !fits(id)) {
            return Err(format!("`{name}` is made of 1 to {LONGEST} printable ASCII characters without spaces"));
        }
    }
    let is_trace = |id: &String| {
        id.len() == TRACE_DIGITS
            && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && id.bytes().any(|byte| byte != b'0')
    };
    if request.trace_id.as_ref().is_some_and(|id| !is_trace(id)) {
        return Err(format!("`trace_id` is made of {TRACE_DIGITS} lower-case hex digits that are not all 0"));
    }
    Ok(())
}
