//! The two sides of a diff: files, folders, or the packs of a revision.

use crate::cli::args::{DiffArgs, Global};
use crate::cli::input;
use crate::cli::workspace::{configuration, from_here, open};
use crate::config::Settings;
use crate::console::without_secrets;
use crate::console::{self, Failure, PathFailure, printable};
use crate::engine::pack_file_name;
use crate::git::{GitObject, History, HistoryError, is_head, merge_base};
use crate::model::slug;
use crate::store::{Folder, LARGEST_SET};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(super) struct Sides {
    pub(super) old: Side,
    pub(super) new: Side,
}

/// Packs by file name. A single pack has an empty name, so that packs of different names can be compared.
#[derive(Default)]
pub(super) struct Side {
    pub(super) packs: BTreeMap<String, Vec<u8>>,
    /// Whether the side is a single file.
    pub(super) single: bool,
    place: String,
    revision: Option<String>,
    on_disk: Option<PathBuf>,
}

impl Side {
    fn new(place: &str, read: GitObject) -> Self {
        let (packs, single) = match read {
            GitObject::File(bytes) => (BTreeMap::from([(String::new(), bytes)]), true),
            GitObject::Folder(packs) => (packs.into_iter().collect(), false),
        };
        Self { packs, single, place: place.to_owned(), ..Self::default() }
    }

    pub(super) fn shown(&self, file: &str) -> String {
        if self.single { self.place.clone() } else { format!("{}/{file}", self.place.trim_end_matches('/')) }
    }

    pub(super) fn named<'a>(&'a self, file: &'a str) -> &'a str {
        let file = if self.single { &self.place } else { file };
        file.rsplit(['/', ':']).next().unwrap_or(file)
    }

    pub(super) fn path(&self, file: &str) -> Option<PathBuf> {
        self.on_disk.as_ref().map(|place| if self.single { place.clone() } else { place.join(file) })
    }
}

impl Sides {
    pub(super) fn find(global: &Global, args: &DiffArgs) -> Result<Self, Failure> {
        let mut finder = RevisionResolver { global, repo: None, history: None, has_unknown: false };
        let found = Self::read(&mut finder, args);
        // A root is no revision, and its pack is what was meant.
        let hint = || [&args.old, &args.new].into_iter().flatten().find_map(|typed| hint_for_root(global, typed));
        match found.is_err() && finder.has_unknown {
            true => hint().map_or(found, |hint| Err(Failure::usage(hint))),
            false => found,
        }
    }

    fn read(finder: &mut RevisionResolver<'_>, args: &DiffArgs) -> Result<Self, Failure> {
        let (old, new) = match (args.old.as_deref(), args.new.as_deref()) {
            (Some(old), Some(new)) => (finder.side(old)?, finder.side(new)?),
            (Some(one), None) if Path::new(one).exists() => {
                let message = format!("`{one}` needs something to compare with: give another pack, folder or revision");
                return Err(Failure::usage(message));
            }
            (one, _) => {
                let one = one.unwrap_or("HEAD");
                let named = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
                if let Some((old, new)) = one.split_once("...") {
                    let (old, new) = (named(old), named(new));
                    let base = merge_base(&finder.repo()?.0, &old, &new).map_err(outside)?;
                    (finder.revision(&base)?, finder.revision(&new)?)
                } else if let Some((old, new)) = one.split_once("..") {
                    (finder.revision(&named(old))?, finder.revision(&named(new))?)
                } else {
                    (finder.revision(one)?, finder.checkout()?)
                }
            }
        };
        if args.rebuild
            && let Some(revision) = &new.revision
        {
            finder.confirm_checked_out(revision)?;
        }
        if old.single != new.single {
            return Err(Failure::usage("a pack is compared with a pack, and a folder with a folder"));
        }
        Ok(Self { old, new })
    }
}

/// The repo and its history, opened only if needed: to compare two files, neither is.
struct RevisionResolver<'a> {
    global: &'a Global,
    repo: Option<(PathBuf, Box<Settings>)>,
    history: Option<History>,
    /// Whether git did not know a revision.
    has_unknown: bool,
}

impl RevisionResolver<'_> {
    /// Reads a pack, a folder, standard input, `REV:path`, or a revision.
    fn side(&mut self, named: &str) -> Result<Side, Failure> {
        if named == "-" {
            return Ok(Side::new("-", GitObject::File(input::stdin()?)));
        }
        let path = Path::new(named);
        if path.exists() {
            let read = match path.is_dir() {
                true => GitObject::Folder(listed(&Folder::open_anywhere(path)?)?),
                false => GitObject::File(input::named_file(path)?),
            };
            return Ok(Side { on_disk: Some(path.to_owned()), ..Side::new(named, read) });
        }
        match named.split_once(':') {
            Some((revision, path)) => match self.object(revision, path)? {
                Some(read) => {
                    let place = if matches!(read, GitObject::File(_)) { named } else { path };
                    Ok(Side { revision: Some(revision.to_owned()), ..Side::new(place, read) })
                }
                None => Err(Failure::usage(format!("`{revision}` has no `{path}`"))),
            },
            None if named.ends_with(".json") => {
                let error = std::io::Error::from(std::io::ErrorKind::NotFound);
                Err(PathFailure::failure("read", named, error))
            }
            None => self.revision(named),
        }
    }

    /// Reads the packs of a revision; none if its folder of packs is missing.
    fn revision(&mut self, revision: &str) -> Result<Side, Failure> {
        let settings = &self.repo()?.1;
        let (dir, is_committed) = (settings.output.dir.as_str().to_owned(), settings.commits_packs());
        // Relative to the repo's root, which may be below the root of git.
        let read = match self.object(revision, &format!("./{dir}"))? {
            Some(read @ GitObject::Folder(_)) => read,
            Some(GitObject::File(_)) | None => {
                let why = if is_committed { "" } else { ": packs are not committed here, so that no revision has any" };
                if !self.global.quiet {
                    let line = format!("note: `{revision}` has no folder `{dir}`{why}");
                    writeln!(console::stderr(), "{}", printable(&line))?;
                }
                GitObject::Folder(Vec::new())
            }
        };
        Ok(Side { revision: Some(revision.to_owned()), ..Side::new(&dir, read) })
    }

    fn confirm_checked_out(&mut self, revision: &str) -> Result<(), Failure> {
        let root = &self.repo()?.0;
        if is_head(root, revision).map_err(outside)? {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "`--rebuild` builds from the files that are checked out, and `{revision}` is another commit: check it out first, or leave `--rebuild` out"
        )))
    }

    fn checkout(&mut self) -> Result<Side, Failure> {
        let (root, settings) = self.repo()?;
        let dir = &settings.output.dir;
        let packs = listed(&Folder::open(root, dir)?)?;
        let on_disk = Some(root.join(dir.as_str()));
        Ok(Side { on_disk, ..Side::new(dir.as_str(), GitObject::Folder(packs)) })
    }

    fn repo(&mut self) -> Result<&(PathBuf, Box<Settings>), Failure> {
        let repo = match self.repo.take() {
            Some(repo) => repo,
            None => configuration(self.global).map(|(root, configuration)| (root, Box::new(configuration.settings)))?,
        };
        Ok(self.repo.insert(repo))
    }

    fn object(&mut self, revision: &str, path: &str) -> Result<Option<GitObject>, Failure> {
        let history = match self.history.take() {
            Some(history) => history,
            None => History::open(&self.repo()?.0).map_err(outside)?,
        };
        let history = self.history.insert(history);
        let read = history.read(revision, path.trim_end_matches('/'), &is_pack_name);
        self.has_unknown |= matches!(read, Err(HistoryError::Unknown(_)));
        read.map_err(outside)
    }
}

/// Returns how to compare the pack of a root, if `typed` is one.
fn hint_for_root(global: &Global, typed: &str) -> Option<String> {
    let repository = open(global, &[], None).ok()?;
    let project = repository.project();
    let item = repository.find(&project, typed).ok()?;
    let profile = repository.configuration().profiles(&[]).ok()?.into_iter().next()?;
    let name = pack_file_name(&slug(&project.pack_name(item)), &profile, None);
    let pack = format!("{}/{name}", repository.settings().output.dir);
    // Below the root of git, a path of a revision is relative to the folder only with a dot.
    let dot = if repository.root().join(".git").exists() { "" } else { "./" };
    let typed = without_secrets(typed);
    Some(format!(
        "`{typed}` is a work item, not a revision: `contextpack diff HEAD:{dot}{pack} {}` compares its pack with that of the last commit",
        from_here(&pack)
    ))
}

fn is_pack_name(name: &str) -> bool {
    name.ends_with(".json") && !name.starts_with('.')
}

fn listed(folder: &Folder) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut packs = Vec::new();
    let mut total = 0;
    for name in folder.list()? {
        let read = match folder.read(&name) {
            // It is shown as no pack.
            Err(error) if error.is_too_large() => Some(Vec::new()),
            read => read?,
        };
        if let Some(bytes) = read {
            total += bytes.len() as u64;
            if total > LARGEST_SET {
                let error = std::io::Error::new(std::io::ErrorKind::FileTooLarge, "its packs have more than 1 GiB");
                return Err(PathFailure::failure("read", folder.path().display().to_string(), error));
            }
            packs.push((name, bytes));
        }
    }
    Ok(packs)
}

fn outside(error: HistoryError) -> Failure {
    match error {
        HistoryError::Unknown(_) | HistoryError::NoCommit | HistoryError::NoRepository => {
            Failure::usage(error.to_string())
        }
        error => Failure::Outside(Box::new(error)),
    }
}
