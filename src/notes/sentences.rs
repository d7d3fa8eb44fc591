//! Where the sentences of a block end, and what a reader sees of them.

use std::borrow::Cow;
use std::ops::Range;

/// Abbreviations after which a full stop ends no sentence; in lower case, without the last full stop.
const ABBREVIATIONS: &str =
    "e.g i.e vs cf approx incl excl resp fig mr mrs dr z.b d.h bzw ca nr u.a ggf vgl p.ex p.ej sr abs";

/// Splits the source of a block into sentences. None ends within code or the target of a link.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let may_end = |b: u8| matches!(b, b'.' | b'!' | b'?' | b'\n' | b'`' | b'[' | 0xe3 | 0xef);
    while let Some(offset) = text.as_bytes()[at..].iter().position(|b| may_end(*b)) {
        at += offset;
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        let after = at + c.len_utf8();
        let closed = || after + (text[after..].len() - text[after..].trim_start_matches(is_closing).len());
        let end = match c {
            '`' => {
                at += code_length(rest);
                continue;
            }
            '[' => {
                at += link_length(rest);
                continue;
            }
            '\n' if text[start..at].ends_with("  ")
                || text[start..at].ends_with('\\')
                || is_label(&text[start..at]) =>
            {
                Some(after)
            }
            '\n' => None,
            '。' | '！' | '？' => Some(closed()),
            c if !c.is_ascii() => None,
            c => Some(closed()).filter(|end| {
                let next = &text[*end..];
                next.is_empty()
                    || next.starts_with(char::is_whitespace)
                        && !next.trim_start().trim_start_matches(OPENING_MARKS).starts_with(char::is_lowercase)
                        && !(c == '.' && is_abbreviation(&text[start..at]))
            }),
        };
        at = end.unwrap_or(after);
        if let Some(end) = end {
            add(text, start..end, &mut found);
            start = end;
        }
    }
    add(text, start..text.len(), &mut found);
    found
}

fn is_closing(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '"' | '”' | '’' | '\'' | ')' | ']' | '»' | '」' | '』' | '）' | '。' | '*' | '_')
}

const OPENING_MARKS: [char; 9] = ['"', '(', '\'', '“', '«', '*', '_', '[', '>'];

/// Returns the length of the code span that a text begins with; of its backticks, if it has no end.
fn code_length(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    near(&text[marks..]).find(&text[..marks]).map_or(marks, |end| marks + end + marks)
}

/// Returns the length of the link that a text begins with; of its bracket, if it is none.
fn link_length(text: &str) -> usize {
    let end = near(text).find(']').map(|end| (end, target_length(&text[end..])));
    end.filter(|(_, target)| *target > 0).map_or(1, |(end, target)| end + target)
}

/// Returns the part of a text in which the end of something is looked for, so that the time is proportional to the length.
fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(text.len().min(1024))]
}

/// Returns the length of `](…)` or `][…]` at the beginning of a text; 0 if there is none.
fn target_length(text: &str) -> usize {
    let close = match text.as_bytes() {
        [b']', b'(', ..] => ')',
        [b']', b'[', ..] => ']',
        _ => return 0,
    };
    near(&text[2..]).find([close, '\n']).filter(|end| text[2 + end..].starts_with(close)).map_or(0, |end| end + 3)
}

pub(super) fn is_label(line: &str) -> bool {
    let line = line.trim();
    let is_marked = |mark: &str| line.starts_with(mark) && line.trim_end_matches(':').ends_with(mark);
    line.len() > 4 && ["**", "__"].into_iter().any(is_marked)
}

/// Returns whether a text ends with an abbreviation, an initial, or the number of a list.
fn is_abbreviation(text: &str) -> bool {
    let from = text.char_indices().rev().nth(7).map_or(0, |(at, _)| at);
    let tail = text[from..].to_lowercase();
    let word = tail.rsplit([' ', '(', '\n', ',', '>']).next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_initial || text.trim_start().bytes().all(|b| b.is_ascii_digit()) || ABBREVIATIONS.split(' ').any(|it| it == word)
}

fn add(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    // A line of a quotation begins with its mark.
    let start = range.start + (part.len() - part.trim_start_matches([' ', '\t', '\n', '>']).len());
    let end = range.start + part.trim_end().len();
    if start < end {
        found.push(start..end);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeText {
    Keep,
    /// A mark that is no letter stands for it: code says nothing.
    Blank,
}

/// Returns what a reader sees of a text, on one line; with [`CodeText::Blank`] nothing struck or quoted.
pub(super) fn visible(text: &str, code: CodeText) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut last = b' ';
        let is_end = |b: u8| {
            !is_plain(b) && (b != b' ' || last == b' ') || {
                last = b;
                false
            }
        };
        let end = rest.bytes().position(is_end).unwrap_or(rest.len());
        if end > 0 {
            seen.push_str(&rest[..end]);
            at += end;
            continue;
        }
        let skipped = match c {
            '`' => {
                let length = code_length(rest);
                match code {
                    CodeText::Keep => seen.push_str(&joined(rest[..length].trim_matches('`'))),
                    CodeText::Blank => seen.push('`'),
                }
                length
            }
            ']' => target_length(rest).max(1),
            '!' if rest.starts_with("![") => 2 + near(&rest[2..]).find(']').unwrap_or(0),
            '<' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') => {
                near(rest).find(['>', '\n']).filter(|end| rest[*end..].starts_with('>')).map_or(1, |end| end + 1)
            }
            '~' if rest.starts_with("~~") => match near(&rest[2..]).find("~~").filter(|_| code == CodeText::Blank) {
                Some(end) => end + 4,
                None => 2,
            },
            '"' | '“' | '„' | '«' if code == CodeText::Blank => {
                let length = quoted_length(rest, c);
                if length > c.len_utf8() {
                    seen.push('`');
                }
                length
            }
            '*' | '[' | '\\' | '"' => 1,
            '_' if seen.ends_with(|c: char| c.is_alphanumeric()) && rest[1..].starts_with(char::is_alphanumeric) => 0,
            '_' => 1,
            '>' if text[..at].trim_end_matches([' ', '\t', '>']).ends_with('\n') => 1,
            c if c.is_whitespace() => {
                if !seen.is_empty() && !seen.ends_with(' ') {
                    seen.push(' ');
                }
                c.len_utf8()
            }
            _ => 0,
        };
        if skipped == 0 {
            seen.push(if c == '’' { '\'' } else { c });
        }
        at += if skipped == 0 { c.len_utf8() } else { skipped };
    }
    seen.truncate(seen.trim_end().len());
    seen
}

pub(super) fn lower(mut text: String) -> String {
    if !text.is_ascii() {
        return text.to_lowercase();
    }
    text.make_ascii_lowercase();
    text
}

fn is_plain(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b',' | b'.' | b'(' | b')' | b'-' | b'/' | b':' | b';' | b'\'')
}

fn joined(code: &str) -> Cow<'_, str> {
    if !code.contains('\n') && !code.contains("  ") {
        return Cow::Borrowed(code);
    }
    let lines = code.lines().map(|line| line.trim_start_matches([' ', '\t', '>']));
    Cow::Owned(lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" "))
}

/// Returns the length of the quotation that a text begins with; of its mark, if it is not closed.
fn quoted_length(text: &str, open: char) -> usize {
    let close: &[char] = match open {
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        _ => &['"'],
    };
    let start = open.len_utf8();
    near(&text[start..])
        .find(close)
        .map_or(start, |end| start + end + text[start + end..].chars().next().map_or(0, char::len_utf8))
}
