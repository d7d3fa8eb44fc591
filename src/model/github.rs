//! Names of repos and URLs of issues on GitHub, and its snapshot: one file an issue, which `sync` writes and builds read.
//!
//! Fields of the snapshot are in the order of their names. They only change if the issue itself changes (no counters, no
//! avatars, no time of the last request). Texts have LF line ends and are redacted.

#![expect(missing_docs, reason = "most fields are named as those of GitHub")]

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Returns whether `text` is `owner/name` of a repo on GitHub, and so safe as two folders of a path and of a URL.
///
/// A name may begin with a full stop, as `.github` does. `.`, `..` and `.git` are refused in any case, and with full
/// stops behind them, which Windows ignores: as folders they are other places.
pub fn is_repo_name(text: &str) -> bool {
    let fits = |part: &str| {
        let bare = part.trim_end_matches('.');
        part.len() <= 100
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && !bare.is_empty()
            && !bare.eq_ignore_ascii_case(".git")
    };
    text.split_once('/').is_some_and(|(owner, name)| !owner.starts_with('.') && fits(owner) && fits(name))
}

/// A repo on GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GithubRepo {
    /// `github.com`, or the name of an enterprise server.
    pub host: String,
    pub repo: String,
}

impl GithubRepo {
    /// Returns the repo of the URL of a remote, ignoring credentials in it.
    pub fn of_remote(url: &str) -> Option<Self> {
        let (place, path) = match url.split_once("://") {
            Some((_, rest)) => rest.split_once('/')?,
            None => url.split_once(':')?,
        };
        let host = place.rsplit('@').next()?.split(':').next()?.to_lowercase();
        let host = if host == "ssh.github.com" { "github.com".to_owned() } else { host };
        // Programs differ in where a host ends that one of these signs follows.
        if place.contains(['/', '\\', '?', '#'])
            || !host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b))
        {
            return None;
        }
        if host != "github.com" && !host.split('.').any(|label| label == "github" || label == "ghe") {
            return None;
        }
        let path = path.trim_matches('/');
        let repo = path.strip_suffix(".git").unwrap_or(path);
        is_repo_name(repo).then(|| Self { host, repo: repo.to_owned() })
    }
}

/// Returns the part of `url` up to the issue number if it is the URL of an issue or a pull request, on any host.
pub fn issue_url(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let mut parts = rest.split('/');
    let mut length = url.len() - rest.len();
    for _ in 0..3 {
        let part = parts.next().filter(|part| !part.is_empty() && !part.contains(['?', '#']))?;
        length += part.len() + 1;
    }
    let kind = parts.next().filter(|kind| matches!(*kind, "issues" | "pull"))?;
    let number = parts.next()?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let ends = number.as_bytes().get(digits).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (digits > 0 && digits <= 18 && ends).then(|| &url[..length + kind.len() + 1 + digits])
}

/// A reference to an issue or a pull request as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueReference<'a> {
    pub host: Option<&'a str>,
    /// `owner/name`, if it says so.
    pub repo: Option<&'a str>,
    /// The number, above 0.
    pub number: u64,
}

impl<'a> IssueReference<'a> {
    /// Parses `#12`, `GH-12`, `owner/name#12`, or the URL of a page of an issue.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (host, repo, digits) = if let Some(url) = issue_url(text) {
            let (_, place) = url.split_once("://")?;
            let (page, digits) = place.rsplit_once('/')?;
            let (host, repo) = page.rsplit_once('/')?.0.split_once('/')?;
            (Some(host), Some(repo), digits)
        } else if let Some((repo, digits)) = text.split_once('#') {
            (None, Some(repo).filter(|repo| !repo.is_empty()), digits)
        } else {
            (None, None, text.get(..3).filter(|gh| gh.eq_ignore_ascii_case("gh-")).and(text.get(3..))?)
        };
        let number = digits.parse().ok().filter(|number| *number > 0 && !digits.starts_with('+'))?;
        repo.is_none_or(is_repo_name).then_some(Self { host, repo, number })
    }
}

pub const SNAPSHOT_VERSION: &str = "issue_snapshot/v1";

/// One issue or pull request, in `<owner>/<repo>/<number>.json` of the snapshot's folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotIssue {
    /// Whether `sync` was asked for it; otherwise it is present as a neighbour of another issue.
    pub asked: bool,
    /// Logins, sorted.
    pub assignees: Vec<String>,
    pub author: SnapshotAuthor,
    pub body: Option<String>,
    /// The lines that its texts name by URLs of commits, as they were there; sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<SnapshotCode>,
    pub comments: SnapshotComments,
    pub created_at: Option<String>,
    /// Whether its author, an untrusted one, changed its title or body after `sync` had been asked for it, and nobody
    /// added a label since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Further fields of GitHub's answer, without counters, URLs and the like.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
    /// `issue` or `pull`.
    pub kind: String,
    pub labels: Vec<String>,
    #[serde(default)]
    pub merged: bool,
    pub milestone: Option<String>,
    pub number: u64,
    /// Whether its repo is private; `None` if unknown.
    pub private: Option<bool>,
    pub relations: SnapshotRelations,
    pub repo: String,
    pub schema_version: String,
    /// `open`, `closed`, or a future word of GitHub's.
    pub state: String,
    /// `completed`, `not_planned`, `reopened`, `duplicate`, or another word.
    pub state_reason: Option<String>,
    pub title: String,
    /// `trusted` or `untrusted`, decided when it was fetched.
    pub trust: String,
    #[serde(rename = "type")]
    pub issue_type: Option<String>,
    pub url: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotAuthor {
    /// `OWNER`, `MEMBER`, `NONE` and so on, as the token that fetched it saw them.
    pub association: Option<String>,
    pub bot: bool,
    pub login: Option<String>,
}

/// Lines of a file as they were at a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotCode {
    pub path: String,
    pub commit: String,
    pub first: u32,
    /// The last line that is named.
    pub last: u32,
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SnapshotComments {
    pub completeness: Completeness,
    /// Oldest first.
    pub items: Vec<SnapshotComment>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotComment {
    pub author: SnapshotAuthor,
    pub body: String,
    pub created_at: String,
    pub edited: bool,
    pub id: u64,
    /// Whether it was hidden as spam, abuse, outdated and so on.
    pub minimized: bool,
    pub trust: String,
    pub url: String,
}

/// What an issue is tied to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotRelations {
    pub blocked_by: SnapshotRelation,
    pub blocking: SnapshotRelation,
    pub parent: SnapshotRelation,
    pub sub_issues: SnapshotRelation,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotRelation {
    /// How much of it the snapshot has: `unknown` does not mean none.
    pub completeness: Completeness,
    /// By repo and number, sorted.
    pub issues: Vec<SnapshotRef>,
    /// `sub_issue` or `dependency_api`.
    pub source: String,
}

/// Another issue, as a list of relations shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SnapshotRef {
    pub repo: String,
    pub number: u64,
    /// `open` or `closed`; `None` if it cannot be seen.
    pub state: Option<String>,
    pub state_reason: Option<String>,
    pub title: Option<String>,
    pub url: String,
}

/// How much of a list is in the snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    Complete,
    /// The beginning: a page was missing, or there were too many.
    Partial,
    /// It was not requested, or could not be fetched.
    #[default]
    Unknown,
}

impl Default for SnapshotRelations {
    fn default() -> Self {
        let unknown = |source: &str| SnapshotRelation {
            completeness: Completeness::Unknown,
            issues: Vec::new(),
            source: source.to_owned(),
        };
        Self {
            blocked_by: unknown("dependency_api"),
            blocking: unknown("dependency_api"),
            parent: unknown("sub_issue"),
            sub_issues: unknown("sub_issue"),
        }
    }
}
