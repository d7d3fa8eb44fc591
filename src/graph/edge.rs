//! Edges, their targets and their evidence.

use super::text::RecordedRemoval;
use crate::model::{ItemState, Relation};
use crate::redact::Clean;

/// An issue named by a reference: `owner/repo#n`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueRef {
    /// `owner/repo` in lower case, since it is compared without case; empty for a bare number if the configuration names no
    /// repo.
    pub repo: String,
    pub number: u64,
}

impl IssueRef {
    pub(super) fn new(repo: &str, number: u64) -> Self {
        Self { repo: repo.to_lowercase(), number }
    }
}

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
    /// Returns the name in packs.
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

/// The evidence of an edge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EdgeEvidence {
    pub source: EdgeSource,
    /// `path:line`, or a URL.
    pub at: Clean,
    /// Whether an author whom the item's repo trusts stated it.
    pub trusted: bool,
}

/// An edge of one item; its counterpart is an edge of the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The relation of the other to this item.
    pub relation: Relation,
    pub to: Target,
    /// The strongest evidence.
    pub evidence: EdgeEvidence,
}
