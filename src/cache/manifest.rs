//! The manifest of a cache: the packs as they were written, and the inputs of the last build of all roots.

use super::freshness::FreshnessPolicy;
use super::traced_tree::{InputKey, listing_digest};
use super::{Cache, TracedTree};
use crate::model::{Code, Diagnostic, Digest, FileState, Place, RepoPath, Severity, SourceTree};
use crate::store::Folder;
use crate::wire;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The cached facts about the packs of a repo.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The digest of the environment's secrets in the process that built the packs.
    pub(super) environment: Option<Digest>,
    /// The packs by file name.
    pub packs: BTreeMap<String, CachedPack>,
    /// The last build of all roots.
    pub run: Option<CompletedBuild>,
}

/// A pack as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedPack {
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// The digest of everything that determines its content.
    pub fingerprint: Digest,
    /// The pack's file.
    pub file: FileFingerprint,
    /// The file of the rendering beside it, if there is one.
    pub rendering: Option<FileFingerprint>,
    /// The summary for reports.
    pub summary: PackSummary,
}

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFingerprint {
    /// The digest of its bytes.
    pub(super) digest: Digest,
    /// The file's state when its bytes were last verified, if the system reports enough of it.
    pub(super) state: Option<FileState>,
}

/// The facts about a pack that commands report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackSummary {
    /// The pack's hash.
    pub hash: String,
    /// The characters of its rendering.
    pub used_chars: u64,
    /// The tokens of its rendering, if counted.
    pub used_tokens: Option<u64>,
    /// The number of omissions.
    pub omitted: usize,
    /// The number of redacted values.
    pub redacted: u64,
}

/// A build of all roots without an error in any pack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompletedBuild {
    /// The digest of what was to be built.
    pub job: Digest,
    /// The digest of the configuration.
    pub config: Digest,
    /// The names of its packs, sorted.
    pub names: Vec<String>,
    pub(super) listing: Digest,
    /// The inputs: whether each is of the snapshot, its index in the listing, and the digest of its content.
    inputs: Vec<(bool, usize, Digest)>,
    diagnostics: Vec<CachedDiagnostic>,
}

/// A reported diagnostic, redacted.
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
    /// Returns whether the file `name` of `folder` still holds the bytes that were written.
    ///
    /// The same must hold for the rendering `beside` it, if `policy` asks for one. If it does not, an exclusive folder
    /// must have no file of that name, since pruning would have to remove it.
    pub fn is_unchanged(&self, folder: &Folder, name: &str, beside: &str, policy: FreshnessPolicy) -> bool {
        let is_beside = match &self.rendering {
            Some(file) => policy.renderings && file.is_unchanged(folder, beside),
            None => !policy.renderings && (!policy.exclusive || folder.state(beside).is_none()),
        };
        is_beside && self.file.is_unchanged(folder, name)
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

    /// Reads the file and returns whether it holds the bytes.
    pub(super) fn holds(&self, folder: &Folder, name: &str) -> bool {
        folder.read(name).ok().flatten().is_some_and(|bytes| Digest::of(bytes) == self.digest)
    }
}

impl CompletedBuild {
    /// Creates the record of a build of `job` under `config`, with the inputs of `trace` and the reported diagnostics.
    ///
    /// `listed` are the diagnostics of the listing. `None` if an input changed during the build.
    pub fn new<S: SourceTree>(
        cache: &Cache,
        [job, config]: [Digest; 2],
        trace: &TracedTree<'_, S>,
        listed: &[Diagnostic],
        names: Vec<String>,
        diagnostics: &[Diagnostic],
    ) -> Option<Self> {
        let inputs = trace.observed()?;
        let listing = listing_digest(trace, listed, cache.base_digester());
        let diagnostics = diagnostics.iter().map(CachedDiagnostic::from).collect();
        Some(Self { job, config, names, listing, inputs, diagnostics })
    }

    /// Returns the inputs in a source with the same listing, and the digests of their content.
    pub(super) fn inputs(&self, source: &dyn SourceTree) -> Option<Vec<(InputKey, Digest)>> {
        self.inputs
            .iter()
            .map(|(issue, place, digest)| {
                let paths = if *issue { source.issues() } else { source.files() };
                Some((InputKey { issue: *issue, path: paths.get(*place)?.clone() }, *digest))
            })
            .collect()
    }

    /// Returns the diagnostics that the build reported.
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
    fn from(cached: &CachedDiagnostic) -> Self {
        let at = cached.at.as_ref().and_then(|(path, line, column)| {
            let path = RepoPath::new(&format!("./{path}")).ok()?;
            Some(Place { path, line: *line, column: *column })
        });
        Self {
            at,
            code: cached.code,
            severity: if cached.error { Severity::Error } else { Severity::Warning },
            message: cached.message.clone(),
            help: cached.help.clone(),
            about: cached.about.clone(),
        }
    }
}

impl Manifest {
    /// Creates the manifest after a build; `run` is `None` unless all of it can be reused.
    pub fn new(packs: impl IntoIterator<Item = (String, CachedPack)>, run: Option<CompletedBuild>) -> Self {
        Self { environment: None, packs: packs.into_iter().collect(), run }
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// Encodes the manifest; states of files that changed shortly before `now` are left out.
    pub(super) fn encode(&self, environment: Digest, now: u128) -> Option<Vec<u8>> {
        let mut manifest = Self { environment: Some(environment), ..self.clone() };
        for pack in manifest.packs.values_mut() {
            for file in std::iter::once(&mut pack.file).chain(&mut pack.rendering) {
                file.state = file.state.filter(|state| state.is_rested(now));
            }
        }
        postcard::to_allocvec(&manifest).ok()
    }
}
