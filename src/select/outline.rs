//! Choice of the chunks that belong to a text's excerpt.

use super::WORDS;
use crate::config::Excerpt;
use crate::graph::{Block, Outline};
use crate::markdown::front_matter::front_matter;
use crate::markdown::{KeyHeadings, words};
use crate::redact::Clean;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest fence that a cut closes: every cut reserves room for it.
const MAX_FENCE: usize = 64;
const MAX_BOLD_HEADING: usize = 100;
const MAX_HEADINGS_ABOVE: usize = 2;
const OPENING: usize = 1_000;

/// A top-level block of a document, kept or cut as a whole where possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The chunk's bytes in the text; chunks tile the text.
    pub range: Range<usize>,
    pub weight: ChunkWeight,
    /// Whether it is a heading: a cut never falls directly below one, so that no heading stays without text.
    pub heading: bool,
    /// The fence that closes a code block which is cut inside.
    pub fence: Option<String>,
    /// Whether it is whole or not there: a part of a rule may say something else.
    pub unbroken: bool,
}

/// How long a chunk stays when its text is shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChunkWeight {
    /// Leaves first: contents lists and badges.
    Boilerplate,
    /// Leaves next: everything else.
    Normal,
    /// Belongs to the excerpt, but leaves first of it: an ADR's context.
    Background,
    /// Belongs to the excerpt: the section of a key heading.
    Key,
    /// Stays longest: the title, the opening, the beginning of each key heading's section.
    Core,
}

impl Chunk {
    pub fn new(range: Range<usize>) -> Self {
        Self { range, weight: ChunkWeight::Normal, heading: false, fence: None, unbroken: false }
    }
}

/// The configured headings of an ADR's excerpt, and those of its background, which is cut first.
#[derive(Debug)]
pub(super) struct AdrHeadings {
    keys: KeyHeadings,
    background: KeyHeadings,
}

impl AdrHeadings {
    pub(super) fn of(excerpt: &Excerpt) -> Self {
        let (mut keys, mut background) = (Vec::new(), Vec::new());
        for heading in &excerpt.headings {
            let name = words(heading).join(" ");
            let chosen = if name == "context" { &mut background } else { &mut keys };
            chosen.push(heading.clone());
            chosen.extend(WORDS.of(&format!("alias_of_{name}")).iter().map(|alias| (*alias).to_owned()));
        }
        Self { keys: KeyHeadings::new(&keys), background: KeyHeadings::new(&background) }
    }
}

/// A Markdown text with a chunk for each of its blocks.
pub(super) struct MarkedText<'t> {
    markdown: &'t Outline,
    text: &'t Clean,
    pub(super) chunks: Vec<Chunk>,
}

impl<'t> MarkedText<'t> {
    /// Creates chunks of normal weight, except that lists of contents and badges are boilerplate.
    pub(super) fn new(markdown: &'t Outline, text: &'t Clean) -> Self {
        let chunk = |block: &Block| Chunk {
            heading: block.heading.is_some() || is_bold_line(block, text),
            fence: block.fence.clone().filter(|fence| fence.len() <= MAX_FENCE),
            ..Chunk::new(block.range.clone())
        };
        let mut chunks: Vec<Chunk> = markdown.blocks.iter().map(chunk).collect();
        for block in boilerplate(markdown, text) {
            chunks[block].weight = ChunkWeight::Boilerplate;
        }
        Self { markdown, text, chunks }
    }

    pub(super) fn mark_sections(&mut self, wanted: impl Fn(&str) -> bool) -> bool {
        let Self { markdown, text, chunks } = self;
        let mut found = false;
        for section in sections(markdown, text, wanted) {
            // A heading with nothing below it says nothing.
            let has_text = |block: &Block| block.heading.is_none() && !is_comment(&text[block.range.clone()]);
            if chunks[section.start].heading && !markdown.blocks[section.clone()][1..].iter().any(has_text) {
                continue;
            }
            found = true;
            chunks[section.clone()].iter_mut().for_each(|chunk| mark(chunk, ChunkWeight::Key));
            mark(&mut chunks[section.start], ChunkWeight::Core);
        }
        self.unmark_bare_headings();
        found
    }

    /// Takes the mark of headings without marked text below them, so that no excerpt has a heading alone.
    fn unmark_bare_headings(&mut self) {
        let mut has_text = false;
        for chunk in self.chunks.iter_mut().rev() {
            if is_comment(&self.text[chunk.range.clone()]) {
                continue;
            }
            if chunk.heading && chunk.weight >= ChunkWeight::Key && !has_text {
                chunk.weight = ChunkWeight::Normal;
            }
            has_text = chunk.weight >= ChunkWeight::Key;
        }
    }

    /// Marks the title as core: a heading that begins the text, with all others below its level.
    pub(super) fn mark_title(&mut self) {
        let Self { markdown, text, chunks } = self;
        let Some(heading) = markdown.headings.first() else { return };
        let is_first = |block: &Block| block.heading.is_some() || block.prose;
        let begins = markdown.blocks.iter().position(is_first) == Some(heading.block);
        let above = &text[..markdown.blocks[heading.block].range.start];
        let is_title = markdown.headings[1..].iter().all(|other| other.level > heading.level);
        if begins && is_title && (above.trim().is_empty() || front_matter(text).is_some()) {
            mark(&mut chunks[heading.block], ChunkWeight::Core);
        }
    }

    /// Marks the opening as core: the first paragraphs and lists, and the headings directly above them.
    pub(super) fn mark_opening(&mut self) {
        let Self { markdown, text, chunks } = self;
        let opens = |(index, block): (usize, &Block)| block.prose && chunks[index].weight != ChunkWeight::Boilerplate;
        let Some(first) = markdown.blocks.iter().enumerate().position(opens) else { return };
        let above = markdown.blocks[..first].iter().rev().take(MAX_HEADINGS_ABOVE);
        let above = above.take_while(|block| block.heading.is_some()).count();
        chunks[first - above..first].iter_mut().for_each(|chunk| mark(chunk, ChunkWeight::Core));
        let mut left = OPENING;
        for (chunk, block) in chunks[first..].iter_mut().zip(&markdown.blocks[first..]) {
            let size = text[chunk.range.clone()].len();
            if !block.prose || left == 0 || size > left && left < OPENING {
                break;
            }
            if chunk.weight < ChunkWeight::Key {
                mark(chunk, ChunkWeight::Core);
            }
            left = left.saturating_sub(size);
        }
    }

    /// Marks the lists with open boxes of a text in which others are ticked: what is left to do, with the headings above.
    pub(super) fn mark_open_boxes(&mut self) {
        let Self { markdown, chunks, .. } = self;
        let mut heading = None;
        for (at, block) in markdown.blocks.iter().enumerate().filter(|_| markdown.boxes.0 > 0) {
            heading = block.heading.map(|_| at).or(heading);
            let marked = [Some(at), heading].into_iter().flatten().filter(|_| block.open_box);
            marked.for_each(|at| mark(&mut chunks[at], ChunkWeight::Key));
        }
    }

    /// Marks the excerpt of an ADR: its title and the configured headings, else its first lines.
    pub(super) fn mark_adr(&mut self, excerpt: &Excerpt, AdrHeadings { keys, background }: &AdrHeadings) {
        let has_context = self.mark_sections(|title| background.contain(title) && !keys.contain(title));
        for chunk in self.chunks.iter_mut().filter(|chunk| chunk.weight > ChunkWeight::Normal) {
            chunk.weight = ChunkWeight::Background;
        }
        if !self.mark_sections(|title| keys.contain(title)) && !has_context {
            self.chunks.iter_mut().for_each(|chunk| mark(chunk, ChunkWeight::Key));
            self.mark_opening();
        }
        let most = excerpt.max_lines as usize;
        let left = limit_lines(&mut self.chunks, self.text, most, |weight| weight >= ChunkWeight::Key);
        limit_lines(&mut self.chunks, self.text, left, |weight| weight == ChunkWeight::Background);
        self.unmark_bare_headings();
        self.mark_title();
    }

    /// Orders the sections of a done item: what came of it, the rest, its criteria if all of them are ticked. Beside an `outcome`
    /// logs of the work are boilerplate, and come last.
    pub(super) fn order_settled(&mut self, outcome: bool, [results, criteria, logs]: [&KeyHeadings; 3]) {
        let Self { markdown, text, chunks } = self;
        let mut places = vec![1_u8; chunks.len()];
        for section in sections(markdown, text, |title| criteria.contain(title)) {
            let below = &text[markdown.blocks[section.start].range.start..markdown.blocks[section.end - 1].range.end];
            let ticked = below.contains("[x]") || below.contains("[X]");
            places[section].fill(if ticked && !below.contains("[ ]") { 2 } else { 1 });
        }
        for section in sections(markdown, text, |title| outcome && logs.contain(title)) {
            chunks[section.clone()].iter_mut().for_each(|chunk| chunk.weight = ChunkWeight::Boilerplate);
            places[section].fill(3);
        }
        let title = usize::from(markdown.headings.first().is_some_and(|first| first.level == 1 && first.block == 0));
        // Text without a heading would pass for the outcome.
        if chunks.get(title).is_some_and(|next| next.heading) {
            sections(markdown, text, |title| results.contain(title)).into_iter().for_each(|it| places[it].fill(0));
            places[..title].fill(0);
        }
        let mut all: Vec<_> = std::mem::take(chunks).into_iter().zip(places).collect();
        all.sort_by_key(|(_, place)| *place);
        chunks.extend(all.into_iter().map(|(chunk, _)| chunk));
    }
}

/// Moves chunks so that the byte `range` begins the text, and drops what lies outside of it.
pub(super) fn within(chunks: Vec<Chunk>, range: &Range<usize>) -> Vec<Chunk> {
    let inside = |at: usize| at.clamp(range.start, range.end) - range.start;
    let moved =
        chunks.into_iter().map(|chunk| Chunk { range: inside(chunk.range.start)..inside(chunk.range.end), ..chunk });
    moved.filter(|chunk| !chunk.range.is_empty()).collect()
}

/// Returns the sections whose titles are `wanted`, below headings and lines in bold, as ranges of blocks.
pub(super) fn sections(markdown: &Outline, text: &str, wanted: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
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
        let rest = if is_bold_line(block, text) { &markdown.blocks[index + 1..] } else { &[] };
        found.push(index..index + 1 + rest.iter().take_while(|next| !ends(next)).count());
    }
    found
}

/// Returns the title of a paragraph whose first line is in bold as a whole: `**Acceptance criteria:**`.
fn bold_title<'t>(block: &Block, text: &'t str) -> Option<&'t str> {
    let text = text.get(block.range.clone()).filter(|text| block.prose && text.starts_with(['*', '_']))?;
    let line = text.lines().next()?.trim_end().trim_end_matches([':', '：']);
    let inside = ["**", "__"].into_iter().find_map(|mark| line.strip_prefix(mark)?.strip_suffix(mark))?;
    let title = inside.trim().trim_end_matches([':', '：']);
    let is_title = !title.is_empty() && title.len() <= MAX_BOLD_HEADING && !title.contains(['*', '`']);
    (is_title && !title.ends_with(['.', '!', ','])).then_some(title)
}

fn is_bold_line(block: &Block, text: &str) -> bool {
    bold_title(block, text).is_some() && text[block.range.clone()].trim_end().lines().count() == 1
}

fn mark(chunk: &mut Chunk, weight: ChunkWeight) {
    if chunk.weight != ChunkWeight::Boilerplate {
        chunk.weight = chunk.weight.max(weight);
    }
}

/// Limits the text of some weights to its first `lines` lines, and returns how many of them are left.
fn limit_lines(chunks: &mut Vec<Chunk>, text: &str, lines: usize, limited: impl Fn(ChunkWeight) -> bool) -> usize {
    let (mut left, mut index) = (lines, 0);
    while index < chunks.len() {
        if limited(chunks[index].weight) {
            let part = &text[chunks[index].range.clone()];
            let count = part.trim_end().lines().count();
            if count > left {
                let kept = part.match_indices('\n').nth(left.wrapping_sub(1)).map_or(0, |(at, _)| at + 1);
                keep_beginning(chunks, index, kept);
            }
            left = left.saturating_sub(count);
        }
        index += 1;
    }
    left
}

/// Divides a chunk after its first `kept` bytes, if both parts have some, and gives the second one a weight.
fn divide(chunks: &mut Vec<Chunk>, index: usize, kept: usize, weight: ChunkWeight) -> bool {
    let range = chunks[index].range.clone();
    if kept == 0 || kept >= range.len() {
        return false;
    }
    chunks[index].range.end = range.start + kept;
    let rest = Chunk { weight, range: range.start + kept..range.end, ..chunks[index].clone() };
    chunks.insert(index + 1, rest);
    true
}

fn keep_beginning(chunks: &mut Vec<Chunk>, index: usize, kept: usize) {
    if kept < chunks[index].range.len() && !divide(chunks, index, kept, ChunkWeight::Normal) {
        chunks[index].weight = ChunkWeight::Normal;
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ExcerptSize {
    /// The beginnings of all key sections together, and the least and the most of one.
    core: (usize, usize, usize),
    /// The same for their sections.
    key: (usize, usize, usize),
}

impl ExcerptSize {
    /// The excerpt of a neighbour, a document or a comment.
    pub(super) const NEIGHBOUR: Self = Self { core: (1_500, 150, 600), key: (3_000, 400, 3_000) };
    pub(super) const ROOT: Self = Self { key: (usize::MAX, usize::MAX, usize::MAX), ..Self::NEIGHBOUR };
}

/// Divides each key section: its beginning is core, and what is beyond the section's share of the excerpt is no part of it.
pub(super) fn limit_sections(chunks: &mut Vec<Chunk>, text: &str, size: ExcerptSize) {
    let sections = chunks.iter().filter(|chunk| chunk.heading && chunk.weight == ChunkWeight::Core).count();
    let of_one = |(all, least, most): (usize, usize, usize)| (all / sections.max(1)).clamp(least, most);
    let [core, key] = [size.core, size.key].map(of_one);
    // The size of the section so far, and the headings that become core with the text below them.
    let (mut used, mut bare, mut index) = (0_usize, 0, 0);
    while index < chunks.len() {
        let Chunk { weight, heading, ref range, .. } = chunks[index];
        let (before, size) = (used, range.len());
        let kept = |most: usize| beginning(&chunks[index], &text[range.clone()], most);
        match (weight, heading) {
            (ChunkWeight::Core, true) => used = 0,
            (ChunkWeight::Core, false) => {
                let kept = kept(OPENING.saturating_sub(used));
                used += kept;
                keep_beginning(chunks, index, kept);
            }
            (ChunkWeight::Key, true) => {
                used += size;
                if used > key {
                    chunks[index].weight = ChunkWeight::Normal;
                }
            }
            (ChunkWeight::Key, false) if before < core => {
                let kept = kept(core - before);
                if kept == size || divide(chunks, index, kept, ChunkWeight::Key) {
                    used = before + kept;
                    chunks[index - bare..=index].iter_mut().for_each(|chunk| chunk.weight = ChunkWeight::Core);
                } else {
                    used = core.max(before + size);
                }
            }
            (ChunkWeight::Key, false) => {
                used += size;
                if used > key {
                    let kept = kept(key.saturating_sub(before));
                    keep_beginning(chunks, index, kept);
                }
            }
            _ => {}
        }
        bare = if weight == ChunkWeight::Key && heading { bare + 1 } else { 0 };
        index += 1;
    }
}

/// Returns how much of a chunk is at most `most` long, up to a line, a sentence or a word. Code is never divided.
fn beginning(chunk: &Chunk, text: &str, most: usize) -> usize {
    // What is nearly all of it is all of it.
    if text.trim_end().len() <= most + most / 4 {
        return text.len();
    }
    if chunk.fence.is_some() {
        return 0;
    }
    let ends = breaks(&text[..text.floor_char_boundary(most)]);
    ends.into_iter().find(|end| *end > most / 2).unwrap_or(0)
}

/// Returns whether a block is a template's comment or marker, which readers on GitHub do not see.
pub(super) fn is_comment(block: &str) -> bool {
    let mut rest = block.trim();
    if !rest.starts_with("<!--") {
        return false;
    }
    while let Some(comment) = rest.strip_prefix("<!--") {
        let Some(end) = comment.find("-->") else { return false };
        rest = comment[end + 3..].trim_start();
    }
    rest.is_empty()
}

static IMAGE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)\[?!\[.*?\]\(([^)]*)\)(?:\]\([^)]*\))?").ok());

/// Returns the blocks that list the contents of their own text, hold badges alone, or define RFC 2119's key words.
pub(super) fn boilerplate(markdown: &Outline, text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut in_toc = false;
    let is_contents_title = |title: &str| WORDS.has("contents_title", &words(title).join(" "));
    let has_contents_title =
        |heading: Option<usize>| heading.is_some_and(|heading| is_contents_title(&markdown.headings[heading].title));
    for (index, block) in markdown.blocks.iter().enumerate() {
        let part = text.get(block.range.clone()).unwrap_or_default();
        if is_comment(part) {
            let comment = part.trim().trim_start_matches("<!--").trim().to_ascii_lowercase();
            let is = |list: &str| WORDS.of(list).iter().any(|mark| comment.starts_with(mark));
            if is("contents_end") {
                in_toc = false;
            } else if is("contents_begin") {
                in_toc = text[block.range.end..].contains("<!--");
            }
            continue;
        }
        // A heading ends a list of contents without a closing comment, unless it is the list's own.
        in_toc = in_toc && (block.heading.is_none() || has_contents_title(block.heading));
        if in_toc && block.heading.is_none() || is_contents(part) || is_badges(part) || is_key_words(part) {
            found.push(index);
        }
    }
    // The heading of a list of contents leaves with it.
    let above = |index: &usize| {
        let above = index.checked_sub(1)?;
        let is_alone = markdown.blocks.get(index + 1).is_none_or(|next| next.heading.is_some());
        (is_alone && has_contents_title(markdown.blocks[above].heading)).then_some(above)
    };
    found.extend(found.iter().filter_map(above).collect::<Vec<_>>());
    found.sort_unstable();
    found
}

/// Returns whether a block is a list of links to anchors: three lines or more, nine of ten with nothing but such a link.
fn is_contents(block: &str) -> bool {
    if !block.contains("](#") {
        return false;
    }
    let lines = block.lines().map(str::trim).filter(|line| !line.is_empty());
    let (count, links) = (lines.clone().count(), lines.filter(|line| is_anchor_entry(line)).count());
    links >= 3 && links * 10 >= count * 9
}

/// Returns whether a line is `- [Title](#anchor)` with at most a short remark.
fn is_anchor_entry(line: &str) -> bool {
    let entry = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let entry = entry.trim_start_matches(['-', '*', '+', '.', ')']).trim_start();
    let Some((title, rest)) = entry.strip_prefix('[').and_then(|rest| rest.split_once("](#")) else { return false };
    let Some((_, after)) = rest.split_once(')') else { return false };
    title.len() <= 300 && after.trim().len() <= 20
}

/// Returns whether a block is the sentence that RFC 2119 asks for, which every reader of such texts knows.
fn is_key_words(block: &str) -> bool {
    const LONGEST: usize = 600;
    let block = block.trim_start();
    block.len() <= LONGEST
        && block.starts_with("The key words")
        && ["RFC 2119", "RFC2119"].iter().any(|rfc| block.contains(rfc))
}

/// Returns whether a block consists of linked or plain images alone, at least one of them of a badge service or a build.
fn is_badges(block: &str) -> bool {
    let block = block.trim();
    let Some(image) = IMAGE.as_ref().filter(|_| block.starts_with(['!', '['])) else { return false };
    let is_badge = |url: &str| WORDS.of("badge_address").iter().any(|part| url.to_ascii_lowercase().contains(part));
    image.captures_iter(block).any(|image| is_badge(&image[1])) && image.replace_all(block, "").trim().is_empty()
}

/// The most characters before the end of a text in which a sentence or a word is looked for.
const MOST_LOOKED_BACK: usize = 400;

/// Returns the last ends of a line, a sentence and a word in `text`, each 0 if there is none nearby.
pub(super) fn breaks(text: &str) -> [usize; 3] {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let (mut sentence, mut word) = (0, 0);
    for (at, c) in text[line..].char_indices().rev().take(MOST_LOOKED_BACK).map(|(at, c)| (line + at, c)) {
        if c.is_whitespace() && word == 0 {
            word = at + c.len_utf8();
        }
        if matches!(c, '。' | '！' | '？') || c.is_whitespace() && ends_sentence(&text[..at]) {
            sentence = at + c.len_utf8();
            break;
        }
    }
    [line, sentence.max(line), word.max(line)]
}

/// Returns whether `text` ends with a sentence, not with the number of a list's entry.
fn ends_sentence(text: &str) -> bool {
    text.ends_with(['!', '?'])
        || text.strip_suffix('.').is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_digit() || c == '.'))
}
