//! Batches: a plan of tasks, and everything that happens to them.

use super::decide::{NewFile, Writer};
use super::fields::{
    check_each, check_epoch, check_key, check_origin, check_outcome, check_text, check_time, read_json, same,
};
use super::names::{Attempt, Claimable, IdKind, Layout, LedgerPath, ShortId, is_short_hash, misplaced, number};
use super::state::{Ledger, Outcome, TaskState};
use super::status::{BatchStatus, LateReason, TaskStatus};
use crate::handoff::cards::{CardError, ContentId, LogName, ToolError, canonical_bytes, check_hash};
use crate::handoff::handover::TargetStrategy;
use crate::model::RepoPath;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const BATCH_VERSION: &str = "batch/v1";

const RESULT_VERSION: &str = "batch_result/v1";

/// The longest deadline, in seconds, as in plans: more than thirty years.
const LONGEST_DEADLINE: u64 = 1_000_000_000;

/// The deadline of a batch unless its plan has another, in seconds.
const DEADLINE_SECONDS: u64 = 900;

/// The id of a batch: the first 12 hex digits of the SHA-256 of its `batch.json`.
pub type BatchId = ShortId<BatchIdKind>;

/// The kind of [`BatchId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchIdKind;

impl IdKind for BatchIdKind {
    const FIELD: &'static str = "batch_id";
}

/// The files of a batch, whose tasks are named by their positions, from 0.
pub type BatchLedger = Ledger<u32>;

pub type TaskPath = LedgerPath<u32>;

impl Claimable for u32 {
    const LAYOUT: Layout = Layout {
        folder: "batches",
        command: "batch",
        files: &["batch.json", "result.json"],
        folders: &["claims", "reports", "events"],
        reports: "reports",
        events: &["fork", "reclaim", "late"],
        versions: ["batch_claim/v1", "batch_report/v1", "batch_event/v1"],
        noun: "task",
        article: "",
        title: "batch ",
        acknowledges: "Report",
        fields: ["task_index", "epoch"],
        attempt: "turn",
        report: "report",
        late: &[LateReason::StaleEpoch, LateReason::Second, LateReason::Closed],
    };

    type Content = BatchContent;

    fn parse(text: &str) -> Option<Self> {
        number(text)
    }

    fn repeated(&self, ledger: &Ledger<Self>, _: bool) -> Option<(&'static str, Value)> {
        Some(("batch_id", ledger.name.as_str().into()))
    }

    fn missing(&self, ledger: &Ledger<Self>) -> String {
        let last = ledger.order.len().saturating_sub(1);
        format!("task not found: {self} (help: the tasks of this batch are 0 to {last})")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchContent {
    pub id: BatchId,
    pub batch: Batch,
    pub fork: Option<Fork>,
    pub result: Option<BatchResult>,
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
    pub tasks: Vec<BatchTask>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchTask {
    pub target_strategy: TargetStrategy,
    pub target_ref: String,
    pub instruction: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_box_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
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
    /// The box with everything that was handed over.
    pub context_box_id: ContentId,
    pub output_box: String,
}

/// The result of a batch: `result.json`, which is its state from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchResult {
    schema_version: String,
    pub batch_id: BatchId,
    pub status: BatchStatus,
    pub results: Vec<TaskResult>,
    pub at: String,
    nonce: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    pub task_index: u32,
    pub status: TaskStatus,
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

    pub fn id(&self) -> BatchId {
        BatchId::of(&canonical_bytes(self))
    }

    /// Returns the plan's file, which is written last: without it there is no batch.
    pub fn file(&self) -> NewFile<u32> {
        NewFile::new(TaskPath::File("batch.json"), self)
    }

    pub fn fork_event(&self, at: &str, parent_log: &str, tasks: &[ForkedTask]) -> NewFile<u32> {
        NewFile::event("fork", json!({"batch_id": self.id(), "at": at, "parent_log": parent_log, "tasks": tasks}))
    }

    pub(super) fn read(id: &BatchId, bytes: &[u8]) -> Result<Self, String> {
        if !bytes.is_empty() {
            check_hash(bytes, id, "hash", BatchId::of)?;
        }
        let batch: Self = read_json(bytes)?;
        same("schema_version", &batch.schema_version.as_str(), &BATCH_VERSION)?;
        if batch.tasks.is_empty() || u32::try_from(batch.tasks.len()).is_err() {
            return Err("it has no tasks".to_owned());
        }
        if !(1..=LONGEST_DEADLINE).contains(&batch.deadline_seconds) {
            return Err(format!("its `deadline_seconds` is not from 1 to {LONGEST_DEADLINE}"));
        }
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

impl BatchLedger {
    /// Reads the files of a batch: pairs of a path in its folder and its bytes, in any order.
    pub fn of(id: &BatchId, files: Vec<(String, Vec<u8>)>) -> Result<Self, CardError> {
        let ledger = Self::without_result(id, files)?;
        match ledger.faults.iter().find(|fault| fault.path == "result.json") {
            None => Ok(ledger),
            Some(fault) => {
                Err(CardError::Invalid(format!("`{id}/result.json`: {}; restore it from git", fault.message)))
            }
        }
    }

    /// Reads the files of a batch, also if the result cannot be used, which is a fault then.
    pub(super) fn without_result(id: &BatchId, files: Vec<(String, Vec<u8>)>) -> Result<Self, CardError> {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let missing = || CardError::NotFound(format!("batch not found: {id}"));
        let batch = Batch::read(id, files.get("batch.json").ok_or_else(missing)?)
            .map_err(|why| CardError::Invalid(format!("`{id}/batch.json`: {why}; restore it from git")))?;
        let (tasks, fail_fast) = (batch.tasks.len(), batch.fail_fast);
        let content = BatchContent { id: id.clone(), batch, fork: None, result: None };
        let mut ledger = Self::new(id.to_string(), content);
        ledger.fail_fast = fail_fast;
        (0..u32::try_from(tasks).unwrap_or(u32::MAX)).for_each(|task| ledger.add_key(task));
        for (path, bytes) in &files {
            if let Err(why) = ledger.add_file(path, bytes) {
                ledger.fault(path, why);
            }
        }
        ledger.finish();
        Ok(ledger)
    }

    fn add_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let parsed = TaskPath::parse(path).ok_or_else(|| misplaced::<u32>(path))?;
        match &parsed {
            TaskPath::Event { kind, .. } if kind == "fork" => {
                let fork = self.read_fork(&parsed, bytes)?;
                let known = self.content.fork.as_ref();
                if known.is_none_or(|known| (&known.at, &known.path) < (&fork.at, &fork.path)) {
                    self.content.fork = Some(fork);
                }
            }
            TaskPath::File("result.json") => {
                let result = self.read_result(bytes)?;
                let ended = result.results.iter().map(|task| (task.task_index, (task.status, task.epoch)));
                self.joined = Some(ended.collect());
                self.content.result = Some(result);
            }
            _ => self.add(&parsed, bytes)?,
        }
        Ok(())
    }

    fn read_fork(&self, path: &TaskPath, bytes: &[u8]) -> Result<Fork, String> {
        let BatchContent { id, batch, .. } = &self.content;
        let (_, mut fields) = self.read_event(path, bytes)?;
        fields.take_same("batch_id", &json!(id))?;
        let (at, parent_log) = (fields.take("at")?, fields.take("parent_log")?);
        let fork = Fork { at, path: path.to_string(), parent_log, tasks: fields.take("tasks")? };
        fields.end()?;
        same("number of tasks", &fork.tasks.len(), &batch.tasks.len())?;
        check_time(&fork.at)?;
        LogName::new(&fork.parent_log).map_err(|error| format!("its `parent_log`: {error}"))?;
        for (index, (planned, forked)) in batch.tasks.iter().zip(&fork.tasks).enumerate() {
            let checked = check_forked(id, index, planned.target_strategy, forked);
            checked.map_err(|why| format!("task {index}: {why}"))?;
        }
        Ok(fork)
    }

    fn read_result(&self, bytes: &[u8]) -> Result<BatchResult, String> {
        let BatchContent { id, batch, .. } = &self.content;
        let result: BatchResult = read_json(bytes)?;
        same("schema_version", &result.schema_version.as_str(), &RESULT_VERSION)?;
        same("batch_id", &result.batch_id, id)?;
        if !result.results.iter().map(|it| it.task_index as usize).eq(0..batch.tasks.len()) {
            return Err("its results are not one for each task, in order".to_owned());
        }
        let statuses: Vec<_> = result.results.iter().map(|it| it.status).collect();
        let failed_fast = batch.fail_fast && statuses.iter().any(|status| status.fails_fast());
        let expected = BatchStatus::of_tasks(&statuses, failed_fast);
        if !statuses.iter().all(|status| status.is_terminal()) || result.status != expected {
            return Err("its status does not follow from its results".to_owned());
        }
        for task in &result.results {
            task.epoch.map_or(Ok(()), |epoch| check_epoch("epoch", epoch, false))?;
            check_outcome("task", task.status.name(), task.error.as_ref())?;
        }
        check_origin(&result.at, &result.nonce)?;
        Ok(result)
    }

    /// Redacts the texts of claims, reports and the result, which may have been written by hand.
    #[must_use]
    pub fn redacted(self, redact: &dyn Fn(&str) -> String) -> Self {
        let mut ledger = self.with_redacted_reports(redact);
        for result in ledger.content.result.iter_mut().flat_map(|result| &mut result.results) {
            result.summary.iter_mut().for_each(|text| *text = redact(text));
            result.error.iter_mut().for_each(|error| error.redact(redact));
        }
        ledger
    }

    pub fn forked(&self, task: u32) -> Option<&ForkedTask> {
        self.content.fork.as_ref()?.tasks.get(task as usize)
    }

    /// Returns the log that the agent of a task appends to.
    pub fn output_box(&self, task: u32) -> String {
        self.forked(task).map_or_else(|| format!("{}.{task}", self.name), |forked| forked.output_box.clone())
    }

    /// Returns the state of the whole, whose tasks have these states.
    pub fn status(&self, tasks: &[TaskState<u32>]) -> BatchStatus {
        let statuses: Vec<TaskStatus> = tasks.iter().map(|task| task.status).collect();
        let result = self.content.result.as_ref().map(|result| result.status);
        result.unwrap_or_else(|| BatchStatus::of_tasks(&statuses, self.failed_fast(tasks)))
    }

    /// Ends every open task with a report; returns the attempts that end.
    ///
    /// An attempt whose report is damaged is given up first.
    pub fn end_open(&self, outcome: &Outcome, writer: &Writer) -> Vec<(Attempt<u32>, Vec<NewFile<u32>>)> {
        let open = self.states().into_iter().filter(|task| !task.status.is_terminal());
        let ended = open.map(|task| {
            let (attempt, mut files) = if task.is_blocked {
                let (next, file) = self.reclaimed(&task, writer);
                (next, vec![file])
            } else {
                (task.attempt(), Vec::new())
            };
            files.push(self.report_file(&attempt, outcome, writer, None));
            (attempt, files)
        });
        ended.collect()
    }

    /// Returns the result of a batch whose tasks have all ended, and the file to be added if it was not joined before.
    pub fn join(&self, writer: &Writer) -> Result<(BatchResult, Option<NewFile<u32>>), CardError> {
        if let Some(result) = &self.content.result {
            return Ok((result.clone(), None));
        }
        let states = self.states();
        let open: Vec<_> = states.iter().filter(|task| !task.status.is_terminal()).collect();
        if !open.is_empty() {
            return Err(self.open_tasks(&open));
        }
        let result = BatchResult {
            schema_version: RESULT_VERSION.to_owned(),
            batch_id: self.content.id.clone(),
            status: self.status(&states),
            results: states.iter().map(ended).collect(),
            at: writer.at.clone(),
            nonce: writer.nonce.clone(),
        };
        let file = NewFile::new(TaskPath::File("result.json"), &result);
        Ok((result, Some(file)))
    }

    fn open_tasks(&self, open: &[&TaskState<u32>]) -> CardError {
        const NAMED: usize = 10;
        let id = &self.name;
        let named = open.iter().take(NAMED).map(|task| format!("{} ({})", task.id, task.status.name()));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if open.len() > NAMED { format!(" and {} more", open.len() - NAMED) } else { String::new() };
        CardError::NotFound(format!(
            "the batch has open tasks: {named}{more} (help: `contextpack batch cancel {id}` ends them, `contextpack batch expire {id}` once its deadline has passed; `contextpack batch reclaim {id}` gives claimed ones to others)"
        ))
    }

    /// Returns how a task ended; `None` if it has not.
    pub fn outcome_of(&self, task: &TaskState<u32>) -> Option<Outcome> {
        let result = match &self.content.result {
            Some(result) => result.results.get(task.id as usize).cloned(),
            None => task.status.is_terminal().then(|| ended(task)),
        };
        let TaskResult { status, summary, output_box_id, error, .. } = result?;
        Some(Outcome { status: status.name().to_owned(), summary, output_box_id, error })
    }
}

fn ended(task: &TaskState<u32>) -> TaskResult {
    let (epoch, outcome) = match task.report.clone() {
        Some(report) => (Some(report.epoch), report.outcome),
        None => {
            let message = "another task did not succeed, so this one was canceled".to_owned();
            let error = Some(ToolError { code: "fail_fast".to_owned(), message });
            (None, Outcome { error, ..Outcome::default() })
        }
    };
    let Outcome { summary, output_box_id, error, .. } = outcome;
    TaskResult { task_index: task.id, status: task.status, epoch, summary, output_box_id, error }
}

/// Checks what a fork made for a task: paths and names are those that this program gives.
fn check_forked(id: &BatchId, index: usize, strategy: TargetStrategy, forked: &ForkedTask) -> Result<(), String> {
    check_key("agent", &forked.agent)?;
    LogName::new(&forked.output_box).map_err(|error| format!("its `output_box`: {error}"))?;
    if strategy != TargetStrategy::Reuse {
        same("`output_box`", &forked.output_box, &format!("{id}.{index}"))?;
    }
    let is_pack = |path: &str| {
        let (folder, file) = path.rsplit_once('/')?;
        let hash = file.strip_prefix(&format!("{id}.{index}-"))?.strip_suffix(".json")?;
        Some(is_short_hash(hash) && (folder == "packs" || folder.ends_with("/packs")))
    };
    let is_plain = RepoPath::new(&forked.pack).is_ok_and(|path| path.as_str() == forked.pack);
    if is_plain && is_pack(&forked.pack) == Some(true) {
        return Ok(());
    }
    Err(format!("its `pack` is no path such as `context/packs/{id}.{index}-<12 hex digits>.json`"))
}
