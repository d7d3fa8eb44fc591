//! The size of a pack without its root's text, as the ladder of trimming steps is walked down.

use super::count::Amount;
use super::level::{DetailLevel, TrimStep, content};
use super::measured::{MeasuredSelection, measure};
use crate::redact::Clean;
use crate::render::{self, Form};
use std::collections::BTreeSet;

/// Everything but the root's text, at the detail that the steps so far leave.
pub(super) struct FixedPart<'a> {
    measured: &'a MeasuredSelection<'a>,
    levels: Vec<DetailLevel>,
    amounts: Vec<Amount>,
    /// The size of instructions, frames and texts.
    sections: Amount,
    footer: Amount,
    left_out: BTreeSet<usize>,
    /// The places of the omissions for other reasons than the budget, as far as they are listed.
    other_places: Vec<Clean>,
}

/// A section's level and size before a step.
pub(super) struct PreviousLevel {
    pub(super) level: DetailLevel,
    pub(super) amount: Amount,
}

impl<'a> FixedPart<'a> {
    /// Creates the part with every section in full.
    pub(super) fn new(measured: &'a MeasuredSelection<'a>) -> Self {
        let mut amounts = measured.full.clone();
        if let Some(root) = amounts.get_mut(measured.root) {
            *root = Amount::default();
        }
        let sections = amounts.iter().chain(&measured.frames).fold(measured.head, |sum, amount| sum.plus(*amount));
        let omissions = measured.selection.omissions.iter().take(render::LISTED);
        let mut part = Self {
            measured,
            levels: vec![DetailLevel::Full; amounts.len()],
            amounts,
            sections,
            footer: Amount::default(),
            left_out: BTreeSet::new(),
            other_places: omissions.map(|omission| omission.origin.place()).collect(),
        };
        part.footer = part.footer();
        part
    }

    pub(super) fn total(&self) -> Amount {
        self.sections.plus(self.footer)
    }

    /// Returns the size of a section's text at its present level.
    pub(super) fn amount(&self, section: usize) -> Amount {
        self.amounts[section]
    }

    /// Takes a step; `None` if it would not make the text shorter and is skipped.
    pub(super) fn take(&mut self, step: &TrimStep) -> Option<PreviousLevel> {
        let section = step.section;
        let upper = PreviousLevel { level: self.levels[section], amount: self.amounts[section] };
        if upper.level == DetailLevel::LeftOut {
            return None;
        }
        let total = self.total();
        if step.to == DetailLevel::LeftOut {
            let footer = self.footer;
            self.left_out.insert(section);
            self.footer = self.footer();
            let sections = self.sections.minus(upper.amount).minus(self.measured.frames[section]);
            if sections.plus(self.footer).chars >= total.chars {
                self.left_out.remove(&section);
                self.footer = footer;
                return None;
            }
            self.sections = sections;
            self.amounts[section] = Amount::default();
        } else {
            let candidate = &self.measured.selection.candidates[section];
            let lower = content(&candidate.body, step.to)?;
            let lower = measure(candidate, &lower, self.measured.counter);
            if lower.chars >= upper.amount.chars {
                return None;
            }
            self.sections = self.sections.minus(upper.amount).plus(lower);
            self.amounts[section] = lower;
        }
        self.levels[section] = step.to;
        Some(upper)
    }

    fn footer(&self) -> Amount {
        let listed = self.left_out.iter().map(|section| self.measured.budget_line(*section));
        let others = self.measured.other_lines(&self.other_places);
        let count = self.left_out.len() + self.measured.selection.omissions.len();
        let footer = Form::CURRENT.footer(self.measured.tag, listed.chain(others), count);
        self.measured.counter.measure(&footer)
    }
}
