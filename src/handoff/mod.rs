//! What agents leave for others: cards, boxes and logs, recipes of handovers, and ledgers of batches and inboxes.
//!
//! Files are the truth: each is written once, and every state follows from them.

pub mod cards;
#[cfg(feature = "handoff")]
pub mod check;
pub mod handover;
#[cfg(feature = "handoff")]
pub mod ledger;
