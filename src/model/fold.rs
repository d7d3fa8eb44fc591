//! Line ends that went with what was removed from a text.

use serde::{Deserialize, Serialize};

/// A place in a clean text that stood on several lines before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RemovedLines {
    /// The line of the clean text, from 1.
    pub line: u32,
    /// How many line ends are gone.
    pub lines: u32,
}
