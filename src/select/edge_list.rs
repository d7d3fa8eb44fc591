//! The list of the root's edges, which can be shortened to counts, and the claims below it.

use super::origins::Evidence;
use super::{Amount, Counter, descend};
use crate::redact::{Clean, CleanBuf};
use std::cmp::Ordering;

#[derive(Debug, Clone)]
pub struct EdgeRow {
    pub to: Clean,
    /// The target's relation to the root.
    pub relation: &'static str,
    pub title: Clean,
    pub(super) untrusted_title: bool,
    pub state: &'static str,
    pub resolved: bool,
    /// The argument of `sync` that fetches a target outside the corpus.
    pub(super) sync: Option<Clean>,
    pub evidence: Evidence,
}

/// All one-hop edges of the root, sorted by relation, then by target.
#[derive(Debug)]
pub struct EdgeList {
    pub rows: Vec<EdgeRow>,
    pub(super) lines: Vec<Clean>,
    /// What follows the edges: relations to what cannot be found, and those that may have more targets than are known.
    pub(super) others: Vec<Clean>,
    /// What stands in the place of edges if there are none.
    pub(super) none: &'static str,
    pub claims: Claims,
}

/// The relations that only untrusted authors state, in the texts of other items: listed only if all else is shown in full,
/// and no inputs, so that these authors change nothing else.
#[derive(Debug)]
pub struct Claims {
    /// The first claims. Their titles are ids, so that no text of an untrusted author is shown.
    pub rows: Vec<EdgeRow>,
    pub count: usize,
}

impl EdgeList {
    /// Returns the number of steps from counts to the whole list: first the id of each edge, then the line of each.
    pub fn len(&self) -> usize {
        2 * self.lines.len()
    }

    /// Returns the first edges as lines, then ids, then the number of the others, and what is unknown.
    pub fn text(&self, steps: usize) -> Clean {
        let mut out = self.known(steps);
        for other in &self.others {
            out.lit("\n- ").text(other);
        }
        out.finish()
    }

    fn known(&self, steps: usize) -> CleanBuf {
        let lines = steps.saturating_sub(self.rows.len());
        let mut out = CleanBuf::new();
        out.lit(if self.rows.is_empty() { self.none } else { "" });
        for line in &self.lines[..lines] {
            out.lit(if out.is_empty() { "" } else { "\n" }).text(line);
        }
        let mut at = lines;
        for group in self.rows[lines..].chunk_by(|a, b| a.relation == b.relation) {
            out.lit(if out.is_empty() { "- " } else { "\n- " });
            let ids = steps.saturating_sub(at).min(group.len());
            let rest = group.len() - ids;
            at += group.len();
            if ids == 0 {
                out.number(rest as u64).lit(" ").lit(group[0].relation);
            } else {
                out.lit(group[0].relation);
                for (index, row) in group[..ids].iter().enumerate() {
                    out.lit(if index == 0 { " " } else { ", " }).line(&row.to);
                }
                if rest > 0 {
                    out.lit(" and ").number(rest as u64).lit(" more");
                }
            }
            let open = group.iter().filter(|row| row.state == "open").count();
            out.lit(" (").number(open as u64).lit(" open)");
        }
        out
    }

    /// Returns how many steps fit `room`, or nearly as many: the last id of a relation may need less than a count.
    pub fn fit(&self, room: Amount, counter: &Counter) -> Option<usize> {
        let fits = |steps: usize| counter.measure(&self.text(steps)).fits(room);
        let steps = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let is_small = |number| steps(number) <= self.len() && fits(steps(number));
        fits(0).then(|| steps(descend(|number| if is_small(number) { Ordering::Less } else { Ordering::Greater })))
    }
}

impl Claims {
    /// Returns `text` followed by the first `count` claims as lines and the number of the others.
    pub fn below(&self, text: &Clean, count: usize) -> Clean {
        let mut out = CleanBuf::new();
        out.text(text);
        for row in &self.rows[..count] {
            out.lit("\n- untrusted: ").lit(row.relation).lit(" ").line(&row.to).lit(": ").lit(row.state);
            out.lit(" (").lit(row.evidence.source).lit(", ").line(&row.evidence.at).lit(")");
        }
        if self.count > count {
            out.lit("\n- untrusted: ").number((self.count - count) as u64);
            out.lit(if count == 0 { " in all" } else { " more" });
        }
        out.finish()
    }
}

pub(super) fn line(row: &EdgeRow) -> Clean {
    let mut out = CleanBuf::new();
    out.lit("- ").lit(row.relation).lit(" ").line(&row.to);
    if row.resolved || row.title != row.to {
        out.lit(" ");
        quoted_title(&mut out, &row.title, row.untrusted_title);
    }
    out.lit(": ").lit(row.state);
    if let Some(root) = &row.sync {
        out.lit(", not read: `contextpack sync ").line(root).lit("`");
    }
    out.lit(" (").lit(row.evidence.source).lit(", ").line(&row.evidence.at).lit(")");
    out.finish()
}

/// Writes a title in quotes; one by an untrusted author is shortened and marked.
pub(super) fn quoted_title(out: &mut CleanBuf, title: &Clean, untrusted: bool) {
    match untrusted {
        false => out.lit("\"").title(title).lit("\""),
        true => out.lit("\"").short_title(title).lit("\" (untrusted)"),
    };
}
