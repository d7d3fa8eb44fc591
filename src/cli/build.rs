//! `contextpack build`.

use super::annotations::Annotations;
use super::args::{BuildArgs, Format, Global};
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::packs::{self, BuildRun};
use super::report::{self, json_text, printable};
use super::step::{self, StepPack, StepSummary};
use super::strays::strays;
use super::summary::{self, SummaryRow};
use super::workspace::{Workspace, settled};
use contextpack::cache::{FreshnessPolicy, PackSummary};
use contextpack::intake::Repo;
use contextpack::model::{self, SourceTree as _};
use contextpack::pipeline::{IsUnchanged, Planned, Project};
use contextpack::seal::Sealed;
use contextpack::session::{PackWriter, WriteOutcome, WriteStatus, companion};
use contextpack::store::{Access, Folder, StoreError};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What became of a pack.
struct PackOutcome {
    root: String,
    profile: String,
    name: String,
    status: &'static str,
    reasons: Vec<String>,
    made: Option<PackSummary>,
    /// Names of files that were written or removed for it: the pack, its Markdown.
    touched: Vec<String>,
}

impl PackOutcome {
    fn row(&self, path: String) -> SummaryRow {
        let made = self.made.as_ref();
        SummaryRow {
            path,
            status: self.status,
            reasons: self.reasons.join("; "),
            tokens: made.and_then(|made| made.used_tokens),
            chars: made.map(|made| made.used_chars),
        }
    }

    fn step(&self, path: String, markdown: Option<&Path>, open_blockers: Option<usize>) -> StepPack {
        let made = self.made.as_ref().filter(|_| self.status != "removed").map(|made| StepSummary {
            hash: made.hash.clone(),
            tokens: made.used_tokens,
            open_blockers,
            markdown: markdown.map(|dir| dir.join(companion::name(&self.name))),
        });
        StepPack { path, changed: matches!(self.status, "written" | "removed"), made }
    }
}

impl From<WriteOutcome> for PackOutcome {
    fn from(written: WriteOutcome) -> Self {
        let WriteOutcome { status, root, profile, name, reasons, made, touched } = written;
        let status = match status {
            WriteStatus::Written => "written",
            WriteStatus::Unchanged => "unchanged",
            WriteStatus::Failed => "failed",
        };
        Self { root, profile, name, status, reasons, made, touched }
    }
}

/// Builds packs and writes those that changed.
pub(crate) fn run(global: &Global, args: &BuildArgs) -> Result<Exit, Failure> {
    settled(|| try_run(global, args))
}

fn try_run(global: &Global, args: &BuildArgs) -> Result<Exit, Failure> {
    let started = Instant::now();
    let printed = args.out.as_deref() == Some(Path::new("-"));
    let out = args.out.as_deref().filter(|_| !printed);
    if printed && args.prune {
        return Err(Failure::usage("`--prune` needs a folder of packs"));
    }
    if args.prune && args.shard.is_some() {
        return Err(Failure::usage(
            "`--prune` needs a build of all roots, and a shard is a part of them: run `contextpack build --prune` without `--shard`",
        ));
    }
    if printed && (args.markdown.is_some() || args.outputs.is_some() || args.telling.summary.is_some()) {
        return Err(Failure::usage("`--out -` prints a pack and writes nothing else"));
    }
    let written_to: Vec<&Path> = out.into_iter().chain(args.markdown.as_deref()).collect();
    let workspace = Workspace::open(global, &written_to, Some(Access::Write))?;
    if printed {
        let project = workspace.project();
        let mut items = workspace.roots(&project, &args.roots)?;
        items.retain(|item| args.shard.is_none_or(|shard| shard.holds(&project.corpus().entries[*item].item.id)));
        return print_one(global, &workspace, &project, items, args);
    }
    let folder = match out {
        Some(dir) => Folder::open_anywhere(dir)?.staged_at(&workspace.root)?,
        None => Folder::open(&workspace.root, &workspace.settings.output.dir)?,
    };
    let staged = |dir| Folder::open_anywhere(dir)?.staged_at(&workspace.root);
    let markdown = args.markdown.as_deref().map(staged).transpose()?;
    folder.sweep(&Repo::is_tracked);
    markdown.iter().for_each(|folder| folder.sweep(&Repo::is_tracked));
    let shown = |name: &str| match args.out.as_deref() {
        Some(dir) => dir.join(name).display().to_string(),
        None => format!("{}/{name}", workspace.settings.output.dir),
    };
    let beside = workspace.settings.output.markdown;
    let look = FreshnessPolicy { exclusive: args.prune, renderings: beside };
    let incremental = workspace.incremental(&folder, &args.building, out, look)?;
    // What is written beside the packs needs them all.
    let incremental = incremental.as_ref().filter(|_| markdown.is_none());
    let whole = args.roots.is_empty() && args.shard.is_none();
    if let Some(incremental) = incremental.filter(|_| whole && args.outputs.is_none())
        && let Some((kept, told)) = incremental.fresh()
    {
        workspace.saved(incremental.rest());
        let run = packs::unchanged(global, told);
        let outcomes: Vec<PackOutcome> = kept.into_iter().map(|kept| WriteOutcome::from(kept).into()).collect();
        return conclude(global, args, &run, &outcomes, &shown, started);
    }
    let trace = incremental.map(|incremental| incremental.trace(workspace.texts(), None));
    let project = trace.as_ref().map_or_else(|| workspace.project(), |trace| workspace.desk_of(trace));
    let mut items = workspace.roots(&project, &args.roots)?;
    let no_roots = items.is_empty();
    if let Some(shard) = args.shard {
        items.retain(|item| shard.holds(&project.corpus().entries[*item].item.id));
    }
    let outcomes = Mutex::new(Vec::new());
    let done = |outcome: PackOutcome| outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
    let failed: Mutex<Option<StoreError>> = Mutex::new(None);
    let known = incremental.map(|incremental| {
        |planned: &Planned| match incremental.known(planned) {
            Some(kept) => {
                done(WriteOutcome::from(kept).into());
                true
            }
            None => false,
        }
    });
    let known = known.as_ref().map(|known| known as &IsUnchanged<'_>);
    // Reading the old pack to say why it is stale costs more than making the new one.
    let why = global.verbose || global.format != Format::Text || args.telling.summary.is_some();
    let writing = PackWriter { folder: &folder, beside, markdown: markdown.as_ref(), incremental, why, replaced: None };
    let run =
        packs::run(global, &workspace, &project, items, &args.building, known, &|built| match writing.write(built) {
            Ok(written) => done(written.into()),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        })?;
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let complete = !run.blocked && !no_roots && outcomes.iter().all(|outcome| outcome.made.is_some());
    if args.prune && failed.is_none() {
        outcomes.extend(prune(&folder, &outcomes, &run, &project, &workspace)?);
        if !run.blocked && !beside && markdown.is_none() {
            outcomes.iter_mut().try_for_each(|outcome| strip(&folder, outcome))?;
        }
    }
    outcomes.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(file) = &args.outputs {
        let markdown = args.markdown.as_deref().map(std::path::absolute).transpose()?;
        let alone = outcomes.len() == 1;
        let step = |outcome: &PackOutcome| {
            let open = if alone { step::open_blockers(&project, &outcome.root) } else { None };
            outcome.step(shown(&outcome.name), markdown.as_deref(), open)
        };
        step::append(file, &outcomes.iter().map(step).collect::<Vec<StepPack>>())?;
    }
    // It is large, and what is written down needs room as well.
    drop(project);
    if let (Some(incremental), Some(trace), true) = (incremental, &trace, whole && failed.is_none()) {
        let manifest = incremental.manifest(trace, complete.then_some(&*run.told));
        workspace.saved(incremental.save(&manifest, workspace.texts()));
    }
    let exit = conclude(global, args, &run, &outcomes, &shown, started)?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    if no_roots && !run.blocked && !global.quiet && global.format == Format::Text {
        writeln!(
            console::stderr(),
            "no roots: add work items, or correct `work_items` and `roots` in `contextpack.yml`"
        )?;
    }
    Ok(exit)
}

/// Tells what became of the packs, and how the command ends.
fn conclude(
    global: &Global,
    args: &BuildArgs,
    run: &BuildRun,
    outcomes: &[PackOutcome],
    shown: &dyn Fn(&str) -> String,
    started: Instant,
) -> Result<Exit, Failure> {
    tell(global, run, outcomes, shown)?;
    if let Some(file) = &args.telling.summary {
        let rows: Vec<SummaryRow> = outcomes.iter().map(|outcome| outcome.row(shown(&outcome.name))).collect();
        summary::append(file, "build", &rows, &run.diagnostics, None)?;
    }
    if !global.quiet && global.format == Format::Text {
        let count = |status| outcomes.iter().filter(|outcome| outcome.status == status).count();
        let is_new = |outcome: &&PackOutcome| outcome.reasons.iter().any(|reason| reason == "new");
        let new = outcomes.iter().filter(|outcome| outcome.status == "written").filter(is_new).count();
        let mut summary = format!("{}: {} written", counted(outcomes.len()), count("written"));
        if count("written") > new {
            summary += &format!(" ({} stale)", count("written") - new);
        }
        summary += &format!(", {} unchanged", count("unchanged"));
        for status in ["removed", "failed"] {
            if count(status) > 0 {
                summary += &format!(", {} {status}", count(status));
            }
        }
        let tokens: u64 = outcomes.iter().filter_map(|outcome| outcome.made.as_ref()?.used_tokens).sum();
        if tokens > 0 {
            summary += &format!(", {tokens} tokens");
        }
        writeln!(console::stderr(), "{summary}, {:.2} s", started.elapsed().as_secs_f64())?;
    }
    Ok(if run.has_errors() { Exit::Input } else { Exit::Done })
}

/// `1 pack`, `2 packs`.
pub(super) fn counted(packs: usize) -> String {
    format!("{packs} pack{}", if packs == 1 { "" } else { "s" })
}

/// Whether what is on disk differs from the pack in its stamp at most.
pub(super) fn is_unchanged(existing: Option<&[u8]>, sealed: &Sealed) -> bool {
    existing.is_some_and(|existing| sealed.is_unchanged(existing))
}

/// Removes packs whose root or profile is gone; those that cannot be judged stay.
fn prune(
    folder: &Folder,
    outcomes: &[PackOutcome],
    run: &BuildRun,
    project: &Project<'_>,
    workspace: &Workspace,
) -> Result<Vec<PackOutcome>, StoreError> {
    if run.blocked {
        return Ok(Vec::new());
    }
    let names: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
    let mut removed = Vec::new();
    let strays = strays(folder, &names, run, project, &workspace.root)?;
    // A pack that git brought meanwhile is of items that this build has not seen.
    if !workspace.repo.is_settled() {
        return Ok(Vec::new());
    }
    for stray in strays.into_iter().filter(|stray| stray.unverifiable.is_none()) {
        let markdown = companion::remove(folder, &stray.name)?;
        if folder.remove(&stray.name)? {
            let markdown = markdown.then(|| companion::name(&stray.name));
            removed.push(PackOutcome {
                root: stray.root(),
                profile: stray.pack.profile.clone(),
                status: "removed",
                reasons: vec!["its root or profile is gone".to_owned()],
                made: Some((&stray.pack).into()),
                touched: [stray.name.clone()].into_iter().chain(markdown).collect(),
                name: stray.name,
            });
        }
    }
    Ok(removed)
}

/// Removes the Markdown that an earlier configuration kept beside a pack.
fn strip(folder: &Folder, outcome: &mut PackOutcome) -> Result<(), StoreError> {
    if outcome.status != "removed" && companion::remove(folder, &outcome.name)? {
        outcome.touched.push(companion::name(&outcome.name));
        outcome.reasons.push("`output.markdown` is off".to_owned());
        if outcome.status == "unchanged" {
            outcome.status = "written";
        }
    }
    Ok(())
}

fn print_one(
    global: &Global,
    workspace: &Workspace,
    project: &Project<'_>,
    items: Vec<usize>,
    args: &BuildArgs,
) -> Result<Exit, Failure> {
    let packs = items.len() * args.building.profiles(&workspace.settings)?.len();
    if packs != 1 {
        return Err(Failure::usage(format!(
            "`--out -` prints one pack, and {packs} would be built: name one root, and one profile with `-p`"
        )));
    }
    let sealed = Mutex::new(None);
    let run = packs::run(global, workspace, project, items, &args.building, None, &|built| {
        *sealed.lock().unwrap_or_else(PoisonError::into_inner) = built.outcome.ok();
    })?;
    if !global.quiet {
        report::text(&mut console::stderr(), &run.diagnostics, &|_| None)?;
    }
    if let Some(sealed) = sealed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        console::exact().write_all(sealed.bytes())?;
    }
    Ok(if run.has_errors() { Exit::Input } else { Exit::Done })
}

fn tell(
    global: &Global,
    run: &BuildRun,
    outcomes: &[PackOutcome],
    shown: &dyn Fn(&str) -> String,
) -> Result<(), Failure> {
    if global.format == Format::Json {
        let packs = outcomes.iter().map(|outcome| {
            let made = outcome.made.as_ref();
            output::BuiltPack {
                root: outcome.root.clone(),
                profile: outcome.profile.clone(),
                path: shown(&outcome.name),
                files: outcome.touched.iter().map(|name| shown(name)).collect(),
                hash: made.map(|made| made.hash.clone()),
                status: outcome.status,
                reasons: outcome.reasons.clone(),
                used_chars: made.map(|made| made.used_chars),
                used_tokens: made.and_then(|made| made.used_tokens),
                omitted: made.map(|made| made.omitted),
                redacted: made.map(|made| made.redacted),
            }
        });
        let text = json_text(&output::Build { packs: packs.collect(), diagnostics: output::told(&run.diagnostics) });
        return Ok(writeln!(console::stdout(), "{text}")?);
    }
    let errors_only = global.quiet;
    let diagnostics: Vec<_> = run
        .diagnostics
        .iter()
        .filter(|diagnostic| !errors_only || diagnostic.severity == model::Severity::Error)
        .cloned()
        .collect();
    if global.format == Format::Github {
        let mut annotations = Annotations::new();
        annotations.diagnostics(&diagnostics);
        for outcome in outcomes.iter().filter(|outcome| outcome.status != "unchanged") {
            annotations.log(&format!("{}: {}: {}", outcome.status, shown(&outcome.name), outcome.reasons.join("; ")));
        }
        return Ok(annotations.print()?);
    }
    report::tell(global.format, &diagnostics, &|_| None)?;
    let mut out = console::stdout();
    let mut err = console::stderr();
    for outcome in outcomes {
        let path = shown(&outcome.name);
        outcome.touched.iter().try_for_each(|name| writeln!(out, "{}", printable(&shown(name))))?;
        if outcome.status == "failed" {
            writeln!(err, "not built: {}: {}", printable(&path), printable(&outcome.reasons.join("; ")))?;
        }
        if global.verbose && outcome.status == "written" {
            writeln!(err, "{}: {}", printable(&path), printable(&outcome.reasons.join("; ")))?;
        }
    }
    Ok(())
}
