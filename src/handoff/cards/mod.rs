//! Cards, boxes and logs: what an agent leaves for others, as files below `context/` that never change
//! (`docs/handover.md`).
//!
//! A card is one message or fact, a box a list of cards, a log a box that is only ever appended to. Every file is the RFC
//! 8785 form of its content and is named by its SHA-256, so that two branches can add to them and merge without conflict.

mod beside;
mod boxes;
mod card;
mod check;
mod clock;
mod error;
mod export;
mod id;
mod import;
mod json;
mod prepare;
mod schema;
mod store;
mod tool_call;
mod transaction;

pub use boxes::{BoxContent, BoxSnapshot, LogAppend, LogEntry, LogName, LogSummary};
pub use card::{Card, CardContent, Role, ToolError};
pub(crate) use check::missing;
pub use check::{CardChecker, check_file, context_folder};
pub use clock::highest_clock;
pub use error::CardError;
pub use export::{MessageStyle, messages};
pub use id::{ContentId, IdPrefix};
pub use import::import;
pub use json::{canonical_bytes, check_hash, parse, present, without_line_end};
pub use prepare::{CardWriter, PreparedCard};
pub use schema::{box_schema, card_schema};
pub use store::{CardStore, FileKind, LARGEST_BATCH, ReadCard};
pub use tool_call::ToolCall;
pub use transaction::Transaction;
