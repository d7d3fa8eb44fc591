//! The state of a file, as the system tells it.

use serde::{Deserialize, Serialize};

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
    #[cfg(unix)]
    pub(super) fn of(metadata: &cap_std::fs::Metadata) -> Option<Self> {
        use cap_std::fs::MetadataExt as _;
        let nanos = |seconds: i64, nanos: i64| {
            Some(u128::try_from(seconds).ok()? * 1_000_000_000 + u128::try_from(nanos).ok()?)
        };
        metadata.is_file().then_some(())?;
        Some(Self {
            size: metadata.len(),
            inode: metadata.ino(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec())?,
            changed: nanos(metadata.ctime(), metadata.ctime_nsec())?,
        })
    }

    /// Elsewhere too little is told to rely on.
    #[cfg(not(unix))]
    pub(super) fn of(_: &cap_std::fs::Metadata) -> Option<Self> {
        None
    }

    /// The later of both times, in nanoseconds since 1970.
    pub fn changed(&self) -> u128 {
        self.modified.max(self.changed)
    }
}
