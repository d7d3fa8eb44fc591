//! The root's discussion.

use super::candidates::Shelf;
use super::origins::removals;
use super::{Candidate, Omission, Origin, OriginKind, Role, Trust};
use crate::config::Group;
use crate::graph::{Entry, Remark};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;

impl Shelf<'_> {
    /// The last comments of the root's issue, oldest first; an omission for each of the others.
    ///
    /// Bots' comments and those that were hidden on GitHub do not count among the last ones.
    pub(super) fn comments(&mut self, entry: &Entry) {
        let Some(issue) = &entry.issue else { return };
        let rules = self.library.comments;
        let heard = |remark: &&Remark| !remark.comment.noise && (remark.comment.by.trusted || !rules.trusted_only);
        let last = issue.comments.iter().rev().filter(heard).take(rules.most);
        let taken: BTreeSet<u64> = last.map(|remark| remark.comment.id).collect();
        for remark in &issue.comments {
            let mut id = CleanBuf::new();
            id.lit("comment.").number(remark.comment.id);
            let id = id.finish();
            let title = title(remark);
            let origin = Origin { url: Some(remark.comment.url.clone()), ..Origin::new(OriginKind::Issue) };
            if taken.contains(&remark.comment.id) {
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
            } else {
                let reason = if heard(&remark) { "limit" } else { "low_trust" };
                let chars = Some(remark.comment.text.chars().count() as u64);
                self.omissions.push(Omission { id, title, origin, provenance: "comment", reason, chars });
            }
        }
    }
}

/// `Comment by octocat, 2026-01-02`.
fn title(remark: &Remark) -> Clean {
    let by = &remark.comment.by;
    let mut title = CleanBuf::new();
    title.lit("Comment by ");
    match &by.author {
        Some(author) => title.line(author),
        None => title.lit("an unknown author"),
    };
    if let Some(at) = &by.created_at {
        let day = at.find('T').unwrap_or(at.len());
        title.lit(", ").line(&at.slice(0..day));
    }
    title.finish()
}
