//! The origins of items' texts, records and documents.

use super::{Document, OriginKind, TextOrigin};
use crate::graph::{ClaimedIssue, Entry, ItemBody, ParsedText};
use crate::redact::{Clean, CleanBuf};

/// Returns the origin of an item's text: its issue's page, its lines in a Markdown file, else the line of its record.
pub(super) fn item_origin(entry: &Entry) -> TextOrigin {
    match entry.issue_with_text() {
        Some(issue) => issue_origin(entry, issue),
        None => text_origin(entry, &entry.item.body, &entry.body),
    }
}

/// Returns the origin of an item's fields: the record in its file, else its issue's page.
pub(super) fn record_origin(entry: &Entry) -> TextOrigin {
    if let Some(issue) = entry.bare_issue() {
        return issue_origin(entry, issue);
    }
    let line = u64::from(entry.item.line);
    TextOrigin::of_item(entry, entry.item.origin.shown.clone(), (!entry.item.body.in_file).then_some([line, line]))
}

/// Returns the page of an item's issue as an origin.
pub(super) fn issue_origin(entry: &Entry, issue: &ClaimedIssue) -> TextOrigin {
    TextOrigin { id: Some(entry.item.id.clone()), ..TextOrigin::page(&issue.url) }
}

/// Returns the origin of a text in one of an item's files.
pub(super) fn text_origin(entry: &Entry, body: &ItemBody<Clean>, text: &ParsedText) -> TextOrigin {
    let first = u64::from(body.line);
    let lines = match text.count_lines() {
        _ if !body.in_file => Some([first, first]),
        0 => None,
        count => Some([first, first + u64::from(text.last_line_before(count)) - 1]),
    };
    TextOrigin::of_item(entry, body.origin.shown.clone(), lines)
}

impl TextOrigin {
    /// Creates the origin of a text of an item's files.
    pub(super) fn of_item(entry: &Entry, path: Clean, lines: Option<[u64; 2]>) -> Self {
        Self { id: Some(entry.item.id.clone()), path: Some(path), lines, ..Self::new(OriginKind::WorkItem) }
    }
}

/// Returns the origin of a document or of its section under `anchor`.
pub(super) fn file_origin(document: &Document, anchor: Option<&str>, range: &std::ops::Range<usize>) -> TextOrigin {
    let text = &document.text.clean;
    let breaks = |text: &str| u32::try_from(memchr::memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(u32::MAX);
    let first = breaks(&text[..range.start]).saturating_add(1);
    let count = breaks(text[range.clone()].trim_end()).saturating_add(1);
    let last = first.saturating_add(count - 1);
    TextOrigin {
        lines: Some([document.text.line_before(first), document.text.last_line_before(last)].map(u64::from)),
        anchor: anchor.map(|anchor| clean_anchor(text, anchor)),
        ..TextOrigin::file(&document.shown)
    }
}

/// Returns `anchor` as clean text, taken from the heading that it was derived from.
///
/// A number follows where several headings give the same anchor.
fn clean_anchor(text: &Clean, anchor: &str) -> Clean {
    if let Some(anchor) = text.read_out(anchor) {
        return anchor;
    }
    let numbered = || {
        let (words, number) = anchor.rsplit_once('-')?;
        Some(CleanBuf::new().text(&text.read_out(words)?).lit("-").number(number.parse().ok()?).finish())
    };
    numbered().unwrap_or_default()
}
