//! What odd trees, hostile texts and secrets do to a run of the program.

use crate::cli::small;
use crate::sandbox::{EPOCH, Sandbox, run};
use std::fs;

#[test]
fn neither_output_nor_packs_depend_on_the_ignore_settings_of_one_clone() {
    let sandbox = small();
    sandbox.write("docs/notes.md", "# Notes\n");
    sandbox.write("work_items/feat-notes.md", "---\nid: feat:notes\ntitle: Notes\ndocs: docs/notes.md\n---\n");
    sandbox.commit();
    let before = sandbox.expect(0, &["render", "feat:notes"]);
    assert!(before.contains("id=\"file.docs/notes.md\""));
    sandbox.write(".git/info/exclude", "docs/\nwork_items/\n");
    assert_eq!(sandbox.expect(0, &["render", "feat:notes"]), before);
    // A file that git ignores for all and tracks all the same is there; one that it ignores only is not.
    sandbox.write(".gitignore", "docs/\n");
    assert_eq!(sandbox.expect(0, &["render", "feat:notes"]), before);
    sandbox.git(&["rm", "-q", "--cached", "docs/notes.md"]);
    assert!(sandbox.expect(0, &["render", "feat:notes"]).contains("not_in_repo"));
}

#[cfg(unix)]
#[test]
fn links_lead_neither_out_of_the_repo_nor_into_it_for_writing() {
    use std::os::unix::fs::symlink;
    let sandbox = small();
    fs::write(sandbox.beside("outside.md"), "# Outside\n\nthe-outside-text\n").unwrap();
    symlink(sandbox.beside("outside.md"), sandbox.root().join("docs/link.md")).unwrap();
    symlink("adr/0007-cache.md", sandbox.root().join("docs/inner.md")).unwrap();
    sandbox.write(
        "work_items/feat-link.md",
        "---\nid: feat:link\ntitle: Links\ndocs: [docs/link.md, docs/inner.md]\n---\n",
    );
    let text = sandbox.expect(0, &["render", "feat:link"]);
    assert!(!text.contains("the-outside-text") && text.contains("outside_repo"), "{text}");
    assert!(text.contains("We cache."), "{text}");
    // A link in place of the output folder, or of a pack, is not written through.
    let target = sandbox.beside("target");
    fs::create_dir(&target).unwrap();
    symlink(&target, sandbox.root().join("packs")).unwrap();
    let run = sandbox.run(&["build"]);
    assert_ne!(run.code, 0, "{run:?}");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn odd_files_in_the_tree_hang_nothing() {
    let sandbox = small();
    let made = std::process::Command::new("mkfifo").arg(sandbox.root().join("work_items/pipe.md")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", sandbox.root().join("work_items/zero.md")).unwrap();
    std::os::unix::fs::symlink("loop.md", sandbox.root().join("work_items/loop.md")).unwrap();
    let run = sandbox.run(&["build"]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 3), "{run:?}");
    assert!(
        run.stderr.contains("work_items/pipe.md") && run.stderr.contains("a pipe, a socket or a device"),
        "{run:?}"
    );
}

#[test]
fn lines_after_a_secret_of_several_lines_are_those_of_the_file_and_no_record_is_lost() {
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let edge = |end: &str| ["-----", end, " RSA PRIVATE ", "KEY-----\n"].concat();
    let inner = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n".repeat(6);
    let key = format!("{}{inner}{}", edge("BEGIN"), edge("END"));
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", &format!("---\nid: a\n---\n{key}\nBlocked by: b-x\n\nSee docs/y.md and docs/z.md#part.\n")),
        ("work_items/b.md", "---\nid: b-x\n---\nText.\n"),
        ("docs/y.md", &format!("# Y\n\n{key}\n{token}\n")),
        ("docs/z.md", &format!("# Z\n\n{key}\n## Part\n\n{token}\n")),
    ]);
    sandbox.expect(0, &["build", "a"]);
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/a.coding.json")).unwrap();
    let section = |id: &str| {
        let all = pack["sections"].as_array().unwrap();
        all.iter().find(|section| section["id"] == id).unwrap_or_else(|| panic!("{id}: {all:?}")).clone()
    };
    assert_eq!(section("root.issue")["source"]["lines"], serde_json::json!([4, 15]));
    assert_eq!(section("dependency.b-x")["metadata"]["evidence"]["at"], "work_items/a.md:13");
    assert_eq!(section("file.docs/y.md")["source"]["lines"], serde_json::json!([1, 12]));
    assert_eq!(section("file.docs/z.md#part")["source"]["lines"], serde_json::json!([12, 14]));
    let redactions: Vec<(&str, u64)> = pack["redactions"].as_array().unwrap().iter().map(place).collect();
    let expected = [("root.issue", 4), ("file.docs/y.md", 3), ("file.docs/y.md", 12), ("file.docs/z.md#part", 14)];
    assert_eq!(redactions, expected);
}

#[test]
fn what_is_removed_from_a_profiles_instructions_is_recorded() {
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\nprofiles: {coding: {instructions: mine.md}}\n"),
        ("mine.md", &format!("# Mine\n\nUse {token}.\n")),
        ("work_items/a.md", "---\nid: a\n---\nText.\n"),
    ]);
    sandbox.expect(0, &["build"]);
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/a.coding.json")).unwrap();
    let redactions: Vec<(&str, u64)> = pack["redactions"].as_array().unwrap().iter().map(place).collect();
    assert_eq!(redactions, [("instructions", 3)]);
    sandbox.expect(0, &["verify", "packs"]);
}

#[test]
fn a_file_that_cannot_be_had_is_left_out_once_whatever_names_it() {
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", "---\nid: a\ndocs: [.aws/config.md, old/config.md, old/a.md]\n---\nText.\n"),
        (".aws/config.md", "Text.\n"),
    ]);
    sandbox.expect(0, &["build"]);
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/a.coding.json")).unwrap();
    let ids: Vec<&serde_json::Value> = pack["omissions"].as_array().unwrap().iter().map(|left| &left["id"]).collect();
    // A stale folder is no way from an item to itself: what is named there is gone.
    assert_eq!(ids, ["file..aws/config.md", "file.old/a.md"]);
}

fn place(redaction: &serde_json::Value) -> (&str, u64) {
    (redaction["section"].as_str().unwrap(), redaction["line"].as_u64().unwrap())
}

#[test]
fn secrets_of_the_environment_stop_a_pack_and_are_named_by_their_variable_only() {
    let sandbox = small();
    let value = "Zx81-qQ7v-33Lm-Plug";
    sandbox.write("work_items/task-store.md", format!("---\nid: task:store\ntitle: T\n---\nIt is {value}.\n"));
    let mut command = sandbox.command(&["build"]);
    command.env("DEPLOY_TOKEN", value);
    let stopped = run(command, "");
    assert_eq!(stopped.code, 3, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("environment-secret") && stopped.stderr.contains("DEPLOY_TOKEN"));
    assert!(!stopped.stderr.contains(value));
    assert!(!sandbox.has("packs/task-store.coding.json") && sandbox.has("packs/epic-speed.coding.json"));
}

#[test]
fn hostile_titles_reach_neither_the_terminal_nor_a_workflow_command_raw() {
    let sandbox = small();
    sandbox.write(
        "work_items/evil.yml",
        "id: task:evil\ntitle: \"\\e[31mred\\n::error::owned\"\ndepends_on: [\"x\\e[2J\", \"a,b%0A::error::c\"]\n",
    );
    for args in [&["list"][..], &["build", "--format", "github"], &["explain", "task:evil"], &["check"]] {
        let run = sandbox.run(args);
        let all = run.stdout + &run.stderr;
        assert!(!all.contains('\u{1b}'), "{args:?}: {all:?}");
        let commands: Vec<&str> = all.lines().filter(|line| line.starts_with("::")).collect();
        let word = all.lines().find_map(|line| line.strip_prefix("::stop-commands::")).unwrap_or("none");
        let known = |line: &&str| {
            line.starts_with("::warning file=")
                || line.starts_with("::error file=")
                || *line == format!("::stop-commands::{word}")
                || *line == format!("::{word}::")
        };
        assert!(commands.iter().all(known), "{args:?}: {commands:?}");
        assert!(!all.contains("\n::error::"), "{args:?}: {all}");
    }
}

#[test]
fn the_time_of_the_sandbox_is_the_one_in_the_packs() {
    assert_eq!(EPOCH, "1771723200");
    let pack = small().json(0, &["build", "feat:cache", "--out", "-"]);
    assert_eq!(pack["generated_at"], "2026-02-22T01:20:00Z");
}

#[test]
fn a_repository_without_git_is_read_as_a_folder_with_a_warning() {
    let sandbox = small();
    sandbox.commit();
    let mut command = sandbox.command(&["build"]);
    command.env("PATH", sandbox.beside("home"));
    let run = run(command, "");
    assert_eq!((run.code, run.stdout.lines().count()), (0, 3), "{}", run.stderr);
    assert!(run.stderr.contains("warning[git-unavailable]"), "{}", run.stderr);
    sandbox.expect(0, &["check"]);
}
