//! Comparison of two sets of packs: grouped by cause, equal changes listed once.

use super::sections::SectionChange;
use super::{Cause, Diff, PackChange, ReviewItem, SharedChange, Verdict, needs_review, pack};
use crate::model::{LIKELY_CODE, section_kind};
use crate::review::read::SalvagedPack;
use crate::review::stale::{PackStatus, claims_differ, limits};
use crate::wire::Pack;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The names of causes that nobody wrote: a search found other code, or a pack has other lines for its relations.
const SEARCH: &str = "likely code and tests";
const PLACES: &str = "places of relations";
const CLAIMS: &str = "untrusted texts";

/// The longest path, in bytes, that the outcome names whole.
const MAX_NAME: usize = 60;

/// A pack on one side or on both.
#[derive(Debug)]
pub struct Pair {
    /// The name of the pack's file.
    pub name: String,
    /// The old pack.
    pub old: Option<SalvagedPack>,
    /// The new pack.
    pub new: Option<SalvagedPack>,
    /// The result of comparing the new pack with a rebuild, if there was one.
    pub rebuilt: Option<PackStatus>,
}

/// Compares two sets of packs; `rebuilt` says whether the new ones were compared with a rebuild.
pub fn compare(pairs: &[Pair], rebuilt: bool) -> Diff {
    let mut diff = Diff::default();
    let count = |is_one: fn(&Pair) -> bool| rebuilt.then(|| pairs.iter().filter(|pair| is_one(pair)).count());
    diff.verdict.not_rebuilt = count(Pair::is_not_rebuilt);
    diff.verdict.unverifiable = count(|pair| pair.rebuilt == Some(PackStatus::Unverifiable));
    let mut causes = BTreeMap::<(String, String, String), Vec<String>>::new();
    let mut reasons = BTreeMap::<needs_review::ReviewReason, Vec<String>>::new();
    let mut places = HashMap::<SectionChange, usize>::new();
    let known = instructions(pairs);
    for pair in pairs {
        let (old, new) = pair.packs();
        let notes: Vec<String> = pair.sides().flat_map(|(name, side)| notes(name, side)).collect();
        let same = old.zip(new).is_some_and(|(old, new)| is_same(old, new));
        if (same || old.is_none() && new.is_none()) && notes.is_empty() && !pair.is_not_rebuilt() {
            diff.verdict.unchanged += 1;
            continue;
        }
        let is_unreadable = pair.sides().any(|(_, side)| side.pack.is_none());
        let (change, sections) = match old.or(new).filter(|_| is_unreadable) {
            // Compared with itself it has no changes.
            Some(whole) => pack::change(&pair.name, Some(whole), Some(whole)),
            None => pack::change(&pair.name, old, new),
        };
        let mut change = PackChange { notes, ..change };
        // A pack that is there and cannot be read is neither added nor removed.
        if pair.old.is_some() && pair.new.is_some() {
            change.change = "changed".to_owned();
        }
        let mut pack_causes = if is_unreadable { Vec::new() } else { causes_of(&change, old, new) };
        if let Some((old, new)) = old.zip(new).filter(|_| pack_causes.is_empty() && !is_unreadable) {
            let words = derived(old, new, &change, &sections);
            pack_causes.extend(words.map(|(name, words)| (name.to_owned(), "changed".to_owned(), words.to_owned())));
        }
        let explained = same || is_unreadable || !pack_causes.is_empty();
        for reason in needs_review::reasons(pair, &change, &sections, explained, &known) {
            reasons.entry(reason).or_default().push(pair.name.clone());
        }
        pack_causes.sort();
        pack_causes.dedup();
        pack_causes.into_iter().for_each(|cause| causes.entry(cause).or_default().push(pair.name.clone()));
        for section in sections {
            let next = diff.sections.len();
            let place = *places.entry(section.clone()).or_insert(next);
            if place == next {
                diff.sections.push(SharedChange { packs: Vec::new(), section });
            }
            diff.sections[place].packs.push(pair.name.clone());
            change.sections.push(place);
        }
        match change.change.as_str() {
            "added" => diff.verdict.added += 1,
            "removed" => diff.verdict.removed += 1,
            _ => diff.verdict.changed += 1,
        }
        diff.packs.push(change);
    }
    let cause = |((name, change, words), packs)| Cause { name, change, words, packs };
    diff.causes = causes.into_iter().map(cause).collect();
    let item =
        |((reason, section, message), packs)| ReviewItem { reason: str::to_owned(reason), section, message, packs };
    diff.needs_review = reasons.into_iter().map(item).collect();
    diff.needs_review.extend(needs_review::below_the_cut(&diff, pairs));
    // What people edited comes before what no pack shows, what packs no longer have and a search; then the causes of most packs.
    let sections = diff.sections.iter().map(|shared| &shared.section).filter(|it| it.is_shown() && !it.is_unedited());
    let shown: BTreeSet<String> = sections.filter_map(|it| it.input.clone()).collect();
    let side = |cause: &Cause| ["changed", "added", "removed"].iter().position(|side| *side == cause.change);
    let rank =
        |cause: &Cause| (cause.is_derived(), !shown.contains(&cause.name), side(cause), Reverse(cause.packs.len()));
    diff.causes.sort_by_key(|cause| (rank(cause), cause.name.clone()));
    let packs: BTreeSet<&String> = diff.needs_review.iter().flat_map(|item| &item.packs).collect();
    diff.verdict.needs_review = packs.len();
    let (words, names) = diff.verdict_words();
    let mut names = names.into_iter();
    diff.verdict.text = words.split("{}").flat_map(|part| [part, names.next().unwrap_or_default()]).collect();
    diff
}

impl Pair {
    fn sides(&self) -> impl Iterator<Item = (&'static str, &SalvagedPack)> {
        [("old", &self.old), ("new", &self.new)].into_iter().filter_map(|(name, side)| Some((name, side.as_ref()?)))
    }

    pub(super) fn packs(&self) -> (Option<&Pack>, Option<&Pack>) {
        (self.old.as_ref().and_then(|side| side.pack.as_ref()), self.new.as_ref().and_then(|side| side.pack.as_ref()))
    }

    /// Returns whether a rebuild gave another pack, or none.
    pub(super) fn is_not_rebuilt(&self) -> bool {
        self.rebuilt.is_some_and(|status| !status.is_current() && status != PackStatus::Unverifiable)
    }
}

fn is_same(old: &Pack, new: &Pack) -> bool {
    let Pack { pack_id, generated_at, generator, hash, .. } = new.clone();
    Pack { pack_id, generated_at, generator, hash, ..old.clone() } == *new
}

fn notes(name: &str, side: &SalvagedPack) -> Vec<String> {
    side.faults.iter().map(|fault| format!("the {name} pack: {fault}")).collect()
}

fn instructions(pairs: &[Pair]) -> BTreeSet<&str> {
    let sections = pairs.iter().filter_map(|pair| pair.packs().0).flat_map(|pack| &pack.sections);
    sections.filter(|section| section.kind == section_kind::INSTRUCTIONS).map(|section| &*section.content).collect()
}

/// Returns the causes of a pack's change: name, kind of change, and a description. Empty if nothing explains it.
fn causes_of(change: &PackChange, old: Option<&Pack>, new: Option<&Pack>) -> Vec<(String, String, String)> {
    let inputs = change.inputs.iter();
    let mut causes: Vec<_> = inputs.map(|input| (input.name.clone(), input.change.clone(), input.words())).collect();
    let Some((old, new)) = old.zip(new) else { return causes };
    let changed = "changed".to_owned();
    if limits(&old.budget) != limits(&new.budget) {
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

/// Returns the name and the words of a cause that nobody wrote: other results of a search, or other lines of relations.
fn derived(
    old: &Pack,
    new: &Pack,
    change: &PackChange,
    sections: &[SectionChange],
) -> Option<(&'static str, &'static str)> {
    let PackChange { neighbours, omissions, redactions, warnings, .. } = change;
    // No input changed, so that a file's section is longer by its tests alone.
    let sizes = |pack: &Pack| -> BTreeMap<String, u64> {
        let code = pack.sections.iter().filter(|it| it.id.starts_with("code.") && it.id != LIKELY_CODE);
        code.map(|it| (it.id.clone(), it.metadata.full_chars.unwrap_or(it.metadata.chars))).collect()
    };
    let (before, after) = (sizes(old), sizes(new));
    let has_tests = after.iter().any(|(id, size)| before.get(id).is_some_and(|was| was != size));
    let unfit = |pack: &Pack| pack.omissions.iter().find(|it| it.id == LIKELY_CODE).cloned();
    let is_search = has_tests || sections.iter().any(SectionChange::is_guess) || unfit(old) != unfit(new);
    let is_unedited = sections.iter().all(SectionChange::is_unedited);
    let is_moved = is_unedited && sections.iter().any(SectionChange::is_elsewhere);
    let is_same = neighbours.iter().all(|neighbour| neighbour.change == "same");
    let is_in_lists = sections.iter().all(|it| it.is_unedited() || it.kind == section_kind::EDGE_LIST);
    match () {
        () if is_in_lists && claims_differ(old, new) => Some((CLAIMS, "what untrusted texts state of it changed")),
        () if is_search && is_unedited => Some((SEARCH, "the search for likely code or tests finds other lines")),
        () if is_moved && is_same && omissions.is_empty() && redactions.is_empty() && warnings.is_empty() => {
            Some((PLACES, "only lines moved: those of a record, or on which relations are stated"))
        }
        () => None,
    }
}

/// Returns the words of what nobody wrote and that explains why two packs differ, if it does.
pub(in crate::review) fn derived_words(old: &Pack, new: &Pack) -> Option<&'static str> {
    let (change, sections) = pack::change("", Some(old), Some(new));
    derived(old, new, &change, &sections).map(|(_, words)| words)
}

impl Cause {
    /// Returns whether nobody wrote it: it follows from edits of what the pack does not hold.
    pub fn is_derived(&self) -> bool {
        [SEARCH, PLACES, CLAIMS].contains(&&*self.name)
    }
}

impl Diff {
    /// Returns whether no pack differs.
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    /// Returns the outcome in one line, with a `{}` for each of the names of causes that follow.
    pub fn verdict_words(&self) -> (String, Vec<&str>) {
        let Verdict { changed, added, removed, unchanged, not_rebuilt, unverifiable, needs_review, .. } = self.verdict;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let counts = [(changed, "changed"), (added, "added"), (removed, "removed")].into_iter();
        let counts = counts.filter(|(count, what)| *count > 0 || *what == "changed" && added + removed == 0);
        let mut parts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        if changed + added + removed == 0 && unchanged > 0 {
            parts[0] = format!("0 of {unchanged} packs changed");
        } else if let Some((count, what)) = parts[0].split_once(' ') {
            parts[0] = format!("{count} pack{} {what}", if count == "1" { "" } else { "s" });
        }
        // Others only state other digests of their inputs, or are cut elsewhere.
        let is_edit =
            |at: &usize| self.sections.get(*at).is_some_and(|it| it.section.is_shown() && !it.section.is_unedited());
        let is_changed = |pack: &&PackChange| pack.change == "changed" && pack.sections.iter().any(is_edit);
        let shown = self.packs.iter().filter(is_changed).count();
        if shown < changed && self.packs.iter().all(|pack| pack.notes.is_empty()) {
            parts[0] += &format!(" ({shown} in what they show)");
        }
        // A name with several changes counts once.
        let mut names: Vec<&str> = Vec::new();
        let is_edited = self.causes.iter().any(|cause| !cause.is_derived());
        let mut seen = BTreeSet::new();
        let causes = self.causes.iter().filter(|it| changed > 0 && !(it.is_derived() && (is_edited || added > 0)));
        for cause in causes {
            // Of a long path the name of the file.
            let name =
                cause.name.rsplit_once('/').filter(|_| cause.name.len() > MAX_NAME).map_or(&*cause.name, |it| it.1);
            if seen.insert(&cause.name) {
                names.push(name);
            }
        }
        let (count, more) = (names.len(), if names.len() > 3 { ", …" } else { "" });
        names.truncate(3);
        if changed > 0 && (count > 0 || self.causes.is_empty()) {
            let listed: Vec<&str> = names.iter().map(|name| if name.len() > MAX_NAME { "{}…" } else { "{}" }).collect();
            let listed = listed.join(", ");
            names.iter_mut().for_each(|name| *name = &name[..name.floor_char_boundary(MAX_NAME)]);
            let listed = if names.is_empty() { String::new() } else { format!(" ({listed}{more})") };
            parts.push(format!("{count} cause{}{listed}", plural(count)));
        }
        match (not_rebuilt, unverifiable.unwrap_or_default()) {
            (Some(0), 0) => parts.push("rebuilt and equal".to_owned()),
            (Some(0), lost) => {
                parts.push(format!("rebuilt and equal, but for {lost} whose issue is not in the snapshot"));
            }
            (Some(count), _) => parts.push(format!("rebuilt, and {count} not equal")),
            (None, _) => {}
        }
        parts.push(format!("{needs_review} need{} review", if needs_review == 1 { "s" } else { "" }));
        (parts.join(", "), names)
    }
}
