//! The interfaces to the outside: requests and the clock.

use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The response of a server.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers by lower-case name; the last one of several.
    pub headers: BTreeMap<String, String>,
    /// The body, whole.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns the value of a header as an integer.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.trim().parse().ok()
    }
}

/// The error of a request without a complete response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct TransportError {
    /// The description, which quotes nothing that the server sent.
    pub what: String,
}

/// The form in which a server is to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// JSON.
    Json,
    /// The bytes of a file.
    Raw,
}

/// The connection to one server, without redirects and retries.
pub trait Transport {
    /// Requests a path with its query. With `etag` the response may be 304.
    ///
    /// # Errors
    /// If no complete response came.
    fn get(&mut self, path: &str, media: MediaType, etag: Option<&str>) -> Result<Response, TransportError>;

    /// Sends JSON to a path.
    ///
    /// # Errors
    /// If no complete response came.
    fn post(&mut self, path: &str, body: &Value) -> Result<Response, TransportError>;
}

/// A clock that can wait.
pub trait Clock {
    /// Returns the time since 1970.
    fn now(&self) -> Duration;
    /// Waits for this time.
    fn sleep(&mut self, time: Duration);
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn sleep(&mut self, time: Duration) {
        std::thread::sleep(time);
    }
}
