//! Ranges of lines in a file.

use serde::{Deserialize, Serialize};

/// A range of lines, both ends included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl LineRange {
    /// Creates a range; `None` if there is no line 0 or the ends are in the wrong order.
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (first > 0 && first <= last).then_some(Self { first, last })
    }
}
