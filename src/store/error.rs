//! The errors of reading and writing packs, and the reasons why no cache can be used.

use std::io;
use std::path::PathBuf;

/// An error while a pack or its folder is read, written or removed; existing files are unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the file or folder and the system's error")]
pub enum StoreError {
    /// A part of the path is a link, which could lead anywhere.
    #[error("`{}` is a link; only real folders inside the repo are read and written", path.display())]
    Link { path: PathBuf },
    /// A folder is in `.git`, or where GitHub looks for workflows.
    #[error("`{}` lies in `.git` or `.github`; name a folder that holds packs only", path.display())]
    Reserved { path: PathBuf },
    /// The path of a folder is taken by something else.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    /// The path of a file is taken by something else.
    #[error("`{}` is not a file", path.display())]
    NotAFile { path: PathBuf },
    /// A name would leave the folder or be hidden in it.
    #[error("`{}` is not a file name for a pack", path.display())]
    Name { path: PathBuf },
    /// The system refused to read.
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The system refused to write.
    #[error("cannot write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The system refused to remove.
    #[error("cannot remove `{}`", path.display())]
    Remove { path: PathBuf, source: io::Error },
}

impl StoreError {
    /// Returns what makes an error of reading `path` from one of the system.
    pub(super) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Read { path: path.into(), source }
    }

    /// Returns what makes an error of writing `path` from one of the system.
    pub(super) fn writing(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Write { path: path.into(), source }
    }

    /// Returns whether a file is larger than any that is read.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == io::ErrorKind::FileTooLarge)
    }
}

/// The reason why a build uses no cache, which costs time and changes nothing else.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the file or folder and the system's error")]
pub enum CacheUnavailable {
    /// The user's folder for caches is not known.
    #[error("the user has no folder for caches: set `HOME`, or `XDG_CACHE_HOME`, to a full path")]
    NoFolder,
    /// The user's cache folder lies in the repo, so that the key could have come with it.
    #[error("`{}` lies in the repo, which could bring a key along", path.display())]
    InRepo { path: PathBuf },
    /// Other users may read or replace the key.
    #[error("others may use `{}`: take their permissions away with `chmod go=`", path.display())]
    NotPrivate { path: PathBuf },
    /// The system refuses to read or write the key.
    #[error("cannot use `{}`", path.display())]
    Key { path: PathBuf, source: io::Error },
    /// The system's random number generator fails.
    #[error("the system gives no random numbers")]
    Random,
    /// The folder in the repo cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
