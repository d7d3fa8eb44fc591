//! Output folders, the state folder and the files of the cache, on a real disk.

use contextpack::StoreError;
use contextpack::internals::model::RepoPath;
use contextpack::internals::store::{
    Access, CacheFolder, CacheUnavailable, Folder, SealedContent, WriteResult, init_state_dir, sweep_state,
};
use std::fs;
use std::path::{Path, PathBuf};

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
fn the_first_write_creates_the_folder_and_equal_bytes_are_not_written_again() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    assert_eq!((packs.list().unwrap(), packs.read("a.json").unwrap()), (vec![], None));
    assert!(!packs.remove("a.json").unwrap());
    assert!(!root.path().join("out").exists(), "looking creates nothing");
    assert_eq!(packs.write("a.json", b"one").unwrap(), WriteResult::Written);
    let stamp = || fs::metadata(root.path().join("out/packs/a.json")).unwrap().modified().unwrap();
    let before = stamp();
    assert_eq!(packs.write("a.json", b"one").unwrap(), WriteResult::Unchanged);
    assert_eq!(stamp(), before);
    assert_eq!(packs.write("a.json", b"two").unwrap(), WriteResult::Written);
    assert_eq!(folder(root.path()).read("a.json").unwrap(), Some(b"two".to_vec()));
    assert_eq!(names(&root.path().join("out/packs")), ["a.json"]);
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
fn missing_files_count_as_synced() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    packs.sync(&["a.json"]).unwrap();
    packs.write("a.json", b"{}").unwrap();
    packs.sync(&["a.json", "b.json"]).unwrap();
    assert!(matches!(packs.sync(&["../a.json"]), Err(StoreError::Name { .. })));
}

/// A name as unfinished files have it.
fn unfinished(n: usize) -> String {
    format!(".contextpack-{n:032x}.tmp")
}

#[test]
fn an_unfinished_file_is_removed_once_its_process_is_gone() {
    let root = tempfile::tempdir().unwrap();
    let (dir, name) = (root.path().join("out/packs"), unfinished(2));
    fs::create_dir_all(dir.join(unfinished(4))).unwrap();
    fs::write(dir.join(&name), "").unwrap();
    let living = fs::File::options().write(true).open(dir.join(&name)).unwrap();
    living.lock().unwrap();
    folder(root.path()).sweep(&|_| false);
    assert_eq!(names(&dir), [name, unfinished(4)], "one is being written, and one is a folder");
    drop(living);
    folder(root.path()).sweep(&|_| false);
    assert_eq!(names(&dir), [unfinished(4)]);
}

#[test]
fn unfinished_files_are_in_the_state_folder_where_git_ignores_them() {
    let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    folder(root.path()).write("a.json", b"{}").unwrap();
    assert_eq!(names(&root.path().join(".contextpack/tmp")), [".gitignore"]);
    for (out, staged) in [(root.path().join("packs"), true), (elsewhere.path().join("packs"), false)] {
        fs::remove_dir_all(root.path().join(".contextpack")).unwrap();
        let out = Folder::open_anywhere(&out).unwrap().staged_at(root.path()).unwrap();
        out.write("a.json", b"{}").unwrap();
        assert_eq!(root.path().join(".contextpack/tmp").exists(), staged);
        fs::create_dir_all(root.path().join(".contextpack")).unwrap();
    }
    // Where something else is in its place, they are beside the file.
    fs::remove_dir_all(root.path().join(".contextpack")).unwrap();
    fs::write(root.path().join(".contextpack"), "").unwrap();
    folder(root.path()).write("b.json", b"{}").unwrap();
    assert_eq!(names(&root.path().join("out/packs")), ["a.json", "b.json"]);
}

#[test]
fn a_write_and_a_sweep_do_not_interfere() {
    let root = tempfile::tempdir().unwrap();
    let packs = folder(root.path());
    rayon::scope(|scope| {
        for number in 0..200 {
            let packs = &packs;
            let root = root.path();
            scope.spawn(move |_| {
                packs.write(&format!("{}.json", number % 8), number.to_string().repeat(999).as_bytes()).unwrap();
                sweep_state(root, &|_| false);
            });
        }
    });
    assert_eq!(names(&root.path().join("out/packs")).len(), 8);
    assert_eq!(names(&root.path().join(".contextpack/tmp")), [".gitignore"]);
    let whole = String::from_utf8(packs.read("0.json").unwrap().unwrap()).unwrap();
    assert!((0..25).any(|turn: u32| whole == (turn * 8).to_string().repeat(999)));
}

mod cache {
    use super::*;

    /// A repo, and beside it the user's folder for caches.
    fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let (repo, caches) = (dir.path().join("repo"), dir.path().join("home/.cache"));
        fs::create_dir_all(&repo).unwrap();
        fs::create_dir_all(caches.parent().unwrap()).unwrap();
        (dir, repo, caches)
    }

    fn open(repo: &Path, caches: &Path) -> CacheFolder {
        CacheFolder::open(repo, caches, Access::Write).unwrap().unwrap()
    }

    /// Copies the files of the cache of one repo to another.
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to.join(".contextpack/cache")).unwrap();
        for name in names(&from.join(".contextpack/cache")) {
            fs::copy(from.join(".contextpack/cache").join(&name), to.join(".contextpack/cache").join(name)).unwrap();
        }
    }

    #[test]
    fn only_a_whole_file_of_this_program_user_and_name_is_opened() {
        let (_dir, repo, caches) = place();
        let cache = open(&repo, &caches);
        assert_eq!(cache.read("packs", "p"), SealedContent::Missing);
        cache.write("packs", "p", b"payload").unwrap();
        assert_eq!(cache.read("packs", "p"), SealedContent::Whole(b"payload".to_vec()));
        assert_eq!(cache.read("packs", "p 2"), SealedContent::Foreign);
        let path = repo.join(".contextpack/cache/packs");
        let bytes = fs::read(&path).unwrap();
        fs::write(repo.join(".contextpack/cache/texts"), &bytes).unwrap();
        assert_eq!(cache.read("texts", "p"), SealedContent::Forged, "another name");
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(cache.read("packs", "p"), SealedContent::Forged, "{length}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            fs::write(&path, flipped).unwrap();
            assert_eq!(cache.read("packs", "p"), SealedContent::Forged, "{at}");
        }
        fs::write(&path, &bytes).unwrap();
        assert_eq!(open(&repo, &caches).read("packs", "p"), SealedContent::Whole(b"payload".to_vec()));
    }

    #[test]
    fn a_cache_of_another_copy_or_user_does_not_open() {
        let (dir, repo, caches) = place();
        open(&repo, &caches).write("packs", "p", b"payload").unwrap();
        let other = dir.path().join("other");
        fs::create_dir_all(&other).unwrap();
        copy(&repo, &other);
        assert_eq!(open(&other, &caches).read("packs", "p"), SealedContent::Forged, "another path");
        // Another folder at the same path.
        fs::rename(&repo, dir.path().join("moved")).unwrap();
        fs::create_dir(&repo).unwrap();
        copy(&other, &repo);
        assert_eq!(open(&repo, &caches).read("packs", "p"), SealedContent::Forged, "another folder");
        let (_dir, _, others) = place();
        let moved = dir.path().join("moved");
        assert_eq!(open(&moved, &others).read("packs", "p"), SealedContent::Forged, "another user");
    }

    #[test]
    fn a_cache_in_memory_and_one_to_read_write_nothing() {
        let (_dir, repo, caches) = place();
        assert!(CacheFolder::open(&repo, &caches, Access::Read).unwrap().is_none());
        let cache = CacheFolder::in_memory().unwrap();
        cache.write("packs", "p", b"").unwrap();
        assert_eq!(cache.read("packs", "p"), SealedContent::Missing);
        assert!(names(&repo).is_empty() && !caches.exists());
    }

    #[test]
    fn a_key_in_the_repo_is_none() {
        let (dir, repo, _) = place();
        fs::create_dir_all(repo.join("sub/home")).unwrap();
        let refused = |root: &Path, caches: &Path| CacheFolder::open(root, caches, Access::Write);
        assert!(matches!(refused(&repo, &repo.join("home")), Err(CacheUnavailable::InRepo { .. })));
        assert!(matches!(refused(&repo, Path::new("home")), Err(CacheUnavailable::NoFolder)));
        // Of a folder of the work tree too, and of a submodule.
        fs::create_dir(repo.join(".git")).unwrap();
        fs::write(repo.join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert!(matches!(refused(&repo.join("sub"), &repo.join("home")), Err(CacheUnavailable::InRepo { .. })));
        // A repository around it that has nothing to do with it does no harm.
        fs::create_dir(dir.path().join(".git")).unwrap();
        fs::create_dir_all(dir.path().join("home")).unwrap();
        assert!(refused(&repo, &dir.path().join("home")).is_ok());
        // No home is made for the key.
        assert!(matches!(refused(&repo, &dir.path().join("no/home/.cache")), Err(CacheUnavailable::Key { .. })));
        assert!(!dir.path().join("no").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_or_that_a_link_leads_to_is_none() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let (dir, repo, caches) = place();
        open(&repo, &caches);
        let key = caches.join("contextpack/key");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&caches.join("contextpack")), mode(&key)), (0o700, 0o600));
        let chmod = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let refused =
            || matches!(CacheFolder::open(&repo, &caches, Access::Write), Err(CacheUnavailable::NotPrivate { .. }));
        chmod(&key, 0o640);
        assert!(refused());
        chmod(&key, 0o600);
        chmod(&caches.join("contextpack"), 0o755);
        assert!(refused());
        chmod(&caches.join("contextpack"), 0o700);
        assert!(!refused());
        // A short key, such as of a process that was killed, is made anew.
        fs::write(&key, "short").unwrap();
        open(&repo, &caches);
        assert_eq!(fs::read(&key).unwrap().len(), 32);
        // Links: to the key, to its folder, and on the way by the repo.
        let real = dir.path().join("real");
        fs::rename(&key, &real).unwrap();
        symlink(&real, &key).unwrap();
        open(&repo, &caches);
        assert!(fs::symlink_metadata(&key).unwrap().is_file() && fs::read(&real).unwrap() != fs::read(&key).unwrap());
        fs::rename(caches.join("contextpack"), repo.join("planted")).unwrap();
        symlink(repo.join("planted"), caches.join("contextpack")).unwrap();
        assert!(matches!(CacheFolder::open(&repo, &caches, Access::Write), Err(CacheUnavailable::InRepo { .. })));
        symlink(&caches, repo.join("out")).unwrap();
        assert!(matches!(
            CacheFolder::open(&repo, &repo.join("out"), Access::Read),
            Err(CacheUnavailable::InRepo { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_planted_in_place_of_the_cache_is_neither_followed_nor_waited_for() {
        let (dir, repo, caches) = place();
        let cache = open(&repo, &caches);
        cache.write("packs", "p", b"payload").unwrap();
        let path = repo.join(".contextpack/cache/packs");
        let elsewhere = dir.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.read("packs", "p"), SealedContent::Missing, "a link");
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(cache.read("packs", "p"), SealedContent::Missing, "a pipe");
        fs::remove_file(&path).unwrap();
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(cache.read("packs", "p"), SealedContent::Missing, "more than a cache ever is");
        cache.write("packs", "p", b"payload").unwrap();
        assert_eq!(cache.read("packs", "p"), SealedContent::Whole(b"payload".to_vec()));
    }
}

#[test]
fn a_file_at_the_path_of_the_folder_is_an_error_with_its_path() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("out"), "").unwrap();
    let error = Folder::open(root.path(), &RepoPath::new("out/packs").unwrap()).unwrap_err();
    assert!(matches!(&error, StoreError::NotAFolder { path } if path.ends_with("out")), "{error}");
    assert!(matches!(Folder::open_anywhere(&root.path().join("out")), Err(StoreError::NotAFolder { .. })));
}

#[test]
fn a_folder_at_the_path_of_a_pack_is_an_error_and_nothing_is_left_behind() {
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
        assert_eq!(packs.write("a.json", b"{}").unwrap(), WriteResult::Written, "though the target has these bytes");
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
        assert_eq!(packs.write("a.json", b"").unwrap(), WriteResult::Written);
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
    assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Written);
    assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Unchanged);
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
    assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Written, "the configuration changed");
}

#[test]
fn an_ignore_file_that_hides_too_little_is_repaired() {
    let fresh = tempfile::tempdir().unwrap();
    init_state_dir(fresh.path(), true).unwrap();
    let text = fs::read_to_string(fresh.path().join(".contextpack/.gitignore")).unwrap();
    let before = format!("{text}!*\n");
    for (old, kept) in [
        ("cache/\n", "cache/\n"),
        ("# mine\n!notes.md", "# mine\n!notes.md\n"),
        (&before, "!*\n"),
        ("*\n!now.md\n", "*\n!now.md\n"),
    ] {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".contextpack/.gitignore");
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, old).unwrap();
        assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Written);
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{kept}{text}"));
        assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Unchanged);
    }
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(".contextpack")).unwrap();
    fs::write(root.path().join(".contextpack/.gitignore"), "*\n").unwrap();
    assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Unchanged, "it hides even more");
    #[cfg(unix)]
    {
        // Git does not read a link.
        let path = root.path().join(".contextpack/.gitignore");
        fs::rename(&path, root.path().join("other")).unwrap();
        std::os::unix::fs::symlink("../other", &path).unwrap();
        assert_eq!(init_state_dir(root.path(), true).unwrap(), WriteResult::Written);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(fs::read_to_string(root.path().join("other")).unwrap(), "*\n");
    }
}

#[test]
fn a_folder_that_the_user_names_lies_neither_in_git_nor_in_github() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path);
    for dir in [".git/hooks", ".github/workflows", "packs", "x/.github"] {
        fs::create_dir_all(at(dir)).unwrap();
    }
    let open = |path: &Path| Folder::open_anywhere(path).unwrap().staged_at(root.path());
    for refused in
        [".git", ".git/hooks", "x/.GIT/y", "x/git~1", ".github", ".github/workflows", ".github/x/y", "packs/../.git/x"]
    {
        assert!(matches!(open(&at(refused)), Err(StoreError::Reserved { .. })), "{refused}");
    }
    for fine in ["packs", "new/deep", "git", ".gitignored", "out.git"] {
        open(&at(fine)).unwrap();
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(".git/hooks", at("link")).unwrap();
        assert!(matches!(open(&at("link")), Err(StoreError::Reserved { .. })));
        assert!(matches!(open(&at("link/new")), Err(StoreError::Reserved { .. })));
    }
    // Where the repo itself lies is nobody's choice.
    let inner = at(".git/inner");
    fs::create_dir_all(&inner).unwrap();
    Folder::open_anywhere(&inner.join("packs")).unwrap().staged_at(&inner).unwrap();
}
