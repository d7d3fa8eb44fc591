//! The card: one message or fact, which never changes.

use super::json::{canonical, inexact_number, present};
use super::{CardError, is_hex};
use crate::model::{RepoPath, is_card_type, named_enum};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub const CARD_VERSION: &str = "card/v1";

/// A card: one message or fact. Its file is its RFC 8785 form, named by its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub schema_version: String,
    /// What it is: a type of the table in docs/handover.md, or another name with a dot, such as `review.finding`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who says it, as a model sees it.
    pub role: Role,
    /// Who wrote it: packs name it, messages do not.
    pub author_id: String,
    pub content: CardContent,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub tool_calls: Option<Vec<ToolCall>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub tool_call_id: Option<String>,
    /// The time from which it is not read any more: RFC 3339 in UTC, whole seconds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub expires_at: Option<String>,
    pub metadata: Map<String, Value>,
}

named_enum! {
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Role {
        /// Instructions that come before the conversation
        System = "system",
        /// The user
        User = "user",
        /// The model
        Assistant = "assistant",
        /// A tool that the model called
        Tool = "tool",
    }
}

impl Role {
    /// Returns the default role of cards of a type; `None` if the type has none.
    pub fn of_type(kind: &str) -> Option<Self> {
        match kind {
            "task.instruction" => Some(Self::User),
            "agent.thought" | "tool.call" | "task.deliverable" => Some(Self::Assistant),
            "tool.result" => Some(Self::Tool),
            "sys.profile" | "sys.rendered_prompt" | "sys.tools" => Some(Self::System),
            "meta.parent_pointer" | "task.result_fields" => Some(Self::System),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CardContent {
    Text {
        text: String,
    },
    /// Any JSON without integers that are not exact.
    Json {
        value: Value,
    },
    FieldsSchema {
        fields: Vec<FieldDescription>,
    },
    /// A pointer to a file, whose bytes are not read.
    File {
        /// The path from the repo's root; either it or `uri` is given.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        path: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        uri: Option<String>,
        sha256: String,
    },
    ToolCall {
        tool_name: String,
        arguments: Value,
    },
    ToolResult {
        /// `success`, or another word with an `error`.
        status: String,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        result: Option<Value>,
        /// Why it did not succeed; given exactly if the status is not `success`.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        error: Option<ToolError>,
        /// What the agent does next, such as `suspend`.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        after_execution: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldDescription {
    pub name: String,
    pub description: String,
    /// What else its author says of it, such as its type.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolError {
    pub code: String,
    pub message: String,
}

impl ToolError {
    /// Redacts the error. Its code may be what makes the message a secret: `DB_PASSWORD`.
    pub fn redact(&mut self, redact: &dyn Fn(&str) -> String) {
        let pair = redact(&format!("{}: {}", self.code, self.message));
        let message = pair.strip_prefix(&format!("{}: ", self.code)).unwrap_or(&self.message);
        self.message = redact(message);
        self.code = redact(&self.code);
    }
}

impl Card {
    /// Fills in what a card's author may leave out: the version, the role of its type, the role as the author, and empty
    /// metadata.
    pub fn with_defaults(fields: &mut Map<String, Value>) {
        let role = fields.get("type").and_then(Value::as_str).and_then(Role::of_type);
        if let Some(role) = role {
            fields.entry("role").or_insert_with(|| role.name().into());
        }
        if let Some(role) = fields.get("role").and_then(Value::as_str).map(str::to_owned) {
            fields.entry("author_id").or_insert_with(|| role.into());
        }
        fields.entry("schema_version").or_insert_with(|| CARD_VERSION.into());
        fields.entry("metadata").or_insert_with(|| Map::new().into());
    }

    pub fn from_value(mut value: Value) -> Result<Self, CardError> {
        if let Some(path) = inexact_number(&mut value, "") {
            return Err(CardError::bad(format!(
                "`{path}` is an integer beyond 2^53 that not every reader holds exactly: write it as a text"
            )));
        }
        let Some(fields) = value.as_object() else { return Err(CardError::bad("a card is a JSON object")) };
        match fields.get("schema_version").and_then(Value::as_str) {
            Some(CARD_VERSION) => {}
            _ => return Err(CardError::bad(format!("`schema_version` is not `{CARD_VERSION}`"))),
        }
        if let Some(kind) = fields.get("type").and_then(Value::as_str) {
            check_type(kind)?;
            if !fields.contains_key("role") {
                return Err(CardError::bad(format!(
                    "`role` is missing: the type `{kind}` has no default; give `system`, `user`, `assistant` or `tool`"
                )));
            }
        }
        let has_kind = |content: &Value| content.get("kind").is_some_and(Value::is_string);
        if fields.get("content").is_some_and(|content| !has_kind(content)) {
            return Err(CardError::bad(
                "`content` is no object with a `kind`: write `{\"kind\": \"text\", \"text\": …}`, or another kind of `contextpack schema card`",
            ));
        }
        let card: Self =
            serde_json::from_value(value).map_err(|error| CardError::bad(format!("not a card: {error}")))?;
        card.check()?;
        Ok(card)
    }

    fn check(&self) -> Result<(), CardError> {
        if self.author_id.is_empty() {
            return Err(CardError::bad("`author_id` is empty"));
        }
        if self.tool_calls.as_ref().is_some_and(Vec::is_empty) {
            return Err(CardError::bad("`tool_calls` is empty: leave it out"));
        }
        if let Some(expires_at) = &self.expires_at
            && !is_time(expires_at)
        {
            return Err(CardError::bad(format!(
                "`expires_at` is no time such as `2026-02-22T01:20:00Z`: `{expires_at}`"
            )));
        }
        if self.kind == "task.result_fields" && !matches!(self.content, CardContent::FieldsSchema { .. }) {
            return Err(CardError::bad(
                "the content of `task.result_fields` is a `fields_schema`: a list of {name, description}",
            ));
        }
        self.content.check()
    }

    /// Checks that the metadata of a new card does not contradict it, as in exports of other programs.
    pub fn check_metadata(&self) -> Result<(), CardError> {
        let differs = |(name, own): &(&str, &str)| self.metadata.get(*name).is_some_and(|it| it != own);
        let found = [("role", self.role.name()), ("type", &*self.kind)].into_iter().find(differs);
        found.map_or(Ok(()), |(name, own)| {
            Err(CardError::bad(format!(
                "`metadata.{name}` is not `{own}`, the card's own `{name}`: make both the same"
            )))
        })
    }

    /// Returns whether the card is not read any more at `now`, which is RFC 3339 in UTC.
    pub fn is_expired(&self, now: &str) -> bool {
        self.expires_at.as_deref().is_some_and(|expires_at| expires_at <= now)
    }
}

impl CardContent {
    fn check(&self) -> Result<(), CardError> {
        let problem = match self {
            Self::File { path: None, uri: None, .. } | Self::File { path: Some(_), uri: Some(_), .. } => {
                "a `file` has either a `path` or a `uri`"
            }
            Self::File { sha256, .. } if !is_hex(sha256, 64..=64) => "`sha256` of a `file` is 64 lower-case hex digits",
            Self::File { path: Some(path), .. }
                if RepoPath::new(path).map_or(true, |inside| inside.as_str() != path || path.is_empty()) =>
            {
                "`path` of a `file` is a path from the repo's root, with `/` and without `.` and `..`"
            }
            Self::FieldsSchema { fields } if fields.iter().any(|field| field.name.trim().is_empty()) => {
                "the `name` of a field is empty"
            }
            Self::ToolCall { tool_name, .. } if tool_name.is_empty() => "`tool_name` is empty",
            Self::ToolResult { status, .. } if status.is_empty() => "`status` of a `tool_result` is empty",
            Self::ToolResult { status, error: None, .. } if status != "success" => {
                "a `tool_result` whose status is not `success` has an `error` with `code` and `message`"
            }
            Self::ToolResult { status, error: Some(_), .. } if status == "success" => {
                "a `tool_result` whose status is `success` has no `error`"
            }
            _ => return Ok(()),
        };
        Err(CardError::bad(problem))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The id that the result of the call names.
    pub id: String,
    pub tool_name: String,
    /// Its arguments; a text if they are no JSON object, or hold inexact integers.
    pub arguments: Value,
}

impl ToolCall {
    /// Returns the arguments as a JSON text, as OpenAI's API has them.
    pub fn arguments_text(&self) -> String {
        self.arguments.as_str().map_or_else(|| canonical(&self.arguments), str::to_owned)
    }

    /// Returns the arguments as a JSON object, as Anthropic's API has them.
    pub fn arguments_value(&self) -> Value {
        let in_text = self.arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
        let object = in_text.or_else(|| Some(self.arguments.clone())).filter(Value::is_object);
        object.unwrap_or_else(|| Value::from_iter([("arguments", self.arguments.clone())]))
    }
}

fn check_type(kind: &str) -> Result<(), CardError> {
    if is_card_type(kind) {
        return Ok(());
    }
    Err(CardError::bad(format!(
        "`{kind}` is no type of a card: types have a dot, such as `task.instruction`, and are made of a-z, 0-9, `_` and `-`"
    )))
}

/// Returns whether a text is a time in the one spelling that compares as texts do.
fn is_time(text: &str) -> bool {
    text.len() == 20
        && humantime::parse_rfc3339(text).is_ok_and(|time| humantime::format_rfc3339_seconds(time).to_string() == text)
}
