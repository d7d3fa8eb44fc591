//! `contextpack diff`.

mod document;
mod sides;

pub(super) use document::{diff_line, document, graph, sections};

use super::args::{BudgetArgs, DiffArgs, Global};
use super::packs;
use super::verify::companion_fault;
use crate::console::github::Annotations;
use crate::console::{Exit, Failure, Format, settled};
use crate::engine::{Built, Project, lost_its_issue};
use crate::model::IssueReference;
use crate::review::{self, Diff, Pair, Rebuilt, SalvagedPack, compare, salvage};
use crate::seal::Sealed;
use rayon::prelude::*;
use sides::{Side, Sides};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<Exit, Failure> {
    let sides = Sides::find(global, args)?;
    let (rebuilt, exit) = match args.rebuild {
        true => settled(|| rebuild(global, &sides.new)).map(|(packs, exit)| (Some(packs), exit))?,
        false => (None, Exit::Done),
    };
    let diff = compared(&sides, rebuilt.as_ref());
    print_diff(global, &diff)?;
    if !global.quiet {
        note_companions(global, &sides)?;
    }
    Ok(exit.and(if args.exit_code && !diff.is_empty() { Exit::Stale } else { Exit::Done }))
}

/// Notes each companion on disk that is not the rendering of its pack: it is no part of the comparison.
fn note_companions(global: &Global, sides: &Sides) -> Result<(), Failure> {
    let both = [&sides.old, &sides.new];
    let packs = both.into_iter().flat_map(|side| side.packs.iter().map(move |(file, bytes)| (side, file, bytes)));
    let mut noted = BTreeSet::new();
    for (side, file, bytes) in packs {
        let Some(path) = side.path(file) else { continue };
        let shown = side.shown(file);
        if let Some(fault) = companion_fault(&path, bytes, &shown)?
            && noted.insert(shown.clone())
        {
            let what = "only packs are compared, and `contextpack build` writes it again";
            global.note(&format!("note: {shown}: {fault}; {what}"))?;
        }
    }
    Ok(())
}

fn compared(Sides { old, new }: &Sides, rebuilt: Option<&BTreeMap<String, Rebuilt>>) -> Diff {
    let mut files: BTreeSet<&String> = old.packs.keys().chain(new.packs.keys()).collect();
    files.extend(rebuilt.into_iter().flat_map(BTreeMap::keys));
    let pair = |file: &String| {
        let (before, after) = (old.packs.get(file), new.packs.get(file));
        // An equal pack has no changes, valid or not; only its instructions are needed.
        let read = |bytes: &Vec<u8>| match before == after {
            true => SalvagedPack { pack: review::read(bytes).ok(), ..SalvagedPack::default() },
            false => salvage(bytes),
        };
        let side = if after.is_some() || before.is_none() { new } else { old };
        let rebuilt = rebuilt.and_then(|rebuilt| rebuilt.get(file).copied());
        Pair { name: side.shown(file), old: before.map(read), new: after.map(read), rebuilt }
    };
    let pairs: Vec<Pair> = files.into_par_iter().map(pair).collect();
    // Files that are no pack on either side are ignored.
    let is_pack = |side: &SalvagedPack| side.pack.is_some() || side.is_unmerged;
    let is_compared = |pair: &Pair| {
        let mut sides = [&pair.old, &pair.new].into_iter().flatten().peekable();
        new.single || sides.peek().is_none() || sides.any(is_pack)
    };
    compare(&pairs.into_iter().filter(is_compared).collect::<Vec<_>>(), rebuilt.is_some())
}

fn print_diff(global: &Global, diff: &Diff) -> Result<(), Failure> {
    let graph = graph(diff).filter(|_| global.format == Format::Markdown);
    let document = document(diff, graph);
    if global.format != Format::Github {
        return Ok(document.print(global.format, global.verbose, &[], diff)?);
    }
    let mut annotations = Annotations::new();
    for group in document::grouped(&diff.needs_review) {
        let count = group.sections.len();
        let sections = if count > 1 { format!(", in {count} sections") } else { String::new() };
        for pack in group.packs {
            annotations.add_review(pack, group.reason, &format!("{}{sections}", group.message));
        }
    }
    Ok(document.print_log(annotations, global.verbose)?)
}

/// Compares the packs of a side with a build of the checkout, by file, and returns the exit code of that build.
///
/// Packs that the side lacks are included, unless the side is a single pack.
fn rebuild(global: &Global, side: &Side) -> Result<(BTreeMap<String, Rebuilt>, Exit), Failure> {
    let repository = global.open(None)?;
    let project = repository.project();
    let sealed = |built: Built| Some((built.plan.name, built.outcome.ok()?));
    let budget = BudgetArgs::default();
    let (built, run) = packs::run(global, &repository, &project, project.roots(), (&[], &budget), &sealed)?;
    run.print(global, true)?;
    let built: BTreeMap<String, Sealed> = built.into_iter().flatten().collect();
    let mut standings = BTreeMap::new();
    if !side.single {
        standings.extend(built.keys().map(|name| (name.clone(), Rebuilt::Differs)));
    }
    for (file, bytes) in &side.packs {
        let standing = match built.get(side.file_name(file)) {
            Some(sealed) if sealed.is_unchanged(bytes) => Rebuilt::Equal,
            Some(sealed) if lost_its_issue(bytes, sealed.pack()) => Rebuilt::Unverifiable,
            None if lacks_its_issue(&project, bytes) => Rebuilt::Unverifiable,
            Some(_) | None => Rebuilt::Differs,
        };
        standings.insert(file.clone(), standing);
    }
    Ok((standings, run.exit()))
}

/// Returns whether a pack's root is only an issue, and the snapshot lacks it.
fn lacks_its_issue(project: &Project<'_>, bytes: &[u8]) -> bool {
    let Ok(pack) = review::read(bytes) else { return false };
    let url = pack.root.issue_url.as_deref().filter(|_| pack.root.work_item_id.is_none());
    url.and_then(IssueReference::parse).is_some_and(|issue| {
        let repo = issue.repo.unwrap_or_default();
        project.graph().of_issue(project.corpus(), repo, issue.number).is_none()
    })
}
