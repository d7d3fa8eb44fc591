//! The graph: items of a corpus and the edges between them with their evidence; references of an item to files.

mod builder;
mod candidate;
mod checks;
mod collector;
mod corpus;
mod cycles;
mod edges;
mod evidence;
mod file_reference;
mod files;
mod find;
mod identity;
mod index;
mod issue;
mod link;
mod locate;
mod merge_issues;
mod quote;
mod references;
mod resolve;
mod strongest;
mod text;

#[cfg(test)]
mod samples;

pub use crate::records::KeptCode;
pub use corpus::{Corpus, Entry, GraphRules, Identity, SourceRules, plain_status};
pub use edges::Graph;
pub use evidence::{Edge, EdgeEvidence, EdgeSource, IssueRef, Target};
pub use file_reference::{FileKind, FileRef, ItemReferences, KeptCodeRef, MissingReference, ShownPlace};
pub use files::{FileLookup, RepoFiles};
pub use find::RootMatch;
pub use issue::{ClaimedIssue, IssueDraft, ParsedComment};
pub use merge_issues::merge_issues;
pub use text::{ParsedText, RecordedRemoval};

// Types of other modules that later stages use through the graph.
pub use crate::markdown::{Block, Outline};
pub use crate::model::ItemState;
pub use crate::model::{Node, Value};
pub use crate::records::{Authored, Body as ItemBody, Field};
