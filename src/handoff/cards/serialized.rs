//! Secrets in JSON that are recognisable only by what is next to them, such as the name in `{"name": …, "value": …}`.

use crate::redact::Redactor;
use serde_json::Value;
use std::ops::Range;

/// How often a changed value is examined at most, as text that a removal joined may match anew.
const MAX_ROUNDS: usize = 4;

/// The placeholder of a text of several lines, whose parts a reader of JSON does not see next to other values.
const LONG_TEXT: &str = "text";

/// A value as JSON text, with the places of its keys, texts and numbers in the order in which
/// [`CardWriter`](super::CardWriter) collects them.
struct SerializedJson {
    text: String,
    leaves: Vec<JsonLeaf>,
}

struct JsonLeaf {
    /// Where its content is, without quotes.
    place: Range<usize>,
    /// Whether the content is spelled there as it is.
    verbatim: bool,
    is_key: bool,
}

/// Returns the texts of a value's keys, texts and numbers without what its JSON text shows to be secret; `None` if that is
/// nothing.
pub(super) fn scrubbed(redactor: &Redactor, value: &Value, texts: &[&str]) -> Option<Vec<String>> {
    let mut texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let mut changed = false;
    for is_pretty in [true, false] {
        for _ in 0..MAX_ROUNDS {
            let json = SerializedJson::of(value, &texts, is_pretty);
            let mut any = false;
            for (range, marker) in redactor.places(&json.text).into_iter().rev() {
                any |= json.remove(&range, &marker, &mut texts);
            }
            changed |= any;
            if !any {
                break;
            }
        }
    }
    changed.then_some(texts)
}

impl SerializedJson {
    fn of(value: &Value, texts: &[String], is_pretty: bool) -> Self {
        let mut json = Self { text: String::new(), leaves: Vec::with_capacity(texts.len()) };
        json.write(value, &mut texts.iter().map(String::as_str), is_pretty.then_some(0));
        json
    }

    /// Writes a value, with a line for each part if it has a depth.
    fn write<'t>(&mut self, value: &Value, texts: &mut impl Iterator<Item = &'t str>, depth: Option<usize>) {
        let inner = depth.map(|depth| depth + 1);
        match value {
            Value::String(_) => self.leaf(texts.next().unwrap_or_default(), true, false),
            Value::Number(number) => {
                let text = texts.next().unwrap_or_default();
                self.leaf(text, text != number.to_string(), false);
            }
            Value::Array(values) => {
                self.text.push('[');
                for (index, value) in values.iter().enumerate() {
                    self.separate(index, inner);
                    self.write(value, texts, inner);
                }
                self.end_line(depth.filter(|_| !values.is_empty()));
                self.text.push(']');
            }
            Value::Object(fields) => {
                self.text.push('{');
                for (index, value) in fields.values().enumerate() {
                    self.separate(index, inner);
                    self.leaf(texts.next().unwrap_or_default(), true, true);
                    self.text.push_str(if depth.is_some() { ": " } else { ":" });
                    self.write(value, texts, inner);
                }
                self.end_line(depth.filter(|_| !fields.is_empty()));
                self.text.push('}');
            }
            Value::Null => self.text.push_str("null"),
            Value::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
        }
    }

    fn separate(&mut self, index: usize, depth: Option<usize>) {
        if index > 0 {
            self.text.push(',');
        }
        self.end_line(depth);
    }

    fn end_line(&mut self, depth: Option<usize>) {
        if let Some(depth) = depth {
            self.text.push('\n');
            // Deeper indents would make the text of nested arrays grow with the square of their depth.
            self.text.extend(std::iter::repeat_n(' ', depth.min(8)));
        }
    }

    fn leaf(&mut self, text: &str, is_quoted: bool, is_key: bool) {
        let shown = text.trim();
        let shown = if shown.contains('\n') { LONG_TEXT } else { shown };
        // AWS writes `Name` and `Value` where others write `name` and `value`.
        let pair = ["name", "key", "value"].into_iter().find(|word| is_key && shown.eq_ignore_ascii_case(word));
        let spelled = Value::from(pair.unwrap_or(shown)).to_string();
        let content = &spelled[1..spelled.len() - 1];
        let quote = if is_quoted { "\"" } else { "" };
        self.text.push_str(quote);
        let start = self.text.len();
        self.text.push_str(content);
        self.leaves.push(JsonLeaf { place: start..self.text.len(), verbatim: content == text, is_key });
        self.text.push_str(quote);
    }

    /// Removes what a place of the text covers, from the last to the first; returns whether anything changed.
    fn remove(&self, range: &Range<usize>, marker: &str, texts: &mut [String]) -> bool {
        let first = self.leaves.partition_point(|leaf| leaf.place.end <= range.start);
        let mut any = false;
        for (index, leaf) in self.leaves.iter().enumerate().skip(first) {
            if leaf.place.start >= range.end {
                break;
            }
            // A rule that covers a key and its value is about the value.
            let is_inside = leaf.place.start <= range.start && range.end <= leaf.place.end;
            let Some(text) = texts.get_mut(index).filter(|_| !leaf.is_key || is_inside) else { continue };
            let start = range.start.max(leaf.place.start) - leaf.place.start;
            let end = range.end.min(leaf.place.end) - leaf.place.start;
            if leaf.verbatim
                && text.is_char_boundary(start)
                && text.is_char_boundary(end.min(text.len()))
                && end <= text.len()
            {
                text.replace_range(start..end, marker);
                any = true;
            } else if text != marker {
                marker.clone_into(text);
                any = true;
            }
        }
        any
    }
}
