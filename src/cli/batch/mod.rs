//! `contextpack batch`.

mod fork;

use super::args::{BatchArg, BatchCommand, BatchReportArgs, Global, TaskArg};
use super::ledger::{
    Done, LedgerFiles, OpenLedger, age, fault_outputs, object, outcome_line, state_output, state_text, time,
};
use super::wake::Ring;
use crate::console::report::print_lines;
use crate::console::{self, Exit, Failure, Format};
use crate::handoff::cards::{CardError, FileKind, LogAppend, LogName, ToolError};
use crate::handoff::ledger::{
    Attempt, BatchId, BatchLedger, BatchResult, BatchStatus, Outcome, TaskPath, TaskState, TaskStatus, Writer,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

type OpenBatch<'f> = OpenLedger<'f, u32>;

impl LedgerFiles {
    /// Finds the batch that the user names.
    fn batch(&self, arg: &BatchArg) -> Result<OpenBatch<'_>, Failure> {
        Ok(self.open_batch(self.batches.find(&arg.id)?))
    }

    fn open_batch(&self, id: BatchId) -> OpenBatch<'_> {
        let name = id.to_string();
        let read = Box::new(move || Ok(self.batches.read(&id)?.redacted(&|text| self.cards.redacted(text))));
        OpenLedger { files: self, folder: &self.batches, name, read }
    }
}

pub(crate) fn run(global: &Global, command: &BatchCommand) -> Result<Exit, Failure> {
    let files = LedgerFiles::open(global)?;
    files.cards.settle(run_on(&files, command))
}

fn run_on(files: &LedgerFiles, command: &BatchCommand) -> Result<Exit, Failure> {
    match command {
        BatchCommand::Fork { file, boxes, publish, wake } => fork::run(files, file, boxes, *publish, wake),
        BatchCommand::Claim { task, author, publish } => {
            files.published(*publish, None, || claim(files, task, author.as_deref()))
        }
        BatchCommand::Report(options) => files.published(options.publish, None, || report(files, options)),
        BatchCommand::Reclaim { batch, task, after, publish, wake } => {
            files.published(*publish, Some(wake), || reclaim(files, batch, *task, *after))
        }
        BatchCommand::Expire(end) => files.published(end.publish, None, || expire(files, &end.batch)),
        BatchCommand::Cancel(end) => files.published(end.publish, None, || cancel(files, &end.batch)),
        BatchCommand::Join { end, wake } => files.published(end.publish, Some(wake), || join(files, &end.batch)),
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

/// Prints the state of a batch; with an interval again whenever it changes, until all tasks have ended.
fn status(files: &LedgerFiles, batch: &BatchArg, watch: Option<Duration>) -> Result<Exit, Failure> {
    let batch = files.batch(batch)?;
    let format = files.global.format;
    let mut shown: Option<Vec<String>> = None;
    loop {
        let ledger = batch.read()?;
        let states = ledger.states();
        let lines = status_lines(&ledger, &states);
        let mut has_faults = !ledger.faults.is_empty();
        if shown.as_ref() != Some(&lines) {
            let news = match &shown {
                // On a terminal it stays in its place.
                _ if watch.is_some() && std::io::stdout().is_terminal() && format == Format::Text => {
                    write!(console::stdout(), "\u{1b}[H\u{1b}[2J")?;
                    lines.clone()
                }
                Some(before) => changed_lines(before, &lines),
                None => lines.clone(),
            };
            print_lines(format, &status_output(files, &ledger, &states), news)?;
            has_faults = files.report_faults(batch.folder, &batch.name, &ledger.faults)?;
            shown = Some(lines);
        }
        match watch.filter(|_| states.iter().any(|task| !task.status.is_terminal())) {
            Some(interval) => std::thread::sleep(interval),
            None => return Ok(if has_faults { Exit::Input } else { Exit::Done }),
        }
    }
}

/// Returns what `batch status` prints for programs.
fn status_output(files: &LedgerFiles, ledger: &BatchLedger, states: &[TaskState<u32>]) -> Value {
    let redacted = |text: &str| files.cards.redacted(text);
    let tasks = states.iter().map(|task| {
        let author = task.report.as_ref().and_then(|report| report.author_id.as_deref());
        let agent = ledger.forked(task.id).map(|forked| &forked.agent);
        let more = json!({"agent": agent, "reported_by": author.map(redacted)});
        object([state_output(task, ledger.outcome_of(task).as_ref(), &redacted), more])
    });
    json!({
        "batch_id": ledger.name,
        "status": ledger.status(states),
        "joined": ledger.is_over(),
        "tasks": tasks.collect::<Value>(),
        "faults": fault_outputs(&ledger.faults, &redacted),
    })
}

/// Returns the state of a batch for people: a line for the whole, and one for each task.
fn status_lines(ledger: &BatchLedger, states: &[TaskState<u32>]) -> Vec<String> {
    /// How many signs the bar has.
    const WIDTH: usize = 20;
    let agent = |task: &TaskState<u32>| ledger.forked(task.id).map_or("", |forked| forked.agent.as_str());
    let agents = states.iter().map(|task| agent(task).chars().count()).max().unwrap_or_default();
    let epochs = states.iter().map(|task| task.epoch.to_string().len()).max().unwrap_or_default();
    let tasks = states.iter().map(|task| {
        let (id, status, epoch, agent) = (task.id, task.status.name(), task.epoch, agent(task));
        let text = state_text(task, ledger.outcome_of(task).as_ref());
        let line = format!("{id:>4}  {status:<10}  epoch {epoch:<epochs$}  {agent:<agents$}{text}");
        line.trim_end().to_owned()
    });
    let all = states.len();
    let ended = states.iter().filter(|task| task.status.is_terminal()).count();
    let mut counts: BTreeMap<TaskStatus, usize> = BTreeMap::new();
    states.iter().for_each(|task| *counts.entry(task.status).or_default() += 1);
    let counts: Vec<String> = counts.iter().rev().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let done = (ended * WIDTH).checked_div(all).unwrap_or_default();
    let bar = format!("[{}{}]", "#".repeat(done), "-".repeat(WIDTH - done));
    let (id, status, counts) = (&ledger.name, status_text(ledger, states), counts.join(", "));
    let summary = format!("{id}  {status}  {bar} {ended} of {all} tasks ended: {counts}");
    std::iter::once(summary).chain(tasks).collect()
}

fn status_text(ledger: &BatchLedger, states: &[TaskState<u32>]) -> String {
    let joined = if ledger.is_over() { ", joined" } else { "" };
    format!("{}{joined}", ledger.status(states).name())
}

/// Returns the first line of a state, and those that are others than before.
fn changed_lines(before: &[String], now: &[String]) -> Vec<String> {
    let changed = now.iter().enumerate().filter(|(at, line)| *at == 0 || before.get(*at) != Some(*line));
    changed.map(|(_, line)| line.clone()).collect()
}

/// Returns what the doorbell says about a batch whose tasks can be claimed; `file` is one that says so.
fn ring_for_tasks(batch: &OpenBatch<'_>, file: &dyn Display) -> Ring {
    Ring { event: "contextpack-batch", payload: json!({"batch": batch.name}), file: batch.shown(file) }
}

fn list(files: &LedgerFiles) -> Result<Exit, Failure> {
    let (mut batches, mut has_faults) = (Vec::new(), false);
    for id in files.batches.ids()? {
        match files.batches.read(&id) {
            Ok(ledger) => {
                has_faults |= files.report_faults(&files.batches, &ledger.name, &ledger.faults)?;
                batches.push(listed(&ledger));
            }
            // One bad batch hides no other.
            Err(error) => {
                has_faults = true;
                files.report_error(&error.to_string())?;
            }
        }
    }
    for path in files.batches.odd_paths()? {
        has_faults = true;
        files.report_error(&format!("`{path}`: it is no batch; remove it"))?;
    }
    if batches.is_empty() && !has_faults && !files.global.quiet && files.global.format == Format::Text {
        writeln!(console::stderr(), "note: there are no batches; `contextpack batch fork` makes one")?;
    }
    let (batches, lines): (Vec<Value>, Vec<String>) = batches.into_iter().unzip();
    print_lines(files.global.format, &json!({"batches": batches}), lines)?;
    Ok(if has_faults { Exit::Input } else { Exit::Done })
}

/// Returns what `batch list` prints of a batch, for programs and for people.
fn listed(ledger: &BatchLedger) -> (Value, String) {
    let states = ledger.states();
    let mut tasks: BTreeMap<&str, usize> = BTreeMap::new();
    states.iter().for_each(|task| *tasks.entry(task.status.name()).or_default() += 1);
    let content = &ledger.content;
    let (id, parent) = (&ledger.name, &content.batch.parent_agent);
    let counts: Vec<String> = tasks.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let line = format!("{id}  {}  {}  for {parent}", status_text(ledger, &states), counts.join(", "));
    let output = json!({
        "batch_id": id,
        "status": ledger.status(&states),
        "joined": ledger.is_over(),
        "parent_agent": parent,
        "forked_at": content.fork.as_ref().map(|fork| &fork.at),
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
    task_index: u32,
    epoch: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<String>,
    output_box: String,
}

fn matrix(ledger: &BatchLedger) -> BatchMatrix {
    let pending = ledger.states().into_iter().filter(|it| it.status == TaskStatus::Pending && !ledger.is_over());
    let include = pending.map(|task| MatrixTask {
        batch_id: ledger.name.clone(),
        task_index: task.id,
        epoch: task.epoch,
        agent: ledger.forked(task.id).map(|it| it.agent.clone()),
        pack: ledger.forked(task.id).map(|it| it.pack.clone()),
        output_box: ledger.output_box(task.id),
    });
    BatchMatrix { include: include.collect() }
}

fn claim(files: &LedgerFiles, task: &TaskArg, author: Option<&str>) -> Result<Done, Failure> {
    let batch = files.batch(&task.batch)?;
    let claimed = batch.claim(author, |ledger, _| ledger.state_of(&task.index).map(Some))?;
    let epoch = claimed.state.as_ref().map_or(1, |state| state.epoch);
    let pointers = if claimed.busy.is_none() { pointers(&claimed.ledger, task.index) } else { Value::Null };
    Ok(claimed.done(&batch, json!({"epoch": epoch}), format!("accepted: epoch {epoch}"), pointers))
}

/// Returns what the worker on a task reads, and where it writes.
fn pointers(ledger: &BatchLedger, task: u32) -> Value {
    let forked = ledger.forked(task);
    let planned = ledger.content.batch.tasks.get(task as usize);
    object([json!({
        "agent": forked.map(|it| &it.agent),
        "pack": forked.map(|it| &it.pack),
        "context_box_id": forked.map(|it| &it.context_box_id),
        "output_box": ledger.output_box(task),
        "root": planned.and_then(|task| task.root.as_ref()),
    })])
}

/// Reports how an attempt at a task ended.
fn report(files: &LedgerFiles, args: &BatchReportArgs) -> Result<Done, Failure> {
    let batch = files.batch(&args.task.batch)?;
    let attempt = Attempt { of: args.task.index, epoch: args.epoch };
    let log = |ledger: &BatchLedger, task: &u32| ledger.output_box(*task);
    let reported = batch.report(&args.status, &args.outcome, |_| Ok(attempt.clone()), log)?;
    Ok(reported.done(&batch, Value::Null))
}

/// Gives up attempts that are claimed and not reported.
fn reclaim(files: &LedgerFiles, batch: &BatchArg, task: Option<u32>, after: Option<Duration>) -> Result<Done, Failure> {
    let batch = files.batch(batch)?;
    let mut found = batch.reclaim(|_| Ok(task), after, "fork it in a plan with another `key`")?;
    let states = found.ledger.states();
    if found.attempts.is_empty() && found.why_none.is_none() {
        let named = task.and_then(|task| states.get(task as usize));
        found.why_none = Some(match named {
            _ if states.iter().all(|task| task.status.is_terminal()) => {
                "all tasks have ended; to do them again, fork the plan with another `key`".to_owned()
            }
            Some(task) if task.status == TaskStatus::Pending => format!("task {} is not claimed", task.id),
            _ => format!("no task is claimed{}", after.map_or("", |_| " for so long")),
        });
    }
    let ring = found.event.as_ref().map(|event| ring_for_tasks(&batch, event));
    Ok(Done { ring, ..found.done(&batch) })
}

/// Ends the open tasks of a batch whose deadline has passed.
fn expire(files: &LedgerFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let batch = files.batch(batch)?;
    let writer = files.writer(None)?;
    let ledger = batch.read()?;
    let Some(fork) = &ledger.content.fork else {
        return Err(Failure::Input(format!(
            "the event of the fork of {} is not there, so that the deadline is not known (help: restore it from git, or use `batch cancel`)",
            ledger.name
        )));
    };
    let deadline = Duration::from_secs(ledger.content.batch.deadline_seconds);
    let after = humantime::format_duration(deadline);
    let is_open = ledger.states().iter().any(|task| !task.status.is_terminal());
    if is_open && age(&fork.at, time(&writer.at)?).is_none_or(|age| age < deadline) {
        let why = format!("the deadline, {after} after {}, has not passed", fork.at);
        return Ok(ended(&batch, Vec::new(), "timeout").noted([why]));
    }
    let error = ToolError { code: "deadline".to_owned(), message: format!("it was not done {after} after the fork") };
    end_open(&batch, &ledger, "timeout", error, &writer)
}

/// Ends the open tasks of a batch.
fn cancel(files: &LedgerFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let batch = files.batch(batch)?;
    let error = ToolError { code: "canceled".to_owned(), message: "the batch was canceled".to_owned() };
    end_open(&batch, &batch.read()?, "canceled", error, &files.writer(None)?)
}

/// Writes a report for each open task that is not reported by others meanwhile.
fn end_open(
    batch: &OpenBatch<'_>,
    ledger: &BatchLedger,
    status: &str,
    error: ToolError,
    writer: &Writer,
) -> Result<Done, Failure> {
    let outcome = Outcome { status: status.to_owned(), error: Some(error), ..Outcome::default() };
    let mut turns = Vec::new();
    for (attempt, new) in ledger.end_open(&outcome, writer) {
        let mut is_ours = false;
        for file in new {
            is_ours = batch.create(&file)?;
        }
        turns.extend(is_ours.then_some(attempt));
    }
    let none = turns.is_empty().then(|| "there are no open tasks".to_owned());
    Ok(ended(batch, turns, status).noted(none))
}

fn ended(batch: &OpenBatch<'_>, turns: Vec<Attempt<u32>>, status: &str) -> Done {
    let lines = turns.iter().map(|turn| format!("{status}: task {}, epoch {}", turn.of, turn.epoch)).collect();
    let message = format!("End {} of batch {}: {status}", console::counted(turns.len(), "task"), batch.name);
    let ended = turns.iter().map(|turn| json!({"task_index": turn.of, "epoch": turn.epoch}));
    Done::new(message, &json!({"ended": ended.collect::<Value>()}), lines)
}

/// Closes a batch and gives its result to the parent.
fn join(files: &LedgerFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let batch = files.batch(batch)?;
    let writer = files.writer(None)?;
    let store = &files.cards.store;
    // Everything is checked before the batch is closed.
    let ledger = batch.read()?;
    let (result, _) = ledger.join(&writer)?;
    let log = parent_log(&ledger)?;
    store.check_append(&log)?;
    store.read_box(log.as_str())?;
    files.cards.writer().prepare(vec![card(&ledger, &result)])?;
    let (ledger, result) = batch.decided(|ledger| ledger.join(&writer))?;
    // A crash here leaves the card to the next join, which makes the same one.
    let file = batch.shown(&TaskPath::File("result.json"));
    files.record_known(file.clone());
    give_result(files, card(&ledger, &result), &log)?;
    let status = result.status.name();
    let mut lines = vec![format!("{}  {status}", ledger.name)];
    lines.extend(result.results.iter().map(|task| {
        let outcome = outcome_line(task.summary.as_deref(), task.error.as_ref());
        format!("{:>4}  {:<8}  {outcome}", task.task_index, task.status.name()).trim_end().to_owned()
    }));
    let payload = json!({"batch": ledger.name, "parent_agent": ledger.content.batch.parent_agent, "status": status});
    let ring = Some(Ring { event: "contextpack-result", payload, file });
    let note = format!("the result is in the log `{}`", log.as_str());
    let output = json!({"status": result.status, "results": result.results});
    let message = format!("Join batch {}: {status}", ledger.name);
    Ok(Done { ring, ..Done::new(message, &output, lines).noted([note]) })
}

/// Writes the card with a result and appends it to the log of the parent, unless that was done before.
fn give_result(files: &LedgerFiles, card: Value, log: &LogName) -> Result<(), Failure> {
    let store = &files.cards.store;
    for prepared in files.cards.writer().prepare(vec![card.clone()])? {
        files.record(store.shown(FileKind::Card, &prepared.id));
    }
    let card_ids = files.cards.write(&files.global, vec![card])?;
    let known = store.read_box(log.as_str())?;
    let is_known = card_ids.iter().all(|id| known.as_ref().is_some_and(|known| known.card_ids.contains(id)));
    let append = LogAppend::new(card_ids, "contextpack".to_owned());
    if let Some(entry) = store.append_of(log, &append)? {
        files.record(store.shown_append(log, &entry));
    } else if !is_known {
        files.record_created(store.shown_append(log, &store.append(log, &append)?));
    }
    Ok(())
}

fn parent_log(ledger: &BatchLedger) -> Result<LogName, CardError> {
    let content = &ledger.content;
    LogName::new(content.fork.as_ref().map_or(&content.batch.parent_agent, |fork| &fork.parent_log))
}

/// Returns the card with the result, which depends on nothing else, so that joining again makes the same card.
fn card(ledger: &BatchLedger, result: &BatchResult) -> Value {
    let mut content = json!({
        "kind": "tool_result",
        "status": result.status.name(),
        "result": {"batch_id": result.batch_id, "status": result.status, "results": result.results},
    });
    if result.status != BatchStatus::Success {
        let done = result.results.iter().filter(|task| task.status == TaskStatus::Success).count();
        let message = format!("{done} of {} succeeded", console::counted(result.results.len(), "task"));
        content["error"] = json!({"code": format!("batch_{}", result.status.name()), "message": message});
    }
    let mut card = json!({
        "type": "tool.result", "author_id": "contextpack", "content": content,
        "metadata": {"batch_id": result.batch_id},
    });
    if let Some(call) = &ledger.content.batch.tool_call_id {
        card["tool_call_id"] = call.as_str().into();
    }
    card
}
