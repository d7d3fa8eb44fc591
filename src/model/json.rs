//! JSON as every program reads it: without repeated keys, and without halves of surrogate pairs, which `JSON.stringify` of a text
//! that was cut in the middle of a character writes.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

/// Parses JSON of at most `most` values without repeated keys.
pub fn parse_json(bytes: &[u8], most: usize) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Any { left: &Cell::new(most), most }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// A seed for any value, as long as the limit is not reached.
#[derive(Clone, Copy)]
struct Any<'a> {
    left: &'a Cell<usize>,
    most: usize,
}

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format_args!("it has more than {} values", self.most)));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            if values.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the key `{name}` appears twice in one object")));
            }
            values.insert(name, value);
        }
        Ok(Value::Object(values))
    }
}

/// Returns a JSON text with the escape of U+FFFD in place of each escape of half a surrogate pair (`\ud83d` alone).
pub fn whole_surrogates(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = json[at..].find('\\') {
        at += next;
        let (length, is_half) = match (unit(&json[at..]), json.get(at + 6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            // The escape of any other character, a backslash among them.
            _ => (1 + json[at + 1..].chars().next().map_or(0, char::len_utf8), false),
        };
        if is_half {
            out.push_str(&json[from..at]);
            out.push_str("\\ufffd");
            from = at + length;
        }
        at += length;
    }
    if from == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[from..]);
    Cow::Owned(out)
}

/// Returns the UTF-16 code unit whose escape a text begins with.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}
