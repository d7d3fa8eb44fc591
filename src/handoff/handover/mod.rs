//! Handovers: a recipe, its arguments and boxes → what one agent gives another (`docs/handover.md`).
//!
//! Everything is checked and made here in memory; nothing is written.

mod arguments;
mod plan;

pub use arguments::Arguments;
pub use plan::{HandedCard, HandoverPlan, HandoverRequest, Party, own_log, plan, replay};
