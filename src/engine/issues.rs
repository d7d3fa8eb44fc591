//! Issues of the snapshot that are incomplete, private, or no longer needed.

use super::project::Project;
use crate::graph::{Entry, Target};
use crate::model::{Code, Diagnostic, RepoPath};
use crate::redact::Clean;
use std::collections::{BTreeMap, BTreeSet};

const PRIVATE: &str = "set `github.private: true` if this repo is private too, or keep packs out of git with `output.dir: .contextpack/packs`";

impl Project<'_> {
    /// Returns the warnings about issues that the pack of `root` holds, and those that the build reports for it alone.
    pub(super) fn github_warnings(&self, root: usize) -> [Vec<Diagnostic>; 2] {
        let entry = &self.corpus.entries[root];
        let (relations, comments) = self.unknown_parts(entry);
        let of_repo = |repo: &Clean| self.repos_without_relations.contains_key(&repo.to_lowercase());
        let is_reported_once = entry.issue.as_ref().is_some_and(|issue| of_repo(&issue.repo));
        let parts = [&relations[..], &comments[..]].concat();
        let reported = if is_reported_once { &comments } else { &parts };
        let neighbours = self.neighbours(root).map(|item| &*self.corpus.entries[item]);
        let private = std::iter::once(&**entry).chain(neighbours).filter(|_| self.is_published);
        let private: Vec<Diagnostic> = private.filter_map(private_issue).collect();
        [&parts, reported].map(|parts| self.incomplete_issue(entry, parts).into_iter().chain(private.clone()).collect())
    }

    /// Returns the names of the root's relations that the snapshot may lack, and `comments` if it may lack some of these.
    fn unknown_parts(&self, entry: &Entry) -> (Vec<&'static str>, Vec<&'static str>) {
        let Some(issue) = &entry.issue else { return Default::default() };
        let comments = !issue.has_comments && self.reader.settings.github.comments > 0;
        (issue.unknown_names(), comments.then_some("comments").into_iter().collect())
    }

    fn incomplete_issue(&self, entry: &Entry, parts: &[&str]) -> Option<Diagnostic> {
        let issue = entry.issue.as_ref().filter(|_| !parts.is_empty())?;
        let here = issue.is_here(&self.corpus.rules);
        let root = if here { issue.number.to_string() } else { format!("{}#{}", issue.repo, issue.number) };
        let message =
            format!("the snapshot may not have all of `{}#{}`: {}", issue.repo, issue.number, parts.join(", "));
        let help = format!("run `contextpack sync {root}`; what does not stand here may exist all the same");
        let fault = Diagnostic::in_file(Code::IncompleteIssue, &issue.origin.path, message);
        Some(fault.help(help).about(&*entry.item.id))
    }

    /// Returns a warning for each private repo whose issues are in a snapshot that others may read.
    pub fn private_repos(&self) -> Vec<Diagnostic> {
        let mut repos: BTreeMap<String, (&Clean, usize)> = BTreeMap::new();
        let issues = self.corpus.entries.iter().filter_map(|entry| entry.issue.as_ref());
        for issue in issues.filter(|issue| self.is_published && issue.private == Some(true)) {
            repos.entry(issue.repo.to_lowercase()).or_insert((&issue.repo, 0)).1 += 1;
        }
        let warning = |(repo, count): &(&Clean, usize)| {
            let issues = if *count == 1 { "1 issue".to_owned() } else { format!("{count} issues") };
            let message = format!("the snapshot has {issues} of `{repo}`, which is a private repo, and is committed");
            Diagnostic::new(Code::PrivateIssue, None, message).help(PRIVATE)
        };
        repos.values().map(warning).collect()
    }

    /// Returns the files of issues in the snapshot that no root of a pack refers to any more, sorted; empty if a file cannot be
    /// read, so that its references are unknown. References of neighbours do not count, since packs look one hop far.
    pub fn leftover_issues(&self) -> Vec<&RepoPath> {
        let unread = |code| matches!(code, Code::InvalidSnapshot | Code::InvalidItem | Code::UnreadableFile);
        if !self.unread.is_empty() || self.diagnostics.iter().any(|diagnostic| unread(diagnostic.code)) {
            return Vec::new();
        }
        let is_neighbour = |item: &usize| {
            let entry = &self.corpus.entries[*item];
            entry.bare_issue().is_some() && entry.item.no_pack
        };
        let (neighbours, others): (Vec<usize>, Vec<usize>) =
            (0..self.corpus.entries.len()).partition(|item| is_neighbour(item));
        let needed: BTreeSet<usize> = others
            .into_iter()
            .flat_map(|item| self.graph.edges(item))
            .filter_map(|edge| match edge.to {
                Target::Item(other) => Some(other),
                Target::Issue { .. } => None,
            })
            .collect();
        let left = neighbours.into_iter().filter(|item| !needed.contains(item));
        let mut paths: Vec<&RepoPath> = left.map(|item| &self.corpus.entries[item].item.origin.path).collect();
        paths.sort_unstable();
        paths
    }
}

fn private_issue(entry: &Entry) -> Option<Diagnostic> {
    let issue = entry.issue.as_ref().filter(|issue| issue.private == Some(true))?;
    let message = format!("`{}#{}` is an issue of a private repo, and packs are committed", issue.repo, issue.number);
    let fault = Diagnostic::in_file(Code::PrivateIssue, &issue.origin.path, message);
    Some(fault.help(PRIVATE).about(&*entry.item.id))
}
