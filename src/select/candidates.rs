//! What one root's pack could hold, in the order of the pack.

use super::edge_list::Claims;
use super::library::{Document, SelectionContext, is_inactive};
use super::origins::{item_origin, removals};
use super::removed;
use super::{
    Candidate, EdgeRow, Evidence, Input, Notice, Omission, OriginKind, Role, SectionBody, Selection, TextOrigin, Trust,
};
use crate::config::Group;
use crate::graph::{Edge, Entry, FileKind, FileRef, MissingReference, Target};
use crate::model::{Relation, RepoPath, natural_cmp};
use crate::redact::{Clean, CleanBuf};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// A file that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedFile {
    /// The reference.
    pub file: FileRef,
    /// The referring item: index into the corpus.
    pub by: usize,
    /// The file's path as packs show it.
    pub shown: Clean,
    /// The document, or the contract's reason why it cannot be had.
    pub document: Result<Arc<Document>, &'static str>,
    /// Whether anyone could have put it there, see [`Untracked`](crate::model::Untracked).
    pub untrusted: bool,
}

/// What select needs to know of a root besides the library.
#[derive(Debug, Clone, Default)]
pub struct RootReferences {
    /// Files, each once, ADRs first, by path.
    pub files: Vec<ReferencedFile>,
    /// References that cannot be taken.
    pub missing: Vec<MissingReference>,
    /// Warnings that concern the root, its neighbours and references.
    pub warnings: Vec<Notice>,
    /// The root's issue on GitHub.
    pub url: Option<Clean>,
}

/// Selects what the pack of `root` could hold.
pub fn select(library: &SelectionContext<'_>, root: usize, references: RootReferences) -> Selection {
    let entry = &library.corpus.entries[root];
    let mut shelf = SelectionBuilder {
        library,
        root,
        candidates: Vec::new(),
        ids: BTreeSet::new(),
        shown: BTreeSet::new(),
        omissions: Vec::new(),
        inputs: BTreeMap::new(),
    };
    shelf.root(entry);
    for relation in [Relation::Parent, Relation::Child] {
        shelf.neighbours(&[relation]);
    }
    shelf.neighbours(&[Relation::DependsOn, Relation::BlockedBy]);
    shelf.neighbours(&[Relation::Blocks, Relation::Related]);
    for taken in &references.files {
        shelf.file(taken);
    }
    for missing in &references.missing {
        shelf.missing(missing);
    }
    shelf.finish(entry, references)
}

/// How many claims a pack shows; the others are counted.
pub(super) const MOST_CLAIMS: usize = 10;

/// The group that a candidate is in, with whether it gives way before its equals; the draft is stronger than all groups.
pub(super) type Rank = (Option<Group>, bool);

pub(super) struct SelectionBuilder<'a> {
    pub(super) library: &'a SelectionContext<'a>,
    pub(super) root: usize,
    pub(super) candidates: Vec<(Candidate, Option<Rank>)>,
    /// Ids of neighbours, files and what is missing: each is there once.
    ids: BTreeSet<Clean>,
    /// Files that neighbours with a section are made of.
    shown: BTreeSet<RepoPath>,
    pub(super) omissions: Vec<Omission>,
    /// By what sorts them: kind, natural key, path.
    pub(super) inputs: BTreeMap<(u8, String, String), Input>,
}

impl SelectionBuilder<'_> {
    pub(super) fn rows(&mut self) -> Vec<EdgeRow> {
        let rows = self.library.graph.shown(self.root).map(|edge| EdgeRow {
            title: self.library.title(edge).unwrap_or_else(|| self.library.id(edge)).clone(),
            title_trust: Trust::of(self.library.lists_untrusted([edge])),
            ..self.row(edge)
        });
        let rows = rows.collect();
        for edge in self.library.graph.shown(self.root) {
            if let Target::Item(item) = edge.to {
                self.read_item(item, false);
            }
        }
        rows
    }

    /// What only untrusted texts state of the root. They are no inputs: nothing that strangers add changes those.
    pub(super) fn claims(&self) -> Claims {
        let count = self.library.graph.claims(self.root).len();
        Claims { rows: self.shown_claims().map(|edge| self.row(edge)).collect(), count }
    }

    /// Those of them that a pack shows.
    pub(super) fn shown_claims(&self) -> impl Iterator<Item = &Edge> {
        self.library.graph.claims(self.root).iter().take(MOST_CLAIMS)
    }

    /// A row of the edge list with the other's id for its title.
    fn row(&self, edge: &Edge) -> EdgeRow {
        EdgeRow {
            to: self.library.id(edge).clone(),
            relation: edge.relation.name(),
            title: self.library.id(edge).clone(),
            title_trust: Trust::Trusted,
            state: self.library.state(edge),
            resolved: matches!(edge.to, Target::Item(_)),
            sync: self.library.sync(edge),
            evidence: evidence(edge),
        }
    }

    /// Sections of the neighbours that stand to the root in one of `relations` and in no stronger one.
    fn neighbours(&mut self, relations: &[Relation]) {
        let asked = &self.library.profile.sections_of;
        let mut edges = self.library.graph.neighbours(self.root);
        edges.retain(|edge| relations.contains(&edge.relation));
        // One group of a pack may hold two relations: its order is that of the ids.
        edges.sort_by(|a, b| natural_cmp(self.library.id(a), self.library.id(b)));
        for edge in edges {
            let (Target::Item(item), relation) = (&edge.to, edge.relation) else { continue };
            let (prefix, provenance, group) = match relation {
                Relation::Parent => ("parent.", "parent", Group::Parent),
                Relation::Child => ("child.", "child", Group::Children),
                Relation::DependsOn | Relation::BlockedBy => ("dependency.", "dependency", Group::Dependencies),
                Relation::Blocks | Relation::Related if asked.contains(&relation) => {
                    ("related.", "graph", Group::Related)
                }
                Relation::Blocks | Relation::Related => continue,
            };
            let entry = &self.library.corpus.entries[*item];
            let origin = item_origin(entry);
            let state = self.library.state(edge);
            let mut id = CleanBuf::new();
            id.lit(prefix).text(&entry.item.id);
            let mut removed = removed::from_text_and_names(entry);
            let mut untrusted = entry.is_untrusted() || entry.has_untrusted_title();
            if relation == Relation::Parent {
                let (children, listed) = self.library.graph.children(*item);
                untrusted |= self.library.lists_untrusted(&children[..listed]);
                let others = children[..listed].iter().filter(|edge| edge.to != Target::Item(*item));
                removed.extend(self.removals_from_lines(others));
            }
            let candidate = Candidate {
                id: id.finish(),
                kind: "issue",
                title: entry.item.title.clone(),
                origin,
                provenance,
                role: Role::Rank(0),
                body: if relation == Relation::Parent { self.library.parent(*item) } else { self.library.item(*item) },
                state: Some(Clean::literal(state)),
                status: entry.item.status.clone(),
                trust: Trust::of(untrusted),
                by: entry.issue_with_text().map(|issue| issue.by.clone()),
                relation: Some(relation.name()),
                evidence: Some(evidence(edge)),
                removals: removed,
            };
            if entry.item.body.in_file {
                self.shown.insert(entry.item.body.origin.path.clone());
            }
            self.read_item(*item, true);
            if relation == Relation::Parent {
                self.read_siblings(*item);
            }
            self.put(candidate, (Some(group), state != "open" && state != "unknown"));
        }
    }

    fn read_siblings(&mut self, parent: usize) {
        let (children, listed) = self.library.graph.children(parent);
        items_of(&children[..listed]).into_iter().for_each(|child| self.read_item(child, false));
    }

    /// Whether a neighbour whose file this is has a section already: an item is in a pack once.
    fn is_there(&self, path: &RepoPath) -> bool {
        self.shown.contains(path)
    }

    fn file(&mut self, taken: &ReferencedFile) {
        if self.is_there(&taken.file.path) {
            return;
        }
        let adr = taken.file.kind == FileKind::Adr;
        let (prefix, provenance, kind) =
            if adr { ("adr.", "adr_ref", "adr_excerpt") } else { ("file.", "doc_ref", "file_excerpt") };
        let mut id = CleanBuf::new();
        id.lit(prefix).text(&taken.shown);
        let source = TextOrigin { path: Some(taken.shown.clone()), ..TextOrigin::new(OriginKind::File) };
        let document = match &taken.document {
            Ok(document) => document,
            Err(reason) => {
                let omission = Omission {
                    id: id.finish(),
                    title: taken.shown.clone(),
                    origin: source,
                    provenance,
                    reason,
                    // It names a file of the repo.
                    trust: Trust::Trusted,
                    chars: None,
                };
                if self.ids.insert(omission.id.clone()) {
                    self.omissions.push(omission);
                }
                return;
            }
        };
        self.input(Input { origin: source, digest: Some(document.digest) });
        // A heading that is not there has its warning; the whole document is better than nothing.
        let anchor = taken.file.anchor.as_deref();
        let Some((title, origin, body)) = self
            .library
            .file(document, taken.file.kind, anchor)
            .or_else(|| self.library.file(document, taken.file.kind, None))
        else {
            return;
        };
        if let Some(anchor) = &origin.anchor {
            id.lit("#").text(anchor);
        }
        let inactive = document.status.as_ref().is_some_and(|status| is_inactive(status));
        let first_line = origin.lines.map_or(1, |lines| lines[0]);
        let last_line = origin.lines.map_or(u64::MAX, |lines| lines[1]);
        let removals = removals(&document.removals, |removal| removal.in_body, &origin)
            .into_iter()
            .filter(|removal| (first_line..=last_line).contains(&removal.line))
            .collect();
        let at = self.library.corpus.entries[taken.by].shown_at(&taken.file.at);
        let candidate = Candidate {
            id: id.finish(),
            kind,
            title,
            origin,
            provenance,
            role: Role::Rank(0),
            body,
            state: None,
            status: document.status.clone().filter(|_| adr),
            trust: Trust::of(taken.untrusted),
            by: None,
            relation: None,
            evidence: Some(Evidence { source: "reference", at }),
            removals,
        };
        self.put(candidate, (Some(if adr { Group::Adrs } else { Group::Documents }), inactive));
    }

    fn missing(&mut self, missing: &MissingReference) {
        let (prefix, provenance) = match missing.kind {
            FileKind::Adr => ("adr.", "adr_ref"),
            FileKind::Document => ("file.", "doc_ref"),
        };
        let mut id = CleanBuf::new();
        id.lit(prefix).line(&missing.written);
        let origin = TextOrigin { path: Some(missing.written.clone()), ..TextOrigin::new(OriginKind::File) };
        let omission = Omission {
            id: id.finish(),
            title: missing.written.clone(),
            origin,
            provenance,
            reason: missing.reason,
            trust: Trust::of(missing.untrusted),
            chars: None,
        };
        if self.ids.insert(omission.id.clone()) {
            self.omissions.push(omission);
        }
    }

    pub(super) fn put(&mut self, candidate: Candidate, standing: Rank) {
        if !self.ids.insert(candidate.id.clone()) {
            return;
        }
        if standing.0.is_some_and(|group| self.library.profile.leave_out.contains(&group)) {
            let chars = match &candidate.body {
                SectionBody::Passage(passage, _) => Some(passage.full_chars()),
                _ => None,
            };
            let Candidate { id, title, origin, provenance, trust, .. } = candidate;
            self.omissions.push(Omission { id, title, origin, provenance, reason: "profile", trust, chars });
            return;
        }
        self.candidates.push((candidate, Some(standing)));
    }

    fn finish(mut self, entry: &Entry, references: RootReferences) -> Selection {
        for input in self.library.inputs.clone() {
            self.input(input);
        }
        let mut inputs: Vec<_> = self.inputs.into_iter().collect();
        inputs.sort_by(|(a, _), (b, _)| {
            (a.0.cmp(&b.0)).then_with(|| natural_cmp(&a.1, &b.1)).then_with(|| a.2.cmp(&b.2))
        });
        let ranks = ranks(&self.candidates, &self.library.profile.priority);
        let candidates = self
            .candidates
            .into_iter()
            .zip(ranks)
            .map(|((candidate, _), rank)| Candidate { role: rank.map_or(candidate.role, Role::Rank), ..candidate })
            .collect();
        let guidance = &self.library.instructions;
        let instructions = Candidate {
            id: Clean::literal("instructions"),
            kind: "instructions",
            title: Clean::literal("Instructions"),
            origin: guidance.origin.clone(),
            provenance: "profile",
            role: Role::Root,
            body: SectionBody::Whole(guidance.text.clone()),
            state: None,
            status: None,
            trust: Trust::Trusted,
            by: None,
            relation: None,
            evidence: None,
            removals: removals(&guidance.removals, |_| true, &guidance.origin),
        };
        Selection {
            profile: self.library.profile.name.clone(),
            root_id: entry.item.id.clone(),
            root_name: entry.name(&self.library.corpus.rules),
            root_is_item: entry.bare_issue().is_none(),
            root_url: references.url,
            root_title: entry.item.title.clone(),
            instructions,
            candidates,
            inputs: inputs.into_iter().map(|(_, input)| input).collect(),
            omissions: self.omissions,
            warnings: references.warnings,
        }
    }
}

/// Who leaves when: groups from weakest to strongest; within one, what is done or inactive first, then the last in
/// order, but of comments the oldest.
fn ranks(candidates: &[(Candidate, Option<Rank>)], priority: &[Group]) -> Vec<Option<u32>> {
    let mut order: Vec<(usize, bool, usize, usize)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(index, (_, standing))| {
            let (group, weak) = (*standing)?;
            let strength = group
                .map_or(0, |group| 1 + priority.iter().position(|known| *known == group).unwrap_or(priority.len()));
            let late = if group == Some(Group::Comments) { candidates.len() - index } else { index };
            Some((strength, weak, late, index))
        })
        .collect();
    order.sort_by(|a, b| b.cmp(a));
    let mut ranks = vec![None; candidates.len()];
    for (rank, (.., index)) in (0u32..).zip(order) {
        ranks[index] = Some(rank);
    }
    ranks
}

/// The items that edges lead to, each once.
fn items_of<'e>(edges: impl IntoIterator<Item = &'e Edge>) -> Vec<usize> {
    let mut seen = HashSet::new();
    let items = edges.into_iter().filter_map(|edge| match edge.to {
        Target::Item(item) => Some(item),
        Target::Issue { .. } => None,
    });
    items.filter(|item| seen.insert(*item)).collect()
}

fn evidence(edge: &Edge) -> Evidence {
    Evidence { source: edge.evidence.source.name(), at: edge.evidence.at.clone() }
}
