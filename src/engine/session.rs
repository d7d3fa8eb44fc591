//! Repeated builds of one repository, each of which costs what changed since the one before.
//!
//! A [`Session`] keeps its results in memory and in the cache. The commands `build` and `check` run once and use
//! [`IncrementalBuild`] and [`PackWriter`] directly; a watcher keeps a session and calls it after each change.

use super::agents::history;
use super::repository::RepositoryPlace;
use super::warm::WarmResults;
use super::{
    BudgetLimits, BuildJob, BuildOrder, BuildReport, Configuration, EngineError, IncrementalBuild, PackWriter, Project,
    Repository, RootError, Unsettled, WriteOutcome, WriteReport, WriteStatus, path_inside, until_settled, write_packs,
};
use crate::cache::{Cache, FreshnessPolicy, Manifest, PackSummary};
use crate::config::{Policy, Settings};
use crate::git;
use crate::intake::{CacheUse, Repo};
use crate::model::{Diagnostic, RepoPath, SourceTree as _, Untracked};
use crate::redact::Environment;
use crate::seal::Stamp;
use crate::store::{Access, CacheFolder, Folder, sweep_state};
use crate::wire::Pack;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The repository and the packs that a session builds.
#[derive(Debug, Clone, Default)]
pub struct SessionRequest {
    /// The repo's root.
    pub root: PathBuf,
    /// A configuration other than the one at the root.
    pub config: Option<PathBuf>,
    /// Roots as typed; none means those of the configuration, or the start of a session of the agent.
    pub roots: Vec<String>,
    /// Names of profiles; none means those of the configuration, or the one of the agent.
    pub profiles: Vec<String>,
    /// Limits that replace those of the profiles.
    pub limits: BudgetLimits,
    /// A folder of packs other than the configuration's, absolute.
    pub out: Option<PathBuf>,
    /// The agent that the packs are for. They are kept in memory, unless `out` names a folder.
    pub agent: Option<AgentRequest>,
    /// How files count that git does not track.
    pub untracked: Untracked,
    /// Folders of the repo that are no inputs, besides the configuration's `output.dir`.
    pub never: Vec<RepoPath>,
    /// The user's folder for caches, which holds the key of the cache; without it nothing is cached on disk.
    pub caches: Option<PathBuf>,
    /// How old a file's last change must be for its metadata to identify its content; two seconds if `None`. Less is
    /// safe on systems whose timestamps differ between any two changes.
    pub rest: Option<Duration>,
}

/// The agent that the packs of a session are for.
#[derive(Debug, Clone)]
pub struct AgentRequest {
    /// Its key, the stem of its file, or its name.
    pub name: String,
    /// How much its packs hold; `None` for what its file or the configuration says.
    pub policy: Option<Policy>,
    /// Whether the packs of all roots are built besides the start of a session, if no root is typed.
    pub all_roots: bool,
}

/// A repository that is built repeatedly.
pub struct Session {
    request: SessionRequest,
    environment: Environment,
    /// The cache of earlier builds, and how it may be used.
    cache: Option<(Cache, CacheUse)>,
    /// The results of the last build; `None` before the first one.
    warm: Option<WarmResults>,
    /// The repository as it was last listed, without a cache.
    listed: Option<Repository>,
    /// The summary of each pack after the last build, by file name.
    packs: BTreeMap<String, PackSummary>,
    /// The folder of the packs whose build is not in the cache yet.
    unsaved: Option<Arc<Folder>>,
    /// The packs for an agent that no folder was named for.
    delivered: Arc<Folder>,
}

/// The result of one build of a session.
#[derive(Debug, Default)]
pub struct Update {
    /// The packs that were written, and those that could not be built, by name.
    pub changes: Vec<PackUpdate>,
    /// Names of packs that the previous build produced and this one did not; their files are untouched. Empty if an
    /// input cannot be read, since it is then unknown which packs there should be.
    pub gone: Vec<String>,
    /// Names of packs that something else wrote since the previous build, as this one gives them.
    pub arrived: Vec<String>,
    /// How many packs are unchanged.
    pub unchanged: usize,
    /// The diagnostics, sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// Typed roots that do not identify exactly one item.
    pub unresolved: Vec<RootError>,
}

/// A pack before and after a build.
#[derive(Debug)]
pub struct PackUpdate {
    /// Its summary before the build; `None` if this session had none.
    pub before: Option<PackSummary>,
    /// The outcome of this build.
    pub now: WriteOutcome,
}

/// Called with the listed repository, and whether it was listed for this build rather than an earlier one.
pub type OnListed<'a> = &'a mut dyn FnMut(&Repo, &Settings, bool) -> bool;

/// Called with each pack that was written.
pub type OnWritten<'a> = &'a (dyn Fn(WrittenPack<'_>) + Sync);

/// Callbacks and hints for one build of a session.
#[derive(Default)]
pub struct BuildObserver<'a> {
    /// Called after the repository was listed and before its texts are read. Returns whether to list it again, for
    /// example because it may have changed before it was followed.
    pub on_listed: Option<OnListed<'a>>,
    /// Called after each written pack, from several threads.
    pub on_written: Option<OnWritten<'a>>,
    /// Whether a change is likely, so that checking first whether anything changed would be a waste.
    pub change_expected: bool,
    /// The only paths that can have changed since the last build, if known.
    pub changed_paths: Option<Vec<PathBuf>>,
}

/// A pack that was written, with the previous content of its file.
#[derive(Debug, Clone, Copy)]
pub struct WrittenPack<'a> {
    /// The file's name.
    pub name: &'a str,
    /// The previous content, if the file existed.
    pub before: Option<&'a [u8]>,
    /// The pack that was written.
    pub now: &'a Pack,
}

impl Session {
    /// Creates a session that has built nothing yet. `environment` holds the secrets that no pack may contain.
    pub fn new(request: SessionRequest, environment: Environment) -> Self {
        Self {
            request,
            environment,
            cache: None,
            warm: None,
            listed: None,
            packs: BTreeMap::new(),
            unsaved: None,
            delivered: Arc::new(Folder::in_memory()),
        }
    }

    /// Returns the packs for an agent, as a folder in memory, which is empty if they are written to a folder on disk.
    pub fn delivered(&self) -> &Arc<Folder> {
        &self.delivered
    }

    /// Returns the summary of each pack after the last build, by file name, without those that could not be built.
    pub fn packs(&self) -> &BTreeMap<String, PackSummary> {
        &self.packs
    }

    /// Builds the roots from the current files, and writes the packs that changed.
    pub fn build(&mut self, stamp: Stamp) -> Result<Update, EngineError> {
        let update = self.build_observed(stamp, &mut BuildObserver::default())?;
        self.save();
        Ok(update)
    }

    /// Returns whether the next build reads every file, because none has read any yet.
    pub fn is_cold(&self) -> bool {
        self.warm.is_none()
    }

    /// Saves the results of the last build to the cache for other processes, and prepares the next build.
    ///
    /// If the cache cannot be written, this session still has them.
    pub fn save(&mut self) {
        let Some(folder) = self.unsaved.take() else { return };
        if let Some((cache, _)) = &mut self.cache {
            if let Some(rested) = cache.with_settled_states(&folder) {
                cache.manifest = rested;
            }
            // A build of selected roots, or for an agent, is of no use to other processes.
            if self.request.roots.is_empty() && self.request.agent.is_none() {
                let texts = self.warm.as_ref().map(|warm| &warm.texts);
                let _ = cache.save(&cache.manifest, texts);
            }
        }
        self.warm = self.warm.take().map(WarmResults::for_next);
    }

    /// Builds and reports to `observer`. Other processes see the results once [`Session::save`] is called.
    pub fn build_observed(&mut self, stamp: Stamp, observer: &mut BuildObserver<'_>) -> Result<Update, EngineError> {
        let is_unsettled = |error: &EngineError| matches!(error, EngineError::Unsettled(_));
        until_settled(is_unsettled, || self.try_build(stamp.clone(), observer))
    }

    fn try_build(&mut self, stamp: Stamp, observer: &mut BuildObserver<'_>) -> Result<Update, EngineError> {
        // If anything below fails, the earlier listing is no longer known to be current.
        let listed = self.listed.take();
        let SessionRequest { root, config, never, untracked, .. } = self.request.clone();
        let config = config.as_deref();
        let configuration = Configuration::read(&root, config, &self.environment)?;
        let profiles = configuration.profiles(&self.request.profiles)?;
        let folder = self.folder(&configuration.settings)?;
        let environment = self.environment.clone();
        let place = RepositoryPlace { root, config, never, environment, untracked };
        let mut repository = Repository::list(place, configuration, listed, observer)?;
        self.use_cache(repository.files(), &folder);
        let request = self.request.clone();
        let order = BuildOrder {
            roots: &request.roots,
            profiles: &profiles,
            limits: request.limits,
            untracked,
            out: request.out,
            agent: request.agent.map(|agent| (agent, history(repository.root(), repository.settings()))),
        };
        let (on_written, change_expected) = (observer.on_written, observer.change_expected);
        let stage = BuildStage { folder: &folder, order, stamp, on_written, change_expected };
        let cache_use = self.cache.take().map(|(cache, cache_use)| {
            repository.cache = Some(cache);
            cache_use
        });
        let update = self.build_staged(&mut repository, &stage);
        self.cache = repository.cache.take().zip(cache_use);
        repository.files().close_objects();
        let update = update?;
        self.listed = Some(repository);
        if !update.changes.is_empty() || !update.gone.is_empty() {
            self.unsaved = Some(folder);
        }
        Ok(update)
    }

    /// Opens the folder of the packs.
    fn folder(&self, settings: &Settings) -> Result<Arc<Folder>, EngineError> {
        let SessionRequest { root, out, agent, .. } = &self.request;
        Ok(match (out, agent) {
            (Some(out), Some(_)) => Arc::new(delivery_folder(root, settings, out)?),
            (Some(out), None) => Arc::new(Folder::open_anywhere(out)?.staged_at(root)?),
            (None, Some(_)) => Arc::clone(&self.delivered),
            (None, None) => Arc::new(Folder::open(root, &settings.output.dir)?),
        })
    }

    /// Opens the cache before the first build, and again when git starts or stops tracking it.
    fn use_cache(&mut self, repo: &Repo, folder: &Folder) {
        let now = repo.cache_use();
        if self.cache.as_ref().is_some_and(|(_, cache_use)| *cache_use == now) {
            return;
        }
        sweep_state(&self.request.root, &git::is_tracked);
        folder.sweep(&git::is_tracked);
        let on_disk = self.request.caches.as_deref().filter(|_| now == CacheUse::Free);
        // What a build for an agent finds out is not saved.
        let access = if self.request.agent.is_some() { Access::Read } else { Access::Write };
        let on_disk = on_disk.and_then(|caches| CacheFolder::open(&self.request.root, caches, access).ok()?);
        let cache = on_disk.or_else(CacheFolder::in_memory);
        self.cache = cache.map(|cache| (Cache::new(cache, self.environment.digest(), &mut Vec::new()), now));
    }

    fn build_staged(&mut self, repository: &mut Repository, stage: &BuildStage<'_>) -> Result<Update, EngineError> {
        let renderings = stage.has_companions(repository);
        let policy = FreshnessPolicy { exclusive: false, renderings };
        let incremental = repository.incremental(stage.folder, &stage.order, policy);
        if let Some(incremental) = incremental.as_ref().filter(|_| !stage.change_expected)
            && let Some((unchanged, diagnostics)) = incremental.fresh()
        {
            let packs: BTreeMap<String, PackSummary> =
                unchanged.into_iter().filter_map(|pack| Some((pack.name, pack.summary?))).collect();
            let gone = gone(&self.packs, &packs);
            let arrived = arrived(&self.packs, packs.iter());
            let update = Update { gone, arrived, unchanged: packs.len(), diagnostics, ..Update::default() };
            self.packs = packs;
            return Ok(update);
        }
        let text = repository.configuration.text.as_deref().unwrap_or_default();
        let cache = repository.cache.as_ref();
        let warm = self.warm.take();
        let mut warm = cache.map(|cache| WarmResults::resume(warm, cache, text, self.request.rest));
        let built = self.build_packs(repository, stage, incremental.as_ref(), warm.as_ref());
        drop(incremental);
        if let Some(warm) = &mut warm {
            warm.memo.evict_unused();
        }
        self.warm = warm;
        let SessionOutcome { written, diagnostics, unresolved, blocked, manifest } = built?;
        if let Some((cache, manifest)) = repository.cache.as_mut().zip(manifest) {
            cache.manifest = manifest;
        }
        let unchanged = written.iter().filter(|written| written.status == WriteStatus::Unchanged).count();
        let packs: BTreeMap<String, PackSummary> =
            written.iter().filter_map(|written| Some((written.name.clone(), written.summary.clone()?))).collect();
        let failed = |name: &String| written.iter().any(|written| written.name == *name);
        let gone = gone(&self.packs, &packs).into_iter().filter(|name| !blocked && !failed(name)).collect();
        let unwritten = written.iter().filter(|written| written.status == WriteStatus::Unchanged);
        let unwritten = unwritten.filter_map(|written| packs.get_key_value(&written.name));
        let arrived = arrived(&self.packs, unwritten);
        let mut before = std::mem::replace(&mut self.packs, packs);
        let changes = written.into_iter().filter(|written| written.status != WriteStatus::Unchanged);
        let changes = changes.map(|now| PackUpdate { before: before.remove(&now.name), now }).collect();
        Ok(Update { changes, gone, arrived, unchanged, diagnostics, unresolved })
    }

    fn build_packs(
        &self,
        repository: &Repository,
        stage: &BuildStage<'_>,
        incremental: Option<&IncrementalBuild<'_>>,
        warm: Option<&WarmResults>,
    ) -> Result<SessionOutcome, EngineError> {
        let caches = warm.map(WarmResults::caches).unwrap_or_default();
        let project = repository.project_from(caches);
        let agent = stage.order.agent.as_ref().map(|(request, history)| {
            let found = project.agent_context(&request.name, request.policy, None, history);
            // Git may be about to put the agent's file back.
            found.map_err(|error| if repository.files().is_settled() { error } else { Unsettled.into() })
        });
        let BuildOrder { limits, .. } = stage.order;
        let (agent, profiles, limits) = match agent.transpose()? {
            Some((agent, defaults)) => {
                let profiles = defaults.profiles(&repository.configuration, &self.request.profiles)?;
                (Some(agent), profiles, defaults.limits(limits))
            }
            None => (None, stage.order.profiles.to_vec(), limits),
        };
        let configured_roots = project.roots();
        let only_start = stage.order.agent.as_ref().is_some_and(|(request, _)| !request.all_roots);
        let (roots, unresolved) = match stage.order.roots {
            [] if only_start => (Vec::new(), Vec::new()),
            [] => (configured_roots.clone(), Vec::new()),
            typed => resolve_roots(&project, typed),
        };
        // A root may be in a file that cannot be read, which has a diagnostic of its own.
        let unresolved = if project.unread().is_empty() { unresolved } else { Vec::new() };
        let job = BuildJob {
            roots,
            others: configured_roots,
            profiles,
            limits,
            stamp: stage.stamp.clone(),
            session_start: agent.is_some() && stage.order.roots.is_empty(),
            // A root that is not found may be in any file that cannot be read.
            are_named: !stage.order.roots.is_empty() && unresolved.is_empty(),
            agent,
        };
        let writer = PackWriter {
            folder: stage.folder,
            companions: stage.has_companions(repository),
            markdown: None,
            incremental,
            explain: true,
            on_written: stage.on_written,
        };
        let report = write_packs(repository.files(), &project, &job, &writer, &|| ())?;
        let WriteReport { packs: written, build: BuildReport { diagnostics, blocked }, refused } = report;
        if let Some(error) = refused {
            return Err(error.into());
        }
        let complete = !blocked && unresolved.is_empty() && written.iter().all(|written| written.summary.is_some());
        let manifest = incremental.map(|build| build.manifest(&project, complete.then_some(&*diagnostics)));
        Ok(SessionOutcome { written, diagnostics, unresolved, blocked, manifest })
    }
}

/// The inputs of one build.
struct BuildStage<'a> {
    folder: &'a Folder,
    order: BuildOrder<'a>,
    stamp: Stamp,
    on_written: Option<OnWritten<'a>>,
    change_expected: bool,
}

impl BuildStage<'_> {
    /// Returns whether each pack has its rendering beside it: packs for an agent have none.
    fn has_companions(&self, repository: &Repository) -> bool {
        repository.settings().output.markdown && self.order.agent.is_none()
    }
}

/// The packs and diagnostics of one build.
struct SessionOutcome {
    written: Vec<WriteOutcome>,
    diagnostics: Vec<Diagnostic>,
    unresolved: Vec<RootError>,
    blocked: bool,
    manifest: Option<Manifest>,
}

/// Opens the folder `out` for packs for an agent.
pub fn delivery_folder(root: &Path, settings: &Settings, out: &Path) -> Result<Folder, EngineError> {
    let dir = &settings.output.dir;
    if path_inside(root, out).is_some_and(|path| path == *dir || path.is_under(dir.as_str())) {
        return Err(EngineError::InOutputFolder { dir: dir.to_string() });
    }
    Ok(Folder::open_anywhere(out)?.staged_at(root)?)
}

/// Returns the names in `before` that are not in `after`.
fn gone(before: &BTreeMap<String, PackSummary>, after: &BTreeMap<String, PackSummary>) -> Vec<String> {
    before.keys().filter(|name| !after.contains_key(*name)).cloned().collect()
}

/// Returns the names of `unwritten` packs that are others than those of the build `before`, if there was one.
fn arrived<'p>(
    before: &BTreeMap<String, PackSummary>,
    unwritten: impl Iterator<Item = (&'p String, &'p PackSummary)>,
) -> Vec<String> {
    let is_other = |name: &String, now: &PackSummary| before.get(name).is_none_or(|summary| summary.hash != now.hash);
    let others = unwritten.filter(|(name, now)| !before.is_empty() && is_other(name, now));
    others.map(|(name, _)| name.clone()).collect()
}

/// Returns the items that the typed roots identify, each once, and errors for the other roots.
fn resolve_roots(project: &Project<'_>, typed: &[String]) -> (Vec<usize>, Vec<RootError>) {
    let (mut roots, mut unresolved) = (Vec::new(), Vec::new());
    for root in typed {
        match project.find(root) {
            Ok(item) if roots.contains(&item) => {}
            Ok(item) => roots.push(item),
            Err(error) => unresolved.push(error),
        }
    }
    (roots, unresolved)
}
