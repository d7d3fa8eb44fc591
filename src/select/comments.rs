//! Selection of the comments on the root's issue, or in its record.

use super::origins::{record_origin, redactions};
use super::selector::Selector;
use super::types::COMMENT;
use super::{Candidate, CommentRules, Filler, Omission, SectionBody, TextOrigin};
use crate::config::{FillWith, Group};
use crate::graph::{Entry, ParsedComment};
use crate::redact::{Clean, CleanBuf};
use std::collections::{BTreeMap, BTreeSet};

/// The most omissions of comments for one reason; more are merged, since the rendering lists few.
const MAX_SINGLE_OMISSIONS: usize = 10;
const MAX_COMMENT_FILLERS: usize = 30;

/// Which comments of an issue a pack shows.
struct CommentChoice<'a> {
    entry: &'a Entry,
    trusted_only: bool,
    shown: BTreeSet<u64>,
}

impl<'a> CommentChoice<'a> {
    /// Chooses the last comments of `entry`. Those by bots and those hidden on GitHub do not count, and what the author
    /// of the issue wrote takes no place from trusted comments.
    fn new(entry: &'a Entry, rules: CommentRules) -> Self {
        let mut choice = Self { entry, trusted_only: rules.trusted_only, shown: BTreeSet::new() };
        let is_exception = |parsed: &ParsedComment| rules.trusted_only && !parsed.comment.by.trusted;
        for exceptions in [false, true] {
            let is_one = |it: &&ParsedComment| choice.is_eligible(it) && is_exception(it) == exceptions;
            let last = entry.comments.iter().rev().filter(is_one).take(rules.most);
            let last: Vec<u64> = last.map(|parsed| parsed.comment.id).collect();
            choice.shown.extend(last);
        }
        choice
    }

    fn is_eligible(&self, parsed: &ParsedComment) -> bool {
        !parsed.comment.noise && (parsed.comment.by.trusted || !self.trusted_only || by_author(self.entry, parsed))
    }

    fn fillers(&self) -> Vec<&'a ParsedComment> {
        let outsiders = self.entry.comments.iter().rev().filter(|parsed| {
            !parsed.comment.noise && !parsed.comment.by.trusted && !self.shown.contains(&parsed.comment.id)
        });
        outsiders.take(MAX_COMMENT_FILLERS).collect()
    }

    /// Returns the omissions of the comments that are not shown, oldest first.
    fn omissions(&self) -> Vec<Omission> {
        let missing: Vec<&ParsedComment> =
            self.entry.comments.iter().filter(|parsed| !self.shown.contains(&parsed.comment.id)).collect();
        let (limited, untrusted): (Vec<&ParsedComment>, Vec<_>) =
            missing.iter().copied().partition(|parsed| self.is_eligible(parsed));
        let mut omissions = Vec::new();
        for parsed in missing {
            let is_limited = self.is_eligible(parsed);
            let (reason, alike) = if is_limited { ("limit", &limited) } else { ("low_trust", &untrusted) };
            if alike.len() <= MAX_SINGLE_OMISSIONS {
                omissions.push(omission(origin_of(self.entry, &parsed.comment.url), reason, &[parsed]));
            } else if alike[0].comment.id == parsed.comment.id {
                let page = parsed.comment.url.as_ref().and(self.entry.issue.as_ref()).map(|issue| issue.url.clone());
                omissions.push(omission(origin_of(self.entry, &page), reason, alike));
            }
        }
        omissions
    }
}

impl Selector<'_> {
    /// Adds the last comments of the root's issue, oldest first, omissions for the others, and what may fill the budget.
    pub(super) fn add_comments(&mut self, entry: &Entry) {
        if entry.issue.is_none() && entry.comments.is_empty() {
            return;
        }
        let mut choice = CommentChoice::new(entry, self.context.comments);
        let profile = self.context.profile;
        let fills = profile.fill_with == FillWith::Untrusted
            && self.context.comments.most > 0
            && !profile.leave_out.contains(&Group::Comments);
        let fillers = if fills { choice.fillers() } else { Vec::new() };
        let mut added: BTreeMap<u64, (usize, Candidate)> = BTreeMap::new();
        for parsed in &entry.comments {
            let comment = parsed.comment.id;
            if choice.shown.contains(&comment) {
                let candidate = self.comment(entry, parsed);
                self.found.put(candidate);
            } else if fillers.iter().any(|filler| filler.comment.id == comment) {
                added.insert(comment, (self.found.candidates.len(), self.comment(entry, parsed)));
            }
        }
        let omissions = choice.omissions();
        self.fillers.omitted_at = self.found.omissions.len();
        self.found.omissions.extend_from_slice(&omissions);
        self.fillers.comments.push(omissions);
        let count = fillers.len();
        for (newer, parsed) in fillers.into_iter().enumerate() {
            if let Some((at, candidate)) = added.remove(&parsed.comment.id) {
                choice.shown.insert(parsed.comment.id);
                self.fillers.comments.push(choice.omissions());
                self.fillers.sequence.push(Filler { candidate, at, order: count - newer });
            }
        }
    }

    fn comment(&mut self, entry: &Entry, parsed: &ParsedComment) -> Candidate {
        let origin = origin_of(entry, &parsed.comment.url);
        // A comment in the item's record is a part of that input.
        if let Some(url) = &parsed.comment.url {
            self.found.record_text(self.root, url, origin.clone(), true, parsed.digest);
        }
        let line = first_line(entry, parsed);
        let pointer = CleanBuf::new().text(&line).lit(" ").line(&origin.place()).finish();
        let passage = self.context.after_line(&line, &parsed.comment.text, &parsed.markdown.outline, &origin);
        let (suffix, title) = naming(&[parsed]);
        Candidate {
            untrusted: !parsed.comment.by.trusted || entry.untrusted_file,
            by: Some(parsed.comment.by.clone()),
            removals: redactions(&parsed.removals, |_| true, &origin),
            ..Candidate::new(COMMENT, &suffix, title, origin, SectionBody::Passage(passage, pointer))
        }
    }
}

fn origin_of(entry: &Entry, page: &Option<Clean>) -> TextOrigin {
    page.as_ref().map_or_else(|| record_origin(entry), TextOrigin::page)
}

/// Returns whether the author of the issue wrote a comment.
fn by_author(entry: &Entry, parsed: &ParsedComment) -> bool {
    let issue = entry.issue.as_ref().and_then(|issue| issue.by.author.as_ref());
    let author = issue.zip(parsed.comment.by.author.as_ref());
    author.is_some_and(|(author, by)| author.eq_ignore_ascii_case(by))
}

/// Returns the line that begins a comment: `octocat (OWNER), 2026-01-02:`.
///
/// A role in the repo of another owner does not make an author trusted here, so the role alone does not tell an outsider.
fn first_line(entry: &Entry, parsed: &ParsedComment) -> Clean {
    let by = &parsed.comment.by;
    let mut line = CleanBuf::new();
    match &by.author {
        Some(author) => line.line(author),
        None => line.lit("unknown author"),
    };
    match (&by.association, by_author(entry, parsed)) {
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

fn omission(origin: TextOrigin, reason: &'static str, comments: &[&ParsedComment]) -> Omission {
    let chars = comments.iter().map(|parsed| parsed.comment.text.chars().count() as u64).sum();
    let untrusted = comments.iter().any(|parsed| !parsed.comment.by.trusted);
    let (suffix, title) = naming(comments);
    Omission { untrusted, chars: Some(chars), ..Omission::new(COMMENT, &suffix, title, origin, reason) }
}

/// Returns the end of the id and the title: `101` and `Comment by octocat, 2026-01-02`, or `101-163` and `63 comments, …`.
fn naming(comments: &[&ParsedComment]) -> (Clean, Clean) {
    let (mut suffix, mut title) = (CleanBuf::new(), CleanBuf::new());
    let [first, rest @ ..] = comments else { return Default::default() };
    suffix.number(first.comment.id);
    let Some(last) = rest.last() else {
        title.lit("Comment by ");
        match &first.comment.by.author {
            Some(author) => title.line(author),
            None => title.lit("an unknown author"),
        };
        if let Some(day) = day(first) {
            title.lit(", ").line(&day);
        }
        return (suffix.finish(), title.finish());
    };
    suffix.lit("-").number(last.comment.id);
    title.number(comments.len() as u64).lit(" comments");
    if let (Some(from), Some(to)) = (day(first), day(last)) {
        title.lit(", ").line(&from);
        if from != to {
            title.lit(" to ").line(&to);
        }
    }
    (suffix.finish(), title.finish())
}

fn day(parsed: &ParsedComment) -> Option<Clean> {
    let at = parsed.comment.by.created_at.as_ref()?;
    Some(at.slice(0..at.find('T').unwrap_or(at.len())))
}
