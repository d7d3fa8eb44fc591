//! One folder of finished files.

use super::StoreError;
use super::read::read_open;
use crate::model::{FileState, RepoPath};
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, Metadata, OpenOptions};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

/// How the names of unfinished files begin and end.
const UNFINISHED: (&str, &str) = (".contextpack-", ".tmp");

/// An unfinished file that nobody has touched for so long belongs to a process that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    /// The file is new or has new bytes.
    Written,
    /// The file had these bytes already and was not touched.
    Unchanged,
}

/// An output folder. It need not exist before the first write.
///
/// Every name is used relative to the folder's open handle, so that whoever
/// renames or replaces the folder meanwhile redirects nothing. All calls may
/// be made from several threads, and by several processes.
#[derive(Debug)]
pub struct Folder {
    /// Where it is, for messages.
    shown: PathBuf,
    place: Place,
    /// Its handle, once it exists.
    handle: Mutex<Option<Arc<Dir>>>,
    /// Done before the first write: unfinished files of killed processes are removed.
    swept: Once,
}

/// How the folder is reached.
#[derive(Debug)]
enum Place {
    /// From the repo's root, through real folders only.
    Inside(Dir, RepoPath),
    /// By a path that the user named, links and all.
    Anywhere,
}

impl Folder {
    /// The folder `dir` of the repo at `root`.
    ///
    /// # Errors
    /// Where a part of `dir` exists and is a link, or no folder.
    pub fn open(root: &Path, dir: &RepoPath) -> Result<Self, StoreError> {
        let top = Dir::open_ambient_dir(root, ambient_authority())
            .map_err(|source| StoreError::Read { path: root.to_owned(), source })?;
        let shown = dir.as_str().split('/').fold(root.to_owned(), |path, part| path.join(part));
        Self::new(shown, Place::Inside(top, dir.clone()))
    }

    /// The folder at `path`, which the user named: its links are followed.
    ///
    /// # Errors
    /// Where something that is no folder stands there.
    pub fn open_anywhere(path: &Path) -> Result<Self, StoreError> {
        Self::new(path.to_owned(), Place::Anywhere)
    }

    fn new(shown: PathBuf, place: Place) -> Result<Self, StoreError> {
        let folder = Self { shown, place, handle: Mutex::new(None), swept: Once::new() };
        folder.existing()?;
        Ok(folder)
    }

    /// The folder's path as it was named, for messages.
    pub fn path(&self) -> &Path {
        &self.shown
    }

    /// The bytes of a file, `None` where there is no regular file of that name.
    /// A link is not followed: it counts as absent, and a write replaces it.
    ///
    /// # Errors
    /// Where `name` is no plain file name or the system refuses.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.checked(name)?;
        let Some(dir) = self.existing()? else {
            return Ok(None);
        };
        read(&dir, name).map_err(|source| StoreError::Read { path, source })
    }

    /// What the system tells of a regular file without reading it; nothing where it is none, or too little is told.
    pub fn state(&self, name: &str) -> Option<FileState> {
        let metadata = self.existing().ok()??.symlink_metadata(name).ok()?;
        state_of(&metadata)
    }

    /// Makes `name` hold `bytes`: whoever looks sees the old file or the new one, whole.
    /// The folder is created where it is missing.
    ///
    /// # Errors
    /// Where `name` is no plain file name, a folder stands there or the system
    /// refuses; the old file is then as it was, and no other is left behind.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<Wrote, StoreError> {
        let path = self.checked(name)?;
        let dir = self.created()?;
        if has(&dir, name, bytes) {
            return Ok(Wrote::Unchanged);
        }
        match replace(&dir, name, bytes) {
            Ok(()) => Ok(Wrote::Written),
            Err(_) if is_folder(&dir, name) => Err(StoreError::NotAFile { path }),
            Err(source) => Err(StoreError::Write { path, source }),
        }
    }

    /// Writes a file, hidden ones too, unless something of that name is there already.
    pub(super) fn write_once(&self, name: &str, bytes: &[u8]) -> Result<Wrote, StoreError> {
        let dir = self.created()?;
        if dir.symlink_metadata(name).is_ok() {
            return Ok(Wrote::Unchanged);
        }
        replace(&dir, name, bytes).map_err(|source| StoreError::Write { path: self.shown.join(name), source })?;
        Ok(Wrote::Written)
    }

    /// The names of the folders in it, sorted by bytes; none where there is no folder. Links count for none.
    ///
    /// # Errors
    /// Where the folder cannot be listed.
    pub fn folders(&self) -> Result<Vec<String>, StoreError> {
        self.names(&|_, kind| kind.is_dir())
    }

    /// The names of the regular files that end in `.json`, sorted by bytes; none where there is no folder.
    ///
    /// # Errors
    /// Where the folder cannot be listed.
    pub fn list(&self) -> Result<Vec<String>, StoreError> {
        self.names(&|name, kind| name.ends_with(".json") && !name.starts_with('.') && kind.is_file())
    }

    fn names(&self, wanted: &dyn Fn(&str, FileType) -> bool) -> Result<Vec<String>, StoreError> {
        let Some(dir) = self.existing()? else {
            return Ok(Vec::new());
        };
        let failed = |source| StoreError::Read { path: self.shown.clone(), source };
        let mut names = Vec::new();
        for entry in dir.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // A name that is not UTF-8 is none that was written here.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if wanted(&name, entry.file_type().map_err(failed)?) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes a file, of a link only the link; says whether there was one.
    ///
    /// # Errors
    /// Where `name` is no plain file name or the system refuses.
    pub fn remove(&self, name: &str) -> Result<bool, StoreError> {
        let path = self.checked(name)?;
        let Some(dir) = self.existing()? else {
            return Ok(false);
        };
        match dir.remove_file(name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(_) if is_folder(&dir, name) => Err(StoreError::NotAFile { path }),
            Err(source) => Err(StoreError::Remove { path, source }),
        }
    }

    /// The full path of a name that cannot leave the folder.
    fn checked(&self, name: &str) -> Result<PathBuf, StoreError> {
        let path = self.shown.join(name);
        let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
        if plain { Ok(path) } else { Err(StoreError::Name { path }) }
    }

    /// The handle of the folder if it exists.
    fn existing(&self) -> Result<Option<Arc<Dir>>, StoreError> {
        self.handle(false)
    }

    /// The handle of the folder, which is created where it is missing.
    fn created(&self) -> Result<Arc<Dir>, StoreError> {
        let missing = || StoreError::Write { path: self.shown.clone(), source: io::ErrorKind::NotFound.into() };
        let dir = self.handle(true)?.ok_or_else(missing)?;
        self.swept.call_once(|| sweep(&dir));
        Ok(dir)
    }

    fn handle(&self, create: bool) -> Result<Option<Arc<Dir>>, StoreError> {
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        if handle.is_none() {
            let opened = match &self.place {
                Place::Inside(root, dir) => self.inside(root, dir, create)?,
                Place::Anywhere => self.anywhere(create)?,
            };
            *handle = opened.map(Arc::new);
        }
        Ok(handle.clone())
    }

    /// Opens the folder part by part and follows no link.
    fn inside(&self, root: &Dir, dir: &RepoPath, create: bool) -> Result<Option<Dir>, StoreError> {
        let mut here = root.try_clone().map_err(|source| StoreError::Read { path: self.shown.clone(), source })?;
        let mut shown = self.shown.clone();
        let parts: Vec<&str> = dir.as_str().split('/').filter(|part| !part.is_empty()).collect();
        parts.iter().for_each(|_| {
            shown.pop();
        });
        for part in parts {
            shown.push(part);
            let opened = match here.open_dir_nofollow(part) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && !create => {
                    return Ok(None);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match here.create_dir(part) {
                        // Another thread or process may have been first.
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(StoreError::Write { path: shown, source: error });
                        }
                        _ => here.open_dir_nofollow(part),
                    }
                }
                opened => opened,
            };
            here = match opened {
                Ok(dir) => dir,
                Err(source) => {
                    return Err(match here.symlink_metadata(part) {
                        Ok(metadata) if metadata.is_symlink() => StoreError::Link { path: shown },
                        Ok(metadata) if !metadata.is_dir() => StoreError::NotAFolder { path: shown },
                        _ => StoreError::Read { path: shown, source },
                    });
                }
            };
        }
        Ok(Some(here))
    }

    fn anywhere(&self, create: bool) -> Result<Option<Dir>, StoreError> {
        let path = || self.shown.clone();
        if create {
            fs::create_dir_all(&self.shown).map_err(|source| StoreError::Write { path: path(), source })?;
        }
        match Dir::open_ambient_dir(&self.shown, ambient_authority()) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(_) if self.shown.exists() && !self.shown.is_dir() => Err(StoreError::NotAFolder { path: path() }),
            Err(source) => Err(StoreError::Read { path: path(), source }),
        }
    }
}

/// Reads a regular file; a link, folder or pipe of that name is no file.
fn read(dir: &Dir, name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    match dir.symlink_metadata(name) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = dir.open_with(name, &options)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    read_open(file).map(Some)
}

fn is_folder(dir: &Dir, name: &str) -> bool {
    dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether a regular file holds exactly these bytes. One that cannot be read does not.
fn has(dir: &Dir, name: &str, bytes: &[u8]) -> bool {
    let same_size = dir.symlink_metadata(name).is_ok_and(|metadata| metadata.len() == bytes.len() as u64);
    same_size && read(dir, name).is_ok_and(|old| old.as_deref() == Some(bytes))
}

/// Writes a file beside the old one and puts it in its place.
fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (before, after) = UNFINISHED;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let unfinished = format!("{before}{}-{number}{after}", std::process::id());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, 0o644);
    let mut file = dir.open_with(&unfinished, &options)?;
    let written = file.write_all(bytes).and_then(|()| {
        drop(file);
        dir.rename(&unfinished, dir, name)
    });
    if written.is_err() {
        // The first error is the one to tell; if this fails too, the next run sweeps.
        let _swept_later = dir.remove_file(&unfinished);
    }
    written
}

/// Removes what killed processes left unfinished. Nobody needs it, so errors do not matter.
fn sweep(dir: &Dir) {
    let Ok(entries) = dir.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(UNFINISHED.0) && name.ends_with(UNFINISHED.1));
        let abandoned = || {
            let modified = entry.metadata().ok()?.modified().ok()?.into_std();
            Some(modified.elapsed().ok()? > ABANDONED)
        };
        if ours && abandoned() == Some(true) {
            let _gone_already = dir.remove_file(&name);
        }
    }
}

#[cfg(unix)]
fn state_of(metadata: &Metadata) -> Option<FileState> {
    use cap_std::fs::MetadataExt as _;
    let (modified, changed) = ((metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec()));
    metadata.is_file().then(|| FileState::new(metadata.len(), metadata.ino(), modified, changed))?
}

/// Elsewhere too little is told to rely on.
#[cfg(not(unix))]
fn state_of(_: &Metadata) -> Option<FileState> {
    None
}
