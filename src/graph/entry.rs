//! An item before the graph is built, with its redacted texts and its issue.

use super::files::is_listed;
use super::text::{ParsedText, RecordedRemoval, shown_at};
use crate::mentions::Markdown;
use crate::model::{Code, Diagnostic, Digest, Digester, ItemState, Place, Relation, RepoPath};
use crate::records::{Authored, Body, Comment, IssueLink, Item, KeptCode, Origin};
use crate::redact::Clean;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// An item with everything that is known of it before the graph is built.
#[derive(Debug, Clone)]
pub struct Entry {
    pub item: Item<Clean>,
    pub body: ParsedText,
    /// The comments on the issue or in the record, oldest first.
    pub comments: Vec<ParsedComment>,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
    pub rules: Arc<SourceRules>,
    pub issue: Option<Box<ClaimedIssue>>,
    pub draft: Option<Box<IssueDraft>>,
    /// Whether its file is untrusted, see [`Untracked`](crate::model::Untracked).
    pub untrusted_file: bool,
    /// Why its record cannot be read: nothing but its id and its relations is known, and these may be incomplete.
    pub damage: Option<Arc<Diagnostic>>,
    pub identity: Identity,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ShownPlace {
    pub path: RepoPath,
    pub line: u32,
}

/// The digest of all that a pack can use of an item, made when needed; a clone may become another item, so it has none.
#[derive(Debug, Default)]
pub struct Identity(OnceLock<Digest>);

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The issue that an item is, or that a work item claims.
#[derive(Debug, Clone, Hash)]
pub struct ClaimedIssue {
    pub origin: Origin<Clean>,
    pub url: Clean,
    pub repo: Clean,
    pub number: u64,
    pub private: Option<bool>,
    pub state: ItemState,
    pub by: Authored<Clean>,
    pub links: Vec<IssueLink<Clean>>,
    /// What was removed from each of these.
    pub link_removals: Vec<Vec<RecordedRemoval>>,
    pub code: Vec<KeptCode<Clean>>,
    /// What was removed from each of these.
    pub code_removals: Vec<Vec<RecordedRemoval>>,
    pub unknown: Vec<Relation>,
    pub has_comments: bool,
    /// What was removed from everything but its comments and links. Lines of the body are those of its text.
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
}

#[derive(Debug, Clone)]
pub struct ParsedComment {
    pub comment: Comment<Clean>,
    pub markdown: Arc<Markdown>,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
}

#[derive(Debug, Clone)]
pub struct IssueDraft {
    pub body: Body<Clean>,
    pub text: ParsedText,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SourceRules {
    /// Text before and after the value in `ref`; `("EIP-", "")` for `EIP-{}`.
    pub reference: (String, String),
    pub prefixes: Vec<String>,
}

impl SourceRules {
    /// Removes one of the prefixes in any case: `195` of `Task-195` for the prefix `task-`.
    pub(super) fn without_prefix<'v>(&self, value: &'v str) -> Option<&'v str> {
        self.prefixes.iter().filter(|prefix| !prefix.is_empty()).find_map(|prefix| {
            let (head, rest) = value.split_at_checked(prefix.len())?;
            (head.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some(rest)
        })
    }

    pub(super) fn prefixed(&self, rest: &str) -> impl Iterator<Item = String> {
        self.prefixes.iter().map(move |prefix| format!("{prefix}{rest}"))
    }
}

#[derive(Debug, Clone)]
pub struct GraphRules {
    /// `owner/name` of this repo on GitHub. Clean, because ids of issues are made from it.
    pub repo: Option<Clean>,
    pub host: Clean,
    /// Statuses that mean done, as [`plain_status`](super::plain_status) gives them.
    pub done: Vec<String>,
    /// Statuses that mean closed without being done, as [`plain_status`](super::plain_status) gives them.
    pub not_planned: Vec<String>,
    /// The files that are boilerplate, such as licences, with the names to show, sorted: a link in passing is an omission.
    pub boilerplate: Vec<(RepoPath, Clean)>,
    pub adrs: Vec<RepoPath>,
    /// Other projects: their repos, and their folders in this one.
    pub sources: Vec<(String, RepoPath)>,
}

impl GraphRules {
    /// Returns the other project that a file is of; `None` for a file of this one.
    pub(super) fn source_with(&self, path: &RepoPath) -> Option<usize> {
        self.sources.iter().position(|(_, folder)| path.is_under(folder.as_str()))
    }

    /// Returns the other project of this name.
    pub(super) fn source_named(&self, repo: &str) -> Option<usize> {
        self.sources.iter().position(|(name, _)| name.eq_ignore_ascii_case(repo))
    }

    pub(super) fn is_this(&self, repo: &str) -> bool {
        self.repo.as_ref().is_some_and(|this| this.eq_ignore_ascii_case(repo))
    }
}

impl ClaimedIssue {
    pub fn is_here(&self, rules: &GraphRules) -> bool {
        rules.is_this(&self.repo)
    }

    pub(super) fn is_pull(&self) -> bool {
        self.url.rsplit('/').nth(1) == Some("pull")
    }

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

impl Entry {
    /// Returns the title, the body, and what fields say in four words or more, such as a design.
    pub fn prose(&self) -> Vec<&Clean> {
        let fields = self.field_texts().into_iter().map(|(text, _)| text);
        [&self.item.title, &self.body.clean].into_iter().chain(fields).collect()
    }

    /// Returns what fields say in four words or more, each with its line.
    pub fn field_texts(&self) -> Vec<(&Clean, u32)> {
        let mut texts = Vec::new();
        for field in self.item.fields.iter().filter(|field| !is_listed("own_field", &field.name)) {
            field.node.for_each(&mut |text, line| {
                texts.extend(text.split_whitespace().nth(3).map(|_| (text, line)));
            });
        }
        texts
    }

    /// Returns a warning about the item.
    pub(super) fn warning(&self, code: Code, at: Place, message: String, help: &str) -> Diagnostic {
        Diagnostic::new(code, Some(at), message).help(help).about(&*self.item.id)
    }

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
        self.issue_with_text().map_or(self.has_untrusted_file(), |issue| !issue.by.trusted)
    }

    /// Returns whether an untrusted author may have written its title: a work item has the title of its file.
    pub fn has_untrusted_title(&self) -> bool {
        self.bare_issue().map_or(self.has_untrusted_file(), |issue| !issue.by.trusted)
    }

    /// Returns whether an untrusted author may have written the text at a place.
    pub fn is_untrusted_at(&self, place: &ShownPlace) -> bool {
        let issue = self.issue.as_ref().filter(|issue| issue.origin.path == place.path);
        issue.map_or(self.has_untrusted_file(), |issue| !issue.by.trusted)
    }

    fn has_untrusted_file(&self) -> bool {
        self.untrusted_file || self.item.untrusted
    }

    /// Returns the name of its packs before it becomes a slug: `issue-<n>` here, otherwise its id.
    pub fn name(&self, rules: &GraphRules) -> String {
        match self.bare_issue().filter(|issue| issue.is_here(rules)) {
            Some(issue) => format!("issue-{}", issue.number),
            None => self.item.id.to_string(),
        }
    }

    pub fn origins(&self) -> impl Iterator<Item = &Origin<Clean>> {
        let draft = self.draft.as_ref().map(|draft| &draft.body.origin);
        [&self.item.origin, &self.item.body.origin].into_iter().chain(draft)
    }

    /// Returns a place in one of the item's files as packs show it: `path:line`, or the page of a text from GitHub.
    pub fn shown_at(&self, place: &ShownPlace) -> Clean {
        let origin = self.origins().find(|origin| origin.path == place.path).unwrap_or(&self.item.origin);
        shown_at(origin, place.line)
    }

    /// Returns the digest of everything that a pack can use of the item.
    pub fn identity(&self) -> Digest {
        *self.identity.0.get_or_init(|| {
            let mut digester = Digester::default();
            self.hash(&mut digester);
            digester.digest()
        })
    }
}

/// Texts are represented by their digests, and by their lengths, which delimit them. Every field is named, so that none is
/// forgotten when one is added.
impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            item,
            body: text,
            comments,
            removals,
            digest,
            rules,
            issue,
            draft,
            untrusted_file,
            damage,
            identity: _,
        } = self;
        let Item {
            id,
            origin,
            line,
            source,
            title,
            status,
            body,
            fields,
            relations,
            issue: claim,
            adrs,
            docs,
            head,
            no_pack,
            untrusted,
            comments: _,
        } = item;
        (id, origin, line, source, title, status, fields, relations, claim, adrs, docs).hash(state);
        (
            no_pack,
            untrusted,
            head.len(),
            text,
            comments,
            removals,
            digest,
            rules,
            issue,
            untrusted_file,
            damage.is_some(),
        )
            .hash(state);
        hash_body(body, state);
        if let Some(draft) = draft {
            let IssueDraft { body, text } = &**draft;
            hash_body(body, state);
            text.hash(state);
        }
    }
}

impl ParsedComment {
    pub fn new(comment: Comment<Clean>, markdown: Arc<Markdown>, removals: Vec<RecordedRemoval>) -> Self {
        let digest = Digest::of(comment.text.as_str());
        Self { comment, markdown, removals, digest }
    }
}

impl Hash for ParsedComment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { comment, markdown: _, removals, digest } = self;
        let Comment { id, url, by, text, noise } = comment;
        (id, url, by, text.len(), noise, removals, digest).hash(state);
    }
}

fn hash_body<H: Hasher>(body: &Body<Clean>, state: &mut H) {
    let Body { origin, line, in_file, text } = body;
    (origin, line, in_file, text.len()).hash(state);
}
