//! Selection of the sections that one root's pack could hold, in the order of the pack.

use super::code::ReferencedCode;
use super::comments::Filler;
use super::context::{Document, NeighbourBody, SelectionContext, is_inactive};
use super::edge_list::Claims;
use super::kept_code::ReferencedLines;
use super::knowledge::KnowledgeSections;
use super::mentioned::{MentionedItem, names_successor};
use super::origins::item_origin;
use super::removals;
use super::{
    Candidate, EdgeRow, Evidence, Fillers, Input, Notice, Omission, OriginKind, Role, SectionBody, Selection,
    TextOrigin, TrimRank, Trust,
};
use crate::config::{Group, Policy};
use crate::graph::{Edge, FileKind, FileRef, Graph, ItemState, MissingReference, ShownPlace, Target};
use crate::model::{Relation, RepoPath, natural_cmp};
use crate::redact::{Clean, CleanBuf};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// A file that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedFile {
    /// The reference.
    pub file: FileRef,
    /// The referring item: an index into the corpus.
    pub by: usize,
    /// The file's redacted path.
    pub shown: Clean,
    /// The document, or the reason of its omission (`docs/format.md`).
    pub document: Result<Arc<Document>, &'static str>,
    /// Whether an untrusted author could have put the file there, see [`Untracked`](crate::model::Untracked).
    pub untrusted: bool,
}

/// What a root refers to besides other items.
#[derive(Debug, Clone, Default)]
pub struct RootReferences {
    /// The referenced files, each once: ADRs first, then by path.
    pub files: Vec<ReferencedFile>,
    /// The referenced code files, each once, by path.
    pub code: Vec<ReferencedCode>,
    /// The lines at commits that the snapshot keeps, each once, by path.
    pub kept: Vec<ReferencedLines>,
    /// The documents with secrets that are referred to, whose texts no pack holds.
    pub secrets: Vec<RepoPath>,
    /// The references that lead to no file that a pack may hold.
    pub missing: Vec<MissingReference>,
    /// Warnings that concern the root, its neighbours and references.
    pub warnings: Vec<Notice>,
    /// The URL of the root's issue on GitHub.
    pub url: Option<Clean>,
}

/// Selects the sections that the pack of `root` could hold.
///
/// `knowledge` is what it holds besides.
pub fn select(
    context: &SelectionContext<'_>,
    root: usize,
    references: RootReferences,
    knowledge: KnowledgeSections,
) -> Selection {
    let entry = &context.corpus.entries[root];
    let mut builder = SelectionBuilder::new(context, root, knowledge.policy == Some(Policy::Minimal));
    builder.place_all(knowledge.first.clone());
    builder.root(entry);
    for relation in [Relation::Parent, Relation::Child] {
        builder.neighbours(&[relation]);
    }
    builder.neighbours(&[Relation::DependsOn, Relation::BlockedBy]);
    let related = builder.candidates.len();
    builder.neighbours(&[Relation::Blocks, Relation::Related]);
    builder.mentioned(&references);
    builder.fill_with_items(&references, related);
    for reference in &references.files {
        builder.file(reference);
    }
    for reference in &references.code {
        builder.code(reference);
    }
    for reference in &references.kept {
        builder.kept_code(reference);
    }
    for missing in &references.missing {
        builder.missing(missing);
    }
    let identity = RootIdentity {
        id: entry.item.id.clone(),
        name: entry.name(&context.corpus.rules),
        is_item: entry.bare_issue().is_none(),
        title: entry.item.title.clone(),
    };
    builder.finish(identity, references, knowledge)
}

/// Selects the sections that an agent's pack without a root could hold: the start of a session, or a job.
///
/// `name` is the one from which the slug of the pack is made.
pub fn select_session(context: &SelectionContext<'_>, name: String, knowledge: KnowledgeSections) -> Selection {
    let mut builder = SelectionBuilder::new(context, usize::MAX, false);
    builder.place_all(knowledge.first.clone());
    let agent = knowledge.agent.clone();
    let (id, title) = agent.map(|agent| (agent.key, agent.name)).unwrap_or_default();
    builder.finish(RootIdentity { id, name, is_item: true, title }, RootReferences::default(), knowledge)
}

/// What a pack says of its root.
struct RootIdentity {
    id: Clean,
    name: String,
    is_item: bool,
    title: Clean,
}

/// The most related and mentioned items that may fill a budget.
const MOST_ITEMS_TO_FILL: usize = 30;

/// The most claims that a pack lists; the others are counted.
pub(super) const MAX_LISTED_CLAIMS: usize = 10;

/// A candidate's place in the order of trimming, before all candidates are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank {
    /// `None` ranks above all groups: the root's draft.
    pub(super) group: Option<Group>,
    /// Whether it is trimmed before the others of the group: what is done or inactive.
    pub(super) settled: bool,
    /// Whether it is trimmed after the others of the group: what the root states its requirements by.
    pub(super) needed: bool,
    /// Its share of the room compared with that of its equals, in percent.
    pub(super) weight: u32,
    /// Whether only neighbours of the root name it.
    pub(super) second_hop: bool,
    /// Whether its pointer says what came of it.
    pub(super) has_result: bool,
}

/// The weight of a candidate that the root's own text mentions; others have 100.
const MENTIONED_WEIGHT: u32 = 150;

impl Rank {
    /// Creates the rank of an ordinary candidate of a group.
    pub(super) fn of(group: Option<Group>) -> Self {
        Self { group, settled: false, needed: false, weight: 100, second_hop: false, has_result: false }
    }

    /// Returns the place within the group, the weakest last.
    fn tier(self) -> u8 {
        match (self.second_hop, self.settled, self.needed) {
            (false, false, true) => 0,
            (false, false, false) => 1,
            (false, true, _) => 2,
            (true, _, _) => 3,
        }
    }
}

pub(super) struct SelectionBuilder<'a> {
    pub(super) context: &'a SelectionContext<'a>,
    pub(super) root: usize,
    /// The root's text in lower case, made when first needed.
    pub(super) lower_root_text: OnceCell<String>,
    pub(super) candidates: Vec<(Candidate, Option<Rank>)>,
    /// The ids of neighbours, files and missing references, so that each is added once.
    ids: BTreeSet<Clean>,
    /// The files of the neighbours that have a section.
    shown: BTreeSet<RepoPath>,
    pub(super) omissions: Vec<Omission>,
    pub(super) fillers: Fillers,
    /// The related and mentioned items that may fill the budget.
    items_to_fill: Vec<Candidate>,
    /// The inputs by their sort key: kind, natural key, path.
    pub(super) inputs: BTreeMap<(u8, String, String), Input>,
    /// Whether the policy leaves out everything but the root's own sections.
    root_only: bool,
}

impl<'a> SelectionBuilder<'a> {
    fn new(context: &'a SelectionContext<'a>, root: usize, root_only: bool) -> Self {
        Self {
            context,
            root,
            lower_root_text: OnceCell::new(),
            candidates: Vec::new(),
            ids: BTreeSet::new(),
            shown: BTreeSet::new(),
            omissions: Vec::new(),
            fillers: Fillers::default(),
            items_to_fill: Vec::new(),
            inputs: BTreeMap::new(),
            root_only,
        }
    }
}

impl SelectionBuilder<'_> {
    /// Returns the root's edges as rows, and records their targets as inputs.
    pub(super) fn rows(&mut self) -> Vec<EdgeRow> {
        let rows = self.context.graph.shown(self.root).map(|edge| EdgeRow {
            title: self.context.title(edge).unwrap_or_else(|| self.context.id(edge)).clone(),
            title_trust: Trust::of(self.context.lists_untrusted([edge])),
            ..self.row(edge)
        });
        let rows = rows.collect();
        for edge in self.context.graph.shown(self.root) {
            if let Target::Item(item) = edge.to {
                self.record_item(item, false);
            }
        }
        rows
    }

    /// Returns the relations of the root that only untrusted texts state.
    ///
    /// They are not inputs of the pack, so that an untrusted author cannot change its inputs.
    pub(super) fn claims(&self) -> Claims {
        let count = self.context.graph.claims(self.root).len();
        Claims { rows: self.shown_claims().map(|edge| self.row(edge)).collect(), count }
    }

    /// Returns the claims that a pack shows.
    pub(super) fn shown_claims(&self) -> impl Iterator<Item = &Edge> {
        self.context.graph.claims(self.root).iter().take(MAX_LISTED_CLAIMS)
    }

    /// Returns an edge's row with the target's id in place of the title.
    fn row(&self, edge: &Edge) -> EdgeRow {
        EdgeRow {
            to: self.context.id(edge).clone(),
            relation: edge.relation.name(),
            title: self.context.id(edge).clone(),
            title_trust: Trust::Trusted,
            state: self.context.state(edge),
            resolved: matches!(edge.to, Target::Item(_)),
            sync: self.context.sync(edge),
            evidence: evidence(edge),
        }
    }

    /// Adds sections for the neighbours whose strongest relation to the root is one of `relations`.
    fn neighbours(&mut self, relations: &[Relation]) {
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
                candidate.removals.extend(self.removals_from_lines(others));
                self.record_siblings(*item);
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
        let mut id = CleanBuf::new();
        let candidate = Candidate {
            id: id.lit(prefix).text(&entry.item.id).finish(),
            kind: "issue",
            title: entry.item.title.clone(),
            origin: item_origin(entry),
            provenance,
            role: Role::Rank(TrimRank::default()),
            body,
            state: Some(Clean::literal(Graph::state(self.context.corpus, item).name())),
            status: entry.item.status.clone(),
            trust: Trust::of(entry.is_untrusted() || entry.has_untrusted_title()),
            by: entry.issue_with_text().map(|issue| issue.by.clone()),
            relation: Some(relation.name()),
            evidence: Some(evidence),
            document: None,
            card: None,
            removals,
        };
        self.record_item(item, true);
        (candidate, has_result)
    }

    /// Adds the items that the root's text names without a relation: what replaces the root, and what may fill the budget.
    fn mentioned(&mut self, references: &RootReferences) {
        let related: BTreeSet<usize> = self
            .context
            .graph
            .edges(self.root)
            .iter()
            .chain(self.context.graph.claims(self.root))
            .filter_map(item_of)
            .collect();
        for MentionedItem { item, line, replaces } in self.context.mentioned(self.root).to_vec() {
            let root = &self.context.corpus.entries[self.root];
            let path = &self.context.corpus.entries[item].item.body.origin.path;
            let is_document = || references.files.iter().any(|reference| reference.file.path == *path);
            let is_file = self.context.corpus.entries[item].item.body.in_file;
            if related.contains(&item) || is_file && (is_document() || self.has_section(path)) {
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

    fn is_settled_root(&self) -> bool {
        Graph::state(self.context.corpus, self.root).is_settled()
    }

    /// Makes the related and mentioned items that the profile does not ask for fill the budget, those with work left first.
    /// The related sections begin at the index `related`.
    fn fill_with_items(&mut self, references: &RootReferences, related: usize) {
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
        let omission = |(position, candidate): (usize, &Candidate)| Omission {
            id: candidate.id.clone(),
            title: candidate.title.clone(),
            origin: candidate.origin.clone(),
            provenance: candidate.provenance,
            reason: match position {
                _ if by_profile => "profile",
                _ if left_out => "policy",
                MOST_ITEMS_TO_FILL.. => "limit",
                _ => "budget",
            },
            trust: candidate.trust,
            chars: match &candidate.body {
                SectionBody::Passage(passage, _) => Some(passage.full_chars()),
                _ => None,
            },
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

    fn record_siblings(&mut self, parent: usize) {
        let (children, listed) = self.context.graph.children(parent);
        items_of(&children[..listed]).into_iter().for_each(|child| self.record_item(child, false));
    }

    /// Returns whether the item of this file has a section already: an item is in a pack once.
    pub(super) fn has_section(&self, path: &RepoPath) -> bool {
        self.shown.contains(path)
    }

    fn file(&mut self, reference: &ReferencedFile) {
        if self.has_section(&reference.file.path) {
            return;
        }
        let adr = reference.file.kind == FileKind::Adr;
        let (prefix, provenance, kind) =
            if adr { ("adr.", "adr_ref", "adr_excerpt") } else { ("file.", "doc_ref", "file_excerpt") };
        let mut id = CleanBuf::new();
        id.lit(prefix).text(&reference.shown);
        let source = TextOrigin { path: Some(reference.shown.clone()), ..TextOrigin::new(OriginKind::File) };
        let document = match &reference.document {
            Ok(document) => document,
            Err(reason) => {
                let omission = Omission {
                    id: id.finish(),
                    title: reference.shown.clone(),
                    origin: source,
                    provenance,
                    reason,
                    // The title is the path of a file in the repo.
                    trust: Trust::Trusted,
                    chars: None,
                };
                return self.omit(omission);
            }
        };
        self.record(Input { origin: source, digest: Some(document.digest) });
        // A missing heading has a warning of its own; the whole document is shown instead.
        let anchor = reference.file.anchor.as_deref();
        let named = if anchor.is_none() { self.named_headings(reference.by, document) } else { Vec::new() };
        let Some((title, origin, body)) = self
            .context
            .file(document, reference.file.kind, anchor, named)
            .or_else(|| self.context.file(document, reference.file.kind, None, Vec::new()))
        else {
            return;
        };
        if let Some(anchor) = &origin.anchor {
            id.lit("#").text(anchor);
        }
        let inactive = document.status.as_ref().is_some_and(|status| is_inactive(status));
        // A document that is an item has the item's state.
        let item = self.context.graph.of_file(&reference.file.path).filter(|_| !adr);
        let state = item.map(|item| Graph::state(self.context.corpus, item));
        let replaces = reference.by == self.root && self.replaces_root(reference);
        let first_line = origin.lines.map_or(1, |lines| lines[0]);
        let last_line = origin.lines.map_or(u64::MAX, |lines| lines[1]);
        let removals = removals::records(&document.removals, |removal| removal.in_body, &origin)
            .into_iter()
            .filter(|removal| (first_line..=last_line).contains(&removal.line))
            .collect();
        let at = self.context.corpus.entries[reference.by].shown_at(&reference.file.at);
        let candidate = Candidate {
            id: id.finish(),
            kind,
            title,
            origin,
            provenance,
            role: Role::Rank(TrimRank::default()),
            body,
            state: state.map(|state| Clean::literal(state.name())),
            status: match item {
                Some(item) => self.context.corpus.entries[item].item.status.clone(),
                None => document.status.clone().filter(|_| adr),
            },
            trust: Trust::of(reference.untrusted),
            by: None,
            relation: None,
            evidence: Some(Evidence { source: "reference", at }),
            document: None,
            card: None,
            removals,
        };
        let group = if adr { Group::Adrs } else { Group::Documents };
        let needed = !adr && self.states_requirements(reference);
        let second_hop = reference.by != self.root;
        let settled = inactive || state.is_some_and(ItemState::is_settled);
        let group = if replaces { None } else { Some(group) };
        self.put(candidate, Rank { settled: settled && !replaces, needed, second_hop, ..Rank::of(group) });
    }

    /// Returns whether the root says that a file replaces it.
    fn replaces_root(&self, reference: &ReferencedFile) -> bool {
        let at = &reference.file.at;
        let entry = &self.context.corpus.entries[self.root];
        let origins = [&entry.item.body.origin, &entry.item.origin];
        let Some(origin) = origins.into_iter().find(|origin| origin.path == at.path) else { return false };
        self.is_settled_root() && names_successor(self.context.line_of(self.root, &origin.shown, at.line))
    }

    fn missing(&mut self, missing: &MissingReference) {
        let (prefix, provenance) = match missing.kind {
            FileKind::Adr => ("adr.", "adr_ref"),
            FileKind::Document => ("file.", "doc_ref"),
            FileKind::Code => ("code.", "code_ref"),
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
        self.omit(omission);
    }

    /// Adds an omission, unless the section or omission of its id is there already.
    pub(super) fn omit(&mut self, omission: Omission) {
        if self.ids.insert(omission.id.clone()) {
            self.omissions.push(omission);
        }
    }

    pub(super) fn put(&mut self, candidate: Candidate, rank: Rank) {
        if !self.ids.insert(candidate.id.clone()) {
            return;
        }
        let by_profile = rank.group.is_some_and(|group| self.context.profile.leave_out.contains(&group));
        let by_policy = self.root_only && rank.group.is_some_and(Group::is_neighbourhood);
        if by_profile || by_policy {
            let reason = if by_profile { "profile" } else { "policy" };
            let chars = match &candidate.body {
                SectionBody::Passage(passage, _) => Some(passage.full_chars()),
                SectionBody::Levels(levels) => Some(levels.full.chars().count() as u64),
                _ => None,
            };
            let Candidate { id, title, origin, provenance, trust, .. } = candidate;
            self.omissions.push(Omission { id, title, origin, provenance, reason, trust, chars });
            return;
        }
        self.candidates.push((candidate, Some(rank)));
    }

    /// Adds sections; those without a rank always stay.
    fn place_all(&mut self, sections: Vec<(Candidate, Option<Rank>)>) {
        for (candidate, rank) in sections {
            match rank {
                Some(rank) => self.put(candidate, rank),
                None => self.candidates.push((candidate, None)),
            }
        }
    }

    fn finish(mut self, identity: RootIdentity, references: RootReferences, knowledge: KnowledgeSections) -> Selection {
        self.place_all(knowledge.last);
        knowledge.omissions.into_iter().for_each(|omission| self.omit(omission));
        for input in self.context.inputs.iter().chain(&knowledge.inputs).cloned() {
            self.record(input);
        }
        let mut inputs: Vec<_> = self.inputs.into_iter().collect();
        inputs.sort_by(|(a, _), (b, _)| {
            (a.0.cmp(&b.0)).then_with(|| natural_cmp(&a.1, &b.1)).then_with(|| a.2.cmp(&b.2))
        });
        let ranks = ranks(&self.candidates, &self.context.profile.priority);
        let candidates = self
            .candidates
            .into_iter()
            .zip(ranks)
            .map(|((candidate, _), rank)| Candidate { role: rank.map_or(candidate.role, Role::Rank), ..candidate })
            .collect();
        let instructions = &self.context.instructions;
        let instructions = Candidate {
            id: Clean::literal("instructions"),
            kind: "instructions",
            title: Clean::literal("Instructions"),
            origin: instructions.origin.clone(),
            provenance: "profile",
            role: Role::Root,
            body: SectionBody::Whole(instructions.text.clone()),
            state: None,
            status: None,
            trust: Trust::Trusted,
            by: None,
            relation: None,
            evidence: None,
            document: None,
            card: None,
            removals: removals::records(&instructions.removals, |_| true, &instructions.origin),
        };
        Selection {
            profile: self.context.profile.name.clone(),
            root_id: identity.id,
            root_name: identity.name,
            root_is_item: identity.is_item,
            root_url: references.url,
            root_title: identity.title,
            instructions,
            soul: knowledge.soul,
            agent: knowledge.agent,
            policy: knowledge.policy,
            job: knowledge.job,
            handover: knowledge.handover,
            candidates,
            inputs: inputs.into_iter().map(|(_, input)| input).collect(),
            omissions: self.omissions,
            fillers: self.fillers,
            warnings: references.warnings,
        }
    }
}

/// Returns whether a candidate is a part of a history, of which the newest matters most.
fn is_history(rank: &Rank) -> bool {
    matches!(rank.group, Some(Group::Comments | Group::Cards))
}

/// Returns the candidates' ranks in the order of trimming.
///
/// Groups rank from the lowest priority to the highest; within a group, done or inactive candidates come first, then
/// the last in pack order, except that the oldest comments and cards come first.
fn ranks(candidates: &[(Candidate, Option<Rank>)], priority: &[Group]) -> Vec<Option<TrimRank>> {
    let mut order: Vec<(usize, u8, usize, usize, Rank)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(index, (_, rank))| {
            let rank = (*rank)?;
            let strength = rank
                .group
                .map_or(0, |group| 1 + priority.iter().position(|known| *known == group).unwrap_or(priority.len()));
            let late = if is_history(&rank) { candidates.len() - index } else { index };
            Some((strength, rank.tier(), late, index, rank))
        })
        .collect();
    order.sort_by_key(|(strength, tier, late, index, _)| Reverse((*strength, *tier, *late, *index)));
    let mut ranks = vec![None; candidates.len()];
    let (mut class, mut last) = (0, None);
    for (position, (strength, tier, _, index, rank)) in (0u32..).zip(order) {
        // Comments and cards are no equals: the newest matter most.
        if last.replace((strength, tier)) != Some((strength, tier)) || is_history(&rank) {
            class += 1;
        }
        let Rank { settled, weight, second_hop, has_result, .. } = rank;
        ranks[index] = Some(TrimRank { order: position, class, settled, weight, second_hop, has_result });
    }
    ranks
}

fn item_of(edge: &Edge) -> Option<usize> {
    match edge.to {
        Target::Item(item) => Some(item),
        Target::Issue { .. } => None,
    }
}

/// Returns the items that are targets of edges, each once.
fn items_of<'e>(edges: impl IntoIterator<Item = &'e Edge>) -> Vec<usize> {
    let mut seen = HashSet::new();
    edges.into_iter().filter_map(item_of).filter(|item| seen.insert(*item)).collect()
}

fn evidence(edge: &Edge) -> Evidence {
    Evidence { source: edge.evidence.source.name(), at: edge.evidence.at.clone() }
}
