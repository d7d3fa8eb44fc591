//! What the workflows that `init` writes may do: pinned actions, least rights, and no expression in a script.
#![cfg(unix)]

use crate::sandbox::{ORIGIN, Sandbox};
use crate::workflows::on_github;
use serde_yaml::Value;

/// The workflows that runs of `init` write, the pairs of those of `sync` and of batches first.
fn all_workflows() -> Vec<(String, String)> {
    let jobs = "jobs:\n  a: {agent: research, instructions: jobs/a.md, schedule: '30 4 * * SUN'}\n  b: {agent: research, instructions: jobs/a.md}\n";
    let elsewhere = Sandbox::with(&[("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n")]);
    elsewhere.git(&["init", "-q", "-b", "main"]);
    let configured = on_github();
    configured.expect(0, &["agent", "new", "Research", "--purpose", "Read"]);
    configured.write("jobs/a.md", "Read.\n");
    configured.write("contextpack.yml", jobs);
    let mut all = Vec::new();
    for (sandbox, args) in [
        (on_github(), "init --commit=checked --sync --matrix 8"),
        (on_github(), "init --sync"),
        (on_github(), "init --sync --matrix 8"),
        (on_github(), "init"),
        (on_github(), "init --commit --sync"),
        (on_github(), "init --commit --sync --matrix 8"),
        (elsewhere, "init --commit"),
        (configured, "init --jobs --batches"),
    ] {
        sandbox.expect(0, &args.split(' ').collect::<Vec<_>>());
        let files = sandbox.files().into_iter().filter(|(path, _)| path.starts_with(".github/workflows/"));
        all.extend(files.map(|(path, text)| (format!("{args}: {path}"), String::from_utf8(text).unwrap())));
    }
    all
}

fn one_workflow<'a>(all: &'a [(String, String)], args: &str, name: &str) -> &'a str {
    let name = format!("{args}: .github/workflows/{name}");
    &all.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no {name}")).1
}

#[test]
fn every_action_is_pinned_by_its_whole_hash_and_every_workflow_has_least_privileges() {
    for (name, text) in all_workflows() {
        let mut texts = text.split('@').skip(1);
        assert!(!texts.any(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_uppercase())), "{name}: {text}");
        for line in text.lines() {
            let pinned = line.split_once("uses: ").is_none_or(|(_, used)| {
                let (_, pin) = used.split_once('@').unwrap_or_default();
                let (hash, version) = pin.split_once(" # v").unwrap_or_default();
                // A file of the same commit is what it is.
                used.starts_with("./")
                    || hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()) && !version.is_empty()
            });
            assert!(pinned, "{name}: {line}");
        }
        assert!(text.contains("\npermissions: {}\n") && text.contains("\nconcurrency:\n"), "{name}: {text}");
        assert!(!text.contains("pull_request_target") && !text.contains("issue_comment"), "{name}: {text}");
        for untrusted in ["event.issue", "event.comment", "head_ref"] {
            assert!(!text.contains(untrusted), "{name}: {untrusted}");
        }
    }
}

#[test]
fn no_expression_is_in_a_script_of_a_workflow() {
    for (name, text) in all_workflows() {
        let mut script = None;
        for line in text.lines() {
            let depth = line.len() - line.trim_start().len();
            if line.trim_start().starts_with("run:") {
                script = Some(depth);
            } else if script.is_some_and(|start| depth <= start) && !line.is_empty() {
                script = None;
            }
            assert!(script.is_none() || !line.contains("${{"), "{name}: {line}");
        }
    }
}

#[test]
fn what_reads_issues_or_runs_an_agent_may_not_write() {
    let all = all_workflows();
    let committed = one_workflow(&all, "init --commit=checked --sync --matrix 8", "contextpack-sync.yml");
    let cached = one_workflow(&all, "init --sync", "contextpack-sync.yml");
    let (build, answer) = cached.split_once("\n  answer:\n").unwrap_or_default();
    assert!(build.contains("contextpack ready") && !build.contains(": write"));
    assert!(answer.matches(": write").count() == 1 && answer.contains("\n      issues: write\n"), "{answer}");
    assert!(!answer.contains("contextpack sync") && !answer.contains("        run: contextpack"), "{answer}");
    let (build, propose) = committed.split_once("\n  propose:\n").unwrap_or_default();
    assert!(!build.contains(": write") && propose.contains("contents: write"));
    assert!(!propose.contains("contextpack sync") && !propose.contains("contextpack build"));

    let parsed = |name| -> Value { serde_yaml::from_str(one_workflow(&all, "init --jobs --batches", name)).unwrap() };
    let (batch, task) = (parsed("contextpack-batch.yml"), parsed("contextpack-batch-task.yml"));
    assert_eq!(batch["jobs"]["program"]["permissions"], serde_yaml::from_str::<Value>("{}").unwrap());
    for (name, job) in task["jobs"].as_mapping().unwrap() {
        let text = serde_yaml::to_string(job).unwrap();
        let writes = job["permissions"]["contents"] == "write";
        assert_eq!(writes, name != "work", "{name:?}");
        assert_eq!(writes, text.contains("github.token"), "{name:?}");
        assert_ne!(writes, text.contains("AGENT_COMMAND") || text.contains("secrets."), "{name:?}");
    }
}

#[test]
fn a_cache_is_written_by_pushes_to_the_default_branch_and_read_by_jobs_that_may_only_read() {
    for (name, text) in all_workflows() {
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        // One job builds the program, from one commit of one repository.
        let from = ["REPOSITORY", "COMMIT"].map(|name| workflow["env"][format!("CONTEXTPACK_{name}")].as_str());
        let from = from.map(Option::unwrap_or_default).join("@");
        assert!(from == ORIGIN || name.ends_with("-task.yml"), "{name}: {from}");
        assert_eq!(text.matches("cargo +").count(), usize::from(!name.ends_with("-task.yml")), "{name}: {text}");
        for (_, job) in workflow["jobs"].as_mapping().unwrap() {
            for step in job["steps"].as_sequence().into_iter().flatten() {
                let uses = step["uses"].as_str().unwrap_or_default();
                assert!(!uses.starts_with("actions/cache@"), "{name}: it writes whatever it was started by");
                if uses.starts_with("actions/cache/") {
                    assert_eq!(
                        job["permissions"],
                        serde_yaml::from_str::<Value>("{contents: read}").unwrap(),
                        "{name}"
                    );
                    let condition = step["if"].as_str().unwrap_or_default();
                    let is_save = uses.starts_with("actions/cache/save@");
                    assert_eq!(condition.contains("github.event_name == 'push'"), is_save, "{name}");
                    assert!(!text.contains("secrets.") && name.ends_with("/contextpack.yml"), "{name}");
                }
            }
        }
    }
}
