//! `stats`: what feeds packs, what no pack holds, which budgets cut, and what was delivered.

use crate::sandbox::Sandbox;
use serde_json::Value;

const ITEM: &str = "---\nid: feat:ID\ntitle: T\nstatus: open\nadrs: [1]\n---\n\nSee [it](../docs/guide.md).\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("contextpack.yml", "version: 1\n"),
        ("work_items/a.md", &ITEM.replace("ID", "a")),
        ("work_items/b.md", &ITEM.replace("ID", "b").replace("[it](../docs/guide.md)", "it")),
        ("docs/adr/0001-one.md", "# One\n\n## Decision\n\nYes.\n"),
        ("docs/adr/0002-two.md", "# Two\n\n## Decision\n\nNo.\n"),
        ("docs/guide.md", &format!("# Guide\n\n{}", "Some words of a guide.\n\n".repeat(300))),
        ("docs/other.md", "# Other\n"),
    ])
}

fn text<'a>(stats: &'a Value, name: &str) -> &'a Value {
    stats["texts"].as_array().unwrap().iter().find(|text| text["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn each_text_is_counted_with_the_packs_that_it_feeds() {
    let sandbox = sandbox();
    let before = sandbox.files();
    let stats = sandbox.json(0, &["stats", "--format", "json"]);
    assert_eq!(stats["packs"], 2);
    let adr = text(&stats, "docs/adr/0001-one.md");
    assert_eq!((&adr["kind"], &adr["packs"], &adr["whole"]), (&"adr".into(), &2.into(), &2.into()));
    assert_eq!(text(&stats, "docs/guide.md")["packs"], 1);
    let unused: Vec<&str> =
        stats["unused"].as_array().unwrap().iter().map(|text| text["path"].as_str().unwrap()).collect();
    assert_eq!(unused, ["docs/adr/0002-two.md", "docs/other.md"]);
    assert_eq!(stats["budgets"], Value::Array(Vec::new()));
    let share = |group: &str| {
        let groups = stats["groups"].as_array().unwrap();
        groups.iter().find(|it| it["group"] == group).map_or(0, |it| it["tokens"].as_u64().unwrap())
    };
    assert!(share("documents") > share("adrs") && share("adrs") > 0);
    let sections = stats["groups"].as_array().unwrap().iter().map(|it| it["sections"].as_u64().unwrap()).sum::<u64>();
    let built: Vec<_> =
        ["feat:a", "feat:b"].iter().map(|root| sandbox.json(0, &["build", root, "--out", "-"])).collect();
    assert_eq!(sections as usize, built.iter().map(|pack| pack["sections"].as_array().unwrap().len()).sum::<usize>());
    // A smaller budget cuts the guide, and says so.
    let small = sandbox.json(0, &["stats", "--max-chars", "5000", "--format", "json"]);
    assert_eq!(text(&small, "docs/guide.md")["whole"], 0);
    assert_eq!(small["budgets"][0]["root"], "feat:a");
    assert!(small["budgets"][0]["cut_chars"].as_u64().unwrap() > 3000, "{small}");
    let one = sandbox.json(0, &["stats", "feat:b", "--format", "json"]);
    assert_eq!((&one["packs"], &one["unused"]), (&1.into(), &Value::Array(Vec::new())));
    let table = sandbox.expect(0, &["stats"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let adr = rows.iter().find(|row| row.last() == Some(&"docs/adr/0001-one.md")).unwrap();
    assert_eq!((adr[0], adr[1], adr[7]), ("2", "2", "adr"), "{table}");
    assert!(table.contains("\nKIND      IN NO PACK\nadr       docs/adr/0002-two.md\n"), "{table}");
    assert!(sandbox.files() == before, "it writes nothing");
    assert!(Sandbox::configured(&[]).run(&["stats"]).stderr.contains("no items"));
}

#[test]
fn what_was_delivered_is_counted_by_what_was_in_it() {
    let sandbox = sandbox();
    sandbox.expect(0, &["agent", "new", "Coder", "--purpose", "write code"]);
    for _ in 0..2 {
        sandbox.expect(0, &["render", "feat:a", "--agent", "coder", "--record", "-q"]);
    }
    sandbox.expect(0, &["render", "feat:b", "--agent", "coder", "--record", "-q"]);
    let log = sandbox.read(".contextpack/delivered/delivered.jsonl");
    let secret = format!("ghp_{}", "a1B2c3D4e".repeat(4));
    let gone =
        format!("{{\"at\":\"2026-01-01T00:00:00Z\",\"root\":\"{secret}\",\"hash\":\"sha256:{}\"}}", "0a".repeat(32));
    sandbox.write(".contextpack/delivered/delivered.jsonl", format!("{log}{gone}\nno JSON\n"));
    let stats = sandbox.json(0, &["stats", "--format", "json"]);
    let deliveries = &stats["deliveries"];
    let counts = ["count", "packs", "lost", "unreadable"].map(|name| deliveries[name].as_u64().unwrap());
    assert_eq!(counts, [4, 3, 1, 1]);
    assert_eq!((&deliveries["roots"][0]["root"], &deliveries["roots"][0]["count"]), (&"feat:a".into(), &2.into()));
    assert_eq!(text(&stats, "docs/adr/0001-one.md")["delivered"], 3);
    assert_eq!(text(&stats, "docs/guide.md")["delivered"], 2);
    // Of named roots only their own deliveries.
    let one = sandbox.json(0, &["stats", "feat:b", "--format", "json"]);
    assert_eq!((&one["deliveries"]["count"], text(&one, "docs/guide.md")), (&1.into(), &Value::Null));
    let table = sandbox.expect(0, &["stats"]);
    assert!(!table.contains("ghp_a1") && !stats.to_string().contains("ghp_a1"));
    assert!(table.contains("1 delivered pack cannot be read any more"), "{table}");
    assert!(table.contains("1 line of the record cannot be read"), "{table}");
}

#[test]
fn what_a_pack_that_cannot_be_built_may_hold_is_unknown_and_an_item_that_is_none_has_its_reason() {
    let sandbox = sandbox();
    sandbox
        .write("work_items/a.md", ITEM.replace("ID", "a").replace("title: T", &format!("title: {}", "T".repeat(900))));
    sandbox.write("work_items/c.md", ITEM.replace("ID", "b"));
    sandbox.write(
        "work_items/b.md",
        ITEM.replace("ID", "b").replace("adrs: [1]", "adrs: [2]").replace("[it](../docs/guide.md)", "it"),
    );
    let paths = |stats: &Value, list: &str| -> Vec<String> {
        stats[list].as_array().unwrap().iter().map(|text| text["path"].as_str().unwrap().to_owned()).collect()
    };
    let stats = sandbox.json(0, &["stats", "--format", "json"]);
    assert_eq!((paths(&stats, "unknown"), &stats["failed"]), (Vec::new(), &Value::Array(Vec::new())));
    assert_eq!(paths(&stats, "unused"), ["docs/other.md", "work_items/c.md"]);
    assert_eq!(
        (&stats["unused"][1]["kind"], &stats["unused"][1]["reason"]),
        (&"work_item".into(), &"the id `feat:b` is taken by work_items/b.md:1".into())
    );
    // The title alone is too long for this limit.
    let small = sandbox.json(3, &["stats", "--max-chars", "3000", "--format", "json"]);
    assert_eq!((&small["packs"], &small["failed"]), (&1.into(), &Value::from(vec!["feat:a"])));
    assert_eq!(paths(&small, "unknown"), ["docs/adr/0001-one.md", "docs/guide.md"]);
    assert_eq!(paths(&small, "unused"), ["docs/other.md", "work_items/c.md"]);
    let table = sandbox.run(&["stats", "--max-chars", "3000"]).stdout;
    assert!(table.contains("\npacks of `feat:a` cannot be built: what they hold is not counted\n"), "{table}");
    // Of what can never be built nothing is known.
    sandbox.write("work_items/d.md", [0xff, 0xfe]);
    let stats = sandbox.json(3, &["stats", "--format", "json"]);
    assert_eq!(
        (paths(&stats, "unknown"), paths(&stats, "unused")),
        (vec!["docs/other.md".to_owned()], vec!["work_items/c.md".to_owned()])
    );
}

#[test]
fn what_all_packs_begin_with_is_marked_for_a_cache_and_counted() {
    let sandbox = Sandbox::with(&[
        (
            "contextpack.yml",
            "version: 1\noverview: docs/overview.md\ndocuments:\n  - {include: [docs/rules.md], pinned: true}\n",
        ),
        ("work_items/a.md", &ITEM.replace("ID", "a")),
        ("work_items/b.md", &ITEM.replace("ID", "b")),
        ("docs/adr/0001-one.md", "# One\n\n## Decision\n\nYes.\n"),
        ("docs/overview.md", "# What this is\n\nA cache.\n"),
        ("docs/rules.md", "# Rules\n\n- Never delete a file.\n"),
        ("docs/guide.md", "# Guide\n"),
    ]);
    let given = |root: &str| sandbox.json(0, &["render", root, "--format", "anthropic"]);
    let texts = |given: &Value| {
        let blocks = [&given["system"], &given["messages"][0]["content"]].map(|blocks| blocks.as_array().unwrap());
        blocks.into_iter().flatten().map(|block| block["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (a, b) = (given("feat:a"), given("feat:b"));
    assert_eq!(texts(&a).concat(), sandbox.expect(0, &["render", "feat:a"]));
    assert_eq!((texts(&a).len(), &texts(&a)[..2]), (3, &texts(&b)[..2]));
    assert!(
        texts(&a)[1].contains("A cache.")
            && texts(&a)[1].contains("Never delete")
            && texts(&a)[2].starts_with("<section id=\"root.")
    );
    let marks = [&a["system"][0], &a["messages"][0]["content"][0], &a["messages"][0]["content"][1]];
    assert_eq!(marks.map(|block| block["cache_control"]["type"] == "ephemeral"), [true, true, false]);
    let stats = sandbox.json(0, &["stats", "--format", "json"]);
    let share = |group: &str| {
        let groups = stats["groups"].as_array().unwrap();
        groups.iter().find(|it| it["group"] == group).map_or(0, |it| it["tokens"].as_u64().unwrap())
    };
    let shared = stats["shared_tokens"].as_u64().unwrap();
    assert!(
        shared > share("instructions")
            && shared < stats["groups"].as_array().unwrap().iter().map(|it| it["tokens"].as_u64().unwrap()).sum()
    );
    // Without an overview and pinned documents there is one mark; and OpenAI's form is that of messages.
    let plain = self::sandbox();
    assert_eq!(texts(&plain.json(0, &["render", "feat:a", "--format", "anthropic"])).len(), 2);
    let [openai, messages] =
        ["openai", "messages"].map(|form| plain.expect(0, &["render", "feat:a", "--format", form]));
    assert_eq!(openai, messages);
}

#[test]
fn what_deliverables_cite_is_counted() {
    let sandbox = sandbox();
    let add = |kind: &str, text: &str| {
        sandbox.expect(0, &["card", "add", "--type", kind, "--author", "coder", "--text", text])
    };
    let ids = [
        add("task.deliverable", "Done, by `adr.docs/adr/0001-one.md` and docs/guide.md."),
        add(
            "task.deliverable",
            "See [the decision](docs/adr/0001-one.md#decision), not xdocs/guide.md, docs/guide.md.bak or docs/guide.md/x.",
        ),
        add("agent.thought", "docs/guide.md"),
    ];
    ids.iter().for_each(|id| drop(sandbox.expect(0, &["box", "append", "coder", id.trim()])));
    let stats = sandbox.json(0, &["stats", "--format", "json"]);
    let cited = |name: &str| text(&stats, name)["cited"].as_u64().unwrap();
    assert_eq!((cited("docs/adr/0001-one.md"), cited("docs/guide.md")), (2, 1));
    // One that is damaged is named, and stops none.
    let (path, _) = sandbox.files().into_iter().find(|(path, _)| path.starts_with("context/cards/")).unwrap();
    sandbox.write(&path, "{}");
    let run = sandbox.run(&["stats"]);
    assert!(
        run.code == 0 && run.stderr.contains("warning: ") && run.stderr.contains("context/cards/"),
        "{}",
        run.stderr
    );
}
