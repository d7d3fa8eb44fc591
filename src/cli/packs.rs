//! Builds packs for a command: shared by `build`, `check`, `list`, `render` and `explain`.

use super::args::{AgentChoice, BudgetArgs, Global};
use super::workspace::{open, settled, stamp, strict};
use crate::config::{Job, Policy};
use crate::console::Exit;
use crate::console::Failure;
use crate::console::report;
use crate::engine::{BudgetLimits, BudgetProbe, BuildJob, BuildReport, Finish, Project, Repository, build_packs};
use crate::model::{Diagnostic, SourceTree as _};
use crate::seal::Sealed;
use crate::store::Access;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Returns the note of a command that finds no roots.
pub(crate) fn no_roots(repository: &Repository) -> &'static str {
    if repository.project().diagnostics().iter().any(Diagnostic::is_of_unread_item) {
        return "no roots: no work item could be read; correct the files that are named above";
    }
    if repository.configuration().text.is_none() {
        return "no roots: there is no configuration and no work item here; run `contextpack init`";
    }
    if !repository.project().corpus().entries.is_empty() {
        return "no roots: `roots` and `no_pack` of the configuration leave none of the work items";
    }
    if repository.settings().github.repo.is_some() && repository.files().issues().is_empty() {
        return "no roots: there is no work item here, and no snapshot of GitHub's issues; run `contextpack sync`";
    }
    "no roots: add work items, or correct `work_items` and `roots` in `contextpack.yml`"
}

/// Returns the note of a command that follows or shows packs and finds none.
pub(crate) fn no_packs(global: &Global) -> Option<&'static str> {
    let repository = open(global, &[], None).ok()?;
    match repository.project().roots().is_empty() {
        true => Some(no_roots(&repository)),
        false => Some("no packs: `contextpack build` makes them"),
    }
}

/// Returns what `check` will object to in packs of `items` under `profiles`, which lie in the folder of all packs: those that
/// the configuration does not ask for are orphaned.
pub(crate) fn orphan_notes(
    repository: &Repository,
    project: &Project<'_>,
    items: &[usize],
    profiles: &[String],
) -> Vec<String> {
    let mut notes = Vec::new();
    let configured = &repository.settings().output.profiles;
    for profile in profiles.iter().filter(|profile| !configured.contains(profile)) {
        notes.push(format!(
            "`check` calls packs of the profile `{profile}` orphaned: add it to `output.profiles`, or write them elsewhere with `--out`"
        ));
    }
    let roots: BTreeSet<usize> = project.roots().into_iter().collect();
    for item in items.iter().filter(|item| !roots.contains(item)).take(MOST_NOTES) {
        let id = &project.corpus().entries[*item].item.id;
        notes.push(format!(
            "`check` calls the packs of `{id}` orphaned: it is not among the `roots` of the configuration"
        ));
    }
    notes
}

/// The most items that notes name.
const MOST_NOTES: usize = 5;

/// Work shorter than this shows no progress.
const QUIET_FOR: Duration = Duration::from_secs(1);

/// The diagnostics of a build, as a command reports them.
pub(crate) struct BuildRun {
    /// The diagnostics, sorted; with `--strict` each is an error.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The diagnostics before `--strict` was applied.
    pub(crate) before_strict: Vec<Diagnostic>,
    /// Whether it is unknown which packs belong in the folder.
    pub(crate) blocked: bool,
}

impl BuildRun {
    /// Applies `--strict` to the report of a build.
    pub(crate) fn new(global: &Global, report: BuildReport) -> Self {
        let before_strict = report.diagnostics;
        let mut diagnostics = before_strict.clone();
        if global.strict {
            strict(&mut diagnostics);
        }
        Self { diagnostics, before_strict, blocked: report.blocked }
    }

    /// Returns the exit code of a command whose packs were built.
    pub(crate) fn exit(&self) -> Exit {
        Exit::of(&self.diagnostics)
    }

    /// Prints the diagnostics on standard error, or with `errors_only` those that make the command fail.
    pub(crate) fn print(&self, global: &Global, errors_only: bool) -> std::io::Result<()> {
        let visible = report::visible(&self.diagnostics, errors_only || global.quiet);
        report::print_diagnostics(&report::folded(&visible, global.verbose))
    }
}

/// Returns the job to build `items` under the profiles and limits of `budget`; somebody named them if any are `typed`.
pub(crate) fn job(
    repository: &Repository,
    project: &Project<'_>,
    items: Vec<usize>,
    typed: &[String],
    budget: &BudgetArgs,
) -> Result<BuildJob, Failure> {
    let profiles = budget.profiles(repository)?;
    Ok(BuildJob {
        roots: items,
        others: project.roots(),
        profiles,
        limits: budget.limits(),
        stamp: stamp()?,
        agent: None,
        session_start: false,
        are_named: !typed.is_empty(),
    })
}

/// Builds `items` under the profiles of `budget`, as [`job`] does, and returns what `finish` makes of each pack.
pub(crate) fn run<T: Send>(
    global: &Global,
    repository: &Repository,
    project: &Project<'_>,
    items: Vec<usize>,
    (typed, budget): (&[String], &BudgetArgs),
    finish: &Finish<'_, T>,
) -> Result<(Vec<T>, BuildRun), Failure> {
    let job = job(repository, project, items, typed, budget)?;
    let bar = progress(global, job.roots.len() * job.profiles.len());
    let (packs, report) = build_packs(repository.files(), project, &job, None, &|built| {
        let finished = finish(built);
        bar.inc(1);
        finished
    })?;
    bar.finish_and_clear();
    Ok((packs, BuildRun::new(global, report)))
}

/// Returns a progress bar, which appears on a terminal if the work takes more than a second.
pub(crate) fn progress(global: &Global, packs: usize) -> ProgressBar {
    if global.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let started = Instant::now();
    let bar = ProgressBar::new(packs as u64);
    let style = ProgressStyle::with_template("building packs {bar:30} {pos}/{len}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.with_key("", move |_: &indicatif::ProgressState, _: &mut dyn std::fmt::Write| ()));
    bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    let late = bar.clone();
    let show = move || {
        std::thread::sleep(QUIET_FOR.saturating_sub(started.elapsed()));
        if !late.is_finished() {
            late.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
    };
    // If the thread cannot be started, there is no bar.
    let _ = std::thread::Builder::new().spawn(show);
    bar
}

/// The pack that a command builds in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackTarget<'a> {
    /// The root; `None` for the start of an agent's session.
    pub(crate) root: Option<&'a str>,
    /// Its profile and limits.
    pub(crate) budget: &'a BudgetArgs,
    /// The agent that it is for.
    pub(crate) agent: Option<&'a str>,
    /// How much a pack for an agent holds.
    pub(crate) policy: Option<Policy>,
    /// The job that it is for.
    pub(crate) job: Option<(&'a str, &'a Job)>,
}

impl<'a> PackTarget<'a> {
    /// Names the pack of a root, or of the start of an agent's session.
    pub(crate) fn new(root: Option<&'a str>, budget: &'a BudgetArgs, agent: &'a AgentChoice) -> Self {
        let AgentChoice { agent, policy } = agent;
        Self { root, budget, agent: agent.as_deref(), policy: policy.map(Into::into), job: None }
    }
}

/// A pack to be built, and the limits that were asked for.
pub(crate) struct Probe<'p, 's> {
    /// The build.
    pub(crate) probe: BudgetProbe<'p, 's>,
    /// The limits of the command line, else of the agent.
    pub(crate) limits: BudgetLimits,
    /// The stem of the agent's file.
    pub(crate) agent: Option<String>,
}

/// Builds a pack in memory, as [`build`] does.
///
/// If no profile is given, the agent's or the first of the configuration is used.
pub(crate) fn one(global: &Global, target: &PackTarget<'_>) -> Result<(Option<Sealed>, BuildRun), Failure> {
    settled(|| {
        // Notes on documents take most of the time of a pack for an agent, so that they are kept.
        let access = if target.agent.is_some() { Access::Write } else { Access::Read };
        let repository = open(global, &[], Some(access))?;
        let project = repository.project();
        let Probe { probe, limits, .. } = probe(&repository, &project, target)?;
        let built = build(global, &repository, &probe, limits)?;
        repository.save_documents();
        Ok(built)
    })
}

/// Builds a pack in memory with the diagnostics of `contextpack build` for it; `None` if they prevent it.
pub(crate) fn build(
    global: &Global,
    repository: &Repository,
    probe: &BudgetProbe<'_, '_>,
    limits: BudgetLimits,
) -> Result<(Option<Sealed>, BuildRun), Failure> {
    let (sealed, report) = probe.report(repository.files(), limits)?;
    Ok((sealed, BuildRun::new(global, report)))
}

/// Prepares a pack for builds under several limits.
pub(crate) fn probe<'p, 's>(
    repository: &Repository,
    project: &'p Project<'s>,
    target: &PackTarget<'_>,
) -> Result<Probe<'p, 's>, Failure> {
    repository.refuse_tracked_cache()?;
    let budget = target.budget;
    if budget.profiles.len() > 1 {
        return Err(Failure::usage("one pack has one profile: give `--profile` once"));
    }
    let agent = target.agent.map(|name| repository.agent(project, name, target.policy, target.job)).transpose()?;
    let item = match target.root {
        Some(root) => repository.find_roots(project, &[root.to_owned()])?.first().copied(),
        None => None,
    };
    let configuration = repository.configuration();
    let (agent, profiles, limits) = match agent {
        Some((agent, defaults)) => {
            let profiles = defaults.profiles(configuration, &budget.profiles)?;
            (Some(agent), profiles, defaults.limits(budget.limits()))
        }
        None => (None, configuration.profiles(&budget.profiles)?, budget.limits()),
    };
    let stem = agent.as_ref().map(|agent| project.knowledge().agents.all[agent.agent].stem().to_owned());
    match (profiles.into_iter().next(), item.is_some() || agent.is_some()) {
        (Some(profile), true) => {
            let probe = BudgetProbe::new(project, item, profile, stamp()?).with_agent(agent);
            Ok(Probe { probe, limits, agent: stem })
        }
        _ => Err(Failure::usage("name a root, or an agent with `--agent`")),
    }
}
