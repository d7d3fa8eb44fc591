//! The redactions that a section reports: those in the parts of an item or document that it shows.

use super::origins::{issue_origin, item_origin, record_origin};
use super::{RedactionRecord, SelectionContext, TextOrigin};
use crate::graph::{Edge, Entry, RecordedRemoval, Target};
use std::collections::BTreeSet;

/// Returns the removals chosen by `shown` as records of a section at `origin`.
pub(super) fn records(
    removals: &[RecordedRemoval],
    shown: impl Fn(&RecordedRemoval) -> bool,
    origin: &TextOrigin,
) -> Vec<RedactionRecord> {
    let record = |removal: &RecordedRemoval| RedactionRecord {
        origin: TextOrigin { lines: None, ..origin.clone() },
        line: u64::from(removal.line),
        rule: removal.rule.clone(),
        count: u64::from(removal.count),
        reason: removal.reason.clone(),
        to_include: removal.to_include.clone(),
    };
    removals.iter().filter(|removal| shown(removal)).map(record).collect()
}

/// Returns the removals from a file's text in the lines that a section shows.
pub(super) fn from_file(removals: &[RecordedRemoval], origin: &TextOrigin) -> Vec<RedactionRecord> {
    let [first, last] = origin.lines.unwrap_or_default();
    records(removals, |removal| removal.in_body && (first..=last).contains(&u64::from(removal.line)), origin)
}

/// Returns the redactions in an item's text.
pub(super) fn from_text(entry: &Entry) -> Vec<RedactionRecord> {
    let raw = entry.issue_with_text().map_or(&entry.removals, |issue| &issue.removals);
    records(raw, |removal| removal.in_body, &item_origin(entry))
}

/// Returns the redactions in an item's text and in its id, title and status.
pub(super) fn from_text_and_names(entry: &Entry) -> Vec<RedactionRecord> {
    if entry.removals.is_empty() && entry.issue.as_ref().is_none_or(|issue| issue.removals.is_empty()) {
        return Vec::new();
    }
    let Some(issue) = entry.issue_with_text() else {
        return records(&entry.removals, |removal| removal.in_body || removal.in_name, &item_origin(entry));
    };
    let bare = entry.bare_issue().is_some();
    let mut found =
        records(&issue.removals, |removal| removal.in_body || bare && removal.in_name, &issue_origin(entry, issue));
    found.extend(records(&entry.removals, |removal| removal.in_name, &record_origin(entry)));
    found
}

/// Returns the redactions in a neighbour's section: in its text and names, and those in fields of its file that `text` shows.
pub(super) fn from_neighbour(entry: &Entry, text: &str) -> Vec<RedactionRecord> {
    let mut found = from_text_and_names(entry);
    let is_shown = |removal: &RecordedRemoval| {
        !removal.in_body && !removal.in_name && text.contains(&format!("[REDACTED:{}]", removal.rule))
    };
    for record in records(&entry.removals, is_shown, &record_origin(entry)) {
        if !found.contains(&record) {
            found.push(record);
        }
    }
    found
}

/// Returns the redactions in an item's fields, both of its file and of its issue.
pub(super) fn from_fields(entry: &Entry) -> Vec<RedactionRecord> {
    let mut found = records(&entry.removals, |removal| !removal.in_body, &record_origin(entry));
    if let Some(issue) = &entry.issue {
        found.extend(records(&issue.removals, |removal| !removal.in_body, &issue_origin(entry, issue)));
    }
    found
}

impl SelectionContext<'_> {
    /// Returns the redactions in the ids and titles of neighbours that are only listed.
    ///
    /// If a title was read from the body, the first redaction there by the same rule is reported for it.
    pub(super) fn removals_from_lines<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> Vec<RedactionRecord> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for edge in edges {
            let id = self.id(edge);
            if !seen.insert(id) {
                continue;
            }
            let (title, removed) = match &edge.to {
                Target::Item(item) => {
                    let entry = &self.corpus.entries[*item];
                    (Some(&entry.item.title), from_text_and_names(entry))
                }
                Target::Issue { url, title, removals: raw, .. } => {
                    let origin = TextOrigin { id: Some(id.clone()), ..TextOrigin::page(url) };
                    (title.as_ref(), records(raw, |_| true, &origin))
                }
            };
            let mut rules: Vec<String> = Vec::new();
            for removal in removed {
                let marker = format!("[REDACTED:{}]", removal.rule);
                let shows = id.contains(&marker) || title.is_some_and(|title| title.contains(&marker));
                if shows && !rules.contains(&removal.rule) {
                    rules.push(removal.rule.clone());
                    found.push(removal);
                }
            }
        }
        found
    }
}
