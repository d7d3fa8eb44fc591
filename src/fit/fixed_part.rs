//! The size of a pack without its root's text, as the ladder of trimming steps is walked down.

use super::count::Amount;
use super::level::{DetailLevel, TrimStep, content};
use super::measured::{MeasuredSelection, measure};
use crate::redact::Clean;
use crate::render::{Footer, Form, LISTED};
use std::cmp::Reverse;

/// Everything but the root's text, at the detail that the steps so far leave.
pub(super) struct FixedPart<'a> {
    measured: &'a MeasuredSelection<'a>,
    levels: Vec<DetailLevel>,
    amounts: Vec<Amount>,
    /// The size of instructions, frames and texts.
    sections: Amount,
    footer: Amount,
    root_shortened: bool,
    /// The places of the omissions for other reasons than the budget, as far as they are listed.
    other_places: Vec<Clean>,
}

/// A section's level and size before a step.
#[derive(Clone, Copy)]
pub(super) struct PreviousLevel {
    pub(super) section: usize,
    pub(super) level: DetailLevel,
    pub(super) amount: Amount,
}

impl<'a> FixedPart<'a> {
    /// Creates the part with every section in full.
    pub(super) fn new(measured: &'a MeasuredSelection<'a>) -> Self {
        let mut amounts = measured.full.clone();
        if let Some(root) = measured.root {
            amounts[root] = Amount::default();
        }
        let sections = amounts.iter().chain(&measured.frames).fold(measured.head, |sum, amount| sum.plus(*amount));
        let omissions = measured.selection.omissions.iter().take(LISTED);
        let mut part = Self {
            measured,
            levels: vec![DetailLevel::Full; amounts.len()],
            amounts,
            sections,
            footer: Amount::default(),
            root_shortened: false,
            other_places: omissions.map(|omission| omission.origin.place()).collect(),
        };
        part.footer = part.footer();
        part
    }

    /// Returns the size of everything, at most: which of the shortened sections will be listed is not known yet.
    pub(super) fn total(&self) -> Amount {
        self.sections.plus(self.footer)
    }

    /// Returns the size of a section's text at its present level.
    pub(super) fn amount(&self, section: usize) -> Amount {
        self.amounts[section]
    }

    /// Counts the root among the shortened sections.
    pub(super) fn shorten_root(&mut self) {
        self.root_shortened = true;
        self.footer = self.footer();
    }

    /// Takes a step, and returns the sections that it lowers: none if it would not make the text shorter and is skipped.
    pub(super) fn take(&mut self, step: &TrimStep) -> Vec<PreviousLevel> {
        let before = self.total();
        let lowered: Vec<PreviousLevel> =
            step.sections.iter().filter_map(|section| self.lower(*section, step.to)).collect();
        if lowered.is_empty() {
            return lowered;
        }
        self.footer = self.footer();
        if self.total().chars < before.chars {
            return lowered;
        }
        for previous in &lowered {
            self.restore(previous);
        }
        self.footer = self.footer();
        Vec::new()
    }

    /// Lowers a section, if that makes its text shorter.
    fn lower(&mut self, section: usize, to: DetailLevel) -> Option<PreviousLevel> {
        let previous = PreviousLevel { section, level: self.levels[section], amount: self.amounts[section] };
        if previous.level >= to {
            return None;
        }
        let amount = if to == DetailLevel::LeftOut {
            self.sections = self.sections.minus(self.measured.frames[section]);
            Amount::default()
        } else {
            let candidate = &self.measured.selection.candidates[section];
            let lower = content(&candidate.body, to)?;
            measure(candidate, &lower, self.measured.counter)
        };
        if to != DetailLevel::LeftOut && amount.chars >= previous.amount.chars {
            return None;
        }
        self.sections = self.sections.minus(previous.amount).plus(amount);
        self.amounts[section] = amount;
        self.levels[section] = to;
        Some(previous)
    }

    /// Brings a section back to the level before a step.
    pub(super) fn restore(&mut self, previous: &PreviousLevel) {
        let section = previous.section;
        if self.levels[section] == DetailLevel::LeftOut {
            self.sections = self.sections.plus(self.measured.frames[section]);
        }
        self.sections = self.sections.minus(self.amounts[section]).plus(previous.amount);
        self.amounts[section] = previous.amount;
        self.levels[section] = previous.level;
    }

    /// Brings a section that was left out back without any text, as a shortened one.
    pub(super) fn reopen(&mut self, previous: &PreviousLevel) {
        self.restore(&PreviousLevel { level: DetailLevel::Pointer, amount: Amount::default(), ..*previous });
        self.footer = self.footer();
    }

    /// Returns the size of the end of the rendering: an upper bound, since sections that get enough of the remaining room
    /// are not listed as shortened after all, so that others are listed in their place. An exact size would not only shrink
    /// as less is shortened.
    fn footer(&self) -> Amount {
        let at =
            |level: fn(DetailLevel) -> bool| (0..self.levels.len()).filter(move |section| level(self.levels[*section]));
        let left_out = at(|level| level == DetailLevel::LeftOut);
        let left_out_count = left_out.clone().count() + self.measured.selection.omissions.len();
        let listed = left_out.map(|section| self.measured.budget_line(section));
        let is_shortened = |level| level > DetailLevel::Full && level < DetailLevel::LeftOut;
        let root = self.measured.root.filter(|_| self.root_shortened);
        let shortened: Vec<usize> = root.into_iter().chain(at(is_shortened)).collect();
        let footer = Footer {
            left_out: listed.chain(self.measured.other_lines(&self.other_places)).take(LISTED).collect(),
            left_out_count,
            shortened: Vec::new(),
            shortened_count: shortened.len(),
        };
        let mut amount = self.measured.counter.measure(&Form::CURRENT.footer(self.measured.tag, &footer));
        let longest = |unit: fn(Amount) -> u64| {
            let mut lines: Vec<u64> =
                shortened.iter().map(|section| unit(self.measured.shortened_lines[*section])).collect();
            lines.sort_unstable_by_key(|line| Reverse(*line));
            lines.iter().take(LISTED).sum::<u64>()
        };
        let lines = Amount {
            chars: longest(|line| line.chars),
            bytes: longest(|line| line.bytes),
            tokens: longest(|line| line.tokens),
        };
        amount = amount.plus(lines);
        // The frame of the list is untrusted where one of its lines is.
        let untrusted = shortened.iter().any(|section| self.measured.is_untrusted(*section));
        if untrusted { amount.plus(Amount { chars: 2, bytes: 2, tokens: 2 }) } else { amount }
    }
}
