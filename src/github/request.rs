//! The input of a sync run, its interfaces to the outside, its observer, and its result.

use super::{ApiBase, IssueKey, Tokens};
use crate::config::DenyList;
use crate::model::{Diagnostic, RepoPath};
use crate::store::{CacheFolder, StoreError};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Debug, Clone, Copy)]
pub struct SyncLimits {
    pub max_requests: Option<u64>,
    /// The most time to wait in all: for rate limits, between retries, and for slow answers.
    pub max_wait: Duration,
}

#[derive(Debug)]
pub struct SyncSettings {
    pub root: PathBuf,
    pub folder: RepoPath,
    pub host: String,
    pub repo: String,
    pub api: ApiBase,
    /// The token, and other secrets that must not be shown.
    pub secrets: Tokens,
    pub limits: SyncLimits,
    /// The names of files that are never asked for.
    pub denied: DenyList,
    /// The cache for the saved state; without it every run fetches everything.
    pub cache: Option<CacheFolder>,
}

#[derive(Debug, Clone, Default)]
pub struct SyncRequest {
    /// The issues to fetch in full; if there are any, nothing else is fetched.
    pub roots: Vec<IssueKey>,
    pub claimed: Vec<IssueKey>,
    pub linked: Vec<IssueKey>,
    pub filter: IssueFilter,
}

#[derive(Debug, Clone, Default)]
pub struct IssueFilter {
    /// `open`, `closed` or `all`; `None` means `open`.
    pub state: Option<String>,
    /// Takes only issues with one of these labels, if there are any.
    pub labels: Vec<String>,
    /// Takes only issues of one of these milestones, by title or number, if there are any.
    pub milestones: Vec<String>,
    /// Takes only issues that changed since then, RFC 3339.
    pub since: Option<String>,
    /// Takes at most so many issues, the last changed first.
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EstimateStage {
    /// Listing the open issues, whose number the repo reports, including pull requests.
    Open,
    /// Listing other issues, whose number is unknown.
    List,
    /// Fetching the requested issues in full.
    Named,
    /// Fetching comments and relations of the listed issues.
    Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncEvent {
    /// An estimate of what follows: the number of issues, 0 if unknown, of requests for them, and of the requests that the
    /// server still allows, if it reported them.
    Estimate {
        stage: EstimateStage,
        issues: u64,
        requests: u64,
        remaining: Option<u64>,
    },
    /// How much of a step is done, `of` all; 0 if unknown.
    Progress {
        step: &'static str,
        done: u64,
        of: u64,
    },
    /// A request is being sent, the how manieth of the run.
    Request(u64),
    Waiting {
        time: Duration,
        why: &'static str,
    },
}

#[derive(Debug, Default)]
pub struct SyncSummary {
    /// The changed files of the snapshot, from the repo's root, and `written` or `removed`; sorted.
    pub changed: Vec<(String, &'static str)>,
    pub unchanged: usize,
    pub issues: usize,
    pub requests: u64,
    pub remaining: Option<u64>,
    /// When the server allows more, in seconds since 1970.
    pub reset: Option<u64>,
    pub complete: bool,
    /// Whether the next run of the same request resumes this one.
    pub resumes: bool,
    pub diagnostics: Vec<Diagnostic>,
    pub failed: Vec<String>,
    pub error: Option<SyncError>,
}

/// The error that ends a request or a sync run. The snapshot is intact, and the next run resumes this one.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("rate limit: no more requests are allowed")]
    Spent,
    /// The server does not accept the token, or requires one.
    #[error("authentication failed: {0}")]
    Auth(String),
    #[error("not found: {0}")]
    NotFound(String),
    /// The rate limit is used up, and the wait would be longer than allowed.
    #[error("rate limit: {0}")]
    RateLimit(String),
    /// There is no connection, or answers are truncated.
    #[error("network: {0}")]
    Network(String),
    /// The server gives answers that cannot be used.
    #[error("the server failed: {0}")]
    Server(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SyncError {
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, Self::Network(_) | Self::Server(_))
    }

    pub(super) fn unexpected(asked: &str, came: &str) -> Self {
        Self::Server(format!("{asked} was asked for, and {came} came"))
    }
}

pub type Response = http::Response<Vec<u8>>;

/// What is asked of a server.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'a> {
    /// JSON; with an entity tag the response may be 304.
    Json(Option<&'a str>),
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

pub trait Clock {
    /// Returns the time since 1970.
    fn now(&self) -> Duration;
    fn sleep(&mut self, time: Duration);
}

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
