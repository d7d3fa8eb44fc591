//! Checks of the files of batches, for `verify`.

use super::ledger::{Ledger, read_batch, read_claim, read_event, read_report, read_result};
use super::path::{BatchId, LedgerPath};
use crate::cards::{CardError, parse};
use crate::model::{Digest, RepoPath};
use crate::store::{Folder, StoreError};
use std::path::Path;

/// Checks the file at `path`, relative to the folder of cards `root`; `None` if it is in no folder of batches.
///
/// # Errors
/// If the `batch.json` beside it cannot be read.
pub fn check_batch_file(root: &Path, path: &str, bytes: &[u8]) -> Result<Option<(Digest, Vec<String>)>, CardError> {
    let Some(below) = path.strip_prefix("batches/") else { return Ok(None) };
    let faults = match below.split_once('/').and_then(|(id, rest)| Some((BatchId::parse(id)?, rest))) {
        Some((id, rest)) => faults(root, &id, rest, bytes)?,
        None => vec!["no file of this program is here".to_owned()],
    };
    Ok(Some((Digest::of(bytes), faults)))
}

fn faults(root: &Path, id: &BatchId, path: &str, bytes: &[u8]) -> Result<Vec<String>, CardError> {
    let Some(parsed) = LedgerPath::parse(path) else { return Ok(vec!["no file of this program is here".to_owned()]) };
    let mut faults = Vec::new();
    match parse(bytes, "it") {
        // An implementation of RFC 8785 that is independent of the one that writes.
        Ok(value) if serde_jcs::to_vec(&value).ok().as_deref() != Some(bytes) => {
            faults.push("it is not in the canonical form of RFC 8785".to_owned());
        }
        Ok(_) => {}
        Err(error) => return Ok(vec![error.to_string()]),
    }
    if parsed == LedgerPath::Batch {
        faults.extend(read_batch(id, bytes).err());
        return Ok(faults);
    }
    let folder = RepoPath::new(&format!("batches/{id}"))
        .map_err(|_| StoreError::Name { path: root.to_owned() })
        .and_then(|folder| Folder::open(root, &folder))?;
    let Some(batch) = folder.read("batch.json")? else {
        faults.push("there is no `batch.json`: the fork was not finished (help: fork the same file again)".to_owned());
        return Ok(faults);
    };
    // The batch's own faults are reported at its file.
    let Ok(ledger) = Ledger::of(id, vec![("batch.json".to_owned(), batch)]) else { return Ok(faults) };
    let read = match parsed {
        LedgerPath::Batch => Ok(()),
        LedgerPath::Claim(turn) => read_claim(&ledger, turn, bytes).map(drop),
        LedgerPath::Report(turn) => read_report(&ledger, turn, bytes).map(drop),
        LedgerPath::Event { .. } => read_event(&ledger, &parsed, bytes).map(drop),
        LedgerPath::Result => read_result(&ledger, bytes).map(drop),
    };
    faults.extend(read.err());
    Ok(faults)
}
