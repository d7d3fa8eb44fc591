//! What the pure rooms may ask of the outside: the names of files, and their texts.

use super::{FileState, RepoPath};

/// Why a file's text cannot be had. Every one becomes an omission or a
/// diagnostic; none stops a build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The name is one that is never opened (contract section 7); judged before existence.
    Denied,
    /// The path, or a link on the way, leads out of the repo.
    Outside,
    /// No such file, or git ignores it: one reason, so that nothing is learned about ignored files.
    NotInRepo,
    /// The text has a NUL byte, or the file is no regular file.
    Binary,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The file is larger than its kind may be; the limit in bytes.
    TooLarge(u64),
    /// The system refused; its own words.
    Unreadable(String),
}

/// A repo as a build sees it: fixed when the build began, the same for every room.
pub trait Source: Sync {
    /// Every file that may be read, sorted by path: tracked ones, and those git does not ignore.
    /// Denied names are listed too, so that naming one can be told apart; reading them is refused.
    fn files(&self) -> &[RepoPath];

    /// The text of a file: LF line ends, no byte-order mark.
    ///
    /// # Errors
    /// A [`Refusal`]; a name that is never opened is refused before anything is looked up.
    fn read(&self, path: &RepoPath) -> Result<String, Refusal>;

    /// The files of the GitHub snapshot, `<owner>/<repo>/<number>.json` below its folder, sorted by path.
    /// They are in no other list, whatever git says of them.
    fn issues(&self) -> &[RepoPath] {
        &[]
    }

    /// The text of a file of [`Source::issues`], as [`Source::read`] gives others.
    ///
    /// # Errors
    /// A [`Refusal`], also for any other path.
    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        let _ = path;
        Err(Refusal::NotInRepo)
    }

    /// How a file of either list is now, without reading it: as long as that is so, what is read is the same.
    /// Nothing where nobody can tell.
    fn state(&self, path: &RepoPath) -> Option<FileState> {
        let _ = path;
        None
    }

    /// Whether git tracks a file; where there is no git repository, whether it is in [`Source::files`].
    ///
    /// Texts that anyone can write refer to tracked files only.
    fn tracked(&self, path: &RepoPath) -> bool {
        self.has(path)
    }

    /// Whether `path` is in [`Source::files`].
    fn has(&self, path: &RepoPath) -> bool {
        self.files().binary_search(path).is_ok()
    }
}
