//! Whether work is done, in the words of packs and filters.

/// Whether an item is done, as packs say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemState {
    /// Work is left.
    Open,
    /// Its status is one of `done_statuses`, or its issue was closed as completed.
    Done,
    /// Closed without being done.
    NotPlanned,
    /// A pull request that was merged.
    Merged,
    /// Nothing says.
    Unknown,
}

impl ItemState {
    /// The name in packs and filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::NotPlanned => "not_planned",
            Self::Merged => "merged",
            Self::Unknown => "unknown",
        }
    }

    /// What GitHub's words come to: `open` or `closed`, and the reason for closing.
    pub fn of_issue(state: &str, reason: Option<&str>) -> Self {
        match (state, reason) {
            ("open", _) => Self::Open,
            ("closed", Some("not_planned" | "duplicate")) => Self::NotPlanned,
            ("closed", _) => Self::Done,
            ("merged", _) => Self::Merged,
            _ => Self::Unknown,
        }
    }
}
