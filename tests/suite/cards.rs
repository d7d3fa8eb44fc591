//! Cards: what is written, what is refused, and what never reaches a file.

use crate::sandbox::{Run, Sandbox, run};
use serde_json::{Value, json};
use std::fs;

/// The id of an output of one line.
pub(crate) fn id(text: &str) -> String {
    assert!(text.starts_with("sha256:") && text.len() == 72, "{text:?}");
    text.trim_end().to_owned()
}

/// Writes a card of this text, and returns its id.
pub(crate) fn card(sandbox: &Sandbox, text: &str) -> String {
    id(&sandbox.expect(0, &["card", "add", "--type", "task.instruction", "--text", text]))
}

/// The path of the file of a card or box.
pub(crate) fn path(folder: &str, id: &str) -> String {
    let hex = id.strip_prefix("sha256:").unwrap();
    format!("context/{folder}/{}/{hex}.json", &hex[..2])
}

/// Runs a command that has to fail with this code and message, and must leave every file as it was.
pub(crate) fn refused(sandbox: &Sandbox, code: i32, args: &[&str], input: &str, message: &str) {
    // What is about to be written is in the state folder, which git ignores.
    let files =
        || sandbox.files().into_iter().filter(|(path, _)| !path.starts_with(".contextpack/")).collect::<Vec<_>>();
    let before = files();
    let run = sandbox.run_with(args, input);
    assert_eq!(run.code, code, "{args:?} {input}\n{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(message), "{args:?} {input}\n{}", run.stderr);
    assert_eq!(files(), before, "{args:?} {input}");
    assert_eq!(run.stdout, "", "{args:?} {input}");
}

#[test]
fn a_card_is_its_canonical_json_under_its_hash() {
    let sandbox = Sandbox::configured(&[]);
    let args = ["card", "add", "--type", "task.instruction", "--text", "Ünï\n\"code\" 😀", "--author", "planner"];
    let card_id = id(&sandbox.expect(0, &[&args[..], &["--meta", "b=2", "--meta", "a=1", "--ttl", "3600"]].concat()));
    let text = sandbox.read(&path("cards", &card_id));
    assert_eq!(
        text,
        "{\"author_id\":\"planner\",\"content\":{\"kind\":\"text\",\"text\":\"Ünï\\n\\\"code\\\" 😀\"},\
         \"expires_at\":\"2026-02-22T02:20:00Z\",\"metadata\":{\"a\":\"1\",\"b\":\"2\"},\"role\":\"user\",\
         \"schema_version\":\"card/v1\",\"type\":\"task.instruction\"}"
    );
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_jcs::to_string(&value).unwrap(), text);
    // Equal cards are one file, however their JSON is written.
    sandbox.write("card.json", serde_json::to_string_pretty(&value).unwrap());
    assert_eq!(sandbox.json(0, &["card", "add", "card.json", "--format", "json"]), json!({"card_id": card_id}));
    assert_eq!(sandbox.files().iter().filter(|(path, _)| path.starts_with("context/")).count(), 1);
    let valid = sandbox.expect(0, &["verify", "context"]);
    assert_eq!(valid, format!("valid: {} {card_id}\n", path("cards", &card_id)));
}

#[test]
fn every_kind_of_content_and_every_type_is_read_back() {
    let sandbox = Sandbox::configured(&[]);
    let sha256 = "0".repeat(64);
    let contents = [
        json!({"kind": "text", "text": ""}),
        json!({"kind": "json", "value": [null, true, -1, {"a": {}}]}),
        json!({"kind": "fields_schema", "fields": [{"name": "cost", "description": "in EUR", "type": "number", "max": 1.5}]}),
        json!({"kind": "json", "value": {"t": 0.5, "large": 1e21, "small": 1e-7}}),
        json!({"kind": "file", "path": "docs/a.md", "sha256": sha256}),
        json!({"kind": "file", "uri": "https://example.com/a", "sha256": sha256}),
        json!({"kind": "tool_call", "tool_name": "search", "arguments": {"q": "x"}}),
        json!({"kind": "tool_result", "status": "success", "result": null, "after_execution": "suspend"}),
        json!({"kind": "tool_result", "status": "timeout", "error": {"code": "slow", "message": "too late"}}),
    ];
    for content in contents {
        let card = json!({"type": "custom.kind", "role": "user", "content": content});
        let run = sandbox.run_with(&["card", "add", "-"], &card.to_string());
        assert_eq!(run.code, 0, "{card} {}", run.stderr);
        let shown = sandbox.json(0, &["card", "show", run.stdout.trim(), "--format", "json"]);
        assert_eq!(shown["cards"][0]["content"], card["content"]);
        assert_eq!(shown["cards"][0]["author_id"], "user");
    }
    for (kind, role) in [
        ("task.instruction", "user"),
        ("agent.thought", "assistant"),
        ("tool.call", "assistant"),
        ("task.deliverable", "assistant"),
        ("tool.result", "tool"),
        ("sys.profile", "system"),
        ("sys.rendered_prompt", "system"),
        ("sys.tools", "system"),
        ("meta.parent_pointer", "system"),
        ("task.result_fields", "system"),
    ] {
        let content = match kind {
            "task.result_fields" => json!({"kind": "fields_schema", "fields": []}),
            _ => json!({"kind": "text", "text": "x"}),
        };
        let card = json!({"type": kind, "content": content}).to_string();
        let card_id = sandbox.run_with(&["card", "add", "-"], &card).stdout;
        let shown = sandbox.json(0, &["card", "show", card_id.trim(), "--format", "json"]);
        assert_eq!(shown["cards"][0]["role"], role, "{kind}");
    }
    assert!(!sandbox.expect(0, &["verify", "context"]).contains("invalid"));
}

#[test]
fn what_is_no_card_is_refused_and_nothing_is_written() {
    let sandbox = Sandbox::configured(&[]);
    card(&sandbox, "one");
    let text = json!({"kind": "text", "text": "x"});
    let with = |fields: Value| {
        let mut card = json!({"type": "task.instruction", "content": text});
        for (key, value) in fields.as_object().unwrap() {
            card[key] = value.clone();
        }
        card.to_string()
    };
    let sha256 = "a".repeat(64);
    let cases = [
        ("".to_owned(), "is no JSON"),
        ("[]".to_owned(), "a card is a JSON object"),
        ("[".repeat(100_000), "recursion limit exceeded"),
        ("{\"type\": 1e999}".to_owned(), "is no JSON"),
        ("{\"type\": \"a.b\", \"type\": \"a.b\"}".to_owned(), "the key `type` appears twice in one object"),
        (json!({"content": text}).to_string(), "missing field `type`"),
        (json!({"type": "task.instruction"}).to_string(), "missing field `content`"),
        (json!({"type": "a.b", "content": text}).to_string(), "`role` is missing"),
        (with(json!({"type": "note", "role": "user"})), "`note` is no type of a card"),
        (with(json!({"type": "a..b", "role": "user"})), "is no type of a card"),
        (with(json!({"role": "robot"})), "unknown variant `robot`"),
        (with(json!({"schema_version": "card/v2"})), "`schema_version` is not `card/v1`"),
        (with(json!({"colour": 1})), "unknown field `colour`"),
        (with(json!({"meta": {}})), "unknown field `meta`"),
        (with(json!({"author_id": ""})), "`author_id` is empty"),
        (with(json!({"author_id": null})), "invalid type: null"),
        (with(json!({"tool_call_id": null})), "invalid type: null"),
        (with(json!({"tool_calls": []})), "`tool_calls` is empty"),
        (with(json!({"tool_calls": [{"id": "1"}]})), "missing field `tool_name`"),
        (with(json!({"metadata": []})), "invalid type"),
        (with(json!({"metadata": {"a": [1, 9_007_199_254_740_993_u64]}})), "`metadata.a.1` is an integer beyond 2^53"),
        (with(json!({"type": "task.result_fields"})), "the content of `task.result_fields` is a `fields_schema`"),
        (
            with(json!({"content": {"kind": "fields_schema", "fields": [{"name": " ", "description": ""}]}})),
            "the `name` of a field is empty",
        ),
        (with(json!({"expires_at": "tomorrow"})), "`expires_at` is no time"),
        (with(json!({"expires_at": "2026-02-30T00:00:00Z"})), "`expires_at` is no time"),
        (with(json!({"expires_at": "2026-02-20T00:00:00.5Z"})), "`expires_at` is no time"),
        (with(json!({"content": "x"})), "no object with a `kind`"),
        (json!({"type": "note", "content": text}).to_string(), "types have a dot"),
        (with(json!({"content": {"kind": "video"}})), "unknown variant `video`"),
        (with(json!({"content": {"kind": "text"}})), "missing field `text`"),
        (with(json!({"content": {"kind": "text", "text": "x", "lang": "en"}})), "unknown field `lang`"),
        (with(json!({"content": {"kind": "fields_schema", "fields": {"a": "b"}}})), "not a card"),
        (with(json!({"content": {"kind": "fields_schema", "fields": [{"name": "a"}]}})), "missing field `description`"),
        (with(json!({"content": {"kind": "file", "sha256": sha256}})), "either a `path` or a `uri`"),
        (
            with(json!({"content": {"kind": "file", "path": "a", "uri": "b", "sha256": sha256}})),
            "either a `path` or a `uri`",
        ),
        (with(json!({"content": {"kind": "file", "path": "../a", "sha256": sha256}})), "from the repo's root"),
        (with(json!({"content": {"kind": "file", "path": "a", "sha256": "abc"}})), "64 lower-case hex digits"),
        (with(json!({"content": {"kind": "tool_result", "status": "failed"}})), "has an `error`"),
        (
            with(json!({"content": {"kind": "tool_result", "status": "failed", "error": {"code": "x"}}})),
            "missing field `message`",
        ),
        (
            with(
                json!({"content": {"kind": "tool_result", "status": "success", "error": {"code": "x", "message": ""}}}),
            ),
            "has no `error`",
        ),
    ];
    for (input, message) in cases {
        refused(&sandbox, 2, &["card", "add", "-"], &input, message);
    }
    for args in [
        &["card", "add"][..],
        &["card", "add", "--text", "x"],
        &["card", "add", "--type", "task.instruction"],
        &["card", "add", "--type", "task.instruction", "--text", "x", "--ttl", "0"],
        &["card", "add", "--type", "task.instruction", "--text", "x", "--ttl", "999999999999999"],
        &["card", "add", "--type", "task.instruction", "--text", "x", "--meta", "k"],
        &["card", "add", "--type", "task.instruction", "--text", "x", "--meta", "k=1", "--meta", "k=2"],
        &["card", "add", "--type", "task.instruction", "--text", "x", "--from-messages", "-"],
        &["card", "show", "abc"],
        &["card", "show", "sha256:xyz"],
    ] {
        refused(&sandbox, 2, args, "", "error");
    }
    refused(&sandbox, 1, &["card", "add", "none.json"], "", "cannot read");
    refused(&sandbox, 3, &["card", "delete", "00000000"], "", "card not found: 00000000");
}

#[test]
fn cards_are_shown_in_the_order_that_was_asked_for() {
    let sandbox = Sandbox::configured(&[]);
    let (a, b) = (card(&sandbox, "a"), card(&sandbox, "b"));
    let expired =
        id(&sandbox.expect(0, &["card", "add", "--type", "a.b", "--role", "user", "--text", "x", "--ttl", "1"]));
    let gone = card(&sandbox, "gone");
    assert_eq!(sandbox.json(0, &["card", "delete", &gone, "--format", "json"])["deleted"], true);
    assert_eq!(sandbox.json(0, &["card", "delete", &gone, "--format", "json"])["deleted"], false);
    let missing = "f".repeat(64);
    let mut late =
        sandbox.command(&["card", "show", &b[7..], &expired, &missing, &a[..20], &gone, &b, "--format", "json"]);
    late.env("SOURCE_DATE_EPOCH", "1771723201");
    let shown = run(late, "");
    assert_eq!(shown.code, 0);
    let value: Value = serde_json::from_str(&shown.stdout).unwrap();
    let ids: Vec<&str> = value["cards"].as_array().unwrap().iter().map(|it| it["card_id"].as_str().unwrap()).collect();
    assert_eq!(ids, [b.as_str(), &a]);
    assert_eq!(value["missing_card_ids"], json!([missing, expired, gone]));
    assert!(shown.stderr.contains(": expired") && shown.stderr.contains(": deleted"), "{}", shown.stderr);
    // Added again, it stays deleted.
    let again = sandbox.run(&["card", "add", "--type", "task.instruction", "--text", "gone"]);
    assert!(again.stdout.trim() == gone && again.stderr.contains("stays deleted"), "{}", again.stderr);
    assert_eq!(sandbox.json(0, &["card", "show", &gone, "--format", "json"])["cards"], json!([]));
    // Without its file, it is purged, and boxes that name it stay valid.
    sandbox.expect(0, &["box", "append", "log", &a, &b]);
    sandbox.expect(0, &["card", "delete", &a]);
    fs::remove_file(sandbox.path(&path("cards", &a))).unwrap();
    sandbox.expect(0, &["verify", "context"]);
    let many: Vec<String> = (0..101).map(|n| format!("{n:064x}")).collect();
    let args: Vec<&str> = ["card", "show"].into_iter().chain(many.iter().map(String::as_str)).collect();
    refused(&sandbox, 2, &args, "", "at most 100");
    assert_eq!(sandbox.run(&args[..102]).code, 0);
}

#[test]
fn no_secret_in_any_field_reaches_a_file_or_the_terminal() {
    let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let password = "correct-Horse7battery";
    let sandbox = Sandbox::configured(&[]);
    let card = json!({
        "type": "agent.thought",
        "author_id": format!("bot {token}"),
        "content": {"kind": "json", "value": {
            token.clone(): 1,
            "password": password,
            "nested": {"text": format!("{{\"password\": \"{password}\", \"n\": 0.5}}")},
        }},
        "tool_calls": [{"id": "c1", "tool_name": token, "arguments": {"api_key": password, "list": [token]}}],
        "tool_call_id": token,
        "metadata": {"a": {"b": [token]}, "client_secret": password},
    });
    let messages = json!([
        {"role": "user", "content": [{"type": "text", "text": token}], "name": token},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function":
            {"name": "f", "arguments": json!({"password": password, "f": 0.5}).to_string()}}]},
        {"role": "tool", "tool_call_id": "1", "content": json!({"rows": [{"password": password}]}).to_string()},
    ]);
    let mut runs: Vec<Run> = vec![
        sandbox.run_with(&["card", "add", "-"], &card.to_string()),
        sandbox.run_with(&["card", "add", "--from-messages", "-"], &messages.to_string()),
        sandbox.run(&[
            "card",
            "add",
            "--type",
            "a.b",
            "--role",
            "user",
            "--text",
            &token,
            "--meta",
            &format!("k={token}"),
        ]),
    ];
    assert!(
        runs.iter().all(|run| run.code == 0 && run.stderr.contains("secrets or invisible characters were removed")),
        "{runs:?}"
    );
    let card_id = runs[2].stdout.trim().to_owned();
    runs.push(sandbox.run(&["box", "append", "log", &card_id, "--author", &token]));
    assert_eq!(runs[3].code, 0);
    // A name that cannot be changed is refused, and not repeated.
    let log = token.to_lowercase();
    for (args, input) in [
        (&["card", "add", "-"][..], json!({"type": token, "role": "user", "content": 1}).to_string()),
        (&["card", "add", "-"], format!("{{\"{token}\": 1, \"{token}\": 1}}")),
        (&["card", "show", &token], String::new()),
        (&["box", "show", &token], String::new()),
        (&["box", "append", &token, &card_id], String::new()),
        (&["box", "append", &log, &card_id], String::new()),
    ] {
        let run = sandbox.run_with(args, &input);
        assert!(run.code == 2 || args.contains(&log.as_str()), "{args:?}: {}", run.stderr);
        runs.push(run);
    }
    for (path, bytes) in sandbox.files() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if path.starts_with("context/cards/") {
            // What was redacted stays as it is.
            let again = sandbox.expect(0, &["card", "add", &path]);
            assert!(path.ends_with(&format!("{}.json", &again.trim()["sha256:".len()..])), "{path}: {again}");
        }
        assert!(!text.contains(&token) && !text.contains(password), "{path}: {text}");
    }
    for run in runs {
        for text in [run.stdout, run.stderr] {
            assert!(!text.contains(&token) && !text.contains(password), "{text}");
        }
    }
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn a_secret_of_the_environment_is_refused() {
    let mut sandbox = Sandbox::configured(&[]);
    sandbox.set_variable("DEPLOY_TOKEN", "q7Rt5-Kx9wZ1c3-mm2");
    let args = ["card", "add", "--type", "task.instruction", "--text", "use q7Rt5-Kx9wZ1c3-mm2 now"];
    let before = sandbox.files();
    let run = sandbox.run(&args);
    assert_eq!((run.code, sandbox.files()), (3, before));
    assert!(run.stderr.contains("DEPLOY_TOKEN") && !run.stderr.contains("Kx9wZ1c3"), "{}", run.stderr);
}

#[test]
fn no_pack_has_anything_to_do_with_cards() {
    let files = [
        ("work_items/a.md", "---\nid: a\ntitle: A\n---\n\nSee context/notes.md and `context/cards/x/y.json`.\n"),
        ("context/notes.md", "# Notes\n\nThese are the user's.\n"),
        ("contextpack.yml", "documents: [{include: [\"context/**\"], pinned: true}]\n"),
    ];
    let sandbox = Sandbox::configured(&files);
    sandbox.commit();
    sandbox.expect(0, &["build", "-q"]);
    let before = sandbox.packs();
    assert!(sandbox.read("packs/a.coding.json").contains("These are the user's."));
    let card_id = card(&sandbox, "a card");
    sandbox.expect(0, &["box", "append", "log", &card_id]);
    sandbox.expect(0, &["box", "snapshot", "log"]);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "cards"]);
    sandbox.expect(0, &["check"]);
    sandbox.expect(0, &["build", "-q"]);
    assert_eq!(sandbox.packs(), before);
}

#[test]
fn the_folder_is_configured_and_inside_the_repo() {
    let sandbox = Sandbox::with(&[("contextpack.yml", "handover: {dir: notes/agents}\n")]);
    let card_id = card(&sandbox, "a");
    assert!(sandbox.has(&path("cards", &card_id).replace("context/", "notes/agents/")));
    sandbox.expect(0, &["verify", "notes/agents"]);
    for dir in ["../x", "/x", ".git/x", ".github", ".contextpack/cards", "packs", "packs/x"] {
        sandbox.write("contextpack.yml", format!("handover: {{dir: {dir}}}\n"));
        refused(&sandbox, 3, &["card", "add", "--type", "task.instruction", "--text", "x"], "", "contextpack.yml:1:");
    }
    #[cfg(unix)]
    {
        sandbox.write("contextpack.yml", "version: 1\n");
        fs::create_dir(sandbox.beside("outside")).unwrap();
        std::os::unix::fs::symlink(sandbox.beside("outside"), sandbox.path("context")).unwrap();
        refused(&sandbox, 3, &["card", "add", "--type", "task.instruction", "--text", "x"], "", "is a link");
    }
}

/// The tutorial of docs/handover.md, as it stands there.
#[cfg(unix)]
#[test]
fn the_tutorial_runs_as_it_stands() {
    let sandbox = Sandbox::new();
    let run = sandbox.run_script_of("handover.md", "## Tutorial");
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("It costs 12 MB.") && run.stdout.contains("coder@2  4 cards"), "{}", run.stdout);
    assert!(!run.stdout.contains("invalid"), "{}", run.stdout);
    for (path, bytes) in sandbox.files().into_iter().filter(|(path, _)| path.starts_with("context/")) {
        assert!(!String::from_utf8(bytes).unwrap().contains("Horse7battery"), "{path}");
    }
    let messages: Value = serde_json::from_str(&sandbox.read("messages.json")).unwrap();
    assert_eq!(messages, json!([{"role": "user", "content": "Say what the cache costs."}]));
}
