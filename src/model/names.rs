//! What ends a name in a text, which spellings are one name, their natural order, and what a misspelt one was meant to be.
//!
//! Paths, ids, issues and numbers of ADRs are divided and compared by these rules wherever a text is read.

use regex_syntax::hir::{Class, HirKind};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization as _;

type CharRanges = Vec<(char, char)>;

/// The characters outside ASCII that are part of no name: white space, punctuation, signs such as `→` and marks of direction.
///
/// Hyphens, connectors (`‿`), the dots inside words (`col·lecció`) and `…`, which stands for parts of a path, are no ends.
static ENDS: LazyLock<CharRanges> = LazyLock::new(|| {
    ranges(
        r"[[\p{White_Space}\p{P}\p{Sm}\u{b4}\u{ff40}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}\u{2066}-\u{2069}\u{feff}]--[\p{Pc}\u{b7}\u{f0b}\u{2010}-\u{2013}\u{2026}]]",
    )
});

/// The letters of all scripts but the Latin one, and what emoji are made of.
static OTHER_LETTERS: LazyLock<CharRanges> = LazyLock::new(|| {
    ranges(r"[[\p{L}--\p{Latin}]\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{200d}\u{20e3}\u{fe0f}]")
});

fn ranges(class: &str) -> CharRanges {
    match regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        _ => Vec::new(),
    }
}

fn holds(ranges: &CharRanges, c: char) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= c);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, last)| c <= *last)
}

/// Returns whether a character is part of no path, id or number: white space, brackets, quotes and punctuation of any script.
///
/// Marks that some names hold inside (`.`, `:`, `-`) are not among them.
pub fn ends_name(c: char) -> bool {
    if c.is_ascii() {
        matches!(c, '\t'..='\r' | ' ' | '(' | ')' | '[' | ']' | '"' | '\'' | '`' | ',' | ';' | '|')
    } else {
        holds(&ENDS, c)
    }
}

/// Returns whether a character is a letter of another script than the Latin one, or part of an emoji: beside it a name in Latin
/// letters ends, as in `docs/limits.mdを` and `#12✅`.
pub fn is_other_script(c: char) -> bool {
    !c.is_ascii() && holds(&OTHER_LETTERS, c)
}

/// Returns the parts of a word between letters of other scripts, and where they begin: `BACK-1` and `T2` of `見BACK-1とT2`.
pub fn latin_parts(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    let parts = word.split_inclusive(is_other_script).map(move |piece| {
        let start = next;
        next += piece.len();
        (start, piece.trim_end_matches(is_other_script))
    });
    parts.filter(|(_, part)| part.bytes().any(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns whether a character is a hyphen that typesetting puts in the place of `-`: U+2010 to U+2013.
pub fn is_typographic_hyphen(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2013}')
}

/// Returns a text with `-` for typographic hyphens inside words: `BACK-12` for `BACK‑12`.
///
/// A dash behind a digit is none, because it is a range: `T1–T4`.
pub fn with_plain_hyphens(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_typographic_hyphen) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let inside = is_typographic_hyphen(c)
            && chars.peek().is_some_and(|next| next.is_alphanumeric())
            && plain.ends_with(|before: char| {
                before.is_alphanumeric() && (matches!(c, '\u{2010}' | '\u{2011}') || !before.is_numeric())
            });
        plain.push(if inside { '-' } else { c });
    }
    Cow::Owned(plain)
}

/// Returns the spelling under which names are compared: composed (NFC), with `-` for every hyphen.
pub fn canonical(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfc().map(|c| if is_typographic_hyphen(c) { '-' } else { c }).collect())
}

/// Returns a path of Windows with `/` for each `\`, doubled ones included: `docs/limits.md` for `docs\limits.md`.
pub fn with_slashes(path: &str) -> Cow<'_, str> {
    if !path.contains('\\') {
        return Cow::Borrowed(path);
    }
    let mut slashed = String::with_capacity(path.len());
    let mut before = ' ';
    for c in path.chars() {
        match c {
            '\\' if before == '\\' => {}
            '\\' => slashed.push('/'),
            c => slashed.push(c),
        }
        before = c;
    }
    Cow::Owned(slashed)
}

/// Returns whether a path begins with the letter of a drive: `C:\src`, `C:/src`.
pub fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Returns whether a name has one letter before a colon and is no path on a drive: `T:12`, `a:b`.
pub fn has_letter_prefix(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', _, ..] if letter.is_ascii_alphabetic()) && !has_drive(name)
}

/// Returns an absolute path without the letter of its drive: `/src/a.rs` of `C:/src/a.rs`.
pub fn without_drive(path: &str) -> &str {
    let path = path.strip_prefix(r"\\?\").unwrap_or(path);
    if has_drive(path) { &path[2..] } else { path }
}

/// Compares two ids or titles as people do.
///
/// Both are split at everything that is no letter or digit; all-digit parts
/// compare as numbers and come before words, other parts compare as bytes.
/// Equal so far, the whole strings compare as bytes, so the order is total.
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (parts(a), parts(b));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(x), Some(y)) => part_cmp(x, y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Returns the pieces between separators; two neighbouring separators give an empty
/// word only where the text has no other part, so `a--b` and `a-b` tie here.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

fn part_cmp(a: &str, b: &str) -> Ordering {
    match (is_number(a), is_number(b)) {
        (true, true) => number_cmp(a, b),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => a.cmp(b),
    }
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

/// Compares numbers of any length without parsing them.
fn number_cmp(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Returns the name among `known` that `word` was probably meant to be.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_within(word, known, |name| (name.len() / 3).max(1))
}

/// Returns the help for a `word` that is none of those that are `known`: the nearest one, or all.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match (nearest(word, known.clone()), quoted(known)) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, all) if all.is_empty() => "there are none".to_owned(),
        (None, all) => format!("known are {all}"),
    }
}

/// Returns names for a message.
pub fn quoted(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Returns the name among `known` that differs from `word` in the fewest letters, at most in `most` of the name. Case, hyphens
/// and spaces count for nothing.
pub fn nearest_within<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    most: impl Fn(&str) -> usize,
) -> Option<&'a str> {
    let word = normalized(word);
    known.into_iter().filter_map(|name| Some((distance(&word, name, most(name))?, name))).min().map(|(_, name)| name)
}

fn normalized(text: &str) -> String {
    text.to_lowercase().replace(['-', ' '], "_")
}

/// Returns in how many letters a name differs from a normalized word, if in at most that many.
fn distance(word: &str, name: &str, most: usize) -> Option<usize> {
    // A long word is near to no name, and measuring it would be slow; one of another length is at least as far as that.
    if word.len() > 64 || word.chars().count().abs_diff(name.chars().count()) > most {
        return None;
    }
    Some(strsim::damerau_levenshtein(word, &normalized(name))).filter(|distance| *distance <= most)
}

/// Returns the ids, each with its title, that `word` was probably meant to be, the best first and at most `most`: those that begin
/// or end with it, then those with all its words in id and title, then those that differ in few letters.
pub fn nearest_titled<'a>(
    word: &str,
    known: impl IntoIterator<Item = (&'a str, &'a str)>,
    most: usize,
) -> Vec<(&'a str, &'a str)> {
    let (lower, normal) = (word.to_lowercase(), normalized(word));
    let wanted: Vec<&str> = parts(&lower).collect();
    let rank = |id: &str, title: &str| {
        let (name, text) = (id.to_lowercase(), format!("{id} {title}").to_lowercase());
        let has = |wanted: &&str| parts(&text).any(|part| part.starts_with(wanted));
        let more = name.len().abs_diff(lower.len());
        match lower.len() > 1 {
            true if name.starts_with(&lower) || name.ends_with(&lower) => Some((0, more)),
            true if !wanted.is_empty() && wanted.iter().all(has) => Some((1, more)),
            _ => Some((2, distance(&normal, id, (id.len() / 3).max(1))?)),
        }
    };
    // A long text is no id, and looking for its words would be slow.
    let known = known.into_iter().filter(|_| word.len() <= 256);
    let mut ranked: Vec<_> = known.filter_map(|(id, title)| Some((rank(id, title)?, id, title))).collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| natural_cmp(a.1, b.1)));
    ranked.into_iter().take(most).map(|(_, id, title)| (id, title)).collect()
}
