//! Why a pack on disk is not the one that a build gives.

use super::read::read;
use super::verify::verify;
use crate::wire::{Edge, Input, Pack};
use std::collections::{BTreeMap, BTreeSet};

/// How a pack on disk differs from what a build gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Its inputs or the rules changed since it was built.
    Stale(Vec<String>),
    /// It was changed by hand, or damaged.
    Edited(Vec<String>),
}

/// What is said where nothing in the packs tells why they differ.
pub const UNEXPLAINED: &str = "the configuration, or what git tracks, changed";

/// Compares the bytes on disk with the pack that a build gives; they differ in more than their stamp.
pub fn difference(existing: &[u8], built: &Pack) -> Difference {
    let old = match read(existing) {
        Ok(old) => old,
        Err(error) => return Difference::Edited(vec![format!("it is no context pack: {error}")]),
    };
    let (_, faults) = verify(existing);
    if !faults.is_empty() {
        return Difference::Edited(faults);
    }
    let (new, gone) = (edges_beside(built, &old), edges_beside(&old, built));
    let named = |input: &Input, edges: &[&Edge]| edges.iter().any(|edge| input.id.as_deref() == Some(&*edge.to));
    let mut reasons = inputs(&old.inputs, &built.inputs, &|input| named(input, &new), &|input| named(input, &gone));
    reasons.extend(new.iter().map(|edge| format!("new {} {}", noun(&edge.relation), edge.to)));
    reasons.extend(gone.iter().map(|edge| format!("{} {} is gone", noun(&edge.relation), edge.to)));
    if old.budget.max_chars != built.budget.max_chars
        || old.budget.max_bytes != built.budget.max_bytes
        || old.budget.max_tokens != built.budget.max_tokens
        || old.budget.strategy != built.budget.strategy
        || old.budget.tokenizer != built.budget.tokenizer
        || old.budget.margin != built.budget.margin
    {
        reasons.push("the budget changed".to_owned());
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

/// The edges of a pack's root that another pack's has not.
fn edges_beside<'a>(pack: &'a Pack, other: &Pack) -> Vec<&'a Edge> {
    let of = |pack: &'a Pack| pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    let known: BTreeSet<(&str, &str)> = other
        .sections
        .iter()
        .filter_map(|section| section.metadata.edges.as_ref())
        .flatten()
        .map(|edge| (&*edge.relation, &*edge.to))
        .collect();
    of(pack).filter(|edge| !known.contains(&(&*edge.relation, &*edge.to))).collect()
}

/// What an item of a relation is called.
fn noun(relation: &str) -> &str {
    match relation {
        "depends_on" => "dependency",
        "blocked_by" => "blocker",
        "blocks" => "blocked item",
        "related" => "related item",
        relation => relation,
    }
}

/// What differs between the inputs; those that are `told` of as new or gone already are left out.
fn inputs(
    old: &[Input],
    new: &[Input],
    told_new: &dyn Fn(&Input) -> bool,
    told_gone: &dyn Fn(&Input) -> bool,
) -> Vec<String> {
    let key = |input: &Input| (input.path.clone(), input.id.clone(), input.url.clone());
    let before: BTreeMap<_, _> = old.iter().map(|input| (key(input), input)).collect();
    let after: BTreeMap<_, _> = new.iter().map(|input| (key(input), input)).collect();
    let mut reasons = Vec::new();
    for (key, input) in &after {
        match before.get(key) {
            None if told_new(input) => {}
            None => reasons.push(format!("new: {}", name(input))),
            Some(old) if old.version != input.version && input.id.as_deref() == Some("redaction-rules") => reasons
                .push(format!(
                    "rule set changed: {} → {}",
                    old.version.as_deref().unwrap_or("none"),
                    input.version.as_deref().unwrap_or("none")
                )),
            Some(old) if old.version != input.version => reasons.push(format!(
                "built-in {} {} → {}",
                input.id.as_deref().unwrap_or_default(),
                old.version.as_deref().unwrap_or("none"),
                input.version.as_deref().unwrap_or("none")
            )),
            Some(old) if old.digest != input.digest => reasons.push(format!("{} changed", name(input))),
            Some(_) => {}
        }
    }
    reasons.extend(
        before
            .iter()
            .filter(|(key, input)| !after.contains_key(*key) && !told_gone(input))
            .map(|(_, input)| format!("{} is gone", name(input))),
    );
    reasons.sort();
    reasons.dedup();
    reasons
}

/// A file by its path; an item of a file that holds many by its id as well.
fn name(input: &Input) -> String {
    match (&input.path, &input.id, &input.url) {
        (Some(path), Some(id), _) if path.ends_with(".jsonl") || path.ends_with(".json") => format!("{path} ({id})"),
        (Some(path), ..) => path.clone(),
        (None, Some(id), _) => id.clone(),
        (None, None, url) => url.clone().unwrap_or_default(),
    }
}
