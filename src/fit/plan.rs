//! The walk down the ladder, and the search for the cut that fills the budget.

use super::count::{Amount, Counter};
use super::level::{DetailLevel, TrimStep, content, ladder};
use super::shorten::{Cut, between, shorten};
use super::{Fitted, FittedSection, OmittedSection, TooSmall};
use crate::config::{Budget, Strategy};
use crate::redact::Clean;
use crate::render::{self, Form};
use crate::select::{Candidate, Omission, Role, SectionBody, Selection, Trust};
use std::collections::BTreeSet;

/// How many characters of the root's text the smallest pack shows.
const BEGINNING: u64 = 240;

/// How often the token limit is aimed at; texts joined count a little less than one by one.
const AIMS: usize = 8;

/// Makes a selection fit a budget (contract section 5).
///
/// The root and the instructions never leave. What does is listed in
/// [`Fitted::omissions`], so that a reader can tell "absent" from "left out".
///
/// # Errors
/// [`TooSmall`] where not even the instructions and the beginning of the root
/// fit, with the smallest limits that work.
pub fn fit(selection: Selection, budget: &Budget, counter: &Counter) -> Result<Fitted, TooSmall> {
    let planner = Planner::new(&selection, budget, counter);
    let chosen = planner.with_claims(planner.best()?);
    let kept = planner.kept(&chosen.plan);
    let left: Vec<usize> = chosen.plan.left().collect();
    let instructions_tokens = match &selection.instructions.body {
        SectionBody::Whole(text) => counter.shared(text).tokens,
        _ => 0,
    };
    let counted = counter.counts_tokens();
    let mut omissions: Vec<OmittedSection> = left
        .into_iter()
        .map(|section| {
            let candidate = &selection.candidates[section];
            let full = planner.full[section];
            let omission = Omission { chars: Some(full.chars), ..omission(candidate) };
            OmittedSection { omission, tokens: counted.then_some(full.tokens) }
        })
        .collect();
    omissions
        .extend(selection.omissions.iter().map(|omission| OmittedSection { omission: omission.clone(), tokens: None }));
    Ok(Fitted { kept, omissions, budget: budget.clone(), used: chosen.used, instructions_tokens, selection })
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

struct Planner<'a> {
    selection: &'a Selection,
    budget: &'a Budget,
    counter: &'a Counter,
    limits: Amount,
    places: Vec<Clean>,
    /// At least as long as that of any plan.
    tag: render::Tag,
    ladder: Vec<TrimStep>,
    /// What each section's frame costs.
    frames: Vec<Amount>,
    /// What each section's whole text costs.
    full: Vec<Amount>,
    /// The instructions and the empty line after them.
    head: Amount,
    root: usize,
}

/// What each section shows; by index of the selection's candidates.
#[derive(Clone)]
struct Plan {
    shown: Vec<Option<ShownSection>>,
}

#[derive(Clone)]
struct ShownSection {
    content: Clean,
    detail: &'static str,
}

struct Chosen {
    plan: Plan,
    used: Amount,
}

impl Plan {
    fn left(&self) -> impl Iterator<Item = usize> {
        self.shown.iter().enumerate().filter(|(_, shown)| shown.is_none()).map(|(section, _)| section)
    }

    fn is_whole(&self) -> bool {
        self.shown.iter().all(|shown| shown.as_ref().is_some_and(|shown| shown.detail == "full"))
    }

    fn len_at(&self, section: usize) -> usize {
        self.shown.get(section).and_then(Option::as_ref).map_or(0, |shown| shown.content.len())
    }
}

impl<'a> Planner<'a> {
    fn new(selection: &'a Selection, budget: &'a Budget, counter: &'a Counter) -> Self {
        let candidates = &selection.candidates;
        let places: Vec<Clean> = candidates.iter().map(|candidate| candidate.origin.place()).collect();
        let texts: Vec<Clean> = candidates
            .iter()
            .map(|candidate| content(&candidate.body, DetailLevel::Full).unwrap_or_default())
            .collect();
        // What stays is cut out of these: the texts, the lines that point to them, and the places that gaps name.
        let pointers: Vec<Clean> =
            candidates.iter().filter_map(|candidate| content(&candidate.body, DetailLevel::Pointer)).collect();
        let cuttable = [&texts, &pointers, &places].into_iter().flatten().map(Clean::as_str);
        let tag = Form::CURRENT.longest_tag(instructions(selection), cuttable);
        let frames = candidates
            .iter()
            .zip(&places)
            .map(|(candidate, place)| counter.measure(&render::frame_size(tag, &frame(candidate, place, ""))))
            .collect();
        let head = counter
            .measure(&render::render(Form::CURRENT, instructions(selection), &[], std::iter::empty()).instructions);
        Self {
            selection,
            budget,
            counter,
            limits: limits(budget),
            places,
            tag,
            ladder: ladder(candidates, budget.strategy),
            frames,
            full: candidates.iter().zip(&texts).map(|(candidate, text)| amount(candidate, text, counter)).collect(),
            head,
            root: candidates.iter().position(|candidate| candidate.role == Role::Root).unwrap_or_default(),
        }
    }

    /// The fullest plan whose rendering is within the limits.
    ///
    /// The whole may be one, and any that shows at least what the smallest
    /// pack does: so the limits that work are all those from the smallest on.
    fn best(&self) -> Result<Chosen, TooSmall> {
        let limit = self.limits.tokens;
        let (mut best, mut over): (Option<Chosen>, u64) = (None, u64::MAX);
        let (mut aim, mut back) = (limit, 1);
        for _ in 0..AIMS {
            let Some(plan) = self.plan(Amount { tokens: aim, ..self.limits }) else { break };
            let whole = plan.is_whole();
            let used = self.used(&plan);
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
                // Characters and bytes add up, so fewer tokens help nothing.
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
        let least = self.least();
        if !least.used.fits(self.limits) {
            return Err(self.too_small(&least));
        }
        let beginning = least.plan.len_at(self.root);
        Ok(best.filter(|best| best.plan.len_at(self.root) >= beginning).unwrap_or(least))
    }

    /// Shows the claims about the root as far as there is room for them in a plan that is whole.
    ///
    /// Where anything had to give way there is none: whatever strangers write takes nothing away.
    fn with_claims(&self, chosen: Chosen) -> Chosen {
        let edges = self.selection.candidates.iter().enumerate().find_map(|(at, candidate)| match &candidate.body {
            SectionBody::Edges(list) if list.claims.count > 0 => Some((at, list)),
            _ => None,
        });
        let Some((at, list)) = edges.filter(|_| chosen.plan.is_whole()) else { return chosen };
        let Some(shown) = chosen.plan.shown[at].clone() else { return chosen };
        let with = |count| {
            let mut plan = chosen.plan.clone();
            plan.shown[at] = Some(ShownSection { content: list.claims.below(&shown.content, count), ..shown.clone() });
            let used = self.used(&plan);
            used.fits(self.limits).then_some(Chosen { plan, used })
        };
        (0..=list.claims.rows.len()).rev().find_map(with).unwrap_or(chosen)
    }

    /// The smallest pack: every step taken, and the beginning of the root.
    fn least(&self) -> Chosen {
        let mut plan = self.whole();
        for step in &self.ladder {
            if step.to == DetailLevel::Gone {
                plan.shown[step.section] = None;
            } else if let Some(content) = content(&self.selection.candidates[step.section].body, step.to) {
                let smaller =
                    plan.shown[step.section].as_ref().is_some_and(|shown| content.len() < shown.content.len());
                if smaller {
                    plan.shown[step.section] = Some(ShownSection { content, detail: detail(step.to) });
                }
            }
        }
        let room = Amount { chars: BEGINNING, ..Amount::UNLIMITED };
        if self.full[self.root].chars > BEGINNING + BEGINNING / 2 {
            plan.shown[self.root] = self.cut_root(room).or_else(|| plan.shown[self.root].clone());
        }
        let used = self.used(&plan);
        Chosen { plan, used }
    }

    /// The smallest limits that work; a whole that is smaller than its smallest form counts as one.
    fn too_small(&self, least: &Chosen) -> TooSmall {
        let whole = self.full.iter().fold(Amount::default(), |sum, amount| sum.plus(*amount));
        let mut used = least.used;
        if whole.chars <= 2 * used.chars {
            let whole = self.used(&self.whole());
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

    /// Everything in full.
    fn whole(&self) -> Plan {
        Plan { shown: self.selection.candidates.iter().map(full).collect() }
    }

    /// The first plan of the ladder within `limits`, as far as sums can tell.
    fn plan(&self, limits: Amount) -> Option<Plan> {
        let candidates = &self.selection.candidates;
        let mut plan = self.whole();
        let mut rest = FixedPart::new(self);
        let root_full = self.full[self.root];
        if rest.total().plus(root_full).fits(limits) {
            return Some(plan);
        }
        let reserve = match self.budget.strategy {
            Strategy::Both => self.share_root(&mut plan, limits, rest.total()),
            Strategy::DropLowPriority | Strategy::TruncateTail => Some(root_full),
        };
        for step in &self.ladder {
            let before = rest.total();
            let Some(upper) = rest.take(step) else { continue };
            let candidate = &candidates[step.section];
            plan.shown[step.section] =
                content(&candidate.body, step.to).map(|content| ShownSection { content, detail: detail(step.to) });
            let Some(reserve) = reserve.filter(|reserve| rest.total().plus(*reserve).fits(limits)) else { continue };
            let tail = self.budget.strategy == Strategy::TruncateTail;
            if step.to == DetailLevel::Gone && !tail {
                return Some(plan);
            }
            let others = if step.to == DetailLevel::Gone {
                before.minus(upper.amount)
            } else {
                rest.total().minus(rest.amounts[step.section])
            };
            let room = limits.minus(others.plus(reserve));
            if !others.plus(reserve).fits(limits) {
                return Some(plan);
            }
            if let Some((content, detail)) = between(&candidate.body, upper.level, step.to, tail, room, self.counter) {
                plan.shown[step.section] = Some(ShownSection { content, detail });
            }
            return Some(plan);
        }
        if !rest.total().fits(limits) {
            return None;
        }
        plan.shown[self.root] = Some(self.cut_root(limits.minus(rest.total()))?);
        Some(plan)
    }

    /// Shortens the root to its share of the limits; returns what is reserved for it, or nothing where not even
    /// its share holds a beginning: then it takes what all others leave, at the ladder's end.
    ///
    /// With one limit in characters or bytes the whole share is reserved, used or not:
    /// it grows by at most one as the limit does, so the others never lose room.
    fn share_root(&self, plan: &mut Plan, limits: Amount, others: Amount) -> Option<Amount> {
        let share = u64::from(self.budget.root_share);
        let portion = limits.with(limits, |limit, _| match limit {
            u64::MAX => u64::MAX,
            limit => u64::try_from(u128::from(limit) * u128::from(share) / 100).unwrap_or(u64::MAX),
        });
        let cap = portion.with(limits.minus(others), u64::max);
        let root = self.full[self.root];
        if root.fits(cap) {
            return Some(root);
        }
        let shown = self.cut_root(cap)?;
        let amount = self.counter.measure(&shown.content);
        plan.shown[self.root] = Some(shown);
        let limited = [limits.chars, limits.bytes, limits.tokens].iter().filter(|limit| **limit < u64::MAX).count();
        let reserved = limited == 1 && limits.tokens == u64::MAX;
        Some(if reserved { cap.with(root, u64::min) } else { amount })
    }

    fn cut_root(&self, room: Amount) -> Option<ShownSection> {
        let SectionBody::Passage(passage, _) = &self.selection.candidates[self.root].body else { return None };
        if self.full[self.root].fits(room) {
            return Some(ShownSection { content: passage.full().clone(), detail: "full" });
        }
        let content = shorten(passage, None, Cut::KeepKeys, room, self.counter)?;
        Some(ShownSection { content, detail: "truncated" })
    }

    /// What the rendering of a plan uses, exactly.
    fn used(&self, plan: &Plan) -> Amount {
        let frames: Vec<render::Frame<'_>> = plan
            .shown
            .iter()
            .enumerate()
            .filter_map(|(section, shown)| {
                let content = &shown.as_ref()?.content;
                Some(frame(&self.selection.candidates[section], &self.places[section], content))
            })
            .collect();
        let left: Vec<usize> = plan.left().collect();
        let others: Vec<Clean> = self.selection.omissions.iter().map(|omission| omission.origin.place()).collect();
        let lines: Vec<render::OmissionLine<'_>> =
            left.iter().map(|section| self.line(*section)).chain(self.other_lines(&others)).collect();
        let text = render::render(Form::CURRENT, instructions(self.selection), &frames, lines.into_iter()).whole();
        self.counter.measure(&text)
    }

    fn line(&self, section: usize) -> render::OmissionLine<'_> {
        let candidate = &self.selection.candidates[section];
        render::OmissionLine {
            title: &candidate.title,
            reason: "budget",
            place: &self.places[section],
            untrusted: candidate.trust == Trust::Untrusted,
        }
    }

    fn other_lines<'b>(&'b self, places: &'b [Clean]) -> impl Iterator<Item = render::OmissionLine<'b>> {
        self.selection.omissions.iter().zip(places).map(|(omission, place)| render::OmissionLine {
            title: &omission.title,
            reason: omission.reason,
            place,
            untrusted: omission.trust == Trust::Untrusted,
        })
    }

    fn kept(&self, plan: &Plan) -> Vec<FittedSection> {
        plan.shown
            .iter()
            .enumerate()
            .filter_map(|(candidate, shown)| {
                let ShownSection { content, detail } = shown.as_ref()?;
                let whole = *detail == "full";
                // What is below the edges was not counted with them.
                let counted = whole && self.selection.candidates[candidate].role != Role::Edges;
                let tokens = if counted { self.full[candidate] } else { self.counter.measure(content) }.tokens;
                let full_chars = (!whole).then_some(self.full[candidate].chars);
                Some(FittedSection { candidate, content: content.clone(), detail, tokens, full_chars })
            })
            .collect()
    }
}

/// Everything but the root's text, as the walk goes down the ladder.
struct FixedPart<'a> {
    planner: &'a Planner<'a>,
    levels: Vec<DetailLevel>,
    amounts: Vec<Amount>,
    /// Instructions, frames and texts.
    sections: Amount,
    footer: Amount,
    left: BTreeSet<usize>,
    others: Vec<Clean>,
}

/// What a section showed before a step.
struct PreviousLevel {
    level: DetailLevel,
    amount: Amount,
}

impl<'a> FixedPart<'a> {
    fn new(planner: &'a Planner<'a>) -> Self {
        let mut amounts = planner.full.clone();
        if let Some(root) = amounts.get_mut(planner.root) {
            *root = Amount::default();
        }
        let sections = amounts.iter().chain(&planner.frames).fold(planner.head, |sum, amount| sum.plus(*amount));
        let others: Vec<Clean> =
            planner.selection.omissions.iter().take(render::LISTED).map(|omission| omission.origin.place()).collect();
        let mut rest = Self {
            planner,
            levels: vec![DetailLevel::Full; amounts.len()],
            amounts,
            sections,
            footer: Amount::default(),
            left: BTreeSet::new(),
            others,
        };
        rest.footer = rest.footer();
        rest
    }

    fn total(&self) -> Amount {
        self.sections.plus(self.footer)
    }

    /// Takes a step; `None` where it would not make the text shorter and is skipped.
    fn take(&mut self, step: &TrimStep) -> Option<PreviousLevel> {
        let section = step.section;
        let upper = PreviousLevel { level: self.levels[section], amount: self.amounts[section] };
        if upper.level == DetailLevel::Gone {
            return None;
        }
        let total = self.total();
        if step.to == DetailLevel::Gone {
            let footer = self.footer;
            self.left.insert(section);
            self.footer = self.footer();
            let sections = self.sections.minus(upper.amount).minus(self.planner.frames[section]);
            if sections.plus(self.footer).chars >= total.chars {
                self.left.remove(&section);
                self.footer = footer;
                return None;
            }
            self.sections = sections;
            self.amounts[section] = Amount::default();
        } else {
            let lower = content(&self.planner.selection.candidates[section].body, step.to)?;
            let lower = amount(&self.planner.selection.candidates[section], &lower, self.planner.counter);
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
        let listed = self.left.iter().map(|section| self.planner.line(*section));
        let others = self.planner.other_lines(&self.others);
        let count = self.left.len() + self.planner.selection.omissions.len();
        let footer = Form::CURRENT.footer(self.planner.tag, listed.chain(others), count);
        self.planner.counter.measure(&footer)
    }
}

/// Passages are shared by packs; what is made for one root is counted once and forgotten.
fn amount(candidate: &Candidate, text: &Clean, counter: &Counter) -> Amount {
    match candidate.body {
        SectionBody::Passage(..) => counter.shared(text),
        _ => counter.measure(text),
    }
}

/// The limits less the margin; what is not limited is unlimited.
fn limits(budget: &Budget) -> Amount {
    let keep = u128::from(100 - budget.margin.min(99));
    let limit = |limit: Option<u64>| {
        limit.map_or(u64::MAX, |limit| u64::try_from(u128::from(limit) * keep / 100).unwrap_or(u64::MAX))
    };
    Amount { chars: limit(budget.max_chars), bytes: limit(budget.max_bytes), tokens: limit(budget.max_tokens) }
}

fn full(candidate: &Candidate) -> Option<ShownSection> {
    content(&candidate.body, DetailLevel::Full).map(|content| ShownSection { content, detail: "full" })
}

fn detail(level: DetailLevel) -> &'static str {
    match level {
        DetailLevel::Full => "full",
        DetailLevel::Excerpt => "excerpt",
        DetailLevel::Pointer | DetailLevel::Gone => "pointer",
    }
}

fn instructions(selection: &Selection) -> &str {
    match &selection.instructions.body {
        SectionBody::Whole(text) => text,
        _ => "",
    }
}

fn frame<'b>(candidate: &'b Candidate, place: &'b str, content: &'b str) -> render::Frame<'b> {
    render::Frame {
        id: &candidate.id,
        kind: candidate.kind,
        source: place,
        trust: candidate.trust.name(),
        state: candidate.state.as_deref().or(candidate.status.as_deref()).unwrap_or_default(),
        content,
    }
}
