//! Columns and rows of JSON.

use super::{Rows, Table};

/// Reads a list of lists, of which the first has the names: its first string opens at `from`.
pub(super) fn json_rows(text: &str, from: usize) -> Option<Table> {
    let mut rows = Rows::new(text);
    let inner = from - 2;
    text[..inner].trim_end().strip_suffix('[')?;
    let end = lists(text.as_bytes(), inner, &mut rows)?;
    rows.table(end)
}

/// Reads a list of names after `"columns":`, and the lists of values inside of the list that follows it.
pub(super) fn json(text: &str, from: usize) -> Option<Table> {
    let bytes = text.as_bytes();
    let mut rows = Rows::new(text);
    let names = list(bytes, from, &mut rows)?;
    let gap = &bytes[names..bytes.len().min(names + 200)];
    let open = names + gap.iter().position(|b| *b == b'[')?;
    let end = lists(bytes, open + 1, &mut rows)?;
    rows.table(end)
}

/// Reads the lists from `at` on, each as a row; returns their end.
fn lists(bytes: &[u8], mut at: usize, rows: &mut Rows<'_>) -> Option<usize> {
    let is_gap = |b: &&u8| b.is_ascii_whitespace() || **b == b',';
    loop {
        at += bytes.get(at..)?.iter().take_while(is_gap).count();
        if bytes.get(at) != Some(&b'[') {
            return Some(at);
        }
        rows.next_row();
        at = list(bytes, at, rows)?;
    }
}

/// Reads the strings and numbers of the list at `from`; returns its end.
fn list(bytes: &[u8], from: usize, rows: &mut Rows<'_>) -> Option<usize> {
    let mut at = from + bytes[from..].iter().position(|b| !b.is_ascii_whitespace())?;
    if bytes[at] != b'[' {
        return None;
    }
    at += 1;
    loop {
        match *bytes.get(at)? {
            b']' => return Some(at + 1),
            b'"' => {
                let start = at + 1;
                at = start;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                rows.cell(start, at);
                at += 1;
            }
            b',' => at += 1,
            byte if byte.is_ascii_whitespace() => at += 1,
            b'[' | b'{' => return None,
            _ => {
                let start = at;
                at += bytes[at..].iter().position(|b| matches!(b, b',' | b']' | b'\n'))?;
                rows.cell(start, at);
            }
        }
    }
}
