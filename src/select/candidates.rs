//! Selection of the sections that one pack could hold, in the order of the pack.

use super::edge_list::Claims;
use super::{
    Candidate, EdgeRow, Evidence, Fillers, Input, KnowledgeSections, Notice, Omission, ReferencedCode, ReferencedFile,
    ReferencedLines, Role, SectionBody, SelectedRoot, Selection, SelectionContext, TextOrigin, TrimRank, Trust,
    removals,
};
use crate::config::{Group, Policy};
use crate::graph::{Edge, MissingReference, Target};
use crate::model::{Digest, Relation, RepoPath, natural_cmp};
use crate::redact::Clean;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most claims that a pack lists; the others are counted.
pub(super) const MAX_LISTED_CLAIMS: usize = 10;

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

/// Selects the sections that the pack of `root` could hold, or without a root those of an agent's session.
///
/// `knowledge` is what it holds besides its root and the root's neighbourhood.
pub fn select(
    context: &SelectionContext<'_>,
    root: Option<usize>,
    references: RootReferences,
    knowledge: KnowledgeSections,
) -> Selection {
    let mut builder = SelectionBuilder {
        context,
        root: root.unwrap_or(usize::MAX),
        lower_root_text: OnceCell::new(),
        candidates: Vec::new(),
        ids: BTreeSet::new(),
        shown: BTreeSet::new(),
        omissions: Vec::new(),
        fillers: Fillers::default(),
        items_to_fill: Vec::new(),
        inputs: BTreeMap::new(),
        root_only: root.is_some() && knowledge.labels.policy == Some(Policy::Minimal),
    };
    builder.place_all(knowledge.first.clone());
    let identity = match root {
        Some(root) => builder.add_root(root, &references),
        None => {
            let (id, title) = knowledge.labels.agent.clone().map(|agent| (agent.key, agent.name)).unwrap_or_default();
            SelectedRoot { name: id.to_string(), id, is_item: true, url: None, title }
        }
    };
    builder.finish(identity, references.warnings, knowledge)
}

/// The sections, omissions and inputs that were selected so far.
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
    inputs: BTreeMap<(u8, String, String), Input>,
    /// Whether the policy leaves out everything but the root's own sections.
    pub(super) root_only: bool,
}

impl SelectionBuilder<'_> {
    /// Adds the root, its neighbourhood and what it refers to.
    fn add_root(&mut self, root: usize, references: &RootReferences) -> SelectedRoot {
        let context = self.context;
        let entry = &context.corpus.entries[root];
        self.root(entry);
        self.neighbours(&[Relation::Parent]);
        self.neighbours(&[Relation::Child]);
        self.neighbours(&[Relation::DependsOn, Relation::BlockedBy]);
        let related = self.candidates.len();
        self.neighbours(&[Relation::Blocks, Relation::Related]);
        self.mentioned(references);
        self.fill_with_items(references, related);
        references.files.iter().for_each(|reference| self.file(reference));
        references.code.iter().for_each(|reference| self.code(reference));
        references.kept.iter().for_each(|reference| self.kept_code(reference));
        references.missing.iter().for_each(|missing| self.missing(missing));
        SelectedRoot {
            id: entry.item.id.clone(),
            name: entry.name(&context.corpus.rules),
            is_item: entry.bare_issue().is_none(),
            url: references.url.clone(),
            title: entry.item.title.clone(),
        }
    }

    /// Returns the root's edges as rows, and records their targets as inputs.
    pub(super) fn rows(&mut self) -> Vec<EdgeRow> {
        let context = self.context;
        let mut rows = Vec::new();
        for edge in context.graph.shown(self.root) {
            rows.push(EdgeRow {
                title: context.title(edge).unwrap_or_else(|| context.id(edge)).clone(),
                title_trust: Trust::of(context.lists_untrusted([edge])),
                ..self.row(edge)
            });
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

    /// Adds an omission, unless the section or omission of its id is there already.
    pub(super) fn omit(&mut self, omission: Omission) {
        if self.ids.insert(omission.id.clone()) {
            self.omissions.push(omission);
        }
    }

    /// Adds a section, or its omission if the profile or the policy leaves its group out.
    pub(super) fn put(&mut self, candidate: Candidate, rank: Rank) {
        if !self.ids.insert(candidate.id.clone()) {
            return;
        }
        let by_profile = rank.group.is_some_and(|group| self.context.profile.leave_out.contains(&group));
        let by_policy = self.root_only && rank.group.is_some_and(Group::is_neighbourhood);
        if by_profile || by_policy {
            self.omissions.push(candidate.omitted(if by_profile { "profile" } else { "policy" }));
        } else {
            self.candidates.push((candidate, Some(rank)));
        }
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

    /// Records an item as an input: the digest of its whole text if it has a section (`whole`), else of its line in a
    /// list.
    pub(super) fn record_item(&mut self, item: usize, whole: bool) {
        let entry = &self.context.corpus.entries[item];
        let status = entry.item.status.as_deref().unwrap_or_default();
        // A line about an issue also names the issue's state.
        let state = entry.issue.as_ref().map(|issue| issue.state.name());
        let line = || {
            let parts: Vec<&str> = [&*entry.item.id, &*entry.item.title, status].into_iter().chain(state).collect();
            Digest::of(parts.join("\n"))
        };
        if entry.bare_issue().is_none() {
            let place = entry.item.origin.shown.clone();
            let origin = TextOrigin::of_item(entry, place.clone(), None);
            self.record_text(item, &place, origin, whole, if whole { entry.digest } else { line() });
        }
        if let Some(issue) = entry.issue.as_ref().filter(|_| whole || entry.bare_issue().is_some()) {
            let digest = if whole { issue.digest } else { line() };
            self.record_text(item, &issue.url, TextOrigin::page(&issue.url), whole, digest);
        }
    }

    /// Records a text of `item` as an input; the digest of a whole text replaces that of a line.
    pub(super) fn record_text(&mut self, item: usize, place: &Clean, origin: TextOrigin, whole: bool, digest: Digest) {
        let key = (0, self.context.corpus.entries[item].item.id.to_string(), place.to_string());
        if whole || !self.inputs.contains_key(&key) {
            self.inputs.insert(key, Input { origin, digest: Some(digest) });
        }
    }

    /// Records an input that belongs to no item.
    pub(super) fn record(&mut self, input: Input) {
        let text = |part: &Option<Clean>| part.as_deref().unwrap_or_default().to_owned();
        let key = (1 + input.origin.kind as u8, text(&input.origin.id), text(&input.origin.path));
        self.inputs.insert(key, input);
    }

    fn finish(mut self, root: SelectedRoot, warnings: Vec<Notice>, knowledge: KnowledgeSections) -> Selection {
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
        let candidates = self.candidates.into_iter().zip(ranks);
        let candidates = candidates
            .map(|((candidate, _), rank)| Candidate { role: rank.map_or(candidate.role, Role::Rank), ..candidate });
        let instructions = &self.context.instructions;
        let instructions = Candidate {
            role: Role::Root,
            removals: removals::records(&instructions.removals, |_| true, &instructions.origin),
            ..Candidate::new(
                Clean::literal("instructions"),
                "instructions",
                Clean::literal("Instructions"),
                instructions.origin.clone(),
                "profile",
                SectionBody::Whole(instructions.text.clone()),
            )
        };
        Selection {
            profile: self.context.profile.name.clone(),
            root,
            labels: knowledge.labels,
            head: std::iter::once(instructions).chain(knowledge.soul).collect(),
            candidates: candidates.collect(),
            inputs: inputs.into_iter().map(|(_, input)| input).collect(),
            omissions: self.omissions,
            fillers: self.fillers,
            warnings,
        }
    }
}

pub(super) fn evidence(edge: &Edge) -> Evidence {
    Evidence { source: edge.evidence.source.name(), at: edge.evidence.at.clone() }
}

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
    /// Whether neither the root nor the configuration names it: neighbours do, or words lead to it.
    pub(super) second_hop: bool,
    /// Whether its pointer says what came of it.
    pub(super) has_result: bool,
}

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

    /// Returns whether a candidate is a part of a history, of which the newest matters most.
    fn is_history(self) -> bool {
        matches!(self.group, Some(Group::Comments | Group::Cards))
    }

    /// Returns whether a candidate shares no room with others of its group: the newest of a history matter most, and
    /// notes on documents are never cut.
    fn has_no_equals(self) -> bool {
        self.is_history() || matches!(self.group, Some(Group::Knowledge | Group::Relevant))
    }
}

/// Returns the candidates' ranks in the order of trimming.
///
/// Groups rank from the lowest priority to the highest; within a group, done or inactive candidates come first, then
/// the last in pack order, except that the oldest comments and cards come first.
fn ranks(candidates: &[(Candidate, Option<Rank>)], priority: &[Group]) -> Vec<Option<TrimRank>> {
    let strength = |group| 1 + priority.iter().position(|known| *known == group).unwrap_or(priority.len());
    let mut order: Vec<(usize, u8, usize, usize, Rank)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(index, (_, rank))| {
            let rank = (*rank)?;
            let late = if rank.is_history() { candidates.len() - index } else { index };
            Some((rank.group.map_or(0, strength), rank.tier(), late, index, rank))
        })
        .collect();
    order.sort_by_key(|(strength, tier, late, index, _)| Reverse((*strength, *tier, *late, *index)));
    let mut ranks = vec![None; candidates.len()];
    let (mut class, mut last) = (0, None);
    for (position, (strength, tier, _, index, rank)) in (0u32..).zip(order) {
        if last.replace((strength, tier)) != Some((strength, tier)) || rank.has_no_equals() {
            class += 1;
        }
        let Rank { settled, weight, second_hop, has_result, .. } = rank;
        ranks[index] = Some(TrimRank { order: position, class, settled, weight, second_hop, has_result });
    }
    ranks
}
