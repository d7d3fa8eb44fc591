//! Bytes → work items and issues of the snapshot, one format a file.
//!
//! Records are generic over their text: `Item<String>` is as read, and only `Item<Clean>`, which redaction makes of it,
//! goes on to the graph.

#![expect(missing_docs, reason = "no part of the public API; names of fields say most")]

mod build;
mod comments;
mod fields;
mod formats;
mod front_matter;
mod item;
mod lines;
mod names;
mod nested;
mod snapshot;
mod syntax;

pub use crate::markdown::front_matter::FrontMatterFault;
pub use build::conflict_markers;
pub use formats::items;
pub use front_matter::{ReadFrontMatter, read_front_matter};
pub use item::{
    Authored, Body, Comment, Field, FieldRelation, Issue, IssueLink, Item, KeptCode, Mention, Origin, RecordPart,
};
pub use snapshot::SnapshotFile;

/// The JSON Schema of a work item in a file.
pub const WORK_ITEM_SCHEMA: &str = include_str!("../../schema/work-item.schema.json");
