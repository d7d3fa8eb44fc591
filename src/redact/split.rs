//! Strings that are split in the source: concatenated, continued on the next line, or wrapped.

use super::letters;
use super::text::is_word;

/// The most blanks and line ends between two parts.
const MAX_GAP: usize = 64;
/// The longest second part of a wrapped token that is read.
const MAX_PART: usize = 1024;
/// The least length of the first part of a wrapped token, and of its second part.
const MIN_WRAPPED: (usize, usize) = (12, 2);

/// Returns the place at which the parts of a string meet if that is the line end at `at`.
pub(super) fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let before = at.checked_sub(1)?;
    match bytes[before] {
        b'\\' | b'^' => continued(bytes, before).map(|_| before),
        b if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/') => {
            wrapped(bytes, at).map(|_| at)
        }
        _ => None,
    }
}

/// Returns the place at which the parts of a string meet if the first one ends with the quote at `at`.
pub(super) fn quote(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b' ' | b'\n' | b'+' | b'.' | b'&' | b'\\' | b'"' | b'\'' => {
            // The quotes of a text inside a text are escaped.
            let start = at - bytes[..at].iter().rev().take(3).take_while(|b| **b == b'\\').count();
            joined(bytes, start).map(|_| start)
        }
        _ => None,
    }
}

/// Returns how many bytes are between two strings that are joined at `at`, the quote that ends the first or the backslashes
/// before it, quotes included: `" + "`, `" . "`, `" "`.
pub(super) fn joined(bytes: &[u8], from: usize) -> Option<usize> {
    if !is_part(*bytes.get(from.checked_sub(1)?)?) {
        return None;
    }
    const OPERATORS: &[&[u8]] = &[b"++", b"+", b"..", b".concat(", b".", b"&", b"<>", b"||", b"^", b"~", b"\\"];
    let escapes = bytes[from..].iter().take(3).take_while(|b| **b == b'\\').count();
    let at = from + escapes;
    if !matches!(bytes.get(at), Some(b'"' | b'\'')) {
        return None;
    }
    let mut next = skip_gap(bytes, at + 1);
    let operator = OPERATORS.iter().find(|operator| bytes[next..].starts_with(operator)).filter(|operator| {
        // The backslashes of the second string's quote are no operator.
        **operator != b"\\" || escapes == 0
    });
    if let Some(operator) = operator {
        next = skip_gap(bytes, next + operator.len());
        // The end of a line in PowerShell and in Visual Basic.
        if bytes[next..].starts_with(b"`\n") || bytes[next..].starts_with(b"_\n") {
            next = skip_gap(bytes, next + 1);
        }
        // A line end inside of an escaped text.
        if escapes > 0 && bytes[next..].starts_with(b"\\n") {
            next = skip_gap(bytes, next + 2);
        }
    } else if next > at + 1 && is_sentence_or_key(&bytes[next..]) {
        // Two sentences, or two fields, on lines of their own.
        return None;
    } else if next == at + 1 && !(escapes == 0 && matches!(bytes.get(next), Some(b'"' | b'\''))) {
        return None;
    }
    // `f"…"`, `@"…"`
    if matches!(bytes.get(next), Some(b'f' | b'r' | b'b' | b'u' | b'@' | b'$')) {
        next += 1;
    }
    if bytes[next..].iter().take(escapes).any(|b| *b != b'\\') {
        return None;
    }
    next += escapes;
    let quote = *bytes.get(next)?;
    // A shell joins what touches, whatever its quotes.
    let touches = next == at + 1;
    let quotes = matches!(quote, b'"' | b'\'') && (operator.is_some() || touches || quote == bytes[at]);
    let goes_on = bytes.get(next + 1).is_some_and(|b| is_part(*b));
    (quotes && goes_on).then_some(next + 1 - from)
}

/// Whether the string that opens at the start of `rest` has blanks, or is the name of a field.
fn is_sentence_or_key(rest: &[u8]) -> bool {
    let Some((quote, string)) = rest.split_first() else { return false };
    let end = string.iter().take(80).position(|b| b == quote || *b == b'\n');
    if end.is_some_and(|end| string[end] == *quote && string.get(end + 1) == Some(&b':')) {
        return true;
    }
    string.iter().take(80).find(|b| matches!(**b, b' ' | b'\n') || *b == quote) == Some(&b' ')
}

/// Returns the length of the backslash, the line end and the blanks at `at` between two parts of a word.
pub(super) fn continued(bytes: &[u8], at: usize) -> Option<usize> {
    let next = skip_gap(bytes, at + 1);
    let inside = is_part(*bytes.get(at.checked_sub(1)?)?) && bytes.get(next).is_some_and(|b| is_word(*b));
    inside.then_some(next - at)
}

/// Returns the length of the line end at `at`, with the marks of a quote, between two parts of a random token.
pub(super) fn wrapped(bytes: &[u8], at: usize) -> Option<usize> {
    // The end of a paragraph, or an entry of a list or table: most lines.
    if matches!(bytes.get(at + 1), None | Some(b'\n' | b'\r' | b'-' | b'+' | b'*' | b'|' | b'#' | b'`')) {
        return None;
    }
    let low = at.checked_sub(MIN_WRAPPED.0)?;
    if bytes[low..at].iter().any(|b| *b <= b' ') {
        return None;
    }
    let before = bytes[at.saturating_sub(MAX_GAP)..at].iter().rev().take_while(|b| is_part(**b)).count();
    let first = &bytes[at - before..at];
    // A sentence or a path ends so; the header of a JSON Web Token too.
    let open = matches!(first.last(), Some(b'.')) && !first.starts_with(b"eyJ")
        || matches!(first.last(), Some(b'/' | b'+')) && (before < 32 || first.contains(&b'.'));
    // `LAMP_PASSWORD=otter7` and a command below it.
    let named = first.iter().position(|b| *b == b'=').filter(|at| *at + 1 < before).map_or(0, |at| at + 1);
    let short = before - named < MIN_WRAPPED.0;
    if before < MIN_WRAPPED.0 || short || open || !first.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let lead = bytes[at + 1..].iter().take(16).take_while(|b| matches!(b, b' ' | b'\t' | b'>')).count();
    let next = at + 1 + lead;
    let length = bytes[next..].iter().take(MAX_PART).take_while(|b| is_part(**b)).count();
    let second = &bytes[next..next + length];
    // `NAME=1`, `key: 1`, `- item`: an entry of its own.
    let entry = matches!(second.first(), Some(b'-' | b'+'))
        || second.iter().rev().skip_while(|b| **b == b'=').any(|b| matches!(b, b'=' | b':' | b'@' | b'$' | b'%'));
    // A list of digests.
    let listed = second.len() == before && [first, second].iter().all(|part| part.iter().all(u8::is_ascii_hexdigit));
    let ends = bytes
        .get(next + length)
        .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b')' | b',' | b'.' | b';'));
    let is_random = || {
        second.iter().any(u8::is_ascii_digit) && !letters::is_name(second)
            || length >= 6 && letters::are_random(second)
            || before >= 48 && length >= 12 && is_jumbled(second)
    };
    // `test_reset_expires_after_24h`, the name of something.
    let words = second.split(|b| matches!(b, b'_' | b'-'));
    let worded = words.filter(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase)).count() >= 3;
    let goes_on = length >= MIN_WRAPPED.1 && ends && !listed && !entry && !worded;
    (goes_on && is_random() && !letters::is_name(first)).then_some(next - at)
}

/// Whether letters of both cases change so often that they are no words: the rest of a long key.
fn is_jumbled(part: &[u8]) -> bool {
    let pairs = part.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let changes = pairs.filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()).count();
    changes * 4 >= part.len()
}

/// Returns the length of the soft line break at `at`, with the marks of a quote: mail in "quoted-printable" breaks long lines with `=`
/// (RFC 2045, 6.7).
pub(super) fn soft_break(bytes: &[u8], at: usize) -> Option<usize> {
    // Such lines have up to 76 characters; Base64 ends with `=` too, but nothing of it follows.
    let before = bytes[at.saturating_sub(76)..at].iter().rev().take_while(|b| is_part(**b)).count();
    let next = at + 2 + bytes[at + 2..].iter().take(16).take_while(|b| matches!(b, b' ' | b'\t' | b'>')).count();
    let length = bytes[next..].iter().take(MAX_PART).take_while(|b| is_part(**b)).count();
    (before >= 48 && length >= 2 * MIN_WRAPPED.0).then_some(next - at)
}

/// Skips blanks, line ends and a comment at `at`, and the marks of a quote or of an added line after them.
fn skip_gap(bytes: &[u8], at: usize) -> usize {
    let next = skip_blanks(bytes, at);
    let Some(comment) = bytes[next..].strip_prefix(b"/*") else { return next };
    let length = memchr::memmem::find(&comment[..comment.len().min(MAX_GAP)], b"*/");
    length.map_or(next, |length| skip_blanks(bytes, next + length + 4))
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let gap = |b: &&u8| matches!(**b, b' ' | b'\t' | b'\n' | b'\r');
    let mut next = at + bytes[at..].iter().take(MAX_GAP).take_while(gap).count();
    if bytes[at..next].contains(&b'\n') {
        // `+    "…"`, an added line.
        if bytes[..next].ends_with(b"\n") && bytes[next..].starts_with(b"+ ") {
            next += 1;
        }
        next += bytes[next..].iter().take(MAX_GAP).take_while(|b| matches!(b, b' ' | b'>')).count();
    }
    next
}

/// Whether `byte` may be part of a token.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b':' | b'!' | b'@' | b'#' | b'$' | b'%')
}
