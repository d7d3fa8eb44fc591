//! Differences between two packs besides the texts of their sections.

use super::sections::{SectionChange, changes};
use super::{
    NeighbourChange, OmissionChange, PackChange, RedactionChange, SidePair, WarningChange, change_of, field_changes,
    paired,
};
use crate::review::{inputs, since};
use crate::wire::{Pack, PackEdge, PackOmission, Redaction, Warning};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Compares two packs, of which one may be missing; returns the change and the sections that differ.
pub(super) fn change(name: &str, old: Option<&Pack>, new: Option<&Pack>) -> (PackChange, Vec<SectionChange>) {
    let mut sections = changes(list(old, |pack| &pack.sections), list(new, |pack| &pack.sections));
    if let Some((old, new)) = old.zip(new) {
        explain(&mut sections, old, new);
    }
    let shown = new.or(old);
    let root = shown.map(|pack| &pack.root);
    let both = old.zip(new);
    let json = |pack: &Pack| json!(Pack { sections: Vec::new(), ..pack.clone() });
    let mut change = PackChange {
        name: name.to_owned(),
        change: change_of(old, new),
        root: root.and_then(|root| root.work_item_id.clone().or_else(|| root.issue_url.clone())).unwrap_or_default(),
        title: root.map(|root| root.title.clone()).unwrap_or_default(),
        profile: shown.map(|pack| pack.profile.clone()).unwrap_or_default(),
        notes: Vec::new(),
        inputs: both.map(|(old, new)| inputs::changes(&old.inputs, &new.inputs)).unwrap_or_default(),
        fields: both.map(|(old, new)| field_changes(&json(old), &json(new), FIELDS)).unwrap_or_default(),
        sections: Vec::new(),
        omissions: omissions(list(old, |pack| &pack.omissions), list(new, |pack| &pack.omissions)),
        redactions: redactions(list(old, |pack| &pack.redactions), list(new, |pack| &pack.redactions)),
        warnings: warnings(list(old, |pack| &pack.warnings), list(new, |pack| &pack.warnings)),
        neighbours: neighbours(&edges(old), &edges(new), &sections),
    };
    // Without a limit in bytes, `used_chars` is enough.
    let limits_bytes = |pack: Option<&Pack>| pack.is_some_and(|pack| pack.budget.max_bytes.is_some());
    for field in change.fields.iter_mut().filter(|field| field.field == "budget.used_bytes") {
        field.old.take_if(|_| !limits_bytes(old));
        field.new.take_if(|_| !limits_bytes(new));
    }
    change.fields.retain(|field| field.old != field.new);
    (change, sections)
}

/// Says of each section which changed input it has the text of, or that only the budget or its lines moved it.
fn explain(sections: &mut [SectionChange], old: &Pack, new: &Pack) {
    let changed = inputs::changes(&old.inputs, &new.inputs);
    let recut = since::recut(old, new);
    let is_left_out = |pack: &Pack, id: &str| pack.omissions.iter().any(|it| it.id == id && it.reason == "budget");
    for section in sections {
        let (pack, id) = if section.change == "removed" { (old, &section.id) } else { (new, &section.id) };
        let input = pack.sections.iter().find(|it| it.id == *id).and_then(|it| inputs::of_section(pack, it));
        let name = input.map(inputs::name).filter(|name| changed.iter().any(|input| input.name == *name));
        section.input = name;
        let is_same = section.input.is_none() && section.fields.iter().all(|field| field.field == "place");
        section.recut = is_same
            && match &*section.change {
                "added" => is_left_out(old, id),
                "removed" => is_left_out(new, id),
                "changed" => !section.is_list() && recut.contains(id),
                "more_detail" | "less_detail" => recut.contains(id),
                _ => false,
            };
        if section.change == "changed" && is_same && !section.is_list() {
            let has_more = section.new_chars > section.old_chars;
            let recut = if has_more { "more_detail" } else { "less_detail" };
            let other = if section.hunks.is_empty() { "moved" } else { "changed" };
            section.change = if section.recut { recut } else { other }.to_owned();
        }
    }
}

fn list<T>(pack: Option<&Pack>, of: impl Fn(&Pack) -> &Vec<T>) -> &[T] {
    pack.map_or(&[], |pack| of(pack).as_slice())
}

/// The fields of pack and budget that are compared; the stamp is ignored.
const FIELDS: &str = "schema_version profile agent.key agent.name policy job handover.recipe handover.from \
                      handover.context_box_id handover.target_profile_box_id handover.output_box root.work_item_id \
                      root.issue_url root.title budget.max_chars budget.max_tokens budget.max_bytes budget.margin \
                      budget.strategy budget.tokenizer budget.rendering budget.used_chars budget.used_tokens \
                      budget.used_bytes";

fn omissions(old: &[PackOmission], new: &[PackOmission]) -> Vec<OmissionChange> {
    let reason = |omission: Option<&PackOmission>| omission.map(|omission| omission.reason.clone());
    // A changed place or title is reported as the change of an input.
    let differing = paired(old, new, |it| &it.id).into_iter().filter(|(old, new)| reason(*old) != reason(*new));
    let change = |(old, new): SidePair<'_, PackOmission>| {
        let PackOmission { id, title, .. } = new.or(old)?;
        let (id, title) = (id.clone(), title.clone());
        Some(OmissionChange { id, title, change: change_of(old, new), old: reason(old), new: reason(new) })
    };
    differing.filter_map(change).collect()
}

/// Counts the matches of each rule in each section; lines are ignored, since every edit above moves them.
fn redactions(old: &[Redaction], new: &[Redaction]) -> Vec<RedactionChange> {
    let mut counts = BTreeMap::<(&str, &str), [u64; 2]>::new();
    for (side, redactions) in [old, new].into_iter().enumerate() {
        for Redaction { section, rule, count, .. } in redactions {
            counts.entry((section, rule)).or_default()[side] += count;
        }
    }
    let change = |((section, rule), [old, new]): ((&str, &str), [u64; 2])| {
        let (section, rule) = (section.to_owned(), rule.to_owned());
        (old != new).then_some(RedactionChange { section, rule, old, new })
    };
    counts.into_iter().filter_map(change).collect()
}

fn warnings(old: &[Warning], new: &[Warning]) -> Vec<WarningChange> {
    let one_sided = |(old, new): SidePair<'_, Warning>| {
        let Warning { code, message, .. } = new.xor(old)?;
        Some(WarningChange { code: code.clone(), message: message.clone(), change: change_of(old, new) })
    };
    let mut changes: Vec<_> =
        paired(old, new, |it| (&it.code, &it.message)).into_iter().filter_map(one_sided).collect();
    changes.sort_by(|a, b| a.change.cmp(&b.change));
    changes
}

/// Returns the edges of a pack. Those that only untrusted authors state are compared as text of the list.
fn edges(pack: Option<&Pack>) -> Vec<PackEdge> {
    let edges = list(pack, |pack| &pack.sections).iter().filter_map(|section| section.metadata.edges.as_ref());
    edges.flatten().filter(|edge| edge.trust.is_none()).cloned().collect()
}

fn neighbours(old: &[PackEdge], new: &[PackEdge], sections: &[SectionChange]) -> Vec<NeighbourChange> {
    let edited = sections.iter().filter(|section| !section.is_unedited());
    let texts: BTreeSet<&str> = edited.filter_map(|section| section.id.split_once('.').map(|(_, item)| item)).collect();
    let change = |(old, new): SidePair<'_, PackEdge>| {
        let PackEdge { to, relation, title, state, .. } = new.or(old)?;
        let is_same = |old: &PackEdge, new: &PackEdge| (&old.title, &old.state) == (&new.title, &new.state);
        let change = match old.zip(new) {
            Some((old, new)) if is_same(old, new) && !texts.contains(to.as_str()) => "same".to_owned(),
            _ => change_of(old, new),
        };
        let [to, relation, title, state] = [to, relation, title, state].map(String::clone);
        Some(NeighbourChange { to, relation, title, state, change })
    };
    paired(old, new, |edge| (&edge.relation, &edge.to)).into_iter().filter_map(change).collect()
}
