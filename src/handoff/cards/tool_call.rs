//! The call of a tool by an assistant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call of an assistant's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The id that the result of the call names.
    pub id: String,
    /// The tool.
    pub tool_name: String,
    /// Its arguments; a text if they are no JSON object, or hold floats.
    pub arguments: Value,
}

impl ToolCall {
    /// Returns the arguments as a JSON text, as OpenAI's API has them.
    pub fn arguments_text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            value => super::json::canonical(value),
        }
    }

    /// Returns the arguments as a JSON value, as Anthropic's API has them.
    pub fn arguments_value(&self) -> Value {
        match &self.arguments {
            Value::String(text) => match serde_json::from_str(text) {
                Ok(Value::Object(fields)) => Value::Object(fields),
                _ => self.arguments.clone(),
            },
            value => value.clone(),
        }
    }
}
