//! The reasons why a pack on disk differs from a fresh build.

use super::inputs::{InputChange, changes};
use super::read::read;
use super::verify::verify;
use crate::wire::{Pack, PackBudget, PackEdge};
use std::collections::BTreeSet;

/// The way in which a pack on disk differs from a fresh build, with the reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The inputs or the rules changed since the pack was built.
    Stale(Vec<String>),
    /// The pack was changed by hand, or damaged.
    Edited(Vec<String>),
}

/// The reason given if nothing in the packs explains the difference.
pub const UNEXPLAINED: &str = "the configuration, or what git tracks, changed";

/// Compares the bytes on disk with a fresh build from which they differ in more than the stamp.
pub fn difference(existing: &[u8], built: &Pack) -> Difference {
    let old = match read(existing) {
        Ok(old) => old,
        Err(error) => return Difference::Edited(vec![format!("it is no context pack: {error}")]),
    };
    let verification = verify(existing);
    if !verification.is_valid() {
        return Difference::Edited(verification.violations);
    }
    let (new, removed) = (edges_only_in(built, &old), edges_only_in(&old, built));
    // A new or removed neighbour is reported as such, and not as an input too.
    let is_neighbour = |change: &InputChange| {
        let named = |edges: &[&PackEdge]| edges.iter().any(|edge| change.id.as_deref() == Some(&*edge.to));
        (change.change == "added" && named(&new)) || (change.change == "removed" && named(&removed))
    };
    let changes = changes(&old.inputs, &built.inputs);
    let mut reasons: Vec<String> =
        changes.iter().filter(|change| !is_neighbour(change)).map(InputChange::words).collect();
    reasons.sort();
    reasons.dedup();
    reasons.extend(new.iter().map(|edge| format!("new {} {}", noun(&edge.relation), edge.to)));
    reasons.extend(removed.iter().map(|edge| format!("{} {} is gone", noun(&edge.relation), edge.to)));
    if limits_differ(&old.budget, &built.budget) {
        reasons.push("the budget changed".to_owned());
    }
    let claimed = |pack: &Pack| pack.sections.iter().find_map(|section| section.metadata.untrusted_edges);
    if claimed(&old) != claimed(built) || !edges(&old, true).eq(edges(built, true)) {
        reasons.push("what untrusted texts state of it changed".to_owned());
    }
    if old.budget.rendering != built.budget.rendering {
        reasons.push(format!("rendering {} → {}", old.budget.rendering, built.budget.rendering));
    }
    if reasons.is_empty() && old.warnings != built.warnings {
        reasons.push("warnings changed".to_owned());
    }
    if reasons.is_empty() && old.generator != built.generator {
        reasons.push(format!("built by {} {}", old.generator.name, old.generator.version));
    }
    if reasons.is_empty() {
        reasons.push(UNEXPLAINED.to_owned());
    }
    Difference::Stale(reasons)
}

/// Returns the edges of a pack's root that another pack lacks.
fn edges_only_in<'a>(pack: &'a Pack, other: &Pack) -> Vec<&'a PackEdge> {
    let known: BTreeSet<(&str, &str)> = edges(other, false).map(|edge| (&*edge.relation, &*edge.to)).collect();
    edges(pack, false).filter(|edge| !known.contains(&(&*edge.relation, &*edge.to))).collect()
}

/// Returns the edges of a pack's root; with `claims` those that only untrusted authors state, else the others.
fn edges(pack: &Pack, claims: bool) -> impl Iterator<Item = &PackEdge> {
    let all = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    all.filter(move |edge| edge.trust.is_some() == claims)
}

/// Returns the noun for the target of a relation.
fn noun(relation: &str) -> &str {
    match relation {
        "depends_on" => "dependency",
        "blocked_by" => "blocker",
        "blocks" => "blocked item",
        "related" => "related item",
        relation => relation,
    }
}

/// Returns whether two budgets have different limits or settings, whatever is used of them.
pub(super) fn limits_differ(old: &PackBudget, new: &PackBudget) -> bool {
    let limits = |budget: &PackBudget| {
        (
            budget.max_chars,
            budget.max_bytes,
            budget.max_tokens,
            budget.margin,
            budget.strategy.clone(),
            budget.tokenizer.clone(),
        )
    };
    limits(old) != limits(new)
}
