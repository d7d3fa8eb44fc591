//! The mapping of a record's fields from the names in its file to native names, and what their values say.

use crate::config::ItemSource;
use crate::model::{Node, Relation, Value, WordLists, is_document_name};
use crate::records::item::{Field, Mention};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The fields of a record by name, in the order of the file.
pub(super) type FieldPairs = Vec<(String, Node<String>)>;

pub(super) static NAMES: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("fields.txt")));

pub(super) fn relation_of(field: &str) -> Option<Relation> {
    let at = NAMES.of("relations").iter().position(|name| *name == field)?;
    Relation::ALL.get(at).copied()
}

/// Puts its name in the place of each object among the values of a field of texts.
pub(super) fn name_objects(pairs: &mut [(String, Node<String>)], source: &ItemSource) {
    for (name, node) in pairs {
        let is_text = |native: &str| NAMES.has("texts", native);
        let is_mapped = || source.fields.iter().any(|(native, theirs)| is_text(native) && theirs.contains(name));
        if is_text(name) || is_mapped() {
            name_object(node);
        }
    }
}

/// Returns the words of a title as the name of a field: `Estimate (hrs)` → `estimate_hrs`.
pub(super) fn words_as_name(title: &str) -> String {
    let words: Vec<String> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("_")
}

/// Returns what a name leads to: a field, or with dots a value inside an object (`state.name`), of each object of a list.
pub(super) fn inner(pairs: &[(String, Node<String>)], name: &str) -> Option<Node<String>> {
    if let Some((_, node)) = pairs.iter().find(|(known, _)| known == name) {
        return Some(node.clone());
    }
    let (first, rest) = name.split_once('.')?;
    let (_, node) = pairs.iter().find(|(known, _)| known == first)?;
    match &node.value {
        Value::Map(pairs) => inner(pairs, rest),
        Value::List(nodes) => {
            let of = |node: &Node<String>| match &node.value {
                Value::Map(pairs) => inner(pairs, rest),
                _ => None,
            };
            let found: Vec<Node<String>> = nodes.iter().filter_map(of).collect();
            (!found.is_empty()).then_some(Node { line: node.line, value: Value::List(found) })
        }
        Value::Null | Value::Scalar { .. } => None,
    }
}

/// Adds the names of fields, and the mapped ones that lead into objects.
pub(super) fn add_names(pairs: &[(String, Node<String>)], source: &ItemSource, names: &mut BTreeSet<String>) {
    // Only a mapping asks which names there are.
    if source.fields.is_empty() {
        return;
    }
    let mapped = source.fields.values().flat_map(|names| names.iter());
    let reached = mapped.filter(|name| name.contains('.') && inner(pairs, name).is_some());
    for name in pairs.iter().map(|(name, _)| name).chain(reached) {
        if !names.contains(name) {
            names.insert(name.clone());
        }
    }
}

/// Adds a field for each mapped name that leads into an object.
pub(super) fn reach_into_objects(pairs: &mut Vec<(String, Node<String>)>, source: &ItemSource) {
    for name in source.fields.values().flat_map(|names| names.iter()).filter(|name| name.contains('.')) {
        let is_new = pairs.iter().all(|(known, _)| known != name);
        if let Some(node) = inner(pairs, name).filter(|_| is_new) {
            pairs.push((name.clone(), node));
        }
    }
}

fn name_object(node: &mut Node<String>) {
    match &mut node.value {
        Value::List(nodes) => nodes.iter_mut().for_each(name_object),
        Value::Map(pairs) => {
            let named = |key: &&str| pairs.iter().find(|(name, node)| name == key && text_of(node).is_some());
            if let Some((_, name)) = NAMES.of("names").iter().find_map(named)
                && matches!(name.value, Value::Scalar { .. })
            {
                node.value = name.value.clone();
            }
        }
        Value::Null | Value::Scalar { .. } => {}
    }
}

/// Returns whether the source maps a native field, or the edges of its items, to the field `name` of its files.
pub(super) fn mapped_from(source: &ItemSource, name: &str) -> bool {
    let has_edges = source.edges.as_ref().is_some_and(|edges| edges.field == name);
    has_edges || source.fields.values().any(|names| names.iter().any(|mapped| mapped == name))
}

/// Moves the relations inside `relationships` to fields of their own; its other entries stay.
pub(super) fn lift_relationships(pairs: &mut Vec<(String, Node<String>)>) {
    let Some(at) = pairs.iter().position(|(name, _)| name == "relationships") else {
        return;
    };
    let Value::Map(inner) = &mut pairs[at].1.value else {
        return;
    };
    let is_lifted = |(name, _): &(String, Node<String>)| NAMES.has("lifted", name);
    let (lifted, rest): (Vec<_>, Vec<_>) = std::mem::take(inner).into_iter().partition(is_lifted);
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
        let mapped = self.source.fields.get(native).into_iter().flat_map(|names| names.iter().map(String::as_str));
        let aliases = NAMES.of(native).iter().copied();
        let own = std::iter::once(native).chain(aliases).filter(|name| !mapped_from(self.source, name));
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
            let mapped = self.source.fields.get(native).map_or(&[][..], |names| names.as_slice());
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

    pub(super) fn map_rest(&mut self) {
        for native in self.source.fields.keys() {
            let native = native.as_str();
            if native != "body" && !NAMES.has("gathered", native) {
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

    /// Returns what a name with dots leads to.
    pub(super) fn inner(&self, name: &str) -> Option<Node<String>> {
        inner(self.pairs, name)
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

/// Returns whether an answer means that there is nothing.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_matches(['_', '*', '`']).trim_end_matches('.').trim();
    text.is_empty() || NAMES.of("nothing").iter().any(|word| text.eq_ignore_ascii_case(word))
}

pub(super) fn is_empty(node: &Node<String>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Scalar { text, .. } => text.trim().is_empty(),
        Value::List(nodes) => nodes.is_empty(),
        Value::Map(pairs) => pairs.is_empty(),
    }
}

/// Returns the value as one text: a scalar, a list of scalars joined, or the only key of `{accepted}`.
pub(super) fn text_of(node: &Node<String>) -> Option<String> {
    let text = match &node.value {
        Value::Null => return None,
        Value::Scalar { text, .. } => text.trim().to_owned(),
        Value::List(_) => scalars(node).into_iter().map(str::trim).collect::<Vec<_>>().join(", "),
        Value::Map(pairs) => {
            let keys: Vec<&str> =
                pairs.iter().map_while(|(key, node)| (node.value == Value::Null).then_some(key.trim())).collect();
            if keys.len() < pairs.len() {
                return None;
            }
            keys.join(", ")
        }
    };
    (!text.is_empty()).then_some(text)
}

/// Returns every scalar of a value that is a scalar or a list, as written.
pub(super) fn scalars(node: &Node<String>) -> Vec<&str> {
    match &node.value {
        Value::Scalar { text, .. } => vec![text],
        Value::List(nodes) => nodes
            .iter()
            .filter_map(|node| match &node.value {
                Value::Scalar { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect(),
        Value::Null | Value::Map(_) => Vec::new(),
    }
}

/// Returns the targets that a value names: lists and comma-separated texts are split, empty answers left out.
///
/// `unnamed` receives the lines of entries that name nothing: objects without a known key.
pub(super) fn mentions(node: &Node<String>, unnamed: &mut dyn FnMut(u32)) -> Vec<Mention<String>> {
    let mut found = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match &node.value {
            Value::Null => {}
            Value::Scalar { text, .. } => split_values(text, node.line, &mut found),
            Value::List(nodes) => todo.extend(nodes.iter().rev()),
            Value::Map(pairs) => {
                let named = NAMES
                    .of("targets")
                    .iter()
                    .find_map(|key| pairs.iter().find(|(name, node)| name == key && !is_empty(node)));
                match (named, text_of(node)) {
                    (Some((_, target)), _) => todo.push(target),
                    (None, Some(text)) => split_values(&text, node.line, &mut found),
                    (None, None) => unnamed(node.line),
                }
            }
        }
    }
    found
}

fn split_values(text: &str, line: u32, found: &mut Vec<Mention<String>>) {
    let whole = text.trim();
    // A comma without a space may be part of a file name: `a,b.md` is one document.
    let parts = if whole.contains(',') && is_document_name(whole) && !whole.contains(", ") {
        vec![whole]
    } else {
        whole.split([',', '\n']).collect()
    };
    for part in parts {
        let mut part = part.trim();
        part = part.strip_prefix("- ").map_or(part, str::trim_start);
        if let Some(inner) = part.strip_prefix("[[").and_then(|part| part.strip_suffix("]]")) {
            part = inner.trim();
        }
        if !is_nothing(part) {
            found.push(Mention { value: part.to_owned(), line });
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    #[test]
    fn every_field_of_the_published_schema_is_known_described_and_optional() {
        let schema: serde_json::Value = serde_json::from_str(crate::records::WORK_ITEM_SCHEMA).unwrap();
        let fields = schema["properties"].as_object().cloned().unwrap();
        assert_eq!(fields.len(), 23);
        for (name, field) in fields {
            assert!(super::NAMES.has("known", &name), "{name}");
            assert!(field["description"].is_string() && field["type"].is_array(), "{name}");
        }
        assert!(schema.get("required").is_none() && schema.get("additionalProperties").is_none());
    }
}
