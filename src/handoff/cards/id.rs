//! The ids of cards and boxes: the SHA-256 of their bytes.

use super::CardError;
use crate::model::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// The id of a card or a box: `sha256:` and the 64 lower-case hex digits of its file's SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ContentId(String);

const ALGORITHM: &str = "sha256:";

impl ContentId {
    pub fn of(bytes: &[u8]) -> Self {
        Self(format!("{ALGORITHM}{}", Digest::of(bytes).hex()))
    }

    pub fn from_hex(hex: &str) -> Option<Self> {
        is_hex(hex, 64..=64).then(|| Self(format!("{ALGORITHM}{hex}")))
    }

    pub fn hex(&self) -> &str {
        &self.0[ALGORITHM.len()..]
    }

    /// Returns the first 12 hex digits, for people.
    pub fn short(&self) -> &str {
        &self.hex()[..12]
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ContentId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let hex = text.strip_prefix(ALGORITHM).filter(|hex| is_hex(hex, 64..=64));
        hex.is_some().then_some(Self(text)).ok_or("an id is `sha256:` and 64 lower-case hex digits")
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
