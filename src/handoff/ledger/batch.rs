//! Batches: a plan of tasks, what its fork made, and its result.

use super::fields::{
    EntryFields, check_each, check_epoch, check_key, check_origin, check_outcome, check_text, check_time, ensure,
    read_json, same,
};
use super::names::{Attempt, BATCHES, LedgerPath, NewFile, ShortId, Status, WorkId, Writer, is_short_hash};
use super::state::{Ledger, Outcome, TaskState};
use crate::config::{LONGEST_DEADLINE, PlannedTask, TargetStrategy};
use crate::handoff::cards::{CardError, ContentId, LogName, ToolError, canonical_bytes, check_hash};
use crate::model::RepoPath;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

pub const BATCH_VERSION: &str = "batch/v1";

const RESULT_VERSION: &str = "batch_result/v1";

/// The deadline of a batch unless its plan has another, in seconds.
pub const DEADLINE_SECONDS: u64 = 900;

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
    schema_version: String,
    pub batch_id: String,
    pub status: Status,
    pub results: Vec<TaskResult>,
    pub at: String,
    nonce: String,
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
    fn of(task: &TaskState) -> Self {
        let Outcome { summary, output_box_id, error, .. } = task.outcome.clone().unwrap_or_default();
        let task_index = if let WorkId::Task(index) = task.id { index } else { 0 };
        let epoch = task.report.as_ref().map(|report| report.epoch);
        Self { task_index, status: task.status, epoch, summary, output_box_id, error }
    }

    pub(super) fn outcome(&self) -> Outcome {
        let Self { status, summary, output_box_id, error, .. } = self.clone();
        Outcome { status: status.name().to_owned(), summary, output_box_id, error }
    }
}

impl Ledger {
    /// Reads the files of a batch: pairs of a path in its folder and its bytes, in any order.
    pub fn of_batch(id: &ShortId, files: Vec<(String, Vec<u8>)>) -> Result<Self, CardError> {
        let ledger = Self::of_batch_with_any_result(id, files)?;
        match ledger.faults.iter().find(|fault| fault.path == "result.json") {
            None => Ok(ledger),
            Some(fault) => Err(damaged(id, "result.json", &fault.message)),
        }
    }

    /// Reads the files of a batch, also if the result cannot be used, which is a fault then.
    pub(crate) fn of_batch_with_any_result(id: &ShortId, files: Vec<(String, Vec<u8>)>) -> Result<Self, CardError> {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let missing = || CardError::NotFound(format!("batch not found: {id}"));
        let plan = files.get("batch.json").ok_or_else(missing)?;
        let plan = Batch::read(id, plan).map_err(|why| damaged(id, "batch.json", &why))?;
        let order = (0..u32::try_from(plan.tasks.len()).unwrap_or(u32::MAX)).map(WorkId::Task).collect();
        let ledger = Self { kind: &BATCHES, name: id.to_string(), order, plan: Some(plan), ..Self::default() };
        Ok(ledger.with_files(&files))
    }

    /// Adds what a fork made; of several forks the last one counts.
    pub(super) fn add_fork(&mut self, mut fields: EntryFields, path: String) -> Result<(), String> {
        fields.take_same("batch_id", &self.name)?;
        let (at, parent_log) = (fields.take("at")?, fields.take("parent_log")?);
        let fork = Fork { at, path, parent_log, tasks: fields.take("tasks")? };
        fields.end()?;
        let planned = self.plan.as_ref().map_or(&[][..], |plan| &plan.tasks);
        same("number of tasks", &fork.tasks.len(), &planned.len())?;
        check_time(&fork.at)?;
        LogName::new(&fork.parent_log).map_err(|error| format!("its `parent_log`: {error}"))?;
        for (index, (planned, forked)) in planned.iter().zip(&fork.tasks).enumerate() {
            let checked = forked.check(&format!("{}.{index}", self.name), planned.target_strategy);
            checked.map_err(|why| format!("task {index}: {why}"))?;
        }
        if self.fork.as_ref().is_none_or(|known| (&known.at, &known.path) < (&fork.at, &fork.path)) {
            self.fork = Some(fork);
        }
        Ok(())
    }

    pub(super) fn read_result(&self, bytes: &[u8]) -> Result<BatchResult, String> {
        let result: BatchResult = read_json(bytes)?;
        same("schema_version", &result.schema_version.as_str(), &RESULT_VERSION)?;
        same("batch_id", &result.batch_id, &self.name)?;
        let is_whole = result.results.iter().map(|it| it.task_index as usize).eq(0..self.order.len());
        ensure(is_whole, || "its results are not one for each task, in order".to_owned())?;
        let statuses: Vec<_> = result.results.iter().map(|it| it.status).collect();
        let fail_fast = self.plan.as_ref().is_some_and(|plan| plan.fail_fast);
        let expected = Status::of_tasks(&statuses, fail_fast && statuses.iter().any(|status| status.fails_fast()));
        let follows = statuses.iter().all(|status| status.is_terminal()) && result.status == expected;
        ensure(follows, || "its status does not follow from its results".to_owned())?;
        for task in &result.results {
            task.epoch.map_or(Ok(()), |epoch| check_epoch("epoch", epoch, false))?;
            check_outcome("task", task.status.name(), task.error.as_ref())?;
        }
        check_origin(&result.at, &result.nonce)?;
        Ok(result)
    }

    pub(crate) fn forked(&self, id: &WorkId) -> Option<&ForkedTask> {
        let WorkId::Task(index) = id else { return None };
        self.fork.as_ref()?.tasks.get(*index as usize)
    }

    pub(crate) fn planned(&self, id: &WorkId) -> Option<&PlannedTask> {
        let WorkId::Task(index) = id else { return None };
        self.plan.as_ref()?.tasks.get(*index as usize)
    }

    /// Returns the log that the agent of a task or turn appends to.
    pub fn output_box(&self, id: &WorkId) -> String {
        let own = self.forked(id).map(|forked| &forked.output_box);
        let own = own.or(self.request(id).map(|request| &request.output_box));
        own.cloned().unwrap_or_else(|| format!("{}.{id}", self.name))
    }

    /// Returns the state of a batch, whose tasks have these states.
    pub fn status(&self, tasks: &[TaskState]) -> Status {
        let statuses: Vec<Status> = tasks.iter().map(|task| task.status).collect();
        let result = self.result.as_ref().map(|result| result.status);
        result.unwrap_or_else(|| Status::of_tasks(&statuses, self.failed_fast(tasks)))
    }

    /// Ends every open task with a report; returns the attempts that end.
    ///
    /// An attempt whose report is damaged is given up first.
    pub fn end_open(&self, outcome: &Outcome, writer: &Writer) -> Vec<(Attempt, Vec<NewFile>)> {
        let open = self.states().into_iter().filter(|task| !task.status.is_terminal());
        let ended = open.map(|task| {
            let given_up = task.is_blocked.then(|| self.reclaimed(&task, writer));
            let attempt = given_up.as_ref().map_or_else(|| task.attempt(), |(next, _)| next.clone());
            let report = self.report_file(&attempt, outcome, writer, None);
            (attempt, given_up.map(|(_, event)| event).into_iter().chain([report]).collect())
        });
        ended.collect()
    }

    /// Returns the result of a batch whose tasks have all ended, and the file to be added if it was not joined before.
    pub fn join(&self, writer: &Writer) -> Result<(BatchResult, Option<NewFile>), CardError> {
        if let Some(result) = &self.result {
            return Ok((result.clone(), None));
        }
        let states = self.states();
        let open: Vec<_> = states.iter().filter(|task| !task.status.is_terminal()).collect();
        if !open.is_empty() {
            return Err(self.open_tasks(&open));
        }
        let result = BatchResult {
            schema_version: RESULT_VERSION.to_owned(),
            batch_id: self.name.clone(),
            status: self.status(&states),
            results: states.iter().map(TaskResult::of).collect(),
            at: writer.at.clone(),
            nonce: writer.nonce.clone(),
        };
        let file = NewFile::new(LedgerPath::File("result.json"), &result);
        Ok((result, Some(file)))
    }

    fn open_tasks(&self, open: &[&TaskState]) -> CardError {
        const NAMED: usize = 10;
        let id = &self.name;
        let named = open.iter().take(NAMED).map(|task| format!("{} ({})", task.id, task.status.name()));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if open.len() > NAMED { format!(" and {} more", open.len() - NAMED) } else { String::new() };
        CardError::NotFound(format!(
            "the batch has open tasks: {named}{more} (help: `contextpack batch cancel {id}` ends them, `contextpack batch expire {id}` once its deadline has passed; `contextpack batch reclaim {id}` gives claimed ones to others)"
        ))
    }
}

fn damaged(id: &ShortId, file: &str, why: &str) -> CardError {
    CardError::Invalid(format!("`{id}/{file}`: {why}; restore it from git"))
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
