//! Parsing of a server's JSON: without duplicate keys, and with a bounded number of values.

use crate::model::parse_json;
use serde_json::Value;

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
    parse_json(bytes, MAX_VALUES)
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
