//! The state of a file, as the system tells it.

use serde::{Deserialize, Serialize};

/// How long a file must have rested before its state stands for its bytes, in nanoseconds: systems tell
/// times of changes in steps, and within one step nothing tells two changes apart.
pub const REST: u128 = 2_000_000_000;

/// What tells whether a file was changed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    size: u64,
    inode: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    /// The same, of the last change of anything about the file, which no program can set.
    changed: u128,
}

impl FileState {
    /// The state of a file with this size and inode; times are seconds since 1970 and nanoseconds, as systems tell
    /// them. Nothing for times before that.
    pub fn new(size: u64, inode: u64, modified: (i64, i64), changed: (i64, i64)) -> Option<Self> {
        let nanos = |(seconds, nanos): (i64, i64)| {
            Some(u128::try_from(seconds).ok()? * 1_000_000_000 + u128::try_from(nanos).ok()?)
        };
        Some(Self { size, inode, modified: nanos(modified)?, changed: nanos(changed)? })
    }

    /// Whether the file was last changed long enough before `now`, nanoseconds since 1970, for its state to stand
    /// for its bytes. Where the clock jumped it was not.
    pub fn is_rested(&self, now: u128) -> bool {
        self.has_rested(REST, now)
    }

    /// The same where so many nanoseconds are long enough.
    pub fn has_rested(&self, rest: u128, now: u128) -> bool {
        self.changed().checked_add(rest).is_some_and(|rested| rested <= now)
    }

    /// The later of both times, in nanoseconds since 1970.
    pub fn changed(&self) -> u128 {
        self.modified.max(self.changed)
    }
}
