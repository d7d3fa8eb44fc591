//! Graph + profile → [`Selection`]: the sections that a pack could hold, with provenance, priority and levels of detail.

mod amount;
mod boilerplate;
mod candidates;
mod cards;
mod code;
mod comments;
mod context;
mod edge_list;
mod emphasis;
mod files;
mod inputs;
mod kept_code;
mod knowledge;
mod mentioned;
mod neighbours;
mod origins;
mod outcome;
mod outline;
mod passage;
mod passage_builder;
mod rank;
mod removals;
mod root;
mod selection;
mod selection_hash;
mod source_text;
mod text_fields;
mod work_item_json;

pub use amount::{Amount, Ruler, descend};
pub use candidates::{RootReferences, select, select_session};
pub use cards::{CardContentText, CardText, HandedOver, HandoverLabel};
pub use code::{CodeUse, ReferencedCode};
pub use comments::Fillers;
pub use context::{CommentRules, Document, ProfileInstructions, SelectionContext};
pub use edge_list::EdgeList;
pub use files::ReferencedFile;
pub use kept_code::ReferencedLines;
pub use knowledge::{AgentLabel, JobInstructions, KnowledgeSections, RecentChanges};
pub use passage::{Chunk, ChunkWeight, Passage};
pub use selection::{
    Candidate, CardFacts, DocumentFacts, EdgeRow, Evidence, Input, Notice, Omission, OriginKind, RedactionRecord, Role,
    SectionBody, Selection, TextLevels, TextOrigin, TrimRank, Trust,
};
pub use selection_hash::hash_selection_inputs;
pub use work_item_json::WorkItemJson;
