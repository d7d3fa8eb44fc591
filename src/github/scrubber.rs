//! Scrubbing of texts for the snapshot: line ends, tokens and other secrets.

use super::Tokens;
use crate::model::LineRange;
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
            texts.iter().map(|(key, text)| (*key, self.secrets.mask(&normalize(text)))).collect();
        let pieces: Vec<Piece<'_>> = texts.iter().map(|(key, text)| Piece { key, text, line: 1 }).collect();
        self.redactor.scrub(path, &pieces).texts.iter().map(|text| text.as_str().to_owned()).collect()
    }

    pub(super) fn one(&self, path: &str, key: &str, text: &str) -> String {
        self.clean(path, &[(key, text)]).pop().unwrap_or_default()
    }

    /// Scrubs a file and returns the lines `first` to `last` that it has, as far as they are short enough.
    ///
    /// The whole file is scrubbed, since a key may begin before these lines. Lines that were removed are empty.
    pub(super) fn lines(&self, path: &str, text: &str, lines: LineRange) -> Option<String> {
        let text = self.secrets.mask(&normalize(text));
        let scrubbed = self.redactor.scrub(path, &[Piece { key: "body", text: &text, line: 1 }]);
        let folds = scrubbed.removed_lines.first()?;
        let mut kept: Vec<&str> = Vec::new();
        let (mut line, mut fold) = (1_u32, folds.iter().peekable());
        for (number, content) in (1_u32..).zip(scrubbed.texts.first()?.lines()) {
            if line >= lines.first && line <= lines.last {
                kept.push(content);
            }
            line = line.saturating_add(1);
            while let Some(removed) = fold.next_if(|fold| fold.line <= number) {
                for _ in 0..removed.lines {
                    if line >= lines.first && line <= lines.last {
                        kept.push("");
                    }
                    line = line.saturating_add(1);
                }
            }
            if line > lines.last {
                break;
            }
        }
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

/// Returns the text with LF line ends and without a byte-order mark.
fn normalize(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}
