//! The packs of a page: read once, and again where their files changed.

use crate::cli::args::Global;
use crate::cli::failure::{Failure, PathFailure};
use crate::cli::{verify, workspace};
use contextpack::model::natural_cmp;
use contextpack::review::{Entry, report_data};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file younger than this when it was read may change again without another stamp.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The packs that were asked for.
pub(super) struct Packs {
    places: Vec<Place>,
    /// By the path that is shown.
    read: BTreeMap<String, Read>,
}

/// A pack, or a folder of packs.
struct Place {
    path: PathBuf,
    /// Its name on the page.
    shown: String,
}

/// A file as it was read last.
struct Read {
    stamp: Stamp,
    settled: bool,
    entry: Entry,
}

/// What tells whether a file may have changed: when it was written, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(Option<SystemTime>, u64);

impl Packs {
    /// The packs at the `given` places; where none is given, those of the configuration's `output.dir`.
    pub(super) fn open(global: &Global, given: &[PathBuf]) -> Result<Self, Failure> {
        let mut places = Vec::new();
        for path in given {
            let shown = slashed(path).trim_end_matches('/').to_owned();
            path.metadata().map_err(|error| PathFailure::failure("read", shown.clone(), error))?;
            places.push(Place { path: path.clone(), shown });
        }
        if given.is_empty() {
            let (root, settings) = workspace::settings(global)?;
            let dir = settings.output.dir;
            let path = dir.as_str().split('/').fold(root, |path, part| path.join(part));
            places.push(Place { path, shown: dir.as_str().to_owned() });
        }
        let mut packs = Self { places, read: BTreeMap::new() };
        packs.look()?;
        Ok(packs)
    }

    /// Reads what is new or changed since the last time, forgets what is gone, and says whether anything was.
    pub(super) fn look(&mut self) -> Result<bool, Failure> {
        let mut there = BTreeMap::new();
        for place in &self.places {
            // What is not there now may come: the first build makes the folder.
            if !place.path.exists() {
                continue;
            }
            for file in verify::files(&place.path)? {
                let below = file.strip_prefix(&place.path).unwrap_or(Path::new(""));
                let below = slashed(below);
                let shown = if below.is_empty() { place.shown.clone() } else { format!("{}/{below}", place.shown) };
                there.insert(shown, file);
            }
        }
        let before = self.read.len();
        self.read.retain(|shown, _| there.contains_key(shown));
        let gone = before != self.read.len();
        let last = &self.read;
        let read: Vec<(String, io::Result<Option<Read>>)> = there
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
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Entry)> {
        let mut entries: Vec<_> = self.read.iter().map(|(shown, read)| (shown.as_str(), &read.entry)).collect();
        entries.sort_by(|(a, _), (b, _)| natural_cmp(a, b));
        entries.into_iter()
    }

    /// The data of the page.
    pub(super) fn data(&self) -> String {
        report_data(self.entries().map(|(_, entry)| entry))
    }
}

/// The file as it is now, where it is not as it was read last or may not be.
fn again(last: Option<&Read>, shown: &str, file: &Path) -> io::Result<Option<Read>> {
    let metadata = file.metadata()?;
    let stamp = Stamp(metadata.modified().ok(), metadata.len());
    if last.is_some_and(|last| last.settled && last.stamp == stamp) {
        return Ok(None);
    }
    let age = stamp.0.and_then(|written| SystemTime::now().duration_since(written).ok());
    let entry = Entry::new(shown, &std::fs::read(file)?);
    Ok(Some(Read { stamp, settled: age.is_some_and(|age| age > UNSETTLED), entry }))
}

/// A path as it is shown on every system.
fn slashed(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}
