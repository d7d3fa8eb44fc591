//! What separates a name from its value.

use super::super::text::starts_ignoring_case;

/// The most blanks on one side of a separator: tables are padded.
const MAX_BLANKS: usize = 48;
/// The longest type between a name and its value: `password: Optional[str] = "…"`.
const MAX_TYPE: usize = 28;

/// A separator between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// `=`, `:=`, `=>`; without blanks around it an argument or a pair.
    Assign {
        is_tight: bool,
    },
    Colon,
    /// The border of a cell.
    Cell,
    /// The end of a tag, `<password>…`, or an attribute `value="…"`.
    Tag,
    /// What only a value in quotes may follow: `, "…"`, `== "…"`.
    Quoted,
    /// A blank after an option of a command.
    Flag,
    Blank,
}

/// Returns what follows the name at `start..end`, and the offset after it.
pub(super) fn separator(text: &[u8], start: usize, end: usize, is_flag: bool) -> Option<(Separator, usize)> {
    let closed = closed(text, end);
    let at = skip_blanks(text, closed);
    let rest = &text[at..];
    let after = |length: usize, separator| Some((separator, at + length));
    for (mark, separator) in [
        ("===", Separator::Quoted),
        ("==", Separator::Quoted),
        ("!=", Separator::Quoted),
        ("::=", Separator::Assign { is_tight: false }),
        ("=>", Separator::Assign { is_tight: false }),
        (":=", Separator::Assign { is_tight: false }),
        ("?=", Separator::Assign { is_tight: false }),
        (".=", Separator::Assign { is_tight: false }),
        ("+=", Separator::Assign { is_tight: false }),
        ("->", Separator::Colon),
        ("→", Separator::Colon),
        ("||", Separator::Quoted),
        ("??", Separator::Quoted),
        ("- \"", Separator::Quoted),
        ("- '", Separator::Quoted),
        ("：", Separator::Colon),
        ("是", Separator::Colon),
        ("は", Separator::Colon),
        ("＝", Separator::Colon),
    ] {
        if rest.starts_with(mark.as_bytes()) {
            let length = mark.trim_end_matches(['"', '\'']).len();
            return after(length, separator);
        }
    }
    match rest.first()? {
        b'=' if !rest.starts_with(b"=~") => {
            let is_tight = at == closed && rest.get(1).is_some_and(|b| !b.is_ascii_whitespace());
            after(1, Separator::Assign { is_tight })
        }
        b':' if !rest.starts_with(b"::") && !rest.starts_with(b"://") => match typed(&rest[1..]) {
            Some(length) => after(1 + length, Separator::Assign { is_tight: false }),
            None => after(1, Separator::Colon),
        },
        b'|' if is_first_cell(text, start) => after(1, Separator::Cell),
        // `setenv("NAME", "…")`, `["--password", "…"]`
        b',' if closed > end && (is_flag || [&b"(\""[..], b"('"].iter().any(|open| text[..start].ends_with(open))) => {
            after(1, Separator::Quoted)
        }
        b'>' if is_in_tag(text, start) && is_closed(rest) => after(1, Separator::Tag),
        b'<' => next_tag(text, at).map(|at| (Separator::Tag, at)),
        _ if at > closed || at > end => match attribute(rest) {
            Some(length) if at > closed => after(length, Separator::Tag),
            _ if is_flag && at > closed => after(0, Separator::Flag),
            _ if at > closed => after(0, Separator::Blank),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the offset after quotes and marks that close the name which ends at `end`.
fn closed(text: &[u8], end: usize) -> usize {
    let mut at = end;
    while at < end + 6 {
        match text.get(at..) {
            Some([b'"' | b'\'' | b'`' | b'*' | b'_' | b')' | b']', ..]) => at += 1,
            Some([b'\\', b'"' | b'\'', ..]) => at += 2,
            _ => break,
        }
    }
    at
}

fn skip_blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(MAX_BLANKS).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Returns the length of a type and the `=` after it.
fn typed(rest: &[u8]) -> Option<usize> {
    let is_type = |b: &u8| b.is_ascii_alphanumeric() || b" \t&<>_[]'?|.".contains(b);
    let length = rest.iter().take(MAX_TYPE).take_while(|b| is_type(b)).count();
    let named = rest[..length].iter().any(u8::is_ascii_alphabetic);
    let assigned = rest.get(length) == Some(&b'=') && matches!(rest.get(length + 1), Some(b' ' | b'"' | b'\''));
    (named && assigned).then_some(length + 1)
}

/// Whether the name is the end of the first cell of a row: `| Database password |`.
fn is_first_cell(text: &[u8], start: usize) -> bool {
    let line = &text[start.saturating_sub(64)..start];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let Some(border) = line.iter().rposition(|b| *b == b'|') else { return false };
    let is_mark = |b: &u8| b.is_ascii_whitespace() || b"|`*_\"'>-".contains(b);
    let is_word = |b: &u8| is_mark(b) || b.is_ascii_alphanumeric() || *b == b'/';
    line[..border].iter().all(is_mark) && line.len() - border <= 32 && line[border..].iter().all(is_word)
}

/// Whether the name is a tag or the value of an attribute: `<password>`, `<string name="password">`.
fn is_in_tag(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(64)..start];
    let open = before.iter().rposition(|b| matches!(b, b'<' | b'>' | b'\n'));
    open.is_some_and(|open| before[open] == b'<' && (open + 1 == before.len() || before.contains(&b'"')))
}

/// Whether the content of the tag that ends here is closed, with nothing but one word in it.
fn is_closed(rest: &[u8]) -> bool {
    let close = memchr::memchr(b'<', &rest[..rest.len().min(600)]);
    close.is_some_and(|close| rest[close + 1..].starts_with(b"/"))
}

/// Returns the offset after `</key>` and the tag that follows it: `<key>password</key><string>…`.
fn next_tag(text: &[u8], at: usize) -> Option<usize> {
    let window = &text[at..text.len().min(at + 96)];
    let close = window.starts_with(b"</").then(|| memchr::memchr(b'>', window))?? + 1;
    let blank = window[close..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let next = &window[close + blank..];
    let is_tag = next.first() == Some(&b'<') && next.get(1).is_some_and(u8::is_ascii_alphabetic);
    let length = memchr::memchr(b'>', next).filter(|_| is_tag)?;
    Some(at + close + blank + length + 1)
}

/// Returns the length of the name of an attribute that holds the value: `name="password" value="…"`.
fn attribute(rest: &[u8]) -> Option<usize> {
    ["value=", "content=", "default="]
        .iter()
        .find(|name| starts_ignoring_case(rest, name.as_bytes()))
        .map(|name| name.len())
}
