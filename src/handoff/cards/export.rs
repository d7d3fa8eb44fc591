//! Cards → messages of OpenAI's and Anthropic's APIs.

use super::json::canonical;
use super::{Card, CardContent, ContentId, Role, ToolCall};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The API that messages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum MessageStyle {
    /// A list of messages, as OpenAI's chat completions and most other APIs take
    Openai,
    /// An object with `system` and `messages`, as Anthropic's API takes
    Anthropic,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Messages {
    /// The system prompt, where the API has it beside the messages: a text, or a list of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<Value>,
    pub messages: Vec<Value>,
}

pub fn messages(cards: &[(ContentId, Card)], style: MessageStyle) -> Messages {
    match style {
        MessageStyle::Openai => Messages { system: None, messages: cards.iter().map(open_ai).collect() },
        MessageStyle::Anthropic => anthropic(cards),
    }
}

/// Returns what a card says, as APIs have it: a text, or a list of parts.
fn spoken(content: &CardContent) -> Value {
    match content {
        CardContent::Text { text } => text.as_str().into(),
        CardContent::Json { value } => spoken_value(value),
        CardContent::FieldsSchema { fields } => {
            let lines = fields.iter().map(|field| format!("- {}: {}", field.name, field.description));
            lines.collect::<Vec<_>>().join("\n").into()
        }
        CardContent::File { path, uri, sha256 } => {
            let place = path.as_ref().or(uri.as_ref()).map_or("", String::as_str);
            format!("[file {place}, SHA-256 {sha256}]").into()
        }
        CardContent::ToolCall { .. } => "".into(),
        CardContent::ToolResult { status, result, error, .. } => match (result, error) {
            (Some(result), _) => spoken_value(result),
            (None, Some(error)) if error.code == "tool_error" => error.message.as_str().into(),
            (None, Some(error)) => canonical(&json!({"status": status, "error": error})).into(),
            (None, None) => "".into(),
        },
    }
}

fn spoken_value(value: &Value) -> Value {
    let is_part = |part: &Value| part.get("type").is_some_and(Value::is_string);
    match value {
        Value::String(_) => value.clone(),
        Value::Array(parts) if !parts.is_empty() && parts.iter().all(is_part) => value.clone(),
        value => canonical(value).into(),
    }
}

fn blocks(spoken: Value) -> Vec<Value> {
    match spoken {
        Value::Array(parts) => parts,
        text if text == "" => Vec::new(),
        text => vec![json!({"type": "text", "text": text})],
    }
}

fn calls(id: &ContentId, card: &Card) -> Vec<ToolCall> {
    match &card.content {
        CardContent::ToolCall { tool_name, arguments } => vec![ToolCall {
            id: card.tool_call_id.clone().unwrap_or_else(|| format!("call_{}", id.short())),
            tool_name: tool_name.clone(),
            arguments: arguments.clone(),
        }],
        _ => card.tool_calls.clone().unwrap_or_default(),
    }
}

/// Adds the fields that an import could not place, unless the message has them.
fn add_extra(message: &mut Value, extra: Option<&Value>) {
    let (Some(message), Some(extra)) = (message.as_object_mut(), extra.and_then(Value::as_object)) else { return };
    for (key, value) in extra {
        if !message.contains_key(key) {
            message.insert(key.clone(), value.clone());
        }
    }
}

fn call_extra<'c>(card: &'c Card, id: &str) -> Option<&'c Value> {
    card.metadata.get("extra")?.get("tool_calls")?.get(id)
}

fn message_extra(card: &Card) -> Option<Value> {
    let mut extra: Map<String, Value> = card.metadata.get("extra")?.as_object()?.clone();
    if card.tool_calls.is_some() {
        extra.remove("tool_calls");
    }
    Some(extra.into())
}

fn open_ai((id, card): &(ContentId, Card)) -> Value {
    let calls = calls(id, card);
    let role = match card.content {
        CardContent::ToolCall { .. } => Role::Assistant.name(),
        _ => card.metadata.get("message_role").and_then(Value::as_str).unwrap_or(card.role.name()),
    };
    let spoken = spoken(&card.content);
    let content = if spoken == "" && !calls.is_empty() { Value::Null } else { spoken };
    let mut message = json!({"role": role, "content": content});
    if !calls.is_empty() {
        let calls = calls.iter().map(|call| {
            let function = json!({"name": call.tool_name, "arguments": call.arguments_text()});
            let mut written = json!({"id": call.id, "type": "function", "function": function});
            add_extra(&mut written, call_extra(card, &call.id));
            written
        });
        message["tool_calls"] = calls.collect();
    }
    if let Some(id) = card.tool_call_id.as_ref().filter(|_| card.role == Role::Tool) {
        message["tool_call_id"] = id.as_str().into();
    }
    add_extra(&mut message, message_extra(card).as_ref());
    message
}

/// A message of Anthropic's API that further cards may be joined to.
struct OpenMessage {
    message: Value,
    /// `metadata.n` of its cards, if they are parts of one message.
    n: Option<Value>,
    /// Whether it holds results of tools only, so that the next result belongs to it.
    is_results: bool,
}

fn anthropic(cards: &[(ContentId, Card)]) -> Messages {
    let mut system: Vec<Value> = Vec::new();
    let mut messages: Vec<OpenMessage> = Vec::new();
    for (id, card) in cards {
        let spoken = spoken(&card.content);
        let is_call = matches!(card.content, CardContent::ToolCall { .. });
        let n = card.metadata.get("part").and(card.metadata.get("n")).cloned();
        // The API has no result without the id of its call.
        let is_result = card.role == Role::Tool && !is_call && card.tool_call_id.is_some();
        let is_assistant = card.role == Role::Assistant || is_call;
        match messages.last_mut() {
            _ if card.role == Role::System => system.push(spoken),
            Some(last) if is_result && last.is_results => {
                push_block(&mut last.message, result_block(card, spoken));
                last.n = n;
            }
            _ if is_result => {
                let mut message = json!({"role": "user", "content": [result_block(card, spoken)]});
                add_extra(&mut message, card.metadata.get("message_extra"));
                messages.push(OpenMessage { message, n, is_results: true });
            }
            Some(last) if !is_assistant && n.is_some() && last.n == n => {
                blocks(spoken).into_iter().for_each(|block| push_block(&mut last.message, block));
                last.is_results = false;
                add_extra(&mut last.message, message_extra(card).as_ref());
            }
            _ => {
                let role = if is_assistant { Role::Assistant } else { Role::User };
                let mut message = json!({"role": role.name(), "content": content_with_calls(id, card, spoken)});
                add_extra(&mut message, message_extra(card).as_ref());
                messages.push(OpenMessage { message, n: None, is_results: false });
            }
        }
    }
    let system = match system.len() {
        0 => None,
        1 => system.pop(),
        _ => Some(system.into_iter().flat_map(blocks).collect()),
    };
    Messages { system, messages: messages.into_iter().map(|open| open.message).collect() }
}

/// Returns the content of a message: a text, or blocks that end in the tool calls.
fn content_with_calls(id: &ContentId, card: &Card, spoken: Value) -> Value {
    let calls = calls(id, card);
    if calls.is_empty() {
        return spoken;
    }
    let calls = calls.iter().map(|call| {
        let input = call.arguments_value();
        let mut block = json!({"type": "tool_use", "id": call.id, "name": call.tool_name, "input": input});
        add_extra(&mut block, call_extra(card, &call.id));
        block
    });
    blocks(spoken).into_iter().chain(calls).collect()
}

fn result_block(card: &Card, spoken: Value) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": card.tool_call_id});
    if spoken != "" {
        block["content"] = spoken;
    }
    if matches!(&card.content, CardContent::ToolResult { error: Some(_), .. }) {
        block["is_error"] = true.into();
    }
    add_extra(&mut block, card.metadata.get("extra"));
    block
}

fn push_block(message: &mut Value, block: Value) {
    if let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) {
        blocks.push(block);
    }
}
