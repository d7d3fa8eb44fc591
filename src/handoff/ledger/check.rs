//! Checks of the files of batches and inboxes, for `verify`.

use super::batch::{Batch, BatchId, BatchLedger, TaskPath};
use super::folder::{BatchFolder, DAMAGED, InboxFolder};
use super::inbox::{Inbox, InboxPath};
use super::names::{Claimable, LedgerPath, MISPLACED};
use super::state::Ledger;
use crate::handoff::cards::{
    CardError, CardStore, ContentId, FileKind, LogName, missing, parse_file, without_line_end,
};
use crate::model::{Digest, RepoPath};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The fault of a file of a batch whose plan is missing.
const NO_PLAN: &str =
    "its `batch.json` is not there or damaged (help: restore it from git, or fork the same plan again)";

/// Checks files of batches and inboxes below one folder of cards.
#[derive(Debug)]
pub struct LedgerChecker {
    cards: CardStore,
    batches: BatchFolder,
    inboxes: InboxFolder,
    /// The batches that were read; `None` without a plan that can be used, which is reported at its file.
    read_batches: BTreeMap<BatchId, Option<BatchLedger>>,
    read_inboxes: BTreeMap<LogName, Inbox>,
}

impl LedgerChecker {
    pub fn new(root: &Path) -> Self {
        Self {
            cards: CardStore::new(root, RepoPath::root()),
            batches: BatchFolder::new(root, &RepoPath::root()),
            inboxes: InboxFolder::new(root, &RepoPath::root()),
            read_batches: BTreeMap::new(),
            read_inboxes: BTreeMap::new(),
        }
    }

    /// Checks the file at `path`, relative to the folder of cards; `None` if it is in no folder of batches or inboxes.
    pub fn check(&mut self, path: &str, bytes: &[u8]) -> Result<Option<(Digest, Vec<String>)>, CardError> {
        let bytes = without_line_end(bytes);
        let (folder, below) = path.split_once('/').unwrap_or_default();
        let (name, file) = below.split_once('/').unwrap_or_default();
        let faults = match folder {
            "batches" => match BatchId::parse(name).zip(TaskPath::parse(file)) {
                Some((id, path)) => self.check_batch(&id, &path, bytes)?,
                None => vec![MISPLACED.to_owned()],
            },
            "inbox" => match LogName::new(name).ok().zip(InboxPath::parse(file)) {
                Some((agent, path)) => {
                    if !self.read_inboxes.contains_key(&agent) {
                        self.read_inboxes.insert(agent.clone(), self.inboxes.read(&agent, DAMAGED)?);
                    }
                    self.faults(&self.read_inboxes[&agent], &path, bytes)
                }
                None => vec![MISPLACED.to_owned()],
            },
            _ => return Ok(None),
        };
        Ok(Some((Digest::of(bytes), faults)))
    }

    fn check_batch(&mut self, id: &BatchId, path: &TaskPath, bytes: &[u8]) -> Result<Vec<String>, CardError> {
        if !self.read_batches.contains_key(id) {
            let ledger = BatchLedger::without_result(id, self.batches.files(&id.to_string(), DAMAGED)?).ok();
            self.read_batches.insert(id.clone(), ledger);
        }
        if let Some(ledger) = &self.read_batches[id] {
            return Ok(self.faults(ledger, path, bytes));
        }
        Ok(match parse_file(bytes) {
            Err(why) => vec![why],
            Ok((_, fault)) => {
                let is_plan = *path == TaskPath::File("batch.json");
                let why = if is_plan { Batch::read(id, bytes).err() } else { Some(NO_PLAN.to_owned()) };
                fault.into_iter().chain(why).collect()
            }
        })
    }

    fn faults<K: Claimable>(&self, ledger: &Ledger<K>, path: &LedgerPath<K>, bytes: &[u8]) -> Vec<String> {
        let (value, fault) = match parse_file(bytes) {
            Ok(read) => read,
            Err(why) => return vec![why],
        };
        let mut faults: Vec<String> = fault.into_iter().collect();
        let shown = path.to_string();
        let first = ledger.faults.partition_point(|fault| fault.path < shown);
        let own = ledger.faults.iter().skip(first).take_while(|fault| fault.path == shown);
        faults.extend(own.map(|fault| fault.message.clone()));
        // The plan names boxes as a user does.
        if faults.is_empty() && *path != LedgerPath::File("batch.json") {
            let mut boxes = Vec::new();
            add_named_boxes(&value, &mut boxes);
            faults.extend(missing(FileKind::Box, &boxes, &self.cards));
        }
        faults
    }
}

fn add_named_boxes(value: &Value, boxes: &mut Vec<ContentId>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| add_named_boxes(value, boxes)),
        Value::Object(fields) => {
            let named = ["context_box_id", "output_box_id"].into_iter().filter_map(|name| fields.get(name));
            boxes.extend(named.filter_map(|id| serde_json::from_value::<ContentId>(id.clone()).ok()));
            fields.values().for_each(|value| add_named_boxes(value, boxes));
        }
        _ => {}
    }
}
