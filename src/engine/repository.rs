//! A repository opened for one command: its configuration, its files and its cache.

use super::error::{config_error, with_causes};
use super::{BuildObserver, EngineError, Project, RootError, Unsettled};
use crate::cache::{Cache, Inputs};
use crate::config::{DenyList, Settings, load_with_rules};
use crate::git;
use crate::intake::{CacheUse, Repo, RepoOptions};
use crate::model::{Code, Diagnostic, RepoPath, SourceTree as _, Untracked};
use crate::redact::{Environment, Redactor, built_in_rules};
use crate::store::{Access, CacheFolder, CacheUnavailable, StoreError, sweep_state};
use std::collections::BTreeSet;
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
        let (untracked, environment) = (Untracked::default(), process_environment());
        Self { folder, config: None, outputs: &[], cache: None, caches: None, untracked, environment }
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

/// The configuration of a repository: as written, and validated.
#[derive(Debug)]
pub struct Configuration {
    /// The file's name as messages show it.
    pub name: String,
    /// The file's text; `None` without a file.
    pub text: Option<String>,
    pub settings: Settings,
    pub deny: DenyList,
}

impl Configuration {
    /// Reads and validates the configuration of the repository at `root`, or another `file` in its place.
    pub fn read(root: &Path, file: Option<&Path>, environment: &Environment) -> Result<Self, EngineError> {
        let read = Repo::read_config(root, file)?;
        let (name, text) = read.map_or(("contextpack.yml".to_owned(), None), |(name, text)| (name, Some(text)));
        let unusable = |diagnostics| config_error(environment, diagnostics, text.as_deref());
        let settings = validated(&name, text.as_deref()).map_err(unusable)?;
        let deny = DenyList::new(&settings.redaction.deny_paths).map_err(|(index, why)| {
            let message = format!("`redaction.deny_paths` entry {}: {why}", index + 1);
            unusable(vec![Diagnostic::new(Code::InvalidConfig, None, message)])
        })?;
        Ok(Self { name, text, settings, deny })
    }

    /// Returns the names of the profiles to build, each once: those `requested`, or those of the configuration.
    pub fn profiles(&self, requested: &[String]) -> Result<Vec<String>, EngineError> {
        let mut profiles =
            if requested.is_empty() { self.settings.output.profiles.clone() } else { requested.to_vec() };
        if let Some(unknown) = profiles.iter().find(|name| !self.settings.profiles.contains_key(*name)) {
            let known = self.settings.profiles.keys().cloned().collect();
            return Err(EngineError::Profile { name: unknown.clone(), known });
        }
        let mut seen = std::collections::BTreeSet::new();
        profiles.retain(|name| seen.insert(name.clone()));
        Ok(profiles)
    }

    /// Confirms that the file still holds the same text. Git may replace it while the repository is listed.
    pub(super) fn confirm(&self, root: &Path, file: Option<&Path>) -> Result<(), EngineError> {
        let again = Repo::read_config(root, file)?.map(|(_, text)| text);
        if again == self.text { Ok(()) } else { Err(Unsettled.into()) }
    }
}

/// Validates the text of a configuration, whose `redaction` may name the built-in rules.
pub fn validated(name: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    let rules: Vec<&str> = built_in_rules().iter().map(|rule| rule.name).collect();
    load_with_rules(name, text, &rules)
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
    pub(super) untracked: Untracked,
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

    /// Reads the configuration and lists the files, unless the `previous` listing is current, while `observer` asks for it.
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
        let sources: Vec<RepoPath> = settings.sources.values().cloned().collect();
        let (deny, snapshot) = (&configuration.deny, Some(&settings.github.snapshot));
        let options = RepoOptions { deny, excluded: &never, sources: &sources, snapshot };
        let previous = previous.filter(|previous| previous.configuration.text == configuration.text);
        let is_current = |files: &Repo| observer.changed_paths.as_ref().is_some_and(|paths| files.is_current(paths));
        let mut previous = previous.map(|previous| previous.files).filter(is_current);
        let mut is_new = !previous.as_mut().map_or(Ok(false), Repo::resume)?;
        let mut files = previous.filter(|_| !is_new).map_or_else(|| Repo::open(&root, options), Ok)?;
        // If folders appear faster than they can be followed, the next build finds the rest.
        for _ in 0..MAX_LISTINGS {
            if !observer.on_listed.as_mut().is_some_and(|listed| listed(&files, settings, is_new)) {
                break;
            }
            is_new = true;
            files = Repo::open(&root, options)?;
        }
        configuration.confirm(&root, request.config)?;
        let (environment, untracked, notes) = (request.environment.clone(), request.untracked, Mutex::default());
        Ok(Self { root, configuration, files, cache: None, environment, untracked, notes })
    }

    /// Returns whether there is anything to build: a command that is run in the wrong folder leaves no cache there.
    fn has_inputs(&self) -> bool {
        let Settings { work_items, github, .. } = self.settings();
        let is_item = |path: &RepoPath| work_items.iter().any(|source| source.glob_of(path.as_str()).is_some());
        self.configuration.text.is_some()
            || self.files.files().iter().any(is_item)
            || self.root.join(github.snapshot.as_str()).exists()
    }

    /// Goes on with the results of an `earlier` reading by this process, as far as they hold, else opens the cache, without
    /// one on disk in memory, and returns whether it did. `rest` is how long a file must be unchanged to be known by its state.
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
            let on_disk = if opening.1 { self.open_cache(access, user) } else { None };
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
        let folder = self.cache_folder(access, user);
        let folder = folder.map_err(|why| self.note(format!("no cache is used: {why}"))).ok()?;
        folder.map(|folder| self.cache_in(folder))
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
    pub(super) fn refuse_tracked_cache(&self) -> Result<(), EngineError> {
        let all = self.files.diagnostics().iter();
        let diagnostics: Vec<Diagnostic> = all.filter(|it| it.code == Code::TrackedCache).cloned().collect();
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
        self.write_cache(Cache::save_documents);
    }

    /// Returns what the last build of all roots reported, as far as the cache knows.
    pub(crate) fn reported_before(&self) -> &[Diagnostic] {
        self.cache().map_or(&[], |cache| &cache.manifest.diagnostics)
    }

    pub(super) fn write_cache(&self, write: impl FnOnce(&Cache) -> Result<(), StoreError>) {
        if let Some(Err(error)) = self.cache().map(write) {
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
                // The file that it names may hold no item that can be read.
                let path = path_inside(&self.root, Path::new(root));
                let issue = if let RootError::Issue(issue) = &error { project.issue_file(issue) } else { None };
                let is_named = |at: &RepoPath| at.as_str() == root || Some(at) == path.as_ref();
                let is_meant = |fault: &&Diagnostic| match (fault.code, fault.at.as_ref().map(|at| &at.path)) {
                    (Code::InvalidSnapshot, at) => at.is_some() && at == issue.as_ref(),
                    // Nothing of it is read, its id neither.
                    (Code::InvalidDocument, Some(at)) => is_named(at) || at.stem() == root,
                    (_, at) => fault.is_of_unread_item() && at.is_some_and(is_named),
                };
                let faults = project.redacted(project.diagnostics().iter().filter(is_meant));
                Err(if faults.is_empty() { error.into() } else { EngineError::Unread(faults) })
            })
        });
        Ok(distinct(found.collect::<Result<Vec<usize>, EngineError>>()?.into_iter()))
    }

    /// Confirms that no item is missing because its file could not be read or git changed it meanwhile.
    pub(crate) fn confirm_all_read(&self, project: &Project<'_>) -> Result<(), EngineError> {
        self.confirm_settled()?;
        match project.unread() {
            [] => Ok(()),
            unread => Err(EngineError::Unread(project.redacted(unread))),
        }
    }

    /// Returns the item that `typed` names: an id, an issue, or a path from the root or the current folder.
    pub(crate) fn find(&self, project: &Project<'_>, typed: &str) -> Result<usize, RootError> {
        let error = match project.find(typed) {
            Err(error @ RootError::Unknown { .. }) => error,
            found => return found,
        };
        let no_item = |why| RootError::NoItem { typed: typed.to_owned(), why };
        let Some(path) = path_inside(&self.root, Path::new(typed)).filter(|_| !typed.is_empty()) else {
            let is_outside = typed.contains(['/', '\\']) && Path::new(typed).exists();
            let why = || no_item("it is not below the root of this repo".to_owned());
            return Err(if is_outside { why() } else { error });
        };
        // A word that happens to be the name of a folder is an id with an error in it.
        let is_word =
            matches!(&error, RootError::Unknown { near, .. } if !near.is_empty()) && !typed.contains(['/', '.']);
        match project.find(path.as_str()) {
            Err(RootError::Unknown { .. }) => {
                let why = project.why_no_item(&self.root, &path).filter(|_| !is_word);
                Err(why.map_or(error, no_item))
            }
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

pub(super) fn distinct(items: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}
