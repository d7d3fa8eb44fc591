//! The packs of a page: read once, and again where their files changed.

use super::freshness::CheckedFolder;
use super::talk::{CardsFolder, conversation};
use super::work::{LedgerName, ledger};
use crate::cards::context_folder;
use crate::cli::args::Global;
use crate::cli::failure::{Failure, PathFailure};
use crate::cli::{verify, workspace};
use crate::model::natural_cmp;
use crate::review::{Freshness, PageEntry, report_freshness};
use crate::store::{Folder, Links, StoreError, read_file};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A file read within this time after its last change may change again without a new timestamp.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The requested packs.
pub(super) struct PackFiles {
    places: Vec<PackLocation>,
    /// By displayed path.
    read: BTreeMap<String, CachedPackFile>,
}

/// A place where packs are searched.
struct PackLocation {
    files: Files,
    /// Its displayed path.
    shown: String,
}

/// A pack or folder that the user named, or the output folder of the repo.
enum Files {
    Named(PathBuf),
    /// Opened without following links, since the repo may be untrusted and contain one.
    Output(Folder),
}

/// A file at a place.
struct File<'a> {
    path: PathBuf,
    /// The output folder and the name in it, if the file is in that folder.
    output: Option<(&'a Folder, String)>,
    links: Links,
    /// The folder of cards that the file is in.
    context: Option<Arc<CardsFolder>>,
    /// The batch or inbox that it stands for.
    ledger: Option<LedgerFiles>,
}

/// The folder of a batch or an inbox, which is one entry of the page.
struct LedgerFiles {
    /// `None` if its name is that of neither.
    name: Option<LedgerName>,
    /// The version of all of its files.
    stamp: FileVersion,
}

/// A file as it was last read.
struct CachedPackFile {
    path: PathBuf,
    stamp: FileVersion,
    settled: bool,
    entry: Arc<PageEntry>,
}

/// The metadata that changes with a file: its time of modification and its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FileVersion(Option<SystemTime>, u64);

impl FileVersion {
    fn of(metadata: &Metadata) -> Self {
        Self(metadata.modified().ok(), metadata.len())
    }
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
    pub(super) fn open(global: &Global, given: &[PathBuf]) -> Result<Self, Failure> {
        let mut places = Vec::new();
        for path in given {
            let shown = slashed(path).trim_end_matches('/').to_owned();
            path.metadata().map_err(|error| not_there(&shown, error))?;
            places.push(PackLocation { files: Files::Named(path.clone()), shown });
        }
        if given.is_empty() {
            let (root, configuration) = workspace::configuration(global)?;
            let dir = configuration.settings.output.dir;
            let files = Files::Output(Folder::open(&root, &dir)?);
            places.push(PackLocation { files, shown: dir.as_str().to_owned() });
        }
        let mut packs = Self { places, read: BTreeMap::new() };
        packs.refresh()?;
        Ok(packs)
    }

    /// Reads new and changed files, drops removed ones, and returns whether there were any.
    pub(super) fn refresh(&mut self) -> Result<bool, Failure> {
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
        let read: Vec<(String, io::Result<Option<CachedPackFile>>)> = there
            .into_par_iter()
            .map(|(shown, file)| {
                let read = reread(last.get(&shown), &shown, &file);
                (shown, read)
            })
            .collect();
        let mut changed = false;
        for (shown, read) in read {
            match read {
                Ok(None) => {}
                Ok(Some(read)) => {
                    changed = true;
                    self.read.insert(shown, read);
                }
                Err(error) => return Err(PathFailure::failure("read", shown, error)),
            }
        }
        Ok(gone || changed)
    }

    /// Returns the packs in the natural order of their displayed paths.
    pub(super) fn entries(&self) -> Vec<Arc<PageEntry>> {
        let mut entries: Vec<_> = self.read.values().map(|read| Arc::clone(&read.entry)).collect();
        entries.sort_by(|a, b| natural_cmp(a.path(), b.path()));
        entries
    }

    /// Returns the freshness of those packs that are in the checked folder, as JSON for the page.
    pub(super) fn freshness(&self, checked: Option<&CheckedFolder>) -> String {
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
    fn list(&self) -> Result<Vec<(String, File<'_>)>, Failure> {
        match self {
            Self::Named(place) if !place.exists() => Ok(Vec::new()),
            Self::Named(place) => {
                let links = if place.is_dir() { Links::Refuse } else { Links::Follow };
                if let Some(context) = context_folder(place) {
                    return boxes(place, &context, links);
                }
                let found = |path: PathBuf| {
                    let below = slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
                    (below, File { path, output: None, links, context: None, ledger: None })
                };
                // As in the output folder, only regular files are packs.
                let is_pack =
                    |path: &PathBuf| path == place || path.symlink_metadata().is_ok_and(|there| there.is_file());
                Ok(verify::files(place)?.into_iter().filter(is_pack).map(found).collect())
            }
            Self::Output(folder) => {
                let found = |name: String| {
                    let path = folder.path().join(&name);
                    let output = Some((folder, name.clone()));
                    (name, File { path, output, links: Links::Refuse, context: None, ledger: None })
                };
                Ok(folder.list()?.into_iter().map(found).collect())
            }
        }
    }
}

impl File<'_> {
    fn metadata(&self) -> io::Result<Metadata> {
        match self.links {
            Links::Follow => self.path.metadata(),
            Links::Refuse => self.path.symlink_metadata(),
        }
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
fn boxes<'a>(place: &Path, context: &Path, links: Links) -> Result<Vec<(String, File<'a>)>, Failure> {
    let folder = Arc::new(CardsFolder::new(context.to_owned()));
    let mut found: BTreeMap<String, File<'_>> = BTreeMap::new();
    for path in verify::files(place)? {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let relative = slashed(real.strip_prefix(context).unwrap_or(&real));
        // Cards are shown where boxes hold them.
        if relative.starts_with("cards/") && path != place || !real.is_file() {
            continue;
        }
        let below = |path: &Path| slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
        let mut file = File { path, output: None, links, context: Some(Arc::clone(&folder)), ledger: None };
        if let Some((name, in_ledgers)) = LedgerName::parse(&relative) {
            // A place may be a part of a ledger, which is then shown whole.
            let depth = if name.is_some() { in_ledgers.matches('/').count() } else { 0 };
            let shown = file
                .path
                .ancestors()
                .nth(depth)
                .filter(|folder| folder.starts_with(place))
                .map_or_else(String::new, below);
            let metadata = file.metadata().map_err(|error| PathFailure::failure("read", shown.clone(), error))?;
            let one = FileVersion::of(&metadata);
            let known = found.get(&shown).and_then(|file| file.ledger.as_ref()).map(|ledger| ledger.stamp);
            let known = known.unwrap_or_default();
            // One more for each file, so that an empty one counts.
            let stamp = FileVersion(known.0.max(one.0), known.1 + one.1 + 1);
            file.ledger = Some(LedgerFiles { name, stamp });
            found.insert(shown, file);
            continue;
        }
        let log = file.path.parent().filter(|_| relative.starts_with("logs/") && file.path != place).map(below);
        let shown = log.unwrap_or_else(|| below(&file.path));
        // The last append of a log replaces the others.
        found.insert(shown, file);
    }
    Ok(found.into_iter().collect())
}

/// Reads the file again unless it is certainly unchanged.
fn reread(last: Option<&CachedPackFile>, shown: &str, file: &File<'_>) -> io::Result<Option<CachedPackFile>> {
    let stamp = match &file.ledger {
        Some(ledger) => ledger.stamp,
        None => FileVersion::of(&file.metadata()?),
    };
    if last.is_some_and(|last| last.settled && last.stamp == stamp) {
        return Ok(None);
    }
    let age = stamp.0.and_then(|written| SystemTime::now().duration_since(written).ok());
    let entry = match (&file.ledger, &file.context) {
        (Some(LedgerFiles { name, .. }), Some(context)) => ledger(context, name.as_ref(), shown),
        (_, context) => {
            let bytes = file.read()?;
            let talk = context.as_ref().and_then(|context| conversation(context, &file.path, shown, &bytes));
            talk.unwrap_or_else(|| PageEntry::new(shown, &bytes))
        }
    };
    let path = file.path.clone();
    Ok(Some(CachedPackFile { path, stamp, settled: age.is_some_and(|age| age > UNSETTLED), entry: Arc::new(entry) }))
}

/// Returns a path with `/` on every system.
fn slashed(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}
