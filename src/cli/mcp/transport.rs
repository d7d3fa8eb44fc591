//! Standard input and output as the protocol's transport.

use crate::cli::workspace::without_secrets;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// The longest message that is read, in bytes; arguments have a few hundred.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Standard input and output. What the protocol library says about messages of the client may quote them, and is redacted.
pub(super) struct Stdio {
    inner: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    /// Whether a session has begun.
    has_begun: bool,
}

impl Stdio {
    /// Opens standard input and output. Needs a runtime.
    pub(super) fn open() -> Self {
        let (input, output) = stdio_pipes();
        let inner = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
        Self { inner, has_begun: false }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(redacted(message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            // The library ends if anything but a request comes before a session has begun.
            self.has_begun |= begins_session(&message);
            if matches!(message, JsonRpcMessage::Request(_)) {
                return Some(message);
            }
            if self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
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
