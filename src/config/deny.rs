//! Names that are never opened, as `docs/redaction.md` lists them.

use super::ignore_patterns::IgnorePatterns;
use crate::model::RepoPath;

/// Folders whose whole content is denied, at any depth.
///
/// The file patterns below are for files alone: a folder `credentials-service/`
/// holds code and decisions like any other.
const FOLDERS: &[&str] = &[".git", ".contextpack", ".env*", ".aws", ".ssh", ".gnupg"];

/// Files that are denied at any depth. The last pattern that matches decides; `!` marks an exception.
const FILES: &[&str] = &[
    ".git",
    ".contextpack",
    ".aws",
    ".ssh",
    ".gnupg",
    ".env*",
    "!.env.example",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_ed25519*",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".vault-token",
    ".git-credentials",
    "*service-account*.json",
    "gha-creds-*.json",
    "*.tfstate",
    "*.tfvars",
    "credentials*",
    "!credentials*.md",
    "!credentials*.rst",
    "!credentials*.adoc",
    "secrets.*",
    "!secrets.md",
    "!secrets.*.md",
    "!secrets.rst",
    "!secrets.*.rst",
    "!secrets.adoc",
    "!secrets.*.adoc",
    "**/.docker/config.json",
    "**/.kube/config",
];

/// The most patterns that the braces of one entry may stand for.
const MAX_ALTERNATIVES: usize = 256;

/// The longest entry of `deny_paths`, in bytes.
const MAX_BYTES: usize = 1000;

/// The names that are never opened: the built-in ones, with the additions and exceptions of the user.
///
/// Case is ignored, and it does not matter whether a file exists, so that the answer is the same on every machine.
#[derive(Debug, Clone)]
pub struct DenyList {
    folders: IgnorePatterns,
    files: IgnorePatterns,
    extra: IgnorePatterns,
}

impl DenyList {
    /// Adds `extra` to the built-in names: patterns as in `.gitignore`, with braces. The last one that matches a path or a
    /// folder above it decides.
    ///
    /// # Errors
    /// The index of an entry that can match nothing, and the reason.
    pub fn new(extra: &[String]) -> Result<Self, (usize, String)> {
        let mut list = Self { folders: builtin(FOLDERS), files: builtin(FILES), extra: IgnorePatterns::default() };
        for (index, written) in extra.iter().enumerate() {
            list.add(written).map_err(|reason| (index, reason))?;
        }
        Ok(list)
    }

    fn add(&mut self, written: &str) -> Result<(), String> {
        let written = written.trim();
        let (not, pattern) = match written.strip_prefix('!') {
            Some(rest) => ("!", rest),
            None => ("", written),
        };
        let pattern = match pattern.strip_prefix("./") {
            Some(rest) => format!("/{rest}"),
            None => pattern.to_owned(),
        };
        if pattern.len() > MAX_BYTES {
            return Err(format!("the pattern is longer than {MAX_BYTES} bytes"));
        }
        if pattern.split('/').any(|part| part == "..") {
            return Err("the pattern leads out of the repo".to_owned());
        }
        for plain in alternatives(pattern)? {
            let pattern = format!("{not}{plain}");
            self.extra.push(pattern.as_bytes(), true).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Whether `path` is never opened.
    pub fn denies(&self, path: &RepoPath) -> bool {
        let path = path.as_str();
        if let Some(verdict) = self.extra_verdict(path) {
            return verdict;
        }
        self.files.verdict(path.as_bytes(), false) == Some(true)
            || above(path).any(|folder| self.folders.verdict(folder.as_bytes(), true) == Some(true))
    }

    /// Returns the verdict of the user's patterns on a path, if one matches it or a folder above it; the last one decides.
    fn extra_verdict(&self, path: &str) -> Option<bool> {
        let own = self.extra.deciding(path.as_bytes(), false);
        above(path)
            .map(|folder| self.extra.deciding(folder.as_bytes(), true))
            .fold(own, Option::max)
            .map(|(_, verdict)| verdict)
    }
}

/// Iterates over the folders above a path, the nearest first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[..at])
}

fn builtin(written: &[&str]) -> IgnorePatterns {
    let mut patterns = IgnorePatterns::default();
    for pattern in written {
        let added = patterns.push(pattern.as_bytes(), true);
        debug_assert!(added.is_ok(), "{pattern} is a pattern");
    }
    patterns
}

/// Expands the braces of a pattern: `*.{yml,json}` is `*.yml` and `*.json`.
fn alternatives(pattern: String) -> Result<Vec<String>, String> {
    let mut open = vec![pattern];
    let mut plain = Vec::new();
    while let Some(pattern) = open.pop() {
        match first_braces(&pattern)? {
            None => plain.push(pattern),
            Some((start, commas, end)) => {
                let mut from = start + 1;
                for to in commas.into_iter().chain([end]) {
                    open.push(format!("{}{}{}", &pattern[..start], &pattern[from..to], &pattern[end + 1..]));
                    from = to + 1;
                }
            }
        }
        if open.len() + plain.len() > MAX_ALTERNATIVES {
            return Err(format!("its braces stand for more than {MAX_ALTERNATIVES} patterns"));
        }
    }
    Ok(plain)
}

/// Finds the first outermost braces: the indexes of `{`, of its commas, and of `}`.
fn first_braces(pattern: &str) -> Result<Option<(usize, Vec<usize>, usize)>, String> {
    let (mut depth, mut start, mut commas) = (0_u32, 0, Vec::new());
    let mut bytes = pattern.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b',' if depth == 1 => commas.push(at),
            b'}' if depth == 1 => return Ok(Some((start, commas, at))),
            b'}' if depth > 1 => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 {
        return Err("the pattern has a `{` that is not closed".to_owned());
    }
    Ok(None)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn denies(extra: &[&str], path: &str) -> bool {
        let extra: Vec<String> = extra.iter().map(|entry| (*entry).to_owned()).collect();
        DenyList::new(&extra).unwrap().denies(&RepoPath::new(path).unwrap())
    }

    #[test]
    fn built_in_names_are_denied_at_any_depth_in_any_case() {
        for path in [
            ".env",
            ".ENV",
            "a/.env.local",
            ".envrc",
            ".envs/.production/.django",
            "x.pem",
            "a/b/X.KEY",
            "id_rsa",
            "id_rsa.pub",
            "a/ID_ED25519_work",
            ".netrc",
            "sub/.npmrc",
            "my-service-account-prod.json",
            "gha-creds-1a2b.json",
            "prod.tfstate",
            "prod.TFVARS",
            "credentials",
            "credentials.json",
            "Credentials.txt",
            "credentials-prod.md.bak",
            "secrets.yml",
            "a/secrets.tar.gz",
            ".aws/config",
            "home/.AWS/credentials",
            ".ssh/known_hosts",
            ".gnupg/x/y",
            ".docker/config.json",
            "x/.Docker/config.JSON",
            "x/.kube/config",
            ".git/config",
            "sub/.git/HEAD",
            ".git",
            ".contextpack/cache/x",
            "secrets.cmd",
            ".aws/.env.example",
        ] {
            assert!(denies(&[], path), "{path}");
        }
    }

    #[test]
    fn documents_about_secrets_and_the_example_are_not_denied() {
        for path in [
            ".env.example",
            "a/.ENV.example",
            "credentials.md",
            "docs/Credentials-howto.RST",
            "secrets.rst",
            "secrets.adoc",
            "secrets.in.prod.md",
            "secrets/readme.md",
            "credentials-service/docs/adr/0001-x.md",
            "x.pem.md",
            "docs/keys.md",
            ".docker/readme.md",
            ".kube/other",
            "environment.md",
            ".gitignore",
            ".github/workflows/x.yml",
            "docs/service-account.md",
            "secrets",
        ] {
            assert!(!denies(&[], path), "{path}");
        }
    }

    #[test]
    fn the_last_of_the_users_patterns_wins() {
        assert!(denies(&["private/"], "a/private/b/x.md") && !denies(&["private/"], "private"));
        assert!(denies(&["/notes/*.md"], "Notes/x.MD") && !denies(&["/notes/*.md"], "a/notes/x.md"));
        assert!(!denies(&["!docs/test.pem"], "docs/test.pem") && denies(&["!docs/test.pem"], "x/docs/test.pem"));
        assert!(!denies(&["private/", "!private/ok.md"], "private/ok.md"));
        assert!(denies(&["!private/ok.md", "private/"], "private/ok.md"));
        assert!(!denies(&["!.aws/"], ".aws/readme.md") && denies(&["./x.md"], "x.md"));
    }

    #[test]
    fn braces_stand_for_their_alternatives() {
        let extra = ["hr/**/*.{md,{y,ya}ml}"];
        assert!(denies(&extra, "hr/a/b.md") && denies(&extra, "hr/b.yaml") && denies(&extra, "hr/x.yml"));
        assert!(!denies(&extra, "hr/b.json"));
    }

    #[test]
    fn patterns_that_could_match_nothing_are_errors() {
        for bad in ["", "!", "/", "a[", "a\\", "../x", "{a", &"{a,b}".repeat(12), &"{".repeat(999), &"x".repeat(2000)] {
            let list = DenyList::new(&["fine".to_owned(), bad.to_owned()]);
            assert_eq!(list.unwrap_err().0, 1, "{bad}");
        }
    }
}
