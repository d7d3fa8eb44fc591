//! What an item refers to: ADRs and documents of the repo.

use super::collector::ReferenceCollector;
use super::files::{RepoFiles, is_document, is_usual};
use super::index::last;
use super::link::{IssueMention, WebAddress, number, scheme};
use super::locate::{Location, Locator};
use super::place::{line_of, shown};
use super::quote::{Quoter, shortened};
use super::resolve::target_of_link;
use super::{Corpus, Entry, FileKind, Graph, ItemReferences, Node, ParsedText, ShownPlace, Value};
use crate::mentions::{Reference, ReferenceForm, adr_number, references_in_line};
use crate::model::{Code, RepoPath, has_document_extension};
use crate::records::{Body, Origin};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;

impl Graph {
    /// The ADRs and documents that an item refers to, in its fields, its title and its body.
    ///
    /// `denied` tells the names that are never opened; they are judged before
    /// it is known whether they exist. `files` are those that may be taken; texts that
    /// anyone can write, those on GitHub, take the `tracked` ones of them only.
    pub fn references(
        &self,
        corpus: &Corpus,
        item: usize,
        files: &RepoFiles<'_>,
        tracked: &RepoFiles<'_>,
        denied: &dyn Fn(&RepoPath) -> bool,
    ) -> ItemReferences {
        let Some(entry) = corpus.entries.get(item) else {
            return ItemReferences::default();
        };
        let locator = Locator { rules: &corpus.rules, index: &self.index, files, denied };
        let mut search = ReferenceSearch {
            entry,
            locator,
            all: files,
            tracked,
            ground: PathBase::File,
            numbers: Vec::new(),
            mentioned: BTreeSet::new(),
            taken: ReferenceCollector::of(entry),
        };
        search.stand_on(corpus, &entry.item.origin);
        search.fields();
        search.stand_on(corpus, &entry.item.body.origin);
        search.body(&entry.item.body, &entry.body);
        if let Some(draft) = &entry.draft {
            search.stand_on(corpus, &draft.body.origin);
            search.body(&draft.body, &draft.text);
        }
        search.numbers();
        search.taken.finish()
    }
}

/// How a path was stated; it decides what counts, and what is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathSource {
    /// In `adrs:`: whatever it names is an ADR.
    AdrField,
    /// In `docs:`: any file counts.
    DocField,
    /// As a link: documents count, and missing ones are reported.
    Link,
    /// In prose or code: only what is there counts.
    Prose,
    /// In a field that names no files: only ADRs that are there count, and numbers of ADRs.
    Text,
}

impl PathSource {
    /// Whether what leads nowhere is no fault: nobody said that it is a file.
    fn is_in_passing(self) -> bool {
        matches!(self, Self::Prose | Self::Text)
    }
}

/// Fields whose values are read elsewhere, or that say what the item itself is.
const NO_PROSE: [&str; 15] = [
    "adrs",
    "blocked_by",
    "blocks",
    "children",
    "depends_on",
    "docs",
    "id",
    "issue",
    "labels",
    "parent",
    "related",
    "stable_id",
    "status",
    "title",
    "type",
];

/// What the names in a text are read against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathBase {
    /// A file of this repo.
    File,
    /// A text on GitHub about this repo: paths begin at the root.
    Here,
    /// A text on GitHub about another repo: only addresses of this one count.
    Elsewhere,
}

/// A number of an ADR, resolved once all paths are known.
struct AdrNumber {
    number: u64,
    /// As the text has it.
    written: Clean,
    at: ShownPlace,
    /// Whether only tracked files count.
    tracked: bool,
}

struct ReferenceSearch<'a> {
    entry: &'a Entry,
    locator: Locator<'a>,
    all: &'a RepoFiles<'a>,
    tracked: &'a RepoFiles<'a>,
    ground: PathBase,
    numbers: Vec<AdrNumber>,
    /// The numbers among them.
    mentioned: BTreeSet<u64>,
    taken: ReferenceCollector<'a>,
}

impl<'a> ReferenceSearch<'a> {
    /// What is read next comes from here.
    fn stand_on(&mut self, corpus: &Corpus, origin: &Origin<Clean>) {
        let issue = self.entry.issue.as_ref().filter(|_| origin.url.is_some());
        self.ground = match issue {
            None => PathBase::File,
            Some(issue) if issue.is_here(&corpus.rules) => PathBase::Here,
            Some(_) => PathBase::Elsewhere,
        };
        self.locator.files = if self.ground == PathBase::File { self.all } else { self.tracked };
    }

    /// The file from which the paths of a text that stands in `path` lead.
    fn base(&self, path: &RepoPath) -> RepoPath {
        if self.ground == PathBase::File { path.clone() } else { RepoPath::root() }
    }

    fn push_number(&mut self, number: u64, written: Clean, at: ShownPlace) {
        if !self.mentioned.insert(number) {
            return;
        }
        let tracked = self.ground != PathBase::File;
        self.numbers.push(AdrNumber { number, written, at, tracked });
    }

    fn fields(&mut self) {
        let item = &self.entry.item;
        let place = |line| ShownPlace { path: item.origin.path.clone(), line };
        let file = &item.origin.path;
        for mention in &item.adrs {
            self.adr_field(&mention.value, place(mention.line));
        }
        for mention in &item.docs {
            self.doc_field(&mention.value, place(mention.line));
        }
        for field in item.fields.iter().filter(|field| !NO_PROSE.contains(&&*field.name)) {
            self.node(&field.node);
        }
        // The title of an ADR says its own number, not always the one that its file has.
        if !self.locator.index.is_adr(file) {
            self.line(&item.title, place(item.line), PathSource::Prose);
        }
    }

    /// Takes the ADRs that the texts of any other field name.
    fn node(&mut self, node: &Node<Clean>) {
        match &node.value {
            Value::Null => {}
            Value::Scalar { text, .. } => {
                let at = ShownPlace { path: self.entry.item.origin.path.clone(), line: node.line };
                self.line(text, at, PathSource::Text);
            }
            Value::List(nodes) => nodes.iter().for_each(|node| self.node(node)),
            Value::Map(pairs) => pairs.iter().for_each(|(_, node)| self.node(node)),
        }
    }

    fn adr_field(&mut self, value: &Clean, at: ShownPlace) {
        let target = target_of_link(value.trim());
        if let Some(number) = number(target).or_else(|| adr_token(target)) {
            self.push_number(number, shortened(value), at);
        } else if is_placeholder(target) {
        } else if is_path(target) || self.known_adr(target).is_some() {
            self.path(target, PathSource::AdrField, &at, || shortened(value));
        } else if !self.line(value, at.clone(), PathSource::AdrField) {
            self.taken.dangling(FileKind::Adr, shortened(value), &at);
        }
    }

    fn doc_field(&mut self, value: &Clean, at: ShownPlace) {
        let target = target_of_link(value.trim());
        if let Some(number) = adr_token(target) {
            self.push_number(number, shortened(value), at);
            return;
        }
        let there = self.locator.locate(target, &self.entry.item.origin.path);
        if matches!(there, Location::Absent(_) | Location::Folder | Location::Elsewhere) && self.is_item(target) {
            return;
        }
        // Words in which nothing is named are no reference; the item's fields keep them.
        let words = matches!(there, Location::Absent(_)) && target.contains(char::is_whitespace);
        if words && (self.line(value, at.clone(), PathSource::DocField) || !is_path(target)) {
            return;
        }
        self.path(target, PathSource::DocField, &at, || shortened(value));
    }

    /// Whether a value names an item or an issue, and so no file.
    fn is_item(&self, value: &str) -> bool {
        let index = self.locator.index;
        index.exact(value).is_some()
            || !index.any_case(value).is_empty()
            || IssueMention::read(value, &self.locator.rules.host).is_some()
    }

    /// Takes what a text of one line refers to; whether there is anything.
    fn line(&mut self, text: &Clean, at: ShownPlace, stated: PathSource) -> bool {
        let references = references_in_line(text, at.line);
        let mut quotes = Quoter::of(text);
        let base = self.base(&self.entry.item.origin.path);
        for reference in &references {
            let stated = if reference.form == ReferenceForm::Link && stated == PathSource::Prose {
                PathSource::Link
            } else {
                stated
            };
            self.reference(reference, stated, 1, &mut quotes, at.clone(), &base);
        }
        !references.is_empty()
    }

    fn body(&mut self, body: &Body<Clean>, text: &ParsedText) {
        let file = &body.origin.path;
        let base = self.base(file);
        let mut quotes = Quoter::of(&text.clean);
        let own =
            self.locator.index.is_adr(file).then(|| text.markdown.outline.headings.first().map(|h| h.line)).flatten();
        for reference in &text.markdown.mentions.references {
            if reference.form == ReferenceForm::AdrNumber && own == Some(reference.line) {
                continue;
            }
            let at = ShownPlace { path: file.clone(), line: line_of(body, text, reference.line) };
            let stated = if reference.form == ReferenceForm::Link { PathSource::Link } else { PathSource::Prose };
            self.reference(reference, stated, reference.line, &mut quotes, at, &base);
        }
    }

    /// `line` is that of the text that `quotes` quotes.
    fn reference(
        &mut self,
        reference: &Reference,
        stated: PathSource,
        line: u32,
        quotes: &mut Quoter<'_>,
        at: ShownPlace,
        base: &RepoPath,
    ) {
        let target = reference.target.as_str();
        let address = || WebAddress::read(target, &self.locator.rules.host).is_some();
        if self.ground == PathBase::Elsewhere && (reference.form != ReferenceForm::Link || !address()) {
            return;
        }
        if reference.form != ReferenceForm::AdrNumber {
            return self.path_from(target, stated, &at, base, || quotes.find_or_line(line, &[target]));
        }
        // Of one number the first mention counts.
        let new = |number: &u64| reference.foreign.is_none() && !self.mentioned.contains(number);
        let Some(number) = number(target).filter(new) else {
            return;
        };
        match reference.link.as_deref().map(|link| self.locator.locate(link, base)) {
            Some(Location::Foreign) => return,
            // The link is a reference of its own, and it decides; where it leads nowhere it says so.
            Some(Location::File { .. } | Location::UnknownRepo | Location::Denied) => return,
            Some(Location::Absent(_)) if self.locator.index.adrs_numbered(number).is_empty() => {
                return;
            }
            _ => {}
        }
        let spelled = ["ADR-", "ADR ", "ADR", "adr-"].map(|adr| format!("{adr}{target}"));
        let spelled = spelled.each_ref().map(String::as_str);
        // One that is found needs no quotation.
        let known = self.locator.index.adrs_numbered(number).len() == 1;
        let written = if known { None } else { quotes.find(line, &spelled) };
        let written = written.unwrap_or_else(|| {
            let mut text = CleanBuf::new();
            text.lit("ADR-").number(number);
            text.finish()
        });
        self.push_number(number, written, at);
    }

    fn path(&mut self, target: &str, stated: PathSource, at: &ShownPlace, written: impl FnOnce() -> Clean) {
        let base = self.base(&self.entry.item.origin.path);
        self.path_from(target, stated, at, &base, written);
    }

    fn path_from(
        &mut self,
        target: &str,
        stated: PathSource,
        at: &ShownPlace,
        base: &RepoPath,
        written: impl FnOnce() -> Clean,
    ) {
        let field = matches!(stated, PathSource::AdrField | PathSource::DocField);
        let located = self.locator.locate(target, base);
        let adr = stated == PathSource::AdrField || self.like_adr(target);
        let kind = if adr { FileKind::Adr } else { FileKind::Document };
        match located {
            Location::File { path, anchor } => {
                let bare = stated == PathSource::Prose && !target.contains('/');
                let adr = stated == PathSource::AdrField || self.locator.index.is_adr(&path);
                if adr || field || is_document(&path) && !bare && stated != PathSource::Text {
                    self.taken.take(path, anchor, adr, at);
                }
            }
            Location::Denied => self.taken.denied(kind, written(), at),
            Location::Folder if self.names_item(target, base) => {}
            Location::Folder if field => self.taken.dangling(kind, written(), at),
            Location::Outside { from_root: Some(path) } if self.site_adr(&path, stated, at) => {}
            Location::Outside { .. } if stated.is_in_passing() => {}
            Location::Outside { .. } => self.taken.outside(kind, written(), at),
            Location::Absent(path) => {
                if is_placeholder(&path) || self.site_adr(&path, stated, at) || self.stale(&path, kind, stated, at) {
                    return;
                }
                let name = last(&path);
                if field || stated == PathSource::Link && has_document_extension(name) {
                    self.taken.dangling(kind, written(), at);
                }
            }
            Location::UnknownRepo if stated == PathSource::Text && !adr => {}
            Location::UnknownRepo => {
                let message = format!("`{}` cannot be placed without knowing which repo this is", shown(target));
                self.taken.warn(Code::UnknownRepo, at, message, "set `github.repo: owner/name`");
            }
            // A value of our own field that is no address at all leads nowhere.
            Location::Elsewhere if field && scheme(target).is_some() && !target.contains("//") => {
                self.taken.dangling(kind, written(), at);
            }
            Location::Folder | Location::Foreign | Location::Elsewhere => {}
        }
    }

    /// A site's address of an ADR: `/adr/27`, `/adr/0027-use-x`.
    fn site_adr(&mut self, path: &str, stated: PathSource, at: &ShownPlace) -> bool {
        let path = path.trim_end_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if stated.is_in_passing() || !is_adr_folder(last(folder)) || has_document_extension(name) {
            return false;
        }
        let index = self.locator.index;
        let adrs = match number(name) {
            Some(number) => index.adrs_numbered(number),
            None => index.adrs_named(name),
        };
        let [one] = adrs else { return false };
        if self.locator.files.has(one) {
            self.taken.take(one.clone(), None, true, at);
        }
        self.locator.files.has(one)
    }

    /// A file whose folder changed is known by its name, where only one has it.
    fn stale(&mut self, path: &str, kind: FileKind, stated: PathSource, at: &ShownPlace) -> bool {
        let name = last(path);
        let adr = self.known_adr(name);
        let document = || {
            let reported = !stated.is_in_passing() && kind == FileKind::Document;
            let found = self.locator.files.only_document(name).filter(|_| reported)?;
            (!self.taken.is_own(found)).then(|| found.clone())
        };
        let is_adr = adr.is_some();
        let Some(found) = adr.or_else(document) else {
            return false;
        };
        if path.contains('/') {
            let message = format!("`{}` is now `{found}`", shown(path));
            self.taken.warn(Code::StaleReference, at, message, "correct the folder");
        }
        self.taken.take(found, None, is_adr, at);
        true
    }

    /// The only ADR with this file name.
    fn known_adr(&self, name: &str) -> Option<RepoPath> {
        match self.locator.index.adrs_named(name) {
            [one] if self.locator.files.has(one) && !is_usual(name) => Some(one.clone()),
            _ => None,
        }
    }

    /// Whether a folder is named because an item lies in it: then it is a relation.
    fn names_item(&self, target: &str, base: &RepoPath) -> bool {
        let paths = [RepoPath::new(target.trim_start_matches('/')), base.beside(target)];
        paths.iter().flatten().any(|path| self.locator.index.in_folder(path).len() == 1)
    }

    /// Whether a path is meant as that of an ADR, by its file's and its folder's name.
    fn like_adr(&self, path: &str) -> bool {
        let path = path.split(['#', '?']).next().unwrap_or_default();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let numbered = adr_number(name).is_some();
        is_adr_folder(last(folder)) && has_document_extension(name)
            || numbered && (self.locator.index.holds_adrs(last(folder)) || name.to_ascii_lowercase().starts_with("adr"))
    }

    fn numbers(&mut self) {
        for AdrNumber { number, written, at, tracked } in std::mem::take(&mut self.numbers) {
            let all = self.locator.index.adrs_numbered(number);
            let files = if tracked { self.tracked } else { self.all };
            let there: Vec<&RepoPath> = all.iter().filter(|path| files.has(path)).collect();
            if all.iter().any(|path| self.taken.has(path)) {
                continue;
            }
            match there.as_slice() {
                [] if self.locator.rules.adrs.is_empty() => {}
                [] => self.taken.dangling(FileKind::Adr, written, &at),
                [one] => self.taken.take((*one).clone(), None, true, &at),
                many => self.taken.ambiguous(written, many, &at),
            }
        }
    }
}

/// The number of a value that is nothing but the name of an ADR: `ADR-0012`, `adr 12`.
fn adr_token(value: &str) -> Option<u64> {
    let head = value.get(..3).filter(|head| head.eq_ignore_ascii_case("adr"))?;
    number(value[head.len()..].trim_start_matches(['-', '_', ' ', '#', ':']))
}

/// Whether a value is meant as a path or an address rather than as words.
fn is_path(value: &str) -> bool {
    !value.contains(char::is_whitespace) && (value.contains('/') || has_document_extension(value))
        || value.contains('/') && has_document_extension(value)
}

fn is_adr_folder(name: &str) -> bool {
    ["adr", "adrs", "decision", "decisions"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a path or name only shows the form of one: `ADR-XXXX-title.md`, `<name>.md`.
fn is_placeholder(path: &str) -> bool {
    path.contains("XXX")
        || path.contains("NNN")
        || path.contains("...")
        || path.contains(['<', '>', '{', '}', '*', '…'])
}

#[cfg(test)]
mod tests;
