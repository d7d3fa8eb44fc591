//! The names in ledgers: short ids, attempts, and the paths of files.

use super::fields::{LAST_EPOCH, is_hex};
use super::state::Ledger;
use super::status::LateReason;
use crate::handoff::cards::{CardError, LogEntry, only_one};
use crate::model::Digest;
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt::{self, Debug, Display};
use std::marker::PhantomData;

const DIGITS: usize = 12;

const FEWEST_DIGITS: usize = 4;

fn short_hash(bytes: &[u8]) -> String {
    Digest::of(bytes).short(DIGITS)
}

pub(super) fn is_short_hash(text: &str) -> bool {
    text.len() == DIGITS && is_hex(text)
}

pub trait IdKind {
    /// The name of the field that holds one.
    const FIELD: &'static str;
}

/// An id: the first 12 hex digits of the SHA-256 of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShortId<T>(String, PhantomData<T>);

impl<T: IdKind> ShortId<T> {
    pub fn of(bytes: &[u8]) -> Self {
        Self(short_hash(bytes), PhantomData)
    }

    pub fn parse(text: &str) -> Option<Self> {
        is_short_hash(text).then(|| Self(text.to_owned(), PhantomData))
    }

    /// Finds the one of these ids that an id, or the beginning of one, names; `None` if none does.
    pub fn find(typed: &str, ids: impl IntoIterator<Item = Self>) -> Result<Option<Self>, CardError> {
        let digits = Self::prefix(typed)?;
        only_one(typed, ids.into_iter().filter(|id| id.0.starts_with(&digits)))
    }

    /// Returns the digits of an id or of its beginning, as a user types them.
    pub fn prefix(typed: &str) -> Result<String, CardError> {
        let digits = typed.to_ascii_lowercase();
        if (FEWEST_DIGITS..=DIGITS).contains(&digits.len()) && is_hex(&digits) {
            return Ok(digits);
        }
        let field = T::FIELD;
        Err(CardError::bad(format!(
            "`{typed}` is no {field}: give its {DIGITS} hex digits, or the first {FEWEST_DIGITS} or more of them"
        )))
    }
}

impl<T> Display for ShortId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T> Serialize for ShortId<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de, T: IdKind> Deserialize<'de> for ShortId<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = || de::Error::custom(format_args!("`{}` is {DIGITS} lower-case hex digits", T::FIELD));
        Self::parse(&String::deserialize(deserializer)?).ok_or_else(wrong)
    }
}

/// The names in a kind of ledgers.
#[derive(Debug)]
pub struct Layout {
    /// The folder of all ledgers of the kind, below the folder of cards.
    pub folder: &'static str,
    pub command: &'static str,
    /// The files of a ledger's own folder.
    pub files: &'static [&'static str],
    pub folders: &'static [&'static str],
    /// The one of its folders that says how attempts ended.
    pub reports: &'static str,
    /// The words with which the names of events begin.
    pub events: &'static [&'static str],
    /// The versions of claims, reports and events.
    pub versions: [&'static str; 3],
    pub noun: &'static str,
    pub article: &'static str,
    /// What its name follows in a sentence.
    pub title: &'static str,
    /// The verb of a command that reports.
    pub acknowledges: &'static str,
    /// The fields that name what is claimed, and the attempt at it.
    pub fields: [&'static str; 2],
    pub attempt: &'static str,
    /// The word for a report, and the field of a late one.
    pub report: &'static str,
    /// Why a report can be late.
    pub late: &'static [LateReason],
}

/// What agents claim: a task of a batch, by its position, or a turn of an inbox.
pub trait Claimable: Debug + Display + Clone + Ord + Serialize + DeserializeOwned + 'static {
    /// The names in a ledger of such things.
    const LAYOUT: Layout;

    /// What a ledger holds besides claims and reports.
    type Content: Debug + Clone + PartialEq + Eq;

    /// Parses the beginning of a file's name.
    fn parse(text: &str) -> Option<Self>;

    /// Returns a field of the ledger's content that each claim, or each report, repeats.
    fn repeated(&self, ledger: &Ledger<Self>, is_report: bool) -> Option<(&'static str, Value)>;

    /// Returns the words of the error that there is none of this name.
    fn missing(&self, ledger: &Ledger<Self>) -> String;

    /// Names it in a sentence.
    fn words(&self) -> String {
        format!("{}{} {self}", Self::LAYOUT.article, Self::LAYOUT.noun)
    }

    /// Says how it goes on if its claim or report is damaged; `name` is that of the ledger.
    fn way_on(&self, name: &str) -> String {
        format!("`contextpack {} reclaim {name} {self}` begins the next epoch", Self::LAYOUT.command)
    }
}

/// One attempt at a task or a turn: what is claimed and reported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt<K> {
    /// The task or turn.
    pub of: K,
    /// The number of the attempt, from 1.
    pub epoch: u32,
}

impl<K: Claimable> Attempt<K> {
    fn parse(stem: &str) -> Option<Self> {
        let (of, epoch) = stem.split_once('-')?;
        let epoch = number(epoch).filter(|epoch| (1..=LAST_EPOCH).contains(epoch))?;
        Some(Self { of: K::parse(of)?, epoch })
    }
}

/// Parses a number that is spelled as this program does.
pub(super) fn number(text: &str) -> Option<u32> {
    text.parse::<u32>().ok().filter(|number| number.to_string() == text)
}

impl<K: Display> Display for Attempt<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.of, self.epoch)
    }
}

/// The fault of a file that this program never writes.
pub(super) const MISPLACED: &str = "no file of this program is here";

/// Returns the fault of a path that this program never gives.
pub(super) fn misplaced<K: Claimable>(path: &str) -> &'static str {
    if K::LAYOUT.folders.contains(&path) {
        "it is no folder, so that nothing in it is read (help: remove it, and restore the folder from git)"
    } else {
        MISPLACED
    }
}

/// The path of a file in the folder of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerPath<K> {
    /// A file of the folder itself, such as `batch.json`, which one process creates.
    File(&'static str),
    /// `requests/<8-digit clock>-<turn>.json`.
    Request(LogEntry),
    /// `claims/<task or turn>-<epoch>.json`, which one process creates.
    Claim(Attempt<K>),
    /// `reports/<task>-<epoch>.json` or `responses/<turn>-<epoch>.json`, which one process creates.
    Report(Attempt<K>),
    /// `events/<kind>-<12 hex digits of its hash>.json`.
    Event {
        kind: String,
        /// The digits.
        hash: String,
    },
}

impl<K: Claimable> LedgerPath<K> {
    pub fn event(kind: &str, bytes: &[u8]) -> Self {
        Self::Event { kind: kind.to_owned(), hash: short_hash(bytes) }
    }

    /// Parses a path; `None` if this program never gives it.
    pub fn parse(path: &str) -> Option<Self> {
        let Some((folder, file)) = path.split_once('/') else {
            return K::LAYOUT.files.iter().find(|file| **file == path).map(|file| Self::File(file));
        };
        let folder = K::LAYOUT.folders.iter().find(|name| **name == folder)?;
        let stem = file.strip_suffix(".json")?;
        match *folder {
            "requests" => LogEntry::parse(file).map(Self::Request),
            "claims" => Attempt::parse(stem).map(Self::Claim),
            "events" => {
                let (kind, hash) = stem.split_once('-')?;
                let known = K::LAYOUT.events.contains(&kind) && is_short_hash(hash);
                known.then(|| Self::Event { kind: kind.to_owned(), hash: hash.to_owned() })
            }
            _ => Attempt::parse(stem).map(Self::Report),
        }
    }

    /// Returns the folder, which is empty for files of the ledger's own folder, and the name of the file.
    pub fn parts(&self) -> (&'static str, String) {
        match self {
            Self::File(name) => ("", (*name).to_owned()),
            Self::Request(entry) => ("requests", entry.file()),
            Self::Claim(attempt) => ("claims", format!("{attempt}.json")),
            Self::Report(attempt) => (K::LAYOUT.reports, format!("{attempt}.json")),
            Self::Event { kind, hash } => ("events", format!("{kind}-{hash}.json")),
        }
    }

    /// Returns whether the file is not named by its content, so that one process alone creates it.
    pub fn is_exclusive(&self) -> bool {
        matches!(self, Self::File(_) | Self::Claim(_) | Self::Report(_))
    }
}

impl<K: Claimable> Display for LedgerPath<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            ("", file) => f.write_str(&file),
            (folder, file) => write!(f, "{folder}/{file}"),
        }
    }
}
