//! A diff as Markdown, for a comment on a pull request or a job's summary.
//!
//! GitHub accepts 65,536 characters in a comment and 1 MiB in a summary; the page stays below the first, in bytes.

use super::graph::graph;
use super::lines::{WordMarkers, change_label, grouped, hunk_heading, line, listed, or_dash, size_change};
use super::text::is_shown;
use crate::console::printable;
use crate::review::{Diff, PackChange, SharedChange};
use std::fmt::Write as _;

/// The most bytes of the page.
const LIMIT: usize = 65_000;

/// The most bytes of the lines of one section's change.
const BLOCK: usize = 12_000;

/// The most rows of a table, and names in a cell.
const ROWS: usize = 50;
const NAMES: usize = 3;

/// The longest text in a cell, in characters.
const LONGEST: usize = 200;

/// Returns the page.
pub(in crate::cli) fn page(diff: &Diff) -> String {
    let mut page = format!("### {}\n\n", diff.verdict_with(&|name| code(name)));
    needs_review(&mut page, diff);
    causes(&mut page, diff);
    packs(&mut page, diff);
    if let Some((graph, left_out)) = graph(diff)
        && page.len() + graph.len() < LIMIT / 2
    {
        let _ = write!(page, "```mermaid\n{graph}```\n\n");
        if left_out > 0 {
            let _ = writeln!(page, "The graph leaves {left_out} neighbours out.\n");
        }
    }
    // Sections that need review come first, then those that most packs share.
    let looked_at = |shared: &SharedChange| {
        diff.needs_review.iter().any(|item| {
            item.section.as_ref() == Some(&shared.section.id)
                && item.packs.iter().any(|name| shared.packs.contains(name))
        })
    };
    let mut sections: Vec<&SharedChange> = diff.sections.iter().filter(|shared| is_shown(diff, shared)).collect();
    sections.sort_by_key(|shared| (!looked_at(shared), std::cmp::Reverse(shared.packs.len())));
    let details = sections.into_iter().map(section).chain(diff.packs.iter().filter_map(of_pack));
    let mut not_shown = 0;
    for part in details {
        // The rest is for the last line.
        if page.len() + part.len() + 100 < LIMIT {
            page.push_str(&part);
        } else {
            not_shown += 1;
        }
    }
    if not_shown > 0 {
        let _ = writeln!(page, "{not_shown} more changes do not fit here: `contextpack diff` shows them.\n");
    }
    page
}

fn needs_review(page: &mut String, diff: &Diff) {
    if diff.needs_review.is_empty() {
        return;
    }
    page.push_str("| needs review | section | why | packs |\n|---|---|---|---|\n");
    let items = grouped(&diff.needs_review);
    for item in items.iter().take(ROWS) {
        let reason = item.reason.replace('_', " ");
        let sections = match item.sections.as_slice() {
            [one] => code(one),
            [] => String::new(),
            several => listed(several, NAMES, "sections", &code),
        };
        let _ = writeln!(page, "| {reason} | {sections} | {} | {} |", code(item.message), names(item.packs));
    }
    more(page, items.len());
}

fn causes(page: &mut String, diff: &Diff) {
    if diff.causes.is_empty() {
        return;
    }
    page.push_str("| cause | packs |\n|---|---|\n");
    for cause in diff.causes.iter().take(ROWS) {
        let _ = writeln!(page, "| {} | {} |", code(&cause.words), names(&cause.packs));
    }
    more(page, diff.causes.len());
}

fn packs(page: &mut String, diff: &Diff) {
    if diff.packs.is_empty() {
        return;
    }
    page.push_str("| pack | change | sections | characters | left out | redactions |\n|---|---|---|---|--:|--:|\n");
    for pack in diff.packs.iter().take(ROWS) {
        let of = |change: &str| {
            let sections = pack.sections.iter().filter_map(|at| diff.sections.get(*at));
            sections.filter(|shared| shared.section.change == change).count()
        };
        let counted =
            ["added", "removed", "changed", "more_detail", "less_detail", "moved"].map(|change| (of(change), change));
        let sections: Vec<String> = counted
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, change)| format!("{count} {}", change.replace('_', " ")))
            .collect();
        let chars = pack.fields.iter().find(|field| field.field == "budget.used_chars");
        let chars = chars.map(|field| format!("{} → {}", or_dash(&field.old), or_dash(&field.new))).unwrap_or_default();
        let omitted: i64 = pack.omissions.iter().map(|it| sign(&it.change)).sum();
        let redacted: i64 = pack.redactions.iter().map(|it| it.new.cast_signed() - it.old.cast_signed()).sum();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            code(&pack.name),
            pack.change,
            sections.join(", "),
            escaped(&chars),
            difference(omitted),
            difference(redacted)
        );
    }
    more(page, diff.packs.len());
}

fn sign(change: &str) -> i64 {
    match change {
        "added" => 1,
        "removed" => -1,
        _ => 0,
    }
}

fn difference(number: i64) -> String {
    if number == 0 { String::new() } else { format!("{number:+}") }
}

/// Ends a table.
fn more(page: &mut String, rows: usize) {
    if rows > ROWS {
        let _ = writeln!(page, "\nand {} more", rows - ROWS);
    }
    page.push('\n');
}

fn names(packs: &[String]) -> String {
    let listed: Vec<String> = packs.iter().take(NAMES).map(|name| code(name)).collect();
    let more = if packs.len() > NAMES { format!(" and {} more", packs.len() - NAMES) } else { String::new() };
    listed.join(", ") + &more
}

/// Returns the change of a section in a collapsed block.
fn section(shared: &SharedChange) -> String {
    let section = &shared.section;
    let mut text = format!(
        "<details><summary>{} {}, {}, in {}</summary>\n\n",
        code(&section.id),
        escaped(&change_label(section)),
        escaped(&size_change(section)),
        names(&shared.packs)
    );
    for field in &section.fields {
        let _ =
            writeln!(text, "- {}: {} → {}", code(&field.field), code(or_dash(&field.old)), code(or_dash(&field.new)));
    }
    if !section.fields.is_empty() {
        text.push('\n');
    }
    let mut lines = Vec::new();
    let mut size = 0;
    let mut cut = 0;
    let marks = WordMarkers::brackets();
    for hunk in &section.hunks {
        for shown in std::iter::once(hunk_heading(hunk)).chain(hunk.lines.iter().map(|it| line(it, &marks))) {
            size += shown.len() + 1;
            if size <= BLOCK {
                lines.push(shown.trim_end().to_owned());
            } else {
                cut += 1;
            }
        }
    }
    if !lines.is_empty() {
        let body = lines.join("\n");
        let fence = "`".repeat(longest_run(&body).max(2) + 1);
        let _ = write!(text, "{fence}diff\n{body}\n{fence}\n\n");
    }
    if cut > 0 {
        let _ = writeln!(text, "{cut} more lines are not shown.\n");
    }
    text + "</details>\n\n"
}

/// Returns the other differences of a pack in a collapsed block; `None` if there are none.
fn of_pack(pack: &PackChange) -> Option<String> {
    let change = |change: &str| match change {
        "added" => "new",
        "removed" => "gone",
        _ => "changed",
    };
    let mut lines: Vec<String> = pack.notes.iter().map(|note| code(note)).collect();
    let fields = pack.fields.iter();
    lines.extend(
        fields.map(|it| format!("{}: {} → {}", code(&it.field), code(or_dash(&it.old)), code(or_dash(&it.new)))),
    );
    lines.extend(pack.inputs.iter().map(|input| format!("input {}", code(&input.words()))));
    let neighbours = pack.neighbours.iter().filter(|it| it.change != "same" && pack.change == "changed");
    lines.extend(neighbours.map(|it| {
        format!("neighbour {}: {} {}, {}", change(&it.change), code(&it.relation), code(&it.to), code(&it.state))
    }));
    for it in &pack.omissions {
        let reason = it.new.as_ref().or(it.old.as_ref()).map(|reason| code(reason)).unwrap_or_default();
        lines.push(format!("left out, {}: {} ({reason})", change(&it.change), code(&it.id)));
    }
    lines.extend(
        pack.redactions
            .iter()
            .map(|it| format!("redactions in {}: {} {} → {}", code(&it.section), code(&it.rule), it.old, it.new)),
    );
    lines.extend(
        pack.warnings
            .iter()
            .map(|it| format!("warning {}: {} {}", change(&it.change), code(&it.code), code(&it.message))),
    );
    if lines.is_empty() {
        return None;
    }
    let cut = lines.len().saturating_sub(ROWS);
    lines.truncate(ROWS);
    if cut > 0 {
        lines.push(format!("and {cut} more"));
    }
    let list: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    Some(format!(
        "<details><summary>{}: budget, inputs and notes</summary>\n\n{list}\n</details>\n\n",
        code(&pack.name)
    ))
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Formats a text as inline code, in which GitHub links no names or numbers. Punctuation becomes character references, so
/// that it forms no markup, cell or link.
pub(in crate::cli) fn code(text: &str) -> String {
    code_up_to(text, LONGEST)
}

/// Formats a text of at most so many characters as [`code`] does.
pub(in crate::cli) fn code_up_to(text: &str, longest: usize) -> String {
    let text = printable(text);
    let cut = if text.chars().nth(longest).is_some() { "…" } else { "" };
    let shown: String = text.chars().take(longest).collect();
    format!("<code>{}{cut}</code>", escaped(&shown))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '-' | '/' | ',') {
            let _ = write!(escaped, "&#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(code("a|b @c #1 www.x"), "<code>a&#124;b &#64;c &#35;1 www&#46;x</code>");
        let hostile = code("</code> <img src=x> `x` [a](b) \u{202e}\n");
        assert!(!hostile[6..hostile.len() - 7].contains(['<', '`', '[', '\u{202e}', '\n']), "{hostile}");
    }

    #[test]
    fn a_fence_is_longer_than_every_run_in_it() {
        assert_eq!(longest_run("a ``` b ```` c"), 4);
        assert_eq!(longest_run(""), 0);
    }
}
