//! What can go wrong while packs are written, and why there may be no cache.

use std::io;
use std::path::PathBuf;

/// A pack or its folder cannot be read, written or removed; what was there before is as it was.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A folder on the way is a link, which could lead anywhere.
    #[error("`{}` is a link; packs are only written to real folders inside the repo", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A folder lies where git keeps its own, or where GitHub looks for workflows.
    #[error("`{}` lies in `.git` or `.github`; name a folder that holds packs only", path.display())]
    Reserved {
        /// The folder as it was named.
        path: PathBuf,
    },
    /// Something that is no folder stands where a folder should be.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// Something that is no file stands where a file should be.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// A name that would leave the folder or be hidden in it.
    #[error("`{}` is not a file name for a pack", path.display())]
    Name {
        /// The folder and the name.
        path: PathBuf,
    },
    /// The system refused to read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system refused to write.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system refused to remove.
    #[error("cannot remove `{}`", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Why a build does without a cache, which costs time and changes nothing else.
#[derive(Debug, thiserror::Error)]
pub enum CacheUnavailable {
    /// The user has no folder for the key.
    #[error("the user has no folder for caches: set `HOME`, or `XDG_CACHE_HOME`, to a full path")]
    NoFolder,
    /// The user's folder for caches is part of the repo, so that the key could have come with it.
    #[error("`{}` lies in the repo, which could bring a key along", path.display())]
    InRepo {
        /// The folder.
        path: PathBuf,
    },
    /// Others may read the key or replace it.
    #[error("others may use `{}`: take their permissions away with `chmod go=`", path.display())]
    NotPrivate {
        /// The folder or the key.
        path: PathBuf,
    },
    /// The system refuses to read or write the key.
    #[error("cannot use `{}`", path.display())]
    Key {
        /// The folder or the key.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no randomness for a key.
    #[error("the system gives no random numbers")]
    Random,
    /// The cache's own folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
