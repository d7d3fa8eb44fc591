//! `watch` and `page --serve` for an agent: after each change the packs are those that `render` and `build` give.

use crate::agents::{CONFIG, office};
use crate::sandbox::Sandbox;
use crate::vectors;
use crate::watch::{Watching, save};
use std::fs;

/// A repo whose packs also show an activity file.
fn busy() -> Sandbox {
    let sandbox = office();
    sandbox.write(
        "contextpack.yml",
        CONFIG.replace("pinned: 2", "pinned: 5, activity: [log/agents.jsonl], vectors: log/vectors.jsonl"),
    );
    sandbox.write("log/agents.jsonl", activity("Started"));
    sandbox.write("log/vectors.jsonl", "");
    sandbox.write(".gitignore", "*~\n");
    sandbox.commit();
    sandbox
}

fn activity(message: &str) -> String {
    format!("{{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \"{message}\", \"actor\": \"ops\"}}\n")
}

fn edit(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let text = sandbox.read(path);
    assert!(text.contains(from), "{path}: {text}");
    save(sandbox, path, &text.replace(from, to));
}

/// A change, with its name.
type Change = (&'static str, fn(&Sandbox));

/// Changes of each kind of input; each of them changes the pack of a root and that of the start of a session.
const CHANGES: [Change; 17] = [
    ("the SOUL", |sandbox| edit(sandbox, "agents/research.md", "before you write", "twice")),
    ("the agent's name", |sandbox| edit(sandbox, "agents/research.md", "Research Lead", "Head of Research")),
    ("an own document", |sandbox| edit(sandbox, "knowledge/research/own.md", "cite.", "cite twice.")),
    ("a pinned document", |sandbox| edit(sandbox, "knowledge/b-global.md", "short texts", "shorter texts")),
    ("the overview", |sandbox| edit(sandbox, "docs/overview.md", "keeps parcels", "sends parcels")),
    ("a relevant document", |sandbox| edit(sandbox, "knowledge/tunnels.md", "drops parts", "loses parts")),
    ("a document that becomes another agent's", |sandbox| {
        edit(sandbox, "knowledge/uploads.md", "# Uploads", "---\nagent: ops\n---\n# Uploads");
    }),
    ("notes in a sidecar file", |sandbox| {
        let made = sandbox.json(0, &["notes", "knowledge/b-global.md"]);
        assert!(made["documents"][0]["success"].as_bool().unwrap());
        sandbox.write("knowledge/b-global.md.notes.yml", "summary: [Write so that everybody reads it.]\n");
    }),
    ("no such notes", |sandbox| fs::remove_file(sandbox.path("knowledge/b-global.md.notes.yml")).unwrap()),
    ("a new pinned document", |sandbox| {
        sandbox.write("knowledge/research/new.md", "---\nagent: research\npinned: true\n---\n# New\n\nAlways ask.\n");
    }),
    ("an activity", |sandbox| sandbox.write("log/agents.jsonl", activity("Started") + &activity("Ended"))),
    ("vectors", |sandbox| {
        let lines = vectors::lines(sandbox, "Zebra");
        assert_eq!(sandbox.run_with(&["notes", "--vectors", "--from", "-"], &lines).code, 0);
    }),
    ("a commit", |sandbox| {
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "Keep all of it"]);
    }),
    ("another subject of the last commit", |sandbox| {
        sandbox.git(&["commit", "-q", "--amend", "-m", "Keep everything"]);
    }),
    ("a commit on a new branch", |sandbox| {
        sandbox.git(&["checkout", "-q", "-b", "deep/new/branch"]);
        sandbox.git(&["pack-refs", "--all"]);
        sandbox.write("src/a.rs", "fn a() {}");
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "Add a"]);
    }),
    ("a reset that leaves all files", |sandbox| drop(sandbox.git(&["reset", "-q", "--soft", "HEAD~1"]))),
    ("the configuration", |sandbox| edit(sandbox, "contextpack.yml", "pinned: 5", "pinned: 1")),
];

#[test]
fn a_session_start_in_now_md_is_what_render_gives_after_each_kind_of_change() {
    let sandbox = busy();
    let mut watching = Watching::start(&sandbox, &["--agent", "research", "--policy", "expanded"]);
    assert!(watching.said.iter().any(|line| line.starts_with("1 pack: 1 built, 0 unchanged")), "{:?}", watching.said);
    let mut last = String::new();
    for (what, change) in [("nothing", (|_| ()) as fn(&Sandbox))].into_iter().chain(CHANGES) {
        if what != "nothing" {
            change(&sandbox);
            watching.wait("agent:research:main ");
        }
        // Several saves of one change may be several builds.
        let rendered = sandbox.expect(0, &["render", "--agent", "research", "--policy", "expanded"]);
        while sandbox.read(".contextpack/now.md") != rendered {
            watching.wait("agent:research:main ");
        }
        // The name is in the pack and not in its rendering.
        assert!(rendered != last || what == "the agent's name", "{what} changes the rendering");
        last = rendered;
    }
    assert!(!sandbox.has("packs"), "packs for an agent are in no folder of packs");
}

#[test]
fn the_packs_of_roots_are_those_of_build_after_each_kind_of_change() {
    let sandbox = busy();
    let (out, fresh) = (sandbox.beside("watched"), sandbox.beside("built"));
    let of = |dir: &std::path::Path| ["--policy", "expanded", "--out", dir.to_str().unwrap()].join("\n");
    let (watched, built) = (of(&out), of(&fresh));
    let args = ["feat:root", "task:list", "--agent", "research"];
    let watched: Vec<&str> = args.into_iter().chain(watched.split('\n')).collect();
    let built: Vec<&str> = ["build"].into_iter().chain(args).chain(built.split('\n')).collect();
    let mut watching = Watching::start(&sandbox, &watched);
    for (what, change) in CHANGES {
        change(&sandbox);
        watching.wait("feat:root ");
        sandbox.expect(0, &built);
        for name in ["feat-root.coding@research.json", "task-list.coding@research.json"] {
            let expected = fs::read_to_string(fresh.join(name)).unwrap();
            while fs::read_to_string(out.join(name)).unwrap() != expected {
                watching.wait(if name.starts_with("feat") { "feat:root " } else { "task:list " });
            }
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 2, "{what}");
    }
    assert!(!sandbox.has("packs"));
    sandbox.expect(0, &["verify", out.to_str().unwrap()]);
}

#[test]
fn a_commit_in_a_linked_work_tree_is_noticed() {
    let sandbox = busy();
    let linked = Sandbox::named("linked");
    fs::remove_dir(linked.root()).unwrap();
    sandbox.git(&["worktree", "add", "-q", "-b", "side", linked.root().to_str().unwrap()]);
    let mut watching = Watching::start(&linked, &["--agent", "research"]);
    for n in 0..2 {
        linked.git(&["commit", "-q", "--amend", "-m", &format!("Subject {n}")]);
        watching.wait("changes changed");
        assert!(linked.read(".contextpack/now.md").contains(&format!("Subject {n}")));
    }
    assert_eq!(linked.read(".contextpack/now.md"), linked.expect(0, &["render", "--agent", "research"]));
}

#[test]
fn an_agent_that_is_broken_or_gone_is_reported_and_back_once_repaired() {
    let sandbox = busy();
    let mut watching = Watching::start(&sandbox, &["--agent", "Research Lead"]);
    let (good, text) = (sandbox.read(".contextpack/now.md"), sandbox.read("agents/research.md"));
    let outdated = |why: &str| {
        let now = sandbox.read(".contextpack/now.md");
        assert!(now.starts_with(&format!("> Not up to date: {why}")) && now.ends_with(&good), "{now}");
    };
    save(&sandbox, "agents/research.md", &text.replace("purpose:", "budget: all of it\npurpose:"));
    watching.wait("`budget` is no map of limits");
    outdated("`agents/research.md:3` cannot be used");
    save(&sandbox, "agents/research.md", &text);
    watching.wait("recovered: ");
    assert_eq!(sandbox.read(".contextpack/now.md"), good);
    fs::remove_file(sandbox.path("agents/research.md")).unwrap();
    watching.wait("there is no agent `Research Lead`");
    outdated("there is no such agent");
    sandbox.write("agents/research.md", &text);
    watching.wait("recovered: ");
    assert_eq!(sandbox.read(".contextpack/now.md"), good);
    sandbox.write("log/agents.jsonl", "{\"at\": \"soon\", \"message\": \"m\"}\n");
    // The pack lacks the line, and says so.
    watching.wait("log/agents.jsonl:1");
    watching.wait("changes changed");
    assert_ne!(sandbox.read(".contextpack/now.md"), good);
    sandbox.write("log/agents.jsonl", activity("Started"));
    watching.wait("changes changed");
    assert_eq!(sandbox.read(".contextpack/now.md"), good);
}

#[test]
fn a_root_that_is_gone_is_not_replaced_by_the_start_of_a_session() {
    let sandbox = busy();
    let mut watching = Watching::start(&sandbox, &["task:list", "--agent", "research", "--poll=100ms"]);
    let good = sandbox.read(".contextpack/now.md");
    let text = sandbox.read("work_items/task-list.md");
    fs::remove_file(sandbox.path("work_items/task-list.md")).unwrap();
    watching.wait("there is no item `task:list`");
    let now = sandbox.read(".contextpack/now.md");
    assert!(now.starts_with("> Not up to date: its item is gone") && now.ends_with(&good), "{now}");
    sandbox.write("work_items/task-list.md", text);
    watching.wait("task:list ");
    assert_eq!(sandbox.read(".contextpack/now.md"), good);
}

#[test]
fn the_context_of_another_agent_does_not_stay_in_now_md() {
    let sandbox = busy();
    drop(Watching::start(&sandbox, &["--agent", "research"]));
    assert!(sandbox.read(".contextpack/now.md").contains("Always cite."));
    edit(&sandbox, "agents/ops.md", "key:", "budget: none\nkey:");
    let mut watching = Watching::start(&sandbox, &["--agent", "ops"]);
    assert_eq!(
        sandbox.read(".contextpack/now.md"),
        "> There is no context: `agents/ops.md:3` cannot be used (invalid-agent).\n"
    );
    edit(&sandbox, "agents/ops.md", "budget: none\n", "");
    watching.wait("recovered: ");
    let now = sandbox.read(".contextpack/now.md");
    assert!(now.contains("Ops must be blue.") && !now.contains("Always cite."), "{now}");
}

#[test]
fn what_is_printed_is_about_the_agents_pack() {
    let sandbox = busy();
    let mut watching = Watching::start(&sandbox, &["--agent", "research", "--print"]);
    edit(&sandbox, "docs/overview.md", "keeps parcels", "sends parcels");
    assert_eq!(watching.printed(), "--- a/agent-research-main.coding@research.md");
    while watching.printed() != "-The depot keeps parcels." {}
    assert_eq!(watching.printed(), "+The depot sends parcels.");
    let line = watching.wait("agent:research:main ");
    assert!(line.contains("overview changed"), "{line}");
    drop(watching);

    let mut command = sandbox.command(&["watch", "--agent", "research", "--format", "json"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let built: serde_json::Value = serde_json::from_str(&line).unwrap();
    let pack = &built["packs"][0];
    assert_eq!(pack["path"], "agent-research-main.coding@research.json");
    assert_eq!((&pack["files"], &pack["root"]), (&serde_json::json!([]), &"agent:research:main".into()));
}

#[test]
fn what_is_typed_wrong_is_refused() {
    let sandbox = busy();
    for (args, why) in [
        (&["watch", "--agent", "reserch"][..], "did you mean `agent:research:main`?"),
        (&["watch", "--agent", "research", "--out", "packs/agents"], "`--out` is inside `packs`"),
        (&["build", "--agent", "research", "--out", "packs/agents"], "`--out` is inside `packs`"),
        (&["watch", "--agent", "research", "task:none"], "there is no item `task:none`"),
        (&["watch", "--agent", "research", "-p", "none"], "there is no profile `none`"),
        (&["watch", "--policy", "minimal"], "--agent"),
        #[cfg(feature = "page")]
        (&["page", "--serve", "--agent", "reserch"], "did you mean `agent:research:main`?"),
        #[cfg(feature = "page")]
        (&["page", "--serve", "--agent", "research", "task:none"], "there is no item `task:none`"),
        #[cfg(feature = "page")]
        (&["page", "--serve", "--poll"], "--agent"),
    ] {
        let run = sandbox.run(args);
        assert!(run.code == 2 && run.stderr.contains(why), "{args:?}: {run:?}");
    }
    assert!(!sandbox.has("packs"));
}

#[cfg(feature = "page")]
#[test]
fn the_page_shows_the_packs_as_the_agent_gets_them() {
    use crate::serve::Served;
    let sandbox = busy();
    let served = Served::new(&sandbox, &["page", "--serve", "--agent", "ops", "--policy", "expanded"]);
    let path = format!("{}packs.json", served.base);
    let answer = served.get(&path, "");
    for name in ["agent-ops-blue", "feat-root", "task-list"] {
        assert!(answer.body.contains(&format!("{name}.coding@ops.json")), "{name}");
    }
    assert!(answer.body.contains("Ops must be blue.") && !answer.body.contains("Always cite."));
    let mut tag = None;
    // The page asks again and again; so does this test, until the change shows.
    let mut changed = |what: &str| {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
        while std::time::Instant::now() < end {
            let since = tag.as_deref().unwrap_or("0");
            let answer = served.get(&format!("{path}?since={since}"), "");
            if answer.status == 200 {
                tag = Some(crate::serve::tag(&answer.body));
                return answer.body;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("{what} does not show");
    };
    edit(&sandbox, "knowledge/ops/pinned.md", "be blue", "be green");
    assert!(changed("a document").contains("Ops must be green."));
    sandbox.git(&["commit", "-q", "-a", "-m", "Turn green"]);
    assert!(changed("a commit").contains("Turn green"));
    fs::remove_file(sandbox.path("work_items/task-list.md")).unwrap();
    let gone = changed("a root that is gone");
    assert!(!gone.contains("task-list.coding@ops.json") && gone.contains("feat-root.coding@ops.json"), "{gone}");
    assert!(served.get(&served.base, "").body.contains("Turn green"));
    assert!(!sandbox.has("packs") && !sandbox.has(".contextpack"), "nothing is written");
}
