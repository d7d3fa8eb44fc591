//! The outline of a Markdown text: its blocks and headings.

use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The blocks and headings of a Markdown text.
///
/// Ranges are bytes of the text, lines count from 1 within it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The blocks at depth 0; they tile the text: each ends where the next begins.
    /// A front matter at byte 0 is a block of its own.
    pub blocks: Vec<Block>,
    /// The headings at depth 0 (never one in a list, a quote or a code block), in order.
    pub headings: Vec<Heading>,
}

/// A block at depth 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its bytes, including the blank lines after it.
    pub range: Range<usize>,
    /// Its first line.
    pub line: u32,
    /// The index of its heading if it is one.
    pub heading: Option<usize>,
    /// Whether it is a paragraph or list: text that can open a document.
    pub prose: bool,
    /// The line that closes it if it is a fenced code block, such as "```"; needed by a cut inside it.
    pub fence: Option<String>,
}

/// A heading at depth 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub title: String,
    /// Its anchor as GitHub forms it, with `-1` and so on if another heading has it already.
    pub anchor: String,
    /// Its block.
    pub block: usize,
    /// Its line.
    pub line: u32,
}

impl Outline {
    /// Returns the bytes of the section under the heading with this anchor: from the
    /// heading to the next one of the same or a higher level, or to the end
    /// of the text, which has `text_len` bytes.
    ///
    /// A leading `#` is ignored, and case too if no anchor matches exactly.
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

/// Anchors of headings as GitHub makes them.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    assigned: HashSet<String>,
    next: HashMap<String, u32>,
}

impl Anchors {
    /// Returns the anchor of the next heading, which has this title.
    pub(super) fn assign(&mut self, title: &str) -> String {
        let base: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c => c.is_alphanumeric().then_some(c),
            })
            .collect();
        let mut anchor = base.clone();
        let next = self.next.entry(base.clone()).or_insert(0);
        while !self.assigned.insert(anchor.clone()) {
            *next += 1;
            anchor = format!("{base}-{next}");
        }
        anchor
    }
}
