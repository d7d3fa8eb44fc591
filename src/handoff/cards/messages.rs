//! Messages of OpenAI's and Anthropic's APIs → cards, before they are scrubbed, and back.
//!
//! Both styles are read by the same rules, since their fields do not contradict each other: tool calls are `tool_calls` of a
//! message or blocks `tool_use`, tool results are messages of the role `tool` or blocks `tool_result`, and the system prompt
//! is a message or the field `system` beside `messages`.

use super::json::{canonical, inexact_number};
use super::{Card, CardContent, CardError, ContentId, Role, ToolCall};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Reads a list of messages, or a request with `messages` and perhaps `system`, and returns the cards as JSON: what else the
/// request says, its `tools` first, then the messages.
pub fn import(value: Value) -> Result<Vec<Value>, CardError> {
    let mut request = match value {
        Value::Object(request) => request,
        list => Map::from_iter([("messages".to_owned(), list)]),
    };
    let Some(Value::Array(list)) = request.remove("messages") else {
        return Err(CardError::bad("messages are a JSON list, or an object with the list `messages`"));
    };
    let system = take(&mut request, "system").map(|system| json!({"role": "system", "content": system}));
    let messages = system.into_iter().chain(list);
    let of_request = |kind: &str, value: Value| {
        let metadata = Map::from_iter([(REQUEST.to_owned(), true.into())]);
        card(kind, Role::System, json!({"kind": "json", "value": value}), None, metadata)
    };
    let tools = take(&mut request, "tools").map(|tools| of_request("sys.tools", json!({"tools": tools})));
    let mut cards: Vec<Value> = tools.into_iter().collect();
    if !request.is_empty() {
        cards.push(of_request("sys.profile", json!({"llm_config": request})));
    }
    // The calls by their ids, each with whether it has its result.
    let mut calls: BTreeMap<String, bool> = BTreeMap::new();
    for (n, message) in messages.enumerate() {
        let at = |error: String| CardError::bad(format!("message {n}: {error}"));
        let read = Message::read(message, n).map_err(at)?;
        for id in read.results.iter().map(|(id, _, _)| id).chain(&read.tool_call_id) {
            if calls.insert(id.clone(), true) != Some(false) {
                let why = "which no message before it calls, or which has one";
                return Err(at(format!("it is the result of `{id}`, {why}")));
            }
        }
        for id in read.calls.iter().filter_map(|call| call["id"].as_str()) {
            if id.is_empty() || calls.insert(id.to_owned(), false).is_some() {
                return Err(at(format!("the id `{id}` of a tool call is empty, or that of a call before it")));
            }
        }
        cards.extend(read.cards(n));
    }
    if cards.is_empty() { Err(CardError::bad("there is no message in the list")) } else { Ok(cards) }
}

/// What marks a card with what a request says beside its messages.
const REQUEST: &str = "request";

/// Returns whether a card holds what a request says beside its messages, so that it is none itself.
pub fn is_of_request(card: &Card) -> bool {
    ["sys.tools", "sys.profile"].contains(&&*card.kind) && card.metadata.get(REQUEST) == Some(&Value::Bool(true))
}

struct Message {
    role: Role,
    /// The role as written, if it is another name of `role`.
    written_role: Option<String>,
    /// The text, or the list of parts that are no tool calls or results; `None` if there is no content.
    content: Option<Value>,
    calls: Vec<Value>,
    /// The results of tools: the id of the call, the content of the card, and unknown fields.
    results: Vec<(String, Value, Map<String, Value>)>,
    tool_call_id: Option<String>,
    extra: Map<String, Value>,
    /// Unknown fields of tool calls, by the calls' ids.
    call_extra: Map<String, Value>,
}

impl Message {
    fn read(message: Value, n: usize) -> Result<Self, String> {
        let Value::Object(mut fields) = message else { return Err("it is no JSON object".to_owned()) };
        let role = take_text(&mut fields, "role")?.ok_or("`role` is missing")?;
        let known = match role.as_str() {
            "system" | "developer" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" | "function" => Role::Tool,
            _ => {
                let roles = "roles are `system`, `developer`, `user`, `assistant` and `tool`";
                return Err(format!("`{role}` is no role: {roles}"));
            }
        };
        let mut read = Self {
            role: known,
            written_role: (role != known.name()).then_some(role),
            content: None,
            calls: Vec::new(),
            results: Vec::new(),
            tool_call_id: None,
            extra: Map::new(),
            call_extra: Map::new(),
        };
        match take(&mut fields, "tool_calls") {
            None => {}
            Some(Value::Array(calls)) => calls.into_iter().try_for_each(|call| read.call(call, n))?,
            Some(_) => return Err("`tool_calls` is no list".to_owned()),
        }
        read.tool_call_id = take_text(&mut fields, "tool_call_id")?;
        match take(&mut fields, "content") {
            Some(Value::Array(parts)) => read.parts(parts)?,
            Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                return Err("`content` is neither a text nor a list of parts".to_owned());
            }
            text => read.content = text,
        }
        read.extra = fields;
        if !read.calls.is_empty() && read.role != Role::Assistant {
            return Err("only an assistant calls tools".to_owned());
        }
        let is_tool = read.role == Role::Tool && read.written_role.is_none();
        if is_tool && read.tool_call_id.is_none() && read.results.is_empty() {
            return Err("the result of a tool has no `tool_call_id`".to_owned());
        }
        if !read.results.is_empty() && !matches!(read.role, Role::User | Role::Tool) {
            return Err("only a user's message has results of tools".to_owned());
        }
        Ok(read)
    }

    fn call(&mut self, call: Value, n: usize) -> Result<(), String> {
        let Value::Object(mut fields) = call else { return Err("a tool call is no JSON object".to_owned()) };
        match fields.remove("type") {
            None => {}
            Some(Value::String(kind)) if kind == "function" => {}
            Some(kind) => return Err(format!("a tool call of type {kind} cannot be read, only `function`")),
        }
        let Some(Value::Object(mut function)) = fields.remove("function") else {
            return Err("a tool call has no `function`".to_owned());
        };
        let Some(Value::String(name)) = function.remove("name") else {
            return Err("a tool call's `function` has no `name`".to_owned());
        };
        let arguments = function.remove("arguments").unwrap_or_else(|| Value::from(""));
        if !function.is_empty() {
            fields.insert("function".to_owned(), function.into());
        }
        let id = take_text(&mut fields, "id").map_err(|why| format!("a tool call's {why}"))?;
        self.add_call(id.unwrap_or_else(|| format!("call_{n}_{}", self.calls.len())), &name, arguments, fields);
        Ok(())
    }

    fn add_call(&mut self, id: String, name: &str, arguments: Value, extra: Map<String, Value>) {
        if !extra.is_empty() {
            self.call_extra.insert(id.clone(), extra.into());
        }
        self.calls.push(json!({"id": id, "tool_name": name, "arguments": arguments_of(arguments)}));
    }

    /// Reads a list of parts, in which Anthropic's API has tool calls and results too.
    fn parts(&mut self, parts: Vec<Value>) -> Result<(), String> {
        let mut others = Vec::new();
        let had_parts = !parts.is_empty();
        for part in parts {
            let Value::Object(mut fields) = part else {
                return Err("a part of `content` is no JSON object".to_owned());
            };
            match fields.get("type").and_then(Value::as_str) {
                Some("tool_use") => {
                    fields.remove("type");
                    let named = take_text(&mut fields, "id")?.zip(take_text(&mut fields, "name")?);
                    let (id, name) = named.ok_or("a `tool_use` has `id` and `name`")?;
                    let input = fields.remove("input").unwrap_or_else(|| json!({}));
                    self.add_call(id, &name, input, fields);
                }
                Some("tool_result") => {
                    fields.remove("type");
                    let tool_call_id = take_text(&mut fields, "tool_use_id")?;
                    let tool_call_id = tool_call_id.ok_or("a `tool_result` has no `tool_use_id`")?;
                    let is_error = fields.remove("is_error") == Some(Value::Bool(true));
                    let content = tool_result(fields.remove("content").unwrap_or(Value::Null), is_error);
                    self.results.push((tool_call_id, content, fields));
                }
                Some(_) => others.push(Value::Object(fields)),
                None => return Err("a part of `content` has no `type`".to_owned()),
            }
        }
        // A single text beside tool calls is what other APIs have as the text of the message.
        let calls = !self.calls.is_empty() || !self.results.is_empty();
        self.content = match &others[..] {
            [] if calls || !had_parts => None,
            [Value::Object(only)] if calls && only.len() == 2 && only.get("type") == Some(&json!("text")) => {
                only.get("text").filter(|text| text.is_string()).cloned()
            }
            _ => Some(Value::Array(others)),
        };
        Ok(())
    }

    /// Returns the cards of the message: one, or one for each result of a tool and one for what is next to them.
    fn cards(self, n: usize) -> Vec<Value> {
        let mut cards = Vec::new();
        let parts = self.results.len() + usize::from(self.content.is_some() || self.results.is_empty());
        let metadata = |mut extra: Map<String, Value>, part: usize| {
            let mut metadata = Map::new();
            metadata.insert("n".to_owned(), n.into());
            if parts > 1 {
                metadata.insert("part".to_owned(), part.into());
            }
            extra.retain(|_, value| !value.is_null());
            if !extra.is_empty() {
                metadata.insert("extra".to_owned(), extra.into());
            }
            metadata
        };
        for (part, (call, content, extra)) in self.results.into_iter().enumerate() {
            cards.push(card("tool.result", Role::Tool, content, Some(call), metadata(extra, part)));
        }
        if parts > cards.len() {
            let kind = match self.role {
                Role::System => "sys.rendered_prompt",
                Role::User => "task.instruction",
                Role::Assistant => "agent.thought",
                Role::Tool => "tool.result",
            };
            let content = match (self.role, self.content) {
                (Role::Tool, content) => tool_result(content.unwrap_or(Value::Null), false),
                (_, Some(Value::String(text))) => json!({"kind": "text", "text": text}),
                (_, Some(parts)) => json!({"kind": "json", "value": parts}),
                (_, None) => json!({"kind": "text", "text": ""}),
            };
            let mut extra = self.extra;
            if !self.call_extra.is_empty() {
                extra.insert("tool_calls".to_owned(), self.call_extra.into());
            }
            let mut metadata = metadata(extra, cards.len());
            if let Some(role) = self.written_role {
                metadata.insert("message_role".to_owned(), role.into());
            }
            let mut card = card(kind, self.role, content, self.tool_call_id, metadata);
            if !self.calls.is_empty() {
                card["tool_calls"] = self.calls.into();
            }
            cards.push(card);
        } else if !self.extra.is_empty() {
            // The fields of the whole message stay with its first result.
            let first = &mut cards[0]["metadata"];
            first["message_extra"] = self.extra.into();
        }
        cards
    }
}

fn card(kind: &str, role: Role, content: Value, tool_call_id: Option<String>, metadata: Map<String, Value>) -> Value {
    let mut card = json!({"type": kind, "role": role.name(), "content": content, "metadata": metadata});
    if let Some(id) = tool_call_id {
        card["tool_call_id"] = id.into();
    }
    card
}

/// Returns the arguments of a call as a JSON object; as a text if they are none, or hold inexact integers.
fn arguments_of(arguments: Value) -> Value {
    let exact = |value: &Value| inexact_number(&mut value.clone(), "").is_none();
    match arguments {
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(value) if value.is_object() && exact(&value) => value,
            _ => text.into(),
        },
        value if exact(&value) => value,
        value => value.to_string().into(),
    }
}

fn tool_result(output: Value, is_error: bool) -> Value {
    let mut content = json!({"kind": "tool_result", "status": if is_error { "failed" } else { "success" }});
    if is_error {
        let texts = output.as_array().into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
        let message = output.as_str().map_or_else(|| texts.collect::<Vec<_>>().join("\n"), str::to_owned);
        content["error"] = json!({"code": "tool_error", "message": message});
    }
    let is_message = is_error && output.is_string();
    if !is_message && !output.is_null() {
        content["result"] = output;
    }
    content
}

/// Takes the value of a field that may be absent or null.
fn take(fields: &mut Map<String, Value>, name: &str) -> Option<Value> {
    fields.remove(name).filter(|value| !value.is_null())
}

fn take_text(fields: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match take(fields, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is no text")),
    }
}

/// The API that messages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum MessageStyle {
    /// A list of messages, as OpenAI's chat completions and most other APIs take
    Openai,
    /// An object with `system` and `messages`, as Anthropic's API takes
    Anthropic,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Messages {
    /// The system prompt, where the API has it beside the messages: a text, or a list of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<Value>,
    pub messages: Vec<Value>,
    /// The parts and fields that only another API knows, which are left out.
    #[serde(skip)]
    pub left_out: BTreeSet<String>,
}

pub fn messages(cards: &[(ContentId, Card)], style: MessageStyle) -> Messages {
    let mut all = match style {
        MessageStyle::Openai => Messages { messages: cards.iter().map(open_ai).collect(), ..Messages::default() },
        MessageStyle::Anthropic => anthropic(cards),
    };
    let Messages { system, messages, left_out } = &mut all;
    messages.iter_mut().for_each(|message| leave_out(message, style, left_out));
    system.iter_mut().for_each(|system| leave_out(system, style, left_out));
    all
}

/// Leaves out of a message, and of what it holds, what only another API knows.
fn leave_out(value: &mut Value, style: MessageStyle, left_out: &mut BTreeSet<String>) {
    let of_open_ai = ["image_url", "input_audio", "file", "refusal"];
    let kind = value["type"].as_str().map(str::to_owned);
    let mut keeps = |name: &str, is_field: bool| {
        let is_known = match (style, kind.as_deref()) {
            (MessageStyle::Openai, _) if is_field => !["cache_control", "caller", "citations"].contains(&name),
            (MessageStyle::Openai, _) => ["text", "function"].contains(&name) || of_open_ai.contains(&name),
            (MessageStyle::Anthropic, _) if !is_field => !of_open_ai.contains(&name),
            // Messages, calls and results may have further fields of OpenAI's API.
            (_, None) => ["role", "content"].contains(&name),
            (_, Some("tool_use")) => ["type", "id", "name", "input", "cache_control", "caller"].contains(&name),
            (_, Some("tool_result")) => ["type", "tool_use_id", "content", "is_error", "cache_control"].contains(&name),
            _ => true,
        };
        left_out.extend((!is_known).then(|| name.to_owned()));
        is_known
    };
    if let Some(parts) = value.as_array_mut().filter(|parts| !parts.is_empty()) {
        parts.retain(|part| keeps(part["type"].as_str().unwrap_or_default(), false));
        parts.iter_mut().for_each(|part| leave_out(part, style, left_out));
        if parts.is_empty() {
            *value = "[left out]".into();
        }
    } else if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| keeps(name, true));
        let inner = fields.iter_mut().filter(|(name, _)| ["content", "tool_calls"].contains(&name.as_str()));
        inner.for_each(|(_, inner)| leave_out(inner, style, left_out));
    }
}

/// Returns what a card says, as APIs have it: a text, or a list of parts.
fn spoken(content: &CardContent) -> Value {
    match content {
        CardContent::Text { text } => text.as_str().into(),
        CardContent::Json { value } => spoken_value(value),
        CardContent::FieldsSchema { fields } => {
            let more = |more: &Map<String, Value>| match more.is_empty() {
                true => String::new(),
                false => format!(" {}", canonical(&more.clone().into())),
            };
            let lines = fields.iter();
            let lines = lines.map(|field| format!("- {}: {}{}", field.name, field.description, more(&field.more)));
            lines.collect::<Vec<_>>().join("\n").into()
        }
        CardContent::File { path, uri, sha256 } => {
            let place = path.as_ref().or(uri.as_ref()).map_or("", String::as_str);
            format!("[file {place}, SHA-256 {sha256}]").into()
        }
        CardContent::ToolCall { .. } => "".into(),
        CardContent::ToolResult { status, result, error, .. } => match (result, error) {
            // What an import read as an error has its message in its parts.
            (Some(result), Some(error)) if error.code != "tool_error" || !result.is_array() => {
                canonical(&json!({"status": status, "error": error, "result": result})).into()
            }
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
        _ => match card.metadata.get("message_role").and_then(Value::as_str) {
            Some(role) => role,
            // The API has no result without the id of its call.
            None if card.role == Role::Tool && card.tool_call_id.is_none() => Role::User.name(),
            None => card.role.name(),
        },
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
    Messages { system, messages: messages.into_iter().map(|open| open.message).collect(), ..Messages::default() }
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
