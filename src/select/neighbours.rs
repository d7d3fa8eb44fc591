//! Sections of the items around the root: neighbours, and items that its text names without a relation.

use super::context::NeighbourBody;
use super::origins::{item_origin, redactions_in_neighbour};
use super::selector::{RootReferences, Selector};
use super::types::{CHILD, DEPENDENCY, PARENT, RELATED, SectionKind};
use super::{Candidate, Evidence, Filler, Rank, SectionBody, SelectionContext};
use crate::config::Group;
use crate::graph::{Edge, Graph, MentionedItem, Target};
use crate::model::{Relation, natural_cmp, states_successor};
use crate::redact::Clean;
use std::collections::BTreeSet;

/// The kinds of neighbours in the order of the pack, each with the strongest relations to the root.
pub(super) const NEIGHBOURS: [(&[Relation], SectionKind); 4] = [
    (&[Relation::Parent], PARENT),
    (&[Relation::Child], CHILD),
    (&[Relation::DependsOn, Relation::BlockedBy], DEPENDENCY),
    (&[Relation::Blocks, Relation::Related], RELATED),
];

const MAX_ITEM_FILLERS: usize = 30;
/// The weight of a section that the root's own text mentions; others have 100.
const MENTIONED_WEIGHT: u32 = 150;

impl Selector<'_> {
    /// Adds sections for the neighbours with these relations, and returns those that may fill the budget.
    pub(super) fn add_neighbours(&mut self, relations: &[Relation], kind: SectionKind) -> Vec<Candidate> {
        let context = self.context;
        let mut edges = context.graph.neighbours(self.root);
        edges.retain(|edge| relations.contains(&edge.relation));
        // A kind may hold two relations, so it is sorted by id.
        edges.sort_by(|a, b| natural_cmp(context.id(a), context.id(b)));
        let mut to_fill = Vec::new();
        for edge in edges {
            let (Some(item), relation) = (item_of(edge), edge.relation) else { continue };
            let is_asked = !matches!(relation, Relation::Blocks | Relation::Related)
                || context.profile.sections_of.contains(&relation);
            if relation == Relation::Blocks && !is_asked {
                continue;
            }
            let entry = &context.corpus.entries[item];
            let evidence = Some(Evidence { source: edge.evidence.source.name(), at: edge.evidence.at.clone() });
            let mut candidate = Candidate { evidence, ..self.neighbour(item, kind, relation) };
            if relation == Relation::Parent {
                let (children, listed) = context.graph.children(item);
                if context.lists_untrusted(&children[..listed]) {
                    candidate.untrusted = true;
                }
                let others = children[..listed].iter().filter(|edge| edge.to != Target::Item(item));
                candidate.removals.extend(context.redactions_in_lines(others));
                children[..listed]
                    .iter()
                    .filter_map(item_of)
                    .for_each(|sibling| self.found.record_item(sibling, false));
            }
            let replaces = self.is_settled_root() && context.is_successor(self.root, edge);
            let weight = if self.is_mentioned(&entry.item.id) { MENTIONED_WEIGHT } else { 100 };
            candidate.rank = Rank { weight, ..if replaces { Rank::of(None) } else { candidate.rank } };
            if !replaces && !is_asked {
                to_fill.push(candidate);
                continue;
            }
            if entry.item.body.in_file {
                self.shown.insert(entry.item.body.origin.path.clone());
            }
            self.found.put(candidate);
        }
        to_fill
    }

    fn neighbour(&mut self, item: usize, kind: SectionKind, relation: Relation) -> Candidate {
        self.found.record_item(item, true);
        let entry = &self.context.corpus.entries[item];
        let state = Graph::state(self.context.corpus, item);
        let is_parent = relation == Relation::Parent;
        let NeighbourBody { passage, pointer, has_result } = self.context.neighbour(item, is_parent);
        let removals = redactions_in_neighbour(entry, passage.full());
        let body = SectionBody::Passage(passage, pointer);
        let candidate = Candidate::new(kind, &entry.item.id, entry.item.title.clone(), item_origin(entry), body);
        Candidate {
            state: Some(Clean::literal(state.name())),
            status: entry.item.status.clone(),
            untrusted: entry.is_untrusted() || entry.has_untrusted_title(),
            by: entry.issue_with_text().map(|issue| issue.by.clone()),
            relation: Some(relation.name()),
            removals,
            // A parent's text has more to say than what came of it: it lists the siblings.
            rank: Rank { settled: state.is_settled(), has_result: has_result && !is_parent, ..candidate.rank },
            ..candidate
        }
    }

    /// Adds what the root's text names as its replacement, and returns other items that it names.
    pub(super) fn add_mentioned(&mut self, references: &RootReferences) -> Vec<Candidate> {
        let context = self.context;
        let (graph, root) = (context.graph, &context.corpus.entries[self.root]);
        let related: BTreeSet<usize> =
            graph.edges(self.root).iter().chain(graph.claims(self.root)).filter_map(item_of).collect();
        let mut to_fill = Vec::new();
        for MentionedItem { item, place, replaces } in &references.mentioned {
            let body = &context.corpus.entries[*item].item.body;
            let path = &body.origin.path;
            let is_document = || references.files.iter().any(|reference| reference.file.path == *path);
            if related.contains(item) || body.in_file && (is_document() || self.shown.contains(path)) {
                continue;
            }
            let evidence = Some(Evidence { source: "body", at: root.shown_at(place) });
            let candidate = self.neighbour(*item, RELATED, Relation::Related);
            let candidate = Candidate { relation: Some("mentioned"), evidence, ..candidate };
            if !(*replaces && self.is_settled_root()) {
                to_fill.push(candidate);
                continue;
            }
            if body.in_file {
                self.shown.insert(path.clone());
            }
            self.found.put(Candidate { rank: Rank::of(None), ..candidate });
        }
        to_fill
    }

    /// Returns whether the root is done, so that what replaces it is what its reader needs instead.
    pub(super) fn is_settled_root(&self) -> bool {
        Graph::state(self.context.corpus, self.root).is_settled()
    }

    fn is_mentioned(&self, id: &str) -> bool {
        let text = self.context.corpus.entries[self.root].body.clean.as_str();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
        memchr::memmem::find_iter(text.as_bytes(), id.as_bytes()).any(|at| {
            let mut rest = text[at + id.len()..].chars();
            // `TASK-1.2` is another item than `TASK-1`; a full stop may follow.
            let longer = match rest.next() {
                Some('.') => rest.next().is_some_and(char::is_alphanumeric),
                next => next.is_some_and(is_part),
            };
            !longer && !text[..at].ends_with(is_part)
        })
    }

    /// Makes `items` fill the budget before comments, those by trusted authors and with work left first. The related sections
    /// begin at the index `related`.
    pub(super) fn fill_with_items(&mut self, references: &RootReferences, related: usize, mut items: Vec<Candidate>) {
        self.found.candidates[related..].sort_by(|a, b| natural_cmp(&a.id, &b.id));
        // A document that the root refers to has a section of its own.
        let is_document = |candidate: &Candidate| {
            let of_file = |path: &Clean| references.files.iter().any(|reference| reference.shown == *path);
            candidate.origin.lines.is_some() && candidate.origin.path.as_ref().is_some_and(of_file)
        };
        items.retain(|candidate| !is_document(candidate) && self.found.ids.insert(candidate.id.clone()));
        if items.is_empty() {
            return;
        }
        let is_done = |candidate: &Candidate| !matches!(candidate.state.as_deref(), Some("open" | "unknown"));
        items.sort_by_key(|candidate| {
            (candidate.untrusted, candidate.relation == Some("mentioned"), is_done(candidate))
        });
        let by_profile = self.context.profile.leave_out.contains(&Group::Related);
        let omission = |(position, candidate): (usize, &Candidate)| {
            candidate.omitted(match position {
                _ if by_profile => "profile",
                _ if self.found.root_only => "policy",
                MAX_ITEM_FILLERS.. => "limit",
                _ => "budget",
            })
        };
        self.fillers.items = items.iter().enumerate().map(omission).collect();
        let fillers = &mut self.fillers;
        let comments = fillers.comments.first().map_or(0, Vec::len);
        if comments == 0 {
            fillers.omitted_at = self.found.omissions.len();
        }
        let end = fillers.omitted_at + comments;
        self.found.omissions.splice(end..end, fillers.items.iter().cloned());
        if by_profile || self.found.root_only {
            return;
        }
        let section = &self.found.candidates[related..];
        let filler = |candidate: Candidate| {
            let at = related + section.partition_point(|other| natural_cmp(&other.id, &candidate.id).is_lt());
            // Items follow comments at the same place, by id.
            Filler { candidate, at, order: usize::MAX }
        };
        fillers.sequence.splice(0..0, items.into_iter().take(MAX_ITEM_FILLERS).map(filler));
    }
}

pub(super) fn item_of(edge: &Edge) -> Option<usize> {
    match edge.to {
        Target::Item(item) => Some(item),
        Target::Issue { .. } => None,
    }
}

impl SelectionContext<'_> {
    /// Returns the files of the items that a root names.
    pub fn mentioned_paths<'a>(&'a self, mentioned: &[MentionedItem]) -> impl Iterator<Item = &'a Clean> {
        mentioned.iter().flat_map(|it| self.corpus.entries[it.item].origins().map(|origin| &origin.shown))
    }

    /// Returns the line of an item's file or text on which something was stated; empty if it is unknown.
    pub(super) fn line_of(&self, item: usize, path: &str, line: u32) -> &str {
        let entry = &self.corpus.entries[item];
        let body = &entry.item.body;
        if path == &*body.origin.shown
            && let Some(line) = entry.body.line_in_text(body, line)
        {
            return nth_line(&entry.body.clean, line);
        }
        let is_head = path == &*entry.item.origin.shown && entry.item.line == 1 && body.in_file;
        if is_head { nth_line(&entry.item.head, line) } else { "" }
    }

    pub(super) fn is_successor(&self, item: usize, edge: &Edge) -> bool {
        if !matches!(edge.to, Target::Item(_)) {
            return false;
        }
        let Some((path, line)) = edge.evidence.at.rsplit_once(':') else { return false };
        line.parse().is_ok_and(|line| states_successor(self.line_of(item, path, line)))
    }
}

pub(super) fn nth_line(text: &str, line: u32) -> &str {
    text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default()
}
