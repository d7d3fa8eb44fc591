//! Building packs for a command: what `build`, `check`, `list`, `render` and `explain` share.

use super::args::{Building, Global};
use super::failure::Failure;
use super::workspace::{Workspace, stamp, strict};
use contextpack::model::{Diagnostic, Severity};
use contextpack::pipeline::{Built, Desk, Job, Known, Planned};
use contextpack::seal::Sealed;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const QUIET_FOR: Duration = Duration::from_secs(1);

/// A run in which nothing changed, which told these diagnostics.
pub(crate) fn unchanged(global: &Global, told: Vec<Diagnostic>) -> Run {
    let mut diagnostics = told.clone();
    if global.strict {
        strict(&mut diagnostics);
    }
    Run { diagnostics, told, blocked: false }
}

/// What a run of all given roots and profiles gave besides the packs themselves.
pub(crate) struct Run {
    /// What is wrong, sorted; with `--strict` every one is an error.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The same before `--strict`.
    pub(crate) told: Vec<Diagnostic>,
    /// Whether something kept a whole profile, or roots with one file name, from being built.
    pub(crate) blocked: bool,
}

impl Run {
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
    desk: &Desk<'_>,
    items: Vec<usize>,
    building: &Building,
    known: Option<&Known<'_>>,
    sink: &(dyn Fn(Built) + Sync),
) -> Result<Run, Failure> {
    let profiles = building.profiles(&workspace.settings)?;
    let bar = progress(global, items.len() * profiles.len());
    let job = Job { roots: items, beside: desk.roots(), profiles, limits: building.limits(), stamp: stamp()? };
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
        None => desk.build(&job, &take),
        Some(known) => {
            let known = |planned: &Planned| {
                let known = known(planned);
                if known {
                    tell(planned.diagnostics.clone());
                }
                known
            };
            desk.build_unless(&job, &known, &take)
        }
    };
    bar.finish_and_clear();
    let blocked = !faults.is_empty();
    let mut diagnostics = workspace.diagnostics(desk);
    diagnostics.extend(found.into_inner().unwrap_or_else(PoisonError::into_inner));
    diagnostics.extend(faults);
    let mut diagnostics: Vec<Diagnostic> = diagnostics.into_iter().map(|diagnostic| desk.told(diagnostic)).collect();
    diagnostics.sort();
    diagnostics.dedup();
    let told = diagnostics.clone();
    if global.strict {
        strict(&mut diagnostics);
    }
    Ok(Run { diagnostics, told, blocked })
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
    std::thread::spawn(move || {
        std::thread::sleep(QUIET_FOR.saturating_sub(started.elapsed()));
        if !late.is_finished() {
            late.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
    });
    bar
}

/// The one pack of one root, built in memory.
///
/// Where several profiles would be built and none is given, the first is.
pub(crate) fn one(
    global: &Global,
    root: &str,
    building: &Building,
) -> Result<Result<Sealed, Vec<Diagnostic>>, Failure> {
    let workspace = Workspace::open(global, &[])?;
    let desk = workspace.desk();
    let items = workspace.roots(&desk, &[root.to_owned()])?;
    let profiles = building.profiles(&workspace.settings)?;
    if building.profiles.len() > 1 {
        return Err(Failure::usage("one pack has one profile: give `--profile` once"));
    }
    let job = Job {
        roots: items,
        beside: Vec::new(),
        profiles: profiles.into_iter().take(1).collect(),
        limits: building.limits(),
        stamp: stamp()?,
    };
    let result = Mutex::new(None);
    let faults = desk.build(&job, &|built: Built| {
        *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(built.outcome);
    });
    Ok(match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(Ok(sealed)) => Ok(sealed),
        Some(Err(fault)) => Err(vec![desk.told(fault.diagnostic)]),
        None => Err(faults.into_iter().map(|fault| desk.told(fault)).collect()),
    })
}
