//! The summary of a workflow's job: the packs and diagnostics of a command as Markdown.

use super::append;
use crate::console::Failure;
use crate::console::{counted, printable};
use crate::model::{Diagnostic, Severity};
use std::fmt::Write as _;
use std::path::Path;

/// The most packs, and the most diagnostics, in a summary. GitHub accepts 1 MiB per step.
const MOST: (usize, usize) = (200, 20);

/// The longest text of a cell, in characters.
const LONGEST: usize = 300;

/// A row of the table of packs.
#[derive(Debug, Clone)]
pub(crate) struct SummaryRow {
    /// The file, from the repo's root.
    pub(crate) path: String,
    /// Its status.
    pub(crate) status: &'static str,
    /// The reasons for the status.
    pub(crate) reasons: String,
    /// The tokens of its rendering, if they are counted.
    pub(crate) tokens: Option<u64>,
    /// The characters of its rendering, if there is a pack.
    pub(crate) chars: Option<u64>,
}

impl SummaryRow {
    /// Returns whether the pack needs no attention.
    fn is_unremarkable(&self) -> bool {
        matches!(self.status, "fresh" | "unchanged")
    }
}

/// Appends the summary of `command` to `file`.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn append_summary(
    file: &Path,
    command: &str,
    rows: &[SummaryRow],
    diagnostics: &[Diagnostic],
    next: Option<&str>,
) -> Result<(), Failure> {
    append(file, &markdown(command, rows, diagnostics, next))
}

fn markdown(command: &str, rows: &[SummaryRow], diagnostics: &[Diagnostic], next: Option<&str>) -> String {
    let mut statuses: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        match statuses.iter_mut().find(|(status, _)| *status == row.status) {
            Some((_, count)) => *count += 1,
            None => statuses.push((row.status, 1)),
        }
    }
    statuses.sort_unstable();
    let counts: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let mut text = format!("### contextpack {command}: {}{counts}\n\n", counted(rows.len(), "pack"));
    if let Some(next) = next {
        let _ = writeln!(text, "{next}\n");
    }
    table(&mut text, rows);
    list(&mut text, diagnostics);
    text
}

/// Writes the table of packs that need attention.
fn table(text: &mut String, rows: &[SummaryRow]) {
    let rows: Vec<&SummaryRow> = rows.iter().filter(|row| !row.is_unremarkable()).collect();
    if rows.is_empty() {
        return;
    }
    text.push_str("| pack | status | reasons | size |\n|---|---|---|--:|\n");
    for row in rows.iter().take(MOST.0) {
        let size = match (row.tokens, row.chars) {
            (Some(tokens), _) => format!("{tokens} tokens"),
            (None, Some(chars)) => format!("{chars} characters"),
            (None, None) => String::new(),
        };
        let _ = writeln!(text, "| {} | {} | {} | {size} |", cell(&row.path), row.status, cell(&row.reasons));
    }
    if rows.len() > MOST.0 {
        let _ = writeln!(text, "\nand {} more packs", rows.len() - MOST.0);
    }
    text.push('\n');
}

fn list(text: &mut String, diagnostics: &[Diagnostic]) {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.severity);
    for diagnostic in sorted.iter().take(MOST.1) {
        let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let at = diagnostic.at.as_ref().map(|at| format!(" ({})", cell(&at.to_string()))).unwrap_or_default();
        let _ = writeln!(text, "- {severity} `{}`: {}{at}", diagnostic.code, cell(&diagnostic.message));
    }
    if sorted.len() > MOST.1 {
        let _ = writeln!(text, "- and {} more", sorted.len() - MOST.1);
    }
    if !sorted.is_empty() {
        text.push('\n');
    }
}

/// Escapes a text for a cell: on one line, with all punctuation escaped, so that it forms no link, image, tag or cell.
fn cell(text: &str) -> String {
    let text = printable(text);
    let cut = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    let mut escaped = String::with_capacity(LONGEST);
    for c in text.chars().take(LONGEST) {
        if c.is_ascii_punctuation() && !matches!(c, '-' | '/' | ',') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped + cut
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::model::{Code, Place, RepoPath};

    fn row(path: &str, status: &'static str, reasons: &str) -> SummaryRow {
        SummaryRow { path: path.to_owned(), status, reasons: reasons.to_owned(), tokens: None, chars: Some(900) }
    }

    #[test]
    fn packs_that_need_no_attention_are_counted_only() {
        let rows = [
            row("packs/a.json", "fresh", ""),
            SummaryRow { tokens: Some(12), ..row("packs/b.json", "stale", "docs/x.md changed") },
        ];
        assert_eq!(
            markdown("check", &rows, &[], Some("Run `contextpack build`.")),
            "### contextpack check: 2 packs (1 fresh, 1 stale)\n\nRun `contextpack build`.\n\n\
             | pack | status | reasons | size |\n|---|---|---|--:|\n\
             | packs/b\\.json | stale | docs/x\\.md changed | 12 tokens |\n\n"
        );
        assert_eq!(markdown("build", &[], &[], None), "### contextpack build: 0 packs\n\n");
    }

    #[test]
    fn no_text_becomes_markup() {
        let hostile = "x | y\n# z <img src=//e> [a](b) `c` ![d](https://e.f) www.g.h @i &amp; \u{202e}";
        let at = Place::line(RepoPath::new("a_b*.md").unwrap(), 3);
        let found = [Diagnostic::new(Code::Cycle, Some(at), hostile)];
        let text = markdown("check", &[row(hostile, "stale", hostile)], &found, None);
        for live in [" | y", "\n# z", " <img", "[a](", " `c`", "![", "https:", "www.", "\u{202e}", "a_b*"] {
            assert!(!text.contains(live), "`{live}` in {text}");
        }
        assert!(text.contains("- warning `cycle`: x \\| y"), "{text}");
    }

    #[test]
    fn it_stays_below_what_github_takes() {
        let long = "\u{e0041}".repeat(9000);
        let rows: Vec<SummaryRow> = (0..5000).map(|n| row(&format!("packs/{n}{long}.json"), "stale", &long)).collect();
        let found: Vec<Diagnostic> =
            (0..90).map(|n| Diagnostic::new(Code::Cycle, None, format!("{n}{long}"))).collect();
        let text = markdown("check", &rows, &found, None);
        assert!(text.len() < 1 << 20, "{}", text.len());
        assert!(text.contains("\nand 4800 more packs\n") && text.ends_with("\n- and 70 more\n\n"), "{}", text.len());
    }
}
