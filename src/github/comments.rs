//! Comments: of the whole repo at once or issue by issue, whichever takes fewer requests.

use super::IssueKey;
use super::Progress;
use super::client::{Got, Page};
use super::convert::Converter;
use super::listing::encoded;
use super::memory::{CommentsSeen, Half, Sweep};
use super::pages::MOST_PAGES;
use super::sync::{Engine, Fault};
use crate::model::{Completeness, SnapshotComment, SnapshotIssue};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

/// Up to so many requests it is not worth asking how long the repo's list is.
const FEW: u64 = 3;
/// How far a server's clock may be behind, in seconds.
const SKEW: u64 = 300;

impl Engine<'_> {
    /// The issues whose comments are not in the snapshot as they are now, with the pages that they take.
    fn commented(&mut self) -> Result<Vec<(IssueKey, u64)>, Fault> {
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
    pub(super) fn comment_requests(&mut self) -> Result<u64, Fault> {
        Ok(self.commented()?.iter().map(|(_, pages)| pages).sum())
    }

    /// Fetches what is not there.
    pub(super) fn comments(&mut self) -> Result<(), Fault> {
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

    /// Walks over the comments of one issue; each page goes to the file at once.
    fn comments_of(&mut self, key: &IssueKey) -> Result<(), Fault> {
        let first = format!("{}/comments?per_page=100", key.path());
        let mut half = match self.run.half.take() {
            Some(half) if half.of == key.id() => half,
            _ => Half { of: key.id(), next: first.clone(), ids: BTreeSet::new() },
        };
        let mut been = 0;
        loop {
            let Some(issue) = self.files.read(key)? else { return Ok(()) };
            let whole = issue.comments.completeness == Completeness::Complete;
            let at_first = half.next == first;
            let etag = self.memory.etags.get(&first).filter(|_| whole && at_first).cloned();
            self.run.half = Some(half.clone());
            let answer = self.client.get(&half.next, etag.as_deref());
            let answer = self.passing(answer, || format!("comments of `{key}`"))?;
            self.run.half = None;
            let page = match answer {
                Some(Got::Page(page)) => page,
                Some(Got::Same) => {
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
            half.ids.extend(page.value.as_array().into_iter().flatten().filter_map(|value| value["id"].as_u64()));
            self.add(&page, key, issue)?;
            self.memory.etags.remove(&first);
            been += 1;
            match page.next {
                Some(next) if next != half.next && been < MOST_PAGES => half.next = next,
                // A list without an end stays partial, and is not asked for again in this run.
                Some(_) => {
                    self.run.commented.insert(key.id());
                    return Ok(());
                }
                None => {
                    self.memory.etags.extend(page.etag.filter(|_| at_first).map(|etag| (first, etag)));
                    return self.ended(key, &half.ids);
                }
            }
            self.save()?;
        }
    }

    /// After the last page of an issue's comments: what no page had is gone.
    fn ended(&mut self, key: &IssueKey, ids: &BTreeSet<u64>) -> Result<(), Fault> {
        if let Some(mut issue) = self.files.read(key)? {
            issue.comments.items.retain(|comment| ids.contains(&comment.id));
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

    /// Adds the comments of a page to an issue.
    fn add(&mut self, page: &Page, key: &IssueKey, mut issue: SnapshotIssue) -> Result<(), Fault> {
        let mut comments: BTreeMap<u64, SnapshotComment> =
            issue.comments.items.drain(..).map(|comment| (comment.id, comment)).collect();
        let values = page.value.as_array().into_iter().flatten();
        let of_issue = values.filter(|value| Converter::commented(value).is_none_or(|number| number == key.number));
        for value in of_issue {
            comments.extend(self.convert.comment(value, key, &issue.url).map(|comment| (comment.id, comment)));
        }
        let mut comments: Vec<SnapshotComment> = comments.into_values().collect();
        comments.sort_by(|a, b| a.created_at.cmp(&b.created_at).then(a.id.cmp(&b.id)));
        issue.comments.items = comments;
        if issue.comments.completeness != Completeness::Complete {
            issue.comments.completeness = Completeness::Partial;
        }
        Ok(self.files.write(&issue)?)
    }

    /// Walks over the comments of the whole repo where that takes fewer requests.
    ///
    /// Each page goes to the files at once, so that a broken walk goes on from its page.
    fn sweep(&mut self, needed: &[(IssueKey, u64)]) -> Result<(), Fault> {
        let repo = self.setting.repo.clone();
        let ours: Vec<&(IssueKey, u64)> = needed.iter().filter(|(key, _)| key.repo == repo).collect();
        let pages: u64 = ours.iter().map(|(_, pages)| pages).sum();
        if self.run.sweep.is_none() {
            if pages <= FEW {
                self.run.swept = true;
                return Ok(());
            }
            let since = self.since(&ours)?;
            let query = "sort=created&direction=asc&per_page=100";
            let since = since.map(|since| format!("&since={}", encoded(&since))).unwrap_or_default();
            let next = format!("/repos/{repo}/issues/comments?{query}{since}");
            self.run.sweep = Some(Sweep { next, of: ours.iter().map(|(key, _)| key.number).collect() });
        }
        let mut been = BTreeSet::new();
        while let Some(sweep) = self.run.sweep.clone() {
            let answer = self.client.get(&sweep.next, None);
            let Some(Got::Page(page)) = self.passing(answer, || format!("comments of `{repo}`"))? else {
                break;
            };
            let length = page.last.unwrap_or(if page.next.is_some() { u64::MAX } else { 1 });
            // The first page is paid for: what counts is what is left.
            if been.is_empty() && length.saturating_sub(1) > pages {
                break;
            }
            self.client.watcher.progress(Progress {
                step: "comments",
                done: been.len() as u64,
                of: page.last.unwrap_or(0),
            });
            self.swept_page(&page, &sweep.of)?;
            match page.next {
                Some(next) if been.insert(next.clone()) => self.run.sweep = Some(Sweep { next, of: sweep.of }),
                Some(_) => break,
                None => {
                    self.swept_all(&sweep.of)?;
                    break;
                }
            }
            self.save()?;
        }
        (self.run.sweep, self.run.swept) = (None, true);
        Ok(())
    }

    /// The time from which on comments are not known: the oldest that any issue needs.
    fn since(&mut self, needed: &[&(IssueKey, u64)]) -> Result<Option<String>, Fault> {
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
    fn swept_page(&mut self, page: &Page, of: &BTreeSet<u64>) -> Result<(), Fault> {
        let values = page.value.as_array().into_iter().flatten();
        let numbers: BTreeSet<u64> = values.filter_map(Converter::commented).filter(|n| of.contains(n)).collect();
        for number in numbers {
            let key = IssueKey::new(&*self.setting.repo, number);
            if let Some(issue) = self.files.read(&key)? {
                self.add(page, &key, issue)?;
            }
        }
        Ok(())
    }

    /// After the last page: who has as many comments as GitHub counts has all of them; the others are asked for
    /// one by one, since deleted comments stand in no list.
    fn swept_all(&mut self, of: &BTreeSet<u64>) -> Result<(), Fault> {
        let repo = self.setting.repo.clone();
        for number in of {
            let key = IssueKey::new(&repo, *number);
            let Some(mut issue) = self.files.read(&key)? else { continue };
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
