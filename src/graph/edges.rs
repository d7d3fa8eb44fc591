//! Items → edges in both directions, each with its strongest evidence.

use super::index::Index;
use super::stated::Drawing;
use super::strongest::{Ranks, strongest};
use super::{Corpus, Edge, Entry, ItemState, Rules, Target};
use crate::model::{Diagnostic, Relation};

/// The edges of a corpus, and what was found wrong with them.
#[derive(Debug)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
    diagnostics: Vec<Diagnostic>,
    pub(super) index: Index,
}

impl Graph {
    /// Draws every edge that the items state, for both of its ends.
    pub fn draw(corpus: &Corpus) -> Self {
        let mut drawing = Drawing::default();
        let index = Index::of(corpus);
        for item in 0..corpus.entries.len() {
            drawing.links(corpus, &index, item);
        }
        for item in 0..corpus.entries.len() {
            drawing.fields(corpus, &index, item);
            drawing.body(corpus, &index, item);
        }
        let ranks = Ranks::new(corpus, &drawing);
        let mut raws = std::mem::take(&mut drawing.raws);
        strongest(&mut raws, &ranks);
        drawing.parents(corpus, &raws);
        drawing.circles(corpus, &raws, &[Relation::Parent], "contain");
        drawing.circles(corpus, &raws, &[Relation::DependsOn, Relation::BlockedBy], "depend on");
        let mut edges: Vec<Vec<Edge>> = corpus.entries.iter().map(|_| Vec::new()).collect();
        for raw in &raws {
            edges[raw.from].push(drawing.edge(corpus, raw));
        }
        let mut diagnostics = drawing.diagnostics;
        diagnostics.sort();
        diagnostics.dedup();
        Self { edges, diagnostics, index }
    }

    /// The edges of an item, by relation, then by the target's id in natural order.
    ///
    /// A target has one edge of each relation, and one of `depends_on` and `blocked_by`.
    pub fn edges(&self, item: usize) -> &[Edge] {
        self.edges.get(item).map_or(&[], Vec::as_slice)
    }

    /// The edges of an item, each target only under its strongest relation, in the order of [`Graph::edges`].
    ///
    /// Strongest is the parent, then dependencies, children, what it blocks, what it is related to.
    pub fn neighbours(&self, item: usize) -> Vec<&Edge> {
        let mut chosen: Vec<(usize, &Edge)> = self.edges(item).iter().enumerate().collect();
        chosen.sort_by(|(_, a), (_, b)| {
            key(&a.to).cmp(&key(&b.to)).then_with(|| strength(a.relation).cmp(&strength(b.relation)))
        });
        chosen.dedup_by(|(_, later), (_, first)| key(&later.to) == key(&first.to));
        chosen.sort_by_key(|(position, _)| *position);
        chosen.into_iter().map(|(_, edge)| edge).collect()
    }

    /// What is wrong with the relations, sorted; each names the items that it concerns.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether an item is done: by its issue, else by its status.
    pub fn state(corpus: &Corpus, item: usize) -> ItemState {
        let Some(entry) = corpus.entries.get(item) else { return ItemState::Unknown };
        match entry.issue.as_ref().map_or(ItemState::Unknown, |issue| issue.state) {
            ItemState::Unknown => stated_state(entry, &corpus.rules),
            state => state,
        }
    }
}

/// Whether an item is done by what its file says.
pub(super) fn stated_state(entry: &Entry, rules: &Rules) -> ItemState {
    let status = entry.item.status.as_ref().filter(|_| entry.item.origin.url.is_none());
    let Some(status) = status.map(|status| status.trim().to_lowercase()).filter(|s| !s.is_empty()) else {
        return ItemState::Unknown;
    };
    if rules.done.contains(&status) {
        return ItemState::Done;
    }
    let plain: String = status.chars().filter(|c| c.is_alphanumeric()).collect();
    match plain.as_str() {
        "wontfix" | "notplanned" | "cancelled" | "canceled" | "rejected" | "withdrawn" | "duplicate" | "tombstone" => {
            ItemState::NotPlanned
        }
        _ => ItemState::Open,
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
