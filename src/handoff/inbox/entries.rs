//! What the files of an inbox hold.

use super::path::TurnId;
use crate::handoff::batches::LateReason;
use crate::handoff::cards::{ContentId, ToolError, canonical_bytes, present};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of requests.
pub(super) const REQUEST_VERSION: &str = "inbox_request/v1";
/// The version of claims.
pub(super) const CLAIM_VERSION: &str = "inbox_claim/v1";
/// The version of responses.
pub(super) const RESPONSE_VERSION: &str = "inbox_response/v1";
/// The version of events.
pub(super) const EVENT_VERSION: &str = "inbox_event/v1";

/// A turn that was dispatched to an agent. It never changes, and its hash is the turn's id, so that the same request is the
/// same turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    /// Always `inbox_request/v1`.
    #[schemars(extend("const" = "inbox_request/v1"))]
    pub schema_version: String,
    /// The key of the agent.
    pub agent: String,
    /// The box that the agent reads.
    pub context_box_id: ContentId,
    /// The log that the agent appends to.
    pub output_box: String,
    /// The work item or issue that the turn is about.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub root: Option<String>,
    /// The key of the agent that dispatched it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub from_agent: Option<String>,
    /// What joins request and response; the id of the turn if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub correlation_id: Option<String>,
    /// The trace that the turn belongs to, as in W3C Trace Context; if absent, it follows from the request.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{32}$"))]
    pub trace_id: Option<String>,
    /// What makes it another turn than an equal request.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
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

    /// Returns the bytes of its file.
    pub fn bytes(&self) -> Vec<u8> {
        canonical_bytes(self)
    }

    /// Returns what joins the request and its response.
    pub fn correlation(&self) -> String {
        self.correlation_id.clone().unwrap_or_else(|| TurnId::of(&self.bytes()).to_string())
    }

    /// Returns the trace that it belongs to.
    pub fn trace(&self) -> String {
        let own = || ContentId::of(&self.bytes()).hex().chars().take(TRACE_DIGITS).collect();
        self.trace_id.clone().unwrap_or_else(own)
    }
}

/// The number of hex digits of the id of a trace.
pub(super) const TRACE_DIGITS: usize = 32;

/// A claim: a process works on a turn. Of one attempt there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnClaim {
    /// Always `inbox_claim/v1`.
    #[schemars(extend("const" = "inbox_claim/v1"))]
    pub schema_version: String,
    /// The turn.
    pub agent_turn_id: TurnId,
    /// The attempt at it, from 1.
    pub turn_epoch: u32,
    /// Who claimed it, for audit only.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub author_id: Option<String>,
    /// When, by the clock of who claimed it: RFC 3339 in UTC, whole seconds.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"))]
    pub at: String,
    /// Random digits: two claims of one attempt differ, so that git does not merge them.
    pub nonce: String,
}

/// A response: how an attempt at a turn ended. Of one attempt there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnResponse {
    /// Always `inbox_response/v1`.
    #[schemars(extend("const" = "inbox_response/v1"))]
    pub schema_version: String,
    /// The turn.
    pub agent_turn_id: TurnId,
    /// The attempt at it, from 1.
    pub turn_epoch: u32,
    /// That of the request.
    pub correlation_id: String,
    /// `success`, `failed`, `canceled`, `timeout` or `partial`; any other word counts as `failed`.
    #[schemars(length(min = 1))]
    pub status: String,
    /// What was done.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub summary: Option<String>,
    /// The box with the results.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "ContentId")]
    pub output_box_id: Option<ContentId>,
    /// Why it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "ToolError")]
    pub error: Option<ToolError>,
    /// Who acknowledged it, for audit only.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub author_id: Option<String>,
    /// When, by the clock of who acknowledged it: RFC 3339 in UTC, whole seconds.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"))]
    pub at: String,
    /// Random digits: two responses of one attempt differ, so that git does not merge them.
    pub nonce: String,
}

/// An event. Its file is named by its kind and the first 12 hex digits of its SHA-256, so that events never conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum InboxEvent {
    /// An attempt was given up: its claim and response do not count any more, and the next epoch begins.
    Reclaim {
        /// Always `inbox_event/v1`.
        #[schemars(extend("const" = "inbox_event/v1"))]
        schema_version: String,
        /// The turn.
        agent_turn_id: TurnId,
        /// The epoch that is over.
        turn_epoch: u32,
        /// When: RFC 3339 in UTC, whole seconds.
        at: String,
    },
    /// A response that came too late to count.
    Late {
        /// Always `inbox_event/v1`.
        #[schemars(extend("const" = "inbox_event/v1"))]
        schema_version: String,
        /// Why it does not count.
        reason: LateReason,
        /// The response.
        response: Box<TurnResponse>,
    },
    /// The inbox takes no more turns. Two branches that close it write the same file.
    Close {
        /// Always `inbox_event/v1`.
        #[schemars(extend("const" = "inbox_event/v1"))]
        schema_version: String,
        /// The how many-th time, from 1.
        number: u32,
    },
    /// The inbox takes turns again.
    Open {
        /// Always `inbox_event/v1`.
        #[schemars(extend("const" = "inbox_event/v1"))]
        schema_version: String,
        /// The number of the closing that is over.
        number: u32,
    },
}

impl TurnResponse {
    /// Returns whether another response says the same of the same attempt, at whatever time.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        *self == Self { at: self.at.clone(), nonce: self.nonce.clone(), ..other.clone() }
    }
}

impl InboxEvent {
    /// Returns the word of its kind, with which the name of its file begins.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Reclaim { .. } => "reclaim",
            Self::Late { .. } => "late",
            Self::Close { .. } => "close",
            Self::Open { .. } => "open",
        }
    }
}
