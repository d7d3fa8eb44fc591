//! The state folder `.contextpack/`.

use super::{Folder, StoreError, Symlinks, WriteResult, read_file, unfinished};
use crate::model::RepoPath;
use std::path::Path;

pub(super) const STATE: &str = ".contextpack";

/// The `.gitignore` of the state folder if the snapshot is committed.
const KEEP_SNAPSHOT: &str = "\
# The state of contextpack. The GitHub snapshot is an input of the packs and is
# committed with them; all else can be made again.
*
!.gitignore
!github/
!github/**
";

/// The `.gitignore` of the state folder if packs, and so their inputs from GitHub, are not committed.
const KEEP_NOTHING: &str = "\
# The state of contextpack. All of it can be made again.
*
!.gitignore
";

/// Creates the state folder, and its `.gitignore` or what is missing in it. `keep_snapshot` says whether `github/` is
/// committed, which it is if packs are. A `.gitignore` that this program wrote, perhaps in part, is replaced, and so is
/// a link, which git does not read. The lines of another one are kept above the text that ignores everything, since the
/// last line that matches decides; one that ignores everything by itself stays.
pub fn init_state_dir(root: &Path, keep_snapshot: bool) -> Result<WriteResult, StoreError> {
    let (folder, wanted) = (open_state(root)?, state_ignore(keep_snapshot));
    if folder.write_once(IGNORE, wanted.as_bytes())? == WriteResult::Written {
        return Ok(WriteResult::Written);
    }
    let path = folder.path().join(IGNORE);
    if path.is_symlink() {
        return folder.rewrite(IGNORE, wanted.as_bytes());
    }
    // What cannot be read is somebody's own.
    let Ok(existing) = read_file(&path, Symlinks::Refuse) else { return Ok(WriteResult::Unchanged) };
    let existing = String::from_utf8_lossy(&existing).replace("\r\n", "\n");
    let ours = [wanted, state_ignore(!keep_snapshot)];
    let lines = || existing.lines().map(str::trim);
    let hides_all = lines().any(|line| line == "*") && !lines().any(|line| line.starts_with('!'));
    let is_ours = ours.iter().any(|text| text.starts_with(&existing));
    if existing.ends_with(wanted) || hides_all && !is_ours {
        return Ok(WriteResult::Unchanged);
    }
    let mut others =
        if is_ours { String::new() } else { ours.iter().fold(existing, |text, ours| text.replace(ours, "")) };
    if !others.is_empty() && !others.ends_with('\n') {
        others.push('\n');
    }
    folder.rewrite(IGNORE, format!("{others}{wanted}").as_bytes())
}

/// Creates the state folder with a `.gitignore` that ignores everything, also itself, unless it has one.
pub fn hide_state(root: &Path) -> Result<(), StoreError> {
    let hidden = KEEP_NOTHING.trim_end_matches("!.gitignore\n");
    open_state(root)?.write_once(IGNORE, hidden.as_bytes()).map(drop)
}

const IGNORE: &str = ".gitignore";

fn state_ignore(keep_snapshot: bool) -> &'static str {
    if keep_snapshot { KEEP_SNAPSHOT } else { KEEP_NOTHING }
}

pub fn open_state(root: &Path) -> Result<Folder, StoreError> {
    Folder::open(root, &below(root, "")?)
}

/// Removes the unfinished files of killed processes in the state folder, except those that `is_protected` protects.
pub fn sweep_state(root: &Path, is_protected: &dyn Fn(&Path) -> bool) {
    let folder = below(root, unfinished::FOLDER).and_then(|path| Folder::open(root, &path));
    if let Ok(folder) = folder {
        folder.sweep(is_protected);
    }
}

/// Opens the cache folder; [`mark_cache`] marks it with the first write.
pub(super) fn open_cache(root: &Path) -> Result<Folder, StoreError> {
    Folder::open(root, &below(root, "cache")?)
}

fn below(root: &Path, name: &str) -> Result<RepoPath, StoreError> {
    let failed = |_| StoreError::reading(root.join(STATE))(std::io::ErrorKind::InvalidInput.into());
    RepoPath::new(format!("{STATE}/{name}").trim_end_matches('/')).map_err(failed)
}

/// Marks the cache folder as one that neither git nor a backup needs.
pub(super) fn mark_cache(folder: &Folder) -> Result<(), StoreError> {
    folder.write_once(".gitignore", b"# What contextpack found out. It can be deleted at any time.\n*\n")?;
    folder.write_once("CACHEDIR.TAG", CACHE_TAG)?;
    Ok(())
}

const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of contextpack.\n";
