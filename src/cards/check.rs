//! Checks of files below the folder of cards: that each is what its name says, and that what it names is there.

use super::boxes::{BoxSnapshot, LogEntry, LogName};
use super::json::parse;
use super::store::{DELETED, TOMBSTONE, read_append, unchanged};
use super::{Card, CardError, CardStore, ContentId, FileKind};
use crate::model::RepoPath;
use std::path::{Path, PathBuf};

/// The result of [`check_file`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedFile {
    /// The id that the bytes have.
    pub id: ContentId,
    /// What is wrong.
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
        let entries = path.read_dir().into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>()
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

/// Checks the file at `path`, relative to the folder of cards `root`; `None` if it is in none of its folders.
///
/// # Errors
/// If a file that it names cannot be read.
pub fn check_file(root: &Path, path: &str, bytes: &[u8]) -> Result<Option<CheckedFile>, CardError> {
    let store = CardStore::new(root, RepoPath::root());
    let parts: Vec<&str> = path.split('/').collect();
    let id = ContentId::of(bytes);
    let faults = match parts[..] {
        ["cards", folder, file] => named(FileKind::Card, folder, file, bytes, &store)?,
        ["boxes", folder, file] => named(FileKind::Box, folder, file, bytes, &store)?,
        ["logs", log, file] => append(log, file, bytes, &store)?,
        ["cards" | "boxes" | "logs", ..] => vec!["no file of this program is here".to_owned()],
        _ => return Ok(None),
    };
    Ok(Some(CheckedFile { id, faults }))
}

fn named(kind: FileKind, folder: &str, file: &str, bytes: &[u8], store: &CardStore) -> Result<Vec<String>, CardError> {
    let tombstone = file.strip_suffix(DELETED).filter(|_| kind == FileKind::Card);
    let hex = tombstone.or_else(|| file.strip_suffix(".json"));
    let Some(id) = hex.and_then(ContentId::from_hex).filter(|id| id.hex().starts_with(folder) && folder.len() == 2)
    else {
        return Ok(vec![format!("its path is none of a {}: `<first 2 hex digits>/<64 hex digits>.json`", kind.word())]);
    };
    if tombstone.is_some() {
        let is_whole = bytes == TOMBSTONE.as_bytes();
        return Ok(if is_whole { Vec::new() } else { vec![format!("a tombstone holds exactly `{TOMBSTONE}`")] });
    }
    let mut faults: Vec<String> = unchanged(bytes, &id).err().into_iter().collect();
    let value = match parse(bytes, "it") {
        Ok(value) => value,
        Err(error) => {
            faults.push(error.to_string());
            return Ok(faults);
        }
    };
    // An implementation of RFC 8785 that is independent of the one that writes.
    if serde_jcs::to_vec(&value).ok().as_deref() != Some(bytes) {
        faults.push("it is not in the canonical form of RFC 8785".to_owned());
    }
    match kind {
        FileKind::Card => faults.extend(Card::from_value(value).err().map(|error| error.to_string())),
        FileKind::Box => match BoxSnapshot::from_value(value) {
            Ok(snapshot) => {
                faults.extend(missing(FileKind::Card, &snapshot.card_ids, store)?);
                faults.extend(missing(FileKind::Box, &snapshot.parent_ids, store)?);
            }
            Err(why) => faults.push(why),
        },
    }
    Ok(faults)
}

fn append(log: &str, file: &str, bytes: &[u8], store: &CardStore) -> Result<Vec<String>, CardError> {
    if let Err(error) = LogName::new(log) {
        return Ok(vec![error.to_string()]);
    }
    let Some(entry) = LogEntry::parse(file) else {
        return Ok(vec!["its name is none that this program gives: `<8-digit clock>-<12 hex digits>.json`".to_owned()]);
    };
    match read_append(bytes, &entry) {
        Ok(append) => missing(FileKind::Card, &append.card_ids, store),
        Err(why) => Ok(vec![why]),
    }
}

/// Returns one fault for each id whose file is not there.
fn missing(kind: FileKind, ids: &[ContentId], store: &CardStore) -> Result<Vec<String>, CardError> {
    let mut faults = Vec::new();
    for id in ids {
        match store.has(kind, id) {
            Ok(true) => {}
            Ok(false) => faults.push(format!("{} not found: {id}", kind.word())),
            Err(CardError::Invalid(why)) => faults.push(why),
            Err(error) => return Err(error),
        }
    }
    Ok(faults)
}
