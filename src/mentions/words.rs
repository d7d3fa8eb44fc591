//! Words of a run, and which of them name an issue or an item.

use crate::markdown::GAP;
use crate::mentions::vocabulary::{means, pattern};
use crate::model::{
    IssueReference, ends_name, is_document_name, is_other_script, is_typographic_hyphen, issue_url, latin_parts,
};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The certainty with which a word names an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameStrength {
    /// Words joined by hyphens: an id only directly after a relation was announced.
    Weak,
    /// The shape of an id with a number, which `UTF-8` and `localhost:8080` have too.
    Id,
    /// An issue reference, or a kind and a slug.
    Sure,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'a str,
    /// The item that it may name, and how surely; for a URL the part up to the number.
    pub(super) target: Option<(&'a str, NameStrength)>,
    pub(super) code: bool,
}

pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for (range, strength) in id_ranges(text) {
        add_pieces(&text[start..range.start], start, &mut words);
        start = range.end;
        let text = &text[range.clone()];
        let target = strength.map(|strength| (text, strength));
        words.push(Word { start: range.start, end: range.end, text, target, code: false });
    }
    add_pieces(&text[start..], start, &mut words);
    words
}

fn add_pieces<'a>(text: &'a str, mut start: usize, words: &mut Vec<Word<'a>>) {
    for piece in text.split_inclusive(divides) {
        let word = piece.trim_end_matches(divides);
        // `Parent:#12` is two words.
        match word.contains(':').then(|| word.find(":#")).flatten() {
            Some(colon) if !word.contains("//") => {
                add(&word[..colon], start, words);
                add(&word[colon + 1..], start + colon + 1, words);
            }
            _ => add(word, start, words),
        }
        start += piece.len();
    }
}

fn divides(c: char) -> bool {
    ends_name(c) || matches!(c, '{' | '}' | '<' | '>' | '&' | '…' | GAP) || is_typographic_hyphen(c)
}

fn add<'a>(word: &'a str, start: usize, words: &mut Vec<Word<'a>>) {
    let tail = word.trim_start_matches(is_edge);
    let text = bare(word);
    if text.is_empty() {
        return;
    }
    let start = start + (word.len() - tail.len());
    let found = target(text);
    if found.is_none() && latin_parts(text).any(|(_, part)| part.len() < text.len() && target(bare(part)).is_some()) {
        return latin_parts(text).for_each(|(at, part)| add(part, start + at, words));
    }
    if let Some(parts) = joined_names(text).filter(|_| found.is_none()) {
        return parts.into_iter().for_each(|(at, part)| add(part, start + at, words));
    }
    words.push(Word { start, end: start + text.len(), text, target: found, code: false });
}

/// Returns the names that `/` or `+` joins to one word, and where they begin: `#10/#11`, `feat:a+feat:b`, `o/r#1/o/r#2`.
fn joined_names(word: &str) -> Option<Vec<(usize, &str)>> {
    let mut names = Vec::new();
    let (mut start, mut is_sure) = (0, false);
    for (end, _) in word.match_indices(['/', '+']).chain([(word.len(), "")]) {
        if let Some((_, strength)) = target(&word[start..end]).filter(|(_, strength)| *strength > NameStrength::Weak) {
            names.push((start, &word[start..end]));
            is_sure |= strength == NameStrength::Sure;
            start = end + 1;
        }
    }
    (is_sure && names.len() > 1 && start > word.len()).then_some(names)
}

static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern("range of ids"));
const LONGEST_RANGE: u64 = 100;

/// Returns the ranges of ids in a text, and how surely they are names.
fn id_ranges(text: &str) -> impl Iterator<Item = (Range<usize>, Option<NameStrength>)> {
    RANGE.captures_iter(text).filter_map(move |found| {
        let (whole, prefix) = (found.get(0)?, found.get(1)?.as_str());
        let (joint, second) = (found.get(3)?.as_str(), found.get(4)?.as_str());
        let is_tight = !joint.contains(char::is_whitespace);
        let short = prefix.ends_with('#') && (is_tight || joint.trim().to_lowercase().starts_with("thr"))
            || is_tight && joint.starts_with(['.', '…']);
        let is_same = second.eq_ignore_ascii_case(prefix) || second == "#" && prefix.ends_with('#');
        let before = text[..whole.start()].chars().next_back();
        let begins = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/' | '#' | ':'));
        let mut after = text[whole.end()..].chars();
        let ends = match after.next() {
            Some('-' | '.' | ':' | '/') => !after.next().is_some_and(char::is_alphanumeric),
            Some(c) => !c.is_alphanumeric() && c != '_' || is_other_script(c),
            None => true,
        };
        let strength = if prefix.contains(['#', ':']) || prefix.eq_ignore_ascii_case("gh-") {
            Some(NameStrength::Sure)
        } else {
            prefix.contains('-').then_some(NameStrength::Id)
        };
        ((is_same || second.is_empty() && short) && begins && ends).then(|| (whole.range(), strength))
    })
}

/// Returns the first and the last id of a word that is a range, those between them, and whether they are issues.
pub(super) fn id_range(word: &str) -> Option<([String; 2], Vec<String>, bool)> {
    let found =
        RANGE.captures(word).filter(|_| id_ranges(word).next().is_some_and(|(range, _)| range == (0..word.len())))?;
    let part = |group: usize| found.get(group).map_or("", |part| part.as_str());
    let (prefix, first, last) = (part(1), part(2), part(5));
    let numbers = first.parse::<u64>().ok()? + 1..last.parse().ok()?;
    let width = if first.starts_with('0') { first.len() } else { 0 };
    let is_short = numbers.end.saturating_sub(numbers.start) <= LONGEST_RANGE;
    let between = numbers.filter(|_| is_short).map(|number| format!("{prefix}{number:0width$}")).collect();
    let are_issues = prefix.ends_with('#') || prefix.eq_ignore_ascii_case("gh-");
    Some(([first, last].map(|number| format!("{prefix}{number}")), between, are_issues))
}

fn is_edge(c: char) -> bool {
    matches!(c, '.' | ':' | '!' | '?' | '*' | '_' | '~' | '/' | '-' | '=' | '+')
}

pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(is_edge)
}

static KINDED: LazyLock<Regex> = LazyLock::new(|| pattern("kind and slug"));
static HYPHENATED: LazyLock<Regex> = LazyLock::new(|| pattern("hyphenated id"));

fn target(word: &str) -> Option<(&str, NameStrength)> {
    // Every form has one of these; almost no word of prose does.
    if !word.contains(['#', ':', '-']) {
        return None;
    }
    if word.contains("://") {
        return issue_url(word).map(|url| (url, NameStrength::Sure));
    }
    let issue =
        word.get(2..).filter(|rest| rest.starts_with('#') && word[..2].eq_ignore_ascii_case("GH")).unwrap_or(word);
    if IssueReference::parse(issue).is_some() {
        return Some((issue, NameStrength::Sure));
    }
    if KINDED.is_match(word) {
        // `task:12` may be an id; `localhost:8080` looks the same, so it needs an item of that name.
        let has_name = word.rsplit(':').next().is_some_and(|slug| slug.contains(|c: char| c.is_ascii_alphabetic()));
        return Some((word, if has_name { NameStrength::Sure } else { NameStrength::Id }));
    }
    let strength = if word.contains(|c: char| c.is_ascii_digit()) { NameStrength::Id } else { NameStrength::Weak };
    (word.len() <= 100 && HYPHENATED.is_match(word) && !is_file(word)).then_some((word, strength))
}

/// Returns whether a word is the name of a file rather than an id such as `BACK-4.10`.
fn is_file(word: &str) -> bool {
    is_document_name(word) || word.rsplit_once('.').is_some_and(|(_, extension)| means("extension", extension))
}
