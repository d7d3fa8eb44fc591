//! The index of names: ids, paths, folders, issues, ADRs. Built once for a corpus.

use super::corpus::Corpus;
use super::entry::{Entry, GraphRules, SourceRules};
use super::link::{IssueRef, issue_on, issue_or_number};
use crate::mentions::adr_number;
use crate::model::{IssueReference, RepoPath, canonical};
use crate::records::Mention;
use crate::redact::Clean;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

/// The other project that an ADR is of, if any, and its number.
pub(super) type AdrId = (Option<usize>, u64);

/// Names → items and ADRs. Items are indices into [`Corpus::entries`], in its order; names and paths are canonical.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    ids: HashMap<String, usize>,
    canonical: HashMap<String, usize>,
    any_case: HashMap<String, Vec<usize>>,
    paths: HashMap<String, Vec<usize>>,
    folders: HashMap<String, Vec<usize>>,
    issues: HashMap<IssueRef, Vec<usize>>,
    adr_numbers: HashMap<AdrId, Vec<RepoPath>>,
    adr_names: HashMap<String, Vec<RepoPath>>,
    adr_files: HashSet<RepoPath>,
    adr_folders: HashSet<String>,
    /// The distinct rules of all sources, in the order of their first item.
    pub(super) rules: Vec<Arc<SourceRules>>,
}

impl NameIndex {
    pub(super) fn of(corpus: &Corpus) -> Self {
        let mut index = Self::default();
        for (item, entry) in corpus.entries.iter().enumerate() {
            index.add(corpus, item, entry);
        }
        // Of several items that claim one issue, the item that it was merged into is meant.
        index.issues.values_mut().for_each(|items| prefer(items, |item| corpus.entries[item].issue.is_some()));
        // What git does not track takes no name away from what it tracks.
        let names = index.any_case.values_mut().chain(index.folders.values_mut());
        names.for_each(|items| prefer(items, |item| !corpus.entries[item].untrusted_file));
        for path in &corpus.rules.adrs {
            index.adr_files.insert(path.clone());
            index.adr_folders.insert(last(path.dir()).to_owned());
            if let Some(number) = adr_number(path.name()) {
                push(&mut index.adr_numbers, (corpus.rules.source_with(path), number), path.clone());
            }
            let stem = (path.stem() != path.name()).then(|| path.stem());
            for name in [path.name()].into_iter().chain(stem) {
                push(&mut index.adr_names, canonical(name).into_owned(), path.clone());
            }
        }
        index
    }

    fn add(&mut self, corpus: &Corpus, item: usize, entry: &Entry) {
        let record = &entry.item;
        self.ids.entry(record.id.to_string()).or_insert(item);
        if !record.id.is_ascii() {
            self.canonical.entry(canonical(&record.id).into_owned()).or_insert(item);
        }
        push(&mut self.any_case, canonical(&record.id).to_lowercase(), item);
        // Relations do not name items by files of the snapshot.
        let files = entry.origins().filter(|origin| origin.url.is_none());
        let mut paths: Vec<&RepoPath> = files.map(|origin| &origin.path).collect();
        paths.dedup();
        for path in paths {
            push(&mut self.paths, canonical(path.as_str()).into_owned(), item);
        }
        if record.origin.url.is_none() {
            push(&mut self.folders, canonical(record.origin.path.dir()).into_owned(), item);
        }
        let issue = match &record.issue {
            // An untracked file cannot claim an issue that others name.
            _ if entry.untrusted_file => None,
            Some(issue) => claim(issue, &corpus.rules),
            None => issue_on(&corpus.rules.host, &record.id).filter(|named| named.repo.is_some()),
        };
        if let Some(issue) = issue {
            push(&mut self.issues, IssueRef::of(&issue, corpus.rules.repo.as_deref()), item);
        }
        if !self.rules.iter().any(|rules| Arc::ptr_eq(rules, &entry.rules) || rules == &entry.rules) {
            self.rules.push(Arc::clone(&entry.rules));
        }
    }

    /// Returns the item with exactly this id, however its accents are composed and its hyphens are written.
    pub(super) fn exact(&self, id: &str) -> Option<usize> {
        let composed = || {
            let any = !(self.canonical.is_empty() && id.is_ascii());
            any.then(|| self.canonical.get(&*canonical(id)).or_else(|| self.ids.get(&*canonical(id)))).flatten()
        };
        self.ids.get(id).or_else(composed).copied()
    }

    pub(super) fn under_prefix(&self, rules: &SourceRules, rest: &str) -> Option<usize> {
        rules.prefixed(rest).find_map(|id| self.exact(&id))
    }

    pub(super) fn any_case(&self, id: &str) -> &[usize] {
        all(self.any_case.get(&canonical(id).to_lowercase()))
    }

    pub(super) fn at_path(&self, path: &RepoPath) -> &[usize] {
        all(self.paths.get(&*canonical(path.as_str())))
    }

    pub(super) fn in_folder(&self, folder: &RepoPath) -> &[usize] {
        all(self.folders.get(&*canonical(folder.as_str())))
    }

    pub(super) fn claiming(&self, issue: &IssueRef) -> &[usize] {
        all(self.issues.get(issue))
    }

    pub(super) fn is_adr(&self, path: &RepoPath) -> bool {
        self.adr_files.contains(path)
    }

    pub(super) fn holds_adrs(&self, folder: &str) -> bool {
        self.adr_folders.contains(folder)
    }

    pub(super) fn adrs_numbered(&self, id: AdrId) -> &[RepoPath] {
        all(self.adr_numbers.get(&id))
    }

    pub(super) fn adrs_named(&self, name: &str) -> &[RepoPath] {
        all(self.adr_names.get(&*canonical(name)))
    }
}

/// Returns the issue that an item says it is of; `None` if the words name none.
pub fn claim<'a>(issue: &'a Mention<Clean>, rules: &GraphRules) -> Option<IssueReference<'a>> {
    issue_or_number(&rules.host, &issue.value)
}

pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn all<T>(found: Option<&Vec<T>>) -> &[T] {
    found.map_or(&[], Vec::as_slice)
}

fn prefer(items: &mut Vec<usize>, better: impl Fn(usize) -> bool) {
    if items.len() > 1 && items.iter().any(|item| better(*item)) {
        items.retain(|item| better(*item));
    }
}

fn push<K: Eq + Hash, V>(map: &mut HashMap<K, Vec<V>>, key: K, value: V) {
    map.entry(key).or_default().push(value);
}
