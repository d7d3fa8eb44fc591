//! The files of cards, boxes and logs: where they are, and how they are read and written.
//!
//! An id names a folder and a file, so that no command lists everything: a whole id opens one file, a beginning of one
//! lists one folder of 256.

use super::boxes::{LogSummary, once};
use super::id::{id_prefix, is_id_prefix, only_one};
use super::json::{canonical_bytes, check_hash, parse_file, without_line_end};
use super::{BoxContent, BoxSnapshot, Card, CardError, ContentId, LogAppend, LogEntry, LogName, PreparedCard};
use crate::model::{RepoPath, named_enum};
use crate::store::{Folder, StoreError};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most cards or boxes that one command reads.
pub const LARGEST_BATCH: usize = 100;

pub const TOMBSTONE: &str = "{\"schema_version\":\"tombstone/v1\"}";

pub const DELETED: &str = ".deleted.json";

named_enum! {
    pub enum CardFileKind {
        Card = "card",
        Box = "box",
    }
}

impl CardFileKind {
    fn folder(self) -> &'static str {
        if self == Self::Card { "cards" } else { "boxes" }
    }
}

/// A card, or why it is not read: it was deleted, it has expired, or it is not found.
pub type ReadCard = Result<Box<Card>, &'static str>;

#[derive(Debug)]
pub struct CardStore {
    root: PathBuf,
    dir: RepoPath,
}

impl CardStore {
    pub fn new(root: &Path, dir: RepoPath) -> Self {
        Self { root: root.to_owned(), dir }
    }

    /// Returns the path, from the repo's root, of a file or folder below the folder of cards.
    fn path(&self, below: &str) -> String {
        let dir = self.dir.as_str();
        if dir.is_empty() { below.to_owned() } else { format!("{dir}/{below}") }
    }

    fn folder(&self, below: &str) -> Result<Folder, StoreError> {
        let path = self.path(below);
        let path = RepoPath::new(&path).map_err(|_| StoreError::Name { path: self.root.join(&path) })?;
        Folder::open(&self.root, &path)
    }

    pub(super) fn folder_of(&self, kind: CardFileKind, hex: &str) -> Result<Folder, StoreError> {
        self.folder(&format!("{}/{}", kind.folder(), &hex[..2]))
    }

    /// Reads the content of a file; `None` if nothing has its name.
    ///
    /// What is there and is no regular file is an error: a tombstone that is a link must not make its card readable again.
    fn read(&self, folder: &Folder, name: &str) -> Result<Option<Vec<u8>>, CardError> {
        match folder.read(name)? {
            None if folder.is_irregular(name)? => Err(self.irregular(folder, name)),
            found => Ok(found.map(|bytes| without_line_end(&bytes).to_vec())),
        }
    }

    fn irregular(&self, folder: &Folder, name: &str) -> CardError {
        let path = folder.path().join(name);
        let shown = path.strip_prefix(&self.root).unwrap_or(&path).display().to_string();
        invalid(&shown.replace('\\', "/"), "it is no regular file, so it is not read; remove it")
    }

    pub fn shown(&self, kind: CardFileKind, id: &ContentId) -> String {
        let hex = id.hex();
        self.path(&format!("{}/{}/{hex}.json", kind.folder(), &hex[..2]))
    }

    pub fn shown_append(&self, log: &LogName, entry: &LogEntry) -> String {
        self.path(&format!("logs/{}/{}", log.as_str(), entry.file()))
    }

    /// Finds the card or box that an id, or the beginning of one, names; `None` if there is none.
    pub fn find(&self, kind: CardFileKind, typed: &str) -> Result<Option<ContentId>, CardError> {
        let digits = id_prefix(typed, kind.name())?;
        if let Some(id) = ContentId::from_hex(&digits) {
            return Ok(self.has(kind, &id)?.then_some(id));
        }
        let folder = self.folder_of(kind, &digits)?;
        let names = [folder.list()?, folder.irregular()?].concat();
        let ids: BTreeSet<ContentId> = names
            .iter()
            .filter(|name| name.starts_with(&digits))
            .filter_map(|name| {
                let hex = name.strip_suffix(DELETED).filter(|_| kind == CardFileKind::Card);
                ContentId::from_hex(hex.or_else(|| name.strip_suffix(".json"))?)
            })
            .collect();
        only_one(typed, ids)
    }

    pub fn has(&self, kind: CardFileKind, id: &ContentId) -> Result<bool, CardError> {
        Ok(self.file(kind, id, ".json")?.is_some() || kind == CardFileKind::Card && self.is_deleted(id)?)
    }

    /// Reads the file of an id; its name ends in `end`.
    fn file(&self, kind: CardFileKind, id: &ContentId, end: &str) -> Result<Option<Vec<u8>>, CardError> {
        self.read(&self.folder_of(kind, id.hex())?, &format!("{}{end}", id.hex()))
    }

    /// Parses the file of an id, whose content has to have that id.
    fn parsed_file<T>(
        &self,
        kind: CardFileKind,
        id: &ContentId,
        bytes: &[u8],
        read: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, CardError> {
        let value = unchanged(bytes, id).and_then(|()| parsed(bytes));
        value.and_then(read).map_err(|why| invalid(&self.shown(kind, id), &why))
    }

    pub fn card(&self, id: &ContentId) -> Result<ReadCard, CardError> {
        if self.is_deleted(id)? {
            return Ok(Err("deleted"));
        }
        let Some(bytes) = self.file(CardFileKind::Card, id, ".json")? else { return Ok(Err("not found")) };
        let card = |value| Card::from_value(value).map_err(|error| error.to_string());
        Ok(Ok(Box::new(self.parsed_file(CardFileKind::Card, id, &bytes, card)?)))
    }

    /// Reads a card that is in use at `now`.
    pub fn card_in_use(&self, id: &ContentId, now: &str) -> Result<ReadCard, CardError> {
        Ok(self.card(id)?.and_then(|card| if card.is_expired(now) { Err("expired") } else { Ok(card) }))
    }

    /// Finds cards that are to be referred to, each by its id or the beginning of one.
    pub fn cards_for_reference(&self, typed: &[String]) -> Result<Vec<ContentId>, CardError> {
        let found = typed.iter().map(|typed| {
            let id = self.find(CardFileKind::Card, typed)?.ok_or_else(|| CardError::card_not_found(typed))?;
            match self.card(&id)? {
                Ok(_) => Ok(id),
                Err("deleted") => Err(CardError::NotFound(format!("card not found: {typed} was deleted"))),
                Err(_) => Err(CardError::card_not_found(typed)),
            }
        });
        found.collect::<Result<Vec<_>, _>>().map(once)
    }

    pub fn is_deleted(&self, id: &ContentId) -> Result<bool, CardError> {
        Ok(self.file(CardFileKind::Card, id, DELETED)?.is_some())
    }

    /// Writes the tombstone of a card, and returns whether it was new.
    pub fn delete_card(&self, id: &ContentId) -> Result<bool, CardError> {
        let is_new = !self.is_deleted(id)?;
        let folder = self.folder_of(CardFileKind::Card, id.hex())?;
        folder.write(&format!("{}{DELETED}", id.hex()), TOMBSTONE.as_bytes())?;
        Ok(is_new)
    }

    /// Writes files all or none: if `write` fails, those that are new are removed again.
    pub fn transaction<T, E>(&self, write: impl FnOnce(&mut WrittenFiles) -> Result<T, E>) -> Result<T, E> {
        let mut written = WrittenFiles::default();
        let done = write(&mut written);
        // The error is reported, and what cannot be removed is named by nothing.
        done.inspect_err(|_| drop(written.remove_new(&self.root)))
    }

    /// Writes one append to a log, and returns its name.
    ///
    /// Appends of several processes at once are different files, and none is lost.
    pub fn append(&self, log: &LogName, append: &LogAppend) -> Result<LogEntry, CardError> {
        let bytes = canonical_bytes(append);
        let entry = self.next_entry(log, &bytes)?;
        self.log_folder(log)?.write(&entry.file(), &bytes)?;
        Ok(entry)
    }

    pub fn append_of(&self, log: &LogName, append: &LogAppend) -> Result<Option<LogEntry>, CardError> {
        let hash = ContentId::of(&canonical_bytes(append));
        Ok(self.entries(log)?.into_iter().find(|entry| entry.hash == hash.short()))
    }

    pub fn check_append(&self, log: &LogName) -> Result<(), CardError> {
        self.next_entry(log, &[]).map(drop)
    }

    /// Returns the name of the next append. One whose clock jumped, by hand, does not use up the clocks of the others.
    fn next_entry(&self, log: &LogName, bytes: &[u8]) -> Result<LogEntry, CardError> {
        let full = || CardError::bad(format!("the log `{}` is full; begin another", log.as_str()));
        self.entries(log)?;
        LogEntry::after(self.highest_clock()?, bytes).ok_or_else(full)
    }

    /// Returns the highest clock of all logs before any jump. An append has a higher one than all that its writer saw, in any
    /// log, so that the order of clocks is one in which things can have happened.
    pub fn highest_clock(&self) -> Result<u32, CardError> {
        Ok(LogEntry::highest(self.appends()?.iter().map(|(entry, _)| entry)))
    }

    /// Returns the appends of all logs with the names of their logs, by clock, then by hash.
    pub fn appends(&self) -> Result<Vec<(LogEntry, LogName)>, CardError> {
        let mut appends = Vec::new();
        for log in self.log_names()?.iter().filter_map(|name| LogName::new(name).ok()) {
            let files = self.log_folder(&log)?.list()?;
            appends.extend(files.iter().filter_map(|file| Some((LogEntry::parse(file)?, log.clone()))));
        }
        appends.sort();
        Ok(appends)
    }

    fn log_folder(&self, log: &LogName) -> Result<Folder, StoreError> {
        self.folder(&format!("logs/{}", log.as_str()))
    }

    /// Lists the appends of a log in its order: by clock, then by hash.
    fn entries(&self, log: &LogName) -> Result<Vec<LogEntry>, CardError> {
        let folder = self.log_folder(log)?;
        if let Some(name) = folder.irregular()?.first() {
            return Err(self.irregular(&folder, name));
        }
        let entries = folder.list()?.into_iter().map(|file| {
            LogEntry::parse(&file).ok_or_else(|| {
                let shown = self.path(&format!("logs/{}/{file}", log.as_str()));
                invalid(&shown, "its name is none that this program gives; move it out of the log")
            })
        });
        let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
        entries.sort();
        Ok(entries)
    }

    /// Reads the cards of a log up to `clock`; `None` if the log has no appends.
    fn log(&self, log: &LogName, clock: Option<u32>) -> Result<Option<(u32, Vec<ContentId>)>, CardError> {
        let entries = self.entries(log)?;
        let Some(highest) = entries.last().map(|entry| entry.clock) else { return Ok(None) };
        let folder = self.log_folder(log)?;
        let mut card_ids = Vec::new();
        for entry in entries.iter().filter(|entry| clock.is_none_or(|clock| entry.clock <= clock)) {
            let (file, shown) = (entry.file(), self.shown_append(log, entry));
            // It was listed, so that another process or git removed it meanwhile.
            let bytes = self.read(&folder, &file)?.ok_or_else(|| invalid(&shown, "it is gone"))?;
            card_ids.extend(read_append(&bytes, entry).map_err(|why| invalid(&shown, &why))?.card_ids);
        }
        Ok(Some((clock.unwrap_or(highest).min(highest), once(card_ids))))
    }

    /// Reads the box that an id, a log's name or `name@clock` names; `None` if there is none.
    pub fn read_box(&self, typed: &str) -> Result<Option<BoxContent>, CardError> {
        if typed.starts_with("sha256:") || is_id_prefix(&typed.to_ascii_lowercase()) {
            let Some(id) = self.find(CardFileKind::Box, typed)? else { return Ok(None) };
            let Some(bytes) = self.file(CardFileKind::Box, &id, ".json")? else { return Ok(None) };
            let snapshot = self.parsed_file(CardFileKind::Box, &id, &bytes, BoxSnapshot::from_value)?;
            let BoxSnapshot { card_ids, parent_ids, .. } = snapshot;
            return Ok(Some(BoxContent { name: id.to_string(), id: Some(id), card_ids, parent_ids }));
        }
        let (name, clock) = match typed.split_once('@') {
            None => (typed, None),
            Some((name, clock)) => {
                let number = clock.parse::<u32>().ok().filter(|number| *number > 0);
                let bad = || CardError::bad(format!("`{typed}`: the clock after `@` is a number from 1"));
                (name, Some(number.ok_or_else(bad)?))
            }
        };
        let found = self.log(&LogName::new(name)?, clock)?;
        let found = found.filter(|(highest, _)| clock.is_none_or(|clock| clock <= *highest));
        Ok(found.map(|(highest, card_ids)| BoxContent {
            name: format!("{name}@{highest}"),
            id: None,
            card_ids,
            parent_ids: Vec::new(),
        }))
    }

    pub fn existing_box(&self, typed: &str) -> Result<BoxContent, CardError> {
        self.read_box(typed)?.ok_or_else(|| CardError::box_not_found(typed))
    }

    pub fn boxes(&self) -> Result<Vec<ContentId>, CardError> {
        let mut ids = Vec::new();
        for folder in self.folder(CardFileKind::Box.folder())?.folders()? {
            let names = self.folder(&format!("{}/{folder}", CardFileKind::Box.folder()))?.list()?;
            let found = names.iter().filter_map(|name| ContentId::from_hex(name.strip_suffix(".json")?));
            ids.extend(found.filter(|id| id.hex().starts_with(&folder)));
        }
        ids.sort();
        Ok(ids)
    }

    pub fn log_names(&self) -> Result<Vec<String>, CardError> {
        Ok(self.folder("logs")?.folders()?)
    }

    pub fn logs(&self) -> Result<Vec<LogSummary>, CardError> {
        let mut logs = Vec::new();
        for name in self.folder("logs")?.folders()? {
            let Ok(log) = LogName::new(&name) else { continue };
            let appends = self.entries(&log)?.len();
            if let Some((clock, cards)) = self.log(&log, None)? {
                logs.push(LogSummary { name, clock, appends, cards: cards.len() });
            }
        }
        Ok(logs)
    }
}

fn invalid(path: &str, why: &str) -> CardError {
    CardError::Invalid(format!("`{path}`: {why}"))
}

pub fn unchanged(bytes: &[u8], id: &ContentId) -> Result<(), String> {
    check_hash(bytes, id, "id", ContentId::of)
}

/// Reads the file of an append, whose name has to be that of its content.
pub fn read_append(bytes: &[u8], entry: &LogEntry) -> Result<LogAppend, String> {
    check_hash(bytes, &entry.hash, "hash", |bytes| ContentId::of(bytes).short().to_owned())?;
    LogAppend::from_value(parsed(bytes)?)
}

fn parsed(bytes: &[u8]) -> Result<Value, String> {
    let (value, fault) = parse_file(bytes)?;
    fault.map_or(Ok(value), Err)
}

/// The files that a command writes, from the repo's root, each with whether it was not there before.
///
/// Cards and boxes are named by their content, so that a crash in between leaves files that nothing names, and no file by halves.
#[derive(Debug, Default)]
pub struct WrittenFiles {
    pub files: BTreeMap<String, bool>,
}

impl WrittenFiles {
    /// Adds a file before it is written.
    pub fn add(&mut self, root: &Path, path: String) {
        let is_new = root.join(&path).symlink_metadata().is_err();
        self.files.entry(path).or_insert(is_new);
    }

    pub fn card(&mut self, store: &CardStore, card: &PreparedCard) -> Result<(), CardError> {
        self.file(store, CardFileKind::Card, &card.id, &card.bytes)
    }

    pub fn snapshot(&mut self, store: &CardStore, snapshot: &BoxSnapshot) -> Result<(), CardError> {
        self.file(store, CardFileKind::Box, &snapshot.id(), &canonical_bytes(snapshot))
    }

    /// Returns the id of a box that never changes: of a log, a snapshot is written.
    pub fn snapshot_of(&mut self, store: &CardStore, content: &BoxContent) -> Result<ContentId, CardError> {
        if content.id.is_none() {
            self.snapshot(store, &content.snapshot())?;
        }
        Ok(content.snapshot_id())
    }

    fn file(&mut self, store: &CardStore, kind: CardFileKind, id: &ContentId, bytes: &[u8]) -> Result<(), CardError> {
        self.add(&store.root, store.shown(kind, id));
        store.folder_of(kind, id.hex())?.write(&format!("{}.json", id.hex()), bytes)?;
        Ok(())
    }

    /// Removes the files that were not there before.
    pub fn remove_new(&self, root: &Path) -> io::Result<()> {
        let new = self.files.iter().filter(|(_, is_new)| **is_new).map(|(path, _)| root.join(path));
        // One that cannot be removed stops no other.
        new.filter(|file| file.symlink_metadata().is_ok()).map(fs::remove_file).fold(Ok(()), io::Result::and)
    }
}
