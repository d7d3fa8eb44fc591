//! `explain` says why something is not in a pack, and what more budget buys.

use crate::cli::small;
use crate::sandbox::Sandbox;
use serde_json::Value;
use std::fs;

/// A feature with six children that are too long for a small budget.
fn large() -> Sandbox {
    let sandbox = small();
    let text: String = (0..40).map(|n| format!("Sentence {n} is here to take room.\n")).collect();
    for n in 1..=6 {
        let item = format!("---\nid: task:s{n}\ntitle: Step {n}\nparent: feat:cache\n---\n\n{text}");
        sandbox.write(&format!("work_items/s{n}.md"), item);
    }
    sandbox.write("docs/adr/0009-lonely.md", "# 9. Lonely\n");
    sandbox.write("work_items/far.md", "---\nid: task:far\ntitle: Far\nblocks: feat:cache\n---\n");
    sandbox
}

fn why(sandbox: &Sandbox, root: &str, asked: &str, more: &[&str]) -> Value {
    sandbox.json(0, &[&["explain", root, "--why-not", asked, "--format", "json"], more].concat())
}

#[test]
fn why_something_is_not_in_a_pack_is_said() {
    let sandbox = large();
    sandbox.write(".gitignore", "hidden.md\n");
    sandbox.write("hidden.md", "# Hidden\n");
    for (root, asked, answer, section) in [
        ("feat:cache", "docs/adr/0007-cache.md", "in", "adr.docs/adr/0007-cache.md"),
        ("feat:cache", "task:s3", "in", "child.task:s3"),
        ("feat:cache", "work_items/s3.md", "in", "child.task:s3"),
        ("feat:cache", "feat:cache", "in", "root.issue"),
        ("task:store", "feat:cache", "listed", ""),
        ("epic:speed", "task:s3", "unrelated", ""),
        ("epic:speed", "docs/adr/0009-lonely.md", "unreferenced", ""),
        ("feat:cache", "ADR-7", "in", "adr.docs/adr/0007-cache.md"),
        ("epic:speed", "adr 9", "unreferenced", ""),
        ("epic:speed", "ADR-99", "unknown", ""),
        ("epic:speed", "hidden.md", "not_listed", ""),
        ("epic:speed", "docs/none.md", "unknown", ""),
        ("epic:speed", "docs/adr", "unknown", ""),
        ("epic:speed", "../outside.md", "unknown", ""),
    ] {
        let value = why(&sandbox, root, asked, &[]);
        assert_eq!(
            (&value["answer"], value["section"].as_str().unwrap_or_default()),
            (&answer.into(), section),
            "{value}"
        );
    }
    sandbox.write("LICENSE.md", "Free\n");
    sandbox.write("Makefile", "all:\n");
    sandbox.write(".env", "A=1\n");
    sandbox.write("docs/id_rsa", "x\n");
    sandbox.write("keys/id_rsa", "x\n");
    let text = "---\nid: task:names\ntitle: Names\n---\n\nSee `Makefile`, .env, docs/id_rsa and [the licence](../LICENSE.md).\n";
    sandbox.write("work_items/names.md", text);
    sandbox.commit();
    for (root, asked, answer, message) in [
        (
            "task:names",
            "LICENSE.md",
            "left_out",
            "it was left out: it is boilerplate, such as a licence, and only named in passing",
        ),
        ("task:names", ".env", "left_out", "it was left out: its name is one that is never opened (`*.env`)"),
        ("task:names", "docs/id_rsa", "left_out", "it was left out: its name is one that is never opened (`id_rsa*`)"),
        ("task:names", "keys/id_rsa", "not_listed", "its name is one that is never opened (`id_rsa*`)"),
        ("epic:speed", "id_rsa", "not_listed", "its name is one that is never opened (`id_rsa*`)"),
        ("epic:speed", ".ssh/known", "not_listed", "its name is one that is never opened (`.ssh`)"),
        ("epic:speed", "hidden.md", "not_listed", "git ignores it, or it is in a folder that is no input"),
        ("epic:speed", "LICENSE.md", "unreferenced", "nothing in `epic:speed` refers to it"),
    ] {
        let value = why(&sandbox, root, asked, &[]);
        assert_eq!((&value["answer"], &value["message"]), (&answer.into(), &message.into()), "{root} {asked}");
    }
    assert_eq!(why(&sandbox, "task:names", "./Makefile", &[])["section"], "code.Makefile");
    assert_eq!(why(&sandbox, "epic:speed", "docs/adr", &[])["message"], "`docs/adr` is a folder; name a file");
    let far = why(&sandbox, "epic:speed", "task:s3", &[]);
    assert_eq!(far["message"], "it is 2 steps away, by way of `feat:cache`; a pack goes one step");
    assert!(sandbox.expect(0, &["explain", "epic:speed", "--why-not", "task:s3"]).contains("  help: add a relation"));
}

#[test]
fn shares_are_of_what_the_limit_counts_and_a_margin_is_no_room() {
    let sandbox = small();
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_tokens: 1200, margin: 10%}}}\n");
    let value = sandbox.json(0, &["explain", "feat:cache", "--format", "json"]);
    let number = |value: &Value| value.as_u64().unwrap();
    let tokens = &value["budget"][2];
    assert_eq!((number(&tokens["limit"]), number(&tokens["margin"]), number(&tokens["room"])), (1200, 10, 1080));
    let used = number(&tokens["used"]);
    let text = sandbox.expect(0, &["explain", "feat:cache"]);
    assert!(text.contains(&format!(" {used} of 1,080 tokens (1,200 less a margin of 10 %), ")), "{text}");
    let first = text.lines().find(|line| line.starts_with("  instructions ")).unwrap();
    let share = number(&value["sections"][0]["tokens"]) * 100 / used;
    assert!(first.contains(&format!(" {share} % ")), "{first}");
}

#[test]
fn what_the_budget_keeps_out_is_told_with_the_limit_that_lets_it_in() {
    let sandbox = large();
    let value = why(&sandbox, "feat:cache", "task:s6", &["--max-chars", "3000"]);
    assert_eq!((&value["answer"], &value["section"]), (&"left_out".into(), &"child.task:s6".into()), "{value}");
    let needs = value["needs"].as_u64().unwrap();
    let has = |limit: u64| {
        sandbox.expect(0, &["render", "feat:cache", "--max-chars", &limit.to_string()]).contains("id=\"child.task:s6\"")
    };
    assert!(has(needs) && !has(needs - 1), "{needs}");
}

#[test]
fn each_step_of_budget_says_what_it_buys_and_what_comes_next() {
    let sandbox = large();
    let value = sandbox.json(0, &["explain", "feat:cache", "--at", "6k,3000,12k,1k", "--format", "json"]);
    let steps = value["steps"].as_array().unwrap();
    let limits: Vec<u64> = steps.iter().map(|step| step["limit"].as_u64().unwrap()).collect();
    assert_eq!((limits, &value["unit"]), (vec![1000, 3000, 6000, 12_000], &"chars".into()));
    assert!(steps[0]["error"].as_str().unwrap().contains("the smallest that works"), "{value}");
    assert!(steps[1]["left_out"].as_u64().unwrap() > 0);
    let next = &steps[1]["next"];
    let render = |limit: u64| sandbox.expect(0, &["render", "feat:cache", "--max-chars", &limit.to_string()]);
    let (id, limit) = (format!("id=\"{}\"", next["id"].as_str().unwrap()), next["limit"].as_u64().unwrap());
    assert!(render(limit).contains(&id) && !render(limit - 1).contains(&id), "{next}");
    assert!(steps[2]["buys"].as_array().unwrap().iter().any(|it| it["title"] == "Step 1"), "{value}");
    assert!(steps[3]["buys"].as_array().unwrap().iter().any(|it| it["before"] == "excerpt" && it["detail"] == "full"));
    let text = sandbox.expect(0, &["explain", "feat:cache", "--at", "3k"]);
    assert!(text.contains("\n3,000: ") && text.contains("\n  next: "), "{text}");
    sandbox.expect(2, &["explain", "feat:cache", "--at", "many"]);
    sandbox.expect(2, &["explain", "feat:cache", "--at", "4k", "--max-bytes", "9"]);
    let unit = sandbox.json(0, &["explain", "feat:cache", "--at", "2k", "--max-tokens", "4k", "--format", "json"]);
    assert_eq!((&unit["unit"], unit["steps"].as_array().unwrap().len()), (&"tokens".into(), 2));
    let tokens = sandbox.json(0, &["explain", "feat:cache", "--at", "2k", "--format", "json"]);
    assert_eq!(tokens["unit"], "chars");
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_tokens: 4000}}}\n");
    let tokens = sandbox.json(0, &["explain", "feat:cache", "--at", "2k", "--format", "json"]);
    assert_eq!(tokens["unit"], "tokens");
    assert!(tokens["steps"][0]["used"].as_u64().unwrap() <= 2000);
}

#[test]
fn a_finished_pack_is_explained_without_its_repo() {
    let sandbox = small();
    let pack = sandbox.expect(0, &["build", "feat:cache", "--out", "-"]);
    let with_repo = sandbox.expect(0, &["explain", "feat:cache"]);
    let away = Sandbox::new();
    fs::write(away.beside("home/pack.json"), pack).unwrap();
    let home = away.beside("home").display().to_string();
    assert_eq!(away.expect(0, &["-C", &home, "explain", "pack.json"]), with_repo);
    let said = away.expect(0, &["-C", &home, "explain", "pack.json", "--why-not", "docs/adr/0007-cache.md"]);
    assert!(said.contains("it is in, as `adr.docs/adr/0007-cache.md`"), "{said}");
    let said = away.expect(0, &["-C", &home, "explain", "pack.json", "--why-not", "task:x"]);
    assert!(said.contains("the pack does not mention it") && said.contains("contextpack explain feat:cache"), "{said}");
    away.expect(2, &["-C", &home, "explain", "pack.json", "--at", "4k"]);
}
