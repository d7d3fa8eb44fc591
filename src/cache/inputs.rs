//! The inputs of a build: each file that was read or missing is recorded, with the cached results for these files, and for a
//! long-running process with the results of its last build in memory.

use super::now;
use super::texts::{TextCache, content};
use crate::model::{Diagnostic, Digest, Digester, FileState, REST, Refusal, RepoPath, SourceTree};
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a file is read for, under which its result is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FilePurpose {
    Items,
    Issue,
    Document,
    /// Code, which is not parsed as Markdown.
    Code,
    /// Source files, of which words are counted.
    Source,
}

/// Caches of the results of earlier builds, each under a key of everything that it depends on.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputCaches<'a> {
    /// Scrubbed texts; without them nothing is recorded or cached.
    pub texts: Option<&'a TextCache>,
    pub adds_texts: bool,
    /// Documents by the states of their files; without them documents are cached in `texts`, by contents.
    pub documents: Option<&'a TextCache>,
    pub memo: Option<&'a SessionMemo>,
}

/// The files of a build, which records what it reads of them.
pub struct Inputs<'a> {
    /// The names of the files. What depends on a text must be read with [`Inputs::read`] or [`Inputs::read_issue`].
    pub source: &'a dyn SourceTree,
    caches: InputCaches<'a>,
    /// When the reading began, in nanoseconds since 1970.
    began: u128,
    seen: Mutex<BTreeMap<InputKey, ObservedInput>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct InputKey {
    /// Whether the file belongs to the snapshot rather than to the repo.
    pub(super) issue: bool,
    pub(super) path: RepoPath,
}

impl<'a> Inputs<'a> {
    pub fn new(source: &'a dyn SourceTree, caches: InputCaches<'a>) -> Self {
        Self { source, caches, began: now(), seen: Mutex::default() }
    }

    /// Returns a digester fed with the program and the configuration; `None` if nothing is cached.
    pub fn base_key(&self) -> Option<Digester> {
        self.caches.texts.map(TextCache::base_key)
    }

    /// Returns a digest of the text of the file at `path`; `None` if nothing is cached.
    pub fn content(&self, path: &RepoPath, text: &str) -> Option<Digest> {
        let texts = self.caches.texts?;
        let seen = self.seen();
        let seen = [false, true].into_iter().find_map(|issue| seen.get(&InputKey { issue, path: path.clone() }));
        // The digest must be that of this very text, since its redaction is cached under it.
        let seen = seen.filter(|seen| !seen.inconsistent);
        Some(seen.map_or_else(|| content(&texts.text_base, text), |seen| seen.digest))
    }

    /// Returns the encoded result under `key`, if it is cached, of a document or of any other texts.
    pub fn encoded(&self, is_document: bool, key: &Digest) -> Option<&'a [u8]> {
        self.caches.documents.filter(|_| is_document).or(self.caches.texts)?.get(key)
    }

    pub fn put_encoded(&self, is_document: bool, key: &Digest, encoded: Vec<u8>) {
        let texts = self.caches.texts.filter(|_| is_document || self.caches.adds_texts);
        if let Some(cache) = self.caches.documents.filter(|_| is_document).or(texts) {
            cache.put(key, encoded);
        }
    }

    /// Returns what identifies the present contents of `files` together; `None` if that cannot be told. If it is the
    /// same before and after a file was read, what was read are these contents.
    pub fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let rested = |path: &&RepoPath| self.source.state(path).filter(|state| state.is_rested(self.began));
        let (base, parts) = match self.caches.documents {
            Some(documents) => {
                (documents.base_key(), files.iter().map(|path| postcard::to_allocvec(&rested(path)?).ok()).collect())
            }
            None => (self.base_key()?, files.iter().map(|path| self.content_of(path)).collect::<Option<Vec<_>>>()),
        };
        Some(parts?.iter().fold(base, Digester::part).digest())
    }

    fn content_of(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let key = InputKey { issue: false, path: path.clone() };
        let seen = || self.seen().get(&key).copied();
        let seen = seen().or_else(|| {
            // What is made of a file depends on the file: it is recorded.
            drop(self.read(path));
            seen()
        })?;
        (!seen.inconsistent).then(|| seen.digest.bytes().to_vec())
    }

    /// Returns the result of a file, if neither it nor any file that was read for it changed.
    pub fn file_result<T: Send + Sync + 'static>(&self, purpose: FilePurpose, path: &RepoPath) -> Option<Arc<T>> {
        let key = MemoKey::File(purpose, path.clone());
        let (result, read) = self.caches.memo?.get(&key, &|path| self.source.state(path))?;
        self.caches.texts.iter().for_each(|texts| texts.mark_incomplete());
        self.seen().extend(read);
        Some(result)
    }

    pub fn put_file_result<T: Send + Sync + 'static>(
        &self,
        purpose: FilePurpose,
        path: &RepoPath,
        read: &[RepoPath],
        result: impl FnOnce() -> T,
    ) {
        let Some(memo) = self.caches.memo else { return };
        let issue = purpose == FilePurpose::Issue;
        let seen = |path: &RepoPath| {
            let key = InputKey { issue, path: path.clone() };
            let seen = self.seen().get(&key).copied().filter(|seen| seen.state.is_some() && !seen.inconsistent)?;
            Some((key, seen))
        };
        if let Some(inputs) = [path].into_iter().chain(read).map(seen).collect::<Option<ObservedInputs>>() {
            memo.put(MemoKey::File(purpose, path.clone()), inputs, Arc::new(result()));
        }
    }

    /// Returns what `compute` gives, which depends on nothing but the facts of which `key` is a digest.
    pub fn memoized<T: Send + Sync + 'static>(
        &self,
        key: impl FnOnce() -> Digest,
        compute: impl FnOnce() -> T,
    ) -> Arc<T> {
        let Some(memo) = self.caches.memo else { return Arc::new(compute()) };
        let key = MemoKey::Digest(key());
        if let Some((known, _)) = memo.get(&key, &|_| None) {
            return known;
        }
        let result = Arc::new(compute());
        memo.put(key, Vec::new(), Arc::clone(&result) as _);
        result
    }

    /// Returns the inputs: whether each is of the snapshot, its index in the listing, and a digest of its content. A
    /// path may hold a secret, so only indices are saved. `None` if an input is not in the listing or changed during
    /// the build.
    pub(super) fn observed(&self) -> Option<Vec<(bool, usize, Digest)>> {
        let place = |key: &InputKey| {
            if key.issue { self.source.issues() } else { self.source.files() }.binary_search(&key.path)
        };
        let seen = self.seen();
        seen.iter()
            .map(|(key, seen)| Some((key.issue, place(key).ok()?, (!seen.inconsistent).then_some(seen.digest)?)))
            .collect()
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<InputKey, ObservedInput>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.record(false, path)
    }

    pub fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.record(true, path)
    }

    fn record(&self, issue: bool, path: &RepoPath) -> Result<String, Refusal> {
        let read = |path| if issue { self.source.read_issue(path) } else { self.source.read(path) };
        let Some(texts) = self.caches.texts else { return read(path) };
        let base = &texts.text_base;
        // The state is taken first, so that a change in between shows.
        let is_rested = |memo: &SessionMemo| self.source.state(path).filter(|it| it.has_rested(memo.rest, self.began));
        let state = self.caches.memo.and_then(is_rested);
        let text = read(path);
        let observe = |path: RepoPath, state, digest| {
            let mut seen = self.seen();
            let known =
                seen.entry(InputKey { issue, path }).or_insert(ObservedInput { state, digest, inconsistent: false });
            known.inconsistent |= known.digest != digest;
        };
        if issue || self.source.has(path) {
            observe(path.clone(), state, digest_of(base, self.source, path, &text));
            return text;
        }
        // The result for an unlisted name depends on the listing and on links above the name.
        for (at, _) in path.as_str().match_indices('/') {
            let above = RepoPath::new(&format!("./{}", &path.as_str()[..at]));
            if let Some(above) = above.ok().filter(|above| self.source.has(above)) {
                let digest = digest_of(base, self.source, &above, &self.source.read(&above));
                observe(above, None, digest);
            }
        }
        text
    }
}

impl InputKey {
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

/// Results that a repeated build need not compute again.
#[derive(Debug, Default)]
pub struct SessionMemo {
    /// How long a file must have been unchanged before its state identifies its content, in nanoseconds.
    rest: u128,
    results: Mutex<HashMap<MemoKey, MemoEntry>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum MemoKey {
    /// The file that it was made of. It holds while its inputs have the same states.
    File(FilePurpose, RepoPath),
    Digest(Digest),
}

type ObservedInputs = Vec<(InputKey, ObservedInput)>;

#[derive(Debug)]
struct MemoEntry {
    result: Arc<dyn Any + Send + Sync>,
    inputs: ObservedInputs,
    used: bool,
}

/// The content of an input at the time of a build.
#[derive(Debug, Clone, Copy)]
struct ObservedInput {
    /// The file's state before it was read, if it identifies the content.
    state: Option<FileState>,
    digest: Digest,
    /// Whether another read in the same build gave another content.
    inconsistent: bool,
}

impl SessionMemo {
    /// Creates an empty memo; `rest` is how long a file must have been unchanged before its state identifies its content.
    pub fn new(rest: Option<Duration>) -> Self {
        Self { rest: rest.map_or(REST, |rest| rest.as_nanos()), ..Self::default() }
    }

    /// Returns a result and its inputs, if all of them have the same state as before.
    fn get<T: Send + Sync + 'static>(
        &self,
        key: &MemoKey,
        state: &dyn Fn(&RepoPath) -> Option<FileState>,
    ) -> Option<(Arc<T>, ObservedInputs)> {
        let results = || self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let known = results().get(key).map(|known| (Arc::clone(&known.result), known.inputs.clone()));
        let (result, inputs) = known?;
        if !inputs.iter().all(|(key, seen)| state(&key.path) == seen.state) {
            return None;
        }
        results().get_mut(key)?.used = true;
        Some((result.downcast().ok()?, inputs))
    }

    /// Stores a result; each of `inputs` must have a state.
    fn put(&self, key: MemoKey, inputs: ObservedInputs, result: Arc<dyn Any + Send + Sync>) {
        let known = MemoEntry { result, inputs, used: true };
        self.results.lock().unwrap_or_else(PoisonError::into_inner).insert(key, known);
    }

    pub fn evict_unused(&mut self) {
        let results = self.results.get_mut().unwrap_or_else(PoisonError::into_inner);
        results.retain(|_, known| std::mem::take(&mut known.used));
    }
}
