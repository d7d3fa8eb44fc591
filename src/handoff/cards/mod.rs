//! Cards, boxes and logs: what an agent leaves for others, as files below `context/` that never change
//! (`docs/handover.md`).
//!
//! A card is one message or fact, a box a list of cards, a log a box that is only ever appended to. Every file is the RFC
//! 8785 form of its content and is named by its SHA-256, so that two branches can add to them and merge without conflict.

mod boxes;
mod card;
mod id;
mod json;
#[cfg(feature = "handoff")]
mod messages;
mod prepare;
mod store;

pub use boxes::{BoxContent, BoxSnapshot, LogAppend, LogEntry, LogName, highest_clock, once};
pub use card::{Card, CardContent, Role, ToolCall, ToolError};
pub use id::{ContentId, is_hex, only_one};
pub(crate) use json::parse_file;
pub use json::{canonical_bytes, check_hash, parse, without_line_end};
#[cfg(feature = "handoff")]
pub use messages::{MessageStyle, import, is_of_request, messages};
pub use prepare::{CardWriter, PreparedCard};
pub use store::{CardFileKind, CardStore, LARGEST_BATCH, ReadCard, WrittenFiles};
pub use store::{DELETED, TOMBSTONE, read_append, unchanged};

use crate::store::StoreError;

/// An error of a command about cards or boxes; nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// The request cannot be followed: wrong types, missing or unknown fields, no valid name.
    #[error("{0}")]
    BadRequest(String),
    #[error("{0}")]
    NotFound(String),
    /// A file on disk is not what this program writes.
    #[error("{0}")]
    Invalid(String),
    /// An argument names a box that nobody gave leave for.
    #[error("{0}")]
    Unauthorized(String),
    #[error("{0}")]
    Secret(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CardError {
    pub fn bad(message: impl Into<String>) -> Self {
        Self::BadRequest(message.into())
    }

    pub fn box_not_found(name: &str) -> Self {
        Self::NotFound(format!(
            "box not found: {name} (help: `contextpack box list` lists them; `git pull` if another clone made it)"
        ))
    }

    pub fn card_not_found(name: &str) -> Self {
        Self::NotFound(format!("card not found: {name} (help: `git pull` if another clone made it)"))
    }
}
