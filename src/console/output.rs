//! The JSON form of diagnostics and of the error that keeps a command from beginning.

use crate::model::{Diagnostic, Severity};
use serde::Serialize;

/// What a command prints that cannot begin: wrong usage, or an unusable configuration. Its text is on standard error too.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorOutput {
    /// The error.
    pub(crate) error: CommandError,
}

/// Why a command cannot begin.
#[derive(Debug, Serialize)]
pub(crate) struct CommandError {
    /// The message.
    pub(crate) message: String,
    /// The exit code.
    pub(crate) exit_code: u8,
    /// The errors of the configuration, or of the input that cannot be read.
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

/// Something wrong with the input.
#[derive(Debug, Serialize)]
pub(crate) struct OutputDiagnostic {
    /// How bad it is.
    pub(crate) severity: Severity,
    /// Its stable name; each has a page in the documentation.
    pub(crate) code: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) help: Option<String>,
    /// The file, from the repo's root.
    pub(crate) path: Option<String>,
    /// The line, from 1.
    pub(crate) line: Option<u32>,
    /// The column in characters, from 1.
    pub(crate) column: Option<u32>,
    /// Ids of the items it concerns.
    pub(crate) about: Vec<String>,
}

impl From<&Diagnostic> for OutputDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        let at = diagnostic.at.as_ref();
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.name().to_owned(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            path: at.map(|at| at.path.to_string()),
            line: at.and_then(|at| at.line),
            column: at.and_then(|at| at.column),
            about: diagnostic.about.clone(),
        }
    }
}

/// Converts diagnostics to their JSON form.
pub(crate) fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<OutputDiagnostic> {
    diagnostics.iter().map(OutputDiagnostic::from).collect()
}
