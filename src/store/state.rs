//! The state folder `.contextpack/`.

use super::{Folder, StoreError, WriteResult, unfinished};
use crate::model::RepoPath;
use std::path::Path;

/// The state folder's name.
pub(super) const STATE: &str = ".contextpack";

/// What its `.gitignore` says where the snapshot is committed.
const KEEP_SNAPSHOT: &str = "\
# The state of contextpack. The GitHub snapshot is an input of the packs and is
# committed with them; all else can be made again.
*
!.gitignore
!github/
!github/**
";

/// What it says where packs, and so their inputs from GitHub, are not committed.
const KEEP_NOTHING: &str = "\
# The state of contextpack. All of it can be made again.
*
!.gitignore
";

/// Makes the state folder with a `.gitignore` of its own, and leaves one that is there alone.
///
/// `keep_snapshot` says whether `github/` is committed: it is where packs are.
///
/// # Errors
/// Where the folder is a link or no folder, or the system refuses.
pub fn init_state_dir(root: &Path, keep_snapshot: bool) -> Result<WriteResult, StoreError> {
    let text = if keep_snapshot { KEEP_SNAPSHOT } else { KEEP_NOTHING };
    open_state(root)?.write_once(".gitignore", text.as_bytes())
}

/// Opens the state folder, as [`init_state_dir`] makes it.
///
/// # Errors
/// Where it is a link or no folder, or the system refuses.
pub fn open_state(root: &Path) -> Result<Folder, StoreError> {
    Folder::open(root, &below(root, "")?)
}

/// Removes what killed processes left of files that they were writing, unless `kept` says of a path that it has to stay.
pub fn sweep_state(root: &Path, kept: &dyn Fn(&Path) -> bool) {
    let folder = below(root, unfinished::FOLDER).and_then(|path| Folder::open(root, &path));
    if let Ok(folder) = folder {
        folder.sweep(kept);
    }
}

/// Opens the folder of the cache. What keeps it out of git and of backups comes with the first write.
///
/// # Errors
/// Where it, or the state folder, is a link or no folder, or the system refuses.
pub(super) fn open_cache(root: &Path) -> Result<Folder, StoreError> {
    Folder::open(root, &below(root, "cache")?)
}

/// The path of a folder in the state folder.
fn below(root: &Path, name: &str) -> Result<RepoPath, StoreError> {
    let failed = |_| StoreError::Read { path: root.join(STATE), source: std::io::ErrorKind::InvalidInput.into() };
    RepoPath::new(format!("{STATE}/{name}").trim_end_matches('/')).map_err(failed)
}

/// Marks the folder of the cache as one that neither git nor a backup needs.
///
/// # Errors
/// Where the system refuses.
pub(super) fn mark_cache(folder: &Folder) -> Result<(), StoreError> {
    folder.write_once(".gitignore", b"# What contextpack found out. It can be deleted at any time.\n*\n")?;
    folder.write_once("CACHEDIR.TAG", CACHE_TAG)?;
    Ok(())
}

/// As <https://bford.info/cachedir/> has it.
const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of contextpack.\n";
