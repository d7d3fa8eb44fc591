//! The summary of a workflow's job: the packs and diagnostics of a command as Markdown.

use super::append;
use crate::console::{Column, Document, Failure, Line, Role, counted, line};
use crate::model::{Diagnostic, Severity};
use std::collections::BTreeMap;
use std::path::Path;

/// The most packs, and the most diagnostics, in a summary.
const MOST: (usize, usize) = (200, 20);

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

/// Appends the summary of `command` to `file`.
pub(crate) fn append_summary(
    file: &Path,
    command: &str,
    rows: &[SummaryRow],
    diagnostics: &[Diagnostic],
    next: Option<&str>,
) -> Result<(), Failure> {
    append(file, &document(command, rows, diagnostics, next).markdown())
}

fn document(command: &str, rows: &[SummaryRow], diagnostics: &[Diagnostic], next: Option<&str>) -> Document {
    let mut statuses = BTreeMap::<&str, usize>::new();
    rows.iter().for_each(|row| *statuses.entry(row.status).or_default() += 1);
    let counts: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let mut document = Document::default();
    document.title(format!("contextpack {command}: {}{counts}", counted(rows.len(), "pack")));
    if let Some(next) = next {
        // What is in backticks is code.
        let roles = [Role::Plain, Role::Data].into_iter().cycle();
        document
            .paragraph(next.split('`').zip(roles).fold(Line::default(), |line, (text, role)| line.then(role, text)));
    }
    // Packs that need no attention are counted only.
    let rows: Vec<&SummaryRow> = rows.iter().filter(|row| !matches!(row.status, "fresh" | "unchanged")).collect();
    let columns = [Column::Left("PACK"), Column::Left("STATUS"), Column::Left("REASONS"), Column::Right("SIZE")];
    document.table(
        &columns,
        rows.iter().take(MOST.0).map(|row| {
            let size = match (row.tokens, row.chars) {
                (Some(tokens), _) => format!("{tokens} tokens"),
                (None, Some(chars)) => format!("{chars} characters"),
                (None, None) => String::new(),
            };
            vec![line("{}", &[&row.path]), row.status.into(), line("{}", &[&row.reasons]), size.into()]
        }),
    );
    let more = |document: &mut Document, rest: usize, what: &str| {
        if rest > 0 {
            document.paragraph(format!("and {rest} more {what}"));
        }
    };
    more(&mut document, rows.len().saturating_sub(MOST.0), "packs");
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.severity);
    document.list(sorted.iter().take(MOST.1).map(|diagnostic| {
        let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let at = diagnostic.at.as_ref().map(|at| line(" ({})", &[&at.to_string()])).unwrap_or_default();
        Line::default()
            .then(Role::Plain, severity)
            .join(line(" {}: {}", &[diagnostic.code.name(), &diagnostic.message]))
            .join(at)
    }));
    more(&mut document, sorted.len().saturating_sub(MOST.1), "diagnostics");
    document
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
        let stale = SummaryRow { tokens: Some(12), ..row("packs/b.json", "stale", "docs/x changed") };
        let rows = [row("packs/a.json", "fresh", ""), stale];
        assert_eq!(
            document("check", &rows, &[], Some("Run `this`.")).markdown(),
            "### contextpack check: 2 packs (1 fresh, 1 stale)\n\nRun <code>this</code>.\n\n\
             | pack | status | reasons | size |\n|---|---|---|--:|\n\
             | <code>packs/b&#46;json</code> | stale | <code>docs/x changed</code> | 12 tokens |\n\n"
        );
        assert_eq!(document("build", &[], &[], None).markdown(), "### contextpack build: 0 packs\n\n");
    }

    #[test]
    fn it_stays_below_what_github_takes() {
        let long = "\u{e0041}".repeat(9000);
        let rows: Vec<SummaryRow> = (0..5000).map(|n| row(&format!("packs/{n}{long}.json"), "stale", &long)).collect();
        let at = Place::line(RepoPath::new("a_b*.md").unwrap(), 3);
        let found: Vec<Diagnostic> =
            (0..90).map(|n| Diagnostic::new(Code::Cycle, Some(at.clone()), format!("{n}{long}"))).collect();
        let text = document("check", &rows, &found, None).markdown();
        assert!(text.len() < 1 << 16, "{}", text.len());
        assert!(text.contains("\nand 4800 more packs\n") && !text.contains("a_b*"), "{text}");
    }
}
