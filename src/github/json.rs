//! Parsing of a server's JSON: without duplicate keys, and with a bounded number of values.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;

/// The most values of one answer: a hundred issues with all fields at GitHub's limits have about a tenth of that.
///
/// A value takes far more memory than the two bytes that it may have in an answer.
const MAX_VALUES: usize = 500_000;

/// Parses the JSON of an answer.
///
/// # Errors
/// If it is not JSON, has too many values, or has a duplicate key, of which programs read different values. The last two
/// are errors of the category `Data`.
pub(super) fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Any { left: &Cell::new(MAX_VALUES) }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// A seed for any value, as long as the limit is not reached.
#[derive(Clone, Copy)]
struct Any<'a> {
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format_args!("it has more than {MAX_VALUES} values")));
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

/// Returns the name of a value's type, and nothing of its content.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_without_duplicate_keys_are_read_unchanged(value in values()) {
            prop_assert_eq!(read(value.to_string().as_bytes()).unwrap(), value);
        }

        #[test]
        fn duplicate_keys_are_refused_at_any_depth(
            outer in values(), name in ".{0,4}", first in values(), second in values(),
        ) {
            let name = Value::from(name);
            let twice = format!("[{outer}, {{{name}: {first}, \"other key\": {outer}, {name}: {second}}}]");
            let error = read(twice.as_bytes()).unwrap_err();
            prop_assert!(error.is_data() && error.to_string().contains("appears twice"), "{}", error);
        }
    }

    #[test]
    fn an_answer_of_endless_small_values_is_refused() {
        for (begin, part, end) in [("[", "1,", "1]"), ("[", "[],", "[]]"), ("[", "{\"a\":1},", "1]")] {
            let error = read((begin.to_owned() + &part.repeat(MAX_VALUES) + end).as_bytes()).unwrap_err();
            assert!(error.is_data() && error.to_string().contains("more than 500000 values"), "{error}");
        }
        assert!(!read(b"[1").unwrap_err().is_data() && !read(b"[] x").unwrap_err().is_data());
        assert!(!read("[".repeat(200_000).as_bytes()).unwrap_err().is_data());
    }
}
