//! JSON as cards have it: no repeated keys, no floats, and the canonical form of RFC 8785.

use super::CardError;
use crate::model::parse_json;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};
use std::fmt::Display;

/// The largest integer that every reader of JSON holds exactly: 2^53 - 1.
const LARGEST_INTEGER: u64 = (1 << 53) - 1;

/// Parses a text as JSON without repeated keys.
///
/// # Errors
/// [`CardError::BadRequest`] with line and column; the message quotes keys and no values.
pub fn parse(bytes: &[u8], what: &str) -> Result<Value, CardError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    parse_json(bytes, usize::MAX).map_err(|error| CardError::bad(format!("{what} is no JSON: {error}")))
}

/// Returns the RFC 8785 form of a value without floats.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Returns the bytes of a file: the RFC 8785 form of its content, which has no floats.
pub fn canonical_bytes(content: &impl Serialize) -> Vec<u8> {
    canonical(&serde_json::to_value(content).unwrap_or_default()).into_bytes()
}

/// Returns the content of a file: its bytes without one line end, which editors and formatters add. Ids and hashes do not cover
/// it.
pub fn without_line_end(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\r\n").or_else(|| bytes.strip_suffix(b"\n")).unwrap_or(bytes)
}

/// Checks that a content has the hash that its file is named by.
///
/// # Errors
/// What was changed, and what to do.
pub fn check_hash<H: PartialEq<N> + Display, N>(
    content: &[u8],
    named: &N,
    what: &str,
    hash_of: impl Fn(&[u8]) -> H,
) -> Result<(), String> {
    let found = hash_of(content);
    if found == *named {
        return Ok(());
    }
    let canonical = parse(content, "it").map(|value| canonical(&value));
    Err(if canonical.is_ok_and(|content| hash_of(content.as_bytes()) == *named) {
        "a formatter changed its white space or the order of its keys (help: restore it from git, and let formatters leave \
         this folder out)"
            .to_owned()
    } else {
        format!("its content was changed: its {what} is {found}")
    })
}

/// Deserializes a field that is absent rather than null.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(value, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            // RFC 8785 compares UTF-16 code units, which differ from bytes beyond the basic plane.
            fields.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        // `serde_json` escapes strings and prints integers as RFC 8785 asks.
        plain => out.push_str(&plain.to_string()),
    }
}

/// Finds the first number that is no integer, or too large for every reader, and returns its path.
pub fn inexact_number(value: &Value, path: &str) -> Option<String> {
    let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Number(number) if !is_exact(number) => Some(path.to_owned()),
        Value::Array(values) => {
            values.iter().enumerate().find_map(|(index, value)| inexact_number(value, &at(&index.to_string())))
        }
        Value::Object(fields) => fields.iter().find_map(|(key, value)| inexact_number(value, &at(key))),
        _ => None,
    }
}

fn is_exact(number: &Number) -> bool {
    number.as_u64().is_some_and(|number| number <= LARGEST_INTEGER)
        || number.as_i64().is_some_and(|number| number.unsigned_abs() <= LARGEST_INTEGER)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(1_i64 << 53) + 1..1 << 53).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_that_of_another_implementation(value in json()) {
            prop_assert_eq!(canonical(&value), serde_jcs::to_string(&value).unwrap());
            let back = parse(canonical(&value).as_bytes(), "it").unwrap();
            prop_assert_eq!(back, value);
        }
    }

    #[test]
    fn keys_are_sorted_by_utf_16() {
        let value = parse("{\"\u{fb33}\": 1, \"😀\": 2, \"a\": 3}".as_bytes(), "it").unwrap();
        assert_eq!(canonical(&value), "{\"a\":3,\"😀\":2,\"\u{fb33}\":1}");
    }

    #[test]
    fn repeated_keys_and_inexact_numbers_are_found() {
        let error = parse(b"{\"a\": 1, \"a\": 2}", "it").unwrap_err().to_string();
        assert!(error.contains("the key `a` appears twice in one object at line 1"), "{error}");
        for (text, path) in [("{\"a\": [1, 1.0]}", "a.1"), ("[9007199254740992]", "0"), ("{\"b\": -0}", "b")] {
            let value = parse(text.as_bytes(), "it").unwrap();
            assert_eq!(inexact_number(&value, "").as_deref(), Some(path), "{text}");
        }
        let exact = parse(b"[9007199254740991, -9007199254740991, 0]", "it").unwrap();
        assert_eq!(inexact_number(&exact, ""), None);
    }
}
