//! GitHub → the snapshot of issues. No other module opens a connection.
//!
//! [`sync()`] fetches what a [`SyncRequest`] names and writes one file per issue.
//! It works over a [`Transport`] and a [`Clock`], so that planning, paging,
//! back-off and merging are tested without network and waiting. The progress
//! of a run is saved in the cache, and files are written atomically: a run can
//! be killed and resumed at any time.

#![expect(missing_docs, reason = "no part of the public API; most fields are named as those of GitHub")]

mod address;
mod client;
mod comments;
mod commit_lines;
mod convert;
mod files;
mod http;
mod listing;
mod pages;
mod record;
mod relations;
mod request;
mod scrubber;
mod shape;
mod sync;
mod sync_state;
mod tokens;

pub use self::http::{Http, proxy_secrets};
pub use address::{ApiBase, IssueKey};
pub use client::{EventTarget, send_event};
pub use request::{
    Ask, Clock, EstimateStage, IssueFilter, Response, SyncError, SyncEvent, SyncLimits, SyncRequest, SyncSettings,
    SyncSummary, SystemClock, Transport,
};
pub use sync::sync;
pub use tokens::Tokens;
