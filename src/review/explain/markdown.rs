//! The explanation as Markdown, for a comment or a job summary.

use super::Explanation;
use super::page::{TextPage, bar, cost, detail};
use crate::model::is_hidden;
use crate::redact::invisible_at;
use crate::render;

impl Explanation {
    /// Renders the explanation as Markdown for a comment or a job summary.
    pub fn markdown(&self) -> String {
        let mut page = TextPage::default();
        page.line(format_args!("## {}", cell(&format!("{} {}", self.root, self.title))));
        page.0.push('\n');
        if let Some(agent) = self.agent_line() {
            page.line(format_args!("{}\n", cell(&agent)));
        }
        for used in &self.budget {
            page.line(format_args!("- `{}`", bar(used)));
        }
        page.head("| section | why | detail | cost | place |");
        page.line(format_args!("|---|---|---|---:|---|"));
        for line in &self.sections {
            page.line(format_args!(
                "| {} | {} | {} | {} | {} |",
                cell(&line.id),
                cell(&line.why()),
                cell(&detail(line)),
                cost(line),
                cell(&line.place)
            ));
        }
        for line in &self.omissions {
            page.line(format_args!(
                "| ~~{}~~ | {} | left out: {} | {} | {} |",
                cell(&line.id),
                cell(&line.provenance),
                cell(&line.how),
                cost(line),
                cell(&line.place)
            ));
        }
        page.0.push('\n');
        page.line(format_args!(
            "{} relations, {} redactions, {} warnings",
            self.edges.len(),
            self.redactions.len(),
            self.warnings.len()
        ));
        if !self.redactions.is_empty() {
            page.head("| removed | place | rule | why |");
            page.line(format_args!("|---|---|---|---|"));
            for redaction in &self.redactions {
                page.line(format_args!(
                    "| {} | {}:{} | {} × {} | {} |",
                    cell(&redaction.section),
                    cell(&render::place(&redaction.source)),
                    redaction.line,
                    cell(&redaction.rule),
                    redaction.count,
                    cell(&redaction.reason)
                ));
            }
        }
        page.0
    }
}

/// Escapes text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    let is_invisible = invisible_at(text);
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '!' | '&' => {
                out.push('\\');
                out.push(c);
            }
            // GitHub resolves escapes before it looks for mentions, so `\@` would still notify people.
            '@' => out.push_str("@<!-- -->"),
            c if is_hidden(c) || is_invisible(at) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
