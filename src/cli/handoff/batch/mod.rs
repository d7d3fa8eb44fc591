//! `contextpack batch`.

mod fork;

use super::args::{BatchArg, BatchCommand};
use super::ledger::{
    Done, HandoffFiles, OpenLedger, Shown, age, attempt_output, fault_outputs, outcome_line, state_output, state_text,
    time,
};
use super::wake::Ring;
use crate::cli::args::Global;
use crate::console::{self, Exit, Failure, Format, object};
use crate::handoff::cards::{CardError, LogName, ToolError};
use crate::handoff::ledger::{Attempt, BatchResult, Ledger, LedgerPath, Outcome, ShortId, Status, TaskState, WorkId};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

impl HandoffFiles {
    pub(super) fn batch(&self, arg: &BatchArg) -> Result<OpenLedger<'_>, Failure> {
        Ok(self.open_batch(&self.batches.find_batch(&arg.id)?))
    }

    pub(super) fn open_batch(&self, id: &ShortId) -> OpenLedger<'_> {
        OpenLedger { files: self, folder: &self.batches, name: id.to_string() }
    }
}

pub(crate) fn run(global: &Global, command: &BatchCommand) -> Result<Exit, Failure> {
    let files = HandoffFiles::open(global)?;
    files.settle(run_on(&files, command))
}

fn run_on(files: &HandoffFiles, command: &BatchCommand) -> Result<Exit, Failure> {
    match command {
        BatchCommand::Fork { file, boxes, wake } => fork::run(files, file, boxes, wake),
        BatchCommand::Claim { task, author, publish } => files.published(*publish, None, || {
            files.batch(&task.batch)?.claim_one(author.as_deref(), &WorkId::Task(task.index))
        }),
        BatchCommand::Report { task, epoch, status, outcome, publish } => files.published(*publish, None, || {
            files.batch(&task.batch)?.report(&WorkId::Task(task.index), Some(*epoch), status, outcome)
        }),
        BatchCommand::Reclaim { batch, task, reclaim } => {
            files.published(reclaim.wake.publish, Some(&reclaim.wake), || {
                files.batch(batch)?.reclaim(task.map(WorkId::Task).as_ref(), reclaim.after)
            })
        }
        BatchCommand::Expire(end) => files.published(end.publish, None, || expire(files, &end.batch)),
        BatchCommand::Cancel(end) => files.published(end.publish, None, || {
            let batch = files.batch(&end.batch)?;
            end_open(&batch, &batch.read()?, "canceled", ("canceled", "the batch was canceled"))
        }),
        BatchCommand::Join { batch, wake } => files.published(wake.publish, Some(wake), || join(files, batch)),
        BatchCommand::Status { batch, watch } => status(files, batch, *watch),
        BatchCommand::Matrix(batch) => {
            // On one line, for the output of a step.
            let matrix = serde_json::to_string(&matrix(&files.batch(batch)?.read()?)).map_err(std::io::Error::from)?;
            writeln!(console::stdout(), "{matrix}")?;
            Ok(Exit::Done)
        }
        BatchCommand::List => list(files),
    }
}

fn status(files: &HandoffFiles, batch: &BatchArg, watch: Option<Duration>) -> Result<Exit, Failure> {
    let batch = files.batch(batch)?;
    files.follow(watch, || {
        let ledger = batch.read()?;
        let states = ledger.states();
        let is_open = states.iter().any(|task| !task.status.is_terminal());
        let (lines, output) = (status_lines(&ledger, &states), status_output(&ledger, &states));
        Ok(Shown { lines, output, faults: batch.faults(&ledger), is_open })
    })
}

pub(super) fn status_output(ledger: &Ledger, states: &[TaskState]) -> Value {
    let tasks = states.iter().map(|task| {
        let author = task.report.as_ref().map(|report| &report.author_id);
        let agent = ledger.forked(&task.id).map(|forked| &forked.agent);
        object([state_output(task), json!({"agent": agent, "reported_by": author})])
    });
    json!({
        "batch_id": ledger.name,
        "status": ledger.status(states),
        "joined": ledger.is_over(),
        "tasks": tasks.collect::<Value>(),
        "faults": fault_outputs(&ledger.faults),
    })
}

pub(super) fn status_lines(ledger: &Ledger, states: &[TaskState]) -> Vec<String> {
    const WIDTH: usize = 20;
    let agent = |task: &TaskState| ledger.forked(&task.id).map_or("", |forked| forked.agent.as_str());
    let agents = states.iter().map(|task| agent(task).chars().count()).max().unwrap_or_default();
    let epochs = states.iter().map(|task| task.epoch.to_string().len()).max().unwrap_or_default();
    let tasks = states.iter().map(|task| {
        let (id, status, epoch, agent) = (&task.id, task.status.name(), task.epoch, agent(task));
        let text = state_text(task);
        let line = format!("{id:>4}  {status:<10}  epoch {epoch:<epochs$}  {agent:<agents$}{text}");
        line.trim_end().to_owned()
    });
    let all = states.len();
    let ended = states.iter().filter(|task| task.status.is_terminal()).count();
    let mut counts: BTreeMap<Status, usize> = BTreeMap::new();
    states.iter().for_each(|task| *counts.entry(task.status).or_default() += 1);
    let counts: Vec<String> = counts.iter().rev().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let done = (ended * WIDTH).checked_div(all).unwrap_or_default();
    let bar = format!("[{}{}]", "#".repeat(done), "-".repeat(WIDTH - done));
    let (id, status, counts) = (&ledger.name, status_text(ledger, states), counts.join(", "));
    let summary = format!("{id}  {status}  {bar} {ended} of {all} tasks ended: {counts}");
    std::iter::once(summary).chain(tasks).collect()
}

fn status_text(ledger: &Ledger, states: &[TaskState]) -> String {
    let joined = if ledger.is_over() { ", joined" } else { "" };
    format!("{}{joined}", ledger.status(states).name())
}

fn list(files: &HandoffFiles) -> Result<Exit, Failure> {
    let (mut batches, mut lines, mut exit) = (Vec::new(), Vec::new(), Exit::Done);
    let (ids, without_plan) = files.batches.with_and_without_plan()?;
    for id in without_plan {
        let (path, help) =
            (files.batches.shown(&id, &"batch.json"), "restore it from git, or fork the same plan again");
        files.global.note(&format!("note: `{path}` is not there, so that {id} is no batch (help: {help})"))?;
    }
    for id in ids {
        let batch = files.open_batch(&id);
        match batch.read() {
            Ok(ledger) => {
                exit = exit.and(files.report_errors(&batch.faults(&ledger))?);
                let (output, line) = listed(&ledger);
                batches.push(output);
                lines.push(line);
            }
            // One bad batch hides no other.
            Err(error) => {
                exit = files.report_errors(&[error.message()])?;
            }
        }
    }
    for path in files.batches.odd_paths()? {
        exit = files.report_errors(&[format!("`{path}`: it is no batch; remove it")])?;
    }
    if batches.is_empty() && exit == Exit::Done && files.global.format == Format::Text {
        files.global.note("note: there are no batches; `contextpack batch fork` makes one")?;
    }
    files.global.print(&json!({"batches": batches}), lines)?;
    Ok(exit)
}

fn listed(ledger: &Ledger) -> (Value, String) {
    let states = ledger.states();
    let mut tasks: BTreeMap<&str, usize> = BTreeMap::new();
    states.iter().for_each(|task| *tasks.entry(task.status.name()).or_default() += 1);
    let parent = ledger.plan.as_ref().map_or("", |plan| &plan.parent_agent);
    let counts: Vec<String> = tasks.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let (id, status) = (&ledger.name, status_text(ledger, &states));
    let line = format!("{id}  {status}  {}  for {parent}", counts.join(", "));
    let output = json!({
        "batch_id": id,
        "status": ledger.status(&states),
        "joined": ledger.is_over(),
        "parent_agent": parent,
        "forked_at": ledger.fork.as_ref().map(|fork| &fork.at),
        "tasks": tasks,
    });
    (object([output]), line)
}

#[derive(Serialize)]
struct BatchMatrix {
    include: Vec<MatrixTask>,
}

#[derive(Serialize)]
struct MatrixTask {
    batch_id: String,
    task_index: WorkId,
    epoch: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<String>,
    output_box: String,
}

fn matrix(ledger: &Ledger) -> BatchMatrix {
    let pending = ledger.states().into_iter().filter(|it| it.status == Status::Pending && !ledger.is_over());
    let include = pending.map(|task| {
        let (agent, pack) = ledger.forked(&task.id).map(|it| (it.agent.clone(), it.pack.clone())).unzip();
        let (batch_id, output_box) = (ledger.name.clone(), ledger.output_box(&task.id));
        MatrixTask { batch_id, task_index: task.id, epoch: task.epoch, agent, pack, output_box }
    });
    BatchMatrix { include: include.collect() }
}

fn expire(files: &HandoffFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let batch = files.batch(batch)?;
    let ledger = batch.read()?;
    let Some((plan, fork)) = ledger.plan.as_ref().zip(ledger.fork.as_ref()) else {
        return Err(Failure::Input(format!(
            "the event of the fork of {} is not there, so that the deadline is not known (help: restore it from git, or use `batch cancel`)",
            ledger.name
        )));
    };
    let deadline = Duration::from_secs(plan.deadline_seconds);
    let after = humantime::format_duration(deadline);
    let is_open = ledger.states().iter().any(|task| !task.status.is_terminal());
    let now = time(&files.writer(None)?.at)?;
    if is_open && age(&fork.at, now).is_none_or(|age| age < deadline) {
        let why = format!("the deadline, {after} after {}, has not passed", fork.at);
        return Ok(ended(&batch, &[], "timeout").noted([why]));
    }
    end_open(&batch, &ledger, "timeout", ("deadline", &format!("it was not done {after} after the fork")))
}

/// Writes a report for each open task that is not reported by others meanwhile.
fn end_open(
    batch: &OpenLedger<'_>,
    ledger: &Ledger,
    status: &str,
    (code, message): (&str, &str),
) -> Result<Done, Failure> {
    let error = ToolError { code: code.to_owned(), message: message.to_owned() };
    let outcome = Outcome { status: status.to_owned(), error: Some(error), ..Outcome::default() };
    let mut attempts = Vec::new();
    for (attempt, new) in ledger.end_open(&outcome, &batch.files.writer(None)?) {
        let mut is_ours = false;
        for file in new {
            is_ours = batch.create(&file)?;
        }
        attempts.extend(is_ours.then_some(attempt));
    }
    let none = attempts.is_empty().then(|| "there are no open tasks".to_owned());
    Ok(ended(batch, &attempts, status).noted(none))
}

fn ended(batch: &OpenLedger<'_>, attempts: &[Attempt], status: &str) -> Done {
    let lines = attempts.iter().map(|it| format!("{status}: task {}, epoch {}", it.of, it.epoch)).collect();
    let message = format!("End {} of batch {}: {status}", console::counted(attempts.len(), "task"), batch.name);
    Done::new(message, &json!({"ended": attempts.iter().map(attempt_output).collect::<Value>()}), lines)
}

fn join(files: &HandoffFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let batch = files.batch(batch)?;
    let writer = files.writer(None)?;
    let store = &files.store;
    // Everything is checked before the batch is closed.
    let ledger = batch.read()?;
    let (result, _) = ledger.join(&writer)?;
    let log = parent_log(&ledger)?;
    store.check_append(&log)?;
    store.read_box(log.as_str())?;
    files.card_writer().prepare(vec![card(&ledger, &result)])?;
    let (ledger, result) = batch.decided(|ledger| ledger.join(&writer))?;
    // A crash here leaves the card to the next join, which makes the same one.
    let file = batch.shown(&LedgerPath::File("result.json"));
    files.record_known(file.clone());
    files.append_once(&files.card_writer().prepare(vec![card(&ledger, &result)])?, &log, "contextpack")?;
    let status = result.status.name();
    let mut lines = vec![format!("{}  {status}", ledger.name)];
    lines.extend(result.results.iter().map(|task| {
        let outcome = outcome_line(task.summary.as_deref(), task.error.as_ref());
        format!("{:>4}  {:<8}  {outcome}", task.task_index, task.status.name()).trim_end().to_owned()
    }));
    let parent = ledger.plan.as_ref().map(|plan| &plan.parent_agent);
    let payload = json!({"batch": ledger.name, "parent_agent": parent, "status": status});
    let ring = Some(Ring { event: "contextpack-result", payload, file });
    let note = format!("the result is in the log `{}`", files.redacted(log.as_str()));
    let output = json!({"status": result.status, "results": result.results});
    let message = format!("Join batch {}: {status}", ledger.name);
    Ok(Done { ring, ..Done::new(message, &output, lines).noted([note]) })
}

fn parent_log(ledger: &Ledger) -> Result<LogName, CardError> {
    let parent = ledger.plan.as_ref().map_or("", |plan| &plan.parent_agent);
    LogName::new(ledger.fork.as_ref().map_or(parent, |fork| &fork.parent_log))
}

/// Returns the card with the result, which depends on nothing else, so that joining again makes the same card.
fn card(ledger: &Ledger, result: &BatchResult) -> Value {
    let mut content = json!({
        "kind": "tool_result",
        "status": result.status.name(),
        "result": {"batch_id": result.batch_id, "status": result.status, "results": result.results},
    });
    if result.status != Status::Success {
        let done = result.results.iter().filter(|task| task.status == Status::Success).count();
        let message = format!("{done} of {} succeeded", console::counted(result.results.len(), "task"));
        content["error"] = json!({"code": format!("batch_{}", result.status.name()), "message": message});
    }
    let mut card = json!({
        "type": "tool.result", "author_id": "contextpack", "content": content,
        "metadata": {"batch_id": result.batch_id},
    });
    if let Some(call) = ledger.plan.as_ref().and_then(|plan| plan.tool_call_id.as_ref()) {
        card["tool_call_id"] = call.as_str().into();
    }
    card
}
