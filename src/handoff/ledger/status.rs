//! The states of tasks and batches, how the one follows from the other, and why something does not count.

use serde::{Deserialize, Serialize};

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
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

impl TaskStatus {
    /// The states that a report can give.
    pub const REPORTED: [Self; 5] = [Self::Success, Self::Failed, Self::Canceled, Self::Timeout, Self::Partial];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
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
        !matches!(self, Self::Pending | Self::Dispatched)
    }

    /// Returns whether a report of it fails the whole batch under `fail_fast`.
    pub fn fails_fast(self) -> bool {
        matches!(self, Self::Failed | Self::Canceled | Self::Timeout)
    }
}

/// The state of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    /// A task has not ended.
    Open,
    /// All tasks were done.
    Success,
    /// Some were done.
    Partial,
    /// None was done, and one failed or all were canceled; or one ended badly under `fail_fast`.
    Failed,
    /// None was done or failed, and one took too long.
    Timeout,
}

impl BatchStatus {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
        }
    }

    /// Returns the state of a batch whose tasks have these states; `failed_fast` says whether a report failed it under
    /// `fail_fast`.
    pub fn of_tasks(tasks: &[TaskStatus], failed_fast: bool) -> Self {
        let any = |status: TaskStatus| tasks.contains(&status);
        // One row of the ladder a line, the first that holds.
        let ladder = [
            (failed_fast, Self::Failed),
            (tasks.iter().any(|task| !task.is_terminal()), Self::Open),
            (tasks.iter().all(|task| *task == TaskStatus::Success), Self::Success),
            (any(TaskStatus::Success), Self::Partial),
            (any(TaskStatus::Failed), Self::Failed),
            (any(TaskStatus::Timeout), Self::Timeout),
            (any(TaskStatus::Partial), Self::Partial),
        ];
        ladder.into_iter().find(|(holds, _)| *holds).map_or(Self::Failed, |(_, status)| status)
    }
}

/// Why a report does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateReason {
    /// Its epoch is over.
    StaleEpoch,
    /// Its epoch has not begun.
    FutureEpoch,
    /// Its epoch has a report already.
    Second,
    /// The batch was joined before.
    Closed,
}

impl LateReason {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleEpoch => "stale_epoch",
            Self::FutureEpoch => "future_epoch",
            Self::Second => "second",
            Self::Closed => "closed",
        }
    }
}
