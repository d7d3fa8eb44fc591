//! Search for the fullest plan whose rendering is within the budget.

use super::level::{DetailLevel, Plan, ShownSection, TrimStep, content, ladder, shorten_root};
use super::measured::MeasuredSelection;
use super::walk::{PreviousLevel, TakenStep, TrimmingWalk};
use super::{Counter, Fitted, FittedSection, TooSmall};
use crate::config::{Budget, Strategy};
use crate::redact::Clean;
use crate::select::{Amount, Candidate, Omission, SectionBody, Selection, Trim, descend};
use std::cmp::Ordering;

/// The characters of the root's text that the smallest pack shows.
const BEGINNING: u64 = 240;
/// The part of a limit that may stay unused without a search for a fuller plan: one in this many.
const MAX_SLACK: u64 = 100;
/// What the sum of all parts in full may be more than their rendering.
const OVERESTIMATED: Amount = Amount { chars: 600, bytes: 900, tokens: 250 };
/// The percentages of a token limit to aim at if joined texts have more tokens than their parts.
const LOWER_AIMS: [u64; 4] = [100, 99, 96, 90];

/// Makes a selection fit a budget, as `docs/budget.md` describes.
///
/// # Errors
/// [`TooSmall`] if not even the instructions and the beginning of the root fit.
pub fn fit(selection: Selection, budget: &Budget, counter: &Counter) -> Result<Fitted, TooSmall> {
    let planner = Planner::new(&selection, budget, counter);
    let chosen = planner.best()?;
    let head = selection.head.iter().filter_map(Candidate::whole_text).enumerate().map(|(candidate, text)| {
        let tokens = counter.measure(text).tokens;
        FittedSection { candidate, content: text.clone(), detail: "full", tokens, full_chars: None }
    });
    let (head, budget) = (head.collect(), budget.clone());
    let filled = if chosen.plan.is_whole() { planner.filled(&chosen.plan) } else { None };
    if let Some((filled, plan)) = filled {
        let planner = Planner::new(&filled, &budget, counter);
        let (kept, omissions, used) = planner.finished(planner.chosen(plan));
        return Ok(Fitted { head, kept, omissions, used, budget, selection: filled });
    }
    let (kept, omissions, used) = planner.finished(chosen);
    Ok(Fitted { head, kept, omissions, used, budget, selection })
}

#[derive(Clone)]
struct ChosenPlan {
    plan: Plan,
    used: Amount,
}

struct Planner<'a> {
    measured: MeasuredSelection<'a>,
    budget: &'a Budget,
    /// The budget's limits without the margin.
    limits: Amount,
    ladder: Vec<TrimStep>,
    whole: Plan,
}

impl<'a> Planner<'a> {
    fn new(selection: &'a Selection, budget: &'a Budget, counter: &'a Counter) -> Self {
        let measured = MeasuredSelection::new(selection, counter);
        let ladder = ladder(&selection.candidates, &measured.sections, budget.strategy);
        Self { measured, budget, limits: limits(budget), ladder, whole: Plan::whole(&selection.candidates) }
    }

    /// Returns the fullest plan within the limits: whole, or with at least as much of the root as the smallest one.
    fn best(&self) -> Result<ChosenPlan, TooSmall> {
        let mut walk = TrimmingWalk::new(&self.measured, &self.ladder);
        if walk.full.plus(self.measured.full_root()).fits(self.limits.plus(OVERESTIMATED)) {
            let whole = self.chosen(self.whole.clone());
            if whole.used.fits(self.limits) {
                return Ok(whole);
            }
        }
        let smallest = self.smallest();
        if !smallest.used.fits(self.limits) {
            return Err(self.too_small(&smallest));
        }
        let shown_of_root = |plan: &Plan| self.measured.root.map_or(0, |root| plan.len_at(root));
        let beginning = shown_of_root(&smallest.plan);
        Ok(self.fullest(&mut walk).filter(|best| shown_of_root(&best.plan) >= beginning).unwrap_or(smallest))
    }

    /// Returns the plan for the largest limits whose rendering is within the real ones.
    fn fullest(&self, walk: &mut TrimmingWalk<'_>) -> Option<ChosenPlan> {
        let limits = self.limits;
        let first = [limits.chars, limits.bytes, limits.tokens].into_iter().find(|limit| *limit < u64::MAX)?;
        let aimed =
            |aim| limits.with(limits, |limit, _| if limit == u64::MAX { limit } else { scale(limit, aim, first) });
        let nearly = limits.with(limits, |limit, _| limit - limit / MAX_SLACK);
        let (mut best, mut last): (Option<ChosenPlan>, Option<ChosenPlan>) = (None, None);
        let aim = descend(|aim| {
            if aim < first {
                return Ordering::Less;
            }
            if aim > first.saturating_add(first / 2) {
                return Ordering::Greater;
            }
            let Some(plan) = self.plan_within(aimed(aim), walk) else { return Ordering::Less };
            if !self.measured.head.plus(plan.contents()).fits(Amount { tokens: u64::MAX, ..limits }) {
                return Ordering::Greater;
            }
            let chosen = last.take().filter(|last| last.plan == plan).unwrap_or_else(|| self.chosen(plan));
            last = Some(chosen.clone());
            if !chosen.used.fits(limits) {
                return Ordering::Greater;
            }
            let is_full = !chosen.used.fits(nearly);
            best = Some(chosen);
            if is_full { Ordering::Equal } else { Ordering::Less }
        });
        let lower = || {
            LOWER_AIMS.iter().find_map(|percent| {
                let chosen = self.chosen(self.plan_within(aimed(scale(aim, *percent, 100)), walk)?);
                chosen.used.fits(limits).then_some(chosen)
            })
        };
        best.or_else(lower)
    }

    fn chosen(&self, plan: Plan) -> ChosenPlan {
        ChosenPlan { used: self.measured.used(&plan), plan }
    }

    /// Adds as many claims as fit to a plan that is whole with all fillers: text by untrusted authors displaces nothing.
    fn with_claims(&self, chosen: ChosenPlan) -> ChosenPlan {
        let whole = chosen.plan.is_whole() && self.measured.selection.fillers.sequence.is_empty();
        let edges =
            self.measured.selection.candidates.iter().enumerate().find_map(|(at, candidate)| match &candidate.body {
                SectionBody::Edges(list) if list.claims.count > 0 => Some((at, list)),
                _ => None,
            });
        let Some((at, list)) = edges.filter(|_| whole) else { return chosen };
        let Some(shown) = chosen.plan.shown[at].clone() else { return chosen };
        let with = |count| {
            let mut plan = chosen.plan.clone();
            plan.shown[at] = Some(ShownSection { content: list.claims.below(&shown.content, count), ..shown.clone() });
            let used = self.measured.used(&plan);
            used.fits(self.limits).then_some(ChosenPlan { plan, used })
        };
        (0..=list.claims.rows.len()).rev().find_map(with).unwrap_or(chosen)
    }

    /// Returns the smallest plan: every step taken, and the beginning of the root.
    fn smallest(&self) -> ChosenPlan {
        let mut plan = self.whole.clone();
        for step in &self.ladder {
            for section in &step.sections {
                if step.to == DetailLevel::LeftOut {
                    plan.shown[*section] = None;
                } else if plan.shown[*section].is_some()
                    && let Some(lower) = ShownSection::at(&self.measured.selection.candidates[*section], step.to)
                    && lower.content.len() < plan.len_at(*section)
                {
                    plan.shown[*section] = Some(lower);
                }
            }
        }
        let room = Amount { chars: BEGINNING, ..Amount::UNLIMITED };
        if let Some(root) = self.measured.root.filter(|_| self.measured.full_root().chars > BEGINNING + BEGINNING / 2) {
            plan.shown[root] = self.cut_root(room).or_else(|| plan.shown[root].clone());
        }
        let used = self.measured.used(&plan);
        ChosenPlan { plan, used }
    }

    /// Small texts may be smaller in full than in their lowest level of detail.
    fn too_small(&self, smallest: &ChosenPlan) -> TooSmall {
        let whole = self.measured.sections.iter().map(|sizes| sizes.full).fold(Amount::default(), Amount::plus);
        let mut used = smallest.used;
        if whole.chars <= 2 * used.chars {
            let whole = self.measured.used(&self.whole);
            used = used.with(whole, u64::min);
        }
        let keep = 100 - u64::from(self.budget.margin.min(99));
        let with_margin = |value: u64| (value * 100).div_ceil(keep);
        TooSmall { smallest: used.with(used, |value, _| with_margin(value)) }
    }

    /// Returns the first plan of the ladder within `limits`, by the sum of its parts.
    fn plan_within(&self, limits: Amount, walk: &mut TrimmingWalk<'_>) -> Option<Plan> {
        let mut plan = self.whole.clone();
        let root_full = self.measured.full_root();
        if walk.full.plus(root_full).fits(limits) {
            return Some(plan);
        }
        let reserve = match self.budget.strategy {
            Strategy::Both => self.share_root(&mut plan, limits, walk.full),
            Strategy::DropLowPriority | Strategy::TruncateTail => Some(root_full),
        };
        let full = walk.full;
        let (steps, found) = walk.down_to(|total| reserve.is_some_and(|reserve| total.plus(reserve).fits(limits)));
        for step in steps {
            for previous in &step.lowered {
                plan.shown[previous.section] =
                    ShownSection::at(&self.measured.selection.candidates[previous.section], step.to);
            }
        }
        match (steps.last().filter(|_| found), reserve) {
            (Some(step), Some(reserve)) => self.use_room(&mut plan, step, limits.minus(reserve)),
            _ => {
                let rest = steps.last().map_or(full, |step| step.total);
                if !rest.fits(limits) {
                    return None;
                }
                plan.shown[self.measured.root?] = Some(self.cut_root(limits.minus(rest))?);
            }
        }
        Some(plan)
    }

    fn use_room(&self, plan: &mut Plan, step: &TakenStep, room: Amount) {
        match &step.lowered[..] {
            [.., last] if step.to == DetailLevel::LeftOut => self.keep_part(plan, step, last, room),
            lowered => self.share_out(plan, step, lowered, room),
        }
    }

    /// Gives the last section that leaves as much of the room as it can use, if that is enough for a part of it.
    fn keep_part(&self, plan: &mut Plan, step: &TakenStep, last: &PreviousLevel, room: Amount) {
        let strategy = self.budget.strategy;
        let reopened = step.reopened.filter(|reopened| reopened.fits(room) && strategy != Strategy::DropLowPriority);
        let Some(reopened) = reopened else { return };
        let body = &self.measured.selection.candidates[last.section].body;
        let room = room.minus(reopened);
        let part = ShownSection::between(body, last.level, DetailLevel::Pointer, strategy, room, self.measured.counter);
        if part.is_some() {
            plan.shown[last.section] = part;
        }
    }

    /// Shares the room out among the sections of a step, the strongest first, more for what weighs more. In each unit the
    /// shares add up to no more than the room, and each only grows with it.
    fn share_out(&self, plan: &mut Plan, step: &TakenStep, lowered: &[PreviousLevel], room: Amount) {
        let (left, to) = (room.minus(step.total), step.to);
        let lowered: Vec<&PreviousLevel> = lowered.iter().rev().collect();
        // What leaves the list of pointers again may be listed among the shortened sections.
        let listed = |section: usize| match self.measured.is_line(section, to) {
            true => self.measured.sections[section].shortened_line,
            false => Amount::default(),
        };
        // Whatever gains a part of its text has a frame.
        let around = |section| self.measured.around(section, DetailLevel::Excerpt).plus(listed(section));
        let shares = |unit: fn(Amount) -> u64| {
            let ranges = lowered.iter().map(|previous| Share {
                least: unit(previous.lowered),
                most: unit(previous.amount.plus(listed(previous.section))),
                weight: self.measured.selection.candidates[previous.section].rank.weight.into(),
            });
            match unit(left) {
                u64::MAX => vec![u64::MAX; lowered.len()],
                left => evenly(left, ranges.collect(), unit(USEFUL)),
            }
        };
        let (chars, bytes, tokens) = (shares(|it| it.chars), shares(|it| it.bytes), shares(|it| it.tokens));
        for (index, previous) in lowered.iter().enumerate() {
            let share = Amount { chars: chars[index], bytes: bytes[index], tokens: tokens[index] };
            let candidate = &self.measured.selection.candidates[previous.section];
            if previous.amount.plus(listed(previous.section)).fits(share) {
                plan.shown[previous.section] = ShownSection::at(candidate, previous.level);
                continue;
            }
            let room = share.minus(around(previous.section));
            let part =
                ShownSection::between(&candidate.body, previous.level, to, Strategy::Both, room, self.measured.counter);
            if part.as_ref().is_some_and(|part| part.content.len() > plan.len_at(previous.section)) {
                plan.shown[previous.section] = part;
            }
        }
    }

    /// Shortens the root to its share of the limits, and returns the whole share, used or not, so that a larger budget never
    /// takes room from the others. `None` if the share cannot hold the root's beginning.
    fn share_root(&self, plan: &mut Plan, limits: Amount, rest: Amount) -> Option<Amount> {
        let share = u64::from(self.budget.root_share);
        let portion = limits.with(limits, |limit, _| if limit == u64::MAX { limit } else { scale(limit, share, 100) });
        let (root, cap) = (self.measured.full_root(), portion.with(limits.minus(rest), u64::max));
        if !root.fits(cap) {
            plan.shown[self.measured.root?] = Some(self.cut_root(cap)?);
        }
        Some(cap.with(root, u64::min))
    }

    fn cut_root(&self, room: Amount) -> Option<ShownSection> {
        let SectionBody::Passage(passage, _) = &self.measured.selection.candidates[self.measured.root?].body else {
            return None;
        };
        if self.measured.full_root().fits(room) {
            return Some(ShownSection { content: passage.full().clone(), detail: "full", whole: true });
        }
        let content = shorten_root(passage, room, self.measured.counter)?;
        let detail = if content.len() == passage.full().len() { "full" } else { "truncated" };
        Some(ShownSection { content, detail, whole: detail == "full" })
    }

    fn finished(&self, chosen: ChosenPlan) -> (Vec<FittedSection>, Vec<Omission>, Amount) {
        let ChosenPlan { plan, used } = self.with_claims(chosen);
        let counted = self.measured.counter.counts_tokens();
        let budget = plan.left_out().map(|section| {
            let full = self.measured.sections[section].full;
            let tokens = counted.then_some(full.tokens);
            let omission = self.measured.selection.candidates[section].omitted("budget");
            Omission { chars: Some(full.chars), tokens, ..omission }
        });
        let others = self.measured.selection.omissions.iter().cloned();
        let kept = plan.shown.iter().enumerate().filter_map(|(candidate, shown)| {
            let ShownSection { content, detail, whole } = shown.clone()?;
            let full = self.measured.sections[candidate].full;
            // Claims below the edges are not part of their full size.
            let is_full = whole && self.measured.selection.candidates[candidate].trim != Trim::Edges;
            let tokens = if is_full { full.tokens } else { self.measured.counter.measure(&content).tokens };
            Some(FittedSection { candidate, content, detail, tokens, full_chars: (!whole).then_some(full.chars) })
        });
        (kept.collect(), budget.chain(others).collect(), used)
    }
}

/// The room above its lower level with which a section shows something worth reading.
const USEFUL: Amount = Amount { chars: 400, bytes: 400, tokens: 100 };

#[derive(Debug, Clone, Copy)]
struct Share {
    least: u64,
    most: u64,
    weight: u64,
}

/// Shares `left` out: first `useful` to each in turn, since less shows nothing, then up to one level for all by weight.
fn evenly(mut left: u64, mut shares: Vec<Share>, useful: u64) -> Vec<u64> {
    for share in &mut shares {
        let given = share.most.saturating_sub(share.least).min(useful).min(left);
        share.least += given;
        left -= given;
    }
    let at = |level: u64| {
        shares.iter().map(move |share| {
            let even = u128::from(level) * u128::from(share.weight) / 100;
            u64::try_from(even).unwrap_or(u64::MAX).clamp(share.least, share.most.max(share.least))
        })
    };
    let sum = |level: u64| at(level).map(u128::from).sum::<u128>();
    let room = u128::from(left) + shares.iter().map(|share| u128::from(share.least)).sum::<u128>();
    // The highest level whose shares are within the room; each one only grows with the level.
    let (mut low, mut high) = (0, u64::from(u32::MAX) * 2);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if sum(middle) <= room {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    at(low).collect()
}

/// Computes `value × numerator ÷ denominator` without overflow.
fn scale(value: u64, numerator: u64, denominator: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(numerator) / u128::from(denominator.max(1))).unwrap_or(u64::MAX)
}

/// Returns the limits less the margin; `u64::MAX` for a unit without a limit.
fn limits(budget: &Budget) -> Amount {
    let keep = u128::from(100 - budget.margin.min(99));
    let limit = |limit: Option<u64>| {
        limit.map_or(u64::MAX, |limit| u64::try_from(u128::from(limit) * keep / 100).unwrap_or(u64::MAX))
    };
    Amount { chars: limit(budget.max_chars), bytes: limit(budget.max_bytes), tokens: limit(budget.max_tokens) }
}

impl Planner<'_> {
    /// Adds as many of the first fillers to a whole plan as fit, and a part of the next one.
    ///
    /// The sequence is fixed and its last plan that fits is taken, so that a larger budget never removes one.
    fn filled(&self, plan: &Plan) -> Option<(Selection, Plan)> {
        let counter = self.measured.counter;
        let fillers = &self.measured.selection.fillers.sequence;
        let mut room = self.limits;
        let grown = self.measured.selection.fillers.grown;
        let at_most = fillers.iter().enumerate().take_while(|(index, filler)| {
            let text = content(&filler.candidate.body, DetailLevel::Full).unwrap_or_default();
            let before = if *index < grown { self.measured.sections[filler.at].full } else { Amount::default() };
            let size = Amount { tokens: 0, ..Amount::of(&text).minus(before) };
            let fits = size.fits(room);
            room = room.minus(size);
            fits
        });
        let count = at_most.count();
        let whole = (0..=count).rev().find_map(|count| {
            let (filled, plan) = self.with(plan, count);
            let fits = MeasuredSelection::new(&filled, counter).used(&plan).fits(self.limits);
            fits.then_some((count, filled, plan))
        });
        let (count, filled, whole) = whole?;
        self.with_part(plan, count).or((count > 0).then_some((filled, whole)))
    }

    fn with(&self, plan: &Plan, count: usize) -> (Selection, Plan) {
        let (filled, [added, grown]) = self.measured.selection.filled(count);
        let mut plan = plan.clone();
        for at in added {
            plan.shown.insert(at, ShownSection::at(&filled.candidates[at], DetailLevel::Full));
        }
        for at in grown {
            plan.shown[at] = ShownSection::at(&filled.candidates[at], DetailLevel::Full);
        }
        (filled, plan)
    }

    /// Adds the first `count` fillers and a part of the next one, if that is an item and a part of it fits.
    fn with_part(&self, plan: &Plan, count: usize) -> Option<(Selection, Plan)> {
        let (strategy, counter) = (self.budget.strategy, self.measured.counter);
        let next = &self.measured.selection.fillers.sequence.get(count)?.candidate;
        if next.relation.is_none() || strategy == Strategy::DropLowPriority {
            return None;
        }
        let (filled, mut plan) = self.with(plan, count + 1);
        let at = filled.candidates.iter().position(|candidate| candidate.id == next.id)?;
        let measured = MeasuredSelection::new(&filled, counter);
        plan.shown[at] = Some(ShownSection::part(Clean::default(), "excerpt"));
        let empty = measured.used(&plan);
        if !empty.fits(self.limits) {
            return None;
        }
        let room = self.limits.minus(empty);
        let (upper, lower) = (DetailLevel::Full, DetailLevel::Pointer);
        plan.shown[at] = Some(ShownSection::between(&next.body, upper, lower, strategy, room, counter)?);
        let fits = measured.used(&plan).fits(self.limits);
        drop(measured);
        fits.then_some((filled, plan))
    }
}
