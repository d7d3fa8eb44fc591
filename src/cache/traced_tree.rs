//! A source tree that records every input of a build: the listing, and each file that was read or missing.

use super::now;
use super::scrub_cache::{ScrubCache, content};
use super::session_memo::{ObservedInput, SessionMemo};
use super::{BuildCache, CachedReading, FilePurpose, FileResult, ReferenceCache};
use crate::model::{Diagnostic, Digest, Digester, FileState, Refusal, RepoPath, SourceTree};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A source tree that records what a build reads, with the caches of results for it.
#[derive(Debug)]
pub struct TracedTree<'a, S> {
    source: &'a S,
    base: Digester,
    /// When the trace began, in nanoseconds since 1970.
    began: u128,
    texts: Option<&'a ScrubCache>,
    recent: Option<&'a SessionMemo>,
    seen: Mutex<BTreeMap<InputKey, ObservedInput>>,
}

/// A file that a build read or tried to read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct InputKey {
    /// Whether the file belongs to the snapshot rather than to the repo.
    pub(super) issue: bool,
    pub(super) path: RepoPath,
}

impl<'a, S: SourceTree> TracedTree<'a, S> {
    /// Creates an empty trace; all digests continue `base`.
    pub fn new(source: &'a S, base: Digester, texts: Option<&'a ScrubCache>, recent: Option<&'a SessionMemo>) -> Self {
        Self { source, base, began: now(), texts, recent, seen: Mutex::default() }
    }

    /// Returns the inputs: whether each is of the snapshot, its index in the listing, and a digest of its content.
    ///
    /// A path may hold a secret, so only indices are saved. `None` if an input is not in the listing or changed during
    /// the build.
    pub(super) fn observed(&self) -> Option<Vec<(bool, usize, Digest)>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let place = |key: &InputKey| {
            if key.issue { self.source.issues() } else { self.source.files() }.binary_search(&key.path)
        };
        seen.iter()
            .map(|(key, seen)| Some((key.issue, place(key).ok()?, (!seen.inconsistent).then_some(seen.digest)?)))
            .collect()
    }

    /// Returns a file's state before it is read, if the state is old enough to identify the content.
    fn state_of(&self, path: &RepoPath) -> Option<FileState> {
        let recent = self.recent?;
        self.source.state(path).filter(|state| state.has_rested(recent.rest, self.began))
    }

    /// Records the result of a read.
    fn record(&self, issue: bool, path: &RepoPath, state: Option<FileState>, read: &Result<String, Refusal>) {
        let observe = |path: RepoPath, state, digest| {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let known =
                seen.entry(InputKey { issue, path }).or_insert(ObservedInput { state, digest, inconsistent: false });
            known.inconsistent |= known.digest != digest;
        };
        if issue || self.source.has(path) {
            return observe(path.clone(), state, digest_of(&self.base, self.source, path, read));
        }
        // The result for an unlisted name depends on the listing and on links above the name.
        for (at, _) in path.as_str().match_indices('/') {
            let above = RepoPath::new(&format!("./{}", &path.as_str()[..at]));
            if let Some(above) = above.ok().filter(|above| self.source.has(above)) {
                let digest = digest_of(&self.base, self.source, &above, &self.source.read(&above));
                observe(above, None, digest);
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

    fn link_end(&self, path: &RepoPath) -> Option<&RepoPath> {
        self.source.link_end(path)
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        let state = self.state_of(path);
        let read = self.source.read(path);
        self.record(false, path, state, &read);
        read
    }

    fn head(&self, path: &RepoPath) -> Option<String> {
        self.source.head(path)
    }

    fn issues(&self) -> &[RepoPath] {
        self.source.issues()
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        let state = self.state_of(path);
        let read = self.source.read_issue(path);
        self.record(true, path, state, &read);
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
    fn base_key(&self) -> Option<Digester> {
        self.texts.and_then(BuildCache::base_key)
    }

    fn content(&self, path: &RepoPath, text: &str) -> Digest {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = [false, true].into_iter().find_map(|issue| seen.get(&InputKey { issue, path: path.clone() }));
        // The digest must be that of this very text, since its redaction is cached under it.
        seen.filter(|seen| !seen.inconsistent).map_or_else(|| content(&self.base, text), |seen| seen.digest)
    }

    fn get(&self, key: &Digest) -> Option<CachedReading> {
        self.texts?.get(key)
    }

    fn put(&self, key: &Digest, reading: &CachedReading) {
        if let Some(texts) = self.texts {
            texts.put(key, reading);
        }
    }

    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let contents = files.iter().map(|path| {
            let key = InputKey { issue: false, path: (*path).clone() };
            let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
            let seen = seen().or_else(|| {
                // What is made of a file depends on the file: it is recorded.
                drop(self.read(path));
                seen()
            })?;
            (!seen.inconsistent).then_some(seen.digest)
        });
        let contents = contents.collect::<Option<Vec<Digest>>>()?;
        Some(contents.iter().fold(self.base_key()?, |digester, content| digester.part(content.bytes())).digest())
    }

    fn get_derived(&self, key: &Digest) -> Option<&[u8]> {
        self.texts?.get_derived(key)
    }

    fn put_derived(&self, key: &Digest, derived: Vec<u8>) {
        if let Some(texts) = self.texts {
            texts.put_derived(key, derived);
        }
    }

    fn get_file(&self, purpose: FilePurpose, path: &RepoPath) -> Option<Arc<FileResult>> {
        let (work, read) = self.recent?.get(purpose, path, &|path| self.source.state(path))?;
        self.texts.iter().for_each(|texts| texts.mark_incomplete());
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
        Some(work)
    }

    fn references(&self, names: &dyn Fn() -> Digest) -> Option<Box<dyn ReferenceCache + '_>> {
        self.recent.map(|recent| recent.references(names()))
    }

    fn put_file(&self, purpose: FilePurpose, path: &RepoPath, read: &[RepoPath], work: &dyn Fn() -> FileResult) {
        let Some(recent) = self.recent else { return };
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let issue = purpose == FilePurpose::Issue;
        let keys = [path].into_iter().chain(read).map(|path| InputKey { issue, path: path.clone() });
        let read: Option<Vec<(InputKey, ObservedInput)>> =
            keys.map(|key| seen.get(&key).map(|seen| (key, *seen))).collect();
        drop(seen);
        if let Some(read) = read.filter(|read| read.iter().all(|(_, seen)| seen.state.is_some() && !seen.inconsistent))
        {
            recent.put(purpose, path, read, work());
        }
    }
}

impl InputKey {
    /// Reads the input again and returns the digest of its content.
    pub(super) fn digest_now(&self, source: &dyn SourceTree, base: &Digester) -> Digest {
        let read = if self.issue { source.read_issue(&self.path) } else { source.read(&self.path) };
        digest_of(base, source, &self.path, &read)
    }
}

/// Returns the digest of a text, or of the reason why it cannot be read, with the beginning of a file that is no text.
fn digest_of(base: &Digester, source: &dyn SourceTree, path: &RepoPath, read: &Result<String, Refusal>) -> Digest {
    match read {
        Ok(text) => content(base, text),
        Err(refusal) => {
            let head = refusal.is_about_content().then(|| source.head(path)).flatten().unwrap_or_default();
            base.clone().part("refusal").part(format!("{refusal:?}")).part(head).digest()
        }
    }
}

/// Returns the digest of the listing: every name that a build may look up, what git tracks, and the listing's diagnostics.
pub(super) fn listing_digest(source: &dyn SourceTree, diagnostics: &[Diagnostic], base: Digester) -> Digest {
    let mut digester = base.part((source.files().len() as u64).to_le_bytes());
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
