//! The repo that a command works on, opened.

use super::args::{BudgetArgs, Global};
use super::console;
use super::failure::Failure;
use super::report::printable;
use contextpack::cache::{Cache, FreshnessPolicy, ScrubCache, TracedTree};
use contextpack::config::{self, DenyList, Settings};
use contextpack::intake::{CacheUse, Repo, RepoOptions};
use contextpack::model::{Code, Diagnostic, RepoPath, Severity, SourceTree, Untracked};
use contextpack::pipeline::{BudgetLimits, BuildCache, NoCache, Project, RootError, levelled, unmatched};
use contextpack::redact::Environment;
use contextpack::seal::Stamp;
use contextpack::session::{BuildOrder, IncrementalBuild, MOST_TRIES};
use contextpack::store::{Access, CacheFolder, CacheUnavailable, Folder, StoreError, sweep_state};
use std::error::Error;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// A repo, its settings and its files.
pub(crate) struct Workspace {
    /// The repo's root.
    pub(crate) root: PathBuf,
    /// The configuration.
    pub(crate) settings: Settings,
    /// Names that are never opened.
    pub(crate) deny: DenyList,
    /// The files.
    pub(crate) repo: Repo,
    /// The configuration as written: its name and its text.
    pub(crate) config: Config,
    /// What earlier builds found out, where that can be had.
    pub(crate) cache: Option<Cache>,
    /// What they found out about texts, once it is asked for.
    texts: OnceLock<Option<ScrubCache>>,
    environment: Environment,
    /// How files count that git does not track.
    untracked: Untracked,
    verbose: bool,
}

impl Workspace {
    /// Finds the repo, reads its configuration and lists its files.
    ///
    /// `out` are folders that the command writes besides the configuration's: they are no input either. `cached` says
    /// what it does with the cache; a command that says whether packs are right does without.
    pub(crate) fn open(global: &Global, out: &[&Path], cached: Option<Access>) -> Result<Self, Failure> {
        let (root, settings, config) = configuration(global)?;
        let deny = deny(&settings)?;
        let mut never = vec![settings.output.dir.clone()];
        never.extend(out.iter().filter_map(|out| inside(&root, out)));
        let environment = environment();
        let options = RepoOptions { deny: &deny, excluded: &never, snapshot: Some(&settings.github.snapshot) };
        let repo = Repo::open(&root, options)?;
        // Between the two git may have brought another.
        let again = Repo::read_config(&root, global.config.as_deref())?;
        if again.map(|(_, text)| text) != config.1 {
            return Err(Failure::Unsettled);
        }
        let (untracked, verbose) = (global.untracked(), global.verbose);
        let texts = OnceLock::new();
        let mut workspace =
            Self { root, settings, deny, repo, config, cache: None, texts, environment, untracked, verbose };
        if let Some(access) = cached {
            if access == Access::Write {
                sweep_state(&workspace.root, &Repo::is_tracked);
            }
            let mut notes = Vec::new();
            match cache_folder(&workspace.root, &workspace.repo, access) {
                Ok(folder) => {
                    let environment = workspace.environment.digest();
                    workspace.cache = folder.map(|folder| Cache::new(folder, environment, &mut notes));
                }
                Err(why) => notes.push(format!("no cache is used: {why}")),
            }
            workspace.note(&notes);
        }
        Ok(workspace)
    }

    /// What git tracks although it belongs to one working copy alone, as a failure.
    pub(crate) fn untracked(&self) -> Result<(), Failure> {
        let own = self.repo.diagnostics().iter().filter(|diagnostic| diagnostic.code == Code::TrackedCache);
        let diagnostics: Vec<Diagnostic> = own.cloned().collect();
        if diagnostics.is_empty() { Ok(()) } else { Err(Failure::Config { diagnostics, text: None }) }
    }

    /// Reads the work items and draws the graph.
    pub(crate) fn project(&self) -> Project<'_> {
        let memory = self.texts().map_or(&NoCache as &dyn BuildCache, |texts| texts);
        self.opened(&self.repo, memory)
    }

    /// Does the same, and `trace` takes down what is read.
    pub(crate) fn desk_of<'a>(&'a self, trace: &'a TracedTree<'a, Repo>) -> Project<'a> {
        self.opened(trace, trace)
    }

    fn opened<'a>(&'a self, source: &'a dyn SourceTree, memory: &'a dyn BuildCache) -> Project<'a> {
        Project::open_with(source, &self.settings, &self.deny, self.environment.clone(), memory, self.untracked)
    }

    /// A run of `building` with what the cache knows; nothing where there is no cache.
    pub(crate) fn incremental<'a>(
        &'a self,
        folder: &'a Folder,
        building: &BudgetArgs,
        out: Option<&Path>,
        look: FreshnessPolicy,
    ) -> Result<Option<IncrementalBuild<'a>>, Failure> {
        let Some(cache) = &self.cache else { return Ok(None) };
        let order = BuildOrder {
            config: (&self.config.0, self.config.1.as_deref()),
            roots: &[],
            profiles: &building.profiles(&self.settings)?,
            limits: building.limits(),
            untracked: self.untracked,
            out: out.map(std::path::absolute).transpose()?,
        };
        Ok(Some(IncrementalBuild::new(&self.repo, cache, folder, &order, look)))
    }

    /// Tells those who want to know that the cache could not be written.
    pub(crate) fn saved(&self, saved: Result<(), StoreError>) {
        if let Err(error) = saved {
            self.note(&[format!("the cache was not written: {}", told(&error))]);
        }
    }

    /// What earlier builds found out about texts.
    pub(crate) fn texts(&self) -> Option<&ScrubCache> {
        let texts = self.texts.get_or_init(|| {
            let mut notes = Vec::new();
            let texts = self.cache.as_ref().map(|cache| cache.texts(self.config_text(), &mut notes));
            self.note(&notes);
            texts
        });
        texts.as_ref()
    }

    /// The configuration's text; none is as good as an empty one.
    pub(crate) fn config_text(&self) -> &str {
        self.config.1.as_deref().unwrap_or_default()
    }

    /// Tells those who want to know everything what became of the cache.
    pub(crate) fn note(&self, notes: &[String]) {
        if self.verbose {
            // Where stderr is gone there is nobody left to tell.
            notes.iter().for_each(|note| drop(writeln!(console::stderr(), "note: {}", printable(note))));
        }
    }

    /// The indexes of `typed` roots, each once; all roots of the configuration where none is typed.
    pub(crate) fn roots(&self, project: &Project<'_>, typed: &[String]) -> Result<Vec<usize>, Failure> {
        if typed.is_empty() {
            return Ok(project.roots());
        }
        let mut roots = Vec::new();
        for root in typed {
            let item = match self.find(project, root) {
                Ok(item) => item,
                Err(error) => {
                    self.all_read(project)?;
                    return Err(Failure::usage(error.to_string()));
                }
            };
            if !roots.contains(&item) {
                roots.push(item);
            }
        }
        Ok(roots)
    }

    /// Refuses to go on if items may be missing, or if git changed some while they were read.
    pub(crate) fn all_read(&self, project: &Project<'_>) -> Result<(), Failure> {
        if !self.repo.is_settled() {
            return Err(Failure::Unsettled);
        }
        match project.unread() {
            [] => Ok(()),
            unread => Err(Failure::Unread(unread.iter().map(|unread| project.told(unread.clone())).collect())),
        }
    }

    /// What is nothing in the repo as a whole may be the path of an item's file from the current folder.
    pub(crate) fn find(&self, project: &Project<'_>, typed: &str) -> Result<usize, RootError> {
        let error = match project.find(typed) {
            Err(error @ RootError::Unknown { .. }) => error,
            found => return found,
        };
        match inside(&self.root, Path::new(typed)).map(|path| project.find(path.as_str())) {
            Some(Err(RootError::Unknown { .. })) | None => Err(error),
            Some(found) => found,
        }
    }

    /// Everything that is wrong so far: with the listing, the configuration's globs, the items and the graph.
    pub(crate) fn diagnostics(&self, project: &Project<'_>) -> Vec<Diagnostic> {
        let mut all = levelled(self.repo.diagnostics().to_vec(), &self.settings);
        all.extend(levelled(unmatched(&self.settings, &self.repo), &self.settings));
        all.extend_from_slice(project.diagnostics());
        all.sort();
        all.dedup();
        all
    }
}

/// The cache of a repo, or why there is none.
pub(crate) fn cache_folder(root: &Path, repo: &Repo, access: Access) -> Result<Option<CacheFolder>, String> {
    match repo.cache_use() {
        CacheUse::Free => {}
        CacheUse::Tracked => return Err("git tracks it".to_owned()),
        CacheUse::Unknown => return Err("git cannot say whether it tracks it".to_owned()),
    }
    let caches = caches(&|name| std::env::var_os(name)).ok_or_else(|| told(&CacheUnavailable::NoFolder))?;
    CacheFolder::open(root, &caches, access).map_err(|error| told(&error))
}

/// The user's folder for caches, as the system has it, from variables of the environment.
pub(crate) fn caches(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return folder("HOME").map(|home| home.join("Library/Caches"));
    }
    folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
}

/// Does what reads a repo, and does it again if git changed the repo's files meanwhile. It writes and prints nothing
/// before it knows.
pub(crate) fn settled<T>(run: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    for _ in 1..MOST_TRIES {
        match run() {
            Err(Failure::Unsettled) => {}
            done => return done,
        }
    }
    run()
}

/// An error with its causes, on one line.
pub(crate) fn told(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause: &&dyn Error| (*cause).source());
    causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"))
}

/// The repo's root and its settings.
pub(crate) fn settings(global: &Global) -> Result<(PathBuf, Settings), Failure> {
    configuration(global).map(|(root, settings, _)| (root, settings))
}

/// The configuration as written: its name, and its text where there is one.
type Config = (String, Option<String>);

/// The repo's root, its settings, and the configuration.
fn configuration(global: &Global) -> Result<(PathBuf, Settings, Config), Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    let read = Repo::read_config(&root, global.config.as_deref())?;
    let (shown, text) = read.map_or(("contextpack.yml".to_owned(), None), |(shown, text)| (shown, Some(text)));
    match load(&shown, text.as_deref()) {
        Ok(settings) => Ok((root, settings, (shown, text))),
        Err(diagnostics) => Err(Failure::Config { diagnostics, text }),
    }
}

/// Reads a configuration, whose redaction may name the built-in rules.
pub(crate) fn load(shown: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    let rules = contextpack::redact::built_in_rules();
    let names: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
    config::load_with_rules(shown, text, &names)
}

/// The secret values of this process, which nothing may tell.
pub(crate) fn environment() -> Environment {
    // Values that are no text cannot stand in a pack.
    Environment::new(
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    )
}

/// The names that are never opened.
pub(crate) fn deny(settings: &Settings) -> Result<DenyList, Failure> {
    DenyList::new(&settings.redaction.deny_paths).map_err(|(index, why)| {
        let message = format!("`redaction.deny_paths` entry {}: {why}", index + 1);
        let diagnostic = Diagnostic::new(Code::InvalidConfig, None, message);
        Failure::Config { diagnostics: vec![diagnostic], text: None }
    })
}

/// A folder's path in the repo, where it lies in it.
pub(crate) fn inside(root: &Path, folder: &Path) -> Option<RepoPath> {
    let folder = std::path::absolute(folder).ok()?;
    let root = root.canonicalize().ok()?;
    let parent = folder.ancestors().find_map(|dir| Some((dir, dir.canonicalize().ok()?)))?;
    let rest = folder.strip_prefix(parent.0).ok()?;
    let relative = parent.1.join(rest);
    let relative = relative.strip_prefix(&root).ok()?;
    RepoPath::new(&relative.to_str()?.replace('\\', "/")).ok().filter(|path| !path.as_str().is_empty())
}

impl BudgetArgs {
    /// The limits that were given.
    pub(crate) fn limits(&self) -> BudgetLimits {
        BudgetLimits {
            max_chars: self.max_chars,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            strategy: self.strategy.map(Into::into),
        }
    }

    /// The profiles that were given, or those of the configuration.
    pub(crate) fn profiles(&self, settings: &Settings) -> Result<Vec<String>, Failure> {
        let mut profiles =
            if self.profiles.is_empty() { settings.output.profiles.clone() } else { self.profiles.clone() };
        if let Some(unknown) = profiles.iter().find(|name| !settings.profiles.contains_key(*name)) {
            let known: Vec<String> = settings.profiles.keys().map(|name| format!("`{name}`")).collect();
            return Err(Failure::usage(format!("there is no profile `{unknown}`; there are {}", known.join(", "))));
        }
        let mut seen = std::collections::BTreeSet::new();
        profiles.retain(|name| seen.insert(name.clone()));
        Ok(profiles)
    }
}

/// This program, and the time of the build: `SOURCE_DATE_EPOCH` where it is set.
pub(crate) fn stamp() -> Result<Stamp, Failure> {
    let time = match std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) {
        None => SystemTime::now(),
        Some(seconds) => {
            // RFC 3339 has years of four digits.
            const LAST: u64 = 253_402_300_799;
            let seconds = seconds.to_str().and_then(|text| text.trim().parse().ok()).filter(|seconds| *seconds <= LAST);
            let seconds =
                seconds.ok_or_else(|| Failure::usage("`SOURCE_DATE_EPOCH` is no number of seconds since 1970"))?;
            SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
        }
    };
    Ok(Stamp::new(humantime::format_rfc3339_seconds(time).to_string()))
}

/// Every warning is an error.
pub(crate) fn strict(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        diagnostic.severity = Severity::Error;
    }
}
