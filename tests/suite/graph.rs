//! The cases of `tests/cases/graph.yml` and `tests/cases/references.yml`, and what must hold for very many items.

use crate::sandbox::Sandbox;
use contextpack::internals::graph::{
    Corpus, Edge, Entry, FileLookup, FileRef, Graph, GraphRules, Identity, ItemReferences, ParsedText, RepoFiles,
    RootMatch, SourceRules, Target, Value,
};
use contextpack::internals::mentions::Markdown;
use contextpack::internals::model::{Diagnostic, Digest, Node, Relation, RepoPath};
use contextpack::internals::records::{Body, Field, FieldRelation, Item, Mention, Origin};
use contextpack::internals::redact::Clean;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ItemCase {
    id: String,
    file: String,
    title: String,
    status: Option<String>,
    issue: Option<String>,
    adrs: Vec<String>,
    docs: Vec<String>,
    fields: BTreeMap<String, Vec<String>>,
    body: String,
    body_file: Option<String>,
    /// Whether the body is a text inside JSON, in a record on line 7.
    in_json: bool,
    /// The text before and after a value in `ref`.
    reference: (String, String),
    prefixes: Vec<String>,
}

/// The items of a repo, and what the graph says of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GraphCase {
    name: String,
    /// `o/r` if it is absent; the configuration names none if it is empty.
    repo: Option<String>,
    adrs: Vec<String>,
    items: Vec<ItemCase>,
    edges: BTreeMap<String, Vec<String>>,
    neighbours: BTreeMap<String, Vec<String>>,
    states: BTreeMap<String, String>,
    roots: BTreeMap<String, String>,
    warnings: Vec<String>,
    /// The items that the warnings concern, in their order; empty if that is not checked. Such warnings have a help text.
    about: Vec<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct ReferenceCases {
    files: Vec<String>,
    adrs: Vec<String>,
    cases: Vec<ReferenceCase>,
}

#[derive(Debug, Default, Deserialize)]
struct ReferenceCase {
    #[serde(flatten)]
    item: ItemCase,
    repo: Option<String>,
    #[serde(default)]
    others: Vec<ItemCase>,
    found: Vec<String>,
}

fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn mentions(values: &[String], line: u32) -> Vec<Mention<Clean>> {
    values.iter().map(|value| Mention { value: clean(value), line }).collect()
}

fn relation(name: &str) -> Option<Relation> {
    Relation::ALL.into_iter().find(|relation| relation.name() == name)
}

impl ItemCase {
    fn new(id: &str, body: &str) -> Self {
        Self { id: id.to_owned(), body: body.to_owned(), ..Self::default() }
    }

    fn entry(&self) -> Arc<Entry> {
        let id = if self.id.is_empty() { "a" } else { &self.id };
        let file = if self.file.is_empty() { format!("w/{id}.md") } else { self.file.clone() };
        let origin = Origin { path: path(&file), shown: clean(&file), url: None };
        let body_path = self.body_file.as_deref().map_or(origin.path.clone(), path);
        let body_origin = Origin { path: body_path, ..origin.clone() };
        let line = if self.in_json { 7 } else { 10 };
        let text = clean(&self.body);
        let stated = self.fields.iter().filter_map(|(name, values)| Some((relation(name)?, mentions(values, 2))));
        let relations = stated
            .flat_map(|(relation, values)| values.into_iter().map(move |target| FieldRelation { relation, target }))
            .collect();
        let others = self.fields.iter().filter(|(name, _)| relation(name).is_none());
        let fields = others.flat_map(|(name, values)| {
            values.iter().map(|value| {
                let value = Value::Scalar { text: clean(value), plain: true };
                Field { name: clean(name), node: Node { line: 6, value } }
            })
        });
        let item = Item {
            id: clean(id),
            origin,
            line: 1,
            source: 0,
            title: clean(if self.title.is_empty() { "A title" } else { &self.title }),
            status: self.status.as_deref().map(clean),
            body: Body { origin: body_origin, line, in_file: !self.in_json, text: text.clone() },
            fields: fields.collect(),
            relations,
            issue: self.issue.as_deref().map(|issue| Mention { value: clean(issue), line: 3 }),
            adrs: mentions(&self.adrs, 4),
            docs: mentions(&self.docs, 5),
            head: Clean::default(),
            no_pack: false,
            untrusted: false,
            comments: Vec::new(),
        };
        let markdown = Arc::new(Markdown::read(&text));
        Arc::new(Entry {
            item,
            body: ParsedText { clean: text, markdown, folds: Vec::new() },
            comments: Vec::new(),
            removals: Vec::new(),
            digest: Digest::of(id),
            rules: Arc::new(SourceRules { reference: self.reference.clone(), prefixes: self.prefixes.clone() }),
            issue: None,
            draft: None,
            untrusted_file: false,
            damage: None,
            identity: Identity::default(),
        })
    }
}

fn corpus(items: &[ItemCase], repo: Option<&str>, adrs: &[String]) -> (Corpus, Vec<Diagnostic>) {
    let statuses = |all: &[&str]| all.iter().map(|status| (*status).to_owned()).collect();
    let rules = GraphRules {
        repo: Some(repo.unwrap_or("o/r")).filter(|repo| !repo.is_empty()).map(clean),
        host: clean("github.com"),
        done: statuses(&["done", "closed"]),
        not_planned: statuses(&["wont fix", "superseded", "not planned", "tombstone"]),
        boilerplate: ["LICENSE", "LICENSE.md", "src/license.go"].map(|file| (path(file), clean(file))).to_vec(),
        adrs: adrs.iter().map(|adr| path(adr)).collect(),
        sources: Vec::new(),
    };
    Corpus::new(items.iter().map(ItemCase::entry).collect(), rules, &|_| true)
}

fn lookup<'a>(files: &'a RepoFiles<'a>) -> FileLookup<'a> {
    let denied = &|path: &RepoPath| {
        let name = path.name();
        name.starts_with(".env") && name != ".env.example" || name.starts_with("secrets.") && name != "secrets.rst"
    };
    FileLookup { files, tracked: files, denied, generated: &|path| path.is_under("packs") }
}

fn shown<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<String> {
    let at = |d: &Diagnostic| d.at.as_ref().map(ToString::to_string).unwrap_or_default();
    diagnostics.into_iter().map(|d| format!("{} {}: {}", at(d), d.code, d.message)).collect()
}

fn written<'e>(corpus: &Corpus, edges: impl IntoIterator<Item = &'e Edge>) -> Vec<String> {
    let edge = |edge: &Edge| {
        let (to, url) = match &edge.to {
            Target::Item(item) => (&corpus.entries[*item].item.id, String::new()),
            Target::Issue { id, url, .. } => (id, format!(" {url}")),
        };
        format!("{} {to} {} {}{url}", edge.relation.name(), edge.evidence.source.name(), edge.evidence.at)
    };
    edges.into_iter().map(edge).collect()
}

fn found(case: &GraphCase) -> GraphCase {
    let (corpus, mut diagnostics) = corpus(&case.items, case.repo.as_deref(), &case.adrs);
    let graph = Graph::build(&corpus);
    diagnostics.extend(graph.diagnostics().to_vec());
    let id = |item: usize| corpus.entries[item].item.id.to_string();
    let root = |root: &String| match graph.find(&corpus, root) {
        RootMatch::Item(item) => id(item),
        RootMatch::Several(items) => items.into_iter().map(id).collect::<Vec<_>>().join(" "),
        RootMatch::Issue(issue) => format!("{}#{}", issue.repo, issue.number),
        RootMatch::Nothing => "-".to_owned(),
    };
    let at = |id: &String| graph.item_with_id(id).unwrap();
    GraphCase {
        edges: case.edges.keys().map(|id| (id.clone(), written(&corpus, graph.edges(at(id))))).collect(),
        neighbours: case.neighbours.keys().map(|id| (id.clone(), written(&corpus, graph.neighbours(at(id))))).collect(),
        states: case.states.keys().map(|id| (id.clone(), Graph::state(&corpus, at(id)).name().to_owned())).collect(),
        roots: case.roots.keys().map(|written| (written.clone(), root(written))).collect(),
        warnings: shown(&diagnostics),
        about: diagnostics.iter().filter(|it| it.help.is_some()).map(|it| it.about.clone()).collect(),
        ..GraphCase::default()
    }
}

/// Returns the files as `kind path#anchor@commit lines`, the missing ones as `kind reference reason`, and the warnings.
fn referred(found: &ItemReferences) -> Vec<String> {
    let file = |file: &FileRef| {
        let anchor = file.anchor.as_ref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
        let commit = file.commit.as_ref().map(|commit| format!("@{commit}")).unwrap_or_default();
        let lines = file.lines.map(|lines| format!(" {}-{}", lines.first, lines.last)).unwrap_or_default();
        format!("{:?} {}{anchor}{commit}{lines}", file.kind, file.path)
    };
    let missing =
        found.missing.iter().map(|missing| format!("{:?} {} {}", missing.kind, missing.written, missing.reason));
    found.files.iter().map(file).chain(missing).chain(shown(&found.diagnostics)).collect()
}

#[test]
fn edges_states_roots_and_warnings_are_those_of_the_cases() {
    let cases: Vec<GraphCase> = serde_yaml::from_str(include_str!("../cases/graph.yml")).unwrap();
    for case in cases {
        let found = found(&case);
        let parts = |it: &GraphCase| format!("{:#?}", (&it.edges, &it.neighbours, &it.states, &it.roots, &it.warnings));
        assert_eq!(parts(&found), parts(&case), "{}", case.name);
        assert!(case.about.is_empty() || found.about == case.about, "{}: {:?}", case.name, found.about);
        let reversed = GraphCase { items: case.items.into_iter().rev().collect(), ..case };
        if !reversed.warnings.iter().any(|warning| warning.contains("duplicate-id")) {
            assert_eq!(self::found(&reversed).edges, reversed.edges, "{} in another order", reversed.name);
        }
    }
}

#[test]
fn references_are_those_of_the_cases() {
    let all: ReferenceCases = serde_yaml::from_str(include_str!("../cases/references.yml")).unwrap();
    let mut paths: Vec<RepoPath> = all.files.iter().map(|file| path(file)).collect();
    paths.sort();
    let files = RepoFiles::new(&paths);
    let mut wrong = Vec::new();
    for ReferenceCase { item, repo, others, found } in all.cases {
        let written = format!("{item:?}");
        let items: Vec<ItemCase> = [item].into_iter().chain(others).collect();
        let (corpus, _) = corpus(&items, repo.as_deref(), &all.adrs);
        let graph = Graph::build(&corpus);
        let item = graph.item_with_id(if items[0].id.is_empty() { "a" } else { &items[0].id }).unwrap();
        let references = graph.references(&corpus, item, &lookup(&files));
        let referred = referred(&references);
        if referred != found {
            wrong.push((written, found, referred));
        }
    }
    assert!(wrong.is_empty(), "item, expected, found: {wrong:#?}");
}

/// Returns the number of files and of missing references of an item with this text, in a repo of these files.
fn counted(body: &str, files: &[RepoPath]) -> (usize, usize) {
    let (corpus, _) = corpus(&[ItemCase::new("a", body)], None, &[]);
    let found = Graph::build(&corpus).references(&corpus, 0, &lookup(&RepoFiles::new(files)));
    assert!(found.missing.iter().all(|missing| missing.written.len() <= 200));
    (found.files.len(), found.missing.len())
}

#[test]
fn of_very_many_references_the_first_count() {
    let code: Vec<RepoPath> = (0..130).map(|n| path(&format!("src/f{n:03}.go"))).collect();
    let text: String = code.iter().map(|path| format!("{path}\n")).collect();
    assert_eq!(counted(&text, &code), (100, 30));
    let parts = |count: usize| (0..count).map(|n| format!("[x](guide.md#part-{n}) ")).collect::<String>();
    let guide = [path("guide.md")];
    assert_eq!((counted(&parts(50), &guide), counted(&parts(51), &guide)), ((50, 0), (1, 0)));
    let text: String = (0..130).map(|n| format!("[x](docs/gone-{n}.md)\n")).collect();
    let (corpus, _) = corpus(&[ItemCase::new("a", &text)], None, &[]);
    let found = Graph::build(&corpus).references(&corpus, 0, &lookup(&RepoFiles::new(&[])));
    assert_eq!((found.missing.len(), &*found.missing[100].written), (101, "30 more: not_in_repo"));
    assert!(shown(&found.diagnostics)[100].ends_with("30 more of these, from here on"));
}

#[test]
fn very_many_items_and_references_take_linear_time() {
    let began = Instant::now();
    let many = |n: usize| {
        let fields = [("parent", "p"), ("related", "w/")].map(|(name, to)| (name.to_owned(), vec![to.to_owned()]));
        ItemCase { fields: fields.into(), ..ItemCase::new(&format!("t-{n}"), "") }
    };
    let mut items: Vec<ItemCase> = (0..50_000).map(many).collect();
    items.push(ItemCase { file: "p.md".to_owned(), ..ItemCase::new("p", "") });
    let (corpus, _) = corpus(&items, None, &[]);
    assert_eq!(Graph::build(&corpus).edges(0).len(), 50_000);
    let paths: Vec<RepoPath> = (0..20_000).map(|n| path(&format!("d{n:06}/index.js"))).collect();
    let text: String = (0..20_000).map(|n| format!("x{n}/index.js:{n} index.js:1 d{n:06}/index.js\n")).collect();
    // The first hundred of those beyond the limit and of those that are not there, their counts, and the name that very many
    // files have.
    assert_eq!(counted(&text, &paths), (100, 203));
    let links: String = (0..100_000).map(|n| format!("[x](x{n}.md) ")).collect();
    assert_eq!(counted(&format!("{links}[x]({})", "a/".repeat(500_000)), &[]), (0, 101));
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn of_equals_those_that_the_roots_text_mentions_leave_last() {
    let long = "A sentence of some length. ".repeat(40);
    let item = |id: &str, body: &str| format!("---\nid: {id}\ntitle: {id}\n---\n\n{body}\n");
    let root = "---\nid: t-1\ntitle: A\ndepends_on: [t-2, t-3]\n---\n\nBegin with t-3.\n";
    let budget = "profiles: {coding: {budget: {max_chars: 4200, strategy: drop_low_priority}}}\n";
    let sandbox = Sandbox::configured(&[
        ("work_items/1.md", root),
        ("work_items/2.md", &item("t-2", &long)),
        ("work_items/3.md", &item("t-3", &long)),
        ("contextpack.yml", budget),
    ]);
    let pack = sandbox.expect(0, &["render", "t-1"]);
    let has = |id: &str| pack.contains(&format!("<section id=\"dependency.{id}\""));
    assert_eq!([has("t-2"), has("t-3")], [false, true], "{pack}");
}

#[test]
fn a_text_names_an_item_with_a_hyphen_of_any_kind() {
    let sandbox = Sandbox::new();
    sandbox.write("work_items/b.md", "---\nid: alpha-beta\ntitle: Other\n---\nIts text.\n");
    for text in ["see alpha-beta", "- see alpha\u{2011}beta", "# see alpha\u{2013}beta", "See alpha\u{2010}beta."] {
        sandbox.write("work_items/a.md", format!("---\nid: task\ntitle: A\n---\n\n{text}\n"));
        sandbox.commit();
        let run = sandbox.run(&["render", "task"]);
        assert!(run.stdout.contains("id=\"related.alpha-beta\""), "{text}: {run:?}");
    }
}
