//! Which command has which output formats.

use super::{Args, BoxCommand, Command};
use crate::console::Format;

/// Returns the formats that the command of this name has, at least with some of its options.
pub(super) fn formats_of(command: &str) -> &'static [Format] {
    use Format::{Github, Json, Markdown, Messages, Table, Text};
    match command {
        "list" => &[Text, Json, Github, Table],
        "init" | "sync" | "build" | "check" | "ready" => &[Text, Json, Github],
        "watch" | "verify" | "stats" | "redact" | "agent" | "batch" | "card" | "handover" | "dispatch" | "inbox" => {
            &[Text, Json]
        }
        "render" | "job" | "box" => &[Text, Json, Messages],
        "explain" => &[Text, Json, Markdown],
        "diff" | "since" => &[Text, Json, Markdown, Github],
        // They print JSON whatever the format.
        "notes" | "schema" => &[Text, Json],
        _ => &[Text],
    }
}

/// Joins the names of formats, each in backticks.
pub(super) fn listed(formats: &[Format]) -> String {
    let names: Vec<String> = formats.iter().map(|format| format!("`{}`", format.name())).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

impl Args {
    /// Returns why the command `name` cannot print the format that was asked for, if it cannot.
    pub(super) fn format_fault(&self, name: &str) -> Option<String> {
        let (formats, when) = match &self.command {
            Command::Job(options) if options.name.is_none() => (formats_of("agent"), " without a name"),
            Command::Box(options) if !matches!(options.command, BoxCommand::Show { .. }) => {
                (formats_of("card"), " other than for `box show`")
            }
            Command::Explain(options) if options.why_not.is_some() => (formats_of("verify"), " with `--why-not`"),
            Command::Explain(options) if !options.at.is_empty() => (formats_of("verify"), " with `--at`"),
            Command::Redact(options) if !options.report && !options.rules && options.why.is_none() => {
                (formats_of("report"), " without `--report`, `--rules` or `--why`")
            }
            _ => (formats_of(name), ""),
        };
        let asked = self.global.format;
        (!formats.contains(&asked)).then(|| formats_fault(name, formats, asked.name(), when))
    }
}

/// Returns the message that the command `name` has no format `asked`.
pub(super) fn formats_fault(name: &str, formats: &[Format], asked: &str, when: &str) -> String {
    let (noun, verb) = if formats.len() == 1 { ("format", "is") } else { ("formats", "are") };
    format!("`{name}` has no `--format {asked}`{when}: its {noun} {verb} {}", listed(formats))
}
