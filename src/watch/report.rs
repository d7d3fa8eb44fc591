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
    pub unchanged: usize,
    pub diagnostics: Vec<Diagnostic>,
    pub gone: Vec<Diagnostic>,
    /// The roots as typed that match no item, or several, at present.
    pub unresolved: Vec<RootError>,
    pub problems: Vec<WatchProblem>,
    pub recovered: bool,
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
    pub fn is_quiet(&self) -> bool {
        self.saved.is_empty()
            && self.failed.is_empty()
            && self.arrived.is_empty()
            && self.removed.is_empty()
            && self.orphaned.is_empty()
            && self.diagnostics.is_empty()
            && self.gone.is_empty()
            && self.unresolved.is_empty()
            && self.problems.is_empty()
            && !self.recovered
    }
}
