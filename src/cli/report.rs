//! Diagnostics for people and for programs.

use super::args::Format;
use super::console::{self, json_text, printable};
use super::github::Annotations;
use crate::model::{Diagnostic, RepoPath, Severity};
use anstyle::{AnsiColor, Style};
use std::error::Error;
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const FRAME: Style = AnsiColor::BrightBlue.on_default().bold();

/// The longest source line that is shown, in characters.
const LONGEST_LINE: usize = 120;

/// Gives the scrubbed text of a file, where its lines may be shown.
pub(crate) type ScrubbedTextOf<'a> = dyn Fn(&RepoPath) -> Option<String> + 'a;

/// Tells all `diagnostics` in the form that `format` asks for: what is for people goes to stderr.
pub(crate) fn tell(format: Format, diagnostics: &[Diagnostic], texts: &ScrubbedTextOf<'_>) -> io::Result<()> {
    match format {
        Format::Text | Format::Markdown => text(&mut console::stderr(), diagnostics, texts),
        Format::Json => {
            let json = json_text(&serde_json::json!({"diagnostics": super::output::told(diagnostics)}));
            writeln!(console::stdout(), "{json}")
        }
        Format::Github => {
            let mut annotations = Annotations::new();
            annotations.diagnostics(diagnostics);
            annotations.print()
        }
    }
}

/// Writes diagnostics for people; styles are escape codes, which `anstream` takes out where none belong.
pub(crate) fn text(out: &mut dyn Write, diagnostics: &[Diagnostic], texts: &ScrubbedTextOf<'_>) -> io::Result<()> {
    for diagnostic in diagnostics {
        let style = if diagnostic.severity == Severity::Error { ERROR } else { WARNING };
        let (severity, code) = (severity(diagnostic.severity), diagnostic.code);
        writeln!(out, "{style}{severity}[{code}]{style:#}{BOLD}: {}{BOLD:#}", printable(&diagnostic.message))?;
        let mut margin = 2;
        if let Some(at) = &diagnostic.at {
            margin = at.line.map_or(2, |line| line.to_string().len().max(2));
            writeln!(out, "{:margin$}{FRAME}-->{FRAME:#} {}", "", printable(&at.to_string()))?;
            if let (Some(line), Some(file)) = (at.line, texts(&at.path)) {
                source_line(out, margin, line, at.column, &file)?;
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
    let shown: String = source.chars().take(LONGEST_LINE).collect();
    let cut = if shown.len() < source.len() { "…" } else { "" };
    writeln!(out, "{:margin$} {FRAME}|{FRAME:#}", "")?;
    writeln!(out, "{FRAME}{line:>margin$} |{FRAME:#} {}{cut}", printable(&shown).trim_end())?;
    match column.map(|column| column.saturating_sub(1) as usize) {
        Some(column) if column < LONGEST_LINE => {
            // What stands before the caret is measured as it is shown.
            let before: String = source.chars().take(column).collect();
            let width = printable(&before).chars().count();
            writeln!(out, "{:margin$} {FRAME}|{FRAME:#} {:width$}{ERROR}^{ERROR:#}", "", "")
        }
        _ => writeln!(out, "{:margin$} {FRAME}|{FRAME:#}", ""),
    }
}

/// Writes an error without a place, with its chain of causes.
pub(crate) fn plain_error(out: &mut dyn Write, message: &str, cause: Option<&(dyn Error + 'static)>) -> io::Result<()> {
    writeln!(out, "{ERROR}error{ERROR:#}{BOLD}: {}{BOLD:#}", printable(message))?;
    let mut next = cause;
    while let Some(cause) = next {
        writeln!(out, "  caused by: {}", printable(&cause.to_string()))?;
        next = cause.source();
    }
    Ok(())
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::model::{Code, Place, is_hidden};
    use crate::review::unseen_at;
    use std::borrow::Cow;

    fn sample(message: &str) -> Diagnostic {
        let path = RepoPath::new("work_items/a,b:c.md").unwrap();
        let at = Place { path, line: Some(6), column: Some(3) };
        Diagnostic::new(Code::UnknownId, Some(at), message).help("did you mean `x`?")
    }

    fn shown(diagnostic: Diagnostic, file: Option<&str>) -> String {
        let mut out = Vec::new();
        text(&mut out, &[diagnostic], &|_| file.map(str::to_owned)).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn a_diagnostic_has_its_place_and_its_help_and_its_line_where_one_may_be_shown() {
        assert_eq!(
            shown(sample("`y` is no item"), None),
            "warning[unknown-id]: `y` is no item\n  --> work_items/a,b:c.md:6:3\n   = help: did you mean `x`?\n\n"
        );
        let file = "1\n2\n3\n4\n5\n\tdepends: y\n";
        let text = shown(sample("m"), Some(file));
        assert!(text.contains("   |\n 6 | \\tdepends: y\n   |    ^\n"), "{text}");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed_raw() {
        let hostile = "a\u{1b}[31m\u{202e}b\r\n\u{9b}c\u{e0041}";
        assert_eq!(printable(hostile), "a\\u{1b}[31m\\u{202e}b\\r\\n\\u{9b}c\\u{e0041}");
        assert!(matches!(printable("ü 日本 👩\u{200d}💻"), Cow::Borrowed(_)));
        assert_eq!(shown(sample(hostile), Some("\u{1b}\n\u{1b}")).matches('\u{1b}').count(), 0);
    }

    #[test]
    fn what_the_scrubber_removes_is_never_printed_raw() {
        for c in (0..=0xe_0fff).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            if unseen_at(&text)(1) {
                assert!(!printable(&text).contains(c), "{:?}", printable(&text));
                let json = json_text(&text);
                assert!(!json.contains(c) && serde_json::from_str::<String>(&json).unwrap() == text, "{json}");
            }
        }
    }

    #[test]
    fn programs_get_every_part() {
        let json = |diagnostics: &[Diagnostic]| serde_json::to_value(super::super::output::told(diagnostics)).unwrap();
        let value = json(&[sample("m")]);
        assert_eq!(value[0]["code"], "unknown-id");
        assert_eq!((&value[0]["line"], &value[0]["help"]), (&6.into(), &"did you mean `x`?".into()));
        assert!(json(&[Diagnostic::new(Code::Cycle, None, "m")])[0]["path"].is_null());

        let hostile = json(&[sample("a\u{202e}\u{9b}\u{e0041}\n")]);
        let text = json_text(&hostile);
        assert!(!text.chars().any(|c| is_hidden(c) && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), hostile);
    }
}
