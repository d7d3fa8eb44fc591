//! The clean records that the graph is made from, and what it says of them.

use super::{ClaimedIssue, Identity, IssueDraft, ItemState};
use crate::mentions::Markdown;
use crate::model::{self, Code, Diagnostic, Relation, RemovedLines, RepoPath, natural_cmp};
use crate::records::Item;
use crate::redact::Clean;
use std::sync::Arc;

/// A clean text together with what it holds, read once however many packs it enters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedText {
    /// The text.
    pub clean: Clean,
    /// What it holds.
    pub markdown: Arc<Markdown>,
    /// Where it stood on more lines before what was removed was removed.
    pub folds: Vec<RemovedLines>,
}

impl ParsedText {
    /// The line that `line`, both from 1, was before anything was removed.
    pub fn line_before(&self, line: u32) -> u32 {
        self.shifted(line, |fold| fold.line < line)
    }

    /// How many lines the text has.
    pub fn count_lines(&self) -> u32 {
        // The blocks tile the text and know their lines: only the last one has to be looked at.
        self.markdown.outline.blocks.last().map_or(0, |last| {
            let count = self.clean.get(last.range.clone()).map_or(0, |text| text.lines().count());
            (last.line - 1).saturating_add(u32::try_from(count).unwrap_or(u32::MAX))
        })
    }

    /// The same of a text's last line: what a removal ended with is part of it.
    pub fn last_line_before(&self, line: u32) -> u32 {
        self.shifted(line, |fold| fold.line <= line)
    }

    fn shifted(&self, line: u32, counts: impl Fn(&RemovedLines) -> bool) -> u32 {
        self.folds.iter().filter(|fold| counts(fold)).fold(line, |line, fold| line.saturating_add(fold.lines))
    }
}

/// Something that `redact` took out of a record or a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedRemoval {
    /// The line of the file.
    pub line: u32,
    /// Whether it was taken from the body (or the document's text), rather than from a field.
    pub in_body: bool,
    /// Whether it was taken from the id, the title or the status, which a section of the item shows whatever it is to the root.
    pub in_name: bool,
    /// The rule.
    pub rule: String,
    /// How often on that line.
    pub count: u32,
    /// Why.
    pub reason: String,
    /// What the user can do to include it safely.
    pub to_include: String,
}

/// An item with everything that is known of it before the graph is drawn.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The clean record.
    pub item: Item<Clean>,
    /// Its body, read.
    pub body: ParsedText,
    /// What was taken out of it.
    pub removals: Vec<RecordedRemoval>,
    /// Digest of its head and body after redaction.
    pub digest: crate::model::Digest,
    /// How a bare relation value becomes an id, by its source's `ref` and `prefixes`.
    pub rules: Arc<SourceRules>,
    /// The issue that it is, or is one with.
    pub issue: Option<Box<ClaimedIssue>>,
    /// The text of its file, where its issue has another.
    pub draft: Option<Box<IssueDraft>>,
    /// Whether anyone could have put its file there, see [`Untracked`](crate::model::Untracked).
    pub untrusted_file: bool,
    /// What tells it apart from others.
    pub identity: Identity,
}

/// What an item's source says of ids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SourceRules {
    /// Text before and after the value in `ref`; `("EIP-", "")` for `EIP-{}`.
    pub reference: (String, String),
    /// Prefixes that mean the same; a bare number takes the first.
    pub prefixes: Vec<String>,
}

/// What the graph needs to know of the configuration.
#[derive(Debug, Clone)]
pub struct GraphRules {
    /// `owner/name` of this repo on GitHub. Clean, because ids of issues are made from it.
    pub repo: Option<Clean>,
    /// The host of its URLs.
    pub host: Clean,
    /// Statuses that mean done, lower case.
    pub done: Vec<String>,
    /// The files that are ADRs, sorted.
    pub adrs: Vec<RepoPath>,
}

/// Everything that a build may put into packs, clean.
#[derive(Debug)]
pub struct Corpus {
    /// Items in natural order of their ids; of several with one id only the first that was read.
    pub entries: Vec<Arc<Entry>>,
    /// What the configuration says of references.
    pub rules: GraphRules,
}

impl Corpus {
    /// Sorts the entries, which come in the order in which they were read, and keeps one of each id.
    ///
    /// Of several with exactly one id the first stays; each of the others is a `duplicate-id` warning.
    pub fn new(mut entries: Vec<Arc<Entry>>, rules: GraphRules) -> (Self, Vec<Diagnostic>) {
        entries.sort_by(|a, b| natural_cmp(&a.item.id, &b.item.id));
        let mut kept: Vec<Arc<Entry>> = Vec::with_capacity(entries.len());
        let mut diagnostics = Vec::new();
        for entry in entries {
            match kept.last().filter(|first| first.item.id == entry.item.id) {
                Some(first) => diagnostics.push(duplicate(&first.item, &entry.item)),
                None => kept.push(entry),
            }
        }
        diagnostics.sort();
        (Self { entries: kept, rules }, diagnostics)
    }
}

fn duplicate(first: &Item<Clean>, second: &Item<Clean>) -> Diagnostic {
    let at = model::Place::line(second.origin.path.clone(), second.line);
    let there = model::Place::line(first.origin.path.clone(), first.line);
    Diagnostic::new(Code::DuplicateId, Some(at), format!("the id `{}` is taken by {there}", second.id))
        .help("give one of them another id, or exclude its file; the first is built")
        .about(second.id.as_str())
}

/// An issue named by a reference: `owner/repo#n`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueRef {
    /// `owner/repo` in lower case, since it is compared without case; empty where the
    /// configuration does not say which repo a bare number belongs to.
    pub repo: String,
    /// The number.
    pub number: u64,
}

/// What an edge leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// An item: its index in [`Corpus::entries`].
    Item(usize),
    /// An issue that nothing here describes: `resolved: false`.
    Issue {
        /// `owner/repo#n`.
        id: Clean,
        /// Its URL.
        url: Clean,
        /// Its title, where a list of its neighbours shows it.
        title: Option<Clean>,
        /// Its state, where a list of its neighbours shows it.
        state: ItemState,
        /// What was taken out of its name and title.
        removals: Vec<RecordedRemoval>,
    },
}

/// Where an edge was stated, strongest first: the ranking of contract section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeSource {
    /// A field of a work item.
    Field,
    /// GitHub's list of sub-issues.
    SubIssue,
    /// GitHub's list of dependencies.
    DependencyApi,
    /// A task list in a body.
    Checklist,
    /// A sentence, list item or heading in a body.
    Body,
}

impl EdgeSource {
    /// The name in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::SubIssue => "sub_issue",
            Self::DependencyApi => "dependency_api",
            Self::Checklist => "checklist",
            Self::Body => "body",
        }
    }
}

/// Why an edge is there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EdgeEvidence {
    /// What stated it.
    pub source: EdgeSource,
    /// `path:line`, or a URL.
    pub at: Clean,
    /// Whether an author whom the item's repo trusts stated it.
    pub trusted: bool,
}

/// An edge of one item; its counterpart is an edge of the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edge {
    /// What the other is to this item.
    pub relation: Relation,
    /// The other.
    pub to: Target,
    /// The strongest evidence.
    pub evidence: EdgeEvidence,
}

/// A place in a file as packs show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShownPlace {
    /// The file, for looking it up.
    pub path: RepoPath,
    /// The line.
    pub line: u32,
}

/// What a referenced file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// An architecture decision.
    Adr,
    /// Any other document.
    Document,
}

/// A file that an item refers to, found in the repo (not yet read: reading may still be refused).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    /// ADRs before documents.
    pub kind: FileKind,
    /// The file.
    pub path: RepoPath,
    /// The heading's anchor where only that section is meant. A reference to the whole file wins over one to a part.
    pub anchor: Option<String>,
    /// Where the reference stands.
    pub at: ShownPlace,
}

/// A reference that cannot be taken: it becomes an omission.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MissingReference {
    /// What was written.
    pub written: Clean,
    /// Whether it was meant as an ADR.
    pub kind: FileKind,
    /// `not_in_repo`, `outside_repo`, `denied_path` or `ambiguous`, as packs say it.
    pub reason: &'static str,
    /// Whether strangers may have written it.
    pub untrusted: bool,
    /// Where the reference stands.
    pub at: ShownPlace,
}

/// What an item refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemReferences {
    /// Files, ADRs first, by path; each once.
    pub files: Vec<FileRef>,
    /// What cannot be taken.
    pub missing: Vec<MissingReference>,
    /// Warnings about the references.
    pub diagnostics: Vec<Diagnostic>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::samples::{clean, item, said};

    #[test]
    fn of_two_items_with_one_id_the_first_that_was_read_stays() {
        let rules = || GraphRules { repo: None, host: clean("github.com"), done: Vec::new(), adrs: Vec::new() };
        let live = || item("T-2", "z/live.md");
        let archived = || item("T-2", "a/archive.md");
        for entries in
            [vec![item("T-10", "w/x.md"), live(), archived()], vec![live(), item("T-10", "w/x.md"), archived()]]
        {
            let entries = entries.into_iter().map(Arc::new).collect();
            let (corpus, diagnostics) = Corpus::new(entries, rules());
            let kept: Vec<&str> = corpus.entries.iter().map(|entry| entry.item.origin.path.as_str()).collect();
            assert_eq!(kept, ["z/live.md", "w/x.md"], "natural order of ids");
            assert_eq!(said(&diagnostics), ["a/archive.md:1 duplicate-id: the id `T-2` is taken by z/live.md:1"]);
            assert_eq!(diagnostics[0].about, ["T-2"]);
        }
    }
}
