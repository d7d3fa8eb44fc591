//! The types of cards, and how a card came into a handover.

use super::named_enum;

/// Returns whether a text is a type that a card may have: parts of `[a-z0-9_-]` with dots between them.
pub fn is_card_type(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    text.len() <= 100 && text.contains('.') && text.split('.').all(is_part)
}

named_enum! {
    /// How a card came into a handover, in the order of a handover; the name is the provenance of its section.
    pub enum Given {
        /// It was in a box that is inherited.
        Inherited = "inherited",
        /// It was made of an argument.
        Argument = "argument",
        /// It names the agent that hands over.
        ParentPointer = "parent_pointer",
    }
}
