//! Whether anything changed since the last build of all roots.

use super::manifest::{CachedPack, CompletedBuild, Manifest};
use super::trace::listing;
use super::{Cache, now};
use crate::model::{Diagnostic, Digest, SourceTree};
use crate::store::{Folder, StoreError};
use rayon::prelude::*;

/// How packs on disk are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshnessPolicy {
    /// The folder may hold no other packs.
    pub alone: bool,
    /// Each pack has its rendering beside it.
    pub beside: bool,
}

impl Cache {
    /// The last run, where it was of the same `job`, everything that it looked at is as it was then, and its
    /// packs stand in `folder` byte for byte: then a build would do nothing, and tell what it told.
    ///
    /// `listed` is what is wrong with the listing of `source`; `beside` names the file beside a pack.
    pub fn fresh(
        &self,
        job: &Digest,
        source: &dyn SourceTree,
        listed: &[Diagnostic],
        folder: &Folder,
        beside: &(dyn Fn(&str) -> String + Sync),
        look: FreshnessPolicy,
    ) -> Option<&CompletedBuild> {
        let run = self.manifest.run.as_ref().filter(|run| run.job == *job)?;
        if listing(source, listed, self.begun()) != run.listing {
            return None;
        }
        if look.alone && folder.list().ok()? != run.names {
            return None;
        }
        let begun = self.begun();
        let seen = run.seen(source)?;
        let same = seen.par_iter().with_min_len(64).all(|(seen, digest)| seen.again(source, &begun) == *digest);
        let there = |name: &String| {
            self.manifest.packs.get(name).is_some_and(|pack| pack.is_there(folder, name, &beside(name), look))
        };
        (same && run.names.par_iter().with_min_len(64).all(there)).then_some(run)
    }

    /// Writes down the states of packs that are old enough by now; for after [`Cache::fresh`].
    ///
    /// # Errors
    /// Where the system refuses to write.
    pub fn rest(&self, folder: &Folder, beside: &(dyn Fn(&str) -> String + Sync)) -> Result<(), StoreError> {
        match self.rested(folder, beside) {
            Some(manifest) => self.save(&manifest, None),
            None => Ok(()),
        }
    }

    /// What is known, with the states of packs in `folder` that are old enough by now; nothing where none is new.
    pub fn rested(&self, folder: &Folder, beside: &(dyn Fn(&str) -> String + Sync)) -> Option<Manifest> {
        let new = |pack: &CachedPack| std::iter::once(&pack.file).chain(&pack.beside).any(|file| file.state.is_none());
        if !self.manifest.packs.values().any(new) {
            return None;
        }
        let now = now();
        let mut manifest = self.manifest.clone();
        let files = manifest.packs.iter_mut().flat_map(|(name, pack)| {
            let rendering = pack.beside.as_mut().map(|file| (beside(name), file));
            [Some((name.clone(), &mut pack.file)), rendering].into_iter().flatten()
        });
        let mut files: Vec<_> = files.filter(|(_, file)| file.state.is_none()).collect();
        // The state first: a change between the two would show in the bytes.
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
