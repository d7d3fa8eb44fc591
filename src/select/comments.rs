//! The root's discussion.

use super::candidates::SelectionBuilder;
use super::origins::removals;
use super::{Candidate, Omission, OriginKind, Role, TextOrigin, Trust};
use crate::config::Group;
use crate::graph::{Entry, ParsedComment};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;

/// More comments than these that are left out for one reason are one omission: what a reader is shown of a
/// pack's omissions is short, and a long discussion would hide the others.
const APART: usize = 10;

impl SelectionBuilder<'_> {
    /// The last comments of the root's issue, oldest first; omissions for the others.
    ///
    /// Bots' comments and those that were hidden on GitHub do not count among the last ones.
    pub(super) fn comments(&mut self, entry: &Entry) {
        let Some(issue) = &entry.issue else { return };
        let rules = self.library.comments;
        let heard =
            |remark: &&ParsedComment| !remark.comment.noise && (remark.comment.by.trusted || !rules.trusted_only);
        let last = issue.comments.iter().rev().filter(heard).take(rules.most);
        let taken: BTreeSet<u64> = last.map(|remark| remark.comment.id).collect();
        let mut omitted: [(&str, Vec<&ParsedComment>); 2] = [("limit", Vec::new()), ("low_trust", Vec::new())];
        for remark in &issue.comments {
            if !taken.contains(&remark.comment.id) {
                omitted[usize::from(!heard(&remark))].1.push(remark);
                continue;
            }
            let (id, title, origin) = (id(remark), title(remark), origin(remark));
            self.read_text(self.root, &remark.comment.url, origin.clone(), true, remark.digest);
            let candidate = Candidate {
                id,
                kind: "comment",
                provenance: "comment",
                role: Role::Rank(0),
                body: self.library.comment(remark, &title, &origin),
                state: None,
                status: None,
                trust: Trust::of(!remark.comment.by.trusted),
                by: Some(remark.comment.by.clone()),
                relation: None,
                evidence: None,
                removals: removals(&remark.removals, |_| true, &origin),
                title,
                origin,
            };
            self.put(candidate, (Some(Group::Comments), false));
        }
        for remark in issue.comments.iter().filter(|remark| !taken.contains(&remark.comment.id)) {
            let (reason, alike) = &omitted[usize::from(!heard(&remark))];
            match &alike[..] {
                [first, .., last] if alike.len() > APART => {
                    if first.comment.id == remark.comment.id {
                        let origin = TextOrigin { url: Some(issue.url.clone()), ..TextOrigin::new(OriginKind::Issue) };
                        self.omissions.push(omission(range(first, last), many(alike), origin, reason, alike));
                    }
                }
                _ => self.omissions.push(omission(id(remark), title(remark), origin(remark), reason, &[remark])),
            }
        }
    }
}

fn omission(id: Clean, title: Clean, origin: TextOrigin, reason: &'static str, remarks: &[&ParsedComment]) -> Omission {
    let chars = remarks.iter().map(|remark| remark.comment.text.chars().count() as u64).sum();
    let trust = Trust::of(remarks.iter().any(|remark| !remark.comment.by.trusted));
    Omission { id, title, origin, provenance: "comment", reason, trust, chars: Some(chars) }
}

fn origin(remark: &ParsedComment) -> TextOrigin {
    TextOrigin { url: Some(remark.comment.url.clone()), ..TextOrigin::new(OriginKind::Issue) }
}

fn id(remark: &ParsedComment) -> Clean {
    let mut id = CleanBuf::new();
    id.lit("comment.").number(remark.comment.id);
    id.finish()
}

/// `comment.101-163`.
fn range(first: &ParsedComment, last: &ParsedComment) -> Clean {
    let mut id = CleanBuf::new();
    id.lit("comment.").number(first.comment.id).lit("-").number(last.comment.id);
    id.finish()
}

/// `63 comments, 2026-01-02 to 2026-03-04`.
fn many(remarks: &[&ParsedComment]) -> Clean {
    let mut title = CleanBuf::new();
    title.number(remarks.len() as u64).lit(" comments");
    let day_of = |remark: Option<&&ParsedComment>| remark.and_then(|remark| day(remark));
    if let (Some(from), Some(to)) = (day_of(remarks.first()), day_of(remarks.last())) {
        title.lit(", ").line(&from);
        if from != to {
            title.lit(" to ").line(&to);
        }
    }
    title.finish()
}

/// The day on which it was written, as GitHub says it.
fn day(remark: &ParsedComment) -> Option<Clean> {
    let at = remark.comment.by.created_at.as_ref()?;
    Some(at.slice(0..at.find('T').unwrap_or(at.len())))
}

/// `Comment by octocat, 2026-01-02`.
fn title(remark: &ParsedComment) -> Clean {
    let by = &remark.comment.by;
    let mut title = CleanBuf::new();
    title.lit("Comment by ");
    match &by.author {
        Some(author) => title.line(author),
        None => title.lit("an unknown author"),
    };
    if let Some(day) = day(remark) {
        title.lit(", ").line(&day);
    }
    title.finish()
}
