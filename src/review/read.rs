//! Strict parsing of finished packs.

use crate::model::conflict_line;
use crate::redact::Redactor;
use crate::wire::Pack;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// The reason why bytes are not a pack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The bytes are not UTF-8 from this offset on.
    #[error("it is not UTF-8 from byte {0} on")]
    NotUtf8(usize),
    /// The text is not JSON, or not the JSON of a pack.
    #[error("line {line}, column {column}: {message}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// Git could not merge it, and left both sides in it.
    #[error("line {0}: it has conflict markers: `contextpack build` writes it anew, then `git add` it")]
    Conflict(u32),
    /// The pack is of another schema version.
    #[error("its schema version is `{0}`; this program reads `context_pack/v1`")]
    Version(String),
}

/// Parses a pack; duplicate keys, unknown fields and missing fields are errors.
///
/// # Errors
/// [`ReadError`], with the position.
pub fn read(bytes: &[u8]) -> Result<Pack, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::NotUtf8(error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let no_duplicates: UniqueKeys = serde_json::from_str(text).map_err(|error| match conflict_line(text) {
        Some(line) => ReadError::Conflict(line),
        None => json_error(error),
    })?;
    if let Some(version) = no_duplicates.version.filter(|version| version != crate::wire::SCHEMA_VERSION) {
        return Err(ReadError::Version(Redactor::built_in().line(&version)));
    }
    serde_json::from_str(text).map_err(json_error)
}

fn json_error(error: serde_json::Error) -> ReadError {
    let message = error.to_string();
    // The parser quotes what it found.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    ReadError::Json { line: error.line(), column: error.column(), message: Redactor::built_in().line(message) }
}

/// JSON in which no object has a key twice, reduced to the outermost `schema_version`.
struct UniqueKeys {
    version: Option<String>,
}

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctVisitor)
    }
}

/// The visitor that rejects duplicate keys.
struct DistinctVisitor;

const NO_VERSION: UniqueKeys = UniqueKeys { version: None };

impl<'de> Visitor<'de> for DistinctVisitor {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<UniqueKeys, E> {
        Ok(NO_VERSION)
    }

    fn visit_u64<E>(self, _: u64) -> Result<UniqueKeys, E> {
        Ok(NO_VERSION)
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<UniqueKeys, E> {
        Ok(NO_VERSION)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<UniqueKeys, E> {
        Err(E::custom(format_args!("packs have no fractions and no integers beyond 2^53, found {number}")))
    }

    fn visit_str<E>(self, text: &str) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys { version: Some(text.to_owned()) })
    }

    fn visit_unit<E>(self) -> Result<UniqueKeys, E> {
        Ok(NO_VERSION)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<UniqueKeys, A::Error> {
        while list.next_element::<UniqueKeys>()?.is_some() {}
        Ok(NO_VERSION)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueKeys, A::Error> {
        let mut keys = BTreeSet::new();
        let mut version = None;
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value::<UniqueKeys>()?;
            if key == "schema_version" {
                version = value.version;
            }
            if let Some(key) = keys.replace(key) {
                return Err(A::Error::custom(format_args!("the key `{key}` appears twice in one object")));
            }
        }
        Ok(UniqueKeys { version })
    }
}
