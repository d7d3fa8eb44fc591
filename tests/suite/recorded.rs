//! `sync` against what GitHub really said: answers that the tests of PyGithub recorded over the years.
//!
//! `CONTEXTPACK_RECORDED` names the folder `tests/ReplayData` of its source package, which `.ci/run` fetches: only there
//! are these tests run.

use crate::sandbox::{Sandbox, run};
use crate::stand_in::{Said, StandIn, World, repo_body};
use crate::sync::{command, sandbox, small, sync, synced};
use contextpack::internals::model::SnapshotIssue;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// One answer, and what was asked.
#[derive(Clone)]
struct Record {
    get: bool,
    path: String,
    said: Said,
}

/// Reads all answers.
fn records() -> Vec<Record> {
    let folder = std::env::var_os("CONTEXTPACK_RECORDED")
        .unwrap_or_else(|| panic!("`CONTEXTPACK_RECORDED` names the folder of recorded answers"));
    let folder = PathBuf::from(folder);
    let header = Regex::new(r"\('([^']*)', '([^']*)'\)").unwrap();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut records = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "txt")) {
        let text = std::fs::read_to_string(file).unwrap();
        let mut lines = text.lines();
        while let Some(scheme) = lines.next() {
            if !matches!(scheme, "http" | "https") {
                continue;
            }
            // Method, host, port, path, headers, input; status, headers, body.
            let fields: Vec<&str> = lines.by_ref().take(9).collect();
            let [method, _, _, path, _, _, status, headers, body] = fields[..] else { break };
            let Ok(status) = status.parse() else { continue };
            let kept =
                |name: &str| matches!(name, "etag" | "link" | "location" | "retry-after") || name.starts_with("x-");
            let headers = header.captures_iter(headers).map(|found| (found[1].to_lowercase(), found[2].to_owned()));
            let headers = headers.filter(|(name, _)| kept(name)).collect();
            let said = Said { status, headers, body: body.to_owned(), ..Said::default() };
            records.push(Record { get: method == "GET", path: path.to_owned(), said });
        }
    }
    assert!(records.len() > 2000, "there are {} answers in {}", records.len(), folder.display());
    records
}

/// Each issue with all that was ever said of it, by repo.
fn issues(records: &[Record]) -> BTreeMap<String, BTreeMap<u64, Vec<Value>>> {
    let mut issues: BTreeMap<String, BTreeMap<u64, Vec<Value>>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.said.status < 300) {
        let body: Value = serde_json::from_str(&record.said.body).unwrap_or_default();
        let bodies = match body {
            Value::Array(bodies) => bodies,
            body => vec![body],
        };
        for body in bodies.into_iter().filter(|body| body["labels"].is_array() && body["title"].is_string()) {
            let Some((repo, number)) = body["url"].as_str().and_then(|url| url.split_once("/issues/")) else {
                continue;
            };
            let Some((repo, number)) = repo.split_once("/repos/").map(|(_, repo)| repo).zip(number.parse().ok()) else {
                continue;
            };
            let said = issues.entry(repo.to_owned()).or_default().entry(number).or_default();
            if !said.contains(&body) {
                said.push(body);
            }
        }
    }
    issues
}

/// Ten years ago every issue had an empty `pull_request`.
fn is_pull(said: &Value) -> bool {
    said["pull_request"]["html_url"].is_string()
}

/// A server that says what was recorded, the issues as they were said the `round`th time.
fn server(records: &[Record], repo: &str, issues: &BTreeMap<u64, Vec<Value>>, round: usize) -> StandIn {
    let mut said: BTreeMap<String, Said> = BTreeMap::new();
    for record in records.iter().filter(|record| record.get && record.said.status == 200) {
        let (path, query) = record.path.split_once('?').unwrap_or((&record.path, ""));
        // Pages of another length were asked for then; the links lead on as they did.
        if !query.split('&').any(|pair| pair.starts_with("page=")) {
            said.entry(path.to_owned()).or_insert_with(|| record.said.clone());
        }
        said.insert(record.path.clone(), record.said.clone());
    }
    let prefix = format!("/repos/{repo}");
    said.entry(prefix.clone()).or_insert_with(|| Said::new(200, &repo_body(repo, false, issues.len())));
    let bodies = issues.iter().map(|(number, said)| (number, &said[round.min(said.len() - 1)]));
    for (number, body) in bodies.clone() {
        said.insert(format!("{prefix}/issues/{number}"), Said::new(200, body));
    }
    let all: Value = bodies.map(|(_, body)| body.clone()).collect();
    said.insert(format!("{prefix}/issues"), Said::new(200, &all));
    let mut world = World::with("o/r");
    world.strange = true;
    world.fault = Some(Box::new(move |path, _| {
        let bare = path.split('?').next().unwrap_or_default();
        let nothing = || Said::new(200, &Value::Array(Vec::new()));
        let missing = || Said::new(404, &serde_json::json!({"message": "Not Found"}));
        let empty = || if bare.ends_with("/parent") || !bare.contains("/issues/") { missing() } else { nothing() };
        Some(said.get(path).or_else(|| said.get(bare)).cloned().unwrap_or_else(empty))
    }));
    StandIn::new(world)
}

#[test]
#[ignore = "`CONTEXTPACK_RECORDED` names what is replayed"]
fn every_issue_that_was_ever_recorded_becomes_a_file_that_builds_read() {
    let records = records();
    let (mut seen, mut related, mut comments) = (0, 0, 0);
    for (repo, issues) in issues(&records) {
        let rounds = issues.values().map(Vec::len).max().unwrap_or_default();
        for round in 0..rounds {
            let sandbox = Sandbox::with(&[("contextpack.yml", &format!("version: 1\ngithub: {{repo: {repo}}}\n"))]);
            let server = server(&records, &repo, &issues, round);
            let roots: Vec<String> =
                issues.iter().filter(|(_, said)| round < said.len()).map(|(n, _)| n.to_string()).collect();
            synced(&sandbox, &server, &roots.iter().map(String::as_str).collect::<Vec<_>>());
            for number in &roots {
                let text = sandbox.read(&format!(".contextpack/github/{repo}/{number}.json"));
                let issue: SnapshotIssue =
                    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{repo}#{number}: {e}"));
                let said = &issues[&issue.number][round];
                assert!(issue.asked && !issue.title.is_empty(), "{repo}#{number}");
                assert_eq!(Some(&*issue.state), said["state"].as_str(), "{repo}#{number}");
                assert_eq!(issue.author.login.as_deref(), said["user"]["login"].as_str(), "{repo}#{number}");
                assert_eq!(issue.kind == "pull", is_pull(said), "{repo}#{number}");
                seen += 1;
                related += issue.relations.sub_issues.issues.len() + issue.relations.blocked_by.issues.len();
                comments += issue.comments.items.len();
            }
            let built = sandbox.json(0, &["build", "--format", "json"]);
            assert!(built["packs"].as_array().unwrap().len() >= roots.len(), "{repo}: {built}");
            let wrong = |note: &&Value| note["severity"] == "error";
            assert_eq!(built["diagnostics"].as_array().unwrap().iter().find(wrong), None, "{repo}");
            // As a list they are read too, but for pull requests.
            synced(&sandbox, &server, &["--all"]);
            for (number, said) in &issues {
                let listed = !is_pull(&said[round.min(said.len() - 1)]);
                assert!(
                    !listed || sandbox.has(&format!(".contextpack/github/{repo}/{number}.json")),
                    "{repo}#{number}"
                );
            }
        }
    }
    assert!(seen > 300 && related > 5 && comments > 10, "{seen} {related} {comments}");
}

#[test]
#[ignore = "`CONTEXTPACK_RECORDED` names what is replayed"]
fn every_refusal_that_was_ever_recorded_ends_a_run_with_its_reason() {
    let records = records();
    let mut seen = BTreeSet::new();
    for record in records.into_iter().filter(|record| record.get && !matches!(record.said.status, 200 | 204)) {
        let said = record.said;
        if !seen.insert((said.status, said.body.clone())) {
            continue;
        }
        let limited = said.body.to_lowercase().contains("rate limit") || said.body.contains("abuse");
        let message = match said.status {
            403 if limited => "rate limit: ",
            401 | 403 => "authentication failed: ",
            404 => "not found: ",
            _ => "the server failed: ",
        };
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        server.world().strange = true;
        let (status, body) = (said.status, said.body.clone());
        server.world().fault = Some(Box::new(move |_, _| Some(said.clone())));
        let run = sync(&sandbox, &server, &["--max-wait", "1ms"]);
        assert!(run.code == 1 && run.stderr.contains(message), "{status} {body}: {}", run.stderr);
        assert!(crate::sync::snapshot(&sandbox).is_empty());
    }
    assert!(seen.len() > 20, "{}", seen.len());
}

#[test]
#[ignore = "`CONTEXTPACK_RECORDED` names what is replayed"]
fn a_recorded_mark_is_sent_back_and_its_304_is_believed() {
    let records = records();
    let path = "/repos/jacquev6/PyGithub/issues/188";
    let of = |status| records.iter().find(|r| r.path == path && r.said.status == status).unwrap().said.clone();
    let (whole, same) = (of(200), of(304));
    let mut issues = BTreeMap::new();
    issues.insert(188, vec![serde_json::from_str(&whole.body).unwrap()]);
    let server = server(&records, "jacquev6/PyGithub", &issues, 0);
    let mut times = 0;
    let mut rest = server.world().fault.take().unwrap();
    server.world().fault = Some(Box::new(move |asked, before| match asked == path {
        true => {
            times += 1;
            Some(if times == 1 { whole.clone() } else { same.clone() })
        }
        false => rest(asked, before),
    }));
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\ngithub: {repo: jacquev6/PyGithub}\n")]);
    synced(&sandbox, &server, &["188"]);
    server.asked();
    let again = run(command(&sandbox, &server, &["188"]), "");
    assert!(again.code == 0 && again.stdout.is_empty(), "{again:?}");
    assert!(server.asked().iter().any(|asked| asked.path == path && asked.marked && asked.status == 304));
}
