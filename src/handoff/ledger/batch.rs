//! Batches: a plan of tasks, what its fork made, and its result.

use super::files::{Batch, BatchResult, ForkedTask, Outcome, RESULT_VERSION, TaskResult};
use super::names::{Attempt, BATCHES, LedgerPath, NewFile, ShortId, Status, WorkId, Writer};
use super::state::{Ledger, TaskState};
use crate::config::PlannedTask;
use crate::handoff::cards::{CardError, ContentId};
use crate::handoff::handover::TaskLog;
use std::collections::BTreeMap;

/// The deadline of a batch unless its plan has another, in seconds.
pub const DEADLINE_SECONDS: u64 = 900;

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
        let mut ledger = ledger.with_files(&files);
        if ledger.fork.is_none() && ledger.faults.is_empty() {
            // The plan is written last.
            let why = "what its fork made is not in `events/` (help: restore that from git, or fork the plan again)";
            ledger.fault(&"batch.json", why.to_owned());
        }
        Ok(ledger)
    }

    pub(crate) fn forked(&self, id: &WorkId) -> Option<&ForkedTask> {
        let WorkId::Task(index) = id else { return None };
        self.fork.as_ref()?.tasks.get(*index as usize)
    }

    /// Returns the box that is read for a task or turn.
    pub(crate) fn context(&self, id: &WorkId) -> Option<&ContentId> {
        self.request(id).map(|it| &it.context_box_id).or(self.forked(id).map(|it| &it.context_box_id))
    }

    /// Returns the tasks of an agent, or all turns of its inbox.
    pub(crate) fn work_of(&self, agent: Option<&str>) -> impl Iterator<Item = TaskState> {
        let is_own = move |id: &WorkId| match self.forked(id) {
            Some(forked) => Some(&*forked.agent) == agent,
            None => self.request(id).is_some(),
        };
        self.states().into_iter().filter(move |state| is_own(&state.id))
    }

    pub(crate) fn planned(&self, id: &WorkId) -> Option<&PlannedTask> {
        let WorkId::Task(index) = id else { return None };
        self.plan.as_ref()?.tasks.get(*index as usize)
    }

    /// Returns the logs of the tasks. A task that reuses its agent has none of its own.
    pub(crate) fn task_logs(&self) -> Vec<TaskLog> {
        let tasks = self.fork.iter().flat_map(|fork| &fork.tasks);
        let logs = tasks.map(|task| (task.output_box.clone(), task.agent.clone()));
        logs.filter(|(log, _)| log.starts_with(&format!("{}.", self.name))).collect()
    }

    /// Returns what names a task in any inbox, its batch and position, or a turn in its own.
    pub(crate) fn name_of(&self, id: &WorkId) -> String {
        if self.plan.is_some() { format!("{}.{id}", self.name) } else { id.to_string() }
    }

    /// Returns the log that the agent of a task or turn appends to.
    pub fn output_box(&self, id: &WorkId) -> String {
        let own = self.forked(id).map(|forked| &forked.output_box);
        let own = own.or(self.request(id).map(|request| &request.output_box));
        own.cloned().unwrap_or_else(|| self.name_of(id))
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
            results: states.iter().map(task_result).collect(),
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

fn task_result(task: &TaskState) -> TaskResult {
    let Outcome { summary, output_box_id, error, .. } = task.outcome.clone().unwrap_or_default();
    let task_index = if let WorkId::Task(index) = task.id { index } else { 0 };
    let epoch = task.report.as_ref().map(|report| report.epoch);
    TaskResult { task_index, status: task.status, epoch, summary, output_box_id, error }
}
