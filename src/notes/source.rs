//! Redacted texts cut out of a document: word for word, or as a reader sees them.

use super::reader::InlineText;
use crate::redact::{Clean, CleanBuf};
use std::ops::Range;

/// Returns a range of a block as the source has it, with its markup, on one line.
///
/// The marks of a quotation at the beginning of a line are white space.
pub(super) fn quoted(document: &Clean, text: &InlineText, shown: &Range<usize>) -> Clean {
    on_one_line(document, text.source(shown))
}

/// Returns a part of the source on one line.
pub(super) fn on_one_line(document: &Clean, source: Range<usize>) -> Clean {
    let mut buf = CleanBuf::new();
    let mut at = source.start;
    for (index, line) in document[source].split('\n').enumerate() {
        let bare = if index == 0 { line } else { line.trim_start_matches([' ', '\t', '>']) };
        let start = at + (line.len() - bare.len());
        if !bare.trim().is_empty() {
            if !buf.is_empty() {
                buf.lit(" ");
            }
            buf.line(&document.slice(start..start + bare.len()));
        }
        at += line.len() + 1;
    }
    buf.finish()
}

/// Returns a range of a block as a reader sees it, on one line: without emphasis and the targets of links.
pub(super) fn shown_text(document: &Clean, text: &InlineText, shown: &Range<usize>) -> Clean {
    let mut pieces = text.pieces(shown);
    if let (Some(only), None) = (pieces.next(), pieces.next())
        && is_line(&document[only.clone()])
    {
        return document.slice(only);
    }
    let mut buf = CleanBuf::new();
    for piece in text.pieces(shown) {
        buf.part(document, piece);
    }
    if is_line(buf.as_str()) {
        return buf.finish();
    }
    let joined = buf.finish();
    CleanBuf::new().line(&joined).finish()
}

/// Returns whether a text is plain words on one line with single spaces between them, as [`CleanBuf::line`] makes it.
fn is_line(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !(b' '..0x7f).contains(&byte) || byte == b' ' && before == b' ' {
            return false;
        }
        before = byte;
    }
    before != b' '
}

/// Returns a label without a colon at its end.
pub(super) fn without_colon(label: &Clean) -> Clean {
    label.slice(0..label.trim_end_matches([':', '：', ' ']).len())
}

/// Returns the text of a heading; of a very long one the beginning.
pub(super) fn title(document: &Clean, text: &InlineText) -> Clean {
    let end = text.shown.floor_char_boundary(super::cues::LONGEST);
    shown_text(document, text, &(0..end))
}
