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

pub use candidates::{References, Taken, select};
pub use edge_list::{Claims, EdgeList};
pub use ingredients::ingredients;
pub use library::{CommentRules, Document, Guidance, Library, is_inactive};
pub use passage::{Chunk, Passage, Rounding, Size};
pub use selection::{
    Body, Candidate, EdgeRow, Evidence, Input, Notice, Omission, Origin, OriginKind, Removal, Role, Selection, Trust,
};
pub use work_item_json::{JsonCut, WorkItemJson};
