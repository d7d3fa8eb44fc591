//! Reads finished packs back: verifies them, explains what they hold, compares them, and shows them on a page.

mod diff;
mod explain;
mod inputs;
mod moves;
mod read;
mod report;
mod stale;
mod unseen;
mod verify;
mod why;

pub use diff::{
    Cause, Diff, DiffLine, FieldChange, Hunk, NeighbourChange, OmissionChange, PackChange, Pair, Rebuilt,
    RedactionChange, ReviewItem, SalvagedPack, SectionChange, Segment, SharedChange, Verdict, WarningChange, compare,
    salvage,
};
pub use explain::{Explanation, explain, grouped};
pub use inputs::InputChange;
pub use moves::moves;
pub use read::{ReadError, read};
pub use report::{PageEntry, report_data, report_page, report_policy};
pub use stale::{Difference, UNEXPLAINED, difference};
pub use unseen::{unseen, unseen_at};
pub use verify::{issue, names, verify};
pub use why::{WhyNot, why_not};
