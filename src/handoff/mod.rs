//! What agents leave for others: cards, boxes and logs, recipes of handovers, and the two ledgers, batches and inboxes.
//!
//! Files are the truth: each is written once, and every state follows from them.

#[cfg(feature = "cli")]
pub mod batches;
pub mod cards;
pub mod handover;
#[cfg(feature = "cli")]
pub mod inbox;
