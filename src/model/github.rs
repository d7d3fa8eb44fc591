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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repo_is_no_other_path_and_no_git_directory() {
        for repo in ["o/r", "a-b/c.d_e", "o/.github", "o/a.git", "o/git", "o/.gitignore", "x_corp/a--b"] {
            assert!(is_repo_name(repo), "{repo}");
        }
        for none in [
            "", "o", "o/", "/r", "../r", "./r", "o/..", "o/.", "o/...", "o/.git", "o/.GIT", "o/.Git.", "o/.git..",
            ".git/r", ".o/r", "o/r/s", "o\\r/s", "o/r#1", "o/r ", "o/r\n", "ö/r", "o/${{x}}", "o/\"r\"", "o/`r`",
        ] {
            assert!(!is_repo_name(none), "{none}");
        }
        assert!(!is_repo_name(&format!("o/{}", "r".repeat(101))));
    }
}
