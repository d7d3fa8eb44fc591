//! Edges as stated, and the choice of the strongest among those with the same ends and relation.

use super::corpus::Corpus;
use super::edges::{EdgeEvidence, EdgeSource, Target};
use super::entry::Entry;
use super::text::shown_at;
use crate::model::{Place, Relation, natural_cmp};
use crate::records::Origin;
use crate::redact::Clean;
use std::collections::{BTreeSet, HashMap};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MentionSite {
    pub(super) item: usize,
    pub(super) part: ItemPart,
    pub(super) line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemPart {
    Record,
    Body,
    Draft,
    Links,
}

impl ItemPart {
    pub(super) fn origin(self, entry: &Entry) -> &Origin<Clean> {
        let own = &entry.item.origin;
        match self {
            Self::Record => own,
            Self::Body => &entry.item.body.origin,
            Self::Draft => entry.draft.as_ref().map_or(own, |draft| &draft.body.origin),
            Self::Links => entry.issue.as_ref().map_or(own, |issue| &issue.origin),
        }
    }

    /// Returns whether an untrusted author may have written it: in an issue, or in a file that git does not track.
    pub(super) fn is_untrusted(self, entry: &Entry) -> bool {
        match self {
            Self::Record | Self::Draft => entry.untrusted_file,
            Self::Body => entry.is_untrusted(),
            // GitHub keeps these lists.
            Self::Links => false,
        }
    }
}

impl MentionSite {
    /// Returns whether an author whom `item`'s repo trusts wrote it; a role means nothing in a repo of another owner.
    pub(super) fn is_trusted_by(self, corpus: &Corpus, item: usize) -> bool {
        let entry = &corpus.entries[self.item];
        if self.part.is_untrusted(entry) {
            return false;
        }
        let Some(issue) = entry.issue_with_text().filter(|_| self.part == ItemPart::Body) else { return true };
        let theirs = corpus.entries[item].issue.as_ref().map(|issue| &issue.repo).or(corpus.rules.repo.as_ref());
        let owner = |repo: &Clean| repo.split('/').next().unwrap_or_default().to_ascii_lowercase();
        theirs.is_none_or(|theirs| owner(theirs) == owner(&issue.repo))
    }

    pub(super) fn evidence(self, corpus: &Corpus, source: EdgeSource, trusted: bool) -> EdgeEvidence {
        let origin = self.part.origin(&corpus.entries[self.item]);
        EdgeEvidence { source, at: shown_at(origin, self.line), trusted }
    }

    pub(super) fn place(self, corpus: &Corpus) -> Place {
        Place::line(self.part.origin(&corpus.entries[self.item]).path.clone(), self.line)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum EdgeTarget {
    Item(usize),
    Issue(usize),
}

/// An edge as stated; several may have the same ends and relation.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateEdge {
    pub(super) from: usize,
    pub(super) relation: Relation,
    pub(super) to: EdgeTarget,
    pub(super) source: EdgeSource,
    pub(super) derived: bool,
    pub(super) trusted: bool,
    pub(super) stated: MentionSite,
}

impl CandidateEdge {
    /// Returns whether it is a claim: stated only by untrusted authors in the text of another item.
    pub(super) fn is_claim(&self) -> bool {
        self.derived && !self.trusted
    }

    fn strength(&self) -> (bool, EdgeSource, bool) {
        (self.is_claim(), self.source, self.derived)
    }
}

/// Returns the positions of targets in the natural order of their ids, so that sorting edges compares numbers.
fn ranks(corpus: &Corpus, issues: &[Target]) -> HashMap<EdgeTarget, usize> {
    let items = corpus.entries.iter().enumerate().map(|(at, entry)| (&*entry.item.id, EdgeTarget::Item(at)));
    let issues = issues.iter().enumerate().filter_map(|(at, issue)| match issue {
        Target::Issue { id, .. } => Some((&**id, EdgeTarget::Issue(at))),
        Target::Item(_) => None,
    });
    let mut all: Vec<(&str, EdgeTarget)> = items.chain(issues).collect();
    all.sort_by(|a, b| natural_cmp(a.0, b.0));
    all.into_iter().enumerate().map(|(rank, (_, to))| (to, rank)).collect()
}

/// Returns the edges in the order of the edge list: of those with the same ends and relation the strongest.
///
/// A claim is weaker than any edge. For equal evidence, an edge that the item itself states is stronger than one that
/// another item states.
pub(super) fn strongest(mut candidates: Vec<CandidateEdge>, corpus: &Corpus, issues: &[Target]) -> Vec<CandidateEdge> {
    let ranks = ranks(corpus, issues);
    candidates.sort_by_cached_key(|edge| (edge.from, edge.relation, ranks[&edge.to], edge.strength(), edge.stated));
    candidates.dedup_by(|next, first| {
        let is_same = (next.from, next.relation, next.to) == (first.from, first.relation, first.to);
        first.trusted |= is_same && next.trusted;
        is_same
    });
    let mut weaker = BTreeSet::new();
    for edges in candidates.chunk_by(|a, b| a.from == b.from) {
        let needed = of_relation(edges, Relation::DependsOn);
        for blocker in of_relation(edges, Relation::BlockedBy) {
            let rank = ranks[&blocker.to];
            if let Ok(same) = needed.binary_search_by_key(&rank, |edge| ranks[&edge.to]) {
                let same = &needed[same];
                let loser = if same.strength() <= blocker.strength() { blocker } else { same };
                weaker.insert((loser.from, loser.relation, rank));
            }
        }
    }
    candidates.retain(|edge| !weaker.contains(&(edge.from, edge.relation, ranks[&edge.to])));
    candidates
}

fn of_relation(edges: &[CandidateEdge], relation: Relation) -> &[CandidateEdge] {
    let start = edges.partition_point(|edge| edge.relation < relation);
    let end = edges.partition_point(|edge| edge.relation <= relation);
    &edges[start..end]
}
