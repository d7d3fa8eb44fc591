//! Batches: a plan of tasks, and everything that happens to them, as files that are only ever added (`docs/handover.md`).
//!
//! The state of a batch is a pure function of the set of its files ([`Ledger::state`]), so that branches on which agents
//! work at once can be merged in any order. Decisions ([`decide`]) are functions of a state; only [`BatchStore`] touches
//! the disk, and only commands read the clock.

mod check;
pub mod decide;
mod entries;
mod ledger;
mod path;
mod schema;
mod state;
mod status;
mod store;

pub use check::BatchChecker;
pub use entries::{
    Batch, BatchResult, BatchTask, Claim, Event, ForkedTask, LateReason, Report, TargetStrategy, TaskResult,
};
pub use ledger::Ledger;
pub use path::{BatchId, LAST_EPOCH, LedgerPath, Turn};
pub use schema::{batch_claim_schema, batch_event_schema, batch_report_schema, batch_result_schema, batch_schema};
pub use state::BatchState;
pub use status::{BatchStatus, TaskStatus};
pub use store::BatchStore;
