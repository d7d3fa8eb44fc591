//! Words that are paths, URLs or names of repos.

use crate::mentions::adr::adr_number;
use crate::model::is_document_name;
use std::ops::Range;

/// Returns the ranges of the words of a text that may be paths: divided by white space, quotes and brackets.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let divides = |c: char| {
        c.is_whitespace()
            || matches!(c, '(' | ')' | '[' | ']' | '"' | '\'' | '`' | ',' | ';' | '|' | '“' | '”' | '‘' | '’' | '—')
    };
    let mut start = 0;
    text.split_inclusive(divides).map(move |piece| {
        let word = piece.trim_end_matches(divides);
        let range = start..start + word.len();
        start += piece.len();
        range
    })
}

/// Returns the path in a word, without a line, a full stop or an `@` around it.
pub(super) fn path_in(word: &str) -> Option<&str> {
    // A quick test that almost every word of prose fails.
    if !word.trim_end_matches('.').contains('.') {
        return None;
    }
    let word = word.trim_start_matches(['@', '*', '=', ':']).trim_end_matches(['.', ':', '!', '?', '*', '>']);
    let word = without_lines(word);
    let unusual =
        |c: char| matches!(c, '*' | '?' | '<' | '>' | '{' | '}' | '$' | '…' | '\\' | ':' | '\n') || c.is_control();
    if word.len() > 1024 || word.contains(unusual) || !is_document_name(word) || is_placeholder(word) {
        return None;
    }
    let path = word.split('#').next().unwrap_or(word);
    (path.contains('/') || adr_number(path).is_some()).then_some(word)
}

/// Returns the text without `:12`, `:12:3`, `:12-14` or `#L12-L14` at its end.
fn without_lines(word: &str) -> &str {
    if let Some((path, anchor)) = word.split_once("#L")
        && anchor.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | 'L'))
    {
        return path;
    }
    match word.split_once(':') {
        Some((path, lines)) if lines.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | 'L')) => path,
        _ => word,
    }
}

/// Returns whether a path is one of a template: `ADR-XXXX-title.md`, `NNNN-title.md`.
fn is_placeholder(path: &str) -> bool {
    path.split(|c: char| !c.is_alphanumeric()).any(|part| {
        part.len() >= 3 && (part.bytes().all(|b| matches!(b, b'X' | b'x')) || matches!(part, "NNN" | "NNNN" | "YYYY"))
    })
}

/// Returns the URL in a word, or an empty text if it is no web address; `at` is the offset of its `://`.
pub(super) fn word_url(word: &str, at: usize) -> &str {
    let scheme = ["https", "http"].into_iter().find(|scheme| word[..at].ends_with(scheme));
    let start = scheme.map_or(word.len(), |scheme| at - scheme.len());
    let url = word[start..].trim_end_matches(['.', ':', '!', '?', '*', '_', '>', '<']);
    url.split('<').next().unwrap_or(url)
}

/// Returns whether a link leads neither to a file nor to the web: `mailto:`, `data:` and the like.
pub(super) fn has_other_scheme(target: &str) -> bool {
    match target.split_once(':') {
        Some((scheme, _)) => {
            let shaped =
                scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-'));
            shaped
                && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && !scheme.eq_ignore_ascii_case("https")
                && !scheme.eq_ignore_ascii_case("http")
        }
        None => false,
    }
}

/// Returns the word directly before a number if it looks like the name of a repo.
pub(super) fn foreign(before: &str) -> Option<String> {
    let before = before.strip_suffix([' ', '\u{a0}'])?;
    let start = before
        .char_indices()
        .rev()
        .take(101)
        .find(|(_, c)| {
            c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | '`' | '|' | '“' | '‘' | ',' | ';')
        })
        .map_or_else(|| before.len().saturating_sub(101), |(at, c)| at + c.len_utf8());
    let word = before.get(start..)?;
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let named = word.len() <= 100
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.ends_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && word.contains(|c: char| c.is_ascii_alphabetic());
    let coded = word.contains(['-', '/', '_']) || word.contains(|c: char| c.is_ascii_digit());
    (named && coded && !is_english(word)).then(|| word.to_owned())
}

/// First parts of ordinary words with a hyphen, such as `follow-up` or `non-goal`.
const PREFIXES: [&str; 30] = [
    "non", "pre", "post", "re", "co", "sub", "self", "so", "well", "follow", "up", "above", "below", "long", "short",
    "high", "low", "cross", "in", "on", "out", "by", "per", "first", "second", "and", "either", "back", "to", "under",
];

/// Returns whether a word with a hyphen, a slash or a digit is still no repo's name: `and/or`, `TASK-12`, `v2`, `docs/adr`.
fn is_english(word: &str) -> bool {
    let mut parts = word.split(['-', '/', '_', '.']);
    let first = parts.next().unwrap_or_default().to_ascii_lowercase();
    let last = word.rsplit(['-', '/', '_', '.']).next().unwrap_or_default();
    let numbered = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let ordinal = first.starts_with(|c: char| c.is_ascii_digit());
    let version = first.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let adr = first.starts_with("adr");
    numbered || ordinal || version || adr || first == "docs" || first == "doc" || PREFIXES.contains(&first.as_str())
}
