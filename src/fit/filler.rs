//! Comments and items that fill a budget which would otherwise stay empty.

use super::count::Counter;
use super::level::{DetailLevel, content};
use super::measured::MeasuredSelection;
use super::plan::{Plan, ShownSection};
use super::shorten::between;
use crate::config::Strategy;
use crate::redact::Clean;
use crate::select::{Amount, Selection};

/// Adds as many of the first fillers to a whole plan of `selection` as fit `limits`, if any does.
///
/// The selections with more and more fillers are a fixed sequence, of which the last one that fits is taken: a larger budget
/// never removes one, and no filler takes space from anything else. Unless the strategy never shortens, a part of the next one
/// is added, too.
pub(super) fn fill(
    selection: &Selection,
    plan: &Plan,
    limits: Amount,
    strategy: Strategy,
    counter: &Counter,
) -> Option<(Selection, Plan)> {
    let fillers = &selection.fillers.sequence;
    let mut room = limits;
    let at_most = fillers.iter().take_while(|filler| {
        let text = content(&filler.candidate.body, DetailLevel::Full).unwrap_or_default();
        let size = Amount { tokens: 0, ..counter.measure_shared(&text) };
        let fits = size.fits(room);
        room = room.minus(size);
        fits
    });
    let count = at_most.count();
    let whole = (0..=count).rev().find_map(|count| {
        let (filled, plan) = with(selection, plan, count);
        let fits = MeasuredSelection::new(&filled, counter).used(&plan).fits(limits);
        fits.then_some((count, filled, plan))
    });
    let (count, filled, whole) = whole?;
    let further = (strategy != Strategy::DropLowPriority && count < fillers.len())
        .then(|| with_part(selection, plan, count, limits, strategy, counter))
        .flatten();
    further.or((count > 0).then_some((filled, whole)))
}

/// Adds the first `count` fillers to a whole plan.
fn with(selection: &Selection, plan: &Plan, count: usize) -> (Selection, Plan) {
    let (filled, added) = selection.filled(count);
    let mut plan = plan.clone();
    for at in added {
        let candidate = &filled.candidates[at];
        plan.shown.insert(at, ShownSection::at(candidate, DetailLevel::Full));
    }
    (filled, plan)
}

/// Adds the first `count` fillers and a part of the next one, if that is an item and a part of it fits.
fn with_part(
    selection: &Selection,
    plan: &Plan,
    count: usize,
    limits: Amount,
    strategy: Strategy,
    counter: &Counter,
) -> Option<(Selection, Plan)> {
    let next = &selection.fillers.sequence.get(count)?.candidate;
    next.relation?;
    let (filled, mut plan) = with(selection, plan, count + 1);
    let at = filled.candidates.iter().position(|candidate| candidate.id == next.id)?;
    let measured = MeasuredSelection::new(&filled, counter);
    plan.shown[at] = Some(ShownSection { content: Clean::default(), detail: "excerpt", whole: false });
    let empty = measured.used(&plan);
    if !empty.fits(limits) {
        return None;
    }
    let room = limits.minus(empty);
    let tail = strategy == Strategy::TruncateTail;
    let (content, detail) = between(&next.body, DetailLevel::Full, DetailLevel::Pointer, tail, room, counter)?;
    plan.shown[at] = Some(ShownSection { content, detail, whole: false });
    let fits = measured.used(&plan).fits(limits);
    drop(measured);
    fits.then_some((filled, plan))
}
