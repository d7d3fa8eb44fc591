//! The repo that a command works on, opened.

use super::args::{Building, Global};
use super::failure::Failure;
use contextpack::config::{self, DenyList, Settings};
use contextpack::intake::{Options, Repo};
use contextpack::model::{Code, Diagnostic, RepoPath, Severity, Source as _};
use contextpack::pipeline::{Desk, Limits, RootError};
use contextpack::redact::Environment;
use contextpack::seal::Stamp;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A repo, its settings and its files.
pub(crate) struct Workspace {
    /// The repo's root.
    pub(crate) root: PathBuf,
    /// The configuration.
    pub(crate) settings: Settings,
    /// Names that are never opened.
    pub(crate) deny: DenyList,
    /// The files.
    pub(crate) repo: Repo,
}

impl Workspace {
    /// Finds the repo, reads its configuration and lists its files.
    ///
    /// `out` are folders that the command writes besides the configuration's: they are no input either.
    pub(crate) fn open(global: &Global, out: &[&Path]) -> Result<Self, Failure> {
        let (root, settings) = settings(global)?;
        let deny = deny(&settings)?;
        let mut never = vec![settings.output.dir.clone()];
        never.extend(out.iter().filter_map(|out| inside(&root, out)));
        let repo =
            Repo::open(&root, Options { deny: &deny, never: &never, snapshot: Some(&settings.github.snapshot) })?;
        Ok(Self { root, settings, deny, repo })
    }

    /// Reads the work items and draws the graph.
    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk::open(&self.repo, &self.settings, &self.deny, environment())
    }

    /// The indexes of `typed` roots, each once; all roots of the configuration where none is typed.
    pub(crate) fn roots(&self, desk: &Desk<'_>, typed: &[String]) -> Result<Vec<usize>, Failure> {
        if typed.is_empty() {
            return Ok(desk.roots());
        }
        let mut roots = Vec::new();
        for root in typed {
            let item = self.find(desk, root).map_err(|error| Failure::usage(error.to_string()))?;
            if !roots.contains(&item) {
                roots.push(item);
            }
        }
        Ok(roots)
    }

    /// What is nothing in the repo as a whole may be the path of an item's file from the current folder.
    pub(crate) fn find(&self, desk: &Desk<'_>, typed: &str) -> Result<usize, RootError> {
        let error = match desk.find(typed) {
            Err(error @ RootError::Unknown { .. }) => error,
            found => return found,
        };
        match inside(&self.root, Path::new(typed)).map(|path| desk.find(path.as_str())) {
            Some(Err(RootError::Unknown { .. })) | None => Err(error),
            Some(found) => found,
        }
    }

    /// Everything that is wrong so far: with the listing, the configuration's globs, the items and the graph.
    pub(crate) fn diagnostics(&self, desk: &Desk<'_>) -> Vec<Diagnostic> {
        let mut all = contextpack::pipeline::levelled(self.repo.diagnostics().to_vec(), &self.settings);
        all.extend(contextpack::pipeline::levelled(self.unmatched(), &self.settings));
        all.extend_from_slice(desk.diagnostics());
        all.sort();
        all.dedup();
        all
    }

    /// A warning for each glob of the configuration's work items that no file matches.
    fn unmatched(&self) -> Vec<Diagnostic> {
        let files = self.repo.files();
        let globs = self
            .settings
            .work_items
            .iter()
            .flat_map(|source| source.include.written.iter().enumerate().map(move |glob| (source, glob)));
        globs
            .filter(|(_, (_, written))| !written.starts_with("work_items/"))
            .filter(|(source, (index, _))| {
                !files.iter().any(|path| source.include.set.matches(path.as_str()).contains(index))
            })
            .map(|(_, (_, written))| {
                Diagnostic::new(Code::UnmatchedGlob, None, format!("no file matches `{written}` of `work_items`"))
                    .help("correct the glob, or remove it; ignored files count only where git tracks them")
            })
            .collect()
    }
}

/// The repo's root and its settings.
pub(crate) fn settings(global: &Global) -> Result<(PathBuf, Settings), Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    let read = Repo::read_config(&root, global.config.as_deref())?;
    let (shown, text) = read.map_or(("contextpack.yml".to_owned(), None), |(shown, text)| (shown, Some(text)));
    let settings = load(&shown, text.as_deref()).map_err(|diagnostics| Failure::Config { diagnostics, text })?;
    Ok((root, settings))
}

/// Reads a configuration, whose redaction may name the built-in rules.
pub(crate) fn load(shown: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    let rules = contextpack::redact::built_in_rules();
    let names: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
    config::load_knowing(shown, text, &names)
}

/// The secret values of this process, which nothing may tell.
pub(crate) fn environment() -> Environment {
    // Values that are no text cannot stand in a pack.
    Environment::new(
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    )
}

/// The names that are never opened.
pub(crate) fn deny(settings: &Settings) -> Result<DenyList, Failure> {
    DenyList::new(&settings.redaction.deny_paths).map_err(|(index, why)| {
        let message = format!("`redaction.deny_paths` entry {}: {why}", index + 1);
        let diagnostic = Diagnostic::new(Code::InvalidConfig, None, message);
        Failure::Config { diagnostics: vec![diagnostic], text: None }
    })
}

/// A folder's path in the repo, where it lies in it.
fn inside(root: &Path, folder: &Path) -> Option<RepoPath> {
    let folder = std::path::absolute(folder).ok()?;
    let root = root.canonicalize().ok()?;
    let parent = folder.ancestors().find_map(|dir| Some((dir, dir.canonicalize().ok()?)))?;
    let rest = folder.strip_prefix(parent.0).ok()?;
    let relative = parent.1.join(rest);
    let relative = relative.strip_prefix(&root).ok()?;
    RepoPath::new(&relative.to_str()?.replace('\\', "/")).ok().filter(|path| !path.as_str().is_empty())
}

impl Building {
    /// The limits that were given.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            max_chars: self.max_chars,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            strategy: self.strategy.map(Into::into),
        }
    }

    /// The profiles that were given, or those of the configuration.
    pub(crate) fn profiles(&self, settings: &Settings) -> Result<Vec<String>, Failure> {
        let mut profiles =
            if self.profiles.is_empty() { settings.output.profiles.clone() } else { self.profiles.clone() };
        if let Some(unknown) = profiles.iter().find(|name| !settings.profiles.contains_key(*name)) {
            let known: Vec<String> = settings.profiles.keys().map(|name| format!("`{name}`")).collect();
            return Err(Failure::usage(format!("there is no profile `{unknown}`; there are {}", known.join(", "))));
        }
        let mut seen = std::collections::BTreeSet::new();
        profiles.retain(|name| seen.insert(name.clone()));
        Ok(profiles)
    }
}

/// This program, and the time of the build: `SOURCE_DATE_EPOCH` where it is set.
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

/// Every warning is an error.
pub(crate) fn strict(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        diagnostic.severity = Severity::Error;
    }
}
