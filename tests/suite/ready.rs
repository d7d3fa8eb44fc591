//! `ready`: each finding once, with its place, and nothing where an agent can start.

use crate::sandbox::Sandbox;
use serde_json::Value;

/// A work item with something of everything, and one that is ready.
fn sandbox() -> Sandbox {
    Sandbox::with(&[
        (
            "work_items/a.md",
            "---\nid: feat:a\ntitle: A\nstatus: open\nblocked_by: [feat:b]\nadrs: [1, 2]\n---\n\n# A\n\n<describe the problem>\n\n\
             See [it](docs/gone.md).\n\nOwner: TBD\n\n## Open questions\n\n- How long?\n",
        ),
        (
            "work_items/b.md",
            "---\nid: feat:b\ntitle: B\nstatus: open\n---\n\n# B\n\nText.\n\n## Acceptance criteria\n\n- It works.\n",
        ),
        ("work_items/c.md", "---\nid: feat:c\ntitle: C\nstatus: done\nblocked_by: [feat:b]\n---\n\nTBD\n"),
        ("work_items/d.md", "---\nid: feat:d\ntitle: D\nstatus: open\n---\n\n## Goal\n"),
        ("docs/adr/0001-a.md", "# A\n\n## Status\n\nProposed\n\nText.\n"),
        ("docs/adr/0002-b.md", "# B\n\n## Status\n\nSuperseded by ADR-0001\n\nText.\n"),
    ])
}

/// The findings about a root, each as its code and its place.
fn findings(sandbox: &Sandbox, code: i32, args: &[&str]) -> Vec<(String, String)> {
    let told = sandbox.json(code, &[&["ready"], args, &["--format", "json"]].concat());
    let root = &told["roots"][0];
    let found: Vec<(String, String)> = root["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["code"].as_str().unwrap().to_owned(),
                format!("{}:{}", it["path"].as_str().unwrap_or_default(), it["line"]),
            )
        })
        .collect();
    assert_eq!(root["ready"], Value::from(found.is_empty()));
    found
}

#[test]
fn each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place() {
    let sandbox = sandbox();
    let found = findings(&sandbox, 4, &["feat:a"]);
    let at = |code: &str, line: u32| (code.to_owned(), format!("work_items/a.md:{line}"));
    let expected = [
        at("open-blocker", 5),
        at("inactive-adr", 6),
        at("proposed-adr", 6),
        at("no-acceptance-criteria", 9),
        at("unfilled-template", 11),
        at("dangling-reference", 13),
        at("open-question", 15),
        at("open-question", 19),
    ];
    assert_eq!(found, expected);
    assert_eq!(findings(&sandbox, 0, &["feat:b"]), []);
    // `--quiet` leaves what goes to standard output.
    let texts = [&["ready", "feat:a"][..], &["ready", "feat:a", "-q"]].map(|args| sandbox.run(args).stdout);
    assert!(texts[0] == texts[1] && texts[0].contains("finish it first"), "{}", texts[1]);
    assert_eq!(findings(&sandbox, 4, &["feat:c"]), [("root-done".to_owned(), "work_items/c.md:8".to_owned())]);
    assert_eq!(findings(&sandbox, 4, &["feat:d"]), [("empty-body".to_owned(), "work_items/d.md:7".to_owned())]);
    // Without a root, items that are over are not asked about.
    let run = sandbox.run(&["ready"]);
    assert_eq!(
        (run.code, run.stdout.lines().filter(|line| line.ends_with(": ready")).count()),
        (4, 1),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("1 of 3 work items are ready") && !run.stdout.contains("feat:c"), "{}", run.stderr);
    let annotated = sandbox.run(&["ready", "feat:a", "--format", "github"]);
    assert!(
        annotated.stdout.contains("::warning file=work_items/a.md,line=15,title=open-question::"),
        "{}",
        annotated.stdout
    );
}

#[test]
fn lines_are_those_of_the_file_whatever_the_pack_adds_and_leaves_out() {
    let sandbox = Sandbox::with(&[(
        "work_items/e.md",
        "---\nid: feat:e\ntitle: E\nstatus: open\n---\n\n<!-- one\ntwo -->\n\n## Goal\n\nTBD\n\nText.\n\n<!-- three -->\n\nTBD\n\n\
         ## Acceptance criteria\n\n- TBD\n",
    )]);
    let at = |line: u32| ("open-question".to_owned(), format!("work_items/e.md:{line}"));
    assert_eq!(findings(&sandbox, 4, &["feat:e"]), [at(12), at(18), at(22)]);
}

#[test]
fn a_pack_that_cannot_be_built_is_not_ready_and_a_field_may_state_the_criteria() {
    let sandbox = Sandbox::with(&[(
        "work_items/f.md",
        "---\nid: feat:f\ntitle: F\nstatus: open\nacceptance_criteria: [It works]\n---\n\nDo it.\n",
    )]);
    assert_eq!(findings(&sandbox, 0, &["feat:f"]), []);
    let refused = findings(&sandbox, 3, &["feat:f", "--max-chars", "700"]);
    assert!(matches!(&refused[..], [(code, _)] if code == "budget-too-small"), "{refused:?}");
}

#[test]
fn the_configuration_says_which_findings_count() {
    let sandbox = sandbox();
    let all = "open-blocker no-acceptance-criteria open-question unfilled-template proposed-adr inactive-adr dangling-reference";
    let levels: Vec<String> = all.split(' ').map(|code| format!("{code}: allow")).collect();
    sandbox.write("contextpack.yml", format!("warnings: {{{}}}\n", levels.join(", ")));
    assert_eq!(findings(&sandbox, 0, &["feat:a"]), []);
    sandbox.write("contextpack.yml", "warnings: {empty-body: deny}\n");
    let told = sandbox.json(4, &["ready", "feat:d", "--format", "json"]);
    assert_eq!(told["roots"][0]["findings"][0]["severity"], "error");
}

#[test]
fn what_the_budget_cuts_is_read_whole_and_a_stale_pack_is_told() {
    let sandbox = sandbox();
    let long = "Text that goes on and on. ".repeat(400);
    let item = format!(
        "---\nid: feat:b\ntitle: B\nstatus: open\n---\n\n# B\n\n{long}\n\n## Acceptance criteria\n\n- It works.\n\nLimit: TBD\n"
    );
    sandbox.write("work_items/b.md", &item);
    let cut = ("root-cut".to_owned(), "work_items/b.md:7".to_owned());
    let question = ("open-question".to_owned(), "work_items/b.md:15".to_owned());
    assert_eq!(findings(&sandbox, 4, &["feat:b", "--max-chars", "6000"]), [cut, question.clone()]);
    assert_eq!(findings(&sandbox, 4, &["feat:b"]), [question]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.write("work_items/b.md", item.replace("Limit: TBD", "Limit: 7"));
    assert_eq!(
        findings(&sandbox, 4, &["feat:b"]),
        [("stale-pack".to_owned(), "packs/feat-b.coding.json:null".to_owned())]
    );
    sandbox.expect(0, &["build", "-q"]);
    assert_eq!(findings(&sandbox, 0, &["feat:b"]), []);
}

const CACHE: &str = "---\nid: feat:cache\ntitle: Cache\nstatus: open\n---\n\n# Cache\n\nText.\n\n## Acceptance criteria\n\n\
    - [ ] A hit takes a millisecond.\n- [ ] Entries end after a minute.\n- [ ] A metric counts hits and misses.\n- [ ] Old clients see no change.\n";

/// What `ready --done` says of each criterion: its id, its status, its line and place, and what became of it.
fn done(sandbox: &Sandbox, code: i32, args: &[&str]) -> Vec<String> {
    let told = sandbox.json(code, &[&["ready", "--format", "json", "--done"], args].concat());
    let said = |it: &Value| {
        let field = |name: &str| it[name].as_str().map_or(it[name].to_string(), str::to_owned);
        ["id", "status", "line", "place", "since"].map(field).join(" ")
    };
    told["roots"][0]["criteria"].as_array().unwrap().iter().map(said).collect()
}

#[test]
fn a_ledger_says_of_each_criterion_whether_a_pull_request_meets_it() {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "output: {dir: packs}\n"),
        ("work_items/cache.md", CACHE),
        ("tests/cache.rs", "fn hit() {}\n"),
    ]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    let trailer = sandbox.expect(0, &["render", "feat:cache", "--trailer"]);
    let text = format!(
        "# Cache\n\nac.1 holds, see [the test](tests/cache.rs#L1), and `src/none.rs`.\n\n- [x] Entries end after a minute\n\
         - A metric counts hits and misses\n<!-- - [x] Old clients see no change. -->\n\n{trailer}"
    );
    sandbox.write("pr.md", &text);
    let said = [
        "ac.1 met 3 tests/cache.rs:1 same",
        "ac.2 met 5 null same",
        "ac.3 unclear 6 null same",
        "ac.4 not_mentioned null null same",
    ];
    assert_eq!(done(&sandbox, 4, &["pr.md"]), said);
    assert_eq!(done(&sandbox, 4, &["pr.md", "feat:cache"]), said);
    // Without a trailer nothing says which item is meant; the pack on disk is the one that was read.
    sandbox.write("bare.md", text.replace("Context-Pack", "Some-Pack"));
    assert_eq!(sandbox.run(&["ready", "--done", "bare.md"]).code, 2);
    assert_eq!(done(&sandbox, 4, &["bare.md", "feat:cache"]), said);
    let all = "- [x] AC.1, ac.2\n- ac.3, ac.4: https://github.com/o/r/blob/main/tests/cache.rs#L1\n- [ ] ac.4\n";
    sandbox.write("all.md", all.replace("- [ ] ac.4\n", ""));
    assert_eq!(done(&sandbox, 0, &["all.md", "feat:cache"])[3], "ac.4 met 2 tests/cache.rs:1 same");
    sandbox.write("all.md", all);
    assert_eq!(done(&sandbox, 4, &["all.md", "feat:cache"])[3], "ac.4 open 3 null same");

    // Ids are those of the pack that was read.
    let now = CACHE.replace("- [ ] A hit", "- [ ] Misses are logged.\n- [ ] A hit").replace("a minute.", "an hour.");
    sandbox.write("work_items/cache.md", now.replace("- [ ] Old clients see no change.\n", ""));
    let moved = [
        "ac.5 not_mentioned null null added",
        "ac.1 met 3 tests/cache.rs:1 same",
        "ac.2 met 5 null changed",
        "ac.3 unclear 6 null same",
        "ac.4 removed null null removed",
    ];
    assert_eq!(done(&sandbox, 4, &["pr.md"]), moved);
    let verdict = "feat:cache: 2 of 5 acceptance criteria are met, ac.5 not mentioned and added, ac.2 met and changed, \
                   ac.3 unclear, ac.4 removed";
    let printed = sandbox.expect(4, &["ready", "--done", "pr.md"]);
    assert!(
        printed.starts_with(verdict) && printed.contains("when the pack was read: Entries end after a minute."),
        "{printed}"
    );
    let comment = sandbox.expect(4, &["ready", "--done", "pr.md", "--format", "markdown"]);
    assert!(comment.starts_with("<details><summary><code>feat&#58;cache</code>: 2 of 5"), "{comment}");
}

#[test]
fn a_ledger_takes_criteria_from_fields_labels_and_boxes_and_prints_no_secret() {
    let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let sandbox = Sandbox::with(&[
        (
            "work_items/a.md",
            "---\nid: feat:a\ntitle: A\nacceptance_criteria: [It is fast., It is safe.]\n---\n\nText.\n",
        ),
        (
            "work_items/b.md",
            "---\nid: feat:b\ntitle: B\n---\n\n**Acceptance criteria:**\n\n- It is fast.\n\nMore:\n\n- No more.\n",
        ),
        ("work_items/c.md", "---\nid: feat:c\ntitle: C\n---\n\n- [x] It is fast.\n- [ ] It is safe.\n\n- Text.\n"),
        ("work_items/d.md", "---\nid: feat:d\ntitle: D\n---\n\nText.\n"),
        (
            "pr.md",
            &format!(
                "{token}\n\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n\n- [x] It is fast. {token}\n"
            ),
        ),
    ]);
    let ids = |root: &str| done(&sandbox, 4, &["pr.md", root]);
    assert_eq!(ids("feat:a"), ["ac.1 met 7 null null", "ac.2 not_mentioned null null null"]);
    assert_eq!(done(&sandbox, 0, &["pr.md", "feat:b"]), ["ac.1 met 7 null null"]);
    assert_eq!(ids("feat:c"), ["ac.1 met 7 null null", "ac.2 not_mentioned null null null"]);
    assert_eq!(done(&sandbox, 0, &["pr.md", "feat:d"]), [""; 0]);
    for format in ["text", "json", "markdown"] {
        let run = sandbox.run(&["ready", "--done", "pr.md", "feat:a", "feat:d", "--format", format]);
        assert!(!(run.stdout + &run.stderr).contains(&token));
    }
}

#[test]
fn a_sentence_that_denies_or_asks_meets_no_criterion() {
    let item = "---\nid: task:a\ntitle: A\n---\n\nDo it.\n\n## Acceptance criteria\n\n- Errors are logged in a file\n- Entries are not kept\n";
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\n"), ("work_items/a.md", item)]);
    let states = |text: &str| -> Vec<String> {
        let run = sandbox.run_with(&["ready", "task:a", "--done", "-", "--format", "json"], text);
        let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let criteria = told["roots"][0]["criteria"].as_array().unwrap();
        criteria.iter().map(|it| it["status"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(states("ac.1 is in work_items/a.md.\n\nEntries are not kept: work_items/a.md\n"), ["met", "met"]);
    assert_eq!(states("ac.1 is not in work_items/a.md.\n\nAC.2 failed: work_items/a.md\n"), ["unclear", "unclear"]);
    assert_eq!(states("Errors are logged in a file, as work_items/a.md says?\n"), ["unclear", "not_mentioned"]);
    assert_eq!(states("- [x] ac.1, but not for work_items/a.md\n"), ["unclear", "not_mentioned"]);
    assert_eq!(states("- [x] ac.2: Entries are not kept\n- [x] ac.1\n"), ["met", "met"]);
    assert_eq!(states("> - [x] ac.1\n\nac.2 won’t be in work_items/a.md\n"), ["unclear", "unclear"]);
    assert_eq!(states("ac.1 will come.\n\n```\nwork_items/a.md\n```\n"), ["unclear", "not_mentioned"]);
    assert_eq!(states("- [x] see https://example.com/ac.1/ac.2\n- [ ] ac.1 [x](u)\n"), ["open", "not_mentioned"]);
    assert_eq!(states("- [x] ac.1 would be in work_items/a.md\n- [x] Entries are kept\n"), ["unclear", "unclear"]);
    for said in ["is planned", "is out of scope", "is still to be done", "❌", "done? See it", "<del>was</del>"] {
        assert_eq!(states(&format!("- [x] ac.1 {said} in work_items/a.md\n"))[0], "unclear", "{said}");
    }
    assert_eq!(states("- [x] Entries are kept, missing fix in work_items/a.md\n")[1], "unclear");
    assert_eq!(states("- [x] ~~Errors are logged in a file~~\n- [x] Reverts ac.2\n"), ["unclear", "unclear"]);
    let struck = item.replace("- Errors are logged in a file", "- [x] ~~Errors are logged in a file~~");
    sandbox.write("work_items/a.md", struck);
    assert_eq!(states("Nothing.\n"), ["not_mentioned", "not_mentioned"]);
    let item = item.replace("- Errors", "- [ ] [x](work_items/a.md): Errors");
    sandbox.write("work_items/a.md", item);
    assert_eq!(states("Nothing.\n"), ["not_mentioned", "not_mentioned"]);
}
