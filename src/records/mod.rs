//! Bytes → work items and issues of the snapshot, one format a file.
//!
//! Records are generic over their text: `Item<String>` is as read, and only `Item<Clean>`, which redaction makes of it,
//! goes on to the graph.

mod build;
mod fields;
mod formats;
mod front_matter;
mod issue;
mod issue_form;
mod item;
mod json;
#[cfg(test)]
mod samples;
mod schema;
mod snapshot;
mod unknown_field;
mod values;

mod yaml;

pub use formats::{Parsed, items};
pub use issue::{Authored, Comment, Issue, IssueLink};
pub use item::{Body, Field, FieldRelation, Item, Mention, Origin};
pub use schema::{WorkItemFile, work_item_schema};
pub use snapshot::SnapshotFile;
