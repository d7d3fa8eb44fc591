//! Names of repos and URLs of issues on GitHub.

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
