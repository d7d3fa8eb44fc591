//! Caches and unfinished files that came with a repo, from elsewhere, or from a process that was killed.

use crate::cli::small;
use crate::sandbox::{Run, Sandbox, run};
use contextpack::internals::cache::{Cache, FileFingerprint};
use contextpack::internals::redact::Environment;
use contextpack::internals::store::{Access, CacheFolder};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const CACHE: &str = ".contextpack/cache";
const NAME: &str = "feat-cache.coding.json";
const PACK: &str = "packs/feat-cache.coding.json";

/// Commands that build, with how they end where the packs are right.
const BUILDING: [&[&str]; 9] = [
    &["build"],
    &["check"],
    &["list"],
    &["render", "feat:cache"],
    &["explain", "feat:cache"],
    &["explain", "feat:cache", "--why-not", "docs/adr/0007-cache.md"],
    &["explain", "feat:cache", "--at", "4000"],
    &["diff", "--rebuild"],
    &["verify", "--against-repo", PACK],
];

/// A repo with a false pack, and a cache that says it is what a build gives: that of another user, with their key.
fn forged() -> (Sandbox, String) {
    let sandbox = small();
    sandbox.commit();
    let other = other_home(&sandbox);
    let mut build = sandbox.command(&["build", "-q"]);
    build.env("HOME", &other);
    assert_eq!(run(build, "").code, 0);
    let truth = sandbox.read(PACK);
    let folder = CacheFolder::open(sandbox.root(), &other.join(".cache"), Access::Write).unwrap().unwrap();
    let environment = Environment::new(std::iter::empty()).digest();
    let mut cache = Cache::new(folder, environment, "");
    let lie = truth.replace("We cache.", "We do not.");
    assert_ne!(lie, truth);
    cache.manifest.packs.get_mut(NAME).unwrap().file = FileFingerprint::new(&lie);
    cache.save(&cache.manifest).unwrap();
    sandbox.write(PACK, &lie);
    (sandbox, truth)
}

fn other_home(sandbox: &Sandbox) -> PathBuf {
    let other = sandbox.beside("other");
    fs::create_dir_all(&other).unwrap();
    other
}

/// The files of the cache.
fn cache(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    sandbox.files().into_iter().filter(|(path, _)| path.starts_with(CACHE)).collect()
}

fn porcelain(sandbox: &Sandbox) -> String {
    let mut git = Command::new("git");
    git.args(["status", "--porcelain", "--untracked-files=all"]).current_dir(sandbox.root());
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_cache_of_another_user_is_dropped_with_a_note() {
    let (sandbox, truth) = forged();
    // With the key a file can be forged: it authenticates the user.
    let mut own = sandbox.command(&["build", "-v"]);
    own.env("HOME", sandbox.beside("other"));
    let own = run(own, "");
    assert!(own.code == 0 && !own.stderr.contains("note:") && sandbox.read(PACK) != truth, "{own:?}");

    sandbox.expect(4, &["check"]);
    assert!(sandbox.expect(0, &["render", "feat:cache"]).contains("We cache."));
    let built = sandbox.run(&["build", "-v"]);
    assert!(built.stderr.contains("note: `.contextpack/cache/packs` is damaged or was not written here"), "{built:?}");
    assert_eq!((built.code, &*built.stdout, sandbox.read(PACK)), (0, &*format!("{PACK}\n"), truth));
    let again = sandbox.run(&["build", "-v"]);
    assert!(!again.stderr.contains("note:"), "{again:?}");
}

#[test]
fn a_cache_that_git_tracks_is_an_error_and_neither_read_nor_written() {
    let (sandbox, truth) = forged();
    sandbox.git(&["add", "-f", CACHE]);
    sandbox.commit();
    let before = cache(&sandbox);
    for args in BUILDING {
        let said: Run = sandbox.run(args);
        assert_eq!(said.code, 3, "{args:?}: {said:?}");
        assert!(said.stderr.contains("error[tracked-cache]: git tracks `.contextpack/cache`"), "{args:?}: {said:?}");
        assert!(said.stderr.contains("`git rm -r --cached .contextpack/cache`"), "{args:?}: {said:?}");
    }
    assert_eq!(sandbox.read(PACK), truth);
    assert!(cache(&sandbox) == before);
    // The help line mends it.
    sandbox.git(&["rm", "-r", "-q", "--cached", CACHE]);
    sandbox.commit();
    for args in BUILDING {
        sandbox.expect(0, args);
    }
    assert_eq!(sandbox.read(PACK), truth);
}

#[test]
fn a_tracked_link_submodule_or_rendering_in_the_state_folder_is_an_error_too() {
    let delivered = ".contextpack/delivered/delivered.jsonl";
    for path in [".contextpack/now.md", ".ContextPack/Cache/packs", ".contextpack/tmp/x", delivered] {
        let sandbox = small();
        sandbox.write(path, "x");
        sandbox.commit();
        let said = sandbox.run(&["build", "-q"]);
        assert!(said.code == 3 && said.stderr.contains("error[tracked-cache]"), "{path}: {said:?}");
    }
    let sandbox = small();
    sandbox.write("elsewhere/cache/packs", "x");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("elsewhere", sandbox.root().join(".contextpack")).unwrap();
        sandbox.commit();
        let said = sandbox.run(&["build", "-q"]);
        assert!(said.code == 3 && said.stderr.contains("error[tracked-cache]: git tracks `.contextpack`"), "{said:?}");
        assert_eq!(sandbox.read("elsewhere/cache/packs"), "x");
    }
}

#[test]
fn where_git_cannot_say_what_it_tracks_there_is_no_cache() {
    let sandbox = small();
    sandbox.commit();
    let mut command = sandbox.command(&["build", "-v"]);
    command.env("PATH", sandbox.beside("home"));
    let built = run(command, "");
    assert!(built.code == 0 && built.stderr.contains("note: no cache is used: git cannot say"), "{built:?}");
    assert!(!sandbox.has(CACHE));
}

#[test]
fn a_root_that_git_ignores_may_have_a_tracked_cache_all_the_same() {
    let sandbox = small();
    sandbox.write("sub/contextpack.yml", "version: 1\n");
    sandbox.write("sub/work_items/a.md", "---\nid: a\n---\n");
    sandbox.write("sub/.contextpack/cache/packs", "x");
    sandbox.write(".gitignore", "/sub/\n");
    sandbox.commit();
    sandbox.git(&["add", "-f", "sub"]);
    let said = sandbox.run(&["build", "-C", "sub"]);
    assert!(said.code == 3 && said.stderr.contains("error[tracked-cache]"), "{said:?}");
    assert_eq!(sandbox.read("sub/.contextpack/cache/packs"), "x");
}

#[test]
fn what_says_whether_packs_are_right_never_opens_a_cache() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    for file in ["packs", "texts"] {
        sandbox.write(&format!("{CACHE}/{file}"), "not a cache");
    }
    let before = cache(&sandbox);
    for args in [&["check"][..], &["diff", "--rebuild"], &["verify", "--against-repo", PACK]] {
        let said = sandbox.run(&[args, &["-v"]].concat());
        assert!(said.code == 0 && !said.stderr.contains("note:"), "{args:?}: {said:?}");
    }
    let said = sandbox.run(&["list", "-v"]);
    assert!(said.stderr.contains("was not written here"), "{said:?}");
    assert!(cache(&sandbox) == before);
}

#[test]
fn without_a_place_for_a_key_builds_do_without_a_cache() {
    for home in [None, Some("relative"), Some("repo"), Some("missing")] {
        let sandbox = small();
        let mut command = sandbox.command(&["build", "-v"]);
        match home {
            None => command.env_remove("HOME"),
            Some("relative") => command.env("HOME", "home"),
            Some(name) => command.env("HOME", sandbox.beside(name)),
        };
        let built = run(command, "");
        assert!(built.code == 0 && built.stderr.contains("note: no cache is used: "), "{home:?}: {built:?}");
        assert_eq!(built.stdout.lines().count(), 3);
        assert!(!sandbox.has(CACHE) && !sandbox.has(".cache") && !sandbox.has("home"), "{home:?}");
        assert!(!sandbox.beside("missing").exists());
        sandbox.expect(0, &["check"]);
    }
}

#[test]
fn a_build_that_is_killed_leaves_nothing_that_git_shows_and_the_next_one_mends_it() {
    let sandbox = Sandbox::new();
    let text = |n: usize, body: &str| format!("---\nid: item-{n}\n---\n\n{}\n", body.repeat(300));
    let edit = |body: &str| (0..60).for_each(|n| sandbox.write(&format!("work_items/{n}.md"), text(n, body)));
    edit("One. ");
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    for turn in 0..3_u64 {
        edit(["Two. ", "One. "][turn as usize % 2]);
        let mut build = sandbox.command(&["build", "-q"]);
        let mut build = build.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Until it has begun to write; then a little longer in each turn.
        while build.try_wait().unwrap().is_none() && !porcelain(&sandbox).contains(" packs/") {}
        std::thread::sleep(Duration::from_millis(turn * 2));
        build.kill().unwrap();
        build.wait().unwrap();
        let shown = porcelain(&sandbox);
        let expected = |line: &str| line.starts_with(" M packs/item-") || line.starts_with(" M work_items/");
        assert!(shown.lines().all(expected), "{shown}");
        sandbox.expect(0, &["build", "-q"]);
        sandbox.expect(0, &["check"]);
        assert!(!sandbox.files().iter().any(|(path, _)| path.ends_with(".tmp")));
    }
}

#[test]
fn unfinished_files_of_others_and_of_git_stay() {
    let sandbox = small();
    let name = |n: u32| format!(".contextpack-{n:032x}.tmp");
    let (own, tracked, others) =
        (format!("packs/{}", name(1)), format!("packs/{}", name(2)), "packs/.contextpack-mine.tmp");
    for path in [&own, &tracked, others, ".contextpack-1-0.tmp"] {
        sandbox.write(path, "half");
    }
    sandbox.commit();
    sandbox.git(&["rm", "-q", "--cached", &own]);
    sandbox.write(&format!(".contextpack/tmp/{}", name(3)), "half");
    sandbox.expect(0, &["build", "-q"]);
    assert!(!sandbox.has(&own) && !sandbox.has(&format!(".contextpack/tmp/{}", name(3))));
    assert!(sandbox.has(&tracked) && sandbox.has(others) && sandbox.has(".contextpack-1-0.tmp"));
}
