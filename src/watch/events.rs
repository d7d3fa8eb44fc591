//! Where the news comes from that something changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Something happened to these files or folders, or to what stands at these names.
    Touched(Vec<PathBuf>),
    /// More happened than could be told.
    Lost,
    /// Nothing tells what happens: it is time to look.
    Look,
    /// Nothing happened for as long as was waited.
    Quiet,
    /// The watch is to end.
    Stop,
}

/// A source of events.
///
/// It may tell too much, and of one change several times. It tells of every change in a folder that it
/// follows, or that it lost count.
pub trait Events: Send {
    /// Follows what happens to a folder and to what stands in it, but not in the folders below it.
    ///
    /// # Errors
    /// [`FollowError`]; what else is followed still is.
    fn follow(&mut self, folder: &Path) -> Result<(), FollowError>;

    /// Follows a folder no longer, whether or not it is still there.
    fn forget(&mut self, folder: &Path);

    /// The next event; [`Event::Quiet`] where none comes `within` this time.
    fn next(&mut self, within: Option<Duration>) -> Event;
}

/// Why a folder cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// There is no such folder, which is no fault: folders come and go.
    #[error("there is no such folder")]
    Gone,
    /// The system follows no more.
    #[error(
        "the system follows no more folders: raise its limit (on Linux `fs.inotify.max_user_watches`), or use `--poll`"
    )]
    Limit,
    /// The system refuses.
    #[error("the system tells nothing of changes: use `--poll`")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}
