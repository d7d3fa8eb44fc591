//! Raw JSON → cards without secrets, ready to be written.

use super::{Card, CardError, ContentId, serialized};
use crate::redact::{Environment, Piece, Redactor};
use serde_json::{Map, Value};

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
            let bytes = card.bytes();
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
        let changed_texts = serialized::scrubbed(self.redactor, value, &scrubbed);
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

/// Collects keys, texts and numbers in a fixed order, which [`replace`] and [`serialized`] follow.
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
