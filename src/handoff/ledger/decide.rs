//! What a command adds to a ledger: decisions as functions of its state, without a clock and without the disk.

use super::names::{Attempt, Claimable, LedgerPath};
use super::state::{AttemptReport, Ledger, Outcome, TaskState};
use super::status::{LateReason, TaskStatus};
use crate::handoff::cards::{CardError, canonical_bytes};
use serde::Serialize;
use serde_json::{Value, json};

/// A file to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile<K> {
    /// Its path.
    pub path: LedgerPath<K>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl<K: Claimable> NewFile<K> {
    /// Creates a file of which there is one.
    pub(super) fn new(path: LedgerPath<K>, content: &impl Serialize) -> Self {
        Self { path, bytes: canonical_bytes(content) }
    }

    /// Creates an event, whose file is named by its content; `fields` are those beside its kind and version.
    pub(super) fn event(kind: &str, mut fields: Value) -> Self {
        fields["kind"] = kind.into();
        fields["schema_version"] = K::LAYOUT.versions[2].into();
        let bytes = canonical_bytes(&fields);
        Self { path: LedgerPath::event(kind, &bytes), bytes }
    }
}

/// The attempt that follows one that is given up, and the event that gives it up.
pub type NextAttempt<K> = (Attempt<K>, NewFile<K>);

/// Who writes, when, and what makes the file differ from any other.
#[derive(Debug, Clone, Serialize)]
pub struct Writer {
    /// Who, for audit only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_id: Option<String>,
    /// When: RFC 3339 in UTC, whole seconds.
    pub at: String,
    /// Random digits.
    pub nonce: String,
}

/// What becomes of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<K> {
    /// Why it does not count; `None` if it does.
    pub late: Option<LateReason>,
    /// The file to be added; `None` if the same was reported before.
    pub file: Option<NewFile<K>>,
}

impl<K: Claimable> Ledger<K> {
    /// Claims a task or turn at its epoch.
    pub fn claim(&self, state: &TaskState<K>, writer: &Writer) -> Result<NewFile<K>, &'static str> {
        match state.status {
            _ if self.is_over() => Err("closed"),
            TaskStatus::Pending => {
                let attempt = state.attempt();
                let claim = self.entry(&attempt, Some(0), [json!(writer)]);
                Ok(NewFile::new(LedgerPath::Claim(attempt), &claim))
            }
            TaskStatus::Dispatched => Err("claimed"),
            _ => Err("ended"),
        }
    }

    /// Reports how an attempt ended. The same report again changes nothing, so that a command can be repeated.
    pub fn decide_report(
        &self,
        attempt: &Attempt<K>,
        outcome: &Outcome,
        writer: &Writer,
    ) -> Result<Decision<K>, CardError> {
        let Attempt { of, epoch } = attempt;
        let state = self.state_of(of)?;
        if *epoch > state.epoch {
            let words = of.words();
            let now = state.epoch;
            return Err(CardError::bad(format!("epoch {epoch} of {words} has not begun: it is at epoch {now}")));
        }
        let is_same = |report: &AttemptReport| {
            report.epoch == *epoch && report.outcome == *outcome && report.author_id == writer.author_id
        };
        let late = self.lateness(of, *epoch);
        let in_place = self.report(attempt);
        if in_place.flatten().is_some_and(is_same) {
            return Ok(Decision { late, file: None });
        }
        if let Some((reason, _)) = self.late(of).iter().find(|(_, report)| is_same(report)) {
            return Ok(Decision { late: Some(*reason), file: None });
        }
        let second = in_place.map(|_| LateReason::Second);
        let late = if self.is_over() { Some(LateReason::Closed) } else { late.or(second) };
        Ok(Decision { late, file: Some(self.report_file(attempt, outcome, writer, late)) })
    }

    /// Returns the file of a report that counts, or the event of one that is late.
    pub(super) fn report_file(
        &self,
        attempt: &Attempt<K>,
        outcome: &Outcome,
        writer: &Writer,
        late: Option<LateReason>,
    ) -> NewFile<K> {
        let report = self.entry(attempt, Some(1), [json!(outcome), json!(writer)]);
        match late {
            None => NewFile::new(LedgerPath::Report(attempt.clone()), &report),
            Some(reason) => NewFile::event("late", json!({"reason": reason, K::LAYOUT.report: report})),
        }
    }

    /// Gives up attempts that are claimed and have no report, if `is_old` says so of the time of the claim, which is `None`
    /// if it cannot be read; returns the attempts that follow.
    pub fn reclaim(
        &self,
        only: Option<&K>,
        is_old: &dyn Fn(Option<&str>) -> bool,
        writer: &Writer,
    ) -> Result<Vec<NextAttempt<K>>, CardError> {
        let states = match only {
            Some(key) => vec![self.state_of(key)?],
            None => self.states(),
        };
        let claimed = states.iter().filter(|state| {
            let at = state.claim.as_ref().and_then(|claim| claim.at.as_deref());
            !self.is_over() && state.can_be_reclaimed() && is_old(at)
        });
        Ok(claimed.map(|state| self.reclaimed(state, writer)).collect())
    }

    /// Returns the attempt after the one that a task or turn is at, and the event that ends that one.
    pub(super) fn reclaimed(&self, state: &TaskState<K>, writer: &Writer) -> NextAttempt<K> {
        let mut attempt = state.attempt();
        let event = self.entry(&attempt, None, [json!({"at": writer.at})]);
        attempt.epoch += 1;
        (attempt, NewFile::event("reclaim", event))
    }

    /// Returns an entry about an attempt; `version` is the position of its version, if it has one of its own.
    fn entry<const N: usize>(&self, attempt: &Attempt<K>, version: Option<usize>, parts: [Value; N]) -> Value {
        let [key, epoch] = K::LAYOUT.fields;
        let mut entry = json!({key: attempt.of, epoch: attempt.epoch});
        let version = version.map(|at| (at == 1, K::LAYOUT.versions[at]));
        if let Some((name, value)) = attempt.of.repeated(self, version.is_some_and(|(is_report, _)| is_report)) {
            entry[name] = value;
        }
        if let Some((_, version)) = version {
            entry["schema_version"] = version.into();
        }
        for part in parts {
            part.as_object().into_iter().flatten().for_each(|(name, value)| entry[name] = value.clone());
        }
        entry
    }
}
