//! Shortening of a text to the room that is left for it.

use super::count::Counter;
use super::level::DetailLevel;
use crate::redact::Clean;
use crate::select::{Amount, ChunkWeight, Passage, SectionBody};

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
        SectionBody::Json(json) => Some((json.text(json.fit(room, counter)?), name)),
        SectionBody::Edges(edges) => Some((edges.text(edges.fit(room, counter)?), name)),
    }
}

/// Returns the longest cut of `passage` that fits `room`.
pub(super) fn shorten(passage: &Passage, cut: Cut, room: Amount, counter: &Counter) -> Option<Clean> {
    match cut {
        Cut::Tail => passage.fit_prefix(room, counter).filter(|at| *at > 0).map(|at| passage.cut_prefix(at)),
        Cut::Weight { weight, least } => {
            let says_enough = |at: &usize| least == 0 || passage.kept_text(weight, *at) >= least;
            passage.fit(weight, room, counter).filter(says_enough).map(|at| passage.cut(weight, at))
        }
    }
}

/// Returns the longest text of `passage` that fits `room` and keeps what is cut last.
pub(super) fn shorten_root(passage: &Passage, room: Amount, counter: &Counter) -> Option<Clean> {
    WEIGHTS.iter().find_map(|(weight, _)| shorten(passage, Cut::Weight { weight: *weight, least: 0 }, room, counter))
}
