//! Many packs at once: grouped by cause, equal changes told once.

use super::salvage::SalvagedPack;
use super::sections::SectionChange;
use super::{Cause, Diff, PackChange, ReviewItem, SharedChange, Verdict, eyes, pack};
use crate::review::stale::limits_differ;
use crate::wire::Pack;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A pack on both sides, or on one.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The file.
    pub name: &'a str,
    /// The old one.
    pub old: Option<&'a SalvagedPack>,
    /// The new one.
    pub new: Option<&'a SalvagedPack>,
    /// How the new one stands to a rebuild, where one was made.
    pub rebuilt: Option<Rebuilt>,
}

/// How a pack stands to the one that a build gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rebuilt {
    /// It is that one.
    Equal,
    /// It is another, or only one of the two is there.
    Differs,
    /// Nothing says what it should be: its issue is not in the snapshot.
    Unverifiable,
}

/// Compares packs; `rebuilt` says whether the new ones were held against a rebuild.
pub fn compare(pairs: &[Pair<'_>], rebuilt: bool) -> Diff {
    let count = |standing| rebuilt.then(|| pairs.iter().filter(|pair| pair.rebuilt == Some(standing)).count());
    let mut diff = Diff {
        verdict: Verdict {
            not_rebuilt: count(Rebuilt::Differs),
            unverifiable: count(Rebuilt::Unverifiable),
            ..Verdict::default()
        },
        causes: Vec::new(),
        eyes: Vec::new(),
        packs: Vec::new(),
        sections: Vec::new(),
    };
    let mut causes = BTreeMap::<(String, String, String), Vec<String>>::new();
    let mut looks = BTreeMap::<eyes::ReviewReason, Vec<String>>::new();
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
        let torn = |side: Option<&SalvagedPack>| side.is_some_and(|side| side.torn);
        let seeming: Vec<&str> = [(torn(pair.old), "added"), (torn(pair.new), "removed")]
            .into_iter()
            .filter(|it| it.0)
            .map(|it| it.1)
            .collect();
        let (change, sections) = pack::change(pair.name, old, new, &seeming);
        let mut change = PackChange { notes, ..change };
        // What could not be read on one side is there all the same.
        if pair.old.is_some() && pair.new.is_some() {
            change.change = "changed".to_owned();
        }
        let why = causes_of(&change, old, new);
        let whole = seeming.is_empty() && !change.fields.iter().any(|field| field.field == "schema_version");
        let explained = same || !whole || !why.is_empty();
        for look in eyes::looks(pair, &change, &sections, explained, &known) {
            looks.entry(look).or_default().push(pair.name.to_owned());
        }
        why.into_iter().for_each(|why| causes.entry(why).or_default().push(pair.name.to_owned()));
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
    diff.eyes = looks
        .into_iter()
        .map(|((reason, section, message), packs)| ReviewItem { reason: reason.to_owned(), section, message, packs })
        .collect();
    // What several packs share says most.
    diff.causes.sort_by(|a, b| b.packs.len().cmp(&a.packs.len()).then_with(|| a.name.cmp(&b.name)));
    let packs: BTreeSet<&String> = diff.eyes.iter().flat_map(|eye| &eye.packs).collect();
    diff.verdict.need_eyes = packs.len();
    diff.verdict.text = diff.verdict_with(&str::to_owned);
    diff
}

impl Diff {
    /// The outcome in one line, with the names of causes as `shown` writes them.
    pub fn verdict_with(&self, shown: &dyn Fn(&str) -> String) -> String {
        verdict(self, shown)
    }

    /// Whether anything differs.
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }
}

/// Whether two packs say the same, whenever and by whatever they were built.
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

/// What is wrong with either side.
fn notes(pair: &Pair<'_>) -> Vec<String> {
    let of = |side: Option<&SalvagedPack>, name: &str| -> Vec<String> {
        side.map(|side| side.faults.iter().map(|fault| format!("the {name} pack: {fault}")).collect())
            .unwrap_or_default()
    };
    [of(pair.old, "old"), of(pair.new, "new")].concat()
}

/// Instructions that packs of the old side have.
fn instructions<'a>(pairs: &[Pair<'a>]) -> BTreeSet<&'a str> {
    let packs = pairs.iter().filter_map(|pair| pair.old?.pack.as_ref());
    let sections = packs.flat_map(|pack| &pack.sections).filter(|section| section.kind == "instructions");
    sections.map(|section| &*section.content).collect()
}

/// Why a pack differs: name, kind of change, and both in words. Empty where nothing explains it.
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

/// The outcome in one line.
fn verdict(diff: &Diff, shown: &dyn Fn(&str) -> String) -> String {
    let Verdict { changed, added, removed, not_rebuilt, unverifiable, need_eyes, .. } = diff.verdict;
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
        // One name stands for all that happened to it.
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
    parts.push(format!("{need_eyes} need{} eyes", if need_eyes == 1 { "s" } else { "" }));
    parts.join(", ")
}
