//! Records, statuses and front matter as people, programs and accidents write them.

use crate::sandbox::Sandbox;
use serde_json::Value;

fn pack(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_str(&sandbox.read(&format!("packs/{name}.coding.json"))).unwrap()
}

/// A repo with committed packs of the items in these files.
fn built(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    sandbox.write("contextpack.yml", "output: {dir: packs}\n");
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    sandbox
}

#[test]
fn a_broken_record_keeps_its_packs_and_those_that_hold_it() {
    let lines = "{\"id\":\"j-1\",\"title\":\"one\"}\n{\"id\":\"j-2\",\"title\":\"two\",\"depends_on\":[\"j-1\"]}\n{\"id\":\"j-3\",\"title\":\"three\",\"depends_on\":[\"j-2\"]}\n{\"id\":\"j-4\",\"title\":\"four\"}\n";
    let list = format!("[{}]", lines.trim_end().replace('\n', ","));
    let cases = [
        ("i.jsonl", lines.to_owned(), lines.replace("two\",\"depends_on\":[\"j-1\"]}", "tw")),
        ("i.jsonl", lines.to_owned(), lines.replace("\"two\"", "\"t\\x\"")),
        ("i.json", list.clone(), list.replace("\"two\"", "\"t\"wo\"")),
        ("i.json", list.clone(), list[..list.find(",\"depends_on\":[\"j-1\"]").unwrap()].to_owned()),
    ];
    for (name, whole, broken) in cases {
        let path = format!("work_items/{name}");
        let sandbox = built(&[(&path, &whole), ("work_items/other.yml", "id: other\ntitle: Other\n")]);
        let before = sandbox.packs();
        sandbox.write(&path, &broken);
        let run = sandbox.run(&["build"]);
        assert!(run.code == 3 && run.stderr.contains("error[invalid-item]"), "{broken}: {run:?}");
        assert_eq!(sandbox.packs().len(), before.len(), "{broken}");
        let kept = |packs: &[(String, Vec<u8>)]| {
            packs.iter().filter(|(path, _)| !path.contains("j-4")).cloned().collect::<Vec<_>>()
        };
        assert_eq!(kept(&sandbox.packs()), kept(&before), "{broken}");
        assert_eq!(sandbox.run(&["check"]).code, 3, "{broken}");
    }
}

#[test]
fn a_check_that_could_read_nothing_is_no_success() {
    for broken in ["[{\"title\":\"x\"", "{\"id\":\"j-", "[{\"id\":\"j-1\",\"title\":\"tw"] {
        let sandbox = built(&[("work_items/i.json", "[{\"id\":\"j-1\",\"title\":\"one\"}]\n")]);
        sandbox.write("work_items/i.json", broken);
        let run = sandbox.run(&["check"]);
        assert_eq!(run.code, 3, "{broken}: {run:?}");
        assert!(!run.stderr.contains("contextpack init"), "{broken}: {run:?}");
        let run = sandbox.run(&["build"]);
        assert!(sandbox.has("packs/j-1.coding.json") && !run.stderr.contains("contextpack init"), "{broken}: {run:?}");
    }
}

#[test]
fn the_status_of_an_adr_is_what_it_says_of_itself() {
    let section = |status: &str| format!("# A\n\n## Status\n\n{status}\n\n## Context\n\nText.\n");
    let inactive = [
        section("Proposed\n\nSuperceded by [9. New](0009-new.md)"),
        section("Accepted\n\nSuperseded by ADR-9."),
        section("- 2024-01-02: Accepted\n- 2024-03-01: Deprecated"),
        section("Replaced by ADR-9"),
        section("Declined"),
        section("Retired"),
        section("Withdrawn"),
        section("Obsolete"),
        section("Not accepted"),
        section("Accepted, but not in force any more"),
        section("Phased out"),
        section("Accepted\n\n> [!NOTE]\n> This decision was superseded by ADR-9."),
        "# B\n\n## Current status\n\nRejected\n".to_owned(),
        "| Status | Date |\n|:--|:--|\n| Superseded by ADR-9 | 2025-01-01 |\n\n## Context\n\nc\n".to_owned(),
        "# B\n\n| Date | Status |\n|--|--|\n| 2025-01-01 | Rejected |\n".to_owned(),
        "# B\n\n## 2. Status -\n\nRejected\n".to_owned(),
        "---\nstatus: accepted\nsuperseded_by: ADR-9\n---\n# B\n".to_owned(),
    ];
    let in_force = [
        section("Accepted. Not superseded; supersedes ADR-30."),
        section("Accepted. Refines ADR-5, which superseded ADR-4."),
        section("Accepted (was: rejected)"),
        "# B\n\nStatus: Accepted (supersedes the deprecated cache)\n".to_owned(),
        "# B\n\n* Status: {proposed | rejected | accepted | superseded by ADR-9}\n".to_owned(),
        section("Proposed/Accepted/Deprecated"),
    ];
    for (texts, is_inactive) in [(&inactive[..], true), (&in_force[..], false)] {
        let sandbox =
            Sandbox::with(&[("contextpack.yml", "output: {dir: packs}\n"), ("docs/adr/0099-new.md", "# 9\n")]);
        let mut named = String::new();
        for (number, text) in (1..).zip(texts) {
            sandbox.write(&format!("docs/adr/{number:04}-a.md"), text);
            named.push_str(&format!("ADR-{number}, "));
        }
        sandbox.write("work_items/1.md", format!("---\nid: me-1\n---\n{named}\n"));
        sandbox.expect(0, &["build"]);
        let pack = pack(&sandbox, "me-1");
        for number in 1..=texts.len() {
            let name = format!("{number:04}-a.md");
            let warns = |it: &&Value| it["code"] == "inactive-adr" && it["message"].as_str().unwrap().contains(&name);
            let count = pack["warnings"].as_array().unwrap().iter().filter(warns).count();
            assert_eq!(count, usize::from(is_inactive), "{name}: {}", texts[number - 1]);
        }
    }
}

#[test]
fn front_matter_is_read_or_its_loss_is_reported() {
    let fields = "id: item-1\ntitle: Tidy\n";
    for (text, is_read) in [
        (format!("---\n{fields}...\n\nB\n"), true),
        (format!("\n---\n{fields}---\nB\n"), true),
        (format!("<!-- lint off -->\n---\n{fields}---\nB\n"), true),
        (format!("\u{a0}---\n{fields}---\nB\n"), true),
        (format!("---yaml\n{fields}---\nB\n"), true),
        (format!(" ---\n{fields}---\nB\n"), true),
        (format!("--- # fields\n{fields}---\nB\n"), true),
        ("---\nid:\u{a0}item-1\ntitle: Tidy\n---\nB\n".to_owned(), true),
        ("---\nid:\titem-1\ntitle: Tidy\n---\nB\n".to_owned(), true),
        ("---\ntitle: Tidy\nid:\titem-1\n---\nB\n".to_owned(), true),
        (format!("---\n{fields}depends_on:\n\t- item-2\n---\nB\n"), true),
        ("---\nbase: &b {id: item-1, title: Tidy}\n<<: *b\n---\nB\n".to_owned(), true),
        (format!("```markdown\n---\n{fields}---\nB\n```\n"), false),
        ("+++\nid = \"item-1\"\n+++\nB\n".to_owned(), false),
        (format!("{fields}---\nB\n"), false),
        ("---\nid：item-1\ntitle：Tidy\n---\nB\n".to_owned(), false),
        ("---\nid = item-1\n---\nB\n".to_owned(), false),
        ("{\n  \"id\": \"item-1\"\n}\n\nB\n".to_owned(), false),
        (format!("# Tidy\n\n---\n{fields}---\nB\n"), false),
        (format!("%YAML 1.2\n---\n{fields}---\nB\n"), false),
    ] {
        let sandbox =
            Sandbox::with(&[("contextpack.yml", "output: {dir: packs}\n"), ("work_items/2.yml", "id: item-2\n")]);
        sandbox.write("work_items/1.md", &text);
        let run = sandbox.run(&["build"]);
        assert_eq!(run.code, 0, "{text:?}: {run:?}");
        if is_read {
            assert_eq!(pack(&sandbox, "item-1")["root"]["title"], "Tidy", "{text:?}");
        } else {
            assert!(run.stderr.contains("warning[invalid-front-matter]"), "{text:?}: {run:?}");
        }
    }
}

#[test]
fn agents_of_other_programs_work() {
    let description =
        "Use this agent when: code is there. Examples:\n<example>\nContext: a change.\nuser: \"review\"\n</example>\n";
    let sandbox = Sandbox::with(&[
        ("work_items/1.yml", "id: me-1\n"),
        (
            "agents/rev.md",
            &format!(
                "---\nname: code-reviewer\ndescription: {description}tools: Read, Bash(git add:*, git commit:*), Grep\nmodel: sonnet\n---\n\nYou review.\n"
            ),
        ),
    ]);
    let run = sandbox.run(&["render", "--agent", "code-reviewer", "me-1"]);
    assert!(run.code == 0 && run.stdout.contains("You review."), "{run:?}");
    assert!(run.stderr.contains("warning[invalid-front-matter]"), "{run:?}");
    let shown = sandbox.json(0, &["agent", "show", "code-reviewer", "--format", "json"]);
    assert_eq!(shown["tools"].as_array().map(Vec::len), Some(3));
    assert_eq!(shown["fields"], serde_json::json!({"model": "sonnet"}));
    assert!(
        shown["purpose"].as_str().is_some_and(|purpose| purpose.starts_with("Use this agent when: code")),
        "{shown}"
    );
    sandbox.write("agents/_template.md", "---\nname: {{AGENT_NAME}}\npurpose: {{AGENT_PURPOSE}}\n---\n\nYou do.\n");
    sandbox.expect(0, &["agent", "new", "Ops", "--purpose", "when: it \"fails\" # always"]);
    let shown = sandbox.json(0, &["agent", "show", "ops", "--format", "json"]);
    assert_eq!(shown["purpose"], "when: it \"fails\" # always");
}
