//! `sync` where the outside fails, and where somebody wants its token.

use crate::sandbox::run;
use crate::stand_in::{Fault, Said, StandIn, World};
use crate::sync::{command, issue, sandbox, small, snapshot, sync, synced};
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
    let run = sync(&sandbox, &server, &["1", "--max-wait", "20s"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("relations of `o/r#1`: status 502"), "{}", run.stderr);
    assert_eq!(snapshot(&sandbox)["o/r/1.json"], before["o/r/1.json"]);

    // A list that fails leaves what was there, and goes on next time.
    let fresh = self::sandbox();
    server.world().fault = Some(Box::new(|path, _| {
        (path.contains("/issues?") && path.contains("page=2")).then(|| Said::new(502, &json!({})))
    }));
    let run = sync(&fresh, &server, &["--max-wait", "20s"]);
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
        let run = sync(&sandbox, &server, &["--max-wait", "4s"]);
        assert!(run.code == 1 && run.stderr.contains(message), "{message}: {}", run.stderr);
        assert!(snapshot(&sandbox).is_empty());
    }
    let nobody = StandIn::new(World::default());
    let sandbox = sandbox();
    let mut command = command(&sandbox, &nobody, &["--max-wait", "1s"]);
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
