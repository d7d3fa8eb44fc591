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
    /// The size of each section's text and of its frame, or of its line in the list of pointers.
    amounts: Vec<Amount>,
    /// The size of the instructions and of all sections.
    sections: Amount,
    /// The number of sections in the list of pointers.
    pointers: usize,
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

/// The least characters that leaving a pointer out must save.
const LEAST_SAVED: u64 = 40;

/// What the sentence about shortened sections without lines is longer by where it follows lines, at most.
const LONGER_REST: Amount = Amount { chars: 40, bytes: 40, tokens: 12 };

impl<'a> FixedPart<'a> {
    /// Creates the part with every section in full.
    pub(super) fn new(measured: &'a MeasuredSelection<'a>) -> Self {
        let around = |section| measured.around(section, DetailLevel::Full);
        let mut amounts: Vec<Amount> =
            measured.full.iter().enumerate().map(|(section, full)| full.plus(around(section))).collect();
        if let Some(root) = measured.root {
            amounts[root] = around(root);
        }
        let sections = amounts.iter().fold(measured.head, |sum, amount| sum.plus(*amount));
        let is_line = |section: &usize| measured.is_line(*section, DetailLevel::Full);
        let omissions = measured.selection.omissions.iter().take(LISTED);
        let mut part = Self {
            measured,
            levels: vec![DetailLevel::Full; amounts.len()],
            pointers: (0..amounts.len()).filter(is_line).count(),
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
        let pointers = if self.pointers > 0 { self.measured.pointers } else { Amount::default() };
        self.sections.plus(self.footer).plus(pointers)
    }

    /// Returns the size of a section at its present level.
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
        // A pointer takes hardly more than the line that lists it as left out.
        let is_pointer = |lowered: &PreviousLevel| lowered.level == DetailLevel::Pointer;
        let least = if step.to == DetailLevel::LeftOut && lowered.iter().all(is_pointer) { LEAST_SAVED } else { 1 };
        if self.total().chars.saturating_add(least) <= before.chars {
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
        let mut amount = Amount::default();
        if to != DetailLevel::LeftOut {
            let candidate = &self.measured.selection.candidates[section];
            let text = measure(candidate, &content(&candidate.body, to)?, self.measured.counter);
            let around = self.measured.around(section, previous.level);
            if text.chars >= previous.amount.minus(around).chars {
                return None;
            }
            amount = text.plus(self.measured.around(section, to));
        }
        self.put(section, to, amount);
        Some(previous)
    }

    fn put(&mut self, section: usize, level: DetailLevel, amount: Amount) {
        let is_line = |level| usize::from(self.measured.is_line(section, level));
        self.pointers = self.pointers + is_line(level) - is_line(self.levels[section]);
        self.sections = self.sections.minus(self.amounts[section]).plus(amount);
        self.amounts[section] = amount;
        self.levels[section] = level;
    }

    /// Brings a section back to the level before a step.
    pub(super) fn restore(&mut self, previous: &PreviousLevel) {
        self.put(previous.section, previous.level, previous.amount);
    }

    /// Brings a section that was left out back without any text, as a shortened one.
    pub(super) fn reopen(&mut self, previous: &PreviousLevel) {
        let amount = self.measured.around(previous.section, DetailLevel::Excerpt);
        self.restore(&PreviousLevel { level: DetailLevel::Excerpt, amount, ..*previous });
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
        // Lines of the list of pointers are not listed again.
        let is_line = |section: &usize| self.measured.is_line(*section, self.levels[*section]);
        let framed: Vec<usize> = shortened.iter().copied().filter(|section| !is_line(section)).collect();
        let has_line = framed.len() < shortened.len();
        let is_unlisted = framed.len() > LISTED || has_line;
        let footer = Footer {
            left_out: listed.chain(self.measured.other_lines(&self.other_places)).take(LISTED).collect(),
            left_out_count,
            shortened: Vec::new(),
            shortened_count: shortened.len(),
            unlisted_count: if is_unlisted { shortened.len() } else { 0 },
        };
        let mut amount = self.measured.counter.measure(&Form::CURRENT.footer(self.measured.tag, &footer));
        let longest = |unit: fn(Amount) -> u64| {
            let mut lines: Vec<u64> =
                framed.iter().map(|section| unit(self.measured.shortened_lines[*section])).collect();
            lines.sort_unstable_by_key(|line| Reverse(*line));
            lines.iter().take(LISTED).sum::<u64>()
        };
        let lines = Amount {
            chars: longest(|line| line.chars),
            bytes: longest(|line| line.bytes),
            tokens: longest(|line| line.tokens),
        };
        amount = amount.plus(lines);
        if is_unlisted {
            amount = amount.plus(LONGER_REST);
        }
        // The frame of the list is untrusted where one of its lines is.
        let untrusted = shortened.iter().any(|section| self.measured.is_untrusted(*section));
        if untrusted { amount.plus(Amount { chars: 2, bytes: 2, tokens: 2 }) } else { amount }
    }
}
