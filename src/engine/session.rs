//! Builds of one repo, again and again: each costs what changed since the one before.
//!
//! [`Session::build`] is a build of all roots that remembers, in memory and in the cache, what it found
//! out. `build` and `check` of the program make one run each out of [`IncrementalBuild`] and [`PackWriter`];
//! whatever follows a repo while it changes keeps a session and calls it whenever something may have.

use super::{
    BudgetLimits, BuildJob, BuildOrder, BuildReport, Configuration, EngineError, IncrementalBuild, PackWriter, Project,
    RootError, WriteOutcome, WriteReport, WriteStatus, companion, until_settled, write_packs,
};
use crate::cache::{BuildCache, Cache, FreshnessPolicy, NoCache, PackSummary, ScrubCache, SessionMemo};
use crate::config::Settings;
use crate::intake::{CacheUse, IntakeError, Repo, RepoOptions};
use crate::model::{Diagnostic, RepoPath, SourceTree, Untracked};
use crate::redact::Environment;
use crate::seal::Stamp;
use crate::store::{Access, CacheFolder, Folder, sweep_state};
use crate::wire::Pack;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How often a repo is listed for one build, where whoever looks on asks for it.
const MOST_LISTINGS: usize = 8;

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

/// Looks at a repo that was listed; the last is whether just now, rather than for an earlier build.
pub type OnListed<'a> = &'a mut dyn FnMut(&Repo, &Settings, bool) -> bool;

/// Looks at a pack that was written.
pub type OnWritten<'a> = &'a (dyn Fn(WrittenPack<'_>) + Sync);

/// What is called while a session builds.
#[derive(Default)]
pub struct BuildObserver<'a> {
    /// The repo was listed, and none of its texts was read yet. Says whether it is to be listed again, such as
    /// because something may have changed before it was looked at.
    pub listed: Option<OnListed<'a>>,
    /// A pack was written; from several threads.
    pub replaced: Option<OnWritten<'a>>,
    /// Something changed, most likely: then it is a loss to look first whether nothing did.
    pub expected: bool,
    /// The only paths to which anything can have happened since the last build, where they are known.
    pub touched: Option<Vec<PathBuf>>,
}

/// A pack that was written, and what its file held before.
#[derive(Debug, Clone, Copy)]
pub struct WrittenPack<'a> {
    /// The file's name.
    pub name: &'a str,
    /// The bytes that stood there, where there were any.
    pub before: Option<&'a [u8]>,
    /// The pack that stands there now.
    pub now: &'a Pack,
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
    pub fn build(&mut self, stamp: Stamp) -> Result<Update, EngineError> {
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
    pub fn build_before(&mut self, stamp: Stamp, onlooker: &mut BuildObserver<'_>) -> Result<Update, EngineError> {
        let is_unsettled = |error: &EngineError| matches!(error, EngineError::Unsettled(_));
        until_settled(is_unsettled, || self.try_build(stamp.clone(), onlooker))
    }

    fn try_build(&mut self, stamp: Stamp, onlooker: &mut BuildObserver<'_>) -> Result<Update, EngineError> {
        // Whatever fails from here on, what it stands for is not known any more.
        let listed = self.listed.take();
        let root = self.request.root.clone();
        let config = self.request.config.as_deref();
        let configuration = Configuration::read(&root, config, &self.environment)?;
        let (settings, text) = (&configuration.settings, &configuration.text);
        let profiles = configuration.profiles(&self.request.profiles)?;
        let folder = match &self.request.out {
            Some(out) => Folder::open_anywhere(out)?.staged_at(&root)?,
            None => Folder::open(&root, &settings.output.dir)?,
        };
        let mut never = self.request.never.clone();
        never.push(settings.output.dir.clone());
        let options =
            RepoOptions { deny: &configuration.deny, excluded: &never, snapshot: Some(&settings.github.snapshot) };
        let stands =
            |(_, repo): &(Option<String>, Repo)| onlooker.touched.as_ref().is_some_and(|paths| repo.is_current(paths));
        let before = listed.filter(|(known, _)| known == text).filter(stands);
        let before = before.map(|(_, mut repo)| Ok::<_, IntakeError>(repo.resume()?.then_some(repo))).transpose()?;
        let mut repo = before.flatten();
        let mut again = repo.is_none();
        let mut repo = match repo.take() {
            Some(repo) => repo,
            None => Repo::open(&root, options)?,
        };
        // Folders may come faster than they can be followed: then the next build finds the rest.
        for _ in 0..MOST_LISTINGS {
            if !onlooker.listed.as_mut().is_some_and(|listed| listed(&repo, settings, again)) {
                break;
            }
            again = true;
            repo = Repo::open(&root, options)?;
        }
        configuration.confirm(&root, config)?;
        self.use_cache(&repo, &folder);
        let roots = self.request.roots.clone();
        let order = BuildOrder {
            roots: &roots,
            profiles: &profiles,
            limits: self.request.limits,
            untracked: self.request.untracked,
            out: self.request.out.clone(),
        };
        let stage = BuildStage {
            configuration: &configuration,
            repo: &repo,
            folder: &folder,
            order,
            stamp,
            replaced: onlooker.replaced,
            expected: onlooker.expected,
        };
        let update = self.staged(&stage);
        repo.close_folders();
        let update = update?;
        self.listed = Some((configuration.text, repo));
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

    fn staged(&mut self, stage: &BuildStage<'_>) -> Result<Update, EngineError> {
        let look = FreshnessPolicy { exclusive: false, renderings: stage.configuration.settings.output.markdown };
        // A failed build takes it back.
        let cache = self.cache.take();
        let incremental = cache.as_ref().map(|(cache, _)| {
            IncrementalBuild::new(stage.repo, cache, stage.folder, stage.configuration, &stage.order, look)
        });
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
        let text = stage.configuration.text.as_deref().unwrap_or_default();
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
    ) -> Result<SessionOutcome, EngineError> {
        let (texts, recent) = known.map(|(texts, recent)| (texts, recent)).unzip();
        let trace = incremental.map(|incremental| incremental.trace(texts, recent));
        let source = trace.as_ref().map_or(stage.repo as &dyn SourceTree, |trace| trace);
        let memory = trace.as_ref().map_or(&NoCache as &dyn BuildCache, |trace| trace);
        let Configuration { settings, deny, .. } = stage.configuration;
        let project =
            Project::open_with(source, settings, deny, self.environment.clone(), memory, stage.order.untracked);
        let beside = project.roots();
        let (roots, unresolved) = match stage.order.roots {
            [] => (beside.clone(), Vec::new()),
            typed => found(&project, typed),
        };
        // A root may be in a file that cannot be read, which is said.
        let unresolved = if project.unread().is_empty() { unresolved } else { Vec::new() };
        let job = BuildJob {
            roots,
            others: beside,
            profiles: stage.order.profiles.to_vec(),
            limits: stage.order.limits,
            stamp: stage.stamp.clone(),
        };
        let writer = PackWriter {
            folder: stage.folder,
            beside: settings.output.markdown,
            markdown: None,
            incremental,
            why: true,
            replaced: stage.replaced,
        };
        let WriteReport { packs: written, build, refused } = write_packs(stage.repo, &project, &job, &writer, &|| ())?;
        if let Some(error) = refused {
            return Err(error.into());
        }
        let BuildReport { diagnostics, blocked } = build;
        let complete = !blocked && unresolved.is_empty() && written.iter().all(|written| written.made.is_some());
        let manifest = incremental
            .zip(trace.as_ref())
            .map(|(incremental, trace)| incremental.manifest(trace, complete.then_some(&*diagnostics)));
        Ok(SessionOutcome { written, diagnostics, unresolved, blocked, manifest })
    }
}

/// All that one build works on.
struct BuildStage<'a> {
    configuration: &'a Configuration,
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
