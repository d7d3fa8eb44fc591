//! Options of the commands that build, read and compare packs.

use super::{interval, limit, one_of};
use crate::cli::completion;
use crate::config::{Policy, Strategy};
use crate::console::Failure;
use crate::engine::{BudgetLimits, PackTarget, Repository};
use crate::model::{ItemState, Shard};
use clap::{ArgGroup, Args as Options, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Default, PartialEq, Eq, Options)]
#[command(next_help_heading = "Build options")]
pub(crate) struct BudgetArgs {
    #[arg(short, long = "profile", value_name = "PROFILE", add = ArgValueCandidates::new(completion::profiles))]
    pub(crate) profiles: Vec<String>,
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) max_chars: Option<u64>,
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) max_tokens: Option<u64>,
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) max_bytes: Option<u64>,
    #[arg(long, value_name = "STRATEGY", value_parser = one_of(STRATEGIES))]
    pub(crate) strategy: Option<Strategy>,
}

impl BudgetArgs {
    pub(crate) fn limits(&self) -> BudgetLimits {
        let Self { max_chars, max_bytes, max_tokens, strategy, .. } = *self;
        BudgetLimits { max_chars, max_bytes, max_tokens, strategy, margin: None }
    }

    /// Returns the same profiles with a limit that no pack reaches.
    pub(crate) fn unlimited(&self) -> Self {
        Self { profiles: self.profiles.clone(), max_chars: Some(1 << 53), ..Self::default() }
    }

    pub(crate) fn profiles(&self, repository: &Repository) -> Result<Vec<String>, Failure> {
        Ok(repository.configuration().profiles(&self.profiles)?)
    }
}

const STRATEGIES: &[(&str, Strategy, &str)] = &[
    ("truncate_tail truncate-tail", Strategy::TruncateTail, "Cuts the pack at its end"),
    ("drop_low_priority drop-low-priority", Strategy::DropLowPriority, "Drops whole sections, lowest priority first"),
    ("both", Strategy::Both, "Shortens sections, lowest priority first, before it drops any"),
];

#[derive(Debug, Clone, Default, PartialEq, Eq, Options)]
#[command(next_help_heading = "Agent options")]
pub(crate) struct AgentChoice {
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: Option<String>,
    #[arg(long, value_name = "POLICY", requires = "agent", value_parser = one_of(POLICIES))]
    pub(crate) policy: Option<Policy>,
}

const POLICIES: &[(&str, Policy, &str)] = &[
    ("minimal", Policy::Minimal, "The agent, the overview, recent changes, and the item alone"),
    ("default", Policy::Default, "Also related items and pinned documents"),
    ("expanded", Policy::Expanded, "Also relevant documents"),
];

#[derive(Debug, Options)]
pub(crate) struct PackArgs {
    #[arg(value_name = "ITEM", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) roots: Vec<String>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}

/// The one pack of a command: a finished one, or that of a root, for an agent or not.
#[derive(Debug, Options)]
pub(crate) struct TargetArgs {
    #[arg(value_name = "PACK|ITEM|-", required_unless_present = "agent", add = ArgValueCandidates::new(completion::packs_and_roots))]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) agent: AgentChoice,
    #[arg(long, conflicts_with = "agent", help_heading = "Agent options")]
    pub(crate) no_agent: bool,
}

impl TargetArgs {
    pub(crate) fn pack(&self) -> PackTarget<'_> {
        PackTarget::new(self.target.as_deref(), &self.budget, &self.agent)
    }
}

#[derive(Debug, Default, PartialEq, Eq, Options)]
pub(crate) struct ReviewArgs {
    #[arg(long = "summary", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
}

#[derive(Debug, Options)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) agent: AgentChoice,
    #[arg(long, requires = "agent", help_heading = "Agent options")]
    pub(crate) record: bool,
    #[arg(long)]
    pub(crate) no_prune: bool,
    #[arg(long, value_name = "i/N", conflicts_with_all = ["roots", "agent"])]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) review: ReviewArgs,
    #[arg(long, value_name = "DIR")]
    pub(crate) markdown: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub(crate) outputs: Option<PathBuf>,
}

#[derive(Debug, Options)]
pub(crate) struct ReadyArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,
    #[arg(long, value_name = "FILE|-")]
    pub(crate) done: Option<PathBuf>,
}

#[derive(Debug, Options)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,
    #[arg(long, value_name = "i/N", conflicts_with = "roots")]
    pub(crate) shard: Option<Shard>,
    #[arg(long, value_name = "REV..REV")]
    pub(crate) commits: Option<String>,
    #[command(flatten)]
    pub(crate) review: ReviewArgs,
}

#[derive(Debug, Options)]
pub(crate) struct ListArgs {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,
    #[arg(long = "state", value_name = "STATE", conflicts_with = "matrix", value_parser = one_of(STATES))]
    pub(crate) states: Vec<ItemState>,
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: Option<String>,
}

const STATES: &[(&str, ItemState, &str)] = &[
    ("open", ItemState::Open, "To be done"),
    ("done", ItemState::Done, "Done"),
    ("not_planned not-planned", ItemState::NotPlanned, "Closed without being done"),
    ("merged", ItemState::Merged, "A pull request that was merged"),
    ("unknown", ItemState::Unknown, "Neither its status nor its issue says"),
];

#[derive(Debug, Options)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) packs: PackArgs,
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) agent: AgentChoice,
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "diff")]
    pub(crate) print: Option<PrintMode>,
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval)]
    pub(crate) poll: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrintMode {
    /// The changes
    Diff,
    /// The whole rendering
    Full,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    New {
        name: String,
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        purpose: String,
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        role: Option<String>,
        #[arg(long = "tool", value_name = "TOOL")]
        tools: Vec<String>,
    },
    List,
    Show {
        #[arg(add = ArgValueCandidates::new(completion::agents))]
        agent: String,
        #[arg(long)]
        allowed_tools: bool,
    },
    Job(JobArgs),
}

#[derive(Debug, Options)]
pub(crate) struct JobArgs {
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[arg(long, value_enum, value_name = "PART", requires = "name")]
    pub(crate) part: Option<RenderPart>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[arg(long, value_name = "POLICY", requires = "name", value_parser = one_of(POLICIES))]
    pub(crate) policy: Option<Policy>,
    #[arg(long, requires = "name")]
    pub(crate) record: bool,
}

#[derive(Debug, Options)]
pub(crate) struct McpArgs {
    #[arg(long, requires = "agent")]
    pub(crate) write: bool,
    #[arg(long = "as", value_name = "AGENT", requires = "write", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Options)]
pub(crate) struct RenderArgs {
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<RenderPart>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[arg(long)]
    pub(crate) record: bool,
    #[arg(long, conflicts_with = "part")]
    pub(crate) trailer: bool,
}

#[derive(Debug, Options)]
pub(crate) struct HookArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) agent: AgentChoice,
    #[arg(long, conflicts_with = "agent", help_heading = "Agent options")]
    pub(crate) no_agent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderPart {
    /// The instructions for the agent: the system prompt
    Instructions,
    /// The material that it works on: the first message
    Context,
}

#[derive(Debug, Options)]
pub(crate) struct ExplainArgs {
    #[arg(long, value_name = "PATH|ID", conflicts_with = "at", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) why_not: Option<String>,
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = limit, conflicts_with_all = ["max_bytes", "strategy"])]
    pub(crate) at: Vec<u64>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

#[derive(Debug, Options)]
pub(crate) struct VerifyArgs {
    #[arg(value_name = "PACK|DIR|-", required = true)]
    pub(crate) packs: Vec<PathBuf>,
    #[arg(long, value_name = "HASH")]
    pub(crate) expect: Option<String>,
    #[arg(long)]
    pub(crate) against_repo: bool,
}

#[derive(Debug, Options)]
#[command(group = ArgGroup::new("read").args(["since", "commits"]).multiple(true).conflicts_with_all(["old", "rebuild", "exit_code"]))]
pub(crate) struct DiffArgs {
    #[arg(value_name = "OLD|REV|REV...REV", add = ArgValueCandidates::new(completion::packs))]
    pub(crate) old: Option<String>,
    #[arg(value_name = "NEW", add = ArgValueCandidates::new(completion::packs))]
    pub(crate) new: Option<String>,
    #[arg(long)]
    pub(crate) rebuild: bool,
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[arg(long)]
    pub(crate) all: bool,
    #[arg(long, value_name = "HASH|PACK|-", num_args = 1.., add = ArgValueCandidates::new(completion::packs))]
    pub(crate) since: Vec<String>,
    #[arg(long, value_name = "REV..REV", allow_hyphen_values = false)]
    pub(crate) commits: Option<String>,
    #[arg(long, value_name = "FILE", requires = "read")]
    pub(crate) summary: Option<PathBuf>,
}

#[cfg(feature = "page")]
#[derive(Debug, Options)]
#[command(group = ArgGroup::new("followed").args(["watch", "agent"]).multiple(true))]
pub(crate) struct PageArgs {
    #[arg(value_name = "PACK|DIR|ITEM", add = ArgValueCandidates::new(completion::packs_and_roots))]
    pub(crate) shown: Vec<PathBuf>,
    #[arg(short, long, value_name = "FILE|-")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, conflicts_with = "out")]
    pub(crate) open: bool,
    #[arg(long, conflicts_with_all = ["out", "open", "profiles", "max_chars", "max_tokens", "max_bytes", "strategy"])]
    pub(crate) serve: bool,
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "serve")]
    pub(crate) port: u16,
    #[arg(long, requires = "serve")]
    pub(crate) watch: bool,
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval, requires_all = ["serve", "followed"])]
    pub(crate) poll: Option<Duration>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) agent: AgentChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    Textconv { file: PathBuf },
    Merge { ours: PathBuf, theirs: PathBuf, path: String },
}

#[derive(Debug, Options)]
pub(crate) struct RedactArgs {
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[arg(long)]
    pub(crate) report: bool,
    #[arg(long, value_name = "DIR", requires = "files")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, conflicts_with_all = ["files", "report", "out"])]
    pub(crate) rules: bool,
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["files", "report", "out", "rules"])]
    pub(crate) why: Option<String>,
}

#[derive(Debug, Options)]
pub(crate) struct NotesArgs {
    #[arg(value_name = "DOC")]
    pub(crate) documents: Vec<PathBuf>,
    #[arg(long)]
    pub(crate) write: bool,
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    #[arg(long, conflicts_with_all = ["documents", "write"])]
    pub(crate) vectors: bool,
}

#[cfg(feature = "github")]
#[derive(Debug, Options)]
pub(crate) struct SyncArgs {
    #[arg(value_name = "ITEM", conflicts_with_all = ["state", "labels", "milestones", "since", "limit", "all"])]
    pub(crate) roots: Vec<String>,
    #[arg(long, value_name = "STATE", value_parser = one_of(ISSUE_STATES))]
    pub(crate) state: Option<&'static str>,
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    #[arg(long = "milestone", value_name = "MILESTONE")]
    pub(crate) milestones: Vec<String>,
    #[arg(long, value_name = "TIME", value_parser = super::day_or_time)]
    pub(crate) since: Option<String>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) limit: Option<u64>,
    #[arg(long, conflicts_with_all = ["state", "labels", "milestones", "since", "limit"])]
    pub(crate) all: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..))]
    pub(crate) max_requests: Option<u64>,
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = humantime::parse_duration)]
    pub(crate) max_wait: Duration,
}

#[cfg(feature = "github")]
const ISSUE_STATES: &[(&str, &str, &str)] =
    &[("open", "open", "Open issues"), ("closed", "closed", "Closed issues"), ("all", "all", "Both")];
