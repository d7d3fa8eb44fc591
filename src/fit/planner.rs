//! Search for the fullest plan whose rendering is within the budget.

use super::count::{Amount, Counter};
use super::filler::fill;
use super::fixed_part::{FixedPart, PreviousLevel};
use super::level::{DetailLevel, TrimStep, ladder};
use super::measured::MeasuredSelection;
use super::plan::{Plan, ShownSection};
use super::shorten::{between, shorten_root};
use super::{Fitted, FittedSection, OmittedSection, TooSmall};
use crate::config::{Budget, Strategy};
use crate::select::{Candidate, Omission, Role, SectionBody, Selection};

/// The characters of the root's text that the smallest pack shows.
const BEGINNING: u64 = 240;

/// The most attempts to meet a token limit: joined texts have slightly fewer tokens than the sum of their counts.
const MAX_ATTEMPTS: usize = 8;

/// Makes a selection fit a budget, as `docs/budget.md` describes.
///
/// The root and the instructions always stay. What is left out is listed in
/// [`Fitted::omissions`], so that a reader can tell "absent" from "left out".
///
/// # Errors
/// [`TooSmall`] if not even the instructions and the beginning of the root
/// fit, with the smallest limits that work.
pub fn fit(selection: Selection, budget: &Budget, counter: &Counter) -> Result<Fitted, TooSmall> {
    let planner = Planner::new(&selection, budget, counter);
    let (chosen, complete) = planner.with_claims(planner.best()?);
    let filled = if complete { fill(&selection, &chosen.plan, planner.limits, budget.strategy, counter) } else { None };
    let fitted = |(kept, omissions), used, selection: Selection| {
        let head = std::iter::once(&selection.instructions).chain(&selection.soul);
        let head_tokens = head.map(|candidate| match &candidate.body {
            SectionBody::Whole(text) => counter.measure_shared(text).tokens,
            _ => 0,
        });
        Fitted { kept, omissions, budget: budget.clone(), used, head_tokens: head_tokens.collect(), selection }
    };
    if let Some((filled, plan)) = filled {
        let planner = Planner::new(&filled, budget, counter);
        let (parts, used) = (planner.parts(&plan), planner.measured.used(&plan));
        return Ok(fitted(parts, used, filled));
    }
    let parts = planner.parts(&chosen.plan);
    Ok(fitted(parts, chosen.used, selection))
}

fn omission(candidate: &Candidate) -> Omission {
    Omission {
        id: candidate.id.clone(),
        title: candidate.title.clone(),
        origin: candidate.origin.clone(),
        provenance: candidate.provenance,
        reason: "budget",
        trust: candidate.trust,
        chars: None,
    }
}

/// A plan with the size of its rendering.
struct Chosen {
    plan: Plan,
    used: Amount,
}

/// The search for the fullest plan within a budget.
struct Planner<'a> {
    selection: &'a Selection,
    counter: &'a Counter,
    measured: MeasuredSelection<'a>,
    budget: &'a Budget,
    /// The budget's limits without the margin.
    limits: Amount,
    ladder: Vec<TrimStep>,
}

impl<'a> Planner<'a> {
    fn new(selection: &'a Selection, budget: &'a Budget, counter: &'a Counter) -> Self {
        Self {
            selection,
            counter,
            measured: MeasuredSelection::new(selection, counter),
            budget,
            limits: limits(budget),
            ladder: ladder(&selection.candidates, budget.strategy),
        }
    }

    /// Returns the fullest plan whose rendering is within the limits.
    ///
    /// A plan must be whole or show at least as much of the root as the
    /// smallest one does, so that every limit from the smallest on works.
    fn best(&self) -> Result<Chosen, TooSmall> {
        let limit = self.limits.tokens;
        let (mut best, mut over): (Option<Chosen>, u64) = (None, u64::MAX);
        let (mut aim, mut back) = (limit, 1);
        for _ in 0..MAX_ATTEMPTS {
            let Some(plan) = self.plan_within(Amount { tokens: aim, ..self.limits }) else { break };
            let whole = plan.is_whole();
            let used = self.measured.used(&plan);
            let next = if used.fits(self.limits) {
                let slack = limit - used.tokens;
                if best.as_ref().is_none_or(|best| used.chars >= best.used.chars) {
                    best = Some(Chosen { plan, used });
                }
                if whole || limit == u64::MAX || slack <= limit / 100 {
                    break;
                }
                aim.saturating_add(slack).min(aim.midpoint(over))
            } else if limit == u64::MAX {
                // Characters and bytes add up exactly, so another token limit changes nothing.
                break;
            } else {
                over = over.min(aim);
                // Cuts are rounded, so a small step back may change nothing: each is twice the one before.
                back = (back * 2).max(used.tokens.saturating_sub(limit));
                aim.saturating_sub(back)
            };
            if next == aim || next >= over && over < u64::MAX {
                break;
            }
            aim = next;
        }
        if let Some(best) = best.take_if(|best| best.plan.is_whole()) {
            return Ok(best);
        }
        let smallest = self.smallest();
        if !smallest.used.fits(self.limits) {
            return Err(self.too_small(&smallest));
        }
        let shown_of_root = |plan: &Plan| self.measured.root.map_or(0, |root| plan.len_at(root));
        let beginning = shown_of_root(&smallest.plan);
        Ok(best.filter(|best| shown_of_root(&best.plan) >= beginning).unwrap_or(smallest))
    }

    /// Adds as many claims about the root as fit, if the plan is whole, and returns whether it is whole with all of them.
    ///
    /// A plan that trims anything shows none, so that text by untrusted authors displaces nothing.
    fn with_claims(&self, chosen: Chosen) -> (Chosen, bool) {
        let whole = chosen.plan.is_whole();
        let edges = self.selection.candidates.iter().enumerate().find_map(|(at, candidate)| match &candidate.body {
            SectionBody::Edges(list) if list.claims.count > 0 => Some((at, list)),
            _ => None,
        });
        let Some((at, list)) = edges.filter(|_| whole) else { return (chosen, whole) };
        let Some(shown) = chosen.plan.shown[at].clone() else { return (chosen, false) };
        let with = |count| {
            let mut plan = chosen.plan.clone();
            plan.shown[at] = Some(ShownSection { content: list.claims.below(&shown.content, count), ..shown.clone() });
            let used = self.measured.used(&plan);
            used.fits(self.limits).then_some((Chosen { plan, used }, count == list.claims.rows.len()))
        };
        (0..=list.claims.rows.len()).rev().find_map(with).unwrap_or((chosen, false))
    }

    /// Returns the smallest plan: every step taken, and the beginning of the root.
    fn smallest(&self) -> Chosen {
        let mut plan = Plan::whole(self.selection);
        for step in &self.ladder {
            for section in &step.sections {
                if step.to == DetailLevel::LeftOut {
                    plan.shown[*section] = None;
                } else if plan.shown[*section].is_some()
                    && let Some(lower) = ShownSection::at(&self.selection.candidates[*section], step.to)
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
        Chosen { plan, used }
    }

    /// Returns the smallest limits that work.
    ///
    /// Small texts may be smaller in full than in their lowest level of detail.
    fn too_small(&self, smallest: &Chosen) -> TooSmall {
        let whole = self.measured.full.iter().fold(Amount::default(), |sum, amount| sum.plus(*amount));
        let mut used = smallest.used;
        if whole.chars <= 2 * used.chars {
            let whole = self.measured.used(&Plan::whole(self.selection));
            used = used.with(whole, u64::min);
        }
        let keep = 100 - u64::from(self.budget.margin.min(99));
        let with_margin = |value: u64| (value * 100).div_ceil(keep);
        TooSmall {
            smallest: Amount {
                chars: with_margin(used.chars),
                bytes: with_margin(used.bytes),
                tokens: with_margin(used.tokens),
            },
        }
    }

    /// Returns the first plan of the ladder within `limits`, by the sum of its parts.
    fn plan_within(&self, limits: Amount) -> Option<Plan> {
        let candidates = &self.selection.candidates;
        let mut plan = Plan::whole(self.selection);
        let mut fixed = FixedPart::new(&self.measured);
        let root_full = self.measured.full_root();
        if fixed.total().plus(root_full).fits(limits) {
            return Some(plan);
        }
        let reserve = match self.budget.strategy {
            Strategy::Both => self.share_root(&mut plan, limits, &mut fixed),
            Strategy::DropLowPriority | Strategy::TruncateTail => Some(root_full),
        };
        for step in &self.ladder {
            let lowered = fixed.take(step);
            if lowered.is_empty() {
                continue;
            }
            for previous in &lowered {
                plan.shown[previous.section] = ShownSection::at(&candidates[previous.section], step.to);
            }
            let Some(reserve) = reserve.filter(|reserve| fixed.total().plus(*reserve).fits(limits)) else { continue };
            let room = limits.minus(reserve);
            match &lowered[..] {
                [last] if step.to == DetailLevel::LeftOut => self.keep_part(&mut plan, &mut fixed, last, room),
                _ => self.share_out(&mut plan, &fixed, step.to, &lowered, room),
            }
            return Some(plan);
        }
        fixed.shorten_root();
        if !fixed.total().fits(limits) {
            return None;
        }
        plan.shown[self.measured.root?] = Some(self.cut_root(limits.minus(fixed.total()))?);
        Some(plan)
    }

    /// Gives the last section that leaves as much of the room as it can use, if that is enough for a part of it.
    fn keep_part(&self, plan: &mut Plan, fixed: &mut FixedPart<'_>, last: &PreviousLevel, room: Amount) {
        let tail = match self.budget.strategy {
            Strategy::TruncateTail => true,
            Strategy::Both if last.level < DetailLevel::Pointer => false,
            Strategy::Both | Strategy::DropLowPriority => return,
        };
        fixed.reopen(last);
        if !fixed.total().fits(room) {
            return;
        }
        let body = &self.selection.candidates[last.section].body;
        let part = between(body, last.level, DetailLevel::Pointer, tail, room.minus(fixed.total()), self.counter);
        if let Some((content, detail)) = part {
            plan.shown[last.section] = Some(ShownSection { content, detail, whole: false });
        }
    }

    /// Shares the room out among the sections of a step, the strongest first: as evenly as their sizes allow, and more for
    /// what weighs more.
    ///
    /// Each section gets at least the text of the lower level and at most that of the upper one. In each unit the shares add
    /// up to no more than the room, and each only grows with it.
    fn share_out(
        &self,
        plan: &mut Plan,
        fixed: &FixedPart<'_>,
        to: DetailLevel,
        lowered: &[PreviousLevel],
        room: Amount,
    ) {
        let left = room.minus(fixed.total());
        let lowered: Vec<&PreviousLevel> = lowered.iter().rev().collect();
        // What leaves the list of pointers again may be listed among the shortened sections.
        let listed = |section: usize| match self.measured.is_line(section, to) {
            true => self.measured.shortened_lines[section],
            false => Amount::default(),
        };
        // Whatever gains a part of its text has a frame.
        let around = |section| self.measured.around(section, DetailLevel::Excerpt).plus(listed(section));
        let shares = |unit: fn(Amount) -> u64| {
            let ranges = lowered.iter().map(|previous| Share {
                least: unit(fixed.amount(previous.section)),
                most: unit(previous.amount.plus(listed(previous.section))),
                weight: self.weight(previous.section),
            });
            evenly(unit(left), ranges.collect(), unit(USEFUL))
        };
        let (chars, bytes, tokens) = (shares(|it| it.chars), shares(|it| it.bytes), shares(|it| it.tokens));
        for (index, previous) in lowered.iter().enumerate() {
            let share = Amount { chars: chars[index], bytes: bytes[index], tokens: tokens[index] };
            let candidate = &self.selection.candidates[previous.section];
            if previous.amount.plus(listed(previous.section)).fits(share) {
                plan.shown[previous.section] = ShownSection::at(candidate, previous.level);
            } else if let Some((content, detail)) =
                between(&candidate.body, previous.level, to, false, share.minus(around(previous.section)), self.counter)
                && content.len() > plan.len_at(previous.section)
            {
                plan.shown[previous.section] = Some(ShownSection { content, detail, whole: false });
            }
        }
    }

    fn weight(&self, section: usize) -> u64 {
        match self.selection.candidates[section].role {
            Role::Rank(rank) => u64::from(rank.weight),
            Role::Root | Role::Fixed | Role::Json | Role::Edges => 100,
        }
    }

    /// Shortens the root to its share of the limits, and returns the amount reserved for it.
    ///
    /// `None` if the share cannot hold the root's beginning: then the root gets what all others leave at the end of the
    /// ladder. With a single limit in characters or bytes the whole share is reserved, used or not: it grows by at most
    /// one as the limit does, so a larger budget never takes room from the others.
    fn share_root(&self, plan: &mut Plan, limits: Amount, fixed: &mut FixedPart<'_>) -> Option<Amount> {
        let share = u64::from(self.budget.root_share);
        let portion = limits.with(limits, |limit, _| match limit {
            u64::MAX => u64::MAX,
            limit => u64::try_from(u128::from(limit) * u128::from(share) / 100).unwrap_or(u64::MAX),
        });
        let root = self.measured.full_root();
        if root.fits(portion.with(limits.minus(fixed.total()), u64::max)) {
            return Some(root);
        }
        fixed.shorten_root();
        let cap = portion.with(limits.minus(fixed.total()), u64::max);
        let shown = self.cut_root(cap)?;
        let amount = self.counter.measure(&shown.content);
        plan.shown[self.measured.root?] = Some(shown);
        let limited = [limits.chars, limits.bytes, limits.tokens].iter().filter(|limit| **limit < u64::MAX).count();
        let reserved = limited == 1 && limits.tokens == u64::MAX;
        Some(if reserved { cap.with(root, u64::min) } else { amount })
    }

    /// Returns the root's text cut to `room`; `None` if not even its beginning fits.
    fn cut_root(&self, room: Amount) -> Option<ShownSection> {
        let SectionBody::Passage(passage, _) = &self.selection.candidates[self.measured.root?].body else {
            return None;
        };
        if self.measured.full_root().fits(room) {
            return Some(ShownSection { content: passage.full().clone(), detail: "full", whole: true });
        }
        let content = shorten_root(passage, room, self.counter)?;
        let detail = if content.len() == passage.full().len() { "full" } else { "truncated" };
        Some(ShownSection { content, detail, whole: detail == "full" })
    }

    /// Returns the sections that a plan keeps, and all omissions.
    fn parts(&self, plan: &Plan) -> (Vec<FittedSection>, Vec<OmittedSection>) {
        let counted = self.counter.counts_tokens();
        let budget = plan.left_out().map(|section| {
            let full = self.measured.full[section];
            let omission = Omission { chars: Some(full.chars), ..omission(&self.selection.candidates[section]) };
            OmittedSection { omission, tokens: counted.then_some(full.tokens) }
        });
        let others = self.selection.omissions.iter();
        let others = others.map(|omission| OmittedSection { omission: omission.clone(), tokens: None });
        (self.kept(plan), budget.chain(others).collect())
    }

    /// Returns the sections that a plan keeps.
    fn kept(&self, plan: &Plan) -> Vec<FittedSection> {
        plan.shown
            .iter()
            .enumerate()
            .filter_map(|(candidate, shown)| {
                let ShownSection { content, detail, whole } = shown.as_ref()?;
                let whole = *whole;
                // Claims below the edges are not part of their full size.
                let counted = whole && self.selection.candidates[candidate].role != Role::Edges;
                let tokens = if counted { self.measured.full[candidate] } else { self.counter.measure(content) }.tokens;
                let full_chars = (!whole).then_some(self.measured.full[candidate].chars);
                Some(FittedSection { candidate, content: content.clone(), detail, tokens, full_chars })
            })
            .collect()
    }
}

/// The room above its lower level with which a section shows something worth reading.
const USEFUL: Amount = Amount { chars: 400, bytes: 400, tokens: 100 };

/// The least and the most that a section can use of a room, and its weight.
#[derive(Debug, Clone, Copy)]
struct Share {
    least: u64,
    most: u64,
    weight: u64,
}

/// Shares `left` out on top of the least of each: first `useful` to each in turn, since less shows nothing, then up to one
/// level for all, in proportion to their weights.
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

/// Returns the limits less the margin; `u64::MAX` for a unit without a limit.
fn limits(budget: &Budget) -> Amount {
    let keep = u128::from(100 - budget.margin.min(99));
    let limit = |limit: Option<u64>| {
        limit.map_or(u64::MAX, |limit| u64::try_from(u128::from(limit) * keep / 100).unwrap_or(u64::MAX))
    };
    Amount { chars: limit(budget.max_chars), bytes: limit(budget.max_bytes), tokens: limit(budget.max_tokens) }
}
