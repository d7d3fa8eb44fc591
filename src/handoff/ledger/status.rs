//! The states of tasks and batches, how the one follows from the other, and why a report does not count.

use crate::model::named_enum;

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
