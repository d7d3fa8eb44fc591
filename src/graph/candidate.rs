//! Edges as stated, before the strongest of each kind is chosen.

use super::corpus::{Corpus, Entry};
use super::evidence::EdgeSource;
use crate::model::{Place, Relation};
use crate::records::Origin;
use crate::redact::Clean;

/// The place where a relation is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Statement {
    pub(super) item: usize,
    pub(super) part: ItemPart,
    pub(super) line: u32,
}

/// The part of an item that states something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemPart {
    /// Its fields.
    Record,
    /// Its text.
    Body,
    /// The text of its file beside that of its issue.
    Draft,
    /// GitHub's lists.
    Links,
}

impl ItemPart {
    /// Returns the file of the part.
    pub(super) fn origin(self, entry: &Entry) -> &Origin<Clean> {
        let own = &entry.item.origin;
        match self {
            Self::Record => own,
            Self::Body => &entry.item.body.origin,
            Self::Draft => entry.draft.as_ref().map_or(own, |draft| &draft.body.origin),
            Self::Links => entry.issue.as_ref().map_or(own, |issue| &issue.origin),
        }
    }
}

impl ItemPart {
    /// Returns whether an untrusted author may have written it: in an issue, or in a file that git does not track.
    pub(super) fn is_untrusted(self, entry: &Entry) -> bool {
        match self {
            Self::Record | Self::Draft => entry.untrusted_file,
            Self::Body => entry.is_untrusted(),
            // GitHub keeps these lists.
            Self::Links => false,
        }
    }
}

impl Statement {
    /// Returns whether an author whom `item`'s repo trusts wrote it.
    ///
    /// A role in a repo means nothing in a repo of another owner.
    pub(super) fn is_trusted_by(self, corpus: &Corpus, item: usize) -> bool {
        let entry = &corpus.entries[self.item];
        if self.part.is_untrusted(entry) {
            return false;
        }
        let Some(issue) = entry.issue_with_text().filter(|_| self.part == ItemPart::Body) else { return true };
        let theirs = corpus.entries[item].issue.as_ref().map(|issue| &issue.repo).or(corpus.rules.repo.as_ref());
        theirs.is_none_or(|theirs| owner(theirs).eq_ignore_ascii_case(owner(&issue.repo)))
    }

    pub(super) fn place(self, corpus: &Corpus) -> Place {
        Place::line(self.part.origin(&corpus.entries[self.item]).path.clone(), self.line)
    }
}

/// An item, or an issue by its index in [`GraphBuilder::issues`](super::builder::GraphBuilder::issues).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum EdgeTarget {
    Item(usize),
    Issue(usize),
}

/// An edge as stated; several may have the same ends and relation.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateEdge {
    pub(super) from: usize,
    pub(super) relation: Relation,
    pub(super) to: EdgeTarget,
    pub(super) source: EdgeSource,
    /// Whether it is the reverse of the stated relation.
    pub(super) derived: bool,
    /// Whether an author whom the item's repo trusts stated it.
    pub(super) trusted: bool,
    pub(super) stated: Statement,
}

impl CandidateEdge {
    /// Returns whether it is a claim: stated only by untrusted authors in the text of another item.
    pub(super) fn is_claim(&self) -> bool {
        self.derived && !self.trusted
    }
}

/// Returns the first part of `owner/name`.
fn owner(repo: &str) -> &str {
    repo.split('/').next().unwrap_or_default()
}
