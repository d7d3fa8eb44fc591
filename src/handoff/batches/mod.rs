//! Batches: a plan of tasks, and everything that happens to them, as files that are only ever added (`docs/handover.md`).
//!
//! The state of a batch is a pure function of the set of its files ([`Ledger::state`]), so that branches on which agents
//! work at once can be merged in any order. Decisions ([`decide`]) are functions of a state; only [`BatchStore`] touches
//! the disk, and only commands read the clock.

mod check;
pub mod decide;
mod entries;
mod fields;
mod files;
mod ledger;
mod path;
mod schema;
mod short_id;
mod state;
mod status;
mod store;

pub use check::BatchChecker;
pub(crate) use check::canonical_fault;
pub use entries::{
    Batch, BatchResult, BatchTask, Claim, Event, ForkedTask, LateReason, Report, TargetStrategy, TaskResult,
};
pub(crate) use fields::{check_epoch, check_key, check_last, check_origin, check_outcome, check_time, same};
pub use files::{DAMAGED, LedgerFolder, REFUSED, Unread};
pub(crate) use ledger::{EpochFiles, misplaced, read_json};
pub use ledger::{Ledger, LedgerFault};
pub(crate) use path::parse_epoch;
pub use path::{BatchId, LAST_EPOCH, LedgerPath, Turn};
pub(crate) use schema::schema_text;
pub use schema::{batch_claim_schema, batch_event_schema, batch_report_schema, batch_result_schema, batch_schema};
pub(crate) use short_id::{is_short_hash, short_hash, short_id, short_prefix};
pub use state::{BatchState, ClaimState, ReportState};
pub use status::{BatchStatus, TaskStatus};
pub use store::BatchStore;
