//! Texts put together from parts, and without what no reader of them needs.

use super::boilerplate::is_comment;
use super::outline::{ExcerptSize, limit_sections};
use super::text_fields::blocks;
use super::{Chunk, ChunkWeight, Passage, TextOrigin};
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

/// A text that is put together from parts, with its chunks.
#[derive(Default)]
pub(super) struct PassageBuilder {
    pub(super) text: CleanBuf,
    parts: Vec<Chunk>,
    /// The whole text if it is one part, so that packs share it with the corpus.
    shared: Option<Clean>,
}

impl PassageBuilder {
    /// Makes what was written since the last chunk a chunk.
    pub(super) fn end_chunk(&mut self, weight: ChunkWeight) {
        let start = self.parts.last().map_or(0, |chunk| chunk.range.end);
        let end = self.text.as_str().len();
        if start < end {
            self.parts.push(Chunk { weight, ..Chunk::new(start..end) });
        }
    }

    /// Makes what was written since the last chunk a heading.
    pub(super) fn end_heading(&mut self, weight: ChunkWeight) {
        let before = self.parts.len();
        self.end_chunk(weight);
        self.parts[before..].iter_mut().for_each(|chunk| chunk.heading = true);
    }

    /// Ends the text with a blank line, which belongs to the last chunk.
    pub(super) fn blank_line(&mut self) {
        let text = self.text.as_str();
        if text.is_empty() || text.ends_with("\n\n") {
            return;
        }
        self.text.lit(if text.ends_with('\n') { "\n" } else { "\n\n" });
        let end = self.text.as_str().len();
        if let Some(last) = self.parts.last_mut() {
            last.range.end = end;
        }
    }

    /// Appends a section with a heading, which leaves with the text below it.
    pub(super) fn section(&mut self, heading: &Clean, text: &Clean, weight: ChunkWeight) {
        self.blank_line();
        self.heading(heading, weight);
        self.append(text, blocks(text, weight));
    }

    pub(super) fn heading(&mut self, heading: &Clean, weight: ChunkWeight) {
        self.text.lit("## ").line(heading).lit("\n\n");
        // The heading of a key section stays as long as its beginning.
        self.end_heading(if weight == ChunkWeight::Key { ChunkWeight::Core } else { weight });
    }

    /// Appends a text with its chunks.
    pub(super) fn append(&mut self, text: &Clean, parts: Vec<Chunk>) {
        let start = self.text.as_str().len();
        self.shared = (start == 0).then(|| text.clone());
        self.text.text(text);
        self.parts.extend(
            parts.into_iter().map(|chunk| Chunk { range: chunk.range.start + start..chunk.range.end + start, ..chunk }),
        );
    }

    /// Returns the passage, with the chunks of its excerpt limited to a size.
    pub(super) fn passage(self, origin: &TextOrigin, size: ExcerptSize) -> Arc<Passage> {
        let (text, mut parts) = self.finish();
        limit_sections(&mut parts, &text, size);
        Arc::new(Passage::new(text, parts, origin.place()))
    }

    fn finish(mut self) -> (Clean, Vec<Chunk>) {
        let text = self.shared.filter(|shared| shared.len() == self.text.as_str().len());
        (text.unwrap_or_else(|| self.text.finish()), self.parts)
    }
}

/// Returns a text and its chunks, in their order, without what no reader of the text sees or needs: the comments and markers
/// of templates, and empty items of task lists.
pub(super) fn without_comments(text: &Clean, parts: Vec<Chunk>) -> (Clean, Vec<Chunk>) {
    let comments = |chunk: &Chunk| is_comment(&text[chunk.range.clone()]);
    let empty_items = |chunk: &Chunk| chunk.fence.is_none() && has_empty_item(&text[chunk.range.clone()]);
    let in_order = parts.is_sorted_by_key(|chunk| chunk.range.start);
    if in_order && !parts.iter().any(|chunk| comments(chunk) || empty_items(chunk)) {
        return (text.clone(), parts);
    }
    let mut rest = PassageBuilder::default();
    let last = parts.iter().rposition(|chunk| !comments(chunk));
    let mut divided = false;
    for (index, chunk) in parts.into_iter().enumerate() {
        if comments(&chunk) {
            divided = true;
            continue;
        }
        let mut part = text.slice(chunk.range.clone());
        if empty_items(&chunk) {
            part = without_empty_items(&part);
            if part.trim().is_empty() {
                divided = true;
                continue;
            }
            // The blank lines around an empty item are one.
            part = part.slice(0..part.len().min(part.trim_end().len() + 2));
        }
        // What a comment divided stays divided.
        if std::mem::take(&mut divided) || !in_order {
            rest.blank_line();
        }
        let part = if Some(index) == last { part.slice(0..part.trim_end().len()) } else { part };
        rest.append(&part, vec![Chunk { range: 0..part.len(), ..chunk }]);
    }
    rest.finish()
}

/// Returns whether a line is an item of a task list without text: `- [ ]`.
fn is_empty_item(line: &str) -> bool {
    let item = line.trim().strip_prefix(['-', '*', '+']).map(str::trim_start);
    item.is_some_and(|item| matches!(item, "[ ]" | "[x]" | "[X]" | "[]"))
}

fn has_empty_item(text: &str) -> bool {
    memchr::memchr(b'[', text.as_bytes()).is_some() && text.lines().any(is_empty_item)
}

fn without_empty_items(text: &Clean) -> Clean {
    let (mut rest, mut at) = (CleanBuf::new(), 0);
    for line in text.split_inclusive('\n') {
        if !is_empty_item(line) {
            rest.part(text, at..at + line.len());
        }
        at += line.len();
    }
    rest.finish()
}
