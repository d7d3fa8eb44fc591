//! Readers and checks of single fields of ledgers, as strict as what writes them: a file may have been made by hand.

use crate::handoff::cards::{ToolError, is_hex, parse};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt::Display;

pub const LAST_EPOCH: u32 = 99_999_999;

const LONGEST_NAME: usize = 1_000;

const LONGEST_NONCE: usize = 100;

const LONGEST_ID: usize = 200;

pub(super) const TRACE_DIGITS: usize = 32;

/// The fields of a JSON object, which are taken out one by one until none is left.
pub(super) struct EntryFields(Map<String, Value>);

impl EntryFields {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        Self::of(read_value(bytes)?)
    }

    pub(super) fn of(value: Value) -> Result<Self, String> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err("it cannot be read: it is no JSON object".to_owned()),
        }
    }

    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, String> {
        self.take_if(name)?.ok_or_else(|| format!("it cannot be read: missing field `{name}`"))
    }

    pub(super) fn take_if<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, String> {
        let read = self.0.remove(name).map(serde_json::from_value).transpose();
        read.map_err(|error| format!("it cannot be read: `{name}`: {error}"))
    }

    /// Takes a text that every file of the ledger has alike.
    pub(super) fn take_same(&mut self, name: &str, expected: &str) -> Result<(), String> {
        let found: Value = self.take(name)?;
        same(name, &found.as_str().map_or_else(|| found.to_string(), str::to_owned), &expected.to_owned())
    }

    pub(super) fn end(self) -> Result<(), String> {
        self.0.keys().next().map_or(Ok(()), |name| Err(format!("it cannot be read: unknown field `{name}`")))
    }
}

/// Reads a value without repeated keys and nulls.
fn read_value(bytes: &[u8]) -> Result<Value, String> {
    fn has_null(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(values) => values.iter().any(has_null),
            Value::Object(fields) => fields.values().any(has_null),
            _ => false,
        }
    }
    if bytes.is_empty() {
        return Err("it is empty, too large, or no plain file".to_owned());
    }
    let value = parse(bytes, "it").map_err(|error| error.to_string())?;
    if has_null(&value) { Err("it cannot be read: a field is null".to_owned()) } else { Ok(value) }
}

/// Reads the JSON of a file whose type refuses unknown fields.
pub(super) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_value(read_value(bytes)?).map_err(|error| format!("it cannot be read: {error}"))
}

/// Returns the fault unless `holds`.
pub(super) fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

pub(super) fn same<T: PartialEq + Display>(name: &str, found: &T, expected: &T) -> Result<(), String> {
    ensure(found == expected, || format!("its {name} is `{found}`, not `{expected}`"))
}

pub(super) fn check_time(at: &str) -> Result<(), String> {
    let is_time = at.len() == 20 && humantime::parse_rfc3339(at).is_ok();
    ensure(is_time, || "its time is none such as `2026-01-31T12:00:00Z`".to_owned())
}

/// Checks the number of an attempt; `is_over` says that another one must be able to follow.
pub(super) fn check_epoch(what: &str, number: u32, is_over: bool) -> Result<(), String> {
    let last = LAST_EPOCH - u32::from(is_over);
    ensure((1..=last).contains(&number), || format!("its {what} is not from 1 to {last}"))
}

pub(super) fn check_text(field: &str, text: &str) -> Result<(), String> {
    ensure(!text.trim().is_empty(), || format!("its `{field}` is empty"))
}

/// Checks the key of an agent, or another name on one line.
pub(super) fn check_key(field: &str, key: &str) -> Result<(), String> {
    check_text(field, key)?;
    let is_name = key.len() <= LONGEST_NAME && !key.chars().any(char::is_control);
    ensure(is_name, || format!("its `{field}` is no name: it is on one line, and has at most {LONGEST_NAME} bytes"))
}

pub(super) fn check_id(field: &str, id: &str) -> Result<(), String> {
    let is_id = (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    ensure(is_id, || format!("`{field}` is made of 1 to {LONGEST_ID} printable ASCII characters without spaces"))
}

pub(super) fn check_trace(field: &str, id: &str) -> Result<(), String> {
    let is_trace = is_hex(id, TRACE_DIGITS..=TRACE_DIGITS) && id.bytes().any(|byte| byte != b'0');
    ensure(is_trace, || format!("`{field}` is made of {TRACE_DIGITS} lower-case hex digits that are not all 0"))
}

pub(super) fn check_each(
    fields: &[(&str, &Option<String>)],
    check: fn(&str, &str) -> Result<(), String>,
) -> Result<(), String> {
    fields.iter().try_for_each(|(field, text)| text.as_ref().map_or(Ok(()), |text| check(field, text)))
}

/// Checks the time of an entry, and the digits that make it differ from others.
pub(super) fn check_origin(at: &str, nonce: &str) -> Result<(), String> {
    check_time(at)?;
    let is_nonce = (1..=LONGEST_NONCE).contains(&nonce.len()) && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric());
    ensure(is_nonce, || format!("its `nonce` is made of 1 to {LONGEST_NONCE} letters and digits"))
}

pub(super) fn check_outcome(what: &str, status: &str, error: Option<&ToolError>) -> Result<(), String> {
    let is_whole = !status.trim().is_empty() && (status != "success" || error.is_none());
    ensure(is_whole, || format!("a {what} has a status, and no error if it is `success`"))
}
