//! The errors of commands about cards and boxes.

use crate::store::StoreError;

/// An error of a command about cards or boxes; nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// The request cannot be followed: wrong types, missing or unknown fields, no valid name.
    #[error("{0}")]
    BadRequest(String),
    #[error("{0}")]
    NotFound(String),
    /// An argument names a box that nobody gave leave for.
    #[error("{0}")]
    Unauthorized(String),
    /// A file on disk is not what this program writes.
    #[error("{0}")]
    Invalid(String),
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
