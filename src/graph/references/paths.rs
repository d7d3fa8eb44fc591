//! The references of an item to files by their paths: documents, which are found by the path or a unique name, and code, any
//! other text file.

use super::ReferenceSearch;
use crate::graph::entry::ShownPlace;
use crate::graph::file_references::{Absence, FileKind};
use crate::graph::files::{is_document, is_listed, is_text_name, is_usual_code};
use crate::graph::link::{CommitFile, Location, WebAddress};
use crate::graph::names::last;
use crate::graph::quote::{Quoter, one_line, shortened};
use crate::mentions::{Reference, ReferenceForm, adr_number, scheme};
use crate::model::{Code, RepoPath, has_document_extension, is_git_name, is_other_script, with_slashes};
use crate::redact::Clean;
use std::borrow::Cow;

/// The most parts of an absolute path that are tried as the beginning of a path in the repo.
const MAX_PATH_PARTS: usize = 32;
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
        let is_denied = located == Location::Denied;
        // The name of a document without a folder is no reference, unless a line is stated or it is never opened.
        let is_no_reference = is_named_document && !is_denied && !(mention.has_lines() && is_file)
            || is_denied && source.is_in_passing() && !mention.has_lines() && self.is_absent_name(&mention.target);
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
            Location::Outside if source.is_in_passing() => return,
            Location::Outside => Absence::OutsideRepo,
            Location::Absent(path) => {
                let is_reported =
                    source.is_field() || source == PathSource::Link && has_document_extension(last(&path));
                let is_settled = is_placeholder(&path) || self.add_renamed(&path, kind, source, at);
                // Code that is gone, or still to be written.
                let is_named = form == ReferenceForm::CodeSpan && is_code && self.is_below_folder(&path);
                let is_place = mention.has_lines() && may_be_code && form != ReferenceForm::Trace;
                let is_sought = (is_place || is_named) && !path.starts_with('@') && mention.reference.foreign.is_none();
                if is_settled || !(is_reported || is_sought) {
                    return;
                }
                if is_reported { Absence::NotInRepo } else { Absence::NoSuchPlace }
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

    /// Returns the place that a path leads to without `\`, prose joined to it (`参照docs/a.md`) and folders of another machine.
    fn located(&self, mention: &mut FileMention<'_>) -> Location {
        if !self.locator.files.has_literally(&mention.reference.target) {
            mention.target = with_slashes(&mention.reference.target);
        }
        let target = &*mention.target;
        let located = self.locator.locate(target, mention.base);
        let is_open = matches!(located, Location::Absent(_) | Location::Outside);
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
    fn boilerplate_name(&self, path: &RepoPath) -> Option<&'a Clean> {
        let all = &self.locator.rules.boilerplate;
        let index = all.binary_search_by(|(known, _)| known.cmp(path)).ok()?;
        all.get(index).map(|(_, name)| name).filter(|_| is_document(path) || is_text_name(path))
    }

    /// Adds the omission of boilerplate that is clearly meant as a file; returns whether the text names it in passing.
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

    fn add_renamed(&mut self, path: &str, kind: FileKind, source: PathSource, at: &ShownPlace) -> bool {
        let name = last(path);
        let adr = self.known_adr(name);
        let is_adr = adr.is_some();
        let document = || {
            let is_reported = !source.is_in_passing() && kind == FileKind::Document;
            let [tracked, all] = [self.lookup.tracked, self.locator.files];
            let found = tracked.only_document(name).or_else(|| all.only_document(name)).filter(|_| is_reported)?;
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

    /// Adds the code file that a path leads to, if it is one; returns whether the rules for documents do not apply.
    fn add_code(&mut self, mention: &FileMention<'_>, located: &Location) -> bool {
        let commit = CommitFile::read(&mention.target, &self.locator.rules.host);
        if self.add_kept_code(mention, located, commit.as_ref()) {
            return true;
        }
        let target = &*mention.target;
        let is_trace = mention.reference.form == ReferenceForm::Trace;
        let is_absolute = target.starts_with('/') && !target.starts_with("//");
        let found = match located {
            Location::File { path, .. } => vec![path],
            Location::Denied => return self.add_denied_code(mention),
            Location::Absent(_) | Location::Outside if is_absolute && (is_trace || mention.is_in_passing()) => {
                self.of_absolute(target, is_trace || mention.has_lines())
            }
            Location::Absent(path) => match self.by_suffix(path, mention) {
                found if found.is_empty() => Vec::from_iter(self.moved(path, mention)),
                found => found,
            },
            // The folder that a program ran in is not known.
            Location::Outside if is_trace && target.starts_with("../") => self.by_suffix(target, mention),
            _ => return is_trace,
        };
        let [path] = found[..] else {
            self.add_ambiguous_code(mention, &found);
            return is_trace || !found.is_empty();
        };
        if is_document(path) || self.index.is_adr(path) {
            return is_trace;
        }
        let is_exact = matches!(located, Location::File { .. });
        if !self.is_item_file(path)
            && !(self.lookup.generated)(path)
            && !self.is_foreign(mention.reference.foreign.as_deref(), is_exact)
        {
            let commit = commit.and_then(|commit| {
                let quoted = mention.quoted();
                let start = quoted.find(commit.sha)?;
                Some(quoted.slice(start..start + commit.sha.len()))
            });
            self.collected
                .add_code(path.clone(), &mention.reference.lines, commit.as_ref(), mention.at, || mention.quoted());
        }
        true
    }

    /// Adds the lines of a commit that the snapshot keeps, even if the file does not exist any more.
    fn add_kept_code(&mut self, mention: &FileMention<'_>, located: &Location, named: Option<&CommitFile<'_>>) -> bool {
        let Some(CommitFile { repo, sha, path: Some(path) }) = named.filter(|_| mention.has_lines()) else {
            return false;
        };
        let is_no_code = is_document(path)
            || self.index.is_adr(path)
            || self.is_item_file(path)
            || (self.lookup.generated)(path)
            || self.boilerplate_name(path).is_some();
        // A name that was denied after the lines were fetched stays denied.
        let is_denied = *located == Location::Denied || (self.lookup.denied)(path);
        self.locator.rules.is_this(repo)
            && !is_no_code
            && !is_denied
            && self.collected.add_kept_code(path, &sha.to_ascii_lowercase(), &mention.reference.lines, mention.at)
    }

    /// Returns whether the first part of a path is a folder of the repo.
    fn is_below_folder(&self, path: &str) -> bool {
        let top = path.split_once('/').filter(|(top, _)| !top.starts_with('.'));
        let top = top.and_then(|(top, _)| RepoPath::new(top).ok());
        top.is_some_and(|top| self.lookup.files.is_folder(&top))
    }

    /// Returns whether a file is that of an item: then naming it is a relation.
    fn is_item_file(&self, path: &RepoPath) -> bool {
        !self.index.at_path(path).is_empty()
    }

    /// Returns whether a path is one of another repo. Ordinary words look like repos: an exact path here wins over all but `o/r`.
    fn is_foreign(&self, name: Option<&str>, is_exact: bool) -> bool {
        let Some(name) = name else { return false };
        let this = self.locator.rules.repo.as_deref().unwrap_or_default();
        if name.eq_ignore_ascii_case(this) || last(this).eq_ignore_ascii_case(name) {
            return false;
        }
        let files = self.lookup.files;
        let is_here = || RepoPath::new(name).is_ok_and(|path| files.is_folder(&path) || files.has(&path));
        if name.contains('/') { !is_here() } else { !is_exact }
    }

    /// Returns the only file with the unusual name of one that is clearly meant and not there, with a warning.
    fn moved(&mut self, path: &str, mention: &FileMention<'_>) -> Option<&'a RepoPath> {
        let is_span = matches!(mention.reference.form, ReferenceForm::CodeSpan | ReferenceForm::Link);
        let is_clear = is_span || mention.has_lines() && mention.reference.form != ReferenceForm::Trace;
        let name = last(path);
        let is_sought = is_clear && path.contains('/') && !path.starts_with(['/', '@', '~']) && !is_usual_code(name);
        let [found] = self.ending_in(name)[..] else { return None };
        if !is_sought || !name.contains('.') || mention.reference.foreign.is_some() || is_document(found) {
            return None;
        }
        let message = format!("`{}` is now `{found}`", one_line(path));
        self.collected.warn(Code::StaleReference, mention.at, message, "correct the folder");
        Some(found)
    }

    /// Finds files by the end of their path, if the form of the reference is clear enough.
    fn by_suffix(&self, path: &str, mention: &FileMention<'_>) -> Vec<&'a RepoPath> {
        let files = self.locator.files;
        let path = path.trim_start_matches("../").trim_start_matches("./").trim_end_matches(['.', ',', ';', ':']);
        let from_root = |path: &str| files.get(&RepoPath::new(path).ok()?);
        // A package of npm, not a folder: only a path from the root may follow an `@` that is not its own.
        if let Some(rest) = path.strip_prefix('@') {
            let found = Vec::from_iter(from_root(rest.trim_start_matches('/')));
            return if found.is_empty() && !rest.starts_with('/') { self.ending_in(path) } else { found };
        }
        // `name/src/a.rs` or `owner/name/src/a.rs`, if this repo has that name.
        let this = self.locator.rules.repo.as_deref().unwrap_or_default();
        let own = [this, last(this)].into_iter().filter(|name| !name.is_empty());
        let own = own.filter_map(|name| path.strip_prefix(name)?.strip_prefix('/')).next().and_then(from_root);
        if let Some(own) = own {
            return vec![own];
        }
        let name = last(path);
        let is_clear = mention.has_lines()
            || mention.reference.form == ReferenceForm::Link
            || mention.source == PathSource::DocField
            || !is_usual_code(name);
        let is_suffix = !path.starts_with(['/', '~']) && name.contains('.') && (path.contains('/') || is_clear);
        if is_suffix { self.ending_in(path) } else { Vec::new() }
    }

    /// Returns the files whose paths end in the parts of `suffix`: the tracked ones if there are any.
    fn ending_in(&self, suffix: &str) -> Vec<&'a RepoPath> {
        let tracked = self.lookup.tracked.ending_in(suffix);
        if tracked.is_empty() { self.locator.files.ending_in(suffix) } else { tracked }
    }

    /// Finds the files that an absolute path on some machine may mean: `/home/me/repo/src/a.rs`, `/app/a.rs`.
    ///
    /// At least two of its parts must be those of the file, so that no file of another program counts; in a container the
    /// name alone is enough. Without a line (`sure`) it must be a path from the root, because addresses of pages look the same.
    fn of_absolute(&self, path: &str, sure: bool) -> Vec<&'a RepoPath> {
        let is_part = |part: &&str| !matches!(*part, "" | "." | "..") && !part.ends_with(':');
        let parts: Vec<&str> = path.split('/').filter(is_part).collect();
        let parts = match self.without_host(&parts).filter(|parts| parts.len() <= MAX_PATH_PARTS) {
            Some(["usr", "src", rest @ ..] | ["var", "www" | "task" | "app", rest @ ..]) => rest,
            Some(parts) if !parts.first().is_some_and(|top| is_listed("system", top)) => parts,
            _ => return Vec::new(),
        };
        let files = self.locator.files;
        let from_root = |end: &[&str]| files.get(&RepoPath::new(&end.join("/")).ok()?);
        let in_checkout = || match parts {
            [top, name] if sure && is_listed("checkout", top) => from_root(&[name]),
            _ => None,
        };
        let ends = || (0..parts.len().saturating_sub(1)).map(|start| &parts[start..]);
        if let Some(path) = ends().find_map(from_root).or_else(in_checkout) {
            return vec![path];
        }
        let mut found = ends().filter(|_| sure).map(|end| self.ending_in(&end.join("/")));
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns the parts of a path behind this repo on its host; `None` below another repo or an installed package.
    fn without_host<'p, 'b>(&self, parts: &'p [&'b str]) -> Option<&'p [&'b str]> {
        let is_module = parts.windows(2).any(|pair| pair == ["pkg", "mod"]);
        if is_module || parts.iter().any(|part| is_listed("installed", part)) {
            return None;
        }
        let Some(host) = parts.iter().position(|part| *part == self.locator.rules.host.as_str()) else {
            return Some(parts);
        };
        let named = parts.get(host + 1..host + 3)?.join("/");
        self.locator.rules.is_this(&named).then(|| &parts[host + 3..])
    }

    /// Reports a path that fits several files, unless it is only a usual name, or a word of prose.
    fn add_ambiguous_code(&mut self, mention: &FileMention<'_>, paths: &[&RepoPath]) {
        let path = &*mention.target;
        let is_clear = matches!(mention.reference.form, ReferenceForm::CodeSpan | ReferenceForm::Link);
        let is_usual_trace = mention.reference.form == ReferenceForm::Trace && is_usual_code(path);
        let is_reported = match path.contains('/') {
            true => is_clear || mention.has_lines(),
            false => mention.has_lines() && !is_usual_trace,
        };
        let are_items = paths.iter().all(|path| self.is_item_file(path));
        if is_reported && !are_items && !self.is_foreign(mention.reference.foreign.as_deref(), false) {
            self.collected.add_missing(FileKind::Code, mention.quoted(), Absence::Ambiguous(paths), mention.at);
        }
    }

    /// Returns whether a path is a name without a folder that no tracked file has: prose about `.env` is about any.
    fn is_absent_name(&self, path: &str) -> bool {
        let (name, tracked) = (path.trim_end_matches(['.', ',', ';', ':']), self.lookup.tracked);
        let is_at_root = || RepoPath::new(name).is_ok_and(|path| tracked.has(&path));
        !name.contains('/') && !is_at_root() && tracked.ending_in(name).is_empty()
    }

    /// Reports a denied name where it is meant as a file, and returns whether the mention is dealt with.
    fn add_denied_code(&mut self, mention: &FileMention<'_>) -> bool {
        if !mention.is_in_passing() {
            return false;
        }
        let path = mention.target.trim_start_matches('/');
        let (name, is_span) = (last(path), mention.reference.form == ReferenceForm::CodeSpan);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_tracked = || RepoPath::new(path).is_ok_and(|path| self.lookup.tracked.has(&path));
        let is_meant = if path.contains('/') {
            is_tracked() || name.contains('.') || is_span || path.starts_with('.') || path.contains("/.")
        } else {
            // `config.key` is a field more often than a file.
            let is_field = extension == "key" && mention.reference.form == ReferenceForm::Path;
            let is_file = name.starts_with('.') || is_listed("secret", extension) || has_document_extension(name);
            !is_field && (is_file || !name.contains('.'))
        };
        // Prose about `.git` is about git.
        let is_git = path.split('/').any(is_git_name) && !(is_span && path.contains('/'));
        let is_generated = || RepoPath::new(path).is_ok_and(|path| (self.lookup.generated)(&path));
        if is_meant && mention.reference.form != ReferenceForm::Trace && !is_git && !is_generated() {
            self.collected.add_missing(FileKind::Code, mention.quoted(), Absence::Denied, mention.at);
        }
        true
    }
}

fn is_code_like(target: &str) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let path = path.split_once(':').filter(|_| scheme(path).is_none()).map_or(path, |(path, _)| path);
    let name = last(path);
    let is_web = WebAddress::read(target, "").is_some();
    !is_web && !target.contains(char::is_whitespace) && name.contains('.') && !has_document_extension(name)
}

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
