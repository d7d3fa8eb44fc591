//! `contextpack check`.

use super::args::{CheckArgs, Global};
use super::packs::{self, BuildRun, OpenedRepository, checked_pack};
use crate::console::github::{append, summary};
use crate::console::{self, Annotations, Document, Exit, Failure, Format, counted, line, no_roots};
use crate::engine::{PackState, Repository, apply_severities, check_packs, orphaned};
use crate::model::Diagnostic;
use crate::review::PackStatus;
use crate::store::Folder;
use serde_json::json;

pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<Exit, Failure> {
    let repository = global.open(None)?;
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    let alone = args.packs.budget.profiles.is_empty();
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    let all = opened.find_roots(&args.packs.roots)?;
    let mut items = all.clone();
    if let Some(shard) = args.shard {
        items.retain(|item| shard.holds(&project.item(*item).id));
    }
    let job = opened.job(items, &args.packs.roots, &args.packs.budget)?;
    let bar = packs::progress(global, job.roots.len() * job.profiles.len());
    let compared = Some(&folder).filter(|_| repository.settings().commits_packs());
    let (mut states, mut build) = check_packs(&repository, project, &job, compared, false, &|| bar.inc(1))?;
    bar.finish_and_clear();
    if let Some(range) = &args.commits {
        // As the configuration's `warnings` have it.
        let found = super::since::diagnostics(&opened, range)?;
        build.diagnostics.extend(apply_severities(found, project.settings()));
        build.diagnostics.sort();
    }
    let mut run = BuildRun::new(global, build);
    if let Some(base) = &args.review.base {
        let failed = states.iter().filter(|state| state.status == PackStatus::Failed);
        let of_root = |state: &PackState| {
            let mut entries = project.corpus().entries.iter();
            Some(entries.find(|entry| *entry.item.id == *state.root)?.item.origin.path.clone())
        };
        run.compare(global, &repository, base, &failed.filter_map(of_root).collect::<Vec<_>>())?;
    }
    let leads = args.shard.is_none_or(|shard| shard.leads(all.iter().map(|item| &*project.item(*item).id)));
    if compared.is_some() && args.packs.roots.is_empty() && alone && !run.blocked && leads {
        states.extend(orphaned(&repository, project, &all, &job.profiles, &folder, &run.diagnostics)?);
    }
    // The packs must be of the same commit as the inputs that they are compared with.
    repository.confirm_settled()?;
    if global.format != Format::Json && repository.settings().context.vectors.is_some() {
        let (texts, vectors) = project.embedded_texts()?;
        let old = texts.keys().filter(|digest| !vectors.0.contains_key(digest)).count();
        let text = format!("{} without a vector: `contextpack notes --vectors` prints them", counted(old, "text"));
        if old > 0 {
            global.note(&text)?
        }
    }
    report_and_exit(global, args, &repository, &run, states)
}

fn report_and_exit(
    global: &Global,
    args: &CheckArgs,
    repository: &Repository,
    run: &BuildRun,
    mut states: Vec<PackState>,
) -> Result<Exit, Failure> {
    states.sort();
    let dir = repository.settings().output.dir.as_str();
    let differing: Vec<&PackState> =
        states.iter().filter(|state| !state.status.is_current() && state.status != PackStatus::Failed).collect();
    let is_stale = differing.iter().any(|state| state.status != PackStatus::Unverifiable);
    // An unverifiable pack fails the check under `--strict` only.
    let bad = differing.iter().filter(|state| global.strict || state.status != PackStatus::Unverifiable).count();
    if let Some(file) = &args.review.file {
        let shown = |name: &str| format!("{dir}/{name}");
        let next = is_stale.then(|| format!("{}.", uppercased(&next_step(&states))));
        append(file, &summary("check", &states, &shown, &run.diagnostics, next.as_deref()).markdown())?;
    }
    let is_github = global.format == Format::Github;
    let finding = |state: &&PackState| {
        line(&format!("{}: {{}}: {{}}", state.status), &[&format!("{dir}/{}", state.name), &state.reasons.join("; ")])
    };
    let mut document = Document::whole();
    document.list(differing.iter().filter(|_| !is_github).map(finding));
    let annotate = |annotations: &mut Annotations| {
        differing.iter().for_each(|state| {
            annotations.add_pack(&format!("{dir}/{}", state.name), state.status, &state.reasons.join("; "));
        });
    };
    // `--quiet` leaves warnings out of the text, but not out of the annotations.
    run.report(global, global.quiet && !is_github, &document, annotate, || {
        let packs: Vec<_> = states.iter().map(|state| checked_pack(state, dir)).collect();
        json!({"packs": packs, "diagnostics": console::diagnostics(&run.diagnostics)})
    })?;
    if global.format != Format::Json {
        let of = |status: PackStatus| states.iter().filter(|state| state.status == status).count();
        let good = match repository.settings().commits_packs() {
            true => format!("{} of {} packs are fresh", of(PackStatus::Fresh), states.len()),
            false => format!("{} of {} packs can be built", of(PackStatus::Buildable), states.len()),
        };
        global.note(&good)?;
        if states.is_empty() && !run.blocked {
            global.note(no_roots(repository))?;
        }
        if is_stale {
            global.note(&next_step(&states))?;
        }
    }
    // Nothing was compared, since nothing could be read: that is no success.
    let is_blind = states.iter().all(|state| state.status == PackStatus::Unverifiable)
        && run.diagnostics.iter().any(Diagnostic::is_of_unread_item);
    let input = if is_blind { Exit::Input } else { run.exit() };
    Ok(input.and(if bad == 0 { Exit::Done } else { Exit::Stale }))
}

fn next_step(states: &[PackState]) -> String {
    let of = |status: PackStatus| states.iter().filter(|state| state.status == status).count();
    let (orphaned, fresh) = (of(PackStatus::Orphaned), of(PackStatus::Fresh));
    let others = states.len() - orphaned - fresh - of(PackStatus::Unverifiable) - of(PackStatus::Failed);
    // A mistyped glob makes orphans of all packs.
    if orphaned > 1 && orphaned == states.len() {
        return format!(
            "all {orphaned} packs are orphaned: no item of `work_items` and `roots` in `contextpack.yml` gives any of them; correct these before you remove packs"
        );
    }
    let what = match (orphaned, others) {
        (0, _) => "what it writes",
        (_, 0) => "what it removes (`--no-prune` keeps it)",
        _ => "what it writes and removes (`--no-prune` removes nothing)",
    };
    format!("run `contextpack build` and commit {what}")
}

fn uppercased(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
