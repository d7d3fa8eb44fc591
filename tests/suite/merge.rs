//! Packs in git: shown as text, and built from merged inputs where two branches changed one.
#![cfg(unix)]

use crate::sandbox::Sandbox;
use std::path::Path;
use std::process::{Command, Output};

const PACK: &str = "packs/feat-cache.coding.json";
const MARKDOWN: &str = "packs/feat-cache.coding.md";

/// git with this program on its path, as somebody's shell runs it.
fn git(sandbox: &Sandbox, args: &[&str]) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_contextpack")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("git");
    command.args(args).current_dir(sandbox.root()).env_clear().env("PATH", path).env("HOME", sandbox.beside("home"));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("SOURCE_DATE_EPOCH", crate::sandbox::EPOCH);
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.com");
    }
    command.output().unwrap()
}

/// Two branches that changed different decisions of one pack; the checkout is `main`.
fn branches(init: &[&str]) -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("work_items/feat-cache.md", "---\nid: feat:cache\ntitle: Cache\nadrs: [1, 2]\n---\n\nText.\n"),
        ("docs/adr/0001-one.md", "# 1. One\n\n## Decision\n\nWe do one.\n"),
        ("docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two.\n"),
    ]);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.expect(0, init);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    for (branch, file, from, to) in [
        ("side", "docs/adr/0002-two.md", "We do two.", "We do twenty."),
        ("main", "docs/adr/0001-one.md", "We do one.", "We do eleven."),
    ] {
        sandbox.git(&["checkout", "-q", branch]);
        sandbox.write(file, sandbox.read(file).replace(from, to));
        sandbox.expect(0, &["build", "-q"]);
        sandbox.commit();
    }
    sandbox
}

#[test]
fn with_the_driver_a_merge_builds_the_pack_that_both_sides_changed() {
    let sandbox = branches(&["init", "--commit", "--git"]);
    let merge = git(&sandbox, &["merge", "-q", "-m", "both", "side"]);
    assert!(
        merge.status.success(),
        "{}{}",
        String::from_utf8_lossy(&merge.stdout),
        String::from_utf8_lossy(&merge.stderr)
    );
    let pack = sandbox.read(PACK);
    assert!(pack.contains("We do eleven.") && pack.contains("We do twenty."), "{pack}");
    assert!(sandbox.has(MARKDOWN));
    sandbox.expect(0, &["check", "--strict"]);
    sandbox.expect(0, &["verify", "packs"]);
    assert_eq!(sandbox.expect(0, &["build"]), "", "it is what a build gives");
    assert_eq!(String::from_utf8_lossy(&git(&sandbox, &["status", "--porcelain"]).stdout), "");
}

#[test]
fn without_the_driver_a_conflict_is_one_of_packs_alone_and_a_build_resolves_it() {
    let sandbox = branches(&["init", "--commit"]);
    let merge = git(&sandbox, &["merge", "-q", "-m", "both", "side"]);
    assert!(!merge.status.success());
    let unmerged = git(&sandbox, &["diff", "--name-only", "--diff-filter=U"]);
    let unmerged = String::from_utf8(unmerged.stdout).unwrap();
    assert!(unmerged.lines().all(|path| path.starts_with("packs/")) && unmerged.contains(PACK), "{unmerged}");
    sandbox.expect(4, &["check"]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.expect(0, &["check", "--strict"]);
    sandbox.commit();
    let pack = sandbox.read(PACK);
    assert!(pack.contains("We do eleven.") && pack.contains("We do twenty."), "{pack}");
}

#[test]
fn where_the_inputs_conflict_too_the_pack_stays_whole() {
    let sandbox = branches(&["init", "--commit", "--git"]);
    sandbox.write("docs/adr/0002-two.md", sandbox.read("docs/adr/0002-two.md").replace("We do two.", "We do zero."));
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    let ours = sandbox.read(PACK);
    let merge = git(&sandbox, &["merge", "-q", "-m", "both", "side"]);
    assert!(!merge.status.success());
    let said = String::from_utf8_lossy(&merge.stderr);
    assert!(said.contains("`docs/adr/0002-two.md` has conflicts of its own"), "{said}");
    assert_eq!(sandbox.read(PACK), ours, "no marks stand in it");
    sandbox.write("docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do both.\n");
    sandbox.expect(0, &["build", "-q"]);
    sandbox.expect(0, &["check"]);
}

#[test]
fn git_shows_a_pack_as_people_read_it() {
    let sandbox = branches(&["init", "--commit", "--git"]);
    let shown = String::from_utf8(git(&sandbox, &["diff", "main", "side", "--", PACK]).stdout).unwrap();
    assert!(shown.contains("\n+We do twenty.\n") && !shown.contains("\"content\""), "{shown}");
    sandbox.write(PACK, "<<<<<<< no pack\n");
    let shown = String::from_utf8(git(&sandbox, &["diff", "--", PACK]).stdout).unwrap();
    assert!(shown.contains("\n+<<<<<<< no pack\n"), "{shown}");
}

#[test]
fn a_clone_is_told_once_and_only_on_request() {
    let sandbox = branches(&["init", "--commit"]);
    let set = |name: &str| String::from_utf8(git(&sandbox, &["config", "--local", "--get", name]).stdout).unwrap();
    assert_eq!(set("merge.contextpack.driver"), "");
    for _ in 0..2 {
        sandbox.expect(0, &["init", "--git"]);
        assert_eq!(set("merge.contextpack.driver"), "contextpack git merge %A %B %P\n");
        assert_eq!(set("diff.contextpack.textconv"), "contextpack git textconv\n");
    }
    let plain = Sandbox::new();
    assert_eq!(plain.run(&["init", "--git"]).code, 2, "there is no clone to tell");
}

#[test]
fn with_the_driver_a_merge_builds_the_pack_of_a_handover_that_both_sides_made() {
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", "---\nid: feat:a\ntitle: A\n---\nDo a.\n\n## Notes\n\nOne.\n\n## More\n\nTwo.\n"),
        ("agents/coder.md", "---\nname: Coder\npurpose: Writes code\n---\nWrites code.\n"),
    ]);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.expect(0, &["init", "--commit", "--git"]);
    let thought = sandbox.expect(0, &["card", "add", "--type", "agent.thought", "--text", "It was slow."]);
    sandbox.expect(0, &["box", "append", "log", thought.trim()]);
    sandbox.commit();
    let words = ["handover", "launch", "--to", "coder", "--root", "feat:a", "--box", "log", "--arg", "instruction=Go"];
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("work_items/a.md", sandbox.read("work_items/a.md").replace("Do a.", "Do a with care."));
    sandbox.expect(0, &words);
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.expect(0, &["card", "delete", thought.trim()]);
    let mut later = sandbox.command(&words);
    later.env("SOURCE_DATE_EPOCH", "1771800000");
    assert_eq!(crate::sandbox::run(later, "").code, 0);
    sandbox.commit();
    let merge = git(&sandbox, &["merge", "-q", "-m", "both", "side"]);
    assert!(merge.status.success(), "{}", String::from_utf8_lossy(&merge.stderr));
    let (path, pack) = sandbox.files().into_iter().find(|(path, _)| path.starts_with("context/packs/")).unwrap();
    let pack = String::from_utf8(pack).unwrap();
    assert!(
        pack.contains("Do a with care.") && pack.contains("\"deleted\"") && !pack.contains("It was slow."),
        "{pack}"
    );
    sandbox.expect(0, &["verify", &path, "--against-repo"]);
}
