//! Words that may be paths or URLs, with the brackets that folders and files of routers have: `app/(shop)/[id]/page.tsx`.

use crate::mentions::lines::MOST_RANGES;
use crate::mentions::paths::is_file_shaped;
use crate::model::{ends_name, is_other_script, latin_parts};
use std::ops::Range;

const LONGEST_BRACKETS: usize = 64;

/// Returns the words that may be paths or URLs: with a full stop or a slash inside, or a number after a colon.
///
/// White space, quotes and brackets divide them, unless a path goes on behind, and so do the `edges` of code spans.
pub(super) fn path_words(text: &str, edges: &[usize]) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in edges.iter().copied().chain([text.len()]) {
        let mut done = start;
        let marks = |byte: u8| matches!(byte, b'.' | b'/' | b':' | b'\\');
        for at in (start..end).filter(|at| marks(bytes[*at])) {
            // A full stop that ends a sentence is the usual case.
            let next = bytes[at + 1..end].first().filter(|next| !next.is_ascii_whitespace());
            if at >= done && next.is_some_and(|next| bytes[at] != b':' || next.is_ascii_digit()) {
                let word = word_around(&text[..end], done, at);
                done = word.end;
                found.push(word);
            }
        }
        start = end;
    }
    found
}

fn word_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start_of = |end: usize| {
        let before = text[from..end].char_indices().rev().find(|(_, c)| ends_name(*c));
        before.map_or(from, |(at, c)| from + at + c.len_utf8())
    };
    let end_of = |start: usize| text[start..].find(ends_name).map_or(text.len(), |length| start + length);
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut start, mut end) = (start_of(at), end_of(at));
    let mut more_numbers = 0..MOST_RANGES;
    loop {
        let around = || closing(text, start - 1).filter(|closed| *closed > end);
        if let Some(open) = opening(text, start).filter(|open| *open >= from) {
            start = start_of(open);
        } else if let Some(closed) = closing(text, end) {
            end = end_of(closed);
        } else if start > from
            && let Some(closed) = around()
        {
            // The word is inside of the brackets: `[...slug]/page.tsx`.
            (start, end) = (start_of(start - 1), end_of(closed));
        } else if bytes.get(end) == Some(&b',')
            && is_digit(end - 1)
            && is_digit(end + 1)
            && more_numbers.next().is_some()
            && text[start..end].contains(':')
        {
            // `a.rs:3,7-9`
            end = end_of(end + 1);
        } else {
            return start..end;
        }
    }
}

/// Returns where the bracket opens that closes directly before `at`, if a path goes on at `at`.
pub(super) fn opening(text: &str, at: usize) -> Option<usize> {
    let before = text.as_bytes()[..at].iter().rev();
    Some(at - goes_on(text, at).then(|| bracket_length(before, [b']', b')'], [b'[', b'(']))??)
}

/// Returns where the bracket that opens at `at` is closed, if a path goes on after it.
fn closing(text: &str, at: usize) -> Option<usize> {
    let after = text.as_bytes().get(at..)?.iter();
    Some(at + bracket_length(after, [b'[', b'('], [b']', b')'])?).filter(|end| goes_on(text, *end))
}

/// Returns the number of bytes from a bracket to the one that matches it, both included, if a path may hold all of them.
fn bracket_length<'a>(bytes: impl Iterator<Item = &'a u8>, first: [u8; 2], last: [u8; 2]) -> Option<usize> {
    let (mut depth, mut kind) = (0_usize, None);
    for (length, byte) in (1..).zip(bytes.take(LONGEST_BRACKETS)) {
        let kind = match kind {
            Some(kind) => kind,
            None => *kind.insert(first.iter().position(|bracket| bracket == byte)?),
        };
        if *byte == first[kind] {
            depth += 1;
        } else if *byte == last[kind] {
            depth -= 1;
        } else if !(byte.is_ascii_alphanumeric() || b".-_$=[]()@+".contains(byte) || !byte.is_ascii()) {
            return None;
        }
        if depth == 0 {
            return Some(length);
        }
    }
    None
}

/// Returns whether a path goes on at `at`, behind a bracket.
fn goes_on(text: &str, at: usize) -> bool {
    let next = |at: usize| text.as_bytes().get(at).copied().unwrap_or(b' ');
    let after = next(at + 1);
    match next(at) {
        b'.' | b'-' | b'_' => after.is_ascii_alphanumeric() || b"[($".contains(&after),
        b'/' | b'\\' => after.is_ascii_alphanumeric() || b"[($@+_.~-".contains(&after),
        byte => byte.is_ascii_alphanumeric(),
    }
}

/// Returns the parts of a word that changes its script which may be paths by themselves: `docs/a.md` of `docs/a.mdと`.
pub(super) fn parts_by_script(word: &str) -> Vec<Range<usize>> {
    if word.is_ascii() || !word.contains(is_other_script) {
        return Vec::new();
    }
    let mut cuts = Vec::new();
    let (mut start, mut before) = (0, ' ');
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
            let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@');
            part.starts_with(is_letter) || part.starts_with("./") || part.starts_with("../")
        };
        let parts = latin_parts(word).filter(|(_, part)| begins(part));
        return parts.map(|(at, part)| at..at + part.len()).collect();
    }
    if word[start..].contains(['.', '/', ':']) {
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
        _ => end.ends_with("/issues/") || end.ends_with("/pull/"),
    }
}
