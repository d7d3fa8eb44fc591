//! What one look at the repo found.

use super::{FollowError, SavedPack};
use crate::engine::RootError;
use crate::engine::{EngineError, WriteOutcome};
use crate::model::Diagnostic;
use crate::store::StoreError;
use std::error::Error;
use std::time::Duration;

/// What one look found and did.
#[derive(Debug, Default)]
pub struct WatchReport {
    /// The packs that were written, by name.
    pub saved: Vec<SavedPack>,
    /// Those that could not be built; their files are as they were.
    pub failed: Vec<WriteOutcome>,
    /// Packs that stood under a former id and were removed.
    pub removed: Vec<RemovedPack>,
    /// Names of packs that are no longer made and were left: another program wrote them, or their root's file
    /// cannot be read just now.
    pub left: Vec<String>,
    /// How many packs are as they were.
    pub unchanged: usize,
    /// What is wrong and was not before.
    pub diagnostics: Vec<Diagnostic>,
    /// Roots as typed that stand for no one item now.
    pub unresolved: Vec<RootError>,
    /// What kept the look from being a whole one and did not before.
    pub trouble: Vec<WatchProblem>,
    /// Whether there was such trouble and there is none any more.
    pub mended: bool,
    /// Whether there are packs of several profiles.
    pub several_profiles: bool,
    /// How long it took, without waiting for the end of the burst.
    pub took: Duration,
}

/// A pack that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedPack {
    /// The file's name.
    pub name: String,
    /// The id that its root had.
    pub root: String,
    /// The profile.
    pub profile: String,
}

/// What keeps a look from being a whole one.
#[derive(Debug)]
pub enum WatchProblem {
    /// Nothing was built: packs and `now.md` are those of the last build.
    Session(EngineError),
    /// Some changes will not be seen.
    Follow(FollowError),
    /// `now.md` could not be written.
    Now(StoreError),
}

impl WatchProblem {
    /// What was thrown.
    pub fn error(&self) -> &(dyn Error + 'static) {
        match self {
            Self::Session(error) => error,
            Self::Follow(error) => error,
            Self::Now(error) => error,
        }
    }

    /// With its causes, on one line; tells troubles apart.
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
    /// Whether the look found nothing to tell.
    pub fn is_quiet(&self) -> bool {
        self.saved.is_empty()
            && self.failed.is_empty()
            && self.removed.is_empty()
            && self.left.is_empty()
            && self.diagnostics.is_empty()
            && self.unresolved.is_empty()
            && self.trouble.is_empty()
            && !self.mended
    }
}
