//! The types of cards, and how a card came into a handover.

/// Returns whether a text is a type that a card may have: parts of `[a-z0-9_-]` with dots between them.
pub fn is_card_type(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    text.len() <= 100 && text.contains('.') && text.split('.').all(is_part)
}

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
