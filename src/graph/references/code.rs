//! The references of an item to code: any text file that is no document.

use super::ReferenceSearch;
use super::paths::{FileMention, PathSource};
use crate::graph::file_references::{Absence, FileKind};
use crate::graph::files::{is_document, is_listed, is_usual_code};
use crate::graph::locate::{CommitFile, Location};
use crate::graph::names::last;
use crate::mentions::ReferenceForm;
use crate::model::{RepoPath, has_document_extension, is_git_name};

/// The most parts of an absolute path that are tried as the beginning of a path in the repo.
const MAX_PATH_PARTS: usize = 32;

impl<'a> ReferenceSearch<'a> {
    /// Adds the code file that a path leads to, if it leads to exactly one.
    ///
    /// Returns whether the mention is dealt with; if not, the rules for documents apply.
    pub(super) fn add_code(&mut self, mention: &FileMention<'_>, located: &Location) -> bool {
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
            Location::Absent(_) | Location::Outside { .. } if is_absolute && (is_trace || mention.is_in_passing()) => {
                self.of_absolute(target, is_trace || mention.has_lines())
            }
            Location::Absent(path) => self.by_suffix(path, mention),
            // The folder that a program ran in is not known.
            Location::Outside { .. } if is_trace && target.starts_with("../") => self.by_suffix(target, mention),
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

    /// Returns whether a file is that of an item: then naming it is a relation.
    pub(super) fn is_item_file(&self, path: &RepoPath) -> bool {
        !self.index.at_path(path).is_empty()
    }

    /// Returns whether the name of a repo before a path means that the path is one of that repo.
    ///
    /// Many ordinary words look like the name of a repo, so an exact path in this repo wins over all but `owner/name`.
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

    /// Finds files by the end of their path, if the form of the reference is clear enough.
    fn by_suffix(&self, path: &str, mention: &FileMention<'_>) -> Vec<&'a RepoPath> {
        let files = self.locator.files;
        let path = path.trim_start_matches("../").trim_start_matches("./").trim_end_matches(['.', ',', ';', ':']);
        let from_root = |path: &str| files.get(&RepoPath::new(path).ok()?);
        // A package of npm, not a folder: only a path from the root may follow an `@` that is not its own.
        if let Some(rest) = path.strip_prefix('@') {
            let found = Vec::from_iter(from_root(rest.trim_start_matches('/')));
            return if found.is_empty() && !rest.starts_with('/') { files.ending_in(path) } else { found };
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
            || mention.reference.form == ReferenceForm::CodeSpan && !is_usual_code(name);
        let is_suffix = !path.starts_with(['/', '~']) && name.contains('.') && (path.contains('/') || is_clear);
        if is_suffix { files.ending_in(path) } else { Vec::new() }
    }

    /// Finds the files that an absolute path on some machine may mean: `/home/me/repo/src/a.rs`, `/app/a.rs`.
    ///
    /// At least two of its parts must be those of the file, so that no file of another program counts; in a container the
    /// name alone is enough. Without a line (`sure`) it must be a path from the root, because addresses of pages look the same.
    pub(super) fn of_absolute(&self, path: &str, sure: bool) -> Vec<&'a RepoPath> {
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
        let mut found = ends().filter(|_| sure).map(|end| files.ending_in(&end.join("/")));
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns the parts of a path behind `github.com/owner/name` of this repo, or all if no host is named; `None` below
    /// another repo or an installed package.
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

    /// Reports a denied name where it is meant as a file, and returns whether the mention is dealt with.
    fn add_denied_code(&mut self, mention: &FileMention<'_>) -> bool {
        if !mention.is_in_passing() {
            return false;
        }
        let path = mention.target.trim_start_matches('/');
        let (name, is_span) = (last(path), mention.reference.form == ReferenceForm::CodeSpan);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_meant = if path.contains('/') {
            name.contains('.') || is_span || path.starts_with('.') || path.contains("/.")
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
