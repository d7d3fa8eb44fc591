//! What exists and cannot be read is never taken for absent.
#![cfg(unix)]

use crate::sandbox::{Run, Sandbox, run};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// `nobody`, on most systems.
const NOBODY: u32 = 65534;

fn repo() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".contextpack/\nlogs/\n"),
        ("work_items/a.md", "---\nid: task:a\nadrs: [1]\n---\n\nText.\n"),
        ("work_items/b.md", "---\nid: task:b\n---\n\nText.\n"),
        ("work_items/c.md", "---\nid: task:c\nparent: task:a\n---\n\nText.\n"),
        ("docs/adr/0001-x.md", "# 1. X\n\n## Decision\n\nWe do.\n"),
        ("contextpack.yml", "github: {repo: o/r}\n"),
    ]);
    sandbox.commit();
    sandbox.expect(0, &["build"]);
    sandbox
}

/// Runs the program as a user who is bound by permissions, which root is not.
fn bound(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command = sandbox.command(args);
    if tempfile::tempdir().unwrap().path().metadata().unwrap().uid() == 0 {
        // The program may lie where only root can start it.
        let program = sandbox.beside("home").join("contextpack");
        if !program.exists() {
            // By another process: a file that this one has open for writing cannot be started by any of its threads.
            assert!(Command::new("cp").arg(command.get_program()).arg(&program).status().unwrap().success());
        }
        for entry in walkdir::WalkDir::new(sandbox.beside("")) {
            lchown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut bound = Command::new(program);
        bound.args(args).current_dir(sandbox.root()).env_clear();
        bound.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        bound.uid(NOBODY).gid(NOBODY);
        command = bound;
    }
    run(command, "")
}

fn mode(sandbox: &Sandbox, path: &str, mode: u32) {
    fs::set_permissions(sandbox.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

fn packs(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    sandbox.files().into_iter().filter(|(path, _)| path.starts_with("packs/")).collect()
}

fn changed(before: &[(String, Vec<u8>)], after: &[(String, Vec<u8>)]) -> Vec<String> {
    assert!(before.iter().all(|(path, _)| after.iter().any(|(other, _)| other == path)), "a pack is gone");
    after.iter().filter(|pack| !before.contains(pack)).map(|(path, _)| path.clone()).collect()
}

/// While `path` has no permissions, `build` ends with 3, names it, and changes no pack but these; afterwards
/// all is as if nothing had been.
fn kept_without(path: &str, named: &str, but: &[&str]) {
    let sandbox = repo();
    let before = packs(&sandbox);
    for item in ["a", "b", "c"] {
        let text = sandbox.read(&format!("work_items/{item}.md"));
        sandbox.write(&format!("work_items/{item}.md"), text + "\nMore.\n");
    }
    sandbox.write("work_items/new.md", "---\nid: task:new\nadrs: [1]\n---\n\nText.\n");
    let usual = sandbox.root().join(path).metadata().unwrap().mode();
    mode(&sandbox, path, 0);
    for args in [&["build"][..], &["build", "-v"], &["build"]] {
        let run = bound(&sandbox, args);
        mode(&sandbox, path, usual);
        let after = packs(&sandbox);
        mode(&sandbox, path, 0);
        assert_eq!(run.code, 3, "{args:?} without {path}: {}", run.stderr);
        assert!(run.stderr.contains("error[unreadable-file]"), "{}", run.stderr);
        assert!(run.stderr.contains(named), "{path}: {}", run.stderr);
        assert_eq!(changed(&before, &after), but, "{args:?} without {path}: {}", run.stderr);
    }
    for args in [&["check"][..], &["list"], &["render", "task:a"], &["explain", "task:a"], &["build", "task:a"]] {
        assert_eq!(bound(&sandbox, args).code, 3, "{args:?} without {path}");
    }
    mode(&sandbox, path, usual);
    assert_eq!(bound(&sandbox, &["build"]).code, 0);
    assert_eq!(bound(&sandbox, &["check"]).code, 0);
    assert_eq!(changed(&before, &packs(&sandbox)).len(), 4);
}

#[test]
fn a_folder_of_items_that_cannot_be_listed_removes_no_pack() {
    kept_without("work_items", "`work_items` cannot be listed", &[]);
}

#[test]
fn a_folder_of_documents_that_cannot_be_listed_changes_no_pack() {
    kept_without("docs", "`docs` cannot be listed", &[]);
}

#[test]
fn an_item_that_cannot_be_read_may_be_a_part_of_any_pack() {
    kept_without("work_items/c.md", "`work_items/c.md` cannot be read", &[]);
}

#[test]
fn a_document_that_cannot_be_read_keeps_the_packs_that_refer_to_it() {
    let but = ["packs/task-b.coding.json", "packs/task-c.coding.json"];
    kept_without("docs/adr/0001-x.md", "`docs/adr/0001-x.md` cannot be read", &but);
}

#[test]
fn an_ignore_file_that_cannot_be_read_leaves_open_which_files_count() {
    kept_without(".gitignore", "`.gitignore` cannot be read", &[]);
}

#[test]
fn a_root_in_a_file_that_cannot_be_read_is_no_usage_error() {
    let sandbox = repo();
    mode(&sandbox, "work_items/b.md", 0);
    for args in [&["build", "task:b"][..], &["render", "task:b"], &["list", "--matrix", "2"], &["check", "task:b"]] {
        let run = bound(&sandbox, args);
        assert_eq!(run.code, 3, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("work_items/b.md"), "{args:?}: {}", run.stderr);
    }
    assert_eq!(bound(&sandbox, &["build", "task:none"]).code, 3, "it may be there");
}

#[test]
fn a_snapshot_that_cannot_be_read_keeps_every_pack() {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "github: {repo: octo/search, snapshot: snapshot}\n"),
        ("work_items/a.md", "---\nid: task:a\nissue: 12\n---\n\nText.\n"),
        (
            "snapshot/octo/search/12.json",
            include_str!("../golden/github-issues/repo/dot-contextpack/github/octo/search/12.json"),
        ),
    ]);
    bound(&sandbox, &["build"]);
    let before = packs(&sandbox);
    assert!(!before.is_empty());
    sandbox.write("work_items/a.md", "---\nid: task:a\nissue: 12\n---\n\nMore.\n");
    for path in ["snapshot", "snapshot/octo/search", "snapshot/octo/search/12.json"] {
        let usual = sandbox.root().join(path).metadata().unwrap().mode();
        mode(&sandbox, path, 0);
        let run = bound(&sandbox, &["build"]);
        mode(&sandbox, path, usual);
        assert_eq!(run.code, 3, "{path}: {}", run.stderr);
        assert!(run.stderr.contains(&format!("`{path}`")), "{path}: {}", run.stderr);
        assert_eq!(packs(&sandbox), before, "{path}");
    }
}

#[test]
fn a_configuration_that_cannot_be_looked_at_is_not_none() {
    let sandbox = repo();
    sandbox.write("work_items/b.md", "---\nid: task:b\n---\n\nMore.\n");
    let before = packs(&sandbox);
    mode(&sandbox, "contextpack.yml", 0);
    assert_eq!(bound(&sandbox, &["build"]).code, 1);
    mode(&sandbox, "contextpack.yml", 0o644);
    fs::remove_file(sandbox.root().join("contextpack.yml")).unwrap();
    symlink("contextpack.yml", sandbox.root().join("contextpack.yml")).unwrap();
    let run = sandbox.run(&["build"]);
    assert!(run.code == 1 || run.code == 3, "{}", run.stderr);
    assert!(run.stderr.contains("contextpack.yml"), "{}", run.stderr);
    assert_eq!(packs(&sandbox), before);
}

#[test]
fn git_that_fails_is_not_a_repository_without_files() {
    let sandbox = repo();
    sandbox.write("logs/kept.md", "Tracked although it is ignored.\n");
    sandbox.write("work_items/b.md", "---\nid: task:b\ndocs: [logs/kept.md]\n---\n\nText.\n");
    sandbox.git(&["add", "-f", "logs/kept.md"]);
    sandbox.expect(0, &["build"]);
    let before = packs(&sandbox);
    let index = fs::read(sandbox.root().join(".git/index")).unwrap();
    sandbox.write(".git/index", "no index");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("error[git-unavailable]"), "{}", run.stderr);
    assert_eq!(packs(&sandbox), before);
    sandbox.write(".git/index", index);
    sandbox.expect(0, &["check"]);
}

#[test]
fn a_repository_that_is_not_where_the_work_tree_says_is_a_warning() {
    let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: task:a\n---\n\nText.\n")]);
    sandbox.write(".git", "gitdir: ../elsewhere\n");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning[git-unavailable]"), "{}", run.stderr);
}

#[test]
fn a_link_into_a_folder_that_cannot_be_searched_is_not_dangling() {
    let sandbox = repo();
    sandbox.write("private/x.md", "---\nid: task:x\n---\n");
    symlink("../private/x.md", sandbox.root().join("work_items/x.md")).unwrap();
    sandbox.expect(0, &["build"]);
    let before = packs(&sandbox);
    mode(&sandbox, "private", 0o600);
    let run = bound(&sandbox, &["build"]);
    mode(&sandbox, "private", 0o755);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(packs(&sandbox), before);
}

/// A path so long that not even root can list the folder.
#[test]
fn a_folder_that_nobody_can_list_is_an_error_with_its_place() {
    let sandbox = repo();
    let before = packs(&sandbox);
    fs::remove_file(sandbox.root().join("work_items/b.md")).unwrap();
    let deep = |top: &str| (0..12).fold(sandbox.root().join(top), |path, _| path.join("d".repeat(200)));
    for top in ["work_items", "half"] {
        fs::create_dir_all(deep(top)).unwrap();
    }
    // Of the two halves no call names the whole.
    fs::rename(sandbox.root().join("half"), deep("work_items").join("half")).unwrap();
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("cannot be listed"), "{}", run.stderr);
    assert_eq!(packs_shallow(&sandbox), before);
}

#[test]
fn an_unreadable_document_keeps_packs_as_they_are_since_each_may_lack_it() {
    let sandbox = crate::agents::office();
    sandbox.expect(0, &["build"]);
    let before = packs(&sandbox);
    mode(&sandbox, "knowledge/zebra.md", 0o000);
    sandbox.write("work_items/feat-root.md", "---\nid: feat:root\n---\nOther text.\n");
    for args in [&["build"][..], &["render", "--agent", "research"], &["render", "feat:root", "--agent", "research"]] {
        let run = bound(&sandbox, args);
        assert_eq!(run.code, 3, "{args:?}: {run:?}");
        assert!(run.stderr.contains("unreadable-file") && run.stderr.contains("knowledge/zebra.md"), "{run:?}");
        assert!(run.stdout.is_empty(), "{run:?}");
    }
    assert_eq!(packs(&sandbox), before);
}

#[test]
fn a_folder_that_cannot_be_listed_may_hold_agents_and_rules_of_any_agent() {
    let sandbox = crate::agents::office();
    sandbox.expect(0, &["build", "--agent", "research", "--out", "-"]);
    let id = crate::cards::card(&sandbox, "x");
    sandbox.expect(0, &["box", "append", "research", &id]);
    sandbox.expect(0, &["inbox", "put", "ops", "--box", "research"]);
    sandbox.write(
        "tasks.yml",
        "parent_agent: research\ntasks:\n  - {target_strategy: new, target_ref: ops, instruction: Do.}\n",
    );
    let handover = ["handover", "delegate", "--to", "ops", "--from", "research", "--arg", "instruction=Do it."];
    let commands: [&[&str]; 5] = [
        &["render", "--agent", "research"],
        &["build", "--agent", "research", "--out", "-"],
        &["explain", "--agent", "research"],
        &["batch", "fork", "tasks.yml"],
        &handover,
    ];
    let agents: [&[&str]; 4] = [
        &["agent", "list"],
        &["agent", "show", "research"],
        &["agent", "new", "Research", "--purpose", "x"],
        &["inbox", "put", "research", "--box", "research"],
    ];
    for (folder, more) in [("knowledge/research", &[][..]), ("knowledge", &[]), ("agents", &agents)] {
        let files = sandbox.files();
        mode(&sandbox, folder, 0);
        for args in commands.iter().chain(more) {
            let run = bound(&sandbox, args);
            assert_eq!(run.code, 3, "{args:?} without {folder}: {run:?}");
            assert!(run.stderr.contains("unreadable-file") && run.stderr.contains(folder), "{args:?}: {run:?}");
            assert!(!run.stdout.contains("House rules"), "{args:?}: {run:?}");
        }
        assert_eq!(bound(&sandbox, &["notes"]).code, 3, "without {folder}");
        mode(&sandbox, folder, 0o755);
        let written = sandbox.files().into_iter().filter(|file| !files.contains(file));
        let written: Vec<String> =
            written.map(|(path, _)| path).filter(|path| !path.starts_with(".contextpack/")).collect();
        assert_eq!(written, [""; 0], "without {folder}");
    }
}

#[test]
fn a_file_of_a_ledger_that_cannot_be_read_is_no_advice_to_take_what_somebody_has() {
    let (sandbox, id) = crate::batches::batch(2, "");
    let turn =
        sandbox.json(0, &["inbox", "put", "coder", "--box", "planner", "--format", "json"])["agent_turn_id"].clone();
    let turn = turn.as_str().unwrap();
    sandbox.expect(0, &["batch", "claim", &id, "0"]);
    sandbox.expect(0, &["batch", "report", &id, "1", "--epoch", "1", "--status", "success"]);
    sandbox.expect(0, &["inbox", "claim", "coder", turn]);
    let (batch, inbox) = (format!("context/batches/{id}"), "context/inbox/coder".to_owned());
    let claimed: [&[&str]; 5] = [
        &["batch", "claim", &id, "0"],
        &["batch", "report", &id, "0", "--epoch", "1", "--status", "success"],
        &["batch", "status", &id],
        &["batch", "reclaim", &id],
        &["batch", "cancel", &id],
    ];
    let turns: [&[&str]; 4] = [
        &["inbox", "claim", "coder", turn],
        &["inbox", "ack", "coder", turn, "--status", "success"],
        &["inbox", "list", "coder"],
        &["inbox", "reclaim", "coder"],
    ];
    let cases = [
        (format!("{batch}/claims/0-1.json"), &claimed[..]),
        (format!("{batch}/reports/1-1.json"), &claimed),
        (format!("{batch}/claims"), &claimed),
        (format!("{inbox}/claims/{turn}-1.json"), &turns),
        (format!("{inbox}/claims"), &turns),
        (inbox, &turns),
    ];
    let before = sandbox.files();
    for (path, commands) in cases {
        let usual = sandbox.path(&path).metadata().unwrap().mode();
        for args in commands {
            mode(&sandbox, &path, 0);
            let run = bound(&sandbox, args);
            mode(&sandbox, &path, usual);
            assert_eq!(run.code, 1, "{args:?} without {path}: {run:?}");
            assert!(run.stderr.contains(&path) && !run.stderr.contains("reclaim"), "{args:?} without {path}: {run:?}");
            assert!(run.stdout.is_empty(), "{args:?} without {path}: {run:?}");
        }
        // `verify` checks all other files.
        mode(&sandbox, &path, 0);
        let verified = bound(&sandbox, &["verify", "context"]);
        mode(&sandbox, &path, usual);
        assert_ne!(verified.code, 0, "{path}: {verified:?}");
    }
    let changed = sandbox.files().into_iter().filter(|file| !before.contains(file));
    assert_eq!(changed.filter(|(path, _)| !path.starts_with(".contextpack/")).count(), 0);
}

#[test]
fn what_cannot_be_recorded_is_not_delivered() {
    let sandbox = crate::agents::office();
    sandbox.expect(0, &["render", "--agent", "research", "--record"]);
    let log = sandbox.read(".contextpack/delivered/delivered.jsonl");
    mode(&sandbox, ".contextpack/delivered", 0o555);
    mode(&sandbox, ".contextpack/delivered/delivered.jsonl", 0o444);
    let run = bound(&sandbox, &["render", "--agent", "ops", "--record"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains(".contextpack/delivered") && run.stdout.is_empty(), "{run:?}");
    assert_eq!(sandbox.read(".contextpack/delivered/delivered.jsonl"), log);
    let without = bound(&sandbox, &["render", "--agent", "ops"]);
    assert_eq!(without.code, 0, "{without:?}");
}

/// The packs, without entering unreadable folders.
fn packs_shallow(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(sandbox.root().join("packs")).unwrap().map(|entry| entry.unwrap());
    let mut packs: Vec<_> = entries
        .map(|entry| (format!("packs/{}", entry.file_name().to_str().unwrap()), fs::read(entry.path()).unwrap()))
        .collect();
    packs.sort();
    packs
}

/// Git would say of a link that the file is gone; a build cannot know what it hides.
#[test]
fn what_takes_the_place_of_an_item_or_its_folder_removes_no_pack() {
    use std::os::unix::fs::symlink;
    let item = "---\nid: feat:a\n---\n\nText.\n";
    let sandbox =
        Sandbox::with(&[("work_items/sub/a.md", item), ("work_items/b.md", "---\nid: feat:b\n---\n\nText.\n")]);
    sandbox.expect(0, &["build"]);
    let pack = sandbox.read("packs/feat-a.coding.json");
    let (file, folder) = (sandbox.root().join("work_items/sub/a.md"), sandbox.root().join("work_items/sub"));
    for target in ["a.md", "gone.md", "../..", "/nowhere"] {
        std::fs::remove_file(&file).unwrap();
        symlink(target, &file).unwrap();
        sandbox.run(&["build"]);
        assert_eq!(sandbox.read("packs/feat-a.coding.json"), pack, "{target}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    for target in ["sub", "/nowhere", "../packs"] {
        symlink(target, &folder).unwrap();
        sandbox.run(&["build"]);
        assert_eq!(sandbox.read("packs/feat-a.coding.json"), pack, "{target}");
        let checked = sandbox.expect(0, &["check"]);
        assert!(checked.is_empty() || checked.contains("unverifiable"), "{checked}");
        std::fs::remove_file(&folder).unwrap();
    }
    // What is gone is gone.
    sandbox.expect(0, &["build"]);
    assert!(!sandbox.root().join("packs/feat-a.coding.json").exists());
}

/// Special files in place of a document: a link to itself, a pipe, a link to a pipe.
#[test]
fn what_is_no_file_keeps_the_packs_that_refer_to_it() {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".contextpack/\nhidden.md\n"),
        ("work_items/a.md", "---\nid: task:a\nadrs: [1]\n---\n\nSee [x](../docs/x.md).\n"),
        ("work_items/b.md", "---\nid: task:b\n---\n\nText.\n"),
        ("docs/x.md", "# X\n\nText.\n"),
        ("docs/adr/0001-x.md", "# 1. X\n\n## Decision\n\nWe do.\n"),
        ("contextpack.yml", "github: {repo: o/r}\n"),
    ]);
    sandbox.write(&crate::issues::path("o/r", 5), crate::issues::issue("o/r", 5, "I", "See docs/x.md and ADR-1."));
    sandbox.commit();
    sandbox.expect(0, &["build"]);
    let before = packs(&sandbox);
    let pipe = |path: &str| assert!(Command::new("mkfifo").arg(sandbox.root().join(path)).status().unwrap().success());
    pipe("pipe");
    for path in ["docs/x.md", "docs/adr/0001-x.md"] {
        let text = sandbox.read(path);
        let at = sandbox.root().join(path);
        for put in ["loop", "circle", "pipe", "link to a pipe"] {
            fs::remove_file(&at).unwrap();
            match put {
                "loop" => symlink(at.file_name().unwrap(), &at).unwrap(),
                "circle" => {
                    symlink(&*format!("{}2", at.file_name().unwrap().to_str().unwrap()), &at).unwrap();
                    symlink(at.file_name().unwrap(), format!("{}2", at.display())).unwrap();
                }
                "pipe" => pipe(path),
                _ => symlink(if path.contains("adr") { "../../pipe" } else { "../pipe" }, &at).unwrap(),
            }
            sandbox.write("work_items/b.md", format!("---\nid: task:b\n---\n\n{put} {}.\n", path.len()));
            for args in [&["build"][..], &["build", "-v"]] {
                let run = sandbox.run(args);
                assert_eq!(run.code, 3, "{path} {put} {args:?}: {}", run.stderr);
                let expected_message = format!("`{path}` cannot be read: it is no file");
                assert!(run.stderr.contains(&expected_message), "{path} {put}: {}", run.stderr);
                assert_eq!(changed(&before, &packs(&sandbox)), ["packs/task-b.coding.json"], "{path} {put} {args:?}");
            }
            assert_eq!(sandbox.run(&["check"]).code, 3, "{path} {put}");
            fs::remove_file(&at).unwrap();
            let _only_of_a_circle = fs::remove_file(format!("{}2", at.display()));
            sandbox.write(path, &text);
        }
    }
    sandbox.write("work_items/b.md", "---\nid: task:b\n---\n\nText.\n");
    sandbox.expect(0, &["build"]);
    assert_eq!(packs(&sandbox), before);
}

#[test]
fn a_pack_that_may_hold_a_damaged_item_and_cannot_be_read_is_an_error() {
    let sandbox = repo();
    fs::write(sandbox.root().join("work_items/b.md"), b"---\nid: task:b\n---\n\n\xff\n").unwrap();
    mode(&sandbox, "packs/task-c.coding.json", 0);
    let run = bound(&sandbox, &["render", "task:a"]);
    assert!(run.stderr.contains("error[unreadable-file]: `packs/task-c.coding.json` cannot be read"), "{run:?}");
}
