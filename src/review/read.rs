//! Strict parsing of finished packs, and what is wrong with one that may be damaged.

use crate::model::{Digest, conflict_line};
use crate::redact::Redactor;
use crate::wire::{Pack, SCHEMA_VERSION};
use serde::Deserialize;
use serde_json::Value;

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

/// Parses a pack; duplicate keys, missing fields and fractions are errors. Fields that a newer writer added are kept.
///
/// # Errors
/// [`ReadError`], with the position.
pub fn read(bytes: &[u8]) -> Result<Pack, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::NotUtf8(error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let stated: Stated = serde_json::from_str(text).map_err(|error| match conflict_line(text) {
        Some(line) => ReadError::Conflict(line),
        None => json_error(error),
    })?;
    match stated.schema_version {
        Value::String(version) if version != SCHEMA_VERSION => {
            Err(ReadError::Version(Redactor::built_in().line(&version)))
        }
        _ => serde_json::from_str(text).map_err(json_error),
    }
}

/// The version that a text states.
#[derive(Deserialize)]
struct Stated {
    #[serde(default)]
    schema_version: Value,
}

fn json_error(error: serde_json::Error) -> ReadError {
    let message = error.to_string();
    // The parser quotes what it found.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    ReadError::Json { line: error.line(), column: error.column(), message: Redactor::built_in().line(message) }
}

/// Computes the hash with `serde_jcs`, which is independent of the implementation that seals.
pub fn content_hash(bytes: &[u8]) -> Option<Digest> {
    let mut value: serde_json::Value =
        serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)).ok()?;
    let fields = value.as_object_mut()?;
    for name in ["hash", "pack_id", "generated_at", "generator"] {
        fields.remove(name);
    }
    serde_jcs::to_vec(&value).ok().map(Digest::of)
}

/// A pack as it was read.
#[derive(Debug, Clone, Default)]
pub struct SalvagedPack {
    /// The pack; `None` if it cannot be read.
    pub pack: Option<Pack>,
    /// The faults of the file.
    pub faults: Vec<String>,
    /// Whether the file claims to be a pack and cannot be read as one.
    pub is_unreadable: bool,
}

/// Reads a pack, or says why it cannot be read.
pub fn salvage(bytes: &[u8]) -> SalvagedPack {
    let error = match read(bytes) {
        Ok(pack) => {
            let changed = content_hash(bytes).is_none_or(|digest| digest.to_string() != pack.hash);
            let fault = "its content is not what its hash says: it was changed after it was built".to_owned();
            return SalvagedPack {
                pack: Some(pack),
                faults: Vec::from_iter(changed.then_some(fault)),
                ..Default::default()
            };
        }
        Err(error) => error,
    };
    let is_unreadable = String::from_utf8_lossy(bytes).contains("\"context_pack/");
    let fault = match &error {
        ReadError::Version(_) if is_unreadable => error.to_string(),
        _ if is_unreadable => format!("it is damaged: {error}"),
        _ => format!("it is no context pack: {error}"),
    };
    SalvagedPack { pack: None, faults: vec![fault], is_unreadable }
}
