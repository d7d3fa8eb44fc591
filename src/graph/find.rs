//! The lookup of a root as typed by a person.

use super::link::{IssueMention, number};
use super::resolve::without_prefix;
use super::{Corpus, Graph, IssueRef};
use crate::model::RepoPath;
use std::collections::BTreeSet;

/// The result of looking up a root as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootMatch {
    /// This item.
    Item(usize),
    /// Several items, in natural order of their ids.
    Several(Vec<usize>),
    /// An issue that is neither an item nor in the snapshot; its repo is empty if the configuration names none.
    Issue(IssueRef),
    /// Nothing.
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
        let this = corpus.rules.repo.as_deref();
        let bare = || number(root).map(|number| IssueMention { repo: None, number, url: false });
        let issue = IssueMention::read(root, &corpus.rules.host).or_else(bare).map(|written| written.key(this));
        let mut found = self.prefixed(root);
        if let Some(issue) = &issue {
            found.extend(self.index.claiming(issue));
        }
        match (found.len(), issue) {
            (0, None) => RootMatch::Nothing,
            (0, Some(issue)) => RootMatch::Issue(issue),
            (1, _) => found.first().map_or(RootMatch::Nothing, |item| RootMatch::Item(*item)),
            _ => RootMatch::Several(found.into_iter().collect()),
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
        let other_prefix = self.index.rules.iter().find_map(|rules| {
            let rest = rules.prefixes.iter().find_map(|prefix| without_prefix(word, prefix))?;
            rules.prefixes.iter().find_map(|prefix| self.index.exact(&format!("{prefix}{rest}")))
        });
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
        let claiming = self.index.claiming(&IssueRef { repo: repo.to_lowercase(), number });
        claiming.iter().copied().find(|item| corpus.entries[*item].issue.is_some())
    }

    /// Returns the best matches by id: for each source, the first of its prefixes that yields an id.
    fn prefixed(&self, root: &str) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for rules in &self.index.rules {
            let (before, after) = &rules.reference;
            let templated = format!("{before}{root}{after}");
            if let Some(item) = self.index.exact(&templated) {
                found.insert(item);
                continue;
            }
            let stated = rules.prefixes.iter().find_map(|prefix| without_prefix(root, prefix));
            let rest = stated.or_else(|| root.starts_with(|c: char| c.is_ascii_digit()).then_some(root));
            let Some(rest) = rest else { continue };
            found.extend(rules.prefixes.iter().find_map(|prefix| self.index.exact(&format!("{prefix}{rest}"))));
        }
        if found.is_empty() {
            found.extend(self.index.any_case(root));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::samples::{corpus, item};

    #[test]
    fn roots_are_found_in_every_form() {
        let back = |id: &str, file: &str| item(id, file).source(("", ""), &["BACK-", "task-"]);
        let corpus = corpus(vec![
            back("BACK-7", "backlog/seven.md").issue("o/r#123"),
            back("BACK-8", "backlog/eight.md").issue("7"),
            item("feat:x", "w/x.jsonl"),
            item("feat:y", "w/x.jsonl"),
            item("EIP-20", "EIPS/eip-20.md").source(("EIP-", ""), &[]),
        ]);
        let graph = Graph::build(&corpus);
        let id = |item: usize| corpus.entries[item].item.id.to_string();
        let find = |root: &str| match graph.find(&corpus, root) {
            RootMatch::Item(item) => id(item),
            RootMatch::Several(items) => items.into_iter().map(id).collect::<Vec<_>>().join(" "),
            RootMatch::Issue(issue) => format!("{}#{}", issue.repo, issue.number),
            RootMatch::Nothing => "-".to_owned(),
        };
        for (root, found) in [
            ("BACK-7", "BACK-7"),
            ("./backlog/seven.md", "BACK-7"),
            ("task-7", "BACK-7"),
            ("back-8", "BACK-8"),
            ("8", "BACK-8"),
            ("20", "EIP-20"),
            ("123", "BACK-7"),
            ("O/R#123", "BACK-7"),
            ("https://github.com/o/r/issues/123", "BACK-7"),
            ("7", "BACK-7 BACK-8"),
            ("w/x.jsonl", "feat:x feat:y"),
            ("99", "o/r#99"),
            ("p/q#1", "p/q#1"),
            ("nope", "-"),
            ("", "-"),
        ] {
            assert_eq!(find(root), found, "{root}");
        }
    }
}
