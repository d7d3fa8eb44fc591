//! The names of the files that references may lead to, indexed once.

use crate::model::{RepoPath, WordLists, canonical, has_document_extension};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// The files that references may lead to, and the names that they may not.
#[derive(Clone, Copy)]
pub struct FileLookup<'a> {
    pub files: &'a RepoFiles<'a>,
    /// The tracked ones: all that a text on GitHub may refer to, and of several with one name those that are meant.
    pub tracked: &'a RepoFiles<'a>,
    /// Tests for names that are never opened, before it is known whether they exist.
    pub denied: &'a (dyn Fn(&RepoPath) -> bool + Sync),
    /// Tests for files that contextpack writes itself: naming one is no reference.
    pub generated: &'a (dyn Fn(&RepoPath) -> bool + Sync),
}

#[derive(Debug)]
pub struct RepoFiles<'a> {
    all: &'a [RepoPath],
    /// Documents by file name; `None` if more than one folder has a file of this name.
    documents: HashMap<Cow<'a, str>, Option<&'a RepoPath>>,
    /// Files whose names have letters outside ASCII by their canonical paths; `None` if several have one.
    composed: HashMap<Cow<'a, str>, Option<&'a RepoPath>>,
    /// Indices into `all` with the canonical paths that differ, sorted by what these end in; made when first needed.
    by_suffix: OnceLock<Vec<(usize, Option<String>)>>,
}

const MAX_MATCHES: usize = 9;

impl<'a> RepoFiles<'a> {
    /// Indexes `all`, which must be sorted; a reference to any other file is dangling.
    pub fn new(all: &'a [RepoPath]) -> Self {
        let documents = all.iter().filter(|path| is_document(path)).map(|path| (path.name(), path));
        let composed = all.iter().map(|path| (path.as_str(), path)).filter(|(name, _)| !name.is_ascii());
        Self { all, documents: only(documents), composed: only(composed), by_suffix: OnceLock::new() }
    }

    pub fn has(&self, path: &RepoPath) -> bool {
        self.get(path).is_some()
    }

    /// Returns whether the name of one of them has the `\` of a text.
    pub(super) fn has_literally(&self, written: &str) -> bool {
        written.contains('\\') && RepoPath::new(written).is_ok_and(|path| self.has(&path))
    }

    pub(super) fn get(&self, path: &RepoPath) -> Option<&'a RepoPath> {
        self.all.get(self.all.binary_search(path).ok()?)
    }

    pub(super) fn spelled_otherwise(&self, path: &RepoPath) -> Option<&'a RepoPath> {
        let name = canonical(path.as_str());
        if path.as_str().is_ascii() || self.has(path) {
            return None;
        }
        let other = || RepoPath::new(&name).ok().and_then(|path| self.get(&path));
        self.composed.get(&*name).copied().unwrap_or_else(other)
    }

    /// Returns whether one of them lies below `path`; the root is a folder always.
    pub fn is_folder(&self, path: &RepoPath) -> bool {
        if path.as_str().is_empty() {
            return true;
        }
        let prefix = format!("{path}/");
        let start = self.all.partition_point(|file| file.as_str() < prefix.as_str());
        self.all.get(start).is_some_and(|file| file.as_str().starts_with(&prefix))
    }

    /// Returns the first files below some folder whose paths end in the parts of `suffix`: `internal/pkg/a.go` for `pkg/a.go`.
    pub(super) fn ending_in(&self, suffix: &str) -> Vec<&'a RepoPath> {
        let by_end = |a: &str, b: &str| a.bytes().rev().cmp(b.bytes().rev());
        let sorted = self.by_suffix.get_or_init(|| {
            let other = |path: &RepoPath| match canonical(path.as_str()) {
                Cow::Borrowed(_) => None,
                Cow::Owned(name) => Some(name),
            };
            let mut order: Vec<_> = self.all.iter().map(other).enumerate().collect();
            order.sort_unstable_by(|a, b| by_end(self.compared(a), self.compared(b)).then_with(|| a.0.cmp(&b.0)));
            order
        });
        let end = format!("/{}", canonical(suffix));
        let start = sorted.partition_point(|entry| by_end(self.compared(entry), &end) == Ordering::Less);
        let files = sorted[start..].iter().take_while(|entry| self.compared(entry).ends_with(&end));
        let mut found: Vec<_> = files.map(|(index, _)| &self.all[*index]).take(MAX_MATCHES).collect();
        found.sort_unstable();
        found
    }

    fn compared<'s>(&'s self, (index, other): &'s (usize, Option<String>)) -> &'s str {
        other.as_deref().unwrap_or(self.all[*index].as_str())
    }

    /// Returns the only document with this name; `None` for names that every folder may have.
    pub(super) fn only_document(&self, name: &str) -> Option<&'a RepoPath> {
        if is_usual(name) { None } else { self.documents.get(&*canonical(name)).copied().flatten() }
    }
}

fn only<'a>(files: impl Iterator<Item = (&'a str, &'a RepoPath)>) -> HashMap<Cow<'a, str>, Option<&'a RepoPath>> {
    let mut known = HashMap::new();
    for (name, path) in files {
        known.entry(canonical(name)).and_modify(|one| *one = None).or_insert(Some(path));
    }
    known
}

static PATH_NAMES: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("path_names.txt")));

pub(super) fn is_listed(list: &str, name: &str) -> bool {
    PATH_NAMES.has(list, name)
}

/// Returns whether the name is usual in any folder, such as `README.md`, so that it identifies no file.
pub(super) fn is_usual(name: &str) -> bool {
    is_listed("usual", &stem(name))
}

/// Returns whether the name of a code file is usual in any folder, such as `index.js`.
pub(super) fn is_usual_code(name: &str) -> bool {
    is_usual(name) || is_listed("usual_code", &stem(name.trim_start_matches('.')))
}

fn stem(name: &str) -> String {
    name.split('.').next().unwrap_or_default().to_ascii_lowercase()
}

/// Returns whether a file has not the extension of a program: `COPYING`, `LICENSE-MIT`, `LICENSE-2.0`, `license.html`.
pub(super) fn is_text_name(path: &RepoPath) -> bool {
    let extension = path.extension();
    let lower = !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_lowercase());
    !lower || ["html", "rtf", "tex"].contains(&extension)
}

pub(super) fn is_document(path: &RepoPath) -> bool {
    has_document_extension(path.name())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_folder_name_accents_and_whole_parts_of_their_ends() {
        let path = |text| RepoPath::new(text).unwrap();
        let names = ["a-b/x.md", "a/README.md", "a/b/x.go", "a/x.md", "a/y.md", "b/x.go", "b/zx.go", "src/e\u{301}.rs"];
        let all = names.map(path);
        let files = RepoFiles::new(&all);
        assert!(files.is_folder(&path("a")) && files.is_folder(&path("")));
        assert!(!files.is_folder(&path("a/x.md")) && !files.is_folder(&path("c")));
        assert_eq!(files.only_document("y.md"), Some(&path("a/y.md")));
        for none in ["x.md", "README.md", "zx.go", "w.md"] {
            assert_eq!(files.only_document(none), None, "{none}");
        }
        assert_eq!(files.spelled_otherwise(&path("src/\u{e9}.rs")), Some(&all[7]));
        assert_eq!(files.spelled_otherwise(&all[7]), None);
        assert_eq!(files.ending_in("\u{e9}.rs"), [&all[7]]);
        assert_eq!(files.ending_in("b/x.go"), [&all[2]]);
        assert_eq!(files.ending_in("x.go"), [&all[2], &all[5]]);
        for none in ["", "go", "b/q.go", "/zx.go", "ZX.go"] {
            assert!(files.ending_in(none).is_empty(), "{none}");
        }
    }
}
