//! Annotations in the log of a workflow, within GitHub's limits.

use super::{random_word, workspace_prefix};
use crate::console::{self, Guarded, printable};
use crate::model::{Diagnostic, Severity};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The number of annotations of one severity that GitHub shows per step.
const SHOWN: usize = 10;

/// The longest message, in characters.
const LONGEST: usize = 2000;

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
    /// Creates an empty collection; paths are relative to the workflow's workspace.
    pub(crate) fn new() -> Self {
        Self { prefix: workspace_prefix(), ..Self::default() }
    }

    /// Adds diagnostics, in their order.
    pub(crate) fn add_diagnostics<'a>(&mut self, diagnostics: impl IntoIterator<Item = &'a Diagnostic>) {
        for diagnostic in diagnostics {
            let mut place = String::new();
            if let Some(at) = &diagnostic.at {
                let _ = write!(place, "file={},", property(&format!("{}{}", self.prefix, at.path)));
                if let Some(line) = at.line {
                    let _ = write!(place, "line={line},");
                }
                if let Some(column) = at.column {
                    let _ = write!(place, "col={column},");
                }
            }
            let help = diagnostic.help.as_ref().map(|help| format!("help: {help}"));
            let texts = std::iter::once(diagnostic.message.as_str()).chain(help.as_deref());
            self.add(diagnostic.severity, &place, diagnostic.code.name(), texts);
        }
    }

    /// Adds a pack that differs from its build.
    pub(crate) fn add_pack(&mut self, path: &str, status: &str, reasons: &str) {
        // An unverifiable pack does not fail a check by itself.
        let severity = if status == "unverifiable" { Severity::Warning } else { Severity::Error };
        let place = format!("file={},", property(&format!("{}{path}", self.prefix)));
        self.add(severity, &place, &format!("{status} pack"), [format!("{status}: {reasons}").as_str()]);
    }

    /// Adds a change of a pack that needs review.
    pub(crate) fn add_review(&mut self, path: &str, reason: &str, message: &str) {
        let place = format!("file={},", property(&format!("{}{path}", self.prefix)));
        self.add(Severity::Warning, &place, &reason.replace('_', " "), [message]);
    }

    /// Adds an error without a place.
    pub(crate) fn add_error(&mut self, message: &str) {
        self.add(Severity::Error, "", "contextpack", [message]);
    }

    /// Adds a line for the log.
    pub(crate) fn log(&mut self, line: &str) {
        self.logged.push(printable(line).into_owned());
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
        self.write(&mut console::workflow_commands())
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        for command in &self.commands {
            // The intended command; the guard escapes any other.
            write!(out, "::")?;
            writeln!(Guarded::new(&mut *out), "{command}")?;
        }
        fenced(out, &self.logged)?;
        let more = |count: usize, name: &str| {
            let more = count.saturating_sub(SHOWN);
            (more > 0).then(|| format!("{more} more {name}{}", if more == 1 { "" } else { "s" }))
        };
        let more: Vec<String> =
            [more(self.errors, "error"), more(self.warnings, "warning")].into_iter().flatten().collect();
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
    match text.char_indices().nth(LONGEST) {
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
    fn what_is_over_the_limit_is_in_the_log_and_counted_in_the_last_line() {
        let mut annotations = Annotations::default();
        let warnings: Vec<Diagnostic> = (0..12).map(|n| Diagnostic::sample(&format!("w{n}"))).collect();
        annotations.add_diagnostics(&warnings);
        for n in 0..11 {
            annotations.add_pack(&format!("packs/{n}.json"), "stale", "x");
        }
        let text = written(annotations);
        let count = |begin: &str| text.lines().filter(|line| line.starts_with(begin)).count();
        assert_eq!((count("::warning "), count("::error ")), (10, 10));
        assert_eq!((count("warning["), count("error[")), (2, 1));
        assert!(text.contains("w11") && text.contains("packs/10.json"), "{text}");
        assert!(
            text.ends_with("\n1 more error and 2 more warnings in the log above: GitHub shows 10 of each for a step\n")
        );
    }

    #[test]
    fn a_logged_text_is_fenced_by_unpredictable_words() {
        let fence = || {
            let mut annotations = Annotations::default();
            annotations.log("::add-mask::x\n::stop-commands::y ##[error]z");
            let text = written(annotations);
            let lines: Vec<&str> = text.lines().collect();
            let word = lines[0].strip_prefix("::stop-commands::").unwrap().to_owned();
            assert_eq!(lines[1..], ["::add-mask::x\\n::stop-commands::y ##[error]z", &format!("::{word}::")]);
            word
        };
        assert_ne!(fence(), fence());
        assert_eq!(fence().len(), "contextpack-".len() + 32);
    }

    #[test]
    fn a_long_text_is_cut() {
        let mut annotations = Annotations::default();
        annotations.add_error(&"ü".repeat(5000));
        let text = written(annotations);
        assert_eq!((text.matches('ü').count(), text.ends_with("…\n")), (LONGEST, true));
    }
}
