//! A repository opened for one command: its configuration, its files and what earlier builds cached.

use super::{BudgetLimits, BuildOrder, IncrementalBuild, Project, RootError, Unsettled, apply_severities, unmatched};
use crate::cache::{BuildCache, Cache, FreshnessPolicy, NoCache, ScrubCache, TracedTree};
use crate::config::{DenyList, RedactionSettings, Settings, load_with_rules};
use crate::intake::{CacheUse, IntakeError, Repo, RepoOptions};
use crate::model::{Code, Diagnostic, RepoPath, SourceTree, Untracked};
use crate::redact::{Environment, Redactor, built_in_rules};
use crate::store::{Access, CacheFolder, CacheUnavailable, Folder, StoreError, sweep_state};
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How often reading a repository begins again because git changed files meanwhile.
const MOST_TRIES: usize = 8;

/// Why a repository cannot be opened, built or compared with its packs.
///
/// Its text is complete: it includes the causes, which `source()` therefore does not repeat.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The configuration, or what git tracks although it belongs to one working copy alone, cannot be used.
    #[error("the configuration cannot be used: {}", listed(diagnostics))]
    Config {
        /// What is wrong, redacted.
        diagnostics: Vec<Diagnostic>,
        /// The configuration's text, redacted, to show the lines concerned; `None` if its lines do not count alike.
        text: Option<String>,
    },
    /// A profile that was asked for is not one of the configuration.
    #[error("there is no profile `{name}`; there are {}", known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    Profile {
        /// The name that was asked for.
        name: String,
        /// The names of the configuration's profiles.
        known: Vec<String>,
    },
    /// A root that was asked for matches no item, or several.
    #[error(transparent)]
    Root(#[from] RootError),
    /// The pack cannot be built, for example because its budget cannot hold the root.
    #[error("the pack cannot be built: {}", listed(diagnostics))]
    NotBuilt {
        /// Why, redacted.
        diagnostics: Vec<Diagnostic>,
    },
    /// Inputs that exist cannot be read, so that what was asked for may be in them.
    #[error("an input cannot be read: {}", listed(.0))]
    Unread(Vec<Diagnostic>),
    /// The repository cannot be read.
    #[error("{}", with_causes(.0))]
    Intake(IntakeError),
    /// Git goes on changing files.
    #[error("git changed files while they were read, again and again; nothing was written: try again when git is done")]
    Unsettled(Unsettled),
    /// A pack cannot be read or written.
    #[error("{}", with_causes(.0))]
    Store(StoreError),
}

impl From<Unsettled> for EngineError {
    fn from(unsettled: Unsettled) -> Self {
        Self::Unsettled(unsettled)
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Joins diagnostics to one line.
fn listed(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl From<IntakeError> for EngineError {
    fn from(error: IntakeError) -> Self {
        match error {
            // What is in the repository is wrong, not the world around it.
            IntakeError::TwoConfigs { .. } | IntakeError::Unusable { .. } => {
                let diagnostics = vec![Diagnostic::new(Code::InvalidConfig, None, error.to_string())];
                config_error(&Environment::new(std::iter::empty()), diagnostics, None)
            }
            IntakeError::Read { .. } | IntakeError::NotAFolder { .. } | IntakeError::Locked { .. } => {
                Self::Intake(error)
            }
        }
    }
}

/// Runs `read` again, a few times at most, while git changes files under its eyes. It writes nothing before it knows.
///
/// # Errors
/// Those of `read`.
pub fn until_settled<T, E>(is_unsettled: impl Fn(&E) -> bool, mut read: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    for _ in 1..MOST_TRIES {
        match read() {
            Err(error) if is_unsettled(&error) => {}
            done => return done,
        }
    }
    read()
}

/// The configuration of a repository: as written, and validated.
#[derive(Debug)]
pub struct Configuration {
    /// The file's name as messages show it.
    pub name: String,
    /// The file's text; `None` without a file.
    pub text: Option<String>,
    /// The validated settings.
    pub settings: Settings,
    /// The names of files that are never opened.
    pub(crate) deny: DenyList,
}

impl Configuration {
    /// Reads and validates the configuration of the repository at `root`; `file` is another than the one there.
    ///
    /// # Errors
    /// [`EngineError::Config`] if it cannot be used, [`EngineError::Intake`] if it cannot be read.
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

    /// Returns the names of the profiles to build, each once: those `asked` for, or those of the configuration.
    ///
    /// # Errors
    /// [`EngineError::Profile`] if one is not there.
    pub fn profiles(&self, asked: &[String]) -> Result<Vec<String>, EngineError> {
        let mut profiles = if asked.is_empty() { self.settings.output.profiles.clone() } else { asked.to_vec() };
        if let Some(unknown) = profiles.iter().find(|name| !self.settings.profiles.contains_key(*name)) {
            let known = self.settings.profiles.keys().cloned().collect();
            return Err(EngineError::Profile { name: unknown.clone(), known });
        }
        let mut seen = std::collections::BTreeSet::new();
        profiles.retain(|name| seen.insert(name.clone()));
        Ok(profiles)
    }

    /// Whether the file still holds the same text. Git may bring another one while the repository is listed.
    ///
    /// # Errors
    /// [`EngineError::Unsettled`] if it does not.
    pub(super) fn confirm(&self, root: &Path, file: Option<&Path>) -> Result<(), EngineError> {
        let again = Repo::read_config(root, file)?.map(|(_, text)| text);
        if again == self.text { Ok(()) } else { Err(Unsettled.into()) }
    }
}

/// Validates the text of a configuration, whose redaction may name the built-in rules.
///
/// # Errors
/// What is wrong with it, not redacted yet.
pub fn validated(name: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    let rules: Vec<&str> = built_in_rules().iter().map(|rule| rule.name).collect();
    load_with_rules(name, text, &rules)
}

/// Errors of a configuration, which may quote it, so that they are redacted like any other text.
pub fn config_error(environment: &Environment, diagnostics: Vec<Diagnostic>, text: Option<&str>) -> EngineError {
    let redactor = Redactor::new(&RedactionSettings::default());
    let clean = |text: &str| environment.mask(&redactor.line(text));
    // A secret of several lines is one only as a whole; where it is removed, lines are missing that would be counted.
    let lines = |text: &str| text.matches('\n').count();
    let text = text.and_then(|text| Some(clean(text)).filter(|clean| lines(clean) == lines(text)));
    let diagnostics = diagnostics
        .into_iter()
        .map(|diagnostic| Diagnostic {
            message: clean(&diagnostic.message),
            help: diagnostic.help.as_deref().map(clean),
            ..diagnostic
        })
        .collect();
    EngineError::Config { diagnostics, text }
}

/// What is opened, and how.
#[derive(Debug, Clone)]
pub struct OpenRequest<'a> {
    /// A folder of the repository; its root is found from there.
    pub folder: &'a Path,
    /// A configuration other than the one at the root.
    pub config: Option<&'a Path>,
    /// Folders besides the configuration's `output.dir` that are written, and so are no inputs.
    pub outputs: &'a [&'a Path],
    /// What is done with the cache; `None` for a command that judges packs.
    pub(crate) cache: Option<Access>,
    /// The user's folder for caches, where the key of the cache is.
    pub(crate) caches: Option<PathBuf>,
    /// How files count that git does not track.
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
    /// Cached scrubbing results, once they are asked for.
    texts: OnceLock<Option<ScrubCache>>,
    environment: Environment,
    untracked: Untracked,
    /// What became of the cache, for those who want to know everything.
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
        let mut never = vec![settings.output.dir.clone()];
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
        let is_item = |path: &RepoPath| work_items.iter().any(|source| source.include.set.is_match(path.as_str()));
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
    /// Why no cache can be used.
    pub(crate) fn cache_folder(&self, access: Access, caches: Option<&Path>) -> Result<Option<CacheFolder>, String> {
        match self.files.cache_use() {
            CacheUse::Free => {}
            CacheUse::Tracked => return Err("git tracks it".to_owned()),
            CacheUse::Unknown => return Err("git cannot say whether it tracks it".to_owned()),
        }
        let caches = caches.ok_or_else(|| with_causes(&CacheUnavailable::NoFolder))?;
        CacheFolder::open(&self.root, caches, access).map_err(|error| with_causes(&error))
    }

    /// The repository's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The configuration.
    pub(crate) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The validated settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.configuration.settings
    }

    /// The files that count.
    pub(crate) fn files(&self) -> &Repo {
        &self.files
    }

    /// Refuses a cache that git tracks although it belongs to one working copy alone.
    ///
    /// # Errors
    /// [`EngineError::Config`] if git tracks one.
    pub(crate) fn refuse_tracked_cache(&self) -> Result<(), EngineError> {
        let own = self.files.diagnostics().iter().filter(|diagnostic| diagnostic.code == Code::TrackedCache);
        let diagnostics: Vec<Diagnostic> = own.cloned().collect();
        if diagnostics.is_empty() { Ok(()) } else { Err(EngineError::Config { diagnostics, text: None }) }
    }

    /// Refuses to go on if git changed files since the repository was opened.
    ///
    /// # Errors
    /// [`EngineError::Unsettled`] if it did.
    pub(crate) fn confirm_settled(&self) -> Result<(), EngineError> {
        if self.files.is_settled() { Ok(()) } else { Err(Unsettled.into()) }
    }

    /// Reads the work items and builds the graph.
    pub(crate) fn project(&self) -> Project<'_> {
        let cache = self.texts().map_or(&NoCache as &dyn BuildCache, |texts| texts);
        self.project_from(&self.files, cache)
    }

    /// Reads the work items and builds the graph; `trace` records what is read.
    pub(crate) fn traced_project<'a>(&'a self, trace: &'a TracedTree<'a, Repo>) -> Project<'a> {
        self.project_from(trace, trace)
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

    /// Cached scrubbing results.
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

    /// How files count that git does not track.
    pub(crate) fn untracked(&self) -> Untracked {
        self.untracked
    }

    /// Notes whether the cache could be written: a build without it is right and slower.
    pub(crate) fn note_cache_written(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.note(format!("the cache was not written: {}", with_causes(&error)));
        }
    }

    /// Notes what became of the cache.
    pub(crate) fn note(&self, note: String) {
        self.add_notes(vec![note]);
    }

    fn add_notes(&self, notes: Vec<String>) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(notes);
    }

    /// Takes the notes on what became of the cache since the last call.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the items that `typed` roots mean, each once; all roots of the configuration if none is typed.
    ///
    /// # Errors
    /// [`EngineError::Root`] for the first that means no single item, [`EngineError::Unread`] if it may be in a file
    /// that cannot be read.
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
                    return Err(error.into());
                }
            };
            if !roots.contains(&item) {
                roots.push(item);
            }
        }
        Ok(roots)
    }

    /// Refuses to go on if items may be missing, or if git changed some while they were read.
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

    /// Returns the item that `typed` means: an id, an issue, or the path of its file from the root or the current
    /// folder.
    ///
    /// # Errors
    /// If it means none, or several.
    pub(crate) fn find(&self, project: &Project<'_>, typed: &str) -> Result<usize, RootError> {
        let error = match project.find(typed) {
            Err(error @ RootError::Unknown { .. }) => error,
            found => return found,
        };
        match path_inside(&self.root, Path::new(typed)).map(|path| project.find(path.as_str())) {
            Some(Err(RootError::Unknown { .. })) | None => Err(error),
            Some(found) => found,
        }
    }
}

/// Everything that is wrong with a repository before packs are built: with its listing, with the globs of its
/// configuration, with its items and their graph.
pub(super) fn diagnostics_of(files: &Repo, project: &Project<'_>) -> Vec<Diagnostic> {
    let settings = project.settings();
    let mut all = apply_severities(files.diagnostics().to_vec(), settings);
    all.extend(apply_severities(unmatched(settings, files), settings));
    all.extend_from_slice(project.diagnostics());
    all
}

/// The secret values in the environment variables of this process.
pub fn process_environment() -> Environment {
    // Values that are no text cannot be in a pack.
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    Environment::new(std::env::vars_os().filter_map(text))
}

/// An error with its causes, on one line.
pub fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause: &&dyn Error| (*cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Returns a path of the current folder as one of the repository at `root`; `None` if it lies outside.
pub fn path_inside(root: &Path, path: &Path) -> Option<RepoPath> {
    let path = std::path::absolute(path).ok()?;
    let root = root.canonicalize().ok()?;
    let parent = path.ancestors().find_map(|dir| Some((dir, dir.canonicalize().ok()?)))?;
    let rest = path.strip_prefix(parent.0).ok()?;
    let relative = parent.1.join(rest);
    let relative = relative.strip_prefix(&root).ok()?;
    RepoPath::new(&relative.to_str()?.replace('\\', "/")).ok().filter(|path| !path.as_str().is_empty())
}
