//! The workflows that `init` writes, from templates.

use super::origin::RepoOrigin;
use super::{quoted, render};
use crate::init::options::MergeWay;
use minijinja::{Value, context};
use std::collections::BTreeSet;

/// The folders of a repo that a workflow reads and writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkflowPaths<'a> {
    pub(crate) packs: &'a str,
    pub(crate) snapshot: &'a str,
    /// Whether both are ignored by git.
    pub(crate) cached: bool,
    /// How pull requests that change the same packs get along, if that was chosen.
    pub(crate) merge: Option<MergeWay>,
}

impl WorkflowPaths<'_> {
    fn commits_packs(self) -> bool {
        !self.cached && self.merge != Some(MergeWay::Queue)
    }
}

/// The instruction for users if the origin is unknown.
pub(crate) const FILL_IN: &str = "set `CONTEXTPACK_REPOSITORY` and `CONTEXTPACK_COMMIT`, the https URL of contextpack's source and the whole hash of the commit to build; until then its jobs fail and say so";

/// The instruction for users of the workflow that runs batches.
pub(crate) const FILL_IN_BATCHES: &str = "set the variable `CONTEXTPACK_AGENT_COMMAND` of the repository on GitHub, the command that each task runs; until then no task is claimed";

/// Returns the workflow that checks pull requests, in `shards` jobs if given. Packs in git are compared, and their changes
/// shown if one job sees them all; cached packs are built. It needs no token.
pub(crate) fn check(places: WorkflowPaths<'_>, shards: Option<u32>, origin: RepoOrigin) -> String {
    let (template, after) = if shards.is_some() { ("check_shards.yml", "compare") } else { ("check.yml", "packs") };
    // The merge and its parents; of a pull request also its commits, whose trailers are read.
    let least = if places.cached { "1" } else { "2" };
    let checkout = format!("fetch-depth: ${{{{ github.event_name == 'pull_request' && 100 || {least} }}}}");
    let (commits, cached) = (places.commits_packs(), places.cached);
    workflow(template, context! { commits, cached, shards, after, checkout }, origin)
}

/// Returns the workflow that builds, and delivers an artifact, or a pull request if packs are in git. It syncs first if the
/// repo is on `github`. Where pull requests commit no packs it also runs after each merge.
pub(crate) fn sync(places: WorkflowPaths<'_>, github: bool, origin: RepoOrigin) -> String {
    let WorkflowPaths { packs, snapshot, cached, merge } = places;
    let (packs, snapshot, queue) = (quoted(packs), quoted(snapshot), merge == Some(MergeWay::Queue));
    workflow("sync.yml", context! { packs, snapshot, cached, github, queue, checkout => "" }, origin)
}

/// Returns the workflow that merges and rebuilds pull requests that conflict in packs alone.
pub(crate) fn merge(places: WorkflowPaths<'_>, origin: RepoOrigin) -> String {
    workflow("merge.yml", context! { packs => quoted(places.packs), checkout => "fetch-depth: 0" }, origin)
}

/// Returns the workflow that builds a large repo in `shards` jobs; a repo on `github` that keeps no snapshot in git syncs first.
pub(crate) fn matrix(places: WorkflowPaths<'_>, github: bool, shards: u32, origin: RepoOrigin) -> String {
    let (snapshot, syncs) = (quoted(places.snapshot), places.cached && github);
    workflow("matrix.yml", context! { snapshot, syncs, shards, checkout => "" }, origin)
}

/// Returns the workflow that runs the jobs of agents at the times in `schedules`. `record` is the folder of delivered packs.
pub(crate) fn jobs(schedules: &BTreeSet<&str>, record: &str, origin: RepoOrigin) -> String {
    let schedules: Vec<String> = schedules.iter().map(|schedule| quoted(schedule)).collect();
    // Recent changes need the history.
    workflow("jobs.yml", context! { schedules, record, checkout => "fetch-depth: 200" }, origin)
}

/// Returns the workflow that runs batches, whose files are below `context`, and the one that it calls for each task.
pub(crate) fn batches(context: &str, origin: RepoOrigin) -> [String; 2] {
    let checkout = "ref: ${{ env.BRANCH }}";
    [("batch.yml", "needs.program.outputs.digest"), ("batch_task.yml", "inputs.program")]
        .map(|(template, program)| workflow(template, context! { context, program, checkout }, origin))
}

fn workflow(template: &str, values: Value, origin: RepoOrigin) -> String {
    let (repository, commit, (version, sha256)) = (origin.repository(), origin.commit(), origin.release());
    let rust = env!("CARGO_PKG_RUST_VERSION");
    render(template, context! { repository, commit, version, sha256, rust, ..values })
}

/// Returns whether GitHub understands a schedule: it knows numbers, names of months and days, `*`, `,`, `-` and `/`, and
/// Sunday as 0 only.
pub(crate) fn is_schedule_of_github(schedule: &str) -> bool {
    let is_part = |part: &str| {
        let number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let name = part.len() == 3 && part.bytes().all(|b| b.is_ascii_alphabetic());
        part == "*" || number || name
    };
    let fields: Vec<&str> = schedule.split(' ').collect();
    let [.., day] = fields[..] else { return false };
    fields.len() == 5
        && fields.iter().all(|field| field.split([',', '-', '/']).all(is_part))
        && !day.split([',', '-']).any(|part| part == "7")
}

/// Returns whether the path of a folder has no special meaning in YAML, expressions, shells, and the patterns of git and of
/// the actions that receive it.
pub(crate) fn is_plain(folder: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || "._-+ ".contains(c);
    let part = |part: &str| {
        part.chars().all(inner)
            && part.trim() == part
            && !part.starts_with('-')
            && part.chars().any(char::is_alphanumeric)
    };
    folder.split('/').all(part)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::init::starter::origin::samples::{KNOWN, UNKNOWN};
    use proptest::prelude::*;

    fn all() -> Vec<String> {
        let committed =
            WorkflowPaths { packs: "my packs", snapshot: ".contextpack/github", cached: false, merge: None };
        let cached = WorkflowPaths { cached: true, ..committed };
        let checks = [(committed, None), (cached, None), (committed, Some(8)), (cached, Some(8))];
        let checks = checks.map(|(places, shards)| check(places, shards, KNOWN));
        let schedules = BTreeSet::from(["0 7 * * 1-5", "30 4 * * SUN"]);
        let jobs = [jobs(&schedules, ".contextpack/delivered", KNOWN), jobs(&BTreeSet::new(), "record", KNOWN)];
        let syncs = vec![
            sync(committed, true, KNOWN),
            sync(cached, true, KNOWN),
            matrix(committed, true, 8, KNOWN),
            matrix(cached, true, 8, KNOWN),
        ];
        let queue = WorkflowPaths { merge: Some(MergeWay::Queue), ..committed };
        let merges = vec![
            merge(committed, KNOWN),
            sync(queue, true, KNOWN),
            sync(queue, false, KNOWN),
            check(queue, None, KNOWN),
            check(queue, Some(8), KNOWN),
        ];
        [syncs, checks.to_vec(), jobs.to_vec(), batches("my context", KNOWN).to_vec(), merges].concat()
    }

    #[test]
    fn nothing_is_left_to_fill_in_and_every_action_is_pinned_by_its_whole_hash() {
        for text in all() {
            let mut texts = text.split('@').skip(1);
            assert!(!texts.any(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase())), "{text}");
            for line in text.lines() {
                let pinned = line.split_once("uses: ").is_none_or(|(_, used)| {
                    let (_, pin) = used.split_once('@').unwrap_or_default();
                    let (hash, version) = pin.split_once(" # v").unwrap_or_default();
                    // A file of the same commit is what it is.
                    used.starts_with("./")
                        || hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()) && !version.is_empty()
                });
                assert!(pinned, "{line}");
            }
        }
    }

    #[test]
    fn every_workflow_has_least_privileges_and_no_expression_in_a_script() {
        for text in all() {
            assert!(text.contains("\npermissions: {}\n") && text.contains("\nconcurrency:\n"), "{text}");
            assert!(!text.contains("pull_request_target") && !text.contains("issue_comment"), "{text}");
            let mut script = None;
            for line in text.lines() {
                let depth = line.len() - line.trim_start().len();
                if line.trim_start().starts_with("run:") {
                    script = Some(depth);
                } else if script.is_some_and(|start| depth <= start) && !line.is_empty() {
                    script = None;
                }
                assert!(script.is_none() || !line.contains("${{"), "{line}");
            }
            for untrusted in ["event.issue", "event.comment", "head_ref"] {
                assert!(!text.contains(untrusted), "{untrusted}");
            }
        }
    }

    #[test]
    fn what_reads_issues_may_not_write() {
        let [committed, cached, ..] = &all()[..] else { panic!("two syncs") };
        let (build, answer) = cached.split_once("\n  answer:\n").unwrap_or_default();
        assert!(build.contains("contextpack ready") && !build.contains(": write"));
        assert!(answer.matches(": write").count() == 1 && answer.contains("\n      issues: write\n"), "{answer}");
        assert!(!answer.contains("contextpack sync") && !answer.contains("        run: contextpack"), "{answer}");
        let (build, propose) = committed.split_once("\n  propose:\n").unwrap_or_default();
        assert!(!build.contains(": write") && propose.contains("contents: write"));
        assert!(!propose.contains("contextpack sync") && !propose.contains("contextpack build"));
        assert!(committed.contains("PACKS: \"my packs\"\n"), "{committed}");
    }

    #[test]
    fn what_runs_an_agent_may_not_write_and_what_writes_runs_no_agent() {
        let [batch, task] = batches("context", KNOWN);
        let jobs = |text: &str| -> serde_yaml::Value { serde_yaml::from_str(text).unwrap() };
        let (batch, task) = (jobs(&batch), jobs(&task));
        assert_eq!(batch["jobs"]["program"]["permissions"], serde_yaml::from_str::<serde_yaml::Value>("{}").unwrap());
        for (name, job) in task["jobs"].as_mapping().unwrap() {
            let text = serde_yaml::to_string(job).unwrap();
            let writes = job["permissions"]["contents"] == "write";
            assert_eq!(writes, name != "work", "{name:?}");
            assert_eq!(writes, text.contains("github.token"), "{name:?}");
            assert_ne!(writes, text.contains("AGENT_COMMAND") || text.contains("secrets."), "{name:?}");
        }
    }

    #[test]
    fn the_program_comes_from_one_commit_of_one_repository_and_from_no_cache() {
        // A workflow that another one calls takes the program from it.
        for text in all().iter().filter(|text| !text.contains("workflow_call:")) {
            let workflow: serde_yaml::Value = serde_yaml::from_str(text).unwrap();
            let env = ["REPOSITORY", "COMMIT", "VERSION", "SHA256"];
            let env = env.map(|name| workflow["env"][format!("CONTEXTPACK_{name}")].as_str().unwrap_or_default());
            let (version, sha256) = KNOWN.release();
            assert_eq!(env, [KNOWN.repository(), KNOWN.commit(), version, sha256], "{text}");
            assert_eq!(text.matches("sha256sum --check --quiet <<< \"$CONTEXTPACK_SHA256 ").count(), 1, "{text}");
            assert_eq!(text.matches("cargo +").count(), 1, "one job builds it: {text}");
            assert!(text.contains("--git \"$CONTEXTPACK_REPOSITORY\" --rev \"$CONTEXTPACK_COMMIT\" contextpack\n"));
            assert!(!text.contains("actions/cache"), "{text}");
        }
        let places = WorkflowPaths { packs: "packs", snapshot: ".contextpack/github", cached: false, merge: None };
        let unknown = matrix(places, true, 2, UNKNOWN);
        assert!(unknown.contains("CONTEXTPACK_REPOSITORY: \"\"\n  CONTEXTPACK_COMMIT: \"\"\n"), "{unknown}");
        assert!(unknown.contains("CONTEXTPACK_VERSION: \"\"\n  CONTEXTPACK_SHA256: \"\"\n"), "{unknown}");
    }

    #[test]
    fn a_workflow_of_jobs_has_their_schedules() {
        let value: serde_yaml::Value =
            serde_yaml::from_str(&jobs(&BTreeSet::from(["0 7 * * 1", "5 * * * *"]), "r", KNOWN)).unwrap();
        let crons: Vec<_> =
            value["on"]["schedule"].as_sequence().unwrap().iter().map(|it| it["cron"].as_str()).collect();
        assert_eq!(crons, [Some("0 7 * * 1"), Some("5 * * * *")]);
        let none: serde_yaml::Value = serde_yaml::from_str(&jobs(&BTreeSet::new(), "r", KNOWN)).unwrap();
        assert!(none["on"]["schedule"].is_null() && none["on"]["workflow_dispatch"].is_mapping());
    }

    proptest! {
        #[test]
        fn a_plain_name_is_literal_in_a_workflow_and_starts_no_expression(packs in "\\PC{1,12}", dir in "[a-zé@$ {}.#'\"*-]{1,12}") {
            for folder in [packs, dir] {
                let places = WorkflowPaths { packs: &folder, snapshot: "snapshot", cached: false, merge: None };
                if is_plain(&folder) {
                    let text = sync(places, true, KNOWN);
                    let value: serde_yaml::Value = serde_yaml::from_str(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
                    let steps = value["jobs"]["propose"]["steps"].as_sequence().cloned().unwrap_or_default();
                    let packs = steps.iter().find_map(|step| step["env"]["PACKS"].as_str());
                    prop_assert_eq!(packs, Some(folder.as_str()));
                    let plain = sync(WorkflowPaths { packs: "packs", ..places }, true, KNOWN);
                    prop_assert_eq!(text.matches("${{").count(), plain.matches("${{").count());
                }
            }
        }
    }
}
