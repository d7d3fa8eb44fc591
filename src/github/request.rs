//! What a run is given, whom it tells, and what it gives back.

use super::client::SyncLimits;
use super::{ApiBase, IssueKey, SyncError, Tokens};
use crate::model::{Diagnostic, RepoPath};
use crate::store::CacheFolder;
use std::path::PathBuf;
use std::time::Duration;

/// Where things are, and what may be spent.
#[derive(Debug)]
pub struct SyncSettings {
    /// The repo's root on disk.
    pub root: PathBuf,
    /// The snapshot's folder.
    pub folder: RepoPath,
    /// The host of pages.
    pub host: String,
    /// `owner/name` of the repo.
    pub repo: String,
    /// The API.
    pub api: ApiBase,
    /// The token, and what else must not be told.
    pub secrets: Tokens,
    /// What the run may cost.
    pub limits: SyncLimits,
    /// Where it is remembered how far a run came; without it every run asks for everything.
    pub cache: Option<CacheFolder>,
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct SyncRequest {
    /// These issues, in full; where there are any, nothing else is looked at.
    pub roots: Vec<IssueKey>,
    /// Issues that work items claim.
    pub claimed: Vec<IssueKey>,
    /// Issues that work items refer to.
    pub linked: Vec<IssueKey>,
    /// Which issues of the repo.
    pub filter: IssueFilter,
}

/// Which issues of the repo are asked for.
#[derive(Debug, Clone, Default)]
pub struct IssueFilter {
    /// `open`, `closed` or `all`; nothing: `open`.
    pub state: Option<String>,
    /// Only those with one of these labels.
    pub labels: Vec<String>,
    /// Only those of one of these milestones, by title or number.
    pub milestones: Vec<String>,
    /// Only those that changed since then, RFC 3339.
    pub since: Option<String>,
    /// At most so many, the last changed first.
    pub limit: Option<usize>,
}

/// What is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EstimateStage {
    /// Listing the open issues, of which the repo says how many it has, pull requests among them.
    Open,
    /// Listing others, of which nobody says how many there are.
    List,
    /// All of issues that were named.
    Named,
    /// Comments and relations of issues that are known.
    Rest,
}

/// What a run is about to cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// What of it.
    pub stage: EstimateStage,
    /// Issues, where somebody knows.
    pub issues: u64,
    /// Requests for that.
    pub requests: u64,
    /// How many the server still allows, where it said.
    pub remaining: Option<u64>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub step: &'static str,
    /// How many are done.
    pub done: u64,
    /// Of how many; 0 where nobody knows.
    pub of: u64,
}

/// Who is told how a run goes.
pub trait SyncObserver {
    /// What comes is going to cost so much.
    fn estimate(&mut self, estimate: Estimate);
    /// A step was made.
    fn progress(&mut self, progress: Progress);
    /// A request is sent; so many were, with it.
    fn request(&mut self, sent: u64);
    /// Nothing is done for this time.
    fn waiting(&mut self, time: Duration, why: &'static str);
}

/// What a run did.
#[derive(Debug, Default)]
pub struct SyncSummary {
    /// Files of the snapshot, from the repo's root, and `written` or `removed`; sorted.
    pub changed: Vec<(String, &'static str)>,
    /// How many files were as they should be.
    pub unchanged: usize,
    /// How many issues were asked for.
    pub issues: usize,
    /// Requests that were sent.
    pub requests: u64,
    /// How many the server still allows.
    pub remaining: Option<u64>,
    /// When it allows more, in seconds since 1970.
    pub reset: Option<u64>,
    /// Whether everything was asked for that had to be; else a next run goes on.
    pub complete: bool,
    /// Whether the next run for the same goes on where this one ended.
    pub resumes: bool,
    /// What a reader should know, sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// What could not be had.
    pub failed: Vec<String>,
    /// What ended the run.
    pub error: Option<SyncError>,
}
