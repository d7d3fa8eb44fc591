//! Comparison of two sets of packs: grouped by cause, equal changes listed once.

use super::salvage::SalvagedPack;
use super::sections::SectionChange;
use super::{Cause, Diff, PackChange, ReviewItem, SharedChange, Verdict, needs_review, pack};
use crate::review::stale::limits_differ;
use crate::wire::Pack;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A pack on one side or on both.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The name of the pack's file.
    pub name: &'a str,
    /// The old pack.
    pub old: Option<&'a SalvagedPack>,
    /// The new pack.
    pub new: Option<&'a SalvagedPack>,
    /// The result of comparing the new pack with a rebuild, if there was one.
    pub rebuilt: Option<Rebuilt>,
}

/// The result of comparing a pack with a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rebuilt {
    /// The packs are equal.
    Equal,
    /// The packs differ, or one of them is missing.
    Differs,
    /// The pack cannot be rebuilt: its issue is not in the snapshot.
    Unverifiable,
}

/// Compares two sets of packs; `rebuilt` says whether the new ones were compared with a rebuild.
pub fn compare(pairs: &[Pair<'_>], rebuilt: bool) -> Diff {
    let count = |result| rebuilt.then(|| pairs.iter().filter(|pair| pair.rebuilt == Some(result)).count());
    let mut diff = Diff {
        verdict: Verdict {
            not_rebuilt: count(Rebuilt::Differs),
            unverifiable: count(Rebuilt::Unverifiable),
            ..Verdict::default()
        },
        causes: Vec::new(),
        needs_review: Vec::new(),
        packs: Vec::new(),
        sections: Vec::new(),
    };
    let mut causes = BTreeMap::<(String, String, String), Vec<String>>::new();
    let mut reasons = BTreeMap::<needs_review::ReviewReason, Vec<String>>::new();
    let mut places = HashMap::<SectionChange, usize>::new();
    let known = instructions(pairs);
    for pair in pairs {
        let (old, new) = (pair.old.and_then(|it| it.pack.as_ref()), pair.new.and_then(|it| it.pack.as_ref()));
        let notes = notes(pair);
        let same = old.zip(new).is_some_and(|(old, new)| is_same(old, new));
        if (same || old.is_none() && new.is_none()) && notes.is_empty() && pair.rebuilt != Some(Rebuilt::Differs) {
            diff.verdict.unchanged += 1;
            continue;
        }
        let truncated = |side: Option<&SalvagedPack>| side.is_some_and(|side| side.truncated);
        let spurious: Vec<&str> = [(truncated(pair.old), "added"), (truncated(pair.new), "removed")]
            .into_iter()
            .filter(|it| it.0)
            .map(|it| it.1)
            .collect();
        let is_unmerged = [pair.old, pair.new].into_iter().flatten().any(|side| side.is_unmerged);
        let (change, sections) = match old.or(new).filter(|_| is_unmerged) {
            // Compared with itself it has no changes.
            Some(whole) => pack::change(pair.name, Some(whole), Some(whole), &spurious),
            None => pack::change(pair.name, old, new, &spurious),
        };
        let mut change = PackChange { notes, ..change };
        // A pack that is there and cannot be read is neither added nor removed.
        if pair.old.is_some() && pair.new.is_some() {
            change.change = "changed".to_owned();
        }
        let pack_causes = if is_unmerged { Vec::new() } else { causes_of(&change, old, new) };
        let whole = spurious.is_empty() && !change.fields.iter().any(|field| field.field == "schema_version");
        let explained = same || !whole || !pack_causes.is_empty();
        for reason in needs_review::reasons(pair, &change, &sections, explained, &known) {
            reasons.entry(reason).or_default().push(pair.name.to_owned());
        }
        pack_causes.into_iter().for_each(|cause| causes.entry(cause).or_default().push(pair.name.to_owned()));
        for section in sections {
            let next = diff.sections.len();
            let place = *places.entry(section.clone()).or_insert(next);
            if place == next {
                diff.sections.push(SharedChange { packs: Vec::new(), section });
            }
            diff.sections[place].packs.push(pair.name.to_owned());
            change.sections.push(place);
        }
        match change.change.as_str() {
            "added" => diff.verdict.added += 1,
            "removed" => diff.verdict.removed += 1,
            _ => diff.verdict.changed += 1,
        }
        diff.packs.push(change);
    }
    diff.causes =
        causes.into_iter().map(|((name, change, words), packs)| Cause { name, change, words, packs }).collect();
    diff.needs_review = reasons
        .into_iter()
        .map(|((reason, section, message), packs)| ReviewItem { reason: reason.to_owned(), section, message, packs })
        .collect();
    // The causes of most packs come first.
    diff.causes.sort_by(|a, b| b.packs.len().cmp(&a.packs.len()).then_with(|| a.name.cmp(&b.name)));
    let packs: BTreeSet<&String> = diff.needs_review.iter().flat_map(|item| &item.packs).collect();
    diff.verdict.needs_review = packs.len();
    diff.verdict.text = diff.verdict_with(&str::to_owned);
    diff
}

impl Diff {
    /// Returns the outcome in one line, with the names of causes as formatted by `shown`.
    pub fn verdict_with(&self, shown: &dyn Fn(&str) -> String) -> String {
        verdict(self, shown)
    }

    /// Returns whether no pack differs.
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }
}

/// Returns whether two packs are equal but for stamp, hash and id.
fn is_same(old: &Pack, new: &Pack) -> bool {
    let stamped = Pack {
        pack_id: new.pack_id.clone(),
        generated_at: new.generated_at.clone(),
        generator: new.generator.clone(),
        hash: new.hash.clone(),
        ..old.clone()
    };
    stamped == *new
}

/// Returns the faults of either side.
fn notes(pair: &Pair<'_>) -> Vec<String> {
    let of = |side: Option<&SalvagedPack>, name: &str| -> Vec<String> {
        side.map(|side| side.faults.iter().map(|fault| format!("the {name} pack: {fault}")).collect())
            .unwrap_or_default()
    };
    [of(pair.old, "old"), of(pair.new, "new")].concat()
}

/// Returns the instructions of the old side's packs.
fn instructions<'a>(pairs: &[Pair<'a>]) -> BTreeSet<&'a str> {
    let packs = pairs.iter().filter_map(|pair| pair.old?.pack.as_ref());
    let sections = packs.flat_map(|pack| &pack.sections).filter(|section| section.kind == "instructions");
    sections.map(|section| &*section.content).collect()
}

/// Returns the causes of a pack's change: name, kind of change, and a description. Empty if nothing explains it.
fn causes_of(change: &PackChange, old: Option<&Pack>, new: Option<&Pack>) -> Vec<(String, String, String)> {
    let inputs = change.inputs.iter();
    let mut causes: Vec<_> = inputs.map(|input| (input.name.clone(), input.change.clone(), input.words())).collect();
    let Some((old, new)) = old.zip(new) else { return causes };
    let changed = "changed".to_owned();
    if limits_differ(&old.budget, &new.budget) {
        let name = "the limits of the budget".to_owned();
        causes.push((name.clone(), changed.clone(), format!("{name} changed")));
    }
    let (was, is) = (&old.budget.rendering, &new.budget.rendering);
    if was != is {
        causes.push(("the rendering".to_owned(), changed.clone(), format!("rendering {was} → {is}")));
    }
    if causes.is_empty() && old.generator != new.generator {
        let named = |pack: &Pack| format!("{} {}", pack.generator.name, pack.generator.version);
        causes.push((named(new), changed, format!("{} → {}", named(old), named(new))));
    }
    causes
}

/// Returns the outcome in one line.
fn verdict(diff: &Diff, shown: &dyn Fn(&str) -> String) -> String {
    let Verdict { changed, added, removed, not_rebuilt, unverifiable, needs_review, .. } = diff.verdict;
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut parts = Vec::new();
    for (count, what) in [(changed, "changed"), (added, "added"), (removed, "removed")] {
        if count > 0 || what == "changed" && added + removed == 0 {
            parts.push(if parts.is_empty() {
                format!("{count} pack{} {what}", plural(count))
            } else {
                format!("{count} {what}")
            });
        }
    }
    if changed > 0 {
        // A name with several changes counts once.
        let mut names: Vec<&str> = Vec::new();
        for cause in &diff.causes {
            if !names.contains(&&*cause.name) {
                names.push(&cause.name);
            }
        }
        let listed = names.iter().take(3).map(|name| shown(name)).collect::<Vec<_>>().join(", ");
        let more = if names.len() > 3 { ", …" } else { "" };
        let listed = if names.is_empty() { String::new() } else { format!(" ({listed}{more})") };
        parts.push(format!("{} cause{}{listed}", names.len(), plural(names.len())));
    }
    let unverifiable = unverifiable.unwrap_or_default();
    match not_rebuilt {
        Some(0) if unverifiable > 0 => {
            parts.push(format!("rebuilt and equal, but for {unverifiable} whose issue is not in the snapshot"));
        }
        Some(0) => parts.push("rebuilt and equal".to_owned()),
        Some(count) => parts.push(format!("rebuilt, and {count} not equal")),
        None => {}
    }
    parts.push(format!("{needs_review} need{} review", if needs_review == 1 { "s" } else { "" }));
    parts.join(", ")
}
