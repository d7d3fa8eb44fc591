//! A repository opened for one command: its configuration, its files and its cache.

use super::build::BuildJob;
use super::error::with_causes;
use super::notices::ConcernedItems;
use super::{
    BudgetLimits, BuildOrder, Configuration, EngineError, IncrementalBuild, Project, RootError, Unsettled,
    apply_severities, unmatched,
};
use crate::cache::{BuildCache, Cache, CachedReading, FreshnessPolicy, NoCache, ScrubCache, TracedTree};
use crate::config::Settings;
use crate::intake::{CacheUse, Repo, RepoOptions};
use crate::model::{Code, Diagnostic, Digest, Digester, RepoPath, Severity, SourceTree, Untracked};
use crate::redact::Environment;
use crate::store::{Access, CacheFolder, CacheUnavailable, Folder, StoreError, sweep_state};
#[cfg(feature = "mcp")]
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

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

/// An opened repository: its configuration and the list of its files.
///
/// The texts of files are read when packs are built, once by each call of [`Repository::pack`] and [`Repository::packs`].
pub struct Repository {
    root: PathBuf,
    configuration: Configuration,
    files: Repo,
    cache: Option<Cache>,
    /// The cache of scrubbed texts, read when first needed.
    texts: OnceLock<Option<ScrubCache>>,
    /// The cache of documents by the states of their files, read when first needed.
    documents: OnceLock<Option<ScrubCache>>,
    /// When the repository was opened, in nanoseconds since 1970.
    opened: u128,
    environment: Environment,
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
        let settings = &configuration.settings;
        let mut never = settings.own_folders();
        never.extend(request.outputs.iter().filter_map(|folder| path_inside(&root, folder)));
        let snapshot = Some(&settings.github.snapshot);
        let files = Repo::open(&root, RepoOptions { deny: &configuration.deny, excluded: &never, snapshot })?;
        configuration.confirm(&root, request.config)?;
        let mut repository = Self {
            root,
            configuration,
            files,
            cache: None,
            texts: OnceLock::new(),
            documents: OnceLock::new(),
            opened: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos()),
            environment: request.environment.clone(),
            untracked: request.untracked,
            notes: Mutex::default(),
        };
        if let Some(access) = request.cache.filter(|_| repository.has_inputs()) {
            repository.open_cache(access, request.caches.as_deref());
        }
        Ok(repository)
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
            sweep_state(&self.root, &Repo::is_tracked);
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
    ///
    /// # Errors
    /// The reason why no cache can be used.
    pub(crate) fn cache_folder(&self, access: Access, caches: Option<&Path>) -> Result<Option<CacheFolder>, String> {
        match self.files.cache_use() {
            CacheUse::Free => {}
            CacheUse::Tracked => return Err("git tracks it".to_owned()),
            CacheUse::Unknown => return Err("git cannot say whether it tracks it".to_owned()),
        }
        let caches = caches.ok_or_else(|| with_causes(&CacheUnavailable::NoFolder))?;
        CacheFolder::open(&self.root, caches, access).map_err(|error| with_causes(&error))
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
    ///
    /// # Errors
    /// [`EngineError::Config`] if git tracks it.
    pub(crate) fn refuse_tracked_cache(&self) -> Result<(), EngineError> {
        let own = self.files.diagnostics().iter().filter(|diagnostic| diagnostic.code == Code::TrackedCache);
        let diagnostics: Vec<Diagnostic> = own.cloned().collect();
        if diagnostics.is_empty() { Ok(()) } else { Err(EngineError::Config { diagnostics, text: None }) }
    }

    /// Confirms that git changed no files since the repository was opened.
    ///
    /// # Errors
    /// [`EngineError::Unsettled`] if it changed any.
    pub(crate) fn confirm_settled(&self) -> Result<(), EngineError> {
        if self.files.is_settled() { Ok(()) } else { Err(Unsettled.into()) }
    }

    /// Reads the work items and builds the graph.
    pub(crate) fn project(&self) -> Project<'_> {
        let cache = self.cache.as_ref().map_or(&NoCache as &dyn BuildCache, |_| self);
        self.project_from(&self.files, cache)
    }

    /// Reads the work items and builds the graph; `trace` records what is read.
    pub(crate) fn traced_project<'a>(&'a self, trace: &'a TracedTree<'a, Repo>) -> Project<'a> {
        self.project_from(trace, trace)
    }

    /// Reads the work items and builds the graph with the results of earlier readings.
    #[cfg(feature = "mcp")]
    pub(crate) fn warm_project<'a>(&'a self, source: &'a super::WarmSource<'a>) -> Project<'a> {
        self.project_from(source.files(), source)
    }

    /// Returns the cache on disk; `None` if none can be used.
    #[cfg(feature = "mcp")]
    pub(super) fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Returns the secret values of the process.
    #[cfg(feature = "mcp")]
    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    fn project_from<'a>(&'a self, source: &'a dyn SourceTree, cache: &'a dyn BuildCache) -> Project<'a> {
        let Configuration { settings, deny, .. } = &self.configuration;
        Project::open_with(source, settings, deny, self.environment.clone(), cache, self.untracked)
    }

    /// Prepares an incremental build of `order`, whose packs are in `folder`; `None` without a cache.
    pub(crate) fn incremental<'a>(
        &'a self,
        folder: &'a Folder,
        order: &BuildOrder<'_>,
        policy: FreshnessPolicy,
    ) -> Option<IncrementalBuild<'a>> {
        let cache = self.cache.as_ref()?;
        Some(IncrementalBuild::new(&self.files, cache, folder, &self.configuration, order, policy))
    }

    /// Returns the cache of scrubbed texts; `None` without a cache.
    pub(crate) fn texts(&self) -> Option<&ScrubCache> {
        let texts = self.texts.get_or_init(|| {
            let mut notes = Vec::new();
            let text = self.configuration.text.as_deref().unwrap_or_default();
            let texts = self.cache.as_ref().map(|cache| cache.texts(text, &mut notes));
            self.add_notes(notes);
            texts
        });
        texts.as_ref()
    }

    fn documents(&self) -> Option<&ScrubCache> {
        let documents = self.documents.get_or_init(|| {
            let mut notes = Vec::new();
            let text = self.configuration.text.as_deref().unwrap_or_default();
            let documents = self.cache.as_ref().map(|cache| cache.documents(text, &mut notes));
            self.add_notes(notes);
            documents
        });
        documents.as_ref()
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
    ///
    /// # Errors
    /// [`EngineError::Root`] for the first that does not name exactly one item, [`EngineError::Unread`] if its item may be
    /// in a file that cannot be read.
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
        faults.map(|fault| project.redacted_for_output(fault.clone())).collect()
    }

    /// Confirms that no item is missing because its file could not be read or git changed it meanwhile.
    ///
    /// # Errors
    /// [`EngineError::Unsettled`] and [`EngineError::Unread`].
    pub(crate) fn confirm_all_read(&self, project: &Project<'_>) -> Result<(), EngineError> {
        self.confirm_settled()?;
        match project.unread() {
            [] => Ok(()),
            unread => Err(EngineError::Unread(
                unread.iter().map(|unread| project.redacted_for_output(unread.clone())).collect(),
            )),
        }
    }

    /// Returns the errors of the input that a build of all roots reports before it builds, redacted.
    #[cfg(feature = "mcp")]
    pub(crate) fn errors(&self, project: &Project<'_>, job: &BuildJob) -> Vec<Diagnostic> {
        let all = diagnostics_of(&self.files, project, job).into_iter();
        let errors = all.filter(|diagnostic| diagnostic.severity == Severity::Error);
        let errors: BTreeSet<Diagnostic> = errors.map(|error| project.redacted_for_output(error)).collect();
        errors.into_iter().collect()
    }

    /// Returns the item that `typed` names: an id, an issue, or the path of its file from the root or the current
    /// folder.
    ///
    /// # Errors
    /// If it names none, or several.
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

/// The cache of a repository whose builds leave no record of what they read: the states of files identify their contents.
impl BuildCache for Repository {
    fn base_key(&self) -> Option<Digester> {
        self.texts()?.base_key()
    }

    fn content(&self, path: &RepoPath, text: &str) -> Digest {
        self.texts().map_or_else(|| NoCache.content(path, text), |texts| texts.content(path, text))
    }

    fn get(&self, key: &Digest) -> Option<CachedReading> {
        self.texts()?.get(key)
    }

    fn put(&self, _: &Digest, _: &CachedReading) {}

    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let base = self.documents()?.base_key()?;
        let states = files.iter().map(|path| {
            let state = self.files.state(path).filter(|state| state.is_rested(self.opened))?;
            postcard::to_allocvec(&state).ok()
        });
        let states = states.collect::<Option<Vec<_>>>()?;
        Some(states.iter().fold(base, Digester::part).digest())
    }

    fn get_derived(&self, key: &Digest) -> Option<&[u8]> {
        self.documents()?.get_derived(key)
    }

    fn put_derived(&self, key: &Digest, derived: Vec<u8>) {
        if let Some(documents) = self.documents() {
            documents.put_derived(key, derived);
        }
    }
}

/// Returns the diagnostics of a repository before packs are built: those of its listing, of the globs of its configuration,
/// of its items and their graph, and of its agents and documents, if packs, perhaps for an agent, have to do with them.
///
/// If somebody named the roots, warnings about other files are left out.
pub(super) fn diagnostics_of(files: &Repo, project: &Project<'_>, job: &BuildJob) -> Vec<Diagnostic> {
    let settings = project.settings();
    let mut all = apply_severities(files.diagnostics().to_vec(), settings);
    all.extend_from_slice(project.diagnostics());
    if job.are_named {
        let concerned = ConcernedItems::new(project, &job.roots);
        // An item that cannot be read keeps other packs from nothing.
        let is_damage = |diagnostic: &Diagnostic| {
            matches!(diagnostic.code, Code::InvalidItem | Code::UnreadableFile) && !diagnostic.about.is_empty()
        };
        all.retain(|diagnostic| {
            diagnostic.severity == Severity::Error && !is_damage(diagnostic) || concerned.by(diagnostic)
        });
    }
    all.extend(apply_severities(unmatched(settings, files), settings));
    if job.agent.is_some() || project.has_documents() || !settings.knowledge.jobs.is_empty() {
        all.extend(apply_severities(project.knowledge().diagnostics.clone(), settings));
    }
    all
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
