//! The workflows that `init` writes: one file each, with the few places that differ filled in.

use super::quoted;

/// Where a repo keeps what a workflow delivers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The folder of packs.
    pub(crate) packs: &'a str,
    /// The folder of the snapshot.
    pub(crate) snapshot: &'a str,
    /// Whether both stay out of git.
    pub(crate) cached: bool,
}

/// The check of pull requests, in `shards` jobs where they are given: packs in git are compared, and what changed in
/// them is shown where one job sees them all; others are built. It needs no token.
pub(crate) fn check(places: Places<'_>, shards: Option<u32>) -> String {
    let (what, command) = if places.cached {
        ("Checks that the packs of all roots can be built: offline, without any token.", "build")
    } else {
        ("Checks that the packs in git are the ones that a build would write: offline, without any token.", "check")
    };
    let (depth, diff) = if places.cached { ("", "") } else { ("          fetch-depth: 2\n", include_str!("diff.yml")) };
    let template = match shards {
        Some(shards) => include_str!("check_shards.yml").replace("@SHARDS@", &shards.to_string()),
        None => {
            let template = include_str!("check.yml").replace("@INSTALL@", include_str!("install.yml"));
            template.replace("@DEPTH@", depth).replace("@DIFF@", diff)
        }
    };
    filled(&template).replace("@WHAT@", what).replace("@COMMAND@", command)
}

/// The delivery: `sync` and a build, then an artifact, or a pull request where packs are in git.
pub(crate) fn sync(places: Places<'_>) -> String {
    let (outputs, deliver) = if places.cached {
        ("", include_str!("artifact.yml"))
    } else {
        ("    outputs:\n      changed: ${{ steps.changes.outputs.changed }}\n", include_str!("propose.yml"))
    };
    filled(include_str!("sync.yml"))
        .replace("@OUTPUTS@", outputs)
        .replace("@DELIVER@\n", deliver)
        .replace("@PACKS@", &quoted(places.packs))
        .replace("@SNAPSHOT@", &quoted(places.snapshot))
}

/// The build of a large repo in `shards` jobs.
pub(crate) fn matrix(shards: u32) -> String {
    filled(include_str!("matrix.yml")).replace("@SHARDS@", &shards.to_string())
}

/// With the steps that check the repo out and install this version.
fn filled(template: &str) -> String {
    let whole = template.replace("@INSTALL@", include_str!("install.yml")).replace("@DEPTH@", "");
    whole.replace("@VERSION@", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<String> {
        let committed = Places { packs: "my \"packs\"", snapshot: ".contextpack/github", cached: false };
        let cached = Places { cached: true, ..committed };
        let checks = [check(committed, None), check(cached, None), check(committed, Some(8)), check(cached, Some(8))];
        [vec![sync(committed), sync(cached), matrix(8)], checks.to_vec()].concat()
    }

    #[test]
    fn nothing_is_left_to_fill_in_and_every_action_is_pinned_by_its_whole_hash() {
        for text in all() {
            assert!(!["@INSTALL@", "@VERSION@", "@DEPTH@", "@DIFF@"].iter().any(|mark| text.contains(mark)), "{text}");
            for line in text.lines() {
                let pinned = line.split_once("uses: ").is_none_or(|(_, used)| {
                    let (_, pin) = used.split_once('@').unwrap_or_default();
                    let (hash, version) = pin.split_once(" # v").unwrap_or_default();
                    hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()) && !version.is_empty()
                });
                assert!(pinned, "{line}");
                let rest = line.replace("uses: ", "");
                assert!(
                    !rest.split('@').skip(1).step_by(2).any(|name| name.bytes().all(|b| b.is_ascii_uppercase())),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn every_workflow_asks_for_the_least_and_no_expression_stands_in_a_script() {
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
        assert!(!cached.contains(": write"));
        let (build, propose) = committed.split_once("\n  propose:\n").unwrap_or_default();
        assert!(!build.contains(": write") && propose.contains("contents: write"));
        assert!(!propose.contains("contextpack sync") && !propose.contains("contextpack build"));
        assert!(committed.contains("PACKS: \"my \\\"packs\\\"\"\n"), "{committed}");
    }
}
