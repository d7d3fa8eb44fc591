//! Choice of the chunks that belong to a text's excerpt.

use super::boilerplate::{self, is_comment};
use super::key_headings::{KeyHeadings, words};
use super::{Chunk, ChunkWeight};
use crate::config::Excerpt;
use crate::graph::{Block, Outline};
use std::ops::Range;

/// Synonyms of ADR headings.
const ALIASES: [(&str, &[&str]); 4] = [
    ("status", &["state"]),
    ("context", &["context and problem statement", "problem statement", "background", "problem", "issue"]),
    ("decision", &["decision outcome", "decisions", "our decision", "resolution"]),
    ("consequences", &["consequence", "positive consequences", "negative consequences", "implications", "outcome"]),
];

/// The longest fence that a cut closes: every cut reserves room for it, so a fence of 100,000 characters would use up
/// the whole budget.
const LONGEST_FENCE: usize = 64;

/// The longest line in bold that counts as a heading, in bytes.
const LONGEST_BOLD_HEADING: usize = 100;

/// Returns the blocks as chunks of normal weight.
pub(super) fn chunks(markdown: &Outline, text: &str) -> Vec<Chunk> {
    let blocks = markdown.blocks.iter().map(|block| Chunk {
        heading: block.heading.is_some() || is_bold_line(block, text),
        fence: block.fence.clone().filter(|fence| fence.len() <= LONGEST_FENCE),
        ..Chunk::new(block.range.clone())
    });
    blocks.collect()
}

/// Moves chunks so that the byte `range` begins at `offset`, and drops what lies outside of it.
pub(super) fn within(chunks: Vec<Chunk>, range: &Range<usize>, offset: usize) -> Vec<Chunk> {
    let inside = |at: usize| at.clamp(range.start, range.end) - range.start + offset;
    let moved =
        chunks.into_iter().map(|chunk| Chunk { range: inside(chunk.range.start)..inside(chunk.range.end), ..chunk });
    moved.filter(|chunk| !chunk.range.is_empty()).collect()
}

/// Marks lists of contents and badges as boilerplate. `chunks` are those of `markdown`.
pub(super) fn mark_boilerplate(chunks: &mut [Chunk], markdown: &Outline, text: &str) {
    for block in boilerplate::blocks(markdown, text) {
        chunks[block].weight = ChunkWeight::Boilerplate;
    }
}

/// Marks the sections whose headings mean one of `keys` as key, except for boilerplate, and returns whether there was one.
/// `chunks` are those of `markdown`, which is that of `text`.
pub(super) fn mark_headings(chunks: &mut [Chunk], markdown: &Outline, text: &str, keys: &KeyHeadings) -> bool {
    mark_sections(chunks, markdown, text, |title| keys.contain(title))
}

/// Marks the sections whose titles are `wanted` as key, except for boilerplate, and returns whether there was one.
pub(super) fn mark_sections(
    chunks: &mut [Chunk],
    markdown: &Outline,
    text: &str,
    wanted: impl Fn(&str) -> bool,
) -> bool {
    let mut found = false;
    for section in sections(markdown, text, wanted) {
        // A heading with nothing below it says nothing.
        let has_text = |block: &Block| block.heading.is_none() && !is_comment(&text[block.range.clone()]);
        if chunks[section.start].heading && !markdown.blocks[section.clone()][1..].iter().any(has_text) {
            continue;
        }
        found = true;
        chunks[section].iter_mut().for_each(mark_key);
    }
    unmark_bare_headings(chunks, text);
    found
}

/// Returns the sections whose titles are `wanted`, as ranges of blocks: below a heading to the next one of its level or
/// above, below a line in bold to the next such line or heading.
pub(super) fn sections(
    markdown: &Outline,
    text: &str,
    wanted: impl Fn(&str) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let headings = markdown.headings.iter().enumerate().filter(|(_, heading)| wanted(&heading.title));
    let mut found: Vec<Range<usize>> = headings
        .map(|(index, heading)| {
            let next = markdown.headings[index + 1..].iter().find(|next| next.level <= heading.level);
            heading.block..next.map_or(markdown.blocks.len(), |next| next.block)
        })
        .collect();
    for (index, block) in markdown.blocks.iter().enumerate() {
        if !bold_title(block, text).is_some_and(&wanted) {
            continue;
        }
        let ends = |next: &Block| next.heading.is_some() || bold_title(next, text).is_some();
        // A title on the first line of its paragraph has its text there.
        let below = if is_bold_line(block, text) {
            markdown.blocks[index + 1..].iter().take_while(|next| !ends(next)).count()
        } else {
            0
        };
        found.push(index..index + 1 + below);
    }
    found.into_iter()
}

/// Returns the title of a paragraph whose first line is in bold as a whole: `**Acceptance criteria:**`.
fn bold_title<'t>(block: &Block, text: &'t str) -> Option<&'t str> {
    let text = text.get(block.range.clone()).filter(|text| block.prose && text.starts_with(['*', '_']))?;
    let line = text.lines().next()?.trim_end().trim_end_matches([':', '：']);
    let inside = ["**", "__"].into_iter().find_map(|mark| line.strip_prefix(mark)?.strip_suffix(mark))?;
    let title = inside.trim().trim_end_matches([':', '：']);
    let is_title = !title.is_empty() && title.len() <= LONGEST_BOLD_HEADING && !title.contains(['*', '`']);
    (is_title && !title.ends_with(['.', '!', ','])).then_some(title)
}

/// Returns whether a paragraph is one line in bold: a heading in all but form.
fn is_bold_line(block: &Block, text: &str) -> bool {
    bold_title(block, text).is_some() && text[block.range.clone()].trim_end().lines().count() == 1
}

/// Takes the mark of headings without marked text below them, so that no excerpt has a heading alone.
fn unmark_bare_headings(chunks: &mut [Chunk], text: &str) {
    let mut has_text = false;
    for chunk in chunks.iter_mut().rev() {
        if is_comment(&text[chunk.range.clone()]) {
            continue;
        }
        if chunk.heading && chunk.weight == ChunkWeight::Key && !has_text {
            chunk.weight = ChunkWeight::Normal;
        }
        has_text = chunk.weight == ChunkWeight::Key;
    }
}

fn mark_key(chunk: &mut Chunk) {
    if chunk.weight != ChunkWeight::Boilerplate {
        chunk.weight = ChunkWeight::Key;
    }
}

/// Marks the title as key: a heading that begins the text, unless another of its level or above follows, so that it is
/// only the first of several.
pub(super) fn mark_title(chunks: &mut [Chunk], markdown: &Outline, text: &str) {
    let Some(heading) = markdown.headings.first() else { return };
    let begins = markdown.blocks.iter().position(|block| block.heading.is_some() || block.prose) == Some(heading.block);
    let above = &text[..markdown.blocks[heading.block].range.start];
    let is_title = markdown.headings[1..].iter().all(|other| other.level > heading.level);
    if begins && is_title && above.trim_start().len() <= front_matter_len(text) {
        mark_key(&mut chunks[heading.block]);
    }
}

fn front_matter_len(text: &str) -> usize {
    if text.starts_with("---\n") { usize::MAX } else { 0 }
}

/// Marks the first paragraph or list as key.
pub(super) fn mark_opening(chunks: &mut [Chunk], markdown: &Outline) {
    let opens = |index: usize, block: &Block| block.prose && chunks[index].weight != ChunkWeight::Boilerplate;
    let Some(first) = markdown.blocks.iter().enumerate().position(|(index, block)| opens(index, block)) else { return };
    mark_key(&mut chunks[first]);
    // A line in bold opens nothing without the text below it.
    if chunks[first].heading
        && let Some(below) = chunks.get_mut(first + 1)
    {
        mark_key(below);
    }
}

/// Marks the excerpt of an ADR as key: its title and the configured headings, else its first lines.
pub(super) fn mark_adr(chunks: &mut Vec<Chunk>, markdown: &Outline, text: &str, excerpt: &Excerpt) {
    let mut keys = excerpt.headings.clone();
    for (name, aliases) in ALIASES {
        if excerpt.headings.iter().any(|heading| words(heading) == [name]) {
            keys.extend(aliases.iter().map(|alias| (*alias).to_owned()));
        }
    }
    if !mark_headings(chunks, markdown, text, &KeyHeadings::new(&keys)) {
        chunks.iter_mut().for_each(mark_key);
    }
    limit_lines(chunks, text, excerpt.max_lines as usize);
    unmark_bare_headings(chunks, text);
    mark_title(chunks, markdown, text);
}

/// Limits the key text to its first `lines` lines.
fn limit_lines(chunks: &mut Vec<Chunk>, text: &str, lines: usize) {
    let mut left = lines;
    let mut index = 0;
    while index < chunks.len() {
        let chunk = &mut chunks[index];
        if chunk.weight == ChunkWeight::Key {
            let part = &text[chunk.range.clone()];
            let has = part.trim_end().lines().count();
            if has > left {
                let cut = part.match_indices('\n').nth(left.wrapping_sub(1)).map_or(0, |(at, _)| at + 1);
                let rest = Chunk::new(chunk.range.start + cut..chunk.range.end);
                chunk.range.end = rest.range.start;
                if left == 0 {
                    chunk.weight = ChunkWeight::Normal;
                    chunk.range.end = rest.range.end;
                } else {
                    chunks.insert(index + 1, rest);
                    index += 1;
                }
                left = 0;
            } else {
                left -= has;
            }
        }
        index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_ends_at_its_last_line() {
        let text = "one\ntwo\n\nthree\nfour\n";
        let key = |range| Chunk { weight: ChunkWeight::Key, ..Chunk::new(range) };
        let mut chunks = vec![key(0..9), key(9..20)];
        limit_lines(&mut chunks, text, 3);
        let kept: String =
            chunks.iter().filter(|c| c.weight == ChunkWeight::Key).map(|c| &text[c.range.clone()]).collect();
        assert_eq!(kept, "one\ntwo\n\nthree\n");
        assert_eq!(chunks.last().map(|c| c.range.end), Some(text.len()));
    }
}
