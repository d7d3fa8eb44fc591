//! The sections that a pack could hold, before the budget is applied.

use super::edge_list::EdgeList;
use super::origins::{Evidence, RedactionRecord, TextOrigin};
use super::{Passage, WorkItemJson};
use crate::config::Group::{
    self, Adrs, Cards, Changes, Children, Code, Comments, Dependencies, Documents, Knowledge, Likely, Parent, Related,
    Relevant,
};
use crate::config::Policy;
use crate::graph::Authored;
use crate::knowledge::LikelyFile;
use crate::model::{CardSource, Digest, LIKELY_CODE, joined_instructions, natural_cmp, section_kind};
use crate::redact::{Clean, CleanBuf};
use std::borrow::Cow;
use std::sync::Arc;

/// Everything that one pack could hold, in the order of the pack.
#[derive(Debug, Clone)]
pub struct Selection {
    pub profile: String,
    pub root: SelectedRoot,
    pub labels: PackLabels,
    /// The instructions of the profile, then the agent's SOUL if there is one.
    pub head: Vec<Candidate>,
    pub candidates: Vec<Candidate>,
    /// Everything that was read for the pack.
    pub inputs: Vec<Input>,
    /// The omissions for another reason than the budget.
    pub omissions: Vec<Omission>,
    pub fillers: Fillers,
    pub warnings: Vec<Notice>,
}

#[derive(Debug, Clone, Default)]
pub struct SelectedRoot {
    pub id: Clean,
    /// The name from which the slug of its packs is made.
    pub name: String,
    /// Whether the root is a work item or an agent rather than an issue without a work item.
    pub is_item: bool,
    pub url: Option<Clean>,
    pub title: Clean,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PackLabels {
    pub agent: Option<AgentLabel>,
    pub policy: Option<Policy>,
    pub job: Option<String>,
    pub handover: Option<HandoverLabel>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentLabel {
    pub key: Clean,
    pub name: Clean,
}

/// What a pack says of the handover that it is made by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HandoverLabel {
    /// The recipe.
    pub recipe: String,
    /// The key of the agent that hands over.
    pub from: Option<Clean>,
    /// The id of the context box.
    pub context_box: Clean,
    /// The id of the box with the profile of the agent.
    pub profile_box: Clean,
    /// The log that the agent appends to.
    pub output_box: Clean,
}

/// What is shown only if the pack is whole without it and leaves space: the whole of a file of which the pack has the outline,
/// a comment or an item.
#[derive(Debug, Clone)]
pub struct Filler {
    pub candidate: Candidate,
    /// How many of the selection's candidates come before it in the pack, and its place among the fillers there.
    pub at: usize,
    pub order: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Fillers {
    /// In the order in which they are added: files, the smallest first, items, then comments, the newest first.
    pub sequence: Vec<Filler>,
    /// How many of the first replace the candidate that stands at their place.
    pub grown: usize,
    /// Where the omissions of comments and items begin among the selection's.
    pub(super) omitted_at: usize,
    /// The omissions of comments that remain once none, one, two, … of the fillers are shown.
    pub(super) comments: Vec<Vec<Omission>>,
    /// The omissions of items, in the order in which these are added.
    pub(super) items: Vec<Omission>,
}

impl Fillers {
    /// Returns the omissions that remain once the first `count` fillers are shown.
    fn omissions(&self, count: usize) -> Vec<Omission> {
        let count = count.saturating_sub(self.grown);
        let items = count.min(self.sequence.len() - self.grown - self.comments.len().saturating_sub(1));
        let comments = self.comments.get(count - items);
        comments.into_iter().flatten().chain(&self.items[items..]).cloned().collect()
    }
}

impl Selection {
    /// Returns the text above all frames: the instructions, and the agent's SOUL.
    pub fn head_text(&self) -> Cow<'_, str> {
        let texts: Vec<&str> = self.head.iter().filter_map(Candidate::whole_text).map(Clean::as_str).collect();
        joined_instructions(&texts)
    }

    /// Returns the selection with its first `count` fillers among the candidates, and the indices there of those that were
    /// added and of those that grew.
    pub fn filled(&self, count: usize) -> (Self, [Vec<usize>; 2]) {
        let mut filled = self.clone();
        let fillers = &self.fillers.sequence[..count];
        let (grown, added) = fillers.split_at(self.fillers.grown.min(count));
        for Filler { candidate, at, .. } in grown {
            filled.candidates[*at] = candidate.clone();
        }
        let mut in_order: Vec<_> = added.iter().collect();
        let by_id = |a: &Filler, b: &Filler| natural_cmp(&a.candidate.id, &b.candidate.id);
        in_order.sort_by(|a, b| (a.at, a.order).cmp(&(b.at, b.order)).then_with(|| by_id(a, b)));
        let added: Vec<usize> = in_order.iter().enumerate().map(|(before, filler)| filler.at + before).collect();
        let shifted = |at: usize| at + in_order.iter().filter(|filler| filler.at <= at).count();
        let grown = grown.iter().map(|filler| shifted(filler.at)).collect();
        for (filler, at) in in_order.into_iter().zip(&added) {
            filled.candidates.insert(*at, filler.candidate.clone());
        }
        let (at, [before, after]) = (self.fillers.omitted_at, [0, fillers.len()].map(|it| self.fillers.omissions(it)));
        filled.omissions.splice(at..at + before.len(), after);
        filled.fillers.sequence.drain(..count);
        (filled, [added, grown])
    }
}

#[derive(Debug, Clone)]
pub struct Candidate {
    /// Unique in the pack and stable between builds.
    pub id: Clean,
    pub kind: SectionKind,
    pub title: Clean,
    pub origin: TextOrigin,
    pub trim: Trim,
    pub rank: Rank,
    pub body: SectionBody,
    /// `open`, `done`, …, or an ADR's status.
    pub state: Option<Clean>,
    pub status: Option<Clean>,
    pub untrusted: bool,
    pub by: Option<Authored<Clean>>,
    pub relation: Option<&'static str>,
    pub evidence: Option<Evidence>,
    pub document: Option<DocumentFacts>,
    pub card: Option<CardFacts>,
    pub likely: Vec<LikelyFile>,
    pub removals: Vec<RedactionRecord>,
}

impl Candidate {
    /// Creates a trusted section that may be left out; `suffix` is what its kind leaves open of its id.
    pub(super) fn new(kind: SectionKind, suffix: &Clean, title: Clean, origin: TextOrigin, body: SectionBody) -> Self {
        Self {
            id: kind.id(suffix),
            kind,
            title,
            origin,
            trim: Trim::Optional,
            rank: Rank::of(kind.group),
            body,
            state: None,
            status: None,
            untrusted: false,
            by: None,
            relation: None,
            evidence: None,
            document: None,
            card: None,
            likely: Vec::new(),
            removals: Vec::new(),
        }
    }

    pub fn omitted(&self, reason: &'static str) -> Omission {
        Omission {
            id: self.id.clone(),
            title: self.title.clone(),
            origin: self.origin.clone(),
            provenance: self.kind.provenance,
            reason,
            untrusted: self.untrusted,
            chars: self.full_chars(),
            tokens: None,
        }
    }

    pub(super) fn full_chars(&self) -> Option<u64> {
        match &self.body {
            SectionBody::Passage(passage, _) => Some(passage.full_chars()),
            SectionBody::Levels(levels) => Some(levels.full.chars().count() as u64),
            _ => None,
        }
    }

    /// Returns the text of a section that is shown as a whole or not at all.
    pub fn whole_text(&self) -> Option<&Clean> {
        if let SectionBody::Whole(text) = &self.body { Some(text) } else { None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardFacts {
    pub id: Clean,
    pub kind: Clean,
    pub role: &'static str,
    pub author: Clean,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentFacts {
    pub kind: &'static str,
    pub rank: Option<u32>,
    pub matched: Vec<String>,
    pub meaning: Option<u32>,
    /// Whether its notes are of another version of it.
    pub stale_notes: bool,
}

/// How a section may be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trim {
    /// The root's text: shortened, never left out.
    Root,
    /// The root's fields: reduced, never left out.
    Json,
    Edges,
    Fixed,
    /// May be left out, in the order of its [`Rank`].
    Optional,
}

/// When and how far a section is trimmed, compared with the others of its selection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rank {
    /// The lowest leaves first. Unique in a selection; set when all sections are known, as is the class.
    pub order: u32,
    /// Sections with one class are equals: room that is left is shared out among them.
    pub class: u32,
    /// `None` ranks above all groups: the root's draft, and what replaces the root.
    pub(super) group: Option<Group>,
    /// Whether no work is left in it: it is reduced to its outcome before anything open is shortened.
    pub settled: bool,
    /// Whether the root states its requirements by it, so that it is trimmed after the others of the group.
    pub(super) needed: bool,
    /// Its share of the room compared with that of its equals, in percent.
    pub weight: u32,
    /// Whether neither the root nor the configuration names it: it becomes a pointer before what the root names is cut.
    pub second_hop: bool,
    /// Whether it is a neighbour whose pointer says what came of it, which its line of the edge list does not.
    pub has_result: bool,
}

impl Rank {
    pub(super) fn of(group: Option<Group>) -> Self {
        Self { group, weight: 100, ..Self::default() }
    }

    /// Returns the place within the group, the weakest last.
    pub(super) fn tier(self) -> u8 {
        match (self.second_hop, self.settled, self.needed) {
            (false, false, true) => 0,
            (false, false, false) => 1,
            (false, true, _) => 2,
            (true, _, _) => 3,
        }
    }

    /// Returns whether the section is a part of a history, of which the newest matters most.
    pub(super) fn is_history(self) -> bool {
        matches!(self.group, Some(Group::Comments | Group::Cards))
    }

    /// Returns whether the section shares no room with others of its group.
    pub(super) fn has_no_equals(self) -> bool {
        self.is_history() || matches!(self.group, Some(Group::Knowledge | Group::Relevant))
    }
}

/// Code in its levels of detail, none of which is cut; or the line that names a document.
#[derive(Debug)]
pub struct TextLevels {
    pub full: Clean,
    /// The detail that the full text has: `full`, `excerpt` for an outline, `pointer`.
    pub full_detail: &'static str,
    /// The named lines of code alone, or the outline of a file; `None` if that is not shorter.
    pub excerpt: Option<Clean>,
    pub pointer: Clean,
}

impl TextLevels {
    pub(super) fn only(full: Clean, full_detail: &'static str, pointer: Clean) -> Self {
        Self { full, full_detail, excerpt: None, pointer }
    }

    pub(super) fn pointer(pointer: Clean) -> Self {
        Self::only(pointer.clone(), "pointer", pointer)
    }
}

/// A section's text in its levels of detail.
#[derive(Debug, Clone)]
pub enum SectionBody {
    Whole(Clean),
    /// Markdown with an excerpt, and a pointer: the line that says where it is.
    Passage(Arc<Passage>, Clean),
    /// Lines of code, a file or its outline, or the line that names a document.
    Levels(Arc<TextLevels>),
    Json(Arc<WorkItemJson>),
    Edges(Arc<EdgeList>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Input {
    pub origin: TextOrigin,
    pub digest: Option<Digest>,
}

/// A section that could have been in the pack and was left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Omission {
    /// The id that its section would have.
    pub id: Clean,
    /// The title, or the reference as written.
    pub title: Clean,
    pub origin: TextOrigin,
    pub provenance: &'static str,
    /// Why it was left out: one of the reasons in `docs/format.md`.
    pub reason: &'static str,
    pub untrusted: bool,
    /// The characters of its full text, if known.
    pub chars: Option<u64>,
    /// The tokens of its full text, if known and counted.
    pub tokens: Option<u64>,
}

impl Omission {
    /// Creates the omission of a trusted section whose text is not known; `id` is what its kind leaves open of its id.
    pub(super) fn new(kind: SectionKind, id: &Clean, title: Clean, origin: TextOrigin, reason: &'static str) -> Self {
        let (id, provenance) = (kind.id(id), kind.provenance);
        Self { id, title, origin, provenance, reason, untrusted: false, chars: None, tokens: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notice {
    pub code: &'static str,
    pub message: Clean,
    pub path: Option<Clean>,
    pub line: Option<u64>,
}

pub fn trust_name(untrusted: bool) -> &'static str {
    if untrusted { "untrusted" } else { "trusted" }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionKind {
    /// The beginning of the ids of its sections.
    prefix: &'static str,
    /// Its name in the wire format.
    pub name: &'static str,
    /// Why its sections are in packs.
    pub provenance: &'static str,
    /// The group by which profiles rank them or leave them out.
    pub(super) group: Option<Group>,
}

impl SectionKind {
    pub(super) fn id(&self, suffix: &Clean) -> Clean {
        CleanBuf::new().lit(self.prefix).text(suffix).finish()
    }

    /// Returns this kind of a section that the configuration names.
    pub(super) fn configured(self) -> Self {
        Self { provenance: "config", ..self }
    }

    /// Returns the kind of the cards that came into a handover in this way.
    pub(super) fn of_card(given: CardSource) -> Self {
        match given {
            CardSource::Inherited => INHERITED_CARD,
            CardSource::Argument => GIVEN_CARD,
            CardSource::ParentPointer => PARENT_CARD,
        }
    }
}

const fn kind(prefix: &'static str, name: &'static str, provenance: &'static str, group: Option<Group>) -> SectionKind {
    SectionKind { prefix, name, provenance, group }
}

pub(super) const INSTRUCTIONS: SectionKind = kind("instructions", section_kind::INSTRUCTIONS, "profile", None);
pub(super) const SOUL: SectionKind = kind("agent", section_kind::INSTRUCTIONS, "agent", None);
pub(super) const JOB: SectionKind = kind("job", section_kind::INSTRUCTIONS, "job", None);
pub(super) const ROOT: SectionKind = kind("root.issue", section_kind::ISSUE, "root", None);
pub(super) const DRAFT: SectionKind = kind("root.draft", section_kind::ISSUE, "root", None);
pub(super) const FIELDS: SectionKind = kind("root.json", section_kind::WORK_ITEM_JSON, "root", None);
pub(super) const EDGES: SectionKind = kind("root.edges", section_kind::EDGE_LIST, "graph", None);
pub(super) const COMMENT: SectionKind = kind("comment.", section_kind::COMMENT, "comment", Some(Comments));
pub(super) const PARENT: SectionKind = kind("parent.", section_kind::ISSUE, "parent", Some(Parent));
pub(super) const CHILD: SectionKind = kind("child.", section_kind::ISSUE, "child", Some(Children));
pub(super) const DEPENDENCY: SectionKind = kind("dependency.", section_kind::ISSUE, "dependency", Some(Dependencies));
pub(super) const RELATED: SectionKind = kind("related.", section_kind::ISSUE, "graph", Some(Related));
pub(super) const ADR: SectionKind = kind("adr.", section_kind::ADR_EXCERPT, "adr_ref", Some(Adrs));
pub(super) const DOCUMENT: SectionKind = kind("file.", section_kind::FILE_EXCERPT, "doc_ref", Some(Documents));
pub(super) const CODE: SectionKind = kind("code.", section_kind::FILE_EXCERPT, "code_ref", Some(Code));
pub(super) const LIKELY: SectionKind = kind(LIKELY_CODE, section_kind::FILE_EXCERPT, "likely", Some(Likely));
pub(super) const OVERVIEW: SectionKind = kind("overview", section_kind::OVERVIEW, "overview", Some(Knowledge));
pub(super) const USER: SectionKind = kind("user", section_kind::OVERVIEW, "overview", Some(Knowledge));
pub(super) const FURTHER_OVERVIEW: SectionKind = kind("doc.", section_kind::OVERVIEW, "overview", Some(Knowledge));
pub(super) const PINNED: SectionKind = kind("doc.", section_kind::DOCUMENT_NOTES, "pinned", Some(Knowledge));
pub(super) const SECRET_DOCUMENT: SectionKind = kind("doc.", section_kind::DOCUMENT_NOTES, "doc_ref", Some(Knowledge));
pub(super) const RELEVANT: SectionKind = kind("doc.", section_kind::DOCUMENT_NOTES, "relevant", Some(Relevant));
pub(super) const CHANGES: SectionKind = kind("changes", section_kind::RECENT_CHANGES, "history", Some(Changes));
pub(super) const INHERITED_CARD: SectionKind = kind("card.", section_kind::CARD, "inherited", Some(Cards));
pub(super) const GIVEN_CARD: SectionKind = kind("card.", section_kind::CARD, "argument", None);
pub(super) const PARENT_CARD: SectionKind = kind("card.", section_kind::CARD, "parent_pointer", None);
