//! Checks of files below the folder of cards: that each is what its name says, and that what it names is there.

use super::cards::{
    BoxSnapshot, Card, CardError, CardFileKind, CardStore, ContentId, DELETED, LogEntry, LogName, TOMBSTONE, is_hex,
    parse_file, read_append, unchanged, without_line_end,
};
use super::ledger::{
    BATCHES, Batch, INBOXES, Ledger, LedgerFolder, LedgerKind, LedgerPath, MISPLACED, ShortId, TaskState, TurnRequest,
};
use crate::model::RepoPath;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The folders below the folder of cards in which each file is checked.
pub const CHECKED_FOLDERS: [&str; 5] = ["cards", "boxes", "logs", "batches", "inbox"];

const NO_PLAN: &str =
    "its `batch.json` is not there or damaged (help: restore it from git, or fork the same plan again)";

/// Returns the folder of cards that a path is or lies in: the nearest one upwards that has files in the places of this
/// program.
pub fn context_folder(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find(|folder| is_context_folder(folder)).map(Path::to_owned)
}

fn is_context_folder(folder: &Path) -> bool {
    // Whether a folder below it has an entry of which this holds.
    let any = |below: &str, holds: &dyn Fn(&str) -> bool| {
        let mut entries = WalkDir::new(folder.join(below)).min_depth(1).max_depth(1).into_iter().flatten();
        entries.any(|entry| entry.file_name().to_str().is_some_and(holds))
    };
    let is_hash_folder = |name: &str| is_hex(name, 2..=2);
    let is_entry = |file: &str| LogEntry::parse(file).is_some();
    any("batches", &|name| name.len() == 12 && folder.join("batches").join(name).join("batch.json").is_file())
        || any("inbox", &|agent| any(&format!("inbox/{agent}/requests"), &is_entry))
        || any("cards", &is_hash_folder)
        || any("boxes", &is_hash_folder)
        || any("logs", &|log| any(&format!("logs/{log}"), &is_entry))
}

#[derive(Debug)]
pub struct FileChecker {
    store: CardStore,
    batches: LedgerFolder,
    inboxes: LedgerFolder,
    /// The folder of packs.
    packs: PathBuf,
    /// The highest clock of the logs, before any jump, once it was asked for.
    highest: Option<u32>,
    /// The batches and inboxes that were read, by path; `None` without a plan that can be used, which is reported at its file.
    ledgers: BTreeMap<String, Option<Ledger>>,
}

impl FileChecker {
    pub fn new(root: &Path) -> Self {
        let folder = |kind| LedgerFolder::new(kind, root, &RepoPath::root());
        Self {
            store: CardStore::new(root, RepoPath::root()),
            batches: folder(&BATCHES),
            inboxes: folder(&INBOXES),
            packs: root.join("packs"),
            highest: None,
            ledgers: BTreeMap::new(),
        }
    }

    /// Returns the id and the faults of the file at `path`, relative to the folder of cards; `None` if it is in none of its
    /// folders.
    pub fn check(&mut self, path: &str, bytes: &[u8]) -> Result<Option<(ContentId, Vec<String>)>, CardError> {
        let bytes = without_line_end(bytes);
        let parts: Vec<&str> = path.splitn(3, '/').collect();
        let faults = match parts[..] {
            ["cards", folder, file] => self.hashed(CardFileKind::Card, folder, file, bytes),
            ["boxes", folder, file] => self.hashed(CardFileKind::Box, folder, file, bytes),
            ["logs", log, file] => self.append(log, file, bytes)?,
            ["batches", name, file] => self.ledger_file(&BATCHES, name, file, bytes)?,
            ["inbox", name, file] => self.ledger_file(&INBOXES, name, file, bytes)?,
            [folder, ..] if CHECKED_FOLDERS.contains(&folder) => vec![MISPLACED.to_owned()],
            _ => return Ok(None),
        };
        Ok(Some((ContentId::of(bytes), faults)))
    }

    fn append(&mut self, log: &str, file: &str, bytes: &[u8]) -> Result<Vec<String>, CardError> {
        let read = || {
            LogName::new(log).map_err(|error| error.to_string())?;
            let why = "its name is none that this program gives: `<8-digit clock>-<12 hex digits>.json`";
            let entry = LogEntry::parse(file).ok_or(why)?;
            Ok((read_append(bytes, &entry)?, entry))
        };
        let (append, entry) = match read() {
            Ok(read) => read,
            Err(why) => return Ok(vec![why]),
        };
        let highest = match self.highest {
            Some(highest) => highest,
            None if !entry.can_jump() => entry.clock,
            None => *self.highest.insert(self.store.highest_clock()?),
        };
        let mut faults = self.missing(CardFileKind::Card, &append.card_ids);
        faults.extend(entry.jump(highest));
        Ok(faults)
    }

    fn hashed(&self, kind: CardFileKind, folder: &str, file: &str, bytes: &[u8]) -> Vec<String> {
        let tombstone = file.strip_suffix(DELETED).filter(|_| kind == CardFileKind::Card);
        let hex = tombstone.or_else(|| file.strip_suffix(".json"));
        let id = hex.and_then(ContentId::from_hex).filter(|id| folder.len() == 2 && id.hex().starts_with(folder));
        let Some(id) = id else {
            return vec![format!("its path is none of a {}: `<first 2 hex digits>/<64 hex digits>.json`", kind.name())];
        };
        if tombstone.is_some() {
            let is_whole = bytes == TOMBSTONE.as_bytes();
            return if is_whole { Vec::new() } else { vec![format!("a tombstone holds exactly `{TOMBSTONE}`")] };
        }
        let mut faults: Vec<String> = unchanged(bytes, &id).err().into_iter().collect();
        let read = parse_file(bytes).and_then(|(value, fault)| {
            faults.extend(fault);
            match kind {
                CardFileKind::Card => Card::from_value(value).map(drop).map_err(|error| error.to_string()),
                CardFileKind::Box => BoxSnapshot::from_value(value).map(|snapshot| {
                    faults.extend(self.missing(CardFileKind::Card, &snapshot.card_ids));
                    faults.extend(self.missing(CardFileKind::Box, &snapshot.parent_ids));
                }),
            }
        });
        faults.extend(read.err());
        faults
    }

    fn missing(&self, kind: CardFileKind, ids: &[ContentId]) -> Vec<String> {
        let fault = |id: &ContentId| match self.store.has(kind, id) {
            Ok(true) => None,
            Ok(false) => Some(format!("{} not found: {id}", kind.name())),
            Err(error) => Some(error.to_string()),
        };
        ids.iter().filter_map(fault).collect()
    }

    /// Returns a fault for each box that a pack names and that is not there.
    pub fn missing_boxes(&self, pack: &[u8]) -> Vec<String> {
        let mut boxes = Vec::new();
        serde_json::from_slice(pack).iter().for_each(|pack| add_named_boxes(pack, &mut boxes));
        self.missing(CardFileKind::Box, &boxes)
    }

    /// Returns the name of the pack for a turn, if a handover to its agent made its context box: its cards come last.
    fn pack_of(&self, turn: &TurnRequest) -> Option<String> {
        let last = self.store.read_box(&turn.context_box_id.to_string()).ok()??.card_ids.pop()?;
        let handover = self.store.card(&last).ok()?.ok()?.metadata.remove("handover")?;
        (handover["to"] == *turn.agent).then(|| format!("packs/{}.json", turn.context_box_id.short()))
    }

    fn ledger_file(
        &mut self,
        kind: &'static LedgerKind,
        name: &str,
        file: &str,
        bytes: &[u8],
    ) -> Result<Vec<String>, CardError> {
        let batch = ShortId::parse(name).filter(|_| *kind == BATCHES);
        let is_inbox = *kind == INBOXES && LogName::new(name).is_ok();
        let Some(path) = LedgerPath::parse(kind, file).filter(|_| batch.is_some() || is_inbox) else {
            return Ok(vec![MISPLACED.to_owned()]);
        };
        let key = format!("{}/{name}", kind.folder);
        if !self.ledgers.contains_key(&key) {
            let folder = if is_inbox { &self.inboxes } else { &self.batches };
            let files = folder.files(name, true)?;
            let ledger = match &batch {
                Some(id) => Ledger::of_batch_with_any_result(id, files).ok(),
                None => Some(Ledger::of_inbox(files)),
            };
            self.ledgers.insert(key.clone(), ledger);
        }
        let (value, fault) = match parse_file(bytes) {
            Ok(read) => read,
            Err(why) => return Ok(vec![why]),
        };
        let mut faults: Vec<String> = fault.into_iter().collect();
        let plan = batch.filter(|_| path == LedgerPath::File("batch.json"));
        match (&self.ledgers[&key], &plan) {
            (Some(ledger), _) => {
                let shown = path.to_string();
                let first = ledger.faults.partition_point(|fault| fault.path < shown);
                let own = ledger.faults.iter().skip(first).take_while(|fault| fault.path == shown);
                faults.extend(own.map(|fault| fault.message.clone()));
                let is_fork = ledger.fork.as_ref().is_some_and(|fork| fork.path == shown);
                let open = ledger.states().into_iter().filter(|task| is_fork && !task.status.is_terminal());
                let packs = open.filter_map(|task| Some(&ledger.forked(&task.id)?.pack));
                let is_asked = |turn: &TaskState| !is_fork && shown.ends_with(&format!("-{}.json", turn.id));
                let turns = ledger.states().into_iter().filter(|turn| is_asked(turn) && !turn.status.is_terminal());
                let of_turns = turns.filter_map(|turn| self.pack_of(ledger.request(&turn.id)?));
                let is_there = |pack: &String| self.packs.join(pack.rsplit('/').next().unwrap_or_default()).is_file();
                let named = packs.cloned().chain(of_turns).filter(|pack| !is_there(pack));
                faults.extend(named.map(|pack| format!("pack not found: {pack}")));
            }
            (None, Some(id)) => faults.extend(Batch::read(id, bytes).err()),
            (None, None) => faults.push(NO_PLAN.to_owned()),
        }
        // The plan names boxes as a user does.
        if faults.is_empty() && plan.is_none() {
            let mut boxes = Vec::new();
            add_named_boxes(&value, &mut boxes);
            faults.extend(self.missing(CardFileKind::Box, &boxes));
        }
        Ok(faults)
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
