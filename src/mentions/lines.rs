//! The lines that texts state with a path.

use crate::mentions::vocabulary::pattern;
use crate::model::LineRange;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(super) const MOST_RANGES: usize = 8;

const WINDOW: usize = 48;

static PLACE: LazyLock<Regex> = LazyLock::new(|| pattern("place in a file"));
static AFTER: LazyLock<Regex> = LazyLock::new(|| pattern("lines after a path"));
static BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern("lines before a path"));

/// Reads the lines that a text begins with, and returns what follows them. In `12:5-20` the second number is a column too.
pub(super) fn leading_lines(text: &str) -> Option<(LineRange, &str)> {
    let found = PLACE.captures(text)?;
    let number = |group| found.get(group).and_then(|digits| digits.as_str().parse().ok());
    let first: u32 = number(1)?;
    let one = LineRange::new(first, first)?;
    let last = number(3).filter(|_| found.get(2).is_none() || found.get(4).is_some());
    let lines = last.and_then(|last| LineRange::new(first, last)).unwrap_or(one);
    Some((lines, &text[found.get(0)?.end()..]))
}

/// Reads `12`, `12:5`, `12-20`, `12..20`, `L12-L20`, `12,30-40`; `None` if the text is anything else.
fn place_lines(place: &str) -> Option<Vec<LineRange>> {
    // The rest of a line of compiler output may follow (`:12:5:error`).
    let range = |part| leading_lines(part).filter(|(_, rest)| rest.is_empty() || rest.starts_with(':'));
    let ranges = place.split(',').take(MOST_RANGES).map(|part| range(part).map(|(lines, _)| lines));
    let mut ranges: Vec<LineRange> = ranges.collect::<Option<_>>()?;
    ranges.sort_unstable();
    ranges.dedup();
    Some(ranges)
}

/// Reads the fragment of a URL: `L10`, `L10-L20`, `L10-20`, `L10C3-L20C4`; anything else states no lines.
pub(super) fn fragment_lines(fragment: &str) -> Vec<LineRange> {
    let rest = ["lines-", "line-", "L"].into_iter().find_map(|word| fragment.strip_prefix(word));
    let lines = rest.and_then(leading_lines).filter(|(_, rest)| rest.is_empty());
    lines.map(|(lines, _)| lines).into_iter().collect()
}

/// Splits lines or the name of a function (`:parse`, `::parse`) off the end of a path; `None` if something else follows it.
pub(super) fn split_lines(word: &str) -> Option<(&str, Vec<LineRange>)> {
    if let Some((path, fragment)) = word.split_once('#') {
        return Some((path.split('?').next().unwrap_or(path), fragment_lines(fragment)));
    }
    let Some((path, place)) = word.split_once(':') else { return Some((word, Vec::new())) };
    if let Some(ranges) = place_lines(place) {
        return Some((path, ranges));
    }
    let symbol = place.trim_start_matches(':');
    let is_symbol = symbol.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && symbol.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#'));
    is_symbol.then(|| (path, Vec::new()))
}

/// Returns the lines that the target of a link states: `a.rs#L10-L20`, `a.rs:12`.
pub fn lines_of_target(target: &str) -> Vec<LineRange> {
    match target.split_once('#') {
        Some((_, fragment)) => fragment_lines(fragment),
        None if target.contains("://") => Vec::new(),
        None => split_lines(target).map(|(_, lines)| lines).unwrap_or_default(),
    }
}

pub fn without_lines(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].split_once(':') {
        Some((stem, place)) if !stem.is_empty() && place_lines(place).is_some() => &path[..name + stem.len()],
        _ => path,
    }
}

/// Returns the lines that words around a path state: `a.rs line 12`, `lines 3-4 of a.rs`, `a.ts(12,3)`.
pub(super) fn lines_around(text: &str, path: &Range<usize>) -> Vec<LineRange> {
    let after = &text[path.end..text.floor_char_boundary(path.end + WINDOW.min(text.len() - path.end))];
    let before = &text[text.ceil_char_boundary(path.start.saturating_sub(WINDOW))..path.start];
    // Most paths have no number near them.
    let find = |near, lines: &Regex| {
        let has_digit = str::bytes(near).any(|byte| byte.is_ascii_digit());
        has_digit.then(|| lines.captures(near)).flatten()
    };
    let Some(found) = find(after, &AFTER).or_else(|| find(before, &BEFORE)) else { return Vec::new() };
    let number = |group| found.get(group).and_then(|digits| digits.as_str().parse::<u32>().ok());
    let range = |first: Option<u32>, last: Option<u32>| LineRange::new(first?, last?);
    // Two lines, not those between them.
    let is_pair = found.get(2).is_some_and(|joint| ["&", "and", "und", "et", "y", "e"].contains(&joint.as_str()));
    let (first, second) = (range(number(1), number(1)), range(number(3), number(3)));
    let lines = if is_pair { first } else { range(number(1), number(3)).or(first) };
    lines.into_iter().chain(second.filter(|second| is_pair && first.is_some() && first != Some(*second))).collect()
}
