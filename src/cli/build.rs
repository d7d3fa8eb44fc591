//! `contextpack build`.

use super::args::{BuildArgs, Global};
use super::delivery;
use super::output;
use super::packs::{self, BuildRun, PackTarget, Probe};
use super::workspace::{open, print_notes};
use crate::cache::FreshnessPolicy;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::github::{PackOutputs, StepPack, SummaryRow, append_outputs, append_summary};
use crate::console::report::{self, Report, ReportLine};
use crate::console::{self, counted};
use crate::engine::{
    BuildOrder, BuildReport, PackWriter, Project, Repository, WriteOutcome, WriteReport, WriteStatus, companion,
    delivery_folder, orphans, pack_file_name, write_packs,
};
use crate::git;
use crate::model::{SourceTree as _, slug};
use crate::store::{Access, Folder, StoreError};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// Builds packs and writes those that changed.
pub(crate) fn run(global: &Global, args: &BuildArgs) -> Result<Exit, Failure> {
    if args.agent.choice.agent.is_some() {
        return build_for_agent(global, args);
    }
    let started = Instant::now();
    let printed = args.out.as_deref() == Some(Path::new("-"));
    let out = args.out.as_deref().filter(|_| !printed);
    check_usage(args, printed)?;
    let written_to: Vec<&Path> = out.into_iter().chain(args.markdown.as_deref()).collect();
    let repository = open(global, &written_to, Some(Access::Write))?;
    if printed {
        let project = repository.project();
        let mut items = repository.find_roots(&project, &args.packs.roots)?;
        items.retain(|item| args.shard.is_none_or(|shard| shard.holds(&project.corpus().entries[*item].item.id)));
        return print_one(global, &repository, &project, items, args);
    }
    let folder = match out {
        Some(dir) => Folder::open_anywhere(dir)?.staged_at(repository.root())?,
        None => Folder::open(repository.root(), &repository.settings().output.dir)?,
    };
    let staged = |dir| Folder::open_anywhere(dir)?.staged_at(repository.root());
    let markdown = args.markdown.as_deref().map(staged).transpose()?;
    folder.sweep(&git::is_tracked);
    markdown.iter().for_each(|folder| folder.sweep(&git::is_tracked));
    let shown = |name: &str| match args.out.as_deref() {
        Some(dir) => dir.join(name).display().to_string(),
        None => format!("{}/{name}", repository.settings().output.dir),
    };
    let companions = repository.settings().output.markdown;
    let freshness = FreshnessPolicy { exclusive: args.prune, renderings: companions };
    let profiles = args.packs.budget.profiles(&repository)?;
    let absolute = out.map(std::path::absolute).transpose()?;
    let order = BuildOrder::all(&profiles, args.packs.budget.limits(), repository.untracked(), absolute);
    let incremental = repository.incremental(&folder, &order, freshness);
    // Renderings in a further folder need all packs to be built.
    let incremental = incremental.as_ref().filter(|_| markdown.is_none());
    let whole = args.packs.roots.is_empty() && args.shard.is_none();
    if let Some(incremental) = incremental.filter(|_| whole && args.outputs.is_none())
        && let Some((packs, diagnostics)) = incremental.fresh()
    {
        repository.note_cache_written(incremental.save_states());
        print_notes(global, &repository);
        let run = BuildRun::new(global, BuildReport { diagnostics, blocked: false });
        return report_and_exit(global, args, &run, &packs, &shown, started);
    }
    let project = if incremental.is_some() { repository.recorded_project() } else { repository.project() };
    let mut items = repository.find_roots(&project, &args.packs.roots)?;
    let no_roots = items.is_empty();
    let notes = match out {
        None => packs::orphan_notes(&repository, &project, &items, &profiles),
        Some(_) => Vec::new(),
    };
    if let Some(shard) = args.shard {
        items.retain(|item| shard.holds(&project.corpus().entries[*item].item.id));
    }
    // Reading an old pack to find why it is stale costs more than building the new one.
    let explain = global.verbose || global.format != Format::Text || args.summary.file.is_some();
    let writer =
        PackWriter { folder: &folder, companions, markdown: markdown.as_ref(), incremental, explain, on_written: None };
    let job = packs::job(&repository, &project, items, &args.packs.roots, &args.packs.budget)?;
    let bar = packs::progress(global, job.roots.len() * job.profiles.len());
    let WriteReport { packs: mut outcomes, build, refused } =
        write_packs(repository.files(), &project, &job, &writer, &|| bar.inc(1))?;
    bar.finish_and_clear();
    print_notes(global, &repository);
    let run = BuildRun::new(global, build);
    let complete = !run.blocked && !no_roots && outcomes.iter().all(|outcome| outcome.summary.is_some());
    if args.prune && refused.is_none() {
        outcomes.extend(prune(&folder, &outcomes, &run, &project, &repository)?);
        if !run.blocked && !companions && markdown.is_none() {
            outcomes.iter_mut().try_for_each(|outcome| remove_companion(&folder, outcome))?;
        }
    }
    outcomes.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(file) = &args.outputs {
        append_step_outputs(file, args, &outcomes, &project, &shown)?;
    }
    let manifest = incremental
        .filter(|_| whole && refused.is_none())
        .map(|incremental| incremental.manifest(&project, complete.then_some(&*run.before_strict)));
    // Saving the cache needs memory, and so does the project.
    drop(project);
    if let Some((incremental, manifest)) = incremental.zip(manifest) {
        repository.note_cache_written(incremental.save(&manifest, repository.texts()));
        print_notes(global, &repository);
    }
    let exit = report_and_exit(global, args, &run, &outcomes, &shown, started)?;
    if let Some(error) = refused {
        return Err(error.into());
    }
    if let Some(note) = limits_note(args, &outcomes, &repository).filter(|_| !global.quiet) {
        writeln!(console::stderr(), "{note}")?;
    }
    if !global.quiet && global.format == Format::Text {
        notes.iter().try_for_each(|note| writeln!(console::stderr(), "note: {}", console::printable(note)))?;
    }
    if no_roots && !run.blocked && !global.quiet && global.format == Format::Text {
        writeln!(console::stderr(), "{}", packs::no_roots(&repository))?;
    }
    Ok(exit)
}

/// Returns a note if packs in the configured folder were written within other limits than the configured ones.
fn limits_note(args: &BuildArgs, outcomes: &[WriteOutcome], repository: &Repository) -> Option<String> {
    let (settings, limits) = (repository.settings(), args.packs.budget.limits());
    let is_other = |outcome: &&WriteOutcome| {
        let profile = settings.profiles.get(&outcome.profile).filter(|_| outcome.status == WriteStatus::Written);
        profile.is_some_and(|profile| limits.over(&profile.budget) != profile.budget)
    };
    let count = outcomes.iter().filter(is_other).count();
    (count > 0 && args.out.is_none()).then(|| {
        format!(
            "note: wrote {} into `{}` within other limits than the configuration's: `check` calls that stale until a build without them; `--out DIR` writes elsewhere",
            counted(count, "pack"),
            settings.output.dir
        )
    })
}

/// Builds packs for an agent: prints one, or writes them to the folder of `--out`.
fn build_for_agent(global: &Global, args: &BuildArgs) -> Result<Exit, Failure> {
    if args.markdown.is_some() || args.outputs.is_some() || args.summary.file.is_some() {
        return Err(Failure::usage("packs for an agent are printed, or written with `--out`, and nothing else is"));
    }
    let out = args.out.as_deref().filter(|out| *out != Path::new("-"));
    let written_to: Vec<&Path> = out.into_iter().collect();
    let repository = open(global, &written_to, Some(Access::Write))?;
    let folder = out.map(|out| delivery_folder(repository.root(), repository.settings(), out)).transpose()?;
    let project = repository.project();
    let mut roots: Vec<Option<&str>> = args.packs.roots.iter().map(|root| Some(root.as_str())).collect();
    if roots.is_empty() {
        roots.push(None);
    }
    if out.is_none() && roots.len() > 1 {
        return Err(Failure::usage("one pack is printed: give one root, or a folder with `--out`"));
    }
    let mut exit = Exit::Done;
    for root in roots {
        let target = PackTarget::new(root, &args.packs.budget, &args.agent.choice);
        let Probe { probe, limits, agent } = packs::probe(&repository, &project, &target)?;
        let (sealed, run) = packs::build(global, &repository, &probe, limits)?;
        run.print(global, false)?;
        exit = exit.and(run.exit());
        let Some(sealed) = sealed else { continue };
        if args.agent.record {
            delivery::record(global, &repository, sealed.pack())?;
        }
        let (Some(out), Some(folder)) = (out, &folder) else {
            console::exact().write_all(sealed.bytes())?;
            continue;
        };
        let key = sealed.pack().agent.as_ref().map(|agent| agent.key.as_str()).unwrap_or_default();
        let slug = probe.item.map_or_else(|| slug(key), |item| slug(&project.pack_name(item)));
        let name = pack_file_name(&slug, &probe.profile, agent.as_deref());
        folder.write(&name, sealed.bytes())?;
        writeln!(console::stdout(), "{}", console::printable(&out.join(&name).display().to_string()))?;
    }
    repository.save_documents();
    Ok(exit)
}

/// Refuses options that exclude each other.
fn check_usage(args: &BuildArgs, printed: bool) -> Result<(), Failure> {
    if printed && args.prune {
        return Err(Failure::usage("`--prune` needs a folder of packs"));
    }
    if args.prune && args.shard.is_some() {
        return Err(Failure::usage(
            "`--prune` needs a build of all roots, and a shard is a part of them: run `contextpack build --prune` without `--shard`",
        ));
    }
    if printed && (args.markdown.is_some() || args.outputs.is_some() || args.summary.file.is_some()) {
        return Err(Failure::usage("`--out -` prints a pack and writes nothing else"));
    }
    Ok(())
}

/// Appends the outputs of a workflow's step to `file`.
fn append_step_outputs(
    file: &Path,
    args: &BuildArgs,
    outcomes: &[WriteOutcome],
    project: &Project<'_>,
    shown: &dyn Fn(&str) -> String,
) -> Result<(), Failure> {
    let markdown = args.markdown.as_deref().map(std::path::absolute).transpose()?;
    let alone = outcomes.len() == 1;
    let step = |outcome: &WriteOutcome| {
        let built = outcome.summary.as_ref().filter(|_| outcome.status != WriteStatus::Removed);
        let outputs = built.map(|summary| PackOutputs {
            hash: summary.hash.clone(),
            tokens: summary.used_tokens,
            open_blockers: alone.then(|| project.open_blockers(&outcome.root)).flatten(),
            markdown: markdown.as_ref().map(|dir| dir.join(companion::name(&outcome.name))),
        });
        let changed = matches!(outcome.status, WriteStatus::Written | WriteStatus::Removed);
        StepPack { path: shown(&outcome.name), changed, outputs }
    };
    append_outputs(file, &outcomes.iter().map(step).collect::<Vec<StepPack>>())
}

/// Returns the row of a pack in a job summary.
fn row(outcome: &WriteOutcome, path: String) -> SummaryRow {
    let summary = outcome.summary.as_ref();
    SummaryRow {
        path,
        status: outcome.status.name(),
        reasons: outcome.reasons.join("; "),
        tokens: summary.and_then(|summary| summary.used_tokens),
        chars: summary.map(|summary| summary.used_chars),
    }
}

/// Reports the outcomes, and returns the exit code.
fn report_and_exit(
    global: &Global,
    args: &BuildArgs,
    run: &BuildRun,
    outcomes: &[WriteOutcome],
    shown: &dyn Fn(&str) -> String,
    started: Instant,
) -> Result<Exit, Failure> {
    report(global, run, outcomes, shown).print(global.format, global.verbose, || json(run, outcomes, shown))?;
    if let Some(file) = &args.summary.file {
        let rows: Vec<SummaryRow> = outcomes.iter().map(|outcome| row(outcome, shown(&outcome.name))).collect();
        append_summary(file, "build", &rows, &run.diagnostics, None)?;
    }
    if !global.quiet && global.format == Format::Text {
        let count = |status| outcomes.iter().filter(|outcome| outcome.status == status).count();
        let is_new = |outcome: &&WriteOutcome| outcome.reasons.iter().any(|reason| reason == "new");
        let new = outcomes.iter().filter(|outcome| outcome.status == WriteStatus::Written).filter(is_new).count();
        let written = count(WriteStatus::Written);
        let mut summary = format!("{}: {written} written", counted(outcomes.len(), "pack"));
        if written > new {
            summary += &format!(" ({} updated)", written - new);
        }
        summary += &format!(", {} unchanged", count(WriteStatus::Unchanged));
        for status in [WriteStatus::Removed, WriteStatus::Failed] {
            if count(status) > 0 {
                summary += &format!(", {} {}", count(status), status.name());
            }
        }
        let tokens: u64 = outcomes.iter().filter_map(|outcome| outcome.summary.as_ref()?.used_tokens).sum();
        if tokens > 0 {
            summary += &format!(", {tokens} tokens");
        }
        writeln!(console::stderr(), "{summary}, {:.2} s", started.elapsed().as_secs_f64())?;
    }
    Ok(run.exit())
}

/// Removes packs whose root or profile is gone; unverifiable packs stay.
fn prune(
    folder: &Folder,
    outcomes: &[WriteOutcome],
    run: &BuildRun,
    project: &Project<'_>,
    repository: &Repository,
) -> Result<Vec<WriteOutcome>, StoreError> {
    if run.blocked {
        return Ok(Vec::new());
    }
    let names: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
    let mut removed = Vec::new();
    let orphans = orphans(folder, &names, &run.diagnostics, project, repository.root())?;
    // A pack that git added meanwhile may belong to an item that this build has not seen.
    if !repository.files().is_settled() {
        return Ok(Vec::new());
    }
    for orphan in orphans.into_iter().filter(|orphan| orphan.unverifiable.is_none()) {
        let markdown = companion::remove(folder, &orphan.name)?;
        if folder.remove(&orphan.name)? {
            let markdown = markdown.then(|| companion::name(&orphan.name));
            removed.push(WriteOutcome {
                root: orphan.root(),
                profile: orphan.pack.profile.clone(),
                status: WriteStatus::Removed,
                reasons: vec![orphan.reason],
                summary: Some((&orphan.pack).into()),
                files: [orphan.name.clone()].into_iter().chain(markdown).collect(),
                name: orphan.name,
            });
        }
    }
    Ok(removed)
}

/// Removes the companion that an earlier configuration asked for.
fn remove_companion(folder: &Folder, outcome: &mut WriteOutcome) -> Result<(), StoreError> {
    if outcome.status != WriteStatus::Removed && companion::remove(folder, &outcome.name)? {
        outcome.files.push(companion::name(&outcome.name));
        outcome.reasons.push("`output.markdown` is off".to_owned());
        if outcome.status == WriteStatus::Unchanged {
            outcome.status = WriteStatus::Written;
        }
    }
    Ok(())
}

/// Builds one pack in memory and prints its bytes.
fn print_one(
    global: &Global,
    repository: &Repository,
    project: &Project<'_>,
    items: Vec<usize>,
    args: &BuildArgs,
) -> Result<Exit, Failure> {
    let packs = items.len() * args.packs.budget.profiles(repository)?.len();
    if packs != 1 {
        return Err(Failure::usage(format!(
            "`--out -` prints one pack, but {packs} would be built: give one root, and one profile with `-p`"
        )));
    }
    let asked = (&*args.packs.roots, &args.packs.budget);
    let (packs, run) = packs::run(global, repository, project, items, asked, &|built| built.outcome.ok())?;
    run.print(global, false)?;
    if let Some(sealed) = packs.into_iter().flatten().next() {
        console::exact().write_all(sealed.bytes())?;
    }
    Ok(run.exit())
}

/// The most packs that are listed one by one because they could not be built.
const MOST_FAILED: usize = 5;

/// Converts the outcomes to a report for people and workflows.
fn report(global: &Global, run: &BuildRun, outcomes: &[WriteOutcome], shown: &dyn Fn(&str) -> String) -> Report {
    let changed = outcomes.iter().filter(|outcome| outcome.status != WriteStatus::Unchanged);
    let failed = outcomes.iter().filter(|outcome| outcome.status == WriteStatus::Failed).count();
    let mut listed = 0;
    let lines = changed.map(|outcome| {
        let (path, reasons) = (shown(&outcome.name), outcome.reasons.join("; "));
        let note = match outcome.status {
            WriteStatus::Failed => {
                listed += 1;
                match listed {
                    _ if global.verbose || failed <= MOST_FAILED => Some(format!("not built: {path}: {reasons}")),
                    1..=MOST_FAILED => Some(format!("not built: {path}: {reasons}")),
                    _ if listed == failed => Some(format!("not built: {} more; `-v` lists all", failed - MOST_FAILED)),
                    _ => None,
                }
            }
            WriteStatus::Written if global.verbose => Some(format!("{path}: {reasons}")),
            _ => None,
        };
        let files = outcome.files.iter().map(|name| shown(name)).collect();
        ReportLine::Built { status: outcome.status.name(), path, reasons, files, note }
    });
    Report { diagnostics: report::visible(&run.diagnostics, global.quiet), lines: lines.collect() }
}

/// Converts the outcomes to their JSON form.
fn json(run: &BuildRun, outcomes: &[WriteOutcome], shown: &dyn Fn(&str) -> String) -> output::Build {
    let packs = outcomes.iter().map(|outcome| {
        let summary = outcome.summary.as_ref();
        output::BuiltPack {
            root: outcome.root.clone(),
            profile: outcome.profile.clone(),
            path: shown(&outcome.name),
            files: outcome.files.iter().map(|name| shown(name)).collect(),
            hash: summary.map(|summary| summary.hash.clone()),
            status: outcome.status.name(),
            reasons: outcome.reasons.clone(),
            used_chars: summary.map(|summary| summary.used_chars),
            used_tokens: summary.and_then(|summary| summary.used_tokens),
            omitted: summary.map(|summary| summary.omitted),
            redacted: summary.map(|summary| summary.redacted),
        }
    });
    output::Build {
        packs: packs.collect(),
        diagnostics: crate::console::diagnostics(&run.diagnostics),
        gone: Vec::new(),
    }
}
