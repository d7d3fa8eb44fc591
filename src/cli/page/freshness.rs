//! The freshness of the packs on a page: each pack of the repo is compared with the one that a build gives now.

use crate::cli::args::{BudgetArgs, Global};
use crate::cli::packs::{self, BuildRun};
use crate::cli::{check, workspace};
use crate::console::Failure;
use crate::engine::{CheckRequest, check_packs};
use crate::review::Freshness;
use crate::store::Folder;
use std::collections::BTreeMap;
use std::path::PathBuf;
#[cfg(feature = "serve")]
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "serve")]
use std::time::{Duration, Instant};

/// The shortest pause between two checks of packs that did not change.
#[cfg(feature = "serve")]
const PAUSE: Duration = Duration::from_secs(2);

/// A pause is this many times as long as the check before it.
#[cfg(feature = "serve")]
const REST: u32 = 20;

/// The packs of the repo's output folder, compared with those that a build gives.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CheckedFolder {
    /// The output folder, without links.
    pub(super) path: PathBuf,
    /// The freshness by name of the pack.
    pub(super) packs: BTreeMap<String, Freshness>,
}

/// Compares the packs of the repo around the current folder; `None` if there is no repo, or none that can be built.
///
/// A page shows packs wherever it is made, so nothing here is an error.
pub(super) fn check(global: &Global) -> Option<CheckedFolder> {
    workspace::settled(|| checked(global)).ok()
}

fn checked(global: &Global) -> Result<CheckedFolder, Failure> {
    let repository = workspace::open(global, &[], None)?;
    let project = repository.project();
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    let path = folder.path().canonicalize()?;
    let budget = BudgetArgs::default();
    let items = project.roots();
    let job = packs::job(&repository, &project, items.clone(), &[], &budget)?;
    let request = CheckRequest { folder: &folder, markdown: repository.settings().output.markdown, skip_missing: true };
    let (mut states, build) = check_packs(repository.files(), &project, &job, &request, &|| ())?;
    let run = BuildRun::new(global, build);
    if !run.blocked {
        states.extend(check::orphaned(&repository, &project, &items, &folder, &budget, &run)?);
    }
    repository.confirm_settled()?;
    let found = states.into_iter().filter(|state| state.status != "missing");
    let packs = found.map(|it| (it.name, Freshness { status: it.status, reasons: it.reasons })).collect();
    Ok(CheckedFolder { path, packs })
}

/// Compares the packs in the background, so that the server does not wait for builds.
#[cfg(feature = "serve")]
pub(super) struct BackgroundCheck {
    global: Global,
    state: Arc<Mutex<CheckState>>,
}

#[cfg(feature = "serve")]
struct CheckState {
    found: Option<CheckedFolder>,
    /// Whether `found` changed since it was last asked for.
    changed: bool,
    running: bool,
    /// Whether packs changed since the last check began.
    outdated: bool,
    /// When the inputs may have changed, so that another check is due.
    due: Instant,
}

#[cfg(feature = "serve")]
impl BackgroundCheck {
    pub(super) fn new(global: &Global) -> Self {
        let state = CheckState { found: None, changed: false, running: false, outdated: true, due: Instant::now() };
        Self { global: global.clone(), state: Arc::new(Mutex::new(state)) }
    }

    /// Starts a check if one is due, and returns whether the last one found anything else than the one before.
    pub(super) fn poll(&self, packs_changed: bool) -> bool {
        let mut state = self.lock();
        state.outdated |= packs_changed;
        if !state.running && (state.outdated || state.due <= Instant::now()) {
            (state.running, state.outdated) = (true, false);
            let (global, shared) = (self.global.clone(), Arc::clone(&self.state));
            let run = move || {
                let began = Instant::now();
                let found = check(&global);
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                state.changed |= state.found != found;
                (state.found, state.running) = (found, false);
                state.due = Instant::now() + (began.elapsed() * REST).max(PAUSE);
            };
            // Without a thread the packs keep the state that they have.
            state.running = std::thread::Builder::new().spawn(run).is_ok();
        }
        std::mem::take(&mut state.changed)
    }

    /// Calls `read` with what the last check found.
    pub(super) fn with_found<T>(&self, read: impl FnOnce(Option<&CheckedFolder>) -> T) -> T {
        read(self.lock().found.as_ref())
    }

    fn lock(&self) -> MutexGuard<'_, CheckState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
