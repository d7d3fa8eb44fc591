//! What can go wrong while packs are written.

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
