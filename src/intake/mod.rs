//! Disk and git → a [`Repo`]: the names of its files and their texts, fixed when the build began.

#[cfg(all(test, unix))]
mod agreement;
mod checkout;
mod error;
mod git;
mod history;
mod links;
mod merged;
mod own;
mod root;
mod rules;
mod snapshot;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub use error::IntakeError;
pub use git::configure;
pub use history::{GitObject, History, HistoryError, merge_base};
pub use merged::merged;
pub use own::CacheUse;

use crate::config::DenyList;
use crate::model::{Code, Diagnostic, FileState, Refusal, RepoPath, Severity, SourceTree};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use checkout::Checkout;
use error::words;
use git::GitUnavailable;
use links::LinkEnd;
use snapshot::SnapshotFiles;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use walk::{InheritedRules, RepoWalk, SkippedFolders, UnlistedEntry, WalkResult, is_gone};

/// What a build says of the repo before it is opened.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Names that are never opened.
    pub deny: &'a DenyList,
    /// Folders that are never inputs: the packs, the state.
    pub never: &'a [RepoPath],
    /// The folder of the GitHub snapshot, which is read for its issues and for nothing else.
    pub snapshot: Option<&'a RepoPath>,
}

/// A repo opened for one build.
///
/// Listed is what git tracks or does not ignore: `.gitignore` files count from
/// the work tree's top down, settings of one clone (`info/exclude`,
/// `core.excludesFile`) do not. Repositories inside it are not entered.
///
/// A link is listed where it ends at a listed file. One that leads out of the
/// repo or to a denied name is listed too, and reading it says so.
#[derive(Debug)]
pub struct Repo {
    /// The root's real path.
    root: PathBuf,
    handle: Dir,
    opened: text::OpenFolders,
    bounds: NeverRead,
    files: Vec<RepoPath>,
    /// What is no file, and links that lead to no file or in a circle; sorted.
    odd: Vec<RepoPath>,
    /// Folders that were listed.
    folders: Vec<String>,
    /// Listed links that end at a file, and that file.
    links: BTreeMap<RepoPath, RepoPath>,
    /// Links that end where nothing may be read; what they say of all below them.
    astray: BTreeMap<String, Refusal>,
    index: TrackedFiles,
    cache: CacheUse,
    snapshot: SnapshotFiles,
    diagnostics: Vec<Diagnostic>,
    /// Files and folders that exist and could not be listed or looked at, as paths from the root.
    unlisted: Vec<String>,
    /// What is wrong with those, and with git.
    blind: Vec<Diagnostic>,
    /// The work tree that the files belong to, observed since the repo was opened.
    checkout: Option<Checkout>,
}

/// What is refused by its name alone.
#[derive(Debug)]
struct NeverRead {
    deny: DenyList,
    never: Vec<RepoPath>,
}

/// What is at a path that git tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrackedKind {
    File,
    Link,
    /// A pipe, a socket or a device.
    Odd,
    /// Nothing, or a folder.
    Gone,
}

/// What git says of tracked files.
#[derive(Debug)]
enum TrackedFiles {
    /// There is no git repository, so that every file is as good as any other.
    NoGit,
    /// There is one, but git cannot be asked.
    Unknown,
    /// The tracked files.
    Known(BTreeSet<RepoPath>),
}

impl Repo {
    /// The root of the repo that `start` lies in: the nearest folder upwards
    /// with a configuration or `.git`, else `start` itself.
    ///
    /// # Errors
    /// Where `start` is no folder or cannot be looked at.
    pub fn find_root(start: &Path) -> Result<PathBuf, IntakeError> {
        root::find(start)
    }

    /// The configuration's name as shown to the user and its text: `explicit`,
    /// else `contextpack.yml` or `contextpack.yaml` at the root, else nothing.
    ///
    /// # Errors
    /// Where both names exist, or the file is not UTF-8 text of at most 1 MiB.
    pub fn read_config(root: &Path, explicit: Option<&Path>) -> Result<Option<(String, String)>, IntakeError> {
        root::config(root, explicit)
    }

    /// The URL of the git remote `origin`, without credentials, where there is one. For proposals
    /// only: no pack may depend on it.
    ///
    /// # Errors
    /// Why git could not say whether there is one.
    pub fn remote(root: &Path) -> Result<Option<String>, String> {
        git::remote(root)
    }

    /// Lists the files of the repo at `root`.
    ///
    /// # Errors
    /// Where the root cannot be listed, or git is changing its files. What cannot be used below it is a diagnostic.
    pub fn open(root: &Path, options: Options<'_>) -> Result<Self, IntakeError> {
        let root = root::folder(root)?;
        let failed = |source| IntakeError::Read { path: root.clone(), source };
        let handle = Dir::open_ambient_dir(&root, ambient_authority()).map_err(failed)?;
        let state = links::named(".contextpack");
        let never = options
            .never
            .iter()
            .chain(options.snapshot)
            .chain(&state)
            .filter(|path| !path.as_str().is_empty())
            .cloned()
            .collect();
        let bounds = NeverRead { deny: options.deny.clone(), never };
        let top = root::work_tree(&root)?;
        let above = top.map(|top| walk::above(top, &root)).transpose().map_err(failed)?.flatten();
        // Of a root that git ignores it may track files all the same, and so a cache.
        let asked = top.is_some();
        let in_git = above.is_some();
        let mut checkout = top.filter(|_| in_git).map(Checkout::observe).transpose()?.flatten();
        // git takes about as long as the walk.
        let (found, entries) = std::thread::scope(|scope| {
            let ask = || git::entries(&root);
            // Without a thread for it git is asked afterwards.
            let asking = asked.then(|| std::thread::Builder::new().spawn_scoped(scope, ask).ok());
            let walk = RepoWalk { root: &root, handle: &handle, never: &bounds };
            let found = walk.run(&above.unwrap_or_else(InheritedRules::default));
            let failed = |_| Err(GitUnavailable { why: "git could not be asked".to_owned(), absent: false });
            let answer = |asking: Option<std::thread::ScopedJoinHandle<'_, _>>| match asking {
                Some(asking) => asking.join().unwrap_or_else(failed),
                None => ask(),
            };
            (found, asking.map(answer))
        });
        if let (Some(checkout), Some(Ok(entries))) = (&mut checkout, &entries) {
            checkout.list(entries);
        }
        let own = match &entries {
            Some(Ok(entries)) => own::tracked(git::tracked(entries)),
            _ => Vec::new(),
        };
        let cache = match &entries {
            Some(Err(_)) => CacheUse::Unknown,
            _ if own.is_empty() => CacheUse::Free,
            _ => CacheUse::Tracked,
        };
        let found = found.map_err(failed)?;
        let snapshot = options.snapshot.map(|folder| SnapshotFiles::list(&handle, folder)).unwrap_or_default();
        let mut repo = Self {
            root,
            handle,
            opened: text::OpenFolders::default(),
            bounds,
            files: Vec::new(),
            odd: Vec::new(),
            folders: Vec::new(),
            links: BTreeMap::new(),
            astray: BTreeMap::new(),
            index: TrackedFiles::NoGit,
            cache,
            snapshot,
            diagnostics: own,
            unlisted: Vec::new(),
            blind: Vec::new(),
            checkout,
        };
        repo.list(found, entries.filter(|_| in_git));
        Ok(repo)
    }

    /// Whether the cache of this working copy may be used: never one that came with the repo.
    pub fn cache_use(&self) -> CacheUse {
        self.cache
    }

    /// Whether git tracks the file at `path`, or cannot say so: then it has to stay.
    pub fn is_tracked(path: &Path) -> bool {
        git::is_tracked(path)
    }

    /// Makes ready for another build of the same listing. Returns `false` if git changed something since, so that the
    /// repo has to be opened again.
    ///
    /// # Errors
    /// As [`Repo::open`].
    pub fn resume(&mut self) -> Result<bool, IntakeError> {
        self.checkout.as_mut().map_or(Ok(true), Checkout::resume)
    }

    /// What could not be read or named when the repo was opened, sorted.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Every folder where a file may be that counts, as a path from the root, whose own is empty; sorted.
    ///
    /// Those of the snapshot are not among them.
    pub fn folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        // git may track files of folders that it ignores.
        folders.extend(self.files.iter().map(RepoPath::dir));
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// Lets go of folders that are open for the next file in them: nothing is read for a while, and others may move them.
    pub fn idle(&self) {
        self.opened.close();
    }

    /// Whether it is still what [`Repo::open`] would give, where nothing happened since but to these paths, which are
    /// absolute: listed files may have other texts, but no name came or went, and nothing that says which names count.
    ///
    /// Where that is not certain it says no.
    pub fn stands(&self, touched: &[PathBuf]) -> bool {
        touched.iter().all(|path| {
            let below = path.strip_prefix(&self.root).ok().and_then(Path::to_str).and_then(links::named);
            let decides = |below: &RepoPath| {
                below.name() == ".gitignore" || below.as_str().split('/').any(|part| part.eq_ignore_ascii_case(".git"))
            };
            let Some(below) = below.filter(|below| !decides(below)) else { return false };
            let is_file = path.symlink_metadata().map(|metadata| metadata.is_file());
            let listed = self.has(&below) || self.snapshot.files.binary_search(&below).is_ok();
            match is_file {
                Ok(is_file) => is_file && listed && !self.links.contains_key(&below),
                Err(error) => {
                    let gone = error.kind() == io::ErrorKind::NotFound;
                    gone && !listed && !self.folders.iter().any(|folder| *folder == below.as_str())
                }
            }
        })
    }

    /// Files outside the listed folders that say which files of the repo at `root` count: what git tracks,
    /// and ignore files above it.
    pub fn beside(root: &Path) -> Vec<PathBuf> {
        git::beside(root)
    }

    /// Joins what the walk found with what git tracks.
    fn list(&mut self, found: WalkResult, entries: Option<Result<Vec<u8>, GitUnavailable>>) {
        let WalkResult { files, mut links, odd, folders, diagnostics, unlisted } = found;
        self.files = files;
        self.odd = odd;
        self.folders = folders;
        self.files.sort_unstable();
        self.diagnostics.extend(diagnostics);
        self.diagnostics.append(&mut self.snapshot.diagnostics);
        for UnlistedEntry { path, diagnostic } in
            unlisted.into_iter().chain(std::mem::take(&mut self.snapshot.unlisted))
        {
            self.unlisted.push(path);
            self.blind.push(diagnostic);
        }
        match entries {
            None => {}
            Some(Err(silent)) => self.without_index(&silent),
            Some(Ok(entries)) => self.add_tracked(&entries, &mut links),
        }
        if self.checkout.as_ref().is_some_and(Checkout::is_stale) {
            let message =
                "git's `index.lock` has been there for a while: a git command crashed, or changes files still";
            let help = "remove that file of the git repository if no git command runs, and build again";
            self.diagnostics.push(Diagnostic::new(Code::StaleLock, None, message).help(help));
        }
        links.sort_unstable();
        links.dedup();
        let ends: Vec<(RepoPath, LinkEnd)> = links
            .into_iter()
            .map(|link| {
                let end = links::follow(&self.handle, &link);
                (link, end)
            })
            .collect();
        let mut listed = Vec::new();
        for (link, end) in ends {
            if end == LinkEnd::Odd {
                self.odd.push(link);
                continue;
            }
            match self.judge(&end) {
                Ok(real) => {
                    listed.push(link.clone());
                    self.links.insert(link, real);
                }
                Err(Refusal::NotInRepo) => {}
                Err(Refusal::Unreadable(why)) => {
                    let what = format!("`{link}` cannot be followed: {why}");
                    self.blind.push(UnlistedEntry::new(link.as_str(), link.as_str(), &what).diagnostic);
                    self.unlisted.push(link.to_string());
                }
                Err(refusal) => {
                    listed.push(link.clone());
                    self.astray.insert(link.to_string(), refusal);
                }
            }
        }
        self.files.append(&mut listed);
        self.files.sort_unstable();
        self.odd.sort_unstable();
        self.odd.dedup();
        self.blind.sort();
        self.blind.dedup();
        self.diagnostics.extend_from_slice(&self.blind);
        self.diagnostics.sort();
        self.diagnostics.dedup();
    }

    /// Goes on without knowing what git tracks.
    fn without_index(&mut self, silent: &GitUnavailable) {
        self.index = TrackedFiles::Unknown;
        let GitUnavailable { why, absent } = silent;
        if *absent {
            let message = format!("{why}; files that are tracked although git ignores them are left out");
            let help = "install git, or run `git status` here to see what is wrong";
            self.diagnostics.push(Diagnostic::new(Code::GitUnavailable, None, message).help(help));
        } else {
            let message = format!("{why}; nobody knows which files it tracks, so no pack is built or removed");
            let help = "run `git status` here to see what is wrong, and build again";
            let diagnostic = Diagnostic::new(Code::GitUnavailable, None, message).help(help);
            self.blind.push(Diagnostic { severity: Severity::Error, ..diagnostic });
        }
    }

    /// Adds the tracked files that the walk left out because git ignores them.
    fn add_tracked(&mut self, entries: &[u8], links: &mut Vec<RepoPath>) {
        let mut tracked = BTreeSet::new();
        let (mut more, mut more_links) = (Vec::new(), Vec::new());
        links.sort_unstable();
        for bytes in git::tracked(entries) {
            let Ok(text) = std::str::from_utf8(bytes) else {
                // Where the file is there and not ignored the walk said so already: equal ones become one.
                let shown = String::from_utf8_lossy(bytes);
                let (folder, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
                self.diagnostics.push(walk::unusable_name(folder, name));
                continue;
            };
            let Some(path) = links::named(text) else {
                continue;
            };
            if self.bounds.never(path.as_str()) {
                continue;
            }
            if self.files.binary_search(&path).is_err() && links.binary_search(&path).is_err() {
                match self.kind(&path) {
                    Ok(TrackedKind::Link) => more_links.push(path.clone()),
                    Ok(TrackedKind::File) => more.push(path.clone()),
                    Ok(TrackedKind::Odd) => self.odd.push(path.clone()),
                    // Deleted, or a submodule's folder.
                    Ok(TrackedKind::Gone) => {}
                    // What is wrong with the folder has been said.
                    Err(_) if self.is_unlisted(path.as_str()) => {}
                    Err(why) => {
                        let what = format!("`{path}` cannot be looked at: {why}");
                        self.blind.push(UnlistedEntry::new(path.as_str(), path.as_str(), &what).diagnostic);
                        self.unlisted.push(path.to_string());
                    }
                }
            }
            tracked.insert(path);
        }
        links.append(&mut more_links);
        self.files.append(&mut more);
        self.files.sort_unstable();
        self.index = TrackedFiles::Known(tracked);
    }

    /// What is at a path that git tracks, if no link leads to it.
    ///
    /// # Errors
    /// Why it cannot be looked at, though it may be there.
    fn kind(&self, path: &RepoPath) -> Result<TrackedKind, String> {
        if let Some(dir) = Some(path.dir()).filter(|dir| !dir.is_empty()).and_then(links::named) {
            match links::follow(&self.handle, &dir) {
                LinkEnd::Folder(real) if real == dir => {}
                LinkEnd::Unreadable(_, why) => return Err(why),
                _ => return Ok(TrackedKind::Gone),
            }
        }
        match self.handle.symlink_metadata(path.as_str()) {
            Ok(metadata) if metadata.is_symlink() => Ok(TrackedKind::Link),
            Ok(metadata) if metadata.is_file() => Ok(TrackedKind::File),
            Ok(metadata) if !metadata.is_dir() => Ok(TrackedKind::Odd),
            Ok(_) => Ok(TrackedKind::Gone),
            Err(error) if is_gone(&error) => Ok(TrackedKind::Gone),
            Err(error) => Err(words(&error)),
        }
    }

    fn is_odd(&self, path: &RepoPath) -> bool {
        self.odd.binary_search(path).is_ok()
    }

    /// Whether a path is one that could not be listed, or lies below one.
    fn is_unlisted(&self, path: &str) -> bool {
        self.unlisted.iter().any(|unlisted| {
            let rest = path.strip_prefix(unlisted.as_str());
            rest.is_some_and(|rest| unlisted.is_empty() || rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// What a link above `path`, or `path` itself, has to say of it.
    fn led_astray(&self, path: &str) -> Option<&Refusal> {
        if self.astray.is_empty() {
            return None;
        }
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.chain([path]).find_map(|path| self.astray.get(path))
    }

    /// The file that a link's end stands for, if it may be read.
    fn judge(&self, end: &LinkEnd) -> Result<RepoPath, Refusal> {
        match end {
            LinkEnd::Outside => Err(Refusal::Outside),
            LinkEnd::File(real) | LinkEnd::Folder(real) | LinkEnd::Missing(real) | LinkEnd::Unreadable(real, _)
                if self.bounds.refuse(real) =>
            {
                Err(Refusal::Denied)
            }
            LinkEnd::Unreadable(_, why) => Err(Refusal::Unreadable(why.clone())),
            LinkEnd::Odd => Err(odd()),
            LinkEnd::File(real) if self.has(real) => Ok(real.clone()),
            _ => Err(Refusal::NotInRepo),
        }
    }
}

impl SourceTree for Repo {
    fn files(&self) -> &[RepoPath] {
        &self.files
    }

    fn odd(&self) -> &[RepoPath] {
        &self.odd
    }

    fn unlisted(&self) -> &[Diagnostic] {
        &self.blind
    }

    fn is_settled(&self) -> bool {
        let made = || {
            let folders = self.folders().into_iter().map(|folder| self.root.join(folder));
            let files = self.files.iter().chain(&self.snapshot.files).map(|path| self.root.join(path.as_str()));
            let mut last = None;
            for path in folders.chain(files) {
                last = last.max(Some(text::made(&path)?));
            }
            last
        };
        self.checkout.as_ref().is_none_or(|checkout| checkout.is_same(&self.root, &made))
    }

    fn issues(&self) -> &[RepoPath] {
        &self.snapshot.files
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.snapshot.read(&self.handle, path)
    }

    /// Whether git tracks a listed path, and where it is a link what it leads to.
    ///
    /// Without a git repository every listed file counts as tracked; where there
    /// is one that git cannot read, none does.
    fn tracked(&self, path: &RepoPath) -> bool {
        match &self.index {
            TrackedFiles::NoGit => self.has(path) || self.is_odd(path),
            TrackedFiles::Unknown => false,
            TrackedFiles::Known(tracked) => {
                tracked.contains(path)
                    && (self.has(path) || self.is_odd(path))
                    && self.links.get(path).is_none_or(|real| tracked.contains(real))
            }
        }
    }

    /// Of a file that is read as it was listed. Where a link leads is decided as it is read.
    fn state(&self, path: &RepoPath) -> Option<FileState> {
        let plain = self.has(path)
            && !self.links.contains_key(path)
            && !self.bounds.refuse(path)
            && self.led_astray(path.as_str()).is_none();
        let listed = plain || self.snapshot.files.binary_search(path).is_ok();
        listed.then(|| text::state(&self.root.join(path.as_str())))?
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        if self.bounds.refuse(path) {
            return Err(Refusal::Denied);
        }
        if let Some(refusal) = self.led_astray(path.as_str()) {
            return Err(refusal.clone());
        }
        if self.is_odd(path) {
            return Err(odd());
        }
        if !self.has(path) {
            return Err(if self.is_unlisted(path.as_str()) { unlisted() } else { Refusal::NotInRepo });
        }
        let real = if self.links.contains_key(path) {
            // Followed again: it may lead elsewhere by now.
            self.judge(&links::follow(&self.handle, path))?
        } else {
            path.clone()
        };
        self.opened.read(&self.handle, real.as_str(), text::limit(path.extension()))
    }
}

/// Why something cannot be had that is there and is no file.
fn odd() -> Refusal {
    Refusal::Unreadable("it is no file but a pipe, a socket, a device or a link that leads in a circle".to_owned())
}

/// Why a file cannot be had that may lie where nothing could be listed.
fn unlisted() -> Refusal {
    Refusal::Unreadable("the folder cannot be listed".to_owned())
}

impl NeverRead {
    fn refuse(&self, path: &RepoPath) -> bool {
        self.deny.denies(path) || self.never(path.as_str())
    }
}

impl SkippedFolders for NeverRead {
    /// Case is ignored: on some systems `Packs` is the folder `packs`.
    fn never(&self, path: &str) -> bool {
        self.never.iter().any(|dir| {
            let dir = dir.as_str();
            path.get(..dir.len()).is_some_and(|start| start.eq_ignore_ascii_case(dir))
                && matches!(path.as_bytes().get(dir.len()), None | Some(b'/'))
        })
    }
}
