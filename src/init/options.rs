//! Options of `init`.

use super::starter::RepoOrigin;
use crate::model::Shard;
use clap::{Args as Options, ValueEnum};

#[derive(Debug, Default, Options)]
pub(crate) struct InitArgs {
    /// Keeps packs in git, in the folder `packs`, and says first what that costs
    ///
    /// `rebuild`: pull requests leave packs alone, and a job builds them after the merge. `checked`: a pull request whose packs are not fresh fails. Nothing is committed here. Without it packs are built on demand, into `.contextpack/packs`, which git ignores. In the configuration that an earlier `init` wrote, the line about it is put in force; workflows that nobody changed are replaced.
    #[arg(long, value_enum, value_name = "WAY", num_args = 0..=1, require_equals = true, default_missing_value = "rebuild")]
    pub(crate) commit: Option<CommitWay>,

    /// Also writes a workflow that syncs issues from GitHub, nightly and when their labels change
    #[arg(long)]
    pub(crate) sync: bool,

    /// The commit of contextpack that workflows install; else the one that this program was built from
    #[arg(long, value_name = "URL@COMMIT", value_parser = origin)]
    pub(crate) from: Option<String>,

    /// Sets up an agent's program: a marked block in the file that it reads, and an entry that starts `contextpack mcp`
    ///
    /// Can be given several times. Where the repo has a configuration, nothing else is written, unless another option asks for it. The rest of a file stays as it is; where a program has an MCP configuration, the entry is printed to be added by hand.
    #[arg(long = "for", value_enum, value_name = "PROGRAM")]
    pub(crate) programs: Vec<Program>,

    /// Also configures this clone's git to show packs as text and to rebuild packs in merge conflicts
    ///
    /// Sets `diff.contextpack` and `merge.contextpack` in the clone's own configuration, which the block in `.gitattributes` refers to. Both run `contextpack`, which must be on the `PATH`. Without them git compares packs as JSON, and `contextpack build` resolves conflicts.
    #[arg(long)]
    pub(crate) git: bool,

    /// Also writes a workflow that builds a large repo in N jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,

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

impl InitArgs {
    /// Returns whether nothing is asked for besides setting up programs of agents, and this clone.
    pub(super) fn asks_for_no_more(&self) -> bool {
        !self.sync && !self.jobs && !self.batches && self.matrix.is_none() && self.commit.is_none()
    }
}

/// How packs in git are kept up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommitWay {
    /// Pull requests leave packs alone, and a job builds them after each merge
    Rebuild,
    /// A check fails where a pull request leaves packs stale, and a job rebuilds branches that conflict in packs alone
    Checked,
}

fn origin(typed: &str) -> Result<String, &'static str> {
    RepoOrigin::of(Some(typed))
        .map(|_| typed.to_owned())
        .ok_or("give an https URL, `@`, and the whole hash of a commit")
}

/// A program of agents, which reads a file of the repo before it works, and may start MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Program {
    /// `CLAUDE.md` and `.mcp.json`
    Claude,
    /// `.github/copilot-instructions.md`
    Copilot,
    /// `AGENTS.md` and `.codex/config.toml`
    Codex,
    /// `AGENTS.md` and `.cursor/mcp.json`
    Cursor,
    /// `.github/copilot-instructions.md` and `.vscode/mcp.json`
    Vscode,
    /// `GEMINI.md` and `.gemini/settings.json`
    Gemini,
}

impl Program {
    /// Returns the file of the repo that it reads before it works.
    pub(super) fn instructions(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE.md",
            Self::Copilot | Self::Vscode => ".github/copilot-instructions.md",
            Self::Codex | Self::Cursor => "AGENTS.md",
            Self::Gemini => "GEMINI.md",
        }
    }

    /// Returns the path of its MCP configuration in a repo, and the JSON field that holds the servers; Codex has TOML.
    #[cfg(feature = "mcp")]
    pub(super) fn servers(self) -> Option<(&'static str, Option<&'static str>)> {
        match self {
            Self::Claude => Some((".mcp.json", Some("mcpServers"))),
            Self::Copilot => None,
            Self::Codex => Some((".codex/config.toml", None)),
            Self::Cursor => Some((".cursor/mcp.json", Some("mcpServers"))),
            Self::Vscode => Some((".vscode/mcp.json", Some("servers"))),
            Self::Gemini => Some((".gemini/settings.json", Some("mcpServers"))),
        }
    }
}
