//! What an item has from GitHub, clean.

use super::{Entry, GraphRules, ItemState, ParsedText, RecordedRemoval};
use crate::mentions::Markdown;
use crate::model::{Digest, Relation};
use crate::records::{Authored, Body, Comment, IssueLink, Origin};
use crate::redact::{Clean, CleanBuf};
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
    /// What GitHub's lists tie it to.
    pub links: Vec<IssueLink<Clean>>,
    /// What was taken out of each of these.
    pub link_removals: Vec<Vec<RecordedRemoval>>,
    /// Oldest first.
    pub comments: Vec<ParsedComment>,
    /// Relations of which the snapshot may not have all.
    pub unknown: Vec<Relation>,
    /// Whether the snapshot has all of its comments.
    pub has_comments: bool,
    /// What was taken out of everything but its comments and links. Lines of the body are those of its text.
    pub removals: Vec<RecordedRemoval>,
    /// Digest of everything but its comments, after redaction.
    pub digest: Digest,
}

/// A comment, read.
#[derive(Debug, Clone)]
pub struct ParsedComment {
    /// The clean record.
    pub comment: Comment<Clean>,
    /// What its text holds.
    pub markdown: Arc<Markdown>,
    /// What was taken out of it.
    pub removals: Vec<RecordedRemoval>,
    /// Digest after redaction.
    pub digest: Digest,
}

/// The text that a work item's file has beside that of its issue.
#[derive(Debug, Clone)]
pub struct IssueDraft {
    /// Where it stands.
    pub body: Body<Clean>,
    /// The text, read.
    pub text: ParsedText,
}

impl ClaimedIssue {
    /// The names of the relations of which the snapshot may not have all.
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

    /// Whether it is one of the configured repo.
    pub fn is_here(&self, rules: &GraphRules) -> bool {
        rules.repo.as_ref().is_some_and(|repo| repo.eq_ignore_ascii_case(&self.repo))
    }
}

impl Entry {
    /// The issue where there is no file besides.
    pub fn bare_issue(&self) -> Option<&ClaimedIssue> {
        self.issue.as_deref().filter(|_| self.item.origin.url.is_some())
    }

    /// The issue where the item's text is that of GitHub.
    pub fn told_by_issue(&self) -> Option<&ClaimedIssue> {
        self.issue.as_deref().filter(|_| self.item.body.origin.url.is_some())
    }

    /// Whether strangers may have written the item's text.
    pub fn is_untrusted(&self) -> bool {
        self.told_by_issue().map_or(self.untrusted_file, |issue| !issue.by.trusted)
    }

    /// Whether strangers may have written its title: that of a work item is the file's.
    pub fn has_untrusted_title(&self) -> bool {
        self.bare_issue().map_or(self.untrusted_file, |issue| !issue.by.trusted)
    }

    /// Whether strangers may have written what stands at a place of the item: all that its issue's file holds.
    pub fn is_untrusted_at(&self, place: &super::ShownPlace) -> bool {
        self.issue.as_ref().is_some_and(|issue| !issue.by.trusted && issue.origin.path == place.path)
    }

    /// What its packs are named after: an issue of the configured repo by its number, all else by its id.
    pub fn name(&self, rules: &GraphRules) -> String {
        match self.bare_issue().filter(|issue| issue.is_here(rules)) {
            Some(issue) => format!("issue-{}", issue.number),
            None => self.item.id.to_string(),
        }
    }

    /// A place in one of the item's files as packs show it: `path:line`, or the page of a text from GitHub.
    pub fn shown_at(&self, place: &super::ShownPlace) -> Clean {
        let draft = self.draft.as_ref().map(|draft| &draft.body.origin);
        let origins = [&self.item.origin, &self.item.body.origin].into_iter().chain(draft);
        let origin = origins.into_iter().find(|origin| origin.path == place.path).unwrap_or(&self.item.origin);
        shown_at(origin, place.line)
    }
}

/// A line of a file, or the page of a text from GitHub.
pub(super) fn shown_at(origin: &Origin<Clean>, line: u32) -> Clean {
    if let Some(url) = &origin.url {
        return url.clone();
    }
    let mut at = CleanBuf::new();
    at.text(&origin.shown).lit(":").number(line.into());
    at.finish()
}
