//! The states of tasks and batches, and how the one follows from the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

    /// Returns the state of a batch whose tasks have these states.
    ///
    /// `failed_fast` says whether a report failed it under `fail_fast`.
    pub fn of_tasks(tasks: &[TaskStatus], failed_fast: bool) -> Self {
        let any = |status: TaskStatus| tasks.contains(&status);
        if failed_fast {
            return Self::Failed;
        }
        if !tasks.iter().all(|task| task.is_terminal()) {
            return Self::Open;
        }
        if tasks.iter().all(|task| *task == TaskStatus::Success) {
            Self::Success
        } else if any(TaskStatus::Success) {
            Self::Partial
        } else if any(TaskStatus::Failed) {
            Self::Failed
        } else if any(TaskStatus::Timeout) {
            Self::Timeout
        } else if any(TaskStatus::Partial) {
            Self::Partial
        } else {
            Self::Failed
        }
    }
}
