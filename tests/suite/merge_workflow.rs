//! The workflows of `init --commit`, played through: the steps of their own files, in clones of a bare repository.

use crate::runner::{JobRun, Runner};
use crate::sandbox::Sandbox;
use crate::workflows::step;
use serde_json::{Value, json};
use std::fs;

const PACK: &str = "packs/feat-cache.coding.json";

/// A repo whose workflows are those of `init --commit=WAY`, with one pack of two decisions, on the branch `main`.
fn repo(way: &str, remote: bool) -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("work_items/feat-cache.md", "---\nid: feat:cache\ntitle: Cache\nadrs: [1, 2]\n---\n\nText.\n"),
        ("docs/adr/0001-one.md", "# 1. One\n\n## Decision\n\nWe do one.\n"),
        ("docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two.\n"),
    ]);
    sandbox.git(&["init", "-q", "-b", "main"]);
    if remote {
        sandbox.git(&["remote", "add", "origin", "https://github.com/owner/name.git"]);
    }
    let ended = sandbox.run(&["init", &format!("--commit={way}")]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    sandbox
}

/// Changes a file and builds on a branch of `main`.
fn branch(sandbox: &Sandbox, name: &str, path: &str, text: &str) {
    sandbox.git(&["checkout", "-q", "-b", name, "main"]);
    sandbox.write(path, text);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "main"]);
}

fn results(jobs: &[JobRun]) -> Vec<(&str, &str)> {
    jobs.iter().map(|job| (job.name.as_str(), job.result)).collect()
}

fn logs(jobs: &[JobRun]) -> String {
    jobs.iter().map(|job| format!("=== {}: {}\n{}", job.name, job.result, job.log)).collect()
}

/// Returns what a revision of the remote is.
fn remote(sandbox: &Sandbox, args: &[&str]) -> String {
    let folder = sandbox.beside("remote.git");
    sandbox.git(&[&["-C", folder.to_str().unwrap()], args].concat())
}

fn pull(number: u32, branch: &str, is_fork: bool) -> Value {
    json!({"number": number, "headRefName": branch, "baseRefName": "main", "isCrossRepository": is_fork})
}

const TIME: u64 = 1_771_723_200;

#[test]
fn pull_requests_that_conflict_in_packs_alone_are_merged_built_and_pushed_and_no_other_is() {
    let sandbox = repo("checked", true);
    branch(&sandbox, "packs-only", "docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two twice.\n");
    branch(&sandbox, "text", "docs/adr/0001-one.md", "# 1. One\n\n## Decision\n\nWe do none.\n");
    branch(&sandbox, "clean", "work_items/b.md", "---\nid: task:b\ntitle: B\n---\n");
    branch(&sandbox, "fork", "docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two at a fork.\n");
    branch(&sandbox, "broken", "docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two badly.\n");
    sandbox.git(&["checkout", "-q", "broken"]);
    sandbox.write("contextpack.yml", "output: {nothing: true}\n");
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("docs/adr/0001-one.md", "# 1. One\n\n## Decision\n\nWe do one once.\n");
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();

    let settings = json!({"vars": {"CONTEXTPACK_APP_CLIENT_ID": "Iv1"}, "secrets": {"CONTEXTPACK_APP_KEY": "key"}});
    let github = Runner::new(&sandbox, settings);
    let branches = ["packs-only", "text", "clean", "fork", "broken"];
    let before = branches.map(|name| remote(&sandbox, &["rev-parse", name]));
    let pulls: Vec<Value> =
        branches.iter().zip(1..).map(|(name, number)| pull(number, name, *name == "fork")).collect();
    fs::write(sandbox.beside("pulls"), json!(pulls).to_string()).unwrap();

    let jobs = github.run("contextpack-merge.yml", json!({}), TIME);
    assert_eq!(results(&jobs), [("look", "success"), ("build", "success"), ("push", "success")], "{}", logs(&jobs));
    assert!(logs(&jobs).contains("The packs of #5 cannot be built"), "{}", logs(&jobs));
    let after = branches.map(|name| remote(&sandbox, &["rev-parse", name]));
    assert!(before[1..] == after[1..] && before[0] != after[0], "{}", logs(&jobs));

    // The merge of both, and its packs are those of a build.
    let parents = remote(&sandbox, &["rev-parse", "packs-only^1", "packs-only^2", "main"]);
    let parents: Vec<&str> = parents.lines().collect();
    assert!(parents[0] == before[0].trim_end() && parents[1] == parents[2], "{parents:?}");
    sandbox.git(&["fetch", "-q", sandbox.beside("remote.git").to_str().unwrap(), "packs-only"]);
    sandbox.git(&["checkout", "-q", "FETCH_HEAD"]);
    assert!(sandbox.read(PACK).contains("We do one once.") && sandbox.read(PACK).contains("We do two twice."));
    sandbox.expect(0, &["check"]);

    // Then there is nothing to do.
    let jobs = github.run("contextpack-merge.yml", json!({}), TIME);
    let broken = jobs.iter().find(|job| job.name == "build").unwrap();
    assert!(broken.log.matches("::warning").count() == 1, "{}", logs(&jobs));
    fs::write(sandbox.beside("pulls"), json!([pull(1, "packs-only", false), pull(2, "text", false)]).to_string())
        .unwrap();
    let jobs = github.run("contextpack-merge.yml", json!({}), TIME);
    assert_eq!(results(&jobs), [("look", "success"), ("build", "skipped"), ("push", "skipped")], "{}", logs(&jobs));
}

#[test]
fn what_a_build_hands_on_changes_packs_alone_and_nothing_is_pushed_over_a_branch_that_moved() {
    let sandbox = repo("checked", false);
    branch(&sandbox, "side", "docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two twice.\n");
    sandbox.write("docs/adr/0001-one.md", "# 1. One\n\n## Decision\n\nWe do one once.\n");
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    let text = sandbox.read(".github/workflows/contextpack-merge.yml");
    let workflow: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let commit = |name: &str| sandbox.git(&["rev-parse", name]).trim_end().to_owned();
    let pulls = json!([{"number": 7, "headRefName": "side", "baseRefName": "main", "head": commit("side"), "onto": commit("main")}]);
    fs::create_dir(sandbox.beside("merges")).unwrap();
    let more = "diff --git a/.github/workflows/x.yml b/.github/workflows/x.yml\nnew file mode 100644\n--- /dev/null\n+++ b/.github/workflows/x.yml\n@@ -0,0 +1 @@\n+on: push\ndiff --git a/packs/new.json b/packs/new.json\nnew file mode 100644\n--- /dev/null\n+++ b/packs/new.json\n@@ -0,0 +1 @@\n+{}\n";
    fs::write(sandbox.beside("merges/7.patch"), more).unwrap();
    let bare = sandbox.beside("remote.git");
    sandbox.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    fs::create_dir_all(sandbox.beside("programs")).unwrap();
    std::os::unix::fs::symlink("/bin/true", sandbox.beside("programs/gh")).unwrap();
    let push = || {
        step(
            &sandbox,
            &workflow["jobs"]["push"],
            "Push the merges",
            &[("PULLS", &pulls.to_string()), ("PACKS", "packs")],
        )
        .0
    };
    let ended = push();
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let changed = remote(&sandbox, &["diff", "--name-status", "side^2", "side"]);
    assert_eq!(changed, "M\tdocs/adr/0002-two.md\nA\tpacks/new.json\n");

    // Now the branch is another one than the one that was looked at.
    sandbox.git(&["checkout", "-q", "side"]);
    sandbox.write("README.md", "More.\n");
    sandbox.commit();
    sandbox.git(&["push", "-q", "--force", "origin", "side"]);
    let moved = remote(&sandbox, &["rev-parse", "side"]);
    let ended = push();
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("The merge of #7 was not pushed"), "{}", ended.stdout);
    assert_eq!(remote(&sandbox, &["rev-parse", "side"]), moved);
}

#[test]
fn with_rebuilds_pull_requests_show_what_they_change_and_packs_are_built_after_the_merge() {
    let sandbox = repo("rebuild", false);
    assert!(!sandbox.has(".github/workflows/contextpack-merge.yml"));
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("docs/adr/0002-two.md", "# 2. Two\n\n## Decision\n\nWe do two twice.\n");
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let checks: serde_yaml::Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
    assert!(checks["on"].as_mapping().unwrap().contains_key("merge_group"));
    let job = &checks["jobs"]["packs"];
    // The packs in git are those of before: no reason to fail.
    assert_eq!(step(&sandbox, job, "Check the packs", &[("BASE", "")]).0.code, 0);
    sandbox.git(&["reset", "-q", "--hard"]);
    let (ended, outputs) = step(&sandbox, job, "Show what the pull request changes in the packs", &[]);
    assert_eq!((ended.code, &*outputs), (0, "changed=true\n"), "{}{}", ended.stdout, ended.stderr);
    let verdict = fs::read_to_string(sandbox.beside("contextpack-diff.md")).unwrap();
    assert!(verdict.starts_with("### 1 pack changed, 1 cause (<code>docs/adr/0002"), "{verdict}");
    assert!(verdict.contains("twice") && !verdict.contains("before/"), "{verdict}");
    sandbox.git(&["checkout", "-q", "main"]);

    let github = Runner::new(&sandbox, json!({"vars": {}, "secrets": {}}));
    let jobs = github.run("contextpack-packs.yml", json!({}), TIME);
    assert_eq!(results(&jobs), [("build", "success"), ("propose", "success")], "{}", logs(&jobs));
    let changed = remote(&sandbox, &["diff", "--name-only", "main", "contextpack/packs"]);
    assert_eq!(changed, "packs/feat-cache.coding.json\npacks/feat-cache.coding.md\n");
    let calls = github.calls();
    assert!(calls.len() == 1 && calls[0].starts_with("pr create --head contextpack/packs --base main"), "{calls:?}");

    // At night the event does not say what the default branch is.
    github.run("contextpack-packs.yml", json!({"schedule": "17 3 * * *"}), TIME);
    assert!(github.calls()[0].starts_with("pr create --head contextpack/packs --base main"));

    // Once it is merged there is nothing to do.
    remote(&sandbox, &["update-ref", "refs/heads/main", "contextpack/packs"]);
    let jobs = github.run("contextpack-packs.yml", json!({}), TIME);
    assert_eq!(results(&jobs), [("build", "success"), ("propose", "skipped")], "{}", logs(&jobs));
}

#[test]
fn what_an_earlier_init_wrote_is_replaced_and_what_somebody_changed_is_not() {
    let sandbox = repo("checked", true);
    let checked = sandbox.read(".github/workflows/contextpack.yml");
    let written = sandbox.expect(0, &["init", "--commit", "--sync", "--for", "codex"]);
    assert_eq!(
        written,
        "AGENTS.md\n.codex/config.toml\n.github/workflows/contextpack.yml\n.github/workflows/contextpack-sync.yml\n"
    );
    let sync: serde_yaml::Value =
        serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack-sync.yml")).unwrap();
    assert_eq!(serde_json::to_value(&sync["on"]["push"]["branches"]).unwrap(), json!(["**"]));
    assert!(sandbox.read("AGENTS.md").contains("built after each merge: never edit or commit one"));
    sandbox.write(".github/workflows/contextpack.yml", format!("# mine\n{checked}"));
    let ended = sandbox.run(&["init", "--commit"]);
    let line = "left alone: .github/workflows/contextpack.yml: it exists; remove it and run this again";
    assert!(ended.stdout.is_empty() && ended.stderr.contains(line), "{}", ended.stderr);
}

#[test]
fn packs_on_demand_move_into_git_and_it_is_said_first_what_that_costs() {
    let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n")]);
    for (path, text) in [("README.md", "# X\n"), ("work_items/a.md", "---\nid: task:a\ntitle: B\n---\n")] {
        sandbox.commit();
        sandbox.write(path, text);
    }
    sandbox.commit();
    sandbox.expect(0, &["init"]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    let run = sandbox.run(&["init", "--commit"]);
    let changed = "contextpack.yml\n.contextpack/.gitignore\n.gitattributes\n.github/workflows/contextpack.yml\n\
                   .github/workflows/contextpack-packs.yml\n";
    assert_eq!(run.stdout, changed, "{}", run.stderr);
    let cost = run.stderr.lines().next().unwrap();
    assert!(cost.starts_with("packs in git: 1 pack, ") && cost.contains(" kB; 2 of your last 4 commits"), "{cost}");
    assert_eq!(sandbox.expect(0, &["build"]).lines().next(), Some("packs/task-a.coding.json"));
    // A configuration of somebody's own is theirs to change.
    sandbox.write_exact("contextpack.yml", "work_items: [{include: [\"work_items/*.md\"]}]\n");
    let run = sandbox.run(&["init", "--commit"]);
    assert!(run.stderr.contains("set its `output.dir` to `packs`"), "{}", run.stderr);
}
