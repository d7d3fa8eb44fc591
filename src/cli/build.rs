//! `contextpack build`.

use super::args::{BuildArgs, Global, ReviewArgs};
use super::delivery;
use super::packs::{self, BuildRun, OpenedRepository};
use crate::console::github::{append, append_outputs, summary};
use crate::console::{self, Document, Exit, Failure, Format, counted, line, printable, stamp};
use crate::engine::{
    BuildObserver, BuildOrder, PackState, PackTarget, Project, Repository, SessionRequest, delivery_folder,
    pack_file_name,
};
use crate::git;
use crate::model::{RepoPath, slug};
use crate::review::PackStatus;
use crate::store::{Access, Folder};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(global: &Global, args: &BuildArgs) -> Result<Exit, Failure> {
    let writes_more = args.markdown.is_some() || args.outputs.is_some() || args.review != ReviewArgs::default();
    if args.agent.agent.is_some() {
        return match writes_more {
            true => Err(Failure::usage("packs for an agent are printed, or written with `--out`, and nothing else is")),
            false => build_for_agent(global, args),
        };
    }
    let started = Instant::now();
    let printed = args.out.as_deref() == Some(Path::new("-"));
    let out = args.out.as_deref().filter(|_| !printed);
    if printed && writes_more {
        return Err(Failure::usage("`--out -` prints a pack and writes nothing else"));
    }
    let written_to: Vec<&Path> = out.into_iter().chain(args.markdown.as_deref()).collect();
    let repository = global.workspace().open(&written_to, Some(Access::Write))?;
    if printed {
        return print_one(global, &repository, args);
    }
    let staged = |dir| Folder::open_anywhere(dir)?.staged_at(repository.root());
    let folder = match out {
        Some(dir) => staged(dir)?,
        None => Folder::open(repository.root(), &repository.settings().output.dir)?,
    };
    let markdown = args.markdown.as_deref().map(staged).transpose()?;
    [Some(&folder), markdown.as_ref()].into_iter().flatten().for_each(|folder| folder.sweep(&git::is_tracked));
    let shown = |name: &str| match args.out.as_deref() {
        Some(dir) => dir.join(name).display().to_string(),
        None => format!("{}/{name}", repository.settings().output.dir),
    };
    let is_whole = args.packs.roots.is_empty() && args.shard.is_none();
    // Another folder may hold packs of other configurations.
    let prunes = is_whole && out.is_none() && args.packs.budget.profiles.is_empty() && !args.no_prune;
    let what = SessionRequest {
        roots: args.packs.roots.clone(),
        profiles: args.packs.budget.profiles.clone(),
        limits: args.packs.budget.limits(),
        out: out.map(std::path::absolute).transpose()?,
        ..SessionRequest::default()
    };
    let order = BuildOrder {
        what: &what,
        folder: &folder,
        markdown: markdown.as_ref(),
        skips_unknown_roots: false,
        shard: args.shard,
        stamp: stamp()?,
        prune: prunes,
        // Reading an old pack to find why it is stale costs more than building the new one.
        explain: global.verbose || global.format != Format::Text || args.review.file.is_some(),
    };
    let bar = packs::progress(global, 0);
    let (mut own, mut no_roots, mut blockers) = (BTreeMap::new(), false, BTreeMap::new());
    let mut on_read = |project: &Project<'_>, roots: &[usize]| {
        let id = |root: &usize| project.item(*root).id.to_string();
        no_roots = roots.is_empty();
        if args.outputs.is_some() {
            blockers.extend(roots.iter().map(|root| (id(root), project.open_blockers(*root))));
        }
        let path = |root: &usize| project.item(*root).origin.path.clone();
        own.extend(project.roots().iter().map(|root| (id(root), path(root))));
    };
    let mut observer = BuildObserver {
        on_read: Some(&mut on_read),
        on_built: Some(&|packs| {
            bar.set_length(packs as u64);
            bar.inc(1);
        }),
        change_expected: !is_whole || args.outputs.is_some(),
        ..BuildObserver::default()
    };
    let built = repository.build(&order, &mut observer);
    bar.finish_and_clear();
    let mut built = built?;
    if is_whole {
        repository.save(&built, &folder);
    }
    global.workspace().print_notes(&repository);
    let mut run = BuildRun::new(global, std::mem::take(&mut built.report));
    if is_whole && global.format == Format::Text {
        run.known = repository.reported_before().to_vec();
    }
    if let Some(base) = &args.review.base {
        let failed = built.packs.iter().filter(|state| state.status == PackStatus::Failed);
        let failed: Vec<RepoPath> = failed.filter_map(|state| own.get(&state.root).cloned()).collect();
        run.compare(global, &repository, base, &failed)?;
    }
    if let Some(file) = &args.outputs {
        let markdown = args.markdown.as_deref().map(std::path::absolute).transpose()?;
        append_outputs(file, &built.packs, &shown, markdown.as_deref(), &blockers)?;
    }
    let exit = report_and_exit(global, args, &run, &built.packs, &shown, started)?;
    if let Some(error) = built.refused {
        return Err(error.into());
    }
    if let Some(note) = foreign_note(args, &built.packs, &repository, &own).filter(|_| !built.is_fresh) {
        global.note(&format!("note: {note}"))?;
    }
    if no_roots && !run.blocked && global.format == Format::Text {
        global.note(console::no_roots(&repository))?;
    }
    Ok(exit)
}

/// Returns a note if packs were built into the configured folder that the configuration does not ask for; `roots` are its
/// own.
fn foreign_note(
    args: &BuildArgs,
    states: &[PackState],
    repository: &Repository,
    roots: &BTreeMap<String, RepoPath>,
) -> Option<String> {
    let (settings, limits) = (repository.settings(), args.packs.budget.limits());
    let is_foreign = |state: &&PackState| {
        let is_asked = settings.output.profiles.contains(&state.profile) && roots.contains_key(&state.root);
        let budget = settings.profiles.get(&state.profile).map(|profile| &profile.budget);
        !is_asked || budget.is_some_and(|budget| limits.over(budget) != *budget)
    };
    let count =
        states.iter().filter(|it| it.summary.is_some() && it.status != PackStatus::Removed).filter(is_foreign).count();
    (count > 0 && args.out.is_none() && settings.commits_packs()).then(|| {
        let what = "of another profile, item or limit than the configuration asks for";
        let packs = counted(count, "pack");
        format!("{packs} {what}: `check` objects until a full build; `--out DIR` writes elsewhere")
    })
}

fn build_for_agent(global: &Global, args: &BuildArgs) -> Result<Exit, Failure> {
    let out = args.out.as_deref().filter(|out| *out != Path::new("-"));
    let written_to: Vec<&Path> = out.into_iter().collect();
    let repository = global.workspace().open(&written_to, Some(Access::Write))?;
    let folder = out.map(|out| delivery_folder(repository.root(), repository.settings(), out)).transpose()?;
    let opened = OpenedRepository::new(global, &repository);
    let mut roots: Vec<Option<&str>> = args.packs.roots.iter().map(|root| Some(root.as_str())).collect();
    if roots.is_empty() {
        roots.push(None);
    }
    if out.is_none() && roots.len() > 1 {
        return Err(Failure::usage("one pack is printed: give one item, or a folder with `--out`"));
    }
    let mut exit = Exit::Done;
    for root in roots {
        let target = PackTarget::new(root, &args.packs.budget, &args.agent);
        let probe = opened.probe(&target)?;
        let (sealed, run) = opened.build(&probe)?;
        run.print(global, false)?;
        exit = exit.and(run.exit());
        let Some(sealed) = sealed else { continue };
        if args.record {
            delivery::record(global, &repository, sealed.pack())?;
        }
        let (Some(out), Some(folder)) = (out, &folder) else {
            console::exact().write_all(sealed.bytes())?;
            continue;
        };
        let key = sealed.pack().agent.as_ref().map(|agent| agent.key.as_str()).unwrap_or_default();
        let slug = probe.item.map_or_else(|| slug(key), |item| slug(&opened.project.pack_name(item)));
        let name = pack_file_name(&slug, &probe.profile, probe.agent_stem());
        folder.write(&name, sealed.bytes())?;
        writeln!(console::stdout(), "{}", console::printable(&out.join(&name).display().to_string()))?;
    }
    repository.save_documents();
    Ok(exit)
}

fn report_and_exit(
    global: &Global,
    args: &BuildArgs,
    run: &BuildRun,
    states: &[PackState],
    shown: &dyn Fn(&str) -> String,
    started: Instant,
) -> Result<Exit, Failure> {
    let output = || {
        let packs = states.iter().map(|state| packs::built_pack(state, shown)).collect();
        packs::build_output(packs, &run.diagnostics, &[])
    };
    run.report(global, global.quiet, &document(global, states, shown), |_| (), output)?;
    if !matches!(global.format, Format::Json | Format::Github) {
        let mut notes = notes(global, states, shown).into_iter();
        notes.try_for_each(|note| writeln!(console::stderr(), "{}", printable(&note)))?;
    }
    if let Some(file) = &args.review.file {
        append(file, &summary("build", states, shown, &run.diagnostics, None).markdown())?;
    }
    if global.format == Format::Text {
        global.note(&format!("{}, {:.2} s", counts(states), started.elapsed().as_secs_f64()))?;
    }
    Ok(run.exit())
}

fn counts(states: &[PackState]) -> String {
    let count = |status| states.iter().filter(|state| state.status == status).count();
    let is_new =
        |state: &&PackState| state.status == PackStatus::Written && state.reasons.iter().any(|reason| reason == "new");
    let (written, new) = (count(PackStatus::Written), states.iter().filter(is_new).count());
    let mut text = format!("{}: {written} written", counted(states.len(), "pack"));
    if written > new {
        text += &format!(" ({} updated)", written - new);
    }
    text += &format!(", {} unchanged", count(PackStatus::Unchanged));
    for status in [PackStatus::Removed, PackStatus::Failed].into_iter().filter(|status| count(*status) > 0) {
        text += &format!(", {} {status}", count(status));
    }
    let tokens: u64 = states.iter().filter_map(|state| state.summary.as_ref()?.used_tokens).sum();
    if tokens > 0 {
        text += &format!(", {tokens} tokens");
    }
    text
}

fn print_one(global: &Global, repository: &Repository, args: &BuildArgs) -> Result<Exit, Failure> {
    let opened = OpenedRepository::new(global, repository);
    let mut items = opened.find_roots(&args.packs.roots)?;
    items.retain(|item| args.shard.is_none_or(|shard| shard.holds(&opened.project.item(*item).id)));
    let packs = items.len() * args.packs.budget.profiles(repository)?.len();
    if packs != 1 {
        return Err(Failure::usage(format!(
            "`--out -` prints one pack, but {packs} would be built: give one item, and one profile with `-p`"
        )));
    }
    let asked = (&*args.packs.roots, &args.packs.budget);
    let (packs, run) = opened.run(items, asked, &|built| built.outcome.ok())?;
    run.print(global, false)?;
    if let Some(sealed) = packs.into_iter().flatten().next() {
        console::exact().write_all(sealed.bytes())?;
    }
    Ok(run.exit())
}

const MAX_FAILED: usize = 5;

/// Returns the packs as they are printed: the files that were written or removed, or in a workflow's log what became of each.
fn document(global: &Global, states: &[PackState], shown: &dyn Fn(&str) -> String) -> Document {
    let texts = |state: &PackState| match global.format {
        Format::Github => vec![format!("{}: {}: {}", state.status, shown(&state.name), state.reasons.join("; "))],
        _ => state.files.iter().map(|name| shown(name)).collect(),
    };
    let texts = states.iter().filter(|state| state.status != PackStatus::Unchanged).flat_map(texts);
    let mut document = Document::whole();
    document.list(texts.map(|text| line("{}", &[&text])));
    document
}

/// Returns what people read about packs that were not built, or with `--verbose` about all that were written.
fn notes(global: &Global, states: &[PackState], shown: &dyn Fn(&str) -> String) -> Vec<String> {
    let note = |state: &PackState| format!("{}: {}", shown(&state.name), state.reasons.join("; "));
    let mut notes = Vec::new();
    let failed = states.iter().filter(|state| state.status == PackStatus::Failed).count();
    let most = if global.verbose { failed } else { MAX_FAILED };
    let failures = states.iter().filter(|state| state.status == PackStatus::Failed).take(most);
    notes.extend(failures.map(|state| format!("not built: {}", note(state))));
    notes.extend((failed > most).then(|| format!("not built: {} more; `-v` lists all", failed - most)));
    notes.extend(states.iter().filter(|state| global.verbose && state.status == PackStatus::Written).map(note));
    notes
}
