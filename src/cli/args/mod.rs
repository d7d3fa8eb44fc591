//! The arguments of the command line. Their doc comments are the help texts.

mod agent;
mod batch;
mod build;
mod cards;
mod format;
mod handover;
mod help;
mod inbox;
mod ledger;
mod review;
#[cfg(feature = "github")]
mod setup;

pub(crate) use agent::{AgentChoice, AgentCommand, AgentCommandArgs, JobArgs};
pub(crate) use batch::{BatchArg, BatchArgs, BatchCommand, BatchReportArgs, TaskArg};
pub(crate) use build::{BudgetArgs, BuildArgs, CheckArgs, ListArgs, PackArgs, PrintMode, WatchArgs};
pub(crate) use cards::{BoxArgs, BoxCommand, CardAddArgs, CardArgs, CardCommand, RoleName, StyleName};
use format::{formats_fault, formats_of};
pub(crate) use handover::HandoverArgs;
pub(crate) use inbox::{DispatchArgs, InboxArg, InboxArgs, InboxCommand, TurnAckArgs};
pub(crate) use ledger::{OutcomeArgs, PublishArgs, WakeArgs, WakeMode};
#[cfg(feature = "serve")]
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

/// Builds context packs: all that an agent must know about a work item, in one reproducible file
///
/// A pack holds a work item, its neighbours, the decisions and documents that it refers to, and instructions, cut to a budget by documented rules. Secrets are removed on the way in, and omissions are listed with their reason. The same input gives the same bytes on every machine, except for the time of the build, which the hash leaves out (set `SOURCE_DATE_EPOCH` for identical files). So packs can be committed, compared and checked.
#[derive(Debug, Parser)]
#[command(name = "contextpack", version, propagate_version = true, after_long_help = help::MAIN)]
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

    /// Returns the command for completions: each subcommand has the formats that it prints.
    pub(crate) fn for_completion() -> clap::Command {
        let command = Self::command();
        let format = command.get_arguments().find(|arg| arg.get_id() == "format").cloned();
        command.mut_subcommands(|subcommand| match &format {
            Some(format) => {
                let names: Vec<&str> = formats_of(subcommand.get_name()).iter().map(|format| format.name()).collect();
                subcommand.arg(format.clone().default_value("text").value_parser(names))
            }
            None => subcommand,
        })
    }

    /// Returns the command with help that fits a screen: the program's lists the subcommands by purpose, and that of a
    /// subcommand begins with examples and leaves global options that are rarely needed to the program's.
    fn with_short_help() -> clap::Command {
        let command = Self::command();
        let template = help::template(&command);
        let globals: Vec<clap::Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
        command.help_template(template).mut_subcommands(|subcommand| help::shortened(subcommand, &globals))
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

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sets up a repo: a configuration that fits its files, and a workflow
    ///
    /// Looks for work items (`work_items/`, Backlog.md, beads), ADRs and a GitHub remote, and writes a commented `contextpack.yml`, a marked block in `.gitattributes` and a workflow that checks the packs. With a GitHub remote it also writes a workflow that syncs issues and builds their packs. If there are neither items nor a GitHub repo, it adds a sample to build. Existing files are never overwritten. Prints the path of each written file, one per line.
    #[command(after_long_help = help::INIT)]
    Init(InitArgs),

    /// Fetches issues from GitHub into the snapshot that builds read
    ///
    /// Writes one file per issue below `github.snapshot` and prints the path of each file that it wrote or removed. It is the only command that uses the network. Without a ROOT it fetches every open issue of the repo, or those that `roots` of the configuration or the options below select, and every issue that a work item names. With ROOTs it fetches those, in full.
    ///
    /// The repo is `github.repo`, else `GITHUB_REPOSITORY`, else the git remote. The API is that of `github.host`, else `GITHUB_API_URL`, else `https://api.github.com`. The token is `CONTEXTPACK_GITHUB_TOKEN`, else for an enterprise server `GH_ENTERPRISE_TOKEN` or `GITHUB_ENTERPRISE_TOKEN`, else `GH_TOKEN`, else `GITHUB_TOKEN`, else the output of `gh auth token`; it needs permission to read issues. A host other than github.com that only the configuration or the git remote names gets no token but the one that `gh` stores for it, unless `GH_HOST` confirms the host. Without a token, public repos can be read at 60 requests an hour. Proxies are those of `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    #[cfg(feature = "github")]
    #[command(after_long_help = help::SYNC)]
    Sync(SyncArgs),

    /// Builds packs and writes those that changed
    ///
    /// Builds the packs of the given roots, or of all `roots` of the configuration, and prints the path of each written pack, one per line. A pack whose inputs did not change is not touched. If a pack cannot be built, its old file stays and the others are built. A warning that `warnings` of the configuration or `--strict` makes an error stops no pack; it sets the exit code.
    #[command(after_long_help = help::BUILD)]
    Build(BuildArgs),

    /// Checks that the packs on disk are the ones that a build would write
    ///
    /// Builds in memory, compares bytes, and gives a reason for each pack that is stale, edited, missing or orphaned. Writes nothing.
    #[command(after_long_help = help::CHECK)]
    Check(CheckArgs),

    /// Says what keeps an agent from starting on a work item
    ///
    /// Builds in memory and reads the pack as an agent would: is there a blocker that is not done, does the text say when the work is done, does it leave questions or places of its template open, is a decision that it rests on not made or no longer in force, does a reference lead nowhere, does the budget cut the text, is the pack on disk stale. Each finding has a place and says what to do. `warnings` of the configuration allow findings by their codes. Writes nothing.
    #[command(after_long_help = help::READY)]
    Ready(PackArgs),

    /// Builds, then follows the repo and rebuilds what each change affects
    ///
    /// Follows the folders that hold inputs or may hold some, except those that git ignores and its own output. After each save it prints on stderr, one line per pack, what the save means for an agent: the size against the limit, what was added, shortened or removed. Errors are printed when they appear; until they are fixed, the last good packs stay. A pack that it wrote under a former id is removed.
    ///
    /// `.contextpack/now.md` always holds the rendering of the pack that changed last, for an agent that works in parallel; while the input has errors, its first line says so. With one ROOT and one profile it always holds that pack. Ctrl-C stops the watch after the running build; a second Ctrl-C stops it at once.
    #[command(after_long_help = help::WATCH)]
    Watch(WatchArgs),

    /// Lists the roots with title, type, status, edges and the state of their packs
    ///
    /// A pack without a file is `missing`; `build` finds out whether it can be built.
    #[command(after_long_help = help::LIST)]
    List(ListArgs),

    /// Shows every section in and out of a pack, why, and what it costs
    ///
    /// Lists the sections in order with provenance, detail and size, then the omissions with their reasons, then the redactions. A root is built in memory; nothing is written.
    #[command(after_long_help = help::EXPLAIN, override_usage = help::or_agent("explain"), mut_arg("profiles", help::one_profile))]
    Explain(ExplainArgs),

    /// Prints a pack as the Markdown that an agent reads
    ///
    /// Prints exactly the text that the budget measured. A root is built in memory; nothing is written.
    #[command(after_long_help = help::RENDER, override_usage = help::or_agent("render"), mut_arg("profiles", help::one_profile))]
    Render(RenderArgs),

    /// Makes, lists and shows agents, for whom `--agent` builds packs
    ///
    /// An agent is a file below `agents/`: its front matter says who it is, and the text below is its SOUL. `new` fills in the template: that of `agents.template` of the configuration, `agents/_template.md`, a document of type `agent_soul_template`, or the built-in one.
    #[command(after_long_help = help::AGENT)]
    Agent(AgentCommandArgs),

    /// Lists the jobs of agents, or prints the context of one
    ///
    /// Jobs are configured under `jobs`. With a name it prints exactly what is to be given to the agent: its pack, with the job's instructions at its end.
    #[command(after_long_help = help::JOB, mut_arg("profiles", help::one_profile))]
    Job(JobArgs),

    /// Writes and shows cards: what an agent leaves for others, one message or fact each
    ///
    /// A card is a file below `context/cards` that never changes, named by the hash of what it holds, and committed like any other. Secrets are removed before it is written. Packs are not built from cards, and no build reads them.
    #[command(after_long_help = help::CARD)]
    Card(CardArgs),

    /// Writes and shows boxes and logs: lists of cards
    ///
    /// A box is a file below `context/boxes` that never changes. A log is a folder below `context/logs` that is only appended to; branches that append to one log merge without conflict. A BOX is an id or its first 8 or more hex digits, the name of a log, or `name@clock`: the log up to that clock.
    #[command(after_long_help = help::BOX)]
    Box(BoxArgs),

    /// Hands cards over from one agent to another: a box, and a pack with these cards and the work item
    ///
    /// A RECIPE says which arguments become cards and what is inherited. `launch` gives an agent an `instruction`. `delegate` also inherits the boxes that the argument `context_box_id` or `input_box_ids` names; its argument `target_strategy` is `new` (the default: a log for this handover), `reuse` (the agent's own log) or `clone` (the log of `--from` is inherited too). `ask-expert` inherits that log with `include_history=true`. Others are in the configuration under `handover.recipes`.
    ///
    /// Inherited cards come first, then those of the arguments, then one that names the agent of `--from`. The pack holds them before the work item, within the agent's budget: what is given stays whole, of what is inherited the oldest leaves first. A box is inherited if `--box` gives it; one that only an argument names must be the log of `--from` or allowed by the recipe. Everything is checked first; if anything is wrong, nothing is written.
    #[command(after_long_help = help::HANDOVER, mut_arg("profiles", help::one_profile))]
    Handover(HandoverArgs),

    /// Divides work among agents, and joins what they report: fork, claim, report, reclaim, join
    ///
    /// A batch is a folder below `context/batches` to which files are only ever added: the plan, claims, reports, events and the result. Its state follows from these files alone, so that branches on which agents work at once merge in any order. Of one task and epoch there is one claim and one report: two processes on one disk cannot both create it, and of two clones the second push is rejected by git.
    #[command(after_long_help = help::BATCH)]
    Batch(BatchArgs),

    /// Puts a turn into the inbox of an agent, and rings a doorbell if asked to
    ///
    /// A turn points to the box that the agent reads, the log that it appends to, and perhaps a work item. Its id is a hash of the request, so dispatching the same again changes nothing; `--key` makes it another turn. Prints `accepted`; `busy` if a turn of the agent is claimed and not acknowledged; or `rejected` if there is no such agent or its inbox is closed. Whatever is not accepted writes nothing.
    #[command(after_long_help = help::DISPATCH)]
    Dispatch(DispatchArgs),

    /// Works on the turns that were dispatched to an agent: list, claim, ack, reclaim, close, open
    ///
    /// An inbox is a folder below `context/inbox` to which files are only ever added: requests, claims, responses and events. Its state follows from these files alone. Of one turn and epoch there is one claim and one response, as in a batch; request and response are joined by their `correlation_id`.
    #[command(after_long_help = help::INBOX)]
    Inbox(InboxArgs),

    /// Prints a text without secrets, as it would enter a pack
    ///
    /// Applies the built-in rules and those of the configuration to files, or to standard input; matches become `[REDACTED:<rule>]`. `--report` explains each redaction and how to include the text safely; `--rules` lists the rules that `redaction.allow` can name; `--why` explains the verdict on each value of a line. The exit code is 0 whether or not something was removed.
    #[command(after_long_help = help::REDACT)]
    Redact(RedactArgs),

    /// Prints notes on documents: a summary, key facts, rules word for word, and keywords
    ///
    /// The notes are those in the document's front matter (`notes:`), else those in the file `<file name>.notes.yml` beside it, else the built-in extractor makes them; it is a pure function of the redacted text and asks no model. Prints JSON: `documents`, each with `path`, `success`, and `notes` or `error`. A document that says that it holds secrets is not read below its front matter.
    #[command(after_long_help = help::NOTES)]
    Notes(NotesArgs),

    /// Shows what changed between packs, and why
    ///
    /// Compares two packs, two folders of packs, or the packs of two revisions, section by section: sections that were added, removed, moved, changed or have more or less detail; inputs, budget, omissions, redactions, warnings and relations; and which input was the cause. The first line is a verdict. A change that is equal in several packs is shown once. Packs that differ only in when and by what they were built are equal.
    ///
    /// What needs review: instructions that changed, new text by authors outside the repo, trust that changed, a redaction that is gone, something newly omitted for the budget, a pack that changed without a changed input, a damaged pack.
    #[command(after_long_help = help::DIFF)]
    Diff(DiffArgs),

    /// Says what changed since packs were read
    ///
    /// Compares a pack with what a build gives now for the same root, profile, agent, policy and limits, item by item: which acceptance criterion is new, which paragraph changed, which decision or blocker is gone, with the words. A pack is named by its hash, as its reader has it, by its file, or by `Context-Pack` trailers of commits. Old packs are redacted by the rules of today. Writes nothing.
    #[command(after_long_help = help::SINCE, override_usage = help::SINCE_USAGE)]
    Since(SinceArgs),

    /// Prints the trailer of a commit that names the pack that its author has read
    ///
    /// Prints `Context-Pack: sha256:…`. `check --commits` and `since --commits` find it in commits and say whether the pack is still what a build gives. `init --hook` writes a hook that adds it to the messages of commits.
    #[command(after_long_help = help::TRAILER, override_usage = help::or_agent("trailer"), mut_arg("profiles", help::one_profile))]
    Trailer(TrailerArgs),

    /// Prints figures over the packs of all roots: what feeds them, and what the budgets cut
    ///
    /// Builds in memory and counts: what each group of sections takes, which decisions, documents and rules feed how many packs, which are in none, which budgets cut most, and what was removed as secret. With `render --record` and `job --record` it also says what was delivered to agents. Writes nothing.
    #[command(after_long_help = help::STATS)]
    Stats(PackArgs),

    /// Writes packs as one HTML page
    ///
    /// For each pack the page shows a drawing of its neighbourhood, a chart of its budget, the sections with provenance and trust, omissions, redactions, warnings, and the rendering. The page is a single file that needs no network, opens from disk, and can be sent to others like the packs themselves. The same packs give the same bytes. Of the folder of cards it shows handovers, and boxes and logs as conversations.
    #[command(after_long_help = help::REPORT)]
    Report(ReportArgs),

    /// Shows one pack on a page in the browser
    ///
    /// Writes the page of `report` for one pack to `.contextpack/pages`, prints its path, and opens it with the program of the system. A root is built in memory.
    #[command(after_long_help = help::OPEN, override_usage = help::or_agent("open"), mut_arg("profiles", help::one_profile))]
    Open(OpenArgs),

    /// Serves the report page on this machine, and updates it when packs change
    ///
    /// Prints the page's address and serves it on 127.0.0.1 until stopped. The address contains a random word; requests without it are refused. The page shows within a second what a build has changed. Nothing is written without `--watch`.
    #[cfg(feature = "serve")]
    #[command(after_long_help = help::SERVE)]
    Serve(ServeArgs),

    /// Serves packs to agents over the Model Context Protocol, on standard input and output
    ///
    /// A program of an agent starts it and asks for packs, lists and explanations, which are built in memory from the files as they are now; nothing is written but the cache, as `render` does. `init --agent` writes the entry of a program's configuration. docs/mcp.md describes tools, resources and limits.
    #[cfg(feature = "mcp")]
    #[command(after_long_help = help::MCP)]
    Mcp,

    /// Verifies finished packs without their repo: schema, hash, id, order and budget
    ///
    /// Needs nothing but the packs, and reports every violation of context_pack/v1. The text is measured again, so a pack over its budget is found too. Of the folder of cards it verifies every card, box and log: that each has the content that its name says, and that what it names is there.
    #[command(after_long_help = help::VERIFY)]
    Verify(VerifyArgs),

    /// Shows and merges packs for git, once `init --git` has configured it
    ///
    /// `textconv` prints the rendering of a pack, so that `git diff` and `git log -p` show it instead of JSON; other files are printed unchanged. `merge` builds a pack that both sides of a merge changed from the merged inputs; if it cannot be built, this side's pack stays, and git reports a conflict.
    #[command(after_long_help = help::GIT)]
    Git(GitArgs),

    /// Prints a JSON Schema (2020-12)
    ///
    /// The schemas describe packs, `contextpack.yml`, the native fields of a work item, cards, boxes, and the JSON output of the commands. Editors complete and check files with them.
    #[command(after_long_help = help::SCHEMA)]
    Schema(SchemaArgs),

    /// Prints a script that completes commands and options in a shell
    #[command(after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),

    /// Prints a manual page in roff
    #[command(after_long_help = help::MAN)]
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
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        Args::with_short_help().debug_assert();
    }

    #[test]
    fn the_help_of_every_command_has_an_example_and_its_exit_codes() {
        let command = Args::command();
        assert_eq!(
            command.get_subcommands().count(),
            29 + usize::from(cfg!(feature = "github"))
                + usize::from(cfg!(feature = "mcp"))
                + usize::from(cfg!(feature = "serve"))
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
            [("mcp", cfg!(feature = "mcp")), ("serve", cfg!(feature = "serve")), ("sync", cfg!(feature = "github"))];
        let is_built = |name: &&str| optional.iter().all(|(optional, is_built)| optional != name || *is_built);
        let mut listed: Vec<&str> =
            help::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).filter(is_built).collect();
        commands.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, commands);
        let help = Args::with_short_help().render_long_help().to_string();
        for (purpose, _) in help::GROUPS {
            assert!(help.contains(&format!("\n{purpose}:\n  ")), "{help}");
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
