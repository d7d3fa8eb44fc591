//! The lookup of items by what a person typed or a text names.

use super::corpus::{Corpus, SourceRules};
use super::edge::IssueRef;
use super::edges::Graph;
use super::link::IssueMention;
use crate::model::RepoPath;
use std::collections::BTreeSet;

/// The result of looking up a root as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootMatch {
    Item(usize),
    /// Several items, in natural order of their ids.
    Several(Vec<usize>),
    /// An issue that is neither an item nor in the snapshot; its repo is empty if the configuration names none.
    Issue(IssueRef),
    Nothing,
}

impl Graph {
    /// Resolves a root: an exact id; the path of an item's file; an id in another case, without or under another prefix; or
    /// the number, name or URL of an issue.
    ///
    /// An exact id or path wins. Two different answers among the weaker forms are [`RootMatch::Several`].
    pub fn find(&self, corpus: &Corpus, root: &str) -> RootMatch {
        let root = root.trim();
        if let Some(item) = self.index.exact(root) {
            return RootMatch::Item(item);
        }
        if let Ok(path) = RepoPath::new(root) {
            match self.index.at_path(&path) {
                [] => {}
                [item] => return RootMatch::Item(*item),
                many => return RootMatch::Several(many.to_vec()),
            }
        }
        let named = IssueMention::read_with_bare(root, &corpus.rules.host);
        let issue = named.map(|named| named.key(corpus.rules.repo.as_deref()));
        let mut found = self.prefixed(root);
        found.extend(issue.iter().flat_map(|issue| self.index.claiming(issue)));
        match (Vec::from_iter(found), issue) {
            (found, Some(issue)) if found.is_empty() => RootMatch::Issue(issue),
            (found, _) => match found[..] {
                [] => RootMatch::Nothing,
                [item] => RootMatch::Item(item),
                _ => RootMatch::Several(found),
            },
        }
    }

    /// Returns the item with exactly this id.
    pub fn item_with_id(&self, id: &str) -> Option<usize> {
        self.index.exact(id)
    }

    /// Returns the item that a word of a text names: by its id, in another case or under another prefix, or by its issue.
    pub fn named(&self, corpus: &Corpus, word: &str) -> Option<usize> {
        if let Some(item) = self.index.exact(word) {
            return Some(item);
        }
        if word.contains(['#', '/']) || word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("gh-")) {
            let issue = IssueMention::read(word, &corpus.rules.host)?.key(corpus.rules.repo.as_deref());
            return self.index.claiming(&issue).first().copied();
        }
        let mut rules = self.index.rules.iter();
        let other_prefix = rules.find_map(|rules| self.index.under_prefix(rules, rules.without_prefix(word)?));
        other_prefix.or_else(|| match self.index.any_case(word) {
            [item] if word.bytes().any(|byte| byte.is_ascii_digit()) => Some(*item),
            _ => None,
        })
    }

    /// Returns the item whose file this is, if it is one item's.
    pub fn of_file(&self, path: &RepoPath) -> Option<usize> {
        match self.index.at_path(path) {
            [item] => Some(*item),
            _ => None,
        }
    }

    /// Returns the item of an issue, if the snapshot has the issue.
    pub fn of_issue(&self, corpus: &Corpus, repo: &str, number: u64) -> Option<usize> {
        let claiming = self.index.claiming(&IssueRef::new(repo, number));
        claiming.iter().copied().find(|item| corpus.entries[*item].issue.is_some())
    }

    /// Returns the best matches by id: for each source, the first of its prefixes that yields an id.
    fn prefixed(&self, root: &str) -> BTreeSet<usize> {
        let of_source = |rules: &SourceRules| {
            let (before, after) = &rules.reference;
            self.index.exact(&format!("{before}{root}{after}")).or_else(|| {
                let bare = || root.starts_with(|c: char| c.is_ascii_digit()).then_some(root);
                self.index.under_prefix(rules, rules.without_prefix(root).or_else(bare)?)
            })
        };
        let mut found: BTreeSet<usize> = self.index.rules.iter().filter_map(|rules| of_source(rules)).collect();
        if found.is_empty() {
            found.extend(self.index.any_case(root));
        }
        found
    }
}
