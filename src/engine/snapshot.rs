//! One reading of a repository for users of the library: many packs from it, and its diagnostics.

use super::build::input_diagnostics;
use super::{BudgetLimits, BudgetProbe, EngineError, Project, Repository, RootSummary};
use crate::model::Diagnostic;
use crate::seal::{Sealed, Stamp};
use rayon::prelude::*;

/// One pack to build.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackRequest {
    /// The root: an id, an issue (`12`, `#12`, `owner/repo#12`, a URL), or the path of a work item's file.
    ///
    /// The command line takes the same; its help shows `12`, because a shell takes a bare `#12` for a comment.
    pub root: String,
    /// The profile; `None` for the first of the configuration.
    pub profile: Option<String>,
    /// Limits that replace those of the profile.
    pub limits: BudgetLimits,
    /// The time of the build, as RFC 3339, for `generated_at`. The hash of the pack leaves it out.
    pub generated_at: String,
}

impl PackRequest {
    /// Asks for the pack of `root` under the first profile and its limits, built now.
    pub fn new(root: impl Into<String>) -> Self {
        let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
        Self { root: root.into(), profile: None, limits: BudgetLimits::default(), generated_at: now }
    }

    /// Limits the rendering to `tokens`, in place of the profile's limits.
    #[must_use]
    pub fn within_tokens(mut self, tokens: u64) -> Self {
        self.limits.max_tokens = Some(tokens);
        self
    }

    /// Builds under another profile.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }
}

/// The work items of a repository, read once: what later changes of files do not touch.
pub struct Snapshot<'a> {
    repository: &'a Repository,
    project: Project<'a>,
}

impl Repository {
    /// Reads all work items, for many packs.
    ///
    /// ```
    /// use contextpack::{OpenRequest, PackRequest, Repository};
    /// # use std::path::Path;
    ///
    /// # fn main() -> Result<(), contextpack::EngineError> {
    /// let repository = Repository::open(&OpenRequest::new(Path::new(".")))?;
    /// let snapshot = repository.snapshot();
    /// for diagnostic in snapshot.diagnostics() {
    ///     eprintln!("{diagnostic}");
    /// }
    /// for root in snapshot.roots()? {
    ///     let pack = snapshot.pack(&PackRequest::new(root.id))?;
    ///     println!("{}: {}", pack.pack().root.title, pack.pack().hash);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { repository: self, project: self.project() }
    }

    /// Lists the roots of the configuration, as [`Snapshot::roots`] does.
    ///
    /// # Errors
    /// As [`Snapshot::roots`].
    pub fn roots(&self) -> Result<Vec<RootSummary>, EngineError> {
        self.snapshot().roots()
    }

    /// Builds one pack in memory, as [`Snapshot::pack`] does.
    ///
    /// # Errors
    /// As [`Snapshot::pack`].
    pub fn pack(&self, request: &PackRequest) -> Result<Sealed, EngineError> {
        self.snapshot().pack(request)
    }

    /// Builds packs in memory from one reading, as [`Snapshot::packs`] does.
    pub fn packs(&self, requests: &[PackRequest]) -> Vec<Result<Sealed, EngineError>> {
        self.snapshot().packs(requests)
    }
}

impl Snapshot<'_> {
    /// Returns what is wrong with the input, redacted and sorted: the files, the work items and their graph, and the
    /// documents.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        input_diagnostics(self.repository.files(), &self.project)
    }

    /// Lists the roots of the configuration, in natural order of their ids.
    ///
    /// # Errors
    /// If an input cannot be read, so that roots may be missing, or git changes files meanwhile.
    pub fn roots(&self) -> Result<Vec<RootSummary>, EngineError> {
        self.repository.confirm_all_read(&self.project)?;
        Ok(self.project.roots().into_iter().map(|item| self.project.summary(item)).collect())
    }

    /// Builds one pack in memory; nothing is written.
    ///
    /// # Errors
    /// If the root or the profile is unknown, an input cannot be read, or the budget cannot hold the root.
    pub fn pack(&self, request: &PackRequest) -> Result<Sealed, EngineError> {
        let roots = self.repository.find_roots(&self.project, std::slice::from_ref(&request.root))?;
        let profiles = self.repository.configuration().profiles(request.profile.as_slice())?;
        let (Some(root), Some(profile)) = (roots.first(), profiles.into_iter().next()) else {
            return Err(EngineError::NotBuilt { diagnostics: Vec::new() });
        };
        let probe = BudgetProbe::new(&self.project, Some(*root), profile, Stamp::new(request.generated_at.clone()));
        probe.build(request.limits)?.map_err(|diagnostics| EngineError::NotBuilt { diagnostics })
    }

    /// Builds packs in memory, in parallel; nothing is written.
    ///
    /// Returns one result for each request, in their order. A pack that cannot be built stops no other.
    pub fn packs(&self, requests: &[PackRequest]) -> Vec<Result<Sealed, EngineError>> {
        requests.par_iter().map(|request| self.pack(request)).collect()
    }
}
