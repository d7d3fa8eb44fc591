//! The names of batches, and of the files of one.

use crate::cards::CardError;
use crate::model::Digest;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;

/// The number of hex digits of a batch's id, and of the hash in the name of an event.
const DIGITS: usize = 12;

/// The fewest digits that name a batch.
const FEWEST: usize = 4;

/// The highest epoch.
pub const LAST_EPOCH: u32 = 99_999_999;

/// The id of a batch: the first 12 hex digits of the SHA-256 of its `batch.json`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchId(String);

impl BatchId {
    /// Returns the id of the batch whose `batch.json` has these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Digest::of(bytes).short(DIGITS))
    }

    /// Parses a whole id.
    pub fn parse(text: &str) -> Option<Self> {
        is_short_hash(text).then(|| Self(text.to_owned()))
    }

    /// Parses an id or its first digits, as a user types them.
    ///
    /// # Errors
    /// [`CardError::BadRequest`] if it is none.
    pub fn prefix(typed: &str) -> Result<String, CardError> {
        let digits = typed.to_ascii_lowercase();
        if (FEWEST..=DIGITS).contains(&digits.len()) && is_hex(&digits) {
            return Ok(digits);
        }
        Err(CardError::BadRequest(format!(
            "`{typed}` is no batch_id: give its {DIGITS} hex digits, or the first {FEWEST} or more of them"
        )))
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for BatchId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for BatchId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("a batch_id is 12 lower-case hex digits"))
    }
}

impl JsonSchema for BatchId {
    fn schema_name() -> Cow<'static, str> {
        "BatchId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9a-f]{12}$",
            "description": "The id of a batch: the first 12 hex digits of the SHA-256 of its `batch.json`."
        })
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_short_hash(text: &str) -> bool {
    text.len() == DIGITS && is_hex(text)
}

/// One attempt at a task: what is claimed and reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// The task, from 0.
    pub task: u32,
    /// The attempt, from 1.
    pub epoch: u32,
}

impl Turn {
    fn parse(stem: &str) -> Option<Self> {
        let (task, epoch) = stem.split_once('-')?;
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
        let turn = Self { task: number(task)?, epoch: number(epoch)? };
        (1..=LAST_EPOCH).contains(&turn.epoch).then_some(turn)
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.task, self.epoch)
    }
}

/// The path of a file in the folder of a batch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LedgerPath {
    /// `batch.json`: the plan.
    Batch,
    /// `claims/<task>-<epoch>.json`, which one process creates.
    Claim(Turn),
    /// `reports/<task>-<epoch>.json`, which one process creates.
    Report(Turn),
    /// `events/<kind>-<12 hex digits of its hash>.json`.
    Event {
        /// The word of its kind.
        kind: String,
        /// The digits.
        hash: String,
    },
    /// `result.json`, which one process creates.
    Result,
}

impl LedgerPath {
    /// The folders of a batch.
    pub(super) const FOLDERS: [&str; 3] = ["claims", "reports", "events"];

    /// Returns the path of an event of this kind with these bytes.
    pub fn event(kind: &str, bytes: &[u8]) -> Self {
        Self::Event { kind: kind.to_owned(), hash: Digest::of(bytes).short(DIGITS) }
    }

    /// Parses a path; `None` if this program never gives it.
    pub fn parse(path: &str) -> Option<Self> {
        match path.split_once('/') {
            None if path == "batch.json" => Some(Self::Batch),
            None if path == "result.json" => Some(Self::Result),
            None => None,
            Some((folder, file)) => {
                let stem = file.strip_suffix(".json")?;
                match folder {
                    "claims" => Turn::parse(stem).map(Self::Claim),
                    "reports" => Turn::parse(stem).map(Self::Report),
                    "events" => {
                        let (kind, hash) = stem.split_once('-')?;
                        let known = ["fork", "reclaim", "late"].contains(&kind) && is_short_hash(hash);
                        known.then(|| Self::Event { kind: kind.to_owned(), hash: hash.to_owned() })
                    }
                    _ => None,
                }
            }
        }
    }

    /// Returns the folder, which is empty for files of the batch's own folder, and the name of the file.
    pub fn parts(&self) -> (&'static str, String) {
        match self {
            Self::Batch => ("", "batch.json".to_owned()),
            Self::Claim(turn) => ("claims", format!("{turn}.json")),
            Self::Report(turn) => ("reports", format!("{turn}.json")),
            Self::Event { kind, hash } => ("events", format!("{kind}-{hash}.json")),
            Self::Result => ("", "result.json".to_owned()),
        }
    }
}

impl fmt::Display for LedgerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            ("", file) => f.write_str(&file),
            (folder, file) => write!(f, "{folder}/{file}"),
        }
    }
}
