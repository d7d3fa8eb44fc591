//! [`Selection`] + budget → [`Fitted`]: the sections of a pack, their level of detail, and what was left out.
//!
//! Every section has levels of detail. A fixed ladder of steps leads from
//! everything in full to the smallest pack; trimming stops at the first step
//! that fits, and the section of that step gets the remaining room.

mod level;
mod measured;
mod planner;
mod walk;

pub use planner::fit;

use crate::redact::Clean;

// The parts of a fitted pack, for the modules that follow.
pub use crate::select::{
    AgentLabel, Amount, Candidate, Counter, EdgeRow, Evidence, Input, LikelyFile, Notice, Omission, RedactionRecord,
    SectionBody, Selection, TextOrigin, trust_name,
};

/// A selection trimmed to a budget.
#[derive(Debug)]
pub struct Fitted {
    /// The selection; the kept sections index its candidates.
    pub selection: Selection,
    /// The kept sections in the order of the pack, without the instructions.
    pub kept: Vec<FittedSection>,
    /// The omissions: those for the budget in the order of the pack, then the others.
    pub omissions: Vec<Omission>,
    pub budget: crate::config::Budget,
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
    pub tokens: u64,
    /// The characters of the whole text, if the budget shortened it.
    pub full_chars: Option<u64>,
}

/// A budget that cannot hold the instructions and the beginning of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSmall {
    /// The smallest limits that could, each for itself.
    pub smallest: Amount,
}
