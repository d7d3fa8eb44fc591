//! The root's one-hop edges as a list that can be shortened to counts.

use super::{EdgeRow, Size, Trust};
use crate::redact::{Clean, CleanBuf};

/// All one-hop edges of the root, sorted by relation, then by target.
#[derive(Debug)]
pub struct EdgeList {
    /// One row per edge.
    pub rows: Vec<EdgeRow>,
    lines: Vec<Clean>,
    /// The relations that may have more targets than are known.
    unknown: Vec<&'static str>,
    /// The relations that only untrusted authors state.
    pub claims: Claims,
}

/// The relations of the root that only untrusted authors state, in the texts of other items.
///
/// They are listed after all edges, and only if the pack holds everything else in full.
#[derive(Debug, Default)]
pub struct Claims {
    /// The first claims. Their titles are ids, so that no text of an untrusted author is shown.
    pub rows: Vec<EdgeRow>,
    /// The number of all claims.
    pub count: usize,
}

impl EdgeList {
    /// Creates the list of `rows`, which must be sorted; `unknown` names the relations that are known incompletely.
    pub fn new(rows: Vec<EdgeRow>, unknown: Vec<&'static str>, claims: Claims) -> Self {
        let lines = rows.iter().map(line).collect();
        Self { rows, lines, unknown, claims }
    }

    /// Returns the number of lines of the whole list.
    pub fn len(&self) -> usize {
        self.lines.len()
    }
    /// Returns the first `count` edges as lines and the others as counts.
    ///
    /// Unknown relations have a line of their own, so that "unknown" is not read as "none".
    pub fn text(&self, count: usize) -> Clean {
        let known = self.known(count);
        let [first, others @ ..] = &self.unknown[..] else { return known };
        let mut out = CleanBuf::new();
        if self.rows.is_empty() {
            out.lit("No relations are known.");
        } else {
            out.text(&known);
        }
        out.lit("\n- unknown, which is not none: ").lit(first);
        for other in others {
            out.lit(", ").lit(other);
        }
        out.finish()
    }

    fn known(&self, count: usize) -> Clean {
        let mut out = CleanBuf::new();
        for line in &self.lines[..count] {
            if !out.is_empty() {
                out.lit("\n");
            }
            out.text(line);
        }
        if self.rows.is_empty() {
            return Clean::literal("No relations.");
        }
        if count == self.rows.len() {
            return out.finish();
        }
        if !out.is_empty() {
            out.lit("\n");
        }
        out.lit(if count == 0 { "- " } else { "- and " });
        let groups = self.rows[count..].chunk_by(|a, b| a.relation == b.relation);
        for (index, group) in groups.enumerate() {
            if index > 0 {
                out.lit(", ");
            }
            let open = group.iter().filter(|row| row.state == "open").count();
            out.number(group.len() as u64).lit(" ").lit(group[0].relation);
            out.lit(" (").number(open as u64).lit(" open)");
        }
        out.finish()
    }

    /// Returns the most lines whose text is no larger than `room`; `None` if not even the counts fit.
    pub fn fit(&self, room: Size) -> Option<usize> {
        if !Size::of(&self.text(0)).fits(room) {
            return None;
        }
        // A line is longer than the count that it replaces, so sizes grow with the number of lines.
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = (low + high).div_ceil(2);
            if Size::of(&self.text(middle)).fits(room) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Some(low)
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

fn line(row: &EdgeRow) -> Clean {
    let mut out = CleanBuf::new();
    out.lit("- ").lit(row.relation).lit(" ").line(&row.to);
    if row.resolved || row.title != row.to {
        out.lit(" ");
        quoted_title(&mut out, &row.title, row.title_trust);
    }
    out.lit(": ").lit(row.state);
    if let Some(root) = &row.sync {
        out.lit(", not read: `contextpack sync ").line(root).lit("`");
    }
    out.lit(" (").lit(row.evidence.source).lit(", ").line(&row.evidence.at).lit(")");
    out.finish()
}

/// Writes a title in quotes; one by an untrusted author is shortened and marked.
pub(super) fn quoted_title(out: &mut CleanBuf, title: &Clean, trust: Trust) {
    match trust {
        Trust::Trusted => out.lit("\"").title(title).lit("\""),
        Trust::Untrusted => out.lit("\"").short_title(title).lit("\" (untrusted)"),
    };
}
