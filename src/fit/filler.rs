//! Comments that fill a budget which would otherwise stay empty.

use super::count::{Amount, Counter};
use super::level::{DetailLevel, content};
use super::measured::MeasuredSelection;
use super::plan::{Plan, ShownSection};
use crate::select::Selection;

/// Adds as many of the newest fillers to a whole plan of `selection` as fit `limits`, if any does.
///
/// The selections with more and more fillers are a fixed sequence, of which the last one that fits is taken: a larger budget
/// never removes one, and no filler takes space from anything else.
pub(super) fn fill(selection: &Selection, plan: &Plan, limits: Amount, counter: &Counter) -> Option<(Selection, Plan)> {
    let fillers = &selection.fillers.newest;
    let mut room = limits;
    let at_most = fillers.iter().take_while(|filler| {
        let text = content(&filler.candidate.body, DetailLevel::Full).unwrap_or_default();
        let size = Amount { tokens: 0, ..counter.measure_shared(&text) };
        let fits = size.fits(room);
        room = room.minus(size);
        fits
    });
    (1..=at_most.count()).rev().find_map(|count| {
        let (filled, added) = selection.filled(count);
        let mut plan = plan.clone();
        for at in added {
            plan.shown.insert(at, ShownSection::at(&filled.candidates[at], DetailLevel::Full));
        }
        let fits = MeasuredSelection::new(&filled, counter).used(&plan).fits(limits);
        fits.then_some((filled, plan))
    })
}
