//! `explain --at`: the sections that each limit adds.

use crate::cli::args::{ExplainArgs, Global};
use crate::cli::input;
use crate::cli::packs;
use crate::cli::workspace::open;
use crate::console::report::print_lines;
use crate::console::{Exit, Failure};
use crate::engine::BudgetProbe;
use crate::review::grouped;
use crate::store::Access;
use crate::wire::Pack;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// What `explain --at` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BudgetSteps {
    /// The root's id or URL.
    root: String,
    /// The profile.
    profile: String,
    /// What the limits count: `tokens` where the profile or the command line limits tokens, else `chars`.
    unit: String,
    /// The steps, smallest first.
    steps: Vec<BudgetStep>,
}

/// A limit and what it buys.
#[derive(Debug, Serialize, JsonSchema)]
struct BudgetStep {
    /// The limit.
    limit: u64,
    /// What the rendering uses of it; absent where the limit cannot hold the root.
    used: Option<u64>,
    /// Why there is no pack at this limit.
    error: Option<String>,
    /// How many sections there are.
    sections: usize,
    /// How many were left out for the budget.
    left_out: usize,
    /// Sections that the step before does not have; of the first step all.
    buys: Vec<GainedSection>,
    /// The section that more budget brings in next.
    next: Option<NextGain>,
}

/// A section that a step brings in, or shows in more detail.
#[derive(Debug, Serialize, JsonSchema)]
struct GainedSection {
    /// Its id.
    id: String,
    /// Its title.
    title: String,
    /// Its detail.
    detail: String,
    /// Its detail at the step before, where it was there.
    before: Option<String>,
    /// Its characters.
    chars: u64,
}

/// What more budget brings in next.
#[derive(Debug, Serialize, JsonSchema)]
struct NextGain {
    /// Its id.
    id: String,
    /// Its title.
    title: String,
    /// The smallest limit at which it is there.
    limit: u64,
}

/// Builds the pack under each limit and prints the differences.
pub(super) fn run(global: &Global, args: &ExplainArgs) -> Result<Exit, Failure> {
    if args.target.target.as_ref().is_some_and(|target| matches!(input::is_pack(target), Ok(true))) {
        return Err(Failure::usage("`--at` builds the pack under each limit: give the root instead of the pack"));
    }
    let repository = open(global, &[], Some(Access::Read))?;
    let project = repository.project();
    let probe = packs::probe(&repository, &project, &args.target.pack())?.probe;
    let tokens = repository.settings().profiles.get(&probe.profile).is_some_and(|it| it.budget.max_tokens.is_some());
    let (tokens, asked) = match (args.target.budget.max_tokens, args.target.budget.max_chars) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("`--at` counts tokens or characters: give one of the two limits"));
        }
        (Some(limit), None) => (true, Some(limit)),
        (None, Some(limit)) => (false, Some(limit)),
        (None, None) => (tokens, None),
    };
    let mut limits = args.at.clone();
    limits.extend(asked);
    limits.sort_unstable();
    limits.dedup();
    let mut steps = Vec::new();
    let mut before: Option<Pack> = None;
    for limit in limits {
        let step = match probe.build(BudgetProbe::limit(tokens, limit))? {
            Ok(sealed) => {
                let pack = sealed.pack().clone();
                let step = step(&probe, limit, &pack, before.as_ref())?;
                before = Some(pack);
                step
            }
            Err(diagnostics) => BudgetStep {
                limit,
                used: None,
                error: diagnostics.first().map(|diagnostic| diagnostic.message.clone()),
                sections: 0,
                left_out: 0,
                buys: Vec::new(),
                next: None,
            },
        };
        steps.push(step);
    }
    let all = BudgetSteps {
        root: probe.item.map(|item| project.masked(&project.corpus().entries[item].item.id)).unwrap_or_default(),
        profile: probe.profile.clone(),
        unit: if tokens { "tokens" } else { "chars" }.to_owned(),
        steps,
    };
    // A limit that is too small is an answer; what else is wrong holds for all limits.
    let (_, run) = packs::build(global, &repository, &probe, BudgetProbe::limit(false, 1 << 53))?;
    run.print(global, true)?;
    print_lines(global.format, &all, text(&all))?;
    Ok(run.exit())
}

fn step(probe: &BudgetProbe<'_, '_>, limit: u64, pack: &Pack, before: Option<&Pack>) -> Result<BudgetStep, Failure> {
    let earlier = |id: &str| before.and_then(|pack| pack.sections.iter().find(|section| section.id == id));
    let buys = pack.sections.iter().filter_map(|section| {
        let old = earlier(&section.id);
        let more = old.is_none_or(|old| old.content != section.content);
        more.then(|| GainedSection {
            id: section.id.clone(),
            title: section.title.clone(),
            detail: section.metadata.detail.clone(),
            before: old.map(|old| old.metadata.detail.clone()),
            chars: section.metadata.chars,
        })
    });
    let out: BTreeSet<&str> =
        pack.omissions.iter().filter(|it| it.reason == "budget").map(|it| it.id.as_str()).collect();
    let next = if out.is_empty() {
        None
    } else {
        let added = |pack: &Pack| pack.sections.iter().find(|section| out.contains(&*section.id)).cloned();
        let enters = probe.smallest_limit(pack, &|pack| added(pack).is_some())?;
        let at = enters.map(|at| probe.build(BudgetProbe::limit(BudgetProbe::unit(pack).0 == "tokens", at)));
        let section = at.transpose()?.and_then(Result::ok).and_then(|sealed| added(sealed.pack()));
        enters.zip(section).map(|(limit, section)| NextGain { id: section.id, title: section.title, limit })
    };
    Ok(BudgetStep {
        limit,
        used: Some(BudgetProbe::unit(pack).1),
        error: None,
        sections: pack.sections.len(),
        left_out: out.len(),
        buys: buys.collect(),
        next,
    })
}

fn text(all: &BudgetSteps) -> Vec<String> {
    let unit = &all.unit;
    let mut lines = vec![format!("{}, profile {}, limits in {unit}", all.root, all.profile)];
    for (index, step) in all.steps.iter().enumerate() {
        lines.push(String::new());
        let limit = grouped(step.limit);
        let Some(used) = step.used else {
            lines.push(format!("{limit}: {}", step.error.as_deref().unwrap_or("there is no pack")));
            continue;
        };
        let left_out = step.left_out;
        lines.push(format!(
            "{limit}: {} used, {} sections, {left_out} left out for the budget",
            grouped(used),
            step.sections
        ));
        let sign = if index == 0 { ' ' } else { '+' };
        for bought in &step.buys {
            let detail = match &bought.before {
                Some(before) if *before != bought.detail => format!("{before} → {}", bought.detail),
                Some(_) => format!("more of {}", bought.detail),
                None => bought.detail.clone(),
            };
            lines.push(format!("  {sign} {}  {detail}, {} chars  {}", bought.id, grouped(bought.chars), bought.title));
        }
        if step.buys.is_empty() {
            lines.push("  nothing more".to_owned());
        }
        if let Some(next) = &step.next {
            let more = grouped(next.limit.saturating_sub(step.limit));
            lines.push(format!("  next: {} at {} ({more} more)  {}", next.id, grouped(next.limit), next.title));
        }
    }
    lines
}
