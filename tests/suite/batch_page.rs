//! Batches and inboxes on the page of `contextpack page`.

use crate::batches::batch;
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// The entries of the page of a path.
fn entries(sandbox: &Sandbox, code: i32, path: &str) -> Vec<Value> {
    let page = sandbox.expect(code, &["page", "-o", "-", path]);
    let data = page.split("<script type=\"application/json\" id=\"data\">").nth(1).unwrap();
    let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    data["packs"].as_array().unwrap().clone()
}

/// The entry of a batch among those of its folder.
fn entry(sandbox: &Sandbox, code: i32, id: &str) -> Value {
    let path = format!("context/batches/{id}");
    entries(sandbox, code, "context").into_iter().find(|entry| entry["path"] == *path).unwrap()
}

#[test]
fn a_batch_is_one_entry_that_says_who_has_what_and_leads_to_packs_and_logs() {
    let (sandbox, id) = batch(3, "fail_fast: true\n");
    let on = |command: &str, words: &[&str]| {
        sandbox.expect(0, &[&["batch", command, &id], words].concat());
    };
    let card = crate::cards::card(&sandbox, "It is done.");
    sandbox.expect(0, &["box", "append", &format!("{id}.0"), &card]);
    on("claim", &["0", "--by", "https://github.com/owner/name/actions/runs/7"]);
    on("report", &["0", "--epoch", "1", "--status", "success", "--summary", "</script> Done."]);
    on("claim", &["1", "--by", "first"]);
    on("reclaim", &["1"]);
    on("claim", &["1", "--by", "second"]);
    on("report", &["1", "--epoch", "1", "--status", "done"]);
    let all = entries(&sandbox, 0, "context");
    let paths: Vec<&str> = all.iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    assert_eq!(paths.iter().filter(|path| path.starts_with("context/batches/")).count(), 1, "{paths:?}");
    let shown = &entry(&sandbox, 0, &id)["batch"];
    let (first, second) = (&shown["tasks"][0], &shown["tasks"][1]);
    for link in [&first["pack"], &first["log"], &first["output"], &second["pack"], &shown["parent_log"]] {
        assert!(paths.contains(&link.as_str().unwrap()), "{link}: {paths:?}");
    }
    assert_eq!((&first["status"], &first["summary"]), (&json!("success"), &json!("</script> Done.")));
    let at = "2026-02-22T01:20:00Z";
    let found = (&second["claimed_by"], &second["claimed_at"], &second["epoch"], &second["reports"]);
    let late = json!([{"epoch": 1, "status": "done", "at": at, "late": "stale_epoch"}]);
    assert_eq!(found, (&json!("second"), &json!(at), &json!(2), &late));

    // Under `fail_fast` the other one is canceled, and the join is told.
    on("report", &["1", "--epoch", "2", "--status", "failed", "--error-code", "c", "--error-message", "m"]);
    on("join", &[]);
    let shown = &entry(&sandbox, 0, &id)["batch"];
    assert_eq!((&shown["status"], &shown["joined_at"]), (&json!("failed"), &json!(at)));
    assert_eq!(shown["tasks"][1]["error"], json!(["c", "m"]));
    assert_eq!(
        (&shown["tasks"][2]["status"], &shown["tasks"][2]["error"][0]),
        (&json!("canceled"), &json!("fail_fast"))
    );
    // A part of the folder shows the whole batch.
    for part in ["", "/claims", "/batch.json", "/claims/0-1.json"] {
        let entries = entries(&sandbox, 0, &format!("context/batches/{id}{part}"));
        assert_eq!((entries.len(), &entries[0]["batch"]["id"]), (1, &json!(id)), "{part}");
    }
}

#[test]
fn damaged_files_are_faults_and_a_secret_in_them_is_not_shown() {
    let (sandbox, id) = batch(2, "");
    let at = |path: &str| format!("context/batches/{id}/{path}");
    sandbox.expect(0, &["batch", "claim", &id, "0", "--by", "somebody"]);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    sandbox.write(&at("claims/0-1.json"), sandbox.read(&at("claims/0-1.json")).replace("somebody", secret));
    sandbox.write(&at("claims/1-1.json"), "<<<<<<< ours\n");
    sandbox.write(&at("notes.json"), "{}");
    let shown = entry(&sandbox, 5, &id);
    assert_eq!(shown["faults"].as_array().unwrap().len(), 2, "{shown}");
    assert!(shown["batch"]["tasks"][0]["claimed_by"].as_str().unwrap().contains("REDACTED"), "{shown}");
    assert_eq!(shown["batch"]["tasks"][1]["claimed"], true);
    assert!(!shown.to_string().contains(secret));
    // What a fork that was not finished left, and what is in no batch.
    std::fs::rename(sandbox.path(&at("batch.json")), sandbox.path("batch.json")).unwrap();
    sandbox.write("context/batches/notes/x.json", "{}");
    let all = entries(&sandbox, 5, "context");
    let fault = |path: &str| &all.iter().find(|entry| entry["path"] == *path).unwrap()["faults"][0];
    assert_eq!(fault(at("").trim_end_matches('/')), "it has no `batch.json`: its fork was not finished");
    assert_eq!(fault("context/batches/notes/x.json"), "no file of this program is here");
}

#[test]
fn an_inbox_is_one_entry_that_says_who_has_which_turn() {
    let sandbox = crate::batches::repo();
    let turn = |key: &str| {
        let words = ["inbox", "put", "coder", "--box", "planner", "--key", key, "--format", "json"];
        sandbox.json(0, &words)["agent_turn_id"].as_str().unwrap().to_owned()
    };
    let [first, second, third] = ["a", "b", "c"].map(turn);
    let on = |command: &str, words: &[&str]| {
        sandbox.expect(0, &[&["inbox", command, "coder"], words].concat());
    };
    on("claim", &[&first, "--by", "one"]);
    on("ack", &[&first, "--summary", "</script> Done."]);
    on("claim", &[&second, "--by", "two"]);
    on("close", &[]);
    sandbox.write(&format!("context/inbox/coder/claims/{third}-1.json"), "<<<<<<< ours\n");
    let all = entries(&sandbox, 5, "context");
    let paths: Vec<&str> = all.iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    let shown = all.iter().find(|entry| entry["path"] == "context/inbox/coder").unwrap();
    assert_eq!(paths.iter().filter(|path| path.starts_with("context/inbox/")).count(), 1, "{paths:?}");
    assert_eq!((shown["inbox"]["closed"].as_bool(), shown["faults"].as_array().unwrap().len()), (Some(true), 1));
    let tasks = &shown["inbox"]["tasks"];
    let states = [0, 1, 2].map(|at| (tasks[at]["id"].as_str().unwrap(), tasks[at]["status"].as_str().unwrap()));
    let expected = [(&first, "success"), (&second, "dispatched"), (&third, "dispatched")];
    assert_eq!(states, expected.map(|(id, status)| (id.as_str(), status)));
    assert_eq!((&tasks[0]["summary"], &tasks[1]["claimed_by"]), (&json!("</script> Done."), &json!("two")));
    assert!(paths.contains(&tasks[0]["context"].as_str().unwrap()), "{tasks}: {paths:?}");
    let part = &entries(&sandbox, 5, "context/inbox/coder/claims")[0];
    assert_eq!(part["inbox"]["tasks"][1]["claimed_by"], "two");
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_faults_and_take_no_place_of_another() {
    let (sandbox, id) = batch(1, "");
    let dispatched = ["inbox", "put", "coder", "--box", &format!("{id}.0"), "--format", "json"];
    let card = crate::cards::card(&sandbox, "It is done.");
    sandbox.expect(0, &["box", "append", &format!("{id}.0"), &card]);
    sandbox.json(0, &dispatched);
    let before = entries(&sandbox, 0, "context");
    let link = |to: &str, at: &str| {
        let at = sandbox.path(at);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(sandbox.path(to), at).unwrap();
    };
    link(&format!("context/batches/{id}/batch.json"), "context/inbox/coder/zzz.json");
    link(&format!("context/batches/{id}/batch.json"), "context/batches/aaaaaaaaaaaa/batch.json");
    link("contextpack.yml", "context/x.json");
    let after = entries(&sandbox, 5, "context");
    for entry in &before {
        let again = after.iter().find(|it| it["path"] == entry["path"]).unwrap();
        assert_eq!(again["inbox"], entry["inbox"], "{}", entry["path"]);
        assert_eq!(again["batch"], entry["batch"], "{}", entry["path"]);
    }
    for path in ["context/inbox/coder/zzz.json", "context/batches/aaaaaaaaaaaa/batch.json", "context/x.json"] {
        let fault = &after.iter().find(|it| it["path"] == path).unwrap()["faults"][0];
        assert_eq!(fault, "it is not a regular file, and links are not followed", "{path}");
    }
}

#[cfg(feature = "page")]
#[test]
fn a_card_that_is_deleted_leaves_a_served_page() {
    let (sandbox, id) = batch(1, "");
    let card = crate::cards::card(&sandbox, "A word to forget.");
    sandbox.expect(0, &["box", "append", &format!("{id}.0"), &card]);
    // Files that changed a moment ago are read again in any case.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let served = crate::serve::Served::new(&sandbox, &["page", "--serve", "context"]);
    let path = format!("{}packs.json", served.base);
    assert!(served.get(&path, "").body.contains("A word to forget."));
    sandbox.expect(0, &["card", "delete", &card]);
    assert!(!served.get(&path, "").body.contains("A word to forget."));
}
