//! Where things stand, and how messages show them.

use super::{Corpus, Entry};
use crate::model::RepoPath;

/// The line of the body's file on which a line of the body stands.
pub(super) fn body_line(entry: &Entry, line: u32) -> u32 {
    let body = &entry.item.body;
    if body.in_file { body.line.saturating_add(entry.body.line_before(line)).saturating_sub(1) } else { body.line }
}

pub(super) fn id(corpus: &Corpus, item: usize) -> &str {
    &corpus.entries[item].item.id
}

/// A value in a message: on one line, and no longer than a line.
pub(super) fn shown(text: &str) -> String {
    let end = text.floor_char_boundary(text.len().min(200));
    let more = if end < text.len() { "…" } else { "" };
    let line: String = text[..end].chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line + more
}

/// The file in which an item's body stands.
pub(super) fn body_file(entry: &Entry) -> &RepoPath {
    &entry.item.body.origin.path
}
