//! The mapping of a record's fields from the names in its file to native names.

use crate::config::ItemSource;
use crate::model::{Node, Relation, Value};
use crate::records::item::{Field, Mention};
use crate::records::values::{is_empty, mentions, text_of};
use std::collections::{BTreeMap, BTreeSet};

/// Fields that name relations.
pub(super) const RELATIONS: [(&str, Relation); 6] = [
    ("parent", Relation::Parent),
    ("children", Relation::Child),
    ("depends_on", Relation::DependsOn),
    ("blocked_by", Relation::BlockedBy),
    ("blocks", Relation::Blocks),
    ("related", Relation::Related),
];

/// Fields that use all of their sources rather than the first that is not empty.
pub(super) const GATHERED: [&str; 8] =
    ["parent", "children", "depends_on", "blocked_by", "blocks", "related", "adrs", "docs"];

/// The native fields and other usual ones: none of them is a misspelling.
pub(super) const KNOWN_FIELDS: [&str; 26] = [
    "acceptance_criteria",
    "actual_hrs",
    "adrs",
    "area",
    "assignees",
    "blocked_by",
    "blocks",
    "body",
    "children",
    "depends_on",
    "docs",
    "estimate_hrs",
    "id",
    "issue",
    "labels",
    "parent",
    "priority",
    "related",
    "relationships",
    "risk",
    "size",
    "stable_id",
    "status",
    "title",
    "type",
    "milestone",
];

/// Other names of native fields that count without being mapped.
pub(super) const ALIASES: [(&str, &[&str]); 3] =
    [("parent", &["parent_url"]), ("children", &["children_urls"]), ("adrs", &["adr_links", "adr_link", "adr"])];

/// Fields whose values are texts, which exports write as objects: `{"name": "bug"}`, `{"login": "sam"}`.
const TEXT_FIELDS: [&str; 14] = [
    "area",
    "assignee",
    "assignees",
    "author",
    "labels",
    "milestone",
    "priority",
    "reporter",
    "risk",
    "size",
    "state",
    "status",
    "type",
    "user",
];

/// Keys under which such an object has its text, first present wins: a user's `name` may be anything, and may be empty.
const NAME_KEYS: [&str; 3] = ["login", "name", "title"];

/// Puts its name in the place of each object among the values of a field of texts.
pub(super) fn name_objects(pairs: &mut [(String, Node<String>)], source: &ItemSource) {
    for (name, node) in pairs {
        let is_text = |native: &str| TEXT_FIELDS.contains(&native);
        let is_mapped = || source.fields.iter().any(|(native, theirs)| is_text(native) && theirs.contains(name));
        if is_text(name) || is_mapped() {
            name_object(node);
        }
    }
}

fn name_object(node: &mut Node<String>) {
    match &mut node.value {
        Value::List(nodes) => nodes.iter_mut().for_each(name_object),
        Value::Map(pairs) => {
            let named = |key: &&str| pairs.iter().find(|(name, node)| name == key && text_of(node).is_some());
            if let Some((_, name)) = NAME_KEYS.iter().find_map(named)
                && matches!(name.value, Value::Scalar { .. })
            {
                node.value = name.value.clone();
            }
        }
        Value::Null | Value::Scalar { .. } => {}
    }
}

/// Returns whether the source maps a native field to the field `name` of its files.
pub(super) fn mapped_from(source: &ItemSource, name: &str) -> bool {
    source.fields.values().flatten().any(|mapped| mapped == name)
}

/// Moves the relations inside `relationships` to fields of their own; its other entries stay.
pub(super) fn lift_relationships(pairs: &mut Vec<(String, Node<String>)>) {
    let Some(at) = pairs.iter().position(|(name, _)| name == "relationships") else {
        return;
    };
    let Value::Map(inner) = &mut pairs[at].1.value else {
        return;
    };
    let known = |name: &str| {
        RELATIONS.iter().any(|(native, _)| *native == name) || matches!(name, "parent_url" | "children_urls")
    };
    let (lifted, rest): (Vec<_>, Vec<_>) = std::mem::take(inner).into_iter().partition(|(name, _)| known(name));
    *inner = rest;
    if is_empty(&pairs[at].1) {
        pairs.remove(at);
    }
    pairs.extend(lifted);
}

/// The fields of a record during the mapping to native names.
pub(super) struct Fields<'a> {
    pub(super) pairs: &'a [(String, Node<String>)],
    pub(super) index: BTreeMap<&'a str, Vec<usize>>,
    source: &'a ItemSource,
    /// The values under native names so far.
    pub(super) native: BTreeMap<&'a str, Node<String>>,
    /// Indices into `pairs` of the values that are under a native name.
    pub(super) used: BTreeSet<usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(pairs: &'a [(String, Node<String>)], source: &'a ItemSource) -> Self {
        let mut index: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (name, _)) in pairs.iter().enumerate() {
            index.entry(name).or_default().push(at);
        }
        Self { pairs, index, source, native: BTreeMap::new(), used: BTreeSet::new() }
    }

    /// Returns the indices of the pairs that a native field takes its value from.
    ///
    /// The mapped names come first, in order, then the native name and its aliases unless they are mapped to another field.
    pub(super) fn sources(&self, native: &'a str) -> Vec<usize> {
        let mapped = self.source.fields.get(native).into_iter().flatten().map(String::as_str);
        let aliases = ALIASES.iter().find(|(name, _)| *name == native).map_or(&[][..], |(_, names)| names);
        let own = std::iter::once(native).chain(aliases.iter().copied()).filter(|name| !mapped_from(self.source, name));
        let places = mapped.chain(own).filter_map(|name| self.index.get(name)).flatten().copied();
        let mut seen = BTreeSet::new();
        places.filter(|at| seen.insert(*at)).collect()
    }

    /// Uses all sources of a field as one value.
    ///
    /// An item has one parent: of the fields that a mapping names for it, the first with a value is used. The others keep
    /// their names.
    fn gather(&mut self, native: &'a str) -> Option<&Node<String>> {
        let mut sources = self.sources(native);
        if native == "parent" {
            let mapped = self.source.fields.get(native).map_or(&[][..], Vec::as_slice);
            let mut found = false;
            sources.retain(|at| {
                let (name, node) = &self.pairs[*at];
                let states = mapped.contains(name) && !mentions(node, &mut |_| {}).is_empty();
                let later = states && found;
                found |= states;
                !later
            });
        }
        self.used.extend(&sources);
        let mut nodes: Vec<&Node<String>> = sources.iter().map(|at| &self.pairs[*at].1).collect();
        let first = *nodes.first()?;
        nodes.retain(|node| !is_empty(node));
        let node = match nodes.as_slice() {
            [] => first.clone(),
            [one] => (*one).clone(),
            [one, ..] => Node { line: one.line, value: Value::List(nodes.iter().flat_map(|n| entries(n)).collect()) },
        };
        self.native.insert(native, node);
        self.native.get(native)
    }

    pub(super) fn gathered(&mut self, native: &'a str, unnamed_entry: &mut dyn FnMut(u32)) -> Vec<Mention<String>> {
        let mut found: Vec<Mention<String>> =
            self.gather(native).map(|node| mentions(node, unnamed_entry)).unwrap_or_default();
        let mut seen = BTreeSet::new();
        found.retain(|mention| seen.insert(mention.value.clone()));
        found
    }

    /// Uses the first source of a field that is not empty.
    fn first(&mut self, native: &'a str) {
        let sources = self.sources(native);
        let chosen = sources.iter().find(|at| !is_empty(&self.pairs[**at].1)).or(sources.first());
        if let Some(at) = chosen.copied() {
            self.used.insert(at);
            self.native.insert(native, self.pairs[at].1.clone());
            // Empty sources beside the chosen one need not be kept under their own name.
            let empty = sources.into_iter().filter(|at| is_empty(&self.pairs[*at].1));
            self.used.extend(empty);
        }
    }

    /// Maps the remaining fields to native names.
    pub(super) fn map_rest(&mut self) {
        for native in self.source.fields.keys() {
            let native = native.as_str();
            if native != "body" && !GATHERED.contains(&native) {
                self.first(native);
            }
        }
        for native in ["id", "stable_id", "title", "status", "issue"] {
            if !self.native.contains_key(native) {
                self.first(native);
            }
        }
    }

    pub(super) fn text(&self, native: &str) -> Option<String> {
        self.native.get(native).and_then(text_of)
    }

    /// Returns the values under a name, native or as in the file.
    pub(super) fn named<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Node<String>> + use<'s, 'a> {
        let unmapped = self.index.get(name).into_iter().flatten().map(|at| &self.pairs[*at].1);
        self.native.get(name).into_iter().chain(unmapped)
    }

    /// Returns every field except `body` under its final name, sorted.
    pub(super) fn finish(self) -> Vec<Field<String>> {
        let mut all: BTreeMap<String, Node<String>> =
            self.native.into_iter().map(|(name, node)| (name.to_owned(), node)).collect();
        for (at, (name, node)) in self.pairs.iter().enumerate() {
            if !self.used.contains(&at) && name != "body" {
                all.entry(name.clone()).or_insert_with(|| node.clone());
            }
        }
        all.into_iter().map(|(name, node)| Field { name, node }).collect()
    }
}

fn entries(node: &Node<String>) -> Vec<Node<String>> {
    match &node.value {
        Value::List(nodes) => nodes.clone(),
        _ => vec![node.clone()],
    }
}
