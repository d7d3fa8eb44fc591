//! Finds the root of a repo and reads its configuration.

use super::error::IntakeError;
use super::{Repo, links, text};
use crate::git::{self, Git, StoredObjects};
use crate::model::{Refusal, if_present};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The names of the configuration; at most one of them may exist.
pub(super) const CONFIG_NAMES: [&str; 2] = ["contextpack.yml", "contextpack.yaml"];

impl Repo {
    /// Finds the root of the repo that holds `start`: the nearest folder upwards with a configuration or `.git`, else `start`.
    /// The search ends at the top of the git work tree: a configuration further up is not about this repo.
    pub fn find_root(start: &Path) -> Result<PathBuf, IntakeError> {
        let start = folder(start)?;
        let top = git::work_tree(&start)?;
        for dir in start.ancestors() {
            for name in CONFIG_NAMES {
                if is_file(&dir.join(name))? {
                    return Ok(dir.to_owned());
                }
            }
            if Some(dir) == top {
                return Ok(dir.to_owned());
            }
        }
        Ok(start)
    }

    /// Returns the configuration's name as shown to the user and its text: `explicit`, else `contextpack.yml` or
    /// `contextpack.yaml` at the root, else `None`.
    pub fn read_config(root: &Path, explicit: Option<&Path>) -> Result<Option<(String, String)>, IntakeError> {
        if let Some(path) = explicit {
            let mut options = OpenOptions::new();
            options.read(true);
            cap_fs_ext::OpenOptionsSyncExt::nonblock(&mut options, true);
            let file = File::open_ambient_with(path, &options, ambient_authority());
            return file.map_err(|source| failed(path, source)).and_then(|file| {
                Ok(Some((path.display().to_string(), checked(path, text::read_open(file, text::size_limit("")))?)))
            });
        }
        let dir = Dir::open_ambient_dir(root, ambient_authority()).map_err(|source| failed(root, source))?;
        refuse_other_spellings(root, &dir)?;
        let mut present = Vec::new();
        for name in CONFIG_NAMES {
            let found = if_present(dir.symlink_metadata(name)).map_err(|source| failed(&root.join(name), source))?;
            present.extend(found.map(|_| name));
        }
        match present[..] {
            [] => stored_config(root),
            [name] => {
                let path = root.join(name);
                let read =
                    match links::repo_path(name).map(|name| links::follow(&dir, &links::IndexOnly::default(), &name)) {
                        Some(links::LinkEnd::File(real)) => text::read(&dir, real.as_str(), text::size_limit("")),
                        Some(links::LinkEnd::Outside) => Err(Refusal::Outside),
                        Some(links::LinkEnd::Unreadable(_, why)) => Err(Refusal::Unreadable(why)),
                        _ => Err(Refusal::Binary),
                    };
                let text = checked(&path, read)?;
                Ok(Some((name.to_owned(), text)))
            }
            _ => Err(IntakeError::TwoConfigs { path: root.to_owned() }),
        }
    }
}

pub(super) fn folder(path: &Path) -> Result<PathBuf, IntakeError> {
    let real = fs::canonicalize(path).map_err(|source| IntakeError::Read { path: path.to_owned(), source })?;
    if real.is_dir() { Ok(real) } else { Err(IntakeError::NotAFolder { path: path.to_owned() }) }
}

fn is_file(path: &Path) -> Result<bool, IntakeError> {
    let found = if_present(path.metadata()).map_err(|source| failed(path, source))?;
    Ok(found.is_some_and(|metadata| metadata.is_file()))
}

/// Refuses a file that only systems that ignore case take for the configuration: the same files would give other packs there.
fn refuse_other_spellings(root: &Path, dir: &Dir) -> Result<(), IntakeError> {
    let entries = dir.entries().map_err(|source| failed(root, source))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| !CONFIG_NAMES.contains(&name.as_str())) {
        if CONFIG_NAMES.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
            return Err(IntakeError::ConfigSpelling { name });
        }
    }
    Ok(())
}

/// Returns the name and the text of the configuration if a sparse checkout leaves it out: it is not absent.
fn stored_config(root: &Path) -> Result<Option<(String, String)>, IntakeError> {
    if !git::is_sparse(root) {
        return Ok(None);
    }
    let arguments = [&["ls-files", "-z", "-t", "--stage", "--"][..], &CONFIG_NAMES].concat();
    let entries = Git::isolated(root, &arguments).bytes().map_err(|error| failed(root, io::Error::other(error)))?;
    let Some(entry) = git::index_entries(&entries).find(|entry| entry.skips_worktree) else { return Ok(None) };
    let name = String::from_utf8_lossy(entry.path).into_owned();
    let read = StoredObjects::new(root).read(entry.id, text::size_limit("")).and_then(text::decode);
    let text = checked(&root.join(&name), read)?;
    Ok(Some((name, text)))
}

fn failed(path: &Path, source: io::Error) -> IntakeError {
    IntakeError::Read { path: path.to_owned(), source }
}

fn checked(path: &Path, read: Result<String, Refusal>) -> Result<String, IntakeError> {
    read.map_err(|refusal| match refusal {
        Refusal::Unreadable(why) => failed(path, io::Error::other(why)),
        Refusal::NotInRepo | Refusal::Denied => unusable(path, &Refusal::Outside),
        refusal => unusable(path, &refusal),
    })
}

fn unusable(path: &Path, refusal: &Refusal) -> IntakeError {
    IntakeError::Unusable { path: path.to_owned(), reason: refusal.to_string() }
}
