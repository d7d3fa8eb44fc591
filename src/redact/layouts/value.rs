//! Where a value begins and ends.

use super::separator::Separator;

/// The longest value in quotes, and without them.
const MAX_QUOTED: usize = 512;
const MAX_UNQUOTED: usize = 4096;

/// The schemes of an authorization.
const SCHEMES: [&[u8]; 6] = [b"Bearer ", b"bearer ", b"Token ", b"token ", b"Bot ", b"ApiKey "];

/// The place of a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_quoted: bool,
    /// Whether nothing else of its line belongs to it.
    pub(super) is_whole: bool,
}

/// Returns the value that begins at or after `at`.
pub(super) fn place(text: &[u8], at: usize, separator: Separator) -> Option<ValueSpan> {
    if separator == Separator::Cell {
        return cell(text, at);
    }
    if matches!(separator, Separator::Colon | Separator::Assign { .. })
        && let Some(at) = below(text, at)
    {
        return alone_on_line(text, at);
    }
    let blank = text[at..].iter().take(32).take_while(|b| b.is_ascii_whitespace()).count();
    let at = opening(text, if separator == Separator::Tag { at + blank } else { at });
    if let Some(found) = quoted(text, at) {
        return Some(found);
    }
    // A quote that the line does not close.
    let at = at + usize::from(matches!(text.get(at), Some(b'"' | b'\'')));
    if separator == Separator::Quoted || text.get(at).is_none_or(|b| b.is_ascii_whitespace()) {
        return None;
    }
    unquoted(text, at, separator)
}

/// Skips blanks, marks of emphasis, the scheme of an authorization and the prefix of a string.
fn opening(text: &[u8], mut at: usize) -> usize {
    let is_quote = |at: usize| matches!(text.get(at), Some(b'"' | b'\'' | b'`'));
    loop {
        at += match text.get(at..).unwrap_or_default() {
            [b' ' | b'\t' | b'*', ..] => 1,
            [b'(' | b'[' | b'r' | b'f' | b'b' | b'u' | b'@' | b'L', ..] if is_quote(at + 1) => 1,
            [b'r', b'#', b'"', ..] => 2,
            [b'"', b'"', b'"', b'\n', ..] | [b'\'', b'\'', b'\'', b'\n', ..] => {
                let blank = text[at + 4..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                return at + 4 + blank;
            }
            [b'"', b'"', b'"', ..] => 2,
            rest => match SCHEMES.iter().find(|scheme| rest.starts_with(scheme)) {
                Some(scheme) => scheme.len(),
                None => return at,
            },
        };
    }
}

/// Returns the value in the quotes that open at `at`.
fn quoted(text: &[u8], at: usize) -> Option<ValueSpan> {
    let escaped = usize::from(text[at..].starts_with(b"\\\"") || text[at..].starts_with(b"\\'"));
    let open = at + escaped;
    let (length, close): (usize, &[u8]) = match text.get(open..)? {
        [quote @ (b'"' | b'\'' | b'`'), ..] => (1, std::slice::from_ref(quote)),
        rest if rest.starts_with("“".as_bytes()) => (3, "”".as_bytes()),
        rest if rest.starts_with("‘".as_bytes()) => (3, "’".as_bytes()),
        rest if rest.starts_with("„".as_bytes()) => (3, "“".as_bytes()),
        _ => return None,
    };
    let start = open + length;
    let line = &text[start..text.len().min(start + MAX_QUOTED)];
    let is_close = |end: &usize| {
        line[*end..].starts_with(close) && (escaped == 1 || *end == 0 || line[*end - 1] != b'\\' || close == b"`")
    };
    let mut end = (0..line.len()).find(|end| line[*end] == b'\n' || is_close(end)).filter(|end| line[*end] != b'\n')?;
    if end > 0 && line[end - 1] == b'\\' {
        end -= 1;
    }
    let inner = line[..end].trim_ascii_end();
    let scheme = SCHEMES.iter().find(|scheme| inner.starts_with(scheme)).map_or(0, |scheme| scheme.len());
    let lead = scheme + inner[scheme..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    Some(ValueSpan { start: start + lead, end: start + inner.len(), is_quoted: true, is_whole: true })
}

/// Returns the value without quotes at `start`.
fn unquoted(text: &[u8], start: usize, separator: Separator) -> Option<ValueSpan> {
    let line = &text[start..text.len().min(start + MAX_UNQUOTED)];
    let is_end = |at: usize| {
        line[at].is_ascii_whitespace()
            || matches!(line[at], b'"' | b'\'' | b'`' | b'<' | b'|' | b',' | b';')
            || line[at] == b'\\' && matches!(line.get(at + 1), Some(b'n' | b'r' | b't' | b'"' | b'\''))
            || line[at..].starts_with(b"](")
            || ["，", "。", "”", "…", "、", "；"].iter().any(|mark| line[at..].starts_with(mark.as_bytes()))
    };
    let mut end = (0..line.len()).find(|at| is_end(*at)).unwrap_or(line.len());
    // The next parameter of a query.
    if matches!(separator, Separator::Assign { is_tight: true })
        && let Some(amp) = line[..end].iter().position(|b| *b == b'&')
        && line[amp..end].contains(&b'=')
    {
        end = amp;
    }
    // An entity such as `&reg;` after a name.
    if line.get(end) == Some(&b';')
        && let Some(amp) = line[..end].iter().rposition(|b| *b == b'&')
        && line[amp + 1..end].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'#')
    {
        end = amp;
    }
    let full = end;
    while end > 0 && matches!(line[end - 1], b'.' | b',' | b':' | b')' | b'*' | b'_' | b'}' | b']' | b'?') {
        end -= 1;
    }
    // A type with parameters: `Aligned64<[u8; 64]>`.
    if matches!(line.get(end..end + 2), Some([b'<', b'[' | b'&' | b'A'..=b'Z'])) {
        return None;
    }
    // What somebody cut off: `b3c0d1e2...`
    if line[end..full].starts_with(b"...") {
        return None;
    }
    let is_whole = is_whole(&line[end..], separator);
    (end > 0).then_some(ValueSpan { start, end: start + end, is_quoted: false, is_whole })
}

/// Whether nothing but marks, a comment or another pair follows a value.
fn is_whole(rest: &[u8], separator: Separator) -> bool {
    let rest = &rest[..rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())];
    if matches!(separator, Separator::Assign { is_tight: true } | Separator::Flag | Separator::Tag) {
        return true;
    }
    let after = rest.trim_ascii_start();
    let is_mark = |b: &u8| b")}],;*_\"'`.|".contains(b);
    let next = &after[after.iter().take_while(|b| is_mark(b)).count()..];
    let word = &next[..next.iter().position(u8::is_ascii_whitespace).unwrap_or(next.len())];
    next.is_empty()
        || next.starts_with(b"#")
        || next.starts_with(b"//")
        || next.starts_with(b"<")
        || next.starts_with(b"\\n")
        || word.contains(&b'=')
        || after.starts_with(b",")
}

/// Returns the cell that begins at `at`, without the marks around its content.
fn cell(text: &[u8], at: usize) -> Option<ValueSpan> {
    let line = &text[at..text.len().min(at + MAX_UNQUOTED)];
    let end = line.iter().position(|b| matches!(b, b'|' | b'\n')).unwrap_or(line.len());
    super::table::content(text, at, at + end)
}

/// Returns where the value begins if it is below the line: after a colon alone, a block of YAML, a here document.
fn below(text: &[u8], at: usize) -> Option<usize> {
    let line = &text[at..];
    let length = memchr::memchr(b'\n', line.get(..line.len().min(48))?)?;
    let rest = line[..length].trim_ascii();
    let rest = rest.strip_prefix(b"**").unwrap_or(rest);
    let heredoc = rest.starts_with(b"<<") && rest.len() > 2;
    if !(heredoc || matches!(rest, b"" | b"|" | b">" | b"|-" | b">-" | b"*" | b"\"\"\"" | b"'''")) {
        return None;
    }
    let mut at = at + length + 1;
    let window = &text[at..text.len().min(at + 48)];
    let blank = window.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'>')).count();
    at += blank;
    if text[at..].starts_with(b"```") {
        at += memchr::memchr(b'\n', &text[at..text.len().min(at + 24)])? + 1;
    }
    Some(at)
}

/// Returns the value at `at` if it is alone on its line and has a digit.
fn alone_on_line(text: &[u8], at: usize) -> Option<ValueSpan> {
    let found = quoted(text, at).or_else(|| unquoted(text, at, Separator::Colon))?;
    let close = usize::from(found.is_quoted);
    let ends = text.get(found.end + close).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'<'));
    let has_digit = text[found.start..found.end].iter().any(u8::is_ascii_digit);
    (ends && has_digit).then_some(ValueSpan { is_whole: true, ..found })
}
