//! Options of `init`.

use super::starter::RepoOrigin;
use crate::model::Shard;
use clap::{Args as Options, ValueEnum};

#[derive(Debug, Default, Options)]
pub(crate) struct InitArgs {
    #[arg(long, value_enum, value_name = "WAY", num_args = 0..=1, require_equals = true, default_missing_value = "rebuild")]
    pub(crate) commit: Option<CommitWay>,
    #[arg(long)]
    pub(crate) sync: bool,
    #[arg(long, value_name = "URL@COMMIT", value_parser = origin)]
    pub(crate) from: Option<String>,
    #[arg(long = "for", value_enum, value_name = "PROGRAM")]
    pub(crate) programs: Vec<Program>,
    #[arg(long)]
    pub(crate) git: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,
    #[arg(long)]
    pub(crate) jobs: bool,
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
    /// `CLAUDE.md`, `.mcp.json` and `.claude/settings.json`
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
