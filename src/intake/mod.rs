//! Disk and git → a [`Repo`]: the names of its files and their texts, fixed when the build began.

#[cfg(all(test, unix))]
mod agreement;
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
pub use history::{History, HistoryError, Kept, merge_base};
pub use merged::merged;
pub use own::CacheUse;

use crate::config::DenyList;
use crate::model::{Code, Diagnostic, FileState, Refusal, RepoPath, Source};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use links::End;
use snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use walk::{Above, Found, NeverEntered, Walk};

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
    opened: text::Folders,
    bounds: Bounds,
    files: Vec<RepoPath>,
    /// Folders that were listed.
    folders: Vec<String>,
    /// Listed links that end at a file, and that file.
    links: BTreeMap<RepoPath, RepoPath>,
    /// Links that end where nothing may be read; what they say of all below them.
    astray: BTreeMap<String, Refusal>,
    index: Index,
    cache: CacheUse,
    snapshot: Snapshot,
    diagnostics: Vec<Diagnostic>,
}

/// What is refused by its name alone.
#[derive(Debug)]
struct Bounds {
    deny: DenyList,
    never: Vec<RepoPath>,
}

/// What git says of tracked files.
#[derive(Debug)]
enum Index {
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
    /// Where the root cannot be listed. What cannot be used below it is a diagnostic.
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
        let bounds = Bounds { deny: options.deny.clone(), never };
        let above = match root.ancestors().find(|dir| root::has_git(dir)) {
            Some(top) => walk::above(top, &root).map_err(failed)?,
            None => None,
        };
        // Of a root that git ignores it may track files all the same, and so a cache.
        let asked = root.ancestors().any(root::has_git);
        let in_git = above.is_some();
        // git takes about as long as the walk.
        let (found, tracked) = std::thread::scope(|scope| {
            let ask = || git::tracked(&root);
            // Without a thread for it git is asked afterwards.
            let asking = asked.then(|| std::thread::Builder::new().spawn_scoped(scope, ask).ok());
            let walk = Walk { root: &root, handle: &handle, never: &bounds };
            let found = walk.run(&above.unwrap_or_else(Above::default));
            let failed = |_| Err("git could not be asked".to_owned());
            let answer = |asking: Option<std::thread::ScopedJoinHandle<'_, _>>| match asking {
                Some(asking) => asking.join().unwrap_or_else(failed),
                None => ask(),
            };
            (found, asking.map(answer))
        });
        let own =
            tracked.as_ref().and_then(|tracked| tracked.as_ref().ok()).map_or_else(Vec::new, |it| own::tracked(it));
        let cache = match &tracked {
            Some(Err(_)) => CacheUse::Unknown,
            _ if own.is_empty() => CacheUse::Free,
            _ => CacheUse::Tracked,
        };
        let found = found.map_err(failed)?;
        let snapshot = options.snapshot.map(|folder| Snapshot::list(&handle, folder)).unwrap_or_default();
        let mut repo = Self {
            root,
            handle,
            opened: text::Folders::default(),
            bounds,
            files: Vec::new(),
            folders: Vec::new(),
            links: BTreeMap::new(),
            astray: BTreeMap::new(),
            index: Index::NoGit,
            cache,
            snapshot,
            diagnostics: own,
        };
        repo.list(found, tracked.filter(|_| in_git));
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
    fn list(&mut self, found: Found, tracked: Option<Result<Vec<Vec<u8>>, String>>) {
        let Found { files, mut links, folders, diagnostics } = found;
        self.files = files;
        self.folders = folders;
        self.files.sort_unstable();
        self.diagnostics.extend(diagnostics);
        self.diagnostics.extend_from_slice(&self.snapshot.diagnostics);
        match tracked {
            None => {}
            Some(Err(why)) => {
                self.index = Index::Unknown;
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::GitUnavailable,
                        None,
                        format!("{why}; files that are tracked although git ignores them are left out"),
                    )
                    .help("install git, or run `git status` here to see what is wrong"),
                );
            }
            Some(Ok(paths)) => self.add_tracked(&paths, &mut links),
        }
        links.sort_unstable();
        links.dedup();
        let ends: Vec<(RepoPath, End)> = links
            .into_iter()
            .map(|link| {
                let end = links::follow(&self.handle, &link);
                (link, end)
            })
            .collect();
        let mut listed = Vec::new();
        for (link, end) in ends {
            match self.judge(&end) {
                Ok(real) => {
                    listed.push(link.clone());
                    self.links.insert(link, real);
                }
                Err(Refusal::NotInRepo) => {}
                Err(refusal) => {
                    listed.push(link.clone());
                    self.astray.insert(link.to_string(), refusal);
                }
            }
        }
        self.files.append(&mut listed);
        self.files.sort_unstable();
        self.diagnostics.sort();
        self.diagnostics.dedup();
    }

    /// Adds the tracked files that the walk left out because git ignores them.
    fn add_tracked(&mut self, paths: &[Vec<u8>], links: &mut Vec<RepoPath>) {
        let mut tracked = BTreeSet::new();
        let (mut more, mut more_links) = (Vec::new(), Vec::new());
        links.sort_unstable();
        for bytes in paths {
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
                match self.is_link(&path) {
                    Some(true) => more_links.push(path.clone()),
                    Some(false) => more.push(path.clone()),
                    // Deleted, or a submodule's folder.
                    None => {}
                }
            }
            tracked.insert(path);
        }
        links.append(&mut more_links);
        self.files.append(&mut more);
        self.files.sort_unstable();
        self.index = Index::Known(tracked);
    }

    /// Whether a path that no link leads to is a link itself (`true`) or a regular file (`false`).
    fn is_link(&self, path: &RepoPath) -> Option<bool> {
        if !path.dir().is_empty() {
            let dir = links::named(path.dir())?;
            if links::follow(&self.handle, &dir) != End::Folder(dir) {
                return None;
            }
        }
        let metadata = self.handle.symlink_metadata(path.as_str()).ok()?;
        (metadata.is_symlink() || metadata.is_file()).then_some(metadata.is_symlink())
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
    fn judge(&self, end: &End) -> Result<RepoPath, Refusal> {
        match end {
            End::Outside => Err(Refusal::Outside),
            End::File(real) | End::Folder(real) | End::Missing(real) if self.bounds.refuse(real) => {
                Err(Refusal::Denied)
            }
            End::File(real) if self.has(real) => Ok(real.clone()),
            _ => Err(Refusal::NotInRepo),
        }
    }
}

impl Source for Repo {
    fn files(&self) -> &[RepoPath] {
        &self.files
    }

    fn issues(&self) -> &[RepoPath] {
        &self.snapshot.files
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.snapshot.read(&self.handle, path)
    }

    /// Whether git tracks a listed file, and where it is a link what it leads to.
    ///
    /// Without a git repository every listed file counts as tracked; where there
    /// is one that git cannot read, none does.
    fn tracked(&self, path: &RepoPath) -> bool {
        match &self.index {
            Index::NoGit => self.has(path),
            Index::Unknown => false,
            Index::Known(tracked) => {
                tracked.contains(path)
                    && self.has(path)
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
        if !self.has(path) {
            return Err(Refusal::NotInRepo);
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

impl Bounds {
    fn refuse(&self, path: &RepoPath) -> bool {
        self.deny.denies(path) || self.never(path.as_str())
    }
}

impl NeverEntered for Bounds {
    /// Case is ignored: on some systems `Packs` is the folder `packs`.
    fn never(&self, path: &str) -> bool {
        self.never.iter().any(|dir| {
            let dir = dir.as_str();
            path.get(..dir.len()).is_some_and(|start| start.eq_ignore_ascii_case(dir))
                && matches!(path.as_bytes().get(dir.len()), None | Some(b'/'))
        })
    }
}
