//! After a `sync`: what the snapshot is now, seen as builds see it.

use super::args::{Global, SyncArgs};
use super::console;
use super::failure::Failure;
use super::workspace::open;
use crate::engine::{Project, Repository};
use crate::github::SyncSummary;
use crate::model::{Code, RepoPath, SourceTree as _};
use crate::store::Folder;
use std::io::Write as _;

/// Removes neighbours that nothing refers to any more, and warns where private issues would be committed.
pub(crate) fn look(global: &Global, args: &SyncArgs, summary: &mut SyncSummary) -> Result<(), Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    if may_remove(&repository, args, summary) && repository.files().is_settled() {
        remove(global, &repository, &project, summary)?;
    }
    summary.diagnostics.extend(project.private_repos());
    summary.diagnostics.sort();
    Ok(())
}

/// Not where the run named its issues, failed or is not done: then nobody knows who is needed.
fn may_remove(repository: &Repository, args: &SyncArgs, summary: &SyncSummary) -> bool {
    let whole = args.roots.is_empty() && summary.complete && summary.error.is_none();
    // An issue that was moved is named by its old number still.
    let moved = summary.diagnostics.iter().any(|told| told.code == Code::IssueMoved);
    let unread = repository.files().diagnostics().iter().any(|told| told.code == Code::InvalidSnapshot);
    // Without the configured repo `#12` of a work item names no issue.
    whole && !moved && !unread && repository.settings().github.repo.is_some()
}

fn remove(
    global: &Global,
    repository: &Repository,
    project: &Project<'_>,
    summary: &mut SyncSummary,
) -> Result<(), Failure> {
    let mut removed = 0;
    for path in project.leftover_issues() {
        let Some((folder, name)) = path.as_str().rsplit_once('/') else { continue };
        let Ok(folder) = RepoPath::new(folder) else { continue };
        if Folder::open(repository.root(), &folder)?.remove(name)? {
            summary.changed.retain(|(changed, _)| *changed != path.as_str());
            summary.changed.push((path.to_string(), "removed"));
            removed += 1;
        }
    }
    summary.changed.sort();
    if removed > 0 && !global.quiet {
        let issues = if removed == 1 { "1 issue".to_owned() } else { format!("{removed} issues") };
        writeln!(console::stderr(), "{issues} left the snapshot, since nothing that gets a pack refers to them")?;
    }
    Ok(())
}
