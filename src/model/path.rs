//! Paths inside the repo, in one spelling on every system.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A path below the repo's root: `/` between parts, no `.`, `..`, empty part
/// or leading `/`. Ordered by bytes.
///
/// It is the unredacted path, used to look files up; a pack shows it after redaction like any other text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RepoPath(Arc<str>);

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.as_str().to_owned()
    }
}

impl TryFrom<String> for RepoPath {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Self, Self::Error> {
        Self::new(&format!("./{path}")).map_err(|OutsideRepo| "the path leaves the repo")
    }
}

/// A reference that leaves the repo: an absolute path, or more `..` than there are folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideRepo;

impl RepoPath {
    /// Normalises `written`, a path from the repo's root.
    pub fn new(written: &str) -> Result<Self, OutsideRepo> {
        Self::resolve("", written)
    }

    /// Resolves `written` from the folder of this file, as a Markdown link does.
    pub fn beside(&self, written: &str) -> Result<Self, OutsideRepo> {
        Self::resolve(self.dir(), written)
    }

    /// Returns the root itself, from which paths beside it are resolved.
    pub fn root() -> Self {
        Self("".into())
    }

    fn resolve(base: &str, written: &str) -> Result<Self, OutsideRepo> {
        let absolute = written.starts_with(['/', '\\', '~'])
            || written.as_bytes().get(1) == Some(&b':') && written.as_bytes()[0].is_ascii_alphabetic();
        if absolute || written.contains('\0') {
            return Err(OutsideRepo);
        }
        if base.is_empty() && written.split('/').all(|part| !matches!(part, "" | "." | "..")) {
            return Ok(Self(written.into()));
        }
        let mut parts: Vec<&str> = base.split('/').filter(|p| !p.is_empty()).collect();
        for part in written.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or(OutsideRepo)?;
                }
                name => parts.push(name),
            }
        }
        Ok(Self(parts.join("/").into()))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the folder, without a trailing `/`; empty at the root.
    pub fn dir(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(dir, _)| dir)
    }

    /// Returns the last part.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, name)| name)
    }

    /// Returns the last part without its extension: `eip-20` of `EIPS/eip-20.md`.
    pub fn stem(&self) -> &str {
        let name = self.name();
        match name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => name,
        }
    }

    /// Returns the extension in the file's own spelling, without the dot; empty if there is none.
    pub fn extension(&self) -> &str {
        match self.name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        }
    }

    /// Returns whether the path is `dir` or below it; an empty `dir` is the root.
    pub fn is_under(&self, dir: &str) -> bool {
        let dir = dir.trim_end_matches('/');
        dir.is_empty() || self.0.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns whether some file system takes the name of a file or folder for `.git`, as git itself judges it.
///
/// Case counts nowhere; Windows ignores full stops, spaces and streams (`.git::$INDEX_ALLOCATION`) at the end and has the
/// short name `git~1`; macOS ignores some invisible characters.
pub fn is_git_name(name: &str) -> bool {
    // Most names are not like it at all, and cost nothing.
    if !name.bytes().any(|byte| byte.eq_ignore_ascii_case(&b'g')) {
        return false;
    }
    let unseen = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|c| !unseen(c)).collect();
    seen.split('\\').any(|part| {
        let bare = part.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
        bare.eq_ignore_ascii_case(".git") || bare.eq_ignore_ascii_case("git~1")
    })
}

/// Returns whether some file system takes the name of a folder for `.github`, below which GitHub finds workflows, actions
/// and instructions.
pub fn is_github_name(name: &str) -> bool {
    let bare = name.split(['\\', ':']).next().unwrap_or_default().trim_end_matches(['.', ' ']);
    bare.eq_ignore_ascii_case(".github") || bare.eq_ignore_ascii_case("github~1")
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// Extensions of documents, without the dot.
const DOCUMENT_EXTENSIONS: [&str; 5] = ["md", "rst", "mediawiki", "adoc", "txt"];

/// Returns whether a file name ends as that of a document.
pub fn has_document_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && DOCUMENT_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
    })
}

/// Returns whether a text is the name or path of a document, perhaps with an anchor or a line behind it.
pub fn is_document_name(text: &str) -> bool {
    let path = text.split_once('#').map_or(text, |(path, _)| path);
    let path = path.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-'));
    has_document_extension(path) && path.rsplit_once('.').is_some_and(|(stem, _)| !stem.ends_with('/'))
}
