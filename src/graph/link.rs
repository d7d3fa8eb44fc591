//! The forms in which texts name issues and files of a repo on GitHub.

use super::IssueRef;
use crate::model::{is_repo_name, percent_decoded};

/// The longest value that can be a path or a URL; longer ones are neither, which bounds the work on each.
pub(super) const LONGEST: usize = 4096;

/// An issue as a text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IssueMention<'a> {
    /// `owner/repo`, if it is named.
    pub(super) repo: Option<&'a str>,
    /// The number.
    pub(super) number: u64,
    /// Whether it is a URL.
    pub(super) url: bool,
}

impl<'a> IssueMention<'a> {
    /// Reads `#12`, `GH-12`, `owner/repo#12` and URLs of issues and pull requests on `host`.
    pub(super) fn read(text: &'a str, host: &str) -> Option<Self> {
        if let Some(WebAddress::Issue { repo, number }) = WebAddress::read(text, host) {
            return Some(Self { repo: Some(repo), number, url: true });
        }
        if let Some((repo, digits)) = text.split_once('#') {
            let repo = if repo.is_empty() { None } else { Some(repo) };
            return repo.is_none_or(is_repo_name).then(|| number(digits))?.map(|number| Self {
                repo,
                number,
                url: false,
            });
        }
        let digits = text.get(..3).filter(|gh| gh.eq_ignore_ascii_case("gh-")).map(|_| &text[3..])?;
        number(digits).map(|number| Self { repo: None, number, url: false })
    }

    /// Returns the key under which it is looked up; `this` is the configured repo.
    pub(super) fn key(&self, this: Option<&str>) -> IssueRef {
        IssueRef { repo: self.repo.or(this).unwrap_or_default().to_lowercase(), number: self.number }
    }
}

/// A web address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WebAddress<'a> {
    /// An issue or a pull request on the given host.
    Issue {
        /// `owner/repo`.
        repo: &'a str,
        /// The number.
        number: u64,
    },
    /// A file or folder of a repo on the given host.
    Tree {
        /// `owner/repo`.
        repo: &'a str,
        /// What follows `blob/`, `tree/` and the like: a branch, whose name may hold slashes, then the path.
        rest: &'a str,
    },
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
        if is_raw_host(&bare(name), &bare(host)) {
            let mut parts = path.splitn(3, '/');
            let (owner, repo) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
            let full = &path[..(owner.len() + 1 + repo.len()).min(path.len())];
            let rest = parts.next().filter(|_| is_repo_name(full));
            return Some(rest.map_or(Self::Page, |rest| Self::Tree { repo: full, rest }));
        }
        let mut parts = path.splitn(4, '/');
        let (owner, repo, what, tail) =
            (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next());
        if bare(name) != bare(host) {
            let tree = what == "blob" || what == "tree" || path.contains("/-/blob/") || path.contains("/-/tree/");
            return Some(if tree { Self::ForeignTree } else { Self::Page });
        }
        let full = &path[..(owner.len() + 1 + repo.len()).min(path.len())];
        if !is_repo_name(full) {
            return Some(Self::Page);
        }
        Some(match (what, tail) {
            ("issues" | "pull" | "pulls", Some(tail)) => {
                let digits = tail.split(['/', '#', '?']).next().unwrap_or("");
                number(digits).map_or(Self::Page, |number| Self::Issue { repo: full, number })
            }
            ("blob" | "tree" | "raw" | "blame" | "edit", Some(rest)) => Self::Tree { repo: full, rest },
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
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// Returns the scheme that `text` begins with, such as `mailto`; a drive letter is none.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let (name, _) = text.split_once(':')?;
    let letters = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-'));
    letters.then_some(name)
}

/// Decodes percent-encoding such as `%20`; text that would not be UTF-8 is returned unchanged.
pub(super) fn decoded(text: &str) -> String {
    percent_decoded(text).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_are_read_in_every_form() {
        let read = |text| IssueMention::read(text, "github.com").map(|w| (w.repo, w.number, w.url));
        assert_eq!(read("#12"), Some((None, 12, false)));
        assert_eq!(read("gh-12"), Some((None, 12, false)));
        assert_eq!(read("o/r.x#3"), Some((Some("o/r.x"), 3, false)));
        assert_eq!(read("https://GitHub.com/o/r/issues/7#issuecomment-1"), Some((Some("o/r"), 7, true)));
        assert_eq!(read("http://www.github.com/o/r/pull/7/files?w=1"), Some((Some("o/r"), 7, true)));
        for none in ["12", "#", "#x", "a/b/c#1", "o/r", "https://example.org/o/r/issues/7", "https://github.com/o"] {
            assert_eq!(read(none), None, "{none}");
        }
        assert_eq!(read("#99999999999999999999999"), None);
    }

    #[test]
    fn trees_of_other_hosts_are_foreign_and_pages_are_pages() {
        fn read(text: &str) -> Option<WebAddress<'_>> {
            WebAddress::read(text, "github.com")
        }
        let raw = WebAddress::Tree { repo: "o/r", rest: "refs/heads/main/a.md" };
        assert_eq!(read("https://raw.githubusercontent.com/o/r/refs/heads/main/a.md"), Some(raw));
        let raw = WebAddress::Tree { repo: "o/r", rest: "v1/a.md" };
        assert_eq!(WebAddress::read("https://raw.git.example/o/r/v1/a.md", "git.example"), Some(raw));
        assert_eq!(read("https://raw.git.example/o/r/v1/a.md"), Some(WebAddress::Page));
        // A mechanical rename once changed `raw` here, so every word is spelled out.
        for word in ["blob", "tree", "raw", "blame", "edit"] {
            let tree = WebAddress::Tree { repo: "o/r", rest: "main/a.md" };
            assert_eq!(read(&format!("https://github.com/o/r/{word}/main/a.md")), Some(tree), "{word}");
        }
        assert_eq!(read("https://gitlab.com/o/r/-/blob/main/a.md"), Some(WebAddress::ForeignTree));
        assert_eq!(read("https://example.org/docs/a.md"), Some(WebAddress::Page));
        assert_eq!(read("docs/a.md"), None);
    }

    #[test]
    fn percent_signs_are_undone_only_where_text_remains() {
        assert_eq!(decoded("a%20b%2e%2E/%"), "a b../%");
        assert_eq!(decoded("%ff"), "%ff");
    }
}
