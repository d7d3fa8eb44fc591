//! What a session of an agent's program begins with, and what it is told after a break.

use crate::sandbox::{Run, Sandbox, files};
use serde_json::json;

fn repo() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".contextpack/\n"),
        ("contextpack.yml", "version: 1\n"),
        ("work_items/7.md", "---\nid: task-7\ntitle: Cache\ndocs: [docs/a.md, docs/b.md]\n---\n\nKeep results.\n"),
        ("work_items/123.md", "---\nid: \"123\"\ntitle: Limits\n---\n\nSay limits.\n"),
        ("work_items/fix.md", "---\nid: fix\ntitle: A word\n---\n\nFix.\n"),
        ("docs/a.md", "# A\n\nFirst text.\n"),
        ("docs/b.md", "# B\n\nSecond text.\n"),
    ]);
    sandbox.commit();
    sandbox
}

/// Runs the hook as Claude Code does at this point of a session.
fn hook(sandbox: &Sandbox, args: &[&str], source: &str, session: &str) -> Run {
    let event =
        json!({"hook_event_name": "SessionStart", "source": source, "session_id": session, "cwd": sandbox.root()});
    sandbox.run_with(&[&["hook"], args].concat(), &event.to_string())
}

fn on_branch(sandbox: &Sandbox, branch: &str) -> Run {
    sandbox.git(&["checkout", "-q", "-B", branch]);
    hook(sandbox, &[], "startup", "s")
}

#[test]
fn the_item_is_in_the_name_of_the_branch() {
    let sandbox = repo();
    let pack = |item: &str| sandbox.expect(0, &["render", item, "--max-chars", "9500"]);
    for (branch, item) in [
        ("claude/task-7", "task-7"),
        ("feat/TASK_7-cache", "task-7"),
        ("feat/123-limits", "123"),
        ("fix-123", "123"),
        ("fix", "fix"),
        ("feat/7-cache", "task-7"),
    ] {
        if branch == "feat/7-cache" {
            sandbox.write("contextpack.yml", "work_items: [{include: [work_items/*.md], prefixes: [task-]}]\n");
        }
        let run = on_branch(&sandbox, branch);
        assert_eq!((run.code, run.stdout, run.stderr), (0, pack(item), String::new()), "{branch}");
    }
}

#[test]
fn where_there_is_no_item_nothing_is_printed_and_no_session_fails() {
    let sandbox = repo();
    for branch in ["main", "fix/typo", "release/1.123", "day/2026-123", "task-70"] {
        let run = on_branch(&sandbox, branch);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{branch}");
    }
    let several = on_branch(&sandbox, "123-task-7-fix/fix");
    assert_eq!((several.code, several.stderr.as_str()), (0, ""), "the longest id counts");
    sandbox.write("work_items/8.md", "---\nid: task-8\n---\n\nText.\n");
    let several = on_branch(&sandbox, "task-7-task-8");
    assert_eq!((several.code, several.stdout.as_str()), (0, ""));
    assert!(
        several.stderr.contains("`task-7` and `task-8`") || several.stderr.contains("`task-7`, `task-8`"),
        "{}",
        several.stderr
    );
    for input in ["", "no event", "[1]"] {
        let run = sandbox.run_with(&["hook"], input);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (0, "", 1), "{input}");
    }
    let gone = sandbox.run_with(&["hook"], "{\"cwd\": \"no/such/folder\"}");
    assert!(gone.code == 0 && gone.stdout.is_empty() && gone.stderr.contains("no/such/folder"), "{gone:?}");
    let gone = sandbox.run_with(&["-C", "no/such/folder", "hook"], "");
    assert!(gone.code == 0 && gone.stderr.contains("no/such/folder"), "{gone:?}");
    on_branch(&sandbox, "task-7");
    sandbox.write("contextpack.yml", "versoin: 1\n");
    let broken = hook(&sandbox, &[], "startup", "s");
    assert_eq!((broken.code, broken.stdout.as_str()), (0, ""));
    assert!(broken.stderr.contains("did you mean `version`?"), "{}", broken.stderr);
    let outside = Sandbox::new();
    std::fs::remove_dir_all(outside.path(".git")).ok();
    assert_eq!(hook(&outside, &[], "startup", "s").stdout, "");
}

#[test]
fn a_variable_names_the_item_and_a_linked_work_tree_does() {
    let mut sandbox = repo();
    let elsewhere = sandbox.beside("repo-task-7");
    sandbox.git(&["worktree", "add", "-q", "--detach", elsewhere.to_str().unwrap()]);
    let event = json!({"source": "startup", "cwd": elsewhere}).to_string();
    let run = sandbox.run_with(&["hook"], &event);
    assert!(run.code == 0 && run.stdout.contains("Keep results."), "{run:?}");
    sandbox.set_variable("CONTEXTPACK_ITEM", "123");
    assert!(sandbox.run_with(&["hook"], &event).stdout.contains("Say limits."));
    sandbox.set_variable("CONTEXTPACK_ITEM", "task-77");
    let run = hook(&sandbox, &[], "startup", "s");
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("there is no item `task-77`"), "{}", run.stderr);
}

#[test]
fn after_a_break_only_what_changed_is_printed() {
    let sandbox = repo();
    let whole = on_branch(&sandbox, "task-7").stdout;
    let unchanged = hook(&sandbox, &[], "compact", "s").stdout;
    assert!(unchanged.lines().count() == 1 && unchanged.contains("still what a build gives"), "{unchanged}");
    assert_eq!(hook(&sandbox, &[], "resume", "another").stdout, whole, "another session was given nothing");
    sandbox.write("docs/a.md", "# A\n\nAnother text.\n");
    sandbox.write("work_items/7.md", sandbox.read("work_items/7.md").replace(", docs/b.md", ""));
    let changed = hook(&sandbox, &[], "resume", "s").stdout;
    assert!(changed.starts_with("# What changed\n") && changed.contains("<section id=\"file.docs/a.md\""), "{changed}");
    assert!(changed.contains("Another text.") && changed.contains("(gone): docs/b.md"), "{changed}");
    assert!(!changed.contains("Keep results.") && changed.len() < whole.len(), "{changed}");
    assert!(
        hook(&sandbox, &[], "resume", "s").stdout.contains("still what a build gives"),
        "it was given what changed"
    );
    assert!(hook(&sandbox, &[], "clear", "s").stdout.contains("Keep results."));
    assert!(on_branch(&sandbox, "123").stdout.contains("Say limits."));
    assert!(hook(&sandbox, &[], "resume", "s").stdout.contains("still what"), "the session is about another item");
    on_branch(&sandbox, "task-7");
    sandbox.git(&["checkout", "-q", "123"]);
    assert!(hook(&sandbox, &[], "compact", "s").stdout.contains("Say limits."), "that item is new to it");
}

#[test]
fn no_output_is_longer_than_its_limit() {
    let sandbox = repo();
    sandbox.write("docs/a.md", format!("# A\n\n{}", "A line of many words.\n".repeat(900)));
    for (args, most) in [(&[][..], 9_500), (&["--max-chars", "6000"], 6_000)] {
        sandbox.git(&["checkout", "-q", "-B", "task-7"]);
        let whole = hook(&sandbox, args, "startup", "s").stdout;
        assert!(whole.contains("Keep results.") && whole.chars().count() <= most, "{}", whole.chars().count());
    }
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_chars: 4000}}}\n");
    assert!(hook(&sandbox, &[], "startup", "s").stdout.chars().count() <= 4_000, "the profile allows less");
    for round in 0..8 {
        sandbox.write("docs/a.md", format!("# A\n\n{}", format!("Words of {round}.\n").repeat(600)));
        assert!(hook(&sandbox, &[], "resume", "s").stdout.chars().count() <= 4_000);
    }
}

#[test]
fn what_sessions_were_given_is_kept_in_few_files_without_secrets_and_names() {
    let sandbox = repo();
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    sandbox.write("docs/a.md", format!("# A\n\ntoken: {secret}\n"));
    on_branch(&sandbox, "task-7");
    for session in 0..20 {
        hook(&sandbox, &[], "startup", &format!("session-{session}"));
    }
    let kept = files(&sandbox.path(".contextpack/sessions"));
    assert!((2..=22).contains(&kept.len()), "{}", kept.len());
    for (name, bytes) in kept {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(&secret) && !text.contains("session-"), "{name}");
    }
    sandbox.git(&["add", "-f", ".contextpack/sessions"]);
    sandbox.git(&["commit", "-qm", "state"]);
    let tracked = hook(&sandbox, &[], "resume", "session-3");
    assert_eq!((tracked.code, tracked.stdout.as_str()), (0, ""), "it came with the repo");
    assert!(tracked.stderr.contains(".contextpack/sessions"), "{}", tracked.stderr);
}

#[test]
fn the_agent_of_the_item_is_known_to_its_session() {
    let sandbox = repo();
    sandbox.write("work_items/7.md", "---\nid: task-7\nassignees: [bot-x]\n---\n\nKeep results.\n");
    sandbox.write("agents/coder.md", "---\nassignees: [bot-x]\n---\nYou write code.\n");
    assert!(on_branch(&sandbox, "task-7").stdout.contains("You write code."));
    assert!(!hook(&sandbox, &["--no-agent"], "startup", "s").stdout.contains("You write code."));
    sandbox.git(&["checkout", "-q", "-B", "main"]);
    assert!(hook(&sandbox, &["--agent", "coder"], "startup", "s").stdout.contains("You write code."));
    sandbox.write("agents/tester.md", "---\nassignees: [bot-x]\n---\nYou test.\n");
    let both = on_branch(&sandbox, "task-7");
    assert!(both.stdout.contains("Keep results.") && !both.stdout.contains("You test."));
    assert!(both.stderr.contains("assigned to the agents"), "{}", both.stderr);
}

#[test]
fn init_offers_the_hook_and_leaves_settings_alone() {
    let sandbox = Sandbox::configured(&[]);
    let written = sandbox.expect(0, &["init", "--for", "claude"]);
    assert!(written.contains(".claude/settings.json\n"), "{written}");
    let settings: serde_json::Value = serde_json::from_str(&sandbox.read(".claude/settings.json")).unwrap();
    let command = json!({"type": "command", "command": "contextpack hook"});
    assert_eq!(settings["hooks"]["SessionStart"][0]["hooks"][0], command);
    assert_eq!(sandbox.expect(0, &["init", "--for", "claude"]), "");
    let own = "{\"permissions\": {\"allow\": [\"Bash(contextpack:*)\"]}}\n";
    sandbox.write(".claude/settings.json", own);
    let by_hand = sandbox.run(&["init", "--for", "claude"]).stderr;
    assert!(by_hand.contains("by hand: .claude/settings.json: ") && by_hand.contains("contextpack hook"), "{by_hand}");
    assert_eq!(sandbox.read(".claude/settings.json"), own);
}
