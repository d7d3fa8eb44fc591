//! The parts of a change of packs that a person should review.

use super::set::Pair;
use super::{Cause, Diff, PackChange, ReviewItem, SectionChange};
use crate::model::{DecisionState, OriginKind, RULES, decision_state, section_kind};
use crate::review::inputs;
use crate::review::ready::{self, Criterion};
use crate::review::stale::PackStatus;
use crate::wire::{Pack, Section};
use std::collections::BTreeSet;

const ROOT: &str = "root.issue";

/// The most characters of a rule that are quoted.
const MAX_RULE: usize = 120;

/// A reason for review: its name, the section concerned, and a message.
pub(super) type ReviewReason = (&'static str, Option<String>, String);

/// Returns the changed inputs of which no pack shows what changed, since the budget cuts their texts before it. Code is shown by
/// its definitions, whatever the budget.
pub(super) fn below_the_cut(diff: &Diff, pairs: &[Pair]) -> Vec<ReviewItem> {
    let shows = |it: &SectionChange| it.kind != section_kind::EDGE_LIST && (it.is_shown() || it.change == "moved");
    let sections = diff.sections.iter().map(|shared| &shared.section);
    let shown: BTreeSet<&str> = sections.filter(|it| shows(it)).filter_map(|it| it.input.as_deref()).collect();
    let hidden = diff.causes.iter().filter(|cause| cause.change == "changed" && !shown.contains(&*cause.name));
    let item = |cause: &Cause| {
        let is_cut = |it: &&Section| it.metadata.detail != "full" && !it.id.starts_with("code.");
        let mut packs = pairs.iter().filter(|pair| cause.packs.contains(&pair.name)).map(Pair::packs);
        let (old, section) = packs.find_map(|(old, new)| {
            let (old, new) = (old?, new?);
            let is_own = |it: &&Section| inputs::of_section(new, it).map(inputs::name).as_ref() == Some(&cause.name);
            Some((old, new.sections.iter().filter(is_cut).find(is_own)?))
        })?;
        let size = |it: &Section| it.metadata.full_chars.unwrap_or(it.metadata.chars);
        let was = old.sections.iter().find(|it| it.id == section.id).map_or(size(section), size);
        let growth = size(section).saturating_sub(was);
        let what = match growth {
            0 => "what changed in".to_owned(),
            1 => "1 new character of".to_owned(),
            growth => format!("{growth} new characters of"),
        };
        let (name, packs) = (&cause.name, cause.packs.clone());
        let verb = if growth > 1 { "are" } else { "is" };
        let place =
            if packs.len() == 1 { "not in the pack".to_owned() } else { format!("in none of {} packs", packs.len()) };
        let message = format!("{what} `{name}` {verb} {place}: the budget cuts it before");
        Some(ReviewItem { reason: "in_no_pack".to_owned(), section: Some(section.id.clone()), message, packs })
    };
    hidden.filter_map(item).collect()
}

/// Returns the reasons to review one pack; `known` are the instructions of the old side's packs.
pub(super) fn reasons(
    pair: &Pair,
    change: &PackChange,
    sections: &[SectionChange],
    explained: bool,
    known: &BTreeSet<&str>,
) -> Vec<ReviewReason> {
    let mut reasons: Vec<ReviewReason> = change.notes.iter().map(|note| ("damaged", None, note.clone())).collect();
    if pair.is_not_rebuilt() {
        reasons.push(("not_rebuilt", None, "it is not what its inputs give".to_owned()));
    } else if pair.rebuilt == Some(PackStatus::Unverifiable) {
        let message = "its issue is not in the snapshot: nothing says what it should be";
        reasons.push(("unverifiable", None, message.to_owned()));
    }
    let (old, new) = pair.packs();
    let Some(new) = new else { return reasons };
    if old.is_some() && !explained {
        let message = "it changed, and no input, limit or version did: the configuration, what git tracks, or a hand";
        reasons.push(("no_cause", None, message.to_owned()));
    }
    for section in sections {
        reasons.extend(of_section(section, new, known, old.is_none()));
    }
    reasons.extend(old.into_iter().flat_map(|old| criteria(old, new).into_iter().chain(rules(old, new))));
    for redaction in change.redactions.iter().filter(|it| it.new < it.old) {
        // The redactions of a removed section are gone with it.
        if new.sections.iter().any(|section| section.id == redaction.section) {
            let message = format!("`{}` removed {} there, and now {}", redaction.rule, redaction.old, redaction.new);
            reasons.push(("redaction_gone", Some(redaction.section.clone()), message));
        }
    }
    // Both sides of a conflict are no text that anybody wrote.
    let matters = |code: &str| old.is_some() || code == "conflict-markers";
    let warnings = change.warnings.iter().filter(|it| matters(&it.code) && it.change == "added");
    reasons.extend(warnings.map(|it| ("warning", None, format!("a new warning, `{}`: {}", it.code, it.message))));
    // Omissions of a new pack are not changes.
    for omission in change.omissions.iter().filter(|it| old.is_some() && it.new.as_deref() == Some("budget")) {
        let message = "left out for the budget, and was not before";
        reasons.push(("left_out", Some(omission.id.clone()), message.to_owned()));
    }
    reasons
}

/// Returns the acceptance criteria of the root that were added, removed, changed or opened again.
fn criteria(old: &Pack, new: &Pack) -> Vec<ReviewReason> {
    let (read, mut now) = (ready::criteria(old), ready::criteria(new));
    // A shortened text lacks what the budget cut, which nobody removed.
    let [is_old_whole, is_new_whole] = [old, new].map(ready::is_root_whole);
    ready::keep_ids(&mut now, read.clone(), is_old_whole);
    let is_open_again = |it: &Criterion| !it.is_ticked() && read.iter().any(|old| old.id == it.id && old.is_ticked());
    let reason = |it: Criterion| {
        let change = match it.since? {
            "same" if is_open_again(&it) => "is open again",
            "added" => "was added",
            "removed" if is_new_whole => "was removed",
            "changed" => "changed",
            _ => return None,
        };
        Some(("criteria", Some(ROOT.to_owned()), format!("the acceptance criterion {} {change}: {}", it.id, it.text)))
    };
    now.into_iter().filter_map(reason).collect()
}

/// Returns the notes on documents whose rules are others than before.
fn rules<'p>(old: &'p Pack, new: &'p Pack) -> impl Iterator<Item = ReviewReason> {
    // Those of notes that the budget cut, on either side, neither came nor went.
    let rules = |section: &'p Section| -> Option<BTreeSet<&'p str>> {
        let is_whole = section.metadata.detail == "full" && section.kind == section_kind::DOCUMENT_NOTES;
        let text = section.content.split_once(RULES).map_or("", |(_, rules)| rules.trim());
        is_whole.then(|| text.lines().collect())
    };
    new.sections.iter().filter_map(move |section| {
        let (before, after) = (rules(old.sections.iter().find(|it| it.id == section.id)?)?, rules(section)?);
        let sides = [("went", before.difference(&after)), ("came", after.difference(&before))].into_iter();
        let change = sides.filter_map(|(how, mut rules)| {
            let first: String = rules.next()?.trim_start_matches("- ").chars().take(MAX_RULE).collect();
            Some(format!("{} {how}, such as: {first}", 1 + rules.count()))
        });
        let change = change.collect::<Vec<_>>().join("; ");
        (!change.is_empty()).then(|| ("rules", Some(section.id.clone()), format!("of the rules that bind {change}")))
    })
}

fn of_section(section: &SectionChange, pack: &Pack, known: &BTreeSet<&str>, is_new: bool) -> Vec<ReviewReason> {
    let mut reasons = Vec::new();
    let id = || Some(section.id.clone());
    let full = pack.sections.iter().find(|it| it.id == section.id);
    if section.kind == section_kind::INSTRUCTIONS {
        let builtin = full.is_some_and(|it| it.source.kind == OriginKind::Builtin.name());
        let known = full.is_none_or(|it| known.contains(&*it.content));
        // A new pack may have instructions that other packs had before, or built-in ones.
        if !is_new || !known && !builtin {
            reasons.push(("instructions", id(), "the instructions are others".to_owned()));
        }
    }
    let outside = section.trust.as_deref() != Some("trusted");
    let adds_text = section.hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.change == "added");
    let named = |field: &str| section.fields.iter().find(|it| it.field == field);
    if outside && section.change != "removed" && (adds_text || named("title").is_some()) {
        let author = section.author.as_ref().map_or("an unknown author".to_owned(), |author| format!("`{author}`"));
        reasons.push(("outside_text", id(), format!("new text by {author}, who is not of the repo")));
    }
    let status =
        full.and_then(|it| it.metadata.status.as_deref()).filter(|_| section.kind == section_kind::ADR_EXCERPT);
    let is_in_force = status.is_some_and(|status| decision_state(status) == DecisionState::InForce);
    if is_in_force && section.input.is_some() && !is_new && section.was.is_none() && !section.hunks.is_empty() {
        reasons.push(("adr_text", id(), "the text of a decision in force changed".to_owned()));
    }
    if let Some(status) = named("status").filter(|_| section.kind == section_kind::ADR_EXCERPT && !is_new) {
        let [old, new] = [&status.old, &status.new].map(|status| status.as_deref().unwrap_or("none"));
        reasons.push(("adr_status", id(), format!("the decision's status was `{old}` and is `{new}`")));
    }
    if let Some(trust) = named("trust") {
        let [old, new] = [&trust.old, &trust.new].map(|trust| trust.as_deref().unwrap_or("unknown"));
        reasons.push(("trust", id(), format!("its trust was `{old}` and is `{new}`")));
    }
    reasons
}
