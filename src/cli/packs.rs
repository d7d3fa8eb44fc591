//! Builds packs for a command: shared by `build`, `check`, `list`, `render` and `explain`.

use super::args::{AgentChoice, BudgetArgs, Global, is_ci};
use crate::console::{self, Annotations, Document, Exit, Failure, Format, counted, no_roots, report, stamp, strict};
use crate::engine::{
    BudgetProbe, BuildJob, BuildReport, EngineError, Finish, PackState, PackTarget, Project, Repository, build_packs,
};
use crate::git::changed_since;
use crate::model::{Code, Diagnostic, RepoPath, Severity, SourceTree as _};
use crate::seal::Sealed;
use crate::wire::Pack;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

pub(crate) fn no_packs(global: &Global) -> Option<&'static str> {
    let repository = global.open(None).ok()?;
    match repository.project().roots().is_empty() {
        true => Some(no_roots(&repository)),
        false => Some("no packs: `contextpack build` makes them"),
    }
}

const QUIET_FOR: Duration = Duration::from_secs(1);

pub(crate) struct BuildRun {
    /// The diagnostics, sorted; with `--strict` each is an error.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether it is unknown which packs belong in the folder.
    pub(crate) blocked: bool,
    /// Diagnostics that are no news where they are warnings.
    pub(crate) known: Vec<Diagnostic>,
}

impl BuildRun {
    pub(crate) fn new(global: &Global, report: BuildReport) -> Self {
        let BuildReport { mut diagnostics, blocked } = report;
        if global.strict {
            strict(&mut diagnostics);
        }
        Self { diagnostics, blocked, known: Vec::new() }
    }

    /// Compares with a revision: what is wrong with files that are as they were there is apart, and an item that cannot be
    /// read there is no error, unless a pack of a changed item `failed`. Another configuration may be the cause of anything.
    pub(crate) fn compare(
        &mut self,
        global: &Global,
        repository: &Repository,
        base: &str,
        failed: &[RepoPath],
    ) -> Result<(), Failure> {
        let changed = changed_since(repository.root(), base)?;
        let files = repository.files();
        let is_changed = |path: &RepoPath| {
            [Some(path), files.link_end(path)].into_iter().flatten().any(|path| changed.contains(path.as_str()))
        };
        if changed.contains(&repository.configuration().name) || failed.iter().any(is_changed) {
            return Ok(());
        }
        // Of two items with one id, the other one may be new.
        let is_old = |it: &&mut Diagnostic| {
            it.code != Code::DuplicateId && it.at.as_ref().is_some_and(|at| !is_changed(&at.path))
        };
        for old in self.diagnostics.iter_mut().filter(is_old) {
            self.known.push(old.clone());
            if old.is_of_damaged_item() && !global.strict {
                old.severity = Severity::Warning;
            }
        }
        Ok(())
    }

    /// Prints the diagnostics and a document, or JSON alone; in a workflow's log `annotate` adds what the document is there.
    ///
    /// Warnings that are no news are counted, and in a workflow's log no annotations. In CI and with `--verbose` a text has all.
    pub(crate) fn report(
        &self,
        global: &Global,
        errors_only: bool,
        document: &Document,
        annotate: impl FnOnce(&mut Annotations),
        value: impl FnOnce() -> Value,
    ) -> Result<(), Failure> {
        let has_all = global.format != Format::Github && (global.verbose || is_ci());
        // One more of equal diagnostics is news.
        let mut severities: BTreeMap<_, Vec<Severity>> = BTreeMap::new();
        for known in self.known.iter().filter(|_| !has_all) {
            severities.entry(known.key()).or_default().push(known.severity);
        }
        let (mut news, mut known) = (Vec::new(), Vec::new());
        let visible = report::visible(&self.diagnostics, errors_only);
        for diagnostic in &visible {
            let old = severities.get_mut(&diagnostic.key()).filter(|_| diagnostic.severity == Severity::Warning);
            match old.and_then(Vec::pop) {
                Some(severity) => known.push(diagnostic.clone().with_severity(severity)),
                None => news.push(diagnostic.clone()),
            }
        }
        if global.format == Format::Github {
            let mut annotations = Annotations::new();
            annotations.add_diagnostics(&news);
            annotations.add_known(&known);
            annotate(&mut annotations);
            return Ok(document.print_log(annotations, global.verbose)?);
        }
        let value = if global.format == Format::Json { value() } else { Value::Null };
        document.print(global.format, global.verbose, &news, &value)?;
        if !known.is_empty() && global.format != Format::Json {
            let kinds: BTreeSet<Code> = known.iter().map(|known| known.code).collect();
            let counts = [counted(known.len(), "warning"), counted(kinds.len(), "kind")].join(" of ");
            let what = if news.is_empty() { ", none new" } else { " that are not new" };
            writeln!(console::stderr(), "{counts}{what}: `-v` shows all")?;
        }
        Ok(())
    }

    pub(crate) fn exit(&self) -> Exit {
        Exit::of(&self.diagnostics)
    }

    pub(crate) fn print(&self, global: &Global, errors_only: bool) -> std::io::Result<()> {
        let visible = report::visible(&self.diagnostics, errors_only || global.quiet);
        report::print_diagnostics(&report::folded(&visible, global.verbose))
    }

    /// Prints the diagnostics of the build of one pack, and returns the pack unless they prevent it.
    pub(crate) fn of_pack(
        &self,
        global: &Global,
        errors_only: bool,
        sealed: Option<Sealed>,
    ) -> Result<Sealed, Failure> {
        self.print(global, errors_only)?;
        sealed.ok_or_else(|| Failure::Reported(self.exit(), report::visible(&self.diagnostics, true)))
    }
}

/// A repository that a command opened, with what was read of it.
pub(crate) struct OpenedRepository<'r> {
    pub(crate) global: &'r Global,
    pub(crate) repository: &'r Repository,
    pub(crate) project: Project<'r>,
}

impl<'r> OpenedRepository<'r> {
    pub(crate) fn new(global: &'r Global, repository: &'r Repository) -> Self {
        Self { global, repository, project: repository.project() }
    }

    pub(crate) fn find_roots(&self, typed: &[String]) -> Result<Vec<usize>, EngineError> {
        self.repository.find_roots(&self.project, typed)
    }

    /// Returns the job to build `items` under the profiles and limits of `budget`; somebody named them if any are `typed`.
    pub(crate) fn job(&self, items: Vec<usize>, typed: &[String], budget: &BudgetArgs) -> Result<BuildJob, Failure> {
        let job = self.repository.job(&self.project, items, (&budget.profiles, budget.limits()), stamp()?)?;
        Ok(BuildJob { are_named: !typed.is_empty(), ..job })
    }

    pub(crate) fn run<T: Send>(
        &self,
        items: Vec<usize>,
        (typed, budget): (&[String], &BudgetArgs),
        finish: &Finish<'_, T>,
    ) -> Result<(Vec<T>, BuildRun), Failure> {
        let job = self.job(items, typed, budget)?;
        let bar = progress(self.global, job.roots.len() * job.profiles.len());
        let (packs, report) = build_packs(self.repository.files(), &self.project, &job, None, &|built| {
            let finished = finish(built);
            bar.inc(1);
            finished
        })?;
        bar.finish_and_clear();
        Ok((packs, BuildRun::new(self.global, report)))
    }

    pub(crate) fn probe(&self, target: &PackTarget<'_>) -> Result<BudgetProbe<'_, 'r>, Failure> {
        Ok(self.repository.probe(&self.project, target, stamp()?)?)
    }

    /// Returns the target for the agent that its item is assigned to, which is said on standard error, unless it names an agent.
    pub(crate) fn assigned<'t>(&'t self, target: &PackTarget<'t>) -> Result<PackTarget<'t>, Failure> {
        let (None, Some(root)) = (target.agent, target.root) else { return Ok(*target) };
        let item = self.find_roots(&[root.to_owned()])?.first().copied();
        let found = item.map_or(Ok(None), |item| self.project.agent_of(item)).map_err(|why| {
            Failure::Usage(format!("{why} (help: name one with `--agent`, or leave all out with `--no-agent`)"))
        })?;
        let Some((agent, shown)) = found else { return Ok(*target) };
        self.global.note(&format!("note: assigned to the agent {shown}; `--no-agent` leaves it out"))?;
        Ok(PackTarget { agent: Some(agent), ..*target })
    }

    pub(crate) fn build(&self, probe: &BudgetProbe<'_, '_>) -> Result<(Option<Sealed>, BuildRun), Failure> {
        let (sealed, report) = probe.report(self.repository.files(), probe.limits)?;
        Ok((sealed, BuildRun::new(self.global, report)))
    }
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
    bar.set_style(style);
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

impl<'a> PackTarget<'a> {
    pub(crate) fn new(root: Option<&'a str>, budget: &'a BudgetArgs, agent: &'a AgentChoice) -> Self {
        let AgentChoice { agent, policy } = agent;
        let (profiles, limits) = (&*budget.profiles, budget.limits());
        Self { root, profiles, limits, agent: agent.as_deref(), policy: *policy, job: None }
    }
}

/// What names a pack in the repo, as the pack itself and the record of deliveries say it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PackKey {
    pub(crate) agent: Option<String>,
    /// The root; `None` for the start of an agent's session.
    pub(crate) root: Option<String>,
    pub(crate) profile: Option<String>,
    pub(crate) policy: Option<String>,
    pub(crate) job: Option<String>,
}

impl PackKey {
    pub(crate) fn of(pack: &Pack) -> Self {
        let agent = pack.agent.as_ref().map(|agent| agent.key.clone());
        // The start of a session is named by its agent.
        let root = pack.root.name();
        let root = root.filter(|root| agent.as_ref() != Some(root)).cloned();
        let (policy, job) = (pack.policy.clone(), pack.job.clone());
        Self { root, agent, profile: Some(pack.profile.clone()), policy, job }
    }
}

pub(crate) fn built_pack(state: &PackState, shown: &dyn Fn(&str) -> String) -> Value {
    let summary = state.summary.as_ref();
    json!({
        "root": state.root,
        "profile": state.profile,
        "path": shown(&state.name),
        "files": state.files.iter().map(|name| shown(name)).collect::<Vec<_>>(),
        "hash": summary.map(|summary| &summary.hash),
        "status": state.status,
        "reasons": state.reasons,
        "used_chars": summary.map(|summary| summary.used_chars),
        "used_tokens": summary.and_then(|summary| summary.used_tokens),
        "omitted": summary.map(|summary| summary.omitted),
        "redacted": summary.map(|summary| summary.redacted),
    })
}

/// Returns what `build` prints; `gone` is what was wrong before and is no longer, with `watch`.
pub(crate) fn build_output(packs: Vec<Value>, diagnostics: &[Diagnostic], gone: &[Diagnostic]) -> Value {
    let mut output = json!({"packs": packs, "diagnostics": console::diagnostics(diagnostics)});
    if !gone.is_empty() {
        output["gone"] = json!(console::diagnostics(gone));
    }
    output
}

pub(crate) fn checked_pack(state: &PackState, dir: &str) -> Value {
    let PackState { name, root, profile, status, reasons, .. } = state;
    json!({"root": root, "profile": profile, "path": format!("{dir}/{name}"), "status": status, "reasons": reasons})
}
