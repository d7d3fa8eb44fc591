//! What is in a repository, and the files that `init` writes into it.

#[cfg(feature = "mcp")]
mod agent_entries;
pub(crate) mod detect;
pub(crate) mod options;
mod setup;
pub(crate) mod starter;
mod trackers;

pub(crate) use detect::DetectedRepo;
#[cfg(feature = "github")]
pub(crate) use detect::github;
pub(crate) use options::InitArgs;
pub(crate) use setup::{CONFIG, DELIVERED, Setup, is_half, unfit};

#[cfg(test)]
mod tests {
    use super::starter::workflows::{is_plain, is_schedule_of_github};
    use super::*;
    use crate::model::cases::hold_lines;

    #[test]
    fn names_schedules_and_remotes_are_what_the_cases_say() {
        hold_lines("init.txt", |kind, text| match kind {
            "plain folder" => is_plain(text).to_string(),
            "schedule of GitHub" => is_schedule_of_github(text).to_string(),
            "remote" => {
                detect::github(text).map_or("none".to_owned(), |found| format!("{} {}", found.host, found.repo))
            }
            "empty origin" => setup::has_empty_origin(text.as_bytes()).to_string(),
            _ => is_half(text.as_bytes(), "a\nb\n").to_string(),
        });
    }
}
