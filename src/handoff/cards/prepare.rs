//! Raw JSON → cards without secrets, ready to be written.

use super::{Card, CardError, ContentId, canonical_bytes};
use crate::redact::{Environment, Piece, Redactor};
use serde_json::{Map, Value};
use std::ops::Range;

/// How often a changed value is examined at most, as text that a removal joined may match anew.
const MAX_ROUNDS: usize = 4;

/// The placeholder of a text of several lines, whose parts a reader of JSON does not see next to other values.
const LONG_TEXT: &str = "text";

/// How deep JSON texts inside JSON texts are parsed.
const DEEPEST_TEXT: usize = 4;

/// The longest text that is examined for JSON in it, in bytes.
const LARGEST_TEXT: usize = 16 << 20;

/// Scrubs and checks cards before they are written.
#[derive(Debug, Clone, Copy)]
pub struct CardWriter<'a> {
    redactor: &'a Redactor,
    environment: &'a Environment,
}

/// A card that can be written: scrubbed, checked, and with its bytes.
#[derive(Debug, Clone)]
pub struct PreparedCard {
    pub id: ContentId,
    pub(super) bytes: Vec<u8>,
    pub card: Card,
    /// How many values were changed by the scrubber.
    pub redacted: usize,
}

impl<'a> CardWriter<'a> {
    pub fn new(redactor: &'a Redactor, environment: &'a Environment) -> Self {
        Self { redactor, environment }
    }

    /// Scrubs cards that come from one source together, and checks them.
    pub fn prepare(&self, cards: Vec<Value>) -> Result<Vec<PreparedCard>, CardError> {
        let many = cards.len() > 1;
        let mut all = Value::Array(cards);
        let redacted = self.scrub(&mut all, 0);
        let Value::Array(cards) = all else { return Ok(Vec::new()) };
        let mut prepared = Vec::with_capacity(cards.len());
        for (index, mut card) in cards.into_iter().enumerate() {
            if let Value::Object(fields) = &mut card {
                Card::with_defaults(fields);
            }
            self.refuse_environment(&card)?;
            let card = Card::from_value(card).map_err(|error| match error {
                CardError::BadRequest(message) if many => CardError::bad(format!("card {}: {message}", index + 1)),
                error => error,
            })?;
            let bytes = canonical_bytes(&card);
            let redacted = redacted.iter().filter(|at| **at == index).count();
            prepared.push(PreparedCard { id: ContentId::of(&bytes), bytes, card, redacted });
        }
        Ok(prepared)
    }

    /// Checks that a name that is written as it is, such as a log's, contains no secret.
    pub fn check_name(&self, name: &str, what: &str) -> Result<(), CardError> {
        if self.redactor.line(name) == name && self.environment.find(name).is_none() {
            return Ok(());
        }
        Err(CardError::bad(format!("{what} contains a secret, so it is not written")))
    }

    /// Returns a short text, such as an author, without secrets.
    pub fn line(&self, text: &str) -> Result<String, CardError> {
        let value = Value::from(self.redactor.line(text));
        self.refuse_environment(&value)?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Scrubs every key, text and number of a value that is no card, and returns how many changed.
    pub fn scrub_value(&self, value: &mut Value) -> Result<usize, CardError> {
        let redacted = self.scrub(value, 0).len();
        self.refuse_environment(value)?;
        Ok(redacted)
    }

    /// Scrubs every key, text and number in place, and returns the indices of the outermost items whose values changed.
    fn scrub(&self, value: &mut Value, depth: usize) -> Vec<usize> {
        let mut original = Vec::new();
        collect(value, "", None, &mut original);
        self.scrub_inner_json(value, depth);
        let mut texts = Vec::new();
        collect(value, "", None, &mut texts);
        let pieces: Vec<Piece<'_>> = texts.iter().map(|it| Piece { key: &it.key, text: &it.text, line: 1 }).collect();
        let scrubbed = self.redactor.scrub("", &pieces).texts;
        let scrubbed: Vec<&str> = scrubbed.iter().map(|text| text.as_str()).collect();
        let changed_texts = scrubbed_in_json(self.redactor, value, &scrubbed);
        let scrubbed = changed_texts.as_ref().map_or(scrubbed, |texts| texts.iter().map(String::as_str).collect());
        replace(value, &mut scrubbed.iter().copied());
        let changed = original.iter().zip(&scrubbed).filter(|(before, after)| before.text != **after);
        changed.map(|(before, _)| before.item).collect()
    }

    /// Returns the value of a key without secrets, and whether that changed it.
    pub fn value_of(&self, key: &str, value: &Value) -> (Value, bool) {
        let mut wrapped = Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
        let changed = !self.scrub(&mut wrapped, 0).is_empty();
        let found = wrapped.as_object_mut().and_then(|fields| fields.values_mut().next().map(Value::take));
        (found.unwrap_or_default(), changed)
    }

    /// Returns a card from a file without what redaction removes, since not every file is written by this program; and whether
    /// that changed it.
    pub fn scrubbed(&self, card: &Card) -> Result<(Card, bool), CardError> {
        let value = serde_json::to_value(card).map_err(|error| CardError::Invalid(error.to_string()))?;
        let prepared = self.prepare(vec![value]).map_err(|error| match error {
            CardError::BadRequest(why) => CardError::Invalid(format!("without its secrets it is no card: {why}")),
            error => error,
        })?;
        let first = prepared.into_iter().next();
        let card = first.ok_or_else(|| CardError::Invalid("it is no card".to_owned()))?;
        Ok((card.card, card.redacted > 0))
    }

    /// Scrubs texts that are JSON value by value: a secret may be recognisable by its key alone.
    fn scrub_inner_json(&self, value: &mut Value, depth: usize) {
        match value {
            Value::String(text)
                if depth < DEEPEST_TEXT && text.len() <= LARGEST_TEXT && text.trim_start().starts_with(['{', '[']) =>
            {
                if let Ok(mut inner) = serde_json::from_str::<Value>(text) {
                    let before = inner.clone();
                    self.scrub(&mut inner, depth + 1);
                    if inner != before {
                        *text = inner.to_string();
                    }
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.scrub_inner_json(value, depth)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.scrub_inner_json(value, depth)),
            _ => {}
        }
    }

    fn refuse_environment(&self, value: &Value) -> Result<(), CardError> {
        let mut texts = Vec::new();
        collect(value, "", None, &mut texts);
        let found = texts.iter().find_map(|it| Some((self.environment.find(&it.text)?.0, &it.key)));
        match found {
            None => Ok(()),
            Some((variable, key)) => Err(CardError::Secret(format!(
                "environment-secret: the value of the variable `{variable}` is in `{}`; nothing was written",
                if key.is_empty() { "a key" } else { key }
            ))),
        }
    }
}

struct CollectedText {
    key: String,
    text: String,
    item: usize,
}

/// Collects keys, texts and numbers in a fixed order, which [`replace`] and [`SerializedJson`] follow.
fn collect(value: &Value, key: &str, item: Option<usize>, texts: &mut Vec<CollectedText>) {
    let mut push = |key: &str, text: String| {
        texts.push(CollectedText { key: key.to_owned(), text, item: item.unwrap_or_default() });
    };
    match value {
        Value::String(text) => push(key, text.clone()),
        Value::Number(number) => push(key, number.to_string()),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect(value, key, item.or(Some(index)), texts);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                texts.push(CollectedText { key: String::new(), text: key.clone(), item: item.unwrap_or_default() });
                collect(value, key, item, texts);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Puts scrubbed texts in the places where [`collect`] found them.
fn replace<'t>(value: &mut Value, texts: &mut impl Iterator<Item = &'t str>) {
    match value {
        Value::String(text) => {
            if let Some(scrubbed) = texts.next() {
                scrubbed.clone_into(text);
            }
        }
        Value::Number(number) => {
            // A number stays one unless it was a secret.
            if let Some(scrubbed) = texts.next().filter(|text| **text != number.to_string()) {
                *value = scrubbed.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, texts)),
        Value::Object(fields) => {
            let mut scrubbed = Map::new();
            for (key, mut value) in std::mem::take(fields) {
                let mut key = texts.next().map_or(key, str::to_owned);
                replace(&mut value, texts);
                // Two secret keys become the same text.
                while scrubbed.contains_key(&key) {
                    key.push('\'');
                }
                scrubbed.insert(key, value);
            }
            *fields = scrubbed;
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// A value as JSON text, with the places of its keys, texts and numbers in the order in which
/// [`CardWriter`] collects them.
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
fn scrubbed_in_json(redactor: &Redactor, value: &Value, texts: &[&str]) -> Option<Vec<String>> {
    let mut texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let mut changed = false;
    for is_pretty in [true, false] {
        for _ in 0..MAX_ROUNDS {
            let mut json = SerializedJson { text: String::new(), leaves: Vec::with_capacity(texts.len()) };
            json.write(value, &mut texts.iter().map(String::as_str), is_pretty.then_some(0));
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
