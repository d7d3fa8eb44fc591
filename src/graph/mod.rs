//! Corpus → items and edges, each edge with its evidence; references of an item to files.

mod corpus;
mod cycles;
mod edges;
mod files;
mod find;
mod index;
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

#[cfg(test)]
mod sample;

pub use corpus::{
    Corpus, Edge, EdgeSource, Entry, Evidence, FileKind, FileRef, IssueRef, Missing, Place, Referenced, Removal, Rules,
    SourceRules, Target, Text,
};
pub use edges::Graph;
pub use files::Files;
pub use find::Found;

// What later rooms see through the graph.
pub use crate::model::ItemState;
pub use crate::parse::{Field, Item, Markdown, Node, Value};
