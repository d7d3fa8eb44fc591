//! Opens the repository of a command with the environment of the process: its secrets, caches and time.

use super::args::{BudgetArgs, Global};
use crate::console::{Failure, Workspace};
pub(crate) use crate::console::{settled, stamp, strict, user_caches};
use crate::engine::{BudgetLimits, Configuration, Repository};
use crate::intake::Repo;
use crate::store::Access;
use std::path::{Path, PathBuf};

impl Global {
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace { config: self.config.clone(), untracked: self.untracked(), verbose: self.verbose }
    }
}

pub(crate) fn open(global: &Global, outputs: &[&Path], cache: Option<Access>) -> Result<Repository, Failure> {
    global.workspace().open(outputs, cache)
}

/// Reads the configuration of the repository around the current folder, and returns it with the root.
pub(crate) fn configuration(global: &Global) -> Result<(PathBuf, Configuration), Failure> {
    global.workspace().configuration()
}

pub(crate) fn print_notes(global: &Global, repository: &Repository) {
    global.workspace().print_notes(repository);
}

/// Returns a path relative to the root as commands in the current folder take it.
pub(crate) fn from_here(path: &str) -> String {
    let folders = || {
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        let root = Repo::find_root(&here).ok()?.canonicalize().ok()?;
        Some(here.strip_prefix(root).ok()?.components().count())
    };
    "../".repeat(folders().unwrap_or(0)) + path
}

impl BudgetArgs {
    pub(crate) fn limits(&self) -> BudgetLimits {
        BudgetLimits {
            max_chars: self.max_chars,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            strategy: self.strategy,
            margin: None,
        }
    }

    /// Returns the same profiles with a limit that no pack reaches.
    pub(crate) fn unlimited(&self) -> Self {
        Self { profiles: self.profiles.clone(), max_chars: Some(1 << 53), ..Self::default() }
    }

    /// Returns the profiles of the command line, or those of the configuration.
    pub(crate) fn profiles(&self, repository: &Repository) -> Result<Vec<String>, Failure> {
        Ok(repository.configuration().profiles(&self.profiles)?)
    }
}
