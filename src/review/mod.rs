//! Finished packs, read back: verified, explained, compared, and shown on a page.

mod change_summary;
mod diff;
mod explain;
mod inputs;
mod read;
mod ready;
mod report;
mod scrub;
mod stale;
mod stats;
mod verify;
mod why_not;

pub use change_summary::summarize_changes;
pub use diff::{
    Cause, Diff, DiffLine, FieldChange, Hunk, PackChange, Pair, ReviewItem, SectionChange, SharedChange, compare,
};
pub use explain::{Explanation, LimitUse, SectionLine, explain, grouped};
pub use read::{ReadError, SalvagedPack, content_hash, read, salvage};
pub use ready::{BodyLines, Criterion, criteria, cut_ends, is_root_cut, is_root_whole, keep_ids, note_done, ready};
pub use report::{
    Freshness, PageEntry, PageOrigin, report_changes, report_data, report_freshness, report_page, report_policy,
};
pub use scrub::scrubbed;
pub use stale::{Difference, PackStatus, UNEXPLAINED, difference, limits};
pub use stats::{Stats, StatsCollector, UnusedText};
pub use verify::{Verification, invisible_faults, newer, root_names, verify};
pub use why_not::{DENIED, WhyNot, relevance, why_not};
