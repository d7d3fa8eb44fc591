//! `notes`: which notes a document gets, and why one gets none.

use crate::sandbox::Sandbox;
use contextpack::internals::model::Digest;
use contextpack::internals::notes::{NoteLimits, extract};
use contextpack::internals::redact::Clean;
use std::fs;
use std::path::Path;

const GUIDE: &str = "# Guide\n\nThis guide says how the store is run.\n\nNever commit secrets.\n";

fn sandbox() -> Sandbox {
    Sandbox::configured(&[("docs/guide.md", GUIDE)])
}

#[test]
fn notes_are_made_written_and_read_again() {
    let sandbox = sandbox();
    let made = sandbox.json(0, &["notes", "docs/guide.md"]);
    let notes = &made["documents"][0]["notes"];
    assert_eq!(notes["made_by"], "extractor");
    assert_eq!(notes["rules"], serde_json::json!(["Never commit secrets."]));
    assert!(!sandbox.has("docs/guide.md.notes.yml"));

    let written = sandbox.json(0, &["notes", "docs/guide.md", "--write"]);
    assert_eq!(written["documents"][0]["notes"]["written"], true);
    let first = sandbox.read("docs/guide.md.notes.yml");
    let again = sandbox.json(0, &["notes", "docs/guide.md", "--write"]);
    assert_eq!(again["documents"][0]["notes"]["made_by"], "sidecar");
    assert_eq!(sandbox.read("docs/guide.md.notes.yml"), first);

    sandbox.write("docs/guide.md", GUIDE.replace("secrets", "keys"));
    let stale = &sandbox.json(0, &["notes", "docs/guide.md"])["documents"][0]["notes"];
    assert_eq!((&stale["stale"], &stale["rules"][0]), (&true.into(), &"Never commit secrets.".into()));
    sandbox.json(0, &["notes", "docs/guide.md", "--write"]);
    assert!(sandbox.read("docs/guide.md.notes.yml").contains("Never commit keys."));
}

#[test]
fn documents_without_notes_say_why_and_stop_no_other() {
    let sandbox = sandbox();
    let canary = "the-words-below";
    sandbox.write("docs/a.md", format!("---\nsensitivity: contains_secrets\n---\nYou must {canary}.\n"));
    sandbox.write("docs/b.md", format!("---\ndoc_type: credentials\n---\nYou must {canary}.\n"));
    sandbox.write("docs/c.md", format!("---\nsensitivity: maybe\n---\nYou must {canary}.\n"));
    sandbox.write(".env", canary);
    sandbox.write("docs/d.md", "\0");
    sandbox.write("docs/e.md", GUIDE);
    sandbox.write("docs/e.md.notes.yml", "rules:\n  - a\nsumary: []\n");
    let documents =
        ["docs/a.md", "docs/b.md", "docs/c.md", ".env", "docs/d.md", "docs/e.md", "docs/none.md", "docs/guide.md"];
    let printed = sandbox.json(3, &[&["notes"], &documents[..]].concat());
    let kinds: Vec<_> = (0..8).map(|at| printed["documents"][at]["error"]["kind"].as_str()).collect();
    let expected = ["secret", "secret", "invalid", "denied", "not-text", "invalid", "unreadable"].map(Some);
    assert_eq!(kinds, [&expected[..], &[None]].concat());
    assert_eq!(printed["documents"][5]["error"]["line"], 3);
    assert!(printed["documents"][5]["error"]["help"].as_str().unwrap().contains("`summary`"));
    assert!(!printed.to_string().contains(canary));
}

#[test]
fn files_outside_of_the_repo_have_no_notes() {
    let (sandbox, other) = (sandbox(), Sandbox::named("other"));
    other.write("guide.md", GUIDE);
    let path = other.path("guide.md");
    let error = &sandbox.json(3, &["notes", path.to_str().unwrap(), "--write"])["documents"][0]["error"];
    assert_eq!(error["kind"], "outside");
    assert!(error["help"].as_str().unwrap().contains("copy it into the repo"), "{error}");
    assert!(!other.has("guide.md.notes.yml"));
}

#[test]
fn a_secret_is_in_no_notes() {
    let sandbox = sandbox();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    sandbox.write("docs/guide.md", format!("# Guide\n\nYou must use the token {secret} here.\n"));
    let printed = sandbox.expect(0, &["notes", "docs/guide.md", "--write"]);
    assert!(printed.contains("REDACTED") && !printed.contains(&secret));
    assert!(!sandbox.read("docs/guide.md.notes.yml").contains(&secret));
}

#[test]
fn notes_of_any_program_are_checked_printed_and_written() {
    let sandbox = sandbox();
    let sidecar = "docs/guide.md.notes.yml";
    for given in [
        "summary: [How the store is run.]\nrules:\n  - Never commit secrets\n",
        "{\"summary\": [\"How the store is run.\"], \"rules\": [\"Never commit secrets\"]}\n",
        "```yaml\nsummary: [How the store is run.]\nrules: [Never commit secrets]\n```\n",
    ] {
        sandbox.write("made.yml", given);
        let printed = sandbox.json(0, &["notes", "docs/guide.md", "--from", "made.yml"]);
        let notes = &printed["documents"][0]["notes"];
        assert_eq!((&notes["made_by"], &notes["written"]), (&"given".into(), &false.into()), "{given}");
        assert_eq!(
            (&notes["summary"][0], &notes["rules"][0]),
            (&"How the store is run.".into(), &"Never commit secrets".into())
        );
    }
    assert!(!sandbox.has(sidecar));
    // What is there already is replaced, even if nobody could read it.
    sandbox.write(sidecar, "no: notes\n");
    let given = "summary: [Stdin says so.]\n";
    let printed = sandbox.run_with(&["notes", "docs/guide.md", "--write", "--from", "-"], given);
    assert!(printed.code == 0 && printed.stdout.contains("\"written\": true"), "{printed:?}");
    let written = sandbox.read(sidecar);
    assert!(written.starts_with("source_digest: sha256:") && written.contains("Stdin says so."), "{written}");
    // What was written is right for `--from` as well, as long as the document has this text.
    sandbox.json(0, &["notes", "docs/guide.md", "--write", "--from", sidecar]);
    assert_eq!(sandbox.read(sidecar), written);
    sandbox.write("docs/guide.md", GUIDE.replace("secrets", "keys"));
    let stale = sandbox.json(3, &["notes", "docs/guide.md", "--write", "--from", sidecar]);
    assert!(stale["documents"][0]["error"]["message"].as_str().unwrap().contains("`source_digest`"), "{stale}");
}

#[test]
fn notes_of_a_program_that_are_wrong_are_refused_whole_with_what_to_do() {
    let sandbox = sandbox();
    let many = format!("summary:\n{}", "  - a\n".repeat(11));
    for (given, line, word) in [
        ("summary: [a]\nrule: [b]\n", Some(2), "`rules`"),
        ("rules:\n  - Commit secrets.\n", None, "word for word"),
        ("rules: [commit secrets]\n", None, "whole sentences"),
        ("keywords: store\n", Some(1), "`- `"),
        ("summary: ['']\n", Some(1), "empty"),
        (&many, Some(2), "10 are the most"),
        ("Here are your notes!\n", Some(1), "`summary`"),
        ("", None, "empty"),
        ("\0", None, "standard input"),
    ] {
        let run = sandbox.run_with(&["notes", "docs/guide.md", "--write", "--from", "-"], given);
        let printed: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let error = &printed["documents"][0]["error"];
        assert!(run.code == 3 && error.to_string().contains(word), "{given:?}: {error}");
        assert_eq!(error["line"].as_u64(), line, "{given:?}: {error}");
    }
    assert!(!sandbox.has("docs/guide.md.notes.yml"));
    sandbox.write("made.yml", "summary: [a]\n");
    sandbox.write("docs/own.md", format!("---\nnotes:\n  summary: [b]\n---\n{GUIDE}"));
    let own = sandbox.json(3, &["notes", "docs/own.md", "--write", "--from", "made.yml"]);
    assert!(own["documents"][0]["error"]["help"].as_str().unwrap().contains("front matter"), "{own}");
    assert_eq!(
        sandbox.json(0, &["notes", "docs/own.md", "--from", "made.yml"])["documents"][0]["notes"]["summary"][0],
        "a"
    );
    sandbox.expect(2, &["notes", "--from", "made.yml"]);
    sandbox.expect(2, &["notes", "docs/guide.md", "docs/own.md", "--from", "made.yml"]);
    sandbox.expect(1, &["notes", "docs/guide.md", "--from", "none.yml"]);
    sandbox.expect(2, &["notes", "docs/guide.md", "--command", "my-notes"]);
}

#[test]
fn a_secret_in_notes_of_a_program_is_removed() {
    let sandbox = sandbox();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    sandbox.write("docs/guide.md", format!("# Guide\n\nYou must use the token {secret} here.\n"));
    sandbox
        .write("made.yml", format!("summary: [It names {secret}.]\nrules: [You must use the token {secret} here.]\n"));
    let printed = sandbox.expect(0, &["notes", "docs/guide.md", "--write", "--from", "made.yml"]);
    let written = sandbox.read("docs/guide.md.notes.yml");
    assert!(written.matches("REDACTED").count() == 2 && !written.contains(&secret) && !printed.contains(&secret));
}

#[test]
fn a_title_stands_in_its_heading_as_written() {
    let sandbox = pinned("---\ntitle: The \"best\" <tea> & co\n---\nThe tea is green.\n");
    let pack = sandbox.expect(0, &["render", "feat:a"]);
    assert!(pack.contains("\n### The \"best\" <tea> & co (general)\n"), "{pack}");
}

/// A repo with one pinned document, whose pack is built in memory.
fn pinned(document: &str) -> Sandbox {
    let sandbox = Sandbox::configured(&[
        ("docs/guide.md", document),
        ("work_items/a.md", "---\nid: feat:a\ntitle: A\n---\n\nText.\n"),
    ]);
    sandbox.write("contextpack.yml", "documents:\n  - {include: [\"docs/**\"], pinned: true}\n");
    sandbox
}

fn guide(sandbox: &Sandbox) -> serde_json::Value {
    let pack = &sandbox.json(0, &["render", "feat:a", "--format", "json"]);
    let sections = pack["sections"].as_array().unwrap();
    let documents: Vec<_> = sections.iter().filter(|section| section["kind"] == "document_notes").collect();
    assert_eq!(documents.len(), 1, "a file with notes is no document");
    serde_json::json!({"section": documents[0], "inputs": pack["inputs"], "redactions": pack["redactions"]})
}

#[test]
fn a_build_takes_notes_from_front_matter_then_the_sidecar_then_the_extractor() {
    let sandbox = pinned(GUIDE);
    let text = |sandbox: &Sandbox| guide(sandbox)["section"]["content"].as_str().unwrap().to_owned();
    assert!(text(&sandbox).contains("- Never commit secrets."));
    sandbox.json(0, &["notes", "--write"]);
    let sidecar = "docs/guide.md.notes.yml";
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let written = sandbox.read(sidecar).replace("Never commit secrets.", &format!("Never commit {secret}"));
    sandbox.write(sidecar, &written);
    let made = guide(&sandbox);
    assert!(made["section"]["content"].as_str().unwrap().contains("- Never commit [REDACTED"), "{made}");
    assert_eq!(made["section"]["metadata"]["stale_notes"], serde_json::Value::Null, "the digest is that of a build");
    assert!(made["inputs"].as_array().unwrap().iter().any(|input| input["path"] == sidecar), "{made}");
    assert_eq!(made["redactions"][0]["source"]["path"], sidecar);

    sandbox.write("docs/guide.md", format!("---\nnotes:\n  rules: [Only this]\n---\n{GUIDE}"));
    assert!(text(&sandbox).ends_with("- Only this"));
}

#[test]
fn notes_of_another_version_are_used_but_for_their_rules_and_unusable_ones_are_not() {
    let sandbox = pinned(GUIDE);
    sandbox.json(0, &["notes", "--write"]);
    sandbox.write("docs/guide.md", GUIDE.replace("secrets", "keys"));
    let made = guide(&sandbox);
    assert_eq!(made["section"]["metadata"]["stale_notes"], true);
    let text = made["section"]["content"].as_str().unwrap();
    assert!(text.contains("- Never commit keys.") && text.contains("(notes older than the document)"), "{made}");
    let codes = |sandbox: &Sandbox| {
        let built = sandbox.json(0, &["build", "--format", "json"]);
        built["diagnostics"].as_array().unwrap().iter().map(|it| it["code"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&sandbox), ["stale-notes"]);
    sandbox.write("docs/guide.md.notes.yml", "rule: [a]\n");
    assert!(guide(&sandbox)["section"]["content"].as_str().unwrap().contains("- Never commit keys."));
    assert_eq!(codes(&sandbox), ["invalid-notes"]);
    sandbox.write("docs/guide.md", format!("---\nnotes: none\n---\n{GUIDE}"));
    assert_eq!(codes(&sandbox), ["invalid-notes", "invalid-notes"]);
}

#[test]
fn documents_that_the_configuration_calls_secret_get_no_notes() {
    let sandbox = pinned("You must canary.\n");
    sandbox.write("contextpack.yml", "documents:\n  - {include: [\"docs/**\"], type: credentials}\n");
    assert_eq!(sandbox.json(3, &["notes", "docs/guide.md"])["documents"][0]["error"]["kind"], "secret");
    assert_eq!(sandbox.json(0, &["notes"])["documents"], serde_json::json!([]));
}

fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

/// The extractor against documents in `tests/notes`. `CONTEXTPACK_BLESS=1 cargo test --test suite notes::` writes the notes
/// beside them anew; the difference is then to be read.
#[test]
fn the_notes_on_every_sample_are_the_ones_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    assert!(files.len() >= 8);
    for file in files {
        let document = clean(&fs::read_to_string(&file).unwrap().replace("\r\n", "\n"));
        let found = extract(&document, false, &NoteLimits::default());
        assert_eq!(extract(&document, false, &NoteLimits::default()), found);
        assert_eq!(found.misquoted(&document), Vec::<&Clean>::new(), "{}", file.display());
        let sidecar = found.sidecar(&Digest::of(document.as_str()));
        let beside = file.with_extension("md.notes.yml");
        if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
            fs::write(&beside, &sidecar).unwrap();
        }
        assert_eq!(fs::read_to_string(&beside).unwrap().replace("\r\n", "\n"), sidecar, "{}", beside.display());
    }
}

#[test]
fn each_case_has_its_rules_and_facts_and_every_rule_is_verbatim_in_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes/cases.txt");
    let cases = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    for case in cases.split("====\n").skip(1) {
        let (text, expected) = case.split_once("----\n").unwrap();
        let found = extract(&clean(text), false, &NoteLimits::default());
        let lines = |kind: &str, list: &[Clean]| list.iter().map(|it| format!("{kind} {it}\n")).collect::<String>();
        assert_eq!(lines("rule", &found.rules) + &lines("fact", &found.key_facts), expected, "{text}");
        assert_eq!(found.misquoted(&clean(text)), Vec::<&Clean>::new(), "{text}");
    }
    let order = clean("Add tests for each change.\n");
    assert_eq!(extract(&order, true, &NoteLimits::default()).rules, [clean("Add tests for each change.")]);
}

#[test]
fn a_rule_in_a_list_hides_none_of_its_other_entries() {
    let sandbox = Sandbox::with(&[
        ("style.md", "# Voice\n\n- Casual but professional tone\n- Avoid jargon, prefer clarity\n"),
        ("ads.md", "# Ads\n\n- Budget: $50k/month across 3 accounts\n- Never pause campaigns without approval\n"),
    ]);
    let noted = sandbox.json(0, &["notes", "style.md", "ads.md"]);
    let of = |index: usize, list: &str| noted["documents"][index]["notes"][list].clone();
    assert_eq!(of(0, "summary"), serde_json::json!(["Casual but professional tone"]));
    assert_eq!(of(0, "rules"), serde_json::json!(["Avoid jargon, prefer clarity"]));
    assert_eq!(of(1, "summary"), serde_json::json!(["Budget: $50k/month across 3 accounts"]));
    assert_eq!(of(1, "rules"), serde_json::json!(["Never pause campaigns without approval"]));
}

#[test]
fn notes_that_say_nothing_of_rules_hide_none() {
    let text = "---\nid: feat:a\ntitle: A\n---\nDo it.\n";
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", text),
        ("contextpack.yml", "documents: [{include: [\"k/*.md\"], pinned: true}]\n"),
    ]);
    for (notes, says) in [("summary: [Short]", true), ("summary: [Short]\n  rules: []", false)] {
        sandbox.write("k/a.md", format!("---\nnotes:\n  {notes}\n---\n# Ads\n\nYou must never stop.\n"));
        let shown = sandbox.expect(0, &["render", "feat:a"]);
        assert!(shown.contains("- Short") && shown.contains("You must never stop.") == says, "{shown}");
    }
}
