//! Watches a repo and rebuilds the packs that each change affects.
//!
//! An event says only that something may have changed; an incremental build finds out what did. Events therefore need
//! no interpretation, and lost or duplicate ones do no harm: after every burst the packs equal those of a build from
//! scratch. Folders are followed before they are listed, and listed again if one is new, so that no change is missed in
//! between.

mod events;
mod follower;
mod now_file;
mod report;

pub use events::{Event, Events, FollowError, Native, Poll};
pub use follower::Follower;
pub use report::{SavedPack, WatchProblem, WatchReport};

use crate::config::Settings;
use crate::engine::{
    BuildObserver, EngineError, PackState, Session, SessionRequest, Update, WrittenPack, has_unread_root, markdown_copy,
};
use crate::intake::{IntakeError, Repo};
use crate::model::{Diagnostic, RepoPath};
use crate::redact::Environment;
use crate::render;
use crate::review::{PackStatus, read, verify};
use crate::seal::Stamp;
use crate::store::{Folder, StoreError, init_state_dir};
use now_file::NowFile;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The silence that ends a burst of events: editors save in several steps, of a few milliseconds each.
const QUIET: Duration = Duration::from_millis(20);

/// The most changed paths that are tracked one by one.
const MAX_TOUCHED: usize = 256;

/// The longest time that a build waits for the end of a burst.
const MAX_BURST: Duration = Duration::from_secs(2);

/// A repo that is watched.
pub struct Watch {
    request: SessionRequest,
    session: Session,
    follower: Follower,
    now: NowFile,
    stamp: Box<dyn Fn() -> Stamp + Send>,
    /// Whether reports hold renderings.
    renderings: bool,
    /// The configured folder of packs, once a build has read the configuration.
    dir: Option<RepoPath>,
    /// The hashes of the packs that this watch wrote, by folder and name.
    wrote: BTreeMap<(PathBuf, String), String>,
    reported: BTreeSet<Diagnostic>,
    /// The reported failed packs and unresolved roots that still hold.
    failing: BTreeSet<String>,
    problems: Vec<String>,
    /// Whether the session has read every file once.
    ready: bool,
    /// Whether an event announced the next check.
    expected: bool,
    /// Whether git was changing files at the last check, so that another is due even without an event.
    unsettled: bool,
    /// The paths that changed since the last check; `None` if not all are known.
    touched: Option<BTreeSet<PathBuf>>,
}

impl Watch {
    /// Creates a watch that has built nothing yet. `environment` holds the secrets that no pack may contain, `stamp`
    /// gives the time of each build, and `renderings` says whether to fill [`SavedPack::renderings`].
    pub fn new(
        request: SessionRequest,
        environment: Environment,
        events: Box<dyn Events>,
        stamp: Box<dyn Fn() -> Stamp + Send>,
        renderings: bool,
    ) -> Self {
        Self {
            session: Session::new(request.clone(), environment),
            now: NowFile::new(&request),
            follower: Follower::new(request.clone(), events),
            request,
            stamp,
            renderings,
            dir: None,
            wrote: BTreeMap::new(),
            reported: BTreeSet::new(),
            failing: BTreeSet::new(),
            problems: Vec::new(),
            ready: false,
            expected: false,
            unsettled: false,
            touched: None,
        }
    }

    /// Keeps packs for an agent in memory only: neither `now.md` nor its folder is written.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.now.is_written = false;
        self
    }

    /// Returns the packs for an agent, as a folder in memory, which is empty if they are written to a folder on disk.
    pub fn delivered(&self) -> &Folder {
        self.session.delivered()
    }

    /// Returns the number of packs.
    pub fn packs(&self) -> usize {
        self.session.packs().len()
    }

    /// Returns whether the last build failed for none of the packs.
    pub fn is_current(&self) -> bool {
        self.problems.is_empty() && self.failing.is_empty()
    }

    /// Returns the number of followed folders.
    pub fn followed(&self) -> usize {
        self.follower.followed()
    }

    /// Returns the configured folder of packs, as of the last build that read the configuration.
    pub fn dir(&self) -> Option<&RepoPath> {
        self.dir.as_ref()
    }

    /// Returns the name of the pack that `now.md` shows.
    pub fn focus(&self) -> Option<&str> {
        self.now.focus.as_deref()
    }

    /// Returns the rendering in `now.md`, without a line above it; empty while there is no pack.
    pub fn rendering(&self) -> &str {
        self.now.rendering()
    }

    /// Waits for the end of the next burst of events and builds; `None` once the watch is stopped. The report is quiet
    /// if nothing changed after all.
    pub fn next_report(&mut self) -> Option<WatchReport> {
        // The cache is saved here, after the last report, so that nothing waits for it.
        self.session.save();
        if !self.ready {
            // The first check reads every file, so that the first save need not wait for that.
            self.ready = true;
            self.expected = true;
            let report = if self.session.is_cold() { self.check() } else { WatchReport::default() };
            if !report.is_quiet() {
                return Some(report);
            }
        }
        self.wait().then(|| self.check())
    }

    /// Waits for the end of a burst; returns whether to check rather than to stop.
    fn wait(&mut self) -> bool {
        self.expected = true;
        self.touched = Some(BTreeSet::new());
        // The times of the first and the last event of the burst.
        let mut burst: Option<(Instant, Instant)> = None;
        loop {
            let due = self.unsettled.then_some(MAX_BURST);
            let within = burst.map_or(due, |(first, last)| {
                let end = (last + QUIET).min(first + MAX_BURST);
                Some(end.saturating_duration_since(Instant::now()))
            });
            if within == Some(Duration::ZERO) {
                return true;
            }
            match self.follower.next(within) {
                Event::Stop => return false,
                Event::Quiet => return true,
                Event::Tick => {
                    self.expected = false;
                    self.touched = None;
                    return true;
                }
                event @ (Event::Touched(_) | Event::Overflow) => {
                    let paths = if let Event::Touched(paths) = event { Some(paths) } else { None };
                    let known = self.touched.take().zip(paths);
                    let all = known.map(|(touched, paths)| touched.into_iter().chain(paths).collect());
                    self.touched = all.filter(|all: &BTreeSet<PathBuf>| all.len() <= MAX_TOUCHED);
                    let now = Instant::now();
                    burst = Some((burst.map_or(now, |(first, _)| first), now));
                }
            }
        }
    }

    /// Builds what changed since the last check, or everything the first time.
    pub fn check(&mut self) -> WatchReport {
        let began = Instant::now();
        let was_current = self.is_current();
        if self.dir.is_none() && self.now.is_written {
            // Created before anything is followed, so that it causes no event.
            let _there_already = fs::create_dir(self.request.root.join(".contextpack"));
        }
        let saved: Mutex<Vec<SavedPack>> = Mutex::default();
        let (built, mut problems, several) = self.build(&saved);
        let locked = |error: &EngineError| matches!(error, EngineError::Intake(IntakeError::Locked { .. }));
        self.unsettled = built.as_ref().is_err_and(|error| matches!(error, EngineError::Unsettled(_)) || locked(error));
        let mut report =
            WatchReport { saved: saved.into_inner().unwrap_or_else(PoisonError::into_inner), ..WatchReport::default() };
        report.saved.sort_by(|a, b| a.state.name.cmp(&b.state.name));
        report.several_profiles = several;
        match built {
            Ok(update) => problems.extend(self.finish(update, &mut report).err().map(WatchProblem::Now)),
            Err(error) => {
                // If this fails as well, the first error is the one to report.
                let _ = self.now.mark_outdated(&public_reason(&error));
                problems.push(WatchProblem::Session(error));
            }
        }
        // A problem that persists is reported once.
        let lines: Vec<String> = problems.iter().map(WatchProblem::to_line).collect();
        report.recovered = !was_current && lines.is_empty() && self.failing.is_empty();
        problems.retain(|problem| !self.problems.contains(&problem.to_line()));
        self.problems = lines;
        report.problems = problems;
        report.took = began.elapsed();
        report
    }

    fn build(&mut self, saved: &Mutex<Vec<SavedPack>>) -> (Result<Update, EngineError>, Vec<WatchProblem>, bool) {
        let touched = self.touched.take().map(|touched| touched.into_iter().collect());
        let Self { session, follower, request, dir, renderings, now, .. } = self;
        let mut follow_error = follower.follow_base().err();
        let mut several = false;
        let mut listed = |repo: &Repo, settings: &Settings, anew: bool| {
            several = match &request.agent {
                None if request.profiles.is_empty() => settings.output.profiles.len() > 1,
                _ => request.profiles.len() > 1,
            };
            *dir = Some(settings.output.dir.clone());
            if now.is_written {
                // If it cannot be created, the write that follows reports it.
                let _ = init_state_dir(&request.root, settings.commits_packs());
            }
            if !anew {
                return false;
            }
            follower.follow(repo, settings).unwrap_or_else(|error| {
                follow_error = Some(error);
                false
            })
        };
        let replaced = |replaced: WrittenPack<'_>| {
            let replaced = SavedPack::new(replaced, *renderings);
            saved.lock().unwrap_or_else(PoisonError::into_inner).push(replaced);
        };
        let mut observer = BuildObserver {
            on_listed: Some(&mut listed),
            on_written: Some(&replaced),
            change_expected: self.expected,
            changed_paths: touched,
            ..BuildObserver::default()
        };
        let built = session.build_observed((self.stamp)(), &mut observer);
        (built, follow_error.into_iter().map(WatchProblem::Follow).collect(), several)
    }

    /// Adds the result of a build to the report, removes orphaned packs, and updates `now.md`.
    fn finish(&mut self, update: Update, report: &mut WatchReport) -> Result<(), StoreError> {
        let Update { changes, gone, arrived, unchanged, diagnostics, unresolved } = update;
        report.unchanged = unchanged;
        report.arrived = arrived;
        for saved in &mut report.saved {
            if let Some(change) = changes.iter().find(|change| change.name == saved.state.name) {
                saved.state.files.clone_from(&change.files);
            }
        }
        let failed = changes.into_iter().filter(|change| change.status == PackStatus::Failed).collect::<Vec<_>>();
        let fault = |failed: &PackState| (failed.name.clone(), public_fault(&failed.reasons, &diagnostics));
        let failed_now: BTreeMap<String, String> = failed.iter().map(fault).collect();
        let mut failing = BTreeSet::new();
        let mut new = |line: String| !self.failing.contains(&line) & failing.insert(line);
        report.failed =
            failed.into_iter().filter(|failed| new(format!("{}: {:?}", failed.name, failed.reasons))).collect();
        report.unresolved = unresolved.into_iter().filter(|root| new(root.to_string())).collect();
        self.failing = failing;
        let Some(folder) = self.session.folder().cloned() else { return Ok(()) };
        for saved in &report.saved {
            let name = &saved.state.name;
            if let Some(summary) = self.session.packs().get(name) {
                self.wrote.insert((folder.path().to_owned(), name.clone()), summary.hash.clone());
            }
        }
        for name in gone {
            // What somebody deleted is not left.
            let Some(bytes) = folder.read(&name)? else { continue };
            match self.remove(&folder, &name, &bytes, &diagnostics)? {
                Some(removed) => report.removed.push(removed),
                None => report.orphaned.push(name),
            }
        }
        let now: BTreeSet<Diagnostic> = diagnostics.into_iter().collect();
        report.diagnostics = without(&now, &self.reported);
        report.gone = without(&self.reported, &now);
        self.reported = now;
        self.show(&folder, report, &failed_now)
    }

    /// Removes an orphaned pack that this watch wrote and nobody changed, unless its root's file cannot be read at present.
    fn remove(
        &mut self,
        folder: &Folder,
        name: &str,
        bytes: &[u8],
        diagnostics: &[Diagnostic],
    ) -> Result<Option<PackState>, StoreError> {
        let key = (folder.path().to_owned(), name.to_owned());
        let (Some(hash), Ok(pack)) = (self.wrote.get(&key), read(bytes)) else { return Ok(None) };
        let is_own = pack.hash == *hash && verify(bytes).is_valid();
        let rendering = || render::pack(&pack).whole();
        let is_copy_own = || -> Result<bool, StoreError> {
            Ok(!markdown_copy::exists(folder, name)? || markdown_copy::fault(folder, name, &rendering())?.is_none())
        };
        if !is_own || !is_copy_own()? || has_unread_root(&pack, diagnostics) {
            return Ok(None);
        }
        markdown_copy::remove(folder, name)?;
        folder.remove(name)?;
        self.wrote.remove(&key);
        let reasons = vec!["its item or profile is gone".to_owned()];
        Ok(Some(PackState { summary: None, ..PackState::of_pack(name, &pack, PackStatus::Removed, reasons) }))
    }

    /// Shows the first saved pack whose root's own text changed, or else any saved one, the one in focus, or the first. If the
    /// one in focus cannot be built, as `failed` says, it stays below a line that says why.
    fn show(
        &mut self,
        folder: &Folder,
        report: &WatchReport,
        failed: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        let packs = self.session.packs();
        if let Some(why) = self.now.focus.as_ref().and_then(|focus| failed.get(focus)) {
            return self.now.mark_outdated(why);
        }
        let first = report.saved.iter().find(|saved| saved.own).or(report.saved.first()).map(|saved| &saved.state.name);
        let focus = first.or(self.now.focus.as_ref()).or(packs.keys().next()).cloned();
        match focus.and_then(|name| Some((packs.get(&name)?.hash.clone(), name))) {
            Some((hash, name)) => self.now.show(folder, &name, &hash),
            None => self.now.mark_outdated(match (failed.first_key_value(), packs.is_empty()) {
                (Some((_, why)), true) => why.as_str(),
                _ => "its item is gone",
            }),
        }
    }
}

/// Returns the diagnostics that are not among others. One that only moved by some lines is the same.
fn without(diagnostics: &BTreeSet<Diagnostic>, others: &BTreeSet<Diagnostic>) -> Vec<Diagnostic> {
    let known: BTreeSet<_> = others.iter().map(Diagnostic::key).collect();
    diagnostics.iter().filter(|diagnostic| !known.contains(&diagnostic.key())).cloned().collect()
}

/// Returns why a pack cannot be built, without quoting any text from the repo: `reasons` are its messages.
fn public_fault(reasons: &[String], diagnostics: &[Diagnostic]) -> String {
    let is_why = |diagnostic: &&Diagnostic| reasons.iter().any(|reason| reason.starts_with(&diagnostic.message));
    match diagnostics.iter().find(is_why) {
        Some(Diagnostic { at: Some(at), code, .. }) => format!("its pack cannot be built because of `{at}` ({code})"),
        Some(Diagnostic { code, .. }) => format!("its pack cannot be built ({code})"),
        None => "its pack cannot be built, as `contextpack build` says".to_owned(),
    }
}

/// Returns why a build failed, without quoting any text from the repo.
fn public_reason(error: &EngineError) -> String {
    match error {
        EngineError::Config { diagnostics: faults, .. } | EngineError::NotBuilt { diagnostics: faults } => {
            match faults.first() {
                Some(Diagnostic { at: Some(at), code, .. }) => format!("`{at}` cannot be used ({code})"),
                _ => error.to_string(),
            }
        }
        EngineError::Agent(_) => "there is no such agent at present, as `contextpack agent list` says".to_owned(),
        EngineError::InOutputFolder { .. } => "its folder is that of the other packs".to_owned(),
        _ => "the repo cannot be built, as `contextpack build` says".to_owned(),
    }
}
