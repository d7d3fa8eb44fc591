//! Checks of the files of batches, for `verify`.

use super::entries::Event;
use super::files::DAMAGED;
use super::ledger::{Ledger, read_batch, read_event};
use super::path::{BatchId, LedgerPath};
use super::store::BatchStore;
use crate::handoff::cards::{CardError, CardStore, ContentId, FileKind, missing, parse, without_line_end};
use crate::model::{Digest, RepoPath};
use std::collections::BTreeMap;
use std::path::Path;

/// Checks files of batches below one folder of cards.
#[derive(Debug)]
pub struct BatchChecker {
    store: BatchStore,
    cards: CardStore,
    /// The batches that were read; `None` without a plan that can be used, which is reported at its file.
    ledgers: BTreeMap<BatchId, Option<Ledger>>,
}

impl BatchChecker {
    /// Prepares to check files below the folder of cards `root`.
    pub fn new(root: &Path) -> Self {
        let (store, cards) = (BatchStore::new(root, &RepoPath::root()), CardStore::new(root, RepoPath::root()));
        Self { store, cards, ledgers: BTreeMap::new() }
    }

    /// Checks the file at `path`, relative to the folder of cards; `None` if it is in no folder of batches.
    ///
    /// # Errors
    /// If the files beside it cannot be read.
    pub fn check(&mut self, path: &str, bytes: &[u8]) -> Result<Option<(Digest, Vec<String>)>, CardError> {
        let Some(below) = path.strip_prefix("batches/") else { return Ok(None) };
        let bytes = without_line_end(bytes);
        let parsed = below.split_once('/').and_then(|(id, rest)| Some((BatchId::parse(id)?, LedgerPath::parse(rest)?)));
        let faults = match parsed {
            Some((id, path)) => {
                if !self.ledgers.contains_key(&id) {
                    let ledger = Ledger::without_result(&id, self.store.files(&id, DAMAGED)?).ok();
                    self.ledgers.insert(id.clone(), ledger);
                }
                self.faults(&id, &path, bytes)
            }
            None => vec!["no file of this program is here".to_owned()],
        };
        Ok(Some((Digest::of(bytes), faults)))
    }

    fn faults(&self, id: &BatchId, path: &LedgerPath, bytes: &[u8]) -> Vec<String> {
        let mut faults: Vec<String> = match canonical_fault(bytes) {
            Ok(fault) => fault.into_iter().collect(),
            Err(why) => return vec![why],
        };
        let Some(ledger) = self.ledgers.get(id).and_then(Option::as_ref) else {
            faults.extend(match path {
                LedgerPath::Batch => read_batch(id, bytes).err(),
                _ => Some(
                    "its `batch.json` is not there or damaged (help: restore it from git, or fork the same plan again)"
                        .to_owned(),
                ),
            });
            return faults;
        };
        let shown = path.to_string();
        let first = ledger.faults.partition_point(|fault| fault.path < shown);
        let own = ledger.faults.iter().skip(first).take_while(|fault| fault.path == shown);
        faults.extend(own.map(|fault| fault.message.clone()));
        if faults.is_empty() {
            faults.extend(missing(FileKind::Box, &named_boxes(ledger, path, bytes), &self.cards));
        }
        faults
    }
}

/// Returns the boxes that a file names.
fn named_boxes(ledger: &Ledger, path: &LedgerPath, bytes: &[u8]) -> Vec<ContentId> {
    let ids: Vec<Option<ContentId>> = match path {
        LedgerPath::Batch | LedgerPath::Claim(_) => Vec::new(),
        LedgerPath::Report(turn) => {
            ledger.reports.get(turn).into_iter().flatten().map(|it| it.output_box_id.clone()).collect()
        }
        LedgerPath::Event { .. } => match read_event(ledger, path, bytes) {
            Ok(Event::Fork { tasks, .. }) => tasks.into_iter().map(|task| Some(task.context_box_id)).collect(),
            Ok(Event::Late { report, .. }) => vec![report.output_box_id],
            Ok(Event::Reclaim { .. }) | Err(_) => Vec::new(),
        },
        LedgerPath::Result => {
            let results = ledger.result().into_iter().flat_map(|result| &result.results);
            results.map(|task| task.output_box_id.clone()).collect()
        }
    };
    ids.into_iter().flatten().collect()
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
