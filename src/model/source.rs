//! What the pure rooms may ask of the outside: the names of files, and their texts.

use super::{Diagnostic, FileState, RepoPath};

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
    /// The file exists, and the system refused to let it be read or looked at; its own words.
    Unreadable(String),
}

/// How files count that git does not track. In a repo without git every file counts as tracked, and where git cannot be
/// asked none does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Untracked {
    /// As those that it tracks.
    #[default]
    Trusted,
    /// As text that anyone could have put there: marked in packs, and no instructions.
    Untrusted,
}

impl Untracked {
    /// Whether a file of `source` counts as text that anyone could have put there.
    pub fn distrusts(self, source: &dyn SourceTree, path: &RepoPath) -> bool {
        self == Self::Untrusted && !source.tracked(path)
    }
}

/// A repo as a build sees it: fixed when the build began, the same for every room.
pub trait SourceTree: Sync {
    /// Every file that may be read, sorted by path: tracked ones, and those git does not ignore.
    /// Denied names are listed too, so that naming one can be told apart; reading them is refused.
    fn files(&self) -> &[RepoPath];

    /// What is there where a file could be, and is none: pipes, sockets, devices, links that lead in a circle; sorted by
    /// path. They are in no other list, and reading one is refused as [`Refusal::Unreadable`].
    fn special_files(&self) -> &[RepoPath] {
        &[]
    }

    /// What could not be listed or looked at, as errors: files that count may lie there, so that any pack may lack one.
    fn unlisted(&self) -> &[Diagnostic] {
        &[]
    }

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

    /// The text of a file of [`SourceTree::issues`], as [`SourceTree::read`] gives others.
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

    /// Whether everything that was read so far is of one state of the repo: `false` if git changed files meanwhile.
    fn is_settled(&self) -> bool {
        true
    }

    /// Whether git tracks a file; where there is no git repository, whether it is in [`SourceTree::files`].
    ///
    /// Texts that anyone can write refer to tracked files only.
    fn tracked(&self, path: &RepoPath) -> bool {
        self.has(path)
    }

    /// Whether `path` is in [`SourceTree::files`].
    fn has(&self, path: &RepoPath) -> bool {
        self.files().binary_search(path).is_ok()
    }
}
