//! The references of an item to code: any text file that is no document.

use super::{PathForm, PathSource, ReferenceSearch};
use crate::graph::files::{SuffixMatch, is_document, is_usual_code};
use crate::graph::index::last;
use crate::graph::link::{WebAddress, scheme};
use crate::graph::locate::{Location, commit_of, file_at_commit};
use crate::graph::{FileKind, ShownPlace};
use crate::mentions::ReferenceForm;
use crate::model::{RepoPath, has_document_extension, is_git_name};
use crate::redact::Clean;

/// The most parts of an absolute path that are tried as the beginning of a path in the repo.
const MOST_PARTS: usize = 32;

/// Folders of installed packages: what lies below is not of this repo.
const INSTALLED: [&str; 10] = [
    ".cargo",
    ".gradle",
    ".m2",
    ".rustup",
    "dist-packages",
    "gems",
    "node_modules",
    "rustc",
    "rustlib",
    "site-packages",
];

/// Folders of the system at the top: what lies below is not of this repo.
const SYSTEM: [&str; 15] = [
    "Library",
    "Program Files",
    "System",
    "Windows",
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib64",
    "nix",
    "proc",
    "sbin",
    "snap",
    "sys",
];

/// Folders at the top where containers and build machines keep the only repo that they have.
const CHECKOUTS: [&str; 11] =
    ["app", "build", "code", "project", "repo", "source", "src", "srv", "work", "workdir", "workspace"];

/// Extensions of files that may hold secrets: a name with any other (`secrets.TOKEN`) is more often no file at all.
const SECRET_EXTENSIONS: [&str; 17] = [
    "env",
    "ini",
    "jks",
    "json",
    "kdbx",
    "key",
    "keystore",
    "p12",
    "pem",
    "pfx",
    "ppk",
    "properties",
    "tfstate",
    "tfvars",
    "toml",
    "yaml",
    "yml",
];

/// Whether a reference is dealt with, or is to be judged as one to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeAnswer {
    /// It was taken, reported, or is no reference.
    Settled,
    /// The rules for documents apply.
    Open,
}

/// How sure a path leads to the file that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// By the path itself, from the item's folder or from the root.
    Exact,
    /// By the end of its path.
    Suffix,
}

impl ReferenceSearch<'_> {
    /// Adds the code file that a path leads to, if it leads to exactly one.
    pub(super) fn add_code(
        &mut self,
        target: &str,
        located: &Location,
        form: PathForm<'_>,
        source: PathSource,
        at: &ShownPlace,
        written: &mut dyn FnMut() -> Clean,
    ) -> CodeAnswer {
        if self.add_kept_code(target, located, form, at) {
            return CodeAnswer::Settled;
        }
        let trace = form.form == ReferenceForm::Trace;
        let settled = if trace { CodeAnswer::Settled } else { CodeAnswer::Open };
        let absolute = target.starts_with('/') && !target.starts_with("//");
        let matched = match located {
            Location::File { path, .. } => SuffixMatch::One(path),
            Location::Denied => return self.add_denied_code(target, form, source, at, written),
            Location::Absent(_) | Location::Outside { .. } if absolute && (trace || source.is_in_passing()) => {
                self.of_absolute(target, trace || form.has_lines())
            }
            Location::Absent(path) => self.by_suffix(path, form, source),
            // The folder that a program ran in is not known.
            Location::Outside { .. } if trace && target.starts_with("../") => self.by_suffix(target, form, source),
            _ => return settled,
        };
        let exact = matches!(located, Location::File { .. });
        let (path, found) = match matched {
            SuffixMatch::One(path) => (path.clone(), if exact { Match::Exact } else { Match::Suffix }),
            SuffixMatch::Several(paths) => {
                let paths: Vec<RepoPath> = paths.into_iter().cloned().collect();
                return self.add_ambiguous_code(target, &paths, form, at, written);
            }
            SuffixMatch::Nothing => return settled,
        };
        if is_document(&path) || self.locator.index.is_adr(&path) {
            return if trace { CodeAnswer::Settled } else { CodeAnswer::Open };
        }
        let no_context = self.is_item_file(&path) || (self.generated)(&path);
        if no_context || self.is_foreign(form.foreign, found) {
            return CodeAnswer::Settled;
        }
        let commit = commit_of(target, &self.locator.rules.host).and_then(|sha| {
            let quoted = written();
            let start = quoted.find(&sha)?;
            Some(quoted.slice(start..start + sha.len()))
        });
        self.collected.add_code(path, form.lines, commit.as_ref(), at, written);
        CodeAnswer::Settled
    }

    /// Adds the lines of a commit that the snapshot keeps, even if the file does not exist any more.
    fn add_kept_code(&mut self, target: &str, located: &Location, form: PathForm<'_>, at: &ShownPlace) -> bool {
        let Some(this) = self.locator.rules.repo.as_deref().filter(|_| !form.lines.is_empty()) else { return false };
        let Some((commit, path)) = file_at_commit(target, &self.locator.rules.host, this) else { return false };
        let no_context = is_document(&path)
            || self.locator.index.is_adr(&path)
            || self.is_item_file(&path)
            || (self.generated)(&path)
            || self.boilerplate_name(&path).is_some();
        // A name that was denied after the lines were fetched stays denied.
        let denied = *located == Location::Denied || (self.locator.denied)(&path);
        !no_context && !denied && self.collected.add_kept_code(&path, &commit, form.lines, at)
    }

    /// Returns whether a file is that of an item: then naming it is a relation.
    pub(super) fn is_item_file(&self, path: &RepoPath) -> bool {
        !self.locator.index.at_path(path).is_empty()
    }

    /// Returns whether the name of a repo before a path means that the path is one of that repo.
    ///
    /// Many ordinary words look like the name of a repo, so an exact path in this repo wins over all but `owner/name`.
    fn is_foreign(&self, name: Option<&str>, found: Match) -> bool {
        let Some(name) = name else { return false };
        let this = self.locator.rules.repo.as_deref().unwrap_or_default();
        if name.eq_ignore_ascii_case(this) || this.rsplit('/').next().is_some_and(|own| own.eq_ignore_ascii_case(name))
        {
            return false;
        }
        let here = || RepoPath::new(name).is_ok_and(|path| self.all.is_folder(&path) || self.all.has(&path));
        if name.contains('/') { !here() } else { found == Match::Suffix }
    }

    /// Finds files by the end of their path, if the form of the reference is clear enough.
    fn by_suffix(&self, path: &str, form: PathForm<'_>, source: PathSource) -> SuffixMatch<'_> {
        let path = path.trim_start_matches("../").trim_start_matches("./").trim_end_matches(['.', ',', ';', ':']);
        // A package of npm, not a folder: only a path from the root may follow an `@` that is not its own.
        if let Some(rest) = path.strip_prefix('@') {
            let from_root =
                RepoPath::new(rest.trim_start_matches('/')).ok().and_then(|path| self.locator.files.get(&path));
            let own = || if rest.starts_with('/') { SuffixMatch::Nothing } else { self.locator.files.ending_in(path) };
            return from_root.map_or_else(own, SuffixMatch::One);
        }
        if let Some(own) = self.without_repo(path) {
            return SuffixMatch::One(own);
        }
        let name = last(path);
        let clear = !form.lines.is_empty()
            || form.form == ReferenceForm::Link
            || source == PathSource::DocField
            || form.form == ReferenceForm::CodeSpan && !is_usual_code(name);
        if path.starts_with(['/', '~']) || !name.contains('.') || !path.contains('/') && !clear {
            return SuffixMatch::Nothing;
        }
        self.locator.files.ending_in(path)
    }

    /// Returns the file of `name/src/a.rs` or `owner/name/src/a.rs`, if this repo has that name.
    fn without_repo(&self, path: &str) -> Option<&RepoPath> {
        let this = self.locator.rules.repo.as_deref()?;
        let name = this.rsplit('/').next()?;
        let rest = [this, name].iter().find_map(|prefix| path.strip_prefix(prefix)?.strip_prefix('/'))?;
        self.locator.files.get(&RepoPath::new(rest).ok()?)
    }

    /// Finds the files that an absolute path on some machine may mean: `/home/me/repo/src/a.rs`, `/app/a.rs`.
    ///
    /// At least two of its parts must be those of the file, so that no file of another program counts; in a container the
    /// name alone is enough. Without a line (`sure`) it must be a path from the root, because addresses of pages look the same.
    pub(super) fn of_absolute(&self, path: &str, sure: bool) -> SuffixMatch<'_> {
        let is_part = |part: &&str| !matches!(*part, "" | "." | "..") && !part.ends_with(':');
        let parts: Vec<&str> = path.split('/').filter(is_part).collect();
        let Some(mut parts) = self.without_host(&parts).filter(|parts| parts.len() <= MOST_PARTS) else {
            return SuffixMatch::Nothing;
        };
        if let ["usr", "src", rest @ ..] | ["var", "www" | "task" | "app", rest @ ..] = parts {
            parts = rest;
        } else if parts.first().is_some_and(|top| SYSTEM.contains(top) || matches!(*top, "usr" | "var" | "run")) {
            return SuffixMatch::Nothing;
        }
        let files = self.locator.files;
        let from_root = |end: &[&str]| files.get(&RepoPath::new(&end.join("/")).ok()?);
        let ends = || (0..parts.len().saturating_sub(1)).map(|start| &parts[start..]);
        if let Some(path) = ends().find_map(from_root) {
            return SuffixMatch::One(path);
        }
        if let [top, name] = parts
            && sure
            && CHECKOUTS.contains(top)
            && let Some(path) = from_root(&[name])
        {
            return SuffixMatch::One(path);
        }
        let found = ends().filter(|_| sure).map(|end| files.ending_in(&end.join("/")));
        found.into_iter().find(|found| *found != SuffixMatch::Nothing).unwrap_or(SuffixMatch::Nothing)
    }

    /// Returns the parts of a path behind `github.com/owner/name` of this repo, or all if no host is named; `None` below
    /// another repo or an installed package.
    fn without_host<'p, 'b>(&self, parts: &'p [&'b str]) -> Option<&'p [&'b str]> {
        let modules = parts.windows(2).any(|pair| pair == ["pkg", "mod"]);
        if modules || parts.iter().any(|part| INSTALLED.contains(part)) {
            return None;
        }
        let Some(host) = parts.iter().position(|part| *part == self.locator.rules.host.as_str()) else {
            return Some(parts);
        };
        let named = parts.get(host + 1..host + 3)?.join("/");
        let this = self.locator.rules.repo.as_deref()?;
        this.eq_ignore_ascii_case(&named).then(|| &parts[host + 3..])
    }

    /// Reports a path that fits several files, unless it is only a usual name, or a word of prose.
    fn add_ambiguous_code(
        &mut self,
        path: &str,
        paths: &[RepoPath],
        form: PathForm<'_>,
        at: &ShownPlace,
        written: &mut dyn FnMut() -> Clean,
    ) -> CodeAnswer {
        let stated = !form.lines.is_empty();
        let clear = matches!(form.form, ReferenceForm::CodeSpan | ReferenceForm::Link);
        let usual_trace = form.form == ReferenceForm::Trace && is_usual_code(path);
        let reported = if path.contains('/') { clear || stated } else { stated && !usual_trace };
        let items = paths.iter().all(|path| self.is_item_file(path));
        if reported && !items && !self.is_foreign(form.foreign, Match::Suffix) {
            let paths: Vec<&RepoPath> = paths.iter().collect();
            self.collected.add_ambiguous(FileKind::Code, written(), &paths, at);
        }
        CodeAnswer::Settled
    }

    /// Reports a denied name where it is meant as a file.
    fn add_denied_code(
        &mut self,
        target: &str,
        form: PathForm<'_>,
        source: PathSource,
        at: &ShownPlace,
        written: &mut dyn FnMut() -> Clean,
    ) -> CodeAnswer {
        if !source.is_in_passing() {
            return CodeAnswer::Open;
        }
        let path = target.trim_start_matches('/');
        let generated = RepoPath::new(path).is_ok_and(|path| (self.generated)(&path));
        let name = last(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let secret = SECRET_EXTENSIONS.contains(&extension);
        let file = name.starts_with('.') || secret || has_document_extension(name) || !name.contains('.');
        // `config.key` is a field more often than a file.
        let field = extension == "key" && form.form == ReferenceForm::Path;
        let clear = form.form == ReferenceForm::CodeSpan || path.starts_with('.') || path.contains("/.");
        let folder = path.contains('/') && (name.contains('.') || clear);
        let meant = form.form != ReferenceForm::Trace && (folder || !path.contains('/') && file && !field);
        // Prose about `.git` is about git.
        let git = path.split('/').any(is_git_name) && (form.form != ReferenceForm::CodeSpan || !path.contains('/'));
        if meant && !generated && !git {
            self.collected.add_denied(FileKind::Code, written(), at);
        }
        CodeAnswer::Settled
    }
}

/// Returns whether a target is written as that of a file which is no document.
pub(super) fn is_code_like(target: &str) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let path = path.split_once(':').filter(|_| scheme(path).is_none()).map_or(path, |(path, _)| path);
    let name = last(path);
    let web = WebAddress::read(target, "").is_some();
    !web && !target.contains(char::is_whitespace) && name.contains('.') && !has_document_extension(name)
}

/// Returns whether a path was found to be code, or could be.
pub(super) fn leads_to_code(target: &str, located: &Location) -> bool {
    match located {
        Location::Denied => !has_document_extension(last(target.split(['#', '?']).next().unwrap_or_default())),
        Location::File { path, .. } => !is_document(path),
        Location::Absent(path) => !has_document_extension(last(path)),
        _ => false,
    }
}
