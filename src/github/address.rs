//! The address of an API, and the identity of an issue.

use http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// The address of an API: `https://api.github.com`, or `https://host/api/v3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiBase {
    /// `https://host`, without a path.
    pub origin: String,
    /// `host` or `host:port`, in lower case.
    pub authority: String,
    /// The prefix of every path, such as `/api/v3`, without a final slash.
    pub base: String,
}

impl ApiBase {
    /// Parses an address; it must be encrypted unless it is on this machine.
    ///
    /// # Errors
    /// A message without a user name or a password.
    pub fn new(url: &str) -> Result<Self, String> {
        let shown = url.split('@').next_back().unwrap_or_default();
        let form = || format!("`{shown}` is not the address of an API; write one such as `https://api.github.com`");
        let uri: Uri = url.trim().parse().map_err(|_| form())?;
        let (Some(scheme), Some(authority), None) = (uri.scheme_str(), uri.authority(), uri.query()) else {
            return Err(form());
        };
        match scheme {
            _ if authority.as_str().contains('@') => return Err(form()),
            "https" => {}
            "http" if matches!(authority.host(), "127.0.0.1" | "localhost" | "[::1]") => {}
            "http" => return Err(format!("`{shown}` is not encrypted; write `https://`")),
            _ => return Err(form()),
        }
        let authority = authority.as_str().to_ascii_lowercase();
        Ok(Self { origin: origin(scheme, &authority), authority, base: uri.path().trim_end_matches('/').to_owned() })
    }

    /// Returns the API for a host of repo URLs.
    pub fn of_host(host: &str) -> Result<Self, String> {
        match host {
            "github.com" => Self::new("https://api.github.com"),
            // With data residency the API has a host of its own; an Enterprise server has it below `/api/v3`.
            host if host.ends_with(".ghe.com") => Self::new(&format!("https://api.{host}")),
            host => Self::new(&format!("https://{host}/api/v3")),
        }
    }

    /// Returns the path and query of a link, without `base`; `None` if it leads to another server, unless it may have `any_host`,
    /// as links to further pages do: proxies insert their own.
    pub(super) fn path_of(&self, link: &str, any_host: bool) -> Option<String> {
        let uri: Uri = link.parse().ok()?;
        let is_here = match (uri.scheme_str(), uri.authority()) {
            (Some(scheme), Some(host)) => any_host || origin(scheme, &host.as_str().to_lowercase()) == self.origin,
            _ => true,
        };
        let path = uri.path_and_query().filter(|_| is_here)?.as_str();
        let path = path.strip_prefix(self.base.as_str()).filter(|rest| rest.starts_with('/')).unwrap_or(path);
        (path.starts_with('/') && !path.starts_with("//")).then(|| path.to_owned())
    }
}

/// Returns `scheme://host`, with a port unless it is the scheme's default.
fn origin(scheme: &str, authority: &str) -> String {
    let own = if scheme == "https" { ":443" } else { ":80" };
    format!("{scheme}://{}", authority.strip_suffix(own).unwrap_or(authority))
}

/// An issue's repo and number, compared without case.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct IssueKey {
    pub repo: String,
    pub number: u64,
}

impl IssueKey {
    pub fn new(repo: impl Into<String>, number: u64) -> Self {
        Self { repo: repo.into(), number }
    }

    pub(super) fn path(&self) -> String {
        format!("/repos/{}/issues/{}", self.repo, self.number)
    }
}

impl From<IssueKey> for String {
    fn from(key: IssueKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for IssueKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let key = text.rsplit_once('#').and_then(|(repo, number)| Some(Self::new(repo, number.parse().ok()?)));
        key.ok_or("it is no key of an issue")
    }
}

impl PartialEq for IssueKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for IssueKey {}

impl PartialOrd for IssueKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IssueKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let folded = |key: &Self| key.repo.to_lowercase();
        folded(self).cmp(&folded(other)).then(self.number.cmp(&other.number))
    }
}

impl fmt::Display for IssueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repo, self.number)
    }
}

/// Percent-encodes a value of a query: all but the unreserved characters of RFC 3986.
pub(super) fn percent_encode(text: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, ESCAPED).to_string()
}
