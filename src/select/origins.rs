//! The origins of items' texts, records and documents, and the redactions in them that a section reports.

use crate::graph::{ClaimedIssue, Entry, ItemBody, ParsedText, RecordedRemoval};
use crate::model::{Digest, OriginKind, RepoPath};
use crate::redact::{Clean, CleanBuf};
use std::hash::{Hash, Hasher};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextOrigin {
    pub kind: OriginKind,
    /// A work item's id or a built-in's name.
    pub id: Option<Clean>,
    pub path: Option<Clean>,
    pub lines: Option<[u64; 2]>,
    pub url: Option<Clean>,
    pub anchor: Option<Clean>,
    pub version: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub source: &'static str,
    /// `path:line` or a URL.
    pub at: Clean,
}

impl TextOrigin {
    pub fn new(kind: OriginKind) -> Self {
        Self { kind, id: None, path: None, lines: None, url: None, anchor: None, version: None }
    }

    pub fn file(path: &Clean) -> Self {
        Self { path: Some(path.clone()), ..Self::new(OriginKind::File) }
    }

    pub(super) fn page(url: &Clean) -> Self {
        Self { url: Some(url.clone()), ..Self::new(OriginKind::Issue) }
    }

    pub(super) fn named(kind: OriginKind, id: Clean) -> Self {
        Self { id: Some(id), ..Self::new(kind) }
    }

    /// Returns where the text can be read: `path:first-last`, else its URL, else its id.
    ///
    /// `render::place` is the counterpart for finished packs.
    pub fn place(&self) -> Clean {
        let Some(path) = &self.path else {
            return self.url.as_ref().or(self.id.as_ref()).cloned().unwrap_or_default();
        };
        let mut place = CleanBuf::new();
        place.text(path);
        if let Some([first, last]) = self.lines {
            add_lines(place.lit(":"), first, last);
        } else if let Some(anchor) = &self.anchor {
            place.lit("#").text(anchor);
        }
        place.finish()
    }
}

pub(super) fn add_lines(out: &mut CleanBuf, first: u64, last: u64) -> &mut CleanBuf {
    out.number(first);
    if last == first { out } else { out.lit("-").number(last) }
}

/// A redaction in a section's source, which the origin names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionRecord {
    pub origin: TextOrigin,
    pub removal: RecordedRemoval,
}

/// A file that some root refers to, read, redacted and parsed.
#[derive(Debug, Clone)]
pub struct ParsedDocument {
    pub path: RepoPath,
    pub shown: Clean,
    pub text: ParsedText,
    /// An ADR's status as written, if it has one.
    pub status: Option<Clean>,
    /// Whether that says that the decision does not apply, or no longer.
    pub is_inactive: bool,
    /// The path and the digest of another ADR that says it replaced this one.
    pub successor: Option<(Clean, Digest)>,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
}

impl Hash for ParsedDocument {
    /// Hashes the digest in place of the text and everything parsed from it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ParsedDocument { path, shown, text, status, is_inactive, successor, removals, digest } = self;
        (path, shown, &text.folds, status, is_inactive, successor, removals, digest).hash(state);
    }
}

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
    origin_of_item(entry, entry.item.origin.shown.clone(), (!entry.item.body.in_file).then_some([line, line]))
}

fn issue_origin(entry: &Entry, issue: &ClaimedIssue) -> TextOrigin {
    TextOrigin { id: Some(entry.item.id.clone()), ..TextOrigin::page(&issue.url) }
}

pub(super) fn text_origin(entry: &Entry, body: &ItemBody<Clean>, text: &ParsedText) -> TextOrigin {
    let first = u64::from(body.line);
    let lines = match text.count_lines() {
        _ if !body.in_file => Some([first, first]),
        0 => None,
        count => Some([first, first + u64::from(text.last_line_before(count)) - 1]),
    };
    origin_of_item(entry, body.origin.shown.clone(), lines)
}

pub(super) fn origin_of_item(entry: &Entry, path: Clean, lines: Option<[u64; 2]>) -> TextOrigin {
    TextOrigin { path: Some(path), lines, ..TextOrigin::named(OriginKind::WorkItem, entry.item.id.clone()) }
}

pub(super) fn file_origin(document: &ParsedDocument, anchor: Option<&str>, range: &Range<usize>) -> TextOrigin {
    let text = &document.text.clean;
    let breaks = |text: &str| u32::try_from(memchr::memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(u32::MAX);
    let first = breaks(&text[..range.start]).saturating_add(1);
    let last = first.saturating_add(breaks(text[range.clone()].trim_end()));
    TextOrigin {
        lines: Some([document.text.line_before(first), document.text.last_line_before(last)].map(u64::from)),
        anchor: anchor.map(|anchor| clean_anchor(text, anchor)),
        ..TextOrigin::file(&document.shown)
    }
}

/// Returns `anchor` as clean text of its heading, with a number where several headings give the same anchor.
fn clean_anchor(text: &Clean, anchor: &str) -> Clean {
    let numbered = || {
        let (words, number) = anchor.rsplit_once('-')?;
        Some(CleanBuf::new().text(&text.read_out(words)?).lit("-").number(number.parse().ok()?).finish())
    };
    text.read_out(anchor).or_else(numbered).unwrap_or_default()
}

/// Returns the removals chosen by `shown` as records of a section at `origin`.
pub(super) fn redactions(
    removals: &[RecordedRemoval],
    shown: impl Fn(&RecordedRemoval) -> bool,
    origin: &TextOrigin,
) -> Vec<RedactionRecord> {
    let record = |removal: &RecordedRemoval| RedactionRecord {
        origin: TextOrigin { lines: None, ..origin.clone() },
        // Two that differ in nothing that a pack shows are one.
        removal: RecordedRemoval { in_body: false, in_name: false, ..removal.clone() },
    };
    removals.iter().filter(|removal| shown(removal)).map(record).collect()
}

/// Returns the redactions in the lines of a file that a section shows.
pub(super) fn redactions_in_file(removals: &[RecordedRemoval], origin: &TextOrigin) -> Vec<RedactionRecord> {
    let [first, last] = origin.lines.unwrap_or_default();
    redactions(removals, |removal| removal.in_body && (first..=last).contains(&u64::from(removal.line)), origin)
}

pub(super) fn redactions_in_text(entry: &Entry) -> Vec<RedactionRecord> {
    let raw = entry.issue_with_text().map_or(&entry.removals, |issue| &issue.removals);
    redactions(raw, |removal| removal.in_body, &item_origin(entry))
}

/// Returns the redactions in an item's text and in its id, title and status.
pub(super) fn redactions_in_text_and_names(entry: &Entry) -> Vec<RedactionRecord> {
    if entry.removals.is_empty() && entry.issue.as_ref().is_none_or(|issue| issue.removals.is_empty()) {
        return Vec::new();
    }
    let Some(issue) = entry.issue_with_text() else {
        return redactions(&entry.removals, |removal| removal.in_body || removal.in_name, &item_origin(entry));
    };
    let bare = entry.bare_issue().is_some();
    let shown = |removal: &RecordedRemoval| removal.in_body || bare && removal.in_name;
    let mut found = redactions(&issue.removals, shown, &issue_origin(entry, issue));
    found.extend(redactions(&entry.removals, |removal| removal.in_name, &record_origin(entry)));
    found
}

/// Returns the redactions in a neighbour's section: in its text and names, and those in fields of its file that `text` shows.
pub(super) fn redactions_in_neighbour(entry: &Entry, text: &str) -> Vec<RedactionRecord> {
    let mut found = redactions_in_text_and_names(entry);
    let is_shown =
        |removal: &RecordedRemoval| !removal.in_body && !removal.in_name && text.contains(&marker(&removal.rule));
    for record in redactions(&entry.removals, is_shown, &record_origin(entry)) {
        if !found.contains(&record) {
            found.push(record);
        }
    }
    found
}

pub(super) fn marker(rule: &str) -> String {
    format!("[REDACTED:{rule}]")
}

pub(super) fn redactions_in_fields(entry: &Entry) -> Vec<RedactionRecord> {
    let mut found = redactions(&entry.removals, |removal| !removal.in_body, &record_origin(entry));
    if let Some(issue) = &entry.issue {
        found.extend(redactions(&issue.removals, |removal| !removal.in_body, &issue_origin(entry, issue)));
    }
    found
}
