//! What was removed from an item, by the part of it that a section shows.

use super::origins::{issue_origin, item_origin, record_origin, removals};
use super::{Origin, Removal};
use crate::graph::Entry;

/// From its text.
pub(super) fn from_text(entry: &Entry) -> Vec<Removal> {
    let raw = entry.told_by_issue().map_or(&entry.removals, |issue| &issue.removals);
    removals(raw, |removal| removal.in_body, &item_origin(entry))
}

/// From its text, and from the id, title and status that stand above it.
pub(super) fn from_text_and_names(entry: &Entry) -> Vec<Removal> {
    if entry.removals.is_empty() && entry.issue.as_ref().is_none_or(|issue| issue.removals.is_empty()) {
        return Vec::new();
    }
    let Some(issue) = entry.told_by_issue() else {
        return removals(&entry.removals, |removal| removal.in_body || removal.in_name, &item_origin(entry));
    };
    let bare = entry.bare_issue().is_some();
    let mut found =
        removals(&issue.removals, |removal| removal.in_body || bare && removal.in_name, &issue_origin(entry, issue));
    found.extend(removals(&entry.removals, |removal| removal.in_name, &record_origin(entry)));
    found
}

/// From its fields, those of the file and those of the issue.
pub(super) fn from_fields(entry: &Entry) -> Vec<Removal> {
    let mut found = removals(&entry.removals, |removal| !removal.in_body, &record_origin(entry));
    if let Some(issue) = &entry.issue {
        found.extend(removals(&issue.removals, |removal| !removal.in_body, &issue_origin(entry, issue)));
    }
    found
}

/// From the text of its file beside that of its issue.
pub(super) fn from_draft(entry: &Entry, origin: &Origin) -> Vec<Removal> {
    removals(&entry.removals, |removal| removal.in_body, origin)
}
