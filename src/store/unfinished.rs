//! Atomic writes: unfinished files with random names, locked by their process, and the removal of those that killed
//! processes left.
//!
//! A file is written under another name and renamed, so that a reader sees the old one or the new one. The unfinished
//! file is in `.contextpack/tmp`, which git ignores, or beside the file if that folder is on another file system or
//! cannot be used. It is created exclusively, so that an existing file, such as a committed one, is neither opened nor
//! replaced.

use super::read::random_name;
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, DirEntry, OpenOptions};
use std::cell::Cell;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The prefix and the suffix of the names of unfinished files; between them are 32 hex digits.
const UNFINISHED: (&str, &str) = (".contextpack-", ".tmp");

/// The folder of unfinished files in the state folder.
pub(super) const FOLDER: &str = "tmp";

const MAX_TRIES: usize = 16;

/// The age from which an unfinished file counts as abandoned on a file system without locks.
const ABANDONED: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Staging {
    dir: Dir,
    /// Whether it is on another file system than the output folder.
    apart: AtomicBool,
}

impl Staging {
    /// Opens the folder below the repo's root, creating it if it is missing.
    pub(super) fn open(root: &Dir, state: &str) -> io::Result<Self> {
        let dir = open_dir(&open_dir(root, state, true)?, FOLDER, true)?;
        if dir.symlink_metadata(".gitignore").is_err() {
            replace(&dir, None, ".gitignore", b"# Files that are being written.\n*\n", MODE)?;
        }
        Ok(Self { dir, apart: AtomicBool::new(false) })
    }
}

pub(super) fn open_dir(dir: &Dir, name: &str, create: bool) -> io::Result<Dir> {
    match dir.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && create => match dir.create_dir(name) {
            // Another thread or process may have been first.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => dir.open_dir_nofollow(name),
        },
        opened => opened,
    }
}

pub(super) const MODE: u32 = 0o644;

/// Writes `bytes` to `name` in `dir` atomically, through a file in `staging` or, failing that, beside it.
pub(super) fn replace(dir: &Dir, staging: Option<&Staging>, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    write(dir, staging, bytes, mode, &|from, unfinished| from.rename(unfinished, dir, name))
}

/// Writes `bytes` to `name` in `dir` as a whole, unless the name exists, which one of several processes finds free.
pub(super) fn create(dir: &Dir, staging: Option<&Staging>, name: &str, bytes: &[u8], mode: u32) -> io::Result<bool> {
    if dir.symlink_metadata(name).is_ok() {
        return Ok(false);
    }
    // Only a link that is refused may be done without: after a write that failed the name must stay free.
    let refused = Cell::new(false);
    let created = write(dir, staging, bytes, mode, &|from, unfinished| {
        from.hard_link(unfinished, dir, name).inspect_err(|error| refused.set(refuses_links(error)))?;
        // A later sweep removes it if this fails.
        let _removed_later = from.remove_file(unfinished);
        Ok(())
    });
    match created {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(_) if refused.get() => create_in_place(dir, name, bytes, mode),
        Err(error) => Err(error),
    }
}

/// Gives an unfinished file in a folder its name.
type Publish<'a> = dyn Fn(&Dir, &str) -> io::Result<()> + 'a;

/// Writes `bytes` to an unfinished file in `staging` or, failing that, in `dir`, and publishes it.
fn write(dir: &Dir, staging: Option<&Staging>, bytes: &[u8], mode: u32, publish: &Publish<'_>) -> io::Result<()> {
    if let Some(staging) = staging.filter(|staging| !staging.apart.load(Ordering::Relaxed)) {
        match write_through(&staging.dir, bytes, mode, publish) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => staging.apart.store(true, Ordering::Relaxed),
            // A write beside the file may still succeed.
            Err(_) => {}
        }
    }
    write_through(dir, bytes, mode, publish)
}

/// Returns whether an error of a hard link says that the file system has none, as FAT, or allows none, as Android.
fn refuses_links(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, TooManyLinks, Unsupported};
    // `ERROR_INVALID_FUNCTION` and `ERROR_NOT_SUPPORTED`.
    let is_refused_by_windows = || cfg!(windows) && matches!(error.raw_os_error(), Some(1 | 50));
    matches!(error.kind(), PermissionDenied | TooManyLinks | Unsupported) || is_refused_by_windows()
}

/// Creates a file without a hard link: the name is still created once, but a reader may see half of the file.
fn create_in_place(dir: &Dir, name: &str, bytes: &[u8], mode: u32) -> io::Result<bool> {
    match dir.open_with(name, &new_file(mode)) {
        Ok(mut file) => file.write_all(bytes).map(|()| true).inspect_err(|_| {
            // The first error is the one to report.
            let _ = dir.remove_file(name);
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn new_file(mode: u32) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options
}

fn write_through(from: &Dir, bytes: &[u8], mode: u32, publish: &Publish<'_>) -> io::Result<()> {
    let options = new_file(mode);
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..MAX_TRIES {
        let unfinished = format!("{}{}{}", UNFINISHED.0, random_name(), UNFINISHED.1);
        let file = match from.open_with(&unfinished, &options) {
            Ok(file) => file.into_std(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                last = error;
                continue;
            }
            Err(error) => return Err(error),
        };
        // Another process that found the file abandoned has locked it, and will remove it.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            continue;
        }
        let written = (&file).write_all(bytes).and_then(|()| {
            // Windows cannot rename an open file; elsewhere the lock is held until the file has its name.
            let _locked = if cfg!(windows) {
                drop(file);
                None
            } else {
                Some(file)
            };
            publish(from, &unfinished)
        });
        match written {
            // Removed by another process before it was locked.
            Err(error) if error.kind() == io::ErrorKind::NotFound => last = error,
            Err(error) => {
                // The first error is the one to report; a later run removes the file if this fails too.
                let _removed_later = from.remove_file(&unfinished);
                return Err(error);
            }
            Ok(()) => return Ok(()),
        }
    }
    Err(last)
}

/// Removes the unfinished files of killed processes in `dir`, as far as it can, except those that are protected.
pub(super) fn sweep(dir: &Dir, path: &Path, is_protected: &dyn Fn(&Path) -> bool) {
    let Ok(entries) = dir.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_unfinished(name)) else { continue };
        // The lock is held until the file is gone, so that a process that has just created it tries another name.
        let Some(_locked) = abandoned(dir, name, &entry) else { continue };
        if !is_protected(&path.join(name)) {
            let _gone_already = dir.remove_file(name);
        }
    }
}

fn is_unfinished(name: &str) -> bool {
    let random = name.strip_prefix(UNFINISHED.0).and_then(|name| name.strip_suffix(UNFINISHED.1));
    random.is_some_and(|random| {
        random.len() == 32 && random.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Opens and locks an unfinished file; `None` if a process is still writing it.
fn abandoned(dir: &Dir, name: &str, entry: &DirEntry) -> Option<File> {
    let metadata = entry.metadata().ok().filter(|metadata| metadata.is_file())?;
    let mut options = OpenOptions::new();
    // Some network file systems grant exclusive locks only on files that are open for writing.
    options.read(true).write(true).nonblock(true).follow(FollowSymlinks::No);
    let file = dir.open_with(name, &options).ok()?.into_std();
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => {
            let age = metadata.modified().ok()?.into_std().elapsed().ok()?;
            (age > ABANDONED).then_some(file)
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn only_links_that_are_refused_are_done_without() {
        let refuses = |errno: Errno| refuses_links(&io::Error::from_raw_os_error(errno.raw_os_error()));
        assert!([Errno::PERM, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::MLINK, Errno::NOSYS].into_iter().all(refuses));
        let failed = [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::FBIG, Errno::ROFS, Errno::XDEV, Errno::NOENT];
        assert!(!failed.into_iter().any(refuses));
    }

    #[test]
    fn a_file_that_is_written_in_place_is_created_once() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
        assert!(create_in_place(&dir, "a", b"text", MODE).unwrap());
        assert!(!create_in_place(&dir, "a", b"other", MODE).unwrap());
        assert_eq!(dir.read("a").unwrap(), b"text");
    }
}
