//! What a build or a check can leave, because an earlier build did it.

use super::args::{Building, Global};
use super::failure::Failure;
use super::packs::Run;
use super::workspace::{Workspace, strict, told};
use contextpack::cache::{Cache, KnownPack, Look, Made, Manifest, Trace};
use contextpack::intake::Repo;
use contextpack::model::Digest;
use contextpack::pipeline::Planned;
use contextpack::store::Folder;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// One run as its cache sees it.
pub(crate) struct Incremental<'a> {
    workspace: &'a Workspace,
    cache: &'a Cache,
    folder: &'a Folder,
    job: Digest,
    look: Look,
    packs: Mutex<BTreeMap<String, KnownPack>>,
}

/// A pack that need not be built.
pub(crate) struct Kept {
    pub(crate) root: String,
    pub(crate) profile: String,
    pub(crate) name: String,
    pub(crate) made: Made,
}

impl<'a> Incremental<'a> {
    /// Nothing where there is no cache to use.
    pub(crate) fn new(
        workspace: &'a Workspace,
        folder: &'a Folder,
        building: &Building,
        out: Option<&Path>,
        look: Look,
    ) -> Result<Option<Self>, Failure> {
        let Some(cache) = &workspace.cache else { return Ok(None) };
        let (name, text) = &workspace.config;
        let mut job = cache.begun().part(name).part([u8::from(text.is_some())]).part(workspace.config_text());
        for profile in building.profiles(&workspace.settings)? {
            job = job.part(profile);
        }
        let out = out.map(std::path::absolute).transpose()?;
        let job = job.part(format!("{:?} {out:?}", building.limits())).digest();
        Ok(Some(Self { workspace, cache, folder, job, look, packs: Mutex::default() }))
    }

    /// The source of the build, which takes down what is read.
    pub(crate) fn trace(&self) -> Trace<'a, Repo> {
        Trace::new(&self.workspace.repo, self.cache.begun())
    }

    /// What a build of all roots would give, where nothing changed since the last one.
    pub(crate) fn fresh(&self, global: &Global) -> Option<(Run, Vec<Kept>)> {
        let repo = &self.workspace.repo;
        let run = self.cache.fresh(&self.job, repo, repo.diagnostics(), self.folder, self.look)?;
        let kept = run.names.iter().filter_map(|name| Some(kept(name, self.cache.manifest.packs.get(name)?)));
        let kept = kept.collect();
        let told = run.diagnostics();
        let mut diagnostics = told.clone();
        if global.strict {
            strict(&mut diagnostics);
        }
        Some((Run { diagnostics, told, blocked: false }, kept))
    }

    /// What is to be said of a pack that need not be built.
    pub(crate) fn known(&self, planned: &Planned) -> Option<Kept> {
        let pack = self.cache.manifest.packs.get(&planned.name)?;
        let same = pack.fingerprint == planned.fingerprint;
        if !same || !pack.is_there(self.folder, &planned.name, self.look.by_state) {
            return None;
        }
        self.packs.lock().unwrap_or_else(PoisonError::into_inner).insert(planned.name.clone(), pack.clone());
        Some(kept(&planned.name, pack))
    }

    /// Remembers a pack whose file holds `bytes` now.
    pub(crate) fn built(&self, kept: Kept, fingerprint: Digest, bytes: &[u8]) {
        let state = self.folder.state(&kept.name);
        let Kept { root, profile, name, made } = kept;
        let pack = KnownPack { root, profile, fingerprint, file: Digest::of(bytes), state, made };
        self.packs.lock().unwrap_or_else(PoisonError::into_inner).insert(name, pack);
    }

    /// Writes down what this run found out. `run` is given where every pack was built.
    pub(crate) fn save(&self, trace: &Trace<'_, Repo>, run: Option<&Run>) {
        let packs = std::mem::take(&mut *self.packs.lock().unwrap_or_else(PoisonError::into_inner));
        let run = run.map(|run| {
            let names = packs.keys().cloned().collect();
            let listed = self.workspace.repo.diagnostics();
            self.cache.run(self.job, self.workspace.config_text(), trace, listed, names, &run.told)
        });
        self.tell(self.cache.save(Manifest::new(packs, run), self.workspace.texts()));
    }

    /// Writes down what a look at the files found out where nothing changed.
    pub(crate) fn rest(&self) {
        self.tell(self.cache.rest(self.folder));
    }

    fn tell(&self, saved: Result<(), contextpack::store::StoreError>) {
        if let Err(error) = saved {
            self.workspace.note(&[format!("the cache was not written: {}", told(&error))]);
        }
    }
}

fn kept(name: &str, pack: &KnownPack) -> Kept {
    let (root, profile) = (pack.root.clone(), pack.profile.clone());
    Kept { root, profile, name: name.to_owned(), made: pack.made.clone() }
}
