//! What was removed from an item, by the part of it that a section shows.

use super::candidates::SelectionBuilder;
use super::origins::{issue_origin, item_origin, record_origin, removals};
use super::{OriginKind, RedactionRecord, TextOrigin};
use crate::graph::{Edge, Entry, Target};
use std::collections::BTreeSet;

/// From its text.
pub(super) fn from_text(entry: &Entry) -> Vec<RedactionRecord> {
    let raw = entry.issue_with_text().map_or(&entry.removals, |issue| &issue.removals);
    removals(raw, |removal| removal.in_body, &item_origin(entry))
}

/// From its text, and from the id, title and status that stand above it.
pub(super) fn from_text_and_names(entry: &Entry) -> Vec<RedactionRecord> {
    if entry.removals.is_empty() && entry.issue.as_ref().is_none_or(|issue| issue.removals.is_empty()) {
        return Vec::new();
    }
    let Some(issue) = entry.issue_with_text() else {
        return removals(&entry.removals, |removal| removal.in_body || removal.in_name, &item_origin(entry));
    };
    let bare = entry.bare_issue().is_some();
    let mut found =
        removals(&issue.removals, |removal| removal.in_body || bare && removal.in_name, &issue_origin(entry, issue));
    found.extend(removals(&entry.removals, |removal| removal.in_name, &record_origin(entry)));
    found
}

/// From its fields, those of the file and those of the issue.
pub(super) fn from_fields(entry: &Entry) -> Vec<RedactionRecord> {
    let mut found = removals(&entry.removals, |removal| !removal.in_body, &record_origin(entry));
    if let Some(issue) = &entry.issue {
        found.extend(removals(&issue.removals, |removal| !removal.in_body, &issue_origin(entry, issue)));
    }
    found
}

/// From the text of its file beside that of its issue.
pub(super) fn from_draft(entry: &Entry, origin: &TextOrigin) -> Vec<RedactionRecord> {
    removals(&entry.removals, |removal| removal.in_body, origin)
}

impl SelectionBuilder<'_> {
    /// What was removed from the ids and titles of neighbours that are only listed.
    ///
    /// Where a title was read out of the body, the first removal by its rule there is taken for it.
    pub(super) fn removals_from_lines<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> Vec<RedactionRecord> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for edge in edges {
            let id = self.library.id(edge);
            if !seen.insert(id) {
                continue;
            }
            let (title, removed) = match &edge.to {
                Target::Item(item) => {
                    let entry = &self.library.corpus.entries[*item];
                    (Some(&entry.item.title), from_text_and_names(entry))
                }
                Target::Issue { url, title, removals: raw, .. } => {
                    let origin = TextOrigin {
                        id: Some(id.clone()),
                        url: Some(url.clone()),
                        ..TextOrigin::new(OriginKind::Issue)
                    };
                    (title.as_ref(), removals(raw, |_| true, &origin))
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
