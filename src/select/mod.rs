//! Graph + profile → [`Selection`]: the sections that a pack could hold, with provenance, priority and levels of detail.

mod amount;
mod candidates;
#[cfg(test)]
mod cases;
mod code;
mod comments;
mod context;
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
pub use context::{CommentRules, Document, ProfileInstructions, SelectionContext, SharedPassages};
pub use fields::{Tier, WorkItemJson};
pub use knowledge::{CardContentText, CardText, HandedOver};
pub use knowledge::{JobInstructions, KnowledgeSections, RecentChanges};
use neighbours::item_of;
pub use passage::{Chunk, ChunkWeight, Passage};
pub use references::{CodeUse, ReferencedCode, ReferencedFile, ReferencedLines};
pub use root::{EdgeList, EdgeRow};
pub use selector::RootReferences;
pub use types::*;

pub use crate::knowledge::LikelyFile;

use crate::model::WordLists;
use std::sync::LazyLock;

/// The lists of `words.txt`.
static WORDS: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("words.txt")));
