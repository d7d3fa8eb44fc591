//! What a build looks at: every name that is listed, and every text that is read or is not there.

use super::now;
use super::recent::{ObservedInput, SessionMemo};
use super::texts::{ScrubCache, content};
use super::{BuildCache, CachedReading, FilePurpose, FileResult, ReferenceCache};
use crate::model::{Diagnostic, Digest, Digester, FileState, Refusal, RepoPath, SourceTree};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A source that takes down what is read of it, and a memory of what was found out about that.
#[derive(Debug)]
pub struct TracedTree<'a, S> {
    source: &'a S,
    begun: Digester,
    /// When it began.
    began: u128,
    texts: Option<&'a ScrubCache>,
    recent: Option<&'a SessionMemo>,
    seen: Mutex<BTreeMap<InputKey, ObservedInput>>,
}

/// A file that was looked at: one of the snapshot or one of the repo.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct InputKey {
    pub(super) issue: bool,
    pub(super) path: RepoPath,
}

impl<'a, S: SourceTree> TracedTree<'a, S> {
    /// Nothing was read yet; digests begin with `begun`.
    pub fn new(source: &'a S, begun: Digester, texts: Option<&'a ScrubCache>, recent: Option<&'a SessionMemo>) -> Self {
        Self { source, begun, began: now(), texts, recent, seen: Mutex::default() }
    }

    /// What was read, by its place in the listing, and a digest of what was found. A path may hold a secret,
    /// so none is written down; nothing where one is not in the listing,
    /// or where a file changed while the build went on.
    pub(super) fn seen(&self) -> Option<Vec<(bool, usize, Digest)>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let place = |look: &InputKey| {
            if look.issue { self.source.issues() } else { self.source.files() }.binary_search(&look.path)
        };
        seen.iter()
            .map(|(look, seen)| Some((look.issue, place(look).ok()?, (!seen.torn).then_some(seen.digest)?)))
            .collect()
    }

    /// How a file is before it is read, where that stands for what will be read.
    fn state_of(&self, path: &RepoPath) -> Option<FileState> {
        let recent = self.recent?;
        self.source.state(path).filter(|state| state.has_rested(recent.rest, self.began))
    }

    fn saw(&self, issue: bool, path: &RepoPath, state: Option<FileState>, read: &Result<String, Refusal>) {
        let look = |path: RepoPath, state, digest| {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let known = seen.entry(InputKey { issue, path }).or_insert(ObservedInput { state, digest, torn: false });
            known.torn |= known.digest != digest;
        };
        if issue || self.source.has(path) {
            return look(path.clone(), state, found(&self.begun, read));
        }
        // What a name gives that is not listed is decided by the listing, and by a link above it.
        for (at, _) in path.as_str().match_indices('/') {
            let above = RepoPath::new(&format!("./{}", &path.as_str()[..at]));
            if let Some(above) = above.ok().filter(|above| self.source.has(above)) {
                let digest = found(&self.begun, &self.source.read(&above));
                look(above, None, digest);
            }
        }
    }
}

impl<S: SourceTree> SourceTree for TracedTree<'_, S> {
    fn files(&self) -> &[RepoPath] {
        self.source.files()
    }

    fn special_files(&self) -> &[RepoPath] {
        self.source.special_files()
    }

    fn unlisted(&self) -> &[Diagnostic] {
        self.source.unlisted()
    }

    fn is_settled(&self) -> bool {
        self.source.is_settled()
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        let state = self.state_of(path);
        let read = self.source.read(path);
        self.saw(false, path, state, &read);
        read
    }

    fn issues(&self) -> &[RepoPath] {
        self.source.issues()
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        let state = self.state_of(path);
        let read = self.source.read_issue(path);
        self.saw(true, path, state, &read);
        read
    }

    fn state(&self, path: &RepoPath) -> Option<FileState> {
        self.source.state(path)
    }

    fn tracked(&self, path: &RepoPath) -> bool {
        self.source.tracked(path)
    }
}

impl<S: SourceTree> BuildCache for TracedTree<'_, S> {
    fn begun(&self) -> Option<Digester> {
        self.texts.and_then(BuildCache::begun)
    }

    fn content(&self, path: &RepoPath, text: &str) -> Digest {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = [false, true].into_iter().find_map(|issue| seen.get(&InputKey { issue, path: path.clone() }));
        // The digest has to be that of this very text: what passed the door is remembered under it.
        seen.filter(|seen| !seen.torn).map_or_else(|| content(&self.begun, text), |seen| seen.digest)
    }

    fn recall(&self, key: &Digest) -> Option<CachedReading> {
        self.texts?.recall(key)
    }

    fn keep(&self, key: &Digest, reading: &CachedReading) {
        if let Some(texts) = self.texts {
            texts.keep(key, reading);
        }
    }

    fn made(&self, purpose: FilePurpose, path: &RepoPath) -> Option<Arc<FileResult>> {
        let (work, read) = self.recent?.get(purpose, path, &|path| self.source.state(path))?;
        self.texts.iter().for_each(|texts| texts.spare());
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
        Some(work)
    }

    fn resolved(&self, names: &dyn Fn() -> Digest) -> Option<Box<dyn ReferenceCache + '_>> {
        self.recent.map(|recent| recent.resolved(names()))
    }

    fn keep_made(&self, purpose: FilePurpose, path: &RepoPath, read: &[RepoPath], work: &dyn Fn() -> FileResult) {
        let Some(recent) = self.recent else { return };
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let issue = purpose == FilePurpose::Issue;
        let looks = [path].into_iter().chain(read).map(|path| InputKey { issue, path: path.clone() });
        let read: Option<Vec<(InputKey, ObservedInput)>> =
            looks.map(|look| seen.get(&look).map(|seen| (look, *seen))).collect();
        drop(seen);
        if let Some(read) = read.filter(|read| read.iter().all(|(_, seen)| seen.state.is_some() && !seen.torn)) {
            recent.keep(purpose, path, read, work());
        }
    }
}

impl InputKey {
    /// A digest of what is found here now.
    pub(super) fn again(&self, source: &dyn SourceTree, begun: &Digester) -> Digest {
        let read = if self.issue { source.read_issue(&self.path) } else { source.read(&self.path) };
        found(begun, &read)
    }
}

/// Of a text, or of why there is none.
fn found(begun: &Digester, read: &Result<String, Refusal>) -> Digest {
    match read {
        Ok(text) => content(begun, text),
        Err(refusal) => begun.clone().part("refusal").part(format!("{refusal:?}")).digest(),
    }
}

/// Of every name that a build may look up, of what git tracks, and of what is wrong with the listing.
pub(super) fn listing(source: &dyn SourceTree, diagnostics: &[Diagnostic], begun: Digester) -> Digest {
    let mut digester = begun.part((source.files().len() as u64).to_le_bytes());
    for path in source.files() {
        digester = digester.part(path.as_str()).part([u8::from(source.tracked(path))]);
    }
    for path in source.issues() {
        digester = digester.part(path.as_str());
    }
    for path in source.special_files() {
        digester = digester.part("odd").part(path.as_str());
    }
    digester.part(format!("{diagnostics:?}")).digest()
}
