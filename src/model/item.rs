//! The states of work items, and the relations between them.

use serde::{Deserialize, Serialize};

/// The relation of another item to an item.
// The order is that of the edge list. The comments are descriptions in the schema of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It contains the item.
    Parent,
    /// It is a part of the item.
    Child,
    /// The item needs it.
    DependsOn,
    /// It has to be done before the item.
    BlockedBy,
    /// It waits for the item.
    Blocks,
    /// They belong together, without order.
    Related,
}

impl Relation {
    /// All, in the order of the edge list.
    pub const ALL: [Relation; 6] =
        [Self::Parent, Self::Child, Self::DependsOn, Self::BlockedBy, Self::Blocks, Self::Related];

    /// Returns the name in fields, packs and the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Child => "child",
            Self::DependsOn => "depends_on",
            Self::BlockedBy => "blocked_by",
            Self::Blocks => "blocks",
            Self::Related => "related",
        }
    }

    /// Returns the relation seen from the other item: an edge stated on one item holds for both.
    #[must_use]
    pub fn reverse(self) -> Self {
        match self {
            Self::Parent => Self::Child,
            Self::Child => Self::Parent,
            Self::DependsOn | Self::BlockedBy => Self::Blocks,
            Self::Blocks => Self::BlockedBy,
            Self::Related => Self::Related,
        }
    }
}

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
