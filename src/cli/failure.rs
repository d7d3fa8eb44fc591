//! What ends a command before it is done.

use super::console::printable;
use crate::engine::{EngineError, Unsettled};
use crate::intake::IntakeError;
use crate::model::Diagnostic;
use crate::store::StoreError;
use std::error::Error;
use std::io;

/// Why a command could not go on. Nothing half-done is left behind.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for something that cannot be.
    Usage(String),
    /// The outside world failed.
    Outside(Box<dyn Error>),
    /// Git changed files while they were read: the command may begin again.
    Unsettled,
    /// What was asked for may be in a file that cannot be read.
    Unread(Vec<Diagnostic>),
    /// The configuration cannot be used.
    Config {
        /// What is wrong with it, redacted.
        diagnostics: Vec<Diagnostic>,
        /// Its text, redacted, to show the lines concerned.
        text: Option<String>,
    },
}

impl Failure {
    /// A command line that cannot be followed; the message says what to do instead.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// In one line, without its causes.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Usage(message) => message.clone(),
            Self::Outside(error) => error.to_string(),
            Self::Unsettled => unsettled(),
            Self::Unread(_) => "an input cannot be read".to_owned(),
            Self::Config { .. } => "the configuration cannot be used".to_owned(),
        }
    }
}

/// The message about files that git does not stop changing.
fn unsettled() -> String {
    EngineError::Unsettled(Unsettled).to_string()
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Outside(Box::new(error))
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Config { diagnostics, text } => Self::Config { diagnostics, text },
            EngineError::Unread(diagnostics) => Self::Unread(diagnostics),
            EngineError::Unsettled(_) => Self::Unsettled,
            EngineError::Profile { .. } | EngineError::Root(_) => Self::Usage(error.to_string()),
            EngineError::Intake(error) => Self::Outside(Box::new(error)),
            EngineError::Store(error) => error.into(),
        }
    }
}

impl From<IntakeError> for Failure {
    fn from(error: IntakeError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<Unsettled> for Failure {
    fn from(_: Unsettled) -> Self {
        Self::Unsettled
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Outside(Box::new(error))
    }
}

/// A fault of the system at a path, told with both.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`", printable(path))]
pub(crate) struct PathFailure {
    doing: &'static str,
    path: String,
    source: io::Error,
}

impl PathFailure {
    /// Says what could not be done to which file.
    pub(crate) fn failure(doing: &'static str, path: impl Into<String>, source: io::Error) -> Failure {
        Failure::Outside(Box::new(Self { doing, path: path.into(), source }))
    }
}
