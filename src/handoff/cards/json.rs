//! JSON as cards have it: no repeated keys, no inexact integers, and the canonical form of RFC 8785.

use super::CardError;
use crate::model::{is_exact, parse_json};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt::Display;

/// Parses a text as JSON without repeated keys.
pub fn parse(bytes: &[u8], what: &str) -> Result<Value, CardError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    parse_json(bytes, usize::MAX).map_err(|error| CardError::bad(format!("{what} is no JSON: {error}")))
}

pub(super) fn canonical(value: &Value) -> String {
    serde_jcs::to_string(value).unwrap_or_default()
}

/// Returns the bytes of a file: the RFC 8785 form of its content.
pub fn canonical_bytes(content: &impl Serialize) -> Vec<u8> {
    serde_jcs::to_vec(content).unwrap_or_default()
}

/// Parses a file, and returns the fault of one that is not in the canonical form.
pub(crate) fn parse_file(bytes: &[u8]) -> Result<(Value, Option<String>), String> {
    let value = parse(bytes, "it").map_err(|error| error.to_string())?;
    let fault = || "it is not in the canonical form of RFC 8785".to_owned();
    let fault = (canonical_bytes(&value) != bytes).then(fault);
    Ok((value, fault))
}

/// Returns the content of a file: its bytes without one line end, which editors and formatters add. Ids and hashes do not cover
/// it.
pub fn without_line_end(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\r\n").or_else(|| bytes.strip_suffix(b"\n")).unwrap_or(bytes)
}

/// Checks that a content has the hash that its file is named by.
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
    let is_formatted = parse(content, "it").is_ok_and(|value| hash_of(&canonical_bytes(&value)) == *named);
    Err(if is_formatted {
        "a formatter changed its white space or the order of its keys (help: `contextpack card fix` writes it as it was; let \
         formatters leave this folder out)"
            .to_owned()
    } else {
        format!("its content was changed: its {what} is {found}")
    })
}

/// Deserializes a field that is absent rather than null.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Gives each number the form in which its RFC 8785 text is read again (`1.0` is 1), and returns the path of the first integer
/// that has none without loss.
pub(super) fn inexact_number(value: &mut Value, path: &str) -> Option<String> {
    let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Number(number) if !is_exact(number) => Some(path.to_owned()),
        Value::Number(number) if number.is_f64() => {
            *value = serde_json::from_str(&canonical(value)).unwrap_or_default();
            None
        }
        Value::Array(values) => {
            values.iter_mut().enumerate().find_map(|(index, value)| inexact_number(value, &at(&index.to_string())))
        }
        Value::Object(fields) => fields.iter_mut().find_map(|(key, value)| inexact_number(value, &at(key))),
        _ => None,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_by_utf_16() {
        let value = parse("{\"\u{fb33}\": 1, \"😀\": 2, \"a\": 3}".as_bytes(), "it").unwrap();
        assert_eq!(canonical(&value), "{\"a\":3,\"😀\":2,\"\u{fb33}\":1}");
    }

    #[test]
    fn inexact_numbers_are_found() {
        for (text, path) in [("{\"a\": [1, 9007199254740993]}", "a.1"), ("[-1152921504606846976]", "0")] {
            let mut value = parse(text.as_bytes(), "it").unwrap();
            assert_eq!(inexact_number(&mut value, "").as_deref(), Some(path), "{text}");
        }
        assert!(parse(b"[1e400]", "it").unwrap_err().to_string().contains("out of range"));
    }

    #[test]
    fn floats_have_the_spelling_of_rfc_8785_and_stay_what_they_are_when_they_are_read_again() {
        let written = "[0.5, -0, 1.0, 1E-7, 1e21, 1e20, 1152921504606846976.0, 5e-324, 9007199254740991, -2.50]";
        let mut value = parse(written.as_bytes(), "it").unwrap();
        assert_eq!(inexact_number(&mut value, ""), None);
        let file = "[0.5,0,1,1e-7,1e+21,100000000000000000000,1152921504606847000,5e-324,9007199254740991,-2.5]";
        assert_eq!(canonical(&value), file);
        let mut read = parse_file(file.as_bytes()).unwrap();
        assert_eq!((&read.0, read.1.as_deref()), (&value, None));
        assert_eq!((inexact_number(&mut read.0, ""), &read.0), (None, &value));
    }
}
