//! Batches and inboxes: files that are only ever added, in which agents claim something and report how it ended
//! (`docs/handover.md`).
//!
//! The state of a ledger is a pure function of the set of its files, so that branches on which agents work at once can be
//! merged in any order. Decisions are functions of a state; only [`LedgerFolder`] touches the disk, and only commands read
//! the clock. The schemas in `schema/` say what the files hold.

mod batch;
mod decide;
mod fields;
mod files;
mod folder;
mod inbox;
mod names;
mod state;

pub use batch::DEADLINE_SECONDS;
pub use decide::Decision;
pub use fields::LAST_EPOCH;
pub use files::{BATCH_VERSION, Batch, BatchResult, ForkedTask, Outcome, REQUEST_VERSION, TurnRequest};
pub use folder::LedgerFolder;
pub use inbox::Dispatched;
pub use names::{
    Attempt, BATCHES, INBOXES, LedgerKind, LedgerPath, MISPLACED, NewFile, ShortId, Status, WorkId, Writer,
};
pub use state::{ClaimState, Ledger, LedgerFault, TaskState};
