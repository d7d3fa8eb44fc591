//! The workflows and the blocks for agents that `init` writes, and their scripts, run as a job would.
#![cfg(unix)]

use crate::sandbox::{ORIGIN, Sandbox, run};
use serde_yaml::Value;
use std::fs;

/// A git repository whose remote is on GitHub.
pub(crate) fn on_github() -> Sandbox {
    let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n")]);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.git(&["remote", "add", "origin", "https://github.com/owner/name.git"]);
    sandbox
}

#[test]
fn a_repo_on_github_gets_the_workflows_that_fit_it() {
    let sandbox = on_github();
    let written = sandbox.expect(0, &["init", "--commit", "--sync", "--matrix", "8"]);
    let workflows: Vec<&str> = written.lines().filter(|path| path.starts_with(".github/workflows/")).collect();
    assert_eq!(
        workflows,
        ["contextpack.yml", "contextpack-sync.yml", "contextpack-matrix.yml"]
            .map(|name| format!(".github/workflows/{name}"))
    );
    let sync: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack-sync.yml")).unwrap();
    let types = &sync["on"]["issues"]["types"];
    let woken = serde_json::json!(["labeled", "unlabeled", "assigned", "unassigned", "closed", "reopened"]);
    assert_eq!(serde_json::to_value(types).unwrap(), woken);
    assert!(sync["jobs"]["propose"]["permissions"]["contents"] == "write");
    assert_eq!(sandbox.expect(0, &["init", "--sync", "--matrix", "8"]), "");

    let cached = on_github();
    cached.expect(0, &["init"]);
    assert!(!cached.has(".github/workflows/contextpack-sync.yml"), "it is written on request only");
    cached.expect(0, &["init", "--sync"]);
    let text = cached.read(".github/workflows/contextpack-sync.yml");
    assert!(text.contains("path: \".contextpack/packs\"") && text.matches(": write").count() == 1, "{text}");
    assert!(text.contains("    permissions:\n      issues: write\n"), "{text}");
    assert!(!cached.has(".github/workflows/contextpack-matrix.yml"));

    let elsewhere = Sandbox::new();
    let run = elsewhere.run(&["init", "--sync"]);
    assert!(!elsewhere.has(".github/workflows/contextpack-sync.yml"), "there is nothing to sync");
    assert!(run.stderr.contains("contextpack-sync.yml: there is no remote at GitHub"), "{}", run.stderr);
}

#[test]
fn an_agent_is_told_once_and_what_its_file_says_stays() {
    let sandbox = on_github();
    sandbox.write("AGENTS.md", "# Mine\n\nTabs.");
    sandbox.write("CLAUDE.md", "");
    let files = ".github/copilot-instructions.md\nAGENTS.md\nCLAUDE.md\n";
    let args = ["init", "--commit", "--for", "codex", "--for", "claude", "--for", "copilot", "--for", "codex"];
    assert!(sandbox.expect(0, &args).contains(files));
    let text = sandbox.read("AGENTS.md");
    assert!(text.starts_with("# Mine\n\nTabs.\n\n<!-- contextpack begin -->\n"), "{text}");
    assert!(text.ends_with("<!-- contextpack end -->\n") && text.contains("`packs/issue-123.coding.md`"), "{text}");
    assert!(sandbox.read("CLAUDE.md").starts_with("<!-- contextpack begin -->\n"));
    let before = sandbox.files();
    assert_eq!(sandbox.expect(0, &args), "");
    assert!(sandbox.files() == before);
    sandbox.expect(2, &["init", "--for", "other"]);

    let custom = Sandbox::with(&[("contextpack.yml", "output: {dir: out, profiles: [review]}\n")]);
    custom.expect(0, &["init", "--for", "codex"]);
    assert!(custom.read("AGENTS.md").contains("`out/<slug>.review.json`"), "{}", custom.read("AGENTS.md"));

    let on_demand = on_github();
    on_demand.expect(0, &["init", "--for", "codex"]);
    let text = on_demand.read("AGENTS.md");
    assert!(text.contains("`contextpack render ID` prints it") && !text.contains("packs/"), "{text}");
}

#[test]
fn no_link_is_written_through() {
    let sandbox = on_github();
    fs::write(sandbox.beside("secret.md"), "x").unwrap();
    std::os::unix::fs::symlink(sandbox.beside("secret.md"), sandbox.root().join("AGENTS.md")).unwrap();
    let ended = sandbox.run(&["init", "--for", "codex"]);
    assert!(ended.stderr.contains("left alone: AGENTS.md: it is not a plain file"), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(sandbox.beside("secret.md")).unwrap(), "x");
}

/// Runs the script of a step, with its own environment and this one; gives what it wrote as outputs.
pub(crate) fn step(sandbox: &Sandbox, job: &Value, name: &str, env: &[(&str, &str)]) -> (crate::sandbox::Run, String) {
    let steps = job["steps"].as_sequence().unwrap();
    let step = steps.iter().find(|step| step["name"] == name).unwrap_or_else(|| panic!("no step `{name}`"));
    let mut command = sandbox.command(&[]);
    let settings: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
    command = std::process::Command::new("bash");
    command.env_clear().envs(settings).current_dir(sandbox.root()).args([
        "-e",
        "-o",
        "pipefail",
        "-c",
        step["run"].as_str().unwrap(),
    ]);
    for (name, value) in step["env"].as_mapping().into_iter().flatten() {
        command.env(name.as_str().unwrap(), value.as_str().unwrap());
    }
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_contextpack")).parent().unwrap();
    let path =
        [sandbox.beside("programs").display().to_string(), bin.display().to_string(), std::env::var("PATH").unwrap()];
    command.env("PATH", path.join(":")).env("RUNNER_TEMP", sandbox.beside(""));
    for (name, file) in [("GITHUB_OUTPUT", "output"), ("GITHUB_STEP_SUMMARY", "summary")] {
        command.env(name, sandbox.beside(file));
    }
    command.envs(env.iter().copied());
    let ended = run(command, "");
    (ended, fs::read_to_string(sandbox.beside("output")).unwrap_or_default())
}

#[test]
fn what_changed_goes_from_the_job_that_reads_to_the_one_that_writes() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = on_github();
    sandbox.expect(0, &["init", "--commit", "--sync"]);
    sandbox.commit();
    let text = sandbox.read(".github/workflows/contextpack-sync.yml");
    let sync: Value = serde_yaml::from_str(&text).unwrap();
    let build = &sync["jobs"]["build"];
    // Nothing is there yet, and nothing changed.
    let (ended, outputs) = step(&sandbox, build, "Gather what changed", &[]);
    assert_eq!((ended.code, &*outputs), (0, ""), "{}", ended.stderr);

    sandbox.write("packs/old.json", "{}\n");
    sandbox.commit();
    fs::remove_file(sandbox.root().join("packs/old.json")).unwrap();
    let (ended, _) = step(&sandbox, build, "Build", &[]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    sandbox.write(".contextpack/github/owner/name/1.json", "{}\n");
    sandbox.write("elsewhere.txt", "not delivered\n");
    let (ended, outputs) = step(&sandbox, build, "Gather what changed", &[]);
    assert_eq!((ended.code, &*outputs), (0, "changed=true\n"), "{}", ended.stderr);
    let patch = fs::read_to_string(sandbox.beside("contextpack.patch")).unwrap();

    // The job that writes, on a checkout of its own, with a patch that has been tampered with.
    sandbox.git(&["reset", "-q", "--hard"]);
    sandbox.git(&["clean", "-qfd"]);
    let more = "diff --git a/.github/workflows/x.yml b/.github/workflows/x.yml\nnew file mode 100644\n--- /dev/null\n+++ b/.github/workflows/x.yml\n@@ -0,0 +1 @@\n+on: push\n";
    fs::write(sandbox.beside("contextpack.patch"), format!("{patch}{more}")).unwrap();
    fs::create_dir(sandbox.beside("programs")).unwrap();
    let gh = sandbox.beside("programs/gh");
    fs::write(&gh, "#!/bin/sh\necho \"gh $1 $2\" >> \"$RUNNER_TEMP/gh\"\nexit 0\n").unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let remote = sandbox.beside("remote.git");
    sandbox.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    sandbox.git(&["remote", "set-url", "origin", remote.to_str().unwrap()]);
    let name = "Open the pull request, or bring it up to date";
    let (ended, _) = step(&sandbox, &sync["jobs"]["propose"], name, &[("BASE", "main")]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(fs::read_to_string(sandbox.beside("gh")).unwrap(), "gh auth setup-git\ngh pr list\ngh pr create\n");
    let mut git = std::process::Command::new("git");
    git.arg("-C").arg(&remote).args([
        "diff",
        "--name-status",
        "--no-renames",
        "contextpack/packs~",
        "contextpack/packs",
    ]);
    assert_eq!(
        run(git, "").stdout,
        "A\t.contextpack/github/owner/name/1.json\nD\tpacks/old.json\nA\tpacks/task-a.coding.json\nA\tpacks/task-a.coding.md\n"
    );
}

#[test]
fn a_job_installs_one_commit_of_one_repository_or_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = on_github();
    sandbox.expect(0, &["init", "--sync", "--matrix", "2"]);
    let files = ["contextpack.yml", "contextpack-sync.yml", "contextpack-matrix.yml"];
    let (url, commit) = ORIGIN.split_once('@').unwrap();

    fs::create_dir(sandbox.beside("programs")).unwrap();
    for name in ["cargo", "rustup"] {
        let program = sandbox.beside("programs").join(name);
        fs::write(&program, format!("#!/bin/sh\necho \"{name} in $(pwd -P) $*\" >> \"$RUNNER_TEMP/installs\"\n"))
            .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for file in files {
        let text = sandbox.read(&format!(".github/workflows/{file}"));
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        assert!(
            workflow["env"]["CONTEXTPACK_REPOSITORY"] == url && workflow["env"]["CONTEXTPACK_COMMIT"] == commit,
            "{text}"
        );
        let jobs = workflow["jobs"].as_mapping().unwrap();
        let installs = |step: &Value| step["name"] == "Install contextpack";
        let job = jobs.values().find(|job| job["steps"].as_sequence().unwrap().iter().any(installs)).unwrap();
        let installs = |repository: &str, commit: &str| {
            let env = [("CONTEXTPACK_REPOSITORY", repository), ("CONTEXTPACK_COMMIT", commit)];
            let (ended, _) = step(&sandbox, job, "Install contextpack", &env);
            let log = sandbox.beside("installs");
            let installs = fs::read_to_string(&log).unwrap_or_default();
            let _none = fs::remove_file(log);
            (ended.code, ended.stdout, installs)
        };
        for (repository, commit) in [
            ("", ""),
            (url, ""),
            ("", commit),
            (url, "main"),
            (url, "v0.1.0"),
            (url, &commit[..39]),
            (url, "0123456789abcdef0123456789abcdef01234567\n--path=."),
            ("contextpack", commit),
            ("--registry=x", commit),
            ("http://github.com/owner/contextpack", commit),
            ("https://x/$(touch pwned)", commit),
            ("https://x/y\nhttps://z", commit),
        ] {
            let (code, said, ran) = installs(repository, commit);
            assert_eq!((code, &*ran), (1, ""), "{repository} {commit}: {said}");
            assert!(said.starts_with("::error title=contextpack::Set CONTEXTPACK_REPOSITORY"), "{said}");
        }
        let (code, said, ran) = installs(url, commit);
        let here = sandbox.beside("").canonicalize().unwrap();
        let expected = format!(
            "rustup in {0} toolchain install 1.95 --profile minimal --no-self-update\ncargo in {0} +1.95 install --locked --git {url} --rev {commit} contextpack\n",
            here.display()
        );
        assert_eq!((code, ran), (0, expected), "{said}");
    }
    // One job builds the program, and the others of the same run take it.
    let checks: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
    let uses = |job: &str| -> Vec<String> {
        let steps = checks["jobs"][job]["steps"].as_sequence().unwrap();
        let uses = steps.iter().filter_map(|step| step["uses"].as_str()?.split('@').next().map(str::to_owned));
        uses.collect()
    };
    let cache = ["actions/cache/restore", "actions/cache/save"];
    assert_eq!(uses("plan"), ["actions/checkout", cache[0], cache[1], "actions/upload-artifact"]);
    assert_eq!(uses("packs"), ["actions/checkout", "actions/download-artifact"]);
}

#[test]
fn a_program_of_unknown_origin_writes_no_workflow_and_says_how_to_get_one() {
    let sandbox = on_github();
    let known = sandbox.command(&["init"]);
    let mut command = std::process::Command::new(known.get_program());
    command.env_clear().envs(known.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(sandbox.root()).args(["init", "--sync", "--batches"]);
    let said = run(command, "").stderr;
    // A build of the tests for use may know it.
    let is_known = sandbox.has(".github");
    assert!(
        is_known || said.contains("not written: .github/workflows: ") && said.contains("--from URL@COMMIT"),
        "{said}"
    );
    for origin in ["https://x/y", "http://x/y@0123456789abcdef0123456789abcdef01234567", "https://x/y@main", "@"] {
        let from = format!("--from={origin}");
        let run = sandbox.run(&["-q", "init", &from]);
        assert_eq!(run.code, 2, "{origin}: {}", run.stderr);
    }
}

#[test]
fn a_folder_that_means_something_in_a_workflow_is_refused() {
    for dir in ["${{ github.token }}", "packs #x", "a\"b", "$(id)", "`id`", "*", "[.]github", "@SNAPSHOT@"] {
        let sandbox = on_github();
        let config = format!("output: {{dir: {}}}\n", serde_json::Value::from(dir));
        sandbox.write("contextpack.yml", &config);
        let before = sandbox.files();
        let run = sandbox.run(&["init", "--for", "claude", "--matrix", "2"]);
        assert_eq!(run.code, 3, "{dir}: {}", run.stderr);
        assert!(run.stderr.contains("`init` cannot write `output.dir`, `"), "{dir}: {}", run.stderr);
        assert!(run.stderr.contains("name the folder with letters, digits"), "{dir}: {}", run.stderr);
        assert!(sandbox.files() == before, "{dir}");
    }
}

#[test]
fn a_pull_request_shows_what_it_changes_in_the_packs() {
    let sandbox = on_github();
    sandbox.expect(0, &["init", "--commit=checked"]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "-b", "change"]);
    sandbox.write("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n\nMore.\n");
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    // As GitHub checks a pull request out: the merge, whose first parent is the branch that it goes to.
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "change"]);
    let workflow: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
    let depth = &workflow["jobs"]["packs"]["steps"][0]["with"]["fetch-depth"];
    assert_eq!(depth, "${{ github.event_name == 'pull_request' && 100 || 1 }}");
    let name = "Show what the pull request changes in the packs";
    let (ended, _) = step(&sandbox, &workflow["jobs"]["packs"], name, &[]);
    assert_eq!((ended.code, &*ended.stdout), (0, ""), "{}", ended.stderr);
    let summary = fs::read_to_string(sandbox.beside("summary")).unwrap();
    assert!(
        summary.starts_with("### 1 pack changed, 1 cause (<code>work&#95;items/a&#46;md</code>), rebuilt and equal"),
        "{summary}"
    );
}

#[test]
fn a_pull_request_shows_what_moved_since_the_packs_that_its_commits_name() {
    const NAME: &str = "Show what the pull request changes in the packs";
    for (options, job) in [
        (&["--commit=checked"][..], "packs"),
        (&["--commit"], "packs"),
        (&["--matrix", "2"], "compare"),
        (&[], "packs"),
    ] {
        let sandbox = on_github();
        sandbox.expect(0, &[&["init"], options].concat());
        sandbox.expect(0, &["build", "-q"]);
        sandbox.commit();
        let trailer = sandbox.expect(0, &["render", "task:a", "--trailer"]);
        sandbox.git(&["checkout", "-q", "-b", "change"]);
        sandbox.git(&["commit", "-q", "--allow-empty", "-m", &format!("Work\n\n{trailer}")]);
        sandbox.git(&["checkout", "-q", "main"]);
        let workflow: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
        let merge = |message: &str| sandbox.git(&["merge", "-q", "--no-ff", "-m", message, "change"]);
        let shown = || {
            for file in ["summary", "output"] {
                let _none = fs::remove_file(sandbox.beside(file));
            }
            let (ended, outputs) = step(&sandbox, &workflow["jobs"][job], NAME, &[]);
            assert_eq!(ended.code, 0, "{options:?}: {}{}", ended.stdout, ended.stderr);
            let summary = fs::read_to_string(sandbox.beside("summary")).unwrap_or_default();
            (summary, outputs.contains("changed=true"))
        };
        merge("Nothing moved");
        let (summary, changed) = shown();
        assert!(summary.contains("1 of 1 packs are what a build gives now."), "{options:?}: {summary}");
        assert!(!changed, "{options:?}");
        // Where packs are not committed, the step leaves the branch to build what was before.
        sandbox.git(&["checkout", "-q", "main"]);
        sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
        // Meanwhile somebody else says more.
        sandbox.write("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n\n## Acceptance criteria\n\n- One.\n");
        sandbox.expect(0, &["build", "-q"]);
        sandbox.commit();
        merge("Something moved");
        let (summary, changed) = shown();
        assert!(summary.contains("0 of 1 packs are what a build gives now."), "{options:?}: {summary}");
        // A pack that is not in git is known by its hash alone.
        let is_kept = options.iter().any(|option| option.starts_with("--commit"));
        assert_eq!(summary.contains("criterion ac&#46;1 was added"), is_kept, "{options:?}: {summary}");
        assert_eq!(changed, is_kept, "{options:?}");
        // The pull request says nothing of that criterion.
        let ledger = "0 of 1 acceptance criteria are met, ac.1 not mentioned and added";
        assert_eq!(summary.replace("&#46;", ".").contains(ledger), is_kept, "{options:?}: {summary}");
    }
}

#[test]
fn a_pull_request_has_one_comment_with_the_verdict_which_is_brought_up_to_date() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = on_github();
    sandbox.expect(0, &["init"]);
    let workflow: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
    let job = &workflow["jobs"]["comment"];
    // It has no checkout, and a fork's pull request has no such job.
    assert_eq!(job["steps"].as_sequence().unwrap().len(), 2);
    let condition = job["if"].as_str().unwrap();
    assert!(condition.contains("github.event.pull_request.head.repo.full_name == github.repository"), "{condition}");

    // The comments are those of a file, as `gh` filters them; what is sent is noted.
    fs::create_dir(sandbox.beside("programs")).unwrap();
    let gh = sandbox.beside("programs/gh");
    let script = "#!/bin/bash\nif [ \"$2\" = --paginate ]; then exec jq -r \"$5\" \"$RUNNER_TEMP/comments\"; fi\necho \"$3 $4\" >> \"$RUNNER_TEMP/sent\"\njq -r .body \"$6\" >> \"$RUNNER_TEMP/sent\"\n";
    fs::write(&gh, script).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let comment =
        |id: u32, login: &str, body: &str| serde_json::json!({"id": id, "user": {"login": login}, "body": body});
    let other = [
        comment(1, "somebody", "<!-- contextpack diff -->\nMine"),
        comment(2, "github-actions[bot]", "Another workflow: <!-- contextpack diff -->"),
    ];
    let own = comment(3, "github-actions[bot]", "<!-- contextpack diff -->\n### 1 pack changed");
    let run = |comments: &[serde_json::Value], verdict: &str, changed: &str| {
        fs::write(sandbox.beside("comments"), serde_json::Value::from(comments).to_string()).unwrap();
        fs::write(sandbox.beside("contextpack-diff.md"), verdict).unwrap();
        let env = [("NUMBER", "7"), ("CHANGED", changed), ("GITHUB_REPOSITORY", "owner/name")];
        let (ended, _) = step(&sandbox, job, "Write the comment, or bring it up to date", &env);
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
        let sent = fs::read_to_string(sandbox.beside("sent")).unwrap_or_default();
        let _none = fs::remove_file(sandbox.beside("sent"));
        sent
    };
    let all = [&other[..], &[own]].concat();
    let verdict = "### 2 packs changed `$(id)`";
    let body = format!("<!-- contextpack diff -->\n{verdict}\n");
    let [post, patch] = ["POST repos/owner/name/issues/7/comments", "PATCH repos/owner/name/issues/comments/3"];
    assert_eq!(run(&other, verdict, "true"), format!("{post}\n{body}"));
    assert_eq!(run(&all, verdict, "true"), format!("{patch}\n{body}"));
    // A change that was taken back is said too; without one there is nothing to say.
    assert_eq!(
        run(&all, "### no pack changed", ""),
        format!("{patch}\n<!-- contextpack diff -->\n### no pack changed\n")
    );
    assert_eq!(run(&other, "### no pack changed", ""), "");
    assert_eq!(run(&all, "", "true"), "");
    assert!(run(&other, &"x".repeat(100_000), "true").len() < 65_536);
}

#[test]
fn an_issue_with_the_label_is_told_in_one_comment_whether_an_agent_can_start() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = on_github();
    sandbox.expect(0, &["init", "--sync"]);
    let workflow: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack-sync.yml")).unwrap();
    let issue = |number: u64, labels: &[&str], state: &str, body: &str| {
        let relation = serde_json::json!({"completeness": "complete", "issues": [], "source": "list"});
        let issue = serde_json::json!({
            "asked": true, "assignees": [], "author": {"association": "NONE", "bot": false, "login": "eve"}, "body": body,
            "comments": {"completeness": "complete", "items": []}, "created_at": null, "kind": "issue", "labels": labels,
            "merged": false, "milestone": null, "number": number, "private": false,
            "relations": {"blocked_by": relation, "blocking": relation, "parent": relation, "sub_issues": relation},
            "repo": "owner/name", "schema_version": "issue_snapshot/v1", "state": state, "state_reason": null,
            "title": "T", "trust": "untrusted", "type": null,
            "url": format!("https://github.com/owner/name/issues/{number}"),
        });
        sandbox.write(&format!(".contextpack/github/owner/name/{number}.json"), issue.to_string());
    };
    issue(1, &["agent-ready"], "open", "Do it.\n\n## Acceptance criteria\n\n- It works.\n");
    issue(
        2,
        &["agent-ready", "x"],
        "open",
        "Do it, @somebody. ![](https://e.org/x)\n\n## Questions\n\n- `</pre>` @all?\n",
    );
    issue(3, &["x"], "open", "Another label.");
    issue(4, &["agent-ready"], "closed", "Over.");
    sandbox.write(".contextpack/github/owner/name/5.json", "{\"torn");
    let env = [("GITHUB_REPOSITORY", "Owner/Name")];
    let (ended, outputs) =
        step(&sandbox, &workflow["jobs"]["build"], "Ask whether an agent can start on what has the label", &env);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(outputs.contains("answers=true"), "{outputs}{}{}", ended.stdout, ended.stderr);
    let mut answers: Vec<_> = fs::read_dir(sandbox.beside("answers"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    answers.sort();
    assert_eq!(answers, ["1.md", "2.md"]);
    let second = fs::read_to_string(sandbox.beside("answers/2.md")).unwrap();
    let (first_line, code) = second.split_once("\n\n").unwrap();
    assert_eq!(first_line, "**An agent cannot start on this issue yet:**");
    assert!(code.lines().all(|line| line.starts_with("    ")) && code.contains("@all?"), "{second}");

    let job = &workflow["jobs"]["answer"];
    assert_eq!(job["steps"].as_sequence().unwrap().len(), 2, "it has no checkout");
    fs::create_dir(sandbox.beside("programs")).unwrap();
    let gh = sandbox.beside("programs/gh");
    let script = "#!/bin/bash\nif [ \"$2\" = --paginate ]; then f=$RUNNER_TEMP/of-$(echo \"$3\" | cut -d/ -f5); [ ! -f \"$f\" ] || exec jq -r \"$5\" \"$f\"; exit 0; fi\necho \"$3 $4\" >> \"$RUNNER_TEMP/sent\"\njq -r .body \"$6\" >> \"$RUNNER_TEMP/sent\"\n";
    fs::write(&gh, script).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let answer = || {
        let env = [("GITHUB_REPOSITORY", "owner/name")];
        let (ended, _) = step(&sandbox, job, "Answer each issue in one comment, or bring it up to date", &env);
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
        let sent = fs::read_to_string(sandbox.beside("sent")).unwrap_or_default();
        let _none = fs::remove_file(sandbox.beside("sent"));
        sent
    };
    let mark = "<!-- contextpack ready -->\n";
    let ready = format!("{mark}**An agent can start on this issue.**");
    let post = |number: u64| format!("POST repos/owner/name/issues/{number}/comments\n");
    assert_eq!(answer(), format!("{}{ready}\n{}{mark}{second}", post(1), post(2)));
    let said = |login: &str, body: &str| {
        let all = serde_json::json!([{"id": 7, "user": {"login": "eve"}, "body": mark}, {"id": 8, "user": {"login": login}, "body": body}]);
        fs::write(sandbox.beside("of-2"), all.to_string()).unwrap();
        fs::write(
            sandbox.beside("of-1"),
            serde_json::json!([{"id": 9, "user": {"login": "github-actions[bot]"}, "body": ready}]).to_string(),
        )
        .unwrap();
    };
    said("github-actions[bot]", &ready);
    assert_eq!(answer(), format!("PATCH repos/owner/name/issues/comments/8\n{mark}{second}"));
    said("github-actions[bot]", &format!("{mark}{}", second.trim_end()));
    assert_eq!(answer(), "", "what is said already is not said again");
    said("somebody", &ready);
    assert_eq!(answer(), format!("{}{mark}{second}", post(2)), "comments of others are none of its own");
}

#[test]
fn the_jobs_of_a_matrix_give_what_one_build_gives() {
    let sandbox = on_github();
    for number in 0..9 {
        sandbox.write(&format!("work_items/{number}.md"), format!("---\nid: task-{number}\ntitle: T\n---\n"));
    }
    sandbox.expect(0, &["init", "--matrix", "3"]);
    sandbox.commit();
    let checks: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
    for (result, code) in [("success", 0), ("failure", 1), ("skipped", 1)] {
        let (ended, _) = step(&sandbox, &checks["jobs"]["checked"], "All of them passed", &[("RESULT", result)]);
        assert_eq!(ended.code, code, "{result}");
    }
    let (ended, _) = step(&sandbox, &checks["jobs"]["packs"], "Check the packs", &[("SHARD", "1/1"), ("BASE", "")]);
    assert_eq!(ended.code, 0, "all can be built: {}{}", ended.stdout, ended.stderr);
    let text = sandbox.read(".github/workflows/contextpack-matrix.yml");
    let workflow: Value = serde_yaml::from_str(&text).unwrap();
    let (ended, outputs) = step(&sandbox, &workflow["jobs"]["plan"], "Share the roots out", &[]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let matrix: serde_json::Value = serde_json::from_str(outputs.trim_end().strip_prefix("matrix=").unwrap()).unwrap();
    for job in matrix["include"].as_array().unwrap() {
        let shard = job["shard"].as_str().unwrap();
        let (ended, _) = step(&sandbox, &workflow["jobs"]["build"], "Build", &[("SHARD", shard)]);
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    }
    let mut whole = sandbox.command(&["build", "--out", "../whole"]);
    whole.env("SOURCE_DATE_EPOCH", "1767225600");
    assert_eq!(run(whole, "").code, 0);
    let parts = crate::sandbox::files(&sandbox.beside("packs"));
    assert!(parts.len() == 10 && parts == crate::sandbox::files(&sandbox.beside("whole")));
}

#[test]
fn the_jobs_of_a_schedule_are_chosen_and_their_contexts_handed_on() {
    let sandbox = on_github();
    sandbox.expect(0, &["agent", "new", "Research", "--purpose", "Find out what others do"]);
    sandbox.write("jobs/daily.md", "Say what changed since yesterday.\n");
    let expect_left = |sandbox: &Sandbox| sandbox.run(&["init", "--jobs"]).stderr;
    assert!(
        expect_left(&sandbox).contains("not written: .github/workflows/contextpack-jobs.yml: `contextpack.yml` has no")
    );
    let job = |more: &str| format!("{{agent: research, instructions: jobs/daily.md{more}}}");
    let config = format!(
        "jobs:\n  brief: {}\n  sweep: {}\n  last: {}\n  by-hand: {}\ncontext: {{record: kept}}\n",
        job(", schedule: '0  7 * * 1-5'"),
        job(", schedule: '0 7 * * 1-5'"),
        job(", schedule: '0 0 L * *'"),
        job("")
    );
    sandbox.write("contextpack.yml", &config);
    let ended = sandbox.run(&["init", "--jobs"]);
    assert_eq!((ended.code, &*ended.stdout), (0, ".github/workflows/contextpack-jobs.yml\n"), "{}", ended.stderr);
    assert!(ended.stderr.contains("fill in: .github/workflows/contextpack-jobs.yml: GitHub does not understand"));
    sandbox.commit();
    let text = sandbox.read(".github/workflows/contextpack-jobs.yml");
    assert!(text.contains("\n            kept\n"), "{text}");
    let workflow: Value = serde_yaml::from_str(&text).unwrap();
    let crons = serde_json::to_value(&workflow["on"]["schedule"]).unwrap();
    assert_eq!(crons, serde_json::json!([{"cron": "0 7 * * 1-5"}]));
    let by_hand = on_github();
    by_hand.expect(0, &["agent", "new", "Research", "--purpose", "Find out what others do"]);
    by_hand.write("jobs/daily.md", "Say what changed since yesterday.\n");
    by_hand.write("contextpack.yml", format!("jobs:\n  by-hand: {}\n", job("")));
    by_hand.expect(0, &["init", "--jobs"]);
    let text = by_hand.read(".github/workflows/contextpack-jobs.yml");
    let on = &serde_yaml::from_str::<Value>(&text).unwrap()["on"];
    assert!(on["schedule"].is_null() && on["workflow_dispatch"].is_mapping(), "{text}");

    let (plan, run) = (&workflow["jobs"]["plan"], &workflow["jobs"]["deliver"]);
    for (name, schedule, code, names) in [
        ("", "0 7 * * 1-5", 0, "names=[\"brief\",\"sweep\"]\n"),
        ("by-hand", "", 0, "names=[\"by-hand\"]\n"),
        ("", "5 5 5 5 5", 0, "names=[]\n"),
        ("$(id)\"; exit 9", "", 1, ""),
    ] {
        let _ = fs::remove_file(sandbox.beside("output"));
        let (ended, outputs) = step(&sandbox, plan, "Choose the jobs", &[("NAME", name), ("SCHEDULE", schedule)]);
        assert_eq!((ended.code, &*outputs), (code, names), "{name}: {}{}", ended.stdout, ended.stderr);
    }

    sandbox.expect(0, &["agent", "job", "brief", "--record"]);
    sandbox.expect(0, &["verify", "kept"]);
    let (ended, _) = step(&sandbox, run, "Write the context", &[("CONTEXTPACK_JOB", "brief")]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let context = fs::read_to_string(sandbox.beside("context.json")).unwrap();
    let messages: serde_json::Value = serde_json::from_str(&context).unwrap();
    assert!(messages[1]["content"].as_str().unwrap().contains("Say what changed since yesterday."), "{context}");
    assert!(sandbox.read("kept/delivered.jsonl").contains("\"job\":\"brief\""));

    let command = "cp \"$CONTEXTPACK_FILE\" \"$RUNNER_TEMP/$CONTEXTPACK_JOB.copy\"; exit 7";
    for (command, code) in [("", 0), (command, 7)] {
        let env = [("AGENT_COMMAND", command), ("CONTEXTPACK_JOB", "brief")];
        let (ended, _) = step(&sandbox, run, "Run", &env);
        assert_eq!(ended.code, code, "{}{}", ended.stdout, ended.stderr);
    }
    assert_eq!(fs::read_to_string(sandbox.beside("brief.copy")).unwrap(), context);
}

#[test]
fn the_workflows_of_batches_name_the_folder_of_cards_and_are_written_once() {
    let sandbox = on_github();
    sandbox.write("contextpack.yml", "handover: {dir: agents/ctx}\n");
    let ended = sandbox.run(&["init", "--batches"]);
    let files = ["contextpack-batch-task.yml", "contextpack-batch.yml"].map(|name| format!(".github/workflows/{name}"));
    assert!(ended.stdout.ends_with(&format!("{}\n{}\n", files[0], files[1])), "{}", ended.stdout);
    assert!(ended.stderr.contains("set the variable `CONTEXTPACK_AGENT_COMMAND`"), "{}", ended.stderr);
    assert!(sandbox.read(&files[1]).contains("paths: [\"agents/ctx/batches/*/batch.json\"]"));
    assert_eq!(sandbox.expect(0, &["init", "--batches"]), "");
    let strange = on_github();
    strange.write("contextpack.yml", "handover: {dir: \"a`id`\"}\n");
    let ended = strange.run(&["init", "--batches"]);
    assert!(ended.stderr.contains("contextpack-batch.yml: `handover.dir` has characters"), "{}", ended.stderr);
    assert!(!strange.has(&files[0]) && !strange.has(&files[1]));
}
