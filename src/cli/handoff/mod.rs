//! The commands about what agents leave for others: cards, boxes, handovers, batches and inboxes.

mod args;
mod batch;
mod card;
mod context;
mod handover;
mod inbox;
mod ledger;
mod publish;
#[cfg(feature = "mcp")]
mod tools;
mod wake;

pub(super) use args::HandoffCommand;
pub(super) use context::context_files;
#[cfg(feature = "mcp")]
pub(super) use tools::tools;

use super::args::Global;
use crate::console::{Exit, Failure};

pub(super) fn run(global: &Global, command: &HandoffCommand) -> Result<Exit, Failure> {
    match command {
        HandoffCommand::Card(command) => card::run(global, command),
        HandoffCommand::Box(command) => card::run_box(global, command),
        HandoffCommand::Handover(options) => handover::run(global, options),
        HandoffCommand::Batch(command) => batch::run(global, command),
        HandoffCommand::Inbox(command) => inbox::run(global, command),
    }
}
