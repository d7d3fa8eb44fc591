//! Items → edges in both directions, each with its strongest evidence.

use super::builder::GraphBuilder;
use super::index::NameIndex;
use super::strongest::{Ranks, strongest};
use super::{Corpus, Edge, Entry, GraphRules, ItemState, Target};
use crate::model::{Diagnostic, Relation};

/// How many edges of one relation a pack shows.
///
/// A pack is read by people and by models: thousands of neighbours say no more than that there are thousands.
pub(super) const MOST_SHOWN: usize = 250;

/// How many children of a parent the list of an item's siblings shows. Each of them has that list in its packs.
const MOST_LISTED: usize = 100;

/// The edges of a corpus, and what was found wrong with them.
#[derive(Debug)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
    claims: Vec<Vec<Edge>>,
    diagnostics: Vec<Diagnostic>,
    pub(super) index: NameIndex,
}

impl Graph {
    /// Draws every edge that the items state, for both of its ends.
    ///
    /// What only an untrusted text states is an edge of that text's item, and a claim about the other one.
    pub fn draw(corpus: &Corpus) -> Self {
        let mut drawing = GraphBuilder::default();
        let index = NameIndex::of(corpus);
        for item in 0..corpus.entries.len() {
            drawing.links(corpus, &index, item);
        }
        for item in 0..corpus.entries.len() {
            drawing.fields(corpus, &index, item);
            drawing.body(corpus, &index, item, true);
        }
        // Last, so that nothing depends on how an untrusted text spells what others name as well.
        for item in 0..corpus.entries.len() {
            drawing.body(corpus, &index, item, false);
        }
        let ranks = Ranks::new(corpus, &drawing);
        let mut raws = std::mem::take(&mut drawing.raws);
        strongest(&mut raws, &ranks);
        drawing.parents(corpus, &raws);
        drawing.crowds(corpus, &raws);
        drawing.circles(corpus, &raws, &[Relation::Parent], "contain");
        drawing.circles(corpus, &raws, &[Relation::DependsOn, Relation::BlockedBy], "depend on");
        let lists = || corpus.entries.iter().map(|_| Vec::new()).collect();
        let (mut edges, mut claims): (Vec<Vec<Edge>>, Vec<Vec<Edge>>) = (lists(), lists());
        for raw in &raws {
            let list = if raw.is_claim() { &mut claims } else { &mut edges };
            list[raw.from].push(drawing.edge(corpus, raw));
        }
        let mut diagnostics = drawing.diagnostics;
        diagnostics.sort();
        diagnostics.dedup();
        Self { edges, claims, diagnostics, index }
    }

    /// The edges of an item, by relation, then by the target's id in natural order.
    ///
    /// A target has one edge of each relation, and one of `depends_on` and `blocked_by`.
    pub fn edges(&self, item: usize) -> &[Edge] {
        self.edges.get(item).map_or(&[], Vec::as_slice)
    }

    /// What only authors who are not trusted state of an item, in the texts of others: no edges, in the same order.
    pub fn claims(&self, item: usize) -> &[Edge] {
        self.claims.get(item).map_or(&[], Vec::as_slice)
    }

    /// The edges of an item that its packs show, in the order of [`Graph::edges`]: the first 250 of each
    /// relation.
    pub fn shown(&self, item: usize) -> impl Iterator<Item = &Edge> + Clone {
        self.edges(item).chunk_by(|a, b| a.relation == b.relation).flat_map(|edges| edges.iter().take(MOST_SHOWN))
    }

    /// How many edges of an item its packs do not show.
    pub fn hidden(&self, item: usize) -> usize {
        self.edges(item).len() - self.shown(item).count()
    }

    /// The children of an item, and how many of them a list of them shows.
    pub fn children(&self, item: usize) -> (&[Edge], usize) {
        let edges = self.edges(item);
        let start = edges.partition_point(|edge| edge.relation < Relation::Child);
        let end = edges.partition_point(|edge| edge.relation <= Relation::Child);
        (&edges[start..end], (end - start).min(MOST_LISTED))
    }

    /// The edges that the packs of an item show, each target only under its strongest relation, in the order of [`Graph::edges`].
    ///
    /// Strongest is the parent, then dependencies, children, what it blocks, what it is related to.
    pub fn neighbours(&self, item: usize) -> Vec<&Edge> {
        let mut chosen: Vec<(usize, &Edge)> = self.shown(item).enumerate().collect();
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
pub(super) fn stated_state(entry: &Entry, rules: &GraphRules) -> ItemState {
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
