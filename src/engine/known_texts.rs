//! The decisions and documents of a repo that its packs could hold.

use super::Project;
use crate::config::{DocumentType, Tokenizer};
use crate::fit::Counter;
use crate::knowledge::Scope;
use crate::model::{Code, Diagnostic, RepoPath};
use crate::review::UnusedText;
use std::collections::{BTreeMap, BTreeSet};

impl Project<'_> {
    /// Returns the decisions, configured documents that are for everyone, and other Markdown files that are no work items, each with
    /// its kind, and of those that were meant to be work items why they are none. All is redacted.
    pub fn known_texts(&self) -> Vec<UnusedText> {
        let mut known = BTreeMap::new();
        let items: BTreeSet<&str> = self.corpus().entries.iter().map(|entry| entry.item.origin.path.as_str()).collect();
        let boilerplate: BTreeSet<&RepoPath> = self.corpus().rules.boilerplate.iter().map(|(path, _)| path).collect();
        let is_hidden = |path: &RepoPath| path.as_str().split('/').any(|part| part.starts_with('.'));
        let is_other = |path: &&RepoPath| {
            path.as_str().to_lowercase().ends_with(".md")
                && !items.contains(path.as_str())
                && !boilerplate.contains(path)
                && !is_hidden(path)
                && !self.is_agent_file(path)
                && !self.is_own_output(path)
                && !self.denies(path)
        };
        known.extend(self.source.files().iter().filter(is_other).map(|path| (path, "document")));
        for document in &self.knowledge().documents {
            let is_rules = matches!(document.kind, DocumentType::StyleGuide | DocumentType::Playbook);
            if document.secret || document.scope != Scope::Global {
                known.remove(&document.path);
            } else {
                known.insert(&document.path, if is_rules { "rules" } else { "document" });
            }
        }
        known.extend(self.corpus().rules.adrs.iter().map(|path| (path, "adr")));
        let clean = |text: &str| self.masked(&self.scrubber.redactor.line(text));
        let mut faults = BTreeMap::<&RepoPath, &str>::new();
        let is_of_item =
            |fault: &&Diagnostic| matches!(fault.code, Code::DuplicateId | Code::InvalidItem | Code::UnreadableFile);
        for fault in self.diagnostics.iter().filter(is_of_item) {
            if let Some(at) = &fault.at {
                faults.entry(&at.path).or_insert(&fault.message);
            }
        }
        let text = |(path, kind): (&RepoPath, &str)| {
            let reason = faults.get(path).filter(|_| kind == "document").copied();
            let kind = if reason.is_some() { "work_item" } else { kind };
            UnusedText { path: clean(path.as_str()), kind: kind.to_owned(), reason: reason.map(clean) }
        };
        known.into_iter().map(text).collect()
    }
}

/// Returns a function that counts the tokens of a text by `o200k_base`.
pub fn token_counter() -> impl Fn(&str) -> u64 + Sync {
    let counter = Counter::new(Some(Tokenizer::O200kBase));
    move |text| counter.measure(text).tokens
}
