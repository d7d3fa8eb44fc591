//! The choice of the edge with the strongest evidence among those with the same ends and relation.

use super::builder::GraphBuilder;
use super::candidate::{CandidateEdge, EdgeTarget};
use super::{Corpus, EdgeSource, Target};
use crate::model::{Relation, natural_cmp};
use std::collections::BTreeSet;

/// Positions in the natural order of ids, so that sorting edges compares numbers.
pub(super) struct Ranks {
    items: Vec<usize>,
    issues: Vec<usize>,
}

impl Ranks {
    pub(super) fn new(corpus: &Corpus, builder: &GraphBuilder) -> Self {
        let items = corpus.entries.iter().enumerate().map(|(at, entry)| (&*entry.item.id, EdgeTarget::Item(at)));
        let issues = builder.issues.iter().enumerate().filter_map(|(at, issue)| match issue {
            Target::Issue { id, .. } => Some((&**id, EdgeTarget::Issue(at))),
            Target::Item(_) => None,
        });
        let mut all: Vec<(&str, EdgeTarget)> = items.chain(issues).collect();
        all.sort_by(|a, b| natural_cmp(a.0, b.0));
        let mut ranks = Ranks { items: vec![0; corpus.entries.len()], issues: vec![0; builder.issues.len()] };
        for (rank, (_, to)) in all.into_iter().enumerate() {
            match to {
                EdgeTarget::Item(item) => ranks.items[item] = rank,
                EdgeTarget::Issue(issue) => ranks.issues[issue] = rank,
            }
        }
        ranks
    }

    pub(super) fn of(&self, to: EdgeTarget) -> usize {
        match to {
            EdgeTarget::Item(item) => self.items[item],
            EdgeTarget::Issue(issue) => self.issues[issue],
        }
    }
}

/// Sorts the edges in the order of the edge list, and keeps the strongest of those with the same ends and relation.
///
/// A claim is weaker than any edge. For equal evidence, an edge that the item itself states is stronger than one that
/// another item states.
pub(super) fn strongest(candidates: &mut Vec<CandidateEdge>, ranks: &Ranks) {
    candidates.sort_by_key(|candidate| {
        (candidate.from, candidate.relation, ranks.of(candidate.to), strength(candidate), candidate.stated)
    });
    candidates.dedup_by(|later, first| {
        let same = (later.from, later.relation, later.to) == (first.from, first.relation, first.to);
        first.trusted |= same && later.trusted;
        same
    });
    let mut weaker = BTreeSet::new();
    for edges in candidates.chunk_by(|a, b| a.from == b.from) {
        let of = |relation: Relation| {
            let start = edges.partition_point(|edge| edge.relation < relation);
            let end = edges.partition_point(|edge| edge.relation <= relation);
            &edges[start..end]
        };
        let needed = of(Relation::DependsOn);
        for blocker in of(Relation::BlockedBy) {
            let rank = ranks.of(blocker.to);
            let Ok(same) = needed.binary_search_by_key(&rank, |edge| ranks.of(edge.to)) else {
                continue;
            };
            let same = &needed[same];
            let better = strength(same) <= strength(blocker);
            let loser = if better { blocker } else { same };
            weaker.insert((loser.from, loser.relation, ranks.of(loser.to)));
        }
    }
    candidates.retain(|candidate| !weaker.contains(&(candidate.from, candidate.relation, ranks.of(candidate.to))));
}

fn strength(candidate: &CandidateEdge) -> (bool, EdgeSource, bool) {
    (candidate.is_claim(), candidate.source, candidate.derived)
}
