//! The names of batches, and of the files of one.

use super::short_id::{is_short_hash, short_hash, short_id};
use std::fmt;

/// The highest epoch.
pub const LAST_EPOCH: u32 = 99_999_999;

short_id! {
    /// The id of a batch: the first 12 hex digits of the SHA-256 of its `batch.json`.
    BatchId, "batch_id"
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
        Some(Self { task: number(task)?, epoch: parse_epoch(epoch)? })
    }
}

fn number(text: &str) -> Option<u32> {
    text.parse::<u32>().ok().filter(|number| number.to_string() == text)
}

/// Parses an epoch in the name of a file.
pub(crate) fn parse_epoch(text: &str) -> Option<u32> {
    number(text).filter(|epoch| (1..=LAST_EPOCH).contains(epoch))
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
        Self::Event { kind: kind.to_owned(), hash: short_hash(bytes) }
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
