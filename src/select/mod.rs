//! Graph + profile → [`Selection`]: the sections that a pack could hold, with provenance, priority and levels of detail.

mod amount;
mod boilerplate;
mod candidates;
mod cards;
#[cfg(test)]
mod cases;
mod code;
mod comments;
mod context;
mod edge_list;
mod emphasis;
mod knowledge;
mod mentioned;
mod neighbours;
mod origins;
mod outline;
mod passage;
mod passage_builder;
mod references;
mod removals;
mod root;
mod selection;
mod selection_hash;
mod source_text;
mod text_fields;
mod work_item_json;

pub use amount::{Amount, Ruler, descend};
pub use candidates::{RootReferences, select};
pub use cards::{CardContentText, CardText, HandedOver};
pub use context::{CommentRules, Document, ProfileInstructions, SelectionContext};
pub use edge_list::EdgeList;
pub use knowledge::{JobInstructions, KnowledgeSections, RecentChanges};
pub use passage::{Chunk, ChunkWeight, Passage};
pub use references::{CodeUse, ReferencedCode, ReferencedFile, ReferencedLines};
pub use selection::*;
pub use selection_hash::hash_selection_inputs;
pub use work_item_json::{Tier, WorkItemJson};
