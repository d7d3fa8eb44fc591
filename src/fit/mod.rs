//! [`Selection`] + budget → [`Fitted`]: the sections of a pack, their level of detail, and what was left out.
//!
//! Every section has levels of detail. A fixed ladder of steps leads from
//! everything in full to the smallest pack; trimming stops at the first step
//! that fits, and the section of that step gets the remaining room.

mod count;
mod filler;
mod level;
mod measured;
mod plan;
mod planner;
mod shorten;
mod walk;

pub use count::Counter;
pub use planner::fit;

use crate::redact::Clean;

// The parts of a fitted pack, for the modules that follow.
pub use crate::select::{
    Amount, Candidate, EdgeRow, Evidence, Notice, Omission, SectionBody, Selection, TextOrigin, Trust,
};

/// A selection trimmed to a budget.
#[derive(Debug)]
pub struct Fitted {
    /// The selection; the kept sections index its candidates.
    pub selection: Selection,
    /// The kept sections in the order of the pack, without the instructions.
    pub kept: Vec<FittedSection>,
    /// The omissions: those for the budget in the order of the pack, then the others.
    pub omissions: Vec<OmittedSection>,
    /// The budget that was applied.
    pub budget: crate::config::Budget,
    /// The size of the rendering.
    pub used: Amount,
    /// The sections of [`Selection::head`], which are always whole.
    pub head: Vec<FittedSection>,
}

/// A section that a pack keeps.
#[derive(Debug, Clone)]
pub struct FittedSection {
    /// The index among the candidates, or in the head.
    pub candidate: usize,
    pub content: Clean,
    /// `full`, `truncated`, `excerpt` or `pointer`.
    pub detail: &'static str,
    /// The tokens of the text.
    pub tokens: u64,
    /// The characters of the whole text, if the budget shortened it.
    pub full_chars: Option<u64>,
}

/// A section that a pack omits.
#[derive(Debug, Clone)]
pub struct OmittedSection {
    /// The omission as the selection describes it.
    pub omission: Omission,
    /// The tokens of its full text, if known and counted.
    pub tokens: Option<u64>,
}

/// A budget that cannot hold the instructions and the beginning of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSmall {
    /// The smallest limits that could, each for itself.
    pub smallest: Amount,
}
