//! The `.gitignore` files that hold for a folder.

use super::text;
use crate::config::IgnorePatterns;
use crate::model::Refusal;
use cap_std::fs::Dir;
use std::sync::Arc;

/// The patterns of one folder, on top of those of the folders above it.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    /// The length of this folder's path with its final `/`, in bytes from the work tree's top.
    folder_len: usize,
    patterns: IgnorePatterns,
    above: Option<Arc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Whether git ignores a path, provided that it ignores no folder above it.
    ///
    /// `path` begins at the work tree's top. The deepest file with a pattern that matches decides.
    pub(super) fn ignore(rules: Option<&Arc<Self>>, path: &[u8], is_dir: bool) -> bool {
        let mut next = rules;
        while let Some(rules) = next {
            if let Some(verdict) = path.get(rules.folder_len..).and_then(|path| rules.patterns.verdict(path, is_dir)) {
                return verdict;
            }
            next = rules.above.as_ref();
        }
        false
    }

    /// Adds the patterns of a folder's own `.gitignore`.
    ///
    /// `folder` is the folder's path below `root`, with a `/` at its end unless it is empty; `folder_len` its length from
    /// the work tree's top. A file that cannot be used ignores everything, so that what the user meant to hide stays
    /// hidden; the second value is the reason.
    pub(super) fn extend(
        above: Option<Arc<Self>>,
        root: &Dir,
        folder: &str,
        folder_len: usize,
    ) -> (Option<Arc<Self>>, Option<Refusal>) {
        let read = text::read_bytes(root, &format!("{folder}.gitignore"), text::size_limit(""));
        let (patterns, refusal) = match read {
            Ok(bytes) => (IgnorePatterns::gitignore(&bytes), None),
            // git, too, follows no link here and reads no folder.
            Err(Refusal::NotInRepo | Refusal::Binary) => return (above, None),
            Err(refusal) => (IgnorePatterns::gitignore(b"*"), Some(refusal)),
        };
        if patterns.is_empty() {
            return (above, refusal);
        }
        (Some(Arc::new(Self { folder_len, patterns, above })), refusal)
    }
}
