//! Opens the repository of a command with the environment of the process: its secrets, caches and time.

use super::args::{BudgetArgs, Global};
use crate::console::Failure;
use crate::console::{self, printable};
use crate::engine::{BudgetLimits, Configuration, OpenRequest, Repository, process_environment, until_settled};
use crate::intake::Repo;
use crate::model::{Diagnostic, Severity};
use crate::seal::Stamp;
use crate::store::Access;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Opens the repository around the current folder.
///
/// `outputs` are folders besides the configured one that the command writes, which are no input either. `cache` is the
/// access to the cache; commands that verify packs use `None`.
pub(crate) fn open(global: &Global, outputs: &[&Path], cache: Option<Access>) -> Result<Repository, Failure> {
    open_at(global, &std::env::current_dir()?, outputs, cache)
}

/// Opens the repository around `folder`, as [`open`] does.
pub(crate) fn open_at(
    global: &Global,
    folder: &Path,
    outputs: &[&Path],
    cache: Option<Access>,
) -> Result<Repository, Failure> {
    let request = OpenRequest {
        folder,
        config: global.config.as_deref(),
        outputs,
        cache,
        caches: user_caches(),
        untracked: global.untracked(),
        environment: process_environment(),
    };
    let repository = Repository::open(&request)?;
    print_notes(global, &repository);
    Ok(repository)
}

/// Reads the configuration of the repository around the current folder, and returns it with the root.
pub(crate) fn configuration(global: &Global) -> Result<(PathBuf, Configuration), Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    let configuration = Configuration::read(&root, global.config.as_deref(), &process_environment())?;
    Ok((root, configuration))
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

/// Prints notes about the cache if `--verbose` is set.
pub(crate) fn print_notes(global: &Global, repository: &Repository) {
    for note in repository.take_notes() {
        if global.verbose {
            // If standard error is closed, the note is lost.
            drop(writeln!(console::stderr(), "note: {}", printable(&note)));
        }
    }
}

/// Returns the user's folder for caches.
pub(crate) fn user_caches() -> Option<PathBuf> {
    caches(&|name| std::env::var_os(name))
}

/// Returns the user's folder for caches by the conventions of the system; `variable` reads the environment.
pub(crate) fn caches(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return folder("HOME").map(|home| home.join("Library/Caches"));
    }
    folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
}

/// Runs a command again if git changed files while it read them. The command must not write or print before it knows.
pub(crate) fn settled<T>(run: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    until_settled(|failure| matches!(failure, Failure::Unsettled), run)
}

impl BudgetArgs {
    /// Returns the limits of the command line.
    pub(crate) fn limits(&self) -> BudgetLimits {
        BudgetLimits {
            max_chars: self.max_chars,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            strategy: self.strategy.map(Into::into),
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

/// Returns the stamp of a build with its time: `SOURCE_DATE_EPOCH` if it is set, else now.
pub(crate) fn stamp() -> Result<Stamp, Failure> {
    let time = match std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) {
        None => SystemTime::now(),
        Some(seconds) => {
            // RFC 3339 has years of four digits.
            const LAST: u64 = 253_402_300_799;
            let seconds = seconds.to_str().and_then(|text| text.trim().parse().ok()).filter(|seconds| *seconds <= LAST);
            let seconds =
                seconds.ok_or_else(|| Failure::usage("`SOURCE_DATE_EPOCH` is not a number of seconds since 1970"))?;
            SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
        }
    };
    Ok(Stamp::new(humantime::format_rfc3339_seconds(time).to_string()))
}

/// Turns every warning into an error, for `--strict`.
pub(crate) fn strict(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        diagnostic.severity = Severity::Error;
    }
}
