//! A client of `mcp`, for the tests that ask it.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The longest wait for a message.
const LONGEST: Duration = Duration::from_secs(60);

/// A client of the server, which ends with it.
pub(crate) struct Client {
    child: Child,
    pub(crate) input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came before the one that was waited for.
    before: Vec<Value>,
    pub(crate) last: u64,
    /// What every request says about itself: nothing after a handshake.
    meta: Option<Value>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Client {
    /// A client that has sent nothing.
    pub(crate) fn silent(sandbox: &Sandbox) -> Self {
        Self::started(sandbox, &["mcp"])
    }

    fn started(sandbox: &Sandbox, words: &[&str]) -> Self {
        let mut command = sandbox.command(words);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                // Whatever is no message ends the test.
                let message = serde_json::from_str(&line.unwrap()).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, messages, before: Vec::new(), last: 0, meta: None }
    }

    /// A client after the handshake of a version.
    pub(crate) fn handshaken(sandbox: &Sandbox, version: &str) -> Self {
        let mut client = Self::silent(sandbox);
        let hello =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = client.request("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], version);
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    /// A client of the version without a handshake.
    pub(crate) fn stateless(sandbox: &Sandbox) -> Self {
        Self::silent(sandbox).without_handshake()
    }

    /// A client whose server acts as an agent.
    pub(crate) fn of_agent(sandbox: &Sandbox, name: &str) -> Self {
        Self::started(sandbox, &["mcp", "--write", "--as", name]).without_handshake()
    }

    fn without_handshake(mut self) -> Self {
        let field = |name: &str| format!("io.modelcontextprotocol/{name}");
        self.meta = Some(json!({
            (field("protocolVersion")): "2026-07-28",
            (field("clientInfo")): {"name": "t", "version": "1"},
            (field("clientCapabilities")): {},
        }));
        self
    }

    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The text of a request, and its id.
    pub(crate) fn message(&mut self, method: &str, mut params: Value) -> (u64, String) {
        self.last += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        (self.last, json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).to_string())
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let (id, line) = self.message(method, params);
        self.write(&line);
        id
    }

    pub(crate) fn next(&mut self) -> Value {
        self.messages.recv_timeout(LONGEST).unwrap()
    }

    pub(crate) fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.before.iter().position(&is_it) {
            return self.before.remove(at);
        }
        loop {
            let message = self.next();
            if is_it(&message) {
                return message;
            }
            self.before.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.wait_for(|message| message["id"] == id)
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))["result"].take()
    }

    pub(crate) fn pack(&mut self, arguments: Value) -> String {
        let result = self.tool("get_context_pack", arguments);
        assert_eq!(result["isError"], false, "{result}");
        text(&result).to_owned()
    }

    /// The words of a tool's error.
    pub(crate) fn refusal(&mut self, name: &str, arguments: Value) -> String {
        let result = self.tool(name, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text(&result).to_owned()
    }

    /// Ends standard input; all messages that still come, and the exit code.
    pub(crate) fn end(mut self) -> (Vec<Value>, i32) {
        drop(self.input.take());
        let mut rest = std::mem::take(&mut self.before);
        loop {
            match self.messages.recv_timeout(LONGEST) {
                Ok(message) => rest.push(message),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("standard output does not end"),
            }
        }
        (rest, self.child.wait().unwrap().code().unwrap())
    }
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
