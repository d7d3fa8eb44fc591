//! The walk down the ladder of trimming steps, which is the same for every limit.

use super::fixed_part::{FixedPart, TakenStep};
use super::level::TrimStep;
use super::measured::MeasuredSelection;
use crate::select::Amount;

/// The steps that make the text shorter, taken as far as some limit needed them.
pub(super) struct Walk<'a> {
    fixed: FixedPart<'a>,
    ladder: std::slice::Iter<'a, TrimStep>,
    taken: Vec<TakenStep>,
    full: Amount,
}

impl<'a> Walk<'a> {
    /// Starts at the top of the ladder, with everything in full.
    pub(super) fn new(measured: &'a MeasuredSelection<'a>, ladder: &'a [TrimStep]) -> Self {
        let fixed = FixedPart::new(measured);
        Self { full: fixed.total(), fixed, ladder: ladder.iter(), taken: Vec::new() }
    }

    /// Returns the size of everything in full but the root's text.
    pub(super) fn full(&self) -> Amount {
        self.full
    }

    /// Returns the fewest steps that lead to a size that `fits`, with whether they do: all steps if none does.
    pub(super) fn down_to(&mut self, fits: impl Fn(Amount) -> bool) -> (&[TakenStep], bool) {
        if fits(self.full) {
            return (&[], true);
        }
        let mut count = 0;
        while let Some(step) = self.step(count) {
            count += 1;
            if fits(step.total) {
                return (&self.taken[..count], true);
            }
        }
        (&self.taken, false)
    }

    fn step(&mut self, number: usize) -> Option<&TakenStep> {
        while self.taken.len() <= number {
            let Some(step) = self.ladder.next() else {
                self.fixed.restore_held();
                return None;
            };
            self.taken.extend(self.fixed.take(step));
        }
        self.taken.get(number)
    }
}
