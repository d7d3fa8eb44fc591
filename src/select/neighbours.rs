//! Sections of the items around the root: neighbours, and items that its text mentions.

use super::candidates::{Rank, RootReferences, SelectionBuilder, evidence};
use super::context::NeighbourBody;
use super::mentioned::MentionedItem;
use super::origins::item_origin;
use super::removals;
use super::{Candidate, Evidence, Filler, Fillers, Omission, SectionBody, Trust};
use crate::config::Group;
use crate::graph::{Edge, Graph, ShownPlace, Target};
use crate::model::{Relation, natural_cmp};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;

/// The most related and mentioned items that may fill a budget.
const MOST_ITEMS_TO_FILL: usize = 30;

/// The weight of a candidate that the root's own text mentions; others have 100.
const MENTIONED_WEIGHT: u32 = 150;

impl SelectionBuilder<'_> {
    /// Adds sections for the neighbours whose strongest relation to the root is one of `relations`.
    pub(super) fn neighbours(&mut self, relations: &[Relation]) {
        let asked = &self.context.profile.sections_of;
        let mut edges = self.context.graph.neighbours(self.root);
        edges.retain(|edge| relations.contains(&edge.relation));
        // A group may hold two relations, so it is sorted by id.
        edges.sort_by(|a, b| natural_cmp(self.context.id(a), self.context.id(b)));
        for edge in edges {
            let (Target::Item(item), relation) = (&edge.to, edge.relation) else { continue };
            let replaces = self.is_settled_root() && self.context.is_successor(self.root, edge);
            let (prefix, provenance, group) = match relation {
                Relation::Parent => ("parent.", "parent", Some(Group::Parent)),
                Relation::Child => ("child.", "child", Some(Group::Children)),
                Relation::DependsOn | Relation::BlockedBy => ("dependency.", "dependency", Some(Group::Dependencies)),
                Relation::Blocks | Relation::Related if asked.contains(&relation) => {
                    ("related.", "graph", Some(Group::Related))
                }
                Relation::Related => ("related.", "graph", None),
                Relation::Blocks => continue,
            };
            let entry = &self.context.corpus.entries[*item];
            let (mut candidate, has_result) = self.neighbour(*item, prefix, provenance, relation, evidence(edge));
            if relation == Relation::Parent {
                let (children, listed) = self.context.graph.children(*item);
                if self.context.lists_untrusted(&children[..listed]) {
                    candidate.trust = Trust::Untrusted;
                }
                let others = children[..listed].iter().filter(|edge| edge.to != Target::Item(*item));
                candidate.removals.extend(self.context.removals_from_lines(others));
                children[..listed].iter().filter_map(item_of).for_each(|sibling| self.record_item(sibling, false));
            }
            let settled = Graph::state(self.context.corpus, *item).is_settled();
            let weight = if self.is_mentioned(&entry.item.id) { MENTIONED_WEIGHT } else { 100 };
            // A parent's text has more to say than what came of it: it lists the siblings.
            let has_result = has_result && relation != Relation::Parent;
            if entry.item.body.in_file && (replaces || group.is_some()) {
                self.shown.insert(entry.item.body.origin.path.clone());
            }
            match group {
                // What replaces the root is what its reader needs instead.
                _ if replaces => self.put(candidate, Rank { weight, ..Rank::of(None) }),
                Some(_) => self.put(candidate, Rank { settled, weight, has_result, ..Rank::of(group) }),
                None => self.items_to_fill.push(candidate),
            }
        }
    }

    /// Returns the section of a neighbour, and whether its pointer says what came of it.
    fn neighbour(
        &mut self,
        item: usize,
        prefix: &'static str,
        provenance: &'static str,
        relation: Relation,
        evidence: Evidence,
    ) -> (Candidate, bool) {
        let entry = &self.context.corpus.entries[item];
        let NeighbourBody { body, has_result } =
            if relation == Relation::Parent { self.context.parent(item) } else { self.context.item(item) };
        let removals = match &body {
            SectionBody::Passage(passage, _) => removals::from_neighbour(entry, passage.full()),
            _ => removals::from_text_and_names(entry),
        };
        let id = CleanBuf::new().lit(prefix).text(&entry.item.id).finish();
        let candidate = Candidate {
            state: Some(Clean::literal(Graph::state(self.context.corpus, item).name())),
            status: entry.item.status.clone(),
            trust: Trust::of(entry.is_untrusted() || entry.has_untrusted_title()),
            by: entry.issue_with_text().map(|issue| issue.by.clone()),
            relation: Some(relation.name()),
            evidence: Some(evidence),
            removals,
            ..Candidate::new(id, "issue", entry.item.title.clone(), item_origin(entry), provenance, body)
        };
        self.record_item(item, true);
        (candidate, has_result)
    }

    /// Adds the items that the root's text names without a relation: what replaces the root, and what may fill the budget.
    pub(super) fn mentioned(&mut self, references: &RootReferences) {
        let graph = self.context.graph;
        let related: BTreeSet<usize> =
            graph.edges(self.root).iter().chain(graph.claims(self.root)).filter_map(item_of).collect();
        for MentionedItem { item, line, replaces } in self.context.mentioned(self.root).to_vec() {
            let root = &self.context.corpus.entries[self.root];
            let path = &self.context.corpus.entries[item].item.body.origin.path;
            let is_document = || references.files.iter().any(|reference| reference.file.path == *path);
            let is_file = self.context.corpus.entries[item].item.body.in_file;
            if related.contains(&item) || is_file && (is_document() || self.shown.contains(path)) {
                continue;
            }
            let place = ShownPlace {
                path: root.item.body.origin.path.clone(),
                line: root.body.line_in_file(&root.item.body, line),
            };
            let evidence = Evidence { source: "body", at: root.shown_at(&place) };
            let (candidate, _) = self.neighbour(item, "related.", "graph", Relation::Related, evidence);
            let candidate = Candidate { relation: Some("mentioned"), ..candidate };
            if replaces && self.is_settled_root() {
                if is_file {
                    self.shown.insert(path.clone());
                }
                self.put(candidate, Rank::of(None));
            } else {
                self.items_to_fill.push(candidate);
            }
        }
    }

    pub(super) fn is_settled_root(&self) -> bool {
        Graph::state(self.context.corpus, self.root).is_settled()
    }

    /// Makes the related and mentioned items that the profile does not ask for fill the budget, those with work left first.
    /// The related sections begin at the index `related`.
    pub(super) fn fill_with_items(&mut self, references: &RootReferences, related: usize) {
        self.candidates[related..].sort_by(|(a, _), (b, _)| natural_cmp(&a.id, &b.id));
        let mut items = std::mem::take(&mut self.items_to_fill);
        // A document that the root refers to has a section of its own.
        let is_document = |candidate: &Candidate| {
            let of_file = |path: &Clean| references.files.iter().any(|reference| reference.shown == *path);
            candidate.origin.lines.is_some() && candidate.origin.path.as_ref().is_some_and(of_file)
        };
        items.retain(|candidate| !is_document(candidate) && self.ids.insert(candidate.id.clone()));
        if items.is_empty() {
            return;
        }
        let is_done = |candidate: &Candidate| !matches!(candidate.state.as_deref(), Some("open" | "unknown"));
        items.sort_by_key(|candidate| (candidate.relation == Some("mentioned"), is_done(candidate)));
        let by_profile = self.context.profile.leave_out.contains(&Group::Related);
        let left_out = by_profile || self.root_only;
        let omission = |(position, candidate): (usize, &Candidate)| {
            candidate.omitted(match position {
                _ if by_profile => "profile",
                _ if left_out => "policy",
                MOST_ITEMS_TO_FILL.. => "limit",
                _ => "budget",
            })
        };
        let omissions: Vec<Omission> = items.iter().enumerate().map(omission).collect();
        let Fillers { sequence, replaced } = &mut self.fillers;
        if replaced.start == replaced.end {
            *replaced = self.omissions.len()..self.omissions.len();
        }
        let comments = sequence.last().map_or(self.omissions[replaced.clone()].to_vec(), |last| last.omissions.clone());
        sequence.iter_mut().for_each(|filler| filler.omissions.extend_from_slice(&omissions));
        self.omissions.splice(replaced.end..replaced.end, omissions.iter().cloned());
        replaced.end += omissions.len();
        if left_out {
            return;
        }
        let mut ids: Vec<Clean> = items.iter().map(|candidate| candidate.id.clone()).collect();
        ids.sort_by(|a, b| natural_cmp(a, b));
        let section = &self.candidates[related..];
        for (position, candidate) in items.into_iter().take(MOST_ITEMS_TO_FILL).enumerate() {
            let rest = comments.iter().chain(&omissions[position + 1..]).cloned().collect();
            let before = |(other, _): &(Candidate, Option<Rank>)| natural_cmp(&other.id, &candidate.id).is_lt();
            let at = related + section.partition_point(before);
            let order = ids.iter().position(|id| *id == candidate.id).unwrap_or_default();
            sequence.push(Filler { candidate, at, order, omissions: rest });
        }
    }
}

fn item_of(edge: &Edge) -> Option<usize> {
    match edge.to {
        Target::Item(item) => Some(item),
        Target::Issue { .. } => None,
    }
}
