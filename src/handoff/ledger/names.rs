//! What ledgers are made of: short ids, states, attempts, the paths of files, and files to be added.

use super::fields::LAST_EPOCH;
use crate::handoff::cards::{CardError, LogEntry, canonical_bytes, is_hex, only_one};
use crate::model::{Digest, named_enum};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::{self, Display};

const DIGITS: usize = 12;

const FEWEST_DIGITS: usize = 4;

pub(super) fn is_short_hash(text: &str) -> bool {
    is_hex(text, DIGITS..=DIGITS)
}

/// The id of a batch or a turn: the first 12 hex digits of the SHA-256 of its plan or request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ShortId(String);

impl ShortId {
    /// Returns the id of a file with these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Digest::of(bytes).short(DIGITS))
    }

    /// Parses 12 lower-case hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        is_short_hash(text).then(|| Self(text.to_owned()))
    }

    /// Finds the one of these ids that an id, or the beginning of one, names; `None` if none does.
    pub fn find(typed: &str, field: &str, ids: impl IntoIterator<Item = Self>) -> Result<Option<Self>, CardError> {
        let digits = Self::prefix(typed, field)?;
        only_one(typed, ids.into_iter().filter(|id| id.0.starts_with(&digits)))
    }

    /// Returns the digits of an id or of its beginning, as a user types them.
    pub fn prefix(typed: &str, field: &str) -> Result<String, CardError> {
        let digits = typed.to_ascii_lowercase();
        if is_hex(&digits, FEWEST_DIGITS..=DIGITS) {
            return Ok(digits);
        }
        Err(CardError::bad(format!(
            "`{typed}` is no {field}: give its {DIGITS} hex digits, or the first {FEWEST_DIGITS} or more of them"
        )))
    }
}

impl TryFrom<String> for ShortId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("an id is 12 lower-case hex digits")
    }
}

impl Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

named_enum! {
    /// The state of a task, of a turn, or of a whole batch.
    pub enum Status {
        /// A task of the batch has not ended.
        Open = "open",
        /// No agent has claimed it.
        Pending = "pending",
        /// An agent has claimed it.
        Dispatched = "dispatched",
        /// It was done.
        Success = "success",
        /// It failed.
        Failed = "failed",
        /// It was canceled.
        Canceled = "canceled",
        /// It took too long.
        Timeout = "timeout",
        /// A part of it was done.
        Partial = "partial",
    }
}

named_enum! {
    /// Why a report does not count: its epoch is over, has not begun, or has a report; or the batch was joined before.
    pub enum LateReason {
        StaleEpoch = "stale_epoch",
        FutureEpoch = "future_epoch",
        Second = "second",
        Closed = "closed",
    }
}

impl Status {
    /// The states that a report can give.
    pub const REPORTED: [Self; 5] = [Self::Success, Self::Failed, Self::Canceled, Self::Timeout, Self::Partial];

    /// Returns what the word of a report counts as: a word that no state has counts as failed.
    pub fn of_word(word: &str) -> Self {
        Self::REPORTED.into_iter().find(|status| status.name() == word).unwrap_or(Self::Failed)
    }

    /// Returns whether the task has ended.
    pub fn is_terminal(self) -> bool {
        Self::REPORTED.contains(&self)
    }

    /// Returns whether a report of it fails the whole batch under `fail_fast`.
    pub fn fails_fast(self) -> bool {
        matches!(self, Self::Failed | Self::Canceled | Self::Timeout)
    }

    /// Returns the state of a batch whose tasks have these states; `failed_fast` says whether a report failed it under
    /// `fail_fast`.
    pub fn of_tasks(tasks: &[Self], failed_fast: bool) -> Self {
        let any = |status: Self| tasks.contains(&status);
        // One row of the ladder a line, the first that holds.
        let ladder = [
            (failed_fast, Self::Failed),
            (tasks.iter().any(|task| !task.is_terminal()), Self::Open),
            (tasks.iter().all(|task| *task == Self::Success), Self::Success),
            (any(Self::Success), Self::Partial),
            (any(Self::Failed), Self::Failed),
            (any(Self::Timeout), Self::Timeout),
            (any(Self::Partial), Self::Partial),
        ];
        ladder.into_iter().find(|(holds, _)| *holds).map_or(Self::Failed, |(_, status)| status)
    }
}

/// The names in a kind of ledgers.
#[derive(Debug, PartialEq, Eq)]
pub struct LedgerKind {
    /// The folder of all ledgers of the kind, below the folder of cards.
    pub folder: &'static str,
    pub command: &'static str,
    pub files: &'static [&'static str],
    pub folders: &'static [&'static str],
    /// The one of its folders that says how attempts ended.
    pub reports: &'static str,
    /// The words with which the names of events begin.
    pub events: &'static [&'static str],
    pub noun: &'static str,
    pub article: &'static str,
    /// What its name follows in a sentence.
    pub title: &'static str,
    /// The verb of a command that reports.
    pub acknowledges: &'static str,
    pub id_field: &'static str,
    pub epoch_field: &'static str,
    pub attempt: &'static str,
    /// The word for a report, and the field of a late one.
    pub report: &'static str,
    pub late: &'static [LateReason],
    /// How what has ended is done again.
    pub again: &'static str,
}

impl LedgerKind {
    /// Returns the version of the files of a claim, a report or an event, which is named by its word.
    pub(super) fn version(&self, word: &str) -> String {
        format!("{}_{word}/v1", self.command)
    }
}

impl Default for &'static LedgerKind {
    fn default() -> Self {
        &BATCHES
    }
}

pub static BATCHES: LedgerKind = LedgerKind {
    folder: "batches",
    command: "batch",
    files: &["batch.json", "result.json"],
    folders: &["claims", "reports", "events"],
    reports: "reports",
    events: &["fork", "reclaim", "late"],
    noun: "task",
    article: "",
    title: "batch ",
    acknowledges: "Report",
    id_field: "task_index",
    epoch_field: "epoch",
    attempt: "turn",
    report: "report",
    late: &[LateReason::StaleEpoch, LateReason::Second, LateReason::Closed],
    again: "fork it in a plan with another `key`",
};

pub static INBOXES: LedgerKind = LedgerKind {
    folder: "inbox",
    command: "inbox",
    files: &[],
    folders: &["requests", "claims", "responses", "events"],
    reports: "responses",
    events: &["reclaim", "late", "close", "open"],
    noun: "turn",
    article: "the ",
    title: "",
    acknowledges: "Acknowledge",
    id_field: "agent_turn_id",
    epoch_field: "turn_epoch",
    attempt: "attempt",
    report: "response",
    late: &[LateReason::StaleEpoch, LateReason::Second],
    again: "put it again with `contextpack inbox put` and another `--key`",
};

/// What agents claim: a task of a batch, by its position from 0, or a turn of an inbox.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, expecting = "it names no task or turn")]
pub enum WorkId {
    /// A task.
    Task(u32),
    /// A turn.
    Turn(ShortId),
}

impl WorkId {
    pub(crate) fn kind(&self) -> &'static LedgerKind {
        match self {
            Self::Task(_) => &BATCHES,
            Self::Turn(_) => &INBOXES,
        }
    }

    pub(crate) fn words(&self) -> String {
        format!("{}{} {self}", self.kind().article, self.kind().noun)
    }

    /// Says how it goes on if its claim or report is damaged.
    pub(crate) fn way_on(&self, ledger: &str) -> String {
        format!("`contextpack {} reclaim {ledger} {self}` begins the next epoch", self.kind().command)
    }
}

impl Display for WorkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(index) => index.fmt(f),
            Self::Turn(id) => id.fmt(f),
        }
    }
}

/// One attempt at a task or a turn: what is claimed and reported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// The task or turn.
    pub of: WorkId,
    /// The number of the attempt, from 1.
    pub epoch: u32,
}

impl Attempt {
    fn parse(kind: &LedgerKind, stem: &str) -> Option<Self> {
        // A number is spelled as this program does.
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
        let (of, epoch) = stem.split_once('-')?;
        let epoch = number(epoch).filter(|epoch| (1..=LAST_EPOCH).contains(epoch))?;
        let is_task = std::ptr::eq(kind, &BATCHES);
        let of = if is_task { number(of).map(WorkId::Task) } else { ShortId::parse(of).map(WorkId::Turn) };
        Some(Self { of: of?, epoch })
    }
}

impl Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.of, self.epoch)
    }
}

/// The fault of a file that this program never writes.
pub const MISPLACED: &str = "no file of this program is here";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerPath {
    /// A file of the folder itself, such as `batch.json`, which one process creates.
    File(&'static str),
    /// `requests/<8-digit clock>-<turn>.json`.
    Request(LogEntry),
    /// `claims/<task or turn>-<epoch>.json`, which one process creates.
    Claim(Attempt),
    /// `reports/<task>-<epoch>.json` or `responses/<turn>-<epoch>.json`, which one process creates.
    Report(Attempt),
    /// `events/<kind>-<12 hex digits of its hash>.json`.
    Event { kind: String, hash: String },
}

impl LedgerPath {
    pub fn event(kind: &str, bytes: &[u8]) -> Self {
        Self::Event { kind: kind.to_owned(), hash: ShortId::of(bytes).0 }
    }

    /// Parses a path; `None` if this program never gives it.
    pub fn parse(ledger: &LedgerKind, path: &str) -> Option<Self> {
        let Some((folder, file)) = path.split_once('/') else {
            return ledger.files.iter().find(|file| **file == path).map(|file| Self::File(file));
        };
        let stem = file.strip_suffix(".json").filter(|_| ledger.folders.contains(&folder))?;
        match folder {
            "requests" => LogEntry::parse(file).map(Self::Request),
            "claims" => Attempt::parse(ledger, stem).map(Self::Claim),
            "events" => {
                let (kind, hash) = stem.split_once('-')?;
                let is_known = ledger.events.contains(&kind) && is_short_hash(hash);
                is_known.then(|| Self::Event { kind: kind.to_owned(), hash: hash.to_owned() })
            }
            _ => Attempt::parse(ledger, stem).map(Self::Report),
        }
    }

    /// Returns the folder, which is empty for files of the ledger's own folder, and the name of the file.
    pub fn parts(&self) -> (&'static str, String) {
        match self {
            Self::File(name) => ("", (*name).to_owned()),
            Self::Request(entry) => ("requests", entry.file()),
            Self::Claim(attempt) => ("claims", format!("{attempt}.json")),
            Self::Report(attempt) => (attempt.of.kind().reports, format!("{attempt}.json")),
            Self::Event { kind, hash } => ("events", format!("{kind}-{hash}.json")),
        }
    }

    /// Returns whether the file is not named by its content, so that one process alone creates it.
    pub fn is_exclusive(&self) -> bool {
        matches!(self, Self::File(_) | Self::Claim(_) | Self::Report(_))
    }
}

impl Display for LedgerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            ("", file) => f.write_str(&file),
            (folder, file) => write!(f, "{folder}/{file}"),
        }
    }
}

/// A file to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the folder of the ledger.
    pub path: LedgerPath,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl NewFile {
    pub(super) fn new(path: LedgerPath, content: &impl Serialize) -> Self {
        Self { path, bytes: canonical_bytes(content) }
    }

    /// Creates an event, whose file is named by its content; `fields` are those beside its kind and version.
    pub(super) fn event(ledger: &LedgerKind, kind: &str, mut fields: Value) -> Self {
        fields["kind"] = kind.into();
        fields["schema_version"] = ledger.version("event").into();
        let bytes = canonical_bytes(&fields);
        Self { path: LedgerPath::event(kind, &bytes), bytes }
    }
}

/// Who writes, when, and what makes the file differ from any other.
#[derive(Debug, Clone, Serialize)]
pub struct Writer {
    /// Who, for audit only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_id: Option<String>,
    /// When: RFC 3339 in UTC, whole seconds.
    pub at: String,
    /// Random digits.
    pub nonce: String,
}
