//! The expressions of workflow files, as far as the workflows of `init` use them.

use serde_json::{Value, json};

/// Whether the jobs or steps before have succeeded, for `success()` and the like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Status {
    pub(crate) success: bool,
}

/// Evaluates the expressions in a text: one that is the whole text gives its value, others become text.
pub(crate) fn filled(text: &str, contexts: &Value) -> Value {
    let status = Status { success: true };
    if let Some(inner) = text.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"))
        && !inner.contains("${{")
    {
        return evaluate(inner, contexts, status);
    }
    let mut out = String::new();
    for (at, piece) in text.split("${{").enumerate() {
        let (expression, rest) =
            if at == 0 { (None, piece) } else { piece.split_once("}}").map(|(a, b)| (Some(a), b)).unwrap() };
        out.push_str(&expression.map(|it| as_text(&evaluate(it, contexts, status))).unwrap_or_default());
        out.push_str(rest);
    }
    json!(out)
}

/// Returns whether a job or a step with this `if` is run.
pub(crate) fn holds(condition: Option<&str>, contexts: &Value, status: Status) -> bool {
    let text = condition.unwrap_or("success()").trim();
    let text = text.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(text);
    let asks = ["success()", "failure()", "cancelled()", "always()"].iter().any(|call| text.contains(call));
    (asks || status.success) && is_true(&evaluate(text, contexts, status))
}

/// Evaluates one expression.
pub(crate) fn evaluate(text: &str, contexts: &Value, status: Status) -> Value {
    let mut parser = Parser { rest: text, contexts, status };
    let value = parser.or();
    assert_eq!(parser.rest.trim(), "", "`{text}` is not understood");
    value
}

/// What a value becomes in a text.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && *value != json!("") && *value != json!(0)
}

struct Parser<'a> {
    rest: &'a str,
    contexts: &'a Value,
    status: Status,
}

impl Parser<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn or(&mut self) -> Value {
        let mut left = self.and();
        while self.takes("||") {
            let right = self.and();
            left = if is_true(&left) { left } else { right };
        }
        left
    }

    fn and(&mut self) -> Value {
        let mut left = self.equality();
        while self.takes("&&") {
            let right = self.equality();
            left = if is_true(&left) { right } else { left };
        }
        left
    }

    fn equality(&mut self) -> Value {
        let left = self.unary();
        if self.takes("==") {
            return json!(as_text(&left) == as_text(&self.unary()));
        }
        if self.takes("!=") {
            return json!(as_text(&left) != as_text(&self.unary()));
        }
        left
    }

    fn unary(&mut self) -> Value {
        if self.takes("!") {
            return json!(!is_true(&self.unary()));
        }
        if self.takes("(") {
            let value = self.or();
            assert!(self.takes(")"), "no `)` at `{}`", self.rest);
            return value;
        }
        if self.takes("'") {
            let (text, rest) = self.rest.split_once('\'').unwrap();
            self.rest = rest;
            return json!(text);
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        assert!(!name.is_empty(), "nothing is named at `{}`", self.rest);
        self.rest = rest;
        if self.takes("(") {
            return self.call(name);
        }
        let (context, fields) = name.split_once('.').unwrap_or((name, ""));
        let mut value = self.contexts.get(context).unwrap_or_else(|| panic!("there is no context `{context}` here"));
        for field in fields.split('.').filter(|field| !field.is_empty()) {
            value = value.get(field).unwrap_or(&Value::Null);
        }
        value.clone()
    }

    fn call(&mut self, name: &str) -> Value {
        let argument = if self.takes(")") {
            None
        } else {
            let value = self.or();
            assert!(self.takes(")"), "no `)` at `{}`", self.rest);
            Some(value)
        };
        match (name, argument) {
            ("fromJSON", Some(text)) => serde_json::from_str(&as_text(&text)).unwrap(),
            ("success", None) => json!(self.status.success),
            ("failure", None) => json!(!self.status.success),
            ("cancelled", None) => json!(false),
            ("always", None) => json!(true),
            (name, argument) => panic!("`{name}({argument:?})` is not known"),
        }
    }
}
