//! The forms in which texts name issues and files of a repo on GitHub.

use super::edge::IssueRef;
use crate::model::{is_repo_name, percent_decoded};

/// The longest value that can be a path or a URL; longer ones are neither, which bounds the work on each.
pub(super) const LONGEST: usize = 4096;

/// An issue as a text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IssueMention<'a> {
    /// `owner/repo`, if it is named.
    pub(super) repo: Option<&'a str>,
    pub(super) number: u64,
    pub(super) is_url: bool,
}

impl<'a> IssueMention<'a> {
    /// Reads `#12`, `GH-12`, `owner/repo#12` and URLs of issues and pull requests on `host`.
    pub(super) fn read(text: &'a str, host: &str) -> Option<Self> {
        if let Some(WebAddress::Issue { repo, number }) = WebAddress::read(text, host) {
            return Some(Self { repo: Some(repo), number, is_url: true });
        }
        let (repo, digits) = match text.split_once('#') {
            Some((repo, digits)) => (Some(repo).filter(|repo| !repo.is_empty()), digits),
            None => (None, text.get(..3).filter(|gh| gh.eq_ignore_ascii_case("gh-")).map(|_| &text[3..])?),
        };
        let number = number(digits).filter(|_| repo.is_none_or(is_repo_name))?;
        Some(Self { repo, number, is_url: false })
    }

    /// Reads what [`IssueMention::read`] does, and a bare number.
    pub(super) fn read_with_bare(text: &'a str, host: &str) -> Option<Self> {
        let bare = || number(text).map(|number| Self { repo: None, number, is_url: false });
        Self::read(text, host).or_else(bare)
    }

    /// Returns the key under which it is looked up; `this` is the configured repo.
    pub(super) fn key(&self, this: Option<&str>) -> IssueRef {
        IssueRef::new(self.repo.or(this).unwrap_or_default(), self.number)
    }
}

/// A web address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WebAddress<'a> {
    /// An issue or a pull request of `owner/repo` on the given host.
    Issue { repo: &'a str, number: u64 },
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
        let rest = after("https://").or_else(|| after("http://")).or_else(|| after("//"))?;
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        let bare = |name: &str| name.to_lowercase().trim_start_matches("www.").to_owned();
        let (name, host) = (bare(name), bare(host));
        // The two slashes that end `owner/repo` and the word behind it.
        let mut slashes = path.match_indices('/').map(|(at, _)| at).skip(1);
        let (repo, below) = match slashes.next() {
            Some(at) => (&path[..at], Some(&path[at + 1..])),
            None => (path, None),
        };
        let (what, tail) = below.and_then(|below| below.split_once('/')).unwrap_or((below.unwrap_or_default(), ""));
        let has_tail = slashes.next().is_some();
        if is_raw_host(&name, &host) {
            return Some(below.filter(|_| is_repo_name(repo)).map_or(Self::Page, |rest| Self::Tree { repo, rest }));
        }
        if name != host {
            let is_tree = matches!(what, "blob" | "tree") || path.contains("/-/blob/") || path.contains("/-/tree/");
            return Some(if is_tree { Self::ForeignTree } else { Self::Page });
        }
        Some(match what {
            _ if !has_tail || !is_repo_name(repo) => Self::Page,
            "issues" | "pull" | "pulls" => {
                let digits = tail.split(['/', '#', '?']).next().unwrap_or_default();
                number(digits).map_or(Self::Page, |number| Self::Issue { repo, number })
            }
            "blob" | "tree" | "raw" | "blame" | "edit" => Self::Tree { repo, rest: tail },
            _ => Self::Page,
        })
    }
}

/// Returns whether a host serves the plain files of the repos on `host`: `/owner/name/branch/path`.
fn is_raw_host(name: &str, host: &str) -> bool {
    name == "raw.githubusercontent.com" && host == "github.com" || name.strip_prefix("raw.") == Some(host)
}

/// Returns a number without sign or spaces.
pub(super) fn number(digits: &str) -> Option<u64> {
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// Returns the scheme that `text` begins with, such as `mailto`; a drive letter is none.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let (name, _) = text.split_once(':')?;
    let letters = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-'));
    letters.then_some(name)
}

/// Returns the text without angle brackets around it.
pub(super) fn without_brackets(text: &str) -> &str {
    text.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(text)
}

/// Returns the target of a value that may be written as a Markdown link, without angle brackets.
pub(super) fn target_of_link(value: &str) -> &str {
    let target = match value.rsplit_once("](") {
        Some((text, target)) if text.starts_with('[') && target.ends_with(')') => {
            let target = &target[..target.len() - 1];
            target.split_once(" \"").map_or(target, |(target, _)| target).trim()
        }
        _ => value,
    };
    without_brackets(target)
}

/// Returns the paths that may follow the branch in `rest` of a [`WebAddress::Tree`]: a branch's name may contain slashes.
pub(super) fn paths_behind_branch(rest: &str) -> impl Iterator<Item = &str> {
    rest.match_indices('/').take(64).map(|(slash, _)| &rest[slash + 1..])
}

/// Decodes percent-encoding such as `%20`; text that would not be UTF-8 is returned unchanged.
pub(super) fn decoded(text: &str) -> String {
    percent_decoded(text).unwrap_or_else(|| text.to_owned())
}
