//! Files as pure modules read them, and what the operating system reports of them.

use super::{Diagnostic, RepoPath};
use serde::{Deserialize, Serialize};
use std::io;

/// The reason why a file's text cannot be read.
///
/// Every refusal becomes an omission or a diagnostic; none stops a build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Refusal {
    /// The name is denied, see `docs/redaction.md`; checked before existence.
    #[error("the name is one that is never opened")]
    Denied,
    /// The path, or a link on the way, leads out of the repo.
    #[error("it leads out of the repo")]
    Outside,
    /// No such file, or git ignores it: one reason, so that nothing is learned about ignored files.
    #[error("there is no such file, or git ignores it")]
    NotInRepo,
    /// The text has a NUL byte, or the file is no regular file.
    #[error("it is no text file")]
    Binary,
    /// The bytes are not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// The file is larger than its kind may be; the limit in bytes.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// The text is stored with Git LFS: on disk is a pointer to it, or the text itself, as the clone happens to be set up.
    #[error("it is stored with Git LFS")]
    GitLfs,
    /// The file exists, and the system refused to read or examine it; the system's message.
    #[error("{0}")]
    Unreadable(String),
}

impl Refusal {
    /// Returns the reason of the omission of a text that was refused; `None` if a pack must not be built without the text.
    pub fn omission_reason(&self) -> Option<&'static str> {
        match self {
            Self::Denied => Some("denied_path"),
            Self::Outside => Some("outside_repo"),
            Self::NotInRepo => Some("not_in_repo"),
            Self::Binary => Some("binary"),
            Self::NotUtf8 => Some("not_utf8"),
            Self::TooLarge(_) => Some("too_large"),
            Self::GitLfs => Some("git_lfs"),
            Self::Unreadable(_) => None,
        }
    }

    /// Returns whether the file was refused because of what it holds.
    pub fn is_about_content(&self) -> bool {
        matches!(self, Self::Binary | Self::NotUtf8 | Self::TooLarge(_))
    }
}

/// The trust in files that git does not track.
///
/// Without a git repository, or before the first `git add` in it, every file counts as tracked; if git cannot be run,
/// none does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Untracked {
    /// They are trusted like tracked files.
    #[default]
    Trusted,
    /// They are text that anyone could have written: marked in packs, and never used as instructions.
    Untrusted,
}

impl Untracked {
    /// Returns whether a file of `source` counts as text that anyone could have written.
    pub fn distrusts(self, source: &dyn SourceTree, path: &RepoPath) -> bool {
        self == Self::Untrusted && !source.tracked(path)
    }
}

/// A repo as a build sees it: fixed when the build begins, and the same for every module.
pub trait SourceTree: Sync {
    /// Returns every file that may be read, sorted by path: tracked ones, and those git does not ignore.
    /// Denied names are listed too, so that a reference to one is reported as denied; reading them is refused.
    fn files(&self) -> &[RepoPath];

    /// Returns the special files (pipes, sockets, devices, cyclic links), sorted by path. They are in no other list, and
    /// reading one is refused as [`Refusal::Unreadable`].
    fn special_files(&self) -> &[RepoPath] {
        &[]
    }

    /// Returns errors for what could not be listed or examined: any pack may lack a file from there.
    fn unlisted(&self) -> &[Diagnostic] {
        &[]
    }

    /// Returns the file that a link in [`SourceTree::files`] leads to; `None` if it is no link.
    fn link_end(&self, _path: &RepoPath) -> Option<&RepoPath> {
        None
    }

    /// Returns the text of a file: LF line ends, no byte-order mark.
    fn read(&self, path: &RepoPath) -> Result<String, Refusal>;

    /// Returns the beginning of a file that [`SourceTree::read`] refuses because of what it holds, with LF line ends and U+FFFD
    /// for what is no text: its front matter may say what the file is. `None` for all other files.
    fn head(&self, _path: &RepoPath) -> Option<String> {
        None
    }

    /// Returns the files of the GitHub snapshot, `<owner>/<repo>/<number>.json` below its folder, sorted by path.
    /// They are in no other list, whether or not git tracks them.
    fn issues(&self) -> &[RepoPath] {
        &[]
    }

    /// Returns the text of a file of [`SourceTree::issues`]: LF line ends, no byte-order mark.
    fn read_issue(&self, _path: &RepoPath) -> Result<String, Refusal> {
        Err(Refusal::NotInRepo)
    }

    /// Returns the current state of a file of either list without reading it, or `None` if it cannot be determined.
    ///
    /// While the state is the same, so is the text.
    fn state(&self, _path: &RepoPath) -> Option<FileState> {
        None
    }

    /// Returns whether everything that was read so far belongs to one state of the repo: `false` if git changed files since.
    fn is_settled(&self) -> bool {
        true
    }

    /// Returns whether git tracks a file; without a git repository, or before the first `git add` in it, whether it is in
    /// [`SourceTree::files`].
    ///
    /// Texts that anyone can write refer to tracked files only.
    fn tracked(&self, path: &RepoPath) -> bool {
        self.has(path)
    }

    /// Returns whether `path` is in [`SourceTree::files`].
    fn has(&self, path: &RepoPath) -> bool {
        self.files().binary_search(path).is_ok()
    }
}

/// How long ago a file must have changed for its state to identify its bytes, in nanoseconds.
///
/// Systems report times of changes in steps, and two changes within one step cannot be distinguished.
pub const REST: u128 = 2_000_000_000;

/// The metadata of a file that shows whether the file has changed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    size: u64,
    inode: u64,
    modified: u128,
    /// Nanoseconds since 1970 of the last change of contents or metadata, which no program can set.
    changed: u128,
}

impl FileState {
    /// Returns the state of a file with this size and inode; `None` for times before 1970.
    ///
    /// Times are seconds since 1970 and nanoseconds, as systems report them.
    pub fn new(size: u64, inode: u64, modified: (i64, i64), changed: (i64, i64)) -> Option<Self> {
        let nanos = |(seconds, nanos): (i64, i64)| {
            Some(u128::try_from(seconds).ok()? * 1_000_000_000 + u128::try_from(nanos).ok()?)
        };
        Some(Self { size, inode, modified: nanos(modified)?, changed: nanos(changed)? })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns whether the file was last changed long enough before `now`, in nanoseconds since 1970, for its state to
    /// identify its bytes. A time of change after `now` is not long enough ago.
    pub fn is_rested(&self, now: u128) -> bool {
        self.has_rested(REST, now)
    }

    /// Returns whether the file was last changed at least `rest` nanoseconds before `now`.
    pub fn has_rested(&self, rest: u128, now: u128) -> bool {
        self.changed().checked_add(rest).is_some_and(|rested| rested <= now)
    }

    /// Returns the later of both times, in nanoseconds since 1970.
    pub fn changed(&self) -> u128 {
        self.modified.max(self.changed)
    }
}

/// Returns the wording of an error, if possible in words that are the same on every system.
pub fn describe(error: &io::Error) -> String {
    let kind = error.kind().to_string();
    if kind == "uncategorized error" { error.to_string() } else { kind }
}

/// Returns whether an error says that there is nothing of that name. No other error counts as absence.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns what an access found; `None` if there is nothing of that name.
pub fn if_present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
