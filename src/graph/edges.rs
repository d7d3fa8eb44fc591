//! Items → edges in both directions, each with its strongest evidence.

use super::corpus::Corpus;
use super::entry::SourceRules;
use super::link::{IssueRef, issue_on, issue_or_number};
use super::names::NameIndex;
use super::text::RecordedRemoval;
use crate::model::{Diagnostic, ItemState, Relation, RepoPath};
use crate::redact::Clean;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The most edges of one relation that a pack shows: thousands tell readers no more than their number.
pub(super) const MAX_SHOWN: usize = 250;

/// The most children of a parent that a list of siblings shows; each of the children has that list in its packs.
const MAX_LISTED: usize = 100;

/// The target of an edge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// An item: its index in [`Corpus::entries`](super::Corpus::entries).
    Item(usize),
    /// An issue that is neither an item nor in the snapshot: `resolved: false` in packs.
    Issue {
        /// `owner/repo#n`.
        id: Clean,
        /// Its page.
        url: Clean,
        /// Its title, if a list of its neighbours has it.
        title: Option<Clean>,
        /// Its state, if a list of its neighbours has it.
        state: ItemState,
        /// What was removed from its name and title.
        removals: Vec<RecordedRemoval>,
    },
}

/// The kind of place where an edge was stated, strongest first; `docs/format.md` has the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeSource {
    Field,
    SubIssue,
    DependencyApi,
    Checklist,
    Body,
}

impl EdgeSource {
    pub fn name(self) -> &'static str {
        ["field", "sub_issue", "dependency_api", "checklist", "body"][self as usize]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EdgeEvidence {
    pub source: EdgeSource,
    pub at: Clean,
    pub trusted: bool,
}

/// An edge of one item; its counterpart is an edge of the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The relation of the other to this item.
    pub relation: Relation,
    pub to: Target,
    pub evidence: EdgeEvidence,
}

/// A relation that an item states to what is neither an item nor an issue; it has a warning and no edge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unresolved {
    pub relation: Relation,
    /// As written.
    pub text: Clean,
    pub why: &'static str,
    pub evidence: EdgeEvidence,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootMatch {
    Item(usize),
    Several(Vec<usize>),
    /// An issue that is neither an item nor in the snapshot; its repo is empty if the configuration names none.
    Issue(IssueRef),
    Nothing,
}

impl RootMatch {
    fn of(items: &[usize]) -> Self {
        match items {
            [] => Self::Nothing,
            [item] => Self::Item(*item),
            many => Self::Several(many.to_vec()),
        }
    }
}

#[derive(Debug)]
pub struct Graph {
    pub(super) edges: Vec<Vec<Edge>>,
    pub(super) claims: Vec<Vec<Edge>>,
    pub(super) unresolved: BTreeMap<usize, Vec<Unresolved>>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) index: NameIndex,
}

impl Graph {
    /// Returns the edges of an item, by relation, then by the target's id in natural order.
    ///
    /// A target has one edge of each relation, and one of `depends_on` and `blocked_by`.
    pub fn edges(&self, item: usize) -> &[Edge] {
        self.edges.get(item).map_or(&[], Vec::as_slice)
    }

    /// Returns the edges that only untrusted authors state, in texts of other items; they are not among [`Graph::edges`].
    pub fn claims(&self, item: usize) -> &[Edge] {
        self.claims.get(item).map_or(&[], Vec::as_slice)
    }

    /// Returns the relations of an item to what cannot be found, in the order of its texts.
    pub fn unresolved(&self, item: usize) -> &[Unresolved] {
        self.unresolved.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Returns the edges of an item that its packs show: the first 250 of each relation.
    pub fn shown(&self, item: usize) -> impl Iterator<Item = &Edge> + Clone {
        self.edges(item).chunk_by(|a, b| a.relation == b.relation).flat_map(|edges| edges.iter().take(MAX_SHOWN))
    }

    pub fn hidden(&self, item: usize) -> usize {
        self.edges(item).len() - self.shown(item).count()
    }

    /// Returns the children of an item, and how many of them a list of them shows.
    pub fn children(&self, item: usize) -> (&[Edge], usize) {
        let edges = self.edges(item);
        let start = edges.partition_point(|edge| edge.relation < Relation::Child);
        let end = edges.partition_point(|edge| edge.relation <= Relation::Child);
        (&edges[start..end], (end - start).min(MAX_LISTED))
    }

    /// Returns the edges that the packs of an item show, each target only under its strongest relation, in the order of [`Graph::edges`].
    ///
    /// The strongest is the parent, followed by dependencies, children, blocked items and related items.
    pub fn neighbours(&self, item: usize) -> Vec<&Edge> {
        use Relation::{BlockedBy, Blocks, Child, DependsOn, Parent, Related};
        let mut edges: Vec<&Edge> = Vec::new();
        let mut seen = HashSet::new();
        for relation in [Parent, DependsOn, BlockedBy, Child, Blocks, Related] {
            edges.extend(self.shown(item).filter(|edge| edge.relation == relation && seen.insert(key(&edge.to))));
        }
        // A stable sort, so that the edges of one relation keep their order.
        edges.sort_by_key(|edge| edge.relation);
        edges
    }

    pub fn state(corpus: &Corpus, item: usize) -> ItemState {
        corpus.states.get(item).copied().unwrap_or(ItemState::Unknown)
    }

    /// Returns the problems of the relations, sorted; each names the items that it concerns.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
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
        let at_path = RepoPath::new(root).map_or(RootMatch::Nothing, |path| RootMatch::of(self.index.at_path(&path)));
        if at_path != RootMatch::Nothing {
            return at_path;
        }
        let named = issue_or_number(&corpus.rules.host, root);
        let issue = named.map(|named| IssueRef::of(&named, corpus.rules.repo.as_deref()));
        let mut found = self.prefixed(root);
        found.extend(issue.iter().flat_map(|issue| self.index.claiming(issue)));
        match issue {
            Some(issue) if found.is_empty() => RootMatch::Issue(issue),
            _ => RootMatch::of(&Vec::from_iter(found)),
        }
    }

    pub fn item_with_id(&self, id: &str) -> Option<usize> {
        self.index.exact(id)
    }

    /// Returns the item that a word of a text names: by its id, in another case or under another prefix, or by its issue.
    pub fn named(&self, corpus: &Corpus, word: &str) -> Option<usize> {
        if let Some(item) = self.index.exact(word) {
            return Some(item);
        }
        if word.contains(['#', '/']) || word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("gh-")) {
            let issue = IssueRef::of(&issue_on(&corpus.rules.host, word)?, corpus.rules.repo.as_deref());
            return self.index.claiming(&issue).first().copied();
        }
        let mut rules = self.index.rules.iter();
        let other_prefix = rules.find_map(|rules| self.index.under_prefix(rules, rules.without_prefix(word)?));
        other_prefix.or_else(|| {
            match word.bytes().any(|byte| byte.is_ascii_digit()).then(|| self.index.any_case(word))? {
                [item] => Some(*item),
                _ => None,
            }
        })
    }

    pub fn of_file(&self, path: &RepoPath) -> Option<usize> {
        match self.index.at_path(path) {
            [item] => Some(*item),
            _ => None,
        }
    }

    pub fn of_issue(&self, corpus: &Corpus, repo: &str, number: u64) -> Option<usize> {
        let issue = IssueRef::new(repo, number);
        self.index.claiming(&issue).iter().copied().find(|item| corpus.entries[*item].issue.is_some())
    }

    /// Returns the best matches by id: for each source, the first of its prefixes that yields an id.
    fn prefixed(&self, root: &str) -> BTreeSet<usize> {
        let is_number = root.starts_with(|c: char| c.is_ascii_digit());
        let of_source = |rules: &Arc<SourceRules>| {
            let (before, after) = &rules.reference;
            let rest = rules.without_prefix(root).or_else(|| is_number.then_some(root));
            let by_template = self.index.exact(&format!("{before}{root}{after}"));
            by_template.or_else(|| self.index.under_prefix(rules, rest?))
        };
        let mut found: BTreeSet<usize> = self.index.rules.iter().filter_map(of_source).collect();
        if found.is_empty() {
            found.extend(self.index.any_case(root));
        }
        found
    }
}

fn key(target: &Target) -> (Option<usize>, Option<&str>) {
    match target {
        Target::Item(item) => (Some(*item), None),
        Target::Issue { id, .. } => (None, Some(id)),
    }
}
