//! Options of the commands that build packs in bulk or report on all of them: `build`, `check`, `list` and `watch`.

use super::agent::{AgentArgs, AgentChoice};
use crate::cli::completion;
use crate::config::Strategy;
use crate::model::{ItemState, Shard, parse_limit};
use clap::{Args as Options, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;
use std::time::Duration;

/// The profiles and limits of packs.
#[derive(Debug, Default, PartialEq, Eq, Options)]
#[command(next_help_heading = "Build options")]
pub(crate) struct BudgetArgs {
    /// Builds this profile; can be given several times
    ///
    /// The default is `output.profiles` of the configuration, or `coding`.
    #[arg(short, long = "profile", value_name = "PROFILE", add = ArgValueCandidates::new(completion::profiles))]
    pub(crate) profiles: Vec<String>,

    /// Limits packs to N characters, such as 8000 or 8k
    ///
    /// Limits on the command line replace all limits of the profile.
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) max_chars: Option<u64>,

    /// Limits packs to N tokens of the profile's tokenizer
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) max_tokens: Option<u64>,

    /// Limits packs to N bytes
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) max_bytes: Option<u64>,

    /// How packs are cut to their limits
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub(crate) strategy: Option<FitBy>,
}

/// Parses a limit, which every JSON reader can represent exactly.
pub(super) fn limit(text: &str) -> Result<u64, String> {
    parse_limit(text).ok_or_else(|| "write it as 8000 or 8k".to_owned())
}

/// How packs are cut to their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FitBy {
    /// Cuts the pack at its end
    #[value(name = "truncate_tail", alias = "truncate-tail")]
    TruncateTail,
    /// Drops whole sections, lowest priority first
    #[value(name = "drop_low_priority", alias = "drop-low-priority")]
    DropLowPriority,
    /// Shortens sections, lowest priority first, before it drops any
    #[value(name = "both")]
    Both,
}

impl From<FitBy> for Strategy {
    fn from(strategy: FitBy) -> Self {
        match strategy {
            FitBy::TruncateTail => Self::TruncateTail,
            FitBy::DropLowPriority => Self::DropLowPriority,
            FitBy::Both => Self::Both,
        }
    }
}

/// The packs that a command builds.
#[derive(Debug, Options)]
pub(crate) struct PackArgs {
    /// The work items and issues; all roots of the configuration if omitted
    ///
    /// An id (`feat:cache`), the path of an item's file, an id without one of the configured `prefixes`, or an issue (`123`, `owner/repo#123`, a URL).
    #[arg(value_name = "ROOT", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) roots: Vec<String>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}

/// Options of `build`.
#[derive(Debug, Options)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,

    /// Writes packs to DIR instead of the configuration's `output.dir`; `-` prints one pack
    ///
    /// Packs for an agent change with every commit, so they are printed, or written to a DIR outside `output.dir`.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) agent: AgentArgs,

    /// Removes packs whose root or profile is gone; needs a build of all roots and profiles
    #[arg(long, conflicts_with_all = ["roots", "profiles", "agent"])]
    pub(crate) prune: bool,

    /// Builds one of N parts of the roots, such as `1/4`; all N together equal one build
    ///
    /// A root's part follows from the SHA-256 of its id, so it stays the same when other roots are added or removed. `list --matrix N` prints the parts for a workflow.
    #[arg(long, value_name = "i/N", conflicts_with_all = ["roots", "agent"])]
    pub(crate) shard: Option<Shard>,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,

    /// Also writes each pack as the Markdown that an agent reads to DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) markdown: Option<PathBuf>,

    /// Appends `packs`, `changed` and, of a single pack, `pack`, `markdown`, `hash`, `tokens` and `open-blockers` to FILE
    ///
    /// In the format of a workflow's `$GITHUB_OUTPUT`. Paths are relative to `$GITHUB_WORKSPACE` if the repo is inside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) outputs: Option<PathBuf>,
}

/// The option for a job summary.
#[derive(Debug, Options)]
pub(crate) struct SummaryArgs {
    /// Appends a summary in Markdown to FILE, such as a workflow's `$GITHUB_STEP_SUMMARY`
    #[arg(long = "summary", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Options of `check`.
#[derive(Debug, Options)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,

    /// Checks one of N parts of the roots, such as `1/4`; all N together equal one check
    ///
    /// The parts are those of `build --shard`. Packs that belong to no root are checked with the first part that has roots.
    #[arg(long, value_name = "i/N", conflicts_with = "roots")]
    pub(crate) shard: Option<Shard>,

    /// Also warns of packs that the commits of a range name in `Context-Pack` trailers, such as `main..HEAD`, if they moved since
    ///
    /// The codes are `moved-context` and `unknown-context`; `contextpack since --commits` shows what changed.
    #[arg(long, value_name = "REV..REV")]
    pub(crate) commits: Option<String>,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,
}

/// Options of `list`.
#[derive(Debug, Options)]
pub(crate) struct ListArgs {
    /// Prints the parts of a build in N jobs as the matrix of a workflow, in JSON for `fromJSON`
    ///
    /// Each part with roots is a job: `shard` is the value for `build --shard`, `index` the number of the part, `roots` the number of its roots. Nothing is built.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,

    /// Lists only roots in this state; can be given several times
    #[arg(long = "state", value_enum, value_name = "STATE", conflicts_with = "matrix")]
    pub(crate) states: Vec<RootState>,
}

/// The state of a root, as packs have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RootState {
    /// To be done
    Open,
    /// Done
    Done,
    /// Closed without being done
    #[value(name = "not_planned", alias = "not-planned")]
    NotPlanned,
    /// A pull request that was merged
    Merged,
    /// Neither its status nor its issue says
    Unknown,
}

impl From<RootState> for ItemState {
    fn from(state: RootState) -> Self {
        match state {
            RootState::Open => Self::Open,
            RootState::Done => Self::Done,
            RootState::NotPlanned => Self::NotPlanned,
            RootState::Merged => Self::Merged,
            RootState::Unknown => Self::Unknown,
        }
    }
}

/// Options of `watch`.
#[derive(Debug, Options)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,

    /// Writes packs to DIR instead of the configuration's `output.dir`
    ///
    /// Packs for an agent are in memory only without it, and DIR must be outside `output.dir`.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) agent: AgentChoice,

    /// Prints the changes of the renderings on stdout as a unified diff; `--print=full` prints the whole rendering in `now.md`
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "diff")]
    pub(crate) print: Option<PrintMode>,

    /// Polls every INTERVAL (default `2s`) instead of waiting for change notices, which some network and container file systems lack
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval)]
    pub(crate) poll: Option<Duration>,
}

/// The part of a rendering that `watch` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrintMode {
    /// The changes
    Diff,
    /// The whole rendering
    Full,
}

/// The shortest interval between two polls; a shorter one would only burn CPU.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

pub(super) fn interval(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(interval) if interval >= SHORTEST_INTERVAL => Ok(interval),
        Ok(_) => Err("the shortest interval is `100ms`".to_owned()),
        Err(_) => Err("write an interval such as `500ms` or `2s`".to_owned()),
    }
}
