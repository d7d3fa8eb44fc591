//! Checks of the files of batches, for `verify`.

use super::ledger::{Ledger, read_batch, read_claim, read_event, read_report, read_result};
use super::path::{BatchId, LedgerPath};
use crate::cards::{CardError, parse};
use crate::model::{Digest, RepoPath};
use crate::store::{Folder, StoreError};
use std::collections::BTreeMap;
use std::path::Path;

/// Checks files of batches below one folder of cards.
#[derive(Debug)]
pub struct BatchChecker<'a> {
    root: &'a Path,
    /// The plans that were read; `None` if there is none.
    plans: BTreeMap<BatchId, Option<Ledger>>,
}

impl<'a> BatchChecker<'a> {
    /// Prepares to check files below the folder of cards `root`.
    pub fn new(root: &'a Path) -> Self {
        Self { root, plans: BTreeMap::new() }
    }

    /// Checks the file at `path`, relative to the folder of cards; `None` if it is in no folder of batches.
    ///
    /// # Errors
    /// If the `batch.json` beside it cannot be read.
    pub fn check(&mut self, path: &str, bytes: &[u8]) -> Result<Option<(Digest, Vec<String>)>, CardError> {
        let Some(below) = path.strip_prefix("batches/") else { return Ok(None) };
        let faults = match below.split_once('/').and_then(|(id, rest)| Some((BatchId::parse(id)?, rest))) {
            Some((id, rest)) => {
                if !self.plans.contains_key(&id) {
                    let plan = plan(self.root, &id)?;
                    self.plans.insert(id.clone(), plan);
                }
                faults(self.plans.get(&id).and_then(Option::as_ref), &id, rest, bytes)
            }
            None => vec!["no file of this program is here".to_owned()],
        };
        Ok(Some((Digest::of(bytes), faults)))
    }
}

/// Reads the plan of a batch; `None` if there is none, or it is damaged, which is reported at its file.
fn plan(root: &Path, id: &BatchId) -> Result<Option<Ledger>, CardError> {
    let folder = RepoPath::new(&format!("batches/{id}"))
        .map_err(|_| StoreError::Name { path: root.to_owned() })
        .and_then(|folder| Folder::open(root, &folder))?;
    let batch = folder.read("batch.json")?;
    Ok(batch.and_then(|batch| Ledger::of(id, vec![("batch.json".to_owned(), batch)]).ok()))
}

/// Returns the fault of a file that is not canonical.
///
/// # Errors
/// Why it is no JSON.
pub(crate) fn canonical_fault(bytes: &[u8]) -> Result<Option<String>, String> {
    let value = parse(bytes, "it").map_err(|error| error.to_string())?;
    // An implementation of RFC 8785 that is independent of the one that writes.
    let is_canonical = serde_jcs::to_vec(&value).ok().as_deref() == Some(bytes);
    Ok((!is_canonical).then(|| "it is not in the canonical form of RFC 8785".to_owned()))
}

fn faults(ledger: Option<&Ledger>, id: &BatchId, path: &str, bytes: &[u8]) -> Vec<String> {
    let Some(parsed) = LedgerPath::parse(path) else { return vec!["no file of this program is here".to_owned()] };
    let mut faults: Vec<String> = match canonical_fault(bytes) {
        Ok(fault) => fault.into_iter().collect(),
        Err(why) => return vec![why],
    };
    let read = match (parsed, ledger) {
        (LedgerPath::Batch, _) => read_batch(id, bytes).map(drop),
        (_, None) => {
            Err("its `batch.json` is not there or damaged (help: restore it from git, or fork the same plan again)"
                .to_owned())
        }
        (LedgerPath::Claim(turn), Some(ledger)) => read_claim(ledger, turn, bytes).map(drop),
        (LedgerPath::Report(turn), Some(ledger)) => read_report(ledger, turn, bytes).map(drop),
        (event @ LedgerPath::Event { .. }, Some(ledger)) => read_event(ledger, &event, bytes).map(drop),
        (LedgerPath::Result, Some(ledger)) => read_result(ledger, bytes).map(drop),
    };
    faults.extend(read.err());
    faults
}
