//! The manifest of a cache: the packs as they were written, and the inputs of the last build of all roots.

use super::inputs::{InputKey, Inputs, listing_digest};
use super::{Cache, now};
use crate::model::{Diagnostic, Digest, FileState, SourceTree};
use crate::store::{Folder, StoreError};
use crate::wire;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The cached facts about the packs of a repo.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The digest of the environment's secrets in the process that built the packs; `None` until it is saved.
    pub environment: Option<Digest>,
    pub packs: BTreeMap<String, CachedPack>,
    /// What the last build of all roots reported, whether or not all of it can be reused.
    pub diagnostics: Vec<Diagnostic>,
    /// The last build of all roots, if all of it can be reused.
    pub run: Option<CompletedBuild>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedPack {
    pub root: String,
    pub profile: String,
    /// The digest of everything that determines its content.
    pub fingerprint: Digest,
    pub file: FileFingerprint,
    /// The file of the rendering beside it, if there is one.
    pub rendering: Option<FileFingerprint>,
    pub summary: PackSummary,
}

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFingerprint {
    pub(super) digest: Digest,
    /// The file's state when its bytes were last verified, if the system reports enough of it.
    pub(super) state: Option<FileState>,
}

/// The facts about a pack that commands report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackSummary {
    pub hash: String,
    pub used_chars: u64,
    pub used_tokens: Option<u64>,
    pub omitted: usize,
    pub redacted: u64,
}

/// A pack that could not be built of the inputs that there were.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FailedPack {
    pub name: String,
    pub root: String,
    pub profile: String,
    pub reasons: Vec<String>,
    /// Its file of an earlier build, which was kept.
    pub kept: Option<FileFingerprint>,
}

/// A build of all roots that depended on nothing but its inputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompletedBuild {
    pub job: Digest,
    pub config: Digest,
    /// The names of the packs that were built.
    pub names: Vec<String>,
    pub failed: Vec<FailedPack>,
    listing: Digest,
    /// The inputs: whether each is of the snapshot, its index in the listing, and its content.
    inputs: Vec<(bool, usize, FileFingerprint)>,
}

/// What the folder of packs must look like for the packs to be fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshnessPolicy {
    /// Whether the folder must hold no other packs.
    pub exclusive: bool,
    /// Whether each pack must have its rendering beside it.
    pub renderings: bool,
}

pub fn rendering_name(pack: &str) -> String {
    format!("{}.md", pack.strip_suffix(".json").unwrap_or(pack))
}

impl From<&wire::Pack> for PackSummary {
    fn from(pack: &wire::Pack) -> Self {
        Self {
            hash: pack.hash.clone(),
            used_chars: pack.budget.used_chars,
            used_tokens: pack.budget.used_tokens,
            omitted: pack.omissions.len(),
            redacted: pack.redactions.iter().map(|redaction| redaction.count).sum(),
        }
    }
}

impl CachedPack {
    /// Returns whether the pack, and its rendering if there is to be one, still hold the bytes that were written. In an
    /// exclusive folder there must be no other rendering, since pruning would have to remove it.
    pub fn is_unchanged(&self, folder: &Folder, name: &str, policy: FreshnessPolicy) -> bool {
        let rendering = rendering_name(name);
        let is_rendered = match &self.rendering {
            Some(file) => policy.renderings && file.is_unchanged(folder, &rendering),
            None => !policy.renderings && (!policy.exclusive || folder.state(&rendering).is_none()),
        };
        is_rendered && self.file.is_unchanged(folder, name)
    }
}

impl FileFingerprint {
    /// Creates the fingerprint of a file that was just written, whose state is too recent to identify its content.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self { digest: Digest::of(bytes), state: None }
    }

    /// Returns whether the file still holds the bytes, reading it only if its state changed or was too recent.
    pub(super) fn is_unchanged(&self, folder: &Folder, name: &str) -> bool {
        (self.state.is_some() && folder.state(name) == self.state) || self.holds(folder, name)
    }

    pub(super) fn holds(&self, folder: &Folder, name: &str) -> bool {
        folder.read(name).ok().flatten().is_some_and(|bytes| Digest::of(bytes) == self.digest)
    }
}

impl CompletedBuild {
    /// Creates the record of a build of `job` under `config`; `None` if an input changed during the build.
    pub fn new(
        cache: &Cache,
        [job, config]: [Digest; 2],
        inputs: &Inputs<'_>,
        listed: &[Diagnostic],
        (names, failed): (Vec<String>, Vec<FailedPack>),
    ) -> Option<Self> {
        let listing = listing_digest(inputs.source, listed, cache.base_digester());
        // What the state of a file identified, it still does.
        let before = cache.manifest.run.as_ref().filter(|run| run.listing == listing);
        let before = before.map_or(&[][..], |run| &run.inputs).iter();
        let before: BTreeMap<_, _> = before.map(|(issue, place, file)| ((*issue, *place), file)).collect();
        let fingerprint = |(issue, place, digest)| {
            let known = before.get(&(issue, place)).filter(|file| file.digest == digest);
            (issue, place, known.map_or(FileFingerprint { digest, state: None }, |file| (*file).clone()))
        };
        let inputs = inputs.observed()?.into_iter().map(fingerprint).collect();
        Some(Self { job, config, names, failed, listing, inputs })
    }

    fn keys(&self, source: &dyn SourceTree) -> Option<Vec<InputKey>> {
        let key = |(issue, place, _): &(bool, usize, _)| {
            let paths = if *issue { source.issues() } else { source.files() };
            Some(InputKey { issue: *issue, path: paths.get(*place)?.clone() })
        };
        self.inputs.iter().map(key).collect()
    }
}

impl Cache {
    /// Returns the last build of the same `job` if all its inputs are unchanged, and its packs are in `folder` byte for byte.
    pub fn fresh(
        &self,
        job: &Digest,
        source: &dyn SourceTree,
        listed: &[Diagnostic],
        folder: &Folder,
        policy: FreshnessPolicy,
    ) -> Option<&CompletedBuild> {
        let run = self.manifest.run.as_ref().filter(|run| run.job == *job)?;
        if listing_digest(source, listed, self.base_digester()) != run.listing {
            return None;
        }
        let kept = run.failed.iter().filter_map(|failed| Some((&failed.name, failed.kept.as_ref()?)));
        let names: BTreeSet<&String> = run.names.iter().chain(kept.clone().map(|(name, _)| name)).collect();
        if policy.exclusive && !folder.list().ok()?.iter().eq(names)
            || !kept.clone().all(|(name, it)| it.holds(folder, name))
        {
            return None;
        }
        let base = self.base_digester();
        let keys = run.keys(source)?;
        let same = keys.par_iter().zip(&run.inputs).with_min_len(64).all(|(key, (.., file))| {
            file.state.is_some() && source.state(&key.path) == file.state
                || key.digest_now(source, &base) == file.digest
        });
        let packs = &self.manifest.packs;
        // Where no file could be a rendering, none has to be looked for.
        let is_plain = policy.exclusive && folder.ending(".md").is_ok_and(|names| names.is_empty());
        let policy = FreshnessPolicy { exclusive: policy.exclusive && !is_plain, ..policy };
        let unchanged = |name: &String| packs.get(name).is_some_and(|pack| pack.is_unchanged(folder, name, policy));
        (same && run.names.par_iter().with_min_len(64).all(unchanged)).then_some(run)
    }

    /// Saves the states of packs and inputs that are old enough by now, so that the next check need not read their files.
    pub fn save_settled(&self, folder: &Folder, source: &dyn SourceTree) -> Result<(), StoreError> {
        let (packs, run) = (self.with_settled_states(folder), self.with_settled_inputs(source));
        if packs.is_none() && run.is_none() {
            return Ok(());
        }
        let manifest = packs.unwrap_or_else(|| self.manifest.clone());
        self.save(&Manifest { run: run.or(manifest.run), ..manifest })
    }

    /// Returns the last build with the states of inputs that are old enough by now; `None` if there is no new one.
    pub(super) fn with_settled_inputs(&self, source: &dyn SourceTree) -> Option<CompletedBuild> {
        let mut run = self.manifest.run.clone()?;
        let (now, base, keys) = (now(), self.base_digester(), run.keys(source)?);
        let settle = |(key, (.., file)): (&InputKey, &mut (bool, usize, FileFingerprint))| {
            // The state is taken first, so that a change in between shows in the text.
            let state = if file.state.is_none() { source.state(&key.path) } else { None };
            let state = state.filter(|state| state.is_rested(now) && key.digest_now(source, &base) == file.digest);
            file.state = file.state.or(state);
            state.is_some()
        };
        let settled = keys.par_iter().zip(&mut run.inputs).with_min_len(64).map(settle);
        settled.reduce(|| false, |a, b| a | b).then_some(run)
    }

    /// Returns the manifest with the states of packs in `folder` that are old enough by now; `None` if there is no new one.
    pub fn with_settled_states(&self, folder: &Folder) -> Option<Manifest> {
        let is_new =
            |pack: &CachedPack| std::iter::once(&pack.file).chain(&pack.rendering).any(|file| file.state.is_none());
        if !self.manifest.packs.values().any(is_new) {
            return None;
        }
        let now = now();
        let mut manifest = self.manifest.clone();
        let files = manifest.packs.iter_mut().flat_map(|(name, pack)| {
            let rendering = pack.rendering.as_mut().map(|file| (rendering_name(name), file));
            [Some((name.clone(), &mut pack.file)), rendering].into_iter().flatten()
        });
        let mut files: Vec<_> = files.filter(|(_, file)| file.state.is_none()).collect();
        // The state is taken first, so that a change in between shows in the bytes.
        files.par_iter_mut().for_each(|(name, file)| {
            let state = folder.state(name).filter(|state| state.is_rested(now));
            if state.is_some() && file.holds(folder, name) {
                file.state = state;
            }
        });
        let any = files.iter().any(|(_, file)| file.state.is_some());
        drop(files);
        any.then_some(manifest)
    }
}
