//! What ends a command before it is done.

use super::args::Format;
use super::console::{self, printable};
use super::exit::Exit;
use super::github::Annotations;
use super::report;
use crate::engine::{EngineError, Unsettled};
use crate::intake::IntakeError;
use crate::model::{Code, Diagnostic};
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

    /// Tells it on stderr, or in a workflow's log as annotations on stdout, and how the command ends.
    pub(crate) fn print(self, format: Format) -> Exit {
        let github = format == Format::Github;
        let stderr = &mut console::stderr();
        let (exit, told) = match self {
            Self::Config { diagnostics, text } => {
                let version = diagnostics.iter().any(|diagnostic| diagnostic.code == Code::RequiredVersion);
                let told = if github {
                    report::tell(format, &diagnostics, &|_| None)
                } else {
                    report::text(stderr, &diagnostics, &|_| text.clone())
                };
                (if version { Exit::Usage } else { Exit::Input }, told)
            }
            Self::Unread(diagnostics) => {
                let told = match github {
                    true => report::tell(format, &diagnostics, &|_| None),
                    false => report::text(stderr, &diagnostics, &|_| None),
                };
                (Exit::Input, told)
            }
            Self::Unsettled if github => (Exit::Outside, annotate(&unsettled(), None)),
            Self::Unsettled => (Exit::Outside, report::plain_error(stderr, &unsettled(), None)),
            Self::Usage(message) if github => (Exit::Usage, annotate(&message, None)),
            Self::Usage(message) => (Exit::Usage, report::plain_error(stderr, &message, None)),
            Self::Outside(error) => {
                // A reader that has seen enough, such as `head`, is no failure.
                let broken = error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
                if broken {
                    return Exit::Done;
                }
                let told = match github {
                    true => annotate(&error.to_string(), error.source()),
                    false => report::plain_error(stderr, &error.to_string(), error.source()),
                };
                (Exit::Outside, told)
            }
        };
        // Where stderr itself is gone there is nobody left to tell.
        let _ = told;
        exit
    }
}

/// The message about files that git does not stop changing.
fn unsettled() -> String {
    EngineError::Unsettled(Unsettled).to_string()
}

/// An error without a place, with its chain of causes, as an annotation.
fn annotate(message: &str, cause: Option<&(dyn Error + 'static)>) -> io::Result<()> {
    let mut text = message.to_owned();
    let mut next = cause;
    while let Some(cause) = next {
        text += &format!(": {cause}");
        next = cause.source();
    }
    let mut annotations = Annotations::new();
    annotations.error(&text);
    annotations.print()
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
