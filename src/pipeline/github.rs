//! What a reader of a pack should know of its issues.

use super::Desk;
use crate::config::Settings;
use crate::graph::{Corpus, Entry, Target};
use crate::model::{Code, Diagnostic, Place};

/// The folder whose content is not committed, but for the snapshot.
const STATE: &str = ".contextpack";

impl Desk<'_> {
    /// Warnings about the issues in the pack of `root`.
    pub(super) fn of_github(&self, root: usize) -> Vec<Diagnostic> {
        let entry = &self.corpus.entries[root];
        let mut diagnostics: Vec<Diagnostic> = self.incomplete(entry).into_iter().collect();
        if self.publishes {
            let neighbours = self.graph.edges(root).iter().filter_map(|edge| match edge.to {
                Target::Item(item) => Some(&self.corpus.entries[item]),
                Target::Issue { .. } => None,
            });
            diagnostics.extend(std::iter::once(entry).chain(neighbours).filter_map(private));
        }
        diagnostics
    }

    /// The root's relations or comments that may exist although nothing here says so.
    fn incomplete(&self, entry: &Entry) -> Option<Diagnostic> {
        let issue = entry.issue.as_ref()?;
        let asked = |part: &&&str| **part != "comments" || self.settings.github.comments > 0;
        let parts: Vec<&str> = issue.lacks.iter().filter(asked).copied().collect();
        if parts.is_empty() {
            return None;
        }
        let here = issue.is_here(&self.corpus.rules);
        let root = if here { issue.number.to_string() } else { format!("{}#{}", issue.repo, issue.number) };
        let message =
            format!("the snapshot may not have all of `{}#{}`: {}", issue.repo, issue.number, parts.join(", "));
        let help = format!("run `contextpack sync {root}`; what does not stand here may exist all the same");
        let at = Place::file(issue.origin.path.clone());
        Some(Diagnostic::new(Code::IncompleteIssue, Some(at), message).help(help).about(&*entry.item.id))
    }
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
    let help = "set `github.private: true` if this repo is private too, or keep packs out of git with `output.dir: .contextpack/packs`";
    let at = Place::file(issue.origin.path.clone());
    Some(Diagnostic::new(Code::PrivateIssue, Some(at), message).help(help).about(&*entry.item.id))
}
