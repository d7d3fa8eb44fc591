//! The reasons why a pack on disk differs from a fresh build.

use super::diff::derived_words;
use super::inputs::{InputChange, changes};
use super::read::read;
use super::verify::verify;
use crate::model::named_enum;
use crate::wire::{Pack, PackBudget, PackEdge, Section};
use std::collections::BTreeSet;

named_enum! {
    /// What a build did with a pack, or how a finished pack compares with the one that a build gives now.
    #[derive(Default)]
    pub enum PackStatus {
        /// Packs are not committed, and this one can be built.
        Buildable = "buildable",
        /// It was changed by hand, or damaged.
        Edited = "edited",
        /// It could not be built.
        Failed = "failed",
        /// It is what a build gives.
        Fresh = "fresh",
        /// It is no pack.
        Invalid = "invalid",
        /// It was not built yet, or nothing holds it.
        #[default]
        Missing = "missing",
        /// Packs are not committed: a build makes them when they are needed.
        OnDemand = "on_demand",
        /// No build gives it any more.
        Orphaned = "orphaned",
        /// Its root or profile is gone, and its file was removed.
        Removed = "removed",
        /// Its inputs or the rules changed since it was built.
        Stale = "stale",
        /// Its file had the same content already, except for the stamp.
        Unchanged = "unchanged",
        /// It cannot be compared: its issue is not in the snapshot, or its item cannot be read.
        Unverifiable = "unverifiable",
        /// Its file is new or has new content.
        Written = "written",
    }
}

impl PackStatus {
    /// Returns whether the pack's file needs no attention.
    pub const fn is_current(self) -> bool {
        match self {
            Self::Buildable | Self::Fresh | Self::Unchanged => true,
            Self::Edited | Self::Failed | Self::Invalid | Self::Missing | Self::OnDemand => false,
            Self::Orphaned | Self::Removed | Self::Stale | Self::Unverifiable | Self::Written => false,
        }
    }
}

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

/// The most files of a pack that are looked for under other paths.
const MOST_PAIRED: usize = 100;

/// Returns whether the repo has a file at a path, or an item with an id, whether or not the pack has to do with it.
pub type InRepo<'a> = dyn Fn(&str) -> bool + 'a;

/// Compares the bytes on disk with a fresh build from which they differ in more than the stamp.
pub fn difference(existing: &[u8], built: &Pack, in_repo: &InRepo<'_>) -> Difference {
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
    let mut changes = changes(&old.inputs, &built.inputs);
    let mut reasons = moved(&mut changes, in_repo);
    reasons.extend(
        changes.iter().filter(|change| !is_neighbour(change)).map(|change| words(change, &old, built, in_repo)),
    );
    reasons.sort();
    reasons.dedup();
    reasons.extend(new.iter().map(|edge| format!("new {} {}", noun(&edge.relation), edge.to)));
    let gone = |edge: &&PackEdge| if in_repo(&edge.to) { "is no longer one" } else { "was removed" };
    reasons.extend(removed.iter().map(|edge| format!("{} {} {}", noun(&edge.relation), edge.to, gone(edge))));
    if limits(&old.budget) != limits(&built.budget) {
        reasons.push("the budget changed".to_owned());
    }
    if claims_differ(&old, built) {
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
        reasons.push(derived_words(&old, built).unwrap_or(UNEXPLAINED).to_owned());
    }
    Difference::Stale(reasons)
}

/// Takes the files out of `changes` that have another path now, and the items that have another id, and describes them.
///
/// A file is the same if its digest, the id of its item or its number in its folder is, and if no other change has that.
fn moved(changes: &mut Vec<InputChange>, in_repo: &InRepo<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let is_left = |change: &InputChange| {
        change.change == "removed" && change.path.is_some() && change.old.as_deref().is_some_and(is_digest)
    };
    let left: Vec<InputChange> = changes.iter().filter(|change| is_left(change)).take(MOST_PAIRED).cloned().collect();
    for old in &left {
        let alike = |one: &InputChange, change: &InputChange| {
            let has_id = one.id.is_some() && one.id == change.id;
            let number = one.path.as_deref().and_then(numbered);
            let has_number = number.is_some() && number == change.path.as_deref().and_then(numbered);
            has_id
                || has_number
                || one.path == change.path
                || one.new.as_ref().or(one.old.as_ref()) == change.new.as_ref().or(change.old.as_ref())
        };
        let came: Vec<usize> = (0..changes.len())
            .filter(|at| changes[*at].change == "added" && changes[*at].path.is_some() && alike(old, &changes[*at]))
            .collect();
        let [at] = came[..] else { continue };
        let new = &changes[at];
        let is_only = left.iter().filter(|other| alike(other, new)).count() == 1;
        let is_same_file = old.path == new.path;
        if !is_only || !is_same_file && old.path.as_deref().is_some_and(in_repo) {
            continue;
        }
        words.push(match (is_same_file, old.old == new.new) {
            (true, _) => format!("{} changed", new.name),
            (false, true) => format!("{} is {} now", old.name, new.name),
            (false, false) => format!("{} is {} now, and changed", old.name, new.name),
        });
        changes.remove(at);
        changes.retain(|change| change != old);
    }
    words
}

/// Returns the folder and the number of a file such as `docs/adr/0007-cache.md`, by which decisions are named.
fn numbered(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (number, rest) = name.split_at(name.find(|c: char| !c.is_ascii_digit())?);
    (!number.is_empty() && rest.starts_with(['-', '_', '.'])).then_some((folder, number))
}

/// Returns whether the mark of an input is the digest of a text, and no version of a built-in one.
fn is_digest(mark: &str) -> bool {
    mark.starts_with("sha256:")
}

/// Describes a change of the inputs; of a file that the pack no longer has, it says whether the repo has it, and whether it is meant.
fn words(change: &InputChange, old: &Pack, built: &Pack, in_repo: &InRepo<'_>) -> String {
    let name = &change.name;
    let Some(path) = change.path.as_deref().filter(|_| change.change == "removed") else { return change.words() };
    // An omission has the path as the text has it, from the folder of the text.
    let is_of_path = |written: &str| {
        let written = written.trim_start_matches("../").trim_start_matches("./");
        path.strip_suffix(written).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let omission = built.omissions.iter().find(|omission| omission.source.path.as_deref().is_some_and(is_of_path));
    let is_reference =
        |section: &Section| section.source.path.as_deref() == Some(path) && section.provenance.ends_with("_ref");
    match omission {
        Some(omission) if omission.reason == "denied_path" => format!("{name} is one that is never opened now"),
        _ if !in_repo(path) => format!("{name} was removed"),
        None if old.sections.iter().any(is_reference) => format!("{name} is no longer referred to"),
        _ => change.words(),
    }
}

fn edges_only_in<'a>(pack: &'a Pack, other: &Pack) -> Vec<&'a PackEdge> {
    let known: BTreeSet<(&str, &str)> = edges(other, false).map(|edge| (&*edge.relation, &*edge.to)).collect();
    edges(pack, false).filter(|edge| !known.contains(&(&*edge.relation, &*edge.to))).collect()
}

/// Returns whether what only untrusted authors state of the root differs.
pub(super) fn claims_differ(old: &Pack, new: &Pack) -> bool {
    let claimed = |pack: &Pack| pack.sections.iter().find_map(|section| section.metadata.untrusted_edges);
    claimed(old) != claimed(new) || !edges(old, true).eq(edges(new, true))
}

/// Returns the edges of a pack's root; with `claims` those that only untrusted authors state, else the others.
fn edges(pack: &Pack, claims: bool) -> impl Iterator<Item = &PackEdge> {
    let all = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    all.filter(move |edge| edge.trust.is_some() == claims)
}

pub(super) fn noun(relation: &str) -> &str {
    match relation {
        "depends_on" => "dependency",
        "blocked_by" => "blocker",
        "blocks" => "blocked item",
        "related" => "related item",
        relation => relation,
    }
}

type PackLimits<'a> = (Option<u64>, Option<u64>, Option<u64>, Option<u64>, &'a str, Option<&'a str>);

/// Returns the limits and settings of a budget, whatever is used of them.
pub fn limits(budget: &PackBudget) -> PackLimits<'_> {
    let PackBudget { max_chars, max_bytes, max_tokens, margin, strategy, tokenizer, .. } = budget;
    (*max_chars, *max_bytes, *max_tokens, *margin, strategy, tokenizer.as_deref())
}
