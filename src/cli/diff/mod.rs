//! `contextpack diff`.

mod graph;
mod lines;
mod markdown;
mod sides;
mod text;

pub(super) use lines::{WordMarkers, line};
pub(super) use markdown::{code, code_up_to, page as markdown_page};
pub(super) use text::{page as text_page, section as text_section};

use super::args::{BudgetArgs, DiffArgs, Global};
use super::packs;
use super::verify::companion_fault;
use super::workspace::{open, settled};
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::github::Annotations;
use crate::console::{self, json_text};
use crate::engine::{Built, Project, lost_its_issue};
use crate::model::IssueReference;
use crate::review::{self, Diff, Pair, Rebuilt, SalvagedPack, compare, salvage};
use crate::seal::Sealed;
use rayon::prelude::*;
use sides::{Side, Sides};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

/// Prints what changed between packs, and why.
pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<Exit, Failure> {
    let sides = Sides::find(global, args)?;
    let (rebuilt, exit) = match args.rebuild {
        true => rebuild(global, &sides.new).map(|(packs, exit)| (Some(packs), exit))?,
        false => (None, Exit::Done),
    };
    let diff = compared(&sides, rebuilt.as_ref());
    print_diff(global, &diff)?;
    if !global.quiet {
        note_companions(&sides)?;
    }
    Ok(exit.and(if args.exit_code && !diff.is_empty() { Exit::Stale } else { Exit::Done }))
}

/// Notes each companion on disk that is not the rendering of its pack: it is no part of the comparison.
fn note_companions(sides: &Sides) -> Result<(), Failure> {
    let both = [&sides.old, &sides.new];
    let packs = both.into_iter().flat_map(|side| side.packs.iter().map(move |(file, bytes)| (side, file, bytes)));
    let mut noted = BTreeSet::new();
    for (side, file, bytes) in packs {
        let Some(path) = side.path(file) else { continue };
        let shown = side.shown(file);
        if let Some(fault) = companion_fault(&path, bytes, &shown)?
            && noted.insert(shown.clone())
        {
            let line =
                format!("note: {shown}: {fault}; only packs are compared, and `contextpack build` writes it again");
            writeln!(console::stderr(), "{}", console::printable(&line))?;
        }
    }
    Ok(())
}

/// A pack on both sides, read.
struct PackPair<'a> {
    name: String,
    file: &'a str,
    old: Option<SalvagedPack>,
    /// `None` if it equals the old one byte for byte.
    new: Option<SalvagedPack>,
    same: bool,
}

fn compared(sides: &Sides, rebuilt: Option<&BTreeMap<String, Rebuilt>>) -> Diff {
    let Sides { old, new } = sides;
    let mut files: BTreeSet<&str> = old.packs.keys().chain(new.packs.keys()).map(String::as_str).collect();
    files.extend(rebuilt.into_iter().flat_map(BTreeMap::keys).map(String::as_str));
    let read = |side: &Side, file: &str| side.packs.get(file).map(|bytes| salvage(bytes));
    let packs: Vec<PackPair<'_>> = files
        .into_par_iter()
        .map(|file| {
            let same = old.packs.get(file).is_some_and(|bytes| new.packs.get(file) == Some(bytes));
            let side = if new.packs.contains_key(file) || !old.packs.contains_key(file) { new } else { old };
            // An equal pack has no changes, valid or not; only its instructions are needed.
            let (old, new) = match old.packs.get(file).filter(|_| same) {
                Some(bytes) => (Some(SalvagedPack { pack: review::read(bytes).ok(), ..SalvagedPack::default() }), None),
                None => (read(old, file), read(new, file)),
            };
            PackPair { name: side.shown(file), file, old, new, same }
        })
        .collect();
    let pairs: Vec<Pair<'_>> = packs
        .iter()
        .map(|read| Pair {
            name: &read.name,
            old: read.old.as_ref(),
            new: if read.same { read.old.as_ref() } else { read.new.as_ref() },
            rebuilt: rebuilt.and_then(|rebuilt| rebuilt.get(read.file).copied()),
        })
        // Files that are no pack on either side are ignored.
        .filter(|pair| {
            let is_pack =
                |side: Option<&SalvagedPack>| side.is_some_and(|side| side.pack.is_some() || side.is_unmerged);
            is_pack(pair.old) || is_pack(pair.new) || pair.old.or(pair.new).is_none() || new.single
        })
        .collect();
    compare(&pairs, rebuilt.is_some())
}

fn print_diff(global: &Global, diff: &Diff) -> Result<(), Failure> {
    let mut out = console::stdout();
    match global.format {
        Format::Json => writeln!(out, "{}", json_text(diff))?,
        Format::Markdown => write!(out, "{}", markdown::page(diff))?,
        Format::Text | Format::Messages | Format::Table => {
            // Without colours, brackets mark changed words.
            let plain = anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never;
            text::page(&mut out, diff, plain, global.verbose)?;
        }
        Format::Github => {
            let mut annotations = Annotations::new();
            for item in lines::grouped(&diff.needs_review) {
                let count = item.sections.len();
                let sections = if count > 1 { format!(", in {count} sections") } else { String::new() };
                for pack in item.packs {
                    annotations.add_review(pack, item.reason, &format!("{}{sections}", item.message));
                }
            }
            let mut page = Vec::new();
            text::page(&mut page, diff, true, global.verbose)?;
            let page = anstream::adapter::strip_bytes(&page).into_vec();
            String::from_utf8_lossy(&page).lines().for_each(|line| annotations.log(line));
            annotations.print()?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Compares the packs of a side with a build of the checkout, by file, and returns the exit code of that build.
///
/// Packs that the side lacks are included, unless the side is a single pack.
fn rebuild(global: &Global, side: &Side) -> Result<(BTreeMap<String, Rebuilt>, Exit), Failure> {
    settled(|| try_rebuild(global, side))
}

fn try_rebuild(global: &Global, side: &Side) -> Result<(BTreeMap<String, Rebuilt>, Exit), Failure> {
    let repository = open(global, &[], None)?;
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
        let standing = match built.get(side.named(file)) {
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
