//! Packs for an agent: what each holds, in which order, and what it must not hold.

use crate::sandbox::Sandbox;
use serde_json::Value;

pub(crate) const CONFIG: &str = "\
version: 1
documents:
  - include: [\"knowledge/**/*.md\"]
overview: docs/overview.md
context: {pinned: 2, relevant: 2}
jobs:
  daily: {agent: research, schedule: \"0 7 * * 1-5\", intent: daily_brief, policy: minimal, instructions: jobs/daily.md}
  fix: {agent: research, root: \"feat:root\", instructions: jobs/daily.md}
";

/// What stands below the front matter of documents with secrets.
pub(crate) const CANARY: &str = "canary-of-the-vault";

/// A repo with two agents and documents of each scope.
pub(crate) fn office() -> Sandbox {
    let secret =
        |front: &str| format!("---\ntitle: Keys of {front}\n{front}\n---\n# {CANARY}\n\nNever say {CANARY}.\n");
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", CONFIG),
        ("docs/overview.md", "# Depot\n\nThe depot keeps parcels.\n"),
        (
            "agents/research.md",
            "---\nname: Research Lead\npurpose: find out how uploads fail in tunnels\n---\nYou read before you write.\n",
        ),
        ("agents/ops.md", "---\nname: Ops\nkey: agent:ops:blue\n---\nYou keep it running.\n"),
        ("jobs/daily.md", "# Daily\n\nSay what changed.\n"),
        (
            "work_items/feat-root.md",
            "---\nid: feat:root\ntitle: Receive uploads in parts\ndepends_on: task:list\n---\nUploads fail.\n\n\
             See knowledge/parts.md, knowledge/ops/deploy.md and knowledge/keys.md.\n",
        ),
        ("work_items/task-list.md", "---\nid: task:list\ntitle: List the parts\n---\nThe list of uploads.\n"),
        ("knowledge/a-global.md", "---\npinned: true\nweight: 1\n---\n# House rules\n\nNever push on Fridays.\n"),
        ("knowledge/b-global.md", "---\npinned: true\nweight: 5\n---\n# Style\n\nAlways write short texts.\n"),
        ("knowledge/research/own.md", "---\nagent: research\npinned: true\n---\n# Own rules\n\nAlways cite.\n"),
        ("knowledge/ops/deploy.md", "---\nagent: ops\n---\n# Deploy of uploads\n\nUploads of ops must be blue.\n"),
        ("knowledge/ops/pinned.md", "---\nscope: agent:ops\npinned: true\n---\n# Blue rules\n\nOps must be blue.\n"),
        ("knowledge/parts.md", "---\npinned: true\nweight: 9\n---\n# Parts\n\nParts arrive in any order.\n"),
        ("knowledge/tunnels.md", "# Tunnels\n\nUploads fail in tunnels, since the gateway drops parts.\n"),
        ("knowledge/uploads.md", "# Uploads\n\nUploads are stored once.\n"),
        ("knowledge/zebra.md", "# Zebra\n\nStripes help nobody.\n"),
    ]);
    sandbox.write("knowledge/keys.md", secret("sensitivity: contains_secrets"));
    sandbox.write("knowledge/access.md", secret("doc_type: credentials\npinned: true\nweight: 8"));
    sandbox.commit();
    sandbox
}

/// The pack that `build` prints.
pub(crate) fn pack(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.json(0, &[&["build"], args].concat())
}

pub(crate) fn ids(pack: &Value) -> Vec<&str> {
    pack["sections"].as_array().unwrap().iter().map(|section| section["id"].as_str().unwrap()).collect()
}

pub(crate) fn section<'a>(pack: &'a Value, id: &str) -> &'a Value {
    let sections = pack["sections"].as_array().unwrap();
    sections.iter().find(|section| section["id"] == id).unwrap_or_else(|| panic!("no {id}: {:?}", ids(pack)))
}

/// Ids and reasons of what the pack could have held.
pub(crate) fn omitted(pack: &Value) -> Vec<(&str, &str)> {
    let omissions = pack["omissions"].as_array().unwrap();
    omissions.iter().map(|left| (left["id"].as_str().unwrap(), left["reason"].as_str().unwrap())).collect()
}

#[test]
fn each_policy_holds_what_its_name_says_in_one_order() {
    let sandbox = office();
    let of = |policy: &str| pack(&sandbox, &["feat:root", "--agent", "research", "--policy", policy]);
    let root = ["root.issue", "root.json", "root.edges"];
    let minimal = of("minimal");
    assert_eq!(ids(&minimal), [&["instructions", "agent", "overview", "changes"], &root[..]].concat());
    let left = omitted(&minimal);
    for id in ["dependency.task:list", "doc.knowledge/research/own.md", "doc.knowledge/tunnels.md"] {
        assert!(left.contains(&(id, "policy")), "{id}: {left:?}");
    }

    let default = of("default");
    let pinned = ["doc.knowledge/access.md", "doc.knowledge/research/own.md"];
    let first = [&["instructions", "agent", "overview"], &pinned[..]].concat();
    assert_eq!(ids(&default)[..5], first);
    assert!(ids(&default).contains(&"dependency.task:list") && ids(&default).contains(&"file.knowledge/parts.md"));
    assert!(omitted(&default).contains(&("doc.knowledge/tunnels.md", "policy")));
    assert!(!ids(&default).contains(&"doc.knowledge/tunnels.md"));

    let expanded = of("expanded");
    let (last, before) = (ids(&expanded), ids(&default));
    assert_eq!(last[..before.len()], before);
    assert_eq!(last[before.len()..], ["doc.knowledge/tunnels.md", "doc.knowledge/uploads.md"]);
    let found = section(&expanded, "doc.knowledge/tunnels.md");
    assert_eq!((found["provenance"].as_str(), found["metadata"]["rank"].as_u64()), (Some("relevant"), Some(1)));
    assert!(found["metadata"]["matched"].as_array().unwrap().contains(&"upload".into()), "{found}");
    for pack in [&minimal, &default, &expanded] {
        assert_eq!(pack["agent"], serde_json::json!({"key": "agent:research:main", "name": "Research Lead"}));
    }
    assert_eq!(expanded["policy"], "expanded");
}

#[test]
fn the_policy_is_that_of_the_command_the_job_the_agent_or_the_configuration() {
    let sandbox = office();
    let policy = |args: &[&str]| pack(&sandbox, args)["policy"].as_str().unwrap().to_owned();
    assert_eq!(policy(&["--agent", "ops"]), "default");
    sandbox.write("contextpack.yml", CONFIG.replace("relevant: 2", "relevant: 2, policy: minimal"));
    assert_eq!(policy(&["--agent", "ops"]), "minimal");
    sandbox.write("agents/ops.md", "---\npolicy: expanded\n---\nSoul.\n");
    assert_eq!(policy(&["--agent", "ops"]), "expanded");
    assert_eq!(policy(&["--agent", "ops", "--policy", "default"]), "default");
    let job = |args: &[&str]| sandbox.json(0, &[&["agent", "job", "daily", "--format", "json"], args].concat());
    assert_eq!(job(&[])["policy"], "minimal");
    assert_eq!(job(&["--policy", "expanded"])["policy"], "expanded");
}

#[test]
fn pinned_documents_have_an_order_and_a_limit() {
    let sandbox = office();
    let pinned = |limit: u32| {
        sandbox.write("contextpack.yml", CONFIG.replace("pinned: 2", &format!("pinned: {limit}")));
        let pack = pack(&sandbox, &["--agent", "research"]);
        let is_note = |id: &&str| id.starts_with("doc.");
        let shown: Vec<String> = ids(&pack).into_iter().filter(is_note).map(str::to_owned).collect();
        let left = omitted(&pack).into_iter().filter(|(_, reason)| *reason == "limit").map(|(id, _)| id.to_owned());
        (shown, left.collect::<Vec<_>>())
    };
    let named = |names: &[&str]| names.iter().map(|name| format!("doc.knowledge/{name}.md")).collect::<Vec<_>>();
    let all = ["parts", "access", "b-global", "a-global", "research/own"];
    assert_eq!(pinned(9), (named(&all), vec![]));
    // The agent's own is taken first and shown last.
    let (shown, mut left) = pinned(3);
    left.sort();
    assert_eq!((shown, left), (named(&["parts", "access", "research/own"]), named(&["a-global", "b-global"])));
    assert_eq!(pinned(1).0, named(&["research/own"]));
    assert_eq!(pinned(0).1.len(), 5);
}

#[test]
fn another_agents_documents_are_named_by_path_and_only_where_the_root_names_them() {
    let sandbox = office();
    for policy in ["minimal", "default", "expanded"] {
        let all = sandbox.expect(0, &["build", "feat:root", "--agent", "research", "--policy", policy])
            + &sandbox.expect(0, &["render", "feat:root", "--agent", "research", "--policy", policy])
            + &sandbox.expect(0, &["explain", "feat:root", "--agent", "research", "--policy", policy]);
        for text in ["Deploy of uploads", "must be blue", "Blue rules", "ops/pinned.md"] {
            assert!(!all.contains(text), "{policy}: {text}");
        }
    }
    let own = pack(&sandbox, &["feat:root", "--agent", "research"]);
    assert!(omitted(&own).contains(&("file.knowledge/ops/deploy.md", "other_agent")), "{:?}", omitted(&own));
    // A pack without an agent holds none of any agent; the agent itself has all of its own.
    let without = pack(&sandbox, &["feat:root", "--out", "-"]);
    assert!(omitted(&without).contains(&("file.knowledge/ops/deploy.md", "other_agent")));
    assert!(!without.to_string().contains("Always cite"));
    let its = pack(&sandbox, &["feat:root", "--agent", "AGENT:OPS"]);
    assert!(section(&its, "file.knowledge/ops/deploy.md")["content"].as_str().unwrap().contains("must be blue"));
    assert!(ids(&its).contains(&"doc.knowledge/ops/pinned.md"));
}

#[test]
fn a_document_that_the_root_refers_to_stands_once_and_does_not_count_as_pinned() {
    let sandbox = office();
    let pack = pack(&sandbox, &["feat:root", "--agent", "research", "--policy", "expanded"]);
    let of = |name: &str| ids(&pack).into_iter().filter(|id| id.contains(name)).collect::<Vec<_>>();
    assert_eq!(of("knowledge/parts.md"), ["file.knowledge/parts.md"]);
    assert_eq!(of("knowledge/keys.md"), ["doc.knowledge/keys.md"]);
    assert!(!omitted(&pack).iter().any(|(id, _)| id.contains("parts.md") || id.contains("keys.md")));
}

#[test]
fn documents_with_secrets_are_named_and_never_read() {
    let sandbox = office();
    let also = |name: &str, front: &str| {
        sandbox.write(name, format!("---\npinned: true\n{front}\n---\n# {CANARY}\n\nNever say {CANARY}.\n"));
    };
    also("knowledge/typo.md", "sensitivity: contain_secrets");
    also("knowledge/kind.md", "doc_type: credential");
    also("knowledge/list.md", "sensitivity: [contains_secrets]");
    also("knowledge/upper.md", "Sensitivity: contains_secrets");
    sandbox.write("knowledge/open.md", format!("---\nsensitivity: contains_secrets\n# {CANARY}\n\nSay {CANARY}.\n"));
    sandbox.write("vault/x.md", format!("# {CANARY}\n"));
    sandbox.write(
        "contextpack.yml",
        CONFIG
            .replace("overview:", "  - {include: [\"vault/**\"], type: credentials, pinned: true}\noverview:")
            .replace("pinned: 2", "pinned: 50"),
    );
    let refers = "\nkeys.md#say, [k](../knowledge/keys.md#of-the-vault), knowledge/keys.md:5, vault/x.md.\n";
    sandbox.write("work_items/feat-root.md", sandbox.read("work_items/feat-root.md") + refers);
    sandbox.commit();
    let mut said = String::new();
    for args in [
        &["build"][..],
        &["build", "--agent", "research"],
        &["build", "feat:root", "--agent", "research", "--policy", "expanded"],
        &["explain", "feat:root", "--agent", "research", "--policy", "expanded"],
        &["explain", "feat:root"],
        &["render", "--agent", "research", "--format", "json", "--record"],
        &["agent", "list"],
        &["agent", "show", "research", "--format", "json"],
        &["check"],
        &["list"],
        &["agent", "job", "daily"],
    ] {
        let run = sandbox.run(args);
        assert!([0, 3].contains(&run.code), "{args:?}: {run:?}");
        said += &(run.stdout + &run.stderr);
    }
    assert!(!said.contains(CANARY), "{said}");
    let named = ["knowledge/keys.md", "knowledge/access.md", "knowledge/typo.md", "vault/x.md"];
    assert!(named.iter().all(|name| said.contains(name)));
    let is_source = |path: &str| path.starts_with("knowledge/") || path.starts_with("vault/");
    for (path, bytes) in sandbox.files().iter().filter(|(path, _)| !is_source(path)) {
        let has = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!has, "{path}");
    }
    let pack = sandbox.json(3, &["build", "feat:root", "--agent", "research", "--format", "json"]);
    let content = section(&pack, "doc.knowledge/keys.md")["content"].as_str().unwrap();
    let expected = "Keys of sensitivity: contains_secrets (general, holds secrets and is not read): knowledge/keys.md";
    assert_eq!(content.trim(), expected);
}

#[test]
fn a_document_with_secrets_is_neither_a_work_item_nor_a_body_nor_instructions() {
    let sandbox = office();
    let secret =
        format!("---\nid: feat:vault\ntitle: Vault\ntype: credentials\n---\n# {CANARY}\n\nNever say {CANARY}.\n");
    sandbox.write("work_items/vault.md", &secret);
    sandbox.write("boxes/one/item.yml", "id: feat:body\ntitle: Body\n");
    sandbox.write("boxes/one/vault.md", &secret);
    sandbox.write("agents/vault.md", &secret);
    sandbox.write("jobs/vault.md", &secret);
    let config = CONFIG.replace("[\"knowledge/**/*.md\"]", "[\"**/vault.md\", \"knowledge/**/*.md\"]").replace(
        "jobs:\n",
        "work_items: [{include: [\"work_items/*.md\"]}, {include: [\"boxes/*/item.yml\"], body_file: vault.md}]\n\
             profiles: {other: {instructions: jobs/vault.md}, coding: {}}\n\
             jobs:\n  vault: {agent: ops, instructions: jobs/vault.md}\n",
    );
    sandbox.write("contextpack.yml", config);
    sandbox.commit();
    let build = sandbox.run(&["build"]);
    assert_eq!(build.code, 3, "{build:?}");
    for part in ["work_items/vault.md` is a document that holds secrets, so that it is no work item", "agents/vault.md"]
    {
        assert!(build.stderr.contains(part), "{part}: {build:?}");
    }
    assert!(sandbox.has("packs/feat-root.coding.json"));
    for args in [
        &["render", "feat:vault"][..],
        &["render", "feat:body"],
        &["render", "--agent", "vault"],
        &["render", "feat:root", "--profile", "other"],
        &["agent", "job", "vault"],
        &["list"],
        &["explain", "feat:root"],
    ] {
        let run = sandbox.run(args);
        assert!(!(run.stdout + &run.stderr).contains(CANARY), "{args:?}");
    }
    for (path, bytes) in sandbox.files().iter().filter(|(path, _)| !path.ends_with("/vault.md")) {
        let has = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!has || path.starts_with("knowledge/"), "{path}");
    }
}

#[test]
fn a_session_begins_without_a_root_and_says_that_there_is_no_task() {
    let sandbox = office();
    let pack = pack(&sandbox, &["--agent", "research", "--policy", "expanded"]);
    assert_eq!(pack["root"]["work_item_id"], "agent:research:main");
    assert_eq!(pack["root"]["title"], "Research Lead");
    assert_eq!(ids(&pack)[..3], ["instructions", "agent", "overview"]);
    assert!(ids(&pack).contains(&"doc.knowledge/tunnels.md"), "the purpose is searched for: {:?}", ids(&pack));
    assert!(section(&pack, "instructions")["content"].as_str().unwrap().contains("No task"));
    assert_eq!(
        section(&pack, "agent")["content"].as_str().unwrap().trim(),
        "You read before you write.\n\nYour key is `agent:research:main`."
    );
    let instructions = sandbox.expect(0, &["render", "--agent", "research", "--part", "instructions"]);
    assert!(instructions.contains("You read before you write.") && !instructions.contains("parcels"));
    assert!(sandbox.expect(0, &["render", "--agent", "research", "--part", "context"]).contains("parcels"));
    sandbox.expect(2, &["render"]);
}

#[test]
fn a_job_gives_the_agents_context_with_the_instructions_at_its_end() {
    let sandbox = office();
    let printed = sandbox.json(0, &["agent", "job", "fix", "--format", "parts"]);
    let pack = &printed["contextPack"];
    assert_eq!((&pack["job"], &pack["root"]["work_item_id"]), (&"fix".into(), &"feat:root".into()));
    assert_eq!(ids(pack).last(), Some(&"job"));
    let text = sandbox.expect(0, &["agent", "job", "fix"]);
    assert_eq!(text, printed["markdown"].as_str().unwrap());
    assert_eq!(text, [&printed["instructions"], &printed["context"]].map(|part| part.as_str().unwrap()).concat());
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}"));
    assert!(at("Uploads fail.") < at("Say what changed."));
    let messages = sandbox.json(0, &["agent", "job", "fix", "--format", "messages"]);
    let expected = [("system", &printed["instructions"]), ("user", &printed["context"])];
    let expected = expected.map(|(role, content)| serde_json::json!({"role": role, "content": content}));
    assert_eq!(messages, serde_json::json!(expected));
    let listed = sandbox.json(0, &["agent", "job", "--format", "json"]);
    let daily = &listed["jobs"][0];
    assert_eq!(
        (&daily["name"], &daily["agent"], &daily["intent"]),
        (&"daily".into(), &"research".into(), &"daily_brief".into())
    );
    assert!(daily["next"].as_str().unwrap().ends_with("T07:00:00Z"), "{daily}");
    let unknown = sandbox.run(&["agent", "job", "dayly"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean `daily`?"), "{unknown:?}");
}

#[test]
fn packs_for_an_agent_are_never_written_into_the_output_folder() {
    let sandbox = office();
    let written = sandbox.expect(0, &["build", "feat:root", "--agent", "research", "--out", "given", "-p", "coding"]);
    assert_eq!(written.trim(), "given/feat-root.coding@research.json");
    sandbox.expect(0, &["build", "--agent", "research", "--out", "given", "-p", "coding"]);
    assert!(sandbox.has("given/agent-research-main.coding@research.json"));
    sandbox.expect(0, &["verify", "given"]);
    for out in ["packs", "packs/deeper", "./x/../packs"] {
        let run = sandbox.run(&["build", "feat:root", "--agent", "research", "--out", out]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("change with every commit"), "{run:?}");
    }
    assert!(!sandbox.has("packs"));
}

#[test]
fn what_an_agent_cannot_do_without_never_leaves() {
    let sandbox = office();
    for args in [&["agent", "job", "daily"][..], &["agent", "job", "fix"], &["render", "--agent", "research"]] {
        for option in ["--max-chars", "--max-tokens", "--max-bytes"] {
            let small = sandbox.run(&[args, &[option, "10"]].concat());
            assert_eq!(small.code, 3, "{small:?}");
            let (_, rest) = small.stderr.split_once("the smallest that works is `").unwrap();
            let smallest: String =
                rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
            let text = sandbox.expect(0, &[args, &[option, &smallest]].concat());
            assert!(text.contains("You read before you write."), "{text}");
            assert!(args[0] != "agent" || text.contains("Say what changed."), "{text}");
            let less = (smallest.parse::<u64>().unwrap() - 1).to_string();
            sandbox.expect(3, &[args, &[option, &less]].concat());
        }
    }
}

#[test]
fn packs_without_an_agent_hold_overview_and_global_pinned_documents_and_no_more() {
    let sandbox = office();
    let pack = pack(&sandbox, &["feat:root", "--out", "-"]);
    assert_eq!(ids(&pack)[..4], ["instructions", "overview", "doc.knowledge/access.md", "doc.knowledge/b-global.md"]);
    for id in ["agent", "changes", "job", "doc.knowledge/tunnels.md", "doc.knowledge/research/own.md"] {
        assert!(!ids(&pack).contains(&id), "{id}");
    }
    assert!(pack.get("agent").is_none() && pack.get("policy").is_none());
    assert!(!omitted(&pack).iter().any(|(_, reason)| *reason == "policy"));
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    sandbox.expect(0, &["check"]);
}

#[test]
fn a_large_pinned_document_gives_its_first_rules_whole_and_empties_no_pack() {
    let rule =
        |n| format!("Never do the forbidden thing number {n}, {}.", ["since it breaks one more part"; 8].join(", "));
    let rules: Vec<String> = (0..70).map(rule).collect();
    let item = "---\nid: feat:a\ntitle: A\ndepends_on: task:b\n---\nDo it, as docs/overview.md says.\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "overview: docs/overview.md\ndocuments: [{include: [\"knowledge/*.md\"], pinned: true}]\n"),
        ("docs/overview.md", "# Shop\n\nThe shop sells tea.\n"),
        ("knowledge/rules.md", &format!("# Rules\n\n- {}\n", rules.join("\n- "))),
        ("work_items/a.md", item),
        ("work_items/b.md", "---\nid: task:b\ntitle: B\n---\nThe list.\n"),
    ]);
    sandbox.commit();
    for (limit, least) in [("5000", 3), ("8000", 9), ("12000", 20), ("40000", 60)] {
        let pack = pack(&sandbox, &["feat:a", "--out", "-", "--max-chars", limit]);
        let notes = section(&pack, "doc.knowledge/rules.md")["content"].as_str().unwrap();
        let shown: Vec<&str> = notes.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        assert!(
            shown.len() >= least && shown.iter().zip(&rules).all(|(shown, rule)| shown == rule),
            "{limit}: {notes}"
        );
        assert_eq!(
            notes.contains("10 more rules that bind you are in knowledge/rules.md."),
            limit == "40000",
            "{notes}"
        );
        assert_eq!(notes.contains(" characters omitted: knowledge/rules.md]"), limit != "40000", "{notes}");
        assert!(omitted(&pack).contains(&("doc.knowledge/rules.md#rules", "limit")), "{:?}", omitted(&pack));
        assert_eq!(section(&pack, "dependency.task:b")["metadata"]["detail"], "full");
        // The overview, which the root names too, is there once.
        assert!(!ids(&pack).contains(&"file.docs/overview.md") && ids(&pack).contains(&"overview"), "{:?}", ids(&pack));
        let (used, limit) = (pack["budget"]["used_chars"].as_u64().unwrap(), limit.parse::<u64>().unwrap());
        assert!(used <= limit && (limit == 40_000 || used * 100 >= limit * 93), "{used} of {limit}");
    }
}

#[test]
fn a_part_of_a_pinned_document_that_is_referred_to_takes_no_rule_away() {
    let sandbox = office();
    let text = "---\npinned: true\nweight: 9\n---\n# Ads\n\n## Rules\n\nNever pause.\n\n## Section 7\n\nColours.\n";
    sandbox.write("knowledge/parts.md", text);
    let root = sandbox.read("work_items/feat-root.md");
    for (written, both) in [("knowledge/parts.md#section-7", true), ("knowledge/parts.md", false)] {
        sandbox.write("work_items/feat-root.md", root.replace("knowledge/parts.md", written));
        let pack = pack(&sandbox, &["feat:root", "--agent", "research"]);
        assert_eq!(ids(&pack).contains(&"doc.knowledge/parts.md"), both, "{written}: {:?}", ids(&pack));
        assert!(pack.to_string().contains("Never pause"), "{written}");
    }
}

#[test]
fn what_is_no_text_and_what_conflicts_in_the_file_of_an_agent_is_an_error() {
    for (field, says) in [("policy: [minimal]", "`policy` is no text"), ("key: {a: b}", "`key` is no text")] {
        let sandbox = office();
        sandbox.write("agents/ops.md", format!("---\n{field}\n---\nSoul.\n"));
        let run = sandbox.run(&["agent", "list"]);
        assert!(run.code == 3 && run.stderr.contains(says) && run.stderr.contains("agents/ops.md:2"), "{run:?}");
    }
    let sandbox = office();
    sandbox.write("agents/ops.md", "Soul.\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n");
    let run = sandbox.run(&["render", "--agent", "ops"]);
    assert!(run.code == 3 && run.stderr.contains("agents/ops.md:3"), "{run:?}");
}
