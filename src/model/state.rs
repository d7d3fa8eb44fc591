//! The state of work items, named as in packs and filters.

/// The state of an item, named as in packs.
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
    /// The state is not known.
    Unknown,
}

impl ItemState {
    /// Returns the name in packs and filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::NotPlanned => "not_planned",
            Self::Merged => "merged",
            Self::Unknown => "unknown",
        }
    }

    /// Returns whether no work is left.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::NotPlanned | Self::Merged)
    }

    /// Returns the state for GitHub's `state` (`open` or `closed`) and its reason for closing.
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
