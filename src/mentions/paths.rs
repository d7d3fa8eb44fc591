//! Words that are paths, URLs or names of repos.

use crate::mentions::adr::adr_number;
use crate::mentions::brackets::{closing, opening};
use crate::mentions::file_paths::{MOST_RANGES, fragment_lines, is_file_shaped, is_placeholder, without_lines};
use crate::mentions::vocabulary::means;
use crate::model::{ends_name, is_document_name, is_other_script, is_repo_name, latin_parts};
use std::ops::Range;

/// Returns the ranges of the words of a text that may be paths or URLs: those with a full stop or a slash inside, or with
/// a number after a colon. White space, quotes and brackets divide them, unless a path goes on behind the bracket; so do the
/// `edges` of code spans.
pub(super) fn candidate_words(text: &str, edges: &[usize]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let ends = edges.iter().copied().chain([text.len()]);
    let mut start = 0;
    for end in ends {
        if let Some(piece) = text.get(start..end) {
            words_in(piece, |word| found.push(start + word.start..start + word.end));
        }
        start = end;
    }
    found
}

fn words_in(text: &str, mut found: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut done = 0;
    let mut look = |at: usize| {
        // A full stop that ends a sentence is the usual case.
        let next = bytes.get(at + 1).filter(|next| !next.is_ascii_whitespace());
        if at < done || next.is_none_or(|next| bytes[at] == b':' && !next.is_ascii_digit()) {
            return;
        }
        let word = word_around(text, done, at);
        done = word.end;
        found(word);
    };
    if memchr::memchr(b'\\', bytes).is_some() {
        let marks = bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'.' | b'/' | b':' | b'\\'));
        marks.for_each(|(at, _)| look(at));
    } else {
        memchr::memchr3_iter(b'.', b'/', b':', bytes).for_each(look);
    }
}

/// Returns the parts of a word that are paths by themselves if the word is none as a whole: `src/a.rs:3` of `src/a.rs:3を`,
/// `docs/a.md` and `src/b.rs` of `docs/a.mdとsrc/b.rs`. None if the word has no change of script.
pub(super) fn parts_by_script(word: &str) -> Vec<Range<usize>> {
    if word.is_ascii() || !word.contains(is_other_script) {
        return Vec::new();
    }
    let mut cuts = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in word.char_indices() {
        // A path goes on in other letters behind a folder: `docs/設計.md`.
        if before.is_ascii_alphanumeric() && is_other_script(c) && is_whole(&word[start..at]) {
            cuts.push(start..at);
            start = at;
        }
        before = c;
    }
    if cuts.is_empty() {
        // What begins with `/` or `.` is the rest of a name: `設計.md`.
        let begins = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@'))
                || ["./", "../"].iter().any(|start| part.starts_with(start))
        };
        let parts = latin_parts(word).filter(|(_, part)| begins(part));
        return parts.map(|(at, part)| at..at + part.len()).collect();
    }
    if word[start..].bytes().any(|byte| matches!(byte, b'.' | b'/' | b':')) {
        cuts.push(start..word.len());
    }
    cuts
}

/// Returns whether a text ends in the extension of a file, a line or the number of an issue.
fn is_whole(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    match end.chars().next_back() {
        Some('.') => is_file_shaped(text),
        Some(':' | '#') => true,
        Some('/') => end.ends_with("/issues/") || end.ends_with("/pull/"),
        _ => false,
    }
}

/// Returns the word around the byte at `at`, which begins at `from` or after it.
fn word_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start_of = |end: usize| {
        let before = text.get(from..end).unwrap_or_default();
        before.char_indices().rev().find(|(_, c)| ends_name(*c)).map_or(from, |(at, c)| from + at + c.len_utf8())
    };
    let end_of =
        |start: usize| text.get(start..).and_then(|rest| rest.find(ends_name)).map_or(text.len(), |n| start + n);
    let (mut start, mut end) = (start_of(at), end_of(at));
    let mut more_numbers = 0..MOST_RANGES;
    loop {
        let numbers = |end: usize| {
            let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
            bytes.get(end) == Some(&b',') && digit(end - 1) && digit(end + 1)
        };
        if let Some(open) = opening(text, start).filter(|open| *open >= from) {
            start = start_of(open);
        } else if let Some(closed) = closing(text, end) {
            end = end_of(closed);
        } else if start > from
            && closing(text, start - 1).is_some_and(|closed| closed > end)
            && let Some(closed) = closing(text, start - 1)
        {
            // The word is inside of the brackets: `[...slug]/page.tsx`.
            (start, end) = (start_of(start - 1), end_of(closed));
        } else if numbers(end)
            && more_numbers.next().is_some()
            && text.get(start..end).is_some_and(|word| word.contains(':'))
        {
            // `a.rs:3,7-9`
            end = end_of(end + 1);
        } else {
            return start..end;
        }
    }
}

/// Returns the path of a document in a word, without a line, a full stop or an `@` around it. A name without a folder is one
/// only if it has the number of an ADR.
pub(super) fn path_in(word: &str) -> Option<&str> {
    document_in(word).filter(|word| {
        let path = word.split('#').next().unwrap_or(word);
        path.contains('/') || adr_number(path).is_some()
    })
}

/// Returns the path or name of a document in a word, without a line, a full stop or an `@` around it.
pub(super) fn document_in(word: &str) -> Option<&str> {
    // A quick test that almost every word of prose fails.
    if !word.trim_end_matches('.').contains('.') {
        return None;
    }
    let word = word.trim_start_matches(['@', '*', '=', ':']).trim_end_matches(['.', ':', '!', '?', '*', '>', '…']);
    let word = without_stated_lines(word);
    let unusual =
        |c: char| matches!(c, '*' | '?' | '<' | '>' | '{' | '}' | '$' | '…' | '\\' | ':' | '\n') || c.is_control();
    if word.len() > 1024 || word.contains(unusual) || !is_document_name(word) || is_placeholder(word) {
        return None;
    }
    Some(word)
}

/// Returns the text without `:12`, `:12:3`, `:12-14` or `#L12-L14` at its end.
fn without_stated_lines(word: &str) -> &str {
    match word.split_once('#') {
        Some((path, fragment)) if !fragment_lines(fragment).is_empty() => path,
        _ => without_lines(word),
    }
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

/// Returns the repo that a path is said to be of, if there is a name that looks like one: `cosmos-sdk's x/a.go`,
/// `o/r: x/a.go`, `o/r has x/a.go`, `In o/r, x/a.go`; `x/a.go of the o/r repo`.
pub(super) fn foreign_path(before: &str, after: &str) -> Option<String> {
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..];
    let after = &after[..after.floor_char_boundary(NEAR)];
    repo_before(before).or_else(|| repo_after(after))
}

/// How many bytes before and after a path are searched for the name of its repo.
const NEAR: usize = 160;

fn repo_before(before: &str) -> Option<String> {
    let quotes = ['"', '(', '`', '*', ' ', '\u{a0}'];
    let before = before.trim_end_matches(quotes);
    let (sentence, word) = before.rsplit_once([' ', '\u{a0}']).unwrap_or(("", before));
    // After a verb, and in `In o/r, x/a.go`, only `owner/name` is clear enough.
    if means("verb of a repo", word) {
        return foreign_word(sentence.trim_end_matches(quotes)).filter(|name| is_owned(name));
    }
    if let Some(listed) = before.strip_suffix(',') {
        let name = foreign_word(listed.trim_end_matches(quotes)).filter(|name| is_owned(name))?;
        let (head, _) = listed.rsplit_once(name.as_str())?;
        let word = head.trim_end_matches(quotes).rsplit(' ').next()?.to_ascii_lowercase();
        return ["in", "from", "for", "of", "at"].contains(&word.as_str()).then_some(name);
    }
    let before = before.strip_suffix(':').unwrap_or(before);
    let before = [" repo", " repository"].iter().find_map(|word| before.strip_suffix(word)).unwrap_or(before);
    foreign_word(before.trim_end_matches(quotes).trim_end_matches(')').strip_suffix("'s").unwrap_or(before))
}

/// Returns the `owner/name` in ` of the owner/name repo` or ` in owner/name.`
fn repo_after(after: &str) -> Option<String> {
    let rest = after.trim_start_matches(['`', '"', ')', '*']).strip_prefix(' ')?;
    let rest = ["of ", "in ", "from ", "at "].iter().find_map(|word| rest.strip_prefix(word))?;
    let rest = ["the ", "upstream "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let rest = rest.trim_start_matches(['`', '"', '*', '[']);
    let end =
        rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))).unwrap_or(rest.len());
    let name = rest.get(..end)?.trim_end_matches('.');
    let tail = rest.get(end..)?.trim_start_matches(['`', '"', '*', ']']);
    // `in read/write mode` goes on with a word of its own.
    let ends = tail.is_empty()
        || !tail.starts_with(' ')
        || [" repo", " and ", " or ", " is ", " has ", " are ", " ("].iter().any(|word| tail.starts_with(word));
    foreign_word(name).filter(|name| ends && is_owned(name))
}

/// Returns whether a name is `owner/name`.
fn is_owned(name: &str) -> bool {
    is_repo_name(name) && !is_alternative(name)
}

/// Returns the last word of a text if it looks like the name of a repo.
fn foreign_word(before: &str) -> Option<String> {
    let start = before
        .char_indices()
        .rev()
        .take(101)
        .find(|(_, c)| *c != '\'' && *c != '’' && ends_name(*c) || *c == '{')
        .map_or_else(|| before.len().saturating_sub(101), |(at, c)| at + c.len_utf8());
    let word = before.get(start..)?;
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let named = word.len() <= 100
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.ends_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && word.contains(|c: char| c.is_ascii_alphabetic());
    let coded = word.contains(['-', '/', '_']) || word.contains(|c: char| c.is_ascii_digit());
    (named && coded && !is_english(word) && !is_alternative(word)).then(|| word.to_owned())
}

/// Returns whether a word with a slash says either of two things, as no repo's name does: `and/or`, `read/write`.
fn is_alternative(word: &str) -> bool {
    means("alternative", &word.to_ascii_lowercase())
}

/// Returns whether a word with a hyphen, a slash or a digit is still no repo's name: `and/or`, `TASK-12`, `v2`, `docs/adr`.
fn is_english(word: &str) -> bool {
    let mut parts = word.split(['-', '/', '_', '.']);
    let first = parts.next().unwrap_or_default().to_ascii_lowercase();
    let last = word.rsplit(['-', '/', '_', '.']).next().unwrap_or_default();
    let numbered = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let ordinal = first.starts_with(|c: char| c.is_ascii_digit());
    let version = first.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let adr = first.starts_with("adr");
    numbered || ordinal || version || adr || means("prefix", &first)
}
