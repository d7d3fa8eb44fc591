//! The check that an answer's fields have the types that GitHub documents, and the count of entries of lists that do not.
//! Optional fields may be missing.

use super::SyncError;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Value,
    /// It is present, even if null.
    Present,
    Optional,
}
use Need::{Optional, Present};

/// A field of an answer: its name, whether it may be missing, what it is, and the test of a value.
type FieldCheck = (&'static str, Need, &'static str, fn(&Value) -> bool);

/// The fields of an issue or a pull request: users are null or objects with a login, labels are objects or texts.
///
/// What every server sends must be present, even if null: an issue without its body would erase the known one.
const ISSUE: [FieldCheck; 13] = [
    ("title", Need::Value, "a text", Value::is_string),
    ("state", Need::Value, "`open` or `closed`", |value| matches!(value.as_str(), Some("open" | "closed"))),
    ("labels", Present, "a list of labels", |value| is_list(value, "name")),
    ("milestone", Present, "a milestone", |value| is_named(value, "title")),
    ("state_reason", Optional, "a text", Value::is_string),
    ("parent_issue_url", Optional, "a text", Value::is_string),
    ("type", Optional, "a type", |value| is_named(value, "name")),
    ("assignees", Optional, "a list of users", |value| is_list(value, "login")),
    ("comments", Optional, "a number", Value::is_u64),
    ("sub_issues_summary", Optional, "an object of numbers", is_counts),
    ("issue_dependencies_summary", Optional, "an object of numbers", is_counts),
    ("pull_request", Optional, "a pull request", |value| {
        value.is_object() && (value["merged_at"].is_null() || is_time(&value["merged_at"]))
    }),
    ("repository", Optional, "a repo", |value| check(value, &REPO).is_ok()),
];

/// The fields that issues and comments share: text, author and times.
const WRITTEN: [FieldCheck; 5] = [
    ("created_at", Need::Value, "a time", is_time),
    ("updated_at", Optional, "a time", is_time),
    ("body", Present, "a text", Value::is_string),
    ("user", Present, "a user", |value| {
        value["login"].is_string() && (value["type"].is_null() || value["type"].is_string())
    }),
    ("author_association", Optional, "a text", Value::is_string),
];

/// The fields of a repo, which must say whether it is private. Old servers leave `full_name` out.
const REPO: [FieldCheck; 2] =
    [("full_name", Optional, "a text", Value::is_string), ("private", Need::Value, "a boolean", Value::is_boolean)];

pub(super) fn check_issue(value: &Value) -> Result<(), String> {
    check(value, &ISSUE)?;
    check(value, &WRITTEN)
}

pub(super) fn check_comment(value: &Value) -> Result<(), String> {
    check(value, &[("id", Need::Value, "a number", Value::is_u64)])?;
    check(value, &WRITTEN)
}

pub(super) fn check_repo(value: &Value) -> Result<(), SyncError> {
    check(value, &REPO).map_err(|came| SyncError::unexpected("a repo", &came))
}

fn check(value: &Value, fields: &[FieldCheck]) -> Result<(), String> {
    let Value::Object(object) = value else { return Err(kind(value).to_owned()) };
    for (field, need, what, fits) in fields {
        match object.get(*field) {
            Some(found) if fits(found) => {}
            Some(Value::Null) if *need != Need::Value => {}
            None if *need == Optional => {}
            None | Some(Value::Null) => return Err(wrong(field, &Value::Null)),
            Some(found) => return Err(format!("{}, not {what}", wrong(field, found))),
        }
    }
    Ok(())
}

/// Describes an object whose `field` has this value of a wrong type.
pub(super) fn wrong(field: &str, value: &Value) -> String {
    match value {
        Value::Null => format!("an object without a `{field}`"),
        value => format!("an object whose `{field}` is {}", kind(value)),
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

fn is_named(value: &Value, name: &str) -> bool {
    value.is_string() || value[name].is_string()
}

/// Returns whether a value is a list of what has a name. A deleted account or label may leave a null.
fn is_list(value: &Value, name: &str) -> bool {
    value.as_array().is_some_and(|entries| entries.iter().all(|entry| entry.is_null() || is_named(entry, name)))
}

fn is_counts(value: &Value) -> bool {
    value.as_object().is_some_and(|counts| counts.values().all(|count| count.is_null() || count.is_number()))
}

fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| chrono::DateTime::parse_from_rfc3339(text).is_ok())
}

/// The most kinds of unexpected entries that are reported for one list.
const MAX_REPORTED_KINDS: usize = 5;

#[derive(Debug, Default)]
pub(super) struct UnexpectedEntries {
    kinds: BTreeMap<String, usize>,
}

impl UnexpectedEntries {
    /// Returns a converted entry, or counts the entry under its description.
    pub(super) fn note<T>(&mut self, converted: Result<T, String>) -> Option<T> {
        converted.map_err(|kind| *self.kinds.entry(kind).or_default() += 1).ok()
    }

    pub(super) fn is_none(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Describes the entries: ``3 entries are not what was asked for, and left out: a number (2 times), …``.
    pub(super) fn describe(&self) -> String {
        let all: usize = self.kinds.values().sum();
        let mut kinds: Vec<String> =
            self.kinds.iter().take(MAX_REPORTED_KINDS).map(|(kind, count)| counted(kind, *count)).collect();
        if self.kinds.len() > MAX_REPORTED_KINDS {
            kinds.push("others".to_owned());
        }
        let entries = if all == 1 { "1 entry is".to_owned() } else { format!("{all} entries are") };
        format!("{entries} not what was asked for, and left out: {}", kinds.join(", "))
    }
}

fn counted(kind: &str, count: usize) -> String {
    if count == 1 { kind.to_owned() } else { format!("{kind} ({count} times)") }
}
