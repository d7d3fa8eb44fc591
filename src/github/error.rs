//! Why a sync ended before it was done.

use crate::store::StoreError;

/// What ends a sync. The snapshot is whole all the same, and a next run goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The server does not accept the token, or wants one.
    #[error("authentication failed: {0}")]
    Auth(String),
    /// A repo or an issue that was asked for cannot be seen.
    #[error("not found: {0}")]
    NotFound(String),
    /// The rate limit is used up, and waiting for it would take longer than allowed.
    #[error("rate limit: {0}")]
    RateLimit(String),
    /// There is no connection, or answers are cut off.
    #[error("network: {0}")]
    Network(String),
    /// The server answers, and not with what was asked for.
    #[error("the server failed: {0}")]
    Server(String),
    /// A file of the snapshot cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
