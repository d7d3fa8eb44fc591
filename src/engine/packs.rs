//! Roots and packs of an opened repository, for users of the library.

use super::{BudgetProbe, EngineError, PackRequest, Project, Repository, RootSummary};
use crate::redact::Redactor;
use crate::seal::{Sealed, Stamp};
use rayon::prelude::*;

impl Repository {
    /// Lists the roots of the configuration, in natural order of their ids. Reads all work items.
    ///
    /// # Errors
    /// If an input cannot be read, so that roots may be missing, or git changes files meanwhile.
    pub fn roots(&self) -> Result<Vec<RootSummary>, EngineError> {
        let project = self.project();
        self.confirm_all_read(&project)?;
        Ok(project.roots().into_iter().map(|item| project.summary(item)).collect())
    }

    /// Builds one pack in memory; nothing is written. Reads all work items.
    ///
    /// # Errors
    /// If the root or the profile is unknown, an input cannot be read, or the budget cannot hold the root.
    pub fn pack(&self, request: &PackRequest) -> Result<Sealed, EngineError> {
        self.pack_of(&self.project(), request)
    }

    /// Builds packs in memory, in parallel; nothing is written. Reads all work items once, so it costs far less than as
    /// many calls of [`Repository::pack`].
    ///
    /// Returns one result for each request, in their order. A pack that cannot be built stops no other.
    pub fn packs(&self, requests: &[PackRequest]) -> Vec<Result<Sealed, EngineError>> {
        let project = self.project();
        requests.par_iter().map(|request| self.pack_of(&project, request)).collect()
    }

    /// Returns the names of the profiles that the configuration builds by default; a [`PackRequest`] that names none
    /// means the first.
    pub fn profiles(&self) -> &[String] {
        &self.settings().output.profiles
    }

    /// Returns a redactor with the built-in rules and those of the configuration.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(&self.settings().redaction)
    }

    fn pack_of(&self, project: &Project<'_>, request: &PackRequest) -> Result<Sealed, EngineError> {
        let roots = self.find_roots(project, std::slice::from_ref(&request.root))?;
        let profiles = self.configuration().profiles(request.profile.as_slice())?;
        let (Some(root), Some(profile)) = (roots.first(), profiles.into_iter().next()) else {
            return Err(EngineError::NotBuilt { diagnostics: Vec::new() });
        };
        let probe = BudgetProbe::new(project, Some(*root), profile, Stamp::new(request.generated_at.clone()));
        probe.build(request.limits)?.map_err(|diagnostics| EngineError::NotBuilt { diagnostics })
    }
}
