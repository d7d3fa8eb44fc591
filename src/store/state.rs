//! The state folder `.contextpack/`.

use super::{Folder, StoreError, Wrote};
use std::path::Path;

/// The state folder's name.
const STATE: &str = ".contextpack";

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
pub fn init_state_dir(root: &Path, keep_snapshot: bool) -> Result<Wrote, StoreError> {
    let failed = |source| StoreError::Write { path: root.join(STATE), source };
    let name = crate::model::RepoPath::new(STATE).map_err(|_| failed(std::io::ErrorKind::InvalidInput.into()))?;
    let text = if keep_snapshot { KEEP_SNAPSHOT } else { KEEP_NOTHING };
    Folder::open(root, &name)?.write_once(".gitignore", text.as_bytes())
}
