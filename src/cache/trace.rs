//! What a build looks at: every name that is listed, and every text that is read or is not there.

use crate::model::{Diagnostic, Digest, Digester, Refusal, RepoPath, Source};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A source that takes down what is read of it.
#[derive(Debug)]
pub struct Trace<'a, S> {
    source: &'a S,
    begun: Digester,
    seen: Mutex<BTreeMap<Look, Digest>>,
}

/// A file that was looked at: one of the snapshot or one of the repo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Look {
    pub(super) issue: bool,
    pub(super) path: RepoPath,
}

impl<'a, S: Source> Trace<'a, S> {
    /// Nothing was read yet; digests begin with `begun`.
    pub fn new(source: &'a S, begun: Digester) -> Self {
        Self { source, begun, seen: Mutex::default() }
    }

    /// What was read, by its place in the listing, and a digest of what was found. A path may hold a secret,
    /// so none is written down; nothing where one is not in the listing.
    pub(super) fn seen(&self) -> Option<Vec<(bool, usize, Digest)>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let place =
            |look: &Look| if look.issue { self.source.issues() } else { self.source.files() }.binary_search(&look.path);
        seen.iter().map(|(look, digest)| Some((look.issue, place(look).ok()?, *digest))).collect()
    }

    fn saw(&self, issue: bool, path: &RepoPath, read: &Result<String, Refusal>) {
        let look = |path: RepoPath, digest| {
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(Look { issue, path }, digest);
        };
        if issue || self.source.has(path) {
            return look(path.clone(), found(&self.begun, read));
        }
        // What a name gives that is not listed is decided by the listing, and by a link above it.
        for (at, _) in path.as_str().match_indices('/') {
            let above = RepoPath::new(&format!("./{}", &path.as_str()[..at]));
            if let Some(above) = above.ok().filter(|above| self.source.has(above)) {
                let digest = found(&self.begun, &self.source.read(&above));
                look(above, digest);
            }
        }
    }
}

impl<S: Source> Source for Trace<'_, S> {
    fn files(&self) -> &[RepoPath] {
        self.source.files()
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        let read = self.source.read(path);
        self.saw(false, path, &read);
        read
    }

    fn issues(&self) -> &[RepoPath] {
        self.source.issues()
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        let read = self.source.read_issue(path);
        self.saw(true, path, &read);
        read
    }

    fn tracked(&self, path: &RepoPath) -> bool {
        self.source.tracked(path)
    }
}

impl Look {
    /// A digest of what is found here now.
    pub(super) fn again(&self, source: &dyn Source, begun: &Digester) -> Digest {
        let read = if self.issue { source.read_issue(&self.path) } else { source.read(&self.path) };
        found(begun, &read)
    }
}

/// Of a text, or of why there is none.
fn found(begun: &Digester, read: &Result<String, Refusal>) -> Digest {
    match read {
        Ok(text) => begun.clone().part("text").part(text).digest(),
        Err(refusal) => begun.clone().part("refusal").part(format!("{refusal:?}")).digest(),
    }
}

/// Of every name that a build may look up, of what git tracks, and of what is wrong with the listing.
pub(super) fn listing(source: &dyn Source, diagnostics: &[Diagnostic], begun: Digester) -> Digest {
    let mut digester = begun.part((source.files().len() as u64).to_le_bytes());
    for path in source.files() {
        digester = digester.part(path.as_str()).part([u8::from(source.tracked(path))]);
    }
    for path in source.issues() {
        digester = digester.part(path.as_str());
    }
    digester.part(format!("{diagnostics:?}")).digest()
}
