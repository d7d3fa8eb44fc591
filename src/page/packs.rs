//! The packs of a page: read once, and again where their files changed.

use super::freshness::CheckedFolder;
use super::work::{CardsFolder, LedgerName, conversation, ledger};
use crate::console::{Failure, PathFailure, Workspace};
use crate::handoff::check::context_folder;
use crate::model::{RepoPath, natural_cmp};
use crate::review::{Freshness, PageEntry, report_freshness};
use crate::store::{Folder, Links, StoreError, json_files, read_file};
use rayon::prelude::*;
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
    /// By displayed path.
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

struct File {
    path: PathBuf,
    /// The output folder and the name in it, if the file is in that folder.
    output: Option<(Arc<Folder>, String)>,
    links: Links,
    context: Option<Arc<CardsFolder>>,
    /// The batch or inbox that it stands for; `Some(None)` if the folder has the name of neither.
    ledger: Option<Option<LedgerName>>,
    /// Its version, or that of all files of the ledger.
    version: FileVersion,
    /// Whether it is neither a link that is not followed, nor a pipe or a folder.
    is_regular: bool,
}

struct CachedPackFile {
    path: PathBuf,
    version: FileVersion,
    settled: bool,
    entry: Arc<PageEntry>,
}

/// What changes with a file, or with any of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FileVersion {
    /// The sum of the files' lengths and inodes, scattered, so that a file of equal length and time in place of another one counts.
    content: u64,
    changed: Option<SystemTime>,
}

impl FileVersion {
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

/// Returns the failure for a place that cannot be read; an id is none.
fn not_there(shown: &str, error: io::Error) -> Failure {
    let is_path = shown.contains(['/', '\\']) || shown.ends_with(".json");
    if is_path || error.kind() != io::ErrorKind::NotFound {
        return PathFailure::failure("read", shown, error);
    }
    Failure::usage(format!(
        "there is no file or folder `{shown}`: name a pack or a folder of packs; of a root, `contextpack build ROOT` prints the path, and `contextpack serve --watch ROOT` shows it"
    ))
}

impl PackFiles {
    /// Opens the `given` packs and folders; if empty, the configuration's `output.dir`.
    pub(crate) fn open(workspace: &Workspace, given: &[PathBuf]) -> Result<Self, Failure> {
        let mut places = Vec::new();
        for path in given {
            let shown = slashed(path).trim_end_matches('/').to_owned();
            if !path.metadata().map_err(|error| not_there(&shown, error))?.is_dir() {
                // What cannot be read stops no other file, but for one that was named.
                read_file(path, Links::Follow)
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
        let reread = |(shown, file): (String, File)| Some((reread(last.get(&shown), &shown, &file)?, shown));
        let changed: Vec<(CachedPackFile, String)> = there.into_par_iter().filter_map(reread).collect();
        let is_changed = gone || !changed.is_empty();
        self.read.extend(changed.into_iter().map(|(file, shown)| (shown, file)));
        Ok(is_changed)
    }

    /// Returns the packs in the natural order of their displayed paths.
    pub(crate) fn entries(&self) -> Vec<Arc<PageEntry>> {
        let mut entries: Vec<_> = self.read.values().map(|read| Arc::clone(&read.entry)).collect();
        entries.sort_by(|a, b| natural_cmp(a.path(), b.path()));
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
        report_freshness(&found)
    }
}

impl Files {
    /// Lists the packs, each with its path below the place. A missing folder is empty, since the first build creates it.
    fn list(&self) -> Result<Vec<(String, File)>, Failure> {
        match self {
            Self::Named(place) if !place.exists() => Ok(Vec::new()),
            Self::Named(place) => {
                let links = if place.is_dir() { Links::Refuse } else { Links::Follow };
                if let Some(context) = context_folder(place) {
                    return boxes(place, &context, links);
                }
                let found = |path: PathBuf| {
                    let below = slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
                    // As in the output folder, only regular files are packs.
                    Some((below, File::at(path, links)?)).filter(|(_, file)| file.is_regular || file.path == *place)
                };
                Ok(files(place)?.into_iter().filter_map(found).collect())
            }
            Self::Output(root, dir) => {
                let folder = Arc::new(Folder::open(root, dir)?);
                let found = |name: String| {
                    let file = File::at(folder.path().join(&name), Links::Refuse)?;
                    let output = Some((Arc::clone(&folder), name.clone()));
                    Some((name, File { output, ..file }))
                };
                Ok(folder.list()?.into_iter().filter_map(found).collect())
            }
        }
    }
}

impl File {
    /// Returns the file at a path; `None` if it is gone since it was listed.
    fn at(path: PathBuf, links: Links) -> Option<Self> {
        let metadata = match links {
            Links::Follow => path.metadata(),
            Links::Refuse => path.symlink_metadata(),
        };
        let metadata = metadata.ok()?;
        let (version, is_regular) = (FileVersion::of(&metadata), metadata.is_file());
        Some(Self { path, output: None, links, context: None, ledger: None, version, is_regular })
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let Some((folder, name)) = &self.output else { return read_file(&self.path, self.links) };
        let bytes = folder.read(name).map_err(|error| match error {
            StoreError::Read { source, .. } => source,
            error => io::Error::other(error),
        })?;
        bytes.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Lists boxes, logs, batches, inboxes and packs of a folder of cards, or of a part of it: of a log its last append.
fn boxes(place: &Path, context: &Path, links: Links) -> Result<Vec<(String, File)>, Failure> {
    let folder = Arc::new(CardsFolder { root: context.to_owned(), times: OnceLock::new() });
    // What a conversation says is in its cards: it is read again when any card or append comes or goes.
    let mut cards = FileVersion::default();
    for dir in ["cards", "logs"].map(|name| context.join(name)) {
        let files = if dir.is_dir() { files(&dir)? } else { Vec::new() };
        let versions = files.iter().filter_map(|path| Some(FileVersion::of(&path.symlink_metadata().ok()?)));
        cards = versions.fold(cards, FileVersion::and);
    }
    let real_place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let mut found: BTreeMap<String, File> = BTreeMap::new();
    for path in files(place)? {
        let below = |path: &Path| slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
        // Links below the place are not followed.
        let real =
            if path == place { real_place.clone() } else { real_place.join(path.strip_prefix(place).unwrap_or(&path)) };
        let relative = slashed(real.strip_prefix(context).unwrap_or(&real));
        // Cards are shown where boxes hold them.
        if relative.starts_with("cards/") && path != place {
            continue;
        }
        let Some(file) = File::at(path, links) else { continue };
        let mut file = File { context: Some(Arc::clone(&folder)), ..file };
        if !file.is_regular {
            found.insert(below(&file.path), file);
            continue;
        }
        if let Some((name, in_ledgers)) = LedgerName::parse(&relative) {
            // A place may be a part of a ledger, which is then shown whole.
            let depth = if name.is_some() { in_ledgers.matches('/').count() } else { 0 };
            let shown = file
                .path
                .ancestors()
                .nth(depth)
                .filter(|folder| folder.starts_with(place))
                .map_or_else(String::new, below);
            if let Some(known) = found.get(&shown) {
                file.version = file.version.and(known.version);
            }
            file.ledger = Some(name);
            found.insert(shown, file);
            continue;
        }
        if ["boxes/", "logs/"].iter().any(|kind| relative.starts_with(kind)) {
            file.version = file.version.and(cards);
        }
        let log = file.path.parent().filter(|_| relative.starts_with("logs/") && file.path != place).map(below);
        let shown = log.unwrap_or_else(|| below(&file.path));
        // The last append of a log replaces the others.
        found.insert(shown, file);
    }
    Ok(found.into_iter().collect())
}

/// Reads the file again unless it is certainly unchanged. One that cannot be read is an entry that says so.
fn reread(last: Option<&CachedPackFile>, shown: &str, file: &File) -> Option<CachedPackFile> {
    let version = file.version;
    if last.is_some_and(|last| last.settled && last.version == version) {
        return None;
    }
    let age = version.changed.and_then(|written| SystemTime::now().duration_since(written).ok());
    let entry = match (&file.ledger, &file.context) {
        _ if !file.is_regular && file.links == Links::Refuse => {
            PageEntry::faulty(shown, vec!["it is not a regular file, and links are not followed".to_owned()])
        }
        (Some(name), Some(context)) => ledger(context, name.as_ref(), shown),
        (_, context) => match file.read() {
            Ok(bytes) => {
                let talk = context.as_ref().and_then(|context| conversation(context, &file.path, shown, &bytes));
                talk.unwrap_or_else(|| PageEntry::new(shown, &bytes))
            }
            Err(error) => PageEntry::faulty(shown, vec![format!("it cannot be read: {error}")]),
        },
    };
    let path = file.path.clone();
    let settled = age.is_some_and(|age| age > UNSETTLED);
    Some(CachedPackFile { path, version, settled, entry: Arc::new(entry) })
}

/// Returns the file itself, or every `.json` file below the folder, sorted.
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
