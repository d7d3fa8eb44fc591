//! The report of one check of a watched repo.

use super::{FollowError, SavedPack};
use crate::engine::{EngineError, PackState, RootError};
use crate::model::Diagnostic;
use crate::store::StoreError;
use std::error::Error;
use std::time::Duration;

/// The report of one check: the changes and the problems.
#[derive(Debug, Default)]
pub struct WatchReport {
    /// The packs that were written.
    pub saved: Vec<SavedPack>,
    /// The packs that could not be built; their files are unchanged.
    pub failed: Vec<PackState>,
    /// The names of packs that something else wrote, such as git, and that are as a build gives them.
    pub arrived: Vec<String>,
    /// The packs of former ids that were removed.
    pub removed: Vec<PackState>,
    /// The names of orphaned packs that were not removed: another program wrote them, or their root's file cannot be
    /// read at present.
    pub orphaned: Vec<String>,
    /// How many packs are as they were.
    pub unchanged: usize,
    /// The diagnostics that are new.
    pub diagnostics: Vec<Diagnostic>,
    /// The earlier diagnostics that no longer hold.
    pub gone: Vec<Diagnostic>,
    /// The roots as typed that match no item, or several, at present.
    pub unresolved: Vec<RootError>,
    /// What made the check incomplete.
    pub problems: Vec<WatchProblem>,
    /// Whether this check is the first without a problem or a failed pack.
    pub recovered: bool,
    /// Whether packs of several profiles are built.
    pub several_profiles: bool,
    /// How long the check took, without waiting for the end of the burst.
    pub took: Duration,
}

/// A problem that makes a check incomplete.
#[derive(Debug)]
pub enum WatchProblem {
    /// Nothing was built: the packs are those of the last build.
    Session(EngineError),
    Follow(FollowError),
    Now(StoreError),
}

impl WatchProblem {
    pub fn error(&self) -> &(dyn Error + 'static) {
        match self {
            Self::Session(error) => error,
            Self::Follow(error) => error,
            Self::Now(error) => error,
        }
    }

    /// Describes the problem with its causes on one line, by which equal problems are recognised.
    pub fn to_line(&self) -> String {
        let error = self.error();
        let causes = std::iter::successors(error.source(), |cause| (*cause).source());
        let mut line = causes.fold(error.to_string(), |line, cause| format!("{line}: {cause}"));
        if let Self::Session(EngineError::Config { diagnostics: faults, .. }) = self {
            for fault in faults {
                let at = fault.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
                line += &format!("; {at}{}", fault.message);
            }
        }
        line
    }
}

impl WatchReport {
    /// Returns whether nothing changed and no problem began or ended.
    pub fn is_quiet(&self) -> bool {
        let packs = [&self.failed, &self.removed].into_iter().all(Vec::is_empty) && self.saved.is_empty();
        let names = [&self.arrived, &self.orphaned].into_iter().all(Vec::is_empty) && self.unresolved.is_empty();
        let diagnostics = [&self.diagnostics, &self.gone].into_iter().all(Vec::is_empty);
        packs && names && diagnostics && self.problems.is_empty() && !self.recovered
    }
}
