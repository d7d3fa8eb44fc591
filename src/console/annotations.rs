//! Annotations in the log of a workflow's step, and the fence around lines in which GitHub executes no command.

use super::{Guarded, counted, printable, workflow_commands};
use crate::intake::Repo;
use crate::model::{Diagnostic, Place, Severity};
use crate::review::PackStatus;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// The number of annotations of one severity that GitHub shows per step.
const SHOWN: usize = 10;
const MAX_MESSAGE_CHARS: usize = 2000;

/// The annotations of a run, collected so that they can be counted.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    /// The repo's path in the workflow's workspace: empty, or with a final `/`.
    prefix: String,
    commands: Vec<String>,
    logged: Vec<String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Annotations {
    pub(crate) fn new() -> Self {
        Self { prefix: workspace_prefix(), ..Self::default() }
    }

    pub(crate) fn add_diagnostics<'a>(&mut self, diagnostics: impl IntoIterator<Item = &'a Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.add_diagnostic(diagnostic.severity.name(), diagnostic));
    }

    /// Adds what is no news: errors that count as none as notices, all else to the log.
    pub(crate) fn add_known(&mut self, known: &[Diagnostic]) {
        known.iter().for_each(|known| match known.severity {
            Severity::Error => self.add_diagnostic("notice", known),
            Severity::Warning => self.log(&known.to_string()),
        });
    }

    fn add_diagnostic(&mut self, name: &'static str, Diagnostic { code, at, message, help, .. }: &Diagnostic) {
        let place = at.as_ref().map_or_else(String::new, |Place { path, line, column }| {
            let line = line.map(|line| format!("line={line},")).unwrap_or_default();
            let column = column.map(|column| format!("col={column},")).unwrap_or_default();
            self.file(path.as_str()) + &line + &column
        });
        let help = help.as_ref().map(|help| format!("help: {help}"));
        self.add(name, &place, code.name(), std::iter::once(message.as_str()).chain(help.as_deref()));
    }

    pub(crate) fn add_pack(&mut self, path: &str, status: PackStatus, reasons: &str) {
        // An unverifiable pack does not fail a check by itself.
        let severity = if status == PackStatus::Unverifiable { "warning" } else { "error" };
        self.add(severity, &self.file(path), &format!("{status} pack"), [&*format!("{status}: {reasons}")]);
    }

    pub(crate) fn add_review(&mut self, path: &str, reason: &str, message: &str) {
        self.add("warning", &self.file(path), &reason.replace('_', " "), [message]);
    }

    pub(crate) fn add_error(&mut self, message: &str) {
        self.add("error", "", "contextpack", [message]);
    }

    pub(crate) fn log(&mut self, line: &str) {
        self.logged.push(printable(line).into_owned());
    }

    fn file(&self, path: &str) -> String {
        format!("file={},", property(&format!("{}{path}", self.prefix)))
    }

    fn add<'a>(&mut self, name: &'static str, place: &str, title: &str, texts: impl IntoIterator<Item = &'a str>) {
        let count = self.counts.entry(name).or_default();
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
        let over = self.counts.iter().filter(|(_, count)| **count > SHOWN);
        let more: Vec<String> = over.map(|(name, count)| counted(count - SHOWN, &format!("more {name}"))).collect();
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

pub(super) fn random_word() -> io::Result<String> {
    let mut word = [0; 16];
    getrandom::fill(&mut word)?;
    Ok(format!("contextpack-{:032x}", u128::from_le_bytes(word)))
}

/// Returns the repo's path in the workflow's workspace: empty, or with a final `/`.
pub(super) fn workspace_prefix() -> String {
    let below = || {
        let workspace = std::env::var_os("GITHUB_WORKSPACE").filter(|value| !value.is_empty())?;
        let workspace = Path::new(&workspace).canonicalize().ok()?;
        let root = Repo::find_root(&std::env::current_dir().ok()?).ok()?.canonicalize().ok()?;
        let below = root.strip_prefix(workspace).ok()?.to_str()?.replace('\\', "/");
        (!below.is_empty()).then(|| format!("{below}/"))
    };
    below().unwrap_or_default()
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
        annotations.add_pack("packs/a,b.json", PackStatus::Stale, "100%: x");
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
            annotations.add_pack(&format!("packs/{n}.json"), PackStatus::Stale, "x");
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
        assert_eq!((text.matches('ü').count(), text.ends_with("…\n")), (MAX_MESSAGE_CHARS, true));
    }
}
