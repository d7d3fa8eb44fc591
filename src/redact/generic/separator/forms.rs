//! What separates a name from its value in one notation only: types of variables, headings, elements, serialized strings.

use super::super::super::text::{first_line, last_line};
use super::super::Name;
use super::{Separator, is_quote, skip_blanks};

/// Returns the length of the type of a variable and of what assigns it: `VARCHAR2(30) := `.
pub(super) fn declared(rest: &[u8]) -> Option<usize> {
    let rest = &rest[..rest.len().min(48)];
    if rest.starts_with(b"PIC ") {
        return memchr::memmem::find(rest, b" VALUE '").map(|at| at + 7);
    }
    let word = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let mut at = word;
    if rest.get(at) == Some(&b'(') {
        at += rest[at..].iter().position(|b| *b == b')')? + 1;
    } else {
        return None;
    }
    let equals = [&b" := "[..], b" = "].into_iter().find(|equals| rest[at..].starts_with(equals))?;
    at += equals.len();
    at += usize::from(rest.get(at) == Some(&b'N'));
    (word > 0 && is_quote(rest.get(at))).then_some(at)
}

/// Returns the end of the line that makes a heading of the name above it: `----`, `====`.
pub(super) fn underlined(text: &[u8], name: Name, at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix(b"\n")?;
    let line = first_line(&rest[..rest.len().min(80)]);
    let rule = line.len() >= 3 && line.iter().all(|b| *b == line[0]) && matches!(line[0], b'-' | b'=' | b'~' | b'^');
    let alone = name.start == 0 || text[name.start - 1] == b'\n';
    (rule && alone).then_some(at + 1 + line.len())
}

/// Returns the length of the end of a summary or a heading of HTML, which is all that follows on its line.
pub(super) fn summarized(rest: &[u8]) -> Option<usize> {
    let tag = [&b"</summary>\n"[..], b"</h1>\n", b"</h2>\n", b"</h3>\n", b"</h4>\n"]
        .into_iter()
        .find(|tag| rest.starts_with(tag))?;
    Some(tag.len() - 1)
}

/// Returns the length of the end of an element and of the tags after it, of which at least one opens another: `</dt>\n<dd><code>`.
pub(super) fn next_element(rest: &[u8]) -> Option<usize> {
    let rest = &rest[..rest.len().min(200)];
    let (mut at, mut opens) = (0, false);
    for _ in 0..8 {
        at += rest[at..].iter().take_while(|b| b.is_ascii_whitespace() || **b == b':').count();
        let Some(tag) = rest[at..].strip_prefix(b"<") else { break };
        let closes = tag.first() == Some(&b'/');
        if !closes && !tag.first().is_some_and(u8::is_ascii_alphabetic) {
            return None;
        }
        opens |= !closes;
        at += 1 + tag.iter().position(|b| matches!(b, b'>' | b'<')).filter(|end| tag[*end] == b'>')? + 1;
    }
    let content = rest[at..].iter().position(|b| b.is_ascii_whitespace() || *b == b'<')?;
    (opens && rest[at + content] == b'<').then_some(at)
}

/// Returns the length of what precedes a string that PHP serialized: `;s:12:`.
pub(super) fn serialized(rest: &[u8]) -> Option<usize> {
    let digits = rest.strip_prefix(b";s:")?.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    (digits > 0 && rest[3 + digits..].starts_with(b":\"")).then_some(4 + digits)
}

/// Whether a line is a name, the comma at `at` and a value, below another line of two cells.
pub(super) fn is_row_of_two(text: &[u8], name: Name, at: usize) -> bool {
    let row = first_line(&text[at + 1..text.len().min(at + 160)]);
    let begins = name.start > 0 && text[name.start - 1] == b'\n';
    let is_cell = |cell: &[u8]| !cell.is_empty() && !cell.iter().any(|b| matches!(b, b',' | b' ' | b'(' | b')'));
    let above = || last_line(&text[name.start.saturating_sub(160)..name.start - 1]);
    let spelled = text[name.start..name.end].iter().any(|b| matches!(b, b'_' | b'-' | b'.') || b.is_ascii_uppercase());
    begins && at == name.end && spelled && is_cell(row.trim_ascii_end()) && {
        let mut cells = above().split(|b| *b == b',');
        cells.next().is_some_and(is_cell) && cells.next().is_some_and(is_cell) && cells.next().is_none()
    }
}

/// Skips the name of another variable whose default is the value: `${1:-…}`.
pub(super) fn after_parameter(text: &[u8], at: usize) -> usize {
    let rest = &text[at..text.len().min(at + 48)];
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    let Some(inside) = rest.strip_prefix(b"${") else { return at };
    let name = inside.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let quote = usize::from(text[at] == b'"');
    if name > 0 && [&b":-"[..], b":="].iter().any(|mark| inside[name..].starts_with(mark)) {
        at + quote + 2 + name + 2
    } else {
        at
    }
}

/// Skips what YAML puts before a value, its type and a comment at the end of the line, and the type that PHP and Jira do.
pub(super) fn after_tag_or_note(text: &[u8], at: usize, separator: Separator) -> usize {
    let rest = &text[at..text.len().min(at + 160)];
    if separator == Separator::Colon {
        if rest.starts_with(b"!!str ") {
            return at + 6;
        }
        if rest.starts_with(b"# ") {
            return at + first_line(rest).len();
        }
    }
    // `{color:red}` and `{{…}}` of Jira; in the braces of a template is a name, after a blank or a dot.
    if rest.starts_with(b"{color:") {
        return at + rest.iter().position(|b| *b == b'}').map_or(0, |end| end + 1);
    }
    if matches!(separator, Separator::Colon | Separator::Cell)
        && let Some(inside) = rest.strip_prefix(b"{{")
        && let Some(length) = memchr::memmem::find(first_line(inside), b"}}")
        && inside[..length].iter().all(|b| b.is_ascii_graphic() && !matches!(b, b'$' | b'(' | b'{'))
        && inside[..length].iter().any(u8::is_ascii_digit)
    {
        return at + 2;
    }
    // `["password"]=>` and on the next line `string(12) "…"`
    if separator != Separator::Assign || !matches!(rest.first(), Some(b'\n' | b's' | b' ')) {
        return at;
    }
    let lead = rest.len() - rest.trim_ascii_start().len();
    let dumped = separator == Separator::Assign && rest[lead..].starts_with(b"string(");
    let end = rest[lead..].iter().position(|b| *b == b')').filter(|end| dumped && *end < 12);
    end.map_or(at, |end| skip_blanks(text, at + lead + end + 1))
}
