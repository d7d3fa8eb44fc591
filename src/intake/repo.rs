//! A repo as one build sees it.

use super::attributes::{Attributes, FileAttributes};
use super::checkout::Checkout;
use super::error::IntakeError;
use super::listing::{AccessRules, ListedFolder, Listing, no_file};
use super::markup::as_markdown;
use super::snapshot::SnapshotFiles;
use super::state_folder::{self, CacheUse};
use super::walk::{self, ExcludedFolders, InheritedRules};
use super::{links, root, text};
use crate::config::DenyList;
use crate::git::{self, GitUnavailable, StoredObjects};
use crate::model::{Code, Diagnostic, FileState, Refusal, RepoPath, SourceTree};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::{Path, PathBuf};

/// The options for opening a repo.
#[derive(Debug, Clone, Copy)]
pub struct RepoOptions<'a> {
    /// Names that are never opened.
    pub deny: &'a DenyList,
    /// Folders that are never inputs: the packs, the state.
    pub excluded: &'a [RepoPath],
    /// Folders of other projects: repositories of their own that are entered all the same.
    pub sources: &'a [RepoPath],
    /// The folder of the GitHub snapshot, which is read for its issues and for nothing else.
    pub snapshot: Option<&'a RepoPath>,
}

/// A repo opened for one build.
///
/// It lists what git tracks or does not ignore: `.gitignore` files count from the work tree's top down, settings of one
/// clone (`info/exclude`, `core.excludesFile`) do not. Repositories inside it are not entered, but those of other projects that the
/// options name.
///
/// A link is listed if it ends at a listed file. One that leads out of the repo or to a denied name is listed too, and
/// reading it is refused with that reason. What git tracks and has not checked out, as outside a sparse checkout, is listed as
/// if it were there, and its text is git's.
#[derive(Debug)]
pub struct Repo {
    root: PathBuf,
    handle: Dir,
    rules: AccessRules,
    listing: Listing,
    objects: StoredObjects,
    snapshot: SnapshotFiles,
    cache: CacheUse,
    /// The git work tree of the files, observed since the repo was opened.
    checkout: Option<Checkout>,
}

impl Repo {
    /// Returns the root's real path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lists the files of the repo at `root`.
    pub fn open(root: &Path, options: RepoOptions<'_>) -> Result<Self, IntakeError> {
        let root = root::folder(root)?;
        let failed = |source| IntakeError::Read { path: root.clone(), source };
        let handle = Dir::open_ambient_dir(&root, ambient_authority()).map_err(failed)?;
        let state = links::repo_path(".contextpack");
        let excluded = options.excluded.iter().chain(options.snapshot).chain(&state);
        let rules = AccessRules { deny: options.deny.clone(), excluded: ExcludedFolders::new(excluded.cloned()) };
        let top = git::work_tree(&root)?;
        let inherited = top.map(|top| walk::inherited_rules(top, &root)).transpose().map_err(failed)?.flatten();
        // In a root that git ignores it may still track files, and so a cache.
        let ask_git = top.is_some();
        let in_git = inherited.is_some();
        let mut checkout = top.filter(|_| in_git).map(Checkout::observe).transpose()?.flatten();
        // A folder of cards may have more files than all the rest.
        let is_there = |folder: &&RepoPath| root.join(folder.as_str()).is_dir();
        let unlisted: Vec<RepoPath> = options.excluded.iter().filter(is_there).cloned().collect();
        // git takes about as long as the walk.
        let (found, mut entries) = std::thread::scope(|scope| {
            let ask = || git::entries(&root, &unlisted);
            // If no thread can be started, git is asked after the walk.
            let asking = ask_git.then(|| std::thread::Builder::new().spawn_scoped(scope, ask).ok());
            let found = walk::list(
                &root,
                &handle,
                (&rules.excluded, options.sources),
                &inherited.unwrap_or_else(InheritedRules::default),
            );
            let failed = |_| Err(GitUnavailable { why: "git could not be asked".to_owned(), absent: false });
            let answer = |asking: Option<std::thread::ScopedJoinHandle<'_, _>>| match asking {
                Some(asking) => asking.join().unwrap_or_else(failed),
                None => ask(),
            };
            (found, asking.map(answer))
        });
        if let (Some(checkout), Some(Ok(entries))) = (&mut checkout, &entries) {
            checkout.set_entries(entries, unlisted);
        }
        if let Some(Ok(own)) = &mut entries {
            let repos = options.sources.iter().filter(|folder| root.join(folder.as_str()).join(".git").exists());
            let found: Result<Vec<_>, _> = repos.map(|folder| git::entries_in(&root, folder)).collect();
            match found {
                Ok(found) => own.extend(found.concat()),
                Err(why) => entries = Some(Err(why)),
            }
        }
        let (cache, mut diagnostics) = state_folder::examine(entries.as_ref());
        if checkout.as_ref().is_some_and(Checkout::has_stale_lock) {
            diagnostics.push(stale_lock());
        }
        let mut found = found.map_err(failed)?;
        let mut snapshot = options.snapshot.map(|folder| SnapshotFiles::list(&root, folder)).unwrap_or_default();
        if let (Some(folder), Some(Ok(entries))) = (options.snapshot, &entries) {
            snapshot.add_stored(folder, git::index_entries(entries));
        }
        found.diagnostics.append(&mut diagnostics);
        found.diagnostics.append(&mut snapshot.diagnostics);
        found.unlisted.append(&mut snapshot.unlisted);
        let in_git = in_git && !top.is_some_and(git::is_without_index);
        let objects = StoredObjects::new(&root);
        let listed = ListedFolder { path: &root, handle: &handle, objects: &objects, rules: &rules };
        let attributes = Attributes::above(top.filter(|_| in_git), &root);
        let listing = Listing::join(listed, found, entries.filter(|_| in_git), attributes);
        Ok(Self { root, handle, rules, listing, objects, snapshot, cache, checkout })
    }

    /// Prepares another build of the same listing. Returns `false` if git changed something since, so that the repo has
    /// to be opened again.
    pub fn resume(&mut self) -> Result<bool, IntakeError> {
        self.checkout.as_mut().map_or(Ok(true), Checkout::resume)
    }

    /// Whether the cache and other state files of this working copy may be used: never those that came with the repo.
    pub fn cache_use(&self) -> CacheUse {
        self.cache
    }

    /// What could not be read or named when the repo was opened, sorted.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.listing.diagnostics
    }

    /// Every folder that may hold files that count, as a path from the root, whose own is empty; sorted.
    ///
    /// The folders of the snapshot are not among them.
    pub fn folders(&self) -> Vec<&str> {
        self.listing.folders()
    }

    /// Ends the process that reads git's objects, which is in the root, so that others may move it until the next build.
    pub fn close_objects(&self) {
        self.objects.close();
    }

    /// Whether [`Repo::open`] would give the same listing, if nothing happened since but to the `touched` paths, which are
    /// absolute: listed files may have other texts, but no name came or went, and no file changed that decides which
    /// names count. `false` if that is uncertain.
    pub fn is_current(&self, touched: &[PathBuf]) -> bool {
        touched.iter().all(|path| {
            let below = path.strip_prefix(&self.root).ok().and_then(Path::to_str).and_then(links::repo_path);
            let decides = |below: &RepoPath| {
                [".gitignore", ".gitattributes"].contains(&below.name())
                    || below.as_str().split('/').any(|part| part.eq_ignore_ascii_case(".git"))
            };
            let Some(below) = below.filter(|below| !decides(below)) else { return false };
            let metadata = path.symlink_metadata();
            let is_file = metadata.as_ref().is_ok_and(|metadata| metadata.is_file());
            let listed = self.has(&below) || self.snapshot.files.binary_search(&below).is_ok();
            match metadata {
                Ok(_) => is_file && listed && !self.listing.links.contains_key(&below),
                Err(error) => {
                    let absent = error.kind() == std::io::ErrorKind::NotFound;
                    absent && !listed && !self.listing.has_folder(&below)
                }
            }
        })
    }
}

fn stale_lock() -> Diagnostic {
    let message = "git's `index.lock` has been there for a while: a git command crashed, or changes files still";
    let help = "remove that file of the git repository if no git command runs, and build again";
    Diagnostic::new(Code::StaleLock, None, message).help(help)
}

impl SourceTree for Repo {
    fn files(&self) -> &[RepoPath] {
        &self.listing.files
    }

    fn special_files(&self) -> &[RepoPath] {
        &self.listing.special
    }

    fn unlisted(&self) -> &[Diagnostic] {
        &self.listing.unlisted_diagnostics
    }

    fn is_settled(&self) -> bool {
        let last_created = || {
            let folders = self.folders().into_iter().map(|folder| self.root.join(folder));
            let is_on_disk = |path: &&RepoPath| self.listing.stored(path).is_none() && !self.snapshot.is_stored(path);
            let files = self.files().iter().chain(&self.snapshot.files).filter(is_on_disk);
            let files = files.map(|path| self.root.join(path.as_str()));
            let mut last = None;
            for path in folders.chain(files) {
                last = last.max(Some(text::created(&path)?));
            }
            last
        };
        self.checkout.as_ref().is_none_or(|checkout| checkout.is_unchanged(&self.root, &last_created))
    }

    fn issues(&self) -> &[RepoPath] {
        &self.snapshot.files
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.snapshot.read(&self.handle, &self.objects, path)
    }

    /// Whether git tracks a listed file, and if it is a link what it leads to.
    ///
    /// Without a git repository, or before the first `git add` in it, every listed file counts as tracked; if git cannot
    /// read its repository, none does.
    fn tracked(&self, path: &RepoPath) -> bool {
        self.listing.is_tracked(path)
    }

    /// Returns the state of a listed file; `None` for a link, whose target is determined only when it is read, and for a file
    /// whose text depends on its attributes.
    fn state(&self, path: &RepoPath) -> Option<FileState> {
        let plain = self.has(path)
            && !self.listing.links.contains_key(path)
            && !self.rules.denies(path)
            && self.listing.refusal_above(path).is_none()
            && self.listing.attributes(path) == FileAttributes::default();
        let listed = plain || self.snapshot.files.binary_search(path).is_ok();
        listed.then(|| text::state(&self.root.join(path.as_str())))?
    }

    fn link_end(&self, path: &RepoPath) -> Option<&RepoPath> {
        self.listing.links.get(path)
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        let (real, has_ident) = self.real(path)?;
        let limit = text::size_limit(path.extension());
        let text = match self.listing.stored(&real) {
            Some(id) => self.objects.read(id, limit).and_then(text::decode)?,
            None => text::read(&self.handle, real.as_str(), limit)?,
        };
        if text::is_lfs_pointer(&text) {
            return Err(Refusal::GitLfs);
        }
        Ok(as_markdown(path, text::without_expanded_ids(text, has_ident)))
    }

    fn head(&self, path: &RepoPath) -> Option<String> {
        let (real, has_ident) = self.real(path).ok()?;
        let head = match self.listing.stored(&real) {
            Some(id) => text::head_of(&self.objects.read(id, u64::MAX).ok()?),
            None => text::head(&self.handle, real.as_str())?,
        };
        Some(text::without_expanded_ids(head, has_ident))
    }
}

impl Repo {
    /// Returns the path without links under which a file may be read, and whether git expands `$Id$` in it.
    fn real(&self, path: &RepoPath) -> Result<(RepoPath, bool), Refusal> {
        if self.rules.denies(path) {
            return Err(Refusal::Denied);
        }
        if let Some(refusal) = self.listing.refusal_above(path) {
            return Err(refusal.clone());
        }
        if self.listing.is_special(path) {
            return Err(no_file());
        }
        if !self.has(path) {
            let unlisted = || Refusal::Unreadable("the folder cannot be listed".to_owned());
            return Err(if self.listing.is_unlisted(path.as_str()) { unlisted() } else { Refusal::NotInRepo });
        }
        // A link is followed again: it may lead elsewhere by now.
        let real = match self.listing.links.contains_key(path) {
            true => self.listing.link_target(&self.rules, &self.listing.follow(&self.handle, path))?,
            false => path.clone(),
        };
        let attributes = self.listing.attributes(&real);
        if attributes.lfs.is_some() { Err(Refusal::GitLfs) } else { Ok((real, attributes.ident.is_some())) }
    }
}
