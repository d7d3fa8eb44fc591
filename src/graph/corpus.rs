//! The corpus: the redacted records from which the graph is built.

use super::file_reference::ShownPlace;
use super::issue::{ClaimedIssue, IssueDraft};
use super::text::{ParsedText, RecordedRemoval, shown_at};
use crate::model::{
    self, Code, DecisionState, Diagnostic, Digest, ItemState, RepoPath, Value, decision_state, names_successor,
    natural_cmp,
};
use crate::records::Item;
use crate::redact::{Clean, CleanBuf};
use std::sync::{Arc, OnceLock};

/// An item with everything that is known of it before the graph is built.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The redacted record.
    pub item: Item<Clean>,
    /// Its body, parsed.
    pub body: ParsedText,
    /// What was removed from it.
    pub removals: Vec<RecordedRemoval>,
    /// Digest of its head and body after redaction.
    pub digest: Digest,
    /// How a bare relation value becomes an id, by its source's `ref` and `prefixes`.
    pub rules: Arc<SourceRules>,
    /// The issue that it is or claims.
    pub issue: Option<Box<ClaimedIssue>>,
    /// The text of its file, if its issue has another.
    pub draft: Option<Box<IssueDraft>>,
    /// Whether its file is untrusted, see [`Untracked`](crate::model::Untracked).
    pub untrusted_file: bool,
    /// Why its record cannot be read: nothing but its id and its relations is known, and these may be incomplete.
    pub damage: Option<Arc<Diagnostic>>,
    /// Its digest for comparing builds.
    pub identity: Identity,
}

/// The digest of everything that a pack can use of an item, computed when first needed.
///
/// A clone may be changed into another item, so it starts without a digest.
#[derive(Debug, Default)]
pub struct Identity(pub(super) OnceLock<Digest>);

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// How a source forms ids from bare values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SourceRules {
    /// Text before and after the value in `ref`; `("EIP-", "")` for `EIP-{}`.
    pub reference: (String, String),
    /// Equivalent prefixes; a bare number takes the first.
    pub prefixes: Vec<String>,
}

/// The settings that the graph needs.
#[derive(Debug, Clone)]
pub struct GraphRules {
    /// `owner/name` of this repo on GitHub. Clean, because ids of issues are made from it.
    pub repo: Option<Clean>,
    /// The host of its URLs.
    pub host: Clean,
    /// Statuses that mean done, as [`plain_status`] gives them.
    pub done: Vec<String>,
    /// Statuses that mean closed without being done, as [`plain_status`] gives them.
    pub not_planned: Vec<String>,
    /// The files that are boilerplate, such as licences, with the names to show, sorted: a link in passing is an omission.
    pub boilerplate: Vec<(RepoPath, Clean)>,
    /// The files that are ADRs, sorted.
    pub adrs: Vec<RepoPath>,
}

/// All items that a build may put into packs, redacted.
#[derive(Debug)]
pub struct Corpus {
    /// Items in natural order of their ids; of several with one id only the first that was read.
    pub entries: Vec<Arc<Entry>>,
    /// The settings for references.
    pub rules: GraphRules,
}

impl Corpus {
    /// Sorts the entries, given in the order in which they were read, and keeps the first of each id.
    ///
    /// An item of an untracked file in CI stays only if no other has the id. Each of the others is a `duplicate-id` warning.
    pub fn new(mut entries: Vec<Arc<Entry>>, rules: GraphRules) -> (Self, Vec<Diagnostic>) {
        entries.iter_mut().for_each(|entry| complete_status(entry, &rules));
        entries
            .sort_by(|a, b| natural_cmp(&a.item.id, &b.item.id).then_with(|| a.untrusted_file.cmp(&b.untrusted_file)));
        let mut kept: Vec<Arc<Entry>> = Vec::with_capacity(entries.len());
        let mut diagnostics = Vec::new();
        for entry in entries {
            match kept.last_mut().filter(|first| first.item.id == entry.item.id) {
                Some(first) if first.damage.is_some() || entry.damage.is_some() => {}
                Some(first) if is_copy(&first.item, &entry.item) => {
                    diagnostics.push(duplicate(&entry.item, &first.item));
                    *first = entry;
                }
                Some(first) => diagnostics.push(duplicate(&first.item, &entry.item)),
                None => kept.push(entry),
            }
        }
        diagnostics.sort();
        (Self { entries: kept, rules }, diagnostics)
    }

    /// Returns the id of an item.
    pub(super) fn id(&self, item: usize) -> &str {
        &self.entries[item].item.id
    }
}

/// Whether the name of an item's file is that of another in its folder with something added, as programs name copies:
/// `a 2.md`, `a (1).md`, `a-LAPTOP.md`.
fn is_copy(copy: &Item<Clean>, original: &Item<Clean>) -> bool {
    let split = |item: &Item<Clean>| {
        item.origin.path.as_str().rsplit_once('.').map(|(stem, end)| (stem.to_owned(), end.to_owned()))
    };
    let (Some((copy, copy_end)), Some((original, end))) = (split(copy), split(original)) else { return false };
    let added = copy.strip_prefix(&*original);
    end == copy_end && added.is_some_and(|added| added.starts_with([' ', '-', '_', '(', '.']) && !added.contains('/'))
}

fn duplicate(first: &Item<Clean>, second: &Item<Clean>) -> Diagnostic {
    let at = model::Place::line(second.origin.path.clone(), second.line);
    let there = model::Place::line(first.origin.path.clone(), first.line);
    Diagnostic::new(Code::DuplicateId, Some(at), format!("the id `{}` is taken by {there}", second.id))
        .help("give one of them another id, or exclude its file; the first is built")
        .about(second.id.as_str())
}

impl ClaimedIssue {
    /// Returns whether it is one of the configured repo.
    pub fn is_here(&self, rules: &GraphRules) -> bool {
        rules.repo.as_ref().is_some_and(|repo| repo.eq_ignore_ascii_case(&self.repo))
    }
}

impl Entry {
    /// Returns the issue if the item has no file.
    pub fn bare_issue(&self) -> Option<&ClaimedIssue> {
        self.issue.as_deref().filter(|_| self.item.origin.url.is_some())
    }

    /// Returns the issue if the item's text comes from it.
    pub fn issue_with_text(&self) -> Option<&ClaimedIssue> {
        self.issue.as_deref().filter(|_| self.item.body.origin.url.is_some())
    }

    /// Returns whether an untrusted author may have written the item's text.
    pub fn is_untrusted(&self) -> bool {
        self.issue_with_text().map_or(self.untrusted_file, |issue| !issue.by.trusted)
    }

    /// Returns whether an untrusted author may have written its title: a work item has the title of its file.
    pub fn has_untrusted_title(&self) -> bool {
        self.bare_issue().map_or(self.untrusted_file, |issue| !issue.by.trusted)
    }

    /// Returns whether an untrusted author may have written the text at a place: all of an untrusted issue's file, or all
    /// of an untrusted file of the item's own.
    pub fn is_untrusted_at(&self, place: &ShownPlace) -> bool {
        match self.issue.as_ref().filter(|issue| issue.origin.path == place.path) {
            Some(issue) => !issue.by.trusted,
            None => self.untrusted_file,
        }
    }

    /// Returns the name of its packs before it becomes a slug: `issue-<n>` for an issue of the configured repo, otherwise
    /// its id.
    pub fn name(&self, rules: &GraphRules) -> String {
        match self.bare_issue().filter(|issue| issue.is_here(rules)) {
            Some(issue) => format!("issue-{}", issue.number),
            None => self.item.id.to_string(),
        }
    }

    /// Returns a place in one of the item's files as packs show it: `path:line`, or the page of a text from GitHub.
    pub fn shown_at(&self, place: &ShownPlace) -> Clean {
        let draft = self.draft.as_ref().map(|draft| &draft.body.origin);
        let origins = [&self.item.origin, &self.item.body.origin].into_iter().chain(draft);
        let origin = origins.into_iter().find(|origin| origin.path == place.path).unwrap_or(&self.item.origin);
        shown_at(origin, place.line)
    }
}

/// Returns the state of an item: that of its issue if known, otherwise by its status.
pub(super) fn item_state(corpus: &Corpus, item: usize) -> ItemState {
    let Some(entry) = corpus.entries.get(item) else { return ItemState::Unknown };
    match entry.issue.as_ref().map_or(ItemState::Unknown, |issue| issue.state) {
        ItemState::Unknown => stated_state(entry, &corpus.rules),
        state => state,
    }
}

/// Returns the state of an item by its file's status.
pub(super) fn stated_state(entry: &Entry, rules: &GraphRules) -> ItemState {
    let status = entry.item.status.as_ref().filter(|_| entry.item.origin.url.is_none());
    let Some(status) = status.map(|status| plain_status(status)).filter(|status| !status.is_empty()) else {
        return if is_archived(entry) { ItemState::NotPlanned } else { ItemState::Unknown };
    };
    let is_one_of = |statuses: &[String]| statuses.iter().any(|known| begins_with(&status, known));
    // A decision that was made is done, and one that no longer holds is not planned.
    let decided = || entry.item.status.as_ref().map(|status| decision_state(status));
    match is_adr(entry, rules).then(decided).flatten() {
        Some(DecisionState::Inactive) => return ItemState::NotPlanned,
        Some(DecisionState::InForce) => return ItemState::Done,
        _ => {}
    }
    if is_one_of(&rules.done) {
        ItemState::Done
    } else if is_one_of(&rules.not_planned) || is_archived(entry) {
        ItemState::NotPlanned
    } else {
        ItemState::Open
    }
}

/// The folders whose items are closed, whatever status they were left with.
const ARCHIVES: [&str; 3] = ["archive", "archived", "_archive"];

fn is_adr(entry: &Entry, rules: &GraphRules) -> bool {
    rules.adrs.binary_search(&entry.item.origin.path).is_ok()
}

/// Gives an item the status that its file does not have in a field: that of an ADR's text, and `archived` in a folder of
/// that name unless it was done.
fn complete_status(entry: &mut Arc<Entry>, rules: &GraphRules) {
    let has_status = entry.item.status.as_ref().is_some_and(|status| !status.trim().is_empty());
    if entry.item.origin.url.is_some() {
        return;
    }
    if is_adr(entry, rules) {
        let stated = || entry.body.adr_status().map(|(status, _)| status);
        if let Some(status) = successor(entry).or_else(|| stated().filter(|_| !has_status)) {
            Arc::make_mut(entry).item.status = Some(status);
        }
    }
    if is_archived(entry) && stated_state(entry, rules) != ItemState::Done {
        let status = entry.item.status.as_ref().map(|status| plain_status(status)).unwrap_or_default();
        if !rules.not_planned.iter().any(|known| begins_with(&status, known)) {
            Arc::make_mut(entry).item.status = Some(Clean::literal("archived"));
        }
    }
}

/// Returns the status of a decision whose fields name a successor, unless its status says that it is inactive.
fn successor(entry: &Entry) -> Option<Clean> {
    let is_inactive =
        entry.item.status.as_ref().is_some_and(|status| decision_state(status) == DecisionState::Inactive);
    let field = entry.item.fields.iter().find(|field| !is_inactive && names_successor(&field.name))?;
    let named = match &field.node.value {
        Value::List(nodes) => nodes.first()?,
        _ => &field.node,
    };
    let Value::Scalar { text, .. } = &named.value else { return None };
    let status = CleanBuf::new().lit("superseded by ").line(text).finish();
    (decision_state(&status) == DecisionState::Inactive).then_some(status)
}

/// Returns whether the item's file lies in a folder of closed items.
fn is_archived(entry: &Entry) -> bool {
    let origin = &entry.item.origin;
    let is_archive = |part: &str| ARCHIVES.iter().any(|name| part.eq_ignore_ascii_case(name));
    origin.url.is_none() && origin.path.dir().split('/').any(is_archive)
}

/// Returns a status in lower case without decoration: words of letters and digits, one space between (`✅ Done` → `done`,
/// `Won't do` → `wont do`).
pub fn plain_status(status: &str) -> String {
    let lower = status.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns whether a status is a known one, or begins with it and says by what, to where or since when.
fn begins_with(status: &str, known: &str) -> bool {
    const REMARKS: [&str; 9] = ["by", "to", "in", "into", "on", "as", "since", "with", "for"];
    let Some(rest) = status.strip_prefix(known).filter(|_| !known.is_empty()) else { return false };
    let next = rest.strip_prefix(' ').map(|rest| rest.split(' ').next().unwrap_or_default());
    let is_date = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    rest.is_empty() || next.is_some_and(|word| REMARKS.contains(&word) || is_date(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::samples::{clean, item, messages};

    #[test]
    fn statuses_are_known_whatever_decorates_them() {
        assert_eq!(plain_status("✅ Done!"), "done");
        assert_eq!(plain_status("Won't do"), "wont do");
        for (status, known) in
            [("superseded by adr 12", "superseded"), ("done 2024 01 02", "done"), ("moved to x", "moved")]
        {
            assert!(begins_with(status, known), "{status}");
        }
        for (status, known) in [("final review", "final"), ("undone", "done"), ("donees", "done"), ("", "done")] {
            assert!(!begins_with(status, known), "{status}");
        }
    }

    #[test]
    fn archived_items_and_decisions_have_the_state_that_they_state() {
        let decision = |id: &str, path: &str, body: &str| {
            let mut entry = item(id, path);
            entry.body.markdown = Arc::new(crate::mentions::Markdown::read(body));
            entry.body.clean = clean(body);
            entry
        };
        let entries = vec![
            item("a", "backlog/archive/tasks/a.md").status("To Do"),
            item("b", "backlog/Archive/b.md").status("Done"),
            item("c", "backlog/archive/c.md"),
            item("d", "backlog/archives/d.md").status("To Do"),
            decision("e", "docs/adr/1-x.md", "# X\n\n## Status\n\nAccepted\n"),
        ];
        let corpus = crate::graph::samples::corpus_with(entries, None, &["docs/adr/1-x.md"]);
        let states: Vec<_> = (0..corpus.entries.len()).map(|item| item_state(&corpus, item)).collect();
        use ItemState::{Done, NotPlanned, Open};
        assert_eq!(states, [NotPlanned, Done, NotPlanned, Open, Done]);
        assert_eq!(corpus.entries[0].item.status.as_deref(), Some("archived"));
        assert_eq!(corpus.entries[4].item.status.as_deref(), Some("Accepted"));
    }

    #[test]
    fn of_two_items_with_one_id_the_first_that_was_read_stays() {
        let rules = || GraphRules {
            repo: None,
            host: clean("github.com"),
            done: Vec::new(),
            not_planned: Vec::new(),
            boilerplate: Vec::new(),
            adrs: Vec::new(),
        };
        let live = || item("T-2", "z/live.md");
        let archived = || item("T-2", "a/archive.md");
        for entries in
            [vec![item("T-10", "w/x.md"), live(), archived()], vec![live(), item("T-10", "w/x.md"), archived()]]
        {
            let entries = entries.into_iter().map(Arc::new).collect();
            let (corpus, diagnostics) = Corpus::new(entries, rules());
            let kept: Vec<&str> = corpus.entries.iter().map(|entry| entry.item.origin.path.as_str()).collect();
            assert_eq!(kept, ["z/live.md", "w/x.md"], "natural order of ids");
            assert_eq!(messages(&diagnostics), ["a/archive.md:1 duplicate-id: the id `T-2` is taken by z/live.md:1"]);
            assert_eq!(diagnostics[0].about, ["T-2"]);
        }
    }
}
