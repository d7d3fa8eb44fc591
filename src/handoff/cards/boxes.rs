//! Boxes and logs: lists of cards.

use super::clock::{LAST_CLOCK, highest_clock};
use super::json::canonical_bytes;
use super::{CardError, ContentId, IdPrefix};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the format of boxes.
pub const BOX_VERSION: &str = "box/v1";

/// A box: a list of cards that never changes. Its file is its RFC 8785 form, named by its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxSnapshot {
    /// Always `box/v1`.
    #[schemars(extend("const" = "box/v1"))]
    pub schema_version: String,
    /// The cards, in order, each once.
    pub card_ids: Vec<ContentId>,
    /// The boxes that it continues.
    pub parent_ids: Vec<ContentId>,
}

impl BoxSnapshot {
    /// Creates a box; repeated ids are dropped.
    pub fn new(card_ids: Vec<ContentId>, parent_ids: Vec<ContentId>) -> Self {
        Self { schema_version: BOX_VERSION.to_owned(), card_ids: once(card_ids), parent_ids: once(parent_ids) }
    }

    /// Reads a box's JSON.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn from_value(value: Value) -> Result<Self, String> {
        let read: Self = serde_json::from_value(value).map_err(|error| format!("not a box: {error}"))?;
        if read.schema_version != BOX_VERSION {
            return Err(format!("`schema_version` is not `{BOX_VERSION}`"));
        }
        if Self::new(read.card_ids.clone(), read.parent_ids.clone()) != read {
            return Err("an id is repeated".to_owned());
        }
        Ok(read)
    }

    /// Returns the bytes of its file.
    pub fn bytes(&self) -> Vec<u8> {
        canonical_bytes(self)
    }
}

/// One append to a log. Its file is named by its clock and the first 12 hex digits of its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogAppend {
    /// The cards, in order, each once.
    pub card_ids: Vec<ContentId>,
    /// Who appended them, for audit only.
    pub author_id: String,
}

impl LogAppend {
    /// Creates an append; repeated ids are dropped.
    pub fn new(card_ids: Vec<ContentId>, author_id: String) -> Self {
        Self { card_ids: once(card_ids), author_id }
    }

    /// Reads an append's JSON.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn from_value(value: Value) -> Result<Self, String> {
        let read: Self = serde_json::from_value(value).map_err(|error| format!("not an append to a log: {error}"))?;
        if read.card_ids.is_empty() || read.author_id.is_empty() {
            return Err("an append has cards and an author".to_owned());
        }
        if once(read.card_ids.clone()) != read.card_ids {
            return Err("an id is repeated".to_owned());
        }
        Ok(read)
    }

    /// Returns the bytes of its file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        canonical_bytes(self)
    }
}

/// Keeps the first occurrence of each id.
pub(super) fn once(ids: Vec<ContentId>) -> Vec<ContentId> {
    let mut seen = std::collections::BTreeSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

/// The name of a file of a log, or of another list that is only added to, which sorts in the list's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogEntry {
    /// One more than the highest clock that the writer saw.
    pub clock: u32,
    /// The first 12 hex digits of the SHA-256 of the file.
    pub hash: String,
}

impl LogEntry {
    /// Parses a file name; `None` if this program never gives it.
    pub fn parse(file: &str) -> Option<Self> {
        let (clock, hash) = file.strip_suffix(".json")?.split_once('-')?;
        let digits = |text: &str, length| text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
        let is_hash = hash.len() == 12 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let clock = clock.parse().ok().filter(|_| digits(clock, 8) && is_hash)?;
        (clock > 0).then(|| Self { clock, hash: hash.to_owned() })
    }

    /// Returns the name of an append with these bytes after `highest`; `None` if the log is full.
    pub fn after(highest: u32, bytes: &[u8]) -> Option<Self> {
        let hash = ContentId::of(bytes).short().to_owned();
        (highest < LAST_CLOCK).then(|| Self { clock: highest + 1, hash })
    }

    /// Returns the name of its file.
    pub fn file(&self) -> String {
        format!("{:08}-{}.json", self.clock, self.hash)
    }

    /// Returns the clock from which a list with these entries, in its order, goes on: the highest before any jump.
    pub fn highest(entries: &[Self]) -> u32 {
        highest_clock(entries.iter().map(|entry| entry.clock))
    }

    /// Says what is wrong with an entry beyond a jump of the clocks, and what to do; `None` if it is not. `highest` is that of
    /// its list.
    pub fn jump(&self, highest: u32) -> Option<String> {
        (self.clock > highest).then(|| {
            let mended = Self { clock: highest.saturating_add(1), hash: self.hash.clone() };
            format!(
                "its clock jumps from {highest} to {}, which no writer does (help: rename it to `{}`)",
                self.clock,
                mended.file()
            )
        })
    }
}

/// The name of a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogName(String);

impl LogName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`CardError::BadRequest`] if no log can have it.
    pub fn new(name: &str) -> Result<Self, CardError> {
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let valid = name.bytes().next().is_some_and(is_plain)
            && name.len() <= 100
            && name.bytes().all(|b| is_plain(b) || matches!(b, b'.' | b'_' | b'-'));
        if !valid {
            return Err(CardError::bad(format!(
                "`{name}` is no name of a log: a name is made of a-z, 0-9, `.`, `_` and `-`, begins with a letter or digit, and has at most 100 characters"
            )));
        }
        if IdPrefix::is_prefix(name) {
            return Err(CardError::bad(format!(
                "`{name}` is no name of a log, since it is the beginning of an id; add another character, such as `-`"
            )));
        }
        Ok(Self(name.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a box holds, whatever it was named by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxContent {
    /// Its id, or `name@clock` of a log.
    pub name: String,
    /// The id, if it is a snapshot.
    pub id: Option<ContentId>,
    /// The cards, in order, each once.
    pub card_ids: Vec<ContentId>,
    /// The boxes that it continues.
    pub parent_ids: Vec<ContentId>,
}

impl BoxContent {
    /// Returns the log that it was read from, if it is no snapshot.
    pub fn log(&self) -> Option<&str> {
        if self.id.is_some() { None } else { self.name.rsplit_once('@').map(|(log, _)| log) }
    }

    /// Returns the snapshot that it becomes if it is a log.
    pub fn snapshot(&self) -> BoxSnapshot {
        BoxSnapshot::new(self.card_ids.clone(), self.parent_ids.clone())
    }

    /// Returns the id that it has, or that its snapshot gets.
    pub fn snapshot_id(&self) -> ContentId {
        self.id.clone().unwrap_or_else(|| ContentId::of(&self.snapshot().bytes()))
    }

    /// Returns whether it has every card of another box.
    pub fn holds_all_of(&self, other: &Self) -> bool {
        let own: std::collections::BTreeSet<&ContentId> = self.card_ids.iter().collect();
        other.card_ids.iter().all(|id| own.contains(id))
    }
}

/// A log as `box list` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSummary {
    /// Its name.
    pub name: String,
    /// The highest clock.
    pub clock: u32,
    /// How many appends it has.
    pub appends: usize,
    /// How many cards it has.
    pub cards: usize,
}
