//! Words that are paths, URLs or names of repos.

use crate::mentions::adr::adr_number;
use crate::model::is_document_name;
use std::ops::Range;

/// Returns the ranges of the words of a text that may be paths or URLs: those with a full stop or a slash inside,
/// divided by white space, quotes and brackets.
pub(super) fn candidate_words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let divides = |c: char| {
        c.is_whitespace()
            || matches!(c, '(' | ')' | '[' | ']' | '"' | '\'' | '`' | ',' | ';' | '|' | '“' | '”' | '‘' | '’' | '—')
    };
    let mut done = 0;
    memchr::memchr2_iter(b'.', b'/', text.as_bytes()).filter_map(move |at| {
        // A full stop that ends a sentence is the usual case.
        let ends = text.as_bytes().get(at + 1).is_none_or(u8::is_ascii_whitespace);
        if at < done || ends {
            return None;
        }
        let before = text.get(done..at)?;
        let start =
            before.char_indices().rev().find(|(_, c)| divides(*c)).map_or(done, |(at, c)| done + at + c.len_utf8());
        let end = text.get(at..)?.find(divides).map_or(text.len(), |length| at + length);
        done = end;
        Some(start..end)
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
    foreign_word(before.strip_suffix([' ', '\u{a0}'])?)
}

/// Returns the word directly before a path if it looks like the name of a repo: `cosmos-sdk's x/a.go`, `o/r: x/a.go`.
pub(super) fn foreign_path(before: &str) -> Option<String> {
    let before = before.trim_end_matches(['"', '(', ' ', '\u{a0}']);
    let before = before.strip_suffix(':').unwrap_or(before);
    let before = [" repo", " repository"].iter().find_map(|word| before.strip_suffix(word)).unwrap_or(before);
    foreign_word(before.strip_suffix("'s").unwrap_or(before))
}

/// Returns the last word of a text if it looks like the name of a repo.
fn foreign_word(before: &str) -> Option<String> {
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
