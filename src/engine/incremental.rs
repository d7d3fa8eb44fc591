//! What one build or check can leave, because an earlier build did it.

use super::{BudgetLimits, Planned};
use super::{Configuration, companion};
use crate::cache::{
    Cache, CachedPack, CompletedBuild, FileFingerprint, FreshnessPolicy, Manifest, PackSummary, ScrubCache,
    SessionMemo, TracedTree,
};
use crate::intake::Repo;
use crate::model::{Diagnostic, Digest, Untracked};
use crate::review::UNEXPLAINED;
use crate::store::{Folder, StoreError};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// What is built, as far as it decides what packs hold.
#[derive(Debug, Clone)]
pub struct BuildOrder<'a> {
    /// Roots as typed; none means those of the configuration.
    pub roots: &'a [String],
    /// Names of profiles.
    pub profiles: &'a [String],
    /// Limits that replace those of the profiles.
    pub limits: BudgetLimits,
    /// How files count that git does not track.
    pub untracked: Untracked,
    /// A folder of packs other than the configuration's, absolute.
    pub out: Option<PathBuf>,
}

/// One run with what the cache knows.
#[derive(Debug)]
pub struct IncrementalBuild<'a> {
    repo: &'a Repo,
    cache: &'a Cache,
    folder: &'a Folder,
    look: FreshnessPolicy,
    job: Digest,
    config: Digest,
    packs: Mutex<BTreeMap<String, CachedPack>>,
}

/// A pack whose bytes stand in its file.
#[derive(Debug, Clone)]
pub struct UnchangedPack {
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// What is told of it.
    pub made: PackSummary,
}

impl<'a> IncrementalBuild<'a> {
    /// A run of `order` on `repo`, whose packs stand in `folder`.
    pub fn new(
        repo: &'a Repo,
        cache: &'a Cache,
        folder: &'a Folder,
        configuration: &Configuration,
        order: &BuildOrder<'_>,
        look: FreshnessPolicy,
    ) -> Self {
        let (name, text) = (&configuration.name, configuration.text.as_deref());
        let config = cache.base_digester().part([u8::from(text.is_some())]).part(text.unwrap_or_default()).digest();
        let job = order
            .profiles
            .iter()
            .fold(cache.base_digester().part(name).part(config.bytes()), |job, profile| job.part(profile));
        let job =
            job.part(format!("{:?} {:?} {:?} {:?}", order.limits, order.out, order.roots, order.untracked)).digest();
        Self { repo, cache, folder, look, job, config, packs: Mutex::default() }
    }

    /// The source of the build, which takes down what is read, and its memory.
    pub fn trace<'t>(&self, texts: Option<&'t ScrubCache>, recent: Option<&'t SessionMemo>) -> TracedTree<'t, Repo>
    where
        'a: 't,
    {
        TracedTree::new(self.repo, self.cache.base_digester(), texts, recent)
    }

    /// What a build of all roots would give, where nothing changed since the last one: its packs, by name,
    /// and what was told.
    pub fn fresh(&self) -> Option<(Vec<UnchangedPack>, Vec<Diagnostic>)> {
        let run = self.cache.fresh(
            &self.job,
            self.repo,
            self.repo.diagnostics(),
            self.folder,
            &companion::name,
            self.look,
        )?;
        let kept = run.names.iter().filter_map(|name| Some(kept(name, self.cache.manifest.packs.get(name)?)));
        Some((kept.collect(), run.diagnostics()))
    }

    /// A pack that need not be built: what decides how it is built is the same, and its file still holds it.
    pub fn known(&self, planned: &Planned) -> Option<UnchangedPack> {
        let pack = self.cache.manifest.packs.get(&planned.name)?;
        let same = pack.fingerprint == planned.fingerprint;
        if !same || !pack.is_unchanged(self.folder, &planned.name, &companion::name(&planned.name), self.look) {
            return None;
        }
        self.packs.lock().unwrap_or_else(PoisonError::into_inner).insert(planned.name.clone(), pack.clone());
        Some(kept(&planned.name, pack))
    }

    /// Remembers a pack whose file holds `bytes` now, and the one beside it this `rendering`, where it is kept.
    pub fn built(&self, kept: &UnchangedPack, fingerprint: Digest, bytes: &[u8], rendering: Option<&str>) {
        let pack = CachedPack {
            root: kept.root.clone(),
            profile: kept.profile.clone(),
            fingerprint,
            file: FileFingerprint::new(bytes),
            rendering: rendering.map(FileFingerprint::new),
            summary: kept.made.clone(),
        };
        self.packs.lock().unwrap_or_else(PoisonError::into_inner).insert(kept.name.clone(), pack);
    }

    /// Why a pack is stale, with what the last run knew besides the pack itself.
    pub fn explained(&self, mut reasons: Vec<String>) -> Vec<String> {
        let other = || self.cache.manifest.run.as_ref().is_some_and(|run| run.config != self.config);
        for reason in reasons.iter_mut().filter(|reason| *reason == UNEXPLAINED) {
            if other() {
                *reason = "the configuration changed".to_owned();
            }
        }
        reasons
    }

    /// What is to be remembered of this run: all its packs, and where every one of them was built, what was `told`.
    pub fn manifest(&self, trace: &TracedTree<'_, Repo>, told: Option<&[Diagnostic]>) -> Manifest {
        let packs = std::mem::take(&mut *self.packs.lock().unwrap_or_else(PoisonError::into_inner));
        let run = told.and_then(|told| {
            let names = packs.keys().cloned().collect();
            CompletedBuild::new(self.cache, [self.job, self.config], trace, self.repo.diagnostics(), names, told)
        });
        Manifest::new(packs, run)
    }

    /// Writes down what this run found out.
    ///
    /// # Errors
    /// Where the system refuses; the next run then finds it out again.
    pub fn save(&self, manifest: &Manifest, texts: Option<&ScrubCache>) -> Result<(), StoreError> {
        self.cache.save(manifest, texts)
    }

    /// Writes down what a look at the files found out where nothing changed.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn rest(&self) -> Result<(), StoreError> {
        self.cache.save_settled(self.folder, &companion::name)
    }
}

fn kept(name: &str, pack: &CachedPack) -> UnchangedPack {
    let (root, profile) = (pack.root.clone(), pack.profile.clone());
    UnchangedPack { root, profile, name: name.to_owned(), made: pack.summary.clone() }
}
