//! The forms in which texts name issues and files of a repo on GitHub.

use crate::model::{IssueReference, is_repo_name, percent_decoded};

/// The longest value that can be a path or a URL; longer ones are neither, which bounds the work on each.
pub(super) const LONGEST: usize = 4096;

/// The pages of a repo on which one of its files or folders is shown.
const FILE_PAGES: [&str; 5] = ["blob", "tree", "raw", "blame", "edit"];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueRef {
    /// `owner/repo` in lower case, since it is compared without case; empty for a bare number if the configuration names no
    /// repo.
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

/// Reads what [`issue_on`] does, and a bare number.
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
    /// Reads a URL; `None` if `text` is not one.
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

/// Returns the rest of a path below a page of GitHub that shows a file; `None` for other pages.
pub(super) fn below_file_page(path: &str) -> Option<&str> {
    let (page, rest) = path.split_once('/').unwrap_or((path, ""));
    FILE_PAGES.contains(&page).then_some(rest)
}

fn plain_host(host: &str) -> String {
    host.to_lowercase().trim_start_matches("www.").to_owned()
}

pub(super) fn number(digits: &str) -> Option<u64> {
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

pub(super) fn without_brackets(text: &str) -> &str {
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
