//! Boxes and logs: how they are named, what they hold, and several writers at once.

use crate::cards::{card, id, path, refused};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::fs;

#[test]
fn boxes_are_named_by_id_log_or_clock() {
    let sandbox = Sandbox::configured(&[]);
    let (a, b, c) = (card(&sandbox, "a"), card(&sandbox, "b"), card(&sandbox, "c"));
    sandbox.expect(0, &["box", "append", "coder", &a, &b, &a]);
    let second = sandbox.json(0, &["box", "append", "coder", &b, &c, "--author", "x", "--format", "json"]);
    assert_eq!(second, json!({"box": "coder@2", "clock": 2, "card_ids": [b, c]}));
    let show = |name: &str| {
        let shown = sandbox.json(0, &["box", "show", name, "--format", "json"]);
        json!({"card_ids": shown["card_ids"], "parent_ids": shown["parent_ids"]})
    };
    assert_eq!(show("coder"), json!({"card_ids": [a, b, c], "parent_ids": []}));
    assert_eq!(show("coder@1"), json!({"card_ids": [a, b], "parent_ids": []}));
    let snapshot = id(&sandbox.expect(0, &["box", "snapshot", "coder@1"]));
    assert_eq!(show(&snapshot), show("coder@1"));
    assert_eq!(id(&sandbox.expect(0, &["box", "snapshot", &snapshot[..20]])), snapshot);
    let child =
        sandbox.json(0, &["box", "new", &c, &c, "--parent", "coder@1", "--parent", &snapshot, "--format", "json"]);
    let child = child["box_id"].as_str().unwrap();
    assert_eq!(show(child), json!({"card_ids": [c], "parent_ids": [snapshot]}));
    let text = sandbox.read(&path("boxes", child));
    assert_eq!(serde_jcs::to_string(&serde_json::from_str::<Value>(&text).unwrap()).unwrap(), text);
    let several = sandbox.json(0, &["box", "show", child, "none", "coder", child, "coder@9", "--format", "json"]);
    assert_eq!(several["missing_box_ids"], json!(["none", "coder@9"]));
    assert_eq!(several["boxes"][1], json!({"box_id": "coder@2", "card_ids": [a, b, c], "parent_ids": []}));
    assert_eq!(several["boxes"].as_array().unwrap().len(), 2);
    let list = sandbox.json(0, &["box", "list", "--format", "json"]);
    assert_eq!(list["logs"], json!([{"name": "coder", "clock": 2, "appends": 2, "cards": 3}]));
    assert_eq!(list["boxes"].as_array().unwrap().len(), 2);
    let diff = sandbox.json(0, &["box", "diff", "coder", child, "--format", "json"]);
    assert_eq!(diff, json!({"added": [], "removed": [a, b], "kept": 1, "reordered": false}));
    assert!(sandbox.expect(0, &["box", "show", "coder"]).contains("\n    b\n"));
    for (code, args, message) in [
        (3, &["box", "show", "none"][..], "box not found: none"),
        (3, &["box", "show", "coder@3"], "box not found: coder@3"),
        (3, &["box", "new", &a, "--parent", "none"], "box not found: none"),
        (3, &["box", "new", &a, "00000000"], "card not found: 00000000"),
        (3, &["box", "append", "new", &a, "00000000"], "card not found: 00000000"),
        (3, &["box", "diff", "coder", "none"], "box not found: none"),
        (2, &["box", "append", "Coder", &a], "`Coder` is no name of a log"),
        (2, &["box", "append", "../x", &a], "is no name of a log"),
        (2, &["box", "append", ".x", &a], "is no name of a log"),
        (2, &["box", "append", "deadbeef", &a], "beginning of an id"),
        (2, &["box", "append", &"x".repeat(101), &a], "is no name of a log"),
        (2, &["box", "append", "coder", &a, "--author", ""], "`--author` is empty"),
        (2, &["box", "append", "coder"], "required"),
        (2, &["box", "show", "coder@0"], "the clock after `@`"),
        (2, &["box", "list", "--format", "messages"], "other than for `box show`"),
    ] {
        refused(&sandbox, code, args, "", message);
    }
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn an_ambiguous_beginning_names_both() {
    let sandbox = Sandbox::configured(&[]);
    let first = card(&sandbox, "a");
    let twin = format!("{}{}", &first[7..70], if first.ends_with('0') { "1" } else { "0" });
    sandbox.write(&path("cards", &format!("sha256:{twin}")), "{}");
    refused(&sandbox, 2, &["card", "show", &first[..20]], "", &twin);
    assert_eq!(sandbox.run(&["card", "show", &first]).code, 0);
}

#[test]
fn a_pack_becomes_a_box_of_what_an_agent_reads() {
    let sandbox = Sandbox::configured(&[("work_items/a.md", "---\nid: a\ntitle: A\n---\n\nDo it.\n")]);
    sandbox.expect(0, &["build", "-q"]);
    let pack = "packs/a.coding.json";
    let box_id = id(&sandbox.expect(0, &["box", "from-pack", pack]));
    let messages = sandbox.json(0, &["box", "show", &box_id, "--format", "messages"]);
    assert_eq!(messages, sandbox.json(0, &["render", pack, "--format", "messages"]));
    sandbox.write("bad.json", sandbox.read(pack).replace("Do it", "Undo it"));
    refused(&sandbox, 5, &["box", "from-pack", "bad.json"], "", "not a valid pack");
    assert_eq!(sandbox.run(&["check"]).code, 0);
}

#[test]
fn repeated_clocks_are_ordered_by_hash() {
    let sandbox = Sandbox::configured(&[]);
    let (a, b) = (card(&sandbox, "a"), card(&sandbox, "b"));
    sandbox.expect(0, &["box", "append", "log", &a]);
    let first = sandbox.files().into_iter().find(|(path, _)| path.starts_with("context/logs/")).unwrap();
    fs::remove_dir_all(sandbox.path("context/logs")).unwrap();
    sandbox.expect(0, &["box", "append", "log", &b]);
    let second = sandbox.files().into_iter().find(|(path, _)| path.starts_with("context/logs/")).unwrap();
    sandbox.write(&first.0, &first.1);
    sandbox.expect(0, &["verify", "context"]);
    let expected = if first.0 < second.0 { json!([a, b]) } else { json!([b, a]) };
    assert_eq!(sandbox.json(0, &["box", "show", "log", "--format", "json"])["card_ids"], expected);
    assert_eq!(sandbox.json(0, &["box", "append", "log", &a, "--format", "json"])["clock"], 2);
}

#[test]
fn sixteen_processes_at_once_lose_nothing() {
    let sandbox = Sandbox::configured(&[]);
    let ids: Vec<Vec<String>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                let sandbox = &sandbox;
                scope.spawn(move || {
                    let write = |n| {
                        let card_id = card(sandbox, &format!("{}", (writer % 8) * 10 + n));
                        sandbox.expect(0, &["box", "append", "log", &card_id, "--author", &format!("w{writer}")]);
                        card_id
                    };
                    (0..3).map(write).collect()
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let shown = sandbox.json(0, &["box", "show", "log", "--format", "json"]);
    let mut shown: Vec<&str> = shown["card_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let mut written: Vec<&str> = ids.iter().flatten().map(String::as_str).collect();
    shown.sort_unstable();
    written.sort_unstable();
    written.dedup();
    assert_eq!(shown, written);
    assert_eq!(sandbox.json(0, &["box", "list", "--format", "json"])["logs"][0]["appends"], 48);
    sandbox.expect(0, &["verify", "context"]);
}
