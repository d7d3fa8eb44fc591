//! Options of `init`.

use crate::model::Shard;
use clap::{Args as Options, ValueEnum};

#[derive(Debug, Default, Options)]
pub(crate) struct InitArgs {
    /// Keeps packs out of git, in the ignored folder `.contextpack/packs`
    #[arg(long)]
    pub(crate) cached: bool,

    /// Points a tool's agent to the packs in a marked block of the file that it reads; can be given several times
    #[arg(long = "tool", value_enum, value_name = "TOOL")]
    pub(crate) tools: Vec<Tool>,

    /// Makes an agent's program start `contextpack mcp`, by an entry in its MCP configuration; can be given several times
    ///
    /// Merges the entry into an existing file, of which nothing is lost; one that cannot be parsed is refused.
    #[cfg(feature = "mcp")]
    #[arg(long = "agent", value_enum, value_name = "PROGRAM")]
    pub(crate) agents: Vec<AgentProgram>,

    /// Also configures this clone's git to show packs as text and to rebuild packs in merge conflicts
    ///
    /// Sets `diff.contextpack` and `merge.contextpack` in the clone's own configuration, which the block in `.gitattributes` refers to. Both run `contextpack`, which must be on the `PATH`. Without them git compares packs as JSON, and `contextpack build` resolves conflicts.
    #[arg(long, conflicts_with = "cached")]
    pub(crate) git: bool,

    /// Also writes a hook to this clone that adds trailers of packs to the messages of commits
    ///
    /// The hook `prepare-commit-msg` adds the lines of the variable `CONTEXTPACK_TRAILER`, which `contextpack render --trailer` prints. A hook of that name that exists is left alone.
    #[arg(long)]
    pub(crate) hook: bool,

    /// Also writes a workflow that builds a large repo in N jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,

    /// Writes the workflows for pull requests that change the same committed packs
    ///
    /// github.com runs no merge drivers, so such pull requests conflict. `--cached` is the third way: packs that are not in git do not conflict.
    #[arg(long, value_enum, value_name = "WAY", conflicts_with = "cached")]
    pub(crate) merge: Option<MergeWay>,

    /// Also writes a workflow that runs the configured jobs at their times
    ///
    /// It writes the context of each job and hands the file to the command in the repository's variable `CONTEXTPACK_AGENT_COMMAND`. Its schedules are those of `jobs` of the configuration: where these change, remove the workflow and run `init --jobs` again.
    #[arg(long)]
    pub(crate) jobs: bool,

    /// Also writes the workflows that run the tasks of batches
    ///
    /// Each task runs the command in the repository's variable `CONTEXTPACK_AGENT_COMMAND` with its pack, and its report is pushed. When all tasks have ended the batch is joined.
    #[arg(long)]
    pub(crate) batches: bool,
}

/// How pull requests that change the same committed packs get along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeWay {
    /// A job merges and rebuilds branches that conflict in packs alone
    Rebuild,
    /// Pull requests leave packs alone, and a job builds them after each merge
    Queue,
}

/// A tool whose agent reads a file of the repo before it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tool {
    /// `CLAUDE.md`
    Claude,
    /// `.github/copilot-instructions.md`
    Copilot,
    /// `AGENTS.md`
    Codex,
}

/// A program of agents that starts MCP servers.
#[cfg(feature = "mcp")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentProgram {
    /// `.mcp.json`
    Claude,
    /// `.cursor/mcp.json`
    Cursor,
    /// `.vscode/mcp.json`
    Vscode,
    /// `.codex/config.toml`
    Codex,
}

#[cfg(feature = "mcp")]
impl AgentProgram {
    /// Returns the path of its MCP configuration in a repo, and the JSON field that holds the servers; Codex has TOML.
    pub(super) fn place(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Claude => (".mcp.json", Some("mcpServers")),
            Self::Cursor => (".cursor/mcp.json", Some("mcpServers")),
            Self::Vscode => (".vscode/mcp.json", Some("servers")),
            Self::Codex => (".codex/config.toml", None),
        }
    }
}

impl Tool {
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE.md",
            Self::Copilot => ".github/copilot-instructions.md",
            Self::Codex => "AGENTS.md",
        }
    }
}
