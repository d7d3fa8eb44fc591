//! The ids of cards and boxes: the SHA-256 of their bytes.

use super::CardError;
use crate::model::Digest;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::ops::RangeInclusive;

/// The id of a card or a box: `sha256:` and the 64 lower-case hex digits of its file's SHA-256.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(String);

impl ContentId {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Digest::of(bytes).hex())
    }

    pub fn from_hex(hex: &str) -> Option<Self> {
        is_hex(hex, 64..=64).then(|| Self(hex.to_owned()))
    }

    pub fn hex(&self) -> &str {
        &self.0
    }

    /// Returns the first 12 hex digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ContentId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let id = text.strip_prefix("sha256:").and_then(Self::from_hex);
        id.ok_or_else(|| de::Error::custom("an id is `sha256:` and 64 lower-case hex digits"))
    }
}

const FEWEST_DIGITS: usize = 8;

/// Returns whether a word is an id or the beginning of one, so that it can be no log's name.
pub(super) fn is_id_prefix(word: &str) -> bool {
    is_hex(word, FEWEST_DIGITS..=64)
}

/// Returns the digits of an id or of its beginning, as a user types them, with or without `sha256:`.
pub(super) fn id_prefix(typed: &str, what: &str) -> Result<String, CardError> {
    let hex = typed.strip_prefix("sha256:").unwrap_or(typed).to_ascii_lowercase();
    if is_id_prefix(&hex) {
        return Ok(hex);
    }
    Err(CardError::bad(format!(
        "`{typed}` is no {what}_id: give `sha256:` and its hex digits, or the first {FEWEST_DIGITS} or more of them"
    )))
}

pub fn is_hex(text: &str, digits: RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the only one of what an id or the beginning of one, as a user typed it, names.
pub fn only_one<T: fmt::Display>(typed: &str, found: impl IntoIterator<Item = T>) -> Result<Option<T>, CardError> {
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(CardError::bad(format!("`{typed}` is the beginning of {first} and {second}; give more digits")))
        }
        (found, _) => Ok(found),
    }
}
