//! Faults of the file system: which of them mean "absent", how they are worded, and those that stop a build.

use std::io;
use std::path::PathBuf;

/// Why the repo or its configuration cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The system refused to open or list something that a build cannot do without.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The repo's root is no folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// The path that was given.
        path: PathBuf,
    },
    /// A git command is changing the work tree, and does not end.
    #[error(
        "git is changing files here: `{}` exists; try again when git is done, or remove that file if no git command runs",
        path.display()
    )]
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// Both spellings of the configuration's name exist, and neither takes precedence.
    #[error("`{}` has both `contextpack.yml` and `contextpack.yaml`; remove one of them", path.display())]
    TwoConfigs {
        /// The folder.
        path: PathBuf,
    },
    /// A file that only some systems take for the configuration.
    #[error("`{name}` is the configuration only on systems that ignore case")]
    ConfigSpelling {
        /// Its name, at the root.
        name: String,
    },
    /// The configuration is not a text that can be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// Words an error of the system, if possible in words that are the same on every system.
pub(super) fn describe(error: &io::Error) -> String {
    let kind = error.kind().to_string();
    if kind == "uncategorized error" { error.to_string() } else { kind }
}

/// Whether an error says that there is nothing of that name. No other error counts as absence.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether something exists, from the result of looking at it.
pub(super) fn exists<T>(result: io::Result<T>) -> io::Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}
