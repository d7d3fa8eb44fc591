//! What the operating system reports: the states of files, and errors.

use serde::{Deserialize, Serialize};
use std::io;

/// How long ago a file must have changed for its state to identify its bytes, in nanoseconds.
///
/// Systems report times of changes in steps, and two changes within one step cannot be distinguished.
pub const REST: u128 = 2_000_000_000;

/// The metadata of a file that shows whether the file has changed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    size: u64,
    inode: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    /// Nanoseconds since 1970 of the last change of contents or metadata, which no program can set.
    changed: u128,
}

impl FileState {
    /// Returns the state of a file with this size and inode; `None` for times before 1970.
    ///
    /// Times are seconds since 1970 and nanoseconds, as systems report them.
    pub fn new(size: u64, inode: u64, modified: (i64, i64), changed: (i64, i64)) -> Option<Self> {
        let nanos = |(seconds, nanos): (i64, i64)| {
            Some(u128::try_from(seconds).ok()? * 1_000_000_000 + u128::try_from(nanos).ok()?)
        };
        Some(Self { size, inode, modified: nanos(modified)?, changed: nanos(changed)? })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns whether the file was last changed long enough before `now`, in nanoseconds since 1970, for its state to
    /// identify its bytes. A time of change after `now` is not long enough ago.
    pub fn is_rested(&self, now: u128) -> bool {
        self.has_rested(REST, now)
    }

    /// Returns whether the file was last changed at least `rest` nanoseconds before `now`.
    pub fn has_rested(&self, rest: u128, now: u128) -> bool {
        self.changed().checked_add(rest).is_some_and(|rested| rested <= now)
    }

    /// Returns the later of both times, in nanoseconds since 1970.
    pub fn changed(&self) -> u128 {
        self.modified.max(self.changed)
    }
}

/// Returns the wording of an error, if possible in words that are the same on every system.
pub fn describe(error: &io::Error) -> String {
    let kind = error.kind().to_string();
    if kind == "uncategorized error" { error.to_string() } else { kind }
}

/// Returns whether an error says that there is nothing of that name. No other error counts as absence.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns what an access found; `None` if there is nothing of that name.
pub fn if_present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
