//! Damaged files below the folder of cards: what `verify` finds, and what is refused.

use crate::cards::{card, id, path, refused};
use crate::sandbox::Sandbox;
use serde_json::json;
use std::fs;

/// Damages one file, and returns what `verify` says about it.
fn faults_after(damage: impl FnOnce(&Sandbox, &str, &str)) -> String {
    let sandbox = Sandbox::configured(&[]);
    let card_id = card(&sandbox, "a");
    sandbox.expect(0, &["box", "append", "log", &card_id]);
    let box_id = id(&sandbox.expect(0, &["box", "snapshot", "log"]));
    sandbox.expect(0, &["verify", "context"]);
    damage(&sandbox, &path("cards", &card_id), &path("boxes", &box_id));
    sandbox.expect(5, &["verify", "context"])
}

#[test]
fn verify_finds_every_kind_of_damage() {
    let log_file = |sandbox: &Sandbox| {
        let found = sandbox.files().into_iter().find(|(path, _)| path.starts_with("context/logs/"));
        found.map(|(path, _)| path).unwrap()
    };
    let said = faults_after(|sandbox, card, _| sandbox.write(card, sandbox.read(card).replace("\"a\"", "\"b\"")));
    assert!(said.contains("its content was changed"), "{said}");
    let said = faults_after(|sandbox, card, _| sandbox.write(card, sandbox.read(card) + "\n\n"));
    assert!(said.contains("a formatter changed") && said.contains("canonical form"), "{said}");
    let said = faults_after(|sandbox, card, _| fs::remove_file(sandbox.path(card)).unwrap());
    assert_eq!(said.matches("card not found: sha256:").count(), 2, "{said}");
    let said = faults_after(|sandbox, card, _| sandbox.write(&card.replace(".json", ".deleted.json"), "{}"));
    assert!(said.contains("a tombstone holds exactly"), "{said}");
    let said = faults_after(|sandbox, card, _| sandbox.write("context/cards/00/x.json", sandbox.read(card)));
    assert!(said.contains("its path is none of a card"), "{said}");
    let said = faults_after(|sandbox, _, found| sandbox.write(found, sandbox.read(found).replace("card_ids", "cards")));
    assert!(said.contains("unknown field `cards`"), "{said}");
    let said = faults_after(|sandbox, _, found| sandbox.write("context/boxes/README.md", sandbox.read(found)));
    assert!(said.contains("no file of this program is here"), "{said}");
    let said = faults_after(|sandbox, _, _| sandbox.write("context/logs/log/notes.txt", "x"));
    assert!(said.contains("its name is none that this program gives"), "{said}");
    let said = faults_after(|sandbox, _, _| {
        let file = log_file(sandbox);
        sandbox.write(&file, sandbox.read(&file).replace("\"log\"", "\"other\""));
    });
    assert!(said.contains("its content was changed"), "{said}");
    // A card under the hash of its bytes that is not canonical, or not a card.
    for (text, fault) in [
        ("{\"a\": 1}", "canonical form"),
        ("{\"a\":1}", "`schema_version` is not `card/v1`"),
        ("{\"a\":1,\"a\":1}", "the key `a` appears twice in one object"),
        ("no", "is no JSON"),
    ] {
        let said = faults_after(|sandbox, _, _| {
            let hash = contextpack::Digest::of(text).to_string();
            sandbox.write(&path("cards", &hash), text);
        });
        assert!(said.contains(fault) && said.matches("invalid: ").count() >= 1, "{text}: {said}");
    }
    #[cfg(unix)]
    {
        let said = faults_after(|sandbox, card, _| {
            fs::rename(sandbox.path(card), sandbox.beside("card.json")).unwrap();
            std::os::unix::fs::symlink(sandbox.beside("card.json"), sandbox.path(card)).unwrap();
        });
        assert!(said.contains("it is not a regular file"), "{said}");
    }
}

#[test]
fn a_fault_quotes_no_secret_of_a_card_that_was_made_by_hand() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let kind = json!({"kind": secret});
    for (field, value) in [
        ("type", json!(secret)),
        ("role", json!(secret)),
        (secret, json!(1)),
        ("content", kind),
        ("expires_at", json!(secret)),
    ] {
        let said = faults_after(|sandbox, _, _| {
            let mut card = json!({"schema_version": "card/v1", "type": "task.instruction", "role": "user",
                "author_id": "a", "content": {"kind": "text", "text": "x"}, "metadata": {}});
            card[field] = value;
            let text = serde_jcs::to_string(&card).unwrap();
            sandbox.write(&path("cards", &contextpack::Digest::of(&text).to_string()), text);
        });
        assert!(said.contains("invalid: ") && !said.contains(secret), "{field}: {said}");
    }
}

/// A folder with a card, a box, a log, a batch and a turn, and the ids of the first two and the batch.
fn everything() -> (Sandbox, [String; 3]) {
    let sandbox = crate::handover::repo();
    let card_id = card(&sandbox, "a");
    sandbox.expect(0, &["box", "append", "coder", &card_id]);
    let box_id = id(&sandbox.expect(0, &["box", "snapshot", "coder"]));
    sandbox.expect(0, &["inbox", "put", "coder", "--box", &box_id]);
    sandbox.write(
        "tasks.yml",
        "parent_agent: planner\ntasks:\n  - {target_strategy: new, target_ref: coder, instruction: Go}\n",
    );
    let batch = sandbox.expect(0, &["batch", "fork", "tasks.yml"]).trim().to_owned();
    sandbox.expect(0, &["batch", "claim", &batch, "0"]);
    let other = card(&sandbox, "gone");
    sandbox.expect(0, &["card", "delete", &other]);
    (sandbox, [card_id, box_id, batch])
}

fn rewrite(sandbox: &Sandbox, change: impl Fn(&str) -> String) {
    for (path, text) in sandbox.files() {
        if path.starts_with("context/") && !path.starts_with("context/packs/") {
            sandbox.write(&path, change(&String::from_utf8(text).unwrap()));
        }
    }
}

#[test]
fn a_line_end_that_a_formatter_adds_is_no_change_of_a_file() {
    let (sandbox, [card_id, box_id, batch]) = everything();
    for end in ["\n", "\r\n"] {
        rewrite(&sandbox, |text| text.trim_end().to_owned() + end);
        let said = sandbox.run(&["verify", "context", "--strict"]);
        assert!(said.code == 0 && said.stderr.is_empty(), "{said:?}");
        assert!(said.stdout.contains(&card_id) && said.stdout.contains(&box_id), "{said:?}");
        let shown = sandbox.json(0, &["card", "show", &card_id[..20], "--format", "json"]);
        assert_eq!((&shown["cards"][0]["card_id"], &shown["missing_card_ids"]), (&(&*card_id).into(), &json!([])));
        let shown = sandbox.json(0, &["box", "show", "coder", "--format", "json"]);
        assert_eq!(shown["card_ids"], json!([card_id]));
        assert_eq!(id(&sandbox.expect(0, &["box", "snapshot", "coder"])), box_id);
        assert_eq!(sandbox.expect(0, &["batch", "fork", "tasks.yml"]).trim(), batch);
        let status = sandbox.json(0, &["batch", "status", &batch, "--format", "json"]);
        assert_eq!((&status["tasks"][0]["status"], &status["faults"]), (&"dispatched".into(), &json!([])));
        sandbox.expect(0, &["page", "context", "-o", "page.html"]);
        let inbox = sandbox.json(0, &["inbox", "list", "coder", "--format", "json"]);
        assert_eq!((inbox["turns"].as_array().unwrap().len(), &inbox["faults"]), (1, &json!([])));
    }
}

#[test]
fn what_a_formatter_changed_otherwise_is_named_with_its_repair() {
    let (sandbox, [card_id, box_id, batch]) = everything();
    let before = sandbox.files();
    rewrite(&sandbox, |text| {
        serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(text).unwrap()).unwrap()
    });
    for args in [
        &["card", "show", &card_id][..],
        &["box", "show", &box_id],
        &["box", "show", "coder"],
        &["batch", "status", &batch],
        &["inbox", "list", "coder"],
    ] {
        let said = sandbox.run(args);
        assert!(said.code == 3 && said.stderr.contains("a formatter changed"), "{args:?}: {said:?}");
        assert!(said.stderr.contains("`contextpack card fix`"), "{args:?}: {said:?}");
    }
    let paths = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        let own = files.iter().map(|(path, _)| path.clone());
        own.filter(|path| path.starts_with("context/") && !path.starts_with("context/packs/")).collect()
    };
    let fix = |code: i32, damaged: &[&str]| -> Vec<String> {
        let mut output = sandbox.json(code, &["card", "fix", "--format", "json"]);
        assert_eq!(output["damaged"], serde_json::json!(damaged));
        let fixed = output["fixed"].take();
        let mut fixed: Vec<String> = serde_json::from_value(fixed).unwrap();
        fixed.sort();
        fixed
    };
    assert_eq!(fix(0, &[]), paths(&before));
    assert_eq!(sandbox.files(), before);
    // What holds something else than its name says is for git to restore, also if it was formatted.
    rewrite(&sandbox, |text| text.to_owned() + " \n\n");
    let card_path = crate::cards::path("cards", &card_id);
    sandbox.write(&card_path, sandbox.read(&card_path).replace("\"role\":\"", "\"role\":\"x"));
    assert_eq!(fix(3, &[&card_path]).len(), paths(&before).len() - 1);
    assert!(sandbox.expect(5, &["verify", "context"]).contains(&card_path));
    assert!(fix(3, &[&card_path]).is_empty());
    let (_, original) = before.iter().find(|(path, _)| *path == card_path).unwrap();
    sandbox.write(&card_path, String::from_utf8(original.clone()).unwrap());
    assert_eq!(sandbox.files(), before);
}

#[test]
fn a_tombstone_is_no_warning() {
    let sandbox = Sandbox::configured(&[]);
    let card_id = card(&sandbox, "a");
    sandbox.expect(0, &["card", "delete", &card_id]);
    for args in [&["verify", "context"][..], &["verify", "context", "--strict"], &["build"], &["check"]] {
        let said = sandbox.run(args);
        assert!(said.code == 0 && !said.stderr.contains("warning"), "{args:?}: {said:?}");
    }
}

#[test]
fn a_damaged_file_is_reported_where_it_is_read() {
    let sandbox = Sandbox::configured(&[]);
    let (a, b) = (card(&sandbox, "a"), card(&sandbox, "b"));
    sandbox.expect(0, &["box", "append", "log", &a]);
    let box_id = id(&sandbox.expect(0, &["box", "snapshot", "log"]));
    sandbox.write(&path("cards", &a), "{}");
    sandbox.write(&path("boxes", &box_id), "{}");
    for args in [
        &["card", "show", &a][..],
        &["box", "new", &b, &a],
        &["box", "append", "log", &a],
        &["box", "show", &box_id],
        &["box", "new", &b, "--parent", &box_id],
    ] {
        refused(&sandbox, 3, args, "", "its content was changed");
    }
    sandbox.write("context/logs/log/00000001-x.json", "{}");
    refused(&sandbox, 3, &["box", "append", "log", &b], "", "move it out of the log");
    refused(&sandbox, 3, &["box", "show", "log"], "", "move it out of the log");
    // Written again, a card is whole again.
    assert_eq!(card(&sandbox, "a"), a);
    assert_eq!(sandbox.run(&["card", "show", &a]).code, 0);
}
