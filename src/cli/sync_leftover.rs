//! After a `sync` of everything: neighbours that nothing refers to any more leave the snapshot.

use super::args::{Global, SyncArgs};
use super::failure::Failure;
use super::workspace::Workspace;
use contextpack::github::Summary;
use contextpack::model::{Code, RepoPath};
use contextpack::store::Folder;
use std::io::Write as _;

/// Removes them, unless the run named its issues, failed or is not done: then nobody knows who is needed.
pub(crate) fn remove(global: &Global, args: &SyncArgs, summary: &mut Summary) -> Result<(), Failure> {
    // An issue that was moved is named by its old number still.
    let moved = summary.diagnostics.iter().any(|told| told.code == Code::IssueMoved);
    if !args.roots.is_empty() || !summary.complete || summary.error.is_some() || moved {
        return Ok(());
    }
    // As builds see it now.
    let workspace = Workspace::open(global, &[])?;
    let unread = workspace.repo.diagnostics().iter().any(|diagnostic| diagnostic.code == Code::InvalidSnapshot);
    // Without the configured repo `#12` of a work item names no issue.
    if unread || workspace.settings.github.repo.is_none() {
        return Ok(());
    }
    let desk = workspace.desk();
    let mut removed = 0;
    for path in desk.leftover_issues() {
        let Some((folder, name)) = path.as_str().rsplit_once('/') else { continue };
        let Ok(folder) = RepoPath::new(folder) else { continue };
        if Folder::open(&workspace.root, &folder)?.remove(name)? {
            summary.changed.retain(|(changed, _)| *changed != path.as_str());
            summary.changed.push((path.to_string(), "removed"));
            removed += 1;
        }
    }
    summary.changed.sort();
    if removed > 0 && !global.quiet {
        let issues = if removed == 1 { "1 issue".to_owned() } else { format!("{removed} issues") };
        writeln!(anstream::stderr(), "{issues} left the snapshot, since nothing that gets a pack refers to them")?;
    }
    Ok(())
}
