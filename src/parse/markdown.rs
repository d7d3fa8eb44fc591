//! What a Markdown text holds: its blocks, headings, relations and references, read in one pass.

use crate::model::Relation;
use crate::parse::{references, walk};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A Markdown text, read.
///
/// Ranges are bytes of the text, lines count from 1 within it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Markdown {
    /// The blocks at depth 0; they tile the text: each ends where the next begins.
    /// A front matter at byte 0 is a block of its own.
    pub blocks: Vec<Block>,
    /// The headings at depth 0 (never one in a list, a quote or a code block), in order.
    pub headings: Vec<Heading>,
    /// Relations that the text states, in order.
    pub relations: Vec<BodyRelation>,
    /// What may be a reference to a file or an ADR, in order.
    pub references: Vec<Reference>,
}

/// A block at depth 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its bytes, with the blank lines after it.
    pub range: Range<usize>,
    /// Its first line.
    pub line: u32,
    /// Index of its heading where it is one.
    pub heading: Option<usize>,
    /// Whether it is a paragraph or list: text that can open a document.
    pub prose: bool,
    /// The line that closes it where it is a fenced code block, such as "```": what a cut inside needs.
    pub fence: Option<String>,
}

/// A heading at depth 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub title: String,
    /// Its anchor as GitHub makes it, `-1` and so on where one is taken.
    pub anchor: String,
    /// Its block.
    pub block: usize,
    /// Its line.
    pub line: u32,
}

/// Which part of a body states a relation; part of its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Via {
    /// A task list under a heading of children.
    Checklist,
    /// A sentence, a list item or a heading.
    Body,
}

/// A relation that a text states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyRelation {
    /// What the named one is to the item with this text.
    pub relation: Relation,
    /// What is named: `#12`, `GH-12`, `owner/repo#12`, a URL, an id.
    pub target: String,
    /// The line.
    pub line: u32,
    /// Where it stands.
    pub via: Via,
}

/// The shape in which a possible reference was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceForm {
    /// The target of a link or of a link definition, as written: a path, perhaps with `#anchor`, or a URL.
    Link,
    /// A path in prose or in a code span.
    Path,
    /// A number of an ADR: the target is its digits, such as `012`.
    AdrNumber,
}

/// What may be a reference to a file or an ADR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// As written: a path, a URL or the digits of an ADR's number.
    pub target: String,
    /// Its shape.
    pub form: ReferenceForm,
    /// The line.
    pub line: u32,
    /// The word directly before an ADR's number where it looks like a repo's name (`cosmos-sdk ADR020`).
    pub foreign: Option<String>,
    /// Where an ADR's number is the text of a link: the link's target, which then decides.
    pub link: Option<String>,
}

impl Markdown {
    /// Reads a text in one pass.
    ///
    /// Tables, task lists, strike-through and footnotes are on; the front
    /// matter is not read as Markdown.
    pub fn read(text: &str) -> Self {
        walk::read(text)
    }

    /// The bytes of the section under the heading with this anchor: from the
    /// heading to the next one of the same or a higher level, or to the end
    /// of the text, which has `text_len` bytes.
    ///
    /// A leading `#` is ignored, and case where no anchor matches exactly.
    pub fn section(&self, text_len: usize, anchor: &str) -> Option<Range<usize>> {
        let anchor = anchor.strip_prefix('#').unwrap_or(anchor);
        let lower = anchor.to_lowercase();
        let index = self
            .headings
            .iter()
            .position(|heading| heading.anchor == anchor)
            .or_else(|| self.headings.iter().position(|heading| heading.anchor == lower))?;
        let (heading, rest) = self.headings.get(index..)?.split_first()?;
        let start = |heading: &Heading| self.blocks.get(heading.block).map(|block| block.range.start);
        let end = rest.iter().find(|next| next.level <= heading.level).and_then(start).unwrap_or(text_len);
        Some(start(heading)?..end)
    }
}

/// What may be a reference in a title or in the value of a field that stands on `line`.
pub fn references_in_line(text: &str, line: u32) -> Vec<Reference> {
    references::in_line(text, line)
}
