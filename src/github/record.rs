//! Fetching of single issues, and the update of an issue's record.

use super::client::{ApiAnswer, with_reason};
use super::convert::FetchedIssue;
use super::sync::SyncEngine;
use super::sync_state::IssueMemo;
use super::{IssueKey, SyncError};
use crate::model::{Code, Completeness, Diagnostic, SnapshotComments, SnapshotIssue, SnapshotRelation};

impl SyncEngine<'_> {
    /// Fetches one issue by its number, once per run; returns the key under which the snapshot has it, if it does.
    pub(super) fn single(&mut self, key: &IssueKey, asked: bool) -> Result<Option<IssueKey>, SyncError> {
        if self.run.single.contains(key) {
            return self.snapshot_outcome(key);
        }
        let path = key.path();
        let known = self.state.seen.contains_key(key) && self.files.read(key)?.is_some();
        let etag = self.state.etags.get(&path).filter(|_| known).cloned();
        let got = self.client.get(&path, etag.as_deref());
        let Some(got) = self.tolerate(got, || format!("`{key}`"))? else {
            return self.snapshot_outcome(key);
        };
        let single = match got {
            ApiAnswer::Same => {
                self.touch(key, asked)?;
                Some(key.clone())
            }
            ApiAnswer::Page(page) => {
                let found = self.convert.key(&page.value, Some(&key.repo));
                let fetched = found.and_then(|found| Ok((self.convert.issue(&page.value, &found)?, found)));
                let fetched = fetched.map_err(|what| SyncError::unexpected("an issue", &what));
                let Some((fetched, found)) = self.tolerate(fetched, || format!("`{key}`"))? else {
                    return self.snapshot_outcome(key);
                };
                self.state.etags.remove(&path);
                if found == *key {
                    self.state.etags.extend(page.etag.map(|etag| (path, etag)));
                } else {
                    self.files.remove(key)?;
                    let message = format!("`{key}` was moved to `{found}`");
                    let help = format!("name `{found}` where the old number stands");
                    self.report(Code::IssueMoved, &message, &help, key);
                }
                self.put(fetched, &found, asked, true)?;
                Some(found)
            }
            ApiAnswer::Gone => {
                self.files.remove(key)?;
                self.state.seen.remove(key);
                let help = "take it out of the work items that name it";
                self.report(Code::IssueGone, &format!("`{key}` was deleted"), help, key);
                None
            }
            absent @ (ApiAnswer::Missing | ApiAnswer::Refused(_)) => {
                let why = if let ApiAnswer::Refused(why) = absent { why } else { None };
                let message = with_reason(&format!("`{key}` does not exist, or may not be seen"), why.as_deref());
                let help =
                    "correct the number, or use a token that may read the repo; what the snapshot has of it stays";
                self.report(Code::IssueNotVisible, &message, help, key);
                None
            }
        };
        self.run.wanted.extend(single.clone().filter(|_| asked));
        self.run.single.insert(key.clone());
        self.save()?;
        Ok(single)
    }

    fn snapshot_outcome(&mut self, key: &IssueKey) -> Result<Option<IssueKey>, SyncError> {
        Ok(self.files.read(key)?.map(|_| key.clone()))
    }

    fn report(&mut self, code: Code, message: &str, help: &str, key: &IssueKey) {
        self.summary.diagnostics.push(Diagnostic::new(code, None, message).help(help).about(key.to_string()));
    }

    /// Marks an issue that did not change as part of this run.
    pub(super) fn touch(&mut self, key: &IssueKey, asked: bool) -> Result<(), SyncError> {
        let private = self.private(&key.repo)?;
        if let Some(mut issue) = self.files.read(key)? {
            issue.asked |= asked;
            issue.private = private.or(issue.private);
            self.files.write(&issue)?;
        }
        self.run.fresh.insert(key.clone());
        Ok(())
    }

    /// Writes an issue, and saves what decides on further requests.
    ///
    /// An answer of its own (`whole`) takes precedence over an entry in another issue's list, and among entries the
    /// first of a run does: so neither the order of requests nor interruptions change the result.
    pub(super) fn put(
        &mut self,
        fetched: FetchedIssue,
        key: &IssueKey,
        asked: bool,
        whole: bool,
    ) -> Result<(), SyncError> {
        let FetchedIssue { mut issue, seen } = fetched;
        if !whole && self.run.fresh.contains(key) {
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
            issue.edited = is_edited(&issue, old);
            // A failed request for the visibility does not erase the known one.
            issue.private = issue.private.or(old.private);
            issue.comments = old.comments.clone();
            issue.relations = old.relations.clone();
            issue.code = old.code.clone();
        }
        fill_in_empty(&mut issue, &seen);
        if whole {
            self.state.seen.insert(key.clone(), seen);
        } else if old.is_some_and(|old| old != issue) {
            // The entity tags of its own answers belong to another text.
            self.state.seen.remove(key);
        }
        self.files.write(&issue)?;
        self.run.fresh.insert(key.clone());
        Ok(())
    }
}

/// Whether the untrusted author of an issue changed its title or body after it had been asked for.
///
/// An author may edit an issue at any time, and adding a label needs a role in the repo: whoever adds one has seen the
/// text as it is then. GitHub does not say in lists of issues when a text was edited, so the text is compared with that
/// of the snapshot.
fn is_edited(issue: &SnapshotIssue, old: &SnapshotIssue) -> bool {
    let labelled = issue.labels.iter().any(|label| !old.labels.contains(label));
    let changed = issue.title != old.title || issue.body != old.body;
    issue.trust != "trusted" && !labelled && (old.edited || old.asked && changed)
}

/// Marks as complete and empty what an issue's own summary counts as zero.
fn fill_in_empty(issue: &mut SnapshotIssue, seen: &IssueMemo) {
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
    // A server that supports sub-issues names the parent if there is one.
    none(&mut relations.parent, seen.parent.is_none() && seen.sub_issues.is_some());
}
