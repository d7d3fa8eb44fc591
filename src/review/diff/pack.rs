//! Differences between two packs besides the texts of their sections.

use super::sections::SectionChange;
use super::{FieldChange, NeighbourChange, OmissionChange, PackChange, RedactionChange, WarningChange};
use crate::review::inputs;
use crate::wire::{Pack, PackAgent, PackEdge, PackHandover, PackOmission, Redaction};
use std::collections::{BTreeMap, BTreeSet};

/// Compares two packs, of which one may be missing; returns the change and the sections that differ.
///
/// `spurious` lists the kinds of change that a truncated pack only seems to have: `added` if the old one is truncated,
/// `removed` if the new one is.
pub(super) fn change(
    name: &str,
    old: Option<&Pack>,
    new: Option<&Pack>,
    spurious: &[&str],
) -> (PackChange, Vec<SectionChange>) {
    let sections = |pack: Option<&Pack>| pack.map(|pack| pack.sections.clone()).unwrap_or_default();
    let mut sections = super::sections::changes(&sections(old), &sections(new));
    sections.retain(|section| !spurious.contains(&&*section.change));
    let shown = new.or(old);
    let root = shown.map(|pack| &pack.root);
    let both = old.zip(new);
    let mut change = PackChange {
        name: name.to_owned(),
        change: match (old, new) {
            (None, Some(_)) => "added",
            (Some(_), None) => "removed",
            _ => "changed",
        }
        .to_owned(),
        root: root.and_then(|root| root.work_item_id.clone().or_else(|| root.issue_url.clone())).unwrap_or_default(),
        title: root.map(|root| root.title.clone()).unwrap_or_default(),
        profile: shown.map(|pack| pack.profile.clone()).unwrap_or_default(),
        notes: Vec::new(),
        inputs: both.map(|(old, new)| inputs::changes(&old.inputs, &new.inputs)).unwrap_or_default(),
        fields: both.map(|(old, new)| fields(old, new)).unwrap_or_default(),
        sections: Vec::new(),
        omissions: omissions(list(old, |pack| &pack.omissions), list(new, |pack| &pack.omissions)),
        redactions: redactions(list(old, |pack| &pack.redactions), list(new, |pack| &pack.redactions)),
        warnings: warnings(old, new),
        neighbours: neighbours(old, new, &sections),
    };
    spurious.iter().for_each(|spurious| drop_spurious(&mut change, spurious));
    (change, sections)
}

/// Removes the changes of a kind that a truncated pack only seems to have.
fn drop_spurious(pack: &mut PackChange, spurious: &str) {
    let added = spurious == "added";
    let known = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty() && text != "0");
    pack.inputs.retain(|input| input.change != spurious);
    pack.fields.retain(|field| known(&field.old) && known(&field.new));
    pack.omissions.retain(|omission| omission.change != spurious);
    pack.redactions.retain(|redaction| if added { redaction.old > 0 } else { redaction.new > 0 });
    pack.warnings.retain(|warning| warning.change != spurious);
    pack.neighbours.retain(|neighbour| neighbour.change != spurious);
}

fn list<T>(pack: Option<&Pack>, of: impl Fn(&Pack) -> &Vec<T>) -> &[T] {
    pack.map_or(&[], |pack| of(pack).as_slice())
}

/// Returns the fields of pack and budget that differ; the stamp is ignored.
fn fields(old: &Pack, new: &Pack) -> Vec<FieldChange> {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let text = |text: &str| Some(text.to_owned());
    let agent = |pack: &Pack, of: fn(&PackAgent) -> &String| pack.agent.as_ref().map(|agent| of(agent).clone());
    let handover = |pack: &Pack, of: fn(&PackHandover) -> Option<&String>| pack.handover.as_ref().and_then(of).cloned();
    let (was, is) = (&old.budget, &new.budget);
    [
        ("schema_version", text(&old.schema_version), text(&new.schema_version)),
        ("profile", text(&old.profile), text(&new.profile)),
        ("agent.key", agent(old, |agent| &agent.key), agent(new, |agent| &agent.key)),
        ("agent.name", agent(old, |agent| &agent.name), agent(new, |agent| &agent.name)),
        ("policy", old.policy.clone(), new.policy.clone()),
        ("job", old.job.clone(), new.job.clone()),
        ("handover.recipe", handover(old, |it| Some(&it.recipe)), handover(new, |it| Some(&it.recipe))),
        ("handover.from", handover(old, |it| it.from.as_ref()), handover(new, |it| it.from.as_ref())),
        (
            "handover.context_box_id",
            handover(old, |it| Some(&it.context_box_id)),
            handover(new, |it| Some(&it.context_box_id)),
        ),
        (
            "handover.target_profile_box_id",
            handover(old, |it| Some(&it.target_profile_box_id)),
            handover(new, |it| Some(&it.target_profile_box_id)),
        ),
        ("handover.output_box", handover(old, |it| Some(&it.output_box)), handover(new, |it| Some(&it.output_box))),
        ("root.work_item_id", old.root.work_item_id.clone(), new.root.work_item_id.clone()),
        ("root.issue_url", old.root.issue_url.clone(), new.root.issue_url.clone()),
        ("root.title", text(&old.root.title), text(&new.root.title)),
        ("budget.max_chars", number(was.max_chars), number(is.max_chars)),
        ("budget.max_tokens", number(was.max_tokens), number(is.max_tokens)),
        ("budget.max_bytes", number(was.max_bytes), number(is.max_bytes)),
        ("budget.margin", number(was.margin), number(is.margin)),
        ("budget.strategy", text(&was.strategy), text(&is.strategy)),
        ("budget.tokenizer", was.tokenizer.clone(), is.tokenizer.clone()),
        ("budget.rendering", text(&was.rendering), text(&is.rendering)),
        ("budget.used_chars", number(Some(was.used_chars)), number(Some(is.used_chars))),
        ("budget.used_tokens", number(was.used_tokens), number(is.used_tokens)),
        // Without a limit in bytes, `used_chars` is enough.
        (
            "budget.used_bytes",
            was.max_bytes.map(|_| was.used_bytes.to_string()),
            is.max_bytes.map(|_| is.used_bytes.to_string()),
        ),
    ]
    .into_iter()
    .filter_map(|(field, old, new)| FieldChange::of(field, old, new))
    .collect()
}

fn omissions(old: &[PackOmission], new: &[PackOmission]) -> Vec<OmissionChange> {
    let by_id = |list: &[PackOmission]| -> BTreeMap<String, PackOmission> {
        list.iter().map(|omission| (omission.id.clone(), omission.clone())).collect()
    };
    let (before, after) = (by_id(old), by_id(new));
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |id: &String| {
        let (old, new) = (before.get(id), after.get(id));
        let reason = |omission: Option<&PackOmission>| omission.map(|omission| omission.reason.clone());
        let change = match (old, new) {
            (None, _) => "added",
            (_, None) => "removed",
            // A changed place or title is reported as the change of an input.
            (Some(old), Some(new)) if old.reason != new.reason => "changed",
            _ => return None,
        };
        Some(OmissionChange {
            id: id.clone(),
            title: new.or(old).map(|omission| omission.title.clone()).unwrap_or_default(),
            change: change.to_owned(),
            old: reason(old),
            new: reason(new),
        })
    };
    ids.into_iter().filter_map(change).collect()
}

/// Counts the matches of each rule in each section; lines are ignored, since every edit above moves them.
fn redactions(old: &[Redaction], new: &[Redaction]) -> Vec<RedactionChange> {
    let mut counts = BTreeMap::<(&str, &str), (u64, u64)>::new();
    for redaction in old {
        counts.entry((&redaction.section, &redaction.rule)).or_default().0 += redaction.count;
    }
    for redaction in new {
        counts.entry((&redaction.section, &redaction.rule)).or_default().1 += redaction.count;
    }
    let differ = counts.into_iter().filter(|(_, (old, new))| old != new);
    differ
        .map(|((section, rule), (old, new))| RedactionChange {
            section: section.to_owned(),
            rule: rule.to_owned(),
            old,
            new,
        })
        .collect()
}

fn warnings(old: Option<&Pack>, new: Option<&Pack>) -> Vec<WarningChange> {
    let warnings = |pack: Option<&Pack>| -> BTreeSet<(String, String)> {
        list(pack, |pack| &pack.warnings).iter().map(|it| (it.code.clone(), it.message.clone())).collect()
    };
    let (before, after) = (warnings(old), warnings(new));
    let change = |(code, message): &(String, String), change: &str| WarningChange {
        code: code.clone(),
        message: message.clone(),
        change: change.to_owned(),
    };
    let added = after.difference(&before).map(|warning| change(warning, "added"));
    added.chain(before.difference(&after).map(|warning| change(warning, "removed"))).collect()
}

fn neighbours(old: Option<&Pack>, new: Option<&Pack>, sections: &[SectionChange]) -> Vec<NeighbourChange> {
    let edges = |pack: Option<&Pack>| -> BTreeMap<(String, String), PackEdge> {
        let sections = list(pack, |pack| &pack.sections).iter();
        let edges = sections.filter_map(|section| section.metadata.edges.as_ref()).flatten();
        // Edges that only untrusted authors state are compared as text of the list.
        edges
            .filter(|edge| edge.trust.is_none())
            .map(|edge| ((edge.relation.clone(), edge.to.clone()), edge.clone()))
            .collect()
    };
    let texts: BTreeSet<&str> =
        sections.iter().filter_map(|section| section.id.split_once('.').map(|(_, item)| item)).collect();
    let (before, after) = (edges(old), edges(new));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let change = |key| {
        let (old, new) = (before.get(key), after.get(key));
        let edge = new.or(old)?;
        let change = match (old, new) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(old), Some(new)) if (&old.title, &old.state) != (&new.title, &new.state) => "changed",
            _ if texts.contains(&*edge.to) => "changed",
            _ => "same",
        };
        Some(NeighbourChange {
            to: edge.to.clone(),
            relation: edge.relation.clone(),
            title: edge.title.clone(),
            state: edge.state.clone(),
            change: change.to_owned(),
        })
    };
    keys.into_iter().filter_map(change).collect()
}
