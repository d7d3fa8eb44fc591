//! Standard input and output as the protocol's transport.

use crate::console::without_secrets;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta as _, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::Value;
use std::borrow::Cow;
use std::io;
use std::pin::Pin;
use tokio::io::{AsyncBufReadExt as _, BufReader, Empty};

/// The longest message that is read, in bytes; arguments have a few hundred.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Standard input and output. What the protocol library says about messages of the client may quote them, and is redacted.
pub(super) struct Stdio {
    input: BufReader<StdioReader>,
    /// What was read of the next line, and whether more of it was left out.
    line: Vec<u8>,
    is_too_long: bool,
    answer: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
    output: AsyncRwTransport<RoleServer, Empty, StdioWriter>,
    has_begun: bool,
}

impl Stdio {
    pub(super) fn open() -> Self {
        let (input, output) = stdio_pipes();
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
            answer: None,
            output: AsyncRwTransport::new_server(tokio::io::empty(), output),
            has_begun: false,
        }
    }

    /// Reads the next line, which may lack its end at the end of the input; `None` there. Can be cancelled at any time.
    async fn next_line(&mut self) -> Option<(Vec<u8>, bool)> {
        loop {
            let bytes = self.input.fill_buf().await.ok()?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let room = LONGEST_MESSAGE.saturating_sub(self.line.len());
            self.is_too_long |= taken > room;
            self.line.extend_from_slice(&bytes[..taken.min(room)]);
            self.input.consume(taken);
            if taken == 0 && self.line.is_empty() {
                return None;
            }
            if taken == 0 || end.is_some() {
                return Some((std::mem::take(&mut self.line), std::mem::take(&mut self.is_too_long)));
            }
        }
    }
}

enum Incoming {
    Message(Box<ClientJsonRpcMessage>),
    Refused(Box<ServerJsonRpcMessage>),
    Nothing,
}

/// Reads a line.
///
/// The library would leave a line without an answer that is no JSON, and one that it does not understand without the id of its
/// request, so that the client waits for ever.
fn incoming(line: &[u8], is_too_long: bool) -> Incoming {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    let refused =
        |error: ErrorData, id: Option<RequestId>| Incoming::Refused(Box::new(ServerJsonRpcMessage::error(error, id)));
    if is_too_long {
        let message = format!("the message is longer than {LONGEST_MESSAGE} bytes");
        return refused(ErrorData::invalid_request(message, None), id_in(text));
    }
    let error = match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message) => return Incoming::Message(Box::new(message)),
        Err(error) => error,
    };
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
            let is = |name: &str| value.get(name).is_some();
            // Notifications and answers have no answer.
            if is("method") && !is("id") || is("result") || is("error") {
                return Incoming::Nothing;
            }
            refused(ErrorData::invalid_request(format!("this is no request that is known here: {error}"), None), id)
        }
        Err(error) if text.starts_with(['{', '[']) => {
            refused(ErrorData::parse_error(format!("the message is no JSON: {error}"), None), id_in(text))
        }
        Err(_) => Incoming::Nothing,
    }
}

/// Returns the id of a request that is no JSON, if it comes before any inner object.
fn id_in(text: &str) -> Option<RequestId> {
    let (_, value) = text.strip_prefix('{')?.split('{').next()?.split_once("\"id\"")?;
    let value = value.trim_start().strip_prefix(':')?;
    serde_json::Deserializer::from_str(value).into_iter().next()?.ok()
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(redacted(message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answer) = &mut self.answer {
                let sent = answer.await;
                self.answer = None;
                sent.ok()?;
            }
            let (line, is_too_long) = self.next_line().await?;
            let message = match incoming(&line, is_too_long) {
                Incoming::Message(message) => *message,
                Incoming::Refused(answer) => {
                    self.answer = Some(Box::pin(self.send(*answer)));
                    continue;
                }
                Incoming::Nothing => continue,
            };
            // The library ends if anything but a request comes before a session has begun.
            self.has_begun |= begins_session(&message);
            if self.has_begun || matches!(message, JsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await
    }
}

/// Returns whether a message begins a session: the handshake, or a request that names its version of the protocol. Questions
/// about the server come before it.
fn begins_session(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}

/// Removes secrets from the texts of an error. All else that is sent is made of redacted texts.
fn redacted(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    match message {
        JsonRpcMessage::Error(mut error) => {
            error.error.message = Cow::Owned(without_secrets(&error.error.message));
            error.error.data = error.error.data.take().map(redacted_value);
            JsonRpcMessage::Error(error)
        }
        other => other,
    }
}

fn redacted_value(value: Value) -> Value {
    match value {
        Value::String(text) => without_secrets(&text).into(),
        Value::Array(values) => values.into_iter().map(redacted_value).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (without_secrets(&name), redacted_value(value))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answer to a line: its id and code, `None` without an answer; a message is answered elsewhere.
    fn answer(line: &str) -> Option<(Value, i64)> {
        let Incoming::Refused(answer) = incoming(line.as_bytes(), false) else { return None };
        let answer = serde_json::to_value(*answer).unwrap_or_default();
        Some((answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or_default()))
    }

    #[test]
    fn every_request_that_cannot_be_understood_is_answered_with_its_id() {
        for (line, id, code) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#, Value::from(1), -32600),
            (r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":"\q"}}"#, "a".into(), -32700),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"#, 7.into(), -32700),
            (r#"{"jsonrpc":"2.0","method":"tools/call","params":{"id":1"#, Value::Null, -32700),
            ("[1", Value::Null, -32700),
            ("7", Value::Null, -32600),
        ] {
            assert_eq!(answer(line), Some((id, code)), "{line}");
        }
        for line in ["", "noise", r#"{"jsonrpc":"2.0","method":3}"#, r#"{"jsonrpc":"2.0","id":1,"result":3}"#] {
            assert_eq!(answer(line), None, "{line}");
        }
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"q":"x"}}}"#;
        assert!(matches!(incoming(call.as_bytes(), false), Incoming::Message(_)));
        assert!(matches!(incoming(&[call.as_bytes(), b"\n"].concat(), true), Incoming::Refused(_)));
    }
}
