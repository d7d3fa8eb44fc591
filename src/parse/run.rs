//! One stretch of inline text: a paragraph, a heading, a table cell or the text of a list item.

use std::ops::Range;

/// Stands where a relation's text had something that does not count: code, struck text.
pub(super) const GAP: char = '\u{FFFC}';

/// A text put together from events, and where its parts stand in the source.
#[derive(Debug, Clone, Default)]
pub(super) struct Traced {
    pub(super) text: String,
    marks: Vec<(usize, usize)>,
}

impl Traced {
    /// Adds a part that stands at `source`.
    pub(super) fn push(&mut self, part: &str, source: usize) {
        self.marks.push((self.text.len(), source));
        self.text.push_str(part);
    }

    /// Takes everything from `at` off again.
    pub(super) fn truncate(&mut self, at: usize) {
        self.text.truncate(at);
        while self.marks.pop_if(|(start, _)| *start >= at).is_some() {}
    }

    /// Where in the source the byte at `at` stands, as exactly as its part was taken over.
    pub(super) fn source(&self, at: usize) -> usize {
        let after = self.marks.partition_point(|(start, _)| *start <= at);
        let mark = self.marks.get(after.saturating_sub(1));
        mark.map_or(0, |(start, source)| source + at.saturating_sub(*start))
    }
}

/// A link inside a run: where its text stands in [`Run::full`], and its target.
#[derive(Debug, Clone)]
pub(super) struct LinkSpan {
    pub(super) range: Range<usize>,
    pub(super) target: String,
}

/// A run of inline text with its place among headings and lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    /// What it says, for relations: without code and struck text, links to issues as their URLs.
    pub(super) said: Traced,
    /// All of it, for references.
    pub(super) full: Traced,
    /// In the order of their ends.
    pub(super) links: Vec<LinkSpan>,
    /// Code spans in `full`, in order.
    pub(super) codes: Vec<Range<usize>>,
    /// Whether it stands in a block quote.
    pub(super) quoted: bool,
    /// How many lists it stands in.
    pub(super) lists: usize,
    /// Whether it is the first text of its list item.
    pub(super) first_of_item: bool,
    /// Whether its list item has a checkbox.
    pub(super) task: bool,
    /// Whether it is a heading at depth 0.
    pub(super) heading: bool,
}
