//! The shapes of paths and of the lines that texts state with them.

use crate::mentions::vocabulary::{means, pattern};
use crate::model::LineRange;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest path.
const LONGEST: usize = 1024;

/// The most ranges of lines that one mention states.
pub(super) const MOST_RANGES: usize = 8;

/// How many bytes before and after a path are searched for the lines that it is mentioned with.
const WINDOW: usize = 48;

/// Lines stated after a path: ` line 12`, `, lines 10-20`, ` (L10-L20)`, `(12,3)`.
static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:["'`)\],:]{0,3}\s{0,2}\(?(?:(?i:at|on|in|auf|in|à|en|em)\s)?(?i:(?:lines?|zeilen?|lignes?|l[ií]neas?|linhas?)\s{1,2}|l)#?|\(L?)(\d{1,7})(?:\s?(-|–|—|\.\.\.?=?|to|through|until|bis|à|a|&|and|und|et|y|e)\s?L?(\d{1,7}))?(?:,\s?\d{1,7})?(?:[^\w]|$)"#,
    )
});

/// Lines stated before a path: `line 12 of `, `lines 10-20 in `.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:lines?|zeilen?|lignes?|l[ií]neas?|linhas?)\s{1,2}(\d{1,7})(?:\s?(-|–|—|\.\.\.?=?|to|through|bis|à|a|&|and|und|et|y|e)\s?(\d{1,7}))?\s(?:of|in|from|von|de|da|do|du)\s(?:the\s|our\s)?(?:file\s)?["'`(\[]?$"#,
    )
});

/// A path in a text, and the lines that stand with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathMention<'a> {
    /// The path as written, without lines and punctuation.
    pub(super) path: &'a str,
    /// The stated lines, in order.
    pub(super) lines: Vec<LineRange>,
}

/// Returns the path of any kind of file in a word.
///
/// An `@` before it stays: `@scope/name` is a package, and only an exact path may follow one (`@src/a.rs`).
pub(super) fn path_mention(word: &str) -> Option<PathMention<'_>> {
    let word = word.trim_start_matches(['*', '=', ':']).trim_end_matches(['.', ':', '!', '?', '*', '>', '…']);
    if word.len() > LONGEST {
        return None;
    }
    let (path, lines) = split_lines(word)?;
    let path = path.strip_prefix("./").unwrap_or(path);
    let unusual =
        |c: char| matches!(c, '*' | '?' | '<' | '>' | '{' | '}' | '…' | '\\' | ':' | '#' | '|') || c.is_control();
    let shaped =
        is_file_shaped(path) || is_path_without_extension(path) || !lines.is_empty() && is_capitalized_name(path);
    let path_like = shaped && !path.contains(unusual) && !is_template(path) && !is_host(path, &lines);
    path_like.then_some(PathMention { path, lines })
}

/// Returns whether a path ends in a file's name: with an extension, a leading dot, or one of the well-known names.
pub(super) fn is_file_shaped(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    if path.contains("//") || name.len() > 255 {
        return false;
    }
    match name.rsplit_once('.') {
        Some((stem, extension)) => {
            let letters = extension.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'));
            // A number is the end of a version more often than an extension, and begins that of one: `1.2.3-rc1`.
            let named = extension.bytes().any(|b| b.is_ascii_alphabetic())
                && !(extension.starts_with(|c: char| c.is_ascii_digit())
                    && stem.ends_with(|c: char| c.is_ascii_digit()));
            // `ADR-2..ADR-4` is a range.
            let stem = stem.is_empty()
                || !stem.ends_with('.') && stem.chars().any(|c| c.is_alphanumeric() || c == '_' || c == ']');
            !extension.is_empty() && extension.len() <= 16 && letters && named && stem && !is_jumble(extension)
        }
        None => is_bare_name(name),
    }
}

/// Returns whether a text is the name of a file without an extension: a well-known one, or such as `Dockerfile`.
pub(super) fn is_bare_name(name: &str) -> bool {
    let file = || {
        name.len() > 4
            && name.len() <= 40
            && name.ends_with("file")
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|b| b.is_ascii_alphabetic())
    };
    means("file name", name) || file()
}

/// Returns whether a text may be the name of a file without an extension if a line follows it.
///
/// In lower case it is more often the name of a host or an image: `redis:6379`, `node:18`.
fn is_capitalized_name(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    plain && name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_uppercase()) && !is_jumble(name)
        || is_bare_name(name)
}

/// Returns whether a name without a folder is that of a host: `example.com`, `db.internal:5432`.
fn is_host(name: &str, lines: &[LineRange]) -> bool {
    let Some((rest, domain)) = name.rsplit_once('.') else { return false };
    let labels = |rest: &str| rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'));
    if rest.is_empty() || rest.starts_with('.') || !labels(rest) {
        return false;
    }
    let port =
        matches!(lines, [LineRange { first, last }] if first == last && (matches!(first, 80 | 443) || *first >= 1000));
    let doubtful = || port || rest == "example" || rest.contains('.') && !lines.is_empty();
    means("domain", domain) || means("doubtful domain", domain) && doubtful()
}

fn is_path_without_extension(path: &str) -> bool {
    let plain = |part: &str| {
        let bytes = part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
        !part.is_empty() && bytes && !is_jumble(part)
    };
    path.contains('/') && path.split('/').all(plain) && path.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Returns whether letters of both cases and digits are mixed as in no name that people give. Such a text is more likely a
/// secret than a file, and mentions are cached.
fn is_jumble(text: &str) -> bool {
    let count = |is: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    digits > 3 || digits > 0 && count(u8::is_ascii_uppercase) > 0 && count(u8::is_ascii_lowercase) > 0
}

/// Returns whether a path only shows the form of one: `ADR-XXXX-title.md`, `NNNN-title.md`.
pub(super) fn is_placeholder(path: &str) -> bool {
    path.split(|c: char| !c.is_alphanumeric()).any(|part| {
        part.len() >= 3 && (part.bytes().all(|b| matches!(b, b'X' | b'x')) || matches!(part, "NNN" | "NNNN" | "YYYY"))
    })
}

/// Returns whether a path only shows the form of one (`path/to/NNNN.rs`, `src/XXX.py`), or has a variable or a version in
/// it: `$DIR/a.rs`, `pkg@1.2.3/a.js`.
pub(super) fn is_template(path: &str) -> bool {
    let variable = |part: &str| {
        part.strip_prefix('$').is_some_and(|name| {
            name.starts_with('(') || !name.is_empty() && !name.bytes().any(|b| b.is_ascii_lowercase() || b == b'.')
        })
    };
    let version = |part: &str| {
        let at = part.split_once('@').map(|(_, version)| version.trim_start_matches(['v', '^', '~']));
        at.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    is_placeholder(path) || path.contains(['$', '@']) && path.split('/').any(|part| variable(part) || version(part))
}

/// Splits `:12`, `:12:5`, `:12-20`, `:12,30`, `#L10-L20` or the name of a function (`:parse`, `::parse`) off the end of a
/// path; `None` if something else follows it.
fn split_lines(word: &str) -> Option<(&str, Vec<LineRange>)> {
    if let Some((path, fragment)) = word.split_once('#') {
        let path = path.split('?').next().unwrap_or(path);
        return Some((path, fragment_lines(fragment)));
    }
    let Some((path, place)) = word.split_once(':') else { return Some((word, Vec::new())) };
    if let Some(ranges) = place_lines(place) {
        return Some((path, ranges));
    }
    let symbol = place.trim_start_matches(':');
    let named = symbol.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && symbol.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#'));
    named.then(|| (path, Vec::new()))
}

/// Returns a path without the lines behind it: `a.rs` of `a.rs:12-20`.
pub fn without_lines(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].split_once(':') {
        Some((stem, place)) if !stem.is_empty() && place_lines(place).is_some() => &path[..name + stem.len()],
        _ => path,
    }
}

/// Reads `12`, `12:5`, `12-20`, `12..20`, `L12-L20`, `12,30-40`; `None` if the text is anything else.
fn place_lines(place: &str) -> Option<Vec<LineRange>> {
    let mut ranges = Vec::new();
    for part in place.split(',').take(MOST_RANGES) {
        let (range, rest) = leading_lines(part)?;
        // The rest of a line of compiler output (`:12:5:error`).
        if !rest.is_empty() && !rest.starts_with(':') {
            return None;
        }
        ranges.push(range);
    }
    ranges.sort_unstable();
    ranges.dedup();
    Some(ranges)
}

/// Reads the fragment of a URL: `L10`, `L10-L20`, `L10-20`, `L10C3-L20C4`; anything else states no lines.
pub(super) fn fragment_lines(fragment: &str) -> Vec<LineRange> {
    let rest = ["lines-", "line-"].into_iter().find_map(|word| fragment.strip_prefix(word));
    let Some(rest) = rest.or_else(|| fragment.strip_prefix('L')) else { return Vec::new() };
    leading_lines(rest).filter(|(_, rest)| rest.is_empty()).map(|(range, _)| range).into_iter().collect()
}

/// Returns the lines that the target of a link states: `a.rs#L10-L20`, `a.rs:12`.
pub fn lines_of_target(target: &str) -> Vec<LineRange> {
    if let Some((_, fragment)) = target.split_once('#') {
        return fragment_lines(fragment);
    }
    if target.contains("://") {
        return Vec::new();
    }
    split_lines(target).map(|(_, lines)| lines).unwrap_or_default()
}

/// Reads `12`, `L12`, `12:5`, `12-20`, `12..20`, `12:5-20:3` or `L10C3-L20C4`, and returns what follows it. In `12:5-20` the
/// second number of a column is one too.
pub(super) fn leading_lines(text: &str) -> Option<(LineRange, &str)> {
    let (first, rest) = line_number(text)?;
    let (column, after) = without_column(rest);
    let mut range = LineRange::new(first, first)?;
    let separators = ["...", "..=", "..", "…", "-", "–", "—", "~"];
    let second = separators.into_iter().find_map(|separator| line_number(after.strip_prefix(separator)?));
    let Some((last, rest)) = second else { return Some((range, after)) };
    let (last_column, rest) = without_column(rest);
    if !column || last_column {
        range = LineRange::new(first, last).unwrap_or(range);
    }
    Some((range, rest))
}

/// Removes `:5` or `C5`, and returns whether it was there.
fn without_column(text: &str) -> (bool, &str) {
    let column = text.strip_prefix([':', 'C']).and_then(line_number);
    column.map_or((false, text), |(_, rest)| (true, rest))
}

/// Reads a number of at most 7 digits, perhaps with an `L` before it.
fn line_number(text: &str) -> Option<(u32, &str)> {
    number(text.strip_prefix('L').unwrap_or(text))
}

/// Reads a number of at most 7 digits, and returns what follows it.
pub(super) fn number(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take(8).take_while(u8::is_ascii_digit).count();
    let number = text.get(..length).filter(|_| length > 0 && length < 8)?.parse().ok()?;
    Some((number, text.get(length..)?))
}

/// Returns the lines that words around a path state: `a.rs line 12`, `lines 3-4 of a.rs`, `a.ts(12,3)`.
pub(super) fn lines_around(text: &str, path: &Range<usize>) -> Vec<LineRange> {
    stated_around(text, path).unwrap_or_default()
}

fn stated_around(text: &str, path: &Range<usize>) -> Option<Vec<LineRange>> {
    let end = text.floor_char_boundary(path.end + WINDOW.min(text.len().saturating_sub(path.end)));
    let after = text.get(path.end..end)?;
    let start = text.ceil_char_boundary(path.start.saturating_sub(WINDOW));
    let before = text.get(start..path.start)?;
    // Most paths have no number near them.
    let digit = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
    let found = digit(after).then(|| AFTER.captures(after)).flatten();
    let found = found.or_else(|| digit(before).then(|| BEFORE.captures(before)).flatten())?;
    let first = found.get(1)?.as_str().parse().ok()?;
    let first = LineRange::new(first, first)?;
    let Some(last) = found.get(3).and_then(|last| last.as_str().parse().ok()) else { return Some(vec![first]) };
    // Two lines, not those between them.
    if found.get(2).is_some_and(|joined| ["&", "and", "und", "et", "y", "e"].contains(&joined.as_str())) {
        return Some([first].into_iter().chain(LineRange::new(last, last).filter(|last| *last != first)).collect());
    }
    Some(vec![LineRange::new(first.first, last).unwrap_or(first)])
}
