//! Selection of the sections that one root's pack could hold, in the order of the pack.

use super::code::ReferencedCode;
use super::context::SelectionContext;
use super::edge_list::Claims;
use super::files::ReferencedFile;
use super::kept_code::ReferencedLines;
use super::knowledge::KnowledgeSections;
use super::rank::{Rank, ranks};
use super::removals;
use super::{Candidate, EdgeRow, Evidence, Fillers, Input, Notice, Omission, Role, SectionBody, Selection, Trust};
use crate::config::{Group, Policy};
use crate::graph::{Edge, MissingReference, Target};
use crate::model::{Relation, RepoPath, natural_cmp};
use crate::redact::Clean;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

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

/// The most claims that a pack lists; the others are counted.
pub(super) const MAX_LISTED_CLAIMS: usize = 10;

pub(super) struct SelectionBuilder<'a> {
    pub(super) context: &'a SelectionContext<'a>,
    pub(super) root: usize,
    /// The root's text in lower case, made when first needed.
    pub(super) lower_root_text: OnceCell<String>,
    pub(super) candidates: Vec<(Candidate, Option<Rank>)>,
    /// The ids of neighbours, files and missing references, so that each is added once.
    pub(super) ids: BTreeSet<Clean>,
    /// The files of the neighbours that have a section.
    pub(super) shown: BTreeSet<RepoPath>,
    pub(super) omissions: Vec<Omission>,
    pub(super) fillers: Fillers,
    /// The related and mentioned items that may fill the budget.
    pub(super) items_to_fill: Vec<Candidate>,
    /// The inputs by their sort key: kind, natural key, path.
    pub(super) inputs: BTreeMap<(u8, String, String), Input>,
    /// Whether the policy leaves out everything but the root's own sections.
    pub(super) root_only: bool,
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

    /// Returns whether the item of this file has a section already: an item is in a pack once.
    pub(super) fn has_section(&self, path: &RepoPath) -> bool {
        self.shown.contains(path)
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

pub(super) fn evidence(edge: &Edge) -> Evidence {
    Evidence { source: edge.evidence.source.name(), at: edge.evidence.at.clone() }
}
