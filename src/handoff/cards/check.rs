//! Checks of files below the folder of cards: that each is what its name says, and that what it names is there.

use super::boxes::{BoxSnapshot, LogEntry, LogName};
use super::json::{parse_file, without_line_end};
use super::store::{DELETED, TOMBSTONE, read_append, unchanged};
use super::{Card, CardError, CardStore, ContentId, FileKind};
use crate::model::RepoPath;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedFile {
    pub id: ContentId,
    pub faults: Vec<String>,
}

/// Returns the folder of cards that a path is or lies in: the nearest one upwards that has files in the places of this
/// program.
pub fn context_folder(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find(|folder| is_context_folder(folder)).map(Path::to_owned)
}

fn is_context_folder(folder: &Path) -> bool {
    let names = |path: PathBuf| {
        let entries = WalkDir::new(path).min_depth(1).max_depth(1).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.file_name().to_str()?.to_owned())).collect::<Vec<_>>()
    };
    let is_hex = |name: &String| name.len() == 2 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let hashed = [FileKind::Card, FileKind::Box];
    let is_batch = |name: &String| name.len() == 12 && folder.join("batches").join(name).join("batch.json").is_file();
    let has_entry = |folder: PathBuf| names(folder).iter().any(|file| LogEntry::parse(file).is_some());
    names(folder.join("batches")).iter().any(is_batch)
        || names(folder.join("inbox")).iter().any(|agent| has_entry(folder.join("inbox").join(agent).join("requests")))
        || hashed.into_iter().any(|kind| names(folder.join(kind.folder())).iter().any(is_hex))
        || names(folder.join("logs")).iter().any(|log| has_entry(folder.join("logs").join(log)))
}

/// Checks files below one folder of cards.
#[derive(Debug)]
pub struct CardChecker {
    store: CardStore,
    /// The highest clocks of logs, before any jump.
    highest: BTreeMap<LogName, u32>,
}

impl CardChecker {
    pub fn new(root: &Path) -> Self {
        Self { store: CardStore::new(root, RepoPath::root()), highest: BTreeMap::new() }
    }

    /// Checks the file at `path`, relative to the folder of cards; `None` if it is in none of its folders.
    pub fn check(&mut self, path: &str, bytes: &[u8]) -> Result<Option<CheckedFile>, CardError> {
        let bytes = without_line_end(bytes);
        let parts: Vec<&str> = path.split('/').collect();
        let id = ContentId::of(bytes);
        let faults = match parts[..] {
            ["cards", folder, file] => named(FileKind::Card, folder, file, bytes, &self.store),
            ["boxes", folder, file] => named(FileKind::Box, folder, file, bytes, &self.store),
            ["logs", log, file] => self.append(log, file, bytes)?,
            ["cards" | "boxes" | "logs", ..] => vec!["no file of this program is here".to_owned()],
            _ => return Ok(None),
        };
        Ok(Some(CheckedFile { id, faults }))
    }

    fn append(&mut self, log: &str, file: &str, bytes: &[u8]) -> Result<Vec<String>, CardError> {
        let log = match LogName::new(log) {
            Ok(log) => log,
            Err(error) => return Ok(vec![error.to_string()]),
        };
        let Some(entry) = LogEntry::parse(file) else {
            return Ok(vec![
                "its name is none that this program gives: `<8-digit clock>-<12 hex digits>.json`".to_owned(),
            ]);
        };
        let append = match read_append(bytes, &entry) {
            Ok(append) => append,
            Err(why) => return Ok(vec![why]),
        };
        let highest = match self.highest.get(&log) {
            Some(highest) => *highest,
            None => *self.highest.entry(log.clone()).or_insert(self.store.highest_clock(&log)?),
        };
        let mut faults = missing(FileKind::Card, &append.card_ids, &self.store);
        faults.extend(entry.jump(highest));
        Ok(faults)
    }
}

/// Checks the file at `path`, relative to the folder of cards `root`; `None` if it is in none of its folders.
pub fn check_file(root: &Path, path: &str, bytes: &[u8]) -> Result<Option<CheckedFile>, CardError> {
    CardChecker::new(root).check(path, bytes)
}

fn named(kind: FileKind, folder: &str, file: &str, bytes: &[u8], store: &CardStore) -> Vec<String> {
    let tombstone = file.strip_suffix(DELETED).filter(|_| kind == FileKind::Card);
    let hex = tombstone.or_else(|| file.strip_suffix(".json"));
    let Some(id) = hex.and_then(ContentId::from_hex).filter(|id| id.hex().starts_with(folder) && folder.len() == 2)
    else {
        return vec![format!("its path is none of a {}: `<first 2 hex digits>/<64 hex digits>.json`", kind.word())];
    };
    if tombstone.is_some() {
        let is_whole = bytes == TOMBSTONE.as_bytes();
        return if is_whole { Vec::new() } else { vec![format!("a tombstone holds exactly `{TOMBSTONE}`")] };
    }
    let mut faults: Vec<String> = unchanged(bytes, &id).err().into_iter().collect();
    let value = match parse_file(bytes) {
        Ok((value, fault)) => {
            faults.extend(fault);
            value
        }
        Err(why) => {
            faults.push(why);
            return faults;
        }
    };
    match kind {
        FileKind::Card => faults.extend(Card::from_value(value).err().map(|error| error.to_string())),
        FileKind::Box => match BoxSnapshot::from_value(value) {
            Ok(snapshot) => {
                faults.extend(missing(FileKind::Card, &snapshot.card_ids, store));
                faults.extend(missing(FileKind::Box, &snapshot.parent_ids, store));
            }
            Err(why) => faults.push(why),
        },
    }
    faults
}

pub(crate) fn missing(kind: FileKind, ids: &[ContentId], store: &CardStore) -> Vec<String> {
    let fault = |id: &ContentId| match store.has(kind, id) {
        Ok(true) => None,
        Ok(false) => Some(format!("{} not found: {id}", kind.word())),
        Err(error) => Some(error.to_string()),
    };
    ids.iter().filter_map(fault).collect()
}
