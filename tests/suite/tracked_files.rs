//! What git tracks is what a build reads, whatever a clone has of it on disk.

use crate::issues::issue;
use crate::sandbox::{Run, Sandbox};
use std::fs;

const SHA1: &str = "0123456789abcdef0123456789abcdef01234567";

/// A repo with committed packs, whose items refer to each other and to documents.
fn repo(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".contextpack/cache/\n"),
        ("contextpack.yml", "github: {repo: o/r}\noutput: {profiles: [coding, review]}\n"),
        ("work_items/1.md", "---\nid: me-1\ndepends_on: [sub-2]\n---\nSee docs/x.md and docs/adr/0001-y.md.\n"),
        ("work_items/sub/2.md", "---\nid: sub-2\n---\nText, see src/lib.rs:2.\n"),
        ("docs/x.md", "# X\n\nOne.\n"),
        ("docs/adr/0001-y.md", "# 1. Y\n\n## Status\n\nAccepted\n\n## Decision\n\nWe do.\n"),
        ("src/lib.rs", "one\ntwo\n"),
    ]);
    files.iter().for_each(|(path, text)| sandbox.write(path, text));
    sandbox.commit();
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    sandbox
}

/// Asserts that a build changes no pack and removes none, and that all are fresh.
fn assert_unchanged(sandbox: &Sandbox, case: &str) {
    let before = sandbox.packs();
    for args in [&["check"][..], &["build"], &["build"], &["check"]] {
        let Run { code, stdout, stderr } = sandbox.run(args);
        assert_eq!(code, 0, "{case}: {args:?}\n{stdout}{stderr}");
        assert!(sandbox.packs() == before, "{case}: {args:?} changed packs\n{stdout}{stderr}");
    }
}

fn pack(sandbox: &Sandbox, name: &str) -> serde_json::Value {
    serde_json::from_str(&sandbox.read(&format!("packs/{name}"))).unwrap()
}

/// The reasons of a pack's omissions, by section.
fn omitted(pack: &serde_json::Value) -> Vec<(String, String)> {
    let text = |omission: &serde_json::Value, key: &str| omission[key].as_str().unwrap().to_owned();
    pack["omissions"].as_array().unwrap().iter().map(|one| (text(one, "id"), text(one, "reason"))).collect()
}

#[test]
fn files_that_are_not_checked_out_keep_their_packs() {
    let cases: &[(&str, &[&[&str]])] = &[
        ("an item", &[&["sparse-checkout", "set", "--no-cone", "/*", "!work_items/sub/"]]),
        ("documents and code", &[&["sparse-checkout", "set", "--no-cone", "/*", "!docs/", "!src/"]]),
        ("the configuration", &[&["sparse-checkout", "set", "--no-cone", "/packs/", "/.gitignore"]]),
        ("all but a folder", &[&["sparse-checkout", "set", "--cone", "packs", "src"]]),
        ("a sparse index", &[&["sparse-checkout", "set", "--cone", "--sparse-index", "packs"]]),
        ("one file", &[&["update-index", "--skip-worktree", "docs/x.md"], &["rm-on-disk", "docs/x.md"]]),
        ("issues", &[&["sparse-checkout", "set", "--no-cone", "/*", "!.contextpack/"]]),
    ];
    let issue = issue("o/r", 7, "Seven", "Text.");
    for (case, commands) in cases {
        let sandbox = repo(&[(".contextpack/github/o/r/7.json", &issue)]);
        for command in *commands {
            match command {
                ["rm-on-disk", path] => fs::remove_file(sandbox.path(path)).unwrap(),
                command => drop(sandbox.git(command)),
            }
        }
        assert!(sandbox.has("packs/issue-7.coding.json"), "{case}");
        assert_unchanged(&sandbox, case);
        let status = sandbox.git(&["status", "--porcelain"]);
        assert_eq!(status, "", "{case}");
    }
}

#[test]
fn a_file_that_was_deleted_is_gone_also_in_a_sparse_checkout() {
    let sandbox = repo(&[]);
    sandbox.git(&["sparse-checkout", "set", "--no-cone", "/*", "!docs/"]);
    fs::remove_file(sandbox.path("work_items/sub/2.md")).unwrap();
    sandbox.expect(4, &["check"]);
    sandbox.expect(0, &["build"]);
    assert!(!sandbox.has("packs/sub-2.coding.json"));
}

#[test]
fn what_a_partial_clone_lacks_is_unreadable_and_keeps_its_packs() {
    for path in ["work_items/sub/2.md", "docs/x.md", "src/lib.rs"] {
        let sandbox = repo(&[]);
        let id = sandbox.git(&["rev-parse", &format!(":{path}")]);
        sandbox.git(&["update-index", "--skip-worktree", path]);
        fs::remove_file(sandbox.path(path)).unwrap();
        let (folder, name) = id.trim().split_at(2);
        fs::remove_file(sandbox.path(&format!(".git/objects/{folder}/{name}"))).unwrap();
        let before = sandbox.packs();
        for args in [&["check"][..], &["build"]] {
            let run = sandbox.run(args);
            assert_eq!(run.code, 3, "{path}: {args:?}\n{}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains("unreadable-file") && run.stderr.contains(path), "{path}: {}", run.stderr);
            assert!(sandbox.packs() == before, "{path}: {args:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_link_that_git_tracks_is_a_link_in_a_clone_without_links() {
    use std::os::unix::fs::symlink;
    let sandbox = repo(&[]);
    let links =
        [("real.md", "docs/link.md"), ("link.md", "docs/second.md"), ("../src", "docs/code"), ("../../x", "out.md")];
    links.iter().for_each(|(target, link)| symlink(target, sandbox.path(link)).unwrap());
    symlink("../docs/real.md", sandbox.path("work_items/linked.md")).unwrap();
    sandbox.write("docs/real.md", "---\nid: real\n---\n# Real\n");
    sandbox.write("work_items/1.md", "---\nid: me-1\n---\ndocs/link.md docs/second.md docs/code/lib.rs out.md\n");
    sandbox.expect(0, &["build"]);
    sandbox.commit();
    assert!(sandbox.has("packs/real.coding.json"));
    // git writes a plain file with the target in place of each link.
    sandbox.git(&["config", "core.symlinks", "false"]);
    let all: Vec<&str> = links.iter().map(|(_, link)| *link).chain(["work_items/linked.md"]).collect();
    all.iter().for_each(|link| fs::remove_file(sandbox.path(link)).unwrap());
    sandbox.git(&["checkout", "--", "."]);
    assert!(all.iter().all(|link| sandbox.path(link).symlink_metadata().unwrap().is_file()));
    assert_unchanged(&sandbox, "plain files");
    sandbox.write("docs/link.md", "anything else");
    assert_unchanged(&sandbox, "a changed file");
    // Without the setting only the very target counts as a link.
    sandbox.git(&["config", "--unset", "core.symlinks"]);
    sandbox.write("docs/link.md", "real.md");
    assert_unchanged(&sandbox, "a file with the target");
    sandbox.write("docs/link.md", "# Replaced\n");
    sandbox.expect(4, &["check"]);
    sandbox.expect(0, &["build"]);
    assert!(sandbox.read("packs/me-1.coding.json").contains("Replaced"));
}

#[test]
fn an_id_that_git_expands_is_read_as_stored() {
    let files = [(".gitattributes", "*.md ident\n"), ("docs/x.md", "# X\n\n$Id$ $Id: by hand $\n")];
    let sandbox = repo(&files);
    for path in ["docs/x.md", "work_items/1.md"] {
        fs::remove_file(sandbox.path(path)).unwrap();
        sandbox.git(&["checkout", "--", path]);
    }
    assert!(!sandbox.read("docs/x.md").contains("$Id$"), "git expands it");
    assert_unchanged(&sandbox, "a clone");
    sandbox.write("docs/x.md", format!("# X\n\n$Id: {SHA1} $ $Id$\n"));
    assert_unchanged(&sandbox, "an older clone");
    // Settings of one clone change nothing.
    let sandbox = repo(&[("docs/x.md", "# X\n\n$Id$ $Id: x.c,v 1.2 $\n")]);
    sandbox.write(".git/info/attributes", "*.md ident\n");
    fs::remove_file(sandbox.path("docs/x.md")).unwrap();
    sandbox.git(&["checkout", "--", "docs/x.md"]);
    assert!(!sandbox.read("docs/x.md").contains("$Id$"), "git expands it");
    assert_unchanged(&sandbox, "info/attributes");
}

#[test]
fn what_is_stored_with_git_lfs_is_an_omission_with_and_without_lfs() {
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 4711\n", "a".repeat(64));
    let paths = ["docs/x.md", "docs/adr/0001-y.md", "src/lib.rs", "work_items/big.md"];
    let sandbox = repo(&[]);
    let attributes = "docs/** filter=lfs diff=lfs merge=lfs -text\n*.rs filter=lfs\nwork_items/big.md filter=lfs\n";
    sandbox.write(".gitattributes", attributes);
    paths.iter().for_each(|path| sandbox.write(path, "---\nid: big\n---\nThe content.\n"));
    let run = sandbox.run(&["build"]);
    assert!(
        run.code == 0 && run.stderr.contains("unreadable-file") && run.stderr.contains("work_items/big.md"),
        "{run:?}"
    );
    let with_lfs = sandbox.packs();
    assert!(!sandbox.has("packs/big.coding.json"));
    let omissions =
        [omitted(&pack(&sandbox, "me-1.coding.json")), omitted(&pack(&sandbox, "sub-2.coding.json"))].concat();
    assert_eq!(omissions.iter().filter(|(_, reason)| reason == "git_lfs").count(), 3, "{omissions:?}");
    paths.iter().for_each(|path| sandbox.write(path, &pointer));
    sandbox.expect(0, &["check"]);
    // A pointer needs no attribute.
    fs::remove_file(sandbox.path(".gitattributes")).unwrap();
    sandbox.expect(0, &["build"]);
    assert!(sandbox.packs() == with_lfs);
    // The caches notice attributes: the files are as before.
    paths.iter().for_each(|path| sandbox.write(path, "---\nid: big\n---\nThe content.\n"));
    sandbox.expect(0, &["build"]);
    assert!(sandbox.has("packs/big.coding.json"));
    sandbox.write(".gitattributes", attributes);
    sandbox.expect(0, &["build"]);
    assert!(sandbox.read("packs/me-1.coding.json").contains("git_lfs"));
}

#[test]
fn names_that_windows_reserves_are_no_names_of_packs() {
    let sandbox = Sandbox::configured(&[]);
    for id in ["con", "prn", "aux", "nul", "com1", "LPT9", "nul.x", "auxiliary"] {
        sandbox.write(&format!("work_items/i-{id}.md"), format!("---\nid: {id}\n---\nText.\n"));
    }
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check"]);
    sandbox.expect(0, &["verify", "packs"]);
    let names: Vec<String> = sandbox.packs().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 8);
    for name in &names {
        let stem = name.split('.').next().unwrap();
        assert!(stem.len() > 4, "{name}");
    }
    assert!(names.contains(&"auxiliary.coding.json".to_owned()), "{names:?}");
}

#[test]
fn of_a_conflict_copy_the_original_is_built() {
    for copy in [
        "me (conflicted copy 2026-01-01).md",
        "me (Jane's conflicted copy 2026-01-02).md",
        "me.sync-conflict-20260102-103012-ABCDEFG.md",
    ] {
        let text = |title: &str| format!("---\nid: me-1\ntitle: {title}\n---\nText.\n");
        let sandbox = Sandbox::configured(&[("work_items/me.md", &text("Live"))]);
        let path = format!("work_items/{copy}");
        sandbox.write(&path, text("Copy"));
        let run = sandbox.run(&["build"]);
        assert!(run.code == 0 && run.stderr.contains("duplicate-id"), "{run:?}");
        assert!(run.stderr.contains(&path) && run.stderr.contains("work_items/me.md"), "{run:?}");
        let packs = sandbox.packs();
        assert_eq!(packs.len(), 1, "{copy}");
        assert!(String::from_utf8_lossy(&packs[0].1).contains("\"Live\""), "{copy}");
        // Without its original it is a file like any other.
        fs::remove_file(sandbox.path("work_items/me.md")).unwrap();
        sandbox.expect(0, &["build"]);
        assert!(String::from_utf8_lossy(&sandbox.packs()[0].1).contains("\"Copy\""), "{copy}");
    }
}

#[test]
fn a_hidden_folder_holds_items_only_where_a_glob_spells_it() {
    let item = |id: &str| format!("---\nid: {id}\n---\nText.\n");
    for (globs, expected) in [
        ("'**/*.md'", &["live"][..]),
        ("'**/*.md', '.tasks/**/*.md'", &["live", "task"]),
        ("'{notes,.tasks}/**/*.md'", &["live", "task"]),
        ("'**/.trash/*.md'", &["trash"]),
        ("'.*/*.md'", &["plugin", "task"]),
    ] {
        let sandbox = Sandbox::with(&[("contextpack.yml", &format!("work_items: [{{include: [{globs}]}}]\n"))]);
        for (path, id) in [
            ("notes/a.md", "live"),
            ("notes/.trash/a.md", "trash"),
            (".obsidian/a.md", "plugin"),
            (".tasks/a.md", "task"),
            (".tasks/.trash/a.md", "lost"),
        ] {
            sandbox.write(path, item(id));
        }
        sandbox.expect(0, &["build"]);
        let names: Vec<String> = sandbox.packs().into_iter().map(|(name, _)| name).collect();
        let expected: Vec<String> = expected.iter().map(|id| format!("{id}.coding.json")).collect();
        assert_eq!(names, expected, "{globs}");
    }
}

#[test]
fn an_export_of_github_counts_by_its_names() {
    let export = r#"[{"number": 3, "title": "Three", "state": "OPEN", "body": "b", "author": {"login": "kim", "name": ""},
        "labels": [{"id": "x", "name": "bug", "color": "f00"}], "assignees": [{"login": "sam"}], "milestone": {"title": "v1"}},
        {"number": 4, "title": "Four", "state": "CLOSED", "labels": [], "assignees": [], "milestone": null}]"#;
    let config = |roots: &str| {
        format!(
            "work_items: [{{include: ['i.json'], id: 'GH-{{number}}', fields: {{status: state}}}}]\nroots: {{{roots}}}\n"
        )
    };
    for roots in
        ["labels: [bug]", "assignees: [sam]", "milestone: [v1]", "state: [open]", "exclude: {status: [closed]}"]
    {
        let sandbox = Sandbox::with(&[("i.json", export), ("contextpack.yml", &config(roots))]);
        sandbox.expect(0, &["build"]);
        let names: Vec<String> = sandbox.packs().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["gh-3.coding.json"], "{roots}");
        let root = sandbox.read("packs/gh-3.coding.json");
        assert!(root.contains("kim") && !root.contains("f00"), "{root}");
    }
}

#[test]
fn another_spelling_of_the_configuration_is_an_error_everywhere() {
    for name in ["ContextPack.yml", "Contextpack.yaml", "CONTEXTPACK.YML"] {
        let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: a\n---\nText.\n"), (name, "version: 1\n")]);
        let run = sandbox.run(&["build"]);
        assert_eq!(run.code, 3, "{name}: {run:?}");
        assert!(run.stderr.contains("invalid-config") && run.stderr.contains(name), "{run:?}");
        assert!(sandbox.packs().is_empty(), "{name}");
    }
}

#[test]
fn a_backslash_in_a_configured_path_is_an_error() {
    for setting in [
        "output: {dir: 'out\\packs'}",
        "github: {snapshot: 'a\\b'}",
        "handover: {dir: 'a\\b'}",
        "overview: 'docs\\x.md'",
        "work_items: [{include: a, body_file: 'x\\y.md'}]",
    ] {
        let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: a\n---\nText.\n"), ("contextpack.yml", setting)]);
        let run = sandbox.run(&["build"]);
        assert!(run.code == 3 && run.stderr.contains("invalid-config"), "{setting}: {run:?}");
        assert!(run.stderr.contains("contextpack.yml:1:"), "{setting}: {run:?}");
    }
}
