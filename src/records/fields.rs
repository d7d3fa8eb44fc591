//! Fields of a record on their way from their names to ours.

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

/// Fields that take all of their sources rather than the first that is not empty.
pub(super) const GATHERED: [&str; 8] =
    ["parent", "children", "depends_on", "blocked_by", "blocks", "related", "adrs", "docs"];

/// Fields that mean the same without being mapped.
const ALIASES: [(&str, &[&str]); 3] =
    [("parent", &["parent_url"]), ("children", &["children_urls"]), ("adrs", &["adr_links", "adr_link", "adr"])];

/// Whether one of our fields takes its value from this name of theirs.
pub(super) fn mapped_from(source: &ItemSource, theirs: &str) -> bool {
    source.fields.values().flatten().any(|name| name == theirs)
}

/// Lifts the relations inside `relationships` to fields of their own; what else it holds stays.
pub(super) fn hoist(pairs: &mut Vec<(String, Node<String>)>) {
    let Some(at) = pairs.iter().position(|(name, _)| name == "relationships") else {
        return;
    };
    let Value::Map(inner) = &mut pairs[at].1.value else {
        return;
    };
    let known =
        |name: &str| RELATIONS.iter().any(|(ours, _)| *ours == name) || matches!(name, "parent_url" | "children_urls");
    let (lifted, rest): (Vec<_>, Vec<_>) = std::mem::take(inner).into_iter().partition(|(name, _)| known(name));
    *inner = rest;
    if is_empty(&pairs[at].1) {
        pairs.remove(at);
    }
    pairs.extend(lifted);
}

/// The fields of a record while they are given our names.
pub(super) struct Fields<'a> {
    pub(super) pairs: &'a [(String, Node<String>)],
    pub(super) index: BTreeMap<&'a str, Vec<usize>>,
    source: &'a ItemSource,
    /// What stands under our names so far.
    pub(super) ours: BTreeMap<&'a str, Node<String>>,
    /// Indices into `pairs` that stand under one of our names.
    pub(super) taken: BTreeSet<usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(pairs: &'a [(String, Node<String>)], source: &'a ItemSource) -> Self {
        let mut index: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (name, _)) in pairs.iter().enumerate() {
            index.entry(name).or_default().push(at);
        }
        Self { pairs, index, source, ours: BTreeMap::new(), taken: BTreeSet::new() }
    }

    /// Where the sources of one of our fields stand: the mapped names in order, then our own name
    /// and its aliases unless they were mapped to something else.
    pub(super) fn sources(&self, ours: &'a str) -> Vec<usize> {
        let mapped = self.source.fields.get(ours).into_iter().flatten().map(String::as_str);
        let aliases = ALIASES.iter().find(|(name, _)| *name == ours).map_or(&[][..], |(_, names)| names);
        let own = std::iter::once(ours).chain(aliases.iter().copied()).filter(|name| !mapped_from(self.source, name));
        let places = mapped.chain(own).filter_map(|name| self.index.get(name)).flatten().copied();
        let mut seen = BTreeSet::new();
        places.filter(|at| seen.insert(*at)).collect()
    }

    /// Takes all sources of a field as one value.
    fn gather(&mut self, ours: &'a str) -> Option<&Node<String>> {
        let sources = self.sources(ours);
        self.taken.extend(&sources);
        let mut nodes: Vec<&Node<String>> = sources.iter().map(|at| &self.pairs[*at].1).collect();
        let first = *nodes.first()?;
        nodes.retain(|node| !is_empty(node));
        let node = match nodes.as_slice() {
            [] => first.clone(),
            [one] => (*one).clone(),
            [one, ..] => Node { line: one.line, value: Value::List(nodes.iter().flat_map(|n| entries(n)).collect()) },
        };
        self.ours.insert(ours, node);
        self.ours.get(ours)
    }

    pub(super) fn gathered(&mut self, ours: &'a str, odd: &mut dyn FnMut(u32)) -> Vec<Mention<String>> {
        let mut found: Vec<Mention<String>> = self.gather(ours).map(|node| mentions(node, odd)).unwrap_or_default();
        let mut seen = BTreeSet::new();
        found.retain(|mention| seen.insert(mention.value.clone()));
        found
    }

    /// Takes the first source of a field that is not empty.
    fn first(&mut self, ours: &'a str) {
        let sources = self.sources(ours);
        let chosen = sources.iter().find(|at| !is_empty(&self.pairs[**at].1)).or(sources.first());
        if let Some(at) = chosen.copied() {
            self.taken.insert(at);
            self.ours.insert(ours, self.pairs[at].1.clone());
            // Empty sources beside the chosen one say nothing that could be lost.
            let empty = sources.into_iter().filter(|at| is_empty(&self.pairs[*at].1));
            self.taken.extend(empty);
        }
    }

    /// Gives the other mapped fields our names.
    pub(super) fn map_rest(&mut self) {
        for ours in self.source.fields.keys() {
            let ours = ours.as_str();
            if ours != "body" && !GATHERED.contains(&ours) {
                self.first(ours);
            }
        }
        for ours in ["id", "stable_id", "title", "status", "issue"] {
            if !self.ours.contains_key(ours) {
                self.first(ours);
            }
        }
    }

    pub(super) fn text(&self, ours: &str) -> Option<String> {
        self.ours.get(ours).and_then(text_of)
    }

    /// The values under a name, be it ours or theirs.
    pub(super) fn named<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Node<String>> + use<'s, 'a> {
        let theirs = self.index.get(name).into_iter().flatten().map(|at| &self.pairs[*at].1);
        self.ours.get(name).into_iter().chain(theirs)
    }

    /// Every field under its final name, sorted; `body` is none.
    pub(super) fn finish(self) -> Vec<Field<String>> {
        let mut all: BTreeMap<String, Node<String>> =
            self.ours.into_iter().map(|(name, node)| (name.to_owned(), node)).collect();
        for (at, (name, node)) in self.pairs.iter().enumerate() {
            if !self.taken.contains(&at) && name != "body" {
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

#[cfg(test)]
mod tests {
    use crate::config::EdgeMap;
    use crate::model::Relation::{self, BlockedBy, Blocks, Child, DependsOn, Parent, Related};
    use crate::model::Value;
    use crate::records::item::Item;
    use crate::records::samples::{mapped, names, only, read, source, values};

    fn relations(item: &Item<String>) -> Vec<(Relation, &str, u32)> {
        item.relations.iter().map(|s| (s.relation, s.target.value.as_str(), s.target.line)).collect()
    }

    #[test]
    fn values_of_relations_are_taken_apart_with_their_lines() {
        let item = only(
            &source(),
            "parent: 100.13\ndepends_on: 1559, 0012\nblocked_by:\n  - '#4'\n  - o/r#5, GH-6 # why\nblocks: [[TASK-1]]\nrelated:\n  - id: x\n    type: y\n  - ref: z\n",
        );
        assert_eq!(
            relations(&item),
            [
                (Parent, "100.13", 2),
                (DependsOn, "1559", 3),
                (DependsOn, "0012", 3),
                (BlockedBy, "#4", 5),
                (BlockedBy, "o/r#5", 6),
                (BlockedBy, "GH-6", 6),
                (Blocks, "TASK-1", 7),
                (Related, "x", 9),
                (Related, "z", 11),
            ]
        );
    }

    #[test]
    fn empty_answers_are_no_relation() {
        for nothing in [
            "n/a",
            "None",
            "TBD",
            "todo",
            "'-'",
            "_No response_",
            "No response",
            "''",
            "~",
            "[]",
            "[none]",
            "{}",
            "N/A.",
        ] {
            let item = only(
                &source(),
                &format!("depends_on: {nothing}\nadrs: {nothing}\ndocs: {nothing}\nissue: {nothing}\n"),
            );
            assert_eq!(
                (relations(&item), values(&item.adrs), values(&item.docs), item.issue.as_ref()),
                (vec![], vec![], vec![], None),
                "{nothing}"
            );
        }
    }

    #[test]
    fn an_object_without_a_known_key_is_said() {
        let parsed = read(&source(), "w/x.yml", "id: x\nrelated:\n  - {colour: red}\n");
        assert_eq!((parsed.diagnostics.len(), parsed.diagnostics[0].about.as_slice()), (1, &["x".to_owned()][..]));
    }

    #[test]
    fn mapped_fields_stand_under_our_name_and_others_under_their_own() {
        let source =
            mapped(&[("depends_on", &["requires", "needs"]), ("title", &["name", "title"]), ("type", &["issue_type"])]);
        let item = only(
            &source,
            "requires: 1\nneeds: [2, 1]\ndepends_on: 3\nname: ''\ntitle: T\nissue_type: bug\nlabels: [a]\n",
        );
        assert_eq!(relations(&item), [(DependsOn, "1", 2), (DependsOn, "2", 3), (DependsOn, "3", 4)]);
        assert_eq!((item.title.as_str(), names(&item)), ("T", vec!["depends_on", "labels", "title", "type"]));
        let Value::List(all) = &item.fields[0].node.value else { unreachable!() };
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn a_native_name_that_is_mapped_to_another_field_is_no_longer_itself() {
        let item = only(&mapped(&[("docs", &["related"])]), "related: [docs/a.md]\n");
        assert_eq!((relations(&item), values(&item.docs), names(&item)), (vec![], vec!["docs/a.md"], vec!["docs"]));
    }

    #[test]
    fn texts_that_were_not_chosen_stay_under_their_own_name() {
        let item = only(&mapped(&[("title", &["name", "summary"])]), "name: A\nsummary: B\n");
        assert_eq!((item.title.as_str(), names(&item)), ("A", vec!["summary", "title"]));
    }

    #[test]
    fn the_map_of_relationships_is_read_and_so_are_adr_links() {
        let item = only(
            &source(),
            "relationships:\n  parent_url: https://github.com/o/r/issues/1\n  children_urls: ['#2']\n  depends_on: [a]\n  blocks: []\n  note: x\nadr_links: [docs/adr/1.md, n/a]\n",
        );
        assert_eq!(
            relations(&item),
            [(Parent, "https://github.com/o/r/issues/1", 3), (Child, "#2", 4), (DependsOn, "a", 5)]
        );
        assert_eq!(values(&item.adrs), ["docs/adr/1.md"]);
        assert_eq!(names(&item), ["adrs", "blocks", "children", "depends_on", "parent", "relationships"]);
    }

    #[test]
    fn edges_of_named_types_are_relations_and_others_are_none() {
        let mut source = mapped(&[("body", &["description", "body"])]);
        source.edges = Some(EdgeMap {
            field: "dependencies".to_owned(),
            to: "depends_on_id".to_owned(),
            kind: "type".to_owned(),
            types: [("blocks".to_owned(), DependsOn), ("parent-child".to_owned(), Parent)].into(),
        });
        let line = r#"{"id":"bd-1","description":"Text","dependencies":[{"depends_on_id":"bd-2","type":"blocks"},{"depends_on_id":"bd-3","type":"parent-child"},{"depends_on_id":"bd-4","type":"discovered-from"}]}"#;
        let item = read(&source, "i.jsonl", line).items.remove(0);
        assert_eq!(relations(&item), [(DependsOn, "bd-2", 1), (Parent, "bd-3", 1)]);
        assert_eq!((item.body.text.as_str(), names(&item)), ("Text", vec!["dependencies", "id"]));
    }
}
