//! Graph + profile → [`Selection`]: what could be in a pack, with provenance, priority and levels of detail.

mod candidates;
mod comments;
mod edge_list;
mod ingredients;
mod inputs;
mod library;
mod origins;
mod outline;
mod passage;
mod removed;
mod root;
mod selection;
mod work_item_json;

pub use candidates::{ReferencedFile, RootReferences, select};
pub use edge_list::{Claims, EdgeList};
pub use ingredients::ingredients;
pub use library::{CommentRules, Document, ProfileInstructions, SelectionContext, is_inactive};
pub use passage::{Chunk, Passage, Rounding, Size};
pub use selection::{
    Candidate, EdgeRow, Evidence, Input, Notice, Omission, OriginKind, RedactionRecord, Role, SectionBody, Selection,
    TextOrigin, Trust,
};
pub use work_item_json::{JsonCut, WorkItemJson};
