//! Options of `sync`.

use clap::{Args as Options, ValueEnum};

/// Options of `sync`.
#[derive(Debug, Options)]
pub(crate) struct SyncArgs {
    /// Issues to fetch in full: `123`, `owner/repo#123`, a URL, or a work item that has an issue
    #[arg(value_name = "ROOT", conflicts_with_all = ["state", "labels", "milestones", "since", "limit", "all"])]
    pub(crate) roots: Vec<String>,

    /// Only issues in this state; the default follows from `roots.state`, else `open`
    #[arg(long, value_enum, value_name = "STATE")]
    pub(crate) state: Option<IssueState>,

    /// Only issues with this label; can be given several times, for any of them
    ///
    /// The default is `roots.labels` of the configuration.
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,

    /// Only issues of this milestone, by title or number; can be given several times, for any of them
    ///
    /// The default is `roots.milestone` of the configuration.
    #[arg(long = "milestone", value_name = "MILESTONE")]
    pub(crate) milestones: Vec<String>,

    /// Only issues that changed since then: `2026-01-31`, or `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<String>,

    /// At most N issues, the most recently changed first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) limit: Option<u64>,

    /// Every issue, open or closed, regardless of `roots` of the configuration
    #[arg(long, conflicts_with_all = ["state", "labels", "milestones", "since", "limit"])]
    pub(crate) all: bool,

    /// Sends at most N requests, 10 or more; the next run resumes there
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..))]
    pub(crate) max_requests: Option<u64>,

    /// Waits at most this long in total, for rate limits and between retries
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = humantime::parse_duration)]
    pub(crate) max_wait: std::time::Duration,

    /// Writes the repo into `contextpack.yml`, where builds read it
    #[arg(long)]
    pub(crate) write_config: bool,
}

/// The states of issues that GitHub can filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IssueState {
    /// Open issues
    Open,
    /// Closed issues
    Closed,
    /// Both
    All,
}

/// Parses a day or a time into the form that GitHub accepts.
fn since(text: &str) -> Result<String, String> {
    let time = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    let time =
        humantime::parse_rfc3339(&time).map_err(|_| "write it as 2026-01-31 or 2026-01-31T12:00:00Z".to_owned())?;
    Ok(humantime::format_rfc3339_seconds(time).to_string())
}
