//! Codes to recover an account, one or many, in a sentence, a list or a table after a label or alone on their lines.

use super::super::heuristics;
use super::super::text::{contains_ignoring_case, starts_ignoring_case};

/// How far the first code may be from its label, and how far the last.
const MAX_LEAD: usize = 200;
const MAX_LIST: usize = 1600;
/// How far below a word for a second factor its codes may begin.
const MAX_LINES: usize = 280;

/// The length of codes that are hexadecimal, longer than any other.
const HEXADECIMAL: usize = 32;

/// The shape of a code: the lengths of its groups.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    group: usize,
    groups: usize,
    numeric: bool,
}

/// Passes the codes after the label that ends at `from` to `found`; returns the end of what was read.
pub(super) fn after(text: &[u8], from: usize, mut found: impl FnMut(usize, usize)) -> Option<usize> {
    // The number of a key is no key.
    if starts_ignoring_case(&text[from..], b" id") {
        return None;
    }
    let limit = text.len().min(from + MAX_LIST);
    let (mut at, mut last) = (from, from);
    let mut codes: Vec<(usize, usize, Shape)> = Vec::new();
    let mut words = 0;
    while at < limit {
        let lead = if codes.is_empty() { MAX_LEAD } else { 64 };
        if at - last > lead || words > if codes.is_empty() { 24 } else { 4 } {
            break;
        }
        if !text[at].is_ascii_alphanumeric() {
            if text[at..].starts_with(b"\n#") || text[at..].starts_with(b"\n\n\n") || text[at..].starts_with(b"://") {
                break;
            }
            at += 1;
            continue;
        }
        let numbered = text[..at].trim_ascii_end().ends_with(b" ID");
        if let Some((end, shape)) = code(text, at).filter(|_| !numbered) {
            codes.push((at, end, shape));
            (at, last, words) = (end, end, 0);
            continue;
        }
        let length = text[at..]
            .iter()
            .take(40)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            .count();
        words += usize::from(text[at].is_ascii_alphabetic());
        at += length.max(1);
    }
    let (first, .., shape) = codes.first().copied()?;
    let same = codes.iter().filter(|(.., other)| *other == shape).count();
    let lone = |start: usize, end: usize| {
        let code = &text[start..end];
        let label = &text[from..first];
        let joined = label.iter().any(|b| matches!(b, b':' | b'=' | b'|' | b'\n')) || label.len() <= 24;
        shape.numeric && code.len() >= 8 && joined && label.len() <= 60
            || !shape.numeric && !heuristics::is_name(code) && label.len() <= 120
            || shape.groups > 1 && joined && code.iter().filter(|b| b.is_ascii_digit()).count() >= 2
    };
    if same < 2 && !lone(first, codes[0].1) {
        return Some(last);
    }
    for (start, end, other) in &codes {
        if *other == shape {
            found(*start, *end);
        }
    }
    Some(last)
}

/// Passes the codes to `found` that are the only content of at least three lines soon after `from`, two if they have groups.
pub(super) fn lines(text: &[u8], from: usize, mut found: impl FnMut(usize, usize)) {
    let limit = text.len().min(from + MAX_LINES);
    let Some(first) = memchr::memchr(b'\n', &text[from..limit]) else { return };
    let mut at = from + first + 1;
    let mut codes: Vec<(usize, usize, Shape)> = Vec::new();
    while at < text.len() && (at < limit || !codes.is_empty()) && codes.len() < 20 {
        let length = text[at..].iter().take(80).take_while(|b| **b != b'\n').count();
        let line = &text[at..at + length];
        let mark = |b: &u8| matches!(b, b' ' | b'\t' | b'>' | b'-' | b'*' | b'"' | b'`' | b',' | b'\r');
        let lead = line.iter().take_while(|b| mark(b)).count();
        let bare = &line[lead..];
        let bare = &bare[..bare.iter().rposition(|b| !mark(b)).map_or(0, |last| last + 1)];
        let whole = |(end, _): &(usize, Shape)| *end == at + lead + bare.len();
        let next = if bare.is_empty() { None } else { code(text, at + lead).filter(whole) };
        let same = |shape: Shape| codes.first().is_none_or(|(.., other)| shape == *other);
        match next {
            Some((end, shape)) if same(shape) => codes.push((at + lead, end, shape)),
            _ if codes.is_empty() || bare.is_empty() => {}
            _ => break,
        }
        at += length + 1;
    }
    let start = codes.first().map_or(from, |(start, ..)| *start);
    let others = [&b"commit"[..], b"sha", b"revision", b"digest", b"build"];
    if others.iter().any(|word| contains_ignoring_case(&text[from..start], word)) {
        return;
    }
    let grouped = codes.first().is_some_and(|(.., shape)| shape.groups > 1);
    if codes.len() >= if grouped { 2 } else { 3 } {
        codes.into_iter().for_each(|(start, end, _)| found(start, end));
    }
}

/// Returns the end and the shape of the code at `at`.
fn code(text: &[u8], at: usize) -> Option<(usize, Shape)> {
    if at > 0 && (text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'_' | b'#' | b'@' | b'=')) {
        return None;
    }
    let group =
        |from: usize| text[from..].iter().take(HEXADECIMAL + 1).take_while(|b| b.is_ascii_alphanumeric()).count();
    let first = group(at);
    let mut end = at + first;
    let mut groups = 1;
    let numeric_group = |from: usize, to: usize| text[from..to].iter().all(u8::is_ascii_digit);
    while groups < 8 && (3..=8).contains(&first) {
        let joint = match text.get(end) {
            Some(b'-') => true,
            // Groups of digits may be apart by a blank.
            Some(b' ') if numeric_group(at, at + first) => matches!(first, 3..=6) && groups < 3,
            // Eight groups of four, as Bitwarden writes them.
            Some(b' ') => groups > 1 || is_spaced(text, at),
            _ => false,
        };
        let next = end + 1;
        if !joint
            || next >= text.len()
            || group(next) != first
            || text[end] == b' ' && numeric_group(at, at + first) && !numeric_group(next, next + first)
        {
            break;
        }
        groups += 1;
        end = next + first;
    }
    let token = &text[at..end];
    if text.get(end).is_some_and(|b| matches!(b, b'_' | b'-' | b'=' | b'%' | b'@'))
        || text.get(end) == Some(&b'.') && text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
    {
        return None;
    }
    let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
    let alphabetic = token.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let both = token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase);
    let numeric = alphabetic == 0;
    let fits = match (groups, numeric) {
        (1, true) => matches!(digits, 8..=12) && !token.starts_with(b"20"),
        (1, false) => {
            ((8..=16).contains(&first) || first == HEXADECIMAL && token.iter().all(u8::is_ascii_hexdigit))
                && digits >= 2
                && alphabetic >= 2
                && !both
                && !heuristics::is_name(token)
        }
        (2, true) => matches!(first, 3..=6) && digits >= 8 || first == 3 && text[at + 3] == b' ',
        (_, true) => first >= 3,
        (2.., false) => {
            let even = if groups < 4 { 4..=6 } else { 3..=8 };
            let jumbled = || token.split(|b| !b.is_ascii_alphabetic()).any(heuristics::is_jumble);
            (digits >= 1 || jumbled()) && !both && even.contains(&first)
        }
        (0, false) => false,
    };
    let shape = Shape { group: first, groups, numeric: numeric && groups == 1 };
    (fits && !heuristics::is_placeholder(token)).then_some((end, shape))
}

/// Whether eight groups of four small letters and digits with blanks between them are at `at`.
fn is_spaced(text: &[u8], at: usize) -> bool {
    let Some(code) = text.get(at..at + 39) else { return false };
    let mut groups = code.chunks(5).map(|group| group.strip_suffix(b" ").unwrap_or(group));
    groups.all(|group| group.len() == 4 && group.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
        && code.iter().any(u8::is_ascii_digit)
        && code.iter().filter(|b| b.is_ascii_lowercase()).count() >= 8
        && text.get(at + 39).is_none_or(|b| !b.is_ascii_alphanumeric())
}
