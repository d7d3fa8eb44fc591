//! What the files of a batch hold.

use super::path::BatchId;
use super::status::{BatchStatus, TaskStatus};
use crate::handoff::cards::{ContentId, ToolError, canonical_bytes, present};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of `batch.json`.
pub(super) const BATCH_VERSION: &str = "batch/v1";
/// The version of claims.
pub(super) const CLAIM_VERSION: &str = "batch_claim/v1";
/// The version of reports.
pub(super) const REPORT_VERSION: &str = "batch_report/v1";
/// The version of events.
pub(super) const EVENT_VERSION: &str = "batch_event/v1";
/// The version of `result.json`.
pub(super) const RESULT_VERSION: &str = "batch_result/v1";

/// A batch as it was forked: `batch.json`, which never changes. Its hash is the batch's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Always `batch/v1`.
    #[schemars(extend("const" = "batch/v1"))]
    pub schema_version: String,
    /// The agent that gets the result.
    pub parent_agent: String,
    /// The tool call of that agent which the result answers.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub tool_call_id: Option<String>,
    /// What makes it another batch than one with the same tasks.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub key: Option<String>,
    /// Whether the first task that fails, is canceled or takes too long fails the batch and cancels the others.
    pub fail_fast: bool,
    /// After how many seconds from its fork `batch expire` ends its open tasks.
    pub deadline_seconds: u64,
    /// The tasks; a task is named by its position, from 0.
    pub tasks: Vec<BatchTask>,
}

/// A task of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchTask {
    /// Whose log the task's results go to.
    pub target_strategy: TargetStrategy,
    /// The agent.
    pub target_ref: String,
    /// What is to be done.
    pub instruction: String,
    /// A box that the agent is given as well.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub context_box_id: Option<String>,
    /// The work item or issue that the task is about.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub root: Option<String>,
}

/// Whose log a task's results go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetStrategy {
    /// A log of its own.
    New,
    /// The log of the agent.
    Reuse,
    /// A log of its own; the agent is also given the log of the parent.
    Clone,
}

impl TargetStrategy {
    /// Every strategy.
    pub const ALL: [Self; 3] = [Self::New, Self::Reuse, Self::Clone];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Reuse => "reuse",
            Self::Clone => "clone",
        }
    }
}

/// A claim: an agent works on a task. Of one turn there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Always `batch_claim/v1`.
    #[schemars(extend("const" = "batch_claim/v1"))]
    pub schema_version: String,
    /// The batch.
    pub batch_id: BatchId,
    /// The task.
    pub task_index: u32,
    /// The attempt at it, from 1.
    pub epoch: u32,
    /// Who claimed it, for audit only.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub author_id: Option<String>,
    /// When, by the clock of who claimed it: RFC 3339 in UTC, whole seconds.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"))]
    pub at: String,
    /// Random digits: two claims of one turn differ, so that git does not merge them.
    pub nonce: String,
}

/// A report: how a turn ended. Of one turn there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Always `batch_report/v1`.
    #[schemars(extend("const" = "batch_report/v1"))]
    pub schema_version: String,
    /// The batch.
    pub batch_id: BatchId,
    /// The task.
    pub task_index: u32,
    /// The attempt at it, from 1.
    pub epoch: u32,
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
    /// Who reported it, for audit only.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "String")]
    pub author_id: Option<String>,
    /// When, by the clock of who reported it: RFC 3339 in UTC, whole seconds.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"))]
    pub at: String,
    /// Random digits: two reports of one turn differ, so that git does not merge them.
    pub nonce: String,
}

/// An event. Its file is named by its kind and the first 12 hex digits of its SHA-256, so that events never conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The batch was forked. If branches forked it at once, the latest event counts.
    Fork {
        /// Always `batch_event/v1`.
        #[schemars(extend("const" = "batch_event/v1"))]
        schema_version: String,
        /// The batch.
        batch_id: BatchId,
        /// When, from which the deadline counts: RFC 3339 in UTC, whole seconds.
        at: String,
        /// The log of the parent, which the result goes to.
        parent_log: String,
        /// What was made for each task, in order.
        tasks: Vec<ForkedTask>,
    },
    /// An attempt was given up: its claim and reports do not count any more, and the next epoch begins.
    Reclaim {
        /// Always `batch_event/v1`.
        #[schemars(extend("const" = "batch_event/v1"))]
        schema_version: String,
        /// The batch.
        batch_id: BatchId,
        /// The task.
        task_index: u32,
        /// The epoch that is over.
        epoch: u32,
        /// When: RFC 3339 in UTC, whole seconds.
        at: String,
    },
    /// A report that came too late to count.
    Late {
        /// Always `batch_event/v1`.
        #[schemars(extend("const" = "batch_event/v1"))]
        schema_version: String,
        /// Why it does not count.
        reason: LateReason,
        /// The report.
        report: Report,
    },
}

/// What a fork made for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkedTask {
    /// The key of the agent.
    pub agent: String,
    /// The pack that the agent is given, from the repo's root.
    pub pack: String,
    /// The box with everything that was handed over.
    pub context_box_id: ContentId,
    /// The log that the agent appends to.
    pub output_box: String,
}

/// Why a report does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LateReason {
    /// Its epoch is over.
    StaleEpoch,
    /// Its epoch has not begun.
    FutureEpoch,
    /// Its epoch has a report already.
    Second,
    /// The batch was joined before.
    Closed,
}

impl LateReason {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleEpoch => "stale_epoch",
            Self::FutureEpoch => "future_epoch",
            Self::Second => "second",
            Self::Closed => "closed",
        }
    }
}

/// The result of a batch: `result.json`, which is its state from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchResult {
    /// Always `batch_result/v1`.
    #[schemars(extend("const" = "batch_result/v1"))]
    pub schema_version: String,
    /// The batch.
    pub batch_id: BatchId,
    /// The state of the batch.
    pub status: BatchStatus,
    /// The results, by task.
    pub results: Vec<TaskResult>,
    /// When: RFC 3339 in UTC, whole seconds.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"))]
    pub at: String,
    /// Random digits: two results differ, so that git does not merge them.
    pub nonce: String,
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    /// The task.
    pub task_index: u32,
    /// How it ended.
    pub status: TaskStatus,
    /// The epoch of the report that counts; absent if the task was canceled without one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "u32")]
    pub epoch: Option<u32>,
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
}

/// The longest deadline, in seconds, as in plans: more than thirty years.
pub(super) const LONGEST_DEADLINE: u64 = 1_000_000_000;

/// The deadline of a batch unless its plan has another, in seconds.
const DEADLINE_SECONDS: u64 = 900;

impl Batch {
    /// Creates a batch with the defaults of what a plan may leave out.
    pub fn new(parent_agent: String, tasks: Vec<BatchTask>) -> Self {
        Self {
            schema_version: BATCH_VERSION.to_owned(),
            parent_agent,
            tool_call_id: None,
            key: None,
            fail_fast: false,
            deadline_seconds: DEADLINE_SECONDS,
            tasks,
        }
    }

    /// Returns the bytes of its file.
    pub fn bytes(&self) -> Vec<u8> {
        canonical_bytes(self)
    }
}

impl Report {
    /// Returns whether another report says the same of the same turn, at whatever time.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        *self == Self { at: self.at.clone(), nonce: self.nonce.clone(), ..other.clone() }
    }
}

impl Event {
    /// Returns the word of its kind, with which the name of its file begins.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Fork { .. } => "fork",
            Self::Reclaim { .. } => "reclaim",
            Self::Late { .. } => "late",
        }
    }
}
