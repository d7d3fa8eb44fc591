//! The command line, as its help documents it.

use super::help;
#[cfg(feature = "serve")]
pub(crate) use super::review_args::ServeArgs;
pub(crate) use super::review_args::{
    AttestArgs, DiffArgs, ExplainArgs, GitArgs, GitCommand, RenderArgs, RenderPart, ReportArgs, VerifyArgs,
};
use super::watch_args::WatchArgs;
use crate::config::Strategy;
use crate::model::{Shard, Untracked};
use clap::{Args as Options, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Builds context packs: what an agent must know of a work item, in one file that is the same every time.
///
/// A pack holds a work item, its neighbours, the decisions and documents that it refers to, and instructions, cut to a budget by rules that are written down. Secrets are removed on the way in, and what was left out is listed with its reason. The same input gives the same bytes on every machine, so packs can be committed, compared and checked.
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
#[derive(Debug, Options)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Works as if started in DIR
    ///
    /// The repo is the nearest folder from there upwards that has a `contextpack.yml` or is a git repository.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// Reads this configuration instead of `contextpack.yml` at the root of the repo
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// The form of what is printed
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT", global = true)]
    pub(crate) format: Format,

    /// Says nothing but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Says more about what is done and why
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    /// When to use colours; `auto` does on a terminal, unless `NO_COLOR` is set
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", global = true)]
    pub(crate) color: Color,

    /// Makes every warning an error
    #[arg(long, global = true)]
    pub(crate) strict: bool,

    /// How files count in packs that git does not track: `untrusted` marks them, and takes no instructions from them
    ///
    /// By default they are `untrusted` where the environment has `CI=true`, as on GitHub Actions and GitLab, and `trusted` elsewhere.
    #[arg(long, value_enum, value_name = "TRUST", global = true)]
    pub(crate) untracked: Option<UntrackedTrust>,
}

impl Global {
    /// How files count that git does not track.
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

/// How the text of a file counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UntrackedTrust {
    /// As the repo's own
    Trusted,
    /// As text that anyone could have written
    Untrusted,
}

/// The form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For comments and documents
    Markdown,
    /// Annotations in GitHub's workflow logs
    Github,
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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sets a repo up: a configuration that fits what is there, and a workflow
    ///
    /// Looks for work items (`work_items/`, Backlog.md, beads), ADRs and a GitHub remote, and writes a commented `contextpack.yml`, a marked block in `.gitattributes` and a workflow that checks the packs; with a GitHub remote also one that syncs issues and builds their packs. Where there is neither an item nor a GitHub repo, it adds a sample to build. Files that exist are never overwritten. Prints each path that it wrote, one a line.
    #[command(after_long_help = help::INIT)]
    Init(InitArgs),

    /// Builds packs and writes those that changed
    ///
    /// Builds the packs of the given roots, or of all `roots` of the configuration, and prints the path of each pack that it wrote, one a line. A pack whose inputs did not change is not touched. A root with errors keeps its old pack; the others are built.
    #[command(after_long_help = help::BUILD)]
    Build(BuildArgs),

    /// Checks that the packs on disk are the ones that a build would write
    ///
    /// Builds in memory, compares bytes, and gives a reason for each pack that is stale, edited, missing or orphaned. Writes nothing.
    #[command(after_long_help = help::CHECK)]
    Check(CheckArgs),

    /// Builds, then follows the repo and rebuilds what each change affects
    ///
    /// Follows the folders where inputs are or can appear: not those that git ignores, and not what it writes itself. After each save it says on stderr, one line a pack, what the save means for an agent: the size against the limit, what came in, what shrank, what left. Errors are told when they appear; until they are mended the last good packs stay. A pack that it wrote under a former id is removed.
    ///
    /// `.contextpack/now.md` always holds the rendering of the pack that changed last, for an agent beside; while the input is broken a line above it says so. With one ROOT and one profile it is always that pack. Ctrl-C ends it, after the build that is running; a second one ends it at once.
    #[command(after_long_help = help::WATCH)]
    Watch(WatchArgs),

    /// Fetches issues from GitHub into the snapshot that builds read
    ///
    /// Writes one file an issue below `github.snapshot` and prints the path of each file that it wrote or removed. It is the only command that uses the network. Without a ROOT it fetches every open issue of the repo, or those that `roots` of the configuration or the options below ask for, and every issue that a work item names. With ROOTs it fetches those, in full.
    ///
    /// The repo is `github.repo`, else `GITHUB_REPOSITORY`, else the git remote. The API is that of `github.host`, else `GITHUB_API_URL`, else `https://api.github.com`. The token is `CONTEXTPACK_GITHUB_TOKEN`, else of an enterprise server `GH_ENTERPRISE_TOKEN` or `GITHUB_ENTERPRISE_TOKEN`, else `GH_TOKEN`, else `GITHUB_TOKEN`, else what `gh auth token` says; it needs to read issues. A host other than github.com that only the configuration or the git remote names gets no token but the one that `gh` has for it; `GH_HOST` vouches for one. Without one, public repos can be read at 60 requests an hour. Proxies are those of `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    #[cfg(feature = "github")]
    #[command(after_long_help = help::SYNC)]
    Sync(SyncArgs),

    /// Verifies finished packs without their repo: schema, hash, id, order and budget
    ///
    /// Reads packs as anyone could who received them, and reports every way in which one breaks context_pack/v1. The text is measured again, so a pack that is over its budget is found too.
    #[command(after_long_help = help::VERIFY)]
    Verify(VerifyArgs),

    /// Prints a statement about packs that can be signed
    ///
    /// Prints an in-toto statement, version 1. Its subjects are the files by name and SHA-256; its predicate says of each pack which hash it has, what it was built from, and by what. Packs that are not valid get none.
    #[command(after_long_help = help::ATTEST)]
    Attest(AttestArgs),

    /// Prints a pack as the Markdown that an agent reads
    ///
    /// Prints exactly the text that the budget measured. A root is built in memory; nothing is written.
    #[command(after_long_help = help::RENDER)]
    Render(RenderArgs),

    /// Shows every section in and out of a pack, why, and what it costs
    ///
    /// Lists the sections in their order with provenance, detail and size, then what was left out with its reason, then what was redacted. A root is built in memory; nothing is written.
    #[command(after_long_help = help::EXPLAIN)]
    Explain(ExplainArgs),

    /// Says what changed between packs, and why
    ///
    /// Compares two packs, two folders of packs, or the packs of two revisions, section by section: what came, went, moved, changed or has more or less detail; inputs, budget, omissions, redactions, warnings and relations; and which input was the cause. It begins with a verdict in one line. A change that is equal in several packs is shown once. Packs that differ only in when and by what they were built do not differ.
    ///
    /// What needs review: instructions that changed, new text by authors outside the repo, trust that changed, a redaction that is gone, something newly left out for the budget, a pack that changed with no changed input, a damaged pack.
    #[command(after_long_help = help::DIFF)]
    Diff(DiffArgs),

    /// Writes packs as one HTML page to look at
    ///
    /// The page lists the packs, and shows of each its neighbourhood as a drawing, its budget as a picture, the sections with provenance and trust, what was left out and removed, warnings, and the rendering. It is one file that asks no network for anything, works from the disk, and can be sent to others like the packs themselves. The same packs give the same bytes.
    #[command(after_long_help = help::REPORT)]
    Report(ReportArgs),

    /// Serves that page to this machine, and shows packs anew when they change
    ///
    /// Prints the page's address and serves it on 127.0.0.1 until it is stopped; nobody without the address, whose middle part is drawn by lot, gets an answer. The page shows within a second what a build has changed. Nothing is built or written.
    #[cfg(feature = "serve")]
    #[command(after_long_help = help::SERVE)]
    Serve(ServeArgs),

    /// Does what git asks for packs, once `init --git` has told it to
    ///
    /// `textconv` prints the rendering of a pack, so that `git diff` and `git log -p` show that instead of JSON; what is no pack is printed as it is. `merge` builds a pack that both sides of a merge changed from the merged inputs; where that cannot be, the pack stays as this side has it, whole, and git is told of a conflict.
    #[command(after_long_help = help::GIT)]
    Git(GitArgs),

    /// Lists the roots with title, type, status, edges and the state of their packs
    ///
    /// A pack that has no file is `missing`; whether it can be built, `build` says.
    #[command(after_long_help = help::LIST)]
    List(ListArgs),

    /// Prints a text as it would enter a pack, without secrets
    ///
    /// Applies the built-in rules and those of the configuration to files, or to standard input; what is removed becomes `[REDACTED:<rule>]`. `--report` says for each place why, and how to include it safely; `--rules` lists the rules that `redaction.allow` can name. The exit code is 0 whether or not something was removed.
    #[command(after_long_help = help::REDACT)]
    Redact(RedactArgs),

    /// Prints a JSON Schema (2020-12)
    ///
    /// The schemas describe the packs, `contextpack.yml`, and the native fields of a work item. Editors complete and check files with them.
    #[command(after_long_help = help::SCHEMA)]
    Schema(SchemaArgs),

    /// Prints a script that completes commands and options in a shell
    #[command(after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),

    /// Prints a manual page, in roff
    #[command(after_long_help = help::MAN)]
    Man(ManArgs),
}

/// Options of `init`.
#[derive(Debug, Options)]
pub(crate) struct InitArgs {
    /// Keeps packs out of git: they go to `.contextpack/packs`, which is ignored
    #[arg(long)]
    pub(crate) cached: bool,

    /// Tells an agent where the packs are, in a marked block of the file that it reads; can be given several times
    #[arg(long = "agent", value_enum, value_name = "AGENT")]
    pub(crate) agents: Vec<Agent>,

    /// Also tells this clone's git to show packs as text and to rebuild those that a merge would leave in conflict
    ///
    /// Sets `diff.contextpack` and `merge.contextpack` in the clone's own configuration, to which the block in `.gitattributes` refers. Both run `contextpack`, which must be on the `PATH`. Without them git compares packs as JSON, and `contextpack build` resolves a conflict.
    #[arg(long, conflicts_with = "cached")]
    pub(crate) git: bool,

    /// Also writes a workflow that builds a large repo in N jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,
}

/// An agent that reads a file of the repo before it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// `CLAUDE.md`
    Claude,
    /// `.github/copilot-instructions.md`
    Copilot,
    /// `AGENTS.md`
    Codex,
}

impl Agent {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Claude, Self::Copilot, Self::Codex];

    /// The file that it reads.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE.md",
            Self::Copilot => ".github/copilot-instructions.md",
            Self::Codex => "AGENTS.md",
        }
    }
}

/// How packs are built.
#[derive(Debug, Default, PartialEq, Eq, Options)]
#[command(next_help_heading = "Build options")]
pub(crate) struct BudgetArgs {
    /// Builds this profile; can be given several times
    ///
    /// Without it the configuration's `output.profiles` are built, or `coding` where it names none.
    #[arg(short, long = "profile", value_name = "PROFILE")]
    pub(crate) profiles: Vec<String>,

    /// Limits packs to N characters
    ///
    /// Limits given here replace all of the profile's.
    #[arg(long, value_name = "N", value_parser = limit())]
    pub(crate) max_chars: Option<u64>,

    /// Limits packs to N tokens of the profile's tokenizer
    #[arg(long, value_name = "N", value_parser = limit())]
    pub(crate) max_tokens: Option<u64>,

    /// Limits packs to N bytes
    #[arg(long, value_name = "N", value_parser = limit())]
    pub(crate) max_bytes: Option<u64>,

    /// How a pack is made to fit its limits
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub(crate) strategy: Option<FitBy>,
}

/// Limits are numbers that JSON readers everywhere keep exactly.
fn limit() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..=(1 << 53) - 1)
}

/// How a pack is made to fit its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FitBy {
    /// Cuts the pack at its end
    #[value(name = "truncate_tail", alias = "truncate-tail")]
    TruncateTail,
    /// Drops whole sections, weakest first
    #[value(name = "drop_low_priority", alias = "drop-low-priority")]
    DropLowPriority,
    /// Shortens sections, weakest first, and drops them last
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

/// Options of `build`.
#[derive(Debug, Options)]
pub(crate) struct BuildArgs {
    /// Work items and issues to build; all roots of the configuration where none is given
    ///
    /// An id (`feat:cache`), the path of an item's file, an id without its prefix, or an issue (`123`, `owner/repo#123`, a URL).
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<String>,

    #[command(flatten)]
    pub(crate) building: BudgetArgs,

    /// Writes packs to DIR instead of the configuration's `output.dir`; `-` prints one pack
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Removes packs whose root or profile is gone; needs a build of all roots and profiles
    #[arg(long, conflicts_with_all = ["roots", "profiles"])]
    pub(crate) prune: bool,

    /// Builds one of N parts of the roots, such as `1/4`; all N together give what one build gives
    ///
    /// The SHA-256 of a root's id decides in which part it is, so it stays there when other roots come and go. `list --matrix N` gives the parts for a workflow.
    #[arg(long, value_name = "i/N", conflicts_with = "roots")]
    pub(crate) shard: Option<Shard>,

    #[command(flatten)]
    pub(crate) telling: SummaryArgs,

    /// Also writes each pack as the Markdown that an agent reads to DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) markdown: Option<PathBuf>,

    /// Appends `packs`, `changed` and, of a single pack, `pack`, `markdown`, `hash`, `tokens` and `open-blockers` to FILE
    ///
    /// In the form of a workflow's `$GITHUB_OUTPUT`. Paths are meant from `$GITHUB_WORKSPACE` where the repo lies in it.
    #[arg(long, value_name = "FILE")]
    pub(crate) outputs: Option<PathBuf>,
}

/// Where else a command tells what became of the packs.
#[derive(Debug, Options)]
pub(crate) struct SummaryArgs {
    /// Appends a summary in Markdown to FILE, such as a workflow's `$GITHUB_STEP_SUMMARY`
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

/// Options of `check`.
#[derive(Debug, Options)]
pub(crate) struct CheckArgs {
    /// Work items and issues to build; all roots of the configuration where none is given
    ///
    /// An id (`feat:cache`), the path of an item's file, an id without its prefix, or an issue (`123`, `owner/repo#123`, a URL).
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<String>,

    #[command(flatten)]
    pub(crate) building: BudgetArgs,

    /// Checks one of N parts of the roots, such as `1/4`; all N together find what one check finds
    ///
    /// The parts are those of `build --shard`. Packs that belong to no root are looked at with the first part that has roots.
    #[arg(long, value_name = "i/N", conflicts_with = "roots")]
    pub(crate) shard: Option<Shard>,

    #[command(flatten)]
    pub(crate) telling: SummaryArgs,
}

/// Options of `sync`.
#[cfg(feature = "github")]
#[derive(Debug, Options)]
pub(crate) struct SyncArgs {
    /// Issues to fetch in full: `123`, `owner/repo#123`, a URL, or a work item that has an issue
    #[arg(value_name = "ROOT", conflicts_with_all = ["state", "labels", "milestones", "since", "limit", "all"])]
    pub(crate) roots: Vec<String>,

    /// Only issues in this state; default: what `roots.state` asks for, else `open`
    #[arg(long, value_enum, value_name = "STATE")]
    pub(crate) state: Option<IssueState>,

    /// Only issues with this label; can be given several times, for any of them
    ///
    /// Without it `roots.labels` of the configuration decides.
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,

    /// Only issues of this milestone, by title or number; can be given several times, for any of them
    ///
    /// Without it `roots.milestone` of the configuration decides.
    #[arg(long = "milestone", value_name = "MILESTONE")]
    pub(crate) milestones: Vec<String>,

    /// Only issues that changed since then: `2026-01-31`, or `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<String>,

    /// At most N issues, the last changed first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) limit: Option<u64>,

    /// Every issue, open or closed, whatever `roots` of the configuration says
    #[arg(long, conflicts_with_all = ["state", "labels", "milestones", "since", "limit"])]
    pub(crate) all: bool,

    /// Sends at most N requests, 10 or more; the next run goes on from there
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..))]
    pub(crate) max_requests: Option<u64>,

    /// Waits at most this long in all, for rate limits and between tries
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = humantime::parse_duration)]
    pub(crate) max_wait: std::time::Duration,

    /// Writes the repo into `contextpack.yml`, where builds look for it
    #[arg(long)]
    pub(crate) write_config: bool,
}

/// States of issues that GitHub can be asked for.
#[cfg(feature = "github")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IssueState {
    /// Open ones
    Open,
    /// Closed ones
    Closed,
    /// Both
    All,
}

/// A day or a time, as GitHub reads it.
#[cfg(feature = "github")]
fn since(text: &str) -> Result<String, String> {
    let time = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    let time =
        humantime::parse_rfc3339(&time).map_err(|_| "write it as 2026-01-31 or 2026-01-31T12:00:00Z".to_owned())?;
    Ok(humantime::format_rfc3339_seconds(time).to_string())
}

/// Options of `list`.
#[derive(Debug, Options)]
pub(crate) struct ListArgs {
    /// Prints the parts of a build in N jobs as a workflow's matrix, in JSON for `fromJSON`
    ///
    /// Each part that has roots is a job: `shard` is what `build --shard` takes, `index` its number, `roots` how many it builds. Nothing is built.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) matrix: Option<u32>,
}

/// Options of `redact`.
#[derive(Debug, Options)]
pub(crate) struct RedactArgs {
    /// Files to read; standard input where none is given
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Lists what was removed and why, never the secret, instead of the text
    #[arg(long)]
    pub(crate) report: bool,

    /// Writes each file under its own name to DIR instead of standard output
    #[arg(long, value_name = "DIR", requires = "files")]
    pub(crate) out: Option<PathBuf>,

    /// Lists the rules there are: the built-in ones and those of the configuration
    #[arg(long, conflicts_with_all = ["files", "report", "out"])]
    pub(crate) rules: bool,
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
    /// What the commands print with `--format json`
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
    /// The command that the page is about; the whole program where none is given
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_help_of_every_command_has_an_example_and_its_exit_codes() {
        let command = Args::command();
        assert_eq!(
            command.get_subcommands().count(),
            16 + usize::from(cfg!(feature = "github")) + usize::from(cfg!(feature = "serve"))
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
    fn global_options_stand_before_and_after_the_command() {
        for line in ["contextpack -C x --strict check 123 -p a -p b", "contextpack check -p a -p b 123 --strict -C x"] {
            let args = Args::try_parse_from(line.split(' ')).unwrap();
            assert!(args.global.strict && args.global.directory.as_deref() == Some("x".as_ref()));
            let Command::Check(check) = args.command else { panic!("check") };
            assert_eq!((check.roots, check.building.profiles), (vec!["123".to_owned()], vec!["a".into(), "b".into()]));
        }
    }
}
