//! Whether an answer's parts are of the types that GitHub gives them. What is not there is not wrong.

use super::json::kind;
use serde_json::Value;

/// What is wrong with an object whose `field` is this.
pub(super) fn wrong(field: &str, value: &Value) -> String {
    match value {
        Value::Null => format!("an object without a `{field}`"),
        value => format!("an object whose `{field}` is {}", kind(value)),
    }
}

/// A value that is looked at field by field.
#[derive(Clone, Copy)]
pub(super) struct ResponseShape<'a> {
    value: &'a Value,
}

impl<'a> ResponseShape<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        Self { value }
    }

    /// An issue or a pull request: users are null or objects with a login, labels objects or texts.
    ///
    /// What every server says has to be there, be it null: an issue without its body would erase the one that is known.
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

    /// A comment.
    pub(super) fn comment(self) -> Result<(), String> {
        self.needs("id", &Value::is_u64)?;
        self.written()
    }

    /// A repo: nobody guesses whether it is private.
    pub(super) fn repo(self) -> Result<(), String> {
        self.needs("full_name", &Value::is_string)?;
        self.needs("private", &Value::is_boolean)
    }

    /// What somebody wrote at some time.
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
        // Where an account or a label is gone there may be nothing.
        let wrong = |entry: &&Value| !entry.is_null() && !fits(entry);
        match self.value[field].as_array().into_iter().flatten().find(wrong) {
            None => Ok(()),
            Some(entry) => Err(format!("an object whose `{field}` has {} without a name in it", kind(entry))),
        }
    }
}

/// Whether a value is a time as RFC 3339 has it.
fn is_time(value: &Value) -> bool {
    let Some(text) = value.as_str().filter(|text| text.is_ascii()) else { return false };
    // An offset is as good as `Z`.
    let utc = match text.split_at_checked(19) {
        Some((date, rest)) => match rest.find(['+', '-']) {
            Some(at) if rest.len() == at + 6 => format!("{date}{}Z", &rest[..at]),
            _ => text.to_owned(),
        },
        None => return false,
    };
    humantime::parse_rfc3339(&utc).is_ok()
}
