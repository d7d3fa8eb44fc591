//! What a build leaves because an earlier one did it, and what becomes of its cache.

use crate::cli::small;
use crate::sandbox::{Sandbox, run};
use std::fs;

const CACHE: &str = ".contextpack/cache";

fn built() -> Sandbox {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    sandbox
}

/// The packs as a build without a cache gives them.
fn cold(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    fs::remove_dir_all(sandbox.root().join(CACHE)).unwrap();
    fs::remove_dir_all(sandbox.root().join("packs")).unwrap();
    sandbox.expect(0, &["build", "-q"]);
    packs(sandbox)
}

fn packs(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    sandbox.files().into_iter().filter(|(path, _)| path.starts_with("packs/")).collect()
}

/// What a build says but for its last line, which has the time.
fn told(text: &str) -> String {
    text.lines().filter(|line| !line.contains(" packs: ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_build_says_why_each_pack_was_written_and_writes_no_other() {
    let sandbox = built();
    sandbox.write("work_items/task-new.md", "---\nid: task:new\ntitle: New\nparent: feat:cache\n---\n");
    let run = sandbox.run(&["build", "-v"]);
    assert!(run.stderr.contains("packs/feat-cache.coding.json: new child task:new\n"), "{run:?}");
    assert!(run.stdout.contains("packs/task-new.coding.json\n"), "{run:?}");
    sandbox.write("contextpack.yml", "done_statuses: [open]\n");
    let run = sandbox.run(&["build", "-v"]);
    assert!(run.stderr.contains(": the configuration changed\n") || run.stderr.contains(" 0 written"), "{run:?}");
    let found = packs(&sandbox);
    assert_eq!(found, cold(&sandbox));
    let run = sandbox.run(&["build"]);
    assert!(run.stdout.is_empty() && run.stderr.contains(" 0 written"), "{run:?}");
}

#[test]
fn git_does_not_see_the_cache_and_it_holds_no_secret() {
    let sandbox = built();
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    sandbox.write("work_items/feat-cache.md", format!("---\nid: feat:cache\n---\n\nThe token is {token}.\n"));
    sandbox.commit();
    sandbox.expect(0, &["build", "-q"]);
    for (path, bytes) in sandbox.files().into_iter().filter(|(path, _)| path.starts_with(CACHE)) {
        assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "{path}");
    }
    assert!(sandbox.has(&format!("{CACHE}/texts")));
    sandbox.git(&["add", "-A"]);
    let listed = sandbox.command(&["list"]).output().unwrap();
    assert!(listed.status.success());
    let tracked = std::process::Command::new("git").args(["ls-files"]).current_dir(sandbox.root()).output().unwrap();
    let tracked = String::from_utf8(tracked.stdout).unwrap();
    assert!(!tracked.contains("cache/texts") && tracked.contains("packs/"), "{tracked}");
}

#[test]
fn a_pack_that_was_touched_is_found_although_nothing_else_changed() {
    let sandbox = built();
    sandbox.expect(0, &["check"]);
    let pack = sandbox.read("packs/feat-cache.coding.json");
    sandbox.write("packs/feat-cache.coding.json", pack.replacen("Cache", "Cachf", 1));
    sandbox.expect(4, &["check"]);
    let run = sandbox.run(&["build"]);
    assert_eq!(run.stdout, "packs/feat-cache.coding.json\n");
    assert_eq!(sandbox.read("packs/feat-cache.coding.json"), pack);
    sandbox.write("packs/stray.coding.json", "no pack");
    sandbox.expect(0, &["check"]);
    fs::remove_file(sandbox.root().join("packs/feat-cache.coding.json")).unwrap();
    sandbox.expect(4, &["check"]);
}

#[test]
fn warnings_and_strictness_are_those_of_a_build() {
    let sandbox = small();
    sandbox.write("work_items/feat-odd.md", "---\nid: feat:odd\ndepends_on: task:nobody\n---\n");
    let first = sandbox.run(&["build"]);
    let again = sandbox.run(&["build", "-v"]);
    assert!(first.stderr.contains("warning[unknown-id]"), "{first:?}");
    assert_eq!(told(&again.stderr), told(&first.stderr));
    sandbox.expect(3, &["build", "--strict"]);
    sandbox.expect(3, &["check", "--strict"]);
    sandbox.expect(0, &["check"]);
    let json = |args: &[&str]| sandbox.json(0, args)["packs"].clone();
    let known = json(&["build", "--format", "json"]);
    fs::remove_dir_all(sandbox.root().join(CACHE)).unwrap();
    assert_eq!(json(&["build", "--format", "json"]), known);
}

#[test]
fn a_pack_that_cannot_be_built_is_told_again_until_its_item_is_mended() {
    let sandbox = built();
    let item = sandbox.read("work_items/feat-cache.md");
    sandbox.write("work_items/feat-cache.md", format!("{item}\0"));
    let (first, kept) = (sandbox.run(&["build", "-v"]), packs(&sandbox));
    for _ in 0..2 {
        let again = sandbox.run(&["build", "-v"]);
        assert_eq!((again.code, &*again.stdout, told(&again.stderr)), (first.code, "", told(&first.stderr)));
    }
    let json = |code| sandbox.json(code, &["build", "--format", "json"])["packs"].clone();
    let known = json(first.code);
    fs::remove_dir_all(sandbox.root().join(CACHE)).unwrap();
    assert_eq!(json(first.code), known);
    // The pack that was kept is an input like any other.
    fs::remove_file(sandbox.root().join("packs/feat-cache.coding.json")).unwrap();
    let without = sandbox.run(&["build", "-v"]);
    fs::remove_dir_all(sandbox.root().join(CACHE)).unwrap();
    assert_eq!(told(&sandbox.run(&["build", "-v"]).stderr), told(&without.stderr));
    sandbox.write("work_items/feat-cache.md", item);
    sandbox.expect(0, &["build"]);
    assert_ne!(kept, Vec::new());
    assert_eq!(packs(&sandbox), kept);
}

#[test]
fn a_damaged_or_foreign_cache_is_dropped_with_a_note_and_changes_nothing() {
    let sandbox = built();
    let before = packs(&sandbox);
    for path in [&*format!("{CACHE}/packs"), &*format!("{CACHE}/texts"), "../home/.cache/contextpack/key"] {
        for bytes in [&b""[..], b"garbage", &[0xff; 5000]] {
            sandbox.write(path, bytes);
            let run = sandbox.run(&["build", "-v"]);
            assert_eq!((run.code, &*run.stdout), (0, ""), "{run:?}");
            let noted = run.stderr.contains("is damaged or was not written here, and is made again");
            assert!(noted || path.ends_with("texts"), "{path}: {run:?}");
            assert!(packs(&sandbox) == before);
        }
    }
    sandbox.expect(0, &["check"]);
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let sandbox = small();
    sandbox.write(".contextpack/cache", "no folder");
    let run = sandbox.run(&["build", "-v"]);
    assert!(run.code == 0 && run.stderr.contains("note: ") && run.stderr.contains("is not a folder"), "{run:?}");
    assert_eq!(sandbox.read(".contextpack/cache"), "no folder");
    sandbox.expect(0, &["check"]);
    assert_eq!(sandbox.run(&["build"]).stdout, "");
}

#[test]
fn builds_at_once_and_builds_that_are_killed_leave_a_cache_that_can_be_used() {
    let sandbox = built();
    let text = |n: usize| format!("---\nid: feat:cache\ntitle: Cache {n}\n---\n\nNumber {n}.\n");
    for n in 0..6 {
        sandbox.write("work_items/feat-cache.md", text(n));
        let mut children: Vec<_> = (0..3)
            .map(|_| {
                let mut command = sandbox.command(&["build", "-q"]);
                command.stdout(std::process::Stdio::null()).spawn().unwrap()
            })
            .collect();
        // One of them is killed wherever it happens to be.
        children[0].kill().unwrap();
        for (at, child) in children.iter_mut().enumerate() {
            let status = child.wait().unwrap();
            assert!(at == 0 || status.success(), "{status}");
        }
        sandbox.expect(0, &["check"]);
        assert!(sandbox.read("packs/feat-cache.coding.json").contains(&format!("Number {n}.")));
    }
    let found = packs(&sandbox);
    assert_eq!(found, cold(&sandbox));
}

#[test]
fn one_root_uses_the_cache_and_leaves_it_alone() {
    let sandbox = built();
    let cache = |sandbox: &Sandbox| -> Vec<(String, Vec<u8>)> {
        sandbox.files().into_iter().filter(|(path, _)| path.starts_with(CACHE)).collect()
    };
    let before = cache(&sandbox);
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Decision\n\nWe do not.\n");
    assert_eq!(sandbox.expect(0, &["build", "feat:cache"]), "packs/feat-cache.coding.json\n");
    for args in [&["check"][..], &["list"], &["render", "feat:cache"], &["explain", "feat:cache"]] {
        sandbox.run(args);
    }
    assert!(cache(&sandbox) == before);
    assert_eq!(sandbox.run(&["build"]).code, 0);
    assert!(cache(&sandbox) != before);
}

#[test]
fn what_was_found_out_about_packs_is_not_used_under_other_secrets() {
    let sandbox = built();
    let mut build = sandbox.command(&["build", "-v"]);
    build.env("API_TOKEN", "a1B2c3D4e5F6g7H8i9J0k1L2");
    let built = run(build, "");
    assert!(built.code == 0 && built.stderr.contains("note: the environment has other secrets"), "{built:?}");
}

#[test]
fn what_items_refer_to_is_looked_up_again_where_another_trust_gives_another_answer() {
    let sandbox = Sandbox::configured(&[
        ("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n"),
        ("work_items/a.md", "---\nid: feat:a\n---\n\nSee #12 for why.\n"),
    ]);
    sandbox.commit();
    sandbox.write("work_items/b.md", "---\nid: feat:b\nissue: 12\n---\n\nNot tracked.\n");
    let built = |trust: &str| {
        sandbox.expect(0, &["build", "feat:a", "--untracked", trust, "--out", "-"]);
        sandbox.run(&["build", "-q", "--untracked", trust]);
        sandbox.packs()
    };
    let packs = ["trusted", "untrusted", "trusted"].map(built);
    assert!(packs[0] != packs[1] && packs[0] == packs[2]);
    std::fs::remove_dir_all(sandbox.path(".contextpack/cache")).unwrap();
    assert!(built("untrusted") == packs[1], "as without a cache");
}
