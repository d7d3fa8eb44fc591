//! Selection of the comments on the root's issue.

use super::candidates::{Rank, SelectionBuilder};
use super::{Candidate, CommentRules, Filler, Omission, TextOrigin, Trust, removals};
use crate::config::{FillWith, Group};
use crate::graph::{ClaimedIssue, Entry, ParsedComment};
use crate::redact::{Clean, CleanBuf};
use std::collections::{BTreeMap, BTreeSet};

/// The most comments omitted for one reason that are omissions of their own; more are merged into one.
///
/// The rendering lists few omissions, so a long discussion would hide the others.
const MAX_SINGLE_OMISSIONS: usize = 10;

/// The most comments that may fill a budget.
const MAX_FILLERS: usize = 30;

/// Which comments of an issue a pack shows, and why it leaves the others out.
struct CommentChoice<'a> {
    issue: &'a ClaimedIssue,
    trusted_only: bool,
    shown: BTreeSet<u64>,
}

impl<'a> CommentChoice<'a> {
    /// Chooses the last comments of `issue`. Those by bots and those hidden on GitHub do not count, and what the author
    /// of the issue wrote takes no place from trusted comments.
    fn new(issue: &'a ClaimedIssue, rules: CommentRules) -> Self {
        let mut choice = Self { issue, trusted_only: rules.trusted_only, shown: BTreeSet::new() };
        let last = |counts: fn(&Self, &ParsedComment) -> bool| {
            let counted = issue.comments.iter().rev().filter(|parsed| counts(&choice, parsed)).take(rules.most);
            counted.map(|parsed| parsed.comment.id).collect::<Vec<_>>()
        };
        let trusted = last(|choice, parsed| choice.is_eligible(parsed) && !choice.is_exception(parsed));
        let own = last(|choice, parsed| choice.is_eligible(parsed) && choice.is_exception(parsed));
        choice.shown.extend(trusted.into_iter().chain(own));
        choice
    }

    /// Returns whether a comment may be shown at all.
    fn is_eligible(&self, parsed: &ParsedComment) -> bool {
        !parsed.comment.noise
            && (parsed.comment.by.trusted || !self.trusted_only || by_issue_author(self.issue, parsed))
    }

    /// Returns whether a comment is eligible only because the author of the issue wrote it.
    fn is_exception(&self, parsed: &ParsedComment) -> bool {
        self.trusted_only && !parsed.comment.by.trusted
    }

    /// Returns the comments that may fill a budget, the newest first.
    fn fillers(&self) -> Vec<&'a ParsedComment> {
        let outsiders = self.issue.comments.iter().rev().filter(|parsed| {
            !parsed.comment.noise && !parsed.comment.by.trusted && !self.shown.contains(&parsed.comment.id)
        });
        outsiders.take(MAX_FILLERS).collect()
    }

    /// Returns the omissions of the comments that are not shown, oldest first.
    fn omissions(&self) -> Vec<Omission> {
        let missing = || self.issue.comments.iter().filter(|parsed| !self.shown.contains(&parsed.comment.id));
        let mut omitted: [(&str, Vec<&ParsedComment>); 2] = [("limit", Vec::new()), ("low_trust", Vec::new())];
        missing().for_each(|parsed| omitted[usize::from(!self.is_eligible(parsed))].1.push(parsed));
        let mut omissions = Vec::new();
        for parsed in missing() {
            let (reason, alike) = &omitted[usize::from(!self.is_eligible(parsed))];
            match &alike[..] {
                [first, .., last] if alike.len() > MAX_SINGLE_OMISSIONS => {
                    if first.comment.id == parsed.comment.id {
                        let (id, title) = (id(first, Some(last)), range_title(alike));
                        omissions.push(omission(id, title, &self.issue.url, reason, alike));
                    }
                }
                _ => omissions.push(omission(id(parsed, None), title(parsed), &parsed.comment.url, reason, &[parsed])),
            }
        }
        omissions
    }
}

impl SelectionBuilder<'_> {
    /// Adds the last comments of the root's issue, oldest first, omissions for the others, and what may fill the budget.
    pub(super) fn comments(&mut self, entry: &Entry) {
        let Some(issue) = &entry.issue else { return };
        let mut choice = CommentChoice::new(issue, self.context.comments);
        let profile = self.context.profile;
        let fills = profile.fill_with == FillWith::Untrusted
            && self.context.comments.most > 0
            && !profile.leave_out.contains(&Group::Comments);
        let fillers = if fills { choice.fillers() } else { Vec::new() };
        let mut added: BTreeMap<u64, (usize, Candidate)> = BTreeMap::new();
        for parsed in &issue.comments {
            let comment = parsed.comment.id;
            if choice.shown.contains(&comment) {
                let candidate = self.comment(issue, parsed);
                self.put(candidate, Rank::of(Some(Group::Comments)));
            } else if fillers.iter().any(|filler| filler.comment.id == comment) {
                added.insert(comment, (self.candidates.len(), self.comment(issue, parsed)));
            }
        }
        let omissions = choice.omissions();
        self.fillers.replaced = self.omissions.len()..self.omissions.len() + omissions.len();
        self.omissions.extend(omissions);
        let count = fillers.len();
        for (newer, parsed) in fillers.into_iter().enumerate() {
            choice.shown.insert(parsed.comment.id);
            if let Some((at, candidate)) = added.remove(&parsed.comment.id) {
                let order = count - newer;
                self.fillers.sequence.push(Filler { candidate, at, order, omissions: choice.omissions() });
            }
        }
    }

    /// Returns a comment's section, and records the comment as an input.
    fn comment(&mut self, issue: &ClaimedIssue, parsed: &ParsedComment) -> Candidate {
        let origin = TextOrigin::page(&parsed.comment.url);
        self.record_text(self.root, &parsed.comment.url, origin.clone(), true, parsed.digest);
        let line = first_line(issue, parsed);
        let pointer = CleanBuf::new().text(&line).lit(" ").line(&origin.place()).finish();
        let outline = &parsed.markdown.outline;
        let body = self.context.after_line(&line, &parsed.comment.text, outline, &origin, pointer);
        Candidate {
            trust: Trust::of(!parsed.comment.by.trusted),
            by: Some(parsed.comment.by.clone()),
            removals: removals::records(&parsed.removals, |_| true, &origin),
            ..Candidate::new(id(parsed, None), "comment", title(parsed), origin, "comment", body)
        }
    }
}

/// Returns whether the author of the issue wrote a comment.
fn by_issue_author(issue: &ClaimedIssue, parsed: &ParsedComment) -> bool {
    match (&issue.by.author, &parsed.comment.by.author) {
        (Some(author), Some(by)) => author.eq_ignore_ascii_case(by),
        _ => false,
    }
}

/// Returns the line that begins a comment: `octocat (OWNER), 2026-01-02:`.
///
/// A role in the repo of another owner does not make an author trusted here, so the role alone does not tell an outsider.
fn first_line(issue: &ClaimedIssue, parsed: &ParsedComment) -> Clean {
    let by = &parsed.comment.by;
    let mut line = CleanBuf::new();
    match &by.author {
        Some(author) => line.line(author),
        None => line.lit("unknown author"),
    };
    match (&by.association, by_issue_author(issue, parsed)) {
        (Some(association), true) => line.lit(" (").line(association).lit(", author of the issue)"),
        (Some(association), false) => line.lit(" (").line(association).lit(")"),
        (None, true) => line.lit(" (author of the issue)"),
        (None, false) => &mut line,
    };
    if let Some(day) = day(parsed) {
        line.lit(", ").line(&day);
    }
    line.lit(if by.trusted { ":" } else { ", not a collaborator here:" }).finish()
}

fn omission(id: Clean, title: Clean, url: &Clean, reason: &'static str, comments: &[&ParsedComment]) -> Omission {
    let chars = comments.iter().map(|parsed| parsed.comment.text.chars().count() as u64).sum();
    let trust = Trust::of(comments.iter().any(|parsed| !parsed.comment.by.trusted));
    let origin = TextOrigin::page(url);
    Omission { id, title, origin, provenance: "comment", reason, trust, chars: Some(chars) }
}

/// Returns the id of a comment, or of a range of them: `comment.101-163`.
fn id(first: &ParsedComment, last: Option<&ParsedComment>) -> Clean {
    let mut id = CleanBuf::new();
    id.lit("comment.").number(first.comment.id);
    if let Some(last) = last {
        id.lit("-").number(last.comment.id);
    }
    id.finish()
}

/// Returns the title of merged omissions: `63 comments, 2026-01-02 to 2026-03-04`.
fn range_title(comments: &[&ParsedComment]) -> Clean {
    let mut title = CleanBuf::new();
    title.number(comments.len() as u64).lit(" comments");
    let day_of = |parsed: Option<&&ParsedComment>| parsed.and_then(|parsed| day(parsed));
    if let (Some(from), Some(to)) = (day_of(comments.first()), day_of(comments.last())) {
        title.lit(", ").line(&from);
        if from != to {
            title.lit(" to ").line(&to);
        }
    }
    title.finish()
}

/// Returns the date on which a comment was written.
fn day(parsed: &ParsedComment) -> Option<Clean> {
    let at = parsed.comment.by.created_at.as_ref()?;
    Some(at.slice(0..at.find('T').unwrap_or(at.len())))
}

/// Returns a comment's title: `Comment by octocat, 2026-01-02`.
fn title(parsed: &ParsedComment) -> Clean {
    let by = &parsed.comment.by;
    let mut title = CleanBuf::new();
    title.lit("Comment by ");
    match &by.author {
        Some(author) => title.line(author),
        None => title.lit("an unknown author"),
    };
    if let Some(day) = day(parsed) {
        title.lit(", ").line(&day);
    }
    title.finish()
}
