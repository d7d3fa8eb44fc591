//! `notes`: which notes a document gets, and why one gets none.

use crate::sandbox::Sandbox;

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

#[cfg(unix)]
#[test]
fn a_program_is_asked_once_and_its_answer_is_checked() {
    let sandbox = sandbox();
    let program = |body: &str| sandbox.write("answer.sh", body);
    let command = ["notes", "docs/guide.md", "--command", "sh answer.sh"];
    let notes = |code| sandbox.json(code, &command)["documents"][0].clone();
    let kind = || notes(3)["error"]["kind"].as_str().unwrap_or_default().to_owned();

    program("cat > /dev/null; echo '{\"rules\": [\"Commit secrets.\"]}'");
    assert_eq!(kind(), "invalid");
    program("echo '{\"rule\": []}'");
    assert_eq!(kind(), "invalid");
    program("exit 7");
    assert_eq!(kind(), "exit");
    program("head -c 2000000 /dev/zero");
    assert_eq!(kind(), "too-large");
    program("sleep 30");
    let slow = sandbox.json(3, &[&command[..], &["--timeout", "1"]].concat());
    assert_eq!(slow["documents"][0]["error"]["kind"], "timeout");

    program(
        "cat > asked.json; echo '{\"summary\": [\"How the store is run.\"], \"rules\": [\"Never commit secrets\"]}'",
    );
    let answer = notes(0);
    assert_eq!(
        (&answer["notes"]["made_by"], &answer["notes"]["rules"][0]),
        (&"command".into(), &"Never commit secrets".into())
    );
    let asked: serde_json::Value = serde_json::from_str(&sandbox.read("asked.json")).unwrap();
    assert_eq!(
        (&asked["title"], &asked["doc_type"], &asked["content"]),
        (&"guide".into(), &"general".into(), &GUIDE.into())
    );
    program("exit 7");
    assert_eq!(notes(0), answer, "the answer is cached for this text and this command");
    // One that came with the repo is none: the program is asked.
    let cached = sandbox.files().into_iter().map(|(path, _)| path).find(|path| path.contains("/notes-")).unwrap();
    sandbox.commit();
    sandbox.git(&["add", "-f", &cached]);
    assert_eq!(kind(), "exit");
    assert!(sandbox.run(&command).stderr.contains(&format!("`git rm -r --cached {cached}`")));
    sandbox.git(&["rm", "-q", "--cached", &cached]);
    assert_eq!(notes(0), answer);
    sandbox.write("docs/guide.md", "# Guide\n\nOther text.\n");
    assert_eq!(kind(), "exit");
    sandbox.expect(2, &["notes", "docs/guide.md", "--command", "'"]);
    sandbox.expect(2, &["notes", "docs/guide.md", "--timeout", "3s"]);
}

/// Waits until the processes whose numbers are in a file have ended.
#[cfg(unix)]
fn ends(sandbox: &Sandbox, file: &str) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let is_running = |id: &str| {
        let out = std::process::Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
        out.stdout.first().is_some_and(|state| *state != b'Z')
    };
    while sandbox.read(file).split_whitespace().any(is_running) {
        assert!(std::time::Instant::now() < until, "{file}: still running");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn a_program_ends_with_everything_that_it_started() {
    let sandbox = sandbox();
    sandbox.write("answer.sh", "sleep 100 & echo $! >> pids; sleep 100 & echo $! >> pids; echo $$ >> pids; wait");
    let command = ["notes", "docs/guide.md", "--command", "sh answer.sh"];
    let slow = sandbox.json(3, &[&command[..], &["--timeout", "1s"]].concat());
    assert_eq!(slow["documents"][0]["error"]["kind"], "timeout");
    ends(&sandbox, "pids");
    std::fs::remove_file(sandbox.path("pids")).unwrap();

    let mut interrupted = sandbox.command(&command);
    interrupted.stdout(std::process::Stdio::null());
    let mut interrupted = interrupted.spawn().unwrap();
    while !sandbox.has("pids") || sandbox.read("pids").lines().count() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &interrupted.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));
    ends(&sandbox, "pids");
}

#[cfg(unix)]
#[test]
fn what_a_program_leaves_behind_with_its_output_open_is_not_waited_for() {
    let sandbox = sandbox();
    let answer = "{\"summary\": [\"Left.\"], \"key_facts\": [], \"rules\": [], \"keywords\": []}";
    sandbox.write("answer.sh", format!("sleep 20 2>/dev/null &\ncat >/dev/null; echo '{answer}'"));
    let noted = sandbox.json(0, &["notes", "docs/guide.md", "--command", "sh answer.sh", "--timeout", "15s"]);
    assert_eq!(noted["documents"][0]["notes"]["summary"][0], "Left.", "{noted}");
}

#[test]
fn a_title_stands_in_its_heading_as_written() {
    let sandbox = pinned("---\ntitle: The \"best\" <tea> & co\n---\nThe tea is green.\n");
    let pack = sandbox.expect(0, &["render", "feat:a"]);
    assert!(pack.contains("\n### The \"best\" <tea> & co (general)\n"), "{pack}");
}

#[cfg(unix)]
#[test]
fn the_end_of_what_a_program_says_is_printed_redacted() {
    let sandbox = sandbox();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let program = format!("yes first 2>/dev/null | head -c 1000000 >&2; echo the token {secret} fails >&2; exit 3");
    sandbox.write("answer.sh", program);
    let run = sandbox.run(&["notes", "docs/guide.md", "--command", "sh answer.sh"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.starts_with("[…]\n") && run.stderr.len() < 9 << 10, "{}", run.stderr.len());
    assert!(run.stderr.contains("the token") && !run.stderr.contains(&secret), "{}", &run.stderr[8000..]);
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
    let pack = &sandbox.json(0, &["render", "feat:a", "--format", "json"])["contextPack"];
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
fn notes_of_another_version_are_used_and_unusable_ones_are_not() {
    let sandbox = pinned(GUIDE);
    sandbox.json(0, &["notes", "--write"]);
    sandbox.write("docs/guide.md", GUIDE.replace("secrets", "keys"));
    let made = guide(&sandbox);
    assert_eq!(made["section"]["metadata"]["stale_notes"], true);
    assert!(made["section"]["content"].as_str().unwrap().contains("- Never commit secrets."), "{made}");
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
