//! What `dispatch` and the commands about inboxes print.

use crate::cli::turn::{FaultOutput, by_and_at, outcome_line};
use crate::handoff::batches::{LateReason, ReportState, TaskStatus};
use crate::handoff::cards::{ContentId, ToolError};
use crate::handoff::inbox::{Inbox, TurnId, TurnRequest, TurnState};
use schemars::JsonSchema;
use serde::Serialize;

/// What `dispatch` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DispatchedTurn {
    /// `accepted`, `busy`, `rejected` or `error`.
    pub(crate) status: &'static str,
    /// The turn, if it is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_turn_id: Option<TurnId>,
    /// The epoch that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn_epoch: Option<u32>,
    /// The trace that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<String>,
    /// What joins its request and its response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) correlation_id: Option<String>,
    /// Whether it was dispatched before, so that nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) existed: Option<bool>,
    /// Why it is not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_code: Option<&'static str>,
}

impl DispatchedTurn {
    /// Returns the result for a request that is not accepted.
    pub(super) fn refused(status: &'static str, error_code: &'static str) -> Self {
        Self {
            status,
            agent_turn_id: None,
            turn_epoch: None,
            trace_id: None,
            correlation_id: None,
            existed: None,
            error_code: Some(error_code),
        }
    }

    /// Returns the result for a turn.
    pub(super) fn accepted(turn: &TurnState, existed: bool) -> Self {
        Self {
            status: "accepted",
            agent_turn_id: Some(turn.id.clone()),
            turn_epoch: Some(turn.epoch),
            trace_id: Some(turn.request.trace()),
            correlation_id: Some(turn.request.correlation()),
            existed: Some(existed),
            error_code: None,
        }
    }
}

/// What a turn is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TurnPointers {
    /// What joins its request and its response.
    correlation_id: String,
    /// The trace that it belongs to.
    trace_id: String,
    /// The box that the agent reads.
    context_box_id: ContentId,
    /// The log that the agent appends to.
    output_box: String,
    /// The work item or issue that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    /// The agent that dispatched it.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_agent: Option<String>,
    /// The pack of the handover that made the box, from the repo's root, if it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<String>,
}

impl TurnPointers {
    /// Returns what a request points to; `pack_of` finds the pack of a box, and `redacted` removes secrets from a request that
    /// was made by hand.
    pub(super) fn of(
        request: &TurnRequest,
        pack_of: &dyn Fn(&ContentId) -> Option<String>,
        redacted: &dyn Fn(&str) -> String,
    ) -> Self {
        Self {
            correlation_id: redacted(&request.correlation()),
            trace_id: request.trace(),
            context_box_id: request.context_box_id.clone(),
            output_box: redacted(&request.output_box),
            root: request.root.as_deref().map(redacted),
            from_agent: request.from_agent.as_deref().map(redacted),
            pack: pack_of(&request.context_box_id),
        }
    }
}

impl TurnPointers {
    /// Returns what a worker needs, for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let fields = [
            ("context", Some(self.context_box_id.to_string())),
            ("output", Some(self.output_box.clone())),
            ("root", self.root.clone()),
            ("pack", self.pack.clone()),
        ];
        fields.into_iter().filter_map(|(name, value)| Some(format!("{name:<8}{}", value?))).collect()
    }
}

/// What `inbox claim` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimedTurn {
    /// `accepted` or `busy`.
    pub(crate) status: &'static str,
    /// The turn; absent if none can be claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_turn_id: Option<TurnId>,
    /// The epoch that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn_epoch: Option<u32>,
    /// What it is about, if it is accepted.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) pointers: Option<TurnPointers>,
    /// Why it is busy: `claimed`, `ended`, or `empty` if there is no turn that can be claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    /// Who has claimed it, if it is busy for that reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claimed_by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claimed_at: Option<String>,
}

/// What `inbox ack` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AcknowledgedTurn {
    /// `counted` or `late`.
    pub(crate) status: &'static str,
    /// What the word of the response counts as.
    pub(crate) counts_as: TaskStatus,
    /// The turn.
    pub(crate) agent_turn_id: TurnId,
    /// The epoch that the response is for.
    pub(crate) turn_epoch: u32,
    /// What joins its request and its response.
    pub(crate) correlation_id: String,
    /// Why it is late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<LateReason>,
    /// Whether the same was reported before, so that nothing was written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) existed: bool,
}

/// What `inbox reclaim` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReclaimedTurns {
    /// The turns that can be claimed again.
    pub(crate) reclaimed: Vec<TurnEpoch>,
}

/// A turn at an epoch.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TurnEpoch {
    /// The turn.
    pub(crate) agent_turn_id: TurnId,
    /// The epoch.
    pub(crate) turn_epoch: u32,
}

/// What `inbox close` and `inbox open` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InboxDoor {
    /// The inbox: the log of its agent.
    pub(crate) inbox: String,
    /// Whether it takes no turns.
    pub(crate) closed: bool,
    /// Whether that is new.
    pub(crate) changed: bool,
}

/// What `inbox list` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InboxOutput {
    /// The inbox: the log of its agent.
    inbox: String,
    /// Whether it takes no turns.
    closed: bool,
    /// Whether a turn is claimed and not acknowledged, so that others are refused.
    busy: bool,
    /// The turns, oldest first.
    turns: Vec<TurnOutput>,
    /// The files of the inbox that cannot be used.
    faults: Vec<FaultOutput>,
}

/// A turn, as `inbox list` prints it.
#[derive(Debug, Serialize, JsonSchema)]
struct TurnOutput {
    /// The turn.
    agent_turn_id: TurnId,
    /// Its state.
    status: TaskStatus,
    /// The epoch that it is at.
    turn_epoch: u32,
    /// What it is about.
    #[serde(flatten)]
    pointers: TurnPointers,
    /// Whether this epoch is claimed.
    claimed: bool,
    /// Who claimed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_at: Option<String>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The box with the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_box_id: Option<ContentId>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ToolError>,
    /// All responses, by epoch.
    responses: Vec<ResponseOutput>,
}

/// A response, as `inbox list` prints it.
#[derive(Debug, Serialize, JsonSchema)]
struct ResponseOutput {
    /// Its epoch.
    turn_epoch: u32,
    /// Its word.
    status: String,
    /// When.
    at: String,
    /// Whether it counts.
    counts: bool,
    /// Why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<LateReason>,
}

impl From<ReportState> for ResponseOutput {
    fn from(report: ReportState) -> Self {
        let ReportState { epoch: turn_epoch, at, status, late: reason } = report;
        Self { turn_epoch, status, at, counts: reason.is_none(), reason }
    }
}

impl InboxOutput {
    /// Returns the state; the functions are those of [`TurnPointers::of`].
    pub(super) fn of(
        name: &str,
        inbox: &Inbox,
        pack_of: &dyn Fn(&ContentId) -> Option<String>,
        redacted: &dyn Fn(&str) -> String,
    ) -> Self {
        let turns: Vec<TurnOutput> = inbox
            .turns()
            .into_iter()
            .map(|turn| TurnOutput {
                pointers: TurnPointers::of(&turn.request, pack_of, redacted),
                agent_turn_id: turn.id,
                status: turn.status,
                turn_epoch: turn.epoch,
                claimed: turn.claim.is_some(),
                claimed_by: turn.claim.as_ref().and_then(|claim| claim.author_id.as_deref()).map(redacted),
                claimed_at: turn.claim.and_then(|claim| claim.at),
                summary: turn.response.as_ref().and_then(|response| response.summary.as_deref()).map(redacted),
                output_box_id: turn.response.as_ref().and_then(|response| response.output_box_id.clone()),
                error: turn
                    .response
                    .and_then(|response| response.error)
                    .map(|error| ToolError { code: redacted(&error.code), message: redacted(&error.message) }),
                responses: turn.responses.into_iter().map(ResponseOutput::from).collect(),
            })
            .collect();
        Self {
            inbox: name.to_owned(),
            closed: inbox.is_closed(),
            busy: turns.iter().any(|turn| turn.status == TaskStatus::Dispatched),
            turns,
            faults: inbox.faults.iter().map(|fault| FaultOutput::of(fault, redacted)).collect(),
        }
    }

    /// Returns the state for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let open = self.turns.iter().filter(|turn| !turn.status.is_terminal()).count();
        let closed = if self.closed { "  closed" } else { "" };
        let mut lines = vec![format!("{}{closed}  {open} of {} turns open", self.inbox, self.turns.len())];
        for turn in &self.turns {
            let root = turn.pointers.root.as_deref().map_or_else(String::new, |root| format!("  {root}"));
            let mut line =
                format!("  {}  {:<10}  epoch {}{root}", turn.agent_turn_id, turn.status.name(), turn.turn_epoch);
            if turn.claimed {
                line += "  claimed";
                line += &by_and_at(turn.claimed_by.as_deref(), turn.claimed_at.as_deref());
            }
            let late: Vec<String> = turn
                .responses
                .iter()
                .filter_map(|it| Some(format!("{} (epoch {}, {})", it.status, it.turn_epoch, it.reason?.name())))
                .collect();
            if !late.is_empty() {
                line += &format!("  not counted: {}", late.join(", "));
            }
            let outcome = outcome_line(turn.summary.as_deref(), turn.error.as_ref());
            if !outcome.is_empty() {
                line += &format!("  {outcome}");
            }
            lines.push(line);
        }
        lines
    }
}
