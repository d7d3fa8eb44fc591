//! The relations between work items.

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
