//! What must hold for every input: laws over random ones, hostile ones, and judges from outside.
//!
//! `PROPTEST_CASES` says how many random inputs each law is tried on; the
//! default is small, so that the whole runs with the other tests.

#![expect(clippy::unwrap_used, reason = "tests")]

mod agents;
mod agents_incremental;
#[cfg(feature = "handoff")]
mod batches;
mod budget;
mod canary;
#[cfg(feature = "handoff")]
mod cards;
mod examples;
mod frames;
mod git;
mod grammar;
mod hidden;
mod hostile;
#[cfg(feature = "handoff")]
mod inbox;
mod incremental;
mod judges;
mod memory;
mod redaction;
mod refused;
mod review;
mod root_share;
mod same;
#[path = "../suite/sandbox.rs"]
#[expect(dead_code, reason = "the suite uses all of it")]
mod sandbox;
#[path = "../suite/scripted_events.rs"]
mod scripted_events;
mod texts;
mod trust;
mod watch;
