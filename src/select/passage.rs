//! Texts that can be cut: their chunks, excerpt, and the longest cut that fits a given size.

use super::amount::longest;
use super::origins::TextOrigin;
use super::outline::{Chunk, ChunkWeight, ExcerptSize, MarkedText, breaks, is_comment, limit_sections};
use super::{Amount, Counter};
use crate::graph::Outline;
use crate::model::floor_cluster;
use crate::redact::{Clean, CleanBuf};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A text with its chunks. Without a weight all chunks of a cut count as one.
///
/// The position of a cut only grows with the available room, so that a larger budget never removes text.
#[derive(Debug)]
pub struct Passage {
    text: Clean,
    chunks: Vec<Chunk>,
    /// Where the rest can be read, for the marks of omission.
    place: Clean,
    chars: u64,
    /// What is above each weight, once it was asked for.
    above: [OnceLock<Option<Clean>>; 5],
    /// The sizes of the whole text and of what is above each weight, like those of its chunks.
    amounts: [OnceLock<Amount>; 6],
    /// What a cut is computed from, once one was asked for: all packs of a profile have one counter.
    sizes: OnceLock<PassageSizes>,
}

#[derive(Debug)]
struct PassageSizes {
    chunks: Vec<Amount>,
    gap: Amount,
    /// The most that the last mark and a closing fence add: the cost of a cut depends on its position alone.
    tail: Amount,
}

fn count(text: &str) -> u64 {
    Amount::of(text).chars
}

fn order(chunk: &Chunk, weight: Option<ChunkWeight>) -> Ordering {
    weight.map_or(Ordering::Equal, |weight| chunk.weight.cmp(&weight))
}

const GAP: &str = "[…]";
const BREAK: &str = "\n\n";
const MIN_KEPT_PERCENT: u64 = 97;
/// The most headings in a row that leave with the text below them: more have no text of their own.
const MAX_BARE_HEADINGS: usize = 3;

impl Passage {
    /// Creates a passage over `text`; its marks of omission name `place`.
    pub fn new(text: Clean, chunks: Vec<Chunk>, place: Clean) -> Self {
        debug_assert_eq!(chunks.last().map_or(0, |chunk| chunk.range.end), text.len());
        let chars = count(&text);
        let (above, amounts, sizes) = Default::default();
        Self { text, chunks, place, chars, above, amounts, sizes }
    }

    pub fn full(&self) -> &Clean {
        &self.text
    }

    pub fn full_chars(&self) -> u64 {
        self.chars
    }

    /// Returns the chunks above a weight; `None` if that is not shorter than all, or would be a core without text.
    pub fn above(&self, weight: ChunkWeight) -> Option<&Clean> {
        let shorten = || {
            let is_core_text = |chunk: &Chunk| chunk.weight == ChunkWeight::Core && !chunk.heading;
            let is_empty = weight == ChunkWeight::Key && !self.chunks.iter().any(is_core_text);
            if is_empty || self.chunks.iter().all(|chunk| chunk.weight > weight) {
                return None;
            }
            let text = self.cut(Some(weight), 0);
            (text.len() < self.text.len() && count(&text) < self.chars).then_some(text)
        };
        self.above[weight as usize].get_or_init(shorten).as_ref()
    }

    /// Measures the whole text, or what is above a weight; `None` as [`Passage::above`].
    pub fn amount(&self, weight: Option<ChunkWeight>, counter: &Counter) -> Option<Amount> {
        let text = weight.map_or(Some(&self.text), |weight| self.above(weight))?;
        let known = &self.amounts[weight.map_or(0, |weight| 1 + weight as usize)];
        Some(*known.get_or_init(|| counter.measure(text)))
    }

    /// Returns the chunks of `weight` before byte `at`, and all weightier ones.
    pub fn cut(&self, weight: Option<ChunkWeight>, at: usize) -> Clean {
        let part = |chunk: &Chunk| match order(chunk, weight) {
            Ordering::Greater => Some(chunk.range.clone()),
            Ordering::Equal => Some(chunk.range.start..chunk.range.end.min(at)),
            Ordering::Less => None,
        };
        let mut groups: Vec<Range<usize>> = Vec::new();
        for range in self.chunks.iter().filter_map(part).filter(|range| !range.is_empty()) {
            match groups.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => groups.push(range),
            }
        }
        self.join(&groups, at)
    }

    /// Returns the number of characters that [`Passage::cut`] keeps of chunks of `weight` which are no headings.
    pub fn kept_text(&self, weight: ChunkWeight, at: usize) -> u64 {
        let texts =
            self.chunks.iter().filter(|chunk| chunk.weight == weight && !chunk.heading && chunk.range.start < at);
        texts.map(|chunk| count(self.text[chunk.range.start..chunk.range.end.min(at)].trim())).sum()
    }

    /// Returns the last position whose cut is no larger than `room`; `None` if not even position 0 fits.
    ///
    /// A gap before the position may not be marked, so that a later position may cost less.
    pub fn fit(&self, weight: Option<ChunkWeight>, room: Amount, counter: &Counter) -> Option<usize> {
        let orders: Vec<Ordering> = self.chunks.iter().map(|chunk| order(chunk, weight)).collect();
        let PassageSizes { chunks, gap, tail } = self.sizes.get_or_init(|| self.sizes(counter));
        let gap = *gap;
        let heavier = (0..orders.len()).filter(|index| orders[*index].is_gt()).map(|index| chunks[index]);
        let heavier = heavier.fold(Amount::default(), Amount::plus);
        let gaps = orders.windows(2).filter(|pair| pair[0].is_le() && pair[1].is_gt());
        let mut cost = gaps.map(|_| gap).fold(tail.plus(heavier), Amount::plus);
        if !cost.fits(room) {
            return None;
        }
        let (mut kept, mut left, mut spent) = (0, room.minus(cost), heavier);
        let mut sum = heavier;
        for index in (0..orders.len()).filter(|index| orders[*index].is_eq()) {
            let size = chunks[index];
            sum = sum.plus(size);
            cost = cost.plus(size);
            // Lighter chunks leave a gap of their own before this one, and keep the one after it.
            if index > 0 && orders[index - 1].is_lt() {
                cost = cost.plus(gap);
            }
            if orders.get(index + 1).is_some_and(|next| next.is_gt()) {
                cost = cost.minus(gap);
            }
            if cost.fits(room) {
                (kept, left, spent) = (index + 1, room.minus(cost), sum);
            }
        }
        let Some(next) = (kept..orders.len()).find(|index| orders[*index].is_eq()) else {
            return Some(self.text.len());
        };
        let before_gap = next > 0 && orders[next - 1].is_lt();
        let left = if before_gap { left.minus(gap) } else { left };
        let chunk = &self.chunks[next];
        let text = &self.text[chunk.range.clone()];
        let at = round_down(text, prefix(text, left, counter), spent, counter);
        let at = chunk.range.start + floor_cluster(text, at);
        if at > chunk.range.start && !chunk.heading && !chunk.unbroken {
            return Some(at);
        }
        // No heading stays without text: the headings directly before leave, too.
        let above = (0..next).rev().take(MAX_BARE_HEADINGS);
        let above = above.take_while(|index| self.chunks[*index].heading && orders[*index].is_eq());
        Some(self.chunks[above.last().unwrap_or(next)].range.start)
    }

    fn sizes(&self, counter: &Counter) -> PassageSizes {
        // Blank lines that end the chunk before cover the break after a gap, except for the line end of a heading.
        let gap = [GAP, BREAK, "\n"].map(|part| counter.measure(part));
        let fence = self.chunks.iter().filter_map(|c| c.fence.as_deref()).max_by_key(|fence| fence.chars().count());
        let fence = fence.map_or(Amount::default(), |fence| counter.measure(fence).plus(counter.measure("\n")));
        let tail = counter.measure(&self.marker(self.chars)).plus(counter.measure(BREAK)).plus(fence);
        let chunks = self.chunks.iter().map(|chunk| counter.measure(&self.text[chunk.range.clone()])).collect();
        PassageSizes { chunks, gap: gap.into_iter().fold(Amount::default(), Amount::plus), tail }
    }

    fn marker(&self, omitted: u64) -> Clean {
        let mut marker = CleanBuf::new();
        marker.lit("[… ").number(omitted).lit(" of ").number(self.chars).lit(" characters omitted: ");
        marker.line(&self.place).lit("]").finish()
    }

    /// Joins groups of bytes and marks the gaps; the last mark counts what is omitted.
    fn join(&self, groups: &[Range<usize>], cut: usize) -> Clean {
        let kept_chars: u64 = groups.iter().map(|range| count(&self.text[range.clone()])).sum();
        let omitted = self.chars - kept_chars;
        if omitted == 0 {
            return self.text.clone();
        }
        let is_cut = |chunk: &&Chunk| chunk.range.start < cut && cut < chunk.range.end;
        let fence = self.chunks.iter().find(is_cut).and_then(|chunk| chunk.fence.as_deref());
        let ends_short = groups.last().is_none_or(|last| last.end < self.text.len());
        let starts_late = groups.first().is_some_and(|first| first.start > 0);
        let marker = self.marker(omitted);
        let gap = Clean::literal(GAP);
        // A gap before each group but one that begins the text, and one after the last.
        let last_gap = if ends_short { groups.len() } else { groups.len() - 1 };
        let mut out = CleanBuf::new();
        let add = |out: &mut CleanBuf, text: &Clean, range: Range<usize>| {
            out.lit(if out.is_empty() { "" } else { BREAK }).part(text, range);
        };
        for (index, range) in groups.iter().enumerate() {
            if index > 0 || starts_late {
                let mark = if index == last_gap { &marker } else { &gap };
                add(&mut out, mark, 0..mark.len());
            }
            add(&mut out, &self.text, range.start..range.start + self.text[range.clone()].trim_end().len());
            if let Some(fence) = fence.filter(|_| range.end == cut) {
                out.lit("\n").fence(fence);
            }
        }
        if ends_short {
            add(&mut out, &marker, 0..marker.len());
        }
        out.finish()
    }
}

/// The most bytes of a token in all but white space: where text is cut, no more is tried.
const MAX_TOKEN_BYTES: u64 = 64;

/// Returns the length in bytes of the longest prefix of `text` within `room`, at a character boundary.
fn prefix(text: &str, room: Amount, counter: &Counter) -> usize {
    let by_chars =
        text.char_indices().nth(usize::try_from(room.chars).unwrap_or(usize::MAX)).map_or(text.len(), |(at, _)| at);
    let at = text.floor_char_boundary(by_chars.min(usize::try_from(room.bytes).unwrap_or(usize::MAX)));
    if room.tokens == u64::MAX {
        return at;
    }
    let most = room.tokens.saturating_mul(MAX_TOKEN_BYTES).min(at as u64);
    longest(text, most, |end| counter.measure(&text[..end]).tokens <= room.tokens)
}

/// Returns the best place to cut: before all, after a line, a sentence or a word, the first that keeps nearly all.
fn round_down(text: &str, fits: usize, before: Amount, counter: &Counter) -> usize {
    let kept = |at: usize| before.plus(counter.measure(&text[..at]));
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

/// A text that is put together from parts, with its chunks.
#[derive(Default)]
pub(super) struct PassageBuilder {
    pub(super) text: CleanBuf,
    parts: Vec<Chunk>,
    /// The whole text if it is one part, so that packs share it with the corpus.
    shared: Option<Clean>,
}

impl PassageBuilder {
    pub(super) fn of(text: &Clean, chunks: &[Chunk]) -> Self {
        let mut builder = Self::default();
        builder.append(text, chunks);
        builder
    }

    /// Makes a chunk of the text behind the last one.
    pub(super) fn end_chunk(&mut self, weight: ChunkWeight, heading: bool) {
        let start = self.parts.last().map_or(0, |chunk| chunk.range.end);
        let end = self.text.as_str().len();
        if start < end {
            self.parts.push(Chunk { weight, heading, ..Chunk::new(start..end) });
        }
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

    pub(super) fn section(&mut self, heading: &Clean, text: &Clean, weight: ChunkWeight) {
        self.blank_line();
        self.heading(heading, weight);
        let mut chunks = MarkedText::new(&Outline::read(text), text).chunks;
        chunks.iter_mut().for_each(|chunk| chunk.weight = weight);
        self.append(text, &chunks);
    }

    pub(super) fn heading(&mut self, heading: &Clean, weight: ChunkWeight) {
        self.text.lit("## ").line(heading).lit("\n\n");
        // The heading of a key section stays as long as its beginning.
        self.end_chunk(if weight == ChunkWeight::Key { ChunkWeight::Core } else { weight }, true);
    }

    /// Appends the part of a text that these chunks tile.
    pub(super) fn append(&mut self, text: &Clean, chunks: &[Chunk]) {
        let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else { return };
        let (from, start) = (first.range.start, self.text.as_str().len());
        let text = text.slice(from..last.range.end);
        self.text.text(&text);
        self.shared = (start == 0).then_some(text);
        let moved = |range: &Range<usize>| range.start - from + start..range.end - from + start;
        self.parts.extend(chunks.iter().map(|chunk| Chunk { range: moved(&chunk.range), ..chunk.clone() }));
    }

    pub(super) fn passage(self, origin: &TextOrigin, size: ExcerptSize) -> Arc<Passage> {
        let (text, mut parts) = self.finish();
        limit_sections(&mut parts, &text, size);
        Arc::new(Passage::new(text, parts, origin.place()))
    }

    pub(super) fn finish(mut self) -> (Clean, Vec<Chunk>) {
        let text = self.shared.filter(|shared| shared.len() == self.text.as_str().len());
        (text.unwrap_or_else(|| self.text.finish()), self.parts)
    }
}

/// Returns a text and its chunks without the comments of templates and empty items of task lists.
pub(super) fn without_comments(text: &Clean, parts: Vec<Chunk>) -> (Clean, Vec<Chunk>) {
    let comments = |chunk: &Chunk| is_comment(&text[chunk.range.clone()]);
    let empty_items = |chunk: &Chunk| {
        let part = &text[chunk.range.clone()];
        chunk.fence.is_none() && part.contains('[') && part.lines().any(is_empty_item)
    };
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
        rest.append(&part, &[Chunk { range: 0..part.len(), ..chunk }]);
    }
    rest.finish()
}

/// Returns whether a line is an item of a task list without text: `- [ ]`.
fn is_empty_item(line: &str) -> bool {
    let item = line.trim().strip_prefix(['-', '*', '+']).map(str::trim_start);
    item.is_some_and(|item| matches!(item, "[ ]" | "[x]" | "[X]" | "[]"))
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
