//! Selection of the comments on the root's issue.

use super::candidates::{Rank, SelectionBuilder};
use super::{Candidate, Omission, OriginKind, Role, TextOrigin, TrimRank, Trust, removals};
use crate::config::Group;
use crate::graph::{Entry, ParsedComment};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;

/// The most comments omitted for one reason that are omissions of their own; more are merged into one.
///
/// The rendering lists few omissions, so a long discussion would hide the others.
const MAX_SINGLE_OMISSIONS: usize = 10;

impl SelectionBuilder<'_> {
    /// Adds the last comments of the root's issue, oldest first, and omissions for the others.
    ///
    /// Comments by bots and those hidden on GitHub do not count towards the limit.
    pub(super) fn comments(&mut self, entry: &Entry) {
        let Some(issue) = &entry.issue else { return };
        let rules = self.context.comments;
        let eligible =
            |parsed: &&ParsedComment| !parsed.comment.noise && (parsed.comment.by.trusted || !rules.trusted_only);
        let last = issue.comments.iter().rev().filter(eligible).take(rules.most);
        let shown: BTreeSet<u64> = last.map(|parsed| parsed.comment.id).collect();
        let mut omitted: [(&str, Vec<&ParsedComment>); 2] = [("limit", Vec::new()), ("low_trust", Vec::new())];
        for parsed in &issue.comments {
            if !shown.contains(&parsed.comment.id) {
                omitted[usize::from(!eligible(&parsed))].1.push(parsed);
                continue;
            }
            let (id, title, origin) = (id(parsed), title(parsed), origin(parsed));
            self.record_text(self.root, &parsed.comment.url, origin.clone(), true, parsed.digest);
            let candidate = Candidate {
                id,
                kind: "comment",
                provenance: "comment",
                role: Role::Rank(TrimRank::default()),
                body: self.context.comment(parsed, &title, &origin),
                state: None,
                status: None,
                trust: Trust::of(!parsed.comment.by.trusted),
                by: Some(parsed.comment.by.clone()),
                relation: None,
                evidence: None,
                removals: removals::records(&parsed.removals, |_| true, &origin),
                title,
                origin,
            };
            self.put(candidate, Rank::of(Some(Group::Comments)));
        }
        for parsed in issue.comments.iter().filter(|parsed| !shown.contains(&parsed.comment.id)) {
            let (reason, alike) = &omitted[usize::from(!eligible(&parsed))];
            match &alike[..] {
                [first, .., last] if alike.len() > MAX_SINGLE_OMISSIONS => {
                    if first.comment.id == parsed.comment.id {
                        let origin = TextOrigin { url: Some(issue.url.clone()), ..TextOrigin::new(OriginKind::Issue) };
                        self.omissions.push(omission(range_id(first, last), range_title(alike), origin, reason, alike));
                    }
                }
                _ => self.omissions.push(omission(id(parsed), title(parsed), origin(parsed), reason, &[parsed])),
            }
        }
    }
}

fn omission(
    id: Clean,
    title: Clean,
    origin: TextOrigin,
    reason: &'static str,
    comments: &[&ParsedComment],
) -> Omission {
    let chars = comments.iter().map(|parsed| parsed.comment.text.chars().count() as u64).sum();
    let trust = Trust::of(comments.iter().any(|parsed| !parsed.comment.by.trusted));
    Omission { id, title, origin, provenance: "comment", reason, trust, chars: Some(chars) }
}

fn origin(parsed: &ParsedComment) -> TextOrigin {
    TextOrigin { url: Some(parsed.comment.url.clone()), ..TextOrigin::new(OriginKind::Issue) }
}

fn id(parsed: &ParsedComment) -> Clean {
    let mut id = CleanBuf::new();
    id.lit("comment.").number(parsed.comment.id);
    id.finish()
}

/// Returns the id of a range of comments: `comment.101-163`.
fn range_id(first: &ParsedComment, last: &ParsedComment) -> Clean {
    let mut id = CleanBuf::new();
    id.lit("comment.").number(first.comment.id).lit("-").number(last.comment.id);
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
