//! What a person should look at before a change of packs is taken.

use super::set::{Pair, Rebuilt};
use super::{PackChange, SectionChange};
use crate::wire::Pack;
use std::collections::BTreeSet;

/// A reason, the section concerned, and what to look at.
pub(super) type ReviewReason = (&'static str, Option<String>, String);

/// What to look at in one pack. `known` are instructions that the old side's packs had already.
pub(super) fn looks(
    pair: &Pair<'_>,
    change: &PackChange,
    sections: &[SectionChange],
    explained: bool,
    known: &BTreeSet<&str>,
) -> Vec<ReviewReason> {
    let mut looks: Vec<ReviewReason> = change.notes.iter().map(|note| ("damaged", None, note.clone())).collect();
    match pair.rebuilt {
        Some(Rebuilt::Differs) => looks.push(("not_rebuilt", None, "it is not what its inputs give".to_owned())),
        Some(Rebuilt::Unverifiable) => {
            let message = "its issue is not in the snapshot: nothing says what it should be";
            looks.push(("unverifiable", None, message.to_owned()));
        }
        Some(Rebuilt::Equal) | None => {}
    }
    let (old, new) = (pair.old.and_then(|it| it.pack.as_ref()), pair.new.and_then(|it| it.pack.as_ref()));
    let Some(new) = new else { return looks };
    if old.is_some() && !explained {
        let message = "it changed, and no input, limit or version did: the configuration, what git tracks, or a hand";
        looks.push(("no_cause", None, message.to_owned()));
    }
    sections.iter().for_each(|section| of_section(section, old.is_none(), new, known, &mut looks));
    for redaction in change.redactions.iter().filter(|it| it.new < it.old) {
        // Where the whole section went, its redactions went with it.
        if new.sections.iter().any(|section| section.id == redaction.section) {
            let message = format!("`{}` removed {} there, and now {}", redaction.rule, redaction.old, redaction.new);
            looks.push(("redaction_gone", Some(redaction.section.clone()), message));
        }
    }
    // A new pack leaves out what it leaves out: there is no before.
    let left_out = change.omissions.iter().filter(|it| old.is_some() && it.new.as_deref() == Some("budget"));
    looks.extend(
        left_out.map(|it| ("left_out", Some(it.id.clone()), "left out for the budget, and was not before".to_owned())),
    );
    looks
}

fn of_section(
    section: &SectionChange,
    is_new: bool,
    pack: &Pack,
    known: &BTreeSet<&str>,
    looks: &mut Vec<ReviewReason>,
) {
    let id = || Some(section.id.clone());
    if section.kind == "instructions" {
        let full = pack.sections.iter().find(|it| it.id == section.id);
        let builtin = full.is_some_and(|it| it.source.kind == "builtin");
        let known = full.is_none_or(|it| known.contains(&*it.content));
        // A new pack may tell the agent what others told it before, or what comes with the program.
        if !is_new || !known && !builtin {
            looks.push(("instructions", id(), "the instructions are others".to_owned()));
        }
    }
    let outside = section.trust.as_deref() != Some("trusted");
    let comes = section.hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.change == "added");
    let named = |field: &str| section.fields.iter().find(|it| it.field == field);
    if outside && section.change != "removed" && (comes || named("title").is_some()) {
        let author = section.author.as_ref().map_or("an unknown author".to_owned(), |author| format!("`{author}`"));
        looks.push(("outside_text", id(), format!("new text by {author}, who is not of the repo")));
    }
    if let Some(trust) = named("trust") {
        let level = |level: &Option<String>| level.clone().unwrap_or_else(|| "unknown".to_owned());
        let message = format!("its trust was `{}` and is `{}`", level(&trust.old), level(&trust.new));
        looks.push(("trust", id(), message));
    }
}
