//! How a card came into a handover.

/// How a card came into a handover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// It was in a box that is inherited.
    Inherited,
    /// It was made of an argument.
    Argument,
    /// It names the agent that hands over.
    ParentPointer,
}

impl Given {
    /// All of them, in the order of a handover.
    pub const ALL: [Self; 3] = [Self::Inherited, Self::Argument, Self::ParentPointer];

    /// Returns the provenance of its section.
    pub fn provenance(self) -> &'static str {
        match self {
            Self::Inherited => "inherited",
            Self::Argument => "argument",
            Self::ParentPointer => "parent_pointer",
        }
    }
}
