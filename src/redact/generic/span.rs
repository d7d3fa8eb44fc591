//! Where values begin and end: in quotes, up to a blank, after wrappers of code and marks of blocks.

use super::super::heuristics;
use super::super::text::{first_line, last_line};
use super::separator::{Separator, is_quote};

/// The longest value that is read.
const MAX_VALUE_BYTES: usize = 1024;

/// The longest token that is removed: some hold whole policies.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// The place of a value in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

/// The least length of a line that may have been wrapped.
const MIN_WRAPPED: usize = 56;

/// Whether a clause ends at `end`.
pub(super) fn ends_clause(text: &[u8], end: usize) -> bool {
    match &text[end..] {
        [b'\n', below @ ..] => {
            let line = last_line(&text[end.saturating_sub(MIN_WRAPPED)..end]);
            let goes_on = below.trim_ascii_start().first().is_some_and(u8::is_ascii_lowercase);
            let mut word = line.rsplit(|b| b.is_ascii_whitespace()).next().unwrap_or_default().iter();
            // Only a plain word can be one of a sentence that was wrapped.
            !(goes_on && line.len() == MIN_WRAPPED && word.all(|b| b.is_ascii_alphabetic() || !b.is_ascii()))
        }
        [] | [b'\r' | b',' | b';' | b')', ..] | [b'.' | b'!'] => true,
        [b'.' | b'!', next, ..] => next.is_ascii_whitespace(),
        [b' ', next, ..] => matches!(next, b'(' | b'-' | b'/'),
        _ => false,
    }
}

/// Returns the value between quotes that open at `at`, on one line; up to the next blank if they do not close.
pub(super) fn quoted(text: &[u8], at: usize) -> Option<ValueSpan> {
    let prefix = usize::from(
        matches!(text.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'N' | b'L' | b'@'))
            && matches!(text.get(at + 1), Some(b'"' | b'\'')),
    );
    let rest = &text[at + prefix..];
    if let Some(found) = on_line_below(text, at).or_else(|| on_line_below(text, at + prefix)) {
        return Some(found);
    }
    const QUOTES: &[(&[u8], &[u8])] = &[
        (b"\"\"\"", b"\"\"\""),
        (b"'''", b"'''"),
        (b"\"", b"\""),
        (b"'", b"'"),
        (b"q{", b"}"),
        (b"qq{", b"}"),
        (b"q(", b")"),
        // Raw strings of Rust, Swift and C++, literals of Ruby, Elixir, Lua, shells.
        (b"r#\"", b"\"#"),
        (b"#\"", b"\"#"),
        (b"R\"(", b")\""),
        (b"%q(", b")"),
        (b"%Q(", b")"),
        (b"%q{", b"}"),
        (b"%Q{", b"}"),
        (b"%q[", b"]"),
        (b"~s(", b")"),
        (b"[[", b"]]"),
        (b"<<\"", b"\">>"),
        (b"\\texttt{", b"}"),
        (b"||", b"||"),
        (b"$'", b"'"),
        (b"``", b"``"),
        (b"`", b"`"),
        (b"\\\"", b"\\\""),
        (b"\\'", b"\\'"),
        (b"&quot;", b"&quot;"),
        (b"<code>", b"</code>"),
        (b"<![CDATA[", b"]]>"),
        ("“".as_bytes(), "”".as_bytes()),
        ("„".as_bytes(), "“".as_bytes()),
        ("«".as_bytes(), "»".as_bytes()),
        ("「".as_bytes(), "」".as_bytes()),
        ("『".as_bytes(), "』".as_bytes()),
        ("‘".as_bytes(), "’".as_bytes()),
    ];
    // `''…''`, a string of Nix; two quotes alone are an empty one.
    if let Some(inside) =
        rest.strip_prefix(b"''").filter(|inside| inside.first().is_some_and(u8::is_ascii_alphanumeric))
        && let Some(length) = memchr::memmem::find(first_line(&inside[..inside.len().min(MAX_VALUE_BYTES)]), b"''")
    {
        return Some(ValueSpan { start: at + prefix + 2, end: at + prefix + 2 + length, quoted: true });
    }
    let &(open, mut close) = QUOTES.iter().find(|(open, _)| rest.starts_with(open))?;
    let start = at + prefix + open.len();
    let window = &text[start..text.len().min(start + MAX_VALUE_BYTES)];
    let line = first_line(window);
    // Who has no such key ends it with another quote.
    if open == "„".as_bytes() && memchr::memmem::find(line, close).is_none() {
        close = if line.contains(&b'"') { b"\"" } else { "”".as_bytes() };
    }
    let mut length = 0;
    while length < line.len() && !line[length..].starts_with(close) {
        // An escaped quote belongs to the value, unless the value's own quotes are escaped.
        length += if line[length] == b'\\' && close.len() == 1 { 2 } else { 1 };
    }
    if length >= line.len() {
        // A quote that never closes: the text may be cut off.
        return Some(bare(text, start, Separator::Assign));
    }
    // French puts blanks inside.
    let (mut start, mut end) = (start, start + length);
    if open == "«".as_bytes() {
        let blanks = ["\u{a0}".as_bytes(), "\u{202f}".as_bytes(), b" "];
        while let Some(blank) = blanks.iter().find(|blank| text[start..end].starts_with(blank)) {
            start += blank.len();
        }
        while let Some(blank) = blanks.iter().find(|blank| text[start..end].ends_with(blank)) {
            end -= blank.len();
        }
    }
    // `' … '.strip()`
    let content = text[start..end].trim_ascii();
    if content.len() < end - start && !content.is_empty() && !content.iter().any(u8::is_ascii_whitespace) {
        start += text[start..end].len() - text[start..end].trim_ascii_start().len();
        end = start + content.len();
    }
    Some(ValueSpan { start, end, quoted: true })
}

/// Returns the only line of a string that opens at `at`, at the end of a line: of one with three quotes, of a "here document".
fn on_line_below(text: &[u8], at: usize) -> Option<ValueSpan> {
    if !matches!(text.get(at)?, b'"' | b'\'' | b'@' | b'`' | b'[' | b'<' | b'$') {
        return None;
    }
    const OPENERS: [&[u8]; 7] = [b"\"\"\"", b"'''", b"''", b"@'", b"@\"", b"`", b"[["];
    let rest = &text[at..text.len().min(at + 64)];
    let line = first_line(rest).trim_ascii_end();
    let opens = OPENERS.contains(&line) || is_here_document(line);
    if !opens || line.is_empty() {
        return None;
    }
    let start = at + first_line(rest).len() + 1;
    let below = first_line(text.get(start..text.len().min(start + MAX_VALUE_BYTES))?);
    let lead = below.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'+')).count();
    let value = below[lead..].trim_ascii_end();
    let value = if line.len() <= 3 { value.strip_suffix(line).unwrap_or(value) } else { value };
    let alone = !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace);
    alone.then_some(ValueSpan { start: start + lead, end: start + lead + value.len(), quoted: true })
}

/// Whether all of a line is the beginning of a "here document": `<<EOF`, `<<-'EOT'`, `<<~TXT`, `$(cat <<EOF`.
fn is_here_document(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    let line = line.strip_prefix(b"$(cat ").unwrap_or(line);
    let Some(mark) = line.strip_prefix(b"<<") else { return false };
    let mark = mark.trim_ascii_start();
    let word = mark.strip_prefix(b"<").or(mark.strip_prefix(b"-")).or(mark.strip_prefix(b"~")).unwrap_or(mark);
    !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'' | b'"'))
}

/// Returns the value without quotes at `at`.
pub(super) fn bare(text: &[u8], at: usize, separator: Separator) -> ValueSpan {
    let window = &text[at..text.len().min(at + MAX_VALUE_BYTES)];
    let mut open = 0_i32;
    let length = window
        .iter()
        .enumerate()
        .position(|(place, b)| match b {
            b'|' if separator != Separator::Cell && goes_on(&window[place + 1..]) => false,
            b'"' | b'\'' | b'`' | b',' | b';' | b'|' | b'\\' => true,
            b'&' => separator == Separator::Assign,
            b'<' => separator == Separator::Tag || text.get(at) != Some(&b'<'),
            b'{' if window[place..].starts_with(b"{color}") => true,
            b'(' | b'[' | b'{' => {
                open += 1;
                false
            }
            b')' | b']' | b'}' => {
                open -= 1;
                open < 0
            }
            0xc2 if is_sign_inside(&window[place + 1..]) => false,
            _ => !is_letter(*b) && (!b.is_ascii() || b.is_ascii_whitespace()),
        })
        .unwrap_or(window.len());
    let kept = window[..length]
        .iter()
        .rposition(|b| !matches!(b, b'.' | b':' | b'!' | b'?' | b'*' | b'_'))
        .map_or(0, |last| last + 1);
    ValueSpan { start: at, end: at + kept, quoted: false }
}

/// Returns a value with all that follows of its token if only its first part was read.
pub(super) fn to_end(text: &[u8], found: ValueSpan) -> ValueSpan {
    if found.end - found.start < MAX_VALUE_BYTES {
        return found;
    }
    let token = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'.');
    let rest = text[found.end..].iter().take(MAX_TOKEN_BYTES).take_while(|b| token(b)).count();
    ValueSpan { end: found.end + rest, ..found }
}

/// Whether the rest of a token such as `12|aB3…` follows a `|`.
pub(super) fn goes_on(rest: &[u8]) -> bool {
    let length = rest.iter().take(64).take_while(|b| b.is_ascii_alphanumeric()).count();
    length >= 16 && !heuristics::is_name(&rest[..length])
}

/// Whether `byte` is part of a letter with an accent: such letters occur in passwords, and unlike those of other
/// scripts they do not follow one directly.
pub(super) fn is_letter(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xc9 | 0x80..=0xbf)
}

/// Whether a sign such as `§` or `£` ends here, after its first byte, and the value goes on.
fn is_sign_inside(rest: &[u8]) -> bool {
    matches!(rest, [0xa3..=0xa5 | 0xa7 | 0xac | 0xb0 | 0xb5, next, ..] if next.is_ascii_graphic())
}

/// Skips the beginning of a call or of brackets around a quoted text: `String::from("…")`, `[]byte("…")`, `("…"`,
/// `"".join(["…"])`.
pub(super) fn after_wrapper(text: &[u8], at: usize, separator: Separator) -> usize {
    // `secret: Some("…")`, a structure as Rust prints it.
    let call = &text[at..text.len().min(at + 40)];
    let call = &call[..call.iter().position(|b| *b == b'(').unwrap_or(0)];
    // `secret: SecretString::new("…")`, a field of a structure.
    let made = call.ends_with(b"::new") || call.ends_with(b"::from");
    let printed = separator == Separator::Colon && (made || text[at..].starts_with(b"Some("));
    if separator != Separator::Assign && !printed {
        return at;
    }
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_' | b'.' | b'[' | b']');
    let mut next = at;
    for _ in 0..5 {
        let rest = &text[next..];
        if [&b"\"\".join("[..], b"''.join("].iter().any(|call| rest.starts_with(call)) {
            next += 8;
            continue;
        }
        if next > at && is_quote(rest.first()) {
            return next;
        }
        let joins = || memchr::memmem::find(&rest[..rest.len().min(300)], b"join(").is_some() || next > at;
        match rest.first() {
            Some(b'(') => next += 1,
            Some(b'[') if !rest.starts_with(b"[]") && joins() => next += 1,
            Some(b' ' | b'\n') if next > at => {
                next += rest.iter().take(64).take_while(|b| matches!(b, b' ' | b'\n' | b'\t' | b'>')).count();
            }
            _ if rest.starts_with(b"new ") => next += 4,
            // `Field(default="…")`
            _ if next > at && rest.starts_with(b"default=") => next += 8,
            _ if rest.starts_with(b").append(") => next += 9,
            _ => {
                let length = rest.iter().take(32).take_while(|b| word(b)).count();
                // What a call gets by its name is not there: `conf.get("…")`.
                let looked_up = [
                    &b"get"[..],
                    b"getenv",
                    b"Get",
                    b"env",
                    b"fetch",
                    b"lookup",
                    b"input",
                    b"prompt",
                    b"secrets_manager",
                    b"secretsManager",
                    b"ssmSecure",
                    b"parameter",
                    b"from_secret",
                ]
                .iter()
                .any(|end| rest[..length].ends_with(end));
                // `password => console.log("…")`: what a call prints or compares is a text.
                let printed = [
                    &b"log"[..],
                    b"print",
                    b"println",
                    b"printf",
                    b"warn",
                    b"info",
                    b"debug",
                    b"error",
                    b"Error",
                    b"alert",
                    b"expect",
                    b"equal",
                ]
                .iter()
                .any(|end| rest[..length].ends_with(end));
                if looked_up || printed || length <= 2 || rest.get(length) != Some(&b'(') {
                    return at;
                }
                next += length + 1;
            }
        }
    }
    if is_quote(text.get(next)) { next } else { at }
}

/// Skips `|` or `>` of a YAML block at `at`, to the text of the next line.
pub(super) fn after_block_mark(text: &[u8], at: usize, separator: Separator) -> usize {
    let mark = text[at..].iter().take(3).take_while(|b| matches!(b, b'|' | b'>' | b'-' | b'+')).count();
    if separator == Separator::Colon && mark > 0 && text.get(at + mark) == Some(&b'\n') {
        let lead = text[at + mark + 1..]
            .iter()
            .take(64)
            .take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'|' | b'+' | b'/' | b'#'))
            .count();
        return at + mark + 1 + lead;
    }
    at
}

/// Whether a field of a record begins at `start`: the key of a YAML line or of a JSON object.
pub(super) fn is_field(text: &[u8], start: usize, separator: Separator) -> bool {
    let before = &text[..start];
    let key = before.last() == Some(&b'"') && before.len().checked_sub(2).is_none_or(|at| before[at] != b'\\');
    let leads = before
        .iter()
        .rev()
        .take(256)
        .take_while(|b| **b != b'\n')
        .all(|b| matches!(b, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'{'));
    separator == Separator::Colon && (key || leads)
}

/// Returns the whole value of a field at `at`: a quoted text, else the rest of the line up to a comment.
pub(super) fn whole(text: &[u8], at: usize) -> Option<(usize, usize)> {
    if let Some(found) = quoted(text, at) {
        return Some((found.start, found.end));
    }
    let at = after_block_mark(text, at, Separator::Colon);
    let window = &text[at..text.len().min(at + 2 * MAX_VALUE_BYTES)];
    let line = first_line(window);
    let json = line.iter().any(|b| matches!(b, b'}' | b'"'));
    let length = match json {
        true => line.iter().position(|b| matches!(b, b',' | b'}' | b']')).unwrap_or(line.len()),
        false => line.windows(2).position(|pair| pair == b" #").unwrap_or(line.len()),
    };
    let value = line[..length].trim_ascii_end();
    (!value.is_empty()).then_some((at, at + value.len()))
}

/// Returns a value without quotes of its own, and a cookie's or a parameter's without its name.
pub(super) fn inner(value: &[u8]) -> &[u8] {
    for quote in [&b"\\\""[..], b"\"", b"'"] {
        if let Some(inside) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inside;
        }
    }
    let equals = value.iter().position(|b| *b == b'=');
    match equals {
        Some(at)
            if at > 0
                && at + 1 < value.len()
                && heuristics::is_name(&value[..at])
                && heuristics::is_name(&value[at + 1..]) =>
        {
            &value[at + 1..]
        }
        _ => value,
    }
}
