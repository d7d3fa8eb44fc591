//! The graph builder: every relation's value becomes candidate edges, or a warning.

use super::candidate::{CandidateEdge, EdgeTarget, ItemPart, MentionSite, strongest};
use super::checks::check;
use super::corpus::Corpus;
use super::edges::{Edge, EdgeSource, Graph, Target, Unresolved};
use super::files::is_listed;
use super::link::IssueRef;
use super::names::{NameIndex, claim};
use super::quote::{Quoter, one_line};
use super::resolve::{Resolution, Resolver};
use super::text::ParsedText;
use crate::mentions::{NameForm, Via};
use crate::model::{Code, Diagnostic, IssueReference, ItemState, Place, Relation};
use crate::records::Body;
use crate::redact::{Clean, CleanBuf};
use std::collections::{BTreeMap, HashMap};

struct RelationValue<'a, 'q> {
    relation: Relation,
    text: &'a str,
    source: EdgeSource,
    stated: MentionSite,
    form: NameForm,
    /// The text and the line of it where it stands.
    quotes: &'q Quoter<'q>,
    line: u32,
}

struct GraphBuilder<'a> {
    corpus: &'a Corpus,
    index: &'a NameIndex,
    candidates: Vec<CandidateEdge>,
    issues: Vec<Target>,
    known: HashMap<IssueRef, usize>,
    /// Issues that only the current untrusted text names: its spelling of them is used for its own item alone.
    named: HashMap<IssueRef, usize>,
    diagnostics: Vec<Diagnostic>,
    /// Items by their titles in lower case, made when first needed; `None` if several have one.
    titles: Option<HashMap<String, Option<usize>>>,
    /// The values, by their item, that resolve to neither an item nor an issue.
    unresolved: BTreeMap<usize, Vec<Unresolved>>,
}

impl<'a> GraphBuilder<'a> {
    fn read(corpus: &'a Corpus, index: &'a NameIndex) -> Self {
        let (candidates, issues, diagnostics) = (Vec::new(), Vec::new(), Vec::new());
        let (known, named, titles, unresolved) = (HashMap::new(), HashMap::new(), None, BTreeMap::new());
        let mut builder = Self { corpus, index, candidates, issues, known, named, diagnostics, titles, unresolved };
        (0..corpus.entries.len()).for_each(|item| builder.add_links(item));
        // Untrusted texts last, so that none of them decides the spelling of issues that others name as well.
        for is_untrusted in [false, true] {
            for (item, entry) in corpus.entries.iter().enumerate() {
                builder.named.clear();
                if ItemPart::Record.is_untrusted(entry) == is_untrusted {
                    builder.add_fields(item);
                }
                let draft = entry.draft.as_ref().map(|draft| (ItemPart::Draft, &draft.body, &draft.text));
                let texts = [(ItemPart::Body, &entry.item.body, &entry.body)].into_iter().chain(draft);
                for (part, body, text) in texts.filter(|(part, ..)| part.is_untrusted(entry) == is_untrusted) {
                    builder.add_text(item, part, body, text);
                }
            }
        }
        builder
    }

    fn add_fields(&mut self, item: usize) {
        let entry = &self.corpus.entries[item];
        let record = &entry.item;
        if let Some(issue) = record.issue.as_ref().filter(|issue| claim(issue, &self.corpus.rules).is_none()) {
            let at = Place::line(record.origin.path.clone(), issue.line);
            let message = format!("`issue: {}` names no issue", one_line(&issue.value));
            let help = "write a number, `owner/repo#12` or the URL of an issue";
            self.diagnostics.push(entry.warning(Code::InvalidItem, at, message, help));
        }
        let resolver = Resolver::of(self.index, self.corpus, item, ItemPart::Record);
        for field in &record.relations {
            let value = RelationValue {
                relation: field.relation,
                text: &field.target.value,
                source: EdgeSource::Field,
                stated: MentionSite { item, part: ItemPart::Record, line: field.target.line },
                form: NameForm::Usual,
                quotes: &Quoter::of(&field.target.value),
                line: 1,
            };
            self.add_value(&resolver, &value);
        }
        for document in &record.docs {
            let value = RelationValue {
                relation: Relation::Related,
                text: &document.value,
                source: EdgeSource::Field,
                stated: MentionSite { item, part: ItemPart::Record, line: document.line },
                form: NameForm::Exact,
                quotes: &Quoter::of(&document.value),
                line: 1,
            };
            // An item among the documents is related; what is none is for the references.
            if let Resolution::Item(to, _) = resolver.resolve_as(value.form, value.text)
                && to != item
            {
                self.add_edge(&value, EdgeTarget::Item(to));
            }
        }
    }

    fn add_text(&mut self, item: usize, part: ItemPart, body: &'a Body<Clean>, text: &'a ParsedText) {
        let resolver = Resolver::of(self.index, self.corpus, item, part);
        let quotes = Quoter::of(&text.clean);
        let is_pull = self.corpus.entries[item].issue.as_ref().is_some_and(|issue| issue.is_pull());
        let stated = text.markdown.mentions.relations.iter();
        for sentence in stated.filter(|sentence| is_pull || sentence.via != Via::Closing) {
            let value = RelationValue {
                relation: sentence.relation,
                text: &sentence.target,
                source: if sentence.via == Via::Checklist { EdgeSource::Checklist } else { EdgeSource::Body },
                stated: MentionSite { item, part, line: text.line_in_file(body, sentence.line) },
                form: sentence.form,
                quotes: &quotes,
                line: sentence.line,
            };
            self.add_value(&resolver, &value);
        }
    }

    fn add_links(&mut self, item: usize) {
        let Some(issue) = &self.corpus.entries[item].issue else { return };
        for (at, link) in issue.links.iter().enumerate() {
            let value = RelationValue {
                relation: link.relation,
                text: &link.url,
                source: match link.relation {
                    Relation::Parent | Relation::Child => EdgeSource::SubIssue,
                    _ => EdgeSource::DependencyApi,
                },
                stated: MentionSite { item, part: ItemPart::Links, line: link.line },
                form: NameForm::Usual,
                quotes: &Quoter::of(&link.url),
                line: 1,
            };
            let key = IssueRef::new(&link.repo, link.number);
            match self.index.claiming(&key) {
                [] => {
                    let known = self.known.get(&key).copied();
                    let to = known.unwrap_or_else(|| self.new_issue(&link.repo, link.number, link.url.clone()));
                    self.known.insert(key, to);
                    if let Target::Issue { title, state, removals, .. } = &mut self.issues[to]
                        && title.is_none()
                    {
                        let removed = issue.link_removals.get(at).cloned().unwrap_or_default();
                        (*title, *state, *removals) = (link.title.clone(), link.state, removed);
                    }
                    self.add_edge(&value, EdgeTarget::Issue(to));
                }
                [to] if *to == item => {}
                // Of several that claim it, it is merged into the first.
                [to, ..] => self.add_edge(&value, EdgeTarget::Item(*to)),
            }
        }
    }

    fn add_value(&mut self, resolver: &Resolver<'a>, value: &RelationValue<'a, '_>) {
        let text = one_line(value.text);
        let own = value.stated.item;
        match resolver.resolve_as(value.form, value.text) {
            Resolution::Item(to, _) if to == own => {
                let message = format!("`{}` names itself as its `{}`", self.corpus.id(to), value.relation.name());
                self.warn(Code::SelfReference, value, message, "remove it, or name another item");
            }
            Resolution::Item(to, warning) => {
                if let Some(code) = warning {
                    let id = self.corpus.id(to);
                    self.warn(code, value, format!("`{text}` was taken as `{id}`"), &format!("write `{id}`"));
                }
                self.add_edge(value, EdgeTarget::Item(to));
            }
            Resolution::Issue(issue) => match self.issue_target(resolver.repo, value, &issue) {
                Some(to) => self.add_edge(value, EdgeTarget::Issue(to)),
                None => self.warn_unknown(value),
            },
            Resolution::Ambiguous(items) => {
                let names: Vec<_> = items.iter().take(5).map(|item| format!("`{}`", self.corpus.id(*item))).collect();
                let more = if items.len() > 5 { format!(" and {} more", items.len() - 5) } else { String::new() };
                let message = format!("`{text}` may be {}{more}", names.join(" or "));
                self.warn_unresolved(Code::AmbiguousReference, value, message, "write the id of the one that is meant");
            }
            Resolution::UnknownRepo => {
                let message = format!("`{text}` cannot be placed without knowing which repo this is");
                self.warn_unresolved(Code::UnknownRepo, value, message, "set `github.repo: owner/name`");
            }
            Resolution::Parts(parts) => {
                for (text, to) in parts {
                    let part = RelationValue { text, ..*value };
                    match to {
                        Some(to) if to == own => {}
                        Some(to) => self.add_edge(&part, EdgeTarget::Item(to)),
                        None if text.contains(char::is_numeric) => self.warn_unknown(&part),
                        None => {}
                    }
                }
            }
            Resolution::Unknown => match self.titled_parent(value) {
                Some(to) => self.add_edge(value, EdgeTarget::Item(to)),
                None => self.warn_unknown(value),
            },
        }
    }

    /// Returns the only item with a title, which a field names as a parent: trackers store the names of milestones.
    fn titled_parent(&mut self, value: &RelationValue<'_, '_>) -> Option<usize> {
        if value.relation != Relation::Parent || value.stated.part != ItemPart::Record {
            return None;
        }
        let entries = &self.corpus.entries;
        let titles = self.titles.get_or_insert_with(|| {
            let mut titles = HashMap::new();
            for (item, entry) in entries.iter().enumerate() {
                let title = entry.item.title.trim().to_lowercase();
                titles.entry(title).and_modify(|one| *one = None).or_insert(Some(item));
            }
            titles
        });
        let found = titles.get(&value.text.trim().to_lowercase()).copied().flatten();
        found.filter(|item| *item != value.stated.item)
    }

    /// Warns of an unknown id; a word of prose needs the form of one, or to be an announced entry.
    fn warn_unknown(&mut self, value: &RelationValue<'_, '_>) {
        let is_name = match value.form {
            NameForm::Usual => is_stable_id(value.text),
            NameForm::Entry => true,
            NameForm::Exact | NameForm::Link => false,
        };
        if value.stated.part != ItemPart::Record && !is_name {
            return;
        }
        let text = value.text.trim();
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let help = if is_number && self.corpus.rules.repo.is_none() {
            "if it is an issue, set `github.repo: owner/name`; else correct the id, or add the item"
        } else {
            "correct the id, or add the item; no id is equal to it but for case or a prefix either"
        };
        let message = format!("no work item has the id `{}`", one_line(value.text));
        self.warn_unresolved(Code::UnknownId, value, message, help);
    }

    /// Warns of a value that makes no edge, which packs of its item say as well.
    fn warn_unresolved(&mut self, code: Code, value: &RelationValue<'_, '_>, message: String, help: &str) {
        let RelationValue { relation, source, stated, .. } = *value;
        let unresolved = Unresolved {
            relation,
            text: value.quotes.find_or_line(value.line, &[value.text.trim()]),
            why: if code == Code::UnknownId { "no such item" } else { "not known which one" },
            evidence: stated.evidence(self.corpus, source, stated.is_trusted_by(self.corpus, stated.item)),
        };
        let others = self.unresolved.entry(stated.item).or_default();
        if others.iter().all(|other| (other.relation, &other.text) != (relation, &unresolved.text)) {
            others.push(unresolved);
        }
        self.warn(code, value, message, help);
    }

    fn warn(&mut self, code: Code, value: &RelationValue<'_, '_>, message: String, help: &str) {
        let (entry, at) = (&self.corpus.entries[value.stated.item], value.stated.place(self.corpus));
        self.diagnostics.push(entry.warning(code, at, message, help));
    }

    fn add_edge(&mut self, value: &RelationValue<'_, '_>, to: EdgeTarget) {
        let RelationValue { relation, source, stated, .. } = *value;
        let (from, trusted) = (stated.item, stated.is_trusted_by(self.corpus, stated.item));
        self.candidates.push(CandidateEdge { from, relation, to, source, derived: false, trusted, stated });
        if let EdgeTarget::Item(other) = to {
            let (relation, to) = (relation.reverse(), EdgeTarget::Item(from));
            let trusted = stated.is_trusted_by(self.corpus, other);
            self.candidates.push(CandidateEdge { from: other, relation, to, source, derived: true, trusted, stated });
        }
    }

    fn issue_target(
        &mut self,
        this: Option<&Clean>,
        RelationValue { stated, quotes, line, .. }: &RelationValue<'_, '_>,
        issue: &IssueReference<'_>,
    ) -> Option<usize> {
        let key = IssueRef::of(issue, this.map(|repo| &**repo));
        if let Some(known) = self.known.get(&key).or_else(|| self.named.get(&key)) {
            return Some(*known);
        }
        let repo = match issue.repo {
            Some(repo) if this.is_none_or(|this| !this.eq_ignore_ascii_case(repo)) => quotes.find(*line, &[repo])?,
            _ => this?.clone(),
        };
        let mut url = CleanBuf::new();
        url.lit("https://").text(&self.corpus.rules.host).lit("/").text(&repo).lit("/issues/").number(key.number);
        let to = self.new_issue(&repo, key.number, url.finish());
        let is_trusted = stated.is_trusted_by(self.corpus, stated.item);
        let known = if is_trusted { &mut self.known } else { &mut self.named };
        known.insert(key, to);
        Some(to)
    }

    fn new_issue(&mut self, repo: &Clean, number: u64, url: Clean) -> usize {
        let id = CleanBuf::new().text(repo).lit("#").number(number).finish();
        let state = ItemState::Unknown;
        self.issues.push(Target::Issue { id, url, title: None, state, removals: Vec::new() });
        self.issues.len() - 1
    }
}

impl Graph {
    /// Builds every edge that the items state, for both of its ends.
    ///
    /// An edge that only an untrusted text states is an edge of that text's item, and a claim about the other one.
    pub fn build(corpus: &Corpus) -> Self {
        let index = NameIndex::of(corpus);
        let GraphBuilder { candidates, issues, mut diagnostics, unresolved, .. } = GraphBuilder::read(corpus, &index);
        let candidates = strongest(candidates, corpus, &issues);
        diagnostics.extend(check(corpus, &candidates, &issues));
        diagnostics.sort();
        diagnostics.dedup();
        let mut edges = vec![Vec::new(); corpus.entries.len()];
        let mut claims = edges.clone();
        for candidate in &candidates {
            let list = if candidate.is_claim() { &mut claims } else { &mut edges };
            let to = match candidate.to {
                EdgeTarget::Item(item) => Target::Item(item),
                EdgeTarget::Issue(issue) => issues[issue].clone(),
            };
            let evidence = candidate.stated.evidence(corpus, candidate.source, candidate.trusted);
            list[candidate.from].push(Edge { relation: candidate.relation, to, evidence });
        }
        Self { edges, claims, unresolved, diagnostics, index }
    }
}

fn is_stable_id(text: &str) -> bool {
    text.split_once(':').is_some_and(|(kind, slug)| {
        !kind.is_empty()
            && !is_listed("scheme", kind)
            && kind.bytes().all(|b| b.is_ascii_lowercase())
            && slug.starts_with(|c: char| c.is_ascii_alphanumeric())
            && slug.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            // `node:18` and `localhost:8080` are rarely ids.
            && slug.bytes().any(|b| b.is_ascii_alphabetic())
    })
}
