//! Graph + profile → [`Selection`]: the sections that a pack could hold, with provenance, priority and levels of detail.

mod amount;
mod candidates;
#[cfg(test)]
#[path = "../../tests/cases/select.rs"]
mod cases;
mod code;
mod comments;
mod context;
mod edge_list;
mod fields;
mod knowledge;
mod neighbours;
mod origins;
mod outline;
mod passage;
mod references;
mod root;
mod selector;
mod source_text;
mod types;

pub use amount::{Amount, Counter, descend};
pub use candidates::{hash_selection_inputs, select};
pub use context::{CommentRules, ProfileInstructions, SelectionContext, SharedPassages};
pub use edge_list::EdgeRow;
pub use fields::{Tier, WorkItemJson};
pub use knowledge::{CardContentText, CardText, HandedOver, JobInstructions, KnowledgeSections, RecentChanges};
use neighbours::item_of;
pub use origins::{Evidence, ParsedDocument, RedactionRecord, TextOrigin};
pub use outline::{Chunk, ChunkWeight};
pub use passage::Passage;
pub use selector::{CodeUse, ReferencedCode, ReferencedFile, ReferencedLines, RootReferences};
pub use source_text::source_parts;
pub use types::{
    AgentLabel, Candidate, CardFacts, DocumentFacts, Filler, Fillers, HandoverLabel, Input, Notice, Omission,
    PackLabels, Rank, SectionBody, SelectedRoot, Selection, TextLevels, Trim, trust_name,
};

pub use crate::knowledge::LikelyFile;

use crate::model::WordLists;
use std::sync::LazyLock;

/// The lists of `words.txt`.
static WORDS: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("words.txt")));
