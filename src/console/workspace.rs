//! Opens the repository of a command with the environment of the process: its secrets, caches and time.

use super::{Failure, printable};
use crate::engine::{Configuration, OpenRequest, Repository, process_environment, until_settled};
use crate::intake::Repo;
use crate::model::{Diagnostic, Severity, SourceTree as _, Untracked};
use crate::seal::Stamp;
use crate::store::Access;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How a command opens the repository around the current folder.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The configuration that is read instead of that of the repository's root.
    pub(crate) config: Option<PathBuf>,
    /// Whether files that git does not track are trusted.
    pub(crate) untracked: Untracked,
    /// Whether notes about the cache are printed.
    pub(crate) verbose: bool,
}

impl Workspace {
    /// Opens the repository around the current folder.
    ///
    /// `outputs` are folders besides the configured one that the command writes, which are no input either. `cache` is the
    /// access to the cache; commands that verify packs use `None`.
    pub(crate) fn open(&self, outputs: &[&Path], cache: Option<Access>) -> Result<Repository, Failure> {
        self.open_at(&std::env::current_dir()?, outputs, cache)
    }

    pub(crate) fn open_at(
        &self,
        folder: &Path,
        outputs: &[&Path],
        cache: Option<Access>,
    ) -> Result<Repository, Failure> {
        let request = OpenRequest {
            folder,
            config: self.config.as_deref(),
            outputs,
            cache,
            caches: user_caches(),
            untracked: self.untracked,
            environment: process_environment(),
        };
        let repository = Repository::open(&request)?;
        self.print_notes(&repository);
        Ok(repository)
    }

    pub(crate) fn configuration(&self) -> Result<(PathBuf, Configuration), Failure> {
        let root = Repo::find_root(&std::env::current_dir()?)?;
        let configuration = Configuration::read(&root, self.config.as_deref(), &process_environment())?;
        Ok((root, configuration))
    }

    pub(crate) fn print_notes(&self, repository: &Repository) {
        for note in repository.take_notes() {
            if self.verbose {
                // If standard error is closed, the note is lost.
                drop(writeln!(super::stderr(), "note: {}", printable(&note)));
            }
        }
    }
}

/// Returns the user's folder for caches by the conventions of the system.
pub(crate) fn user_caches() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return folder("HOME").map(|home| home.join("Library/Caches"));
    }
    folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
}

/// Runs a command again if git changed files while it read them. The command must not write or print before it knows.
pub(crate) fn settled<T>(run: impl FnMut() -> Result<T, Failure>) -> Result<T, Failure> {
    until_settled(|failure| matches!(failure, Failure::Unsettled), run)
}

pub(crate) fn no_roots(repository: &Repository) -> &'static str {
    if repository.project().diagnostics().iter().any(Diagnostic::is_of_unread_item) {
        return "no items: no work item could be read; correct the files that are named above";
    }
    if repository.configuration().text.is_none() {
        return "no items: there is no configuration and no work item here; run `contextpack init`";
    }
    if !repository.project().corpus().entries.is_empty() {
        return "no items: `roots` and `no_pack` of the configuration leave none of the work items";
    }
    if repository.settings().github.repo.is_some() && repository.files().issues().is_empty() {
        return "no items: there is no work item here, and no snapshot of GitHub's issues; run `contextpack sync`";
    }
    "no items: write one into `work_items/`, such as `work_items/first.md` with a `# Title` and what to do, or name yours under `work_items` in `contextpack.yml`"
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

pub(crate) fn strict(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        diagnostic.severity = Severity::Error;
    }
}
