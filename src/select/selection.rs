//! The sections that a pack could hold, before the budget is applied.

use super::{EdgeList, Passage, WorkItemJson};
use crate::config::Policy;
use crate::graph::Authored;
use crate::model::{Digest, joined_instructions};
use crate::redact::{Clean, CleanBuf};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Everything that one pack could hold.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The profile's name.
    pub profile: String,
    pub root: SelectedRoot,
    pub labels: PackLabels,
    /// The instructions of the profile, then the agent's SOUL if there is one.
    pub head: Vec<Candidate>,
    /// All other sections, in the order of the pack.
    pub candidates: Vec<Candidate>,
    /// Everything that was read for the pack.
    pub inputs: Vec<Input>,
    /// The omissions for another reason than the budget, in the order of the pack.
    pub omissions: Vec<Omission>,
    pub fillers: Fillers,
    /// Warnings about the inputs.
    pub warnings: Vec<Notice>,
}

/// What a pack says of its root.
#[derive(Debug, Clone, Default)]
pub struct SelectedRoot {
    pub id: Clean,
    /// The name from which the slug of its packs is made.
    pub name: String,
    /// Whether the root is a work item or an agent rather than an issue without a work item.
    pub is_item: bool,
    /// The URL of the root's issue.
    pub url: Option<Clean>,
    pub title: Clean,
}

/// What a pack says of the agent and the job that it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PackLabels {
    pub agent: Option<AgentLabel>,
    /// How much packs for the agent hold.
    pub policy: Option<Policy>,
    /// The name of the job.
    pub job: Option<String>,
    /// The handover that the pack is made by.
    pub handover: Option<HandoverLabel>,
}

/// The agent that a pack is for.
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

/// A comment or an item that is shown only if the pack is whole without it and leaves space.
#[derive(Debug, Clone)]
pub struct Filler {
    pub candidate: Candidate,
    /// How many of the selection's candidates come before it in the pack.
    pub at: usize,
    /// Its place among the fillers at that place of the pack.
    pub order: usize,
    /// The omissions that remain once this filler and all before it are shown.
    pub omissions: Vec<Omission>,
}

/// The fillers of a selection.
#[derive(Debug, Clone, Default)]
pub struct Fillers {
    /// In the order in which they are added: comments, the newest first, then items.
    pub sequence: Vec<Filler>,
    /// The omissions that those of the fillers replace: a range of the selection's.
    pub replaced: Range<usize>,
}

impl Selection {
    /// Returns what stands above all frames: the instructions, and the agent's SOUL.
    pub fn head_text(&self) -> Cow<'_, str> {
        let texts: Vec<&str> = self.head.iter().filter_map(Candidate::whole_text).map(Clean::as_str).collect();
        match texts[..] {
            [only] => Cow::Borrowed(only),
            _ => Cow::Owned(joined_instructions(&texts)),
        }
    }

    /// Returns the selection with its first `count` fillers among the candidates, and their indices there.
    pub fn filled(&self, count: usize) -> (Self, Vec<usize>) {
        let mut filled = self.clone();
        let fillers = self.fillers.sequence.get(..count).unwrap_or(&self.fillers.sequence);
        let mut in_order: Vec<_> = fillers.iter().collect();
        in_order.sort_by_key(|filler| (filler.at, filler.order));
        let added: Vec<usize> = in_order.iter().enumerate().map(|(before, filler)| filler.at + before).collect();
        for (filler, at) in in_order.into_iter().zip(&added) {
            filled.candidates.insert(*at, filler.candidate.clone());
        }
        if let Some(last) = fillers.last() {
            filled.omissions.splice(self.fillers.replaced.clone(), last.omissions.iter().cloned());
        }
        (filled, added)
    }
}

/// A section that could be in the pack.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Unique in the pack and stable between builds.
    pub id: Clean,
    /// The section kind of the wire format.
    pub kind: &'static str,
    pub title: Clean,
    pub origin: TextOrigin,
    /// Why the section is in the pack.
    pub provenance: &'static str,
    pub role: Role,
    pub body: SectionBody,
    /// `open`, `done`, …, or an ADR's status.
    pub state: Option<Clean>,
    /// The status as written.
    pub status: Option<Clean>,
    pub trust: Trust,
    /// The author, if the text comes from GitHub.
    pub by: Option<Authored<Clean>>,
    /// The neighbour's relation to the root.
    pub relation: Option<&'static str>,
    /// Where the relation or reference was stated.
    pub evidence: Option<Evidence>,
    pub document: Option<DocumentFacts>,
    pub card: Option<CardFacts>,
    /// The redactions in it.
    pub removals: Vec<RedactionRecord>,
}

impl Candidate {
    /// Creates a trusted section that may be left out.
    pub(super) fn new(
        id: Clean,
        kind: &'static str,
        title: Clean,
        origin: TextOrigin,
        provenance: &'static str,
        body: SectionBody,
    ) -> Self {
        Self {
            id,
            kind,
            title,
            origin,
            provenance,
            role: Role::Rank(TrimRank::default()),
            body,
            state: None,
            status: None,
            trust: Trust::Trusted,
            by: None,
            relation: None,
            evidence: None,
            document: None,
            card: None,
            removals: Vec::new(),
        }
    }

    /// Returns the omission of this section.
    pub fn omitted(&self, reason: &'static str) -> Omission {
        Omission {
            id: self.id.clone(),
            title: self.title.clone(),
            origin: self.origin.clone(),
            provenance: self.provenance,
            reason,
            trust: self.trust,
            chars: match &self.body {
                SectionBody::Passage(passage, _) => Some(passage.full_chars()),
                SectionBody::Levels(levels) => Some(levels.full.chars().count() as u64),
                _ => None,
            },
        }
    }

    /// Returns the text of a section that is shown as a whole or not at all.
    pub fn whole_text(&self) -> Option<&Clean> {
        match &self.body {
            SectionBody::Whole(text) => Some(text),
            _ => None,
        }
    }
}

/// Facts about a card that a handover gives.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardFacts {
    pub id: Clean,
    pub kind: Clean,
    /// Who says it, as a model sees it.
    pub role: &'static str,
    pub author: Clean,
}

/// Facts about a document of which a pack has notes, or all of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentFacts {
    pub kind: &'static str,
    /// Its place among the relevant ones, from 1.
    pub rank: Option<u32>,
    /// The terms that it shares with the work.
    pub matched: Vec<String>,
    /// Whether its notes are of another version of it.
    pub stale_notes: bool,
}

/// A section's place in the order of trimming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The root's text: shortened, never left out.
    Root,
    /// The root's fields: reduced, never left out.
    Json,
    /// The root's edges: reduced, never left out.
    Edges,
    /// Shown as a whole, and never left out.
    Fixed,
    /// A section that may be left out.
    Rank(TrimRank),
}

/// When and how far a section is trimmed, compared with the others of its selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct TrimRank {
    /// The lowest leaves first. Unique in a selection.
    pub order: u32,
    /// Sections with one class are equals: room that is left is shared out among them.
    pub class: u32,
    /// Whether no work is left in it: it is reduced to its outcome before anything open is shortened.
    pub settled: bool,
    /// Its share of the room compared with that of its equals, in percent.
    pub weight: u32,
    /// Whether only neighbours of the root name it, or it is a relevant document or the recent changes: it becomes a pointer
    /// before anything that the root names is shortened.
    pub second_hop: bool,
    /// Whether it is a neighbour whose pointer says what came of it, which its line of the edge list does not.
    pub has_result: bool,
}

/// A text in its levels of detail, none of which is cut: code, or notes on a document.
#[derive(Debug)]
pub struct TextLevels {
    /// The most that is shown.
    pub full: Clean,
    /// The detail that it has: `full`, `excerpt` for an outline, `pointer`.
    pub full_detail: &'static str,
    /// The named lines of code alone, the outline of a file, or the rules of a document; `None` if that is not shorter.
    pub excerpt: Option<Clean>,
    /// One line that names the place.
    pub pointer: Clean,
}

impl TextLevels {
    /// Creates a text without an excerpt.
    pub(super) fn only(full: Clean, full_detail: &'static str, pointer: Clean) -> Self {
        Self { full, full_detail, excerpt: None, pointer }
    }
}

/// A section's text in its levels of detail.
#[derive(Debug, Clone)]
pub enum SectionBody {
    /// Text that is shown as a whole or not at all.
    Whole(Clean),
    /// Markdown with an excerpt, and a pointer: the line that says where it is.
    Passage(Arc<Passage>, Clean),
    /// Lines of code, a file or its outline, or notes on a document.
    Levels(Arc<TextLevels>),
    /// A work item's fields.
    Json(Arc<WorkItemJson>),
    /// The root's one-hop edges.
    Edges(Arc<EdgeList>),
}

/// The origin of a text: a file, an issue, an item or a built-in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextOrigin {
    pub kind: OriginKind,
    /// A work item's id or a built-in's name.
    pub id: Option<Clean>,
    pub path: Option<Clean>,
    pub lines: Option<[u64; 2]>,
    pub url: Option<Clean>,
    pub anchor: Option<Clean>,
    /// The version of a built-in.
    pub version: Option<u32>,
}

/// The source kinds of the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OriginKind {
    /// An item of a file.
    WorkItem,
    /// An issue on GitHub.
    Issue,
    /// A file.
    File,
    /// Part of this program.
    Builtin,
    /// A card of the repo.
    Card,
}

/// Whether an untrusted author may have written a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Committed to the repo, or built in.
    Trusted,
    /// Anyone could write it.
    Untrusted,
}

/// The place where a relation or reference was stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The kind of place.
    pub source: &'static str,
    /// `path:line` or a URL.
    pub at: Clean,
}

/// One row of the edge list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeRow {
    pub to: Clean,
    /// The target's relation to the root.
    pub relation: &'static str,
    /// The target's title; its id if the title is unknown.
    pub title: Clean,
    /// Whether an untrusted author may have written the title.
    pub title_trust: Trust,
    pub state: &'static str,
    /// Whether the target is in the corpus.
    pub resolved: bool,
    /// The argument of `sync` that fetches a target outside the corpus.
    pub sync: Option<Clean>,
    pub evidence: Evidence,
}

/// A text that was read for a pack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Input {
    pub origin: TextOrigin,
    /// The digest of the text after redaction.
    pub digest: Option<Digest>,
}

/// A section that could have been in the pack and was left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Omission {
    /// The id that its section would have.
    pub id: Clean,
    /// The title, or the reference as written.
    pub title: Clean,
    /// Where it can be read.
    pub origin: TextOrigin,
    /// Why it would have been in the pack.
    pub provenance: &'static str,
    /// Why it was left out: one of the reasons in `docs/format.md`.
    pub reason: &'static str,
    /// Whether an untrusted author may have written its title or its text.
    pub trust: Trust,
    /// The characters of its full text, if known.
    pub chars: Option<u64>,
}

/// A redaction in a section's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionRecord {
    /// The source that held the removed text.
    pub origin: TextOrigin,
    pub line: u64,
    pub rule: String,
    /// How often the rule matched on that line.
    pub count: u64,
    /// Why the rule removes what it matches.
    pub reason: String,
    /// How to include the text safely.
    pub to_include: String,
}

/// A warning about the pack's inputs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notice {
    pub code: &'static str,
    pub message: Clean,
    pub path: Option<Clean>,
    pub line: Option<u64>,
}

impl TextOrigin {
    /// Creates an origin of this kind without further fields.
    pub fn new(kind: OriginKind) -> Self {
        Self { kind, id: None, path: None, lines: None, url: None, anchor: None, version: None }
    }

    /// Creates the origin of a file.
    pub fn file(path: &Clean) -> Self {
        Self { path: Some(path.clone()), ..Self::new(OriginKind::File) }
    }

    /// Creates the origin of a page on GitHub.
    pub(super) fn page(url: &Clean) -> Self {
        Self { url: Some(url.clone()), ..Self::new(OriginKind::Issue) }
    }

    /// Creates the origin of a built-in or a card.
    pub(super) fn named(kind: OriginKind, id: Clean) -> Self {
        Self { id: Some(id), ..Self::new(kind) }
    }

    /// Returns where the text can be read: `path:first-last`, else its URL, else its id.
    ///
    /// `render::place` is the counterpart for finished packs.
    pub fn place(&self) -> Clean {
        let Some(path) = &self.path else {
            return self.url.as_ref().or(self.id.as_ref()).cloned().unwrap_or_default();
        };
        let mut place = CleanBuf::new();
        place.text(path);
        match (self.lines, &self.anchor) {
            (Some([first, last]), _) => {
                place.lit(":").number(first);
                if last != first {
                    place.lit("-").number(last);
                }
            }
            (None, Some(anchor)) => {
                place.lit("#").text(anchor);
            }
            (None, None) => {}
        }
        place.finish()
    }
}

impl OriginKind {
    /// Returns the name in the wire format.
    pub fn name(self) -> &'static str {
        match self {
            Self::WorkItem => "work_item",
            Self::Issue => "issue",
            Self::File => "file",
            Self::Builtin => "builtin",
            Self::Card => "card",
        }
    }
}

impl Trust {
    /// Returns `Untrusted` if an untrusted author may have written the text.
    pub fn of(untrusted: bool) -> Self {
        if untrusted { Self::Untrusted } else { Self::Trusted }
    }

    /// Returns the name in the wire format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
        }
    }
}
