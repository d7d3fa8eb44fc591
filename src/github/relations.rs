//! Parents, sub-issues and dependencies.

use super::IssueKey;
use super::Progress;
use super::client::FetchOutcome;
use super::convert::Converter;
use super::memory::IssueMemo;
use super::pages::{FULL_PAGE, ListOutcome, list};
use super::record::IssueOutcome;
use super::strange::Strange;
use super::sync::{StepError, SyncEngine};
use crate::model::{Completeness, SnapshotRef, SnapshotRelation, SnapshotRelations};
use serde_json::Value;

/// The relations that have a list.
const LISTS: [(&str, Pick, Count); 3] = [
    ("sub_issues", |relations| &mut relations.sub_issues, |seen| seen.sub_issues),
    ("dependencies/blocked_by", |relations| &mut relations.blocked_by, |seen| seen.blocked_by),
    ("dependencies/blocking", |relations| &mut relations.blocking, |seen| seen.blocking),
];

type Pick = fn(&mut SnapshotRelations) -> &mut SnapshotRelation;
type Count = fn(&IssueMemo) -> Option<u64>;

impl SyncEngine<'_> {
    /// How many requests the relations of all issues cost, further pages and parents aside.
    pub(super) fn relation_requests(&self) -> u64 {
        if !self.request.roots.is_empty() {
            return self.run.wanted.len() as u64 * (1 + LISTS.len() - self.lacking.len().min(LISTS.len())) as u64;
        }
        let of = |(repo, number): &(String, u64)| {
            let id = IssueKey::new(repo, *number).id();
            let seen = self.memory.seen.get(&id).filter(|_| !self.run.related.contains(&id));
            seen.map_or(0, |seen| {
                let lists = LISTS.iter().filter(|(name, _, count)| self.asks(name, count(seen), false)).count() as u64;
                lists
                    + u64::from(
                        seen.parent
                            .as_ref()
                            .is_some_and(|(repo, number)| !self.run.fresh.contains(&IssueKey::new(repo, *number).id())),
                    )
            })
        };
        self.run.wanted.iter().map(of).sum()
    }

    /// Whether a list is asked for, given how long the issue says that it is.
    ///
    /// Servers that do not say may have the list all the same: one answer tells it for the whole run.
    fn asks(&self, name: &'static str, told: Option<u64>, full: bool) -> bool {
        match told {
            Some(0) => full,
            Some(_) => true,
            None => !self.lacking.contains(name),
        }
    }

    /// Learns from one issue that says nothing of its relations which lists the server has.
    pub(super) fn probe(&mut self) -> Result<(), StepError> {
        let silent = |(repo, number): &&(String, u64)| {
            let seen = self.memory.seen.get(&IssueKey::new(repo, *number).id());
            seen.is_some_and(|seen| LISTS.iter().any(|(_, _, count)| count(seen).is_none()))
        };
        let found = self.run.wanted.iter().find(silent).map(|(repo, number)| IssueKey::new(repo, *number));
        found.map_or(Ok(()), |key| self.relations_of(&key, !self.request.roots.is_empty()))
    }

    /// Fetches the relations of every issue that was asked for and may have some.
    pub(super) fn relations(&mut self) -> Result<(), StepError> {
        let wanted: Vec<IssueKey> = self.run.wanted.iter().map(|(repo, number)| IssueKey::new(repo, *number)).collect();
        let of = wanted.len() as u64;
        let full = !self.request.roots.is_empty();
        for (done, key) in wanted.iter().enumerate() {
            if self.run.related.contains(&key.id()) {
                continue;
            }
            let failed = self.summary.failed.len();
            self.client.watcher.progress(Progress { step: "relations", done: done as u64, of });
            self.relations_of(key, full)?;
            if self.summary.failed.len() == failed {
                self.run.related.insert(key.id());
            }
            self.save()?;
        }
        Ok(())
    }

    /// `full`: whatever the summaries say.
    fn relations_of(&mut self, key: &IssueKey, full: bool) -> Result<(), StepError> {
        let (Some(issue), Some(seen)) = (self.files.read(key)?, self.memory.seen.get(&key.id()).cloned()) else {
            return Ok(());
        };
        let mut relations = issue.relations.clone();
        let mut knows_children = seen.sub_issues.is_some();
        for (name, pick, count) in LISTS {
            let told = count(&seen);
            if !self.asks(name, told, full) {
                continue;
            }
            let path = path(key, name);
            let faults = (self.summary.failed.len(), self.strange_lists);
            let found = self.run.related.contains(&path) || self.relation(name, key, pick(&mut relations), told)?;
            knows_children |= found && name == "sub_issues";
            if found {
                // A run that is broken off between two lists does not ask for the first again.
                self.write_relations(key, &relations)?;
                if faults == (self.summary.failed.len(), self.strange_lists) {
                    self.run.related.insert(path);
                }
            }
        }
        if full || (seen.sub_issues.is_none() && knows_children) {
            self.asked_parent(key, &seen, knows_children, &mut relations.parent)?;
        } else if let Some((repo, number)) = &seen.parent {
            self.named_parent(&IssueKey::new(repo, *number), &mut relations.parent)?;
        }
        self.write_relations(key, &relations)
    }

    fn write_relations(&mut self, key: &IssueKey, relations: &SnapshotRelations) -> Result<(), StepError> {
        if let Some(mut issue) = self.files.read(key)? {
            issue.relations = relations.clone();
            self.files.write(&issue)?;
        }
        Ok(())
    }

    /// Fetches a list of relations; what fails leaves `relation` as it was. Says whether the server has such lists.
    fn relation(
        &mut self,
        name: &'static str,
        key: &IssueKey,
        relation: &mut SnapshotRelation,
        told: Option<u64>,
    ) -> Result<bool, StepError> {
        let whole = relation.completeness == Completeness::Complete;
        let path = path(key, name);
        // The mark of a full page says nothing of a second one.
        let alone = relation.issues.len() < FULL_PAGE;
        let etag = self.memory.etags.get(&path).filter(|_| whole && alone).cloned();
        let answer = list(&mut self.client, &path, etag.as_deref(), told);
        let called = || format!("relations of `{key}`, `{name}`");
        let Some(answer) = self.passing(answer, called)? else {
            return Ok(false);
        };
        let (items, complete, etag, failed) = match answer {
            ListOutcome::Items { items, complete, etag, failed } => (items, complete, etag, failed),
            ListOutcome::Same => return Ok(true),
            ListOutcome::Missing | ListOutcome::Refused => {
                // The issue can be seen: it is the list that is not there.
                self.lacking.insert(name);
                return Ok(false);
            }
        };
        if let Some(stop) = failed {
            self.fails(&stop, called());
            if whole {
                return Ok(true);
            }
        }
        let (refs, hidden, strange) = self.references(&items)?;
        self.strange(&strange, called);
        if whole && !strange.is_none() {
            return Ok(true);
        }
        // Neighbours in repos that may not be seen are counted and not listed.
        let all = complete && hidden == 0 && refs.len() as u64 >= told.unwrap_or_default();
        relation.completeness = if all { Completeness::Complete } else { Completeness::Partial };
        relation.issues = refs;
        self.memory.etags.remove(&path);
        if complete {
            self.memory.etags.extend(etag.filter(|_| all).map(|etag| (path, etag)));
        }
        Ok(true)
    }

    /// The lines of neighbours, whose records are written on the way; how many say too little of themselves; and what
    /// is no issue.
    fn references(&mut self, items: &[Value]) -> Result<(Vec<SnapshotRef>, usize, Strange), StepError> {
        let (mut refs, mut hidden, mut strange) = (Vec::new(), 0, Strange::default());
        for value in items {
            let found = self.neighbour(value, &mut strange)?;
            hidden += usize::from(found.is_none());
            refs.extend(found);
        }
        refs.sort();
        refs.dedup();
        Ok((refs, hidden, strange))
    }

    fn neighbour(&mut self, value: &Value, strange: &mut Strange) -> Result<Option<SnapshotRef>, StepError> {
        let Some(key) = strange.note(self.convert.key(value, None)) else { return Ok(None) };
        let Some(fetched) = strange.note(self.convert.issue(value, &key)) else {
            return Ok(Some(self.convert.unseen(&key)));
        };
        let reference = Converter::reference(&fetched.issue);
        self.put(fetched, &key, false, false)?;
        Ok(Some(reference))
    }

    fn asked_parent(
        &mut self,
        key: &IssueKey,
        seen: &IssueMemo,
        knows_children: bool,
        relation: &mut SnapshotRelation,
    ) -> Result<(), StepError> {
        let answer = self.client.get(&format!("{}/parent", key.path()), None);
        let found = match self.passing(answer, || format!("the parent of `{key}`"))? {
            None => return Ok(()),
            Some(FetchOutcome::Page(page)) => {
                let mut strange = Strange::default();
                let found = self.neighbour(&page.value, &mut strange)?;
                self.strange(&strange, || format!("the parent of `{key}`"));
                if found.is_none() {
                    return Ok(());
                }
                found
            }
            Some(_) => match &seen.parent {
                Some((repo, number)) => Some(self.convert.unseen(&IssueKey::new(repo, *number))),
                // 404 is the answer for no parent, and for no such question.
                None if knows_children => None,
                None => return Ok(()),
            },
        };
        relation.issues = found.into_iter().collect();
        relation.completeness = Completeness::Complete;
        Ok(())
    }

    /// The parent that an issue names: from this run's records, or fetched.
    fn named_parent(&mut self, parent: &IssueKey, relation: &mut SnapshotRelation) -> Result<(), StepError> {
        let there = match self.run.fresh.contains(&parent.id()) {
            true => IssueOutcome::There(parent.clone()),
            false => {
                let failed = self.summary.failed.len();
                let told = self.summary.diagnostics.len();
                let single = self.single(parent, false)?;
                // That a parent may not be seen is no fault of anybody.
                self.summary.diagnostics.truncate(told);
                if self.summary.failed.len() > failed {
                    return Ok(());
                }
                single
            }
        };
        let record = match &there {
            IssueOutcome::There(key) => self.files.read(key)?,
            IssueOutcome::Absent => None,
        };
        let reference = record.as_ref().map(Converter::reference);
        relation.issues = vec![reference.unwrap_or_else(|| self.convert.unseen(parent))];
        relation.completeness = Completeness::Complete;
        Ok(())
    }
}

/// The first page of a list of relations.
fn path(key: &IssueKey, name: &str) -> String {
    format!("{}/{name}?per_page=100", key.path())
}
