//! The commands that add to a batch: `claim`, `report`, `reclaim`, `expire`, `cancel` and `join`.

use super::output::{ClaimedTask, EndedTasks, JoinedBatch, ReclaimedTasks, ReportedTask, TaskPointers, TaskTurn};
use super::{BatchFiles, ring_for_tasks};
use crate::cli::args::{BatchArg, BatchReportArgs, Global, TaskArg};
use crate::cli::ledger::{Done, age, is_old, report_redacted, time};
use crate::cli::turn::{busy_line, note_unknown_word, outcome_line, reported_line};
use crate::cli::wake::Ring;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::report::print_lines;
use crate::console::{self, printable};
use crate::handoff::batches::decide::{self, BusyReason, NewFile, Outcome, Writer};
use crate::handoff::batches::{BatchId, BatchResult, BatchStatus, ClaimState, Ledger, LedgerPath, TaskStatus, Turn};
use crate::handoff::cards::{CardError, FileKind, LogAppend, LogName, ToolError};
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

/// How often a decision is made again after another process was first. Each time the batch has come further.
const MAX_TRIES: usize = 1_000;

/// Decides on what the batch is now and creates the file; if another process created it first, decides again.
fn created<T>(
    files: &BatchFiles,
    id: &BatchId,
    decide: impl Fn(&Ledger) -> Result<(T, Option<NewFile>), CardError>,
) -> Result<(Ledger, T), Failure> {
    for _ in 0..MAX_TRIES {
        let ledger = files.read(id)?;
        let (value, file) = decide(&ledger).map_err(|error| files.failure(error))?;
        match file {
            Some(file) if !files.create(id, &file).map_err(|error| files.failure(error))? => {
                // An event is named by its content: another process wrote the same.
                if matches!(file.path, LedgerPath::Event { .. }) {
                    return Ok((ledger, value));
                }
            }
            _ => return Ok((ledger, value)),
        }
    }
    Err(Failure::Input(format!("`{}` cannot be written: other files are in its place", files.store.shown(id, ""))))
}

/// Claims a task.
pub(super) fn claim(
    global: &Global,
    files: &BatchFiles,
    task: &TaskArg,
    author: Option<&str>,
) -> Result<Done, Failure> {
    let id = files.find(&task.batch)?;
    let writer = files.writer(author)?;
    let (ledger, (epoch, busy)) = created(files, &id, |ledger| {
        let (epoch, claimed) = decide::claim(ledger, task.index, &writer)?;
        let path = || files.store.shown(&id, &LedgerPath::Claim(Turn { task: task.index, epoch }).to_string());
        let claim = || ledger.state().tasks.into_iter().nth(task.index as usize)?.claim;
        Ok(match claimed {
            Ok(file) => ((epoch, None), Some(file)),
            Err(BusyReason::Claimed) if files.repeats(claim().as_ref(), &path(), &writer) => ((epoch, None), None),
            Err(reason) => ((epoch, Some(reason)), None),
        })
    })?;
    let redacted = |text: String| files.cards.redacted(&text);
    // Who was first, if this command was not.
    let state = ledger.state().tasks.into_iter().nth(task.index as usize);
    let state = state.filter(|_| busy == Some(BusyReason::Claimed));
    let is_blocked = state.as_ref().is_some_and(|state| state.is_blocked);
    let other = state.and_then(|state| state.claim);
    let other = other.map(|claim| ClaimState { author_id: claim.author_id.map(redacted), ..claim });
    let (status, line, exit) = match busy {
        None => ("accepted", format!("accepted: epoch {epoch}"), Exit::Done),
        Some(reason) => ("busy", busy_line(reason.name(), other.as_ref(), epoch), Exit::Outside),
    };
    let mut lines = vec![line];
    let pointers = busy.is_none().then(|| TaskPointers::of(&ledger, task.index));
    lines.extend(pointers.iter().flat_map(TaskPointers::lines));
    let is_damaged = is_blocked || other.as_ref().is_some_and(|claim| claim.at.is_none());
    let damaged = (is_damaged && !global.quiet).then(|| decide::way_on(&id, task.index));
    let (claimed_by, claimed_at) = other.map_or((None, None), |claim| (claim.author_id, claim.at));
    let reason = busy.map(BusyReason::name);
    let claimed = ClaimedTask { status, epoch, pointers, reason, claimed_by, claimed_at };
    let format = global.format;
    let print = Box::new(move || {
        if let Some(help) = damaged {
            writeln!(
                console::stderr(),
                "note: the {} of this epoch is damaged: {help}",
                if is_blocked { "report" } else { "claim" }
            )?;
        }
        Ok(print_lines(format, &claimed, lines)?)
    });
    Ok(Done { exit, message: format!("Claim task {} of batch {id}", task.index), ring: None, print })
}

/// Reports how a turn ended.
pub(super) fn report(global: &Global, files: &BatchFiles, args: &BatchReportArgs) -> Result<Done, Failure> {
    let id = files.find(&args.task.batch)?;
    let writer = files.writer(args.outcome.author.as_deref())?;
    let turn = Turn { task: args.task.index, epoch: args.epoch };
    let (mut outcome, redacted) = files.outcome(&args.status, &args.outcome)?;
    // Everything is checked before the box is written.
    let ledger = files.read(&id)?;
    decide::report(&ledger, turn, &outcome, &writer).map_err(|error| files.failure(error))?;
    let log = ledger.output_box(turn.task);
    outcome.output_box_id = files.output_box(args.outcome.output.as_deref(), &log)?;
    let (_, (late, existed)) = created(files, &id, |ledger| {
        let (late, existed, file) = decide::report(ledger, turn, &outcome, &writer)?.parts();
        Ok(((late, existed), file))
    })?;
    if existed {
        files.record_known(files.store.shown(&id, &LedgerPath::Report(turn).to_string()));
    }
    report_redacted(global, redacted)?;
    let counts_as = TaskStatus::of_word(&outcome.status);
    let line = reported_line("report", counts_as, late, existed);
    let status = if late.is_none() { "counted" } else { "late" };
    let (options, reported) = (global.clone(), ReportedTask { status, counts_as, reason: late, existed });
    let print = Box::new(move || {
        note_unknown_word(&options, &outcome.status)?;
        Ok(print_lines(options.format, &reported, [line])?)
    });
    let message = format!("Report task {} of batch {id}: {}", turn.task, counts_as.name());
    Ok(Done { exit: Exit::Done, message, ring: None, print })
}

/// Gives up turns that are claimed and not reported.
pub(super) fn reclaim(
    global: &Global,
    files: &BatchFiles,
    batch: &BatchArg,
    task: Option<u32>,
    after: Option<Duration>,
) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let writer = files.writer(None)?;
    let now = time(&writer.at)?;
    let ledger = files.read(&id)?;
    let reclaimed =
        decide::reclaim(&ledger, task, &|at| is_old(at, after, now), &writer).map_err(|error| files.failure(error))?;
    let mut turns = Vec::new();
    // All of them are published at once.
    let ring = reclaimed.first().map(|(_, file)| ring_for_tasks(files, &id, &file.path.to_string()));
    for (turn, file) in reclaimed {
        files.create(&id, &file).map_err(|error| files.failure(error))?;
        turns.push(TaskTurn { task_index: turn.task, epoch: turn.epoch });
    }
    if turns.is_empty() && !global.quiet {
        let why = why_none(&ledger, task, after.map(|_| now));
        writeln!(console::stderr(), "note: {}", printable(&why))?;
    }
    let lines: Vec<String> =
        turns.iter().map(|turn| format!("reclaimed: task {}, now at epoch {}", turn.task_index, turn.epoch)).collect();
    let message = format!("Reclaim {} of batch {id}", console::counted(turns.len(), "task"));
    let (format, reclaimed) = (global.format, ReclaimedTasks { reclaimed: turns });
    let print = Box::new(move || Ok(print_lines(format, &reclaimed, lines)?));
    Ok(Done { exit: Exit::Done, message, ring, print })
}

/// Returns why no task is given up; `now` is given if only old claims are.
fn why_none(ledger: &Ledger, task: Option<u32>, now: Option<SystemTime>) -> String {
    let state = ledger.state();
    let mut claimed = state.tasks.iter().filter(|it| it.status == TaskStatus::Dispatched);
    let ahead = claimed.find_map(|it| {
        let at = it.claim.as_ref()?.at.as_deref()?;
        (task.is_none_or(|task| task == it.index) && age(at, now?).is_none()).then_some((it.index, at))
    });
    if let Some((task, at)) = ahead {
        return format!(
            "task {task} was claimed in the future, at {at}, so that it has no age; without `--after`, {}",
            decide::way_on(&ledger.id, task)
        );
    }
    match task.and_then(|task| state.tasks.get(task as usize)) {
        Some(task) if task.status.is_terminal() => format!(
            "task {} has ended: {}; to do it again, fork it in a plan with another `key`",
            task.index,
            task.status.name()
        ),
        _ if state.tasks.iter().all(|task| task.status.is_terminal()) => {
            "all tasks have ended; to do them again, fork the plan with another `key`".to_owned()
        }
        Some(task) if task.status == TaskStatus::Pending => format!("task {} is not claimed", task.index),
        _ => format!("no task is claimed{}", now.map_or("", |_| " for so long")),
    }
}

/// Ends the open tasks of a batch whose deadline has passed.
pub(super) fn expire(global: &Global, files: &BatchFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let writer = files.writer(None)?;
    let ledger = files.read(&id)?;
    let Some(forked_at) = ledger.forked_at() else {
        return Err(Failure::Input(format!(
            "the event of the fork of {id} is not there, so that the deadline is not known (help: restore it from git, or use `batch cancel`)"
        )));
    };
    let deadline = Duration::from_secs(ledger.batch.deadline_seconds);
    let is_over = age(forked_at, time(&writer.at)?).is_some_and(|age| age >= deadline);
    let after = humantime::format_duration(deadline);
    let is_early = !is_over && !ledger.state().tasks.iter().all(|task| task.status.is_terminal());
    let mut ended = Vec::new();
    if is_over {
        let error =
            ToolError { code: "deadline".to_owned(), message: format!("it was not done {after} after the fork") };
        ended = end_open(files, &ledger, "timeout", error, &writer)?;
    } else if is_early && !global.quiet {
        writeln!(console::stderr(), "note: the deadline, {after} after {forked_at}, has not passed")?;
    }
    Ok(print_ended(global, &id, ended, "timeout", is_early))
}

/// Ends the open tasks of a batch.
pub(super) fn cancel(global: &Global, files: &BatchFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let ledger = files.read(&id)?;
    let error = ToolError { code: "canceled".to_owned(), message: "the batch was canceled".to_owned() };
    let ended = end_open(files, &ledger, "canceled", error, &files.writer(None)?)?;
    Ok(print_ended(global, &id, ended, "canceled", false))
}

/// Writes a report for each open task, and returns those that were not reported by others meanwhile.
fn end_open(
    files: &BatchFiles,
    ledger: &Ledger,
    status: &str,
    error: ToolError,
    writer: &Writer,
) -> Result<Vec<TaskTurn>, Failure> {
    let outcome = Outcome { status: status.to_owned(), summary: None, output_box_id: None, error: Some(error) };
    let mut ended = Vec::new();
    for (turn, new) in decide::end_open(ledger, &outcome, writer) {
        let mut is_ours = false;
        for file in new {
            is_ours = files.create(&ledger.id, &file).map_err(|error| files.failure(error))?;
        }
        if is_ours {
            ended.push(TaskTurn { task_index: turn.task, epoch: turn.epoch });
        }
    }
    Ok(ended)
}

/// Prints the tasks that were ended; `is_early` says that none was to be, which was printed.
fn print_ended(global: &Global, id: &BatchId, ended: Vec<TaskTurn>, status: &str, is_early: bool) -> Done {
    let lines: Vec<String> =
        ended.iter().map(|turn| format!("{status}: task {}, epoch {}", turn.task_index, turn.epoch)).collect();
    let message = format!("End {} of batch {id}: {status}", console::counted(ended.len(), "task"));
    let (format, quiet, ended) = (global.format, global.quiet, EndedTasks { ended });
    let print = Box::new(move || {
        if ended.ended.is_empty() && !is_early && !quiet {
            writeln!(console::stderr(), "note: there are no open tasks")?;
        }
        Ok(print_lines(format, &ended, lines)?)
    });
    Done { exit: Exit::Done, message, ring: None, print }
}

/// Closes a batch and gives its result to the parent.
pub(super) fn join(global: &Global, files: &BatchFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let writer = files.writer(None)?;
    let failed = |error| files.failure(error);
    // Everything is checked before the batch is closed.
    let ledger = files.read(&id)?;
    let (result, _) = decide::join(&ledger, &writer).map_err(failed)?;
    let log = parent_log(&ledger).map_err(failed)?;
    files.cards.store.check_append(&log).map_err(failed)?;
    files.cards.store.read_box(log.as_str()).map_err(failed)?;
    files.cards.writer().prepare(vec![card(&ledger, &result)]).map_err(failed)?;
    let (ledger, result) = created(files, &id, |ledger| decide::join(ledger, &writer))?;
    // A crash here leaves the card to the next join, which makes the same one.
    files.record_known(files.store.shown(&id, &LedgerPath::Result.to_string()));
    let card = card(&ledger, &result);
    for prepared in files.cards.writer().prepare(vec![card.clone()]).map_err(failed)? {
        files.record(files.cards.store.shown(FileKind::Card, &prepared.id));
    }
    let card_ids = files.cards.write(global, vec![card])?;
    let known = files.cards.store.read_box(log.as_str()).map_err(failed)?;
    let is_known = card_ids.iter().all(|id| known.as_ref().is_some_and(|known| known.card_ids.contains(id)));
    let append = LogAppend::new(card_ids, "contextpack".to_owned());
    if let Some(entry) = files.cards.store.append_of(&log, &append).map_err(failed)? {
        files.record(files.cards.store.shown_append(&log, &entry));
    } else if !is_known {
        let entry = files.cards.store.append(&log, &append).map_err(failed)?;
        files.record_created(files.cards.store.shown_append(&log, &entry));
    }
    let mut lines = vec![format!("{id}  {}", result.status.name())];
    lines.extend(result.results.iter().map(|task| {
        let outcome = outcome_line(task.summary.as_deref(), task.error.as_ref());
        format!("{:>4}  {:<8}  {outcome}", task.task_index, task.status.name()).trim_end().to_owned()
    }));
    let message = format!("Join batch {id}: {}", result.status.name());
    let ring = Some(Ring {
        event: "contextpack-result",
        payload: json!({"batch": id, "parent_agent": ledger.batch.parent_agent, "status": result.status.name()}),
        file: files.store.shown(&id, "result.json"),
    });
    let (format, quiet) = (global.format, global.quiet);
    let print = Box::new(move || {
        if !quiet {
            let line = format!("note: the result is in the log `{}`", log.as_str());
            writeln!(console::stderr(), "{}", printable(&line))?;
        }
        Ok(print_lines(format, &JoinedBatch { status: result.status, results: result.results }, lines)?)
    });
    Ok(Done { exit: Exit::Done, message, ring, print })
}

fn parent_log(ledger: &Ledger) -> Result<LogName, CardError> {
    LogName::new(ledger.parent_log().unwrap_or(&ledger.batch.parent_agent))
}

/// Returns the card with the result, which depends on nothing else, so that joining again makes the same card.
fn card(ledger: &Ledger, result: &BatchResult) -> serde_json::Value {
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
    if let Some(call) = &ledger.batch.tool_call_id {
        card["tool_call_id"] = call.as_str().into();
    }
    card
}
