//! [`Selection`] + budget → [`Fitted`]: what a pack holds, in how much detail, and what was left out.
//!
//! Every section has levels of detail. A fixed ladder of steps leads from
//! everything in full to the least that a pack can be; the walk stops at the
//! first step that fits, and gives back to that step's section what is left.

mod count;
mod level;
mod plan;
mod shorten;

pub use count::{Amount, Counter};
pub use plan::fit;

use crate::redact::Clean;

// What a fitted pack is made of, as the next room sees it.
pub use crate::select::{Candidate, EdgeRow, Evidence, Notice, Omission, SectionBody, Selection, TextOrigin, Trust};

/// A selection made to fit.
#[derive(Debug)]
pub struct Fitted {
    /// What it was made from; the kept sections index its candidates.
    pub selection: Selection,
    /// The sections that stay, in the order of the pack, without the instructions.
    pub kept: Vec<FittedSection>,
    /// Everything left out: for the budget in the order of the pack, then for other reasons.
    pub omissions: Vec<OmittedSection>,
    /// The limits that were kept to.
    pub budget: crate::config::Budget,
    /// What the rendering uses.
    pub used: Amount,
    /// Tokens of the instructions.
    pub instructions_tokens: u64,
}

/// A section that stays.
#[derive(Debug, Clone)]
pub struct FittedSection {
    /// Index into [`Selection::candidates`].
    pub candidate: usize,
    /// The text.
    pub content: Clean,
    /// `full`, `truncated`, `excerpt` or `pointer`.
    pub detail: &'static str,
    /// Tokens of the text.
    pub tokens: u64,
    /// Characters of the whole text where the budget made it smaller.
    pub full_chars: Option<u64>,
}

/// Something left out.
#[derive(Debug, Clone)]
pub struct OmittedSection {
    /// What it is.
    pub omission: Omission,
    /// Tokens of its full text, where known and counted.
    pub tokens: Option<u64>,
}

/// The budget cannot hold the instructions and the beginning of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSmall {
    /// The limits that would, each for itself; compare with those given.
    pub smallest: Amount,
}
