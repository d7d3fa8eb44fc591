//! What has to be looked for in the source of Markdown because parsers disagree about it or leave it out: HTML in
//! paragraphs, surplus cells of tables, words where only markup belongs, and markers of earlier removals.

use super::super::invisible::{self, INVISIBLE};
use super::{COMMENT, HIDDEN, IMAGE};
use std::ops::Range;

/// Whether the character at `at` stands for itself.
pub(super) fn is_escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Finds declarations and instructions at the start of a line within a paragraph: parsers differ in which of them begin a block.
pub(super) fn declarations(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = part.start;
    for line in text[part.clone()].split_inclusive('\n') {
        let row = line.trim_start_matches([' ', '\t', '>']);
        let start = at + (line.len() - row.len());
        at += line.len();
        let begins = row.starts_with("<!") || row.starts_with("<?");
        if begins && found.last().is_none_or(|last| last.end <= start) {
            let end = text[start..part.end].find('>').map_or(part.end, |end| start + end + 1);
            found.push(start..end);
        }
    }
    found
}

/// Finds cells beyond the header of a table that continues a paragraph: GitHub's parser takes the last line of a
/// paragraph for a header, pulldown-cmark does not.
pub(super) fn surplus_cells(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !text[part.clone()].contains('|') || !text[part.clone()].contains('\n') {
        return found;
    }
    let mut at = part.start;
    let mut before = 0;
    let mut columns = None;
    for line in text[part].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let row = line.trim_start_matches([' ', '\t', '>']);
        let start = start + (line.len() - row.len());
        let row = row.trim_end();
        let cells = cells(row);
        let is_rule = row.contains('-') && row.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'));
        match columns {
            Some(columns) if cells.len() > columns => {
                found.push(start + cells[columns].start..start + cells[cells.len() - 1].end);
            }
            None if is_rule && cells.len() == before => columns = Some(before),
            _ => {}
        }
        before = cells.len();
    }
    found.retain(|range| text[range.clone()].contains(char::is_alphanumeric) && !is_marker(text[range.clone()].trim()));
    found
}

/// Returns the cells of a row, without the bars around it.
fn cells(row: &str) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let start = usize::from(row.starts_with('|'));
    let (mut from, mut escaped) = (start, false);
    for (at, byte) in row.bytes().enumerate().skip(start) {
        if byte == b'|' && !escaped {
            cells.push(from..at);
            from = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    if from < row.len() {
        cells.push(from..row.len());
    }
    cells
}

/// Finds the parts of each line that contain words, except markers of removals.
pub(super) fn words(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = part.start;
    for line in text[part].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mut first = None;
        let mut last = 0;
        let mut rest = 0;
        while let Some(c) = line[rest..].chars().next() {
            if let Some(length) = marker_length(&line[rest..]) {
                rest += length;
                continue;
            }
            let end = rest + c.len_utf8();
            if c.is_alphanumeric() || (!c.is_ascii() && !c.is_whitespace() && !invisible::is_invisible(c)) {
                first.get_or_insert(rest);
                last = end;
            }
            rest = end;
        }
        let Some(first) = first else { continue };
        let outside = |c: char| c.is_whitespace() || matches!(c, '|' | '>');
        let from = line[..first].rfind(outside).map_or(0, |before| before + 1);
        let to = line[last..].find(outside).map_or(line.len(), |after| last + after);
        found.push(start + from..start + to);
    }
    found
}

/// Returns the length of the marker at the start of `text`.
fn marker_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("[REDACTED:")?;
    let end = rest.bytes().take(101).position(|byte| byte == b']')?;
    is_rule_name(&rest[..end]).then_some("[REDACTED:".len() + end + 1)
}

pub(super) fn is_marker(text: &str) -> bool {
    marker_length(text) == Some(text.len())
}

/// Whether a definition would make markers into links.
pub(super) fn is_own_label(label: &str) -> bool {
    label.strip_prefix("REDACTED:").is_some_and(is_rule_name)
}

fn is_rule_name(name: &str) -> bool {
    [COMMENT.name, IMAGE.name, HIDDEN.name, INVISIBLE.name].contains(&name)
}
