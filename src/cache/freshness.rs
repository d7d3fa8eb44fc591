//! The check whether anything changed since the last build of all roots.

use super::manifest::{CachedPack, CompletedBuild, Manifest};
use super::traced_tree::listing_digest;
use super::{Cache, now};
use crate::model::{Diagnostic, Digest, SourceTree};
use crate::store::{Folder, StoreError};
use rayon::prelude::*;

/// What the folder of packs must look like for the packs to be fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshnessPolicy {
    /// Whether the folder must hold no other packs.
    pub exclusive: bool,
    /// Whether each pack must have its rendering beside it.
    pub renderings: bool,
}

impl Cache {
    /// Returns the last build if a new one would change nothing and report the same diagnostics.
    ///
    /// That is the case if it had the same `job`, all its inputs are unchanged, and its packs are in `folder` byte for
    /// byte. `listed` are the diagnostics of the listing of `source`; `beside` names the rendering beside a pack.
    pub fn fresh(
        &self,
        job: &Digest,
        source: &dyn SourceTree,
        listed: &[Diagnostic],
        folder: &Folder,
        beside: &(dyn Fn(&str) -> String + Sync),
        policy: FreshnessPolicy,
    ) -> Option<&CompletedBuild> {
        let run = self.manifest.run.as_ref().filter(|run| run.job == *job)?;
        if listing_digest(source, listed, self.base_digester()) != run.listing {
            return None;
        }
        if policy.exclusive && folder.list().ok()? != run.names {
            return None;
        }
        let base = self.base_digester();
        let inputs = run.inputs(source)?;
        let same = inputs.par_iter().with_min_len(64).all(|(key, digest)| key.digest_now(source, &base) == *digest);
        let unchanged = |name: &String| {
            self.manifest.packs.get(name).is_some_and(|pack| pack.is_unchanged(folder, name, &beside(name), policy))
        };
        (same && run.names.par_iter().with_min_len(64).all(unchanged)).then_some(run)
    }

    /// Saves the states of packs that are old enough by now, so that the next check need not read their files.
    ///
    /// # Errors
    /// If the system refuses to write.
    pub fn save_settled(&self, folder: &Folder, beside: &(dyn Fn(&str) -> String + Sync)) -> Result<(), StoreError> {
        match self.with_settled_states(folder, beside) {
            Some(manifest) => self.save(&manifest, None),
            None => Ok(()),
        }
    }

    /// Returns the manifest with the states of packs in `folder` that are old enough by now; `None` if there is no new one.
    pub fn with_settled_states(&self, folder: &Folder, beside: &(dyn Fn(&str) -> String + Sync)) -> Option<Manifest> {
        let new =
            |pack: &CachedPack| std::iter::once(&pack.file).chain(&pack.rendering).any(|file| file.state.is_none());
        if !self.manifest.packs.values().any(new) {
            return None;
        }
        let now = now();
        let mut manifest = self.manifest.clone();
        let files = manifest.packs.iter_mut().flat_map(|(name, pack)| {
            let rendering = pack.rendering.as_mut().map(|file| (beside(name), file));
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
