//! A folder of output files that are written atomically.

use super::StoreError;
use super::read::{LARGEST, read_open};
use super::state::STATE;
use super::unfinished::{MODE, Staging, create, open_dir, replace, sweep};
use crate::model::{FileState, RepoPath, if_present, is_git_name, is_github_name};
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteResult {
    /// The file is new or has new bytes.
    Written,
    /// The file had these bytes already and was not touched.
    Unchanged,
}

/// An output folder, which is created by the first write. Every name is used relative to the folder's open handle, so
/// that renaming or replacing the folder meanwhile redirects nothing. All calls may be made from several threads, and
/// by several processes.
#[derive(Debug)]
pub struct Folder {
    shown: PathBuf,
    root: FolderRoot,
    handle: Mutex<Option<Arc<Dir>>>,
    /// The repo's folder for unfinished files, once it was needed.
    staging: OnceLock<Option<Staging>>,
}

/// The starting point from which the folder is opened.
#[derive(Debug)]
enum FolderRoot {
    /// The repo's root, and a path below it that leads through real folders only.
    Inside(Dir, RepoPath),
    /// A path that the user named, whose links are followed; with the root of the repo that it lies in, if any.
    Anywhere(Option<Dir>),
    /// No folder of the disk: these files, by name.
    Memory(Mutex<BTreeMap<String, Vec<u8>>>),
}

impl Folder {
    /// Opens the folder `dir` of the repo at `root`, in which no link is followed.
    pub fn open(root: &Path, dir: &RepoPath) -> Result<Self, StoreError> {
        let top = Dir::open_ambient_dir(root, ambient_authority()).map_err(StoreError::reading(root))?;
        let shown = dir.as_str().split('/').fold(root.to_owned(), |path, part| path.join(part));
        Self::new(shown, FolderRoot::Inside(top, dir.clone()))
    }

    /// Opens the folder at `path`, which the user named: links are followed.
    pub fn open_anywhere(path: &Path) -> Result<Self, StoreError> {
        Self::new(path.to_owned(), FolderRoot::Anywhere(None))
    }

    /// Creates an empty folder that is in memory only, for files that are read, written and removed and never saved.
    pub fn in_memory() -> Self {
        Self::at(PathBuf::new(), FolderRoot::Memory(Mutex::default()))
    }

    fn at(shown: PathBuf, root: FolderRoot) -> Self {
        Self { shown, root, handle: Mutex::new(None), staging: OnceLock::new() }
    }

    fn new(shown: PathBuf, root: FolderRoot) -> Result<Self, StoreError> {
        let folder = Self::at(shown, root);
        folder.existing()?;
        Ok(folder)
    }

    /// Returns the files of a folder in memory; `None` for a folder of the disk.
    fn memory(&self) -> Option<MutexGuard<'_, BTreeMap<String, Vec<u8>>>> {
        match &self.root {
            FolderRoot::Memory(files) => Some(files.lock().unwrap_or_else(PoisonError::into_inner)),
            FolderRoot::Inside(..) | FolderRoot::Anywhere(_) => None,
        }
    }

    /// Refuses a folder in any `.git`, and in `.github` of the repo at `root`: a job that writes packs must not be able to
    /// write hooks or workflows.
    pub fn unreserved(self, root: &Path) -> Result<Self, StoreError> {
        let named = std::path::absolute(&self.shown).unwrap_or_else(|_| self.shown.clone());
        let real = named.ancestors().find_map(|dir| Some(dir.canonicalize().ok()?.join(named.strip_prefix(dir).ok()?)));
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_reserved = |path: &Path| {
            let below = path.strip_prefix(&root).ok();
            let mut names = below.unwrap_or(path).components().map(|part| part.as_os_str().to_string_lossy());
            names.any(|name| is_git_name(&name) || below.is_some() && is_github_name(&name))
        };
        match [Some(named), real].iter().flatten().any(|path| is_reserved(path)) {
            true => Err(StoreError::Reserved { path: self.shown }),
            false => Ok(self),
        }
    }

    /// Stages writes in the state folder of the repo at `root`, if this folder lies in that repo. Git ignores the state
    /// folder, so it never sees an unfinished file.
    pub fn staged_at(mut self, root: &Path) -> Result<Self, StoreError> {
        self = self.unreserved(root)?;
        let real = self.shown.ancestors().find_map(|dir| dir.canonicalize().ok());
        if real.is_some_and(|real| root.canonicalize().is_ok_and(|root| real.starts_with(root))) {
            let dir = Dir::open_ambient_dir(root, ambient_authority()).map_err(StoreError::reading(root))?;
            self.root = FolderRoot::Anywhere(Some(dir));
        }
        Ok(self)
    }

    /// Removes unfinished files of killed processes, except those that are protected, such as tracked ones.
    pub fn sweep(&self, is_protected: &dyn Fn(&Path) -> bool) {
        if let Ok(Some(dir)) = self.existing() {
            sweep(&dir, &self.shown, is_protected);
        }
    }

    /// Returns the folder's path as it was given, for messages.
    pub fn path(&self) -> &Path {
        &self.shown
    }

    /// Reads a file; `None` if there is no regular file of that name. A link is not followed: it counts as absent, and
    /// a write replaces it.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_at_most(name, LARGEST)
    }

    /// Reads a file of at most `most` bytes; `None` if there is no regular file of that name.
    pub(super) fn read_at_most(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.checked(name)?;
        if let Some(files) = self.memory() {
            return Ok(files.get(name).cloned());
        }
        match self.existing()? {
            Some(dir) => read(&dir, name, most).map_err(StoreError::reading(path)),
            None => Ok(None),
        }
    }

    /// Returns the state of a regular file without reading it; `None` if it is not one or the system reports too little.
    pub fn state(&self, name: &str) -> Option<FileState> {
        let metadata = self.existing().ok()??.symlink_metadata(name).ok()?;
        state_of(&metadata)
    }

    /// Writes a file atomically, unless it holds these bytes already; the folder is created if it is missing.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<WriteResult, StoreError> {
        let path = self.checked(name)?;
        if let Some(mut files) = self.memory() {
            let before = files.insert(name.to_owned(), bytes.to_owned());
            let same = before.as_deref() == Some(bytes);
            return Ok(if same { WriteResult::Unchanged } else { WriteResult::Written });
        }
        let dir = self.created()?;
        if has(&dir, name, bytes) {
            return Ok(WriteResult::Unchanged);
        }
        match replace(&dir, self.staging(), name, bytes, MODE) {
            Ok(()) => Ok(WriteResult::Written),
            Err(_) if is_folder(&dir, name) => Err(StoreError::NotAFile { path }),
            Err(source) => Err(StoreError::Write { path, source }),
        }
    }

    /// Waits until files and their names are on the disk and survive a power cut.
    pub fn sync(&self, names: &[&str]) -> Result<(), StoreError> {
        let Some(dir) = self.existing()? else { return Ok(()) };
        // The disk takes several at once.
        names.par_iter().try_for_each(|name| {
            let path = self.checked(name)?;
            match open(&dir, name).and_then(|file| file.map_or(Ok(()), |file| file.sync_all())) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::Write { path, source: error }),
                _ => Ok(()),
            }
        })?;
        // Not every system does this for a folder.
        let _ = dir.open(".").and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Creates a file as a whole, unless the name exists, and returns whether it did: of several processes that create one
    /// file, one does.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let path = self.checked(name)?;
        create(&*self.created()?, self.staging(), name, bytes, MODE).map_err(StoreError::writing(path))
    }

    /// Writes a file atomically, hidden ones too, unless the name exists already.
    pub fn write_once(&self, name: &str, bytes: &[u8]) -> Result<WriteResult, StoreError> {
        let created = create(&*self.created()?, self.staging(), name, bytes, MODE);
        let created = created.map_err(StoreError::writing(self.shown.join(name)))?;
        Ok(if created { WriteResult::Written } else { WriteResult::Unchanged })
    }

    /// Replaces a file or link atomically, hidden ones too. A file keeps its permissions; what a link leads to stays.
    pub fn rewrite(&self, name: &str, bytes: &[u8]) -> Result<WriteResult, StoreError> {
        let dir = self.created()?;
        let rewritten = dir.symlink_metadata(name).and_then(|metadata| {
            replace(&dir, self.staging(), name, bytes, MODE)?;
            if metadata.is_file() { dir.set_permissions(name, metadata.permissions()) } else { Ok(()) }
        });
        rewritten.map(|()| WriteResult::Written).map_err(StoreError::writing(self.shown.join(name)))
    }

    /// Appends a line to a file, which is created if it is missing. Processes that append at once wait for each other, and
    /// no line is lost or torn; it is on the disk when this returns.
    pub fn append_line(&self, name: &str, line: &str) -> Result<(), StoreError> {
        let path = self.checked(name)?;
        let failed = |source| StoreError::Write { path: path.clone(), source };
        let dir = self.created()?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).follow(FollowSymlinks::No).nonblock(true);
        let file = dir.open_with(name, &options).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(StoreError::NotAFile { path });
        }
        let mut file = file.into_std();
        file.lock().map_err(failed)?;
        // A line that a crash cut off stays a line of its own.
        let is_cut = ends_without_line_end(&file).map_err(failed)?;
        let mut bytes = if is_cut { vec![b'\n'] } else { Vec::new() };
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let before = file.metadata().map_err(failed)?.len();
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(|error| {
            // A disk that is full takes a part of the line. The first error is the one to report.
            let _ = file.set_len(before);
            failed(error)
        })
    }

    /// Lists the folders in it, sorted by bytes and without links; empty if the folder does not exist.
    pub fn folders(&self) -> Result<Vec<String>, StoreError> {
        self.names(&|_, kind| kind.is_dir())
    }

    /// Lists the regular files that end in `.json` and have a name that this program could have given, sorted by bytes; empty if
    /// the folder does not exist.
    pub fn list(&self) -> Result<Vec<String>, StoreError> {
        self.ending(".json")
    }

    /// Lists the regular files that end in `end`, as [`list`](Self::list) does.
    pub fn ending(&self, end: &str) -> Result<Vec<String>, StoreError> {
        if let Some(files) = self.memory() {
            return Ok(files.keys().filter(|name| name.ends_with(end)).cloned().collect());
        }
        self.names(&|name, kind| name.ends_with(end) && is_plain(name) && kind.is_file())
    }

    /// Lists the names that end in `.json` and that [`list`](Self::list) leaves out, sorted by bytes.
    pub fn irregular(&self) -> Result<Vec<String>, StoreError> {
        let is_left_out = |name: &str, kind: FileType| !(kind.is_file() && is_plain(name));
        self.names(&|name, kind| name.ends_with(".json") && !name.starts_with('.') && is_left_out(name, kind))
    }

    /// Lists, for messages, the names that do not count as `known`, hidden ones left out, and all that are not UTF-8, which this
    /// program never gives. `known` is asked with whether the name is that of a folder.
    pub fn odd_names(&self, known: &dyn Fn(&str, bool) -> bool) -> Result<Vec<String>, StoreError> {
        let odd = |(name, kind): (OsString, FileType)| match name.into_string() {
            Ok(name) => Some(name).filter(|name| !name.starts_with('.') && !known(name, kind.is_dir())),
            Err(name) => Some(name.to_string_lossy().into_owned()),
        };
        self.sorted(odd)
    }

    /// Returns whether a name is taken by something that is no regular file.
    pub fn is_irregular(&self, name: &str) -> Result<bool, StoreError> {
        let path = self.checked(name)?;
        let Some(dir) = self.existing()? else { return Ok(false) };
        let found = if_present(dir.symlink_metadata(name)).map_err(StoreError::reading(path))?;
        Ok(found.is_some_and(|metadata| !metadata.is_file()))
    }

    fn names(&self, wanted: &dyn Fn(&str, FileType) -> bool) -> Result<Vec<String>, StoreError> {
        // Every name that this program writes is UTF-8.
        self.sorted(|(name, kind)| name.into_string().ok().filter(|name| wanted(name, kind)))
    }

    /// Returns the names that `listed` makes of the entries, sorted.
    fn sorted(&self, listed: impl Fn((OsString, FileType)) -> Option<String>) -> Result<Vec<String>, StoreError> {
        let Some(dir) = self.existing()? else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        let read = dir.entries().and_then(|entries| {
            for entry in entries {
                let entry = entry?;
                names.extend(listed((entry.file_name(), entry.file_type()?)));
            }
            Ok(())
        });
        read.map_err(StoreError::reading(&self.shown))?;
        names.sort_unstable();
        Ok(names)
    }

    /// Removes a file or link, and returns whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, StoreError> {
        let path = self.checked(name)?;
        if let Some(mut files) = self.memory() {
            return Ok(files.remove(name).is_some());
        }
        let Some(dir) = self.existing()? else { return Ok(false) };
        match dir.remove_file(name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(_) if is_folder(&dir, name) => Err(StoreError::NotAFile { path }),
            Err(source) => Err(StoreError::Remove { path, source }),
        }
    }

    /// Returns the full path of a name, which must not leave the folder.
    fn checked(&self, name: &str) -> Result<PathBuf, StoreError> {
        let path = self.shown.join(name);
        if is_plain(name) { Ok(path) } else { Err(StoreError::Name { path }) }
    }

    fn existing(&self) -> Result<Option<Arc<Dir>>, StoreError> {
        self.handle(false)
    }

    /// Returns the handle of the folder, creating it if it is missing.
    fn created(&self) -> Result<Arc<Dir>, StoreError> {
        self.handle(true)?.ok_or_else(|| StoreError::writing(&self.shown)(io::ErrorKind::NotFound.into()))
    }

    /// Returns the folder for unfinished files, if it can be used.
    fn staging(&self) -> Option<&Staging> {
        let (FolderRoot::Inside(root, _) | FolderRoot::Anywhere(Some(root))) = &self.root else { return None };
        self.staging.get_or_init(|| Staging::open(root, STATE).ok()).as_ref()
    }

    fn handle(&self, create: bool) -> Result<Option<Arc<Dir>>, StoreError> {
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        if handle.is_none() {
            let opened = match &self.root {
                FolderRoot::Inside(root, dir) => self.inside(root, dir, create)?,
                FolderRoot::Anywhere(_) => self.anywhere(create)?,
                FolderRoot::Memory(_) => None,
            };
            *handle = opened.map(Arc::new);
        }
        Ok(handle.clone())
    }

    /// Opens the folder part by part without following links.
    fn inside(&self, root: &Dir, dir: &RepoPath, create: bool) -> Result<Option<Dir>, StoreError> {
        let mut here = root.try_clone().map_err(StoreError::reading(&self.shown))?;
        let parts: Vec<&str> = dir.as_str().split('/').filter(|part| !part.is_empty()).collect();
        let shown = |depth: usize| self.shown.ancestors().nth(parts.len() - depth).unwrap_or(&self.shown).to_owned();
        for (part, depth) in parts.iter().zip(1..) {
            here = match open_dir(&here, part, create) {
                Ok(dir) => dir,
                Err(error) if error.kind() == io::ErrorKind::NotFound && !create => return Ok(None),
                Err(source) => {
                    let path = shown(depth);
                    return Err(match here.symlink_metadata(part) {
                        Ok(metadata) if metadata.is_symlink() => StoreError::Link { path },
                        Ok(metadata) if !metadata.is_dir() => StoreError::NotAFolder { path },
                        Err(_) if create => StoreError::Write { path, source },
                        _ => StoreError::Read { path, source },
                    });
                }
            };
        }
        Ok(Some(here))
    }

    fn anywhere(&self, create: bool) -> Result<Option<Dir>, StoreError> {
        let path = &self.shown;
        if create {
            fs::create_dir_all(path).map_err(StoreError::writing(path))?;
        }
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(_) if path.exists() && !path.is_dir() => Err(StoreError::NotAFolder { path: path.clone() }),
            opened => opened.map(Some).map_err(StoreError::reading(path)),
        }
    }
}

/// Reads a regular file of at most `most` bytes; `None` for a link, folder or pipe.
pub(super) fn read(dir: &Dir, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    open(dir, name)?.map(|file| read_open(file, most)).transpose()
}

fn open(dir: &Dir, name: &str) -> io::Result<Option<File>> {
    if !if_present(dir.symlink_metadata(name))?.is_some_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    let file = dir.open_with(name, &options)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Returns whether a name is that of a visible file in the folder itself, on every system.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0'])
}

fn is_folder(dir: &Dir, name: &str) -> bool {
    dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns whether a readable regular file holds exactly these bytes.
fn has(dir: &Dir, name: &str, bytes: &[u8]) -> bool {
    let same_size = dir.symlink_metadata(name).is_ok_and(|metadata| metadata.len() == bytes.len() as u64);
    same_size && read(dir, name, LARGEST).is_ok_and(|old| old.as_deref() == Some(bytes))
}

#[cfg(unix)]
fn state_of(metadata: &Metadata) -> Option<FileState> {
    use cap_std::fs::MetadataExt as _;
    let (modified, changed) = ((metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec()));
    metadata.is_file().then(|| FileState::new(metadata.len(), metadata.ino(), modified, changed))?
}

/// Returns `None`, since other systems report too little to rely on.
#[cfg(not(unix))]
fn state_of(_: &Metadata) -> Option<FileState> {
    None
}

fn ends_without_line_end(mut file: &fs::File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}
