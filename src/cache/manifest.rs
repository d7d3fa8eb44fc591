//! What became of packs, and what the last build of them all looked at.

use super::fresh;
use super::trace::{InputKey, listing};
use super::{Cache, TracedTree};
use crate::model::{Code, Diagnostic, Digest, FileState, Place, RepoPath, Severity, SourceTree};
use crate::store::Folder;
use crate::wire;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is known of the packs of a repo.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// Of the secrets of the process that built them.
    pub(super) environment: Option<Digest>,
    /// By file name.
    pub packs: BTreeMap<String, CachedPack>,
    /// The last build of all roots.
    pub run: Option<CompletedBuild>,
}

/// A pack as it was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedPack {
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// What decides how it is built.
    pub fingerprint: Digest,
    /// Its file.
    pub file: FileFingerprint,
    /// The file of its rendering beside it, where that is kept.
    pub beside: Option<FileFingerprint>,
    /// What is told of it.
    pub made: PackSummary,
}

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFingerprint {
    /// Of its bytes.
    pub(super) digest: Digest,
    /// How it was when the bytes were last looked at, where the system tells enough.
    pub(super) state: Option<FileState>,
}

/// What is told of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackSummary {
    /// Its hash.
    pub hash: String,
    /// The characters of its rendering.
    pub used_chars: u64,
    /// The tokens of its rendering, where they are counted.
    pub used_tokens: Option<u64>,
    /// How many sections were left out.
    pub omitted: usize,
    /// How many secrets were taken out.
    pub redacted: u64,
}

/// A build of all roots that had no errors in any pack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompletedBuild {
    /// What was asked for.
    pub job: Digest,
    /// Of the configuration.
    pub config: Digest,
    /// The names of its packs, sorted.
    pub names: Vec<String>,
    pub(super) listing: Digest,
    /// Whether it is of the snapshot, its place in the listing, and what was found.
    seen: Vec<(bool, usize, Digest)>,
    diagnostics: Vec<CachedDiagnostic>,
}

/// A diagnostic, clean, as it was told.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedDiagnostic {
    at: Option<(String, Option<u32>, Option<u32>)>,
    code: Code,
    error: bool,
    message: String,
    help: Option<String>,
    about: Vec<String>,
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
    /// Whether the file `name` of `folder` still holds the bytes that were written, and the one `beside` it too,
    /// where that is kept. Where it is not, a file of that name is nothing that a pruning may pass over.
    pub fn is_there(&self, folder: &Folder, name: &str, beside: &str, look: fresh::FreshnessPolicy) -> bool {
        let is_beside = match &self.beside {
            Some(file) => look.beside && file.is_there(folder, beside),
            None => !look.beside && (!look.alone || folder.state(beside).is_none()),
        };
        is_beside && self.file.is_there(folder, name)
    }
}

impl FileFingerprint {
    /// A file that holds `bytes` now. Whoever changes it after this changes its state too, so none is kept.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self { digest: Digest::of(bytes), state: None }
    }

    /// Whether the file still holds the bytes. One whose state is the same, and was old enough, counts as read: anyone
    /// can repeat a build, and `check` reads.
    pub(super) fn is_there(&self, folder: &Folder, name: &str) -> bool {
        (self.state.is_some() && folder.state(name) == self.state) || self.holds(folder, name)
    }

    /// Whether the file holds the bytes, by reading it.
    pub(super) fn holds(&self, folder: &Folder, name: &str) -> bool {
        folder.read(name).ok().flatten().is_some_and(|bytes| Digest::of(bytes) == self.digest)
    }
}

impl CompletedBuild {
    /// A run of `job` under `config`, which looked at all that `trace` took down and told these diagnostics.
    ///
    /// `listed` is what is wrong with the listing.
    pub fn new<S: SourceTree>(
        cache: &Cache,
        [job, config]: [Digest; 2],
        trace: &TracedTree<'_, S>,
        listed: &[Diagnostic],
        names: Vec<String>,
        told: &[Diagnostic],
    ) -> Option<Self> {
        let seen = trace.seen()?;
        let listing = listing(trace, listed, cache.begun());
        Some(Self { job, config, names, listing, seen, diagnostics: told.iter().map(CachedDiagnostic::from).collect() })
    }

    /// What it looked at in a source with the same listing, and a digest of what it found.
    pub(super) fn seen(&self, source: &dyn SourceTree) -> Option<Vec<(InputKey, Digest)>> {
        self.seen
            .iter()
            .map(|(issue, place, digest)| {
                let paths = if *issue { source.issues() } else { source.files() };
                Some((InputKey { issue: *issue, path: paths.get(*place)?.clone() }, *digest))
            })
            .collect()
    }

    /// What was told.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.iter().map(Diagnostic::from).collect()
    }
}

impl From<&Diagnostic> for CachedDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            at: diagnostic.at.as_ref().map(|at| (at.path.to_string(), at.line, at.column)),
            code: diagnostic.code,
            error: diagnostic.severity == Severity::Error,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            about: diagnostic.about.clone(),
        }
    }
}

impl From<&CachedDiagnostic> for Diagnostic {
    fn from(told: &CachedDiagnostic) -> Self {
        let at = told.at.as_ref().and_then(|(path, line, column)| {
            let path = RepoPath::new(&format!("./{path}")).ok()?;
            Some(Place { path, line: *line, column: *column })
        });
        Self {
            at,
            code: told.code,
            severity: if told.error { Severity::Error } else { Severity::Warning },
            message: told.message.clone(),
            help: told.help.clone(),
            about: told.about.clone(),
        }
    }
}

impl Manifest {
    /// What is known after a run; `run` stands there only where all of it may be taken as it is.
    pub fn new(packs: impl IntoIterator<Item = (String, CachedPack)>, run: Option<CompletedBuild>) -> Self {
        Self { environment: None, packs: packs.into_iter().collect(), run }
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// The bytes to write `now`. States of files that changed just before are left out.
    pub(super) fn encode(&self, environment: Digest, now: u128) -> Option<Vec<u8>> {
        let mut manifest = Self { environment: Some(environment), ..self.clone() };
        for pack in manifest.packs.values_mut() {
            for file in std::iter::once(&mut pack.file).chain(&mut pack.beside) {
                file.state = file.state.filter(|state| state.is_rested(now));
            }
        }
        postcard::to_allocvec(&manifest).ok()
    }
}
