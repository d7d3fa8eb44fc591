//! Differences between two packs besides the texts of their sections.

use super::sections::{SectionChange, changes};
use super::{
    FieldChange, NeighbourChange, OmissionChange, PackChange, RedactionChange, SidePair, WarningChange, change_of,
    field_changes, paired,
};
use crate::review::inputs::{self, InputChange};
use crate::wire::{Pack, PackEdge, PackInput, PackOmission, Redaction, Warning};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Compares two packs, of which one may be missing; returns the change and the sections that differ.
pub(super) fn change(name: &str, old: Option<&Pack>, new: Option<&Pack>) -> (PackChange, Vec<SectionChange>) {
    let missing = Pack::default();
    let (before, after) = (old.unwrap_or(&missing), new.unwrap_or(&missing));
    let Pack { root, profile, .. } = new.unwrap_or(before);
    let mut sections = changes(&before.sections, &after.sections);
    let (mut inputs, mut fields) = (Vec::new(), Vec::new());
    if let Some((old, new)) = old.zip(new) {
        inputs = inputs::changes(&old.inputs, &new.inputs);
        fields = self::fields(old, new);
        explain(&mut sections, old, new, &inputs);
    }
    let change = PackChange {
        name: name.to_owned(),
        change: change_of(old, new),
        root: root.name().cloned().unwrap_or_default(),
        title: root.title.clone(),
        profile: profile.clone(),
        inputs,
        fields,
        omissions: omissions(&before.omissions, &after.omissions),
        redactions: redactions(&before.redactions, &after.redactions),
        warnings: warnings(&before.warnings, &after.warnings),
        neighbours: neighbours((&edges(before), &edges(after)), old.is_none() || new.is_none(), &sections),
        ..PackChange::default()
    };
    (change, sections)
}

/// Returns the fields of pack and budget that differ.
fn fields(old: &Pack, new: &Pack) -> Vec<FieldChange> {
    let [before, after] = [old, new].map(|pack| json!(Pack { sections: Vec::new(), ..pack.clone() }));
    let mut fields = field_changes(&before, &after, FIELDS);
    // Without a limit in bytes, `used_chars` is enough.
    for field in fields.iter_mut().filter(|field| field.field == "budget.used_bytes") {
        field.old.take_if(|_| old.budget.max_bytes.is_none());
        field.new.take_if(|_| new.budget.max_bytes.is_none());
    }
    fields.retain(|field| field.old != field.new);
    fields
}

/// Says of each section which changed input it has the text of, or that only the budget or its lines moved it.
fn explain(sections: &mut [SectionChange], old: &Pack, new: &Pack, changed: &[InputChange]) {
    let is_left_out = |pack: &Pack, id: &str| pack.omissions.iter().any(|it| it.id == id && it.reason == "budget");
    for section in sections {
        let input =
            |pack: &'_ Pack| inputs::of_section(pack, pack.sections.iter().find(|it| it.id == section.id)?).cloned();
        let (was, is) = (input(old), input(new));
        let digest = |input: &Option<PackInput>| input.as_ref()?.digest.clone();
        let is_shortened = [&section.old_detail, &section.new_detail].into_iter().flatten().any(|it| it != "full");
        let is_cut_elsewhere = is_shortened && digest(&is).is_some() && digest(&was) == digest(&is);
        let name = if section.change == "removed" { was } else { is }.as_ref().map(inputs::name);
        section.input = name.filter(|name| changed.iter().any(|input| input.name == *name));
        let is_same = section.input.is_none() && section.fields.iter().all(|field| field.field == "place");
        section.recut = is_same
            && match &*section.change {
                "added" => is_left_out(old, &section.id),
                "removed" => is_left_out(new, &section.id),
                "changed" => !section.is_list() && is_cut_elsewhere,
                "more_detail" | "less_detail" => is_cut_elsewhere,
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
fn edges(pack: &Pack) -> Vec<PackEdge> {
    let edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref());
    edges.flatten().filter(|edge| edge.trust.is_none()).cloned().collect()
}

fn neighbours(
    (old, new): (&[PackEdge], &[PackEdge]),
    is_one_sided: bool,
    sections: &[SectionChange],
) -> Vec<NeighbourChange> {
    let edited = sections.iter().filter(|section| !section.is_unedited());
    let texts: BTreeSet<&str> = edited.filter_map(|section| section.id.split_once('.').map(|(_, item)| item)).collect();
    let change = |(old, new): SidePair<'_, PackEdge>| {
        let PackEdge { to, relation, title, state, .. } = new.or(old)?;
        let is_same = |old: &PackEdge, new: &PackEdge| (&old.title, &old.state) == (&new.title, &new.state);
        let change = match old.zip(new) {
            // What came or went is the pack, and not what it is related to.
            _ if is_one_sided => "same".to_owned(),
            Some((old, new)) if is_same(old, new) && !texts.contains(to.as_str()) => "same".to_owned(),
            _ => change_of(old, new),
        };
        let [to, relation, title, state] = [to, relation, title, state].map(String::clone);
        Some(NeighbourChange { to, relation, title, state, change })
    };
    paired(old, new, |edge| (&edge.relation, &edge.to)).into_iter().filter_map(change).collect()
}
