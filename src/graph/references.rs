//! The references of an item: ADRs, documents and code of the repo.

mod paths;

use super::corpus::Corpus;
use super::edges::Graph;
use super::entry::{Entry, GraphRules, ShownPlace};
use super::file_references::{
    Absence, FileKind, FileRef, ItemReferences, MissingReason, MissingReference, ReferenceCollector,
};
use super::files::{FileLookup, RepoFiles, is_listed, is_usual};
use super::link::{Location, Locator, WebAddress, issue_on, number, paths_behind_branch, target_of_link};
use super::mentioned::mentioned_items;
use super::names::{AdrId, NameIndex, last};
use super::quote::{Quoter, shortened};
use super::text::ParsedText;
use crate::mentions::{Reference, ReferenceForm, adr_number, lines_of_target, references_in_line};
use crate::model::{RepoPath, has_document_extension, is_typographic_hyphen, with_slashes};
use crate::records::{Body, Origin};
use crate::redact::{Clean, CleanBuf};
use paths::{FileMention, PathSource, Quotation, is_bare_document, is_placeholder};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The most ADRs that a range names.
const MAX_RANGE: u64 = 100;

impl Graph {
    /// Returns the ADRs, documents and code files that an item refers to, in its fields, its title and its body, and other items.
    pub fn references(&self, corpus: &Corpus, item: usize, lookup: &FileLookup<'_>) -> ItemReferences {
        let entry = &corpus.entries[item];
        let mut search = self.search(corpus, entry, lookup);
        search.set_origin(&entry.item.origin);
        search.add_fields();
        search.add_body(&entry.item.body, &entry.body);
        if let Some(draft) = &entry.draft {
            search.add_body(&draft.body, &draft.text);
        }
        search.resolve_numbers();
        ItemReferences { mentioned: mentioned_items(self, corpus, item), ..search.collected.finish() }
    }

    /// Returns the code files that `documents` of an item name, and those that exist and cannot be shown: a list of tasks names
    /// what is still to be written as well.
    pub fn code_named_in<'d>(
        &self,
        corpus: &Corpus,
        item: usize,
        lookup: &FileLookup<'_>,
        documents: impl Iterator<Item = (&'d RepoPath, &'d ParsedText)>,
    ) -> (Vec<FileRef>, Vec<MissingReference>) {
        let mut search = self.search(corpus, &corpus.entries[item], lookup);
        documents.for_each(|(path, text)| search.add_text(path, text, |line| text.line_before(line)));
        let ItemReferences { mut files, mut missing, .. } = search.collected.finish();
        files.retain(|file| file.kind == FileKind::Code);
        missing.retain(|missing| missing.kind == FileKind::Code && missing.reason != MissingReason::NotInRepo);
        (files, missing)
    }

    /// Returns the ADR that another at `base` names by a link, a path, a URL of this repo or a number.
    pub fn named_adr(&self, rules: &GraphRules, name: &str, base: &RepoPath) -> Option<RepoPath> {
        let target = name.split_once("](").map_or(name, |(_, target)| target.trim_end_matches(')'));
        let path = target.split('#').next().unwrap_or_default();
        let numbered = || match self.index.adrs_numbered(adr_id(rules, target, base)?) {
            [one] => Some(one.clone()),
            _ => None,
        };
        let behind = |url| match url {
            WebAddress::Tree { repo, rest } if rules.is_this(repo) => Some(paths_behind_branch(rest)),
            _ => None,
        };
        let web = WebAddress::read(path, &rules.host).and_then(behind).into_iter().flatten();
        let mut paths = [base.beside(path), RepoPath::new(path)].into_iter().chain(web.map(RepoPath::new)).flatten();
        paths.find(|path| self.index.is_adr(path)).or_else(numbered)
    }

    fn search<'a>(&'a self, corpus: &'a Corpus, entry: &'a Entry, lookup: &FileLookup<'a>) -> ReferenceSearch<'a> {
        ReferenceSearch {
            entry,
            index: &self.index,
            lookup: *lookup,
            locator: Locator { rules: &corpus.rules, files: lookup.files, denied: lookup.denied },
            base_kind: PathBase::File,
            in_title: false,
            numbers: BTreeMap::new(),
            collected: ReferenceCollector::of(entry),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathBase {
    File,
    /// A text on GitHub about this repo: paths begin at the root.
    Here,
    /// A text on GitHub about another repo: only addresses of this one count.
    Elsewhere,
}

struct ReferenceSearch<'a> {
    entry: &'a Entry,
    index: &'a NameIndex,
    lookup: FileLookup<'a>,
    locator: Locator<'a>,
    base_kind: PathBase,
    /// Whether the item's title is read: what it names is what the work is about, even if it is boilerplate elsewhere.
    in_title: bool,
    /// The first mention of each number of an ADR, resolved once all paths are known.
    numbers: BTreeMap<AdrId, AdrNumber>,
    collected: ReferenceCollector<'a>,
}

impl ReferenceSearch<'_> {
    fn set_origin(&mut self, origin: &Origin<Clean>) {
        let issue = self.entry.issue.as_ref().filter(|_| origin.url.is_some());
        self.base_kind = match issue {
            None => PathBase::File,
            Some(issue) if issue.is_here(self.locator.rules) => PathBase::Here,
            Some(_) => PathBase::Elsewhere,
        };
        self.locator.files = if issue.is_none() { self.lookup.files } else { self.lookup.tracked };
    }

    fn base(&self, path: &RepoPath) -> RepoPath {
        if self.base_kind == PathBase::File { path.clone() } else { RepoPath::root() }
    }

    fn add_fields(&mut self) {
        let item = &self.entry.item;
        let place = |line| ShownPlace { path: item.origin.path.clone(), line };
        for mention in &item.adrs {
            self.add_adr_field(&mention.value, &place(mention.line));
        }
        for (order, mention) in item.docs.iter().enumerate() {
            self.collected.order = Some(order);
            self.add_doc_field(&mention.value, &place(mention.line));
        }
        self.collected.order = None;
        // An item that claims an issue has fields of the issue too, which anyone may have written.
        let files = self.locator.files;
        if self.entry.issue.is_some() {
            self.locator.files = self.lookup.tracked;
        }
        for field in item.fields.iter().filter(|field| !is_listed("own_field", &field.name)) {
            field.node.for_each(&mut |text, line| {
                self.add_line(text, &place(line), PathSource::Text);
            });
        }
        self.locator.files = files;
        // The title of an ADR has its own number, which may differ from that of its file.
        if !self.index.is_adr(&item.origin.path) {
            self.in_title = true;
            self.add_line(&item.title, &place(item.line), PathSource::Prose);
            self.in_title = false;
        }
    }

    fn add_adr_field(&mut self, value: &Clean, at: &ShownPlace) {
        let target = &*with_slashes(target_of_link(value.trim()));
        if let Some(id) = adr_id(self.locator.rules, target, &at.path) {
            self.add_number(id, at, || shortened(value));
        } else if is_placeholder(target) {
        } else if is_path(target) || self.known_adr(target).is_some() {
            self.add_field_path(target, PathSource::AdrField, value, at);
        } else if !self.add_line(value, at, PathSource::AdrField) {
            self.collected.add_missing(FileKind::Adr, shortened(value), Absence::NotInRepo, at);
        }
    }

    fn add_doc_field(&mut self, value: &Clean, at: &ShownPlace) {
        let target = &*with_slashes(target_of_link(value.trim()));
        if let Some(id) = adr_id(self.locator.rules, target, &at.path).filter(|_| number(target).is_none()) {
            return self.add_number(id, at, || shortened(value));
        }
        let located = self.locator.locate(target, &self.entry.item.origin.path);
        if matches!(located, Location::Absent(_) | Location::Folder | Location::Elsewhere) && self.is_item(target) {
            return;
        }
        // Words without a path are no reference; they stay in the item's fields.
        let is_words = matches!(located, Location::Absent(_)) && target.contains(char::is_whitespace);
        if !is_words || !self.add_line(value, at, PathSource::DocField) && is_path(target) {
            self.add_field_path(target, PathSource::DocField, value, at);
        }
    }

    fn add_field_path(&mut self, target: &str, source: PathSource, value: &Clean, at: &ShownPlace) {
        let (lines, line) = (lines_of_target(target), at.line);
        let (foreign, link, part) = (None, None, false);
        let reference =
            Reference { target: target.to_owned(), form: ReferenceForm::Link, line, lines, foreign, link, part };
        let base = &self.base(&self.entry.item.origin.path);
        let (target, quotation) = (Cow::Borrowed(target), Quotation::Value(value));
        self.add_path(FileMention { reference: &reference, target, source, base, at, quotation });
    }

    fn is_item(&self, value: &str) -> bool {
        self.index.exact(value).is_some()
            || !self.index.any_case(value).is_empty()
            || issue_on(&self.locator.rules.host, value).is_some()
    }

    /// Adds the references of a text of one line, and returns whether there are any.
    fn add_line(&mut self, text: &Clean, at: &ShownPlace, source: PathSource) -> bool {
        let mut references = references_in_line(text, at.line);
        if !source.is_in_passing() {
            // Parts of a file's name with spaces are no paths: `tasks/4 - Cache.md`.
            references.retain(|reference| !is_weak(reference));
        }
        let quotes = Quoter::of(text);
        let base = self.base(&self.entry.item.origin.path);
        for mut reference in self.counting(&references, &base).into_iter().cloned() {
            // A field that is a path and nothing else is meant as one.
            if reference.form == ReferenceForm::Path && !text.trim().contains(char::is_whitespace) {
                reference.form = ReferenceForm::CodeSpan;
            }
            let is_link = (reference.form, source) == (ReferenceForm::Link, PathSource::Prose);
            let source = if is_link { PathSource::Link } else { source };
            self.add_reference(&reference, source, Quotation::Line(&quotes, 1), at, &base);
        }
        !references.is_empty()
    }

    fn add_body(&mut self, body: &Body<Clean>, text: &ParsedText) {
        self.set_origin(&body.origin);
        self.add_text(&body.origin.path, text, |line| text.line_in_file(body, line));
    }

    /// Adds the references of a text; `line_in_file` returns the line of `file` that one of its lines was.
    fn add_text(&mut self, file: &RepoPath, text: &ParsedText, line_in_file: impl Fn(u32) -> u32) {
        let base = self.base(file);
        let quotes = Quoter::of(&text.clean);
        let title = text.markdown.outline.headings.first().filter(|_| self.index.is_adr(file));
        for reference in self.counting(&text.markdown.mentions.references, &base) {
            if reference.form == ReferenceForm::AdrNumber && title.is_some_and(|title| title.line == reference.line) {
                continue;
            }
            let at = ShownPlace { path: file.clone(), line: line_in_file(reference.line) };
            let source = if reference.form == ReferenceForm::Link { PathSource::Link } else { PathSource::Prose };
            self.add_reference(reference, source, Quotation::Line(&quotes, reference.line), &at, &base);
        }
    }

    /// Returns the references without the parts of words that lead somewhere as a whole.
    fn counting<'r>(&self, references: &'r [Reference], base: &RepoPath) -> Vec<&'r Reference> {
        let leads = |whole: &Reference| {
            let found = self.locator.locate(&whole.target, base);
            matches!(found, Location::File { .. } | Location::Folder | Location::Denied | Location::UnknownRepo)
        };
        let mut counting = Vec::with_capacity(references.len());
        let (mut whole, mut is_found) = (None, None);
        for reference in references {
            if reference.part {
                if *is_found.get_or_insert_with(|| whole.is_some_and(leads)) {
                    continue;
                }
            } else if !matches!(reference.form, ReferenceForm::AdrNumber | ReferenceForm::AdrsBetween) {
                (whole, is_found) = (Some(reference), None);
            }
            counting.push(reference);
        }
        counting
    }

    fn add_reference(
        &mut self,
        reference: &Reference,
        source: PathSource,
        quotation: Quotation<'_>,
        at: &ShownPlace,
        base: &RepoPath,
    ) {
        let target = Cow::Borrowed(&*reference.target);
        let mention = FileMention { reference, target, source, base, at, quotation };
        if self.base_kind == PathBase::Elsewhere && !mention.is_linked_address(&self.locator.rules.host) {
            return;
        }
        match reference.form {
            ReferenceForm::AdrsBetween => self.add_adrs_between(&mention),
            ReferenceForm::AdrNumber => self.add_adr_mention(&mention),
            _ => self.add_path(mention),
        }
    }
}

/// Returns whether a mention in prose is a path only if there is such a file: it has no extension, or no folder.
fn is_weak(reference: &Reference) -> bool {
    is_bare_document(reference.form, &reference.target)
        || reference.form == ReferenceForm::Path && !last(&reference.target).contains('.')
}

fn is_path(value: &str) -> bool {
    let is_document = has_document_extension(value);
    value.contains('/') && is_document || !value.contains(char::is_whitespace) && (value.contains('/') || is_document)
}

/// The first mention of an ADR's number, and whether only tracked files count.
struct AdrNumber {
    written: Clean,
    at: ShownPlace,
    is_tracked: bool,
}

impl ReferenceSearch<'_> {
    fn add_number(&mut self, id: AdrId, at: &ShownPlace, written: impl FnOnce() -> Clean) {
        let is_tracked = self.base_kind != PathBase::File;
        self.numbers.entry(id).or_insert_with(|| AdrNumber { written: written(), at: at.clone(), is_tracked });
    }

    fn add_adr_mention(&mut self, mention: &FileMention<'_>) {
        let Some((source, number)) = self.project_of(mention).zip(number(&mention.reference.target)) else { return };
        let id = (source, number);
        if self.numbers.contains_key(&id) {
            return;
        }
        let count = self.index.adrs_numbered(id).len();
        match mention.reference.link.as_deref().map(|link| self.locator.locate(link, mention.base)) {
            // The link is a reference of its own and takes precedence; a missing target is reported for it.
            Some(Location::Foreign | Location::File { .. } | Location::UnknownRepo | Location::Denied) => return,
            Some(Location::Absent(_)) if count == 0 => return,
            _ => {}
        }
        // One that is found needs no quotation.
        let quotation = if count == 1 {
            None
        } else {
            let repo = mention.reference.foreign.iter().flat_map(|repo| [format!("{repo}#"), format!("{repo} ")]);
            let before: Vec<String> = repo.chain([String::new()]).collect();
            let spelled = before.iter().flat_map(|before| {
                ["ADR-", "ADR ", "ADR", "adr-"].map(|adr| format!("{before}{adr}{}", mention.reference.target))
            });
            let spelled: Vec<String> = spelled.collect();
            mention.quotation.find(&spelled.iter().map(String::as_str).collect::<Vec<_>>())
        };
        self.add_number(id, mention.at, || quotation.unwrap_or_else(|| name_of(number)));
    }

    /// Returns the project whose ADRs a mention counts: the one that it names, else that of its text; `None` if that is not here.
    fn project_of(&self, mention: &FileMention<'_>) -> Option<Option<usize>> {
        let rules = self.locator.rules;
        match &mention.reference.foreign {
            Some(name) => rules.source_named(name).map(Some),
            None => Some(rules.source_with(&mention.at.path)),
        }
    }

    /// Adds the ADRs that there are between two numbers: `ADR-001 through ADR-004`.
    fn add_adrs_between(&mut self, mention: &FileMention<'_>) {
        let ends =
            mention.reference.target.split_once('-').and_then(|(first, last)| Some((number(first)?, number(last)?)));
        let Some((source, (first, last))) = self.project_of(mention).zip(ends) else { return };
        if last.saturating_sub(first) > MAX_RANGE {
            return;
        }
        for number in (first + 1..last).filter(|number| !self.index.adrs_numbered((source, *number)).is_empty()) {
            self.add_number((source, number), mention.at, || name_of(number));
        }
    }

    fn resolve_numbers(&mut self) {
        for (id, AdrNumber { written, at, is_tracked }) in std::mem::take(&mut self.numbers) {
            let all = self.index.adrs_numbered(id);
            if all.iter().any(|path| self.collected.contains(path)) {
                continue;
            }
            let files = if is_tracked { self.lookup.tracked } else { self.lookup.files };
            match &self.existing(all, files)[..] {
                [] => self.collected.add_missing(FileKind::Adr, written, Absence::NotInRepo, &at),
                [one] => self.collected.add_file((*one).clone(), None, true, &at),
                many => self.collected.add_missing(FileKind::Adr, written, Absence::Ambiguous(many), &at),
            }
        }
    }

    fn known_adr(&self, name: &str) -> Option<RepoPath> {
        match self.existing(self.index.adrs_named(name), self.locator.files)[..] {
            [one] if !is_usual(name) => Some(one.clone()),
            _ => None,
        }
    }

    /// Returns those of the paths that are in `files`: the tracked ones if there are any.
    fn existing<'p>(&self, paths: &'p [RepoPath], files: &RepoFiles<'_>) -> Vec<&'p RepoPath> {
        let among = |files: &RepoFiles<'_>| -> Vec<_> { paths.iter().filter(|path| files.has(path)).collect() };
        let tracked = among(self.lookup.tracked);
        if tracked.is_empty() { among(files) } else { tracked }
    }

    fn is_like_adr(&self, path: &str) -> bool {
        let path = path.split(['#', '?']).next().unwrap_or_default();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_numbered = || adr_number(name).is_some();
        is_adr_folder(last(folder)) && has_document_extension(name)
            || (self.index.holds_adrs(last(folder)) || name.to_ascii_lowercase().starts_with("adr")) && is_numbered()
    }
}

/// Returns the ADR that a value in the file at `path` names by its number alone: `12`, `ADR-0012`, `owner/name#ADR-12`.
fn adr_id(rules: &GraphRules, value: &str, path: &RepoPath) -> Option<AdrId> {
    let named =
        value.rsplit_once('#').and_then(|(repo, rest)| Some((Some(rules.source_named(repo)?), adr_token(rest)?)));
    let plain = || Some((rules.source_with(path), number(value).or_else(|| adr_token(value))?));
    named.or_else(plain)
}

/// Returns the number of a value that is only the name of an ADR: `ADR-0012`, `adr 12`.
fn adr_token(value: &str) -> Option<u64> {
    let (_, rest) = value.split_at_checked(3).filter(|(head, _)| head.eq_ignore_ascii_case("adr"))?;
    number(rest.trim_start_matches(['-', '_', ' ', '#', ':']).trim_start_matches(is_typographic_hyphen))
}

fn name_of(number: u64) -> Clean {
    CleanBuf::new().lit("ADR-").number(number).finish()
}

fn is_adr_folder(name: &str) -> bool {
    is_listed("adr_folder", &name.to_ascii_lowercase())
}
