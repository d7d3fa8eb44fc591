//! The corpus: the redacted records from which the graph is built.

use super::entry::{Entry, GraphRules};
use super::status::{complete_status, item_state};
use crate::model::{Code, Diagnostic, ItemState, Place, RepoPath, natural_cmp};
use crate::records::Item;
use crate::redact::Clean;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[derive(Debug)]
pub struct Corpus {
    /// Items in natural order of their ids; of several with one id only the first that was read.
    pub entries: Vec<Arc<Entry>>,
    pub rules: GraphRules,
    /// The state of each item.
    pub(super) states: Vec<ItemState>,
}

impl Corpus {
    /// Sorts the entries, given in the order in which they were read, and keeps the first of each id.
    ///
    /// An item of a file that is not `tracked` stays only if no other has the id. Each of the others is a `duplicate-id`
    /// warning, which packs have unless it is about such a file alone.
    pub fn new(
        mut entries: Vec<Arc<Entry>>,
        rules: GraphRules,
        tracked: &dyn Fn(&RepoPath) -> bool,
    ) -> (Self, Vec<Diagnostic>) {
        entries.iter_mut().for_each(|entry| complete_status(entry, &rules));
        let is_tracked = |entry: &Entry| !entry.untrusted_file && tracked(&entry.item.origin.path);
        entries.sort_by(|a, b| natural_cmp(&a.item.id, &b.item.id).then_with(|| is_tracked(b).cmp(&is_tracked(a))));
        let mut kept: Vec<Arc<Entry>> = Vec::with_capacity(entries.len());
        let mut diagnostics = Vec::new();
        for entry in entries {
            match kept.last_mut().filter(|first| first.item.id == entry.item.id) {
                Some(first) if first.damage.is_some() || entry.damage.is_some() => {}
                Some(first) if is_copy(&first.item, &entry.item) => {
                    diagnostics.push(duplicate(&entry.item, &first.item));
                    *first = entry;
                }
                Some(first) => {
                    let fault = duplicate(&first.item, &entry.item);
                    let is_beside = is_tracked(first) && !is_tracked(&entry);
                    diagnostics.push(if is_beside { Diagnostic { about: Vec::new(), ..fault } } else { fault });
                }
                None => kept.push(entry),
            }
        }
        diagnostics.sort();
        let states = kept.iter().map(|entry| item_state(entry, &rules)).collect();
        (Self { entries: kept, rules, states }, diagnostics)
    }

    pub(super) fn id(&self, item: usize) -> &str {
        &self.entries[item].item.id
    }

    /// Hashes all names by which references find items and ADRs.
    pub fn hash_names<H: Hasher>(&self, state: &mut H) {
        for entry in &self.entries {
            let draft = entry.draft.as_ref().map(|draft| &draft.body.origin);
            let Item { id, origin, body, issue, .. } = &entry.item;
            (id, origin, &body.origin, draft, issue, entry.issue.is_some(), &entry.rules).hash(state);
            // A name of an untrusted file is worth less.
            entry.untrusted_file.hash(state);
        }
        let GraphRules { repo, host, done: _, not_planned: _, boilerplate, adrs, sources } = &self.rules;
        (repo, host, boilerplate, adrs, sources).hash(state);
    }

    pub fn hash_line<H: Hasher>(&self, item: usize, state: &mut H) {
        let Some(entry) = self.entries.get(item) else { return };
        let Item { id, origin, title, status, .. } = &entry.item;
        (id, &origin.shown, &origin.url, title, status).hash(state);
        (self.states[item], entry.has_untrusted_title()).hash(state);
        entry.issue.as_ref().map(|issue| (&issue.url, issue.state)).hash(state);
        // Removals concern the line if its title came from the text.
        if !entry.removals.is_empty() || entry.issue.as_ref().is_some_and(|issue| !issue.removals.is_empty()) {
            entry.hash(state);
        }
    }
}

/// Returns whether a file is named as programs name copies of another: `a 2.md`, `a (1).md`, `a-LAPTOP.md`.
fn is_copy(copy: &Item<Clean>, original: &Item<Clean>) -> bool {
    let (copy, original) = (copy.origin.path.as_str().rsplit_once('.'), original.origin.path.as_str().rsplit_once('.'));
    let (Some((copy, copy_end)), Some((original, end))) = (copy, original) else { return false };
    let added = copy.strip_prefix(original);
    end == copy_end && added.is_some_and(|added| added.starts_with([' ', '-', '_', '(', '.']) && !added.contains('/'))
}

fn duplicate(first: &Item<Clean>, second: &Item<Clean>) -> Diagnostic {
    let place = |item: &Item<Clean>| Place::line(item.origin.path.clone(), item.line);
    let message = format!("the id `{}` is taken by {}", second.id, place(first));
    Diagnostic::new(Code::DuplicateId, Some(place(second)), message)
        .help("give one of them another id, or exclude its file; the first is built")
        .about(second.id.as_str())
}
