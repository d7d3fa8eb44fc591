//! Names that are never opened, as `docs/redaction.md` lists them.

use super::ignore_patterns::IgnorePatterns;
use crate::model::RepoPath;

/// Folders whose whole content is denied, at any depth.
///
/// The patterns of files are for files alone: a folder `credentials-service/` holds code and decisions like any other.
const FOLDERS: &str = ".git\n.contextpack\n.env*\n.aws\n.ssh\n.gnupg";

const FILES: &str = include_str!("denied_files.gitignore");

/// The most patterns that the braces of one entry may stand for.
const MAX_ALTERNATIVES: usize = 256;

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
    pub fn new(extra: &[String]) -> Result<Self, (usize, String)> {
        let mut own = IgnorePatterns::default();
        for (index, written) in extra.iter().enumerate() {
            for pattern in patterns(written).map_err(|reason| (index, reason))? {
                own.push(&pattern).map_err(|reason| (index, reason.to_owned()))?;
            }
        }
        let (folders, files) = (IgnorePatterns::for_lower_case(FOLDERS), IgnorePatterns::for_lower_case(FILES));
        Ok(Self { folders, files, extra: own })
    }

    /// Whether `path` is never opened.
    pub fn denies(&self, path: &RepoPath) -> bool {
        let path = path.as_str().to_ascii_lowercase();
        let above = || path.rmatch_indices('/').map(|(at, _)| &path.as_bytes()[..at]);
        // The last of the user's patterns that matches the path, or a folder above it, decides.
        let own = above().map(|folder| self.extra.deciding(folder, true));
        match own.fold(self.extra.deciding(path.as_bytes(), false), Option::max) {
            Some((_, verdict)) => verdict,
            None => {
                self.files.verdict(path.as_bytes(), false) == Some(true)
                    || above().any(|folder| self.folders.verdict(folder, true) == Some(true))
            }
        }
    }
}

/// Returns the pattern that denies `path`, or the setting if none of the built-in ones does.
pub fn denying_pattern(path: &RepoPath) -> &'static str {
    let path = path.as_str().to_ascii_lowercase();
    let read = IgnorePatterns::for_lower_case;
    let matches = |pattern: &str, path: &str, is_dir| read(pattern).verdict(path.as_bytes(), is_dir) == Some(true);
    let above = |pattern: &&str| path.match_indices('/').any(|(at, _)| matches(pattern, &path[..at], true));
    let file = FILES.lines().rfind(|pattern| matches(pattern, &path, false));
    file.or_else(|| FOLDERS.lines().find(above)).unwrap_or("redaction.deny_paths")
}

/// Returns the patterns without braces for which an entry stands.
fn patterns(written: &str) -> Result<Vec<String>, String> {
    let written = written.trim();
    let (not, pattern) = written.strip_prefix('!').map_or(("", written), |rest| ("!", rest));
    let pattern = pattern.strip_prefix("./").map_or_else(|| pattern.to_owned(), |rest| format!("/{rest}"));
    if pattern.len() > MAX_BYTES {
        return Err(format!("the pattern is longer than {MAX_BYTES} bytes"));
    }
    if pattern.split('/').any(|part| part == "..") {
        return Err("the pattern leads out of the repo".to_owned());
    }
    let mut open = vec![format!("{not}{pattern}")];
    let mut plain = Vec::new();
    while let Some(pattern) = open.pop() {
        match inner_braces(&pattern) {
            Ok(Some(parts)) => open.extend(parts),
            Ok(None) => plain.push(pattern),
            Err(reason) => return Err(reason.to_owned()),
        }
        if open.len() + plain.len() > MAX_ALTERNATIVES {
            return Err(format!("its braces stand for more than {MAX_ALTERNATIVES} patterns"));
        }
    }
    Ok(plain)
}

/// Returns what the first braces that hold no others stand for: `*.{yml,json}` is `*.yml` and `*.json`.
fn inner_braces(pattern: &str) -> Result<Option<Vec<String>>, &'static str> {
    let mut commas = Vec::new();
    let mut open = None;
    let mut bytes = pattern.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (byte, open) {
            (b'\\', _) => drop(bytes.next()),
            (b'{', _) => {
                open = Some(at);
                commas.clear();
            }
            (b',', Some(_)) => commas.push(at),
            (b'}', Some(start)) => {
                let begins = std::iter::once(start).chain(commas.iter().copied());
                let parts = begins.zip(commas.iter().copied().chain([at]));
                let rest = &pattern[at + 1..];
                return Ok(Some(
                    parts.map(|(from, to)| format!("{}{}{rest}", &pattern[..start], &pattern[from + 1..to])).collect(),
                ));
            }
            _ => {}
        }
    }
    if open.is_some() { Err("the pattern has a `{` that is not closed") } else { Ok(None) }
}
