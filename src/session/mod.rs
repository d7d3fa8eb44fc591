//! Builds of one repo, again and again: each costs what changed since the one before.
//!
//! [`Session::build`] is a build of all roots that remembers, in memory and in the cache, what it found
//! out. `build` and `check` of the program make one run each out of [`IncrementalBuild`] and [`PackWriter`];
//! whatever follows a repo while it changes keeps a session and calls it whenever something may have.

pub mod companion;
mod error;
mod incremental;
mod onlooker;
mod writing;

pub use error::SessionError;
pub use incremental::{BuildOrder, IncrementalBuild, UnchangedPack};
pub use onlooker::{BuildObserver, OnListed, OnWritten, WrittenPack};
pub use writing::{PackWriter, WriteOutcome, WriteStatus};

use crate::cache::{Cache, FreshnessPolicy, PackSummary, ScrubCache, SessionMemo};
use crate::config::{DenyList, RedactionSettings, Settings, load_knowing};
use crate::intake::{CacheUse, IntakeError, Options, Repo};
use crate::model::{Diagnostic, RepoPath, SourceTree, Untracked};
use crate::pipeline::{
    BudgetLimits, BuildCache, BuildJob, Built, NoCache, Planned, Project, RootError, Unsettled, levelled, unmatched,
};
use crate::redact::{Environment, Redactor, built_in_rules};
use crate::seal::Stamp;
use crate::store::{Access, CacheFolder, Folder, StoreError, sweep_state};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a repo is listed for one build, where whoever looks on asks for it.
const MOST_LISTINGS: usize = 8;

/// How often a build begins again because git changed files meanwhile.
pub const MOST_TRIES: usize = 8;

/// What a session builds.
#[derive(Debug, Clone, Default)]
pub struct SessionRequest {
    /// The repo's root.
    pub root: PathBuf,
    /// A configuration other than the one at the root.
    pub config: Option<PathBuf>,
    /// Roots as typed; none means those of the configuration.
    pub roots: Vec<String>,
    /// Names of profiles; none means those of the configuration.
    pub profiles: Vec<String>,
    /// Limits that replace those of the profiles.
    pub limits: BudgetLimits,
    /// A folder of packs other than the configuration's, absolute.
    pub out: Option<PathBuf>,
    /// How files count that git does not track.
    pub untracked: Untracked,
    /// Folders of the repo that are no inputs, besides the configuration's `output.dir`.
    pub never: Vec<RepoPath>,
    /// The user's folder for caches, where the key of the cache is; without it nothing is remembered on disk.
    pub caches: Option<PathBuf>,
    /// How long a file must have rested before its state stands for its text, where a session reads it again: two
    /// seconds. Less is for systems whose times tell any two changes apart.
    pub rest: Option<Duration>,
}

/// A repo that is built again and again.
pub struct Session {
    request: SessionRequest,
    environment: Environment,
    /// What earlier builds found out, and whether it is written down.
    cache: Option<(Cache, CacheUse)>,
    /// What is known of texts and files, with the configuration that it holds for.
    known: Option<(String, ScrubCache, SessionMemo)>,
    /// The repo as it was last listed, and the configuration's text then.
    listed: Option<(Option<String>, Repo)>,
    /// What was told of each pack after the last build.
    packs: BTreeMap<String, PackSummary>,
    /// Where the packs stand whose build was not written down yet.
    unsaved: Option<Folder>,
}

/// What a build of a session did.
#[derive(Debug, Default)]
pub struct Update {
    /// The packs that were written, and those that could not be built, by name.
    pub changes: Vec<PackUpdate>,
    /// Names of packs that the build before made and this one did not; their files are as they were. None where an
    /// input cannot be read, or something else leaves open which packs there should be.
    pub gone: Vec<String>,
    /// How many packs stayed as they were.
    pub unchanged: usize,
    /// What is wrong, sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// Roots as typed that stand for no one item now.
    pub unresolved: Vec<RootError>,
}

/// A pack before and after a build.
#[derive(Debug)]
pub struct PackUpdate {
    /// What was told of it before; nothing where this session saw none.
    pub before: Option<PackSummary>,
    /// What became of it, and why.
    pub now: WriteOutcome,
}

impl Session {
    /// A session that has built nothing yet. `environment` holds the secrets that no pack may contain.
    pub fn new(request: SessionRequest, environment: Environment) -> Self {
        Self { request, environment, cache: None, known: None, listed: None, packs: BTreeMap::new(), unsaved: None }
    }

    /// What was told of each pack after the last build, by file name; those that could not be built are not here.
    pub fn packs(&self) -> &BTreeMap<String, PackSummary> {
        &self.packs
    }

    /// Builds the roots as the repo is now, and writes the packs that changed.
    ///
    /// # Errors
    /// Where the configuration cannot be used, or the system refuses to read the repo or to write a pack.
    /// What was built before stands as it was, and the next call tries again.
    pub fn build(&mut self, stamp: Stamp) -> Result<Update, SessionError> {
        let update = self.build_before(stamp, &mut BuildObserver::default())?;
        self.save();
        Ok(update)
    }

    /// Whether the next build has to read every file: so far nothing was found changed, and nothing read.
    pub fn is_cold(&self) -> bool {
        self.known.is_none()
    }

    /// Writes down what the last build found out, for other processes, and gets ready for the next one.
    ///
    /// What cannot be written down is known to this session all the same.
    pub fn save(&mut self) {
        let Some(folder) = self.unsaved.take() else { return };
        if let Some((cache, _)) = &mut self.cache {
            if let Some(rested) = cache.with_settled_states(&folder, &companion::name) {
                cache.manifest = rested;
            }
            // A build of some roots is no use to others.
            if self.request.roots.is_empty() {
                let texts = self.known.as_ref().map(|(_, texts, _)| texts);
                let _ = cache.save(&cache.manifest, texts);
            }
        }
        self.known = self.known.take().map(|(text, texts, recent)| (text, texts.for_next_build(), recent));
    }

    /// Builds before an onlooker. What it finds out is known to this session, and for others once
    /// [`Session::save`] is called.
    ///
    /// # Errors
    /// As [`Session::build`].
    pub fn build_before(&mut self, stamp: Stamp, onlooker: &mut BuildObserver<'_>) -> Result<Update, SessionError> {
        for _ in 1..MOST_TRIES {
            match self.try_build(stamp.clone(), onlooker) {
                Err(SessionError::Unsettled(_)) => {}
                done => return done,
            }
        }
        self.try_build(stamp, onlooker)
    }

    fn try_build(&mut self, stamp: Stamp, onlooker: &mut BuildObserver<'_>) -> Result<Update, SessionError> {
        // Whatever fails from here on, what it stands for is not known any more.
        let listed = self.listed.take();
        let root = self.request.root.clone();
        let config = Repo::read_config(&root, self.request.config.as_deref())?;
        let (shown, text) = config.map_or(("contextpack.yml".to_owned(), None), |(shown, text)| (shown, Some(text)));
        let rules: Vec<&str> = built_in_rules().iter().map(|rule| rule.name).collect();
        let settings = load_knowing(&shown, text.as_deref(), &rules).map_err(|faults| self.unusable(faults))?;
        let deny = DenyList::new(&settings.redaction.deny_paths).map_err(|(_, why)| SessionError::Deny(why))?;
        let profiles = match &*self.request.profiles {
            [] => settings.output.profiles.clone(),
            given => given.to_vec(),
        };
        if let Some(unknown) = profiles.iter().find(|name| !settings.profiles.contains_key(*name)) {
            return Err(SessionError::Profile(unknown.clone()));
        }
        let folder = match &self.request.out {
            Some(out) => Folder::open_anywhere(out)?.staged_at(&root)?,
            None => Folder::open(&root, &settings.output.dir)?,
        };
        let mut never = self.request.never.clone();
        never.push(settings.output.dir.clone());
        let options = Options { deny: &deny, never: &never, snapshot: Some(&settings.github.snapshot) };
        let stands =
            |(_, repo): &(Option<String>, Repo)| onlooker.touched.as_ref().is_some_and(|paths| repo.stands(paths));
        let before = listed.filter(|(known, _)| *known == text).filter(stands);
        let before = before.map(|(_, mut repo)| Ok::<_, IntakeError>(repo.resume()?.then_some(repo))).transpose()?;
        let mut repo = before.flatten();
        let mut again = repo.is_none();
        let mut repo = match repo.take() {
            Some(repo) => repo,
            None => Repo::open(&root, options)?,
        };
        // Folders may come faster than they can be followed: then the next build finds the rest.
        for _ in 0..MOST_LISTINGS {
            if !onlooker.listed.as_mut().is_some_and(|listed| listed(&repo, &settings, again)) {
                break;
            }
            again = true;
            repo = Repo::open(&root, options)?;
        }
        // Between the two git may have brought another.
        if Repo::read_config(&root, self.request.config.as_deref())?.map(|(_, text)| text) != text {
            return Err(Unsettled.into());
        }
        self.use_cache(&repo, &folder);
        let roots = self.request.roots.clone();
        let order = BuildOrder {
            config: (&shown, text.as_deref()),
            roots: &roots,
            profiles: &profiles,
            limits: self.request.limits,
            untracked: self.request.untracked,
            out: self.request.out.clone(),
        };
        let stage = BuildStage {
            settings: &settings,
            deny: &deny,
            repo: &repo,
            folder: &folder,
            order,
            stamp,
            replaced: onlooker.replaced,
            expected: onlooker.expected,
        };
        let update = self.staged(&stage);
        repo.idle();
        let update = update?;
        self.listed = Some((text, repo));
        if !update.changes.is_empty() || !update.gone.is_empty() {
            self.unsaved = Some(folder);
        }
        Ok(update)
    }

    /// Opens the cache before the first build, and another one when git begins or ceases to track it.
    fn use_cache(&mut self, repo: &Repo, folder: &Folder) {
        let now = repo.cache_use();
        if self.cache.as_ref().is_some_and(|(_, known)| *known == now) {
            return;
        }
        sweep_state(&self.request.root, &Repo::is_tracked);
        folder.sweep(&Repo::is_tracked);
        let lasting = self.request.caches.as_deref().filter(|_| now == CacheUse::Free);
        let lasting = lasting.and_then(|caches| CacheFolder::open(&self.request.root, caches, Access::Write).ok()?);
        let cache = lasting.or_else(CacheFolder::in_memory);
        self.cache = cache.map(|cache| (Cache::new(cache, self.environment.digest(), &mut Vec::new()), now));
        // Its digests begin with another key.
        self.known = None;
    }

    /// What is wrong with a configuration may quote it, so it passes the door like any other text.
    fn unusable(&self, faults: Vec<Diagnostic>) -> SessionError {
        let door = Redactor::new(&RedactionSettings::default());
        let clean = |text: &str| self.environment.mask(&door.line(text));
        let cleaned = faults.into_iter().map(|fault| Diagnostic {
            message: clean(&fault.message),
            help: fault.help.as_deref().map(clean),
            ..fault
        });
        SessionError::Config(cleaned.collect())
    }

    fn staged(&mut self, stage: &BuildStage<'_>) -> Result<Update, SessionError> {
        let look = FreshnessPolicy { exclusive: false, renderings: stage.settings.output.markdown };
        // A failed build takes it back.
        let cache = self.cache.take();
        let incremental =
            cache.as_ref().map(|(cache, _)| IncrementalBuild::new(stage.repo, cache, stage.folder, &stage.order, look));
        if let Some(incremental) = incremental.as_ref().filter(|_| !stage.expected)
            && let Some((kept, diagnostics)) = incremental.fresh()
        {
            let packs: BTreeMap<String, PackSummary> = kept.into_iter().map(|kept| (kept.name, kept.made)).collect();
            let gone = gone(&self.packs, &packs);
            let update = Update { gone, unchanged: packs.len(), diagnostics, ..Update::default() };
            self.packs = packs;
            self.cache = cache;
            return Ok(update);
        }
        let text = stage.order.config.1.unwrap_or_default();
        let mut known = match self.known.take().filter(|(known, ..)| known == text) {
            Some((_, texts, recent)) => Some((texts, recent)),
            None => cache
                .as_ref()
                .map(|(cache, _)| (cache.texts(text, &mut Vec::new()), SessionMemo::new(self.request.rest))),
        };
        let built = self.built(stage, incremental.as_ref(), known.as_ref());
        if let Some((_, recent)) = &mut known {
            recent.evict_unused();
        }
        let manifest = built.as_ref().ok().and_then(|built| built.manifest.clone());
        drop(incremental);
        self.cache = cache.map(|(mut cache, known)| {
            if let Some(manifest) = manifest {
                cache.manifest = manifest;
            }
            (cache, known)
        });
        self.known = known.map(|(texts, recent)| (text.to_owned(), texts, recent));
        let SessionOutcome { written, diagnostics, unresolved, blocked, .. } = built?;
        let unchanged = written.iter().filter(|written| written.status == WriteStatus::Unchanged).count();
        let packs: BTreeMap<String, PackSummary> =
            written.iter().filter_map(|written| Some((written.name.clone(), written.made.clone()?))).collect();
        let failed = |name: &String| written.iter().any(|written| written.name == *name);
        let gone = gone(&self.packs, &packs).into_iter().filter(|name| !blocked && !failed(name)).collect();
        let mut before = std::mem::replace(&mut self.packs, packs);
        let changes = written.into_iter().filter(|written| written.status != WriteStatus::Unchanged);
        let changes = changes.map(|now| PackUpdate { before: before.remove(&now.name), now }).collect();
        Ok(Update { changes, gone, unchanged, diagnostics, unresolved })
    }

    fn built(
        &self,
        stage: &BuildStage<'_>,
        incremental: Option<&IncrementalBuild<'_>>,
        known: Option<&(ScrubCache, SessionMemo)>,
    ) -> Result<SessionOutcome, SessionError> {
        let (texts, recent) = known.map(|(texts, recent)| (texts, recent)).unzip();
        let trace = incremental.map(|incremental| incremental.trace(texts, recent));
        let source = trace.as_ref().map_or(stage.repo as &dyn SourceTree, |trace| trace);
        let memory = trace.as_ref().map_or(&NoCache as &dyn BuildCache, |trace| trace);
        let project = Project::open_with(
            source,
            stage.settings,
            stage.deny,
            self.environment.clone(),
            memory,
            stage.order.untracked,
        );
        let beside = project.roots();
        let (roots, unresolved) = match stage.order.roots {
            [] => (beside.clone(), Vec::new()),
            typed => found(&project, typed),
        };
        // A root may be in a file that cannot be read, which is said.
        let unresolved = if project.unread().is_empty() { unresolved } else { Vec::new() };
        let job = BuildJob {
            roots,
            beside,
            profiles: stage.order.profiles.to_vec(),
            limits: stage.order.limits,
            stamp: stage.stamp.clone(),
        };
        let done: Mutex<(Vec<WriteOutcome>, Vec<Diagnostic>)> = Mutex::default();
        let failed: Mutex<Option<StoreError>> = Mutex::default();
        let tell = |written: WriteOutcome, diagnostics: Vec<Diagnostic>| {
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.0.push(written);
            done.1.extend(diagnostics);
        };
        let beside = stage.settings.output.markdown;
        let replaced = stage.replaced;
        let writing = PackWriter { folder: stage.folder, beside, markdown: None, incremental, why: true, replaced };
        let known = |planned: &Planned| match incremental.and_then(|incremental| incremental.known(planned)) {
            Some(kept) => {
                tell(kept.into(), planned.diagnostics.clone());
                true
            }
            None => false,
        };
        let faults = project.build_unless(&job, &known, &|mut built: Built| {
            let mut diagnostics = std::mem::take(&mut built.diagnostics);
            diagnostics.extend(built.outcome.as_ref().err().map(|fault| fault.diagnostic.clone()));
            match writing.write(built) {
                Ok(written) => tell(written, diagnostics),
                Err(error) => drop(failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error)),
            }
        })?;
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error.into());
        }
        let (mut written, mut diagnostics) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        written.sort_by(|a, b| a.name.cmp(&b.name));
        let blocked = !faults.is_empty();
        let complete = !blocked && unresolved.is_empty() && written.iter().all(|written| written.made.is_some());
        diagnostics.extend(levelled(stage.repo.diagnostics().to_vec(), stage.settings));
        diagnostics.extend(levelled(unmatched(stage.settings, stage.repo), stage.settings));
        diagnostics.extend_from_slice(project.diagnostics());
        diagnostics.extend(faults);
        let mut diagnostics: Vec<Diagnostic> =
            diagnostics.into_iter().map(|diagnostic| project.told(diagnostic)).collect();
        diagnostics.sort();
        diagnostics.dedup();
        let manifest = incremental
            .zip(trace.as_ref())
            .map(|(incremental, trace)| incremental.manifest(trace, complete.then_some(&*diagnostics)));
        Ok(SessionOutcome { written, diagnostics, unresolved, blocked, manifest })
    }
}

/// All that one build works on.
struct BuildStage<'a> {
    settings: &'a Settings,
    deny: &'a DenyList,
    repo: &'a Repo,
    folder: &'a Folder,
    order: BuildOrder<'a>,
    stamp: Stamp,
    replaced: Option<OnWritten<'a>>,
    expected: bool,
}

/// What a build gave.
struct SessionOutcome {
    written: Vec<WriteOutcome>,
    diagnostics: Vec<Diagnostic>,
    unresolved: Vec<RootError>,
    blocked: bool,
    manifest: Option<crate::cache::Manifest>,
}

fn gone(before: &BTreeMap<String, PackSummary>, after: &BTreeMap<String, PackSummary>) -> Vec<String> {
    before.keys().filter(|name| !after.contains_key(*name)).cloned().collect()
}

/// The items that roots as typed stand for, each once, and those that stand for none.
fn found(project: &Project<'_>, typed: &[String]) -> (Vec<usize>, Vec<RootError>) {
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
