//! `sync` end to end: the real program against a server on loopback.

use crate::sandbox::{Run, Sandbox, files, run};
use crate::stand_in::{Asked, BLOCKED_BY, Said, StandIn, World, milestone, pull, user};
use contextpack::internals::model::{Completeness, SnapshotIssue};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;

/// Made so that no rule of redaction knows it: only the program itself can keep it back.
pub(crate) const TOKEN: &str = "zq7-planted-KX41-canary-0P";

pub(crate) fn sandbox() -> Sandbox {
    Sandbox::with(&[("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n")])
}

pub(crate) fn command(sandbox: &Sandbox, server: &StandIn, args: &[&str]) -> Command {
    let mut command = sandbox.command(&[&["sync"], args].concat());
    command.env("GITHUB_API_URL", &server.url).env("CONTEXTPACK_GITHUB_TOKEN", TOKEN);
    command
}

pub(crate) fn sync(sandbox: &Sandbox, server: &StandIn, args: &[&str]) -> Run {
    let run = run(command(sandbox, server, args), "");
    assert!(!(run.stdout.clone() + &run.stderr).contains(TOKEN), "{run:?}");
    run
}

pub(crate) fn synced(sandbox: &Sandbox, server: &StandIn, args: &[&str]) -> Run {
    let run = sync(sandbox, server, args);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    run
}

pub(crate) fn snapshot(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let folder = sandbox.root().join(".contextpack/github");
    if folder.is_dir() { files(&folder).into_iter().collect() } else { BTreeMap::new() }
}

pub(crate) fn issue(sandbox: &Sandbox, name: &str) -> SnapshotIssue {
    serde_json::from_str(&sandbox.read(&format!(".contextpack/github/{name}.json"))).unwrap()
}

pub(crate) fn asked(log: &[Asked], part: &str) -> usize {
    log.iter().filter(|asked| asked.path.contains(part)).count()
}

/// Two repos with comments, parts and blockers.
pub(crate) fn small() -> World {
    let mut world = World::with("o/r");
    world.repos.insert("p/q".to_owned(), true);
    for number in 1..=5 {
        world.issue("o/r", number);
    }
    world.part("o/r", 1, 2);
    world.part("o/r", 1, 3);
    world.block("o/r", 2, "p/q", 9);
    world.comment("o/r", 1, "first\r\nline", "OWNER");
    world.comment("o/r", 1, "second", "NONE");
    world.issue("o/r", 4)["pull_request"] = pull("o/r", 4);
    world.issue("o/r", 5)["state"] = "closed".into();
    world
}

#[test]
fn open_issues_arrive_with_comments_relations_and_neighbours() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    let run = synced(&sandbox, &server, &[]);
    let names: Vec<String> = snapshot(&sandbox).into_keys().collect();
    assert_eq!(names, ["o/r/1.json", "o/r/2.json", "o/r/3.json", "p/q/9.json"], "{run:?}");
    assert_eq!(run.stdout.lines().next(), Some(".contextpack/github/o/r/1.json"));

    let parent = issue(&sandbox, "o/r/1");
    assert!(parent.asked && parent.kind == "issue" && parent.trust == "trusted" && parent.private == Some(false));
    assert_eq!(parent.body.as_deref(), Some("Text of 1.\nMore."));
    assert_eq!((parent.labels, parent.assignees), (vec!["agent-ready".to_owned()], vec!["bob".to_owned()]));
    assert!(parent.extra.is_empty(), "{:?}", parent.extra);
    let comments = &parent.comments;
    assert_eq!((comments.completeness, comments.items.len()), (Completeness::Complete, 2));
    assert_eq!((&*comments.items[0].body, &*comments.items[0].trust), ("first\nline", "trusted"));
    assert_eq!(comments.items[1].trust, "untrusted");
    let children: Vec<u64> = parent.relations.sub_issues.issues.iter().map(|child| child.number).collect();
    assert_eq!((children, parent.relations.parent.completeness), (vec![2, 3], Completeness::Complete));

    let child = issue(&sandbox, "o/r/2");
    assert_eq!(child.relations.parent.issues[0].title.as_deref(), Some("Issue 1"));
    let blocker = &child.relations.blocked_by.issues[0];
    assert_eq!((&*blocker.repo, blocker.number, child.comments.completeness), ("p/q", 9, Completeness::Complete));
    let foreign = issue(&sandbox, "p/q/9");
    assert!(!foreign.asked && foreign.private == Some(true));
    assert_eq!(foreign.relations.blocking.completeness, Completeness::Unknown);

    let text = sandbox.read(".contextpack/github/o/r/1.json");
    for noise in ["avatar", "reactions", "node_id", "updated_at", "\"id\": 7", "total"] {
        assert!(!text.contains(noise), "{noise}: {text}");
    }
    assert!(text.starts_with("{\n  \"asked\": true,\n") && text.ends_with("\n}\n"));
    assert!(sandbox.has(".contextpack/.gitignore"));
}

#[test]
fn what_changes_on_the_server_changes_in_the_snapshot() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    {
        let mut world = server.world();
        world.comment("o/r", 1, "third", "NONE");
        world.issue("o/r", 1)["updated_at"] = "2026-02-01T00:00:00Z".into();
        world.issue("o/r", 3)["state"] = "closed".into();
        world.issue("o/r", 3)["state_reason"] = "completed".into();
        world.related.remove(&("o/r".to_owned(), 2, BLOCKED_BY));
    }
    synced(&sandbox, &server, &[]);
    assert_eq!(issue(&sandbox, "o/r/1").comments.items.len(), 3);
    let closed = issue(&sandbox, "o/r/3");
    assert_eq!((&*closed.state, closed.state_reason.as_deref()), ("closed", Some("completed")));
    assert!(issue(&sandbox, "o/r/2").relations.blocked_by.issues.is_empty());
    assert_eq!(issue(&sandbox, "o/r/1").relations.sub_issues.issues[1].state.as_deref(), Some("closed"));

    // No list shows a deleted comment; only the count does.
    server.world().comments.get_mut(&("o/r".to_owned(), 1)).unwrap().remove(0);
    synced(&sandbox, &server, &[]);
    assert_eq!(issue(&sandbox, "o/r/1").comments.items[0].body, "second");
}

#[test]
fn an_issue_that_its_author_changed_after_it_was_labelled_is_told() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    let change = |body: &str, association: &str, labels: &[&str]| {
        let mut world = server.world();
        let entry = world.issue("o/r", 1);
        entry["body"] = body.into();
        entry["author_association"] = association.into();
        entry["labels"] = labels.iter().map(|label| json!({"name": label})).collect();
        drop(world);
        synced(&sandbox, &server, &[]);
        issue(&sandbox, "o/r/1").edited
    };
    let issue_text = |text: &str| format!("{text}\n\n## Acceptance criteria\n\n- It works.\n");
    let told = |code: i32| {
        let run = sandbox.run(&["ready", "o/r#1"]);
        run.stdout.contains("[edited-issue]") && run.code == code
    };
    assert!(!change(&issue_text("One."), "NONE", &["agent-ready"]), "it was not there before");
    assert!(change(&issue_text("Two."), "NONE", &["agent-ready"]) && told(4));
    assert!(change(&issue_text("Two."), "NONE", &["agent-ready"]), "it stays so");
    assert!(change(&issue_text("Two."), "NONE", &[]), "taking a label off approves nothing");
    assert!(!change(&issue_text("Two."), "NONE", &["agent-ready"]) && !told(4), "putting it on again does");
    assert!(!change(&issue_text("Three."), "MEMBER", &["agent-ready"]), "members may edit");
}

#[test]
fn what_the_configuration_lets_through_later_is_fetched_again() {
    let mut world = World::with("o/r");
    world.issue("o/r", 1)["body"] = "password: hunter2-zebra-9".into();
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    assert_eq!(issue(&sandbox, "o/r/1").body.unwrap(), "password: [REDACTED:password]");
    let allow = "{rule: password, path: .contextpack/github/o/r/1.json}";
    sandbox.write("contextpack.yml", format!("github: {{repo: o/r}}\nredaction: {{allow: [{allow}]}}\n"));
    synced(&sandbox, &server, &[]);
    assert_eq!(issue(&sandbox, "o/r/1").body.unwrap(), "password: hunter2-zebra-9");
}

#[test]
fn named_issues_come_in_full_whatever_their_summaries_say() {
    let mut world = small();
    world.issues.values_mut().for_each(|issue| issue["comments"] = 0.into());
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    for none in ["feat:x", "0", "p#1", "../q#1", "p/..#1", "p/.git#1", "https://example.com/o/r/issues/1"] {
        let run = run(command(&sandbox, &server, &[none]), "");
        assert!(run.code == 2 && run.stderr.contains("is not an issue"), "{none}: {}", run.stderr);
    }
    synced(&sandbox, &server, &["2", "https://github.com/p/q/issues/9"]);
    let log = server.asked();
    for part in ["issues/2/parent", "issues/2/sub_issues", "issues/2/dependencies/blocking", "p/q/issues/9/parent"] {
        assert_eq!(asked(&log, part), 1, "{part}: {log:?}");
    }
    assert_eq!(issue(&sandbox, "o/r/2").relations.parent.issues[0].number, 1);
    assert!(!issue(&sandbox, "o/r/1").asked);
    assert_eq!(issue(&sandbox, "p/q/9").relations.blocking.issues[0].number, 2);
    for three in
        ["#3", "GH-3", "O/R#3", "https://github.com/o/r/issues/3#issuecomment-1", "https://github.com/o/r/pull/3/files"]
    {
        synced(&sandbox, &server, &[three]);
        assert!(issue(&sandbox, "o/r/3").asked, "{three}");
    }
}

#[test]
fn a_hundred_and_one_sub_issues_take_two_pages() {
    let mut world = World::with("o/r");
    (2..=102).for_each(|child| world.part("o/r", 1, child));
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &["1"]);
    let children = issue(&sandbox, "o/r/1").relations.sub_issues;
    assert_eq!((children.issues.len(), children.completeness), (101, Completeness::Complete));
    assert_eq!(asked(&server.asked(), "issues/1/sub_issues"), 2);
}

#[test]
fn moved_deleted_and_hidden_issues_are_told_apart() {
    let mut world = small();
    world.repos.insert("new/home".to_owned(), false);
    world.issue("new/home", 77);
    let to = |url: &str| Said::new(301, &json!({"message": "Moved Permanently"})).header("location", url);
    world.instead.insert("/repos/o/r/issues/3".to_owned(), to("/repos/new/home/issues/77"));
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    *server.world() = world;
    server.world().instead.insert("/repos/o/r/issues/2".to_owned(), Said::new(410, &json!({"message": "gone"})));

    let run = sync(&sandbox, &server, &["2", "3", "404"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for said in [
        "[issue-gone]: `o/r#2` was deleted",
        "[issue-moved]: `o/r#3` was moved to `new/home#77`",
        "[issue-not-visible]",
        "not found: `o/r#404`",
    ] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    assert!(!sandbox.has(".contextpack/github/o/r/2.json") && !sandbox.has(".contextpack/github/o/r/3.json"));
    assert!(issue(&sandbox, "new/home/77").asked);
}

#[test]
fn a_blocker_that_may_not_be_seen_makes_the_list_partial() {
    let mut world = small();
    world.repos.remove("p/q");
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    let blocked = issue(&sandbox, "o/r/2").relations.blocked_by;
    assert_eq!((blocked.completeness, blocked.issues.len()), (Completeness::Partial, 0));
}

#[test]
fn a_server_without_relations_leaves_them_unknown() {
    let mut world = small();
    world.base = "/api/v3";
    world.plain = true;
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    let run = synced(&sandbox, &server, &["1"]);
    assert!(run.stderr.contains("[unknown-relations]"), "{}", run.stderr);
    let relations = issue(&sandbox, "o/r/1").relations;
    assert_eq!(
        (relations.sub_issues.completeness, relations.parent.completeness),
        (Completeness::Unknown, Completeness::Unknown)
    );
    server.asked();
    let run = synced(&sandbox, &server, &[]);
    let log = server.asked();
    assert!(log.iter().all(|asked| asked.path.starts_with("/api/v3/repos/")), "{log:?}");
    // One issue decides for all.
    let lists = asked(&log, "/sub_issues") + asked(&log, "/dependencies/") + asked(&log, "/parent");
    assert!(lists == 3 && run.stderr.contains("no lists of sub-issues and dependencies"), "{log:?} {}", run.stderr);
}

#[test]
fn a_server_with_some_lists_is_asked_for_those() {
    let mut world = small();
    world.plain = true;
    world.strange = true;
    let blocked = world.issue("o/r", 9).clone();
    world.fault = Some(Box::new(move |path, _| {
        let list = |values: &[Value]| Some(Said::new(200, &Value::Array(values.to_vec())));
        match path.split('?').next()? {
            "/repos/o/r/issues/2/dependencies/blocked_by" => list(std::slice::from_ref(&blocked)),
            path if path.contains("/dependencies/") => list(&[]),
            _ => None,
        }
    }));
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    let run = synced(&sandbox, &server, &[]);
    assert!(run.stderr.contains("no lists of sub-issues;"), "{}", run.stderr);
    assert_eq!(asked(&server.asked(), "/sub_issues"), 1);
    let relations = issue(&sandbox, "o/r/2").relations;
    assert_eq!((relations.blocked_by.issues[0].number, relations.blocked_by.completeness), (9, Completeness::Complete));
    assert_eq!(relations.sub_issues.completeness, Completeness::Unknown);
}

#[test]
fn odd_issues_are_read_all_the_same() {
    let mut world = small();
    world.strange = true;
    let odd = world.issue("o/r", 1);
    odd["user"] = Value::Null;
    odd["author_association"] = "FIRST_TIMER".into();
    odd["labels"] = json!(["plain", {"name": "other"}, null]);
    odd["state_reason"] = "some_new_word".into();
    odd["type"] = json!({"name": "Bug", "id": 3});
    odd["body"] = Value::Null;
    odd["milestone"] = milestone("1.0", 4);
    odd["active_lock_reason"] = "too heated".into();
    world.issue("o/r", 2)["user"] = user("dependabot[bot]");
    world.issue("o/r", 3)["body"] =
        "token ghp_0123456789abcdefghijABCDEFGHIJ012345 here".replace("ghp_0", &["gh", "p_0"].concat()).into();
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    let odd = issue(&sandbox, "o/r/1");
    assert_eq!((odd.author.login.as_deref(), &*odd.trust, odd.body.as_deref()), (None, "untrusted", None));
    assert_eq!(
        (odd.labels, odd.state_reason.as_deref()),
        (vec!["other".to_owned(), "plain".to_owned()], Some("some_new_word"))
    );
    assert_eq!((odd.issue_type.as_deref(), odd.milestone.as_deref()), (Some("Bug"), Some("1.0")));
    assert_eq!(odd.extra["active_lock_reason"], "too heated");
    assert!(issue(&sandbox, "o/r/2").author.bot);
    assert!(issue(&sandbox, "o/r/3").body.unwrap().contains("[REDACTED:"));
}

#[test]
fn issues_of_work_items_come_too_and_the_repo_to_write_down_is_named() {
    let item = "---\nid: feat:x\ntitle: X\nissue: 5\ndepends_on: [p/q#9]\n---\nText.\n";
    let sandbox = Sandbox::with(&[("work_items/x.md", item)]);
    sandbox.write_exact("contextpack.yml", "# ours\nversion: 1\n");
    let server = StandIn::new(small());
    let mut command = command(&sandbox, &server, &["--label", "none-has-it"]);
    command.env("GITHUB_REPOSITORY", "o/r");
    let run = run(command, "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("write `github: {repo: o/r}`"), "{}", run.stderr);
    assert!(issue(&sandbox, "o/r/5").asked && !issue(&sandbox, "p/q/9").asked);
    sandbox.write("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n");
    let json: Value = serde_json::from_str(&synced(&sandbox, &server, &["feat:x", "--format", "json"]).stdout).unwrap();
    crate::fresh::check_output("sync", &json);
    assert_eq!((&json["complete"], &json["issues"], &json["error"]), (&json!(true), &json!(1), &Value::Null));
}
