//! Batches: what each command adds, what is refused, and what `verify` finds.

use crate::cards::{card, refused};
use crate::sandbox::{Sandbox, run};
use serde_json::{Value, json};
use std::fs;

const PLAN: &str = "\
parent_agent: planner
tool_call_id: call_1
tasks:
  - target_strategy: new
    target_ref: coder
    instruction: Do a.
    root: feat:a
  - target_strategy: reuse
    target_ref: Coder
    instruction: Do b.
  - target_strategy: clone
    target_ref: coder
    instruction: Do c.
";

fn agent(name: &str) -> String {
    format!("---\nname: {name}\npurpose: Works\n---\n# {name}\n\nWorks.\n")
}

/// A repo with two agents, an item, a log of the parent and a plan.
pub(crate) fn repo() -> Sandbox {
    let sandbox = Sandbox::configured(&[
        ("agents/coder.md", &agent("Coder")),
        ("agents/planner.md", &agent("Planner")),
        ("work_items/a.md", "---\nid: feat:a\ntitle: A\n---\nDo a.\n"),
        ("tasks.yml", PLAN),
    ]);
    let id = card(&sandbox, "what was thought before");
    sandbox.expect(0, &["box", "append", "planner", &id]);
    sandbox
}

/// A repo with a batch of these many tasks, and its id.
pub(crate) fn batch(tasks: usize, more: &str) -> (Sandbox, String) {
    let sandbox = repo();
    sandbox.write("contextpack.yml", "handover: {max_tasks: 1000}\n");
    let task = "  - {target_strategy: new, target_ref: coder, instruction: Do it.}\n";
    sandbox.write("tasks.yml", format!("parent_agent: planner\n{more}tasks:\n{}", task.repeat(tasks)));
    let id = forked(&sandbox)["batch_id"].as_str().unwrap().to_owned();
    (sandbox, id)
}

fn forked(sandbox: &Sandbox) -> Value {
    sandbox.json(0, &["batch", "fork", "tasks.yml", "--format", "json"])
}

/// Runs a command of `batch` about a batch, and returns what it prints.
fn on(sandbox: &Sandbox, id: &str, code: i32, command: &str, words: &[&str]) -> Value {
    sandbox.json(code, &[&["batch", command, id], words, &["--format", "json"]].concat())
}

fn report(sandbox: &Sandbox, id: &str, task: usize, epoch: u32, word: &str) -> Value {
    let (task, epoch) = (task.to_string(), epoch.to_string());
    on(sandbox, id, 0, "report", &[&task, "--epoch", &epoch, "--status", word])
}

/// The state of the batch and of its tasks.
fn state(sandbox: &Sandbox, id: &str) -> (String, Vec<String>) {
    let status = on(sandbox, id, 0, "status", &[]);
    let text = |value: &Value| value["status"].as_str().unwrap().to_owned();
    (text(&status), status["tasks"].as_array().unwrap().iter().map(text).collect())
}

#[test]
fn a_plan_becomes_packs_logs_and_a_ledger_and_forking_it_again_changes_nothing() {
    let sandbox = repo();
    let result = forked(&sandbox);
    let id = result["batch_id"].as_str().unwrap();
    assert_eq!((id.len(), &result["existed"]), (12, &json!(false)));
    let include = result["matrix"]["include"].as_array().unwrap();
    let logs: Vec<&str> = include.iter().map(|task| task["output_box"].as_str().unwrap()).collect();
    assert_eq!(logs, [format!("{id}.0"), "coder".to_owned(), format!("{id}.2")]);
    let inherited: Vec<usize> = include
        .iter()
        .map(|task| {
            assert_eq!((&task["batch_id"], &task["epoch"]), (&json!(id), &json!(1)));
            let pack: Value = serde_json::from_str(&sandbox.read(task["pack"].as_str().unwrap())).unwrap();
            assert_eq!((&pack["agent"]["key"], &pack["handover"]["output_box"]), (&task["agent"], &task["output_box"]));
            let sections = pack["sections"].as_array().unwrap().iter();
            sections.filter(|section| section["provenance"] == "inherited").count()
        })
        .collect();
    assert_eq!(inherited, [0, 0, 1], "`clone` inherits the log of the parent");
    sandbox.expect(0, &["verify", "context", "--against-repo"]);
    let before = sandbox.files();
    let mut later = repo_at(&sandbox, "1771730000");
    later.args(["batch", "fork", "tasks.yml", "--format", "json"]);
    let again = run(later, "");
    assert!(again.code == 0 && again.stderr.contains("was forked before: nothing was written"), "{}", again.stderr);
    assert_eq!(serde_json::from_str::<Value>(&again.stdout).unwrap()["existed"], true);
    assert_eq!(sandbox.files(), before);
    // A time has several spellings.
    for deadline in ["deadline: 15m", "deadline: 900", "deadline: '900s'", "deadline_seconds: 900"] {
        sandbox.write("spelled.yml", format!("{deadline}\n{PLAN}"));
        assert_eq!(sandbox.expect(0, &["batch", "fork", "spelled.yml"]).trim_end(), id, "{deadline}");
    }
    fs::remove_file(sandbox.path("spelled.yml")).unwrap();
    // The same plan in another spelling is the same batch; another key makes it another one.
    let spelled = json!({"tasks": [
        {"target_ref": "coder", "target_strategy": "new", "instruction": "Do a.", "root": "feat:a"},
        {"target_ref": "Coder", "target_strategy": "reuse", "instruction": "Do b."},
        {"target_ref": "coder", "target_strategy": "clone", "instruction": "Do c."},
    ], "parent_agent": "planner", "tool_call_id": "call_1", "fail_fast": false, "deadline_seconds": 900});
    let again = sandbox.run_with(&["batch", "fork", "-"], &spelled.to_string());
    assert_eq!((again.code, again.stdout.trim_end()), (0, id), "the id alone: {}", again.stderr);
    assert!(again.stderr.contains(&format!("   0  agent:coder:main  context/packs/{id}.0-")), "{}", again.stderr);
    sandbox.write("tasks.yml", format!("key: second\n{PLAN}"));
    assert_ne!(forked(&sandbox)["batch_id"], id);
    assert_eq!(sandbox.expect(0, &["batch", "list"]).lines().count(), 2);
    // A line for a workflow.
    let matrix = sandbox.expect(0, &["batch", "matrix", id]);
    assert_eq!(serde_json::from_str::<Value>(matrix.trim_end()).unwrap(), result["matrix"]);
    assert_eq!(matrix.lines().count(), 1);
}

/// A command without words at another time.
fn repo_at(sandbox: &Sandbox, epoch: &str) -> std::process::Command {
    let mut command = sandbox.command(&[]);
    command.env("SOURCE_DATE_EPOCH", epoch);
    command
}

#[test]
fn a_plan_with_faults_names_their_lines_and_writes_nothing() {
    let sandbox = repo();
    let task = |fields: &str| format!("parent_agent: planner\ntasks:\n  - {{{fields}}}\n");
    let good = "target_strategy: new, target_ref: coder, instruction: Go.";
    let cases = [
        (2, "tasks: []\n".to_owned(), "`parent_agent` is missing"),
        (2, "parent_agent: planner\ntasks: []\n".to_owned(), "plan.yml:2: there are no tasks"),
        (2, task("target_strategy: new, target_ref: coder, instrution: Go."), "did you mean `instruction`?"),
        (
            2,
            task("target_strategy: cloned, target_ref: coder, instruction: Go."),
            "plan.yml:3: `cloned` is none of `new`, `reuse`",
        ),
        (2, task("target_strategy: new, target_ref: coder, instruction: ' '"), "`instruction` is empty"),
        (2, format!("deadline_seconds: 0\n{}", task(good)), "plan.yml:1: `deadline_seconds` is not from 1"),
        (2, format!("deadline: 10 apples\n{}", task(good)), "plan.yml:1: `deadline` is a time such as `10m`"),
        (2, format!("deadline: 40y\n{}", task(good)), "plan.yml:1: `deadline` is not from 1 to"),
        (2, format!("deadline_seconds: 9\ndeadline: 9\n{}", task(good)), "plan.yml:2: `deadline` and"),
        (2, format!("parent_agent: planner\ntasks:\n{}", format!("  - {{{good}}}\n").repeat(9)), "at most 8"),
        (3, task(good).replace("planner", "boss"), "plan.yml: agent not found: boss"),
        (3, task("target_strategy: new, target_ref: codr, instruction: Go."), "plan.yml:3: agent not found: codr"),
        (2, task(&format!("{good}, root: 'feat:b'")), "plan.yml:3: "),
        (3, task(&format!("{good}, context_box_id: nobody")), "plan.yml:3: box not found: nobody"),
        (3, task(&format!("{good}, context_box_id: coder")), "plan.yml:3: unauthorized box_id: coder"),
        (
            2,
            format!(
                "{}  - {{target_strategy: reuse, target_ref: Coder, instruction: Go.}}\n",
                task(&good.replace("new", "reuse"))
            ),
            "plan.yml:4: task 1 reuses the agent `agent:coder:main`, which task 0 reuses already",
        ),
        (2, "tasks: [\n".to_owned(), "plan.yml:2: this is not YAML"),
    ];
    let id = card(&sandbox, "of the coder");
    sandbox.expect(0, &["box", "append", "coder", &id]);
    for (code, plan, message) in cases {
        sandbox.write("plan.yml", &plan);
        refused(&sandbox, code, &["batch", "fork", "plan.yml"], "", message);
    }
    // The user may give leave for a box.
    sandbox.write("plan.yml", task(&format!("{good}, context_box_id: coder")));
    sandbox.expect(0, &["batch", "fork", "plan.yml", "--box", "coder"]);
}

#[test]
fn a_secret_of_a_plan_or_a_report_reaches_no_file() {
    let sandbox = repo();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    sandbox.write("tasks.yml", PLAN.replace("Do a.", &format!("Use {secret}.")));
    let run = sandbox.run(&["batch", "fork", "tasks.yml", "-q"]);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    // It is said each time, since the file still has it.
    for _ in 0..2 {
        let run = sandbox.run(&["batch", "fork", "tasks.yml"]);
        let note = "note: tasks.yml: secrets or invisible characters were removed from 1 value\n";
        assert!(run.stderr.contains(note) && run.stderr.matches("removed").count() == 1, "{}", run.stderr);
    }
    let id = forked(&sandbox)["batch_id"].as_str().unwrap().to_owned();
    let words = ["0", "--epoch", "1", "--status", "failed", "--summary", secret, "--error-code", "x"];
    let run =
        sandbox.run(&[&["batch", "report", &id], &words[..], &["--error-message", secret, "--by", secret]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (path, bytes) in sandbox.files() {
        let holds = String::from_utf8_lossy(&bytes).contains(secret);
        assert!(!holds || path == "tasks.yml", "{path}");
    }
    assert!(!run.stdout.contains(secret) && !run.stderr.contains(secret));
}

#[test]
fn of_two_claims_one_is_accepted_and_a_stale_epoch_never_counts() {
    let (sandbox, id) = batch(2, "");
    let task = on(&sandbox, &id, 0, "matrix", &[])["include"][0].clone();
    let accepted = on(&sandbox, &id, 0, "claim", &["0", "--by", "runner 1"]);
    assert_eq!((&accepted["status"], &accepted["epoch"]), (&json!("accepted"), &json!(1)));
    for field in ["agent", "pack", "output_box"] {
        assert!(accepted[field].is_string() && accepted[field] == task[field], "{accepted}");
    }
    let pack: Value = serde_json::from_str(&sandbox.read(accepted["pack"].as_str().unwrap())).unwrap();
    assert_eq!(accepted["context_box_id"], pack["handover"]["context_box_id"]);
    let at = "2026-02-22T01:20:00Z";
    let busy = json!({
        "status": "busy", "batch_id": id, "task_index": 0, "epoch": 1, "reason": "claimed", "claimed_by": "runner 1",
        "claimed_at": at,
    });
    assert_eq!(on(&sandbox, &id[..6], 1, "claim", &["0"]), busy);
    let status = on(&sandbox, &id, 0, "status", &[]);
    let claimed = json!({
        "task_index": 0, "status": "dispatched", "epoch": 1, "agent": "agent:coder:main", "claimed": true,
        "claimed_by": "runner 1", "claimed_at": "2026-02-22T01:20:00Z", "reports": [],
    });
    assert_eq!((&status["status"], &status["tasks"][0]), (&json!("open"), &claimed));
    assert_eq!(on(&sandbox, &id, 0, "matrix", &[])["include"].as_array().unwrap().len(), 1);

    // The first crashes: its turn is given up, and what it reports later is kept.
    for after in ["60", "60s", "10m", "2h"] {
        assert_eq!(on(&sandbox, &id, 0, "reclaim", &["--after", after]), json!({"reclaimed": []}), "it is too young");
    }
    assert_eq!(on(&sandbox, &id, 0, "reclaim", &[]), json!({"reclaimed": [{"task_index": 0, "epoch": 2}]}));
    let again = on(&sandbox, &id, 0, "claim", &["0"]);
    assert_eq!((&again["status"], &again["epoch"]), (&json!("accepted"), &json!(2)));
    let late = report(&sandbox, &id, 0, 1, "success");
    assert_eq!(late, json!({"status": "late", "counts_as": "success", "reason": "stale_epoch"}));
    assert_eq!(report(&sandbox, &id, 0, 2, "done")["counts_as"], "failed", "an unknown word");
    assert_eq!(report(&sandbox, &id, 0, 2, "success")["reason"], "second");
    assert_eq!(state(&sandbox, &id), ("open".to_owned(), vec!["failed".to_owned(), "pending".to_owned()]));
    assert_eq!(on(&sandbox, &id, 1, "claim", &["0"])["reason"], "ended");
    let open = sandbox.run(&["batch", "join", &id]);
    assert!(open.code == 3 && open.stderr.contains("open tasks: 1 (pending)"), "{}", open.stderr);

    report(&sandbox, &id, 1, 1, "success");
    let joined = on(&sandbox, &id, 0, "join", &[]);
    assert_eq!(joined["status"], "partial");
    assert_eq!(report(&sandbox, &id, 1, 1, "failed")["reason"], "closed");
    assert_eq!(on(&sandbox, &id, 1, "claim", &["1"])["reason"], "closed");
    for command in ["reclaim", "cancel"] {
        on(&sandbox, &id, 0, command, &[]);
    }
    let before = sandbox.files();
    assert_eq!(on(&sandbox, &id, 0, "join", &[]), joined, "joining again prints the same");
    assert_eq!(sandbox.files(), before, "and writes nothing");
    let reports = &on(&sandbox, &id, 0, "status", &[])["tasks"][0]["reports"];
    let counts: Vec<(&Value, &Value)> =
        reports.as_array().unwrap().iter().map(|report| (&report["counts"], &report["reason"])).collect();
    assert_eq!(counts.len(), 3);
    assert_eq!(counts.iter().filter(|(counts, _)| **counts == json!(true)).count(), 1);
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn the_result_is_a_card_in_the_log_of_the_parent() {
    let sandbox = repo();
    let id = forked(&sandbox)["batch_id"].as_str().unwrap().to_owned();
    let found = card(&sandbox, "found it");
    sandbox.expect(0, &["box", "append", &format!("{id}.0"), &found]);
    report(&sandbox, &id, 0, 1, "success");
    let words = ["1", "--epoch", "1", "--status", "timeout", "--error-code", "slow", "--error-message", "too slow"];
    on(&sandbox, &id, 0, "report", &[&words[..], &["--summary", "Half of it."]].concat());
    report(&sandbox, &id, 2, 1, "partial");
    let joined = on(&sandbox, &id, 0, "join", &[]);
    let snapshot = joined["results"][0]["output_box_id"].as_str().unwrap();
    assert_eq!(sandbox.json(0, &["box", "show", snapshot, "--format", "json"])["card_ids"], json!([found]));
    assert_eq!(
        joined["results"][1],
        json!({"task_index": 1, "status": "timeout", "epoch": 1, "summary": "Half of it.",
            "error": {"code": "slow", "message": "too slow"}})
    );
    let cards = sandbox.json(0, &["box", "show", "planner", "--format", "json"])["card_ids"].clone();
    let result = sandbox.json(0, &["card", "show", cards[1].as_str().unwrap(), "--format", "json"])["cards"][0].clone();
    assert_eq!((&result["type"], &result["tool_call_id"]), (&json!("tool.result"), &json!("call_1")));
    assert_eq!(result["content"]["error"]["code"], "batch_partial");
    assert_eq!(result["content"]["result"]["results"], joined["results"]);
    // A crash before the card was there is made good by the next join.
    for (path, _) in sandbox.files() {
        if path.starts_with("context/logs/planner/") && sandbox.read(&path).contains(cards[1].as_str().unwrap()) {
            fs::remove_file(sandbox.path(&path)).unwrap();
        }
    }
    on(&sandbox, &id, 0, "join", &[]);
    assert_eq!(sandbox.json(0, &["box", "show", "planner", "--format", "json"])["card_ids"], cards);
}

#[test]
fn deadlines_and_cancellation_end_what_is_open() {
    let (mut sandbox, id) = batch(3, "deadline_seconds: 60\n");
    report(&sandbox, &id, 1, 1, "success");
    assert_eq!(on(&sandbox, &id, 0, "expire", &[]), json!({"ended": []}));
    let ended = json!({"ended": [{"task_index": 0, "epoch": 1}, {"task_index": 2, "epoch": 1}]});
    let expire = |sandbox: &Sandbox, epoch: u64| {
        let mut command = repo_at(sandbox, &epoch.to_string());
        command.args(["batch", "expire", &id, "--format", "json"]);
        serde_json::from_str::<Value>(&run(command, "").stdout).unwrap()
    };
    // A clock that runs behind the fork ends nothing.
    assert_eq!(expire(&sandbox, 1_000_000_000), json!({"ended": []}));
    assert_eq!(expire(&sandbox, 1_771_723_200 + 3600), ended);
    assert_eq!(expire(&sandbox, 1_771_723_200 + 3600), json!({"ended": []}));
    assert_eq!(state(&sandbox, &id).1, ["timeout", "success", "timeout"]);
    for (words, note) in [
        (&["expire", &id][..], "note: there are no open tasks"),
        (&["cancel", &id], "note: there are no open tasks"),
        (
            &["reclaim", &id, "1"],
            "note: task 1 has ended: success; to do it again, fork it in a plan with another `key`",
        ),
    ] {
        let run = sandbox.run(&[&["batch"], words].concat());
        assert!(run.code == 0 && run.stdout.is_empty() && run.stderr.contains(note), "{}", run.stderr);
    }

    sandbox.set_variable("UNUSED", "1");
    let (sandbox, id) = batch(2, "fail_fast: true\n");
    on(&sandbox, &id, 0, "claim", &["0"]);
    report(&sandbox, &id, 1, 1, "timeout");
    assert_eq!(state(&sandbox, &id), ("failed".to_owned(), vec!["canceled".to_owned(), "timeout".to_owned()]));
    let joined = on(&sandbox, &id, 0, "join", &[]);
    assert_eq!(joined["results"][0]["error"]["code"], "fail_fast");

    let (sandbox, id) = batch(2, "");
    on(&sandbox, &id, 0, "claim", &["0"]);
    assert_eq!(on(&sandbox, &id, 0, "cancel", &[])["ended"].as_array().unwrap().len(), 2);
    assert_eq!(on(&sandbox, &id, 0, "join", &[])["status"], "failed", "all canceled");
}

#[test]
fn what_cannot_be_followed_is_refused_and_nothing_is_written() {
    let (sandbox, id) = batch(2, "");
    let report = |task: &'static str, epoch: &'static str| vec![task, "--epoch", epoch, "--status", "success"];
    let cases: [(i32, &str, Vec<&str>, &str); 9] = [
        (3, "claim", vec!["2"], "task not found: 2 (help: the tasks of this batch are 0 to 1)"),
        (2, "claim", vec!["-1"], "unexpected argument"),
        (3, "report", report("7", "1"), "task not found: 7"),
        (2, "report", report("0", "2"), "epoch 2 of task 0 has not begun: it is at epoch 1"),
        (2, "report", report("0", "0"), "invalid value"),
        (3, "report", [report("0", "1"), vec!["--box", "nobody"]].concat(), "box not found: nobody"),
        (2, "report", [report("0", "1"), vec!["--error-code", "c", "--error-message", "m"]].concat(), "is `success`"),
        (2, "report", vec!["0", "--epoch", "1", "--status", ""], "`--status` is empty"),
        (3, "reclaim", vec!["2"], "task not found: 2"),
    ];
    for (code, command, words, message) in cases {
        refused(&sandbox, code, &[&["batch", command, &id], &words[..]].concat(), "", message);
    }
    refused(&sandbox, 3, &["batch", "status", "ffffffffffff"], "", "batch not found: ffffffffffff");
    refused(&sandbox, 2, &["batch", "status", "../x"], "", "is no batch_id");
}

#[test]
fn a_damaged_file_takes_its_turn_and_stops_no_other() {
    let (sandbox, id) = batch(3, "");
    let at = |path: &str| format!("context/batches/{id}/{path}");
    on(&sandbox, &id, 0, "claim", &["0"]);
    report(&sandbox, &id, 1, 1, "success");
    // Markers of a conflict, a report that was edited to another turn, and files of nobody.
    sandbox.write(&at("claims/0-1.json"), "<<<<<<< ours\n");
    sandbox.write(&at("reports/2-1.json"), sandbox.read(&at("reports/1-1.json")));
    sandbox.write(&at("claims/9-1.json"), "{}");
    sandbox.write(&at("claims/notes.json"), "{}");
    sandbox.write(&at("events/late-000000000000.json"), "{}");
    let status = on(&sandbox, &id, 3, "status", &[]);
    let faults = status["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 5, "{status}");
    for (path, task) in [("claims/0-1.json", 0), ("reports/2-1.json", 2)] {
        let help = format!("`contextpack batch reclaim {id} {task}`");
        let names_help = |fault: &&Value| fault["message"].as_str().unwrap().contains(&help);
        let named: Vec<&Value> = faults.iter().filter(names_help).map(|fault| &fault["path"]).collect();
        assert_eq!(named, [path], "{status}");
        let busy = sandbox.run(&["batch", "claim", &id, &task.to_string()]);
        assert!(busy.code == 1 && busy.stderr.contains(&help), "{}{}", busy.stdout, busy.stderr);
    }
    let states: Vec<&Value> = status["tasks"].as_array().unwrap().iter().map(|task| &task["status"]).collect();
    assert_eq!(states, ["dispatched", "success", "dispatched"]);
    let invalid = sandbox.expect(5, &["verify", "context"]);
    for path in ["claims/0-1", "reports/2-1", "claims/9-1", "claims/notes", "events/late-000000000000"] {
        assert!(invalid.contains(&format!("invalid: {}.json: ", at(path))), "{path}\n{invalid}");
    }
    // The turns can be given up, also by age, and the batch goes on.
    let reclaimed = on(&sandbox, &id, 0, "reclaim", &["--after", "3600"]);
    assert_eq!(reclaimed["reclaimed"].as_array().unwrap().len(), 2);
    report(&sandbox, &id, 0, 2, "success");
    report(&sandbox, &id, 2, 2, "success");
    assert_eq!(on(&sandbox, &id, 0, "join", &[])["status"], "success");
    // Without the plan or with another result nothing can be known.
    let result = sandbox.read(&at("result.json"));
    sandbox.write(
        &at("result.json"),
        result.replace("\"status\":\"success\",\"task_index\":0", "\"status\":\"failed\",\"task_index\":0"),
    );
    refused(&sandbox, 3, &["batch", "status", &id], "", "its status does not follow from its results");
    sandbox.write(&at("result.json"), result);
    sandbox.write(&at("batch.json"), sandbox.read(&at("batch.json")).replace("Do it.", "Do more."));
    refused(&sandbox, 3, &["batch", "claim", &id, "0"], "", "batch.json`: its content was changed");
}

#[test]
fn a_fork_that_was_not_finished_is_no_batch_and_is_finished_by_the_next() {
    let (sandbox, id) = batch(2, "");
    fs::remove_file(sandbox.path(&format!("context/batches/{id}/batch.json"))).unwrap();
    refused(&sandbox, 3, &["batch", "status", &id], "", "batch not found");
    let listed = sandbox.run(&["batch", "list", "--format", "json"]);
    assert_eq!((listed.code, serde_json::from_str(&listed.stdout).ok()), (0, Some(json!({"batches": []}))));
    assert!(listed.stderr.contains(&format!("`context/batches/{id}/batch.json` is not there")), "{}", listed.stderr);
    assert_eq!(forked(&sandbox)["existed"], false);
    assert_eq!(state(&sandbox, &id).0, "open");
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn a_batch_whose_events_are_gone_is_named() {
    let (sandbox, id) = batch(2, "");
    fs::remove_dir_all(sandbox.path(&format!("context/batches/{id}/events"))).unwrap();
    for (code, words) in [(3, &["batch", "list"][..]), (3, &["batch", "status", &id]), (5, &["verify", "context"])] {
        let run = sandbox.run(words);
        let said = run.stdout + &run.stderr;
        assert!(run.code == code && said.contains("what its fork made is not in `events/`"), "{words:?}: {said}");
    }
}

#[test]
fn the_live_view_prints_each_change_and_ends_with_the_tasks() {
    let (sandbox, id) = batch(2, "");
    let mut command = sandbox.command(&["batch", "status", &id, "--watch=100ms"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut next = |count: usize| (0..count).map(|_| lines.next().unwrap().unwrap()).collect::<Vec<_>>();
    let first = next(3);
    assert_eq!(first[0], format!("{id}  open  [--------------------] 0 of 2 tasks ended: 2 pending"));
    assert_eq!(first[1], "   0  pending     epoch 1  agent:coder:main");
    on(&sandbox, &id, 0, "claim", &["1", "--by", "me"]);
    // Only what changed.
    let claimed = next(2);
    assert!(claimed[0].ends_with("0 of 2 tasks ended: 1 dispatched, 1 pending"), "{claimed:?}");
    let line = "   1  dispatched  epoch 1  agent:coder:main  claimed by me at 2026-02-22T01:20:00Z";
    assert_eq!(claimed[1], line);
    on(&sandbox, &id, 0, "cancel", &[]);
    // Both reports may be seen at once, or one after the other.
    let last = std::iter::repeat_with(|| next(1)).find(|seen| seen[0].contains(" failed ")).unwrap();
    assert!(last[0].ends_with("failed  [####################] 2 of 2 tasks ended: 2 canceled"), "{last:?}");
    let ended = lines.next().unwrap().unwrap();
    assert!(ended.ends_with("reported at 2026-02-22T01:20:00Z  (canceled: the batch was canceled)"), "{ended}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn sixteen_processes_race_for_a_claim_and_one_wins() {
    const TASKS: usize = 10;
    let (sandbox, id) = batch(TASKS, "");
    for task in 0..TASKS {
        let task = task.to_string();
        let words = ["batch", "claim", &id, &task];
        let children: Vec<_> =
            (0..16).map(|_| sandbox.command(&words).stdout(std::process::Stdio::piped()).spawn().unwrap()).collect();
        let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        let mut codes: Vec<i32> = outputs.iter().map(|output| output.status.code().unwrap()).collect();
        codes.sort_unstable();
        assert_eq!((codes[0], &codes[1..]), (0, &[1; 15][..]), "task {task}");
    }
    assert_eq!(state(&sandbox, &id).1, vec!["dispatched"; TASKS]);
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn branches_merge_without_conflict_except_where_both_took_one_turn() {
    let (sandbox, id) = batch(3, "");
    sandbox.commit();
    let at = |branch: &str, steps: &[(&str, &[&str])]| {
        sandbox.git(&["checkout", "-q", "-b", branch, "main"]);
        for (command, words) in steps {
            on(&sandbox, &id, 0, command, words);
        }
        sandbox.commit();
    };
    let success = |task| ["--epoch", "1", "--status", "success", task];
    at("a", &[("claim", &["0"]), ("report", &success("0")), ("cancel", &[])]);
    at("b", &[("claim", &["1"]), ("reclaim", &[])]);
    at("c", &[("claim", &["1"])]);
    let mut states = Vec::new();
    for order in [["a", "b"], ["b", "a"]] {
        sandbox.git(&["checkout", "-q", "-b", &order.concat(), "main"]);
        for branch in order {
            // It fails on any conflict.
            sandbox.git(&["merge", "-q", "--no-edit", branch]);
        }
        states.push((sandbox.git(&["rev-parse", "HEAD^{tree}"]), state(&sandbox, &id)));
    }
    assert_eq!(states[0], states[1]);
    // The turn that `a` canceled was given up by `b`.
    assert_eq!(states[0].1.1, ["success", "pending", "canceled"]);
    let files = |branch: &str| sandbox.git(&["show", &format!("{branch}:context/batches/{id}/claims/1-1.json")]);
    assert_ne!(files("b"), files("c"), "two claims of one turn differ, so that git refuses to merge them");
}

#[test]
fn two_branches_that_fork_one_plan_merge_without_conflict() {
    let sandbox = repo();
    sandbox.commit();
    for (branch, epoch) in [("a", "1771723300"), ("b", "1771723400")] {
        sandbox.git(&["checkout", "-q", "-b", branch, "main"]);
        let mut command = repo_at(&sandbox, epoch);
        command.args(["batch", "fork", "tasks.yml"]);
        assert_eq!(run(command, "").code, 0);
        sandbox.commit();
    }
    sandbox.git(&["merge", "-q", "--no-edit", "a"]);
    let listed = sandbox.json(0, &["batch", "list", "--format", "json"]);
    assert_eq!(listed["batches"].as_array().unwrap().len(), 1);
    assert_eq!(listed["batches"][0]["forked_at"], "2026-02-22T01:23:20Z", "the later fork counts");
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn the_same_report_again_changes_nothing_and_another_one_is_late() {
    let (sandbox, id) = batch(2, "");
    let report = |task: &str, epoch: &str, words: &[&str]| {
        let own = ["batch", "report", &*id, task, "--epoch", epoch, "--status"];
        sandbox.run(&[&own[..], words].concat())
    };
    let counted = report("0", "1", &["success", "--summary", "Done", "--by", "run 7"]);
    assert_eq!((counted.code, &*counted.stdout), (0, "counted: success\n"));
    let before = sandbox.files();
    let mut later = sandbox.command(&["batch", "report", &id, "0", "--epoch", "1", "--status", "success"]);
    later.args(["--summary", "Done", "--by", "run 7", "--format", "json"]).env("SOURCE_DATE_EPOCH", "1771730000");
    let again: Value = serde_json::from_str(&run(later, "").stdout).unwrap();
    assert_eq!(again, json!({"status": "counted", "counts_as": "success", "existed": true}));
    assert_eq!(sandbox.files(), before);
    // By somebody else, or with another text, it is a second one; that one again changes nothing either.
    for words in [&["success", "--summary", "Done", "--by", "run 8"][..], &["failed", "--by", "run 7"]] {
        for known in [false, true] {
            let late = report("0", "1", words);
            let end = if known { "; it was already reported, and nothing was written\n" } else { "\n" };
            assert_eq!(late.stdout, format!("late: second; the report is kept and does not count{end}"));
        }
    }
    // A report that was given up stays late, and one that counted stays counted after the join.
    sandbox.expect(0, &["batch", "claim", &id, "1"]);
    sandbox.expect(0, &["batch", "reclaim", &id, "1"]);
    for _ in 0..2 {
        assert!(report("1", "1", &["success"]).stdout.starts_with("late: stale_epoch"));
    }
    report("1", "2", &["partial"]);
    sandbox.expect(0, &["batch", "join", &id]);
    let before = sandbox.files();
    assert!(report("1", "2", &["partial"]).stdout.starts_with("counted: partial; it was already reported"));
    assert_eq!(sandbox.files(), before);
    assert!(report("1", "2", &["success"]).stdout.starts_with("late: closed"));
    sandbox.expect(0, &["verify", "context"]);
}
