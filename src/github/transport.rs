//! The interfaces to the outside: requests and the clock.

use super::SyncError;
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The whole response of a server.
pub type Response = http::Response<Vec<u8>>;

/// What is asked of a server.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'a> {
    /// JSON; with an entity tag the response may be 304.
    Json(Option<&'a str>),
    /// The bytes of a file.
    File,
    /// To take this JSON.
    Post(&'a Value),
}

/// The connection to one server, without redirects and retries.
pub trait Transport {
    /// Sends a request for a path with its query.
    ///
    /// # Errors
    /// [`SyncError::Network`] if no complete response came; its text quotes nothing that the server sent.
    fn send(&mut self, path: &str, ask: Ask<'_>) -> Result<Response, SyncError>;
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
