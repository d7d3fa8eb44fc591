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
    ///
    /// What every server sends must be present, even if null: an issue without its body would erase the known one.
    pub(super) fn issue(self) -> Result<(), String> {
        let named = |name: &'static str| move |value: &Value| value.is_string() || value[name].is_string();
        self.needs("title", &Value::is_string)?;
        self.needs("state", &Value::is_string)?;
        if !matches!(self.value["state"].as_str(), Some("open" | "closed")) {
            return Err("an object whose `state` is neither `open` nor `closed`".to_owned());
        }
        self.written()?;
        for field in ["labels", "milestone"] {
            self.has(field)?;
        }
        for field in ["state_reason", "parent_issue_url"] {
            self.may("a text", field, &Value::is_string)?;
        }
        self.may("a milestone", "milestone", &named("title"))?;
        self.may("a type", "type", &named("name"))?;
        self.each("labels", &named("name"))?;
        self.each("assignees", &named("login"))?;
        self.may("a number", "comments", &Value::is_u64)?;
        for field in ["sub_issues_summary", "issue_dependencies_summary"] {
            let counts = |value: &Value| {
                value
                    .as_object()
                    .is_some_and(|counts| counts.values().all(|count| count.is_null() || count.is_number()))
            };
            self.may("an object of numbers", field, &counts)?;
        }
        self.may("a pull request", "pull_request", &|value: &Value| {
            value.is_object() && (value["merged_at"].is_null() || is_time(&value["merged_at"]))
        })?;
        self.may("a repo", "repository", &|value: &Value| ResponseShape::of(value).repo().is_ok())
    }

    /// Checks a comment.
    pub(super) fn comment(self) -> Result<(), String> {
        self.needs("id", &Value::is_u64)?;
        self.written()
    }

    /// Checks a repo, which must say whether it is private. Old servers leave `full_name` out.
    pub(super) fn repo(self) -> Result<(), String> {
        self.may("a text", "full_name", &Value::is_string)?;
        self.needs("private", &Value::is_boolean)
    }

    /// Checks the fields that issues and comments share: text, author and times.
    fn written(self) -> Result<(), String> {
        self.needs("created_at", &Value::is_string)?;
        self.may("a text", "updated_at", &Value::is_string)?;
        for field in ["created_at", "updated_at"] {
            let time = &self.value[field];
            if !time.is_null() && !is_time(time) {
                return Err(format!("an object whose `{field}` is no time"));
            }
        }
        for field in ["body", "user"] {
            self.has(field)?;
        }
        for field in ["body", "author_association"] {
            self.may("a text", field, &Value::is_string)?;
        }
        let user = |user: &Value| user["login"].is_string() && (user["type"].is_null() || user["type"].is_string());
        self.may("a user", "user", &user)
    }

    /// Checks that a field is present, even if null.
    fn has(self, field: &str) -> Result<(), String> {
        if self.value.get(field).is_some() { Ok(()) } else { Err(wrong(field, &Value::Null)) }
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

/// Returns whether a value is a time as defined by RFC 3339.
fn is_time(value: &Value) -> bool {
    let Some(text) = value.as_str().filter(|text| text.is_ascii()) else { return false };
    // The parser accepts only `Z`, so an offset is replaced with it.
    let utc = match text.split_at_checked(19) {
        Some((date, rest)) => match rest.find(['+', '-']) {
            Some(at) if rest.len() == at + 6 => format!("{date}{}Z", &rest[..at]),
            _ => text.to_owned(),
        },
        None => return false,
    };
    humantime::parse_rfc3339(&utc).is_ok()
}
