//! Options about agents: those of `agent`, and `--agent` of the commands that build packs for one.

use crate::cli::completion;
use crate::config::Policy;
use clap::{Args as Options, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;

/// The agent that packs are for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Options)]
#[command(next_help_heading = "Agent options")]
pub(crate) struct AgentChoice {
    /// Builds for this agent: its key, the stem of its file, or its name
    ///
    /// Such a pack also holds who the agent is, the project's overview, notes on its documents, and recent changes. Its profile and limits are those of the agent, unless given.
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: Option<String>,

    /// How much a pack for an agent holds
    ///
    /// The default is the agent's `policy`, else `context.policy` of the configuration.
    #[arg(long, value_enum, value_name = "POLICY", requires = "agent")]
    pub(crate) policy: Option<PolicyName>,
}

/// The agent that a pack is for, and whether its delivery is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Options)]
#[command(next_help_heading = "Agent options")]
pub(crate) struct AgentArgs {
    #[command(flatten)]
    pub(crate) choice: AgentChoice,

    /// Keeps the pack below `.contextpack/delivered`, or `context.record`, and adds a line about it to `delivered.jsonl`
    #[arg(long, requires = "agent")]
    pub(crate) record: bool,
}

/// How much a pack for an agent holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// The agent, the overview, recent changes, and the root alone
    Minimal,
    /// Also the root's neighbours and pinned documents
    Default,
    /// Also relevant documents
    Expanded,
}

impl From<PolicyName> for Policy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Minimal => Self::Minimal,
            PolicyName::Default => Self::Default,
            PolicyName::Expanded => Self::Expanded,
        }
    }
}

/// Options of `agent`.
#[derive(Debug, Options)]
pub(crate) struct AgentCommandArgs {
    #[command(subcommand)]
    pub(crate) command: AgentCommand,
}

/// The commands about agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Writes the file of a new agent from the template
    New {
        /// Its name; the file is named after it
        name: String,
        /// What it is for
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        purpose: String,
        /// What it does, in more detail
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        role: Option<String>,
        /// A tool that it has; can be given several times
        #[arg(long = "tool", value_name = "TOOL")]
        tools: Vec<String>,
    },
    /// Lists the agents with key, name and purpose
    List,
    /// Shows one agent: its settings, the documents that it sees, and its SOUL
    Show {
        /// Its key, the stem of its file, or its name
        #[arg(add = ArgValueCandidates::new(completion::agents))]
        agent: String,
    },
}

/// Options of `job`.
#[derive(Debug, Options)]
pub(crate) struct JobArgs {
    /// The job whose context is printed; without it all jobs are listed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Prints only one of the two parts of the rendering
    #[arg(long, value_enum, value_name = "PART", requires = "name")]
    pub(crate) part: Option<super::RenderPart>,

    #[command(flatten)]
    pub(crate) budget: super::BudgetArgs,

    /// How much the context holds
    #[arg(long, value_enum, value_name = "POLICY", requires = "name")]
    pub(crate) policy: Option<PolicyName>,

    /// Keeps the pack, as `build --record` does
    #[arg(long, requires = "name")]
    pub(crate) record: bool,
}
