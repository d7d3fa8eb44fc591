//! A diff as text for a terminal.

use super::lines::{WordMarkers, change_label, grouped, hunk_heading, line, listed, or_dash, size_change};
use crate::console::printable;
use crate::review::{Diff, PackChange, SharedChange};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const DIM: Style = AnsiColor::Cyan.on_default();
const NEEDS_REVIEW: Style = AnsiColor::Yellow.on_default().bold();

/// The most causes, sections and packs that are listed, each; of more, the rest is counted.
const MOST: usize = 20;

/// The most lines of the changes of a section.
const MOST_LINES: usize = 60;

/// Writes the page; `plain` marks words with brackets instead of colours, and `whole` leaves nothing out.
pub(in crate::cli) fn page(out: &mut dyn Write, diff: &Diff, plain: bool, whole: bool) -> io::Result<()> {
    let most = if whole { usize::MAX } else { MOST };
    let more = |out: &mut dyn Write, count: usize| match count.checked_sub(most) {
        Some(rest @ 1..) => writeln!(out, "  {rest} more: `-v` shows all"),
        _ => Ok(()),
    };
    writeln!(out, "{BOLD}{}{BOLD:#}", printable(&diff.verdict.text))?;
    if !diff.causes.is_empty() {
        writeln!(out, "\n{BOLD}Causes{BOLD:#}")?;
        for cause in diff.causes.iter().take(most) {
            writeln!(out, "  {}: {}", printable(&cause.words), printable(&packs(&cause.packs)))?;
        }
        more(out, diff.causes.len())?;
    }
    if !diff.needs_review.is_empty() {
        writeln!(out, "\n{BOLD}Needs review{BOLD:#}")?;
        let items = grouped(&diff.needs_review);
        let count = items.len();
        for item in items.into_iter().take(most) {
            let reason = item.reason.replace('_', " ");
            let text = match item.sections.as_slice() {
                [] => item.message.to_owned(),
                [one] => format!("{one}: {}", item.message),
                several => format!("{}: in {}", item.message, listed(several, LISTED, "sections", &|id| id.to_owned())),
            };
            writeln!(out, "  {NEEDS_REVIEW}{reason}{NEEDS_REVIEW:#}: {}", printable(&text))?;
            writeln!(out, "    in {}", printable(&packs(item.packs)))?;
        }
        more(out, count)?;
    }
    let marks = if plain { WordMarkers::brackets() } else { WordMarkers::coloured() };
    let shown: Vec<&SharedChange> = diff.sections.iter().filter(|section| is_shown(diff, section)).collect();
    if !shown.is_empty() {
        writeln!(out, "\n{BOLD}Sections{BOLD:#}")?;
    }
    for shared in shown.iter().take(most) {
        section(out, shared, &marks, whole)?;
    }
    more(out, shown.len())?;
    if !diff.packs.is_empty() {
        writeln!(out, "\n{BOLD}Packs{BOLD:#}")?;
    }
    diff.packs.iter().take(most).try_for_each(|pack| of_pack(out, diff, pack))?;
    more(out, diff.packs.len())
}

/// Returns whether a section is shown: if it needs review, or is not only in packs that were added or removed as a whole.
pub(super) fn is_shown(diff: &Diff, shared: &SharedChange) -> bool {
    let changed = |name: &String| diff.packs.iter().any(|pack| pack.name == *name && pack.change == "changed");
    let looked_at = |name: &String| {
        diff.needs_review
            .iter()
            .any(|item| item.section.as_ref() == Some(&shared.section.id) && item.packs.contains(name))
    };
    shared.packs.iter().any(|name| changed(name) || looked_at(name))
}

impl WordMarkers {
    /// Returns markers that invert the colours of a terminal.
    pub(in crate::cli) fn coloured() -> Self {
        let pair = |style: Style| {
            let style = style.invert();
            (format!("{style}"), format!("{style:#}"))
        };
        Self { removed: pair(REMOVED), added: pair(ADDED) }
    }
}

/// How many packs are named; of more, the rest is counted.
const LISTED: usize = 5;

fn packs(names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        several => listed(several, LISTED, "packs", &|name| name.to_owned()),
    }
}

/// Writes how a section changed; `whole` leaves no line out.
pub(in crate::cli) fn section(
    out: &mut dyn Write,
    shared: &SharedChange,
    marks: &WordMarkers,
    whole: bool,
) -> io::Result<()> {
    let section = &shared.section;
    let lines: usize = section.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let mut left = if whole { usize::MAX } else { MOST_LINES };
    writeln!(
        out,
        "  {BOLD}{}{BOLD:#}  {}, {}",
        printable(&section.id),
        printable(&change_label(section)),
        size_change(section)
    )?;
    writeln!(out, "    in {}", printable(&packs(&shared.packs)))?;
    for field in &section.fields {
        let (old, new) = (or_dash(&field.old), or_dash(&field.new));
        writeln!(out, "    {}: {} → {}", field.field, printable(old), printable(new))?;
    }
    for hunk in &section.hunks {
        if left == 0 {
            break;
        }
        writeln!(out, "    {DIM}{}{DIM:#}", hunk_heading(hunk))?;
        for one in hunk.lines.iter().take(left) {
            let style = match one.change.as_str() {
                "added" => ADDED,
                "removed" => REMOVED,
                _ => Style::new(),
            };
            let text = line(one, marks);
            // A marker resets all styles, so the style of the line is set again after it.
            let text = text.replace("\u{1b}[0m", &format!("\u{1b}[0m{style}"));
            writeln!(out, "    {style}{}{style:#}", text.trim_end())?;
        }
        left = left.saturating_sub(hunk.lines.len());
    }
    match lines.checked_sub(MOST_LINES).filter(|_| !whole) {
        Some(rest @ 1..) => writeln!(out, "    {rest} more lines: `-v` shows all"),
        _ => Ok(()),
    }
}

fn of_pack(out: &mut dyn Write, diff: &Diff, pack: &PackChange) -> io::Result<()> {
    writeln!(
        out,
        "  {BOLD}{}{BOLD:#}  {}  {} {}",
        printable(&pack.name),
        pack.change,
        printable(&pack.root),
        printable(&pack.title)
    )?;
    for note in &pack.notes {
        writeln!(out, "    {NEEDS_REVIEW}{}{NEEDS_REVIEW:#}", printable(note))?;
    }
    if pack.change != "changed" {
        return writeln!(out, "    {} sections", pack.sections.len());
    }
    for shared in pack.sections.iter().filter_map(|at| diff.sections.get(*at)) {
        let section = &shared.section;
        let line = format!("{} {}, {}", sign(&section.change), section.id, change_label(section));
        writeln!(out, "    {}", printable(&line))?;
    }
    for field in &pack.fields {
        let (old, new) = (or_dash(&field.old), or_dash(&field.new));
        writeln!(out, "    {}: {} → {}", field.field, printable(old), printable(new))?;
    }
    // A cause whose packs are all named above is not repeated for each of them.
    let listed = |words: &str| diff.causes.iter().any(|cause| cause.words == words && cause.packs.len() <= LISTED);
    for input in pack.inputs.iter().filter(|input| !listed(&input.words())) {
        writeln!(out, "    input {}", printable(&input.words()))?;
    }
    for neighbour in pack.neighbours.iter().filter(|neighbour| neighbour.change != "same") {
        let line = format!(
            "neighbour {} {} {}, {}: {}",
            sign(&neighbour.change),
            neighbour.relation,
            neighbour.to,
            neighbour.state,
            neighbour.title
        );
        writeln!(out, "    {}", printable(&line))?;
    }
    for omission in &pack.omissions {
        let reason = match (&omission.old, &omission.new) {
            (Some(old), Some(new)) => format!("{old} → {new}"),
            (old, new) => new.as_ref().or(old.as_ref()).cloned().unwrap_or_default(),
        };
        let line = format!("left out {} {} ({reason})", sign(&omission.change), omission.id);
        writeln!(out, "    {}", printable(&line))?;
    }
    for it in &pack.redactions {
        let line = format!("redactions in {}: {} {} → {}", it.section, it.rule, it.old, it.new);
        writeln!(out, "    {}", printable(&line))?;
    }
    for warning in &pack.warnings {
        let line = format!("warning {} {}: {}", sign(&warning.change), warning.code, warning.message);
        writeln!(out, "    {}", printable(&line))?;
    }
    Ok(())
}

fn sign(change: &str) -> char {
    match change {
        "added" => '+',
        "removed" => '-',
        _ => '~',
    }
}
