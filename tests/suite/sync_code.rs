//! The lines that issues name by URLs of commits: fetched by `sync`, shown by builds.

use crate::issues::{issue as issue_file, path};
use crate::sandbox::Sandbox;
use crate::stand_in::{Said, StandIn, World};
use crate::sync::{asked, issue, sandbox, snapshot, sync, synced};
use serde_json::{Value, json};

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";

fn url(repo: &str, commit: &str, file: &str) -> String {
    format!("https://github.com/{repo}/blob/{commit}/{file}")
}

fn world(body: &str) -> World {
    let mut world = World::with("o/r");
    world.issue("o/r", 1)["body"] = body.into();
    for (path, text) in [("src/old.rs", "one\ntwo\nthree\nfour\n"), ("keys/deploy.pem", "1\n"), ("big.rs", "x\n")] {
        world.files.insert(("o/r".to_owned(), path.to_owned(), SHA.to_owned()), text.to_owned());
    }
    world
}

fn code(sandbox: &Sandbox) -> Value {
    let text = sandbox.read(".contextpack/github/o/r/1.json");
    serde_json::from_str::<Value>(&text).unwrap()["code"].clone()
}

#[test]
fn lines_at_a_commit_are_kept_and_shown_even_if_the_file_is_gone() {
    let body = format!("It broke [here]({}).", url("o/r", SHA, "src/old.rs#L2-L3"));
    let (sandbox, server) = (sandbox(), StandIn::new(world(&body)));
    synced(&sandbox, &server, &[]);
    let kept = json!([{"path": "src/old.rs", "commit": SHA, "first": 2, "last": 3, "text": "two\nthree"}]);
    assert_eq!(code(&sandbox), kept);
    assert_eq!(asked(&server.asked(), "/contents/"), 1);

    sandbox.expect(0, &["build", "-q", "1"]);
    let pack: Value = serde_json::from_str(&sandbox.read("packs/issue-1.coding.json")).unwrap();
    let sections = pack["sections"].as_array().unwrap();
    let id = format!("code.src/old.rs@{SHA}#L2-L3");
    let section = sections.iter().find(|section| section["id"] == id.as_str()).unwrap();
    assert_eq!(section["source"]["lines"], json!([2, 3]));
    let content = format!("Lines as of commit {SHA}, not those of today.\n\n```rust\ntwo\nthree\n```");
    assert_eq!(section["content"].as_str().unwrap().trim_end(), content);

    // With the file there, the lines of the commit stand for those of today.
    sandbox.write("src/old.rs", "new\n".repeat(9));
    sandbox.expect(0, &["build", "-q", "1"]);
    let pack = sandbox.read("packs/issue-1.coding.json");
    assert!(pack.contains("two\\nthree") && !pack.contains("Lines of today"), "{pack}");
    sandbox.expect(0, &["verify", "packs"]);
}

#[test]
fn a_file_at_a_commit_is_asked_for_once() {
    let both = format!("{} {}", url("o/r", SHA, "src/old.rs#L1"), url("o/r", SHA, "src/old.rs#L3-L9"));
    let gone = url("o/r", OTHER, "src/old.rs#L1");
    let mut world = world(&format!("{both} {gone}"));
    world.issue("o/r", 2)["body"] = both.clone().into();
    world.comment("o/r", 1, &url("o/r", SHA, "big.rs#L1"), "OWNER");
    world.comment("o/r", 1, &url("o/r", SHA, "src/old.rs#L4"), "NONE");
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    assert_eq!(asked(&server.asked(), "/contents/"), 3);
    let texts: Vec<String> = issue(&sandbox, "o/r/1").code.into_iter().map(|code| code.text).collect();
    assert_eq!(texts, ["x", "one", "three\nfour"]);
    assert_eq!(issue(&sandbox, "o/r/2").code.len(), 2);
    let before = snapshot(&sandbox);
    synced(&sandbox, &server, &[]);
    assert_eq!((asked(&server.asked(), "/contents/"), snapshot(&sandbox)), (0, before));
    // A named issue is looked at anew.
    synced(&sandbox, &server, &["1"]);
    assert_eq!(asked(&server.asked(), "/contents/"), 1);
}

#[test]
fn a_failed_request_keeps_what_there_was() {
    let first = url("o/r", SHA, "src/old.rs#L1");
    let (sandbox, server) = (sandbox(), StandIn::new(world(&first)));
    synced(&sandbox, &server, &[]);
    {
        let mut world = server.world();
        world.issue("o/r", 1)["body"] = format!("{first} {}", url("o/r", SHA, "big.rs#L1")).into();
        world.issue("o/r", 1)["updated_at"] = "2026-02-01T00:00:00Z".into();
        let broken = Said::new(422, &json!({"message": "no"}));
        world.instead.insert("/repos/o/r/contents/big.rs".to_owned(), broken);
    }
    let run = sync(&sandbox, &server, &[]);
    assert_eq!((run.code, issue(&sandbox, "o/r/1").code.len()), (1, 1), "{}", run.stderr);
    server.world().instead.clear();
    synced(&sandbox, &server, &[]);
    assert_eq!(issue(&sandbox, "o/r/1").code.len(), 2);
}

#[test]
fn nothing_else_is_fetched() {
    let body = [
        url("p/q", SHA, "src/old.rs#L1"),
        url("o/r", "main", "src/old.rs#L1"),
        url("o/r", SHA, "src/old.rs"),
        url("o/r", SHA, "docs/a.md#L1"),
        url("o/r", SHA, "keys/deploy.pem#L1"),
        url("o/r", SHA, "src/old.rs#L1-L900"),
        url("o/r", SHA, "src/../../old.rs#L1"),
        url("o/r", &SHA[..12], "src/old.rs#L1"),
        format!("https://example.org/x?://github.com/o/rr/blob/{SHA}/src/old.rs#L1"),
    ];
    let (sandbox, server) = (sandbox(), StandIn::new(world(&body.join(" "))));
    synced(&sandbox, &server, &[]);
    assert_eq!((asked(&server.asked(), "/contents/"), code(&sandbox)), (0, Value::Null));
}

#[test]
fn secrets_leave_kept_lines_in_the_snapshot_and_in_packs() {
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let body = url("o/r", SHA, "src/old.rs#L1-L3");
    let mut world = world(&body);
    let file = ("o/r".to_owned(), "src/old.rs".to_owned(), SHA.to_owned());
    world.files.insert(file, format!("one\nlet key = \"{token}\";\nthree\n"));
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    let kept = sandbox.read(".contextpack/github/o/r/1.json");
    assert!(!kept.contains(&token) && kept.contains("[REDACTED:") && kept.contains("three"), "{kept}");

    // A snapshot that somebody wrote by hand goes through redaction too.
    let mut raw: Value = serde_json::from_str(&issue_file("o/r", 1, "T", &body)).unwrap();
    let text = format!("one\nlet key = \"{token}\";\nthree");
    raw["code"] = json!([{"path": "src/old.rs", "commit": SHA, "first": 1, "last": 3, "text": text}]);
    sandbox.write(&path("o/r", 1), raw.to_string());
    sandbox.expect(0, &["build", "-q", "1"]);
    let pack = sandbox.read("packs/issue-1.coding.json");
    assert!(!pack.contains(&token) && pack.contains("Lines as of commit"), "{pack}");
    let pack: Value = serde_json::from_str(&pack).unwrap();
    assert!(
        pack["redactions"].as_array().is_some_and(|all| all.iter().any(|one| one["line"] == 2))
            || pack.to_string().contains("\"line\":2"),
        "{pack}"
    );
}

#[test]
fn wrong_types_and_values_are_refused() {
    let sandbox = sandbox();
    let good = json!({"path": "a.rs", "commit": SHA, "first": 1, "last": 1, "text": "x"});
    let write = |code: Value| {
        let mut raw: Value = serde_json::from_str(&issue_file("o/r", 1, "T", "Text.")).unwrap();
        raw["code"] = code;
        sandbox.write(&path("o/r", 1), raw.to_string());
    };
    write(json!([good]));
    sandbox.expect(0, &["build", "-q"]);
    for (field, value) in [
        ("path", json!("../a.rs")),
        ("path", json!(1)),
        ("commit", json!("main")),
        ("first", json!(0)),
        ("last", json!("1")),
        ("text", json!(null)),
        ("more", json!(1)),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value.clone();
        write(json!([wrong]));
        let run = sandbox.run(&["build"]);
        assert!(run.stderr.contains("invalid-snapshot"), "{field}: {value}: {}", run.stderr);
    }
    write(json!({}));
    assert!(sandbox.run(&["build"]).stderr.contains("invalid-snapshot"));
}
