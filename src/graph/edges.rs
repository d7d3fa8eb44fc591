//! Items → edges in both directions, each with its strongest evidence.

use super::builder::GraphBuilder;
use super::candidate::{EdgeTarget, strongest};
use super::checks::{MAX_SHOWN, check};
use super::corpus::Corpus;
use super::edge::{Edge, EdgeEvidence, Target};
use super::index::NameIndex;
use super::status::item_state;
use super::text::shown_at;
use crate::model::{Diagnostic, ItemState, Relation};
use std::collections::{BTreeMap, HashSet};

/// The most children of a parent that a list of siblings shows; each of the children has that list in its packs.
const MAX_LISTED: usize = 100;

/// The edges of a corpus, and the problems found in them.
#[derive(Debug)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
    claims: Vec<Vec<Edge>>,
    /// How many values of an item name a blocker that cannot be found.
    unresolved_blockers: BTreeMap<usize, usize>,
    diagnostics: Vec<Diagnostic>,
    pub(super) index: NameIndex,
}

impl Graph {
    /// Builds every edge that the items state, for both of its ends.
    ///
    /// An edge that only an untrusted text states is an edge of that text's item, and a claim about the other one.
    pub fn build(corpus: &Corpus) -> Self {
        let index = NameIndex::of(corpus);
        let GraphBuilder { candidates, issues, mut diagnostics, unresolved_blockers: unresolved, .. } =
            GraphBuilder::read(corpus, &index);
        let candidates = strongest(candidates, corpus, &issues);
        diagnostics.extend(check(corpus, &candidates, &issues));
        diagnostics.sort();
        diagnostics.dedup();
        let mut edges = vec![Vec::new(); corpus.entries.len()];
        let mut claims = edges.clone();
        for candidate in &candidates {
            let list = if candidate.is_claim() { &mut claims } else { &mut edges };
            let to = match candidate.to {
                EdgeTarget::Item(item) => Target::Item(item),
                EdgeTarget::Issue(issue) => issues[issue].clone(),
            };
            let origin = candidate.stated.part.origin(&corpus.entries[candidate.stated.item]);
            let at = shown_at(origin, candidate.stated.line);
            let evidence = EdgeEvidence { source: candidate.source, at, trusted: candidate.trusted };
            list[candidate.from].push(Edge { relation: candidate.relation, to, evidence });
        }
        let mut unresolved_blockers = BTreeMap::new();
        for (item, _) in unresolved {
            *unresolved_blockers.entry(item).or_insert(0) += 1;
        }
        Self { edges, claims, unresolved_blockers, diagnostics, index }
    }

    /// Returns the edges of an item, by relation, then by the target's id in natural order.
    ///
    /// A target has one edge of each relation, and one of `depends_on` and `blocked_by`.
    pub fn edges(&self, item: usize) -> &[Edge] {
        self.edges.get(item).map_or(&[], Vec::as_slice)
    }

    /// Returns the claims about an item: edges that only untrusted authors state, in texts of other items.
    ///
    /// They are not among [`Graph::edges`], and have the same order.
    pub fn claims(&self, item: usize) -> &[Edge] {
        self.claims.get(item).map_or(&[], Vec::as_slice)
    }

    /// Returns how many blockers an item names in its own fields and texts that resolve to neither an item nor an issue,
    /// such as a misspelled id. They have a warning and no edge.
    pub fn unresolved_blockers(&self, item: usize) -> usize {
        self.unresolved_blockers.get(&item).copied().unwrap_or_default()
    }

    /// Returns the edges of an item that its packs show, in the order of [`Graph::edges`]: the first 250 of each
    /// relation.
    pub fn shown(&self, item: usize) -> impl Iterator<Item = &Edge> + Clone {
        self.edges(item).chunk_by(|a, b| a.relation == b.relation).flat_map(|edges| edges.iter().take(MAX_SHOWN))
    }

    /// Returns how many edges of an item its packs do not show.
    pub fn hidden(&self, item: usize) -> usize {
        self.edges(item).len() - self.shown(item).count()
    }

    /// Returns the children of an item, and how many of them a list of them shows.
    pub fn children(&self, item: usize) -> (&[Edge], usize) {
        let edges = self.edges(item);
        let start = edges.partition_point(|edge| edge.relation < Relation::Child);
        let end = edges.partition_point(|edge| edge.relation <= Relation::Child);
        (&edges[start..end], (end - start).min(MAX_LISTED))
    }

    /// Returns the edges that the packs of an item show, each target only under its strongest relation, in the order of [`Graph::edges`].
    ///
    /// The strongest is the parent, followed by dependencies, children, blocked items and related items.
    pub fn neighbours(&self, item: usize) -> Vec<&Edge> {
        use Relation::{BlockedBy, Blocks, Child, DependsOn, Parent, Related};
        let mut edges: Vec<&Edge> = Vec::new();
        let mut seen = HashSet::new();
        for relation in [Parent, DependsOn, BlockedBy, Child, Blocks, Related] {
            edges.extend(self.shown(item).filter(|edge| edge.relation == relation && seen.insert(key(&edge.to))));
        }
        // A stable sort, so that the edges of one relation keep their order.
        edges.sort_by_key(|edge| edge.relation);
        edges
    }

    /// Returns the state of an item: that of its issue if known, otherwise by its status.
    pub fn state(corpus: &Corpus, item: usize) -> ItemState {
        corpus.entries.get(item).map_or(ItemState::Unknown, |entry| item_state(entry, &corpus.rules))
    }

    /// Returns the problems of the relations, sorted; each names the items that it concerns.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

fn key(target: &Target) -> (Option<usize>, Option<&str>) {
    match target {
        Target::Item(item) => (Some(*item), None),
        Target::Issue { id, .. } => (None, Some(id)),
    }
}
