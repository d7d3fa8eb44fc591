//! Bytes → work items, ADRs and documents, one format a file.
//!
//! Records are generic over their text: `Item<String>` is as read, and only
//! `Item<Clean>` goes on past the door. [`Markdown`] is read from clean text.

mod adr;
mod answers;
mod clauses;
mod fields;
mod formats;
mod front_matter;
mod front_matter_block;
mod hints;
mod html;
mod issue;
mod item;
mod json;
mod markdown;
mod mentions;
mod paths;
mod record;
mod references;
mod relations;
mod run;
#[cfg(test)]
mod samples;
mod schema;
mod sections;
mod snapshot;
mod values;
mod walk;
mod words;
mod yaml;

pub use crate::model::{Node, Value};
pub use adr::{adr_number, adr_status};
pub use formats::{Parsed, items};
pub use front_matter_block::{FrontMatter, front_matter};
pub use issue::{Authored, Comment, Issue, IssueLink};
pub use markdown::{Block, Heading, Outline};
pub use mentions::{Markdown, Mentions, references_in_line};
pub use record::{Body, Field, FieldRelation, Item, Mention, Origin};
pub use references::{Reference, ReferenceForm};
pub use relations::{BodyRelation, Via};
pub use schema::{WorkItemFile, work_item_schema};
pub use snapshot::SnapshotFile;
