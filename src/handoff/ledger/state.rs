//! What happened to the tasks of a batch or the turns of an inbox: claims, reports, and epochs that are over; and the
//! state that follows from them, whatever the order of their files is.

use super::fields::{
    EntryFields, LAST_EPOCH, check_each, check_epoch, check_origin, check_outcome, check_text, check_time, ensure, same,
};
use super::files::{Batch, BatchResult, Fork, Outcome, TaskResult, TurnRequest};
use super::names::{Attempt, LateReason, LedgerKind, LedgerPath, MISPLACED, ShortId, Status, WorkId};
use crate::handoff::cards::{CardError, LogEntry, ToolError, check_hash, highest_clock};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimState {
    pub author_id: Option<String>,
    /// When; `None` if the file is damaged.
    pub at: Option<String>,
}

/// How an attempt ended: the report of a task, or the response to a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptReport {
    pub epoch: u32,
    pub outcome: Outcome,
    pub author_id: Option<String>,
    pub at: String,
    /// Why it does not count; `None` if it does.
    pub late: Option<LateReason>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerFault {
    pub path: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskState {
    pub id: WorkId,
    pub status: Status,
    pub epoch: u32,
    pub claim: Option<ClaimState>,
    /// The report that counts.
    pub report: Option<AttemptReport>,
    /// How it ended; its word is not that of a report if another task ended it.
    pub outcome: Option<Outcome>,
    /// Whether this epoch cannot be reported, since the file of its report is damaged.
    pub is_blocked: bool,
    /// All reports, by epoch, the one that counts included.
    pub reports: Vec<AttemptReport>,
}

impl TaskState {
    pub fn attempt(&self) -> Attempt {
        Attempt { of: self.id.clone(), epoch: self.epoch }
    }

    /// Returns whether it is claimed, and another epoch can follow.
    pub(super) fn can_be_reclaimed(&self) -> bool {
        self.status == Status::Dispatched && self.epoch < LAST_EPOCH
    }
}

/// A series of events that count up: `reclaim` of a task or turn, `close` or `open` of an inbox.
type Series = (String, Option<WorkId>);

/// A ledger: what agents can claim, and everything that happened to it.
///
/// A file that cannot be used is a fault and stops no other. If it is a claim or a report, its attempt is taken all the same,
/// since no other file can be created in its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    pub(crate) kind: &'static LedgerKind,
    /// The id of a batch; of an inbox, the word for its agent.
    pub name: String,
    /// The files that cannot be used, by path.
    pub faults: Vec<LedgerFault>,
    pub(super) order: Vec<WorkId>,
    pub(super) claims: BTreeMap<Attempt, ClaimState>,
    /// The reports; `None` if the file cannot be used.
    pub(super) reports: BTreeMap<Attempt, Option<AttemptReport>>,
    /// Reports that came too late, in the order of their files' names.
    pub(super) late: BTreeMap<WorkId, Vec<AttemptReport>>,
    /// The numbers of events with the paths of their files, until all files were read.
    pub(super) events: BTreeMap<Series, BTreeMap<u32, Vec<String>>>,
    pub(super) last_numbers: BTreeMap<Series, u32>,
    /// The plan of a batch.
    pub plan: Option<Batch>,
    /// What the fork of a batch made.
    pub fork: Option<Fork>,
    /// The result of a batch that was joined: from then on, nothing else counts.
    pub result: Option<BatchResult>,
    /// The turns of an inbox, each with the place of its request in the list: the first one, if branches dispatched it at once.
    pub(super) requests: BTreeMap<ShortId, (LogEntry, TurnRequest)>,
    /// The highest clock of a request before any jump, also of one that cannot be used; 0 if there is none.
    pub(super) clock: u32,
}

impl Ledger {
    pub(super) fn fault(&mut self, path: &impl Display, message: String) {
        self.faults.push(LedgerFault { path: path.to_string(), message });
    }

    /// Reads the files of the ledger, whose tasks or turns are known.
    pub(super) fn with_files(mut self, files: &BTreeMap<String, Vec<u8>>) -> Self {
        for (path, bytes) in files {
            if let Err(why) = self.add(path, bytes) {
                self.fault(path, why);
            }
        }
        self.finish();
        self
    }

    fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let path = LedgerPath::parse(self.kind, path).ok_or_else(|| {
            let is_folder = self.kind.folders.contains(&path);
            let help =
                "it is no folder, so that nothing in it is read (help: remove it, and restore the folder from git)";
            if is_folder { help } else { MISPLACED }
        })?;
        match &path {
            LedgerPath::File("result.json") => {
                if let Some(plan) = &self.plan {
                    self.result = Some(BatchResult::read(bytes, &self.name, plan)?);
                }
            }
            LedgerPath::File(_) | LedgerPath::Request(_) => {}
            LedgerPath::Claim(attempt) => {
                let read = EntryFields::read(bytes).and_then(|fields| self.read_claim(fields, attempt));
                if self.knows(&attempt.of) {
                    self.claims.insert(attempt.clone(), read.clone().unwrap_or_default());
                }
                read?;
            }
            LedgerPath::Report(attempt) => {
                let read = EntryFields::read(bytes).and_then(|fields| self.read_report(fields, Some(attempt)));
                let read = read.map(|(_, report)| report);
                if self.knows(&attempt.of) {
                    self.reports.insert(attempt.clone(), read.clone().ok());
                }
                read?;
            }
            LedgerPath::Event { kind, .. } => {
                let mut fields = EntryFields::read(bytes)?;
                fields.take_same("kind", kind)?;
                check_hash(bytes, &path, "name", |bytes| LedgerPath::event(kind, bytes))?;
                fields.take_same("schema_version", &self.kind.version("event"))?;
                self.add_event(kind, fields, &path)?;
            }
        }
        Ok(())
    }

    fn add_event(&mut self, kind: &str, mut fields: EntryFields, path: &LedgerPath) -> Result<(), String> {
        let (number, of) = match kind {
            "fork" => return self.add_fork(fields, path.to_string()),
            "late" => return self.add_late(fields),
            "reclaim" => {
                let Attempt { of, epoch } = self.read_attempt(&mut fields, false)?;
                check_time(&fields.take::<String>("at")?)?;
                (epoch, Some(of))
            }
            _ => (fields.take("number")?, None),
        };
        fields.end()?;
        check_epoch(number_word(of.as_ref()), number, true)?;
        let series = self.events.entry((kind.to_owned(), of)).or_default();
        series.entry(number).or_default().push(path.to_string());
        Ok(())
    }

    /// Adds what a fork made; of several forks the last one counts.
    fn add_fork(&mut self, fields: EntryFields, path: String) -> Result<(), String> {
        let planned = self.plan.as_ref().map_or(&[][..], |plan| &plan.tasks);
        let fork = Fork::read(fields, path, &self.name, planned)?;
        if self.fork.as_ref().is_none_or(|known| (&known.at, &known.path) < (&fork.at, &fork.path)) {
            self.fork = Some(fork);
        }
        Ok(())
    }

    fn add_late(&mut self, mut fields: EntryFields) -> Result<(), String> {
        let reason: LateReason = fields.take("reason")?;
        let (attempt, report) = self.read_report(EntryFields::of(fields.take(self.kind.report)?)?, None)?;
        fields.end()?;
        let is_possible = self.kind.late.contains(&reason);
        ensure(is_possible, || format!("a {} is never late as `{}`", self.kind.report, reason.name()))?;
        self.late.entry(attempt.of).or_default().push(AttemptReport { late: Some(reason), ..report });
        Ok(())
    }

    fn knows(&self, id: &WorkId) -> bool {
        match id {
            WorkId::Task(index) => (*index as usize) < self.order.len(),
            WorkId::Turn(turn) => self.requests.contains_key(turn),
        }
    }

    fn read_attempt(&self, fields: &mut EntryFields, is_report: bool) -> Result<Attempt, String> {
        let of: WorkId = fields.take(self.kind.id_field)?;
        let epoch = fields.take(self.kind.epoch_field)?;
        ensure(self.knows(&of), || format!("there is no {} {of}", self.kind.noun))?;
        check_epoch("epoch", epoch, false)?;
        if let Some((name, value)) = self.repeated(&of, is_report) {
            fields.take_same(name, &value)?;
        }
        Ok(Attempt { of, epoch })
    }

    /// Returns a field of the ledger that each claim, or each report, repeats.
    pub(super) fn repeated(&self, of: &WorkId, is_report: bool) -> Option<(&'static str, String)> {
        match of {
            WorkId::Task(_) => Some(("batch_id", self.name.clone())),
            WorkId::Turn(_) if is_report => Some(("correlation_id", self.request(of)?.correlation())),
            WorkId::Turn(_) => None,
        }
    }

    fn read_claim(&self, mut fields: EntryFields, expected: &Attempt) -> Result<ClaimState, String> {
        fields.take_same("schema_version", &self.kind.version("claim"))?;
        same(self.kind.attempt, &self.read_attempt(&mut fields, false)?, expected)?;
        let (author_id, at) = read_origin(&mut fields)?;
        fields.end()?;
        Ok(ClaimState { author_id, at: Some(at) })
    }

    /// Reads a report, which is for the `expected` attempt if that is given.
    fn read_report(
        &self,
        mut fields: EntryFields,
        expected: Option<&Attempt>,
    ) -> Result<(Attempt, AttemptReport), String> {
        fields.take_same("schema_version", &self.kind.version(self.kind.report))?;
        let attempt = self.read_attempt(&mut fields, true)?;
        expected.map_or(Ok(()), |expected| same(self.kind.attempt, &attempt, expected))?;
        let outcome = Outcome {
            status: fields.take("status")?,
            summary: fields.take_if("summary")?,
            output_box_id: fields.take_if("output_box_id")?,
            error: fields.take_if("error")?,
        };
        check_outcome(self.kind.report, &outcome.status, outcome.error.as_ref())?;
        let (author_id, at) = read_origin(&mut fields)?;
        fields.end()?;
        let report = AttemptReport { epoch: attempt.epoch, outcome, author_id, at, late: None };
        Ok((attempt, report))
    }

    /// Decides which epochs are over, once all files were read, and adds to the fault of each damaged claim or report that
    /// blocks its task how the task goes on.
    fn finish(&mut self) {
        for (series, numbers) in std::mem::take(&mut self.events) {
            let (last, what) = (highest_clock(numbers.keys().copied()), number_word(series.1.as_ref()));
            // Events beyond a jump would use up the numbers.
            for (number, paths) in numbers.into_iter().filter(|(number, _)| *number > last) {
                let why = format!(
                    "its {what} jumps from {last} to {number}, which no writer does, so that it does not count (help: remove it)"
                );
                paths.iter().for_each(|path| self.fault(path, why.clone()));
            }
            self.last_numbers.insert(series, last);
        }
        self.faults.sort();
        if self.faults.is_empty() || self.is_over() {
            return;
        }
        let blocked = self.states().into_iter().filter(TaskState::can_be_reclaimed);
        let blocked: BTreeSet<Attempt> = blocked.map(|state| state.attempt()).collect();
        for fault in &mut self.faults {
            if let Some(LedgerPath::Claim(attempt) | LedgerPath::Report(attempt)) =
                LedgerPath::parse(self.kind, &fault.path)
                && blocked.contains(&attempt)
            {
                let way_on = attempt.of.way_on(&self.name);
                fault.message += &format!(" (help: {way_on}; or restore the file from git)");
            }
        }
    }

    /// Redacts the texts of all files but requests, which may have been written by hand. What is written of requests is redacted
    /// where it is printed, since responses repeat it.
    #[must_use]
    pub fn redacted(mut self, redact: &dyn Fn(&str) -> String) -> Self {
        let text = |text: &mut String| *text = redact(text);
        let outcome = |summary: &mut Option<String>, error: &mut Option<ToolError>| {
            summary.iter_mut().for_each(text);
            error.iter_mut().for_each(|error| error.redact(redact));
        };
        self.claims.values_mut().flat_map(|claim| &mut claim.author_id).for_each(text);
        let late = self.late.values_mut().flatten();
        for AttemptReport { outcome: it, author_id, .. } in self.reports.values_mut().flatten().chain(late) {
            text(&mut it.status);
            author_id.iter_mut().for_each(text);
            outcome(&mut it.summary, &mut it.error);
        }
        for it in self.result.iter_mut().flat_map(|result| &mut result.results) {
            outcome(&mut it.summary, &mut it.error);
        }
        if let Some(plan) = &mut self.plan {
            text(&mut plan.parent_agent);
            plan.tasks.iter_mut().flat_map(|task| &mut task.root).for_each(text);
        }
        self.fork.iter_mut().flat_map(|fork| &mut fork.tasks).for_each(|task| text(&mut task.agent));
        self.faults.iter_mut().flat_map(|fault| [&mut fault.path, &mut fault.message]).for_each(text);
        self
    }

    pub(crate) fn request(&self, id: &WorkId) -> Option<&TurnRequest> {
        let WorkId::Turn(turn) = id else { return None };
        self.requests.get(turn).map(|(_, request)| request)
    }

    /// Returns whether nothing can be claimed and reported any more.
    pub fn is_over(&self) -> bool {
        self.result.is_some()
    }

    pub(super) fn last_number(&self, kind: &str, of: Option<&WorkId>) -> u32 {
        self.last_numbers.get(&(kind.to_owned(), of.cloned())).copied().unwrap_or_default()
    }

    /// Returns the epoch that a task or turn is at.
    pub fn epoch(&self, id: &WorkId) -> u32 {
        1 + self.last_number("reclaim", Some(id))
    }

    pub(super) fn result_of(&self, id: &WorkId) -> Option<&TaskResult> {
        let WorkId::Task(index) = id else { return None };
        self.result.as_ref()?.results.get(*index as usize)
    }

    /// Returns the epoch of the report that counts, if there is one.
    fn counted(&self, id: &WorkId) -> Option<u32> {
        if self.is_over() { self.result_of(id)?.epoch } else { Some(self.epoch(id)) }
    }

    /// Returns what the file of a report says; `None` if there is none, `Some(None)` if it is damaged.
    pub(super) fn report(&self, attempt: &Attempt) -> Option<Option<&AttemptReport>> {
        self.reports.get(attempt).map(Option::as_ref)
    }

    pub(super) fn late(&self, id: &WorkId) -> &[AttemptReport] {
        self.late.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns why the report in the file of an attempt does not count; `None` if it does.
    pub(super) fn lateness(&self, id: &WorkId, epoch: u32) -> Option<LateReason> {
        if self.counted(id) == Some(epoch) {
            None
        } else if epoch < self.epoch(id) {
            Some(LateReason::StaleEpoch)
        } else if self.is_over() {
            Some(LateReason::Closed)
        } else {
            Some(LateReason::FutureEpoch)
        }
    }

    /// Returns the states of all that can be claimed, in order.
    ///
    /// A report counts if it is the one of its task's epoch, which only `reclaim` events raise. Once a batch was joined,
    /// its result is its state.
    pub fn states(&self) -> Vec<TaskState> {
        let mut states: Vec<TaskState> = self.order.iter().map(|id| self.state(id)).collect();
        let failed_fast = self.failed_fast(&states);
        for state in &mut states {
            if let Some(result) = self.result_of(&state.id) {
                (state.status, state.outcome) = (result.status, Some(result.outcome()));
            } else if failed_fast && state.report.is_none() {
                let message = "another task did not succeed, so this one was canceled".to_owned();
                let error = Some(ToolError { code: "fail_fast".to_owned(), message });
                (state.status, state.outcome) = (Status::Canceled, Some(Outcome { error, ..Outcome::default() }));
            }
        }
        states
    }

    pub(super) fn failed_fast(&self, states: &[TaskState]) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.fail_fast)
            && states.iter().any(|state| state.report.is_some() && state.status.fails_fast())
    }

    /// Returns the state of a task or turn.
    pub fn state_of(&self, id: &WorkId) -> Result<TaskState, CardError> {
        self.states().into_iter().find(|state| state.id == *id).ok_or_else(|| {
            CardError::NotFound(match id {
                WorkId::Turn(turn) => format!("turn not found: {turn}"),
                WorkId::Task(task) => {
                    let last = self.order.len().saturating_sub(1);
                    format!("task not found: {task} (help: the tasks of this batch are 0 to {last})")
                }
            })
        })
    }

    fn state(&self, id: &WorkId) -> TaskState {
        let attempt = Attempt { of: id.clone(), epoch: self.epoch(id) };
        let report_of = |epoch| self.report(&Attempt { of: id.clone(), epoch });
        let report = self.counted(id).and_then(report_of).flatten().cloned();
        let claim = self.claims.get(&attempt).cloned();
        let is_blocked = self.report(&attempt) == Some(None);
        let status = match &report {
            Some(report) => Status::of_word(&report.outcome.status),
            // A report that is damaged takes the attempt: only `reclaim` goes on from here.
            None if claim.is_some() || is_blocked => Status::Dispatched,
            None => Status::Pending,
        };
        let outcome = report.as_ref().map(|report| report.outcome.clone());
        let reports = self.report_states(id);
        TaskState { id: id.clone(), status, epoch: attempt.epoch, claim, report, outcome, is_blocked, reports }
    }

    fn report_states(&self, id: &WorkId) -> Vec<AttemptReport> {
        let end = |epoch| Attempt { of: id.clone(), epoch };
        let files = self.reports.range(end(0)..=end(u32::MAX)).filter_map(|(_, report)| report.clone());
        let files = files.map(|report| AttemptReport { late: self.lateness(id, report.epoch), ..report });
        let mut reports: Vec<AttemptReport> = files.chain(self.late(id).iter().cloned()).collect();
        reports.sort_by(|a, b| {
            let of_b = (b.epoch, &b.at, &b.outcome.status, b.late);
            (a.epoch, &a.at, &a.outcome.status, a.late).cmp(&of_b)
        });
        reports
    }
}

fn number_word(of: Option<&WorkId>) -> &'static str {
    if of.is_some() { "epoch" } else { "number" }
}

/// Takes who wrote an entry and when, and checks these and the digits that make it differ from others.
fn read_origin(fields: &mut EntryFields) -> Result<(Option<String>, String), String> {
    let (author_id, at): (Option<String>, String) = (fields.take_if("author_id")?, fields.take("at")?);
    check_each(&[("author_id", &author_id)], check_text)?;
    check_origin(&at, &fields.take::<String>("nonce")?)?;
    Ok((author_id, at))
}
