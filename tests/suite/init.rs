//! `init` fits the files of a repo, and `build` works after it.

use crate::sandbox::Sandbox;

/// Runs `init`, then what it says is next, then `init` again, which changes nothing.
fn sets_up(sandbox: &Sandbox) -> String {
    let before = sandbox.files();
    let run = sandbox.run(&["init", "--commit"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (path, bytes) in &before {
        assert!(sandbox.files().contains(&(path.clone(), bytes.clone())), "{path} was changed");
    }
    assert!(run.stdout.lines().all(|path| sandbox.has(path)), "{}", run.stdout);
    let next = run.stderr.lines().last().unwrap();
    let next: Vec<&str> = next.strip_prefix("next: contextpack ").unwrap().split(' ').collect();
    assert_eq!(next, ["build"]);
    let build = sandbox.run(&["build", "--strict"]);
    assert_eq!(build.code, 0, "{}", build.stderr);
    let after = sandbox.files();
    let again = sandbox.run(&["init", "--commit"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{}", again.stderr);
    assert!(sandbox.files() == after, "the second init changed a file");
    sandbox.expect(0, &["check"]);
    if !build.stdout.is_empty() {
        sandbox.expect(0, &["verify", "packs"]);
    }
    build.stdout
}

#[test]
fn an_empty_repo_gets_a_sample_that_builds() {
    let sandbox = Sandbox::new();
    assert_eq!(sets_up(&sandbox), "packs/feat-example.coding.json\npacks/feat-example.coding.md\n");
    assert!(sandbox.expect(0, &["render", "feat:example"]).contains("adr.docs/adr/0001-record-decisions.md"));
    assert!(sandbox.read(".gitattributes").contains("packs/*.json"));
}

#[test]
fn an_empty_git_repository_is_set_up_at_its_root() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q"]);
    sandbox.write("src/deep/x.txt", "x");
    sandbox.expect(0, &["-C", "src/deep", "init"]);
    assert!(sandbox.has("contextpack.yml") && !sandbox.has("src/deep/contextpack.yml"));
    sandbox.expect(0, &["build"]);
}

#[test]
fn a_repo_with_adrs_gets_no_sample_adr_and_names_its_folder() {
    let sandbox = Sandbox::with(&[
        ("architecture/decisions/0001-x.md", "# 1. X\n\n## Decision\n\nX.\n"),
        ("work_items/a.md", "---\nid: task:a\ntitle: A\nadrs: [1]\n---\n"),
    ]);
    assert_eq!(sets_up(&sandbox), "packs/task-a.coding.json\npacks/task-a.coding.md\n");
    assert!(!sandbox.has("docs"));
    assert!(sandbox.expect(0, &["render", "task:a"]).contains("adr.architecture/decisions/0001-x.md"));
}

#[test]
fn files_that_look_like_work_items_are_named_and_decisions_are_not() {
    let item = |id: u32| format!("---\nid: {id}\ntitle: T\nstatus: open\n---\n\nText.\n");
    let sandbox = Sandbox::with(&[
        ("tasks/1.md", &item(1)),
        ("tasks/2.md", &item(2)),
        ("notes/a.md", "---\ntitle: A\n---\n"),
        ("docs/adr/0001-x.md", &item(3)),
        ("docs/b.md", "# B\n"),
    ]);
    let run = sandbox.run(&["init"]);
    let said: Vec<&str> = run.stderr.lines().filter(|line| line.contains("found no work items")).collect();
    let how = "found no work items in files: if those in `tasks/` are some (2 Markdown files, 2 with a status), write `work_items: [{include: [\"tasks/**/*.md\"]}]` into contextpack.yml";
    assert_eq!(said, [how]);
}

#[test]
fn a_backlog_is_mapped() {
    let sandbox = Sandbox::with(&[
        (
            "backlog/tasks/back-1 - one.md",
            "---\nid: BACK-1\ntitle: One\nstatus: To Do\nassignee: []\ndependencies: []\n---\n\nText.\n",
        ),
        (
            "backlog/tasks/back-2 - two.md",
            "---\nid: BACK-2\ntitle: Two\nstatus: In Progress\ndependencies:\n  - BACK-1\nparent_task_id: BACK-1\n---\n",
        ),
    ]);
    assert_eq!(
        sets_up(&sandbox),
        "packs/back-1.coding.json\npacks/back-1.coding.md\npacks/back-2.coding.json\npacks/back-2.coding.md\n"
    );
    let list = sandbox.json(0, &["list", "--format", "json"]);
    assert_eq!(list["roots"][1]["edges"], serde_json::json!({"depends_on": 1, "parent": 1}));
}

#[test]
fn beads_are_mapped() {
    let sandbox = Sandbox::with(&[(
        ".beads/issues.jsonl",
        "{\"id\": \"bd-1\", \"title\": \"One\", \"status\": \"open\", \"issue_type\": \"task\"}\n{\"id\": \"bd-2\", \"title\": \"Two\", \"dependencies\": [{\"depends_on_id\": \"bd-1\", \"type\": \"blocks\"}]}\n{\"id\": \"bd-3\", \"title\": \"Gone\", \"status\": \"tombstone\"}\n",
    )]);
    assert_eq!(
        sets_up(&sandbox),
        "packs/bd-1.coding.json\npacks/bd-1.coding.md\npacks/bd-2.coding.json\npacks/bd-2.coding.md\n"
    );
    let list = sandbox.json(0, &["list", "--format", "json"]);
    assert_eq!(list["roots"][1]["edges"]["depends_on"], 1);
}

#[test]
fn every_type_of_edge_of_beads_is_a_relation_and_only_open_items_get_a_pack() {
    let item = |id: u32, status: &str, edges: &[(u32, &str)]| {
        let edges: Vec<String> = edges
            .iter()
            .map(|(to, kind)| {
                format!("{{\"issue_id\": \"bd-{id}\", \"depends_on_id\": \"bd-{to}\", \"type\": \"{kind}\"}}")
            })
            .collect();
        format!(
            "{{\"id\": \"bd-{id}\", \"title\": \"T {id}\", \"status\": \"{status}\", \"dependencies\": [{}]}}\n",
            edges.join(", ")
        )
    };
    let kinds = [(2, "blocks"), (3, "parent-child"), (4, "discovered-from"), (5, "supersedes"), (6, "own-kind")];
    let text = item(1, "open", &kinds) + &(2..7).map(|id| item(id, "closed", &[])).collect::<String>();
    let sandbox = Sandbox::with(&[(".beads/issues.jsonl", &text)]);
    assert_eq!(sets_up(&sandbox), "packs/bd-1.coding.json\npacks/bd-1.coding.md\n");
    let list = sandbox.json(0, &["list", "--format", "json"]);
    assert_eq!(list["roots"][0]["edges"], serde_json::json!({"depends_on": 1, "parent": 1, "related": 3}));
    let config = sandbox.read("contextpack.yml");
    assert!(config.contains("those that are open. Closed ones are still shown beside them."), "{config}");
    std::fs::remove_file(sandbox.root().join("contextpack.yml")).unwrap();
    let said = sandbox.run(&["init"]).stderr;
    assert!(
        said.contains("that gives 1 pack: 1 not done of 6 items (`roots` in contextpack.yml), for coding\n"),
        "{said}"
    );
}

#[test]
fn milestones_of_a_backlog_are_parents_without_packs() {
    let sandbox = Sandbox::with(&[
        ("backlog/milestones/m-1 - beta.md", "---\nid: m-1\ntitle: Beta\n---\n\nReady for friends.\n"),
        ("backlog/milestones/readme.md", "# Milestones\n"),
        ("backlog/tasks/readme.md", "# Tasks\n"),
        ("backlog/tasks/task-1 - one.md", "---\nid: task-1\ntitle: One\nstatus: To Do\nmilestone: m-1\n---\n"),
    ]);
    assert_eq!(sets_up(&sandbox), "packs/task-1.coding.json\npacks/task-1.coding.md\n");
    assert!(sandbox.expect(0, &["render", "task-1"]).contains("Ready for friends."));
    // Tasks name milestones by id or by title. A subtask belongs to its task, whatever its milestone is.
    let task = |n: u32, fields: &str| {
        let text = format!("---\nid: task-{n}\ntitle: Task {n}\nstatus: To Do\n{fields}---\n");
        sandbox.write(&format!("backlog/tasks/task-{n} - x.md"), text);
    };
    task(2, "milestone: Beta\n");
    task(3, "parent_task_id: task-2\nmilestone: m-1\n");
    task(4, "parent_task_id: ''\nmilestone: beta\n");
    let built = sandbox.run(&["build"]);
    assert!(!built.stderr.contains("multiple-parents") && !built.stderr.contains("unknown-id"), "{}", built.stderr);
    let parents = ["task-2", "task-3", "task-4"].map(|task| {
        let pack = sandbox.json(0, &["build", task, "--out", "-"]);
        let parent = pack["sections"].as_array().unwrap().iter().find(|it| it["provenance"] == "parent").cloned();
        parent.unwrap()["id"].as_str().unwrap().to_owned()
    });
    assert_eq!(parents, ["parent.m-1", "parent.task-2", "parent.m-1"]);
    assert!(sandbox.expect(0, &["render", "task-3"]).contains("\"milestone\": \"m-1\""));
}

#[test]
fn names_that_look_like_secrets_are_not_written_into_a_configuration() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let line = |kind: &str| {
        format!(
            "{{\"id\":\"bd-1\",\"title\":\"One\",\"status\":\"open\",\"dependencies\":[{{\"type\":\"{kind}\",\"depends_on_id\":\"bd-2\"}}]}}\n"
        )
    };
    let issues = [line(&secret), line("our-own: [x]"), line("our.own")].concat();
    let sandbox = Sandbox::with(&[
        (".beads/issues.jsonl", issues.as_str()),
        (format!("{secret}/adr/0001-x.md").as_str(), "# 1. X\n"),
    ]);
    let said = sandbox.run(&["init"]);
    let config = sandbox.read("contextpack.yml");
    assert!(!config.contains("ghp_") && !said.stderr.contains("ghp_"), "{config}{}", said.stderr);
    assert!(config.contains("\"our.own\": related"), "{config}");
    assert!(said.stderr.contains("a name that looks like a secret was left out"), "{}", said.stderr);
}

#[test]
fn proposals_are_mapped() {
    let sandbox = Sandbox::with(&[
        ("EIPS/eip-1.md", "---\neip: 1\ntitle: One\nstatus: Draft\n---\n"),
        ("EIPS/eip-2.md", "---\neip: 2\ntitle: Two\nstatus: Draft\nrequires: 1\n---\n"),
        ("keps/sig-a/3-x/kep.yaml", "title: Three\nstatus: provisional\nsee-also:\n  - /keps/sig-a/4-y\n"),
        ("keps/sig-a/3-x/README.md", "# KEP-3\n\nThe text.\n"),
        ("keps/sig-a/4-y/kep.yaml", "title: Four\nstatus: implemented\n"),
        ("keps/sig-a/4-y/README.md", "# KEP-4\n"),
    ]);
    // Three open ones, each for drafting and review, as JSON and as Markdown.
    assert_eq!(sets_up(&sandbox).lines().count(), 12);
    let list = sandbox.json(0, &["list", "--format", "json"]);
    let edges = |at: usize| list["roots"][at]["edges"].clone();
    assert_eq!(list["roots"][1]["id"], "EIP-2");
    assert_eq!((edges(1), edges(2)), (serde_json::json!({"depends_on": 1}), serde_json::json!({"related": 1})));
    assert!(sandbox.expect(0, &["render", "KEP-3"]).contains("The text."));
}

#[test]
fn a_repo_with_files_gets_no_samples_and_says_how_to_name_items() {
    let sandbox =
        Sandbox::with(&[("README.md", "# Ours\n"), ("src/main.rs", "fn main() {}\n"), ("plans/x.md", "# X\n")]);
    let run = sandbox.run(&["init"]);
    assert!(run.stderr.contains("looked for: spec-kit, OpenSpec, Task Master, "), "{}", run.stderr);
    assert!(
        run.stderr.contains("found no work items in files: if those in `plans/` are some (1 Markdown file), "),
        "{}",
        run.stderr
    );
    assert!(!sandbox.has("docs") && !sandbox.has("work_items") && run.stderr.ends_with("next: contextpack list\n"));
}

/// A small repo with a tracker: what it is called, its files, the id of the first item, and what the pack of that says.
type TrackedRepo = (&'static str, &'static [(&'static str, &'static str)], &'static str, &'static str);

const TRACKED: [TrackedRepo; 6] = [
    (
        "spec-kit: 1 item",
        &[
            (
                "specs/001-login/spec.md",
                "# Feature Specification: Login\n\n**Status**: Draft\n\n## Requirements\n\nFast.\n",
            ),
            ("specs/001-login/tasks.md", "# Tasks\n\n- [ ] T001 Write the form\n"),
        ],
        "001-login",
        "T001 Write the form",
    ),
    (
        "OpenSpec: 2 items",
        &[
            ("openspec/changes/add-login/proposal.md", "## Why\n\nNobody can log in.\n"),
            ("openspec/changes/add-login/specs/auth/spec.md", "## ADDED Requirements\n\nA session ends.\n"),
            ("openspec/changes/archive/2026-01-01-old/proposal.md", "## Why\n\nOld.\n"),
        ],
        "add-login",
        "A session ends.",
    ),
    (
        "Task Master: 3 items",
        &[(
            ".taskmaster/tasks/tasks.json",
            "{\"a\": {\"tasks\": [{\"id\": 1, \"title\": \"One\", \"status\": \"pending\", \"dependencies\": [], \"details\": \"Do it.\", \"subtasks\": [{\"id\": 1, \"title\": \"Half\", \"status\": \"pending\"}]}]}, \"b\": {\"tasks\": [{\"id\": 1, \"title\": \"Other\", \"status\": \"done\", \"dependencies\": []}]}}",
        )],
        "a.1",
        "Half",
    ),
    (
        "exported GitHub issues: 1 item",
        &[("issues.json", "[{\"body\": \"It breaks.\", \"number\": 7, \"state\": \"OPEN\", \"title\": \"Crash\"}]")],
        "'#7'",
        "It breaks.",
    ),
    (
        "numbered proposals: 1 item",
        &[(
            "peps/pep-0001.rst",
            "PEP: 1\nTitle: Purpose\nStatus: Draft\n\n\nWhat is a PEP?\n==============\n\nA text.\n",
        )],
        "PEP-1",
        "What is a PEP?\n==============",
    ),
    (
        "numbered proposals: 1 item",
        &[(
            "bip-0001.mediawiki",
            "<pre>\n  BIP: 1\n  Title: Purpose\n  Status: Draft\n</pre>\n\n==What is it?==\n\nA text.\n",
        )],
        "BIP-1",
        "What is it?",
    ),
];

#[test]
fn each_tracker_is_recognised_and_its_first_pack_holds_what_belongs_to_it() {
    for (what, files, id, text) in TRACKED {
        let sandbox = Sandbox::with(files);
        let run = sandbox.run(&["init"]);
        assert!(run.stderr.contains(&format!("found {what}\n")), "{what}: {}", run.stderr);
        assert!(run.stderr.ends_with(&format!("next: contextpack render {id}\n")), "{what}: {}", run.stderr);
        let pack = sandbox.expect(0, &["render", id.trim_matches('\'')]);
        assert!(pack.contains(text), "{what}: {pack}");
        let build = sandbox.run(&["build", "--strict"]);
        assert_eq!(build.code, 0, "{what}: {}", build.stderr);
    }
}

#[test]
fn a_tracker_without_items_to_read_is_told_how_to_give_them() {
    let sandbox = Sandbox::with(&[(".beads/metadata.json", "{}"), (".gitignore", "*.jsonl\n"), ("a.txt", "a")]);
    sandbox.git(&["init", "-q"]);
    let said = sandbox.run(&["init"]).stderr;
    assert!(
        said.contains("hint: beads: `.beads` is here, and no item: `bd config set export.auto true` and `bd export"),
        "{said}"
    );
    std::fs::remove_file(sandbox.path("contextpack.yml")).unwrap();
    sandbox.write(".beads/issues.jsonl", "{\"id\": \"bd-1\", \"title\": \"One\"}\n");
    let said = sandbox.run(&["init"]).stderr;
    assert!(said.contains("`.beads` is here, and git ignores `.beads/issues.jsonl`: "), "{said}");
}

#[test]
fn a_repo_with_its_work_on_github_gets_no_samples_and_names_the_repo_without_credentials() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["remote", "add", "origin", "https://user:abcdefgh@github.com/owner/name.git"]);
    assert_eq!(sets_up(&sandbox), "");
    let config = sandbox.read("contextpack.yml");
    assert!(config.contains("repo: \"owner/name\"") && !config.contains("abcdefgh"), "{config}");
    assert!(!sandbox.has("work_items") && !sandbox.has("docs"));
}

#[test]
fn cached_packs_stay_out_of_git() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q"]);
    sandbox.expect(0, &["init"]);
    assert_eq!(sandbox.expect(0, &["build"]), ".contextpack/packs/feat-example.coding.json\n");
    sandbox.commit();
    sandbox.expect(0, &["check"]);
    let mut status = std::process::Command::new("git");
    let tracked = status.args(["ls-files", ".contextpack"]).current_dir(sandbox.root()).output().unwrap();
    assert_eq!(String::from_utf8(tracked.stdout).unwrap(), ".contextpack/.gitignore\n");
}

#[test]
fn a_faulty_configuration_stops_init_before_it_writes() {
    let sandbox = Sandbox::with(&[("contextpack.yml", "outptu: {}\n")]);
    let run = sandbox.run(&["init"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert!(run.stderr.contains("`output`"), "{}", run.stderr);
    assert_eq!(sandbox.files().len(), 1);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_is_told_and_gets_no_sample() {
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink("work_items", sandbox.root().join("work_items")).unwrap();
    std::fs::create_dir_all(sandbox.path("backlog/tasks")).unwrap();
    let run = sandbox.run(&["init"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning[unreadable-file]: it cannot be examined: "), "{}", run.stderr);
    assert!(run.stderr.contains("--> work_items"), "{}", run.stderr);
    assert!(!sandbox.has("docs") && sandbox.has("contextpack.yml"));
    let json = sandbox.json(0, &["init", "--format", "json"]);
    assert_eq!(json["diagnostics"][0]["code"], "unreadable-file", "{json}");

    // git is there and cannot say whether there is a remote.
    let sandbox = Sandbox::with(&[(".git", "gitdir: /nowhere/at/all\n")]);
    let run = sandbox.run(&["init"]);
    assert!(run.code == 0 && run.stderr.contains("the git remote is unknown: git failed: "), "{}", run.stderr);
}

#[test]
fn a_file_with_nothing_but_the_block_of_init_is_not_proposed_as_rules() {
    let sandbox = Sandbox::with(&[("README.md", "# X\n"), ("AGENTS.md", "# Agents\n\n"), ("CLAUDE.md", "Be brief.\n")]);
    sandbox.git(&["init", "-q"]);
    sandbox.expect(0, &["init", "--for", "codex", "--for", "claude"]);
    let both = [sandbox.read("AGENTS.md"), sandbox.read("CLAUDE.md")];
    assert!(both.iter().all(|text| text.contains("contextpack begin")), "{both:?}");
    std::fs::remove_file(sandbox.path("contextpack.yml")).unwrap();
    sandbox.expect(0, &["init"]);
    let config = sandbox.read("contextpack.yml");
    assert!(config.contains("\n  - {include: [\"CLAUDE.md\"], type: style_guide, pinned: true}   # "), "{config}");
}

#[test]
fn rules_are_pinned_and_other_documents_are_proposed_in_comments() {
    let sandbox = Sandbox::with(&[
        ("README.md", "# X\n\nSells tea.\n"),
        ("AGENTS.md", "# Rules\n\nBe brief.\n"),
        ("CLAUDE.md", "@AGENTS.md\n"),
        ("GEMINI.md", "# Rules\n\nBe brief.\n"),
        (".specify/memory/constitution.md", "# [PROJECT_NAME] Constitution\n\nText.\n"),
        ("docs/api.md", "# API\n"),
        ("docs/runbooks/restore/db.md", "# Restore\n"),
    ]);
    sandbox.expect(0, &["init"]);
    let config = sandbox.read("contextpack.yml");
    let proposed = "\
overview: \"README.md\"   # 16 bytes
documents:
  - {include: [\"AGENTS.md\"], type: style_guide, pinned: true}   # 19 bytes
#   - {include: [\"docs/runbooks/**/*.md\"], type: playbook}
#   - {include: [\"docs/**/*.md\"], type: reference}
";
    assert!(config.contains(proposed), "{config}");
    // Without the `# ` it is what the next build reads.
    sandbox.write("contextpack.yml", config.replace("\n#   - {", "\n  - {"));
    sandbox.expect(0, &["agent", "new", "Scribe", "--purpose", "Write"]);
    let shown = sandbox.json(0, &["agent", "show", "scribe", "--format", "json"]);
    assert_eq!(shown["documents"].as_array().unwrap().len(), 4, "{shown}");
    // A long overview would fill packs.
    std::fs::remove_file(sandbox.path("contextpack.yml")).unwrap();
    sandbox.write("README.md", "Sells tea.\n".repeat(900));
    sandbox.expect(0, &["init"]);
    assert!(
        sandbox.read("contextpack.yml").contains("\n# overview: \"README.md\"   # 10 kB, which leaves little space")
    );
}

#[cfg(feature = "mcp")]
#[test]
fn an_agents_program_gets_its_entry_and_loses_nothing() {
    let sandbox = Sandbox::new();
    let own = "{\n  // mine\n  \"inputs\": [],\n  \"servers\": {\"other\": {\"command\": \"o\"}}\n}\n";
    sandbox.write(".vscode/mcp.json", own);
    let all = ["init", "--for", "claude", "--for", "cursor", "--for", "vscode", "--for", "codex"];
    let run = sandbox.run(&all);
    for path in [".mcp.json", ".cursor/mcp.json", ".codex/config.toml"] {
        assert!(run.stdout.lines().any(|line| line == path), "{run:?}");
        assert!(sandbox.read(path).contains("contextpack") && sandbox.read(path).contains("\"mcp\""), "{path}");
    }
    let codex: toml::Table = sandbox.read(".codex/config.toml").parse().unwrap();
    assert_eq!(codex["mcp_servers"]["contextpack"]["args"][0].as_str(), Some("mcp"));
    for path in [".mcp.json", ".cursor/mcp.json"] {
        let json: serde_json::Value = serde_json::from_str(&sandbox.read(path)).unwrap();
        assert_eq!(json["mcpServers"]["contextpack"]["args"], serde_json::json!(["mcp"]), "{path}");
    }
    assert_eq!(sandbox.read(".vscode/mcp.json"), own);
    assert!(run.code == 0 && run.stderr.contains("by hand: .vscode/mcp.json: "), "{}", run.stderr);
    let before = sandbox.files();
    assert_eq!(sandbox.expect(0, &all), "");
    assert_eq!(sandbox.files(), before);
}

#[cfg(all(feature = "mcp", unix))]
#[test]
fn an_entry_is_written_through_no_link_and_into_no_file_that_has_one() {
    let sandbox = Sandbox::configured(&[]);
    let other = "{\"mcpServers\": {\"contextpack\": {\"command\": \"other\"}}}\n";
    sandbox.write(".mcp.json", other);
    sandbox.write("elsewhere.json", "{}");
    std::fs::create_dir(sandbox.path(".cursor")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("elsewhere.json"), sandbox.path(".cursor/mcp.json")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("work_items"), sandbox.path(".codex")).unwrap();
    let run = sandbox.run(&["init", "--for", "claude", "--for", "cursor", "--for", "vscode", "--for", "codex"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let by_hand: Vec<&str> = run.stderr.lines().filter_map(|line| line.strip_prefix("by hand: ")).collect();
    assert!(
        matches!(&by_hand[..], [codex, cursor] if cursor.starts_with(".cursor/mcp.json: ")
            && codex.contains("[mcp_servers.contextpack]")),
        "{by_hand:?}"
    );
    assert_eq!((sandbox.read(".mcp.json").as_str(), sandbox.read("elsewhere.json").as_str()), (other, "{}"));
    let json = sandbox.json(0, &["init", "--for", "cursor", "--for", "vscode", "--format", "json"]);
    assert_eq!(
        (&json["by_hand"][0]["path"], &json["by_hand"][1]),
        (&".cursor/mcp.json".into(), &serde_json::Value::Null)
    );
}

#[test]
fn an_empty_folder_gets_everything_and_what_is_there_gets_no_sample() {
    let sandbox = Sandbox::new();
    let all = "docs/adr/0001-record-decisions.md\nwork_items/feat-example.md\ncontextpack.yml\n.contextpack/.gitignore\n\
               .github/workflows/contextpack.yml\n";
    assert_eq!(sandbox.expect(0, &["init"]), all);
    let again = sandbox.run(&["init"]);
    assert_eq!((again.stdout.as_str(), again.stderr.matches("left alone: ").count()), ("", 3), "{}", again.stderr);
    for there in ["docs/adr/0007-x.md", "backlog/tasks/a.md", ".beads/issues.jsonl", "work_items/x.md", "a.txt"] {
        let written = Sandbox::with(&[(there, "x")]).expect(0, &["init"]);
        assert!(!written.contains("feat-example") && !written.contains("record-decisions"), "{there}");
    }
}

#[test]
fn existing_lines_of_gitattributes_stay_and_cached_packs_need_none() {
    let sandbox = Sandbox::with(&[(".gitattributes", "*.png binary"), ("packs/x.txt", "x")]);
    sandbox.expect(0, &["init", "--commit"]);
    let block = "*.png binary\n# contextpack begin\n\
                 context-packs/*.json linguist-generated diff=contextpack merge=contextpack text eol=lf\n\
                 context-packs/*.md merge=contextpack text eol=lf\n\
                 context/cards/** -text\ncontext/boxes/** -text\ncontext/logs/** -text\n\
                 context/packs/*.json linguist-generated diff=contextpack merge=contextpack text eol=lf\n\
                 context/batches/** -text\ncontext/inbox/** -text\n\
                 # contextpack end\n";
    assert_eq!(sandbox.read(".gitattributes"), block);
    let cached = Sandbox::new();
    cached.expect(0, &["init"]);
    assert!(!cached.has(".gitattributes"));
    // Batches come with the folders of cards, which git must not change.
    cached.expect(0, &["init", "--batches"]);
    assert!(cached.read(".gitattributes").starts_with("# contextpack begin\ncontext/cards/** -text\n"));
    assert!(cached.read(".contextpack/.gitignore").contains("*\n!.gitignore\n"));
    assert!(
        cached.read("contextpack.yml").contains("\n  # dir: packs   # in git; the default is `.contextpack/packs`")
    );
}

#[test]
fn packs_come_into_git_later_whatever_was_written_meanwhile() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &["init"]);
    let own = sandbox.read("contextpack.yml").replace("version: 1\n", "version: 1\n# Our own remark.\n");
    sandbox.write("contextpack.yml", own);
    sandbox.write("work_items/second.md", "---\nid: feat:second\nstatus: open\n---\n\n# Second\n");
    sandbox.commit();
    let run = sandbox.run(&["init", "--commit"]);
    assert!(run.code == 0 && run.stdout.contains("contextpack.yml\n") && !run.stderr.contains("contextpack.yml: it"));
    let text = sandbox.read("contextpack.yml");
    assert!(text.contains("# Our own remark.\n") && text.contains("\n  dir: packs\n"), "{text}");
    sandbox.expect(0, &["build"]);
    assert!(sandbox.has("packs/feat-second.coding.json") && sandbox.has("packs/feat-second.coding.md"));
    assert_eq!(sandbox.run(&["init", "--commit"]).stdout, "");
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_repo() {
    let sandbox = Sandbox::new();
    let out = sandbox.beside("out");
    std::fs::create_dir(&out).unwrap();
    for name in [".github", ".contextpack", "work_items"] {
        std::os::unix::fs::symlink(&out, sandbox.path(name)).unwrap();
    }
    std::os::unix::fs::symlink(out.join("x"), sandbox.path(".gitattributes")).unwrap();
    let run = sandbox.run(&["init", "--commit"]);
    let prefixed = |line: &'_ str| line.starts_with("left alone: ") || line.starts_with("not written: ");
    let left = run.stderr.lines().filter(|line| prefixed(line)).filter_map(|line| line.split(": ").nth(1));
    let workflows = [".github/workflows/contextpack.yml", ".github/workflows/contextpack-packs.yml"];
    let expected = [&[".contextpack/.gitignore", ".gitattributes"], &workflows[..]].concat();
    assert_eq!(left.collect::<Vec<_>>(), expected, "{}", run.stderr);
    assert_eq!(std::fs::read_dir(out).unwrap().count(), 0);
}

#[test]
fn a_folder_that_means_something_in_a_workflow_is_refused_before_anything_is_written() {
    for (config, code) in [
        ("output: {dir: \"${{ github.token }}\"}\n", 3),
        ("github: {repo: o/r, snapshot: \"a`id`\"}\n", 3),
        ("output: {dir: \"[.]github\"}\n", 3),
        ("output: {dir: \"@SNAPSHOT@\"}\n", 3),
        ("output: {dir: \"out put/v1.0\"}\n", 0),
    ] {
        let sandbox = Sandbox::with(&[("contextpack.yml", config)]);
        let run = sandbox.run(&["init"]);
        assert_eq!(run.code, code, "{config}: {}", run.stderr);
        assert!(code == 0 || sandbox.files().len() == 1, "{config}");
    }
}
