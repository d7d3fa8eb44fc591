//! Corpus → items and edges, each edge with its evidence; references of an item to files.

mod builder;
mod checks;
mod collector;
mod corpus;
mod cycles;
mod edges;
mod files;
mod find;
mod identity;
mod index;
mod issue;
mod link;
mod locate;
mod merge_issues;
mod place;
mod quote;
mod references;
mod resolve;
mod strongest;

#[cfg(test)]
mod samples;

pub use corpus::{
    Corpus, Edge, EdgeEvidence, EdgeSource, Entry, FileKind, FileRef, GraphRules, IssueRef, ItemReferences,
    MissingReference, ParsedText, RecordedRemoval, ShownPlace, SourceRules, Target,
};
pub use edges::Graph;
pub use files::RepoFiles;
pub use find::RootMatch;
pub use identity::Identity;
pub use issue::{ClaimedIssue, IssueDraft, ParsedComment};
pub use merge_issues::unite;

// What later rooms see through the graph.
pub use crate::markdown::Outline;
pub use crate::mentions::Markdown;
pub use crate::model::ItemState;
pub use crate::model::{Node, Value};
pub use crate::records::{Authored, Body as ItemBody, Field, Item};
