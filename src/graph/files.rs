//! The names of the files that references may lead to, indexed once.

use crate::model::{RepoPath, has_document_extension};
use std::collections::HashMap;

/// The files of a repo that references may lead to.
#[derive(Debug)]
pub struct RepoFiles<'a> {
    all: &'a [RepoPath],
    /// Documents by file name; `None` if more than one folder has a file of this name.
    documents: HashMap<&'a str, Option<&'a RepoPath>>,
}

impl<'a> RepoFiles<'a> {
    /// Indexes `all`, which must be sorted; a reference to any other file is dangling.
    pub fn new(all: &'a [RepoPath]) -> Self {
        let mut documents = HashMap::new();
        for path in all.iter().filter(|path| is_document(path)) {
            documents.entry(path.name()).and_modify(|one| *one = None).or_insert(Some(path));
        }
        Self { all, documents }
    }

    /// Returns whether the file is one of them.
    pub fn has(&self, path: &RepoPath) -> bool {
        self.all.binary_search(path).is_ok()
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

    /// Returns the only document with this name; `None` for names that every folder may have.
    pub(super) fn only_document(&self, name: &str) -> Option<&'a RepoPath> {
        if is_usual(name) { None } else { self.documents.get(name).copied().flatten() }
    }
}

/// Returns whether the name is usual in any folder, such as `README.md`, so that it identifies no file.
pub(super) fn is_usual(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let usual =
        ["readme", "index", "license", "licence", "changelog", "contributing", "security", "summary", "template"];
    usual.contains(&stem.as_str())
}

/// Returns whether a file has one of the extensions of documents.
pub(super) fn is_document(path: &RepoPath) -> bool {
    has_document_extension(path.name())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn folders_and_unique_names_are_known() {
        let path = |text| RepoPath::new(text).unwrap();
        let all = ["a-b/x.md", "a/README.md", "a/x.md", "a/y.md", "b/z.go"].map(path);
        let files = RepoFiles::new(&all);
        assert!(files.is_folder(&path("a")) && files.is_folder(&path("")));
        assert!(!files.is_folder(&path("a/x.md")) && !files.is_folder(&path("c")));
        assert_eq!(files.only_document("y.md"), Some(&path("a/y.md")));
        for none in ["x.md", "README.md", "z.go", "w.md"] {
            assert_eq!(files.only_document(none), None, "{none}");
        }
    }
}
