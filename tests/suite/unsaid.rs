//! What a user must learn of: faults and removals that would otherwise change packs without a word.

use crate::issues::{issue, path};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const ITEM: &str = "---\nid: feat:a\ntitle: A\n---\n\nText.\n";

fn with(config: &str, files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(files);
    sandbox.write("contextpack.yml", config);
    sandbox.write("work_items/a.md", ITEM);
    sandbox
}

/// What a command says that ends with `code`.
fn said(sandbox: &Sandbox, code: i32, args: &[&str]) -> String {
    let run = sandbox.run(args);
    assert_eq!(run.code, code, "{args:?}: {run:?}");
    run.stderr
}

fn pack(sandbox: &Sandbox, root: &str) -> Value {
    sandbox.json(0, &["render", root, "--format", "json"])
}

#[test]
fn what_sync_removed_from_an_issue_is_a_redaction_of_its_packs() {
    let config = "github: {repo: o/r}\nredaction: {rules: [{name: customer, pattern: 'CUST-\\d+', reason: customers stay unnamed}]}\n";
    let sandbox = with(config, &[]);
    let body = "One.\n\npassword: [REDACTED:password]\n\nFor [REDACTED:customer], not [REDACTED:nothing].\n";
    let mut record: Value = serde_json::from_str(&issue("o/r", 5, "Issue", body)).unwrap();
    record["comments"]["items"] = json!([{
        "author": {"association": "MEMBER", "bot": false, "login": "ada"}, "body": "Hi\n[REDACTED:jwt]",
        "created_at": "2026-02-02T09:00:00Z", "edited": false, "id": 9, "minimized": false, "trust": "trusted",
        "updated_at": "2026-02-02T09:00:00Z", "url": "https://github.com/o/r/issues/5#issuecomment-9",
    }]);
    sandbox.write(&path("o/r", 5), record.to_string());
    let pack = pack(&sandbox, "5");
    let found: Vec<(&str, u64, &str)> = pack["redactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["rule"].as_str().unwrap(), it["line"].as_u64().unwrap(), it["to_include"].as_str().unwrap()))
        .collect();
    let places: Vec<(&str, u64)> = found.iter().map(|(rule, line, _)| (*rule, *line)).collect();
    assert_eq!(places, [("password", 3), ("customer", 5), ("jwt", 2)], "{pack:#}");
    for (rule, _, to_include) in found {
        let entry = format!("{{rule: {rule}, path: .contextpack/github/o/r/5.json}}");
        assert!(to_include.contains(&entry) && to_include.contains("`contextpack sync`"), "{to_include}");
    }
    assert_eq!(pack["redactions"][1]["reason"], "customers stay unnamed");
}

#[test]
fn a_glob_of_documents_and_a_file_of_a_profile_that_are_not_there_are_warnings() {
    let config = "documents: [{include: [\"knowledge/*.md\", \"Knowledge/*.md\"]}]\n\
                  profiles: {coding: {files: [nope.md, \"docs/*.md\", knowledge/a.md#no]}}\n";
    let sandbox = with(config, &[("knowledge/a.md", "# A\n"), ("work_items/b.md", ITEM), ("docs/x.md", "# X\n")]);
    sandbox.write("work_items/b.md", ITEM.replace("feat:a", "feat:b"));
    let said = said(&sandbox, 0, &["build"]);
    assert!(said.contains("warning[unmatched-glob]: no file matches `Knowledge/*.md` of `documents`"), "{said}");
    assert!(!said.contains("`knowledge/*.md`"), "{said}");
    for file in ["nope.md", "docs/*.md"] {
        let warning =
            format!("warning[unreadable-file]: there is no file `{file}`, which `profiles.coding.files` names");
        assert_eq!(said.matches(&warning).count(), 1, "{said}");
    }
    assert!(said.contains("--> contextpack.yml:2"), "{said}");
}

#[test]
fn an_overview_that_says_that_it_is_none_is_an_error() {
    let config = "overview: docs/o.md\nagents: {include: [\"agents/*.md\"]}\n";
    let sandbox = with(config, &[("agents/x.md", "# X\n")]);
    for (front, why) in
        [("doc_type: playbook", "has the `doc_type` `playbook`"), ("agent: x", "is for one agent alone")]
    {
        sandbox.write("docs/o.md", format!("---\n{front}\n---\n# O\n"));
        let said = said(&sandbox, 3, &["build"]);
        assert!(said.contains("error[invalid-document]: `docs/o.md`") && said.contains(why), "{said}");
        assert!(said.contains("contextpack.yml:1"), "{said}");
    }
    for front in ["doc_type: project_overview", "agent: null", "agent: \"\""] {
        sandbox.write("docs/o.md", format!("---\n{front}\n---\n# O\n"));
        assert_eq!(said(&sandbox, 0, &["build"]).matches("error").count(), 0, "{front}");
    }
}

#[test]
fn a_scope_without_a_name_is_that_of_everyone() {
    let config = "documents: [{include: [\"knowledge/*.md\"], agent: x, pinned: true}]\n";
    let sandbox = with(config, &[("agents/x.md", "# X\n"), ("agents/y.md", "# Y\n")]);
    let shown = |front: &str| {
        sandbox.write("knowledge/a.md", format!("---\n{front}\n---\n# Marble\n\nText of it.\n"));
        sandbox.expect(0, &["render", "feat:a", "--agent", "y"]).contains("Marble")
    };
    for front in ["agent: null", "agent: ''", "agent:", "agent: ~", "agent: null\nscope: global"] {
        assert!(shown(front), "{front}");
    }
    assert!(!shown("title: Marble"));
    // What contradicts it, or is no text, opens nothing.
    for front in ["agent: null\nscope: x", "agent: []"] {
        sandbox.write("knowledge/a.md", format!("---\n{front}\n---\n# Marble\n\nText of it.\n"));
        assert!(!sandbox.run(&["render", "feat:a", "--agent", "y"]).stdout.contains("Marble"), "{front}");
    }
}

#[test]
fn recent_changes_say_what_they_lack() {
    let config = "context: {activity: [log.jsonl]}\n";
    let log = "{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \"Paused\"}\n{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \" \"}\n";
    let sandbox = with(config, &[("agents/x.md", "# X\n"), ("log.jsonl", log)]);
    let run = sandbox.run(&["render", "--agent", "x"]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in
        ["- 2026-02-06 10:15 Paused\n", "This folder is no git repository", "1 line of log.jsonl cannot be read."]
    {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert!(run.stderr.contains("`message` is empty"), "{}", run.stderr);
    sandbox.commit();
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "none"]);
    std::fs::write(sandbox.path("work_items/a.md"), ITEM.replace("Text", "Words")).unwrap();
    sandbox.git(&["commit", "-qa", "-m", &"ä".repeat(301)]);
    let text = sandbox.expect(0, &["render", "--agent", "x"]);
    assert!(text.contains(&format!(" {}… _(A)_", "ä".repeat(300))) && !text.contains("no git repository"), "{text}");
}

#[test]
fn comments_of_a_file_are_chosen_as_those_of_issues_are() {
    let config = "github: {comments: 2}\nwork_items: [{include: [\"items/*.json\"], comments: {from: comments, author: by, at: at, body: body}}]\n";
    let sandbox = with(config, &[]);
    let one = |by: &str, at: &str, body: &str| json!({"by": by, "at": at, "body": body});
    let comments = json!([
        one("ada", "2026-01-02", "the oldest"),
        one("eve", "yesterday", "without a date"),
        "only a text",
        one("bob", "2026-01-03", "the last but one"),
        one("ada", "2026-01-04", "the newest"),
        one("dependabot[bot]", "2026-01-05", "bumped"),
        one("ci[bot]", "2026-01-06", "passed"),
    ]);
    sandbox.write("items/a.json", json!({"id": "t:1", "title": "T", "comments": comments}).to_string());
    let pack = pack(&sandbox, "t:1");
    let texts = |list: &str| -> Vec<String> {
        let all = pack[list].as_array().unwrap().iter().filter(|it| it["id"].as_str().unwrap().starts_with("comment."));
        all.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts("sections"), ["Comment by bob, 2026-01-03", "Comment by ada, 2026-01-04"]);
    let omitted = texts("omissions");
    assert_eq!(omitted.len(), 5, "{omitted:?}");
    assert_eq!(omitted[..2], ["Comment by eve, yesterday", "Comment by an unknown author"], "{omitted:?}");
}

#[test]
fn a_root_whose_file_is_refused_is_named_with_the_reason() {
    let sandbox = with("github: {repo: o/r}\n", &[]);
    sandbox.write(&path("o/r", 1), "{\"number\": ");
    sandbox.write("work_items/sw.md", "---\nid: sw\nsensitivity: contains_secrets\n---\nText.\n");
    for root in ["1", "o/r#1", "O/R#1"] {
        let said = said(&sandbox, 3, &["build", root]);
        assert!(said.contains("invalid-snapshot") && said.contains("o/r/1.json"), "{said}");
    }
    sandbox.write("contextpack.yml", "version: 1\n");
    assert!(said(&sandbox, 3, &["build", "o/r#1"]).contains("invalid-snapshot"));
    assert!(said(&sandbox, 3, &["build", "sw"]).contains("`work_items/sw.md` is a document that holds secrets"));
    sandbox.write("contextpack.yml", "github: {repo: o/r}\n");
    assert!(said(&sandbox, 2, &["build", "2"]).contains("is not in the snapshot"));
}

#[test]
fn a_record_is_kept_in_no_folder_of_other_files() {
    let sandbox = with("context: {record: docs}\n", &[("docs/x.md", "# X\n")]);
    let before = sandbox.files();
    let run = sandbox.run(&["render", "feat:a", "--record"]);
    assert!(run.code == 3 && run.stdout.is_empty() && run.stderr.contains("holds `x.md`"), "{run:?}");
    assert!(run.stderr.contains("`context.record`"), "{run:?}");
    assert_eq!(sandbox.files(), before);
    std::fs::rename(sandbox.path("docs/x.md"), sandbox.path("x.md")).unwrap();
    for _ in 0..2 {
        sandbox.expect(0, &["render", "feat:a", "--record"]);
    }
}

#[test]
fn two_templates_of_agents_are_both_named() {
    let template = "---\ndoc_type: agent_soul_template\n---\n# {{AGENT_NAME}}\n";
    let config = "documents: [{include: [\"k/*.md\"]}]\n";
    let sandbox = with(config, &[("k/a.md", template), ("k/b.md", template)]);
    let said = said(&sandbox, 2, &["agent", "new", "X", "--purpose", "p"]);
    assert!(said.contains("`k/a.md` and `k/b.md`") && said.contains("agents.template"), "{said}");
    std::fs::remove_file(sandbox.path("k/b.md")).unwrap();
    sandbox.expect(0, &["agent", "new", "X", "--purpose", "p"]);
}

#[test]
fn redact_prints_no_document_that_holds_secrets() {
    let config = "documents: [{include: [\"k/*.md\"], sensitivity: contains_secrets}]\n";
    let stated = "---\nsensitivity: contains_secrets\n---\nmarble otter\n";
    let sandbox = with(config, &[("k/a.md", "marble otter\n"), ("b.md", stated), ("c.md", "plain\n")]);
    for file in ["k/a.md", "b.md"] {
        let run = sandbox.run(&["redact", file, "c.md"]);
        assert!(run.code == 3 && run.stderr.contains("holds secrets"), "{run:?}");
        assert_eq!(run.stdout, "plain\n", "{file}");
    }
}

#[test]
fn notes_take_back_what_they_print() {
    let document = "# Deploys\n\nThe service is deployed on Mondays. Never deploy on a Friday.\n";
    let sandbox = with("documents: [{include: [\"k/*.md\"]}]\n", &[("k/a.md", document), ("k/b.md", document)]);
    let printed = sandbox.json(0, &["notes", "k/a.md"]);
    for form in [&printed, &printed["documents"][0]] {
        let run = sandbox.run_with(&["notes", "--from", "-", "k/a.md"], &form.to_string());
        assert_eq!(run.code, 0, "{run:?}");
        let taken: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(taken["documents"][0]["notes"]["summary"], printed["documents"][0]["notes"]["summary"]);
        assert_eq!(taken["documents"][0]["notes"]["made_by"], "given");
    }
    let two = sandbox.json(0, &["notes", "k/a.md", "k/b.md"]);
    let failed = json!({"success": false, "error": {"kind": "secret"}});
    for form in [two, failed] {
        assert_eq!(sandbox.run_with(&["notes", "--from", "-", "k/a.md"], &form.to_string()).code, 3);
    }
}

#[test]
fn items_without_ids_on_one_line_differ() {
    let sandbox = with("work_items: [{include: [\"items.json\"]}]\n", &[]);
    sandbox.write("items.json", "[{\"title\": \"A\"}, {\"title\": \"B\"}, {\"id\": \"c\"},\n {\"title\": \"D\"}]");
    let list = sandbox.json(0, &["list", "--format", "json"]);
    let ids: Vec<&str> = list["roots"].as_array().unwrap().iter().map(|root| root["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["c", "items.json:1", "items.json:1.2", "items.json:2"]);
}

#[test]
fn init_names_no_document_that_is_not_there() {
    let sandbox =
        Sandbox::with(&[("AGENTS.md", "# Rules\n\nNever push.\n"), ("README.md", "# Shop\n\nIt sells tea.\n")]);
    sandbox.write("work_items/a.md", ITEM);
    sandbox.commit();
    sandbox.expect(0, &["init"]);
    assert!(sandbox.read("contextpack.yml").contains("\ndocuments:\n"));
    assert!(!said(&sandbox, 0, &["build"]).contains("unmatched-glob"));
}
