//! The types of cards.

/// Returns whether a text is a type that a card may have: parts of `[a-z0-9_-]` with dots between them.
pub fn is_card_type(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    text.len() <= 100 && text.contains('.') && text.split('.').all(is_part)
}
