//! What could be in a pack, before anything is made to fit.

use super::{EdgeList, Passage, WorkItemJson};
use crate::graph::Authored;
use crate::model::Digest;
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

/// Everything that a pack could hold, in the order of the pack.
#[derive(Debug)]
pub struct Selection {
    /// The profile's name.
    pub profile: String,
    /// The root's id.
    pub root_id: Clean,
    /// What its packs are named after.
    pub root_name: String,
    /// Whether it is a work item, rather than an issue alone.
    pub root_is_item: bool,
    /// The root's issue, where it has one.
    pub root_url: Option<Clean>,
    /// The root's title.
    pub root_title: Clean,
    /// What the agent is told.
    pub instructions: Candidate,
    /// All other sections, in the order of the pack.
    pub candidates: Vec<Candidate>,
    /// Everything that was read for the pack.
    pub inputs: Vec<Input>,
    /// What is left out for another reason than the budget, in the order of the pack.
    pub omissions: Vec<Omission>,
    /// What a reader should know.
    pub warnings: Vec<Notice>,
}

/// A section that could be in the pack.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Unique in the pack and stable between builds.
    pub id: Clean,
    /// The wire's section kind.
    pub kind: &'static str,
    /// The title.
    pub title: Clean,
    /// Where it came from.
    pub origin: TextOrigin,
    /// Why it is there.
    pub provenance: &'static str,
    /// What it is to the pack: who leaves when.
    pub role: Role,
    /// The text in its levels of detail.
    pub body: SectionBody,
    /// `open`, `done`, …, or an ADR's status.
    pub state: Option<Clean>,
    /// The status as written.
    pub status: Option<Clean>,
    /// Whether strangers may have written it.
    pub trust: Trust,
    /// Who wrote it, where it comes from GitHub.
    pub by: Option<Authored<Clean>>,
    /// What the neighbour is to the root.
    pub relation: Option<&'static str>,
    /// Why the neighbour or the reference is there.
    pub evidence: Option<Evidence>,
    /// What was removed from it.
    pub removals: Vec<RedactionRecord>,
}

/// Who leaves when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The root's text: shortened, never left out.
    Root,
    /// The root's fields: reduced, never left out.
    Json,
    /// The root's edges: reduced, never left out.
    Edges,
    /// May leave; the lowest rank leaves first. Ranks are unique in a selection.
    Rank(u32),
}

/// A section's text in its levels of detail.
#[derive(Debug, Clone)]
pub enum SectionBody {
    /// Text that is there as a whole or not at all.
    Whole(Clean),
    /// Markdown: whole, excerpt, and a line that says where it is.
    Passage(Arc<Passage>, Clean),
    /// A work item's fields.
    Json(Arc<WorkItemJson>),
    /// One-hop edges.
    Edges(Arc<EdgeList>),
}

/// Where a text came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextOrigin {
    /// What it is.
    pub kind: OriginKind,
    /// A work item's id or a built-in's name.
    pub id: Option<Clean>,
    /// The file.
    pub path: Option<Clean>,
    /// First and last line.
    pub lines: Option<[u64; 2]>,
    /// The URL.
    pub url: Option<Clean>,
    /// The heading's anchor.
    pub anchor: Option<Clean>,
    /// The version of a built-in.
    pub version: Option<u32>,
}

/// The wire's source kinds.
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
}

/// Whether strangers may have written a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Committed to the repo, or built in.
    Trusted,
    /// Anyone could write it.
    Untrusted,
}

/// Where a relation or reference was stated.
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
    /// The other's id.
    pub to: Clean,
    /// What the other is to the root.
    pub relation: &'static str,
    /// The other's title; its id where nothing describes it.
    pub title: Clean,
    /// Whether strangers may have written the title.
    pub title_trust: Trust,
    /// The other's state.
    pub state: &'static str,
    /// Whether it is described here.
    pub resolved: bool,
    /// Where it is not: the root that `sync` takes to fetch it.
    pub sync: Option<Clean>,
    /// Where it was stated.
    pub evidence: Evidence,
}

/// Something that was read for a pack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Input {
    /// Where it came from.
    pub origin: TextOrigin,
    /// Digest of the text after redaction.
    pub digest: Option<Digest>,
}

/// Something that could have been in the pack and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omission {
    /// The id that its section would have.
    pub id: Clean,
    /// The title, or the reference as written.
    pub title: Clean,
    /// Where it can be read.
    pub origin: TextOrigin,
    /// Why it would have been there.
    pub provenance: &'static str,
    /// One of the contract's reasons.
    pub reason: &'static str,
    /// Whether strangers may have written its title or its text.
    pub trust: Trust,
    /// Characters of its full text, where that is known.
    pub chars: Option<u64>,
}

/// Something that was removed from a section's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionRecord {
    /// The file that held it.
    pub origin: TextOrigin,
    /// The line there.
    pub line: u64,
    /// The rule.
    pub rule: String,
    /// How often on that line.
    pub count: u64,
    /// Why.
    pub reason: String,
    /// What to do to include it safely.
    pub to_include: String,
}

/// A warning about the pack's inputs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notice {
    /// The diagnostic's code.
    pub code: &'static str,
    /// What is wrong, clean.
    pub message: Clean,
    /// The file, clean.
    pub path: Option<Clean>,
    /// The line.
    pub line: Option<u64>,
}

impl TextOrigin {
    /// An origin of this kind with nothing else known.
    pub fn new(kind: OriginKind) -> Self {
        Self { kind, id: None, path: None, lines: None, url: None, anchor: None, version: None }
    }

    /// Where the text can be read: `path:first-last`, else its URL, else its id. `render::place` says the same of a finished pack.
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
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::WorkItem => "work_item",
            Self::Issue => "issue",
            Self::File => "file",
            Self::Builtin => "builtin",
        }
    }
}

impl Trust {
    /// That of a text of which it is known whether strangers may have written it.
    pub fn of(untrusted: bool) -> Self {
        if untrusted { Self::Untrusted } else { Self::Trusted }
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
        }
    }
}
