//! Texts on their way into the snapshot: line ends, secrets, tokens.

use super::Tokens;
use crate::redact::{Piece, Redactor};
use serde_json::{Map, Value};

/// What every text of the snapshot passes.
pub(super) struct SnapshotScrubber<'a> {
    pub(super) redactor: &'a Redactor,
    pub(super) secrets: &'a Tokens,
}

impl SnapshotScrubber<'_> {
    /// Texts of one source, by the names of their fields. `path` is the file that they go to.
    pub(super) fn clean(&self, path: &str, texts: &[(&str, &str)]) -> Vec<String> {
        let texts: Vec<(&str, String)> =
            texts.iter().map(|(key, text)| (*key, self.secrets.mask(&normal(text)))).collect();
        let pieces: Vec<Piece<'_>> = texts.iter().map(|(key, text)| Piece { key, text, line: 1 }).collect();
        self.redactor.scrub(path, &pieces).texts.iter().map(|text| text.as_str().to_owned()).collect()
    }

    /// One text.
    pub(super) fn one(&self, path: &str, key: &str, text: &str) -> String {
        self.clean(path, &[(key, text)]).pop().unwrap_or_default()
    }

    /// Any JSON: what changes by itself is left out, and what is empty; `None` where nothing is left.
    pub(super) fn value(&self, path: &str, key: &str, value: &Value) -> Option<Value> {
        match value {
            Value::Null | Value::Bool(false) => None,
            Value::Bool(true) | Value::Number(_) => Some(value.clone()),
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(self.one(path, key, text).into()),
            Value::Array(values) => {
                let kept: Vec<Value> = values.iter().filter_map(|value| self.value(path, key, value)).collect();
                (!kept.is_empty()).then_some(Value::Array(kept))
            }
            Value::Object(fields) => {
                let kept: Map<String, Value> = sorted(fields)
                    .filter(|(name, _)| !is_volatile(name))
                    .filter_map(|(name, value)| Some((self.one(path, "", name), self.value(path, name, value)?)))
                    .collect();
                (!kept.is_empty()).then_some(Value::Object(kept))
            }
        }
    }
}

fn sorted(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    fields.into_iter()
}

/// Whether a field says where something is, how often, or how it looks, rather than what it is.
pub(super) fn is_volatile(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "url",
        "id",
        "node_id",
        "reactions",
        "gravatar_id",
        "permissions",
        "score",
        "comments",
        "updated_at",
        "pushed_at",
        "events",
        "followers",
    ];
    const ENDS: [&str; 4] = ["_url", "_count", "_summary", "_id"];
    NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end)) || name.contains("avatar")
}

/// LF line ends and no byte-order mark.
fn normal(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}
