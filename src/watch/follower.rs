//! Follows the folders in which an input of a repository is or may appear.

use super::events::{Event, Events, FollowError};
use crate::config::Settings;
use crate::engine::SessionRequest;
use crate::git;
use crate::intake::Repo;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walkdir::WalkDir;

/// The state folder; only the snapshot in it is an input.
const STATE: &str = ".contextpack";

#[derive(Debug, Clone, PartialEq, Eq)]
enum WatchedFiles {
    All,
    Names(BTreeSet<OsString>),
}

pub struct Follower {
    request: SessionRequest,
    events: Box<dyn Events>,
    /// The folders to follow, with the files in them that are relevant.
    wanted: BTreeMap<PathBuf, WatchedFiles>,
    followed: BTreeSet<PathBuf>,
    /// The folders that the program writes and never reads.
    ignored: Vec<PathBuf>,
}

impl Follower {
    pub fn new(request: SessionRequest, events: Box<dyn Events>) -> Self {
        let (wanted, followed, ignored) = Default::default();
        Self { request, events, wanted, followed, ignored }
    }

    /// Follows the folders that show when a repo appears or becomes readable.
    pub fn follow_base(&mut self) -> Result<(), FollowError> {
        base(&self.request, &mut self.wanted);
        self.follow_wanted().map(|_| ())
    }

    /// Follows every folder where an input of an opened repository may be or appear, and no other. Returns whether a
    /// folder is newly followed, so that changes in it may have been missed.
    pub fn follow(&mut self, repo: &Repo, settings: &Settings) -> Result<bool, FollowError> {
        let root = &self.request.root;
        let mut wanted = BTreeMap::new();
        for folder in repo.folders() {
            wanted.insert(if folder.is_empty() { root.clone() } else { root.join(folder) }, WatchedFiles::All);
        }
        base(&self.request, &mut wanted);
        let snapshot = root.join(settings.github.snapshot.as_str());
        for part in snapshot.ancestors().take_while(|part| *part != root) {
            name(&mut wanted, part);
        }
        // Its owners and their repos have folders.
        let below = WalkDir::new(&snapshot).max_depth(2).into_iter().flatten();
        let below = below.filter(|entry| entry.file_type().is_dir());
        wanted.extend(below.map(|entry| (entry.into_path(), WatchedFiles::All)));
        let own = settings.own_folders();
        let own = own.iter().map(|folder| root.join(folder.as_str()));
        let written = self.request.out.iter().cloned().chain(own).chain([root.join(STATE)]);
        self.ignored = written.filter(|path| !snapshot.starts_with(path) && path != root).collect();
        self.unfollow(|folder| !wanted.contains_key(folder));
        self.wanted = wanted;
        self.follow_wanted()
    }

    fn follow_wanted(&mut self) -> Result<bool, FollowError> {
        let missing = self.wanted.keys().filter(|folder| !self.followed.contains(*folder)).cloned();
        let mut is_new = false;
        for folder in missing.collect::<Vec<PathBuf>>() {
            match self.events.follow(&folder) {
                Ok(()) => is_new |= self.followed.insert(folder),
                Err(FollowError::Gone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(is_new)
    }

    /// Unfollows folders until they are followed again.
    fn unfollow(&mut self, is_unwanted: impl Fn(&Path) -> bool) {
        for folder in self.followed.extract_if(.., |folder| is_unwanted(folder)) {
            self.events.unfollow(&folder);
        }
    }

    pub fn followed(&self) -> usize {
        self.followed.len()
    }

    /// Waits for something to notice; changes of files that are no inputs do not count. Folders that came or went may hold any
    /// change, as after an [`Event::Overflow`].
    pub fn next(&mut self, within: Option<Duration>) -> Event {
        let began = Instant::now();
        loop {
            match self.events.next(within.map(|within| within.saturating_sub(began.elapsed()))) {
                Event::Touched(paths) => match self.relevant(&paths) {
                    Some(relevant) if relevant.is_empty() => {}
                    relevant => return relevant.map_or(Event::Overflow, Event::Touched),
                },
                Event::Overflow => {
                    // They may have been replaced.
                    self.unfollow(|_| true);
                    return Event::Overflow;
                }
                event => return event,
            }
        }
    }

    /// Returns the paths that may change a pack; `None` if they cannot be determined. A followed folder among the paths
    /// was created, removed or moved: it and the folders below it are followed again with the next build.
    fn relevant(&mut self, paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
        let mut relevant = Some(Vec::new());
        for path in paths {
            if self.followed.range(path.clone()..).next().is_some_and(|folder| folder.starts_with(path)) {
                self.unfollow(|folder| folder.starts_with(path));
                relevant = None;
            } else if self.is_relevant(path) {
                relevant.iter_mut().for_each(|relevant| relevant.push(path.clone()));
            }
        }
        relevant
    }

    fn is_relevant(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        match self.wanted.get(folder) {
            None => false,
            Some(WatchedFiles::Names(names)) => names.contains(name),
            Some(WatchedFiles::All) => !self.ignored.iter().any(|ignored| ignored == path),
        }
    }
}

/// Adds the root, the configuration, the files that decide what git tracks, and for an agent those of git's history.
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

fn name(wanted: &mut BTreeMap<PathBuf, WatchedFiles>, path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let files = wanted.entry(folder.to_owned()).or_insert_with(|| WatchedFiles::Names(BTreeSet::new()));
    if let WatchedFiles::Names(names) = files {
        names.insert(name.to_owned());
    }
}
