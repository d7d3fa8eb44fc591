//! The output formats.

use clap::ValueEnum;

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For comments and documents
    Markdown,
    /// Annotations in GitHub's workflow logs
    Github,
    /// Messages of a chat, as JSON
    Messages,
    /// For people, with a header and fitted to the terminal
    Table,
}

impl Format {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Github => "github",
            Self::Messages => "messages",
            Self::Table => "table",
        }
    }
}
