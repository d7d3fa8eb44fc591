//! Git itself says which files it ignores; the program has to agree.

use super::memory::{Office, cases};
use super::sandbox::Sandbox;
use contextpack::internals::intake::{Repo, RepoOptions};
use contextpack::internals::model::SourceTree as _;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b.md", "a.log", "x y", "foo", "fooo.md", ".hid", "[z]", "é.md", "#c", "!d"])
}

fn path() -> impl Strategy<Value = String> {
    (vec(prop::sample::select(vec!["dir", "foo", "a.log", ".hid", "sub"]), 0..3), name())
        .prop_map(|(dirs, name)| dirs.iter().map(|dir| format!("{dir}.d/")).collect::<String>() + name)
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "*.md",
            "!b.md",
            "/a",
            "foo.d/",
            "dir.d/*",
            "!dir.d/a",
            "**/a",
            "foo.d/**",
            "*.log",
            "!*.log",
            ".hid*",
            "\\#c",
            "\\!d",
            "[z]",
            "\\[z\\]",
            "fo?",
            "x\\ y",
            "a/",
            "/*",
            "!/sub.d",
            "**",
            "!**/",
            "sub.d/**/a",
            "# note",
            "",
            "é.md ",
            "foo.d",
            "!foo.d/",
            "*.d/b.*",
            "a.lo[a-g]",
            "[!a]*.md",
            "dir.d/foo.d",
        ])
        .prop_map(str::to_owned),
        name().prop_map(|name| format!("/{name}")),
        path(),
    ]
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn files_are_those_that_git_lists(
        paths in vec(path(), 1..14),
        tracked in vec(any::<bool>(), 14),
        rules in vec((prop::sample::select(vec!["", "dir.d/", "foo.d/", "dir.d/sub.d/"]), vec(pattern(), 1..5)), 0..3),
    ) {
        let sandbox = Sandbox::configured(&[]);
        let root = sandbox.root();
        sandbox.git(&["init", "-q"]);
        for (path, tracked) in paths.iter().zip(tracked) {
            sandbox.write(path, "x\n");
            if tracked {
                sandbox.git(&["add", "-f", "--", path]);
            }
        }
        for (dir, patterns) in &rules {
            sandbox.write(&format!("{dir}.gitignore"), patterns.join("\n"));
        }
        let listed = sandbox.git(&["ls-files", "-z", "--cached", "--others", "--exclude-per-directory=.gitignore"]);
        let listed: BTreeSet<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
        let office = Office::new("");
        let repo = Repo::open(root, RepoOptions { deny: &office.deny, excluded: &[], sources: &[], snapshot: None }).unwrap();
        let found: BTreeSet<&str> = repo.files().iter().map(|path| path.as_str()).collect();
        prop_assert_eq!(found, listed, "{:?}", rules);
    }
}

/// The patterns and names in which readers of ignore files differ, over random nests of files.
#[cfg(unix)]
#[test]
fn rare_patterns_are_those_of_git() {
    let sandbox = Sandbox::configured(&[]);
    sandbox.git(&["init", "-q"]);
    let cases: serde_json::Value = serde_json::from_str(include_str!("../cases/intake.ignore.json")).unwrap();
    let texts = |name: &str| cases[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let (all_lines, files): (Vec<&str>, Vec<&str>) = (texts("lines"), texts("files"));
    files.iter().for_each(|file| sandbox.write(file, ""));
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let office = Office::new("");
    for case in 0..60 {
        for folder in ["", "a/", "a/b/", "b/", "c/"] {
            let lines: Vec<&str> = (0..next(5)).map(|_| all_lines[next(all_lines.len())]).collect();
            let file = format!("{folder}.gitignore");
            if lines.is_empty() {
                let _absent = std::fs::remove_file(sandbox.root().join(&file));
            } else {
                sandbox.write(&file, lines.join("\n"));
            }
        }
        let listed = sandbox.git(&["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]);
        let listed: BTreeSet<&str> = listed.split_terminator('\0').collect();
        let options = RepoOptions { deny: &office.deny, excluded: &[], sources: &[], snapshot: None };
        let repo = Repo::open(sandbox.root(), options).unwrap();
        let found: BTreeSet<&str> = repo.files().iter().map(|path| path.as_str()).collect();
        assert_eq!(found, listed, "case {case}");
    }
}
