//! A run from request to snapshot.

use super::budget::Budget;
use super::client::{Client, Got, Limits, Stop};
use super::convert::{Converter, Fetched};
use super::files::Files;
use super::memory::{Memory, Run, Seen};
use super::texts::Door;
use super::{Api, Clock, IssueKey, Secrets, SyncError, Transport};
use crate::model::{Code, Completeness, Diagnostic, RepoPath, SnapshotComments, SnapshotIssue, SnapshotRelation};
use crate::redact::Redactor;
use crate::store::StoreError;
use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::Duration;

/// How long after its last request an unfinished run is gone on with, in seconds; later it begins anew.
const REST: u64 = 2 * 3600;
/// How long an unfinished run may take in all, in seconds: what it began with grows old.
const LONGEST: u64 = 24 * 3600;
/// How many requests may fail in a row before the run ends.
const FAILING: u32 = 3;
/// How often the side file is written at most.
const SAVING: Duration = Duration::from_secs(1);

/// Where things are, and what may be spent.
#[derive(Debug)]
pub struct Setting {
    /// The repo's root on disk.
    pub root: PathBuf,
    /// The snapshot's folder.
    pub folder: RepoPath,
    /// The host of pages.
    pub host: String,
    /// `owner/name` of the repo.
    pub repo: String,
    /// The API.
    pub api: Api,
    /// The token, and what else must not be told.
    pub secrets: Secrets,
    /// What the run may cost.
    pub limits: Limits,
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// These issues, in full; where there are any, nothing else is looked at.
    pub roots: Vec<IssueKey>,
    /// Issues that work items claim.
    pub claimed: Vec<IssueKey>,
    /// Issues that work items refer to.
    pub linked: Vec<IssueKey>,
    /// Which issues of the repo.
    pub filter: Filter,
}

/// Which issues of the repo are asked for.
#[derive(Debug, Clone, Default)]
pub struct Filter {
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

/// What a run is about to cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Issues; before they are listed, those and pull requests that the repo says it has.
    pub issues: u64,
    /// Whether they are listed.
    pub listed: bool,
    /// Requests from here on.
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
pub trait Watcher {
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
pub struct Summary {
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
    /// What a reader should know, sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// What could not be had.
    pub failed: Vec<String>,
    /// What ended the run.
    pub error: Option<SyncError>,
}

/// Asks GitHub for what `request` names, and writes it to the snapshot.
///
/// Files are written whole or not at all, and only what is complete replaces what was.
pub fn sync(
    transport: &mut dyn Transport,
    clock: &mut dyn Clock,
    watcher: &mut dyn Watcher,
    redactor: &Redactor,
    setting: &Setting,
    request: &Request,
) -> Summary {
    let convert = Converter {
        door: Door { redactor, secrets: &setting.secrets },
        host: &setting.host,
        folder: setting.folder.as_str(),
        ours: Some(&setting.repo),
        renamed: OnceCell::new(),
    };
    let budget = Budget { most: setting.limits.max_requests, ..Budget::default() };
    let (api, secrets, wait_left) = (setting.api.clone(), setting.secrets.clone(), setting.limits.max_wait);
    let client = Client { transport, clock, watcher, api, secrets, budget, wait_left };
    let about = format!("{} {} {}", setting.api.origin, setting.folder, setting.repo);
    let memory = match Memory::load(&setting.root, &about) {
        Ok(memory) => memory,
        Err(error) => return Summary { error: Some(error.into()), ..Summary::default() },
    };
    let mut engine = Engine {
        files: Files::new(setting.root.clone(), setting.folder.clone()),
        run: Run::default(),
        summary: Summary::default(),
        failing: 0,
        broken: 0,
        saved: Duration::ZERO,
        no_relations: false,
        client,
        memory,
        setting,
        request,
        convert: &convert,
    };
    engine.begin();
    let ended = engine.all();
    engine.finish(ended)
}

/// What ends a step.
pub(super) enum Fault {
    Stop(Stop),
    Missing(String),
    Store(StoreError),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What became of a single issue.
pub(super) enum Single {
    /// It is in the snapshot, here.
    There(IssueKey),
    /// It is not.
    Absent,
}

pub(super) struct Engine<'a> {
    pub(super) client: Client<'a>,
    pub(super) files: Files,
    pub(super) memory: Memory,
    pub(super) run: Run,
    pub(super) setting: &'a Setting,
    pub(super) request: &'a Request,
    pub(super) convert: &'a Converter<'a>,
    pub(super) summary: Summary,
    failing: u32,
    /// How many requests failed that may work next time.
    broken: u32,
    saved: Duration,
    pub(super) no_relations: bool,
}

impl Engine<'_> {
    /// Takes up a run that was asked for the same, or begins one.
    fn begin(&mut self) {
        let key = format!("{:?}", self.request);
        let now = self.client.clock.now().as_secs();
        self.run = match self.memory.run.take() {
            Some(run)
                if run.key == key
                    && now.saturating_sub(run.touched) < REST
                    && now.saturating_sub(run.started) < LONGEST =>
            {
                run
            }
            _ => Run { key, started: now, ..Run::default() },
        };
        if let Some(name) = &self.run.renamed {
            let _known_already = self.convert.renamed.set(name.clone());
        }
    }

    fn all(&mut self) -> Result<(), Fault> {
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
        self.comments()
    }

    fn finish(mut self, ended: Result<(), Fault>) -> Summary {
        let mut summary = std::mem::take(&mut self.summary);
        summary.complete = ended.is_ok() && summary.failed.is_empty();
        let stopped = ended.is_err();
        if self.no_relations {
            let message = "the server has no lists of sub-issues and dependencies; relations stay unknown";
            let help = "relations stated in texts and work items are read all the same";
            summary.diagnostics.push(Diagnostic::new(Code::UnknownRelations, None, message).help(help));
        }
        summary.error = match ended {
            Ok(()) | Err(Fault::Stop(Stop::Spent)) => None,
            Err(Fault::Stop(Stop::Auth(why))) => Some(SyncError::Auth(why)),
            Err(Fault::Stop(Stop::Limit(why))) => Some(SyncError::RateLimit(why)),
            Err(Fault::Stop(Stop::Network(why))) => Some(SyncError::Network(why)),
            Err(Fault::Stop(Stop::Server(why))) => Some(SyncError::Server(why)),
            Err(Fault::Missing(what)) => Some(SyncError::NotFound(what)),
            Err(Fault::Store(error)) => Some(error.into()),
        };
        summary.issues = self.run.wanted.len();
        // An issue that is not there is no reason to leave the others as they are.
        self.run.touched = self.client.clock.now().as_secs();
        self.memory.run = (summary.error.is_some() || stopped || self.broken > 0).then(|| self.run.clone());
        if let Err(error) = self.memory.save(&self.setting.root) {
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

    /// Writes the side file, unless that was just done: what is lost then is asked for again.
    pub(super) fn save(&mut self) -> Result<(), Fault> {
        let now = self.client.clock.now();
        if now.saturating_sub(self.saved) < SAVING {
            return Ok(());
        }
        self.saved = now;
        self.run.touched = now.as_secs();
        self.memory.run = Some(self.run.clone());
        self.memory.save(&self.setting.root)?;
        Ok(())
    }

    /// Looks whether the repo is there, under which name, and whether it is private.
    fn repo(&mut self) -> Result<(), Fault> {
        let repo = &self.setting.repo;
        if self.run.repos.contains_key(repo) {
            return Ok(());
        }
        let page = match self.client.get(&format!("/repos/{repo}"), None)? {
            Got::Page(page) => page.value,
            _ => {
                let hint =
                    if self.setting.secrets.is_authenticated() { "this token" } else { "anybody without a token" };
                return Err(Fault::Missing(format!("`{repo}` does not exist, or {hint} may not see it")));
            }
        };
        if let Some(name) = page["full_name"].as_str().filter(|name| !name.eq_ignore_ascii_case(repo)) {
            let message = format!("`{repo}` is named `{name}` now");
            let help = format!("set `github.repo: {name}`, and move its folder of the snapshot");
            self.summary.diagnostics.push(Diagnostic::new(Code::IssueMoved, None, message).help(help));
            let _once = self.convert.renamed.set(name.to_owned());
            self.run.renamed = Some(name.to_owned());
        }
        self.run.repos.insert(repo.clone(), page["private"].as_bool());
        let roots = self.request.roots.len() as u64;
        let open = page["open_issues_count"].as_u64().unwrap_or_default();
        let (issues, requests) = if roots > 0 { (roots, roots * 6) } else { (open, open.div_ceil(100).max(1)) };
        let remaining = self.client.budget.remaining;
        self.client.watcher.estimate(Estimate { issues, listed: roots > 0, requests, remaining });
        Ok(())
    }

    /// Whether a repo is private; nothing where that cannot be seen.
    fn private(&mut self, repo: &str) -> Result<Option<bool>, Fault> {
        if let Some(known) = self.run.repos.get(repo) {
            return Ok(*known);
        }
        let answer = self.client.get(&format!("/repos/{repo}"), None);
        let private = match self.passing(answer, || format!("whether `{repo}` is private"))? {
            Some(Got::Page(page)) => page.value["private"].as_bool(),
            _ => None,
        };
        self.run.repos.insert(repo.to_owned(), private);
        Ok(private)
    }

    /// Notes what failed and may work next time; ends the run where nothing works any more.
    pub(super) fn passing<T>(
        &mut self,
        answer: Result<T, Stop>,
        what: impl FnOnce() -> String,
    ) -> Result<Option<T>, Fault> {
        match answer {
            Ok(got) => {
                self.failing = 0;
                Ok(Some(got))
            }
            Err(stop) if stop.is_passing() && self.failing + 1 < FAILING => {
                self.fails(&stop, what());
                Ok(None)
            }
            Err(stop) => Err(stop.into()),
        }
    }

    /// Notes what failed in the middle.
    pub(super) fn fails(&mut self, stop: &Stop, what: String) {
        self.failing += 1;
        self.broken += 1;
        let why = match stop {
            Stop::Network(why) | Stop::Server(why) => why.as_str(),
            _ => "it was not answered",
        };
        self.summary.failed.push(format!("{what}: {why}"));
    }

    /// Fetches the issues that were named, one by one.
    fn roots(&mut self) -> Result<(), Fault> {
        let mut roots = self.request.roots.clone();
        roots.sort();
        roots.dedup();
        let of = roots.len() as u64;
        for (done, key) in roots.into_iter().enumerate() {
            self.client.watcher.progress(Progress { step: "issues", done: done as u64, of });
            if let Single::Absent = self.single(&key, true)? {
                // The next run asks for it again.
                self.run.single.remove(&key.id());
                self.summary.failed.push(format!("not found: `{key}` does not exist, or may not be seen"));
            }
        }
        Ok(())
    }

    /// Fetches one issue by its number, once a run.
    pub(super) fn single(&mut self, key: &IssueKey, asked: bool) -> Result<Single, Fault> {
        if self.run.single.contains(&key.id()) {
            let there = self.files.read(key)?.is_some();
            return Ok(if there { Single::There(key.clone()) } else { Single::Absent });
        }
        let path = key.path();
        let known = self.memory.seen.contains_key(&key.id()) && self.files.read(key)?.is_some();
        let etag = self.memory.etags.get(&path).filter(|_| known).cloned();
        let got = self.client.get(&path, etag.as_deref());
        let Some(got) = self.passing(got, || format!("`{key}`"))? else {
            let there = self.files.read(key)?.is_some();
            return Ok(if there { Single::There(key.clone()) } else { Single::Absent });
        };
        let single = match got {
            Got::Same => {
                self.touch(key, asked)?;
                Single::There(key.clone())
            }
            Got::Page(page) => {
                let found = self.convert.key(&page.value, Some(&key.repo));
                let fetched = found.and_then(|found| Some((self.convert.issue(&page.value, &found)?, found)));
                let Some((fetched, found)) = fetched else {
                    return Err(Stop::Server(format!("what came for `{key}` is no issue")).into());
                };
                self.memory.etags.remove(&path);
                if found == *key {
                    self.memory.etags.extend(page.etag.map(|etag| (path, etag)));
                } else {
                    self.files.remove(key)?;
                    let message = format!("`{key}` was moved to `{found}`");
                    let help = format!("name `{found}` where the old number stands");
                    self.tell(Code::IssueMoved, &message, &help, key);
                }
                self.put(fetched, &found, asked, true)?;
                Single::There(found)
            }
            Got::Gone => {
                self.files.remove(key)?;
                self.memory.seen.remove(&key.id());
                let help = "take it out of the work items that name it";
                self.tell(Code::IssueGone, &format!("`{key}` was deleted"), help, key);
                Single::Absent
            }
            Got::Missing | Got::Refused => {
                let message = format!("`{key}` does not exist, or may not be seen");
                let help =
                    "correct the number, or use a token that may read the repo; what the snapshot has of it stays";
                self.tell(Code::IssueNotVisible, &message, help, key);
                Single::Absent
            }
        };
        if let (Single::There(found), true) = (&single, asked) {
            self.run.wanted.insert((found.repo.clone(), found.number));
        }
        self.run.single.insert(key.id());
        self.save()?;
        Ok(single)
    }

    fn tell(&mut self, code: Code, message: &str, help: &str, key: &IssueKey) {
        self.summary.diagnostics.push(Diagnostic::new(code, None, message).help(help).about(key.to_string()));
    }

    /// Marks an issue that did not change as part of this run.
    pub(super) fn touch(&mut self, key: &IssueKey, asked: bool) -> Result<(), Fault> {
        let private = self.private(&key.repo)?;
        if let Some(mut issue) = self.files.read(key)? {
            issue.asked |= asked;
            issue.private = private;
            self.files.write(&issue)?;
        }
        self.run.fresh.insert(key.id());
        Ok(())
    }

    /// Writes an issue, and keeps what is known of it beside.
    ///
    /// An answer of its own (`whole`) counts more than a line in somebody's list, and of those the first of a run:
    /// so it does not matter in which order things are fetched, or how often a run is broken off.
    pub(super) fn put(&mut self, fetched: Fetched, key: &IssueKey, asked: bool, whole: bool) -> Result<(), Fault> {
        let Fetched { mut issue, seen } = fetched;
        let id = key.id();
        if !whole && self.run.fresh.contains(&id) {
            return Ok(());
        }
        issue.asked = asked;
        issue.private = match issue.private {
            Some(private) if key.repo != self.setting.repo => Some(private),
            _ => self.private(&key.repo)?,
        };
        let old = self.files.read(key)?;
        if let Some(old) = &old {
            issue.asked |= old.asked;
            issue.comments = old.comments.clone();
            issue.relations = old.relations.clone();
        }
        settle(&mut issue, &seen);
        if whole {
            self.memory.seen.insert(id.clone(), seen);
        } else if old.is_some_and(|old| old != issue) {
            // The marks of its own answers are not about this text.
            self.memory.seen.remove(&id);
        }
        self.files.write(&issue)?;
        self.run.fresh.insert(id);
        Ok(())
    }

    /// Says what is left to do once it is known which issues there are.
    fn plan(&mut self) -> Result<(), Fault> {
        let requests = self.relation_requests() + self.comment_requests()?;
        let remaining = self.client.budget.remaining;
        let issues = self.run.wanted.len() as u64;
        self.client.watcher.estimate(Estimate { issues, listed: true, requests, remaining });
        Ok(())
    }
}

/// Fills in what an issue's own summary says there is none of.
fn settle(issue: &mut SnapshotIssue, seen: &Seen) {
    if seen.comments == Some(0) {
        issue.comments = SnapshotComments { completeness: Completeness::Complete, items: Vec::new() };
    }
    let relations = &mut issue.relations;
    let none = |relation: &mut SnapshotRelation, holds: bool| {
        if holds {
            relation.completeness = Completeness::Complete;
            relation.issues.clear();
        }
    };
    none(&mut relations.sub_issues, seen.sub_issues == Some(0));
    none(&mut relations.blocked_by, seen.blocked_by == Some(0));
    none(&mut relations.blocking, seen.blocking == Some(0));
    // A server that knows sub-issues names the parent where there is one.
    none(&mut relations.parent, seen.parent.is_none() && seen.sub_issues.is_some());
}
