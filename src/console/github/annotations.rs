//! Annotations in the log of a workflow, within GitHub's limits.

use super::{random_word, workspace_prefix};
use crate::console::{Guarded, counted, printable, workflow_commands};
use crate::model::{Diagnostic, Place, Severity};
use std::borrow::Cow;
use std::io::{self, Write};

/// The number of annotations of one severity that GitHub shows per step.
const SHOWN: usize = 10;
const MAX_MESSAGE_CHARS: usize = 2000;

/// The annotations of a run, collected so that they can be counted.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    /// The repo's path in the workflow's workspace: empty, or with a final `/`.
    prefix: String,
    /// Workflow commands, without the leading colons.
    commands: Vec<String>,
    /// Lines for the log only.
    logged: Vec<String>,
    errors: usize,
    warnings: usize,
}

impl Annotations {
    pub(crate) fn new() -> Self {
        Self { prefix: workspace_prefix(), ..Self::default() }
    }

    pub(crate) fn add_diagnostics<'a>(&mut self, diagnostics: impl IntoIterator<Item = &'a Diagnostic>) {
        for Diagnostic { severity, code, at, message, help, .. } in diagnostics {
            let place = at.as_ref().map_or_else(String::new, |Place { path, line, column }| {
                let line = line.map(|line| format!("line={line},")).unwrap_or_default();
                let column = column.map(|column| format!("col={column},")).unwrap_or_default();
                self.file(path.as_str()) + &line + &column
            });
            let help = help.as_ref().map(|help| format!("help: {help}"));
            let texts = std::iter::once(message.as_str()).chain(help.as_deref());
            self.add(*severity, &place, code.name(), texts);
        }
    }

    /// Adds a pack that differs from its build.
    pub(crate) fn add_pack(&mut self, path: &str, status: &str, reasons: &str) {
        // An unverifiable pack does not fail a check by itself.
        let severity = if status == "unverifiable" { Severity::Warning } else { Severity::Error };
        self.add(severity, &self.file(path), &format!("{status} pack"), [&*format!("{status}: {reasons}")]);
    }

    /// Adds a change of a pack that needs review.
    pub(crate) fn add_review(&mut self, path: &str, reason: &str, message: &str) {
        self.add(Severity::Warning, &self.file(path), &reason.replace('_', " "), [message]);
    }

    pub(crate) fn add_error(&mut self, message: &str) {
        self.add(Severity::Error, "", "contextpack", [message]);
    }

    pub(crate) fn log(&mut self, line: &str) {
        self.logged.push(printable(line).into_owned());
    }

    fn file(&self, path: &str) -> String {
        format!("file={},", property(&format!("{}{path}", self.prefix)))
    }

    fn add<'a>(&mut self, severity: Severity, place: &str, title: &str, texts: impl IntoIterator<Item = &'a str>) {
        let (name, count) = match severity {
            Severity::Error => ("error", &mut self.errors),
            Severity::Warning => ("warning", &mut self.warnings),
        };
        *count += 1;
        let lines: Vec<String> = texts.into_iter().map(|text| printable(&cut(text)).into_owned()).collect();
        if *count <= SHOWN {
            let message = lines.join("\n");
            self.commands.push(format!("{name} {place}title={}::{}", property(title), escaped(&message)));
        } else {
            let place = if place.is_empty() { String::new() } else { format!(" ({})", place.trim_end_matches(',')) };
            self.logged.push(format!("{name}[{title}]{place}: {}", lines.join(" ")));
        }
    }

    /// Prints the annotations, the log, and the number of annotations over the limit.
    pub(crate) fn print(self) -> io::Result<()> {
        self.write(&mut workflow_commands())
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        for command in &self.commands {
            // The intended command; the guard escapes any other.
            write!(out, "::")?;
            writeln!(Guarded::new(&mut *out), "{command}")?;
        }
        fenced(out, &self.logged)?;
        let over = [(self.errors, "more error"), (self.warnings, "more warning")];
        let over = over.map(|(count, what)| (count.saturating_sub(SHOWN), what)).into_iter();
        let more: Vec<String> = over.filter(|(more, _)| *more > 0).map(|(more, what)| counted(more, what)).collect();
        if !more.is_empty() {
            writeln!(out, "{} in the log above: GitHub shows {SHOWN} of each for a step", more.join(" and "))?;
        }
        out.flush()
    }
}

/// Writes lines in which GitHub executes no command.
fn fenced(out: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    // A random word ends the fence, so no text can contain it.
    let word = random_word()?;
    writeln!(out, "::stop-commands::{word}")?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "::{word}::")
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(&printable(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn written(annotations: Annotations) -> String {
        let mut out = Vec::new();
        annotations.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_annotation_cannot_be_broken_by_its_texts() {
        let mut annotations = Annotations::default();
        annotations.add_diagnostics([&Diagnostic::sample("50%\r\n::error::x")]);
        annotations.add_pack("packs/a,b.json", "stale", "100%: x");
        assert_eq!(
            written(annotations),
            "::warning file=work_items/a%2Cb%3Ac.md,line=6,col=3,title=unknown-id::50%25\\r\\n::error::x%0Ahelp: did you mean `x`?\n\
             ::error file=packs/a%2Cb.json,title=stale pack::stale: 100%25: x\n"
        );
    }

    #[test]
    fn a_long_text_is_cut() {
        let mut annotations = Annotations::default();
        annotations.add_error(&"ü".repeat(5000));
        let text = written(annotations);
        assert_eq!((text.matches('ü').count(), text.ends_with("…\n")), (MAX_MESSAGE_CHARS, true));
    }
}
