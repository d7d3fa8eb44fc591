//! The files of a batch, read and checked one by one.

use super::decide::way_on;
use super::entries::{
    BATCH_VERSION, Batch, BatchResult, CLAIM_VERSION, Claim, EVENT_VERSION, Event, ForkedTask, REPORT_VERSION,
    RESULT_VERSION, Report,
};
use super::path::{BatchId, LAST_EPOCH, LedgerPath, Turn};
use super::status::{BatchStatus, TaskStatus};
use crate::cards::CardError;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a batch.
///
/// A file that cannot be used is a [`LedgerFault`] and stops no other. If it is a claim or a report, its turn is taken
/// all the same, since no other file can be created in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// The batch.
    pub id: BatchId,
    /// The plan.
    pub batch: Batch,
    /// The claims; `None` if the file cannot be used.
    pub(super) claims: BTreeMap<Turn, Option<Claim>>,
    /// The reports; `None` if the file cannot be used.
    pub(super) reports: BTreeMap<Turn, Option<Report>>,
    /// The highest epoch of each task that is over.
    pub(super) fenced: BTreeMap<u32, u32>,
    /// Reports that came too late, in the order of their files' names.
    pub(super) late: Vec<(super::LateReason, Report)>,
    /// The fork that counts: its time and what it made.
    pub(super) fork: Option<Fork>,
    /// The result, if the batch was joined.
    pub(super) result: Option<BatchResult>,
    /// The files that cannot be used, by path.
    pub faults: Vec<LedgerFault>,
}

/// What a fork made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// When.
    pub at: String,
    /// The name of its event, which decides between two of one time.
    name: String,
    /// The log of the parent.
    pub parent_log: String,
    /// The tasks, in order.
    pub tasks: Vec<ForkedTask>,
}

/// A file of a ledger that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerFault {
    /// Its path in the folder of the batch.
    pub path: String,
    /// Why.
    pub message: String,
}

impl Ledger {
    /// Redacts the texts of claims, reports and the result, which may have been written by hand.
    #[must_use]
    pub fn redacted(mut self, redact: &dyn Fn(&str) -> String) -> Self {
        let text = |text: &mut Option<String>| text.iter_mut().for_each(|text| *text = redact(text));
        for claim in self.claims.values_mut().flatten() {
            text(&mut claim.author_id);
        }
        for report in self.reports.values_mut().flatten().chain(self.late.iter_mut().map(|(_, report)| report)) {
            report.status = redact(&report.status);
            text(&mut report.author_id);
            text(&mut report.summary);
            report.error.iter_mut().for_each(|error| error.redact(redact));
        }
        for result in self.result.iter_mut().flat_map(|result| &mut result.results) {
            text(&mut result.summary);
            result.error.iter_mut().for_each(|error| error.redact(redact));
        }
        self
    }

    /// Reads the files of a batch: pairs of a path in its folder and its bytes, in any order.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if there is no `batch.json`, [`CardError::Invalid`] if it or `result.json` cannot be used:
    /// nothing can be known about the batch without them.
    pub fn of(id: &BatchId, files: Vec<(String, Vec<u8>)>) -> Result<Self, CardError> {
        let files: BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let missing = || CardError::NotFound(format!("batch not found: {id}"));
        let batch = read_batch(id, files.get("batch.json").ok_or_else(missing)?)
            .map_err(|why| CardError::Invalid(format!("`{id}/batch.json`: {why}; restore it from git")))?;
        let mut ledger = Self {
            id: id.clone(),
            batch,
            claims: BTreeMap::new(),
            reports: BTreeMap::new(),
            fenced: BTreeMap::new(),
            late: Vec::new(),
            fork: None,
            result: None,
            faults: Vec::new(),
        };
        for (path, bytes) in &files {
            let Some(parsed) = LedgerPath::parse(path) else {
                ledger.fault(path, "no file of this program is here");
                continue;
            };
            match parsed {
                LedgerPath::Batch => {}
                LedgerPath::Claim(turn) => {
                    let claim = read_claim(&ledger, turn, bytes);
                    ledger.add(path, turn, claim, |ledger| &mut ledger.claims);
                }
                LedgerPath::Report(turn) => {
                    let report = read_report(&ledger, turn, bytes);
                    ledger.add(path, turn, report, |ledger| &mut ledger.reports);
                }
                LedgerPath::Event { .. } => {
                    if let Err(why) = ledger.add_event(&parsed, bytes) {
                        ledger.fault(path, &why);
                    }
                }
                LedgerPath::Result => {
                    let result = read_result(&ledger, bytes);
                    let invalid = |why| CardError::Invalid(format!("`{id}/result.json`: {why}; restore it from git"));
                    ledger.result = Some(result.map_err(invalid)?);
                }
            }
        }
        ledger.name_way_on();
        Ok(ledger)
    }

    /// Says at a damaged claim or report that blocks its task how the task goes on.
    fn name_way_on(&mut self) {
        if self.faults.is_empty() || self.result.is_some() {
            return;
        }
        let open: BTreeSet<Turn> = (self.state().tasks.iter())
            .filter(|task| task.status == TaskStatus::Dispatched && task.epoch < LAST_EPOCH)
            .map(|task| Turn { task: task.index, epoch: task.epoch })
            .collect();
        for fault in &mut self.faults {
            if let Some(LedgerPath::Claim(turn) | LedgerPath::Report(turn)) = LedgerPath::parse(&fault.path)
                && open.contains(&turn)
            {
                let help = way_on(&self.id, turn.task);
                fault.message += &format!(" (help: {help}; or restore the file from git)");
            }
        }
    }

    fn add<T>(
        &mut self,
        path: &str,
        turn: Turn,
        read: Result<T, String>,
        map: impl Fn(&mut Self) -> &mut BTreeMap<Turn, Option<T>>,
    ) {
        let entry = read.map_err(|why| self.fault(path, &why)).ok();
        if self.has_task(turn.task) {
            map(self).insert(turn, entry);
        }
    }

    fn add_event(&mut self, path: &LedgerPath, bytes: &[u8]) -> Result<(), String> {
        let event = read_event(self, path, bytes)?;
        match event {
            Event::Fork { at, parent_log, tasks, .. } => {
                let fork = Fork { at, name: path.to_string(), parent_log, tasks };
                if self.fork.as_ref().is_none_or(|known| (&known.at, &known.name) < (&fork.at, &fork.name)) {
                    self.fork = Some(fork);
                }
            }
            Event::Reclaim { task_index, epoch, .. } => {
                let fenced = self.fenced.entry(task_index).or_default();
                *fenced = epoch.max(*fenced);
            }
            Event::Late { reason, report, .. } => self.late.push((reason, report)),
        }
        Ok(())
    }

    fn fault(&mut self, path: &str, message: &str) {
        self.faults.push(LedgerFault { path: path.to_owned(), message: message.to_owned() });
    }

    pub(super) fn has_task(&self, task: u32) -> bool {
        (task as usize) < self.batch.tasks.len()
    }

    /// Returns the epoch that a task is at.
    pub(super) fn epoch(&self, task: u32) -> u32 {
        1 + self.fenced.get(&task).copied().unwrap_or_default()
    }

    /// Returns when the batch was forked, if its event is there.
    pub fn forked_at(&self) -> Option<&str> {
        self.fork.as_ref().map(|fork| fork.at.as_str())
    }

    /// Returns the log of the parent, if the event of the fork is there.
    pub fn parent_log(&self) -> Option<&str> {
        self.fork.as_ref().map(|fork| fork.parent_log.as_str())
    }

    /// Returns what the fork made for a task, if its event is there.
    pub fn forked(&self, task: u32) -> Option<&ForkedTask> {
        self.fork.as_ref()?.tasks.get(task as usize)
    }

    /// Returns the log that the agent of a task appends to.
    pub fn output_box(&self, task: u32) -> String {
        self.forked(task).map_or_else(|| format!("{}.{task}", self.id), |forked| forked.output_box.clone())
    }

    /// Returns the result, if the batch was joined.
    pub fn result(&self) -> Option<&BatchResult> {
        self.result.as_ref()
    }
}

/// Reads JSON of a version.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    // The types refuse repeated and unknown fields, null and floats.
    if bytes.is_empty() {
        return Err("it is empty, too large, or no plain file".to_owned());
    }
    serde_json::from_slice(bytes).map_err(|error| format!("it cannot be read: {error}"))
}

/// Checks that a field has the value that it must have.
pub(crate) fn same<T: PartialEq + std::fmt::Display>(name: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("its {name} is `{found}`, not `{expected}`")) }
}

fn is_time(text: &str) -> bool {
    text.len() == 20 && humantime::parse_rfc3339(text).is_ok()
}

/// Checks the form of a time.
pub(crate) fn check_time(at: &str) -> Result<(), String> {
    if is_time(at) { Ok(()) } else { Err("its time is none such as `2026-01-31T12:00:00Z`".to_owned()) }
}

/// Reads `batch.json`.
pub(super) fn read_batch(id: &BatchId, bytes: &[u8]) -> Result<Batch, String> {
    let found = BatchId::of(bytes);
    if found != *id {
        return Err(format!("its content was changed: its hash is {found}"));
    }
    let batch: Batch = read_json(bytes)?;
    same("schema_version", &batch.schema_version.as_str(), &BATCH_VERSION)?;
    if batch.tasks.is_empty() || u32::try_from(batch.tasks.len()).is_err() {
        return Err("it has no tasks".to_owned());
    }
    Ok(batch)
}

fn of_this_batch(ledger: &Ledger, batch: &BatchId, task: u32) -> Result<(), String> {
    same("batch_id", batch, &ledger.id)?;
    if ledger.has_task(task) {
        return Ok(());
    }
    Err(format!("there is no task {task}: the batch has {}", ledger.batch.tasks.len()))
}

/// Reads a claim.
pub(super) fn read_claim(ledger: &Ledger, turn: Turn, bytes: &[u8]) -> Result<Claim, String> {
    let claim: Claim = read_json(bytes)?;
    same("schema_version", &claim.schema_version.as_str(), &CLAIM_VERSION)?;
    of_this_batch(ledger, &claim.batch_id, claim.task_index)?;
    same("turn", &Turn { task: claim.task_index, epoch: claim.epoch }, &turn)?;
    check_time(&claim.at)?;
    Ok(claim)
}

/// Reads a report.
pub(super) fn read_report(ledger: &Ledger, turn: Turn, bytes: &[u8]) -> Result<Report, String> {
    let report: Report = read_json(bytes)?;
    check_report(ledger, &report)?;
    same("turn", &Turn { task: report.task_index, epoch: report.epoch }, &turn)?;
    Ok(report)
}

fn check_report(ledger: &Ledger, report: &Report) -> Result<(), String> {
    same("schema_version", &report.schema_version.as_str(), &REPORT_VERSION)?;
    of_this_batch(ledger, &report.batch_id, report.task_index)?;
    if report.status.is_empty() || report.status == "success" && report.error.is_some() {
        return Err("a report has a status, and no error if it is `success`".to_owned());
    }
    check_time(&report.at)
}

/// Reads an event.
pub(super) fn read_event(ledger: &Ledger, path: &LedgerPath, bytes: &[u8]) -> Result<Event, String> {
    let event: Event = read_json(bytes)?;
    let named = LedgerPath::event(event.kind(), bytes);
    if named != *path {
        return Err(format!("its content was changed: its name would be {named}"));
    }
    match &event {
        Event::Fork { schema_version, batch_id, at, tasks, .. } => {
            same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
            same("batch_id", batch_id, &ledger.id)?;
            same("number of tasks", &tasks.len(), &ledger.batch.tasks.len())?;
            check_time(at)?;
        }
        Event::Reclaim { schema_version, batch_id, task_index, epoch, at } => {
            same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
            of_this_batch(ledger, batch_id, *task_index)?;
            if !(1..LAST_EPOCH).contains(epoch) {
                return Err(format!("its epoch is not from 1 to {}", LAST_EPOCH - 1));
            }
            check_time(at)?;
        }
        Event::Late { schema_version, report, .. } => {
            same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
            check_report(ledger, report)?;
        }
    }
    Ok(event)
}

/// Reads `result.json`.
pub(super) fn read_result(ledger: &Ledger, bytes: &[u8]) -> Result<BatchResult, String> {
    let result: BatchResult = read_json(bytes)?;
    same("schema_version", &result.schema_version.as_str(), &RESULT_VERSION)?;
    same("batch_id", &result.batch_id, &ledger.id)?;
    let indices: BTreeSet<u32> = result.results.iter().map(|it| it.task_index).collect();
    let in_order = result.results.iter().map(|it| it.task_index as usize).eq(0..ledger.batch.tasks.len());
    if !in_order || indices.len() != ledger.batch.tasks.len() {
        return Err("its results are not one for each task, in order".to_owned());
    }
    let statuses: Vec<_> = result.results.iter().map(|it| it.status).collect();
    let failed_fast = ledger.batch.fail_fast && statuses.iter().any(|status| status.fails_fast());
    let expected = BatchStatus::of_tasks(&statuses, failed_fast);
    if !statuses.iter().all(|status| status.is_terminal()) || result.status != expected {
        return Err("its status does not follow from its results".to_owned());
    }
    check_time(&result.at)?;
    Ok(result)
}
