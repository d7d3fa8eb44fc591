//! `contextpack check`.

use super::annotations::Annotations;
use super::args::{CheckArgs, Format, Global};
use super::build::is_unchanged;
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::packs::{self, BuildRun};
use super::report::{self, json_text, printable};
use super::strays::{NOT_IN_SNAPSHOT, OrphanPack, strays};
use super::summary::{self, SummaryRow};
use super::workspace::{Workspace, settled};
use crate::model::{SourceTree as _, slug};
use crate::pipeline::{Built, Planned, Project};
use crate::render;
use crate::review::{Difference, difference, read};
use crate::session::companion;
use crate::store::{Folder, StoreError};
use crate::wire::Pack;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Why a pack without a file is missing.
const NOT_BUILT: &str = "it was not built yet";

/// How a pack on disk stands to the one that a build gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PackState {
    pub(super) name: String,
    pub(super) root: String,
    pub(super) profile: String,
    /// `fresh`, `stale`, `edited`, `missing`, `orphaned`, `unverifiable` or `failed`.
    pub(super) status: &'static str,
    pub(super) reasons: Vec<String>,
    /// Characters, and tokens where they are counted, of the pack that a build gives.
    pub(super) size: Option<(u64, Option<u64>)>,
}

impl PackState {
    /// The state of a pack that has no file.
    pub(super) fn missing(planned: &Planned) -> Self {
        Self {
            name: planned.name.clone(),
            root: planned.root.to_string(),
            profile: planned.profile.clone(),
            status: "missing",
            reasons: vec![NOT_BUILT.to_owned()],
            size: None,
        }
    }

    /// As the summary shows it.
    fn row(&self, dir: &str) -> SummaryRow {
        SummaryRow {
            path: format!("{dir}/{}", self.name),
            status: self.status,
            reasons: self.reasons.join("; "),
            tokens: self.size.and_then(|(_, tokens)| tokens),
            chars: self.size.map(|(chars, _)| chars),
        }
    }

    /// As JSON shows it; `dir` is the folder of packs.
    pub(super) fn output(&self, dir: &str) -> output::CheckedPack {
        output::CheckedPack {
            root: self.root.clone(),
            profile: self.profile.clone(),
            path: format!("{dir}/{}", self.name),
            status: self.status,
            reasons: self.reasons.clone(),
        }
    }
}

/// Builds in memory and compares bytes.
pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<Exit, Failure> {
    settled(|| try_run(global, args))
}

fn try_run(global: &Global, args: &CheckArgs) -> Result<Exit, Failure> {
    let workspace = Workspace::open(global, &[], None)?;
    let folder = Folder::open(&workspace.root, &workspace.settings.output.dir)?;
    let alone = args.building.profiles.is_empty();
    let beside = workspace.settings.output.markdown;
    let project = workspace.project();
    let all = workspace.roots(&project, &args.roots)?;
    let mut items = all.clone();
    if let Some(shard) = args.shard {
        items.retain(|item| shard.holds(id(&project, *item)));
    }
    let standings = Mutex::new(Vec::new());
    let judged = |standing| standings.lock().unwrap_or_else(PoisonError::into_inner).push(standing);
    let failed: Mutex<Option<StoreError>> = Mutex::new(None);
    let run = packs::run(global, &workspace, &project, items, &args.building, None, &|built| match standing(
        &folder, built, beside,
    ) {
        Ok(standing) => judged(standing),
        Err(error) => {
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    })?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    let mut standings: Vec<PackState> = standings.into_inner().unwrap_or_else(PoisonError::into_inner);
    let leads = args.shard.is_none_or(|shard| shard.leads(all.iter().map(|item| id(&project, *item))));
    if args.roots.is_empty() && alone && !run.blocked && leads {
        let profiles = args.building.profiles(&workspace.settings)?;
        if let Some(names) = names(&project, &all, &profiles) {
            let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
            standings
                .extend(strays(&folder, &names, &run, &project, &workspace.root)?.into_iter().map(PackState::from));
        }
    }
    // The packs on disk are to be of the same state as the inputs.
    if !workspace.repo.is_settled() {
        return Err(Failure::Unsettled);
    }
    conclude(global, args, &workspace, &run, standings)
}

/// Tells how the packs stand, and how the command ends.
fn conclude(
    global: &Global,
    args: &CheckArgs,
    workspace: &Workspace,
    run: &BuildRun,
    mut standings: Vec<PackState>,
) -> Result<Exit, Failure> {
    standings.sort();
    let dir = workspace.settings.output.dir.as_str();
    let told: Vec<&PackState> =
        standings.iter().filter(|standing| !matches!(standing.status, "fresh" | "failed")).collect();
    // What cannot be judged is no fault, unless nothing may be left open.
    let bad = told.iter().filter(|standing| global.strict || standing.status != UNVERIFIABLE).count();
    if let Some(file) = &args.telling.summary {
        let rows: Vec<SummaryRow> = standings.iter().map(|standing| standing.row(dir)).collect();
        let next = is_stale(&told).then_some("Run `contextpack build` and commit what it writes.");
        summary::append(file, "check", &rows, &run.diagnostics, next)?;
    }
    match global.format {
        Format::Json => {
            let packs = standings.iter().map(|standing| standing.output(dir)).collect();
            let text = json_text(&output::Check { packs, diagnostics: output::told(&run.diagnostics) });
            writeln!(console::stdout(), "{text}")?;
        }
        Format::Github => {
            let mut annotations = Annotations::new();
            annotations.diagnostics(&run.diagnostics);
            for standing in &told {
                annotations.pack(&format!("{dir}/{}", standing.name), standing.status, &standing.reasons.join("; "));
            }
            annotations.print()?;
            sum_up(global, &standings, &told)?;
        }
        Format::Text | Format::Markdown => {
            let quiet = |diagnostic: &&crate::model::Diagnostic| {
                !global.quiet || diagnostic.severity == crate::model::Severity::Error
            };
            let diagnostics: Vec<_> = run.diagnostics.iter().filter(quiet).cloned().collect();
            report::tell(global.format, &diagnostics, &|_| None)?;
            let mut out = console::stdout();
            for standing in &told {
                let path = format!("{dir}/{}", standing.name);
                let reasons = standing.reasons.join("; ");
                writeln!(out, "{}: {}: {}", standing.status, printable(&path), printable(&reasons))?;
            }
            sum_up(global, &standings, &told)?;
        }
    }
    let input = if run.has_errors() { Exit::Input } else { Exit::Done };
    Ok(input.and(if bad == 0 { Exit::Done } else { Exit::Stale }))
}

fn id<'a>(project: &'a Project<'_>, item: usize) -> &'a str {
    &project.corpus().entries[item].item.id
}

/// The file names of the packs of these roots; none where two roots share one, so that neither is built.
fn names(project: &Project<'_>, roots: &[usize], profiles: &[String]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for root in roots {
        let slug = slug(&project.name(*root));
        if !profiles.iter().all(|profile| names.insert(format!("{slug}.{profile}.json"))) {
            return None;
        }
    }
    Some(names)
}

/// The status of a pack that nothing says what it should be: the snapshot lacks its issue, or its item is out of reach.
const UNVERIFIABLE: &str = "unverifiable";

impl From<OrphanPack> for PackState {
    fn from(stray: OrphanPack) -> Self {
        let (status, reason) = match stray.unverifiable {
            Some(why) => (UNVERIFIABLE, why.to_owned()),
            None => ("orphaned", "its root or profile is gone: `contextpack build --prune` removes it".to_owned()),
        };
        let root = stray.root();
        Self { name: stray.name, root, profile: stray.pack.profile, status, reasons: vec![reason], size: None }
    }
}

fn no_more_markdown(name: &str) -> String {
    let markdown = companion::name(name);
    format!("`{markdown}` is beside it, and `output.markdown` is off: `contextpack build --prune` removes it")
}

/// Whether the pack on disk was made with its root's issue, and the new one without.
pub(super) fn lost_its_issue(existing: &[u8], built: &Pack) -> bool {
    let has = |pack: &Pack| {
        pack.inputs.iter().any(|input| input.kind == "issue" && input.url.is_some() && input.url == pack.root.issue_url)
    };
    !has(built) && read(existing).is_ok_and(|old| has(&old))
}

/// Whether a build would change something.
fn is_stale(told: &[&PackState]) -> bool {
    told.iter().any(|standing| standing.status != UNVERIFIABLE)
}

fn sum_up(global: &Global, standings: &[PackState], told: &[&PackState]) -> Result<(), Failure> {
    if !global.quiet {
        let fresh = standings.iter().filter(|standing| standing.status == "fresh").count();
        writeln!(console::stderr(), "{fresh} of {} packs are fresh", standings.len())?;
        if is_stale(told) {
            writeln!(console::stderr(), "run `contextpack build` and commit what it writes")?;
        }
    }
    Ok(())
}

/// Compares one pack, and its Markdown where that is kept `beside` it, with the files on disk.
pub(super) fn standing(folder: &Folder, built: Built, beside: bool) -> Result<PackState, StoreError> {
    let Built { root, profile, name, outcome, .. } = built;
    let existing = folder.read(&name)?;
    let budget = outcome.as_ref().ok().map(|sealed| &sealed.pack().budget);
    let size = budget.map(|budget| (budget.used_chars, budget.used_tokens));
    let (status, reasons) = match (outcome, existing) {
        (Err(fault), _) => ("failed", vec![fault.diagnostic.message]),
        (Ok(_), None) => ("missing", vec![NOT_BUILT.to_owned()]),
        (Ok(sealed), Some(existing)) if is_unchanged(Some(&existing), &sealed) => {
            match beside
                .then(|| companion::fault(folder, &name, &render::pack(sealed.pack()).whole()))
                .transpose()?
                .flatten()
            {
                None if !beside && companion::is_there(folder, &name)? => ("stale", vec![no_more_markdown(&name)]),
                None => ("fresh", Vec::new()),
                Some(fault @ companion::CompanionFault::Missing) => ("missing", vec![fault.reason(&name)]),
                Some(fault @ companion::CompanionFault::Differs) => ("edited", vec![fault.reason(&name)]),
            }
        }
        (Ok(sealed), Some(existing)) => match difference(&existing, sealed.pack()) {
            Difference::Stale(_) if lost_its_issue(&existing, sealed.pack()) => {
                (UNVERIFIABLE, vec![NOT_IN_SNAPSHOT.to_owned()])
            }
            Difference::Stale(reasons) => ("stale", reasons),
            Difference::Edited(reasons) => ("edited", reasons),
        },
    };
    Ok(PackState { name, root: root.to_string(), profile, status, reasons, size })
}
