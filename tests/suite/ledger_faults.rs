//! Ledgers that were edited by hand: clocks that jump, fields that no writer gives, names that no ledger has. Each stops no
//! other, and each has a diagnostic.

use crate::batches::{batch, repo};
use crate::cards::card;
use crate::sandbox::Sandbox;
use contextpack::Digest;
use serde_json::{Value, json};
use std::fs;

/// The only file of a folder.
fn only(sandbox: &Sandbox, folder: &str) -> String {
    let files: Vec<String> =
        sandbox.files().into_iter().map(|(path, _)| path).filter(|path| path.starts_with(folder)).collect();
    let [file] = &files[..] else { panic!("{folder} has {files:?}") };
    file.clone()
}

/// Renames an entry of a log or inbox to another clock, and returns its new path.
fn at_clock(sandbox: &Sandbox, path: &str, clock: u32) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap();
    let renamed = format!("{folder}/{clock:08}-{}", file.split_once('-').unwrap().1);
    fs::rename(sandbox.path(path), sandbox.path(&renamed)).unwrap();
    renamed
}

/// Writes an event of a batch by hand.
fn forged(sandbox: &Sandbox, id: &str, event: &Value) -> String {
    let bytes = serde_jcs::to_vec(event).unwrap();
    let hash = Digest::of(&bytes).to_string()["sha256:".len()..][..12].to_owned();
    let path = format!("context/batches/{id}/events/{}-{hash}.json", event["kind"].as_str().unwrap());
    sandbox.write(&path, bytes);
    path
}

/// The lines of `verify` about files that are not valid.
fn invalid(sandbox: &Sandbox) -> Vec<String> {
    let lines = sandbox.expect(5, &["verify", "context"]);
    lines.lines().filter(|line| line.starts_with("invalid: ")).map(str::to_owned).collect()
}

#[test]
fn a_clock_that_jumps_uses_up_no_clocks_and_verify_says_how_to_mend_it() {
    let (sandbox, id) = batch(1, "");
    let jumped = at_clock(&sandbox, &only(&sandbox, "context/logs/planner/"), 99_999_999);
    let file = jumped.rsplit_once('-').unwrap().1;
    let faults = invalid(&sandbox);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].contains(&jumped) && faults[0].contains(&format!("rename it to `00000001-{file}`")),
        "{faults:?}"
    );
    // The log can be read and appended to, also by a join.
    let before = sandbox.json(0, &["box", "show", "planner", "--format", "json"])["card_ids"].clone();
    let next = card(&sandbox, "what comes next");
    let appended = sandbox.json(0, &["box", "append", "planner", &next, "--format", "json"]);
    assert_eq!(appended["clock"], 1);
    sandbox.expect(0, &["batch", "report", &id, "0", "--epoch", "1", "--status", "success"]);
    sandbox.expect(0, &["batch", "join", &id]);
    let cards = sandbox.json(0, &["box", "show", "planner", "--format", "json"])["card_ids"].clone();
    assert_eq!(cards.as_array().unwrap().len(), 3);
    assert!(cards.as_array().unwrap().contains(&before[0]));
    at_clock(&sandbox, &jumped, 3);
    sandbox.expect(0, &["verify", "context"]);
    // A gap is none: a branch may lack some of the files.
    at_clock(&sandbox, &jumped.replace("99999999", "00000003"), 9_000);
    sandbox.expect(0, &["verify", "context"]);
    assert_eq!(sandbox.expect(0, &["box", "append", "planner", &next]).trim(), "planner@9001");
}

#[test]
fn a_request_whose_clock_jumps_is_a_turn_and_fills_no_inbox() {
    let sandbox = repo();
    let dispatch =
        |key: &str| sandbox.json(0, &["inbox", "put", "coder", "--box", "planner", "--key", key, "--format", "json"]);
    let first = dispatch("a")["agent_turn_id"].as_str().unwrap().to_owned();
    let jumped = at_clock(&sandbox, &only(&sandbox, "context/inbox/coder/requests/"), 99_999_999);
    dispatch("b");
    let listed = sandbox.json(3, &["inbox", "list", "coder", "--format", "json"]);
    assert_eq!(listed["turns"].as_array().unwrap().len(), 2);
    assert_eq!(listed["faults"].as_array().unwrap().len(), 1);
    assert!(invalid(&sandbox)[0].contains(&format!("rename it to `00000002-{first}.json`")));
    sandbox.expect(0, &["inbox", "claim", "coder", &first]);
    at_clock(&sandbox, &jumped, 2);
    sandbox.expect(0, &["inbox", "list", "coder"]);
    sandbox.expect(0, &["verify", "context"]);
}

#[test]
fn an_epoch_that_jumps_uses_up_no_epochs() {
    let (sandbox, id) = batch(1, "");
    let path = forged(
        &sandbox,
        &id,
        &json!({"schema_version": "batch_event/v1", "kind": "reclaim", "batch_id": id, "task_index": 0, "epoch": 99_999_998,
            "at": "2026-02-22T01:20:00Z"}),
    );
    let status = sandbox.run(&["batch", "status", &id, "--format", "json"]);
    assert!(status.code == 3 && status.stderr.contains("its epoch jumps from 0 to 99999998"), "{}", status.stderr);
    assert_eq!(serde_json::from_str::<Value>(&status.stdout).unwrap()["tasks"][0]["epoch"], 1);
    assert!(invalid(&sandbox)[0].contains(&path));
    for epoch in ["1", "2"] {
        assert_eq!(
            sandbox.expect(0, &["batch", "claim", &id, "0"]).lines().next(),
            Some(&*format!("accepted: task {id}.0, epoch {epoch}"))
        );
        sandbox.expect(0, &["batch", "reclaim", &id]);
    }
}

#[test]
fn a_fork_event_that_no_fork_writes_does_not_count() {
    let (sandbox, id) = batch(1, "");
    let matrix = sandbox.expect(0, &["batch", "matrix", &id]);
    let real: Value =
        serde_json::from_str(&sandbox.read(&only(&sandbox, &format!("context/batches/{id}/events/")))).unwrap();
    let pack = real["tasks"][0]["pack"].as_str().unwrap();
    let cases = [
        ("/parent_log", "../../x".to_owned(), "parent_log"),
        ("/parent_log", "Ü".to_owned(), "parent_log"),
        ("/at", "2027-01-01 00:00:00Z".to_owned(), "its time"),
        ("/tasks/0/output_box", ".*".to_owned(), "output_box"),
        ("/tasks/0/output_box", "coder".to_owned(), "output_box"),
        ("/tasks/0/pack", "../../../etc/passwd".to_owned(), "pack"),
        ("/tasks/0/pack", format!("/{pack}"), "pack"),
        ("/tasks/0/pack", format!("context/../{pack}"), "pack"),
        ("/tasks/0/pack", pack.replace(".0-", ".1-"), "pack"),
        ("/tasks/0/pack", pack.replace("/packs/", "/other/"), "pack"),
        ("/tasks/0/agent", "\n::error::x".to_owned(), "agent"),
        ("/tasks/0/agent", " ".to_owned(), "agent"),
        ("/tasks/0/context_box_id", "sha256:0".to_owned(), "an id is"),
    ];
    for (place, value, message) in cases {
        let mut event = real.clone();
        event["at"] = "2027-01-01T00:00:00Z".into();
        *event.pointer_mut(place).unwrap() = value.clone().into();
        let path = forged(&sandbox, &id, &event);
        let status = sandbox.run(&["batch", "status", &id]);
        assert!(status.code == 3 && status.stderr.contains(message), "{place} {value}: {}", status.stderr);
        assert_eq!(sandbox.expect(0, &["batch", "matrix", &id]), matrix, "{place} {value}");
        assert_eq!(invalid(&sandbox).len(), 1);
        fs::remove_file(sandbox.path(&path)).unwrap();
    }
    // Named boxes have to be there.
    let mut event = real.clone();
    event["at"] = "2027-01-01T00:00:00Z".into();
    event["tasks"][0]["context_box_id"] = format!("sha256:{}", "0".repeat(64)).into();
    forged(&sandbox, &id, &event);
    assert!(invalid(&sandbox)[0].contains("box not found"));
}

#[test]
fn claims_reports_and_plans_are_checked_as_strictly_as_they_are_written() {
    let (sandbox, id) = batch(1, "");
    sandbox.expect(0, &["batch", "claim", &id, "0", "--by", "me"]);
    let words = ["--epoch", "1", "--status", "failed", "--error-code", "a", "--error-message", "b", "--by", "me"];
    sandbox.expect(0, &[&["batch", "report", &id, "0"], &words[..]].concat());
    let edits = [
        ("claims/0-1.json", "author_id", json!(" ")),
        ("claims/0-1.json", "nonce", json!("a b")),
        ("claims/0-1.json", "at", json!("yesterday")),
        ("claims/0-1.json", "epoch", json!(2)),
        ("reports/0-1.json", "status", json!(" ")),
        ("reports/0-1.json", "author_id", json!("")),
        ("reports/0-1.json", "nonce", json!("")),
        ("reports/0-1.json", "status", json!("success")),
        ("reports/0-1.json", "task_index", json!(1)),
    ];
    for (file, field, value) in edits {
        let path = format!("context/batches/{id}/{file}");
        let before = sandbox.read(&path);
        let mut entry: Value = serde_json::from_str(&before).unwrap();
        entry[field] = value.clone();
        sandbox.write(&path, serde_jcs::to_vec(&entry).unwrap());
        let status = sandbox.run(&["batch", "status", &id]);
        assert!(status.code == 3 && status.stderr.contains(&path), "{file} {field} {value}: {}", status.stderr);
        assert_eq!(invalid(&sandbox).len(), 1, "{file} {field} {value}");
        sandbox.write(&path, before);
    }
    // A plan that no fork writes, in a folder with its hash.
    for (field, value) in [("deadline_seconds", json!(0)), ("parent_agent", json!("a\nb")), ("tasks", json!([]))] {
        let mut plan: Value = serde_json::from_str(&sandbox.read(&format!("context/batches/{id}/batch.json"))).unwrap();
        plan[field] = value;
        let bytes = serde_jcs::to_vec(&plan).unwrap();
        let folder = Digest::of(&bytes).to_string()["sha256:".len()..][..12].to_owned();
        sandbox.write(&format!("context/batches/{folder}/batch.json"), bytes);
        let list = sandbox.run(&["batch", "list"]);
        assert!(list.code == 3 && list.stdout.contains(&id) && list.stderr.contains(&folder), "{}", list.stderr);
        assert_eq!(invalid(&sandbox).len(), 1, "{field}");
        fs::remove_dir_all(sandbox.path(&format!("context/batches/{folder}"))).unwrap();
    }
}

#[test]
fn a_batch_that_was_made_by_hand_shows_no_secret() {
    let (sandbox, id) = batch(1, "");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let mut plan: Value = serde_json::from_str(&sandbox.read(&format!("context/batches/{id}/batch.json"))).unwrap();
    plan["parent_agent"] = secret.into();
    plan["tasks"][0]["root"] = secret.into();
    let bytes = serde_jcs::to_vec(&plan).unwrap();
    let forged = Digest::of(&bytes).to_string()["sha256:".len()..][..12].to_owned();
    sandbox.write(&format!("context/batches/{forged}/batch.json"), bytes);
    let commands: [&[&str]; 3] = [&["list"], &["claim", &forged, "0"], &["cancel", &forged]];
    for words in commands.into_iter().chain([&["join", &forged][..]]) {
        let run = sandbox.run(&[&["batch"], words, &["--format", "json"]].concat());
        assert!(
            !run.stdout.contains(secret) && !run.stderr.contains(secret),
            "{words:?}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}

/// Puts something odd in the place of a file or folder, which must not be there.
fn odd(sandbox: &Sandbox, path: &std::path::Path, kind: &str) {
    match kind {
        "folder" => fs::create_dir_all(path).unwrap(),
        "empty" => fs::write(path, "").unwrap(),
        "huge" => fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
        #[cfg(unix)]
        "link" => std::os::unix::fs::symlink(sandbox.root(), path).unwrap(),
        _ => fs::write(path, "{}").unwrap(),
    }
}

#[test]
fn an_odd_name_stops_no_ledger_and_is_named() {
    let (sandbox, id) = batch(2, "");
    sandbox.expect(0, &["batch", "claim", &id, "0"]);
    sandbox.write("tasks.yml", sandbox.read("tasks.yml").replace("Do it.", "Do that."));
    let other =
        sandbox.json(0, &["batch", "fork", "tasks.yml", "--format", "json"])["batch_id"].as_str().unwrap().to_owned();
    sandbox.expect(0, &["inbox", "put", "coder", "--box", "planner"]);
    let batch = format!("context/batches/{id}");
    let mut places: Vec<(String, &str)> = Vec::new();
    for ledger in [&*batch, "context/inbox/coder"] {
        for name in ["a:b", "con ", "0-1-1", "ü\"<img>"] {
            places.push((format!("{ledger}/claims/{name}.json"), "file"));
        }
        for kind in ["folder", "empty", "huge", "link"] {
            places.push((format!("{ledger}/events/reclaim-0123456789ab.json"), kind));
        }
        for kind in ["file", "link"] {
            places.push((format!("{ledger}/events"), kind));
        }
    }
    for kind in ["link", "file", "empty"] {
        places.push(("context/batches/0123456789ab".to_owned(), kind));
    }
    places.push(("context/batches/NOT AN ID".to_owned(), "folder"));
    if cfg!(not(unix)) {
        places.retain(|(path, kind)| *kind != "link" && !path.contains([':', '"', ' ']));
    }
    let commands: [&[&str]; 4] =
        [&["batch", "list"], &["batch", "status", &id], &["inbox", "list", "coder"], &["verify", "context"]];
    let expected = commands.map(|words| sandbox.run(words).stdout);
    assert!(expected[0].contains(&other));
    for (path, kind) in places {
        let place = sandbox.path(&path);
        let aside = sandbox.beside("aside");
        let had = place.exists();
        if had {
            fs::rename(&place, &aside).unwrap();
        }
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        odd(&sandbox, &place, kind);
        let mut named = 0;
        for (words, expected) in commands.iter().zip(&expected) {
            let run = sandbox.run(words);
            assert!([0, 3, 5].contains(&run.code), "{path} {kind} {words:?}: {}", run.stderr);
            let shown: String = path.chars().take_while(|c| !"\"<%".contains(*c)).collect();
            let is_named = format!("{}{}", run.stdout, run.stderr).contains(&shown);
            named += usize::from(run.code != 0 && is_named);
            // What is said of all else stays; without its events a batch does not know its agents.
            let is_own =
                path.starts_with(&batch) && ["status", "list"].contains(&words[1]) && path.ends_with("/events");
            for line in expected.lines().filter(|line| !line.contains("/events/") && !is_own) {
                assert!(
                    run.stdout.contains(line),
                    "{path} {kind} {words:?} lacks {line}: {}{}",
                    run.stdout,
                    run.stderr
                );
            }
        }
        assert!(named >= 1, "{path} {kind} is named nowhere");
        match fs::symlink_metadata(&place).unwrap().is_dir() {
            true => fs::remove_dir(&place).unwrap(),
            false => fs::remove_file(&place).unwrap(),
        }
        if had {
            fs::rename(&aside, &place).unwrap();
        }
    }
    sandbox.expect(0, &["verify", "context"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_stops_no_ledger_and_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let (sandbox, id) = batch(1, "");
    sandbox.expect(0, &["inbox", "put", "coder", "--box", "planner"]);
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.json");
    for folder in [format!("context/batches/{id}/reports"), "context/inbox/coder/responses".to_owned()] {
        fs::create_dir_all(sandbox.path(&folder)).unwrap();
        fs::write(sandbox.path(&folder).join(name), "{}").unwrap();
    }
    fs::create_dir(sandbox.path("context/batches").join(std::ffi::OsStr::from_bytes(b"\xff"))).unwrap();
    let list = sandbox.run(&["batch", "list"]);
    assert!(list.code == 3 && list.stdout.contains(&id) && list.stderr.contains("batches/\u{fffd}"), "{}", list.stderr);
    for words in [&["batch", "status", &*id][..], &["inbox", "list", "coder"]] {
        let run = sandbox.run(words);
        assert!(run.code == 3 && run.stderr.contains("\u{fffd}\u{fffd}.json"), "{}", run.stderr);
    }
    assert_eq!(invalid(&sandbox).len(), 2);
}

#[test]
fn a_command_that_fails_leaves_nothing_half_written() {
    let (sandbox, id) = batch(1, "");
    sandbox.expect(0, &["batch", "report", &id, "0", "--epoch", "1", "--status", "success"]);
    let aside = sandbox.beside("aside");
    let fails = |place: &str, words: &[&str]| {
        let place = sandbox.path(place);
        let had = place.exists();
        if had {
            fs::rename(&place, &aside).unwrap();
        }
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, "no folder").unwrap();
        let before = sandbox.files();
        let run = sandbox.run(words);
        assert!([1, 3].contains(&run.code), "{words:?}: {}{}", run.stdout, run.stderr);
        let after = sandbox.files();
        let new: Vec<&String> = after.iter().filter(|file| !before.contains(file)).map(|(path, _)| path).collect();
        assert_eq!((new, after.len()), (vec![], before.len()), "{words:?}");
        fs::remove_file(&place).unwrap();
        if had {
            fs::rename(&aside, &place).unwrap();
        }
    };
    // The log of the parent, and the cards: the batch is not closed.
    fails("context/logs/planner", &["batch", "join", &id]);
    fails("context/cards", &["batch", "join", &id]);
    // The snapshot of the log, and the request.
    fails("context/inbox/coder/requests", &["inbox", "put", "coder", "--box", "planner"]);
    // Cards, boxes, packs, the event, the plan.
    sandbox.write("tasks.yml", sandbox.read("tasks.yml").replace("Do it.", "Do that."));
    fails("context/packs", &["batch", "fork", "tasks.yml"]);
    let forked = {
        let run = sandbox.run(&["batch", "fork", "tasks.yml", "-q"]);
        run.stdout.trim().to_owned()
    };
    fs::remove_dir_all(sandbox.path(&format!("context/batches/{forked}"))).unwrap();
    fails(&format!("context/batches/{forked}/events"), &["batch", "fork", "tasks.yml"]);
    fails(&format!("context/batches/{forked}"), &["batch", "fork", "tasks.yml"]);
    sandbox.expect(0, &["batch", "join", &id]);
    sandbox.expect(0, &["verify", "context"]);
}

/// Runs the program where no file can grow, as on a disk that is full.
#[cfg(target_os = "linux")]
fn on_a_full_disk(sandbox: &Sandbox, words: &[&str]) -> crate::sandbox::Run {
    let program = sandbox.command(words);
    let mut shell = std::process::Command::new("sh");
    // Not ignored, the signal would end the program.
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]).arg(program.get_program()).args(words);
    shell.current_dir(sandbox.root()).env_clear();
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    crate::sandbox::run(shell, "")
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing_and_the_same_command_does_it_once_there_is_room() {
    let (sandbox, id) = batch(1, "");
    let turn =
        sandbox.json(0, &["inbox", "put", "coder", "--box", "planner", "--format", "json"])["agent_turn_id"].clone();
    let turn = turn.as_str().unwrap();
    let outcome = ["--status", "success"];
    let commands = [
        (vec!["batch", "claim", &id, "0"], "accepted: task "),
        ([&["batch", "report", &id, "0", "--epoch", "1"], &outcome[..]].concat(), "counted: success"),
        (vec!["batch", "join", &id], &*format!("{id}  success")),
        (vec!["inbox", "put", "coder", "--box", "planner", "--key", "k"], "accepted: turn "),
        (vec!["inbox", "claim", "coder", turn], "accepted: turn "),
        ([&["inbox", "ack", "coder", turn], &outcome[..]].concat(), "counted: success"),
        (vec!["inbox", "close", "coder"], "closed: coder"),
    ];
    let files =
        || sandbox.files().into_iter().filter(|(path, _)| !path.starts_with(".contextpack/")).collect::<Vec<_>>();
    for (words, done) in commands {
        let before = files();
        let full = on_a_full_disk(&sandbox, &words);
        assert_eq!((full.code, &*full.stdout), (1, ""), "{words:?}: {}", full.stderr);
        assert!(full.stderr.contains("cannot write"), "{words:?}: {}", full.stderr);
        assert_eq!(files(), before, "{words:?}");
        let run = sandbox.run(&words);
        assert!(run.code == 0 && run.stdout.starts_with(done), "{words:?}: {}{}", run.stdout, run.stderr);
    }
    sandbox.expect(0, &["inbox", "list", "coder"]);
    sandbox.expect(0, &["verify", "context"]);
    // A log that is appended to keeps whole lines.
    let (sandbox, log) = (crate::agents::office(), ".contextpack/delivered/delivered.jsonl");
    let record = ["render", "--agent", "research", "--record"];
    sandbox.expect(0, &record);
    let before = sandbox.read(log);
    assert_eq!(on_a_full_disk(&sandbox, &["render", "--agent", "ops", "--record"]).code, 1);
    assert_eq!(sandbox.read(log), before);
}
