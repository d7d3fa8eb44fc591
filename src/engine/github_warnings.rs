//! Warnings about issues of GitHub: snapshots that are incomplete, and issues of private repos.

use super::Project;
use crate::config::Settings;
use crate::graph::{Corpus, Entry, Value};
use crate::model::{Code, Diagnostic};
use crate::redact::Clean;
use std::collections::BTreeMap;

/// The state folder, of whose content only the snapshot is committed.
const STATE: &str = ".contextpack";

/// The number of relations of an issue that GitHub has lists of.
const LISTS: usize = 4;

const PRIVATE: &str = "set `github.private: true` if this repo is private too, or keep packs out of git with `output.dir: .contextpack/packs`";

impl Project<'_> {
    /// Returns the warnings about issues that the pack of `root` holds, and those that the build reports for it. A fact about
    /// all issues of a repo is left out of the latter: the build reports it once.
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
}

/// Returns the repos for none of whose issues the snapshot has relations, so that their server probably has no lists of
/// them. The keys are the names in lower case. Repos with a single issue are left out: the warning in its pack says the
/// same.
pub(super) fn repos_without_relations(corpus: &Corpus) -> BTreeMap<String, Clean> {
    let mut repos: BTreeMap<String, (&Clean, usize, bool)> = BTreeMap::new();
    for entry in &corpus.entries {
        let is_pull = || entry.item.fields.iter().any(|field| &*field.name == "type" && is(&field.node.value, "pull"));
        let Some(issue) = entry.issue.as_ref().filter(|_| !entry.item.no_pack && !is_pull()) else { continue };
        let (_, issues, all_unknown) = repos.entry(issue.repo.to_lowercase()).or_insert((&issue.repo, 0, true));
        *issues += 1;
        *all_unknown &= issue.unknown.len() == LISTS;
    }
    let without = repos.into_iter().filter(|(_, (_, issues, all_unknown))| *all_unknown && *issues > 1);
    without.map(|(repo, (shown, ..))| (repo, shown.clone())).collect()
}

fn is(value: &Value<Clean>, word: &str) -> bool {
    matches!(value, Value::Scalar { text, .. } if &**text == word)
}

pub(super) fn missing_relations(repos: &BTreeMap<String, Clean>) -> Vec<Diagnostic> {
    let warning = |repo: &Clean| {
        let message = format!("the snapshot has no relations of any issue of `{repo}`, which is unknown and not none");
        let help = "run `contextpack sync`; if the server has no lists of sub-issues and dependencies, state them in texts and work items, and allow this warning";
        Diagnostic::new(Code::IncompleteIssue, None, message).help(help)
    };
    repos.values().map(warning).collect()
}

/// Returns whether packs are committed to a repo that others may read. If the configuration does not say whether this
/// repo is private, the snapshot's record of its issues decides.
pub(super) fn is_published(settings: &Settings, corpus: &Corpus) -> bool {
    let has_private_issues = || {
        let mut issues = corpus.entries.iter().filter_map(|entry| entry.issue.as_ref());
        issues.any(|issue| issue.is_here(&corpus.rules) && issue.private == Some(true))
    };
    !settings.output.dir.is_under(STATE) && !settings.github.private.unwrap_or_else(has_private_issues)
}

fn private_issue(entry: &Entry) -> Option<Diagnostic> {
    let issue = entry.issue.as_ref().filter(|issue| issue.private == Some(true))?;
    let message = format!("`{}#{}` is an issue of a private repo, and packs are committed", issue.repo, issue.number);
    let fault = Diagnostic::in_file(Code::PrivateIssue, &issue.origin.path, message);
    Some(fault.help(PRIVATE).about(&*entry.item.id))
}
