//! The packs of a page: read once, and again where their files changed.

use crate::cli::args::Global;
use crate::cli::failure::{Failure, PathFailure};
use crate::cli::{verify, workspace};
use crate::model::natural_cmp;
use crate::review::{PageEntry, report_data};
use crate::store::{Folder, Links, StoreError, read_file};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file younger than this when it was read may change again without another stamp.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The packs that were asked for.
pub(super) struct PackFiles {
    places: Vec<PackLocation>,
    /// By the path that is shown.
    read: BTreeMap<String, CachedPackFile>,
}

/// Where packs are looked for.
struct PackLocation {
    files: Files,
    /// Its name on the page.
    shown: String,
}

/// A pack or folder that the user named, or the output folder of the repo.
enum Files {
    Named(PathBuf),
    /// Reached from the repo's root through no link, as a repo from elsewhere may have planted one.
    Output(Folder),
}

/// A file that was found at a place.
struct File<'a> {
    path: PathBuf,
    /// The output folder that has it, and its name there.
    output: Option<(&'a Folder, String)>,
    links: Links,
}

/// A file as it was read last.
struct CachedPackFile {
    stamp: FileVersion,
    settled: bool,
    entry: PageEntry,
}

/// What tells whether a file may have changed: when it was written, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileVersion(Option<SystemTime>, u64);

impl PackFiles {
    /// The packs at the `given` places; where none is given, those of the configuration's `output.dir`.
    pub(super) fn open(global: &Global, given: &[PathBuf]) -> Result<Self, Failure> {
        let mut places = Vec::new();
        for path in given {
            let shown = slashed(path).trim_end_matches('/').to_owned();
            path.metadata().map_err(|error| PathFailure::failure("read", shown.clone(), error))?;
            places.push(PackLocation { files: Files::Named(path.clone()), shown });
        }
        if given.is_empty() {
            let (root, configuration) = workspace::configuration(global)?;
            let dir = configuration.settings.output.dir;
            let files = Files::Output(Folder::open(&root, &dir)?);
            places.push(PackLocation { files, shown: dir.as_str().to_owned() });
        }
        let mut packs = Self { places, read: BTreeMap::new() };
        packs.look()?;
        Ok(packs)
    }

    /// Reads what is new or changed since the last time, forgets what is gone, and says whether anything was.
    pub(super) fn look(&mut self) -> Result<bool, Failure> {
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
                let read = again(last.get(&shown), &shown, &file);
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

    /// The packs with the path that is shown, in natural order.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &PageEntry)> {
        let mut entries: Vec<_> = self.read.iter().map(|(shown, read)| (shown.as_str(), &read.entry)).collect();
        entries.sort_by(|(a, _), (b, _)| natural_cmp(a, b));
        entries.into_iter()
    }

    /// The data of the page.
    pub(super) fn data(&self) -> String {
        report_data(self.entries().map(|(_, entry)| entry))
    }
}

impl Files {
    /// The packs there, each with its path below the place.
    ///
    /// A folder that does not exist has none yet: the first build makes it.
    fn list(&self) -> Result<Vec<(String, File<'_>)>, Failure> {
        match self {
            Self::Named(place) if !place.exists() => Ok(Vec::new()),
            Self::Named(place) => {
                let links = if place.is_dir() { Links::Refuse } else { Links::Follow };
                let found = |path: PathBuf| {
                    let below = slashed(path.strip_prefix(place).unwrap_or(Path::new("")));
                    (below, File { path, output: None, links })
                };
                // What is no file in a folder is no pack of it, as in the output folder.
                let is_pack =
                    |path: &PathBuf| path == place || path.symlink_metadata().is_ok_and(|there| there.is_file());
                Ok(verify::files(place)?.into_iter().filter(is_pack).map(found).collect())
            }
            Self::Output(folder) => {
                let found = |name: String| {
                    let path = folder.path().join(&name);
                    (name.clone(), File { path, output: Some((folder, name)), links: Links::Refuse })
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

/// The file as it is now, where it is not as it was read last or may not be.
fn again(last: Option<&CachedPackFile>, shown: &str, file: &File<'_>) -> io::Result<Option<CachedPackFile>> {
    let metadata = file.metadata()?;
    let stamp = FileVersion(metadata.modified().ok(), metadata.len());
    if last.is_some_and(|last| last.settled && last.stamp == stamp) {
        return Ok(None);
    }
    let age = stamp.0.and_then(|written| SystemTime::now().duration_since(written).ok());
    let entry = PageEntry::new(shown, &file.read()?);
    Ok(Some(CachedPackFile { stamp, settled: age.is_some_and(|age| age > UNSETTLED), entry }))
}

/// A path as it is shown on every system.
fn slashed(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}
