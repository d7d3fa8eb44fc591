//! A document is shown to those it is for, whatever else leads to its file.

use crate::agents::{CONFIG, office, omitted, pack};
use crate::sandbox::Sandbox;

const LEAK: &str = "leak-of-the-scope";
const SECRET: &str = "leak-of-the-vault";

/// Each command that shows texts, with each audience that must not see a document of `ops`.
const COMMANDS: [&[&str]; 9] = [
    &["build"],
    &["render", "feat:root"],
    &["render", "feat:root", "--agent", "research", "--policy", "expanded"],
    &["render", "--agent", "research", "--policy", "expanded"],
    &["agent", "job", "daily"],
    &["agent", "job", "shared"],
    &["explain", "feat:root"],
    &["list"],
    &["check"],
];

/// Asserts that no command says [`LEAK`] or [`SECRET`], and that no file but those of `sources` holds them.
fn assert_silent(sandbox: &Sandbox, sources: &[&str]) {
    for args in COMMANDS {
        let run = sandbox.run(args);
        let said = run.stdout.clone() + &run.stderr;
        assert!(!said.contains(LEAK) && !said.contains(SECRET), "{args:?}: {run:?}");
    }
    for (path, bytes) in sandbox.files().iter().filter(|(path, _)| !sources.contains(&path.as_str())) {
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        // The cache is the user's own, but for secrets.
        assert!(!has(SECRET) && (!has(LEAK) || path.starts_with(".contextpack/cache/")), "{path}");
    }
}

fn config(more: &str) -> String {
    CONFIG.replace("jobs:\n", &format!("{more}jobs:\n  shared: {{agent: research, instructions: jobs/shared.md}}\n"))
}

#[cfg(unix)]
#[test]
fn the_file_of_an_agent_is_in_no_pack_of_another_agent() {
    let sandbox = office();
    let root = "---\nid: feat:root\ntitle: Rewrite what ops is told\n---\nSee agents/ops.md.\n";
    sandbox.write("work_items/feat-root.md", root);
    let of = |args: &[&str]| pack(&sandbox, &[&["feat:root"], args].concat());
    let research = of(&["--agent", "research"]);
    assert!(!research.to_string().contains("You keep it running"), "{research}");
    assert!(omitted(&research).contains(&("file.agents/ops.md", "other_agent")), "{:?}", omitted(&research));
    assert!(of(&["--agent", "ops"]).to_string().contains("You keep it running"));
    // People who work on agents need their files.
    assert!(sandbox.expect(0, &["render", "feat:root"]).contains("You keep it running"));
}

#[test]
fn a_link_opens_no_more_than_what_it_leads_to() {
    use std::os::unix::fs::symlink;
    let sandbox = office();
    let text = format!("---\npinned: true\n---\n# Title {LEAK}\n\nYou must never say {LEAK}.\n");
    sandbox.write("vault/key.md", text.replace(LEAK, SECRET));
    sandbox.write("blue/own.md", &text);
    sandbox.write("blue/own.py", format!("# {LEAK}\nprint()\n"));
    sandbox.write("jobs/shared.md", "Say it.\n");
    let entries =
        "documents:\n  - {include: [\"vault/*\"], type: credentials}\n  - {include: [\"blue/*\"], agent: ops}\n";
    sandbox.write("contextpack.yml", config("").replace("documents:\n", entries));
    for (end, link) in [
        ("../vault/key.md", "knowledge/key-link.md"),
        ("../blue/own.md", "knowledge/own-link.md"),
        ("../blue/own.py", "docs/own-link.py"),
        ("../vault/key.md", "work_items/key-link.md"),
        ("../blue/own.md", "work_items/own-link.md"),
        ("../vault/key.md", "docs/key-link.md"),
    ] {
        symlink(end, sandbox.path(link)).unwrap();
    }
    let refers = "\nSee docs/key-link.md, knowledge/own-link.md, docs/own-link.py:1 and knowledge/key-link.md#title.\n";
    sandbox.write("work_items/feat-root.md", sandbox.read("work_items/feat-root.md") + refers);
    sandbox.commit();
    assert_silent(&sandbox, &["vault/key.md", "blue/own.md", "blue/own.py"]);
}

#[test]
fn a_document_of_one_agent_is_neither_a_work_item_nor_instructions() {
    let sandbox = office();
    let text = format!("---\nid: feat:blue\ntitle: {LEAK}\nagent: ops\n---\nSay {LEAK}.\n");
    for path in ["work_items/blue.md", "jobs/shared.md", "jobs/coding.md"] {
        sandbox.write(path, &text);
    }
    let more = "profiles: {other: {instructions: jobs/coding.md}, coding: {}}\n";
    let include = "[\"work_items/blue.md\", \"jobs/*.md\", \"knowledge/**/*.md\"]";
    sandbox.write("contextpack.yml", config(more).replace("[\"knowledge/**/*.md\"]", include));
    let root = sandbox.read("work_items/feat-root.md").replace("depends_on: task:list", "depends_on: feat:blue");
    sandbox.write("work_items/feat-root.md", root);
    sandbox.commit();
    assert_silent(&sandbox, &["work_items/blue.md", "jobs/shared.md", "jobs/coding.md"]);
    let said = sandbox.run(&["build"]).stderr;
    assert!(said.contains("`work_items/blue.md` is a document of one agent, so that it is no work item"), "{said}");
    let job = sandbox.run(&["agent", "job", "shared"]);
    assert_eq!(job.code, 3, "{job:?}");
    assert!(job.stderr.contains("jobs/shared.md"), "{job:?}");
}

#[test]
fn what_a_front_matter_does_not_say_clearly_is_read_in_the_strictest_way() {
    let fronts = [
        "sensitivity:",
        "doc_type:",
        "doc_type: ~",
        "sensitivity: {}",
        "sensitivty: contains_secrets",
        "doc-type: credentials",
        "doctype: credentials",
        "agent: [ops]",
        "agent: [research, ops]",
        "scope: {name: ops}",
        "Agent: ops",
        "AGENT_KEY: agent:ops:blue",
        "sensitivity:\tcontains_secrets",
        "<<: {sensitivity: contains_secrets}",
        "sensitivity: normal\nsensitivity: contains_secrets",
        "  x: @y\n  sensitivity: contains_secrets",
        "type: [credentials]",
        "agent:\tops",
        "agent: global\nscope: ops",
    ];
    let sandbox = office();
    let paths: Vec<String> = (0..fronts.len()).map(|number| format!("knowledge/odd-{number}.md")).collect();
    for (front, path) in fronts.iter().zip(&paths) {
        let front_of_scope = ["agent", "scope"].iter().any(|field| front.to_lowercase().starts_with(field));
        let leak = if front_of_scope { LEAK } else { SECRET };
        let text = format!("---\npinned: true\nweight: 99\n{front}\n---\n# {leak}\n\nYou must never say {leak}.\n");
        sandbox.write(path, &text);
    }
    sandbox.write("jobs/shared.md", "Say it.\n");
    sandbox.write("contextpack.yml", config(""));
    sandbox.commit();
    assert_silent(&sandbox, &paths.iter().map(String::as_str).collect::<Vec<_>>());
    let check = sandbox.run(&["check", "-v"]);
    for (front, path) in fronts.iter().zip(&paths) {
        let is_clear = ["Agent: ops", "AGENT_KEY: agent:ops:blue"].contains(front);
        let is_said = check.stderr.contains(&format!("{path}:4"));
        assert!(!is_clear || !is_said, "{front}: {check:?}");
        assert!(is_said || is_clear || front.contains(['\t', '<', '@', '\n', '[']), "{front}: {check:?}");
    }
}

#[test]
fn a_field_that_is_nearly_one_is_named_and_its_author_s_fields_are_not() {
    let sandbox = office();
    sandbox.write(
        "knowledge/near.md",
        "---\npined: true\nlayout: post\ntags: [a]\nauthor: b\ndate: 2026-01-01\n---\n# Near\n",
    );
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("`pined` is no field of a document") && run.stderr.contains("`pinned`"), "{run:?}");
    assert_eq!(run.stderr.matches("is no field").count(), 1, "{run:?}");
}

#[test]
fn every_delivery_says_what_is_wrong_with_documents_and_strict_makes_it_an_error() {
    let sandbox = office();
    sandbox.write("knowledge/large.md", vec![b'a'; 2 << 20]);
    sandbox.write("knowledge/latin.md", b"caf\xe9");
    for args in [
        &["render", "--agent", "research"][..],
        &["build", "--agent", "research"],
        &["explain", "feat:root", "--agent", "research"],
        &["agent", "job", "daily"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{run:?}");
        for path in ["knowledge/large.md", "knowledge/latin.md"] {
            assert!(run.stderr.contains(path), "{args:?}: {run:?}");
        }
        let strict = sandbox.run(&[args, &["--strict"]].concat());
        assert_eq!((strict.code, strict.stdout), (3, run.stdout), "{args:?}");
    }
    let why = sandbox.expect(0, &["explain", "--agent", "research", "--why-not", "knowledge/large.md"]);
    assert!(why.contains("larger than"), "{why}");
    assert_eq!(sandbox.run(&["agent", "list"]).code, 0);
}

#[test]
fn a_weight_of_the_configuration_orders_documents() {
    let sandbox = office();
    for (weight, first) in [("12", "zebra"), ("-3", "parts"), ("0", "parts")] {
        let entry = format!("documents:\n  - {{include: [\"knowledge/zebra.md\"], pinned: true, weight: {weight}}}\n");
        sandbox.write("contextpack.yml", CONFIG.replace("documents:\n", &entry).replace("pinned: 2", "pinned: 9"));
        let pack = pack(&sandbox, &["--agent", "ops"]);
        let ids = crate::agents::ids(&pack);
        let document = ids.iter().find(|id| id.starts_with("doc.")).unwrap();
        assert!(document.contains(first), "{weight}: {ids:?}");
    }
    sandbox.write("contextpack.yml", CONFIG.replace("context:", "context: {pinned: -1}\n#"));
    assert_eq!(sandbox.run(&["check"]).code, 3);
}

#[test]
fn recorded_packs_can_be_compared_with_the_repo_and_untracked_files_make_it_dirty() {
    let sandbox = office();
    for args in [
        &["render", "feat:root", "--agent", "research", "--policy", "expanded", "--record"][..],
        &["render", "--agent", "ops", "--record"],
        &["agent", "job", "daily", "--record"],
    ] {
        sandbox.expect(0, args);
    }
    sandbox.expect(0, &["verify", ".contextpack/delivered", "--against-repo"]);
    let log = sandbox.read(".contextpack/delivered/delivered.jsonl");
    assert_eq!(log.matches("\"dirty\":false").count(), 3, "{log}");
    sandbox.write("knowledge/new.md", "---\npinned: true\nweight: 50\n---\n# New\n\nAlways ask.\n");
    sandbox.expect(0, &["render", "--agent", "ops", "--record"]);
    assert!(sandbox.read(".contextpack/delivered/delivered.jsonl").contains("\"dirty\":true"));
    let run = sandbox.run(&["verify", ".contextpack/delivered", "--against-repo"]);
    assert_eq!(run.code, 5, "{run:?}");
    assert!((run.stdout + &run.stderr).contains("knowledge/new.md"));
}

#[test]
fn jobs_without_files_or_roots_and_agents_with_faults_are_named() {
    let sandbox = office();
    let jobs = "jobs:\n  lost: {agent: ops, instructions: jobs/nope.md}\n  rootless: {agent: ops, root: feat:nope, instructions: jobs/daily.md}\n";
    sandbox.write("contextpack.yml", CONFIG.replace("jobs:\n", jobs));
    sandbox.write("agents/broken.md", b"---\nname: B\n---\ncaf\xe9\n");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 3);
    for part in
        ["the job `lost` has no instructions", "the job `rootless` has no root", "jobs/nope.md", "contextpack.yml:7"]
    {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
    sandbox.write("agents/broken.md", "---\nname: B\npolicy: [\n---\nText.\n");
    let broken = sandbox.run(&["render", "--agent", "broken"]);
    assert_eq!(broken.code, 3, "{broken:?}");
    assert!(broken.stderr.contains("agents/broken.md"), "{broken:?}");
}

#[test]
fn no_other_reader_opens_what_is_closed() {
    let sandbox = office();
    let closed = format!("---\ntype: credentials\n---\n# {{{{AGENT_NAME}}}} {SECRET}\n");
    sandbox.write("closed/template.md", &closed);
    sandbox.write("closed/log.jsonl", format!("{{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \"{SECRET}\"}}\n"));
    sandbox.write("closed/lone.notes.yml", format!("summary: [{SECRET}]\n"));
    sandbox.write("jobs/shared.md", "Say it.\n");
    let settings = config("agents: {template: closed/template.md}\n")
        .replace("documents:\n", "documents:\n  - {include: [\"closed/*\"], type: credentials}\n")
        .replace("relevant: 2", "relevant: 2, record: knowledge/kept, activity: [closed/log.jsonl]");
    sandbox.write("contextpack.yml", &settings);
    let root = sandbox.read("work_items/feat-root.md") + "\nSee closed/lone.notes.yml and closed/log.jsonl:1.\n";
    sandbox.write("work_items/feat-root.md", root);
    sandbox.commit();
    assert_silent(&sandbox, &["closed/template.md", "closed/log.jsonl", "closed/lone.notes.yml"]);
    let refused = sandbox.run(&["agent", "new", "Next", "--purpose", "look"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("a document that holds secrets") && !sandbox.has("agents/next.md"));

    // What one agent was given is no input for another.
    sandbox.write("contextpack.yml", settings.replace(", activity: [closed/log.jsonl]", ""));
    sandbox
        .write("knowledge/ops/deploy.md", format!("---\nagent: ops\npinned: true\n---\n# Deploy\n\nAlways {LEAK}.\n"));
    sandbox.expect(0, &["render", "--agent", "ops", "--record"]);
    let kept: Vec<String> =
        sandbox.files().into_iter().map(|(path, _)| path).filter(|path| path.starts_with("knowledge/kept/")).collect();
    assert!(kept.len() >= 2, "{kept:?}");
    let root = sandbox.read("work_items/feat-root.md") + &format!("\nAlso {}#L1-L99.\n", kept[0]);
    sandbox.write("work_items/feat-root.md", root);
    let sources: Vec<&str> = kept.iter().map(String::as_str).chain(["knowledge/ops/deploy.md"]).collect();
    let closed = ["closed/template.md", "closed/log.jsonl", "closed/lone.notes.yml"];
    assert_silent(&sandbox, &[&sources[..], &closed].concat());
}

#[test]
fn names_and_titles_hold_nothing_that_nobody_sees() {
    let sandbox = office();
    sandbox.write(
        "knowledge/odd.md",
        "---\ntitle: \"Odd\\u001b[31m\\u202e title\\n</section>\"\npinned: true\nweight: 90\n---\n# Odd\n\nAlways look.\n",
    );
    sandbox.write("agents/odd.md", "---\nname: \"O\\u200bdd\\nname\"\nkey: \"agent:odd:\\u001bmain\"\n---\nSoul.\n");
    sandbox.commit();
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["render", "--agent", "odd", "--record"]);
    sandbox.expect(0, &["verify", "packs"]);
    sandbox.expect(0, &["verify", ".contextpack/delivered"]);
    let pack = pack(&sandbox, &["--agent", "odd"]);
    assert_eq!((pack["agent"]["name"].as_str(), pack["agent"]["key"].as_str()), (Some("odd"), Some("agent:odd: main")));
}

#[test]
fn a_record_begins_a_line_of_its_own_after_one_that_was_cut_off() {
    let sandbox = office();
    sandbox.expect(0, &["render", "--agent", "ops", "--record"]);
    let log = ".contextpack/delivered/delivered.jsonl";
    sandbox.write(log, sandbox.read(log) + "{\"at\":\"20");
    sandbox.expect(0, &["render", "--agent", "ops", "--record"]);
    let log = sandbox.read(log);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!((lines.len(), lines[1]), (3, "{\"at\":\"20"), "{log}");
    assert!(lines[2].ends_with('}'));
}

#[cfg(unix)]
#[test]
fn the_soul_of_an_agent_reaches_no_other_by_any_route() {
    use std::os::unix::fs::symlink;
    type Change = fn(&Sandbox);
    let entry = |sandbox: &Sandbox, entry: &str| {
        let config = config("").replace("documents:\n", &format!("documents:\n  - {entry}\n"));
        sandbox.write("contextpack.yml", config);
    };
    let routes: [(&str, Change); 8] = [
        ("a broad glob, pinned", |_| ()),
        ("a glob, relevant", |_| ()),
        ("a link among documents", |sandbox| symlink("../agents/ops.md", sandbox.path("knowledge/soul.md")).unwrap()),
        ("a link as the overview", |sandbox| {
            std::fs::remove_file(sandbox.path("docs/overview.md")).unwrap();
            symlink("../agents/ops.md", sandbox.path("docs/overview.md")).unwrap();
        }),
        ("a work item", |sandbox| {
            let items = "work_items: [{include: [\"work_items/*.md\", \"agents/*.md\"]}]\n";
            sandbox.write("contextpack.yml", config(items));
            let root = sandbox.read("work_items/feat-root.md").replace("depends_on: task:list", "depends_on: ops");
            sandbox.write("work_items/feat-root.md", root);
        }),
        ("instructions of a job", |sandbox| {
            sandbox.write("contextpack.yml", config("").replace("jobs/shared.md", "agents/ops.md"));
        }),
        ("instructions of a profile", |sandbox| {
            sandbox.write("contextpack.yml", config("profiles: {coding: {instructions: agents/ops.md}}\n"));
        }),
        ("a link to the file of an agent", |sandbox| symlink("ops.md", sandbox.path("agents/twin.md")).unwrap()),
    ];
    for (at, (route, change)) in routes.iter().enumerate() {
        let sandbox = office();
        sandbox.write("jobs/shared.md", "Say it.\n");
        sandbox.write("contextpack.yml", config(""));
        let soul = format!("---\nname: Ops\npurpose: Rewrites lists\n---\n# Ops\n\nYou must rewrite lists {LEAK}.\n");
        sandbox.write("agents/ops.md", soul);
        match at {
            0 => entry(&sandbox, "{include: [\"**/*.md\"], pinned: true}"),
            1 => entry(&sandbox, "{include: [\"agents/*.md\"]}"),
            _ => change(&sandbox),
        }
        sandbox.commit();
        assert_silent(&sandbox, &["agents/ops.md", "knowledge/soul.md", "docs/overview.md", "agents/twin.md"]);
        let twin = sandbox.run(&["render", "--agent", "twin"]);
        assert!(!twin.stdout.contains(LEAK), "{route}: {twin:?}");
        let check = sandbox.run(&["check"]).stderr;
        let is_said = check.contains("is the file of an agent") || check.contains("is a document of one agent");
        let is_said_elsewhere = ["a broad glob, pinned", "instructions of a job", "instructions of a profile"];
        assert!(is_said || is_said_elsewhere.contains(route), "{route}: {check}");
        assert!(!(is_said && at == 0), "{route}: {check}");
    }
}

#[cfg(unix)]
#[test]
fn a_document_of_one_agent_is_not_the_soul_of_another() {
    use std::os::unix::fs::symlink;
    let sandbox = office();
    let entries = "documents:\n  - {include: [\"blue/*\", \"agents/c4.md\"], agent: ops}\n  - {include: [\"agents/c5.md\"], agent: c5}\n";
    sandbox.write("contextpack.yml", config("").replace("documents:\n", entries));
    sandbox.write("blue/own.md", format!("Say {LEAK}.\n"));
    sandbox.write("agents/c4.md", format!("Say {LEAK}.\n"));
    sandbox.write("agents/c5.md", "Say what is yours.\n");
    symlink("../blue/own.md", sandbox.path("agents/c3.md")).unwrap();
    sandbox.commit();
    for agent in ["c3", "c4"] {
        let run = sandbox.run(&["render", "--agent", agent]);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.stderr.contains(&format!("`agents/{agent}.md` is a document of one agent")), "{run:?}");
        assert!(!run.stdout.contains(LEAK), "{run:?}");
    }
    // It is printed; the errors about the others are its exit code.
    assert!(sandbox.expect(3, &["render", "--agent", "c5"]).contains("what is yours"));
}

#[test]
fn a_secret_that_is_typed_is_neither_written_nor_repeated() {
    let sandbox = office();
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    for args in [
        &["agent", "new", "Keys", "--purpose", &format!("Uses {token}"), "--tool", &token][..],
        &["agent", "new", &token, "--purpose", "x"],
        &["render", &token],
        &["render", "feat:root", "--profile", &token],
        &["agent", "job", &token],
        &["diff", &token],
    ] {
        let run = sandbox.run(args);
        assert!(!(run.stdout.clone() + &run.stderr).contains(&token), "{args:?}: {run:?}");
    }
    assert!(sandbox.read("agents/keys.md").contains("Uses "));
    for (path, bytes) in sandbox.files() {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(!path.contains("p_a1b2") && !text.contains(&token.to_lowercase()), "{path}");
    }
}

#[test]
fn a_file_that_says_whose_it_is_is_for_that_agent_whatever_the_configuration_calls_it() {
    let sandbox = office();
    let own = |field: &str| format!("---\ntitle: Title {LEAK}\n{field}\n---\n# Head {LEAK}\n\nSay {LEAK}.\n");
    sandbox.write("docs/own.md", own("agent: OPS"));
    sandbox.write("docs/adr/0007-own.md", own("agent_key: [agent:ops:blue]"));
    sandbox.write("docs/author.md", "---\nagent: some-model\nscope: ops\n---\nAnybody may read it.\n");
    sandbox.write("work_items/feat-task.md", "---\nid: feat:task\nagent: ops\n---\nA task of ops.\n");
    let root = "---\nid: feat:root\ntitle: Head it\nadrs: [7]\nrelated: [feat:task]\n---\nSee docs/own.md and docs/author.md.\n";
    sandbox.write("work_items/feat-root.md", root);
    let config = sandbox.read("contextpack.yml");
    sandbox.write("contextpack.yml", format!("{config}code: {{likely: 5}}\nadrs: {{include: [\"docs/adr/*.md\"]}}\n"));
    for args in [&["feat:root", "--out", "-"][..], &["feat:root", "--agent", "research", "--policy", "expanded"]] {
        let pack = pack(&sandbox, args);
        let others: Vec<_> = omitted(&pack).into_iter().filter(|(_, why)| *why == "other_agent").collect();
        assert_eq!(others.len(), 2, "{pack}");
        let text = pack.to_string();
        assert!(
            !text.contains(LEAK) && text.contains("Anybody may read it") && text.contains("A task of ops"),
            "{text}"
        );
    }
    let text = pack(&sandbox, &["feat:root", "--agent", "ops"]).to_string();
    assert!(text.matches(LEAK).count() > 1 && text.contains("A task of ops"), "{text}");
}

#[test]
fn what_says_that_it_holds_secrets_is_not_opened_whatever_the_configuration_calls_it() {
    let vault = "---\nsensitivity: contains_secrets\n---\n\nThe tulip garden.\n";
    let typed = "---\nid: feat:x\ndoc_type: credentials\n---\n\nThe tulip garden.\n";
    let sandbox = Sandbox::configured(&[
        (
            "work_items/a.md",
            "---\nid: feat:a\ndocs: [docs/vault.md, docs/loose.md]\nadrs: [1]\n---\n\nSee docs/vault.md and deploy/prod.env.\n",
        ),
        ("docs/vault.md", vault),
        ("docs/loose.md", "---\nSensitivity: [Contains-Secrets]\n---\n\nThe tulip garden.\n"),
        ("docs/adr/0001-keys.md", vault),
        ("deploy/prod.env", "HOST=the.tulip.garden\n"),
        ("docs/open.md", "---\nsensitivity: high\n---\n\nAnybody may read it.\n"),
    ]);
    let pack = sandbox.json(0, &["build", "feat:a", "--out", "-"]);
    let omissions = pack["omissions"].as_array().unwrap().iter();
    let denied: Vec<&str> =
        omissions.filter(|it| it["reason"] == "denied_path").filter_map(|it| it["source"]["path"].as_str()).collect();
    assert_eq!(denied, ["docs/adr/0001-keys.md", "docs/vault.md", "docs/loose.md", "deploy/prod.env"], "{pack}");
    assert!(!pack.to_string().contains("tulip"), "{pack}");
    sandbox.write("work_items/x.md", typed);
    let listed = sandbox.run(&["build"]);
    assert!(listed.stderr.contains("`work_items/x.md` is a document that holds secrets"), "{}", listed.stderr);
    std::fs::remove_file(sandbox.path("work_items/x.md")).unwrap();
    sandbox.write("work_items/a.md", "---\nid: feat:a\n---\n\nSee docs/open.md.\n");
    assert!(sandbox.expect(0, &["render", "feat:a"]).contains("Anybody may read it"));
}
