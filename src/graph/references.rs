//! The references of an item: ADRs, documents and code of the repo.

mod code;

use super::collector::ReferenceCollector;
use super::files::{FileLookup, RepoFiles, SuffixMatch, is_document, is_text_name, is_usual};
use super::index::last;
use super::link::{IssueMention, WebAddress, number, scheme};
use super::locate::{Location, Locator};
use super::quote::{Quoter, one_line, shortened};
use super::resolve::target_of_link;
use super::{Corpus, Entry, FileKind, Graph, ItemReferences, Node, ParsedText, ShownPlace, Value};
use crate::mentions::{Reference, ReferenceForm, adr_number, lines_of_target, references_in_line};
use crate::model::{
    Code, LineRange, RepoPath, has_document_extension, is_other_script, is_typographic_hyphen, with_slashes,
};
use crate::records::{Body, Origin};
use crate::redact::{Clean, CleanBuf};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Graph {
    /// Returns the ADRs, documents and code files that an item refers to, in its fields, its title and its body.
    pub fn references(&self, corpus: &Corpus, item: usize, lookup: &FileLookup<'_>) -> ItemReferences {
        let Some(entry) = corpus.entries.get(item) else {
            return ItemReferences::default();
        };
        let FileLookup { files, tracked, denied, generated } = *lookup;
        let locator = Locator { rules: &corpus.rules, index: &self.index, files, denied };
        let mut search = ReferenceSearch {
            entry,
            locator,
            all: files,
            tracked,
            generated,
            base_kind: PathBase::File,
            in_title: false,
            numbers: Vec::new(),
            mentioned: BTreeSet::new(),
            collected: ReferenceCollector::of(entry),
        };
        search.set_origin(corpus, &entry.item.origin);
        search.add_fields();
        search.set_origin(corpus, &entry.item.body.origin);
        search.add_body(&entry.item.body, &entry.body);
        if let Some(draft) = &entry.draft {
            search.set_origin(corpus, &draft.body.origin);
            search.add_body(&draft.body, &draft.text);
        }
        search.resolve_numbers();
        search.collected.finish()
    }
}

/// The kind of text that names a path; it decides what counts and what is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathSource {
    /// The field `adrs`: every file that it names is an ADR.
    AdrField,
    /// The field `docs`: any file counts.
    DocField,
    /// A link: missing documents are reported.
    Link,
    /// Prose: only existing files count.
    Prose,
    /// Another field: only existing files and numbers of ADRs count.
    Text,
}

/// The form of a path and its context, which decide whether it is a reference to code.
#[derive(Debug, Clone, Copy)]
struct PathForm<'a> {
    form: ReferenceForm,
    lines: &'a [LineRange],
    /// The name of a repo directly before it.
    foreign: Option<&'a str>,
}

impl PathForm<'_> {
    fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }
}

impl PathSource {
    /// Returns whether a missing file is not reported, because the text does not clearly refer to a file.
    fn is_in_passing(self) -> bool {
        matches!(self, Self::Prose | Self::Text)
    }
}

/// The most letters of prose before a path that are looked at one by one.
const LONGEST_PROSE: usize = 16;

/// The most ADRs that a range names.
const LONGEST_RANGE: u64 = 100;

/// Fields whose values are read elsewhere, or that describe the item itself.
const NO_PROSE: [&str; 14] = [
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
    "title",
    "type",
];

/// The base against which the paths of a text are resolved.
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
    /// The number as written.
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
    generated: &'a (dyn Fn(&RepoPath) -> bool + Sync),
    base_kind: PathBase,
    /// Whether the item's title is read: what it names is what the work is about, even if it is boilerplate elsewhere.
    in_title: bool,
    numbers: Vec<AdrNumber>,
    /// The numbers among them.
    mentioned: BTreeSet<u64>,
    collected: ReferenceCollector<'a>,
}

impl<'a> ReferenceSearch<'a> {
    /// Sets the origin of the texts that are read next.
    fn set_origin(&mut self, corpus: &Corpus, origin: &Origin<Clean>) {
        let issue = self.entry.issue.as_ref().filter(|_| origin.url.is_some());
        self.base_kind = match issue {
            None => PathBase::File,
            Some(issue) if issue.is_here(&corpus.rules) => PathBase::Here,
            Some(_) => PathBase::Elsewhere,
        };
        self.locator.files = if self.base_kind == PathBase::File { self.all } else { self.tracked };
    }

    /// Returns the file from which the paths of a text in `path` are resolved.
    fn base(&self, path: &RepoPath) -> RepoPath {
        if self.base_kind == PathBase::File { path.clone() } else { RepoPath::root() }
    }

    fn add_number(&mut self, number: u64, written: Clean, at: ShownPlace) {
        if !self.mentioned.insert(number) {
            return;
        }
        let tracked = self.base_kind != PathBase::File;
        self.numbers.push(AdrNumber { number, written, at, tracked });
    }

    fn add_fields(&mut self) {
        let item = &self.entry.item;
        let place = |line| ShownPlace { path: item.origin.path.clone(), line };
        let file = &item.origin.path;
        for mention in &item.adrs {
            self.add_adr_field(&mention.value, place(mention.line));
        }
        for mention in &item.docs {
            self.add_doc_field(&mention.value, place(mention.line));
        }
        // An item that claims an issue has fields of the issue too, which anyone may have written.
        let files = self.locator.files;
        if self.entry.issue.is_some() {
            self.locator.files = self.tracked;
        }
        for field in item.fields.iter().filter(|field| !NO_PROSE.contains(&&*field.name)) {
            self.add_node(&field.node);
        }
        self.locator.files = files;
        // The title of an ADR has its own number, which may differ from that of its file.
        if !self.locator.index.is_adr(file) {
            self.in_title = true;
            self.add_line(&item.title, place(item.line), PathSource::Prose);
            self.in_title = false;
        }
    }

    /// Adds the ADRs that the texts of any other field name.
    fn add_node(&mut self, node: &Node<Clean>) {
        match &node.value {
            Value::Null => {}
            Value::Scalar { text, .. } => {
                let at = ShownPlace { path: self.entry.item.origin.path.clone(), line: node.line };
                self.add_line(text, at, PathSource::Text);
            }
            Value::List(nodes) => nodes.iter().for_each(|node| self.add_node(node)),
            Value::Map(pairs) => pairs.iter().for_each(|(_, node)| self.add_node(node)),
        }
    }

    fn add_adr_field(&mut self, value: &Clean, at: ShownPlace) {
        let target = &*with_slashes(target_of_link(value.trim()));
        if let Some(number) = number(target).or_else(|| adr_token(target)) {
            self.add_number(number, shortened(value), at);
        } else if is_placeholder(target) {
        } else if is_path(target) || self.known_adr(target).is_some() {
            self.add_path(target, PathSource::AdrField, &at, || shortened(value));
        } else if !self.add_line(value, at.clone(), PathSource::AdrField) {
            self.collected.add_dangling(FileKind::Adr, shortened(value), &at);
        }
    }

    fn add_doc_field(&mut self, value: &Clean, at: ShownPlace) {
        let target = &*with_slashes(target_of_link(value.trim()));
        if let Some(number) = adr_token(target) {
            self.add_number(number, shortened(value), at);
            return;
        }
        let there = self.locator.locate(target, &self.entry.item.origin.path);
        if matches!(there, Location::Absent(_) | Location::Folder | Location::Elsewhere) && self.is_item(target) {
            return;
        }
        // Words without a path are no reference; they stay in the item's fields.
        let words = matches!(there, Location::Absent(_)) && target.contains(char::is_whitespace);
        if words && (self.add_line(value, at.clone(), PathSource::DocField) || !is_path(target)) {
            return;
        }
        self.add_path(target, PathSource::DocField, &at, || shortened(value));
    }

    /// Returns whether a value names an item or an issue, and so no file.
    fn is_item(&self, value: &str) -> bool {
        let index = self.locator.index;
        index.exact(value).is_some()
            || !index.any_case(value).is_empty()
            || IssueMention::read(value, &self.locator.rules.host).is_some()
    }

    /// Adds the references of a text of one line, and returns whether there are any.
    fn add_line(&mut self, text: &Clean, at: ShownPlace, source: PathSource) -> bool {
        let mut references = references_in_line(text, at.line);
        if !source.is_in_passing() {
            // Parts of a file's name with spaces are no paths: `tasks/4 - Cache.md`.
            references.retain(|reference| !is_weak(reference));
        }
        let mut quotes = Quoter::of(text);
        let base = self.base(&self.entry.item.origin.path);
        for reference in self.counting(&references, &base) {
            let mut reference = reference.clone();
            // A field that is a path and nothing else is meant as one.
            if reference.form == ReferenceForm::Path && !text.trim().contains(char::is_whitespace) {
                reference.form = ReferenceForm::CodeSpan;
            }
            let reference = &reference;
            let source = match (reference.form, source) {
                (ReferenceForm::Link, PathSource::Prose) => PathSource::Link,
                _ => source,
            };
            self.add_reference(reference, source, 1, &mut quotes, at.clone(), &base);
        }
        !references.is_empty()
    }

    fn add_body(&mut self, body: &Body<Clean>, text: &ParsedText) {
        let file = &body.origin.path;
        let base = self.base(file);
        let mut quotes = Quoter::of(&text.clean);
        let own =
            self.locator.index.is_adr(file).then(|| text.markdown.outline.headings.first().map(|h| h.line)).flatten();
        for reference in self.counting(&text.markdown.mentions.references, &base) {
            if reference.form == ReferenceForm::AdrNumber && own == Some(reference.line) {
                continue;
            }
            let at = ShownPlace { path: file.clone(), line: text.line_in_file(body, reference.line) };
            let source = if reference.form == ReferenceForm::Link { PathSource::Link } else { PathSource::Prose };
            self.add_reference(reference, source, reference.line, &mut quotes, at, &base);
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

    /// Adds one reference; `line` is its line in the text of `quotes`.
    fn add_reference(
        &mut self,
        reference: &Reference,
        source: PathSource,
        line: u32,
        quotes: &mut Quoter<'_>,
        at: ShownPlace,
        base: &RepoPath,
    ) {
        let target = reference.target.as_str();
        let address = || WebAddress::read(target, &self.locator.rules.host).is_some();
        if self.base_kind == PathBase::Elsewhere && (reference.form != ReferenceForm::Link || !address()) {
            return;
        }
        if reference.form == ReferenceForm::AdrsBetween {
            return self.add_adrs_between(reference, &at);
        }
        if reference.form != ReferenceForm::AdrNumber {
            let form =
                PathForm { form: reference.form, lines: &reference.lines, foreign: reference.foreign.as_deref() };
            let written = || quotes.find_or_line(line, &[target, &target.replace('/', "\\")]);
            return self.add_path_from(target, form, source, &at, base, written);
        }
        // Of one number the first mention counts.
        let new = |number: &u64| reference.foreign.is_none() && !self.mentioned.contains(number);
        let Some(number) = number(target).filter(new) else {
            return;
        };
        match reference.link.as_deref().map(|link| self.locator.locate(link, base)) {
            Some(Location::Foreign) => return,
            // The link is a reference of its own and takes precedence; a missing target is reported for it.
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
        self.add_number(number, written, at);
    }

    /// Adds the ADRs that there are between two numbers: `ADR-001 through ADR-004`.
    fn add_adrs_between(&mut self, reference: &Reference, at: &ShownPlace) {
        let ends = reference.target.split_once('-').and_then(|(first, last)| Some((number(first)?, number(last)?)));
        let Some((first, last)) = ends.filter(|_| reference.foreign.is_none()) else { return };
        if last.saturating_sub(first) > LONGEST_RANGE {
            return;
        }
        for number in first + 1..last {
            if !self.locator.index.adrs_numbered(number).is_empty() {
                let mut text = CleanBuf::new();
                text.lit("ADR-").number(number);
                self.add_number(number, text.finish(), at.clone());
            }
        }
    }

    fn add_path(&mut self, target: &str, source: PathSource, at: &ShownPlace, written: impl Fn() -> Clean) {
        let base = self.base(&self.entry.item.origin.path);
        let lines = lines_of_target(target);
        let form = PathForm { form: ReferenceForm::Link, lines: &lines, foreign: None };
        self.add_path_from(target, form, source, at, &base, written);
    }

    fn add_path_from(
        &mut self,
        target: &str,
        form: PathForm<'_>,
        source: PathSource,
        at: &ShownPlace,
        base: &RepoPath,
        mut written: impl FnMut() -> Clean,
    ) {
        let field = matches!(source, PathSource::AdrField | PathSource::DocField);
        let (target, located) = self.located(target, form, source, base);
        let target = &*target;
        if self.is_boilerplate(&located, field) {
            return self.add_boilerplate(&located, form, at);
        }
        // The name of a document without a folder is no reference, unless a line is stated or it is never opened.
        let bare = source.is_in_passing() && is_bare_document(form.form, target);
        if bare
            && !matches!(located, Location::Denied)
            && !(form.has_lines() && matches!(located, Location::File { .. }))
        {
            return;
        }
        let adr = source == PathSource::AdrField || self.like_adr(target);
        let kind = if adr {
            FileKind::Adr
        } else if code::is_code_like(target) {
            FileKind::Code
        } else {
            FileKind::Document
        };
        let trace = form.form == ReferenceForm::Trace;
        if !adr && (kind == FileKind::Code || trace || code::leads_to_code(target, &located)) {
            match self.add_code(target, &located, form, source, at, &mut written) {
                code::CodeAnswer::Settled => return,
                code::CodeAnswer::Open => {}
            }
        }
        match located {
            Location::File { path, anchor } => {
                let bare = form.form != ReferenceForm::Link
                    && source.is_in_passing()
                    && !target.contains('/')
                    && !form.has_lines();
                let adr = source == PathSource::AdrField || self.locator.index.is_adr(&path);
                if adr || field || is_document(&path) && !bare {
                    self.collected.add_file(path, anchor, adr, at);
                }
            }
            Location::Denied => self.collected.add_denied(kind, written(), at),
            Location::Folder if self.names_item(target, base) => {}
            Location::Folder if field => self.collected.add_dangling(kind, written(), at),
            Location::Outside { from_root: Some(path) } if self.add_site_adr(&path, source, at) => {}
            Location::Outside { .. } if source.is_in_passing() => {}
            Location::Outside { .. } => self.collected.add_outside(kind, written(), at),
            Location::Absent(path) => {
                if is_placeholder(&path)
                    || self.add_site_adr(&path, source, at)
                    || self.add_renamed(&path, kind, source, at)
                {
                    return;
                }
                let name = last(&path);
                if field || source == PathSource::Link && has_document_extension(name) {
                    self.collected.add_dangling(kind, written(), at);
                }
            }
            Location::UnknownRepo if source == PathSource::Text && !adr => {}
            Location::UnknownRepo => {
                let message = format!("`{}` cannot be placed without knowing which repo this is", one_line(target));
                self.collected.warn(Code::UnknownRepo, at, message, "set `github.repo: owner/name`");
            }
            // A value of `adrs` or `docs` that is not a web address leads nowhere.
            Location::Elsewhere if field && scheme(target).is_some() && !target.contains("//") => {
                self.collected.add_dangling(kind, written(), at);
            }
            Location::Folder | Location::Foreign | Location::Elsewhere => {}
        }
    }

    /// Returns the place that a path leads to, and the path without `\`, without the prose that it is joined to, as in
    /// `参照docs/a.md`, and without the folders of another machine before that of a document.
    fn located<'t>(
        &self,
        target: &'t str,
        form: PathForm<'_>,
        source: PathSource,
        base: &RepoPath,
    ) -> (Cow<'t, str>, Location) {
        let target =
            if self.locator.files.has_literally(target) { Cow::Borrowed(target) } else { with_slashes(target) };
        let located = self.locator.locate(&target, base);
        let is_open = matches!(located, Location::Absent(_) | Location::Outside { .. });
        if !is_open || form.form == ReferenceForm::Link || !source.is_in_passing() {
            return (target, located);
        }
        if target.starts_with('/') && has_document_extension(&target) {
            return match self.of_absolute(&target, form.has_lines()) {
                SuffixMatch::One(path) => (target, Location::File { path: path.clone(), anchor: None }),
                _ => (target, located),
            };
        }
        let is_prose = |c: &char| !c.is_ascii() && (is_other_script(*c) || !c.is_alphanumeric());
        let prose: usize = target.chars().take_while(is_prose).take(LONGEST_PROSE).map(char::len_utf8).sum();
        let begins = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '@'));
        let ends = target.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= prose);
        let rests = ends.filter_map(|end| target.get(end..)).filter(|rest| begins(rest));
        let mut last = None;
        for rest in rests {
            let there = self.locator.locate(rest, base);
            let found = matches!(there, Location::File { .. } | Location::Denied);
            last = Some((rest.to_owned(), there));
            if found {
                break;
            }
        }
        last.map_or((target, located), |(rest, there)| (Cow::Owned(rest), there))
    }

    /// Returns whether a path leads to boilerplate, such as a licence, that the text only names in passing.
    fn is_boilerplate(&self, located: &Location, field: bool) -> bool {
        let Location::File { path, .. } = located else { return false };
        !field && !self.in_title && self.boilerplate_name(path).is_some() && !self.locator.index.is_adr(path)
    }

    /// Returns the name of a file that is boilerplate. A program that is called `license.rs` is none.
    fn boilerplate_name(&self, path: &RepoPath) -> Option<&'a Clean> {
        let all = &self.locator.rules.boilerplate;
        let index = all.binary_search_by(|(known, _)| known.cmp(path)).ok()?;
        let text = is_document(path) || is_text_name(path);
        text.then(|| all.get(index).map(|(_, name)| name))?
    }

    /// Adds the omission of a file that is boilerplate, if it is clearly meant as a file.
    fn add_boilerplate(&mut self, located: &Location, form: PathForm<'_>, at: &ShownPlace) {
        let Location::File { path, .. } = located else { return };
        let Some(name) = self.boilerplate_name(path) else { return };
        let kind = if is_document(path) { FileKind::Document } else { FileKind::Code };
        let bare = form.form == ReferenceForm::Path && !form.has_lines() && path.dir().is_empty();
        if !bare && !self.collected.contains(path) && !self.is_item_file(path) {
            self.collected.add_boilerplate(kind, name.clone(), at);
        }
    }

    /// Adds the ADR that a path of a generated site names: `/adr/27`, `/adr/0027-use-x`.
    fn add_site_adr(&mut self, path: &str, source: PathSource, at: &ShownPlace) -> bool {
        let path = path.trim_end_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if source.is_in_passing() || !is_adr_folder(last(folder)) || has_document_extension(name) {
            return false;
        }
        let index = self.locator.index;
        let adrs = match number(name) {
            Some(number) => index.adrs_numbered(number),
            None => index.adrs_named(name),
        };
        let [one] = adrs else { return false };
        if self.locator.files.has(one) {
            self.collected.add_file(one.clone(), None, true, at);
        }
        self.locator.files.has(one)
    }

    /// Adds the only file with the name of a missing path: its folder was renamed.
    fn add_renamed(&mut self, path: &str, kind: FileKind, source: PathSource, at: &ShownPlace) -> bool {
        let name = last(path);
        let adr = self.known_adr(name);
        let document = || {
            let reported = !source.is_in_passing() && kind == FileKind::Document;
            let found = self.locator.files.only_document(name).filter(|_| reported)?;
            (!self.collected.is_own(found)).then(|| found.clone())
        };
        let is_adr = adr.is_some();
        let Some(found) = adr.or_else(document) else {
            return false;
        };
        if path.contains('/') {
            let message = format!("`{}` is now `{found}`", one_line(path));
            self.collected.warn(Code::StaleReference, at, message, "correct the folder");
        }
        self.collected.add_file(found, None, is_adr, at);
        true
    }

    /// Returns the only ADR with this file name.
    fn known_adr(&self, name: &str) -> Option<RepoPath> {
        match self.locator.index.adrs_named(name) {
            [one] if self.locator.files.has(one) && !is_usual(name) => Some(one.clone()),
            _ => None,
        }
    }

    /// Returns whether a folder is named because one item is in it: then it is a relation.
    fn names_item(&self, target: &str, base: &RepoPath) -> bool {
        let paths = [RepoPath::new(target.trim_start_matches('/')), base.beside(target)];
        paths.iter().flatten().any(|path| self.locator.index.in_folder(path).len() == 1)
    }

    /// Returns whether the names of a path's file and folder are those of an ADR.
    fn like_adr(&self, path: &str) -> bool {
        let path = path.split(['#', '?']).next().unwrap_or_default();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let numbered = adr_number(name).is_some();
        is_adr_folder(last(folder)) && has_document_extension(name)
            || numbered && (self.locator.index.holds_adrs(last(folder)) || name.to_ascii_lowercase().starts_with("adr"))
    }

    fn resolve_numbers(&mut self) {
        for AdrNumber { number, written, at, tracked } in std::mem::take(&mut self.numbers) {
            let all = self.locator.index.adrs_numbered(number);
            let files = if tracked { self.tracked } else { self.all };
            let there: Vec<&RepoPath> = all.iter().filter(|path| files.has(path)).collect();
            if all.iter().any(|path| self.collected.contains(path)) {
                continue;
            }
            match there.as_slice() {
                [] => self.collected.add_dangling(FileKind::Adr, written, &at),
                [one] => self.collected.add_file((*one).clone(), None, true, &at),
                many => self.collected.add_ambiguous(FileKind::Adr, written, many, &at),
            }
        }
    }
}

/// Returns whether a mention is the name of a document without a folder and without the number of an ADR: `NOTES.md`.
fn is_bare_document(form: ReferenceForm, target: &str) -> bool {
    let path = target.split('#').next().unwrap_or(target);
    matches!(form, ReferenceForm::Path | ReferenceForm::CodeSpan)
        && !path.contains('/')
        && has_document_extension(path)
        && adr_number(path).is_none()
}

/// Returns whether a mention in prose is a path only if there is such a file: it has no extension, or no folder.
fn is_weak(reference: &Reference) -> bool {
    is_bare_document(reference.form, &reference.target)
        || reference.form == ReferenceForm::Path && !last(&reference.target).contains('.')
}

/// Returns the number of a value that is only the name of an ADR: `ADR-0012`, `adr 12`.
fn adr_token(value: &str) -> Option<u64> {
    let head = value.get(..3).filter(|head| head.eq_ignore_ascii_case("adr"))?;
    let rest = value[head.len()..].trim_start_matches(['-', '_', ' ', '#', ':']);
    number(rest.trim_start_matches(is_typographic_hyphen))
}

/// Returns whether a value looks like a path or a web address rather than words.
fn is_path(value: &str) -> bool {
    !value.contains(char::is_whitespace) && (value.contains('/') || has_document_extension(value))
        || value.contains('/') && has_document_extension(value)
}

fn is_adr_folder(name: &str) -> bool {
    ["adr", "adrs", "decision", "decisions"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns whether a path or name only shows the form of one: `ADR-XXXX-title.md`, `<name>.md`.
fn is_placeholder(path: &str) -> bool {
    path.contains("XXX")
        || path.contains("NNN")
        || path.contains("...")
        || path.contains(['<', '>', '{', '}', '*', '…'])
}

#[cfg(test)]
mod tests;
