//! Single issues, and what an answer changes in the record of an issue.

use super::IssueKey;
use super::client::{FetchError, FetchOutcome};
use super::convert::FetchedIssue;
use super::memory::IssueMemo;
use super::sync::{StepError, SyncEngine};
use crate::model::{Code, Completeness, Diagnostic, SnapshotComments, SnapshotIssue, SnapshotRelation};

/// What became of a single issue.
pub(super) enum IssueOutcome {
    /// It is in the snapshot, here.
    There(IssueKey),
    /// It is not.
    Absent,
}

impl SyncEngine<'_> {
    /// Fetches one issue by its number, once a run.
    pub(super) fn single(&mut self, key: &IssueKey, asked: bool) -> Result<IssueOutcome, StepError> {
        if self.run.single.contains(&key.id()) {
            return self.as_it_is(key);
        }
        let path = key.path();
        let known = self.memory.seen.contains_key(&key.id()) && self.files.read(key)?.is_some();
        let etag = self.memory.etags.get(&path).filter(|_| known).cloned();
        let got = self.client.get(&path, etag.as_deref());
        let Some(got) = self.passing(got, || format!("`{key}`"))? else {
            return self.as_it_is(key);
        };
        let single = match got {
            FetchOutcome::Same => {
                self.touch(key, asked)?;
                IssueOutcome::There(key.clone())
            }
            FetchOutcome::Page(page) => {
                let found = self.convert.key(&page.value, Some(&key.repo));
                let fetched = found.and_then(|found| Ok((self.convert.issue(&page.value, &found)?, found)));
                let fetched =
                    fetched.map_err(|what| FetchError::Server(format!("an issue was asked for, and {what} came")));
                let Some((fetched, found)) = self.passing(fetched, || format!("`{key}`"))? else {
                    return self.as_it_is(key);
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
                IssueOutcome::There(found)
            }
            FetchOutcome::Gone => {
                self.files.remove(key)?;
                self.memory.seen.remove(&key.id());
                let help = "take it out of the work items that name it";
                self.tell(Code::IssueGone, &format!("`{key}` was deleted"), help, key);
                IssueOutcome::Absent
            }
            FetchOutcome::Missing | FetchOutcome::Refused(_) => {
                let message = format!("`{key}` does not exist, or may not be seen");
                let help =
                    "correct the number, or use a token that may read the repo; what the snapshot has of it stays";
                self.tell(Code::IssueNotVisible, &message, help, key);
                IssueOutcome::Absent
            }
        };
        if let (IssueOutcome::There(found), true) = (&single, asked) {
            self.run.wanted.insert((found.repo.clone(), found.number));
        }
        self.run.single.insert(key.id());
        self.save()?;
        Ok(single)
    }

    /// What the snapshot has of an issue.
    fn as_it_is(&mut self, key: &IssueKey) -> Result<IssueOutcome, StepError> {
        Ok(if self.files.read(key)?.is_some() { IssueOutcome::There(key.clone()) } else { IssueOutcome::Absent })
    }

    fn tell(&mut self, code: Code, message: &str, help: &str, key: &IssueKey) {
        self.summary.diagnostics.push(Diagnostic::new(code, None, message).help(help).about(key.to_string()));
    }

    /// Marks an issue that did not change as part of this run.
    pub(super) fn touch(&mut self, key: &IssueKey, asked: bool) -> Result<(), StepError> {
        let private = self.private(&key.repo)?;
        if let Some(mut issue) = self.files.read(key)? {
            issue.asked |= asked;
            issue.private = private.or(issue.private);
            self.files.write(&issue)?;
        }
        self.run.fresh.insert(key.id());
        Ok(())
    }

    /// Writes an issue, and keeps what is known of it beside.
    ///
    /// An answer of its own (`whole`) counts more than a line in somebody's list, and of those the first of a run:
    /// so it does not matter in which order things are fetched, or how often a run is broken off.
    pub(super) fn put(
        &mut self,
        fetched: FetchedIssue,
        key: &IssueKey,
        asked: bool,
        whole: bool,
    ) -> Result<(), StepError> {
        let FetchedIssue { mut issue, seen } = fetched;
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
            // That it could not be asked for is no reason to forget it.
            issue.private = issue.private.or(old.private);
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
}

/// Fills in what an issue's own summary says there is none of.
fn settle(issue: &mut SnapshotIssue, seen: &IssueMemo) {
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
