//! Whether packs are what the checkout gives.

use super::sides::Side;
use crate::cli::args::{BudgetArgs, Global};
use crate::cli::console;
use crate::cli::failure::Failure;
use crate::cli::packs;
use crate::cli::report;
use crate::cli::workspace::{open, settled};
use crate::engine::{Built, Project, lost_its_issue};
use crate::model::Severity;
use crate::review::{self, Rebuilt, read};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How the packs of a side stand to a build of the checkout, by file; and whether its input has no errors.
///
/// Packs that the build gives and the side lacks are among them, unless the side is a single pack.
pub(super) fn rebuild(global: &Global, side: &Side) -> Result<(BTreeMap<String, Rebuilt>, bool), Failure> {
    settled(|| try_rebuild(global, side))
}

fn try_rebuild(global: &Global, side: &Side) -> Result<(BTreeMap<String, Rebuilt>, bool), Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let built = Mutex::new(BTreeMap::new());
    let run =
        packs::run(global, &repository, &project, project.roots(), &BudgetArgs::default(), None, &|pack: Built| {
            if let Ok(sealed) = pack.outcome {
                built.lock().unwrap_or_else(PoisonError::into_inner).insert(pack.name, sealed);
            }
        })?;
    let errors: Vec<_> =
        run.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).cloned().collect();
    report::text(&mut console::stderr(), &errors, &|_| None)?;
    let built = built.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut standings = BTreeMap::new();
    if !side.single {
        standings.extend(built.keys().map(|name| (name.clone(), Rebuilt::Differs)));
    }
    for (file, bytes) in &side.packs {
        let standing = match built.get(side.named(file)) {
            Some(sealed) if sealed.is_unchanged(bytes) => Rebuilt::Equal,
            Some(sealed) if lost_its_issue(bytes, sealed.pack()) => Rebuilt::Unverifiable,
            None if lacks_its_issue(&project, bytes) => Rebuilt::Unverifiable,
            Some(_) | None => Rebuilt::Differs,
        };
        standings.insert(file.clone(), standing);
    }
    Ok((standings, errors.is_empty()))
}

/// Whether a pack is of an issue alone that the snapshot lacks.
fn lacks_its_issue(project: &Project<'_>, bytes: &[u8]) -> bool {
    let Ok(pack) = read(bytes) else { return false };
    let url = pack.root.issue_url.as_deref().filter(|_| pack.root.work_item_id.is_none());
    let lacks = |(repo, number)| project.graph().of_issue(project.corpus(), repo, number).is_none();
    url.and_then(review::parse_issue_url).is_some_and(lacks)
}
