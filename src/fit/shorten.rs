//! Shortening of a text to the room that is left for it.

use super::count::{Amount, Counter};
use super::level::DetailLevel;
use crate::redact::{Clean, CleanBuf};
use crate::select::{Passage, Rounding, SectionBody, Size};

/// The percentage of the tokens that fit which a rounded cut must keep.
const MIN_KEPT_PERCENT: u64 = 97;

/// The order in which the parts of a passage are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Cuts boilerplate from the end, then other chunks, and key chunks only after all of them.
    KeepKeys,
    /// Cuts boilerplate from the end.
    AboveLean,
    /// Cuts other chunks from the end, down to the excerpt.
    AboveExcerpt,
    /// Cuts the excerpt from its end, down to the pointer.
    AbovePointer,
    /// Cuts the text from its end, key chunks or not.
    Tail,
}

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
        SectionBody::Whole(_) | SectionBody::Code(_) => None,
        SectionBody::Passage(passage, _) if tail => {
            Some((shorten(passage, None, Cut::Tail, room, counter)?, "truncated"))
        }
        SectionBody::Passage(passage, pointer) => {
            let above = |cut| shorten(passage, Some(pointer), cut, room, counter);
            if lower == DetailLevel::Lean {
                return Some((above(Cut::AboveLean)?, "truncated"));
            }
            if upper < DetailLevel::Excerpt
                && let Some(text) = above(Cut::AboveExcerpt)
            {
                return Some((text, "truncated"));
            }
            if lower == DetailLevel::Excerpt {
                return None;
            }
            Some((above(Cut::AbovePointer)?, "excerpt"))
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
pub(super) fn shorten(
    passage: &Passage,
    pointer: Option<&Clean>,
    cut: Cut,
    room: Amount,
    counter: &Counter,
) -> Option<Clean> {
    let at = |size: Size, rounding: Rounding| match cut {
        Cut::AboveLean => passage.fit_boilerplate(size, rounding).map(|at| passage.cut_boilerplate(at)),
        Cut::AboveExcerpt => passage.fit_all(size, rounding).map(|at| passage.cut_all(at)),
        Cut::Tail => passage.fit_prefix(size, rounding).filter(|at| *at > 0).map(|at| passage.cut_prefix(at)),
        Cut::KeepKeys => match (passage.fit_boilerplate(size, rounding), passage.fit_all(size, rounding)) {
            (Some(at), _) => Some(passage.cut_boilerplate(at)),
            (None, Some(at)) => Some(passage.cut_all(at)),
            (None, None) => passage.fit_keys(size, rounding).filter(|at| *at > 0).map(|at| passage.cut_keys(at)),
        },
        Cut::AbovePointer => {
            let pointer = pointer?;
            let fixed = Size::of(pointer).plus(Size::of("\n\n"));
            let at = fixed.fits(size).then(|| passage.fit_keys(size.minus(fixed), rounding))?.filter(|at| *at > 0)?;
            let keys = passage.cut_keys(at);
            // The pointer to a comment begins with the comment's first line already.
            let repeated = keys.find("\n\n").filter(|end| pointer.starts_with(&keys[..*end])).map_or(0, |end| end + 2);
            let mut text = CleanBuf::new();
            text.text(pointer).lit("\n\n").part(&keys, repeated..keys.len());
            Some(text.finish())
        }
    };
    within(room, counter, at, passage.full())
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
