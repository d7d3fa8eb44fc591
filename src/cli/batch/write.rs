//! The commands that add to a batch: `claim`, `report`, `reclaim`, `expire`, `cancel` and `join`.

use super::output::{ClaimedTask, EndedTasks, JoinedBatch, ReclaimedTasks, ReportedTask, TaskTurn};
use super::{BatchFiles, Done};
use crate::batches::decide::{self, NewFile, Outcome, Writer};
use crate::batches::{BatchId, BatchResult, BatchStatus, Ledger, TaskStatus, Turn};
use crate::cards::{BoxContent, BoxSnapshot, CardError, ContentId, FileKind, LogAppend, LogName, ToolError};
use crate::cli::args::{BatchArg, BatchReportArgs, Global, TaskArg};
use crate::cli::console::{self, printable};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::report::print_lines;
use crate::cli::workspace::stamp;
use crate::store::random_name;
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

/// How often a decision is made again after another process was first. Each time the batch has come further.
const MAX_TRIES: usize = 1_000;

fn writer(files: &BatchFiles, author: Option<&str>) -> Result<Writer, Failure> {
    let author_id = author.map(|name| files.cards.writer().line(name)).transpose();
    let author_id = author_id.map_err(|error| files.failure(error))?;
    if author_id.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Failure::usage("`--by` is empty"));
    }
    Ok(Writer { author_id, at: stamp()?.generated_at, nonce: random_name() })
}

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
                if matches!(file.path, crate::batches::LedgerPath::Event { .. }) {
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
    let writer = writer(files, author)?;
    let (_, (epoch, busy)) = created(files, &id, |ledger| {
        let (epoch, claimed) = decide::claim(ledger, task.index, &writer)?;
        Ok(match claimed {
            Ok(file) => ((epoch, None), Some(file)),
            Err(reason) => ((epoch, Some(reason)), None),
        })
    })?;
    let (line, exit) = match busy {
        None => (format!("accepted: epoch {epoch}"), Exit::Done),
        Some(reason) => (format!("busy: {}, epoch {epoch}", reason.name()), Exit::Outside),
    };
    let status = if busy.is_none() { "accepted" } else { "busy" };
    let claimed = ClaimedTask { status, epoch, reason: busy.map(|reason| reason.name()) };
    let format = global.format;
    let print = Box::new(move || Ok(print_lines(format, &claimed, [line])?));
    Ok(Done { exit, message: format!("Claim task {} of batch {id}", task.index), print })
}

/// Reports how a turn ended.
pub(super) fn report(global: &Global, files: &BatchFiles, args: &BatchReportArgs) -> Result<Done, Failure> {
    let id = files.find(&args.task.batch)?;
    let writer = writer(files, args.author.as_deref())?;
    let turn = Turn { task: args.task.index, epoch: args.epoch };
    let (mut outcome, redacted) = outcome(files, args)?;
    // Everything is checked before the box is written.
    let ledger = files.read(&id)?;
    decide::report(&ledger, turn, &outcome, &writer).map_err(|error| files.failure(error))?;
    outcome.output_box_id = output_box(files, &ledger, turn, args.output.as_deref())?;
    let (_, late) = created(files, &id, |ledger| {
        decide::report(ledger, turn, &outcome, &writer).map(|(file, late)| (late, Some(file)))
    })?;
    if !global.quiet && redacted > 0 {
        writeln!(console::stderr(), "note: secrets were removed from {}", console::counted(redacted, "value"))?;
    }
    let counts_as = TaskStatus::of_word(&outcome.status);
    let line = match late {
        None => format!("counted: {}", counts_as.name()),
        Some(reason) => format!("late: {}; the report is kept and does not count", reason.name()),
    };
    let status = if late.is_none() { "counted" } else { "late" };
    let (format, reported) = (global.format, ReportedTask { status, counts_as, reason: late });
    let print = Box::new(move || Ok(print_lines(format, &reported, [line])?));
    let message = format!("Report task {} of batch {id}: {}", turn.task, counts_as.name());
    Ok(Done { exit: Exit::Done, message, print })
}

/// Returns what the report says, without secrets, and how many values were changed.
fn outcome(files: &BatchFiles, args: &BatchReportArgs) -> Result<(Outcome, usize), Failure> {
    if args.status.trim().is_empty() {
        return Err(Failure::usage("`--status` is empty"));
    }
    if args.status == "success" && args.error_code.is_some() {
        return Err(Failure::usage("`--error-code` is given, and the status is `success`"));
    }
    let mut value = json!({
        "status": args.status, "summary": args.summary, "code": args.error_code, "message": args.error_message,
    });
    let redacted = files.cards.writer().scrub_value(&mut value).map_err(|error| files.failure(error))?;
    let text = |key: &str| value.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let error = text("code").zip(text("message")).map(|(code, message)| ToolError { code, message });
    let status = text("status").unwrap_or_default();
    Ok((Outcome { status, summary: text("summary"), output_box_id: None, error }, redacted))
}

/// Returns the box with the results: the one that was named, or what the task's log holds.
fn output_box(
    files: &BatchFiles,
    ledger: &Ledger,
    turn: Turn,
    named: Option<&str>,
) -> Result<Option<ContentId>, Failure> {
    let store = &files.cards.store;
    let content = match (named, ledger.forked(turn.task)) {
        (Some(name), _) => store.existing_box(name).map(Some),
        (None, Some(forked)) => store.read_box(&forked.output_box),
        (None, None) => store.read_box(&format!("{}.{}", ledger.id, turn.task)),
    };
    let snapshot = |content: BoxContent| match content.id {
        Some(id) => Ok(id),
        None => {
            let snapshot = BoxSnapshot::new(content.card_ids, content.parent_ids);
            files.record(store.shown(FileKind::Box, &ContentId::of(&snapshot.bytes())));
            store.write_box(&snapshot)
        }
    };
    content.and_then(|content| content.map(snapshot).transpose()).map_err(|error| files.failure(error))
}

/// Gives up turns that are claimed and not reported.
pub(super) fn reclaim(
    global: &Global,
    files: &BatchFiles,
    batch: &BatchArg,
    task: Option<u32>,
    after: Option<u64>,
) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let writer = writer(files, None)?;
    let now = time(&writer.at)?;
    // A claim in the future has no age; one whose time cannot be read may be of any.
    let is_old = |at: Option<&str>| match (after, at) {
        (None | Some(0), _) | (_, None) => true,
        (Some(after), Some(at)) => age(at, now).is_some_and(|age| age >= Duration::from_secs(after)),
    };
    let ledger = files.read(&id)?;
    let reclaimed = decide::reclaim(&ledger, task, &is_old, &writer).map_err(|error| files.failure(error))?;
    let mut turns = Vec::new();
    for (turn, file) in reclaimed {
        files.create(&id, &file).map_err(|error| files.failure(error))?;
        turns.push(TaskTurn { task_index: turn.task, epoch: turn.epoch });
    }
    if turns.is_empty() && !global.quiet {
        writeln!(console::stderr(), "note: no task is claimed{}", after.map_or("", |_| " for so long"))?;
    }
    let lines: Vec<String> =
        turns.iter().map(|turn| format!("reclaimed: task {}, now at epoch {}", turn.task_index, turn.epoch)).collect();
    let message = format!("Reclaim {} of batch {id}", console::counted(turns.len(), "task"));
    let (format, reclaimed) = (global.format, ReclaimedTasks { reclaimed: turns });
    let print = Box::new(move || Ok(print_lines(format, &reclaimed, lines)?));
    Ok(Done { exit: Exit::Done, message, print })
}

fn time(at: &str) -> Result<SystemTime, Failure> {
    humantime::parse_rfc3339(at).map_err(|error| Failure::Outside(Box::new(error)))
}

fn age(at: &str, now: SystemTime) -> Option<Duration> {
    now.duration_since(humantime::parse_rfc3339(at).ok()?).ok()
}

/// Ends the open tasks of a batch whose deadline has passed.
pub(super) fn expire(global: &Global, files: &BatchFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let writer = writer(files, None)?;
    let ledger = files.read(&id)?;
    let Some(forked_at) = ledger.forked_at() else {
        return Err(Failure::Input(format!(
            "the event of the fork of {id} is not there, so that the deadline is not known (help: restore it from git, or use `batch cancel`)"
        )));
    };
    let seconds = ledger.batch.deadline_seconds;
    let is_over = age(forked_at, time(&writer.at)?).is_some_and(|age| age >= Duration::from_secs(seconds));
    let mut ended = Vec::new();
    if is_over {
        let error = ToolError {
            code: "deadline".to_owned(),
            message: format!("it was not done {seconds} seconds after the fork"),
        };
        ended = end_open(files, &ledger, "timeout", error, &writer)?;
    } else if !global.quiet {
        writeln!(console::stderr(), "note: the deadline, {seconds} seconds after {forked_at}, has not passed")?;
    }
    Ok(print_ended(global, &id, ended, "timeout"))
}

/// Ends the open tasks of a batch.
pub(super) fn cancel(global: &Global, files: &BatchFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let ledger = files.read(&id)?;
    let error = ToolError { code: "canceled".to_owned(), message: "the batch was canceled".to_owned() };
    let ended = end_open(files, &ledger, "canceled", error, &writer(files, None)?)?;
    Ok(print_ended(global, &id, ended, "canceled"))
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

fn print_ended(global: &Global, id: &BatchId, ended: Vec<TaskTurn>, status: &str) -> Done {
    let lines: Vec<String> =
        ended.iter().map(|turn| format!("{status}: task {}, epoch {}", turn.task_index, turn.epoch)).collect();
    let message = format!("End {} of batch {id}: {status}", console::counted(ended.len(), "task"));
    let (format, ended) = (global.format, EndedTasks { ended });
    let print = Box::new(move || Ok(print_lines(format, &ended, lines)?));
    Done { exit: Exit::Done, message, print }
}

/// Closes a batch and gives its result to the parent.
pub(super) fn join(global: &Global, files: &BatchFiles, batch: &BatchArg) -> Result<Done, Failure> {
    let id = files.find(batch)?;
    let writer = writer(files, None)?;
    let failed = |error| files.failure(error);
    // Everything is checked before the batch is closed.
    let ledger = files.read(&id)?;
    let (result, _) = decide::join(&ledger, &writer).map_err(failed)?;
    let log = parent_log(&ledger).map_err(failed)?;
    files.cards.store.read_box(log.as_str()).map_err(failed)?;
    files.cards.writer().prepare(vec![card(&ledger, &result)]).map_err(failed)?;
    let (ledger, result) = created(files, &id, |ledger| decide::join(ledger, &writer))?;
    // A crash here leaves the card to the next join, which makes the same one.
    let card = card(&ledger, &result);
    for prepared in files.cards.writer().prepare(vec![card.clone()]).map_err(failed)? {
        files.record(files.cards.store.shown(FileKind::Card, &prepared.id));
    }
    let card_ids = files.cards.write(global, vec![card])?;
    let known = files.cards.store.read_box(log.as_str()).map_err(failed)?;
    if !card_ids.iter().all(|id| known.as_ref().is_some_and(|known| known.card_ids.contains(id))) {
        let append = LogAppend::new(card_ids, "contextpack".to_owned());
        let entry = files.cards.store.append(&log, &append).map_err(failed)?;
        files.written.borrow_mut().add_created(files.cards.store.shown_append(&log, &entry), true);
    }
    let mut lines = vec![format!("{id}  {}", result.status.name())];
    lines.extend(result.results.iter().map(|task| {
        let summary = task.summary.as_deref().or(task.error.as_ref().map(|error| error.message.as_str()));
        let summary = summary.and_then(|text| text.lines().next()).unwrap_or_default();
        format!("{:>4}  {:<8}  {summary}", task.task_index, task.status.name()).trim_end().to_owned()
    }));
    let message = format!("Join batch {id}: {}", result.status.name());
    let (format, quiet) = (global.format, global.quiet);
    let print = Box::new(move || {
        if !quiet {
            let line = format!("note: the result is in the log `{}`", log.as_str());
            writeln!(console::stderr(), "{}", printable(&line))?;
        }
        Ok(print_lines(format, &JoinedBatch { status: result.status, results: result.results }, lines)?)
    });
    Ok(Done { exit: Exit::Done, message, print })
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
