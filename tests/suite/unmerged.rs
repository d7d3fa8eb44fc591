//! What git could not merge: markers in items, documents and packs.

use crate::sandbox::Sandbox;
use crate::watch::Watching;
use serde_json::Value;

const A: &str = "work_items/a.md";
const B: &str = "work_items/b.md";
const ADR: &str = "docs/adr/0001-x.md";

/// `task:a` depends on `task:b` and follows an ADR; `task:c` has to do with none of them.
fn repo() -> Sandbox {
    let sandbox = Sandbox::configured(&[
        (A, "---\nid: task:a\ndepends_on: [task:b]\n---\n\nText of ADR 1.\n"),
        (B, "---\nid: task:b\nstatus: open\n---\n\nText.\n"),
        ("work_items/c.md", "---\nid: task:c\n---\n\nText.\n"),
        (ADR, "# 1. X\n\n## Decision\n\nWe do.\n"),
    ]);
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    sandbox
}

fn conflict(ours: &str, theirs: &str) -> String {
    format!("<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> side\n")
}

fn packs(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    sandbox.files().into_iter().filter(|(path, _)| path.starts_with("packs/")).collect()
}

#[test]
fn markers_in_a_text_are_a_warning_of_every_pack_that_holds_it() {
    let sandbox = repo();
    sandbox.write(ADR, format!("# 1. X\n\n## Decision\n\n{}", conflict("We do.", "We do not.")));
    sandbox.write(B, format!("---\nid: task:b\nstatus: open\n---\n\n{}", conflict("One.", "Two.")));
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("`docs/adr/0001-x.md` has conflict markers\n  --> docs/adr/0001-x.md:5"), "{run:?}");
    assert!(run.stderr.contains("the text of the item has conflict markers\n  --> work_items/b.md:6"), "{run:?}");
    let warnings = |pack: &str| {
        let pack: Value = serde_json::from_str(&sandbox.read(pack)).unwrap();
        pack["warnings"].as_array().unwrap().iter().filter(|it| it["code"] == "conflict-markers").count()
    };
    assert_eq!(warnings("packs/task-a.coding.json"), 2, "its own ADR, and the text of its dependency");
    assert_eq!(warnings("packs/task-b.coding.json"), 1);
    assert_eq!(warnings("packs/task-c.coding.json"), 0);
    assert_eq!(sandbox.run(&["check", "--strict"]).code, 3);
    let diff: Value = serde_json::from_str(&sandbox.expect(0, &["diff", "--format", "json"])).unwrap();
    assert_eq!(diff["verdict"]["needs_review"], 2, "{diff}");
}

#[test]
fn a_new_pack_with_markers_needs_review_and_markers_in_code_are_text() {
    let sandbox = repo();
    let shown = format!("```text\n{}```\n", conflict("We do.", "We do not."));
    sandbox.write(ADR, format!("# 1. X\n\n## Decision\n\nMerges look so:\n\n{shown}"));
    sandbox.expect(0, &["build", "--strict"]);
    sandbox.write("work_items/new.md", format!("---\nid: task:new\n---\n\n{}", conflict("One.", "Two.")));
    sandbox.expect(0, &["build"]);
    let diff = sandbox.expect(0, &["diff"]);
    assert!(diff.contains("a new warning, `conflict-markers`"), "{diff}");
}

#[test]
fn instructions_with_markers_are_used_for_no_pack() {
    let sandbox = repo();
    sandbox.write("contextpack.yml", "profiles: {coding: {instructions: docs/coding.md}}\n");
    sandbox.write("docs/coding.md", conflict("Do.", "Do not."));
    let before = packs(&sandbox);
    let run = sandbox.run(&["build"]);
    assert!(run.code == 3 && run.stderr.contains("error[conflict-markers]"), "{run:?}");
    assert_eq!(packs(&sandbox), before);
}

/// While the file of `task:b` has this content, the packs of `task:a` and `task:b` stay as they are.
fn kept(bytes: &[u8]) {
    let sandbox = repo();
    let before = packs(&sandbox);
    let text = sandbox.read(B);
    sandbox.write(B, bytes);
    sandbox.write("work_items/c.md", "---\nid: task:c\n---\n\nAnother text.\n");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("not built: packs/task-a.coding.json"), "{run:?}");
    let changed: Vec<String> =
        packs(&sandbox).into_iter().filter(|pack| !before.contains(pack)).map(|(path, _)| path).collect();
    assert_eq!(changed, ["packs/task-c.coding.json"], "{run:?}");
    assert_eq!(packs(&sandbox).len(), before.len());
    sandbox.expect(0, &["build", "task:c"]);
    for named in ["task:b", B] {
        for command in ["build", "render", "explain"] {
            let run = sandbox.run(&[command, named]);
            assert!(run.code == 3 && run.stderr.contains("work_items/b.md"), "{command} {named}: {run:?}");
        }
    }
    let check = sandbox.run(&["check"]);
    assert_eq!(check.code, 3, "{check:?}");
    sandbox.write(B, text);
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check"]);
}

#[test]
fn an_item_in_conflict_keeps_the_packs_that_may_hold_it() {
    let status = conflict("status: open", "status: done");
    kept(format!("---\nid: task:b\n{status}---\n\nText.\n").as_bytes());
    let whole = conflict("---\nid: task:b\nstatus: open\n---", "---\nid: task:b\nstatus: done\n---");
    kept(format!("{whole}\nText.\n").as_bytes());
}

#[test]
fn an_item_that_is_no_utf_8_keeps_the_packs_that_may_hold_it() {
    kept(b"---\nid: task:b\nstatus: \xff\xfe\n---\n\nText.\n");
}

#[test]
fn an_item_states_relations_on_either_side_of_a_conflict() {
    let sandbox = repo();
    let before = packs(&sandbox);
    let parent = conflict("status: open", "parent: task:c");
    sandbox.write("work_items/d.md", format!("---\nid: task:d\n{parent}---\n\nText.\n"));
    sandbox.write("work_items/c.md", "---\nid: task:c\n---\n\nAnother text.\n");
    assert_eq!(sandbox.run(&["build"]).code, 3);
    assert_eq!(packs(&sandbox), before);
}

#[test]
fn of_a_file_with_several_items_those_that_are_equal_on_both_sides_are_built() {
    let sandbox = Sandbox::configured(&[]);
    sandbox.write("contextpack.yml", "work_items: [{include: [\"*.jsonl\"]}]\n");
    let line = |id: &str, more: &str| format!("{{\"id\":\"{id}\",\"title\":\"{id}\"{more}}}");
    let both = conflict(&line("t-2", ",\"status\":\"open\""), &line("t-2", ",\"status\":\"done\""));
    let needs = line("t-3", ",\"depends_on\":[\"t-2\"]");
    sandbox.write("items.jsonl", format!("{}\n{both}{needs}\n", line("t-1", "")));
    let run = sandbox.run(&["build"]);
    assert!(run.code == 3 && run.stdout == "packs/t-1.coding.json\n", "{run:?}");
    assert!(run.stderr.contains("items.jsonl:2"), "{run:?}");
}

#[test]
fn a_broken_file_whose_id_can_be_made_out_keeps_packs_too() {
    for (name, text) in [
        ("x.yml", "id: task:x\ntitle: a: b\n"),
        ("x.json", "{\n  \"title\": \"X\",\n  \"id\": \"task:x\",\n  \"related\": [\n    \"task:c\"\n  ],\n}\n"),
    ] {
        let sandbox = repo();
        sandbox.write(&format!("work_items/{name}"), text);
        sandbox.write(A, sandbox.read(A) + "\nMore, and related.\n");
        sandbox.write(A, sandbox.read(A).replace("[task:b]", "[task:b, task:x]"));
        let before = sandbox.read("packs/task-a.coding.json");
        let run = sandbox.run(&["build"]);
        assert!(run.code == 3 && run.stderr.contains("error[invalid-item]"), "{run:?}");
        assert_eq!(sandbox.read("packs/task-a.coding.json"), before, "{run:?}");
        assert!(!run.stderr.contains("unknown-id"), "{run:?}");
    }
}

#[test]
fn a_watched_root_keeps_its_pack_while_its_item_cannot_be_read() {
    let sandbox = repo();
    let pack = sandbox.read("packs/task-b.coding.json");
    let mut watching = Watching::start(&sandbox, &["task:b"]);
    let text = sandbox.read(B);
    sandbox.write(B, format!("---\nid: task:b\n{}---\n\nText.\n", conflict("status: open", "status: done")));
    watching.wait("not built: packs/task-b.coding.json");
    assert_eq!(sandbox.read("packs/task-b.coding.json"), pack);
    assert!(sandbox.read(".contextpack/now.md").starts_with("> Not up to date: its pack cannot be built because of"));
    sandbox.write(B, text);
    watching.wait("recovered");
    assert_eq!(sandbox.read("packs/task-b.coding.json"), pack);
}

#[test]
fn a_pack_in_conflict_is_damaged_and_nothing_else() {
    let sandbox = repo();
    let pack = sandbox.read("packs/task-b.coding.json");
    let (first, rest) = pack.split_once("  \"budget\"").unwrap();
    sandbox.write(
        "packs/task-b.coding.json",
        format!("{first}{}  \"budget\"{rest}", conflict("  \"x\": 1,", "  \"x\": 2,")),
    );
    let diff = sandbox.expect(0, &["diff"]);
    assert!(diff.contains("damaged") && !diff.contains("Causes") && !diff.contains("Sections"), "{diff}");
}
