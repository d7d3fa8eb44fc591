//! Of the edges of one kind the one with the strongest evidence, in the order of the edge list.

use super::builder::{CandidateEdge, EdgeTarget, GraphBuilder};
use super::{Corpus, EdgeSource, Target};
use crate::model::{Relation, natural_cmp};
use std::collections::BTreeSet;

/// Positions in the natural order of ids, so that sorting edges compares numbers.
pub(super) struct Ranks {
    items: Vec<usize>,
    issues: Vec<usize>,
}

impl Ranks {
    pub(super) fn new(corpus: &Corpus, drawing: &GraphBuilder) -> Self {
        let items = corpus.entries.iter().enumerate().map(|(at, entry)| (&*entry.item.id, EdgeTarget::Item(at)));
        let issues = drawing.issues.iter().enumerate().filter_map(|(at, issue)| match issue {
            Target::Issue { id, .. } => Some((&**id, EdgeTarget::Issue(at))),
            Target::Item(_) => None,
        });
        let mut all: Vec<(&str, EdgeTarget)> = items.chain(issues).collect();
        all.sort_by(|a, b| natural_cmp(a.0, b.0));
        let mut ranks = Ranks { items: vec![0; corpus.entries.len()], issues: vec![0; drawing.issues.len()] };
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

/// Sorts the edges as items show them, and keeps the strongest of each kind.
///
/// A claim is weaker than all else. Of equal evidence, what the item itself states is stronger than what another
/// states of it.
pub(super) fn strongest(raws: &mut Vec<CandidateEdge>, ranks: &Ranks) {
    raws.sort_by_key(|raw| (raw.from, raw.relation, ranks.of(raw.to), strength(raw), raw.stated));
    raws.dedup_by(|later, first| {
        let same = (later.from, later.relation, later.to) == (first.from, first.relation, first.to);
        first.trusted |= same && later.trusted;
        same
    });
    let mut weaker = BTreeSet::new();
    for edges in raws.chunk_by(|a, b| a.from == b.from) {
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
    raws.retain(|raw| !weaker.contains(&(raw.from, raw.relation, ranks.of(raw.to))));
}

fn strength(raw: &CandidateEdge) -> (bool, EdgeSource, bool) {
    (raw.is_claim(), raw.source, raw.derived)
}
