//! The arguments of the command line. Their doc comments are the help texts.

mod agent;
mod batch;
mod build;
mod cards;
mod commands;
mod handover;
mod inbox;
mod ledger;
mod review;
#[cfg(feature = "github")]
mod setup;

pub(crate) use agent::{AgentChoice, AgentCommand, AgentCommandArgs, JobArgs};
pub(crate) use batch::{BatchArg, BatchArgs, BatchCommand, BatchReportArgs, TaskArg};
pub(crate) use build::{BudgetArgs, BuildArgs, CheckArgs, ListArgs, PackArgs, PrintMode, WatchArgs};
pub(crate) use cards::{BoxArgs, BoxCommand, CardAddArgs, CardArgs, CardCommand};
use commands::{formats_fault, formats_of};
pub(crate) use handover::HandoverArgs;
pub(crate) use inbox::{DispatchArgs, InboxArg, InboxArgs, InboxCommand, TurnAckArgs};
pub(crate) use ledger::{OutcomeArgs, PublishArgs, WakeArgs, WakeMode};
#[cfg(feature = "page")]
pub(crate) use review::ServeArgs;
pub(crate) use review::{
    DiffArgs, ExplainArgs, GitArgs, GitCommand, NotesArgs, OpenArgs, RedactArgs, RenderArgs, RenderPart, ReportArgs,
    SinceArgs, TrailerArgs, VerifyArgs,
};
#[cfg(feature = "github")]
pub(crate) use setup::{IssueState, SyncArgs};

use crate::console::Format;
use crate::init::InitArgs;
use crate::model::Untracked;
use clap::error::{ContextKind, ContextValue};
use clap::{Args as Options, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "contextpack", version, propagate_version = true)]
#[command(arg_required_else_help = true, max_term_width = 100, disable_help_subcommand = false)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Options)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Runs as if started in DIR
    ///
    /// The repo is the nearest folder from there upwards that has a `contextpack.yml` or is a git repository.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// Reads this configuration instead of `contextpack.yml` at the repo's root
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// The output format; each command's help names those that it has
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT", global = true)]
    pub(crate) format: Format,

    /// Prints no warnings, notes and summaries on stderr; what goes to stdout stays, and so do errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Prints more about what is done and why
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    /// When to use colours; `auto` uses them on a terminal unless `NO_COLOR` is set
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", global = true)]
    pub(crate) color: Color,

    /// Treats every warning as an error: exit code 3; `build` and `watch` write their packs all the same
    #[arg(long, global = true)]
    pub(crate) strict: bool,

    /// Whether files that git does not track are trusted: `untrusted` marks them in packs, and ignores instructions in them
    ///
    /// The default is `untrusted` if the environment has `CI=true`, as on GitHub Actions and GitLab, and `trusted` elsewhere.
    #[arg(long, value_enum, value_name = "TRUST", global = true)]
    pub(crate) untracked: Option<UntrackedTrust>,
}

impl Args {
    /// Parses the arguments of this process.
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
            Some(fault) => {
                let kind = clap::error::ErrorKind::InvalidValue;
                let mut command = Self::with_short_help();
                command.build();
                Err(match command.find_subcommand_mut(&name) {
                    Some(subcommand) => subcommand.error(kind, fault),
                    None => command.error(kind, fault),
                })
            }
            None => Ok(args),
        }
    }

    /// Names the formats of the command, if one is asked for that does not exist, and the best of several suggestions first.
    fn improved(mut error: clap::Error, command: &mut clap::Command) -> clap::Error {
        let text = |error: &clap::Error, kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            _ => None,
        };
        if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) {
            let names = names.iter().rev().cloned().collect();
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
        }
        let is_format = text(&error, ContextKind::InvalidArg).is_some_and(|arg| arg.starts_with("--format"));
        let asked = text(&error, ContextKind::InvalidValue).filter(|_| is_format);
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let name = arguments.iter().find(|argument| command.find_subcommand(argument).is_some());
        match asked.zip(name) {
            Some((asked, name)) => {
                command.build();
                let fault = formats_fault(name, formats_of(name), &asked, "");
                match command.find_subcommand_mut(name) {
                    Some(subcommand) => subcommand.error(clap::error::ErrorKind::InvalidValue, fault),
                    None => error,
                }
            }
            None => error,
        }
    }
}

impl Global {
    /// Returns whether files that git does not track are trusted.
    pub(crate) fn untracked(&self) -> Untracked {
        let ci = || std::env::var_os("CI").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        match self.untracked {
            Some(UntrackedTrust::Trusted) => Untracked::Trusted,
            Some(UntrackedTrust::Untrusted) => Untracked::Untrusted,
            None if ci() => Untracked::Untrusted,
            None => Untracked::Trusted,
        }
    }
}

/// Whether the text of a file is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UntrackedTrust {
    /// Like the repo's own files
    Trusted,
    /// Like text that anyone could have written
    Untrusted,
}

/// When to use colours.
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
    Ready(PackArgs),
    Watch(WatchArgs),
    List(ListArgs),
    Explain(ExplainArgs),
    Render(RenderArgs),
    Agent(AgentCommandArgs),
    Job(JobArgs),
    Card(CardArgs),
    Box(BoxArgs),
    Handover(HandoverArgs),
    Batch(BatchArgs),
    Dispatch(DispatchArgs),
    Inbox(InboxArgs),
    Redact(RedactArgs),
    Notes(NotesArgs),
    Diff(DiffArgs),
    Since(SinceArgs),
    Trailer(TrailerArgs),
    Stats(PackArgs),
    Report(ReportArgs),
    Open(OpenArgs),
    #[cfg(feature = "page")]
    Serve(ServeArgs),
    #[cfg(feature = "mcp")]
    Mcp,
    Verify(VerifyArgs),
    Git(GitArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Options of `schema`.
#[derive(Debug, Options)]
pub(crate) struct SchemaArgs {
    /// What the schema describes
    #[arg(value_enum, default_value_t = SchemaKind::Pack, value_name = "KIND")]
    pub(crate) kind: SchemaKind,
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKind {
    /// A pack
    Pack,
    /// `contextpack.yml`
    Config,
    /// The native fields of a work item
    WorkItem,
    /// The file of a card
    Card,
    /// The file of a box
    Box,
    /// The plan that `batch fork` reads
    BatchFile,
    /// `batch.json` of a batch
    Batch,
    /// A claim of a batch
    BatchClaim,
    /// A report of a batch
    BatchReport,
    /// An event of a batch
    BatchEvent,
    /// `result.json` of a batch
    BatchResult,
    /// A request of an inbox
    InboxRequest,
    /// A claim of an inbox
    InboxClaim,
    /// A response of an inbox
    InboxResponse,
    /// An event of an inbox
    InboxEvent,
    /// The output of the commands with `--format json`
    Output,
}

/// Options of `completions`.
#[derive(Debug, Options)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Options of `man`.
#[derive(Debug, Options)]
pub(crate) struct ManArgs {
    /// The command that the page describes, such as `build` or `batch claim`; the whole program if omitted
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::commands::COMMANDS;
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::documented().debug_assert();
        Args::with_short_help().debug_assert();
    }

    #[test]
    fn the_help_of_every_command_has_an_example_and_its_exit_codes() {
        let command = Args::documented();
        assert_eq!(
            command.get_subcommands().count(),
            29 + usize::from(cfg!(feature = "github"))
                + usize::from(cfg!(feature = "mcp"))
                + usize::from(cfg!(feature = "page"))
        );
        for command in command.get_subcommands() {
            let help = command.clone().render_long_help().to_string();
            let example = format!("contextpack {}", command.get_name());
            assert!(help.contains("Examples:") && help.contains(&example), "{help}");
            assert!(help.contains("Exit codes:") && help.contains("  0  "), "{help}");
        }
        let help = command.clone().render_long_help().to_string();
        assert!(["  0  ", "  1  ", "  2  ", "  3  ", "  4  ", "  5  "].iter().all(|code| help.contains(code)));
    }

    #[test]
    fn wrong_usage_exits_2() {
        for line in [
            "contextpack build --max-chars 0",
            "contextpack build --strategy none",
            "contextpack build --prune feat:x",
            "contextpack bild",
            "contextpack verify",
            "contextpack list -q -v",
            "contextpack redact --rules a.md",
            "contextpack redact --out x",
        ] {
            let error = Args::try_parse_from(line.split(' ')).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn the_help_of_a_command_is_short_and_names_its_own_formats() {
        let mut command = Args::with_short_help();
        command.build();
        let help = |name: &str| command.find_subcommand(name).unwrap().clone().render_long_help().to_string();
        for subcommand in command.get_subcommands().filter(|it| it.get_name() != "help") {
            let text = help(subcommand.get_name());
            assert!(!text.contains("--color <") && !text.contains("-C <"), "{text}");
            assert!(text.contains("contextpack --help"), "{text}");
        }
        let build = help("build");
        assert!(build.contains("The output format: `text`, `json` and `github`"), "{build}");
        assert!(build.find("Examples:") < build.find("Options:") && build.contains("--untracked"), "{build}");
        let render = help("render");
        assert!(render.contains("The output format: `text`, `json` and `messages`"), "{render}");
        assert!(!render.contains("several times"), "{render}");
        assert!(!help("verify").contains("--strict") && !help("redact").contains("--untracked"));
        assert!(["build", "check", "watch"].iter().all(|command| help(command).contains("The work items and issues;")));
    }

    #[test]
    fn a_format_that_a_command_lacks_is_refused() {
        let fault = |line: &str| {
            let args = Args::try_parse_from(line.split(' ')).unwrap();
            args.format_fault(line.split(' ').nth(1).unwrap())
        };
        for line in [
            "contextpack build --format json",
            "contextpack list --format github",
            "contextpack diff --format markdown",
            "contextpack explain x --format markdown",
            "contextpack redact --rules --format json",
            "contextpack render x",
        ] {
            assert_eq!(fault(line), None, "{line}");
        }
        let why = |line| fault(line).unwrap();
        assert_eq!(
            why("contextpack render x --format github"),
            "`render` has no `--format github`: its formats are `text`, `json` and `messages`"
        );
        assert_eq!(
            why("contextpack list --format markdown"),
            "`list` has no `--format markdown`: its formats are `text`, `json`, `github` and `table`"
        );
        assert!(why("contextpack explain x --at 4k --format markdown").contains("with `--at`"));
        assert!(why("contextpack redact a.md --format json").contains("without `--report`, `--rules` or `--why`"));
    }

    #[test]
    fn every_command_is_listed_under_one_purpose() {
        let command = Args::command();
        let mut commands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let optional =
            [("mcp", cfg!(feature = "mcp")), ("serve", cfg!(feature = "page")), ("sync", cfg!(feature = "github"))];
        let is_built = |name: &&str| optional.iter().all(|(optional, is_built)| optional != name || *is_built);
        let mut listed: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).filter(is_built).collect();
        commands.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, commands);
        let help = Args::with_short_help().render_long_help().to_string();
        for entry in &COMMANDS {
            assert!(help.contains(&format!("\n{}:\n  ", entry.purpose)), "{help}");
        }
        assert!(help.contains("\nOptions:\n") && help.contains("--strict") && help.contains("--version"), "{help}");
    }

    #[test]
    fn global_options_are_accepted_before_and_after_the_command() {
        for line in ["contextpack -C x --strict check 123 -p a -p b", "contextpack check -p a -p b 123 --strict -C x"] {
            let args = Args::try_parse_from(line.split(' ')).unwrap();
            assert!(args.global.strict && args.global.directory.as_deref() == Some("x".as_ref()));
            let Command::Check(check) = args.command else { panic!("check") };
            assert_eq!(
                (check.packs.roots, check.packs.budget.profiles),
                (vec!["123".to_owned()], vec!["a".into(), "b".into()])
            );
        }
    }
}
