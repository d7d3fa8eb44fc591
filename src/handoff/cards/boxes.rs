//! Boxes and logs: lists of cards.

use super::id::is_id_prefix;
use super::json::canonical_bytes;
use super::{CardError, ContentId, is_hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

const BOX_VERSION: &str = "box/v1";

const LAST_CLOCK: u32 = 99_999_999;

/// The most by which a clock exceeds the next lower one. Writers go up by one, and branches that lack a part of the files leave
/// gaps; a longer jump was made by hand, and must not use up the numbers of everyone who comes after it.
const LONGEST_JUMP: u32 = 10_000;

/// A box: a list of cards that never changes. Its file is its RFC 8785 form, named by its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxSnapshot {
    pub schema_version: String,
    pub card_ids: Vec<ContentId>,
    /// The boxes that it continues.
    pub parent_ids: Vec<ContentId>,
}

impl BoxSnapshot {
    pub fn new(card_ids: Vec<ContentId>, parent_ids: Vec<ContentId>) -> Self {
        Self { schema_version: BOX_VERSION.to_owned(), card_ids: once(card_ids), parent_ids: once(parent_ids) }
    }

    pub fn from_value(value: Value) -> Result<Self, String> {
        let read: Self = serde_json::from_value(value).map_err(|error| format!("not a box: {error}"))?;
        if read.schema_version != BOX_VERSION {
            return Err(format!("`schema_version` is not `{BOX_VERSION}`"));
        }
        if Self::new(read.card_ids.clone(), read.parent_ids.clone()) != read {
            return Err("an id is repeated".to_owned());
        }
        Ok(read)
    }

    pub fn id(&self) -> ContentId {
        ContentId::of(&canonical_bytes(self))
    }
}

/// One append to a log. Its file is named by its clock and the first 12 hex digits of its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogAppend {
    pub card_ids: Vec<ContentId>,
    /// Who appended them, for audit only.
    pub author_id: String,
}

impl LogAppend {
    pub fn new(card_ids: Vec<ContentId>, author_id: String) -> Self {
        Self { card_ids: once(card_ids), author_id }
    }

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
}

/// Returns the ids without those that were there before.
pub fn once(ids: Vec<ContentId>) -> Vec<ContentId> {
    let mut seen = BTreeSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

/// The name of a file of a log, or of another list that is only added to, which sorts in the list's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogEntry {
    /// One more than the highest clock that the writer saw: of an append, in any log.
    pub clock: u32,
    pub hash: String,
}

impl LogEntry {
    /// Parses a file name; `None` if this program never gives it.
    pub fn parse(file: &str) -> Option<Self> {
        let (clock, hash) = file.strip_suffix(".json")?.split_once('-')?;
        let is_clock = clock.len() == 8 && clock.bytes().all(|b| b.is_ascii_digit());
        let clock = clock.parse().ok().filter(|_| is_clock && is_hex(hash, 12..=12))?;
        (clock > 0).then(|| Self { clock, hash: hash.to_owned() })
    }

    /// Returns the name of an append with these bytes after `highest`; `None` if the log is full.
    pub fn after(highest: u32, bytes: &[u8]) -> Option<Self> {
        let hash = ContentId::of(bytes).short().to_owned();
        (highest < LAST_CLOCK).then(|| Self { clock: highest + 1, hash })
    }

    pub fn file(&self) -> String {
        format!("{:08}-{}.json", self.clock, self.hash)
    }

    /// Returns the clock from which a list with these entries, in its order, goes on: the highest before any jump.
    pub fn highest<'e>(entries: impl IntoIterator<Item = &'e Self>) -> u32 {
        highest_clock(entries.into_iter().map(|entry| entry.clock))
    }

    /// Returns whether its clock is high enough to lie beyond a jump.
    pub fn can_jump(&self) -> bool {
        self.clock > LONGEST_JUMP
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

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogName(String);

impl LogName {
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
        if is_id_prefix(name) {
            return Err(CardError::bad(format!(
                "`{name}` is no name of a log, since it is the beginning of an id; add another character, such as `-`"
            )));
        }
        Ok(Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a box holds, whatever it was named by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxContent {
    /// Its id, or `name@clock` of a log.
    pub name: String,
    pub id: Option<ContentId>,
    pub card_ids: Vec<ContentId>,
    /// The boxes that it continues.
    pub parent_ids: Vec<ContentId>,
}

impl BoxContent {
    /// Returns the log that it was read from, if it is no snapshot.
    pub fn log(&self) -> Option<&str> {
        if self.id.is_some() { None } else { self.name.rsplit_once('@').map(|(log, _)| log) }
    }

    pub fn snapshot(&self) -> BoxSnapshot {
        BoxSnapshot::new(self.card_ids.clone(), self.parent_ids.clone())
    }

    pub fn snapshot_id(&self) -> ContentId {
        self.id.clone().unwrap_or_else(|| self.snapshot().id())
    }

    /// Returns whether who may read it may read another box: the same snapshot, or the same log as far as it has its cards.
    pub fn covers(&self, other: &Self) -> bool {
        if self.id.is_some() || other.id.is_some() {
            return self.id == other.id;
        }
        let own: BTreeSet<&ContentId> = self.card_ids.iter().collect();
        self.log() == other.log() && other.card_ids.iter().all(|id| own.contains(id))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogSummary {
    pub name: String,
    pub clock: u32,
    pub appends: usize,
    pub cards: usize,
}

/// Returns the highest of these clocks, in ascending order, before any jump; 0 if there is none.
pub fn highest_clock(clocks: impl IntoIterator<Item = u32>) -> u32 {
    let mut highest = 0;
    for clock in clocks {
        if clock.saturating_sub(highest) > LONGEST_JUMP {
            break;
        }
        highest = clock;
    }
    highest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_hides_what_lies_beyond_it_and_a_gap_does_not() {
        assert_eq!(highest_clock([]), 0);
        assert_eq!(highest_clock([1, 2, 2, 10_002]), 10_002);
        assert_eq!(highest_clock([1, 10_002, 99_999_999]), 1);
        assert_eq!(highest_clock([10_001]), 0);
        assert_eq!(highest_clock((1..=99_999_999).step_by(9_999)), 99_990_001);
    }
}
