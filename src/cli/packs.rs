//! Building packs for a command: what `build`, `check`, `list`, `render` and `explain` share.

use super::args::{BudgetArgs, Global};
use super::failure::Failure;
use super::workspace::{Workspace, settled, stamp, strict};
use crate::model::{Diagnostic, Severity};
use crate::pipeline::{BudgetLimits, BuildJob, Built, IsUnchanged, Planned, Project};
use crate::seal::{Sealed, Stamp};
use crate::store::Access;
use crate::wire::Pack;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const QUIET_FOR: Duration = Duration::from_secs(1);

/// A run in which nothing changed, which told these diagnostics.
pub(crate) fn unchanged(global: &Global, told: Vec<Diagnostic>) -> BuildRun {
    let mut diagnostics = told.clone();
    if global.strict {
        strict(&mut diagnostics);
    }
    BuildRun { diagnostics, told, blocked: false }
}

/// What a run of all given roots and profiles gave besides the packs themselves.
pub(crate) struct BuildRun {
    /// What is wrong, sorted; with `--strict` every one is an error.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The same before `--strict`.
    pub(crate) told: Vec<Diagnostic>,
    /// Whether something kept a whole profile, roots with one file name, or packs that may hold what cannot be read
    /// from being built.
    pub(crate) blocked: bool,
}

impl BuildRun {
    /// Whether the input has errors.
    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Builds `items` under the profiles of `building`; `sink` takes each pack, from several threads, but for
/// those that are `known` not to need it.
pub(crate) fn run(
    global: &Global,
    workspace: &Workspace,
    project: &Project<'_>,
    items: Vec<usize>,
    building: &BudgetArgs,
    known: Option<&IsUnchanged<'_>>,
    sink: &(dyn Fn(Built) + Sync),
) -> Result<BuildRun, Failure> {
    let profiles = building.profiles(&workspace.settings)?;
    let bar = progress(global, items.len() * profiles.len());
    let job = BuildJob { roots: items, beside: project.roots(), profiles, limits: building.limits(), stamp: stamp()? };
    let found = Mutex::new(Vec::new());
    let tell = |diagnostics: Vec<Diagnostic>| {
        found.lock().unwrap_or_else(PoisonError::into_inner).extend(diagnostics);
        bar.inc(1);
    };
    let take = |mut built: Built| {
        let mut diagnostics = std::mem::take(&mut built.diagnostics);
        if let Err(fault) = &built.outcome {
            diagnostics.push(fault.diagnostic.clone());
        }
        sink(built);
        tell(diagnostics);
    };
    let faults = match known {
        None => project.build(&job, &take)?,
        Some(known) => {
            let known = |planned: &Planned| {
                let known = known(planned);
                if known {
                    tell(planned.diagnostics.clone());
                }
                known
            };
            project.build_unless(&job, &known, &take)?
        }
    };
    bar.finish_and_clear();
    let blocked = !faults.is_empty();
    let mut diagnostics = workspace.diagnostics(project);
    diagnostics.extend(found.into_inner().unwrap_or_else(PoisonError::into_inner));
    diagnostics.extend(faults);
    let mut diagnostics: Vec<Diagnostic> = diagnostics.into_iter().map(|diagnostic| project.told(diagnostic)).collect();
    diagnostics.sort();
    diagnostics.dedup();
    let told = diagnostics.clone();
    if global.strict {
        strict(&mut diagnostics);
    }
    Ok(BuildRun { diagnostics, told, blocked })
}

/// A bar on a terminal, for work of more than a second.
fn progress(global: &Global, packs: usize) -> ProgressBar {
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
    // The bar appears only once the work turns out to be long.
    let show = move || {
        std::thread::sleep(QUIET_FOR.saturating_sub(started.elapsed()));
        if !late.is_finished() {
            late.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
    };
    // Without a thread for it there is no bar.
    let _ = std::thread::Builder::new().spawn(show);
    bar
}

/// The one pack of one root, built in memory.
///
/// Where several profiles would be built and none is given, the first is.
pub(crate) fn one(
    global: &Global,
    root: &str,
    building: &BudgetArgs,
) -> Result<Result<Sealed, Vec<Diagnostic>>, Failure> {
    settled(|| {
        let workspace = Workspace::open(global, &[], Some(Access::Read))?;
        let project = workspace.project();
        BudgetProbe::new(&workspace, &project, root, building)?.built(building.limits())
    })
}

/// One root under one profile, to be built under several limits.
pub(crate) struct BudgetProbe<'d, 's> {
    project: &'d Project<'s>,
    /// The root.
    pub(crate) item: usize,
    /// The profile.
    pub(crate) profile: String,
    stamp: Stamp,
}

impl<'d, 's> BudgetProbe<'d, 's> {
    /// The root as typed, under the profile of `building`.
    pub(crate) fn new(
        workspace: &Workspace,
        project: &'d Project<'s>,
        root: &str,
        building: &BudgetArgs,
    ) -> Result<Self, Failure> {
        workspace.untracked()?;
        let items = workspace.roots(project, &[root.to_owned()])?;
        let profiles = building.profiles(&workspace.settings)?;
        if building.profiles.len() > 1 {
            return Err(Failure::usage("one pack has one profile: give `--profile` once"));
        }
        match (items.first(), profiles.into_iter().next()) {
            (Some(item), Some(profile)) => Ok(Self { project, item: *item, profile, stamp: stamp()? }),
            _ => Err(Failure::usage(format!("there is no item `{root}`"))),
        }
    }

    /// The pack under these limits, or why there is none.
    pub(crate) fn built(&self, limits: BudgetLimits) -> Result<Result<Sealed, Vec<Diagnostic>>, Failure> {
        let job = BuildJob {
            roots: vec![self.item],
            beside: Vec::new(),
            profiles: vec![self.profile.clone()],
            limits,
            stamp: self.stamp.clone(),
        };
        let result = Mutex::new(None);
        let faults = self.project.build(&job, &|built: Built| {
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(built.outcome);
        })?;
        let told = |fault| self.project.told(fault);
        Ok(match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(Ok(sealed)) => Ok(sealed),
            Some(Err(fault)) => Err(vec![told(fault.diagnostic)]),
            None => Err(faults.into_iter().map(told).collect()),
        })
    }

    /// A limit of `tokens`, or of characters, and no other.
    pub(crate) fn limit(&self, tokens: bool, limit: u64) -> BudgetLimits {
        let (max_chars, max_tokens) = if tokens { (None, Some(limit)) } else { (Some(limit), None) };
        BudgetLimits { max_chars, max_tokens, ..BudgetLimits::default() }
    }

    /// What the pack's limit counts, `tokens` or `chars`, and how many it uses.
    pub(crate) fn unit(&self, pack: &Pack) -> (&'static str, u64) {
        match (pack.budget.max_tokens, pack.budget.used_tokens) {
            (Some(_), Some(used)) => ("tokens", used),
            _ => ("chars", pack.budget.used_chars),
        }
    }

    /// The smallest limit above what `pack` uses at which `enough` holds; nothing where no limit is enough.
    ///
    /// More budget never takes away, so that halving finds it.
    pub(crate) fn enters(&self, pack: &Pack, enough: &dyn Fn(&Pack) -> bool) -> Result<Option<u64>, Failure> {
        let (unit, used) = self.unit(pack);
        let holds = |limit| -> Result<bool, Failure> {
            Ok(self.built(self.limit(unit == "tokens", limit))?.is_ok_and(|sealed| enough(sealed.pack())))
        };
        let (mut low, mut high) = (used, used.saturating_mul(2).max(1000));
        while !holds(high)? {
            // A thousand million is more than any repo holds.
            if high > 1_000_000_000 {
                return Ok(None);
            }
            (low, high) = (high, high * 4);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(middle)? { high = middle } else { low = middle }
        }
        Ok(Some(high))
    }
}
