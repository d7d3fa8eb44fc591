//! What the commands about batches print.

use crate::cli::turn::{FaultOutput, by_and_at, outcome_line};
use crate::handoff::batches::{BatchId, BatchStatus, LateReason, Ledger, ReportState, TaskResult, TaskStatus};
use crate::handoff::cards::{ContentId, ToolError};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `batch fork` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ForkedBatch {
    /// The batch.
    pub(crate) batch_id: BatchId,
    /// Whether it was forked before, so that nothing was written.
    pub(crate) existed: bool,
    /// The tasks that can be claimed.
    pub(crate) matrix: BatchMatrix,
}

/// What `batch matrix` prints, for a workflow's `fromJSON`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchMatrix {
    /// The tasks that can be claimed; perhaps none, which a workflow has to check.
    pub(crate) include: Vec<MatrixTask>,
}

/// A task that can be claimed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatrixTask {
    /// The batch.
    pub(crate) batch_id: BatchId,
    /// The task, from 0.
    pub(crate) task_index: u32,
    /// The epoch that it is at.
    pub(crate) epoch: u32,
    /// The key of the agent; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The pack that the agent is given, from the repo's root; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pack: Option<String>,
    /// The log that the agent appends to.
    pub(crate) output_box: String,
}

/// What `batch claim` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimedTask {
    /// `accepted` or `busy`.
    pub(crate) status: &'static str,
    /// The epoch that the task is at.
    pub(crate) epoch: u32,
    /// What the worker needs, if it is accepted.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) pointers: Option<TaskPointers>,
    /// Why it is busy: `claimed`, `ended` or `closed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    /// Who has claimed it, if it is busy for that reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claimed_by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claimed_at: Option<String>,
}

/// What the worker on a task reads, and where it writes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskPointers {
    /// The key of the agent; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The pack that the agent is given, from the repo's root; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<String>,
    /// The box that the agent reads; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_box_id: Option<ContentId>,
    /// The log that the agent appends to.
    output_box: String,
    /// The work item or issue that the task is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
}

impl TaskPointers {
    /// Returns what a task points to.
    pub(super) fn of(ledger: &Ledger, task: u32) -> Self {
        let forked = ledger.forked(task);
        Self {
            agent: forked.map(|it| it.agent.clone()),
            pack: forked.map(|it| it.pack.clone()),
            context_box_id: forked.map(|it| it.context_box_id.clone()),
            output_box: ledger.output_box(task),
            root: ledger.batch.tasks.get(task as usize).and_then(|task| task.root.clone()),
        }
    }

    /// Returns what a worker needs, for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let fields = [
            ("agent", self.agent.clone()),
            ("context", self.context_box_id.as_ref().map(ToString::to_string)),
            ("output", Some(self.output_box.clone())),
            ("root", self.root.clone()),
            ("pack", self.pack.clone()),
        ];
        fields.into_iter().filter_map(|(name, value)| Some(format!("{name:<8}{}", value?))).collect()
    }
}

/// What `batch report` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReportedTask {
    /// `counted` or `late`.
    pub(crate) status: &'static str,
    /// What the word of the report counts as.
    pub(crate) counts_as: TaskStatus,
    /// Why it is late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<LateReason>,
    /// Whether the same was reported before, so that nothing was written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) existed: bool,
}

/// What `batch reclaim` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReclaimedTasks {
    /// The tasks that can be claimed again.
    pub(crate) reclaimed: Vec<TaskTurn>,
}

/// What `batch expire` and `batch cancel` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndedTasks {
    /// The tasks that were ended.
    pub(crate) ended: Vec<TaskTurn>,
}

/// A task at an epoch.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskTurn {
    /// The task, from 0.
    pub(crate) task_index: u32,
    /// The epoch.
    pub(crate) epoch: u32,
}

/// What `batch join` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JoinedBatch {
    /// The state of the batch.
    pub(crate) status: BatchStatus,
    /// The results, by task.
    pub(crate) results: Vec<TaskResult>,
}

/// What `batch list` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchList {
    /// The batches, by id.
    pub(crate) batches: Vec<ListedBatch>,
}

/// A batch, as `batch list` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedBatch {
    /// Its id.
    batch_id: BatchId,
    /// Its state.
    status: BatchStatus,
    /// Whether it was joined.
    joined: bool,
    /// The agent that gets the result.
    parent_agent: String,
    /// When it was forked; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_at: Option<String>,
    /// How many tasks it has in each state.
    tasks: BTreeMap<&'static str, usize>,
}

impl ListedBatch {
    pub(super) fn of(ledger: &Ledger) -> Self {
        let state = ledger.state();
        let mut tasks = BTreeMap::new();
        for task in &state.tasks {
            *tasks.entry(task.status.name()).or_default() += 1;
        }
        Self {
            batch_id: ledger.id.clone(),
            status: state.status,
            joined: state.joined,
            parent_agent: ledger.batch.parent_agent.clone(),
            forked_at: ledger.forked_at().map(str::to_owned),
            tasks,
        }
    }

    pub(super) fn line(&self) -> String {
        let tasks: Vec<String> = self.tasks.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let joined = if self.joined { ", joined" } else { "" };
        format!("{}  {}{joined}  {}  for {}", self.batch_id, self.status.name(), tasks.join(", "), self.parent_agent)
    }
}

/// What `batch status` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchStatusOutput {
    /// The batch.
    batch_id: BatchId,
    /// Its state.
    status: BatchStatus,
    /// Whether it was joined, so that its state does not change any more.
    joined: bool,
    /// The tasks, in order.
    tasks: Vec<TaskOutput>,
    /// The files of the batch that cannot be used.
    faults: Vec<FaultOutput>,
}

/// A task, as `batch status` prints it.
#[derive(Debug, Serialize, JsonSchema)]
struct TaskOutput {
    /// The task, from 0.
    task_index: u32,
    /// Its state.
    status: TaskStatus,
    /// The epoch that it is at.
    epoch: u32,
    /// The key of the agent; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// Whether this epoch is claimed.
    claimed: bool,
    /// Who claimed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_at: Option<String>,
    /// Who made the report that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported_by: Option<String>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The box with the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_box_id: Option<ContentId>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ToolError>,
    /// All reports, by epoch.
    reports: Vec<ReportOutput>,
}

/// A report, as `batch status` prints it.
#[derive(Debug, Serialize, JsonSchema)]
struct ReportOutput {
    /// Its epoch.
    epoch: u32,
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

impl From<ReportState> for ReportOutput {
    fn from(report: ReportState) -> Self {
        let ReportState { epoch, at, status, late: reason } = report;
        Self { epoch, status, at, counts: reason.is_none(), reason }
    }
}

impl BatchStatusOutput {
    /// Returns the state; `redacted` removes secrets from what was written by hand.
    pub(super) fn of(ledger: &Ledger, redacted: &dyn Fn(&str) -> String) -> Self {
        let state = ledger.state();
        let tasks = state.tasks.into_iter().map(|task| {
            let result = ledger.result_of(&task);
            TaskOutput {
                task_index: task.index,
                status: task.status,
                epoch: task.epoch,
                agent: ledger.forked(task.index).map(|forked| forked.agent.clone()),
                claimed: task.claim.is_some(),
                claimed_by: task.claim.as_ref().and_then(|claim| claim.author_id.as_deref()).map(redacted),
                claimed_at: task.claim.and_then(|claim| claim.at),
                reported_by: task.report.as_ref().and_then(|report| report.author_id.as_deref()).map(redacted),
                summary: result.as_ref().and_then(|result| result.summary.as_deref()).map(redacted),
                output_box_id: result.as_ref().and_then(|result| result.output_box_id.clone()),
                error: result
                    .and_then(|result| result.error)
                    .map(|error| ToolError { code: redacted(&error.code), message: redacted(&error.message) }),
                reports: task.reports.into_iter().map(ReportOutput::from).collect(),
            }
        });
        let faults = ledger.faults.iter();
        Self {
            batch_id: ledger.id.clone(),
            status: state.status,
            joined: state.joined,
            tasks: tasks.collect(),
            faults: faults.map(|fault| FaultOutput::of(fault, redacted)).collect(),
        }
    }
}

impl BatchStatusOutput {
    /// Returns whether a task has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.tasks.iter().any(|task| !task.status.is_terminal())
    }
}

/// Returns the state of a batch for people: a line for the whole, and one for each task.
pub(super) fn status_lines(output: &BatchStatusOutput) -> Vec<String> {
    /// How many signs the bar has.
    const WIDTH: usize = 20;
    let all = output.tasks.len();
    let ended = output.tasks.iter().filter(|task| task.status.is_terminal()).count();
    let mut states: BTreeMap<TaskStatus, usize> = BTreeMap::new();
    for task in &output.tasks {
        *states.entry(task.status).or_default() += 1;
    }
    let states: Vec<String> = states.iter().rev().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let done = (ended * WIDTH).checked_div(all).unwrap_or_default();
    let bar = format!("[{}{}]", "#".repeat(done), "-".repeat(WIDTH - done));
    let joined = if output.joined { ", joined" } else { "" };
    let (id, status) = (&output.batch_id, output.status.name());
    let mut lines = vec![format!("{id}  {status}{joined}  {bar} {ended} of {all} tasks ended: {}", states.join(", "))];
    let width = |of: &dyn Fn(&TaskOutput) -> usize| output.tasks.iter().map(of).max().unwrap_or_default();
    let (agents, epochs) = (
        width(&|task| task.agent.as_ref().map_or(0, |agent| agent.chars().count())),
        width(&|task| digits(task.epoch)),
    );
    for task in &output.tasks {
        let agent = task.agent.as_deref().unwrap_or_default();
        let (index, status, epoch) = (task.task_index, task.status.name(), task.epoch);
        let mut line = format!("{index:>4}  {status:<10}  epoch {epoch:<epochs$}  {agent:<agents$}");
        if task.claimed {
            line += "  claimed";
            line += &by_and_at(task.claimed_by.as_deref(), task.claimed_at.as_deref());
        }
        if let Some(report) = task.reports.iter().find(|report| report.counts) {
            line += "  reported";
            line += &by_and_at(task.reported_by.as_deref(), Some(&report.at));
        }
        let outcome = outcome_line(task.summary.as_deref(), task.error.as_ref());
        if !outcome.is_empty() {
            line += &format!("  {outcome}");
        }
        let late = task.reports.iter().filter_map(|report| {
            Some(format!("{} (epoch {}, {})", report.status, report.epoch, report.reason?.name()))
        });
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        late.for_each(|text| *counts.entry(text).or_default() += 1);
        if !counts.is_empty() {
            let times = |count| if count > 1 { format!(" x {count}") } else { String::new() };
            let texts: Vec<String> = counts.into_iter().map(|(text, count)| text + &times(count)).collect();
            line += &format!("  not counted: {}", texts.join(", "));
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn digits(number: u32) -> usize {
    number.to_string().len()
}

/// Returns the first line of a state, and those that are others than before.
pub(super) fn changed_lines(before: &[String], now: &[String]) -> Vec<String> {
    let changed = now.iter().enumerate().filter(|(at, line)| *at == 0 || before.get(*at) != Some(*line));
    changed.map(|(_, line)| line.clone()).collect()
}
