//! The files of a ledger that are written once: the plan, the fork and the result of a batch, and the requests of an inbox.

use super::fields::{
    EntryFields, TRACE_DIGITS, check_each, check_epoch, check_id, check_key, check_origin, check_outcome, check_text,
    check_time, check_trace, ensure, read_json, same,
};
use super::names::{BATCHES, LedgerPath, NewFile, ShortId, Status, is_short_hash};
use crate::config::{LONGEST_DEADLINE, PlannedTask, TargetStrategy};
use crate::handoff::cards::{ContentId, LogEntry, LogName, ToolError, canonical_bytes, check_hash};
use crate::model::RepoPath;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub const BATCH_VERSION: &str = "batch/v1";

pub(super) const RESULT_VERSION: &str = "batch_result/v1";

pub const REQUEST_VERSION: &str = "inbox_request/v1";

/// What a report says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The word.
    pub status: String,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The box with the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<ContentId>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
}

/// A batch as it was forked: `batch.json`, which never changes. Its hash is the batch's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    pub schema_version: String,
    pub parent_agent: String,
    /// The tool call of that agent which the result answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// What makes it another batch than one with the same tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether the first task that fails, is canceled or takes too long fails the batch and cancels the others.
    pub fail_fast: bool,
    /// After how many seconds from its fork `batch expire` ends its open tasks.
    pub deadline_seconds: u64,
    pub tasks: Vec<PlannedTask>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    pub at: String,
    /// The path of its event in the folder of the batch, which decides between two of one time.
    pub path: String,
    pub parent_log: String,
    pub tasks: Vec<ForkedTask>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkedTask {
    pub agent: String,
    /// The pack that the agent is given, from the repo's root.
    pub pack: String,
    pub context_box_id: ContentId,
    pub output_box: String,
}

/// The result of a batch: `result.json`, which is its state from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchResult {
    pub(super) schema_version: String,
    pub batch_id: String,
    pub status: Status,
    pub results: Vec<TaskResult>,
    pub at: String,
    pub(super) nonce: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    pub task_index: u32,
    pub status: Status,
    /// The epoch of the report that counts; absent if the task was canceled without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<ContentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
}

impl Batch {
    pub fn id(&self) -> ShortId {
        ShortId::of(&canonical_bytes(self))
    }

    /// Returns the plan's file, which is written last: without it there is no batch.
    pub fn file(&self) -> NewFile {
        NewFile::new(LedgerPath::File("batch.json"), self)
    }

    pub fn fork_event(&self, at: &str, parent_log: &str, tasks: &[ForkedTask]) -> NewFile {
        let fields = json!({"batch_id": self.id(), "at": at, "parent_log": parent_log, "tasks": tasks});
        NewFile::event(&BATCHES, "fork", fields)
    }

    pub(crate) fn read(id: &ShortId, bytes: &[u8]) -> Result<Self, String> {
        if !bytes.is_empty() {
            check_hash(bytes, id, "hash", ShortId::of)?;
        }
        let batch: Self = read_json(bytes)?;
        same("schema_version", &batch.schema_version.as_str(), &BATCH_VERSION)?;
        ensure(u32::try_from(batch.tasks.len()).is_ok_and(|count| count > 0), || "it has no tasks".to_owned())?;
        let is_deadline = (1..=LONGEST_DEADLINE).contains(&batch.deadline_seconds);
        ensure(is_deadline, || format!("its `deadline_seconds` is not from 1 to {LONGEST_DEADLINE}"))?;
        check_key("parent_agent", &batch.parent_agent)?;
        check_each(&[("tool_call_id", &batch.tool_call_id), ("key", &batch.key)], check_text)?;
        for task in &batch.tasks {
            check_key("target_ref", &task.target_ref)?;
            check_text("instruction", &task.instruction)?;
            check_each(&[("context_box_id", &task.context_box_id), ("root", &task.root)], check_key)?;
        }
        Ok(batch)
    }
}

impl TaskResult {
    pub(super) fn outcome(&self) -> Outcome {
        let Self { status, summary, output_box_id, error, .. } = self.clone();
        Outcome { status: status.name().to_owned(), summary, output_box_id, error }
    }
}

impl Fork {
    /// Reads what a fork made in the batch `name`, whose plan has these tasks.
    pub(super) fn read(
        mut fields: EntryFields,
        path: String,
        name: &str,
        planned: &[PlannedTask],
    ) -> Result<Self, String> {
        fields.take_same("batch_id", name)?;
        let (at, parent_log) = (fields.take("at")?, fields.take("parent_log")?);
        let fork = Self { at, path, parent_log, tasks: fields.take("tasks")? };
        fields.end()?;
        same("number of tasks", &fork.tasks.len(), &planned.len())?;
        check_time(&fork.at)?;
        LogName::new(&fork.parent_log).map_err(|error| format!("its `parent_log`: {error}"))?;
        for (index, (planned, forked)) in planned.iter().zip(&fork.tasks).enumerate() {
            let checked = forked.check(&format!("{name}.{index}"), planned.target_strategy);
            checked.map_err(|why| format!("task {index}: {why}"))?;
        }
        Ok(fork)
    }
}

impl BatchResult {
    /// Reads the result of the batch `name`, which has this plan.
    pub(super) fn read(bytes: &[u8], name: &str, plan: &Batch) -> Result<Self, String> {
        let result: Self = read_json(bytes)?;
        same("schema_version", &result.schema_version.as_str(), &RESULT_VERSION)?;
        same("batch_id", &result.batch_id.as_str(), &name)?;
        let is_whole = result.results.iter().map(|it| it.task_index as usize).eq(0..plan.tasks.len());
        ensure(is_whole, || "its results are not one for each task, in order".to_owned())?;
        let statuses: Vec<_> = result.results.iter().map(|it| it.status).collect();
        let expected = Status::of_tasks(&statuses, plan.fail_fast && statuses.iter().any(|status| status.fails_fast()));
        let follows = statuses.iter().all(|status| status.is_terminal()) && result.status == expected;
        ensure(follows, || "its status does not follow from its results".to_owned())?;
        for task in &result.results {
            task.epoch.map_or(Ok(()), |epoch| check_epoch("epoch", epoch, false))?;
            check_outcome("task", task.status.name(), task.error.as_ref())?;
        }
        check_origin(&result.at, &result.nonce)?;
        Ok(result)
    }
}

impl ForkedTask {
    /// Checks what a fork made for a task, `own` in the names that this program gives.
    fn check(&self, own: &str, strategy: TargetStrategy) -> Result<(), String> {
        check_key("agent", &self.agent)?;
        LogName::new(&self.output_box).map_err(|error| format!("its `output_box`: {error}"))?;
        if strategy != TargetStrategy::Reuse {
            same("`output_box`", &self.output_box, &own.to_owned())?;
        }
        let is_pack = |path: &str| {
            let (folder, file) = path.rsplit_once('/')?;
            let hash = file.strip_prefix(own)?.strip_prefix('-')?.strip_suffix(".json")?;
            Some(is_short_hash(hash) && (folder == "packs" || folder.ends_with("/packs")))
        };
        let is_plain = RepoPath::new(&self.pack).is_ok_and(|path| path.as_str() == self.pack);
        ensure(is_plain && is_pack(&self.pack) == Some(true), || {
            format!("its `pack` is no path such as `context/packs/{own}-<12 hex digits>.json`")
        })
    }
}

/// A turn that was dispatched to an agent. It never changes, and its hash is the turn's id, so that the same request is the
/// same turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    pub(crate) schema_version: String,
    pub(crate) agent: String,
    pub(crate) context_box_id: ContentId,
    pub(crate) output_box: String,
    /// The work item or issue that the turn is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_agent: Option<String>,
    /// What joins request and response; the id of the turn if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) correlation_id: Option<String>,
    /// The trace that the turn belongs to, as in W3C Trace Context; if absent, it follows from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<String>,
    /// What makes it another turn than an equal request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
}

impl TurnRequest {
    pub(crate) fn id(&self) -> ShortId {
        ShortId::of(&canonical_bytes(self))
    }

    pub(crate) fn correlation(&self) -> String {
        self.correlation_id.clone().unwrap_or_else(|| self.id().to_string())
    }

    pub(crate) fn trace(&self) -> String {
        let own = || ContentId::of(&canonical_bytes(self)).hex()[..TRACE_DIGITS].to_owned();
        self.trace_id.clone().unwrap_or_else(own)
    }

    pub(super) fn read(entry: &LogEntry, bytes: &[u8]) -> Result<Self, String> {
        check_hash(bytes, &entry.hash, "hash", |bytes| ShortId::of(bytes).to_string())?;
        let request: Self = read_json(bytes)?;
        same("schema_version", &request.schema_version.as_str(), &REQUEST_VERSION)?;
        LogName::new(&request.output_box).map_err(|error| error.to_string())?;
        check_key("agent", &request.agent)?;
        check_each(&[("root", &request.root), ("from_agent", &request.from_agent)], check_key)?;
        request.check_ids()?;
        Ok(request)
    }

    pub(super) fn check_ids(&self) -> Result<(), String> {
        check_each(&[("correlation_id", &self.correlation_id), ("key", &self.key)], check_id)?;
        check_each(&[("trace_id", &self.trace_id)], check_trace)
    }
}
