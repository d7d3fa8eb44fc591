//! What a command adds to a ledger: decisions as functions of its state, without a clock and without the disk.

use super::files::Outcome;
use super::names::{Attempt, LateReason, LedgerPath, NewFile, Status, WorkId, Writer};
use super::state::{AttemptReport, Ledger, TaskState};
use crate::handoff::cards::CardError;
use serde_json::{Value, json};

/// The attempt that follows one that is given up, and the event that gives it up.
pub type NextAttempt = (Attempt, NewFile);

/// What becomes of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Why it does not count; `None` if it does.
    pub late: Option<LateReason>,
    /// The file to be added; `None` if the same was reported before.
    pub file: Option<NewFile>,
}

impl Ledger {
    /// Claims a task or turn at its epoch.
    pub fn claim(&self, state: &TaskState, writer: &Writer) -> Result<NewFile, &'static str> {
        match state.status {
            _ if self.is_over() => Err("closed"),
            Status::Pending => {
                let attempt = state.attempt();
                let claim = self.entry(&attempt, Some("claim"), [json!(writer)]);
                Ok(NewFile::new(LedgerPath::Claim(attempt), &claim))
            }
            Status::Dispatched => Err("claimed"),
            _ => Err("ended"),
        }
    }

    /// Reports how an attempt ended. The same report again changes nothing, so that a command can be repeated.
    pub fn decide_report(&self, attempt: &Attempt, outcome: &Outcome, writer: &Writer) -> Result<Decision, CardError> {
        let Attempt { of, epoch } = attempt;
        let now = self.state_of(of)?.epoch;
        if *epoch > now {
            let words = of.words();
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
        if let Some(report) = self.late(of).iter().find(|report| is_same(report)) {
            return Ok(Decision { late: report.late, file: None });
        }
        let second = in_place.map(|_| LateReason::Second);
        let late = if self.is_over() { Some(LateReason::Closed) } else { late.or(second) };
        Ok(Decision { late, file: Some(self.report_file(attempt, outcome, writer, late)) })
    }

    /// Returns the file of a report that counts, or the event of one that is late.
    pub(super) fn report_file(
        &self,
        attempt: &Attempt,
        outcome: &Outcome,
        writer: &Writer,
        late: Option<LateReason>,
    ) -> NewFile {
        let report = self.entry(attempt, Some(self.kind.report), [json!(outcome), json!(writer)]);
        match late {
            None => NewFile::new(LedgerPath::Report(attempt.clone()), &report),
            Some(reason) => NewFile::event(self.kind, "late", json!({"reason": reason, self.kind.report: report})),
        }
    }

    /// Gives up attempts that are claimed and have no report, if `is_old` says so of the time of the claim, which is `None`
    /// if it cannot be read; returns the attempts that follow.
    pub fn reclaim(
        &self,
        only: Option<&WorkId>,
        is_old: &dyn Fn(Option<&str>) -> bool,
        writer: &Writer,
    ) -> Result<Vec<NextAttempt>, CardError> {
        let states = match only {
            Some(id) => vec![self.state_of(id)?],
            None => self.states(),
        };
        let claimed = states.iter().filter(|state| {
            let at = state.claim.as_ref().and_then(|claim| claim.at.as_deref());
            !self.is_over() && state.can_be_reclaimed() && is_old(at)
        });
        Ok(claimed.map(|state| self.reclaimed(state, writer)).collect())
    }

    /// Returns the attempt after the one that a task or turn is at, and the event that ends that one.
    pub(super) fn reclaimed(&self, state: &TaskState, writer: &Writer) -> NextAttempt {
        let mut attempt = state.attempt();
        let event = self.entry(&attempt, None, [json!({"at": writer.at})]);
        attempt.epoch += 1;
        (attempt, NewFile::event(self.kind, "reclaim", event))
    }

    /// Returns an entry about an attempt, of a claim or a report with the version of this word.
    fn entry<const N: usize>(&self, attempt: &Attempt, word: Option<&str>, parts: [Value; N]) -> Value {
        let mut entry = json!({self.kind.id_field: attempt.of, self.kind.epoch_field: attempt.epoch});
        if let Some((name, value)) = self.repeated(&attempt.of, word == Some(self.kind.report)) {
            entry[name] = value.into();
        }
        if let Some(word) = word {
            entry["schema_version"] = self.kind.version(word).into();
        }
        for part in parts {
            part.as_object().into_iter().flatten().for_each(|(name, value)| entry[name] = value.clone());
        }
        entry
    }
}
