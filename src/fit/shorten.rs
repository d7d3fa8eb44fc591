//! Shortening of a text to the room that is left for it.

use super::count::{Amount, Counter};
use super::level::DetailLevel;
use crate::redact::Clean;
use crate::select::{ChunkWeight, Passage, Rounding, SectionBody, Size};

/// The percentage of the tokens that fit which a rounded cut must keep.
const MIN_KEPT_PERCENT: u64 = 97;

/// The chunks of a passage that are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Those of one weight from the end, with all weightier and no lighter ones, if at least so many characters of them
    /// stay below their headings.
    Weight { weight: ChunkWeight, least: u64 },
    /// All, from the end.
    Tail,
}

/// The weights of chunks in the order of cutting, each with the level of detail whose text has only weightier ones.
const WEIGHTS: [(ChunkWeight, DetailLevel); 5] = [
    (ChunkWeight::Boilerplate, DetailLevel::Lean),
    (ChunkWeight::Normal, DetailLevel::Excerpt),
    (ChunkWeight::Background, DetailLevel::Brief),
    (ChunkWeight::Key, DetailLevel::Brief),
    (ChunkWeight::Core, DetailLevel::Pointer),
];

/// The least characters of text below its headings with which a part of the core says more than a pointer.
const MIN_TEXT: u64 = 80;

/// The most attempts to find the right number of tokens.
const MAX_ATTEMPTS: usize = 12;

/// The part of the room for tokens that may stay unused: one in this many.
const MAX_SLACK: u64 = 250;

/// Returns the longest text of `body` between two levels that fits `room`, and the name of its detail.
///
/// `None` if nothing longer than the lower level fits. A part of the excerpt is
/// named `excerpt`, a longer text `truncated`.
pub(super) fn between(
    body: &SectionBody,
    upper: DetailLevel,
    lower: DetailLevel,
    tail: bool,
    room: Amount,
    counter: &Counter,
) -> Option<(Clean, &'static str)> {
    let name = if lower == DetailLevel::Pointer && upper == DetailLevel::Excerpt { "excerpt" } else { "truncated" };
    match body {
        // Half an outline would pass for all of it.
        SectionBody::Whole(_) | SectionBody::Levels(_) => None,
        SectionBody::Passage(passage, _) if tail => Some((shorten(passage, Cut::Tail, room, counter)?, "truncated")),
        SectionBody::Passage(passage, pointer) => {
            let weights = WEIGHTS.iter().filter(|(_, level)| upper < *level && *level <= lower);
            weights.into_iter().find_map(|(weight, level)| {
                let least = if *weight == ChunkWeight::Core { MIN_TEXT } else { 0 };
                let text = shorten(passage, Cut::Weight { weight: *weight, least }, room, counter)?;
                let is_part = *level < DetailLevel::Pointer || text.len() > pointer.len();
                let name = if *level > DetailLevel::Excerpt { "excerpt" } else { "truncated" };
                is_part.then_some((text, name))
            })
        }
        SectionBody::Json(json) => {
            let text = within(room, counter, |size, _| json.fit(size).map(|cut| json.text(cut)), &json.full());
            Some((text?, name))
        }
        SectionBody::Edges(edges) => {
            let whole = edges.text(edges.len());
            let text = within(room, counter, |size, _| edges.fit(size).map(|count| edges.text(count)), &whole);
            Some((text?, name))
        }
    }
}

/// Returns the longest cut of `passage` that fits `room`.
pub(super) fn shorten(passage: &Passage, cut: Cut, room: Amount, counter: &Counter) -> Option<Clean> {
    let at = |size: Size, rounding: Rounding| match cut {
        Cut::Tail => passage.fit_prefix(size, rounding).filter(|at| *at > 0).map(|at| passage.cut_prefix(at)),
        Cut::Weight { weight, least } => {
            let says_enough = |at: &usize| least == 0 || passage.kept_text(weight, *at) >= least;
            passage.fit(weight, size, rounding).filter(says_enough).map(|at| passage.cut(weight, at))
        }
    };
    within(room, counter, at, passage.full())
}

/// Returns the longest text of `passage` that fits `room` and keeps what is cut last.
pub(super) fn shorten_root(passage: &Passage, room: Amount, counter: &Counter) -> Option<Clean> {
    WEIGHTS.iter().find_map(|(weight, _)| shorten(passage, Cut::Weight { weight: *weight, least: 0 }, room, counter))
}

/// Returns the longest text of the family `at` within `room`.
///
/// A cut is rounded by characters. If the part that rounding drops is dense in tokens, such as a line of symbols after
/// much prose, the exact cut is taken instead.
fn within(
    room: Amount,
    counter: &Counter,
    at: impl Fn(Size, Rounding) -> Option<Clean>,
    whole: &Clean,
) -> Option<Clean> {
    let nice = search(room, counter, |size| at(size, Rounding::Nice), whole)?;
    let keeps =
        || u128::from(counter.measure(&nice).tokens) * 100 >= u128::from(room.tokens) * u128::from(MIN_KEPT_PERCENT);
    if room.tokens == u64::MAX || keeps() {
        return Some(nice);
    }
    let exact = search(room, counter, |size| at(size, Rounding::None), whole);
    Some(exact.filter(|exact| exact.len() > nice.len()).unwrap_or(nice))
}

/// Returns the longest text of the family `at` within `room`, or nearly so.
///
/// Characters and bytes are exact. Tokens are met by asking for fewer characters until they fit, starting from the ratio
/// of the two in `whole`.
fn search(room: Amount, counter: &Counter, at: impl Fn(Size) -> Option<Clean>, whole: &Clean) -> Option<Clean> {
    let first = at(room.size())?;
    if room.tokens == u64::MAX || counter.measure(&first).tokens <= room.tokens {
        return Some(first);
    }
    let all = counter.measure(whole);
    let (mut low, mut high) = (0, room.chars.min(all.chars));
    let mut guess = scale(room.tokens, all.chars, all.tokens.max(1)).clamp(1, high);
    // Cuts are rounded to blocks and lines, so a small step may change nothing: each is twice the one before.
    let mut step = guess / 64 + 1;
    let mut best = None;
    for _ in 0..MAX_ATTEMPTS {
        let text = at(Size { chars: guess, bytes: room.bytes });
        let tokens = text.as_ref().map_or(0, |text| counter.measure(text).tokens);
        let by_ratio = if tokens == 0 { u64::MAX } else { scale(guess, room.tokens, tokens) };
        if tokens > room.tokens {
            high = guess;
            guess = by_ratio.min(guess.saturating_sub(step));
            step = step.saturating_mul(2);
        } else {
            low = guess;
            guess = by_ratio;
            if text.is_some() {
                best = text;
                if room.tokens - tokens <= room.tokens / MAX_SLACK {
                    break;
                }
            }
        }
        if high - low <= 1 {
            break;
        }
        if guess <= low || guess >= high {
            guess = low + (high - low) / 2;
        }
    }
    best
}

/// Computes `value × numerator ÷ denominator` without overflow.
fn scale(value: u64, numerator: u64, denominator: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(numerator) / u128::from(denominator)).unwrap_or(u64::MAX)
}
