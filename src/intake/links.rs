//! Where a path really leads, link by link, without leaving the root.

use crate::model::RepoPath;
use cap_std::fs::Dir;
use std::path::Path;

/// More links than this in one path are a circle, as for the system itself.
const MOST_LINKS: usize = 40;

/// Where a path ends once every link is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// At a regular file; the path to it has no link.
    File(RepoPath),
    /// At a folder.
    Folder(RepoPath),
    /// At a name where nothing is, or nothing that can be looked at.
    Missing(RepoPath),
    /// Outside the root. An absolute link is outside wherever it points: elsewhere it points elsewhere.
    Outside,
    /// At something that is no file, or nowhere.
    Nothing,
}

/// Follows `path` from the root.
pub(super) fn follow(root: &Dir, path: &RepoPath) -> End {
    let mut rest: Vec<String> = parts(path.as_str());
    let mut real: Vec<String> = Vec::new();
    let mut is_file = false;
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                if real.pop().is_none() {
                    return End::Outside;
                }
                is_file = false;
                continue;
            }
            _ => real.push(part),
        }
        let here = real.join("/");
        let Ok(metadata) = root.symlink_metadata(&here) else {
            return missing(here, rest);
        };
        is_file = metadata.is_file();
        if metadata.is_symlink() {
            links += 1;
            let Ok(target) = root.read_link_contents(&here) else {
                return End::Nothing;
            };
            if leads_away(&target) {
                return End::Outside;
            }
            let Some(target) = target.to_str().filter(|_| links <= MOST_LINKS) else {
                return End::Nothing;
            };
            real.pop();
            rest.extend(parts(&with_slashes(target)));
        } else if !metadata.is_file() && !metadata.is_dir() {
            return End::Nothing;
        }
    }
    match (named(&real.join("/")), is_file) {
        (Some(path), true) => End::File(path),
        (Some(path), false) => End::Folder(path),
        (None, _) => End::Outside,
    }
}

/// The parts of a path, the first one last.
fn parts(path: &str) -> Vec<String> {
    path.split('/').rev().map(str::to_owned).collect()
}

fn missing(mut here: String, rest: Vec<String>) -> End {
    for part in rest.into_iter().rev() {
        here.push('/');
        here.push_str(&part);
    }
    named(&here).map_or(End::Outside, End::Missing)
}

/// A path of names on disk: `~x` and `c:x` are names here, not other places.
pub(super) fn named(path: &str) -> Option<RepoPath> {
    RepoPath::new(&format!("./{path}")).ok()
}

fn leads_away(target: &Path) -> bool {
    target.has_root()
        || target.is_absolute()
        || target.components().any(|part| matches!(part, std::path::Component::Prefix(_)))
}

#[cfg(windows)]
fn with_slashes(target: &str) -> String {
    target.replace('\\', "/")
}

#[cfg(not(windows))]
fn with_slashes(target: &str) -> String {
    target.to_owned()
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_their_end_and_never_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/b/x.md"), "x").unwrap();
        symlink("b/x.md", at("a/one")).unwrap();
        symlink("../a/one", at("a/two")).unwrap();
        symlink("a/b", at("dir")).unwrap();
        symlink("../../x", at("a/out")).unwrap();
        symlink("/etc/passwd", at("abs")).unwrap();
        symlink(at("a/b/x.md"), at("abs_inside")).unwrap();
        symlink("loop2", at("loop1")).unwrap();
        symlink("loop1", at("loop2")).unwrap();
        symlink("a/.env", at("gone")).unwrap();
        let root = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
        let end = |path: &str| follow(&root, &RepoPath::new(path).unwrap());
        let path = |path: &str| RepoPath::new(path).unwrap();
        assert_eq!(end("a/b/x.md"), End::File(path("a/b/x.md")));
        assert_eq!(end("a/two"), End::File(path("a/b/x.md")));
        assert_eq!(end("dir/x.md"), End::File(path("a/b/x.md")));
        assert_eq!(end("dir"), End::Folder(path("a/b")));
        assert_eq!(end("gone"), End::Missing(path("a/.env")));
        assert_eq!(end("dir/no/y"), End::Missing(path("a/b/no/y")));
        for outside in ["a/out", "abs", "abs_inside", "abs/x"] {
            assert_eq!(end(outside), End::Outside, "{outside}");
        }
        assert_eq!(end("loop1"), End::Nothing);
    }
}
