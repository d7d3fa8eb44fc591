//! The freshness of the packs on a page: each pack of the repo is compared with the one that a build gives now.

use crate::console::{Failure, Workspace, settled, stamp};
use crate::engine::{BudgetLimits, check_packs, orphaned};
use crate::review::Freshness;
use crate::store::Folder;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The packs of the repo's output folder, compared with those that a build gives.
#[derive(Debug)]
pub(crate) struct CheckedFolder {
    /// The output folder, without links.
    pub(crate) path: PathBuf,
    /// The freshness by name of the pack.
    pub(crate) packs: BTreeMap<String, Freshness>,
}

/// Compares the packs of the repo around the current folder; `None` if there is no repo, or none that can be built.
///
/// A page shows packs wherever it is made, so nothing here is an error.
pub(crate) fn check(workspace: &Workspace) -> Option<CheckedFolder> {
    settled(|| checked(workspace)).ok()
}

fn checked(workspace: &Workspace) -> Result<CheckedFolder, Failure> {
    let repository = workspace.open(&[], None)?;
    let project = repository.project();
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    let path = folder.path().canonicalize()?;
    let job = repository.job(&project, project.roots(), (&[], BudgetLimits::default()), stamp()?)?;
    let (mut states, build) = check_packs(repository.files(), &project, &job, &folder, true, &|| ())?;
    if !build.blocked {
        states.extend(orphaned(&repository, &project, &job.roots, &job.profiles, &folder, &build.diagnostics)?);
    }
    repository.confirm_settled()?;
    let found = states.into_iter().filter(|state| state.status != "missing");
    let packs = found.map(|it| (it.name, Freshness { status: it.status, reasons: it.reasons })).collect();
    Ok(CheckedFolder { path, packs })
}
