//! The order in which candidates are trimmed.

use super::{Candidate, TrimRank};
use crate::config::Group;
use std::cmp::Reverse;

/// A candidate's place in the order of trimming, before all candidates are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank {
    /// `None` ranks above all groups: the root's draft.
    pub(super) group: Option<Group>,
    /// Whether it is trimmed before the others of the group: what is done or inactive.
    pub(super) settled: bool,
    /// Whether it is trimmed after the others of the group: what the root states its requirements by.
    pub(super) needed: bool,
    /// Its share of the room compared with that of its equals, in percent.
    pub(super) weight: u32,
    /// Whether neither the root nor the configuration names it: neighbours do, or words lead to it.
    pub(super) second_hop: bool,
    /// Whether its pointer says what came of it.
    pub(super) has_result: bool,
}

impl Rank {
    /// Creates the rank of an ordinary candidate of a group.
    pub(super) fn of(group: Option<Group>) -> Self {
        Self { group, settled: false, needed: false, weight: 100, second_hop: false, has_result: false }
    }

    /// Returns the place within the group, the weakest last.
    fn tier(self) -> u8 {
        match (self.second_hop, self.settled, self.needed) {
            (false, false, true) => 0,
            (false, false, false) => 1,
            (false, true, _) => 2,
            (true, _, _) => 3,
        }
    }
}

/// Returns whether a candidate is a part of a history, of which the newest matters most.
fn is_history(rank: &Rank) -> bool {
    matches!(rank.group, Some(Group::Comments | Group::Cards))
}

/// Returns whether a candidate has no equals: the newest of a history matter most, and notes on documents are never cut, so
/// that a share of a room would be of no use to them.
fn stands_alone(rank: &Rank) -> bool {
    is_history(rank) || matches!(rank.group, Some(Group::Knowledge | Group::Relevant))
}

/// Returns the candidates' ranks in the order of trimming.
///
/// Groups rank from the lowest priority to the highest; within a group, done or inactive candidates come first, then
/// the last in pack order, except that the oldest comments and cards come first.
pub(super) fn ranks(candidates: &[(Candidate, Option<Rank>)], priority: &[Group]) -> Vec<Option<TrimRank>> {
    let mut order: Vec<(usize, u8, usize, usize, Rank)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(index, (_, rank))| {
            let rank = (*rank)?;
            let strength = rank
                .group
                .map_or(0, |group| 1 + priority.iter().position(|known| *known == group).unwrap_or(priority.len()));
            let late = if is_history(&rank) { candidates.len() - index } else { index };
            Some((strength, rank.tier(), late, index, rank))
        })
        .collect();
    order.sort_by_key(|(strength, tier, late, index, _)| Reverse((*strength, *tier, *late, *index)));
    let mut ranks = vec![None; candidates.len()];
    let (mut class, mut last) = (0, None);
    for (position, (strength, tier, _, index, rank)) in (0u32..).zip(order) {
        if last.replace((strength, tier)) != Some((strength, tier)) || stands_alone(&rank) {
            class += 1;
        }
        let Rank { settled, weight, second_hop, has_result, .. } = rank;
        ranks[index] = Some(TrimRank { order: position, class, settled, weight, second_hop, has_result });
    }
    ranks
}
