//! Fetching of relations: parents, sub-issues and dependencies.

use super::client::ApiAnswer;
use super::convert::Converter;
use super::pages::{FULL_PAGE, List, list};
use super::shape::UnexpectedEntries;
use super::sync::SyncEngine;
use super::sync_state::IssueMemo;
use super::{IssueKey, SyncError};
use crate::model::{Completeness, SnapshotRef, SnapshotRelation, SnapshotRelations};
use serde_json::Value;

const LISTS: [(&str, Pick, Count); 3] = [
    ("sub_issues", |relations| &mut relations.sub_issues, |seen| seen.sub_issues),
    ("dependencies/blocked_by", |relations| &mut relations.blocked_by, |seen| seen.blocked_by),
    ("dependencies/blocking", |relations| &mut relations.blocking, |seen| seen.blocking),
];

type Pick = fn(&mut SnapshotRelations) -> &mut SnapshotRelation;
type Count = fn(&IssueMemo) -> Option<u64>;

impl SyncEngine<'_> {
    /// Returns how many requests the relations of all issues take at most, not counting further pages.
    pub(super) fn relation_requests(&self) -> u64 {
        let full = !self.request.roots.is_empty();
        let of = |key: &IssueKey| {
            let seen = self.state.seen.get(key).filter(|_| !self.run.related.contains(&key.path()));
            let Some(seen) = seen else { return 0 };
            let lists = LISTS.iter().filter(|(.., count)| full || count(seen) != Some(0)).count();
            let parent = seen.parent.as_ref().map_or(full, |parent| !self.run.fresh.contains(parent));
            lists as u64 + u64::from(parent)
        };
        self.run.wanted.iter().map(of).sum()
    }

    /// Returns whether to fetch a list, given its length according to the issue.
    ///
    /// A server that does not report lengths may have the lists all the same: the first answer decides for the run.
    fn needs_list(&self, name: &'static str, length: Option<u64>, full: bool) -> bool {
        match length {
            Some(0) => full,
            Some(_) => true,
            None => !self.lacking.contains(name),
        }
    }

    pub(super) fn relations(&mut self) -> Result<(), SyncError> {
        let full = !self.request.roots.is_empty();
        let mut keys = self.run.wanted.clone();
        keys.retain(|key| !self.run.related.contains(&key.path()));
        self.for_each("relations", keys, |engine, key| {
            let failed = engine.summary.failed.len();
            engine.relations_of(key, full)?;
            if engine.summary.failed.len() == failed {
                engine.run.related.insert(key.path());
            }
            engine.save()
        })
    }

    /// Fetches the relations of one issue; with `full` also lists that are empty according to the issue.
    fn relations_of(&mut self, key: &IssueKey, full: bool) -> Result<(), SyncError> {
        let (Some(issue), Some(seen)) = (self.files.read(key)?, self.state.seen.get(key).cloned()) else {
            return Ok(());
        };
        let mut relations = issue.relations.clone();
        let mut knows_children = seen.sub_issues.is_some();
        for (name, pick, count) in LISTS {
            let length = count(&seen);
            if !self.needs_list(name, length, full) {
                continue;
            }
            let path = path(key, name);
            let failed = self.summary.failed.len();
            let found = self.run.related.contains(&path) || self.relation(name, key, pick(&mut relations), length)?;
            knows_children |= found && name == "sub_issues";
            if found {
                // A run that is interrupted between two lists does not fetch the first again.
                self.write_relations(key, &relations)?;
                if failed == self.summary.failed.len() {
                    self.run.related.insert(path);
                }
            }
        }
        if full || (seen.sub_issues.is_none() && knows_children) {
            self.fetch_parent(key, &seen, knows_children, &mut relations.parent)?;
        } else if let Some(parent) = &seen.parent {
            self.resolve_parent(parent, &mut relations.parent)?;
        }
        self.write_relations(key, &relations)
    }

    fn write_relations(&mut self, key: &IssueKey, relations: &SnapshotRelations) -> Result<(), SyncError> {
        if let Some(mut issue) = self.files.read(key)? {
            issue.relations = relations.clone();
            self.files.write(&issue)?;
        }
        Ok(())
    }

    /// Fetches a list of relations, and returns whether the server has such lists. A failure leaves `relation` unchanged.
    fn relation(
        &mut self,
        name: &'static str,
        key: &IssueKey,
        relation: &mut SnapshotRelation,
        length: Option<u64>,
    ) -> Result<bool, SyncError> {
        let whole = relation.completeness == Completeness::Complete;
        let path = path(key, name);
        // The entity tag of a full page does not show whether there is a second page.
        let is_only_page = relation.issues.len() < FULL_PAGE;
        let etag = self.state.etags.get(&path).filter(|_| whole && is_only_page).cloned();
        let answer = list(&mut self.client, &path, etag.as_deref());
        let label = || format!("relations of `{key}`, `{name}`");
        let Some(answer) = self.tolerate(answer, label)? else {
            return Ok(false);
        };
        let List { items, etag, failed } = match answer {
            Ok(list) => list,
            Err(ApiAnswer::Same) => return Ok(true),
            Err(_) => {
                // The issue is visible, so it is the list that the server lacks.
                self.lacking.insert(name);
                return Ok(false);
            }
        };
        let complete = failed.is_none();
        if let Some(error) = failed {
            self.record_failure(&error, label());
            if whole {
                return Ok(true);
            }
        }
        let (refs, hidden, unexpected) = self.references(&items)?;
        self.report_unexpected(&unexpected, label);
        if whole && !unexpected.is_none() {
            return Ok(true);
        }
        // Neighbours in invisible repos are counted by the issue and not listed.
        let all = complete && hidden == 0 && refs.len() as u64 >= length.unwrap_or_default();
        relation.completeness = if all { Completeness::Complete } else { Completeness::Partial };
        relation.issues = refs;
        self.state.etags.remove(&path);
        self.state.etags.extend(etag.filter(|_| all).map(|etag| (path, etag)));
        Ok(true)
    }

    /// Writes the records of neighbours; returns the references to them, the number of those that do not identify
    /// themselves, and the unexpected entries.
    fn references(&mut self, items: &[Value]) -> Result<(Vec<SnapshotRef>, usize, UnexpectedEntries), SyncError> {
        let (mut refs, mut hidden, mut unexpected) = (Vec::new(), 0, UnexpectedEntries::default());
        for value in items {
            let found = self.neighbour(value, &mut unexpected)?;
            hidden += usize::from(found.is_none());
            refs.extend(found);
        }
        refs.sort();
        refs.dedup();
        Ok((refs, hidden, unexpected))
    }

    fn neighbour(
        &mut self,
        value: &Value,
        unexpected: &mut UnexpectedEntries,
    ) -> Result<Option<SnapshotRef>, SyncError> {
        let Some(key) = unexpected.note(self.convert.key(value, None)) else { return Ok(None) };
        let Some(fetched) = unexpected.note(self.convert.issue(value, &key)) else {
            return Ok(Some(self.convert.invisible_reference(&key)));
        };
        let reference = Converter::reference(&fetched.issue);
        self.put(fetched, &key, false, false)?;
        Ok(Some(reference))
    }

    fn fetch_parent(
        &mut self,
        key: &IssueKey,
        seen: &IssueMemo,
        knows_children: bool,
        relation: &mut SnapshotRelation,
    ) -> Result<(), SyncError> {
        let answer = self.client.get(&format!("{}/parent", key.path()), None);
        let found = match self.tolerate(answer, || format!("the parent of `{key}`"))? {
            None => return Ok(()),
            Some(ApiAnswer::Page(page)) => {
                let mut unexpected = UnexpectedEntries::default();
                let found = self.neighbour(&page.value, &mut unexpected)?;
                self.report_unexpected(&unexpected, || format!("the parent of `{key}`"));
                if found.is_none() {
                    return Ok(());
                }
                found
            }
            Some(_) => match &seen.parent {
                Some(parent) => Some(self.convert.invisible_reference(parent)),
                // 404 is the answer for no parent, and for no such question.
                None if knows_children => None,
                None => return Ok(()),
            },
        };
        relation.issues = found.into_iter().collect();
        relation.completeness = Completeness::Complete;
        Ok(())
    }

    /// Sets the parent that an issue names, from this run's records or fetched.
    fn resolve_parent(&mut self, parent: &IssueKey, relation: &mut SnapshotRelation) -> Result<(), SyncError> {
        let mut found = Some(parent.clone());
        if !self.run.fresh.contains(parent) {
            let (failed, diagnostics) = (self.summary.failed.len(), self.summary.diagnostics.len());
            found = self.single(parent, false)?;
            // An invisible parent is not worth a diagnostic.
            self.summary.diagnostics.truncate(diagnostics);
            if self.summary.failed.len() > failed {
                return Ok(());
            }
        }
        let record = match &found {
            Some(key) => self.files.read(key)?,
            None => None,
        };
        let reference = record.as_ref().map(Converter::reference);
        relation.issues = vec![reference.unwrap_or_else(|| self.convert.invisible_reference(parent))];
        relation.completeness = Completeness::Complete;
        Ok(())
    }
}

fn path(key: &IssueKey, name: &str) -> String {
    format!("{}/{name}?per_page=100", key.path())
}
