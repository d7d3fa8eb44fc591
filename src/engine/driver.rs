//! The one driver of builds that write: reads a repository, builds what was ordered, writes the packs that changed, and
//! reuses those that an earlier build wrote and that are still current.

use super::agents::{CommitLogResult, history};
use super::observer::OnWritten;
use super::pack_state::{PackState, orphans};
use super::repository::distinct;
use super::{
    BudgetLimits, BuildJob, BuildObserver, BuildReport, Built, Configuration, EngineError, Planned, Project,
    Repository, RootError, Skip, Unsettled, WrittenPack, build_packs, markdown_copy,
};
use crate::cache::{
    Cache, CachedPack, CompletedBuild, FailedPack, FileFingerprint, FreshnessPolicy, Manifest, PackSummary,
};
use crate::config::Policy;
use crate::model::{Code, Digest, Shard, SourceTree as _, Untracked};
use crate::render;
use crate::review::{PackStatus, UNEXPLAINED};
use crate::seal::{Sealed, Stamp};
use crate::store::{Folder, StoreError, WriteResult, hide_state};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
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
    /// A folder of packs other than the configuration's, absolute. It is no input.
    pub out: Option<PathBuf>,
    /// The agent that the packs are for. They are kept in memory, unless `out` names a folder.
    pub agent: Option<AgentRequest>,
    /// How files count that git does not track.
    pub untracked: Untracked,
    /// The user's folder for caches, which holds the key of the cache; without it nothing is cached on disk.
    pub caches: Option<PathBuf>,
    /// How old a file's last change must be for its metadata to identify its content; two seconds if `None`. Less is
    /// safe on systems whose timestamps differ between any two changes.
    pub rest: Option<Duration>,
}

/// The agent that packs are for.
#[derive(Debug, Clone)]
pub struct AgentRequest {
    /// Its key, the stem of its file, or its name.
    pub name: String,
    /// How much its packs hold; `None` for what its file or the configuration says.
    pub policy: Option<Policy>,
    /// Whether the packs of all roots are built besides the start of a session, if no root is typed.
    pub all_roots: bool,
}

pub struct BuildOrder<'a> {
    /// The roots, profiles and limits, and whom the packs are for.
    pub what: &'a SessionRequest,
    pub folder: &'a Folder,
    /// A further folder for Markdown renderings. All packs are built for it.
    pub markdown: Option<&'a Folder>,
    /// Whether typed roots that are not found are left out rather than an error.
    pub skips_unknown_roots: bool,
    pub shard: Option<Shard>,
    pub stamp: Stamp,
    /// Whether packs that no root and profile produces are removed, and Markdown copies that the configuration does not want.
    pub prune: bool,
    /// Whether to find the reasons why a pack changed, which costs more than building it.
    pub explain: bool,
}

#[derive(Debug, Default)]
pub struct BuildResult {
    pub packs: Vec<PackState>,
    /// The diagnostics, and whether it is known which packs belong in the folder.
    pub report: BuildReport,
    pub unresolved: Vec<RootError>,
    pub refused: Option<StoreError>,
    /// What the cache is to hold about the packs; `None` if nothing changed or nothing is cached.
    pub manifest: Option<Manifest>,
    /// Whether no input and no pack changed since the last build, so that nothing was read.
    pub is_fresh: bool,
}

impl Repository {
    pub(crate) fn build(
        &self,
        order: &BuildOrder<'_>,
        observer: &mut BuildObserver<'_>,
    ) -> Result<BuildResult, EngineError> {
        let history = order.what.agent.as_ref().map(|_| history(self.root(), self.settings()));
        let writer = PackWriter::new(self, order, history.as_ref(), observer.on_written)?;
        if let Some(fresh) = Some(&writer).filter(|_| !observer.change_expected).and_then(PackWriter::fresh) {
            return Ok(fresh);
        }
        let project = self.read(true);
        let (mut job, unresolved) = self.ordered_job(&project, order, history.as_ref())?;
        if let Some(on_read) = &mut observer.on_read {
            on_read(&project, &job.roots);
        }
        job.roots.retain(|root| order.shard.is_none_or(|shard| shard.holds(&project.item(*root).id)));
        let SessionRequest { out, agent, .. } = order.what;
        if out.is_none() && agent.is_none() && !job.roots.is_empty() && !self.settings().commits_packs() {
            hide_state(self.root())?;
        }
        let count = job.roots.len() * job.profiles.len();
        let on_built = observer.on_built;
        let counted = |written: WriteOutcome| {
            on_built.iter().for_each(|on_built| on_built(count));
            written
        };
        let reused = |plan: &Planned| writer.reused(plan).map(Ok).map(counted);
        let skip = writer.cache.map(|_| &reused as &Skip<'_, _>);
        let write = |built: Built| counted(writer.write(&project, built));
        let (written, report) = build_packs(self.files(), &project, &job, skip, &write)?;
        let mut result = BuildResult { report, unresolved, ..BuildResult::default() };
        let mut cached = BTreeMap::new();
        for written in written {
            match written {
                Ok((state, pack)) => {
                    cached.extend(pack.map(|pack| (state.name.clone(), pack)));
                    result.packs.push(state);
                }
                Err(error) => drop(result.refused.get_or_insert(error)),
            }
        }
        if result.refused.is_none() {
            result.manifest = writer.manifest(&project, &result, cached);
            if order.prune {
                writer.prune(&project, &mut result)?;
            }
        }
        result.packs.sort();
        Ok(result)
    }

    /// Returns what is to be built, in all shards, and the typed roots that are not found.
    fn ordered_job(
        &self,
        project: &Project<'_>,
        order: &BuildOrder<'_>,
        history: Option<&CommitLogResult>,
    ) -> Result<(BuildJob, Vec<RootError>), EngineError> {
        let SessionRequest { roots: typed, profiles, limits, agent: asked, .. } = order.what;
        let agent = asked.as_ref().zip(history).map(|(request, history)| {
            let found = project.agent_context(&request.name, request.policy, None, Some(history));
            // Git may be about to put the agent's file back.
            found.map_err(|error| if self.files().is_settled() { error } else { Unsettled.into() })
        });
        let agent = agent.transpose()?;
        let (profiles, limits) = self.with_defaults(project, agent.as_ref(), profiles, *limits)?;
        let mut unresolved = Vec::new();
        let roots = match &**typed {
            [] if asked.as_ref().is_some_and(|agent| !agent.all_roots) => Vec::new(),
            [] => project.roots(),
            typed if order.skips_unknown_roots => {
                let found = typed.iter().map(|root| project.find(root));
                distinct(found.filter_map(|found| found.map_err(|error| unresolved.push(error)).ok()))
            }
            typed => self.find_roots(project, typed)?,
        };
        // A root may be in a file that cannot be read, which has a diagnostic of its own.
        if !project.unread().is_empty() {
            unresolved.clear();
        }
        let job = BuildJob {
            session_start: agent.is_some() && typed.is_empty(),
            // A root that is not found may be in any file that cannot be read.
            are_named: !typed.is_empty() && unresolved.is_empty(),
            agent,
            ..self.job(project, roots, (&profiles, limits), order.stamp.clone())?
        };
        Ok((job, unresolved))
    }

    /// Writes what a build of all roots found out about the packs in `folder` to the cache, for the next process.
    pub(crate) fn save(&self, built: &BuildResult, folder: &Folder) {
        self.write_cache(|cache| match &built.manifest {
            _ if built.is_fresh => cache.save_settled(folder, self.files()),
            Some(manifest) => cache.save(manifest),
            None => Ok(()),
        });
    }
}

/// Writes the packs of one build, and records them for the cache.
struct PackWriter<'a> {
    repository: &'a Repository,
    order: &'a BuildOrder<'a>,
    on_written: Option<OnWritten<'a>>,
    /// Whether each pack has its rendering beside it, which packs for an agent have not, and whether others are removed.
    policy: FreshnessPolicy,
    /// The cache of earlier builds, unless all packs are built.
    cache: Option<&'a Cache>,
    /// The digests of what was ordered and of the configuration.
    job: Digest,
    config: Digest,
}

/// The state of a pack with what the cache is to hold about it.
type WriteOutcome = Result<(PackState, Option<CachedPack>), StoreError>;

impl<'a> PackWriter<'a> {
    fn new(
        repository: &'a Repository,
        order: &'a BuildOrder<'a>,
        history: Option<&CommitLogResult>,
        on_written: Option<OnWritten<'a>>,
    ) -> Result<Self, EngineError> {
        let cache = repository.cache().filter(|_| order.markdown.is_none());
        let base = cache.map(Cache::base_digester).unwrap_or_default();
        let Configuration { name, text, .. } = &repository.configuration;
        let config = base.clone().part(format!("{text:?}")).digest();
        let SessionRequest { roots, profiles, limits, out, agent, .. } = order.what;
        let profiles = repository.configuration.profiles(profiles)?;
        let what = (name, profiles, limits, out, roots, repository.untracked, agent, history);
        let job = base.part(config.bytes()).part(format!("{what:?}")).digest();
        let renderings = repository.settings().output.markdown && agent.is_none();
        let policy = FreshnessPolicy { exclusive: order.prune, renderings };
        Ok(Self { repository, order, on_written, policy, cache, job, config })
    }

    /// Returns the result of the last build of the same order, if no input and no pack changed since.
    fn fresh(&self) -> Option<BuildResult> {
        let (cache, files) = (self.cache?, self.repository.files());
        let run = cache.fresh(&self.job, files, files.diagnostics(), self.order.folder, self.policy)?;
        let packs = run.names.iter().filter_map(|name| Some(unchanged(name, cache.manifest.packs.get(name)?)));
        let failed = run.failed.iter().cloned().map(|FailedPack { name, root, profile, reasons, kept: _ }| {
            let (status, summary, files) = (PackStatus::Failed, None, Vec::new());
            PackState { name, root, profile, status, reasons, summary, files }
        });
        let report = BuildReport { diagnostics: cache.manifest.diagnostics.clone(), blocked: false };
        let mut packs: Vec<PackState> = packs.chain(failed).collect();
        packs.sort();
        Some(BuildResult { packs, report, is_fresh: true, ..BuildResult::default() })
    }

    /// Returns the state of a pack whose fingerprint is the cached one and whose file is untouched.
    fn reused(&self, plan: &Planned) -> Option<(PackState, Option<CachedPack>)> {
        let pack = plan.cached(self.cache?, self.order.folder, self.policy)?;
        Some((unchanged(&plan.name, pack), Some(pack.clone())))
    }

    /// Writes a pack and its markdown_copy, unless only the stamp would change. After an error the old files are untouched.
    fn write(&self, project: &Project<'_>, built: Built) -> WriteOutcome {
        let Built { plan, outcome } = built;
        let (folder, name) = (self.order.folder, &plan.name);
        let existing = folder.read(name)?;
        let sealed = match outcome {
            Ok(sealed) => sealed,
            Err(error) => {
                let kept = existing.map(|_| "the old pack was kept".to_owned());
                let reasons = [project.masked(&error.message)].into_iter().chain(kept).collect();
                return Ok((PackState::new(&plan, PackStatus::Failed, reasons), None));
            }
        };
        let mut files = Vec::new();
        let is_unchanged = existing.as_deref().is_some_and(|existing| sealed.is_unchanged(existing));
        let mut reasons = if is_unchanged { Vec::new() } else { self.reasons(project, existing.as_deref(), &sealed) };
        if !is_unchanged && folder.write(name, sealed.bytes())? == WriteResult::Written {
            files.push(name.clone());
            if let Some(on_written) = self.on_written {
                on_written(WrittenPack { name, before: existing.as_deref(), now: sealed.pack() });
            }
        }
        let needed = self.policy.renderings || self.order.markdown.is_some();
        let rendering = needed.then(|| render::pack(sealed.pack()).whole());
        if let Some((folder, rendering)) = self.order.markdown.zip(rendering.as_ref()) {
            markdown_copy::write(folder, name, rendering)?;
        }
        let rendering = rendering.filter(|_| self.policy.renderings);
        if let Some(rendering) = &rendering
            && let Some((_, reason)) = markdown_copy::fault(folder, name, rendering)?
        {
            markdown_copy::write(folder, name, rendering)?;
            files.push(markdown_copy::name(name));
            if reasons.is_empty() {
                reasons.push(reason);
            }
        }
        let status = if files.is_empty() { PackStatus::Unchanged } else { PackStatus::Written };
        let summary = PackSummary::from(sealed.pack());
        let state = PackState { summary: Some(summary.clone()), files, ..PackState::new(&plan, status, reasons) };
        let cached = plan.fingerprint.map(|fingerprint| {
            let bytes = existing.as_deref().filter(|_| is_unchanged).unwrap_or(sealed.bytes());
            let (root, profile) = (state.root.clone(), state.profile.clone());
            let (file, rendering) = (FileFingerprint::new(bytes), rendering.map(FileFingerprint::new));
            CachedPack { root, profile, fingerprint, file, rendering, summary }
        });
        Ok((state, cached))
    }

    fn reasons(&self, project: &Project<'_>, existing: Option<&[u8]>, sealed: &Sealed) -> Vec<String> {
        let Some(existing) = existing else { return vec!["new".to_owned()] };
        if !self.order.explain {
            return Vec::new();
        }
        let run = self.cache.and_then(|cache| cache.manifest.run.as_ref());
        // Only the cache knows whether the configuration changed.
        let has_changed = run.is_some_and(|run| run.config != self.config);
        let explained = |reason: String| match has_changed && reason == UNEXPLAINED {
            true => "the configuration changed".to_owned(),
            false => reason,
        };
        let (_, reasons) = project.compare(existing, sealed);
        reasons.into_iter().map(explained).collect()
    }

    /// Returns the manifest of this build's packs; after an incomplete build the next one cannot skip anything as a whole.
    fn manifest(
        &self,
        project: &Project<'_>,
        result: &BuildResult,
        packs: BTreeMap<String, CachedPack>,
    ) -> Option<Manifest> {
        let cache = self.cache?;
        let BuildResult { packs: states, report, unresolved, .. } = result;
        let failed: Vec<&PackState> = states.iter().filter(|state| state.summary.is_none()).collect();
        // Why a pack fails can be in packs of the configured folder, which are all compared if it is this one.
        let is_known = failed.is_empty() || self.policy.exclusive && self.order.what.out.is_none();
        let is_complete = !states.is_empty() && is_known && !report.blocked && unresolved.is_empty();
        let record = || {
            let failed = failed.iter().map(|PackState { name, root, profile, reasons, .. }| {
                let kept = self.order.folder.read(name).ok()?.map(FileFingerprint::new);
                let (name, root, profile) = (name.clone(), root.clone(), profile.clone());
                Some(FailedPack { name, root, profile, reasons: reasons.clone(), kept })
            });
            let names = (packs.keys().cloned().collect(), failed.collect::<Option<_>>()?);
            let listed = self.repository.files().diagnostics();
            CompletedBuild::new(cache, [self.job, self.config], &project.reader.inputs, listed, names)
        };
        let run = if is_complete { record() } else { None };
        Some(Manifest { environment: None, packs, diagnostics: report.diagnostics.clone(), run })
    }

    /// Removes packs whose root or profile is gone, unless unverifiable, and Markdown copies that the configuration does not want.
    fn prune(&self, project: &Project<'_>, result: &mut BuildResult) -> Result<(), EngineError> {
        let BuildResult { packs, report, .. } = result;
        // A build that gives no packs at all is more likely a mistyped glob than a reason to remove all.
        // An item whose front matter is damaged may have lost its id for the moment.
        let is_damaged = report.diagnostics.iter().any(|fault| fault.code == Code::InvalidFrontMatter);
        if report.blocked || packs.is_empty() || is_damaged {
            return Ok(());
        }
        let (folder, repository) = (self.order.folder, self.repository);
        let names: BTreeSet<&str> = packs.iter().map(|pack| pack.name.as_str()).collect();
        let orphans = orphans(folder, &names, &report.diagnostics, project, repository.root())?;
        // A pack that git added meanwhile may belong to an item that this build has not seen.
        if repository.files().is_settled() {
            for orphan in orphans.into_iter().filter(|orphan| orphan.unverifiable.is_none()) {
                packs.extend(orphan.remove(folder)?);
            }
        }
        if self.policy.renderings || self.order.markdown.is_some() {
            return Ok(());
        }
        let copies = folder.ending(".md")?;
        let has_copy = |pack: &PackState| copies.binary_search(&markdown_copy::name(&pack.name)).is_ok();
        for pack in packs.iter_mut().filter(|pack| pack.status != PackStatus::Removed && has_copy(pack)) {
            if markdown_copy::remove(folder, &pack.name)? {
                pack.files.push(markdown_copy::name(&pack.name));
                pack.reasons.push("`output.markdown` is off".to_owned());
                if pack.status == PackStatus::Unchanged {
                    pack.status = PackStatus::Written;
                }
            }
        }
        Ok(())
    }
}

impl Planned {
    /// Returns the facts about the pack if its fingerprint is the cached one and its files are as they were written.
    pub(super) fn cached<'c>(
        &self,
        cache: &'c Cache,
        folder: &Folder,
        policy: FreshnessPolicy,
    ) -> Option<&'c CachedPack> {
        let pack = cache.manifest.packs.get(&self.name)?;
        let is_same = self.fingerprint == Some(pack.fingerprint) && pack.is_unchanged(folder, &self.name, policy);
        is_same.then_some(pack)
    }
}

fn unchanged(name: &str, pack: &CachedPack) -> PackState {
    let CachedPack { root, profile, summary, .. } = pack.clone();
    let (name, summary) = (name.to_owned(), Some(summary));
    PackState { name, root, profile, status: PackStatus::Unchanged, reasons: Vec::new(), summary, files: Vec::new() }
}
