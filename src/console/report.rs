//! How diagnostics, failures and lines are printed: as text, JSON or GitHub's annotations.

use super::annotations::Annotations;
use super::failure::{Exit, Failure};
use super::{has_output, json_text, printable, stderr, stdout};
use crate::engine::process_environment;
use crate::model::{Code, Diagnostic, Severity, named_enum};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

named_enum! {
    #[derive(ValueEnum)]
    pub(crate) enum Format {
        /// For people
        Text = "text",
        /// For programs
        Json = "json",
        /// For comments and documents
        Markdown = "markdown",
        /// Annotations in GitHub's workflow logs
        Github = "github",
        /// Messages of a chat, as JSON; `openai` is another name for it
        #[value(alias = "openai")]
        Messages = "messages",
        /// Messages for Anthropic's API, with marks of what other packs share, as JSON
        Anthropic = "anthropic",
        /// A pack beside its text and the two parts of it, as JSON
        Parts = "parts",
        /// For people, with a header and fitted to the terminal
        Table = "table",
    }
}

const BOLD: Style = Style::new().bold();
const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const FRAME: Style = AnsiColor::BrightBlue.on_default().bold();
const MAX_SOURCE_CHARS: usize = 120;

/// Prints `value` as JSON if `format` asks for that, else `lines`, in which nothing controls a terminal.
pub(crate) fn print_lines<T: Serialize>(
    format: Format,
    value: &T,
    lines: impl IntoIterator<Item = String>,
) -> io::Result<()> {
    let mut out = stdout();
    if format == Format::Json {
        return writeln!(out, "{}", json_text(value));
    }
    let environment = process_environment();
    lines.into_iter().try_for_each(|line| writeln!(out, "{}", printable(&environment.mask(&line))))
}

/// Returns the diagnostics that people see: all, or with `errors_only` those that make the command fail.
pub(crate) fn visible(diagnostics: &[Diagnostic], errors_only: bool) -> Vec<Diagnostic> {
    let is_visible = |diagnostic: &&Diagnostic| !errors_only || diagnostic.severity == Severity::Error;
    diagnostics.iter().filter(is_visible).cloned().collect()
}

/// The most warnings, or errors, of one code that people see one by one.
const MAX_ALIKE: usize = 10;

/// Returns the diagnostics for people: of more than ten warnings or errors of one code the first with their number, unless
/// they are `verbose`.
pub(crate) fn folded(diagnostics: &[Diagnostic], verbose: bool) -> Cow<'_, [Diagnostic]> {
    folded_to(if verbose { usize::MAX } else { MAX_ALIKE }, diagnostics)
}

/// Returns of more than `most` warnings or errors of one code the first with their number.
pub(crate) fn folded_to(most: usize, diagnostics: &[Diagnostic]) -> Cow<'_, [Diagnostic]> {
    let mut counts = BTreeMap::<(Code, Severity), usize>::new();
    diagnostics.iter().for_each(|it| *counts.entry((it.code, it.severity)).or_default() += 1);
    if counts.values().all(|count| *count <= most) {
        return Cow::Borrowed(diagnostics);
    }
    let mut shown = Vec::new();
    for diagnostic in diagnostics {
        match counts.get_mut(&(diagnostic.code, diagnostic.severity)) {
            Some(0) => {}
            Some(count) if *count > most => {
                let message = format!("{count} times, `-v` shows all; first: {}", diagnostic.message);
                shown.push(Diagnostic { message, ..diagnostic.clone() });
                *count = 0;
            }
            _ => shown.push(diagnostic.clone()),
        }
    }
    Cow::Owned(shown)
}

pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic]) -> io::Result<()> {
    write_diagnostics(&mut stderr(), diagnostics, None)
}

/// Prints the errors of a configuration with this redacted text, with the lines that they are about.
pub(crate) fn print_config_diagnostics(diagnostics: &[Diagnostic], text: Option<&str>) -> io::Result<()> {
    write_diagnostics(&mut stderr(), diagnostics, text)
}

/// Prints an error that has no place on standard error, with its chain of causes.
pub(crate) fn print_error(message: &str, cause: Option<&(dyn Error + 'static)>) -> io::Result<()> {
    let mut err = stderr();
    writeln!(err, "{ERROR}error{ERROR:#}{BOLD}: {}{BOLD:#}", printable(message))?;
    let mut next = cause;
    while let Some(cause) = next {
        writeln!(err, "  caused by: {}", printable(&cause.to_string()))?;
        next = cause.source();
    }
    Ok(())
}

pub(crate) fn print_invalid_pack(name: &str, fault: &str) -> io::Result<()> {
    print_error(&format!("`{name}` is not a valid pack: {fault}"), None)
}

/// Prints a failure on standard error, or in a workflow's log as annotations, and returns the exit code for it.
pub(crate) fn print_failure(failure: Failure, format: Format) -> Exit {
    let Some(exit) = failure.exit() else { return Exit::Done };
    let printed = match &failure {
        Failure::Reported(..) => Ok(()),
        _ if format == Format::Github => {
            let mut annotations = Annotations::new();
            match failure.diagnostics() {
                [] => annotations.add_error(&failure.with_causes()),
                diagnostics => annotations.add_diagnostics(diagnostics),
            }
            annotations.print()
        }
        Failure::Config { diagnostics, text } => print_config_diagnostics(diagnostics, text.as_deref()),
        Failure::Unread(diagnostics) => print_diagnostics(diagnostics),
        _ => print_error(&failure.message(), failure.cause()),
    };
    // Half a value and an error would be no JSON.
    let is_json =
        format == Format::Json && !(matches!(failure, Failure::Outside(_) | Failure::Reported(..)) && has_output());
    // If standard error is closed, nothing can be printed; the exit code still reports the failure.
    let _ = printed.and_then(|()| match is_json {
        true => print_error_json(&failure.with_causes(), failure.code(), exit, failure.diagnostics()),
        false => Ok(()),
    });
    exit
}

pub(crate) fn print_error_json(message: &str, code: &str, exit: Exit, diagnostics: &[Diagnostic]) -> io::Result<()> {
    let diagnostics = self::diagnostics(diagnostics);
    let error = json!({"message": message, "code": code, "exit_code": exit.code(), "diagnostics": diagnostics});
    writeln!(stdout(), "{}", json_text(&json!({"error": error})))
}

pub(crate) fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<Value> {
    let json = |diagnostic: &Diagnostic| {
        let Diagnostic { at, code, severity, message, help, about } = diagnostic;
        let at = at.as_ref();
        json!({
            "severity": severity,
            "code": code.name(),
            "message": message,
            "help": help,
            "path": at.map(|at| at.path.to_string()),
            "line": at.and_then(|at| at.line),
            "column": at.and_then(|at| at.column),
            "about": about,
        })
    };
    diagnostics.iter().map(json).collect()
}

/// Writes diagnostics for people, with their lines of the redacted text of their file, if that is given.
///
/// Styles are escape codes, which `anstream` removes if the stream is no terminal.
fn write_diagnostics(out: &mut dyn Write, diagnostics: &[Diagnostic], file: Option<&str>) -> io::Result<()> {
    for diagnostic in diagnostics {
        let style = if diagnostic.severity == Severity::Error { ERROR } else { WARNING };
        let (severity, code) = (diagnostic.severity, diagnostic.code);
        writeln!(out, "{style}{severity}[{code}]{style:#}{BOLD}: {}{BOLD:#}", printable(&diagnostic.message))?;
        let mut margin = 2;
        if let Some(at) = &diagnostic.at {
            margin = at.line.map_or(2, |line| line.to_string().len().max(2));
            writeln!(out, "{:margin$}{FRAME}-->{FRAME:#} {}", "", printable(&at.to_string()))?;
            if let (Some(line), Some(file)) = (at.line, file) {
                source_line(out, margin, line, at.column, file)?;
            }
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "{:margin$} {FRAME}={FRAME:#} {BOLD}help{BOLD:#}: {}", "", printable(help))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn source_line(out: &mut dyn Write, margin: usize, line: u32, column: Option<u32>, file: &str) -> io::Result<()> {
    let Some(source) = file.lines().nth(line.saturating_sub(1) as usize) else {
        return Ok(());
    };
    let shown: String = source.chars().take(MAX_SOURCE_CHARS).collect();
    let cut = if shown.len() < source.len() { "…" } else { "" };
    writeln!(out, "{:margin$} {FRAME}|{FRAME:#}", "")?;
    writeln!(out, "{FRAME}{line:>margin$} |{FRAME:#} {}{cut}", printable(&shown).trim_end())?;
    match column.map(|column| column.saturating_sub(1) as usize) {
        Some(column) if column < MAX_SOURCE_CHARS => {
            // The caret is placed by the printed width of what precedes it.
            let before: String = source.chars().take(column).collect();
            let width = printable(&before).chars().count();
            writeln!(out, "{:margin$} {FRAME}|{FRAME:#} {:width$}{ERROR}^{ERROR:#}", "", "")
        }
        _ => writeln!(out, "{:margin$} {FRAME}|{FRAME:#}", ""),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::redact::invisible_at;
    use std::borrow::Cow;

    fn shown(diagnostic: Diagnostic, file: Option<&str>) -> String {
        let mut out = Vec::new();
        write_diagnostics(&mut out, &[diagnostic], file).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn a_diagnostic_has_its_place_and_its_help_and_its_line_where_one_may_be_shown() {
        assert_eq!(
            shown(Diagnostic::sample("`y` is no item"), None),
            "warning[unknown-id]: `y` is no item\n  --> work_items/a,b:c.md:6:3\n   = help: did you mean `x`?\n\n"
        );
        let file = "1\n2\n3\n4\n5\n\tdepends: y\n";
        let text = shown(Diagnostic::sample("m"), Some(file));
        assert!(text.contains("   |\n 6 | \\tdepends: y\n   |    ^\n"), "{text}");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed_raw() {
        let hostile = "a\u{1b}[31m\u{202e}b\r\n\u{9b}c\u{e0041}";
        assert_eq!(printable(hostile), "a\\u{1b}[31m\\u{202e}b\\r\\n\\u{9b}c\\u{e0041}");
        assert!(matches!(printable("ü 日本 👩\u{200d}💻"), Cow::Borrowed(_)));
        assert_eq!(shown(Diagnostic::sample(hostile), Some("\u{1b}\n\u{1b}")).matches('\u{1b}').count(), 0);
    }

    #[test]
    fn what_the_scrubber_removes_is_never_printed_raw() {
        for c in (0..=0xe_0fff).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            if invisible_at(&text)(1) {
                assert!(!printable(&text).contains(c), "{:?}", printable(&text));
                let json = json_text(&text);
                assert!(!json.contains(c) && serde_json::from_str::<String>(&json).unwrap() == text, "{json}");
            }
        }
    }
}
