//! Inboxes: races, branches, damaged files, clones. What each command prints is in `tests/golden/inbox`.

use crate::batch_push::{cloned, executable, files_of, run_in};
use crate::batches::{batch, repo};
use crate::fresh::check_output;
use crate::sandbox::{Sandbox, run};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

/// Dispatches a turn to the coder, and returns its id.
fn dispatched(sandbox: &Sandbox, key: &str) -> String {
    let words = ["inbox", "put", "coder", "--box", "planner", "--key", key, "--format", "json"];
    sandbox.json(0, &words)["agent_turn_id"].as_str().unwrap().to_owned()
}

/// Runs a command of `inbox` about the coder, and returns what it prints.
fn on(sandbox: &Sandbox, code: i32, command: &str, words: &[&str]) -> Value {
    sandbox.json(code, &[&["inbox", command, "coder"], words, &["--format", "json"]].concat())
}

/// The turns with their states and epochs, in order.
fn turns(sandbox: &Sandbox, code: i32) -> Vec<(String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let listed = on(sandbox, code, "list", &[]);
    let turns = listed["turns"].as_array().unwrap().iter();
    turns.map(|it| (text(&it["agent_turn_id"]), text(&it["status"]), it["turn_epoch"].as_u64().unwrap())).collect()
}

#[test]
fn of_sixteen_processes_that_claim_a_turn_one_is_accepted() {
    let sandbox = repo();
    let ids: Vec<String> = (0..5).map(|key| dispatched(&sandbox, &key.to_string())).collect();
    for id in &ids {
        let spawn = || sandbox.command(&["inbox", "claim", "coder", id]).stdout(Stdio::null()).spawn().unwrap();
        let children: Vec<_> = (0..16).map(|_| spawn()).collect();
        let mut codes: Vec<i32> = children.into_iter().map(|mut it| it.wait().unwrap().code().unwrap()).collect();
        codes.sort_unstable();
        assert_eq!((codes[0], &codes[1..]), (0, &[1; 15][..]));
    }
    // Without a turn each takes another one, until there are none.
    ids.iter().for_each(|id| drop(on(&sandbox, 0, "reclaim", &[id])));
    let spawn = || sandbox.command(&["inbox", "claim", "coder"]).stdout(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = (0..8).map(|_| spawn()).collect();
    let accepted = children.into_iter().filter_map(|mut it| it.wait().unwrap().success().then_some(())).count();
    assert_eq!(accepted, 5);
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn processes_that_dispatch_one_request_make_one_turn() {
    let sandbox = repo();
    let words = ["inbox", "put", "coder", "--box", "planner"];
    let spawn = || sandbox.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = (0..8).map(|_| spawn()).collect();
    assert!(children.into_iter().all(|mut child| child.wait().unwrap().success()));
    assert_eq!(turns(&sandbox, 0).len(), 1);
}

#[test]
fn a_damaged_file_takes_its_attempt_and_stops_no_other() {
    let sandbox = repo();
    let ids: Vec<String> = ["a", "b", "c"].iter().map(|key| dispatched(&sandbox, key)).collect();
    let at = |path: &str| format!("context/inbox/coder/{path}");
    on(&sandbox, 0, "claim", &[&ids[0]]);
    on(&sandbox, 0, "ack", &[&ids[1]]);
    // Markers of a conflict, a response of another turn, a request that was edited, and files of no turn.
    sandbox.write(&at(&format!("claims/{}-1.json", ids[0])), "<<<<<<< ours\n");
    let response = sandbox.read(&at(&format!("responses/{}-1.json", ids[1])));
    sandbox.write(&at(&format!("responses/{}-1.json", ids[2])), &response);
    sandbox.write(&at("claims/ffffffffffff-1.json"), "{}");
    sandbox.write(&at("claims/notes.json"), "{}");
    sandbox.write(&at("requests/00000009-ffffffffffff.json"), "{}");
    let status = on(&sandbox, 3, "list", &[]);
    assert_eq!(status["faults"].as_array().unwrap().len(), 5, "{status}");
    let states: Vec<String> = turns(&sandbox, 3).into_iter().map(|(_, status, _)| status).collect();
    assert_eq!(states, ["dispatched", "success", "dispatched"]);
    let invalid = sandbox.expect(5, &["verify", "context"]);
    assert_eq!(invalid.lines().filter(|line| line.starts_with("invalid: context/inbox/")).count(), 5, "{invalid}");
    // The attempts can be given up, also by age, and the turns go on.
    assert_eq!(on(&sandbox, 0, "reclaim", &["--after", "3600"])["reclaimed"].as_array().unwrap().len(), 2);
    on(&sandbox, 0, "ack", &[&ids[0], "--epoch", "2"]);
    on(&sandbox, 0, "ack", &[&ids[2], "--epoch", "2", "--status", "failed"]);
    let ended: Vec<(String, u64)> = turns(&sandbox, 3).into_iter().map(|(_, status, epoch)| (status, epoch)).collect();
    assert_eq!(ended, [("success".to_owned(), 2), ("success".to_owned(), 1), ("failed".to_owned(), 2)]);
}

#[test]
fn a_clock_that_jumps_gives_up_nothing_that_is_claimed_in_its_future() {
    let sandbox = repo();
    let id = dispatched(&sandbox, "a");
    on(&sandbox, 0, "claim", &[&id]);
    let reclaim = |epoch: u64| {
        let mut command = sandbox.command(&["inbox", "reclaim", "coder", "--after", "60", "--format", "json"]);
        command.env("SOURCE_DATE_EPOCH", epoch.to_string());
        let run = run(command, "");
        serde_json::from_str::<Value>(&run.stdout).unwrap()["reclaimed"].as_array().unwrap().len()
    };
    let mut command = sandbox.command(&["inbox", "reclaim", "coder", "--after", "60"]);
    command.env("SOURCE_DATE_EPOCH", "0");
    let note = run(command, "").stderr;
    assert!(note.contains(&format!("the turn {id} was claimed in the future, at 2026-")), "{note}");
    assert_eq!((reclaim(0), reclaim(1_771_723_200 + 59), reclaim(1_771_723_200 + 60)), (0, 0, 1));
}

#[test]
fn a_secret_reaches_no_file_of_an_inbox() {
    let sandbox = repo();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let id = dispatched(&sandbox, "a");
    on(&sandbox, 0, "claim", &[&id, "--by", secret]);
    let words = [&*id, "--status", "failed", "--summary", secret, "--error-code", "x", "--error-message", secret];
    let run = sandbox.run(&[&["inbox", "ack", "coder"], &words[..], &["--by", secret]].concat());
    assert!(
        run.code == 0 && run.stderr.contains("secrets or invisible characters were removed from 2 values"),
        "{}",
        run.stderr
    );
    assert!(sandbox.files().iter().all(|(_, bytes)| !String::from_utf8_lossy(bytes).contains(secret)));
    for option in ["--correlation-id", "--key", "--output"] {
        let run = sandbox.run(&["inbox", "put", "coder", "--box", "planner", option, &secret.to_lowercase()]);
        assert!(!run.stderr.contains(secret), "{}", run.stderr);
    }
}

#[test]
fn branches_that_dispatch_close_and_give_up_merge_without_conflict() {
    let sandbox = repo();
    let first = dispatched(&sandbox, "first");
    on(&sandbox, 0, "claim", &[&first]);
    sandbox.commit();
    let branch = |name: &str| sandbox.git(&["checkout", "-q", "-b", name, "main"]);
    // Both give up the turn and dispatch the same request, which has another place in each list.
    branch("a");
    on(&sandbox, 0, "reclaim", &[]);
    let same = dispatched(&sandbox, "same");
    on(&sandbox, 0, "close", &[]);
    sandbox.commit();
    branch("b");
    on(&sandbox, 0, "reclaim", &[]);
    let other = dispatched(&sandbox, "other");
    assert_eq!(dispatched(&sandbox, "same"), same);
    on(&sandbox, 0, "ack", &[&same, "--status", "partial"]);
    on(&sandbox, 0, "close", &[]);
    sandbox.commit();
    let mut merged = Vec::new();
    for order in [["a", "b"], ["b", "a"]] {
        branch(&order.concat());
        // It fails on any conflict.
        order.iter().for_each(|side| drop(sandbox.git(&["merge", "-q", "--no-edit", side])));
        let listed = on(&sandbox, 0, "list", &[]);
        assert_eq!(listed["closed"], true);
        merged.push((sandbox.git(&["rev-parse", "HEAD^{tree}"]), turns(&sandbox, 0)));
        sandbox.expect(0, &["verify", "context"]);
    }
    assert_eq!(merged[0], merged[1]);
    let mut states: Vec<(&str, &str, u64)> =
        merged[0].1.iter().map(|(id, status, epoch)| (id.as_str(), status.as_str(), *epoch)).collect();
    assert_eq!(states[0], (&*first, "pending", 2));
    states.sort_unstable();
    let mut expected = [(&*first, "pending", 2), (&*same, "partial", 1), (&*other, "pending", 1)];
    expected.sort_unstable();
    assert_eq!(states, expected);
    // Closed once by both, it is opened once.
    on(&sandbox, 0, "open", &[]);
    assert_eq!(on(&sandbox, 0, "list", &[])["closed"], false);
}

#[test]
fn a_push_is_the_transaction_between_clones_of_an_inbox() {
    let sandbox = repo();
    let clones = cloned(&sandbox);
    let [one, other] = &clones[..] else { panic!() };
    // A turn that was dispatched and not committed is pushed by the same command with `--push`.
    let words = ["inbox", "put", "coder", "--box", "planner", "--format", "json"];
    let first = run_in(&sandbox, one, &words);
    assert!(first.code == 0 && files_of(other).iter().all(|(path, _)| !path.contains("/inbox/")), "{}", first.stderr);
    let again = run_in(&sandbox, one, &[&words[..], &["--push"]].concat());
    assert!(again.code == 0 && again.stderr.contains("note: pushed "), "{}", again.stderr);
    let claim = ["inbox", "claim", "coder", "--push", "--format", "json"];
    assert_eq!(run_in(&sandbox, other, &claim).code, 0);
    let busy = run_in(&sandbox, one, &claim);
    assert_eq!((busy.code, busy.stdout.contains("empty")), (1, true), "{}{}", busy.stdout, busy.stderr);
    let refused = run_in(&sandbox, one, &["inbox", "put", "coder", "--box", "planner", "--key", "b", "--push"]);
    assert_eq!((refused.code, &*refused.stdout), (1, "busy: agent_busy\n"), "{}", refused.stderr);
    // The remote closes its doors: nothing stays.
    let hook = sandbox.beside("remote.git").join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'not today' >&2\nexit 1\n").unwrap();
    executable(&hook);
    let before = files_of(other);
    let rejected =
        run_in(&sandbox, other, &["inbox", "put", "planner", "--box", "planner", "--push", "--format", "json"]);
    assert_eq!(rejected.code, 1);
    assert_eq!(
        serde_json::from_str::<Value>(&rejected.stdout).unwrap(),
        json!({"status": "error", "error_code": "not_written"})
    );
    assert!(rejected.stderr.contains("remote: not today"), "{}", rejected.stderr);
    assert_eq!(files_of(other), before);
}

#[test]
fn the_same_response_again_changes_nothing() {
    let sandbox = repo();
    let id = dispatched(&sandbox, "a");
    let words = [&*id, "--status", "failed", "--error-code", "-1", "--error-message", "-x", "--by", "-me"];
    assert_eq!(on(&sandbox, 0, "ack", &words)["status"], "counted");
    let before = sandbox.files();
    let again = on(&sandbox, 0, "ack", &words);
    assert_eq!((&again["status"], &again["existed"]), (&json!("counted"), &json!(true)));
    assert_eq!(sandbox.files(), before);
    assert_eq!(on(&sandbox, 0, "ack", &[&id])["reason"], "second");
    assert_eq!(on(&sandbox, 0, "ack", &[&id])["existed"], true);
}

#[test]
fn a_turn_does_not_name_the_box_of_another_agents_handover() {
    let sandbox = repo();
    sandbox.write("agents/tester.md", "---\nname: Tester\nkey: the-tester\npurpose: Tests\n---\n# Tester\n\nTests.\n");
    let handed = |to: &str| {
        let words = [
            "handover",
            "delegate",
            "--from",
            "planner",
            "--to",
            to,
            "--arg",
            "instruction=Do it.",
            "--format",
            "json",
        ];
        sandbox.json(0, &words)["context_box_id"].as_str().unwrap().to_owned()
    };
    let (coder, tester) = (handed("coder"), handed("tester"));
    for (agent, context) in [("coder", &tester), ("tester", &coder)] {
        let before = sandbox.files();
        let words = ["inbox", "put", agent, "--box", context, "--format", "json"];
        let refused = sandbox.run(&words);
        assert!(refused.code == 3 && refused.stderr.contains("unauthorized box_id: sha256:"), "{}", refused.stderr);
        assert!(refused.stdout.contains("box_of_other_agent"), "{}", refused.stdout);
        assert_eq!(sandbox.files(), before);
    }
    let own = sandbox.json(0, &["inbox", "put", "coder", "--box", &coder, "--format", "json"])["agent_turn_id"].clone();
    let of_tester =
        sandbox.json(0, &["inbox", "put", "tester", "--box", &tester, "--format", "json"])["agent_turn_id"].clone();
    // By hand: the turn of the tester in the inbox of the coder, as it is, and as one of the coder.
    let request = sandbox.read(&format!("context/inbox/tester/requests/00000001-{}.json", of_tester.as_str().unwrap()));
    for forged in [request.clone(), request.replace("the-tester", "agent:coder:main")] {
        let id = contextpack::Digest::of(&forged).to_string()["sha256:".len()..][..12].to_owned();
        let path = format!("context/inbox/coder/requests/00000002-{id}.json");
        sandbox.write(&path, &forged);
        let listed = sandbox.run(&["inbox", "list", "coder"]);
        assert!(listed.code == 3 && listed.stderr.contains("its box was handed to the-tester"), "{}", listed.stderr);
        assert!(!listed.stdout.contains(&id) && listed.stdout.contains(own.as_str().unwrap()), "{}", listed.stdout);
        assert_eq!(sandbox.run(&["inbox", "claim", "coder", &id]).code, 3);
        let invalid = sandbox.expect(5, &["verify", "context"]);
        assert!(invalid.contains(&format!("invalid: {path}: its box was handed to the-tester")), "{invalid}");
        fs::remove_file(sandbox.path(&path)).unwrap();
    }
    assert_eq!(on(&sandbox, 0, "claim", &[])["agent_turn_id"], own);
}

#[test]
fn agents_that_would_share_an_inbox_are_refused_except_the_first() {
    let sandbox = repo();
    for (stem, name) in [("a-b", "One"), ("a b", "Two"), ("A-B.x", "Three")] {
        sandbox.write(
            &format!("agents/{stem}.md"),
            format!("---\nname: {name}\npurpose: Works\n---\n# {name}\n\nWorks.\n"),
        );
    }
    sandbox.expect(0, &["inbox", "put", "One", "--box", "planner"]);
    sandbox.expect(0, &["inbox", "put", "Three", "--box", "planner"]);
    let message = "the agents `agent:a-b:main` (`agents/a-b.md`) and `agent:a b:main` (`agents/a b.md`) would share the log and the inbox `a-b`";
    let plan = "parent_agent: planner\ntasks: [{target_strategy: reuse, target_ref: Two, instruction: x}]\n";
    sandbox.write("tasks.yml", plan);
    sandbox
        .write("parent.yml", "parent_agent: Two\ntasks: [{target_strategy: new, target_ref: coder, instruction: x}]\n");
    let cases: [&[&str]; 6] = [
        &["inbox", "put", "Two", "--box", "planner"],
        &["inbox", "claim", "agent:a b:main"],
        &["batch", "fork", "tasks.yml"],
        &["batch", "fork", "parent.yml"],
        &["handover", "delegate", "--to", "Two", "--arg", "instruction=x"],
        &[
            "handover",
            "delegate",
            "--to",
            "coder",
            "--from",
            "Two",
            "--arg",
            "instruction=x",
            "--arg",
            "context_box_id=a-b",
        ],
    ];
    for words in cases {
        let before = sandbox.files();
        let run = sandbox.run(words);
        assert!(run.code == 2 && run.stderr.contains(message), "{words:?}: {}", run.stderr);
        assert_eq!(sandbox.files(), before);
    }
}

#[test]
fn tasks_of_batches_are_listed_claimed_and_reported_in_the_inbox_of_their_agent() {
    let (sandbox, id) = batch(3, "");
    let [first, second, third] = [0, 1, 2].map(|task| format!("{id}.{task}"));
    let turn = dispatched(&sandbox, "a");
    let listed = on(&sandbox, 0, "list", &[]);
    check_output("inbox_list", &listed);
    let tasks = |listed: &Value| -> Vec<(u64, String)> {
        let tasks = listed["tasks"].as_array().unwrap().iter();
        tasks.map(|it| (it["task_index"].as_u64().unwrap(), it["status"].as_str().unwrap().to_owned())).collect()
    };
    assert_eq!(tasks(&listed), [0, 1, 2].map(|task| (task, "pending".to_owned())));
    let of_batch = &sandbox.json(0, &["batch", "matrix", &id])["include"][0];
    for field in ["batch_id", "task_index", "epoch", "pack", "output_box", "agent"] {
        assert_eq!(listed["tasks"][0][field], of_batch[field], "{field}");
    }
    let text = sandbox.expect(0, &["inbox", "list", "coder"]);
    assert!(text.starts_with("coder  1 of 1 turns open, 3 tasks of batches open\n"), "{text}");
    assert!(text.contains(&format!("\n  {second}  pending     epoch 1\n")), "{text}");
    assert_eq!(sandbox.json(0, &["inbox", "list", "planner", "--format", "json"])["tasks"], json!([]));
    // Turns first, then tasks by batch and position; what `batch claim` took is busy here, and the other way round.
    sandbox.expect(0, &["batch", "claim", &id, "0", "--by", "me"]);
    assert_eq!(on(&sandbox, 0, "claim", &[])["agent_turn_id"], json!(turn));
    let claimed = on(&sandbox, 0, "claim", &[]);
    check_output("inbox_claim", &claimed);
    assert_eq!((&claimed["batch_id"], &claimed["task_index"], &claimed["epoch"]), (&json!(id), &json!(1), &json!(1)));
    let busy = on(&sandbox, 1, "claim", &[&first]);
    check_output("inbox_claim", &busy);
    assert_eq!((&busy["reason"], &busy["claimed_by"]), (&json!("claimed"), &json!("me")));
    assert_eq!(sandbox.run(&["batch", "claim", &id, "1"]).code, 1);
    let accepted = sandbox.expect(0, &["inbox", "claim", "coder", &third]);
    assert!(accepted.starts_with(&format!("accepted: task {third}, epoch 1\n")), "{accepted}");
    assert_eq!(on(&sandbox, 1, "claim", &[])["reason"], "empty");
    // The acknowledgement is the report of the task, under its rules.
    let acknowledged = on(&sandbox, 0, "ack", &[&first, "--summary", "Done."]);
    check_output("inbox_ack", &acknowledged);
    assert_eq!(acknowledged["counts_as"], "success");
    let existed = on(&sandbox, 0, "ack", &[&first, "--summary", "Done."]);
    assert_eq!(existed["existed"], true);
    assert_eq!(on(&sandbox, 0, "ack", &[&first, "--status", "failed"])["reason"], "second");
    let status = sandbox.json(0, &["batch", "status", &id, "--format", "json"]);
    assert_eq!((&status["tasks"][0]["status"], &status["tasks"][0]["summary"]), (&json!("success"), &json!("Done.")));
    let reclaimed = on(&sandbox, 0, "reclaim", &[&second]);
    assert_eq!(reclaimed, json!({"reclaimed": [{"task_index": 1, "epoch": 2}]}));
    assert_eq!(sandbox.run(&["inbox", "ack", "coder", &second]).code, 2);
    assert_eq!(on(&sandbox, 0, "ack", &[&second, "--epoch", "2"])["status"], "counted");
    let open = tasks(&on(&sandbox, 0, "list", &[]));
    assert_eq!(open, [(2, "dispatched".to_owned())]);
    for (agent, typed) in [("planner", &*third), ("coder", "ffff.0"), ("coder", &*format!("{id}.3"))] {
        assert_eq!(sandbox.run(&["inbox", "claim", agent, typed]).code, 3, "{agent} {typed}");
    }
    assert_eq!(sandbox.run(&["inbox", "claim", "coder", &format!("{id}.x")]).code, 2);
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn of_two_clones_that_claim_a_task_through_the_inbox_one_is_accepted() {
    let (sandbox, id) = batch(2, "");
    let clones = cloned(&sandbox);
    let [one, other] = &clones[..] else { panic!() };
    let task = format!("{id}.0");
    let named = ["inbox", "claim", "coder", &task, "--push"];
    assert_eq!(run_in(&sandbox, one, &named).code, 0);
    let busy = run_in(&sandbox, other, &named);
    assert_eq!((busy.code, &busy.stdout[..13]), (1, "busy: claimed"), "{}", busy.stderr);
    // Both claim what is first: the other decides again, and so finds nothing.
    let first = ["inbox", "claim", "coder", "--push", "--format", "json"];
    let claimed: Value = serde_json::from_str(&run_in(&sandbox, one, &first).stdout).unwrap();
    assert_eq!(claimed["task_index"], 1);
    let empty = run_in(&sandbox, other, &first);
    assert!(empty.code == 1 && empty.stdout.contains("empty"), "{}{}", empty.stdout, empty.stderr);
    // Without a push both are accepted, and git refuses to merge the two claims of one task alone.
    for (branch, task) in [("a", 0), ("b", 1), ("c", 1)] {
        sandbox.git(&["checkout", "-q", "-b", branch, "main"]);
        sandbox.expect(0, &["inbox", "claim", "coder", &format!("{id}.{task}")]);
        sandbox.commit();
    }
    sandbox.git(&["checkout", "-q", "a"]);
    sandbox.git(&["merge", "-q", "--no-edit", "b"]);
    let states = on(&sandbox, 0, "list", &[])["tasks"].clone();
    assert!(states.as_array().unwrap().iter().all(|task| task["status"] == "dispatched"), "{states}");
    let merge = std::process::Command::new("git").args(["merge", "-q", "c"]).current_dir(sandbox.path(".")).output();
    assert!(!merge.unwrap().status.success());
}

#[test]
fn a_turn_does_not_write_to_the_log_of_another_agent() {
    let sandbox = repo();
    let handed = |to: &str| {
        let words = ["handover", "launch", "--to", to, "--arg", "instruction=Do it.", "--format", "json"];
        sandbox.json(0, &words)["output_box"].as_str().unwrap().to_owned()
    };
    let (own, other) = (handed("coder"), handed("planner"));
    let plan = "parent_agent: coder\ntasks: [{target_strategy: new, target_ref: planner, instruction: Do x.}]\n";
    sandbox.write("tasks.yml", plan);
    let task = format!("{}.0", sandbox.expect(0, &["batch", "fork", "tasks.yml"]).trim());
    for log in ["planner", &other, &task] {
        let before = sandbox.files();
        let refused = sandbox.run(&["inbox", "put", "coder", "--box", "planner", "--output", log, "--format", "json"]);
        assert!(refused.code == 3 && refused.stderr.contains("is a log of agent:planner:main"), "{}", refused.stderr);
        let said: Value = serde_json::from_str(&refused.stdout).unwrap();
        assert_eq!(said, json!({"status": "error", "error_code": "log_of_other_agent"}));
        assert_eq!(sandbox.files(), before);
    }
    for log in ["coder", &own, "shared"] {
        sandbox.expect(0, &["inbox", "put", "coder", "--box", "planner", "--output", log]);
    }
    sandbox.expect(0, &["inbox", "put", "planner", "--box", "planner", "--output", &task]);
}

#[test]
fn the_live_list_prints_each_change_and_ends_with_a_closed_inbox() {
    let (sandbox, id) = batch(1, "");
    let mut command = sandbox.command(&["inbox", "list", "coder", "--watch=100ms"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "coder  0 of 0 turns open, 1 task of batches open");
    assert_eq!(next(), format!("  {id}.0  pending     epoch 1"));
    on(&sandbox, 0, "ack", &[&format!("{id}.0")]);
    assert_eq!(next(), "coder  0 of 0 turns open");
    // Nothing is open, and a turn may come at any time.
    let turn = dispatched(&sandbox, "a");
    assert_eq!([next(), next()], ["coder  1 of 1 turns open".to_owned(), format!("  {turn}  pending     epoch 1")]);
    on(&sandbox, 0, "close", &[]);
    assert_eq!(next(), "coder  closed  1 of 1 turns open");
    on(&sandbox, 0, "ack", &[&turn]);
    assert_eq!(next(), "coder  closed  0 of 1 turns open");
    assert!(child.wait().unwrap().success());
}
