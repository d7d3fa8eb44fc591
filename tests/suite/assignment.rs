//! Work items that are assigned to an agent by an assignee or a label.

use crate::issues::{issue, path};
use crate::mcp_client::{Client, text};
use crate::sandbox::{Run, Sandbox, run};
use serde_json::{Value, json};

fn team() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".contextpack/\npacks/\n"),
        ("contextpack.yml", "github: {repo: o/r}\n"),
        ("agents/coder.md", "---\nassignees: [bot-x]\nlabels: [\"agent:coder\"]\n---\nYou write code.\n"),
        ("agents/tester.md", "---\nlabels: \"agent:tester\"\n---\nYou test.\n"),
        ("work_items/a.md", "---\nid: task:a\nassignees: \"@Bot-X\"\n---\n\nText.\n"),
        ("work_items/b.md", "---\nid: task:b\nlabels: [agent:tester, Agent:Coder]\n---\n\nText.\n"),
        ("work_items/c.md", "---\nid: task:c\nlabels: [coder]\n---\n\nText.\n"),
    ]);
    sandbox.commit();
    let outsider = issue("o/r", 5, "By an outsider", "Text.").replace("\"MEMBER\"", "\"NONE\"");
    let mut outsider: Value = serde_json::from_str(&outsider).unwrap();
    outsider["trust"] = json!("untrusted");
    outsider["assignees"] = json!(["BOT-x"]);
    sandbox.write(&path("o/r", 5), outsider.to_string());
    let elsewhere = issue("p/q", 6, "Of another repo", "Text.").replace("\"ready\"", "\"agent:coder\"");
    sandbox.write(&path("p/q", 6), elsewhere);
    sandbox
}

fn in_ci(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command = sandbox.command(args);
    command.env("CI", "true");
    run(command, "")
}

#[test]
fn an_item_with_an_assignee_or_a_label_of_one_agent_gives_its_pack() {
    let sandbox = team();
    for (item, why) in [("task:a", "assignee `bot-x`"), ("5", "assignee `bot-x`")] {
        let assigned = sandbox.run(&["render", item]);
        assert_eq!((assigned.code, assigned.stdout), (0, sandbox.expect(0, &["render", item, "--agent", "coder"])));
        assert!(assigned.stderr.contains(&format!("assigned to the agent `agent:coder:main` ({why})")), "{item}");
        assert!(!sandbox.expect(0, &["render", item, "--no-agent"]).contains("You write code"), "{item}");
    }
    let explained = ["explain", "task:a", "--format", "json"];
    assert_eq!(sandbox.json(0, &explained), sandbox.json(0, &[&explained[..], &["--agent", "coder"]].concat()));
    assert_eq!(sandbox.run(&["render", "task:c"]).stderr, "", "a part of a label is none");
    assert_eq!(sandbox.run(&["render", "p/q#6"]).stderr, "", "another repo assigns nobody here");
}

#[test]
fn two_agents_of_one_item_are_named_and_none_is_guessed() {
    let sandbox = team();
    let run = sandbox.run(&["render", "task:b"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let named = "`agent:coder:main` (label `agent:coder`) and `agent:tester:main` (label `agent:tester`)";
    assert!(run.stderr.contains(named), "{}", run.stderr);
    sandbox.expect(0, &["render", "task:b", "--agent", "tester"]);
    sandbox.expect(0, &["render", "task:b", "--no-agent"]);
    let both = ["render", "task:b", "--no-agent", "--agent", "tester"];
    sandbox.expect(2, &both);
}

#[test]
fn the_work_of_an_agent_is_listed() {
    let sandbox = team();
    let ids = |agent: &str| {
        let listed = sandbox.json(0, &["list", "--format", "json", "--agent", agent]);
        listed["roots"]
            .as_array()
            .unwrap()
            .iter()
            .map(|root| root["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("coder"), ["o/r#5", "task:a", "task:b"]);
    assert_eq!(ids("agent:tester"), ["task:b"]);
    assert!(sandbox.run(&["list", "--agent", "codr"]).stderr.contains("did you mean `agent:coder:main`?"));
    let shown = sandbox.json(0, &["agent", "show", "coder", "--format", "json"]);
    assert_eq!((&shown["assignees"], &shown["labels"]), (&json!(["bot-x"]), &json!(["agent:coder"])));
}

#[test]
fn what_anyone_could_have_written_assigns_nobody() {
    let sandbox = team();
    sandbox.write("work_items/d.md", "---\nid: task:d\nassignees: [bot-x]\n---\n\nText.\n");
    sandbox.write("agents/new.md", "---\nlabels: [coder]\n---\nYou take over.\n");
    assert!(sandbox.run(&["render", "task:d"]).stderr.contains("agent:coder:main"), "here it is the repo's own");
    assert!(!in_ci(&sandbox, &["render", "task:d"]).stdout.contains("You write code"));
    assert!(!in_ci(&sandbox, &["render", "task:c"]).stdout.contains("You take over"));
    assert!(in_ci(&sandbox, &["render", "task:a"]).stdout.contains("You write code"));
}

#[test]
fn builds_are_the_same_whatever_is_assigned() {
    let sandbox = team();
    sandbox.expect(0, &["build"]);
    let before = sandbox.packs();
    for agent in ["coder", "tester"] {
        std::fs::remove_file(sandbox.path(&format!("agents/{agent}.md"))).unwrap();
    }
    sandbox.expect(0, &["build"]);
    assert_eq!(sandbox.packs(), before);
}

#[test]
fn the_server_of_agents_gives_the_pack_of_the_agent_too() {
    let sandbox = team();
    let mut client = Client::stateless(&sandbox);
    let mut pack = |arguments: Value| client.tool("get_context_pack", arguments);
    let assigned = pack(json!({"root": "task:a"}));
    assert_eq!(text(&assigned), sandbox.expect(0, &["render", "task:a"]));
    let several = pack(json!({"root": "task:b"}));
    assert!(several["isError"] == true && text(&several).contains("name one as `agent`"), "{several}");
    assert_eq!(
        text(&pack(json!({"root": "task:b", "agent": "tester"}))),
        sandbox.expect(0, &["render", "task:b", "--agent", "tester"])
    );
}
