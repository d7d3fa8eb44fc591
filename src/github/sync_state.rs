//! The saved state of sync: entity tags, facts from answers, and an unfinished run.
//!
//! It is a cache: without it everything is fetched again, and the snapshot is the same.

use super::IssueKey;
use crate::model::SnapshotComment;
use crate::store::{CacheFolder, SealedContent, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

const NAME: &str = "github.json";
const PROGRAM: &str = "contextpack sync 1";
const VERSION: u32 = 2;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct SyncState {
    version: u32,
    /// The API, the snapshot's folder and the repo that the state belongs to.
    about: String,
    /// The entity tags of answers whose whole content is in the snapshot, by path.
    pub(super) etags: BTreeMap<String, String>,
    /// The facts from the last answer about each issue.
    pub(super) seen: BTreeMap<IssueKey, IssueMemo>,
    pub(super) pages: BTreeMap<String, ListPage>,
    /// The issues whose comments are complete in the snapshot.
    pub(super) comments: BTreeMap<IssueKey, CommentsSeen>,
    /// The files at commits that the server does not have, or that are no small texts, by path.
    pub(super) no_code: BTreeSet<String>,
    pub(super) run: Option<RunProgress>,
}

/// Facts from an answer about an issue that its record does not hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IssueMemo {
    pub(super) updated_at: Option<String>,
    pub(super) comments: Option<u64>,
    pub(super) sub_issues: Option<u64>,
    pub(super) blocked_by: Option<u64>,
    pub(super) blocking: Option<u64>,
    pub(super) parent: Option<IssueKey>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ListPage {
    pub(super) etag: String,
    pub(super) next: Option<String>,
    /// The issues on it that were wanted.
    pub(super) wanted: Vec<u64>,
}

/// The version of an issue for which its comments are complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CommentsSeen {
    pub(super) updated_at: Option<String>,
    /// When they were fetched, in seconds since 1970.
    pub(super) at: u64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RunProgress {
    /// The request, in its `Debug` form.
    pub(super) key: String,
    /// When it began, in seconds since 1970.
    pub(super) started: u64,
    /// When its last request was, in seconds since 1970.
    pub(super) touched: u64,
    /// Whether each repo is private, by its name; `None` if that is not visible.
    pub(super) repos: BTreeMap<String, Option<bool>>,
    /// The repo's name on the server, if it was renamed.
    pub(super) renamed: Option<String>,
    /// The next pages of the lists of issues that are not finished.
    pub(super) lists: Option<Vec<String>>,
    pub(super) wanted: BTreeSet<IssueKey>,
    /// The issues whose record was written in this run.
    pub(super) fresh: BTreeSet<IssueKey>,
    /// The issues that were fetched by number, with whatever result.
    pub(super) single: BTreeSet<IssueKey>,
    /// The paths of the issues whose relations are done, and of their lists that are.
    pub(super) related: BTreeSet<String>,
    pub(super) commented: BTreeSet<IssueKey>,
    pub(super) coded: BTreeSet<IssueKey>,
    /// The list of comments that is not finished.
    pub(super) comment_list: Option<CommentList>,
    /// Whether the list of the repo's comments is done, or not used.
    pub(super) repo_comments_done: bool,
}

/// The position in a list of comments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct CommentList {
    /// The issue whose list it is; `None` for that of the repo.
    pub(super) issue: Option<IssueKey>,
    pub(super) next: String,
    /// The issues whose comments are needed.
    pub(super) issues: BTreeSet<IssueKey>,
    /// The comments on the pages so far.
    pub(super) ids: BTreeSet<u64>,
    /// The comments so far of issues whose list in the snapshot is complete.
    pub(super) held: BTreeMap<IssueKey, Vec<SnapshotComment>>,
    pub(super) with_unexpected: BTreeSet<IssueKey>,
}

impl SyncState {
    /// Loads the state for `about`; empty if the file is damaged, of another user or for something else.
    pub(super) fn load(cache: Option<&CacheFolder>, about: &str) -> Self {
        let bytes = match cache.map(|cache| cache.read(NAME, PROGRAM)) {
            Some(SealedContent::Whole(bytes)) => Some(bytes),
            _ => None,
        };
        let state: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let fits = |state: &Self| state.version == VERSION && state.about == about;
        state.filter(fits).unwrap_or_else(|| Self { version: VERSION, about: about.to_owned(), ..Self::default() })
    }

    pub(super) fn save(&self, cache: Option<&CacheFolder>) -> Result<(), StoreError> {
        let Some(cache) = cache else { return Ok(()) };
        let failed = |error: serde_json::Error| StoreError::Write { path: NAME.into(), source: io::Error::from(error) };
        cache.write(NAME, PROGRAM, &serde_json::to_vec(self).map_err(failed)?)
    }
}
