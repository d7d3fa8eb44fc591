//! Items → edges in both directions, each with its strongest evidence.

use super::builder::GraphBuilder;
use super::corpus::item_state;
use super::index::NameIndex;
use super::strongest::{Ranks, strongest};
use super::{Corpus, Edge, ItemState, Target};
use crate::model::{Diagnostic, Relation};
use std::collections::BTreeMap;

/// The most edges of one relation that a pack shows.
///
/// A pack is read by people and by models, to whom thousands of neighbours tell no more than their number.
pub(super) const MOST_SHOWN: usize = 250;

/// The most children of a parent that a list of siblings shows; each of the children has that list in its packs.
const MOST_LISTED: usize = 100;

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
        let mut builder = GraphBuilder::default();
        let index = NameIndex::of(corpus);
        for item in 0..corpus.entries.len() {
            builder.add_links(corpus, &index, item);
        }
        // Untrusted texts last, so that none of them decides the spelling of issues that others name as well.
        for trusted in [true, false] {
            for item in 0..corpus.entries.len() {
                builder.add_fields(corpus, &index, item, trusted);
                builder.add_texts(corpus, &index, item, trusted);
            }
        }
        let ranks = Ranks::new(corpus, &builder);
        let mut candidates = std::mem::take(&mut builder.candidates);
        strongest(&mut candidates, &ranks);
        builder.report_multiple_parents(corpus, &candidates);
        builder.report_too_many_relations(corpus, &candidates);
        builder.report_cycles(corpus, &candidates, &[Relation::Parent], "contain");
        builder.report_cycles(corpus, &candidates, &[Relation::DependsOn, Relation::BlockedBy], "depend on");
        let lists = || corpus.entries.iter().map(|_| Vec::new()).collect();
        let (mut edges, mut claims): (Vec<Vec<Edge>>, Vec<Vec<Edge>>) = (lists(), lists());
        for candidate in &candidates {
            let list = if candidate.is_claim() { &mut claims } else { &mut edges };
            list[candidate.from].push(builder.edge(corpus, candidate));
        }
        let mut unresolved_blockers = BTreeMap::new();
        for (item, _) in &builder.unresolved_blockers {
            *unresolved_blockers.entry(*item).or_insert(0) += 1;
        }
        let mut diagnostics = builder.diagnostics;
        diagnostics.sort();
        diagnostics.dedup();
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
        self.edges(item).chunk_by(|a, b| a.relation == b.relation).flat_map(|edges| edges.iter().take(MOST_SHOWN))
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
        (&edges[start..end], (end - start).min(MOST_LISTED))
    }

    /// Returns the edges that the packs of an item show, each target only under its strongest relation, in the order of [`Graph::edges`].
    ///
    /// The strongest is the parent, followed by dependencies, children, blocked items and related items.
    pub fn neighbours(&self, item: usize) -> Vec<&Edge> {
        let mut chosen: Vec<(usize, &Edge)> = self.shown(item).enumerate().collect();
        chosen.sort_by(|(_, a), (_, b)| {
            key(&a.to).cmp(&key(&b.to)).then_with(|| strength(a.relation).cmp(&strength(b.relation)))
        });
        chosen.dedup_by(|(_, later), (_, first)| key(&later.to) == key(&first.to));
        chosen.sort_by_key(|(position, _)| *position);
        chosen.into_iter().map(|(_, edge)| edge).collect()
    }

    /// Returns the problems of the relations, sorted; each names the items that it concerns.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the state of an item: that of its issue if known, otherwise by its status.
    pub fn state(corpus: &Corpus, item: usize) -> ItemState {
        item_state(corpus, item)
    }
}

fn key(target: &Target) -> (Option<usize>, Option<&str>) {
    match target {
        Target::Item(item) => (Some(*item), None),
        Target::Issue { id, .. } => (None, Some(id)),
    }
}

fn strength(relation: Relation) -> u8 {
    match relation {
        Relation::Parent => 0,
        Relation::DependsOn => 1,
        Relation::BlockedBy => 2,
        Relation::Child => 3,
        Relation::Blocks => 4,
        Relation::Related => 5,
    }
}

#[cfg(test)]
mod tests;
