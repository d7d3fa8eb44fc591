//! The index of names: ids, paths, folders, issues, ADRs. Built once for a corpus.

use super::corpus::{Corpus, Entry, GraphRules, SourceRules};
use super::edge::IssueRef;
use super::link::IssueMention;
use crate::mentions::adr_number;
use crate::model::{RepoPath, canonical};
use crate::records::Mention;
use crate::redact::Clean;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

/// Names → items and ADRs. Items are indices into [`Corpus::entries`], in its order.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    ids: HashMap<String, usize>,
    /// Ids that have letters outside ASCII, as they are compared.
    canonical: HashMap<String, usize>,
    lower: HashMap<String, Vec<usize>>,
    paths: HashMap<String, Vec<usize>>,
    folders: HashMap<String, Vec<usize>>,
    issues: HashMap<IssueRef, Vec<usize>>,
    adrs: HashSet<RepoPath>,
    adr_folders: HashSet<String>,
    adr_numbers: HashMap<u64, Vec<RepoPath>>,
    adr_names: HashMap<String, Vec<RepoPath>>,
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
        for items in index.lower.values_mut().chain(index.folders.values_mut()) {
            prefer(items, |item| !corpus.entries[item].untrusted_file);
        }
        for path in &corpus.rules.adrs {
            index.adrs.insert(path.clone());
            if let Some(number) = adr_number(path.name()) {
                push(&mut index.adr_numbers, number, path.clone());
            }
            index.adr_folders.insert(last(path.dir()).to_owned());
            push(&mut index.adr_names, canonical(path.name()).into_owned(), path.clone());
            if path.stem() != path.name() {
                push(&mut index.adr_names, canonical(path.stem()).into_owned(), path.clone());
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
        push(&mut self.lower, canonical(&record.id).to_lowercase(), item);
        // Relations do not name items by files of the snapshot.
        let mut paths: Vec<&RepoPath> =
            entry.origins().filter(|origin| origin.url.is_none()).map(|origin| &origin.path).collect();
        paths.dedup();
        for path in paths {
            push(&mut self.paths, canonical(path.as_str()).into_owned(), item);
        }
        if record.origin.url.is_none() {
            push(&mut self.folders, canonical(record.origin.path.dir()).into_owned(), item);
        }
        let named = match &record.issue {
            // An untracked file cannot claim an issue that others name.
            _ if entry.untrusted_file => None,
            Some(issue) => claim(issue, &corpus.rules),
            None => IssueMention::read(&record.id, &corpus.rules.host).filter(|named| named.repo.is_some()),
        };
        if let Some(named) = named {
            push(&mut self.issues, named.key(corpus.rules.repo.as_deref()), item);
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

    /// Returns the item whose id is `rest` behind one of the prefixes of a source.
    pub(super) fn under_prefix(&self, rules: &SourceRules, rest: &str) -> Option<usize> {
        rules.prefixed(rest).find_map(|id| self.exact(&id))
    }

    /// Returns the items whose ids differ from `id` in case at most.
    pub(super) fn any_case(&self, id: &str) -> &[usize] {
        found(self.lower.get(&canonical(id).to_lowercase()))
    }

    /// Returns the items in a file; several for JSONL.
    pub(super) fn at_path(&self, path: &RepoPath) -> &[usize] {
        found(self.paths.get(&*canonical(path.as_str())))
    }

    /// Returns the items whose files lie directly in a folder.
    pub(super) fn in_folder(&self, folder: &RepoPath) -> &[usize] {
        found(self.folders.get(&*canonical(folder.as_str())))
    }

    /// Returns the items that claim an issue.
    pub(super) fn claiming(&self, issue: &IssueRef) -> &[usize] {
        found(self.issues.get(issue))
    }

    /// Returns whether a file is an ADR.
    pub(super) fn is_adr(&self, path: &RepoPath) -> bool {
        self.adrs.contains(path)
    }

    /// Returns whether some ADR lies in a folder of this name.
    pub(super) fn holds_adrs(&self, folder: &str) -> bool {
        self.adr_folders.contains(folder)
    }

    /// Returns the ADRs whose file names give them this number.
    pub(super) fn adrs_numbered(&self, number: u64) -> &[RepoPath] {
        found(self.adr_numbers.get(&number))
    }

    /// Returns the ADRs with this file name, with or without its extension.
    pub(super) fn adrs_named(&self, name: &str) -> &[RepoPath] {
        found(self.adr_names.get(&*canonical(name)))
    }
}

/// Returns the issue that a value of `issue:` names.
pub(super) fn claim<'a>(issue: &'a Mention<Clean>, rules: &GraphRules) -> Option<IssueMention<'a>> {
    IssueMention::read_with_bare(&issue.value, &rules.host)
}

/// Returns the last part of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Keeps only the items that are `better`, if any is.
fn prefer(items: &mut Vec<usize>, better: impl Fn(usize) -> bool) {
    if items.len() > 1 && items.iter().any(|item| better(*item)) {
        items.retain(|item| better(*item));
    }
}

fn push<K: Eq + Hash, V>(map: &mut HashMap<K, Vec<V>>, key: K, value: V) {
    map.entry(key).or_default().push(value);
}

fn found<V>(values: Option<&Vec<V>>) -> &[V] {
    values.map_or(&[], Vec::as_slice)
}
