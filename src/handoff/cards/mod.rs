//! Cards, boxes and logs: what an agent leaves for others, as files below `context/` that never change
//! (`docs/handover.md`).
//!
//! A card is one message or fact, a box a list of cards, a log a box that is only ever appended to. Every file is the RFC
//! 8785 form of its content and is named by its SHA-256, so that two branches can add to them and merge without conflict.

mod boxes;
mod card;
mod error;
mod id;
mod json;
mod messages;
mod prepare;
mod store;

pub use boxes::{BoxContent, BoxSnapshot, LogAppend, LogEntry, LogName, highest_clock};
pub use card::{Card, CardContent, Role, ToolCall, ToolError};
pub use error::CardError;
pub use id::{ContentId, is_hex, only_one};
pub(crate) use json::parse_file;
pub use json::{canonical_bytes, check_hash, parse, without_line_end};
pub use messages::{MessageStyle, import, messages};
pub use prepare::{CardWriter, PreparedCard};
pub use store::{CardStore, FileKind, LARGEST_BATCH, ReadCard, Written};
pub use store::{DELETED, TOMBSTONE, read_append, unchanged};
