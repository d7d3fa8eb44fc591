//! What users see of redaction: the report, the rules, and how to let something through.

use crate::sandbox::Sandbox;

fn token(number: usize) -> String {
    format!("gh{}{:04}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", "p_", number)
}

/// A repo with a secret on three lines of one file, and what one value's digest is.
fn leaky() -> Sandbox {
    let text = format!("# Notes\n\nfirst {0}\nagain {0} {1}\n\npassword: hunter2-{1}\n", token(1), token(2));
    Sandbox::with(&[("contextpack.yml", "version: 1\n"), ("docs/notes.md", &text)])
}

/// Returns the part of an advice in backticks: the text to write.
fn entry(advice: &str) -> &str {
    advice.split('`').nth(1).unwrap()
}

#[test]
fn a_report_says_where_and_why_and_how_to_include_and_nothing_of_the_secret() {
    let sandbox = leaky();
    let text = sandbox.expect(0, &["redact", "--report", "docs/notes.md"]);
    assert!(text.starts_with("docs/notes.md:3: github-pat × 1: matches the pattern of a GitHub"), "{text}");
    assert!(text.contains("docs/notes.md:4: github-pat × 2: "), "{text}");
    assert_eq!(text.matches("to include github-pat").count(), 1, "{text}");
    let json = sandbox.json(0, &["redact", "--report", "docs/notes.md", "--format", "json"]);
    for said in [text, json.to_string()] {
        assert!(!said.contains("hunter2") && !said.contains("a1B2c3D4"), "{said}");
    }
}

#[test]
fn what_the_report_says_to_write_lets_the_finding_through() {
    let sandbox = leaky();
    let json = sandbox.json(0, &["redact", "--report", "docs/notes.md", "--format", "json"]);
    let advice = json["redactions"][0]["to_include"].as_str().unwrap();
    assert_eq!(entry(advice), "redaction: {allow: [{rule: github-pat, path: docs/notes.md}]}");
    sandbox.write("contextpack.yml", format!("version: 1\n{}\n", entry(advice)));
    let text = sandbox.expect(0, &["redact", "docs/notes.md"]);
    assert!(text.contains(&format!("first {}\n", token(1))) && !text.contains("password: hunter2"), "{text}");
    sandbox.write("docs/other.md", token(1));
    assert_eq!(sandbox.expect(0, &["redact", "docs/other.md"]), "[REDACTED:github-pat]");
}

#[test]
fn one_value_is_let_through_by_its_digest() {
    use contextpack::internals::model::Digest;
    let sandbox = leaky();
    let digest = Digest::of(token(1)).hex();
    sandbox.write("contextpack.yml", format!("redaction: {{allow: [{{sha256: {digest}}}]}}\n"));
    let text = sandbox.expect(0, &["redact", "docs/notes.md"]);
    assert!(text.contains(&format!("again {} [REDACTED:github-pat]\n", token(1))), "{text}");
}

#[test]
fn explain_says_the_same_as_the_report() {
    let sandbox = leaky();
    sandbox.write("work_items/a.md", "---\nid: a\ntitle: A\n---\nSee docs/notes.md.\n");
    let text = sandbox.expect(0, &["explain", "a"]);
    assert!(text.contains("docs/notes.md:4  github-pat × 2"), "{text}");
    assert!(text.contains("{rule: github-pat, path: docs/notes.md}"), "{text}");
    assert_eq!(text.matches("to include github-pat").count(), 1, "{text}");
    let markdown = sandbox.expect(0, &["explain", "a", "--format", "markdown"]);
    assert!(markdown.contains("<code>docs/notes&#46;md&#58;4</code>  <code>github-pat × 2</code>"), "{markdown}");
}

#[test]
fn every_rule_can_be_named() {
    let sandbox = Sandbox::with(&[(
        "contextpack.yml",
        "redaction: {rules: [{name: customer, pattern: 'CUST-\\d{6}', reason: customers are not named}]}\n",
    )]);
    let text = sandbox.expect(0, &["redact", "--rules"]);
    assert!(text.lines().any(|line| line.starts_with("github-pat  ")), "{text}");
    assert!(text.contains("customers are not named (contextpack.yml)"), "{text}");
    let json = sandbox.json(0, &["redact", "--rules", "--format", "json"]);
    let rules = json["rules"].as_array().unwrap();
    assert_eq!(rules.len(), text.lines().count());
    let customer = rules.iter().find(|rule| rule["name"] == "customer").unwrap();
    assert_eq!(customer["built_in"], false);
    // What nobody sees or reads is no secret that somebody could vouch for.
    let names = rules.iter().map(|rule| rule["name"].as_str().unwrap());
    let allowed = names.filter(|name| !matches!(*name, "invisible-text" | "unreadable-text"));
    let entries: String = allowed.map(|name| format!("    - {{rule: {name}, path: a.md}}\n")).collect();
    let own = "  rules: [{name: customer, pattern: x}]\n";
    sandbox.write("contextpack.yml", format!("redaction:\n{own}  allow:\n{entries}"));
    sandbox.expect(0, &["redact", "--rules"]);
}

#[test]
fn a_verdict_is_explained_by_its_rule_class_and_reason() {
    let sandbox = leaky();
    let text = "DB_PASSWORD=copper-velvet\nclient_secret: changeme\ndocker run -e POSTGRES_PASSWORD=mysecretpassword %%IMAGE%%";
    let json = sandbox.json(0, &["redact", "--why", text, "--format", "json"]);
    let seen: Vec<(bool, &str, &str)> = json["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| (value["removed"] == true, value["name"].as_str().unwrap(), value["class"].as_str().unwrap()))
        .collect();
    assert_eq!(seen[0], (true, "DB_PASSWORD", "password"));
    assert_eq!(seen[1], (false, "client_secret", "secret"));
    assert_eq!(seen[2], (true, "POSTGRES_PASSWORD", "password"));
    assert_eq!(json["values"][1]["value"], "changeme");
    let text = sandbox.expect(0, &["redact", "--why", text]);
    assert!(text.contains("1: removed under `DB_PASSWORD` (class password): password: "), "{text}");
    assert!(!text.contains("copper-velvet") && !text.contains("mysecretpassword"), "{text}");
    sandbox.write("texts.md", "docker run -e POSTGRES_PASSWORD=mysecretpassword %%IMAGE%%\n| be-2y5h4f | **PASS** |\n");
    let text = sandbox.expect(0, &["redact", "texts.md"]);
    assert_eq!(text, "docker run -e POSTGRES_PASSWORD=[REDACTED:password] %%IMAGE%%\n| be-2y5h4f | **PASS** |\n");
}

#[test]
fn a_wrong_setting_is_told_with_its_line_and_what_to_do() {
    let sandbox = Sandbox::with(&[(
        "contextpack.yml",
        "redaction:\n  rules:\n    - name: jwt\n      pattern: 'a(b'\n  allow:\n    - rule: github-pta\n",
    )]);
    for command in [&["redact", "x.md"][..], &["build"], &["list"], &["redact", "--rules"]] {
        let run = sandbox.run(command);
        assert_eq!(run.code, 3, "{command:?}: {}", run.stderr);
        for said in [
            "contextpack.yml:3:",
            "the name of a built-in rule",
            "contextpack.yml:4:",
            "at character 2",
            "contextpack.yml:6:",
            "did you mean `github-pat`?",
        ] {
            assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        }
    }
}

#[test]
fn a_secret_of_several_lines_in_a_wrong_configuration_is_not_shown() {
    let line = "Zm9vYmFyYmF6".repeat(5);
    let key = format!("-----BEGIN {0} KEY-----\n{line}\n{line}\n-----END {0} KEY-----", "PRIVATE");
    let sandbox = Sandbox::with(&[("contextpack.yml", &format!("version: 1\nkey: |\n{key}\n"))]);
    let run = sandbox.run(&["build"]);
    assert!(run.code == 3 && !run.stderr.contains("Zm9v"), "{}", run.stderr);
}

#[test]
fn redact_refuses_what_could_only_go_wrong() {
    let sandbox = leaky();
    sandbox.write("more/notes.md", "other\n");
    let said = |args: &[&str]| {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "");
        run.stderr
    };
    assert!(said(&["redact", "docs/"]).contains("`docs` is a folder; name its files, such as `docs/*.md`"));
    assert!(said(&["redact", "docs/notes.md", "more/notes.md", "--out", "clean"]).contains("two files are named"));
    assert!(said(&["redact", "docs/notes.md", "--out", "docs"]).contains("would overwrite"));
    assert!(sandbox.read("docs/notes.md").contains(&token(1)));
    assert!(!sandbox.has("clean"));
}

#[test]
fn a_file_whose_name_holds_a_secret_is_told_without_it() {
    let sandbox = Sandbox::new();
    let name = format!("{}.md", token(7));
    sandbox.write(&name, format!("x {}\n", token(8)));
    let report = sandbox.run(&["redact", "--report", &name]);
    assert!(report.stdout.starts_with("[REDACTED:github-pat].md:1: github-pat"), "{}", report.stdout);
    assert!(report.stdout.contains("path: PATH"), "{}", report.stdout);
    let out = sandbox.run(&["redact", &name, "--out", "clean"]);
    assert_eq!(out.code, 3);
    let gone = sandbox.run(&["redact", &format!("gone-{name}")]);
    assert_eq!(gone.code, 1);
    for run in [report, out, gone] {
        assert!(!run.stdout.contains("a1B2c3") && !run.stderr.contains("a1B2c3"), "{run:?}");
    }
}

#[test]
fn files_from_elsewhere_have_no_path_that_the_configuration_allows() {
    let sandbox = Sandbox::with(&[("contextpack.yml", "redaction: {allow: [{rule: github-pat, path: '**/x.md'}]}\n")]);
    sandbox.write("a/x.md", token(1));
    assert_eq!(sandbox.expect(0, &["redact", "a/x.md"]), token(1));
    let beside = sandbox.beside("x.md");
    std::fs::write(&beside, token(1)).unwrap();
    assert_eq!(sandbox.expect(0, &["redact", beside.to_str().unwrap()]), "[REDACTED:github-pat]");
}

#[test]
fn the_reason_of_an_own_rule_holds_no_secret() {
    let sandbox = Sandbox::with(&[
        (
            "contextpack.yml",
            &format!("redaction: {{rules: [{{name: own, pattern: OWN-1, reason: \"as {}\"}}]}}\n", token(3)),
        ),
        ("work_items/a.md", "---\nid: a\ntitle: A\n---\nOWN-1\n"),
    ]);
    for args in [&["build", "--out", "-"][..], &["redact", "--rules"], &["redact", "--report", "work_items/a.md"]] {
        let run = sandbox.run(args);
        assert!(run.stdout.contains("as [REDACTED:github-pat]"), "{}", run.stdout);
        assert!(!run.stdout.contains("a1B2c3") && !run.stderr.contains("a1B2c3"), "{run:?}");
    }
}

#[test]
fn a_title_that_is_only_listed_has_its_record() {
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", "---\nid: a\ntitle: A\nparent: p\nblocks: r\n---\nText.\n"),
        ("work_items/p.md", "---\nid: p\ntitle: P\n---\nText.\n"),
        (
            "work_items/s.md",
            &format!("---\nid: s\ntitle: S {}\nparent: p\nnote: {}\n---\n{}\n", token(1), token(2), token(3)),
        ),
        ("work_items/r.md", &format!("---\nid: r\n---\n\n# R {}\n\n{}\n", token(4), token(5))),
    ]);
    let pack = sandbox.json(0, &["build", "a", "--out", "-"]);
    let redactions: Vec<(&str, &str, u64)> = pack["redactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let place = one["source"]["path"].as_str().unwrap();
            (one["section"].as_str().unwrap(), place, one["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(redactions, [("root.edges", "work_items/r.md", 5), ("parent.p", "work_items/s.md", 3)]);
}

#[test]
fn a_secret_in_a_title_is_recorded_once_on_the_line_where_it_is() {
    let records = |text: String| -> Vec<(u64, u64)> {
        let sandbox = Sandbox::with(&[("work_items/x.md", &text)]);
        let pack = sandbox.json(0, &["build", "work_items/x.md", "--out", "-"]);
        let one = |one: &serde_json::Value| (one["line"].as_u64().unwrap(), one["count"].as_u64().unwrap());
        pack["redactions"].as_array().unwrap().iter().map(one).collect()
    };
    assert_eq!(records(format!("---\nid: x\ntitle: A {}\n---\n\nText.\n", token(1))), [(3, 1)]);
    assert_eq!(records(format!("# A {}\n\nText.\n", token(1))), [(1, 1)]);
    assert_eq!(records(format!("---\nid: x\ntitle: T\nowner: {}\n---\n", token(1))), [(4, 1)]);
}
