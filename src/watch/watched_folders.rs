//! The folders that a watch follows, and the files in them that are relevant.

use super::events::{Events, FollowError};
use crate::config::Settings;
use crate::engine::SessionRequest;
use crate::git;
use crate::intake::Repo;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The state folder; only the snapshot in it is an input.
const STATE: &str = ".contextpack";

/// The relevant files of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WatchedFiles {
    /// All files.
    All,
    /// The files with these names.
    Names(BTreeSet<OsString>),
}

/// The folders that a watch follows.
#[derive(Debug, Default)]
pub(super) struct WatchedFolders {
    wanted: BTreeMap<PathBuf, WatchedFiles>,
    followed: BTreeSet<PathBuf>,
    /// The folders that the program writes and never reads.
    ignored: Vec<PathBuf>,
}

impl WatchedFolders {
    /// Follows the folders that show when a repo appears or becomes readable.
    pub(super) fn follow_base(&mut self, request: &SessionRequest, events: &mut dyn Events) -> Result<(), FollowError> {
        let mut wanted = std::mem::take(&mut self.wanted);
        base(request, &mut wanted);
        self.wanted = wanted;
        self.follow(events).map(|_| ())
    }

    /// Follows every folder where an input may be or appear, and no other.
    ///
    /// Returns whether a folder is newly followed, so that changes in it may have been missed.
    pub(super) fn follow_repo(
        &mut self,
        request: &SessionRequest,
        repo: &Repo,
        settings: &Settings,
        events: &mut dyn Events,
    ) -> Result<bool, FollowError> {
        let root = &request.root;
        let mut wanted = BTreeMap::new();
        for folder in repo.folders() {
            wanted.insert(if folder.is_empty() { root.clone() } else { root.join(folder) }, WatchedFiles::All);
        }
        base(request, &mut wanted);
        let snapshot = root.join(settings.github.snapshot.as_str());
        for part in snapshot.ancestors().take_while(|part| *part != root) {
            name(&mut wanted, part);
        }
        for folder in two_levels(&snapshot) {
            wanted.insert(folder, WatchedFiles::All);
        }
        let own = settings.own_folders();
        let own = own.iter().map(|folder| root.join(folder.as_str()));
        let written = request.out.iter().cloned().chain(own).chain([root.join(STATE)]);
        self.ignored = written.filter(|path| !snapshot.starts_with(path) && path != root).collect();
        for folder in self.followed.iter().filter(|folder| !wanted.contains_key(*folder)) {
            events.unfollow(folder);
        }
        self.followed.retain(|folder| wanted.contains_key(folder));
        self.wanted = wanted;
        self.follow(events)
    }

    /// Returns the paths that may change a pack; `None` if they cannot be determined.
    ///
    /// A followed folder among the paths was created, removed or moved: it and the folders below it are followed again
    /// with the next build.
    pub(super) fn touched(&mut self, paths: &[PathBuf], events: &mut dyn Events) -> Option<Vec<PathBuf>> {
        let mut relevant = Some(Vec::new());
        for path in paths {
            let moved = self.followed.range(path.clone()..).take_while(|folder| folder.starts_with(path));
            let moved: Vec<PathBuf> = moved.cloned().collect();
            if !moved.is_empty() {
                relevant = None;
            } else if self.is_relevant(path) {
                relevant.iter_mut().for_each(|relevant| relevant.push(path.clone()));
            }
            for folder in moved {
                events.unfollow(&folder);
                self.followed.remove(&folder);
            }
        }
        relevant
    }

    /// Unfollows all folders until the next build, since they may have been replaced.
    pub(super) fn unfollow_all(&mut self, events: &mut dyn Events) {
        for folder in std::mem::take(&mut self.followed) {
            events.unfollow(&folder);
        }
    }

    /// Returns the number of followed folders.
    pub(super) fn len(&self) -> usize {
        self.followed.len()
    }

    fn is_relevant(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        match self.wanted.get(folder) {
            None => false,
            Some(WatchedFiles::Names(names)) => names.contains(name),
            Some(WatchedFiles::All) => !self.ignored.iter().any(|ignored| ignored == path),
        }
    }

    fn follow(&mut self, events: &mut dyn Events) -> Result<bool, FollowError> {
        let mut new = false;
        for folder in self.wanted.keys().filter(|folder| !self.followed.contains(*folder)).cloned().collect::<Vec<_>>()
        {
            match events.follow(&folder) {
                Ok(()) => {
                    self.followed.insert(folder);
                    new = true;
                }
                Err(FollowError::Gone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(new)
    }
}

/// Adds the root, the configuration, the files that decide which files are tracked, and for an agent those of git's
/// history.
fn base(request: &SessionRequest, wanted: &mut BTreeMap<PathBuf, WatchedFiles>) {
    let root = &request.root;
    wanted.insert(root.clone(), WatchedFiles::All);
    // After the root is removed, this reports that it is back.
    name(wanted, root);
    if let Some(config) = request.config.as_ref().and_then(|config| std::path::absolute(config).ok()) {
        name(wanted, &config);
        if let Ok(real) = config.canonicalize() {
            name(wanted, &real);
        }
    }
    let history = request.agent.iter().flat_map(|_| git::history_inputs(root));
    for file in git::outside_inputs(root).into_iter().chain(history) {
        name(wanted, &file);
    }
}

/// Makes the file at `path` relevant.
fn name(wanted: &mut BTreeMap<PathBuf, WatchedFiles>, path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let files = wanted.entry(folder.to_owned()).or_insert_with(|| WatchedFiles::Names(BTreeSet::new()));
    if let WatchedFiles::Names(names) = files {
        names.insert(name.to_owned());
    }
}

/// Returns a folder and two levels of folders below it, where a snapshot has its files.
fn two_levels(folder: &Path) -> Vec<PathBuf> {
    let below = |folder: &PathBuf| -> Vec<PathBuf> {
        // `std::fs::read_dir` panics if the system cannot close a folder.
        let entries = Dir::open_ambient_dir(folder, ambient_authority()).and_then(|dir| dir.entries());
        let entries = entries.into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.map(|entry| folder.join(entry.file_name())).collect()
    };
    if !folder.is_dir() {
        return Vec::new();
    }
    let first = below(&folder.to_owned());
    let second: Vec<PathBuf> = first.iter().flat_map(below).collect();
    [vec![folder.to_owned()], first, second].concat()
}
