//! What stops a build before it begins: the outside world.

use std::io;
use std::path::PathBuf;

/// What the system says of a fault: words that are the same on every system, where there are any.
pub(super) fn words(error: &io::Error) -> String {
    let kind = error.kind().to_string();
    if kind == "uncategorized error" { error.to_string() } else { kind }
}

/// The repo or its configuration cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The system refused to open or list something that a build cannot do without.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why it was not.
        source: io::Error,
    },
    /// The repo's root is no folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// The path that was given.
        path: PathBuf,
    },
    /// A git command is changing the work tree, and does not come to an end.
    #[error(
        "git is changing files here: `{}` exists; try again when git is done, or remove that file if no git command runs",
        path.display()
    )]
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// Both spellings of the configuration's name exist, and nothing says which counts.
    #[error("both `contextpack.yml` and `contextpack.yaml` stand in `{}`; remove one of them", path.display())]
    TwoConfigs {
        /// The folder.
        path: PathBuf,
    },
    /// The configuration is no text that can be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why it is of no use.
        reason: String,
    },
}
