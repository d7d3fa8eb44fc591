//! The references of an item to files by their paths; those to documents, which are found by the path or a unique name.

use super::ReferenceSearch;
use crate::graph::file_references::{Absence, FileKind, ShownPlace};
use crate::graph::files::{is_document, is_text_name};
use crate::graph::link::WebAddress;
use crate::graph::locate::Location;
use crate::graph::names::last;
use crate::graph::quote::{Quoter, one_line, shortened};
use crate::mentions::{Reference, ReferenceForm, adr_number, scheme};
use crate::model::{Code, RepoPath, has_document_extension, is_other_script, with_slashes};
use crate::redact::Clean;
use std::borrow::Cow;

/// The most letters of prose before a path that are looked at one by one.
const MAX_PROSE: usize = 16;

/// The kind of text that names a path; it decides what counts and what is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathSource {
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

impl PathSource {
    /// Returns whether a missing file is not reported, because the text does not clearly refer to a file.
    pub(super) fn is_in_passing(self) -> bool {
        matches!(self, Self::Prose | Self::Text)
    }

    fn is_field(self) -> bool {
        matches!(self, Self::AdrField | Self::DocField)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Quotation<'m> {
    Value(&'m Clean),
    Line(&'m Quoter<'m>, u32),
}

impl Quotation<'_> {
    pub(super) fn find(&self, words: &[&str]) -> Option<Clean> {
        match self {
            Self::Value(value) => Some(shortened(value)),
            Self::Line(quotes, line) => quotes.find(*line, words),
        }
    }
}

/// A path in a text of the item, with what decides how it is read.
pub(super) struct FileMention<'m> {
    pub(super) reference: &'m Reference,
    /// The path as it is looked up.
    pub(super) target: Cow<'m, str>,
    pub(super) source: PathSource,
    pub(super) base: &'m RepoPath,
    pub(super) at: &'m ShownPlace,
    pub(super) quotation: Quotation<'m>,
}

impl FileMention<'_> {
    pub(super) fn has_lines(&self) -> bool {
        !self.reference.lines.is_empty()
    }

    pub(super) fn is_in_passing(&self) -> bool {
        self.source.is_in_passing()
    }

    pub(super) fn is_linked_address(&self, host: &str) -> bool {
        self.reference.form == ReferenceForm::Link && WebAddress::read(&self.reference.target, host).is_some()
    }

    pub(super) fn quoted(&self) -> Clean {
        match self.quotation {
            Quotation::Value(value) => shortened(value),
            Quotation::Line(quotes, line) => {
                let written = &self.reference.target;
                quotes.find_or_line(line, &[written, &written.replace('/', "\\")])
            }
        }
    }
}

impl<'a> ReferenceSearch<'a> {
    pub(super) fn add_path(&mut self, mut mention: FileMention<'_>) {
        let located = self.located(&mut mention);
        let FileMention { source, at, .. } = mention;
        let form = mention.reference.form;
        let is_named_document = source.is_in_passing() && is_bare_document(form, &mention.target);
        let is_file = matches!(located, Location::File { .. });
        // The name of a document without a folder is no reference, unless a line is stated or it is never opened.
        let is_no_reference = is_named_document && located != Location::Denied && !(mention.has_lines() && is_file);
        if self.add_boilerplate(&mention, &located) || is_no_reference {
            return;
        }
        let target = &*mention.target;
        let is_adr = source == PathSource::AdrField || self.is_like_adr(target);
        let is_code = is_code_like(target);
        let other = if is_code { FileKind::Code } else { FileKind::Document };
        let kind = if is_adr { FileKind::Adr } else { other };
        let may_be_code = is_code || form == ReferenceForm::Trace || leads_to_code(target, &located);
        if !is_adr && may_be_code && self.add_code(&mention, &located) {
            return;
        }
        let absence = match located {
            Location::File { path, anchor } => {
                let is_name = form != ReferenceForm::Link
                    && source.is_in_passing()
                    && !target.contains('/')
                    && !mention.has_lines();
                let is_adr = source == PathSource::AdrField || self.index.is_adr(&path);
                if is_adr || source.is_field() || is_document(&path) && !is_name {
                    self.collected.add_file(path, anchor, is_adr, at);
                }
                return;
            }
            Location::Denied => Absence::Denied,
            Location::Folder if source.is_field() && !self.names_item(&mention) => Absence::NotInRepo,
            Location::Outside { from_root } => {
                let is_site_adr = from_root.is_some_and(|path| self.add_site_adr(&path, source, at));
                if is_site_adr || source.is_in_passing() {
                    return;
                }
                Absence::OutsideRepo
            }
            Location::Absent(path) => {
                let is_reported =
                    source.is_field() || source == PathSource::Link && has_document_extension(last(&path));
                let is_settled = is_placeholder(&path)
                    || self.add_site_adr(&path, source, at)
                    || self.add_renamed(&path, kind, source, at);
                if is_settled || !is_reported {
                    return;
                }
                Absence::NotInRepo
            }
            Location::UnknownRepo if source != PathSource::Text || is_adr => {
                let message = format!("`{}` cannot be placed without knowing which repo this is", one_line(target));
                return self.collected.warn(Code::UnknownRepo, at, message, "set `github.repo: owner/name`");
            }
            // A value of `adrs` or `docs` that is not a web address leads nowhere.
            Location::Elsewhere if source.is_field() && scheme(target).is_some() && !target.contains("//") => {
                Absence::NotInRepo
            }
            Location::Folder | Location::Foreign | Location::Elsewhere | Location::UnknownRepo => return,
        };
        self.collected.add_missing(kind, mention.quoted(), absence, at);
    }

    /// Returns the place that a path leads to, and reads the path without `\`, without the prose that it is joined to, as in
    /// `参照docs/a.md`, and without the folders of another machine before that of a document.
    fn located(&self, mention: &mut FileMention<'_>) -> Location {
        if !self.locator.files.has_literally(&mention.reference.target) {
            mention.target = with_slashes(&mention.reference.target);
        }
        let target = &*mention.target;
        let located = self.locator.locate(target, mention.base);
        let is_open = matches!(located, Location::Absent(_) | Location::Outside { .. });
        if !is_open || mention.reference.form == ReferenceForm::Link || !mention.is_in_passing() {
            return located;
        }
        if target.starts_with('/') && has_document_extension(target) {
            return match self.of_absolute(target, mention.has_lines())[..] {
                [path] => Location::File { path: path.clone(), anchor: None },
                _ => located,
            };
        }
        let is_prose = |c: &char| !c.is_ascii() && (is_other_script(*c) || !c.is_alphanumeric());
        let begins = |rest: &&str| rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '@'));
        let prose = target.char_indices().take_while(|(_, c)| is_prose(c)).take(MAX_PROSE);
        let rests = prose.map(|(at, c)| &target[at + c.len_utf8()..]).filter(begins);
        let mut last = None;
        for rest in rests {
            let found = self.locator.locate(rest, mention.base);
            let is_found = matches!(found, Location::File { .. } | Location::Denied);
            last = Some((rest.to_owned(), found));
            if is_found {
                break;
            }
        }
        let Some((rest, found)) = last else { return located };
        mention.target = Cow::Owned(rest);
        found
    }

    /// Returns the name of a file that is boilerplate, such as a licence. A program that is called `license.rs` is none.
    pub(super) fn boilerplate_name(&self, path: &RepoPath) -> Option<&'a Clean> {
        let all = &self.locator.rules.boilerplate;
        let index = all.binary_search_by(|(known, _)| known.cmp(path)).ok()?;
        all.get(index).map(|(_, name)| name).filter(|_| is_document(path) || is_text_name(path))
    }

    /// Adds the omission of a file that is boilerplate, if it is clearly meant as a file, and returns whether the text only
    /// names such a file in passing.
    fn add_boilerplate(&mut self, mention: &FileMention<'_>, located: &Location) -> bool {
        let Location::File { path, .. } = located else { return false };
        if mention.source.is_field() || self.in_title || self.index.is_adr(path) {
            return false;
        }
        let Some(name) = self.boilerplate_name(path) else { return false };
        let kind = if is_document(path) { FileKind::Document } else { FileKind::Code };
        let is_word = mention.reference.form == ReferenceForm::Path && !mention.has_lines() && path.dir().is_empty();
        if !is_word && !self.collected.contains(path) && !self.is_item_file(path) {
            self.collected.add_missing(kind, name.clone(), Absence::Boilerplate, mention.at);
        }
        true
    }

    /// Adds the only file with the name of a missing path: its folder was renamed.
    fn add_renamed(&mut self, path: &str, kind: FileKind, source: PathSource, at: &ShownPlace) -> bool {
        let name = last(path);
        let adr = self.known_adr(name);
        let is_adr = adr.is_some();
        let document = || {
            let is_reported = !source.is_in_passing() && kind == FileKind::Document;
            let found = self.locator.files.only_document(name).filter(|_| is_reported)?;
            (!self.collected.is_own(found)).then(|| found.clone())
        };
        let Some(found) = adr.or_else(document) else { return false };
        if path.contains('/') {
            let message = format!("`{}` is now `{found}`", one_line(path));
            self.collected.warn(Code::StaleReference, at, message, "correct the folder");
        }
        self.collected.add_file(found, None, is_adr, at);
        true
    }

    /// Returns whether a folder is named because one item is in it: then it is a relation.
    fn names_item(&self, mention: &FileMention<'_>) -> bool {
        let paths = [RepoPath::new(mention.target.trim_start_matches('/')), mention.base.beside(&mention.target)];
        paths.iter().flatten().any(|path| self.index.in_folder(path).len() == 1)
    }
}

/// Returns whether a target is written as that of a file which is no document.
fn is_code_like(target: &str) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let path = path.split_once(':').filter(|_| scheme(path).is_none()).map_or(path, |(path, _)| path);
    let name = last(path);
    let is_web = WebAddress::read(target, "").is_some();
    !is_web && !target.contains(char::is_whitespace) && name.contains('.') && !has_document_extension(name)
}

/// Returns whether a path was found to be code, or could be.
fn leads_to_code(target: &str, located: &Location) -> bool {
    match located {
        Location::Denied => !has_document_extension(last(target.split(['#', '?']).next().unwrap_or_default())),
        Location::File { path, .. } => !is_document(path),
        Location::Absent(path) => !has_document_extension(last(path)),
        _ => false,
    }
}

/// Returns whether a mention is the name of a document without a folder and without the number of an ADR: `NOTES.md`.
pub(super) fn is_bare_document(form: ReferenceForm, target: &str) -> bool {
    let path = target.split('#').next().unwrap_or(target);
    matches!(form, ReferenceForm::Path | ReferenceForm::CodeSpan)
        && !path.contains('/')
        && has_document_extension(path)
        && adr_number(path).is_none()
}

/// Returns whether a path or name only shows the form of one: `ADR-XXXX-title.md`, `<name>.md`.
pub(super) fn is_placeholder(path: &str) -> bool {
    let has_form = ["XXX", "NNN", "..."].iter().any(|form| path.contains(form));
    has_form || path.contains(['<', '>', '{', '}', '*', '…'])
}
