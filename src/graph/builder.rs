//! The graph builder: every relation's value becomes candidate edges, or a warning.

use super::candidate::{CandidateEdge, EdgeTarget, ItemPart, Statement};
use super::index::{NameIndex, claim};
use super::link::IssueMention;
use super::quote::{Quoter, one_line};
use super::resolve::{Resolution, Resolver};
use super::{Corpus, EdgeSource, IssueRef, ItemState, RecordedRemoval, Target};
use crate::mentions::{NameForm, Via};
use crate::model::{Code, Diagnostic, Place, Relation};
use crate::records::IssueLink;
use crate::redact::{Clean, CleanBuf};
use std::collections::{BTreeSet, HashMap};

/// A relation's value, about to become an edge.
pub(super) struct RelationValue<'a> {
    pub(super) relation: Relation,
    pub(super) text: &'a str,
    pub(super) source: EdgeSource,
    pub(super) stated: Statement,
    /// How a text names it.
    pub(super) form: NameForm,
}

#[derive(Default)]
pub(super) struct GraphBuilder {
    pub(super) candidates: Vec<CandidateEdge>,
    pub(super) issues: Vec<Target>,
    pub(super) known: HashMap<(String, u64), usize>,
    /// Issues that only the current untrusted text names: its spelling of them is used for its own item alone.
    named: HashMap<(String, u64), usize>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Items by their titles in lower case, made when first needed; `None` if several have one.
    titles: Option<HashMap<String, Option<usize>>>,
    /// The values, by their item, that name a blocker and resolve to neither an item nor an issue.
    pub(super) unresolved_blockers: BTreeSet<(usize, String)>,
}

impl GraphBuilder {
    /// Adds the relations in the fields of an item, if these are `trusted` or, for `false`, if they are not.
    pub(super) fn add_fields(&mut self, corpus: &Corpus, index: &NameIndex, item: usize, trusted: bool) {
        let entry = &corpus.entries[item];
        self.named.clear();
        if ItemPart::Record.is_untrusted(entry) == trusted {
            return;
        }
        let resolver = Resolver::of(index, corpus, item, ItemPart::Record);
        if let Some(issue) = entry.item.issue.as_ref().filter(|issue| claim(issue, &corpus.rules).is_none()) {
            let at = Place::line(entry.item.origin.path.clone(), issue.line);
            let message = format!("`issue: {}` names no issue", one_line(&issue.value));
            let help = "write a number, `owner/repo#12` or the URL of an issue";
            self.diagnostics
                .push(Diagnostic::new(Code::InvalidItem, Some(at), message).help(help).about(&*entry.item.id));
        }
        for stated in &entry.item.relations {
            let statement = Statement { item, part: ItemPart::Record, line: stated.target.line };
            let text = &*stated.target.value;
            let (relation, source, form) = (stated.relation, EdgeSource::Field, NameForm::Usual);
            let value = RelationValue { relation, text, source, stated: statement, form };
            self.add_value(corpus, &resolver, &value, |repo| {
                let at = stated.target.value.find(repo)?;
                Some(stated.target.value.slice(at..at + repo.len()))
            });
        }
    }

    /// Adds the relations in the texts of an item, its body and its draft: those of trusted texts, or those of untrusted ones.
    pub(super) fn add_texts(&mut self, corpus: &Corpus, index: &NameIndex, item: usize, trusted: bool) {
        let entry = &corpus.entries[item];
        let draft = entry.draft.as_ref().map(|draft| (ItemPart::Draft, &draft.body, &draft.text));
        for (part, body, text) in [(ItemPart::Body, &entry.item.body, &entry.body)].into_iter().chain(draft) {
            if part.is_untrusted(entry) == trusted {
                continue;
            }
            let resolver = Resolver::of(index, corpus, item, part);
            let mut quotes = Quoter::of(&text.clean);
            for stated in &text.markdown.mentions.relations {
                let statement = Statement { item, part, line: text.line_in_file(body, stated.line) };
                let source = match stated.via {
                    Via::Checklist => EdgeSource::Checklist,
                    Via::Body => EdgeSource::Body,
                };
                let (relation, form) = (stated.relation, stated.form);
                let value = RelationValue { relation, text: &stated.target, source, stated: statement, form };
                self.add_value(corpus, &resolver, &value, |repo| quotes.find(stated.line, &[repo]));
            }
        }
    }

    /// Adds the relations in GitHub's lists of an item's issue.
    pub(super) fn add_links(&mut self, corpus: &Corpus, index: &NameIndex, item: usize) {
        let Some(issue) = &corpus.entries[item].issue else { return };
        for (at, link) in issue.links.iter().enumerate() {
            let source = match link.relation {
                Relation::Parent | Relation::Child => EdgeSource::SubIssue,
                _ => EdgeSource::DependencyApi,
            };
            let stated = Statement { item, part: ItemPart::Links, line: link.line };
            let (relation, form) = (link.relation, NameForm::Usual);
            let value = RelationValue { relation, text: &link.url, source, stated, form };
            let key = IssueRef { repo: link.repo.to_lowercase(), number: link.number };
            match index.claiming(&key) {
                [] => {
                    let removals = issue.link_removals.get(at).map(Vec::as_slice).unwrap_or_default();
                    let to = self.listed_issue(link, key, removals);
                    self.add_edge(corpus, &value, EdgeTarget::Issue(to));
                }
                [to] if *to == item => {}
                // Of several that claim it, it is merged into the first.
                [to, ..] => self.add_edge(corpus, &value, EdgeTarget::Item(*to)),
            }
        }
    }

    /// Returns the issue that an entry of a list shows.
    fn listed_issue(&mut self, link: &IssueLink<Clean>, key: IssueRef, removed: &[RecordedRemoval]) -> usize {
        let next = self.issues.len();
        let at = *self.known.entry((key.repo, key.number)).or_insert(next);
        if at == next {
            let mut id = CleanBuf::new();
            id.text(&link.repo).lit("#").number(link.number);
            self.issues.push(Target::Issue {
                id: id.finish(),
                url: link.url.clone(),
                title: link.title.clone(),
                state: link.state,
                removals: removed.to_vec(),
            });
        } else if let Target::Issue { title, state, removals, .. } = &mut self.issues[at]
            && title.is_none()
        {
            (*title, *state, *removals) = (link.title.clone(), link.state, removed.to_vec());
        }
        at
    }

    /// Resolves a value and adds its edges; `quote` finds the repo's name of an issue in clean text.
    fn add_value<'a>(
        &mut self,
        corpus: &'a Corpus,
        resolver: &Resolver<'a>,
        value: &RelationValue<'a>,
        quote: impl FnOnce(&str) -> Option<Clean>,
    ) {
        let resolution = match value.form {
            NameForm::Usual => resolver.resolve(value.text),
            NameForm::Link => resolver.linked_file(value.text),
            NameForm::Exact | NameForm::Entry => match resolver.entry(value.text, value.form == NameForm::Exact) {
                // `T1とT2`
                Resolution::Unknown => {
                    let parts = resolver.exact_parts(value.text);
                    if parts.is_empty() {
                        return self.warn_unknown(corpus, value);
                    }
                    for (text, to) in parts {
                        let part = RelationValue { text, ..*value };
                        match to {
                            Some(to) if to == value.stated.item => {}
                            Some(to) => self.add_edge(corpus, &part, EdgeTarget::Item(to)),
                            None if text.contains(|c: char| c.is_numeric()) => self.warn_unknown(corpus, &part),
                            None => {}
                        }
                    }
                    return;
                }
                found => found,
            },
        };
        match resolution {
            Resolution::Item(to, _) if to == value.stated.item => {
                let message = format!("`{}` names itself as its `{}`", corpus.id(to), value.relation.name());
                self.warn(corpus, Code::SelfReference, value, message, "remove it, or name another item");
            }
            Resolution::Item(to, warning) => {
                if let Some(code) = warning {
                    let message = format!("`{}` was taken as `{}`", one_line(value.text), corpus.id(to));
                    let help = format!("write `{}`", corpus.id(to));
                    self.warn(corpus, code, value, message, &help);
                }
                self.add_edge(corpus, value, EdgeTarget::Item(to));
            }
            Resolution::Issue(issue) => match self.issue_target(corpus, resolver, value.stated, &issue, quote) {
                Some(to) => self.add_edge(corpus, value, EdgeTarget::Issue(to)),
                None => self.warn_unknown(corpus, value),
            },
            Resolution::Ambiguous(items) => {
                let names: Vec<String> = items.iter().take(5).map(|item| format!("`{}`", corpus.id(*item))).collect();
                let more = if items.len() > 5 { format!(" and {} more", items.len() - 5) } else { String::new() };
                let message = format!("`{}` may be {}{more}", one_line(value.text), names.join(" or "));
                self.note_unresolved(value);
                self.warn(corpus, Code::AmbiguousReference, value, message, "write the id of the one that is meant");
            }
            Resolution::UnknownRepo => {
                let message = format!("`{}` cannot be placed without knowing which repo this is", one_line(value.text));
                self.note_unresolved(value);
                self.warn(corpus, Code::UnknownRepo, value, message, "set `github.repo: owner/name`");
            }
            Resolution::Unknown => match self.titled_parent(corpus, value) {
                Some(to) => self.add_edge(corpus, value, EdgeTarget::Item(to)),
                None => self.warn_unknown(corpus, value),
            },
        }
    }

    /// Returns the only item with a title, which a field names as a parent: trackers store the names of milestones.
    fn titled_parent(&mut self, corpus: &Corpus, value: &RelationValue<'_>) -> Option<usize> {
        if value.relation != Relation::Parent || value.stated.part != ItemPart::Record {
            return None;
        }
        let titles = self.titles.get_or_insert_with(|| {
            let mut titles = HashMap::new();
            for (item, entry) in corpus.entries.iter().enumerate() {
                let title = entry.item.title.trim().to_lowercase();
                titles.entry(title).and_modify(|one| *one = None).or_insert(Some(item));
            }
            titles
        });
        let found = titles.get(&value.text.trim().to_lowercase()).copied().flatten();
        found.filter(|item| *item != value.stated.item)
    }

    /// Warns of an unknown id; a word of prose only counts if it has the form of a stable id, or is an entry of its own where a
    /// relation was announced.
    fn warn_unknown(&mut self, corpus: &Corpus, value: &RelationValue<'_>) {
        let said = match value.form {
            NameForm::Usual => is_stable_id(value.text),
            NameForm::Entry => true,
            NameForm::Exact | NameForm::Link => false,
        };
        if value.stated.part == ItemPart::Record || said {
            let message = format!("no work item has the id `{}`", one_line(value.text));
            let is_number =
                value.text.trim().bytes().all(|byte| byte.is_ascii_digit()) && !value.text.trim().is_empty();
            let help = match is_number && corpus.rules.repo.is_none() {
                true => "if it is an issue, set `github.repo: owner/name`; else correct the id, or add the item",
                false => "correct the id, or add the item; no id is equal to it but for case or a prefix either",
            };
            self.note_unresolved(value);
            self.warn(corpus, Code::UnknownId, value, message, help);
        }
    }

    /// Counts a value that makes no edge, if it names a blocker: whether that is done is unknown.
    fn note_unresolved(&mut self, value: &RelationValue<'_>) {
        if matches!(value.relation, Relation::DependsOn | Relation::BlockedBy) {
            self.unresolved_blockers.insert((value.stated.item, value.text.trim().to_owned()));
        }
    }

    fn warn(&mut self, corpus: &Corpus, code: Code, value: &RelationValue<'_>, message: String, help: &str) {
        let at = Some(value.stated.place(corpus));
        let about = corpus.id(value.stated.item);
        self.diagnostics.push(Diagnostic::new(code, at, message).help(help).about(about));
    }

    fn add_edge(&mut self, corpus: &Corpus, value: &RelationValue<'_>, to: EdgeTarget) {
        let RelationValue { relation, source, stated, .. } = *value;
        let trusted = stated.is_trusted_by(corpus, stated.item);
        self.candidates.push(CandidateEdge {
            from: stated.item,
            relation,
            to,
            source,
            derived: false,
            trusted,
            stated,
        });
        if let EdgeTarget::Item(other) = to {
            let (relation, to) = (relation.reverse(), EdgeTarget::Item(stated.item));
            let trusted = stated.is_trusted_by(corpus, other);
            self.candidates.push(CandidateEdge { from: other, relation, to, source, derived: true, trusted, stated });
        }
    }

    fn issue_target(
        &mut self,
        corpus: &Corpus,
        resolver: &Resolver<'_>,
        stated: Statement,
        issue: &IssueMention<'_>,
        quote: impl FnOnce(&str) -> Option<Clean>,
    ) -> Option<usize> {
        let this = resolver.repo;
        let key = issue.key(this.map(|repo| &**repo));
        let key = (key.repo, key.number);
        if let Some(known) = self.known.get(&key).or_else(|| self.named.get(&key)) {
            return Some(*known);
        }
        let repo = match issue.repo {
            Some(repo) if this.is_none_or(|this| !this.eq_ignore_ascii_case(repo)) => quote(repo)?,
            _ => this?.clone(),
        };
        let (mut id, mut url) = (CleanBuf::new(), CleanBuf::new());
        id.text(&repo).lit("#").number(key.1);
        url.lit("https://").text(&corpus.rules.host).lit("/").text(&repo).lit("/issues/").number(key.1);
        self.issues.push(Target::Issue {
            id: id.finish(),
            url: url.finish(),
            title: None,
            state: ItemState::Unknown,
            removals: Vec::new(),
        });
        let trusted = stated.is_trusted_by(corpus, stated.item);
        let known = if trusted { &mut self.known } else { &mut self.named };
        known.insert(key, self.issues.len() - 1);
        Some(self.issues.len() - 1)
    }
}

/// Returns whether a word has the form `kind:slug`.
fn is_stable_id(text: &str) -> bool {
    text.split_once(':').is_some_and(|(kind, slug)| {
        !kind.is_empty()
            && kind.bytes().all(|b| b.is_ascii_lowercase())
            && slug.starts_with(|c: char| c.is_ascii_alphanumeric())
            && slug.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            // `node:18` and `localhost:8080` are rarely ids.
            && slug.bytes().any(|b| b.is_ascii_alphabetic())
    })
}
