//! `contextpack explain`: what a pack holds, what each limit adds (`--at`), and why something is not in it (`--why-not`).

use super::args::{ExplainArgs, Global};
use super::input;
use super::packs::OpenedRepository;
use crate::console::{Exit, Failure, explanation_document, settled, without_secrets};
use crate::engine::{BudgetProbe, why_not_in};
use crate::review::{WhyNot, explain, grouped, why_not};
use crate::store::Access;
use crate::wire::{Pack, Section};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) fn run(global: &Global, args: &ExplainArgs) -> Result<Exit, Failure> {
    if let Some(asked) = &args.why_not {
        return settled(|| explain_missing(global, args, asked));
    }
    if !args.at.is_empty() {
        return settled(|| explain_limits(global, args));
    }
    let (pack, exit) = input::pack(global, &args.target.pack(), !args.target.no_agent, false)?;
    let explanation = explain(&pack);
    explanation_document(&explanation).print(global.format, global.verbose, &[], &explanation)?;
    Ok(exit)
}

/// Prints why an item or file is not in a pack; the exit code does not depend on it, but on errors of the input.
fn explain_missing(global: &Global, args: &ExplainArgs, asked: &str) -> Result<Exit, Failure> {
    let target = args.target.pack();
    let (answer, exit) = if names_pack(args) {
        let (pack, exit) = input::pack(global, &target, false, true)?;
        let answer = why_not(&pack, asked, &[asked.to_owned()]).unwrap_or_else(|| {
            let root = pack.root.name().cloned().unwrap_or_default();
            let help = format!("ask about the item in its repo: `contextpack explain {root} --why-not {asked}`");
            WhyNot::new(asked, "unknown", "the pack does not mention it", help)
        });
        (answer, exit)
    } else {
        let repository = global.open(Some(Access::Read))?;
        let opened = OpenedRepository::new(global, &repository);
        let target = if args.target.no_agent { target } else { opened.assigned(&target)? };
        let probe = opened.probe(&target)?;
        let (sealed, run) = opened.build(&probe)?;
        let sealed = run.of_pack(global, true, sealed)?;
        (why_not_in(&repository, &opened.project, &probe, &sealed, asked)?, run.exit())
    };
    let answer = answer.cleaned(without_secrets);
    let help = answer.help.iter().map(|help| format!("  help: {help}"));
    let lines = std::iter::once(format!("{}: {}", answer.asked, answer.message)).chain(help);
    global.print(&answer, lines)?;
    Ok(exit)
}

fn names_pack(args: &ExplainArgs) -> bool {
    args.target.target.as_ref().is_some_and(|target| matches!(input::is_pack(target), Ok(true)))
}

fn explain_limits(global: &Global, args: &ExplainArgs) -> Result<Exit, Failure> {
    if names_pack(args) {
        return Err(Failure::usage("`--at` builds the pack under each limit: give the item instead of the pack"));
    }
    let repository = global.open(Some(Access::Read))?;
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    let target = args.target.pack();
    let target = if args.target.no_agent { target } else { opened.assigned(&target)? };
    let probe = opened.probe(&target)?;
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
    let root = probe.item.map(|item| project.masked(&project.item(item).id)).unwrap_or_default();
    let unit = if tokens { "tokens" } else { "chars" };
    let mut lines = vec![format!("{root}, profile {}, limits in {unit}", probe.profile)];
    let mut steps = Vec::new();
    let mut before: Option<Pack> = None;
    for limit in limits {
        lines.push(String::new());
        match probe.build(BudgetProbe::limit(tokens, limit))? {
            Ok(sealed) => {
                let pack = sealed.pack().clone();
                steps.push(step(&probe, limit, &pack, before.as_ref(), &mut lines)?);
                before = Some(pack);
            }
            Err(diagnostics) => {
                let error = diagnostics.first().map(|diagnostic| diagnostic.message.as_str());
                lines.push(format!("{}: {}", grouped(limit), error.unwrap_or("there is no pack")));
                steps.push(json!({
                    "limit": limit, "used": null, "error": error, "sections": 0, "left_out": 0, "buys": [], "next": null,
                }));
            }
        }
    }
    // A limit that is too small is an answer; what else is wrong holds for all limits.
    let probe = BudgetProbe { limits: BudgetProbe::limit(false, 1 << 53), ..probe };
    let (_, run) = opened.build(&probe)?;
    run.print(global, true)?;
    let all = json!({"root": root, "profile": probe.profile, "unit": unit, "steps": steps});
    global.print(&all, lines)?;
    Ok(run.exit())
}

/// Returns what a limit gives, and adds lines about it. A section counts that the step before does not have; of the first step all.
fn step(
    probe: &BudgetProbe<'_, '_>,
    limit: u64,
    pack: &Pack,
    before: Option<&Pack>,
    lines: &mut Vec<String>,
) -> Result<Value, Failure> {
    let out: BTreeSet<&str> =
        pack.omissions.iter().filter(|it| it.reason == "budget").map(|it| it.id.as_str()).collect();
    let (unit, used) = BudgetProbe::unit(pack);
    let (sections, left_out) = (pack.sections.len(), out.len());
    let shown = grouped(used);
    lines.push(format!("{}: {shown} used, {sections} sections, {left_out} left out for the budget", grouped(limit)));
    let sign = if before.is_none() { ' ' } else { '+' };
    let mut buys = Vec::new();
    for Section { id, title, metadata, content, .. } in &pack.sections {
        let old = before.and_then(|pack| pack.sections.iter().find(|section| section.id == *id));
        if old.is_some_and(|old| old.content == *content) {
            continue;
        }
        let (detail, before) = (&metadata.detail, old.map(|old| &old.metadata.detail));
        let change = match before {
            Some(before) if before != detail => format!("{before} → {detail}"),
            Some(_) => format!("more of {detail}"),
            None => detail.clone(),
        };
        lines.push(format!("  {sign} {id}  {change}, {} chars  {title}", grouped(metadata.chars)));
        buys.push(json!({"id": id, "title": title, "detail": detail, "before": before, "chars": metadata.chars}));
    }
    if buys.is_empty() {
        lines.push("  nothing more".to_owned());
    }
    let added = |pack: &Pack| pack.sections.iter().find(|section| out.contains(&*section.id)).cloned();
    let enters = match out.is_empty() {
        true => None,
        false => probe.smallest_limit(pack, &|pack| added(pack).is_some())?,
    };
    let at = enters.map(|at| probe.build(BudgetProbe::limit(unit == "tokens", at)));
    let section = at.transpose()?.and_then(Result::ok).and_then(|sealed| added(sealed.pack()));
    let next = enters.zip(section).map(|(at, Section { id, title, .. })| {
        let more = grouped(at.saturating_sub(limit));
        lines.push(format!("  next: {id} at {} ({more} more)  {title}", grouped(at)));
        json!({"id": id, "title": title, "limit": at})
    });
    Ok(json!({
        "limit": limit, "used": used, "error": null, "sections": sections, "left_out": left_out, "buys": buys, "next": next,
    }))
}
