//! Definitions of links and footnotes: which of them anything visible uses, and the parts of their source.

use super::{HiddenRange, Replacement};
use std::collections::BTreeMap;
use std::ops::Range;

/// A link definition that applies: the first of its label.
pub(super) struct Definition {
    pub(super) span: Range<usize>,
    pub(super) label: String,
    pub(super) is_comment: bool,
}

/// A footnote's definition.
pub(super) struct Footnote {
    pub(super) label: String,
    pub(super) range: Range<usize>,
    /// The mark in front of its text.
    pub(super) mark: Range<usize>,
}

/// A reference to a footnote.
pub(super) struct FootnoteUse {
    pub(super) label: String,
    pub(super) range: Range<usize>,
    /// The index of the footnote in whose text it occurs.
    pub(super) within: Option<usize>,
}

/// The ranges of a text in which nothing is visible.
pub(super) struct HiddenAreas(Vec<Range<usize>>);

impl HiddenAreas {
    /// Collects the ranges that a marker will replace.
    pub(super) fn new(edits: &[HiddenRange]) -> Self {
        Self::of(edits.iter().filter(|edit| edit.put == Replacement::Marker).map(|edit| &edit.range))
    }

    pub(super) fn of<'r>(ranges: impl Iterator<Item = &'r Range<usize>>) -> Self {
        let mut ranges: Vec<Range<usize>> = ranges.cloned().collect();
        ranges.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self(merged)
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        let after = self.0.partition_point(|range| range.start <= at);
        after.checked_sub(1).is_some_and(|last| at < self.0[last].end)
    }
}

/// Returns for each footnote whether no visible text refers to it; of several with one label the first applies.
pub(super) fn unused_footnotes(footnotes: &[Footnote], uses: &[FootnoteUse], hidden: &HiddenAreas) -> Vec<bool> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, footnote) in footnotes.iter().enumerate() {
        first.entry(&footnote.label).or_insert(index);
    }
    let mut within: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for used in uses.iter().filter(|used| !hidden.contains(used.range.start)) {
        if let Some(footnote) = first.get(used.label.as_str()) {
            within.entry(used.within).or_default().push(*footnote);
        }
    }
    let mut unused = vec![true; footnotes.len()];
    let mut open: Vec<usize> = within.remove(&None).unwrap_or_default();
    while let Some(footnote) = open.pop() {
        if std::mem::take(&mut unused[footnote]) {
            open.extend(within.remove(&Some(footnote)).unwrap_or_default());
        }
    }
    unused
}

/// Returns the end of a definition's label, after its colon.
pub(super) fn label_end(definition: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in definition.bytes().enumerate() {
        if byte == b']' && !escaped {
            return definition[at..].starts_with("]:").then_some(at + 2);
        }
        escaped = byte == b'\\' && !escaped;
    }
    None
}

/// Divides the part of a text that holds a link's target and title into the two.
pub(super) fn target_and_title(text: &str, part: Range<usize>) -> (Range<usize>, Range<usize>) {
    let bytes = text.as_bytes();
    let end = part.end.max(part.start);
    let mut start = part.start;
    // Quotes go on with a mark in front of each line.
    while start < end && (bytes[start].is_ascii_whitespace() || bytes[start] == b'>') {
        start += 1;
    }
    let angle = start < end && bytes[start] == b'<';
    let start = start + usize::from(angle);
    let (mut at, mut escaped) = (start, false);
    while at < end {
        let byte = bytes[at];
        let ends = if angle { byte == b'>' && !escaped } else { byte.is_ascii_whitespace() };
        if ends {
            break;
        }
        escaped = byte == b'\\' && !escaped;
        at += 1;
    }
    let title = (at + usize::from(angle)).min(end);
    (start..at, title..title + text[title..end].trim_end().len())
}
