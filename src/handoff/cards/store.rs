//! The files of cards, boxes and logs: where they are, and how they are read and written.
//!
//! An id names a folder and a file, so that no command lists everything: a whole id opens one file, a beginning of one
//! lists one folder of 256.

use super::boxes::once;
use super::json::{canonical, check_hash, parse, without_line_end};
use super::{
    BoxContent, BoxSnapshot, Card, CardError, ContentId, IdPrefix, LogAppend, LogEntry, LogName, LogSummary,
    PreparedCard, Transaction,
};
use crate::model::RepoPath;
use crate::store::{Folder, StoreError};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most cards or boxes that one command reads.
pub const LARGEST_BATCH: usize = 100;

/// The bytes of every tombstone.
pub(super) const TOMBSTONE: &str = "{\"schema_version\":\"tombstone/v1\"}";

/// The end of the names of tombstones.
pub(super) const DELETED: &str = ".deleted.json";

/// A kind of files that are named by their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Cards.
    Card,
    /// Snapshots.
    Box,
}

impl FileKind {
    /// Returns the name of the folder.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Card => "cards",
            Self::Box => "boxes",
        }
    }

    /// Returns the word of ids and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Box => "box",
        }
    }
}

/// A card as it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadCard {
    /// The card.
    Present(Box<Card>),
    /// It has a tombstone.
    Deleted,
    /// There is no such card.
    Missing,
}

/// What names a box.
enum BoxRef {
    Snapshot(ContentId),
    Log(LogName, Option<u32>),
}

/// The folder of cards, boxes and logs of a repo.
#[derive(Debug)]
pub struct CardStore {
    root: PathBuf,
    dir: RepoPath,
}

impl CardStore {
    /// Opens the folder `dir` of the repo at `root`, which need not exist.
    pub fn new(root: &Path, dir: RepoPath) -> Self {
        Self { root: root.to_owned(), dir }
    }

    fn folder(&self, below: &str) -> Result<Folder, StoreError> {
        let dir = self.dir.as_str();
        let path = if dir.is_empty() { below.to_owned() } else { format!("{dir}/{below}") };
        let path = RepoPath::new(&path).map_err(|_| StoreError::Name { path: self.root.join(&path) })?;
        Folder::open(&self.root, &path)
    }

    pub(super) fn folder_of(&self, kind: FileKind, hex: &str) -> Result<Folder, StoreError> {
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

    /// Returns the path of a file from the repo's root, for messages.
    pub fn shown(&self, kind: FileKind, id: &ContentId) -> String {
        let hex = id.hex();
        format!("{}/{}/{}/{hex}.json", self.dir, kind.folder(), &hex[..2])
    }

    /// Returns the path of an append from the repo's root.
    pub fn shown_append(&self, log: &LogName, entry: &LogEntry) -> String {
        format!("{}/logs/{}/{}", self.dir, log.as_str(), entry.file())
    }

    /// Finds the card or box that an id, or the beginning of one, names; `None` if there is none.
    ///
    /// # Errors
    /// [`CardError::BadRequest`] if it is no id or names several.
    pub fn find(&self, kind: FileKind, typed: &str) -> Result<Option<ContentId>, CardError> {
        let prefix = IdPrefix::parse(typed, kind.word())?;
        let folder = self.folder_of(kind, prefix.digits())?;
        if let Some(id) = prefix.whole() {
            return Ok(self.exists(&folder, kind, &id)?.then_some(id));
        }
        let names = [folder.list()?, folder.irregular()?].concat();
        let ids: BTreeSet<ContentId> = names
            .iter()
            .filter(|name| name.starts_with(prefix.digits()))
            .filter_map(|name| {
                let hex = name.strip_suffix(DELETED).filter(|_| kind == FileKind::Card);
                ContentId::from_hex(hex.or_else(|| name.strip_suffix(".json"))?)
            })
            .collect();
        let mut found = ids.into_iter();
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => {
                Err(CardError::bad(format!("`{typed}` is the beginning of {first} and {second}; give more digits")))
            }
            (found, _) => Ok(found),
        }
    }

    fn exists(&self, folder: &Folder, kind: FileKind, id: &ContentId) -> Result<bool, CardError> {
        let hex = id.hex();
        let file = self.read(folder, &format!("{hex}.json"))?.is_some();
        Ok(file || kind == FileKind::Card && self.read(folder, &format!("{hex}{DELETED}"))?.is_some())
    }

    /// Returns whether a file of this id is there, or a tombstone in its place.
    ///
    /// # Errors
    /// If the system refuses to read it.
    pub fn has(&self, kind: FileKind, id: &ContentId) -> Result<bool, CardError> {
        self.exists(&self.folder_of(kind, id.hex())?, kind, id)
    }

    /// Reads a card.
    ///
    /// # Errors
    /// [`CardError::Invalid`] if its file was changed.
    pub fn card(&self, id: &ContentId) -> Result<ReadCard, CardError> {
        let folder = self.folder_of(FileKind::Card, id.hex())?;
        let hex = id.hex();
        if self.read(&folder, &format!("{hex}{DELETED}"))?.is_some() {
            return Ok(ReadCard::Deleted);
        }
        let Some(bytes) = self.read(&folder, &format!("{hex}.json"))? else { return Ok(ReadCard::Missing) };
        let shown = self.shown(FileKind::Card, id);
        let card = unchanged(&bytes, id)
            .and_then(|()| parsed(&bytes))
            .and_then(|value| Card::from_value(value).map_err(|error| error.to_string()))
            .map_err(|why| invalid(&shown, &why))?;
        Ok(ReadCard::Present(Box::new(card)))
    }

    /// Finds cards that are to be referred to, each by its id or the beginning of one.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if one does not exist or is deleted.
    pub fn cards_for_reference(&self, typed: &[String]) -> Result<Vec<ContentId>, CardError> {
        let found = typed.iter().map(|typed| {
            let missing = || CardError::card_not_found(typed);
            let id = self.find(FileKind::Card, typed)?.ok_or_else(missing)?;
            match self.card(&id)? {
                ReadCard::Present(_) => Ok(id),
                ReadCard::Deleted => Err(CardError::NotFound(format!("card not found: {typed} was deleted"))),
                ReadCard::Missing => Err(missing()),
            }
        });
        found.collect::<Result<Vec<_>, _>>().map(once)
    }

    /// Writes cards, all or none, and returns whether each is deleted.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_cards(&self, cards: &[PreparedCard]) -> Result<Vec<bool>, CardError> {
        let mut transaction = Transaction::new(self);
        let written = cards.iter().map(|card| {
            let is_deleted = self.is_deleted(&card.id)?;
            if !is_deleted {
                transaction.card(card)?;
            }
            Ok(is_deleted)
        });
        let deleted = written.collect::<Result<Vec<bool>, CardError>>()?;
        transaction.commit();
        Ok(deleted)
    }

    /// Returns whether a card has a tombstone.
    ///
    /// # Errors
    /// If the system refuses to read it.
    pub fn is_deleted(&self, id: &ContentId) -> Result<bool, CardError> {
        let folder = self.folder_of(FileKind::Card, id.hex())?;
        Ok(self.read(&folder, &format!("{}{DELETED}", id.hex()))?.is_some())
    }

    /// Writes the tombstone of a card, and returns whether it was new.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn delete_card(&self, id: &ContentId) -> Result<bool, CardError> {
        let folder = self.folder_of(FileKind::Card, id.hex())?;
        let name = format!("{}{DELETED}", id.hex());
        let is_new = self.read(&folder, &name)?.is_none();
        folder.write(&name, TOMBSTONE.as_bytes())?;
        Ok(is_new)
    }

    /// Writes a snapshot, and returns its id.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_box(&self, snapshot: &BoxSnapshot) -> Result<ContentId, CardError> {
        let bytes = snapshot.bytes();
        let id = ContentId::of(&bytes);
        self.folder_of(FileKind::Box, id.hex())?.write(&format!("{}.json", id.hex()), &bytes)?;
        Ok(id)
    }

    /// Writes one append to a log, and returns its name.
    ///
    /// Appends of several processes at once are different files, and none is lost.
    ///
    /// # Errors
    /// [`CardError::Invalid`] if another program's file is in the log.
    pub fn append(&self, log: &LogName, append: &LogAppend) -> Result<LogEntry, CardError> {
        let bytes = append.bytes();
        let entry = self.next_entry(log, &bytes)?;
        self.log_folder(log)?.write(&entry.file(), &bytes)?;
        Ok(entry)
    }

    /// Finds an append that a log has already.
    ///
    /// # Errors
    /// [`CardError::Invalid`] if another program's file is in the log.
    pub fn append_of(&self, log: &LogName, append: &LogAppend) -> Result<Option<LogEntry>, CardError> {
        let hash = ContentId::of(&append.bytes());
        Ok(self.entries(log)?.into_iter().find(|entry| entry.hash == hash.short()))
    }

    /// Checks that a log can be appended to, before other files are written.
    ///
    /// # Errors
    /// As [`CardStore::append`].
    pub fn check_append(&self, log: &LogName) -> Result<(), CardError> {
        self.next_entry(log, &[]).map(drop)
    }

    /// Returns the name of the next append. One whose clock jumped, by hand, does not use up the clocks of the others.
    fn next_entry(&self, log: &LogName, bytes: &[u8]) -> Result<LogEntry, CardError> {
        let full = || CardError::bad(format!("the log `{}` is full; begin another", log.as_str()));
        LogEntry::after(LogEntry::highest(&self.entries(log)?), bytes).ok_or_else(full)
    }

    /// Returns the highest clock of a log before any jump.
    pub(super) fn highest_clock(&self, log: &LogName) -> Result<u32, CardError> {
        let mut entries: Vec<LogEntry> =
            self.log_folder(log)?.list()?.iter().filter_map(|file| LogEntry::parse(file)).collect();
        entries.sort();
        Ok(LogEntry::highest(&entries))
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
                let shown = format!("{}/logs/{}/{file}", self.dir, log.as_str());
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
            let file = entry.file();
            let shown = format!("{}/logs/{}/{file}", self.dir, log.as_str());
            // It was listed, so that another process or git removed it meanwhile.
            let bytes = self.read(&folder, &file)?.ok_or_else(|| invalid(&shown, "it is gone"))?;
            card_ids.extend(read_append(&bytes, entry).map_err(|why| invalid(&shown, &why))?.card_ids);
        }
        Ok(Some((clock.unwrap_or(highest).min(highest), once(card_ids))))
    }

    /// Reads the box that an id, a log's name or `name@clock` names; `None` if there is none.
    ///
    /// # Errors
    /// [`CardError::BadRequest`] if it can name no box, [`CardError::Invalid`] if a file was changed.
    pub fn read_box(&self, typed: &str) -> Result<Option<BoxContent>, CardError> {
        Ok(match self.box_ref(typed)? {
            None => None,
            Some(BoxRef::Snapshot(id)) => {
                let folder = self.folder_of(FileKind::Box, id.hex())?;
                let Some(bytes) = self.read(&folder, &format!("{}.json", id.hex()))? else { return Ok(None) };
                let snapshot = unchanged(&bytes, &id)
                    .and_then(|()| parsed(&bytes))
                    .and_then(BoxSnapshot::from_value)
                    .map_err(|why| invalid(&self.shown(FileKind::Box, &id), &why))?;
                let BoxSnapshot { card_ids, parent_ids, .. } = snapshot;
                Some(BoxContent { name: id.to_string(), id: Some(id), card_ids, parent_ids })
            }
            Some(BoxRef::Log(log, clock)) => match self.log(&log, clock)? {
                Some((highest, card_ids)) if clock.is_none_or(|clock| clock <= highest) => {
                    let name = format!("{}@{highest}", log.as_str());
                    Some(BoxContent { name, id: None, card_ids, parent_ids: Vec::new() })
                }
                _ => None,
            },
        })
    }

    /// Reads a box that has to exist.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if it does not, else as [`CardStore::read_box`].
    pub fn existing_box(&self, typed: &str) -> Result<BoxContent, CardError> {
        self.read_box(typed)?.ok_or_else(|| CardError::box_not_found(typed))
    }

    fn box_ref(&self, typed: &str) -> Result<Option<BoxRef>, CardError> {
        if typed.starts_with("sha256:") || IdPrefix::is_prefix(&typed.to_ascii_lowercase()) {
            return Ok(self.find(FileKind::Box, typed)?.map(BoxRef::Snapshot));
        }
        let (name, clock) = match typed.split_once('@') {
            None => (typed, None),
            Some((name, clock)) => {
                let number = clock.parse::<u32>().ok().filter(|number| *number > 0);
                let bad = || CardError::bad(format!("`{typed}`: the clock after `@` is a number from 1"));
                (name, Some(number.ok_or_else(bad)?))
            }
        };
        Ok(Some(BoxRef::Log(LogName::new(name)?, clock)))
    }

    /// Lists the snapshots, sorted by id.
    ///
    /// # Errors
    /// If a folder cannot be listed.
    pub fn boxes(&self) -> Result<Vec<ContentId>, CardError> {
        let mut ids = Vec::new();
        for folder in self.folder(FileKind::Box.folder())?.folders()? {
            let names = self.folder(&format!("{}/{folder}", FileKind::Box.folder()))?.list()?;
            let found = names.iter().filter_map(|name| ContentId::from_hex(name.strip_suffix(".json")?));
            ids.extend(found.filter(|id| id.hex().starts_with(&folder)));
        }
        ids.sort();
        Ok(ids)
    }

    /// Lists the names of the logs, sorted.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn log_names(&self) -> Result<Vec<String>, CardError> {
        Ok(self.folder("logs")?.folders()?)
    }

    /// Lists the logs, sorted by name.
    ///
    /// # Errors
    /// [`CardError::Invalid`] if another program's file is in one.
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

/// Checks that a file has the content that its name says.
pub(super) fn unchanged(bytes: &[u8], id: &ContentId) -> Result<(), String> {
    check_hash(bytes, id, "id", ContentId::of)
}

/// Reads the file of an append, whose name has to be that of its content.
pub(super) fn read_append(bytes: &[u8], entry: &LogEntry) -> Result<LogAppend, String> {
    check_hash(bytes, &entry.hash, "hash", |bytes| ContentId::of(bytes).short().to_owned())?;
    LogAppend::from_value(parsed(bytes)?)
}

/// Parses a file, which has to be in the canonical form.
fn parsed(bytes: &[u8]) -> Result<Value, String> {
    let value = parse(bytes, "it").map_err(|error| error.to_string())?;
    if canonical(&value).as_bytes() == bytes {
        return Ok(value);
    }
    Err("it is not in the canonical form of RFC 8785".to_owned())
}
