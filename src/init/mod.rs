//! What is in a repository, and the files that `init` writes into it.

pub(crate) mod detect;
mod documents;
pub(crate) mod options;
mod setup;
pub(crate) mod starter;
mod trackers;

pub(crate) use detect::DetectedRepo;
pub(crate) use documents::shown_size;
pub(crate) use options::InitArgs;
pub(crate) use setup::{DELIVERED, Setup, unfit};
pub(crate) use trackers::{FoundTracker, tracker_names};

/// The name of a new configuration.
pub(crate) const CONFIG: &str = "contextpack.yml";

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::starter::workflows::{is_plain, is_schedule_of_github};
    use super::starter::{self, RepoOrigin};
    use super::*;
    use crate::config::load;
    use crate::model::GithubRepo;
    use crate::model::cases::{hold_blocks, hold_lines};
    use std::fs;

    /// Returns what is detected in a repo with the files `path = text`, and set in the configuration that is written for it.
    fn detected(title: &str, text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let (path, text) = line.split_once(" = ").unwrap_or((line, ""));
            fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
            fs::write(dir.path().join(path), text.replace("\\n", "\n")).unwrap();
        }
        let found = DetectedRepo::at(dir.path());
        load(CONFIG, Some(&starter::config(&found, "packs", true))).unwrap();
        let lines = match title {
            "trackers" => {
                found.trackers.iter().flat_map(|it| [format!("== {}", it.name), it.entries.clone()]).collect()
            }
            _ => vec![found.adrs.join(", "), format!("by default: {}", found.adrs_by_default)],
        };
        lines.join("\n") + "\n"
    }

    #[test]
    fn repos_are_detected_as_the_cases_say() {
        hold_blocks("init_repos.txt", detected);
    }

    #[test]
    fn the_documentation_names_each_tracker() {
        let docs = include_str!("../../docs/configuration.md");
        let missing: Vec<&str> = tracker_names().filter(|name| !docs.contains(&format!("| {name} |"))).collect();
        assert!(missing.is_empty(), "the table of trackers in docs/configuration.md lacks {missing:?}");
    }

    #[test]
    fn names_schedules_and_remotes_are_what_the_cases_say() {
        hold_lines("init.txt", |kind, text| match kind {
            "repository of the program" => RepoOrigin::is_url(text).to_string(),
            "commit of the program" => RepoOrigin::is_commit(text).to_string(),
            "attributes" => {
                let block = starter::attributes(
                    Some(text),
                    &crate::model::RepoPath::new("my context/packs").into_iter().collect::<Vec<_>>(),
                );
                block.lines().skip(1).step_by(2).collect::<Vec<_>>().join(" and ")
            }
            "plain folder" => is_plain(text).to_string(),
            "schedule of GitHub" => is_schedule_of_github(text).to_string(),
            "remote" => {
                GithubRepo::of_remote(text).map_or("none".to_owned(), |found| format!("{} {}", found.host, found.repo))
            }
            _ => "answer`.".to_owned(),
        });
    }
}
