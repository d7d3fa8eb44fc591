//! The address of an API, and the identity of an issue.

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

/// The error of an address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// The text is not the URL of a server.
    #[error("`{0}` is not the address of an API; write one such as `https://api.github.com`")]
    Form(String),
    /// The address is not encrypted, so that the token could be read on the way.
    #[error("`{0}` is not encrypted; write `https://`")]
    Plain(String),
}

impl ApiBase {
    /// Parses an address; it must be encrypted unless it is on this machine.
    ///
    /// # Errors
    /// [`ApiError`], whose messages hold no user name and no password.
    pub fn new(url: &str) -> Result<Self, ApiError> {
        let shown = || url.split('@').next_back().unwrap_or_default().to_owned();
        let form = || ApiError::Form(shown());
        let (scheme, rest) = url.trim().split_once("://").ok_or_else(form)?;
        let (authority, base) = match rest.find('/') {
            Some(at) => (&rest[..at], rest[at..].trim_end_matches('/')),
            None => (rest, ""),
        };
        let authority = authority.to_ascii_lowercase();
        let host = authority.rsplit_once(':').map_or(authority.as_str(), |(host, _)| host);
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
        let path = |c: char| c.is_ascii_alphanumeric() || "/.-_~".contains(c);
        if host.is_empty() || !authority.chars().all(plain) || !base.chars().all(path) {
            return Err(form());
        }
        match scheme.to_ascii_lowercase().as_str() {
            "https" => {}
            "http" if matches!(host, "127.0.0.1" | "localhost" | "[::1]") => {}
            "http" => return Err(ApiError::Plain(shown())),
            _ => return Err(form()),
        }
        let origin = origin(&scheme.to_ascii_lowercase(), &authority);
        Ok(Self { origin, authority, base: base.to_owned() })
    }

    /// Returns the API for a host of repo URLs.
    ///
    /// # Errors
    /// If the host is not valid.
    pub fn of_host(host: &str) -> Result<Self, ApiError> {
        match host {
            "github.com" => Self::new("https://api.github.com"),
            // With data residency the API has a host of its own; an Enterprise server has it below `/api/v3`.
            host if host.ends_with(".ghe.com") => Self::new(&format!("https://api.{host}")),
            host => Self::new(&format!("https://{host}/api/v3")),
        }
    }

    /// Returns the path of a link to this API, without `base`; `None` if the link leads to another server.
    pub(super) fn path_of<'a>(&self, link: &'a str) -> Option<&'a str> {
        let path = match link.split_once("://") {
            Some((scheme, rest)) => {
                let at = rest.find('/')?;
                let same = self.origin == origin(&scheme.to_lowercase(), &rest[..at].to_lowercase());
                same.then_some(&rest[at..])?
            }
            None => link,
        };
        self.inner(path)
    }

    /// Returns the path and query of a link to a further page, whatever host it names: proxies insert their own.
    pub(super) fn page_of<'a>(&self, link: &'a str) -> Option<&'a str> {
        let path = match link.split_once("://") {
            Some((_, rest)) => &rest[rest.find('/')?..],
            None => link,
        };
        self.inner(path)
    }

    fn inner<'a>(&self, path: &'a str) -> Option<&'a str> {
        let path = path.strip_prefix(self.base.as_str()).filter(|rest| rest.starts_with('/')).unwrap_or(path);
        let fits = path.starts_with('/') && !path.starts_with("//") && path.bytes().all(|b| b.is_ascii_graphic());
        fits.then_some(path)
    }
}

/// Returns the URL in the value of `X-GitHub-SSO`, without control characters, if it is one of an encrypted page of `host`.
pub(super) fn sso_url(header: &str, host: &str) -> Option<String> {
    let url = header.split(';').find_map(|part| part.trim().strip_prefix("url="))?;
    let url: String = url.chars().filter(char::is_ascii_graphic).take(MAX_SSO_URL + 1).collect();
    let authority = url.strip_prefix("https://")?.split(['/', '?', '#']).next()?;
    (authority.eq_ignore_ascii_case(host) && url.len() <= MAX_SSO_URL).then_some(url)
}

/// The longest URL of a sign-on that is shown, in bytes.
const MAX_SSO_URL: usize = 500;

/// Returns `scheme://host`, with a port unless it is the scheme's default.
fn origin(scheme: &str, authority: &str) -> String {
    let own = match scheme {
        "https" => ":443",
        _ => ":80",
    };
    format!("{scheme}://{}", authority.strip_suffix(own).unwrap_or(authority))
}

/// An issue's repo and number, compared without case.
#[derive(Debug, Clone)]
pub struct IssueKey {
    /// `owner/name`.
    pub repo: String,
    /// The number.
    pub number: u64,
}

impl IssueKey {
    /// Creates the key of an issue in a repo.
    pub fn new(repo: impl Into<String>, number: u64) -> Self {
        Self { repo: repo.into(), number }
    }

    /// Returns the issue's path in the API.
    pub(super) fn path(&self) -> String {
        format!("/repos/{}/issues/{}", self.repo, self.number)
    }

    /// Returns the form of the key in the saved state.
    pub(super) fn id(&self) -> String {
        format!("{}#{}", self.repo.to_lowercase(), self.number)
    }

    fn folded(&self) -> (String, u64) {
        (self.repo.to_lowercase(), self.number)
    }
}

impl PartialEq for IssueKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
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
        self.folded().cmp(&other.folded())
    }
}

impl fmt::Display for IssueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repo, self.number)
    }
}

/// Percent-encodes a value of a query.
pub(super) fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_encrypted_or_on_this_machine() {
        let ours = ApiBase::new("https://GHE.example.com/api/v3/").unwrap();
        assert_eq!((ours.origin.as_str(), ours.base.as_str()), ("https://ghe.example.com", "/api/v3"));
        assert!(ApiBase::new("http://127.0.0.1:8080").is_ok());
        assert_eq!(ApiBase::new("http://u:p@example.com"), Err(ApiError::Form("example.com".to_owned())));
        assert_eq!(ApiBase::new("http://example.com"), Err(ApiError::Plain("http://example.com".to_owned())));
        for none in ["", "api.github.com", "ftp://example.com", "https://", "https://a b", "https://x/?q"] {
            assert!(ApiBase::new(none).is_err(), "{none}");
        }
        assert_eq!(ApiBase::of_host("acme.ghe.com").unwrap().origin, "https://api.acme.ghe.com");
    }

    #[test]
    fn a_page_is_followed_by_path_and_query_and_a_redirect_on_the_same_server_only() {
        let api = ApiBase::new("https://ghe.example.com/api/v3").unwrap();
        let page = "https://internal:8443/api/v3/repositories/1/issues?page=2";
        assert_eq!(api.page_of(page), Some("/repositories/1/issues?page=2"));
        assert_eq!(api.path_of(page), None);
        assert_eq!(api.path_of("https://ghe.example.com/api/v3/x"), Some("/x"));
        assert_eq!(api.path_of("/api/v3/x"), Some("/x"));
        assert_eq!(api.path_of("https://ghe.example.com:443/api/v3/x"), Some("/x"));
        for none in ["https://ghe.example.com.evil/x", "http://ghe.example.com/x", "//evil/x", "x", "https://a"] {
            assert_eq!(api.path_of(none), None, "{none}");
        }
        assert_eq!(api.page_of("/a b"), None);
    }

    #[test]
    fn repos_are_compared_without_case() {
        assert_eq!(IssueKey::new("O/R", 1), IssueKey::new("o/r", 1));
    }
}
