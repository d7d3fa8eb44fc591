//! Why a pack on disk is not the one that a build gives.

use super::inputs::{InputChange, changes};
use super::read::read;
use super::verify::verify;
use crate::wire::{Budget, Pack};

/// How a pack on disk differs from what a build gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Its inputs or the rules changed since it was built.
    Stale(Vec<String>),
    /// It was changed by hand, or damaged.
    Edited(Vec<String>),
}

/// Compares the bytes on disk with the pack that a build gives; they differ in more than their stamp.
pub fn difference(existing: &[u8], built: &Pack) -> Difference {
    let old = match read(existing) {
        Ok(old) => old,
        Err(error) => return Difference::Edited(vec![format!("it is no context pack: {error}")]),
    };
    let (_, faults) = verify(existing);
    if !faults.is_empty() {
        return Difference::Edited(faults);
    }
    let mut reasons: Vec<String> = changes(&old.inputs, &built.inputs).iter().map(InputChange::words).collect();
    reasons.sort();
    reasons.dedup();
    if limits_differ(&old.budget, &built.budget) {
        reasons.push("the budget changed".to_owned());
    }
    if reasons.is_empty() && old.warnings != built.warnings {
        reasons.push("warnings changed".to_owned());
    }
    if reasons.is_empty() && old.generator != built.generator {
        reasons.push(format!("built by {} {}", old.generator.name, old.generator.version));
    }
    if reasons.is_empty() {
        reasons.push("the configuration, or what git tracks, changed".to_owned());
    }
    Difference::Stale(reasons)
}

/// Whether two budgets ask for something else; what is used of them does not count.
pub(super) fn limits_differ(old: &Budget, new: &Budget) -> bool {
    let limits = |budget: &Budget| {
        (
            budget.max_chars,
            budget.max_bytes,
            budget.max_tokens,
            budget.margin,
            budget.strategy.clone(),
            budget.tokenizer.clone(),
        )
    };
    limits(old) != limits(new)
}
