//! Follows a repo while it changes, and builds what each change affects.
//!
//! An event says only that something may have changed; what did is found by a build, which costs what changed.
//! So no event has to be understood, and none that is lost or told twice does harm: after every burst the packs
//! are those of a build from scratch. Folders are followed before they are listed, and listed again where one is
//! new, so that nothing happens unseen in between.

mod events;
mod native;
mod now;
mod places;
mod poll;
mod report;
mod saved;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests;

pub use events::{Event, Events, FollowError};
pub use native::Native;
pub use poll::Poll;
pub use report::{RemovedPack, WatchProblem, WatchReport};
pub use saved::SavedPack;

use crate::config::Settings;
use crate::engine::{BuildObserver, EngineError, Session, SessionRequest, Update, WriteStatus, WrittenPack, sidecar};
use crate::intake::{IntakeError, Repo};
use crate::model::{Code, Diagnostic, RepoPath};
use crate::redact::Environment;
use crate::review::read;
use crate::seal::Stamp;
use crate::store::{Folder, StoreError, init_state_dir};
use now::Now;
use places::WatchedFolders;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A burst is over once nothing happened for so long: editors save in several steps.
pub const QUIET: Duration = Duration::from_millis(50);

/// Of more than these it is not known any more what happened to which.
const MOST_TOUCHED: usize = 256;

/// A build waits for the end of a burst no longer than this.
const LONGEST: Duration = Duration::from_secs(2);

/// A repo that is followed.
pub struct Watch<E> {
    request: SessionRequest,
    session: Session,
    events: E,
    places: WatchedFolders,
    now: Now,
    stamp: Box<dyn Fn() -> Stamp>,
    /// Whether renderings are asked for.
    renderings: bool,
    /// The configuration's folder of packs, once a build got that far.
    dir: Option<RepoPath>,
    /// The packs that this watch wrote: folder and name, and the hash.
    wrote: BTreeMap<(PathBuf, String), String>,
    /// What was told already and still holds.
    told: BTreeSet<Diagnostic>,
    /// The same of packs that could not be built and of roots that are none.
    failing: BTreeSet<String>,
    trouble: Vec<String>,
    /// Whether the session has read every file once.
    ready: bool,
    /// Whether the next look has a reason.
    expected: bool,
    /// Whether git was changing files at the last look, so that another is due whether or not anything happens.
    unsettled: bool,
    /// What happened since the last look, where all of it is known.
    touched: Option<BTreeSet<PathBuf>>,
}

impl<E: Events> Watch<E> {
    /// A watch that has not looked yet. `environment` holds the secrets that no pack may contain, `stamp` gives the
    /// time of each build; `renderings` says whether [`SavedPack::renderings`] are wanted.
    pub fn new(
        request: SessionRequest,
        environment: Environment,
        events: E,
        stamp: Box<dyn Fn() -> Stamp>,
        renderings: bool,
    ) -> Self {
        Self {
            session: Session::new(request.clone(), environment),
            now: Now::new(&request.root),
            request,
            events,
            places: WatchedFolders::default(),
            stamp,
            renderings,
            dir: None,
            wrote: BTreeMap::new(),
            told: BTreeSet::new(),
            failing: BTreeSet::new(),
            trouble: Vec::new(),
            ready: false,
            expected: false,
            unsettled: false,
            touched: None,
        }
    }

    /// How many packs there are.
    pub fn packs(&self) -> usize {
        self.session.packs().len()
    }

    /// How many folders are followed.
    pub fn followed(&self) -> usize {
        self.places.len()
    }

    /// The configuration's folder of packs, as of the last build that got that far.
    pub fn dir(&self) -> Option<&RepoPath> {
        self.dir.as_ref()
    }

    /// The name of the pack that `now.md` shows.
    pub fn focus(&self) -> Option<&str> {
        self.now.focus.as_deref()
    }

    /// What `now.md` shows, without a line above it; empty while there is no pack.
    pub fn rendering(&self) -> &str {
        self.now.rendering()
    }

    /// Waits until something may have changed and the burst is over, and builds; nothing once the watch is to end.
    ///
    /// Where nothing changed after all, the report says so.
    pub fn news(&mut self) -> Option<WatchReport> {
        // Only now, when the packs are there and told: others can wait for it.
        self.session.save();
        if !self.ready {
            // So that the first save need not wait for what the others do not need.
            self.ready = true;
            self.expected = true;
            let report = if self.session.is_cold() { self.look() } else { WatchReport::default() };
            if !report.is_quiet() {
                return Some(report);
            }
        }
        self.wait().then(|| self.look())
    }

    /// Whether to look, rather than to end.
    fn wait(&mut self) -> bool {
        self.expected = true;
        self.touched = Some(BTreeSet::new());
        // When the burst began, and when its last event was.
        let mut burst: Option<(Instant, Instant)> = None;
        loop {
            let due = self.unsettled.then_some(LONGEST);
            let within = burst.map_or(due, |(first, last)| {
                let end = (last + QUIET).min(first + LONGEST);
                Some(end.saturating_duration_since(Instant::now()))
            });
            if within == Some(Duration::ZERO) {
                return true;
            }
            let counts = match self.events.next(within) {
                Event::Stop => return false,
                Event::Look => {
                    self.expected = false;
                    self.touched = None;
                    return true;
                }
                Event::Quiet => return true,
                Event::Touched(paths) => self.touch(&paths),
                Event::Lost => {
                    self.places.lose(&mut self.events);
                    self.touched = None;
                    true
                }
            };
            if counts {
                let now = Instant::now();
                burst = Some((burst.map_or(now, |(first, _)| first), now));
            }
        }
    }

    /// Takes down what something happened to. Says whether any of it counts.
    fn touch(&mut self, paths: &[PathBuf]) -> bool {
        let counting = self.places.touched(paths, &mut self.events);
        let counts = counting.as_ref().is_none_or(|paths| !paths.is_empty());
        self.touched = self.touched.take().zip(counting).map(|(mut touched, counting)| {
            touched.extend(counting);
            touched
        });
        self.touched.take_if(|touched| touched.len() > MOST_TOUCHED);
        counts
    }

    /// Builds what changed since the last look, all of it where there was none.
    pub fn look(&mut self) -> WatchReport {
        let began = Instant::now();
        if self.dir.is_none() {
            // Before anything is followed, so that it is no news.
            let _there_already = fs::create_dir(self.request.root.join(".contextpack"));
        }
        let saved: Mutex<Vec<SavedPack>> = Mutex::default();
        let (built, mut trouble, several) = self.build(&saved);
        let locked = |error: &EngineError| matches!(error, EngineError::Intake(IntakeError::Locked { .. }));
        self.unsettled = built.as_ref().is_err_and(|error| matches!(error, EngineError::Unsettled(_)) || locked(error));
        let mut report =
            WatchReport { saved: saved.into_inner().unwrap_or_else(PoisonError::into_inner), ..WatchReport::default() };
        report.saved.sort_by(|a, b| a.name.cmp(&b.name));
        report.several_profiles = several;
        match built {
            Ok(update) => trouble.extend(self.conclude(update, &mut report).err().map(WatchProblem::Now)),
            Err(error) => {
                // Where this fails as well, the first error says enough.
                let _ = self.now.head(&why(&error));
                trouble.push(WatchProblem::Session(error));
            }
        }
        // What is wrong as before is told once.
        let told: Vec<String> = trouble.iter().map(WatchProblem::to_line).collect();
        report.mended = !self.trouble.is_empty() && told.is_empty();
        trouble.retain(|trouble| !self.trouble.contains(&trouble.to_line()));
        self.trouble = told;
        report.trouble = trouble;
        report.took = began.elapsed();
        report
    }

    fn build(&mut self, saved: &Mutex<Vec<SavedPack>>) -> (Result<Update, EngineError>, Vec<WatchProblem>, bool) {
        let touched = self.touched.take().map(|touched| touched.into_iter().collect());
        let Self { session, places, events, request, dir, renderings, .. } = self;
        let mut unfollowed = places.follow_base(request, events).err();
        let mut several = false;
        let mut listed = |repo: &Repo, settings: &Settings, anew: bool| {
            several = request.profiles.len() > 1 || request.profiles.is_empty() && settings.output.profiles.len() > 1;
            *dir = Some(settings.output.dir.clone());
            // Where it cannot be made, writing to it says so.
            let _ = init_state_dir(&request.root, !settings.output.dir.is_under(".contextpack"));
            if !anew {
                return false;
            }
            places.follow_repo(request, repo, settings, events).unwrap_or_else(|error| {
                unfollowed = Some(error);
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
        };
        let built = session.build_observed((self.stamp)(), &mut observer);
        (built, unfollowed.into_iter().map(WatchProblem::Follow).collect(), several)
    }

    /// Takes down what a build did, removes what it left over, and shows the pack in focus.
    fn conclude(&mut self, update: Update, report: &mut WatchReport) -> Result<(), StoreError> {
        let Update { changes, gone, unchanged, diagnostics, unresolved } = update;
        report.unchanged = unchanged;
        for saved in &mut report.saved {
            if let Some(change) = changes.iter().find(|change| change.now.name == saved.name) {
                saved.files.clone_from(&change.now.files);
            }
        }
        let failed = changes.into_iter().map(|change| change.now).filter(|now| now.status == WriteStatus::Failed);
        let mut failing = BTreeSet::new();
        let mut new = |line: String| !self.failing.contains(&line) & failing.insert(line);
        report.failed = failed.filter(|failed| new(format!("{}: {:?}", failed.name, failed.reasons))).collect();
        report.unresolved = unresolved.into_iter().filter(|root| new(root.to_string())).collect();
        self.failing = failing;
        let folder = match (&self.request.out, &self.dir) {
            (Some(out), _) => Folder::open_anywhere(out)?,
            (None, Some(dir)) => Folder::open(&self.request.root, dir)?,
            (None, None) => return Ok(()),
        };
        for saved in &report.saved {
            if let Some(made) = self.session.packs().get(&saved.name) {
                self.wrote.insert((folder.path().to_owned(), saved.name.clone()), made.hash.clone());
            }
        }
        for name in gone {
            match self.remove(&folder, &name, &diagnostics)? {
                Some(removed) => report.removed.push(removed),
                None => report.left.push(name),
            }
        }
        let now: BTreeSet<Diagnostic> = diagnostics.into_iter().collect();
        report.diagnostics = now.difference(&self.told).cloned().collect();
        self.told = now;
        self.show(&folder, report)
    }

    /// Removes a pack that is no longer made, where this watch wrote it and nobody changed it since: it stood under
    /// a former id. A pack whose root's file cannot be read just now stays.
    fn remove(
        &mut self,
        folder: &Folder,
        name: &str,
        diagnostics: &[Diagnostic],
    ) -> Result<Option<RemovedPack>, StoreError> {
        let key = (folder.path().to_owned(), name.to_owned());
        let Some(hash) = self.wrote.get(&key) else { return Ok(None) };
        let Some(pack) = folder.read(name)?.and_then(|bytes| read(&bytes).ok()) else { return Ok(None) };
        let unread = |path: &str| {
            let broken = |diagnostic: &&Diagnostic| matches!(diagnostic.code, Code::InvalidItem | Code::UnreadableFile);
            let mut broken = diagnostics.iter().filter(broken).filter_map(|diagnostic| diagnostic.at.as_ref());
            broken.any(|at| at.path.as_str() == path)
        };
        let root = pack.sections.iter().find(|section| section.id == "root.json");
        if pack.hash != *hash || root.and_then(|root| root.source.path.as_deref()).is_some_and(unread) {
            return Ok(None);
        }
        sidecar::remove(folder, name)?;
        folder.remove(name)?;
        self.wrote.remove(&key);
        let root = pack.root.work_item_id.or(pack.root.issue_url).unwrap_or_default();
        Ok(Some(RemovedPack { name: key.1, root, profile: pack.profile }))
    }

    /// Shows the pack that changed last; of several the first whose root's own text changed. While there was none,
    /// the first of all.
    fn show(&mut self, folder: &Folder, report: &WatchReport) -> Result<(), StoreError> {
        let packs = self.session.packs();
        let first = report.saved.iter().find(|saved| saved.own).or(report.saved.first()).map(|saved| &saved.name);
        let focus = first.or(self.now.focus.as_ref()).or(packs.keys().next()).cloned();
        match focus.and_then(|name| Some((packs.get(&name)?.hash.clone(), name))) {
            Some((hash, name)) => self.now.show(folder, &name, &hash),
            None => self.now.head("its root is gone, or its pack cannot be built"),
        }
    }
}

/// What keeps a build from being done, in words that quote nothing.
fn why(error: &EngineError) -> String {
    match error {
        EngineError::Config { diagnostics: faults, .. } => match faults.first() {
            Some(Diagnostic { at: Some(at), code, .. }) => format!("`{at}` cannot be used ({code})"),
            _ => error.to_string(),
        },
        EngineError::Profile { .. }
        | EngineError::Root(_)
        | EngineError::Unread(_)
        | EngineError::Intake(_)
        | EngineError::Store(_)
        | EngineError::Unsettled(_) => "the repo cannot be built, as `contextpack build` says".to_owned(),
    }
}
