//! The resolution of a path or URL as written to a file of the repo.

use super::GraphRules;
use super::files::RepoFiles;
use super::index::NameIndex;
use super::link::{LONGEST, WebAddress, decoded, scheme};
use crate::mentions::{lines_of_target, without_lines};
use crate::model::{RepoPath, has_letter_prefix};

/// The location that a path or URL leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    /// An existing file, perhaps one heading of it.
    File { path: RepoPath, anchor: Option<String> },
    /// An existing folder.
    Folder,
    /// A denied name, whether or not it exists.
    Denied,
    /// A place outside the repo.
    Outside {
        /// The path without its leading `/`, if it has one.
        from_root: Option<String>,
    },
    /// A path without anchor that does not exist.
    Absent(String),
    /// A file of a repo that may be this one: the configuration names no repo.
    UnknownRepo,
    /// A file or folder of another repo.
    Foreign,
    /// A web page, a heading of the same text, or nothing.
    Elsewhere,
}

/// Resolves paths and URLs against the files of the repo.
pub(super) struct Locator<'a> {
    pub(super) rules: &'a GraphRules,
    pub(super) index: &'a NameIndex,
    pub(super) files: &'a RepoFiles<'a>,
    pub(super) denied: &'a (dyn Fn(&RepoPath) -> bool + Sync),
}

impl Locator<'_> {
    /// Resolves `written` in a text of the file `base`: from its folder, then from the root.
    pub(super) fn locate(&self, written: &str, base: &RepoPath) -> Location {
        let text = written.trim();
        let text = text.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(text);
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
        // The home folder of somebody.
        if text.starts_with("~/") {
            return Location::Outside { from_root: None };
        }
        match scheme(text) {
            Some(name) if name.eq_ignore_ascii_case("file") => {
                return Location::Outside { from_root: None };
            }
            Some(_) => return Location::Elsewhere,
            None => {}
        }
        let mut last = Location::Elsewhere;
        let spellings = spellings(text);
        let fewest = spellings.len();
        for (index, (path, anchor)) in spellings.into_iter().enumerate() {
            // Only the last spelling is the name of a file alone: `.env.example#L1` begins as a denied one does.
            last = self.try_path(&path, anchor, base, index + 1 == fewest);
            if !matches!(last, Location::Absent(_) | Location::Outside { .. }) {
                break;
            }
        }
        last
    }

    /// Resolves one spelling; `alone` says that it has neither anchor nor lines, so that it can be judged as a name.
    fn try_path(&self, path: &str, anchor: Option<String>, base: &RepoPath, alone: bool) -> Location {
        let from_root = path.strip_prefix('/').map(str::to_owned);
        let candidates = match &from_root {
            Some(path) => [None, RepoPath::new(path).ok()],
            None => [base.beside(path).ok(), RepoPath::new(path).ok()],
        };
        let named = |path: &&RepoPath| alone || self.files.has(path);
        let found: Vec<Location> =
            candidates.iter().flatten().filter(named).filter_map(|path| self.existing(path, anchor.clone())).collect();
        let spelled = |path: &RepoPath| self.existing(self.files.spelled_otherwise(path)?, anchor.clone());
        let found =
            if found.is_empty() { candidates.iter().flatten().find_map(spelled).into_iter().collect() } else { found };
        // `docs/keys/public.pem`, which is allowed, is denied as a file in the folder of the text.
        if let Some(found) = found.iter().find(|place| **place != Location::Denied).or(found.first()) {
            return found.clone();
        }
        if candidates.iter().flatten().any(|path| self.files.is_folder(path)) {
            return Location::Folder;
        }
        // An absolute path below an existing top folder is relative to the root.
        let top = from_root.as_deref().and_then(|path| path.split_once('/')).map(|(top, _)| top);
        let known = top.and_then(|top| RepoPath::new(top).ok()).is_some_and(|top| self.files.is_folder(&top));
        if candidates.iter().flatten().next().is_none() || from_root.is_some() && !known {
            return self.github_page(path).unwrap_or(Location::Outside { from_root });
        }
        Location::Absent(path.to_owned())
    }

    fn existing(&self, path: &RepoPath, anchor: Option<String>) -> Option<Location> {
        if path.as_str().is_empty() {
            return None;
        }
        if (self.denied)(path) {
            return Some(Location::Denied);
        }
        self.files.has(path).then(|| Location::File { path: path.clone(), anchor })
    }

    /// Resolves a path relative to GitHub's pages of this repo: `../../issues/12` is a page, `../../blob/main/x.md` a file.
    fn github_page(&self, path: &str) -> Option<Location> {
        let rest = path.strip_prefix("../../")?.trim_start_matches("../");
        let (page, tail) = rest.split_once('/').unwrap_or((rest, ""));
        match page {
            "blob" | "tree" | "raw" | "blame" | "edit" => Some(self.tree(tail)),
            "issues" | "pull" | "pulls" | "discussions" | "wiki" | "releases" | "actions" | "projects" | "labels"
            | "milestone" | "milestones" | "compare" | "commit" | "commits" | "security" => Some(Location::Elsewhere),
            _ => None,
        }
    }

    /// Returns the URL of `/owner/name/…` if it names this repo, as GitHub resolves it.
    fn rooted_at_host(&self, text: &str) -> Option<String> {
        let this = self.rules.repo.as_deref()?;
        let path = text.strip_prefix('/')?;
        let head = path.get(..this.len()).filter(|head| head.eq_ignore_ascii_case(this))?;
        let below = path[head.len()..].is_empty() || path[head.len()..].starts_with('/');
        below.then(|| format!("https://{}{text}", self.rules.host))
    }

    /// Returns the URL of `github.com/owner/name/blob/…`, which is written without a scheme.
    fn without_scheme(&self, text: &str) -> Option<String> {
        let host = &*self.rules.host;
        let rest = text.strip_prefix(host).or_else(|| text.strip_prefix("raw.githubusercontent.com"))?;
        let url = format!("https://{text}");
        let tree = matches!(WebAddress::read(&url, host), Some(WebAddress::Tree { .. } | WebAddress::Issue { .. }));
        (rest.starts_with('/') && tree).then_some(url)
    }

    fn web(&self, web: &WebAddress<'_>) -> Location {
        match (web, self.rules.repo.as_deref()) {
            (WebAddress::Tree { repo, rest }, Some(this)) if this.eq_ignore_ascii_case(repo) => self.tree(rest),
            (WebAddress::Tree { rest, .. }, None) => match self.tree(rest) {
                Location::File { .. } => Location::UnknownRepo,
                _ => Location::Foreign,
            },
            (WebAddress::Tree { .. } | WebAddress::ForeignTree, _) => Location::Foreign,
            (WebAddress::Issue { .. } | WebAddress::Page, _) => Location::Elsewhere,
        }
    }

    /// Finds the path behind a branch, whose name may contain slashes, by trying every split.
    fn tree(&self, rest: &str) -> Location {
        let (rest, anchor) = without_anchor(rest);
        let rest = decoded(rest);
        let rest = rest.trim_end_matches(['/', '.']);
        let splits = || rest.match_indices('/').take(64).map(|(slash, _)| &rest[slash + 1..]);
        let paths = || splits().filter_map(|path| RepoPath::new(path).ok());
        if let Some(found) = paths().find_map(|path| self.existing(&path, anchor.clone())) {
            return found;
        }
        if paths().any(|path| self.files.is_folder(&path)) {
            return Location::Folder;
        }
        match splits().next() {
            None => Location::Folder,
            Some(path) if RepoPath::new(path).is_err() => Location::Outside { from_root: None },
            Some(path) => Location::Absent(path.to_owned()),
        }
    }
}

/// Returns the full SHA of the commit that a URL of a file names, if it names one.
pub(super) fn commit_of(url: &str, host: &str) -> Option<String> {
    let Some(WebAddress::Tree { rest, .. }) = WebAddress::read(url, host) else { return None };
    let sha = rest.split('/').next()?;
    is_sha(sha).then(|| sha.to_owned())
}

/// Returns the commit in lower case, and the file, that a URL of the repo `this` names, whether or not there is such a file
/// now.
pub(super) fn file_at_commit(url: &str, host: &str, this: &str) -> Option<(String, RepoPath)> {
    let Some(WebAddress::Tree { repo, rest }) = WebAddress::read(url, host) else { return None };
    let (sha, path) = rest.split_once('/').filter(|(sha, _)| is_sha(sha) && repo.eq_ignore_ascii_case(this))?;
    let path = decoded(without_anchor(path).0);
    let path = RepoPath::new(path.trim_end_matches(['/', '.'])).ok().filter(|path| !path.as_str().is_empty())?;
    Some((sha.to_ascii_lowercase(), path))
}

fn is_sha(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns the ways to read a path, the most literal first.
fn spellings(text: &str) -> Vec<(String, Option<String>)> {
    let (path, anchor) = without_anchor(text);
    let plain = decoded(path);
    let short = without_place(&plain).to_owned();
    let mut all = vec![(text.to_owned(), None), (plain, anchor.clone()), (short, anchor)];
    all.dedup_by(|later, first| later.0 == first.0);
    all
}

/// Splits off `?query` and `#anchor`; `#L10-L20` is no anchor of a heading.
fn without_anchor(text: &str) -> (&str, Option<String>) {
    let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
    let path = path.split('?').next().unwrap_or_default();
    let lines = text.get(path.len()..).is_some_and(|fragment| !lines_of_target(fragment).is_empty());
    let anchor = Some(decoded(fragment)).filter(|anchor| !anchor.is_empty() && !lines);
    (path, anchor)
}

/// Removes a full stop and `:12`, `:12:3` or `:12-20` at the end.
fn without_place(path: &str) -> &str {
    without_lines(path.trim_end_matches(['.', ',', ';', ':', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_full_stops_come_off() {
        for text in ["a/b.md", "a/b.md.", "a/b.md:12", "a/b.md:12:3", "a/b.md:12-20.", "a/b.md:L3..L5", "a/b.md,"] {
            assert_eq!(without_place(text), "a/b.md", "{text}");
        }
        assert_eq!(without_place("docs/2022-08-02"), "docs/2022-08-02");
    }

    #[test]
    fn anchors_of_lines_are_none() {
        assert_eq!(without_anchor("a.md?plain=1#L10-L20"), ("a.md", None));
        assert_eq!(without_anchor("a.md#limits"), ("a.md", Some("limits".to_owned())));
        assert_eq!(without_anchor("a.md#Lists").1.as_deref(), Some("Lists"));
        assert_eq!(without_anchor("a.md#"), ("a.md", None));
    }
}
