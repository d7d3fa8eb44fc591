//! Texts that can be cut: their chunks, excerpt, and the longest cut that fits a given size.

use super::amount::longest;
use super::{Amount, Ruler};
use crate::model::floor_cluster;
use crate::redact::{Clean, CleanBuf};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// A top-level block of a document, kept or cut as a whole where possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The chunk's bytes in the text; chunks tile the text.
    pub range: Range<usize>,
    /// Its place in the order of cutting.
    pub weight: ChunkWeight,
    /// Whether it is a heading: a cut never falls directly below one, so that no heading stays without text.
    pub heading: bool,
    /// The fence that closes a code block which is cut inside.
    pub fence: Option<String>,
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
    /// Creates a chunk of normal weight that is no heading.
    pub fn new(range: Range<usize>) -> Self {
        Self { range, weight: ChunkWeight::Normal, heading: false, fence: None }
    }
}

/// A text with its chunks.
///
/// It has one family of cuts for each weight, [`Passage::cut`]: the chunks of that weight up to a position, with all
/// weightier ones and no lighter ones. The position only grows with the available room, so that a larger budget never
/// removes text.
#[derive(Debug)]
pub struct Passage {
    text: Clean,
    chunks: Vec<Chunk>,
    place: Clean,
    chars: u64,
    /// What is above each weight, once it was asked for.
    above: [OnceLock<Option<Clean>>; 5],
}

fn count(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

/// The mark of a gap that is not the last one.
const GAP: &str = "[…]";

/// The separator between blocks.
const BREAK: &str = "\n\n";

/// The percentage of the characters that fit which a rounded cut must keep.
const MIN_KEPT_PERCENT: u64 = 97;

/// The most headings in a row that leave with the text below them: more have no text of their own.
const MOST_BARE_HEADINGS: usize = 3;

impl Passage {
    /// Creates a passage over `text`; its marks of omission name `place` as where the rest can be read.
    pub fn new(text: Clean, chunks: Vec<Chunk>, place: Clean) -> Self {
        debug_assert_eq!(chunks.last().map_or(0, |chunk| chunk.range.end), text.len());
        let chars = count(&text);
        Self { text, chunks, place, chars, above: [const { OnceLock::new() }; 5] }
    }

    /// Returns the whole text.
    pub fn full(&self) -> &Clean {
        &self.text
    }

    /// Returns the number of characters of the whole text.
    pub fn full_chars(&self) -> u64 {
        self.chars
    }

    /// Returns the chunks above a weight with the gaps marked; `None` if that is not shorter than the whole text, or if it
    /// would be a core without text.
    pub fn above(&self, weight: ChunkWeight) -> Option<&Clean> {
        let shorten = || {
            let is_core_text = |chunk: &Chunk| chunk.weight == ChunkWeight::Core && !chunk.heading;
            let is_empty = weight == ChunkWeight::Key && !self.chunks.iter().any(is_core_text);
            if is_empty || self.chunks.iter().all(|chunk| chunk.weight > weight) {
                return None;
            }
            let text = self.cut(weight, 0);
            (text.len() < self.text.len() && count(&text) < self.chars).then_some(text)
        };
        self.above[weight as usize].get_or_init(shorten).as_ref()
    }

    /// Returns the chunks of `weight` before byte `at`, and all weightier ones.
    pub fn cut(&self, weight: ChunkWeight, at: usize) -> Clean {
        let part = |chunk: &Chunk| match chunk.weight.cmp(&weight) {
            Ordering::Greater => Some(chunk.range.clone()),
            Ordering::Equal => Some(chunk.range.start..chunk.range.end.min(at)),
            Ordering::Less => None,
        };
        let kept: Vec<Range<usize>> = self.chunks.iter().filter_map(part).filter(|range| !range.is_empty()).collect();
        self.build(&kept, at)
    }

    /// Returns the number of characters that [`Passage::cut`] keeps of chunks of `weight` which are no headings.
    pub fn kept_text(&self, weight: ChunkWeight, at: usize) -> u64 {
        let texts =
            self.chunks.iter().filter(|chunk| chunk.weight == weight && !chunk.heading && chunk.range.start < at);
        texts.map(|chunk| count(self.text[chunk.range.start..chunk.range.end.min(at)].trim())).sum()
    }

    /// Returns everything before byte `at`.
    pub fn cut_prefix(&self, at: usize) -> Clean {
        self.build(std::slice::from_ref(&(0..at)), at)
    }

    /// Returns the last position whose [`Passage::cut_prefix`] is no larger than `room`; `None` if not even the mark of
    /// omission fits.
    pub fn fit_prefix(&self, room: Amount, ruler: &dyn Ruler) -> Option<usize> {
        let mut left = subtract(room, self.tail(ruler))?;
        let mut spent = Amount::default();
        for (index, chunk) in self.chunks.iter().enumerate() {
            let size = self.size(chunk, ruler);
            let Some(rest) = subtract(left, size) else {
                let at = self.inside(chunk, left, spent, ruler);
                return Some(self.below_text(index, at, |_| true));
            };
            left = rest;
            spent = spent.plus(size);
        }
        Some(self.text.len())
    }

    /// Returns the last position whose [`Passage::cut`] of `weight` is no larger than `room`; `None` if not even position 0
    /// fits.
    ///
    /// A gap before the position may not be marked, so a later position may cost less: the last one that fits only
    /// grows with `room`.
    pub fn fit(&self, weight: ChunkWeight, room: Amount, ruler: &dyn Ruler) -> Option<usize> {
        let heavier = self.chunks.iter().filter(|c| c.weight > weight).map(|chunk| self.size(chunk, ruler));
        let heavier = heavier.fold(Amount::default(), Amount::plus);
        let gap = gap(ruler);
        let gaps = self.chunks.windows(2).filter(|pair| pair[0].weight <= weight && pair[1].weight > weight);
        let mut cost = gaps.map(|_| gap).fold(self.tail(ruler).plus(heavier), Amount::plus);
        if !cost.fits(room) {
            return None;
        }
        let (mut kept, mut left, mut spent) = (0, room.minus(cost), heavier);
        let mut sum = heavier;
        for (index, chunk) in self.chunks.iter().enumerate().filter(|(_, chunk)| chunk.weight == weight) {
            let size = self.size(chunk, ruler);
            sum = sum.plus(size);
            cost = cost.plus(size);
            // Lighter chunks leave a gap of their own before this one, and keep the one after it.
            if index > 0 && self.chunks[index - 1].weight < weight {
                cost = cost.plus(gap);
            }
            if self.chunks.get(index + 1).is_some_and(|next| next.weight > weight) {
                cost = cost.minus(gap);
            }
            if cost.fits(room) {
                (kept, left, spent) = (index + 1, room.minus(cost), sum);
            }
        }
        let next = self.chunks[kept..].iter().position(|chunk| chunk.weight == weight).map(|index| kept + index);
        let Some(next) = next else { return Some(self.text.len()) };
        let before_gap = next > 0 && self.chunks[next - 1].weight < weight;
        let left = if before_gap { left.minus(gap) } else { left };
        let at = self.inside(&self.chunks[next], left, spent, ruler);
        Some(self.below_text(next, at, |index| self.chunks[index].weight == weight))
    }

    fn size(&self, chunk: &Chunk, ruler: &dyn Ruler) -> Amount {
        ruler.measure_part(&self.text, chunk.range.clone())
    }

    /// Moves a cut `at` the beginning of a chunk, or inside a heading, back above the headings directly before it, so that
    /// no heading stays without text. `kept` returns which chunks this cut keeps up to its position.
    fn below_text(&self, chunk: usize, at: usize, kept: impl Fn(usize) -> bool) -> usize {
        let inside = at > self.chunks[chunk].range.start;
        if inside && !self.chunks[chunk].heading {
            return at;
        }
        let mut above = self.chunks[chunk].range.start;
        for (index, chunk) in self.chunks[..chunk].iter().enumerate().rev().take(MOST_BARE_HEADINGS) {
            if !chunk.heading || !kept(index) {
                break;
            }
            above = chunk.range.start;
        }
        above
    }

    /// Returns the best position inside a chunk when `room` is left and `spent` of other chunks is kept.
    fn inside(&self, chunk: &Chunk, room: Amount, spent: Amount, ruler: &dyn Ruler) -> usize {
        let text = &self.text[chunk.range.clone()];
        let at = round_down(text, prefix(text, room, ruler), spent, ruler);
        chunk.range.start + floor_cluster(text, at)
    }

    /// Returns the most that the last mark of omission and a closing fence add to a cut: the same for every position, so
    /// that the cost of a cut depends on its position alone.
    fn tail(&self, ruler: &dyn Ruler) -> Amount {
        let fence = self.chunks.iter().filter_map(|c| c.fence.as_deref()).max_by_key(|fence| fence.chars().count());
        let fence = fence.map_or(Amount::default(), |fence| ruler.measure(fence).plus(ruler.measure("\n")));
        ruler.measure(&self.marker(self.chars)).plus(ruler.measure(BREAK)).plus(fence)
    }

    fn marker(&self, omitted: u64) -> Clean {
        let mut marker = CleanBuf::new();
        marker.lit("[… ").number(omitted).lit(" of ").number(self.chars).lit(" characters omitted: ");
        marker.line(&self.place).lit("]").finish()
    }

    /// Joins the kept ranges (in order, adjacent ones as one) and marks the gaps; the last mark counts what is omitted.
    fn build(&self, kept: &[Range<usize>], cut: usize) -> Clean {
        let mut groups: Vec<Range<usize>> = Vec::with_capacity(kept.len());
        for range in kept.iter().filter(|range| !range.is_empty()) {
            match groups.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => groups.push(range.clone()),
            }
        }
        let kept_chars: u64 = groups.iter().map(|range| count(&self.text[range.clone()])).sum();
        let omitted = self.chars - kept_chars;
        if omitted == 0 {
            return self.text.clone();
        }
        let fence =
            self.chunks.iter().find(|c| c.range.start < cut && cut < c.range.end).and_then(|c| c.fence.as_deref());
        let ends_short = groups.last().is_none_or(|last| last.end < self.text.len());
        let starts_late = groups.first().is_some_and(|first| first.start > 0);
        // The gap before each group but one that begins the text, and the one after the last.
        let last_gap = if ends_short { groups.len() } else { groups.len() - 1 };
        let mut out = CleanBuf::new();
        for (index, range) in groups.iter().enumerate() {
            if index > 0 || starts_late {
                self.gap(&mut out, index == last_gap, omitted);
            }
            let text = &self.text[range.clone()];
            let trimmed = text.trim_end().len();
            separate(&mut out);
            out.part(&self.text, range.start..range.start + trimmed);
            if range.end == cut
                && let Some(fence) = fence
            {
                out.lit("\n").fence(fence);
            }
        }
        if ends_short {
            self.gap(&mut out, true, omitted);
        }
        out.finish()
    }

    fn gap(&self, out: &mut CleanBuf, last: bool, omitted: u64) {
        separate(out);
        if last {
            out.text(&self.marker(omitted));
        } else {
            out.lit(GAP);
        }
    }
}

fn separate(out: &mut CleanBuf) {
    if !out.is_empty() {
        out.lit(BREAK);
    }
}

/// Returns the size of a gap that is not the last one.
///
/// The break after it is covered by the blank lines that end the chunk before, except for the single line end of a
/// heading.
fn gap(ruler: &dyn Ruler) -> Amount {
    ruler.measure(GAP).plus(ruler.measure(BREAK)).plus(ruler.measure("\n"))
}

fn subtract(room: Amount, cost: Amount) -> Option<Amount> {
    cost.fits(room).then(|| room.minus(cost))
}

/// The most bytes of a token in all but white space: where text is cut, no more is tried.
const MAX_TOKEN_BYTES: u64 = 64;

/// Returns the length in bytes of the longest prefix of `text` within `room`, at a character boundary.
fn prefix(text: &str, room: Amount, ruler: &dyn Ruler) -> usize {
    let by_chars =
        text.char_indices().nth(usize::try_from(room.chars).unwrap_or(usize::MAX)).map_or(text.len(), |(at, _)| at);
    let at = text.floor_char_boundary(by_chars.min(usize::try_from(room.bytes).unwrap_or(usize::MAX)));
    if room.tokens == u64::MAX {
        return at;
    }
    let most = room.tokens.saturating_mul(MAX_TOKEN_BYTES).min(at as u64);
    longest(text, most, |end| ruler.measure(&text[..end]).tokens <= room.tokens)
}

/// Returns the best place to cut at or before `fits`: the beginning of the chunk, after a line, a sentence or a word, else
/// `fits`: the first of them that keeps nearly all that fits in every unit. `before` of other chunks is kept in any case.
fn round_down(text: &str, fits: usize, before: Amount, ruler: &dyn Ruler) -> usize {
    let kept = |at: usize| before.plus(ruler.measure(&text[..at]));
    let whole = kept(fits);
    let keeps = |kept: u64, whole: u64| kept.saturating_mul(100) >= whole.saturating_mul(MIN_KEPT_PERCENT);
    let [line, sentence, word] = breaks(&text[..fits]);
    let mut ends = [0, line, sentence, word].into_iter();
    let nice = ends.find(|at| {
        let kept = kept(*at);
        keeps(kept.chars, whole.chars) && keeps(kept.tokens, whole.tokens)
    });
    nice.unwrap_or(fits)
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
