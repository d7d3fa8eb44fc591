//! Fetching of comments: of the whole repo at once or issue by issue, whichever takes fewer requests.

use super::address::percent_encode;
use super::client::Answer;
use super::convert::Converter;
use super::pages::{FULL_PAGE, MAX_PAGES, Walk};
use super::shape::UnexpectedEntries;
use super::sync::SyncEngine;
use super::sync_state::{CommentsSeen, IssueCommentWalk, RepoCommentWalk};
use super::{IssueKey, SyncError};
use crate::model::{Completeness, SnapshotComment, SnapshotIssue};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

/// The number of requests up to which comments are fetched issue by issue without checking the repo's list.
const FEW_REQUESTS: u64 = 3;
/// The most pages of the list of a repo's comments: enough for a million comments.
const MAX_REPO_PAGES: usize = 10_000;
/// The difference of clocks that is allowed for, in seconds.
const MAX_CLOCK_SKEW: u64 = 300;

impl SyncEngine<'_> {
    /// Returns the issues whose comments in the snapshot may be outdated, with the number of pages that they take.
    fn outdated_comments(&mut self) -> Result<Vec<(IssueKey, u64)>, SyncError> {
        let wanted: Vec<IssueKey> = self.run.wanted.iter().cloned().collect();
        let full = !self.request.roots.is_empty();
        let mut needed = Vec::new();
        for key in wanted {
            let id = key.id();
            let Some(seen) = self.state.seen.get(&id).filter(|_| !self.run.commented.contains(&id)) else { continue };
            let count = seen.comments;
            let same = self.state.comments.get(&id).is_some_and(|known| known.updated_at == seen.updated_at);
            let Some(issue) = self.files.read(&key)? else { continue };
            let whole = issue.comments.completeness == Completeness::Complete
                && count.is_none_or(|count| count == issue.comments.items.len() as u64);
            if count != Some(0) && (full || !(same && whole)) {
                needed.push((key, count.unwrap_or(1).div_ceil(100)));
            }
        }
        Ok(needed)
    }

    pub(super) fn comment_requests(&mut self) -> Result<u64, SyncError> {
        // The counts come from a server, so the sum must not overflow.
        Ok(self.outdated_comments()?.iter().fold(0, |sum: u64, (_, pages)| sum.saturating_add(*pages)))
    }

    pub(super) fn comments(&mut self) -> Result<(), SyncError> {
        let needed = self.outdated_comments()?;
        if self.request.roots.is_empty() && !self.run.repo_comments_done {
            self.fetch_repo_comments(&needed)?;
        }
        let needed = self.outdated_comments()?.into_iter().map(|(key, _)| key).collect();
        self.for_each("comments", needed, |engine, key| {
            engine.fetch_issue_comments(key)?;
            engine.save()
        })
    }

    /// Fetches the comments of one issue.
    ///
    /// Each page is written to the file at once, unless it has a complete list, which is replaced after the last page.
    fn fetch_issue_comments(&mut self, key: &IssueKey) -> Result<(), SyncError> {
        let first = format!("{}/comments?per_page=100", key.path());
        let mut progress = match self.run.issue_walk.take() {
            Some(progress) if progress.issue == key.id() => progress,
            _ => IssueCommentWalk { issue: key.id(), next: first.clone(), ..IssueCommentWalk::default() },
        };
        let announced = self.state.seen.get(&key.id()).and_then(|seen| seen.comments);
        let mut walk = Walk::new(&progress.next, MAX_PAGES).announced(announced);
        loop {
            let Some(issue) = self.files.read(key)? else { return Ok(()) };
            let whole = issue.comments.completeness == Completeness::Complete;
            let at_first = progress.next == first;
            // The entity tag of a full page does not show whether there is a second page.
            let is_only_page = issue.comments.items.len() < FULL_PAGE;
            let etag = self.state.etags.get(&first).filter(|_| whole && at_first && is_only_page).cloned();
            self.run.issue_walk = Some(progress.clone());
            let answer = self.client.get(&progress.next, etag.as_deref());
            let answer = self.tolerate(answer, || format!("comments of `{key}`"))?;
            self.run.issue_walk = None;
            let page = match answer {
                Some(Answer::Page(page)) => page,
                Some(Answer::Same) => {
                    self.mark_commented(key);
                    return Ok(());
                }
                // The issue is visible and its comments are not: the record is left unchanged.
                Some(_) => {
                    self.run.commented.insert(key.id());
                    return Ok(());
                }
                None => return Ok(()),
            };
            let Some(entries) = self.tolerate(page.entries(), || format!("comments of `{key}`"))? else {
                return Ok(());
            };
            let before = progress.ids.len();
            progress.ids.extend(entries.iter().filter_map(|value| value["id"].as_u64()));
            let new = progress.ids.len() - before;
            // Entries in the list of one issue need not name the issue.
            let own =
                |value: &&Value| Converter::issue_of_comment(value).ok().is_none_or(|number| number == key.number);
            let (comments, has_unexpected) = self.convert_comments(entries.iter().filter(own), key, &issue.url);
            progress.has_unexpected |= has_unexpected;
            if whole {
                progress.held.extend(comments);
            } else {
                self.add(comments, issue)?;
            }
            self.state.etags.remove(&first);
            progress.next = match walk.go(page.next.clone(), new) {
                Ok(Some(next)) => next,
                // An unfinished list is not marked as done, so a resumed run fetches it again.
                Err(error) => {
                    self.record_failure(&error, format!("comments of `{key}`"));
                    return Ok(());
                }
                Ok(None) if progress.has_unexpected => return Ok(()),
                Ok(None) => {
                    self.state.etags.extend(page.etag.filter(|_| at_first).map(|etag| (first, etag)));
                    return self.finish_comments(key, progress);
                }
            };
            self.save()?;
        }
    }

    /// Adds the held comments and removes those that no page had, after the last page of an issue's comments.
    fn finish_comments(&mut self, key: &IssueKey, walk: IssueCommentWalk) -> Result<(), SyncError> {
        if let Some(mut issue) = self.files.read(key)? {
            merge(&mut issue.comments.items, walk.held);
            issue.comments.items.retain(|comment| walk.ids.contains(&comment.id));
            issue.comments.completeness = Completeness::Complete;
            self.files.write(&issue)?;
            self.mark_commented(key);
        }
        Ok(())
    }

    /// Records that an issue's comments are complete for its present version.
    fn mark_commented(&mut self, key: &IssueKey) {
        let id = key.id();
        let updated_at = self.state.seen.get(&id).and_then(|seen| seen.updated_at.clone());
        self.state.comments.insert(id.clone(), CommentsSeen { updated_at, at: self.run.started });
        self.run.commented.insert(id);
    }

    /// Converts the comments of an issue with the address `url`, and returns whether there were unexpected entries.
    fn convert_comments<'v>(
        &mut self,
        values: impl Iterator<Item = &'v Value>,
        key: &IssueKey,
        url: &str,
    ) -> (Vec<SnapshotComment>, bool) {
        let mut unexpected = UnexpectedEntries::default();
        let comments = values.filter_map(|value| unexpected.note(self.convert.comment(value, key, url))).collect();
        self.report_unexpected(&unexpected, || format!("comments of `{key}`"));
        (comments, !unexpected.is_none())
    }

    /// Adds comments to an issue whose list is not complete.
    fn add(&mut self, comments: Vec<SnapshotComment>, mut issue: SnapshotIssue) -> Result<(), SyncError> {
        merge(&mut issue.comments.items, comments);
        issue.comments.completeness = Completeness::Partial;
        Ok(self.files.write(&issue)?)
    }

    /// Fetches the comments of the whole repo at once, if that takes fewer requests.
    ///
    /// Each page is written at once to the files without a complete list, so that an interrupted walk continues with
    /// its page.
    fn fetch_repo_comments(&mut self, needed: &[(IssueKey, u64)]) -> Result<(), SyncError> {
        let repo = self.setting.repo.clone();
        let own: Vec<&(IssueKey, u64)> = needed.iter().filter(|(key, _)| key.repo == repo).collect();
        let pages = own.iter().fold(0, |sum: u64, (_, pages)| sum.saturating_add(*pages));
        if self.run.repo_walk.is_none() {
            if pages <= FEW_REQUESTS {
                self.run.repo_comments_done = true;
                return Ok(());
            }
            let since = self.since(&own)?;
            let query = "sort=created&direction=asc&per_page=100";
            let since = since.map(|since| format!("&since={}", percent_encode(&since))).unwrap_or_default();
            let next = format!("/repos/{repo}/issues/comments?{query}{since}");
            let issues = own.iter().map(|(key, _)| key.number).collect();
            self.run.repo_walk = Some(RepoCommentWalk { next, issues, ..RepoCommentWalk::default() });
        }
        let mut walk: Option<Walk> = None;
        while let Some(mut repo_walk) = self.run.repo_walk.clone() {
            let walk = walk.get_or_insert_with(|| Walk::new(&repo_walk.next, MAX_REPO_PAGES));
            let answer = self.client.get(&repo_walk.next, None);
            let Some(Answer::Page(page)) = self.tolerate(answer, || format!("comments of `{repo}`"))? else {
                break;
            };
            let length = page.last.unwrap_or(if page.next.is_some() { u64::MAX } else { 1 });
            // The first page is fetched already, so the remaining pages are compared.
            if walk.pages() == 1 && length.saturating_sub(1) > pages {
                break;
            }
            let Some(entries) = self.tolerate(page.entries(), || format!("comments of `{repo}`"))? else { break };
            self.client.progress("comments", walk.pages() - 1, page.last.unwrap_or(0));
            self.add_repo_page(entries, &mut repo_walk)?;
            match walk.after(entries, page.next.clone()) {
                Ok(Some(next)) => self.run.repo_walk = Some(RepoCommentWalk { next, ..repo_walk }),
                // The rest is fetched issue by issue.
                Err(_) => break,
                Ok(None) => {
                    self.finish_repo_walk(repo_walk)?;
                    break;
                }
            }
            self.save()?;
        }
        (self.run.repo_walk, self.run.repo_comments_done) = (None, true);
        Ok(())
    }

    /// Returns the earliest time from which any issue needs comments; `None` for all comments.
    fn since(&mut self, needed: &[&(IssueKey, u64)]) -> Result<Option<String>, SyncError> {
        let mut since: Option<String> = None;
        for (key, _) in needed {
            let known = self.state.comments.get(&key.id()).map(|known| known.at.saturating_sub(MAX_CLOCK_SKEW));
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

    fn add_repo_page(&mut self, entries: &[Value], repo_walk: &mut RepoCommentWalk) -> Result<(), SyncError> {
        let (mut by_issue, mut unexpected) = (BTreeMap::<u64, Vec<&Value>>::new(), UnexpectedEntries::default());
        for value in entries {
            if let Some(number) =
                unexpected.note(Converter::issue_of_comment(value)).filter(|number| repo_walk.issues.contains(number))
            {
                by_issue.entry(number).or_default().push(value);
            }
        }
        for (number, values) in by_issue {
            let key = IssueKey::new(&*self.setting.repo, number);
            let Some(issue) = self.files.read(&key)? else { continue };
            let (comments, has_unexpected) = self.convert_comments(values.into_iter(), &key, &issue.url);
            if has_unexpected {
                repo_walk.with_unexpected.insert(number);
            }
            if issue.comments.completeness == Completeness::Complete {
                repo_walk.held.entry(number).or_default().extend(comments);
            } else {
                self.add(comments, issue)?;
            }
        }
        self.report_unexpected(&unexpected, || format!("comments of `{}`", self.setting.repo));
        Ok(())
    }

    /// Marks the issues that have as many comments as GitHub counts as complete, after the last page.
    ///
    /// The others are fetched one by one, since no list shows which comments were deleted.
    fn finish_repo_walk(&mut self, mut repo_walk: RepoCommentWalk) -> Result<(), SyncError> {
        let repo = self.setting.repo.clone();
        for number in repo_walk.issues.difference(&repo_walk.with_unexpected) {
            let key = IssueKey::new(&repo, *number);
            let Some(mut issue) = self.files.read(&key)? else { continue };
            merge(&mut issue.comments.items, repo_walk.held.remove(number).unwrap_or_default());
            let count = self.state.seen.get(&key.id()).and_then(|seen| seen.comments);
            if count == Some(issue.comments.items.len() as u64) {
                issue.comments.completeness = Completeness::Complete;
                self.files.write(&issue)?;
                self.mark_commented(&key);
            }
        }
        Ok(())
    }
}

/// Merges comments into a list, oldest first; a new comment replaces one with the same id.
fn merge(comments: &mut Vec<SnapshotComment>, more: Vec<SnapshotComment>) {
    let all = std::mem::take(comments).into_iter().chain(more);
    let by_id: BTreeMap<u64, SnapshotComment> = all.map(|comment| (comment.id, comment)).collect();
    *comments = by_id.into_values().collect();
    comments.sort_by(|a, b| a.created_at.cmp(&b.created_at).then(a.id.cmp(&b.id)));
}
