//! The names in a repo: what the walk found, joined with what git tracks, and where links lead.

use super::attributes::{Attributes, FileAttributes};
use super::links::{self, Found, IndexOnly, LinkEnd};
use super::text;
use super::walk::{self, ExcludedFolders, UnlistedEntry, WalkResult};
use crate::config::DenyList;
use crate::git::{self, GitUnavailable, IndexEntry, StoredObjects};
use crate::model::{Code, Diagnostic, Refusal, RepoPath, Severity, is_absent};
use cap_std::fs::Dir;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The names that are refused whether or not a file exists.
#[derive(Debug)]
pub(super) struct AccessRules {
    pub(super) deny: DenyList,
    pub(super) excluded: ExcludedFolders,
}

impl AccessRules {
    pub(super) fn denies(&self, path: &RepoPath) -> bool {
        self.deny.denies(path) || self.excluded.contains(path.as_str())
    }
}

/// The names in a repo when it was opened.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Every file and link that is listed, sorted.
    pub(super) files: Vec<RepoPath>,
    /// Special files (pipes, sockets, devices), links to them, and cyclic links; sorted.
    pub(super) special: Vec<RepoPath>,
    /// Listed links that end at a file, and that file.
    pub(super) links: BTreeMap<RepoPath, RepoPath>,
    folders: Vec<String>,
    /// Links whose end must not be read, and the reason, which holds for all paths below them too.
    refused_links: BTreeMap<String, Refusal>,
    index: TrackedFiles,
    index_only: IndexOnly,
    attributes: Attributes,
    /// Files and folders that exist and could not be listed or examined, as paths from the root.
    unlisted: Vec<String>,
    /// The diagnostics about those, and about git; sorted.
    pub(super) unlisted_diagnostics: Vec<Diagnostic>,
    /// All diagnostics about names, sorted; includes `unlisted_diagnostics`.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The largest target of a link, in bytes.
const MAX_TARGET: u64 = 4096;

/// The folder whose names are listed, and what belongs to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListedFolder<'a> {
    pub(super) path: &'a Path,
    pub(super) handle: &'a Dir,
    pub(super) objects: &'a StoredObjects,
    pub(super) rules: &'a AccessRules,
}

#[derive(Debug, Default)]
enum TrackedFiles {
    /// There is no git repository, or nothing was ever added to it: every file counts as tracked.
    #[default]
    NoGit,
    Unknown,
    Known(BTreeSet<RepoPath>),
}

impl Listing {
    /// Joins what the walk found with the `entries` of git's index; `None` if there is no git repository, or nothing was ever
    /// added to it. `attributes` are those of the folders above the root.
    pub(super) fn join(
        root: ListedFolder<'_>,
        found: WalkResult,
        entries: Option<Result<Vec<u8>, GitUnavailable>>,
        attributes: Attributes,
    ) -> Self {
        let WalkResult { files, mut links, special, folders, diagnostics, unlisted } = found;
        let mut listing = Self { files, special, folders, attributes, diagnostics, ..Self::default() };
        listing.files.sort_unstable();
        for entry in unlisted {
            listing.add_unlisted(entry);
        }
        match entries {
            None => {}
            Some(Err(unavailable)) => listing.set_git_unavailable(&unavailable),
            Some(Ok(entries)) => listing.add_tracked(root, &entries, &mut links),
        }
        listing.add_links(root.handle, root.rules, links);
        listing.add_attributes(root);
        listing.special.sort_unstable();
        listing.special.dedup();
        listing.unlisted_diagnostics.sort();
        listing.unlisted_diagnostics.dedup();
        listing.diagnostics.extend_from_slice(&listing.unlisted_diagnostics);
        listing.diagnostics.sort();
        listing.diagnostics.dedup();
        listing
    }

    fn add_unlisted(&mut self, entry: UnlistedEntry) {
        self.unlisted.push(entry.path);
        self.unlisted_diagnostics.push(entry.diagnostic);
    }

    fn set_git_unavailable(&mut self, unavailable: &GitUnavailable) {
        self.index = TrackedFiles::Unknown;
        let GitUnavailable { why, absent } = unavailable;
        if *absent {
            let message = format!("{why}; files that are tracked although git ignores them are left out");
            let help = "install git, or run `git status` here to see what is wrong";
            self.diagnostics.push(Diagnostic::new(Code::GitUnavailable, None, message).help(help));
        } else {
            let message = format!("{why}; which files it tracks is unknown, so no pack is built or removed");
            let help = "run `git status` here to see what is wrong, and build again";
            let diagnostic = Diagnostic::new(Code::GitUnavailable, None, message).help(help);
            self.unlisted_diagnostics.push(diagnostic.with_severity(Severity::Error));
        }
    }

    /// Adds the tracked files that the walk left out, because git ignores them or has not checked them out, and makes links
    /// of the files in whose place git tracks a link.
    fn add_tracked(&mut self, root: ListedFolder<'_>, entries: &[u8], links: &mut Vec<RepoPath>) {
        let mut tracked = BTreeSet::new();
        let (mut more, mut more_links, mut as_links) = (Vec::new(), Vec::new(), Vec::new());
        let mut missing_folder: Option<String> = None;
        links.sort_unstable();
        for entry in git::index_entries(entries) {
            let Ok(text) = std::str::from_utf8(entry.path) else {
                // If the file is there and not ignored, the walk reported it too: equal diagnostics become one.
                let shown = String::from_utf8_lossy(entry.path);
                let (folder, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
                self.diagnostics.push(walk::unusable_name(folder, name));
                continue;
            };
            let path = links::repo_path(text).filter(|path| !root.rules.excluded.contains(path.as_str()));
            let Some(path) = path else { continue };
            if self.has(&path) {
                if entry.is_link() {
                    as_links.push((path.clone(), entry));
                }
            } else if links.binary_search(&path).is_err() {
                let found = match &missing_folder {
                    Some(folder) if path.is_under(folder) => Ok(None),
                    _ => links::tracked(root.handle, &path),
                };
                match found {
                    Ok(Some(Found::Link(_))) => more_links.push(path.clone()),
                    Ok(Some(Found::File)) if entry.is_link() => as_links.push((path.clone(), entry)),
                    Ok(Some(Found::File)) => more.push(path.clone()),
                    Ok(Some(Found::Special)) => self.special.push(path.clone()),
                    Ok(None) if entry.skips_worktree => {
                        if entry.is_link() {
                            as_links.push((path.clone(), entry));
                        } else if entry.is_file() {
                            self.index_only.files.insert(path.to_string(), entry.id.into());
                            more.push(path.clone());
                        }
                        // Whole folders are missing outside a sparse checkout.
                        let folder = Some(path.dir()).filter(|folder| !folder.is_empty());
                        let is_missing =
                            |folder: &&str| root.handle.symlink_metadata(folder).is_err_and(|e| is_absent(&e));
                        missing_folder = folder.filter(is_missing).map(str::to_owned);
                    }
                    // Deleted, or a submodule's folder.
                    Ok(None | Some(Found::Folder)) => {}
                    // The folder is reported already.
                    Err(_) if self.is_unlisted(path.as_str()) => {}
                    Err(why) => {
                        let what = format!("`{path}` cannot be looked at: {why}");
                        self.add_unlisted(UnlistedEntry::new(path.as_str(), path.as_str(), &what));
                    }
                }
            }
            tracked.insert(path);
        }
        self.files.append(&mut more);
        self.set_index_links(root, as_links, &mut more_links);
        links.append(&mut more_links);
        self.index = TrackedFiles::Known(tracked);
    }

    /// Adds the links that git tracks to `links` where on disk is nothing, or the plain file that git writes where a clone
    /// has no links. Any other plain file replaced a link that the clone has.
    fn set_index_links(
        &mut self,
        root: ListedFolder<'_>,
        entries: Vec<(RepoPath, IndexEntry<'_>)>,
        links: &mut Vec<RepoPath>,
    ) {
        let mut without_links = None;
        for (path, entry) in entries {
            let on_disk = text::read_bytes(root.handle, path.as_str(), MAX_TARGET);
            let stored = root.objects.read(entry.id, MAX_TARGET);
            let is_link = entry.skips_worktree && on_disk == Err(Refusal::NotInRepo)
                || stored.is_ok() && stored == on_disk
                || *without_links.get_or_insert_with(|| git::is_without_links(root.path));
            match stored.or_else(|refusal| on_disk.map_err(|_| refusal)) {
                _ if !is_link => self.files.push(path),
                Ok(target) => {
                    let target = PathBuf::from(String::from_utf8_lossy(&target).into_owned());
                    self.index_only.links.insert(path.to_string(), target);
                    links.push(path);
                }
                Err(refusal) => {
                    self.refused_links.insert(path.to_string(), refusal);
                    self.files.push(path);
                }
            }
        }
        let Self { files, index_only, .. } = self;
        files.retain(|path| !index_only.links.contains_key(path.as_str()));
        files.sort_unstable();
        files.dedup();
    }

    fn add_attributes(&mut self, root: ListedFolder<'_>) {
        let files: Vec<RepoPath> = self.files.iter().filter(|path| path.name() == ".gitattributes").cloned().collect();
        for path in files {
            let limit = text::size_limit("");
            let read = match self.stored(&path) {
                // What a partial clone lacks is about files that it lacks too.
                Some(id) => root.objects.read(id, limit).map_err(|_| Refusal::NotInRepo),
                // git, too, follows no link here.
                None => text::read_bytes(root.handle, path.as_str(), limit),
            };
            match read {
                Ok(bytes) => {
                    let folder = path.as_str().strip_suffix(".gitattributes").unwrap_or_default();
                    self.attributes.add(folder, &bytes);
                }
                Err(Refusal::Unreadable(why)) => {
                    let what = format!("`{path}` cannot be read, so what git stores of files is unknown: {why}");
                    self.add_unlisted(UnlistedEntry::new(path.dir(), path.as_str(), &what));
                }
                Err(_) => {}
            }
        }
    }

    /// Adds the links that lead to listed files, and those that must not be read.
    fn add_links(&mut self, root: &Dir, rules: &AccessRules, mut links: Vec<RepoPath>) {
        links.sort_unstable();
        links.dedup();
        let mut listed = Vec::new();
        for link in links {
            let end = self.follow(root, &link);
            if end == LinkEnd::Special {
                self.special.push(link);
                continue;
            }
            match self.link_target(rules, &end) {
                Ok(real) => {
                    listed.push(link.clone());
                    self.links.insert(link, real);
                }
                Err(Refusal::NotInRepo) => {}
                Err(Refusal::Unreadable(why)) => {
                    let what = format!("`{link}` cannot be followed: {why}");
                    self.add_unlisted(UnlistedEntry::new(link.as_str(), link.as_str(), &what));
                }
                Err(refusal) => {
                    listed.push(link.clone());
                    self.refused_links.insert(link.to_string(), refusal);
                }
            }
        }
        self.files.append(&mut listed);
        self.files.sort_unstable();
    }

    /// Returns the file at the end of a link, if it may be read.
    pub(super) fn link_target(&self, rules: &AccessRules, end: &LinkEnd) -> Result<RepoPath, Refusal> {
        match end {
            LinkEnd::Outside => Err(Refusal::Outside),
            LinkEnd::File(real) | LinkEnd::Folder(real) | LinkEnd::Missing(real) | LinkEnd::Unreadable(real, _)
                if rules.denies(real) =>
            {
                Err(Refusal::Denied)
            }
            LinkEnd::Unreadable(_, why) => Err(Refusal::Unreadable(why.clone())),
            LinkEnd::Special => Err(no_file()),
            LinkEnd::File(real) if self.has(real) => Ok(real.clone()),
            _ => Err(Refusal::NotInRepo),
        }
    }

    pub(super) fn follow(&self, root: &Dir, link: &RepoPath) -> LinkEnd {
        links::follow(root, &self.index_only, link)
    }

    /// Returns the id of the content of a file that is not checked out.
    pub(super) fn stored(&self, path: &RepoPath) -> Option<&str> {
        self.index_only.files.get(path.as_str()).map(AsRef::as_ref)
    }

    pub(super) fn attributes(&self, path: &RepoPath) -> FileAttributes {
        self.attributes.of(path.as_str())
    }

    fn has(&self, path: &RepoPath) -> bool {
        self.files.binary_search(path).is_ok()
    }

    pub(super) fn is_special(&self, path: &RepoPath) -> bool {
        self.special.binary_search(path).is_ok()
    }

    /// Whether git tracks a listed path, and if it is a link the file at its end.
    pub(super) fn is_tracked(&self, path: &RepoPath) -> bool {
        match &self.index {
            TrackedFiles::NoGit => self.has(path) || self.is_special(path),
            TrackedFiles::Unknown => false,
            TrackedFiles::Known(tracked) => {
                tracked.contains(path)
                    && (self.has(path) || self.is_special(path))
                    && self.links.get(path).is_none_or(|real| tracked.contains(real))
            }
        }
    }

    /// Every folder that was walked or holds a listed file on disk, sorted. The root's path is empty.
    pub(super) fn folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        // git may track files of folders that it ignores.
        folders.extend(self.files.iter().filter(|path| self.stored(path).is_none()).map(RepoPath::dir));
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    pub(super) fn has_folder(&self, path: &RepoPath) -> bool {
        self.folders.iter().any(|folder| *folder == path.as_str())
    }

    /// Whether a path is one that could not be listed, or lies below one.
    pub(super) fn is_unlisted(&self, path: &str) -> bool {
        self.unlisted.iter().any(|unlisted| {
            let rest = path.strip_prefix(unlisted.as_str());
            rest.is_some_and(|rest| unlisted.is_empty() || rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Returns the refusal of `path` itself or of a folder above it, if one of them is a link that must not be read.
    pub(super) fn refusal_above(&self, path: &RepoPath) -> Option<&Refusal> {
        if self.refused_links.is_empty() {
            return None;
        }
        let path = path.as_str();
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.chain([path]).find_map(|path| self.refused_links.get(path))
    }
}

pub(super) fn no_file() -> Refusal {
    Refusal::Unreadable("it is no file but a pipe, a socket, a device or a link that leads in a circle".to_owned())
}
