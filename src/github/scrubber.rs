//! Scrubbing of texts for the snapshot: line ends, tokens and other secrets.

use super::Tokens;
use crate::model::{SnapshotCode, with_line_feeds};
use crate::redact::{Piece, Redactor};
use serde_json::{Map, Value};

/// The most bytes of lines of a file that are kept for one reference.
const MOST_BYTES: usize = 24_000;

/// The scrubber that every text of the snapshot passes.
pub(super) struct SnapshotScrubber<'a> {
    pub(super) redactor: &'a Redactor,
    pub(super) secrets: &'a Tokens,
}

impl SnapshotScrubber<'_> {
    /// Scrubs the texts of one source, given by the names of their fields; `path` is the file that they go to.
    pub(super) fn clean(&self, path: &str, texts: &[(&str, &str)]) -> Vec<String> {
        let texts: Vec<(&str, String)> =
            texts.iter().map(|(key, text)| (*key, self.secrets.mask(&with_line_feeds(text)))).collect();
        let pieces: Vec<Piece<'_>> = texts.iter().map(|(key, text)| Piece { key, text, line: 1 }).collect();
        self.redactor.scrub(path, &pieces).texts.iter().map(|text| text.as_str().to_owned()).collect()
    }

    pub(super) fn one(&self, path: &str, key: &str, text: &str) -> String {
        self.clean(path, &[(key, text)]).pop().unwrap_or_default()
    }

    /// Scrubs a file and returns the lines of it that `named` names, if they are short enough.
    ///
    /// The whole file is scrubbed, since a key may begin before these lines. Lines that were removed are empty.
    pub(super) fn lines(&self, text: &str, named: &SnapshotCode) -> Option<String> {
        let text = self.secrets.mask(&with_line_feeds(text));
        let scrubbed = self.redactor.scrub(&named.path, &[Piece { key: "body", text: &text, line: 1 }]);
        let folds = scrubbed.removed_lines.first()?;
        let before = |line: u32| folds.partition_point(|fold| fold.line < line);
        let lines = (1_u32..).zip(scrubbed.texts.first()?.lines()).flat_map(|(number, content)| {
            let removed = folds[before(number)..before(number + 1)].iter().map(|fold| fold.lines as usize).sum();
            std::iter::once(content).chain(std::iter::repeat_n("", removed))
        });
        let count = (named.last - named.first) as usize + 1;
        let kept: Vec<&str> = lines.skip(named.first as usize - 1).take(count).collect();
        let kept = kept.join("\n");
        (!kept.trim().is_empty() && kept.len() <= MOST_BYTES).then_some(kept)
    }

    /// Scrubs a JSON value without its volatile and empty parts; `None` if nothing is left.
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

/// Returns whether a field changes without the issue: URLs, counts, ids, avatars.
pub(super) fn is_volatile(name: &str) -> bool {
    const NAMES: &str =
        "url id node_id reactions gravatar_id permissions score comments updated_at pushed_at events followers";
    const ENDS: [&str; 4] = ["_url", "_count", "_summary", "_id"];
    NAMES.split(' ').any(|volatile| volatile == name)
        || ENDS.iter().any(|end| name.ends_with(end))
        || name.contains("avatar")
}
