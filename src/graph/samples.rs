//! Handmade records for the tests of this module.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::{Corpus, Entry, Field, Graph, GraphRules, Identity, Node, ParsedText, SourceRules, Value};
use crate::mentions::{BodyRelation, Markdown, NameForm, Reference, ReferenceForm, Via};
use crate::model::{Diagnostic, Digest, Relation, RepoPath};
use crate::records::{Body, FieldRelation, Item, Mention, Origin};
use crate::redact::Clean;
use std::sync::Arc;

pub(super) fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

pub(super) fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn mention(value: &str, line: u32) -> Mention<Clean> {
    Mention { value: clean(value), line }
}

/// Returns a file of front matter above a body that begins on line 10.
pub(super) fn item(id: &str, file: &str) -> Entry {
    let origin = Origin { path: path(file), shown: clean(file), url: None };
    let item = Item {
        id: clean(id),
        origin: origin.clone(),
        line: 1,
        source: 0,
        title: clean("A title"),
        status: None,
        body: Body { origin, line: 10, in_file: true, text: Clean::default() },
        fields: Vec::new(),
        relations: Vec::new(),
        issue: None,
        adrs: Vec::new(),
        docs: Vec::new(),
        head: Clean::default(),
        no_pack: false,
    };
    let body = ParsedText { clean: Clean::default(), markdown: Arc::new(Markdown::default()), folds: Vec::new() };
    Entry {
        item,
        body,
        removals: Vec::new(),
        digest: Digest::of(id),
        rules: Arc::new(SourceRules::default()),
        issue: None,
        draft: None,
        untrusted_file: false,
        damage: None,
        identity: Identity::default(),
    }
}

impl Entry {
    /// Adds a relation stated in a field on line 2 of the file.
    pub(super) fn field(mut self, relation: Relation, target: &str) -> Self {
        self.item.relations.push(FieldRelation { relation, target: mention(target, 2) });
        self
    }

    /// Returns a line of the body, which becomes part of its text.
    pub(super) fn says(mut self, relation: Relation, target: &str, via: Via) -> Self {
        let line = self.add_line(target);
        let markdown = Arc::make_mut(&mut self.body.markdown);
        let form = NameForm::Usual;
        markdown.mentions.relations.push(BodyRelation { relation, target: target.to_owned(), form, line, via });
        self
    }

    pub(super) fn refers(mut self, form: ReferenceForm, target: &str) -> Self {
        let line = self.add_line(&format!("see ADR-{target}"));
        let lines = crate::mentions::lines_of_target(target);
        let target = target.to_owned();
        let reference = Reference { target, form, line, lines, foreign: None, link: None, part: false };
        Arc::make_mut(&mut self.body.markdown).mentions.references.push(reference);
        self
    }

    /// Adds `[ADR n](link)`: the reference of the number, and that of the link.
    pub(super) fn links_number(self, number: &str, link: &str) -> Self {
        let mut entry = self.refers(ReferenceForm::AdrNumber, number).refers(ReferenceForm::Link, link);
        let references = &mut Arc::make_mut(&mut entry.body.markdown).mentions.references;
        let at = references.len() - 2;
        references[at].link = Some(link.to_owned());
        entry
    }

    pub(super) fn foreign(mut self, repo: &str) -> Self {
        let references = &mut Arc::make_mut(&mut self.body.markdown).mentions.references;
        references.last_mut().unwrap().foreign = Some(repo.to_owned());
        self
    }

    fn add_line(&mut self, line: &str) -> u32 {
        let text = format!("{}{line}\n", self.body.clean);
        self.body.clean = clean(&text);
        self.item.body.text = self.body.clean.clone();
        u32::try_from(text.lines().count()).unwrap()
    }

    pub(super) fn issue(mut self, issue: &str) -> Self {
        self.item.issue = Some(mention(issue, 3));
        self
    }

    pub(super) fn status(mut self, status: &str) -> Self {
        self.item.status = Some(clean(status));
        self
    }

    pub(super) fn title(mut self, title: &str) -> Self {
        self.item.title = clean(title);
        self
    }

    pub(super) fn adr(mut self, value: &str) -> Self {
        self.item.adrs.push(mention(value, 4));
        self
    }

    pub(super) fn doc(mut self, value: &str) -> Self {
        self.item.docs.push(mention(value, 5));
        self
    }

    /// Returns a field of the item's own, on line 6.
    pub(super) fn text(mut self, name: &str, value: &str) -> Self {
        let value = Value::Scalar { text: clean(value), plain: true };
        self.item.fields.push(Field { name: clean(name), node: Node { line: 6, value } });
        self
    }

    pub(super) fn source(mut self, reference: (&str, &str), prefixes: &[&str]) -> Self {
        self.rules = Arc::new(SourceRules {
            reference: (reference.0.to_owned(), reference.1.to_owned()),
            prefixes: prefixes.iter().map(|&prefix| prefix.to_owned()).collect(),
        });
        self
    }
}

/// Returns a corpus with these items and ADRs.
pub(super) fn corpus_with(entries: Vec<Entry>, repo: Option<&str>, adrs: &[&str]) -> Corpus {
    let rules = GraphRules {
        repo: repo.map(clean),
        host: clean("github.com"),
        done: vec!["done".to_owned(), "closed".to_owned()],
        not_planned: ["wont do", "wont fix", "superseded", "cancelled", "not planned", "tombstone"]
            .map(str::to_owned)
            .to_vec(),
        boilerplate: ["LICENSE", "LICENSE.md", "src/license.go"].map(|file| (path(file), clean(file))).to_vec(),
        adrs: adrs.iter().map(|adr| path(adr)).collect(),
    };
    Corpus::new(entries.into_iter().map(Arc::new).collect(), rules).0
}

pub(super) fn corpus(entries: Vec<Entry>) -> Corpus {
    corpus_with(entries, Some("o/r"), &[])
}

/// Returns the edges of an item as `relation id source at`.
pub(super) fn edges(corpus: &Corpus, graph: &Graph, id: &str) -> Vec<String> {
    let item = corpus.entries.iter().position(|entry| &*entry.item.id == id).unwrap();
    graph.edges(item).iter().map(|edge| show(corpus, edge)).collect()
}

pub(super) fn show(corpus: &Corpus, edge: &super::Edge) -> String {
    let to = match &edge.to {
        super::Target::Item(item) => &corpus.entries[*item].item.id,
        super::Target::Issue { id, .. } => id,
    };
    format!("{} {to} {:?} {}", edge.relation.name(), edge.evidence.source, edge.evidence.at)
}

/// Returns diagnostics as `path:line code: message`.
pub(super) fn messages(diagnostics: &[Diagnostic]) -> Vec<String> {
    let at = |d: &Diagnostic| d.at.as_ref().map(ToString::to_string).unwrap_or_default();
    diagnostics.iter().map(|d| format!("{} {}: {}", at(d), d.code, d.message)).collect()
}
