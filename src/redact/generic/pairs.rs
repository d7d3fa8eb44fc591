//! Names and values in separate places: `name: X` above `value: Y`, the header of a table above its column.

use super::super::heuristics::{NameClass, WordList};
use super::super::text::{last_line, starts_ignoring_case};
use super::rows;
use super::separator::Separator;
use super::separator::{after_closers, skip_blanks};
use super::span::{bare, quoted};
use super::{MAX_NAME_PART, Name};

/// The most columns of one table that are read: the table is read once for each.
const MAX_COLUMNS: usize = 6;
/// The longest line that counts as a row of a table, and as its header: a longer one would be read again for each name
/// in it.
const MAX_ROW_BYTES: usize = 4096;
const MAX_HEADER_BYTES: usize = 512;

/// Names of the field with the value of the name before them.
pub(super) const VALUE_FIELDS: &[&[u8]] =
    &[b"value", b"string", b"default", b"content", b"stringvalue", b"defaultvalue", b"plaintext", b"val"];

/// Finds the value of a pair by its name: `name: DB_PASSWORD` and then `value: …`, or `key="…" value="…"`.
pub(super) fn value(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let (at, _) = after_closers(text, name.end);
    // Only what may separate the two, so that most names cost nothing.
    if text[at..].starts_with(b" { get; set; } = ") {
        return quoted(text, at + 17).map(|found| (found.start, found.end));
    }
    if let Some(inner) =
        text[at..].strip_prefix(b":").map(|rest| rest.trim_ascii_start()).filter(|rest| rest.starts_with(b"{"))
    {
        let open = text.len() - inner.len() + 1;
        let lead =
            text[open..].iter().take(32).take_while(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'')).count();
        let start = open + lead;
        let word = VALUE_FIELDS.iter().find(|word| starts_ignoring_case(&text[start..], word))?;
        let (end, _) = after_closers(text, start + word.len());
        let colon = skip_blanks(text, end);
        let found = quoted(text, skip_blanks(text, colon + 1)).filter(|_| text.get(colon) == Some(&b':'))?;
        return Some((found.start, found.end));
    }
    if text[at..].starts_with(b" {") {
        return block(text, at + 2);
    }
    if (is_attribute(text, name.start) || text[..name.start].ends_with(b"<"))
        && let Some(found) = attribute(text, name)
    {
        return Some(found);
    }
    if !matches!(text.get(at)?, b',' | b'\n' | b' ' | b'\r' | b'<' | b'}') {
        return None;
    }
    let rest = &text[at..text.len().min(at + 160)];
    let mut skip = 0;
    if rest.starts_with(b"</") {
        skip = rest.iter().position(|b| *b == b'>')? + 1;
    }
    let mut ends = 0;
    for byte in &rest[skip..] {
        match byte {
            b'\n' => ends += 1,
            b',' | b' ' | b'\t' | b'\r' | b'"' | b'\'' | b'<' | b'{' | b'}' | b'>' | b'+' | b'/' | b'#' | b'*'
            | b'|' => {}
            _ => break,
        }
        skip += 1;
    }
    if ends > 2 {
        return None;
    }
    let start = at + skip;
    let word = VALUE_FIELDS.iter().find(|word| starts_ignoring_case(&text[start..], word))?;
    let (mut at, _) = after_closers(text, start + word.len());
    // `<Value ProtectInMemory="True">`
    if text[start - 1] == b'<' && text.get(at) == Some(&b' ') {
        at += text[at..].iter().take(48).position(|b| *b == b'>')?;
    }
    after_field(text, at)
}

/// Returns the value of the field whose name is closed at `at`: `: X`, `= X`, `>X`.
pub(super) fn after_field(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let at = skip_blanks(text, at);
    if !matches!(text.get(at)?, b':' | b'=' | b'>') {
        return None;
    }
    let at = skip_blanks(text, at + 1);
    let found = quoted(text, at).unwrap_or_else(|| bare(text, at, Separator::Tag));
    (found.start < found.end).then_some((found.start, found.end))
}

/// Whether the value of an attribute begins at `start`: `="` or `= '` precedes it.
pub(super) fn is_attribute(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(8)..start];
    before
        .strip_suffix(b"\"")
        .or_else(|| before.strip_suffix(b"'"))
        .is_some_and(|before| before.trim_ascii_end().ends_with(b"="))
}

/// The longest part of a tag that is read on each side of a name.
const MAX_TAG_BYTES: usize = 160;

/// Finds the attribute `value` of the tag around a name, which is the tag's own or the value of an attribute.
fn attribute(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let before = &text[name.start.saturating_sub(MAX_TAG_BYTES)..name.start];
    let open = name.start - before.len() + before.iter().rposition(|b| matches!(b, b'<' | b'\n'))?;
    let window = &text[open..text.len().min(name.end + MAX_TAG_BYTES)];
    let close = open + tag_length(window)?;
    if text[open] != b'<' || close < name.end {
        return None;
    }
    let tag = &text[open..close];
    let at =
        tag.windows(7).position(|part| part[1..6].eq_ignore_ascii_case(b"value") && part[0].is_ascii_whitespace())?;
    let equals = skip_blanks(text, open + at + 6);
    let found = quoted(text, skip_blanks(text, equals + 1)).filter(|_| text.get(equals) == Some(&b'='))?;
    (found.end <= close).then_some((found.start, found.end))
}

/// Returns the offset of the `>` that ends a tag: a quoted value may hold that sign, too.
fn tag_length(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    tag.iter().position(|byte| {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), _) if open == *byte => quote = None,
            _ => {}
        }
        *byte == b'>' && quote.is_none()
    })
}

/// Finds the `default = …` or `value = …` of the block that opens before `from`.
fn block(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 400)];
    let window = &window[..window.iter().position(|b| *b == b'}').unwrap_or(window.len())];
    let mut at = from;
    for line in window.split(|b| *b == b'\n') {
        let lead = line
            .iter()
            .take_while(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'+' | b'-' | b'#' | b'/'))
            .count();
        let word = VALUE_FIELDS.iter().find(|word| starts_ignoring_case(&line[lead..], word));
        if let Some(word) = word {
            let next = skip_blanks(text, at + lead + word.len());
            if text.get(next) == Some(&b'=') {
                let found = quoted(text, skip_blanks(text, next + 1))?;
                return Some((found.start, found.end));
            }
        }
        at += line.len() + 1;
    }
    None
}

/// Returns the line that a command printed which names the secret at its end: `$ airflow config get-value core fernet_key`.
pub(super) fn printed(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let rest = &text[name.end..text.len().min(name.end + MAX_NAME_PART)];
    let width = rest.iter().position(|b| *b == b'\n')?;
    let comment = rest[..width].trim_ascii_start();
    if !comment.is_empty() && !comment.starts_with(b"#") {
        return None;
    }
    let before = &text[name.start.saturating_sub(4 * MAX_NAME_PART)..name.start];
    let line = &before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let prompt = line.trim_ascii_start();
    let with_host = || prompt.contains(&b'@') && prompt.windows(2).any(|pair| matches!(pair, b"$ " | b"# "));
    if !(prompt.starts_with(b"$ ") || prompt.starts_with(b"PS ") || with_host()) {
        return None;
    }
    let start = name.end + width + 1;
    let output = &text[start..text.len().min(start + 512)];
    let output = &output[..output.iter().position(|b| *b == b'\n').unwrap_or(output.len())];
    let value = output.trim_ascii();
    let lead = output.len() - output.trim_ascii_start().len();
    (!value.is_empty() && !value.contains(&b' ')).then_some((start + lead, start + lead + value.len()))
}

/// Returns the quoted text that is compared with a name on its right: `"…" == password`, `"…".equals(password)`.
pub(super) fn compared(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let before = &text[name.start.saturating_sub(MAX_NAME_PART)..name.start];
    let before = before.strip_suffix(b"$").unwrap_or(before);
    let head = match before.strip_suffix(b".equals(") {
        Some(head) => head,
        None => {
            let head = before.trim_ascii_end();
            let equals = head.iter().rev().take_while(|b| **b == b'=').count();
            let head = &head[..head.len() - equals];
            let unequal = head.strip_suffix(b"!").filter(|_| equals > 0);
            unequal.or((equals >= 2).then_some(head))?.trim_ascii_end()
        }
    };
    let quote = *head.last().filter(|b| matches!(b, b'"' | b'\''))?;
    let content = &head[..head.len() - 1];
    let open = content.iter().rposition(|b| *b == quote || *b == b'\n').filter(|at| content[*at] == quote)?;
    let base = name.start.saturating_sub(MAX_NAME_PART);
    Some((base + open + 1, base + content.len()))
}

/// Returns the quoted text that a call stores under the name after it: `set("…", forKey: "password")`.
pub(super) fn stored(text: &[u8], name: Name) -> Option<(usize, usize)> {
    static LABELS: WordList = WordList::new(
        "key forkey for account foraccount withkey named name under as id identifier service forname field",
    );
    let low = name.start.saturating_sub(2 * MAX_NAME_PART);
    let before = &text[low..name.start];
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'"))?;
    let before = before.strip_suffix(b"@").unwrap_or(before).trim_ascii_end();
    let before = before.strip_suffix(b":").or_else(|| before.strip_suffix(b"="))?;
    let label = before.iter().rev().take(16).take_while(|b| b.is_ascii_alphabetic()).count();
    let head = &before[..before.len() - label];
    let joint = head.trim_ascii_end();
    let joint = joint.strip_suffix(b",").or((head.len() > joint.len()).then_some(joint))?;
    let quote = *joint.last().filter(|b| matches!(b, b'"' | b'\''))?;
    if !LABELS.has(&before[before.len() - label..]) {
        return None;
    }
    let content = &joint[..joint.len() - 1];
    let open = content.iter().rposition(|b| *b == quote || *b == b'\n').filter(|at| content[*at] == quote)?;
    // `<input type="text" name="password"`: attributes of a tag.
    if content.iter().rfind(|b| matches!(b, b'<' | b'>' | b'\n')) == Some(&b'<') {
        return None;
    }
    let call = content[..open].strip_suffix(b"@").unwrap_or(&content[..open]).trim_ascii_end();
    (matches!(call.last(), Some(b'(' | b':' | b'=')) && open + 1 < content.len())
        .then_some((low + open + 1, low + content.len()))
}

/// A column of a table.
pub(super) struct Column {
    /// The offset of the first row.
    rows: usize,
    index: usize,
    /// Whether another column of the table has accounts.
    accounts: bool,
}

impl Column {
    /// Returns the class of the cells under a name of `class`: what is called a secret beside an account is its password.
    pub(super) fn class(&self, class: NameClass) -> NameClass {
        if self.accounts && class == NameClass::Secret { NameClass::Password } else { class }
    }
}

/// Passes the secrets of a row whose first cell is `name` and which has several values, to `on_finding`: `| pass | a | b |`.
pub(super) fn row(text: &[u8], name: Name, class: NameClass, mut on_finding: impl FnMut(usize, usize)) {
    let before = &text[name.start.saturating_sub(MAX_NAME_PART)..name.start];
    let before = &before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let (at, _) = after_closers(text, name.end);
    let at = skip_blanks(text, at);
    if text.get(at) != Some(&b'|') || !before.iter().all(|b| matches!(b, b'|' | b' ' | b'>' | b'*' | b'`' | b'\t')) {
        return;
    }
    let row = line(text, at);
    let values = borders(row, b'|').count() - usize::from(row.trim_ascii_end().ends_with(b"|"));
    if row.len() == MAX_ROW_BYTES || values < 2 {
        return;
    }
    let mut cells = rows::Cells::new(class);
    for index in 0..values {
        // Descriptions have several words.
        if let Some((start, end)) = cell(row, b'|', index)
            && !row[start..end].contains(&b' ')
        {
            cells.add(text, at + start, at + end);
        }
    }
    cells.secrets(text, &mut on_finding);
}

/// Returns the column of a Markdown table whose header is `name`.
pub(super) fn column(text: &[u8], name: Name) -> Option<Column> {
    let (at, _) = after_closers(text, name.end);
    let at = skip_blanks(text, at);
    let cell = matches!(text.get(at), Some(b'|' | b'\n' | b'(')) || text.get(at).is_none_or(u8::is_ascii_alphabetic);
    // "If you pass a reference" is no name.
    let verb =
        text[name.start..name.end].eq_ignore_ascii_case(b"pass") && text.get(at).is_some_and(u8::is_ascii_alphabetic);
    if !cell || verb {
        return None;
    }
    let before = &text[name.start.saturating_sub(MAX_HEADER_BYTES)..name.start];
    let before = &before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    if !before.contains(&b'|') && text.get(at) != Some(&b'|') {
        return None;
    }
    let rest = &text[at..text.len().min(at + MAX_HEADER_BYTES)];
    let delimiter = at + rest.iter().position(|b| *b == b'\n')? + 1;
    let length = line(text, delimiter).len();
    let row = &text[delimiter..delimiter + length];
    let is_delimiter =
        row.contains(&b'-') && (row.contains(&b'|') || row.contains(&b'+')) || row.trim_ascii().starts_with(b"+=");
    if !is_delimiter
        || !row
            .iter()
            .all(|b| matches!(b, b'|' | b'-' | b'=' | b':' | b' ' | b'\t' | b'>' | b'\r' | b'+' | b'/' | b'#' | b'*'))
    {
        return None;
    }
    let lead = usize::from(before.trim_ascii_start().starts_with(b"|"));
    Some(Column {
        rows: delimiter + length + 1,
        index: before.iter().filter(|b| **b == b'|').count() - lead,
        accounts: rows::names_accounts(&text[name.start - before.len()..delimiter]),
    })
}

/// Returns the column of comma-separated values whose header is `name`, and the separator.
///
/// All cells of the header are short names, and the next line has as many cells.
pub(super) fn separated(text: &[u8], name: Name) -> Option<(Column, u8)> {
    let low = name.start.saturating_sub(256);
    let start = text[low..name.start].iter().rposition(|b| *b == b'\n').map_or(low, |end| low + end + 1);
    let head = line(text, start);
    if head.len() > MAX_HEADER_BYTES {
        return None;
    }
    // `|| Host || Password ||`, the header of a table in Jira.
    if head.trim_ascii_start().starts_with(b"||") {
        let rows = start + head.len() + 1;
        let index = memchr::memmem::find_iter(&text[start..name.start], b"||").count().checked_sub(1)?;
        let follows = rows < text.len() && line(text, rows).trim_ascii_start().starts_with(b"|");
        return follows.then(|| (Column { rows, index, accounts: rows::names_accounts(head) }, b'|'));
    }
    let mark = *[b',', b';', b'\t', b'|'].iter().find(|mark| head.contains(mark))?;
    let lead = head.iter().take_while(|b| matches!(b, b' ' | b'>' | b'+' | b'"')).count();
    // `| name | password |` of a scenario, without a line below it.
    let bordered = mark == b'|' && head[lead..].starts_with(b"|") && head.trim_ascii_end().ends_with(b"|");
    let lead = lead + usize::from(bordered);
    let inside = head[lead..].trim_ascii_end();
    let inside = if bordered { &inside[..inside.len() - 1] } else { inside };
    let cells = inside.split(|b| *b == mark);
    let is_word = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        !cell.is_empty()
            && cell.len() <= 24
            && cell.split(|b| *b == b' ').count() <= 3
            && cell.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'"' | b' '))
    };
    let count = |row: &[u8]| borders(row, mark).count();
    let next = start + head.len() + 1;
    let fits = next < text.len() && count(line(text, next)) == count(head);
    // A row of a table that has begun before, such as a list of words.
    let above = &text[start.saturating_sub(MAX_HEADER_BYTES + 1)..start.saturating_sub(1)];
    let is_row = start > 1 && count(last_line(above)) == count(head) && !above.ends_with(b"\n");
    if !fits || is_row || !cells.clone().all(is_word) {
        return None;
    }
    let accounts = rows::names_accounts(head);
    Some((Column { rows: next, index: count(&text[start..name.start]) - usize::from(bordered), accounts }, mark))
}

/// The progress in reading columns, so that no table is read too often.
#[derive(Debug, Default)]
pub(super) struct Columns {
    table: usize,
    read: usize,
    /// The end of the last table that was read: no other begins inside it.
    end: usize,
}

impl Columns {
    /// Passes what looks like a secret in a column to `on_finding`.
    pub(super) fn values(
        &mut self,
        text: &[u8],
        column: (&Column, u8),
        class: NameClass,
        mut on_finding: impl FnMut(usize, usize),
    ) {
        let mut cells = rows::Cells::new(class);
        self.cells(text, column, &mut |start, end| cells.add(text, start, end));
        cells.secrets(text, &mut on_finding);
    }

    /// Passes all cells of a column to `on_cell`.
    pub(super) fn cells(&mut self, text: &[u8], (column, mark): (&Column, u8), on_cell: &mut dyn FnMut(usize, usize)) {
        if !self.may_read(column.rows) {
            return;
        }
        let mut at = column.rows;
        while at < text.len() {
            let row = line(text, at);
            // The border below a row of a table in reStructuredText.
            let border = mark == b'|' && row.len() > 2 && row.iter().all(|b| matches!(b, b'+' | b'-' | b' '));
            if border {
                at += row.len() + 1;
                continue;
            }
            if !row.contains(&mark) || row.len() == MAX_ROW_BYTES {
                break;
            }
            if let Some((start, end)) = cell(row, mark, column.index) {
                on_cell(at + start, at + end);
            }
            at += row.len() + 1;
        }
        self.end = self.end.max(at);
    }

    /// Passes the values of another kind of table, which begins at `rows`, to `on_value`. `read` returns its end.
    pub(super) fn each<F: FnMut(usize, usize)>(&mut self, rows: usize, read: impl FnOnce(F) -> usize, on_value: F) {
        if self.may_read(rows) {
            self.end = self.end.max(read(on_value));
        }
    }

    /// Whether one more column of the table at `rows` may be read.
    fn may_read(&mut self, rows: usize) -> bool {
        if rows != self.table {
            if rows <= self.end {
                return false;
            }
            *self = Self { table: rows, read: 0, end: self.end };
        }
        self.read += 1;
        self.read <= MAX_COLUMNS
    }
}

/// Returns the places of the marks between the cells of a row; a mark in quotes belongs to its cell.
fn borders(row: &[u8], mark: u8) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    row.iter().enumerate().filter_map(move |(at, byte)| {
        quoted ^= *byte == b'"' && mark != b'|';
        (*byte == mark && !quoted && (at == 0 || row[at - 1] != b'\\')).then_some(at)
    })
}

/// Returns the content of a cell without the marks around it.
fn cell(row: &[u8], mark: u8, index: usize) -> Option<(usize, usize)> {
    let lead = usize::from(mark == b'|' && row.trim_ascii_start().starts_with(b"|"));
    let mut borders = borders(row, mark);
    let start = match index + lead {
        0 => 0,
        count => borders.nth(count - 1)? + 1,
    };
    let end = borders.next().unwrap_or(row.len());
    let quote = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'`' | b'*' | b'"' | b'\'' | b'{' | b'}');
    let content = row.get(start..end)?;
    let left = content.iter().take_while(|b| quote(b)).count();
    let right = content.iter().rev().take_while(|b| quote(b)).count();
    (left < content.len()).then(|| (start + left, end - right))
}

/// Returns the line at `at`, without its end.
fn line(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at.min(text.len())..text.len().min(at + MAX_ROW_BYTES)];
    &rest[..rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())]
}
