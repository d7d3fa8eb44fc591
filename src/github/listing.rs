//! The issues of a run: the repo's lists, and those that work items name.

use super::address::percent_encode;
use super::client::ApiAnswer;
use super::convert::is_pull;
use super::pages::Pagination;
use super::shape::UnexpectedEntries;
use super::sync::SyncEngine;
use super::sync_state::ListPage;
use super::{IssueFilter, IssueKey, SyncError};
use std::collections::BTreeSet;

/// The most pages of a list of issues: enough for a hundred thousand issues.
const MAX_PAGES: usize = 1000;
const TOO_LONG: &str = "; ask for fewer issues, such as by `--label`";

impl SyncEngine<'_> {
    /// Reads the lists of issues to their ends, from where an interrupted run left them.
    pub(super) fn listing(&mut self) -> Result<(), SyncError> {
        let filter = &self.request.filter;
        let mut lists = self.run.lists.take().unwrap_or_else(|| filter.paths(&self.setting.repo));
        let mut walk: Option<Pagination> = None;
        while let Some(path) = lists.first().cloned() {
            self.run.lists = Some(lists.clone());
            let walk_here = walk.get_or_insert_with(|| Pagination::new(&path, MAX_PAGES).hint(TOO_LONG));
            self.client.progress("issues listed", self.run.wanted.len(), 0);
            let next = self.list_page(&path, walk_here)?;
            if filter.limit.is_some_and(|limit| self.run.wanted.len() >= limit) {
                lists.clear();
            } else if let Some(next) = next {
                lists[0] = next;
            } else {
                lists.remove(0);
                walk = None;
            }
            self.run.lists = Some(lists.clone());
            self.save()?;
        }
        Ok(())
    }

    fn list_page(&mut self, path: &str, walk: &mut Pagination) -> Result<Option<String>, SyncError> {
        let repo = self.setting.repo.clone();
        let page_key = self.request.filter.page_key(path);
        let known = match self.state.pages.get(&page_key).cloned() {
            Some(page) if self.has_all(&repo, &page.wanted)? => Some(page),
            _ => None,
        };
        let page = match self.client.get(path, known.as_ref().map(|page| page.etag.as_str()))? {
            ApiAnswer::Page(page) => page,
            ApiAnswer::Same => {
                let known = known.ok_or_else(|| SyncError::Server("304 for what was not known".to_owned()))?;
                for key in known.wanted.into_iter().map(|number| IssueKey::new(&repo, number)) {
                    if self.take(&key) {
                        self.touch(&key, true)?;
                    }
                }
                return walk.go(known.next);
            }
            ApiAnswer::Missing => return Err(SyncError::NotFound(format!("the issues of `{repo}` may not be seen"))),
            ApiAnswer::Refused(why) => return Err(self.refused(&format!("the issues of `{repo}`"), why.as_deref())),
            // Issues are switched off.
            ApiAnswer::Gone => return Ok(None),
        };
        let entries = page.entries()?;
        let mut wanted = Vec::new();
        let mut unexpected = UnexpectedEntries::default();
        for value in entries {
            let Some(key) = unexpected.note(self.convert.key(value, Some(&repo))) else { continue };
            if is_pull(value) || key.repo != repo || !self.request.filter.takes(value) {
                continue;
            }
            let Some(fetched) = unexpected.note(self.convert.issue(value, &key)) else { continue };
            wanted.push(key.number);
            if self.take(&key) {
                self.put(fetched, &key, true, true)?;
            }
        }
        self.state.pages.remove(&page_key);
        let next = walk.go(page.next.clone());
        // A page with unexpected entries is fetched again.
        if let Some(etag) = page.etag.filter(|_| unexpected.is_none()) {
            self.state.pages.insert(page_key, ListPage { etag, next: page.next, wanted });
        }
        self.report_unexpected(&unexpected, || format!("the list of issues of `{repo}`"));
        next
    }

    fn take(&mut self, key: &IssueKey) -> bool {
        let has_room = self.request.filter.limit.is_none_or(|limit| self.run.wanted.len() < limit);
        let is_taken = has_room || self.run.wanted.contains(key);
        if is_taken {
            self.run.wanted.insert(key.clone());
        }
        is_taken
    }

    fn has_all(&mut self, repo: &str, numbers: &[u64]) -> Result<bool, SyncError> {
        for number in numbers {
            let key = IssueKey::new(repo, *number);
            if !self.state.seen.contains_key(&key) || self.files.read(&key)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fetches issues that no list has: those that work items name, and those that are no longer open.
    pub(super) fn named(&mut self) -> Result<(), SyncError> {
        let mut keys: BTreeSet<IssueKey> = self.request.claimed.iter().cloned().collect();
        if self.request.filter.is_all_open() {
            let repo = self.setting.repo.clone();
            for number in self.files.numbers(&repo)? {
                let key = IssueKey::new(&repo, number);
                let left = |issue: crate::model::SnapshotIssue| issue.asked && issue.state == "open";
                if self.files.read(&key)?.is_some_and(left) {
                    keys.insert(key);
                }
            }
        }
        keys.retain(|key| !self.run.wanted.contains(key));
        self.for_each("named issues", keys, |engine, key| engine.single(key, true).map(drop))
    }

    /// Fetches the issues that work items refer to and no list of relations had.
    pub(super) fn linked(&mut self) -> Result<(), SyncError> {
        let keys = self.request.linked.iter().filter(|key| !self.run.fresh.contains(*key));
        self.for_each("linked issues", keys.cloned().collect(), |engine, key| engine.single(key, false).map(drop))
    }
}

impl IssueFilter {
    /// Returns the first page of each list: one list per label, since the server combines labels with "and".
    fn paths(&self, repo: &str) -> Vec<String> {
        let state = self.state.as_deref().unwrap_or("open");
        // In ascending order, issues opened meanwhile come last; with a limit, the last changed ones are wanted.
        let order = match self.limit {
            Some(_) => "sort=updated&direction=desc",
            None => "sort=created&direction=asc",
        };
        let since = self.since.as_ref().map(|since| format!("&since={}", percent_encode(since))).unwrap_or_default();
        let path = |label: &str| format!("/repos/{repo}/issues?state={state}&per_page=100&{order}{since}{label}");
        match self.labels.as_slice() {
            [] => vec![path("")],
            labels => labels.iter().map(|label| path(&format!("&labels={}", percent_encode(label)))).collect(),
        }
    }

    /// Returns the key of a page in the saved state: milestones filter its issues and are not part of its path.
    fn page_key(&self, path: &str) -> String {
        match self.milestones.as_slice() {
            [] => path.to_owned(),
            milestones => format!("{path} {milestones:?}"),
        }
    }

    fn takes(&self, value: &serde_json::Value) -> bool {
        let milestone = &value["milestone"];
        self.milestones.is_empty()
            || self.milestones.iter().any(|wanted| {
                milestone["title"].as_str().is_some_and(|title| title.eq_ignore_ascii_case(wanted))
                    || milestone["number"].as_u64().is_some_and(|number| number.to_string() == *wanted)
            })
    }

    /// Returns whether the lists have every open issue, so that a missing one is no longer open.
    pub(super) fn is_all_open(&self) -> bool {
        self.state.as_deref() != Some("closed")
            && self.labels.is_empty()
            && self.milestones.is_empty()
            && self.since.is_none()
            && self.limit.is_none()
    }
}
