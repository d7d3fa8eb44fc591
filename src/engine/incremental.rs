//! Reuse of packs that an earlier build wrote and that are still current.

use super::agents::History;
use super::{AgentRequest, BudgetLimits, Planned, Project, Repository, WriteOutcome};
use crate::cache::{Cache, CachedPack, CompletedBuild, FreshnessPolicy, Manifest, TextCache};
use crate::model::{Diagnostic, Digest, Untracked};
use crate::review::UNEXPLAINED;
use crate::store::{Folder, StoreError};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The options of a build that decide what its packs hold.
#[derive(Debug, Clone)]
pub struct BuildOrder<'a> {
    /// Typed roots; if empty, those of the configuration.
    pub roots: &'a [String],
    /// Names of profiles.
    pub profiles: &'a [String],
    /// Limits that replace those of the profiles.
    pub limits: BudgetLimits,
    /// Whether files that git does not track are trusted.
    pub untracked: Untracked,
    /// A folder of packs other than the configuration's, absolute.
    pub out: Option<PathBuf>,
    /// The agent that the packs are for, and the history that they show, which no file of the source tree holds.
    pub(super) agent: Option<(AgentRequest, History)>,
}

impl<'a> BuildOrder<'a> {
    /// Asks for the packs of all roots, for no agent.
    pub fn all(profiles: &'a [String], limits: BudgetLimits, untracked: Untracked, out: Option<PathBuf>) -> Self {
        Self { roots: &[], profiles, limits, untracked, out, agent: None }
    }
}

/// One build that reuses cached packs, and records the new ones.
pub struct IncrementalBuild<'a> {
    repository: &'a Repository,
    cache: &'a Cache,
    folder: &'a Folder,
    freshness: FreshnessPolicy,
    job: Digest,
    config: Digest,
    packs: Mutex<BTreeMap<String, CachedPack>>,
}

impl<'a> IncrementalBuild<'a> {
    /// Prepares a build of `order`, whose packs are in `folder`; `None` without a cache.
    pub(super) fn new(
        repository: &'a Repository,
        folder: &'a Folder,
        order: &BuildOrder<'_>,
        freshness: FreshnessPolicy,
    ) -> Option<Self> {
        let cache = repository.cache.as_ref()?;
        let configuration = &repository.configuration;
        let (name, text) = (&configuration.name, configuration.text.as_deref());
        let config = cache.base_digester().part([u8::from(text.is_some())]).part(text.unwrap_or_default()).digest();
        let job = order
            .profiles
            .iter()
            .fold(cache.base_digester().part(name).part(config.bytes()), |job, profile| job.part(profile));
        let mut job = job.part(format!("{:?} {:?} {:?} {:?}", order.limits, order.out, order.roots, order.untracked));
        if let Some(agent) = &order.agent {
            job = job.part(format!("{agent:?}"));
        }
        let job = job.digest();
        Some(Self { repository, cache, folder, freshness, job, config, packs: Mutex::default() })
    }

    /// Returns the packs of the last build of all roots, by name, and its diagnostics, if no input changed since.
    pub fn fresh(&self) -> Option<(Vec<WriteOutcome>, Vec<Diagnostic>)> {
        let files = self.repository.files();
        let run = self.cache.fresh(&self.job, files, files.diagnostics(), self.folder, self.freshness)?;
        let packs = run
            .names
            .iter()
            .filter_map(|name| Some(WriteOutcome::unchanged(name, self.cache.manifest.packs.get(name)?)));
        Some((packs.collect(), run.diagnostics.clone()))
    }

    /// Returns the outcome for `planned` if its fingerprint is the cached one and its file is untouched.
    pub fn unchanged_pack(&self, planned: &Planned) -> Option<WriteOutcome> {
        let pack = self.cache.manifest.packs.get(&planned.name)?;
        let same = planned.fingerprint == Some(pack.fingerprint);
        if !same || !pack.is_unchanged(self.folder, &planned.name, self.freshness) {
            return None;
        }
        self.record(&planned.name, pack.clone());
        Some(WriteOutcome::unchanged(&planned.name, pack))
    }

    /// Records a pack that was written, or whose file already had its content.
    pub fn record(&self, name: &str, pack: CachedPack) {
        self.packs.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), pack);
    }

    /// Completes the reasons why a pack is stale with what only the cache knows: a changed configuration.
    pub fn explain(&self, mut reasons: Vec<String>) -> Vec<String> {
        let config_changed = || self.cache.manifest.run.as_ref().is_some_and(|run| run.config != self.config);
        for reason in reasons.iter_mut().filter(|reason| *reason == UNEXPLAINED) {
            if config_changed() {
                *reason = "the configuration changed".to_owned();
            }
        }
        reasons
    }

    /// Returns the manifest of this build's packs. `diagnostics` are those of a complete build; without them the next
    /// build cannot skip anything as a whole.
    pub fn manifest(&self, project: &Project<'_>, diagnostics: Option<&[Diagnostic]>) -> Manifest {
        let packs = std::mem::take(&mut *self.packs.lock().unwrap_or_else(PoisonError::into_inner));
        let run = diagnostics.and_then(|diagnostics| {
            let (names, files) = (packs.keys().cloned().collect(), self.repository.files());
            CompletedBuild::new(
                self.cache,
                [self.job, self.config],
                project.inputs(),
                files.diagnostics(),
                names,
                diagnostics,
            )
        });
        Manifest::new(packs, run)
    }

    /// Writes the manifest and the cached texts to disk.
    ///
    /// # Errors
    /// If a file cannot be written; the next build then does the work again.
    pub fn save(&self, manifest: &Manifest, texts: Option<&TextCache>) -> Result<(), StoreError> {
        self.cache.save(manifest, texts)
    }

    /// Writes the file states of an unchanged build to disk, so that the next build need not read those files.
    pub fn save_states(&self) -> Result<(), StoreError> {
        self.cache.save_settled(self.folder)
    }
}
