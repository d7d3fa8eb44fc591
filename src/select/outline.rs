//! Choice of the chunks that belong to a text's excerpt.

use super::Chunk;
use crate::config::Excerpt;
use crate::graph::Outline;
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

/// Returns the blocks within `range` as chunks that are not key, shifted so that the range begins at `offset`.
pub(super) fn chunks(markdown: &Outline, range: &Range<usize>, offset: usize) -> Vec<Chunk> {
    let inside = |at: usize| at.clamp(range.start, range.end) - range.start + offset;
    markdown
        .blocks
        .iter()
        .map(|block| Chunk {
            range: inside(block.range.start)..inside(block.range.end),
            key: false,
            fence: block.fence.clone().filter(|fence| fence.len() <= LONGEST_FENCE),
        })
        .collect()
}

/// Marks the sections whose headings are in `keys` as key, and returns whether there was one.
/// `chunks` are those of `markdown`.
pub(super) fn mark_headings(chunks: &mut [Chunk], markdown: &Outline, keys: &[String]) -> bool {
    let keys: Vec<String> = keys.iter().map(|key| normalize(key)).collect();
    let mut found = false;
    for (index, heading) in markdown.headings.iter().enumerate() {
        if !keys.contains(&normalize(&heading.title)) {
            continue;
        }
        found = true;
        let end = markdown.headings[index + 1..]
            .iter()
            .find(|next| next.level <= heading.level)
            .map_or(chunks.len(), |next| next.block);
        chunks[heading.block..end].iter_mut().for_each(|chunk| chunk.key = true);
    }
    found
}

/// Marks the title (a heading that begins the text) as key.
pub(super) fn mark_title(chunks: &mut [Chunk], markdown: &Outline, text: &str) {
    let first = markdown.blocks.iter().position(|block| block.heading.is_some() || block.prose);
    if let Some(first) = first
        && markdown.blocks[first].heading.is_some()
        && text[..markdown.blocks[first].range.start].trim_start().len() <= front_matter_len(text)
    {
        chunks[first].key = true;
    }
}

fn front_matter_len(text: &str) -> usize {
    if text.starts_with("---\n") { usize::MAX } else { 0 }
}

/// Marks the first paragraph or list as key.
pub(super) fn mark_opening(chunks: &mut [Chunk], markdown: &Outline) {
    if let Some(first) = markdown.blocks.iter().position(|block| block.prose) {
        chunks[first].key = true;
    }
}

/// Marks the excerpt of an ADR as key: its title and the configured headings, else its first lines.
pub(super) fn mark_adr(chunks: &mut Vec<Chunk>, markdown: &Outline, text: &str, excerpt: &Excerpt) {
    let mut keys = excerpt.headings.clone();
    for (name, aliases) in ALIASES {
        if excerpt.headings.iter().any(|heading| normalize(heading) == name) {
            keys.extend(aliases.iter().map(|alias| (*alias).to_owned()));
        }
    }
    if !mark_headings(chunks, markdown, &keys) {
        chunks.iter_mut().for_each(|chunk| chunk.key = true);
    }
    mark_title(chunks, markdown, text);
    limit_lines(chunks, text, excerpt.max_lines as usize);
}

/// Limits the key text to its first `lines` lines.
fn limit_lines(chunks: &mut Vec<Chunk>, text: &str, lines: usize) {
    let mut left = lines;
    let mut index = 0;
    while index < chunks.len() {
        let chunk = &mut chunks[index];
        if chunk.key {
            let part = &text[chunk.range.clone()];
            let has = part.trim_end().lines().count();
            if has > left {
                let cut = part.match_indices('\n').nth(left.wrapping_sub(1)).map_or(0, |(at, _)| at + 1);
                let rest = Chunk { range: chunk.range.start + cut..chunk.range.end, key: false, fence: None };
                chunk.range.end = rest.range.start;
                if left == 0 {
                    chunk.key = false;
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

/// Returns a heading's words in lower case, without punctuation, numbering and final colon.
fn normalize(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let numbering = words.iter().take_while(|word| word.bytes().all(|b| b.is_ascii_digit())).count();
    words[if numbering < words.len() { numbering } else { 0 }..].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_compared_by_their_words() {
        assert_eq!(normalize("## 2. Acceptance Criteria:"), "acceptance criteria");
        assert_eq!(normalize("Scope"), normalize("**scope**"));
        assert_eq!(normalize("2024"), "2024");
    }

    #[test]
    fn an_excerpt_ends_at_its_last_line() {
        let text = "one\ntwo\n\nthree\nfour\n";
        let mut chunks =
            vec![Chunk { range: 0..9, key: true, fence: None }, Chunk { range: 9..20, key: true, fence: None }];
        limit_lines(&mut chunks, text, 3);
        let kept: String = chunks.iter().filter(|c| c.key).map(|c| &text[c.range.clone()]).collect();
        assert_eq!(kept, "one\ntwo\n\nthree\n");
        assert_eq!(chunks.last().map(|c| c.range.end), Some(text.len()));
    }
}
