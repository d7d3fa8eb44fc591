//! The files of a batch, read and checked one by one.

use super::decide::way_on;
use super::entries::{
    BATCH_VERSION, Batch, BatchResult, CLAIM_VERSION, Claim, EVENT_VERSION, Event, ForkedTask, LONGEST_DEADLINE,
    LateReason, REPORT_VERSION, RESULT_VERSION, Report, TargetStrategy,
};
use super::fields::{check_epoch, check_key, check_last, check_origin, check_outcome, check_text, check_time, same};
use super::path::{BatchId, LAST_EPOCH, LedgerPath, Turn};
use super::short_id::is_short_hash;
use super::status::{BatchStatus, TaskStatus};
use crate::handoff::cards::{CardError, LogName, check_hash, highest_clock};
use crate::model::RepoPath;
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
    pub(super) late: Vec<(LateReason, Report)>,
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
        let ledger = Self::without_result(id, files)?;
        match ledger.faults.iter().find(|fault| fault.path == "result.json") {
            None => Ok(ledger),
            Some(fault) => {
                Err(CardError::Invalid(format!("`{id}/result.json`: {}; restore it from git", fault.message)))
            }
        }
    }

    /// Reads the files of a batch, also if the result cannot be used, which is a fault then.
    ///
    /// # Errors
    /// As [`Ledger::of`].
    pub(super) fn without_result(id: &BatchId, files: Vec<(String, Vec<u8>)>) -> Result<Self, CardError> {
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
        let mut reclaimed: BTreeMap<u32, EpochFiles> = BTreeMap::new();
        for (path, bytes) in &files {
            let Some(parsed) = LedgerPath::parse(path) else {
                ledger.fault(path, misplaced(path, &LedgerPath::FOLDERS));
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
                    if let Err(why) = ledger.add_event(&parsed, bytes, &mut reclaimed) {
                        ledger.fault(path, &why);
                    }
                }
                LedgerPath::Result => {
                    let result = read_result(&ledger, bytes);
                    ledger.result = result.map_err(|why| ledger.fault(path, &why)).ok();
                }
            }
        }
        for (task, epochs) in reclaimed {
            let (last, faults) = epochs.last("epoch");
            ledger.fenced.insert(task, last);
            ledger.faults.extend(faults);
        }
        ledger.faults.sort();
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

    fn add_event(
        &mut self,
        path: &LedgerPath,
        bytes: &[u8],
        reclaimed: &mut BTreeMap<u32, EpochFiles>,
    ) -> Result<(), String> {
        let event = read_event(self, path, bytes)?;
        match event {
            Event::Fork { at, parent_log, tasks, .. } => {
                let fork = Fork { at, name: path.to_string(), parent_log, tasks };
                if self.fork.as_ref().is_none_or(|known| (&known.at, &known.name) < (&fork.at, &fork.name)) {
                    self.fork = Some(fork);
                }
            }
            Event::Reclaim { task_index, epoch, .. } => {
                reclaimed.entry(task_index).or_default().add(epoch, path);
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

    /// Returns the path of the event of the fork in the folder of the batch, if it is there.
    pub fn fork_event(&self) -> Option<&str> {
        self.fork.as_ref().map(|fork| fork.name.as_str())
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

/// Returns the fault of a path that this program never gives; `folders` are those of the ledger.
pub(crate) fn misplaced(path: &str, folders: &[&str]) -> &'static str {
    if folders.contains(&path) {
        "it is no folder, so that nothing in it is read (help: remove it, and restore the folder from git)"
    } else {
        "no file of this program is here"
    }
}

/// The events that end epochs of one thing, each epoch with the paths of its events.
#[derive(Debug, Default)]
pub(crate) struct EpochFiles(BTreeMap<u32, Vec<String>>);

impl EpochFiles {
    pub(crate) fn add(&mut self, epoch: u32, path: &impl std::fmt::Display) {
        self.0.entry(epoch).or_default().push(path.to_string());
    }

    /// Returns the last epoch that is over, 0 if there is none, and the faults of events beyond a jump, which do not count: they
    /// would use up the epochs.
    pub(crate) fn last(self, what: &str) -> (u32, Vec<LedgerFault>) {
        let last = highest_clock(self.0.keys().copied());
        let beyond = self.0.into_iter().filter(|(epoch, _)| *epoch > last);
        let faults = beyond.flat_map(|(epoch, paths)| {
            let message = format!(
                "its {what} jumps from {last} to {epoch}, which no writer does, so that it does not count (help: remove it)"
            );
            paths.into_iter().map(move |path| LedgerFault { path, message: message.clone() })
        });
        (last, faults.collect())
    }
}

/// Reads `batch.json`.
pub(super) fn read_batch(id: &BatchId, bytes: &[u8]) -> Result<Batch, String> {
    if !bytes.is_empty() {
        check_hash(bytes, id, "hash", BatchId::of)?;
    }
    let batch: Batch = read_json(bytes)?;
    same("schema_version", &batch.schema_version.as_str(), &BATCH_VERSION)?;
    if batch.tasks.is_empty() || u32::try_from(batch.tasks.len()).is_err() {
        return Err("it has no tasks".to_owned());
    }
    if !(1..=LONGEST_DEADLINE).contains(&batch.deadline_seconds) {
        return Err(format!("its `deadline_seconds` is not from 1 to {LONGEST_DEADLINE}"));
    }
    let whole = [("tool_call_id", &batch.tool_call_id), ("key", &batch.key)];
    check_key("parent_agent", &batch.parent_agent)?;
    whole.iter().try_for_each(|(field, text)| text.as_ref().map_or(Ok(()), |text| check_text(field, text)))?;
    for task in &batch.tasks {
        check_key("target_ref", &task.target_ref)?;
        check_text("instruction", &task.instruction)?;
        let named = [("context_box_id", &task.context_box_id), ("root", &task.root)];
        named.iter().try_for_each(|(field, text)| text.as_ref().map_or(Ok(()), |text| check_key(field, text)))?;
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
    check_origin(claim.author_id.as_ref(), &claim.at, &claim.nonce)?;
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
    check_epoch(report.epoch)?;
    check_outcome("report", &report.status, report.error.as_ref())?;
    check_origin(report.author_id.as_ref(), &report.at, &report.nonce)
}

/// Reads an event.
pub(super) fn read_event(ledger: &Ledger, path: &LedgerPath, bytes: &[u8]) -> Result<Event, String> {
    let event: Event = read_json(bytes)?;
    check_hash(bytes, path, "name", |bytes| LedgerPath::event(event.kind(), bytes))?;
    match &event {
        Event::Fork { schema_version, batch_id, at, parent_log, tasks } => {
            same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
            same("batch_id", batch_id, &ledger.id)?;
            same("number of tasks", &tasks.len(), &ledger.batch.tasks.len())?;
            check_time(at)?;
            LogName::new(parent_log).map_err(|error| format!("its `parent_log`: {error}"))?;
            for (index, (planned, forked)) in ledger.batch.tasks.iter().zip(tasks).enumerate() {
                let fault = |why| format!("task {index}: {why}");
                check_forked(&ledger.id, index, planned.target_strategy, forked).map_err(fault)?;
            }
        }
        Event::Reclaim { schema_version, batch_id, task_index, epoch, at } => {
            same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
            of_this_batch(ledger, batch_id, *task_index)?;
            check_last("epoch", *epoch)?;
            check_time(at)?;
        }
        Event::Late { schema_version, reason, report } => {
            same("schema_version", &schema_version.as_str(), &EVENT_VERSION)?;
            if *reason == LateReason::FutureEpoch {
                return Err("a report of an epoch that has not begun is refused, and never kept as late".to_owned());
            }
            check_report(ledger, report)?;
        }
    }
    Ok(event)
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
    for task in &result.results {
        task.epoch.map_or(Ok(()), check_epoch)?;
        let status = if task.status == TaskStatus::Success { "success" } else { "failed" };
        check_outcome("task", status, task.error.as_ref())?;
    }
    check_origin(None, &result.at, &result.nonce)?;
    Ok(result)
}
