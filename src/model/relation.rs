//! The relations between work items.

use serde::{Deserialize, Serialize};

/// The relation of one item to another, in the order of the edge list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// The other contains this one.
    Parent,
    /// The other is a part of this one.
    Child,
    /// This one needs the other.
    DependsOn,
    /// The other must be done before this one; as a dependency, but stated as a blocker.
    BlockedBy,
    /// The other waits for this one.
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
