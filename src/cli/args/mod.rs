//! The arguments of the command line. The help texts are in `src/cli/help`.

mod commands;
mod packs;

pub(crate) use packs::*;

use super::reference::SCHEMAS;
use crate::console::report::print_lines;
use crate::console::{self, Exit, Failure, Format, Workspace, printable};
use crate::engine::Repository;
use crate::init::InitArgs;
use crate::model::{Untracked, parse_limit};
use crate::store::Access;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Args as Options, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use commands::{formats_fault, formats_of};
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Parser)]
#[command(name = "contextpack", version, propagate_version = true)]
#[command(arg_required_else_help = true, max_term_width = 100, disable_help_subcommand = false)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What the commands are called whose names one may remember.
const RENAMED: &[(&str, &str)] = &[
    ("dispatch", "inbox put"),
    ("job", "agent job"),
    ("open", "page --open"),
    ("report", "page"),
    ("serve", "page --serve"),
    ("since", "diff --since"),
    ("trailer", "render --trailer"),
];

/// Options of every command.
#[derive(Debug, Clone, Options)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT", global = true)]
    pub(crate) format: Format,
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", global = true)]
    pub(crate) color: Color,
    #[arg(long, global = true)]
    pub(crate) strict: bool,
    #[arg(long, value_name = "TRUST", global = true, value_parser = one_of(TRUST))]
    pub(crate) untracked: Option<Untracked>,
}

impl Args {
    pub(crate) fn from_process() -> Result<Self, clap::Error> {
        // Help texts are half of the work of a short command: they are made only if one is shown.
        let mut matches = Self::command().try_get_matches().or_else(|_| {
            let mut command = Self::with_short_help();
            command.clone().try_get_matches().map_err(|error| Self::improved(error, &mut command))
        })?;
        let name = matches.subcommand_name().unwrap_or_default().to_owned();
        let args =
            Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Self::with_short_help()))?;
        match args.format_fault(&name) {
            Some(fault) => Err(Self::fault(&mut Self::with_short_help(), &name, fault)),
            None => Ok(args),
        }
    }

    /// Names the formats of the command, if one is asked for that does not exist, and the best of several suggestions first.
    fn improved(mut error: clap::Error, command: &mut clap::Command) -> clap::Error {
        let text = |error: &clap::Error, kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            _ => None,
        };
        let typed = text(&error, ContextKind::InvalidSubcommand);
        if let Some((_, name)) = RENAMED.iter().find(|(old, _)| typed.as_deref() == Some(old)) {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::String((*name).to_owned()));
        } else if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) {
            let names = names.iter().rev().cloned().collect();
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
        }
        let is_format = text(&error, ContextKind::InvalidArg).is_some_and(|arg| arg.starts_with("--format"));
        let asked = text(&error, ContextKind::InvalidValue).filter(|_| is_format);
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let name = arguments.iter().find(|argument| command.find_subcommand(argument).is_some());
        match asked.zip(name) {
            Some((asked, name)) => Self::fault(command, name, formats_fault(name, formats_of(name), &asked, "")),
            None => error,
        }
    }

    fn fault(command: &mut clap::Command, name: &str, fault: String) -> clap::Error {
        command.build();
        let kind = clap::error::ErrorKind::InvalidValue;
        match command.find_subcommand_mut(name) {
            Some(subcommand) => subcommand.error(kind, fault),
            None => command.error(kind, fault),
        }
    }
}

impl Global {
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace { config: self.config.clone(), untracked: self.untracked(), verbose: self.verbose }
    }

    /// Opens the repository around the current folder, of a command that writes nothing besides the configured folders.
    pub(crate) fn open(&self, cache: Option<Access>) -> Result<Repository, Failure> {
        self.workspace().open(&[], cache)
    }

    /// Prints a line for people on standard error, unless they want none.
    pub(crate) fn note(&self, line: &str) -> io::Result<()> {
        if self.quiet { Ok(()) } else { writeln!(console::stderr(), "{}", printable(line)) }
    }

    /// Prints `value` as JSON if that was asked for, else `lines`.
    pub(crate) fn print<T: Serialize>(
        &self,
        value: &T,
        lines: impl IntoIterator<Item = String>,
    ) -> Result<Exit, Failure> {
        print_lines(self.format, value, lines)?;
        Ok(Exit::Done)
    }

    pub(crate) fn untracked(&self) -> Untracked {
        self.untracked.unwrap_or_else(|| if is_ci() { Untracked::Untrusted } else { Untracked::Trusted })
    }
}

pub(crate) fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

const TRUST: &[(&str, Untracked, &str)] = &[
    ("trusted", Untracked::Trusted, "Like the repo's own files"),
    ("untrusted", Untracked::Untrusted, "Like text that anyone could have written"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands. Their help is in `src/cli/help`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(InitArgs),
    #[cfg(feature = "github")]
    Sync(SyncArgs),
    Build(BuildArgs),
    Check(CheckArgs),
    Ready(ReadyArgs),
    Watch(WatchArgs),
    List(ListArgs),
    Explain(ExplainArgs),
    Render(RenderArgs),
    Hook(HookArgs),
    #[command(subcommand)]
    Agent(AgentCommand),
    #[cfg(feature = "handoff")]
    #[command(flatten)]
    Handoff(super::handoff::HandoffCommand),
    Redact(RedactArgs),
    Notes(NotesArgs),
    Diff(DiffArgs),
    Stats(PackArgs),
    #[cfg(feature = "page")]
    Page(PageArgs),
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    Verify(VerifyArgs),
    #[command(subcommand)]
    Git(GitCommand),
    Schema {
        #[arg(default_value = "pack", value_name = "KIND", value_parser = one_of(SCHEMAS))]
        schema: &'static str,
    },
    Completions {
        #[arg(value_enum, value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    Man {
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
    },
}

/// Parses one of several names, which may be followed by other spellings, each with its value and its help.
fn one_of<T: Clone + Send + Sync>(values: &'static [(&'static str, T, &'static str)]) -> ValueParser {
    let possible = values.iter().map(|(names, _, help)| {
        let mut names = names.split(' ');
        PossibleValue::new(names.next().unwrap_or_default()).aliases(names).help(*help)
    });
    ValueParser::new(PossibleValuesParser::new(possible).try_map(|typed| {
        let found = values.iter().find(|(names, ..)| names.split(' ').any(|name| name == typed));
        found.map(|(_, value, _)| value.clone()).ok_or("there is no such value")
    }))
}

/// Parses a limit, which every JSON reader can represent exactly.
fn limit(text: &str) -> Result<u64, String> {
    parse_limit(text).ok_or_else(|| "write it as 8000 or 8k".to_owned())
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

#[cfg(feature = "github")]
fn day_or_time(text: &str) -> Result<String, String> {
    let time = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    let time = humantime::parse_rfc3339(&time);
    let time = time.map_err(|_| "write it as 2026-01-31 or 2026-01-31T12:00:00Z".to_owned())?;
    Ok(humantime::format_rfc3339_seconds(time).to_string())
}

#[cfg(test)]
mod tests {
    use super::commands::COMMANDS;
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::documented().debug_assert();
        Args::with_short_help().debug_assert();
        let mut listed: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).collect();
        let (handoff, mcp) = (cfg!(feature = "handoff"), cfg!(feature = "mcp"));
        let (page, sync) = (cfg!(feature = "page"), cfg!(feature = "github"));
        listed.retain(|name| match *name {
            "card" | "box" | "handover" | "batch" | "inbox" => handoff,
            "mcp" => mcp,
            "page" => page,
            "sync" => sync,
            _ => true,
        });
        let command = Args::command();
        let mut commands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        commands.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, commands);
    }

    #[test]
    fn every_command_and_every_option_has_a_text() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for arg in command.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Args::documented());
    }
}
