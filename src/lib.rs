//! Deterministic, budgeted, redacted and explained context packs.
//!
//! Data flows one way through the rooms of this crate; each room's result has
//! a type that says what has been done to it:
//!
//! ```text
//! intake → records → redact → markdown → mentions → graph → select → fit → seal → store
//! ```
//!
//! `docs/architecture.md` has the table of rooms and what must always be true.

pub mod cache;
pub mod config;
pub mod fit;
pub mod github;
pub mod graph;
pub mod intake;
pub mod markdown;
pub mod mentions;
pub mod model;
pub(crate) mod parse;
pub mod pipeline;
pub mod records;
pub mod redact;
pub mod render;
pub mod review;
pub mod seal;
pub mod select;
pub mod session;
pub mod store;
pub mod watch;
pub mod wire;
