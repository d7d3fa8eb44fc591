//! The states of tasks and batches, how the one follows from the other, and why a report does not count.

use serde::{Deserialize, Serialize};

/// The state of a task, of a turn, or of a whole batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A task of the batch has not ended.
    Open,
    /// No agent has claimed it.
    Pending,
    /// An agent has claimed it.
    Dispatched,
    /// It was done.
    Success,
    /// It failed.
    Failed,
    /// It was canceled.
    Canceled,
    /// It took too long.
    Timeout,
    /// A part of it was done.
    Partial,
}

impl Status {
    /// The states that a report can give.
    pub const REPORTED: [Self; 5] = [Self::Success, Self::Failed, Self::Canceled, Self::Timeout, Self::Partial];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Pending => "pending",
            Self::Dispatched => "dispatched",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Timeout => "timeout",
            Self::Partial => "partial",
        }
    }

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

/// Why a report does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateReason {
    StaleEpoch,
    FutureEpoch,
    Second,
    Closed,
}

impl LateReason {
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleEpoch => "stale_epoch",
            Self::FutureEpoch => "future_epoch",
            Self::Second => "second",
            Self::Closed => "closed",
        }
    }
}
