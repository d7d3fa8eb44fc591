//! A sync run from request to snapshot.

use super::client::{ApiAnswer, Client, RequestBudget, with_reason};
use super::comments::sum;
use super::convert::Converter;
use super::files::SnapshotDir;
use super::scrubber::SnapshotScrubber;
use super::shape::{UnexpectedEntries, check_repo};
use super::sync_state::{RunProgress, SyncState};
use super::{Clock, EstimateStage, IssueKey, SyncError, SyncEvent, SyncRequest, SyncSettings, SyncSummary, Transport};
use crate::model::{Code, Diagnostic, is_repo_name};
use crate::redact::Redactor;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long after its last request an unfinished run can be resumed, in seconds.
const RESUME_WITHIN: u64 = 2 * 3600;
/// How long after its beginning an unfinished run can be resumed, in seconds: its first answers become outdated.
const MAX_RUN_TIME: u64 = 24 * 3600;
/// The number of failed requests in a row that ends a run.
const MAX_FAILURES: u32 = 3;
/// The least time between two writes of the saved state.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// Fetches from GitHub what `request` names, and writes it to the snapshot.
///
/// Files are written atomically, and only complete data replaces existing data.
pub fn sync(
    transport: &mut dyn Transport,
    clock: &mut dyn Clock,
    observer: &mut dyn FnMut(SyncEvent),
    redactor: &Redactor,
    setting: &SyncSettings,
    request: &SyncRequest,
) -> SyncSummary {
    let convert = Converter {
        scrubber: SnapshotScrubber { redactor, secrets: &setting.secrets },
        setting,
        renamed: OnceCell::new(),
    };
    let client = Client {
        transport,
        clock,
        observer,
        api: &setting.api,
        secrets: &setting.secrets,
        budget: RequestBudget { most: setting.limits.max_requests, ..RequestBudget::default() },
        wait_left: setting.limits.max_wait,
    };
    // What an entry of `redaction` lets through or finds now was scrubbed otherwise then.
    let about = format!("{} {} {} {:?}", setting.api.origin, setting.folder, setting.repo, redactor.fingerprint());
    let state = SyncState::load(setting.cache.as_ref(), &about);
    let mut engine = SyncEngine {
        files: SnapshotDir::new(setting.root.clone(), setting.folder.clone()),
        run: RunProgress::default(),
        summary: SyncSummary::default(),
        failing: 0,
        broken: 0,
        saved: Duration::ZERO,
        lacking: BTreeSet::new(),
        client,
        state,
        setting,
        request,
        convert: &convert,
    };
    engine.begin();
    let ended = engine.all();
    engine.finish(ended)
}

pub(super) struct SyncEngine<'a> {
    pub(super) client: Client<'a>,
    pub(super) files: SnapshotDir,
    pub(super) state: SyncState,
    pub(super) run: RunProgress,
    pub(super) setting: &'a SyncSettings,
    pub(super) request: &'a SyncRequest,
    pub(super) convert: &'a Converter<'a>,
    pub(super) summary: SyncSummary,
    /// The number of failed requests in a row.
    failing: u32,
    /// The number of failed requests that may succeed in another run.
    broken: u32,
    saved: Duration,
    /// The lists of relations that the server does not have.
    pub(super) lacking: BTreeSet<&'static str>,
}

impl SyncEngine<'_> {
    /// Resumes an unfinished run of the same request, or begins a new one.
    fn begin(&mut self) {
        let key = format!("{:?}", self.request);
        let now = self.client.clock.now().as_secs();
        self.run = match self.state.run.take() {
            Some(run)
                if run.key == key
                    && now.saturating_sub(run.touched) < RESUME_WITHIN
                    && now.saturating_sub(run.started) < MAX_RUN_TIME =>
            {
                run
            }
            _ => RunProgress { key, started: now, ..RunProgress::default() },
        };
        if let Some(name) = &self.run.renamed {
            let _known_already = self.convert.renamed.set(name.clone());
        }
    }

    fn all(&mut self) -> Result<(), SyncError> {
        self.repo()?;
        if self.request.roots.is_empty() {
            self.listing()?;
            self.named()?;
        } else {
            self.roots()?;
        }
        self.plan()?;
        self.relations()?;
        self.linked()?;
        self.comments()?;
        self.commit_lines()
    }

    fn finish(mut self, ended: Result<(), SyncError>) -> SyncSummary {
        let mut summary = std::mem::take(&mut self.summary);
        summary.complete = ended.is_ok() && summary.failed.is_empty();
        let stopped = ended.is_err();
        if !self.lacking.is_empty() {
            let word = |name: &&str| if *name == "sub_issues" { "sub-issues" } else { "dependencies" };
            let mut lists: Vec<&str> = self.lacking.iter().rev().map(word).collect();
            lists.dedup();
            let message = format!("the server has no lists of {}; these relations stay unknown", lists.join(" and "));
            let help = "relations stated in texts and work items are read all the same";
            summary.diagnostics.push(Diagnostic::new(Code::UnknownRelations, None, message).help(help));
        }
        summary.error = ended.err().filter(|error| !matches!(error, SyncError::Spent));
        summary.issues = self.run.wanted.len();
        // A missing issue alone does not make the run resumable: the next run fetches all issues again.
        self.run.touched = self.client.clock.now().as_secs();
        self.state.run = (summary.error.is_some() || stopped || self.broken > 0).then(|| self.run.clone());
        summary.resumes = self.state.run.is_some();
        let saved = self.files.flush().and_then(|()| self.state.save(self.setting.cache.as_ref()));
        if let Err(error) = saved {
            summary.error.get_or_insert(error.into());
        }
        summary.changed = std::mem::take(&mut self.files.changed).into_iter().collect();
        summary.unchanged = self.files.unchanged.len();
        summary.requests = self.client.budget.sent;
        (summary.remaining, summary.reset) = (self.client.budget.remaining, self.client.budget.reset);
        summary.diagnostics.sort();
        summary.diagnostics.dedup();
        summary
    }

    /// Saves the state, unless that was just done; what is lost then is fetched again.
    pub(super) fn save(&mut self) -> Result<(), SyncError> {
        let now = self.client.clock.now();
        if now.saturating_sub(self.saved) < SAVE_INTERVAL {
            return Ok(());
        }
        self.saved = now;
        self.run.touched = now.as_secs();
        self.state.run = Some(self.run.clone());
        self.files.flush()?;
        self.state.save(self.setting.cache.as_ref())?;
        Ok(())
    }

    /// Finds out whether the repo exists, under which name, and whether it is private.
    fn repo(&mut self) -> Result<(), SyncError> {
        let repo = &self.setting.repo;
        if self.run.repos.contains_key(repo) {
            return Ok(());
        }
        let page = match self.client.get(&format!("/repos/{repo}"), None)? {
            ApiAnswer::Page(page) => page.value,
            ApiAnswer::Refused(why) => return Err(self.refused(&format!("`{repo}`"), why.as_deref())),
            _ => return Err(SyncError::NotFound(format!("`{repo}` does not exist, or {} may not see it", self.who()))),
        };
        check_repo(&page)?;
        let is_other = |name: &&str| {
            is_repo_name(name) && !name.eq_ignore_ascii_case(repo) && !self.setting.secrets.occurs_in(name)
        };
        if let Some(name) = page["full_name"].as_str().filter(is_other) {
            let message = format!("`{repo}` is named `{name}` now");
            let help = format!("set `github.repo: {name}`, and move its folder of the snapshot");
            self.summary.diagnostics.push(Diagnostic::new(Code::IssueMoved, None, message).help(help));
            let _once = self.convert.renamed.set(name.to_owned());
            self.run.renamed = Some(name.to_owned());
        }
        self.run.repos.insert(repo.clone(), page["private"].as_bool());
        let roots = self.request.roots.len() as u64;
        let open = page["open_issues_count"].as_u64().unwrap_or_default();
        let filter = &self.request.filter;
        let (stage, issues, requests) = match filter.limit {
            _ if roots > 0 => (EstimateStage::Named, roots, roots * 6),
            None if filter.is_all_open() && filter.state.as_deref() != Some("all") => {
                (EstimateStage::Open, open, open.div_ceil(100).max(1))
            }
            limit => (EstimateStage::List, 0, limit.map_or(1, |limit| (limit as u64).div_ceil(100))),
        };
        let remaining = self.client.budget.remaining;
        (self.client.observer)(SyncEvent::Estimate { stage, issues, requests, remaining });
        Ok(())
    }

    fn who(&self) -> &'static str {
        if self.setting.secrets.is_authenticated() { "this token" } else { "anybody without a token" }
    }

    /// Returns the error of a 403 answer without which the run cannot continue.
    pub(super) fn refused(&self, what: &str, why: Option<&str>) -> SyncError {
        SyncError::Auth(with_reason(&format!("{} may not read {what} (403)", self.who()), why))
    }

    /// Returns whether a repo is private; `None` if that is not visible.
    pub(super) fn private(&mut self, repo: &str) -> Result<Option<bool>, SyncError> {
        if let Some(known) = self.run.repos.get(repo) {
            return Ok(*known);
        }
        let answer = self.client.get(&format!("/repos/{repo}"), None);
        let private = answer.and_then(|answer| match answer {
            ApiAnswer::Page(page) => check_repo(&page.value).map(|()| page.value["private"].as_bool()),
            _ => Ok(None),
        });
        let private = self.tolerate(private, || format!("whether `{repo}` is private"))?.flatten();
        self.run.repos.insert(repo.to_owned(), private);
        Ok(private)
    }

    /// Records a transient failure and returns `None`; too many in a row, or another error, end the run.
    pub(super) fn tolerate<T>(
        &mut self,
        answer: Result<T, SyncError>,
        what: impl FnOnce() -> String,
    ) -> Result<Option<T>, SyncError> {
        match answer {
            Ok(got) => {
                self.failing = 0;
                Ok(Some(got))
            }
            Err(stop) if stop.is_transient() && self.failing + 1 < MAX_FAILURES => {
                self.record_failure(&stop, what());
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    pub(super) fn record_failure(&mut self, stop: &SyncError, what: String) {
        self.failing += 1;
        self.broken += 1;
        let why = match stop {
            SyncError::Network(why) | SyncError::Server(why) => why,
            _ => "it was not answered",
        };
        self.summary.failed.push(format!("{what}: {why}"));
    }

    fn roots(&mut self) -> Result<(), SyncError> {
        let roots: BTreeSet<IssueKey> = self.request.roots.iter().cloned().collect();
        self.for_each("issues", roots, |engine, key| {
            if engine.single(key, true)?.is_none() {
                // A resumed run fetches it again.
                engine.run.single.remove(key);
                engine.summary.failed.push(format!("not found: `{key}` does not exist, or may not be seen"));
            }
            Ok(())
        })
    }

    /// Calls `act` for each issue, and reports the progress of the step.
    pub(super) fn for_each(
        &mut self,
        step: &'static str,
        keys: BTreeSet<IssueKey>,
        act: impl Fn(&mut Self, &IssueKey) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        for (done, key) in keys.iter().enumerate() {
            self.client.progress(step, done, keys.len() as u64);
            act(self, key)?;
        }
        Ok(())
    }

    /// Estimates the rest of the run once the issues are known.
    fn plan(&mut self) -> Result<(), SyncError> {
        let requests = self.relation_requests().saturating_add(sum(self.outdated_comments()?.values()));
        let remaining = self.client.budget.remaining;
        let issues = self.run.wanted.len() as u64;
        (self.client.observer)(SyncEvent::Estimate { stage: EstimateStage::Rest, issues, requests, remaining });
        Ok(())
    }

    /// Reports the unexpected entries of a list. Existing records are unchanged, and the run is not complete.
    pub(super) fn report_unexpected(&mut self, unexpected: &UnexpectedEntries, list: impl FnOnce() -> String) {
        if !unexpected.is_none() {
            self.summary.failed.push(format!("{}: {}", list(), unexpected.describe()));
        }
    }
}
