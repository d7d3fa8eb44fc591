//! Events that start a workflow: `repository_dispatch`.

use super::client::{Answer, Client, RequestBudget, with_reason};
use super::{ApiBase, Ask, Clock, SyncError, Tokens, Transport};
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
    let EventTarget { api, secrets, repo, max_wait } = target;
    let mut client = Client {
        transport,
        clock,
        observer: &mut |_| {},
        api,
        secrets,
        budget: RequestBudget::default(),
        wait_left: *max_wait,
        host: api.authority.strip_prefix("api.").unwrap_or(&api.authority),
    };
    let body = json!({"event_type": event_type, "client_payload": payload});
    match client.request(&format!("/repos/{repo}/dispatches"), Ask::Post(&body))? {
        Answer::Page(_) | Answer::Same => Ok(()),
        Answer::Missing | Answer::Gone => {
            Err(SyncError::NotFound(format!("`{repo}` is not visible with this token, or may not be written with it")))
        }
        Answer::Refused(why) => {
            let ours = format!("the token may not send events to `{repo}`; it needs to write contents");
            Err(SyncError::Auth(with_reason(&ours, why.as_deref())))
        }
    }
}
