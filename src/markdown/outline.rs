//! The outline of a Markdown text: its blocks and headings.

use crate::model::LineStarts;
use pulldown_cmark::{CodeBlockKind, Tag};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The blocks and headings of a text: ranges are bytes of it, lines count from 1 within it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The blocks at depth 0; they tile the text: each ends where the next begins.
    /// A front matter at byte 0 is a block of its own.
    pub blocks: Vec<Block>,
    /// The headings at depth 0 (never one in a list, a quote or a code block), in order.
    pub headings: Vec<Heading>,
    /// How many boxes of task lists are ticked, and how many there are, but for those in quotes.
    pub boxes: (u32, u32),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its bytes, including the blank lines after it.
    pub range: Range<usize>,
    pub line: u32,
    pub heading: Option<usize>,
    /// Whether it is a paragraph or list: text that can open a document.
    pub prose: bool,
    /// The line that closes it if it is a fenced code block, such as "```"; needed by a cut inside it.
    pub fence: Option<String>,
    /// Whether it has a box that is not ticked, but for those in quotes.
    pub open_box: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    pub level: u8,
    pub title: String,
    /// Its anchor as GitHub forms it, with `-1` and so on if another heading has it already.
    pub anchor: String,
    pub block: usize,
    pub line: u32,
}

impl Outline {
    /// Returns the bytes of the section under the heading with this anchor: from the heading to the next one of the same or a
    /// higher level, or to the end of the text, which has `text_len` bytes.
    ///
    /// A leading `#` is ignored, and case too if no anchor matches exactly.
    pub fn section(&self, text_len: usize, anchor: &str) -> Option<Range<usize>> {
        let anchor = anchor.strip_prefix('#').unwrap_or(anchor);
        let position = |anchor: &str| self.headings.iter().position(|heading| heading.anchor == anchor);
        let index = position(anchor).or_else(|| position(&anchor.to_lowercase()))?;
        let (heading, rest) = self.headings.get(index..)?.split_first()?;
        let start = |heading: &Heading| self.blocks.get(heading.block).map(|block| block.range.start);
        let end = rest.iter().find(|next| next.level <= heading.level).and_then(start).unwrap_or(text_len);
        Some(start(heading)?..end)
    }
}

#[derive(Default)]
pub(super) struct OutlineBuilder<'a> {
    text: &'a str,
    body_start: usize,
    pub(super) lines: LineStarts,
    outline: Outline,
    /// The range of each block's events; the block itself also covers text that Markdown drops.
    spans: Vec<Range<usize>>,
    /// The anchors of the headings so far, and the next number behind each.
    anchors: HashSet<String>,
    next_anchors: HashMap<String, u32>,
}

impl<'a> OutlineBuilder<'a> {
    pub(super) fn of(text: &'a str, body_start: usize) -> Self {
        let mut builder = Self { text, body_start, lines: LineStarts::of(text), ..Self::default() };
        if body_start > 0 {
            builder.push(0, false, None);
        }
        builder
    }

    fn new_block(&self, start: usize, prose: bool, fence: Option<String>) -> Block {
        Block { range: start..start, line: self.lines.line(start), heading: None, prose, fence, open_box: false }
    }

    fn push(&mut self, start: usize, prose: bool, fence: Option<String>) {
        self.outline.blocks.push(self.new_block(start, prose, fence));
        self.spans.push(start..start);
    }

    fn has_body(&self) -> bool {
        self.outline.blocks.len() > usize::from(self.body_start > 0)
    }

    /// Begins a block at the line of its events, unless that has one; text that Markdown drops before the first belongs to it.
    pub(super) fn begin(&mut self, tag: Option<&Tag<'_>>, span: &Range<usize>) {
        let is_prose = matches!(tag, Some(Tag::Paragraph | Tag::List(_)));
        let is_fenced = matches!(tag, Some(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
        let start = if self.has_body() { self.lines.start_of(span.start) } else { self.body_start };
        if self.outline.blocks.last().is_none_or(|last| last.range.start < start) {
            let line = self.text[span.start..].lines().next().unwrap_or_default().trim_start();
            let mark = line.chars().next().filter(|_| is_fenced);
            let fence = mark.map(|mark| line.chars().take_while(|c| *c == mark).collect());
            self.push(start, is_prose, fence);
        }
        if let Some(last) = self.spans.last_mut() {
            *last = span.clone();
        }
    }

    pub(super) fn add_boxes(&mut self, (ticked, all): (u32, u32)) {
        self.outline.boxes = (self.outline.boxes.0 + ticked, self.outline.boxes.1 + all);
        self.outline.blocks.last_mut().into_iter().for_each(|block| block.open_box |= ticked < all);
    }

    pub(super) fn heading(&mut self, level: u8, title: &str, start: usize) -> usize {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let index = self.outline.headings.len();
        if let Some(last) = self.outline.blocks.last_mut() {
            last.heading = Some(index);
        }
        let anchor = self.anchor(&title);
        self.outline.headings.push(Heading { level, title, anchor, block: 0, line: self.lines.line(start) });
        index
    }

    /// Returns the anchor of the next heading, as GitHub makes it.
    fn anchor(&mut self, title: &str) -> String {
        let letters = title.trim().to_lowercase();
        let letters = letters.chars().filter(|c| matches!(c, ' ' | '-' | '_') || c.is_alphanumeric());
        let base: String = letters.map(|c| if c == ' ' { '-' } else { c }).collect();
        let mut anchor = base.clone();
        let next = self.next_anchors.entry(base.clone()).or_insert(0);
        while !self.anchors.insert(anchor.clone()) {
            *next += 1;
            anchor = format!("{base}-{next}");
        }
        anchor
    }

    /// Returns the index of the block that link definitions at depth 0 follow, and the byte at which theirs begins.
    fn definition(&self, span: &Range<usize>) -> Option<(usize, usize)> {
        let start = self.lines.start_of(span.start);
        let before = self.outline.blocks.partition_point(|block| block.range.start <= start).checked_sub(1)?;
        let above = self.spans.get(before)?;
        // The range of a list may reach over a definition at the margin that ends it.
        let is_apart = start - self.text[..start].trim_end_matches('\n').len() > 1;
        // One inside a list or a quote, or before the first block, is a part of that.
        let is_outside = span.start >= above.end || span.start == start && is_apart && span.start > above.start;
        is_outside.then_some((before, start))
    }

    pub(super) fn finish(mut self, definitions: &[Range<usize>]) -> (Outline, LineStarts) {
        let mut starts: Vec<(usize, usize)> = definitions.iter().filter_map(|span| self.definition(span)).collect();
        starts.dedup_by_key(|(before, _)| *before);
        if !self.has_body() && self.body_start < self.text.len() {
            self.push(self.body_start, false, None);
        }
        let defined: Vec<Block> = starts.iter().map(|(_, start)| self.new_block(*start, false, None)).collect();
        let Outline { mut blocks, mut headings, boxes } = self.outline;
        blocks.extend(defined);
        blocks.sort_by_key(|block| block.range.start);
        let mut end = self.text.len();
        for (index, block) in blocks.iter_mut().enumerate().rev() {
            block.range.end = end;
            end = block.range.start;
            if let Some(heading) = block.heading.and_then(|heading| headings.get_mut(heading)) {
                heading.block = index;
            }
        }
        (Outline { blocks, headings, boxes }, self.lines)
    }
}
