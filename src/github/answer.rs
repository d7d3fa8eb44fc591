//! The seam to the outside: one request, one answer, and the time.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a server said.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Headers by their names in lower case; of several with one name the last.
    pub headers: BTreeMap<String, String>,
    /// The body, whole.
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// A header that is a whole number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.trim().parse().ok()
    }
}

/// There was no whole answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct TransportError {
    /// In our own words: nothing of what the server sent.
    pub what: String,
}

/// Gets things from one server. It follows no redirect and tries nothing twice.
pub trait Transport {
    /// Asks for a path with its query. With `etag` the answer may be 304.
    ///
    /// # Errors
    /// Where no whole answer came.
    fn get(&mut self, path: &str, etag: Option<&str>) -> Result<Response, TransportError>;
}

/// The time, and waiting.
pub trait Clock {
    /// Since 1970.
    fn now(&self) -> Duration;
    /// Returns after this time.
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
