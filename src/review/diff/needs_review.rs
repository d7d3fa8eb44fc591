//! The parts of a change of packs that a person should review.

use super::set::{Pair, Rebuilt};
use super::{PackChange, SectionChange};
use crate::wire::Pack;
use std::collections::BTreeSet;

/// A reason for review: its name, the section concerned, and a message.
pub(super) type ReviewReason = (&'static str, Option<String>, String);

/// Returns the reasons to review one pack; `known` are the instructions of the old side's packs.
pub(super) fn reasons(
    pair: &Pair,
    change: &PackChange,
    sections: &[SectionChange],
    explained: bool,
    known: &BTreeSet<&str>,
) -> Vec<ReviewReason> {
    let mut reasons: Vec<ReviewReason> = change.notes.iter().map(|note| ("damaged", None, note.clone())).collect();
    match pair.rebuilt {
        Some(Rebuilt::Differs) => reasons.push(("not_rebuilt", None, "it is not what its inputs give".to_owned())),
        Some(Rebuilt::Unverifiable) => {
            let message = "its issue is not in the snapshot: nothing says what it should be";
            reasons.push(("unverifiable", None, message.to_owned()));
        }
        Some(Rebuilt::Equal) | None => {}
    }
    let (old, new) = pair.packs();
    let Some(new) = new else { return reasons };
    if old.is_some() && !explained {
        let message = "it changed, and no input, limit or version did: the configuration, what git tracks, or a hand";
        reasons.push(("no_cause", None, message.to_owned()));
    }
    sections.iter().for_each(|section| of_section(section, old.is_none(), new, known, &mut reasons));
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
    let left_out = change.omissions.iter().filter(|it| old.is_some() && it.new.as_deref() == Some("budget"));
    reasons.extend(
        left_out.map(|it| ("left_out", Some(it.id.clone()), "left out for the budget, and was not before".to_owned())),
    );
    reasons
}

fn of_section(
    section: &SectionChange,
    is_new: bool,
    pack: &Pack,
    known: &BTreeSet<&str>,
    reasons: &mut Vec<ReviewReason>,
) {
    let id = || Some(section.id.clone());
    if section.kind == "instructions" {
        let full = pack.sections.iter().find(|it| it.id == section.id);
        let builtin = full.is_some_and(|it| it.source.kind == "builtin");
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
    if let Some(status) = named("status").filter(|_| section.kind == "adr_excerpt" && !is_new) {
        let shown = |status: &Option<String>| status.clone().unwrap_or_else(|| "none".to_owned());
        let message = format!("the decision's status was `{}` and is `{}`", shown(&status.old), shown(&status.new));
        reasons.push(("adr_status", id(), message));
    }
    if let Some(trust) = named("trust") {
        let level = |level: &Option<String>| level.clone().unwrap_or_else(|| "unknown".to_owned());
        let message = format!("its trust was `{}` and is `{}`", level(&trust.old), level(&trust.new));
        reasons.push(("trust", id(), message));
    }
}
