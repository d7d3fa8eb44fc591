//! The check that an answer's fields have the types that GitHub documents. Optional fields may be missing.

use super::json::kind;
use serde_json::Value;

/// Describes an object whose `field` has this value of a wrong type.
pub(super) fn wrong(field: &str, value: &Value) -> String {
    match value {
        Value::Null => format!("an object without a `{field}`"),
        value => format!("an object whose `{field}` is {}", kind(value)),
    }
}

/// A value whose fields are checked.
#[derive(Clone, Copy)]
pub(super) struct ResponseShape<'a> {
    value: &'a Value,
}

impl<'a> ResponseShape<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        Self { value }
    }

    /// Checks an issue or a pull request: users are null or objects with a login, labels are objects or texts.
    pub(super) fn issue(self) -> Result<(), String> {
        let named = |name: &'static str| move |value: &Value| value.is_string() || value[name].is_string();
        self.needs("title", &Value::is_string)?;
        for field in ["body", "state", "state_reason", "created_at", "updated_at", "author_association"] {
            self.may("a text", field, &Value::is_string)?;
        }
        self.may("a user", "user", &Value::is_object)?;
        self.may("a milestone", "milestone", &named("title"))?;
        self.may("a type", "type", &named("name"))?;
        self.each("labels", &named("name"))?;
        self.each("assignees", &named("login"))
    }

    /// Checks a comment.
    pub(super) fn comment(self) -> Result<(), String> {
        self.needs("id", &Value::is_u64)?;
        self.needs("created_at", &Value::is_string)?;
        for field in ["body", "updated_at", "author_association"] {
            self.may("a text", field, &Value::is_string)?;
        }
        self.may("a user", "user", &Value::is_object)
    }

    fn needs(self, field: &str, fits: &dyn Fn(&Value) -> bool) -> Result<(), String> {
        match self.value {
            Value::Object(_) if fits(&self.value[field]) => Ok(()),
            Value::Object(_) => Err(wrong(field, &self.value[field])),
            other => Err(kind(other).to_owned()),
        }
    }

    fn may(self, what: &str, field: &str, fits: &dyn Fn(&Value) -> bool) -> Result<(), String> {
        let value = &self.value[field];
        let holds = value.is_null() || fits(value);
        if holds { Ok(()) } else { Err(format!("an object whose `{field}` is {}, not {what}", kind(value))) }
    }

    fn each(self, field: &str, fits: &dyn Fn(&Value) -> bool) -> Result<(), String> {
        self.may("a list", field, &Value::is_array)?;
        // A deleted account or label may leave a null.
        let wrong = |entry: &&Value| !entry.is_null() && !fits(entry);
        match self.value[field].as_array().into_iter().flatten().find(wrong) {
            None => Ok(()),
            Some(entry) => Err(format!("an object whose `{field}` has {} without a name in it", kind(entry))),
        }
    }
}
