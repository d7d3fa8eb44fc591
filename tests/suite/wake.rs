//! The doorbell: `--wake`.

use crate::batch_push::{cloned, clones, executable, files_of, run_in};
use crate::batches::{batch, repo};
use crate::sandbox::{Run, Sandbox, run};
use crate::stand_in::{Said, StandIn, World};
use crate::sync::TOKEN;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

const DISPATCH: [&str; 5] = ["inbox", "put", "coder", "--box", "planner"];

fn sent(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Runs the program in a clone, with a server that stands in for GitHub.
fn with_server(sandbox: &Sandbox, server: &StandIn, clone: &Path, words: &[&str]) -> Run {
    let mut command = sandbox.command(words);
    command.current_dir(clone).env("GITHUB_API_URL", &server.url).env("CONTEXTPACK_GITHUB_TOKEN", TOKEN);
    command.env("GITHUB_REPOSITORY", "o/r");
    let run = run(command, "");
    assert!(!(run.stdout.clone() + &run.stderr).contains(TOKEN), "{run:?}");
    run
}

const EVENTS: &str = "/repos/o/r/dispatches";

fn server(said: Said) -> StandIn {
    let mut world = World::with("o/r");
    world.instead.insert(EVENTS.to_owned(), said);
    StandIn::new(world)
}

#[test]
fn github_is_told_once_the_push_is_there() {
    let (sandbox, clones, id) = clones(1);
    let [one, other] = &clones[..] else { panic!() };
    let server = server(Said { status: 204, ..Said::default() });
    let ring = |words: &[&str]| {
        let run = with_server(&sandbox, &server, one, &[words, &["--push", "--wake", "github"]].concat());
        let asked = server.asked();
        assert!(asked.iter().all(|it| it.path == EVENTS && it.authorization == Some(format!("Bearer {TOKEN}"))));
        (run, asked.into_iter().map(|it| sent(&it.body)).collect::<Vec<_>>())
    };
    let (run, events) = ring(&DISPATCH);
    assert!(run.code == 0 && run.stderr.contains("note: pushed "), "{}", run.stderr);
    let [event] = &events[..] else { panic!("{events:?}") };
    let payload = &event["client_payload"];
    assert_eq!((&event["event_type"], &payload["ref"]), (&json!("contextpack-turn"), &json!("refs/heads/main")));
    assert!(payload.as_object().unwrap().len() <= 10, "GitHub takes at most ten");
    // Nothing is new: the turn is there, and the bell rings again.
    assert_eq!(ring(&DISPATCH).1, events);
    // The turn is taken meanwhile, so that there is nothing to do.
    assert_eq!(run_in(&sandbox, other, &["inbox", "claim", "coder", "--push"]).code, 0);
    let (run, events) = ring(&[&DISPATCH[..], &["--key", "b"]].concat());
    assert_eq!((run.code, events.len()), (1, 0), "{}", run.stderr);
    let batch = json!({"event_type": "contextpack-batch", "client_payload": {"batch": id, "ref": "refs/heads/main"}});
    assert_eq!(run_in(&sandbox, other, &["batch", "claim", &id, "0", "--push"]).code, 0);
    assert_eq!(ring(&["batch", "reclaim", &id]).1, [batch]);
    // A batch that was forked and never committed is pushed now, before it is told.
    let plan = "parent_agent: planner\ntasks:\n  - {target_strategy: new, target_ref: coder, instruction: Other.}\n";
    fs::write(one.join("other.yml"), plan).unwrap();
    assert_eq!(run_in(&sandbox, one, &["batch", "fork", "other.yml"]).code, 0);
    let (run, events) = ring(&["batch", "fork", "other.yml"]);
    assert!(run.code == 0 && run.stderr.contains("note: pushed "), "{}", run.stderr);
    assert_eq!(events.len(), 1);
    let written = sandbox.git(&["-C", one.to_str().unwrap(), "status", "--porcelain", "context"]);
    assert_eq!(written, "");
}

#[test]
fn a_server_that_does_not_take_the_event_changes_nothing_of_what_was_pushed() {
    let sandbox = repo();
    // The issues are in another repo than what is pushed.
    sandbox.write("contextpack.yml", "github: {repo: o/issues}\n");
    let clones = cloned(&sandbox);
    for (number, (said, why)) in [
        (Said::new(403, &json!({"message": "Resource not accessible"})), "it needs to write contents: Resource not"),
        (Said::new(404, &json!({"message": "Not Found"})), "`o/r` is not visible with this token"),
        (Said::new(422, &json!({"message": "No."})), "status 422: No."),
        (Said::new(429, &json!({"message": TOKEN})).header("retry-after", 3600), "rate limit"),
        (Said { late: Duration::from_secs(2), status: 204, ..Said::default() }, "network"),
    ]
    .into_iter()
    .enumerate()
    {
        let (server, key) = (server(said), number.to_string());
        let bell = ["--key", &key, "--push", "--wake", "github", "--wake-timeout", "1s"];
        let run = with_server(&sandbox, &server, &clones[0], &[&DISPATCH[..], &bell].concat());
        assert!(run.code == 1 && run.stdout.starts_with("accepted"), "{}{}", run.stdout, run.stderr);
        let is_warned = run.stderr.contains("warning: the doorbell was not rung: ") && run.stderr.contains(why);
        assert!(is_warned && run.stderr.contains("note: pushed "), "{}", run.stderr);
    }
    sandbox.git(&["-C", clones[1].to_str().unwrap(), "pull", "-q"]);
    let requests = files_of(&clones[1]).into_iter().filter(|(path, _)| path.contains("/inbox/coder/requests/"));
    assert_eq!(requests.count(), 5);
}

#[test]
fn what_the_doorbell_lacks_is_found_before_anything_is_written() {
    let (sandbox, clones, id) = clones(1);
    let clone = &clones[0];
    let server = server(Said { status: 204, ..Said::default() });
    let refused = |words: &[&str], message: &str| {
        let before = files_of(clone);
        let mut command = sandbox.command(words);
        command.current_dir(clone).env("GITHUB_API_URL", &server.url);
        let run = run(command, "");
        assert!(run.code == 2 && run.stderr.contains(message), "{}", run.stderr);
        assert_eq!(files_of(clone), before);
    };
    let claim = ["batch", "claim", &id, "0"];
    assert_eq!(run_in(&sandbox, clone, &claim).code, 0);
    for words in [&DISPATCH[..], &["batch", "reclaim", &id]] {
        let with = |more: &[&'static str]| [words, more].concat();
        refused(&with(&["--wake", "github"]), "`--wake github` needs `--push`");
        refused(&with(&["--wake", "github", "--commit"]), "`--wake github` needs `--push`");
        refused(&with(&["--wake", "github", "--push"]), "which repo?");
    }
    let mut command = sandbox.command(&[&DISPATCH[..], &["--wake", "github", "--push"]].concat());
    command.current_dir(clone).env("GITHUB_API_URL", &server.url).env("GITHUB_REPOSITORY", "o/r");
    let run = run(command, "");
    assert!(run.code == 2 && run.stderr.contains("needs a token that may write contents"), "{}", run.stderr);
    assert_eq!(server.asked().len(), 0);
    // A remote that rejects the push: nobody is told.
    let hook = sandbox.beside("remote.git").join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    executable(&hook);
    let run = with_server(&sandbox, &server, clone, &[&DISPATCH[..], &["--push", "--wake", "github"]].concat());
    assert_eq!((run.code, server.asked().len()), (1, 0), "{}", run.stderr);
}

#[test]
fn a_batch_wakes_nobody_unless_asked() {
    let (sandbox, id) = batch(1, "");
    let run = sandbox.run(&["batch", "cancel", &id, "--wake", "none"]);
    assert_eq!(run.code, 2, "only commands after which others have something to do take it");
}
