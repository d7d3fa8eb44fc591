//! Corpus → items and edges, each edge with its evidence; references of an item to files.

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
mod place;
mod quote;
mod references;
mod resolve;
mod shape;
mod stated;
mod strongest;
mod taken;
mod unite;

#[cfg(test)]
mod sample;

pub use corpus::{
    Corpus, Edge, EdgeSource, Entry, Evidence, FileKind, FileRef, IssueRef, Missing, Place, Referenced, Removal, Rules,
    SourceRules, Target, Text,
};
pub use edges::Graph;
pub use files::Files;
pub use find::Found;
pub use identity::Identity;
pub use issue::{Draft, Issue, Remark};
pub use unite::unite;

// What later rooms see through the graph.
pub use crate::model::ItemState;
pub use crate::parse::{Authored, Body as ItemBody, Field, Item, Markdown, Node, Value};
