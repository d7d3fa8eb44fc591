//! Faults that stop a build.

use crate::git::UnreadableGit;
use std::io;
use std::path::PathBuf;

/// Why the repo or its configuration cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the file or folder and what is wrong with it")]
pub enum IntakeError {
    /// The system refused to open or list something that a build cannot do without.
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The repo's root is no folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    /// A git command is changing the work tree, and does not end.
    #[error(
        "git is changing files here: `{}` exists; try again when git is done, or remove that file if no git command runs",
        path.display()
    )]
    Locked { path: PathBuf },
    /// Both spellings of the configuration's name exist, and neither takes precedence.
    #[error("`{}` has both `contextpack.yml` and `contextpack.yaml`; remove one of them", path.display())]
    TwoConfigs { path: PathBuf },
    /// A file that only some systems take for the configuration.
    #[error("`{name}` is the configuration only on systems that ignore case")]
    ConfigSpelling { name: String },
    /// The configuration is not a text that can be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
}

impl From<UnreadableGit> for IntakeError {
    fn from(UnreadableGit { path, source }: UnreadableGit) -> Self {
        Self::Read { path, source }
    }
}
