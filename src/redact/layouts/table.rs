//! Columns of Markdown tables whose header is the name of a secret.

use super::super::names::{Class, class_of};
use super::super::text::first_line;
use super::value::ValueSpan;

/// The most columns of one table that are read.
pub(super) const MAX_COLUMNS: usize = 8;
/// The longest header that may be a name.
const MAX_HEADER: usize = 32;
/// The most bytes of rows that are read.
const MAX_ROWS_BYTES: usize = 64 * 1024;

/// A column of a table.
pub(super) struct TableColumn {
    /// The class of its header; `None` if that is no name of a secret.
    pub(super) class: Option<Class>,
    /// The offset of the first row.
    pub(super) rows: usize,
    index: usize,
}

/// Returns the column whose header is at `at`; `None` if that is in no header of a table.
pub(super) fn column(text: &[u8], at: usize) -> Option<TableColumn> {
    let low = at.saturating_sub(512);
    let start = low + text[low..at].iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let line = first_line(&text[start..text.len().min(start + 2048)]);
    if !line.contains(&b'|') {
        return None;
    }
    let below = first_line(text.get(start + line.len() + 1..)?);
    let is_border = below.len() < 2048
        && below.windows(2).any(|pair| pair == b"--")
        && below.contains(&b'|')
        && below.iter().all(|b| b" |:->\t+\r".contains(b));
    if !is_border {
        return None;
    }
    let index = text[start..at].iter().filter(|b| **b == b'|').count();
    let header = line.split(|b| *b == b'|').nth(index)?;
    let name: Vec<u8> = header.iter().map(|b| if b"*` ".contains(b) { b'_' } else { *b }).collect();
    let class = if header.trim_ascii().len() <= MAX_HEADER { class_of(&name) } else { None };
    Some(TableColumn { class, rows: start + line.len() + 1 + below.len() + 1, index })
}

impl TableColumn {
    /// Passes the content of each cell to `found`; returns the offset after the last row.
    pub(super) fn each_cell(&self, text: &[u8], mut found: impl FnMut(ValueSpan) -> bool) -> usize {
        let mut at = self.rows;
        while at < text.len() && at < self.rows + MAX_ROWS_BYTES {
            let row = first_line(&text[at..]);
            if !row.contains(&b'|') {
                break;
            }
            let mut start = at;
            for (index, cell) in row.split(|b| *b == b'|').enumerate() {
                if index == self.index
                    && let Some(place) = content(text, start, start + cell.len())
                {
                    found(place);
                }
                start += cell.len() + 1;
            }
            at += row.len() + 1;
        }
        at
    }
}

/// Returns the content of the cell at `start..end`, without blanks and marks around it.
pub(super) fn content(text: &[u8], start: usize, end: usize) -> Option<ValueSpan> {
    let is_mark = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'`' | b'*' | b'"');
    let cell = &text[start..end];
    let from = start + cell.iter().take_while(|b| is_mark(b)).count();
    let to = (end - cell.iter().rev().take_while(|b| is_mark(b)).count()).max(from);
    let is_quoted = from > start && matches!(text[from - 1], b'`' | b'"');
    (from < to).then_some(ValueSpan { start: from, end: to, is_quoted, is_whole: true })
}
