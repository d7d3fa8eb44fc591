//! The walk down the ladder of trimming steps, and the size of a pack without its root's text after each.

use super::level::{DetailLevel, TrimStep, measure};
use super::measured::MeasuredSelection;
use crate::render::{Footer, Form, LISTED};
use crate::select::Amount;
use std::cmp::Reverse;

/// Everything but the root's text at the detail that the steps leave, and the steps that were taken so far.
pub(super) struct TrimmingWalk<'a> {
    measured: &'a MeasuredSelection<'a>,
    levels: Vec<DetailLevel>,
    /// The size of each section's text and of its frame, or of its line in the list of pointers.
    amounts: Vec<Amount>,
    sections: Amount,
    pointers: usize,
    footer: Amount,
    /// The sections that were left out last without making the text shorter, and the size before that.
    held: (Vec<PreviousLevel>, Amount),
    ladder: std::slice::Iter<'a, TrimStep>,
    taken: Vec<TakenStep>,
    /// The size with everything in full.
    pub(super) full: Amount,
}

/// A section's level and size before a step, and its size after it.
#[derive(Clone, Copy)]
pub(super) struct PreviousLevel {
    pub(super) section: usize,
    pub(super) level: DetailLevel,
    pub(super) amount: Amount,
    pub(super) lowered: Amount,
}

pub(super) struct TakenStep {
    pub(super) to: DetailLevel,
    /// The sections that it lowers, and those of the steps that it was joined with.
    pub(super) lowered: Vec<PreviousLevel>,
    /// The size of everything but the root's text after it.
    pub(super) total: Amount,
    /// The size with the frame of the last section, if that was left out while it had a text to show a part of.
    pub(super) reopened: Option<Amount>,
}

/// The least characters that leaving a pointer out must save.
const LEAST_SAVED: u64 = 40;
/// What the sentence about shortened sections without lines is longer by where it follows lines, at most.
const LONGER_REST: Amount = Amount { chars: 40, bytes: 40, tokens: 12 };

impl<'a> TrimmingWalk<'a> {
    /// Starts at the top of the ladder, with everything in full.
    pub(super) fn new(measured: &'a MeasuredSelection<'a>, ladder: &'a [TrimStep]) -> Self {
        let around = |section| measured.around(section, DetailLevel::Full);
        let mut amounts: Vec<Amount> =
            measured.sections.iter().enumerate().map(|(section, sizes)| sizes.full.plus(around(section))).collect();
        if let Some(root) = measured.root {
            amounts[root] = around(root);
        }
        let sections = amounts.iter().fold(measured.head, |sum, amount| sum.plus(*amount));
        let is_line = |section: &usize| measured.is_line(*section, DetailLevel::Full);
        let mut walk = Self {
            measured,
            levels: vec![DetailLevel::Full; amounts.len()],
            pointers: (0..amounts.len()).filter(is_line).count(),
            amounts,
            sections,
            footer: Amount::default(),
            held: (Vec::new(), Amount::default()),
            ladder: ladder.iter(),
            taken: Vec::new(),
            full: Amount::default(),
        };
        walk.footer = walk.footer();
        walk.full = walk.total();
        walk
    }

    /// Returns the size of everything, at most: which of the shortened sections will be listed is not known yet.
    fn total(&self) -> Amount {
        let pointers = if self.pointers > 0 { self.measured.pointers } else { Amount::default() };
        self.sections.plus(self.footer).plus(pointers)
    }

    /// Takes a step; `None` if it does not make the text shorter. Lines of what leaves may take as much as pointers, so that
    /// sections that leave are held until a step with them makes it shorter.
    fn take(&mut self, step: &TrimStep) -> Option<TakenStep> {
        let leaves = step.to == DetailLevel::LeftOut;
        if !leaves {
            self.restore_held();
        }
        let before = if self.held.0.is_empty() { self.total() } else { self.held.1 };
        let lowered: Vec<PreviousLevel> =
            step.sections.iter().filter_map(|section| self.lower(*section, step.to)).collect();
        if lowered.is_empty() {
            return None;
        }
        self.held.0.extend(lowered);
        self.held.1 = before;
        self.footer = self.footer();
        // A pointer takes hardly more than the line that lists it as left out.
        let is_pointer = |lowered: &PreviousLevel| lowered.level == DetailLevel::Pointer;
        let least = if leaves && self.held.0.iter().all(is_pointer) { LEAST_SAVED } else { 1 };
        let total = self.total();
        if total.chars.saturating_add(least) > before.chars {
            if !leaves {
                self.restore_held();
            }
            return None;
        }
        let lowered = std::mem::take(&mut self.held.0);
        let reopened = lowered.last().copied().filter(|last| leaves && last.level < DetailLevel::Pointer);
        let reopened = reopened.map(|last| self.reopened(&last));
        Some(TakenStep { to: step.to, lowered, total, reopened })
    }

    /// Brings the sections back that left without making the text shorter.
    fn restore_held(&mut self) {
        if !self.held.0.is_empty() {
            for previous in std::mem::take(&mut self.held.0) {
                self.put(previous.section, previous.level, previous.amount);
            }
            self.footer = self.footer();
        }
    }

    /// Returns the size with a section that was left out as a shortened one without any text.
    fn reopened(&mut self, last: &PreviousLevel) -> Amount {
        let footer = self.footer;
        self.put(last.section, DetailLevel::Excerpt, self.measured.around(last.section, DetailLevel::Excerpt));
        self.footer = self.footer();
        let total = self.total();
        self.put(last.section, DetailLevel::LeftOut, last.lowered);
        self.footer = footer;
        total
    }

    /// Lowers a section, if that makes its text shorter.
    fn lower(&mut self, section: usize, to: DetailLevel) -> Option<PreviousLevel> {
        let (level, previous) = (self.levels[section], self.amounts[section]);
        if level >= to {
            return None;
        }
        let mut amount = Amount::default();
        if to != DetailLevel::LeftOut {
            let candidate = &self.measured.selection.candidates[section];
            let text = measure(&candidate.body, to, self.measured.counter)?;
            if text.chars >= previous.minus(self.measured.around(section, level)).chars {
                return None;
            }
            amount = text.plus(self.measured.around(section, to));
        }
        self.put(section, to, amount);
        Some(PreviousLevel { section, level, amount: previous, lowered: amount })
    }

    fn put(&mut self, section: usize, level: DetailLevel, amount: Amount) {
        let is_line = |level| usize::from(self.measured.is_line(section, level));
        self.pointers = self.pointers + is_line(level) - is_line(self.levels[section]);
        self.sections = self.sections.minus(self.amounts[section]).plus(amount);
        self.amounts[section] = amount;
        self.levels[section] = level;
    }

    /// Returns an upper bound of the end of the rendering: which sections gain enough room to leave it is not known yet.
    fn footer(&self) -> Amount {
        let at =
            |level: fn(DetailLevel) -> bool| (0..self.levels.len()).filter(move |section| level(self.levels[*section]));
        let left_out = at(|level| level == DetailLevel::LeftOut);
        let left_out_count = left_out.clone().count() + self.measured.selection.omissions.len();
        let listed = left_out.map(|section| self.measured.budget_line(section));
        let is_shortened = |level| level > DetailLevel::Full && level < DetailLevel::LeftOut;
        let shortened: Vec<usize> = self.measured.root.into_iter().chain(at(is_shortened)).collect();
        // Lines of the list of pointers are not listed again.
        let is_line = |section: &usize| self.measured.is_line(*section, self.levels[*section]);
        let framed: Vec<usize> = shortened.iter().copied().filter(|section| !is_line(section)).collect();
        let has_line = framed.len() < shortened.len();
        let is_unlisted = framed.len() > LISTED || has_line;
        let footer = Footer {
            left_out: listed.chain(self.measured.other_lines()).take(LISTED).collect(),
            left_out_count,
            shortened: Vec::new(),
            shortened_count: shortened.len(),
            unlisted_count: if is_unlisted { shortened.len() } else { 0 },
        };
        let mut amount = self.measured.counter.measure(&Form::CURRENT.footer(self.measured.tag, &footer));
        let lines = Amount::by_unit(|unit| {
            let mut lines: Vec<u64> =
                framed.iter().map(|section| unit(self.measured.sections[*section].shortened_line)).collect();
            lines.sort_unstable_by_key(|line| Reverse(*line));
            lines.iter().take(LISTED).sum()
        });
        amount = amount.plus(lines);
        if is_unlisted {
            amount = amount.plus(LONGER_REST);
        }
        // The frame of the list is untrusted where one of its lines is.
        let untrusted = shortened.iter().any(|section| self.measured.is_untrusted(*section));
        if untrusted { amount.plus(Amount { chars: 2, bytes: 2, tokens: 2 }) } else { amount }
    }

    /// Returns the fewest steps that lead to a size that `fits`, with whether they do: all steps if none does.
    pub(super) fn down_to(&mut self, fits: impl Fn(Amount) -> bool) -> (&[TakenStep], bool) {
        if fits(self.full) {
            return (&[], true);
        }
        let mut count = 0;
        loop {
            while self.taken.len() == count {
                let Some(step) = self.ladder.next() else {
                    self.restore_held();
                    return (&self.taken, false);
                };
                let taken = self.take(step);
                self.taken.extend(taken);
            }
            count += 1;
            if fits(self.taken[count - 1].total) {
                return (&self.taken[..count], true);
            }
        }
    }
}
