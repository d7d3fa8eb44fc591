//! `check` reports why a pack differs from a build; a full build removes orphaned packs only.

use crate::cli::small;
use crate::sandbox::Sandbox;
use std::fs;

const PACK: &str = "packs/feat-cache.coding.json";

fn built() -> Sandbox {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check"]);
    sandbox
}

/// `check` finds this, and leaves every file as it is.
fn stale(sandbox: &Sandbox, expected: &str) {
    let before = sandbox.files();
    assert_eq!(sandbox.expect(4, &["check"]), expected);
    assert!(sandbox.files() == before, "check changed a file");
    let json = sandbox.json(4, &["check", "--format", "json"]);
    let bad: Vec<String> = json["packs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pack| pack["status"] != "fresh")
        .map(|pack| format!("{}: {}", pack["status"].as_str().unwrap(), pack["path"].as_str().unwrap()))
        .collect();
    assert_eq!(bad.len(), expected.lines().count(), "{json}");
    for (bad, line) in bad.iter().zip(expected.lines()) {
        assert!(line.starts_with(bad), "{bad}");
    }
}

#[test]
fn a_stale_pack_names_the_file_that_changed() {
    let sandbox = built();
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Decision\n\nWe do not.\n");
    stale(&sandbox, "stale: packs/feat-cache.coding.json: docs/adr/0007-cache.md changed\n");
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check"]);
}

#[test]
fn a_neighbour_that_changed_came_or_went_is_named() {
    let sandbox = built();
    sandbox.write("work_items/task-new.md", "---\nid: task:new\ntitle: New\nparent: feat:cache\n---\n");
    let said = sandbox.expect(4, &["check", "feat:cache"]);
    assert_eq!(said, "stale: packs/feat-cache.coding.json: new child task:new\n");
    fs::remove_file(sandbox.root().join("work_items/task-new.md")).unwrap();
    fs::remove_file(sandbox.root().join("docs/adr/0007-cache.md")).unwrap();
    let said = sandbox.expect(4, &["check", "feat:cache"]);
    assert_eq!(said, "stale: packs/feat-cache.coding.json: docs/adr/0007-cache.md was removed\n");
}

#[test]
fn a_changed_budget_and_changed_instructions_are_named() {
    let sandbox = built();
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_chars: 31000}}}\n");
    let said = sandbox.expect(4, &["check", "feat:cache"]);
    assert_eq!(said, "stale: packs/feat-cache.coding.json: the budget changed\n");
    sandbox.write("how.md", "# How\n\nAs you like.\n");
    sandbox.write("contextpack.yml", "profiles: {coding: {instructions: how.md}}\n");
    let said = sandbox.expect(4, &["check", "feat:cache"]);
    assert!(said.contains("how.md"), "{said}");
}

#[test]
fn an_edited_pack_is_told_from_a_stale_one() {
    let sandbox = built();
    let pack = sandbox.read(PACK);
    sandbox.write(PACK, pack.replace("We cache.", "We cash."));
    let said = sandbox.expect(4, &["check"]);
    assert!(said.starts_with("edited: packs/feat-cache.coding.json: the content was changed"), "{said}");
    sandbox.write(PACK, pack.replace('\n', "\r\n"));
    assert!(sandbox.expect(4, &["check"]).contains("line ends are not LF"));
    sandbox.write(PACK, "");
    assert!(sandbox.expect(4, &["check"]).starts_with("edited: packs/feat-cache.coding.json: it is no context pack"));
    assert_eq!(sandbox.expect(0, &["build"]), format!("{PACK}\n"));
    assert_eq!(sandbox.read(PACK), pack);
}

#[test]
fn a_missing_pack_and_an_orphaned_one_are_told() {
    let sandbox = built();
    fs::remove_file(sandbox.root().join(PACK)).unwrap();
    stale(&sandbox, "missing: packs/feat-cache.coding.json: it was not built yet\n");
    sandbox.expect(0, &["build"]);
    fs::rename(sandbox.root().join("work_items/task-store.md"), sandbox.beside("away.md")).unwrap();
    sandbox.write(
        "work_items/feat-cache.md",
        sandbox.read("work_items/feat-cache.md").replace("depends_on: task:store\n", ""),
    );
    sandbox.expect(0, &["build", "--no-prune"]);
    stale(&sandbox, "orphaned: packs/task-store.coding.json: its item is gone: `contextpack build` removes it\n");
    let annotation = sandbox.expect(4, &["check", "--format", "github"]);
    assert!(annotation.starts_with("::error file=packs/task-store.coding.json,title=orphaned pack::"), "{annotation}");
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check"]);
    assert!(!sandbox.has("packs/task-store.coding.json"));
}

#[test]
fn an_orphan_says_what_keeps_a_build_from_giving_it() {
    let sandbox = built();
    let run = sandbox.run(&["build", "feat:cache", "-p", "review"]);
    assert!(run.code == 0 && run.stderr.contains("note: 1 pack of another profile, item or limit"), "{run:?}");
    let run = sandbox.run(&["check"]);
    assert_eq!(run.code, 4);
    assert!(
        run.stdout.contains("the profile `review` is not among `output.profiles`: `contextpack build` removes"),
        "{run:?}"
    );
    assert!(
        run.stderr.contains("run `contextpack build` and commit what it removes (`--no-prune` keeps it)"),
        "{run:?}"
    );
    sandbox.expect(0, &["build"]);
    sandbox.write("contextpack.yml", "roots: {include: [\"feat:*\"]}\n");
    let run = sandbox.run(&["check"]);
    assert!(run.stdout.contains("its item is not among the `roots` of the configuration"), "{run:?}");
    let run = sandbox.run(&["build", "task:store"]);
    assert!(run.stderr.contains("note: 1 pack of another profile, item or limit"), "{run:?}");
    sandbox.write("contextpack.yml", "work_items: [{include: [\"typo/*.md\"]}]\n");
    let run = sandbox.run(&["check"]);
    assert!(run.code == 4 && run.stderr.contains("packs are orphaned: no item of `work_items`"), "{run:?}");
    sandbox.expect(0, &["build"]);
    assert_eq!(sandbox.packs().len(), 3, "a build that gives no packs removes none");
}

#[test]
fn packs_on_demand_are_never_stale_and_each_is_tried() {
    let sandbox = built();
    sandbox.git(&["init", "-q"]);
    sandbox.write("contextpack.yml", "output: {dir: .contextpack/packs}\n");
    let statuses = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|pack| pack["status"].as_str().unwrap().to_owned()).collect()
    };
    let check = |code| statuses(&sandbox.json(code, &["check", "--format", "json"])["packs"]);
    let list = |what: &str| {
        let list = sandbox.json(0, &["list", "--format", "json"]);
        let of = list["roots"].as_array().unwrap().iter().flat_map(|root| statuses(&root["packs"]));
        assert!(of.into_iter().all(|status| status == "on_demand"), "{what}: {list}");
    };
    // As in a fresh clone: there is no folder.
    assert!(check(0).iter().all(|status| status == "buildable"));
    list("nothing was built");
    assert!(sandbox.run(&["check"]).stderr.contains("3 of 3 packs can be built"));
    assert!(sandbox.expect(0, &["list"]).contains("coding\n"));
    assert!(!sandbox.has(".contextpack/packs") && !sandbox.has(".contextpack/.gitignore"));
    // The folder holds packs of before, one of them of an item that is gone.
    sandbox.expect(0, &["build"]);
    assert!(!sandbox.git(&["status", "--porcelain"]).contains(".contextpack"));
    sandbox.write("work_items/feat-cache.md", "---\nid: feat:cache\ntitle: Another\n---\n");
    fs::remove_file(sandbox.path("work_items/task-store.md")).unwrap();
    assert_eq!(check(0), ["buildable"; 2]);
    list("what was built is old");
    assert!(!sandbox.run(&["ready", "feat:cache"]).stdout.contains("stale"));
    sandbox
        .write("contextpack.yml", "output: {dir: .contextpack/packs}\nprofiles: {coding: {budget: {max_chars: 10}}}\n");
    assert!(check(3).iter().all(|status| status == "failed"));
}

#[test]
fn prune_removes_its_own_orphans_and_nothing_else() {
    let sandbox = built();
    let pack = sandbox.read("packs/task-store.coding.json");
    fs::remove_file(sandbox.root().join("work_items/task-store.md")).unwrap();
    sandbox.write("packs/README.md", "Mine.\n");
    sandbox.write("packs/notes.json", "{\"mine\": true}\n");
    sandbox.write("packs/copy.coding.json", &pack);
    sandbox.write("packs/task-store.coding.json.bak", &pack);
    sandbox.expect(0, &["build", "--no-prune"]);
    sandbox.expect(0, &["build", "feat:cache"]);
    sandbox.expect(0, &["build", "-p", "coding"]);
    assert!(sandbox.has("packs/task-store.coding.json"), "a part of the packs says nothing about others");
    sandbox.expect(0, &["build"]);
    let left: Vec<String> =
        sandbox.files().into_iter().map(|(path, _)| path).filter(|path| path.starts_with("packs/")).collect();
    assert_eq!(
        left,
        [
            "packs/README.md",
            "packs/copy.coding.json",
            "packs/epic-speed.coding.json",
            "packs/feat-cache.coding.json",
            "packs/notes.json",
            "packs/task-store.coding.json.bak",
        ]
    );
}

#[test]
fn the_pack_of_an_item_that_cannot_be_read_is_no_orphan() {
    let sandbox = built();
    sandbox.write("work_items/task-store.md", [0, 159, 146, 150]);
    sandbox.expect(3, &["build"]);
    assert!(sandbox.has("packs/task-store.coding.json"));
}

#[test]
fn what_is_wrong_with_files_that_a_change_did_not_touch_is_no_failure_of_it() {
    let sandbox = built();
    sandbox.write("work_items/bad.yml", "id: task:bad\ntitle: [\n");
    sandbox.write("work_items/odd.md", "---\nid: feat:odd\ndepends_on: task:none\n---\n");
    sandbox.run(&["build"]);
    sandbox.commit();
    sandbox.expect(3, &["check"]);
    sandbox.write("work_items/new.md", "---\nid: feat:new\ndepends_on: task:nobody\n---\n");
    sandbox.run(&["build"]);
    let run = sandbox.run(&["check", "--base", "HEAD"]);
    assert_eq!((run.code, run.stderr.matches("warning[").count()), (0, 1), "{run:?}");
    assert!(run.stderr.contains("task:nobody") && run.stderr.contains("that are not new: `-v` shows all"), "{run:?}");
    let run = sandbox.run(&["check", "--base", "HEAD", "--format", "github"]);
    let begins = |with: &str| run.stdout.lines().filter(|line| line.starts_with(with)).count();
    assert_eq!(
        [run.code as usize, begins("::warning "), begins("::notice "), begins("::error ")],
        [0, 1, 1, 0],
        "{run:?}"
    );
    assert!(run.stdout.contains("\nwork_items/odd.md:3: warning[unknown-id]"), "the log has all: {run:?}");
    for args in [&["check"][..], &["check", "--base", "HEAD", "--strict"]] {
        sandbox.expect(3, args);
    }
    // Whoever touches it, or the configuration, is told.
    sandbox.write("work_items/bad.yml", "id: task:bad\ntitle: [[\n");
    sandbox.expect(3, &["check", "--base", "HEAD"]);
    sandbox.git(&["checkout", "-q", "work_items/bad.yml"]);
    sandbox.expect(0, &["check", "--base", "HEAD"]);
    sandbox.expect(0, &["build", "--base", "HEAD"]);
    sandbox.write("contextpack.yml", "output: {dir: packs}\n\n");
    sandbox.expect(3, &["check", "--base", "HEAD"]);
    let run = sandbox.run(&["check", "--base", "none"]);
    assert!(run.code == 2 && run.stderr.contains("git knows no `none`"), "{run:?}");
}

/// An item in conflict, whose record cannot be read.
const UNREADABLE: &str = "---\n<<<<<<< A\nid: feat:q\n=======\nid: feat:r\n>>>>>>> B\n---\n";

#[test]
#[cfg(unix)]
fn a_change_of_what_a_link_leads_to_is_one_of_the_link() {
    let sandbox =
        Sandbox::with(&[("src/real.md", "---\nid: feat:a\n---\n"), ("work_items/b.md", "---\nid: feat:b\n---\n")]);
    std::os::unix::fs::symlink("../src/real.md", sandbox.path("work_items/a.md")).unwrap();
    sandbox.git(&["init", "-q"]);
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    sandbox.write("src/real.md", UNREADABLE);
    sandbox.expect(3, &["check", "--base", "HEAD"]);
}

#[test]
fn an_old_fault_that_keeps_a_changed_item_from_being_built_fails_the_change() {
    let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: feat:a\n---\n"), ("work_items/q.md", UNREADABLE)]);
    sandbox.git(&["init", "-q"]);
    sandbox.run(&["build"]);
    sandbox.commit();
    sandbox.expect(0, &["check", "--base", "HEAD"]);
    sandbox.write("work_items/a.md", "---\nid: feat:a\ndepends_on: [feat:q]\n---\n");
    for command in ["check", "build"] {
        sandbox.expect(3, &[command, "--base", "HEAD"]);
    }
}

#[test]
fn an_item_that_takes_the_id_of_another_is_shown_where_that_one_did_not_change() {
    let sandbox = Sandbox::with(&[("work_items/b.md", "---\nid: feat:a\n---\n")]);
    sandbox.git(&["init", "-q"]);
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    sandbox.write("work_items/a.md", "---\nid: feat:a\n---\n");
    let run = sandbox.run(&["check", "--base", "HEAD"]);
    assert!(run.stderr.contains("[duplicate-id]"), "{run:?}");
}

#[test]
fn packs_stay_while_the_front_matter_of_an_item_is_damaged() {
    let sandbox = built();
    let item = sandbox.read("work_items/task-store.md");
    sandbox.write("work_items/task-store.md", item.replacen("\n---\n", "\n", 1));
    sandbox.run(&["build"]);
    assert!(sandbox.has("packs/task-store.coding.json"));
}

#[test]
fn a_page_is_written_over_no_other_file_and_not_where_git_and_github_look() {
    let sandbox = built();
    let item = sandbox.read("work_items/task-store.md");
    for file in [".git/config", ".github/workflows/x.yml", "work_items/task-store.md", "contextpack.yml"] {
        let run = sandbox.run(&["page", "-o", file]);
        assert!(run.code != 0, "{file}: {run:?}");
    }
    assert_eq!(sandbox.read("work_items/task-store.md"), item);
    sandbox.expect(0, &["page", "-o", "page.html"]);
    sandbox.expect(0, &["page", "-o", "page.html"]);
}
