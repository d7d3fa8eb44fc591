//! References of items to files.

use crate::model::{Diagnostic, LineRange, RepoPath};
use crate::redact::Clean;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShownPlace {
    pub path: RepoPath,
    pub line: u32,
}

/// The kind of a referenced file: ADRs before documents, code last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// An architecture decision.
    Adr,
    /// Any other document, by its extension.
    Document,
    /// Any other text file.
    Code,
}

/// A file that an item refers to, found in the repo (not yet read: reading may still be refused).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    pub kind: FileKind,
    pub path: RepoPath,
    /// The anchor of the heading if only that section is meant. A reference to the whole file wins over one to a part.
    pub anchor: Option<String>,
    /// The stated lines of a code file, which are listed in addition to a reference to the whole file.
    pub lines: Option<LineRange>,
    /// The commit that a URL names, if the lines are those of a commit.
    pub commit: Option<Clean>,
    /// The place of the reference.
    pub at: ShownPlace,
}

/// Lines of a file at a commit that an item names by a URL, and that the snapshot keeps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptCodeRef {
    /// Their index in the code of the item's issue.
    pub index: usize,
    /// The place of the reference.
    pub at: ShownPlace,
}

/// A reference that cannot be included: it becomes an omission.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MissingReference {
    /// The reference as written; of boilerplate the path of the file.
    pub written: Clean,
    /// The kind of file that was meant.
    pub kind: FileKind,
    /// `not_in_repo`, `outside_repo`, `denied_path`, `boilerplate`, `ambiguous` or `limit`, as in packs.
    pub reason: &'static str,
    /// Whether an untrusted author may have written it.
    pub untrusted: bool,
    /// The place of the reference.
    pub at: ShownPlace,
}

/// The references of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemReferences {
    /// Files, ADRs first, by path; each once, code files once for each range of lines.
    pub files: Vec<FileRef>,
    /// The lines at commits that the snapshot keeps, in its order, each once.
    pub kept: Vec<KeptCodeRef>,
    pub missing: Vec<MissingReference>,
    /// Warnings about the references.
    pub diagnostics: Vec<Diagnostic>,
}
