//! The forms in which texts name issues and files, and the file of the repo to which a path or URL leads.

use super::entry::GraphRules;
use super::files::{RepoFiles, is_listed};
use crate::mentions::{lines_of_target, scheme, without_lines};
use crate::model::{IssueReference, RepoPath, has_letter_prefix, is_repo_name, percent_decoded};

/// The longest value that can be a path or a URL; longer ones are neither, which bounds the work on each.
pub(super) const LONGEST: usize = 4096;
const FILE_PAGES: [&str; 5] = ["blob", "tree", "raw", "blame", "edit"];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueRef {
    /// `owner/repo` in lower case; empty for a bare number if the configuration names no repo.
    pub repo: String,
    pub number: u64,
}

impl IssueRef {
    pub(super) fn new(repo: &str, number: u64) -> Self {
        Self { repo: repo.to_lowercase(), number }
    }

    /// Returns the key of an issue as a text names it; `this` is the configured repo.
    pub(super) fn of(issue: &IssueReference<'_>, this: Option<&str>) -> Self {
        Self::new(issue.repo.or(this).unwrap_or_default(), issue.number)
    }
}

/// Reads `#12`, `GH-12`, `owner/repo#12` and URLs of issues and pull requests on `host`.
pub(super) fn issue_on<'a>(host: &str, text: &'a str) -> Option<IssueReference<'a>> {
    IssueReference::parse(text).filter(|issue| issue.host.is_none_or(|named| plain_host(named) == plain_host(host)))
}

pub(super) fn issue_or_number<'a>(host: &str, text: &'a str) -> Option<IssueReference<'a>> {
    let bare = || number(text).map(|number| IssueReference { host: None, repo: None, number });
    issue_on(host, text).or_else(bare)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WebAddress<'a> {
    /// A file or folder of `owner/repo` on the given host. `rest` is a branch, whose name may hold slashes, and the path.
    Tree { repo: &'a str, rest: &'a str },
    /// A file or folder of a repo on another host.
    ForeignTree,
    /// Any other page.
    Page,
}

impl<'a> WebAddress<'a> {
    pub(super) fn read(text: &'a str, host: &str) -> Option<Self> {
        let after = |scheme: &str| {
            text.get(..scheme.len()).filter(|s| s.eq_ignore_ascii_case(scheme)).map(|_| &text[scheme.len()..])
        };
        let rest = ["https://", "http://", "//"].into_iter().find_map(after)?;
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (name, host) = (plain_host(name), plain_host(host));
        // The second slash ends `owner/repo`.
        let repo_end = path.match_indices('/').nth(1).map(|(at, _)| at);
        let (repo, below) = repo_end.map_or((path, None), |at| (&path[..at], Some(&path[at + 1..])));
        // The plain files of a repo are at `/owner/name/branch/path` of a host of their own.
        if name == "raw.githubusercontent.com" && host == "github.com" || name.strip_prefix("raw.") == Some(&host) {
            return Some(below.filter(|_| is_repo_name(repo)).map_or(Self::Page, |rest| Self::Tree { repo, rest }));
        }
        let (page, rest) = below.and_then(|below| below.split_once('/')).unwrap_or((below.unwrap_or_default(), ""));
        if name != host {
            let is_tree = matches!(page, "blob" | "tree") || path.contains("/-/blob/") || path.contains("/-/tree/");
            return Some(if is_tree { Self::ForeignTree } else { Self::Page });
        }
        let is_tree =
            FILE_PAGES.contains(&page) && below.is_some_and(|below| below.contains('/')) && is_repo_name(repo);
        Some(if is_tree { Self::Tree { repo, rest } } else { Self::Page })
    }
}

fn plain_host(host: &str) -> String {
    host.to_lowercase().trim_start_matches("www.").to_owned()
}

pub(super) fn number(digits: &str) -> Option<u64> {
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn without_brackets(text: &str) -> &str {
    text.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(text)
}

/// Returns the target of a value that may be written as a Markdown link, without angle brackets.
pub(super) fn target_of_link(value: &str) -> &str {
    let link = value.strip_suffix(')').filter(|link| link.starts_with('[')).and_then(|link| link.rsplit_once("]("));
    without_brackets(link.map_or(value, |(_, target)| target.split(" \"").next().unwrap_or(target).trim()))
}

/// Returns the paths that may follow the branch in `rest` of a [`WebAddress::Tree`]: a branch's name may contain slashes.
pub(super) fn paths_behind_branch(rest: &str) -> impl Iterator<Item = &str> {
    rest.match_indices('/').take(64).map(|(slash, _)| &rest[slash + 1..])
}

/// Decodes percent-encoding such as `%20`; text that would not be UTF-8 is returned unchanged.
pub(super) fn decoded(text: &str) -> String {
    percent_decoded(text).unwrap_or_else(|| text.to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    /// An existing file, perhaps one heading of it.
    File {
        path: RepoPath,
        anchor: Option<String>,
    },
    /// An existing folder.
    Folder,
    /// A denied name, whether or not it exists.
    Denied,
    Outside,
    /// A path without anchor that does not exist.
    Absent(String),
    /// A file of a repo that may be this one: the configuration names no repo.
    UnknownRepo,
    /// A file or folder of another repo.
    Foreign,
    /// A web page, a heading of the same text, or nothing.
    Elsewhere,
}

#[derive(Clone, Copy)]
pub(super) struct Locator<'a> {
    pub(super) rules: &'a GraphRules,
    pub(super) files: &'a RepoFiles<'a>,
    pub(super) denied: &'a (dyn Fn(&RepoPath) -> bool + Sync),
}

impl Locator<'_> {
    /// Resolves `written` in a text of the file `base`: from its folder, then from the root.
    pub(super) fn locate(&self, written: &str, base: &RepoPath) -> Location {
        let text = without_brackets(written.trim());
        if text.is_empty() || text.starts_with('#') {
            return Location::Elsewhere;
        }
        if text.len() > LONGEST || has_letter_prefix(text) {
            return Location::Absent(text.to_owned());
        }
        if let Some(web) = WebAddress::read(text, &self.rules.host) {
            return self.web(&web);
        }
        if let Some(page) = self.rooted_at_host(text).or_else(|| self.without_scheme(text)) {
            return self.web(&WebAddress::read(&page, &self.rules.host).unwrap_or(WebAddress::Page));
        }
        match scheme(text) {
            Some(name) if !name.eq_ignore_ascii_case("file") => return Location::Elsewhere,
            // The home folder of somebody, or a file of some machine.
            Some(_) => return Location::Outside,
            None if text.starts_with("~/") => return Location::Outside,
            None => {}
        }
        let spellings = spellings(text);
        let mut last = Location::Elsewhere;
        for (index, (path, anchor)) in spellings.iter().enumerate() {
            // Only the last spelling is the name of a file alone: `.env.example#L1` begins as a denied one does.
            last = self.try_path(path, anchor, base, index + 1 == spellings.len());
            if !matches!(last, Location::Absent(_) | Location::Outside) {
                break;
            }
        }
        last
    }

    /// Resolves one spelling; `alone` says that it has neither anchor nor lines, so that it can be judged as a name.
    fn try_path(&self, path: &str, anchor: &Option<String>, base: &RepoPath, alone: bool) -> Location {
        let from_root = path.strip_prefix('/');
        let candidates: Vec<RepoPath> = match from_root {
            Some(path) => RepoPath::new(path).into_iter().collect(),
            None => [base.beside(path), RepoPath::new(path)].into_iter().flatten().collect(),
        };
        let named = candidates.iter().filter(|path| alone || self.files.has(path));
        let found: Vec<Location> = named.filter_map(|path| self.existing(path, anchor)).collect();
        let spelled = |path: &RepoPath| self.existing(self.files.spelled_otherwise(path)?, anchor);
        let found = if found.is_empty() { candidates.iter().find_map(spelled).into_iter().collect() } else { found };
        // `docs/keys/public.pem`, which is allowed, is denied as a file in the folder of the text.
        if let Some(found) = found.iter().find(|place| **place != Location::Denied).or(found.first()) {
            return found.clone();
        }
        if candidates.iter().any(|path| self.files.is_folder(path)) {
            return Location::Folder;
        }
        // An absolute path below an existing top folder is relative to the root.
        let top = from_root.and_then(|path| path.split_once('/')).map(|(top, _)| top);
        let is_known = top.and_then(|top| RepoPath::new(top).ok()).is_some_and(|top| self.files.is_folder(&top));
        if candidates.is_empty() || from_root.is_some() && !is_known {
            return self.github_page(path).unwrap_or(Location::Outside);
        }
        Location::Absent(path.to_owned())
    }

    fn existing(&self, path: &RepoPath, anchor: &Option<String>) -> Option<Location> {
        if path.as_str().is_empty() {
            return None;
        }
        if (self.denied)(path) {
            return Some(Location::Denied);
        }
        self.files.has(path).then(|| Location::File { path: path.clone(), anchor: anchor.clone() })
    }

    /// Resolves a path relative to GitHub's pages of this repo: `../../issues/12` is a page, `../../blob/main/x.md` a file.
    fn github_page(&self, path: &str) -> Option<Location> {
        let rest = path.strip_prefix("../../")?.trim_start_matches("../");
        let (page, tree) = rest.split_once('/').unwrap_or((rest, ""));
        let is_page = is_listed("github_page", page);
        if FILE_PAGES.contains(&page) { Some(self.tree(tree)) } else { is_page.then_some(Location::Elsewhere) }
    }

    /// Returns the URL of `/owner/name/…` if it names this repo, as GitHub resolves it.
    fn rooted_at_host(&self, text: &str) -> Option<String> {
        let path = text.strip_prefix('/')?;
        let (head, rest) = path.split_at_checked(self.rules.repo.as_ref()?.len())?;
        let is_below = self.rules.is_this(head) && (rest.is_empty() || rest.starts_with('/'));
        is_below.then(|| format!("https://{}{text}", self.rules.host))
    }

    /// Returns the URL of `github.com/owner/name/blob/…`, which is written without a scheme.
    fn without_scheme(&self, text: &str) -> Option<String> {
        let host = &*self.rules.host;
        let rest = text.strip_prefix(host).or_else(|| text.strip_prefix("raw.githubusercontent.com"))?;
        let url = format!("https://{text}");
        let is_tree = matches!(WebAddress::read(&url, host), Some(WebAddress::Tree { .. }));
        (rest.starts_with('/') && is_tree).then_some(url)
    }

    fn web(&self, web: &WebAddress<'_>) -> Location {
        match web {
            WebAddress::Tree { repo, rest } if self.rules.is_this(repo) => self.tree(rest),
            WebAddress::Tree { rest, .. } if self.rules.repo.is_none() => match self.tree(rest) {
                Location::File { .. } => Location::UnknownRepo,
                _ => Location::Foreign,
            },
            WebAddress::Tree { .. } | WebAddress::ForeignTree => Location::Foreign,
            WebAddress::Page => Location::Elsewhere,
        }
    }

    /// Finds the path behind a branch, whose name may contain slashes, by trying every split.
    fn tree(&self, rest: &str) -> Location {
        let (rest, anchor) = without_anchor(rest);
        let rest = decoded(rest);
        let rest = rest.trim_end_matches(['/', '.']);
        let paths = || paths_behind_branch(rest).filter_map(|path| RepoPath::new(path).ok());
        if let Some(found) = paths().find_map(|path| self.existing(&path, &anchor)) {
            return found;
        }
        if paths().any(|path| self.files.is_folder(&path)) {
            return Location::Folder;
        }
        match paths_behind_branch(rest).next() {
            None => Location::Folder,
            Some(path) if RepoPath::new(path).is_err() => Location::Outside,
            Some(path) => Location::Absent(path.to_owned()),
        }
    }
}

pub(super) struct CommitFile<'a> {
    pub(super) repo: &'a str,
    pub(super) sha: &'a str,
    pub(super) path: Option<RepoPath>,
}

impl<'a> CommitFile<'a> {
    /// Reads the URL of a file that names a commit, whether or not there is such a file now.
    pub(super) fn read(url: &'a str, host: &str) -> Option<Self> {
        let Some(WebAddress::Tree { repo, rest }) = WebAddress::read(url, host) else { return None };
        let (sha, path) = rest.split_once('/').unwrap_or((rest, ""));
        if sha.len() != 40 || !sha.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let path = decoded(without_anchor(path).0);
        let path = RepoPath::new(path.trim_end_matches(['/', '.'])).ok().filter(|path| !path.as_str().is_empty());
        Some(Self { repo, sha, path })
    }
}

/// Returns the ways to read a path, the most literal first.
fn spellings(text: &str) -> Vec<(String, Option<String>)> {
    let (path, anchor) = without_anchor(text);
    let plain = decoded(path);
    // Without a full stop, and without `:12`, `:12:3` or `:12-20` at the end.
    let short = without_lines(plain.trim_end_matches(['.', ',', ';', ':', '/'])).to_owned();
    let mut all = vec![(text.to_owned(), None), (plain, anchor.clone()), (short, anchor)];
    all.dedup_by(|next, first| next.0 == first.0);
    all
}

/// Splits off `?query` and `#anchor`; `#L10-L20` is no anchor of a heading.
fn without_anchor(text: &str) -> (&str, Option<String>) {
    let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
    let path = path.split('?').next().unwrap_or_default();
    let has_lines = !lines_of_target(&text[path.len()..]).is_empty();
    let anchor = Some(decoded(fragment)).filter(|anchor| !anchor.is_empty() && !has_lines);
    (path, anchor)
}
