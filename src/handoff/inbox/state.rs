//! The state of an inbox, as a pure function of the set of its files.

use super::entries::{TurnRequest, TurnResponse};
use super::ledger::Inbox;
use super::path::{Attempt, TurnId};
use crate::handoff::batches::{ClaimState, LateReason, ReportState, TaskStatus};
use std::collections::BTreeMap;

/// The state of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnState {
    /// The turn.
    pub id: TurnId,
    /// Its request.
    pub request: TurnRequest,
    /// Its state.
    pub status: TaskStatus,
    /// The epoch that it is at.
    pub epoch: u32,
    /// The claim of this epoch.
    pub claim: Option<ClaimState>,
    /// The response that counts.
    pub response: Option<TurnResponse>,
    /// All responses, by epoch, the one that counts included.
    pub responses: Vec<ReportState>,
}

impl Inbox {
    /// Returns the turns in the order in which they were dispatched, as far as clones saw each other.
    ///
    /// A response counts if it is the one of its turn's epoch, which only `reclaim` events raise.
    pub fn turns(&self) -> Vec<TurnState> {
        let mut responses = self.responses_by_turn();
        let mut order: Vec<(&TurnId, &(_, TurnRequest))> = self.requests.iter().collect();
        order.sort_by(|(_, (a, _)), (_, (b, _))| a.cmp(b));
        let turns = order.into_iter().map(|(id, (_, request))| {
            let epoch = self.epoch(id);
            let attempt = Attempt { turn: id.clone(), epoch };
            let counted = self.responses.get(&attempt);
            let response = counted.cloned().flatten();
            let claim = self.claims.get(&attempt).map(|claim| ClaimState {
                author_id: claim.as_ref().and_then(|claim| claim.author_id.clone()),
                at: claim.as_ref().map(|claim| claim.at.clone()),
            });
            let status = match &response {
                Some(response) => TaskStatus::of_word(&response.status),
                // A response that is damaged takes the attempt: only `reclaim` goes on from here.
                None if claim.is_some() || counted.is_some() => TaskStatus::Dispatched,
                None => TaskStatus::Pending,
            };
            let responses = responses.remove(id).unwrap_or_default();
            TurnState { id: id.clone(), request: request.clone(), status, epoch, claim, response, responses }
        });
        turns.collect()
    }

    fn responses_by_turn(&self) -> BTreeMap<TurnId, Vec<ReportState>> {
        let mut by_turn: BTreeMap<TurnId, Vec<ReportState>> = BTreeMap::new();
        let mut add = |response: &TurnResponse, late| {
            let TurnResponse { turn_epoch: epoch, at, status, .. } = response.clone();
            by_turn.entry(response.agent_turn_id.clone()).or_default().push(ReportState { epoch, at, status, late });
        };
        for (attempt, response) in &self.responses {
            let Some(response) = response else { continue };
            let late = match self.epoch(&attempt.turn) {
                epoch if attempt.epoch == epoch => None,
                epoch if attempt.epoch < epoch => Some(LateReason::StaleEpoch),
                _ => Some(LateReason::FutureEpoch),
            };
            add(response, late);
        }
        for (reason, response) in &self.late {
            add(response, Some(*reason));
        }
        for responses in by_turn.values_mut() {
            responses.sort();
        }
        by_turn
    }
}
