//! The issue of an item, redacted.

use super::text::{ParsedText, RecordedRemoval};
use crate::mentions::Markdown;
use crate::model::ItemState;
use crate::model::{Digest, Relation};
use crate::records::{Authored, Body, Comment, IssueLink, KeptCode, Origin};
use crate::redact::Clean;
use std::sync::Arc;

/// The issue that an item is, or that a work item claims.
#[derive(Debug, Clone)]
pub struct ClaimedIssue {
    /// Its file in the snapshot, and its page.
    pub origin: Origin<Clean>,
    /// Its page.
    pub url: Clean,
    /// `owner/name` of its repo.
    pub repo: Clean,
    /// Its number.
    pub number: u64,
    /// Whether its repo is private, where that is known.
    pub private: Option<bool>,
    /// Whether it is done.
    pub state: ItemState,
    /// Who wrote it.
    pub by: Authored<Clean>,
    /// Its related issues by GitHub's lists.
    pub links: Vec<IssueLink<Clean>>,
    /// What was removed from each of these.
    pub link_removals: Vec<Vec<RecordedRemoval>>,
    /// The lines that its texts name by URLs of commits, as they were there.
    pub code: Vec<KeptCode<Clean>>,
    /// What was removed from each of these.
    pub code_removals: Vec<Vec<RecordedRemoval>>,
    /// Oldest first.
    pub comments: Vec<ParsedComment>,
    /// Relations of which the snapshot may not have all.
    pub unknown: Vec<Relation>,
    /// Whether the snapshot has all of its comments.
    pub has_comments: bool,
    /// What was removed from everything but its comments and links. Lines of the body are those of its text.
    pub removals: Vec<RecordedRemoval>,
    /// Digest of everything but its comments, after redaction.
    pub digest: Digest,
}

/// A comment, parsed.
#[derive(Debug, Clone)]
pub struct ParsedComment {
    /// The redacted record.
    pub comment: Comment<Clean>,
    /// The parsed Markdown of its text.
    pub markdown: Arc<Markdown>,
    /// What was removed from it.
    pub removals: Vec<RecordedRemoval>,
    /// Digest after redaction.
    pub digest: Digest,
}

/// The text of a work item's file that differs from its issue's text.
#[derive(Debug, Clone)]
pub struct IssueDraft {
    /// Its place in the file.
    pub body: Body<Clean>,
    /// The text, parsed.
    pub text: ParsedText,
}

impl ClaimedIssue {
    /// Returns the names of the relations of which the snapshot may not have all.
    pub fn unknown_names(&self) -> Vec<&'static str> {
        let name = |relation: &Relation| match relation {
            Relation::Parent => "parent",
            Relation::Child => "sub-issues",
            Relation::DependsOn | Relation::BlockedBy => "blockers",
            Relation::Blocks => "issues that it blocks",
            Relation::Related => "related issues",
        };
        self.unknown.iter().map(name).collect()
    }
}
