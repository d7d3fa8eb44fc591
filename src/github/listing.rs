//! Which issues: lists of the repo, and those that work items name.

use super::IssueKey;
use super::client::{FetchError, FetchOutcome};
use super::convert::is_pull;
use super::memory::ListPage;
use super::pages::no_list;
use super::strange::Strange;
use super::sync::{StepError, SyncEngine};
use super::walk::{End, Walk};
use super::{IssueFilter, Progress};
use std::collections::BTreeSet;

/// The most pages of a list of issues: a hundred thousand issues.
const MOST_PAGES: usize = 1000;

impl SyncEngine<'_> {
    /// Reads the lists of issues to their ends, from where a broken run left them.
    pub(super) fn listing(&mut self) -> Result<(), StepError> {
        let filter = &self.request.filter;
        let mut lists = self.run.lists.take().unwrap_or_else(|| filter.paths(&self.setting.repo));
        let mut seen = BTreeSet::new();
        let mut walk: Option<Walk> = None;
        while let Some(path) = lists.first().cloned() {
            self.run.lists = Some(lists.clone());
            let walk_here = walk.get_or_insert_with(|| Walk::new(&path, MOST_PAGES));
            self.client.watcher.progress(Progress { step: "issues listed", done: self.run.wanted.len() as u64, of: 0 });
            let (next, new) = self.list_page(&path, &mut seen)?;
            let full = filter.limit.is_some_and(|limit| self.run.wanted.len() >= limit);
            match next {
                _ if full => lists.clear(),
                next => {
                    let next = walk_here.go(next, new).map_err(|end| match end {
                        End::Long(_) => {
                            FetchError::endless(&format!("{}; ask for fewer issues, such as by `--label`", end.why()))
                        }
                        End::Endless(_) => FetchError::endless(&end.why()),
                    })?;
                    match next {
                        Some(next) => lists[0] = next,
                        None => {
                            lists.remove(0);
                            walk = None;
                        }
                    }
                }
            }
            self.run.lists = Some(lists.clone());
            self.save()?;
        }
        Ok(())
    }

    /// Takes one page; gives the path of the next, and how many entries no page had before.
    fn list_page(&mut self, path: &str, seen: &mut BTreeSet<u64>) -> Result<(Option<String>, usize), StepError> {
        let repo = self.setting.repo.clone();
        let mark = self.request.filter.mark(path);
        let known = match self.memory.pages.get(&mark).cloned() {
            Some(page) if self.is_there(&repo, &page.wanted)? => Some(page),
            _ => None,
        };
        let page = match self.client.get(path, known.as_ref().map(|page| page.etag.as_str()))? {
            FetchOutcome::Page(page) => page,
            FetchOutcome::Same => {
                let known = known.ok_or_else(|| FetchError::Server("304 for what was not known".to_owned()))?;
                // What was on it besides the issues that were wanted is not known.
                let new = known.wanted.len().max(1);
                for number in known.wanted {
                    if self.take(&repo, number) {
                        self.touch(&IssueKey::new(&repo, number), true)?;
                    }
                }
                return Ok((known.next, new));
            }
            FetchOutcome::Missing => return Err(StepError::Missing(format!("the issues of `{repo}` may not be seen"))),
            FetchOutcome::Refused(why) => return Err(self.refused(&format!("the issues of `{repo}`"), why.as_deref())),
            // Issues are switched off.
            FetchOutcome::Gone => return Ok((None, 0)),
        };
        let entries = page.value.as_array().ok_or_else(|| no_list(&page.value))?;
        let new = entries.iter().filter(|entry| entry["id"].as_u64().is_some_and(|id| seen.insert(id))).count();
        let mut wanted = Vec::new();
        let mut strange = Strange::default();
        for value in entries {
            let Some(key) = strange.note(self.convert.key(value, Some(&repo))) else { continue };
            if is_pull(value) || key.repo != repo || !self.request.filter.takes(value) {
                continue;
            }
            let Some(fetched) = strange.note(self.convert.issue(value, &key)) else { continue };
            wanted.push(key.number);
            if self.take(&repo, key.number) {
                self.put(fetched, &key, true, true)?;
            }
        }
        self.memory.pages.remove(&mark);
        // A page that is not taken whole is asked for again.
        if let Some(etag) = page.etag.filter(|_| strange.is_none()) {
            self.memory.pages.insert(mark, ListPage { etag, next: page.next.clone(), wanted });
        }
        self.strange(&strange, || format!("the list of issues of `{repo}`"));
        Ok((page.next, new))
    }

    /// Adds an issue to those that were asked for, where the limit lets it.
    fn take(&mut self, repo: &str, number: u64) -> bool {
        let key = (repo.to_owned(), number);
        let room = self.request.filter.limit.is_none_or(|limit| self.run.wanted.len() < limit);
        (room || self.run.wanted.contains(&key)) && {
            self.run.wanted.insert(key);
            true
        }
    }

    fn is_there(&mut self, repo: &str, numbers: &[u64]) -> Result<bool, StepError> {
        for number in numbers {
            let key = IssueKey::new(repo, *number);
            if !self.memory.seen.contains_key(&key.id()) || self.files.read(&key)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fetches what no list has: issues that work items name, and those that left the list.
    pub(super) fn named(&mut self) -> Result<(), StepError> {
        let mut keys: Vec<IssueKey> = self.request.claimed.clone();
        if self.request.filter.is_all_open() {
            let repo = self.setting.repo.clone();
            for number in self.files.numbers(&repo)? {
                let key = IssueKey::new(&repo, number);
                let left = |issue: crate::model::SnapshotIssue| issue.asked && issue.state == "open";
                if self.files.read(&key)?.is_some_and(left) {
                    keys.push(key);
                }
            }
        }
        keys.retain(|key| !self.run.wanted.contains(&(key.repo.clone(), key.number)));
        keys.sort();
        keys.dedup();
        let of = keys.len() as u64;
        for (done, key) in keys.into_iter().enumerate() {
            self.client.watcher.progress(Progress { step: "named issues", done: done as u64, of });
            self.single(&key, true)?;
        }
        // Whoever is asked for is written anew by now; what is left are issues that no list has.
        for (key, asked) in self.files.broken()? {
            self.single(&key, asked)?;
        }
        Ok(())
    }

    /// Fetches what work items refer to and no list of relations brought.
    pub(super) fn linked(&mut self) -> Result<(), StepError> {
        let keys: Vec<&IssueKey> =
            self.request.linked.iter().filter(|key| !self.run.fresh.contains(&key.id())).collect();
        let of = keys.len() as u64;
        for (done, key) in keys.into_iter().enumerate() {
            self.client.watcher.progress(Progress { step: "linked issues", done: done as u64, of });
            self.single(key, false)?;
        }
        Ok(())
    }
}

impl IssueFilter {
    /// The first page of each list: one list a label, since the server takes several only together.
    fn paths(&self, repo: &str) -> Vec<String> {
        let state = self.state.as_deref().unwrap_or("open");
        // Rising numbers, so that what is opened meanwhile comes last; with a limit the last changed count.
        let order = match self.limit {
            Some(_) => "sort=updated&direction=desc",
            None => "sort=created&direction=asc",
        };
        let since = self.since.as_ref().map(|since| format!("&since={}", encoded(since))).unwrap_or_default();
        let path = |label: &str| format!("/repos/{repo}/issues?state={state}&per_page=100&{order}{since}{label}");
        match self.labels.as_slice() {
            [] => vec![path("")],
            labels => labels.iter().map(|label| path(&format!("&labels={}", encoded(label)))).collect(),
        }
    }

    /// Under which name a page is remembered: milestones choose among its issues and do not stand in its path.
    fn mark(&self, path: &str) -> String {
        match self.milestones.as_slice() {
            [] => path.to_owned(),
            milestones => format!("{path} {milestones:?}"),
        }
    }

    /// Whether an issue is of one of the milestones.
    fn takes(&self, value: &serde_json::Value) -> bool {
        let milestone = &value["milestone"];
        self.milestones.is_empty()
            || self.milestones.iter().any(|wanted| {
                milestone["title"].as_str().is_some_and(|title| title.eq_ignore_ascii_case(wanted))
                    || milestone["number"].as_u64().is_some_and(|number| number.to_string() == *wanted)
            })
    }

    /// Whether every open issue is listed, so that one that is missing is open no more.
    pub(super) fn is_all_open(&self) -> bool {
        self.state.as_deref() != Some("closed")
            && self.labels.is_empty()
            && self.milestones.is_empty()
            && self.since.is_none()
            && self.limit.is_none()
    }
}

/// Percent-encodes a value of a query.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
