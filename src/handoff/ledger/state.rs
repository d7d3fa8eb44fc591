//! What happened to the tasks of a batch or the turns of an inbox: claims, reports, and epochs that are over; and the
//! state that follows from them, whatever the order of their files is.

use super::fields::{
    EntryFields, LAST_EPOCH, check_each, check_epoch, check_origin, check_outcome, check_text, check_time, same,
};
use super::names::{Attempt, Claimable, LedgerPath};
use super::status::{LateReason, TaskStatus};
use crate::handoff::cards::{CardError, ContentId, ToolError, check_hash, highest_clock};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// A claim, as far as it can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimState {
    pub author_id: Option<String>,
    /// When; `None` if the file is damaged.
    pub at: Option<String>,
}

/// What a report says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The word.
    pub status: String,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The box with the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<ContentId>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
}

/// How an attempt ended: the report of a task, or the response to a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptReport {
    pub epoch: u32,
    pub outcome: Outcome,
    pub author_id: Option<String>,
    pub at: String,
}

/// A report, and whether it counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReportState {
    pub epoch: u32,
    pub at: String,
    pub status: String,
    /// Why it does not count; `None` if it does.
    pub late: Option<LateReason>,
}

/// A file of a ledger that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerFault {
    /// Its path in the folder of the ledger.
    pub path: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskState<K> {
    /// The task or turn.
    pub id: K,
    pub status: TaskStatus,
    pub epoch: u32,
    pub claim: Option<ClaimState>,
    pub report: Option<AttemptReport>,
    /// Whether this epoch cannot be reported, since the file of its report is damaged.
    pub is_blocked: bool,
    /// All reports, by epoch, the one that counts included.
    pub reports: Vec<ReportState>,
}

impl<K: Claimable> TaskState<K> {
    pub fn attempt(&self) -> Attempt<K> {
        Attempt { of: self.id.clone(), epoch: self.epoch }
    }

    /// Returns whether it is claimed, and another epoch can follow.
    pub(super) fn can_be_reclaimed(&self) -> bool {
        self.status == TaskStatus::Dispatched && self.epoch < LAST_EPOCH
    }
}

/// A ledger: what agents can claim, and everything that happened to it.
///
/// A file that cannot be used is a [`LedgerFault`] and stops no other. If it is a claim or a report, its attempt is taken
/// all the same, since no other file can be created in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger<K: Claimable> {
    /// The id of a batch; of an inbox, the word for its agent.
    pub name: String,
    /// What it holds besides claims and reports.
    pub content: K::Content,
    /// What can be claimed, in order.
    pub(super) order: Vec<K>,
    pub(super) known: BTreeSet<K>,
    claims: BTreeMap<Attempt<K>, ClaimState>,
    /// The reports; `None` if the file cannot be used.
    reports: BTreeMap<Attempt<K>, Option<AttemptReport>>,
    /// Reports that came too late, in the order of their files' names.
    late: BTreeMap<K, Vec<(LateReason, AttemptReport)>>,
    /// The epochs that are over, each with the paths of its events; the last one once all were read.
    reclaimed: BTreeMap<K, EpochFiles>,
    over: BTreeMap<K, u32>,
    /// How each task ended, and the epoch of its report: from the join on, nothing else counts.
    pub(super) joined: Option<BTreeMap<K, (TaskStatus, Option<u32>)>>,
    /// Whether the first report of a failure ends all that is open.
    pub(super) fail_fast: bool,
    /// The files that cannot be used, by path.
    pub faults: Vec<LedgerFault>,
}

impl<K: Claimable> Ledger<K> {
    pub(super) fn new(name: String, content: K::Content) -> Self {
        Self {
            name,
            content,
            order: Vec::new(),
            known: BTreeSet::new(),
            claims: BTreeMap::new(),
            reports: BTreeMap::new(),
            late: BTreeMap::new(),
            reclaimed: BTreeMap::new(),
            over: BTreeMap::new(),
            joined: None,
            fail_fast: false,
            faults: Vec::new(),
        }
    }

    pub(super) fn add_key(&mut self, key: K) {
        self.known.insert(key.clone());
        self.order.push(key);
    }

    pub(super) fn fault(&mut self, path: &impl Display, message: impl Into<String>) {
        self.faults.push(LedgerFault { path: path.to_string(), message: message.into() });
    }

    /// Reads a claim, a report, or an event about one.
    pub(super) fn add(&mut self, path: &LedgerPath<K>, bytes: &[u8]) -> Result<(), String> {
        match path {
            LedgerPath::Claim(attempt) => {
                let read = EntryFields::read(bytes).and_then(|fields| self.read_claim(fields, attempt));
                if self.known.contains(&attempt.of) {
                    self.claims.insert(attempt.clone(), read.clone().unwrap_or_default());
                }
                read.map(drop)
            }
            LedgerPath::Report(attempt) => {
                let read = EntryFields::read(bytes).and_then(|fields| self.read_report(fields, Some(attempt)));
                let read = read.map(|(_, report)| report);
                if self.known.contains(&attempt.of) {
                    self.reports.insert(attempt.clone(), read.clone().ok());
                }
                read.map(drop)
            }
            LedgerPath::Event { .. } => {
                let (kind, mut fields) = self.read_event(path, bytes)?;
                if kind == "late" {
                    self.add_late(fields)
                } else {
                    let Attempt { of, epoch } = self.read_attempt(&mut fields, false)?;
                    check_epoch("epoch", epoch, true)?;
                    check_time(&fields.take::<String>("at")?)?;
                    fields.end()?;
                    self.reclaimed.entry(of).or_default().add(epoch, path);
                    Ok(())
                }
            }
            LedgerPath::File(_) | LedgerPath::Request(_) => Ok(()),
        }
    }

    /// Reads the kind of an event, whose file is named by its content, and its other fields.
    pub(super) fn read_event(&self, path: &LedgerPath<K>, bytes: &[u8]) -> Result<(String, EntryFields), String> {
        let mut fields = EntryFields::read(bytes)?;
        let kind: String = fields.take("kind")?;
        check_hash(bytes, path, "name", |bytes| LedgerPath::event(&kind, bytes))?;
        fields.take_same("schema_version", &K::LAYOUT.versions[2].into())?;
        Ok((kind, fields))
    }

    fn add_late(&mut self, mut fields: EntryFields) -> Result<(), String> {
        let reason: LateReason = fields.take("reason")?;
        let (attempt, report) = self.read_report(EntryFields::of(fields.take(K::LAYOUT.report)?)?, None)?;
        fields.end()?;
        if !K::LAYOUT.late.contains(&reason) {
            return Err(format!("a {} is never late as `{}`", K::LAYOUT.report, reason.name()));
        }
        self.late.entry(attempt.of).or_default().push((reason, report));
        Ok(())
    }

    fn read_attempt(&self, fields: &mut EntryFields, is_report: bool) -> Result<Attempt<K>, String> {
        let [key, epoch] = K::LAYOUT.fields;
        let attempt = Attempt { of: fields.take::<K>(key)?, epoch: fields.take(epoch)? };
        if !self.known.contains(&attempt.of) {
            return Err(format!("there is no {} {}", K::LAYOUT.noun, attempt.of));
        }
        check_epoch("epoch", attempt.epoch, false)?;
        if let Some((name, value)) = attempt.of.repeated(self, is_report) {
            fields.take_same(name, &value)?;
        }
        Ok(attempt)
    }

    fn read_claim(&self, mut fields: EntryFields, expected: &Attempt<K>) -> Result<ClaimState, String> {
        fields.take_same("schema_version", &K::LAYOUT.versions[0].into())?;
        same(K::LAYOUT.attempt, &self.read_attempt(&mut fields, false)?, expected)?;
        let (author_id, at) = read_origin(&mut fields)?;
        fields.end()?;
        Ok(ClaimState { author_id, at: Some(at) })
    }

    /// Reads a report, which is for the `expected` attempt if that is given.
    fn read_report(
        &self,
        mut fields: EntryFields,
        expected: Option<&Attempt<K>>,
    ) -> Result<(Attempt<K>, AttemptReport), String> {
        fields.take_same("schema_version", &K::LAYOUT.versions[1].into())?;
        let attempt = self.read_attempt(&mut fields, true)?;
        expected.map_or(Ok(()), |expected| same(K::LAYOUT.attempt, &attempt, expected))?;
        let outcome = Outcome {
            status: fields.take("status")?,
            summary: fields.take_if("summary")?,
            output_box_id: fields.take_if("output_box_id")?,
            error: fields.take_if("error")?,
        };
        check_outcome(K::LAYOUT.report, &outcome.status, outcome.error.as_ref())?;
        let (author_id, at) = read_origin(&mut fields)?;
        fields.end()?;
        let report = AttemptReport { epoch: attempt.epoch, outcome, author_id, at };
        Ok((attempt, report))
    }

    /// Decides which epochs are over, once all files were read, and adds to the fault of each damaged claim or report that
    /// blocks its task how the task goes on.
    pub(super) fn finish(&mut self) {
        for (key, epochs) in std::mem::take(&mut self.reclaimed) {
            let last = epochs.last("epoch", &mut self.faults);
            self.over.insert(key, last);
        }
        self.faults.sort();
        if self.faults.is_empty() || self.joined.is_some() {
            return;
        }
        let blocked = self.states().into_iter().filter(TaskState::can_be_reclaimed);
        let blocked: BTreeSet<Attempt<K>> = blocked.map(|state| state.attempt()).collect();
        for fault in &mut self.faults {
            if let Some(LedgerPath::Claim(attempt) | LedgerPath::Report(attempt)) = LedgerPath::parse(&fault.path)
                && blocked.contains(&attempt)
            {
                let way_on = attempt.of.way_on(&self.name);
                fault.message += &format!(" (help: {way_on}; or restore the file from git)");
            }
        }
    }

    /// Redacts the texts of claims and reports, which may have been written by hand.
    #[must_use]
    pub(super) fn with_redacted_reports(mut self, redact: &dyn Fn(&str) -> String) -> Self {
        let text = |text: &mut Option<String>| text.iter_mut().for_each(|text| *text = redact(text));
        self.claims.values_mut().for_each(|claim| text(&mut claim.author_id));
        let late = self.late.values_mut().flatten().map(|(_, report)| report);
        for AttemptReport { outcome, author_id, .. } in self.reports.values_mut().flatten().chain(late) {
            outcome.status = redact(&outcome.status);
            text(author_id);
            text(&mut outcome.summary);
            outcome.error.iter_mut().for_each(|error| error.redact(redact));
        }
        self
    }

    /// Returns whether nothing can be claimed and reported any more.
    pub fn is_over(&self) -> bool {
        self.joined.is_some()
    }

    /// Returns the epoch that a task or turn is at.
    pub fn epoch(&self, key: &K) -> u32 {
        1 + self.over.get(key).copied().unwrap_or_default()
    }

    /// Returns the epoch of the report that counts, if there is one.
    fn counted(&self, key: &K) -> Option<u32> {
        match &self.joined {
            Some(results) => results.get(key)?.1,
            None => Some(self.epoch(key)),
        }
    }

    /// Returns what the file of a report says; `None` if there is none, `Some(None)` if it is damaged.
    pub(super) fn report(&self, attempt: &Attempt<K>) -> Option<Option<&AttemptReport>> {
        self.reports.get(attempt).map(Option::as_ref)
    }

    /// Returns the reports of a task or turn that came too late.
    pub(super) fn late(&self, key: &K) -> &[(LateReason, AttemptReport)] {
        self.late.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns why the report in the file of an attempt does not count; `None` if it does.
    pub(super) fn lateness(&self, key: &K, epoch: u32) -> Option<LateReason> {
        if self.counted(key) == Some(epoch) {
            None
        } else if epoch < self.epoch(key) {
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
    pub fn states(&self) -> Vec<TaskState<K>> {
        let mut states: Vec<TaskState<K>> = self.order.iter().map(|key| self.state(key)).collect();
        if let Some(results) = &self.joined {
            for state in &mut states {
                state.status = results.get(&state.id).map_or(state.status, |(status, _)| *status);
            }
        } else if self.failed_fast(&states) {
            for state in states.iter_mut().filter(|state| state.report.is_none()) {
                state.status = TaskStatus::Canceled;
            }
        }
        states
    }

    /// Returns whether a report failed all under `fail_fast`.
    pub(super) fn failed_fast(&self, states: &[TaskState<K>]) -> bool {
        self.fail_fast && states.iter().any(|state| state.report.is_some() && state.status.fails_fast())
    }

    pub fn state_of(&self, key: &K) -> Result<TaskState<K>, CardError> {
        let missing = || CardError::NotFound(key.missing(self));
        self.states().into_iter().find(|state| state.id == *key).ok_or_else(missing)
    }

    fn state(&self, key: &K) -> TaskState<K> {
        let attempt = Attempt { of: key.clone(), epoch: self.epoch(key) };
        let report_of = |epoch| self.report(&Attempt { of: key.clone(), epoch });
        let report = self.counted(key).and_then(report_of).flatten().cloned();
        let claim = self.claims.get(&attempt).cloned();
        let is_blocked = self.report(&attempt) == Some(None);
        let status = match &report {
            Some(report) => TaskStatus::of_word(&report.outcome.status),
            // A report that is damaged takes the attempt: only `reclaim` goes on from here.
            None if claim.is_some() || is_blocked => TaskStatus::Dispatched,
            None => TaskStatus::Pending,
        };
        let reports = self.report_states(key);
        TaskState { id: key.clone(), status, epoch: attempt.epoch, claim, report, is_blocked, reports }
    }

    fn report_states(&self, key: &K) -> Vec<ReportState> {
        let end = |epoch| Attempt { of: key.clone(), epoch };
        let files = self.reports.range(end(0)..=end(u32::MAX)).filter_map(|(_, report)| report.as_ref());
        let files = files.map(|report| (self.lateness(key, report.epoch), report));
        let late = self.late(key).iter().map(|(reason, report)| (Some(*reason), report));
        let states = files.chain(late).map(|(late, report)| {
            let AttemptReport { epoch, outcome, at, .. } = report.clone();
            ReportState { epoch, at, status: outcome.status, late }
        });
        let mut states: Vec<ReportState> = states.collect();
        states.sort();
        states
    }
}

/// Takes who wrote an entry and when, and checks these and the digits that make it differ from others.
fn read_origin(fields: &mut EntryFields) -> Result<(Option<String>, String), String> {
    let (author_id, at): (Option<String>, String) = (fields.take_if("author_id")?, fields.take("at")?);
    check_each(&[("author_id", &author_id)], check_text)?;
    check_origin(&at, &fields.take::<String>("nonce")?)?;
    Ok((author_id, at))
}

/// The events that end epochs of one thing, each epoch with the paths of its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EpochFiles(BTreeMap<u32, Vec<String>>);

impl EpochFiles {
    pub(super) fn add(&mut self, epoch: u32, path: &impl Display) {
        self.0.entry(epoch).or_default().push(path.to_string());
    }

    /// Returns the last epoch that is over, 0 if there is none, and adds the faults of events beyond a jump, which do not
    /// count: they would use up the epochs.
    pub(super) fn last(self, what: &str, faults: &mut Vec<LedgerFault>) -> u32 {
        let last = highest_clock(self.0.keys().copied());
        for (epoch, paths) in self.0.into_iter().filter(|(epoch, _)| *epoch > last) {
            let message = format!(
                "its {what} jumps from {last} to {epoch}, which no writer does, so that it does not count (help: remove it)"
            );
            faults.extend(paths.into_iter().map(|path| LedgerFault { path, message: message.clone() }));
        }
        last
    }
}
