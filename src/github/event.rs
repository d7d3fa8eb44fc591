//! Events that start a workflow: `repository_dispatch`.

use super::client::{Client, FetchOutcome, RequestBudget, with_reason};
use super::{ApiBase, Clock, Estimate, Progress, SyncError, SyncObserver, Tokens, Transport};
use serde_json::{Value, json};
use std::time::Duration;

/// Where events are sent.
#[derive(Debug, Clone)]
pub struct EventTarget {
    /// The API.
    pub api: ApiBase,
    /// The token, and other secrets that must not be shown.
    pub secrets: Tokens,
    /// `owner/name` of the repo.
    pub repo: String,
    /// The most time to wait in all: for rate limits, between retries, and for slow answers.
    pub max_wait: Duration,
}

/// Sends an event to the workflows of a repo.
///
/// If the answer is lost it is sent again, so that it may arrive more than once.
///
/// # Errors
/// If the server does not take it.
pub fn send_event(
    transport: &mut dyn Transport,
    clock: &mut dyn Clock,
    target: &EventTarget,
    event_type: &str,
    payload: &Value,
) -> Result<(), SyncError> {
    let EventTarget { api, secrets, repo, max_wait } = target.clone();
    let mut observer = Silent;
    let host = api.authority.strip_prefix("api.").unwrap_or(&api.authority).to_owned();
    let mut client = Client {
        transport,
        clock,
        observer: &mut observer,
        api,
        secrets,
        budget: RequestBudget::default(),
        wait_left: max_wait,
        host,
    };
    let body = json!({"event_type": event_type, "client_payload": payload});
    match client.post(&format!("/repos/{repo}/dispatches"), &body)? {
        FetchOutcome::Page(()) | FetchOutcome::Same => Ok(()),
        FetchOutcome::Missing | FetchOutcome::Gone => {
            Err(SyncError::NotFound(format!("`{repo}` is not visible with this token, or may not be written with it")))
        }
        FetchOutcome::Refused(why) => {
            let ours = format!("the token may not send events to `{repo}`; it needs to write contents");
            Err(SyncError::Auth(with_reason(&ours, why.as_deref())))
        }
    }
}

/// An observer of one request, about which there is nothing to say.
struct Silent;

impl SyncObserver for Silent {
    fn estimate(&mut self, _: Estimate) {}
    fn progress(&mut self, _: Progress) {}
    fn request(&mut self, _: u64) {}
    fn waiting(&mut self, _: Duration, _: &'static str) {}
}
