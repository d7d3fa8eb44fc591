//! Numbers of ADRs in texts.

use crate::mentions::references::{ReferenceForm, RunReferences, hold, repo_directly_before};
use crate::mentions::relations::HeadingMeaning;
use crate::mentions::vocabulary::pattern;
use crate::model::is_other_script;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static HINT: LazyLock<Regex> = LazyLock::new(|| pattern("hint of an adr"));
static ADR: LazyLock<Regex> = LazyLock::new(|| pattern("number of an adr"));
static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern("end of a range of adrs"));
static FURTHER: LazyLock<Regex> = LazyLock::new(|| pattern("further number"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern("label of adrs"));
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| pattern("bare number"));
static NEXT: LazyLock<Regex> = LazyLock::new(|| pattern("next bare number"));

/// Adds the numbers of ADRs in a run outside `paths`; `label` is the number of lists around an `ADRs:` line above.
pub(super) fn find_numbers(
    reader: &mut RunReferences<'_>,
    paths: &[Range<usize>],
    section: Option<HeadingMeaning>,
    label: &mut Option<usize>,
) {
    let run = reader.run;
    let below = label.filter(|depth| run.lists > *depth && !run.heading);
    *label = below;
    let is_hinted = HINT.is_match(reader.text);
    if is_hinted {
        named(reader, paths);
    }
    let is_announced = below.is_some() || section == Some(HeadingMeaning::Adrs) && !run.heading;
    if is_hinted || is_announced {
        bare(reader, is_announced, label);
    }
}

fn named(reader: &mut RunReferences<'_>, paths: &[Range<usize>]) {
    let text = reader.text;
    for found in ADR.captures_iter(text) {
        let (Some(whole), Some(plural), Some(digits)) = (found.get(0), found.get(1), found.get(2)) else { continue };
        let before = text[..whole.start()].chars().next_back();
        let joined = before.is_some_and(|c| c.is_alphanumeric() && !is_other_script(c) || matches!(c, '_' | '-'))
            && reader.edges.binary_search(&whole.start()).is_err();
        // `ADR020` has no separator, but `ADRS20` is a word of its own.
        let is_plural = !plural.is_empty();
        let glued = is_plural && digits.start() == plural.end();
        if joined || glued || !reader.ends_number(digits.end()) || hold(paths, whole.start()) {
            continue;
        }
        let foreign = repo_directly_before(&text[..whole.start()]);
        let foreign = foreign.as_deref();
        let mut last = digits.range();
        let mut end = reader.numbers_from(whole.start(), last.clone(), is_plural, foreign);
        while let Some(found) = FURTHER.captures(&text[end..])
            && let (Some(joint), Some(further)) = (found.get(1), found.get(2))
            && (is_plural || is_further(&text[last.clone()], joint.as_str(), further.as_str()))
            && reader.ends_number(end + further.end())
        {
            last = end + further.start()..end + further.end();
            end = reader.numbers_from(last.start, last.clone(), is_plural, foreign);
        }
    }
}

/// Finds bare numbers where they are announced by a heading or label above, and after an `ADRs:` label.
fn bare(reader: &mut RunReferences<'_>, is_announced: bool, label_below: &mut Option<usize>) {
    let mut offset = 0;
    for line in reader.text.split('\n') {
        let label = LABEL.find(line);
        let mut at = label.map_or(0, |label| label.end());
        if label.is_some() && line[at..].trim().is_empty() {
            *label_below = Some(reader.run.lists);
        }
        while (label.is_some() || is_announced)
            && let Some(digits) = NUMBERS.captures(&line[at..]).and_then(|found| found.get(1))
            && ends_number(line, at + digits.end())
            && !line[at..at + digits.start()].ends_with('#')
            && !line[at + digits.end()..].trim_start().to_ascii_lowercase().starts_with("adr")
        {
            let range = offset + at + digits.start()..offset + at + digits.end();
            at = (reader.numbers_from(range.start, range, false, None) - offset).min(line.len());
            if !NEXT.is_match(&line[at..]) {
                break;
            }
        }
        offset += line.len() + 1;
    }
}

impl RunReferences<'_> {
    /// Adds the number in `first`, and those up to the one that ends a range; returns where the number or the range ends.
    fn numbers_from(&mut self, start: usize, first: Range<usize>, is_plural: bool, foreign: Option<&str>) -> usize {
        let text = self.text;
        let link = self.link_at(start).map(|link| link.target.clone());
        self.add_number(first.clone(), foreign, link);
        let Some(found) = RANGE.captures(&text[first.end..]) else { return first.end };
        let has = |group: usize| found.get(group).is_some_and(|part| !part.is_empty());
        // `ADR-7 – 3 reviewers` and `ADR-2024-01` are no ranges, but `ADR-0002 - 0004` and `ADR 12-14` are.
        let (is_named, is_tight) = (has(6), !has(1) && !has(5));
        let is_open = |last: &str| {
            let numbers = text[first.clone()].parse::<u64>().ok().zip(last.parse::<u64>().ok());
            let is_clear = has(4) || is_tight && text[..first.start].ends_with([' ', '\u{a0}']);
            is_clear && last.len() == first.len() && numbers.is_some_and(|(first, last)| first < last)
        };
        let is_range = |last: &str| is_padded(&text[first.clone()], last) || is_open(last);
        let last = found
            .get(7)
            .filter(|last| is_named || is_plural || has(2) || has(3) && is_tight || is_range(last.as_str()))
            .map(|last| first.end + last.start()..first.end + last.end());
        let Some(last) = last.filter(|last| ends_number(text, last.end)) else { return first.end };
        let target = format!("{}-{}", &text[first.clone()], &text[last.clone()]);
        self.add(&target, ReferenceForm::AdrsBetween, first.end).foreign = foreign.map(str::to_owned);
        // One with `ADR` before it is found by itself, unless a hyphen joins it.
        if !is_named || text[first.end..].starts_with('-') {
            self.add_number(last.clone(), foreign, None);
        }
        if is_named { first.end } else { last.end }
    }

    fn add_number(&mut self, digits: Range<usize>, foreign: Option<&str>, link: Option<String>) {
        let text = self.text;
        let reference = self.add(&text[digits.clone()], ReferenceForm::AdrNumber, digits.start);
        (reference.foreign, reference.link) = (foreign.map(str::to_owned), link);
    }

    fn ends_number(&self, end: usize) -> bool {
        ends_number(self.text, end) || self.edges.binary_search(&end).is_ok()
    }
}

fn is_padded(first: &str, last: &str) -> bool {
    first.len() == last.len() && first.starts_with('0') && last.starts_with('0')
}

/// Returns whether the number behind a single ADR is one as well: in its form, or with its hyphen.
fn is_further(before: &str, joint: &str, number: &str) -> bool {
    is_padded(before, number) || joint == "/" || joint.ends_with('-') && joint.trim() != "-"
}

/// Returns whether the digits before `end` are a whole number, neither `12a` nor `1.2`.
fn ends_number(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    match rest.next() {
        Some('.') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric() && c != '_' || is_other_script(c),
        None => true,
    }
}
