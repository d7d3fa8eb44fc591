//! What a build tells its caller while it runs.

use super::Project;
use crate::config::Settings;
use crate::intake::Repo;
use crate::wire::Pack;
use std::path::PathBuf;

type OnListed<'a> = &'a mut dyn FnMut(&Repo, &Settings, bool) -> bool;
type OnRead<'a> = &'a mut dyn FnMut(&Project<'_>, &[usize]);
pub(super) type OnWritten<'a> = &'a (dyn Fn(WrittenPack<'_>) + Sync);

/// Callbacks and hints for one build.
#[derive(Default)]
pub struct BuildObserver<'a> {
    /// Called with the listed repository, and whether it was listed for this build rather than an earlier one, before its
    /// texts are read. Returns whether to list it again, for example because it may have changed before it was followed.
    pub on_listed: Option<OnListed<'a>>,
    /// Called with the project and the roots before packs are built.
    pub on_read: Option<OnRead<'a>>,
    /// Called after each built or skipped pack with the number of all packs, from several threads.
    pub on_built: Option<&'a (dyn Fn(usize) + Sync)>,
    pub on_written: Option<OnWritten<'a>>,
    /// Whether a change is likely, so that checking first whether anything changed would be a waste.
    pub change_expected: bool,
    /// The only paths that can have changed since the last build, if known.
    pub changed_paths: Option<Vec<PathBuf>>,
}

/// A pack that was written, with the previous content of its file.
#[derive(Debug, Clone, Copy)]
pub struct WrittenPack<'a> {
    pub name: &'a str,
    /// The previous content, if the file existed.
    pub before: Option<&'a [u8]>,
    pub now: &'a Pack,
}
