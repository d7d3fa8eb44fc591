//! GitHub → the snapshot: the only room that opens a connection.
//!
//! [`sync`] asks for what a [`SyncRequest`] names and writes one file an issue. It
//! works over a [`Transport`] and a [`Clock`], so that plan, paging, back-off
//! and merging are tested without either. What a run knows is kept in a side
//! file, and what is on disk is whole at any moment: a run can be killed and
//! started again.

mod answer;
mod budget;
mod client;
mod comments;
#[cfg(feature = "github")]
mod connect;
mod convert;
mod echoes;
mod error;
mod files;
#[cfg(feature = "github")]
mod http;
mod json;
mod listing;
mod memory;
mod pages;
mod place;
mod record;
mod relations;
mod request;
mod secrets;
mod shape;
mod strange;
mod sync;
#[cfg(test)]
mod tests;
mod texts;
mod walk;

pub use answer::{Clock, Response, SystemClock, Transport, TransportError};
pub use client::SyncLimits;
#[cfg(feature = "github")]
pub use connect::Proxies;
pub use error::SyncError;
#[cfg(feature = "github")]
pub use http::Http;
pub use place::{ApiBase, ApiError, IssueKey};
pub use request::{
    Estimate, EstimateStage, IssueFilter, Progress, SyncObserver, SyncRequest, SyncSettings, SyncSummary,
};
pub use secrets::Tokens;
pub use sync::sync;
