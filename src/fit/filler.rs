//! Comments and items that fill a budget which would otherwise stay empty.

use super::count::{Amount, Counter};
use super::level::{DetailLevel, content};
use super::measured::MeasuredSelection;
use super::plan::{Plan, ShownSection};
use crate::select::{Candidate, SectionBody, Selection};

/// Adds as many of the first fillers to a whole plan of `selection` as fit `limits`, if any does.
///
/// The selections with more and more fillers are a fixed sequence, of which the last one that fits is taken: a larger budget
/// never removes one, and no filler takes space from anything else.
pub(super) fn fill(selection: &Selection, plan: &Plan, limits: Amount, counter: &Counter) -> Option<(Selection, Plan)> {
    let fillers = &selection.fillers.sequence;
    let mut room = limits;
    let at_most = fillers.iter().take_while(|filler| {
        let text = content(&filler.candidate.body, level(&filler.candidate)).unwrap_or_default();
        let size = Amount { tokens: 0, ..counter.measure_shared(&text) };
        let fits = size.fits(room);
        room = room.minus(size);
        fits
    });
    (1..=at_most.count()).rev().find_map(|count| {
        let (filled, added) = selection.filled(count);
        let mut plan = plan.clone();
        for at in added {
            let candidate = &filled.candidates[at];
            plan.shown.insert(at, ShownSection::at(candidate, level(candidate)));
        }
        let fits = MeasuredSelection::new(&filled, counter).used(&plan).fits(limits);
        fits.then_some((filled, plan))
    })
}

/// The longest text that fills a budget as a whole, in bytes.
const LONGEST_WHOLE: usize = 4000;

/// Returns the level at which a filler is shown, which does not depend on the budget: the excerpt of a long item.
fn level(candidate: &Candidate) -> DetailLevel {
    match &candidate.body {
        SectionBody::Passage(passage, _)
            if candidate.relation.is_some() && passage.full().len() > LONGEST_WHOLE && passage.excerpt().is_some() =>
        {
            DetailLevel::Excerpt
        }
        _ => DetailLevel::Full,
    }
}
