//! What a reader of a pack should know of its issues.

use super::Project;
use crate::config::Settings;
use crate::graph::{Corpus, Entry, Target, Value};
use crate::model::{Code, Diagnostic, Place};
use crate::redact::Clean;
use std::collections::BTreeMap;

/// The folder whose content is not committed, but for the snapshot.
const STATE: &str = ".contextpack";

/// How many relations of an issue GitHub has lists of.
const LISTS: usize = 4;

/// The help line of a private issue.
const PRIVATE: &str = "set `github.private: true` if this repo is private too, or keep packs out of git with `output.dir: .contextpack/packs`";

/// Warnings about the issues in a pack.
pub(super) struct GithubWarnings {
    /// Those that the pack itself carries.
    pub(super) carried: Vec<Diagnostic>,
    /// Those that are reported for the pack: what holds for all issues of a repo is reported once, not for each pack.
    pub(super) told: Vec<Diagnostic>,
}

impl Project<'_> {
    /// Warnings about the issues in the pack of `root`.
    pub(super) fn of_github(&self, root: usize) -> GithubWarnings {
        let entry = &self.corpus.entries[root];
        let (relations, comments) = self.lacking(entry);
        let once = entry.issue.as_ref().is_some_and(|issue| self.unrelated.contains_key(&issue.repo.to_lowercase()));
        let parts = [&relations[..], &comments[..]].concat();
        let told = if once { comments } else { parts.clone() };
        let incomplete = |parts: &[&str]| self.incomplete(entry, parts).into_iter().collect();
        let mut of = GithubWarnings { carried: incomplete(&parts), told: incomplete(&told) };
        if self.publishes {
            let neighbours = self.graph.shown(root).filter_map(|edge| match edge.to {
                Target::Item(item) => Some(&*self.corpus.entries[item]),
                Target::Issue { .. } => None,
            });
            let private: Vec<Diagnostic> = std::iter::once(&**entry).chain(neighbours).filter_map(private).collect();
            of.carried.extend_from_slice(&private);
            of.told.extend(private);
        }
        of
    }

    /// The root's relations, and its comments, that may exist although nothing here says so.
    fn lacking(&self, entry: &Entry) -> (Vec<&'static str>, Vec<&'static str>) {
        let Some(issue) = &entry.issue else { return Default::default() };
        let comments = !issue.has_comments && self.settings.github.comments > 0;
        (issue.unknown_names(), comments.then_some("comments").into_iter().collect())
    }

    fn incomplete(&self, entry: &Entry, parts: &[&str]) -> Option<Diagnostic> {
        let issue = entry.issue.as_ref().filter(|_| !parts.is_empty())?;
        let here = issue.is_here(&self.corpus.rules);
        let root = if here { issue.number.to_string() } else { format!("{}#{}", issue.repo, issue.number) };
        let message =
            format!("the snapshot may not have all of `{}#{}`: {}", issue.repo, issue.number, parts.join(", "));
        let help = format!("run `contextpack sync {root}`; what does not stand here may exist all the same");
        let at = Place::file(issue.origin.path.clone());
        Some(Diagnostic::new(Code::IncompleteIssue, Some(at), message).help(help).about(&*entry.item.id))
    }
}

impl Project<'_> {
    /// A warning for each private repo whose issues are in a snapshot that others may read.
    pub fn private_repos(&self) -> Vec<Diagnostic> {
        let mut repos: BTreeMap<String, (&Clean, usize)> = BTreeMap::new();
        let issues = self.corpus.entries.iter().filter_map(|entry| entry.issue.as_ref());
        for issue in issues.filter(|issue| self.publishes && issue.private == Some(true)) {
            repos.entry(issue.repo.to_lowercase()).or_insert((&issue.repo, 0)).1 += 1;
        }
        let told = |(repo, count): &(&Clean, usize)| {
            let issues = if *count == 1 { "1 issue".to_owned() } else { format!("{count} issues") };
            let message = format!("the snapshot has {issues} of `{repo}`, which is a private repo, and is committed");
            Diagnostic::new(Code::PrivateIssue, None, message).help(PRIVATE)
        };
        repos.values().map(told).collect()
    }
}

/// The repos of none of whose issues the snapshot has any relations, by their names in lower case: their server has no
/// lists of them.
///
/// Of a repo with one issue that is no news; its pack says it.
pub(super) fn unrelated(corpus: &Corpus) -> BTreeMap<String, Clean> {
    let mut repos: BTreeMap<String, (&Clean, usize, bool)> = BTreeMap::new();
    for entry in &corpus.entries {
        let is_pull = || entry.item.fields.iter().any(|field| &*field.name == "type" && is(&field.node.value, "pull"));
        let Some(issue) = entry.issue.as_ref().filter(|_| !entry.item.no_pack && !is_pull()) else { continue };
        let (_, issues, all) = repos.entry(issue.repo.to_lowercase()).or_insert((&issue.repo, 0, true));
        *issues += 1;
        *all &= issue.unknown.len() == LISTS;
    }
    let without = repos.into_iter().filter(|(_, (_, issues, all))| *all && *issues > 1);
    without.map(|(repo, (shown, ..))| (repo, shown.clone())).collect()
}

fn is(value: &Value<Clean>, word: &str) -> bool {
    matches!(value, Value::Scalar { text, .. } if &**text == word)
}

/// A warning for each of them, once a run.
pub(super) fn without_relations(repos: &BTreeMap<String, Clean>) -> Vec<Diagnostic> {
    let told = |repo: &Clean| {
        let message = format!("the snapshot has no relations of any issue of `{repo}`, which is unknown and not none");
        let help = "run `contextpack sync`; if the server has no lists of sub-issues and dependencies, state them in texts and work items, and allow this warning";
        Diagnostic::new(Code::IncompleteIssue, None, message).help(help)
    };
    repos.values().map(told).collect()
}

/// Whether packs are committed to a repo that others may read.
///
/// Unless the configuration says it, this repo is private where the snapshot calls its own issues so.
pub(super) fn publishes(settings: &Settings, corpus: &Corpus) -> bool {
    let own = || {
        let mut issues = corpus.entries.iter().filter_map(|entry| entry.issue.as_ref());
        issues.any(|issue| issue.is_here(&corpus.rules) && issue.private == Some(true))
    };
    !settings.output.dir.is_under(STATE) && !settings.github.private.unwrap_or_else(own)
}

fn private(entry: &Entry) -> Option<Diagnostic> {
    let issue = entry.issue.as_ref().filter(|issue| issue.private == Some(true))?;
    let message = format!("`{}#{}` is an issue of a private repo, and packs are committed", issue.repo, issue.number);
    let at = Place::file(issue.origin.path.clone());
    Some(Diagnostic::new(Code::PrivateIssue, Some(at), message).help(PRIVATE).about(&*entry.item.id))
}
