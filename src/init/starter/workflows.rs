//! The workflows that `init` writes, from templates.

use super::{quoted, render};
use crate::init::options::CommitWay;
use minijinja::{Value, context};
use std::collections::BTreeSet;

/// The folders of a repo that a workflow reads and writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkflowPaths<'a> {
    pub(crate) packs: &'a str,
    pub(crate) snapshot: &'a str,
    /// How both are kept in git; `None` if git ignores them.
    pub(crate) commit: Option<CommitWay>,
}

/// A repository, and a commit of it, from which a job builds the program, or the archive of a release of that commit.
///
/// The program is not installed by name from a registry, where anyone could register a name that this project has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RepoOrigin<'a> {
    repository: &'a str,
    commit: &'a str,
    /// The SHA-256 of the release's archive for Linux on x64.
    sha256: &'a str,
}

impl<'a> RepoOrigin<'a> {
    /// The origin of this program, if it was known at build time: a build for use from a clone knows its commit, a release all.
    ///
    /// No program can hold the digest of its own archive. A release builds the archive that workflows install first, and the
    /// others with its digest.
    const THIS: Self = Self {
        repository: match option_env!("CONTEXTPACK_REPOSITORY") {
            Some(repository) => repository,
            None => env!("CARGO_PKG_REPOSITORY"),
        },
        commit: match option_env!("CONTEXTPACK_COMMIT") {
            Some(commit) => commit,
            None => "",
        },
        sha256: match option_env!("CONTEXTPACK_SHA256") {
            Some(sha256) => sha256,
            None => "",
        },
    };

    /// Returns the origin that was `asked` for as `URL@COMMIT`, else this program's; `None` if a workflow could not install it.
    pub(crate) fn of(asked: Option<&'a str>) -> Option<Self> {
        let asked = asked.map(|asked| asked.rsplit_once('@').unwrap_or_default());
        let origin = asked.map_or(Self::THIS, |(repository, commit)| Self { repository, commit, sha256: "" });
        Some(origin).filter(|origin| origin.is_known())
    }

    /// Returns whether a text is the URL of a repository that is safe in a workflow.
    pub(in crate::init) fn is_url(text: &str) -> bool {
        text.starts_with("https://") && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/:-".contains(&b))
    }

    /// Returns whether a text is the full hash of a commit.
    pub(in crate::init) fn is_commit(text: &str) -> bool {
        matches!(text.len(), 40 | 64) && is_hex(text)
    }

    /// Returns the version of the release and the SHA-256 of its archive; both empty if the program is of no release.
    fn release(self) -> (&'a str, &'a str) {
        let is_release = self.is_known() && self.sha256.len() == 64 && is_hex(self.sha256);
        if is_release { (env!("CARGO_PKG_VERSION"), self.sha256) } else { ("", "") }
    }

    fn is_known(self) -> bool {
        Self::is_url(self.repository) && Self::is_commit(self.commit)
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// The instruction for users of the workflow that runs batches.
pub(crate) const FILL_IN_BATCHES: &str = "set the variable `CONTEXTPACK_AGENT_COMMAND` of the repository on GitHub, the command that each task runs; until then no task is claimed";

/// Returns the workflow that checks pull requests, in `shards` jobs if given, and shows what they change in the packs. Packs
/// are compared with those in git if pull requests keep them fresh, else built. It needs no token.
pub(crate) fn check(places: WorkflowPaths<'_>, shards: Option<u32>, origin: RepoOrigin<'_>) -> String {
    let (template, after) = if shards.is_some() { ("check_shards.yml", "compare") } else { ("check.yml", "packs") };
    // The merge and its parents; of a pull request also its commits, whose trailers are read.
    let checkout = "fetch-depth: ${{ github.event_name == 'pull_request' && 100 || 1 }}";
    let commits = places.commit == Some(CommitWay::Checked);
    // Nothing is written into the checkout, of which the base is checked out next.
    let command = match places.commit {
        Some(CommitWay::Rebuild) => "build --out \"$RUNNER_TEMP/packs\"",
        _ => "check",
    };
    workflow(template, context! { commits, command, shards, after, checkout, caches => true }, origin)
}

/// Returns the workflow that builds, and delivers an artifact, or a pull request if packs are in git. It syncs first if the
/// repo is on `github`. Where pull requests commit no packs it also runs after each merge.
pub(crate) fn sync(places: WorkflowPaths<'_>, github: bool, origin: RepoOrigin<'_>) -> String {
    let WorkflowPaths { packs, snapshot, commit } = places;
    let (packs, snapshot, cached) = (quoted(packs), quoted(snapshot), commit.is_none());
    let queue = commit == Some(CommitWay::Rebuild);
    workflow("sync.yml", context! { packs, snapshot, cached, github, queue, checkout => "" }, origin)
}

/// Returns the workflow that merges and rebuilds pull requests that conflict in packs alone.
pub(crate) fn merge(places: WorkflowPaths<'_>, origin: RepoOrigin<'_>) -> String {
    workflow("merge.yml", context! { packs => quoted(places.packs), checkout => "fetch-depth: 0" }, origin)
}

/// Returns the workflow that builds a large repo in `shards` jobs; a repo on `github` that keeps no snapshot in git syncs first.
pub(crate) fn matrix(places: WorkflowPaths<'_>, github: bool, shards: u32, origin: RepoOrigin<'_>) -> String {
    let (snapshot, syncs) = (quoted(places.snapshot), places.commit.is_none() && github);
    workflow("matrix.yml", context! { snapshot, syncs, shards, checkout => "" }, origin)
}

/// Returns the workflow that runs the jobs of agents at the times in `schedules`. `record` is the folder of delivered packs.
pub(crate) fn jobs(schedules: &BTreeSet<&str>, record: &str, origin: RepoOrigin<'_>) -> String {
    let schedules: Vec<String> = schedules.iter().map(|schedule| quoted(schedule)).collect();
    // Recent changes need the history.
    workflow("jobs.yml", context! { schedules, record, checkout => "fetch-depth: 200" }, origin)
}

/// Returns the workflow that runs batches, whose files are below `context`, and the one that it calls for each task.
pub(crate) fn batches(context: &str, origin: RepoOrigin<'_>) -> [String; 2] {
    let checkout = "ref: ${{ env.BRANCH }}";
    [("batch.yml", "needs.program.outputs.digest"), ("batch_task.yml", "inputs.program")]
        .map(|(template, program)| workflow(template, context! { context, program, checkout }, origin))
}

fn workflow(template: &str, values: Value, origin: RepoOrigin<'_>) -> String {
    let RepoOrigin { repository, commit, .. } = origin;
    let (version, sha256) = origin.release();
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLACES: WorkflowPaths<'_> =
        WorkflowPaths { packs: "my packs", snapshot: ".contextpack/github", commit: Some(CommitWay::Checked) };

    const KNOWN: RepoOrigin<'_> = RepoOrigin {
        repository: "https://github.com/owner/contextpack",
        commit: "0123456789abcdef0123456789abcdef01234567",
        sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    };

    #[test]
    fn only_a_known_commit_has_a_release_and_only_a_whole_digest_names_it() {
        let digest = "\"${{ x }}90abcdef0123456789abcdef0123456789abcdef0123456789abcdef012";
        for sha256 in ["", KNOWN.commit, digest] {
            assert_eq!(RepoOrigin { sha256, ..KNOWN }.release(), ("", ""), "{sha256}");
        }
        let unknown = RepoOrigin { commit: "", ..KNOWN };
        assert!(!unknown.is_known() && unknown.release() == ("", ""));
        let text = matrix(PLACES, true, 2, unknown);
        assert!(text.contains("CONTEXTPACK_VERSION: \"\"\n  CONTEXTPACK_SHA256: \"\"\n"), "{text}");
    }

    proptest! {
        #[test]
        fn a_plain_name_is_literal_in_a_workflow_and_starts_no_expression(packs in "\\PC{1,12}", dir in "[a-zé@$ {}.#'\"*-]{1,12}") {
            for folder in [packs, dir] {
                if is_plain(&folder) {
                    let text = sync(WorkflowPaths { packs: &folder, ..PLACES }, true, KNOWN);
                    let value: serde_yaml::Value = serde_yaml::from_str(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
                    let steps = value["jobs"]["propose"]["steps"].as_sequence().cloned().unwrap_or_default();
                    let packs = steps.iter().find_map(|step| step["env"]["PACKS"].as_str());
                    prop_assert_eq!(packs, Some(folder.as_str()));
                    let plain = sync(PLACES, true, KNOWN);
                    prop_assert_eq!(text.matches("${{").count(), plain.matches("${{").count());
                }
            }
        }
    }
}
