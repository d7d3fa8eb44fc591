//! What keeps a session from building.

use crate::intake::IntakeError;
use crate::model::Diagnostic;
use crate::pipeline::Unsettled;
use crate::store::StoreError;

/// A build could not begin, or could not write.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The configuration cannot be used; what is said of it is clean.
    #[error("the configuration cannot be used")]
    Config(Vec<Diagnostic>),
    /// A pattern of `redaction.deny_paths` cannot be used.
    #[error("`redaction.deny_paths`: {0}")]
    Deny(String),
    /// A profile that was asked for is not one of the configuration.
    #[error("there is no profile `{0}`")]
    Profile(String),
    /// The repo cannot be read.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// Git goes on changing files.
    #[error("git changed files while they were read, again and again; the packs are as they were")]
    Unsettled(#[from] Unsettled),
    /// A pack cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
