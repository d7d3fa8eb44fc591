//! Opening the repository that a command works on, and what the process adds to it: environment and time.

use super::args::{BudgetArgs, Global};
use super::console::{self, printable};
use super::failure::Failure;
use crate::engine::{BudgetLimits, Configuration, OpenRequest, Repository, until_settled};
use crate::intake::Repo;
use crate::model::{Diagnostic, Severity};
use crate::redact::Environment;
use crate::seal::Stamp;
use crate::store::Access;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Opens the repository around the current folder.
///
/// `outputs` are folders that the command writes besides the configuration's: they are no input either. `cache` says
/// what it does with the cache; a command that judges packs does without.
pub(crate) fn open(global: &Global, outputs: &[&Path], cache: Option<Access>) -> Result<Repository, Failure> {
    let request = OpenRequest {
        folder: &std::env::current_dir()?,
        config: global.config.as_deref(),
        outputs,
        cache,
        caches: user_caches(),
        untracked: global.untracked(),
    };
    let repository = Repository::open(&request, environment())?;
    print_notes(global, &repository);
    Ok(repository)
}

/// The root and the configuration of the repository around the current folder.
pub(crate) fn configuration(global: &Global) -> Result<(PathBuf, Configuration), Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    let configuration = Configuration::read(&root, global.config.as_deref(), &environment())?;
    Ok((root, configuration))
}

/// Prints what became of the cache to those who asked for everything.
pub(crate) fn print_notes(global: &Global, repository: &Repository) {
    for note in repository.take_notes() {
        if global.verbose {
            // Nothing can be reported if stderr is gone.
            drop(writeln!(console::stderr(), "note: {}", printable(&note)));
        }
    }
}

/// The user's folder for caches.
pub(crate) fn user_caches() -> Option<PathBuf> {
    caches(&|name| std::env::var_os(name))
}

/// The user's folder for caches, as the system has it, from variables of the environment.
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

/// Runs a command again if git changed the repository's files while it read them. The command writes and prints nothing
/// before it knows.
pub(crate) fn settled<T>(run: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    until_settled(|failure| matches!(failure, Failure::Unsettled), run)
}

/// The secret values of this process, which no output may contain.
pub(crate) fn environment() -> Environment {
    // Values that are no text cannot be in a pack.
    Environment::new(
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    )
}

impl BudgetArgs {
    /// The limits that were given.
    pub(crate) fn limits(&self) -> BudgetLimits {
        BudgetLimits {
            max_chars: self.max_chars,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            strategy: self.strategy.map(Into::into),
        }
    }

    /// The profiles that were given, or those of the configuration.
    pub(crate) fn profiles(&self, repository: &Repository) -> Result<Vec<String>, Failure> {
        Ok(repository.configuration().profiles(&self.profiles)?)
    }
}

/// This program, and the time of the build: `SOURCE_DATE_EPOCH` if it is set.
pub(crate) fn stamp() -> Result<Stamp, Failure> {
    let time = match std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) {
        None => SystemTime::now(),
        Some(seconds) => {
            // RFC 3339 has years of four digits.
            const LAST: u64 = 253_402_300_799;
            let seconds = seconds.to_str().and_then(|text| text.trim().parse().ok()).filter(|seconds| *seconds <= LAST);
            let seconds =
                seconds.ok_or_else(|| Failure::usage("`SOURCE_DATE_EPOCH` is no number of seconds since 1970"))?;
            SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
        }
    };
    Ok(Stamp::new(humantime::format_rfc3339_seconds(time).to_string()))
}

/// Makes every warning an error, for `--strict`.
pub(crate) fn strict(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        diagnostic.severity = Severity::Error;
    }
}
