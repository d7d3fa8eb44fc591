//! Which requests `sync` sends, how many, and what becomes of them when it is stopped.

use crate::interrupted;
use crate::sandbox::Sandbox;
use crate::stand_in::{StandIn, World, label, milestone};
use crate::sync::{asked, issue, sandbox, small, snapshot, synced};
use contextpack::internals::model::{Completeness, SnapshotIssue};
use serde_json::json;
use std::time::Duration;

#[test]
fn eight_hundred_issues_cost_at_most_six_hundred_requests() {
    let mut world = World::with("o/r");
    for number in 1..=800 {
        world.issue("o/r", number);
        if number <= 300 {
            (0..1 + number % 4).for_each(|n| world.comment("o/r", number, &format!("comment {n}"), "NONE"));
        }
        if (301..=400).contains(&number) {
            world.part("o/r", number, number + 100);
            world.block("o/r", number, "o/r", number + 200);
        }
    }
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    let run = synced(&sandbox, &server, &[]);
    let log = server.asked();
    // The repo; 800 issues and 750 comments, 100 a page; the parts of 100 issues, what blocks them, and what the 100
    // that block them block. Parents stand in the lists.
    let of = |part| asked(&log, part);
    assert_eq!((of("/issues?"), of("issues/comments?"), of("/sub_issues"), of("/dependencies/")), (8, 8, 100, 200));
    assert_eq!(log.len(), 317, "{}", run.stderr);
    assert_eq!(snapshot(&sandbox).len(), 800);
    let all = (1..=300).all(|n| {
        let comments = issue(&sandbox, &format!("o/r/{n}")).comments;
        comments.completeness == Completeness::Complete && comments.items.len() as u64 == 1 + n % 4
    });
    assert!(all && run.stderr.contains("at most about"), "{}", run.stderr);
}

#[test]
fn a_limit_of_requests_stops_cleanly_and_the_next_run_goes_on() {
    let mut world = small();
    for number in 10..40 {
        world.block("o/r", number, "o/r", number + 1);
        world.comment("o/r", 2 + number % 2, "text", "NONE");
    }
    (0..1250).for_each(|_| world.comment("o/r", 1, "text", "NONE"));
    let (whole, parts, server) = (sandbox(), sandbox(), StandIn::new(world));
    synced(&whole, &server, &[]);
    let mut runs = 0;
    loop {
        runs += 1;
        server.asked();
        let run = synced(&parts, &server, &["--max-requests", "10"]);
        assert!(server.asked().len() <= 10 && runs < 60, "{run:?}");
        if !run.stderr.contains("run `contextpack sync` again") {
            break;
        }
    }
    assert!(runs > 5);
    assert_eq!(snapshot(&parts), snapshot(&whole));
}

#[test]
fn a_second_run_asks_with_marks_and_writes_nothing() {
    let (sandbox, server) = (sandbox(), StandIn::new(small()));
    synced(&sandbox, &server, &[]);
    let before = (snapshot(&sandbox), server.asked().len());
    let run = synced(&sandbox, &server, &[]);
    let log = server.asked();
    assert_eq!((run.stdout.as_str(), snapshot(&sandbox)), ("", before.0));
    assert!(log.iter().filter(|asked| asked.status == 304).count() >= 3, "{log:?}");
    assert!(log.len() < before.1, "{log:?}");
    assert_eq!(asked(&log, "comments"), 0, "no comment changed");

    // Without the side file all is asked for again, and comes out the same.
    std::fs::remove_dir_all(sandbox.root().join(".contextpack/cache")).unwrap();
    let run = synced(&sandbox, &server, &[]);
    assert_eq!(run.stdout, "");
    assert!(server.asked().iter().all(|asked| !asked.marked));
}

#[test]
fn what_one_filter_left_out_is_in_the_list_of_the_next() {
    let mut world = small();
    world.issue("o/r", 2)["milestone"] = milestone("1.0", 4);
    let (sandbox, server) = (sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &["--milestone", "1.0"]);
    assert!(issue(&sandbox, "o/r/2").asked && !sandbox.has(".contextpack/github/o/r/3.json"));
    synced(&sandbox, &server, &[]);
    assert!(issue(&sandbox, "o/r/3").asked);
    synced(&sandbox, &server, &["--milestone", "4"]);
    synced(&sandbox, &server, &["--limit", "1"]);
    assert!(synced(&sandbox, &server, &[]).stderr.contains("3 issues of o/r: 0 files written"));
}

#[test]
fn filters_choose_among_the_issues() {
    let mut world = small();
    world.issue("o/r", 2)["labels"] = json!([label("other")]);
    world.issue("o/r", 3)["updated_at"] = "2026-02-01T00:00:00Z".into();
    for (args, numbers) in [
        (&["--state", "closed"][..], &[5][..]),
        (&["--state", "all"], &[1, 2, 3, 5]),
        (&["--all"], &[1, 2, 3, 5]),
        (&["--label", "other"], &[2]),
        (&["--label", "other", "--label", "agent-ready"], &[1, 2, 3]),
        (&["--since", "2026-01-31"], &[3]),
        (&["--limit", "1"], &[3]),
        (&["--limit", "2", "--state", "closed"], &[5]),
    ] {
        let (sandbox, server) = (sandbox(), StandIn::new(std::mem::take(&mut world)));
        synced(&sandbox, &server, args);
        assert_eq!(roots_of(&sandbox), numbers, "{args:?}");
        world = std::mem::take(&mut *server.world());
    }
}

#[test]
fn killed_at_any_moment_and_run_again_gives_the_same_snapshot() {
    // `cargo bench --bench sync` does this with a thousand issues.
    let mut world = interrupted::world(120);
    world.fault = Some(Box::new(|_, _| {
        std::thread::sleep(Duration::from_millis(1));
        None
    }));
    let report = interrupted::interrupted(&StandIn::new(world), 8, 11);
    assert!(report.kills == 8 && report.memory.is_none_or(|kb| kb < 200_000), "{report}");
}

#[test]
fn the_configuration_says_which_issues_are_roots() {
    for (roots, numbers) in [
        ("{labels: [other]}", &[2][..]),
        ("{state: [done]}", &[5]),
        ("{state: [open, done], labels: [agent-ready]}", &[1, 3, 5]),
        ("{milestone: ['1.0']}", &[3]),
    ] {
        let mut world = small();
        world.issue("o/r", 2)["labels"] = json!([label("other")]);
        world.issue("o/r", 3)["milestone"] = milestone("1.0", 4);
        let config = format!("version: 1\nroots: {roots}\ngithub: {{repo: o/r}}\n");
        let (sandbox, server) = (Sandbox::with(&[("contextpack.yml", &config)]), StandIn::new(world));
        synced(&sandbox, &server, &[]);
        assert_eq!(roots_of(&sandbox), numbers, "{roots}");
        // `--all` is all, whatever they are.
        synced(&sandbox, &server, &["--all"]);
        assert_eq!(roots_of(&sandbox), [1, 2, 3, 5], "{roots}");
    }
}

/// The issues of the repo that the snapshot has for their own sake.
fn roots_of(sandbox: &Sandbox) -> Vec<u64> {
    let files = snapshot(sandbox).into_iter().filter(|(name, _)| name.starts_with("o/r/"));
    let issues = files.map(|(_, bytes)| serde_json::from_slice::<SnapshotIssue>(&bytes).unwrap());
    let mut numbers: Vec<u64> = issues.filter(|issue| issue.asked).map(|issue| issue.number).collect();
    numbers.sort_unstable();
    numbers
}
