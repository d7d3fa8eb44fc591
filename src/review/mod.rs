//! Reads finished packs back: verifies them, and explains what they hold.

mod explain;
mod moves;
mod read;
mod stale;
mod verify;

pub use explain::{Explanation, explain};
pub use moves::moves;
pub use read::{ReadError, read};
pub use stale::{Difference, UNEXPLAINED, difference};
pub use verify::{issue, names, verify};
