//! What a command adds to an inbox: decisions as functions of its state, without a clock and without the disk.

use super::entries::{
    CLAIM_VERSION, EVENT_VERSION, InboxEvent, RESPONSE_VERSION, TurnClaim, TurnRequest, TurnResponse,
};
use super::ledger::{Inbox, check_ids};
use super::path::{Attempt, InboxPath, TurnId};
use super::state::TurnState;
use crate::handoff::batches::decide::{Outcome, Reported, Writer};
use crate::handoff::batches::{LAST_EPOCH, LateReason, TaskStatus};
use crate::handoff::cards::{CardError, LogEntry, canonical_bytes};

/// A file to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path.
    pub path: InboxPath,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl NewFile {
    fn event(event: &InboxEvent) -> Self {
        let bytes = canonical_bytes(event);
        Self { path: InboxPath::event(event.kind(), &bytes), bytes }
    }
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dispatched {
    /// It is a new turn.
    New(NewFile),
    /// The same request was dispatched before.
    Known,
    /// The agent works on another turn.
    Busy(TurnId),
    /// The inbox is closed.
    Closed,
}

/// Decides on a request; a request that is known is accepted again, whatever the agent does now.
///
/// # Errors
/// [`CardError::BadRequest`] if it has ids that no request can have, or the inbox is full.
pub fn dispatch(inbox: &Inbox, request: &TurnRequest) -> Result<Dispatched, CardError> {
    check_ids(request).map_err(CardError::BadRequest)?;
    let bytes = request.bytes();
    if inbox.requests.contains_key(&TurnId::of(&bytes)) {
        return Ok(Dispatched::Known);
    }
    if inbox.is_closed() {
        return Ok(Dispatched::Closed);
    }
    if let Some(busy) = inbox.turns().into_iter().find(|turn| turn.status == TaskStatus::Dispatched) {
        return Ok(Dispatched::Busy(busy.id));
    }
    let full = || CardError::bad("the inbox is full");
    let path = InboxPath::Request(LogEntry::after(inbox.clock, &bytes).ok_or_else(full)?);
    Ok(Dispatched::New(NewFile { path, bytes }))
}

/// Why a turn cannot be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusyReason {
    /// Another process has it.
    Claimed,
    /// It has ended.
    Ended,
}

impl BusyReason {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Ended => "ended",
        }
    }
}

/// Finds the turn that an id, or the beginning of one, names.
///
/// # Errors
/// [`CardError::BadRequest`] if it is no id or names several, [`CardError::NotFound`] if it names none.
pub fn find(inbox: &Inbox, typed: &str) -> Result<TurnId, CardError> {
    let prefix = TurnId::prefix(typed)?;
    let mut found = inbox.requests.keys().filter(|id| id.as_str().starts_with(&prefix));
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(CardError::bad(format!("`{typed}` is the beginning of {first} and {second}; give more digits")))
        }
        (Some(found), None) => Ok(found.clone()),
        (None, _) => Err(CardError::NotFound(format!(
            "turn not found: {typed} (help: `contextpack inbox list AGENT` lists them; `git pull` if another clone made it)"
        ))),
    }
}

fn turn(inbox: &Inbox, id: &TurnId) -> Result<TurnState, CardError> {
    let missing = || CardError::NotFound(format!("turn not found: {id}"));
    inbox.turns().into_iter().find(|turn| turn.id == *id).ok_or_else(missing)
}

/// What becomes of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// It is made.
    Accepted(TurnState, NewFile),
    /// The turn cannot be claimed.
    Busy(TurnState, BusyReason),
    /// No turn is named, and none can be claimed.
    Empty,
}

/// Claims a turn at its epoch: the one that is named, else the oldest that can be claimed.
///
/// # Errors
/// [`CardError::NotFound`] if there is no such turn.
pub fn claim(inbox: &Inbox, named: Option<&TurnId>, writer: &Writer) -> Result<Claimed, CardError> {
    let found = match named {
        Some(id) => Some(turn(inbox, id)?),
        None => inbox.turns().into_iter().find(|turn| turn.status == TaskStatus::Pending),
    };
    let Some(turn) = found else { return Ok(Claimed::Empty) };
    Ok(match turn.status {
        TaskStatus::Pending => {
            let claim = TurnClaim {
                schema_version: CLAIM_VERSION.to_owned(),
                agent_turn_id: turn.id.clone(),
                turn_epoch: turn.epoch,
                author_id: writer.author_id.clone(),
                at: writer.at.clone(),
                nonce: writer.nonce.clone(),
            };
            let path = InboxPath::Claim(Attempt { turn: turn.id.clone(), epoch: turn.epoch });
            Claimed::Accepted(turn, NewFile { path, bytes: canonical_bytes(&claim) })
        }
        TaskStatus::Dispatched => Claimed::Busy(turn, BusyReason::Claimed),
        _ => Claimed::Busy(turn, BusyReason::Ended),
    })
}

/// Acknowledges a turn, and returns its response. Saying the same again changes nothing, so that a command can be repeated.
///
/// The epoch may be left out as long as the turn was never given up: after that it decides whether the response counts.
///
/// # Errors
/// [`CardError::NotFound`] if there is no such turn, [`CardError::BadRequest`] if its epoch is needed or has not begun.
pub fn acknowledge(
    inbox: &Inbox,
    id: &TurnId,
    epoch: Option<u32>,
    outcome: &Outcome,
    writer: &Writer,
) -> Result<(TurnResponse, Reported<NewFile>), CardError> {
    let turn = turn(inbox, id)?;
    let epoch = match epoch {
        Some(epoch) if epoch > turn.epoch => {
            return Err(CardError::bad(format!(
                "epoch {epoch} of the turn {id} has not begun: it is at epoch {}",
                turn.epoch
            )));
        }
        Some(epoch) => epoch,
        None if turn.epoch == 1 => 1,
        None => {
            return Err(CardError::bad(format!(
                "the turn {id} was given up, and is at epoch {} now (help: name the epoch that the claim gave with `--epoch`)",
                turn.epoch
            )));
        }
    };
    let response = TurnResponse {
        schema_version: RESPONSE_VERSION.to_owned(),
        agent_turn_id: id.clone(),
        turn_epoch: epoch,
        correlation_id: turn.request.correlation(),
        status: outcome.status.clone(),
        summary: outcome.summary.clone(),
        output_box_id: outcome.output_box_id.clone(),
        error: outcome.error.clone(),
        author_id: writer.author_id.clone(),
        at: writer.at.clone(),
        nonce: writer.nonce.clone(),
    };
    let attempt = Attempt { turn: id.clone(), epoch };
    let known = inbox.responses.get(&attempt);
    let late = (epoch < turn.epoch).then_some(LateReason::StaleEpoch);
    let reported = if known.is_some_and(|known| known.as_ref().is_some_and(|known| known.repeats(&response))) {
        Reported::Known(late)
    } else if let Some((reason, _)) = inbox.late.iter().find(|(_, late)| late.repeats(&response)) {
        Reported::Known(Some(*reason))
    } else if let Some(reason) = late.or(known.map(|_| LateReason::Second)) {
        let schema_version = EVENT_VERSION.to_owned();
        let event = InboxEvent::Late { schema_version, reason, response: Box::new(response.clone()) };
        Reported::Late(NewFile::event(&event), reason)
    } else {
        Reported::Counted(NewFile { path: InboxPath::Response(attempt), bytes: canonical_bytes(&response) })
    };
    Ok((response, reported))
}

/// Gives up the attempts at turns that are claimed and have no response, if `is_old` says so of the time of the claim, which
/// is `None` if it cannot be read; returns the turns with their new epochs.
///
/// # Errors
/// [`CardError::NotFound`] if there is no such turn.
pub fn reclaim(
    inbox: &Inbox,
    only: Option<&TurnId>,
    is_old: &dyn Fn(Option<&str>) -> bool,
    writer: &Writer,
) -> Result<Vec<(Attempt, NewFile)>, CardError> {
    if let Some(id) = only {
        turn(inbox, id)?;
    }
    let turns = inbox.turns().into_iter().filter(|turn| only.is_none_or(|id| *id == turn.id)).filter(|turn| {
        let at = turn.claim.as_ref().and_then(|claim| claim.at.as_deref());
        turn.status == TaskStatus::Dispatched && turn.epoch < LAST_EPOCH && is_old(at)
    });
    let reclaimed = turns.map(|turn| {
        let event = InboxEvent::Reclaim {
            schema_version: EVENT_VERSION.to_owned(),
            agent_turn_id: turn.id.clone(),
            turn_epoch: turn.epoch,
            at: writer.at.clone(),
        };
        (Attempt { turn: turn.id, epoch: turn.epoch + 1 }, NewFile::event(&event))
    });
    Ok(reclaimed.collect())
}

/// Closes the inbox; `None` if it is closed.
pub fn close(inbox: &Inbox) -> Option<NewFile> {
    let schema_version = EVENT_VERSION.to_owned();
    (!inbox.is_closed()).then(|| NewFile::event(&InboxEvent::Close { schema_version, number: inbox.opened + 1 }))
}

/// Opens the inbox again; `None` if it is open.
pub fn open(inbox: &Inbox) -> Option<NewFile> {
    let schema_version = EVENT_VERSION.to_owned();
    inbox.is_closed().then(|| NewFile::event(&InboxEvent::Open { schema_version, number: inbox.closed }))
}
