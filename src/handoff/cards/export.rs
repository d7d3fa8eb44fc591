//! Cards → messages of OpenAI's and Anthropic's APIs.

use super::json::canonical;
use super::{Card, CardContent, ContentId, Role, ToolCall};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The API that messages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageStyle {
    /// OpenAI's chat completions, which most other APIs take too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Messages for the API of a model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Messages {
    /// The system prompt, where the API has it beside the messages: a text, or a list of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<Value>,
    /// The messages, in order.
    pub messages: Vec<Value>,
}

/// Returns the messages that give these cards to a model.
pub fn messages(cards: &[(ContentId, Card)], style: MessageStyle) -> Messages {
    match style {
        MessageStyle::OpenAi => Messages { system: None, messages: cards.iter().map(open_ai).collect() },
        MessageStyle::Anthropic => anthropic(cards),
    }
}

/// What a card says, as APIs have it: a text, or a list of parts.
enum Spoken {
    Text(String),
    Parts(Vec<Value>),
}

impl Spoken {
    fn of(content: &CardContent) -> Self {
        match content {
            CardContent::Text { text } => Self::Text(text.clone()),
            CardContent::Json { value } => Self::of_value(value),
            CardContent::FieldsSchema { fields } => {
                let lines = fields.iter().map(|field| format!("- {}: {}", field.name, field.description));
                Self::Text(lines.collect::<Vec<_>>().join("\n"))
            }
            CardContent::File { path, uri, sha256 } => {
                let place = path.as_ref().or(uri.as_ref()).map_or("", String::as_str);
                Self::Text(format!("[file {place}, SHA-256 {sha256}]"))
            }
            CardContent::ToolCall { .. } => Self::Text(String::new()),
            CardContent::ToolResult { status, result, error, .. } => match (result, error) {
                (Some(result), _) => Self::of_value(result),
                (None, Some(error)) if error.code == "tool_error" => Self::Text(error.message.clone()),
                (None, Some(error)) => Self::Text(canonical(
                    &json!({"status": status, "error": {"code": error.code, "message": error.message}}),
                )),
                (None, None) => Self::Text(String::new()),
            },
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(parts)
                if !parts.is_empty() && parts.iter().all(|part| part.get("type").is_some_and(Value::is_string)) =>
            {
                Self::Parts(parts.clone())
            }
            value => Self::Text(canonical(value)),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Parts(parts) => parts.into(),
        }
    }

    fn blocks(self) -> Vec<Value> {
        match self {
            Self::Text(text) if text.is_empty() => Vec::new(),
            Self::Text(text) => vec![json!({"type": "text", "text": text})],
            Self::Parts(parts) => parts,
        }
    }
}

/// Returns the calls of a card: those of a message, or the one that the card is.
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

/// Returns the unknown fields of one tool call.
fn call_extra<'c>(card: &'c Card, id: &str) -> Option<&'c Value> {
    card.metadata.get("extra")?.get("tool_calls")?.get(id)
}

/// Returns the unknown fields of a message.
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
    let content = match Spoken::of(&card.content) {
        Spoken::Text(text) if text.is_empty() && !calls.is_empty() => Value::Null,
        spoken => spoken.value(),
    };
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
    let mut system: Vec<Spoken> = Vec::new();
    let mut messages: Vec<OpenMessage> = Vec::new();
    for (id, card) in cards {
        let spoken = Spoken::of(&card.content);
        let is_call = matches!(card.content, CardContent::ToolCall { .. });
        match card.role {
            Role::System => {
                system.push(spoken);
                continue;
            }
            // The API has no result without the id of its call.
            Role::Tool if !is_call && card.tool_call_id.is_some() => {
                let block = result_block(card, spoken);
                let n = card.metadata.get("part").and(card.metadata.get("n")).cloned();
                match messages.last_mut() {
                    Some(last) if last.is_results => push_block(&mut last.message, block),
                    _ => {
                        let mut message = json!({"role": "user", "content": [block]});
                        add_extra(&mut message, card.metadata.get("message_extra"));
                        messages.push(OpenMessage { message, n: n.clone(), is_results: true });
                    }
                }
                if let Some(last) = messages.last_mut() {
                    last.n = n;
                }
                continue;
            }
            _ => {}
        }
        let calls = calls(id, card);
        let is_assistant = card.role == Role::Assistant || is_call;
        let n = card.metadata.get("part").and(card.metadata.get("n"));
        if let Some(last) = messages.last_mut()
            && !is_assistant
            && n.is_some()
            && last.n.as_ref() == n
        {
            spoken.blocks().into_iter().for_each(|block| push_block(&mut last.message, block));
            last.is_results = false;
            add_extra(&mut last.message, message_extra(card).as_ref());
            continue;
        }
        let content = if calls.is_empty() {
            spoken.value()
        } else {
            let mut blocks = spoken.blocks();
            blocks.extend(calls.iter().map(|call| {
                let mut block = json!({
                    "type": "tool_use",
                    "id": call.id,
                    "name": call.tool_name,
                    "input": call.arguments_value(),
                });
                add_extra(&mut block, call_extra(card, &call.id));
                block
            }));
            blocks.into()
        };
        let role = if is_assistant { Role::Assistant } else { Role::User };
        let mut message = json!({"role": role.name(), "content": content});
        add_extra(&mut message, message_extra(card).as_ref());
        messages.push(OpenMessage { message, n: None, is_results: false });
    }
    let mut system = system.into_iter();
    let system = match (system.next(), system.next()) {
        (None, _) => None,
        (Some(only), None) => Some(only.value()),
        (Some(first), Some(second)) => {
            Some([first, second].into_iter().chain(system).flat_map(Spoken::blocks).collect())
        }
    };
    Messages { system, messages: messages.into_iter().map(|open| open.message).collect() }
}

fn result_block(card: &Card, spoken: Spoken) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": card.tool_call_id});
    match spoken {
        Spoken::Text(text) if text.is_empty() => {}
        spoken => block["content"] = spoken.value(),
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
