//! Where things stand, and how messages show them.

use super::{Corpus, ParsedText};
use crate::model::is_line_end;
use crate::records::Body;
use crate::redact::Clean;

/// The line of its file on which a line of a body stands.
pub(super) fn line_of(body: &Body<Clean>, text: &ParsedText, line: u32) -> u32 {
    if body.in_file { body.line.saturating_add(text.line_before(line)).saturating_sub(1) } else { body.line }
}

pub(super) fn id(corpus: &Corpus, item: usize) -> &str {
    &corpus.entries[item].item.id
}

/// A value in a message: on one line, and no longer than a line.
pub(super) fn shown(text: &str) -> String {
    let end = text.floor_char_boundary(text.len().min(200));
    let more = if end < text.len() { "…" } else { "" };
    let one_line = |c: char| if c.is_control() || is_line_end(c) { ' ' } else { c };
    let line: String = text[..end].chars().map(one_line).collect();
    line + more
}
