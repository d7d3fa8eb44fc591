//! The graph: items of a corpus and the edges between them with their evidence; references of an item to files.

#![allow(missing_docs, reason = "public for tests alone")]

mod builder;
mod candidate;
mod checks;
mod corpus;
mod edges;
mod entry;
mod file_references;
mod files;
mod link;
mod mentioned;
mod merge_issues;
mod names;
mod quote;
mod references;
mod resolve;
mod status;
mod text;

pub use corpus::Corpus;
pub use edges::{Edge, EdgeSource, Graph, RootMatch, Target, Unresolved};
pub use entry::{ClaimedIssue, Entry, GraphRules, Identity, IssueDraft, ParsedComment, ShownPlace, SourceRules};
pub use file_references::{FileKind, FileRef, ItemReferences, KeptCodeRef, MissingReason, MissingReference};
pub use files::{FileLookup, RepoFiles};
pub use mentioned::MentionedItem;
#[cfg(test)]
pub(crate) use mentioned::{name_in, unstruck, words};
pub use merge_issues::merge_issues;
pub use names::claim;
pub use status::plain_status;
pub use text::{ParsedText, RecordedRemoval};

// Types of other modules that later stages use through the graph.
pub use crate::markdown::{Block, Outline};
pub use crate::model::{ItemState, Node, Value};
pub use crate::records::{Authored, Body as ItemBody, KeptCode};
