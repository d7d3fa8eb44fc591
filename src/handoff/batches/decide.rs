//! What a command adds to a batch: decisions as functions of its state, without a clock and without the disk.

use super::entries::{
    Batch, BatchResult, CLAIM_VERSION, Claim, EVENT_VERSION, Event, ForkedTask, LateReason, REPORT_VERSION,
    RESULT_VERSION, Report, TaskResult,
};
use super::ledger::Ledger;
use super::path::{BatchId, LAST_EPOCH, LedgerPath, Turn};
use super::state::{BatchState, TaskState};
use super::status::TaskStatus;
use crate::handoff::cards::{CardError, ContentId, ToolError, canonical_bytes};

/// A file to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path.
    pub path: LedgerPath,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl NewFile {
    /// The plan, which is written last: without it there is no batch.
    pub fn batch(batch: &Batch) -> Self {
        Self { path: LedgerPath::Batch, bytes: batch.bytes() }
    }

    /// The event of a fork.
    pub fn fork(id: &BatchId, at: String, parent_log: &str, tasks: Vec<ForkedTask>) -> Self {
        Self::event(&Event::Fork {
            schema_version: EVENT_VERSION.to_owned(),
            batch_id: id.clone(),
            at,
            parent_log: parent_log.to_owned(),
            tasks,
        })
    }

    fn event(event: &Event) -> Self {
        let bytes = canonical_bytes(event);
        Self { path: LedgerPath::event(event.kind(), &bytes), bytes }
    }
}

/// Who writes, when, and what makes the file differ from any other.
#[derive(Debug, Clone)]
pub struct Writer {
    /// Who, for audit only.
    pub author_id: Option<String>,
    /// When: RFC 3339 in UTC, whole seconds.
    pub at: String,
    /// Random digits.
    pub nonce: String,
}

/// Why a task cannot be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusyReason {
    /// Another process has it.
    Claimed,
    /// It has ended.
    Ended,
    /// The batch was joined.
    Closed,
}

impl BusyReason {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Ended => "ended",
            Self::Closed => "closed",
        }
    }
}

fn task(state: &BatchState, index: u32) -> Result<&TaskState, CardError> {
    state.tasks.get(index as usize).ok_or_else(|| {
        let last = state.tasks.len().saturating_sub(1);
        CardError::NotFound(format!("task not found: {index} (help: the tasks of this batch are 0 to {last})"))
    })
}

/// Claims a task at its epoch; `Err` of the inner result says why it cannot be.
///
/// # Errors
/// [`CardError::NotFound`] if there is no such task.
pub fn claim(ledger: &Ledger, index: u32, writer: &Writer) -> Result<(u32, Result<NewFile, BusyReason>), CardError> {
    let state = ledger.state();
    let task = task(&state, index)?;
    let decided = match task.status {
        _ if state.joined => Err(BusyReason::Closed),
        TaskStatus::Pending => {
            let turn = Turn { task: index, epoch: task.epoch };
            let claim = Claim {
                schema_version: CLAIM_VERSION.to_owned(),
                batch_id: ledger.id.clone(),
                task_index: index,
                epoch: task.epoch,
                author_id: writer.author_id.clone(),
                at: writer.at.clone(),
                nonce: writer.nonce.clone(),
            };
            Ok(NewFile { path: LedgerPath::Claim(turn), bytes: canonical_bytes(&claim) })
        }
        TaskStatus::Dispatched => Err(BusyReason::Claimed),
        _ => Err(BusyReason::Ended),
    };
    Ok((task.epoch, decided))
}

/// What a report says.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The word.
    pub status: String,
    /// What was done.
    pub summary: Option<String>,
    /// The box with the results.
    pub output_box_id: Option<ContentId>,
    /// Why it did not succeed.
    pub error: Option<ToolError>,
}

fn report_of(ledger: &Ledger, turn: Turn, outcome: &Outcome, writer: &Writer) -> Report {
    Report {
        schema_version: REPORT_VERSION.to_owned(),
        batch_id: ledger.id.clone(),
        task_index: turn.task,
        epoch: turn.epoch,
        status: outcome.status.clone(),
        summary: outcome.summary.clone(),
        output_box_id: outcome.output_box_id.clone(),
        error: outcome.error.clone(),
        author_id: writer.author_id.clone(),
        at: writer.at.clone(),
        nonce: writer.nonce.clone(),
    }
}

/// What becomes of a report or a response, which is a file to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reported<F> {
    /// It is the first of its epoch, and counts.
    Counted(F),
    /// It is kept and does not count.
    Late(F, LateReason),
    /// The same was reported before, and did or did not count: nothing is added.
    Known(Option<LateReason>),
}

impl<F> Reported<F> {
    /// Returns why it does not count, whether it is known, and the file to be added.
    pub fn parts(self) -> (Option<LateReason>, bool, Option<F>) {
        match self {
            Self::Counted(file) => (None, false, Some(file)),
            Self::Late(file, reason) => (Some(reason), false, Some(file)),
            Self::Known(late) => (late, true, None),
        }
    }
}

/// Reports how a turn ended. Saying the same again changes nothing, so that a command can be repeated.
///
/// # Errors
/// [`CardError::NotFound`] if there is no such task, [`CardError::BadRequest`] if its epoch has not begun.
pub fn report(ledger: &Ledger, turn: Turn, outcome: &Outcome, writer: &Writer) -> Result<Reported<NewFile>, CardError> {
    let state = ledger.state();
    let task = task(&state, turn.task)?;
    if turn.epoch > task.epoch {
        return Err(CardError::BadRequest(format!(
            "epoch {} of task {} has not begun: it is at epoch {}",
            turn.epoch, turn.task, task.epoch
        )));
    }
    let report = report_of(ledger, turn, outcome, writer);
    if let Some(Some(known)) = ledger.reports.get(&turn)
        && known.repeats(&report)
    {
        return Ok(Reported::Known(ledger.lateness(turn)));
    }
    if let Some((reason, _)) = ledger.late.iter().find(|(_, late)| late.repeats(&report)) {
        return Ok(Reported::Known(Some(*reason)));
    }
    let late = if state.joined {
        LateReason::Closed
    } else if turn.epoch < task.epoch {
        LateReason::StaleEpoch
    } else if ledger.reports.contains_key(&turn) {
        LateReason::Second
    } else {
        return Ok(Reported::Counted(NewFile { path: LedgerPath::Report(turn), bytes: canonical_bytes(&report) }));
    };
    let schema_version = EVENT_VERSION.to_owned();
    Ok(Reported::Late(NewFile::event(&Event::Late { schema_version, reason: late, report }), late))
}

/// Gives up the turns of tasks that are claimed and have no report, if `is_old` says so of the time of the claim, which is
/// `None` if it cannot be read; returns the tasks with their new epochs.
///
/// # Errors
/// [`CardError::NotFound`] if there is no such task.
pub fn reclaim(
    ledger: &Ledger,
    only: Option<u32>,
    is_old: &dyn Fn(Option<&str>) -> bool,
    writer: &Writer,
) -> Result<Vec<(Turn, NewFile)>, CardError> {
    let state = ledger.state();
    if let Some(index) = only {
        task(&state, index)?;
    }
    if state.joined {
        return Ok(Vec::new());
    }
    let claimed = state.tasks.iter().filter(|task| only.is_none_or(|index| index == task.index)).filter(|task| {
        let at = task.claim.as_ref().and_then(|claim| claim.at.as_deref());
        task.status == TaskStatus::Dispatched && task.epoch < LAST_EPOCH && is_old(at)
    });
    Ok(claimed.map(|task| reclaimed(ledger, task, writer)).collect())
}

/// Says how a task goes on whose claim or report is damaged.
pub fn way_on(id: &BatchId, task: u32) -> String {
    format!("`contextpack batch reclaim {id} {task}` begins the next epoch")
}

fn reclaimed(ledger: &Ledger, task: &TaskState, writer: &Writer) -> (Turn, NewFile) {
    let event = Event::Reclaim {
        schema_version: EVENT_VERSION.to_owned(),
        batch_id: ledger.id.clone(),
        task_index: task.index,
        epoch: task.epoch,
        at: writer.at.clone(),
    };
    (Turn { task: task.index, epoch: task.epoch + 1 }, NewFile::event(&event))
}

/// Ends every open task with a report; returns the turns that end.
///
/// A turn whose report is damaged is given up first.
pub fn end_open(ledger: &Ledger, outcome: &Outcome, writer: &Writer) -> Vec<(Turn, Vec<NewFile>)> {
    let state = ledger.state();
    let open = state.tasks.iter().filter(|task| !task.status.is_terminal());
    let ended = open.map(|task| {
        let mut files = Vec::new();
        let mut turn = Turn { task: task.index, epoch: task.epoch };
        if task.is_blocked {
            let (next, file) = reclaimed(ledger, task, writer);
            (turn, files) = (next, vec![file]);
        }
        let report = report_of(ledger, turn, outcome, writer);
        files.push(NewFile { path: LedgerPath::Report(turn), bytes: canonical_bytes(&report) });
        (turn, files)
    });
    ended.collect()
}

/// Returns the result of a batch whose tasks have all ended, and the file to be added if it was not joined before.
///
/// # Errors
/// [`CardError::NotFound`] that names the open tasks.
pub fn join(ledger: &Ledger, writer: &Writer) -> Result<(BatchResult, Option<NewFile>), CardError> {
    if let Some(result) = &ledger.result {
        return Ok((result.clone(), None));
    }
    let state = ledger.state();
    let open: Vec<&TaskState> = state.tasks.iter().filter(|task| !task.status.is_terminal()).collect();
    if !open.is_empty() {
        const NAMED: usize = 10;
        let named: Vec<String> =
            open.iter().take(NAMED).map(|task| format!("{} ({})", task.index, task.status.name())).collect();
        let more = if open.len() > NAMED { format!(" and {} more", open.len() - NAMED) } else { String::new() };
        return Err(CardError::NotFound(format!(
            "the batch has open tasks: {}{more} (help: `contextpack batch cancel {id}` ends them, `contextpack batch expire {id}` once its deadline has passed; `contextpack batch reclaim {id}` gives claimed ones to others)",
            named.join(", "),
            id = ledger.id
        )));
    }
    let results = state.tasks.iter().map(ended).collect();
    let result = BatchResult {
        schema_version: RESULT_VERSION.to_owned(),
        batch_id: ledger.id.clone(),
        status: state.status,
        results,
        at: writer.at.clone(),
        nonce: writer.nonce.clone(),
    };
    let file = NewFile { path: LedgerPath::Result, bytes: canonical_bytes(&result) };
    Ok((result, Some(file)))
}

impl Ledger {
    /// Returns how a task ended; `None` if it has not.
    pub fn result_of(&self, task: &TaskState) -> Option<TaskResult> {
        match &self.result {
            Some(result) => result.results.get(task.index as usize).cloned(),
            None => task.status.is_terminal().then(|| ended(task)),
        }
    }
}

fn ended(task: &TaskState) -> TaskResult {
    let report = task.report.as_ref();
    let canceled = || ToolError {
        code: "fail_fast".to_owned(),
        message: "another task did not succeed, so this one was canceled".to_owned(),
    };
    TaskResult {
        task_index: task.index,
        status: task.status,
        epoch: report.map(|report| report.epoch),
        summary: report.and_then(|report| report.summary.clone()),
        output_box_id: report.and_then(|report| report.output_box_id.clone()),
        error: match report {
            Some(report) => report.error.clone(),
            None => Some(canceled()),
        },
    }
}
