//! Strings that are split in the source: concatenated, continued on the next line, or wrapped.

use super::heuristics::{self, WordList};
use super::letters;
use super::text::{is_word, last_line};
use aho_corasick::packed::Searcher;
use std::sync::OnceLock;

/// The most blanks and line ends between two parts.
const MAX_GAP: usize = 64;
/// The ends of the calls that join strings.
const CALLS: [&[u8]; 10] =
    [b"join(", b"Join(", b"implode(", b"oncat(", b"ONCAT(", b"oncat!(", b"paste0(", b"paste(", b"strcat(", b"Sprint("];
/// The ends of the calls that join strings if their format says nothing else: `Sprintf("%s%s", …)`.
const FORMATS: [&[u8]; 4] = [b"rintf(", b"ormat(", b"ormat!(", b"% ("];
/// Methods that add to a string.
static ADDERS: WordList = WordList::new("append add concat push push_str write write_str writestring");
/// The longest name of a variable, and how far before the end of a string it may be assigned.
const MAX_NAME: usize = 40;
const MAX_ASSIGNMENT: usize = 200;
/// The longest second part of a wrapped token that is read.
const MAX_PART: usize = 1024;
/// How far a call such as `.join("")` may be from one of the strings that it joins.
const MAX_CALL_DISTANCE: usize = 300;
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

/// Returns the place at which the parts of a string meet if the `+` at `at` joins two of them in backticks.
pub(super) fn backticks(bytes: &[u8], at: usize) -> Option<usize> {
    let place = at.checked_sub(2)?;
    (bytes[place..].starts_with(b"` + `") && joined(bytes, place).is_some()).then_some(place)
}

/// Returns the place at which the parts of a string meet if the first one ends with the quote at `at`.
pub(super) fn quote(bytes: &[u8], at: usize, has_calls: impl Fn() -> bool) -> Option<usize> {
    match bytes.get(at + 1)? {
        // What a comma follows is mostly an element of a list.
        b',' if !has_calls() => None,
        b' ' | b'\n' | b'+' | b'.' | b',' | b'&' | b')' | b'\\' | b';' | b'}' | b'"' | b'\'' => {
            // The quotes of a text inside a text are escaped.
            let start = at - bytes[..at].iter().rev().take(3).take_while(|b| **b == b'\\').count();
            joined(bytes, start).map(|_| start)
        }
        _ => None,
    }
}

/// Whether any call may join strings. All names are searched for together.
pub(super) fn has_calls(bytes: &[u8]) -> bool {
    static NAMES: OnceLock<Option<Searcher>> = OnceLock::new();
    let names = NAMES.get_or_init(|| Searcher::new(CALLS.iter().chain(&FORMATS)));
    names.as_ref().is_none_or(|names| names.find(bytes).is_some())
}

/// Returns how many bytes are between two strings that are joined at `at`, the quote that ends the first or the backslashes
/// before it, quotes included: `" + "`, `" . "`, `" "`, and `", "` in what a call joins.
pub(super) fn joined(bytes: &[u8], from: usize) -> Option<usize> {
    if !is_part(*bytes.get(from.checked_sub(1)?)?) {
        return None;
    }
    const OPERATORS: &[&[u8]] = &[
        b"++",
        b"+",
        b"..",
        b".concat(",
        b".",
        b"&",
        b"<>",
        b"||",
        b"^",
        b"~",
        b",",
        b").append(",
        b").Append(",
        b"\\",
        b"}{",
    ];
    let escapes = bytes[from..].iter().take(3).take_while(|b| **b == b'\\').count();
    let at = from + escapes;
    if bytes[from..].starts_with(b"` + `") {
        return (bytes.get(at + 5).is_some_and(|b| is_part(*b)) && is_assigned(bytes, at)).then_some(5);
    }
    if !matches!(bytes.get(at), Some(b'"' | b'\'')) {
        return None;
    }
    if let Some(next) = added(bytes, at) {
        return bytes.get(next).is_some_and(|b| is_part(*b)).then_some(next - from);
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
    let listed = operator.is_some_and(|operator| *operator == b",");
    // The format itself is no part of what it joins.
    let is_format = listed && (bytes[..at].ends_with(b"%s") || bytes[..at].ends_with(b"%v"));
    (quotes && goes_on && !is_format && (!listed || is_in_call(bytes, at))).then_some(next + 1 - from)
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

/// Whether the string in backticks that ends at `at` is a value in a program, and no code in a sentence.
fn is_assigned(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(MAX_ASSIGNMENT)..at];
    let Some(open) = before.iter().rposition(|b| matches!(b, b'`' | b'\n')).filter(|open| before[*open] == b'`') else {
        return false;
    };
    let before = before[..open].trim_ascii_end();
    let is_joined = before.ends_with(b"` +");
    let name = before.strip_suffix(b"=").or_else(|| before.strip_suffix(b"(")).unwrap_or_default().trim_ascii_end();
    is_joined || name.last().is_some_and(|b| is_word(*b))
}

/// Returns the start of the string that the next line adds to the one whose quote is at `at`: `x += "…"`,
/// `x.append("…")`.
fn added(bytes: &[u8], at: usize) -> Option<usize> {
    let ends = bytes[at + 1..].iter().take(3).take_while(|b| matches!(b, b')' | b';')).count();
    let line = at + 1 + ends;
    let line = line + usize::from(bytes.get(line) == Some(&b'\r'));
    if bytes.get(line) != Some(&b'\n') {
        return None;
    }
    let start = skip_gap(bytes, line);
    let is_name = |b: &u8| is_word(*b) || matches!(b, b'$' | b'.');
    let length = bytes[start..].iter().take(MAX_NAME).take_while(|b| is_name(b)).count();
    let name = &bytes[start..start + length];
    let mut next = skip_gap(bytes, start + length);
    let variable = if bytes.get(next) == Some(&b'(') {
        let dot = name.iter().rposition(|b| *b == b'.')?;
        next += 1;
        ADDERS.has(&name[dot + 1..]).then_some(&name[..dot])?
    } else {
        let operators = [&b"+="[..], b".=", b"<<", b"..="];
        next += operators.iter().find(|operator| bytes[next..].starts_with(operator))?.len();
        name
    };
    next = skip_gap(bytes, next);
    let before = last_line(&bytes[at.saturating_sub(MAX_ASSIGNMENT)..at]);
    let assigned = !variable.is_empty() && before.windows(variable.len()).any(|part| part == variable);
    (assigned && matches!(bytes.get(next), Some(b'"' | b'\''))).then_some(next + 1)
}

/// Whether the strings around `at` are the elements of a list that a call joins.
fn is_in_call(bytes: &[u8], at: usize) -> bool {
    let start = at.saturating_sub(MAX_CALL_DISTANCE);
    let window = &bytes[start..bytes.len().min(at + MAX_CALL_DISTANCE)];
    memchr::memchr_iter(b'(', window).any(|open| {
        let call = &window[..=open];
        CALLS.iter().any(|known| call.ends_with(known))
            || FORMATS.iter().any(|known| call.ends_with(known) && joins_only(window, open, known.len()))
    })
}

/// Whether the format of the call whose bracket is at `open` has nothing but its parameters: `"%s%s"`, `"{}{}"`.
/// `length`: how much of the call's name is known.
fn joins_only(window: &[u8], open: usize, length: usize) -> bool {
    let is_parameter = |b: &u8| matches!(b, b'%' | b's' | b'v' | b'{' | b'}' | b'0'..=b'3');
    let is_quote = |b: Option<&u8>| matches!(b, Some(b'"' | b'\''));
    let after = &window[open + 1..];
    if is_quote(after.first()) {
        let format = after[1..].iter().take_while(|b| is_parameter(b)).count();
        if format >= 4 && is_quote(after.get(1 + format)) {
            return true;
        }
    }
    // `"{}{}".format(`, `"%s%s" % (`
    let before = window[..open + 1 - length].trim_ascii_end();
    let before = before.strip_suffix(b"f").unwrap_or(before);
    let before = before.strip_suffix(b".").or_else(|| before.strip_suffix(b"%")).unwrap_or(before).trim_ascii_end();
    is_quote(before.last()) && before[..before.len() - 1].iter().rev().take_while(|b| is_parameter(b)).count() >= 4
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
        second.iter().any(u8::is_ascii_digit) && !heuristics::is_name(second)
            || length >= 6 && letters::are_random(second)
            || before >= 48 && length >= 12 && is_jumbled(second)
    };
    // `test_reset_expires_after_24h`, the name of something.
    let words = second.split(|b| matches!(b, b'_' | b'-'));
    let worded = words.filter(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase)).count() >= 3;
    let goes_on = length >= MIN_WRAPPED.1 && ends && !listed && !entry && !worded;
    (goes_on && is_random() && !heuristics::is_name(first)).then_some(next - at)
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

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill};
    use crate::redact::view::View;

    fn decoded(raw: &str) -> String {
        View::decoded(raw).map_or_else(|| raw.to_owned(), |view| view.text.into_owned())
    }

    #[test]
    fn parts_of_a_string_read_as_one() {
        for (raw, read) in [
            (r#"k = "ghp_ab" + "cd";"#, r#"k = "ghp_abcd";"#),
            (r#"k = 'ghp_ab' . 'cd'"#, "k = 'ghp_abcd'"),
            ("k = (\"ghp_ab\"\n     \"cd\")", "k = (\"ghp_abcd\")"),
            ("k = \"ghp_ab\" +\n>   \"cd\"", "k = \"ghp_abcd\""),
            ("k = \"ghp_ab\" & _\n", "k = \"ghp_ab\" & _\n"),
            ("k = \"ghp_ab\" & _\n    \"cd\"", "k = \"ghp_abcd\""),
            (r#"["ghp_ab", "cd"].join("")"#, r#"["ghp_abcd"].join("")"#),
            (r#"''.join(["ghp_ab", "cd"])"#, r#"''.join(["ghp_abcd"])"#),
            (r#"paste0("ghp_ab", "cd")"#, r#"paste0("ghp_abcd")"#),
            (r#"Sprintf("%s%s", "ghp_ab", "cd")"#, r#"Sprintf("%s%s", "ghp_abcd")"#),
            (r#""%s%s" % ("ghp_ab", "cd")"#, r#""%s%s" % ("ghp_abcd")"#),
            (r#"'{}{}'.format('ghp_ab', 'cd')"#, "'{}{}'.format('ghp_abcd')"),
            ("k = 'ghp_ab'\nk += 'cd'", "k = 'ghp_abcd'"),
            ("b.append(\"ghp_ab\");\nb.append(\"cd\");", "b.append(\"ghp_abcd\");"),
            ("k='ghp_ab''cd'\"ef\"", "k='ghp_abcdef\""),
            ("k = `ghp_ab` + `cd`", "k = `ghp_abcd`"),
            ("f\"{'ghp_ab'}{'cd'}\"", "f\"{'ghp_abcd'}\""),
            ("k=ghp_ab\\\n  cd", "k=ghp_abcd"),
            ("\"ghp_ab\\\ncd\"", "\"ghp_abcd\""),
        ] {
            assert_eq!(decoded(raw), read, "{raw}");
        }
        let (first, second) = (fill("ghp_<a20>7x", SEED), fill("9<a13>", SEED));
        for gap in ["\n", "\n> ", "\n    "] {
            assert_eq!(decoded(&format!("see {first}{gap}{second} there")), format!("see {first}{second} there"));
        }
    }

    #[test]
    fn separate_strings_and_lines_stay_apart() {
        for raw in [
            r#"["first", "second"]"#,
            r#"printf("%s: %s", "first", "second")"#,
            "a = 'one'\nb += 'two'",
            "`a` = `0x01` + `i`",
            r#"{"a": "b", "c": "d"}"#,
            "a line of prose\nand another",
            "version-1.2.3\nrelease-2",
            "it's here, users' too",
            "cmd \\\n  --flag",
        ] {
            assert!(View::decoded(raw).is_none(), "{raw}");
        }
    }
}
