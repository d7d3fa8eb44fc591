//! A diff as text for a terminal.

use super::lines::{WordMarkers, change_label, grouped, hunk_heading, line, listed, or_dash, size_change};
use crate::cli::console::printable;
use crate::review::{Diff, PackChange, SharedChange};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const DIM: Style = AnsiColor::Cyan.on_default();
const NEEDS_REVIEW: Style = AnsiColor::Yellow.on_default().bold();

/// Writes the page; `plain` marks words with brackets instead of colours.
pub(super) fn page(out: &mut dyn Write, diff: &Diff, plain: bool) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", printable(&diff.verdict.text))?;
    if !diff.causes.is_empty() {
        writeln!(out, "\n{BOLD}Causes{BOLD:#}")?;
        for cause in &diff.causes {
            writeln!(out, "  {}: {}", printable(&cause.words), printable(&packs(&cause.packs)))?;
        }
    }
    if !diff.needs_review.is_empty() {
        writeln!(out, "\n{BOLD}Needs review{BOLD:#}")?;
        for item in grouped(&diff.needs_review) {
            let reason = item.reason.replace('_', " ");
            let text = match item.sections.as_slice() {
                [] => item.message.to_owned(),
                [one] => format!("{one}: {}", item.message),
                several => format!("{}: in {}", item.message, listed(several, LISTED, "sections", &|id| id.to_owned())),
            };
            writeln!(out, "  {NEEDS_REVIEW}{reason}{NEEDS_REVIEW:#}: {}", printable(&text))?;
            writeln!(out, "    in {}", printable(&packs(item.packs)))?;
        }
    }
    let marks = if plain { WordMarkers::brackets() } else { coloured() };
    let shown: Vec<&SharedChange> = diff.sections.iter().filter(|section| is_shown(diff, section)).collect();
    if !shown.is_empty() {
        writeln!(out, "\n{BOLD}Sections{BOLD:#}")?;
    }
    for shared in shown {
        section(out, shared, &marks)?;
    }
    if !diff.packs.is_empty() {
        writeln!(out, "\n{BOLD}Packs{BOLD:#}")?;
    }
    diff.packs.iter().try_for_each(|pack| of_pack(out, diff, pack))
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

fn coloured() -> WordMarkers {
    let pair = |style: Style| {
        let style = style.invert();
        (format!("{style}"), format!("{style:#}"))
    };
    WordMarkers { removed: pair(REMOVED), added: pair(ADDED) }
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

fn section(out: &mut dyn Write, shared: &SharedChange, marks: &WordMarkers) -> io::Result<()> {
    let section = &shared.section;
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
        writeln!(out, "    {DIM}{}{DIM:#}", hunk_heading(hunk))?;
        for one in &hunk.lines {
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
    }
    Ok(())
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
