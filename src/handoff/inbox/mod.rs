//! The inboxes of agents: turns that are dispatched to them, and everything that happens to these, as files that are only
//! ever added (`docs/handover.md`).
//!
//! The state of an inbox is a pure function of the set of its files ([`Inbox::turns`]), as that of a batch is. Decisions
//! ([`decide`]) are functions of a state; only [`InboxStore`] touches the disk, and only commands read the clock.

mod check;
pub mod decide;
mod entries;
mod ledger;
mod path;
mod schema;
mod state;
mod store;

pub use check::InboxChecker;
pub use entries::{InboxEvent, TurnClaim, TurnRequest, TurnResponse};
pub use ledger::Inbox;
pub use path::{Attempt, InboxPath, TurnId};
pub use schema::{inbox_claim_schema, inbox_event_schema, inbox_request_schema, inbox_response_schema};
pub use state::TurnState;
pub use store::InboxStore;
