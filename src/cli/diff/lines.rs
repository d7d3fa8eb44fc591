//! The lines of a change, with markers around changed words.

use crate::console::printable;
use crate::review::{DiffLine, Hunk, ReviewItem, SectionChange};
use std::collections::HashMap;

/// The longest part of a line, in characters; the middle of a longer one is omitted.
const LONGEST: usize = 400;

/// The markers around changed words.
pub(in crate::cli) struct WordMarkers {
    pub(in crate::cli) removed: (String, String),
    pub(in crate::cli) added: (String, String),
}

impl WordMarkers {
    /// Returns the markers of `git diff --word-diff`.
    pub(in crate::cli) fn brackets() -> Self {
        let pair = |open: &str, close: &str| (open.to_owned(), close.to_owned());
        Self { removed: pair("[-", "-]"), added: pair("{+", "+}") }
    }
}

/// What a person should review for one reason, in the same packs.
pub(super) struct ReviewGroup<'d> {
    pub(super) reason: &'d str,
    pub(super) message: &'d str,
    pub(super) sections: Vec<&'d str>,
    pub(super) packs: &'d [String],
}

/// Joins items that say the same of several sections, such as texts of one author.
pub(super) fn grouped(items: &[ReviewItem]) -> Vec<ReviewGroup<'_>> {
    let mut groups: Vec<ReviewGroup<'_>> = Vec::new();
    let mut places = HashMap::new();
    for item in items {
        let place = *places.entry((&item.reason, &item.message, &item.packs)).or_insert_with(|| {
            let (reason, message, packs) = (&item.reason, &item.message, &item.packs);
            groups.push(ReviewGroup { reason, message, sections: Vec::new(), packs });
            groups.len() - 1
        });
        groups[place].sections.extend(item.section.as_deref());
    }
    groups
}

/// Names the first of several things, and counts the others: `7 packs: a, b and 5 more`.
pub(super) fn listed(names: &[&str], most: usize, what: &str, shown: &dyn Fn(&str) -> String) -> String {
    let first: Vec<String> = names.iter().take(most).map(|name| shown(name)).collect();
    let more = if names.len() > most { format!(" and {} more", names.len() - most) } else { String::new() };
    format!("{} {what}: {}{more}", names.len(), first.join(", "))
}

/// Returns the heading of a hunk.
pub(super) fn hunk_heading(hunk: &Hunk) -> String {
    if hunk.old_line == hunk.new_line {
        format!("@@ line {} @@", hunk.new_line)
    } else {
        format!("@@ line {} → {} @@", hunk.old_line, hunk.new_line)
    }
}

/// Returns a line after its sign, without control characters.
pub(in crate::cli) fn line(line: &DiffLine, marks: &WordMarkers) -> String {
    let (sign, marks) = match line.change.as_str() {
        "added" => ('+', &marks.added),
        "removed" => ('-', &marks.removed),
        _ => (' ', &marks.added),
    };
    let mut text = format!("{sign} ");
    for segment in &line.segments {
        let shown = shortened(&segment.text);
        if segment.marked {
            text += &format!("{}{shown}{}", marks.0, marks.1);
        } else {
            text += &shown;
        }
    }
    text
}

/// Omits the middle of a long text.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return printable(text).into_owned();
    }
    let half = LONGEST / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{} […{} characters…] {}", printable(&head), count - 2 * half, printable(&tail))
}

/// Describes the change of a section: `changed`, `less detail (full → excerpt)`.
pub(super) fn change_label(section: &SectionChange) -> String {
    let level = |level: &Option<String>| level.clone().unwrap_or_default();
    let detail = || format!("({} → {})", level(&section.old_detail), level(&section.new_detail));
    let mut text = match section.change.as_str() {
        "more_detail" => format!("more detail {}", detail()),
        "less_detail" => format!("less detail {}", detail()),
        other => other.to_owned(),
    };
    if let Some(was) = &section.was {
        text += &format!(", was {was}");
    }
    if section.reordered && section.change != "moved" {
        text += ", moved";
    }
    text
}

/// Describes the change of a section's size.
pub(super) fn size_change(section: &SectionChange) -> String {
    match (section.old_chars, section.new_chars) {
        (Some(old), Some(new)) if old != new => format!("{old} → {new} chars"),
        (_, Some(chars)) | (Some(chars), None) => format!("{chars} chars"),
        (None, None) => String::new(),
    }
}

/// Returns the value, or a dash if there is none.
pub(super) fn or_dash(value: &Option<String>) -> &str {
    value.as_deref().filter(|value| !value.is_empty()).unwrap_or("–")
}
