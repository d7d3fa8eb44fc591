//! Who looks on while a session builds.

use crate::config::Settings;
use crate::intake::Repo;
use crate::wire::Pack;
use std::path::PathBuf;

/// Looks at a repo that was listed; the last is whether just now, rather than for an earlier build.
pub type OnListed<'a> = &'a mut dyn FnMut(&Repo, &Settings, bool) -> bool;

/// Looks at a pack that was written.
pub type OnWritten<'a> = &'a (dyn Fn(WrittenPack<'_>) + Sync);

/// What is called while a session builds.
#[derive(Default)]
pub struct BuildObserver<'a> {
    /// The repo was listed, and none of its texts was read yet. Says whether it is to be listed again, such as
    /// because something may have changed before it was looked at.
    pub listed: Option<OnListed<'a>>,
    /// A pack was written; from several threads.
    pub replaced: Option<OnWritten<'a>>,
    /// Something changed, most likely: then it is a loss to look first whether nothing did.
    pub expected: bool,
    /// The only paths to which anything can have happened since the last build, where they are known.
    pub touched: Option<Vec<PathBuf>>,
}

/// A pack that was written, and what its file held before.
#[derive(Debug, Clone, Copy)]
pub struct WrittenPack<'a> {
    /// The file's name.
    pub name: &'a str,
    /// The bytes that stood there, where there were any.
    pub before: Option<&'a [u8]>,
    /// The pack that stands there now.
    pub now: &'a Pack,
}
