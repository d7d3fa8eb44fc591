//! The states of work items, the relations between them, and the cards of a handover.

use super::named_enum;

named_enum! {
    /// The relation of another item to an item, in the order of the edge list.
    pub enum Relation {
        /// It contains the item.
        Parent = "parent",
        /// It is a part of the item.
        Child = "child",
        /// The item needs it.
        DependsOn = "depends_on",
        /// It has to be done before the item.
        BlockedBy = "blocked_by",
        /// It waits for the item.
        Blocks = "blocks",
        /// They belong together, without order.
        Related = "related",
    }
}

impl Relation {
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

named_enum! {
    /// The state of an item.
    pub enum ItemState {
        /// Work is left.
        Open = "open",
        /// Its status is one of `done_statuses`, or its issue was closed as completed.
        Done = "done",
        /// Closed without being done.
        NotPlanned = "not_planned",
        /// A pull request that was merged.
        Merged = "merged",
        /// The state is not known.
        Unknown = "unknown",
    }
}

impl ItemState {
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

/// Returns whether a text is a type that a card may have: parts of `[a-z0-9_-]` with dots between them.
pub fn is_card_type(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    text.len() <= 100 && text.contains('.') && text.split('.').all(is_part)
}

named_enum! {
    /// How a card came into a handover, in the order of a handover; the name is the provenance of its section.
    pub enum CardSource {
        /// It was in a box that is inherited.
        Inherited = "inherited",
        /// It was made of an argument.
        Argument = "argument",
        /// It names the agent that hands over.
        ParentPointer = "parent_pointer",
    }
}
