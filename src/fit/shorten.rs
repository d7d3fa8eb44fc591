//! The one section that makes the difference, shortened only as far as needed.

use super::count::{Amount, Counter};
use super::level::DetailLevel;
use crate::redact::{Clean, CleanBuf};
use crate::select::{Passage, Rounding, SectionBody, Size};

/// A tidy cut is taken where it keeps this many percent of the tokens that fit.
const KEEPS: u64 = 97;

/// How a passage gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Key chunks stay; the rest is cut at its end, and only then the key chunks.
    KeepKeys,
    /// From full towards the excerpt: key chunks stay.
    AboveExcerpt,
    /// From the excerpt towards the pointer, whose line stays.
    AbovePointer,
    /// At its end, whatever stands there.
    Tail,
}

/// Tries to find the right number of tokens before it settles for what fits.
const TRIES: usize = 12;

/// Of the room for tokens, this much may stay unused: one part in …
const GOOD_ENOUGH: u64 = 250;

/// The longest form of `body` between two levels that fits `room`, with what its
/// detail is called; `None` where nothing more than the lower one does.
///
/// The name never says more than a form with more text has: a piece of the
/// excerpt is an excerpt, a piece of the rest is the text truncated.
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
        SectionBody::Whole(_) => None,
        SectionBody::Passage(passage, _) if tail => {
            Some((shorten(passage, None, Cut::Tail, room, counter)?, "truncated"))
        }
        SectionBody::Passage(passage, pointer) => {
            let above = |cut| shorten(passage, Some(pointer), cut, room, counter);
            if upper == DetailLevel::Full
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

/// The longest cut of `passage` that fits `room`.
pub(super) fn shorten(
    passage: &Passage,
    pointer: Option<&Clean>,
    cut: Cut,
    room: Amount,
    counter: &Counter,
) -> Option<Clean> {
    let at = |size: Size, rounding: Rounding| match cut {
        Cut::AboveExcerpt => passage.fit_all(size, rounding).map(|at| passage.cut_all(at)),
        Cut::Tail => passage.fit_prefix(size, rounding).filter(|at| *at > 0).map(|at| passage.cut_prefix(at)),
        Cut::KeepKeys => match passage.fit_all(size, rounding) {
            Some(at) => Some(passage.cut_all(at)),
            None => passage.fit_keys(size, rounding).filter(|at| *at > 0).map(|at| passage.cut_keys(at)),
        },
        Cut::AbovePointer => {
            let pointer = pointer?;
            let fixed = Size::of(pointer).plus(Size::of("\n\n"));
            let at = fixed.fits(size).then(|| passage.fit_keys(size.minus(fixed), rounding))?.filter(|at| *at > 0)?;
            let mut text = CleanBuf::new();
            text.text(pointer).lit("\n\n").text(&passage.cut_keys(at));
            Some(text.finish())
        }
    };
    within(room, counter, at, passage.full())
}

/// The longest text of the family `at` within `room`.
///
/// A cut is rounded by characters. Where what that gives up is dense in tokens, such as a line of symbols behind much
/// prose, it is not worth a tidy end.
fn within(
    room: Amount,
    counter: &Counter,
    at: impl Fn(Size, Rounding) -> Option<Clean>,
    whole: &Clean,
) -> Option<Clean> {
    let nice = search(room, counter, |size| at(size, Rounding::Nice), whole)?;
    let keeps = || u128::from(counter.measure(&nice).tokens) * 100 >= u128::from(room.tokens) * u128::from(KEEPS);
    if room.tokens == u64::MAX || keeps() {
        return Some(nice);
    }
    let exact = search(room, counter, |size| at(size, Rounding::None), whole);
    Some(exact.filter(|exact| exact.len() > nice.len()).unwrap_or(nice))
}

/// Characters and bytes are met at once; tokens by asking for fewer characters until they fit, starting from the
/// ratio that `whole` has.
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
    for _ in 0..TRIES {
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
                if room.tokens - tokens <= room.tokens / GOOD_ENOUGH {
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

/// `value × numerator ÷ denominator` without overflow.
fn scale(value: u64, numerator: u64, denominator: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(numerator) / u128::from(denominator)).unwrap_or(u64::MAX)
}
