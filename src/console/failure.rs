//! How a command ends: its exit code, or the error that ends it early.

use super::printable;
use crate::engine::{EngineError, Unsettled, process_environment};
use crate::intake::IntakeError;
use crate::model::{Code, Diagnostic, Severity};
use crate::redact::Redactor;
use crate::store::StoreError;
use std::error::Error;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, with or without warnings.
    Done = 0,
    /// A file, a permission or the network failed.
    Outside = 1,
    /// Wrong usage, or the repo requires another version.
    Usage = 2,
    /// The input has errors.
    Input = 3,
    /// Packs are stale, or differ.
    Stale = 4,
    /// A pack is not valid.
    Invalid = 5,
    /// Ended by the user or the system; the code that shells use for Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// From highest to lowest precedence, as documented.
    const ORDER: [Exit; 6] = [Self::Usage, Self::Outside, Self::Input, Self::Invalid, Self::Stale, Self::Done];

    /// Returns the exit code that follows from the diagnostics of what a command was asked: 3 if any is an error.
    #[must_use]
    pub(crate) fn of(diagnostics: &[Diagnostic]) -> Self {
        let has_error = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if has_error { Self::Input } else { Self::Done }
    }

    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self::ORDER.into_iter().find(|exit| *exit == self || *exit == other).unwrap_or(self)
    }

    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

/// An error that ends a command. Every file is left whole.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line cannot be followed; the message says what to do instead.
    Usage(String),
    /// The input has an error that has no place in a file of the user's; the message says all.
    Input(String),
    /// What the message names does not exist: wrong usage, or an error of the input.
    NotFound(Exit, String),
    /// The message names something that was not given to the agent.
    Unauthorized(String),
    /// A file, the network or another program failed.
    Outside(Box<dyn Error>),
    /// Git changed files while they were read; the command may start again.
    Unsettled,
    /// A requested root may be in a file that cannot be read.
    Unread(Vec<Diagnostic>),
    /// What is wrong with the input was printed; its diagnostics, if it has any, are for programs.
    Reported(Exit, Vec<Diagnostic>),
    /// The configuration is invalid. Its errors and its text, from which lines are quoted, are redacted.
    Config { diagnostics: Vec<Diagnostic>, text: Option<String> },
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// Changes the message of wrong usage or input.
    pub(crate) fn map_message(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Usage(message) => Self::Usage(change(message)),
            Self::Input(message) => Self::Input(change(message)),
            Self::NotFound(exit, message) => Self::NotFound(exit, change(message)),
            Self::Unauthorized(message) => Self::Unauthorized(change(message)),
            failure => failure,
        }
    }

    /// Returns the message on one line, without its causes. It may quote what was typed, so that secrets are removed from it.
    pub(crate) fn message(&self) -> String {
        without_secrets(&self.raw_message())
    }

    pub(crate) fn with_causes(&self) -> String {
        let causes = std::iter::successors(self.cause(), |cause| (*cause).source());
        without_secrets(&causes.fold(self.raw_message(), |text, cause| format!("{text}: {cause}")))
    }

    pub(super) fn cause(&self) -> Option<&(dyn Error + 'static)> {
        if let Self::Outside(error) = self { error.source() } else { None }
    }

    /// Returns the exit code; `None` if a reader has seen enough, such as `head`, which is no failure.
    pub(super) fn exit(&self) -> Option<Exit> {
        let is_version = |it: &Diagnostic| it.code == Code::RequiredVersion;
        match self {
            Self::Config { diagnostics, .. } if diagnostics.iter().any(is_version) => Some(Exit::Usage),
            Self::Config { .. } | Self::Unread(_) | Self::Input(_) | Self::Unauthorized(_) => Some(Exit::Input),
            Self::Usage(_) => Some(Exit::Usage),
            Self::NotFound(exit, _) => Some(*exit),
            Self::Outside(error) => {
                let kind = error.downcast_ref().map(io::Error::kind);
                (kind != Some(io::ErrorKind::BrokenPipe)).then_some(Exit::Outside)
            }
            Self::Unsettled => Some(Exit::Outside),
            Self::Reported(exit, _) => Some(*exit),
        }
    }

    /// Returns the stable word for the kind of failure, for programs (`docs/commands.md`).
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Usage(_) => "bad_request",
            Self::NotFound(..) => "not_found",
            Self::Unauthorized(_) => "unauthorized",
            Self::Input(_) | Self::Unread(_) | Self::Reported(..) | Self::Config { .. } => "invalid_input",
            Self::Outside(_) => "failed",
            Self::Unsettled => "busy",
        }
    }

    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Config { diagnostics, .. } | Self::Unread(diagnostics) | Self::Reported(_, diagnostics) => {
                diagnostics
            }
            _ => &[],
        }
    }

    /// Returns everything that the command line prints about it, without secrets and without styles: its diagnostics with
    /// their help, or its message with its causes.
    pub(crate) fn in_full(&self) -> String {
        let lines = self.diagnostics().iter().map(|diagnostic| without_secrets(&diagnostic.to_string()));
        let lines: Vec<String> = lines.chain(self.diagnostics().is_empty().then(|| self.with_causes())).collect();
        lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
    }

    fn raw_message(&self) -> String {
        match self {
            Self::Usage(message) | Self::Input(message) => message.clone(),
            Self::NotFound(_, message) | Self::Unauthorized(message) => message.clone(),
            Self::Outside(error) => error.to_string(),
            Self::Unsettled => EngineError::Unsettled(Unsettled).to_string(),
            Self::Unread(_) => "an input cannot be read".to_owned(),
            Self::Reported(_, diagnostics) => diagnostics.first().map_or_else(
                || "there is no valid pack: standard error says why".to_owned(),
                |first| first.message.clone(),
            ),
            Self::Config { .. } => "the configuration cannot be used".to_owned(),
        }
    }
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
            EngineError::Unread(diagnostics) | EngineError::NotBuilt { diagnostics } => Self::Unread(diagnostics),
            EngineError::Unsettled(_) => Self::Unsettled,
            error if error.is_not_found() => Self::NotFound(Exit::Usage, error.to_string()),
            EngineError::Profile { .. }
            | EngineError::Root(_)
            | EngineError::Agent(_)
            | EngineError::Target(_)
            | EngineError::InOutputFolder { .. } => Self::Usage(error.to_string()),
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

#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`", printable(path))]
pub(crate) struct PathFailure {
    doing: &'static str,
    path: String,
    source: io::Error,
}

impl PathFailure {
    pub(crate) fn failure(doing: &'static str, path: impl Into<String>, source: io::Error) -> Failure {
        Failure::Outside(Box::new(Self { doing, path: path.into(), source }))
    }
}

/// Returns a text that was typed, or quotes what was, without secrets, as far as the built-in rules and the environment know them.
pub(crate) fn without_secrets(typed: &str) -> String {
    process_environment().mask(&Redactor::built_in().line(typed))
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn of_several_ends_the_first_in_the_documented_order_wins() {
        assert_eq!(Exit::ORDER.map(Exit::code), [2, 1, 3, 5, 4, 0]);
        assert_eq!(Exit::Stale.and(Exit::Input), Exit::Input);
        assert_eq!(Exit::Outside.and(Exit::Stale).and(Exit::Done), Exit::Outside);
    }
}
