//! Values of YAML and JSON with their lines, and JSON as every program reads it: without repeated keys.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};
use std::cell::Cell;
use std::fmt;
use std::ops::Deref;

/// Parses JSON of at most `most` values without repeated keys.
pub fn parse_json(bytes: &[u8], most: usize) -> serde_json::Result<Json> {
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
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format_args!("it has more than {} values", self.most)));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut values = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            if values.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the key `{name}` appears twice in one object")));
            }
            values.insert(name, value);
        }
        Ok(Json::Object(values))
    }
}

/// Returns whether RFC 8785, which takes each number for a double, writes it without loss: a float, or an integer that it spells
/// with the same digits.
pub fn is_exact(number: &Number) -> bool {
    let spelled = || number.as_f64().and_then(|float| serde_jcs::to_string(&float).ok());
    number.is_f64() || spelled().is_some_and(|spelled| spelled == number.to_string())
}

/// A value of YAML or JSON with the line where it starts, its scalars spelled as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node<T> {
    /// The line in the file, from 1.
    pub line: u32,
    /// The value.
    pub value: Value<T>,
}

/// The shapes that a field may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value<T> {
    /// Nothing, `~`, `null`.
    Null,
    /// A string, number or boolean.
    Scalar {
        /// As spelled.
        text: T,
        /// Whether it was not quoted, so that `12` is a number and `true` a boolean.
        plain: bool,
    },
    /// A list.
    List(Vec<Node<T>>),
    /// Keys and values in source order; no key twice.
    Map(Vec<(T, Node<T>)>),
}

impl<T> Node<T> {
    /// Calls `found` with each text but keys, and its line.
    pub fn for_each<'a>(&'a self, found: &mut impl FnMut(&'a T, u32)) {
        match &self.value {
            Value::Null => {}
            Value::Scalar { text, .. } => found(text, self.line),
            Value::List(nodes) => nodes.iter().for_each(|node| node.for_each(found)),
            Value::Map(pairs) => pairs.iter().for_each(|(_, node)| node.for_each(found)),
        }
    }
}

impl<T: Deref<Target = str>> Node<T> {
    /// Returns the value as JSON; `None` for nothing. Unquoted booleans, and exact numbers in JSON's spelling, stay such.
    pub fn json(&self) -> Option<Json> {
        match &self.value {
            Value::Null => None,
            Value::Scalar { text, plain } => {
                let text = &**text;
                let is_bare = |json: &Json| match json {
                    Json::Number(number) => is_exact(number) && number.to_string() == text,
                    json => json.is_boolean(),
                };
                let bare = serde_json::from_str(text).ok().filter(|json| *plain && is_bare(json));
                Some(bare.unwrap_or_else(|| text.into())).filter(|json| json != "")
            }
            Value::List(nodes) => Some(nodes.iter().filter_map(Self::json).collect()),
            Value::Map(pairs) => {
                let pair = |(name, node): &(T, Self)| Some((name.to_string(), node.json()?));
                Some(Json::Object(pairs.iter().filter_map(pair).collect()))
            }
        }
    }

    /// Returns the node with every text replaced by the result of `f` for its key, text and line.
    ///
    /// The key of a value is the name that it has in the innermost map, else `key`; keys themselves have an empty key.
    pub fn map<'a, U>(&'a self, key: &'a str, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Node<U> {
        let value = match &self.value {
            Value::Null => Value::Null,
            Value::Scalar { text, plain } => Value::Scalar { text: f(key, text, self.line), plain: *plain },
            Value::List(nodes) => Value::List(nodes.iter().map(|node| node.map(key, f)).collect()),
            Value::Map(pairs) => {
                Value::Map(pairs.iter().map(|(name, node)| (f("", name, node.line), node.map(name, f))).collect())
            }
        };
        Node { line: self.line, value }
    }
}
