//! A repository opened for one command: its configuration, its files and its cache.

use super::error::with_causes;
use super::{
    BudgetLimits, BudgetProbe, BuildObserver, BuildOrder, Configuration, EngineError, IncrementalBuild, Project,
    RootError, RootSummary, Unsettled,
};
use crate::cache::{Cache, FreshnessPolicy, InputCaches, Inputs, TextCache};
use crate::config::Settings;
use crate::git;
use crate::intake::{CacheUse, Repo, RepoOptions};
use crate::model::{Code, Diagnostic, RepoPath, SourceTree as _, Untracked};
use crate::redact::{Environment, Redactor};
use crate::seal::{Sealed, Stamp};
use crate::store::{Access, CacheFolder, CacheUnavailable, Folder, StoreError, sweep_state};
use rayon::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

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

/// One pack to build.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackRequest {
    /// The root: an id, an issue (`12`, `#12`, `owner/repo#12`, a URL), or the path of a work item's file.
    ///
    /// The command line takes the same; its help shows `12`, because a shell takes a bare `#12` for a comment.
    pub root: String,
    /// The profile; `None` for the first of the configuration.
    pub profile: Option<String>,
    /// Limits that replace those of the profile.
    pub limits: BudgetLimits,
    /// The time of the build, as RFC 3339, for `generated_at`. The hash of the pack leaves it out.
    pub generated_at: String,
}

impl PackRequest {
    /// Asks for the pack of `root` under the first profile and its limits, built now.
    pub fn new(root: impl Into<String>) -> Self {
        let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
        Self { root: root.into(), profile: None, limits: BudgetLimits::default(), generated_at: now }
    }

    /// Limits the rendering to `tokens`, in place of the profile's limits.
    #[must_use]
    pub fn within_tokens(mut self, tokens: u64) -> Self {
        self.limits.max_tokens = Some(tokens);
        self
    }

    /// Builds under another profile.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }
}

/// How often a repository is listed for one build if the observer asks for it.
const MOST_LISTINGS: usize = 8;

/// Where a repository is, and what counts in it.
pub(super) struct RepositoryPlace<'a> {
    pub(super) root: PathBuf,
    /// A configuration other than the one at the root.
    pub(super) config: Option<&'a Path>,
    /// Folders that are no inputs, besides those of the configuration.
    pub(super) never: Vec<RepoPath>,
    pub(super) environment: Environment,
    pub(super) untracked: Untracked,
}

/// An opened repository: its configuration and the list of its files.
///
/// The texts of files are read when packs are built, once by each call of [`Repository::pack`] and [`Repository::packs`].
pub struct Repository {
    root: PathBuf,
    pub(super) configuration: Configuration,
    files: Repo,
    pub(super) cache: Option<Cache>,
    /// The cache of scrubbed texts, read when first needed.
    texts: OnceLock<Option<TextCache>>,
    /// The cache of documents by the states of their files, read when first needed.
    documents: OnceLock<Option<TextCache>>,
    pub(super) environment: Environment,
    untracked: Untracked,
    /// Messages about the cache, for `--verbose`.
    notes: Mutex<Vec<String>>,
}

impl Repository {
    /// Finds the repository, reads its configuration and lists its files.
    ///
    /// # Errors
    /// If the configuration cannot be used, the system refuses to list the files, or git changes them meanwhile.
    pub fn open(request: &OpenRequest<'_>) -> Result<Self, EngineError> {
        let root = Repo::find_root(request.folder)?;
        let configuration = Configuration::read(&root, request.config, &request.environment)?;
        let never = request.outputs.iter().filter_map(|folder| path_inside(&root, folder)).collect();
        let (environment, untracked) = (request.environment.clone(), request.untracked);
        let place = RepositoryPlace { root, config: request.config, never, environment, untracked };
        let mut repository = Self::list(place, configuration, None, &mut BuildObserver::default())?;
        if let Some(access) = request.cache.filter(|_| repository.has_inputs()) {
            repository.open_cache(access, request.caches.as_deref());
        }
        Ok(repository)
    }

    /// Lists the files of a repository, unless the `previous` listing is still current, and again while `observer` asks for
    /// it. No cache is opened.
    pub(super) fn list(
        place: RepositoryPlace<'_>,
        configuration: Configuration,
        previous: Option<Self>,
        observer: &mut BuildObserver<'_>,
    ) -> Result<Self, EngineError> {
        let RepositoryPlace { root, config, mut never, environment, untracked } = place;
        let settings = &configuration.settings;
        never.extend(settings.own_folders());
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
        for _ in 0..MOST_LISTINGS {
            if !observer.on_listed.as_mut().is_some_and(|listed| listed(&files, settings, is_new)) {
                break;
            }
            is_new = true;
            files = Repo::open(&root, options)?;
        }
        configuration.confirm(&root, config)?;
        let (texts, documents) = Default::default();
        let (cache, notes) = (None, Mutex::default());
        Ok(Self { root, configuration, files, cache, texts, documents, environment, untracked, notes })
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

    fn open_cache(&mut self, access: Access, caches: Option<&Path>) {
        if access == Access::Write {
            sweep_state(&self.root, &git::is_tracked);
        }
        let mut notes = Vec::new();
        match self.cache_folder(access, caches) {
            Ok(folder) => {
                let environment = self.environment.digest();
                self.cache = folder.map(|folder| Cache::new(folder, environment, &mut notes));
            }
            Err(why) => notes.push(format!("no cache is used: {why}")),
        }
        self.add_notes(notes);
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

    /// Lists the roots of the configuration, in natural order of their ids. Reads all work items.
    ///
    /// # Errors
    /// If an input cannot be read, so that roots may be missing, or git changes files meanwhile.
    pub fn roots(&self) -> Result<Vec<RootSummary>, EngineError> {
        let project = self.project();
        self.confirm_all_read(&project)?;
        Ok(project.roots().into_iter().map(|item| project.summary(item)).collect())
    }

    /// Builds one pack in memory; nothing is written. Reads all work items.
    ///
    /// # Errors
    /// If the root or the profile is unknown, an input cannot be read, or the budget cannot hold the root.
    pub fn pack(&self, request: &PackRequest) -> Result<Sealed, EngineError> {
        self.pack_of(&self.project(), request)
    }

    /// Builds packs in memory, in parallel; nothing is written. Reads all work items once, so it costs far less than as
    /// many calls of [`Repository::pack`].
    ///
    /// Returns one result for each request, in their order. A pack that cannot be built stops no other.
    pub fn packs(&self, requests: &[PackRequest]) -> Vec<Result<Sealed, EngineError>> {
        let project = self.project();
        requests.par_iter().map(|request| self.pack_of(&project, request)).collect()
    }

    /// Returns the names of the profiles that the configuration builds by default; a [`PackRequest`] that names none
    /// means the first.
    pub fn profiles(&self) -> &[String] {
        &self.settings().output.profiles
    }

    /// Returns a redactor with the built-in rules and those of the configuration.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(&self.settings().redaction)
    }

    fn pack_of(&self, project: &Project<'_>, request: &PackRequest) -> Result<Sealed, EngineError> {
        let roots = self.find_roots(project, std::slice::from_ref(&request.root))?;
        let profiles = self.configuration().profiles(request.profile.as_slice())?;
        let (Some(root), Some(profile)) = (roots.first(), profiles.into_iter().next()) else {
            return Err(EngineError::NotBuilt { diagnostics: Vec::new() });
        };
        let probe = BudgetProbe::new(project, Some(*root), profile, Stamp::new(request.generated_at.clone()));
        probe.build(request.limits)?.map_err(|diagnostics| EngineError::NotBuilt { diagnostics })
    }

    /// Returns the repository's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the configuration.
    pub(crate) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns the validated settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.configuration.settings
    }

    /// Returns the files that count.
    pub(crate) fn files(&self) -> &Repo {
        &self.files
    }

    /// Confirms that git does not track the cache, which belongs to one working copy alone.
    pub(crate) fn refuse_tracked_cache(&self) -> Result<(), EngineError> {
        let own = self.files.diagnostics().iter().filter(|diagnostic| diagnostic.code == Code::TrackedCache);
        let diagnostics: Vec<Diagnostic> = own.cloned().collect();
        if diagnostics.is_empty() { Ok(()) } else { Err(EngineError::Config { diagnostics, text: None }) }
    }

    /// Confirms that git changed no files since the repository was opened.
    pub(crate) fn confirm_settled(&self) -> Result<(), EngineError> {
        if self.files.is_settled() { Ok(()) } else { Err(Unsettled.into()) }
    }

    /// Reads the work items and builds the graph, with what earlier builds left in the cache.
    pub(crate) fn project(&self) -> Project<'_> {
        self.project_from(InputCaches { documents: self.documents(), ..self.caches(false) })
    }

    /// Reads the work items and builds the graph for a build that is added to the cache.
    pub(crate) fn recorded_project(&self) -> Project<'_> {
        self.project_from(self.caches(true))
    }

    /// Reads the work items and builds the graph with the results of earlier readings.
    #[cfg(feature = "mcp")]
    pub(crate) fn warm_project<'a>(&'a self, readings: &'a super::WarmReadings) -> Project<'a> {
        self.project_of(readings.inputs(self))
    }

    /// Reads the work items and builds the graph with these caches.
    pub(super) fn project_from<'a>(&'a self, caches: InputCaches<'a>) -> Project<'a> {
        self.project_of(Inputs::new(&self.files, caches))
    }

    fn project_of<'a>(&'a self, inputs: Inputs<'a>) -> Project<'a> {
        let Configuration { settings, deny, .. } = &self.configuration;
        Project::open_with(inputs, settings, deny, self.environment.clone(), self.untracked)
    }

    fn caches(&self, adds_texts: bool) -> InputCaches<'_> {
        InputCaches { texts: self.texts(), adds_texts, ..InputCaches::default() }
    }

    /// Prepares an incremental build of `order`, whose packs are in `folder`; `None` without a cache.
    pub(crate) fn incremental<'a>(
        &'a self,
        folder: &'a Folder,
        order: &BuildOrder<'_>,
        policy: FreshnessPolicy,
    ) -> Option<IncrementalBuild<'a>> {
        IncrementalBuild::new(self, folder, order, policy)
    }

    /// Returns the cache of scrubbed texts; `None` without a cache.
    pub(crate) fn texts(&self) -> Option<&TextCache> {
        self.texts.get_or_init(|| self.entries(Cache::texts)).as_ref()
    }

    /// Returns the cache of documents; `None` without a cache, or if nothing has to do with documents.
    pub(super) fn documents(&self) -> Option<&TextCache> {
        self.documents.get_or_init(|| self.entries(Cache::documents)).as_ref()
    }

    fn entries(&self, read: fn(&Cache, &str, &mut Vec<String>) -> TextCache) -> Option<TextCache> {
        let mut notes = Vec::new();
        let config = self.configuration.text.as_deref().unwrap_or_default();
        let entries = read(self.cache.as_ref()?, config, &mut notes);
        self.add_notes(notes);
        Some(entries)
    }

    /// Writes what was made of documents to the cache, so that the next command need not read them.
    pub(crate) fn save_documents(&self) {
        if let (Some(cache), Some(Some(documents))) = (&self.cache, self.documents.get()) {
            self.note_cache_written(cache.save_documents(documents));
        }
    }

    /// Returns whether files that git does not track are trusted.
    pub(crate) fn untracked(&self) -> Untracked {
        self.untracked
    }

    /// Adds a note if the cache could not be written.
    pub(crate) fn note_cache_written(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.note(format!("the cache was not written: {}", with_causes(&error)));
        }
    }

    /// Adds a note about the cache.
    pub(crate) fn note(&self, note: String) {
        self.add_notes(vec![note]);
    }

    fn add_notes(&self, notes: Vec<String>) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(notes);
    }

    /// Returns the notes about the cache since the last call.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the items that the `typed` roots name, each once; if none is typed, all roots of the configuration.
    pub(crate) fn find_roots(&self, project: &Project<'_>, typed: &[String]) -> Result<Vec<usize>, EngineError> {
        if typed.is_empty() {
            return Ok(project.roots());
        }
        let mut roots = Vec::new();
        for root in typed {
            let item = match self.find(project, root) {
                Ok(item) => item,
                Err(error) => {
                    self.confirm_all_read(project)?;
                    let faults = self.faults_of_file(project, root);
                    return Err(if faults.is_empty() { error.into() } else { EngineError::Unread(faults) });
                }
            };
            if !roots.contains(&item) {
                roots.push(item);
            }
        }
        Ok(roots)
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
