//! One stretch of inline text: a paragraph, a heading, a table cell or the text of a list item.

use crate::markdown::outline::Outline;
use crate::model::LineStarts;
use std::ops::Range;

/// A Markdown text with its outline and its inline parts in source order.
#[derive(Debug, Default)]
pub struct MarkdownText {
    pub outline: Outline,
    pub parts: Vec<InlinePart>,
    pub lines: LineStarts,
}

/// A part of a Markdown text in which mentions may stand. Sources are byte offsets in the text.
#[derive(Debug)]
pub enum InlinePart {
    /// A heading at depth 0, by its index in [`Outline::headings`]; it begins a section and comes before its own text.
    Heading(usize),
    /// The target of a link or of a link definition.
    Link { target: String, source: usize },
    /// A stretch of inline text.
    Run(Run),
    /// The visible text of an HTML block.
    Html(Run),
}

impl MarkdownText {
    /// Reads `text` in one pass.
    pub fn read(text: &str) -> Self {
        crate::markdown::reader::read(text)
    }
}

/// Stands where a relation's text had something that does not count: code, struck text.
pub(crate) const GAP: char = '\u{FFFC}';

/// A text put together from events, and where its parts stand in the source.
#[derive(Debug, Clone, Default)]
pub struct Traced {
    pub text: String,
    marks: Vec<(usize, usize)>,
}

impl Traced {
    /// Adds a part that stands at `source`.
    pub fn push(&mut self, part: &str, source: usize) {
        self.marks.push((self.text.len(), source));
        self.text.push_str(part);
    }

    /// Takes everything from `at` off again.
    pub fn truncate(&mut self, at: usize) {
        self.text.truncate(at);
        while self.marks.pop_if(|(start, _)| *start >= at).is_some() {}
    }

    /// Where in the source the byte at `at` stands, as exactly as its part was taken over.
    pub fn source(&self, at: usize) -> usize {
        let after = self.marks.partition_point(|(start, _)| *start <= at);
        let mark = self.marks.get(after.saturating_sub(1));
        mark.map_or(0, |(start, source)| source + at.saturating_sub(*start))
    }
}

/// A link inside a run: where its text stands in [`Run::full`], and its target.
#[derive(Debug, Clone)]
pub struct LinkSpan {
    pub range: Range<usize>,
    pub target: String,
}

/// A run of inline text with its place among headings and lists.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// What it says, for relations: without code and struck text, links to issues as their URLs.
    pub said: Traced,
    /// All of it, for references.
    pub full: Traced,
    /// In the order of their ends.
    pub links: Vec<LinkSpan>,
    /// Code spans in `full`, in order.
    pub codes: Vec<Range<usize>>,
    /// Whether it stands in a block quote.
    pub quoted: bool,
    /// How many lists it stands in.
    pub lists: usize,
    /// Whether it is the first text of its list item.
    pub first_of_item: bool,
    /// Whether its list item has a checkbox.
    pub task: bool,
    /// Whether it is a heading at depth 0.
    pub heading: bool,
}
