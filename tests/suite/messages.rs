//! What a first user is told: the next command, the right form of a setting, and no more than concerns the work.

use crate::sandbox::Sandbox;
use crate::watch::Watching;

fn said(sandbox: &Sandbox, code: i32, args: &[&str]) -> String {
    let run = sandbox.run(args);
    assert_eq!(run.code, code, "{args:?}: {}{}", run.stdout, run.stderr);
    run.stdout + &run.stderr
}

#[test]
fn an_empty_folder_is_told_what_to_do_next() {
    let sandbox = Sandbox::new();
    for (args, code, next) in [
        (&["build"][..], 0, "run `contextpack init`"),
        (&["check"], 0, "run `contextpack init`"),
        (&["list"], 0, "run `contextpack init`"),
        (&["render", "feat:x"], 2, "`contextpack init` sets up a repo"),
        (&["render", "packs/none.json"], 2, "and no such file"),
        (&["diff"], 2, "not in a git repository"),
        (&["diff", "a...b"], 2, "not in a git repository"),
        (&["init", "--git"], 2, "run `git init` first"),
    ] {
        let said = said(&sandbox, code, args);
        assert!(said.contains(next), "{args:?}: {said}");
    }
    assert!(!sandbox.root().join("contextpack.yml").exists(), "a refused `init` writes nothing");
    sandbox.write("contextpack.yml", "github: {repo: o/r}\n");
    assert!(said(&sandbox, 0, &["build"]).contains("run `contextpack sync`"));
    sandbox.git(&["init", "-q"]);
    assert!(said(&sandbox, 2, &["diff"]).contains("there is no commit yet"));

    sandbox.write("work_items/a.md", "---\nid: feat:a\nstatus: done\n---\n");
    assert!(said(&sandbox, 0, &["list", "--state", "open"]).contains("no item with a pack is in this state"));
    sandbox.write("contextpack.yml", "github: {repo: o/r}\nroots: {state: [open]}\n");
    for args in [&["build"][..], &["list"], &["list", "--state", "open"]] {
        assert!(said(&sandbox, 0, args).contains("leave none of the work items"), "{args:?}");
    }
}

#[test]
fn a_watch_of_an_empty_folder_is_told_what_to_do_next() {
    let sandbox = Sandbox::new();
    Watching::start(&sandbox, &[]).wait("no items: there is no configuration and no work item here");
}

#[test]
fn a_root_that_is_given_as_a_revision_is_told_how_to_compare_its_pack() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/work_items/a.md", "---\nid: feat:a\n---\n");
    sandbox.write("sub/contextpack.yml", "");
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.expect(0, &["-C", "sub", "build"]);
    sandbox.commit();
    for args in [&["feat:a"][..], &["feat:a", "HEAD"], &["HEAD", "feat:a"]] {
        let said = said(&sandbox, 2, &[&["-C", "sub", "diff"], args].concat());
        let (_, command) = said.split_once("`contextpack ").unwrap_or_else(|| panic!("{said}"));
        let command: Vec<&str> = command.split('`').next().unwrap().split(' ').collect();
        assert_eq!(command, ["diff", "HEAD:./packs/feat-a.coding.json", "packs/feat-a.coding.json"]);
        sandbox.expect(0, &[&["-C", "sub"], &command[..]].concat());
    }
    assert!(said(&sandbox, 2, &["-C", "sub", "diff", "nope"]).contains("git knows no `nope`"));
}

#[test]
fn a_list_names_the_items_that_it_lacks() {
    let sandbox = Sandbox::new();
    sandbox.write("work_items/a.md", "---\nid: feat:a\ndepends_on: [feat:none]\n---\n");
    sandbox.write("work_items/b.json", "{\"id\": ");
    sandbox.write("work_items/c.json", "{");
    for format in ["text", "table"] {
        let run = sandbox.run(&["list", "--format", format]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.stderr.matches("warning[invalid-item]").count(), 2, "{}", run.stderr);
        assert!(run.stderr.contains("--> work_items/b.json:1"), "{}", run.stderr);
        assert!(!run.stderr.contains("unknown-id") && run.stdout.contains("feat:a"), "{}", run.stderr);
    }
    assert_eq!(sandbox.run(&["list", "-q"]).stderr, "");
    assert_eq!(sandbox.run(&["list", "-v"]).stderr.matches("warning[invalid-item]").count(), 2);
}

#[test]
fn packs_within_other_limits_than_the_configured_ones_are_noted() {
    let sandbox = Sandbox::new();
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_tokens: 4k}}}\n");
    sandbox.write("work_items/a.md", "---\nid: feat:a\n---\n");
    let note = "note: 1 pack of another profile, item or limit than the configuration asks for";
    sandbox.expect(0, &["build"]);
    assert!(said(&sandbox, 0, &["build", "--max-tokens", "2k"]).contains(note));
    assert!(said(&sandbox, 4, &["check"]).contains("stale"));
    for args in [
        &["build"][..],
        &["build", "--max-tokens", "4000"],
        &["build", "--max-tokens", "2k", "-q"],
        &["build", "--max-tokens", "2k", "--out", "other"],
        &["build", "feat:a", "--max-tokens", "2k", "--out", "-"],
    ] {
        assert!(!said(&sandbox, 0, args).contains("note: 1 pack"), "{args:?}");
    }
}

#[test]
fn settings_in_a_wrong_form_are_shown_the_right_one() {
    let sandbox = Sandbox::new();
    for (config, form) in [
        ("work_items: [items/*.md]\n", "write `work_items: [{include: "),
        ("work_items: items\n", "write `work_items: [{include: "),
        ("adrs: docs/adr\n", "write `adrs: {include: "),
        ("a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n", "has conflict markers"),
    ] {
        sandbox.write("contextpack.yml", config);
        assert!(said(&sandbox, 3, &["build"]).contains(form), "{config}");
    }
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_tokens: 4k}}}\n");
    sandbox.write("work_items/a.md", "---\nid: feat:a\ndepends_on: [12]\n---\n");
    let said = said(&sandbox, 0, &["build"]);
    assert!(said.contains("if it is an issue, set `github.repo: owner/name`"), "{said}");
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/feat-a.coding.json")).unwrap();
    assert_eq!(pack["budget"]["max_tokens"], 4000);
}

#[test]
fn conflict_markers_are_named_with_what_resolves_them() {
    let sandbox = Sandbox::new();
    sandbox.write("work_items/a.md", "---\nid: feat:a\n---\n\nText.\n");
    sandbox.expect(0, &["build"]);
    let pack = sandbox.read("packs/feat-a.coding.json");
    let (head, rest) = pack.split_at(pack.find('\n').unwrap() + 1);
    sandbox.write("packs/feat-a.coding.json", format!("{head}<<<<<<< HEAD\n{rest}=======\n{rest}>>>>>>> other\n"));
    let name = "packs/feat-a.coding.json";
    for args in [["render", name], ["explain", name], ["verify", name]] {
        let said = said(&sandbox, 5, &args);
        assert!(said.contains("conflict markers") && said.contains("then `git add`"), "{said}");
    }
    assert!(said(&sandbox, 4, &["check"]).contains("conflict markers"));
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["verify", name]);
    let item = "---\nid: feat:a\n<<<<<<< HEAD\nstatus: open\n=======\nstatus: done\n>>>>>>> other\n---\n";
    sandbox.write("work_items/a.md", item);
    let said = said(&sandbox, 3, &["build"]);
    assert!(said.contains("work_items/a.md:3") && said.contains("has conflict markers"), "{said}");
}

#[test]
fn a_pack_that_was_changed_by_hand_is_rendered_with_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("work_items/a.md", "---\nid: feat:a\n---\n\nText.\n");
    sandbox.expect(0, &["build"]);
    let name = "packs/feat-a.coding.json";
    sandbox.write(name, sandbox.read(name).replace("Text.", "Hand."));
    for command in ["render", "explain"] {
        let run = sandbox.run(&[command, name]);
        assert_eq!((run.code, run.stderr.contains("its hash does not hold")), (0, true), "{}", run.stderr);
        let run = sandbox.run(&[command, name, "--strict"]);
        assert_eq!((run.code, run.stdout.is_empty()), (5, true), "{}", run.stdout);
    }
}

#[test]
fn named_roots_are_told_of_what_concerns_them_and_equal_warnings_are_counted() {
    let sandbox = Sandbox::new();
    for n in 0..20 {
        sandbox.write(&format!("work_items/{n}.md"), format!("---\nid: task:t{n}\ndepends_on: [task:none{n}]\n---\n"));
    }
    let all = said(&sandbox, 0, &["build"]);
    assert!(
        all.contains("warning[unknown-id]: 20 times, `-v` shows all; first: ") && all.matches("-->").count() == 1,
        "{all}"
    );
    assert_eq!(said(&sandbox, 0, &["build", "-v"]).matches("-->").count(), 20);
    for command in ["build", "check"] {
        let one = said(&sandbox, 0, &[command, "task:t3"]);
        assert!(one.contains("task:none3") && !one.contains("task:none4"), "{one}");
    }
    // What is not printed does not fail a strict build either.
    sandbox.write("work_items/3.md", "---\nid: task:t3\n---\n");
    sandbox.expect(0, &["build", "task:t3", "--strict"]);
    sandbox.expect(3, &["build", "--strict"]);
}

#[test]
fn warnings_of_the_last_build_are_counted_and_new_ones_shown() {
    let mut sandbox = Sandbox::new();
    sandbox.write("work_items/a.md", "---\nid: task:a\ndepends_on: [task:none, TASK:B]\nrelated: task:no\n---\n");
    sandbox.write("work_items/b.md", "---\nid: task:b\n---\n");
    let all = said(&sandbox, 0, &["build"]);
    assert_eq!(all.matches("warning[").count(), 3, "{all}");
    let line = "3 warnings of 2 kinds, none new: `-v` shows all\n2 packs: ";
    assert!(said(&sandbox, 0, &["build"]).starts_with(line));
    // One that moved is not new.
    sandbox.write("work_items/b.md", "---\nid: task:b\nrelated: task:new\n---\n");
    let moved = sandbox.read("work_items/a.md").replace("id: task:a", "title: A\nid: task:a");
    sandbox.write("work_items/a.md", moved);
    let one = said(&sandbox, 0, &["build"]);
    assert!(one.matches("warning[").count() == 1 && one.contains("task:new"), "{one}");
    assert!(one.contains("\n3 warnings of 2 kinds that are not new: `-v` shows all\n"), "{one}");
    for args in [&["build", "-v"][..], &["check"], &["build", "--strict"]] {
        assert_eq!(sandbox.run(args).stderr.matches("no work item has the id").count(), 3, "{args:?}");
    }
    assert_eq!(sandbox.json(0, &["build", "--format", "json"])["diagnostics"].as_array().unwrap().len(), 4);
    sandbox.set_variable("CI", "true");
    assert_eq!(sandbox.run(&["build"]).stderr.matches("warning[").count(), 4);
}

#[test]
fn explain_tells_a_warning_once() {
    let sandbox = Sandbox::new();
    sandbox.write("work_items/a.md", "---\nid: task:a\ndepends_on: [task:none]\n---\n");
    assert_eq!(said(&sandbox, 0, &["explain", "task:a"]).matches("no work item has the id").count(), 1);
}

#[test]
fn wrong_usage_is_json_for_who_asks_for_json() {
    let sandbox = Sandbox::new();
    for (args, code) in [
        (&["build", "--format", "json", "--nope"][..], "bad_request"),
        (&["build", "--format=json", "feat:none"], "not_found"),
        (&["build", "--format", "json", "-p", "none"], "bad_request"),
        (&["explain", "--format", "json", "--agent", "none"], "not_found"),
    ] {
        let run = sandbox.run(args);
        let error: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, &error["error"]["exit_code"]), (2, &2.into()), "{args:?}");
        assert_eq!(error["error"]["code"], code, "{args:?}");
        assert!(
            error["error"]["message"]
                .as_str()
                .is_some_and(|message| message.contains("none") || message.contains("nope"))
        );
    }
    sandbox.write("contextpack.yml", "nope: 1\n");
    let run = sandbox.run(&["build", "--format", "json"]);
    let error: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &error["error"]["diagnostics"][0]["path"]), (3, &"contextpack.yml".into()), "{error}");
}

#[test]
fn roots_are_listed_by_state_and_completed_by_the_shell() {
    let sandbox = Sandbox::new();
    sandbox.write("work_items/a.md", "---\nid: task:a\nstatus: done\ntitle: First\n---\n");
    sandbox.write("work_items/b.md", "---\nid: task:b\nstatus: open\n---\n");
    let done = sandbox.expect(0, &["list", "--state", "done"]);
    assert!(done.contains("task:a") && !done.contains("task:b"), "{done}");
    let table = sandbox.expect(0, &["list", "--format", "table"]);
    assert!(table.starts_with("ID ") && table.lines().count() == 3, "{table}");
    sandbox.expect(0, &["build"]);
    let mut command = sandbox.command(&["--", "contextpack", "render", ""]);
    command.env("CONTEXTPACK_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "2").env("_CLAP_IFS", "\n");
    let answer = String::from_utf8(command.output().unwrap().stdout).unwrap();
    for candidate in ["task:a", "task:b", "packs/task-a.coding.json"] {
        assert!(answer.lines().any(|line| line == candidate), "{answer}");
    }
    assert!(sandbox.expect(0, &["completions", "bash"]).contains("CONTEXTPACK_COMPLETE"));
}

#[test]
fn batches_agents_boxes_logs_and_recipes_are_completed_by_the_shells() {
    let (sandbox, batch) = crate::batches::batch(1, "");
    let completed = |shell: &str, words: &[&str]| {
        let mut command = sandbox.command(&[&["--", "contextpack"], words, &[""]].concat());
        let index = (words.len() + 1).to_string();
        command.env("CONTEXTPACK_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let cases: [(&[&str], &str); 14] = [
        (&["batch", "claim"], &batch),
        (&["batch", "status"], &batch),
        (&["batch", "join"], &batch),
        (&["batch", "report", &batch, "0", "--box"], "planner"),
        (&["batch", "fork", "tasks.yml", "--box"], "planner"),
        (&["inbox", "list"], "coder"),
        (&["inbox", "put"], "coder"),
        (&["inbox", "put", "coder", "--box"], "planner"),
        (&["inbox", "put", "coder", "--root"], "feat:a"),
        (&["handover"], "ask-expert"),
        (&["handover", "delegate", "--to"], "coder"),
        (&["agent", "show"], "planner"),
        (&["box", "append"], "planner"),
        (&["box", "show"], "planner"),
    ];
    for (words, expected) in cases {
        for shell in ["bash", "zsh", "fish"] {
            let answer = completed(shell, words).replace("\\:", ":");
            // Other shells than bash are also told what it is.
            let is_named = |line: &str| {
                line == expected
                    || line.starts_with(&format!("{expected}\t"))
                    || line.starts_with(&format!("{expected}:"))
            };
            assert!(answer.lines().any(is_named), "{shell} {words:?}: {answer}");
        }
    }
    let boxes = completed("bash", &["box", "diff"]);
    assert!(boxes.lines().any(|line| line.len() == 12 && line.bytes().all(|byte| byte.is_ascii_hexdigit())), "{boxes}");
}

#[test]
fn what_is_named_wrongly_says_what_to_name() {
    let sandbox = Sandbox::configured(&[("work_items/a.md", "---\nid: task:a\nstatus: open\n---\n")]);
    sandbox.write("contextpack.yml", "output: {markdown: true}\n");
    sandbox.expect(0, &["build"]);
    for command in ["render", "explain"] {
        let run = sandbox.run(&[command, "packs/task-a.coding.md"]);
        assert!(run.code == 2 && run.stderr.contains("copy of a pack: name `packs/task-a.coding.json`"), "{run:?}");
    }
    let run = sandbox.run(&["list", "--state", "done"]);
    assert!(run.code == 0 && run.stderr.contains("no item with a pack is in this state: 1 item in others"), "{run:?}");
    for (old, new) in [("report", "'page'"), ("since", "'diff --since'"), ("dispatch", "'inbox put'")] {
        let run = sandbox.run(&[old]);
        assert!(run.code == 2 && run.stderr.contains(new), "{run:?}");
    }
    let run = sandbox.run(&["render", "task:a", "--format", "xml"]);
    assert!(
        run.code == 2 && run.stderr.contains("its formats are `text`, `json`, `messages`, `anthropic` and `parts`"),
        "{run:?}"
    );
    let run = sandbox.run(&["rendr"]);
    assert!(run.stderr.contains("'render', "), "the best is first: {run:?}");
    sandbox.write("work_items/empty.md", "\n");
    let run = sandbox.run(&["build"]);
    assert!(run.code == 0 && run.stderr.contains("`work_items/empty.md` is empty"), "{run:?}");
}

#[test]
fn failures_of_the_outside_world_are_json_as_well() {
    let sandbox = Sandbox::configured(&[]);
    for args in [&["verify", "nope"][..], &["-C", "nowhere", "list"]] {
        let run = sandbox.run(&[args, &["--format", "json"]].concat());
        let error: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, &error["error"]["exit_code"]), (1, &1.into()), "{run:?}");
        assert_eq!(error["error"]["code"], "failed", "{run:?}");
    }
    let run = sandbox.run(&["render", "--format", "json"]);
    assert!(!run.stdout.contains("For more information"), "{run:?}");
}

#[test]
fn alike_errors_are_folded_and_packs_that_failed_are_counted() {
    let sandbox = Sandbox::configured(&[]);
    for number in 10..22 {
        sandbox.write(&format!("work_items/{number}.md"), format!("---\nid: task:{number}\n---\n\nText.\n"));
    }
    let run = sandbox.run(&["build", "--max-tokens", "50"]);
    assert_eq!(run.code, 3);
    assert_eq!(run.stderr.matches("error[budget-too-small]").count(), 1, "{run:?}");
    assert!(run.stderr.contains("12 times, `-v` shows all"), "{run:?}");
    assert_eq!(run.stderr.matches("not built: packs/").count(), 5, "{run:?}");
    assert!(run.stderr.contains("not built: 7 more"), "{run:?}");
    let run = sandbox.run(&["build", "--max-tokens", "50", "-v"]);
    assert_eq!(run.stderr.matches("not built: packs/").count(), 12, "{run:?}");
}

#[test]
fn a_file_that_is_no_work_item_is_called_what_it_is() {
    let sandbox = Sandbox::with(&[
        ("work_items/one.md", "---\nid: feat:one\ntitle: One\n---\n"),
        ("work_items/twice.md", "---\nid: feat:one\ntitle: Twice\n---\n"),
        ("docs/adr/0001-one.md", "# One\n"),
        ("docs/other.md", "# Other\n"),
        ("agents/coder.md", "---\nname: Coder\n---\n"),
    ]);
    sandbox.expect(0, &["build", "-q"]);
    for (typed, what) in [
        ("docs/other.md", "`docs/other.md` exists but is no work item: no entry of `work_items` includes it"),
        ("docs", "it is a folder"),
        ("docs/adr/0001-one.md", "it is a decision, by `adrs`"),
        ("agents/coder.md", "it is an agent"),
        ("packs", "it is a folder"),
        ("..", "there is no item `..`"),
        ("../", "it is not below the root of this repo"),
        ("work_items/twice.md", "two items have this id: the id `feat:one` is taken by work_items/one.md:1"),
        ("docs/none.md", "there is no item `docs/none.md`, and no such file"),
    ] {
        let said = said(&sandbox, 2, &["ready", typed]);
        assert!(said.contains(what), "{typed}: {said}");
    }
}

#[test]
fn one_more_of_equal_warnings_is_new() {
    let sandbox = Sandbox::new();
    let line = |id: u8| format!("{{\"id\": \"j:{id}\", \"depends_on\": [\"zz\"]}}\n");
    sandbox.write("work_items/l.jsonl", line(1));
    sandbox.expect(0, &["build"]);
    sandbox.write("work_items/l.jsonl", line(1) + &line(2));
    assert_eq!(said(&sandbox, 0, &["build"]).matches("warning[").count(), 1);
}

#[test]
fn a_command_without_a_result_says_so_in_json() {
    let mut sandbox =
        Sandbox::configured(&[("work_items/a.md", "---\nid: a\ntitle: A\n---\n\nA value-of-a-secret-1.\n")]);
    sandbox.set_variable("MY_SECRET_TOKEN", "value-of-a-secret-1");
    sandbox.write("plan.json", "{\"x\": 1}");
    sandbox.write("packs/a.coding.json", "{\"schema_version\": \"context_pack/v1\"}");
    for (code, word, args) in [
        (3, "invalid_input", &["render", "a"][..]),
        (3, "invalid_input", &["explain", "a"]),
        (5, "invalid_input", &["render", "packs/a.coding.json"]),
        (2, "bad_request", &["batch", "fork", "plan.json"]),
        (2, "not_found", &["render", "nothing"]),
    ] {
        let error = sandbox.json(code, &[args, &["--format", "json"]].concat());
        let (said, exit) = (&error["error"]["code"], &error["error"]["exit_code"]);
        assert_eq!((said, exit), (&word.into(), &code.into()), "{args:?}: {error}");
        assert!(!error.to_string().contains("value-of-a-secret"), "{error}");
    }
}
