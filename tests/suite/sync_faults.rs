//! `sync` where the outside fails, and where somebody wants its token.

use crate::sandbox::run;
use crate::stand_in::{Fault, Said, StandIn, World};
use crate::sync::{command, issue, sandbox, small, snapshot, sync, synced};
use contextpack::internals::github::{ApiBase, Ask, Http, Tokens, Transport as _};
use contextpack::internals::model::Completeness;
use serde_json::json;
use std::time::Duration;

/// Answers the first requests of a path so, and then as always.
pub(crate) fn first(part: &'static str, mut times: usize, said: Said) -> Option<Fault> {
    Some(Box::new(move |path, _| {
        (path.contains(part) && times > 0).then(|| {
            times -= 1;
            said.clone()
        })
    }))
}

#[test]
fn passing_faults_are_waited_out() {
    let limited =
        Said::new(403, &json!({"message": "You have exceeded a secondary rate limit"})).header("retry-after", 1);
    let cut = Said { cut: true, ..Said::new(200, &json!([{"number": 1}])) };
    let late = Said { late: Duration::from_millis(300), ..Said::new(502, &json!({})) };
    for said in [limited, Said::new(429, &json!({})).header("retry-after", 1), cut, late] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        server.world().fault = first("/issues?", 1, said.clone());
        synced(&sandbox, &server, &[]);
        assert_eq!(snapshot(&sandbox).len(), 4, "{said:?}");
    }
}

#[test]
fn a_page_that_fails_in_the_middle_replaces_nothing() {
    let mut world = small();
    (10..=130).for_each(|child| world.part("o/r", 1, child));
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    let before = snapshot(&sandbox);
    server.world().issue("o/r", 10)["title"] = "Changed".into();
    server.world().fault = Some(Box::new(|path, _| {
        (path.contains("sub_issues") && path.contains("page=2")).then(|| Said::new(502, &json!({})))
    }));
    let run = sync(&sandbox, &server, &["1", "--max-wait", "1ms"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("relations of `o/r#1`, `sub_issues`: status 502"), "{}", run.stderr);
    assert_eq!(snapshot(&sandbox)["o/r/1.json"], before["o/r/1.json"]);

    // A list that fails leaves what was there, and goes on next time.
    let fresh = self::sandbox();
    server.world().fault = Some(Box::new(|path, _| {
        (path.contains("/issues?") && path.contains("page=2")).then(|| Said::new(502, &json!({})))
    }));
    let run = sync(&fresh, &server, &["--max-wait", "1ms"]);
    assert!(run.code == 1 && run.stderr.contains("the server failed: status 502"), "{}", run.stderr);
    assert!(snapshot(&fresh).len() >= 99);
    server.world().fault = None;
    server.asked();
    synced(&fresh, &server, &[]);
    let log = server.asked();
    assert_eq!(
        (
            log.iter().filter(|a| a.path.contains("/issues?") && !a.path.contains("page=2")).count(),
            issue(&fresh, "o/r/1").relations.sub_issues.issues.len()
        ),
        (0, 123)
    );
}

#[test]
fn faults_of_the_outside_are_told_apart() {
    let limit = Said::new(403, &json!({"message": "API rate limit exceeded"})).header("x-ratelimit-remaining", 0);
    let later = limit.header("x-ratelimit-reset", u64::MAX / 4);
    for (said, message) in [
        (
            Said::new(401, &json!({"message": "Bad credentials"})),
            "authentication failed: the token is not accepted (401): Bad credentials",
        ),
        (Said::new(404, &json!({})), "not found: `o/r` does not exist, or this token may not see it"),
        (later, "rate limit: it is used up"),
        (Said::new(500, &json!({})), "the server failed: status 500"),
        (Said { cut: true, ..Said::new(200, &json!({"a": 1})) }, "network: an answer was cut off"),
    ] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        server.world().fault = first("/repos/o/r", usize::MAX, said);
        let run = sync(&sandbox, &server, &["--max-wait", "1ms"]);
        assert!(run.code == 1 && run.stderr.contains(message), "{message}: {}", run.stderr);
        assert!(snapshot(&sandbox).is_empty());
    }
    let nobody = StandIn::new(World::default());
    let sandbox = sandbox();
    let mut command = command(&sandbox, &nobody, &["--max-wait", "1ms"]);
    command.env("GITHUB_API_URL", "http://127.0.0.1:9");
    let run = run(command, "");
    assert!(run.code == 1 && run.stderr.contains("network: the connection was refused"), "{}", run.stderr);
}

#[test]
fn an_issue_that_is_not_there_keeps_no_other_from_being_fetched_again() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    assert_eq!(sync(&sandbox, &server, &["1", "404"]).code, 1);
    server.world().issue("o/r", 1)["title"] = "Changed".into();
    assert_eq!(sync(&sandbox, &server, &["1", "404"]).code, 1);
    assert_eq!(issue(&sandbox, "o/r/1").title, "Changed");
}

/// Answers each request for a path with a page that says it has a next one, at `to`.
fn endless(part: &'static str, to: &'static str, body: serde_json::Value) -> Option<Fault> {
    let mut page = 1;
    Some(Box::new(move |path, _| {
        path.contains(part).then(|| {
            page += 1;
            let next = to.replace("{page}", &page.to_string());
            Said::new(200, &body).header("link", format!("<https://api.github.com{next}>; rel=\"next\""))
        })
    }))
}

#[test]
fn lists_without_an_end_come_to_one() {
    // Round in a circle, and ever on.
    for to in ["/repos/o/r/issues/1/sub_issues?per_page=100", "/repos/o/r/issues/1/sub_issues?page={page}"] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        let child = server.world().issue("o/r", 2).clone();
        server.world().fault = endless("issues/1/sub_issues", to, json!([child]));
        let run = sync(&sandbox, &server, &["1"]);
        assert!(
            run.code == 1 && run.stderr.contains("relations of `o/r#1`, `sub_issues`: a list has no end: "),
            "{run:?}"
        );
        let parts = issue(&sandbox, "o/r/1").relations.sub_issues;
        assert_eq!((parts.issues.len(), parts.completeness), (1, Completeness::Partial));
        assert!(server.asked().len() < 70, "{to}");
    }
    for to in ["/repos/o/r/issues/1/comments?per_page=100", "/repos/o/r/issues/1/comments?page={page}"] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        let comment = server.world().comments[&("o/r".to_owned(), 1)][0].clone();
        server.world().fault = endless("issues/1/comments", to, json!([comment]));
        let run = sync(&sandbox, &server, &["1"]);
        assert!(run.code == 1 && run.stderr.contains("comments of `o/r#1`: a list has no end: "), "{run:?}");
        let comments = issue(&sandbox, "o/r/1").comments;
        assert_eq!((comments.items.len(), comments.completeness), (1, Completeness::Partial));
        assert!(server.asked().len() < 70, "{to}");
    }
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    server.world().fault = endless("/issues?", "/repos/o/r/issues?state=open&page=2", json!([]));
    let run = sync(&sandbox, &server, &[]);
    assert!(run.code == 1 && run.stderr.contains("the server failed: a list has no end: "), "{}", run.stderr);
}

/// Answers each request for a path with a page of three entries that no page before had, and a next one.
fn ever_new(part: &'static str, entry: serde_json::Value, field: &'static str) -> Option<Fault> {
    let mut page = 0;
    Some(Box::new(move |path, _| {
        path.contains(part).then(|| {
            page += 1;
            let entries: Vec<serde_json::Value> = (0..3)
                .map(|n| {
                    let mut entry = entry.clone();
                    (entry["id"], entry[field]) = (json!(90_000 + 3 * page + n), json!(90_000 + 3 * page + n));
                    entry
                })
                .collect();
            let next = format!("<https://api.github.com/repos/o/r{part}?page={}>; rel=\"next\"", page + 1);
            Said::new(200, &json!(entries)).header("link", next)
        })
    }))
}

#[test]
fn a_list_that_has_more_than_it_should_is_told_never_complete_and_replaces_nothing() {
    for (part, field, expected_message) in [
        ("/issues/1/comments", "id", "comments of `o/r#1`: a list has no end: it goes on after 50 pages"),
        (
            "/issues/1/sub_issues",
            "number",
            "relations of `o/r#1`, `sub_issues`: a list has no end: it goes on after 50 pages",
        ),
    ] {
        for known in [true, false] {
            for args in [&[][..], &["1"]] {
                let (sandbox, server) = (sandbox(), StandIn::new(small()));
                if known {
                    synced(&sandbox, &server, &[]);
                }
                let before = snapshot(&sandbox);
                server.world().strange = true;
                server.world().issue("o/r", 1)["updated_at"] = "2026-02-01T00:00:00Z".into();
                let entry = match field {
                    "id" => server.world().comments[&("o/r".to_owned(), 1)][0].clone(),
                    _ => server.world().issue("o/r", 2).clone(),
                };
                server.asked();
                server.world().fault = ever_new(part, entry, field);
                let run = sync(&sandbox, &server, args);
                assert!(run.code == 1 && run.stderr.contains(expected_message), "{part} {args:?}: {run:?}");
                assert!(server.asked().len() < 70, "{part} {args:?}");
                let issue = issue(&sandbox, "o/r/1");
                let is =
                    if field == "id" { issue.comments.completeness } else { issue.relations.sub_issues.completeness };
                if known {
                    assert_eq!(snapshot(&sandbox)["o/r/1.json"], before["o/r/1.json"], "{part} {args:?}");
                } else {
                    assert_eq!(is, Completeness::Partial, "{part} {args:?}");
                }
                server.world().fault = None;
                synced(&sandbox, &server, &["1"]);
                let mended = self::issue(&sandbox, "o/r/1");
                assert_eq!((mended.comments.items.len(), mended.relations.sub_issues.issues.len()), (2, 2));
                assert_eq!(mended.comments.completeness, Completeness::Complete);
            }
        }
    }
}

#[test]
fn a_complete_list_of_comments_stays_until_the_new_one_is_there_whole() {
    let mut world = small();
    (0..98).for_each(|_| world.comment("o/r", 1, "more", "NONE"));
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &[]);
    let before = snapshot(&sandbox);
    (0..1300).for_each(|_| server.world().comment("o/r", 1, "new", "NONE"));
    server.world().strange = true;
    server.world().issue("o/r", 1)["updated_at"] = "2026-02-01T00:00:00Z".into();
    server.world().fault = Some(Box::new(|path, _| {
        (path.contains("/comments") && path.contains("page=3")).then(|| Said::new(502, &json!({})))
    }));
    let run = sync(&sandbox, &server, &["--max-wait", "1ms"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(snapshot(&sandbox)["o/r/1.json"], before["o/r/1.json"]);
    server.world().fault = None;
    // However few requests a run may send, the list is whole in the end.
    for _ in 0..4 {
        sync(&sandbox, &server, &["--max-requests", "10"]);
        let count = issue(&sandbox, "o/r/1").comments.items.len();
        assert!(count == 100 || count == 1400, "{count}");
    }
    let comments = issue(&sandbox, "o/r/1").comments;
    assert_eq!((comments.items.len(), comments.completeness), (1400, Completeness::Complete));
}

#[test]
fn the_list_of_a_repos_comments_comes_to_an_end_and_issues_are_asked_one_by_one() {
    let mut world = small();
    (20..30).for_each(|number| {
        world.issue("o/r", number);
        world.comment("o/r", number, "text", "NONE");
    });
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    let comment = server.world().comments[&("o/r".to_owned(), 20)][0].clone();
    let (mut page, mut id) = (1, 0);
    server.world().fault = Some(Box::new(move |path, _| {
        path.contains("/issues/comments").then(|| {
            (page, id) = (page + 1, id + 1);
            let mut comment = comment.clone();
            // New ones for a while, then the same again on every page.
            comment["id"] = json!(if id > 3 { 3 } else { id });
            let link = |n: u64, rel: &str| format!("<https://x/repos/o/r/issues/comments?page={n}>; rel=\"{rel}\"");
            Said::new(200, &json!([comment])).header("link", format!("{}, {}", link(page, "next"), link(2, "last")))
        })
    }));
    synced(&sandbox, &server, &[]);
    assert!(server.asked().len() < 60);
    assert_eq!(issue(&sandbox, "o/r/29").comments.completeness, Completeness::Complete);
}

/// What stands in a list besides what belongs there.
fn strange_entries() -> serde_json::Value {
    json!([null, true, 7, "text", [], {}, {"number": "1"}, {"number": 0}, {"number": 1.5}, {"number": 3, "title": 4}])
}

#[test]
fn entries_of_a_wrong_type_are_told_with_what_they_are_and_replace_nothing() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    let before = snapshot(&sandbox);
    server.world().strange = true;
    for (part, whose) in [
        ("/issues?", "the list of issues of `o/r`"),
        ("/issues/1/sub_issues", "relations of `o/r#1`, `sub_issues`"),
        ("/issues/1/comments", "comments of `o/r#1`"),
    ] {
        server.world().fault = first(part, usize::MAX, Said::new(200, &strange_entries()));
        let args: &[&str] = if part == "/issues?" { &[] } else { &["1"] };
        let run = sync(&sandbox, &server, args);
        let expected_message =
            format!("{whose}: 10 entries are not what was asked for, and left out: a boolean, a list, a number");
        assert!(run.code == 1 && run.stderr.contains(&expected_message), "{part}: {}", run.stderr);
        assert_eq!(snapshot(&sandbox), before, "{part}");
    }
    server.world().fault = None;
    synced(&sandbox, &server, &["1"]);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn an_issue_with_a_part_of_a_wrong_type_stays_as_it_was_and_keeps_no_other_from_being_fetched() {
    for (field, value, expected_message) in [
        ("title", json!(5), "an object whose `title` is a number"),
        ("title", json!(null), "an object without a `title`"),
        ("body", json!(["x"]), "an object whose `body` is a list, not a text"),
        ("state_reason", json!(true), "an object whose `state_reason` is a boolean, not a text"),
        ("user", json!("ada"), "an object whose `user` is a text, not a user"),
        ("assignees", json!([7]), "an object whose `assignees` is a list, not a list of users"),
        ("milestone", json!(7), "an object whose `milestone` is a number, not a milestone"),
        ("number", json!("2"), "an object whose `number` is a text"),
        ("state", json!("x"), "an object whose `state` is a text, not `open` or `closed`"),
        ("state", json!(null), "an object without a `state`"),
        ("created_at", json!("x"), "an object whose `created_at` is a text, not a time"),
        ("created_at", json!("2026-13-01T00:00:00Z"), "an object whose `created_at` is a text, not a time"),
        ("updated_at", json!("yesterday"), "an object whose `updated_at` is a text, not a time"),
        ("user", json!({}), "an object whose `user` is an object, not a user"),
        ("user", json!({"login": [1]}), "an object whose `user` is an object, not a user"),
        ("user", json!({"login": "ada", "type": 5}), "an object whose `user` is an object, not a user"),
        ("pull_request", json!([1]), "an object whose `pull_request` is a list, not a pull request"),
        ("repository", json!({"full_name": "o/r", "private": "true"}), "not a repo"),
    ] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        synced(&sandbox, &server, &[]);
        let before = snapshot(&sandbox);
        server.world().strange = true;
        server.world().issue("o/r", 2)[field] = value;
        server.world().issue("o/r", 3)["title"] = "New".into();
        for args in [&[][..], &["1", "2", "3"]] {
            let run = sync(&sandbox, &server, args);
            assert!(run.code == 1 && run.stderr.contains(expected_message), "{field}: {}", run.stderr);
            assert_eq!(snapshot(&sandbox)["o/r/2.json"], before["o/r/2.json"], "{field}");
            assert_eq!(issue(&sandbox, "o/r/3").title, "New", "{field}");
        }
    }
}

#[test]
fn answers_that_are_something_else_replace_nothing() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    let before = snapshot(&sandbox);
    server.world().strange = true;
    for body in [json!({}), json!({"message": "?"}), json!(null), json!("x"), json!(7), json!([[]])] {
        for part in ["/issues/1/comments", "/issues/2/parent", "/issues/1", "/sub_issues", "/repos/o/r"] {
            // A list of comments with something else in it is one that is not whole.
            if body.is_array() && part.ends_with("comments") {
                continue;
            }
            server.world().fault = first(part, usize::MAX, Said::new(200, &body));
            // Else a run goes on where the last one failed, and does not ask again for what it has.
            let _nothing_remembered = std::fs::remove_dir_all(sandbox.root().join(".contextpack/cache"));
            let run = sync(&sandbox, &server, &["1", "2"]);
            assert_eq!(run.code, 1, "{part} {body}: {run:?}");
            assert_eq!(snapshot(&sandbox), before, "{part} {body}: {}", run.stderr);
        }
    }
}

#[test]
fn what_every_server_says_and_one_leaves_out_erases_nothing() {
    for field in ["body", "user", "labels", "milestone", "created_at", "state", "title"] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        synced(&sandbox, &server, &[]);
        let before = snapshot(&sandbox);
        server.world().strange = true;
        server.world().issue("o/r", 2).as_object_mut().unwrap().remove(field);
        server.world().issue("o/r", 1)["made_up"] = json!({"is": "fine"});
        let run = sync(&sandbox, &server, &[]);
        let expected_message = format!("left out: an object without a `{field}`");
        assert!(run.code == 1 && run.stderr.contains(&expected_message), "{field}: {}", run.stderr);
        assert_eq!(snapshot(&sandbox)["o/r/2.json"], before["o/r/2.json"], "{field}");
    }
}

#[test]
fn comments_of_a_wrong_type_replace_none() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    let before = snapshot(&sandbox);
    server.world().strange = true;
    let right = server.world().comments[&("o/r".to_owned(), 1)][0].clone();
    for (field, value) in [
        ("user", Some(json!({"login": "bob", "type": 5}))),
        ("user", Some(json!({}))),
        ("user", None),
        ("body", None),
        ("created_at", Some(json!("x"))),
        ("author_association", Some(json!([]))),
    ] {
        let mut wrong = right.clone();
        match value {
            Some(value) => wrong[field] = value,
            None => drop(wrong.as_object_mut().unwrap().remove(field)),
        }
        server.world().comments.get_mut(&("o/r".to_owned(), 1)).unwrap()[0] = wrong;
        let run = sync(&sandbox, &server, &["1"]);
        assert!(run.code == 1 && run.stderr.contains("1 entry is not what was asked for"), "{field}: {}", run.stderr);
        assert_eq!(snapshot(&sandbox), before, "{field}");
    }
}

#[test]
fn whether_a_repo_is_private_is_never_guessed() {
    for private in [json!("true"), json!([]), json!(5), json!(null)] {
        let (sandbox, server) = (sandbox(), StandIn::new(small()));
        synced(&sandbox, &server, &["1", "2", "p/q#9"]);
        let before = snapshot(&sandbox);
        server.world().strange = true;
        for repo in ["o/r", "p/q"] {
            let body = json!({"full_name": repo, "private": private});
            server.world().fault =
                Some(Box::new(move |path, _| path.ends_with(&format!("/repos/{repo}")).then(|| Said::new(200, &body))));
            let _nothing_remembered = std::fs::remove_dir_all(sandbox.root().join(".contextpack/cache"));
            let run = sync(&sandbox, &server, &["1", "2", "p/q#9"]);
            let expected_message = "a repo was asked for, and an object";
            assert!(run.code == 1 && run.stderr.contains(expected_message), "{repo} {private}: {}", run.stderr);
            for name in ["o/r/1.json", "p/q/9.json"] {
                assert_eq!(snapshot(&sandbox)[name], before[name], "{repo} {private} {name}");
            }
        }
    }
}

#[test]
fn what_cannot_be_seen_for_once_stays_in_the_snapshot() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    let before = snapshot(&sandbox);
    let hidden = || Said::new(404, &json!({"message": "Not Found"}));
    for (part, codes) in [("/repos/o/r", (1, 1)), ("/issues?", (0, 1)), ("/issues/1", (1, 0))] {
        server.world().fault = first(part, usize::MAX, hidden());
        let codes_now = (sync(&sandbox, &server, &["1"]).code, sync(&sandbox, &server, &[]).code);
        assert_eq!(codes_now, codes, "{part}");
        assert_eq!(snapshot(&sandbox), before, "{part}");
    }
    // Nor does an answer that is no list, or no issue.
    server.world().strange = true;
    for (part, body) in [("/issues?", json!({"message": "?"})), ("/issues/1?", json!([])), ("/sub_issues", json!({}))] {
        server.world().fault = first(part, usize::MAX, Said::new(200, &body));
        sync(&sandbox, &server, &["1"]);
        sync(&sandbox, &server, &[]);
        assert_eq!(snapshot(&sandbox), before, "{part}");
    }
}

#[test]
fn a_repo_without_issues_has_none() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    let off = Said::new(410, &json!({"message": "Issues are disabled for this repo"}));
    server.world().fault = first("/issues?", usize::MAX, off);
    let run = synced(&sandbox, &server, &[]);
    assert!(snapshot(&sandbox).is_empty() && run.stderr.contains("0 issues of o/r"), "{}", run.stderr);
}

#[test]
fn an_answer_that_does_not_come_in_time_is_given_up() {
    let mut world = World::with("o/r");
    world.instead.insert("/late".to_owned(), Said { late: Duration::from_secs(5), ..Said::new(404, &json!({})) });
    let server = StandIn::new(world);
    let api = ApiBase::new(&server.url).unwrap();
    let mut http = Http::new(&api, &Tokens::default(), Duration::from_millis(200)).unwrap();
    assert_eq!(http.send("/late", Ask::Json(None)).unwrap_err().to_string(), "network: an answer did not come in time");
    assert_eq!(http.send("/repos/o/r", Ask::Json(None)).unwrap().status(), 200);
}

/// A server that says this to everybody, over and over.
fn raw(head: &'static str, again: &'static [u8], pause: Duration) -> String {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let mut going = stream.write_all(head.as_bytes());
                while going.is_ok() {
                    std::thread::sleep(pause);
                    going = stream.write_all(again).and_then(|()| stream.flush());
                }
            });
        }
    });
    url
}

#[test]
fn answers_without_an_end_come_to_one() {
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    static BODY: [u8; 0x10000] = [b'['; 0x10000];
    static CHUNK: std::sync::LazyLock<Vec<u8>> =
        std::sync::LazyLock::new(|| [b"10000\r\n".as_slice(), &BODY, b"\r\n"].concat());
    let drip = Duration::from_millis(20);
    for (what, head, again, pause, expected_message) in [
        ("a body", "HTTP/1.1 200 OK\r\n\r\n", BODY.as_slice(), Duration::ZERO, "larger than 64 MiB"),
        ("chunks", CHUNKED, CHUNK.as_slice(), Duration::ZERO, "larger than 64 MiB"),
        ("a body that drips", CHUNKED, b"1\r\n[\r\n", drip, "did not come in time"),
        ("a head that drips", "HTTP/1.1 200 OK\r\nx: ", b"x", drip, "did not come in time"),
        ("headers", "HTTP/1.1 200 OK\r\n", b"x: y\r\n", Duration::ZERO, ""),
        ("answers before the answer", "", b"HTTP/1.1 103 Early Hints\r\n\r\n", drip, "did not come in time"),
        ("nothing", "", b"", drip, "did not come in time"),
    ] {
        let api = ApiBase::new(&raw(head, again, pause)).unwrap();
        let patience =
            if expected_message.contains("time") { Duration::from_millis(400) } else { Duration::from_secs(60) };
        let mut http = Http::new(&api, &Tokens::default(), patience).unwrap();
        let broken = http.send("/x", Ask::Json(None)).unwrap_err().to_string();
        assert!(broken.contains(expected_message), "{what}: {broken}");
    }
}
