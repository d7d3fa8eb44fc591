//! The room as a whole, against real folders.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::model::RepoPath;
use std::fs;
use std::path::Path;

fn folder(root: &Path) -> Folder {
    Folder::open(root, &RepoPath::new("out/packs").unwrap()).unwrap()
}

/// Every name in a folder, hidden ones too.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_first_write_makes_the_folder_and_equal_bytes_are_not_written_again() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    assert_eq!((packs.list().unwrap(), packs.read("a.json").unwrap()), (vec![], None));
    assert!(!packs.remove("a.json").unwrap());
    assert!(!root.path().join("out").exists(), "looking creates nothing");
    assert_eq!(packs.write("a.json", b"one").unwrap(), Wrote::Written);
    let stamp = || fs::metadata(root.path().join("out/packs/a.json")).unwrap().modified().unwrap();
    let before = stamp();
    assert_eq!(packs.write("a.json", b"one").unwrap(), Wrote::Unchanged);
    assert_eq!(stamp(), before);
    assert_eq!(packs.write("a.json", b"two").unwrap(), Wrote::Written);
    assert_eq!(folder(root.path()).read("a.json").unwrap(), Some(b"two".to_vec()));
    assert_eq!(names(&root.path().join("out/packs")), ["a.json"]);
}

#[test]
fn packs_are_listed_by_bytes_and_nothing_else_is() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    for name in ["b.json", "a.json", "B.json", "notes.md"] {
        packs.write(name, b"{}").unwrap();
    }
    fs::create_dir(root.path().join("out/packs/dir.json")).unwrap();
    fs::write(root.path().join("out/packs/.hidden.json"), "").unwrap();
    assert_eq!(packs.list().unwrap(), ["B.json", "a.json", "b.json"]);
    assert!(packs.remove("a.json").unwrap());
    assert_eq!(packs.list().unwrap(), ["B.json", "b.json"]);
}

#[test]
fn a_name_cannot_leave_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    for name in ["", ".", "..", "../x.json", "a/b.json", "a\\b.json", ".hidden.json", "/x.json", "c:x.json"] {
        assert!(matches!(packs.write(name, b""), Err(StoreError::Name { .. })), "{name}");
        assert!(packs.read(name).is_err() && packs.remove(name).is_err(), "{name}");
    }
    assert!(names(root.path()).is_empty());
}

#[test]
fn threads_write_side_by_side_and_leave_nothing_unfinished() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    rayon::scope(|scope| {
        for number in 0..64 {
            let packs = &packs;
            scope.spawn(move |_| {
                packs.write(&format!("{}.json", number % 8), number.to_string().repeat(999).as_bytes()).unwrap();
            });
        }
    });
    assert_eq!(names(&root.path().join("out/packs")).len(), 8);
    let whole = String::from_utf8(packs.read("0.json").unwrap().unwrap()).unwrap();
    assert!((0..8).any(|turn: u32| whole == (turn * 8).to_string().repeat(999)));
}

#[test]
fn what_a_killed_process_left_is_swept_once_it_is_old() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("out/packs");
    fs::create_dir_all(&dir).unwrap();
    for name in [".contextpack-1-0.tmp", ".contextpack-2-0.tmp", ".other.tmp"] {
        fs::write(dir.join(name), "").unwrap();
    }
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    for name in [".contextpack-1-0.tmp", ".other.tmp"] {
        fs::File::options().write(true).open(dir.join(name)).unwrap().set_modified(old).unwrap();
    }
    folder(root.path()).write("a.json", b"{}").unwrap();
    assert_eq!(names(&dir), [".contextpack-2-0.tmp", ".other.tmp", "a.json"]);
}

#[test]
fn a_file_in_the_folders_place_is_an_error_with_its_path() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("out"), "").unwrap();
    let error = Folder::open(root.path(), &RepoPath::new("out/packs").unwrap()).unwrap_err();
    assert!(matches!(&error, StoreError::NotAFolder { path } if path.ends_with("out")), "{error}");
    assert!(matches!(Folder::open_anywhere(&root.path().join("out")), Err(StoreError::NotAFolder { .. })));
}

#[test]
fn a_folder_in_a_packs_place_is_an_error_and_nothing_is_left_behind() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    fs::create_dir_all(root.path().join("out/packs/a.json")).unwrap();
    let error = packs.write("a.json", b"{}").unwrap_err();
    assert!(matches!(&error, StoreError::NotAFile { path } if path.ends_with("a.json")), "{error}");
    assert_eq!(names(&root.path().join("out/packs")), ["a.json"]);
    assert_eq!(packs.read("a.json").unwrap(), None);
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_link_in_the_folders_place_is_an_error_before_and_during_a_build() {
        let root = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), root.path().join("out")).unwrap();
        let error = Folder::open(root.path(), &RepoPath::new("out/packs").unwrap()).unwrap_err();
        assert!(matches!(&error, StoreError::Link { path } if path.ends_with("out")), "{error}");
        fs::remove_file(root.path().join("out")).unwrap();
        let packs = folder(root.path());
        fs::create_dir(root.path().join("out")).unwrap();
        symlink(elsewhere.path(), root.path().join("out/packs")).unwrap();
        assert!(matches!(packs.write("a.json", b"{}"), Err(StoreError::Link { .. })));
        assert!(names(elsewhere.path()).is_empty());
    }

    #[test]
    fn a_link_in_a_packs_place_is_replaced_and_never_followed() {
        let root = tempfile::tempdir().unwrap();
        let victim = root.path().join("victim");
        fs::write(&victim, "{}").unwrap();
        let packs = folder(root.path());
        fs::create_dir_all(root.path().join("out/packs")).unwrap();
        let link = root.path().join("out/packs/a.json");
        symlink(&victim, &link).unwrap();
        assert_eq!((packs.read("a.json").unwrap(), packs.list().unwrap()), (None, vec![]));
        assert_eq!(packs.write("a.json", b"{}").unwrap(), Wrote::Written, "though the target has these bytes");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
        packs.write("a.json", b"new").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"{}");
        assert_eq!(fs::metadata(&link).unwrap().permissions().mode() & 0o133, 0);
    }

    #[test]
    fn a_pipe_in_a_packs_place_stops_nothing() {
        let root = tempfile::tempdir().unwrap();
        let packs = folder(root.path());
        fs::create_dir_all(root.path().join("out/packs")).unwrap();
        let pipe = root.path().join("out/packs/a.json");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(packs.read("a.json").unwrap(), None);
        assert_eq!(packs.write("a.json", b"").unwrap(), Wrote::Written);
    }

    #[test]
    fn a_folder_named_by_the_user_may_be_a_link() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("real")).unwrap();
        symlink("real", root.path().join("link")).unwrap();
        Folder::open_anywhere(&root.path().join("link")).unwrap().write("a.json", b"{}").unwrap();
        Folder::open_anywhere(&root.path().join("new/deep")).unwrap().write("a.json", b"{}").unwrap();
        assert!(root.path().join("real/a.json").is_file() && root.path().join("new/deep/a.json").is_file());
    }

    #[test]
    fn the_state_folder_is_never_a_link() {
        let root = tempfile::tempdir().unwrap();
        symlink("elsewhere", root.path().join(".contextpack")).unwrap();
        assert!(matches!(init_state_dir(root.path(), true), Err(StoreError::Link { .. })));
    }
}

#[test]
fn the_state_folder_hides_all_but_the_snapshot_from_git() {
    let root = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git").args(arguments).current_dir(root.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    assert_eq!(init_state_dir(root.path(), true).unwrap(), Wrote::Written);
    assert_eq!(init_state_dir(root.path(), false).unwrap(), Wrote::Unchanged, "never overwritten");
    for file in ["cache/a", "packs/x.json", "github/o/issues/1.json", "github/meta.json", "loose"] {
        let path = root.path().join(".contextpack").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let seen = git(&["ls-files", "--others", "--exclude-standard"]);
    let seen: Vec<&str> = seen.lines().collect();
    assert_eq!(
        seen,
        [".contextpack/.gitignore", ".contextpack/github/meta.json", ".contextpack/github/o/issues/1.json"]
    );
    fs::remove_file(root.path().join(".contextpack/.gitignore")).unwrap();
    init_state_dir(root.path(), false).unwrap();
    assert_eq!(git(&["ls-files", "--others", "--exclude-standard"]), ".contextpack/.gitignore\n");
}
