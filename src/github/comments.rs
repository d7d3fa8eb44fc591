//! Comments: of the whole repo at once or issue by issue, whichever takes fewer requests.

use super::IssueKey;
use super::Progress;
use super::client::{FetchError, FetchOutcome};
use super::convert::Converter;
use super::listing::encoded;
use super::memory::{CommentsSeen, IssueCommentWalk, RepoCommentWalk};
use super::pages::{FULL_PAGE, MOST_PAGES, no_list};
use super::strange::Strange;
use super::sync::{StepError, SyncEngine};
use super::walk::Walk;
use crate::model::{Completeness, SnapshotComment, SnapshotIssue};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

/// Up to so many requests it is not worth asking how long the repo's list is.
const FEW: u64 = 3;
/// The most pages of the list of a repo's comments: a million comments.
const MOST_SWEPT: usize = 10_000;
/// How far a server's clock may be behind, in seconds.
const SKEW: u64 = 300;

impl SyncEngine<'_> {
    /// The issues whose comments are not in the snapshot as they are now, with the pages that they take.
    fn commented(&mut self) -> Result<Vec<(IssueKey, u64)>, StepError> {
        let wanted: Vec<IssueKey> = self.run.wanted.iter().map(|(repo, number)| IssueKey::new(repo, *number)).collect();
        let full = !self.request.roots.is_empty();
        let mut needed = Vec::new();
        for key in wanted {
            let id = key.id();
            let Some(seen) = self.memory.seen.get(&id).filter(|_| !self.run.commented.contains(&id)) else { continue };
            let count = seen.comments;
            let same = self.memory.comments.get(&id).is_some_and(|known| known.updated_at == seen.updated_at);
            let Some(issue) = self.files.read(&key)? else { continue };
            let whole = issue.comments.completeness == Completeness::Complete
                && count.is_none_or(|count| count == issue.comments.items.len() as u64);
            if count != Some(0) && (full || !(same && whole)) {
                needed.push((key, count.unwrap_or(1).div_ceil(100)));
            }
        }
        Ok(needed)
    }

    /// How many requests comments take at most.
    pub(super) fn comment_requests(&mut self) -> Result<u64, StepError> {
        // Counts are what a server says.
        Ok(self.commented()?.iter().fold(0, |sum: u64, (_, pages)| sum.saturating_add(*pages)))
    }

    /// Fetches what is not there.
    pub(super) fn comments(&mut self) -> Result<(), StepError> {
        let needed = self.commented()?;
        if self.request.roots.is_empty() && !self.run.swept {
            self.sweep(&needed)?;
        }
        let needed = self.commented()?;
        let of = needed.len() as u64;
        for (done, (key, _)) in needed.into_iter().enumerate() {
            self.client.watcher.progress(Progress { step: "comments", done: done as u64, of });
            self.comments_of(&key)?;
            self.save()?;
        }
        Ok(())
    }

    /// Walks over the comments of one issue; each page goes to the file at once, unless that has a complete list.
    fn comments_of(&mut self, key: &IssueKey) -> Result<(), StepError> {
        let first = format!("{}/comments?per_page=100", key.path());
        let mut half = match self.run.half.take() {
            Some(half) if half.of == key.id() => half,
            _ => IssueCommentWalk { of: key.id(), next: first.clone(), ..IssueCommentWalk::default() },
        };
        let announced = self.memory.seen.get(&key.id()).and_then(|seen| seen.comments);
        let mut walk = Walk::new(&half.next, MOST_PAGES).announced(announced);
        loop {
            let Some(issue) = self.files.read(key)? else { return Ok(()) };
            let whole = issue.comments.completeness == Completeness::Complete;
            let at_first = half.next == first;
            // The mark of a full page says nothing of a second one.
            let alone = issue.comments.items.len() < FULL_PAGE;
            let etag = self.memory.etags.get(&first).filter(|_| whole && at_first && alone).cloned();
            self.run.half = Some(half.clone());
            let answer = self.client.get(&half.next, etag.as_deref());
            let answer = self.passing(answer, || format!("comments of `{key}`"))?;
            self.run.half = None;
            let page = match answer {
                Some(FetchOutcome::Page(page)) => page,
                Some(FetchOutcome::Same) => {
                    self.commented_now(key);
                    return Ok(());
                }
                // The issue can be seen and its comments cannot: they stay as they are, or unknown.
                Some(_) => {
                    self.run.commented.insert(key.id());
                    return Ok(());
                }
                None => return Ok(()),
            };
            let entries = page.value.as_array().ok_or_else(|| no_list(&page.value));
            let Some(entries) = self.passing(entries, || format!("comments of `{key}`"))? else { return Ok(()) };
            let before = half.ids.len();
            half.ids.extend(entries.iter().filter_map(|value| value["id"].as_u64()));
            let new = half.ids.len() - before;
            // A list of one issue need not say whose comments it has.
            let ours = |value: &&Value| Converter::commented(value).ok().is_none_or(|number| number == key.number);
            let (found, strange) = self.converted(entries.iter().filter(ours), key, &issue.url);
            half.strange |= strange;
            if whole {
                half.held.extend(found);
            } else {
                self.add(found, issue)?;
            }
            self.memory.etags.remove(&first);
            half.next = match walk.go(page.next, new) {
                Ok(Some(next)) => next,
                // Neither is done: a run that goes on with this one asks again.
                Err(end) => {
                    self.fails(&FetchError::endless(&end.why()), format!("comments of `{key}`"));
                    return Ok(());
                }
                Ok(None) if half.strange => return Ok(()),
                Ok(None) => {
                    self.memory.etags.extend(page.etag.filter(|_| at_first).map(|etag| (first, etag)));
                    return self.ended(key, half);
                }
            };
            self.save()?;
        }
    }

    /// After the last page of an issue's comments: what no page had is gone.
    fn ended(&mut self, key: &IssueKey, walk: IssueCommentWalk) -> Result<(), StepError> {
        if let Some(mut issue) = self.files.read(key)? {
            merge(&mut issue.comments.items, walk.held);
            issue.comments.items.retain(|comment| walk.ids.contains(&comment.id));
            issue.comments.completeness = Completeness::Complete;
            self.files.write(&issue)?;
            self.commented_now(key);
        }
        Ok(())
    }

    fn commented_now(&mut self, key: &IssueKey) {
        let id = key.id();
        let updated_at = self.memory.seen.get(&id).and_then(|seen| seen.updated_at.clone());
        self.memory.comments.insert(id.clone(), CommentsSeen { updated_at, at: self.run.started });
        self.run.commented.insert(id);
    }

    /// Converts the comments of an issue whose page is `url`. Says also whether any of them is none.
    fn converted<'v>(
        &mut self,
        values: impl Iterator<Item = &'v Value>,
        key: &IssueKey,
        url: &str,
    ) -> (Vec<SnapshotComment>, bool) {
        let mut strange = Strange::default();
        let comments = values.filter_map(|value| strange.note(self.convert.comment(value, key, url))).collect();
        self.strange(&strange, || format!("comments of `{key}`"));
        (comments, !strange.is_none())
    }

    /// Adds comments to an issue that has not all of them.
    fn add(&mut self, comments: Vec<SnapshotComment>, mut issue: SnapshotIssue) -> Result<(), StepError> {
        merge(&mut issue.comments.items, comments);
        issue.comments.completeness = Completeness::Partial;
        Ok(self.files.write(&issue)?)
    }

    /// Walks over the comments of the whole repo where that takes fewer requests.
    ///
    /// Each page goes at once to the files that have no complete list, so that a broken walk goes on from its page.
    fn sweep(&mut self, needed: &[(IssueKey, u64)]) -> Result<(), StepError> {
        let repo = self.setting.repo.clone();
        let ours: Vec<&(IssueKey, u64)> = needed.iter().filter(|(key, _)| key.repo == repo).collect();
        let pages = ours.iter().fold(0, |sum: u64, (_, pages)| sum.saturating_add(*pages));
        if self.run.sweep.is_none() {
            if pages <= FEW {
                self.run.swept = true;
                return Ok(());
            }
            let since = self.since(&ours)?;
            let query = "sort=created&direction=asc&per_page=100";
            let since = since.map(|since| format!("&since={}", encoded(&since))).unwrap_or_default();
            let next = format!("/repos/{repo}/issues/comments?{query}{since}");
            let of = ours.iter().map(|(key, _)| key.number).collect();
            self.run.sweep = Some(RepoCommentWalk { next, of, ..RepoCommentWalk::default() });
        }
        let mut seen = BTreeSet::new();
        let mut walk: Option<Walk> = None;
        while let Some(mut sweep) = self.run.sweep.clone() {
            let walk = walk.get_or_insert_with(|| Walk::new(&sweep.next, MOST_SWEPT));
            let answer = self.client.get(&sweep.next, None);
            let Some(FetchOutcome::Page(page)) = self.passing(answer, || format!("comments of `{repo}`"))? else {
                break;
            };
            let length = page.last.unwrap_or(if page.next.is_some() { u64::MAX } else { 1 });
            // The first page is paid for: what counts is what is left.
            if walk.pages() == 1 && length.saturating_sub(1) > pages {
                break;
            }
            let entries = page.value.as_array().ok_or_else(|| no_list(&page.value));
            let Some(entries) = self.passing(entries, || format!("comments of `{repo}`"))? else { break };
            let new = entries.iter().filter(|entry| entry["id"].as_u64().is_some_and(|id| seen.insert(id))).count();
            self.client.watcher.progress(Progress {
                step: "comments",
                done: walk.pages() as u64 - 1,
                of: page.last.unwrap_or(0),
            });
            self.swept_page(entries, &mut sweep)?;
            match walk.go(page.next, new) {
                Ok(Some(next)) => self.run.sweep = Some(RepoCommentWalk { next, ..sweep }),
                // Issue by issue it may go better.
                Err(_) => break,
                Ok(None) => {
                    self.swept_all(sweep)?;
                    break;
                }
            }
            self.save()?;
        }
        (self.run.sweep, self.run.swept) = (None, true);
        Ok(())
    }

    /// The time from which on comments are not known: the oldest that any issue needs.
    fn since(&mut self, needed: &[&(IssueKey, u64)]) -> Result<Option<String>, StepError> {
        let mut since: Option<String> = None;
        for (key, _) in needed {
            let known = self.memory.comments.get(&key.id()).map(|known| known.at.saturating_sub(SKEW));
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

    /// Adds the comments of a page to their issues.
    fn swept_page(&mut self, entries: &[Value], sweep: &mut RepoCommentWalk) -> Result<(), StepError> {
        let (mut by_issue, mut strange) = (BTreeMap::<u64, Vec<&Value>>::new(), Strange::default());
        for value in entries {
            if let Some(number) = strange.note(Converter::commented(value)).filter(|number| sweep.of.contains(number)) {
                by_issue.entry(number).or_default().push(value);
            }
        }
        for (number, values) in by_issue {
            let key = IssueKey::new(&*self.setting.repo, number);
            let Some(issue) = self.files.read(&key)? else { continue };
            let (found, strange) = self.converted(values.into_iter(), &key, &issue.url);
            if strange {
                sweep.strange.insert(number);
            }
            if issue.comments.completeness == Completeness::Complete {
                sweep.held.entry(number).or_default().extend(found);
            } else {
                self.add(found, issue)?;
            }
        }
        self.strange(&strange, || format!("comments of `{}`", self.setting.repo));
        Ok(())
    }

    /// After the last page: who has as many comments as GitHub counts has all of them; the others are asked for
    /// one by one, since deleted comments stand in no list.
    fn swept_all(&mut self, mut sweep: RepoCommentWalk) -> Result<(), StepError> {
        let repo = self.setting.repo.clone();
        for number in sweep.of.difference(&sweep.strange) {
            let key = IssueKey::new(&repo, *number);
            let Some(mut issue) = self.files.read(&key)? else { continue };
            merge(&mut issue.comments.items, sweep.held.remove(number).unwrap_or_default());
            let count = self.memory.seen.get(&key.id()).and_then(|seen| seen.comments);
            if count == Some(issue.comments.items.len() as u64) {
                issue.comments.completeness = Completeness::Complete;
                self.files.write(&issue)?;
                self.commented_now(&key);
            }
        }
        Ok(())
    }
}

/// Adds comments to others, oldest first; of two with one id the new one counts.
fn merge(comments: &mut Vec<SnapshotComment>, more: Vec<SnapshotComment>) {
    let all = std::mem::take(comments).into_iter().chain(more);
    let by_id: BTreeMap<u64, SnapshotComment> = all.map(|comment| (comment.id, comment)).collect();
    *comments = by_id.into_values().collect();
    comments.sort_by(|a, b| a.created_at.cmp(&b.created_at).then(a.id.cmp(&b.id)));
}
