//! Detects what a repo already has, so that `init` fits it.

use super::documents::{self, Documents};
use super::starter::{ADR, ITEM};
use super::trackers::{CATALOG, FoundTracker, TrackerSearch};
use crate::config::{DenyList, RedactionSettings};
use crate::git;
use crate::intake::{Repo, RepoOptions};
use crate::model::{Code, Diagnostic, GithubRepo, Place, RepoPath, SourceTree as _};
use crate::redact::Redactor;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

#[derive(Debug, Default)]
pub(crate) struct DetectedRepo {
    pub(crate) trackers: Vec<FoundTracker>,
    /// What to do about trackers that have no item to read.
    pub(crate) hints: Vec<String>,
    /// The folder that most likely holds items which no tracker knows.
    pub(crate) likely: Option<LikelyItems>,
    /// Whether the repo has no commit, and no file besides those that `init` writes.
    pub(crate) is_empty: bool,
    /// Whether any item says whether it is open.
    pub(crate) has_states: bool,
    pub(crate) adrs: Vec<String>,
    /// The number of files with decisions.
    pub(crate) decisions: usize,
    /// Whether all ADRs are found without configuration.
    pub(crate) adrs_by_default: bool,
    pub(crate) documents: Documents,
    pub(crate) github: Option<GithubRepo>,
    /// The places that could not be examined, sorted.
    pub(crate) faults: Vec<Diagnostic>,
}

/// A folder of Markdown files, with how many of them there are, and how many of these have a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LikelyItems {
    pub(crate) folder: String,
    pub(crate) files: usize,
    pub(crate) with_status: usize,
}

impl DetectedRepo {
    pub(crate) fn at(root: &Path) -> Self {
        let redactor = Redactor::new(&RedactionSettings::default());
        let mut detector = Detector { root, redactor, faults: Vec::new() };
        let mut files = detector.files();
        let is_empty = is_without_files(root, &files) && git::head_commit(root, &[]).is_none();
        if is_empty {
            // The samples of an earlier run, which was aborted, change nothing.
            files.retain(|path| ![ADR, ITEM].contains(&path.as_str()));
        }
        // A link that leads nowhere is no file, and is said.
        detector.is("work_items", Metadata::is_dir);
        let adrs = detector.adr_folders(&files);
        let is_adr = |path: &&RepoPath| documents::are_adrs(&adrs, path);
        let is_example = |path: &RepoPath| CATALOG.examples.is_match(path.as_str());
        let others = files.iter().filter(|path| !is_adr(path) && !is_example(path));
        let others: Vec<RepoPath> = others.cloned().collect();
        let trackers = detector.trackers(&others);
        Self {
            hints: detector.hints(&trackers),
            likely: detector.likely_items(&others, &trackers),
            is_empty,
            has_states: false,
            adrs_by_default: documents::are_found_by_default(&adrs, &files),
            decisions: files.iter().filter(is_adr).count(),
            adrs,
            documents: Documents::among(&files, |path| detector.sized(path)),
            github: detector.remote(),
            trackers,
            faults: detector.faults(),
        }
    }

    /// Returns whether there is certainly nothing to build packs from, and nothing that a sample could disturb.
    pub(crate) fn wants_samples(&self) -> bool {
        let unread = self.faults.iter().any(|fault| fault.code == Code::UnreadableFile);
        self.is_empty && !self.has_items() && self.github.is_none() && !unread
    }

    pub(crate) fn has_items(&self) -> bool {
        !self.trackers.is_empty()
    }

    /// Returns whether only open items get a pack: wherever items have states, as issues do.
    pub(crate) fn open_only(&self) -> bool {
        self.has_states || self.github.is_some() && !self.has_items()
    }

    /// Returns the profiles of the trackers, without those that only some have; `coding` if they differ.
    pub(crate) fn profiles(&self) -> Vec<&str> {
        let mut all = self.trackers.iter().map(|tracker| tracker.profiles);
        let first = all.next().filter(|first| all.all(|profiles| profiles == *first));
        first.map_or_else(|| vec!["coding"], |profiles| profiles.iter().map(String::as_str).collect())
    }
}

/// Returns whether a repo has only files that `init` writes, and hidden ones.
fn is_without_files(root: &Path, files: &[RepoPath]) -> bool {
    let is_own = |path: &str| path.starts_with('.') || OWN.contains(&path);
    let names = root.read_dir().into_iter().flatten().flatten();
    let mut names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.all(|name| is_own(&name) || name == "docs" || name == "work_items")
        && files.iter().all(|path| is_own(path.as_str()))
}

/// The files that `init` writes into an empty repo.
const OWN: [&str; 6] = [ADR, ITEM, super::CONFIG, "AGENTS.md", "CLAUDE.md", "GEMINI.md"];

struct Detector<'a> {
    root: &'a Path,
    redactor: Redactor,
    faults: Vec<Diagnostic>,
}

impl Detector<'_> {
    fn faults(mut self) -> Vec<Diagnostic> {
        self.faults.sort();
        self.faults.dedup();
        self.faults
    }

    /// Keeps what may be written into a configuration: names without a secret in them.
    fn publishable(&mut self, mut found: Vec<String>) -> Vec<String> {
        let all = found.len();
        found.retain(|name| self.redactor.line(name) == *name);
        if found.len() < all {
            let message = "a name that looks like a secret was left out of the configuration".to_owned();
            let help = "rename it where it is used, or name it in `contextpack.yml` yourself";
            self.faults.push(Diagnostic::new(Code::InvalidItem, None, message).help(help));
        }
        found
    }

    fn fault(&mut self, path: &str, what: &str, error: &io::Error) {
        let help = "fix that and run `init` again, or name what is there in `contextpack.yml`";
        let at = RepoPath::new(path).ok().map(Place::file);
        let message = format!("{what}: {}", error.kind());
        self.faults.push(Diagnostic::new(Code::UnreadableFile, at, message).help(help));
    }

    fn is(&mut self, path: &str, kind: fn(&Metadata) -> bool) -> bool {
        match self.root.join(path).metadata() {
            Ok(metadata) => kind(&metadata),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
            Err(error) => {
                self.fault(path, "it cannot be examined", &error);
                false
            }
        }
    }

    fn trackers(&mut self, files: &[RepoPath]) -> Vec<FoundTracker> {
        // Both use the detector, one after the other.
        let detector = std::cell::RefCell::new(self);
        let search = TrackerSearch {
            files,
            text: &mut |path| detector.borrow_mut().text(path),
            publishable: &mut |texts| detector.borrow_mut().publishable(texts),
        };
        search.find()
    }

    /// Returns what to do about trackers that are used here, and whose items are missing or ignored by git.
    fn hints(&mut self, found: &[FoundTracker]) -> Vec<String> {
        let mut hints = Vec::new();
        for tracker in CATALOG.trackers.iter().filter(|tracker| found.iter().all(|it| it.name != tracker.name)) {
            let (Some(marker), Some(missing)) = (&tracker.marker, &tracker.missing) else { continue };
            if !self.is(marker, |_| true) {
                continue;
            }
            let names = tracker.sources.iter().flat_map(|source| &source.files.written);
            let ignored: Vec<&String> = names.filter(|name| self.is(name, Metadata::is_file)).collect();
            let why = match ignored.first() {
                Some(file) => format!("`{marker}` is here, and git ignores `{file}`"),
                None => format!("`{marker}` is here, and no item"),
            };
            hints.push(format!("{}: {why}: {missing}", tracker.name));
        }
        hints
    }

    /// Returns the beginning of a file of items: of data all that is worth a look.
    fn text(&mut self, path: &RepoPath) -> Option<String> {
        let is_data = path.name().ends_with(".json") || path.name().ends_with(".jsonl");
        self.beginning(path.as_str(), if is_data { LARGEST_TRACKER } else { HEAD })
    }

    /// Returns the beginning of a file, and the size of the whole in bytes.
    fn sized(&mut self, path: &str) -> Option<(String, u64)> {
        let size = self.root.join(path).metadata().map_or(0, |metadata| metadata.len());
        Some((self.beginning(path, HEAD)?, size))
    }

    /// Returns the folder with most Markdown files that have a status, else the one of a likely name with most of them. Folders
    /// of trackers, and hidden ones, do not count.
    fn likely_items(&mut self, files: &[RepoPath], found: &[FoundTracker]) -> Option<LikelyItems> {
        let is_known = |path: &RepoPath| found.iter().any(|tracker| tracker.files.contains(path));
        let mut folders: BTreeMap<&str, LikelyItems> = BTreeMap::new();
        let candidates = files.iter().filter(|path| {
            let is_hidden = path.as_str().split('/').any(|part| part.starts_with('.'));
            path.as_str().ends_with(".md") && !path.dir().is_empty() && !is_hidden && !is_known(path)
        });
        for path in candidates.take(MOST_CANDIDATES) {
            let text = self.beginning(path.as_str(), HEAD).unwrap_or_default();
            let head: String = text.lines().take(HEAD_LINES).flat_map(|line| [line, "\n"]).collect();
            let new = || LikelyItems { folder: path.dir().to_owned(), files: 0, with_status: 0 };
            let likely = folders.entry(path.dir()).or_insert_with(new);
            likely.files += 1;
            likely.with_status += usize::from(CATALOG.status.is_match(&head));
        }
        let is_named = |likely: &LikelyItems| likely.folder.split('/').any(|part| CATALOG.likely.is_match(part));
        let likely = folders.into_values().filter(|likely| likely.with_status * 2 > likely.files || is_named(likely));
        let likely =
            likely.max_by(|a, b| (a.with_status, a.files, &b.folder).cmp(&(b.with_status, b.files, &a.folder)));
        likely.filter(|likely| self.redactor.line(&likely.folder) == likely.folder)
    }

    fn beginning(&mut self, path: &str, bytes: u64) -> Option<String> {
        // A link may lead out of the repo.
        let is_link = self.root.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link || !self.is(path, Metadata::is_file) {
            return None;
        }
        let mut head = Vec::new();
        if let Err(error) = File::open(self.root.join(path)).and_then(|file| file.take(bytes).read_to_end(&mut head)) {
            self.fault(path, "the file cannot be read", &error);
        }
        Some(String::from_utf8_lossy(&head).into_owned())
    }

    fn remote(&mut self) -> Option<GithubRepo> {
        let remote = git::remote(self.root).unwrap_or_else(|why| {
            let message = format!("the git remote is unknown: {why}");
            let help = "install git, or run `git remote -v` here to see what is wrong; then set `github.repo`";
            self.faults.push(Diagnostic::new(Code::GitUnavailable, None, message).help(help));
            None
        });
        remote.as_deref().and_then(GithubRepo::of_remote)
    }

    fn adr_folders(&mut self, files: &[RepoPath]) -> Vec<String> {
        let log4brains = self.beginning(".log4brains.yml", HEAD);
        let named = documents::named_adr_folders(log4brains.as_deref(), self.beginning(".adr-dir", HEAD).as_deref());
        let holds = |folder: &RepoPath| {
            let below =
                |path: &RepoPath| path.as_str().strip_prefix(folder.as_str()).is_some_and(|it| it.starts_with('/'));
            files.iter().any(|path| below(path) && path.as_str().ends_with(".md"))
        };
        let named: Vec<RepoPath> = named.into_iter().filter(holds).collect();
        self.publishable(documents::adr_globs(files, &named))
    }

    fn files(&mut self) -> Vec<RepoPath> {
        let Ok(deny) = DenyList::new(&[]) else { return Vec::new() };
        match Repo::open(self.root, RepoOptions { deny: &deny, excluded: &[], sources: &[], snapshot: None }) {
            Ok(repo) => {
                self.faults.extend_from_slice(repo.diagnostics());
                repo.files().to_vec()
            }
            Err(error) => {
                let help = "fix that and run `init` again";
                self.faults.push(Diagnostic::new(Code::UnreadableFile, None, error.to_string()).help(help));
                Vec::new()
            }
        }
    }
}

/// The bytes of a text that are searched for what it is, and the lines in which a status is.
const HEAD: u64 = 64 << 10;
const HEAD_LINES: usize = 30;

/// The most files that are examined for whether they are work items.
const MOST_CANDIDATES: usize = 2_000;

/// The bytes of a tracker's file of data that are searched.
const LARGEST_TRACKER: u64 = 64 << 20;
