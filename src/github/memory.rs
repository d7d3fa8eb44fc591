//! The side file: what a run knows beside the snapshot, so that the next one asks for less.
//!
//! It is a cache: without it everything is asked for again, and the snapshot comes out the same.

use crate::model::SnapshotComment;
use crate::store::{CacheFolder, SealedContent, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The file's name.
const NAME: &str = "github.json";
/// Who wrote it, in which form.
const PROGRAM: &str = "contextpack sync 1";
const VERSION: u32 = 1;

/// What is remembered from run to run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct SyncState {
    version: u32,
    /// The API and the snapshot's folder that all of it is about.
    about: String,
    /// Marks of answers whose whole content is in the snapshot, by path.
    pub(super) etags: BTreeMap<String, String>,
    /// Issues by id, as the last answer showed them.
    pub(super) seen: BTreeMap<String, IssueMemo>,
    /// Pages of lists of issues, by path.
    pub(super) pages: BTreeMap<String, ListPage>,
    /// The state of comments that are complete in the snapshot, by id of their issue.
    pub(super) comments: BTreeMap<String, CommentsSeen>,
    /// A run that is not done.
    pub(super) run: Option<RunProgress>,
}

/// What an answer said of an issue and its snapshot does not keep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IssueMemo {
    pub(super) updated_at: Option<String>,
    pub(super) comments: Option<u64>,
    pub(super) sub_issues: Option<u64>,
    pub(super) blocked_by: Option<u64>,
    pub(super) blocking: Option<u64>,
    /// Repo and number.
    pub(super) parent: Option<(String, u64)>,
}

/// A page of a list of issues.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ListPage {
    pub(super) etag: String,
    pub(super) next: Option<String>,
    /// The issues on it that were wanted.
    pub(super) wanted: Vec<u64>,
}

/// What the comments of an issue were complete for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CommentsSeen {
    pub(super) updated_at: Option<String>,
    /// When they were asked for, in seconds since 1970.
    pub(super) at: u64,
}

/// How far a run has come.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RunProgress {
    /// What it was asked for.
    pub(super) key: String,
    /// When it began, in seconds since 1970.
    pub(super) started: u64,
    /// When its last request was, in seconds since 1970.
    pub(super) touched: u64,
    /// Whether a repo is private, by its name; nothing where that cannot be seen.
    pub(super) repos: BTreeMap<String, Option<bool>>,
    /// The repo's name on the server, where it was renamed.
    pub(super) renamed: Option<String>,
    /// Lists of issues that are not read to their end: the next page of each.
    pub(super) lists: Option<Vec<String>>,
    /// Issues that were asked for.
    pub(super) wanted: BTreeSet<(String, u64)>,
    /// Issues whose record is of this run.
    pub(super) fresh: BTreeSet<String>,
    /// Issues whose single request is done, whatever came of it.
    pub(super) single: BTreeSet<String>,
    /// Issues whose relations are done.
    pub(super) related: BTreeSet<String>,
    /// Issues whose comments are done.
    pub(super) commented: BTreeSet<String>,
    /// A list of a repo's comments that is not read to its end.
    pub(super) sweep: Option<RepoCommentWalk>,
    /// A list of one issue's comments that is not read to its end.
    pub(super) half: Option<IssueCommentWalk>,
    /// Whether it was decided how comments are fetched.
    pub(super) swept: bool,
}

/// A walk over a repo's comments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RepoCommentWalk {
    /// The next page.
    pub(super) next: String,
    /// The issues whose comments are looked for.
    pub(super) of: BTreeSet<u64>,
    /// Comments of issues whose list in the snapshot is complete: it stays so until the walk has all of them.
    #[serde(default)]
    pub(super) held: BTreeMap<u64, Vec<SnapshotComment>>,
    /// Issues of which entries were left out that are no comments.
    #[serde(default)]
    pub(super) strange: BTreeSet<u64>,
}

/// A walk over an issue's comments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct IssueCommentWalk {
    /// The issue's id.
    pub(super) of: String,
    /// The next page.
    pub(super) next: String,
    /// The comments that were seen: at the end those that were not are gone.
    pub(super) ids: BTreeSet<u64>,
    /// Whether entries were left out that are no comments.
    #[serde(default)]
    pub(super) strange: bool,
    /// The comments, where the list in the snapshot is complete: it stays so until the walk has all of them.
    #[serde(default)]
    pub(super) held: Vec<SnapshotComment>,
}

impl SyncState {
    /// What is remembered of `about`; nothing where the file is damaged, not of this user or about something else.
    pub(super) fn load(cache: Option<&CacheFolder>, about: &str) -> Self {
        let bytes = match cache.map(|cache| cache.read(NAME, PROGRAM)) {
            Some(SealedContent::Whole(bytes)) => Some(bytes),
            _ => None,
        };
        let memory: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let fits = |memory: &Self| memory.version == VERSION && memory.about == about;
        memory.filter(fits).unwrap_or_else(|| Self { version: VERSION, about: about.to_owned(), ..Self::default() })
    }

    /// Writes it down.
    pub(super) fn save(&self, cache: Option<&CacheFolder>) -> Result<(), StoreError> {
        let Some(cache) = cache else { return Ok(()) };
        let failed = |error: serde_json::Error| StoreError::Write { path: NAME.into(), source: io::Error::from(error) };
        cache.write(NAME, PROGRAM, &serde_json::to_vec(self).map_err(failed)?)
    }
}
