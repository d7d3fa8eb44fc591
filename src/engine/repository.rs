//! A repository opened for one command: its configuration, its files and its cache.

use super::driver::distinct;
use super::error::with_causes;
use super::{BuildObserver, BuildResult, Configuration, EngineError, Project, RootError, Unsettled};
use crate::cache::{Cache, Inputs};
use crate::config::Settings;
use crate::git;
use crate::intake::{CacheUse, Repo, RepoOptions};
use crate::model::{Code, Diagnostic, RepoPath, SourceTree as _, Untracked};
use crate::redact::{Environment, Redactor};
use crate::store::{Access, CacheFolder, CacheUnavailable, Folder, StoreError, sweep_state};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The repository to open, and how to open it.
#[derive(Debug, Clone)]
pub struct OpenRequest<'a> {
    /// A folder of the repository; its root is found from there.
    pub folder: &'a Path,
    /// A configuration other than the one at the root.
    pub config: Option<&'a Path>,
    /// Output folders besides the configuration's `output.dir`; they are no inputs.
    pub outputs: &'a [&'a Path],
    /// How the cache may be used; `None` for a command that verifies packs and therefore uses none.
    pub(crate) cache: Option<Access>,
    /// The user's folder for caches, where the key of the cache is.
    pub(crate) caches: Option<PathBuf>,
    /// Whether files that git does not track are trusted.
    pub untracked: Untracked,
    /// The secret values of the process, which no pack may contain.
    pub environment: Environment,
}

impl<'a> OpenRequest<'a> {
    /// Asks for the repository around `folder` as `contextpack build` reads it, without a cache.
    pub fn new(folder: &'a Path) -> Self {
        let untracked = Untracked::default();
        Self {
            folder,
            config: None,
            outputs: &[],
            cache: None,
            caches: None,
            untracked,
            environment: process_environment(),
        }
    }

    /// Reuses what `contextpack build` left in the cache of the repository; packs are the same without it.
    ///
    /// `caches` is the user's folder for caches, such as `~/.cache`, which holds the key of the cache.
    #[must_use]
    pub fn with_cache(mut self, caches: impl Into<PathBuf>) -> Self {
        self.cache = Some(Access::Read);
        self.caches = Some(caches.into());
        self
    }
}

/// How often a repository is listed for one build if the observer asks for it.
const MAX_LISTINGS: usize = 8;

/// An opened repository: its configuration and the list of its files.
///
/// The texts of files are read when packs are built, once by each [`Repository::snapshot`].
pub struct Repository {
    root: PathBuf,
    pub(super) configuration: Configuration,
    files: Repo,
    cache: OpenedCache,
    environment: Environment,
    untracked: Untracked,
    notes: Mutex<Vec<String>>,
}

/// How a cache was opened: what git says of its folder, whether the repository has inputs, and the access.
type Opening = (CacheUse, bool, Access);

/// The cache of a repository with the results of earlier readings by this process.
pub type OpenedCache = Option<(Opening, Cache)>;

impl Repository {
    /// Finds the repository, reads its configuration and lists its files.
    ///
    /// # Errors
    /// If the configuration cannot be used, the system refuses to list the files, or git changes them meanwhile.
    pub fn open(request: &OpenRequest<'_>) -> Result<Self, EngineError> {
        let root = Repo::find_root(request.folder)?;
        let mut repository = Self::list(root, request, None, &mut BuildObserver::default())?;
        if let Some(access) = request.cache.filter(|_| repository.has_inputs()) {
            let opening = (repository.files.cache_use(), true, access);
            repository.cache = repository.open_cache(access, request.caches.as_deref()).map(|cache| (opening, cache));
        }
        Ok(repository)
    }

    /// Reads the configuration and lists the files, unless the `previous` listing is still current, and again while
    /// `observer` asks for it. No cache is opened.
    pub(super) fn list(
        root: PathBuf,
        request: &OpenRequest<'_>,
        previous: Option<Self>,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Self, EngineError> {
        let configuration = Configuration::read(&root, request.config, &request.environment)?;
        let settings = &configuration.settings;
        let outputs = request.outputs.iter().filter_map(|folder| path_inside(&root, folder));
        let never: Vec<RepoPath> = outputs.chain(settings.own_folders()).collect();
        let options =
            RepoOptions { deny: &configuration.deny, excluded: &never, snapshot: Some(&settings.github.snapshot) };
        let previous = previous.filter(|previous| previous.configuration.text == configuration.text);
        let is_current = |files: &Repo| observer.changed_paths.as_ref().is_some_and(|paths| files.is_current(paths));
        let reusable = match previous.map(|previous| previous.files).filter(is_current) {
            Some(mut files) => files.resume()?.then_some(files),
            None => None,
        };
        let mut is_new = reusable.is_none();
        let mut files = reusable.map_or_else(|| Repo::open(&root, options), Ok)?;
        // If folders appear faster than they can be followed, the next build finds the rest.
        for _ in 0..MAX_LISTINGS {
            if !observer.on_listed.as_mut().is_some_and(|listed| listed(&files, settings, is_new)) {
                break;
            }
            is_new = true;
            files = Repo::open(&root, options)?;
        }
        configuration.confirm(&root, request.config)?;
        let (environment, untracked) = (request.environment.clone(), request.untracked);
        Ok(Self { root, configuration, files, cache: None, environment, untracked, notes: Mutex::default() })
    }

    /// Whether this is set up for contextpack, or has items all the same. A command that is run in the wrong folder
    /// leaves no cache there.
    fn has_inputs(&self) -> bool {
        let Settings { work_items, github, .. } = self.settings();
        let is_item = |path: &RepoPath| work_items.iter().any(|source| source.glob_of(path.as_str()).is_some());
        self.configuration.text.is_some()
            || self.files.files().iter().any(is_item)
            || self.root.join(github.snapshot.as_str()).exists()
    }

    /// Goes on with the results of an `earlier` reading by this process, as far as they still hold, and opens the cache
    /// if that is not open yet. Without one on disk the results are in memory. Returns whether the cache was opened.
    /// `rest` is how long a file must have been unchanged for its state to identify its content.
    pub(crate) fn resume(
        &mut self,
        earlier: OpenedCache,
        access: Access,
        user: Option<&Path>,
        rest: Option<Duration>,
    ) -> bool {
        let opening = (self.files.cache_use(), self.has_inputs(), access);
        self.cache = earlier.filter(|(earlier, _)| *earlier == opening);
        let is_opened = self.cache.is_none();
        if is_opened {
            let on_disk = if self.has_inputs() { self.open_cache(access, user) } else { None };
            let in_memory = || CacheFolder::in_memory().map(|folder| self.cache_in(folder));
            self.cache = on_disk.or_else(in_memory).map(|cache| (opening, cache));
        }
        if let Some((_, cache)) = &mut self.cache {
            cache.resume(self.configuration.text.as_deref().unwrap_or_default(), rest);
        }
        is_opened
    }

    pub(crate) fn take_cache(&mut self) -> OpenedCache {
        self.cache.take()
    }

    fn open_cache(&self, access: Access, user: Option<&Path>) -> Option<Cache> {
        if access == Access::Write {
            sweep_state(&self.root, &git::is_tracked);
        }
        match self.cache_folder(access, user) {
            Ok(folder) => folder.map(|folder| self.cache_in(folder)),
            Err(why) => {
                self.note(format!("no cache is used: {why}"));
                None
            }
        }
    }

    fn cache_in(&self, folder: CacheFolder) -> Cache {
        let config = self.configuration.text.as_deref().unwrap_or_default();
        Cache::new(folder, self.environment.digest(), config)
    }

    /// Opens the folder of the cache below the user's folder `caches`; `None` if there is nothing to read in it.
    pub(crate) fn cache_folder(&self, access: Access, caches: Option<&Path>) -> Result<Option<CacheFolder>, String> {
        match self.files.cache_use() {
            CacheUse::Free => {}
            CacheUse::Tracked => return Err("git tracks it".to_owned()),
            CacheUse::Unknown => return Err("git cannot say whether it tracks it".to_owned()),
        }
        let caches = caches.ok_or_else(|| with_causes(&CacheUnavailable::NoFolder))?;
        CacheFolder::open(&self.root, caches, access).map_err(|error| with_causes(&error))
    }

    /// Returns the names of the profiles that the configuration builds by default; a `PackRequest` that names none
    /// means the first.
    pub fn profiles(&self) -> &[String] {
        &self.settings().output.profiles
    }

    /// Returns a redactor with the built-in rules and those of the configuration.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(&self.settings().redaction)
    }

    /// Returns the repository's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.configuration.settings
    }

    pub(crate) fn files(&self) -> &Repo {
        &self.files
    }

    /// Confirms that git does not track the cache, which belongs to one working copy alone.
    pub(crate) fn refuse_tracked_cache(&self) -> Result<(), EngineError> {
        let own = self.files.diagnostics().iter().filter(|diagnostic| diagnostic.code == Code::TrackedCache);
        let diagnostics: Vec<Diagnostic> = own.cloned().collect();
        if diagnostics.is_empty() { Ok(()) } else { Err(EngineError::Config { diagnostics, text: None }) }
    }

    pub(crate) fn confirm_settled(&self) -> Result<(), EngineError> {
        if self.files.is_settled() { Ok(()) } else { Err(Unsettled.into()) }
    }

    /// Reads the work items and builds the graph, with the results of earlier readings.
    pub(crate) fn project(&self) -> Project<'_> {
        self.read(false)
    }

    /// Reads the work items and builds the graph; `is_recorded` says whether a build is to be added to the cache.
    pub(super) fn read(&self, is_recorded: bool) -> Project<'_> {
        let caches = self.cache().map(|cache| cache.for_reading(is_recorded)).unwrap_or_default();
        let Configuration { settings, deny, .. } = &self.configuration;
        Project::open_with(Inputs::new(&self.files, caches), settings, deny, self.environment.clone(), self.untracked)
    }

    pub(super) fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref().map(|(_, cache)| cache)
    }

    /// Writes what was made of documents to the cache, so that the next command need not read them.
    pub(crate) fn save_documents(&self) {
        self.cache().into_iter().for_each(|cache| self.note_cache_written(cache.save_documents()));
    }

    /// Writes what a build of all roots found out about the packs in `folder` to the cache, for the next process.
    pub(crate) fn save(&self, built: &BuildResult, folder: &Folder) {
        let Some(cache) = self.cache() else { return };
        match &built.manifest {
            _ if built.is_fresh => self.note_cache_written(cache.save_settled(folder)),
            Some(manifest) => self.note_cache_written(cache.save(manifest)),
            None => {}
        }
    }

    pub(crate) fn untracked(&self) -> Untracked {
        self.untracked
    }

    fn note_cache_written(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.note(format!("the cache was not written: {}", with_causes(&error)));
        }
    }

    pub(crate) fn note(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Returns the notes about the cache since the last call.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        let own = std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner));
        self.cache().map(Cache::take_notes).into_iter().flatten().chain(own).collect()
    }

    /// Returns the items that the `typed` roots name, each once; if none is typed, all roots of the configuration.
    pub(crate) fn find_roots(&self, project: &Project<'_>, typed: &[String]) -> Result<Vec<usize>, EngineError> {
        if typed.is_empty() {
            return Ok(project.roots());
        }
        let found = typed.iter().map(|root| {
            self.find(project, root).or_else(|error| {
                self.confirm_all_read(project)?;
                let faults = self.faults_of_file(project, root);
                Err(if faults.is_empty() { error.into() } else { EngineError::Unread(faults) })
            })
        });
        Ok(distinct(found.collect::<Result<Vec<usize>, EngineError>>()?.into_iter()))
    }

    /// Returns why the file that `typed` names holds no item that can be read; empty if it names none.
    fn faults_of_file(&self, project: &Project<'_>, typed: &str) -> Vec<Diagnostic> {
        let path = path_inside(&self.root, Path::new(typed));
        let is_named = |at: &RepoPath| at.as_str() == typed || Some(at) == path.as_ref();
        let faults = project.diagnostics().iter().filter(|fault| {
            matches!(fault.code, Code::InvalidItem | Code::UnreadableFile)
                && fault.at.as_ref().is_some_and(|at| is_named(&at.path))
        });
        project.redacted(faults)
    }

    /// Confirms that no item is missing because its file could not be read or git changed it meanwhile.
    pub(crate) fn confirm_all_read(&self, project: &Project<'_>) -> Result<(), EngineError> {
        self.confirm_settled()?;
        match project.unread() {
            [] => Ok(()),
            unread => Err(EngineError::Unread(project.redacted(unread))),
        }
    }

    /// Returns the item that `typed` names: an id, an issue, or the path of its file from the root or the current
    /// folder.
    pub(crate) fn find(&self, project: &Project<'_>, typed: &str) -> Result<usize, RootError> {
        let error = match project.find(typed) {
            Err(error @ RootError::Unknown { .. }) => error,
            found => return found,
        };
        let Some(path) = path_inside(&self.root, Path::new(typed)).filter(|_| !typed.is_empty()) else {
            let is_outside = typed.contains(['/', '\\']) && Path::new(typed).exists();
            let why = "it is not below the root of this repo".to_owned();
            return Err(if is_outside { RootError::NoItem { typed: typed.to_owned(), why } } else { error });
        };
        match project.find(path.as_str()) {
            Err(RootError::Unknown { .. }) => Err(match project.why_no_item(&self.root, &path) {
                // A word that happens to be the name of a folder is an id with an error in it.
                Some(_)
                    if matches!(&error, RootError::Unknown { near: Some(_), .. }) && !typed.contains(['/', '.']) =>
                {
                    error
                }
                Some(why) => RootError::NoItem { typed: typed.to_owned(), why },
                None => error,
            }),
            found => found,
        }
    }
}

/// Returns the secret values in the environment variables of this process.
pub fn process_environment() -> Environment {
    // Values that are not UTF-8 cannot be in a pack.
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    Environment::new(std::env::vars_os().filter_map(text))
}

/// Converts a path relative to the current folder to one relative to `root`; `None` if it lies outside.
pub fn path_inside(root: &Path, path: &Path) -> Option<RepoPath> {
    let path = std::path::absolute(path).ok()?;
    let root = root.canonicalize().ok()?;
    let parent = path.ancestors().find_map(|dir| Some((dir, dir.canonicalize().ok()?)))?;
    let rest = path.strip_prefix(parent.0).ok()?;
    let relative = parent.1.join(rest);
    let relative = relative.strip_prefix(&root).ok()?;
    RepoPath::new(&relative.to_str()?.replace('\\', "/")).ok().filter(|path| !path.as_str().is_empty())
}
