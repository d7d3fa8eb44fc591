//! Handovers: what they write, and what they never write.

use crate::cards::{card, id, refused};
use crate::sandbox::{Sandbox, run};
use serde_json::{Value, json};
use std::fs;

const CODER: &str = "---\nname: Coder\npurpose: Writes code\nmodel: sonnet\nskills: [rust, sql]\nllm_config: {temperature: 0.2, stop: [a, b], stream: true}\n---\n# Coder\n\nWrites code.\n";
const PLANNER: &str = "---\nname: Planner\npurpose: Plans\n---\n# Planner\n\nPlans.\n";
const ITEM: &str = "---\nid: feat:a\ntitle: A\n---\nDo a.\n\n## Acceptance criteria\n\n- It is done.\n";

/// A repo with two agents and an item.
pub(crate) fn repo() -> Sandbox {
    Sandbox::configured(&[("agents/coder.md", CODER), ("agents/planner.md", PLANNER), ("work_items/a.md", ITEM)])
}

/// Runs `handover` with these words, and returns what it prints.
pub(crate) fn handover(sandbox: &Sandbox, words: &[&str]) -> Value {
    sandbox.json(0, &[&["handover"], words, &["--format", "json"]].concat())
}

/// The pack of a result.
pub(crate) fn pack(sandbox: &Sandbox, result: &Value) -> Value {
    serde_json::from_str(&sandbox.read(result["pack"]["path"].as_str().unwrap())).unwrap()
}

/// The sections of cards, as provenance and type.
pub(crate) fn cards(pack: &Value) -> Vec<(String, String)> {
    let sections = pack["sections"].as_array().unwrap().iter().filter(|section| section["kind"] == "card");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    sections.map(|section| (text(&section["provenance"]), text(&section["metadata"]["card"]["type"]))).collect()
}

#[test]
fn inherited_cards_come_first_then_the_arguments_then_the_parent() {
    let sandbox = repo();
    let (a, b, c) = (card(&sandbox, "a"), card(&sandbox, "b"), card(&sandbox, "c"));
    sandbox.expect(0, &["box", "append", "planner", &b, &a]);
    let other = id(&sandbox.expect(0, &["box", "new", &a, &c]));
    let words = ["delegate", "--from", "planner", "--to", "coder", "--root", "feat:a", "--arg", "instruction=Go"];
    let result = handover(&sandbox, &[&words[..], &["--box", &other, "--box", "planner"]].concat());
    let attached: Vec<&str> =
        result["attached_card_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(attached[..3], [&*a, &*c, &*b]);
    let pack = pack(&sandbox, &result);
    let given: Vec<String> = cards(&pack).into_iter().map(|(given, _)| given).collect();
    assert_eq!(given, ["inherited", "inherited", "inherited", "argument", "parent_pointer"]);
    let context = result["context_box_id"].as_str().unwrap();
    assert_eq!(result["pack"]["path"], format!("context/packs/{}.json", &context[7..19]));
    assert_eq!(result["output_box"], format!("coder-{}", &context[7..19]));
    assert_eq!((&pack["hash"], &pack["agent"]), (&result["pack"]["hash"], &result["agent"]));
    // What was handed over stays as it was, whatever is appended to the log.
    let shown = sandbox.json(0, &["box", "show", context, "--format", "json"]);
    assert_eq!(shown["card_ids"], result["attached_card_ids"]);
    let snapshot = id(&sandbox.expect(0, &["box", "snapshot", "planner"]));
    assert_eq!(shown["parent_ids"], json!([other, snapshot]));
    let profile =
        sandbox.json(0, &["box", "show", result["target_profile_box_id"].as_str().unwrap(), "--format", "json"]);
    let profile = sandbox.json(0, &["card", "show", profile["card_ids"][0].as_str().unwrap(), "--format", "json"]);
    let profile = &profile["cards"][0]["content"]["value"];
    assert_eq!((&profile["name"], &profile["skills"]), (&json!("Coder"), &json!(["rust", "sql"])));
    assert_eq!(
        profile["fields"],
        json!({"model": "sonnet", "llm_config": {"temperature": 0.2, "stop": ["a", "b"], "stream": true}})
    );
    // The inputs name every card, and no time.
    let inputs = pack["inputs"].as_array().unwrap().iter().filter(|input| input["kind"] == "card").count();
    assert_eq!(inputs, 5);
    sandbox.expect(0, &["verify", "context", "--against-repo"]);
}

#[test]
fn the_same_handover_again_changes_no_file() {
    let sandbox = repo();
    let words = ["handover", "launch", "--to", "coder", "--root", "feat:a", "--arg", "instruction=Go"];
    let first = sandbox.expect(0, &words);
    let files = sandbox.files();
    let mut later = sandbox.command(&words);
    later.env("SOURCE_DATE_EPOCH", "1771800000").env("TZ", "Asia/Tokyo").env("LC_ALL", "tr_TR.UTF-8");
    assert_eq!(run(later, "").stdout, first);
    assert_eq!(sandbox.files(), files);
    // Another agent, or another item, is another handover.
    sandbox.write("work_items/b.md", ITEM.replace("feat:a", "feat:b"));
    for words in [["--to", "planner", "--root", "feat:a"], ["--to", "coder", "--root", "feat:b"]] {
        handover(&sandbox, &[&["launch", "--arg", "instruction=Go"], &words[..]].concat());
    }
    let packs = sandbox.files().iter().filter(|(path, _)| path.starts_with("context/packs/")).count();
    assert_eq!(packs, 3);
    // When the item changes, the pack of the handover follows it.
    sandbox.write("work_items/a.md", ITEM.replace("Do a.", "Do a with care."));
    let path = first.lines().find_map(|line| line.strip_prefix("pack:")).unwrap().trim();
    sandbox.expect(5, &["verify", path, "--against-repo"]);
    sandbox.expect(0, &words);
    sandbox.expect(0, &["verify", path, "--against-repo"]);
    let packs = sandbox.files().iter().filter(|(path, _)| path.starts_with("context/packs/")).count();
    assert_eq!(packs, 3);
}

#[test]
fn a_task_that_was_given_before_is_given_again() {
    let sandbox = repo();
    let words = ["delegate", "--from", "planner", "--to", "coder", "--arg", "instruction=Go"];
    let first = handover(&sandbox, &words);
    let again = handover(&sandbox, &[&words[..], &["--box", first["context_box_id"].as_str().unwrap()]].concat());
    let given: Vec<String> = cards(&pack(&sandbox, &again)).into_iter().map(|(given, _)| given).collect();
    assert_eq!(given, ["argument", "parent_pointer"]);
}

#[test]
fn no_secret_of_an_argument_reaches_a_file() {
    let mut sandbox = repo();
    let token = ["glpat-", "kLmN8pQrStUvWxYz1234"].concat();
    sandbox.write(
        "secret.json",
        json!({"password": "correct-Horse7battery", "deep": [{"note": format!("use {token}")}], &token: 1}).to_string(),
    );
    let text = format!("instruction=Use {token} and password: \"correct-Horse7battery\".");
    for argument in ["instruction=@secret.json", &text] {
        let run = sandbox.run(&["handover", "launch", "--to", "coder", "--root", "feat:a", "--arg", argument]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains("secrets or invisible characters were removed"), "{}", run.stderr);
        assert!(![&run.stdout, &run.stderr].iter().any(|said| said.contains(&token)));
    }
    for (path, bytes) in sandbox.files().into_iter().filter(|(path, _)| path.starts_with("context/")) {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("Horse7battery") && !text.contains(&token), "{path}: {text}");
    }
    // A key or a name that is typed is not printed either.
    let typed = format!("{token}=x");
    for words in [["--arg", &typed], ["--box", &token], ["--from", &token]] {
        let run =
            sandbox.run(&[&["handover", "launch", "--to", "coder", "--arg", "instruction=Go"], &words[..]].concat());
        assert!(run.code != 0 && !run.stderr.contains(&token), "{words:?} {}", run.stderr);
    }
    sandbox.set_variable("DEPLOY_TOKEN", "zq81-unguessable-5521");
    let words = ["handover", "launch", "--to", "coder", "--arg", "instruction=Use zq81-unguessable-5521 now"];
    refused(&sandbox, 3, &words, "", "DEPLOY_TOKEN");
}

#[test]
fn a_card_that_was_planted_with_a_secret_is_redacted_in_the_pack() {
    let sandbox = repo();
    let text = json!({
        "author_id": "x",
        "content": {"kind": "json", "value": {"password": "correct-Horse7battery", "port": 5432}},
        "metadata": {},
        "role": "user",
        "schema_version": "card/v1",
        "type": "note.planted",
    })
    .to_string();
    let hash = contextpack::Digest::of(&text).to_string();
    sandbox.write(&crate::cards::path("cards", &hash), &text);
    sandbox.expect(0, &["box", "append", "log", &hash]);
    let result = handover(&sandbox, &["launch", "--to", "coder", "--box", "log", "--arg", "instruction=Go"]);
    let pack = pack(&sandbox, &result);
    assert!(!pack.to_string().contains("Horse7battery") && pack.to_string().contains("5432"), "{pack}");
    assert_eq!(pack["redactions"][0]["rule"], "password");
    sandbox.expect(0, &["verify", result["pack"]["path"].as_str().unwrap()]);
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let words = ["handover", "launch", "--to", "coder", "--root", "feat:a", "--arg", "instruction=Go"];
    for blocked in ["context/packs", "context/boxes", "context/cards"] {
        let sandbox = repo();
        sandbox.write(blocked, "a file in the place of a folder");
        refused(&sandbox, 1, &words, "", "error");
    }
    // The pack's own place has something else.
    let sandbox = repo();
    let result = handover(&sandbox, &words[1..]);
    let path = result["pack"]["path"].as_str().unwrap();
    sandbox.write(path, "{}");
    refused(&sandbox, 3, &words, "", "is no pack of this handover");
    fs::remove_file(sandbox.path(path)).unwrap();
    sandbox.expect(0, &words);
    // A damaged card, log or agent.
    let first = card(&sandbox, "a");
    sandbox.expect(0, &["box", "append", "log", &first]);
    sandbox.write(&crate::cards::path("cards", &first), "{}");
    refused(&sandbox, 3, &[&words[..], &["--box", "log"]].concat(), "", "its content was changed");
    fs::remove_file(sandbox.path(&crate::cards::path("cards", &first))).unwrap();
    refused(&sandbox, 3, &[&words[..], &["--box", "log"]].concat(), "", "card not found: ");
    sandbox.write("context/logs/log/notes.json", "{}");
    refused(&sandbox, 3, &[&words[..], &["--box", "log"]].concat(), "", "move it out of the log");
    sandbox.write("agents/coder.md", "---\npolicy: maximal\n---\n");
    refused(&sandbox, 3, &words, "", "invalid-agent");
}

#[test]
fn recipes_of_the_configuration_are_checked_with_their_place() {
    let sandbox = Sandbox::new();
    for (recipes, message) in [
        ("{launch: {inherit_context: {include_parent: true}}}", "is built in"),
        ("{x: {}}", "hands nothing over"),
        ("{X: {inherit_context: {include_parent: true}}}", "cannot be the name of a recipe"),
        ("{x: {pack_argumnts: []}}", "did you mean `pack_arguments`?"),
        ("{x: {pack_arguments: [{arg_key: a, as_card_type: note}]}}", "`note` is no type of a card"),
        ("{x: {pack_arguments: [{arg_key: a, card_metadata: {role: robot}}]}}", "is not the role of a card"),
        ("{x: {pack_arguments: [{arg_key: \"a b\"}]}}", "cannot be the name of an argument"),
        ("{x: {pack_arguments: [{arg_key: target_strategy}]}}", "is an argument of every recipe"),
        ("{x: {pack_arguments: [{}]}}", "arg_key"),
        (
            "{x: {pack_arguments: [{arg_key: a}], inherit_context: {include_boxes_from_args: a}}}",
            "becomes a card already",
        ),
        ("{x: {inherit_context: {include_boxes_from_args: a}, allow: [\"[\"]}}", "is not a glob"),
        (
            "{x: {inherit_context: {include_parent: true}, target_profile_config: {profile_name: \" \"}}}",
            "the name is empty",
        ),
    ] {
        sandbox.write("contextpack.yml", format!("handover:\n  recipes: {recipes}\n"));
        refused(&sandbox, 3, &["handover", "x", "--to", "coder"], "", message);
        let said = sandbox.run(&["handover", "x", "--to", "coder"]).stderr;
        assert!(said.contains("contextpack.yml:2:"), "{said}");
    }
}

#[test]
fn branches_that_hand_over_at_once_merge_without_conflict() {
    let sandbox = repo();
    let first = card(&sandbox, "a");
    sandbox.expect(0, &["box", "append", "planner", &first]);
    sandbox.commit();
    let hand = |to: &str, text: &str| {
        let text = format!("instruction={text}");
        handover(&sandbox, &["delegate", "--from", "planner", "--to", to, "--box", "planner", "--arg", &text])
    };
    let mut results = Vec::new();
    for (branch, to, text) in [("one", "coder", "Go"), ("two", "coder", "Go"), ("three", "planner", "Go on")] {
        sandbox.git(&["checkout", "-q", "-b", branch, "main"]);
        let result = hand(to, text);
        let answer = card(&sandbox, &format!("answer of {branch}"));
        sandbox.expect(0, &["box", "append", result["output_box"].as_str().unwrap(), &answer]);
        sandbox.expect(0, &["box", "append", "planner", &answer]);
        sandbox.commit();
        results.push(result);
    }
    // The same handover on two branches is the same files.
    assert_eq!(results[0], results[1]);
    let mut states = Vec::new();
    for (branch, order) in [("a", ["one", "two", "three"]), ("b", ["three", "two", "one"])] {
        sandbox.git(&["checkout", "-q", "-b", branch, "main"]);
        order.iter().for_each(|other| drop(sandbox.git(&["merge", "-q", "--no-edit", other])));
        sandbox.expect(0, &["verify", "context", "--against-repo"]);
        states.push(sandbox.files());
    }
    assert_eq!(states[0], states[1]);
    let log = sandbox.json(0, &["box", "show", results[0]["output_box"].as_str().unwrap(), "--format", "json"]);
    assert_eq!(log["card_ids"].as_array().unwrap().len(), 2);
}

/// The tutorial of docs/handover.md in a copy of this repo, as it stands there.
#[cfg(unix)]
#[test]
fn the_tutorial_of_a_handover_runs_as_it_stands() {
    let repo = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = Sandbox::new();
    for (file, bytes) in crate::sandbox::files(&repo.join("docs")) {
        sandbox.write(&format!("docs/{file}"), bytes);
    }
    for path in ["contextpack.yml", "README.md", ".github/CONTRIBUTING.md"] {
        sandbox.write(path, fs::read(repo.join(path)).unwrap());
    }
    let run = sandbox.run_script_of("handover.md", "### Tutorial: planner");
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("Reviewer (agent:reviewer:main) is handed 4 cards: 1 given, 2 inherited"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("each frame names its trust") && !run.stdout.contains("invalid"), "{}", run.stdout);
    let packs = sandbox.files().iter().filter(|(path, _)| path.starts_with("context/packs/")).count();
    assert_eq!(packs, 3);
    let messages = sandbox.read("messages.json");
    assert!(messages.contains("Do step 2.") || messages.contains("Mark untrusted text."), "{messages}");
}

#[test]
fn a_secret_that_only_its_neighbour_makes_one_reaches_no_file() {
    let recipe = "handover:\n  recipes:\n    deploy:\n      pack_arguments:\n        - {arg_key: obj, as_card_type: review.change}\n        - {arg_key: api_token, as_card_type: deploy.note}\n        - {arg_key: note, as_card_type: deploy.password}\n";
    let secret = "correct-Horse7battery";
    let plain = [
        json!({"env": [{"name": "DB_PASSWORD", "value": secret}]}),
        json!({"key": "DB_PASSWORD", "value": secret}),
        json!({"Name": "DB_PASSWORD", "Value": format!("{secret}\n")}),
        json!(["--password", secret]),
        json!([{"a": "--x"}, ["mysql", "--password", secret, "--host", "localhost"]]),
        json!({"text": json!({"env": [{"name": "DB_PASSWORD", "value": secret}]}).to_string()}),
    ];
    for value in &plain {
        let sandbox = repo();
        sandbox.write("contextpack.yml", sandbox.read("contextpack.yml") + recipe);
        sandbox.write("obj.json", value.to_string());
        let run = sandbox.run(&["handover", "deploy", "--to", "coder", "--arg", "obj=@obj.json"]);
        assert!(
            run.code == 0 && run.stderr.contains("secrets or invisible characters were removed"),
            "{value}: {}",
            run.stderr
        );
        let message = json!([{"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "function": {"name": "set", "arguments": value.to_string()}}]}]);
        sandbox.run_with(&["card", "add", "--from-messages", "-"], &message.to_string());
        for (path, bytes) in sandbox.files().into_iter().filter(|(path, _)| path.starts_with("context/")) {
            let text = String::from_utf8(bytes).unwrap();
            assert!(!text.contains("Horse7battery"), "{value}: {path}: {text}");
            // Nothing but the secret is lost.
            assert!(!value.to_string().contains("localhost") || !path.contains("packs") || text.contains("localhost"));
        }
        sandbox.expect(0, &["verify", "context"]);
    }
    for argument in ["api_token=Zebra-42-kite", "note=Zebra-42-kite"] {
        let sandbox = repo();
        sandbox.write("contextpack.yml", sandbox.read("contextpack.yml") + recipe);
        let run = sandbox.run(&["handover", "deploy", "--to", "coder", "--arg", argument]);
        assert!(
            run.code == 0 && run.stderr.contains("secrets or invisible characters were removed"),
            "{argument}: {}",
            run.stderr
        );
        assert!(!sandbox.files().iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("Zebra-42")));
    }
    // Prose, names of fields and lists of words stay as they are.
    let sandbox = repo();
    let plain = json!({"type": "a.b", "role": "user", "content": {"kind": "json", "value": [
        "Enter the password:\nThen click Login.", {"fields": ["password", "username"]},
        {"name": "password", "description": "What the user types"}, ["--verbose", "on"]]}});
    let added = id(&sandbox.run_with(&["card", "add", "-"], &plain.to_string()).stdout);
    let shown = sandbox.json(0, &["card", "show", &added, "--format", "json"]);
    assert_eq!(shown["cards"][0]["content"], plain["content"]);
}

/// The first card of `agent.thought` in a log, with its path.
pub(crate) fn thought(sandbox: &Sandbox, text: &str, log: &str) -> (String, String) {
    let added = id(&sandbox.expect(0, &["card", "add", "--type", "agent.thought", "--text", text]));
    sandbox.expect(0, &["box", "append", log, &added]);
    (added.clone(), crate::cards::path("cards", &added))
}

pub(crate) const DELEGATE: [&str; 8] =
    ["handover", "delegate", "--from", "planner", "--to", "coder", "--arg", "instruction=Go"];

#[cfg(unix)]
#[test]
fn what_is_no_file_is_an_error_wherever_it_is_read() {
    let sandbox = repo();
    let (card_id, file) = thought(&sandbox, "Deleted text", "planner");
    let show = ["card", "show", &card_id];
    let beginning = ["card", "show", &card_id[7..17]];
    let boxes = ["box", "show", "planner"];
    let hand = [&DELEGATE[..], &["--box", "planner"]].concat();
    // A tombstone that is a link, or a folder.
    let tombstone = file.replace(".json", ".deleted.json");
    sandbox.expect(0, &["card", "delete", &card_id]);
    let elsewhere = sandbox.beside("tombstone");
    fs::rename(sandbox.path(&tombstone), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, sandbox.path(&tombstone)).unwrap();
    let all = [&show[..], &beginning, &boxes, &hand, &["card", "delete", &card_id]];
    for words in all {
        refused(&sandbox, 3, words, "", "it is no regular file");
    }
    fs::remove_file(sandbox.path(&tombstone)).unwrap();
    fs::create_dir(sandbox.path(&tombstone)).unwrap();
    for words in all {
        refused(&sandbox, 3, words, "", &tombstone);
    }
    fs::remove_dir(sandbox.path(&tombstone)).unwrap();
    // A card that is a link.
    let elsewhere = sandbox.beside("card");
    fs::rename(sandbox.path(&file), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, sandbox.path(&file)).unwrap();
    for words in [&show[..], &beginning, &boxes, &hand] {
        refused(&sandbox, 3, words, "", &file);
    }
    let run = sandbox.run(&["verify", "context"]);
    assert!(run.code == 5 && run.stdout.contains("it is no regular file"), "{}{}", run.stdout, run.stderr);
    fs::remove_file(sandbox.path(&file)).unwrap();
    fs::rename(&elsewhere, sandbox.path(&file)).unwrap();
    sandbox.expect(0, &show);
    // An append to a log.
    fs::create_dir(sandbox.path("context/logs/planner/00000002-aaaaaaaaaaaa.json")).unwrap();
    for words in [&boxes[..], &hand, &["box", "append", "planner", &card_id], &["box", "list"]] {
        refused(&sandbox, 3, words, "", "00000002-aaaaaaaaaaaa.json");
    }
}

#[test]
fn a_card_made_by_hand_is_redacted_where_it_is_shown() {
    let sandbox = repo();
    let planted = |value: Value| {
        let text = value.to_string();
        let hash = contextpack::Digest::of(&text).to_string();
        sandbox.write(&crate::cards::path("cards", &hash), &text);
        hash
    };
    let card = json!({
        "author_id": "x",
        "content": {"kind": "json", "value": [
            {"name": "DB_PASSWORD", "value": "correct-Horse7battery"}, "a\u{202e}b", {"port": 5432}]},
        "metadata": {},
        "role": "user",
        "schema_version": "card/v1",
        "type": "note.planted",
    });
    let hash = planted(card.clone());
    sandbox.expect(0, &["box", "append", "log", &hash]);
    for words in [
        &["card", "show", &hash][..],
        &["card", "show", &hash, "--format", "json"],
        &["box", "show", "log"],
        &["box", "show", "log", "--format", "messages"],
        &["box", "show", "log", "--format", "messages", "--style", "anthropic"],
    ] {
        let said = sandbox.expect(0, words);
        assert!(said.contains("5432") && !said.contains("Horse7") && !said.contains('\u{202e}'), "{words:?} {said}");
    }
    let run = sandbox.run(&["verify", "context"]);
    assert!(run.code == 0 && run.stderr.contains("holds text that redaction removes"), "{}", run.stderr);
    handover(&sandbox, &[&DELEGATE[1..], &["--box", "log"]].concat());
    for (path, bytes) in sandbox.files().into_iter().filter(|(path, _)| path.starts_with("context/packs")) {
        assert!(!String::from_utf8_lossy(&bytes).contains("Horse7"), "{path}");
    }
    // What `verify` finds is not read.
    let text = format!(" {card}");
    let hash = contextpack::Digest::of(&text).to_string();
    sandbox.write(&crate::cards::path("cards", &hash), &text);
    refused(&sandbox, 3, &["card", "show", &hash], "", "canonical form");
    let text = format!(" {}", json!({"parent_ids": [], "card_ids": [], "schema_version": "box/v1"}));
    let hash = contextpack::Digest::of(&text).to_string();
    sandbox.write(&crate::cards::path("boxes", &hash), &text);
    refused(&sandbox, 3, &["box", "show", &hash], "", "canonical form");
}

#[test]
fn logs_of_handovers_are_an_agents_own() {
    let sandbox = repo();
    let first = handover(&sandbox, &["launch", "--to", "planner", "--arg", "instruction=Plan"]);
    let log = first["output_box"].as_str().unwrap();
    thought(&sandbox, "The plan", log);
    let named = format!("context_box_id={log}");
    let given = handover(&sandbox, &[&DELEGATE[1..], &["--arg", &named]].concat());
    assert_eq!(given["attached_card_ids"].as_array().unwrap().len(), 3);
    refused(
        &sandbox,
        3,
        &[
            &["handover", "delegate", "--from", "coder", "--to", "planner", "--arg", "instruction=x"][..],
            &["--arg", &named],
        ]
        .concat(),
        "",
        "unauthorized box_id",
    );
    // The history is the log that the agent appended to last; the others are named.
    let history = [
        "handover",
        "ask-expert",
        "--from",
        "planner",
        "--to",
        "coder",
        "--arg",
        "instruction=Go",
        "--arg",
        "include_history=true",
    ];
    assert_eq!(handover(&sandbox, &history[1..])["attached_card_ids"].as_array().unwrap().len(), 3);
    let (card_id, _) = thought(&sandbox, "Own", "planner");
    let run = sandbox.run(&history);
    assert!(run.code == 0 && run.stderr.contains(&format!("`--box {log}`")), "{}", run.stderr);
    // A box does not bring what it continues.
    let parent = id(&sandbox.expect(0, &["box", "snapshot", log]));
    let child = id(&sandbox.expect(0, &["box", "new", &card_id, "--parent", &parent]));
    let run = sandbox.run(&[&DELEGATE[..], &["--box", &child]].concat());
    assert!(run.code == 0 && run.stderr.contains(&format!("`--box {}`", &parent[7..19])), "{}", run.stderr);
    refused(&sandbox, 2, &[&DELEGATE[..], &["--out", ".contextpack/x"]].concat(), "", "inside `.contextpack`");
}

/// The cards that a handover by the coder with `include_history` inherits.
fn history(sandbox: &Sandbox) -> Vec<Value> {
    let words = ["ask-expert", "--from", "coder", "--to", "planner", "--arg", "instruction=Go"];
    let asked = handover(sandbox, &[&words[..], &["--arg", "include_history=true"]].concat());
    let sections = pack(sandbox, &asked)["sections"].as_array().unwrap().clone();
    let inherited = sections.iter().filter(|section| section["provenance"] == "inherited");
    inherited.map(|section| section["metadata"]["card"]["id"].clone()).collect()
}

#[test]
fn the_current_output_is_the_log_of_the_last_append_of_an_agent() {
    let sandbox = repo();
    let shown = |log: &str| {
        let listed = sandbox.json(0, &["inbox", "list", "coder", "--format", "json"]);
        assert_eq!(listed["current_output"], log);
        assert!(sandbox.expect(0, &["inbox", "list", "coder"]).contains(&format!("last output {log}\n")));
    };
    assert_eq!(sandbox.json(0, &["inbox", "list", "coder", "--format", "json"]).get("current_output"), None);
    let (own, _) = thought(&sandbox, "Own", "coder");
    assert_eq!(history(&sandbox), [json!(own)]);
    shown("coder@1");
    // A handover that left nothing was not done.
    let given = handover(&sandbox, &["launch", "--to", "coder", "--arg", "instruction=Do it"]);
    assert_eq!(history(&sandbox), [json!(own)]);
    let log = given["output_box"].as_str().unwrap();
    let (done, _) = thought(&sandbox, "Done", log);
    assert_eq!(history(&sandbox), [json!(done)]);
    shown(&format!("{log}@2"));
    // A task of a batch, which is a log of the agent, so that an argument may name it.
    let plan = "parent_agent: planner\ntasks: [{target_strategy: new, target_ref: coder, instruction: Do x.}]\n";
    sandbox.write("tasks.yml", plan);
    let batch = sandbox.expect(0, &["batch", "fork", "tasks.yml"]).trim().to_owned();
    let (task, _) = thought(&sandbox, "The task", &format!("{batch}.0"));
    assert_eq!(history(&sandbox), [json!(task)]);
    shown(&format!("{batch}.0@3"));
    let named = format!("context_box_id={batch}.0");
    let delegate = ["delegate", "--from", "coder", "--to", "planner", "--arg", "instruction=x", "--arg", &named];
    assert_eq!(handover(&sandbox, &delegate)["attached_card_ids"].as_array().unwrap().len(), 3);
    let words =
        ["handover", "delegate", "--from", "planner", "--to", "coder", "--arg", "instruction=x", "--arg", &named];
    refused(&sandbox, 3, &words, "", "unauthorized box_id");
    // `clone` inherits the same, and what others append is not the agent's.
    thought(&sandbox, "Of the planner", "planner");
    let cloned = ["delegate", "--from", "coder", "--to", "coder", "--arg", "instruction=y"];
    let cloned = handover(&sandbox, &[&cloned[..], &["--arg", "target_strategy=clone"]].concat());
    assert_eq!(cloned["attached_card_ids"][0], task);
    let (again, _) = thought(&sandbox, "Again", "coder");
    assert_eq!(history(&sandbox), [json!(own), json!(again)]);
    shown("coder@5");
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn branches_agree_on_the_current_output_once_they_are_merged() {
    let sandbox = repo();
    thought(&sandbox, "Own", "coder");
    let log = |instruction: &str| {
        let instruction = format!("instruction={instruction}");
        let given = handover(&sandbox, &["launch", "--to", "coder", "--arg", &instruction]);
        given["output_box"].as_str().unwrap().to_owned()
    };
    let (first, second) = (log("One"), log("Two"));
    sandbox.commit();
    for (branch, log) in [("a", &first), ("b", &second)] {
        sandbox.git(&["checkout", "-q", "-b", branch, "main"]);
        thought(&sandbox, branch, log);
        sandbox.commit();
    }
    let mut outputs = Vec::new();
    for order in [["a", "b"], ["b", "a"]] {
        sandbox.git(&["checkout", "-q", "-b", &order.concat(), "main"]);
        order.iter().for_each(|side| drop(sandbox.git(&["merge", "-q", "--no-edit", side])));
        outputs.push(sandbox.json(0, &["inbox", "list", "coder", "--format", "json"])["current_output"].clone());
        // Who has seen both comes after both.
        thought(&sandbox, "Later", &first);
        let last = sandbox.json(0, &["inbox", "list", "coder", "--format", "json"])["current_output"].clone();
        assert_eq!(last, format!("{first}@3"));
        sandbox.commit();
    }
    assert_eq!(outputs[0], outputs[1]);
}
