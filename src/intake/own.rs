//! What git tracks of the state folder although it belongs to one working copy alone.

use super::links::named;
use crate::model::{Code, Diagnostic, Place, is_hidden};
use std::collections::BTreeMap;

/// The state folder, and what in it is never an input of others: it may only hold what was written here.
const STATE: &str = ".contextpack";
const OWN: [&str; 3] = ["cache", "tmp", "now.md"];

/// Whether the cache may be read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUse {
    /// Git does not track it, or there is no git repository.
    Free,
    /// Git tracks it, or something in its place: it came with the repo.
    Tracked,
    /// Git cannot say whether it tracks it.
    Unknown,
}

/// Finds what git tracks of it among the `tracked` paths, as git writes them: one diagnostic for each folder.
pub(super) fn tracked<'a>(tracked: impl Iterator<Item = &'a [u8]>) -> Vec<Diagnostic> {
    let mut found = BTreeMap::new();
    for path in tracked {
        let Ok(path) = std::str::from_utf8(path) else { continue };
        if let Some(own) = own(path) {
            found.entry(own).or_insert(path);
        }
    }
    found.into_iter().map(|(own, path)| diagnostic(&own, path)).collect()
}

/// The part of a path that names what belongs to one working copy, if it leads there.
///
/// Names count as some file systems read them: without regard to case, hidden characters, and dots and spaces at
/// their end. What is tracked in place of the whole state folder, such as a link or a submodule, counts too.
fn own(path: &str) -> Option<String> {
    let mut parts = path.split('/');
    let state = parts.next().filter(|part| folded(part) == STATE)?;
    match parts.next() {
        None => Some(state.to_owned()),
        Some(part) => OWN.contains(&&*folded(part)).then(|| format!("{state}/{part}")),
    }
}

fn folded(name: &str) -> String {
    let is_joiner = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
    let name: String = name.chars().filter(|c| !is_hidden(*c) && !is_joiner(*c)).flat_map(char::to_lowercase).collect();
    name.trim_end_matches(['.', ' ']).to_owned()
}

fn diagnostic(own: &str, path: &str) -> Diagnostic {
    let at = named(path).map(Place::file);
    let plain = own.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./".contains(&byte));
    let own = if plain { own } else { STATE };
    Diagnostic::new(
        Code::TrackedCache,
        at,
        format!("git tracks `{own}`, which belongs to one working copy alone; no cache was read or written"),
    )
    .help(format!("run `git rm -r --cached {own}`, and commit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_file_system_may_take_for_the_cache_counts_and_nothing_else() {
        for path in [
            ".contextpack/cache/packs",
            ".contextpack/cache",
            ".contextpack",
            ".ContextPack/CACHE/texts",
            ".contextpac\u{212a}/cache/x",
            ".context\u{200c}pack/cache/x",
            ".contextpack./cache . /x",
            ".contextpack/tmp/.contextpack-00000000000000000000000000000000.tmp",
            ".contextpack/now.md",
        ] {
            assert!(own(path).is_some(), "{path}");
        }
        for path in [
            ".contextpack/.gitignore",
            ".contextpack/github/o/r/1.json",
            ".contextpack/packs/x.coding.json",
            ".contextpack/cache2/x",
            "docs/.contextpack/cache/x",
            "contextpack/cache/x",
        ] {
            assert_eq!(own(path), None, "{path}");
        }
    }

    #[test]
    fn each_folder_is_told_once_with_the_command_that_mends_it() {
        let paths = [".contextpack/cache/a", ".contextpack/cache/b", ".contextpack/now.md"];
        let found = tracked(paths.iter().map(|path| path.as_bytes()));
        let helps: Vec<&str> = found.iter().filter_map(|it| it.help.as_deref()).collect();
        assert_eq!(
            helps,
            [
                "run `git rm -r --cached .contextpack/cache`, and commit",
                "run `git rm -r --cached .contextpack/now.md`, and commit",
            ]
        );
    }
}
