//! Records inside a JSON or YAML document, and items inside other items.

use crate::config::{ItemSource, TemplatePart};
use crate::model::{Node, Relation, Value};
use crate::records::fields::{FieldPairs, text_of};
use crate::records::item::{FieldRelation, Item, Mention};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};

/// The step of a path that is any key or entry.
const ANY: &str = "*";

/// A part of a JSON text, with the keys that `*` stands for on the way to it.
pub(super) type JsonPart<'t> = (String, &'t str);

/// Returns the parts of a JSON text to which paths lead, in their order in the text: of a list its entries. Without a path the
/// text is what is meant.
pub(super) fn json_parts<'t>(text: &'t str, paths: &[String]) -> Vec<JsonPart<'t>> {
    let whole = (String::new(), text);
    let mut parts: Vec<JsonPart<'t>> = reached(whole, paths, json_members).into_iter().flat_map(json_entries).collect();
    parts.sort_by_key(|(_, part)| part.as_ptr());
    parts.dedup_by_key(|(_, part)| part.as_ptr());
    parts
}

/// Returns the entries of a list, or any other value as it is.
pub(super) fn json_entries<'t>((key, text): JsonPart<'t>) -> Vec<JsonPart<'t>> {
    if text.trim_start().starts_with('[') { json_members(&(key, text), ANY) } else { vec![(key, text)] }
}

/// Returns the value under a key of an object; under `*` all values of an object or a list.
pub(super) fn json_members<'t>((above, text): &JsonPart<'t>, step: &str) -> Vec<JsonPart<'t>> {
    if let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let entries = entries.into_iter().filter(|_| step == ANY);
        return entries.map(|entry| (above.clone(), entry.get())).collect();
    }
    let members = serde_json::from_str::<BTreeMap<String, &'t RawValue>>(text).unwrap_or_default();
    let members = members.into_iter().filter(|(key, _)| step == ANY || key == step);
    members.map(|(key, value)| (below(above, &key, step), value.get())).collect()
}

/// A part of a YAML document, with the keys that `*` stands for on the way to it, and the line before which it ends.
pub(super) type YamlPart<'n> = (String, &'n Node<String>, Option<u32>);

/// Returns the parts of a YAML document to which paths lead, as [`json_parts`] does.
pub(super) fn yaml_parts<'n>(document: YamlPart<'n>, paths: &[String]) -> Vec<YamlPart<'n>> {
    let mut parts: Vec<YamlPart<'n>> =
        reached(document, paths, yaml_members).into_iter().flat_map(yaml_entries).collect();
    parts.sort_by_key(|(_, node, _)| node.line);
    parts
}

/// Returns the entries of a list, or any other value as it is.
pub(super) fn yaml_entries(part: YamlPart<'_>) -> Vec<YamlPart<'_>> {
    if matches!(part.1.value, Value::List(_)) { yaml_members(&part, ANY) } else { vec![part] }
}

/// Returns the value under a key of a map; under `*` all values of a map or a list.
pub(super) fn yaml_members<'n>((above, node, end): &YamlPart<'n>, step: &str) -> Vec<YamlPart<'n>> {
    let members: Vec<(String, &'n Node<String>)> = match &node.value {
        Value::Map(pairs) => pairs.iter().map(|(key, node)| (below(above, key, step), node)).collect(),
        Value::List(nodes) if step == ANY => nodes.iter().map(|node| (above.clone(), node)).collect(),
        Value::List(_) | Value::Null | Value::Scalar { .. } => Vec::new(),
    };
    let is_meant = |at: usize| match &node.value {
        Value::Map(pairs) => step == ANY || pairs[at].0 == step,
        _ => true,
    };
    let next = |at: usize| members.get(at + 1).map(|(_, node)| node.line).or(*end);
    let found = members.iter().enumerate().filter(|(at, _)| is_meant(*at));
    found.map(|(at, (key, node))| (key.clone(), *node, next(at))).collect()
}

/// Returns what paths lead to from a part, itself without a path.
fn reached<P: Clone>(part: P, paths: &[String], members: impl Fn(&P, &str) -> Vec<P>) -> Vec<P> {
    if paths.is_empty() {
        return vec![part];
    }
    let follow = |path: &String| {
        let into = |found: Vec<P>, step: &str| found.iter().flat_map(|part| members(part, step)).collect();
        path.split('.').fold(vec![part.clone()], into)
    };
    paths.iter().flat_map(follow).collect()
}

/// Returns the keys that `*` stands for, of a value under a key.
fn below(above: &str, key: &str, step: &str) -> String {
    match (step, above) {
        (ANY, "") => key.to_owned(),
        (ANY, above) => format!("{above}.{key}"),
        (_, above) => above.to_owned(),
    }
}

/// Returns the index of the field from which the id of an item comes.
fn id_field(pairs: &FieldPairs, source: &ItemSource) -> Option<usize> {
    let mapped = source.fields.get("id").into_iter().flat_map(|names| names.iter().map(String::as_str));
    let parts = source.id.iter().flat_map(|template| &template.parts);
    let holes = parts.filter_map(|part| if let TemplatePart::Hole(name) = part { Some(name.as_str()) } else { None });
    let mut names = mapped.chain(holes.filter(|name| *name != KEY)).chain(["id", "stable_id"]);
    names.find_map(|name| pairs.iter().position(|(known, node)| known == name && text_of(node).is_some()))
}

/// Returns the id of an item as its record has it.
pub(super) fn own_id(pairs: &FieldPairs, source: &ItemSource) -> Option<String> {
    text_of(&pairs[id_field(pairs, source)?].1)
}

/// The field with the keys that `*` stands for.
pub(super) const KEY: &str = "key";

/// Gives an item inside another an id below that one's: `3.1`. Without an id of its own it has its place in the list.
pub(super) fn nest_id(pairs: &mut FieldPairs, above: &str, place: usize, line: u32, source: &ItemSource) {
    let own = own_id(pairs, source).unwrap_or_else(|| (place + 1).to_string());
    let is_whole = own.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'));
    let text = if is_whole { own } else { format!("{above}.{own}") };
    let node = Node { line, value: Value::Scalar { text, plain: false } };
    match id_field(pairs, source) {
        Some(at) => pairs[at].1 = node,
        None => pairs.push(("id".to_owned(), node)),
    }
}

/// Where a record is: the index of the one that it is inside of, the keys of [`JsonPart`], and its own id.
pub(super) type Nesting = (Option<usize>, String, Option<String>);

/// Makes items children of those that they are in. A relation that names an id as the records have it means an item of the same
/// keys, of several a sibling.
pub(super) fn connect(items: &mut [Item<String>], nesting: &[Nesting]) {
    let known: HashMap<(&str, &str), String> = items
        .iter()
        .zip(nesting)
        .filter_map(|(item, (_, key, own))| Some(((key.as_str(), own.as_deref()?), item.id.clone())))
        .collect();
    for (at, (parent, key, _)) in nesting.iter().enumerate() {
        if parent.is_none() && key.is_empty() {
            continue;
        }
        let above = parent.map(|parent| (items[parent].id.clone(), nesting[parent].2.as_deref().unwrap_or_default()));
        let item = &mut items[at];
        for FieldRelation { target, .. } in &mut item.relations {
            let find = |name: &str| known.get(&(key.as_str(), name)).cloned();
            let sibling = above.as_ref().and_then(|(_, above)| find(&format!("{above}.{}", target.value)));
            if let Some(id) = sibling.or_else(|| find(&target.value)) {
                target.value = id;
            }
        }
        if let Some((value, _)) = above
            && item.relations.iter().all(|stated| stated.relation != Relation::Parent)
        {
            let target = Mention { value, line: item.line };
            item.relations.insert(0, FieldRelation { relation: Relation::Parent, target });
        }
    }
}
