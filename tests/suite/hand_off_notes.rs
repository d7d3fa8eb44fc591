//! What commands of hand-offs say of what is missing, replaced, or not as its name says.

use crate::cards::{card, path, refused};
use crate::handover::{DELEGATE, handover, pack, repo};
use serde_json::{Value, json};
use std::fs;

#[test]
fn metadata_that_contradicts_its_card_is_refused() {
    let sandbox = repo();
    let text = json!({"kind": "text", "text": "x"});
    for (metadata, field) in [(json!({"role": "user"}), "role"), (json!({"type": "task.instruction"}), "type")] {
        let card = json!({"type": "agent.thought", "content": text, "metadata": metadata}).to_string();
        refused(&sandbox, 2, &["card", "add", "-"], &card, &format!("`metadata.{field}` is not"));
    }
    refused(
        &sandbox,
        2,
        &["card", "add", "--type", "agent.thought", "--text", "x", "--meta", "role=user"],
        "",
        "not `assistant`",
    );
    let same = json!({"type": "agent.thought", "content": text, "metadata": {"role": "assistant"}}).to_string();
    assert_eq!(sandbox.run_with(&["card", "add", "-"], &same).code, 0);
}

#[test]
fn a_box_as_json_has_its_newest_cards() {
    let sandbox = repo();
    let ids: Vec<String> = (0..102).map(|n| card(&sandbox, &n.to_string())).collect();
    sandbox.expect(0, &["box", "append", "log"].into_iter().chain(ids.iter().map(String::as_str)).collect::<Vec<_>>());
    sandbox.expect(0, &["card", "delete", &ids[101]]);
    let shown = sandbox.json(0, &["box", "show", "log", "--format", "json"]);
    let cards = shown["cards"].as_array().unwrap();
    assert_eq!((shown["card_ids"].as_array().unwrap().len(), cards.len(), &shown["older_cards"]), (102, 99, &json!(2)));
    assert_eq!((&cards[0]["content"]["text"], &cards[0]["card_id"]), (&json!("2"), &json!(ids[2])));
    assert_eq!(shown["missing_card_ids"], json!([ids[101]]));
    let both = sandbox.json(0, &["box", "show", "log", "log@1", "none", "--format", "json"]);
    assert_eq!((&both["cards"], &both["missing_box_ids"]), (&shown["cards"], &json!(["none"])));
}

#[test]
fn a_handover_says_which_pack_it_replaces_and_replaces_none_that_is_worked_on() {
    let sandbox = repo();
    let words = |more: &'static [&'static str]| [&DELEGATE[..], more].concat();
    let first = handover(&sandbox, &DELEGATE[1..]);
    assert!(!sandbox.run(&words(&[])).stderr.contains("replaced"));
    let said = sandbox.run(&words(&["--max-tokens", "50000"])).stderr;
    let log = first["output_box"].as_str().unwrap();
    assert!(said.contains(&format!("note: replaced the pack that named the log `{log}`")), "{said}");
    let reuse = words(&["--arg", "target_strategy=reuse"]);
    let turn = sandbox
        .json(0, &["inbox", "put", "coder", "--box", first["context_box_id"].as_str().unwrap(), "--format", "json"]);
    let turn = turn["agent_turn_id"].as_str().unwrap();
    refused(&sandbox, 3, &reuse, "", &format!("the turn {turn} of this box is open"));
    sandbox.expect(0, &["inbox", "ack", "coder", turn]);
    let said = sandbox.run(&reuse);
    assert!(
        said.code == 0 && said.stderr.contains(&format!("replaced the pack that named the log `{log}`")),
        "{}",
        said.stderr
    );
}

#[test]
fn every_pack_of_a_handover_names_the_log_of_its_results_once() {
    let sandbox = repo();
    sandbox.expect(0, &["box", "append", "log", &card(&sandbox, "a")]);
    let argument = |key: &str, kind: &str| format!("{{arg_key: {key}, as_card_type: {kind}}}");
    let two = [argument("a", "task.instruction"), argument("b", "task.instruction"), argument("c", "review.change")];
    let config = format!(
        "handover:\n  recipes:\n    mine: {{pack_arguments: [{}], inherit_context: {{include_parent: true}}}}\n",
        two.join(", ")
    );
    sandbox.write("contextpack.yml", config);
    let all: [(&[&str], &str); 4] = [
        (&["--arg", "a=x", "--arg", "b=y", "--arg", "c=z"], "y"),
        (&["--arg", "c=z"], "z"),
        (&["--from", "planner", "--box", "log"], ""),
        (&["--box", "log"], ""),
    ];
    for (words, task) in all {
        let result = handover(&sandbox, &[&["mine", "--to", "coder"], words].concat());
        let pack = pack(&sandbox, &result);
        let line = format!("_Results go to the log `{}`._", result["output_box"].as_str().unwrap());
        let contents = pack["sections"].as_array().unwrap().iter().map(|it| it["content"].as_str().unwrap());
        let found: Vec<&str> = contents.filter(|content| content.contains(&line)).collect();
        assert!(found.len() == 1 && found[0].matches(&line).count() == 1, "{words:?}: {found:?}");
        assert!(found[0].ends_with(&line) && found[0].contains(task), "{words:?}: {found:?}");
    }
    sandbox.expect(0, &["verify", "context", "--against-repo"]);
}

#[test]
fn a_missing_pack_or_box_is_named_by_verify_and_by_claims() {
    let sandbox = repo();
    let plan = "parent_agent: planner\ntasks:\n  - {target_strategy: new, target_ref: coder, instruction: Do it.}\n";
    sandbox.write("tasks.yml", plan);
    let batch = sandbox.expect(0, &["batch", "fork", "tasks.yml"]).trim().to_owned();
    let matrix: Value = serde_json::from_str(&sandbox.expect(0, &["batch", "matrix", &batch])).unwrap();
    let task = matrix["include"][0]["pack"].as_str().unwrap();
    let made = handover(&sandbox, &DELEGATE[1..]);
    let (turn, context) = (made["pack"]["path"].as_str().unwrap(), made["context_box_id"].as_str().unwrap());
    sandbox.expect(0, &["inbox", "put", "coder", "--box", context]);
    let bytes = [task, turn].map(|path| sandbox.read(path));
    fs::remove_file(sandbox.path(task)).unwrap();
    let said = sandbox.expect(5, &["verify", "context"]);
    assert!(said.contains(&format!("pack not found: {task}")), "{said}");
    sandbox.write(turn, bytes[1].replace("Go", "Stop"));
    let claims: [(&[&str], &str); 2] = [(&["batch", "claim", &batch, "0"], task), (&["inbox", "claim", "coder"], turn)];
    for ((words, path), what) in claims.into_iter().zip(["is not there", "was changed"]) {
        let run = sandbox.run(words);
        assert!(run.code == 0 && run.stderr.contains(&format!("note: the pack `{path}` {what}")), "{}", run.stderr);
    }
    // A task that has ended needs none; a pack needs its boxes.
    sandbox.expect(0, &["batch", "cancel", &batch]);
    sandbox.write(turn, &bytes[1]);
    sandbox.expect(0, &["verify", "context"]);
    fs::remove_file(sandbox.path(&path("boxes", context))).unwrap();
    let said = sandbox.expect(5, &["verify", "context"]);
    assert!(said.contains(&format!("invalid: {turn}: box not found: {context}")), "{said}");
}

#[test]
fn a_turn_about_another_item_than_its_pack_is_noted() {
    let sandbox = repo();
    sandbox.write("work_items/b.md", "---\nid: feat:b\ntitle: B\n---\n\nDo b.\n");
    let made = handover(&sandbox, &[&DELEGATE[1..], &["--root", "feat:a"]].concat());
    let put = ["inbox", "put", "coder", "--box", made["context_box_id"].as_str().unwrap(), "--root"];
    let said = |root: &'static str| sandbox.run(&[&put[..], &[root]].concat()).stderr;
    assert!(!said("feat:a").contains("is about") && said("feat:b").contains("the pack of this box is about `feat:a`"));
    let turn = sandbox.json(0, &["inbox", "list", "coder", "--format", "json"])["turns"][0]["agent_turn_id"].take();
    sandbox.expect(0, &["inbox", "ack", "coder", turn.as_str().unwrap()]);
    // What has ended is not given up: the message names the command that does it again.
    let said = sandbox.run(&["inbox", "reclaim", "coder", turn.as_str().unwrap()]).stderr;
    assert!(said.contains("`contextpack inbox put`"), "{said}");
}

#[test]
fn a_secret_key_of_a_turn_has_the_code_that_the_docs_name() {
    let sandbox = repo();
    sandbox.expect(0, &["box", "append", "log", &card(&sandbox, "a")]);
    let key = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let put = ["inbox", "put", "coder", "--box", "log", "--key", &key, "--format", "json"];
    assert_eq!(sandbox.json(3, &put)["error_code"], "secret");
}

#[cfg(unix)]
#[test]
fn a_log_that_is_a_link_is_refused_as_input() {
    let sandbox = repo();
    sandbox.expect(0, &["box", "append", "log", &card(&sandbox, "a")]);
    fs::rename(sandbox.path("context/logs/log"), sandbox.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), sandbox.path("context/logs/log")).unwrap();
    refused(&sandbox, 3, &["box", "show", "log"], "", "only real folders inside the repo are read and written");
}

#[test]
fn the_pack_of_an_open_turn_is_missed_and_one_with_limits_of_its_own_is_as_the_repo_gives_it() {
    let sandbox = repo();
    let words = ["delegate", "--from", "planner", "--to", "coder", "--arg", "instruction=Go", "--max-chars", "20000"];
    let result = handover(&sandbox, &words);
    let path = result["pack"]["path"].as_str().unwrap();
    sandbox.expect(0, &["verify", path, "--against-repo"]);
    let context = result["context_box_id"].as_str().unwrap();
    sandbox.expect(0, &["inbox", "put", "coder", "--box", context]);
    sandbox.expect(0, &["verify", "context"]);
    let pack = sandbox.read(path);
    std::fs::remove_file(sandbox.path(path)).unwrap();
    let missing = sandbox.expect(5, &["verify", "context"]);
    assert!(
        missing.contains("context/inbox/coder/requests/") && missing.contains("pack not found: packs/"),
        "{missing}"
    );
    sandbox.write(path, pack);
    sandbox.expect(0, &["verify", "context"]);
}
