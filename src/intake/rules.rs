//! The `.gitignore` files that hold for a folder.

use super::text;
use crate::config::IgnorePatterns;
use crate::model::Refusal;
use cap_std::fs::Dir;
use std::sync::Arc;

/// The patterns of one folder, on top of those of the folders above it.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    /// How many bytes of a path, counted from the work tree's top, name this folder and its `/`.
    below: usize,
    patterns: IgnorePatterns,
    above: Option<Arc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Whether git ignores a path, if it does not ignore a folder above it.
    /// `path` counts from the work tree's top. The deepest file that says anything decides.
    pub(super) fn ignore(rules: Option<&Arc<Self>>, path: &[u8], is_dir: bool) -> bool {
        let mut next = rules;
        while let Some(rules) = next {
            if let Some(verdict) = path.get(rules.below..).and_then(|path| rules.patterns.verdict(path, is_dir)) {
                return verdict;
            }
            next = rules.above.as_ref();
        }
        false
    }

    /// Adds the patterns of a folder's own `.gitignore`.
    ///
    /// `folder` is the path of the folder for `handle`, with a `/` at its end
    /// unless it is empty; `below` its length counted from the work tree's top.
    /// A file that cannot be used ignores everything: what the user meant to
    /// hide stays hidden. The second value says that this happened, and why.
    pub(super) fn extend(
        above: Option<Arc<Self>>,
        handle: &Dir,
        folder: &str,
        below: usize,
    ) -> (Option<Arc<Self>>, Option<Refusal>) {
        let read = text::read_bytes(handle, &format!("{folder}.gitignore"), text::limit(""));
        let (patterns, refusal) = match read {
            Ok(bytes) => (IgnorePatterns::gitignore(&bytes), None),
            // git, too, follows no link here and reads no folder.
            Err(Refusal::NotInRepo | Refusal::Binary) => return (above, None),
            Err(refusal) => (IgnorePatterns::gitignore(b"*"), Some(refusal)),
        };
        if patterns.is_empty() {
            return (above, refusal);
        }
        (Some(Arc::new(Self { below, patterns, above })), refusal)
    }
}
