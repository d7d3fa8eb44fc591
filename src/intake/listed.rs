//! Whether a listing still holds, for a process that began to follow its folders after it was made.

use super::Repo;
use super::checkout::CLOCK_TICK;
use super::root::CONFIG_NAMES;
use super::text;
use crate::git;
use crate::model::{RepoPath, SourceTree as _, if_present};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Whether [`Repo::open`] of `root`, if it began at `since`, would give the listing of `repo` now under the same
/// configuration, as far as the times tell of the folders and files that decide it. `false` if that is uncertain. `snapshot`
/// is the folder of the GitHub snapshot.
pub fn is_listed_as_of(root: &Path, repo: &Repo, snapshot: &RepoPath, since: SystemTime) -> bool {
    let Some(since) = since.checked_sub(CLOCK_TICK) else { return false };
    let folders = repo.folders().into_iter().map(|folder| root.join(folder));
    let decides = |path: &&RepoPath| {
        [".gitignore", ".gitattributes"].contains(&path.name()) || CONFIG_NAMES.contains(&path.as_str())
    };
    let files = repo.files().iter().filter(decides).map(|path| root.join(path.as_str()));
    let snapshot = root.join(snapshot.as_str());
    let above = snapshot.ancestors().take_while(|folder| *folder != root).map(Path::to_owned);
    let issues: BTreeSet<PathBuf> = repo.issues().iter().map(|path| root.join(path.dir())).collect();
    let decide = folders.chain(files).chain(above).chain(issues).chain(git::outside_inputs(root));
    let is_older = |path: PathBuf| {
        let Some(metadata) = if_present(path.symlink_metadata())? else { return Ok(true) };
        Ok(text::changed(&metadata)? < since)
    };
    decide.map(is_older).all(|is_older: io::Result<bool>| is_older.unwrap_or(false))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config::DenyList;
    use crate::intake::RepoOptions;
    use std::time::Duration;

    #[test]
    fn a_listing_is_sure_if_nothing_that_decides_it_changed_since() {
        let (folder, deny, hour) =
            (tempfile::tempdir().unwrap(), DenyList::new(&[]).unwrap(), Duration::from_secs(3600));
        std::fs::write(folder.path().join(".gitignore"), "*.log\n").unwrap();
        let repo = Repo::open(folder.path(), RepoOptions { deny: &deny, excluded: &[], snapshot: None }).unwrap();
        let is_sure = |since| is_listed_as_of(repo.root(), &repo, &RepoPath::root(), since);
        // Whatever was written here was written within the last hour.
        assert!(is_sure(SystemTime::now() + hour) && !is_sure(SystemTime::now() - hour));
    }
}
