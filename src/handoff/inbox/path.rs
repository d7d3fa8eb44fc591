//! The names of turns, and of the files of an inbox.

use crate::handoff::batches::{is_short_hash, parse_epoch, short_hash, short_id};
use crate::handoff::cards::LogEntry;
use std::fmt;

short_id! {
    /// The id of a turn: the first 12 hex digits of the SHA-256 of its request.
    TurnId, "agent_turn_id"
}

/// One attempt at a turn: what is claimed and answered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// The turn.
    pub turn: TurnId,
    /// The attempt, from 1.
    pub epoch: u32,
}

impl Attempt {
    fn parse(stem: &str) -> Option<Self> {
        let (turn, epoch) = stem.split_once('-')?;
        Some(Self { turn: TurnId::parse(turn)?, epoch: parse_epoch(epoch)? })
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.turn, self.epoch)
    }
}

/// The path of a file in the folder of an inbox.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum InboxPath {
    /// `requests/<8-digit clock>-<turn>.json`.
    Request(LogEntry),
    /// `claims/<turn>-<epoch>.json`, which one process creates.
    Claim(Attempt),
    /// `responses/<turn>-<epoch>.json`, which one process creates.
    Response(Attempt),
    /// `events/<kind>-<12 hex digits of its hash>.json`.
    Event {
        /// The word of its kind.
        kind: String,
        /// The digits.
        hash: String,
    },
}

impl InboxPath {
    /// The folders of an inbox.
    pub(super) const FOLDERS: [&str; 4] = ["requests", "claims", "responses", "events"];

    /// Returns the path of an event of this kind with these bytes.
    pub fn event(kind: &str, bytes: &[u8]) -> Self {
        Self::Event { kind: kind.to_owned(), hash: short_hash(bytes) }
    }

    /// Parses a path; `None` if this program never gives it.
    pub fn parse(path: &str) -> Option<Self> {
        let (folder, file) = path.split_once('/')?;
        let stem = file.strip_suffix(".json")?;
        match folder {
            "requests" => LogEntry::parse(file).map(Self::Request),
            "claims" => Attempt::parse(stem).map(Self::Claim),
            "responses" => Attempt::parse(stem).map(Self::Response),
            "events" => {
                let (kind, hash) = stem.split_once('-')?;
                let known = ["reclaim", "late", "close", "open"].contains(&kind) && is_short_hash(hash);
                known.then(|| Self::Event { kind: kind.to_owned(), hash: hash.to_owned() })
            }
            _ => None,
        }
    }

    /// Returns the folder and the name of the file.
    pub fn parts(&self) -> (&'static str, String) {
        match self {
            Self::Request(entry) => ("requests", entry.file()),
            Self::Claim(attempt) => ("claims", format!("{attempt}.json")),
            Self::Response(attempt) => ("responses", format!("{attempt}.json")),
            Self::Event { kind, hash } => ("events", format!("{kind}-{hash}.json")),
        }
    }
}

impl fmt::Display for InboxPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, file) = self.parts();
        write!(f, "{folder}/{file}")
    }
}
