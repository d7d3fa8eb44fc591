//! Fetching of comments: of the whole repo at once or issue by issue, whichever takes fewer requests.

use super::address::percent_encode;
use super::client::{ApiAnswer, ResponsePage};
use super::convert::Converter;
use super::pages::{FULL_PAGE, MAX_PAGES, Pagination};
use super::shape::UnexpectedEntries;
use super::sync::SyncEngine;
use super::sync_state::{CommentList, CommentsSeen};
use super::{IssueKey, SyncError};
use crate::model::{Completeness, SnapshotComment};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

/// The number of requests up to which comments are fetched issue by issue without checking the repo's list.
const FEW_REQUESTS: u64 = 3;
/// The pages that the list of a repo's comments may have beyond those that are worth it, for comments added while it is read.
const NEW_PAGES: usize = 10;
/// The difference of clocks that is allowed for, in seconds.
const MAX_CLOCK_SKEW: u64 = 300;

impl SyncEngine<'_> {
    /// Returns the issues whose comments in the snapshot may be outdated, with the number of pages that they take.
    pub(super) fn outdated_comments(&mut self) -> Result<BTreeMap<IssueKey, u64>, SyncError> {
        let full = !self.request.roots.is_empty();
        let mut needed = BTreeMap::new();
        for key in self.run.wanted.clone() {
            let Some(seen) = self.state.seen.get(&key).filter(|_| !self.run.commented.contains(&key)) else { continue };
            let count = seen.comments;
            let same = self.state.comments.get(&key).is_some_and(|known| known.updated_at == seen.updated_at);
            let Some(issue) = self.files.read(&key)? else { continue };
            let whole = issue.comments.completeness == Completeness::Complete
                && count.is_none_or(|count| count == issue.comments.items.len() as u64);
            if count != Some(0) && (full || !(same && whole)) {
                needed.insert(key, count.unwrap_or(1).div_ceil(100));
            }
        }
        Ok(needed)
    }

    pub(super) fn comments(&mut self) -> Result<(), SyncError> {
        if self.request.roots.is_empty() && !self.run.repo_comments_done {
            self.fetch_repo_comments()?;
            self.run.repo_comments_done = true;
        }
        let needed = self.outdated_comments()?.into_keys().collect();
        self.for_each("comments", needed, |engine, key| {
            let list = match engine.run.comment_list.take() {
                Some(list) if list.issue.as_ref() == Some(key) => list,
                _ => {
                    let (next, issues) = (format!("{}/comments?per_page=100", key.path()), [key.clone()].into());
                    CommentList { issue: Some(key.clone()), next, issues, ..CommentList::default() }
                }
            };
            let walk = Pagination::new(&list.next, MAX_PAGES);
            engine.fetch_comments(list, walk, u64::MAX)?;
            engine.save()
        })
    }

    /// Fetches the comments of the whole repo at once, if that takes fewer requests.
    fn fetch_repo_comments(&mut self) -> Result<(), SyncError> {
        let repo = self.setting.repo.clone();
        let mut needed = self.outdated_comments()?;
        needed.retain(|key, _| key.repo == repo);
        let pages = sum(needed.values());
        let list = match self.run.comment_list.take() {
            Some(list) if list.issue.is_none() => list,
            _ if pages <= FEW_REQUESTS => return Ok(()),
            _ => {
                let since = self.since(needed.keys())?;
                let query = "sort=created&direction=asc&per_page=100";
                let since = since.map(|since| format!("&since={}", percent_encode(&since))).unwrap_or_default();
                let next = format!("/repos/{repo}/issues/comments?{query}{since}");
                CommentList { next, issues: needed.into_keys().collect(), ..CommentList::default() }
            }
        };
        let walk = Pagination::new(&list.next, usize::try_from(pages).unwrap_or(usize::MAX).saturating_add(NEW_PAGES));
        self.fetch_comments(list, walk, pages)
    }

    /// Returns the earliest time from which any issue needs comments; `None` for all comments.
    fn since<'k>(&mut self, needed: impl Iterator<Item = &'k IssueKey>) -> Result<Option<String>, SyncError> {
        let mut since: Option<String> = None;
        for key in needed {
            let known = self.state.comments.get(key).map(|known| known.at.saturating_sub(MAX_CLOCK_SKEW));
            let Some(issue) = self.files.read(key)? else { continue };
            let whole = issue.comments.completeness == Completeness::Complete;
            let time = match known.filter(|_| whole) {
                Some(at) => Some(humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)).to_string()),
                None => issue.created_at,
            };
            // RFC 3339 in UTC sorts as text.
            let Some(time) = time else { return Ok(None) };
            since = Some(since.map_or(time.clone(), |since| since.min(time)));
        }
        Ok(since)
    }

    /// Fetches a list of comments. If its first page says that it has more than `most` further ones, it is left at that.
    ///
    /// Each page is written at once to the files without a complete list. A complete list is replaced after the last page.
    /// A list that fails is fetched again by the next run, and that of the repo issue by issue at once.
    fn fetch_comments(&mut self, mut list: CommentList, mut walk: Pagination, most: u64) -> Result<(), SyncError> {
        let label = match &list.issue {
            Some(key) => format!("comments of `{key}`"),
            None => format!("comments of `{}`", self.setting.repo),
        };
        loop {
            let next = list.next.clone();
            let etag = self.etag_of_comments(&list)?;
            // An error that ends the run leaves the list at this page.
            self.run.comment_list = Some(list);
            self.save()?;
            let answer = self.client.get(&next, etag.as_deref());
            let answer = self.tolerate(answer, || label.clone())?;
            list = self.run.comment_list.take().unwrap_or_default();
            let page = match (answer, &list.issue) {
                (Some(ApiAnswer::Page(page)), _) => page,
                (Some(ApiAnswer::Same), Some(key)) => {
                    self.mark_commented(key);
                    return Ok(());
                }
                // The issue is visible and its comments are not: the record is left unchanged.
                (Some(_), Some(key)) => {
                    self.run.commented.insert(key.clone());
                    return Ok(());
                }
                _ => return Ok(()),
            };
            let length = page.last.unwrap_or(if page.next.is_some() { u64::MAX } else { 1 });
            if walk.pages() == 1 && length.saturating_sub(1) > most {
                return Ok(());
            }
            let Some(entries) = self.tolerate(page.entries(), || label.clone())? else { return Ok(()) };
            if list.issue.is_none() {
                self.client.progress("comments", walk.pages() - 1, page.last.unwrap_or(0));
            }
            list.ids.extend(entries.iter().filter_map(|value| value["id"].as_u64()));
            self.add_page(entries, &mut list, &label)?;
            self.state.etags.remove(&next);
            match walk.go(page.next.clone()) {
                Ok(Some(next)) => list.next = next,
                Ok(None) => return self.finish_comments(list, &page, &next),
                Err(error) => {
                    if list.issue.is_some() {
                        self.record_failure(&error, label);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Returns the entity tag of the first page of a complete list. That of a full page does not show whether there is a
    /// second one.
    fn etag_of_comments(&mut self, list: &CommentList) -> Result<Option<String>, SyncError> {
        let known = self.state.etags.get(&list.next).cloned();
        let (Some(etag), Some(key)) = (known, &list.issue) else { return Ok(None) };
        let comments = self.files.read(key)?.map(|issue| issue.comments);
        let is_only_page = comments.is_some_and(|comments| {
            comments.completeness == Completeness::Complete && comments.items.len() < FULL_PAGE
        });
        Ok(Some(etag).filter(|_| is_only_page))
    }

    fn add_page(&mut self, entries: &[Value], list: &mut CommentList, label: &str) -> Result<(), SyncError> {
        let (mut by_issue, mut unexpected) = (BTreeMap::<IssueKey, Vec<&Value>>::new(), UnexpectedEntries::default());
        for value in entries {
            let key = match (Converter::issue_of_comment(value), &list.issue) {
                (Ok(number), Some(key)) => Some(IssueKey::new(&*key.repo, number)),
                // Entries in the list of one issue need not name the issue.
                (Err(_), Some(key)) => Some(key.clone()),
                (named, None) => unexpected.note(named).map(|number| IssueKey::new(&*self.setting.repo, number)),
            };
            if let Some(key) = key.filter(|key| list.issues.contains(key)) {
                by_issue.entry(key).or_default().push(value);
            }
        }
        for (key, values) in by_issue {
            let Some(mut issue) = self.files.read(&key)? else { continue };
            let mut unexpected = UnexpectedEntries::default();
            let convert = |value| unexpected.note(self.convert.comment(value, &key, &issue.url));
            let comments: Vec<SnapshotComment> = values.into_iter().filter_map(convert).collect();
            self.report_unexpected(&unexpected, || format!("comments of `{key}`"));
            if issue.comments.completeness == Completeness::Complete {
                list.held.entry(key.clone()).or_default().extend(comments);
            } else {
                merge(&mut issue.comments.items, comments);
                issue.comments.completeness = Completeness::Partial;
                self.files.write(&issue)?;
            }
            if !unexpected.is_none() {
                list.with_unexpected.insert(key);
            }
        }
        self.report_unexpected(&unexpected, || label.to_owned());
        Ok(())
    }

    /// Completes the comments of issues after the last page of a list, which was at `path`.
    ///
    /// The list of one issue is the truth, and comments that it lacks are removed. In that of the repo the issues count that
    /// have as many as GitHub counts, and the others are fetched one by one, since no list shows which were deleted.
    fn finish_comments(&mut self, mut list: CommentList, page: &ResponsePage, path: &str) -> Result<(), SyncError> {
        for key in list.issues.difference(&list.with_unexpected) {
            let Some(mut issue) = self.files.read(key)? else { continue };
            let items = &mut issue.comments.items;
            merge(items, list.held.remove(key).unwrap_or_default());
            if list.issue.is_some() {
                items.retain(|comment| list.ids.contains(&comment.id));
                let etag = page.etag.clone().filter(|_| path == format!("{}/comments?per_page=100", key.path()));
                self.state.etags.extend(etag.map(|etag| (path.to_owned(), etag)));
            } else if self.state.seen.get(key).and_then(|seen| seen.comments) != Some(items.len() as u64) {
                continue;
            }
            issue.comments.completeness = Completeness::Complete;
            self.files.write(&issue)?;
            self.mark_commented(key);
        }
        Ok(())
    }

    /// Records that an issue's comments are complete for its present version.
    fn mark_commented(&mut self, key: &IssueKey) {
        let updated_at = self.state.seen.get(key).and_then(|seen| seen.updated_at.clone());
        self.state.comments.insert(key.clone(), CommentsSeen { updated_at, at: self.run.started });
        self.run.commented.insert(key.clone());
    }
}

/// Returns the sum of numbers that come from a server, so that it must not overflow.
pub(super) fn sum<'n>(pages: impl Iterator<Item = &'n u64>) -> u64 {
    pages.fold(0, |sum, pages| sum.saturating_add(*pages))
}

/// Merges comments into a list, oldest first; a new comment replaces one with the same id.
fn merge(comments: &mut Vec<SnapshotComment>, more: Vec<SnapshotComment>) {
    let all = std::mem::take(comments).into_iter().chain(more);
    let by_id: BTreeMap<u64, SnapshotComment> = all.map(|comment| (comment.id, comment)).collect();
    *comments = by_id.into_values().collect();
    comments.sort_by(|a, b| a.created_at.cmp(&b.created_at).then(a.id.cmp(&b.id)));
}
