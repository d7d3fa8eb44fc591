//! The packs of a page: read once, and again where their files changed.

use super::work::{CardsFolder, conversation, ledger, ledger_of};
use crate::console::{Failure, PathFailure, Workspace, settled, stamp};
use crate::engine::{BudgetLimits, Project, Repository, check_packs, orphaned};
use crate::git;
use crate::handoff::check::context_folder;
use crate::model::{GithubRepo, RepoPath, natural_cmp};
use crate::review::{Freshness, PackStatus, PageEntry, PageOrigin, report_freshness};
use crate::store::{Access, Folder, StoreError, Symlinks, json_files, read_file};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// A file read within this time after its last change may change again without a new timestamp.
const UNSETTLED: Duration = Duration::from_secs(2);

pub(crate) struct PackFiles {
    places: Vec<PackLocation>,
    read: BTreeMap<String, CachedPackFile>,
}

/// A place where packs are searched. Its folder is opened anew each time, since git and builds replace folders.
struct PackLocation {
    files: Files,
    shown: String,
}

/// A pack or folder that the user named, or the output folder of the repo.
enum Files {
    Named(PathBuf),
    /// The root of the repo, and its output folder, which is opened without following links: the repo may be untrusted and
    /// contain one.
    Output(PathBuf, RepoPath),
}

struct ListedFile {
    path: PathBuf,
    version: FileIdentity,
    read: Box<dyn Fn(&str) -> PageEntry + Send + Sync>,
}

struct CachedPackFile {
    path: PathBuf,
    version: FileIdentity,
    settled: bool,
    entry: Arc<PageEntry>,
}

/// What changes with a file, or with any of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FileIdentity {
    /// The sum of the files' lengths and inodes, scattered, so that a file of equal length and time in place of another one counts.
    content: u64,
    changed: Option<SystemTime>,
}

impl FileIdentity {
    fn of(metadata: &Metadata) -> Self {
        let (inode, changed) = identity(metadata);
        let mut hasher = DefaultHasher::new();
        (metadata.len(), inode).hash(&mut hasher);
        Self { content: hasher.finish(), changed: metadata.modified().ok().max(changed) }
    }

    fn and(self, other: Self) -> Self {
        Self { content: self.content.wrapping_add(other.content), changed: self.changed.max(other.changed) }
    }
}

/// Returns the inode of a file, and the time of its last change, which no program can set.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    use std::os::unix::fs::MetadataExt as _;
    let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    let since = u64::try_from(metadata.ctime()).ok().map(|seconds| Duration::new(seconds, nanos));
    (metadata.ino(), since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since)))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, Option<SystemTime>) {
    (0, None)
}

impl PackFiles {
    /// Opens the `given` packs and folders; if empty, the configuration's `output.dir`.
    pub(crate) fn open(workspace: &Workspace, given: &[PathBuf]) -> Result<Self, Failure> {
        let mut places = Vec::new();
        for path in given {
            let shown = slashed(path).trim_end_matches('/').to_owned();
            if !path.metadata().map_err(|error| PathFailure::failure("read", &*shown, error))?.is_dir() {
                // What cannot be read stops no other file, but for one that was named.
                read_file(path, Symlinks::Follow)
                    .map_err(|error| PathFailure::failure("read", path.display().to_string(), error))?;
            }
            places.push(PackLocation { files: Files::Named(path.clone()), shown });
        }
        if given.is_empty() {
            let (root, configuration) = workspace.configuration()?;
            let dir = configuration.settings.output.dir;
            let shown = dir.as_str().to_owned();
            places.push(PackLocation { files: Files::Output(root, dir), shown });
        }
        let mut packs = Self { places, read: BTreeMap::new() };
        packs.refresh()?;
        Ok(packs)
    }

    /// Reads new and changed files, drops removed ones, and returns whether there were any.
    pub(crate) fn refresh(&mut self) -> Result<bool, Failure> {
        let mut there = BTreeMap::new();
        for place in &self.places {
            for (below, file) in place.files.list()? {
                let shown = if below.is_empty() { place.shown.clone() } else { format!("{}/{below}", place.shown) };
                there.insert(shown, file);
            }
        }
        let before = self.read.len();
        self.read.retain(|shown, _| there.contains_key(shown));
        let gone = before != self.read.len();
        let last = &self.read;
        let reread = |(shown, file): (String, ListedFile)| Some((reread(last.get(&shown), &shown, file)?, shown));
        let changed: Vec<(CachedPackFile, String)> = there.into_par_iter().filter_map(reread).collect();
        let is_changed = gone || !changed.is_empty();
        self.read.extend(changed.into_iter().map(|(file, shown)| (shown, file)));
        Ok(is_changed)
    }

    pub(crate) fn entries(&self) -> Vec<Arc<PageEntry>> {
        let mut entries: Vec<_> = self.read.values().map(|read| Arc::clone(&read.entry)).collect();
        entries.sort_by(|a, b| by_item(a.path(), b.path()));
        entries
    }

    /// Returns the freshness of those packs that are in the checked folder, as JSON for the page.
    pub(crate) fn freshness(&self, checked: Option<&CheckedFolder>) -> String {
        // Many files have few folders.
        let mut own = BTreeMap::<&Path, bool>::new();
        let mut found = BTreeMap::<&str, &Freshness>::new();
        for (shown, read) in &self.read {
            let (Some(checked), Some(folder), Some(name)) = (checked, read.path.parent(), read.path.file_name()) else {
                continue;
            };
            let is_own = *own.entry(folder).or_insert_with(|| {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                folder.canonicalize().is_ok_and(|folder| folder == checked.path)
            });
            if let Some(freshness) = name.to_str().filter(|_| is_own).and_then(|name| checked.packs.get(name)) {
                found.insert(shown, freshness);
            }
        }
        // Packs of elsewhere are not of this repo.
        let origin = checked.map(|checked| &checked.origin).filter(|_| !found.is_empty());
        report_freshness(origin, &found)
    }
}

impl Files {
    /// Lists the packs, each with its path below the place. A missing folder is empty, since the first build creates it.
    fn list(&self) -> Result<Vec<(String, ListedFile)>, Failure> {
        match self {
            Self::Named(place) if !place.exists() => Ok(Vec::new()),
            Self::Named(place) => {
                let links = if place.is_dir() { Symlinks::Refuse } else { Symlinks::Follow };
                if let Some(context) = context_folder(place) {
                    return boxes(place, &context, links);
                }
                let found = |path: PathBuf| {
                    let (version, is_regular) = version(&path, links)?;
                    let below = slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
                    let file = path.clone();
                    let read = Box::new(move |shown: &str| entry(shown, read_file(&file, links)));
                    // As in the output folder, only regular files are packs.
                    (is_regular || path == *place).then_some((below, ListedFile { path, version, read }))
                };
                Ok(files(place)?.into_iter().filter_map(found).collect())
            }
            Self::Output(root, dir) => {
                let folder = Arc::new(Folder::open(root, dir)?);
                let found = |name: String| {
                    let path = folder.path().join(&name);
                    let (version, is_regular) = version(&path, Symlinks::Refuse)?;
                    let (folder, file) = (Arc::clone(&folder), name.clone());
                    let read = Box::new(move |shown: &str| match is_regular {
                        true => entry(shown, read_in(&folder, &file)),
                        false => irregular(shown),
                    });
                    Some((name, ListedFile { path, version, read }))
                };
                Ok(folder.list()?.into_iter().filter_map(found).collect())
            }
        }
    }
}

/// Compares the paths of packs by their items in natural order, then by their profiles: item `24` comes before `24.12`.
pub(super) fn by_item(a: &str, b: &str) -> Ordering {
    let item = |path: &str| path.rsplitn(3, '.').nth(2).unwrap_or(path).to_owned();
    natural_cmp(&item(a), &item(b)).then_with(|| natural_cmp(a, b))
}

/// Returns the version of a file, and whether it is a regular one; `None` if it is gone since it was listed.
fn version(path: &Path, links: Symlinks) -> Option<(FileIdentity, bool)> {
    let metadata = match links {
        Symlinks::Follow => path.metadata(),
        Symlinks::Refuse => path.symlink_metadata(),
    };
    metadata.ok().map(|metadata| (FileIdentity::of(&metadata), metadata.is_file()))
}

fn read_in(folder: &Folder, name: &str) -> io::Result<Vec<u8>> {
    let bytes = folder.read(name).map_err(|error| match error {
        StoreError::Read { source, .. } => source,
        error => io::Error::other(error),
    });
    bytes?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn entry(shown: &str, read: io::Result<Vec<u8>>) -> PageEntry {
    match read {
        Ok(bytes) => PageEntry::new(shown, &bytes),
        Err(error) => PageEntry::faulty(shown, vec![format!("it cannot be read: {error}")]),
    }
}

fn irregular(shown: &str) -> PageEntry {
    PageEntry::faulty(shown, vec!["it is not a regular file, and links are not followed".to_owned()])
}

/// Lists boxes, logs, batches, inboxes and packs of a folder of cards, or of a part of it: of a log its last append.
fn boxes(place: &Path, context: &Path, links: Symlinks) -> Result<Vec<(String, ListedFile)>, Failure> {
    let folder = Arc::new(CardsFolder { root: context.to_owned(), times: OnceLock::new() });
    // What a conversation says is in its cards: it is read again when any card or append comes or goes.
    let mut cards = FileIdentity::default();
    for dir in ["cards", "logs"].map(|name| context.join(name)) {
        let files = if dir.is_dir() { files(&dir)? } else { Vec::new() };
        let versions = files.iter().filter_map(|path| Some(version(path, Symlinks::Refuse)?.0));
        cards = versions.fold(cards, FileIdentity::and);
    }
    let real_place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let mut found: BTreeMap<String, ListedFile> = BTreeMap::new();
    for path in files(place)? {
        let below = |path: &Path| slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
        // Links below the place are not followed.
        let is_place = path == place;
        let real = path.strip_prefix(place).ok().filter(|_| !is_place).map(|below| real_place.join(below));
        let real = real.unwrap_or_else(|| real_place.clone());
        let relative = slashed(real.strip_prefix(context).unwrap_or(&real));
        let is_in = |kind: &str| relative.starts_with(kind);
        // Cards are shown where boxes hold them.
        if is_in("cards/") && !is_place {
            continue;
        }
        let Some((version, is_regular)) = version(&path, links) else { continue };
        let folder = Arc::clone(&folder);
        if !is_regular && links == Symlinks::Refuse {
            found.insert(below(&path), ListedFile { path, version, read: Box::new(irregular) });
        } else if let Some((name, in_ledgers)) = ledger_of(&relative).filter(|_| is_regular) {
            // A place may be a part of a ledger, which is then shown whole.
            let depth = if name.is_some() { in_ledgers.matches('/').count() } else { 0 };
            let whole = path.ancestors().nth(depth).filter(|folder| folder.starts_with(place));
            let shown = whole.map_or_else(String::new, below);
            let version = found.get(&shown).map_or(version, |known| version.and(known.version));
            let read = Box::new(move |shown: &str| ledger(&folder, name.as_ref(), shown));
            found.insert(shown, ListedFile { path, version, read });
        } else {
            let version = if is_in("boxes/") || is_in("logs/") { version.and(cards) } else { version };
            let log = path.parent().filter(|_| is_in("logs/") && !is_place).map(below);
            let shown = log.unwrap_or_else(|| below(&path));
            let file = path.clone();
            let read = Box::new(move |shown: &str| match read_file(&file, links) {
                Ok(bytes) => {
                    conversation(&folder, &file, shown, &bytes).unwrap_or_else(|| PageEntry::new(shown, &bytes))
                }
                failed => entry(shown, failed),
            });
            // The last append of a log replaces the others.
            found.insert(shown, ListedFile { path, version, read });
        }
    }
    Ok(found.into_iter().collect())
}

/// Reads the file again unless it is certainly unchanged. One that cannot be read is an entry that says so.
fn reread(last: Option<&CachedPackFile>, shown: &str, file: ListedFile) -> Option<CachedPackFile> {
    let ListedFile { path, version, read } = file;
    if last.is_some_and(|last| last.settled && last.version == version) {
        return None;
    }
    let age = version.changed.and_then(|written| SystemTime::now().duration_since(written).ok());
    let (settled, entry) = (age.is_some_and(|age| age > UNSETTLED), Arc::new(read(shown)));
    Some(CachedPackFile { path, version, settled, entry })
}

fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    json_files(path).map_err(|error| PathFailure::failure("read", path.display().to_string(), error))
}

/// Returns a path with `/` on every system, and with its bytes where it is no text, so that no two paths become one.
fn slashed(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        shown += chunk.valid();
        chunk.invalid().iter().for_each(|byte| shown += &format!("\\x{byte:02x}"));
    }
    if cfg!(windows) { shown.replace('\\', "/") } else { shown }
}

/// The packs of the repo's output folder, compared with those that a build gives.
#[derive(Debug)]
pub(crate) struct CheckedFolder {
    /// The output folder, without links.
    pub(crate) path: PathBuf,
    pub(crate) packs: BTreeMap<String, Freshness>,
    origin: PageOrigin,
}

/// Compares the packs of the repo around the current folder; `None` if there is no repo, or none that can be built.
///
/// A page shows packs wherever it is made, so nothing here is an error.
pub(crate) fn check(workspace: &Workspace) -> Option<CheckedFolder> {
    settled(|| checked(workspace)).ok()
}

fn checked(workspace: &Workspace) -> Result<CheckedFolder, Failure> {
    let repository = workspace.open(&[], Some(Access::Read))?;
    let project = repository.project();
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    let path = folder.path().canonicalize()?;
    let job = repository.job(&project, project.roots(), (&[], BudgetLimits::default()), stamp()?)?;
    let (mut states, build) = check_packs(&repository, &project, &job, Some(&folder), true, &|| ())?;
    if !build.blocked {
        states.extend(orphaned(&repository, &project, &job.roots, &job.profiles, &folder, &build.diagnostics)?);
    }
    repository.confirm_settled()?;
    let found = states.into_iter().filter(|state| state.status != PackStatus::Missing);
    let packs = found.map(|it| (it.name, Freshness { status: it.status, reasons: it.reasons })).collect();
    Ok(CheckedFolder { path, packs, origin: origin(&repository, &project) })
}

/// Returns the repo on GitHub to which the files are pushed, else that of the configuration, else the name of the folder.
fn origin(repository: &Repository, project: &Project<'_>) -> PageOrigin {
    let (root, github) = (repository.root(), &repository.settings().github);
    let remote = git::remote(root).ok().flatten().and_then(|url| GithubRepo::of_remote(&url));
    let configured = || Some(GithubRepo { host: github.host.clone(), repo: github.repo.clone()? });
    let found = remote.or_else(configured);
    let folder = || root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let commit = git::head_commit(root, &[]).map(|(commit, _)| commit);
    let clean = project.redacted_line(&found.as_ref().map_or_else(folder, |found| found.repo.clone()));
    let url = found.filter(|found| found.repo == clean).map(|found| format!("https://{}/{clean}", found.host));
    PageOrigin { repo: clean, url, commit }
}
