//! Repeated builds of one repository by one process, each of which costs what changed since the one before.

use super::repository::OpenedCache;
use super::{
    BuildObserver, BuildOrder, BuildReport, BuildResult, EngineError, OpenRequest, PackState, Repository, RootError,
    SessionRequest, path_inside, until_settled,
};
use crate::cache::PackSummary;
use crate::config::Settings;
use crate::git;
use crate::model::Diagnostic;
use crate::redact::Environment;
use crate::review::PackStatus;
use crate::seal::Stamp;
use crate::store::{Access, Folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A repository that is built repeatedly.
pub struct Session {
    request: SessionRequest,
    environment: Environment,
    cache: OpenedCache,
    listed: Option<Repository>,
    /// The summary of each pack after the last build, by file name.
    packs: BTreeMap<String, PackSummary>,
    /// The folder of the packs, once there was a build.
    folder: Option<Arc<Folder>>,
    /// Whether the last build is not in the cache yet.
    is_unsaved: bool,
    /// The packs for an agent that no folder was named for.
    delivered: Arc<Folder>,
}

/// The result of one build of a session.
#[derive(Debug, Default)]
pub struct Update {
    /// The packs that were written, and those that could not be built, by name.
    pub changes: Vec<PackState>,
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

impl Session {
    /// Creates a session that has built nothing yet. `environment` holds the secrets that no pack may contain.
    pub fn new(request: SessionRequest, environment: Environment) -> Self {
        let (cache, listed, packs, folder, is_unsaved) = Default::default();
        let delivered = Arc::new(Folder::in_memory());
        Self { request, environment, cache, listed, packs, folder, is_unsaved, delivered }
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
        self.cache.as_ref().is_none_or(|(_, cache)| cache.is_cold())
    }

    /// Saves the results of the last build to the cache for other processes, and prepares the next build. If the cache
    /// cannot be written, this session still has them.
    pub fn save(&mut self) {
        let (true, Some(folder), Some((_, cache))) = (self.is_unsaved, &self.folder, &mut self.cache) else { return };
        self.is_unsaved = false;
        if let Some(settled) = cache.with_settled_states(folder) {
            cache.manifest = settled;
        }
        // A build of selected roots, or for an agent, is of no use to other processes.
        if self.request.roots.is_empty() && self.request.agent.is_none() {
            let _ = cache.save(&cache.manifest);
        }
        cache.end_reading();
    }

    /// Builds and reports to `observer`. Other processes see the results once [`Session::save`] is called.
    pub fn build_observed(&mut self, stamp: Stamp, observer: &mut BuildObserver<'_>) -> Result<Update, EngineError> {
        let is_unsettled = |error: &EngineError| matches!(error, EngineError::Unsettled(_));
        until_settled(is_unsettled, || self.try_build(stamp.clone(), observer))
    }

    fn try_build(&mut self, stamp: Stamp, observer: &mut BuildObserver<'_>) -> Result<Update, EngineError> {
        let SessionRequest { root, config, out, agent, untracked, caches, rest, .. } = &self.request;
        // What a build for an agent finds out is not saved.
        let access = if agent.is_some() { Access::Read } else { Access::Write };
        let outputs: Vec<&Path> = out.iter().map(PathBuf::as_path).collect();
        let (config, environment) = (config.as_deref(), self.environment.clone());
        let (untracked, cache) = (*untracked, None);
        let opened =
            OpenRequest { folder: root, config, outputs: &outputs, cache, caches: None, untracked, environment };
        // If anything below fails, the earlier listing is no longer known to be current.
        let mut repository = Repository::list(root.clone(), &opened, self.listed.take(), observer)?;
        let folder = self.open_folder(repository.settings())?;
        if repository.resume(self.cache.take(), access, caches.as_deref(), *rest) {
            folder.sweep(&git::is_tracked);
        }
        let order = BuildOrder {
            what: &self.request,
            folder: &folder,
            markdown: None,
            skips_unknown_roots: true,
            shard: None,
            stamp,
            prune: false,
            explain: true,
        };
        let built = repository.build(&order, observer);
        self.cache = repository.take_cache();
        repository.files().close_objects();
        let mut built = built?;
        if let Some((_, cache)) = self.cache.as_mut().filter(|_| !built.is_fresh) {
            cache.evict_unused();
            cache.manifest = built.manifest.take().unwrap_or(std::mem::take(&mut cache.manifest));
        }
        if let Some(error) = built.refused {
            return Err(error.into());
        }
        let update = self.update(built);
        self.listed = Some(repository);
        self.is_unsaved |= !update.changes.is_empty() || !update.gone.is_empty();
        self.folder = Some(folder);
        Ok(update)
    }

    /// Returns the folder of the packs of the last build.
    pub fn folder(&self) -> Option<&Arc<Folder>> {
        self.folder.as_ref()
    }

    fn open_folder(&self, settings: &Settings) -> Result<Arc<Folder>, EngineError> {
        let SessionRequest { root, out, agent, .. } = &self.request;
        Ok(match (out, agent) {
            (Some(out), Some(_)) => Arc::new(delivery_folder(root, settings, out)?),
            (Some(out), None) => Arc::new(Folder::open_anywhere(out)?.staged_at(root)?),
            (None, Some(_)) => Arc::clone(&self.delivered),
            (None, None) => Arc::new(Folder::open(root, &settings.output.dir)?),
        })
    }

    fn update(&mut self, built: BuildResult) -> Update {
        let BuildResult { packs: states, report: BuildReport { diagnostics, blocked }, unresolved, .. } = built;
        let summaries = states.iter().filter_map(|pack| Some((pack.name.clone(), pack.summary.clone()?)));
        let before = std::mem::replace(&mut self.packs, summaries.collect());
        let has_failed = |name: &String| states.iter().any(|it| it.status == PackStatus::Failed && it.name == *name);
        let is_gone = |name: &&String| !blocked && !self.packs.contains_key(*name) && !has_failed(name);
        let gone = before.keys().filter(is_gone).cloned().collect();
        let (unchanged, changes): (Vec<_>, Vec<_>) =
            states.into_iter().partition(|it| it.status == PackStatus::Unchanged);
        let hash = |packs: &BTreeMap<String, PackSummary>, name: &str| packs.get(name).map(|pack| pack.hash.clone());
        let is_other = |name: &String| hash(&before, name) != hash(&self.packs, name);
        let count = unchanged.len();
        let arrived = unchanged.into_iter().map(|pack| pack.name).filter(|name| !before.is_empty() && is_other(name));
        Update { gone, arrived: arrived.collect(), unchanged: count, changes, diagnostics, unresolved }
    }
}

/// Opens the folder `out` for packs for an agent.
pub fn delivery_folder(root: &Path, settings: &Settings, out: &Path) -> Result<Folder, EngineError> {
    let dir = &settings.output.dir;
    if path_inside(root, out).is_some_and(|path| path == *dir || path.is_under(dir.as_str())) {
        return Err(EngineError::InOutputFolder { dir: dir.to_string() });
    }
    Ok(Folder::open_anywhere(out)?.staged_at(root)?)
}
