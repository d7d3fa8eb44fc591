//! Finds files of the state folder that git tracks although they belong to one working copy.

use super::links::repo_path;
use crate::git;
use crate::model::{Code, Diagnostic, Place, is_hidden};
use std::collections::BTreeMap;

const STATE: &str = ".contextpack";
/// The names in it that belong to one working copy: they may only hold what was written there.
const LOCAL_NAMES: [&str; 6] = ["cache", "tmp", "now.md", "delivered", "pages", "sessions"];

/// Whether state files, such as the cache, may be read and written. All that reads them asks for this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUse {
    /// git does not track it, or there is no git repository.
    Free,
    /// git tracks it, or something in its place: it came with the repo.
    Tracked,
    /// git cannot say whether it tracks it.
    Unknown,
}

/// Returns whether state files may be used, by what git says of the index, if it was asked; and what to repair: one diagnostic
/// for each folder with tracked files.
pub(super) fn examine<E>(entries: Option<&Result<Vec<u8>, E>>) -> (CacheUse, Vec<Diagnostic>) {
    let entries = match entries {
        None => return (CacheUse::Free, Vec::new()),
        Some(Err(_)) => return (CacheUse::Unknown, Vec::new()),
        Some(Ok(entries)) => entries,
    };
    let mut found = BTreeMap::new();
    for path in git::index_entries(entries).filter_map(|entry| std::str::from_utf8(entry.path).ok()) {
        if let Some(name) = local_name(path) {
            found.entry(name).or_insert(path);
        }
    }
    let cache_use = if found.is_empty() { CacheUse::Free } else { CacheUse::Tracked };
    (cache_use, found.into_iter().map(|(name, path)| diagnostic(&name, path)).collect())
}

/// Returns the beginning of a path that names a local file or folder, if it has one.
///
/// Names are compared as some file systems read them: without regard to case, hidden characters, and dots and spaces at
/// their end. A link or a submodule in place of the whole state folder counts too.
fn local_name(path: &str) -> Option<String> {
    let mut parts = path.split('/');
    let state = parts.next().filter(|part| folded(part) == STATE)?;
    match parts.next() {
        None => Some(state.to_owned()),
        Some(part) => LOCAL_NAMES.contains(&&*folded(part)).then(|| format!("{state}/{part}")),
    }
}

fn folded(name: &str) -> String {
    let is_joiner = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
    let name: String = name.chars().filter(|c| !is_hidden(*c) && !is_joiner(*c)).flat_map(char::to_lowercase).collect();
    name.trim_end_matches(['.', ' ']).to_owned()
}

fn diagnostic(name: &str, path: &str) -> Diagnostic {
    let at = repo_path(path).map(Place::file);
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./-_".contains(&byte));
    let name = if plain { name } else { STATE };
    let message = format!("git tracks `{name}`, which belongs to one working copy alone; no cache was read or written");
    Diagnostic::new(Code::TrackedCache, at, message).help(format!("run `git rm -r --cached {name}`, and commit"))
}
