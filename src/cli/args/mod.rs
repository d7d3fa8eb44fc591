//! The command line, as its help documents it.

mod build;
mod help;
mod review;
mod setup;

pub(crate) use build::{BudgetArgs, BuildArgs, CheckArgs, ListArgs, PrintMode, WatchArgs};
#[cfg(feature = "serve")]
pub(crate) use review::ServeArgs;
pub(crate) use review::{
    AttestArgs, DiffArgs, ExplainArgs, GitArgs, GitCommand, RedactArgs, RenderArgs, RenderPart, ReportArgs, VerifyArgs,
};
pub(crate) use setup::{Agent, InitArgs};
#[cfg(feature = "github")]
pub(crate) use setup::{IssueState, SyncArgs};

use crate::model::Untracked;
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
    /// What needs eyes: instructions that changed, new text by authors outside the repo, trust that changed, a redaction that is gone, something newly left out for the budget, a pack that changed with no changed input, a damaged pack.
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
