//! The published schemas of the files of an inbox.

use super::{InboxEvent, TurnClaim, TurnRequest, TurnResponse};
use crate::handoff::batches::schema_text;

/// Returns the JSON Schema (2020-12) of a request, with a final newline.
pub fn inbox_request_schema() -> String {
    schema_text::<TurnRequest>("inbox-request", "inbox_request/v1")
}

/// Returns the JSON Schema (2020-12) of a claim, with a final newline.
pub fn inbox_claim_schema() -> String {
    schema_text::<TurnClaim>("inbox-claim", "inbox_claim/v1")
}

/// Returns the JSON Schema (2020-12) of a response, with a final newline.
pub fn inbox_response_schema() -> String {
    schema_text::<TurnResponse>("inbox-response", "inbox_response/v1")
}

/// Returns the JSON Schema (2020-12) of an event, with a final newline.
pub fn inbox_event_schema() -> String {
    schema_text::<InboxEvent>("inbox-event", "inbox_event/v1")
}
