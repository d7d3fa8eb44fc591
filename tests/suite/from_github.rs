//! From a server to packs: what `sync` leaves in the snapshot, and what builds make of it.

use crate::sandbox::{Sandbox, run};
use crate::stand_in::{SUBS, Said, StandIn, World};
use crate::sync::{command, small, snapshot, synced};

fn names(sandbox: &Sandbox) -> Vec<String> {
    snapshot(sandbox).into_keys().collect()
}

fn path(name: &str) -> String {
    format!(".contextpack/github/{name}.json")
}

/// A closed issue, which no list of open ones has.
fn close(world: &mut World, repo: &str, number: u64) {
    world.issue(repo, number)["state"] = "closed".into();
}

#[test]
fn issues_that_work_items_name_come_in_one_run_and_theirs_do_not() {
    let mut world = World::with("o/r");
    world.repos.insert("other/repo".to_owned(), false);
    world.repos.insert("o/.github".to_owned(), false);
    for (repo, number) in [("o/r", 12), ("o/r", 13), ("o/r", 20), ("other/repo", 4), ("o/.github", 2)] {
        close(&mut world, repo, number);
    }
    // What a neighbour and an open issue refer to in their texts is not followed.
    world.issue("o/r", 13)["body"] = "Blocked by #20.".into();
    world.issue("o/r", 1)["body"] = "Blocked by #20.".into();
    let server = StandIn::new(world);
    let item =
        "---\nid: feat:x\ntitle: X\nissue: 12\n---\nBlocked by #13.\n\nDepends on other/repo#4 and o/.github#2.\n";
    let sandbox = Sandbox::with(&[("work_items/x.md", item), ("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n")]);
    synced(&sandbox, &server, &[]);
    let all = ["o/.github/2.json", "o/r/1.json", "o/r/12.json", "o/r/13.json", "other/repo/4.json"];
    assert_eq!(names(&sandbox), all);
    let run = synced(&sandbox, &server, &[]);
    assert_eq!((run.stdout.as_str(), names(&sandbox)), ("", all.map(str::to_owned).to_vec()));

    let pack: serde_json::Value = serde_json::from_str(&sandbox.expect(0, &["build", "feat:x", "--out", "-"])).unwrap();
    let sections = pack["sections"].as_array().unwrap().iter().map(|section| section["id"].as_str().unwrap());
    let dependencies: Vec<&str> = sections.filter_map(|id| id.strip_prefix("dependency.")).collect();
    assert_eq!(dependencies, ["o/.github#2", "o/r#13", "other/repo#4"]);
}

#[test]
fn broken_files_stop_neither_builds_nor_the_sync_that_mends_them() {
    let mut world = small();
    for number in 6..=9 {
        world.issue("o/r", number);
    }
    let (sandbox, server) = (crate::sync::sandbox(), StandIn::new(world));
    synced(&sandbox, &server, &["5"]);
    synced(&sandbox, &server, &[]);
    let whole = snapshot(&sandbox);
    let text = sandbox.read(&path("o/r/5"));
    sandbox.write(&path("o/r/5"), &text[..text.len() / 2]);
    sandbox.write(&path("o/r/6"), "<<<<<<< ours\n");
    sandbox.write(&path("o/r/7"), sandbox.read(&path("o/r/7")).replace("issue_snapshot/v1", "issue_snapshot/v9"));

    let build = sandbox.run(&["build"]);
    assert_eq!(build.code, 3, "{}", build.stderr);
    assert_eq!(build.stderr.matches("error[invalid-snapshot]").count(), 3, "{}", build.stderr);
    assert!(sandbox.has("packs/issue-9.coding.json") && sandbox.has("packs/issue-1.coding.json"));

    synced(&sandbox, &server, &[]);
    // No list has an issue that is closed.
    synced(&sandbox, &server, &["5"]);
    assert!(snapshot(&sandbox) == whole);
    sandbox.expect(0, &["build"]);
}

#[test]
fn neighbours_that_nothing_names_any_more_leave_after_a_complete_run_only() {
    let mut world = small();
    world.repos.insert("else/where".to_owned(), false);
    close(&mut world, "else/where", 3);
    world.part("o/r", 1, 30);
    close(&mut world, "o/r", 30);
    for number in 40..60 {
        world.block("o/r", number, "o/r", number + 1);
    }
    let (sandbox, server) = (crate::sync::sandbox(), StandIn::new(world));
    let there = || [path("else/where/3"), path("o/r/30"), path("p/q/9")].map(|path| sandbox.has(&path));
    let item = |references: &str| sandbox.write("work_items/x.md", format!("---\nid: feat:x\n{references}---\n"));
    item("depends_on: [else/where#3]\n");
    synced(&sandbox, &server, &[]);
    assert_eq!(there(), [true; 3]);

    // The sub-issue is taken out, and the work item names nothing any more.
    server.world().related.get_mut(&("o/r".to_owned(), 1, SUBS)).unwrap().retain(|(_, number)| *number != 30);
    item("");
    synced(&sandbox, &server, &["1"]);
    assert_eq!(there(), [true; 3], "only some were asked for");
    std::fs::remove_dir_all(sandbox.root().join(".contextpack/cache")).unwrap();
    let stopped = synced(&sandbox, &server, &["--max-requests", "10"]);
    assert!(stopped.stderr.contains("run `contextpack sync` again") && there() == [true; 3], "{}", stopped.stderr);
    let down = Said::new(500, &"down".into());
    server.world().fault = Some(Box::new(move |path, _| path.contains("/dependencies/").then(|| down.clone())));
    assert_eq!((run(command(&sandbox, &server, &["--max-wait", "0s"]), "").code, there()), (1, [true; 3]));

    server.world().fault = None;
    let run = synced(&sandbox, &server, &[]);
    assert_eq!(there(), [false, false, true]);
    assert!(
        run.stderr.contains("2 issues removed from the snapshot") && run.stderr.contains("2 removed"),
        "{}",
        run.stderr
    );

    // Asked for once, an issue stays although nothing names it; an item that cannot be read may name anything.
    synced(&sandbox, &server, &["30"]);
    item("related: [else/where#3]\n");
    synced(&sandbox, &server, &[]);
    sandbox.write("work_items/x.md", [0xff, 0xfe, 0xfd]);
    synced(&sandbox, &server, &[]);
    assert_eq!(there(), [true; 3]);
}

#[test]
fn an_issue_that_was_moved_stays_while_its_old_number_is_named() {
    let mut world = World::with("o/r");
    world.repos.insert("new/home".to_owned(), false);
    close(&mut world, "new/home", 77);
    let moved = Said::new(301, &serde_json::json!({"message": "Moved Permanently"}));
    let moved = moved.header("location", "/repos/new/home/issues/77");
    world.instead.insert("/repos/o/r/issues/3".to_owned(), moved);
    let (sandbox, server) = (crate::sync::sandbox(), StandIn::new(world));
    sandbox.write("work_items/x.md", "---\nid: feat:x\ndepends_on: [o/r#3]\n---\n");
    synced(&sandbox, &server, &[]);
    let again = synced(&sandbox, &server, &[]);
    assert_eq!((names(&sandbox), &*again.stdout), (vec!["new/home/77.json".to_owned()], ""), "{}", again.stderr);
}

#[test]
fn issues_of_a_private_repo_in_a_public_snapshot_are_told_at_once() {
    let (sandbox, server) = (crate::sync::sandbox(), StandIn::new(small()));
    let warnings = |sandbox: &Sandbox| synced(sandbox, &server, &[]).stderr.matches("[private-issue]").count();
    assert_eq!(warnings(&sandbox), 1, "p/q#9 blocks o/r#2");
    sandbox.write("contextpack.yml", "version: 1\ngithub: {repo: o/r}\noutput: {dir: .contextpack/packs}\n");
    assert_eq!(warnings(&sandbox), 0);
    sandbox.write("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n");
    server.world().repos.insert("o/r".to_owned(), true);
    assert_eq!(warnings(&sandbox), 0, "this repo is private too");
}

/// What one machine fetched and built and committed, another one builds and checks without a network or a token.
#[test]
fn a_fresh_clone_builds_and_checks_what_was_synced_without_asking_anybody() {
    let mut world = small();
    world.repos.insert("p/q".to_owned(), false);
    world.issue("o/r", 1)["body"] = "Blocked by p/q#9.\r\n\r\nSee docs/guide.md.".into();
    world.issue("o/r", 6);
    let (sandbox, server) = (crate::sync::sandbox(), StandIn::new(world));
    sandbox.write("docs/guide.md", "# Guide\n\nSlowly.\n");
    synced(&sandbox, &server, &[]);
    let packs = sandbox.expect(0, &["build", "-q"]);
    assert_eq!(packs, ["1", "2", "3", "6"].map(|n| format!("packs/issue-{n}.coding.json\n")).concat());
    sandbox.commit();
    server.asked();

    let clone = sandbox.beside("clone");
    sandbox.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let there = |args: &[&str]| {
        let mut command = sandbox.command(args);
        // The address and a token would be there; nobody may use them.
        command.current_dir(&clone).env("GITHUB_API_URL", &server.url).env("GITHUB_TOKEN", crate::sync::TOKEN);
        command.env_remove("SOURCE_DATE_EPOCH");
        run(command, "")
    };
    let checked = there(&["check", "--strict"]);
    assert_eq!((checked.code, &*checked.stdout), (0, ""), "{}", checked.stderr);
    let built = there(&["build"]);
    assert_eq!((built.code, &*built.stdout), (0, ""), "nothing is written: {}", built.stderr);
    let file = |path: &str| std::fs::read(clone.join(path)).unwrap();
    assert!(packs.lines().all(|path| file(path) == std::fs::read(sandbox.root().join(path)).unwrap()));
    assert!(server.asked().is_empty());

    std::fs::remove_file(clone.join(path("o/r/6"))).unwrap();
    let checked = there(&["check", "--format", "github"]);
    assert!(checked.code == 0 && checked.stdout.contains("title=unverifiable pack::"), "{}", checked.stdout);
    assert_eq!(there(&["check", "--strict"]).code, 4);
}
